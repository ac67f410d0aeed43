//! `akunu convert` and `akunu perplexity` on a tiny model.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn akunu(dir: &Path, args: &[&str]) -> Output {
    let mut c = Command::new(env!("CARGO_BIN_EXE_akunu"));
    c.current_dir(dir).args(args).env("AKUNU_OFFLINE", "1").output().unwrap()
}

fn json(dir: &Path, args: &[&str]) -> Value {
    // Converting and tokenizing know no device.
    let device: &[&str] = if ["convert", "tokenize"].contains(&args[0]) { &[] } else { &["--device", "cpu"] };
    let o = akunu(dir, &[args, &["--json"], device].concat());
    assert!(o.status.success(), "{args:?}: {}", String::from_utf8_lossy(&o.stderr));
    serde_json::from_slice(&o.stdout).unwrap()
}

fn fails(dir: &Path, args: &[&str], code: i32, words: &[&str]) {
    let o = akunu(dir, args);
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(code), "{args:?}: {err}");
    for w in words {
        assert!(err.contains(w), "{args:?} should say {w:?}: {err}");
    }
}

#[test]
fn converted_models_are_scored_against_what_they_came_from() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    std::fs::write(d.join("tiny.gguf"), akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    std::fs::write(d.join("text.txt"), "to be or not to be, that is the question. ".repeat(12)).unwrap();

    fails(d, &["convert", "tiny.gguf", "q4.gguf", "--dtype", "q4_0"], 1, &["q8_0", "--allow-requantize"]);
    fails(d, &["convert", "tiny.gguf", "tiny.gguf", "--dtype", "f16"], 1, &["belongs to the model"]);
    fails(d, &["convert", "tiny.gguf", "x.gguf", "--dtype", "q9"], 2, &["q9", "q4_k_m"]);
    let made = json(d, &["convert", "tiny.gguf", "f32.gguf", "--dtype", "f32"]);
    assert_eq!(made["bits_per_weight"], 32.0);
    let made = json(d, &["convert", "f32.gguf", "q4.gguf", "--dtype", "q4_0"]);
    let size = std::fs::metadata(d.join("q4.gguf")).unwrap().len();
    assert_eq!(made["file_bytes"], size);
    assert_eq!(made["recipe"], "q4_0");

    let score = |args: &[&str]| json(d, &[&["perplexity"], args, &["--ctx", "32"]].concat());
    let alone = score(&["q4.gguf", "-f", "text.txt"]);
    assert!(alone["reference"].is_null() && alone["perplexity"]["mean"].as_f64().unwrap() > 1.0);
    // 15 predictions in the second half of each window.
    assert_eq!(alone["positions"], 15 * alone["windows"].as_u64().unwrap());

    // The Q8_0 file and the F32 one have the same weights.
    let same = score(&["f32.gguf", "-f", "text.txt", "--kl", "f32.gguf"]);
    assert_eq!(
        (&same["reference"]["kl"]["mean"], &same["reference"]["top1"]["mean"]),
        (&0.0.into(), &1.0.into())
    );
    let four = score(&["q4.gguf", "-f", "text.txt", "--kl", "f32.gguf"]);
    assert_eq!(four["perplexity"], alone["perplexity"]);
    let kl = four["reference"]["kl"]["mean"].as_f64().unwrap();
    assert!(kl > 0.0 && kl < 1.0, "{kl}");

    // The same through a file of logits.
    let tokens = json(d, &["tokenize", "f32.gguf", &std::fs::read_to_string(d.join("text.txt")).unwrap()]);
    std::fs::write(d.join("tokens.json"), tokens["tokens"].to_string()).unwrap();
    json(d, &["logits", "f32.gguf", "--tokens", "tokens.json", "--window", "32", "-o", "ref.f32"]);
    let again = score(&["q4.gguf", "--tokens", "tokens.json", "--kl", "ref.f32"]);
    let other = again["reference"]["kl"]["mean"].as_f64().unwrap();
    // The steps have other numbers of rows, so sums other orders.
    assert!((kl - other).abs() < 1e-4 * kl, "{kl} {other}");

    // A number that is none, in the second window.
    let mut logits = std::fs::read(d.join("ref.f32")).unwrap();
    let at = ((32 + 20) * 1024 + 5) * 4;
    logits[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(d.join("nan.f32"), logits).unwrap();
    fails(
        d,
        &[
            "perplexity",
            "q4.gguf",
            "--tokens",
            "tokens.json",
            "--kl",
            "nan.f32",
            "--ctx",
            "32",
            "--device",
            "cpu",
        ],
        1,
        &["nan.f32", "word 5", "token 52", &format!("byte {at}"), "NaN"],
    );

    fails(d, &["perplexity", "q4.gguf", "-f", "text.txt", "--ctx", "9000"], 2, &["9000", "--ctx"]);
    fails(
        d,
        &["perplexity", "q4.gguf", "--tokens", "tokens.json", "--kl", "text.txt", "--ctx", "32"],
        2,
        &["akunu logits"],
    );
    fails(d, &["perplexity", "q4.gguf"], 2, &["--file"]);
}

/// With -f every window begins with the model's own token, in a file of logits only the first.
#[test]
fn logits_of_a_text_that_begins_with_a_token_are_compared_by_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    std::fs::create_dir(d.join("model")).unwrap();
    for file in std::fs::read_dir(akunu_conformance::fixture("tiny-llama")).unwrap().map(|f| f.unwrap()) {
        std::fs::copy(file.path(), d.join("model").join(file.file_name())).unwrap();
    }
    let config = d.join("model/tokenizer_config.json");
    let with = std::fs::read_to_string(&config).unwrap().replacen('{', "{\"add_bos_token\": true, ", 1);
    std::fs::write(config, with).unwrap();
    std::fs::write(d.join("text.txt"), "the quick brown fox ".repeat(20)).unwrap();
    let tokens = json(d, &["tokenize", "model", &std::fs::read_to_string(d.join("text.txt")).unwrap()]);
    let tokens = tokens["tokens"].as_array().unwrap().clone();
    assert_eq!(tokens[0], 0);
    assert!(tokens.len() >= 64, "{}", tokens.len());
    let one = tokens.len().to_string();
    std::fs::write(d.join("tokens.json"), Value::from(tokens).to_string()).unwrap();
    // As many rows per step as the measure's own steps have.
    let logits = |window: &str, rows: &str| {
        let out = ["--tokens", "tokens.json", "-o", "ref.f32"];
        json(d, &[&["logits", "model", "--window", window, "--rows", rows][..], &out].concat());
    };
    logits("16", "16");
    let score = ["perplexity", "model", "--kl", "ref.f32", "--ctx", "16"];
    fails(d, &[&score[..], &["-f", "text.txt"]].concat(), 2, &["ref.f32", "use --tokens"]);
    let same = json(d, &[&score[..], &["--tokens", "tokens.json"]].concat());
    assert!(same["reference"]["kl"]["mean"].as_f64().unwrap() < 1e-6);
    // One window is the same either way.
    logits(&one, "64");
    let same = json(d, &["perplexity", "model", "--kl", "ref.f32", "--ctx", &one, "-f", "text.txt"]);
    assert!(same["reference"]["kl"]["mean"].as_f64().unwrap() < 1e-6);
}
