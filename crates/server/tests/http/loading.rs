//! Several models, of which not all are in memory.

use crate::client::{LONG, Running, SMALL, engine, entry, post};
use akunu_server::{ModelEntry, Options, Resident, ServerError};
use serde_json::json;
use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

fn two(resident: Resident) -> Running {
    let s =
        Running::of(vec![entry("a", SMALL), entry("b", SMALL)], Options { resident, ..Options::default() });
    let since = Instant::now();
    while s.get("/health").status != 200 {
        assert!(since.elapsed() < Duration::from_secs(20));
    }
    s
}

fn ask(s: &Running, model: &str) -> (u16, String) {
    let a =
        s.post("/v1/completions", &json!({"model": model, "prompt": "x", "max_tokens": 5, "temperature": 0}));
    (a.status, a.text())
}

/// Which models are loaded.
fn loaded(s: &Running) -> Vec<bool> {
    let v = s.get("/v1/models").json();
    v["data"].as_array().unwrap().iter().map(|m| m["loaded"].as_bool().unwrap()).collect()
}

#[test]
fn one_makes_way_for_another() {
    let s = two(Resident { most: Some(1), ..Resident::default() });
    assert_eq!(loaded(&s), [true, false]);
    for (model, want) in [("b", [false, true]), ("b", [false, true]), ("a", [true, false])] {
        assert_eq!(ask(&s, model).0, 200);
        assert_eq!(loaded(&s), want);
    }
    // Whoever comes for either is answered, whatever the others want.
    std::thread::scope(|scope| {
        for t in 0..8 {
            let s = &s;
            scope.spawn(move || {
                for i in 0..4 {
                    let (status, text) = ask(s, if (t + i) % 2 == 0 { "a" } else { "b" });
                    assert_eq!(status, 200, "{text}");
                }
            });
        }
    });
    assert_eq!(loaded(&s).iter().filter(|l| **l).count(), 1);
    s.end().unwrap();
}

#[test]
fn nobody_asks_and_memory_comes_back() {
    let s = two(Resident { idle: Some(Duration::from_millis(300)), ..Resident::default() });
    let since = Instant::now();
    while loaded(&s) != [false, false] {
        assert!(since.elapsed() < Duration::from_secs(10));
    }
    assert_eq!(s.get("/health").status, 200);
    assert_eq!(ask(&s, "b").0, 200);
    assert_eq!(loaded(&s), [false, true]);
}

#[test]
fn a_model_that_fails_on_demand_fails_its_request_alone() {
    let tries = AtomicU32::new(0);
    let moody = ModelEntry::new("moody", move || match tries.fetch_add(1, Ordering::SeqCst) {
        0 => Err("not today".into()),
        1 => panic!("oh"),
        _ => engine(SMALL).map(Into::into).map_err(|e| e.to_string()),
    });
    let options =
        Options { resident: Resident { most: Some(1), ..Resident::default() }, ..Options::default() };
    let s = Running::of(vec![entry("a", SMALL), moody], options);
    let since = Instant::now();
    while s.get("/health").status != 200 {
        assert!(since.elapsed() < Duration::from_secs(20));
    }
    for why in ["not today", "panicked"] {
        let (status, text) = ask(&s, "moody");
        assert!(status == 503 && text.contains("model_failed") && text.contains(why), "{text}");
        assert_eq!(ask(&s, "a").0, 200);
    }
    assert_eq!(ask(&s, "moody").0, 200);
    s.end().unwrap();
}

/// Waits until these are loaded, and no others.
fn wait_for(s: &Running, want: &[bool]) {
    let since = Instant::now();
    while loaded(s) != want {
        assert!(since.elapsed() < Duration::from_secs(20), "{:?}", loaded(s));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_budget_of_memory_is_kept() {
    const SIZES: [u64; 3] = [40, 50, 60];
    let models = |names: &[&str]| {
        let sized = |(name, size)| entry(name, SMALL).sized(move || Ok(size));
        names.iter().copied().zip(SIZES).map(sized).collect::<Vec<_>>()
    };
    let options = |memory| {
        let resident = Resident { memory: Some(memory), ..Resident::default() };
        Options { resident, ..Options::default() }
    };
    let s = Running::of(models(&["a", "b", "c"]), options(100));
    wait_for(&s, &[true, true, false]);
    while s.get("/health").status != 200 {}
    let held = |s: &Running| loaded(s).iter().zip(SIZES).map(|(l, size)| u64::from(*l) * size).sum::<u64>();
    assert_eq!(ask(&s, "b").0, 200);
    // The one that was asked for the longest time ago makes way, and only as many as are needed.
    assert_eq!(ask(&s, "c").0, 200);
    assert_eq!(loaded(&s), [false, false, true]);
    assert_eq!(ask(&s, "a").0, 200);
    assert_eq!(loaded(&s), [true, false, true]);
    std::thread::scope(|scope| {
        for t in 0..6 {
            let s = &s;
            scope.spawn(move || {
                for i in 0..4 {
                    let (status, text) = ask(s, ["a", "b", "c"][(t + i) % 3]);
                    assert_eq!(status, 200, "{text}");
                    assert!(held(s) <= 100);
                }
            });
        }
    });
    s.end().unwrap();
    // One for which there will never be room is told at once, in numbers.
    let s = Running::of(models(&["a", "b", "c"]), options(59));
    s.wait_for_end();
    match s.end() {
        Err(e @ ServerError::Budget { needed: 60, budget: 59, .. }) => {
            assert!(e.to_string().contains("`c`") && e.to_string().contains("--memory-budget"), "{e}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_model_that_has_grown_or_cannot_be_looked_at_fails_its_request_alone() {
    let looks = AtomicU32::new(0);
    let grows = entry("grows", SMALL).sized(move || match looks.fetch_add(1, Ordering::SeqCst) {
        0 => Ok(10),
        1 => Ok(1000),
        2 => Err("it is gone".into()),
        3 => panic!("oh"),
        _ => Ok(10),
    });
    let resident = Resident { memory: Some(100), most: Some(1), idle: None };
    let s = Running::of(vec![entry("a", SMALL), grows], Options { resident, ..Options::default() });
    wait_for(&s, &[true, false]);
    while s.get("/health").status != 200 {}
    let (status, text) = ask(&s, "grows");
    assert_eq!(status, 507);
    for part in ["model_too_large", "1000", "100", "grows"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for why in ["it is gone", "panicked"] {
        let (status, text) = ask(&s, "grows");
        assert!(status == 503 && text.contains(why), "{text}");
        assert_eq!(ask(&s, "a").0, 200);
    }
    assert_eq!(ask(&s, "grows").0, 200);
    s.end().unwrap();
}

#[test]
fn a_model_in_use_is_never_unloaded() {
    let idle = Some(Duration::from_millis(1));
    let models = vec![entry("a", LONG), entry("b", SMALL)];
    let resident = Resident { most: Some(1), idle, ..Resident::default() };
    let s = Running::of(models, Options { resident, ..Options::default() });
    while s.get("/health").status != 200 {}
    let mut drawing = s.connect();
    let endless =
        json!({"model": "a", "prompt": "x", "ignore_eos": true, "stream": true, "max_tokens": 3000});
    drawing.write_all(&post("/v1/completions", &endless)).unwrap();
    s.wait("vllm:num_requests_running", 1.0);
    // Neither its time nor another model ends it.
    s.post("/api/generate", &json!({"model": "a", "keep_alive": 0}));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| ask(&s, "b").0);
        let text = crate::client::Answer::read(&mut drawing).text();
        assert!(text.contains("[DONE]") && text.contains("\"length\""));
        assert_eq!(other.join().unwrap(), 200);
    });
    s.end().unwrap();
}

#[test]
fn who_never_pauses_keeps_nobody_out() {
    let s = two(Resident { most: Some(1), ..Resident::default() });
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    assert_eq!(ask(&s, "a").0, 200);
                }
            });
        }
        for _ in 0..2 {
            assert_eq!(ask(&s, "b").0, 200);
        }
        done.store(true, Ordering::SeqCst);
    });
    s.end().unwrap();
}

#[test]
fn clients_say_how_long_a_model_stays() {
    let s = two(Resident { idle: Some(Duration::from_secs(3600)), ..Resident::default() });
    let generate = |v: serde_json::Value| s.post("/api/generate", &v);
    let short = json!({"model": "a", "prompt": "x", "options": {"num_predict": 2}, "stream": false, "keep_alive": "1ms"});
    assert_eq!(generate(short).status, 200);
    wait_for(&s, &[false, true]);
    // Nothing but a model loads it.
    let v = generate(json!({"model": "a", "keep_alive": -1})).json();
    assert_eq!((&v["done"], &v["done_reason"], &v["response"]), (&json!(true), &json!("load"), &json!("")));
    assert_eq!(loaded(&s), [true, true]);
    let ps = s.get("/api/ps").json();
    assert_eq!(ps["models"][0]["expires_at"], "9999-12-31T23:59:59Z");
    assert_ne!(ps["models"][1]["expires_at"], "9999-12-31T23:59:59Z");
    let v = s.post("/api/chat", &json!({"model": "b", "messages": [], "keep_alive": "0s"})).json();
    assert_eq!((&v["done_reason"], &v["message"]["content"]), (&json!("unload"), &json!("")));
    wait_for(&s, &[true, false]);
    // One that is not there stays away.
    assert_eq!(generate(json!({"model": "b", "keep_alive": 0})).json()["done_reason"], "unload");
    assert_eq!(loaded(&s), [true, false]);
    for (bad, status) in [
        (json!({"model": "a", "keep_alive": "soon"}), 400),
        (json!({"model": "a", "keep_alive": true}), 400),
        (json!({"model": "a", "top_p": 1}), 400),
        (json!({"model": "none", "keep_alive": 0}), 404),
        (json!({"model": 5, "keep_alive": 0}), 400),
    ] {
        let a = generate(bad.clone());
        assert_eq!(a.status, status, "{bad}: {a:?}");
        assert!(a.json()["error"].is_string());
    }
    s.end().unwrap();
}
