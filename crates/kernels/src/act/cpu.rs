//! The activation store for each instruction level: intrinsics for `q8`, `q8paired`, `q8quads` and the formats of matrix units, the plain twin compiled for the level for
//! the other formats.

use super::{ActFormat, store};
#[cfg(target_arch = "x86_64")]
use super::{Q8Block, Q8PairedBlock, Q8QuadsBlock, cpu_x86, store_inline};
use crate::cpu::{Call, Level};
use std::ops::Range;

/// [`store`], or what equals it.
pub type StoreFn = unsafe fn(ActFormat, &mut [u8], usize, &[f32]);

/// [`store`] for a level; equal to it bit for bit.
pub fn store_fn(level: Level) -> StoreFn {
    match level.base() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512,
        // Every aarch64 has NEON, so there the twin is compiled for it anyway.
        _ => store,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(format: ActFormat, row: &mut [u8], from: usize, x: &[f32]) {
    match format {
        ActFormat::Q8 => cpu_x86::blocks_avx2(&mut row[from / 32 * size_of::<Q8Block>()..], x),
        ActFormat::Q8Paired => {
            cpu_x86::paired_avx2(&mut row[from / 32 * size_of::<Q8PairedBlock>()..], x);
        }
        ActFormat::Q8Quads => {
            cpu_x86::quads_avx2(&mut row[from / 32 * size_of::<Q8QuadsBlock>()..], x);
        }
        _ => store_inline(format, row, from, x),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
fn avx512(format: ActFormat, row: &mut [u8], from: usize, x: &[f32]) {
    match format {
        ActFormat::Q8 => cpu_x86::blocks_avx512(&mut row[from / 32 * size_of::<Q8Block>()..], x),
        ActFormat::Bf16 => cpu_x86::bf16_avx512(&mut row[from * 2..], x),
        ActFormat::Bf16Pair => cpu_x86::pairs_avx512(&mut row[from * 4..], x),
        _ => store_inline(format, row, from, x),
    }
}

/// A row of a binding in a format, whose values several parts write.
pub(crate) struct Row<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) binding: usize,
    pub(crate) format: ActFormat,
    pub(crate) row: usize,
    /// Values of a row.
    pub(crate) k: usize,
}

impl<'a> Row<'a> {
    /// The bytes of some values and of no others: other parts write theirs at the same time.
    ///
    /// # Safety
    /// The row is inside the binding, the values are whole blocks of the format (which the contract checks of a head),
    /// and no other part has one of them.
    pub(crate) unsafe fn bytes(&self, values: Range<usize>) -> &'a mut [u8] {
        let at = self.row * self.format.row_bytes(self.k) + self.format.bytes(values.start);
        // SAFETY: the caller's promise.
        unsafe { self.call.slice_mut(self.binding, at, self.format.bytes(values.len())) }
    }
}
