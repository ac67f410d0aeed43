//! `pooling`: one vector for each sequence of the step out of its rows, normalized where that is asked for (Reimers and Gurevych,
//! "Sentence-BERT", 2019).

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::full_attention::run_of;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

/// Which rows the vector is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Pooling {
    /// The mean of all.
    Mean = 0,
    /// The first.
    Cls = 1,
    /// The last.
    Last = 2,
}

/// Whether the vector is divided by its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Normalize {
    /// As it is.
    No = 0,
    /// Divided by its Euclidean length, or by 1e-12 where it is shorter.
    L2 = 1,
}

shared! {
    /// Compile-time constants.
    pub struct PoolingConsts {
        /// Width of a row.
        pub d: u32,
        /// [`Pooling`].
        pub pooling: u32,
        /// [`Normalize`].
        pub normalize: u32,
        /// Heads, one for each sequence, that the table was built for.
        pub max_heads: u32,
    }
}

/// The contract. Bindings: step block, whose heads are the last rows of the sequences; x `[rows, d] f32`; out `[heads, d] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "pooling",
    bindings: &[reads("step"), reads("x"), writes("out")],
    consts: PoolingConsts::NAMES,
    params: &[],
    rows: Rows::Whole,
    check: typed!(|c: PoolingConsts| {
        let holds = c.d != 0 && c.pooling <= 2 && c.normalize <= 1;
        require("pooling", holds, || format!("width {}, pooling {}, {}", c.d, c.pooling, c.normalize))
    }),
    units: typed!(|c: PoolingConsts| c.max_heads),
    cost: typed!(|c: PoolingConsts, load| {
        let (d, heads) = (u64::from(c.d), u64::from(load.head_rows));
        let rows = if c.pooling == Pooling::Mean as u32 { u64::from(load.rows) } else { heads };
        Cost { weight_bytes: 0, other_bytes: 4 * d * (rows + heads), flops: d * (rows + 3 * heads) }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: PoolingConsts, gpu| {
            let source = const { &[include_str!("pooling.cu")] };
            let threads = c.d.next_multiple_of(32).clamp(32, 512);
            Ok(CudaLaunch::plain(source, c.max_heads.min(gpu.multiprocessors * 4), threads))
        })),
        Version::Vulkan(typed!(|c: PoolingConsts, _| {
            let launch = VulkanLaunch::new("pooling", include_bytes!("pooling.spv"), c.max_heads, 1)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("pooling.metal")),
    ],
};

/// The plain twin; it reads each row once, so it serves every CPU level.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: PoolingConsts = call.consts();
    let d = c.d as usize;
    // SAFETY: shapes by the contract; parts own disjoint heads.
    unsafe {
        let step = call.step(0);
        for i in share(step.header().head_rows as usize, part, parts) {
            let run = run_of(&step, step.head_row(i as u32));
            let rows = match c.pooling {
                0 => run,
                1 => run.start..run.start + 1,
                _ => run.end - 1..run.end,
            };
            let n = rows.len() as f32;
            let out = call.slice_mut::<f32>(2, i * d, d);
            out.fill(0.0);
            for r in rows {
                out.iter_mut().zip(call.slice::<f32>(1, r as usize * d, d)).for_each(|(o, x)| *o += x);
            }
            let length = out.iter().map(|v| f64::from(*v / n).powi(2)).sum::<f64>().sqrt().max(1e-12);
            let divisor = if c.normalize == Normalize::L2 as u32 { n * length as f32 } else { n };
            out.iter_mut().for_each(|v| *v /= divisor);
        }
    }
}
