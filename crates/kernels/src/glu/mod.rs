//! `glu`: y = activation(gate) * up (Shazeer, "GLU Variants Improve Transformer", 2020), written in the
//! activation format of the product that reads it.

use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

pub(crate) mod cpu;
pub(crate) mod functions;

/// The gate's activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Activation {
    /// x * sigmoid(x).
    Silu = 0,
    /// GELU, tanh approximation.
    GeluTanh = 1,
    /// GELU by the error function; with a gate on the CPU and CUDA only.
    GeluErf = 2,
    /// max(x, 0); without a gate only.
    Relu = 3,
}

impl Activation {
    /// From a constant.
    pub const fn from_word(w: u32) -> Option<Self> {
        match w {
            0 => Some(Self::Silu),
            1 => Some(Self::GeluTanh),
            2 => Some(Self::GeluErf),
            3 => Some(Self::Relu),
            _ => None,
        }
    }
}

shared! {
    /// Compile-time constants.
    pub struct GluConsts {
        /// Width of the feed-forward layer.
        pub f: u32,
        /// [`Activation`].
        pub activation: u32,
        /// Output [`ActFormat`].
        pub act: u32,
        /// Vectors of a row of the step: 1, or a row's experts.
        pub per_row: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; gate_up `[rows * per_row, 2f] f32`, gates first; out `[rows * per_row, f]`
/// in the format.
pub static KERNEL: Kernel = Kernel {
    name: "glu",
    bindings: &[reads("step"), reads("gate_up"), writes("out")],
    consts: GluConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: GluConsts| {
        let holds = c.f != 0 && c.per_row != 0 && c.activation <= 2;
        require("glu", holds, || format!("width {}, {} a row, activation {}", c.f, c.per_row, c.activation))?;
        act::check("glu", c.act, c.f)
    }),
    units: typed!(|c: GluConsts| {
        c.per_row.saturating_mul(c.max_rows).saturating_mul(c.f.div_ceil(CHUNK as u32))
    }),
    cost: typed!(|c: GluConsts, load| {
        let rows = u64::from(load.rows) * u64::from(c.per_row);
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        Cost {
            weight_bytes: 0,
            other_bytes: rows * (8 * u64::from(c.f) + act.row_bytes(c.f as usize) as u64),
            flops: 8 * rows * u64::from(c.f),
        }
    }),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: GluConsts, gpu| {
            crate::cuda::check_act("glu", c.act)?;
            let source = const { &[include_str!("glu.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows.saturating_mul(c.per_row), c.f, gpu), 256))
        })),
        Version::Vulkan(typed!(|c: GluConsts, _| {
            crate::vulkan::check_act("glu", c.act)?;
            let rows = c.max_rows.saturating_mul(c.per_row);
            Ok(VulkanLaunch::around(include_bytes!("glu.spv"), c.f.div_ceil(256), rows))
        })),
        Version::Metal(include_str!("glu.metal")),
    ],
};

/// Values computed at a time; one unit of work.
pub(crate) const CHUNK: usize = 256;

/// The loop around a level's gate function.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
#[inline(always)]
pub(crate) unsafe fn run(
    call: &Call<'_>,
    part: u32,
    parts: u32,
    store: act::cpu::StoreFn,
    gate: impl Fn(&[f32], &[f32], &mut [f32]),
) {
    let c: GluConsts = call.consts();
    let f = c.f as usize;
    let Some(fmt) = ActFormat::from_word(c.act) else { return };
    let (rb, chunks) = (fmt.row_bytes(f), f.div_ceil(CHUNK));
    // SAFETY: shapes by the contract; parts own disjoint (row, chunk) pairs, whose bytes in the output row are
    // disjoint because CHUNK is a multiple of every format's block.
    unsafe {
        let rows = call.step(0).header().rows as usize * c.per_row as usize;
        for unit in share(rows * chunks, part, parts) {
            let (r, from) = (unit / chunks, unit % chunks * CHUNK);
            let m = CHUNK.min(f - from);
            let g = call.slice::<f32>(1, r * 2 * f + from, m);
            let u = call.slice::<f32>(1, r * 2 * f + f + from, m);
            let mut y = [0f32; CHUNK];
            gate(g, u, &mut y[..m]);
            // A slice of this chunk alone: workers must not hold overlapping slices of one row.
            let out = call.slice_mut::<u8>(2, r * rb + fmt.bytes(from), fmt.bytes(m));
            store(fmt, out, 0, &y[..m]);
        }
    }
}
