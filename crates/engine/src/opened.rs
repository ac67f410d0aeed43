//! An opened source: its weights, and where that which turns text into its tokens is read from.

use crate::Error;
use crate::error::NoTokenizer;
use crate::source::Source;
use akunu_kernels::step::MAX_EOS;
use akunu_model::WeightSource;
use akunu_model::chat::{ChatError, ChatTemplate};
use akunu_model::ggml::{GgmlSource, is_ggml};
use akunu_model::gguf::{GgufFile, GgufSource};
use akunu_model::safetensors::{Directory, SafetensorsSource, is_directory_model};
use akunu_model::synthetic::Synthetic;
use akunu_model::tokenizer::Tokenizer;
use std::sync::Arc;

/// An opened source.
pub(crate) struct Opened {
    pub(crate) weights: Box<dyn WeightSource>,
    pub(crate) text: TextSource,
}

/// Where a tokenizer and a chat template are read from.
pub(crate) enum TextSource {
    Gguf(Arc<GgufFile>, Source),
    Directory(Arc<Directory>, Source),
    Ggml(Box<Tokenizer>),
    /// Nowhere.
    Absent(NoTokenizer),
}

/// A tokenizer and a chat template.
pub(crate) struct Text {
    pub(crate) tokenizer: Result<Tokenizer, NoTokenizer>,
    pub(crate) chat: Option<Result<ChatTemplate, ChatError>>,
}

/// Opens a source. Neither weights nor vocabulary are read yet.
pub(crate) fn open(source: &Source) -> Result<Opened, Error> {
    let from = source.clone();
    let (weights, text): (Box<dyn WeightSource>, _) = match source {
        Source::Synthetic(spec) => {
            (Box::new(Synthetic::parse(spec)?), TextSource::Absent(source.without_tokenizer()))
        }
        Source::Path(path) if is_directory_model(path) => {
            let source = SafetensorsSource::open(path)?;
            let text = TextSource::Directory(Arc::clone(source.directory()), from);
            (Box::new(source), text)
        }
        Source::Path(path) if is_ggml(path) => {
            let source = GgmlSource::open(path)?;
            let text = TextSource::Ggml(Box::new(source.tokenizer()?));
            (Box::new(source), text)
        }
        Source::Path(path) => {
            let source = GgufSource::open(path)?;
            let text = TextSource::Gguf(Arc::clone(source.file()), from);
            (Box::new(source), text)
        }
    };
    Ok(Opened { weights, text })
}

impl Opened {
    /// The weights, of a source whose tokenizer has been seen to be usable.
    pub(crate) fn with_text_read(self) -> Result<Box<dyn WeightSource>, Error> {
        self.text.read(self.weights.config().vocab)?;
        Ok(self.weights)
    }
}

impl TextSource {
    /// Reads it, for a model whose embedding has so many rows.
    pub(crate) fn read(self, rows: u32) -> Result<Text, Error> {
        let tokenizer = match self {
            Self::Gguf(file, source) => {
                Tokenizer::from_gguf(&file)?.ok_or_else(|| source.without_tokenizer())
            }
            Self::Directory(dir, source) => {
                Tokenizer::from_directory(&dir, rows)?.ok_or_else(|| source.without_tokenizer())
            }
            Self::Ggml(tokenizer) => Ok(*tokenizer),
            Self::Absent(why) => Err(why),
        };
        if let Ok(t) = &tokenizer {
            check_vocabulary(t, rows)?;
        }
        let chat = tokenizer.as_ref().ok().and_then(ChatTemplate::of);
        Ok(Text { tokenizer, chat })
    }
}

fn check_vocabulary(t: &Tokenizer, rows: u32) -> Result<(), Error> {
    if t.vocab_len() as u64 > u64::from(rows) {
        let value = t.vocab_len().to_string();
        let remedy = "the embedding has fewer rows than that; the file contradicts itself, convert it anew";
        return Err(Error::Option { name: "tokenizer vocabulary", value, remedy });
    }
    if t.eos_ids().len() > MAX_EOS {
        let value = t.eos_ids().len().to_string();
        return Err(Error::Option {
            name: "number of end-of-sequence tokens",
            value,
            remedy: "at most 16 work",
        });
    }
    Ok(())
}
