//! `akunu serve` as a process: it listens, answers, ends.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_akunu"));
    c.current_dir(dir).arg("serve").args(args).env("AKUNU_OFFLINE", "1");
    for name in ["AKUNU_API_KEY", "AKUNU_HOST", "AKUNU_PORT"] {
        c.env_remove(name);
    }
    c.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    c
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("tiny.gguf"), akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap())
        .unwrap();
    dir
}

struct Served {
    child: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves on a free port, and waits until it answers.
fn serve(mut command: Command) -> Served {
    let mut child = command.args(["--port", "0", "--json", "--device", "cpu", "-t", "1"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let address = said["listening"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    let served = Served { child, address };
    let since = Instant::now();
    while served.ask("GET", "/health", "", "").0 != 200 {
        assert!(since.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    served
}

impl Served {
    fn send(&self, method: &str, path: &str, more: &str, body: &str) -> TcpStream {
        let port = self.address.rsplit(':').next().unwrap();
        let mut s = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        let n = body.len();
        write!(s, "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{more}content-length: {n}\r\n\r\n{body}")
            .unwrap();
        s
    }

    /// Status and text of an answer.
    fn ask(&self, method: &str, path: &str, more: &str, body: &str) -> (u16, String) {
        let mut all = String::new();
        self.send(method, path, more, body).read_to_string(&mut all).unwrap();
        (all.split(' ').nth(1).unwrap().parse().unwrap(), all)
    }

    fn signal(&self) {
        let pid = rustix::process::Pid::from_raw(self.child.id() as i32).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    fn code(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_signal_lets_answers_end_and_a_second_one_does_not() {
    let dir = folder();
    let endless = json!({"prompt": "abc", "ignore_eos": true, "stream": true}).to_string();
    for (context, signals, code) in [("3000", 1, 0), ("60000", 2, 143)] {
        let mut s = serve(command(dir.path(), &["tiny.gguf", "-c", context]));
        let mut running = s.send("POST", "/v1/completions", "", &endless);
        let mut some = [0; 2000];
        running.read_exact(&mut some).unwrap();
        s.signal();
        if signals == 2 {
            std::thread::sleep(Duration::from_millis(300));
            s.signal();
        }
        let mut rest = String::new();
        let _ = running.read_to_string(&mut rest);
        assert_eq!(rest.contains("[DONE]"), signals == 1);
        assert_eq!(s.code(), Some(code));
    }
}

#[test]
fn names_keys_and_places_come_from_options_and_the_environment() {
    let dir = folder();
    std::fs::copy(dir.path().join("tiny.gguf"), dir.path().join("other.gguf")).unwrap();
    std::fs::write(dir.path().join("keys"), "one\n\n  two \n").unwrap();
    let args = [
        "tiny.gguf",
        "-m",
        "other.gguf",
        "-a",
        "gpt",
        "-a",
        "claude=other",
        "--api-key-file",
        "keys",
        "-np",
        "3",
    ];
    let mut c = command(dir.path(), &args);
    c.env("AKUNU_HOST", "0.0.0.0").env("AKUNU_PORT", "");
    let s = serve(c);
    assert!(s.address.starts_with("0.0.0.0:"));
    assert_eq!(s.ask("GET", "/v1/models", "", "").0, 401);
    let (status, models) = s.ask("GET", "/v1/models", "x-api-key: two\r\n", "");
    assert!(status == 200 && models.contains("\"tiny\"") && models.contains("\"other\""), "{models}");
    assert!(s.ask("GET", "/v1/models/claude", "x-api-key: one\r\n", "").1.contains("\"id\":\"other\""));
    assert!(s.ask("GET", "/v1/models/gpt", "x-api-key: one\r\n", "").1.contains("\"id\":\"tiny\""));
    let (_, slots) = s.ask("GET", "/slots", "x-api-key: one\r\n", "");
    assert_eq!(slots.matches("is_processing").count(), 3);
}

#[test]
fn what_makes_no_server_is_told() {
    let dir = folder();
    let fails = |mut c: Command, code: i32, words: &[&str]| {
        let o = c.output().unwrap();
        let err = String::from_utf8_lossy(&o.stderr).into_owned();
        assert_eq!(o.status.code(), Some(code), "{err}");
        assert!(words.iter().all(|w| err.contains(w)) && !err.contains("panicked"), "{err}");
    };
    let with = |args: &[&str]| command(dir.path(), args);
    fails(with(&["tiny.gguf", "--host", "0.0.0.0"]), 1, &["--allow-anyone", "--api-key"]);
    fails(with(&["tiny.gguf", "--host", "example.org"]), 2, &["--host"]);
    fails(with(&["tiny.gguf", "--port", "70000"]), 2, &["--port"]);
    fails(with(&["tiny.gguf", "--api-key", "two words"]), 1, &["API key"]);
    fails(with(&["tiny.gguf", "--api-key-file", "nowhere"]), 1, &["nowhere"]);
    fails(with(&["tiny.gguf", "-a", "x=y"]), 2, &["--alias", "tiny"]);
    fails(with(&["tiny.gguf", "-a", "tiny"]), 1, &["two models", "tiny"]);
    fails(with(&["nowhere.gguf"]), 1, &["nowhere.gguf"]);
    fails(with(&[]), 2, &["MODEL"]);
    let mut c = with(&["tiny.gguf"]);
    c.env("AKUNU_PORT", "many");
    fails(c, 2, &["AKUNU_PORT", "many"]);
    std::fs::write(dir.path().join("broken.gguf"), b"GGUF, but not really").unwrap();
    fails(with(&["broken.gguf", "--port", "0"]), 1, &["broken.gguf"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    fails(with(&["tiny.gguf", "--port", &port]), 1, &[&port]);
}

#[test]
fn a_file_has_models_and_the_environment_is_stronger() {
    let dir = folder();
    std::fs::copy(dir.path().join("tiny.gguf"), dir.path().join("second.gguf")).unwrap();
    let file = "host = \"192.0.2.1\"\napi-key = [\"of-the-file\"]\nmax-loaded = 1\nctx = 300\n[[model]]\npath = \"tiny.gguf\"\nalias = \"small\"\n\
                [[model]]\npath = \"second.gguf\"\nctx = 200\nsequences = 2\n";
    std::fs::write(dir.path().join("akunu.toml"), file).unwrap();
    let mut c = command(dir.path(), &["--config", "akunu.toml"]);
    c.env("AKUNU_HOST", "127.0.0.1").env("AKUNU_API_KEY", "of-the-environment");
    let s = serve(c);
    let ask = |key: &str, model: &str| {
        let body = json!({"model": model, "prompt": "x", "max_tokens": 2}).to_string();
        s.ask("POST", "/v1/completions", &format!("authorization: Bearer {key}\r\n"), &body)
    };
    assert_eq!(ask("of-the-file", "small").0, 401);
    assert_eq!(ask("of-the-environment", "small").0, 200);
    assert_eq!(ask("of-the-environment", "second").0, 200);
    let (_, models) = s.ask("GET", "/v1/models", "authorization: Bearer of-the-environment\r\n", "");
    assert!(models.contains("\"max_model_len\":200") && models.contains("\"small\""), "{models}");
}
