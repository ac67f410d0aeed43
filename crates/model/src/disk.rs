//! A regular file opened for positioned reads.

use crate::ModelError;
use crate::source::FilePlace;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// An open regular file, its path and its size when it was opened.
pub(crate) struct DiskFile {
    /// As given by the user.
    pub(crate) path: PathBuf,
    /// Bytes.
    pub(crate) size: u64,
    file: File,
}

impl DiskFile {
    /// Opens a regular, non-empty file. Never waits: not for a pipe's writer, not for a tape.
    pub(crate) fn open(path: &Path) -> Result<Self, ModelError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => ModelError::NotFound { path: path.into() },
            io::ErrorKind::PermissionDenied => ModelError::Io {
                path: path.into(),
                what: "cannot open it for reading (check its permissions)".into(),
                source,
            },
            _ => ModelError::Io { path: path.into(), what: "cannot open it".into(), source },
        };
        refuse_directory_before_opening(path)?;
        let file = open_without_waiting(path).map_err(failed)?;
        // Asked of the open file, not of the path: the path may name something else by now.
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            return Err(not_a_file(path, &about));
        }
        if about.len() == 0 {
            return Err(ModelError::Empty { path: path.into() });
        }
        Ok(Self { path: path.into(), size: about.len(), file })
    }

    /// Where its byte `offset` lies.
    pub(crate) fn place(&self, offset: u64) -> FilePlace<'_> {
        FilePlace { file: &self.file, offset }
    }

    /// Fills `out` from byte `offset`. An end of file in between means that the file has shrunk since it was
    /// opened, because callers check against `size` first. `field` says what is being read.
    pub(crate) fn read_at(
        &self,
        offset: u64,
        out: &mut [u8],
        field: impl FnOnce() -> String,
    ) -> Result<(), ModelError> {
        read_exact_at(&self.file, out, offset).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => ModelError::Shrunk {
                path: self.path.clone(),
                field: field(),
                offset,
                end: offset.saturating_add(out.len() as u64),
            },
            _ => ModelError::Io { path: self.path.clone(), what: format!("cannot read {}", field()), source },
        })
    }
}

/// Whether `path` leads to the file of that canonical path.
pub(crate) fn is_at(path: &Path, canonical: &Path) -> bool {
    std::fs::canonicalize(path).is_ok_and(|p| p == canonical)
}

fn not_a_file(path: &Path, about: &Metadata) -> ModelError {
    let (found, remedy) = if about.is_dir() {
        ("a directory", "name the .gguf file inside it (of a split model, any part)")
    } else {
        (special_kind(about), "write the model to a file first and name that")
    };
    ModelError::NotAFile { path: path.into(), found, remedy }
}

#[cfg(unix)]
pub(crate) fn special_kind(about: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let t = about.file_type();
    if t.is_fifo() {
        "a pipe (FIFO)"
    } else if t.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
pub(crate) fn special_kind(_: &Metadata) -> &'static str {
    "a device"
}

#[cfg(unix)]
fn refuse_directory_before_opening(_: &Path) -> Result<(), ModelError> {
    Ok(())
}

/// Elsewhere a directory cannot be opened at all, and the system's error does not say why.
#[cfg(not(unix))]
fn refuse_directory_before_opening(path: &Path) -> Result<(), ModelError> {
    match std::fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(not_a_file(path, &about)),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(unix)]
fn read_exact_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, out, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                out = out.get_mut(n..).unwrap_or_default();
                offset = offset.saturating_add(n as u64);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
