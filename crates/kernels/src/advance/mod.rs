//! `advance`: the last command of a table. Takes the drawn token, puts it on the token belt, moves the step block
//! to the next token and decides whether the sequence goes on. Nothing outside the device takes part.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::Call;
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::pick::{Pick, chunks};
use crate::step::{self, Header, MAX_EOS, Position, Row, Seq, StopReason};
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
    }
}

/// The contract. Bindings: step block; picks `[head_rows, chunks]` of `sample`; tokens `[seqs, max_seq] u32`.
pub static KERNEL: Kernel = Kernel {
    name: "advance",
    bindings: &[updates("step"), reads("picks"), updates("tokens")],
    consts: AdvanceConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: AdvanceConsts| {
        require("advance", c.vocab != 0 && c.chunk != 0 && c.max_seq != 0, || {
            format!("vocabulary of {} in chunks of {}, {} token slots", c.vocab, c.chunk, c.max_seq)
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
        Version::Cuda(|_, _| Ok(CudaLaunch::plain(const { &[include_str!("advance.cu")] }, 1, 512))),
    ],
};

/// The plain twin. One sequence per step for now: the rows of a step belong to the last row's sequence.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract; one part only.
pub unsafe fn run(call: &Call<'_>, part: u32, _parts: u32) {
    if part != 0 {
        return;
    }
    let c: AdvanceConsts = call.consts();
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
            let n = chunks(c.vocab as usize, c.chunk as usize);
            let picks = call.slice::<Pick>(1, (h.head_rows as usize - 1) * n, n);
            let pick = picks.iter().fold(Pick::NONE, |a, b| a.better(*b));
            if !pick.score.is_finite() || pick.token >= c.vocab {
                h.stop = StopReason::NotFinite as u32;
            } else {
                h.last_token = pick.token;
                h.drawn += 1;
                h.stop = verdict(&seq, pick.token) as u32;
                if seq.len < c.max_seq {
                    let slot = last.seq.index() * c.max_seq as usize + seq.len as usize;
                    call.slice_mut::<u32>(2, slot, 1)[0] = pick.token;
                }
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
fn verdict(seq: &Seq, token: u32) -> StopReason {
    if seq.eos[..(seq.eos_count as usize).min(MAX_EOS)].contains(&token) {
        StopReason::Eos
    } else if seq.len >= seq.limit {
        StopReason::Limit
    } else {
        StopReason::None
    }
}

fn read<T: Pod>(bytes: &[u8], at: usize) -> T {
    bytemuck::pod_read_unaligned(&bytes[at..at + size_of::<T>()])
}

fn write<T: Pod>(bytes: &mut [u8], at: usize, v: &T) {
    bytes[at..at + size_of::<T>()].copy_from_slice(bytemuck::bytes_of(v));
}
