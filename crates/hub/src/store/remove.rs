//! Removing models: files of our own cache, and nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{LocalModel, NOTE, Store, collect};
use crate::alias;
use crate::download;
use crate::error::HubError;
use crate::landing::beside;
use crate::progress::Report;
use crate::reference::{HubRef, ModelRef};
use crate::{hfcache, select};

/// A model that can be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Its name, as lists have it.
    pub name: String,
    /// Its files in the cache.
    pub files: Vec<PathBuf>,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Store {
    /// See [`crate::removal`].
    pub fn removal(&self, model: &str) -> Result<Removal, HubError> {
        let absent = || HubError::NotInCache { model: model.to_string() };
        let path = match alias::find(self.aliases, model) {
            Some(alias) => {
                let own = self.alias_path(&alias)?;
                match self.present_alias(&alias) {
                    _ if own.is_file() => own,
                    Some(path) => return Err(HubError::NotOurs { path }),
                    None => return Err(absent()),
                }
            }
            None => match ModelRef::parse(model, self.aliases) {
                Ok(ModelRef::Hub(hub)) => self.kept_hub(&hub, absent)?,
                Ok(ModelRef::Path(path)) => path,
                Ok(ModelRef::Alias(_)) | Err(HubError::UnknownModel { .. }) => return Err(absent()),
                Err(error) => return Err(error),
            },
        };
        let path = self.own(&path)?;
        let LocalModel { name, bytes, .. } =
            self.list()?.into_iter().find(|listed| listed.path == path).ok_or_else(absent)?;
        let file = path.file_name().and_then(|name| name.to_str()).ok_or_else(absent)?;
        let parts = select::parts(file).into_iter().map(|part| path.with_file_name(part));
        let alias = self.aliases.iter().find(|alias| alias.name == name);
        let others =
            alias.into_iter().flat_map(|alias| alias.beside).map(|other| path.with_file_name(other.file));
        let files = parts.chain(others).filter(|part| part.is_symlink() || part.exists()).collect();
        Ok(Removal { name, files, bytes })
    }

    /// See [`crate::remove`].
    pub fn remove(&self, removal: &Removal, progress: &mut Report<'_>) -> Result<(), HubError> {
        for file in &removal.files {
            let file = self.own(file)?;
            // A download of the same file ends first.
            let _lock = self.lock(&file, progress)?;
            delete(&file)?;
            delete(&beside(&file, NOTE))?;
            download::discard_partial(&file);
        }
        for file in &removal.files {
            // (Its folder may be gone with one before.)
            if let Ok(file) = self.own(file) {
                self.delete_empty_folders(&file);
            }
        }
        Ok(())
    }

    /// The file in our cache that a hub reference means.
    fn kept_hub(&self, hub: &HubRef, absent: impl Fn() -> HubError) -> Result<PathBuf, HubError> {
        if let Some(path) = self.present_hub(hub) {
            return Ok(path);
        }
        let dir = self.hub_dir(hub)?;
        let mut files = Vec::new();
        if dir.is_dir() {
            collect(&dir, 0, &mut files)?;
        }
        // A file that is not whole is one to remove as well.
        if let Some(named) = hub.file.as_deref().filter(|file| file.contains('.')) {
            let path = dir.join(&select::parts(named)[0]);
            if path.is_file() {
                return Ok(path);
            }
        }
        let firsts: Vec<LocalModel> = files.iter().filter_map(|path| self.local_model(path)).collect();
        match (hub.file.as_deref(), firsts.as_slice()) {
            (None, [only]) => return Ok(only.path.clone()),
            (None, [_, ..]) => {
                let inside =
                    |m: &LocalModel| m.path.strip_prefix(&dir).unwrap_or(&m.path).display().to_string();
                let files = firsts.iter().map(inside).collect();
                return Err(HubError::AmbiguousRepo { repo: hub.repo_id(), files });
            }
            _ => {}
        }
        match self.config.hf_cache.as_ref().and_then(|cache| hfcache::find(cache, hub)) {
            Some(path) => Err(HubError::NotOurs { path }),
            None => Err(absent()),
        }
    }

    /// The path as lists have it, if it lies in the cache without a link that leads out of it.
    fn own(&self, path: &Path) -> Result<PathBuf, HubError> {
        let outside = || HubError::NotOurs { path: path.to_path_buf() };
        let root = self.config.models_dir()?;
        let whole =
            |path: &Path| fs::canonicalize(path).map_err(|error| HubError::io(path, "reading", error));
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Err(outside()) };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if !root.is_dir() {
            return Err(outside());
        }
        let folder = whole(folder)?;
        let relative = folder.strip_prefix(whole(&root)?).map_err(|_| outside())?;
        Ok(root.join(relative).join(name))
    }

    fn delete_empty_folders(&self, file: &Path) {
        let Ok(root) = self.config.models_dir() else { return };
        // A folder that is not empty ends it, and so does the cache itself.
        for folder in
            file.ancestors().skip(1).take_while(|folder| **folder != root && folder.starts_with(&root))
        {
            if fs::remove_dir(folder).is_err() {
                return;
            }
        }
    }
}

/// Deletes a file that may be gone already.
fn delete(path: &Path) -> Result<(), HubError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(HubError::io(path, "removing", error)),
        _ => Ok(()),
    }
}
