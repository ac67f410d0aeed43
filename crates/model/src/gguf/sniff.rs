//! What a file that is no GGUF is instead.

use crate::ModelError;
use crate::disk::DiskFile;

/// First bytes looked at.
const HEAD: usize = 512;

const CONVERT: &str = "convert it with llama.cpp's convert_hf_to_gguf.py, or download the GGUF of this model";
const UNPACK: &str = "unpack it and name the .gguf file inside";

/// Formats told by their first bytes: magic, what it is, what to do.
static MAGICS: &[(&[u8], &str, &str)] = &[
    (
        b"lmgg",
        "a GGML file, as whisper.cpp has them",
        "`akunu transcribe` takes it as it is; another one is old: fetch the GGUF of this model",
    ),
    (b"fmgg", "an old GGML file (ggmf)", CONVERT),
    (b"tjgg", "an old GGML file (ggjt)", CONVERT),
    (b"PK\x03\x04", "a zip archive, probably a PyTorch checkpoint", CONVERT),
    (b"\x80\x02", "a pickle, probably an old PyTorch checkpoint", CONVERT),
    (b"\x89HDF", "an HDF5 file", CONVERT),
    (b"\x1f\x8b", "gzip-compressed", UNPACK),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed", UNPACK),
    (b"\xfd7zXZ", "xz-compressed", UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", UNPACK),
    (
        b"version https://git-lfs",
        "a git-lfs pointer, the model itself was not downloaded",
        "run `git lfs pull` in that repository",
    ),
];

/// Checks the magic and, where it is another format's, says which.
pub(super) fn check_magic(disk: &DiskFile) -> Result<(), ModelError> {
    let mut head = [0; HEAD];
    let n = usize::try_from(disk.size).map_or(HEAD, |s| s.min(HEAD));
    let Some(head) = head.get_mut(..n) else { return Ok(()) };
    disk.read_at(0, head, || "the magic".into())?;
    if head.starts_with(b"GGUF") {
        return Ok(());
    }
    if b"GGUF".starts_with(head) {
        let (path, size) = (disk.path.clone(), disk.size);
        return Err(ModelError::Truncated { path, field: "the magic".into(), offset: 0, needed: 4, size });
    }
    let (found, remedy) = kind(head, disk.size);
    Err(ModelError::NotGguf { path: disk.path.clone(), found, remedy })
}

fn kind(head: &[u8], size: u64) -> (String, &'static str) {
    if let Some((_, what, remedy)) = MAGICS.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return ((*what).into(), remedy);
    }
    if is_safetensors(head, size) {
        return ("a safetensors file".into(), CONVERT);
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start().to_ascii_lowercase();
    if text.starts_with(b"<!doctype html") || text.starts_with(b"<html") || text.starts_with(b"<?xml") {
        return ("a web page".into(), "the download returned an error or a login page; fetch the file again");
    }
    if text.starts_with(b"{") || text.starts_with(b"[") {
        return ("JSON text".into(), "name the .gguf file itself");
    }
    if head.iter().all(|&b| b == 0) {
        return ("zeros".into(), "the download reserved the space and never filled it; fetch the file again");
    }
    let first: Vec<String> = head.iter().take(4).map(|b| format!("{b:02x}")).collect();
    (format!("unknown (it begins {})", first.join(" ")), "check that the path names a .gguf file")
}

/// A safetensors file begins with the length of a JSON object and that object.
fn is_safetensors(head: &[u8], size: u64) -> bool {
    match head.split_first_chunk::<8>() {
        Some((len, rest)) => u64::from_le_bytes(*len) <= size.saturating_sub(8) && rest.starts_with(b"{"),
        None => false,
    }
}
