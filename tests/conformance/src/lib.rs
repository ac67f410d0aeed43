//! # conformance: one suite for every device
//!
//! Tests over real files and over the fixtures of the f32 oracle (see `tools/oracle.py`). Tests that need a real
//! model are `#[ignore]`d with the script that fetches it; CI fetches and runs them.
#![forbid(unsafe_code)]

use std::path::PathBuf;

/// The user cache directory that `tools/fetch-model.sh` writes to.
pub fn cache_dir() -> PathBuf {
    let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
    var("AKUNU_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("akunu")))
        .or_else(|| Some(var("HOME")?.join(".cache/akunu")))
        .unwrap_or_else(|| "akunu-cache".into())
}

/// The real SmolLM2-135M-Instruct in Q4_1.
pub fn smollm2() -> PathBuf {
    cache_dir().join("models/SmolLM2-135M-Instruct.Q4_1.gguf")
}

/// A committed fixture.
pub fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(name)
}
