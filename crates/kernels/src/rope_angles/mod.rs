//! `rope_angles`: cos and sin of position x frequency for every row, once per step, for all layers (Su et al.,
//! "RoFormer", 2021). Frequencies come precomputed with their context-extension divisors applied.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct RopeAnglesConsts {
        /// Rotated pairs per head.
        pub pairs: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct RopeAnglesParams {
        /// Factor on cosine and sine; 1 but for some extended contexts.
        pub magnitude: f32,
    }
}

/// The contract. Bindings: step block; frequencies `[pairs] f32` in radians per position; out
/// `[rows, pairs, 2] f32`: cosine, sine.
pub static KERNEL: Kernel = Kernel {
    name: "rope_angles",
    bindings: &[reads("step"), reads("frequencies"), writes("angles")],
    consts: RopeAnglesConsts::NAMES,
    params: RopeAnglesParams::FIELDS,
    rows: Rows::Anywhere,
    check: |_| Ok(()),
    units: typed!(|c: RopeAnglesConsts| c.max_rows),
    cost: typed!(|c: RopeAnglesConsts, load| {
        let n = u64::from(load.rows) * u64::from(c.pairs);
        Cost { weight_bytes: u64::from(c.pairs) * 4, other_bytes: n * 8, flops: n * 20 }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: RopeAnglesConsts, gpu| {
            let source = const { &[include_str!("rope_angles.cu")] };
            let threads = c.pairs.next_multiple_of(32).clamp(32, 256);
            let launch = CudaLaunch::plain(source, c.max_rows.min(gpu.multiprocessors * 4), threads);
            Ok(CudaLaunch { defines: vec![("THREADS", threads)], ..launch })
        })),
        Version::Vulkan(typed!(|c: RopeAnglesConsts, _| {
            VulkanLaunch::new("rope_angles", include_bytes!("rope_angles.spv"), c.max_rows, 1)
        })),
        Version::Metal(include_str!("rope_angles.metal")),
    ],
};

/// The plain twin; the angle is the f32 product of position and frequency, as the reference models compute it.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: RopeAnglesConsts = call.consts();
    let p: RopeAnglesParams = call.params();
    let n = c.pairs as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        let step = call.step(0);
        let freq = call.slice::<f32>(1, 0, n);
        for r in share(step.header().rows as usize, part, parts) {
            let pos = step.row(r as u32).pos.0 as f32;
            let out = call.slice_mut::<f32>(2, r * n * 2, n * 2);
            for i in 0..n {
                let (s, c) = (pos * freq[i]).sin_cos();
                out[2 * i] = c * p.magnitude;
                out[2 * i + 1] = s * p.magnitude;
            }
        }
    }
}
