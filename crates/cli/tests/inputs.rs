//! Text from files and standard input: bounds, byte-order marks, encodings.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the command in a folder that has `tiny.gguf`, with a file as standard input.
fn akunu(dir: &Path, args: &[&str], stdin: &Path) -> Output {
    let device: &[&str] = if args[0] == "tokenize" { &[] } else { &["--device", "cpu"] };
    Command::new(env!("CARGO_BIN_EXE_akunu"))
        .current_dir(dir)
        .args(args)
        .args(device)
        .env("AKUNU_OFFLINE", "1")
        .stdin(Stdio::from(File::open(dir.join(stdin)).unwrap()))
        .output()
        .unwrap()
}

fn fails(dir: &Path, args: &[&str], stdin: &str, words: &[&str]) {
    let o = akunu(dir, args, Path::new(stdin));
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(1), "{args:?}: {err}");
    for w in words {
        assert!(err.contains(w), "{args:?} should say {w:?}: {err}");
    }
}

fn succeeds(dir: &Path, args: &[&str], stdin: &str) -> Vec<u8> {
    let o = akunu(dir, args, Path::new(stdin));
    assert!(o.status.success(), "{args:?}: {}", String::from_utf8_lossy(&o.stderr));
    o.stdout
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("tiny.gguf"), akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap())
        .unwrap();
    std::fs::write(dir.path().join("empty"), "").unwrap();
    dir
}

#[cfg(unix)]
#[test]
fn endless_input_ends_with_its_bound() {
    let dir = folder();
    let d = dir.path();
    let words = ["standard input", "64 MiB", "longest context", "shorter prompt"];
    fails(d, &["run", "tiny.gguf"], "/dev/zero", &words);
    fails(d, &["run", "tiny.gguf", "hello"], "/dev/zero", &words);
    fails(d, &["tokenize", "tiny.gguf"], "/dev/zero", &words);
    fails(d, &["run", "tiny.gguf", "-f", "/dev/zero"], "empty", &["/dev/zero", "64 MiB"]);
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let dir = folder();
    let d = dir.path();
    // Holes take no room and no time.
    File::create(d.join("large.txt")).unwrap().set_len((1 << 30) + 1).unwrap();
    fails(d, &["run", "tiny.gguf", "-f", "large.txt"], "empty", &["large.txt", "64 MiB"]);
    fails(
        d,
        &["perplexity", "tiny.gguf", "-f", "large.txt"],
        "empty",
        &["large.txt", "1024 MiB", "part of it"],
    );
    fails(d, &["perplexity", "tiny.gguf", "--tokens", "large.txt"], "empty", &["large.txt", "1024 MiB"]);
}

#[test]
fn a_byte_order_mark_is_no_text() {
    let dir = folder();
    let d = dir.path();
    let text = "to be or not to be, that is the question. ".repeat(12);
    std::fs::write(d.join("plain.txt"), &text).unwrap();
    std::fs::write(d.join("marked.txt"), format!("\u{feff}{text}")).unwrap();
    for args in [&["tokenize", "tiny.gguf"][..], &["run", "tiny.gguf", "-n", "5", "--temp", "0"]] {
        assert_eq!(succeeds(d, args, "marked.txt"), succeeds(d, args, "plain.txt"), "{args:?}");
    }
    let run = |file| succeeds(d, &["run", "tiny.gguf", "-n", "5", "--temp", "0", "-f", file], "empty");
    assert_eq!(run("marked.txt"), run("plain.txt"));
    let score =
        |file| succeeds(d, &["perplexity", "tiny.gguf", "--ctx", "32", "-f", file, "--json"], "empty");
    assert_eq!(score("marked.txt"), score("plain.txt"));
    std::fs::write(d.join("ids.json"), "\u{feff}[1, 2, 3, 4, 5, 6, 7, 8]").unwrap();
    succeeds(d, &["perplexity", "tiny.gguf", "--ctx", "4", "--tokens", "ids.json"], "empty");
}

#[test]
fn what_is_no_utf8_text_is_named() {
    let dir = folder();
    let d = dir.path();
    let wide: Vec<u8> = "\u{feff}hello".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = "\u{feff}hello".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, words) in [
        (&wide[..], ["UTF-16", "convert it to UTF-8"]),
        (&big, ["UTF-16", "convert it to UTF-8"]),
        (&wide[2..], ["NUL byte at 1", "UTF-16"]),
        (b"caf\xe9", ["not valid UTF-8", "byte 3"]),
    ] {
        std::fs::write(d.join("text"), bytes).unwrap();
        fails(d, &["run", "tiny.gguf", "-f", "text"], "empty", &[words[0], words[1], "text"]);
        fails(d, &["run", "tiny.gguf"], "text", &[words[0], words[1], "standard input"]);
        fails(d, &["tokenize", "tiny.gguf"], "text", &words);
        fails(d, &["perplexity", "tiny.gguf", "-f", "text"], "empty", &words);
    }
}
