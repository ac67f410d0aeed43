//! Files and directories that are no model, or lack a part of one: the command says which, by name.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::files::gguf::write::Writer;
use akunu::kernels::DType;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn akunu(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_akunu"));
    command.args(args).env("AKUNU_OFFLINE", "1").stdin(std::process::Stdio::null());
    command.output().unwrap()
}

/// Runs, and expects exit code 1 and words on standard error.
#[track_caller]
fn fails(args: &[&str], words: &[&str]) {
    let o = akunu(args);
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(1), "{args:?}: {err}");
    for w in words {
        assert!(err.contains(w), "{args:?} should say {w:?}: {err}");
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

#[test]
fn a_directory_without_tokenizer_json_is_told_so() {
    let path = fixture("mlx/qwen3-4bit");
    let dir = path.to_str().unwrap();
    fails(&["tokenize", dir, "hi"], &["no tokenizer.json", dir, "token ids"]);
    fails(&["run", dir, "hi", "--raw", "-n", "1"], &["no tokenizer.json", dir]);
    // A vocabulary in another library's format is not read, and that is said.
    let copy = tempfile::tempdir().unwrap();
    for file in ["config.json", "model.safetensors"] {
        std::fs::copy(path.join(file), copy.path().join(file)).unwrap();
    }
    std::fs::write(copy.path().join("tokenizer.model"), "x").unwrap();
    let file = copy.path().join("model.safetensors");
    fails(&["tokenize", file.to_str().unwrap(), "hi"], &["no tokenizer.json", "only tokenizer.model"]);
}

#[test]
fn a_directory_of_gguf_files_says_what_to_type() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a.gguf", "b.gguf"] {
        std::fs::write(dir.path().join(name), akunu_conformance::tiny_gguf(akunu::Token(64)).unwrap())
            .unwrap();
    }
    let typed = format!("akunu run {}", dir.path().join("a.gguf").display());
    let dir = dir.path().to_str().unwrap();
    fails(&["inspect", dir], &["a.gguf, b.gguf", &typed]);
    fails(&["run", dir, "hi"], &["a.gguf, b.gguf", &typed]);
}

#[test]
fn an_adapter_can_be_inspected_and_is_called_that() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("lora.gguf");
    let w = Writer::new().metadata("general.type", "adapter").metadata("general.architecture", "llama");
    let w = w.tensor("blk.0.attn_q.weight.lora_a", &[8], DType::F32);
    std::fs::write(&path, w.to_bytes([[0; 32]]).unwrap()).unwrap();
    let m = path.to_str().unwrap();
    fails(&["run", m, "hi"], &["LoRA adapter", "merge"]);
    fails(&["inspect", m], &["LoRA adapter"]);
    let o = akunu(&["inspect", m, "--tensors"]);
    assert!(String::from_utf8_lossy(&o.stdout).contains("attn_q.weight.lora_a"));
}

#[test]
fn a_head_that_is_not_used_and_differs_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(fixture("tiny-llama")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, dir.path().join(path.file_name().unwrap())).unwrap();
    }
    let inspect = || {
        let o = akunu(&["inspect", dir.path().to_str().unwrap()]);
        let report = akunu(&["inspect", dir.path().to_str().unwrap(), "--json"]);
        let report: Value = serde_json::from_slice(&report.stdout).unwrap();
        (String::from_utf8(o.stdout).unwrap(), report["notes"].as_array().unwrap().len())
    };
    let (text, notes) = inspect();
    assert!(!text.contains("note:") && notes == 0, "{text}");
    let path = dir.path().join("config.json");
    let mut config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    config["tie_word_embeddings"] = true.into();
    std::fs::write(&path, config.to_string()).unwrap();
    let (text, notes) = inspect();
    assert!(text.contains("note: the output head lm_head differs from the embedding"), "{text}");
    assert!(text.contains("the embedding is used") && notes == 1, "{text}");
}
