//! Downloads from a hub, against a server whose answers each test writes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use akunu_hub::{Config, Fate, HubError, Network, Phase, Store, Token, TokenUse};
use support::{Answer, Events, Request, Server, config, content, sha256};

const LEN: usize = 3_000_000;

fn resolve(config: &Config, model: &str) -> (Result<PathBuf, HubError>, Events) {
    let mut events = Events::default();
    let result = Store::new(config.clone()).resolve(model, &mut |event| events.hear(event));
    (result, events)
}

/// The file as the hub announces it.
fn linked(request: &Request, bytes: &[u8], etag: &str) -> Answer {
    Answer::file(request, bytes, etag)
        .with("x-linked-etag", format!("\"{}\"", sha256(bytes)))
        .with("x-linked-size", bytes.len().to_string())
}

fn files_below(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                found.push(entry.file_name().into_string().unwrap());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn fetches_once_then_uses_the_cache() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = content(LEN);
    let body = bytes.clone();
    let server = Server::start(move |request| linked(request, &body, "\"e\""));
    let mut config = config(dir.path(), &server.url());

    let (path, events) = resolve(&config, "hf:o/r:sub/m.gguf");
    let path = path.unwrap();
    assert_eq!(path, dir.path().join("cache/models/hf/o/r/main/sub/m.gguf"));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(server.requests()[0].path, "/o/r/resolve/main/sub/m.gguf");
    assert_eq!(events.0.first().unwrap(), &format!("Download 0 of Some({LEN})"));
    assert_eq!(events.0.last().unwrap(), "finish");
    assert_eq!(files_below(&dir.path().join("cache/models")), ["m.gguf", "m.gguf.akunu.json"]);

    config.network = Network::Offline;
    assert_eq!(resolve(&config, "hf:o/r:sub/m.gguf").0.unwrap(), path);
    assert_eq!(server.requests().len(), 1);

    let store = Store::new(config);
    let listed = store.list().unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].name.as_str(), listed[0].bytes), ("hf:o/r:sub/m.gguf", LEN as u64));
    let verified = store.verify(&path, &mut |_| {}).unwrap();
    assert_eq!(verified.expected, Some(sha256(&bytes)));

    let mut damaged = bytes;
    damaged[LEN / 2] ^= 1;
    fs::write(&path, damaged).unwrap();
    let error = store.verify(&path, &mut |_| {}).unwrap_err();
    assert!(matches!(error, HubError::HashMismatch { fate: Fate::Kept, .. }), "{error}");
    assert!(path.exists());
}

#[test]
fn a_broken_connection_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = content(LEN);
    let body = bytes.clone();
    let server = Server::start(move |request| match request.number {
        0 => linked(request, &body, "\"e\"").cut(1_000_000),
        1 => Answer::new(503, "busy"),
        _ => linked(request, &body, "\"e\""),
    });
    let (path, events) = resolve(&config(dir.path(), &server.url()), "hf:o/r:m.gguf");
    assert_eq!(fs::read(path.unwrap()).unwrap(), bytes);
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[2].header("range"), Some("bytes=1000000-"));
    assert_eq!(requests[2].header("if-range"), Some("\"e\""));
    assert_eq!((events.notices().len(), events.started(Phase::Download)), (2, 1));
}

/// Leaves a partial download of `cut` bytes of `bytes` behind.
fn leave_partial(dir: &Path, config: &Config, model: &str) {
    let (result, _) = resolve(config, model);
    assert!(matches!(result, Err(HubError::Unauthorized { .. })), "{result:?}");
    assert!(files_below(dir).contains(&"m.gguf.part".to_string()));
}

#[test]
fn a_later_run_resumes() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = content(LEN);
    let body = bytes.clone();
    let server = Server::start(move |request| match request.number {
        0 => linked(request, &body, "\"e\"").cut(2_000_000),
        1 => Answer::new(403, ""),
        _ => linked(request, &body, "\"e\""),
    });
    let config = config(dir.path(), &server.url());
    leave_partial(dir.path(), &config, "hf:o/r:m.gguf");
    let (path, events) = resolve(&config, "hf:o/r:m.gguf");
    assert_eq!(fs::read(path.unwrap()).unwrap(), bytes);
    assert_eq!(server.requests()[2].header("range"), Some("bytes=2000000-"));
    assert_eq!(events.0[0], format!("Download 2000000 of Some({LEN})"));
    assert_eq!(files_below(&dir.path().join("cache/models")), ["m.gguf", "m.gguf.akunu.json"]);
}

#[test]
fn changed_content_starts_over() {
    let (old, new) = (content(LEN), content(LEN + 5));
    // As `If-Range` asks (200), and by a server that ignores it (206 with another tag, then 200).
    for ignores_if_range in ["no", "yes"] {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (old.clone(), new.clone());
        let server = Server::start(move |request| match request.number {
            0 => Answer::file(request, &first, "\"old\"").cut(1_000_000),
            1 => Answer::new(403, ""),
            2 if ignores_if_range == "yes" => {
                let mut request = request.clone();
                request.headers.retain(|(name, _)| name != "if-range");
                Answer::file(&request, &second, "\"new\"")
            }
            _ => Answer::file(request, &second, "\"new\""),
        });
        let config = config(dir.path(), &server.url());
        leave_partial(dir.path(), &config, "hf:o/r:m.gguf");
        let (path, _) = resolve(&config, "hf:o/r:m.gguf");
        assert_eq!(fs::read(path.unwrap()).unwrap(), new, "ignores If-Range: {ignores_if_range}");
    }
}

#[test]
fn changed_hash_starts_over() {
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (content(LEN), vec![7; LEN]);
    let body = new.clone();
    let server = Server::start(move |request| match request.number {
        0 => linked(request, &old, "\"same\"").cut(1_000_000),
        1 => Answer::new(403, ""),
        _ => linked(request, &body, "\"same\""),
    });
    let config = config(dir.path(), &server.url());
    leave_partial(dir.path(), &config, "hf:o/r:m.gguf");
    assert_eq!(fs::read(resolve(&config, "hf:o/r:m.gguf").0.unwrap()).unwrap(), new);
}

#[test]
fn range_not_satisfiable() {
    let bytes = content(LEN);
    // Whole already: accepted after its hash. Too long: dropped and fetched again.
    for partial in [bytes.clone(), vec![1; LEN + 9]] {
        let dir = tempfile::tempdir().unwrap();
        let body = bytes.clone();
        let server = Server::start(move |request| match request.number {
            0 => linked(request, &body, "\"e\"").cut(1_000_000),
            1 => Answer::new(403, ""),
            _ => linked(request, &body, "\"e\""),
        });
        let config = config(dir.path(), &server.url());
        leave_partial(dir.path(), &config, "hf:o/r:m.gguf");
        fs::write(dir.path().join("cache/models/hf/o/r/main/m.gguf.part"), &partial).unwrap();
        assert_eq!(fs::read(resolve(&config, "hf:o/r:m.gguf").0.unwrap()).unwrap(), bytes);
        assert_eq!(server.requests().len(), if partial.len() == LEN { 3 } else { 4 });
    }
}

#[test]
fn the_token_stays_with_the_hub() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = content(1000);
    let body = bytes.clone();
    let storage = Server::start(move |request| Answer::file(request, &body, "\"e\""));
    let (target, hash) = (format!("{}/blob?signature=s3cret", storage.url()), sha256(&bytes));
    let hub = Server::start(move |request| match request.path.as_str() {
        "/o/r/resolve/main/m.gguf" => Answer::redirect("/new/r/resolve/main/m.gguf"),
        _ => Answer::redirect(&target).with("x-linked-etag", format!("\"{hash}\"")),
    });
    let mut config = config(dir.path(), &hub.url());
    config.token = Token::new("hf_secret");
    assert_eq!(fs::read(resolve(&config, "hf:o/r:m.gguf").0.unwrap()).unwrap(), bytes);
    let at_hub = hub.requests();
    assert_eq!(at_hub.len(), 2);
    assert!(at_hub.iter().all(|request| request.header("authorization") == Some("Bearer hf_secret")));
    let at_storage = storage.requests();
    assert_eq!(at_storage.len(), 1);
    assert!(at_storage[0].headers.iter().all(|(_, value)| !value.contains("hf_secret")));
}

#[test]
fn storage_cannot_vouch_for_itself() {
    let dir = tempfile::tempdir().unwrap();
    let storage = Server::start(|request| {
        // Its own hash, which must not replace the hub's.
        linked(request, b"other", "\"e\"")
    });
    let target = storage.url();
    let hub = Server::start(move |_| {
        Answer::redirect(&target).with("x-linked-etag", format!("\"{}\"", sha256(b"right")))
    });
    let (result, _) = resolve(&config(dir.path(), &hub.url()), "hf:o/r:m.gguf");
    assert!(matches!(&result, Err(HubError::HashMismatch { fate: Fate::Removed, .. })), "{result:?}");
    assert!(files_below(&dir.path().join("cache/models")).is_empty());
}

#[test]
fn redirects_are_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|_| Answer::redirect("/again"));
    let (result, _) = resolve(&config(dir.path(), &server.url()), "hf:o/r:m.gguf");
    assert!(matches!(result, Err(HubError::BadResponse { .. })), "{result:?}");
    assert_eq!(server.requests().len(), 9);
}

#[test]
fn wrong_bytes_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|request| {
        Answer::file(request, b"wrong bytes", "\"e\"")
            .with("x-linked-etag", format!("\"{}\"", sha256(b"right")))
    });
    let (result, _) = resolve(&config(dir.path(), &server.url()), "hf:o/r:m.gguf");
    match result {
        Err(HubError::HashMismatch { expected, found, fate: Fate::Removed, .. }) => {
            assert_eq!((expected, found), (sha256(b"right"), sha256(b"wrong bytes")));
        }
        other => panic!("{other:?}"),
    }
    assert!(files_below(&dir.path().join("cache/models")).is_empty());
}

#[test]
fn refusals_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|request| {
        let repos = [("gated", 403), ("private", 401), ("gone", 404), ("teapot", 418)];
        let status = repos.iter().find(|(repo, _)| request.path.contains(&format!("o/{repo}/")));
        Answer::new(status.map_or(500, |(_, status)| *status), "")
    });
    let mut config = config(dir.path(), &server.url());
    let (result, _) = resolve(&config, "hf:o/gone:m.gguf");
    assert!(matches!(result, Err(HubError::NotFound { .. })), "{result:?}");
    let (result, _) = resolve(&config, "hf:o/private:m.gguf");
    assert!(matches!(result, Err(HubError::Unauthorized { status: 401, token: TokenUse::Absent, .. })));
    let (result, _) = resolve(&config, "hf:o/teapot:m.gguf");
    assert!(matches!(result, Err(HubError::Http { status: 418, .. })), "{result:?}");
    assert_eq!(server.requests().len(), 3);
    let (result, _) = resolve(&config, "hf:o/broken:m.gguf");
    assert!(matches!(result, Err(HubError::Http { status: 500, .. })), "{result:?}");
    assert_eq!(server.requests().len(), 3 + 4);
    config.token = Token::new("t");
    let (result, _) = resolve(&config, "hf:o/gated");
    assert!(matches!(result, Err(HubError::Unauthorized { status: 403, token: TokenUse::Sent, .. })));
    assert!(files_below(&dir.path().join("cache/models")).is_empty());
}

#[test]
fn a_body_that_always_breaks_off_ends_in_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = content(LEN);
    // A server without ranges: each attempt begins anew, and none gets further.
    let server = Server::start(move |_| Answer::new(200, bytes.clone()).with("etag", "\"e\"").cut(1_500_000));
    let (result, events) = resolve(&config(dir.path(), &server.url()), "hf:o/r:m.gguf");
    match result {
        Err(HubError::Interrupted { got: 1_500_000, total: Some(total), .. }) => {
            assert_eq!(total, LEN as u64)
        }
        other => panic!("{other:?}"),
    }
    assert!(server.requests().len() <= 5);
    assert!(!events.notices().is_empty());
    assert!(files_below(dir.path()).contains(&"m.gguf.part".to_string()));
}

fn listing(files: &[(&str, &[u8])]) -> Vec<u8> {
    let row = |(name, bytes): &(&str, &[u8])| {
        let (size, sha) = (bytes.len(), sha256(bytes));
        serde_json::json!({"rfilename": name, "size": size, "lfs": {"sha256": sha, "size": size}})
    };
    let siblings: Vec<_> = files.iter().map(row).collect();
    serde_json::to_vec(&serde_json::json!({"id": "o/r", "sha": "c", "siblings": siblings})).unwrap()
}

#[test]
fn a_repository_alone_means_its_preferred_file() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|request| match request.path.as_str() {
        "/api/models/o/r/revision/main?blobs=true" => {
            let part: &[u8] = b"part";
            Answer::new(
                200,
                listing(&[
                    ("m.Q8_0.gguf", b"eight"),
                    ("m.Q4_0.gguf", b"four"),
                    ("README.md", b"read"),
                    ("q2/m-Q2_K-00001-of-00002.gguf", part),
                    ("q2/m-Q2_K-00002-of-00002.gguf", part),
                ]),
            )
        }
        "/o/r/resolve/main/m.Q4_0.gguf" => Answer::new(200, "four"),
        "/o/r/resolve/main/m.Q8_0.gguf" => Answer::new(200, "eight"),
        path if path.starts_with("/o/r/resolve/main/q2/m-Q2_K-0000") => Answer::new(200, "part"),
        _ => Answer::new(404, ""),
    });
    let mut config = config(dir.path(), &server.url());
    let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_string();
    assert_eq!(name(resolve(&config, "hf:o/r:q8_0").0.unwrap()), "m.Q8_0.gguf");
    assert_eq!(name(resolve(&config, "hf:o/r").0.unwrap()), "m.Q4_0.gguf");
    assert_eq!(name(resolve(&config, "hf:o/r:Q2_K").0.unwrap()), "m-Q2_K-00001-of-00002.gguf");
    let (missing, _) = resolve(&config, "hf:o/r:Q3_K");
    assert!(matches!(missing, Err(HubError::NoMatchingFile { .. })), "{missing:?}");

    config.network = Network::HubOffline;
    assert_eq!(name(resolve(&config, "hf:o/r").0.unwrap()), "m.Q4_0.gguf");
    assert_eq!(name(resolve(&config, "hf:o/r:Q8_0").0.unwrap()), "m.Q8_0.gguf");
    let (offline, _) = resolve(&config, "hf:o/other");
    assert!(matches!(offline, Err(HubError::Offline { setting: "HF_HUB_OFFLINE", .. })), "{offline:?}");
    let listed = Store::new(config).list().unwrap();
    let listed: Vec<_> = listed.iter().map(|model| (model.name.as_str(), model.bytes)).collect();
    let split = ("hf:o/r:q2/m-Q2_K-00001-of-00002.gguf", 8);
    assert_eq!(listed, [("hf:o/r:m.Q4_0.gguf", 4), ("hf:o/r:m.Q8_0.gguf", 5), split]);
}

#[test]
fn listings_that_are_ambiguous_or_hostile() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|request| match request.path.split('/').nth(4) {
        Some("two") => Answer::new(200, listing(&[("a.gguf", b"a"), ("b.gguf", b"b")])),
        Some("out") => Answer::new(200, listing(&[("../../../out.gguf", b"a")])),
        Some("none") => Answer::new(200, listing(&[("model.safetensors", b"a")])),
        _ => Answer::new(200, "<html>a captive portal</html>"),
    });
    let config = config(dir.path(), &server.url());
    match resolve(&config, "hf:o/two").0 {
        Err(HubError::AmbiguousRepo { files, .. }) => assert_eq!(files, ["a.gguf", "b.gguf"]),
        other => panic!("{other:?}"),
    }
    assert!(matches!(resolve(&config, "hf:o/out").0, Err(HubError::InvalidReference { .. })));
    assert!(matches!(resolve(&config, "hf:o/none").0, Err(HubError::NoMatchingFile { .. })));
    assert!(matches!(resolve(&config, "hf:o/portal").0, Err(HubError::BadResponse { .. })));
    assert!(matches!(resolve(&config, "hf:o/r:../../x").0, Err(HubError::InvalidReference { .. })));
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn two_at_once_download_once() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = content(LEN);
    let body = bytes.clone();
    let server = Server::start(move |request| {
        thread::sleep(std::time::Duration::from_millis(300));
        linked(request, &body, "\"e\"")
    });
    let config = config(dir.path(), &server.url());
    let paths: Vec<PathBuf> = thread::scope(|scope| {
        let runs: Vec<_> =
            (0..3).map(|_| scope.spawn(|| resolve(&config, "hf:o/r:m.gguf").0.unwrap())).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(paths.iter().all(|path| *path == paths[0]));
    assert_eq!(fs::read(&paths[0]).unwrap(), bytes);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn the_shared_cache_is_used_in_place() {
    let dir = tempfile::tempdir().unwrap();
    let shared = dir.path().join("hf/hub");
    let file = shared.join("models--o--r/snapshots/abc/m.Q8_0.gguf");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "x").unwrap();
    let mut config = config(dir.path(), "http://127.0.0.1:1");
    config.hf_cache = Some(shared);
    config.network = Network::Offline;
    assert_eq!(resolve(&config, "hf:o/r").0.unwrap(), file);
    assert_eq!(resolve(&config, "hf:o/r:m.Q8_0.gguf").0.unwrap(), file);
    assert!(matches!(resolve(&config, "hf:o/r:other.gguf").0, Err(HubError::Offline { .. })));
}

#[test]
fn unreachable_and_unwritable() {
    let dir = tempfile::tempdir().unwrap();
    let (result, _) = resolve(&config(dir.path(), "http://127.0.0.1:1"), "hf:o/r:m.gguf");
    assert!(matches!(result, Err(HubError::Unreachable { .. })), "{result:?}");
    let (result, _) = resolve(&config(dir.path(), "http://name.invalid"), "hf:o/r");
    assert!(matches!(result, Err(HubError::Unreachable { .. })), "{result:?}");

    let mut blocked = config(dir.path(), "http://127.0.0.1:1");
    blocked.cache_dir = Some(dir.path().join("file"));
    fs::write(dir.path().join("file"), "not a folder").unwrap();
    let (result, _) = resolve(&blocked, "hf:o/r:m.gguf");
    assert!(matches!(result, Err(HubError::Io { .. })), "{result:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(|request| linked(request, &content(LEN), "\"e\""));
    let config = config(dir.path(), &server.url());
    let folder = dir.path().join("cache/models/hf/o/r/main");
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.join("m.gguf.part")).unwrap();
    let (result, _) = resolve(&config, "hf:o/r:m.gguf");
    match result {
        Err(error @ HubError::DiskFull { needed, .. }) => {
            assert_eq!(needed, Some(LEN as u64));
            assert!(error.to_string().contains("AKUNU_CACHE"));
        }
        other => panic!("{other:?}"),
    }
}

#[cfg(unix)]
#[test]
fn what_cannot_fit_is_not_begun() {
    let huge = 1u64 << 60;
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(move |_| Answer { length: Some(huge), ..Answer::new(200, "begin") });
    let (result, _) = resolve(&config(dir.path(), &server.url()), "hf:o/r:m.gguf");
    let error = result.unwrap_err();
    assert!(
        matches!(error, HubError::DiskFull { needed: Some(n), free: Some(_), .. } if n == huge),
        "{error}"
    );
    assert!(!error.to_string().contains('\n'));
    assert_eq!(fs::read_dir(dir.path().join("cache/models/hf/o/r/main")).unwrap().count(), 0);

    // The listing tells the sizes: the parts of a split model are added before the first is asked for.
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(move |request| match request.path.contains("/api/") {
        true => Answer::new(
            200,
            format!(
                "{{\"siblings\":[{{\"rfilename\":\"m-Q8_0-00001-of-00002.gguf\",\"size\":{huge}}},\
                 {{\"rfilename\":\"m-Q8_0-00002-of-00002.gguf\",\"size\":{huge}}}]}}"
            ),
        ),
        false => Answer::new(500, ""),
    });
    let (result, _) = resolve(&config(dir.path(), &server.url()), "hf:o/r");
    assert!(matches!(result, Err(HubError::DiskFull { needed: Some(n), .. }) if n == 2 * huge), "{result:?}");
    assert_eq!(server.requests().len(), 1);
}

/// Nothing of the environment names a folder: a path is enough, and all else says what to set.
#[test]
fn without_a_cache_folder_paths_and_other_caches_still_work() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("m.gguf");
    fs::write(&file, "m").unwrap();
    let mut none = config(dir.path(), "http://127.0.0.1:1");
    none.cache_dir = None;
    assert_eq!(resolve(&none, file.to_str().unwrap()).0.unwrap(), file);
    let store = akunu_hub::Store::new(none.clone());
    for failed in
        [resolve(&none, "smollm2").0.map(drop), resolve(&none, "hf:o/r").0.map(drop), store.list().map(drop)]
    {
        let error = failed.unwrap_err();
        assert!(matches!(error, HubError::NoCacheDir), "{error}");
        assert!(error.to_string().contains("set AKUNU_CACHE"));
    }
    assert!(store.aliases().iter().all(|state| state.path.is_none()));

    let snapshot = dir.path().join("hub/models--o--r/snapshots/abc");
    fs::create_dir_all(&snapshot).unwrap();
    fs::write(snapshot.join("m.gguf"), "m").unwrap();
    none.hf_cache = Some(dir.path().join("hub"));
    assert_eq!(resolve(&none, "hf:o/r").0.unwrap(), snapshot.join("m.gguf"));
}
