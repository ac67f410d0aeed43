//! A server inside the test, and a client of plain sockets.

use akunu::{BatchOptions, DeviceChoice, Engine, EngineOptions, LoadOptions, Model, Source, Token};
use akunu_server::{Handle, ModelEntry, Options, Server, ServerError};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How a test's model runs.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) context: u32,
    pub(crate) sequences: u32,
    pub(crate) queue: usize,
}

pub(crate) const SMALL: Size = Size { context: 600, sequences: 4, queue: 64 };
/// So long that what runs does not end by itself.
pub(crate) const LONG: Size = Size { context: 40_000, sequences: 1, queue: 2 };

/// A server that ends with the test.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) handle: Handle,
    thread: Option<JoinHandle<Result<(), ServerError>>>,
}

/// An engine over a tiny model with a tokenizer and a template.
pub(crate) fn engine(size: Size) -> Result<Engine, akunu::Error> {
    engine_of(size, &[])
}

/// The same with these control tokens.
pub(crate) fn engine_of(size: Size, control: &[(Token, &str)]) -> Result<Engine, akunu::Error> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    let file = akunu_conformance::tiny_gguf_with("tiny-llama:q8_0", Token(1023), control).unwrap();
    std::fs::write(&path, file).unwrap();
    let load = LoadOptions {
        device: DeviceChoice::Cpu,
        context: Some(size.context),
        threads: Some(1),
        ..LoadOptions::default()
    };
    let model = Model::load(&Source::Path(path), &load, &mut |_| {})?;
    let batch = BatchOptions { sequences: Some(size.sequences), ..BatchOptions::default() };
    Engine::new(&model, &EngineOptions { batch, queue: size.queue, ..EngineOptions::default() })
}

pub(crate) fn entry(name: &str, size: Size) -> ModelEntry {
    ModelEntry::new(name, move || engine(size).map(Into::into).map_err(|e| e.to_string()))
}

impl Running {
    /// Serves one tiny model, and waits until it answers.
    pub(crate) fn new(size: Size, options: Options) -> Self {
        Self::ready(vec![entry("tiny", size).aliases(vec!["gpt-x".into()])], options)
    }

    /// Serves some models, and waits until they answer.
    pub(crate) fn ready(models: Vec<ModelEntry>, options: Options) -> Self {
        let s = Self::of(models, options);
        for _ in 0..2000 {
            if s.get("/health").status == 200 {
                return s;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server does not become healthy");
    }

    pub(crate) fn of(models: Vec<ModelEntry>, options: Options) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::new(models, options).unwrap();
        let handle = server.handle();
        let thread = std::thread::spawn(move || server.run(listener));
        Self { address, handle, thread: Some(thread) }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let s = TcpStream::connect(self.address).unwrap();
        s.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        s.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
        s
    }

    /// Sends these bytes, and reads until the server closes.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut s = self.connect();
        // A server that refuses early reads no more.
        let _ = s.write_all(bytes);
        Answer::read(&mut s)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.raw(head("GET", path, "").as_bytes())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.raw(&post(path, body))
    }

    /// A number of `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        metric(&self.get("/metrics").text(), name)
    }

    /// Waits until the server has ended by itself.
    pub(crate) fn wait_for_end(&self) {
        let since = Instant::now();
        while self.thread.as_ref().is_some_and(|t| !t.is_finished()) {
            assert!(since.elapsed() < Duration::from_secs(60), "the server goes on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until a number is what it should be.
    pub(crate) fn wait(&self, name: &str, want: f64) {
        let since = Instant::now();
        while self.metric(name) != want {
            assert!(since.elapsed() < Duration::from_secs(60), "{name} is {}, not {want}", self.metric(name));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until nothing runs, waits or is held.
    pub(crate) fn rest(&self) {
        for name in [
            "akunu_requests_in_flight",
            "vllm:num_requests_waiting",
            "vllm:num_requests_running",
            "vllm:kv_cache_usage_perc",
        ] {
            self.wait(name, 0.0);
        }
    }

    /// Drains, and waits for the end.
    pub(crate) fn end(mut self) -> Result<(), ServerError> {
        self.handle.drain();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server panicked");
        }
    }
}

/// The number of a line of metrics, its labels left out.
pub(crate) fn metric(text: &str, name: &str) -> f64 {
    let line = text.lines().find(|l| {
        l.starts_with(name) && !l[name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
    });
    line.and_then(|l| l.rsplit(' ').next()?.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
}

/// The head of a request that ends its connection.
pub(crate) fn head(method: &str, path: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{more}\r\n")
}

pub(crate) fn post(path: &str, body: &Value) -> Vec<u8> {
    post_bytes(path, body.to_string().as_bytes())
}

pub(crate) fn post_bytes(path: &str, body: &[u8]) -> Vec<u8> {
    let mut all = head("POST", path, &format!("content-length: {}\r\n", body.len())).into_bytes();
    all.extend_from_slice(body);
    all
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    /// 0 where the connection was closed without one.
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(s: &mut TcpStream) -> Self {
        let mut all = Vec::new();
        let mut piece = [0; 65536];
        loop {
            match s.read(&mut piece) {
                Ok(0) => break,
                Ok(n) => all.extend_from_slice(&piece[..n]),
                // A server that closed while bytes were on their way to it.
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => break,
                Err(e) => panic!("{e}, after {:?}", String::from_utf8_lossy(&all)),
            }
        }
        Self::of(&all)
    }

    pub(crate) fn of(all: &[u8]) -> Self {
        let Some(end) = all.windows(4).position(|w| w == b"\r\n\r\n") else {
            return Self { status: 0, headers: HashMap::new(), body: all.to_vec() };
        };
        let head = std::str::from_utf8(&all[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: HashMap<String, String> = lines
            .map(|l| l.split_once(':').unwrap())
            .map(|(k, v)| (k.to_lowercase(), v.trim().to_owned()))
            .collect();
        let rest = &all[end + 4..];
        let chunked = headers.get("transfer-encoding").is_some_and(|v| v == "chunked");
        let body = if chunked { unchunked(rest) } else { rest.to_vec() };
        Self { status, headers, body }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// The events of a stream, without comments and `[DONE]`.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data = text.split("\n\n").filter_map(|e| e.lines().find_map(|l| l.strip_prefix("data: ")));
        data.filter(|d| *d != "[DONE]").map(|d| serde_json::from_str(d).unwrap()).collect()
    }

    /// The code of an error in OpenAI's shape.
    pub(crate) fn code(&self) -> (u16, String) {
        let v = self.json();
        let e = &v["error"];
        assert!(e["message"].is_string() && e["type"].is_string() && e.get("param").is_some(), "{v}");
        (self.status, e["code"].as_str().unwrap().to_owned())
    }
}

/// A body in chunks, as far as it came.
fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(end) = rest.windows(2).position(|w| w == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 || rest.len() < end + 4 + size {
            break;
        }
        out.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
    out
}
