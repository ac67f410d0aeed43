//! SentencePiece's unigram model: the likeliest pieces of a word (Kudo, "Subword Regularization", 2018), by the `tokenizers` library, which
//! is the models' own code. So are the steps before it.

use super::spm::SPACE;
use super::{Token, TokenType, TokenizerData, TokenizerError, charsmap};
use serde_json::Value;
use std::borrow::Cow;
use tokenizers::models::unigram::Unigram as Model;
use tokenizers::normalizers::{NormalizerWrapper, Precompiled};
use tokenizers::{Model as _, NormalizedString, Normalizer as _};

/// [`TokenizerData::model`] of a unigram model.
pub const UNIGRAM: &str = "unigram";
/// What a GGUF file calls it.
pub const UNIGRAM_IN_FILE: &str = "t5";

/// The step that looks up SentencePiece's table of normalization.
const PRECOMPILED: &str = "Precompiled";
/// Steps of normalization that are the library's to do.
const NORMALIZERS: &[&str] =
    &[PRECOMPILED, "Nmt", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip"];
/// The only pattern that is replaced by a regular expression: runs of spaces.
const SPACES: &str = " {2,}";

/// A character that no encoded text has: Unicode reserves it for use within a program.
const NOWHERE: char = '\u{FDD0}';

/// What a unigram model has beside its tokens.
#[derive(Clone, Debug)]
pub struct UnigramRules {
    /// The logarithm of each piece's probability, by id; tokens that were added have none.
    scores: Vec<f64>,
    /// What becomes bytes where it is no piece.
    byte_fallback: ByteFallback,
    normalizers: Vec<NormalizerWrapper>,
    words: Words,
}

/// What an unknown character becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteFallback {
    /// The unknown token.
    No,
    /// The tokens of its bytes.
    Yes,
}

/// Where words begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Words {
    /// After white space, which is dropped.
    AfterWhiteSpace,
    /// With each space.
    WithSpaces,
}

/// What a GGUF file says of a unigram model beside its tokens.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InFile {
    /// By id, as far as there are any.
    pub(crate) scores: Vec<f32>,
    /// SentencePiece's table of normalization.
    pub(crate) charsmap: Option<Vec<u8>>,
    pub(crate) extra_spaces: ExtraSpaces,
}

/// White space beyond one space between words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtraSpaces {
    /// It is dropped, and so is all around the text.
    Dropped,
    /// It stays.
    Kept,
}

impl UnigramRules {
    /// From a GGUF file. `Err` says what is wrong with its table of normalization.
    pub(super) fn of_file(file: InFile, byte_fallback: ByteFallback) -> Result<Self, &'static str> {
        let mut normalizers = Vec::new();
        if let Some(table) = file.charsmap.filter(|t| !t.is_empty()) {
            let table = charsmap::encode(&table);
            charsmap::check(&table)?;
            let step = serde_json::json!({ "type": PRECOMPILED, "precompiled_charsmap": table });
            normalizers.push(normalizer(PRECOMPILED, &step).ok_or("it cannot be read")?);
        }
        let words = match file.extra_spaces {
            ExtraSpaces::Dropped => Words::AfterWhiteSpace,
            ExtraSpaces::Kept => Words::WithSpaces,
        };
        Ok(Self {
            scores: file.scores.into_iter().map(f64::from).collect(),
            byte_fallback,
            normalizers,
            words,
        })
    }

    /// As a GGUF file has it. `Err` is a step that it cannot say.
    pub(crate) fn in_file(&self) -> Result<InFile, String> {
        let steps: Vec<Value> = self.normalizers.iter().map(|n| serde_json::json!(n)).collect();
        let kind = |v: &Value| v.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
        let first = steps.first().filter(|v| kind(v) == PRECOMPILED);
        let table = first.and_then(|v| v.get("precompiled_charsmap")?.as_str());
        let charsmap = table.map(charsmap::decode).transpose()?;
        let (mut strips, mut joins) = (false, false);
        for v in &steps[usize::from(first.is_some())..] {
            let pattern = v.get("pattern").and_then(|p| p.get("Regex")).and_then(Value::as_str);
            let content = v.get("content").and_then(Value::as_str);
            match (&*kind(v), pattern, content) {
                ("Strip", ..) if v.get("strip_right") == Some(&Value::Bool(true)) => strips = true,
                ("Replace", Some(SPACES), Some(" " | "\u{2581}")) => joins = true,
                _ => return Err(v.to_string()),
            }
        }
        let extra_spaces = match (self.words, strips, joins) {
            (Words::AfterWhiteSpace, ..) | (Words::WithSpaces, true, true) => ExtraSpaces::Dropped,
            (Words::WithSpaces, false, false) => ExtraSpaces::Kept,
            (Words::WithSpaces, ..) => return Err("some white space is dropped, and some is not".into()),
        };
        Ok(InFile { scores: self.scores.iter().map(|s| *s as f32).collect(), charsmap, extra_spaces })
    }

    /// From the steps of `tokenizer.json`, flat and in order. `Err` is a step that is not known, and where it stands.
    pub(super) fn read<'v>(
        scores: Vec<f64>,
        byte_fallback: ByteFallback,
        normalizers: &[&'v Value],
        cuts: &[&'v Value],
    ) -> Result<Self, (&'static str, &'v Value)> {
        let kind = |v: &Value| v.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
        let mut steps = Vec::with_capacity(normalizers.len());
        for v in normalizers {
            let kind = kind(v);
            let pattern = v.get("pattern");
            let text = pattern.and_then(|p| p.get("String")).is_some();
            let spaces = pattern.and_then(|p| p.get("Regex")).and_then(Value::as_str) == Some(SPACES);
            let known = NORMALIZERS.contains(&&*kind) || (kind == "Replace" && (text || spaces));
            let made = known.then(|| normalizer(&kind, v)).flatten();
            steps.push(made.ok_or(("normalizer", *v))?);
        }
        let words = match cuts {
            [split, _] if kind(split) == "WhitespaceSplit" => Words::AfterWhiteSpace,
            [_] => Words::WithSpaces,
            _ => return Err(("pre_tokenizer", cuts.first().copied().unwrap_or(&Value::Null))),
        };
        if let Some(mark) = cuts.last() {
            let scheme = mark.get("prepend_scheme").and_then(Value::as_str);
            let old = mark.get("add_prefix_space").and_then(Value::as_bool) != Some(false);
            let always = scheme.map_or(old, |s| s == "always");
            let split = mark.get("split").and_then(Value::as_bool) != Some(false);
            let usual = mark.get("replacement").and_then(Value::as_str).is_none_or(|r| r == "\u{2581}");
            if kind(mark) != "Metaspace" || !always || !split || !usual {
                return Err(("pre_tokenizer", mark));
            }
        }
        Ok(Self { scores, byte_fallback, normalizers: steps, words })
    }
}

/// A step as the library reads it. (Its reader of all kinds panics at a table that it cannot read, so that one is read by itself.)
fn normalizer(kind: &str, v: &Value) -> Option<NormalizerWrapper> {
    if kind == PRECOMPILED {
        let table: Precompiled = serde_json::from_str(&v.to_string()).ok()?;
        return Some(NormalizerWrapper::Precompiled(table));
    }
    serde_json::from_value(v.clone()).ok()
}

pub(super) struct Unigram {
    model: Model,
    normalizers: Vec<NormalizerWrapper>,
    words: Words,
}

impl Unigram {
    pub(super) fn new(data: &TokenizerData) -> Result<Self, TokenizerError> {
        let Some(rules) = &data.unigram else {
            return Err(TokenizerError::Json { what: "a unigram model without scores".into() });
        };
        if let Some(i) = rules.scores.iter().position(|s| !s.is_finite()) {
            return Err(TokenizerError::Json { what: format!("the score of token {i} is not finite") });
        }
        // No text becomes a control token, whose name is text like any other.
        let named = data.tokens.iter().zip(&data.types).enumerate();
        let pieces = named.map(|(id, (text, kind))| match kind {
            TokenType::Control | TokenType::Unknown | TokenType::Unused => format!("{NOWHERE}{id}"),
            TokenType::Normal | TokenType::UserDefined | TokenType::Byte => text.clone(),
        });
        let vocab = pieces.zip(rules.scores.iter().copied()).collect();
        let unk = data.unk.map(Token::index);
        let model = Model::from(vocab, unk, rules.byte_fallback == ByteFallback::Yes)
            .map_err(|e| TokenizerError::Library { what: "use the vocabulary", message: e.to_string() })?;
        Ok(Self { model, normalizers: rules.normalizers.clone(), words: rules.words })
    }

    pub(super) fn encode(&self, text: &str, out: &mut Vec<Token>) -> Result<(), TokenizerError> {
        let failed =
            |e: tokenizers::Error| TokenizerError::Library { what: "encode", message: e.to_string() };
        let kept = if text.contains(NOWHERE) {
            Cow::Owned(text.replace(NOWHERE, "\u{FFFD}"))
        } else {
            Cow::Borrowed(text)
        };
        let mut n = NormalizedString::from(&*kept);
        for step in &self.normalizers {
            step.normalize(&mut n).map_err(failed)?;
        }
        let mut word = |text: &str| {
            let mut marked = String::with_capacity(text.len() + 3);
            if !text.starts_with([' ', SPACE]) {
                marked.push(SPACE);
            }
            marked.extend(text.chars().map(|c| if c == ' ' { SPACE } else { c }));
            // Each mark begins a piece of its own.
            let mut from = 0;
            let marks = marked.match_indices(SPACE).map(|m| m.0).filter(|at| *at > 0);
            for end in marks.chain([marked.len()]) {
                let tokens = self.model.tokenize(&marked[from..end]).map_err(failed)?;
                out.extend(tokens.into_iter().map(|t| Token(t.id)));
                from = end;
            }
            Ok(())
        };
        match self.words {
            Words::AfterWhiteSpace => {
                n.get().split(char::is_whitespace).filter(|w| !w.is_empty()).try_for_each(word)
            }
            Words::WithSpaces if n.get().is_empty() => Ok(()),
            Words::WithSpaces => word(n.get()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::tokenizer::Tokenizer;
    use serde_json::json;

    fn read(normalizers: &[Value], cuts: &[Value]) -> Result<UnigramRules, &'static str> {
        let [n, c] = [normalizers, cuts].map(|all| all.iter().collect::<Vec<_>>());
        UnigramRules::read(vec![0.0], ByteFallback::No, &n, &c).map_err(|e| e.0)
    }

    #[test]
    fn steps_that_are_not_known_are_refused() {
        let mark =
            json!({ "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true });
        let old = json!({ "type": "Metaspace", "replacement": "▁", "add_prefix_space": true });
        let words = json!({ "type": "WhitespaceSplit" });
        let spaces = json!({ "type": "Replace", "pattern": { "Regex": " {2,}" }, "content": " " });
        for cuts in [vec![mark.clone()], vec![old], vec![words.clone(), mark.clone()]] {
            assert!(read(&[spaces.clone(), json!({ "type": "NFKC" })], &cuts).is_ok(), "{cuts:?}");
        }
        let any = json!({ "type": "Replace", "pattern": { "Regex": "(a+)+$" }, "content": " " });
        for other in [
            any,
            json!({ "type": "Prepend", "prepend": "x" }),
            json!({ "type": "Precompiled" }),
            json!({ "type": "Precompiled", "precompiled_charsmap": "AA==" }),
        ] {
            assert_eq!(read(&[other], std::slice::from_ref(&mark)).unwrap_err(), "normalizer");
        }
        let with = |field: &str, value: Value| {
            let mut v = mark.clone();
            v[field] = value;
            v
        };
        for cuts in [
            vec![],
            vec![words.clone()],
            vec![mark.clone(), words.clone()],
            vec![words.clone(), words, mark.clone()],
            vec![with("prepend_scheme", "first".into())],
            vec![with("split", false.into())],
            vec![with("replacement", "_".into())],
        ] {
            assert_eq!(read(&[], &cuts).unwrap_err(), "pre_tokenizer", "{cuts:?}");
        }
    }

    /// A whole file, with one thing broken at a time.
    #[test]
    fn broken_files_say_what_is_broken() {
        let good = json!({
            "model": { "type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["▁", -2.0], ["a", -3.0], ["▁a", -1.5]] },
            "normalizer": null,
            "pre_tokenizer": { "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true }
        });
        let dir = tempfile::tempdir().unwrap();
        let made = |change: &dyn Fn(&mut Value)| {
            let mut v = good.clone();
            change(&mut v);
            std::fs::write(dir.path().join("tokenizer.json"), v.to_string()).unwrap();
            Tokenizer::from_json_file(&dir.path().join("tokenizer.json"))
        };
        let t = made(&|_| {}).unwrap();
        let ids = |t: &Tokenizer, text: &str| {
            let all = t.encode(text, crate::tokenizer::Specials::AsText).unwrap();
            all.into_iter().map(|t| t.0).collect::<Vec<_>>()
        };
        assert_eq!(ids(&t, "a aa"), [3, 3, 2]);
        assert_eq!(ids(&t, " ▁"), [1, 1]);
        // Neighbours that are not known are one unknown token.
        assert_eq!(ids(&t, "xyz"), [1, 0]);
        assert_eq!(ids(&t, ""), [] as [u32; 0]);
        type Change<'a> = &'a dyn Fn(&mut Value);
        let broken: [(&str, Change<'_>); 6] = [
            ("pair", &|v| v["model"]["vocab"][1] = json!("▁")),
            ("pair", &|v| v["model"]["vocab"][1] = json!([7, 0.0])),
            ("pairs", &|v| v["model"]["vocab"][1] = json!(["▁", "x"])),
            ("object", &|v| v["model"]["vocab"] = json!(3)),
            ("precompiled_charsmap", &|v| {
                v["normalizer"] = json!({ "type": "Precompiled", "precompiled_charsmap": "////////" });
            }),
            ("Sequence", &|v| {
                v["post_processor"] =
                    json!({ "type": "TemplateProcessing", "single": [{ "Sequence": 1 }, 2, 3, 4] })
            }),
        ];
        for (said, change) in broken {
            let e = made(change).err().unwrap().to_string();
            assert!(e.contains(said), "{e}");
        }
        // Without an unknown token, only what is known can be encoded.
        let t = made(&|v| v["model"]["unk_id"] = Value::Null).unwrap();
        assert_eq!(ids(&t, "a"), [3]);
        assert!(t.encode("x", crate::tokenizer::Specials::AsText).is_err());
    }
}
