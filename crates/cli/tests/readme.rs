//! The README's terminal shows what the command prints: the recording is run again, and all but the rates is compared.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::kernels::cpu::{LEVELS, Level};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const REMEDY: &str = "record it anew on a quiet machine: tools/terminal_picture.py target/release/akunu";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(page: &str) -> String {
    std::fs::read_to_string(repository().join(page)).unwrap()
}

fn runs() -> Vec<Value> {
    let recorded: Value = serde_json::from_str(&read("docs/terminal.json")).unwrap();
    recorded["runs"].as_array().unwrap().clone()
}

fn text(run: &Value, stream: &str) -> String {
    run[stream].as_str().unwrap().to_owned()
}

/// Without what differs from run to run and from machine to machine: numbers, their widths, and the level's name.
fn without_rates(s: &str) -> String {
    let mut out = String::new();
    for word in s.split_whitespace() {
        let level = LEVELS.iter().any(|l| word.trim_end_matches(',') == l.to_string());
        let mut chars = (if level { "LEVEL" } else { word }).chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '0'..='9' | '.' | ',' if out.ends_with('#') => {}
                '0'..='9' => out.push('#'),
                '+' | '-' if chars.peek().is_some_and(char::is_ascii_digit) => {}
                c => out.push(c),
            }
        }
        out.push(' ');
    }
    // One worker is a thread, more are threads.
    out.replace("threads", "thread")
}

/// The remarks that are made whatever the rates are.
fn remarks(stderr: &str) -> String {
    stderr.lines().filter(|l| !l.starts_with("shares above 100%")).collect::<Vec<_>>().join("\n")
}

/// The level that the recording names, where this machine has it; else the one that every machine has.
fn level(recorded: &str) -> Level {
    let named =
        LEVELS.iter().find(|l| recorded.contains(&format!("cpu {l},"))).expect("the recording names a level");
    if named.available() {
        return *named;
    }
    println!("this machine has no {named}: that level is skipped, {} stands in for it", Level::Portable);
    Level::Portable
}

#[test]
#[ignore = "needs the SmolLM2 file; tools/fetch-model.sh"]
fn real_terminal_shows_what_the_command_prints() {
    let runs = runs();
    let level = level(&runs.iter().map(|r| text(r, "stderr")).collect::<String>());
    for run in &runs {
        let args: Vec<&str> = run["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_akunu"));
        command.args(&args).env("AKUNU_CPU", level.to_string()).env("AKUNU_OFFLINE", "1");
        if args[0] == "profile" {
            command.args(["-r", "1"]);
        }
        let o = command.stdin(std::process::Stdio::null()).output().unwrap();
        let (out, err) = (String::from_utf8(o.stdout).unwrap(), String::from_utf8(o.stderr).unwrap());
        assert!(o.status.success(), "{args:?}: {err}");
        let answer = args[0] == "run";
        let same = if answer {
            out == text(run, "stdout")
        } else {
            without_rates(&out) == without_rates(&text(run, "stdout"))
        };
        assert!(
            same,
            "{args:?} at {level} prints\n{out}and the README shows\n{}{REMEDY}",
            text(run, "stdout")
        );
        let shown = text(run, "stderr");
        let same = without_rates(&remarks(&err)) == without_rates(&remarks(&shown));
        assert!(same, "{args:?} at {level} remarks\n{err}and the README shows\n{shown}{REMEDY}");
    }
}

#[test]
fn the_readme_and_the_pictures_show_the_recording() {
    let squeezed = |s: &str| s.split_whitespace().collect::<Vec<_>>().join(" ");
    let readme = read("README.md");
    let (_, part) = readme.split_once("<!-- terminal: written by tools/terminal_picture.py -->").unwrap();
    let (part, _) = part.split_once("<!-- end of terminal -->").unwrap();
    let mut places = vec![("README.md".to_owned(), squeezed(part))];
    for theme in ["light", "dark"] {
        let name = format!("docs/terminal-{theme}.svg");
        let svg = read(&name);
        let words: Vec<&str> =
            svg.split('>').filter_map(|piece| piece.split_once('<').map(|(text, _)| text)).collect();
        let plain = words.join(" ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        assert!(part.contains(&name), "the README shows {name}");
        places.push((name, squeezed(&plain)));
    }
    for run in &runs() {
        for stream in ["stdout", "stderr"] {
            for (name, there) in &places {
                let wanted = squeezed(&text(run, stream));
                assert!(
                    there.contains(&wanted),
                    "{name} lacks\n{wanted}\nrun tools/terminal_picture.py, which draws it"
                );
            }
        }
    }
}

#[test]
fn rates_are_left_out_and_words_are_not() {
    let a = without_rates("40 prompt tokens at 1,901.6/s, stop, cpu avx512bf16, 2 threads (-3% distortion)");
    assert_eq!(a, without_rates("4 prompt tokens at 19.6/s, stop, cpu portable, 1 thread (+13% distortion)"));
    assert_ne!(
        a,
        without_rates("4 prompt tokens at 19.6/s, length, cpu portable, 1 thread (+13% distortion)")
    );
}
