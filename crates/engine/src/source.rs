//! Where weights come from.

use crate::Error;
use crate::error::NoTokenizer;
use akunu_model::WeightSource;
use akunu_model::ggml::{GgmlSource, is_ggml};
use akunu_model::gguf::{GgufFile, GgufSource};
use akunu_model::safetensors::{Directory, SafetensorsSource, is_directory_model};
use akunu_model::tokenizer::Tokenizer;
use std::path::{Path, PathBuf};

/// Where weights come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A GGUF file, or a directory of safetensors files (or a file in one); which it is, its content says.
    Path(PathBuf),
    /// Random weights of a real shape, `llama-3.2-1b:q4_0`.
    Synthetic(String),
}

impl Source {
    /// The tokenizer alone, without a look at the weights; `None` where the source has none.
    pub fn tokenizer(&self) -> Result<Option<Tokenizer>, Error> {
        Ok(match self {
            Self::Synthetic(_) => None,
            Self::Path(path) if is_directory_model(path) => {
                Tokenizer::from_directory(&Directory::open(path)?, u32::MAX)?
            }
            Self::Path(path) if is_ggml(path) => Some(GgmlSource::open(path)?.tokenizer()?),
            Self::Path(path) => Tokenizer::from_gguf(&GgufFile::open(path)?)?,
        })
    }

    /// Whether a file, by its canonical path, is one that the model is read from: nothing may be written to it.
    pub fn holds(&self, canonical: &Path) -> Result<bool, Error> {
        Ok(match self {
            Self::Synthetic(_) => false,
            Self::Path(path) if is_directory_model(path) => SafetensorsSource::open(path)?.holds(canonical),
            Self::Path(path) if is_ggml(path) => GgmlSource::open(path)?.holds(canonical),
            Self::Path(path) => GgufSource::open(path)?.holds(canonical),
        })
    }

    /// Why this source has no tokenizer, if it has none.
    pub fn without_tokenizer(&self) -> NoTokenizer {
        match self {
            Self::Synthetic(_) => NoTokenizer {
                missing: "synthetic weights come without one".into(),
                remedy: "name a model's file or directory",
            },
            Self::Path(path) if is_directory_model(path) => {
                let dir = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
                // Formats of other libraries, in which the same vocabulary may be there.
                let others = ["tokenizer.model", "spiece.model", "vocab.json", "tekken.json"];
                let other = others.into_iter().find(|name| dir.join(name).exists());
                let but = other.map_or(String::new(), |o| format!(" (only {o}, which is not read)"));
                NoTokenizer {
                    missing: format!("{} has no tokenizer.json{but}", dir.display()),
                    remedy: "fetch tokenizer.json from where the model is from, or save it with transformers' \
                             fast tokenizer",
                }
            }
            Self::Path(path) => NoTokenizer {
                missing: format!("{} has no `tokenizer.ggml.*` metadata", path.display()),
                remedy: "use a file that has them",
            },
        }
    }
}
