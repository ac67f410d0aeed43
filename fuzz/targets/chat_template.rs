//! A chat template: compiled, and rendered over a fixed conversation.
#![no_main]

use akunu_fuzz::Budget;
use akunu_model::chat::{ChatTemplate, Clock, GenerationPrompt, Message};
use libfuzzer_sys::fuzz_target;
use std::time::UNIX_EPOCH;

/// What a rendering of a short conversation may hold, in bytes.
const HELD: usize = 64 << 20;

fuzz_target!(|source: &str| {
    let _budget = Budget::of(HELD + 512 * source.len());
    let Ok(template) = ChatTemplate::with_clock(source, "<s>", "</s>", Clock::Fixed(UNIX_EPOCH)) else {
        return;
    };
    let messages = [
        Message::new("system", "Be brief."),
        Message::new("user", "Hi"),
        Message::new("assistant", "Hello <b>there</b>"),
        Message::new("user", "  What's 2 + 2? é🦙\n"),
    ];
    let rendered = template.render(&messages, GenerationPrompt::Add);
    // With a fixed clock a template is a function of the conversation.
    let again = template.render(&messages, GenerationPrompt::Add);
    assert_eq!(rendered.ok(), again.ok());
    let _ = template.render(&messages[1..2], GenerationPrompt::None);
});
