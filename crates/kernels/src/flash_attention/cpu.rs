//! The CPU versions: many queries at a time over fixed blocks of positions (`cpu_tile.rs`), and which of those a level has.

use super::AttentionConsts;
use super::cpu_lanes::InLanes;
use super::cpu_tile::{MAX_DIM, Schedule, run};
#[cfg(target_arch = "x86_64")]
use super::cpu_units::OnUnit;
#[cfg(target_arch = "x86_64")]
use super::cpu_words::InWords;
use crate::act;
#[cfg(target_arch = "x86_64")]
use crate::act::ActFormat;
use crate::cpu::{Call, CpuFn, Level};
#[cfg(target_arch = "x86_64")]
use crate::matrix_unit::{Amx, Emulated};
use crate::simd;
#[cfg(target_arch = "x86_64")]
use crate::simd_words::{Avx2Words, Vnni256Words, Vnni512Words};
#[cfg(target_arch = "x86_64")]
use crate::target::{FEW_ROWS, cpu_attention_in_words};

/// The version for a level with a schedule; none for heads that are no multiple of 16 wide, or wider than 256.
pub(crate) fn select<W: Schedule>(level: Level, c: &AttentionConsts) -> Option<CpuFn> {
    if !c.head_dim.is_multiple_of(16) || c.head_dim as usize > MAX_DIM {
        return None;
    }
    #[cfg(target_arch = "x86_64")]
    if c.max_rows > FEW_ROWS {
        // What is rounded to one bf16 for the next product is gathered from such.
        match (level, c.act == ActFormat::Bf16 as u32) {
            (Level::Amx, true) => return Some(amx::<W, 1>),
            (Level::Amx, false) => return Some(amx::<W, 2>),
            (Level::AmxEmulated, true) => return Some(amx_emulated::<W, 1>),
            (Level::AmxEmulated, false) => return Some(amx_emulated::<W, 2>),
            _ => {}
        }
        if ActFormat::from_word(c.act).is_some_and(|act| cpu_attention_in_words(level, act))
            && let Some(words) = words::<W>(level)
        {
            return Some(words);
        }
    }
    Some(match level.base() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::<W>,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => avx512::<W>,
        #[cfg(target_arch = "aarch64")]
        Level::Neon => neon::<W>,
        _ => portable::<W>,
    })
}

/// The version in 16-bit integers.
#[cfg(target_arch = "x86_64")]
pub(super) fn words<W: Schedule>(level: Level) -> Option<CpuFn> {
    match level {
        Level::Avx2 => Some(words_avx2::<W>),
        Level::AvxVnni => Some(words_vnni256::<W>),
        Level::Avx512 | Level::Avx512Bf16 => Some(words_vnni512::<W>),
        _ => None,
    }
}

/// # Safety
/// As [`CpuFn`], for the contract of the schedule's operation, whose first bindings are `attention`'s.
unsafe fn portable<W: Schedule>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, InLanes<simd::Plain, 4, 2, 1>>(call, part, parts, act::cpu::store_fn(Level::Portable)) }
}

/// # Safety
/// As [`portable`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2<W: Schedule>(call: &Call<'_>, part: u32, parts: u32) {
    // Six rows of two registers: eight sums would be just as many as hide the latency of a multiply-add, with none to spare.
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, InLanes<simd::Avx2, 6, 2, 1>>(call, part, parts, act::cpu::store_fn(Level::Avx2)) }
}

/// # Safety
/// As [`portable`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
unsafe fn avx512<W: Schedule>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, InLanes<simd::Avx512, 8, 4, 2>>(call, part, parts, act::cpu::store_fn(Level::Avx512)) }
}

/// # Safety
/// As [`portable`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn words_avx2<W: Schedule>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, InWords<Avx2Words, 6, 2, 1>>(call, part, parts, act::cpu::store_fn(Level::Avx2)) }
}

/// # Safety
/// As [`portable`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,avxvnni")]
unsafe fn words_vnni256<W: Schedule>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, InWords<Vnni256Words, 6, 2, 1>>(call, part, parts, act::cpu::store_fn(Level::AvxVnni)) }
}

/// # Safety
/// As [`portable`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")]
unsafe fn words_vnni512<W: Schedule>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, InWords<Vnni512Words, 8, 4, 2>>(call, part, parts, act::cpu::store_fn(Level::Avx512)) }
}

/// # Safety
/// As [`portable`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma,f16c")]
unsafe fn amx<W: Schedule, const N: usize>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, OnUnit<Amx, N>>(call, part, parts, act::cpu::store_fn(Level::Amx)) }
}

/// # Safety
/// As [`portable`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2,fma,f16c")]
unsafe fn amx_emulated<W: Schedule, const N: usize>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, OnUnit<Emulated, N>>(call, part, parts, act::cpu::store_fn(Level::Amx)) }
}

/// # Safety
/// As [`portable`].
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon<W: Schedule>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<W, InLanes<simd::Neon, 4, 2, 1>>(call, part, parts, act::cpu::store_fn(Level::Neon)) }
}
