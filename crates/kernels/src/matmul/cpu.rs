//! The CPU versions of `matmul` and `matmul_add`: one driver, and tile kernels per instruction level.
//!
//! A tile kernel multiplies a few activation rows with one or more tiles of 16 weight rows over the whole of k.
//! Each output is accumulated in one lane, in the order of k, whatever the number of rows and tiles: so a row's
//! result never depends on its neighbours.

use super::{MatmulConsts, UNIT_ROWS, active_rows, cpu_portable, reference};
#[cfg(target_arch = "x86_64")]
use super::{cpu_avx2, cpu_avx512, cpu_bytes256};
#[cfg(target_arch = "aarch64")]
use super::{cpu_neon, cpu_neon_i8mm};
use crate::act::{ActFormat, Q8Block};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::dtype::affine::ScaleType;
use crate::dtype::rows16::{self, Codes, Scales};
use crate::dtype::{DType, Layout};
use crate::expert_matmul::{self, ExpertMatmulConsts, Input};
use crate::route::Choice;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Output columns of a tile.
pub(super) const LANES: usize = 16;
/// Most outputs of one call of a tile kernel.
const MAX_OUT: usize = 512;
/// Activation bytes that one pass over the weights keeps in the second-level cache.
const CACHED_X: usize = 1 << 20;
/// Rows of a pass at least, so that weights are not read too often where rows are long.
const PASS_ROWS: usize = 96;
/// Rows of a pass at most.
const MOST_ROWS: usize = 512;

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
    /// log2 of the sub-blocks of 32 columns in a block.
    pub(super) subs_log2: u32,
    /// The type of affine scales.
    pub(super) word: ScaleType,
    /// `[rows][tiles * 16]` results, aligned to 64 bytes.
    pub(super) out: *mut f32,
}

impl Tile {
    /// log2 of the sub-blocks in a block of the form, and the block's bytes.
    #[inline(always)]
    pub(super) fn block<F: Form>(&self) -> (u32, usize) {
        let subs_log2 = F::SCALES.subs_log2().unwrap_or(self.subs_log2);
        (subs_log2, (F::CODES.sub_bytes() << subs_log2) + F::SCALES.bytes())
    }

    /// Of sub-block `b`: its block, which begins with the scales; its number there; its codes.
    ///
    /// # Safety
    /// The tile has at least `b + 1` sub-blocks.
    #[inline(always)]
    pub(super) unsafe fn sub<F: Form>(&self, b: usize) -> (*const u8, usize, *const u8) {
        let (subs_log2, bytes) = self.block::<F>();
        let s = b & ((1 << subs_log2) - 1);
        // SAFETY: inside the tile, by the layout of `rows16`.
        unsafe {
            let block = self.w.add((b >> subs_log2) * bytes);
            (block, s, block.add(F::SCALES.bytes() + s * F::CODES.sub_bytes()))
        }
    }
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
    const MANY: Many;
}

/// Kernels for many rows.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 has kernels on panels"))]
pub(super) enum Many {
    /// Tile kernels, which unpack weights anew for every few rows.
    Tiles(Ladder),
    /// Kernels on panels.
    Panels(Panels),
}

/// Sub-blocks of 32 columns in a panel, at most.
const SLAB: usize = 16;
/// Most tiles of a panel.
const PANEL_TILES: usize = 2;
/// Most bytes of a sub-block of one tile in a panel.
const PANEL_SUB: usize = 768;

/// Kernels that work on panels: a slab of columns of a few tiles, unpacked once for many rows.
pub(super) struct Panels {
    /// Unpacks sub-blocks `from..from + count` of so many tiles: (tile, tiles, from, count, panel).
    pub(super) fill: unsafe fn(&Tile, usize, usize, usize, *mut u8),
    /// Kernels by falling number of rows; the last is for one row.
    pub(super) steps: &'static [PanelStep],
}

/// Panel kernels for one number of rows.
pub(super) struct PanelStep {
    /// Activation rows at a time.
    pub(super) rows: usize,
    /// One tile.
    pub(super) one: unsafe fn(&Panel),
    /// [`PANEL_TILES`].
    pub(super) wide: unsafe fn(&Panel),
}

/// What a panel kernel works on.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 has kernels on panels"))]
pub(super) struct Panel {
    /// The panel: `[sub-blocks][tiles]`.
    pub(super) w: *const u8,
    /// Its sub-blocks.
    pub(super) blocks: usize,
    /// The first activation row, at the slab's first column.
    pub(super) x: *const u8,
    /// Bytes from one activation row to the next.
    pub(super) x_stride: usize,
    /// `[rows][tiles * 16]` sums of earlier slabs, which this one's are added to.
    pub(super) sums: *mut f32,
    /// Whether there are no earlier slabs and the sums mean nothing yet.
    pub(super) first: bool,
}

/// Panels from generic functions.
#[cfg(target_arch = "x86_64")]
macro_rules! panels {
    ($fill:ident, $f:ident, $mul:ident, $halves:literal, $offsets:literal) => {
        panels!(@ $fill, $f, $mul, $halves, $offsets, 4 3 2 1)
    };
    (@ $fill:ident, $f:ident, $mul:ident, $halves:literal, $offsets:literal, $($rows:literal)*) => {
        Panels {
            fill: $fill::<$f>,
            steps: &[$(PanelStep {
                rows: $rows,
                one: $mul::<1, $rows, $halves, $offsets>,
                wide: $mul::<2, $rows, $halves, $offsets>,
            }),*],
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use panels;

/// A ladder from a generic kernel `f::<D, TILES, ROWS>`.
macro_rules! ladder {
    ($f:ident, $d:tt, $tiles:literal, [$($rows:literal),*]) => {
        $crate::matmul::cpu::Ladder {
            tiles: $tiles,
            steps: &[$($crate::matmul::cpu::Step { rows: $rows, one: $f::<$d, 1, $rows>, wide: $f::<$d, $tiles, $rows> }),*],
        }
    };
}
pub(super) use ladder;

/// What a kernel for quantized weights is compiled for: every format of this kind of codes and of scales.
pub(super) trait Form {
    /// Its codes.
    const CODES: Codes;
    /// Its scales.
    const SCALES: Scales;
    /// What one step of a code at the top of its byte is worth: kernels keep codes of b bits there, so that all
    /// have their centre at 128. (Table values are as they are, plus 128.)
    const UNIT: f32 = match Self::CODES.table() {
        Some(_) => 1.0,
        None => 1.0 / (1 << (8 - Self::CODES.bits())) as f32,
    };
    /// Offsets of a sub-block of 32 columns: none, one, or one for each half.
    const OFFSETS: u32 = match Self::SCALES {
        Scales::Nibbles => 2,
        s if s.minimums() => 1,
        _ => 0,
    };
}

/// A type for each form in use, and `forms!(m, form, kind)`: the pair of functions of `m::kind` for a form.
macro_rules! forms {
    ($($name:ident: $codes:ident, $scales:ident;)*) => {
        $(
            pub(super) struct $name;
            impl Form for $name {
                const CODES: Codes = Codes::$codes;
                const SCALES: Scales = Scales::$scales;
            }
        )*
        macro_rules! form_pair {
            ($m:ident, $form:expr, $kind:ident) => {
                match ($form.codes, $form.scales) {
                    $((Codes::$codes, Scales::$scales) => pair::<$m::$kind<$name>>(),)*
                    _ => return None,
                }
            };
        }
    };
}

forms! {
    Bits4F16: Bits4, F16;
    Bits5F16: Bits5, F16;
    Bits8F16: Bits8, F16;
    Bits2Nibbles: Bits2, Nibbles;
    Bits3Sixes: Bits3, Sixes;
    Bits4SixMinimums: Bits4, SixMinimums;
    Bits5SixMinimums: Bits5, SixMinimums;
    Bits6Bytes: Bits6, Bytes;
    Bits8F32: Bits8, F32;
    Iq4F16: Iq4, F16;
    Iq4Six: Iq4, Six;
    E2m1E8m0: E2m1, E8m0;
    E2m1Ue4m3: E2m1, Ue4m3;
    Bits4F16Pair: Bits4, F16Pair;
    Bits5F16Pair: Bits5, F16Pair;
    Bits2Affine: Bits2, Affine;
    Bits3Affine: Bits3, Affine;
    Bits4Affine: Bits4, Affine;
    Bits5Affine: Bits5, Affine;
    Bits6Affine: Bits6, Affine;
    Bits8Affine: Bits8, Affine;
}

/// One block's scales, ready for codes at the top of their bytes around 128, from scales and minimums (of `V`):
/// `d q + m = d (q - centre) + (m + d centre)`.
macro_rules! centred {
    ($form:ty, $d:expr, $m:expr, $splat:ident, $mul:ident, $fma:ident) => {{
        let (mut d, mut m) = ($d, $m);
        for h in 0..2 {
            if <$form>::UNIT != 1.0 {
                d[h] = $mul(d[h], $splat(<$form>::UNIT));
            }
            if <$form>::SCALES.minimums() {
                m[h] = $fma(d[h], $splat(128.0), m[h]);
            }
        }
        (d, m)
    }};
}
pub(super) use centred;

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

/// What is the same for all tiles of a command.
struct Job<'a> {
    call: &'a Call<'a>,
    c: MatmulConsts,
    /// Packed weights from tile `first` on.
    w: *const u8,
    first: usize,
    /// The residual's binding.
    residual: Option<usize>,
    w_stride: usize,
    x_stride: usize,
    subs_log2: u32,
    word: ScaleType,
}

impl Job<'_> {
    /// Tile `t` and row `r`.
    ///
    /// # Safety
    /// The tile is among those at `w`, the row inside its binding.
    unsafe fn tile(&self, t: usize, r: usize, out: *mut f32) -> Tile {
        // SAFETY: the caller's promise.
        let (w, x) = unsafe {
            (self.w.add((t - self.first) * self.w_stride), self.call.bufs[1].ptr.add(r * self.x_stride))
        };
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
/// As [`CpuFn`], for the contract of `matmul` (or `matmul_add`, given the residual's binding), with weights in
/// [`Layout::Rows16`], or in [`Layout::Native`] where [`packs_on_the_way`], and the version's formats.
unsafe fn run<V: Version>(call: &Call<'_>, part: u32, parts: u32, residual: Option<usize>) {
    let c: MatmulConsts = call.consts();
    let (k, n) = (c.k as usize, c.n as usize);
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let (w_stride, x_stride) = (rows16::tile_bytes(dt, k), fmt.row_bytes(k));
    let (subs_log2, word) = shape(dt);
    // SAFETY: binding 0 is the step block by the contract.
    let rows = unsafe { active_rows(call, c.select) };
    let job = Job { call, c, w: call.bufs[2].ptr, first: 0, residual, w_stride, x_stride, subs_log2, word };
    let tiles = n.div_ceil(LANES);
    let (products, tiles, rows): (Products, _, _) = if rows <= V::FEW.steps[0].rows {
        (few_with::<V>, share(tiles, part, parts), 0..rows)
    } else {
        let (tiles, rows) = split(tiles, rows, part, parts);
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
struct Packed([u8; PACKED]);

impl Packed {
    /// The start of it, for whole tiles.
    ///
    /// # Safety
    /// `this` is valid for writes, and a tile fits.
    unsafe fn tiles<'a>(this: *mut Self, tile: usize) -> &'a mut [u8] {
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
unsafe fn few(job: &Job<'_>, ladder: &Ladder, rows: Range<usize>, tiles: Range<usize>) {
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
    let slab = subs.div_ceil(subs.div_ceil(SLAB));
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
                        let x = job.call.bufs[1].ptr.add(r * job.x_stride + from * size_of::<Q8Block>());
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

/// [`Tile::subs_log2`] and [`Tile::word`] of a format.
fn shape(dt: DType) -> (u32, ScaleType) {
    rows16::form(dt).map_or((0, ScaleType::F16), |f| (f.subs_log2, f.word))
}

/// Stores `rows` x `cols` results at (row, column), leaving out columns past n.
///
/// # Safety
/// As [`run`]; the rows and columns belong to this part.
unsafe fn put(job: &Job<'_>, row: usize, rows: usize, col: usize, cols: usize, out: &[f32]) {
    let (call, c) = (job.call, &job.c);
    let keep = cols.min(c.n as usize - col);
    for (i, src) in out.chunks_exact(cols).take(rows).enumerate() {
        let at = (row + i) * c.out_stride as usize + c.out_col as usize + col;
        // SAFETY: the range is inside the binding by the contract and belongs to this part. The residual may be
        // the output itself, so each value is read before it is written and no slices are held.
        unsafe {
            let dst = call.bufs[call.bufs.len() - 1].ptr.cast::<f32>().add(at);
            match job.residual {
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

/// Products of slots with their experts' matrices. A tile is multiplied with all slots that have its expert while it is
/// in the first-level cache; slots lie apart, so each is a step of its own.
///
/// # Safety
/// As [`CpuFn`], for the contract of `expert_matmul`, with weights in [`Layout::Rows16`], or in [`Layout::Native`] where
/// [`packs_on_the_way`], whole tiles for each expert, and the version's formats.
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

/// The functions of one version.
#[derive(Clone, Copy)]
struct Functions {
    store: CpuFn,
    add: CpuFn,
    experts: CpuFn,
}

/// The version that stores.
pub fn store(level: Level, c: &MatmulConsts) -> Option<CpuFn> {
    Some(pick(level, c.dtype, c.act, c.layout, c.k)?.map_or(reference::store, |f| f.store))
}

/// The version that adds a residual.
pub fn add(level: Level, c: &MatmulConsts) -> Option<CpuFn> {
    Some(pick(level, c.dtype, c.act, c.layout, c.k)?.map_or(reference::add, |f| f.add))
}

/// The version for experts; the twin where their rows are no whole tiles.
pub fn experts(level: Level, c: &ExpertMatmulConsts) -> Option<CpuFn> {
    let tiled = pick(level, c.dtype, c.act, c.layout, c.k)?.filter(|_| (c.n as usize).is_multiple_of(LANES));
    Some(tiled.map_or(expert_matmul::reference::run, |f| f.experts))
}

const fn pair<V: Version>() -> Functions {
    Functions { store: store_with::<V>, add: add_with::<V>, experts: experts_with::<V> }
}

/// The functions for constants: `Some(None)` where the twin does it, `None` where nothing does.
fn pick(level: Level, dtype: u32, act: u32, layout: u32, k: u32) -> Option<Option<Functions>> {
    use DType::{Bf16, F16, F32, Mxfp8};
    let (dt, fmt) = (DType::from_ggml(dtype)?, ActFormat::from_word(act)?);
    let tiled = match Layout::from_word(layout) {
        Layout::Rows16 => true,
        Layout::Native => packs_on_the_way(dt, k as usize),
        Layout::Planes => false,
    };
    if level == Level::Reference || !tiled {
        return Some(None);
    }
    macro_rules! versions {
        ($m:ident, $q8:ident::$quant:ident $(, $q16:ident)?) => {
            match (rows16::form(dt), dt, fmt) {
                (Some(form), _, ActFormat::Q8) => form_pair!($q8, form, $quant),
                (Some(form), _, ActFormat::F32) => form_pair!($m, form, Wide),
                $((Some(form), _, ActFormat::Q16) => form_pair!($m, form, $q16),)?
                (None, F32, ActFormat::F32) => pair::<$m::Float<{ F32 as u32 }>>(),
                (None, F16, ActFormat::F32) => pair::<$m::Float<{ F16 as u32 }>>(),
                (None, Bf16, ActFormat::F32) => pair::<$m::Float<{ Bf16 as u32 }>>(),
                (None, Mxfp8, ActFormat::F32) => pair::<$m::Float<{ Mxfp8 as u32 }>>(),
                _ => return None,
            }
        };
    }
    Some(Some(match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Bf16 => versions!(cpu_avx512, cpu_avx512::Quant, Quant16),
        #[cfg(target_arch = "x86_64")]
        Level::AvxVnni => versions!(cpu_avx2, cpu_bytes256::Vnni),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => versions!(cpu_avx2, cpu_bytes256::Avx2),
        #[cfg(target_arch = "aarch64")]
        Level::Neon => versions!(cpu_neon, cpu_neon::Quant, Quant16),
        #[cfg(target_arch = "aarch64")]
        Level::NeonI8mm => versions!(cpu_neon_i8mm, cpu_neon_i8mm::Quant, Quant16),
        _ => versions!(cpu_portable, cpu_portable::Quant),
    }))
}
