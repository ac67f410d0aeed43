//! Candidates of the sampling kernels.

use crate::step::{NO_TOKEN, Token};
use crate::words::shared;

/// Chunks of a vocabulary of `chunk` entries each.
pub const fn chunks(vocab: usize, chunk: usize) -> usize {
    vocab.div_ceil(chunk)
}

shared! {
    /// A candidate: its score and token.
    pub struct Pick {
        /// Logit, or logit plus noise; NaN never wins.
        pub score: f32,
        /// Which.
        pub token: Token,
    }
}

impl Pick {
    /// Loses to everything.
    pub const NONE: Self = Self { score: f32::NEG_INFINITY, token: NO_TOKEN };

    /// The better of two; the lower id wins ties, so the result does not depend on the order of work.
    pub fn better(self, o: Self) -> Self {
        if o.score > self.score || o.score == self.score && o.token < self.token { o } else { self }
    }
}
