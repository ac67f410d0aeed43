//! `advance`: the last command of a table. Takes each drawn token, puts it on its sequence's token belt, decides whether that
//! sequence goes on, and makes the next step of those that do: one row for each. Nothing outside the device takes part.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::Call;
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::pick::{Pick, chunks};
use crate::step::{self, Head, Header, MAX_EOS, NO_TOKEN, Position, Row, Seq, SeqIndex, StopReason, Token};
use crate::vulkan::VulkanLaunch;
use crate::words::shared;
use bytemuck::Pod;

shared! {
    /// Compile-time constants.
    pub struct AdvanceConsts {
        /// Vocabulary size.
        pub vocab: u32,
        /// Vocabulary entries per pick.
        pub chunk: u32,
        /// Slots of one sequence's token belt.
        pub max_seq: u32,
        /// Capacity of a batch's list of heads; 0 for a session, whose last row draws.
        pub heads: u32,
    }
}

/// The most heads of a step.
const MAX_HEADS: u32 = 1024;

/// The contract. Bindings: step block; picks `[head_rows, chunks]` of `sample`; tokens `[seqs, max_seq] u32`.
pub static KERNEL: Kernel = Kernel {
    name: "advance",
    bindings: &[updates("step"), reads("picks"), updates("tokens")],
    consts: AdvanceConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: AdvanceConsts| {
        require("advance", c.vocab != 0 && c.chunk != 0 && c.max_seq != 0 && c.heads <= MAX_HEADS, || {
            let (vocab, chunk, slots, heads) = (c.vocab, c.chunk, c.max_seq, c.heads);
            format!("vocabulary of {vocab} in chunks of {chunk}, {slots} token slots, {heads} heads")
        })
    }),
    units: |_| 1,
    cost: typed!(|c: AdvanceConsts, _| {
        let picks = chunks(c.vocab as usize, c.chunk.max(1) as usize);
        let bytes = picks * size_of::<Pick>() + step::bytes(1, 1);
        Cost { weight_bytes: 0, other_bytes: bytes as u64, flops: picks as u64 }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: AdvanceConsts, _| {
            let source = const { &[include_str!("advance.cu")] };
            // A batch has a thread for each head.
            Ok(CudaLaunch::plain(source, 1, if c.heads == 0 { 512 } else { MAX_HEADS }))
        })),
        Version::Vulkan(|_, _| VulkanLaunch::new("advance", include_bytes!("advance.spv"), 1, 1)),
        Version::Metal(include_str!("advance.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract; one part only.
pub unsafe fn run(call: &Call<'_>, part: u32, _parts: u32) {
    if part != 0 {
        return;
    }
    let c: AdvanceConsts = call.consts();
    // SAFETY: the caller's promise; this part alone runs.
    unsafe { if c.heads == 0 { session(call, &c) } else { batch(call, &c) } }
}

/// The best of a head's picks, of a vocabulary in chunks.
///
/// # Safety
/// As [`run`], for a head of the step.
pub(crate) unsafe fn best(call: &Call<'_>, [vocab, chunk]: [u32; 2], head: usize) -> Option<Token> {
    let n = chunks(vocab as usize, chunk as usize);
    // SAFETY: `[head_rows, chunks]` picks by the contract.
    let picks = unsafe { call.slice::<Pick>(1, head * n, n) };
    let pick = picks.iter().fold(Pick::NONE, |a, b| a.better(*b));
    (pick.score.is_finite() && pick.token.0 < vocab).then_some(pick.token)
}

/// Writes a token to slot `at` of a sequence's belt of `slots`, where it has one.
///
/// # Safety
/// As [`run`], for a sequence of the block.
pub(crate) unsafe fn put(call: &Call<'_>, slots: u32, seq: SeqIndex, at: u32, token: Token) {
    if at < slots {
        let slot = seq.index() * slots as usize + at as usize;
        // SAFETY: `[seqs, max_seq]` tokens by the contract; this part alone runs.
        unsafe { call.slice_mut::<Token>(2, slot, 1)[0] = token };
    }
}

/// All heads of a batch, in their order. Sequences that go on keep it.
///
/// # Safety
/// As [`run`], for a block with a list of heads.
unsafe fn batch(call: &Call<'_>, c: &AdvanceConsts) {
    // SAFETY: shapes by the contract; this part alone runs.
    unsafe {
        let bytes = call.slice_mut::<u8>(0, 0, call.bufs[0].len);
        let mut h: Header = read(bytes, 0);
        let head_at = |i: u32| h.heads_at as usize + i as usize * size_of::<Head>();
        let mut next = 0;
        // Rows below `next` belong to heads that have been read: a head's row is not before the head's own number.
        for i in 0..h.head_rows {
            let head: Head = read(bytes, head_at(i));
            let row: Row = read(bytes, step::row_offset(h.seqs_cap, head.row));
            let at = step::seq_offset(row.seq);
            let mut seq: Seq = read(bytes, at);
            let pos = row.pos.next();
            seq.len = pos.0;
            let token = best(call, [c.vocab, c.chunk], i as usize);
            let stop = token.map_or(StopReason::NotFinite, |t| verdict(&seq, t));
            seq.stop = stop as u32;
            write(bytes, at, &seq);
            if let Some(token) = token {
                put(call, c.max_seq, row.seq, pos.0, token);
            }
            let drew = Head { seq: row.seq, token: token.unwrap_or(NO_TOKEN), pos, ..head };
            write(bytes, head_at(i), &drew);
            if stop == StopReason::None {
                write(bytes, step::row_offset(h.seqs_cap, next), &Row { seq: row.seq, pos });
                let mut slot: Head = read(bytes, head_at(next));
                slot.row = next;
                write(bytes, head_at(next), &slot);
                next += 1;
            }
        }
        h.steps += 1;
        h.drawn += h.head_rows;
        h.drew = h.head_rows;
        (h.rows, h.head_rows) = (next, next);
        if next == 0 {
            h.stop = StopReason::Limit as u32;
        }
        write(bytes, 0, &h);
    }
}

/// The one sequence of a session, whose rows all belong to it; the last draws.
///
/// # Safety
/// As [`run`], for a block without a list of heads.
unsafe fn session(call: &Call<'_>, c: &AdvanceConsts) {
    // SAFETY: shapes by the contract; this part alone runs.
    unsafe {
        let bytes = call.slice_mut::<u8>(0, 0, call.bufs[0].len);
        let mut h: Header = read(bytes, 0);
        if h.rows == 0 {
            return;
        }
        let last: Row = read(bytes, step::row_offset(h.seqs_cap, h.rows - 1));
        let at = step::seq_offset(last.seq);
        let mut seq: Seq = read(bytes, at);
        seq.len = last.pos.next().0;
        h.steps += 1;
        if h.head_rows > 0 {
            if let Some(token) = best(call, [c.vocab, c.chunk], h.head_rows as usize - 1) {
                h.last_token = token;
                h.drawn += 1;
                h.stop = verdict(&seq, token) as u32;
                put(call, c.max_seq, last.seq, seq.len, token);
            } else {
                h.stop = StopReason::NotFinite as u32;
            }
            // The next step decodes the token just drawn.
            write(bytes, step::row_offset(h.seqs_cap, 0), &Row { seq: last.seq, pos: Position(seq.len) });
            h.rows = 1;
            h.head_rows = 1;
        }
        write(bytes, at, &seq);
        write(bytes, 0, &h);
    }
}

/// Whether the sequence goes on after `token`.
pub(crate) fn verdict(seq: &Seq, token: Token) -> StopReason {
    if seq.eos[..(seq.eos_count as usize).min(MAX_EOS)].contains(&token) {
        StopReason::Eos
    } else if seq.len >= seq.limit {
        StopReason::Limit
    } else {
        StopReason::None
    }
}

pub(crate) fn read<T: Pod>(bytes: &[u8], at: usize) -> T {
    bytemuck::pod_read_unaligned(&bytes[at..at + size_of::<T>()])
}

pub(crate) fn write<T: Pod>(bytes: &mut [u8], at: usize, v: &T) {
    bytes[at..at + size_of::<T>()].copy_from_slice(bytemuck::bytes_of(v));
}
