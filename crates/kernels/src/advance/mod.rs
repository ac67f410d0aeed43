//! `advance`: the last command of a table. Takes the drawn token, puts it on the token belt, moves the step block
//! to the next token and decides whether the sequence goes on. Nothing outside the device takes part.

use crate::contract::{Access, Cost, Kernel, Load, binding, consts_of, require};
use crate::cpu::Call;
use crate::cuda::CudaLaunch;
use crate::logits_max::{Pick, chunks};
use crate::step::{self, Header, MAX_EOS, Row, Seq, StopReason};
use bytemuck::{Pod, Zeroable};

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct AdvanceConsts {
    /// Vocabulary size.
    pub vocab: u32,
    /// Vocabulary entries per pick.
    pub chunk: u32,
    /// Slots of one sequence's token belt.
    pub max_seq: u32,
}

/// The contract. Bindings: step block; picks `[head_rows, chunks]` of `sample`; tokens `[seqs, max_seq] u32`.
pub static KERNEL: Kernel = Kernel {
    name: "advance",
    bindings: &[
        binding("step", Access::ReadWrite),
        binding("picks", Access::Read),
        binding("tokens", Access::ReadWrite),
    ],
    consts: &["vocab", "chunk", "max_seq"],
    params: 0,
    units: |_| 1,
    cost: |c, _: Load| Cost {
        weight_bytes: 0,
        other_bytes: (chunks(c[0] as usize, c[1].max(1) as usize) * size_of::<Pick>() + step::bytes(1, 1))
            as u64,
        flops: chunks(c[0] as usize, c[1].max(1) as usize) as u64,
    },
    cpu: |_, consts| {
        let c: AdvanceConsts = consts_of("advance", consts)?;
        let (vocab, slots) = (c.vocab, c.max_seq);
        require("advance", vocab != 0 && c.chunk != 0 && slots != 0, || {
            format!("vocabulary of {vocab}, {slots} token slots")
        })?;
        Ok(run)
    },
    cuda: Some(|_, _| Ok(CudaLaunch::plain(const { &[include_str!("advance.cu")] }, 1, 512))),
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
        seq.len = last.pos + 1;
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
                    let slot = last.seq as usize * c.max_seq as usize + seq.len as usize;
                    call.slice_mut::<u32>(2, slot, 1)[0] = pick.token;
                }
            }
            // The next step decodes the token just drawn.
            write(bytes, step::row_offset(h.seqs_cap, 0), &Row { seq: last.seq, pos: seq.len });
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
