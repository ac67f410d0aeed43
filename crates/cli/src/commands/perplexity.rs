//! `akunu perplexity`: how well a model predicts a text, and how far it is from a reference.

use super::{load, load_options, read_text, source};
use crate::args::{Machine, Perplexity};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::files::tokenizer::AddBos;
use akunu::perplexity::{Quality, log_softmax, scored, windows};
use akunu::{CacheTypes, LoadOptions, Model, Session, Source};
use serde_json::json;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Tokens per window where nothing is said, as in other tools.
const CONTEXT: u32 = 512;
/// Rows per step.
const ROWS: u32 = 64;

/// What predictions are compared with.
enum Reference {
    /// Another model.
    Model(Box<Session>),
    /// Logits of the same windows: `[windows, context, vocabulary]` little-endian f32, as `akunu logits` writes them.
    Logits(File),
}

/// Runs the command.
pub(crate) fn run(a: &Perplexity, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let context = machine.ctx.unwrap_or(CONTEXT);
    if context < 4 {
        return Err(CliError::Usage(format!("a window of {context} tokens scores nothing; use --ctx 512")));
    }
    let mut options = load_options(machine, ROWS.min(context));
    options.context = Some(context);
    let model = load(&source(Some(&a.model), None, out)?, &options, out)?;
    let windows = text(a, &model, context)?;
    let vocab = model.config().vocab as usize;
    let mut reference = match &a.kl {
        None => None,
        Some(r) => Some(open_reference(r, &windows, &model, &options, out)?),
    };
    let mut session = model.session()?;
    interrupt::install();
    let mut quality = Quality::default();
    // [positions that count, vocabulary]
    let mut expected = Vec::new();
    let bar = out.steps("scoring", windows.len() as u64);
    for (i, window) in windows.iter().enumerate() {
        if interrupt::asked() {
            return Ok(interrupt::CODE);
        }
        if let Some(r) = &mut reference {
            read_reference(r, i, window, vocab, &mut expected)?;
        }
        let mut rows = expected.chunks_exact(vocab);
        session.predictions(window, &mut |position, row| {
            quality.add(row, window[position as usize + 1], rows.next());
        })?;
        bar.inc(1);
        let p = quality.perplexity();
        bar.set_message(format!("perplexity {:.4}", p.mean));
    }
    bar.finish_and_clear();
    print(&quality, &model, windows.len(), context, out)?;
    Ok(0)
}

/// The text's windows.
fn text(a: &Perplexity, model: &Model, context: u32) -> Result<Vec<Vec<u32>>, CliError> {
    let (tokens, begin) = match (&a.file, &a.tokens) {
        (Some(file), _) => {
            let tokens = model.encode(&read_text(file)?)?;
            let begins = |t: &&akunu::files::tokenizer::Tokenizer| t.data().add_bos == AddBos::Yes;
            (tokens, model.tokenizer().filter(begins).and_then(|t| t.bos()))
        }
        (None, Some(file)) => (super::logits::read_tokens(file)?, None),
        (None, None) => return Err(CliError::Usage("give a text (-f) or token ids (--tokens)".into())),
    };
    let windows = windows(&tokens, context, begin);
    if windows.is_empty() {
        return Err(CliError::Usage(format!(
            "the text has {} tokens, not one window of {context}; use a longer text or a shorter --ctx",
            tokens.len()
        )));
    }
    Ok(windows)
}

fn open_reference(
    reference: &str,
    windows: &[Vec<u32>],
    model: &Model,
    options: &LoadOptions,
    out: &Output,
) -> Result<Reference, CliError> {
    let path = Path::new(reference);
    if path.is_file() && !is_gguf(path)? {
        let fail = |source| CliError::File { path: reference.into(), source };
        let file = File::open(path).map_err(fail)?;
        let tokens: usize = windows.iter().map(Vec::len).sum();
        let wanted = tokens as u64 * u64::from(model.config().vocab) * 4;
        let size = file.metadata().map_err(fail)?.len();
        if size < wanted {
            return Err(CliError::Usage(format!(
                "{reference} has {size} bytes; logits of {tokens} tokens and {} words are {wanted}: write them with \
                 `akunu logits` from the same tokens and the same --window as --ctx here",
                model.config().vocab
            )));
        }
        return Ok(Reference::Logits(file));
    }
    let source: Source = source(Some(reference), None, out)?;
    // The options say how the model runs that is measured; what it is compared with keeps the device's own cache.
    let other = load(&source, &LoadOptions { cache: CacheTypes::default(), ..options.clone() }, out)?;
    if other.config().vocab != model.config().vocab {
        let (a, b) = (other.config().vocab, model.config().vocab);
        return Err(CliError::Usage(format!(
            "{reference} has a vocabulary of {a}, the model one of {b}; compare models of one tokenizer"
        )));
    }
    Ok(Reference::Model(Box::new(other.session()?)))
}

fn is_gguf(path: &Path) -> Result<bool, CliError> {
    let fail = |source| CliError::File { path: path.display().to_string(), source };
    let mut magic = Vec::new();
    File::open(path).and_then(|f| f.take(4).read_to_end(&mut magic)).map_err(fail)?;
    Ok(magic == b"GGUF")
}

/// The reference's predictions of a window.
fn read_reference(
    reference: &mut Reference,
    index: usize,
    window: &[u32],
    vocab: usize,
    out: &mut Vec<f32>,
) -> Result<(), CliError> {
    out.clear();
    match reference {
        Reference::Model(session) => {
            session.predictions(window, &mut |_, row| out.extend_from_slice(row))?;
        }
        Reference::Logits(file) => {
            let positions = scored(window.len() as u32);
            let first = index * window.len() + positions.start as usize;
            let mut bytes = vec![0; positions.len() * vocab * 4];
            let fail = |source| CliError::File { path: "the reference's logits".into(), source };
            file.seek(SeekFrom::Start((first * vocab * 4) as u64)).map_err(fail)?;
            file.read_exact(&mut bytes).map_err(fail)?;
            out.extend(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)));
            out.chunks_exact_mut(vocab).for_each(log_softmax);
        }
    }
    Ok(())
}

fn print(q: &Quality, model: &Model, windows: usize, context: u32, out: &Output) -> Result<(), CliError> {
    let (p, d) = (q.perplexity(), q.divergence());
    if out.is_json() {
        let estimate = |e: akunu::perplexity::Estimate| json!({ "mean": e.mean, "error": e.error });
        return out.json(&json!({
            "perplexity": estimate(p),
            "positions": q.positions(),
            "windows": windows,
            "context": context,
            "device": model.device().name,
            "reference": d.map(|d| json!({
                "perplexity": estimate(d.reference_perplexity),
                "kl": estimate(d.kl),
                "kl_median": d.kl_median,
                "kl_p99": d.kl_p99,
                "kl_max": d.kl_max,
                "top1": estimate(d.top1),
            })),
        }));
    }
    out.line(&format!("perplexity       {:.4} ± {:.4}", p.mean, p.error))?;
    if let Some(d) = d {
        let r = d.reference_perplexity;
        out.line(&format!("of the reference {:.4} ± {:.4}", r.mean, r.error))?;
        out.line(&format!(
            "KL divergence    {:.6} ± {:.6} nats (median {:.6}, 99% {:.6}, largest {:.6})",
            d.kl.mean, d.kl.error, d.kl_median, d.kl_p99, d.kl_max
        ))?;
        let (share, error) = (100.0 * d.top1.mean, 100.0 * d.top1.error);
        out.line(&format!("top-1 agreement  {share:.3} ± {error:.3} %"))?;
    }
    out.note(&format!(
        "{} predictions, the second halves of {windows} windows of {context} tokens, on {}",
        q.positions(),
        model.device().name
    ));
    Ok(())
}
