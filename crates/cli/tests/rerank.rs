//! `akunu rerank` over a tiny random cross-encoder (`tools/tiny_models.py reranker`), and what it says of bad input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn akunu(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_akunu"));
    command
        .args(args)
        .args(["--device", "cpu"])
        .env("AKUNU_CPU", "reference")
        .env("AKUNU_OFFLINE", "1")
        .output()
        .unwrap()
}

fn stderr(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

fn json(o: &Output) -> Value {
    assert!(o.status.success(), "{}", stderr(o));
    serde_json::from_slice(&o.stdout).unwrap()
}

/// (text, logit) of transformers for the query "the cat".
fn reference() -> Vec<(String, f64)> {
    let text = std::fs::read_to_string(fixture("tiny-reranker/reference.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let own = all.iter().filter(|v| v["query"] == "the cat");
    own.map(|v| (v["text"].as_str().unwrap().to_owned(), v["logit"].as_f64().unwrap())).collect()
}

#[test]
fn texts_are_sorted_by_their_scores() {
    let (model, mut want) = (fixture("tiny-reranker"), reference());
    let model = model.to_str().unwrap();
    let own = want.clone();
    let texts: Vec<&str> = own.iter().map(|w| w.0.as_str()).collect();
    let v = json(&akunu(&[&["rerank", model, "the cat", "--json"][..], &texts].concat()));
    let results = v["results"].as_array().unwrap();
    assert_eq!(results.len(), texts.len());
    for r in results {
        let (text, logit) = &want[r["index"].as_u64().unwrap() as usize];
        assert_eq!(r["text"], *text);
        assert!((r["logit"].as_f64().unwrap() - logit).abs() < 2e-4, "{r}");
        let score = r["score"].as_f64().unwrap();
        assert!((score - 1.0 / (1.0 + (-logit).exp())).abs() < 1e-4);
    }
    want.sort_by(|a, b| b.1.total_cmp(&a.1));
    let order = |v: &Value| -> Vec<String> {
        v["results"].as_array().unwrap().iter().map(|r| r["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(order(&v), want.iter().map(|w| w.0.clone()).collect::<Vec<_>>());
    // The same from a file, the best two alone, and as lines.
    let folder = tempfile::tempdir().unwrap();
    let lines = folder.path().join("lines.txt");
    let texts: Vec<&str> = texts.into_iter().filter(|t| !t.contains('\n')).collect();
    std::fs::write(&lines, texts.join("\n")).unwrap();
    let file = ["rerank", "-m", model, "the cat", "-f", lines.to_str().unwrap(), "--top", "2"];
    let two = json(&akunu(&[&file[..], &["--json"]].concat()));
    want.retain(|w| !w.0.contains('\n'));
    assert_eq!(order(&two), [want[0].0.clone(), want[1].0.clone()]);
    let o = akunu(&file);
    let text = String::from_utf8(o.stdout).unwrap();
    assert!(text.lines().count() == 2 && text.lines().next().unwrap().ends_with(&want[0].0), "{text}");
}

#[test]
fn bad_input_is_told_by_what_is_wrong() {
    let (model, bert) = (fixture("tiny-reranker"), fixture("tiny-bert"));
    let [model, bert] = [&model, &bert].map(|p| p.to_str().unwrap());
    let long = "cat ".repeat(80);
    for (args, words) in [
        (vec!["rerank", model], "give a query"),
        (vec!["rerank", model, "query"], "give texts after the query"),
        (vec!["rerank", model, "query", "text", "-f", "lines.txt"], "leave one out"),
        (vec!["rerank", model, "query", "text", "--top", "0"], "--top"),
        (vec!["rerank", model, "query", "text", &long], "64"),
        (vec!["rerank", bert, "query", "text"], "cross-encoder"),
        (vec!["embed", model, "text"], "akunu rerank"),
    ] {
        let o = akunu(&args);
        assert!(!o.status.success() && stderr(&o).contains(words), "{args:?}: {}", stderr(&o));
    }
    assert!(akunu(&["rerank", model, "query", &long, "--truncate"]).status.success());
    // A classifier of several labels is none.
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(model).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let config = folder.path().join("config.json");
    let mut v: Value = serde_json::from_str(&std::fs::read_to_string(&config).unwrap()).unwrap();
    v["id2label"] = serde_json::json!({"0": "no", "1": "yes"});
    std::fs::write(&config, v.to_string()).unwrap();
    let o = akunu(&["rerank", folder.path().to_str().unwrap(), "query", "text"]);
    assert!(!o.status.success() && stderr(&o).contains("rerankers have one label"), "{}", stderr(&o));
}
