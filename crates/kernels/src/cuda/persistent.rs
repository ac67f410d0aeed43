//! The persistent form of one-row tables on CUDA: one kernel that runs all commands (see `persistent.cuh`). An operation
//! says here how it takes part: the type that does it, and how each of its bindings reaches other blocks. A table with an
//! operation that does not take part is lowered to a graph.

use crate::cuda::Gpu;
use crate::dtype::{DType, Layout};

/// The engine's source, after the prelude and [`FORMATS`].
pub const ENGINE: &str = include_str!("persistent.cuh");
/// The weight formats, which the engine builds on.
pub const FORMATS: &[&str] = &[
    include_str!("../dtype/codes.cuh"),
    include_str!("../dtype/dot.cuh"),
    include_str!("../dtype/dequant.cuh"),
];
/// Threads that compute; as in the engine.
pub const CONSUMERS: u32 = 256;
/// Warps that compute.
pub const WARPS: u32 = CONSUMERS / 32;
/// Weight rows of a pass; as in the engine.
pub const PASS: u32 = 128;
/// Bindings that a command can have.
pub const ARGS: usize = 9;
/// Bytes of a stage of the ring, unless a row is longer.
pub const STAGE: u32 = 16 << 10;
/// Most stages: a pass must be longer than the ring.
pub const MAX_STAGES: u32 = PASS / 4;
/// Bytes of shared memory beside the ring, the commands (64 bytes each) and the scratch.
pub const FIXED: u32 = 2 * PASS * WARPS * 4 + 1024;

/// How a binding's contents reach the blocks of later commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hand {
    /// They lie in the binding's region. What orders them is the step's end, or the operation itself.
    Place,
    /// Carried values of an earlier command.
    In,
    /// Carried: every word of a buffer of this many has one writer.
    Out {
        /// Words.
        words: u32,
    },
    /// Every block makes them all, in a buffer of its own.
    Own {
        /// Words.
        words: u32,
    },
}

/// A matrix that goes through the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Outputs, which the blocks share out.
    pub outputs: u32,
    /// Matrix rows of an output.
    pub halves: u32,
    /// Bytes of a row.
    pub row_bytes: u32,
}

/// How many times a step a command's counter moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Never.
    None,
    /// Once for each block.
    Blocks,
    /// So many times.
    Count(u32),
}

/// How an operation with given constants takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Persistent {
    /// The operation's text.
    pub source: &'static str,
    /// The C++ type whose `run` does it, with its constants.
    pub call: String,
    /// Of each binding.
    pub hands: Vec<Hand>,
    /// Its matrix; the type has `send` and `WEIGHTS` then.
    pub stream: Option<Stream>,
    /// Scratch bytes of shared memory.
    pub scratch: u32,
    /// Moves of its counter.
    pub arrivals: Arrivals,
    /// Whether every block waits in it for every block's vote.
    pub gathers: bool,
}

/// Says how an operation takes part; `None` if it does not with these constants.
pub type PersistentPick = fn(consts: &[u32], gpu: &Gpu) -> Option<Persistent>;

/// Values of a row that one thread holds, at most.
const MAX_VALUES: u32 = 64;

impl Persistent {
    /// An operation without matrix, scratch or votes.
    pub(crate) fn plain(source: &'static str, call: String, hands: &[Hand]) -> Self {
        let hands = hands.to_vec();
        let (stream, scratch, arrivals, gathers) = (None, 0, Arrivals::None, false);
        Self { source, call, hands, stream, scratch, arrivals, gathers }
    }

    /// A product, every block of which counts when it has its outputs.
    pub(crate) fn product(source: &'static str, call: String, hands: &[Hand], stream: Stream) -> Self {
        let stream = Some(stream);
        Self { stream, arrivals: Arrivals::Blocks, ..Self::plain(source, call, hands) }
    }
}

/// The matrix of a product whose `outputs` have `halves` rows each; `None` where the engine has no version.
pub(crate) fn matrix(dtype: u32, layout: u32, k: u32, outputs: u32, halves: u32) -> Option<Stream> {
    let (unit, row_bytes) = match DType::from_ggml(dtype)? {
        DType::F32 => (4, k.checked_mul(4)?),
        DType::F16 | DType::Bf16 => (8, k.checked_mul(2)?),
        _ => return None,
    };
    let values = k.div_ceil(unit).div_ceil(CONSUMERS) * unit;
    let fits = Layout::from_word(layout) == Layout::Native && k.is_multiple_of(unit) && values <= MAX_VALUES;
    let addressed = outputs.checked_mul(halves).is_some_and(|rows| rows != 0);
    (fits && k != 0 && addressed).then_some(Stream { outputs, halves, row_bytes })
}

/// Words of a block's votes and block 0's word to all.
pub(crate) const fn vote_words(gpu: &Gpu) -> u32 {
    2 * (gpu.multiprocessors + 1)
}
