//! The CPU versions: the tile kernels of `matmul`, one slot at a time.

use super::{ExpertMatmulConsts, Input, reference};
use crate::act::ActFormat;
use crate::cpu::{Call, CpuFn, Level, share};
use crate::dtype::rows16;
use crate::dtype::{DType, Layout};
use crate::matmul::cpu::{Driver, Packed, pick};
use crate::matmul::cpu_tile::{LANES, MAX_OUT, Out, Tile, Version, shape};
use crate::route::Choice;
use std::mem::MaybeUninit;

/// The version for a level; the twin where rows of an expert are no whole tiles.
pub(super) fn select(level: Level, c: &ExpertMatmulConsts) -> Option<CpuFn> {
    // Matrix units have no versions for a slot at a time.
    if level != Level::Reference
        && matches!(ActFormat::from_word(c.act)?, ActFormat::Bf16 | ActFormat::Bf16Pair)
    {
        return None;
    }
    let tiled = pick::<Experts>(level, c.dtype, c.act, c.layout, c.k)?;
    Some(tiled.filter(|_| (c.n as usize).is_multiple_of(LANES)).unwrap_or(reference::run))
}

struct Experts;

impl Driver for Experts {
    fn with<V: Version>() -> CpuFn {
        experts_with::<V>
    }
}

/// Products of slots with their experts' matrices. A tile is multiplied with all slots that have its expert while it is
/// in the first-level cache; slots lie apart, so each is a step of its own.
///
/// # Safety
/// As [`CpuFn`], for the contract of `expert_matmul`, with weights in [`Layout::Rows16`], or in [`Layout::Native`] where
/// [`crate::matmul::packs_on_the_way`], whole tiles for each expert, and the version's formats.
unsafe fn experts_with<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    let c: ExpertMatmulConsts = call.consts();
    // SAFETY: the caller's promise.
    unsafe {
        match Layout::from_word(c.layout) {
            Layout::Native => experts_packed_on_the_way::<V>(call, part, parts),
            _ => experts_from::<V>(call, part, parts, None),
        }
    }
}

/// [`experts_from`] with memory for packed tiles. Not inlined: its stack is large.
///
/// # Safety
/// As [`experts_with`], for [`Layout::Native`].
#[inline(never)]
unsafe fn experts_packed_on_the_way<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    let c: ExpertMatmulConsts = call.consts();
    let Some(dt) = DType::from_ggml(c.dtype) else { return };
    let mut memory = MaybeUninit::<Packed>::uninit();
    // SAFETY: a tile fits, or this version would not have been picked.
    unsafe {
        let packed = Packed::tiles(memory.as_mut_ptr(), rows16::tile_bytes(dt, c.k as usize));
        experts_from::<V>(call, part, parts, Some(packed));
    }
}

/// # Safety
/// As [`experts_with`]; `packed` is there where weights are native, and whole tiles.
#[inline(always)]
unsafe fn experts_from<V: Version>(call: &Call<'_>, part: u32, parts: u32, mut packed: Option<&mut [u8]>) {
    let c: ExpertMatmulConsts = call.consts();
    let (k, tiles) = (c.k as usize, c.n as usize / LANES);
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let (w_stride, x_stride) = (rows16::tile_bytes(dt, k), fmt.row_bytes(k));
    let (subs_log2, word) = shape(dt);
    let Some(step) = V::FEW.steps.last() else { return };
    // SAFETY: bindings by the contract.
    let (slots, routes) = unsafe {
        let slots = call.step(0).header().rows as usize * c.used as usize;
        (slots, call.slice::<Choice>(1, 0, slots))
    };
    let most = packed.as_ref().map_or(usize::MAX, |p| p.len() / w_stride);
    let mut out = Out([0.0; MAX_OUT]);
    for expert in 0..c.experts {
        if !routes.iter().any(|r| r.expert == expert) {
            continue;
        }
        let mine = share(tiles, part, parts);
        let mut t = mine.start;
        while t < mine.end {
            let wide = mine.end - t >= V::FEW.tiles && V::FEW.tiles <= most;
            let count = if wide { V::FEW.tiles } else { 1 };
            let tile = expert as usize * tiles + t;
            let w = match &mut packed {
                // SAFETY: the expert's tiles are inside the binding by the contract.
                None => unsafe { call.bufs[3].ptr.add(tile * w_stride).cast_const() },
                Some(packed) => {
                    let (rows, rb) = (count * LANES, dt.row_bytes(k as u64) as usize);
                    // SAFETY: as above.
                    let native = unsafe { call.slice::<u8>(3, tile * LANES * rb, rows * rb) };
                    rows16::pack(dt, native, rows, k, packed);
                    packed.as_ptr()
                }
            };
            for slot in (0..slots).filter(|s| routes[*s].expert == expert) {
                let input = if c.input == Input::Slot as u32 { slot } else { slot / c.used as usize };
                let at = slot * c.out_stride as usize + c.out_col as usize + t * LANES;
                // SAFETY: the expert's tiles and the slot's input are inside the bindings by the contract; the columns
                // of these tiles belong to this part alone.
                unsafe {
                    let tile = Tile {
                        w,
                        w_stride,
                        x: call.bufs[2].ptr.add(input * x_stride),
                        x_stride,
                        k,
                        subs_log2,
                        word,
                        out: out.0.as_mut_ptr(),
                    };
                    (if wide { step.wide } else { step.one })(&tile);
                    let to = call.bufs[4].ptr.cast::<f32>().add(at);
                    std::ptr::copy_nonoverlapping(out.0.as_ptr(), to, count * LANES);
                }
            }
            t += count;
        }
    }
}
