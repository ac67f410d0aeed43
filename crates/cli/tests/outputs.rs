//! What commands write: files that replace others, devices, pipes, full disks, and reports.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const AKUNU: &str = env!("CARGO_BIN_EXE_akunu");

fn akunu(dir: &Path, args: &[&str]) -> Output {
    Command::new(AKUNU).current_dir(dir).args(args).env("AKUNU_OFFLINE", "1").output().unwrap()
}

fn json(dir: &Path, args: &[&str]) -> Value {
    let o = akunu(dir, &[args, &["--json"]].concat());
    assert!(o.status.success(), "{args:?}: {}", err(&o));
    serde_json::from_slice(&o.stdout).unwrap()
}

fn err(o: &Output) -> String {
    String::from_utf8_lossy(&o.stderr).into_owned()
}

/// Runs a shell script whose `$0` is the command.
#[cfg(unix)]
fn sh(dir: &Path, script: &str) -> Output {
    Command::new("sh")
        .current_dir(dir)
        .args(["-c", script, AKUNU])
        .env("AKUNU_OFFLINE", "1")
        .output()
        .unwrap()
}

/// A folder with a model, the ids of 200 tokens, whose logits are 800 KiB, and a file that must not be lost.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    std::fs::write(d.join("tiny.gguf"), akunu_conformance::tiny_gguf(akunu::Token(1023)).unwrap()).unwrap();
    std::fs::write(d.join("ids.json"), format!("{:?}", (0..200).collect::<Vec<_>>())).unwrap();
    std::fs::write(d.join("keep.bin"), "precious").unwrap();
    dir
}

/// The file that must not be lost is as it was, and nothing was left beside it.
fn nothing_lost(d: &Path, what: &str) {
    assert_eq!(std::fs::read(d.join("keep.bin")).unwrap(), b"precious", "{what}");
    let parts =
        d.read_dir().unwrap().filter(|e| e.as_ref().unwrap().path().extension().is_some_and(|x| x == "part"));
    assert_eq!(parts.count(), 0, "{what}");
}

const LOGITS: [&str; 7] = ["logits", "tiny.gguf", "--tokens", "ids.json", "--window", "32", "-o"];

#[test]
fn logits_are_checked_before_their_file_is_touched() {
    let dir = folder();
    let d = dir.path();
    std::fs::write(d.join("bad.json"), "[1, 2, 99999]").unwrap();
    std::fs::write(d.join("text.json"), "1 2 3").unwrap();
    for (tokens, more, code, words) in [
        ("bad.json", &[][..], 1, ["99999", "index 2"]),
        ("text.json", &[], 2, ["text.json", "no JSON list"]),
        ("none.json", &[], 1, ["none.json", "No such file"]),
        ("ids.json", &["--ctx", "20"], 1, ["context of 20", "--ctx"]),
        ("ids.json", &["--device", "tpu"], 2, ["tpu", "cpu"]),
    ] {
        let args = ["logits", "tiny.gguf", "--tokens", tokens, "--window", "32", "-o", "keep.bin"];
        let o = akunu(d, &[&args, more].concat());
        assert_eq!(o.status.code(), Some(code), "{args:?}: {}", err(&o));
        words.iter().for_each(|w| assert!(err(&o).contains(w), "{args:?} should say {w:?}: {}", err(&o)));
        nothing_lost(d, tokens);
    }
    // What is read is not written to.
    for (out, word) in [("ids.json", "token ids"), ("tiny.gguf", "belongs to the model")] {
        let before = std::fs::read(d.join(out)).unwrap();
        let o = akunu(d, &[&LOGITS, &[out][..]].concat());
        assert!(o.status.code() == Some(2) && err(&o).contains(word), "{}", err(&o));
        assert!(std::fs::read(d.join(out)).unwrap() == before, "{out}");
    }
    let made = json(d, &[&LOGITS, &["keep.bin", "--device", "cpu"][..]].concat());
    assert_eq!(made["shape"], serde_json::json!([200, 1024]));
    assert_eq!(std::fs::metadata(d.join("keep.bin")).unwrap().len(), 200 * 1024 * 4);
}

#[cfg(unix)]
#[test]
fn links_lead_to_the_file_that_is_written() {
    let dir = folder();
    let d = dir.path();
    std::fs::create_dir(d.join("far")).unwrap();
    for (link, file) in [("old", "far/old"), ("new", "far/new")] {
        std::os::unix::fs::symlink(file, d.join(link)).unwrap();
    }
    std::fs::write(d.join("far/old"), "old").unwrap();
    for out in ["old", "new"] {
        json(d, &["convert", "tiny.gguf", out, "--dtype", "f16"]);
        let made = std::fs::read(d.join("far").join(out)).unwrap();
        assert!(made.starts_with(b"GGUF"), "{out}");
        json(d, &[&LOGITS, &[out][..]].concat());
        assert_eq!(std::fs::metadata(d.join("far").join(out)).unwrap().len(), 200 * 1024 * 4, "{out}");
        assert!(d.join(out).symlink_metadata().unwrap().is_symlink(), "{out}");
    }
    assert_eq!(d.join("far").read_dir().unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_conversion_replaces_no_device_and_no_pipe() {
    let dir = folder();
    let d = dir.path();
    assert!(Command::new("mkfifo").arg(d.join("fifo")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/null", d.join("link")).unwrap();
    for (out, found) in [
        ("/dev/null", "a device"),
        ("link", "a device"),
        ("fifo", "a pipe"),
        ("/dev/stdout", "an open descriptor"),
    ] {
        let o = akunu(d, &["convert", "tiny.gguf", out, "--dtype", "f16"]);
        assert_eq!(o.status.code(), Some(1), "{out}: {}", err(&o));
        assert!(err(&o).contains(found) && err(&o).contains("name one to write"), "{out}: {}", err(&o));
        assert!(o.stdout.is_empty(), "{out}");
        assert!(!Path::new(d).join(out).metadata().unwrap().is_file(), "{out}");
    }
    // As a file, standard output is a descriptor still: whoever holds it waits for what is written there.
    let o = sh(d, r#""$0" convert tiny.gguf /dev/stdout --dtype f16 >keep.txt"#);
    assert!(o.status.code() == Some(1) && err(&o).contains("descriptor"), "{}", err(&o));
    assert_eq!(std::fs::read(d.join("keep.txt")).unwrap(), b"");
}

#[cfg(unix)]
#[test]
fn logits_go_straight_into_what_is_no_file() {
    let dir = folder();
    let d = dir.path();
    let logits = LOGITS.join(" ");
    json(d, &[&LOGITS, &["file", "--device", "cpu"][..]].concat());
    let wanted = std::fs::read(d.join("file")).unwrap();
    assert!(
        sh(d, &format!(r#"mkfifo fifo; cat fifo >read & "$0" {logits} fifo --device cpu && wait"#))
            .status
            .success()
    );
    assert!(std::fs::read(d.join("read")).unwrap() == wanted);
    let o = akunu(d, &[&LOGITS, &["/dev/stdout", "--device", "cpu"][..]].concat());
    assert!(o.status.success() && o.stdout == wanted, "{}", err(&o));
    // Before and after what others write into the same file.
    let o =
        sh(d, &format!(r#"{{ printf head; "$0" {logits} /dev/stdout --device cpu; printf tail; }} >all"#));
    assert!(o.status.success(), "{}", err(&o));
    assert!(std::fs::read(d.join("all")).unwrap() == [b"head", &wanted[..], b"tail"].concat());
    let o = akunu(d, &[&LOGITS, &["/dev/stdout", "--json"][..]].concat());
    assert!(o.status.code() == Some(2) && err(&o).contains("standard output"), "{}", err(&o));
    // Nobody reads on.
    let o = sh(d, &format!(r#"{{ "$0" {logits} /dev/stdout; echo $? >&2; }} | head -c 1 >/dev/null"#));
    assert!(err(&o).ends_with("0\n"), "{}", err(&o));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_says_what_was_needed() {
    let dir = folder();
    let d = dir.path();
    let o = akunu(d, &[&LOGITS, &["/dev/full"][..]].concat());
    assert_eq!(o.status.code(), Some(1));
    assert!(err(&o).contains("/dev/full") && err(&o).contains("800.00 KiB needed"), "{}", err(&o));
    let o = sh(d, r#""$0" completions bash >/dev/full"#);
    assert!(o.status.code() == Some(1) && err(&o).contains("standard output"), "{}", err(&o));
}

/// A limit of file sizes stands for a disk that ends early.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_grow_leaves_the_old_one() {
    let dir = folder();
    let d = dir.path();
    let logits = LOGITS.join(" ");
    for command in ["convert tiny.gguf keep.bin --dtype f32", &format!("{logits} keep.bin")] {
        let o = sh(d, &format!(r#"trap '' XFSZ; ulimit -f 64; exec "$0" {command}"#));
        assert_eq!(o.status.code(), Some(1), "{command}: {}", err(&o));
        assert!(err(&o).contains("keep.bin: File too large") && err(&o).contains("iB needed"), "{}", err(&o));
        nothing_lost(d, command);
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "mounts a small disk, which takes root or user namespaces"]
fn a_full_disk_leaves_the_old_file_and_says_what_is_free() {
    let dir = folder();
    let d = dir.path();
    std::fs::create_dir(d.join("disk")).unwrap();
    let may =
        |flags: &str| Command::new("unshare").args([flags, "mount", "-t", "tmpfs", "x", "/mnt"]).output();
    let flags = if may("-m").is_ok_and(|o| o.status.success()) { "-m" } else { "-rm" };
    let logits = LOGITS.join(" ");
    for command in ["convert tiny.gguf disk/keep.bin --dtype f32", &format!("{logits} disk/keep.bin")] {
        let script = format!(
            r#"mount -t tmpfs -o size=64k x disk && echo precious >disk/keep.bin || exit 9
               "$0" {command}; echo $?; cat disk/keep.bin; ls -A disk"#
        );
        let o = Command::new("unshare")
            .current_dir(d)
            .args([flags, "sh", "-c", &script, AKUNU])
            .env("AKUNU_OFFLINE", "1")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&o.stdout), "1\nprecious\nkeep.bin\n", "{command}: {}", err(&o));
        for words in ["disk/keep.bin: No space left", "iB needed, 60.00 KiB free", "free some space"] {
            assert!(err(&o).contains(words), "{command} should say {words:?}: {}", err(&o));
        }
    }
}

#[test]
fn a_conversion_says_what_the_recipe_would_not() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    // Rows of 32 and 64 values, where Q4_K has blocks of 256.
    let m = akunu_conformance::fixture("tiny-llama");
    let m = m.to_str().unwrap();
    let made = json(d, &["convert", m, "out.gguf", "--dtype", "q4_k_m"]);
    let fallbacks = made["fallbacks"].as_array().unwrap();
    assert!(fallbacks.iter().any(|f| f["wanted"] == "q4_k" && f["dtype"] == "q5_0"), "{made}");
    let counted: u64 = fallbacks.iter().map(|f| f["tensors"].as_u64().unwrap()).sum();
    let formats = made["formats"].as_array().unwrap();
    let matrices = formats.iter().filter(|f| f["dtype"] != "f32").map(|f| f["tensors"].as_u64().unwrap());
    assert_eq!(counted, matrices.sum::<u64>());
    let text = err(&akunu(d, &["convert", m, "out.gguf", "--dtype", "q4_k_m"]));
    assert!(text.contains("are q5_0 in place of q4_k: their rows are no multiple of 256 values"), "{text}");
    assert!(!text.contains("grew"), "{text}");
    let made = json(d, &["convert", m, "f16.gguf", "--dtype", "f16"]);
    assert_eq!(made["fallbacks"], Value::Array(vec![]));
    let text = err(&akunu(d, &["convert", m, "f32.gguf", "--dtype", "f32"]));
    assert!(text.contains("the tensors grew from") && !text.contains("in place of"), "{text}");
}

/// The cells of a line of CSV.
fn cells(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    // What stands between two quotes is at odd places.
    for (i, part) in line.split('"').enumerate() {
        let mut pieces = if i % 2 == 0 { part.split(',').collect() } else { vec![part] }.into_iter();
        out.last_mut().unwrap().push_str(pieces.next().unwrap());
        out.extend(pieces.map(str::to_owned));
    }
    out
}

#[test]
fn bench_prints_no_table_without_a_row_and_plain_numbers_as_csv() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    for format in ["md", "csv", "json"] {
        let o = akunu(d, &["bench", "--synthetic", "no-such-model:q4_0", "-o", format]);
        assert!(!o.status.success() && o.stdout.is_empty(), "{}", String::from_utf8_lossy(&o.stdout));
        let o = akunu(d, &["bench", "--synthetic", "tiny-llama:q4_0", "-o", format, "-p", "0", "-n", "0"]);
        assert!(o.status.code() == Some(2) && o.stdout.is_empty(), "{}", String::from_utf8_lossy(&o.stdout));
    }
    let args = [
        "bench",
        "--synthetic",
        "tiny-llama:q4_0",
        "-p",
        "16",
        "-n",
        "4",
        "-r",
        "2",
        "--device",
        "cpu",
        "-o",
    ];
    let o = akunu(d, &[&args, &["csv"][..]].concat());
    let text = String::from_utf8(o.stdout).unwrap();
    let lines: Vec<Vec<String>> = text.lines().map(cells).collect();
    assert_eq!(lines.len(), 3, "{text}");
    let rows = json(d, &[&args[..args.len() - 1], &["--no-bandwidth"]].concat());
    for (at, name) in lines[0].iter().enumerate() {
        for (i, line) in lines[1..].iter().enumerate() {
            let (cell, same) = (&line[at], &rows[i][name]);
            match same {
                Value::String(s) => assert_eq!(cell, s),
                _ => assert!(cell.parse::<f64>().is_ok(), "{name} is {cell}"),
            }
        }
    }
    // A model this small lies in a cache.
    let share = lines[0].iter().position(|n| n == "bandwidth_share").unwrap();
    let above = lines[1..].iter().any(|l| l[share].parse::<f64>().unwrap() > 1.0);
    assert_eq!(String::from_utf8_lossy(&o.stderr).contains("above 100%"), above);
}

#[test]
fn reports_as_json_are_what_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    let tiny = ["--synthetic", "tiny-llama:q4_0", "--device", "cpu"];
    let table = json(d, &[&["table", "--summary"][..], &tiny].concat());
    assert!(table["commands"].is_null(), "{table}");
    let whole = json(d, &[&["table"][..], &tiny].concat());
    assert_eq!(
        table["total"]["commands"].as_u64().unwrap() as usize,
        whole["commands"].as_array().unwrap().len()
    );
    let groups = table["groups"].as_array().unwrap();
    for field in ["commands", "weight_bytes", "other_bytes", "flops"] {
        let sum: u64 = groups.iter().map(|g| g[field].as_u64().unwrap()).sum();
        assert_eq!(table["total"][field], sum, "{field}");
    }
    assert_eq!(groups[0]["name"], "embed");

    for shell in ["bash", "zsh", "fish"] {
        let v = json(d, &["completions", shell]);
        assert_eq!(v["shell"], shell);
        let text = akunu(d, &["completions", shell]).stdout;
        assert_eq!(v["script"].as_str().unwrap().as_bytes(), text);
    }

    let plan = json(d, &[&["inspect"][..], &tiny].concat());
    assert!(plan["plan"]["regions"].as_array().unwrap().iter().all(|r| r["bytes"] != 0), "{plan}");
    let text = String::from_utf8(akunu(d, &[&["inspect"][..], &tiny].concat()).stdout).unwrap();
    assert!(text.contains("k_cache") && !text.contains("expert_out"), "{text}");
    assert!(plan["plan"]["sequences"].is_null());
    // A batch: a context of 256 and a block for each, of two layers' keys and values.
    let context = ["--ctx", "512"];
    let of = |sequences| [&["inspect", "--sequences", sequences][..], &tiny, &context].concat();
    let batch = json(d, &of("6"));
    let batch = &batch["plan"];
    assert_eq!((&batch["sequences"], &batch["cache_tokens"]), (&6.into(), &(8 * 256).into()));
    let bytes = |plan: &serde_json::Value, name: &str| {
        let regions = plan["regions"].as_array().unwrap();
        regions.iter().find(|r| r["name"] == name).unwrap()["bytes"].as_u64().unwrap()
    };
    let session = json(d, &[&["inspect"][..], &tiny, &context].concat());
    assert_eq!(bytes(batch, "k_cache"), 4 * bytes(&session["plan"], "k_cache"), "8 blocks and 2");
    assert_eq!(bytes(batch, "tokens"), 6 * bytes(&session["plan"], "tokens"));
    let all: u64 = batch["regions"].as_array().unwrap().iter().map(|r| r["bytes"].as_u64().unwrap()).sum();
    assert_eq!(batch["total_bytes"], all);
    let text = String::from_utf8(akunu(d, &of("auto")).stdout).unwrap();
    assert!(text.contains("for 16 sequences") && text.contains("4608 tokens in the KV cache"), "{text}");
}
