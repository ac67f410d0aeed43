//! Several models, of which not all are in memory.

use crate::client::{Running, SMALL, engine, entry};
use akunu_server::{ModelEntry, Options, Resident};
use serde_json::json;
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
    let s = two(Resident { most: Some(1), idle: None });
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
    let s = two(Resident { most: None, idle: Some(Duration::from_millis(300)) });
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
    let options = Options { resident: Resident { most: Some(1), idle: None }, ..Options::default() };
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
