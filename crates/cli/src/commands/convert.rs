//! `akunu convert`: a model into a GGUF file of other formats, or a model of speech into one of whisper.cpp's.

use crate::args::{Convert, Machine};
use crate::error::CliError;
use crate::interrupt;
use crate::output::{Output, table};
use crate::units::bytes;
use akunu::device::cpu::topology::Topology;
use akunu::files::WeightSource;
use akunu::files::convert::{self, Fallback, Input, Options, Requantize, Summary};
use akunu::files::ggml::{GgmlSource, is_ggml};
use akunu::files::gguf::GgufSource;
use akunu::files::safetensors::{SafetensorsSource, is_directory_model};
use akunu::files::tokenizer::TokenizerData;
use akunu::transcribe::audio::filter_bank;
use serde_json::json;
use std::ops::ControlFlow;
use std::time::Instant;

/// Runs the command.
pub(crate) fn run(a: &Convert, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let path = akunu_hub::resolve(&a.source, &mut out.fetching())?;
    let requantize = if a.allow_requantize { Requantize::Allow } else { Requantize::Refuse };
    let threads = machine.threads.unwrap_or_else(|| Topology::detect().workers()) as usize;
    let options = Options { recipe: a.dtype, requantize, threads };
    if is_directory_model(&path) {
        let source = SafetensorsSource::open(&path)?;
        let tokenizer = TokenizerData::from_directory(source.directory(), source.config().vocab)?;
        if let Some(audio) = &source.config().audio {
            let filters = filter_bank(audio.mels as usize);
            return run_on(&Input::speech(&source, &path, tokenizer.as_ref(), &filters)?, a, &options, out);
        }
        if tokenizer.is_none() {
            out.notice("the directory has no tokenizer.json; the file will have no tokenizer");
        }
        run_on(&Input::new(&source, &path, tokenizer.as_ref()), a, &options, out)
    } else if is_ggml(&path) {
        let source = GgmlSource::open(&path)?;
        run_on(&Input::ggml(&source, &path)?, a, &options, out)
    } else {
        let source = GgufSource::open(&path)?;
        run_on(&Input::gguf(&source)?, a, &options, out)
    }
}

fn run_on(input: &Input<'_>, a: &Convert, options: &Options, out: &Output) -> Result<u8, CliError> {
    interrupt::install();
    let start = Instant::now();
    let bar = out.steps("converting", 1);
    let made = convert::convert(input, &a.target, options, &mut |p| {
        bar.set_length(p.total);
        bar.set_position(p.done);
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let Some(s) = made? else { return Ok(interrupt::code()) };
    let seconds = start.elapsed().as_secs_f64();
    let bits = s.formats.iter().map(|f| f.2).sum::<u64>() as f64 * 8.0 / s.values as f64;
    let target = a.target.display().to_string();
    if out.is_json() {
        let formats: Vec<_> =
            s.formats.iter().map(|f| json!({ "dtype": f.0.name(), "tensors": f.1, "bytes": f.2 })).collect();
        let fallback = |f: &Fallback| json!({ "wanted": f.wanted.name(), "dtype": f.dtype.name(), "tensors": f.tensors });
        let fallbacks: Vec<_> = s.fallbacks.iter().map(fallback).collect();
        out.json(&json!({
            "out": target,
            "recipe": options.recipe.name,
            "source_bytes": s.source_bytes,
            "file_bytes": s.file_bytes,
            "values": s.values,
            "bits_per_weight": bits,
            "formats": formats,
            "fallbacks": fallbacks,
            "lost": input.lost(),
            "seconds": seconds,
        }))?;
        return Ok(0);
    }
    let rows: Vec<Vec<String>> =
        s.formats.iter().map(|f| vec![f.0.to_string(), f.1.to_string(), bytes(f.2)]).collect();
    out.text(&table(&["format", ">tensors", ">size"], &rows))?;
    out.note(&format!(
        "{target}: {}, {bits:.2} bits per weight, from {} in {seconds:.1} s",
        bytes(s.file_bytes),
        bytes(s.source_bytes),
    ));
    remarks(&s, options.recipe.name).iter().for_each(|r| out.note(r));
    input.lost().iter().for_each(|l| out.note(&format!("the file cannot say {l}")));
    Ok(0)
}

/// What a person would not expect of the recipe.
fn remarks(s: &Summary, recipe: &str) -> Vec<String> {
    let mut out: Vec<String> = s
        .fallbacks
        .iter()
        .map(|f| {
            let (tensors, are, have) =
                if f.tensors == 1 { ("tensor", "is", "its") } else { ("tensors", "are", "their") };
            format!(
                "{} {tensors} of {recipe} {are} {} in place of {}: {have} rows are no multiple of {} values",
                f.tensors,
                f.dtype,
                f.wanted,
                f.wanted.block()
            )
        })
        .collect();
    let made: u64 = s.formats.iter().map(|f| f.2).sum();
    // Vectors become F32, which is a matter of course and of no size.
    if made > s.source_bytes + s.source_bytes / 100 {
        out.push(format!(
            "the tensors grew from {} to {}: {recipe} takes more bits than the source has, which makes nothing more exact",
            bytes(s.source_bytes),
            bytes(made)
        ));
    }
    out
}
