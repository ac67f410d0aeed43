//! One download of a file at a time, across processes. The lock is advisory and ends with its process;
//! its small file stays, because removing it would let two processes lock two different files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::error::HubError;
use crate::landing::beside;
use crate::progress::{Phase, Progress, Report};

/// Holds the right to write one cache file.
pub(crate) struct Lock {
    _file: Option<File>,
}

impl Lock {
    /// Waits for the right to write `dest`, whose lock file lies in `locks`.
    pub(crate) fn acquire(
        locks: &Path,
        models: &Path,
        dest: &Path,
        progress: &mut Report<'_>,
    ) -> Result<Self, HubError> {
        fs::create_dir_all(locks).map_err(|error| HubError::io(locks, "creating", error))?;
        let relative =
            dest.strip_prefix(models).unwrap_or(dest).to_string_lossy().replace(['/', '\\', ':'], "--");
        let path = locks.join(format!("{relative}.lock"));
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| HubError::io(&path, "opening", error))?;
        let mut announced = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: Some(file) }),
                Err(TryLockError::WouldBlock) => {
                    if !announced {
                        announce(dest, progress);
                        announced = true;
                    }
                    if let Ok(part) = fs::metadata(beside(dest, ".part")) {
                        progress(Progress::Advance { done: part.len(), total: None });
                    }
                    thread::sleep(Duration::from_millis(200));
                }
                // Some network file systems have no locks; a clash there ends in a failed hash, not in a bad file.
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                    return Ok(Self { _file: None });
                }
                Err(TryLockError::Error(error)) => return Err(HubError::io(&path, "locking", error)),
            }
        }
    }
}

fn announce(dest: &Path, progress: &mut Report<'_>) {
    let what = dest.file_name().unwrap_or_default().to_string_lossy();
    progress(Progress::Notice(&format!("another process is downloading {what}; waiting for it")));
    progress(Progress::Start {
        phase: Phase::Wait,
        what: &what,
        from: "another process",
        done: 0,
        total: None,
    });
}
