//! Clients that go away, and servers that end.

use crate::client::{Answer, LONG, Running, SMALL, entry, post};
use akunu_server::{ModelEntry, Options, ServerError};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A request that draws until somebody stops it.
fn endless(prompt: Value, stream: bool) -> Vec<u8> {
    post("/v1/completions", &json!({"prompt": prompt, "ignore_eos": true, "stream": stream}))
}

fn send(s: &Running, bytes: &[u8]) -> TcpStream {
    let mut c = s.connect();
    c.write_all(bytes).unwrap();
    c
}

/// Reads until a stream has given some text.
fn read_some(c: &mut TcpStream) {
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    while all.windows(7).filter(|w| w == b"\"text\":").count() < 3 {
        let n = c.read(&mut piece).unwrap();
        assert!(n > 0);
        all.extend_from_slice(&piece[..n]);
    }
}

/// All that still comes.
fn read_rest(c: &mut TcpStream) -> String {
    let mut all = Vec::new();
    // A connection that is cut off may end with an error.
    let _ = c.read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn who_leaves_is_cancelled_in_any_state() {
    let s = Running::new(LONG, Options::default());
    for stream in [true, false] {
        let before = s.metric("akunu_requests_cancelled_total");
        // While it draws.
        let mut drawing = send(&s, &endless(json!("abc"), stream));
        if stream {
            read_some(&mut drawing);
        }
        s.wait("vllm:num_requests_running", 1.0);
        // While it waits for a place.
        let waiting = send(&s, &endless(json!("abcd"), stream));
        s.wait("vllm:num_requests_waiting", 1.0);
        drop(waiting);
        s.wait("vllm:num_requests_waiting", 0.0);
        s.wait("vllm:num_requests_running", 1.0);
        assert_eq!(s.metric("akunu_requests_in_flight"), 1.0);
        let since = Instant::now();
        drop(drawing);
        s.rest();
        assert!(since.elapsed() < Duration::from_secs(5));
        // In its prompt, which takes long.
        let ids: Vec<u32> = (0..39_000).map(|i| i * 7 % 900).collect();
        let prompt = send(&s, &endless(json!(ids), stream));
        s.wait("vllm:num_requests_running", 1.0);
        let drawn = s.metric("vllm:generation_tokens_total");
        drop(prompt);
        s.rest();
        assert_eq!(s.metric("vllm:generation_tokens_total"), drawn, "it had left its prompt");
        assert_eq!(s.metric("akunu_requests_cancelled_total"), before + 3.0);
    }
    // Others are answered.
    assert_eq!(s.post("/v1/completions", &json!({"prompt": "x", "max_tokens": 2})).status, 200);
}

#[test]
fn a_full_queue_is_told() {
    let s = Running::new(LONG, Options::default());
    let clients: Vec<TcpStream> = (0..3)
        .map(|i| {
            let c = send(&s, &endless(json!("abc"), true));
            s.wait("akunu_requests_accepted_total", f64::from(i + 1));
            s.wait("vllm:num_requests_running", 1.0);
            c
        })
        .collect();
    s.wait("vllm:num_requests_waiting", 2.0);
    let e = s.post("/v1/completions", &json!({"prompt": "x"}));
    assert_eq!(e.code(), (503, "queue_full".to_owned()));
    assert!(e.headers["retry-after"].parse::<u32>().unwrap() > 0);
    drop(clients);
    s.rest();
    assert_eq!(s.metric("akunu_requests_accepted_total"), 3.0);
}

#[test]
fn a_silent_stream_says_that_it_lives() {
    let s = Running::new(LONG, Options { keep_alive: Duration::from_millis(30), ..Options::default() });
    let _drawing = send(&s, &endless(json!("abc"), true));
    s.wait("vllm:num_requests_running", 1.0);
    let mut waiting = send(&s, &endless(json!("abcd"), true));
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    while !all.windows(14).any(|w| w == b": keep-alive\n\n") {
        let n = waiting.read(&mut piece).unwrap();
        all.extend_from_slice(&piece[..n]);
    }
}

#[test]
fn draining_finishes_what_is_under_way_and_stopping_does_not() {
    let s = Running::new(SMALL, Options::default());
    let mut c =
        send(&s, &post("/v1/completions", &json!({"prompt": "abc", "ignore_eos": true, "stream": true})));
    read_some(&mut c);
    let mut idle = s.connect();
    s.handle.drain();
    assert!(read_rest(&mut c).contains("[DONE]"));
    assert_eq!(Answer::read(&mut idle).status, 0);
    let since = Instant::now();
    while TcpStream::connect(s.address).is_ok() {
        assert!(since.elapsed() < Duration::from_secs(5));
    }
    s.end().unwrap();

    let s = Running::new(LONG, Options::default());
    let mut c = send(&s, &endless(json!("abc"), true));
    read_some(&mut c);
    s.handle.drain();
    s.handle.stop();
    assert!(!read_rest(&mut c).contains("[DONE]"));
    s.end().unwrap();
}

#[test]
fn a_model_that_loads_is_waited_for_and_one_that_cannot_ends_the_server() {
    let slow = ModelEntry::new("slow", || {
        std::thread::sleep(Duration::from_millis(500));
        Err("the file is\nbroken".into())
    });
    let s = Running::of(vec![slow], Options::default());
    let e = s.get("/health");
    assert_eq!(e.code(), (503, "loading".to_owned()));
    assert!(e.headers.contains_key("retry-after"));
    let e = s.post("/v1/completions", &json!({"prompt": "x"}));
    assert_eq!(e.code(), (503, "model_loading".to_owned()));
    s.wait_for_end();
    assert!(matches!(s.end(), Err(ServerError::Fatal { why }) if why.contains("broken")));
    let s = Running::of(vec![ModelEntry::new("mad", || panic!("oh"))], Options::default());
    s.wait_for_end();
    assert!(matches!(s.end(), Err(ServerError::Fatal { .. })));
}

#[test]
fn servers_that_make_no_sense_are_not_made() {
    let tiny = || entry("tiny", SMALL);
    let new = |models, options| akunu_server::Server::new(models, options).map(|_| ());
    assert!(matches!(new(vec![], Options::default()), Err(ServerError::NoModel)));
    let twice = vec![tiny(), entry("other", SMALL).aliases(vec!["tiny".into()])];
    assert!(matches!(new(twice, Options::default()), Err(ServerError::SameName { .. })));
    for key in ["", "a b", "ö", "a\n"] {
        let options = Options { keys: vec![key.into()], ..Options::default() };
        assert!(matches!(new(vec![tiny()], options), Err(ServerError::Key)), "{key:?}");
    }
    let server = akunu_server::Server::new(vec![tiny()], Options::default()).unwrap();
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    assert!(matches!(server.run(listener), Err(ServerError::Open { .. })));
}
