//! `/v1/embeddings` over a tiny encoder (`tools/tiny_models.py encoder`), alone and beside a model that draws.

use super::client::{Running, SMALL, entry};
use akunu::{DeviceChoice, EmbedOptions, LoadOptions, Model, Source};
use akunu_server::{ModelEntry, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn bert() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-bert")
}

fn encoder() -> ModelEntry {
    let load = || {
        let options = LoadOptions { device: DeviceChoice::Cpu, threads: Some(1), ..LoadOptions::default() };
        let model = Model::load(&Source::Path(bert()), &options, &mut |_| {})?;
        model.embedder(&EmbedOptions::default())
    };
    ModelEntry::new("bert", move || load().map(Into::into).map_err(|e: akunu::Error| e.to_string()))
}

fn both() -> Running {
    let s = Running::of(vec![entry("tiny", SMALL), encoder()], Options::default());
    for _ in 0..2000 {
        if s.get("/health").status == 200 {
            return s;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the server does not become healthy");
}

/// (text, tokens, vector) of transformers.
fn reference() -> Vec<(String, Vec<u32>, Vec<f64>)> {
    let text = std::fs::read_to_string(bert().join("reference.json")).unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let of = |v: &Value| {
        let vector = serde_json::from_value(v["vector"].clone()).unwrap();
        (v["text"].as_str().unwrap().to_owned(), serde_json::from_value(v["tokens"].clone()).unwrap(), vector)
    };
    all.iter().map(of).collect()
}

fn vectors(v: &Value) -> Vec<Vec<f64>> {
    let data = v["data"].as_array().unwrap();
    let indices: Vec<u64> = data.iter().map(|d| d["index"].as_u64().unwrap()).collect();
    assert_eq!(indices, (0..data.len() as u64).collect::<Vec<_>>());
    data.iter().map(|d| serde_json::from_value(d["embedding"].clone()).unwrap()).collect()
}

fn near(got: &[f64], want: &[f64]) -> bool {
    got.len() == want.len() && got.iter().zip(want).all(|(g, w)| (g - w).abs() < 2e-2)
}

#[test]
fn texts_and_tokens_become_vectors() {
    let (s, want) = (both(), reference());
    let texts: Vec<&str> = want.iter().map(|w| w.0.as_str()).collect();
    let v = s.post("/v1/embeddings", &json!({"model": "bert", "input": texts})).json();
    assert_eq!((&v["object"], &v["model"]), (&json!("list"), &json!("bert")));
    let all = vectors(&v);
    assert!(all.iter().zip(&want).all(|(g, w)| near(g, &w.2)));
    let tokens: usize = want.iter().map(|w| w.1.len()).sum();
    assert_eq!(v["usage"], json!({"prompt_tokens": tokens, "total_tokens": tokens}));
    // One text, its tokens, and a list of tokens: the same bits.
    let (text, ids, _) = &want[1];
    for input in [json!(text), json!(ids), json!([ids]), json!([text])] {
        let v =
            s.post("/v1/embeddings", &json!({"model": "bert", "input": input, "user": "somebody"})).json();
        assert_eq!(vectors(&v), [all[1].clone()], "{input}");
    }
    // Base64 is the same numbers.
    let v = s
        .post("/v1/embeddings", &json!({"model": "bert", "input": text, "encoding_format": "base64"}))
        .json();
    let encoded = v["data"][0]["embedding"].as_str().unwrap();
    let digit = |c: u8| {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        digits.iter().position(|d| *d == c).map_or(0, |at| at as u32)
    };
    let bytes: Vec<u8> = encoded
        .as_bytes()
        .chunks(4)
        .flat_map(|c| c.iter().fold(0, |n, c| n << 6 | digit(*c)).to_be_bytes().into_iter().skip(1))
        .collect();
    let numbers: Vec<f32> = bytes.as_chunks().0.iter().take(32).map(|b| f32::from_le_bytes(*b)).collect();
    assert_eq!(numbers, all[1].iter().map(|v| *v as f32).collect::<Vec<_>>());
    // A shorter one is the beginning of a length of 1, and changes nothing for who asks next.
    let v = s.post("/v1/embeddings", &json!({"model": "bert", "input": text, "dimensions": 8})).json();
    let cut = vectors(&v).remove(0);
    assert!(cut.len() == 8 && (cut.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-5);
    let v = s.post("/v1/embeddings", &json!({"model": "bert", "input": text})).json();
    assert_eq!(vectors(&v), [all[1].clone()]);
    // More texts than one step holds, from several clients at a time.
    let many: Vec<&str> = (0..300).map(|i| texts[i % texts.len()]).collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let v = s.post("/v1/embeddings", &json!({"model": "bert", "input": many})).json();
                let got = vectors(&v);
                assert!(got.iter().enumerate().all(|(i, g)| *g == all[i % texts.len()]));
            });
        }
    });
    let metrics = s.get("/metrics").text().to_owned();
    let number = |name: &str| {
        let line =
            metrics.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("{name}: {metrics}"));
        line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(number("akunu_requests_accepted_total"), number("akunu_requests_completed_total"));
    assert_eq!(s.post("/api/show", &json!({"model": "bert"})).json()["capabilities"], json!(["embedding"]));
}

#[test]
fn what_makes_no_vectors_is_said() {
    let s = both();
    let long = vec!["cat"; 23].join(" ");
    for (body, code) in [
        (json!({"model": "tiny", "input": "x"}), "unsupported_by_model"),
        (json!({"model": "bert"}), "missing_parameter"),
        (json!({"model": "bert", "input": 7}), "invalid_type"),
        (json!({"model": "bert", "input": [true]}), "invalid_type"),
        (json!({"model": "bert", "input": []}), "invalid_value"),
        (json!({"model": "bert", "input": vec!["x"; 2049]}), "invalid_value"),
        (json!({"model": "bert", "input": ["x", long]}), "context_length_exceeded"),
        (json!({"model": "bert", "input": [[1, 2], []]}), "context_length_exceeded"),
        (json!({"model": "bert", "input": vec![5; 25]}), "context_length_exceeded"),
        (json!({"model": "bert", "input": [5, 4_000_000_000u32]}), "invalid_token"),
        (json!({"model": "bert", "input": [5, -1]}), "invalid_value"),
        (json!({"model": "bert", "input": "x", "dimensions": 0}), "invalid_value"),
        (json!({"model": "bert", "input": "x", "dimensions": 33}), "invalid_value"),
        (json!({"model": "bert", "input": "x", "encoding_format": "int8"}), "invalid_value"),
        (json!({"model": "bert", "input": "x", "truncate": true}), "unknown_parameter"),
    ] {
        assert_eq!(s.post("/v1/embeddings", &body).code(), (400, code.to_owned()), "{body}");
    }
    for (path, body) in [
        ("/v1/completions", json!({"model": "bert", "prompt": "x"})),
        ("/completion", json!({"model": "bert", "prompt": "x"})),
        ("/api/generate", json!({"model": "bert", "prompt": "x", "raw": true})),
    ] {
        let a = s.post(path, &body);
        assert!(a.status == 400 && a.text().contains("/v1/embeddings"), "{path}: {a:?}");
    }
    // The next request is served, by both.
    assert_eq!(s.post("/v1/embeddings", &json!({"model": "bert", "input": ""})).status, 200);
    assert_eq!(
        s.post("/v1/completions", &json!({"model": "tiny", "prompt": "x", "max_tokens": 2})).status,
        200
    );
}
