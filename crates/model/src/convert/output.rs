//! A file that is written in any order, under another name until it is complete.

use crate::ModelError;
use crate::gguf::write::FileLayout;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How often the file's name may turn out to be another's before that is an error.
const TRIES: usize = 16;

/// The file being written. Dropped before [`Output::finish`], it leaves nothing behind.
///
/// Its other name depends on its name only, so what a killed process left behind is found and used again. Whoever
/// writes holds a lock on it, which ends with the process.
pub(super) struct Output {
    path: PathBuf,
    part: PathBuf,
    file: File,
    finished: bool,
}

impl Output {
    /// Creates the file beside its final place, as long as it will be, and writes the header.
    pub(super) fn create(path: &Path, layout: &FileLayout) -> Result<Self, ModelError> {
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(ModelError::Convert {
                path: path.into(),
                what: "this is a directory".into(),
                remedy: "name the file to write, such as model.gguf".into(),
            });
        };
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".part");
        let part = path.with_file_name(hidden);
        let out = Self { path: path.into(), file: open_alone(&part)?, part, finished: false };
        // What another process left is no part of this file.
        let sized = out.file.set_len(0).and_then(|()| out.file.set_len(layout.bytes));
        sized.map_err(|source| io_error(&out.part, "cannot make it as large as the model", source))?;
        out.write(0, &layout.header)?;
        Ok(out)
    }

    /// Writes bytes at a place. Callable from many threads at once.
    pub(super) fn write(&self, at: u64, bytes: &[u8]) -> Result<(), ModelError> {
        write_all_at(&self.file, bytes, at).map_err(|source| ModelError::Io {
            path: self.path.clone(),
            what: format!("cannot write {} bytes at {at} (is the disk full?)", bytes.len()),
            source,
        })
    }

    /// Makes sure that all is on the disk, and gives the file its name.
    pub(super) fn finish(mut self) -> Result<(), ModelError> {
        let failed =
            |what: &str, source| ModelError::Io { path: self.path.clone(), what: what.into(), source };
        self.file.sync_all().map_err(|e| failed("cannot write it to the end (is the disk full?)", e))?;
        std::fs::rename(&self.part, &self.path)
            .map_err(|e| failed("cannot give the finished file its name", e))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.finished {
            // There is nobody to tell, and the error that led here matters more.
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

/// Opens a file that nobody else writes, or creates it, and locks it.
fn open_alone(part: &Path) -> Result<File, ModelError> {
    let busy = |what: &str, remedy: &str| ModelError::Convert {
        path: part.into(),
        what: what.into(),
        remedy: remedy.into(),
    };
    for _ in 0..TRIES {
        let (file, found) = match options().create_new(true).open(part) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => match options().open(part) {
                // Its writer has finished in between.
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                opened => (opened, true),
            },
            created => (created, false),
        };
        let what = "cannot open this file, which the model is written to first";
        let file = file.map_err(|e| io_error(part, what, e))?;
        if !file.metadata().is_ok_and(|m| m.is_file()) {
            return Err(busy("the model is written here first, and this is no file", "remove it"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let remedy = "wait until it is done, or write to another file";
                return Err(busy("another conversion is writing this file", remedy));
            }
            // Some network file systems have no locks. There a file that was found may have a writer.
            Err(TryLockError::Error(_)) if !found => {}
            Err(TryLockError::Error(e)) => {
                let what = format!("an earlier conversion left this file, or another is writing it ({e})");
                return Err(busy(&what, "remove it if no other conversion is writing it"));
            }
        }
        // Before the lock was ours, another's rename may have made this file a finished model.
        if is_still_at(&file, part) {
            return Ok(file);
        }
    }
    Err(busy("other conversions keep writing this file", "write to another file"))
}

fn io_error(path: &Path, what: &str, source: io::Error) -> ModelError {
    ModelError::Io { path: path.into(), what: what.into(), source }
}

/// Never follows a link, which could lead to any file, and never waits for the reader of a pipe.
#[cfg(unix)]
fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    options
}

#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |m: std::fs::Metadata| (m.dev(), m.ino());
    let (open, named) = (file.metadata().map(id), std::fs::symlink_metadata(path).map(id));
    matches!((open, named), (Ok(a), Ok(b)) if a == b)
}

/// The standard library does not say which file it is.
#[cfg(not(unix))]
fn is_still_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                bytes = bytes.get(n..).unwrap_or_default();
                at = at.saturating_add(n as u64);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_got_its_name_is_no_longer_the_part() {
        let dir = tempfile::tempdir().unwrap();
        let (part, path) = (dir.path().join(".m.part"), dir.path().join("m"));
        let file = open_alone(&part).unwrap();
        assert!(is_still_at(&file, &part));
        std::fs::rename(&part, &path).unwrap();
        assert!(!is_still_at(&file, &part));
        let next = open_alone(&part).unwrap();
        assert!(is_still_at(&next, &part));
        #[cfg(unix)]
        assert!(!is_still_at(&file, &part));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_parts_place_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (part, precious) = (dir.path().join(".m.part"), dir.path().join("precious"));
        std::fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, &part).unwrap();
        let e = open_alone(&part).expect_err("a link").to_string();
        assert!(e.contains(".m.part"), "{e}");
        assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    }
}
