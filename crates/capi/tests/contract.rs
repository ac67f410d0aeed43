//! The contract suite through Rust and C: equal results. For other languages it writes Rust's results (`results.json`) and the tiny model
//! (`tiny.gguf`) into the folder `AKUNU_CONTRACT_OUT`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod programs;

use akunu::grammar::{GrammarSource, GrammarStart};
use akunu::transcribe::audio::Audio;
use akunu::transcribe::{Cut, Segment, Task, Word, Words};
use akunu::{
    BatchOptions, Control, Conversation, Engine, EngineOptions, Eos, Error, ErrorKind, FinishReason,
    LoadOptions, Model, Overflow, Request, Sampling, SequenceOptions, Source, TextEvent, TextOptions, Token,
    TranscribeOptions,
};
use akunu_conformance::{TOOLS_TEMPLATE, smollm2, tiny_gguf_chatting};
use programs::Build;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A case's results, by name.
type Results = Vec<(String, Value)>;

/// Tokens of a sequence, of models that draw text.
const CONTEXT: u32 = 1024;

/// Who draws text, or hears speech.
enum Loaded {
    Text(Engine),
    Speech(Model),
}

impl Loaded {
    fn new(name: &str, path: &Path) -> Self {
        let speech = name == "whisper";
        let context = (!speech).then_some(CONTEXT);
        let options = LoadOptions { context, ..LoadOptions::default() };
        let model = Model::load(&Source::Path(path.into()), &options, &mut |_| {}).unwrap();
        if speech {
            return Self::Speech(model);
        }
        let batch = BatchOptions { deterministic: true, ..BatchOptions::default() };
        Self::Text(Engine::new(&model, &EngineOptions { batch, ..EngineOptions::default() }).unwrap())
    }

    /// One call through Rust.
    fn call(&self, case: &Value) -> Result<Value, Error> {
        match self {
            Self::Text(engine) if case.get("audio").is_some() => hear(engine.model(), case),
            Self::Text(engine) => draw(engine, case),
            Self::Speech(model) => hear(model, case),
        }
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").canonicalize().unwrap().join(name)
}

fn cases() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/contract/cases.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Writes the tiny model that draws text.
fn write_tiny(dir: &Path) -> PathBuf {
    let path = dir.join("tiny.gguf");
    std::fs::write(&path, tiny_gguf_chatting("tiny-llama:q8_0", Token(1023), &[], TOOLS_TEMPLATE).unwrap())
        .unwrap();
    path
}

fn number(case: &Value, name: &str, otherwise: f32) -> f32 {
    case.get(name).map_or(otherwise, |v| v.as_f64().unwrap() as f32)
}

fn sampling(model: &Model, case: &Value) -> Result<Sampling, Error> {
    let d = model.sampling_defaults();
    let source = match (case.get("schema"), case.get("regex")) {
        (Some(schema), _) => Some(GrammarSource::JsonSchema(schema.to_string())),
        (_, Some(regex)) => Some(GrammarSource::Regex(regex.as_str().unwrap().into())),
        _ => None,
    };
    let s = Sampling {
        temperature: number(case, "temperature", d.temperature),
        top_k: number(case, "top_k", d.top_k as f32) as u32,
        top_p: number(case, "top_p", d.top_p),
        min_p: number(case, "min_p", d.min_p),
        typical: number(case, "typical_p", d.typical),
        repeat_penalty: number(case, "repeat_penalty", d.repeat_penalty),
        presence_penalty: number(case, "presence_penalty", d.presence_penalty),
        frequency_penalty: number(case, "frequency_penalty", d.frequency_penalty),
        seed: case.get("seed").map_or(0, |v| v.as_u64().unwrap()),
        logprobs: case.get("logprobs").map(|v| v.as_u64().unwrap() as u32),
        grammar: source.map(|s| model.grammar(&s, &GrammarStart::AtOnce)).transpose()?,
        ..d
    };
    s.check()?;
    Ok(s)
}

/// A text.
fn draw(engine: &Engine, case: &Value) -> Result<Value, Error> {
    let model = engine.model();
    let sampling = sampling(model, case)?;
    let mut text = TextOptions::default();
    let tokens = if let Some(messages) = case.get("messages") {
        let turn = model.converse(&Conversation::parse(&messages.to_string(), None)?)?;
        text.reading = turn.reading;
        turn.tokens
    } else if let Some(tokens) = case.get("tokens") {
        tokens.as_array().unwrap().iter().map(|t| Token(t.as_u64().unwrap() as u32)).collect()
    } else {
        model.encode(case["prompt"].as_str().unwrap())?
    };
    let stop = case.get("stop").map_or(&[][..], |v| v.as_array().unwrap());
    text.stop = stop.iter().map(|s| s.as_str().unwrap().into()).collect();
    let max_tokens = case["max_tokens"].as_u64().unwrap() as u32;
    let options = SequenceOptions { max_tokens, sampling, eos: Eos::Stop, reasoning: None };
    let mut answer =
        engine.generate(Request { tokens, options, priority: 0, overflow: Overflow::End }, &text)?;
    let cancel = case.get("cancel_after").map(|v| v.as_u64().unwrap() as usize);
    let (mut tokens, mut said, mut probs, mut end) = (Vec::new(), String::new(), Vec::new(), None);
    while let Some(event) = answer.recv() {
        match event? {
            TextEvent::Token { token, logprobs } => {
                tokens.push(token.0);
                if let Some(p) = logprobs {
                    let top = p.top().map(|(t, v)| format!(",{}:{v:.4}", t.0));
                    probs.push(format!("{:.4}{}", p.log_prob(), top.collect::<String>()));
                }
                if cancel == Some(tokens.len()) {
                    answer.cancel();
                }
            }
            TextEvent::Text(text) => said.push_str(&text),
            TextEvent::End(e) => end = Some(e),
            _ => {}
        }
    }
    let end = end.unwrap();
    tokens.truncate(cancel.unwrap_or(usize::MAX));
    let mut result = json!({"tokens": tokens, "finish": word(end.finish), "prompt_tokens": end.prompt});
    if cancel.is_none() {
        result["text"] = said.into();
    }
    if !probs.is_empty() {
        result["logprobs"] = probs.into();
    }
    Ok(result)
}

fn word(finish: FinishReason) -> &'static str {
    match finish {
        FinishReason::Eos => "eos",
        FinishReason::Length => "length",
        FinishReason::StopString => "stop",
        FinishReason::Cancelled => "cancelled",
        other => panic!("no case ends with {other:?}"),
    }
}

fn kind(e: &Error) -> &'static str {
    match e.kind() {
        ErrorKind::Argument => "argument",
        ErrorKind::Grammar => "grammar",
        ErrorKind::ContextFull => "context_full",
        other => panic!("no case fails with {other:?}: {e}"),
    }
}

/// What is heard in a recording.
fn hear(model: &Model, case: &Value) -> Result<Value, Error> {
    let text = |name: &str| case.get(name).map(|v| v.as_str().unwrap().to_owned());
    let is = |name: &str| case.get(name).is_some_and(|v| v.as_bool().unwrap());
    let count = |name: &str, otherwise| case.get(name).map_or(otherwise, |v| v.as_u64().unwrap());
    let default = TranscribeOptions::default();
    let temperatures = case
        .get("temperatures")
        .map(|all| all.as_array().unwrap().iter().map(|t| t.as_f64().unwrap() as f32).collect::<Vec<_>>());
    let mut transcriber = model.transcriber(&TranscribeOptions {
        language: text("language"),
        task: if is("translate") { Task::Translate } else { Task::Transcribe },
        initial_prompt: text("initial_prompt"),
        temperatures: temperatures.unwrap_or(default.temperatures),
        beams: count("beams", 1) as u32,
        seed: count("seed", 0),
        words: if is("word_timestamps") { Words::Timed } else { Words::Untimed },
        cut: if case.get("batch").is_some() { Cut::AtPauses } else { Cut::AfterSpeech },
        windows: count("batch", 1) as u32,
        ..default
    })?;
    let path = fixture("audio").join(case["audio"].as_str().unwrap());
    let audio = if is("in_memory") || case.get("first_bytes").is_some() {
        let mut bytes = std::fs::read(path).unwrap();
        bytes.truncate(count("first_bytes", u64::MAX) as usize);
        Audio::from_bytes(bytes, "the audio in memory")
    } else {
        Audio::open(&path)
    };
    let heard = transcriber.transcribe(audio?, &mut |_| Control::Continue)?;
    Ok(json!({
        "text": heard.text,
        "language": heard.language,
        "seconds": format!("{:.3}", heard.seconds),
        "damaged": heard.damage.is_some(),
        "segments": heard.segments.iter().map(shown).collect::<Vec<_>>(),
    }))
}

fn shown(s: &Segment) -> Value {
    json!({
        "start": format!("{:.3}", s.start),
        "end": format!("{:.3}", s.end),
        "temperature": format!("{:.4}", s.temperature),
        "logprob": format!("{:.4}", s.avg_logprob),
        "compression": format!("{:.4}", s.compression_ratio),
        "no_speech": format!("{:.4}", s.no_speech_prob),
        "tokens": Token::ids(&s.tokens),
        "text": s.text,
        "words": s.words.iter().map(spoken).collect::<Vec<_>>(),
    })
}

fn spoken(w: &Word) -> Value {
    let probability = format!("{:.4}", w.probability);
    json!({"start": format!("{:.3}", w.start), "end": format!("{:.3}", w.end), "text": w.text, "probability": probability})
}

/// A message without the folder of the recordings, which has another name elsewhere.
fn plain(message: &str) -> String {
    message.replace(&format!("{}/", fixture("audio").display()), "")
}

/// A case in all of its threads, which must agree.
fn through_rust(loaded: &Loaded, case: &Value) -> Value {
    let failed = |e: Error| json!({"error": kind(&e), "message": plain(&e.to_string())});
    let once = || loaded.call(case).unwrap_or_else(failed);
    let threads = case.get("threads").map_or(1, |v| v.as_u64().unwrap());
    std::thread::scope(|s| {
        let all: Vec<_> = (0..threads).map(|_| s.spawn(once)).collect();
        let all: Vec<Value> = all.into_iter().map(|t| t.join().unwrap()).collect();
        assert!(all.iter().all(|r| *r == all[0]), "threads differ: {all:#?}");
        all[0].clone()
    })
}

/// Cases as lines for the C program.
fn lines(cases: &[Value], paths: &HashMap<&str, PathBuf>) -> String {
    let escape = |s: &str| s.replace('\\', "\\\\").replace('\n', "\\n");
    let mut out = String::new();
    for case in cases {
        for (key, value) in case.as_object().unwrap() {
            match (key.as_str(), value) {
                ("name", _) => {}
                ("model", v) => {
                    let name = v.as_str().unwrap();
                    out.push_str(&format!("model {}\n", paths[name].display()));
                    if name != "whisper" {
                        out.push_str(&format!("context {CONTEXT}\n"));
                    }
                }
                ("stop", Value::Array(all)) => {
                    all.iter().for_each(|s| out.push_str(&format!("stop {}\n", escape(s.as_str().unwrap()))));
                }
                (key, Value::Array(all)) if key != "messages" => {
                    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                    out.push_str(&format!("{key} {}\n", all.join(" ")));
                }
                ("audio", Value::String(s)) => {
                    out.push_str(&format!("audio {}\n", fixture("audio").join(s).display()));
                }
                (key, Value::String(s)) => out.push_str(&format!("{key} {}\n", escape(s))),
                (key, v) => out.push_str(&format!("{key} {}\n", escape(&v.to_string()))),
            }
        }
        out.push('\n');
    }
    out
}

/// What the C program says of one case.
fn read(block: &str) -> Value {
    let unescape = |s: &str| s.replace("\\n", "\n").replace("\\\\", "\\");
    let mut result = json!({});
    for line in block.lines() {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        let number = || value.parse::<i64>().unwrap();
        match key {
            "tokens" => {
                result[key] =
                    value.split_whitespace().map(|t| t.parse::<u32>().unwrap()).collect::<Vec<_>>().into();
            }
            "logprobs" => result[key] = value.split_whitespace().collect::<Vec<_>>().into(),
            "finish" => result[key] = ["", "eos", "length", "stop", "cancelled"][number() as usize].into(),
            "error" => result[key] = if number() == 1 { "argument" } else { "grammar" }.into(),
            "prompt_tokens" => result[key] = number().into(),
            "damaged" => result[key] = (number() == 1).into(),
            "message" => result[key] = plain(&unescape(value)).into(),
            "segments" => (result[key], result["text"]) = (json!([]), "".into()),
            "segment" => {
                let parts: Vec<&str> = value.splitn(8, ' ').collect();
                let &[start, end, temperature, logprob, compression, no_speech, tokens, text] = &parts[..]
                else {
                    panic!("{line}")
                };
                let tokens: Value = serde_json::from_str(tokens).unwrap();
                let text = unescape(text);
                result["text"] = format!("{}{text}", result["text"].as_str().unwrap()).into();
                result["segments"].as_array_mut().unwrap().push(json!({
                    "start": start, "end": end, "temperature": temperature, "logprob": logprob,
                    "compression": compression, "no_speech": no_speech, "tokens": tokens, "text": text,
                    "words": [],
                }));
            }
            "word" => {
                let parts: Vec<&str> = value.splitn(4, ' ').collect();
                let &[start, end, probability, text] = &parts[..] else { panic!("{line}") };
                let segment = result["segments"].as_array_mut().unwrap().last_mut().unwrap();
                let word =
                    json!({"start": start, "end": end, "probability": probability, "text": unescape(text)});
                segment["words"].as_array_mut().unwrap().push(word);
            }
            _ => result[key] = unescape(value).into(),
        }
    }
    result
}

fn through_c(cases: &[Value], paths: &HashMap<&str, PathBuf>, dir: &Path) -> Vec<Value> {
    let program = Build::new(dir).compile("tests/c/contract.c");
    let out = programs::run(&program, &[], &lines(cases, paths));
    out.split_terminator("\n\n").map(read).collect()
}

/// The cases through Rust and C, which must agree.
fn compared(cases: &[Value], models: &HashMap<&str, PathBuf>, dir: &Path) -> Results {
    let loaded: HashMap<&str, Loaded> =
        models.iter().map(|(name, path)| (*name, Loaded::new(name, path))).collect();
    let name = |case: &Value, key: &str| case[key].as_str().unwrap().to_owned();
    let rust: Results = cases
        .iter()
        .map(|case| (name(case, "name"), through_rust(&loaded[&*name(case, "model")], case)))
        .collect();
    let c = through_c(cases, models, dir);
    assert_eq!(c.len(), rust.len());
    for ((name, rust), c) in rust.iter().zip(&c) {
        assert_eq!(rust, c, "{name}");
    }
    rust
}

#[track_caller]
fn of<'a>(results: &'a [(String, Value)], name: &str) -> &'a Value {
    &results.iter().find(|(n, _)| n == name).unwrap().1
}

#[test]
fn speech_through_c_is_that_of_rust() {
    let mut cases = cases();
    cases.retain(|case| case.get("audio").is_some());
    let dir = tempfile::tempdir().unwrap();
    let models = HashMap::from([("whisper", fixture("tiny-whisper")), ("tiny", write_tiny(dir.path()))]);
    let all = compared(&cases, &models, dir.path());
    // Random weights say nonsense, but the suite is not vacuous: something is heard, and what must differ does.
    let heard = of(&all, "speech");
    assert!(!heard["segments"].as_array().unwrap().is_empty() && heard["damaged"] == false, "{heard}");
    assert_eq!(of(&all, "speech as M4A"), of(&all, "speech as M4A in memory"));
    assert_ne!(of(&all, "speech with a seed")["segments"], of(&all, "speech with another seed")["segments"]);
    assert_eq!(of(&all, "speech in a language")["language"], "de");
    let words = |name| {
        let count = |s: &Value| s["words"].as_array().unwrap().len();
        of(&all, name)["segments"].as_array().unwrap().iter().map(count).max().unwrap()
    };
    assert_eq!(of(&all, "speech with words")["text"], heard["text"]);
    assert!(!of(&all, "speech in pieces")["segments"].as_array().unwrap().is_empty());
    assert_eq!((words("speech"), words("speech with words")), (0, 1));
    assert!(words("speech with words, in a language and in memory") > 1);
    for (name, word) in [
        ("what is no audio", "config.json is no audio"),
        ("an M4A file that was cut off", "the audio in memory is no audio"),
        ("no file of audio", "cannot open silence.wav"),
        ("too many pieces at once", "is 129; choose between 1 and 128"),
    ] {
        assert!(of(&all, name)["message"].as_str().unwrap().contains(word), "{name}: {}", of(&all, name));
    }
}

#[test]
#[ignore = "needs the real model; tools/fetch-model.sh"]
fn real_results_through_c_are_those_of_rust() {
    let dir = tempfile::tempdir().unwrap();
    let tiny = write_tiny(dir.path());
    let models =
        HashMap::from([("smollm2", smollm2()), ("tiny", tiny.clone()), ("whisper", fixture("tiny-whisper"))]);
    let all = compared(&cases(), &models, dir.path());
    // The suite is not vacuous: the model says what it is known to say, and what must differ does.
    let of = |name: &str| of(&all, name);
    assert!(of("greedy")["text"].as_str().unwrap().starts_with(" Paris"));
    assert_eq!(of("greedy")["tokens"], of("greedy from tokens")["tokens"]);
    assert_ne!(of("a seed")["text"], of("another seed")["text"]);
    assert_eq!(of("a stop string")["finish"], "stop");
    assert_eq!(
        (&of("a cancel")["finish"], of("a cancel")["tokens"].as_array().unwrap().len()),
        (&json!("cancelled"), 3)
    );
    if let Some(out) = std::env::var_os("AKUNU_CONTRACT_OUT").map(PathBuf::from) {
        let all: serde_json::Map<String, Value> = all.into_iter().collect();
        std::fs::create_dir_all(&out).unwrap();
        std::fs::write(out.join("results.json"), serde_json::to_string_pretty(&all).unwrap()).unwrap();
        std::fs::copy(tiny, out.join("tiny.gguf")).unwrap();
    }
}
