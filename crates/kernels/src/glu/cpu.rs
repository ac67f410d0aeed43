//! The plain twin, and the same loop with a vectorisable exponential for the other levels.

use super::functions::{erf_fast, exact, exp};
use super::{Activation, GluConsts, run};
use crate::act;
#[cfg(target_arch = "x86_64")]
use crate::act::ActFormat;
use crate::cpu::{Call, CpuFn, Level};

/// The version for a level.
pub(super) fn select(level: Level) -> CpuFn {
    match level.base() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => fast_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => fast_avx2,
        Level::Reference => plain,
        _ => fast_portable,
    }
}

/// # Safety
/// As [`CpuFn`], for `glu`'s contract.
unsafe fn plain(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise.
    unsafe {
        run(call, part, parts, act::cpu::store_fn(Level::Reference), |g, u, y| {
            for i in 0..y.len() {
                y[i] = gate(c.activation, g[i]) * u[i];
            }
        });
    }
}

/// The gate's activation, by the constant.
pub(crate) fn gate(activation: u32, x: f32) -> f32 {
    match Activation::from_word(activation) {
        Some(Activation::Silu) => silu(x),
        Some(other @ Activation::GeluErf) => exact(other, x),
        _ => gelu_tanh(x),
    }
}

fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

fn gelu_tanh(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

#[inline(always)]
fn fast(activation: u32, g: &[f32], u: &[f32], y: &mut [f32]) {
    let n = y.len();
    let (g, u) = (&g[..n], &u[..n]);
    if activation == Activation::Silu as u32 {
        for i in 0..n {
            y[i] = g[i] / (1.0 + exp(-g[i])) * u[i];
        }
    } else if activation == Activation::GeluErf as u32 {
        for i in 0..n {
            y[i] = 0.5 * g[i] * (1.0 + erf_fast(g[i] * std::f32::consts::FRAC_1_SQRT_2)) * u[i];
        }
    } else {
        for i in 0..n {
            // 0.5 (1 + tanh z) = 1 / (1 + e^(-2z))
            let z = 0.797_884_6 * (g[i] + 0.044_715 * g[i] * g[i] * g[i]);
            y[i] = g[i] / (1.0 + exp(-2.0 * z)) * u[i];
        }
    }
}

unsafe fn fast_portable(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise.
    unsafe {
        run(call, part, parts, act::cpu::store_fn(Level::Portable), |g, u, y| fast(c.activation, g, u, y))
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn fast_avx512(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe {
        run(call, part, parts, act::cpu::store_fn(Level::Avx512), |g, u, y| fast(c.activation, g, u, y))
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn fast_avx2(call: &Call<'_>, part: u32, parts: u32) {
    let c: GluConsts = call.consts();
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run(call, part, parts, act::cpu::store_fn(Level::Avx2), |g, u, y| fast(c.activation, g, u, y)) }
}

/// Columns of a tile of gates or of ups.
#[cfg(target_arch = "x86_64")]
const TILE: usize = 16;

/// Rows of sums of a tile of gates and one of ups, side by side, and where the outputs of two such pairs of tiles go.
#[cfg(target_arch = "x86_64")]
pub(crate) struct GateRows {
    pub(crate) activation: u32,
    /// `[rows][16 gates, 16 ups]`.
    pub(crate) sums: *const f32,
    pub(crate) rows: usize,
    /// `[rows][16]`: outputs of a first pair, which wait for the second's.
    pub(crate) first: *mut f32,
    /// Where the second pair's are stored with them: the first row's bytes of these 32 columns, and those from row to row.
    pub(crate) out: Option<(*mut u8, usize)>,
    pub(crate) format: ActFormat,
}

/// Takes a pair of tiles.
///
/// # Safety
/// Sums and outputs are there, the latter nobody else's; the machine has the function's level.
#[cfg(target_arch = "x86_64")]
pub(crate) type GatesFn = unsafe fn(&GateRows);

/// # Safety
/// As [`GatesFn`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn gates(g: &GateRows, store: act::cpu::StoreFn) {
    for r in 0..g.rows {
        // SAFETY: the caller's promise.
        unsafe {
            let sums = std::slice::from_raw_parts(g.sums.add(r * 2 * TILE), 2 * TILE);
            let first = std::slice::from_raw_parts_mut(g.first.add(r * TILE), TILE);
            let (gates, ups) = sums.split_at(TILE);
            match g.out {
                None => fast(g.activation, gates, ups, first),
                Some((out, stride)) => {
                    let mut both = [0f32; 2 * TILE];
                    let (before, here) = both.split_at_mut(TILE);
                    before.copy_from_slice(first);
                    fast(g.activation, gates, ups, here);
                    let out = std::slice::from_raw_parts_mut(out.add(r * stride), g.format.bytes(2 * TILE));
                    store(g.format, out, 0, &both);
                }
            }
        }
    }
}

/// [`GatesFn`] for AVX2.
///
/// # Safety
/// As [`GatesFn`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub(crate) unsafe fn gates_avx2(g: &GateRows) {
    // SAFETY: the caller's promise.
    unsafe { gates(g, act::cpu::store_fn(Level::Avx2)) }
}

/// [`GatesFn`] for AVX-512.
///
/// # Safety
/// As [`GatesFn`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
pub(crate) unsafe fn gates_avx512(g: &GateRows) {
    // SAFETY: the caller's promise.
    unsafe { gates(g, act::cpu::store_fn(Level::Avx512)) }
}
