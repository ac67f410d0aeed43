//! Any text through real tokenizers and back.
//!
//! Input: a byte that picks the tokenizer and whether control tokens are parsed, then the text.
#![no_main]

use akunu_fuzz::{Budget, byte_level, marked, sentence_piece};
use akunu_model::tokenizer::{Bos, Specials, Tokenizer};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TOKENIZERS: LazyLock<[(Tokenizer, Spaces); 3]> = LazyLock::new(|| {
    [(byte_level(), Spaces::AsTheyAre), (sentence_piece(), Spaces::Marked), (marked(), Spaces::Marked)]
});

/// What a tokenizer does to spaces.
enum Spaces {
    AsTheyAre,
    /// The mark for a space and a space are the same.
    Marked,
}

fuzz_target!(|data: &[u8]| {
    let Some((pick, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let (t, spaces) = &TOKENIZERS[usize::from(pick >> 1) % TOKENIZERS.len()];
    let _budget = Budget::of((16 << 20) + 1024 * text.len());

    if pick & 1 == 1 {
        let ids = t.encode_with(&text, Specials::Parse, Bos::Auto).expect("any text is encoded");
        assert!(ids.iter().all(|id| id.index() < t.vocab_len()), "an id outside the vocabulary");
        std::hint::black_box(t.decode(&ids));
        return;
    }
    let ids = t.encode_with(&text, Specials::AsText, Bos::Never).expect("any text is encoded");
    assert!(ids.iter().all(|id| id.index() < t.vocab_len()), "an id outside the vocabulary");
    assert!(!ids.iter().any(|id| t.is_control(*id)), "a control token out of plain text");
    let want = match spaces {
        Spaces::AsTheyAre => text.to_string(),
        Spaces::Marked => text.replace('\u{2581}', " "),
    };
    assert_eq!(t.decode(&ids), want, "the text changed on its way through tokens {ids:?}");
});
