//! The command as a person and a program meet it: exit codes, messages, JSON.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs the command with some standard input.
fn akunu(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_akunu"))
        .args(args)
        .env("AKUNU_OFFLINE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early does not read its input.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn model(dir: &Path) -> PathBuf {
    let path = dir.join("tiny.gguf");
    std::fs::write(&path, akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    path
}

/// Runs, and expects an exit code and words on standard error.
fn fails(args: &[&str], stdin: &[u8], code: i32, words: &[&str]) {
    let o = akunu(args, stdin);
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(code), "{args:?}: {err}");
    for w in words {
        assert!(err.contains(w), "{args:?} should say {w:?}: {err}");
    }
    assert!(!err.contains("panicked"), "{args:?}: {err}");
}

#[test]
fn wrong_usage_is_exit_code_2_and_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    fails(&["run", m, "hi", "-n", "0"], b"", 2, &["0", "--max-tokens"]);
    fails(&["run", m, "hi", "--temp", "nan"], b"", 2, &["nan", "0.8"]);
    fails(&["run", m, "hi", "--temp=-1"], b"", 2, &["greedy"]);
    fails(&["run", m, "hi", "--min-p", "2"], b"", 2, &["between 0"]);
    fails(&["run", m, "hi", "--ctx", "99999999"], b"", 2, &["--ctx"]);
    fails(&["run", m, "hi", "--threads", "0"], b"", 2, &["--threads"]);
    fails(&["run", m, "hi", "--device", "tpu"], b"", 2, &["tpu", "cpu"]);
    fails(&["run", m, "hi", "-ctk", "q4_1"], b"", 2, &["--cache-type-k", "q8_0"]);
    fails(&["fly"], b"", 2, &["fly"]);
    fails(&["run", m], b"", 2, &["prompt is empty"]);
    fails(&["run", m, "  "], b"\n", 2, &["prompt is empty"]);
    fails(&["bench"], b"", 2, &["MODEL"]);
}

#[test]
fn bad_input_is_exit_code_1_and_names_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    fails(&["run", m], b"abc\xff\xfe", 1, &["standard input", "UTF-8", "byte 3"]);
    let text = dir.path().join("latin1.txt");
    std::fs::write(&text, b"caf\xe9").unwrap();
    fails(&["run", m, "-f", text.to_str().unwrap()], b"", 1, &["latin1.txt", "byte 3"]);
    fails(&["run", m, "-f", "no/such/file"], b"", 1, &["no/such/file"]);
    fails(&["run", "no/such/model.gguf", "hi"], b"", 1, &["no/such/model.gguf"]);
    fails(&["inspect", dir.path().to_str().unwrap()], b"", 1, &["directory"]);
    let empty = dir.path().join("empty.gguf");
    std::fs::write(&empty, b"").unwrap();
    fails(&["inspect", empty.to_str().unwrap()], b"", 1, &["empty"]);
    let short = dir.path().join("short.gguf");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&short, &bytes[..bytes.len() / 2]).unwrap();
    fails(&["run", short.to_str().unwrap(), "hi"], b"", 1, &["short.gguf"]);
    let long = "word ".repeat(100);
    fails(&["run", m, &long, "--ctx", "20", "--raw"], b"", 1, &["context of 20", "--ctx"]);
    let out = dir.path().join("o.f32");
    let ids = dir.path().join("ids.json");
    std::fs::write(&ids, "[1, 2, 99999]").unwrap();
    let args = ["logits", m, "--tokens", ids.to_str().unwrap(), "-o", out.to_str().unwrap(), "--window", "8"];
    fails(&args, b"", 1, &["99999", "vocabulary"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_as_a_model_is_refused_and_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo.gguf");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    fails(&["inspect", fifo.to_str().unwrap()], b"", 1, &["pipe"]);
}

#[test]
fn run_prints_one_json_object() {
    let dir = tempfile::tempdir().unwrap();
    let path = model(dir.path());
    let m = path.to_str().unwrap();
    let o = akunu(&["run", m, "hello", "-n", "5", "--seed", "7", "--json"], b"and more");
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    let v: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(v["generated_tokens"], 5);
    assert_eq!(v["tokens"].as_array().unwrap().len(), 5);
    assert_eq!(v["finish_reason"], "length");
    assert_eq!(v["seed"], 7);
    for key in ["load_ms", "prefill_tps", "decode_tps"] {
        assert!(v[key].as_f64().unwrap() > 0.0, "{key}");
    }
    assert!(v["text"].is_string() && v["device"].is_string());
    // Piped text is appended to the prompt.
    let alone = akunu(&["run", m, "hello", "-n", "5", "--seed", "7", "--json"], b"");
    let alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
    assert!(v["prompt_tokens"].as_u64() > alone["prompt_tokens"].as_u64());
    // The same seed, the same text; as text it is the same, too.
    let again = akunu(&["run", m, "hello", "-n", "5", "--seed", "7"], b"");
    assert_eq!(
        String::from_utf8(again.stdout).unwrap().trim_end(),
        alone["text"].as_str().unwrap().trim_end()
    );
    let e = akunu(&["run", m, "x", "--ctx", "2", "--raw", "--json", "-f", "no/such"], b"");
    assert_eq!(e.status.code(), Some(2));
    let e = akunu(&["run", "no/such.gguf", "x", "--json"], b"");
    let v: Value = serde_json::from_slice(&e.stderr).unwrap();
    assert!(v["error"]["message"].as_str().unwrap().contains("no/such.gguf"));
}

#[test]
fn reports_for_programs_have_their_fields() {
    let json = |args: &[&str]| -> Value {
        let o = akunu(args, b"");
        assert!(o.status.success(), "{args:?}: {}", String::from_utf8_lossy(&o.stderr));
        serde_json::from_slice(&o.stdout).unwrap()
    };
    let tiny = ["--synthetic", "tiny-llama:q4_0"];
    let mut args = vec!["bench", "-p", "16", "-n", "4", "-r", "2", "-o", "json", "--no-bandwidth"];
    args.extend(tiny);
    let rows = json(&args);
    let tests: Vec<&str> = rows.as_array().unwrap().iter().map(|r| r["test"].as_str().unwrap()).collect();
    assert_eq!(tests, ["pp16", "tg4"]);
    for r in rows.as_array().unwrap() {
        assert_eq!(r["samples_ts"].as_array().unwrap().len(), 2);
        assert!(r["avg_ts"].as_f64().unwrap() > 0.0 && r["stddev_ts"].as_f64().is_some());
        // On the CPU a token's work is at least what one worker does of it.
        assert!(cfg!(not(unix)) || r["processor_us_per_token"].as_f64().unwrap() > 0.0);
    }
    let table = json(&["table", tiny[0], tiny[1], "--json"]);
    assert_eq!(table["commands"].as_array().unwrap().len(), 2 * 9 + 7);
    let inspect = json(&["inspect", tiny[0], tiny[1], "--json"]);
    assert_eq!(inspect["plan"]["regions"][0]["name"], "weights");
    let doctor = json(&["doctor", "--json"]);
    assert!(doctor["findings"].as_array().unwrap().len() > 5);
    assert!(doctor["threads"]["workers"].as_u64().unwrap() >= 1);
    let profile = json(&["profile", tiny[0], tiny[1], "-r", "1", "--json"]);
    assert!(profile["step_us"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_akunu"))
        .args(["table", "--synthetic", "llama-3-8b:q4_0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let o = child.wait_with_output().unwrap();
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    assert!(o.stderr.is_empty(), "{}", String::from_utf8_lossy(&o.stderr));
}

/// A command that generates until it is stopped, started by `wrapper`, and its process id.
#[cfg(unix)]
fn endless(dir: &Path, wrapper: &str) -> std::process::Child {
    let path = model(dir);
    let mut child = Command::new("sh")
        .args(["-c", &format!("{wrapper} exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_akunu")])
        .args(["run", path.to_str().unwrap(), "hello", "--ctx", "1000000", "--seed", "1"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first byte of the answer shows that generation runs.
    let mut first = [0u8; 1];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut first).unwrap();
    child
}

#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn signals_stop_generation_cleanly() {
    let survives = Command::new("sh").args(["-c", "kill -HUP $$; echo"]).output().unwrap();
    if !survives.stdout.is_empty() {
        println!("skipped: this test was started with SIGHUP ignored, so the command handles no signal");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (name, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let child = endless(dir.path(), "");
        signal(&child, name);
        let o = child.wait_with_output().unwrap();
        assert_eq!(o.status.code(), Some(code), "{name}: {}", String::from_utf8_lossy(&o.stderr));
        assert!(String::from_utf8_lossy(&o.stderr).contains("cancelled"), "{name}");
    }
}

/// As with `nohup`.
#[cfg(unix)]
#[test]
fn an_ignored_signal_stays_ignored() {
    use std::os::unix::process::ExitStatusExt;
    let dir = tempfile::tempdir().unwrap();
    let child = endless(dir.path(), "trap '' HUP;");
    signal(&child, "-HUP");
    signal(&child, "-TERM");
    let o = child.wait_with_output().unwrap();
    // SIGTERM.
    assert_eq!(o.status.signal(), Some(15), "{:?} {}", o.status, String::from_utf8_lossy(&o.stderr));
}

/// On the CPU the report must be without a failure, and a device that is not there must be one.
#[test]
fn the_self_test_passes_on_the_cpu() {
    let report = |device: &str| {
        let o = akunu(&["selftest", "--json", "--device", device, "--bench", "none"], b"");
        (o.status.code(), serde_json::from_slice::<Value>(&o.stdout).unwrap())
    };
    let (code, passed) = report("cpu");
    let checks = passed["checks"].as_array().unwrap();
    assert_eq!((code, passed["failed"].as_u64(), checks.len()), (Some(0), Some(0), 24), "{passed}");
    assert!(passed["device"].as_str().unwrap().starts_with("cpu"));
    let (code, failed) = report("vulkan:999999");
    assert_eq!((code, failed["failed"].as_u64()), (Some(1), Some(1)), "{failed}");
}

#[test]
fn every_command_has_help() {
    for c in [
        "run",
        "chat",
        "bench",
        "inspect",
        "table",
        "profile",
        "tokenize",
        "logits",
        "convert",
        "perplexity",
        "pull",
        "list",
        "doctor",
        "selftest",
    ] {
        let o = akunu(&[c, "--help"], b"");
        let text = String::from_utf8(o.stdout).unwrap();
        assert!(o.status.success() && text.contains("--json") && text.contains("Usage:"), "{c}: {text}");
    }
    let help = String::from_utf8(akunu(&["convert", "--help"], b"").stdout).unwrap();
    let words: Vec<&str> = help.split([' ', ',', '\n']).collect();
    for name in akunu::files::quantize::Recipe::names() {
        assert!(words.contains(&name), "{name}: {help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = akunu(&["completions", shell], b"").stdout;
        assert!(String::from_utf8_lossy(&script).contains("__complete"), "{shell}");
    }
    for shell in ["powershell", "elvish"] {
        assert!(akunu(&["completions", shell], b"").stdout.len() > 1000, "{shell}");
    }
}

/// A directory of safetensors files is a model like any other, and so is one that cannot be run shown with the reason.
/// The names that users of llama.cpp know, before and behind the command; behind `--` they are text.
#[test]
fn formats_of_the_cache_are_chosen_and_shown() {
    let plan = |args: &[&str]| -> Value {
        let all = [
            &["inspect", "--synthetic", "llama-3.2-1b:q4_0", "--json", "--device", "cpu", "--ctx", "512"],
            args,
        ];
        serde_json::from_slice::<Value>(&akunu(&all.concat(), b"").stdout).unwrap()["plan"].clone()
    };
    let bytes = |v: &Value, name: &str| {
        let regions = v["regions"].as_array().unwrap();
        regions.iter().find(|r| r["name"] == name).unwrap()["bytes"].as_u64().unwrap()
    };
    let f16 = plan(&["--cache-type-k", "f16"]);
    let mixed = plan(&["-ctk", "q8_0", "-ctv", "bf16"]);
    assert_eq!(
        (mixed["cache_type_k"].as_str(), mixed["cache_type_v"].as_str()),
        (Some("q8_0"), Some("bf16"))
    );
    assert_eq!(bytes(&mixed, "k_cache") * 32, bytes(&f16, "k_cache") * 17);
    assert_eq!(bytes(&mixed, "v_cache"), bytes(&f16, "v_cache"));
    let text =
        akunu(&["inspect", "--synthetic", "llama-3.2-1b:q4_0", "--device", "cpu", "-ctv", "q8_0"], b"");
    assert!(String::from_utf8_lossy(&text.stdout).contains("values in q8_0"));
}

#[test]
fn a_directory_is_inspected_tokenized_and_run() {
    let fixture = akunu_conformance::fixture("tiny-llama");
    let m = fixture.to_str().unwrap();
    let o = akunu(&["inspect", m, "--json"], b"");
    let v: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!((v["runs"].as_bool(), v["metadata"]["model_type"].as_str()), (Some(true), Some("llama")));
    assert_eq!(v["tensors"].as_array().unwrap().len(), 21);
    let o = akunu(&["tokenize", m, "the fox</s>", "--json"], b"");
    let v: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(v["tokens"].as_array().unwrap().last().unwrap(), 1);
    let o = akunu(&["run", m, "the quick brown", "-n", "4", "--device", "cpu", "--raw"], b"");
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));

    let dir = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(&fixture).unwrap().map(|f| f.unwrap()) {
        std::fs::copy(file.path(), dir.path().join(file.file_name())).unwrap();
    }
    let config = std::fs::read_to_string(fixture.join("config.json")).unwrap();
    let config = config.replace("\"model_type\": \"llama\"", "\"model_type\": \"rwkv\"");
    std::fs::write(dir.path().join("config.json"), config).unwrap();
    let o = akunu(&["inspect", dir.path().to_str().unwrap()], b"");
    let text = String::from_utf8_lossy(&o.stdout);
    assert!(text.contains("safetensors, 2 files") && text.contains("BF16"), "{text}");
    fails(&["inspect", dir.path().to_str().unwrap()], b"", 1, &["model_type", "rwkv", "llama"]);
}
