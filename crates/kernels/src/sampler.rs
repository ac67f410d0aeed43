//! One sequence's sampler settings beyond temperature and min-p, as tables that draw with all samplers read them. They lie in a
//! region of their own, so that other tables' step blocks stay small.
//!
//! A share (of probability) is a number of 2^32ths, and sums of probability are whole numbers, so every device cuts at the same
//! token.

use crate::step::{Position, Token};
use crate::words::shared;

/// What an entry of [`Sampler::filters`] does; 0 ends the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Filter {
    /// Keeps logits of at least the best one's minus so many standard deviations of all (Tang et al., "Top-nσ", 2024).
    TopNSigma = 1,
    /// Keeps so many of the most likely tokens (Fan et al., 2018).
    TopK = 2,
    /// Keeps the tokens whose surprise is nearest to the expected one, until their share is reached (Meister et al., 2022).
    Typical = 3,
    /// Keeps the most likely tokens until their share is reached (Holtzman et al., 2019).
    TopP = 4,
    /// Keeps tokens with at least so much of the best one's probability (Nguyen et al., 2024).
    MinP = 5,
    /// Sometimes drops all tokens above a probability but for the least likely of them ("exclude top choices").
    Xtc = 6,
    /// Divides logits by the temperature.
    Temperature = 7,
    /// Drops tokens whose surprise is above a bound that follows the surprise of what is drawn (Basu et al., "Mirostat", 2020, its
    /// second version).
    Mirostat = 8,
}

/// All that depend on the logits alone.
pub const FILTERS: [Filter; 7] = [
    Filter::TopNSigma,
    Filter::TopK,
    Filter::Typical,
    Filter::TopP,
    Filter::MinP,
    Filter::Xtc,
    Filter::Temperature,
];

impl Filter {
    /// A list as one word, four bits each, the first in the lowest; at most eight.
    pub fn list(filters: impl IntoIterator<Item = Self>) -> u32 {
        filters.into_iter().take(8).enumerate().fold(0, |w, (i, f)| w | (f as u32) << (4 * i))
    }

    /// Entry `i` of such a word.
    pub fn at(list: u32, i: usize) -> Option<Self> {
        let code = list.checked_shr(4 * i as u32).unwrap_or(0) & 15;
        let found = FILTERS.get((code as usize).wrapping_sub(1)).copied();
        found.or((code == Self::Mirostat as u32).then_some(Self::Mirostat))
    }
}

/// The most tokens that penalties look back on.
pub const MAX_WINDOW: u32 = 4096;
/// The most entries of a sequence's list of biases.
pub const MAX_BIASES: u32 = 1024;

shared! {
    /// One sequence's settings, `[seqs]` in the region of samplers. Zeros are a sequence whose logits nothing changes and nothing
    /// filters.
    pub struct Sampler {
        /// What filters, in order: [`Filter::list`].
        pub filters: u32,
        /// Tokens that top-k keeps; at least 1.
        pub top_k: u32,
        /// The share that top-p keeps.
        pub top_p: u32,
        /// The share that typical keeps.
        pub typical: u32,
        /// The logarithm of min-p; at most 0.
        pub min_p: f32,
        /// Standard deviations below the best logit.
        pub top_n_sigma: f32,
        /// The share of draws in which XTC works.
        pub xtc_probability: u32,
        /// The logarithm of the probability above which XTC drops.
        pub xtc_threshold: f32,
        /// Divides positive logits of tokens in the window, multiplies others; 1 is none, 0 too.
        pub repeat_penalty: f32,
        /// Taken from a logit for each time that its token is in the window.
        pub frequency_penalty: f32,
        /// Taken from a logit if its token is in the window.
        pub presence_penalty: f32,
        /// Tokens of the window, the last ones known; at most [`MAX_WINDOW`].
        pub window: u32,
        /// DRY: what a repetition of `dry_allowed` tokens costs; 0 is off.
        pub dry_multiplier: f32,
        /// DRY: by how much more each further token costs.
        pub dry_base: f32,
        /// DRY: the longest repetition that costs nothing; at least 1.
        pub dry_allowed: u32,
        /// DRY: tokens that it looks back on; at most [`MAX_WINDOW`].
        pub dry_window: u32,
        /// Entries of this sequence's list of biases; at most [`MAX_BIASES`].
        pub biases: u32,
        /// Not 0 if this sequence's mask says which tokens may be drawn.
        pub masked: u32,
        /// Mirostat 2: the surprise aimed at, in bits; 0 is off.
        pub mirostat_tau: f32,
        /// Mirostat 2: its learning rate.
        pub mirostat_eta: f32,
        /// Log-probabilities: 0 for none, else 1 and so many of the most likely tokens beside the drawn one; at most
        /// 1 + [`MAX_LOGPROBS`].
        pub logprobs: u32,
        /// Padding to 128 bytes.
        pub reserved: [u32; 11],
    }

    /// An entry of a sequence's list: what is added to a token's logit, minus infinity to ban it. A token is listed once.
    pub struct Bias {
        /// The token.
        pub token: Token,
        /// What is added.
        pub bias: f32,
    }
}

/// The most of the likeliest tokens that a record of log-probabilities has.
pub const MAX_LOGPROBS: u32 = 20;
/// Records of log-probabilities that a sequence keeps: the token at position p has number p % 64.
pub const LOGPROB_RECORDS: u32 = 64;

shared! {
    /// Log-probabilities of one drawn token and of the likeliest ones, natural logarithms.
    pub struct LogProbs {
        /// What was drawn.
        pub token: Token,
        /// Its log-probability; minus infinity where the model's output is not finite.
        pub log_prob: f32,
        /// The position of the drawn token.
        pub pos: Position,
        /// Entries of the lists in use: as many as were asked for, or as have a probability.
        pub count: u32,
        /// The likeliest tokens, the lower id first among equals.
        pub top: [Token; MAX_LOGPROBS as usize],
        /// Their log-probabilities.
        pub top_log_probs: [f32; MAX_LOGPROBS as usize],
        /// Padding to 192 bytes.
        pub reserved: [u32; 4],
    }
}

/// Words of one sequence's mask: bit `i % 32` of word `i / 32` says that token i may be drawn.
pub const fn mask_words(vocab: u32) -> u32 {
    vocab.div_ceil(32)
}
