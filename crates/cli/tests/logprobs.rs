//! `--logprobs`: for people, as JSON, and of lines of a batch.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};

fn akunu(args: &[&str]) -> Output {
    let mut c = Command::new(env!("CARGO_BIN_EXE_akunu"));
    c.args(args).args(["--device", "cpu", "--temp", "0", "-n", "5"]).env("AKUNU_OFFLINE", "1");
    c.stdin(Stdio::null()).output().unwrap()
}

fn json_of(o: &Output) -> Value {
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    serde_json::from_slice(&o.stdout).unwrap()
}

/// A greedy answer's entries: each token is the likeliest.
fn check(list: &Value, tokens: usize, top: usize) {
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), tokens);
    for e in list {
        let tops = e["top"].as_array().unwrap();
        assert_eq!(tops.len(), top);
        assert!(e["logprob"].as_f64().unwrap() <= 0.0 && e["text"].is_string());
        if top > 0 {
            assert_eq!((&tops[0]["id"], &tops[0]["logprob"]), (&e["id"], &e["logprob"]));
        }
    }
}

#[test]
fn answers_tell_their_log_probabilities_where_asked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    std::fs::write(&path, akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    let m = path.to_str().unwrap();
    let plain = json_of(&akunu(&["run", m, "hello", "--json"]));
    assert!(plain.get("logprobs").is_none());
    for top in [0, 3, 20] {
        let v = json_of(&akunu(&["run", m, "hello", "--json", "--logprobs", &top.to_string()]));
        assert_eq!(v["tokens"], plain["tokens"]);
        check(&v["logprobs"], 5, top);
    }
    let shown = akunu(&["run", m, "hello", "--logprobs", "2"]);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert_eq!(text.lines().filter(|l| l.contains('%') && l.contains("  \"")).count(), 5, "{text}");
    for bad in ["21", "-1", "x"] {
        let o = akunu(&["run", m, "hello", &format!("--logprobs={bad}")]);
        assert_eq!(o.status.code(), Some(2), "{bad}");
    }

    let lines = dir.path().join("lines");
    let all =
        [json!({"prompt": "hello", "logprobs": 2}), json!("hello"), json!({"prompt": "a", "logprobs": 99})];
    std::fs::write(&lines, all.map(|l| l.to_string()).join("\n")).unwrap();
    let o = akunu(&["run", m, "--batch", lines.to_str().unwrap(), "--sequences", "1"]);
    let rows: Vec<Value> =
        String::from_utf8_lossy(&o.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    check(&rows[0]["logprobs"], 5, 2);
    assert!(rows[1].get("logprobs").is_none() && rows[0]["text"] == rows[1]["text"]);
    assert!(rows[2]["error"].as_str().unwrap().contains("`logprobs`"), "{}", rows[2]);
}
