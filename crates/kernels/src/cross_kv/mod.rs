//! `cross_kv`: keys and values of an encoder's rows, with their bias, to where the cross attention of a decoder reads them, once for all
//! its tokens.
//!
//! A source is what one sequence of the encoder's step leaves, in the slot of its place in the step block. For each head, keys are
//! `[head_dim, columns]`, transposed, so that neighbouring positions lie side by side where scores are made, and values
//! `[columns, head_dim]`. `columns` is the number of positions, rounded up to [`COLUMNS`]; what is after the positions is not written.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, quads};
use crate::error::{KernelError, require};
use crate::kv::KvFormat;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;
use bytemuck::Pod;
use half::f16;

/// Columns are a multiple of this many.
pub const COLUMNS: u32 = 16;

shared! {
    /// Compile-time constants.
    pub struct CrossKvConsts {
        /// Heads.
        pub heads: u32,
        /// Width of one.
        pub head_dim: u32,
        /// Positions of a source.
        pub positions: u32,
        /// Sources that there is room for.
        pub sources: u32,
        /// [`KvFormat`] of keys and values: f16 or f32.
        pub format: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; kv `[rows, 2 * heads * head_dim] f32`, keys first; bias `[2 * heads * head_dim] f32`; keys
/// `[sources, heads, head_dim, columns]` and values `[sources, heads, columns, head_dim]` in the format. Rows at positions or of
/// sequences beyond them are left out.
pub static KERNEL: Kernel = Kernel {
    name: "cross_kv",
    bindings: &[reads("step"), reads("kv"), reads("bias"), updates("keys"), updates("values")],
    consts: CrossKvConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: CrossKvConsts| {
        check("cross_kv", c.heads, c.head_dim, c.positions, c.sources)?;
        check_format("cross_kv", c.format)
    }),
    units: typed!(|c: CrossKvConsts| c.max_rows.div_ceil(COLUMNS).saturating_mul(c.heads)),
    cost: typed!(|c: CrossKvConsts, load| {
        let (rows, width) = (u64::from(load.rows), u64::from(c.heads) * u64::from(c.head_dim));
        let element = element_bytes(c.format);
        Cost {
            weight_bytes: 8 * width,
            other_bytes: rows * 2 * width * (4 + element),
            flops: 2 * rows * width,
        }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: CrossKvConsts, gpu| {
            let source = const { &[include_str!("cross.cuh"), include_str!("cross_kv.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, 2 * c.heads * c.head_dim, gpu), 256))
        })),
        Version::Vulkan(typed!(|c: CrossKvConsts, _| {
            let width = 2 * c.heads * c.head_dim;
            Ok(VulkanLaunch::around(include_bytes!("cross_kv.spv"), width.div_ceil(256), c.max_rows))
        })),
        Version::Metal(include_str!("cross_kv.metal")),
    ],
};

/// Bytes of the keys of all sources, and of their values too.
pub fn bytes(heads: u32, head_dim: u32, positions: u32, sources: u32, format: KvFormat) -> u64 {
    let columns = u64::from(positions.next_multiple_of(COLUMNS));
    u64::from(sources) * u64::from(heads) * u64::from(head_dim) * columns * element_bytes(format as u32)
}

/// The format in which a program keeps them whose cache has this one: what is not f32 is f16.
pub fn format(cache: KvFormat) -> KvFormat {
    if cache == KvFormat::F32 { KvFormat::F32 } else { KvFormat::F16 }
}

fn element_bytes(format: u32) -> u64 {
    if format == KvFormat::F32 as u32 { 4 } else { 2 }
}

pub(crate) fn check(
    kernel: &'static str,
    heads: u32,
    head_dim: u32,
    positions: u32,
    sources: u32,
) -> Result<(), KernelError> {
    let width = u64::from(heads) * u64::from(head_dim);
    let holds = (1..=1 << 23).contains(&width) && (1..=1 << 16).contains(&positions) && sources != 0;
    require(kernel, holds, || {
        format!("{heads} heads of {head_dim}, {positions} positions, {sources} sources")
    })
}

pub(crate) fn check_format(kernel: &'static str, format: u32) -> Result<(), KernelError> {
    match KvFormat::from_word(format) {
        Some(KvFormat::F16 | KvFormat::F32) => Ok(()),
        Some(other) => Err(KernelError::Unsupported { kernel, what: format!("keys in {}", other.name()) }),
        None => Err(KernelError::Unsupported { kernel, what: format!("format {format}") }),
    }
}

/// Where things lie in a source's keys and values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub(crate) heads: usize,
    pub(crate) head_dim: usize,
    pub(crate) columns: usize,
}

impl Places {
    pub(crate) fn of(heads: u32, head_dim: u32, positions: u32) -> Self {
        let columns = positions.next_multiple_of(COLUMNS) as usize;
        Self { heads: heads as usize, head_dim: head_dim as usize, columns }
    }

    /// The first element of a head's keys, and of its values too.
    pub(crate) fn head(&self, source: usize, head: usize) -> usize {
        (source * self.heads + head) * self.head_dim * self.columns
    }
}

/// The plain twin; it is bound by memory, so it serves every CPU level.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: CrossKvConsts = call.consts();
    // SAFETY: the caller's promise.
    unsafe {
        if c.format == KvFormat::F32 as u32 {
            write::<f32>(call, &c, part, parts, |v| v);
        } else {
            write::<f16>(call, &c, part, parts, f16::from_f32);
        }
    }
}

/// # Safety
/// As [`run`], with elements of the contract's format.
unsafe fn write<E: Pod>(call: &Call<'_>, c: &CrossKvConsts, part: u32, parts: u32, to: impl Fn(f32) -> E) {
    let p = Places::of(c.heads, c.head_dim, c.positions);
    let (hd, width) = (p.head_dim, p.heads * p.head_dim);
    // SAFETY: shapes by the contract; sources and positions are checked against them; parts own disjoint (row, head) pairs, and no two
    // rows have the same place. Keys are written one by one, since rows of other parts lie between them.
    unsafe {
        let step = call.step(0);
        let rows = step.header().rows as usize;
        let tile = COLUMNS as usize;
        for unit in share(rows.div_ceil(tile) * p.heads, part, parts) {
            let (first, head) = (unit / p.heads * tile, unit % p.heads);
            for r in first..(first + tile).min(rows) {
                let place = step.row(r as u32);
                if place.seq.0 >= c.sources || place.pos.0 >= c.positions {
                    continue;
                }
                let (at, pos) = (p.head(place.seq.index(), head), place.pos.index());
                let of = |from: usize| {
                    let values = call.slice::<f32>(1, r * 2 * width + from, hd);
                    values.iter().zip(call.slice::<f32>(2, from, hd)).map(|(v, b)| to(v + b))
                };
                let keys = call.bufs[3].ptr.cast::<E>().add(at + pos);
                for (d, k) in of(head * hd).enumerate() {
                    keys.add(d * p.columns).write(k);
                }
                let values = call.slice_mut::<E>(4, at + pos * hd, hd);
                values.iter_mut().zip(of(width + head * hd)).for_each(|(to, v)| *to = v);
            }
        }
    }
}
