//! Names that people type, as the whole command meets them: models removed, quiet, lists for bench, completion in a shell.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn akunu_in(cache: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_akunu"))
        .args(args)
        .env("AKUNU_OFFLINE", "1")
        .env("AKUNU_CACHE", cache)
        .env("HF_HUB_CACHE", cache.join("no-such-hub-cache"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn akunu(args: &[&str]) -> Output {
    let dir = tempfile::tempdir().unwrap();
    akunu_in(dir.path(), args)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs, and expects success; gives standard output and standard error.
fn works(args: &[&str]) -> (String, String) {
    let o = akunu(args);
    assert!(o.status.success(), "{args:?}: {}", text(&o.stderr));
    (text(&o.stdout), text(&o.stderr))
}

fn model(dir: &Path) -> PathBuf {
    let path = dir.join("tiny.gguf");
    std::fs::write(&path, akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    path
}

/// A cache with one model of the hub.
fn cache(dir: &Path) -> PathBuf {
    let path = dir.join("models/hf/o/r/main/a.gguf");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, b"weights").unwrap();
    let note = r#"{"source":"hf:o/r:a.gguf","sha256":"0","bytes":7}"#;
    std::fs::write(path.with_file_name("a.gguf.akunu.json"), note).unwrap();
    path
}

#[test]
fn models_are_removed_only_when_that_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = cache(dir.path());
    let o = akunu_in(dir.path(), &["rm", "hf:o/r:a.gguf"]);
    let err = text(&o.stderr);
    assert_eq!(o.status.code(), Some(2), "{err}");
    assert!(err.contains("hf:o/r:a.gguf (7 B)") && err.contains("--yes") && path.exists(), "{err}");
    // All names are looked up before the first goes.
    let o = akunu_in(dir.path(), &["rm", "hf:o/r:a.gguf", "hf:o/other", "--yes"]);
    assert_eq!(o.status.code(), Some(1));
    assert!(text(&o.stderr).contains("hf:o/other is not in the cache") && path.exists());
    let outside = model(dir.path());
    let o = akunu_in(dir.path(), &["rm", outside.to_str().unwrap(), "-y"]);
    assert_eq!(o.status.code(), Some(1));
    assert!(text(&o.stderr).contains("own cache") && outside.exists());
    let o = akunu_in(dir.path(), &["rm", "hf:o/r:a.gguf", "hf:o/r", "--yes", "--json"]);
    let v: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((v["removed"].as_array().unwrap().len(), &v["removed"][0]["bytes"]), (1, &Value::from(7)));
    assert!(!path.exists());
    let o = akunu_in(dir.path(), &["ls", "--json"]);
    let v: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(v["models"].as_array().unwrap().len(), 0);
}

#[test]
fn quiet_prints_the_answer_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let (loud, remarks) = works(&["run", m, "hello", "-n", "5", "-s", "7"]);
    assert!(remarks.contains("generated"), "{remarks}");
    for quiet in [["run", "-q"], ["-q", "run"], ["--quiet", "run"]] {
        let (answer, remarks) = works(&[&quiet[..], &[m, "hello", "-n", "5", "-s", "7"]].concat());
        assert_eq!((answer, remarks.as_str()), (loud.clone(), ""));
    }
    // A context beyond the trained one is a remark; an error is none.
    let (_, remarks) = works(&["run", m, "hello", "-n", "1", "-c", "100000", "-q"]);
    assert_eq!(remarks, "");
    let o = akunu(&["run", "no/such.gguf", "x", "-q"]);
    assert!(text(&o.stderr).contains("no/such.gguf") && o.status.code() == Some(1));
}

#[test]
fn a_model_may_be_named_and_options_may_come_first() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let ours = works(&["run", m, "hello", "-n", "5", "--seed", "7", "--device", "cpu", "--ctx", "64"]).0;
    assert_eq!(
        works(&["run", "-m", m, "-p", "hello", "-n", "5", "-s", "7", "-ngl", "0", "-c", "64", "-fa", "on"]).0,
        ours
    );
    assert_eq!(
        works(&[
            "--device",
            "cpu",
            "-c",
            "64",
            "run",
            m,
            "hello",
            "--n-predict",
            "5",
            "-s",
            "7",
            "--no-mmap"
        ])
        .0,
        ours
    );
    let whole = akunu(&["run", "-m", m, "-p", "hello", "-n", "-1", "-s", "7", "-c", "40", "--json"]);
    let v: Value = serde_json::from_slice(&whole.stdout).unwrap();
    assert!(["context_full", "stop", "eos"].contains(&v["finish_reason"].as_str().unwrap()), "{v}");
}

#[test]
fn a_part_of_the_layers_on_the_gpu_is_refused() {
    let o = akunu(&["inspect", "--synthetic", "llama-3.2-1b:q4_0", "-ngl", "7"]);
    let err = text(&o.stderr);
    assert_eq!(o.status.code(), Some(2), "{err}");
    assert!(err.contains("-ngl 7") && err.contains("16 layers") && err.contains("-ngl 0"), "{err}");
    // As many as there are is all of them; the null device computes on neither.
    works(&["table", "--synthetic", "llama-3.2-1b:q4_0", "--device", "null", "-ngl", "16", "--summary"]);
}

#[test]
fn bench_takes_lists_of_models_and_threads() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let args = [
        "bench",
        m,
        "-m",
        m,
        "-p",
        "0",
        "-n",
        "2",
        "-pg",
        "4,2",
        "-t",
        "1,2",
        "-r",
        "1",
        "--no-bandwidth",
        "--json",
    ];
    let (out, _) = works(&[&args[..], &["--device", "cpu"]].concat());
    let rows: Value = serde_json::from_str(&out).unwrap();
    let rows = rows.as_array().unwrap();
    let seen: Vec<(u64, &str)> =
        rows.iter().map(|r| (r["threads"].as_u64().unwrap(), r["test"].as_str().unwrap())).collect();
    let once = [(1, "tg2"), (1, "pp4+tg2"), (2, "tg2"), (2, "pp4+tg2")];
    assert_eq!(seen, [once, once].concat());
    for r in rows {
        assert!(r["avg_ts"].as_f64().unwrap() > 0.0 && r["bytes_per_token"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn wrong_options_are_told_to_programs_too() {
    let o = akunu(&["run", "m", "x", "--tmep", "0", "--json"]);
    let v: Value = serde_json::from_slice(&o.stderr).unwrap();
    assert_eq!((o.status.code(), v["error"]["kind"].as_str()), (Some(2), Some("usage")));
    assert!(v["error"]["message"].as_str().unwrap().contains("did you mean '--temp'"));
}

/// What bash would offer for the words of a line, the last one under the cursor.
fn bash(cache: &Path, words: &[&str]) -> Option<Vec<String>> {
    let script = text(&akunu(&["completions", "bash"]).stdout);
    let quoted: Vec<String> = words.iter().map(|w| format!("'{w}'")).collect();
    let program = env!("CARGO_BIN_EXE_akunu");
    let asked = format!(
        "{script}\nCOMP_WORDS=('{program}' {}); COMP_CWORD={}; _akunu; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words.len()
    );
    let o = Command::new("bash")
        .args(["--norc", "-c", &asked])
        .current_dir(cache)
        .env("AKUNU_CACHE", cache)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    assert!(o.status.success(), "{}", text(&o.stderr));
    assert_eq!(text(&o.stderr), "");
    Some(text(&o.stdout).lines().filter(|l| !l.is_empty()).map(str::to_owned).collect())
}

#[cfg(unix)]
#[test]
fn bash_completes_models_options_and_formats() {
    let dir = tempfile::tempdir().unwrap();
    cache(dir.path());
    std::fs::write(dir.path().join("local.gguf"), b"x").unwrap();
    let Some(models) = bash(dir.path(), &["run", ""]) else {
        println!("skipped: there is no bash on this machine");
        return;
    };
    for m in ["smollm2", "hf:o/r:a.gguf", "local.gguf"] {
        assert!(models.contains(&m.to_owned()), "{m}: {models:?}");
    }
    let fits = |words: &[&str]| bash(dir.path(), words).unwrap();
    assert_eq!(fits(&["run", "smo"]), ["smollm2"]);
    // Bash cuts words at colons and keeps what is before them.
    assert_eq!(fits(&["run", "hf", ":", "o/"]), ["o/r:a.gguf"]);
    assert_eq!(fits(&["run", "hf", ":"]), ["o/r:a.gguf"]);
    assert_eq!(fits(&["run", "hf", ":", "o/r", ":", "a"]), ["a.gguf"]);
    assert_eq!(fits(&["run", "m", "--cache-type-k", "=", "q"]), ["q8_0"]);
    assert_eq!(fits(&["run", "m", "-ctk", "q"]), ["q8_0"]);
    assert_eq!(fits(&["rm", ""]), ["hf:o/r:a.gguf"]);
    assert_eq!(fits(&["run", "m", "--cache"]), ["--cache-type-k", "--cache-type-v"]);
    assert!(fits(&["convert", "a", "b", "--dtype", "q4_k"]).contains(&"q4_k_m".to_owned()));
    assert_eq!(fits(&["run", "loc"]), ["local.gguf"]);
    assert_eq!(fits(&["per"]), ["perplexity"]);
}
