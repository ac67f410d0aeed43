//! What a file begins with and what stands before each tensor, for [`crate::convert`].

use super::file::FILTER;
use super::vocabulary::{Vocabulary, words_of};
use super::{GgmlSource, LATEST_FIRST, MAGIC, names};
use crate::config::AudioConfig;
use crate::quantize::Recipe;
use crate::tokenizer::{Tokenizer, TokenizerData};
use crate::{ModelConfig, ModelError, TensorInfo};
use akunu_kernels::DType;
use akunu_kernels::step::Token;
use std::path::Path;

/// Formats of a file's matrices and its number for each. The numbers are those of ggml's `ggml_ftype`, and not of GGUF files, which
/// have others from 10 on. Readers take all matrices to have the one format, so there are no recipes of several.
const FORMATS: &[(DType, u32)] = &[
    (DType::F32, 0),
    (DType::F16, 1),
    (DType::Q4_0, 2),
    (DType::Q4_1, 3),
    (DType::Q5_0, 8),
    (DType::Q5_1, 9),
    (DType::Q8_0, 7),
    (DType::Q6K, 14),
];
/// Added to the number of a quantized format: the version of the formats' layouts, 2, times 1000.
const QUANTIZED: u32 = 2000;

/// Older names of tokens, and today's.
const RENAMED: &[(&str, &str)] = &[("<|nocaptions|>", "<|nospeech|>"), ("<|iw|>", "<|he|>")];

/// What is not a tensor.
#[derive(Debug)]
pub(crate) struct Head {
    /// All but the format.
    numbers: [u32; 10],
    /// `[mels, 201] f32` in bytes.
    filters: Vec<u8>,
    words: Vec<Vec<u8>>,
}

/// A tensor's name, its dimensions (fastest first) and its format in a file.
#[derive(Debug)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) dims: Vec<u64>,
    pub(crate) dtype: DType,
}

impl Head {
    /// That of another file.
    pub(crate) fn of(source: &GgmlSource) -> Result<Self, ModelError> {
        let [numbers @ .., _] = source.file.numbers;
        // (The tokens of the tokenizer are the file's words, and what comes after them.)
        let words = words_of(&source.tokenizer).unwrap_or_default();
        Ok(Self { numbers, filters: source.file.filters()?, words })
    }

    /// That of a model with such a tokenizer and mel filters, `[mels, 201]`, and what such a file cannot say of it: readers go by what the
    /// models' authors say.
    pub(crate) fn new(
        path: &Path,
        config: &ModelConfig,
        tokenizer: Option<&TokenizerData>,
        filters: &[f32],
    ) -> Result<(Self, Vec<String>), ModelError> {
        let failed = |what: String| refused(path, what);
        let Some(audio) = &config.audio else {
            return Err(failed(format!("a {} model is no model of speech", config.arch)));
        };
        if filters.len() as u64 != u64::from(audio.mels) * FILTER {
            return Err(failed(format!("{} values of mel filters for {} bins", filters.len(), audio.mels)));
        }
        let Some(tokenizer) = tokenizer else {
            return Err(failed(
                "the directory has no tokenizer.json, and a file of whisper.cpp holds the words".into(),
            ));
        };
        let words = words_of(tokenizer).ok_or_else(|| failed("its tokens are no words of bytes".into()))?;
        let vocabulary =
            Vocabulary::new(path, words.clone(), config.vocab, audio.positions).map_err(|e| {
                failed(format!("readers of whisper.cpp's files would not make its tokens of it: {e}"))
            })?;
        let lost = lost(path, audio, tokenizer, &vocabulary, words.len())?;
        let c = config;
        let numbers = [
            c.vocab,
            audio.positions,
            c.hidden,
            c.heads,
            audio.layers,
            c.context,
            c.hidden,
            c.heads,
            c.layers,
            audio.mels,
        ];
        let filters = filters.iter().flat_map(|v| v.to_le_bytes()).collect();
        Ok((Self { numbers, filters, words }, lost))
    }

    /// Everything before the tensors.
    pub(crate) fn bytes(&self, format: u32) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let mut put = |n: u32| out.extend(n.to_le_bytes());
        self.numbers.into_iter().for_each(&mut put);
        put(format);
        put(self.numbers[9]);
        put(FILTER as u32);
        out.extend_from_slice(&self.filters);
        out.extend((self.words.len() as u32).to_le_bytes());
        for word in &self.words {
            out.extend((word.len() as u32).to_le_bytes());
            out.extend_from_slice(word);
        }
        out
    }
}

impl Described {
    /// A tensor by a recipe that a file can have: matrices get its format, filters of convolutions 16 bits where it has no more, and what is
    /// added to activations 32.
    pub(crate) fn of(path: &Path, t: &TensorInfo, recipe: &Recipe) -> Result<Self, ModelError> {
        let Some(name) = names::of(&t.name) else {
            let what = format!("tensor `{}` has no name in a file of whisper.cpp", t.file_name);
            return Err(refused(path, what));
        };
        let taps = u64::from(AudioConfig::TAPS);
        let convolution = t.name.starts_with("audio.conv");
        let (dims, dtype) = match (convolution, t.rows) {
            (true, 1) => (vec![1, t.cols], DType::F32),
            (true, _) if recipe.base == DType::F32 => (vec![taps, t.cols / taps, t.rows], DType::F32),
            (true, _) => (vec![taps, t.cols / taps, t.rows], DType::F16),
            (false, 1) => (vec![t.cols], DType::F32),
            (false, _) if t.name.ends_with("positions.weight") => (vec![t.cols, t.rows], DType::F32),
            (false, _) => (vec![t.cols, t.rows], recipe.base),
        };
        if !t.cols.is_multiple_of(dtype.block().into()) {
            let what = format!(
                "the rows of tensor `{}` have {} values, no multiple of the {} of {recipe}",
                t.file_name,
                t.cols,
                dtype.block()
            );
            let remedy =
                "all matrices of a file of whisper.cpp have one format: choose q8_0, q5_0 or f16".into();
            return Err(ModelError::Convert { path: path.into(), what, remedy });
        }
        Ok(Self { name, dims, dtype })
    }
}

/// What stands before a tensor's data.
pub(crate) fn tensor_head(name: &str, dims: &[u64], dtype: DType) -> Vec<u8> {
    let words = [dims.len() as u32, name.len() as u32, dtype as u32];
    let dims = dims.iter().map(|d| *d as u32);
    let mut out: Vec<u8> = words.into_iter().chain(dims).flat_map(u32::to_le_bytes).collect();
    out.extend_from_slice(name.as_bytes());
    out
}

/// A recipe's number in a file; `None` where no file can have it.
pub(crate) fn number(recipe: &Recipe) -> Option<u32> {
    // (A recipe of another name has other formats beside it.)
    let (dtype, number) = FORMATS.iter().find(|(d, _)| *d == recipe.base && d.name() == recipe.name)?;
    let quantized = !matches!(dtype, DType::F32 | DType::F16);
    Some(number + if quantized { QUANTIZED } else { 0 })
}

/// The names of all recipes that a file can have.
pub(crate) fn recipes() -> impl Iterator<Item = &'static str> {
    Recipe::names().filter(|n| Recipe::parse(n).is_some_and(|r| number(&r).is_some()))
}

/// What readers of a file would take to be otherwise, and nothing fails by.
fn lost(
    path: &Path,
    audio: &AudioConfig,
    tokenizer: &TokenizerData,
    v: &Vocabulary,
    words: usize,
) -> Result<Vec<String>, ModelError> {
    let mut lost = Vec::new();
    for (i, wanted) in v.control().iter().map(String::as_str).enumerate() {
        let Some(own) = tokenizer.tokens.get(words + i).map(String::as_str) else { continue };
        if own == wanted || RENAMED.contains(&(own, wanted)) {
            continue;
        }
        let language = |name: &str| name.len() <= "<|haw|>".len();
        if !language(own) || !language(wanted) {
            let id = words + i;
            return Err(refused(
                path,
                format!("token {id} is {own}, and readers of whisper.cpp's files take it for {wanted}"),
            ));
        }
        lost.push(format!("that a language is called {own}: it is called {wanted}"));
    }
    let data = v.data();
    if data.merges != tokenizer.merges {
        lost.push("the order in which its tokenizer joins words: a prompt may become other tokens".into());
    }
    let derived = Tokenizer::new(data.clone()).and_then(|_| v.suppressed(&data));
    let derived = derived.map_err(|e| refused(path, format!("its words make no tokenizer: {e}")))?;
    let sorted = |tokens: &[Token]| {
        let mut all = tokens.to_vec();
        all.sort_unstable();
        all.dedup();
        all
    };
    let d = &audio.decoding;
    let same = |a: &[Token], b: &[Token]| sorted(a) == sorted(b);
    if !same(&d.suppressed, &derived.always) || !same(&d.suppressed_first, &derived.first) {
        lost.push("its own lists of tokens that are never drawn: those of the models' authors count".into());
    }
    if d.first_timestamp != Some(LATEST_FIRST) {
        lost.push("when its first words begin at the latest: one second counts".into());
    }
    if d.multilingual != v.is_multilingual() {
        return Err(refused(
            path,
            "whether it knows more languages than English, which its words say otherwise".into(),
        ));
    }
    if !d.alignment_heads.is_empty() {
        lost.push(
            "which heads follow the audio: times of words are by all of the latter half of the layers".into(),
        );
    }
    Ok(lost)
}

fn refused(path: &Path, what: String) -> ModelError {
    ModelError::Convert { path: path.into(), what, remedy: "run the model from its own files".into() }
}
