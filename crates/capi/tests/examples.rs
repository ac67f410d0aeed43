//! The examples in C and C++ compile without a warning and do what they say; so do callbacks that throw.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod programs;

use akunu::Token;
use akunu_conformance::{TOOLS_TEMPLATE, fixture, smollm2, tiny_gguf_chatting};
use programs::{Build, run};
use serde_json::Value;

#[test]
#[ignore = "needs the real model; tools/fetch-model.sh"]
fn real_text_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let program = Build::new(dir.path()).compile("examples/complete.c");
    let out = run(&program, &[smollm2().to_str().unwrap(), "The capital of France is"], "");
    assert!(out.starts_with("The capital of France is Paris"), "{out}");
}

#[test]
#[ignore = "needs the real model; tools/fetch-model.sh"]
fn real_invoices_become_json() {
    let dir = tempfile::tempdir().unwrap();
    let program = Build::new(dir.path()).compile("examples/invoice.c");
    let mut arguments = vec![smollm2().to_str().unwrap().to_owned()];
    for (i, total) in ["1,250.00", "18.90"].iter().enumerate() {
        let path = dir.path().join(format!("{i}.txt"));
        let text = format!("Invoice no. A-{i}47\nDate: 2026-03-1{i}\nTotal due: EUR {total}\n");
        std::fs::write(&path, text).unwrap();
        arguments.push(path.to_str().unwrap().into());
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let out = run(&program, &arguments, "");
    let lines: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{out}");
    for line in &lines {
        let keys: Vec<&String> = line.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["number", "date", "total", "currency"], "{line}");
        assert!(line["total"].is_number() && line["currency"].is_string());
    }
}

#[test]
fn lines_are_found_by_their_vectors() {
    let dir = tempfile::tempdir().unwrap();
    let program = Build::new(dir.path()).compile("examples/search.c");
    let notes = dir.path().join("notes.txt");
    std::fs::write(&notes, "a line\nanother one\n\nthe third line of them\nfour\n").unwrap();
    let encoder = fixture("tiny-bert");
    let out = run(&program, &[encoder.to_str().unwrap(), notes.to_str().unwrap(), "another one"], "");
    let found: Vec<(f32, &str)> =
        out.lines().map(|l| l.split_once(' ').unwrap()).map(|(s, l)| (s.parse().unwrap(), l)).collect();
    assert_eq!(found.len(), 3, "{out}");
    // The same text has the same vector; weights are random, so the order of others means nothing.
    assert!(found[0].1 == "another one" && found[0].0 > 0.999, "{out}");
    assert!(found.windows(2).all(|w| w[0].0 >= w[1].0), "{out}");
}

#[test]
fn cpp_chats() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    std::fs::write(&path, tiny_gguf_chatting("tiny-llama:q8_0", Token(1023), &[], TOOLS_TEMPLATE).unwrap())
        .unwrap();
    let program = Build::new(dir.path()).compile("examples/chat.cpp");
    let out = run(&program, &[path.to_str().unwrap()], "hello\nand \"more\"\n");
    assert_eq!(out.matches("> ").count(), 3, "{out}");
}

/// An exception that is kept comes out after the call; one that leaves its callback ends the process, and does nothing else.
#[test]
fn callbacks_may_throw_what_they_keep() {
    use std::os::unix::process::ExitStatusExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    std::fs::write(&path, tiny_gguf_chatting("tiny-llama:q8_0", Token(1023), &[], TOOLS_TEMPLATE).unwrap())
        .unwrap();
    let program = Build::new(dir.path()).compile("tests/c/throws.cpp");
    let out = run(&program, &[path.to_str().unwrap(), "kept"], "");
    // Cancelled, after one token.
    assert_eq!(out, "0 4 1\nfrom the callback\n");
    let loose = std::process::Command::new(&program).arg(&path).arg("loose").output().unwrap();
    let said = String::from_utf8_lossy(&loose.stderr);
    assert_eq!(loose.status.signal(), Some(6), "{said}");
}
