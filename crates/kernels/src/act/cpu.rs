//! The activation store for each instruction level: intrinsics for `q8`, the plain twin compiled for the level for
//! the other formats.

use super::{ActFormat, store};
#[cfg(target_arch = "x86_64")]
use super::{Q8Block, cpu_x86, store_inline};
use crate::cpu::Level;

/// [`store`] for a level; equal to it bit for bit.
pub fn store_fn(level: Level) -> unsafe fn(ActFormat, &mut [u8], usize, usize, &[f32]) {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::AvxVnni => avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Bf16 => avx512,
        // Every aarch64 has NEON, so there the twin is compiled for it anyway.
        _ => store,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2(format: ActFormat, row: &mut [u8], k: usize, from: usize, x: &[f32]) {
    if format == ActFormat::Q8 {
        return cpu_x86::blocks_avx2(&mut row[from / 32 * size_of::<Q8Block>()..], x);
    }
    store_inline(format, row, k, from, x);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
fn avx512(format: ActFormat, row: &mut [u8], k: usize, from: usize, x: &[f32]) {
    if format == ActFormat::Q8 {
        return cpu_x86::blocks_avx512(&mut row[from / 32 * size_of::<Q8Block>()..], x);
    }
    store_inline(format, row, k, from, x);
}
