//! `/v1/embeddings` over a tiny encoder (`tools/tiny_models.py encoder`), alone and beside a model that draws.

use super::client::{Running, SMALL, entry};
use akunu::{DeviceChoice, EmbedOptions, LoadOptions, Model, Source};
use akunu_server::{ModelEntry, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

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
    Running::ready(vec![entry("tiny", SMALL), encoder()], Options::default())
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
        (json!({"model": "bert", "input": "x", "truncate": 1}), "invalid_type"),
        (json!({"model": "bert", "input": long, "truncate": false}), "context_length_exceeded"),
        (json!({"model": "bert", "input": "x", "cut": true}), "unknown_parameter"),
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

#[test]
fn a_text_that_is_too_long_is_cut_where_that_is_asked_for() {
    let s = both();
    let (most, long) = (vec!["cat"; 22].join(" "), vec!["cat"; 40].join(" "));
    let ask = |more: Value| {
        let mut v = json!({"model": "bert", "truncate": true});
        v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        s.post("/v1/embeddings", &v).json()
    };
    let (whole, cut) = (ask(json!({"input": most})), ask(json!({"input": long})));
    assert_eq!((vectors(&cut), &cut["usage"]), (vectors(&whole), &whole["usage"]));
    // Token ids are cut where they are too many.
    let ids: Vec<u32> = (0..40).map(|i| 5 + i % 7).collect();
    assert_eq!(vectors(&ask(json!({"input": ids}))), vectors(&ask(json!({"input": ids[..24]}))));
    // It holds for its own request.
    let v = json!({"model": "bert", "input": long});
    assert_eq!(s.post("/v1/embeddings", &v).code(), (400, "context_length_exceeded".into()));
}

#[test]
fn ollamas_vectors() {
    let s = both();
    let texts = ["the cat", "a dog"];
    let want = vectors(&s.post("/v1/embeddings", &json!({"model": "bert", "input": texts})).json());
    let read = |v: &Value| -> Vec<Vec<f64>> { serde_json::from_value(v["embeddings"].clone()).unwrap() };
    let embed = |v: Value| s.post("/api/embed", &v);
    let v = embed(
        json!({"model": "bert:latest", "input": texts, "keep_alive": "5m", "options": {"num_ctx": 16}}),
    )
    .json();
    assert_eq!((read(&v), &v["model"]), (want.clone(), &json!("bert")));
    assert!(v["prompt_eval_count"].as_u64().unwrap() > 4 && v["total_duration"].as_u64().unwrap() > 0);
    assert_eq!(read(&embed(json!({"model": "bert", "input": "a dog"})).json()), want[1..]);
    let v = embed(json!({"model": "bert", "input": "a dog", "dimensions": 8})).json();
    assert_eq!(read(&v)[0].len(), 8);
    // ollama cuts unless it is told not to.
    let (most, long) = (vec!["cat"; 22].join(" "), vec!["cat"; 40].join(" "));
    let of = |input: &str| read(&embed(json!({"model": "bert", "input": input})).json());
    assert_eq!(of(&long), of(&most));
    let e = embed(json!({"model": "bert", "input": long, "truncate": false}));
    assert!(e.status == 400 && e.json()["error"].as_str().unwrap().contains("truncate"), "{e:?}");
    // No input is a wish to load it.
    assert_eq!(read(&embed(json!({"model": "bert"})).json()), Vec::<Vec<f64>>::new());
    let one = s.post("/api/embeddings", &json!({"model": "bert", "prompt": "a dog"})).json();
    assert_eq!(serde_json::from_value::<Vec<f64>>(one["embedding"].clone()).unwrap(), want[1]);
    assert_eq!(s.post("/api/embeddings", &json!({"model": "bert"})).json()["embedding"], json!([]));
    for (path, v, status) in [
        ("/api/embed", json!({"model": "tiny", "input": "x"}), 400),
        ("/api/embed", json!({"model": "tiny"}), 400),
        ("/api/embed", json!({"model": "nobody", "input": "x"}), 404),
        ("/api/embed", json!({"model": "bert", "input": "x", "options": {"temperature": 1}}), 400),
        ("/api/embed", json!({"model": "bert", "input": "x", "options": {"num_ctx": 100_000}}), 400),
        ("/api/embed", json!({"model": "bert", "input": [5, {}]}), 400),
        ("/api/embeddings", json!({"model": "bert", "prompt": "x", "truncate": true}), 400),
        ("/api/embeddings", json!({"model": "bert", "prompt": long}), 400),
    ] {
        let e = s.post(path, &v);
        assert!(e.status == status && e.json()["error"].is_string(), "{path} {v}: {e:?}");
    }
}

#[test]
fn no_more_wait_for_vectors_than_may() {
    let s = Running::ready(vec![entry("tiny", SMALL), encoder()], Options { queue: 1, ..Options::default() });
    let many = json!({"model": "bert", "input": vec![vec!["cat"; 20].join(" "); 2048]});
    let answers: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..16).map(|_| scope.spawn(|| s.post("/v1/embeddings", &many))).collect();
        // Others are served meanwhile: who waits holds no thread.
        for _ in 0..3 {
            let v = json!({"model": "tiny", "prompt": "x", "max_tokens": 2});
            assert_eq!(s.post("/v1/completions", &v).status, 200);
        }
        all.into_iter().map(|a| a.join().unwrap()).collect()
    });
    let refused: Vec<_> = answers.iter().filter(|a| a.status != 200).collect();
    for a in &refused {
        assert_eq!(a.code(), (429, "queue_full".into()));
        assert!(a.headers["retry-after"].parse::<u32>().unwrap() > 0);
    }
    assert!(!refused.is_empty() && refused.len() < 15, "{} of 16 were refused", refused.len());
    s.rest();
    assert_eq!(s.post("/v1/embeddings", &json!({"model": "bert", "input": "x"})).status, 200);
}
