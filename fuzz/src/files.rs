//! Inputs as files, since that is what readers take.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder for one target's files, in memory where the system has such a place.
pub struct Folder(PathBuf);

impl Folder {
    /// The folder that `tools/fuzz.sh` made, or a new one.
    pub fn new() -> Self {
        let path = std::env::var_os("AKUNU_FUZZ_DIR").map_or_else(
            || std::env::temp_dir().join(format!("akunu-fuzz-{}", std::process::id())),
            PathBuf::from,
        );
        fs::create_dir_all(&path).expect("a folder for the inputs");
        Self(path)
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, then `zeros` bytes that take no memory, and returns its path.
    pub fn write(&self, name: &str, bytes: &[u8], zeros: u64) -> PathBuf {
        let path = self.0.join(name);
        let mut file = File::create(&path).expect("a file for the input");
        file.write_all(bytes).expect("written");
        if zeros > 0 {
            file.set_len(bytes.len() as u64 + zeros).expect("extended");
        }
        path
    }

    /// Removes a file if it is there.
    pub fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.0.join(name));
    }
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

/// An input and the zeros that follow it in its file: the last two bytes count them, in units of 16. So the fuzzer
/// changes headers and not weights, and a seed may have weights all the same.
pub fn padded(data: &[u8]) -> (&[u8], u64) {
    match data.split_last_chunk::<2>() {
        Some((head, n)) => (head, u64::from(u16::from_le_bytes(*n)) * 16),
        None => (data, 0),
    }
}

/// An input that is several texts: the byte 0xFF, which no text has, parts them.
pub fn sections<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut parts = data.splitn(N, |b| *b == 0xff);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}
