//! Generation of text: decoding, with tokens turned into characters, stop strings, and room made when the context
//! is full.

use crate::Error;
use crate::batch::Bounds;
use crate::decoded::{Control, DecodeOptions, Decoded, Eos, FinishReason, Timing};
use crate::drafts::DraftCounts;
use crate::logprobs::LogProbs;
use crate::sampling::Sampling;
use crate::session::Session;
use crate::thoughts::Reasoning;
use crate::tools::shown;
use akunu_kernels::step::Token;
use akunu_model::tokenizer::{Detokenizer, StopMatcher, Stopped, Tokenizer};
use std::ops::Range;
use std::sync::Arc;

/// What happens when the context is full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// Generation ends with [`FinishReason::ContextFull`].
    #[default]
    End,
    /// Tokens are dropped, the rest moves down in the KV cache, and generation goes on.
    Shift {
        /// What is dropped, one range each time, in positions of that moment: whole turns of a conversation.
        drop: Vec<Range<u32>>,
        /// Once `drop` is used up: tokens at the start that stay (a system prompt, a question), at most half of all. Half
        /// of those after them are dropped each time.
        keep: u32,
    },
}

/// How to generate.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// The most tokens to draw; at least 1.
    pub max_tokens: u32,
    /// How to draw.
    pub sampling: Sampling,
    /// Strings that end the text; they are not part of it.
    pub stop: Vec<String>,
    /// Whether end-of-sequence tokens end it.
    pub eos: Eos,
    /// Steps per submission; `None` is the device's own. Does not change the text.
    pub chunk: Option<u32>,
    /// What happens when the context is full.
    pub overflow: Overflow,
    /// How the model thinks before it answers, where that is to be bounded.
    pub reasoning: Option<Reasoning>,
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self {
            max_tokens: u32::MAX,
            sampling: Sampling::DEFAULT,
            stop: Vec::new(),
            eos: Eos::Stop,
            chunk: None,
            overflow: Overflow::End,
            reasoning: None,
        }
    }
}

/// One token as it appears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenEvent<'a> {
    /// Its id.
    pub token: Token,
    /// Text that is final now: whole characters that no stop string can swallow any more; often empty.
    pub text: &'a str,
    /// Its log-probabilities, where [`Sampling::logprobs`] asks for them.
    pub logprobs: Option<&'a LogProbs>,
}

/// What was generated.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// The text, without the stop string.
    pub text: String,
    /// The tokens, with those of the stop string and the end-of-sequence token.
    pub tokens: Vec<Token>,
    /// Of each of them, where [`Sampling::logprobs`] asks for them.
    pub logprobs: Vec<LogProbs>,
    /// Why it ended.
    pub finish_reason: FinishReason,
    /// What ran before the first draw.
    pub prefill: Timing,
    /// Tokens after the first.
    pub decode: Timing,
    /// How often the context was full and room was made.
    pub shifts: u32,
    /// What came of drafts.
    pub drafts: DraftCounts,
}

/// Makes text of tokens, as they come.
pub struct TextStream {
    detokenizer: Detokenizer,
    stops: StopMatcher,
    /// Text that the last token made final.
    new: String,
    stopped: Stopped,
    /// Names of control tokens that are text here.
    marks: Vec<&'static str>,
}

impl TextStream {
    /// Of what follows a prompt; it ends at any of these strings, which are not part of it.
    pub fn new(stop: &[String]) -> Self {
        Self {
            detokenizer: Detokenizer::continuing(),
            stops: StopMatcher::new(stop),
            new: String::new(),
            stopped: Stopped::No,
            marks: Vec::new(),
        }
    }

    /// The same, with the names of these control tokens as text: marks of thoughts, and of tool calls.
    pub fn with_marks(self, marks: Vec<&'static str>) -> Self {
        Self { marks, ..self }
    }

    /// Text that this token makes final: whole characters that no stop string can swallow any more.
    pub fn push(&mut self, tokenizer: &Tokenizer, token: Token) -> &str {
        self.new.clear();
        let text = self.detokenizer.push(tokenizer, token);
        let text = shown(tokenizer, token, text, &self.marks);
        self.stopped = self.stops.push(text, &mut self.new);
        &self.new
    }

    /// Whether a stop string has come.
    pub fn stopped(&self) -> bool {
        self.stopped == Stopped::Yes
    }

    /// Text that was held back for a stop string or a character that never came.
    pub fn finish(&mut self) -> &str {
        self.new.clear();
        if !self.stopped() {
            let rest = self.detokenizer.finish().to_owned();
            // The rest cannot complete a stop string that matters: generation is over.
            let _ = self.stops.push(&rest, &mut self.new);
            self.stops.finish(&mut self.new);
        }
        &self.new
    }
}

/// The text's side of a generation.
struct TextState {
    stream: TextStream,
    out: Generation,
    /// What the text follows, over all parts of a generation.
    bounds: Bounds,
}

impl Session {
    /// Draws tokens and turns them into text, one callback per token. What is pending is run first.
    pub fn generate(
        &mut self,
        options: &GenerateOptions,
        on_token: &mut dyn FnMut(TokenEvent<'_>) -> Control,
    ) -> Result<Generation, Error> {
        let model = Arc::clone(self.batch.model());
        let tokenizer = model.tokenizer()?;
        let mut state = TextState {
            stream: TextStream::new(&options.stop),
            bounds: self.batch.bounds(&options.sampling, options.reasoning)?,
            out: Generation {
                text: String::new(),
                tokens: Vec::new(),
                logprobs: Vec::new(),
                finish_reason: FinishReason::Length,
                prefill: Timing::default(),
                decode: Timing::default(),
                shifts: 0,
                drafts: DraftCounts::default(),
            },
        };
        let ended = self.generate_parts(options, tokenizer, &mut state, on_token);
        self.cancel.withdraw();
        ended?;
        state.finish(on_token);
        Ok(state.out)
    }

    /// Decodes, and makes room and goes on where the context is full and the options say so.
    fn generate_parts(
        &mut self,
        options: &GenerateOptions,
        tokenizer: &Tokenizer,
        state: &mut TextState,
        on_token: &mut dyn FnMut(TokenEvent<'_>) -> Control,
    ) -> Result<(), Error> {
        loop {
            let finish = self.generate_part(options, tokenizer, state, on_token)?;
            match (finish, &options.overflow) {
                (FinishReason::ContextFull, Overflow::Shift { .. }) => self.shift_for(options, state)?,
                (FinishReason::Cancelled, _) if state.stream.stopped() => {
                    state.out.finish_reason = FinishReason::StopString;
                    return Ok(());
                }
                (finish, _) => {
                    state.out.finish_reason = finish;
                    return Ok(());
                }
            }
        }
    }

    /// Decodes until something ends it.
    fn generate_part(
        &mut self,
        options: &GenerateOptions,
        tokenizer: &Tokenizer,
        state: &mut TextState,
        on_token: &mut dyn FnMut(TokenEvent<'_>) -> Control,
    ) -> Result<FinishReason, Error> {
        let decode = DecodeOptions {
            max_tokens: options.max_tokens - state.drawn(),
            sampling: options.sampling.clone(),
            eos: options.eos,
            chunk: options.chunk,
        };
        let mut bounds = std::mem::take(&mut state.bounds);
        let mut take = |token, logprobs: Option<&LogProbs>| state.take(tokenizer, token, logprobs, on_token);
        let decoded = self.decode_part(&mut bounds, &decode, &mut take)?;
        state.bounds = bounds;
        state.account(&decoded);
        Ok(decoded.finish)
    }

    /// Makes room where the context is full, as the options say.
    fn shift_for(&mut self, options: &GenerateOptions, state: &mut TextState) -> Result<(), Error> {
        if let Overflow::Shift { drop, keep } = &options.overflow {
            match drop.get(state.out.shifts as usize) {
                Some(turns) => self.shift(turns.start, turns.end.saturating_sub(turns.start))?,
                None => self.make_room(*keep)?,
            }
            state.out.shifts += 1;
        }
        Ok(())
    }

    /// Drops half of what is after the first `keep` tokens.
    fn make_room(&mut self, keep: u32) -> Result<(), Error> {
        let (keep, discard) = half(self.kv_len(), keep);
        self.shift(keep, discard)
    }
}

/// What is kept and what is dropped of so many positions: half of what is after the first `keep`, of which at most half stay.
pub(crate) fn half(kv_len: u32, keep: u32) -> (u32, u32) {
    let keep = keep.min(kv_len / 2);
    (keep, ((kv_len - keep) / 2).max(1))
}

impl TextState {
    /// Tokens so far.
    fn drawn(&self) -> u32 {
        self.out.tokens.len() as u32
    }

    /// Makes text of a token, and tells the callback.
    fn take(
        &mut self,
        tokenizer: &Tokenizer,
        token: Token,
        logprobs: Option<&LogProbs>,
        on_token: &mut dyn FnMut(TokenEvent<'_>) -> Control,
    ) -> Control {
        let text = self.stream.push(tokenizer, token);
        self.out.tokens.push(token);
        self.out.text.push_str(text);
        self.out.logprobs.extend(logprobs);
        let wish = on_token(TokenEvent { token, text, logprobs });
        if self.stream.stopped() { Control::Stop } else { wish }
    }

    fn account(&mut self, d: &Decoded) {
        self.out.drafts += d.drafts;
        let first = self.out.prefill.tokens == 0;
        if first {
            self.out.prefill = d.prefill;
            self.out.decode = d.decode;
        } else {
            // After a shift the "prefill" is the one pending token: a decode step like any other.
            self.out.decode.tokens += d.tokens;
            self.out.decode.seconds += d.prefill.seconds + d.decode.seconds;
        }
    }

    /// Text that was held back for a stop string or a character that never came.
    fn finish(&mut self, on_token: &mut dyn FnMut(TokenEvent<'_>) -> Control) {
        let text = self.stream.finish();
        if let (false, Some(token)) = (text.is_empty(), self.out.tokens.last()) {
            self.out.text.push_str(text);
            on_token(TokenEvent { token: *token, text, logprobs: None });
        }
    }
}
