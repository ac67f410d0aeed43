//! The plain twin with each level's store: what is left is bound by memory.

use super::{run, run_with};
use crate::act::cpu::store_fn;
use crate::cpu::{Call, CpuFn, Level};

/// The version for a level.
pub(super) fn select(level: Level) -> CpuFn {
    match level.base() {
        Level::Avx512 => avx512,
        Level::Avx2 => avx2,
        _ => run,
    }
}

/// # Safety
/// As [`CpuFn`], for `unfold`'s contract.
unsafe fn avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run_with(call, part, parts, store_fn(Level::Avx512)) }
}

/// # Safety
/// As [`CpuFn`], for `unfold`'s contract.
unsafe fn avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise; the level was chosen for this machine.
    unsafe { run_with(call, part, parts, store_fn(Level::Avx2)) }
}
