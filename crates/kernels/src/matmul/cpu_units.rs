//! Products of many rows on the matrix unit of x86-64, in bf16 with f32 sums.
//!
//! A slab of columns of two tiles of weights is dequantized into a *panel* of bf16, which stays in the first-level cache;
//! activations come in bf16 as they lie, past it, from the second-level cache. (The unit's tiles are not the weights' ones: 32
//! columns of a weight tile fill one of the unit's.) Two of the unit's tiles of rows by two of weights make four products for
//! four loads. There is one panel: while the last rows are multiplied with it, the next slab is dequantized in its place, a
//! quarter of a block after each product or load, so that both kinds of instructions are under way at any time. (Two panels in turns are
//! more than the cache holds.) The weights of the slab after that are asked for
//! into the second-level cache, a few lines with each product. Weights in BF16 lie as a panel: they are asked for in the same way, and
//! multiplied where they are.
//!
//! What bounds the speed is where activations come from: the third-level cache is too slow by far, and asking it ahead keeps the
//! buffers busy that loads from the second need. So rows are taken so many at a time, and columns in *chunks*, that a chunk of all
//! these rows stays in the second-level cache while a group of tiles goes over it; its price is that a panel serves fewer rows.
//!
//! Where a number of either side has two parts, the sum takes `value * value`, `rest * value` and `value * rest`; the
//! fourth product is too small to matter.
//!
//! Each output's sum has the order of k, cut at places that only k decides: a row's bits never depend on its neighbours.

use super::cpu_tile::{Form, Gated, HeadRows, Heads, Job, LANES, Ladder, Many, Version};
use super::cpu_units_fill::{Fill, Next};
use super::cpu_units_products::{Ahead, Products};
use crate::act::cpu_x86::{bf16, wide};
use crate::act::{ActFormat, PAIR_BYTES};
use crate::cpu::share;
use crate::dtype::DType;
use crate::glu::Activation;
use crate::matrix_unit::{Amx, Emulated, MatrixUnit, ROW, ROWS, TILE};
use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Kernels of a quantized form on a unit, for `bf16` activations.
pub(super) struct Quant<U, F>(PhantomData<(U, F)>);
/// Kernels of F16, BF16 or MXFP8 (its id) on a unit, for `bf16pair` activations.
pub(super) struct Float<U, const D: u32>(PhantomData<U>);

pub(super) type AmxQuant<F> = Quant<Amx, F>;
pub(super) type AmxFloat<const D: u32> = Float<Amx, D>;
pub(super) type EmulatedQuant<F> = Quant<Emulated, F>;
pub(super) type EmulatedFloat<const D: u32> = Float<Emulated, D>;

/// No number of rows is few.
const NONE: Ladder = Ladder { tiles: 1, steps: &[] };

impl<U: MatrixUnit, F: Form> Version for Quant<U, F> {
    const FEW: Ladder = NONE;
    const FEW_ROWS: usize = 0;
    const MANY: Many = Many::Units(quant::<U, F>);
}

impl<U: MatrixUnit, const D: u32> Version for Float<U, D> {
    const FEW: Ladder = NONE;
    const FEW_ROWS: usize = 0;
    const MANY: Many = Many::Units(float::<U, D>);
}

const F16: u32 = DType::F16 as u32;

/// Most blocks of 32 columns in a slab, of activations in one part: a panel of 32 KiB.
const SLAB: usize = 16;
/// Rows that are multiplied at a time.
const MOST_ROWS: usize = 256;
/// Most blocks of 32 columns in a chunk, of activations in one part: 1 MiB of so many rows, half of a second-level cache.
const CHUNK: usize = 64;
/// Most blocks in a chunk, and in a slab, of weights that are multiplied where they lie. They need not stay in the first-level cache, so
/// sums wait only between chunks.
const IN_PLACE: usize = 16;
/// Pairs of tiles of weights whose sums wait for the next chunk.
const GROUP: usize = 16;
/// Elements of one of the unit's tiles of sums.
const SUMS: usize = TILE / size_of::<f32>();
/// Elements from a pair of tiles' sums to the next pair's.
const PAIR: usize = MOST_ROWS / ROWS * 2 * SUMS;
/// Bytes of one tile's slab in the panel.
const PANEL: usize = SLAB * TILE;
/// Bytes from a row of the tail to the next: a chunk's activations, and a line, so that rows are not in the same set of a
/// cache.
const TAIL_ROW: usize = CHUNK * ROW + ROW;

/// A worker's memory, on its stack. Never initialised as a whole.
#[repr(C, align(64))]
struct Workspace {
    /// `[2 tiles][blocks][parts]`, each one of the unit's tiles.
    panel: [u8; 2 * PANEL],
    /// The last rows' activations of a chunk, where they do not fill one of the unit's tiles, and zeros.
    tail: [u8; ROWS * TAIL_ROW],
    /// `[pairs of tiles][16 rows each][2 tiles]`, each one of the unit's tiles.
    sums: [f32; GROUP * PAIR],
}

/// # Safety
/// As [`super::cpu_tile::Many::Units`], of a form's weights and `bf16` activations.
unsafe fn quant<U: MatrixUnit, F: Form>(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { products::<U, 1, 1>(job, Fill::of_form::<F>(), rows, tiles) }
}

/// # Safety
/// As [`super::cpu_tile::Many::Units`], of a format's weights and `bf16pair` activations.
unsafe fn float<U: MatrixUnit, const D: u32>(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe {
        match D {
            F16 => products::<U, 2, 2>(job, Fill::of::<D, 2>(), rows, tiles),
            _ => products::<U, 2, 1>(job, Fill::of::<D, 1>(), rows, tiles),
        }
    }
}

/// A part's tiles and rows. Rows are cut first, into what is multiplied at a time, so that a worker, whose parts follow each other,
/// keeps its rows; then tiles, pairs of them for each part, or more where the rows are too many for a second-level cache, so that what
/// is fetched of them is used for long; rows again where there are too few tiles. Parts that are left over have none. Tiles stay together in `unit`s, of an even number.
pub(super) fn cut(
    tiles: usize,
    unit: usize,
    rows: usize,
    x_stride: usize,
    part: u32,
    parts: u32,
) -> (Range<usize>, Range<usize>) {
    /// Fewer rows would waste what dequantizing costs.
    const LEAST_ROWS: usize = 128;
    let passes = rows.div_ceil(MOST_ROWS).clamp(1, parts as usize);
    let least = if rows.div_ceil(passes) * x_stride <= 1 << 20 { 2 } else { 8 };
    let by_tiles = tiles.div_ceil(unit.max(least)).clamp(1, parts as usize / passes);
    let by_rows = (parts as usize / by_tiles).min(rows.div_ceil(LEAST_ROWS)).max(passes);
    let mine = share(by_tiles * by_rows, part, parts);
    if mine.is_empty() {
        return (0..0, 0..0);
    }
    let units = share(tiles.div_ceil(unit), (mine.start % by_tiles) as u32, by_tiles as u32);
    let blocks = share(rows.div_ceil(2 * ROWS), (mine.start / by_tiles) as u32, by_rows as u32);
    (
        unit * units.start..tiles.min(unit * units.end),
        blocks.start * 2 * ROWS..rows.min(blocks.end * 2 * ROWS),
    )
}

/// Products of some rows and tiles, of activations in `X` parts and weights in `W`. Not inlined: its stack is large.
///
/// # Safety
/// As [`super::cpu_tile::Many::Units`]; `fill` is one for the weights and gives so many parts.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn products<U: MatrixUnit, const X: usize, const W: usize>(
    job: &Job<'_>,
    fill: Fill<U>,
    rows: Range<usize>,
    tiles: Range<usize>,
) {
    if rows.is_empty() || tiles.is_empty() {
        return;
    }
    let mut work = MaybeUninit::<Workspace>::uninit();
    let work = work.as_mut_ptr();
    // SAFETY: addresses only; nothing is read before it is written.
    let (panel, tail, sums) = unsafe {
        ((&raw mut (*work).panel).cast(), (&raw mut (*work).tail).cast(), (&raw mut (*work).sums).cast())
    };
    let blocks = job.c.k as usize / 32;
    // Chunks of about the same width, and in them slabs. Of weights with a panel their activations have at most `CHUNK` and `SLAB` lines a
    // row.
    let (chunk, slab) = match fill {
        Fill::Through { .. } => (CHUNK / X, SLAB / X),
        Fill::InPlace => (IN_PLACE, IN_PLACE),
    };
    let chunk = blocks.div_ceil(blocks.div_ceil(chunk));
    let slab = chunk.div_ceil(chunk.div_ceil(slab));
    let step = if job.gated.is_some() { 1 } else { 2 };
    let work = Work { job, fill, blocks, chunk, slab, bytes: W * TILE, panel, tail, sums, rows, tiles, step };
    // SAFETY: the machine has the unit, by the caller's promise.
    let mut unit = unsafe { U::begin() };
    let mut at = Some(work.start());
    // SAFETY: places are inside the bindings and this part's own, each has its panel before its turn, and earlier slabs have left
    // their sums.
    unsafe {
        if let Fill::Through { whole, .. } = work.fill {
            work.next(work.start()).fill(whole, 0);
        }
        while let Some(place) = at {
            let next = work.after(place);
            work.run::<X, W>(&mut unit, place, next);
            at = next;
        }
        // What went past the caches is there before others are told that this part is done.
        _mm_sfence();
    }
}

/// A part's work: its rows and tiles, and where it happens.
struct Work<'a, U> {
    job: &'a Job<'a>,
    fill: Fill<U>,
    /// Blocks of 32 columns, in all, in a chunk and in a slab.
    blocks: usize,
    chunk: usize,
    slab: usize,
    /// Bytes of a block in the panel.
    bytes: usize,
    panel: *mut u8,
    tail: *mut u8,
    sums: *mut f32,
    rows: Range<usize>,
    /// Of gates where there are ups, each multiplied with its own.
    tiles: Range<usize>,
    /// How many of them a panel has.
    step: usize,
}

/// What one panel serves: up to two tiles of a slab, and the rows that are multiplied at a time.
#[derive(Clone, Copy)]
struct Place {
    /// The first of the rows.
    row: usize,
    /// The first tile of the group.
    group: usize,
    /// The chunk's first block.
    chunk: usize,
    tile: usize,
    /// The slab's first block.
    block: usize,
}

impl<U: MatrixUnit> Work<'_, U> {
    fn start(&self) -> Place {
        let (row, group) = (self.rows.start, self.tiles.start);
        Place { row, group, chunk: 0, tile: group, block: 0 }
    }

    /// Slabs innermost, then tiles, chunks, groups and rows.
    fn after(&self, at: Place) -> Option<Place> {
        if at.block + self.slab < self.blocks.min(at.chunk + self.chunk) {
            return Some(Place { block: at.block + self.slab, ..at });
        }
        let group = GROUP * self.step;
        if at.tile + self.step < self.tiles.end.min(at.group + group) {
            return Some(Place { tile: at.tile + self.step, block: at.chunk, ..at });
        }
        if at.chunk + self.chunk < self.blocks {
            let chunk = at.chunk + self.chunk;
            return Some(Place { chunk, tile: at.group, block: chunk, ..at });
        }
        if at.group + group < self.tiles.end {
            let group = at.group + group;
            return Some(Place { group, chunk: 0, tile: group, block: 0, ..at });
        }
        let row = at.row + MOST_ROWS;
        (row < self.rows.end).then_some(Place { row, ..self.start() })
    }

    /// Tiles of a place.
    fn width(&self, at: Place) -> usize {
        if self.job.gated.is_some() { 2 } else { 2.min(self.tiles.end - at.tile) }
    }

    /// Its second tile.
    fn second(&self, at: Place) -> usize {
        self.job.gated.map_or(at.tile + 1, |g| at.tile + g.tiles)
    }

    /// Blocks of its slab.
    fn count(&self, at: Place) -> usize {
        self.slab.min(self.blocks.min(at.chunk + self.chunk) - at.block)
    }

    /// Its rows.
    fn rows_at(&self, at: Place) -> Range<usize> {
        at.row..self.rows.end.min(at.row + MOST_ROWS)
    }

    /// Blocks of up to 32 rows that are multiplied there.
    fn products_at(&self, at: Place) -> usize {
        self.rows_at(at).len().div_ceil(2 * ROWS) * self.count(at)
    }

    /// What a place's panel is made of.
    ///
    /// # Safety
    /// The place is this part's.
    unsafe fn next(&self, at: Place) -> Next {
        let width = self.width(at);
        let second = if width == 2 { self.second(at) } else { at.tile };
        // SAFETY: the caller's promise.
        let tiles = unsafe { [at.tile, second].map(|t| self.job.tile(t, at.row, self.sums)) };
        Next {
            tiles,
            width,
            from: at.block,
            count: self.count(at),
            panel: [self.panel, self.panel.wrapping_add(PANEL)],
            bytes: self.bytes,
        }
    }

    /// Asks for a place's weights in so many steps.
    ///
    /// # Safety
    /// The place is this part's.
    unsafe fn ahead(&self, at: Option<Place>, steps: usize) -> Ahead {
        let Some(at) = at else {
            return Ahead { at: [std::ptr::null(); 2], each: 0, left: 0 };
        };
        // SAFETY: the caller's promise.
        let next = unsafe { self.next(at) };
        let bytes = |blocks: usize| blocks * self.job.w_stride / self.blocks;
        let left = bytes(next.count);
        Ahead {
            at: next.tiles.map(|t| t.w.wrapping_add(bytes(next.from))),
            each: left.div_ceil(steps).next_multiple_of(ROW),
            left,
        }
    }

    /// Multiplies a place's panel by all its rows. With the last of them it becomes the next place's.
    ///
    /// # Safety
    /// The places are this part's, the panel is filled, and sums of all earlier slabs are in `sums`.
    #[inline(always)]
    unsafe fn run<const X: usize, const W: usize>(&self, unit: &mut U, at: Place, next: Option<Place>) {
        let job = self.job;
        let rows = self.rows_at(at);
        let (wide, count, t) = (self.width(at) == 2, self.count(at), at.tile);
        let (first, last) = (at.block == 0, at.block + count == self.blocks);
        let left = rows.len() % ROWS;
        // SAFETY: addresses in the rows, whose slabs of columns are inside the binding, in the panel and in the sums.
        unsafe {
            let (w, soon) = match self.fill {
                Fill::Through { .. } => {
                    ([self.panel.cast_const(), self.panel.add(PANEL)], next.and_then(|n| self.after(n)))
                }
                Fill::InPlace => (self.next(at).tiles.map(|t| t.w.add(at.block * TILE)), next),
            };
            let mut ahead = self.ahead(soon, self.products_at(at));
            let x = |r: usize, block: usize| job.x(r).add(block * X * ROW);
            if left > 0 && t == at.group && at.block == at.chunk {
                let blocks = self.chunk.min(self.blocks - at.chunk);
                let bytes = blocks * X * ROW;
                for i in 0..ROWS {
                    let to = self.tail.add(i * TAIL_ROW);
                    if i < left {
                        std::ptr::copy_nonoverlapping(x(rows.end - left + i, at.chunk), to, bytes);
                    } else {
                        to.write_bytes(0, bytes);
                    }
                }
            }
            let tail = self.tail.add((at.block - at.chunk) * X * ROW).cast_const();
            // Where 16 rows from r on are, and how far from each other.
            let sixteen = |r: usize| {
                if r + ROWS > rows.end { (tail, TAIL_ROW) } else { (x(r, at.block), job.x_stride) }
            };
            // Whether all of the group's columns are there when this place is done.
            let complete = t + self.step >= self.tiles.end.min(at.group + GROUP * self.step);
            for (i, r) in rows.clone().step_by(2 * ROWS).enumerate() {
                let high = rows.end - r > ROWS;
                let of_group = self.sums.add(2 * i * 2 * SUMS);
                let sums = of_group.add((t - at.group) / self.step * PAIR);
                let x = [sixteen(r), sixteen(if high { r + ROWS } else { r })];
                let p = Products { x, w, blocks: count, sums, first };
                let ends = rows.end - r <= 2 * ROWS;
                match (&self.fill, next.filter(|_| ends)) {
                    (Fill::Through { whole, refill }, Some(next)) => {
                        let next = self.next(next);
                        let from = if wide && next.width == 2 {
                            refill[usize::from(high)](unit, &p, &mut ahead, &next);
                            count
                        } else {
                            p.multiply::<U, X, W>(unit, high, wide, &mut ahead);
                            0
                        };
                        next.fill(*whole, from);
                    }
                    _ => p.multiply::<U, X, W>(unit, high, wide, &mut ahead),
                }
                if !last {
                    continue;
                }
                if let Some(gated) = &job.gated {
                    for h in 0..1 + usize::from(high) {
                        let (r, sums) = (r + h * ROWS, sums.add(2 * h * SUMS));
                        put_gated(job, gated, r, ROWS.min(rows.end - r), t, sums);
                    }
                    continue;
                }
                if complete {
                    let rows = r..rows.end.min(r + 2 * ROWS);
                    let tiles = at.group..t + self.width(at);
                    match &job.heads {
                        Some(heads) => put_heads(job, heads, &rows, tiles, of_group),
                        None => put_rows(job, rows, tiles, of_group),
                    }
                }
            }
        }
    }
}

/// Hands up to 32 rows of a group's heads, which are complete, to what finishes them.
///
/// # Safety
/// The rows and heads are this part's, the machine has the level, and `sums` are those of the rows with the first head's first tiles.
unsafe fn put_heads(
    job: &Job<'_>,
    heads: &Heads,
    rows: &Range<usize>,
    tiles: Range<usize>,
    sums: *const f32,
) {
    for first in tiles.clone().step_by(heads.tiles) {
        // SAFETY: the caller's promise; a group is whole heads, and strides are those of its sums.
        unsafe {
            let rows = HeadRows {
                head: first / heads.tiles,
                rows: rows.clone(),
                at: sums.add((first - tiles.start) / 2 * PAIR),
                second: SUMS,
                rows16: 2 * SUMS,
                pair: PAIR,
            };
            (heads.finish)(job.call, &rows);
        }
    }
}

/// Elements of the widest head.
pub(crate) const WIDEST: usize = GROUP * 2 * LANES;

/// Whether heads of this width are whole pairs of tiles, so many of which make a group.
pub(super) fn holds_heads(head_dim: usize) -> bool {
    head_dim.is_multiple_of(2 * LANES) && WIDEST.is_multiple_of(head_dim)
}

/// How many rows ahead of the one that is written lines are asked for.
const ROWS_AHEAD: usize = 2;

/// Stores a group's sums of some rows at their columns of the output, without those past n, and adds the residual where there is one.
/// Row by row, since a row's lines are next to each other: the same two lines of many rows, often a power of two apart, would share a few
/// sets of the caches.
///
/// An output without a residual need not be read before it is overwritten, and is more than the caches hold: its whole lines go past them.
///
/// # Safety
/// As [`products`]; the rows and columns are this part's, which ends with a fence, and `sums` are those of the rows with the first tiles.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn put_rows(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>, sums: *const f32) {
    let (n, stride) = (job.c.n as usize, job.c.out_stride as usize);
    let (out, residual) = (job.out(), job.residual());
    let start = out.wrapping_add(job.c.out_col as usize) as usize;
    let lines = (start | (stride * size_of::<f32>())).is_multiple_of(ROW);
    for (r, row) in rows.enumerate() {
        for (i, t) in tiles.clone().enumerate() {
            let at = row * stride + job.c.out_col as usize + t * LANES;
            let mask = u16::MAX >> (16 - LANES.min(n - t * LANES));
            // SAFETY: masked elements are inside the binding by the contract, and this part's; a prefetch of any address is harmless. The
            // residual may be the output itself: it is read before it is written.
            unsafe {
                let sums = sums.add(i / 2 * PAIR + i % 2 * SUMS + r / ROWS * 2 * SUMS + r % ROWS * LANES);
                let v = _mm512_load_ps(sums);
                let Some(base) = residual else {
                    if lines && mask == u16::MAX {
                        _mm512_stream_ps(out.add(at), v);
                    } else {
                        _mm512_mask_storeu_ps(out.add(at), mask, v);
                    }
                    continue;
                };
                let soon = at + ROWS_AHEAD * stride;
                _mm_prefetch::<_MM_HINT_T0>(base.wrapping_add(soon).cast());
                _mm_prefetch::<_MM_HINT_T0>(out.wrapping_add(soon).cast());
                let v = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, base.add(at)), v);
                _mm512_mask_storeu_ps(out.add(at), mask, v);
            }
        }
    }
}

/// Registers that go through each operation together. One alone would mostly wait for its own last result.
const TOGETHER: usize = 4;

/// 1 + e^x, as `glu` computes it, bit for bit: the same operations, none of them fused.
#[inline(always)]
unsafe fn one_and_exp(mut x: [__m512; TOGETHER]) -> [__m512; TOGETHER] {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let splat = |v: f32| _mm512_set1_ps(v);
        // The second operand is what comes out where one is NaN.
        for x in &mut x {
            *x = _mm512_max_ps(splat(-87.0), _mm512_min_ps(splat(88.0), *x));
        }
        let magic = splat(12_582_912.0);
        let (mut t, mut r, mut p) = (x, x, [splat(1.0 / 5040.0); TOGETHER]);
        for t in &mut t {
            *t = _mm512_add_ps(_mm512_mul_ps(*t, splat(std::f32::consts::LOG2_E)), magic);
        }
        for (r, t) in r.iter_mut().zip(&t) {
            let n = _mm512_sub_ps(*t, magic);
            *r = _mm512_sub_ps(*r, _mm512_mul_ps(n, splat(355.0 / 512.0)));
            *r = _mm512_add_ps(*r, _mm512_mul_ps(n, splat(2.121_944_4e-4)));
        }
        for c in [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
            for (p, r) in p.iter_mut().zip(&r) {
                *p = _mm512_add_ps(_mm512_mul_ps(*r, *p), splat(c));
            }
        }
        for (p, t) in p.iter_mut().zip(t) {
            let bits = _mm512_add_epi32(_mm512_castps_si512(t), _mm512_set1_epi32(127));
            let power = _mm512_castsi512_ps(_mm512_slli_epi32::<23>(bits));
            *p = _mm512_add_ps(splat(1.0), _mm512_mul_ps(*p, power));
        }
        p
    }
}

/// Stores some rows of the product of 16 gates' activations and their ups, in the output's format.
///
/// # Safety
/// As [`products`]; the rows and columns are this part's, and sums of both tiles are there.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn put_gated(job: &Job<'_>, gated: &Gated, row: usize, rows: usize, t: usize, sums: *const f32) {
    let silu = gated.activation == Activation::Silu as u32;
    // SAFETY: the caller's promise; a part has whole tiles, so that others' columns are other bytes of the row.
    unsafe {
        // Whole tiles of sums are there, also of rows that are not.
        for first in (0..rows).step_by(TOGETHER) {
            let (mut g, mut u) = ([_mm512_setzero_ps(); TOGETHER], [_mm512_setzero_ps(); TOGETHER]);
            for (r, (g, u)) in (first..).zip(g.iter_mut().zip(&mut u)) {
                let sums = sums.add(r * LANES);
                (*g, *u) = (_mm512_load_ps(sums), _mm512_load_ps(sums.add(SUMS)));
            }
            for (r, y) in (first..rows).zip(gate(silu, g, u)) {
                let out = job.formatted(gated, row + r);
                let put = |to: *mut u8, v: __m256i| _mm256_storeu_si256(to.cast(), v);
                match gated.format {
                    ActFormat::Bf16 => put(out.add(t * LANES * 2), bf16(y)),
                    ActFormat::Bf16Pair => {
                        let to = out.add(t / 2 * PAIR_BYTES + t % 2 * LANES * 2);
                        let value = bf16(y);
                        put(to, value);
                        put(to.add(PAIR_BYTES / 2), bf16(_mm512_sub_ps(y, wide(value))));
                    }
                    _ => _mm512_storeu_ps(out.add(t * LANES * 4).cast(), y),
                }
            }
        }
    }
}

/// The activation of gates times their ups.
#[inline(always)]
unsafe fn gate(silu: bool, g: [__m512; TOGETHER], u: [__m512; TOGETHER]) -> [__m512; TOGETHER] {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let mut x = g;
        for x in &mut x {
            if silu {
                *x = _mm512_sub_ps(_mm512_setzero_ps(), *x);
                continue;
            }
            // gelu_tanh: 0.5 (1 + tanh z) = 1 / (1 + e^(-2z))
            let cube = _mm512_mul_ps(_mm512_mul_ps(_mm512_mul_ps(_mm512_set1_ps(0.044_715), *x), *x), *x);
            let z = _mm512_mul_ps(_mm512_set1_ps(0.797_884_6), _mm512_add_ps(*x, cube));
            *x = _mm512_mul_ps(_mm512_set1_ps(-2.0), z);
        }
        let mut y = one_and_exp(x);
        for i in 0..TOGETHER {
            y[i] = _mm512_mul_ps(_mm512_div_ps(g[i], y[i]), u[i]);
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row and tile is somebody's, and nobody else's.
    #[test]
    fn parts_cover_all_rows_and_tiles_once() {
        for (tiles, unit) in
            [(1, 2), (2, 2), (3, 2), (17, 2), (36, 4), (60, 2), (128, 8), (1024, 2), (48, 16)]
        {
            for rows in [1, 9, 31, 32, 33, 129, 512, 700] {
                for stride in [320, 4160, 16_448] {
                    for parts in [1u32, 2, 3, 8, 64, 100] {
                        let mut seen = vec![0u8; tiles * rows];
                        for part in 0..parts {
                            let (t, r) = cut(tiles, unit, rows, stride, part, parts);
                            assert!(t.start.is_multiple_of(unit), "{t:?}");
                            assert!(r.start % 32 == 0, "{r:?}");
                            for r in r {
                                t.clone().for_each(|t| seen[r * tiles + t] += 1);
                            }
                        }
                        let what = format!("{tiles} tiles, {rows} rows, stride {stride}, {parts} parts");
                        assert!(seen.iter().all(|n| *n == 1), "{what}");
                    }
                }
            }
        }
    }
}
