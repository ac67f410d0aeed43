//! A file that has another name until it is whole.

use super::{io_error, no_room};
use crate::ModelError;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How often the file's name may turn out to be another's before that is an error.
const TRIES: usize = 16;

/// The file being written. Dropped before [`Part::finish`], it leaves nothing behind.
///
/// Its other name depends on its name only, so what a killed process left behind is found and used again. Whoever
/// writes holds a lock on it, which ends with the process.
#[derive(Debug)]
pub(super) struct Part {
    /// As the user gave it, for messages.
    given: PathBuf,
    target: PathBuf,
    path: PathBuf,
    file: File,
    /// How long it will be.
    bytes: u64,
    /// What [`Part::append`] has written.
    end: u64,
    fate: Fate,
}

/// What happens to the file when it is dropped.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Removed,
    Kept,
}

impl Part {
    /// Creates the file beside `target`, where the user's path leads, as long as it will be.
    pub(super) fn create(given: &Path, target: &Path, bytes: u64) -> Result<Self, ModelError> {
        let mut hidden = OsString::from(".");
        hidden.push(target.file_name().unwrap_or_default());
        hidden.push(".part");
        let path = target.with_file_name(hidden);
        let file = open_alone(&path)?;
        let part = Self {
            given: given.into(),
            target: target.into(),
            path,
            file,
            bytes,
            end: 0,
            fate: Fate::Removed,
        };
        // What another process left is no part of this file.
        let emptied = part.file.set_len(0);
        emptied.map_err(|e| part.failed("cannot empty what an earlier run left", e))?;
        part.look_like_target();
        part.reserve().map_err(|e| part.failed("cannot make it as large as it will be", e))?;
        Ok(part)
    }

    /// Writes bytes at a place. Callable from many threads at once.
    pub(super) fn write(&self, at: u64, bytes: &[u8]) -> Result<(), ModelError> {
        let written = write_all_at(&self.file, bytes, at);
        written.map_err(|e| self.failed(&format!("cannot write {} bytes at {at}", bytes.len()), e))
    }

    /// Writes bytes after those of the last call.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        self.write(self.end, bytes)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Gives back the room after what [`Part::append`] has written.
    pub(super) fn cut(&self) -> Result<(), ModelError> {
        self.file.set_len(self.end).map_err(|e| self.failed("cannot cut it to its length", e))
    }

    /// Makes sure that all is on the disk, and gives the file its name.
    pub(super) fn finish(mut self) -> Result<(), ModelError> {
        self.file.sync_all().map_err(|e| self.failed("cannot write it to the end", e))?;
        // From here on it is whole, and worth keeping whatever happens.
        self.fate = Fate::Kept;
        std::fs::rename(&self.path, &self.target).map_err(|e| {
            let what =
                format!("cannot give the finished file its name; it is kept as {}", self.path.display());
            io_error(&self.given, &what, e)
        })
    }

    /// Gives it the owner and the permissions of the file that it replaces, so that nobody can read it who could not read
    /// that one. A file system that has no such thing is no reason to fail, nor is a process that may not give files away.
    #[cfg(unix)]
    fn look_like_target(&self) {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        if let Ok(about) = self.target.metadata() {
            let _ = fchown(&self.file, Some(about.uid()), Some(about.gid()));
            let mode = about.permissions().mode() & 0o777;
            let _ = self.file.set_permissions(PermissionsExt::from_mode(mode));
        }
    }

    #[cfg(not(unix))]
    fn look_like_target(&self) {}

    /// Takes the room on the disk, so that it is missing now or never, where the file system can do that.
    fn reserve(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.bytes > 0 {
            use rustix::fs::{FallocateFlags, fallocate};
            use rustix::io::{Errno, retry_on_intr};
            let taken = retry_on_intr(|| fallocate(&self.file, FallocateFlags::empty(), 0, self.bytes));
            // Any other error is that of a file system that cannot.
            if let Err(e @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) = taken {
                return Err(e.into());
            }
        }
        self.file.set_len(self.bytes)
    }

    fn failed(&self, what: &str, source: io::Error) -> ModelError {
        if !is_full(&source) {
            return io_error(&self.given, what, source);
        }
        // A quota, or a limit of file sizes, says nothing about what it leaves.
        let free = if source.kind() == io::ErrorKind::StorageFull { free(&self.file) } else { None };
        no_room(&self.given, self.bytes, free, source)
    }
}

/// Whether an error means that there is no room.
pub(super) fn is_full(e: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(e.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Bytes that a file can have on its disk: those that are free and its own.
#[cfg(unix)]
fn free(file: &File) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let disk = rustix::fs::fstatvfs(file).ok().filter(|d| d.f_blocks > 0)?;
    let own = file.metadata().ok()?.blocks().saturating_mul(512);
    Some(disk.f_bavail.saturating_mul(disk.f_frsize).saturating_add(own))
}

#[cfg(not(unix))]
fn free(_: &File) -> Option<u64> {
    None
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.fate == Fate::Removed {
            // There is nobody to tell, and the error that led here matters more.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Opens a file that nobody else writes, or creates it, and locks it.
fn open_alone(part: &Path) -> Result<File, ModelError> {
    let busy = |what: &str, remedy| ModelError::Destination { path: part.into(), what: what.into(), remedy };
    for _ in 0..TRIES {
        let (file, found) = match options().create_new(true).open(part) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => match options().open(part) {
                // Its writer has finished in between.
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                opened => (opened, true),
            },
            created => (created, false),
        };
        let what = "cannot open this file, which the output is written to first";
        let file = file.map_err(|e| io_error(part, what, e))?;
        if !file.metadata().is_ok_and(|m| m.is_file()) {
            return Err(busy("the output is written here first, and this is no file", "remove it"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let remedy = "wait until it is done, or write to another file";
                return Err(busy("another akunu is writing this file", remedy));
            }
            // Some network file systems have no locks. There a file that was found may have a writer.
            Err(TryLockError::Error(_)) if !found => {}
            Err(TryLockError::Error(e)) => {
                let what = format!("an earlier run left this file, or another is writing it ({e})");
                return Err(busy(&what, "remove it if no other akunu is writing it"));
            }
        }
        // Before the lock was ours, another's rename may have made this file a finished one.
        if is_still_at(&file, part) {
            return Ok(file);
        }
    }
    Err(busy("others keep writing this file", "write to another file"))
}

/// Never follows a link, which could lead to any file, and never waits for the reader of a pipe.
#[cfg(unix)]
pub(super) fn options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    options
}

#[cfg(not(unix))]
pub(super) fn options() -> OpenOptions {
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
