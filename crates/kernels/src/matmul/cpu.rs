//! The CPU versions of `matmul` and `matmul_add`, which drive tile kernels (`cpu_tile.rs`), and which of those a format has.

use super::cpu_tile::{
    LANES, Ladder, MAX_OUT, Many, Out, PANEL_SUB, PANEL_TILES, Panel, Panels, SLAB, Tile, Version, by_form,
    shape,
};
use super::{Epilogue, MatmulConsts, UNIT_ROWS, active_rows, cpu_portable, reference};
#[cfg(target_arch = "x86_64")]
use super::{Select, cpu_avx2, cpu_avx512, cpu_bytes256, cpu_paired256, cpu_units};
#[cfg(target_arch = "aarch64")]
use super::{cpu_neon, cpu_neon_i8mm};
use crate::act::ActFormat;
use crate::cpu::{Call, CpuFn, Level, share};
use crate::dtype::affine::ScaleType;
use crate::dtype::rows16::{self, Codes, Scales};
use crate::dtype::{DType, Layout};
#[cfg(target_arch = "x86_64")]
use crate::matmul_glu::MatmulGluConsts;
#[cfg(target_arch = "x86_64")]
use crate::target::{self, CPU_UNITS_K};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Activation bytes that one pass over the weights keeps in the second-level cache.
const CACHED_X: usize = 1 << 20;
/// Rows of a pass at least, so that weights are not read too often where rows are long.
const PASS_ROWS: usize = 96;
/// Rows of a pass at most.
const MOST_ROWS: usize = 512;

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

/// What is the same for all tiles of a command.
pub(crate) struct Job<'a> {
    call: &'a Call<'a>,
    pub(super) c: MatmulConsts,
    /// Packed weights from tile `first` on.
    w: *const u8,
    first: usize,
    epilogue: Epilogue,
    w_stride: usize,
    pub(super) x_stride: usize,
    subs_log2: u32,
    word: ScaleType,
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "matrix units alone have it"))]
    pub(super) gated: Option<Gated>,
}

/// What a product of gates and ups ends in.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "matrix units alone have it"))]
pub(super) struct Gated {
    /// Tiles of gates; those of ups follow.
    pub(super) tiles: usize,
    /// [`crate::glu::Activation`].
    pub(super) activation: u32,
    /// Of the output, `[rows, 16 tiles]`.
    pub(super) format: ActFormat,
}

impl Job<'_> {
    /// Activation row `r`.
    ///
    /// # Safety
    /// The row is inside its binding.
    pub(super) unsafe fn x(&self, r: usize) -> *const u8 {
        // SAFETY: the caller's promise.
        unsafe { self.call.bufs[1].ptr.add(r * self.x_stride) }
    }

    /// The output.
    pub(super) fn out(&self) -> *mut f32 {
        self.call.bufs[self.epilogue.out].ptr.cast()
    }

    /// The output's row `r` in its format.
    ///
    /// # Safety
    /// The row is inside the binding.
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn formatted(&self, gated: &Gated, r: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.out().cast::<u8>().add(r * gated.format.row_bytes(gated.tiles * LANES)) }
    }

    /// What is added to the products, laid out as the output.
    pub(super) fn residual(&self) -> Option<*const f32> {
        self.epilogue.residual.map(|b| self.call.bufs[b].ptr.cast_const().cast())
    }

    /// Tile `t` and row `r`.
    ///
    /// # Safety
    /// The tile is among those at `w`, the row inside its binding.
    pub(super) unsafe fn tile(&self, t: usize, r: usize, out: *mut f32) -> Tile {
        // SAFETY: the caller's promise.
        let (w, x) = unsafe { (self.w.add((t - self.first) * self.w_stride), self.x(r)) };
        Tile {
            w,
            w_stride: self.w_stride,
            x,
            x_stride: self.x_stride,
            k: self.c.k as usize,
            subs_log2: self.subs_log2,
            word: self.word,
            out,
        }
    }
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
    let job = Job { call, c, w, first: 0, epilogue, w_stride, x_stride, subs_log2, word, gated: None };
    let tiles = n.div_ceil(LANES);
    let (products, tiles, rows): (Products, _, _) = if rows <= V::FEW_ROWS {
        (few_with::<V>, share(tiles, part, parts), 0..rows)
    } else {
        let (tiles, rows) = match V::MANY {
            #[cfg(target_arch = "x86_64")]
            Many::Units(_) => cpu_units::cut(tiles, rows, x_stride, part, parts),
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

/// Rows of a pass: as many as stay in the second-level cache, a multiple of `step`.
fn pass_rows(x_stride: usize, step: usize) -> usize {
    (CACHED_X / x_stride).clamp(PASS_ROWS, MOST_ROWS) / step * step
}

/// Products of many rows by tile kernels.
///
/// # Safety
/// As [`run`]; rows and tiles are this part's own.
unsafe fn many(job: &Job<'_>, ladder: &Ladder, rows: Range<usize>, tiles: Range<usize>) {
    let pass = pass_rows(job.x_stride, ladder.steps[0].rows);
    for first in rows.clone().step_by(pass) {
        // SAFETY: the caller's promise.
        unsafe { few(job, ladder, first..rows.end.min(first + pass), tiles.clone()) };
    }
}

/// Products of some rows by tile kernels: every tile with all of them.
///
/// # Safety
/// As [`run`]; rows and tiles are this part's own.
pub(super) unsafe fn few(job: &Job<'_>, ladder: &Ladder, rows: Range<usize>, tiles: Range<usize>) {
    let mut out = Out([0.0; MAX_OUT]);
    let mut t = tiles.start;
    while t < tiles.end {
        let wide = tiles.end - t >= ladder.tiles;
        let count = if wide { ladder.tiles } else { 1 };
        let mut r = rows.start;
        while r < rows.end {
            let Some(step) = ladder.steps.iter().find(|s| s.rows <= rows.end - r) else { break };
            // SAFETY: tile t and row r are inside the bindings; `out` holds the largest step's results; columns of
            // these tiles belong to this part alone.
            unsafe {
                (if wide { step.wide } else { step.one })(&job.tile(t, r, out.0.as_mut_ptr()));
                put(job, r, step.rows, t * LANES, count * LANES, &out.0);
            }
            r += step.rows;
        }
        t += count;
    }
}

/// A worker's memory for panels, on its stack. Never initialised as a whole.
#[repr(C, align(64))]
struct Workspace {
    panel: [u8; SLAB * PANEL_TILES * PANEL_SUB],
    /// `[rows][tiles * 16]` of a pass.
    sums: [f32; MOST_ROWS * PANEL_TILES * LANES],
}

/// Products of many rows by panel kernels: each slab of each pair of tiles is unpacked once for a pass of rows.
///
/// # Safety
/// As [`run`]; rows and tiles are this part's own.
unsafe fn in_panels(job: &Job<'_>, panels: &Panels, rows: Range<usize>, tiles: Range<usize>) {
    let mut work = MaybeUninit::<Workspace>::uninit();
    let work = work.as_mut_ptr();
    // SAFETY: addresses only; nothing is read before it is written.
    let (panel, sums) =
        unsafe { ((&raw mut (*work).panel).cast::<u8>(), (&raw mut (*work).sums).cast::<f32>()) };
    let subs = job.c.k as usize / 32;
    // Slabs of about the same width.
    let slab = subs.div_ceil(subs.div_ceil(panels.slab));
    let pass = pass_rows(job.x_stride, panels.steps[0].rows);
    for first in rows.clone().step_by(pass) {
        let end = rows.end.min(first + pass);
        for t in tiles.clone().step_by(PANEL_TILES) {
            let count = PANEL_TILES.min(tiles.end - t);
            let width = count * LANES;
            for from in (0..subs).step_by(slab) {
                let blocks = slab.min(subs - from);
                // SAFETY: the slab is inside its tiles, and the panel holds the largest.
                unsafe { (panels.fill)(&job.tile(t, first, sums), count, from, blocks, panel) };
                let mut r = first;
                while r < end {
                    let Some(step) = panels.steps.iter().find(|s| s.rows <= end - r) else { break };
                    // SAFETY: the panel was filled above; rows and tiles are inside the bindings and this part's own;
                    // `sums` holds a pass of rows, each written by the first slab before another reads it.
                    unsafe {
                        let sums = sums.add((r - first) * width);
                        let x = job.call.bufs[1].ptr.add(r * job.x_stride + from * panels.x_block);
                        let p = Panel { w: panel, blocks, x, x_stride: job.x_stride, sums, first: from == 0 };
                        (if count == PANEL_TILES { step.wide } else { step.one })(&p);
                        if from + blocks == subs {
                            let out = std::slice::from_raw_parts(sums, step.rows * width);
                            put(job, r, step.rows, t * LANES, width, out);
                        }
                    }
                    r += step.rows;
                }
            }
        }
    }
}

/// Stores `rows` x `cols` results at (row, column), leaving out columns past n.
///
/// # Safety
/// As [`run`]; the rows and columns belong to this part.
pub(super) unsafe fn put(job: &Job<'_>, row: usize, rows: usize, col: usize, cols: usize, out: &[f32]) {
    let (call, c) = (job.call, &job.c);
    let keep = cols.min(c.n as usize - col);
    for (i, src) in out.chunks_exact(cols).take(rows).enumerate() {
        let at = (row + i) * c.out_stride as usize + c.out_col as usize + col;
        // SAFETY: the range is inside the binding by the contract and belongs to this part. The residual may be
        // the output itself, so each value is read before it is written and no slices are held.
        unsafe {
            let dst = call.bufs[job.epilogue.out].ptr.cast::<f32>().add(at);
            match job.epilogue.residual {
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
    if fmt == ActFormat::Q8Paired {
        let form = rows16::form(dt).filter(|_| target::cpu_many_rule(level, dt) == Some(fmt))?;
        return Some(Some(by_form!(form, D, cpu_paired256::Paired)));
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
        Level::AvxVnni => versions!(cpu_avx2, cpu_bytes256::Vnni, cpu_bytes256::VnniQ16),
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

/// `matmul_glu` on matrix units, with packed weights whose gates and ups are whole tiles; `None` where they are not, or where there are
/// no units.
#[cfg(target_arch = "x86_64")]
pub(crate) fn glu_on_units(level: Level, c: &MatmulGluConsts) -> Option<CpuFn> {
    struct Glu;
    impl Driver for Glu {
        fn with<V: Version>() -> CpuFn {
            glu_with::<V>
        }
    }
    let (dt, fmt) = (DType::from_ggml(c.dtype)?, ActFormat::from_word(c.act)?);
    let out = ActFormat::from_word(c.act_out)?;
    let fits = c.f.is_multiple_of(LANES as u32) && c.layout == Layout::Rows16 as u32;
    let stores = matches!(out, ActFormat::F32 | ActFormat::Bf16 | ActFormat::Bf16Pair);
    if fits && stores && c.f.is_multiple_of(out.block()) {
        on_units::<Glu>(level, dt, fmt, c.k)
    } else {
        None
    }
}

/// Gates, ups and their products.
///
/// # Safety
/// As [`CpuFn`], for the contract of `matmul_glu`, as [`glu_on_units`] has it.
#[cfg(target_arch = "x86_64")]
unsafe fn glu_with<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    let g: MatmulGluConsts = call.consts();
    let (Some(dt), Some(fmt)) = (DType::from_ggml(g.dtype), ActFormat::from_word(g.act)) else { return };
    let (Many::Units(products), Some(format)) = (V::MANY, ActFormat::from_word(g.act_out)) else { return };
    let (k, tiles) = (g.k as usize, g.f as usize / LANES);
    let (w_stride, x_stride) = (rows16::tile_bytes(dt, k), fmt.row_bytes(k));
    let (subs_log2, word) = shape(dt);
    let c = MatmulConsts {
        dtype: g.dtype,
        layout: g.layout,
        act: g.act,
        k: g.k,
        n: 2 * g.f,
        out_stride: 0,
        out_col: 0,
        select: Select::All as u32,
        max_rows: g.max_rows,
    };
    let gated = Some(Gated { tiles, activation: g.activation, format });
    let (w, epilogue) = (call.bufs[2].ptr, Epilogue::STORE);
    let job = Job { call, c, w, first: 0, epilogue, w_stride, x_stride, subs_log2, word, gated };
    // SAFETY: binding 0 is the step block by the contract.
    let rows = unsafe { active_rows(call, c.select) };
    // A tile of gates and one of ups cost as two.
    let (pairs, rows) = cpu_units::cut(2 * tiles, rows, x_stride, part, parts);
    // SAFETY: tiles and rows are inside the bindings; each part has its own.
    unsafe { products(&job, rows, pairs.start / 2..pairs.end / 2) }
}
