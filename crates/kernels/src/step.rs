//! The step block: everything that changes from token to token, in device memory.
//!
//! Layout in the step region: [`Header`], then `seqs_cap` × [`Seq`], then [`Row`]s. Kernels map a row to its
//! (sequence, position) here; decode, prefill, verification and batches differ only in that list.

use crate::words::{Kind, Typed, shared};
use bytemuck::{Pod, Zeroable};

/// Numbers that must not be taken for each other: each is a word, and none adds to another.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Pod, Zeroable)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Typed for $name {
            const KIND: Kind = Kind::U32;
        }
    )*};
}

numbers! {
    /// A position in a sequence, from 0.
    Position,
    /// A sequence's place in the step block's list.
    SeqIndex,
    /// A block of the KV cache.
    Block,
}

impl Position {
    /// The next one.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// Positions in one block of the KV cache.
pub const KV_BLOCK: u32 = 256;
/// End-of-sequence ids that one sequence can hold.
pub const MAX_EOS: usize = 16;

/// Why a sequence stopped; 0 means that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum StopReason {
    /// Still running.
    None = 0,
    /// An end-of-sequence token was sampled.
    Eos = 1,
    /// The length limit was reached.
    Limit = 2,
    /// The host asked for a stop.
    Cancelled = 3,
    /// The best logit was not finite, or there was none: the weights or the numbers are broken.
    NotFinite = 4,
}

impl StopReason {
    /// From the word in the step block.
    pub const fn from_word(w: u32) -> Self {
        match w {
            0 => Self::None,
            1 => Self::Eos,
            2 => Self::Limit,
            3 => Self::Cancelled,
            _ => Self::NotFinite,
        }
    }
}

shared! {
    /// The first 64 bytes of the step block.
    pub struct Header {
        /// Active rows of the next step.
        pub rows: u32,
        /// Of those, the last `head_rows` get logits. In a sampled table 0 or 1.
        pub head_rows: u32,
        /// Capacity of the sequence list (fixed at load).
        pub seqs_cap: u32,
        /// [`StopReason`] of the program; not 0 makes further replays return at once.
        pub stop: u32,
        /// Steps replayed since the host last wrote this block.
        pub steps: u32,
        /// The last sampled token.
        pub last_token: u32,
        /// Tokens drawn since the host last wrote this block.
        pub drawn: u32,
        /// Padding to 64 bytes.
        pub reserved: [u32; 9],
    }

    /// One sequence's state and sampler settings.
    pub struct Seq {
        /// Sampler seed.
        pub seed: u64,
        /// Positions in the KV cache.
        pub len: u32,
        /// The KV length at which generation stops: a token sampled with `len >= limit` is the last.
        pub limit: u32,
        /// Softmax temperature; 0 is greedy.
        pub temperature: f32,
        /// Keep tokens with probability at least `min_p` times the best one's; 0 keeps all.
        pub min_p: f32,
        /// Context shift: positions kept at the start.
        pub shift_keep: u32,
        /// Context shift: positions dropped after them.
        pub shift_by: u32,
        /// Entries of `eos` in use.
        pub eos_count: u32,
        /// Padding.
        pub reserved: u32,
        /// End-of-sequence token ids.
        pub eos: [u32; MAX_EOS],
    }

    /// One row's place: which sequence, which absolute position.
    pub struct Row {
        /// Whose it is.
        pub seq: SeqIndex,
        /// Where in that sequence it is.
        pub pos: Position,
    }
}

/// Byte offset of sequence `i`.
pub const fn seq_offset(i: SeqIndex) -> usize {
    size_of::<Header>() + i.index() * size_of::<Seq>()
}

/// Byte offset of row `r` in a block of `seqs_cap` sequences.
pub const fn row_offset(seqs_cap: u32, r: u32) -> usize {
    seq_offset(SeqIndex(seqs_cap)) + r as usize * size_of::<Row>()
}

/// Bytes of a step block.
pub const fn bytes(seqs_cap: u32, rows: u32) -> usize {
    row_offset(seqs_cap, rows)
}
