//! `/v1/audio/transcriptions` and `/v1/audio/translations` over a tiny random model of speech (`tools/tiny_whisper.py`).

use super::client::{Answer, Running, SMALL, entry, head};
use akunu::transcribe::Cut;
use akunu::transcribe::audio::Audio;
use akunu::{Control, DeviceChoice, LoadOptions, Model, Source, TranscribeOptions};
use akunu_server::{ModelEntry, Options};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const TRANSCRIPTIONS: &str = "/v1/audio/transcriptions";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn whisper() -> Result<Model, akunu::Error> {
    let options = LoadOptions { device: DeviceChoice::Cpu, threads: Some(1), ..LoadOptions::default() };
    Model::load(&Source::Path(fixture("tiny-whisper")), &options, &mut |_| {})
}

fn speech() -> ModelEntry {
    speech_of(1)
}

/// With room for so many windows.
fn speech_of(windows: u32) -> ModelEntry {
    let load = move || whisper()?.transcriber(&TranscribeOptions { windows, ..TranscribeOptions::default() });
    ModelEntry::new("whisper-1", move || load().map(Into::into).map_err(|e: akunu::Error| e.to_string()))
}

fn server() -> Running {
    Running::ready(vec![speech(), entry("tiny", SMALL)], Options::default())
}

fn tone() -> Vec<u8> {
    std::fs::read(fixture("audio/tone.mp3")).unwrap()
}

/// A form with these texts and this file.
fn form(path: &str, fields: &[(&str, &str)], file: Option<(&str, &[u8])>) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, text) in fields {
        body.extend(
            format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n").into_bytes(),
        );
    }
    if let Some((name, data)) = file {
        let head = format!(
            "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: audio/mpeg\r\n\r\n"
        );
        body.extend(head.into_bytes());
        body.extend_from_slice(data);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--b--\r\n");
    let more = format!("content-type: multipart/form-data; boundary=b\r\ncontent-length: {}\r\n", body.len());
    let mut all = head("POST", path, &more).into_bytes();
    all.extend(body);
    all
}

fn ask(s: &Running, fields: &[(&str, &str)]) -> Answer {
    let all = [&[("model", "whisper-1"), ("temperature", "0.5"), ("language", "en")], fields].concat();
    s.raw(&form(TRANSCRIPTIONS, &all, Some(("tone.mp3", &tone()))))
}

/// Random weights say nonsense, but every format has its form and the same text, and so has each request.
#[test]
fn every_format_has_its_form() {
    let s = server();
    let verbose = ask(&s, &[("response_format", "verbose_json"), ("timestamp_granularities[]", "segment")]);
    assert_eq!(verbose.status, 200, "{verbose:?}");
    let v = verbose.json();
    assert_eq!((&v["task"], &v["language"]), (&json!("transcribe"), &json!("en")));
    assert!((0.45..0.65).contains(&v["duration"].as_f64().unwrap()), "{v}");
    let segments = v["segments"].as_array().unwrap();
    for s in segments {
        assert!(s["start"].as_f64().unwrap() < s["end"].as_f64().unwrap() && s["id"].is_u64());
        assert!(s["avg_logprob"].as_f64().unwrap() <= 0.0 && !s["tokens"].as_array().unwrap().is_empty());
        assert!((s["temperature"].as_f64().unwrap() - 0.5).abs() < 1e-6);
    }
    let text = v["text"].as_str().unwrap();
    let json = ask(&s, &[]).json();
    assert_eq!(json, json!({"text": text, "usage": {"type": "duration", "seconds": 1.0}}));
    assert_eq!(ask(&s, &[("response_format", "json")]).json(), json);
    let plain = ask(&s, &[("response_format", "text")]);
    assert_eq!(
        (plain.headers["content-type"].as_str(), plain.text()),
        ("text/plain; charset=utf-8", format!("{text}\n"))
    );
    let srt = ask(&s, &[("response_format", "srt")]).text();
    assert_eq!(srt.matches(" --> ").count(), segments.len());
    assert!(segments.is_empty() || srt.starts_with("1\n00:00:0"), "{srt}");
    let vtt = ask(&s, &[("response_format", "vtt")]);
    assert_eq!(vtt.headers["content-type"], "text/vtt; charset=utf-8");
    assert!(vtt.text().starts_with("WEBVTT\n\n") && vtt.text().matches(" --> ").count() == segments.len());
    // Words with times, alone and with segments.
    let verbose = ("response_format", "verbose_json");
    let words = ask(&s, &[verbose, ("timestamp_granularities[]", "word")]).json();
    let said: Vec<&str> =
        words["words"].as_array().unwrap().iter().map(|w| w["word"].as_str().unwrap()).collect();
    let letters = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    assert_eq!((letters(&said.concat()), &words["text"]), (letters(text), &json!(text)));
    assert!(words["words"].as_array().unwrap().iter().all(|w| w["start"].as_f64() <= w["end"].as_f64()));
    let sure = |w: &Value| w["probability"].as_f64().is_some_and(|p| p > 0.0 && p <= 1.0);
    assert!(!said.is_empty() && words["words"].as_array().unwrap().iter().all(sure), "{words}");
    assert!(words.get("segments").is_none() && v.get("words").is_none());
    let each = [("timestamp_granularities[]", "word"), ("timestamp_granularities[]", "segment")];
    let both = ask(&s, &[&[verbose][..], &each].concat()).json();
    assert_eq!(
        (&both["words"], both["segments"].as_array().unwrap().len()),
        (&words["words"], segments.len())
    );
    // Another language, a text before, and English.
    let german = ask(&s, &[("prompt", "Namen"), ("response_format", "verbose_json")]);
    assert_eq!(german.status, 200);
    let audio = tone();
    let fields = [("model", "whisper-1"), ("response_format", "verbose_json"), ("temperature", "0")];
    let english = s.raw(&form("/v1/audio/translations", &fields, Some(("tone.mp3", &audio)))).json();
    assert_eq!(english["task"], "translate");
    // Several at a time are as one.
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(ask(&s, &[]).json(), json));
        }
    });
    // An M4A file's index stands at its end.
    let m4a = std::fs::read(fixture("audio/tone.m4a")).unwrap();
    let heard = s.raw(&form(TRANSCRIPTIONS, &[("model", "whisper-1")], Some(("tone.m4a", &m4a))));
    assert_eq!(heard.status, 200, "{heard:?}");
    s.rest();
    assert!(s.metric("akunu_requests_completed_total") >= 11.0);
}

/// Sounds with pauses between them, as a WAV file of 16 bits at 16 kHz.
fn sounds() -> Vec<u8> {
    let sound = |n: usize| {
        let at = |i: usize| 8000.0 * (0.05 * i as f64 + 2.0 * (0.0007 * i as f64).sin()).sin();
        (0..n).map(at).map(|v| v as i16).chain(std::iter::repeat_n(0, 8000))
    };
    let data: Vec<u8> =
        [30_000, 12_000, 50_000, 20_000].into_iter().flat_map(sound).flat_map(i16::to_le_bytes).collect();
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

/// A recording in pieces is what the engine makes of its pieces, however many the server hears at a time and however the request says it.
#[test]
fn recordings_are_cut_in_pauses_where_that_is_asked_for() {
    let audio = sounds();
    let model = whisper().unwrap();
    let heard = |cut| {
        let temperatures = vec![0.5];
        let o = TranscribeOptions {
            language: Some("en".into()),
            temperatures,
            cut,
            ..TranscribeOptions::default()
        };
        let audio = Audio::from_bytes(audio.clone(), "sounds").unwrap();
        let t = model.transcriber(&o).unwrap().transcribe(audio, &mut |_| Control::Continue).unwrap();
        json!(t.text.trim())
    };
    let (pieces, windows) = (heard(Cut::AtPauses), heard(Cut::AfterSpeech));
    assert_ne!(pieces, windows, "the recording does not tell them apart");
    let vad = ("chunking_strategy[type]", "server_vad");
    for room in [1, 3] {
        let s = Running::ready(vec![speech_of(room)], Options::default());
        let ask = |path: &str, more: &[(&str, &str)]| {
            let fixed: &[_] = &[("model", "whisper-1"), ("temperature", "0.5")];
            s.raw(&form(path, &[fixed, more].concat(), Some(("a.wav", &audio))))
        };
        let language = ("language", "en");
        for strategy in [
            ("chunking_strategy", "auto"),
            vad,
            ("chunking_strategy", "{\"type\": \"server_vad\", \"threshold\": null}"),
        ] {
            let a = ask(TRANSCRIPTIONS, &[language, strategy]);
            assert_eq!((a.status, &a.json()["text"]), (200, &pieces), "{strategy:?} {room} {a:?}");
        }
        // The next request is as ever.
        assert_eq!(ask(TRANSCRIPTIONS, &[language]).json()["text"], windows);
        let a = ask("/v1/audio/translations", &[("chunking_strategy", "auto")]);
        assert_eq!(a.status, 200, "{a:?}");
        for (wrong, code, word) in [
            (
                vec![("chunking_strategy", "client")],
                "invalid_value",
                "`auto` or {\\\"type\\\": \\\"server_vad\\\"}",
            ),
            (vec![("chunking_strategy", "")], "invalid_value", "auto"),
            (vec![("chunking_strategy", "[]")], "invalid_value", "auto"),
            (vec![("chunking_strategy", "{}")], "missing_parameter", "chunking_strategy.type"),
            (vec![("chunking_strategy", "{\"type\"}")], "invalid_json", "chunking_strategy"),
            (vec![("chunking_strategy", "{\"type\": 7}")], "invalid_type", "chunking_strategy.type"),
            (vec![("chunking_strategy[type]", "semantic_vad")], "invalid_value", "server_vad"),
            (vec![vad, ("chunking_strategy[eagerness]", "low")], "unknown_parameter", "eagerness"),
            (vec![vad, ("chunking_strategy[threshold]", "0.5")], "unsupported_parameter", "how loud"),
            (
                vec![vad, ("chunking_strategy[silence_duration_ms]", "200")],
                "unsupported_parameter",
                "how loud",
            ),
            (vec![vad, ("chunking_strategy[prefix_padding_ms]", "300")], "unsupported_parameter", "how loud"),
            (vec![vad, ("chunking_strategy", "auto")], "invalid_value", "twice"),
        ] {
            let a = ask(TRANSCRIPTIONS, &wrong);
            assert_eq!(a.code(), (400, code.to_owned()), "{wrong:?} {a:?}");
            assert!(a.text().contains(word), "{wrong:?} {}", a.text());
        }
        s.rest();
    }
}

#[test]
fn bad_forms_are_told_by_what_is_wrong() {
    let s = server();
    let audio = tone();
    let file: Option<(&str, &[u8])> = Some(("tone.mp3", &audio));
    let model = ("model", "whisper-1");
    for (fields, code, word) in [
        (vec![("temperature", "hot")], "invalid_type", "temperature"),
        (vec![("temperature", "2")], "invalid_value", "temperature"),
        (vec![("response_format", "xml")], "invalid_value", "verbose_json"),
        (vec![("language", "xx")], "invalid_value", "en, de"),
        (vec![("timestamp_granularities[]", "segment")], "invalid_value", "verbose_json"),
        (vec![("timestamp_granularities[]", "word")], "invalid_value", "verbose_json"),
        (
            vec![("response_format", "verbose_json"), ("timestamp_granularities[]", "letter")],
            "invalid_value",
            "segment",
        ),
        (vec![("stream", "true")], "unsupported_parameter", "stream"),
        (vec![("colour", "red")], "unknown_parameter", "colour"),
        (vec![("language", "en"), ("language", "de")], "invalid_value", "twice"),
    ] {
        let a = s.raw(&form(TRANSCRIPTIONS, &[&[model][..], &fields].concat(), file));
        assert_eq!(a.code(), (400, code.to_owned()), "{fields:?} {a:?}");
        assert!(a.text().contains(word), "{fields:?} {}", a.text());
    }
    let picture =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/server-page.png")).unwrap();
    let empty = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\0\0\0\0";
    for (name, data) in [("picture.wav", &picture[..]), ("nothing.wav", b""), ("empty.wav", empty)] {
        let a = s.raw(&form(TRANSCRIPTIONS, &[model], Some((name, data))));
        assert_eq!(a.code(), (400, "invalid_audio".to_owned()), "{name}");
        assert_eq!(a.json()["error"]["param"], "file");
        assert!(a.text().contains(name), "{}", a.text());
    }
    assert_eq!(s.raw(&form(TRANSCRIPTIONS, &[model], None)).code(), (400, "missing_parameter".to_owned()));
    assert_eq!(
        s.post(TRANSCRIPTIONS, &json!({"model": "whisper-1"})).code(),
        (415, "unsupported_media_type".to_owned())
    );
    // Models of one kind do not do another's work.
    let a = s.raw(&form(TRANSCRIPTIONS, &[("model", "tiny")], file));
    assert_eq!(a.code(), (400, "unsupported_by_model".to_owned()));
    for (path, body) in [
        ("/v1/completions", json!({"model": "whisper-1", "prompt": "x"})),
        ("/v1/embeddings", json!({"model": "whisper-1", "input": "x"})),
    ] {
        assert_eq!(s.post(path, &body).code(), (400, "unsupported_by_model".to_owned()), "{path}");
    }
    s.rest();
}

/// A form with audio has a bound of its own.
#[test]
fn audio_that_is_too_large_is_refused() {
    let options = Options { body: 1000, audio: 100_000, ..Options::default() };
    let s = Running::ready(vec![speech()], options);
    let fields = [("model", "whisper-1"), ("temperature", "1")];
    let large = vec![0; 100_000];
    let a = s.raw(&form(TRANSCRIPTIONS, &fields, Some(("a.wav", &large))));
    assert_eq!(a.code(), (413, "body_too_large".to_owned()));
    assert_eq!(s.raw(&form(TRANSCRIPTIONS, &fields, Some(("tone.mp3", &tone())))).status, 200);
    let v: Value = s.get("/openapi.json").json();
    let body = &v["paths"][TRANSCRIPTIONS]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"];
    assert_eq!(
        (&body["properties"]["file"]["format"], &body["required"]),
        (&json!("binary"), &json!(["file"]))
    );
}
