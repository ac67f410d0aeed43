//! Files of whisper.cpp (`ggml-base.en.bin`) as a source of weights. Their format is described in whisper.cpp's documentation of its converter:
//! the magic, eleven numbers, mel filters, the vocabulary's words as bytes, then tensors up to the end of the file, each with a header of its
//! own. All numbers are little-endian.
//!
//! What such a file does not say is what the models' authors say: the tokens after the words, tokens that are never drawn, the earliest time.
//! It does not say which heads follow the audio, so those of the latter half of the layers do.

mod names;
mod vocabulary;

use crate::config::{AudioConfig, RopeConfig, RopePairing, RopeScaling, SpeechDecoding};
use crate::disk::{DiskFile, is_at};
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

/// The first bytes.
const MAGIC: &[u8] = b"lmgg";
/// Values of a mel filter: half of a Fourier transform of 400 samples.
const FILTER: u64 = 201;
/// Far above any model.
const MOST: u32 = 1 << 20;
const LONGEST_NAME: u64 = 256;
/// Far more than any model has (large ones 1,259), so that a damaged file's names stay few.
const MOST_TENSORS: usize = 1 << 14;
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
    disk: DiskFile,
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
        let disk = DiskFile::open(path)?;
        let mut r = Reader { disk: &disk, at: 0 };
        let magic = r.take(MAGIC.len() as u64, "the magic")?;
        if magic != MAGIC {
            let remedy = "name a file that whisper.cpp's converter wrote";
            return Err(ModelError::NotGguf {
                path: path.into(),
                found: "no GGML file either".into(),
                remedy,
            });
        }
        let sizes = Sizes::read(&mut r)?;
        let (mels, width) = (r.count("mel filters", MOST)?, r.count("values of a mel filter", MOST)?);
        if (u64::from(mels), u64::from(width)) != (u64::from(sizes.mels), FILTER) {
            let limits = format!("{} x {FILTER}", sizes.mels);
            return Err(bad(path, "the mel filters", format!("{mels} x {width}"), limits));
        }
        r.skip(u64::from(mels) * FILTER * 4, "the mel filters")?;
        let vocabulary = Vocabulary::read(&mut r, sizes.vocab, sizes.positions)?;
        let tokenizer = vocabulary.data();
        let suppressed = vocabulary.suppressed(&tokenizer).map_err(|e| broken_words(path, &e))?;
        let mut config = sizes.config(path, &vocabulary, suppressed)?;
        let (mut tensors, mut by_name, mut at, mut unmapped) =
            (Vec::new(), HashMap::new(), Vec::new(), Vec::new());
        while r.at < disk.size {
            if tensors.len() + unmapped.len() == MOST_TENSORS {
                let found = format!("more than {MOST_TENSORS}");
                return Err(bad(path, "the number of tensors", found, format!("at most {MOST_TENSORS}")));
            }
            let (info, from) = tensor(&mut r)?;
            let Some(info) = info.filter(|i| !i.name.is_empty()) else {
                unmapped.push(from.1);
                continue;
            };
            if by_name.insert(info.name.clone(), tensors.len()).is_some() {
                let name = info.file_name;
                return Err(ModelError::Duplicate { path: path.into(), what: "tensor", name });
            }
            tensors.push(info);
            at.push(from.0);
        }
        // Four times the width in all of the authors' models; the file says it by its matrices alone.
        let up = by_name.get("layers.0.ffn.up.weight").and_then(|i: &usize| tensors.get(*i));
        let rows = up.and_then(|t: &TensorInfo| u32::try_from(t.rows).ok());
        config.ffn = rows.unwrap_or(config.ffn);
        Ok(Self { disk, config, tokenizer, tensors, by_name, at, unmapped })
    }

    /// The tokenizer that its words make.
    pub fn tokenizer(&self) -> Result<Tokenizer, TokenizerError> {
        Tokenizer::new(self.tokenizer.clone())
    }
}

impl std::fmt::Debug for GgmlSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GgmlSource").field("path", &self.disk.path).finish_non_exhaustive()
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
                self.disk.read_at(at + offset, out, || format!("tensor `{}`", info.file_name))
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
        Some(self.disk.place(*self.at.get(*self.by_name.get(&tensor.name)?)?))
    }

    fn path_of(&self, _: &TensorInfo) -> &Path {
        &self.disk.path
    }

    fn holds(&self, canonical: &Path) -> bool {
        is_at(&self.disk.path, canonical)
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
    fn read(r: &mut Reader<'_>) -> Result<Self, ModelError> {
        let vocab = r.count("entries of the vocabulary", MOST)?;
        let positions = r.count("positions of the audio", MOST)?;
        let hidden = r.count("width of the encoder", MOST)?;
        let heads = r.count("heads of the encoder", MOST)?;
        let audio_layers = r.count("layers of the encoder", MOST)?;
        let context = r.count("tokens of a text", MOST)?;
        let (width, text_heads) =
            (r.count("width of the decoder", MOST)?, r.count("heads of the decoder", MOST)?);
        let (layers, mels) = (r.count("layers of the decoder", MOST)?, r.count("mel bins", MOST)?);
        // What most matrices are in; each tensor says it for itself.
        r.number("the format")?;
        if (width, text_heads) != (hidden, heads) {
            let found = format!("{width} wide with {text_heads} heads");
            let limits = format!("{hidden} with {heads}, as the encoder");
            return Err(bad(&r.disk.path, "the decoder", found, limits));
        }
        if !hidden.is_multiple_of(heads) {
            let limits = format!("a multiple of its {heads} heads");
            return Err(bad(&r.disk.path, "the width", hidden.to_string(), limits));
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

/// A tensor's description and where its data begin; the name alone where the architecture has no place for it.
fn tensor(r: &mut Reader<'_>) -> Result<(Option<TensorInfo>, (u64, String)), ModelError> {
    let n_dims = r.count("dimensions of a tensor", 4)? as usize;
    let length = u64::from(r.count("bytes of a tensor's name", LONGEST_NAME as u32)?);
    let type_id = r.number("a tensor's type")?;
    let mut dims = [1u64; 4];
    for d in dims.iter_mut().take(n_dims) {
        *d = r.count("a dimension", u32::MAX)?.into();
    }
    let name = r.take(length, "a tensor's name")?;
    let path = &r.disk.path;
    let name = String::from_utf8(name)
        .map_err(|_| ModelError::InvalidUtf8 { path: path.clone(), field: "a tensor's name".into() })?;
    let Some(dtype) = DType::from_ggml(type_id) else {
        return Err(ModelError::UnsupportedDType {
            path: path.clone(),
            tensor: name,
            type_id,
            type_name: types::TensorType::from_id(type_id).map_or("unknown", |t| t.name),
            remedy: types::remedy(),
        });
    };
    let canonical = names::canonical(&name);
    let elements = dims.iter().try_fold(1u64, |a, d| a.checked_mul(*d));
    let cols = match (&canonical, n_dims) {
        // Filters are rows of all taps of all channels, and a convolution's bias lies across.
        (Some(_), 3) => dims[0].checked_mul(dims[1]),
        (Some(c), _) if c.ends_with(".bias") => elements,
        _ => Some(dims[0]),
    };
    let block = u64::from(dtype.info().block);
    let shape = elements.zip(cols).filter(|(_, cols)| *cols != 0 && cols.is_multiple_of(block));
    let Some((elements, cols)) = shape else {
        let found = format!("dimensions {:?}", &dims[..n_dims]);
        return Err(bad_tensor(path, name, found, format!("rows of whole blocks of {block}")));
    };
    let rows = elements / cols;
    let bytes = rows.checked_mul(dtype.row_bytes(cols)).filter(|b| *b <= r.disk.size - r.at);
    let Some(bytes) = bytes else {
        let (path, size) = (path.clone(), r.disk.size);
        return Err(ModelError::TensorOutside { path, tensor: name, end: u64::MAX, size });
    };
    let from = r.at;
    r.skip(bytes, "a tensor")?;
    let info = canonical.map(|canonical| TensorInfo {
        name: canonical,
        file_name: name.clone(),
        dtype,
        rows,
        cols,
        bytes,
    });
    Ok((info, (from, name)))
}

/// Reads from one number to the next, and never beyond the file's end.
pub(super) struct Reader<'a> {
    disk: &'a DiskFile,
    at: u64,
}

impl Reader<'_> {
    fn skip(&mut self, bytes: u64, what: &str) -> Result<u64, ModelError> {
        let from = self.at;
        match from.checked_add(bytes).filter(|end| *end <= self.disk.size) {
            Some(end) => {
                self.at = end;
                Ok(from)
            }
            None => Err(ModelError::Truncated {
                path: self.disk.path.clone(),
                field: what.into(),
                offset: from,
                needed: bytes,
                size: self.disk.size,
            }),
        }
    }

    fn take(&mut self, bytes: u64, what: &str) -> Result<Vec<u8>, ModelError> {
        let from = self.skip(bytes, what)?;
        let mut out = vec![0; bytes as usize];
        self.disk.read_at(from, &mut out, || what.into())?;
        Ok(out)
    }

    fn number(&mut self, what: &str) -> Result<u32, ModelError> {
        let bytes = self.take(4, what)?;
        Ok(bytes.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)))
    }

    /// A number from 1 to `most`.
    fn count(&mut self, what: &str, most: u32) -> Result<u32, ModelError> {
        let n = self.number(what)?;
        if (1..=most).contains(&n) {
            return Ok(n);
        }
        Err(bad(&self.disk.path, what, n.to_string(), format!("from 1 to {most}")))
    }
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
