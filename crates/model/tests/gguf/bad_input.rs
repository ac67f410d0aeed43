//! Files that are damaged, cut short, hostile, or no GGUF at all.

use crate::tiny;
use akunu_kernels::DType;
use akunu_model::gguf::types::TensorType;
use akunu_model::gguf::write::{MetadataValue, Writer};
use akunu_model::gguf::{GgufFile, GgufSource};
use akunu_model::{ModelError, WeightSource};
use std::path::Path;

const HUGE: u64 = 1 << 63;

/// Bytes of a header written by hand, because the writer would refuse to.
#[derive(Clone, Default)]
struct Raw(Vec<u8>);

impl Raw {
    fn head(tensors: u64, entries: u64) -> Self {
        Self(b"GGUF".to_vec()).u32(3).u64(tensors).u64(entries)
    }
    fn u32(mut self, v: u32) -> Self {
        self.0.extend(v.to_le_bytes());
        self
    }
    fn u64(mut self, v: u64) -> Self {
        self.0.extend(v.to_le_bytes());
        self
    }
    fn text(self, s: &str) -> Self {
        let mut r = self.u64(s.len() as u64);
        r.0.extend(s.as_bytes());
        r
    }
    fn zeros(mut self, n: usize) -> Self {
        self.0.resize(self.0.len() + n, 0);
        self
    }
    /// A tensor description and, after it, some data.
    fn tensor(self, name: &str, dims: &[u64], type_id: u32, offset: u64) -> Self {
        let r = self.text(name).u32(dims.len() as u32);
        dims.iter().fold(r, |r, d| r.u64(*d)).u32(type_id).u64(offset)
    }
    /// An array within `depth` arrays.
    fn nested(self, depth: u32) -> Self {
        (1..depth).fold(self.text("k").u32(9), |r, _| r.u32(9).u64(1)).u32(0).u64(1).zeros(1)
    }
}

/// What is wrong, the file, and what the message must say besides the path.
type Case = (&'static str, Vec<u8>, &'static [&'static str]);

fn other_formats() -> Vec<Case> {
    let safetensors = [&16u64.to_le_bytes()[..], br#"{"__metadata__":1"#].concat();
    let with = |magic: &[u8]| [magic, &[0; 64]].concat();
    vec![
        ("safetensors", safetensors, &["safetensors", "convert"]),
        ("PyTorch", with(b"PK\x03\x04"), &["PyTorch", "convert"]),
        ("HTML", b"\n <!DOCTYPE html><html>".to_vec(), &["web page", "fetch the file again"]),
        (
            "git-lfs",
            b"version https://git-lfs.github.com/spec/v1\noid".to_vec(),
            &["git-lfs", "git lfs pull"],
        ),
        ("old GGML", with(b"tjgg"), &["old GGML", "convert"]),
        ("gzip", with(b"\x1f\x8b"), &["gzip", "unpack"]),
        ("JSON", b"{\"error\": 404}".to_vec(), &["JSON"]),
        ("zeros", vec![0; 100], &["zeros", "fetch"]),
        ("other", b"\x01\x02\x03\x04\x05".to_vec(), &["01 02 03 04"]),
        ("empty", vec![], &["empty", "download"]),
        ("part of the magic", b"GG".to_vec(), &["magic", "incomplete"]),
        ("version 1", Raw(b"GGUF\x01\0\0\0".to_vec()).zeros(64).0, &["version 1", "convert"]),
        ("version 9", Raw(b"GGUF\x09\0\0\0".to_vec()).zeros(64).0, &["version 9", "update"]),
        ("big-endian", Raw(b"GGUF\0\0\0\x03".to_vec()).zeros(64).0, &["big-endian", "little-endian"]),
    ]
}

fn bad_headers() -> Vec<Case> {
    let entry = |key: &str, ty: u32| Raw::head(0, 1).text(key).u32(ty);
    vec![
        ("2^63 tensors", Raw::head(HUGE, 0).zeros(64).0, &["tensor count", "9223372036854775808"]),
        ("2^63 entries", Raw::head(0, HUGE).zeros(64).0, &["metadata count", "9223372036854775808"]),
        ("u64::MAX tensors", Raw::head(u64::MAX, 0).zeros(64).0, &["tensor count"]),
        ("more entries than fit", Raw::head(0, 100).zeros(64).0, &["metadata count", "incomplete"]),
        ("key of 2^63 bytes", Raw::head(0, 1).u64(HUGE).zeros(64).0, &["metadata key 0", "65535"]),
        ("empty key", Raw::head(0, 1).text("").u32(0).zeros(64).0, &["metadata key 0"]),
        ("value type 13", entry("k", 13).zeros(64).0, &["`k`", "type 13"]),
        ("string of 2^63 bytes", entry("k", 8).u64(HUGE).zeros(64).0, &["`k`", "9223372036854775808"]),
        ("array of 2^63 u8", entry("k", 9).u32(0).u64(HUGE).zeros(64).0, &["`k`", "9223372036854775808"]),
        ("array of 2^61 u64", entry("k", 9).u32(10).u64(1 << 61).zeros(64).0, &["`k`"]),
        ("array of 2^63 strings", entry("k", 9).u32(8).u64(HUGE).zeros(64).0, &["`k`"]),
        ("array of 2^63 arrays", entry("k", 9).u32(9).u64(HUGE).zeros(64).0, &["`k`"]),
        ("array of type 13", entry("k", 9).u32(13).u64(1).zeros(64).0, &["`k`", "type 13"]),
        ("arrays 5 deep", Raw::head(0, 1).nested(5).zeros(64).0, &["`k`", "at most 4"]),
        ("arrays 1000 deep", Raw::head(0, 1).nested(1000).zeros(64).0, &["`k`", "at most 4"]),
        (
            "bool of 2",
            entry("k", 7).zeros(64).0.iter().enumerate().map(|(i, b)| if i == 37 { 2 } else { *b }).collect(),
            &["bool of 2"],
        ),
        ("escapes in a key", entry("\x1b[31m", 13).zeros(64).0, &[r"\u{1b}[31m"]),
        (
            "duplicate keys",
            Raw::head(0, 2).text("k").u32(0).zeros(1).text("k").u32(0).zeros(64).0,
            &["metadata key `k` appears twice"],
        ),
    ]
}

fn bad_tensors() -> Vec<Case> {
    let one =
        |dims: &[u64], ty: u32, offset: u64| Raw::head(1, 0).tensor("t", dims, ty, offset).zeros(4096).0;
    let two = Raw::head(2, 0).tensor("t", &[1], 0, 0).tensor("t", &[1], 0, 0).zeros(4096).0;
    let shared = Raw::head(2, 0).tensor("t", &[9], 0, 0).tensor("u", &[8], 0, 32).zeros(4096).0;
    let name = Raw::head(1, 0).u64(HUGE).zeros(4096).0;
    let aligned = |v: MetadataValue| {
        let w = Writer::new().metadata("general.alignment", v);
        w.tensor("t", &[8], DType::F32).to_bytes([[0; 32]]).expect("written")
    };
    vec![
        ("overflowing dimensions", one(&[1 << 32, 1 << 32], 0, 0), &["`t`", "2^64"]),
        ("dimensions of 2^63", one(&[HUGE, HUGE, HUGE, HUGE], 8, 0), &["`t`", "2^64"]),
        ("overflowing bytes", one(&[HUGE], 0, 0), &["`t`", "2^64 bytes"]),
        ("dimension 0", one(&[32, 0], 0, 0), &["`t`", "at least 1"]),
        ("5 dimensions", one(&[1, 1, 1, 1, 1], 0, 0), &["`t`", "at most 4"]),
        ("2^32 - 1 dimensions", Raw::head(1, 0).text("t").u32(u32::MAX).zeros(4096).0, &["`t`", "at most 4"]),
        ("row of 33 in Q4_0", one(&[33, 2], 2, 0), &["`t`", "33", "Q4_0", "32"]),
        ("row of 128 in Q6_K", one(&[128], 14, 0), &["`t`", "Q6_K", "256"]),
        ("offset past the end", one(&[1], 0, 8192), &["`t`", "incomplete"]),
        ("offset of 2^63", one(&[1], 0, HUGE), &["`t`", "incomplete"]),
        ("offset at the top", one(&[1], 0, u64::MAX - 31), &["`t`", "18446744073709551615"]),
        ("offset of an unknown type", one(&[1], 999, HUGE), &["`t`", "incomplete"]),
        ("odd offset", one(&[1], 0, 33), &["`t`", "multiple of the alignment 32"]),
        ("data too long", one(&[4096], 0, 0), &["`t`", "incomplete"]),
        ("duplicate tensor", two, &["tensor `t` appears twice"]),
        ("shared data", shared, &["`u`", "`t`", "after those of"]),
        ("name of 2^63 bytes", name, &["tensor 0", "65535"]),
        ("alignment 0", aligned(0u32.into()), &["general.alignment", "u32 0", "power of two"]),
        ("alignment 3", aligned(3u32.into()), &["general.alignment", "u32 3"]),
        ("alignment 4", aligned(4u32.into()), &["general.alignment", "at least 8"]),
        ("alignment of text", aligned("x".into()), &["general.alignment", "string"]),
        ("alignment of 2^63", aligned(HUGE.into()), &["`t`", "incomplete"]),
    ]
}

#[test]
fn each_has_an_error_that_says_what_and_where() {
    for (what, bytes, parts) in [other_formats(), bad_headers(), bad_tensors()].concat() {
        let disk = tiny::file(&bytes);
        let e = GgufFile::open(disk.path()).expect_err(what);
        let text = e.to_string();
        assert!(text.contains(&*disk.path().to_string_lossy()), "{what}: {text}");
        for part in parts {
            assert!(text.contains(part), "{what}: `{part}` is not in: {text}");
        }
        assert!(text.len() < 500 && !text.contains('\x1b'), "{what}: {text}");
        assert!(!matches!(e, ModelError::Io { .. }), "{what}: {text}");
    }
}

#[test]
fn nesting_within_the_limit_is_read() {
    let disk = tiny::file(&Raw::head(0, 1).nested(4).0);
    let f = GgufFile::open(disk.path()).expect("valid");
    assert_eq!(f.get("k").map(|v| v.to_string()).as_deref(), Some("[[[[0]]]]"));
}

#[test]
fn every_prefix_of_a_file_is_an_error() {
    let bytes = tiny::bytes();
    let disk = tiny::file(&bytes);
    GgufSource::open(disk.path()).expect("the whole file is valid");
    for len in (0..bytes.len()).rev() {
        disk.as_file().set_len(len as u64).expect("cut");
        let e = GgufSource::open(disk.path()).expect_err("cut short");
        let fits = matches!(
            e,
            ModelError::Empty { .. } | ModelError::Truncated { .. } | ModelError::TensorOutside { .. }
        );
        assert!(fits, "{len}: {e}");
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_read() {
    let bytes = tiny::bytes();
    let disk = tiny::file(&bytes);
    let s = GgufSource::open(disk.path()).expect("valid");
    let last = s.tensors().last().expect("tensors").clone();
    disk.as_file().set_len(bytes.len() as u64 - 1).expect("cut");
    let mut out = vec![0; last.bytes as usize];
    let e = s.read(&last, 0, &mut out).expect_err("shrunk");
    assert!(matches!(e, ModelError::Shrunk { .. }) && e.to_string().contains(&last.file_name), "{e}");
    // What is still there is still read.
    s.read(&last, 0, &mut out[..64]).expect("read");
}

#[test]
fn a_directory_and_no_file_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let e = GgufFile::open(folder.path()).expect_err("a directory");
    assert!(matches!(e, ModelError::NotAFile { found: "a directory", .. }), "{e}");
    let e = GgufFile::open(&folder.path().join("none.gguf")).expect_err("nothing");
    assert!(matches!(e, ModelError::NotFound { .. }), "{e}");
    let e = GgufFile::open(Path::new("")).expect_err("nothing");
    assert!(matches!(e, ModelError::NotFound { .. }), "{e}");
}

/// Opening a pipe for reading would wait for a writer for ever.
#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe.gguf");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let e = GgufFile::open(&pipe).expect_err("a pipe");
    assert!(matches!(e, ModelError::NotAFile { found: "a pipe (FIFO)", .. }), "{e}");
    let e = GgufFile::open(Path::new("/dev/zero")).expect_err("a device");
    assert!(matches!(e, ModelError::NotAFile { found: "a device", .. }), "{e}");
}

/// The types' table has a test of its own; this is that unknown ids stay raw.
#[test]
fn withdrawn_type_ids_are_unknown() {
    for id in [4, 5, 31, 36, 1000, u32::MAX] {
        assert_eq!(TensorType::from_id(id), None);
    }
}
