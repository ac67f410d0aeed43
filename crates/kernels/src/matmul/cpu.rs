//! The CPU versions of `matmul` and `matmul_add`, which drive tile kernels (`cpu_tile.rs`), and which of those a format has.

#[cfg(target_arch = "x86_64")]
use super::cpu_rows::{MOST_ROWS, few_gates};
use super::cpu_rows::{few, in_panels, many};
#[cfg(target_arch = "x86_64")]
use super::cpu_tile::{Gated, Heads};
use super::cpu_tile::{Job, LANES, Many, PANEL_TILES, Version, by_form, shape};
#[cfg(target_arch = "x86_64")]
pub(crate) use super::cpu_units::WIDEST;
use super::{Epilogue, MatmulConsts, UNIT_ROWS, active_rows, cpu_portable, reference};
#[cfg(target_arch = "x86_64")]
use super::{cpu_avx2, cpu_avx512, cpu_bytes256, cpu_paired256, cpu_quads256, cpu_units, cpu_vnni256};
#[cfg(target_arch = "aarch64")]
use super::{cpu_neon, cpu_neon_i8mm};
use crate::act::ActFormat;
use crate::cpu::{Call, CpuFn, Level, share};
use crate::dtype::rows16::{self, Codes, Scales};
use crate::dtype::{DType, Layout};
#[cfg(target_arch = "x86_64")]
use crate::target::{self, CPU_UNITS_K};
use std::mem::MaybeUninit;
use std::ops::Range;

/// `out = x w^T`.
unsafe fn store_with<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<V>(call, part, parts, Epilogue::STORE) }
}

/// `out = residual + x w^T`.
unsafe fn add_with<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<V>(call, part, parts, Epilogue::ADD) }
}

/// Products of some rows and tiles.
type Products = unsafe fn(&Job<'_>, Range<usize>, Range<usize>);

/// # Safety
/// As [`CpuFn`], for the contract of `matmul` (or `matmul_add`, by the epilogue), with weights in
/// [`Layout::Rows16`], or in [`Layout::Native`] where [`packs_on_the_way`], and the version's formats.
unsafe fn run<V: Version>(call: &Call<'_>, part: u32, parts: u32, epilogue: Epilogue) {
    let c: MatmulConsts = call.consts();
    let (k, n) = (c.k as usize, c.n as usize);
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let (w_stride, x_stride) = (rows16::tile_bytes(dt, k), fmt.row_bytes(k));
    let (subs_log2, word) = shape(dt);
    // SAFETY: binding 0 is the step block by the contract.
    let rows = unsafe { active_rows(call, c.select) };
    let w = call.bufs[2].ptr;
    let job =
        Job { call, c, w, first: 0, epilogue, w_stride, x_stride, subs_log2, word, gated: None, heads: None };
    let tiles = n.div_ceil(LANES);
    let (products, tiles, rows): (Products, _, _) = if rows <= V::FEW_ROWS {
        (few_with::<V>, share(tiles, part, parts), 0..rows)
    } else {
        let (tiles, rows) = match V::MANY {
            #[cfg(target_arch = "x86_64")]
            Many::Units(_) => cpu_units::cut(tiles, 2, rows, x_stride, part, parts),
            _ => split(tiles, rows, part, parts),
        };
        (many_with::<V>, tiles, rows)
    };
    // SAFETY: tiles and rows are inside the bindings; each part has its own, by `share` and `split`.
    unsafe {
        match Layout::from_word(c.layout) {
            Layout::Native => packed_on_the_way(&job, dt, rows, tiles, products),
            _ => products(&job, rows, tiles),
        }
    }
}

/// Few rows by a version.
///
/// # Safety
/// As [`run`]; rows and tiles are this part's own.
unsafe fn few_with<V: Version>(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { few(job, &V::FEW, rows, tiles) }
}

/// Many rows by a version.
///
/// # Safety
/// As [`run`]; rows and tiles are this part's own.
unsafe fn many_with<V: Version>(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe {
        match V::MANY {
            Many::Tiles(ladder) => many(job, &ladder, rows, tiles),
            Many::Panels(panels) => in_panels(job, &panels, rows, tiles),
            #[cfg(target_arch = "x86_64")]
            Many::Own(products) | Many::Units(products) => products(job, rows, tiles),
        }
    }
}

/// Bytes of a worker's stack for tiles that are packed on the way to a product.
const PACKED: usize = 1 << 20;
/// Most tiles that are packed at once; their weights stay in the second-level cache.
const PACKED_TILES: usize = 8;

/// Whether products take weights of this format and width as the file has them, in [`Layout::Native`], and pack each tile
/// when they come to it: slower than packed weights, and the same bits.
pub fn packs_on_the_way(dt: DType, k: usize) -> bool {
    rows16::tile_bytes(dt, k) <= PACKED
}

/// A worker's memory for packed tiles.
#[repr(C, align(64))]
pub(crate) struct Packed([u8; PACKED]);

impl Packed {
    /// The start of it, for whole tiles.
    ///
    /// # Safety
    /// `this` is valid for writes, and a tile fits.
    pub(crate) unsafe fn tiles<'a>(this: *mut Self, tile: usize) -> &'a mut [u8] {
        let bytes = (PACKED / tile).min(PACKED_TILES) * tile;
        // SAFETY: as many bytes are there; they are set before the slice is made.
        unsafe {
            this.cast::<u8>().write_bytes(0, bytes);
            std::slice::from_raw_parts_mut(this.cast(), bytes)
        }
    }
}

/// Products with weights in [`Layout::Native`]: a few tiles are packed, then multiplied with all rows. Not inlined: its
/// stack is large.
///
/// # Safety
/// As [`run`]; rows and tiles are this part's own.
#[inline(never)]
unsafe fn packed_on_the_way(
    job: &Job<'_>,
    dt: DType,
    rows: Range<usize>,
    tiles: Range<usize>,
    products: Products,
) {
    if rows.is_empty() || tiles.is_empty() {
        return;
    }
    let (k, n) = (job.c.k as usize, job.c.n as usize);
    let row_bytes = dt.row_bytes(k as u64) as usize;
    let mut memory = MaybeUninit::<Packed>::uninit();
    // SAFETY: a tile fits, or this version would not have been picked.
    let packed = unsafe { Packed::tiles(memory.as_mut_ptr(), job.w_stride) };
    let at_once = packed.len() / job.w_stride;
    for t in tiles.clone().step_by(at_once) {
        let end = tiles.end.min(t + at_once);
        let own = t * LANES..n.min(end * LANES);
        // SAFETY: the rows are inside the binding; the tiles packed are those multiplied.
        unsafe {
            let native = job.call.slice::<u8>(2, own.start * row_bytes, own.len() * row_bytes);
            rows16::pack(dt, native, own.len(), k, packed);
            products(&Job { w: packed.as_ptr(), first: t, ..*job }, rows.clone(), t..end);
        }
    }
}

/// A part's tiles and rows of a product of many rows: cut by tiles where there are enough for all parts, by rows too
/// where there are not. Parts that are left over have none.
fn split(tiles: usize, rows: usize, part: u32, parts: u32) -> (Range<usize>, Range<usize>) {
    const ROWS: usize = UNIT_ROWS as usize;
    let longest = |by_rows: u32| {
        let (groups, most) = (parts / by_rows, rows.div_ceil(ROWS).div_ceil(by_rows as usize));
        tiles.div_ceil(PANEL_TILES).div_ceil(groups as usize) * most
    };
    let by_rows = (1..=parts.min(rows.div_ceil(ROWS) as u32)).min_by_key(|r| longest(*r)).unwrap_or(1);
    let by_tiles = parts / by_rows;
    if part >= by_tiles * by_rows {
        return (0..0, 0..0);
    }
    let blocks = share(rows.div_ceil(ROWS), part / by_tiles, by_rows);
    (share(tiles, part % by_tiles, by_tiles), blocks.start * ROWS..rows.min(blocks.end * ROWS))
}

/// A kind of product that works by tile kernels.
pub(crate) trait Driver {
    /// Its function for a version.
    fn with<V: Version>() -> CpuFn;
}

struct Store;

impl Driver for Store {
    fn with<V: Version>() -> CpuFn {
        store_with::<V>
    }
}

struct Add;

impl Driver for Add {
    fn with<V: Version>() -> CpuFn {
        add_with::<V>
    }
}

/// The version that stores.
pub(crate) fn store(level: Level, c: &MatmulConsts) -> Option<CpuFn> {
    Some(pick::<Store>(level, c.dtype, c.act, c.layout, c.k)?.unwrap_or(reference::store))
}

/// The version that adds a residual.
pub(crate) fn add(level: Level, c: &MatmulConsts) -> Option<CpuFn> {
    Some(pick::<Add>(level, c.dtype, c.act, c.layout, c.k)?.unwrap_or(reference::add))
}

/// A driver's function for constants: `Some(None)` where the twin does it, `None` where nothing does.
pub(crate) fn pick<D: Driver>(
    level: Level,
    dtype: u32,
    act: u32,
    layout: u32,
    k: u32,
) -> Option<Option<CpuFn>> {
    use DType::{Bf16, F16, F32, Mxfp8};
    let (dt, fmt) = (DType::from_ggml(dtype)?, ActFormat::from_word(act)?);
    let tiled = match Layout::from_word(layout) {
        Layout::Rows16 => true,
        Layout::Native => packs_on_the_way(dt, k as usize),
        Layout::Planes | Layout::Staged => false,
    };
    if level == Level::Reference || !tiled {
        return Some(None);
    }
    macro_rules! versions {
        ($m:ident, $q8:ident::$quant:ident $(, $q16m:ident::$q16:ident)?) => {
            match (rows16::form(dt), dt, fmt) {
                (Some(form), _, ActFormat::Q8) => by_form!(form, D, $q8::$quant),
                (Some(form), _, ActFormat::F32) => by_form!(form, D, $m::Wide),
                $((Some(form), _, ActFormat::Q16) => by_form!(form, D, $q16m::$q16),)?
                (None, F32, ActFormat::F32) => D::with::<$m::Float<{ F32 as u32 }>>(),
                (None, F16, ActFormat::F32) => D::with::<$m::Float<{ F16 as u32 }>>(),
                (None, Bf16, ActFormat::F32) => D::with::<$m::Float<{ Bf16 as u32 }>>(),
                (None, Mxfp8, ActFormat::F32) => D::with::<$m::Float<{ Mxfp8 as u32 }>>(),
                _ => return None,
            }
        };
    }
    #[cfg(target_arch = "x86_64")]
    if matches!(fmt, ActFormat::Q8Paired | ActFormat::Q8Quads) {
        let form = rows16::form(dt).filter(|_| target::cpu_many_rule(level, dt) == Some(fmt))?;
        return Some(Some(match fmt {
            ActFormat::Q8Paired => by_form!(form, D, cpu_paired256::Paired),
            _ => by_form!(form, D, cpu_quads256::Quads),
        }));
    }
    #[cfg(target_arch = "x86_64")]
    if matches!(fmt, ActFormat::Bf16 | ActFormat::Bf16Pair) {
        return Some(Some(on_units::<D>(level, dt, fmt, k)?));
    }
    Some(Some(match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Bf16 | Level::Amx | Level::AmxEmulated => {
            versions!(cpu_avx512, cpu_avx512::Quant, cpu_avx512::Quant16)
        }
        #[cfg(target_arch = "x86_64")]
        Level::AvxVnni => versions!(cpu_avx2, cpu_vnni256::Vnni, cpu_vnni256::VnniQ16),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => versions!(cpu_avx2, cpu_bytes256::Avx2, cpu_bytes256::Avx2Q16),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => versions!(cpu_neon, cpu_neon::Quant, cpu_neon::Quant16),
        #[cfg(target_arch = "aarch64")]
        Level::NeonI8mm => versions!(cpu_neon_i8mm, cpu_neon_i8mm::Quant, cpu_neon_i8mm::Quant16),
        _ => versions!(cpu_portable, cpu_portable::Quant),
    }))
}

/// A driver's function on matrix units.
#[cfg(target_arch = "x86_64")]
fn on_units<D: Driver>(level: Level, dt: DType, fmt: ActFormat, k: u32) -> Option<CpuFn> {
    use DType::{Bf16, F16, Mxfp8};
    macro_rules! versions {
        ($m:ident::$quant:ident, $float:ident) => {
            match (rows16::form(dt), dt, fmt) {
                _ if !k.is_multiple_of(CPU_UNITS_K) => return None,
                (Some(form), _, ActFormat::Bf16) => by_form!(form, D, $m::$quant),
                (None, F16, ActFormat::Bf16Pair) => D::with::<$m::$float<{ F16 as u32 }>>(),
                (None, Bf16, ActFormat::Bf16Pair) => D::with::<$m::$float<{ Bf16 as u32 }>>(),
                (None, Mxfp8, ActFormat::Bf16Pair) => D::with::<$m::$float<{ Mxfp8 as u32 }>>(),
                _ => return None,
            }
        };
    }
    Some(match level {
        Level::Amx => versions!(cpu_units::AmxQuant, AmxFloat),
        Level::AmxEmulated => versions!(cpu_units::EmulatedQuant, EmulatedFloat),
        _ => return None,
    })
}

/// Gates and ups of packed weights on matrix units or panels, one of which the inputs are for: `c.n` counts both, which are whole tiles, on panels
/// pairs of them. `None` where they are not.
#[cfg(target_arch = "x86_64")]
pub(crate) fn gates<D: Driver>(level: Level, c: &MatmulConsts, act_out: u32) -> Option<CpuFn> {
    let (dt, fmt) = (DType::from_ggml(c.dtype)?, ActFormat::from_word(c.act)?);
    let (out, f) = (ActFormat::from_word(act_out)?, c.n / 2);
    if !f.is_multiple_of(LANES as u32) || c.layout != Layout::Rows16 as u32 || !f.is_multiple_of(out.block())
    {
        return None;
    }
    if matches!(fmt, ActFormat::Bf16 | ActFormat::Bf16Pair) {
        let stores = matches!(out, ActFormat::F32 | ActFormat::Bf16 | ActFormat::Bf16Pair);
        return on_units::<D>(level, dt, fmt, c.k).filter(|_| stores);
    }
    // What is stored are 32 columns at a time.
    pick::<D>(level, c.dtype, c.act, c.layout, c.k)?.filter(|_| f.is_multiple_of(2 * LANES as u32))
}

/// Gates, ups and the products of what an activation makes of the gates with the ups.
///
/// # Safety
/// As [`CpuFn`], for a contract with the bindings of `matmul`, where [`gates`] has a function.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn gates_with<V: Version>(
    call: &Call<'_>,
    c: MatmulConsts,
    [activation, act_out]: [u32; 2],
    part: u32,
    parts: u32,
) {
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let Some(format) = ActFormat::from_word(act_out) else { return };
    let (k, tiles) = (c.k as usize, c.n as usize / 2 / LANES);
    let (w_stride, x_stride) = (rows16::tile_bytes(dt, k), fmt.row_bytes(k));
    let (subs_log2, word) = shape(dt);
    let gated = Some(Gated { tiles, activation, format });
    let (w, epilogue) = (call.bufs[2].ptr, Epilogue::STORE);
    let job = Job { call, c, w, first: 0, epilogue, w_stride, x_stride, subs_log2, word, gated, heads: None };
    // SAFETY: binding 0 is the step block by the contract.
    let rows = unsafe { active_rows(call, c.select) };
    match V::MANY {
        Many::Units(products) => {
            // A tile of gates and one of ups cost as two.
            let (pairs, rows) = cpu_units::cut(2 * tiles, 2, rows, x_stride, part, parts);
            // SAFETY: tiles and rows are inside the bindings; each part has its own.
            unsafe { products(&job, rows, pairs.start / 2..pairs.end / 2) }
        }
        Many::Panels(panels) if rows <= V::FEW_ROWS => {
            let pairs = share(tiles / 2, part, parts);
            let own = 2 * pairs.start..2 * pairs.end;
            const { assert!(V::FEW_ROWS <= MOST_ROWS) };
            // SAFETY: as below, and a pass has room for so few rows.
            unsafe { few_gates(&job, &V::FEW, panels.gates, 0..rows, own) }
        }
        Many::Panels(panels) => {
            let (pairs, rows) = split(tiles / 2, rows, part, parts);
            // SAFETY: tiles and rows are inside the bindings; each part has its own, and whole pairs of tiles of gates.
            unsafe { in_panels(&job, &panels, rows, 2 * pairs.start..2 * pairs.end) }
        }
        Many::Tiles(_) | Many::Own(_) => {}
    }
}

/// Queries, keys and values on matrix units, of packed weights. `None` where heads are no whole groups of columns, or where there are no
/// units.
#[cfg(target_arch = "x86_64")]
pub(crate) fn heads_on_units<D: Driver>(level: Level, c: &MatmulConsts, head_dim: u32) -> Option<CpuFn> {
    let (dt, fmt) = (DType::from_ggml(c.dtype)?, ActFormat::from_word(c.act)?);
    let fits = cpu_units::holds_heads(head_dim as usize) && c.layout == Layout::Rows16 as u32;
    if fits { on_units::<D>(level, dt, fmt, c.k) } else { None }
}

/// Queries, keys and values, whose heads something else takes to where they belong; binding `out` is its output.
///
/// # Safety
/// As [`CpuFn`], for a contract whose first bindings are those of `matmul`, where [`heads_on_units`] has a function.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn heads_with<V: Version>(
    call: &Call<'_>,
    c: MatmulConsts,
    heads: Heads,
    out: usize,
    part: u32,
    parts: u32,
) {
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let Many::Units(products) = V::MANY else { return };
    let (k, tiles) = (c.k as usize, c.n as usize / LANES);
    let (w_stride, x_stride) = (rows16::tile_bytes(dt, k), fmt.row_bytes(k));
    let (subs_log2, word) = shape(dt);
    let (w, epilogue, unit) = (call.bufs[2].ptr, Epilogue { residual: None, out }, heads.tiles);
    let heads = Some(heads);
    let job = Job { call, c, w, first: 0, epilogue, w_stride, x_stride, subs_log2, word, gated: None, heads };
    // SAFETY: binding 0 is the step block by the contract.
    let rows = unsafe { active_rows(call, c.select) };
    let (tiles, rows) = cpu_units::cut(tiles, unit, rows, x_stride, part, parts);
    // SAFETY: tiles and rows are inside the bindings; each part has its own heads.
    unsafe { products(&job, rows, tiles) }
}
