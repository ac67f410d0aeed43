//! `/v1/rerank` over a tiny random cross-encoder (`tools/tiny_models.py reranker`).

use super::client::{Running, SMALL, entry};
use akunu::{DeviceChoice, LoadOptions, Matrices, Model, Source};
use akunu_server::{ModelEntry, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-reranker")
}

fn reranker() -> ModelEntry {
    let load = || {
        let options = LoadOptions {
            device: DeviceChoice::Cpu,
            threads: Some(1),
            matrices: Matrices::File,
            ..LoadOptions::default()
        };
        Model::load(&Source::Path(directory()), &options, &mut |_| {})?.reranker()
    };
    ModelEntry::new("cross", move || load().map(Into::into).map_err(|e: akunu::Error| e.to_string()))
}

/// (text, logit) of transformers for the query "the cat".
fn reference() -> Vec<(String, f64)> {
    let text = std::fs::read_to_string(directory().join("reference.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let own = all.iter().filter(|v| v["query"] == "the cat");
    own.map(|v| (v["text"].as_str().unwrap().to_owned(), v["logit"].as_f64().unwrap())).collect()
}

#[test]
fn texts_are_sorted_by_their_scores() {
    let s = Running::ready(vec![reranker(), entry("tiny", SMALL)], Options::default());
    let want = reference();
    let texts: Vec<&str> = want.iter().map(|w| w.0.as_str()).collect();
    let body = json!({"model": "cross", "query": "the cat", "documents": texts, "return_documents": true});
    let v = s.post("/v1/rerank", &body).json();
    let results = v["results"].as_array().unwrap();
    assert_eq!((results.len(), &v["model"]), (texts.len(), &json!("cross")));
    let mut before = f64::INFINITY;
    for r in results {
        let (text, logit) = &want[r["index"].as_u64().unwrap() as usize];
        let score = r["relevance_score"].as_f64().unwrap();
        assert!((score - 1.0 / (1.0 + (-logit).exp())).abs() < 1e-4 && score <= before, "{r}");
        assert_eq!(r["document"], json!({"text": text}));
        before = score;
    }
    assert!(v["usage"]["total_tokens"].as_u64().unwrap() > 50);
    // The best two, as objects, without the texts.
    let objects: Vec<Value> = texts.iter().map(|t| json!({"text": t})).collect();
    let v2 = s
        .post("/v1/rerank", &json!({"model": "cross", "query": "the cat", "documents": objects, "top_n": 2}))
        .json();
    assert_eq!(v2["results"].as_array().unwrap().len(), 2);
    assert_eq!((&v2["results"][0]["index"], v2["results"][0].get("document")), (&results[0]["index"], None));
    let long = "cat ".repeat(80);
    for (body, code) in [
        (json!({"model": "cross", "documents": ["x"]}), "missing_parameter"),
        (json!({"model": "cross", "query": "x"}), "missing_parameter"),
        (json!({"model": "cross", "query": 1, "documents": ["x"]}), "invalid_type"),
        (json!({"model": "cross", "query": "x", "documents": "x"}), "invalid_type"),
        (json!({"model": "cross", "query": "x", "documents": [1]}), "invalid_type"),
        (json!({"model": "cross", "query": "x", "documents": []}), "invalid_value"),
        (json!({"model": "cross", "query": "x", "documents": ["x"], "top_n": 0}), "invalid_value"),
        (json!({"model": "cross", "query": "x", "documents": [long]}), "context_length_exceeded"),
        (json!({"model": "cross", "query": "x", "documents": ["x"], "rank": 1}), "unknown_parameter"),
        (json!({"model": "tiny", "query": "x", "documents": ["x"]}), "unsupported_by_model"),
    ] {
        assert_eq!(s.post("/v1/rerank", &body).code(), (400, code.to_owned()), "{body}");
    }
    let body = json!({"model": "cross", "query": "x", "documents": [long], "truncate": true});
    assert_eq!(s.post("/v1/rerank", &body).status, 200);
    let a = s.post("/v1/embeddings", &json!({"model": "cross", "input": "x"}));
    assert_eq!(a.code(), (400, "unsupported_by_model".to_owned()));
    s.rest();
}
