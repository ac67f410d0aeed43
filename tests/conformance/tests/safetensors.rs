//! Directories of safetensors files against the libraries that wrote them: tiny random models of `tools/tiny_models.py`
//! (transformers, f32) and `tools/tiny_mlx.py` (mlx-lm, f32 activations).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::CpuDevice;
use akunu::files::WeightSource;
use akunu::files::safetensors::SafetensorsSource;
use akunu::kernels::cpu::Level;
use akunu::{Error, LoadOptions, Model, Source};
use akunu_conformance::{cache_dir, fixture};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Directories that no architecture runs: Llama with biases, which no published Llama has.
const REFUSED: &[&str] = &["llama-bias"];

/// The tokens of a directory's reference and the logits of each, `[tokens, vocab]`.
fn reference(dir: &Path) -> (Vec<u32>, Vec<f32>) {
    let text = std::fs::read_to_string(dir.join("reference.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let tokens = json["tokens"].as_array().unwrap().iter().map(|t| t.as_u64().unwrap() as u32).collect();
    let bytes = std::fs::read(dir.join("reference.f32")).unwrap();
    (tokens, bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
}

/// Largest error of the logits of all positions, relative to the largest logit, with the plain kernels.
fn off(dir: &Path) -> Result<f32, Error> {
    let (tokens, want) = reference(dir);
    let device = Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap());
    let options = LoadOptions { context: Some(64), head_rows: 8, ..LoadOptions::default() };
    let source = SafetensorsSource::open(dir).unwrap();
    assert_eq!(source.unmapped(), &[] as &[String], "{}", dir.display());
    let model = Model::load_on(Box::new(source), device, &options, &mut |_| {})?;
    let vocab = model.config().vocab as usize;
    assert_eq!(want.len(), tokens.len() * vocab);
    let largest = want.iter().fold(0f32, |m, v| m.max(v.abs()));
    let mut worst = 0f32;
    let mut rows = 0;
    let mut session = model.session().unwrap();
    session
        .logits(&tokens, &mut |row, logits| {
            let want = &want[row as usize * vocab..][..vocab];
            for (w, g) in want.iter().zip(logits) {
                let e = (w - g).abs() / largest;
                // (A NaN is an error too.)
                worst = if e <= worst { worst } else { e };
            }
            rows += 1;
        })
        .unwrap();
    assert_eq!(rows, tokens.len());
    Ok(worst)
}

fn directories(within: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(within).unwrap().map(|e| e.unwrap().path()).collect();
    all.retain(|p| p.join("reference.json").exists());
    all.sort();
    all
}

#[test]
fn a_tiny_llama_agrees_with_transformers() {
    let off = off(&fixture("tiny-llama")).unwrap();
    assert!(off < 1e-4, "off by {off:e}");
}

#[test]
#[ignore = "needs tools/tiny_models.py all"]
fn real_directories_of_every_type_agree_with_transformers() {
    let all = directories(&cache_dir().join("tiny"));
    assert!(all.len() >= 19, "{} directories", all.len());
    let mut failures = Vec::new();
    for dir in all {
        let name = dir.file_name().unwrap().to_string_lossy().into_owned();
        match (off(&dir), REFUSED.contains(&&*name)) {
            (Ok(off), false) => {
                println!("{name}: {off:.1e}");
                if off.is_nan() || off >= 1e-4 {
                    failures.push(format!("{name}: off by {off:e}"));
                }
            }
            (Err(Error::Plan(_)), true) => {}
            (Ok(_), true) => failures.push(format!("{name} runs; take it off the list")),
            (Err(e), _) => failures.push(format!("{name}: {e}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A directory, its configuration, a shard and its index all name the same model, and it speaks.
#[test]
fn a_directory_is_opened_by_itself_and_by_its_files() {
    let dir = fixture("tiny-llama");
    let files = ["", "config.json", "model.safetensors.index.json", "model-00002-of-00002.safetensors"];
    for file in files {
        let path = if file.is_empty() { dir.clone() } else { dir.join(file) };
        let options = LoadOptions { context: Some(64), ..LoadOptions::default() };
        let model = Model::load(&Source::Path(path), &options, &mut |_| {}).unwrap();
        assert_eq!(model.config().name.as_deref(), Some("tiny-llama"));
        let tokens = model.encode("the quick brown fox</s>").unwrap();
        assert_eq!(tokens.last(), Some(&1));
        assert_eq!(model.tokenizer().unwrap().decode(&tokens), "the quick brown fox");
        assert_eq!(model.tokenizer().unwrap().eos_ids(), [1]);
        assert!(model.chat_template().is_some());
    }
}
