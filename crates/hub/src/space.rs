//! What a disk still takes.

use std::path::Path;

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
