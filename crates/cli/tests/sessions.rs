//! Conversations that are saved and go on, answers that are drawn anew, several samples of one prompt.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn akunu(args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_akunu"))
        .args(args)
        .args(["--device", "cpu"])
        .env("AKUNU_OFFLINE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

fn stderr(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

fn stdout(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned()
}

fn json(o: &Output) -> Value {
    assert!(o.status.success(), "{}", stderr(o));
    serde_json::from_slice(&o.stdout).unwrap()
}

fn model(dir: &Path) -> PathBuf {
    let path = dir.join("tiny.gguf");
    std::fs::write(&path, akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    path
}

/// (kept, prefilled) of each `/stats`.
fn counters(o: &Output) -> Vec<(u64, u64)> {
    assert!(o.status.success(), "{}", stderr(o));
    let number = |s: &str| s.trim().rsplit(' ').next().unwrap().parse().unwrap();
    stderr(o)
        .lines()
        .filter_map(|l| l.split_once("last answer: ").map(|l| l.1))
        .map(|l| {
            (number(l.split_once(" tokens kept").unwrap().0), number(l.split_once(" prefilled").unwrap().0))
        })
        .collect()
}

/// The bias that makes every answer one token that stays one when it is read again.
const ANSWER: [&str; 4] = ["-n", "1", "-l", "33+1000"];

#[test]
fn each_turn_prefills_what_is_new() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let turns = "what is the time now?\n/stats\n".repeat(4);
    let all = counters(&akunu(&[&["chat", m][..], &ANSWER].concat(), &turns));
    assert_eq!(all.len(), 4);
    let (_, first) = all[0];
    let new = all[1].1;
    for pair in all[1..].windows(2) {
        let ((kept, prefilled), (before, _)) = (pair[1], pair[0]);
        // The same question with the same around it, and one answer more that is kept.
        assert_eq!((kept - before, prefilled), (new, new), "{all:?}");
    }
    assert!(all[1].0 + 3 >= first && new <= first + 4, "{all:?}");
}

#[test]
fn a_saved_conversation_goes_on_where_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let (m, file) = (path.to_str().unwrap(), dir.path().join("talk"));
    let f = file.to_str().unwrap();
    let chat = |input: &str| akunu(&[&["chat", m, "--seed", "5"][..], &ANSWER].concat(), input);
    let question = "what is the time now?\n";
    let one = counters(&chat(&format!("{}{question}/stats\n", question.repeat(2))));
    let saved = chat(&format!("{}/save {f}\n", question.repeat(2)));
    assert!(saved.status.success() && stderr(&saved).contains("saved 4 messages"), "{}", stderr(&saved));
    let again = chat(&format!("/load {f}\n{question}/stats\n"));
    assert!(stderr(&again).contains("loaded 4 messages"), "{}", stderr(&again));
    assert_eq!(counters(&again), one, "as if it had never been away");
    for (command, says) in [
        ("/save\n", "name a file"),
        ("/load\n", "name a file"),
        (&*format!("/load {m}\n"), "no saved session"),
        ("/load nothing/here\n", "cannot read it"),
        ("/save nothing/here\n", "nothing"),
    ] {
        let o = chat(command);
        assert!(o.status.code() != Some(0) && stderr(&o).contains(says), "{command}: {}", stderr(&o));
    }
}

#[test]
fn answers_are_drawn_anew_and_settings_change() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let chat = |input: &str| akunu(&["chat", m, "-n", "6", "--seed", "5", "--temp", "2"], input);
    let o = chat("/regen\nhello\n/regen\n/regen\n/stats\n");
    let err = stderr(&o);
    assert!(
        o.status.success() && err.contains("there is no answer yet") && err.contains("3 answers"),
        "{err}"
    );
    // The next seed draws another answer, and the question is not run again.
    let all = counters(&o);
    assert!(all.last().unwrap().1 <= 1 + 8, "{all:?}");
    let greedy = chat("/set temp 0\n/set max_tokens 3\nhello\n/regen\n/stats\n");
    let err = stderr(&greedy);
    assert!(err.contains("temperature 0, seed 5") && err.contains("3 generated"), "{err}");
    let lines = stdout(&greedy);
    let half = lines.len() / 2;
    assert_eq!(lines[..half], lines[half..], "greedy answers are the same");
    let o =
        chat("/set\n/set system Be brief.\n/system\n/set system -\n/system\n/set seed 77\nhello\n/stats\n");
    let err = stderr(&o);
    assert!(err.contains("top-n-sigma") && err.contains("seed 77"), "{err}");
    assert!(stdout(&o).starts_with("Be brief.\nno system prompt"), "{}", stdout(&o));
    for (bad, says) in [("/set temp hot", "temp"), ("/set top_pp 1", "top-pp"), ("/set temp -1", "greedy")] {
        let o = chat(&format!("{bad}\n"));
        assert!(o.status.code() == Some(2) && stderr(&o).contains(says), "{bad}: {}", stderr(&o));
    }
    assert!(stdout(&chat("/help\n")).contains("/regen"));
}

#[test]
fn a_run_saves_a_session_and_goes_on_from_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let (m, file) = (path.to_str().unwrap(), dir.path().join("s"));
    let f = file.to_str().unwrap();
    let run = |args: &[&str]| akunu(&[&["run", m, "hello", "--json"], args, &ANSWER].concat(), "");
    let first = json(&run(&["--save-session", f]));
    assert_eq!(first["cached_tokens"], 0);
    let second = json(&run(&["--load-session", f, "--save-session", f]));
    let (cached, prompt) =
        (second["cached_tokens"].as_u64().unwrap(), second["prompt_tokens"].as_u64().unwrap());
    assert!(cached >= first["prompt_tokens"].as_u64().unwrap() - 3 && prompt > cached, "{first} {second}");
    // It is a conversation of two turns now.
    let chat = akunu(&["chat", m, "-n", "1"], &format!("/load {f}\n"));
    assert!(stderr(&chat).contains("loaded 4 messages"), "{}", stderr(&chat));

    let cache = dir.path().join("cache");
    let c = cache.to_str().unwrap();
    let raw = |prompt: &str| {
        json(&akunu(&["run", m, prompt, "--raw", "-n", "2", "--json", "--prompt-cache", c], ""))
    };
    let (a, b) = (raw("hello there you"), raw("hello there you all"));
    assert_eq!(a["cached_tokens"], 0);
    assert!(b["cached_tokens"].as_u64().unwrap() >= a["prompt_tokens"].as_u64().unwrap() - 2, "{a} {b}");

    for (args, says) in [
        (&["--load-session", f, "--system", "x"][..], "--system"),
        (&["--save-session", m], "the model itself"),
        (&["--save-session", "no/folder/here"], "folder"),
        (&["--load-session", m], "no saved session"),
        (&["--load-session", f, "--samples", "2"], "--samples"),
        (&["--samples", "0"], "--samples"),
    ] {
        let o = run(args);
        assert!(o.status.code() != Some(0) && stderr(&o).contains(says), "{args:?}: {}", stderr(&o));
    }
}

#[test]
fn samples_share_their_prompt_and_differ_by_seed() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let prompt = "word ".repeat(200);
    let run = |args: &[&str]| {
        akunu(&[&["run", m, &*prompt, "-n", "12", "--seed", "3", "--temp", "1.5"], args].concat(), "")
    };
    let v = json(&run(&["--samples", "4", "--json", "--logprobs", "1"]));
    let all = v["samples"].as_array().unwrap();
    let prompt_tokens = v["prompt_tokens"].as_u64().unwrap();
    for (i, s) in all.iter().enumerate() {
        let cached = if i == 0 { 0 } else { prompt_tokens - 1 };
        assert_eq!((&s["seed"], &s["cached_tokens"]), (&Value::from(3 + i), &Value::from(cached)), "{s}");
        assert_eq!(s["logprobs"].as_array().unwrap().len(), s["tokens"].as_array().unwrap().len());
    }
    assert!(all[1..].iter().all(|s| s["text"] != all[0]["text"]));
    // A seed's answer is that of a run by itself.
    let alone = json(&akunu(&["run", m, &prompt, "-n", "12", "--seed", "5", "--temp", "1.5", "--json"], ""));
    assert_eq!(alone["text"], all[2]["text"]);
    let shown = run(&["--samples", "2"]);
    assert!(
        stdout(&shown).starts_with("# 1, seed 3\n") && stdout(&shown).contains("\n# 2, seed 4\n"),
        "{shown:?}"
    );
    assert!(
        stderr(&shown).contains(&format!("{} of them computed", prompt_tokens + 1)),
        "{}",
        stderr(&shown)
    );
}
