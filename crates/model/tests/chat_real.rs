//! Real chat templates against Jinja2 as transformers sets it up.
//!
//! `fixtures/chat_templates.json` holds, for each template of the pinned source archive, length and FNV-1a hash of
//! what transformers 4.57.3 with Jinja2 3.1.6 renders (`fixtures/chat_templates.py` wrote it), or the exception.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_model::chat::{ChatError, ChatTemplate, Clock, GenerationPrompt, Message};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

/// Templates whose text differs, and why.
const IGNORED: &[(&str, &str)] = &[
    ("CohereForAI-c4ai-command-r-plus-tool_use", TOOLS),
    ("NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", TOOLS),
    ("NousResearch-Hermes-3-Llama-3.1-8B-tool_use", TOOLS),
];
const TOOLS: &str = "made for tools only: Python cannot iterate over none, here there are simply no tools";

fn templates() -> PathBuf {
    let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
    var("AKUNU_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("akunu")))
        .or_else(|| Some(var("HOME")?.join(".cache/akunu")))
        .unwrap()
        .join("templates")
}

/// The conversations of the fixture, by its names.
fn conversation(name: &str) -> Vec<Message> {
    match name {
        "turns" => vec![
            Message::new("user", "Hi"),
            Message::new("assistant", "Hello <b>there</b>"),
            Message::new("user", "  What's 2 + 2? é🦙\n"),
        ],
        "system" => vec![Message::new("system", "Be brief."), Message::new("user", "Hi")],
        _ => panic!("no conversation {name}"),
    }
}

fn fnv1a(text: &str) -> String {
    let hash =
        text.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

fn render(source: &str, case: &str) -> Result<String, ChatError> {
    let (name, prompt) = match case.strip_suffix("+prompt") {
        Some(name) => (name, GenerationPrompt::Add),
        None => (case, GenerationPrompt::None),
    };
    // 21 November 2026, 12:00 UTC: the time that the fixture was made for.
    let clock = Clock::Fixed(UNIX_EPOCH + Duration::from_secs(1_795_262_400));
    ChatTemplate::with_clock(source, "<s>", "</s>", clock)?.render(&conversation(name), prompt)
}

/// What is wrong with a rendering, if anything.
fn difference(got: Result<String, ChatError>, want: &serde_json::Value) -> Option<String> {
    match (got, want["raises"].as_str()) {
        (Ok(text), None) => {
            let (bytes, hash) = (want["bytes"].as_u64().unwrap(), want["fnv1a64"].as_str().unwrap());
            let same = text.len() as u64 == bytes && fnv1a(&text) == hash;
            (!same).then(|| format!("{} bytes, want {bytes}: {text:?}", text.len()))
        }
        (Ok(text), Some(raises)) => Some(format!("rendered {text:?}, want {raises}")),
        (Err(ChatError::Refused { message }), Some(raises)) => (raises
            != format!("TemplateError: {message}"))
        .then(|| format!("refused {message:?}, want {raises}")),
        // A template that needs tools or functions fails in both, each in its own words.
        (Err(ChatError::Failed { .. }), Some(raises)) if !raises.starts_with("TemplateError") => None,
        (Err(e), _) => Some(e.to_string()),
    }
}

#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_templates_render_as_transformers_renders_them() {
    let fixture: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(include_str!("fixtures/chat_templates.json")).unwrap();
    assert!(fixture.len() >= 70);
    let mut failures = Vec::new();
    for (name, cases) in &fixture {
        let source = std::fs::read_to_string(templates().join(format!("{name}.jinja"))).unwrap();
        let bad: Vec<String> = cases
            .as_object()
            .unwrap()
            .iter()
            .filter_map(|(case, want)| {
                Some(format!("{name} {case}: {}", difference(render(&source, case), want)?))
            })
            .collect();
        match IGNORED.iter().find(|(n, _)| n == name) {
            None => failures.extend(bad),
            Some((_, why)) if bad.is_empty() => {
                failures.push(format!("{name} agrees, yet is ignored: {why}"))
            }
            Some((_, why)) => println!("{name} differs: {why}"),
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
}

#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn real_templates_render_long_conversations() {
    // A megabyte in a thousand turns.
    let turns: Vec<Message> = (0..1000)
        .map(|i| {
            Message::new(["user", "assistant"][i % 2], &format!("{i}: {}", "a word and another, ".repeat(52)))
        })
        .collect();
    let bytes: usize = turns.iter().map(|m| m.content.len()).sum();
    let mut all = 0;
    for entry in std::fs::read_dir(templates()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "jinja") {
            continue;
        }
        all += 1;
        let template = ChatTemplate::new(&std::fs::read_to_string(&path).unwrap(), "<s>", "</s>").unwrap();
        let start = std::time::Instant::now();
        match template.render(&turns, GenerationPrompt::Add) {
            // Some show only the last turn, or have no thoughts of earlier ones.
            Ok(text) => {
                println!("{}: {} of {bytes} bytes, {:?}", path.display(), text.len(), start.elapsed())
            }
            Err(e @ ChatError::Endless { .. }) => panic!("{}: {e}", path.display()),
            Err(e) => println!("{}: {e}", path.display()),
        }
    }
    assert!(all >= 70, "{all}");
}

/// The named formats against templates that their models carry.
#[test]
#[ignore = "needs tools/fetch-vocabs.sh"]
fn named_templates_are_what_their_models_have() {
    for (name, file) in [
        ("gemma", "google-gemma-2-2b-it"),
        ("phi3", "microsoft-Phi-3.5-mini-instruct"),
        ("chatml", "Qwen3-Coder"),
    ] {
        let own = std::fs::read_to_string(templates().join(format!("{file}.jinja"))).unwrap();
        let named = akunu_model::chat::NamedTemplate::find(name).unwrap().source;
        for case in ["turns+prompt", "system+prompt"] {
            // Gemma 2's own template refuses a system prompt.
            if (name, case.starts_with("system")) == ("gemma", true) {
                continue;
            }
            assert_eq!(
                render(named, case).unwrap().trim_end(),
                render(&own, case).unwrap().trim_end(),
                "{name} {case}"
            );
        }
    }
}
