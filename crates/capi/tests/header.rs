//! The committed header is what the sources say. `AKUNU_UPDATE_HEADER=1` writes it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

/// In the order of the header.
const SOURCES: &[&str] = &[
    "status",
    "log",
    "model",
    "tokenizer",
    "grammar",
    "options",
    "profile",
    "session",
    "answer",
    "engine",
    "embedder",
    "transcriber",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn made() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(root().join("src").join(source).with_extension("rs"));
    }
    let mut out = Vec::new();
    builder.generate().unwrap().write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn the_header_is_what_the_sources_say() {
    let (path, made) = (root().join("include/akunu.h"), made());
    if std::env::var_os("AKUNU_UPDATE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = committed.lines().zip(made.lines()).enumerate().find(|(_, (a, b))| a != b);
    assert!(
        committed == made,
        "{} differs from the sources, first at {differs:?}; look at what changes for C programs, then write it with \
         AKUNU_UPDATE_HEADER=1 cargo test -p akunu-capi --test header",
        path.display()
    );
}

/// Every function and every struct of the sources is there, whichever file it is in.
#[test]
fn nothing_is_left_out() {
    let header = made();
    for entry in std::fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let words = |s: &str| s.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
        let functions = text.split("extern \"C\" fn ").skip(1).map(words);
        let types = text.split("pub struct akunu_").skip(1).map(|s| format!("akunu_{}", words(s)));
        let constants = text.split("pub const AKUNU_").skip(1).map(|s| format!("define AKUNU_{}", words(s)));
        for name in functions.chain(types).chain(constants).filter(|n| n.to_lowercase().contains("akunu_")) {
            assert!(header.contains(&name), "{name} of {} is not in the header", path_name(&path));
        }
    }
}

fn path_name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// What the shared library exports is what the header has, and nothing of its dependencies.
#[test]
#[cfg(target_os = "linux")]
fn exported_is_what_the_header_has() {
    let deps = std::env::current_exe().unwrap();
    let library = deps.parent().unwrap().join("libakunu_capi.so");
    let out = std::process::Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().unwrap();
    assert!(out.status.success(), "nm is part of what a C compiler brings along");
    let out = String::from_utf8(out.stdout).unwrap();
    let symbols: Vec<&str> = out.lines().filter_map(|l| l.rsplit(' ').next()).collect();
    let header = made();
    let foreign: Vec<_> = symbols.iter().filter(|s| !header.contains(&format!("{s}("))).collect();
    assert!(symbols.len() > 50 && foreign.is_empty(), "{foreign:?}");
}

/// CMake's package says the version that the library has.
#[test]
fn cmake_knows_the_version() {
    let text = std::fs::read_to_string(root().join("cmake/akunuConfigVersion.cmake")).unwrap();
    let line = format!("set(PACKAGE_VERSION \"{}\")", env!("CARGO_PKG_VERSION"));
    assert!(
        text.lines().any(|l| l == line),
        "write `{line}` into crates/capi/cmake/akunuConfigVersion.cmake"
    );
}
