//! A file on its way in: written under a temporary name beside its final one, hashed as it grows, and
//! given its name only when its size and hash are right and it is on the disk.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::{Fate, HubError};
use crate::space;

/// Refuses what cannot fit. Where the free space is not known, the write itself will tell.
pub(crate) fn require_space(path: &Path, bytes: u64) -> Result<(), HubError> {
    match space::free(path) {
        Some(free) if free < bytes => {
            Err(HubError::DiskFull { path: path.to_path_buf(), needed: Some(bytes), free: Some(free) })
        }
        _ => Ok(()),
    }
}

/// What a file must turn out to be.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expected {
    pub(crate) sha256: Option<String>,
    pub(crate) bytes: Option<u64>,
}

/// Whether bytes left by an earlier run are taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earlier {
    Continue,
    Discard,
}

/// What a finished file is.
#[derive(Debug, Clone)]
pub(crate) struct Landed {
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
}

/// A file being written.
pub(crate) struct Landing {
    part: PathBuf,
    file: File,
    hasher: Sha256,
    len: u64,
}

impl Landing {
    /// Opens the temporary file `part`, creating its folder.
    pub(crate) fn open(part: PathBuf, earlier: Earlier) -> Result<Self, HubError> {
        if let Some(folder) = part.parent() {
            fs::create_dir_all(folder).map_err(|error| HubError::io(folder, "creating", error))?;
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(earlier == Earlier::Discard)
            .open(&part)
            .map_err(|error| HubError::io(&part, "opening", error))?;
        let mut landing = Self { part, file, hasher: Sha256::new(), len: 0 };
        if earlier == Earlier::Continue {
            let mut reader = &landing.file;
            landing.len = feed(&mut landing.hasher, &mut reader, &mut |_| {})
                .map_err(|error| HubError::io(&landing.part, "reading", error))?;
        }
        Ok(landing)
    }

    /// Bytes present.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), HubError> {
        self.file.write_all(bytes).map_err(|error| HubError::io(&self.part, "writing", error))?;
        self.hasher.update(bytes);
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Forgets everything written.
    pub(crate) fn restart(&mut self) -> Result<(), HubError> {
        if self.len == 0 {
            return Ok(());
        }
        let emptied = self.file.set_len(0).and_then(|()| self.file.rewind());
        emptied.map_err(|error| HubError::io(&self.part, "emptying", error))?;
        self.hasher = Sha256::new();
        self.len = 0;
        Ok(())
    }

    /// Checks the file and gives it its name; a wrong one is removed.
    pub(crate) fn commit(self, dest: &Path, expected: &Expected) -> Result<Landed, HubError> {
        let Self { part, file, hasher, len } = self;
        let found = hex(&hasher.finalize());
        let path = || dest.to_path_buf();
        let wrong_size = expected.bytes.filter(|bytes| *bytes != len);
        let wrong_hash = expected.sha256.clone().filter(|hash| *hash != found);
        let wrong = match (wrong_size, wrong_hash) {
            (Some(expected), _) => Some(HubError::SizeMismatch { path: path(), expected, found: len }),
            (None, Some(expected)) => {
                let (found, fate) = (found.clone(), Fate::Removed);
                Some(HubError::HashMismatch { path: path(), expected, found, fate })
            }
            (None, None) => None,
        };
        if let Some(error) = wrong {
            drop(file);
            fs::remove_file(&part).map_err(|error| HubError::io(&part, "removing", error))?;
            return Err(error);
        }
        file.sync_all().map_err(|error| HubError::io(&part, "writing", error))?;
        drop(file);
        fs::rename(&part, dest).map_err(|error| HubError::io(dest, "naming", error))?;
        sync_folder(dest);
        Ok(Landed { sha256: found, bytes: len })
    }
}

/// Makes the new name last; a system that cannot sync a folder loses nothing but that.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
}

/// `path` with `suffix` appended to its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// SHA-256 and length of a file; `advance` hears how far it got.
pub(crate) fn hash_file(path: &Path, advance: &mut dyn FnMut(u64)) -> Result<Landed, HubError> {
    let file = File::open(path).map_err(|error| HubError::io(path, "opening", error))?;
    let mut hasher = Sha256::new();
    let bytes =
        feed(&mut hasher, &mut &file, advance).map_err(|error| HubError::io(path, "reading", error))?;
    Ok(Landed { sha256: hex(&hasher.finalize()), bytes })
}

fn feed(hasher: &mut Sha256, reader: &mut dyn Read, advance: &mut dyn FnMut(u64)) -> io::Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut len = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(len),
            Ok(count) => {
                hasher.update(&buffer[..count]);
                len += count as u64;
                advance(len);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_not_there_yet_has_its_disks_space() {
        let dir = tempfile::tempdir().unwrap();
        let later = dir.path().join("not/yet");
        assert!(space::free(&later).is_some());
        assert!(require_space(&later, 1).is_ok());
        let refused = require_space(&later, u64::MAX).unwrap_err();
        assert!(
            matches!(&refused, HubError::DiskFull { path, needed: Some(u64::MAX), .. } if *path == later)
        );
        assert!(require_space(Path::new("relative/and/absent"), 1).is_ok());
    }
}
