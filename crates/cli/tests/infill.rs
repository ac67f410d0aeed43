//! `akunu run --suffix`: a prompt with a hole.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::Token;
use akunu_conformance::{FIM, tiny_gguf_with};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(model: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_akunu"))
        .args(["run", model.to_str().unwrap(), "--device", "cpu", "--ctx", "300", "--temp", "0", "-n", "8"])
        .args(args)
        .env("AKUNU_OFFLINE", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn json(o: &Output) -> Value {
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{e}: {o:?}"))
}

#[test]
fn the_middle_is_filled_in() {
    let dir = tempfile::tempdir().unwrap();
    let (coder, plain) = (dir.path().join("coder.gguf"), dir.path().join("plain.gguf"));
    for (path, control) in [(&coder, &FIM[..]), (&plain, &[])] {
        std::fs::write(path, tiny_gguf_with("tiny-llama:q8_0", Token(1023), control).unwrap()).unwrap();
    }
    let want =
        json(&run(&coder, &["--raw", "--json", "<|fim_prefix|>def f(<|fim_suffix|>): pass<|fim_middle|>"]));
    let file = dir.path().join("after.py");
    std::fs::write(&file, "): pass").unwrap();
    for args in [
        &["def f(", "--suffix", "): pass"][..],
        &["def f(", "--fim-suffix", "): pass"],
        &["--fim-prefix", "def f(", "--fim-suffix", "): pass"],
        &["-p", "def f(", "--suffix-file", file.to_str().unwrap()],
    ] {
        let got = json(&run(&coder, &[&["--json"], args].concat()));
        assert_eq!(
            (&got["tokens"], &got["prompt_tokens"]),
            (&want["tokens"], &want["prompt_tokens"]),
            "{args:?}"
        );
    }
    // Nothing before the hole is no error.
    assert!(run(&coder, &["--suffix", "x"]).status.success());
    let missing = dir.path().join("nothing.py");
    std::fs::write(dir.path().join("lines"), "\"x\"\n").unwrap();
    let lines = dir.path().join("lines");
    for (model, args, code, says) in [
        (&plain, &["a", "--suffix", "b"][..], 1, "fill-in-the-middle"),
        (&coder, &["a", "--suffix", "b", "--suffix-file", "c"], 2, "cannot be used with"),
        (&coder, &["a", "--suffix", "b", "--system", "c"], 2, "cannot be used with"),
        (&coder, &["a", "--suffix-file", missing.to_str().unwrap()], 1, "nothing.py"),
        (&coder, &["--batch", lines.to_str().unwrap(), "--suffix", "b"], 2, "--suffix"),
    ] {
        let o = run(model, args);
        let err = String::from_utf8_lossy(&o.stderr).into_owned();
        assert_eq!(o.status.code(), Some(code), "{args:?}: {err}");
        assert!(err.contains(says) && o.stdout.is_empty(), "{args:?}: {err}");
    }
}
