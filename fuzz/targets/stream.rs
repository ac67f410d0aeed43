//! Any token ids through the streaming detokenizer, and its text in any pieces through the stop matcher.
//!
//! Input: a byte that picks the tokenizer, a stop string, 0xFF, another one, 0xFF, and ids of two bytes each. The ids
//! also say where the text is cut.
#![no_main]

use akunu_fuzz::{Budget, byte_level, marked, sections, sentence_piece};
use akunu_model::tokenizer::{Detokenizer, StopMatcher, Stopped, Token, Tokenizer};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TOKENIZERS: LazyLock<[Tokenizer; 3]> = LazyLock::new(|| [byte_level(), sentence_piece(), marked()]);

/// The text of tokens, all bytes at once.
fn whole(t: &Tokenizer, ids: &[Token], drops_space: bool) -> String {
    let mut bytes = Vec::new();
    for id in ids.iter().filter(|id| !t.is_control(**id)) {
        bytes.extend_from_slice(t.token_bytes(*id));
    }
    let bytes = match bytes.strip_prefix(b" ") {
        Some(rest) if drops_space => rest,
        _ => &bytes,
    };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Text up to the stop string that is complete first, the longest where several are.
fn until_stop(text: &str, stops: &[String]) -> (String, Stopped) {
    for end in 1..=text.len() {
        let here = stops.iter().filter(|s| !s.is_empty() && text.as_bytes()[..end].ends_with(s.as_bytes()));
        if let Some(longest) = here.map(String::len).max() {
            return (text[..end - longest].to_owned(), Stopped::Yes);
        }
    }
    (text.to_owned(), Stopped::No)
}

/// The matcher's text when it gets `text` in pieces of as many characters as `cuts` say, empty ones among them.
fn in_pieces(text: &str, stops: &[String], cuts: &[Token]) -> (String, Stopped) {
    let mut matcher = StopMatcher::new(stops);
    let mut out = String::new();
    let mut rest = text;
    let mut cuts = cuts.iter().cycle();
    while !rest.is_empty() {
        let n = cuts.next().map_or(usize::MAX, |c| c.index() % 7);
        if n == 0 {
            assert_eq!(matcher.push("", &mut out), Stopped::No);
        }
        let (piece, after) = rest.split_at(rest.char_indices().nth(n.max(1)).map_or(rest.len(), |(i, _)| i));
        if matcher.push(piece, &mut out) == Stopped::Yes {
            return (out, Stopped::Yes);
        }
        rest = after;
    }
    matcher.finish(&mut out);
    (out, Stopped::No)
}

fuzz_target!(|data: &[u8]| {
    let Some((pick, data)) = data.split_first() else { return };
    let at = usize::from(*pick) % TOKENIZERS.len();
    let t = &TOKENIZERS[at];
    let [one, other, ids] = sections::<3>(data);
    let id = |b: &[u8]| Token(b.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)));
    let ids: Vec<Token> = ids.chunks(2).map(id).collect();
    let _budget = Budget::of((4 << 20) + 4096 * data.len());

    let mut d = Detokenizer::default();
    let mut text = String::new();
    let mut copied = None;
    for (i, id) in ids.iter().enumerate() {
        if i == ids.len() / 2 {
            copied = Some((d.clone(), text.clone()));
        }
        text.push_str(d.push(t, *id));
    }
    text.push_str(d.finish());
    assert_eq!(text, whole(t, &ids, at > 0), "pieces differ from the whole");
    assert_eq!(text, t.decode(&ids));
    if let Some((mut d, mut from)) = copied {
        ids[ids.len() / 2..].iter().for_each(|id| from.push_str(d.push(t, *id)));
        from.push_str(d.finish());
        assert_eq!(text, from, "a copy goes on differently");
    }

    let stops = [one, other].map(|s| String::from_utf8_lossy(s).into_owned());
    let want = until_stop(&text, &stops);
    assert_eq!(in_pieces(&text, &stops, &ids), want);
    assert_eq!(in_pieces(&text, &stops, &[]), want);
});
