//! `akunu perplexity`: how well a model predicts a text, and how far it is from a reference.

use super::{load, load_options, source};
use crate::args::{Machine, Perplexity};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::text::{Bound, read_text};
use crate::units::bytes;
use akunu::device::cpu::system_memory;
use akunu::files::tokenizer::AddBos;
use akunu::perplexity::{Quality, log_softmax, scored, windows};
use akunu::{CacheTypes, LoadOptions, Model, RowCount, Session, Source, Token};
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
    /// Another model, and its predictions of one window: `[positions that count, vocabulary]`.
    Model(Box<Session>, Vec<f32>),
    /// Logits of the same windows.
    Logits(LogitsFile),
}

/// `[windows, context, vocabulary]` little-endian f32, as `akunu logits` writes them. One row is in memory.
struct LogitsFile {
    path: String,
    file: File,
    bytes: Vec<u8>,
    row: Vec<f32>,
}

/// Runs the command.
pub(crate) fn run(a: &Perplexity, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let context = machine.ctx.unwrap_or(CONTEXT);
    if context < 4 {
        return Err(CliError::Usage(format!("a window of {context} tokens scores nothing; use --ctx 512")));
    }
    let source = source(Some(&a.model), None, out)?;
    let mut options = load_options(machine, &source)?;
    options.head_rows = RowCount(ROWS.min(context));
    options.context = Some(context);
    let model = load(&source, &options, out)?;
    let text = text(a, &model, context)?;
    let windows = &text.windows;
    let mut session = model.session()?;
    let mut reference = match &a.kl {
        None => None,
        Some(r) => Some(open_reference(r, &text, &model, &options, out)?),
    };
    interrupt::install();
    let mut quality = Quality::default();
    let bar = out.steps("scoring", windows.len() as u64);
    for (i, window) in windows.iter().enumerate() {
        if interrupt::asked() {
            return Ok(interrupt::code());
        }
        score(&mut session, i, window, reference.as_mut(), &mut quality)?;
        bar.inc(1);
        let p = quality.perplexity();
        bar.set_message(format!("perplexity {:.4}", p.mean));
    }
    bar.finish_and_clear();
    print(&quality, &model, windows.len(), context, out)?;
    Ok(0)
}

/// Takes the predictions of one window.
fn score(
    session: &mut Session,
    index: usize,
    window: &[Token],
    reference: Option<&mut Reference>,
    quality: &mut Quality,
) -> Result<(), CliError> {
    let next = |position: u32| window[position as usize + 1];
    match reference {
        None => session.predictions(window, &mut |at, row| quality.add(row, next(at), None))?,
        Some(Reference::Model(other, expected)) => {
            expected.clear();
            other.predictions(window, &mut |_, row| expected.extend_from_slice(row))?;
            let first = scored(window.len() as u32).start;
            session.predictions(window, &mut |at, row| {
                let expected = expected.chunks_exact(row.len()).nth((at - first) as usize);
                quality.add(row, next(at), expected);
            })?;
        }
        Some(Reference::Logits(file)) => {
            let mut failed = None;
            session.predictions(window, &mut |at, row| {
                if failed.is_some() {
                    return;
                }
                match file.predictions(index * window.len() + at as usize, row.len()) {
                    Ok(expected) => quality.add(row, next(at), Some(expected)),
                    Err(e) => failed = Some(e),
                }
            })?;
            failed.map_or(Ok(()), Err)?;
        }
    }
    Ok(())
}

/// A text, cut.
struct Text {
    windows: Vec<Vec<Token>>,
    /// The token that begins every window in place of the text's own.
    begin: Option<Token>,
}

fn text(a: &Perplexity, model: &Model, context: u32) -> Result<Text, CliError> {
    let (tokens, begin) = match (&a.file, &a.tokens) {
        (Some(file), _) => {
            let tokens = model.encode(&read_text(file, Bound::Corpus)?)?;
            let begins = |t: &&akunu::files::tokenizer::Tokenizer| t.data().add_bos == AddBos::Yes;
            (tokens, model.tokenizer().ok().filter(begins).and_then(|t| t.bos()))
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
    Ok(Text { windows, begin })
}

fn open_reference(
    reference: &str,
    text: &Text,
    model: &Model,
    options: &LoadOptions,
    out: &Output,
) -> Result<Reference, CliError> {
    let path = Path::new(reference);
    if path.is_file() && !is_gguf(path)? {
        return Ok(Reference::Logits(LogitsFile::open(reference, text, model.config().vocab)?));
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
    let session = other.session()?;
    let context = text.windows.first().map_or(0, Vec::len) as u32;
    let values = scored(context).len() as u64 * u64::from(model.config().vocab);
    Ok(Reference::Model(Box::new(session), room(values, system_memory().0, context)?))
}

/// Memory for so many of the reference's predictions; `free` bytes are there, or 0 where that is unknown.
fn room(values: u64, free: u64, context: u32) -> Result<Vec<f32>, CliError> {
    let needed = values.saturating_mul(4);
    let mut all = Vec::new();
    let fits = free == 0 || needed <= free;
    if fits && usize::try_from(values).is_ok_and(|n| all.try_reserve_exact(n).is_ok()) {
        return Ok(all);
    }
    Err(CliError::Usage(format!(
        "the reference's predictions of one window of {context} tokens take {}, more than is free; use a shorter --ctx, or \
         compare with logits that `akunu logits` wrote",
        bytes(needed)
    )))
}

fn is_gguf(path: &Path) -> Result<bool, CliError> {
    let fail = |source| CliError::File { path: path.display().to_string(), source };
    let mut magic = Vec::new();
    File::open(path).and_then(|f| f.take(4).read_to_end(&mut magic)).map_err(fail)?;
    Ok(magic == b"GGUF")
}

impl LogitsFile {
    fn open(path: &str, text: &Text, vocab: u32) -> Result<Self, CliError> {
        if text.begin.is_some() && text.windows.len() > 1 {
            return Err(CliError::Usage(format!(
                "texts of this model begin with a token of their own, which -f puts before each window and `akunu logits`, \
                 which wrote {path}, does not: use --tokens with the list that it was written from"
            )));
        }
        let fail = |source| CliError::File { path: path.into(), source };
        let file = File::open(path).map_err(fail)?;
        let tokens: usize = text.windows.iter().map(Vec::len).sum();
        let wanted = tokens as u64 * u64::from(vocab) * 4;
        let size = file.metadata().map_err(fail)?.len();
        if size < wanted {
            return Err(CliError::Usage(format!(
                "{path} has {size} bytes; logits of {tokens} tokens and {vocab} words are {wanted}: write them with \
                 `akunu logits` from the same tokens and the same --window as --ctx here"
            )));
        }
        Ok(Self { path: path.into(), file, bytes: Vec::new(), row: Vec::new() })
    }

    /// The predictions of the token behind token `at` of all, logarithms of probabilities.
    fn predictions(&mut self, at: usize, vocab: usize) -> Result<&[f32], CliError> {
        let start = at as u64 * vocab as u64 * 4;
        self.bytes.resize(vocab * 4, 0);
        let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut self.bytes));
        read.map_err(|source| CliError::File { path: self.path.clone(), source })?;
        self.row.clear();
        self.row.extend(self.bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)));
        if let Some(i) = self.row.iter().position(|v| !v.is_finite()) {
            return Err(CliError::Other(format!(
                "{}: the logit of word {i} at token {at} (byte {}) is {}; write the file anew",
                self.path,
                start + 4 * i as u64,
                self.row[i]
            )));
        }
        log_softmax(&mut self.row);
        Ok(&self.row)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_that_do_not_fit_are_refused_before_they_are_made() {
        assert!(room(16, 64, 8).is_ok_and(|v| v.is_empty() && v.capacity() >= 16));
        assert!(room(16, 0, 8).is_ok());
        assert!(room(16, 63, 8).is_err());
        // Half a window of 32,768 tokens, 152,000 words.
        let e = room(16_383 * 152_000, 1 << 32, 32_768).expect_err("more than there is").to_string();
        assert!(e.contains("32768") && e.contains("9.28 GiB") && e.contains("shorter --ctx"), "{e}");
        assert!(room(u64::MAX, 0, 8).is_err());
    }
}
