//! Tokenizers from `tokenizer.json`, the file of the `tokenizers` library, and `tokenizer_config.json` beside it.
//!
//! The file is a program of steps. The steps that models use are recognized and become a [`TokenizerData`], the same as
//! from a GGUF file; a step that is not recognized refuses the file, because leaving it out would change tokens.

use super::data::{
    AddBos, MARKED_BPE, Normalization, SpacePrefix, Strip, TokenType, TokenizerData, WORD_PIECES, WordRules,
};
use super::pre::{PRE_TOKENIZERS, WholePieces};
use super::unigram::{ByteFallback, UNIGRAM, UnigramRules};
use super::{FimIds, Tokenizer, TokenizerError};
use crate::json::{self, JsonFile};
use crate::safetensors::Directory;
use akunu_kernels::step::Token;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// The largest `tokenizer.json` that is read, in bytes; Gemma's has 33 MB.
const LIMIT: u64 = 256 << 20;
/// The control token that begins a transcript.
const TRANSCRIPT: &str = "<|startoftranscript|>";
/// The largest `chat_template.jinja`.
const TEMPLATE_LIMIT: u64 = 1 << 20;
/// Vocabulary entries; a hole in the numbering costs memory.
const MAX_TOKENS: u64 = 1 << 24;
const FILE: &str = "tokenizer.json";

impl Tokenizer {
    /// The tokenizer of a model's directory, for a model with `rows` embeddings; `None` where it has no
    /// `tokenizer.json`.
    pub fn from_directory(dir: &Directory, rows: u32) -> Result<Option<Self>, TokenizerError> {
        TokenizerData::from_directory(dir, rows)?.map(Self::new).transpose()
    }

    /// The tokenizer of a `tokenizer.json` by itself, with what `tokenizer_config.json` beside it says.
    pub fn from_json_file(path: &Path) -> Result<Self, TokenizerError> {
        let dir = path.parent().unwrap_or(Path::new(""));
        let config = read_config(&dir.join("tokenizer_config.json"))?;
        let class = named_class(&config)?;
        match TokenizerData::from_json(path, &config, class.as_deref(), u32::MAX)? {
            Some(data) => Self::new(data),
            None => Err(TokenizerError::Json { what: "there is no such file".into() }),
        }
    }
}

fn model(e: crate::ModelError) -> TokenizerError {
    TokenizerError::Json { what: e.to_string() }
}

fn read_config(path: &Path) -> Result<JsonFile, TokenizerError> {
    Ok(JsonFile::read(path, LIMIT).map_err(model)?.unwrap_or_else(|| JsonFile::absent(path)))
}

/// A step that is not known.
fn step(place: &'static str, v: &Value) -> TokenizerError {
    let text = crate::error::shown(v.to_string().as_bytes());
    TokenizerError::UnknownStep { place, step: text }
}

/// Python classes of word pieces that take the rules of `tokenizer_config.json`, or their own defaults, over those of `tokenizer.json`.
const RESTATING: [&str; 11] = [
    "BertTokenizer",
    "DistilBertTokenizer",
    MPNET,
    "ConvBertTokenizer",
    "ElectraTokenizer",
    "FunnelTokenizer",
    "LayoutLMTokenizer",
    "LxmertTokenizer",
    "MobileBertTokenizer",
    "RetriBertTokenizer",
    "SqueezeBertTokenizer",
];
/// The one that leaves Chinese characters as `tokenizer.json` has them.
const MPNET: &str = "MPNetTokenizer";

/// The Python class that `tokenizer_config.json` names, without what marks its fast form.
fn named_class(config: &JsonFile) -> Result<Option<String>, TokenizerError> {
    let named = config.fields().str("tokenizer_class").map_err(model)?;
    Ok(named.map(|c| c.strip_suffix("Fast").filter(|c| RESTATING.contains(c)).unwrap_or(c).into()))
}

/// The Python class that a model's type stands for, where none is named.
fn class_of(dir: &Directory) -> Result<Option<&'static str>, crate::ModelError> {
    let kind = dir.config().fields().str("model_type")?;
    Ok(match kind {
        Some("bert") => Some("BertTokenizer"),
        Some("distilbert") => Some("DistilBertTokenizer"),
        Some("mpnet") => Some(MPNET),
        _ => None,
    })
}

/// The rules as such a class has them.
fn restated(file: WordRules, class: &str, said: &json::Fields<'_>) -> Result<WordRules, crate::ModelError> {
    let lowercase = said.bool("do_lower_case")?.unwrap_or(true);
    let split_chinese = said.bool("tokenize_chinese_chars")?.unwrap_or(true);
    Ok(WordRules {
        lowercase,
        strip_accents: said.bool("strip_accents")?.unwrap_or(lowercase),
        split_chinese: if class == MPNET { file.split_chinese } else { split_chinese },
        ..file
    })
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    added_tokens: Vec<Added>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    model: Model,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: String,
    #[serde(default)]
    special: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    single_word: bool,
}

#[derive(Deserialize)]
struct Model {
    /// Missing in old files, which all are BPE.
    r#type: Option<String>,
    #[serde(default)]
    vocab: Value,
    #[serde(default)]
    merges: Vec<Merge>,
    unk_token: Option<String>,
    /// Of unigram models.
    unk_id: Option<u64>,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    ignore_merges: bool,
    #[serde(default)]
    fuse_unk: bool,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Pair(String, String),
    Text(String),
}

impl TokenizerData {
    /// Reads the files of a directory; `None` where there is no `tokenizer.json`.
    pub fn from_directory(dir: &Directory, rows: u32) -> Result<Option<Self>, TokenizerError> {
        let config = read_config(&dir.path().join("tokenizer_config.json"))?;
        let class = match named_class(&config)? {
            None => class_of(dir).map_err(model)?.map(Into::into),
            named => named,
        };
        let path = dir.path().join(FILE);
        let Some(mut data) = Self::from_json(&path, &config, class.as_deref(), rows)? else {
            return Ok(None);
        };
        let template =
            json::read_bytes(&dir.path().join("chat_template.jinja"), TEMPLATE_LIMIT).map_err(model)?;
        if let Some(bytes) = template {
            let text = String::from_utf8(bytes);
            let text =
                text.map_err(|_| TokenizerError::Json { what: "chat_template.jinja is no UTF-8".into() })?;
            data.chat_template = Some(text);
        }
        let ends = dir.end_ids().map_err(model)?;
        data.ends.extend(ends.into_iter().filter(|id| id.index() < data.tokens.len()));
        data.ends.dedup();
        Ok(Some(data))
    }

    fn from_json(
        path: &Path,
        config: &JsonFile,
        class: Option<&str>,
        rows: u32,
    ) -> Result<Option<Self>, TokenizerError> {
        let Some(raw) = json::read_as::<Raw>(path, LIMIT).map_err(model)? else { return Ok(None) };
        let m = &raw.model;
        let kind = m.r#type.as_deref().unwrap_or("BPE");
        let pieces = kind == "WordPiece";
        let unigram = kind == "Unigram";
        if kind != "BPE" && !pieces && !unigram {
            let known = "BPE, WordPiece, Unigram";
            return Err(TokenizerError::UnknownModel { model: kind.into(), known });
        }
        let mark = if pieces { "##" } else { "" };
        let prefix = m.continuing_subword_prefix.as_ref().filter(|p| *p != mark);
        for affix in [prefix, m.end_of_word_suffix.as_ref()].into_iter().flatten() {
            if !affix.is_empty() {
                return Err(step("model", &Value::from(affix.as_str())));
            }
        }
        let (mut tokens, mut types) = vocabulary(m, &raw.added_tokens, rows)?;
        let steps = match kind {
            "WordPiece" => Steps::of_pieces(&raw, config, class)?,
            "Unigram" => Steps::of_unigram(&raw)?,
            _ => Steps::read(&raw)?,
        };
        let unk = match (m.unk_token.as_deref(), m.unk_id) {
            (Some(text), _) => position(&tokens, text),
            (None, Some(id)) => u32::try_from(id).ok().map(Token).filter(|t| t.index() < tokens.len()),
            (None, None) => None,
        };
        if let Some(unk) = unk {
            types[unk.index()] = TokenType::Unknown;
        }
        if m.byte_fallback {
            for (text, kind) in tokens.iter_mut().zip(&mut types) {
                if *kind == TokenType::Normal && super::byte_token(text).is_some() && text.len() == 6 {
                    *kind = TokenType::Byte;
                }
            }
        }
        let strips = raw.added_tokens.iter().filter_map(|a| {
            let strip = match (a.lstrip, a.rstrip) {
                (false, false) => return None,
                (true, false) => Strip::Left,
                (false, true) => Strip::Right,
                (true, true) => Strip::Both,
            };
            ((a.id as usize) < tokens.len()).then_some((Token(a.id), strip))
        });
        let strips: HashMap<Token, Strip> = strips.collect();
        let names = Names { config, tokens: &tokens };
        let template_bos = steps.bos.as_deref().and_then(|t| position(&tokens, t));
        let bos = template_bos.filter(|_| pieces).or(names.id("bos_token")?).or(template_bos);
        let add_bos = config.fields().bool("add_bos_token").map_err(model)?.unwrap_or(template_bos.is_some());
        Ok(Some(Self {
            model: match kind {
                "WordPiece" => WORD_PIECES,
                "Unigram" => UNIGRAM,
                _ if steps.byte_level => "gpt2",
                _ => MARKED_BPE,
            }
            .into(),
            unigram: steps.unigram,
            between: steps.between.as_deref().and_then(|t| position(&tokens, t)),
            words: steps.words,
            suffix: steps.suffix.as_deref().and_then(|t| position(&tokens, t)),
            pre: steps.pre.map(Into::into),
            scores: Vec::new(),
            merges: m.merges.iter().map(Merge::text).collect(),
            bos,
            unk,
            ends: names.id("eos_token")?.into_iter().collect(),
            fim: FimIds::default(),
            add_bos: if add_bos && bos.is_some() { AddBos::Yes } else { AddBos::No },
            space_prefix: steps.space_prefix,
            chat_template: names.template()?,
            normalization: steps.normalization,
            strips,
            tokens,
            types,
        }))
    }
}

impl Merge {
    fn text(&self) -> String {
        match self {
            Self::Text(t) => t.clone(),
            Self::Pair(a, b) => format!("{a} {b}"),
        }
    }
}

/// Token texts and types by id: the model's vocabulary and the tokens that were added to it. Added tokens without an
/// embedding are dropped: no prompt could hold them.
fn vocabulary(
    m: &Model,
    added: &[Added],
    rows: u32,
) -> Result<(Vec<String>, Vec<TokenType>), TokenizerError> {
    let bad = |what: String| TokenizerError::Json { what };
    let listed = m.vocab.as_array().map_or(&[][..], Vec::as_slice);
    let empty = serde_json::Map::new();
    let vocab = match m.vocab.as_object() {
        Some(vocab) => vocab,
        None if m.vocab.is_array() => &empty,
        None => return Err(bad("model.vocab is no object".into())),
    };
    let added: Vec<&Added> = added.iter().filter(|a| a.id < rows).collect();
    let entries = (vocab.len() + listed.len() + added.len()) as u64;
    let mut all: Vec<(&str, u64, TokenType)> = Vec::with_capacity(entries as usize);
    for (text, id) in vocab {
        let id = id.as_u64().ok_or_else(|| bad("model.vocab has an id that is no number".into()))?;
        all.push((text, id, TokenType::Normal));
    }
    for (id, piece) in (0..).zip(listed) {
        let text = piece.get(0).and_then(Value::as_str);
        let text =
            text.ok_or_else(|| bad(format!("entry {id} of model.vocab is no pair of text and score")))?;
        all.push((text, id, TokenType::Normal));
    }
    for a in &added {
        if a.single_word {
            return Err(step("added_tokens", &Value::from("single_word")));
        }
        let kind = if a.special { TokenType::Control } else { TokenType::UserDefined };
        all.push((&a.content, u64::from(a.id), kind));
    }
    let largest = all.iter().max_by_key(|t| t.1);
    let most = MAX_TOKENS.min(2 * entries + 4096);
    if let Some((text, id, _)) = largest.filter(|t| t.1 >= most) {
        let text = crate::error::shown(text.as_bytes());
        return Err(bad(format!(
            "the token `{text}` has the id {id}, too large for a list of {entries} tokens"
        )));
    }
    // Below `most`, so one more is in range.
    let n = largest.map_or(0, |t| t.1 + 1);
    let mut tokens = vec![String::new(); n as usize];
    let mut types = vec![TokenType::Unused; n as usize];
    for (text, id, kind) in all {
        let at = id as usize;
        // An added token may be in the vocabulary as well, and then says what it is.
        if types[at] != TokenType::Unused && tokens[at] != text {
            return Err(bad(format!("two tokens have the id {id}")));
        }
        tokens[at] = text.into();
        types[at] = kind;
    }
    Ok((tokens, types))
}

fn position(tokens: &[String], text: &str) -> Option<Token> {
    tokens.iter().position(|t| t == text).map(|i| Token(i as u32))
}

/// Named tokens and the template in `tokenizer_config.json`.
struct Names<'a> {
    config: &'a JsonFile,
    tokens: &'a [String],
}

impl Names<'_> {
    /// The id of a token that is named by its text, or by an object that holds it.
    fn id(&self, field: &str) -> Result<Option<Token>, TokenizerError> {
        let f = self.config.fields();
        let text = match f.get(field) {
            None => None,
            Some(v) => v.as_str().or_else(|| v.get("content")?.as_str()),
        };
        Ok(text.and_then(|t| position(self.tokens, t)))
    }

    /// The chat template, the default one of several.
    fn template(&self) -> Result<Option<String>, TokenizerError> {
        let f = self.config.fields();
        let Some(v) = f.get("chat_template") else { return Ok(None) };
        let named = |name: &str| {
            let entry = v.as_array()?.iter().find(|t| t.get("name").and_then(Value::as_str) == Some(name))?;
            entry.get("template")?.as_str()
        };
        Ok(v.as_str().or_else(|| named("default")).map(Into::into))
    }
}

/// What the steps around the model amount to.
struct Steps {
    byte_level: bool,
    pre: Option<&'static str>,
    normalization: Normalization,
    space_prefix: SpacePrefix,
    /// The token that the post-processor puts first.
    bos: Option<String>,
    /// The one that it puts last.
    suffix: Option<String>,
    words: Option<WordRules>,
    unigram: Option<UnigramRules>,
    /// What the post-processor puts before the second text of a pair, after the token that follows the first.
    between: Option<String>,
}

/// A step and its parts, in order: a sequence within a sequence is flat.
fn flat<'a>(v: &'a Value, list: &str, out: &mut Vec<&'a Value>) {
    match v.get("type").and_then(Value::as_str) {
        Some("Sequence") => {
            v.get(list).and_then(Value::as_array).into_iter().flatten().for_each(|v| flat(v, list, out));
        }
        Some(_) => out.push(v),
        None => {}
    }
}

fn kind(v: &Value) -> &str {
    v.get("type").and_then(Value::as_str).unwrap_or("")
}

fn flag(v: &Value, name: &str) -> Option<bool> {
    v.get(name).and_then(Value::as_bool)
}

/// The text of a `{"String": …}` or `{"Regex": …}` pattern.
fn pattern<'a>(v: &'a Value, form: &str) -> Option<&'a str> {
    v.get("pattern")?.get(form)?.as_str()
}

impl Steps {
    /// Before any step is read.
    const NONE: Self = Self {
        byte_level: false,
        pre: None,
        normalization: Normalization::None,
        space_prefix: SpacePrefix::None,
        bos: None,
        suffix: None,
        words: None,
        unigram: None,
        between: None,
    };

    /// The steps of word pieces: BERT's own, and nothing else.
    fn of_pieces(raw: &Raw, config: &JsonFile, class: Option<&str>) -> Result<Self, TokenizerError> {
        if kind(&raw.normalizer) != "BertNormalizer" {
            return Err(step("normalizer", &raw.normalizer));
        }
        if kind(&raw.pre_tokenizer) != "BertPreTokenizer" {
            return Err(step("pre_tokenizer", &raw.pre_tokenizer));
        }
        let on = |name| flag(&raw.normalizer, name);
        let lowercase = on("lowercase").unwrap_or(true);
        let mut words = WordRules {
            lowercase,
            strip_accents: on("strip_accents").unwrap_or(lowercase),
            clean: on("clean_text").unwrap_or(true),
            split_chinese: on("handle_chinese_chars").unwrap_or(true),
        };
        if let Some(class) = class.filter(|c| RESTATING.contains(c)) {
            words = restated(words, class, &config.fields()).map_err(model)?;
        }
        let mut s = Self { words: Some(words), ..Self::NONE };
        s.post_processor(&raw.post_processor)?;
        Ok(s)
    }

    /// The steps of a unigram model: normalization by the library, words that begin with a mark.
    fn of_unigram(raw: &Raw) -> Result<Self, TokenizerError> {
        let (mut normalizers, mut cuts) = (Vec::new(), Vec::new());
        flat(&raw.normalizer, "normalizers", &mut normalizers);
        flat(&raw.pre_tokenizer, "pretokenizers", &mut cuts);
        for table in normalizers.iter().filter_map(|v| v.get("precompiled_charsmap")?.as_str()) {
            super::charsmap::check(table).map_err(|e| TokenizerError::Json {
                what: format!("the normalizer's precompiled_charsmap is broken: {e}"),
            })?;
        }
        let score = |v: &Value| v.get(1).and_then(Value::as_f64);
        let scores: Option<Vec<f64>> =
            raw.model.vocab.as_array().and_then(|all| all.iter().map(score).collect());
        let scores = scores.ok_or_else(|| TokenizerError::Json {
            what: "model.vocab is no list of pairs of text and score".into(),
        })?;
        let fallback = if raw.model.byte_fallback { ByteFallback::Yes } else { ByteFallback::No };
        let rules = UnigramRules::read(scores, fallback, &normalizers, &cuts);
        let unigram = Some(rules.map_err(|(place, v)| step(place, v))?);
        let mut s = Self { unigram, space_prefix: SpacePrefix::Add, ..Self::NONE };
        s.post_processor(&raw.post_processor)?;
        Ok(s)
    }

    fn read(raw: &Raw) -> Result<Self, TokenizerError> {
        let mut s = Self::NONE;
        let marks = s.normalizer(&raw.normalizer)?;
        let (patterns, metaspace) = s.pre_tokenizer(&raw.pre_tokenizer, marks)?;
        s.post_processor(&raw.post_processor)?;
        if s.byte_level {
            if marks || metaspace {
                return Err(step("normalizer", &raw.normalizer));
            }
            let whole = if raw.model.ignore_merges { WholePieces::Taken } else { WholePieces::Merged };
            let known = PRE_TOKENIZERS.iter().find(|p| p.patterns == patterns && p.whole_pieces == whole);
            let Some(p) = known else { return Err(step("pre_tokenizer", &raw.pre_tokenizer)) };
            s.pre = p.names.first().copied();
        } else if !(marks || metaspace) || !patterns.is_empty() || raw.model.ignore_merges {
            return Err(step("pre_tokenizer", &raw.pre_tokenizer));
        } else if !raw.model.byte_fallback && !raw.model.fuse_unk {
            return Err(step("model", &Value::from("neither byte_fallback nor fuse_unk")));
        }
        Ok(s)
    }

    /// Returns whether it marks spaces.
    fn normalizer(&mut self, v: &Value) -> Result<bool, TokenizerError> {
        let mut steps = Vec::new();
        flat(v, "normalizers", &mut steps);
        let mut marks = false;
        for v in steps {
            match kind(v) {
                "NFC" if !marks => self.normalization = Normalization::Nfc,
                "Prepend" if !marks && v.get("prepend").and_then(Value::as_str) == Some("▁") => {
                    self.space_prefix = SpacePrefix::Add;
                }
                "Replace"
                    if pattern(v, "String") == Some(" ")
                        && v.get("content").and_then(Value::as_str) == Some("▁") =>
                {
                    marks = true;
                }
                _ => return Err(step("normalizer", v)),
            }
        }
        Ok(marks)
    }

    /// Returns the patterns that cut the text, and whether a step marks spaces.
    fn pre_tokenizer(&mut self, v: &Value, marked: bool) -> Result<(Vec<String>, bool), TokenizerError> {
        let mut steps = Vec::new();
        flat(v, "pretokenizers", &mut steps);
        let (mut patterns, mut metaspace) = (Vec::new(), false);
        for v in steps {
            let isolated = v.get("behavior").and_then(Value::as_str) == Some("Isolated");
            match (kind(v), pattern(v, "Regex"), pattern(v, "String")) {
                ("Split", Some(p), _) if isolated && flag(v, "invert") != Some(true) => {
                    patterns.push(p.to_owned())
                }
                // Where spaces are marked already there is none left to cut at.
                ("Split", _, Some(" ")) if marked => {}
                ("Digits", ..) if flag(v, "individual_digits") == Some(true) => {
                    patterns.push(super::pre::ONE_DIGIT.to_owned());
                }
                ("ByteLevel", ..) if flag(v, "add_prefix_space") != Some(true) => {
                    self.byte_level = true;
                    if flag(v, "use_regex") != Some(false) {
                        patterns.push(super::pre::GPT2.to_owned());
                    }
                }
                ("Metaspace", ..) if flag(v, "split") == Some(false) && !marked => {
                    metaspace = true;
                    self.space_prefix = match v.get("prepend_scheme").and_then(Value::as_str) {
                        Some("never") => SpacePrefix::None,
                        Some("first") => SpacePrefix::First,
                        _ if flag(v, "add_prefix_space") == Some(false) => SpacePrefix::None,
                        _ => SpacePrefix::Missing,
                    };
                }
                _ => return Err(step("pre_tokenizer", v)),
            }
        }
        Ok((patterns, metaspace))
    }

    fn post_processor(&mut self, v: &Value) -> Result<(), TokenizerError> {
        let mut steps = Vec::new();
        flat(v, "processors", &mut steps);
        for v in steps {
            match kind(v) {
                "ByteLevel" => {}
                "TemplateProcessing" => {
                    let parts = v.get("single").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                    let special = |v: &Value| Some(v.get("SpecialToken")?.get("id")?.as_str()?.to_owned());
                    let pair = v.get("pair").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                    if let [.., last, between, second, _] = pair
                        && second.get("Sequence").is_some()
                        && special(last).is_some()
                    {
                        self.between = special(between);
                    }
                    match parts {
                        [text] if text.get("Sequence").is_some() => {}
                        [first, text] if text.get("Sequence").is_some() => self.bos = special(first),
                        [text, last] if text.get("Sequence").is_some() => self.suffix = special(last),
                        [first, text, last] if text.get("Sequence").is_some() => {
                            (self.bos, self.suffix) = (special(first), special(last));
                        }
                        // The frame of a transcript, which depends on language and task: who decodes speech writes it.
                        [first, ..] if special(first).as_deref() == Some(TRANSCRIPT) => {}
                        _ => return Err(step("post_processor", v)),
                    }
                }
                "BertProcessing" | "RobertaProcessing" => {
                    let named = |name: &str| Some(v.get(name)?.get(0)?.as_str()?.to_owned());
                    (self.bos, self.suffix) = (named("cls"), named("sep"));
                    if self.bos.is_none() || self.suffix.is_none() {
                        return Err(step("post_processor", v));
                    }
                    self.between = named("sep").filter(|_| kind(v) == "RobertaProcessing");
                }
                _ => return Err(step("post_processor", v)),
            }
        }
        Ok(())
    }
}
