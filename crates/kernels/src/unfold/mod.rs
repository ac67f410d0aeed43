//! `unfold`: the input of a convolution over time as rows of a product: each row gets the frames under the taps of its place, and
//! `matmul` with the filters does the rest (`torch.nn.Unfold` in one dimension). A row of the step stands for `stride` frames of its
//! sequence. Frames before the first and after the last are zeros.

mod cpu;

use crate::act::cpu::{Row, StoreFn, store_fn};
use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, Level, StepView, share};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

/// The most taps.
pub const MAX_TAPS: u32 = 8;
/// Channels of a unit of work: its values are whole blocks of every format, whatever the taps.
const CHANNELS: usize = 32;

shared! {
    /// Compile-time constants.
    pub struct UnfoldConsts {
        /// Channels of a frame.
        pub channels: u32,
        /// Frames that a filter covers.
        pub taps: u32,
        /// Frames of a row.
        pub stride: u32,
        /// How many frames before a row's first one the first tap stands.
        pub lead: u32,
        /// Values from a row's first frame to the next row's.
        pub x_stride: u32,
        /// Output [`ActFormat`].
        pub act: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, x_stride] f32`, of which each row has `[stride, channels]` in use; out
/// `[rows, channels * taps]` in the format, the taps of a channel side by side.
pub static KERNEL: Kernel = Kernel {
    name: "unfold",
    bindings: &[reads("step"), reads("x"), writes("out")],
    consts: UnfoldConsts::NAMES,
    params: &[],
    rows: Rows::Whole,
    check: typed!(|c: UnfoldConsts| {
        let holds = c.channels != 0
            && (1..=MAX_TAPS).contains(&c.taps)
            && (1..=MAX_TAPS).contains(&c.stride)
            && c.lead < c.taps
            && u64::from(c.channels) * u64::from(MAX_TAPS) <= 1 << 24
            && c.x_stride >= c.channels * c.stride;
        require("unfold", holds, || {
            format!("{} channels, {} taps, {} frames a row, of {}", c.channels, c.taps, c.stride, c.x_stride)
        })?;
        act::check("unfold", c.act, c.channels * c.taps)
    }),
    units: typed!(|c: UnfoldConsts| c.max_rows.saturating_mul(c.channels.div_ceil(CHANNELS as u32))),
    cost: typed!(|c: UnfoldConsts, load| {
        let (rows, width) = (u64::from(load.rows), c.channels as usize * c.taps as usize);
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        let read = 4 * u64::from(c.stride) * u64::from(c.channels);
        Cost { weight_bytes: 0, other_bytes: rows * (read + act.row_bytes(width) as u64), flops: 0 }
    }),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: UnfoldConsts, gpu| {
            crate::cuda::check_act("unfold", c.act)?;
            let source = const { &[include_str!("unfold.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, c.channels.saturating_mul(c.taps), gpu), 256))
        })),
        Version::Vulkan(typed!(|c: UnfoldConsts, _| {
            crate::vulkan::check_act("unfold", c.act)?;
            let width = c.channels.saturating_mul(c.taps);
            Ok(VulkanLaunch::around(include_bytes!("unfold.spv"), width.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("unfold.metal")),
    ],
};

/// Where the frame under a tap of row `r` begins in x; `None` for one that its sequence does not have.
fn frame_at(c: &UnfoldConsts, step: &StepView<'_>, r: usize, tap: u32) -> Option<usize> {
    let own = step.row(r as u32);
    let frame = (own.pos.0 * c.stride + tap).checked_sub(c.lead)?;
    let row = (r + (frame / c.stride) as usize).checked_sub(own.pos.index())?;
    let inside = row < step.header().rows as usize && step.row(row as u32).seq == own.seq;
    inside.then(|| row * c.x_stride as usize + (frame % c.stride) as usize * c.channels as usize)
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run_with(call, part, parts, store_fn(Level::Reference)) }
}

/// The twin with a level's store.
///
/// # Safety
/// As [`run`], for that level.
unsafe fn run_with(call: &Call<'_>, part: u32, parts: u32, store: StoreFn) {
    let c: UnfoldConsts = call.consts();
    let (channels, taps) = (c.channels as usize, c.taps as usize);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let chunks = channels.div_ceil(CHANNELS);
    // SAFETY: shapes by the contract; `frame_at` gives frames of active rows only; parts own disjoint (row, chunk) pairs, whose bytes in
    // the output row are disjoint because CHANNELS is a multiple of every format's block.
    unsafe {
        let step = call.step(0);
        for unit in share(step.header().rows as usize * chunks, part, parts) {
            let (r, from) = (unit / chunks, unit % chunks * CHANNELS);
            let n = CHANNELS.min(channels - from);
            let mut values = [0f32; CHANNELS * MAX_TAPS as usize];
            for tap in 0..taps {
                let Some(at) = frame_at(&c, &step, r, tap as u32) else { continue };
                for (i, v) in call.slice::<f32>(1, at + from, n).iter().enumerate() {
                    values[i * taps + tap] = *v;
                }
            }
            let row = Row { call, binding: 2, format, row: r, k: channels * taps };
            store(format, row.bytes(from * taps..(from + n) * taps), 0, &values[..n * taps]);
        }
    }
}
