//! What a disk still takes, asked before a download begins and when one fails.

use std::path::Path;

use crate::error::HubError;

/// Bytes that this user may still write at `path`, which need not exist yet; `None` where the system does not say.
#[cfg(unix)]
pub(crate) fn free(path: &Path) -> Option<u64> {
    let existing = path.ancestors().find(|p| p.exists()).unwrap_or(Path::new("."));
    let disk = rustix::fs::statvfs(existing).ok()?;
    // Some network file systems know no sizes and say so with zeros.
    (disk.f_blocks > 0).then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Bytes that this user may still write at `path`; `None` where the system does not say.
#[cfg(not(unix))]
pub(crate) fn free(_: &Path) -> Option<u64> {
    None
}

/// Refuses what cannot fit. Where the free space is not known, the write itself will tell.
pub(crate) fn require(path: &Path, bytes: u64) -> Result<(), HubError> {
    match free(path) {
        Some(free) if free < bytes => {
            Err(HubError::DiskFull { path: path.to_path_buf(), needed: Some(bytes), free: Some(free) })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_not_there_yet_has_its_disks_space() {
        let dir = tempfile::tempdir().unwrap();
        let later = dir.path().join("not/yet");
        assert!(free(&later).is_some());
        assert!(require(&later, 1).is_ok());
        let refused = require(&later, u64::MAX).unwrap_err();
        assert!(
            matches!(&refused, HubError::DiskFull { path, needed: Some(u64::MAX), .. } if *path == later)
        );
        assert!(require(Path::new("relative/and/absent"), 1).is_ok());
    }
}
