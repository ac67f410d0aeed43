//! The twin, written in 16 lanes; every level computes the same sums in the same order, fused or not.

use super::{LayerNormConsts, LayerNormParams, Stream};
use crate::act::cpu::{StoreFn, store_fn};
use crate::act::{self, ActFormat};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::rms_norm::Selected;
use crate::simd::{self, Lanes};

/// Makes a version of a function generic over [`Lanes`] for each level, and `select`, which chooses one.
macro_rules! levels {
    ($run:ident) => {
        /// The version for a level.
        pub(crate) fn select(level: Level) -> CpuFn {
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
        /// As [`CpuFn`], for the operation's contract.
        unsafe fn run_plain(call: &Call<'_>, part: u32, parts: u32) {
            // SAFETY: the caller's promise.
            unsafe { $run::<simd::Plain>(call, part, parts, store_fn(Level::Reference)) }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,fma")]
        unsafe fn run_avx512(call: &Call<'_>, part: u32, parts: u32) {
            // SAFETY: the caller's promise; the level was chosen for this machine.
            unsafe { $run::<simd::Avx512>(call, part, parts, store_fn(Level::Avx512)) }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma")]
        unsafe fn run_avx2(call: &Call<'_>, part: u32, parts: u32) {
            // SAFETY: the caller's promise; the level was chosen for this machine.
            unsafe { $run::<simd::Avx2>(call, part, parts, store_fn(Level::Avx2)) }
        }

        #[cfg(target_arch = "aarch64")]
        #[target_feature(enable = "neon")]
        unsafe fn run_neon(call: &Call<'_>, part: u32, parts: u32) {
            // SAFETY: the caller's promise; the level was chosen for this machine.
            unsafe { $run::<simd::Neon>(call, part, parts, store_fn(Level::Neon)) }
        }
    };
}
pub(crate) use levels;

levels!(run);

/// # Safety
/// As [`CpuFn`], for `layer_norm`'s contract, with the lanes' level.
#[inline(always)]
unsafe fn run<S: Lanes>(call: &Call<'_>, part: u32, parts: u32, store: StoreFn) {
    let c: LayerNormConsts = call.consts();
    let d = c.d as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows. `x` and `out` may be one buffer, so a row is read and written
    // through the slice that it is written through.
    unsafe {
        let (w, b) = (call.slice::<f32>(2, 0, d), call.slice::<f32>(3, 0, d));
        let selected = Selected::of(call, c.select);
        for r in share(selected.len, part, parts) {
            let from = call.bufs[1].ptr.cast::<f32>().add(selected.row(r) * d);
            let y = call.slice_mut::<f32>(4, r * d, d);
            std::ptr::copy(from, y.as_mut_ptr(), d);
            norm::<S>(y, w, b, call.params::<LayerNormParams>().eps);
            store_row(call, 5, r, c.act, store, y);
            if c.stream == Stream::Sum as u32 {
                std::ptr::copy(from, y.as_mut_ptr(), d);
            }
        }
    }
}

/// Writes row `r` of the output in an activation format.
///
/// # Safety
/// Binding `binding` is such an output and this part owns the row.
pub(crate) unsafe fn store_row(
    call: &Call<'_>,
    binding: usize,
    r: usize,
    act: u32,
    store: StoreFn,
    y: &[f32],
) {
    let Some(format) = ActFormat::from_word(act) else { return };
    let row = act::cpu::Row { call, binding, format, row: r, k: y.len() };
    // SAFETY: the caller's promise.
    unsafe { store(format, row.bytes(0..y.len()), 0, y) }
}

/// The norm, in place.
///
/// # Safety
/// The machine has the lanes' level. The slices have one length.
#[inline(always)]
pub(crate) unsafe fn norm<S: Lanes>(y: &mut [f32], w: &[f32], b: &[f32], eps: f32) {
    let n = y.len();
    // SAFETY: loads and stores of 16 values lie inside, up to `whole`.
    unsafe {
        let mean = sum::<S>(y, |v| v) / n as f32;
        for v in y.iter_mut() {
            *v -= mean;
        }
        let inverse = 1.0 / (sum::<S>(y, |v| v.mul(v)) / n as f32 + eps).sqrt();
        let whole = n / 16 * 16;
        for i in (0..whole).step_by(16) {
            let v = S::load(y.as_ptr().add(i)).mul(S::splat(inverse));
            let v = v.mul(S::load(w.as_ptr().add(i))).add(S::load(b.as_ptr().add(i)));
            v.store(y.as_mut_ptr().add(i));
        }
        for i in whole..n {
            y[i] = y[i] * inverse * w[i] + b[i];
        }
    }
}

/// The sum of a function of the values, in four vectors of partial sums, so that additions do not wait for each other.
///
/// # Safety
/// The machine has the lanes' level.
#[inline(always)]
unsafe fn sum<S: Lanes>(x: &[f32], of: impl Fn(S) -> S) -> f32 {
    let (chunks, rest) = x.as_chunks::<16>();
    let mut last = [0f32; 16];
    last[..rest.len()].copy_from_slice(rest);
    // SAFETY: each load is of 16 values.
    unsafe {
        let mut s = [S::splat(0.0); 4];
        for (i, c) in chunks.iter().enumerate() {
            s[i % 4] = s[i % 4].add(of(S::load(c.as_ptr())));
        }
        s[3] = s[3].add(of(S::load(last.as_ptr())));
        s[0].add(s[2]).add(s[1].add(s[3])).reduce_add()
    }
}
