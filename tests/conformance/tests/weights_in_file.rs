//! Weights that stay in their file: the same tokens, bit for bit, as with weights in memory.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::CpuDevice;
use akunu::device::null::NullDevice;
use akunu::files::WeightSource;
use akunu::files::convert::{Input, Options, Requantize, convert};
use akunu::files::gguf::GgufSource;
use akunu::files::quantize::Recipe;
use akunu::files::safetensors::SafetensorsSource;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::Machine;
use akunu::kernels::cpu::{LEVELS, Level};
use akunu::plan::RegionKind;
use akunu::plan::Target;
use akunu::{Control, DecodeOptions, Eos, Error, LoadOptions, Model, Sampling, Token, WeightsAt};
use akunu_conformance::fixture;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A small model of a shape as a GGUF file.
fn written(dir: &Path, shape: &str, recipe: &str) -> PathBuf {
    let source = Synthetic::parse(&format!("{shape}:f32")).unwrap();
    let path = dir.join(format!("{shape}-{recipe}.gguf"));
    let options =
        Options { recipe: Recipe::parse(recipe).unwrap(), requantize: Requantize::Refuse, threads: 2 };
    let input = Input::new(&source, Path::new("synthetic"), None);
    convert(&input, &path, &options, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
    path
}

fn load(source: Box<dyn WeightSource>, level: Level, weights: WeightsAt) -> Result<Model, Error> {
    let device = Arc::new(CpuDevice::with_level(level, Some(2)).unwrap());
    let options = LoadOptions { context: Some(300), weights, ..LoadOptions::default() };
    Model::load_on(source, device, &options, &mut |_| {})
}

/// A prompt that takes tables of one, of a few and of many rows, and twelve tokens after it; the logits behind them.
fn tokens(model: &Model) -> (Vec<Token>, Vec<u32>) {
    let mut s = model.session().unwrap();
    let vocab = model.config().vocab;
    s.append(&(0..57u32).map(|i| Token(i * 37 % vocab)).collect::<Vec<_>>()).unwrap();
    let sampling = Sampling { temperature: 0.0, min_p: 0.0, seed: 1, ..Sampling::NEUTRAL };
    let o = DecodeOptions { max_tokens: 12, sampling, eos: Eos::Ignore, chunk: None };
    let mut out = Vec::new();
    s.decode(&o, &mut |t| {
        out.push(t);
        Control::Continue
    })
    .unwrap();
    (out, s.next_logits().unwrap().iter().map(|l| l.to_bits()).collect())
}

#[test]
fn the_same_tokens_whether_weights_are_in_memory_or_in_their_file() {
    let dir = tempfile::tempdir().unwrap();
    for (shape, recipe) in [
        ("tiny-llama", "q4_k_m"),
        ("tiny-llama", "q4_0"),
        ("tiny-llama", "iq4_nl"),
        ("tiny-llama", "q8_0"),
        ("tiny-llama", "bf16"),
        ("tiny-llama", "f16"),
        ("tiny-llama", "f32"),
        ("tiny-qwen3", "q6_k"),
        ("tiny-qwen3moe", "q4_0"),
    ] {
        let path = written(dir.path(), shape, recipe);
        for level in LEVELS.iter().copied().filter(|l| l.available()) {
            let of = |at| load(Box::new(GgufSource::open(&path).unwrap()), level, at).unwrap();
            let (memory, file) = (of(WeightsAt::Memory), of(WeightsAt::File));
            assert_eq!(tokens(&memory), tokens(&file), "{shape} {recipe} {level}");
            // Nearly all of the weights take no memory.
            let bytes = |m: &Model| m.program().bytes_of(RegionKind::Weights);
            assert_eq!(memory.program().weights.file_bytes, 0);
            assert!(
                bytes(&file) * 2 < bytes(&memory),
                "{shape} {recipe}: {} of {}",
                bytes(&file),
                bytes(&memory)
            );
        }
    }
}

#[test]
fn directories_stay_where_they_are_too() {
    let dir = fixture("tiny-llama");
    let of = |at| {
        let source = Box::new(SafetensorsSource::open(&dir).unwrap());
        load(source, Level::detect(), at).unwrap()
    };
    let (memory, file) = (of(WeightsAt::Memory), of(WeightsAt::File));
    assert!(file.program().weights.file_bytes > 0);
    assert_eq!(tokens(&memory), tokens(&file));
}

#[test]
fn what_cannot_stay_in_a_file_is_refused() {
    let message = |e: Result<Model, Error>| e.err().unwrap().to_string();
    // Nothing of it is in a file.
    let source = Box::new(Synthetic::parse("tiny-llama:q4_0").unwrap());
    let e = message(load(source, Level::detect(), WeightsAt::File));
    assert!(e.contains("--no-repack") && e.contains("akunu convert"), "{e}");
    // Another device.
    let device = Arc::new(NullDevice::new(Target::of(Machine::Cpu(Level::Portable))));
    let options = LoadOptions { context: Some(300), weights: WeightsAt::File, ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse("tiny-llama:q4_0").unwrap());
    let e = message(Model::load_on(source, device, &options, &mut |_| {}));
    assert!(e.contains("--no-repack") && e.contains("CPU"), "{e}");
    // A file that is cut while it is open: before anything of it is used.
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path(), "tiny-llama", "q4_0");
    let source = GgufSource::open(&path).unwrap();
    let all = std::fs::metadata(&path).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(all / 2).unwrap();
    let e = message(load(Box::new(source), Level::detect(), WeightsAt::File));
    assert!(e.contains("shorter") && e.contains("--no-repack"), "{e}");
}
