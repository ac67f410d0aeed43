//! The options and the results of decoding.

use crate::drafts::DraftCounts;
use crate::logprobs::LogProbs;
use crate::sampling::Sampling;
use akunu_kernels::step::Token;

/// What is told of each token, with its log-probabilities where they are asked for.
pub(crate) type OnToken<'a> = dyn FnMut(Token, Option<&LogProbs>) -> Control + 'a;

/// What a callback wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop after this token.
    Stop,
}

/// Whether end-of-sequence tokens end a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eos {
    /// They do.
    #[default]
    Stop,
    /// They are tokens like any other.
    Ignore,
}

/// How to decode.
#[derive(Clone, Debug)]
pub struct DecodeOptions {
    /// The most tokens to draw; at least 1.
    pub max_tokens: u32,
    /// How to draw.
    pub sampling: Sampling,
    /// What ends it.
    pub eos: Eos,
    /// Steps per submission; `None` is the device's own. Does not change the tokens.
    pub chunk: Option<u32>,
}

/// Why generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    /// The model ended its answer.
    Eos,
    /// The token limit.
    Length,
    /// A stop string.
    StopString,
    /// The callback said stop, or a [`Canceller`](crate::Canceller) did.
    Cancelled,
    /// The context is full.
    ContextFull,
    /// No logit was finite: weights or numbers are broken.
    NotFinite,
    /// The grammar went beyond its limits in the middle of the text.
    Stuck,
}

impl FinishReason {
    /// As programs know it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Eos | Self::StopString => "stop",
            Self::Length => "length",
            Self::Cancelled => "cancelled",
            Self::ContextFull => "context_full",
            Self::NotFinite => "not_finite",
            Self::Stuck => "stuck",
        }
    }
}

/// Tokens over time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// How many.
    pub tokens: u32,
    /// How long.
    pub seconds: f64,
}

impl Timing {
    /// Tokens per second; 0 where no time was measured.
    pub fn per_second(&self) -> f64 {
        if self.seconds > 0.0 { f64::from(self.tokens) / self.seconds } else { 0.0 }
    }
}

/// What was decoded. The tokens are on the session's belt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decoded {
    /// Tokens drawn and accepted.
    pub tokens: u32,
    /// Why it ended.
    pub finish: FinishReason,
    /// Pending tokens run before the first draw, and the time until it.
    pub prefill: Timing,
    /// Tokens after the first, and their time.
    pub decode: Timing,
    /// What came of drafts.
    pub drafts: DraftCounts,
}
