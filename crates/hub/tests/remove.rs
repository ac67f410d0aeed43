//! Removing models: all that belongs to one, and nothing that lies outside the cache.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use akunu_hub::{Config, HubError, Store};
use support::config;

/// A model in the cache with its note, and its path.
fn put(config: &Config, place: &str, name: &str) -> PathBuf {
    let path = config.cache_dir.as_ref().unwrap().join("models").join(place);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, b"weights").unwrap();
    let note = format!(r#"{{"source":"{name}","sha256":"0","bytes":7}}"#);
    fs::write(note_of(&path), note).unwrap();
    path
}

fn note_of(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.akunu.json", path.display()))
}

fn setting(dir: &Path) -> (Config, Store) {
    let config = config(dir, "http://127.0.0.1:9");
    (config.clone(), Store::new(config))
}

fn remove(store: &Store, model: &str) -> Result<u64, HubError> {
    let found = store.removal(model)?;
    store.remove(&found, &mut |_| {})?;
    assert!(found.files.iter().all(|f| !f.exists()));
    Ok(found.bytes)
}

#[test]
fn a_model_goes_with_its_note_and_its_empty_folders() {
    let dir = tempfile::tempdir().unwrap();
    let (config, store) = setting(dir.path());
    let a = put(&config, "hf/o/r/main/a.gguf", "hf:o/r:a.gguf");
    let b = put(&config, "hf/o/r/main/b.gguf", "hf:o/r:b.gguf");
    fs::write(format!("{}.part", a.display()), b"half").unwrap();
    let found = store.removal("hf:o/r:a.gguf").unwrap();
    assert_eq!((found.name.as_str(), found.bytes, found.files.len()), ("hf:o/r:a.gguf", 7, 1));
    assert!(a.exists(), "looking removes nothing");
    assert_eq!(remove(&store, "hf:o/r:a.gguf").unwrap(), 7);
    assert!(!note_of(&a).exists() && !PathBuf::from(format!("{}.part", a.display())).exists());
    assert!(b.exists() && note_of(&b).exists());
    // One is left, so the repository's name is enough.
    remove(&store, "hf:o/r").unwrap();
    assert!(
        !config.cache_dir.as_ref().unwrap().join("models/hf").exists()
            && config.cache_dir.as_ref().unwrap().join("models").is_dir()
    );
    assert!(matches!(remove(&store, "hf:o/r"), Err(HubError::NotInCache { .. })));
}

#[test]
fn all_parts_of_a_split_model_go() {
    let dir = tempfile::tempdir().unwrap();
    let (config, store) = setting(dir.path());
    let parts: Vec<PathBuf> = (1..=3)
        .map(|i| {
            put(&config, &format!("hf/o/r/main/m-0000{i}-of-00003.gguf"), "hf:o/r:m-00001-of-00003.gguf")
        })
        .collect();
    assert_eq!(remove(&store, parts[0].to_str().unwrap()).unwrap(), 21);
    assert!(parts.iter().all(|p| !p.exists() && !note_of(p).exists()));
}

#[test]
fn several_files_that_fit_are_named_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (config, store) = setting(dir.path());
    put(&config, "hf/o/r/main/a.gguf", "hf:o/r:a.gguf");
    put(&config, "hf/o/r/main/b.gguf", "hf:o/r:b.gguf");
    let e = remove(&store, "hf:o/r").unwrap_err().to_string();
    assert!(e.contains("a.gguf") && e.contains("b.gguf"), "{e}");
    assert_eq!(store.list().unwrap().len(), 2);
}

#[test]
fn an_alias_goes_even_where_its_file_is_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let (config, store) = setting(dir.path());
    assert!(matches!(remove(&store, "smollm2"), Err(HubError::NotInCache { .. })));
    let path = put(&config, akunu_hub::ALIASES[0].file, "x");
    remove(&store, akunu_hub::ALIASES[0].name).unwrap();
    assert!(!path.exists());
}

#[test]
fn nothing_outside_the_cache_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let (config, store) = setting(dir.path());
    let inside = put(&config, "hf/o/r/main/a.gguf", "hf:o/r:a.gguf");
    let outside = dir.path().join("mine.gguf");
    fs::write(&outside, b"mine").unwrap();
    let models = config.cache_dir.as_ref().unwrap().join("models");
    let around = models.join("../../mine.gguf");
    for path in [&outside, &around] {
        let e = remove(&store, path.to_str().unwrap()).unwrap_err();
        assert!(matches!(e, HubError::NotOurs { .. }), "{e}");
    }
    // Notes and folders are no models.
    for path in [note_of(&inside), models.join("hf"), models.clone()] {
        let e = remove(&store, path.to_str().unwrap()).unwrap_err();
        assert!(
            matches!(e, HubError::NotInCache { .. } | HubError::NotOurs { .. }),
            "{}: {e}",
            path.display()
        );
    }
    assert!(matches!(remove(&store, "hf:../x:a.gguf"), Err(HubError::InvalidReference { .. })));
    assert_eq!(fs::read(&outside).unwrap(), b"mine");
    assert!(inside.exists() && note_of(&inside).exists());
}

#[cfg(unix)]
#[test]
fn links_are_removed_and_not_followed() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let (config, store) = setting(dir.path());
    let outside = dir.path().join("elsewhere");
    fs::create_dir_all(outside.join("r/main")).unwrap();
    fs::write(outside.join("r/main/a.gguf"), b"mine").unwrap();
    let models = config.cache_dir.as_ref().unwrap().join("models");
    fs::create_dir_all(models.join("hf")).unwrap();
    // A link to a folder outside.
    symlink(&outside, models.join("hf/o")).unwrap();
    let through = models.join("hf/o/r/main/a.gguf");
    for name in ["hf:o/r:a.gguf", through.to_str().unwrap()] {
        let e = remove(&store, name).unwrap_err();
        assert!(matches!(e, HubError::NotOurs { .. } | HubError::NotInCache { .. }), "{name}: {e}");
    }
    // A link to a file outside.
    let link = models.join("linked.gguf");
    symlink(outside.join("r/main/a.gguf"), &link).unwrap();
    remove(&store, link.to_str().unwrap()).unwrap();
    assert!(!link.is_symlink());
    assert_eq!(fs::read(outside.join("r/main/a.gguf")).unwrap(), b"mine");
}
