//! Files of whisper.cpp (`ggml-base.en.bin`) as a source of weights. Their format is described in whisper.cpp's documentation of its converter:
//! the magic, eleven numbers, mel filters, the vocabulary's words as bytes, then tensors up to the end of the file, each with a header of its
//! own. All numbers are little-endian.
//!
//! What such a file does not say is what the models' authors say: the tokens after the words, tokens that are never drawn, the earliest time.
//! It does not say which heads follow the audio, so those of the latter half of the layers do.

mod file;
mod names;
mod reader;
mod vocabulary;
pub(crate) mod write;

use crate::config::{AudioConfig, RopeConfig, RopePairing, RopeScaling, SpeechDecoding};
use crate::disk::is_at;
use crate::gguf::types;
use crate::source::FilePlace;
use crate::tokenizer::{Tokenizer, TokenizerData, TokenizerError};
use crate::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;
use akunu_kernels::step::Token;
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use vocabulary::Vocabulary;

pub use file::{FileTensor, GgmlFile};

/// The first bytes.
const MAGIC: &[u8] = b"lmgg";
/// The latest time that may come first, in steps of 20 ms, as the authors' program has it.
const LATEST_FIRST: u32 = 50;
const DAMAGED: &str = "fetch the file again";

/// Whether a file begins as whisper.cpp's do. (What cannot be read does not.)
pub fn is_ggml(path: &Path) -> bool {
    let mut head = [0; 4];
    // A pipe is not read from: whoever opens it next would miss what was read.
    let regular = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    regular && std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut head)).is_ok() && head == MAGIC
}

/// A file whose numbers are a configuration and whose tensors all have names.
pub struct GgmlSource {
    file: GgmlFile,
    config: ModelConfig,
    tokenizer: TokenizerData,
    tensors: Vec<TensorInfo>,
    /// Canonical name to index in `tensors`.
    by_name: HashMap<String, usize>,
    /// Where each of `tensors` begins.
    at: Vec<u64>,
    unmapped: Vec<String>,
}

impl GgmlSource {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        Self::of(GgmlFile::open(path)?)
    }

    /// The model in a file.
    pub fn of(mut file: GgmlFile) -> Result<Self, ModelError> {
        let path = file.disk.path.clone();
        let sizes = Sizes::of(&path, file.numbers)?;
        let words = std::mem::take(&mut file.words);
        let vocabulary = Vocabulary::new(&path, words, sizes.vocab, sizes.positions)?;
        let tokenizer = vocabulary.data();
        let suppressed = vocabulary.suppressed(&tokenizer).map_err(|e| broken_words(&path, &e))?;
        let mut config = sizes.config(&path, &vocabulary, suppressed)?;
        let (mut tensors, mut by_name, mut at, mut unmapped) =
            (Vec::new(), HashMap::new(), Vec::new(), Vec::new());
        for t in file.tensors() {
            let Some(info) = info(&path, t)? else {
                unmapped.push(t.name.clone());
                continue;
            };
            if by_name.insert(info.name.clone(), tensors.len()).is_some() {
                let name = info.file_name;
                return Err(ModelError::Duplicate { path, what: "tensor", name });
            }
            tensors.push(info);
            at.push(t.at);
        }
        // Four times the width in all of the authors' models; the file says it by its matrices alone.
        let up = by_name.get("layers.0.ffn.up.weight").and_then(|i: &usize| tensors.get(*i));
        let rows = up.and_then(|t: &TensorInfo| u32::try_from(t.rows).ok());
        config.ffn = rows.unwrap_or(config.ffn);
        Ok(Self { file, config, tokenizer, tensors, by_name, at, unmapped })
    }

    /// The file, without its words.
    pub fn file(&self) -> &GgmlFile {
        &self.file
    }

    /// What its words make a tokenizer of.
    pub fn tokenizer_data(&self) -> &TokenizerData {
        &self.tokenizer
    }

    /// The tokenizer that its words make.
    pub fn tokenizer(&self) -> Result<Tokenizer, TokenizerError> {
        Tokenizer::new(self.tokenizer.clone())
    }
}

impl std::fmt::Debug for GgmlSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GgmlSource").field("path", &self.file.disk.path).finish_non_exhaustive()
    }
}

impl WeightSource for GgmlSource {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    fn unmapped(&self) -> &[String] {
        &self.unmapped
    }

    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let found =
            self.by_name.get(&tensor.name).and_then(|i| Some((self.tensors.get(*i)?, *self.at.get(*i)?)));
        let end = offset.checked_add(out.len() as u64);
        match found {
            Some((info, at)) if end.is_some_and(|e| e <= info.bytes) => {
                self.file.disk.read_at(at + offset, out, || format!("tensor `{}`", info.file_name))
            }
            found => Err(ModelError::ReadRange {
                tensor: tensor.name.clone(),
                bytes: found.map_or(0, |f| f.0.bytes),
                offset,
                end: end.unwrap_or(u64::MAX),
            }),
        }
    }

    fn place(&self, tensor: &TensorInfo) -> Option<FilePlace<'_>> {
        Some(self.file.disk.place(*self.at.get(*self.by_name.get(&tensor.name)?)?))
    }

    fn path_of(&self, _: &TensorInfo) -> &Path {
        &self.file.disk.path
    }

    fn holds(&self, canonical: &Path) -> bool {
        is_at(&self.file.disk.path, canonical)
    }

    fn find(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.get(*self.by_name.get(name)?)
    }
}

/// The numbers at the beginning.
struct Sizes {
    vocab: u32,
    positions: u32,
    hidden: u32,
    heads: u32,
    audio_layers: u32,
    context: u32,
    layers: u32,
    mels: u32,
}

impl Sizes {
    fn of(path: &Path, numbers: [u32; 11]) -> Result<Self, ModelError> {
        let [vocab, positions, hidden, heads, audio_layers, context, width, text_heads, layers, mels, _] =
            numbers;
        if (width, text_heads) != (hidden, heads) {
            let found = format!("{width} wide with {text_heads} heads");
            let limits = format!("{hidden} with {heads}, as the encoder");
            return Err(bad(path, "the decoder", found, limits));
        }
        if !hidden.is_multiple_of(heads) {
            let limits = format!("a multiple of its {heads} heads");
            return Err(bad(path, "the width", hidden.to_string(), limits));
        }
        Ok(Self { vocab, positions, hidden, heads, audio_layers, context, layers, mels })
    }

    fn config(&self, path: &Path, v: &Vocabulary, suppressed: Suppressed) -> Result<ModelConfig, ModelError> {
        let head_dim = self.hidden / self.heads;
        let Some(ffn) = self.hidden.checked_mul(4) else {
            return Err(bad(path, "the width", self.hidden.to_string(), "less".into()));
        };
        Ok(ModelConfig {
            arch: "whisper".into(),
            name: None,
            layers: self.layers,
            hidden: self.hidden,
            heads: self.heads,
            kv_heads: self.heads,
            head_dim,
            ffn,
            vocab: self.vocab,
            context: self.context,
            norm_eps: 1e-5,
            rope: RopeConfig {
                base: 10_000.0,
                // Nothing is rotated.
                dim: 0,
                pairing: RopePairing::SplitHalf,
                scaling: RopeScaling::None,
                magnitude: 1.0,
            },
            attention: crate::config::AttentionOptions::default(),
            logits_softcap: None,
            experts: None,
            sampling: crate::config::SamplingDefaults::default(),
            encoder: None,
            audio: Some(AudioConfig {
                mels: self.mels,
                positions: self.positions,
                layers: self.audio_layers,
                decoding: SpeechDecoding {
                    multilingual: v.is_multilingual(),
                    suppressed: suppressed.always,
                    suppressed_first: suppressed.first,
                    first_timestamp: Some(LATEST_FIRST),
                    alignment_heads: Vec::new(),
                },
            }),
        })
    }
}

/// Tokens that are not drawn.
struct Suppressed {
    always: Vec<Token>,
    first: Vec<Token>,
}

/// What a tensor is in the model; `None` where the architecture has no place for it.
fn info(path: &Path, t: &FileTensor) -> Result<Option<TensorInfo>, ModelError> {
    let Some(dtype) = DType::from_ggml(t.tensor_type.id) else {
        return Err(ModelError::UnsupportedDType {
            path: path.into(),
            tensor: t.name.clone(),
            type_id: t.tensor_type.id,
            type_name: t.tensor_type.name,
            remedy: types::remedy(),
        });
    };
    let Some(name) = names::canonical(&t.name) else { return Ok(None) };
    // (Opening the file has multiplied the dimensions.)
    let elements: u64 = t.dims.iter().product();
    let cols = match t.dims[..] {
        // Filters are rows of all taps of all channels, and a convolution's bias lies across.
        [taps, channels, _] => taps * channels,
        _ if name.ends_with(".bias") => elements,
        _ => t.dims.first().copied().unwrap_or(1),
    };
    let block = u64::from(dtype.info().block);
    if !cols.is_multiple_of(block) {
        let found = format!("dimensions {:?}", t.dims);
        return Err(bad_tensor(path, t.name.clone(), found, format!("rows of whole blocks of {block}")));
    }
    let (file_name, bytes) = (t.name.clone(), t.bytes);
    Ok(Some(TensorInfo { name, file_name, dtype, rows: elements / cols, cols, bytes }))
}

fn bad(path: &Path, key: &str, found: String, limits: String) -> ModelError {
    ModelError::BadValue { path: path.into(), key: key.into(), found, limits, remedy: DAMAGED }
}

fn bad_tensor(path: &Path, tensor: String, found: String, limits: String) -> ModelError {
    ModelError::BadTensor { path: path.into(), tensor, found, limits, remedy: DAMAGED }
}

fn broken_words(path: &Path, e: &TokenizerError) -> ModelError {
    bad(path, "the vocabulary", e.to_string(), "words of bytes, each once".into())
}
