//! Compiled kernels on disk. A file's name is the hash of everything that went into it: source, constants,
//! architecture, compiler. One that is not whole is not used but made anew.

use crate::cache::root;
use crate::kept::{self, Magic};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

const MAGIC: &Magic = b"akunucu1";
/// No kernel's machine code comes near it.
const MOST_BYTES: u64 = 1 << 30;

/// The folder of compiled kernels.
pub fn folder() -> Option<PathBuf> {
    Some(root()?.join("kernels"))
}

/// The name under which a result is kept.
pub(crate) fn key(parts: &[&str]) -> String {
    let mut h = Sha256::new();
    for p in parts {
        // Lengths keep neighbours apart: "ab","c" is not "a","bc".
        h.update((p.len() as u64).to_le_bytes());
        h.update(p.as_bytes());
    }
    hex(&h.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// A kept result, if it is whole.
pub(crate) fn read(folder: &Path, key: &str) -> Option<Vec<u8>> {
    kept::read(&folder.join(key), MAGIC, MOST_BYTES).ok()
}

/// Keeps a result. A cache that cannot be written costs time, not correctness, so failure is no error.
pub(crate) fn write(folder: &Path, key: &str, body: &[u8]) -> Option<()> {
    kept::write(&folder.join(key), MAGIC, body).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let f = std::env::temp_dir().join(format!("akunu-cache-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&f);
        f
    }

    #[test]
    fn what_is_written_is_read() {
        let f = folder("whole");
        let k = key(&["source", "sm_90a"]);
        assert!(read(&f, &k).is_none());
        write(&f, &k, b"machine code").unwrap();
        assert_eq!(read(&f, &k).unwrap(), b"machine code");
        assert_ne!(k, key(&["sources", "m_90a"]));
        assert_eq!(std::fs::read_dir(&f).unwrap().count(), 1, "no part is left");
        std::fs::remove_dir_all(&f).unwrap();
    }

    #[test]
    fn a_cut_or_changed_file_is_not_used() {
        let f = folder("broken");
        let k = key(&["x"]);
        write(&f, &k, &[7u8; 100]).unwrap();
        let whole = std::fs::read(f.join(&k)).unwrap();
        for n in 0..whole.len() {
            std::fs::write(f.join(&k), &whole[..n]).unwrap();
            assert!(read(&f, &k).is_none(), "cut to {n}");
            let mut changed = whole.clone();
            changed[n] ^= 1;
            std::fs::write(f.join(&k), &changed).unwrap();
            assert!(read(&f, &k).is_none(), "changed at {n}");
        }
        write(&f, &k, &[7u8; 100]).unwrap();
        assert_eq!(read(&f, &k).unwrap(), [7u8; 100]);
        std::fs::remove_dir_all(&f).unwrap();
    }

    /// Run by `two_processes_share_a_folder` in processes of its own; without the setting it does nothing.
    #[test]
    fn write_as_one_of_several_processes() {
        let Some(f) = std::env::var_os("AKUNU_TEST_CACHE").map(PathBuf::from) else { return };
        for i in 0..200u32 {
            let k = key(&[&(i % 4).to_string()]);
            write(&f, &k, &[std::process::id() as u8; 20_000]).unwrap();
            let got = read(&f, &k).unwrap();
            assert!(got.len() == 20_000 && got.iter().all(|b| *b == got[0]));
        }
    }

    #[test]
    fn two_processes_share_a_folder() {
        let f = folder("processes");
        let run = || {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "cuda::cache::tests::write_as_one_of_several_processes"])
                .env("AKUNU_TEST_CACHE", &f)
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        };
        for mut child in [run(), run(), run()] {
            assert!(child.wait().unwrap().success());
        }
        assert_eq!(std::fs::read_dir(&f).unwrap().count(), 4, "four results, no parts");
        std::fs::remove_dir_all(&f).unwrap();
    }

    #[test]
    fn many_writers_leave_one_whole_file() {
        let f = folder("race");
        let k = key(&["y"]);
        std::thread::scope(|s| {
            for i in 0..8u8 {
                let (f, k) = (&f, &k);
                s.spawn(move || {
                    for _ in 0..50 {
                        write(f, k, &[i; 5000]).unwrap();
                        let got = read(f, k).unwrap();
                        assert!(got.len() == 5000 && got.iter().all(|b| *b == got[0]));
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(&f).unwrap().count(), 1);
        std::fs::remove_dir_all(&f).unwrap();
    }
}
