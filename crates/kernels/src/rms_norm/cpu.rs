//! 16 lanes, the same operations at every level, so the same bits: the reference level has the plain one.

use super::{RmsNormConsts, RmsNormParams, Selected};
use crate::act::{self, ActFormat};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::simd::{self, Lanes};

/// Values normalised at a time, so that no row needs scratch memory; a multiple of every block.
pub(crate) const CHUNK: usize = 256;

/// The version for a level.
pub(super) fn select(level: Level) -> CpuFn {
    match level.base() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => run_avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => run_avx2,
        #[cfg(target_arch = "aarch64")]
        Level::Neon => run_neon,
        _ => run_plain,
    }
}

/// # Safety
/// As [`CpuFn`], for `rms_norm`'s contract.
unsafe fn run_plain(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { run::<simd::Plain>(call, part, parts, act::cpu::store_fn(Level::Reference)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
unsafe fn run_avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Avx512>(call, part, parts, act::cpu::store_fn(Level::Avx512)) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn run_avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Avx2>(call, part, parts, act::cpu::store_fn(Level::Avx2)) }
}

#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn run_neon(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run::<simd::Neon>(call, part, parts, act::cpu::store_fn(Level::Neon)) }
}

/// # Safety
/// As [`CpuFn`], for `rms_norm`'s contract, with the lanes' level.
#[inline(always)]
unsafe fn run<S: Lanes>(call: &Call<'_>, part: u32, parts: u32, store: act::cpu::StoreFn) {
    let c: RmsNormConsts = call.consts();
    let p: RmsNormParams = call.params();
    let d = c.d as usize;
    let Some(fmt) = ActFormat::from_word(c.act) else { return };
    let rb = fmt.row_bytes(d);
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        let rows = Selected::of(call, c.select);
        let w = call.slice::<f32>(2, 0, d);
        for r in share(rows.len, part, parts) {
            let x = call.slice::<f32>(1, rows.row(r) * d, d);
            let out = call.slice_mut::<u8>(3, r * rb, rb);
            let inv = 1.0 / (mean_square::<S>(x) + p.eps).sqrt();
            let mut y = [0f32; CHUNK];
            for from in (0..d).step_by(CHUNK) {
                let m = CHUNK.min(d - from);
                scale::<S>(&mut y[..m], &x[from..from + m], inv, &w[from..from + m]);
                store(fmt, out, from, &y[..m]);
            }
        }
    }
}

/// y = x * inv * w.
///
/// # Safety
/// The machine has the lanes' level.
#[inline(always)]
pub(crate) unsafe fn scale<S: Lanes>(y: &mut [f32], x: &[f32], inv: f32, w: &[f32]) {
    let whole = y.len() / 16 * 16;
    for i in (0..whole).step_by(16) {
        // SAFETY: the slices have the same length, at least i + 16.
        unsafe {
            let v = S::load(x.as_ptr().add(i)).mul(S::splat(inv));
            v.mul(S::load(w.as_ptr().add(i))).store(y.as_mut_ptr().add(i));
        }
    }
    for i in whole..y.len() {
        y[i] = x[i] * inv * w[i];
    }
}

/// Mean of the squares, in four vectors of partial sums, so that additions do not wait for each other.
///
/// # Safety
/// The machine has the lanes' level.
#[inline(always)]
pub(crate) unsafe fn mean_square<S: Lanes>(x: &[f32]) -> f32 {
    let (chunks, rest) = x.as_chunks::<64>();
    let (vectors, tail) = rest.as_chunks::<16>();
    let mut last = [0f32; 16];
    last[..tail.len()].copy_from_slice(tail);
    // SAFETY: each load is of 16 values.
    unsafe {
        let mut s = [S::splat(0.0); 4];
        for c in chunks {
            for i in 0..4 {
                let v = S::load(c.as_ptr().add(16 * i));
                s[i] = s[i].add(v.mul(v));
            }
        }
        for c in vectors {
            let v = S::load(c.as_ptr());
            s[0] = s[0].add(v.mul(v));
        }
        let v = S::load(last.as_ptr());
        s[1] = s[1].add(v.mul(v));
        s[0].add(s[2]).add(s[1].add(s[3])).reduce_add() / x.len() as f32
    }
}
