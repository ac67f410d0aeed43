//! Log-probabilities of drawn tokens, as devices record them beside the chain.

use crate::Error;
use akunu_device::Memory;
use akunu_kernels::sampler::{self, LOGPROB_RECORDS};
use akunu_kernels::step::{SeqIndex, Token};

/// The most of the likeliest tokens that can be asked for.
pub const MAX_LOGPROBS: u32 = sampler::MAX_LOGPROBS;

/// Steps of a chain whose log-probabilities are read together. Whoever watches sees so many tokens at once.
pub(crate) const LOGPROB_STEPS: u32 = 8;

/// Log-probabilities of a drawn token and of the likeliest ones in its place: natural logarithms of the softmax of the model's own
/// logits, before biases, penalties, filters and temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogProbs(sampler::LogProbs);

impl LogProbs {
    /// What was drawn.
    pub fn token(&self) -> Token {
        self.0.token
    }

    /// Its log-probability, at most 0.
    pub fn log_prob(&self) -> f32 {
        self.0.log_prob
    }

    /// The likeliest tokens with theirs, best first, the lower id first among equals.
    pub fn top(&self) -> impl Iterator<Item = (Token, f32)> + use<'_> {
        let both = self.0.top.into_iter().zip(self.0.top_log_probs);
        both.take(self.0.count as usize)
    }
}

/// One sequence's records, read while nothing runs.
#[derive(Debug, Default)]
pub(crate) struct Records(Vec<sampler::LogProbs>);

impl Records {
    /// Reads those of the sequence at a place.
    pub(crate) fn read(&mut self, memory: &dyn Memory, place: SeqIndex) -> Result<(), Error> {
        self.0.resize(LOGPROB_RECORDS as usize, sampler::LogProbs::default());
        let at = u64::from(place.0) * size_of_val(&self.0[..]) as u64;
        Ok(memory.read(at, bytemuck::cast_slice_mut(&mut self.0))?)
    }

    /// That of the token at a position, at most 64 positions old.
    pub(crate) fn at(&self, position: usize) -> Option<LogProbs> {
        self.0.get(position % LOGPROB_RECORDS as usize).map(|r| LogProbs(*r))
    }
}
