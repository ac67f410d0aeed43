//! What a request asks for, whatever the interface, and values of JSON that parameters have.

use crate::error::ApiError;
use crate::format::Format;
use crate::keep_alive::KeepAlive;
use akunu::transcribe::Cut;
use akunu::{Eos, Overlong, Sampling};
use serde_json::Value;

/// What a request asks for, but for its prompt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask {
    pub(crate) sampling: Sampling,
    /// `None` is another one for each request.
    pub(crate) seed: Option<u64>,
    /// `None` is until the context is full.
    pub(crate) max_tokens: Option<u32>,
    pub(crate) stop: Vec<String>,
    pub(crate) n: u32,
    pub(crate) stream: bool,
    /// Whether a stream ends with its usage.
    pub(crate) include_usage: bool,
    pub(crate) eos: Eos,
    /// Whether the answer's tokens come with its text.
    pub(crate) returns_tokens: bool,
    /// Whether the prompt comes back before its answer.
    pub(crate) echo: bool,
    /// Whether log-probabilities are wanted, where a flag says so, and of how many of the likeliest tokens.
    pub(crate) logprobs: bool,
    pub(crate) top_logprobs: u32,
    /// What the answer must follow.
    pub(crate) format: Option<Format>,
    /// How long the model may think, where that is said.
    pub(crate) thinking: Option<Thinking>,
    /// Strings that no repetition goes over, where DRY is asked for with some.
    pub(crate) breakers: Option<Vec<String>>,
    /// How long the model stays afterwards, where that is said.
    pub(crate) keep_alive: Option<KeepAlive>,
    /// Values of a vector, how it is written, and what happens to a text that is too long.
    pub(crate) dimensions: Option<u32>,
    pub(crate) encoding: Encoding,
    pub(crate) overlong: Option<Overlong>,
    pub(crate) speech: Speech,
    /// The best so many texts, and whether they come back themselves.
    pub(crate) top_n: Option<u32>,
    pub(crate) documents: bool,
}

/// How speech becomes text, and how that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Speech {
    pub(crate) temperature: Option<f32>,
    pub(crate) format: SpeechFormat,
    /// Whether times of segments are asked for by name.
    pub(crate) times: bool,
    /// Whether those of words are.
    pub(crate) words: bool,
    /// Where the audio is cut.
    pub(crate) cut: Cut,
}

/// How a transcript is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SpeechFormat {
    #[default]
    Json,
    Text,
    Srt,
    Verbose,
    Vtt,
}

impl Ask {
    /// What is asked where nothing is said.
    pub(crate) fn new(sampling: Sampling, on: On) -> Self {
        Self {
            sampling,
            seed: None,
            max_tokens: None,
            stop: Vec::new(),
            n: 1,
            // ollama's interfaces stream unless told otherwise.
            stream: On::OLLAMA_CHAT.or(On::OLLAMA_GENERATE).has(on),
            include_usage: false,
            eos: Eos::Stop,
            returns_tokens: false,
            echo: false,
            logprobs: false,
            top_logprobs: 0,
            format: None,
            thinking: None,
            breakers: None,
            keep_alive: None,
            dimensions: None,
            encoding: Encoding::Float,
            overlong: None,
            speech: Speech::default(),
            top_n: None,
            documents: false,
        }
    }

    /// Parameters that say something together.
    pub(crate) fn settle(&mut self, on: On) -> Result<(), ApiError> {
        if self.logprobs {
            self.sampling.logprobs = Some(self.top_logprobs);
        } else if self.top_logprobs > 0 {
            let ask = match On::RESPONSES.has(on) {
                true => "put `message.output_text.logprobs` into `include`",
                false => "set `logprobs` to true",
            };
            let message =
                format!("`top_logprobs` is given, and no log-probabilities are; {ask}, or leave it out");
            return Err(ApiError::value("top_logprobs", message));
        }
        if (self.speech.times || self.speech.words) && self.speech.format != SpeechFormat::Verbose {
            let message = "`timestamp_granularities` is for the `response_format` `verbose_json`; ask for that, or leave it out";
            return Err(ApiError::value("timestamp_granularities", message));
        }
        if self.echo && self.sampling.logprobs.is_some() {
            let message = "`logprobs` are those of the answer, and `echo` returns the prompt too; leave one of the two out";
            return Err(ApiError::value("logprobs", message));
        }
        Ok(())
    }
}

/// A set of interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct On(u32);

impl On {
    pub(crate) const CHAT: Self = Self(1);
    pub(crate) const COMPLETIONS: Self = Self(1 << 1);
    /// The object `stream_options`.
    pub(crate) const STREAM_OPTIONS: Self = Self(1 << 2);
    pub(crate) const TOKENIZE: Self = Self(1 << 3);
    pub(crate) const DETOKENIZE: Self = Self(1 << 4);
    pub(crate) const TEMPLATE: Self = Self(1 << 5);
    pub(crate) const RESPONSES: Self = Self(1 << 6);
    pub(crate) const MESSAGES: Self = Self(1 << 7);
    /// `/v1/messages/count_tokens`.
    pub(crate) const COUNT: Self = Self(1 << 8);
    pub(crate) const OLLAMA_CHAT: Self = Self(1 << 9);
    pub(crate) const OLLAMA_GENERATE: Self = Self(1 << 10);
    /// The object `options`.
    pub(crate) const OLLAMA_OPTIONS: Self = Self(1 << 11);
    pub(crate) const OLLAMA_SHOW: Self = Self(1 << 12);
    /// llama.cpp's `/completion`.
    pub(crate) const LLAMA: Self = Self(1 << 13);
    pub(crate) const EMBEDDINGS: Self = Self(1 << 14);
    /// llama.cpp's `/infill`.
    pub(crate) const INFILL: Self = Self(1 << 15);
    /// ollama's `/api/embed`, and the object `options` in it and in the next one.
    pub(crate) const OLLAMA_EMBED: Self = Self(1 << 16);
    pub(crate) const OLLAMA_EMBED_OPTIONS: Self = Self(1 << 17);
    /// ollama's `/api/embeddings`.
    pub(crate) const OLLAMA_EMBEDDINGS: Self = Self(1 << 18);
    /// `/v1/rerank`.
    pub(crate) const RERANK: Self = Self(1 << 21);
    /// Forms with audio.
    pub(crate) const TRANSCRIPTIONS: Self = Self(1 << 19);
    pub(crate) const TRANSLATIONS: Self = Self(1 << 20);
    pub(crate) const AUDIO: Self = Self(Self::TRANSCRIPTIONS.0 | Self::TRANSLATIONS.0);
    /// The object `chunking_strategy`.
    pub(crate) const CHUNKING: Self = Self(1 << 22);
    /// Bodies that may have several prompts, or one of token ids.
    pub(crate) const SEVERAL_PROMPTS: Self = Self(Self::COMPLETIONS.0 | Self::LLAMA.0);
    /// Everything.
    pub(crate) const ANY: Self = Self(u32::MAX);
    /// Every body, but not the objects in it.
    pub(crate) const ALL: Self = Self(!(1 << 2 | 1 << 11 | 1 << 17 | 1 << 22));

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What a request says of how long the model may think.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Thinking {
    /// The parameter that says so.
    pub(crate) param: String,
    /// Tokens, at most; `None` is as many as the model likes.
    pub(crate) most: Option<u32>,
}

/// How a vector is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As numbers.
    #[default]
    Float,
    /// Its f32, little-endian, in base64.
    Base64,
}

impl Ask {
    /// Bounds the thoughts, once.
    pub(crate) fn think(&mut self, param: &str, most: Option<u32>) -> Result<(), ApiError> {
        if let Some(other) = &self.thinking {
            let message = format!("`{}` and `{param}` bound the same thoughts; leave one out", other.param);
            return Err(ApiError::value(param, message));
        }
        self.thinking = Some(Thinking { param: param.into(), most });
        Ok(())
    }
}

/// A number in a range.
pub(crate) fn number(name: &str, v: &Value, low: f64, high: f64) -> Result<f64, ApiError> {
    let n = v.as_f64().ok_or_else(|| ApiError::type_of(name, "a number", v))?;
    if !(low..=high).contains(&n) {
        return Err(ApiError::value(name, format!("`{name}` is {v}; choose between {low} and {high}")));
    }
    Ok(n)
}

/// A whole number in a range; 5.0 is one, too.
pub(crate) fn whole(name: &str, v: &Value, low: i64, high: i64) -> Result<i64, ApiError> {
    if !v.is_number() {
        return Err(ApiError::type_of(name, "a whole number", v));
    }
    let float = v.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 9e15).map(|f| f as i64);
    match v.as_i64().or(float).filter(|n| (low..=high).contains(n)) {
        Some(n) => Ok(n),
        None => Err(ApiError::value(
            name,
            format!("`{name}` is {v}; choose a whole number between {low} and {high}"),
        )),
    }
}

/// True or false.
pub(crate) fn flag(name: &str, v: &Value) -> Result<bool, ApiError> {
    v.as_bool().ok_or_else(|| ApiError::type_of(name, "true or false", v))
}
