//! What rooms must not know, read in their sources: `plan` names no backend, `device` no operation.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use akunu::kernels::KERNELS;
use std::path::{Path, PathBuf};

/// Every Rust file under a crate's `src`.
fn sources(room: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates").join(room).join("src")];
    let mut out = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                out.push((path, text));
            }
        }
    }
    assert!(out.len() > 5, "the sources of `{room}` are not where this test looks");
    out
}

/// Lines of code that have a word that `forbidden` knows, as `file:line: text`. Comments may explain.
fn offences(room: &str, forbidden: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources(room) {
        for (i, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap();
            let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.clone().any(|w| forbidden(w, code)) {
                found.push(format!("{}:{}: {}", path.display(), i + 1, line.trim()));
            }
        }
    }
    found
}

#[test]
fn plan_names_no_backend() {
    const BACKENDS: &[&str] =
        &["cpu", "cuda", "vulkan", "metal", "null", "gpu", "level", "sm", "avx2", "avx512", "neon"];
    let found = offences("plan", |word, _| BACKENDS.contains(&word.to_lowercase().as_str()));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn device_names_no_operation() {
    // An operation's name may be an ordinary word (`sample`), so what counts is a path into its folder.
    let found = offences("device", |word, code| {
        let is_operation = KERNELS.iter().any(|k| k.name == word);
        word == "KERNEL" || word == "KERNELS" || is_operation && code.contains(&format!("{word}::"))
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The two tests above can fail.
#[test]
fn what_they_look_for_is_found_elsewhere() {
    assert!(!offences("device", |word, _| word == "Cpu" || word == "cpu").is_empty());
    assert!(!offences("plan", |word, code| word == "matmul" && code.contains("matmul::")).is_empty());
}
