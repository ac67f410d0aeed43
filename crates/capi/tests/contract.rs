//! The contract suite through Rust and C: equal results. For other languages it writes Rust's results (`results.json`) and the tiny model
//! (`tiny.gguf`) into the folder `AKUNU_CONTRACT_OUT`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod programs;

use akunu::grammar::{GrammarSource, GrammarStart};
use akunu::transcribe::audio::Audio;
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

struct Loaded {
    path: PathBuf,
    engine: Engine,
}

fn load(path: PathBuf) -> Loaded {
    let options = LoadOptions { context: Some(1024), ..LoadOptions::default() };
    let model = Model::load(&Source::Path(path.clone()), &options, &mut |_| {}).unwrap();
    let batch = BatchOptions { deterministic: true, ..BatchOptions::default() };
    let engine = Engine::new(&model, &EngineOptions { batch, ..EngineOptions::default() }).unwrap();
    Loaded { path, engine }
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

/// One call through Rust.
fn call(engine: &Engine, case: &Value) -> Result<Value, Error> {
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

/// A case in all of its threads, which must agree.
fn through_rust(engine: &Engine, case: &Value) -> Value {
    let once = || call(engine, case).unwrap_or_else(|e| json!({"error": kind(&e), "message": e.to_string()}));
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
                    out.push_str(&format!("model {}\n", paths[v.as_str().unwrap()].display()));
                }
                ("stop", Value::Array(all)) => {
                    all.iter().for_each(|s| out.push_str(&format!("stop {}\n", escape(s.as_str().unwrap()))));
                }
                ("tokens", Value::Array(all)) => {
                    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                    out.push_str(&format!("tokens {}\n", all.join(" ")));
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

/// What Rust hears in the fixtures' recordings, greedily.
fn speech() -> Value {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    let source = Source::Path(fixtures.join("tiny-whisper"));
    let model = Model::load(&source, &LoadOptions::default(), &mut |_| {}).unwrap();
    let greedy = TranscribeOptions { temperatures: vec![0.0], ..TranscribeOptions::default() };
    let mut all = json!({});
    for name in ["tone.flac", "tone.m4a"] {
        let audio = Audio::open(&fixtures.join("audio").join(name)).unwrap();
        let heard =
            model.transcriber(&greedy).unwrap().transcribe(audio, &mut |_| Control::Continue).unwrap();
        let tokens: Vec<_> = heard.segments.iter().map(|s| Token::ids(&s.tokens).to_vec()).collect();
        all[name] = json!({"text": heard.text, "language": heard.language, "tokens": tokens});
    }
    all
}

#[test]
#[ignore = "needs the real model; tools/fetch-model.sh"]
fn real_results_through_c_are_those_of_rust() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/contract/cases.json");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let tiny = dir.path().join("tiny.gguf");
    std::fs::write(&tiny, tiny_gguf_chatting("tiny-llama:q8_0", Token(1023), &[], TOOLS_TEMPLATE).unwrap())
        .unwrap();
    let models: HashMap<&str, Loaded> =
        [("smollm2", smollm2()), ("tiny", tiny)].into_iter().map(|(n, p)| (n, load(p))).collect();
    let rust: Results = cases
        .iter()
        .map(|c| {
            (
                c["name"].as_str().unwrap().into(),
                through_rust(&models[c["model"].as_str().unwrap()].engine, c),
            )
        })
        .collect();
    // The suite is not vacuous: the model says what it is known to say, and what must differ does.
    let of = |name: &str| &rust.iter().find(|(n, _)| n == name).unwrap().1;
    assert!(of("greedy")["text"].as_str().unwrap().starts_with(" Paris"));
    assert_eq!(of("greedy")["tokens"], of("greedy from tokens")["tokens"]);
    assert_ne!(of("a seed")["text"], of("another seed")["text"]);
    assert_eq!(of("a stop string")["finish"], "stop");
    assert_eq!(
        (&of("a cancel")["finish"], of("a cancel")["tokens"].as_array().unwrap().len()),
        (&json!("cancelled"), 3)
    );
    let paths: HashMap<&str, PathBuf> = models.iter().map(|(n, l)| (*n, l.path.clone())).collect();
    let c = through_c(&cases, &paths, dir.path());
    assert_eq!(c.len(), rust.len());
    for ((name, rust), c) in rust.iter().zip(&c) {
        assert_eq!(rust, c, "{name}");
    }
    if let Some(out) = std::env::var_os("AKUNU_CONTRACT_OUT").map(PathBuf::from) {
        let all: serde_json::Map<String, Value> = rust.into_iter().collect();
        std::fs::create_dir_all(&out).unwrap();
        std::fs::write(out.join("results.json"), serde_json::to_string_pretty(&all).unwrap()).unwrap();
        std::fs::copy(&paths["tiny"], out.join("tiny.gguf")).unwrap();
        std::fs::write(out.join("speech.json"), speech().to_string()).unwrap();
    }
}
