//! The plain twin. A norm is a small share of a step, so the same loops serve every level, compiled for it; only
//! the store into the activation format has SIMD versions.

use super::{RmsNormConsts, RmsNormParams, part_rows, rows_of};
use crate::act::{self, ActFormat};
use crate::cpu::{Call, CpuFn, Level};

/// Values normalised at a time, so that no row needs scratch memory; a multiple of every block.
const CHUNK: usize = 256;

/// The version for a level.
pub fn select(level: Level) -> CpuFn {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Bf16 => run_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => run_avx2,
        _ => run_plain,
    }
}

/// # Safety
/// As [`CpuFn`], for `rms_norm`'s contract.
unsafe fn run_plain(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run(call, part, parts, act::cpu::store_fn(Level::Reference)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn run_avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run(call, part, parts, act::cpu::store_fn(Level::Avx512)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run(call, part, parts, act::cpu::store_fn(Level::Avx2)) }
}

type StoreFn = unsafe fn(ActFormat, &mut [u8], usize, usize, &[f32]);

#[inline(always)]
unsafe fn run(call: &Call<'_>, part: u32, parts: u32, store: StoreFn) {
    let c: RmsNormConsts = call.consts();
    let p: RmsNormParams = call.params();
    let d = c.d as usize;
    let Some(fmt) = ActFormat::from_word(c.act) else { return };
    let rb = fmt.row_bytes(d);
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        let (first, n) = rows_of(call, c.select);
        let w = call.slice::<f32>(2, 0, d);
        for r in part_rows(n, part, parts) {
            let x = call.slice::<f32>(1, (first + r) * d, d);
            let out = call.slice_mut::<u8>(3, r * rb, rb);
            let inv = 1.0 / (mean_square(x) + p.eps).sqrt();
            let mut y = [0f32; CHUNK];
            for from in (0..d).step_by(CHUNK) {
                let m = CHUNK.min(d - from);
                for i in 0..m {
                    y[i] = x[from + i] * inv * w[from + i];
                }
                store(fmt, out, d, from, &y[..m]);
            }
        }
    }
}

/// Mean of the squares, in 16 partial sums.
#[inline(always)]
fn mean_square(x: &[f32]) -> f32 {
    let mut s = [0f32; 16];
    let chunks = x.chunks_exact(16);
    let tail: f32 = chunks.remainder().iter().map(|v| v * v).sum();
    for b in chunks {
        for i in 0..16 {
            s[i] += b[i] * b[i];
        }
    }
    (s.iter().sum::<f32>() + tail) / x.len() as f32
}
