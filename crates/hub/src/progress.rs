//! What a long operation reports while it works.

use std::path::Path;

/// What kind of work a bar shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Bytes arrive over the network.
    Download,
    /// A file is taken out of a downloaded package (its hash is computed on the way).
    Unpack,
    /// A file on disk is hashed.
    Check,
    /// Another process downloads the same file; this one waits for it.
    Wait,
}

/// One event. For each piece of work there is one `Start`, any number of `Advance`, and one `Finish`
/// unless the work fails; a failed source may be followed by the `Start` of the next one. Counts are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress<'a> {
    /// One line that the user should see (a fallback, a retry, a file that is used in place).
    Notice(&'a str),
    /// Work begins. `done` is above 0 when an earlier download is resumed.
    Start {
        /// What kind of work this is.
        phase: Phase,
        /// The file or package.
        what: &'a str,
        /// Where it comes from, for people: a host or "the package index".
        from: &'a str,
        /// Bytes already present.
        done: u64,
        /// Bytes in all, where known.
        total: Option<u64>,
    },
    /// Work goes on. `done` may fall back to 0 when a server makes a download start over.
    Advance {
        /// Bytes finished.
        done: u64,
        /// Bytes in all, where known.
        total: Option<u64>,
    },
    /// The work that last started is complete; for a download, `path` is the checked file or package.
    Finish {
        /// The file that the work was about.
        path: &'a Path,
    },
}

/// How progress is reported.
pub(crate) type Report<'a> = dyn FnMut(Progress<'_>) + 'a;
