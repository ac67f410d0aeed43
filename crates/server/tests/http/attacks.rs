//! Who means ill, or is broken: each gets a typed answer or a closed connection, in bounded time, and the next request is served.

use crate::client::{Answer, LONG, Running, SMALL, head, post, post_bytes};
use akunu_server::{Options, WithoutKey};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A small request, which must be answered whatever came before.
fn is_well(s: &Running) {
    let a = s.post("/v1/completions", &json!({"model": "tiny", "prompt": "x", "max_tokens": 2}));
    assert_eq!(a.status, 200, "{a:?}");
    s.rest();
}

fn quick() -> Options {
    let short = Duration::from_millis(300);
    Options { head_timeout: short, body_timeout: short, write_timeout: short, ..Options::default() }
}

/// Every route but `/health`, with its method, and some that are not there.
fn routes() -> Vec<(String, String)> {
    let s = Running::new(SMALL, Options::default());
    let v = s.get("/openapi.json").json();
    let mut all =
        vec![("GET".into(), "/no/such/path".into()), ("OPTIONS".into(), "/v1/chat/completions".into())];
    for (path, methods) in v["paths"].as_object().unwrap().iter().filter(|(p, _)| *p != "/health") {
        let path = path.replace("{id}", "tiny");
        all.extend(methods.as_object().unwrap().keys().map(|m| (m.to_uppercase(), path.clone())));
    }
    assert!(all.len() > 20);
    all
}

#[test]
fn no_route_but_health_answers_without_the_key() {
    let s =
        Running::new(SMALL, Options { keys: vec!["s3cret".into(), "other".into()], ..Options::default() });
    assert_eq!(s.get("/health").status, 200);
    for (method, path) in &routes() {
        for key in [
            "",
            "authorization: Bearer wrong\r\n",
            "authorization: Bearer \r\n",
            "x-api-key: s3cret2\r\n",
            "authorization: Basic czpz\r\n",
        ] {
            let a = s.raw(head(method, path, key).as_bytes());
            assert!(a.status == 401 && a.json().get("error").is_some(), "{method} {path} {key}: {a:?}");
            assert!(a.headers.contains_key("www-authenticate") && !a.text().contains("s3cret"));
        }
    }
    for key in ["authorization: Bearer s3cret\r\n", "x-api-key: other\r\n"] {
        assert_eq!(s.raw(head("GET", "/v1/models", key).as_bytes()).status, 200);
    }
}

#[test]
fn foreign_hosts_and_origins_are_refused_on_every_route() {
    let s = Running::new(SMALL, Options::default());
    for (method, path) in &routes() {
        let a = s.raw(
            format!("{method} {path} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n").as_bytes(),
        );
        assert!(a.status == 403 && a.text().contains("host"), "{method} {path}: {a:?}");
        let a = s.raw(head(method, path, "origin: http://evil.example\r\n").as_bytes());
        assert!(a.status == 403 && a.text().contains("pages of other sites"), "{method} {path}: {a:?}");
        assert!(a.headers.keys().all(|h| !h.starts_with("access-control")));
    }
    let a =
        s.raw(b"GET http://evil.example/v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    assert_eq!(a.code().0, 403);
    assert_eq!(s.raw(b"GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n").code().0, 400);
    assert_eq!(s.raw(b"GET /v1/models HTTP/1.0\r\n\r\n").code().0, 400);
    assert_eq!(s.raw(head("GET", "/v1/models", "origin: http://localhost\r\n").as_bytes()).status, 200);
    is_well(&s);
}

#[test]
fn bombs_in_the_head() {
    let s = Running::new(SMALL, quick());
    let many: String = (0..5000).map(|i| format!("x-{i}: y\r\n")).collect();
    assert_eq!(s.raw(head("GET", "/health", &many).as_bytes()).status, 431);
    let wide = format!("x: {}\r\n", "y".repeat(1 << 20));
    assert!([0, 431].contains(&s.raw(head("GET", "/health", &wide).as_bytes()).status));
    let path = format!("/{}", "x".repeat(1 << 20));
    assert!([0, 414, 431].contains(&s.raw(head("GET", &path, "").as_bytes()).status));
    for nonsense in [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        &[0xff; 4096],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n",
    ] {
        assert!([0, 400, 505].contains(&s.raw(nonsense).status));
    }
    let both = "content-length: 5\r\ntransfer-encoding: chunked\r\n";
    let smuggled = [
        head("POST", "/tokenize", both).as_bytes(),
        b"0\r\n\r\nGET /v1/models HTTP/1.1\r\nhost: localhost\r\n\r\n",
    ]
    .concat();
    assert_ne!(s.raw(&smuggled).status, 200);
    for length in ["-1", "99999999999999999999", "5, 6", "x"] {
        let a = s.raw(head("POST", "/tokenize", &format!("content-length: {length}\r\n")).as_bytes());
        assert!([0, 400, 413].contains(&a.status), "{length}: {a:?}");
    }
    is_well(&s);
}

#[test]
fn slow_heads_bodies_and_silence_end() {
    let s = Running::new(SMALL, quick());
    let since = Instant::now();
    // A head that never ends, a byte now and then.
    let mut c = s.connect();
    c.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n").unwrap();
    while c.write_all(b"x: y\r\n").is_ok() && since.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(since.elapsed() < Duration::from_secs(10));
    // A body that stays away.
    let since = Instant::now();
    let a = s.raw(head("POST", "/tokenize", "content-length: 1000\r\n").as_bytes());
    assert_eq!(a.code(), (408, "body_timeout".to_owned()));
    let mut c = s.connect();
    c.write_all(head("POST", "/tokenize", "transfer-encoding: chunked\r\n").as_bytes()).unwrap();
    let mut dripping = c.try_clone().unwrap();
    let drip = std::thread::spawn(move || {
        while since.elapsed() < Duration::from_secs(20) && dripping.write_all(b"1\r\nx\r\n").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    assert_eq!(Answer::read(&mut c).code().0, 408);
    drop(c);
    drip.join().unwrap();
    // Connections that say nothing, before a request and after one.
    assert_eq!(Answer::read(&mut s.connect()).status, 0);
    let mut c = s.connect();
    c.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    assert_eq!(Answer::read(&mut c).status, 200);
    assert!(since.elapsed() < Duration::from_secs(15));
    is_well(&s);
}

#[test]
fn a_reader_that_stops_is_left() {
    let s = Running::new(LONG, quick());
    // With a small buffer of its own, so that what is on the way is not much more than the server's: 40,000 events are.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut c = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        socket.connect(s.address).await.unwrap().into_std().unwrap()
    });
    c.set_nonblocking(false).unwrap();
    c.write_all(&post("/v1/completions", &json!({"prompt": "abc", "ignore_eos": true, "stream": true})))
        .unwrap();
    s.wait("akunu_requests_accepted_total", 1.0);
    s.wait("akunu_requests_in_flight", 0.0);
    assert_eq!(s.metric("akunu_requests_cancelled_total"), 1.0, "it was answered to the end");
    drop(c);
    is_well(&s);
}

#[test]
fn json_that_is_meant_to_break_its_reader() {
    let s = Running::new(SMALL, Options::default());
    let deep = |open: &str| open.repeat(100_000).into_bytes();
    let bodies: Vec<Vec<u8>> = vec![
        deep("["),
        deep("{\"a\":"),
        [b"{\"prompt\":".to_vec(), deep("[")].concat(),
        b"{\"prompt\": \"a\", \"prompt\": \"b\"}".to_vec(),
        b"{\"prompt\": \"\\ud800\"}".to_vec(),
        b"{\"prompt\": \"\xff\xfe\"}".to_vec(),
        b"{\"prompt\": \"x\", \"temperature\": NaN}".to_vec(),
        b"{\"prompt\": \"x\", \"temperature\": 1e999}".to_vec(),
        b"{\"prompt\": \"x\", \"temperature\": -Infinity}".to_vec(),
        b"\"prompt\"".to_vec(),
        b"".to_vec(),
        b"null".to_vec(),
        b"{\"prompt\": \"x\"} trailing".to_vec(),
        vec![0; 1 << 16],
    ];
    for (method, path) in routes().iter().filter(|(m, _)| m == "POST") {
        for body in &bodies {
            let a = s.raw(&post_bytes(path, body));
            // Routes that take forms take nothing else.
            let (status, word) = if path.contains("/audio/") { (415, "form-data") } else { (400, "JSON") };
            assert!(a.status == status && a.text().contains(word), "{method} {path}: {a:?}");
            assert!(a.body.len() < 1000);
        }
    }
    is_well(&s);
}

#[test]
fn numbers_that_no_request_means() {
    let s = Running::new(SMALL, Options::default());
    for (name, values) in [
        (
            "max_tokens",
            vec![
                json!(-1),
                json!(0),
                json!(1e18),
                json!(i64::MIN),
                json!(u64::MAX),
                json!(0.5),
                json!(4_294_967_295u32),
            ],
        ),
        ("n", vec![json!(-1), json!(0), json!(1_000_000), json!(1e300), json!(u64::MAX)]),
        ("logprobs", vec![json!(-1), json!(1_000_000), json!(21), json!(1.5), json!(1e300), json!(true)]),
        ("temperature", vec![json!(-0.1), json!(1e300), json!("NaN")]),
        ("min_p", vec![json!(-0.1), json!(1.5)]),
        ("seed", vec![json!(-2), json!(u64::MAX), json!(1e30), json!("1")]),
        ("top_k", vec![json!(-2), json!(1e30), json!("5")]),
        ("top_p", vec![json!(-0.1), json!(1.5)]),
        ("frequency_penalty", vec![json!(1e300), json!("1")]),
        ("stop", vec![json!(5), json!([[]]), json!(["x".repeat(5000)])]),
    ] {
        for value in values {
            let a = s.post("/v1/completions", &json!({"prompt": "x", name: value}));
            assert_eq!(a.status, 400, "{name} {value}: {a:?}");
            let param = a.json()["error"]["param"].clone();
            assert!(param == name, "{name} {value}: {param}");
        }
    }
    is_well(&s);
}

#[test]
fn large_bodies_are_bounded_each_and_together() {
    let s = Running::new(SMALL, Options { body: 1 << 20, bodies: 2 << 20, ..Options::default() });
    let ten =
        post_bytes("/v1/completions", json!({"prompt": "a b ".repeat(10 << 18)}).to_string().as_bytes());
    // A server that closes while bytes are on their way may cut its answer off.
    let a = s.raw(&ten);
    assert!(a.status == 413 || a.status == 0, "{a:?}");
    // In chunks, whose sum nobody said.
    let mut c = s.connect();
    c.write_all(head("POST", "/v1/completions", "transfer-encoding: chunked\r\n").as_bytes()).unwrap();
    let chunk = [b"10000\r\n".to_vec(), vec![b' '; 1 << 16], b"\r\n".to_vec()].concat();
    let mut sent = 0;
    while sent < 64 && c.write_all(&chunk).is_ok() {
        sent += 1;
    }
    let a = Answer::read(&mut c);
    assert!(a.status == 413 || a.status == 0, "{a:?}");
    // Within its bound, and beyond the context: refused with the numbers.
    let long = s.post("/v1/completions", &json!({"prompt": "a b ".repeat(200_000)}));
    assert_eq!(long.code(), (400, "context_length_exceeded".to_owned()));
    // Many that are not whole yet.
    let half = vec![b' '; 900 << 10];
    let mut clients: Vec<TcpStream> = Vec::new();
    let since = Instant::now();
    loop {
        let a = s.raw(&post_bytes("/tokenize", &half));
        if a.status == 503 {
            assert!(a.code().1 == "bodies_full" && a.headers.contains_key("retry-after"));
            break;
        }
        // One more that holds its room, or is itself turned away.
        let mut c = s.connect();
        let length = format!("content-length: {}\r\n", 1 << 20);
        let _ = c.write_all(head("POST", "/tokenize", &length).as_bytes()).and_then(|()| c.write_all(&half));
        clients.push(c);
        assert!(since.elapsed() < Duration::from_secs(20), "{a:?}");
    }
    drop(clients);
    is_well(&s);
}

#[test]
fn too_many_connections_are_turned_away_and_come_back() {
    let s = Running::new(SMALL, Options { connections: 4, ..Options::default() });
    let held: Vec<TcpStream> = (0..4).map(|_| s.connect()).collect();
    let since = Instant::now();
    loop {
        let mut c = s.connect();
        let mut all = Vec::new();
        let _ = c.set_read_timeout(Some(Duration::from_millis(500)));
        let _ = c.read_to_end(&mut all);
        let a = Answer::of(&all);
        if a.status == 503 {
            assert_eq!(a.json()["error"]["code"], "connections_full");
            assert_eq!(a.headers["content-length"], a.body.len().to_string());
            break;
        }
        assert!(since.elapsed() < Duration::from_secs(20));
    }
    drop(held);
    while s.get("/health").status != 200 {
        assert!(since.elapsed() < Duration::from_secs(20));
    }
    is_well(&s);
}

#[test]
fn a_key_has_so_many_requests_a_minute() {
    let options = Options {
        keys: vec!["a".into(), "b".into()],
        rate: Some(3),
        without_key: WithoutKey::Anyone,
        ..Options::default()
    };
    let s = Running::new(SMALL, options);
    let ask = |key: &str| s.raw(head("GET", "/v1/models", &format!("x-api-key: {key}\r\n")).as_bytes());
    assert_eq!([ask("a").status, ask("a").status, ask("a").status], [200; 3]);
    let a = ask("a");
    assert_eq!(a.code(), (429, "rate_limit_exceeded".to_owned()));
    assert!(a.headers["retry-after"].parse::<u32>().unwrap() <= 61);
    assert_eq!(ask("b").status, 200);
}

#[test]
fn templates_get_no_hostile_arguments() {
    let s = Running::new(SMALL, Options::default());
    for more in [
        json!({"chat_template": "{{ 1 }}"}),
        json!({"chat_template_kwargs": {"x": "y"}}),
        json!({"documents": []}),
        json!({"tools": [{"x": 1}]}),
    ] {
        let mut v = json!({"messages": [{"role": "user", "content": "{% for a in range(9999999) %}{{ messages }}{% endfor %}"}], "max_tokens": 1});
        let mut plain = v.clone();
        v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(s.post("/v1/chat/completions", &v).code().0, 400, "{more}");
        // Text that looks like a template is text.
        plain.as_object_mut().unwrap().remove("max_tokens");
        let rendered = s.post("/apply-template", &plain).json();
        assert!(rendered["prompt"].as_str().unwrap().contains("{% for a in"));
    }
    let many: Vec<Value> = (0..5000).map(|_| json!({"role": "user", "content": ""})).collect();
    assert_eq!(s.post("/v1/chat/completions", &json!({ "messages": many })).code().0, 400);
    is_well(&s);
}

/// Ten times what there is room for, of clients that leave at any time, while the counts are watched.
#[test]
fn nothing_is_lost_in_a_crowd() {
    let s = Running::new(SMALL, Options::default());
    let until = Instant::now() + Duration::from_secs(4);
    let random = |seed: u64| {
        move |n: u64| {
            use std::hash::{DefaultHasher, Hash, Hasher};
            let mut h = DefaultHasher::new();
            (seed, n).hash(&mut h);
            h.finish()
        }
    };
    std::thread::scope(|scope| {
        for t in 0..40 {
            let (s, random) = (&s, random(t));
            scope.spawn(move || {
                for i in 0.. {
                    if Instant::now() > until {
                        return;
                    }
                    let r = random(i);
                    let word = format!("word{t} ");
                    let v = json!({"prompt": word, "echo": true, "stream": r % 2 == 0, "n": 1 + r % 3, "max_tokens": 1 + r % 40, "ignore_eos": true});
                    let mut c = s.connect();
                    c.write_all(&post("/v1/completions", &v)).unwrap();
                    match r % 5 {
                        0 => {}
                        1 => std::thread::sleep(Duration::from_micros(r % 20_000)),
                        _ => {
                            let a = Answer::read(&mut c);
                            assert!([200, 503].contains(&a.status), "{a:?}");
                            // Nobody gets another's text.
                            assert!(a.status == 503 || a.text().contains(&word), "{}", a.text());
                        }
                    }
                }
            });
        }
        while Instant::now() < until {
            let text = s.get("/metrics").text();
            let n = |name: &str| crate::client::metric(&text, &format!("akunu_requests_{name}"));
            assert_eq!(
                n("accepted_total"),
                n("completed_total") + n("cancelled_total") + n("failed_total") + n("in_flight")
            );
        }
    });
    s.rest();
    assert!(
        s.metric("akunu_requests_completed_total") > 0.0 && s.metric("akunu_requests_cancelled_total") > 0.0
    );
    assert_eq!(s.metric("akunu_requests_failed_total"), 0.0);
    is_well(&s);
}
