//! A look into the hub cache that other programs share: files found there are used in place.
//!
//! Layout: `models--owner--repo/refs/<revision>` names a commit, `snapshots/<commit>/<file>` is the file
//! (often a link to `blobs/<sha256>`).

use std::fs;
use std::path::{Path, PathBuf};

use crate::reference::{HubRef, is_safe_file};
use crate::select::{self, RepoFile};

/// Folders searched below one snapshot.
const MAX_DEPTH: usize = 4;
/// Files looked at in one snapshot.
const MAX_FILES: usize = 10_000;

/// The first file of the model that `hub` means, if a snapshot has all of it.
pub(crate) fn find(cache: &Path, hub: &HubRef) -> Option<PathBuf> {
    let repo = cache.join(format!("models--{}--{}", hub.owner, hub.repo));
    snapshots(&repo, &hub.revision).into_iter().find_map(|snapshot| {
        let mut files = Vec::new();
        collect(&snapshot, "", 0, &mut files);
        let chosen = select::select(&hub.repo_id(), &files, hub.file.as_deref()).ok()?;
        chosen.first().map(|file| snapshot.join(&file.path))
    })
}

/// The snapshot of this revision; the newest others only where it is `main` and nothing names its commit.
fn snapshots(repo: &Path, revision: &str) -> Vec<PathBuf> {
    let all = repo.join("snapshots");
    let commit = fs::read_to_string(repo.join("refs").join(revision)).ok();
    let commit = commit.as_deref().map_or(revision, str::trim);
    if is_safe_file(commit) && all.join(commit).is_dir() {
        return vec![all.join(commit)];
    }
    if revision != "main" {
        return Vec::new();
    }
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    let mut dated: Vec<_> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| (entry.metadata().and_then(|data| data.modified()).ok(), entry.path()))
        .collect();
    dated.sort();
    dated.into_iter().rev().map(|(_, path)| path).collect()
}

fn collect(folder: &Path, prefix: &str, depth: usize, files: &mut Vec<RepoFile>) {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else { continue };
        // Follows links: a snapshot's files are links to blobs, and a broken one is no file.
        let Ok(metadata) = fs::metadata(entry.path()) else { continue };
        if metadata.is_file() && files.len() < MAX_FILES {
            files.push(RepoFile { path: name, bytes: Some(metadata.len()), sha256: None });
        } else if metadata.is_dir() && depth < MAX_DEPTH {
            collect(&entry.path(), &format!("{name}/"), depth + 1, files);
        }
    }
}

/// The SHA-256 that names the blob behind a snapshot's file, where it is a link to one.
pub(crate) fn blob_hash(path: &Path) -> Option<String> {
    let target = fs::read_link(path).ok()?;
    let name = target.file_name()?.to_str()?;
    (name.len() == 64 && name.bytes().all(|c| c.is_ascii_hexdigit())).then(|| name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hub(revision: &str, file: Option<&str>) -> HubRef {
        HubRef {
            owner: "o".into(),
            repo: "r".into(),
            revision: revision.into(),
            file: file.map(str::to_string),
        }
    }

    #[test]
    fn finds_the_snapshot_of_the_revision() {
        let cache = tempfile::tempdir().unwrap();
        let repo = cache.path().join("models--o--r");
        for commit in ["aaa", "bbb"] {
            fs::create_dir_all(repo.join("snapshots").join(commit).join("sub")).unwrap();
        }
        fs::create_dir_all(repo.join("refs")).unwrap();
        fs::write(repo.join("refs/main"), "bbb\n").unwrap();
        fs::write(repo.join("snapshots/aaa/m.gguf"), "old").unwrap();
        fs::write(repo.join("snapshots/bbb/sub/m.gguf"), "new").unwrap();

        let found = |revision, file| find(cache.path(), &hub(revision, file));
        assert_eq!(found("main", Some("sub/m.gguf")), Some(repo.join("snapshots/bbb/sub/m.gguf")));
        assert_eq!(found("main", None), Some(repo.join("snapshots/bbb/sub/m.gguf")));
        assert_eq!(found("aaa", None), Some(repo.join("snapshots/aaa/m.gguf")));
        assert_eq!(found("main", Some("m.gguf")), None);
        assert_eq!(found("dev", None), None);

        fs::write(repo.join("refs/main"), "../../../etc").unwrap();
        assert!(found("main", None).is_some(), "a bad ref falls back to the snapshots there are");
    }
}
