//! The CPU versions of `matmul` and `matmul_add`: one driver, and tile kernels per instruction level.
//!
//! A tile kernel multiplies a few activation rows with one or more tiles of 16 weight rows over the whole of k.
//! Each output is accumulated in one lane, in the order of k, whatever the number of rows and tiles: so a row's
//! result never depends on its neighbours.

use super::{MatmulConsts, active_rows, cpu_portable, reference};
#[cfg(target_arch = "x86_64")]
use super::{cpu_avx2, cpu_avx512};
use crate::act::ActFormat;
use crate::cpu::{Call, CpuFn, Level, share};
use crate::dtype::{DType, Layout, rows16};

/// Output columns of a tile.
pub(super) const LANES: usize = 16;
/// Most outputs of one call of a tile kernel.
const MAX_OUT: usize = 512;
/// Activation bytes that one pass over the weights keeps in the second-level cache.
const CACHED_X: usize = 1 << 20;
/// Rows of a pass at least, so that weights are not read too often where rows are long.
const PASS_ROWS: usize = 96;

/// What a tile kernel works on.
pub(super) struct Tile {
    /// The first tile's weights.
    pub(super) w: *const u8,
    /// Bytes from one tile to the next.
    pub(super) w_stride: usize,
    /// The first activation row.
    pub(super) x: *const u8,
    /// Bytes from one activation row to the next.
    pub(super) x_stride: usize,
    /// Columns.
    pub(super) k: usize,
    /// `[rows][tiles * 16]` results, aligned to 64 bytes.
    pub(super) out: *mut f32,
}

/// A kernel for a fixed number of rows and tiles.
///
/// # Safety
/// The tile's pointers are valid for that many rows and tiles of the kernel's formats, and the machine has the
/// kernel's instruction level.
pub(super) type TileFn = unsafe fn(&Tile);

/// Kernels for one number of rows.
pub(super) struct Step {
    /// Activation rows at a time.
    pub(super) rows: usize,
    /// One tile.
    pub(super) one: TileFn,
    /// The ladder's number of tiles.
    pub(super) wide: TileFn,
}

/// Kernels by falling number of rows; the last is for one row.
pub(super) struct Ladder {
    /// Tiles of [`Step::wide`].
    pub(super) tiles: usize,
    /// The steps.
    pub(super) steps: &'static [Step],
}

/// The kernels of one weight format at one level.
pub(super) trait Version {
    /// For up to as many rows as its first step has.
    const FEW: Ladder;
    /// For more rows.
    const MANY: Ladder;
}

/// A ladder from a generic kernel `f::<D, TILES, ROWS>`.
macro_rules! ladder {
    ($f:ident, $d:expr, $tiles:literal, [$($rows:literal),*]) => {
        $crate::matmul::cpu::Ladder {
            tiles: $tiles,
            steps: &[$($crate::matmul::cpu::Step { rows: $rows, one: $f::<{ $d }, 1, $rows>, wide: $f::<{ $d }, $tiles, $rows> }),*],
        }
    };
}
pub(super) use ladder;

/// `out = x w^T`.
unsafe fn store_with<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<V>(call, part, parts, None) }
}

/// `out = residual + x w^T`, with the residual at binding 3.
unsafe fn add_with<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<V>(call, part, parts, Some(3)) }
}

#[repr(align(64))]
struct Out([f32; MAX_OUT]);

/// # Safety
/// As [`CpuFn`], for the contract of `matmul` (or `matmul_add`, given the residual's binding), with weights in
/// [`Layout::Rows16`] and the version's formats.
unsafe fn run<V: Version>(call: &Call<'_>, part: u32, parts: u32, residual: Option<usize>) {
    let c: MatmulConsts = call.consts();
    let (k, n) = (c.k as usize, c.n as usize);
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let (w_stride, x_stride) = (rows16::tile_bytes(dt, k), fmt.row_bytes(k));
    // SAFETY: binding 0 is the step block by the contract.
    let rows = unsafe { active_rows(call, c.select) };
    let tiles = share(n.div_ceil(LANES), part, parts);
    let ladder = if rows <= V::FEW.steps[0].rows { V::FEW } else { V::MANY };
    let top = ladder.steps[0].rows;
    let pass = (CACHED_X / x_stride).max(PASS_ROWS) / top * top;
    let mut out = Out([0.0; MAX_OUT]);
    for first in (0..rows).step_by(pass) {
        let end = rows.min(first + pass);
        let mut t = tiles.start;
        while t < tiles.end {
            let wide = tiles.end - t >= ladder.tiles;
            let count = if wide { ladder.tiles } else { 1 };
            let mut r = first;
            while r < end {
                let Some(step) = ladder.steps.iter().find(|s| s.rows <= end - r) else { break };
                // SAFETY: tile t and row r are inside the bindings by the contract; `out` holds the largest
                // step's results; columns of these tiles belong to this part alone.
                unsafe {
                    let tile = Tile {
                        w: call.bufs[2].ptr.add(t * w_stride),
                        w_stride,
                        x: call.bufs[1].ptr.add(r * x_stride),
                        x_stride,
                        k,
                        out: out.0.as_mut_ptr(),
                    };
                    (if wide { step.wide } else { step.one })(&tile);
                    put(call, &c, residual, r, step.rows, t * LANES, count * LANES, &out.0);
                }
                r += step.rows;
            }
            t += count;
        }
    }
}

/// Stores `rows` x `cols` results at (row, column), leaving out columns past n.
///
/// # Safety
/// As [`run`]; the rows and columns belong to this part.
unsafe fn put(
    call: &Call<'_>,
    c: &MatmulConsts,
    residual: Option<usize>,
    row: usize,
    rows: usize,
    col: usize,
    cols: usize,
    out: &[f32],
) {
    let keep = cols.min(c.n as usize - col);
    for (i, src) in out.chunks_exact(cols).take(rows).enumerate() {
        let at = (row + i) * c.out_stride as usize + c.out_col as usize + col;
        // SAFETY: the range is inside the binding by the contract and belongs to this part. The residual may be
        // the output itself, so each value is read before it is written and no slices are held.
        unsafe {
            let dst = call.bufs[call.bufs.len() - 1].ptr.cast::<f32>().add(at);
            match residual {
                None => std::ptr::copy_nonoverlapping(src.as_ptr(), dst, keep),
                Some(b) => {
                    let base = call.bufs[b].ptr.cast::<f32>().add(at);
                    for j in 0..keep {
                        *dst.add(j) = *base.add(j) + src[j];
                    }
                }
            }
        }
    }
}

/// The version that stores.
pub fn store(level: Level, c: &MatmulConsts) -> Option<CpuFn> {
    Some(pick(level, c)?.0)
}

/// The version that adds a residual.
pub fn add(level: Level, c: &MatmulConsts) -> Option<CpuFn> {
    Some(pick(level, c)?.1)
}

const fn pair<V: Version>() -> (CpuFn, CpuFn) {
    (store_with::<V>, add_with::<V>)
}

/// The storing and the adding version for constants.
fn pick(level: Level, c: &MatmulConsts) -> Option<(CpuFn, CpuFn)> {
    use DType::{Bf16, F16, F32, Q4_0, Q4_1, Q6K, Q8_0};
    let (dt, fmt) = (DType::from_ggml(c.dtype)?, ActFormat::from_word(c.act)?);
    if level == Level::Reference || Layout::from_word(c.layout) != Layout::Rows16 {
        return Some((reference::store, reference::add));
    }
    macro_rules! versions {
        ($m:ident) => {
            match (dt, fmt) {
                (F32, ActFormat::F32) => pair::<$m::Float<{ F32 as u32 }>>(),
                (F16, ActFormat::F32) => pair::<$m::Float<{ F16 as u32 }>>(),
                (Bf16, ActFormat::F32) => pair::<$m::Float<{ Bf16 as u32 }>>(),
                (Q4_0, ActFormat::Q8) => pair::<$m::Quant<{ Q4_0 as u32 }>>(),
                (Q4_1, ActFormat::Q8) => pair::<$m::Quant<{ Q4_1 as u32 }>>(),
                (Q8_0, ActFormat::Q8) => pair::<$m::Quant<{ Q8_0 as u32 }>>(),
                (Q6K, ActFormat::Q8) => pair::<$m::Quant<{ Q6K as u32 }>>(),
                (Q4_0, ActFormat::F32) => pair::<$m::Wide<{ Q4_0 as u32 }>>(),
                (Q4_1, ActFormat::F32) => pair::<$m::Wide<{ Q4_1 as u32 }>>(),
                (Q8_0, ActFormat::F32) => pair::<$m::Wide<{ Q8_0 as u32 }>>(),
                (Q6K, ActFormat::F32) => pair::<$m::Wide<{ Q6K as u32 }>>(),
                _ => return None,
            }
        };
    }
    Some(match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Bf16 => versions!(cpu_avx512),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => versions!(cpu_avx2),
        _ => versions!(cpu_portable),
    })
}
