//! `route`: the experts of each row and their weights, from the router's scores: softmax over all experts, the best few,
//! their weights divided by their sum where the model says so (Shazeer et al., "Outrageously Large Neural Networks",
//! 2017; Jiang et al., "Mixtral of Experts", 2024).

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct RouteConsts {
        /// Experts to choose from.
        pub experts: u32,
        /// Experts that a row gets.
        pub used: u32,
        /// 1: weights of a row's experts add up to 1.
        pub normalized: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// One of a row's experts.
    pub struct Choice {
        /// Its number.
        pub expert: u32,
        /// Its share of the result.
        pub weight: f32,
    }
}

/// Most experts of a layer.
pub const MAX_EXPERTS: u32 = 1024;
/// Most experts of a row.
pub const MAX_USED: u32 = 64;

/// The contract. Bindings: step block; scores `[rows, experts] f32`; routes `[rows, used]` of [`Choice`], best first;
/// the lower number first where scores are equal.
pub static KERNEL: Kernel = Kernel {
    name: "route",
    bindings: &[reads("step"), reads("scores"), writes("routes")],
    consts: RouteConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: RouteConsts| {
        require("route", experts_fit(c.experts, c.used) && c.normalized <= 1, || {
            format!("{} of {} experts", c.used, c.experts)
        })
    }),
    units: typed!(|c: RouteConsts| c.max_rows),
    cost: typed!(|c: RouteConsts, load| {
        let (rows, experts, used) = (u64::from(load.rows), u64::from(c.experts), u64::from(c.used));
        Cost {
            weight_bytes: 0,
            other_bytes: rows * (4 * experts + 8 * used),
            flops: rows * experts * (used + 4),
        }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: RouteConsts, gpu| {
            let source = const { &[include_str!("route.cu")] };
            // A warp for each row.
            Ok(CudaLaunch::plain(source, c.max_rows.div_ceil(4).min(gpu.multiprocessors * 4), 128))
        })),
        Version::Vulkan(typed!(|c: RouteConsts, _| {
            VulkanLaunch::new("route", include_bytes!("route.spv"), c.max_rows, 1)
        })),
        Version::Metal(include_str!("route.metal")),
    ],
};

/// Whether so many of so many experts can be chosen.
pub(crate) fn experts_fit(experts: u32, used: u32) -> bool {
    (1..=MAX_EXPERTS).contains(&experts) && (1..=experts.min(MAX_USED)).contains(&used)
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: RouteConsts = call.consts();
    let (experts, used) = (c.experts as usize, c.used as usize);
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        for r in share(call.step(0).header().rows as usize, part, parts) {
            let scores = call.slice::<f32>(1, r * experts, experts);
            choose(scores, c.normalized == 1, call.slice_mut::<Choice>(2, r * used, used));
        }
    }
}

/// One row's experts. Scores that are not numbers choose as if they were the lowest, and give weights that are none.
fn choose(scores: &[f32], normalized: bool, out: &mut [Choice]) {
    let max = scores.iter().fold(f32::NEG_INFINITY, |m, s| m.max(*s));
    let total: f32 = scores.iter().map(|s| (s - max).exp()).sum();
    let mut taken = [false; MAX_EXPERTS as usize];
    let mut sum = 0.0;
    for choice in &mut *out {
        let mut best = None;
        for (i, s) in scores.iter().enumerate().filter(|(i, _)| !taken[*i]) {
            let better = best.is_none_or(|b: usize| *s > scores[b] || scores[b].is_nan() && !s.is_nan());
            best = if better { Some(i) } else { best };
        }
        let i = best.unwrap_or(0);
        taken[i] = true;
        *choice = Choice { expert: i as u32, weight: (scores[i] - max).exp() / total };
        sum += choice.weight;
    }
    if normalized {
        out.iter_mut().for_each(|c| c.weight /= sum);
    }
}
