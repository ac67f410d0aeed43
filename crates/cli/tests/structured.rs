//! Structured output and thoughts on the command line: what is taken, and what wrong ones are told.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_conformance::tiny_gguf;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_akunu"))
        .args([
            "run",
            dir.join("tiny.gguf").to_str().unwrap(),
            "--device",
            "cpu",
            "--ctx",
            "300",
            "--seed",
            "1",
        ])
        .args(args)
        .current_dir(dir)
        .env("AKUNU_OFFLINE", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("tiny.gguf"), tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    dir
}

#[test]
fn answers_follow_what_is_given_in_any_way() {
    let dir = folder();
    let schema = r#"{"type": "array", "items": {"enum": [1, 22]}, "minItems": 2, "maxItems": 2}"#;
    std::fs::write(dir.path().join("s.json"), schema).unwrap();
    std::fs::write(dir.path().join("g.gbnf"), "root ::= \"yes\" | \"no\"").unwrap();
    std::fs::write(dir.path().join("g.lark"), "start: \"yes\" | \"no\"").unwrap();
    for option in ["--schema", "-j", "--json-schema", "-jf", "--json-schema-file"] {
        let o = run(
            dir.path(),
            &[
                "x",
                option,
                if option.ends_with("-jf") || option.ends_with("file") { "s.json" } else { schema },
                "--json",
            ],
        );
        let v: Value = serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {o:?}"));
        let list: Vec<u32> = serde_json::from_str(v["text"].as_str().unwrap()).unwrap();
        assert!(list.len() == 2 && list.iter().all(|n| matches!(n, 1 | 22)), "{v}");
        assert_eq!(v["finish_reason"], "stop");
    }
    for (option, value) in [
        ("--grammar", "g.gbnf"),
        ("--grammar-file", "g.lark"),
        ("--grammar", "root ::= \"yes\" | \"no\""),
        ("--regex", "yes|no"),
    ] {
        let o = run(dir.path(), &["x", option, value, "-q"]);
        let text = String::from_utf8_lossy(&o.stdout).trim().to_owned();
        assert!(text == "yes" || text == "no", "{option} {value}: {o:?}");
    }
}

#[test]
fn wrong_forms_are_told_before_the_first_token() {
    let dir = folder();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["--schema", "nothing.json"], 2, "no such file"),
        (&["--grammar", "nothing.gbnf"], 2, "no such file"),
        (&["--schema", ""], 2, "no such file"),
        (&["--schema", "{\"not\": {}}"], 1, "`not` at the top"),
        (&["--schema", "{"], 1, "not JSON"),
        (&["--grammar", "root ::= x"], 1, "line 1, column 10"),
        (&["--regex", "("], 1, "regular expression"),
        (&["--regex", "a", "--schema", "{}"], 2, "cannot be used with"),
        (&["--reasoning-budget", "-2"], 2, "-1 for no limit"),
        (&["--format", "json"], 2, "--schema"),
    ];
    for (args, code, what) in cases {
        let o = run(dir.path(), &[&["x"], *args].concat());
        let err = String::from_utf8_lossy(&o.stderr).into_owned();
        assert_eq!(o.status.code(), Some(*code), "{args:?}: {err}");
        assert!(err.contains(what) && o.stdout.is_empty(), "{args:?}: {err}");
    }
    std::fs::write(dir.path().join("lines"), "\"x\"\n\"y\"\n").unwrap();
    let o = run(dir.path(), &["--batch", "lines", "--hide-reasoning"]);
    assert!(
        o.status.code() == Some(2) && String::from_utf8_lossy(&o.stderr).contains("one answer at a time"),
        "{o:?}"
    );
    // A budget is one for each line; here nothing marks thoughts.
    let o = run(dir.path(), &["--batch", "lines", "--reasoning-budget", "1", "-n", "2"]);
    let (out, err) = (String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
    assert!(o.status.success() && out.lines().count() == 2 && err.contains("marks no thoughts"), "{o:?}");
    let o = run(dir.path(), &["--batch", "lines", "--regex", "yes|no"]);
    let text = String::from_utf8_lossy(&o.stdout).into_owned();
    let answers: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(answers.len(), 2, "{o:?}");
    assert!(answers.iter().all(|a| a["text"] == "yes" || a["text"] == "no"), "{text}");
}

#[test]
fn thoughts_are_left_out_where_nobody_wants_them() {
    let dir = folder();
    let o = run(dir.path(), &["x", "--hide-reasoning", "-n", "3"]);
    assert!(o.status.success() && String::from_utf8_lossy(&o.stderr).contains("marks no thoughts"), "{o:?}");
}
