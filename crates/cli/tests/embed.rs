//! `akunu embed` over a whole directory as sentence-transformers has it (`tools/tiny_models.py encoder`), and what it says of bad input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn bert() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-bert")
}

fn akunu(args: &[&str]) -> Output {
    akunu_at("reference", args)
}

fn akunu_at(level: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_akunu"));
    if !level.is_empty() {
        command.env("AKUNU_CPU", level);
    }
    command.args(args).args(["--device", "cpu"]).env("AKUNU_OFFLINE", "1").output().unwrap()
}

fn stderr(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

fn json(o: &Output) -> Value {
    assert!(o.status.success(), "{}", stderr(o));
    serde_json::from_slice(&o.stdout).unwrap()
}

/// (text, tokens, vector) of transformers.
fn reference() -> Vec<(String, usize, Vec<f64>)> {
    let text = std::fs::read_to_string(bert().join("reference.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let of = |v: &Value| {
        let vector: Vec<f64> = serde_json::from_value(v["vector"].clone()).unwrap();
        (v["text"].as_str().unwrap().to_owned(), v["tokens"].as_array().unwrap().len(), vector)
    };
    all.iter().map(of).collect()
}

fn vectors(v: &Value) -> Vec<Vec<f64>> {
    serde_json::from_value(v["embeddings"].clone()).unwrap()
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Tokens, positions, segments, pooling and normalization: all that lies between a text and its vector. By the issue's bounds of
/// cosines.
#[test]
fn vectors_are_those_of_transformers() {
    let dir = bert();
    let want = reference();
    let mut args = vec!["embed", dir.to_str().unwrap(), "--json"];
    args.extend(want.iter().map(|(text, ..)| text.as_str()));
    for (level, bound) in [("reference", 0.99999), ("", 0.9995)] {
        let got = json(&akunu_at(level, &args));
        assert_eq!(got["dimensions"], 32);
        let lengths: Vec<usize> = serde_json::from_value(got["tokens"].clone()).unwrap();
        for (i, (got, (text, tokens, vector))) in vectors(&got).iter().zip(&want).enumerate() {
            assert_eq!(lengths[i], *tokens, "{text:?}");
            let cosine = cosine(got, vector);
            assert!(cosine > bound, "{text:?} at `{level}`: {cosine}");
            let length: f64 = got.iter().map(|v| v * v).sum();
            assert!((length - 1.0).abs() < 1e-5);
        }
    }
}

/// A file without the classifier would score otherwise; without one, the file's vectors are the directory's.
#[test]
fn an_encoder_is_converted_whole_or_not_at_all() {
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("tiny.gguf");
    let convert = |dir: &Path| {
        let args = ["convert", dir.to_str().unwrap(), file.to_str().unwrap(), "--dtype", "f32"];
        Command::new(env!("CARGO_BIN_EXE_akunu")).args(args).env("AKUNU_OFFLINE", "1").output().unwrap()
    };
    let o = convert(&bert().with_file_name("tiny-reranker"));
    assert!(!o.status.success() && stderr(&o).contains("classifier"), "{}", stderr(&o));
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
    let o = convert(&bert());
    assert!(o.status.success(), "{}", stderr(&o));
    let of = |model: &Path| {
        vectors(&json(&akunu(&["embed", model.to_str().unwrap(), "the cat sat", "on the MAT", "--json"])))
    };
    assert_eq!(of(&file), of(&bert()));
}

#[test]
fn texts_come_as_lines_and_vectors_go_to_a_numpy_file() {
    let out = tempfile::tempdir().unwrap();
    let (dir, npy, lines) = (bert(), out.path().join("v.npy"), out.path().join("lines.txt"));
    let texts: Vec<String> = reference().into_iter().map(|r| r.0).filter(|t| !t.contains('\n')).collect();
    std::fs::write(&lines, texts.join("\n")).unwrap();
    let (model, npy_name) = (dir.to_str().unwrap(), npy.to_str().unwrap());
    let o = akunu(&["embed", model, "-f", lines.to_str().unwrap(), "-o", npy_name]);
    assert!(o.status.success(), "{}", stderr(&o));
    let bytes = std::fs::read(&npy).unwrap();
    let data = &bytes[bytes.len() - texts.len() * 32 * 4..];
    let mut args = vec!["embed", model, "--json"];
    args.extend(texts.iter().map(String::as_str));
    let want: Vec<f32> = vectors(&json(&akunu(&args))).concat().iter().map(|v| *v as f32).collect();
    let got: Vec<f32> = data.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    assert_eq!(got, want);
    // Plain text is one vector a line.
    let o = akunu(&["embed", model, "the cat", "x"]);
    let lines: Vec<Vec<f32>> = String::from_utf8(o.stdout)
        .unwrap()
        .lines()
        .map(|l| l.split(' ').map(|v| v.parse().unwrap()).collect())
        .collect();
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [32, 32]);
    // The model by its flag, as other commands take it.
    let named = akunu(&["embed", "-m", model, "the cat", "x", "--json"]);
    assert_eq!(vectors(&json(&named)).len(), 2);
}

#[test]
fn options_change_what_they_say() {
    let dir = bert();
    let model = dir.to_str().unwrap();
    let vector = |options: &[&str], text: &str| {
        let args: Vec<&str> = ["embed", model, text, "--json"].iter().chain(options).copied().collect();
        vectors(&json(&akunu(&args))).remove(0)
    };
    let whole = vector(&[], "the cat sat");
    let cut = vector(&["--dimensions", "8"], "the cat sat");
    assert_eq!(cut.len(), 8);
    assert!(
        cosine(&cut, &whole[..8]) > 0.999_999 && (cut.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-5
    );
    for pooling in ["cls", "last"] {
        assert!(cosine(&vector(&["--pooling", pooling], "the cat sat"), &whole) < 0.99, "{pooling}");
    }
    assert_eq!(vector(&["--prompt", "query"], "cat sat"), vector(&[], "the cat sat"));
    // 22 tokens of the text and the two around it.
    let (long, most) = (vec!["cat"; 100].join(" "), vec!["cat"; 22].join(" "));
    assert_eq!(vector(&["--truncate"], &long), vector(&[], &most));
}

#[test]
fn bad_input_is_said() {
    let out = tempfile::tempdir().unwrap();
    let dir = bert();
    let model = dir.to_str().unwrap();
    let decoder = out.path().join("tiny.gguf");
    std::fs::write(&decoder, akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    let empty = out.path().join("empty.txt");
    std::fs::write(&empty, "").unwrap();
    let (long, endless) = (vec!["cat"; 23].join(" "), "cat ".repeat(20_000));
    let broken = out.path().join("broken");
    std::fs::create_dir_all(broken.join("1_Pooling")).unwrap();
    for name in
        ["config.json", "model.safetensors", "tokenizer.json", "modules.json", "1_Pooling/config.json"]
    {
        std::fs::copy(dir.join(name), broken.join(name)).unwrap();
    }
    std::fs::write(broken.join("1_Pooling/config.json"), r#"{"pooling_mode_max_tokens": true}"#).unwrap();
    let [decoder, empty, broken] = [&decoder, &empty, &broken].map(|p| p.to_str().unwrap());
    let npy = out.path().join("v.npy");
    for (args, want) in [
        (&["embed", model][..], "give texts"),
        (&["embed", model, "-f", empty], "give texts"),
        (&["embed", model, "x", "-f", empty], "leave one out"),
        (&["embed", model, "-f", "/nonexistent/lines.txt"], "/nonexistent/lines.txt"),
        (&["embed", model, &long], "25"),
        (&["embed", model, "x", &endless], "24"),
        (&["embed", model, "x", "--dimensions", "33"], "33 of 32"),
        (&["embed", model, "x", "--dimensions", "0"], "dimensions"),
        (&["embed", model, "x", "--pooling", "max"], "cls"),
        (&["embed", model, "x", "--prompt", "passage"], "query"),
        (&["embed", decoder, "x"], "encoder"),
        (&["embed", broken, "x"], "pooling_mode_max_tokens"),
        (&["run", model, "x"], "embed"),
        (&["embed", model, "x", "-o", out.path().to_str().unwrap()], "directory"),
    ] {
        let o = akunu(args);
        let said = stderr(&o);
        assert!(!o.status.success(), "{args:?}");
        assert!(said.contains(want), "{:?}: {said}", &args[..args.len().min(3)]);
        assert!(!said.contains("panicked"), "{said}");
    }
    // What fails leaves no file.
    let o = akunu(&["embed", model, &long, "-o", npy.to_str().unwrap()]);
    assert!(!o.status.success() && !npy.exists());
    // A text of nothing is its two tokens around it, as in Python.
    assert_eq!(json(&akunu(&["embed", model, "", "--json"]))["tokens"], serde_json::json!([2]));
}
