//! A small HTTP server on 127.0.0.1 whose answers a test writes, and a configuration that knows only it.
#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its server should stop")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use akunu_hub::{Config, Network, Phase, Progress};

/// More connections than any test needs.
const MAX_CONNECTIONS: usize = 64;

#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Position in the order of arrival, from 0.
    pub(crate) number: usize,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Close the connection after this many bytes of the body.
    pub(crate) cut: Option<usize>,
    /// The length to announce, where it is not the body's.
    pub(crate) length: Option<u64>,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_string(), value.into()));
        self
    }

    pub(crate) fn cut(mut self, bytes: usize) -> Self {
        self.cut = Some(bytes);
        self
    }

    pub(crate) fn redirect(to: impl Into<String>) -> Self {
        Self::new(302, "").with("location", to)
    }

    /// `content` as a good server sends it: ranges, `If-Range` and 416 included.
    pub(crate) fn file(request: &Request, content: &[u8], etag: &str) -> Self {
        let range =
            request.header("range").and_then(|r| r.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
        let valid = request.header("if-range").is_none_or(|tag| tag == etag);
        let total = content.len();
        match range.filter(|_| valid) {
            Some(start) if start >= total => {
                Self::new(416, "").with("content-range", format!("bytes */{total}"))
            }
            Some(start) => Self::new(206, &content[start..])
                .with("content-range", format!("bytes {start}-{}/{total}", total - 1)),
            None => Self::new(200, content),
        }
        .with("etag", etag)
    }
}

pub(crate) struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(handler: impl Fn(&Request) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (log, done) = (seen.clone(), stop.clone());
        let thread = thread::spawn(move || {
            for stream in listener.incoming().take(MAX_CONNECTIONS) {
                if done.load(Ordering::SeqCst) {
                    return;
                }
                let _ = stream.ok().and_then(|stream| answer(stream, &log, &handler));
            }
        });
        Self { port, seen, stop, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(stream: TcpStream, log: &Mutex<Vec<Request>>, handler: &dyn Fn(&Request) -> Answer) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let mut lines = BufReader::new(stream.try_clone().ok()?.take(64 << 10)).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_string();
    let headers = lines
        .map_while(|line| line.ok().filter(|line| !line.is_empty()))
        .filter_map(|line| line.split_once(": ").map(|(k, v)| (k.to_lowercase(), v.to_string())))
        .collect();
    let request = Request { number: log.lock().unwrap().len(), path, headers };
    let answer = handler(&request);
    // Before the answer: the client may look at the log as soon as it has that.
    log.lock().unwrap().push(request);
    let mut head = format!("HTTP/1.1 {} Test\r\nconnection: close\r\n", answer.status);
    head.push_str(&format!("content-length: {}\r\n", answer.length.unwrap_or(answer.body.len() as u64)));
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let sent = &answer.body[..answer.cut.unwrap_or(answer.body.len()).min(answer.body.len())];
    let mut stream = stream;
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(b"\r\n"));
    stream.write_all(sent).ok()
}

/// A configuration that touches nothing outside `dir` and reaches nothing but `endpoint`.
pub(crate) fn config(dir: &Path, endpoint: &str) -> Config {
    Config {
        cache_dir: Some(dir.join("cache")),
        endpoint: endpoint.to_string(),
        token: None,
        hf_cache: None,
        network: Network::Online,
        pip: Vec::new(),
        connect_timeout: Duration::from_secs(2),
        read_timeout: Duration::from_secs(5),
        retry_delay: Duration::from_millis(1),
    }
}

/// What was reported, as text.
#[derive(Default)]
pub(crate) struct Events(pub(crate) Vec<String>);

impl Events {
    pub(crate) fn hear(&mut self, event: Progress<'_>) {
        self.0.push(match event {
            Progress::Notice(text) => format!("notice: {text}"),
            Progress::Start { phase, done, total, .. } => format!("{phase:?} {done} of {total:?}"),
            Progress::Advance { done, .. } => format!("{done}"),
            Progress::Finish { .. } => "finish".to_string(),
        });
    }

    pub(crate) fn notices(&self) -> Vec<&str> {
        self.0.iter().filter_map(|line| line.strip_prefix("notice: ")).collect()
    }

    pub(crate) fn started(&self, phase: Phase) -> usize {
        self.0.iter().filter(|line| line.starts_with(&format!("{phase:?} "))).count()
    }
}

/// Bytes that repeat nowhere near a block, so that a misplaced half shows.
pub(crate) fn content(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
