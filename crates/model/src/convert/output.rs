//! A file that is written in any order, under another name until it is complete.

use crate::ModelError;
use crate::gguf::write::FileLayout;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The file being written. Dropped before [`Output::finish`], it leaves nothing behind.
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
        hidden.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(hidden);
        let failed = |what: &str, source| ModelError::Io { path: path.into(), what: what.into(), source };
        let opened = OpenOptions::new().write(true).create_new(true).open(&part);
        let file = opened.map_err(|e| failed("cannot create a file beside it", e))?;
        let out = Self { path: path.into(), part, file, finished: false };
        out.file.set_len(layout.bytes).map_err(|e| failed("cannot make it so large", e))?;
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
