//! Tokenizers over a small vocabulary: round trips, streaming, stop strings, broken vocabularies.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_model::tokenizer::{
    AddBos, Detokenizer, FimIds, Normalization, SpacePrefix, Specials, StopMatcher, Stopped, Token,
    TokenType, Tokenizer, TokenizerData, TokenizerError,
};
use proptest::prelude::*;

/// GPT-2's byte alphabet, written out anew from its definition.
fn alphabet() -> Vec<char> {
    let mut next = 0x100;
    (0..=255u32)
        .map(|b| {
            if matches!(b, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff) {
                char::from_u32(b).unwrap()
            } else {
                next += 1;
                char::from_u32(next - 1).unwrap()
            }
        })
        .collect()
}

fn data() -> TokenizerData {
    let mut tokens: Vec<String> = alphabet().into_iter().map(String::from).collect();
    let mut merges = Vec::new();
    for (a, b) in [("h", "e"), ("l", "l"), ("he", "ll"), ("hell", "o"), ("Ġ", "w"), ("Ã", "©")] {
        merges.push(format!("{a} {b}"));
        tokens.push(format!("{a}{b}"));
    }
    let mut types = vec![TokenType::Normal; tokens.len()];
    for t in ["<|end|>", "<|im_start|>"] {
        tokens.push(t.into());
        types.push(TokenType::Control);
    }
    let end = Token(tokens.len() as u32 - 2);
    TokenizerData {
        model: "gpt2".into(),
        pre: Some("gpt-2".into()),
        tokens,
        scores: vec![],
        types,
        merges,
        bos: None,
        unk: None,
        words: None,
        unigram: None,
        between: None,
        suffix: None,
        ends: vec![end],
        add_bos: AddBos::No,
        space_prefix: SpacePrefix::None,
        normalization: Normalization::None,
        fim: Default::default(),
        strips: Default::default(),
        chat_template: None,
    }
}

fn tokenizer() -> Tokenizer {
    Tokenizer::new(data()).unwrap()
}

#[test]
fn merges_and_control_tokens() {
    let t = tokenizer();
    let end = t.eos_ids()[0];
    assert_eq!(t.encode("hello", Specials::Parse).unwrap(), [Token(259)]);
    assert_eq!(t.encode("hello<|end|>é", Specials::Parse).unwrap(), [Token(259), end, Token(261)]);
    assert_eq!(t.encode("<|end|>", Specials::AsText).unwrap().len(), 7);
    assert_eq!(t.decode(&[Token(259), end, Token(261)]), "helloé");
    assert!(t.is_control(end));
    assert_eq!(t.token_bytes(Token(260)), b" w");
    assert_eq!(t.token_bytes(Token(999_999)), b"");
}

#[test]
fn bos_is_added_once() {
    let start = Token(data().tokens.len() as u32 - 1);
    let t = Tokenizer::new(TokenizerData { bos: Some(start), add_bos: AddBos::Yes, ..data() }).unwrap();
    assert_eq!(t.encode("hello", Specials::Parse).unwrap(), [start, Token(259)]);
    assert_eq!(t.encode("<|im_start|>hello", Specials::Parse).unwrap(), [start, Token(259)]);
}

#[test]
fn holes_in_texts_have_tokens_by_their_names_or_by_the_files() {
    assert!(tokenizer().fim().is_none());
    let with = |texts: &[&str], fim: FimIds| {
        let mut d = TokenizerData { fim, ..data() };
        let first = d.tokens.len() as u32;
        d.tokens.extend(texts.iter().map(|t| (*t).to_owned()));
        d.types.resize(d.tokens.len(), TokenType::Control);
        (first, Tokenizer::new(d).unwrap())
    };
    for texts in [
        [
            "<|fim_prefix|>",
            "<|fim_suffix|>",
            "<|fim_middle|>",
            "<|fim_pad|>",
            "<|repo_name|>",
            "<|file_sep|>",
        ],
        ["<fim_prefix>", "<fim_suffix>", "<fim_middle>", "<fim_pad>", "<reponame>", "<file_sep>"],
        ["▁<PRE>", "▁<SUF>", "▁<MID>", "<x>", "<y>", "<z>"],
        ["<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", "<x>", "<y>", "<z>"],
    ] {
        let (first, t) = with(&texts, FimIds::default());
        let fim = t.fim().unwrap();
        assert_eq!([fim.prefix, fim.suffix, fim.middle], [0, 1, 2].map(|i| Token(first + i)));
        let more = [fim.pad, fim.repository, fim.separator];
        let want = [3, 4, 5].map(|i| (texts[3] != "<x>").then_some(Token(first + i)));
        assert_eq!(more, want, "{texts:?}");
        // What comes after a file's end is no text.
        assert!(want.iter().flatten().all(|e| t.eos_ids().contains(e)));
        assert!(!t.eos_ids().contains(&fim.middle));
    }
    // What a file says is stronger than names; one of the three alone is nothing.
    let own = FimIds([Some(Token(5)), None, None, None, None, Some(Token(6))]);
    let (first, t) = with(&["<PRE>", "<SUF>", "<MID>", "<|fim_prefix|>"], own);
    let fim = t.fim().unwrap();
    assert_eq!((fim.prefix, fim.suffix, fim.separator), (Token(5), Token(first + 1), Some(Token(6))));
    assert!(with(&["<PRE>", "<SUF>"], FimIds::default()).1.fim().is_none());
    let d = TokenizerData { fim: FimIds([Some(Token(99_999)); 6]), ..data() };
    assert!(matches!(Tokenizer::new(d).unwrap_err(), TokenizerError::SpecialId { id: 99_999, .. }));
}

#[test]
fn half_a_character_waits() {
    let t = tokenizer();
    let mut d = Detokenizer::default();
    let id = |b: u8| Token(b.into());
    // The euro sign is three bytes.
    assert_eq!(d.push(&t, id(0xe2)), "");
    assert_eq!(d.push(&t, id(0x82)), "");
    assert_eq!(d.push(&t, id(0xac)), "€");
    assert_eq!(d.push(&t, id(0xff)), "\u{fffd}");
    assert_eq!(d.push(&t, id(0xe2)), "");
    assert_eq!(d.push(&t, id(b'a')), "\u{fffd}a");
    assert_eq!(d.push(&t, id(0xe2)), "");
    assert_eq!(d.finish(), "\u{fffd}");
}

#[test]
fn stop_strings_are_found_across_pieces_and_held_back() {
    let mut m = StopMatcher::new(&["\nUser:".into(), "END".into(), String::new()]);
    let mut out = String::new();
    for piece in ["Hi", "\nUs", "a", "\n", "Use", "r", ": x"] {
        if m.push(piece, &mut out) == Stopped::Yes {
            break;
        }
    }
    assert_eq!(out, "Hi\nUsa");
    let mut m = StopMatcher::new(&["END".into()]);
    let mut out = String::new();
    assert_eq!(m.push("the EN", &mut out), Stopped::No);
    assert_eq!(out, "the ");
    m.finish(&mut out);
    assert_eq!(out, "the EN");
}

#[test]
fn broken_vocabularies_are_typed_errors() {
    let merge = |m: &str| Tokenizer::new(TokenizerData { merges: vec![m.into()], ..data() }).unwrap_err();
    assert!(matches!(merge("he"), TokenizerError::Merge { index: 0, .. }));
    assert!(matches!(merge("q nowhere"), TokenizerError::Merge { .. }));
    assert!(matches!(merge("q q"), TokenizerError::Merge { what: "the result is no token", .. }));
    let e = Tokenizer::new(TokenizerData { pre: Some("new-thing".into()), ..data() }).unwrap_err();
    assert!(e.to_string().contains("new-thing") && e.to_string().contains("smollm"), "{e}");
    let e = Tokenizer::new(TokenizerData { model: "rwkv".into(), ..data() }).unwrap_err();
    assert!(matches!(e, TokenizerError::UnknownModel { .. }));
    let e = Tokenizer::new(TokenizerData { model: "llama".into(), ..data() }).unwrap_err();
    assert!(matches!(e, TokenizerError::Length { .. }));
    let e = Tokenizer::new(TokenizerData { pre: None, ..data() }).unwrap_err();
    assert!(matches!(e, TokenizerError::UnknownPre { .. }));
    let e = Tokenizer::new(TokenizerData { types: vec![], ..data() }).unwrap_err();
    assert!(matches!(e, TokenizerError::Length { found: 0, .. }));
    let e = Tokenizer::new(TokenizerData { tokens: vec![], types: vec![], ..data() }).unwrap_err();
    assert!(matches!(e, TokenizerError::Metadata { .. }));
    for broken in [
        TokenizerData { bos: Some(Token(9999)), ..data() },
        TokenizerData { unk: Some(Token(9999)), ..data() },
        TokenizerData { ends: vec![Token(0), Token(9999)], ..data() },
    ] {
        assert!(matches!(Tokenizer::new(broken).unwrap_err(), TokenizerError::SpecialId { id: 9999, .. }));
    }
}

/// Long runs make backtracking engines give up, and then every later piece is wrong.
#[test]
fn hostile_texts_take_linear_time_and_are_cut_well() {
    let t = tokenizer();
    for run in [" ", "\n", "a", "'", "é", "1", " \u{a0}"] {
        let text = format!("{} world <|end|>", run.repeat(1 << 20));
        let start = std::time::Instant::now();
        let ids = t.encode(&text, Specials::AsText).unwrap();
        assert!(start.elapsed().as_secs() < 20, "{run:?} took {:?}", start.elapsed());
        assert_eq!(t.decode(&ids), text);
        let tail = t.encode(" world <|end|>", Specials::AsText).unwrap();
        assert!(ids.ends_with(&tail[tail.len() - 8..]), "{run:?}");
    }
}

#[test]
fn stop_strings_do_not_depend_on_how_the_text_was_cut() {
    let run = |pieces: &[&str], stops: &[&str]| {
        let stops: Vec<String> = stops.iter().map(|s| (*s).into()).collect();
        let mut m = StopMatcher::new(&stops);
        let mut out = String::new();
        let stopped = pieces.iter().any(|p| m.push(p, &mut out) == Stopped::Yes);
        if !stopped {
            m.finish(&mut out);
        }
        (out, stopped)
    };
    // The one that is complete first wins, and the longest of those complete at once.
    for pieces in [&["xabc"][..], &["x", "a", "b", "c"], &["xa", "bc"]] {
        assert_eq!(run(pieces, &["abc", "b"]), ("xa".into(), true));
        assert_eq!(run(pieces, &["bc", "abc"]), ("x".into(), true));
        assert_eq!(run(pieces, &["abcd", "cd"]), ("xabc".into(), false));
    }
    assert_eq!(run(&["aab", "aab", "aac!"], &["aabaac"]), ("aab".into(), true));
}

/// Stop strings by their definition: the first end at which some stop string ends, minus the longest of those.
fn stopped_at(text: &str, stops: &[String]) -> Option<usize> {
    (1..=text.len()).find_map(|end| {
        let ended = stops.iter().filter(|s| text.as_bytes()[..end].ends_with(s.as_bytes()));
        Some(end - ended.map(String::len).max()?)
    })
}

proptest! {
    #[test]
    fn stop_strings_are_found_where_their_definition_says(
        pieces in prop::collection::vec("[ab€]{0,4}", 0..12),
        stops in prop::collection::vec("[ab€]{1,5}", 0..3),
    ) {
        let mut m = StopMatcher::new(&stops);
        let mut out = String::new();
        let text = pieces.concat();
        let stopped = pieces.iter().any(|p| m.push(p, &mut out) == Stopped::Yes);
        if !stopped {
            m.finish(&mut out);
        }
        let want = stopped_at(&text, &stops);
        prop_assert_eq!(stopped, want.is_some());
        prop_assert_eq!(out.as_str(), &text[..want.unwrap_or(text.len())]);
    }

    #[test]
    fn any_text_comes_back(text in any::<String>()) {
        let t = tokenizer();
        let ids = t.encode(&text, Specials::AsText).unwrap();
        prop_assert_eq!(t.decode(&ids), text);
    }

    #[test]
    fn streaming_equals_decoding_at_once(ids in prop::collection::vec((0..264u32).prop_map(Token), 0..64)) {
        let t = tokenizer();
        let mut d = Detokenizer::default();
        let mut streamed = String::new();
        for id in &ids {
            streamed.push_str(d.push(&t, *id));
        }
        streamed.push_str(d.finish());
        let bytes: Vec<u8> = ids.iter().filter(|i| !t.is_control(**i)).flat_map(|i| t.token_bytes(*i).to_vec()).collect();
        prop_assert_eq!(&streamed, &t.decode(&ids));
        if let Ok(s) = String::from_utf8(bytes) {
            prop_assert_eq!(streamed, s);
        }
    }
}
