//! The sum, and the norm of `layer_norm`, at every level in the same order.

use crate::act::cpu::{StoreFn, store_fn};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::layer_norm::cpu::{levels, norm, store_row};
use crate::layer_norm::{LayerNormConsts, LayerNormParams};
use crate::simd::{self, Lanes};

levels!(run);

/// # Safety
/// As [`CpuFn`], for `layer_norm_add`'s contract, with the lanes' level.
#[inline(always)]
unsafe fn run<S: Lanes>(call: &Call<'_>, part: u32, parts: u32, store: StoreFn) {
    let c: LayerNormConsts = call.consts();
    let d = c.d as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows. `residual` and `out` may be one buffer, so a row is read and written
    // through the slice that it is written through.
    unsafe {
        let [plus, w, b] = [2, 3, 4].map(|i| call.slice::<f32>(i, 0, d));
        for r in share(call.step(0).header().rows as usize, part, parts) {
            let from = call.bufs[5].ptr.cast::<f32>().add(r * d);
            let y = call.slice_mut::<f32>(6, r * d, d);
            std::ptr::copy(from, y.as_mut_ptr(), d);
            let x = call.slice::<f32>(1, r * d, d);
            for i in 0..d {
                y[i] += x[i] + plus[i];
            }
            norm::<S>(y, w, b, call.params::<LayerNormParams>().eps);
            store_row(call, 7, r, c.act, store, y);
        }
    }
}
