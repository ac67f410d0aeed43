//! How tokens are drawn, and what ends that: structs that sessions and engines share.

use crate::grammar::{GRAMMARS, akunu_grammar};
use crate::input::{Versioned, array, flag, initialize, optional, options, text};
use crate::model::{MODELS, akunu_model};
use crate::status::{Failure, akunu_status, call};
use akunu::{Eos, FinishReason, LogitBias, Model, Overflow, Reasoning, SamplerOrder, Sampling, Token};
use std::ffi::c_char;
use std::sync::Arc;

/// Added to a token's logit; minus infinity bans the token.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_logit_bias {
    /// The token.
    pub token: u32,
    /// What is added.
    pub bias: f32,
}

/// How a token is drawn: llama.cpp's samplers, with its names. Fill it in with `akunu_sampling_init`, then change fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_sampling {
    /// Bytes of this struct.
    pub size: usize,
    /// The draw is a function of seed, position and token.
    pub seed: u64,
    /// Softmax temperature; 0 takes the likeliest token.
    pub temperature: f32,
    /// Keep so many of the likeliest tokens; 0 keeps all.
    pub top_k: u32,
    /// Keep the likeliest tokens up to this share of probability; 1 keeps all.
    pub top_p: f32,
    /// Keep tokens with at least this share of the best one's probability; 0 keeps all.
    pub min_p: f32,
    /// Keep the tokens of most typical surprise up to this share; 1 keeps all.
    pub typical_p: f32,
    /// Keep logits within so many standard deviations of the best; 0 or less keeps all.
    pub top_n_sigma: f32,
    /// In this share of draws, drop all tokens above `xtc_threshold` but the least likely of them.
    pub xtc_probability: f32,
    /// That probability; above 0.5 nothing is dropped.
    pub xtc_threshold: f32,
    /// Divides positive logits of tokens among the last ones, and multiplies others; 1 is off.
    pub repeat_penalty: f32,
    /// Tokens that penalties look back on, at most 4096; -1 is as many as there may be.
    pub repeat_last_n: i32,
    /// Taken from the logit of a token among the last ones; 0 is off.
    pub presence_penalty: f32,
    /// Taken from it for each time that it is there; 0 is off.
    pub frequency_penalty: f32,
    /// DRY: what a repetition of `dry_allowed_length` tokens costs; 0 is off.
    pub dry_multiplier: f32,
    /// DRY: by how much more each further token costs.
    pub dry_base: f32,
    /// DRY: the shortest repetition that costs something.
    pub dry_allowed_length: u32,
    /// DRY: tokens that it looks back on, at most 4096; -1 is as many as there may be.
    pub dry_penalty_last_n: i32,
    /// Mirostat of this version, 2, in the place of all samplers but the temperature; 0 is off.
    pub mirostat: u32,
    /// The surprise that it aims at, in bits.
    pub mirostat_tau: f32,
    /// How fast its bound follows.
    pub mirostat_eta: f32,
    /// Log-probabilities with each token: -1 none, 0 the token's own, else those of so many of the likeliest too, at most 20.
    pub logprobs: i32,
    /// Biases, each token once, at most 1024; may be NULL.
    pub logit_bias: *const akunu_logit_bias,
    /// How many.
    pub logit_bias_count: usize,
    /// The samplers that take part, in their order, with `;` between them; NULL is all in llama.cpp's order.
    pub samplers: *const c_char,
    /// What the text must follow; NULL is nothing. The call takes what it needs of it.
    pub grammar: *const akunu_grammar,
}

// SAFETY: repr(C), the size first, numbers and raw pointers.
unsafe impl Versioned for akunu_sampling {
    const FIRST: usize = 128;
    const NAME: &'static str = "akunu_sampling";
}

impl akunu_sampling {
    fn new(s: &Sampling) -> Self {
        Self {
            size: size_of::<Self>(),
            seed: s.seed,
            temperature: s.temperature,
            top_k: s.top_k,
            top_p: s.top_p,
            min_p: s.min_p,
            typical_p: s.typical,
            top_n_sigma: s.top_n_sigma,
            xtc_probability: s.xtc_probability,
            xtc_threshold: s.xtc_threshold,
            repeat_penalty: s.repeat_penalty,
            repeat_last_n: s.repeat_last_n,
            presence_penalty: s.presence_penalty,
            frequency_penalty: s.frequency_penalty,
            dry_multiplier: s.dry_multiplier,
            dry_base: s.dry_base,
            dry_allowed_length: s.dry_allowed_length,
            dry_penalty_last_n: s.dry_penalty_last_n,
            mirostat: s.mirostat,
            mirostat_tau: s.mirostat_tau,
            mirostat_eta: s.mirostat_eta,
            logprobs: -1,
            logit_bias: std::ptr::null(),
            logit_bias_count: 0,
            samplers: std::ptr::null(),
            grammar: std::ptr::null(),
        }
    }

    /// The engine's.
    ///
    /// # Safety
    ///
    /// Its pointers are NULL or point to what the header says.
    unsafe fn read(&self, model: &Model) -> Result<Sampling, Failure> {
        // SAFETY: the caller's promise.
        let biases = unsafe { array(self.logit_bias, self.logit_bias_count.min(1 << 20), "logit_bias") }?;
        let biases: Arc<[LogitBias]> =
            biases.iter().map(|b| LogitBias { token: Token(b.token), bias: b.bias }).collect();
        // SAFETY: the caller's promise.
        let order = unsafe { optional(self.samplers, "samplers") }?.map(SamplerOrder::parse).transpose()?;
        let grammar = match self.grammar.is_null() {
            true => None,
            false => Some(GRAMMARS.get(self.grammar)?),
        };
        let dry = self.dry_multiplier != 0.0;
        let breakers = if dry { Some(model.breakers(&["\n", ":", "\"", "*"])?) } else { None };
        Ok(Sampling {
            temperature: self.temperature,
            top_k: self.top_k,
            top_p: self.top_p,
            min_p: self.min_p,
            typical: self.typical_p,
            top_n_sigma: self.top_n_sigma,
            xtc_probability: self.xtc_probability,
            xtc_threshold: self.xtc_threshold,
            repeat_penalty: self.repeat_penalty,
            repeat_last_n: self.repeat_last_n,
            presence_penalty: self.presence_penalty,
            frequency_penalty: self.frequency_penalty,
            dry_multiplier: self.dry_multiplier,
            dry_base: self.dry_base,
            dry_allowed_length: self.dry_allowed_length,
            dry_penalty_last_n: self.dry_penalty_last_n,
            dry_breakers: breakers,
            mirostat: self.mirostat,
            mirostat_tau: self.mirostat_tau,
            mirostat_eta: self.mirostat_eta,
            logit_bias: (!biases.is_empty()).then_some(biases),
            logprobs: u32::try_from(self.logprobs).ok(),
            grammar: grammar.map(|g| Arc::clone(&g.grammar)),
            order: order.unwrap_or(SamplerOrder::DEFAULT),
            seed: self.seed,
        })
    }
}

/// Fills in what the model's author recommends, or llama.cpp's defaults where `model` is NULL. The seed is 0: the same text each time.
/// `size` is `sizeof(akunu_sampling)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_sampling_init(
    sampling: *mut akunu_sampling,
    size: usize,
    model: *const akunu_model,
) -> akunu_status {
    call(|| {
        let defaults = match model.is_null() {
            true => Sampling::DEFAULT,
            false => MODELS.get(model)?.model.sampling_defaults(),
        };
        // SAFETY: the caller's promise.
        unsafe { initialize(sampling, size, akunu_sampling::new(&defaults)) }
    })
}

/// Generation ends with `AKUNU_FINISH_CONTEXT_FULL` where the context is full.
pub const AKUNU_OVERFLOW_END: u32 = 0;
/// Tokens are dropped, the rest moves down in the KV cache, and generation goes on.
pub const AKUNU_OVERFLOW_SHIFT: u32 = 1;

/// No thoughts at all, in `reasoning_budget`.
pub const AKUNU_NO_THOUGHTS: u32 = u32::MAX;

/// How to generate. All zero but for the size is the default: to the end of the answer or of the context, as the model's author recommends.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_generate_options {
    /// Bytes of this struct.
    pub size: usize,
    /// The most tokens to draw; 0 is no limit.
    pub max_tokens: u32,
    /// 1 takes end-of-sequence tokens for tokens like any other.
    pub ignore_eos: u32,
    /// How to draw; NULL is as the model's author recommends.
    pub sampling: *const akunu_sampling,
    /// Strings that end the text and are not part of it; may be NULL.
    pub stop: *const *const c_char,
    /// How many, at most 64.
    pub stop_count: usize,
    /// What happens where the context is full: `AKUNU_OVERFLOW_*`.
    pub overflow: u32,
    /// With `AKUNU_OVERFLOW_SHIFT`: tokens at the beginning that stay.
    pub keep: u32,
    /// Tokens of thoughts before the answer, at most; 0 is as many as the model likes, `AKUNU_NO_THOUGHTS` none.
    pub reasoning_budget: u32,
    /// Of an engine: higher goes first.
    pub priority: i32,
}

// SAFETY: repr(C), the size first, numbers and raw pointers.
unsafe impl Versioned for akunu_generate_options {
    const FIRST: usize = 56;
    const NAME: &'static str = "akunu_generate_options";
}

impl akunu_generate_options {
    const DEFAULT: Self = Self {
        size: size_of::<Self>(),
        max_tokens: 0,
        ignore_eos: 0,
        sampling: std::ptr::null(),
        stop: std::ptr::null(),
        stop_count: 0,
        overflow: AKUNU_OVERFLOW_END,
        keep: 0,
        reasoning_budget: 0,
        priority: 0,
    };
}

/// Fills in the defaults. `size` is `sizeof(akunu_generate_options)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_generate_options_init(
    options: *mut akunu_generate_options,
    size: usize,
) -> akunu_status {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { initialize(options, size, akunu_generate_options::DEFAULT) }
    })
}

/// The engine's words for all of it.
pub(crate) struct Asked {
    pub(crate) max_tokens: u32,
    pub(crate) eos: Eos,
    pub(crate) sampling: Sampling,
    pub(crate) stop: Vec<String>,
    pub(crate) overflow: Overflow,
    pub(crate) priority: i32,
    reasoning_budget: u32,
}

impl Asked {
    /// Reads a caller's options.
    ///
    /// # Safety
    ///
    /// `from` is NULL or points to what the header says.
    pub(crate) unsafe fn read(from: *const akunu_generate_options, model: &Model) -> Result<Self, Failure> {
        // SAFETY: the caller's promise.
        let o = unsafe { options(from, akunu_generate_options::DEFAULT) }?;
        let defaults = model.sampling_defaults();
        let sampling = match o.sampling.is_null() {
            true => defaults,
            // SAFETY: the caller's promise.
            false => unsafe { options(o.sampling, akunu_sampling::new(&defaults))?.read(model) }?,
        };
        sampling.check()?;
        if o.stop_count > 64 {
            return Err(Failure::argument(format!(
                "there are {} stop strings; give at most 64",
                o.stop_count
            )));
        }
        // SAFETY: the caller's promise.
        let stop = unsafe { array(o.stop, o.stop_count, "stop") }?.iter();
        // SAFETY: the caller's promise.
        let stop = stop.map(|s| unsafe { text(*s, crate::AKUNU_NUL, "stop") }.map(String::from));
        let overflow = match o.overflow {
            AKUNU_OVERFLOW_END => Overflow::End,
            AKUNU_OVERFLOW_SHIFT => Overflow::Shift { drop: Vec::new(), keep: o.keep },
            other => {
                return Err(Failure::argument(format!(
                    "`overflow` is {other}; choose one of AKUNU_OVERFLOW_*"
                )));
            }
        };
        let eos = if flag(o.ignore_eos, "ignore_eos")? { Eos::Ignore } else { Eos::Stop };
        Ok(Self {
            max_tokens: if o.max_tokens == 0 { u32::MAX } else { o.max_tokens },
            eos,
            sampling,
            stop: stop.collect::<Result<_, _>>()?,
            overflow,
            priority: o.priority,
            reasoning_budget: o.reasoning_budget,
        })
    }

    /// The bound of the thoughts of an answer to this prompt, where one is asked for.
    pub(crate) fn reasoning(&self, model: &Model, prompt: &str) -> Result<Option<Reasoning>, Failure> {
        let budget = match self.reasoning_budget {
            0 => return Ok(None),
            AKUNU_NO_THOUGHTS => 0,
            n => n,
        };
        let source = model.chat_template().map_or("", |t| t.source());
        let format = akunu::reasoning::ReasoningFormat::of_template(source);
        let format = format.ok_or_else(|| {
            Failure::argument(
                "`reasoning_budget` is set, and the model's chat template has no thoughts; leave it 0",
            )
        })?;
        Ok(Some(Reasoning { format, begun: format.begun_by(prompt), budget }))
    }
}

/// The model ended its answer.
pub const AKUNU_FINISH_EOS: u32 = 1;
/// The token limit.
pub const AKUNU_FINISH_LENGTH: u32 = 2;
/// A stop string.
pub const AKUNU_FINISH_STOP_STRING: u32 = 3;
/// A callback asked for it, or a cancel.
pub const AKUNU_FINISH_CANCELLED: u32 = 4;
/// The context is full.
pub const AKUNU_FINISH_CONTEXT_FULL: u32 = 5;
/// No logit was finite.
pub const AKUNU_FINISH_NOT_FINITE: u32 = 6;
/// The grammar went beyond its limits in the middle of the text.
pub const AKUNU_FINISH_STUCK: u32 = 7;

pub(crate) fn finish_word(finish: FinishReason) -> u32 {
    match finish {
        FinishReason::Eos => AKUNU_FINISH_EOS,
        FinishReason::Length => AKUNU_FINISH_LENGTH,
        FinishReason::StopString => AKUNU_FINISH_STOP_STRING,
        FinishReason::Cancelled => AKUNU_FINISH_CANCELLED,
        FinishReason::ContextFull => AKUNU_FINISH_CONTEXT_FULL,
        FinishReason::NotFinite => AKUNU_FINISH_NOT_FINITE,
        FinishReason::Stuck => AKUNU_FINISH_STUCK,
    }
}
