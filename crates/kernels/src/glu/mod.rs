//! `glu`: y = activation(gate) * up (Shazeer, "GLU Variants Improve Transformer", 2020), written in the
//! activation format of the product that reads it.

use crate::act::{self, ActFormat};
use crate::contract::{Access, Cost, Kernel, KernelError, Load, binding, consts_of, require};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::cuda::{CudaLaunch, Gpu};
use bytemuck::{Pod, Zeroable};

pub mod reference;

/// The gate's activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Activation {
    /// x * sigmoid(x).
    Silu = 0,
    /// GELU, tanh approximation.
    GeluTanh = 1,
}

/// Compile-time constants.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
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

/// The contract. Bindings: step block; gate_up `[rows * per_row, 2f] f32`, gates first; out `[rows * per_row, f]`
/// in the format.
pub static KERNEL: Kernel = Kernel {
    name: "glu",
    bindings: &[
        binding("step", Access::Read),
        binding("gate_up", Access::Read),
        binding("out", Access::Write),
    ],
    consts: &["f", "activation", "act", "per_row", "max_rows"],
    params: 0,
    units: |c| c[3].saturating_mul(c[4]).saturating_mul(c[0].div_ceil(CHUNK as u32)),
    cost,
    cpu: select_cpu,
    cuda: Some(|consts, gpu| {
        let c: GluConsts = consts_of("glu", consts)?;
        crate::cuda::check_act("glu", c.act)?;
        let source = const { &[include_str!("glu.cu")] };
        Ok(CudaLaunch::plain(source, cuda_blocks(c.max_rows.saturating_mul(c.per_row), c.f, gpu), 256))
    }),
};

/// Blocks of 256 threads, four values each, for rows of `width`; the kernels loop where there are more.
pub(crate) fn cuda_blocks(rows: u32, width: u32, gpu: &Gpu) -> u32 {
    rows.saturating_mul(width.div_ceil(1024)).min(gpu.multiprocessors * 8)
}

/// Values computed at a time; one unit of work.
pub(crate) const CHUNK: usize = 256;

fn select_cpu(level: Level, consts: &[u32]) -> Result<CpuFn, KernelError> {
    let c: GluConsts = consts_of("glu", consts)?;
    require("glu", c.f != 0 && c.per_row != 0, || format!("width {}, {} a row", c.f, c.per_row))?;
    if c.activation > 1 || ActFormat::from_word(c.act).is_none() || c.act == 1 && !c.f.is_multiple_of(32) {
        let what = format!("activation {}, format {}, width {}", c.activation, c.act, c.f);
        return Err(KernelError::Unsupported { kernel: "glu", what });
    }
    Ok(reference::select(level))
}

fn cost(consts: &[u32], load: Load) -> Cost {
    let c: GluConsts = crate::contract::from_words(consts);
    let rows = u64::from(load.rows) * u64::from(c.per_row);
    let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
    Cost {
        weight_bytes: 0,
        other_bytes: rows * (8 * u64::from(c.f) + act.row_bytes(c.f as usize) as u64),
        flops: 8 * rows * u64::from(c.f),
    }
}

type StoreFn = unsafe fn(ActFormat, &mut [u8], usize, usize, &[f32]);

/// The loop around a level's gate function.
///
/// # Safety
/// As [`CpuFn`], for this contract.
#[inline(always)]
pub(crate) unsafe fn run(
    call: &Call<'_>,
    part: u32,
    parts: u32,
    store: StoreFn,
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
            let out = call.slice_mut::<u8>(2, r * rb + stored_bytes(fmt, from), stored_bytes(fmt, m));
            store(fmt, out, m, 0, &y[..m]);
        }
    }
}

/// Bytes of `n` stored values (whole blocks), without the padding of a row.
const fn stored_bytes(fmt: ActFormat, n: usize) -> usize {
    match fmt {
        ActFormat::F32 => 4 * n,
        ActFormat::Bf16 | ActFormat::F16 => 2 * n,
        ActFormat::Q8 => n / 32 * size_of::<act::Q8Block>(),
        ActFormat::Q16 => n / 32 * size_of::<act::Q16Block>(),
    }
}

/// The plain store, for the reference level.
pub(crate) fn plain_store() -> StoreFn {
    act::cpu::store_fn(Level::Reference)
}
