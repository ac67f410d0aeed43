//! The step block: everything that changes from token to token, in device memory.
//!
//! Layout in the step region: [`Header`], then `seqs_cap` × [`Seq`], then [`Row`]s, then, in a batch, [`Head`]s. Kernels map a
//! row to its (sequence, position) here; decode, prefill, verification and batches differ only in that list.
//!
//! A session's block has one sequence and no list of heads: the step's last rows draw. A batch's lists the rows that draw, one
//! for each sequence at most.

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

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
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
    /// A token's id: its place in the vocabulary, from 0.
    Token,
    /// So many rows, of a step or a table.
    RowCount,
}

impl From<RowCount> for u64 {
    fn from(rows: RowCount) -> Self {
        rows.0.into()
    }
}

impl Token {
    /// Ids as tokens, where they lie.
    ///
    /// ```
    /// use akunu_kernels::step::Token;
    /// assert_eq!(Token::from_ids(&[1, 2]), [Token(1), Token(2)]);
    /// ```
    pub fn from_ids(ids: &[u32]) -> &[Self] {
        bytemuck::cast_slice(ids)
    }

    /// Tokens as their ids, where they lie.
    pub fn ids(tokens: &[Self]) -> &[u32] {
        bytemuck::cast_slice(tokens)
    }
}

impl<const N: usize> Typed for [Token; N] {
    const KIND: Kind = Kind::Words(N);
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
        /// Of those, so many get logits: the ones that `heads` lists, or the last ones. In a session's sampled table 0 or 1.
        pub head_rows: u32,
        /// Capacity of the sequence list (fixed at load).
        pub seqs_cap: u32,
        /// [`StopReason`] of the program; not 0 makes further replays return at once. In a batch [`StopReason::Limit`] says
        /// that no sequence goes on.
        pub stop: u32,
        /// Steps replayed since the host last wrote this block.
        pub steps: u32,
        /// The last sampled token.
        pub last_token: Token,
        /// Tokens drawn since the host last wrote this block.
        pub drawn: u32,
        /// Where the list of heads begins, in bytes from the header; 0 where there is none.
        pub heads_at: u32,
        /// Capacity of that list (fixed at load).
        pub heads_cap: u32,
        /// Of the heads, so many have what the last step drew.
        pub drew: u32,
        /// Padding to 64 bytes.
        pub reserved: [u32; 6],
    }

    /// One sequence's state and sampler settings.
    pub struct Seq {
        /// Sampler seed.
        pub seed: u64,
        /// Positions in the KV cache.
        pub len: u32,
        /// The KV length at which generation stops: a token sampled with `len >= limit` is the last. Of a text that an encoder reads:
        /// the position at which its second segment begins, 0 where it has one alone.
        pub limit: u32,
        /// Softmax temperature; 0 is greedy.
        pub temperature: f32,
        /// Drop tokens whose logit is further below the best one: the logarithm of min-p, at most 0; minus infinity keeps all.
        pub floor: f32,
        /// Context shift: positions kept at the start.
        pub shift_keep: u32,
        /// Context shift: positions dropped after them.
        pub shift_by: u32,
        /// Entries of `eos` in use.
        pub eos_count: u32,
        /// In a batch, the [`StopReason`] of this sequence.
        pub stop: u32,
        /// Tokens that end it.
        pub eos: [Token; MAX_EOS],
    }

    /// One row's place: which sequence, which absolute position.
    pub struct Row {
        /// Whose it is.
        pub seq: SeqIndex,
        /// Where in that sequence it is.
        pub pos: Position,
    }

    /// A row of a batch that draws, and what the last step drew. The two belong to different steps: head i's draw need not be
    /// of head i's row.
    pub struct Head {
        /// The row of the next step.
        pub row: u32,
        /// Who drew in the last step.
        pub seq: SeqIndex,
        /// What it drew; [`NO_TOKEN`] where the logits were not finite.
        pub token: Token,
        /// Where that token stands.
        pub pos: Position,
    }
}

/// What is drawn where no logit is finite.
pub const NO_TOKEN: Token = Token(u32::MAX);

/// Sizes of a step block, fixed at load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Sequences.
    pub seqs: u32,
    /// Rows.
    pub rows: RowCount,
    /// Heads in the list; 0 for a session, which has none.
    pub heads: u32,
}

impl Capacity {
    /// Of a session: one sequence, and no list of heads.
    pub const fn session(rows: RowCount) -> Self {
        Self { seqs: 1, rows, heads: 0 }
    }

    /// Byte offset of the list of heads; 0 where there is none.
    pub const fn heads_at(self) -> usize {
        if self.heads == 0 {
            return 0;
        }
        row_offset(self.seqs, self.rows.0).next_multiple_of(size_of::<Head>())
    }

    /// Bytes of the step block.
    pub const fn bytes(self) -> usize {
        if self.heads == 0 {
            return row_offset(self.seqs, self.rows.0);
        }
        self.heads_at() + self.heads as usize * size_of::<Head>()
    }

    /// The header of a block that asks for nothing.
    pub fn header(self) -> Header {
        let (heads_at, heads_cap) = (self.heads_at() as u32, self.heads);
        Header { seqs_cap: self.seqs, heads_at, heads_cap, ..Header::default() }
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

/// Bytes of a step block without a list of heads.
pub const fn bytes(seqs_cap: u32, rows: u32) -> usize {
    row_offset(seqs_cap, rows)
}
