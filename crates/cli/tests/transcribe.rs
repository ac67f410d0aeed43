//! `akunu transcribe` over the tiny random model of the fixtures, and what it says of bad input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_akunu"));
    command.args(args).args(["--device", "cpu"]).env("AKUNU_OFFLINE", "1");
    command
}

fn akunu(args: &[&str]) -> Output {
    command(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn transcribe(audio: &str, more: &[&str]) -> Output {
    let model = fixture("tiny-whisper");
    akunu(&[&["transcribe", model.to_str().unwrap(), audio, "--language", "en"], more].concat())
}

fn tone() -> String {
    fixture("audio/tone.mp3").to_str().unwrap().to_owned()
}

/// Random weights say nonsense, but every format has its form, and the same every time.
#[test]
fn every_format_has_its_form() {
    let json = transcribe(&tone(), &["--format", "json", "--temp", "0"]);
    assert!(json.status.success(), "{}", text(&json.stderr));
    let whole: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(whole["language"], "en");
    assert!((0.45..0.65).contains(&whole["duration"].as_f64().unwrap()), "{}", whole["duration"]);
    let segments = whole["segments"].as_array().unwrap();
    let said: Vec<&str> = segments.iter().map(|s| s["text"].as_str().unwrap()).collect();
    assert_eq!(whole["text"], said.concat());
    for s in segments {
        assert!(s["start"].as_f64().unwrap() < s["end"].as_f64().unwrap());
        assert!(s["avg_logprob"].as_f64().unwrap() <= 0.0 && !s["tokens"].as_array().unwrap().is_empty());
    }
    assert_eq!(transcribe(&tone(), &["--json", "--temp", "0"]).stdout, json.stdout);

    let lines = transcribe(&tone(), &["--temp", "0"]);
    assert_eq!(text(&lines.stdout).trim().is_empty(), segments.is_empty());
    let srt = text(&transcribe(&tone(), &["--temp", "0", "--format", "srt"]).stdout);
    assert_eq!(srt.matches(" --> ").count(), segments.len());
    assert!(segments.is_empty() || srt.starts_with("1\n00:00:0"), "{srt}");
    let vtt = text(&transcribe(&tone(), &["--temp", "0", "--format", "vtt"]).stdout);
    assert!(vtt.starts_with("WEBVTT\n\n") && vtt.matches(" --> ").count() == segments.len(), "{vtt}");
}

/// Words have the segments' text; in subtitles each is a cue. Plain text has no room for times.
#[test]
fn words_have_times() {
    let audio = fixture("audio/tone.flac");
    let args = ["--temp", "0", "--word-timestamps"];
    let json = transcribe(audio.to_str().unwrap(), &[&args[..], &["--json"]].concat());
    assert!(json.status.success(), "{}", text(&json.stderr));
    let whole: Value = serde_json::from_slice(&json.stdout).unwrap();
    let mut words = 0;
    for s in whole["segments"].as_array().unwrap() {
        let said: Vec<&Value> = s["words"].as_array().unwrap().iter().collect();
        words += said.len();
        assert_eq!(said.iter().map(|w| w["word"].as_str().unwrap()).collect::<String>(), s["text"]);
        assert!(said.iter().all(|w| w["start"].as_f64().unwrap() <= w["end"].as_f64().unwrap()));
        assert!(said.iter().all(|w| w["probability"].as_f64().is_some_and(|p| p > 0.0 && p <= 1.0)));
    }
    for format in ["srt", "vtt"] {
        let cues = transcribe(audio.to_str().unwrap(), &[&args[..], &["--format", format]].concat());
        assert_eq!(text(&cues.stdout).matches(" --> ").count(), words, "{format}");
    }
    let plain = transcribe(audio.to_str().unwrap(), &args);
    assert_eq!(plain.status.code(), Some(2));
    assert!(text(&plain.stderr).contains("--format json"), "{}", text(&plain.stderr));
}

/// Files that are heard at once say what each says alone, in their order; what comes before a bad one is written.
#[test]
fn several_files_are_heard_at_once() {
    let names =
        ["tone.mp3", "tone.flac", "tone.m4a"].map(|f| fixture("audio").join(f).to_str().unwrap().to_owned());
    let alone: Vec<u8> =
        names.iter().flat_map(|n| transcribe(n, &["--temp", "0", "--json"]).stdout).collect();
    for parallel in ["2", "3", "100"] {
        let together =
            transcribe(&names[0], &[&names[1], &names[2], "--temp", "0", "--json", "--parallel", parallel]);
        assert!(together.status.success(), "{}", text(&together.stderr));
        assert_eq!(text(&together.stdout), text(&alone), "{parallel}");
    }
    let args = ["nothing.wav", &names[1], "--temp", "0", "--format", "vtt", "--parallel", "2"];
    let bad = transcribe(&names[0], &args);
    let first = transcribe(&names[0], &["--temp", "0", "--format", "vtt"]);
    assert_eq!((bad.status.code(), text(&bad.stdout)), (Some(1), text(&first.stdout)));
    assert!(text(&bad.stderr).contains("nothing.wav"), "{}", text(&bad.stderr));
}

/// A WAV file of a wandering tone with pauses, so many seconds long: some windows of the tiny model.
fn long(folder: &Path, seconds: u32) -> String {
    let data: Vec<u8> = (0..seconds * 16_000)
        .flat_map(|i| {
            let (t, loud) = (f64::from(i), if i % 24_000 < 19_000 { 9e3 } else { 10.0 });
            ((loud * (0.05 * t + 2.0 * (0.0007 * t).sin()).sin()) as i16).to_le_bytes()
        })
        .collect();
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    let path = folder.join(format!("long{seconds}.wav"));
    std::fs::write(&path, out).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Pieces of a file, of several and of a pipe: however many at once, the same is written, with times that grow to the end.
#[test]
fn a_file_is_heard_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (long(folder.path(), 9), long(folder.path(), 5));
    let batch = |audio: &[&str], n: &str, more: &[&str]| {
        let rest = [&audio[1..], &["--temp", "0", "--batch", n], more].concat();
        let o = transcribe(audio[0], &rest);
        assert!(o.status.success(), "{}", text(&o.stderr));
        text(&o.stdout)
    };
    let json = batch(&[&one], "1", &["--json"]);
    let whole: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(whole["duration"], 9.0);
    let segments = whole["segments"].as_array().unwrap();
    let times = |name: &str| segments.iter().map(|s| s[name].as_f64().unwrap()).collect::<Vec<_>>();
    let (starts, ends) = (times("start"), times("end"));
    assert!(starts.is_sorted() && ends.is_sorted() && ends.last().is_some_and(|e| *e <= 9.0), "{json}");
    for n in ["2", "8", "128"] {
        assert_eq!(batch(&[&one], n, &["--json"]), json, "{n}");
    }
    let srt = batch(&[&one], "4", &["--format", "srt"]);
    assert_eq!(srt.matches(" --> ").count(), segments.len());
    assert_eq!(batch(&[&one, &two], "3", &["--json"]), json.clone() + &batch(&[&two], "2", &["--json"]));
    // Beams and a prompt are no hindrance.
    batch(&[&two], "2", &["--beams", "2", "--initial-prompt", "Names"]);
    let model = fixture("tiny-whisper");
    let args = [
        "transcribe",
        "-m",
        model.to_str().unwrap(),
        "-",
        "--language",
        "en",
        "--temp",
        "0",
        "--json",
        "--batch",
        "2",
    ];
    let child = command(&args).stdin(std::fs::File::open(&one).unwrap()).output().unwrap();
    let piped: Value = serde_json::from_slice(&child.stdout).unwrap();
    assert_eq!(piped["segments"], whole["segments"]);
    for bad in [
        &["--batch", "0"][..],
        &["--batch", "129"],
        &["--batch", "many"],
        &["--batch", "2", "--parallel", "2"],
    ] {
        let o = transcribe(&one, bad);
        assert_eq!(o.status.code(), Some(2), "{bad:?}: {}", text(&o.stderr));
        assert!(text(&o.stderr).contains("--batch"), "{bad:?}: {}", text(&o.stderr));
    }
}

/// A pipe is heard as its file is.
#[test]
fn standard_input_is_heard() {
    let model = fixture("tiny-whisper");
    let args =
        ["transcribe", "-m", model.to_str().unwrap(), "-", "--language", "en", "--temp", "0", "--json"];
    let mut child =
        command(&args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(fixture("audio/tone.flac")).unwrap()).unwrap();
    let piped = child.wait_with_output().unwrap();
    assert!(piped.status.success(), "{}", text(&piped.stderr));
    let file = transcribe(fixture("audio/tone.flac").to_str().unwrap(), &["--json", "--temp", "0"]);
    let [piped, file]: [Value; 2] = [piped, file].map(|o| serde_json::from_slice(&o.stdout).unwrap());
    assert_eq!((&piped["segments"], &piped["duration"]), (&file["segments"], &file["duration"]));
}

#[test]
fn bad_input_is_told_by_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let is = |name: &str, bytes: &[u8], words: &[&str]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let o = transcribe(path.to_str().unwrap(), &[]);
        let e = text(&o.stderr);
        assert_eq!(o.status.code(), Some(1), "{name}: {e}");
        assert!(e.contains(name) && words.iter().all(|w| e.contains(w)), "{name}: {e}");
    };
    let picture = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/server-page.png"));
    is("picture.mp3", &picture.unwrap(), &["no audio that can be read"]);
    is("nothing.wav", &[], &["no audio that can be read"]);
    is(
        "empty.wav",
        b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0",
        &["no samples"],
    );
    let o = transcribe("/nowhere/talk.wav", &[]);
    assert!(text(&o.stderr).contains("cannot open /nowhere/talk.wav"), "{}", text(&o.stderr));
}

/// Each kind of model refuses what is another's.
#[test]
fn models_do_what_they_are_for() {
    let (whisper, llama) = (fixture("tiny-whisper"), fixture("tiny-llama"));
    let [whisper, llama] = [&whisper, &llama].map(|p| p.to_str().unwrap());
    for (args, words) in [
        (vec!["run", whisper, "hello"], "akunu transcribe"),
        (vec!["embed", whisper, "hello"], "use an encoder"),
        (vec!["transcribe", llama, &tone()], "use a model of speech"),
        (vec!["transcribe", whisper, &tone(), "--language", "xx"], "the model knows en, de"),
    ] {
        let o = akunu(&args);
        assert!(!o.status.success() && text(&o.stderr).contains(words), "{args:?}: {}", text(&o.stderr));
    }
    for args in [vec!["transcribe", whisper], vec!["transcribe", whisper, "a.wav", "--temp", "-1"]] {
        assert_eq!(akunu(&args).status.code(), Some(2), "{args:?}");
    }
}

/// Without a device: converting and what it says.
fn convert(from: &Path, to: &Path, dtype: &str) -> Output {
    let mut c = Command::new(env!("CARGO_BIN_EXE_akunu"));
    c.arg("convert").args([from, to]).args(["--dtype", dtype, "--json"]).env("AKUNU_OFFLINE", "1");
    c.output().unwrap()
}

/// A directory and a file of whisper.cpp become files of whisper.cpp that are heard with as they were.
#[test]
fn converted_models_hear_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let heard = |model: &Path| {
        let model = model.to_str().unwrap();
        let o = akunu(&["transcribe", model, &tone(), "--language", "en", "--temp", "0", "--json"]);
        assert!(o.status.success(), "{}", text(&o.stderr));
        text(&o.stdout)
    };
    let made = |from: &Path, name: &str, dtype: &str| {
        let to = folder.path().join(name);
        let o = convert(from, &to, dtype);
        assert!(o.status.success(), "{}", text(&o.stderr));
        let about: Value = serde_json::from_slice(&o.stdout).unwrap();
        assert_eq!(about["file_bytes"], std::fs::metadata(&to).unwrap().len());
        (to, about)
    };
    let (file, _) = made(&fixture("tiny-whisper.bin"), "f16.bin", "f16");
    assert_eq!(heard(&file), heard(&fixture("tiny-whisper.bin")));
    let (floats, _) = made(&file, "f32.bin", "f32");
    assert_eq!(heard(&floats), heard(&file));
    let (of_directory, about) = made(&fixture("tiny-whisper"), "dir.bin", "f16");
    assert_eq!(heard(&of_directory), heard(&fixture("tiny-whisper.bin")));
    assert!(about["lost"].as_array().unwrap().iter().any(|l| l.as_str().unwrap().contains("never drawn")));
    let (eight, about) = made(&fixture("tiny-whisper"), "q8_0.bin", "q8_0");
    assert!(about["formats"].as_array().unwrap().iter().any(|f| f["dtype"] == "q8_0"));
    assert!(heard(&eight).contains("segments"));

    // What cannot be.
    let out = folder.path().join("out.bin");
    for (from, to, dtype, says) in [
        (fixture("tiny-whisper.bin"), out.clone(), "q4_k_m", "a file of whisper.cpp cannot hold q4_k_m"),
        (eight.clone(), out.clone(), "q5_0", "--allow-requantize"),
        (eight.clone(), eight.clone(), "q8_0", "belongs to the model"),
        (eight.clone(), folder.path().into(), "q8_0", "directory"),
    ] {
        let o = convert(&from, &to, dtype);
        assert!(o.status.code() == Some(1) && text(&o.stderr).contains(says), "{}", text(&o.stderr));
        assert!(!out.exists());
    }
}

/// What is in a file of whisper.cpp, and what of it cannot be run.
#[test]
fn files_are_inspected() {
    let file = fixture("tiny-whisper.bin");
    let inspect = |path: &Path, more: &[&str]| akunu(&[&["inspect", path.to_str().unwrap()], more].concat());
    let about: Value = serde_json::from_slice(&inspect(&file, &["--json"]).stdout).unwrap();
    assert_eq!((&about["metadata"]["n_vocab"], &about["metadata"]["ftype"]), (&367.into(), &1.into()));
    assert_eq!((&about["metadata"]["words"], &about["runs"]), (&256.into(), &true.into()));
    assert_eq!((&about["plan"]["arch"], &about["unknown"]), (&"whisper".into(), &Value::Array(Vec::new())));
    let tensors = about["tensors"].as_array().unwrap();
    let conv = tensors.iter().find(|t| t["name"] == "encoder.conv1.weight").unwrap();
    assert_eq!((&conv["type"], &conv["type_id"]), (&"F16".into(), &1.into()));
    assert_eq!((conv["shape"].as_array().unwrap().len(), &conv["shape"][0]), (3, &3.into()));
    let o = text(&inspect(&file, &["--tensors"]).stdout);
    for says in ["whisper.cpp's GGML", "n_audio_ctx = ", "encoder.conv1.weight", "tensors by type", "cross_k"]
    {
        assert!(o.contains(says), "{says}: {o}");
    }
    let short = text(&inspect(&file, &[]).stdout);
    assert!(!short.contains("encoder.conv1.weight") && short.contains("F16"), "{short}");

    // Heads of the decoder that are not the encoder's: shown, and not run.
    let folder = tempfile::tempdir().unwrap();
    let (bad, whole) = (folder.path().join("m.bin"), std::fs::read(&file).unwrap());
    let mut other = whole.clone();
    other[32..36].copy_from_slice(&1u32.to_le_bytes());
    std::fs::write(&bad, &other).unwrap();
    let o = inspect(&bad, &["--json"]);
    let about: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(
        (o.status.code(), &about["runs"], &about["metadata"]["n_text_head"]),
        (Some(1), &false.into(), &1.into())
    );
    assert!(about["reason"].as_str().unwrap().contains("as the encoder"), "{}", about["reason"]);
    let o = inspect(&bad, &[]);
    assert!(text(&o.stdout).contains("n_text_head = 1") && text(&o.stderr).contains("cannot be run"));
    // What is no such file to its end is not shown, and not converted.
    for (bytes, says) in [
        (&whole[..whole.len() - 1], "tensor"),
        (&whole[..30], "n_text_state"),
        (&[&whole[..4], &[0xff; 64]].concat()[..], "n_vocab"),
    ] {
        std::fs::write(&bad, bytes).unwrap();
        let out = folder.path().join("out.bin");
        for o in [inspect(&bad, &[]), inspect(&bad, &["--json"]), convert(&bad, &out, "q8_0")] {
            let err = text(&o.stderr);
            assert!(o.status.code() == Some(1) && err.contains(says) && err.contains("m.bin"), "{err}");
        }
        assert!(!out.exists());
    }
}
