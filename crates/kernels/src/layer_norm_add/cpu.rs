//! The sum, and the norm of `layer_norm`, at every level in the same order.

use crate::act::cpu::{StoreFn, store_fn};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::layer_norm::cpu::{levels, norm, store_row};
use crate::layer_norm::{LayerNormConsts, LayerNormParams, Stream};
use crate::rms_norm::Selected;
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
        let selected = Selected::of(call, c.select);
        for r in share(selected.len, part, parts) {
            let row = selected.row(r);
            let from = call.bufs[5].ptr.cast::<f32>().add(row * d);
            let x = call.slice::<f32>(1, row * d, d);
            let y = call.slice_mut::<f32>(6, r * d, d);
            let sum = |y: &mut [f32]| {
                std::ptr::copy(from, y.as_mut_ptr(), d);
                for i in 0..d {
                    y[i] += x[i] + plus[i];
                }
            };
            sum(y);
            norm::<S>(y, w, b, call.params::<LayerNormParams>().eps);
            store_row(call, 7, r, c.act, store, y);
            // (Once more, and not kept: the norm is made where the row is.)
            if c.stream == Stream::Sum as u32 {
                sum(y);
            }
        }
    }
}
