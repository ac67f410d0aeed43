//! Masks against brute force, and everything else that a matcher promises.

use crate::vocab::{Draws, begins, compile, ids, small};
use akunu::Token;
use akunu::grammar::{Grammar, GrammarError, GrammarSource, GrammarStart};

fn sources() -> Vec<GrammarSource> {
    let schema = |s: &str| GrammarSource::JsonSchema(s.into());
    let gbnf = |s: &str| GrammarSource::Gbnf(s.into());
    vec![
        GrammarSource::Regex("(ab|aa*b?c)*".into()),
        GrammarSource::Regex("[0-9]{1,3}(\\.[0-9]+)?".into()),
        GrammarSource::Regex("(日本?語?|é)+".into()),
        schema(r#"{"type": "array", "items": {"type": ["integer", "boolean", "null"]}, "maxItems": 3}"#),
        schema(
            r#"{"type": "object", "properties": {"name": {"type": "string", "maxLength": 4},
                   "a": {"enum": ["a", "aa", 12]}}, "required": ["name"]}"#,
        ),
        schema(
            r##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}}}}"##,
        ),
        gbnf("root ::= e\ne ::= t (\"+\" t)*\nt ::= [0-9]+ | \"(\" e \")\"\n"),
        gbnf("root ::= \"a\" root \"b\" | \"ab\" | \"\""),
        gbnf("root ::= s (\",\" s)*\ns ::= \"\\\"\" [^\"\\\\\\n]* \"\\\"\" | \"[\" root \"]\""),
    ]
}

/// What a mask must be by the text alone: every token whose text keeps the whole a beginning of an allowed text.
#[test]
fn masks_are_what_brute_force_says() {
    let vocabulary = small();
    let tokenizer = vocabulary.tokenizer().clone();
    let mut draws = Draws(7);
    let (mut masks, mut forced_masks) = (0, 0);
    for source in sources() {
        let grammar = compile(&source).unwrap();
        for _ in 0..6 {
            let mut matcher = grammar.matcher();
            let mut text = Vec::new();
            let mut mask = vec![u32::MAX; vocabulary.len().div_ceil(32) + 2];
            for _ in 0..12 {
                matcher.mask(&mut mask).unwrap();
                assert!(mask[vocabulary.len().div_ceil(32)..].iter().all(|w| *w == 0), "words beyond");
                let found = ids(&mask);
                let can_end = matcher.may_end().unwrap();
                let want: Vec<Token> = (0..vocabulary.len() as u32)
                    .map(Token)
                    .filter(|id| {
                        if tokenizer.is_control(*id) {
                            return tokenizer.eos_ids().contains(id) && can_end;
                        }
                        let mut with = grammar.matcher();
                        let all = text.iter().chain(tokenizer.token_bytes(*id));
                        all.copied().all(|b: u8| with.accept(Token(u32::from(b))).is_ok())
                    })
                    .collect();
                let mut forced = Vec::new();
                matcher.forced(&mut forced).unwrap();
                if let Some(first) = forced.first() {
                    // One text only: its canonical tokens.
                    assert_eq!(found, [*first], "{source:?} after {:?}", String::from_utf8_lossy(&text));
                    assert!(want.contains(first));
                    forced_masks += 1;
                } else {
                    assert_eq!(found, want, "{source:?} after {:?}", String::from_utf8_lossy(&text));
                }
                masks += 1;
                let token = found[draws.below(found.len())];
                matcher.accept(token).unwrap();
                if tokenizer.eos_ids().contains(&token) {
                    assert!(matcher.must_end() && matcher.may_end().unwrap());
                    break;
                }
                text.extend_from_slice(tokenizer.token_bytes(token));
            }
        }
    }
    assert!(masks > 200 && forced_masks > 10, "{masks} masks, {forced_masks} forced");
}

#[test]
fn rollback_and_fork_give_the_same_masks() {
    let vocabulary = small();
    let mut draws = Draws(11);
    let words = vocabulary.len().div_ceil(32);
    for source in sources() {
        let grammar = compile(&source).unwrap();
        let mut matcher = grammar.matcher();
        let (mut masks, mut tokens) = (Vec::new(), Vec::new());
        for _ in 0..10 {
            let mut mask = vec![0; words];
            matcher.mask(&mut mask).unwrap();
            let allowed = ids(&mask);
            masks.push(mask);
            let token = allowed[draws.below(allowed.len())];
            if matcher.accept(token).is_err() || vocabulary.tokenizer().eos_ids().contains(&token) {
                tokens.push(token);
                break;
            }
            tokens.push(token);
        }
        let mut fork = matcher.fork();
        for back in 1..=tokens.len() {
            fork.rollback(1).unwrap();
            let at = tokens.len() - back;
            let mut mask = vec![0; words];
            fork.mask(&mut mask).unwrap();
            assert_eq!(mask, masks[at], "{source:?}: {back} back");
            let mut again = fork.fork();
            for token in &tokens[at..] {
                again.accept(*token).unwrap();
            }
        }
        assert_eq!(fork.taken(), 0);
        // What the fork did is nothing to the first.
        assert_eq!(matcher.taken(), tokens.len());
        matcher.rollback(tokens.len()).unwrap();
        let mut mask = vec![0; words];
        matcher.mask(&mut mask).unwrap();
        assert_eq!(mask, masks[0]);
        assert!(matches!(matcher.rollback(1), Err(GrammarError::Rollback { tokens: 1, taken: 0 })));
    }
}

#[test]
fn refusals_leave_the_matcher_where_it_was() {
    let vocabulary = small();
    let grammar = compile(&GrammarSource::Regex("ab?".into())).unwrap();
    let mut matcher = grammar.matcher();
    let end = vocabulary.tokenizer().eos_ids()[0];
    for bad in [u32::from(b'b'), end.0, end.0 + 1, vocabulary.len() as u32, u32::MAX].map(Token) {
        assert_eq!(matcher.accept(bad), Err(GrammarError::Refused { token: bad }));
    }
    matcher.accept(Token(u32::from(b'a'))).unwrap();
    assert!(matcher.may_end().unwrap() && !matcher.must_end());
    matcher.accept(Token(u32::from(b'b'))).unwrap();
    assert!(matcher.must_end());
    let mut mask = vec![0; vocabulary.len().div_ceil(32)];
    matcher.mask(&mut mask).unwrap();
    assert_eq!(ids(&mask), [end]);
    matcher.accept(end).unwrap();
    assert_eq!(matcher.accept(end), Err(GrammarError::Refused { token: end }));
    assert!(matches!(matcher.mask(&mut [0; 2]), Err(GrammarError::MaskWords { found: 2, .. })));
}

#[test]
fn a_grammar_begins_after_its_marker() {
    let vocabulary = small();
    let tokenizer = vocabulary.tokenizer().clone();
    let start = GrammarStart::After("</think>".into());
    let grammar = Grammar::compile(&GrammarSource::Regex("ab".into()), &start, &vocabulary).unwrap();
    let token = |text: &str| {
        (256..vocabulary.len() as u32)
            .map(Token)
            .find(|id| {
                tokenizer.token_text(*id) == Some(text) || tokenizer.token_bytes(*id) == text.as_bytes()
            })
            .unwrap()
    };
    let mut mask = vec![0; vocabulary.len().div_ceil(32)];
    // The control token, and the same text in pieces.
    let spelled: Vec<Token> = vec![token("</"), token("think>")];
    let bytes: Vec<Token> = "x </th</think>".bytes().map(|b| Token(u32::from(b))).collect();
    for opening in [vec![token("</think>")], spelled, bytes] {
        let mut matcher = grammar.matcher();
        for t in &opening {
            matcher.mask(&mut mask).unwrap();
            assert!(ids(&mask).contains(t) && !ids(&mask).contains(&tokenizer.eos_ids()[0]));
            assert!(!matcher.may_end().unwrap() && !matcher.must_end());
            matcher.accept(*t).unwrap();
        }
        matcher.mask(&mut mask).unwrap();
        let allowed = ids(&mask);
        assert!(
            allowed.contains(&Token(u32::from(b'\n'))) && allowed.contains(&Token(u32::from(b'a'))),
            "{opening:?}"
        );
        assert!(!allowed.contains(&Token(u32::from(b'b'))) && !allowed.contains(&Token(u32::from(b'x'))));
        matcher.accept(Token(u32::from(b'\n'))).unwrap();
        matcher.accept(token("ab")).unwrap();
        assert!(matcher.must_end());
        matcher.rollback(2).unwrap();
        let mut again = vec![0; mask.len()];
        matcher.mask(&mut again).unwrap();
        assert_eq!(ids(&again), allowed);
        matcher.rollback(1).unwrap();
        assert!(!matcher.may_end().unwrap());
        matcher.accept(*opening.last().unwrap()).unwrap();
        for _ in 0..4 {
            matcher.accept(Token(u32::from(b' '))).unwrap();
        }
        assert!(matcher.accept(Token(u32::from(b' '))).is_err(), "white space has an end");
    }
    let empty =
        Grammar::compile(&GrammarSource::Regex("a".into()), &GrammarStart::After(String::new()), &vocabulary);
    assert_eq!(empty.unwrap_err(), GrammarError::EmptyMarker);
}

#[test]
fn control_tokens_come_from_lark_grammars_only() {
    let vocabulary = small();
    let tool = Token(vocabulary.len() as u32 - 1);
    let grammar = compile(&GrammarSource::Lark("start: <|tool|> \"x\"".into())).unwrap();
    let mut matcher = grammar.matcher();
    let mut mask = vec![0; vocabulary.len().div_ceil(32)];
    matcher.mask(&mut mask).unwrap();
    assert_eq!(ids(&mask), [tool]);
    matcher.accept(tool).unwrap();
    matcher.accept(Token(u32::from(b'x'))).unwrap();
    assert!(matcher.must_end());
    let any = compile(&GrammarSource::Regex("(?s:.*)".into())).unwrap();
    any.matcher().mask(&mut mask).unwrap();
    assert!(ids(&mask).iter().all(|id| id.0 < tool.0 - 1), "no control token but the end");
    assert!(!begins(&any, "\u{0}x") || begins(&any, "<|tool|>"));
}
