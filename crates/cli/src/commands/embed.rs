//! `akunu embed`: vectors of texts.

use super::{load, load_options, source};
use crate::args::{Embed, Machine};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::text::{Bound, read_text};
use akunu::files::destination::Destination;
use akunu::{EmbedOptions, Embeddings, Overlong};
use serde_json::json;

/// Texts that are run between two looks for an interrupt.
const PORTION: usize = 1024;

/// Runs the command. All that can be checked is checked before the output is touched.
pub(crate) fn run(a: &Embed, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let texts = texts(a)?;
    let destination = a.out.as_deref().map(Destination::of).transpose()?;
    let source = source(Some(&a.model), None, out)?;
    if let Some(file) = destination.as_ref().and_then(|d| d.file()).filter(|f| f.exists()) {
        let read = a.file.as_ref().is_some_and(|f| f.canonicalize().is_ok_and(|f| f == file));
        if read || source.holds(file)? {
            let what = "this file is read; name another file to write";
            return Err(CliError::Usage(format!("{}: {what}", file.display())));
        }
    }
    let model = load(&source, &load_options(machine, &source)?, out)?;
    let mut embedder = model.embedder(&EmbedOptions {
        pooling: a.pooling.map(Into::into),
        normalize: None,
        overlong: if a.truncate { Overlong::Truncate } else { Overlong::Refuse },
        dimensions: a.dimensions,
        prompt: a.prompt.clone(),
    })?;
    interrupt::install();
    let tokens = embedder.all_tokens(&texts)?;
    let mut all = Embeddings::default();
    for portion in tokens.chunks(PORTION) {
        if interrupt::asked() {
            return Ok(interrupt::code());
        }
        let some = embedder.embed_tokens(portion)?;
        all.vectors.extend(some.vectors);
        all.tokens.extend(some.tokens);
    }
    if let Some(destination) = destination {
        let bytes = npy(&all.vectors, embedder.dimensions());
        let mut file = destination.streamed(bytes.len() as u64)?;
        file.write(&bytes)?;
        file.finish()?;
    }
    let shape = [all.vectors.len(), embedder.dimensions() as usize];
    match (&a.out, out.is_json()) {
        (Some(file), true) => out.json(&json!({ "out": file.display().to_string(), "shape": shape }))?,
        (Some(file), false) => out.note(&format!("{}: {} x {} f32", file.display(), shape[0], shape[1])),
        (None, true) => out.json(&json!({
            "embeddings": all.vectors, "dimensions": shape[1], "tokens": all.tokens
        }))?,
        (None, false) => {
            for vector in &all.vectors {
                let values: Vec<String> = vector.iter().map(f32::to_string).collect();
                out.line(&values.join(" "))?;
            }
        }
    }
    Ok(0)
}

/// The texts: the arguments, or the lines of a file.
fn texts(a: &Embed) -> Result<Vec<String>, CliError> {
    let texts = match &a.file {
        Some(_) if !a.texts.is_empty() => {
            let what = "texts are given as arguments and as a file (-f); leave one out";
            return Err(CliError::Usage(what.into()));
        }
        Some(file) => read_text(file, Bound::Corpus)?.lines().map(Into::into).collect(),
        None => a.texts.clone(),
    };
    if texts.is_empty() {
        return Err(CliError::Usage("give texts as arguments, or a file with one a line (-f FILE)".into()));
    }
    Ok(texts)
}

/// A NumPy file of vectors of one width (version 1.0 of the format).
fn npy(vectors: &[Vec<f32>], width: u32) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {width}), }}", vectors.len());
    // The data begins at a multiple of 64 bytes, after a line break.
    let padding = (10 + header.len() + 1).next_multiple_of(64) - 10 - header.len() - 1;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(vectors.iter().flatten().flat_map(|v| v.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::npy;

    #[test]
    fn a_numpy_file_begins_its_data_at_a_multiple_of_64() {
        let bytes = npy(&[vec![1.0, 2.0], vec![3.0, 4.0]], 2);
        let header = u16::from_le_bytes([bytes[8], bytes[9]]) as usize;
        assert_eq!((10 + header) % 64, 0);
        assert_eq!(bytes.len(), 10 + header + 16);
        assert_eq!(bytes[10 + header - 1], b'\n');
        assert_eq!(bytes[10 + header..][..4], 1f32.to_le_bytes());
    }
}
