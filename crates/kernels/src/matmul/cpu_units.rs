//! Products of many rows on the matrix unit of x86-64, in bf16 with f32 sums.
//!
//! A slab of columns of two tiles of weights is dequantized once for all rows into a *panel* of bf16, which stays in the
//! first-level cache; activations come in bf16 as they lie, from the second. (The unit's tiles are not the weights' ones: 32
//! columns of a weight tile fill one of the unit's.) Two of the unit's tiles of rows by two of weights make four products for
//! four loads. There are two panels: while one is multiplied, the vector units fill
//! the other. Tiles are the inner loop and slabs the one around it, so that a slab's activations serve a group of tiles
//! before they leave the second-level cache; sums wait there, and go straight to the output when they are whole.
//!
//! Where a number of either side has two parts, the sum takes `value * value`, `rest * value` and `value * rest`; the
//! fourth product is too small to matter.
//!
//! Each output's sum has the order of k, cut at places that only k decides: a row's bits never depend on its neighbours.

use super::cpu::Job;
use super::cpu_avx512::pair;
use super::cpu_avx512_unpack::{load, unpack, unroll};
use super::cpu_tile::{Form, LANES, Ladder, Many, Tile, Version};
use crate::cpu::share;
use crate::dtype::DType;
use crate::matrix_unit::{Amx, Emulated, MatrixUnit, ROW, ROWS, TILE, columns};
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
const BF16: u32 = DType::Bf16 as u32;

/// Most blocks of 32 columns in a slab, of activations in one part. Its panel, and as much again of activations, stay in a
/// first-level cache of which another thread may have half.
const SLAB: usize = 8;
/// Tiles of weights whose sums are kept at once.
const GROUP: usize = 16;
/// Rows whose sums are kept at once.
const MOST_ROWS: usize = 512;
/// Elements of one of the unit's tiles of sums.
const SUMS: usize = TILE / size_of::<f32>();
/// Bytes of one tile's slab in the panel.
const PANEL: usize = SLAB * TILE;
/// Bytes from a row of the tail to the next: a slab's activations, and a line, so that rows are not in the same set of a
/// cache.
const TAIL_ROW: usize = SLAB * ROW + ROW;

/// A worker's memory, on its stack. Never initialised as a whole.
#[repr(C, align(64))]
struct Workspace {
    /// Two panels, one to multiply and one to fill: `[2 tiles][blocks][parts]`, each one of the unit's tiles.
    panels: [[u8; 2 * PANEL]; 2],
    /// The last rows' activations of a slab, where they do not fill one of the unit's tiles, and zeros.
    tail: [u8; ROWS * TAIL_ROW],
    /// `[pairs of tiles][16 rows each][2 tiles]`, each one of the unit's tiles.
    sums: [f32; MOST_ROWS / ROWS * GROUP * SUMS],
}

/// Dequantizes blocks `from..from + count` of a tile of weights: (tile, from, count, panel).
type Fill = unsafe fn(&Tile, usize, usize, *mut u8);

/// # Safety
/// As [`super::cpu_tile::Many::Units`], of a form's weights and `bf16` activations.
unsafe fn quant<U: MatrixUnit, F: Form>(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { products::<U, 1, 1>(job, fill::<F>, rows, tiles) }
}

/// # Safety
/// As [`super::cpu_tile::Many::Units`], of a format's weights and `bf16pair` activations.
unsafe fn float<U: MatrixUnit, const D: u32>(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe {
        match D {
            BF16 => products::<U, 2, 1>(job, copy, rows, tiles),
            F16 => products::<U, 2, 2>(job, split, rows, tiles),
            _ => products::<U, 2, 1>(job, round::<D>, rows, tiles),
        }
    }
}

/// A part's tiles and rows: pairs of tiles for each, or more where all activations are too many for a second-level cache, so
/// that what is fetched of them is used for long; rows are cut where there are too few tiles. Parts that are left over
/// have none.
pub(super) fn cut(
    tiles: usize,
    rows: usize,
    x_stride: usize,
    part: u32,
    parts: u32,
) -> (Range<usize>, Range<usize>) {
    /// Fewer rows would waste what dequantizing costs.
    const LEAST_ROWS: usize = 128;
    let least = if rows * x_stride <= 1 << 20 { 2 } else { 8 };
    let by_tiles = tiles.div_ceil(least).clamp(1, parts as usize);
    let by_rows = (parts as usize / by_tiles).min(rows.div_ceil(LEAST_ROWS)).max(1);
    let mine = share(by_tiles * by_rows, part, parts);
    if mine.is_empty() {
        return (0..0, 0..0);
    }
    let pairs = share(tiles.div_ceil(2), (mine.start % by_tiles) as u32, by_tiles as u32);
    let blocks = share(rows.div_ceil(2 * ROWS), (mine.start / by_tiles) as u32, by_rows as u32);
    (2 * pairs.start..tiles.min(2 * pairs.end), blocks.start * 2 * ROWS..rows.min(blocks.end * 2 * ROWS))
}

/// Products of some rows and tiles, of activations in `X` parts and weights in `W`. Not inlined: its stack is large.
///
/// # Safety
/// As [`super::cpu_tile::Many::Units`]; `fill` is one for the weights and gives so many parts.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn products<U: MatrixUnit, const X: usize, const W: usize>(
    job: &Job<'_>,
    fill: Fill,
    rows: Range<usize>,
    tiles: Range<usize>,
) {
    if rows.is_empty() || tiles.is_empty() {
        return;
    }
    let mut work = MaybeUninit::<Workspace>::uninit();
    let work = work.as_mut_ptr();
    // SAFETY: addresses only; nothing is read before it is written.
    let (panels, tail, sums) = unsafe {
        (
            (&raw mut (*work).panels).cast::<u8>(),
            (&raw mut (*work).tail).cast(),
            (&raw mut (*work).sums).cast(),
        )
    };
    let panels = [panels, panels.wrapping_add(2 * PANEL)];
    let blocks = job.c.k as usize / 32;
    // Slabs of about the same width, whose activations have at most `SLAB` lines a row.
    let slab = blocks.div_ceil(blocks.div_ceil(SLAB / X));
    let work = Work { job, fill, blocks, slab, tail, sums, rows, tiles };
    // SAFETY: the machine has the unit, by the caller's promise.
    let mut unit = unsafe { U::begin() };
    let (mut at, mut turn) = (work.start(), 0);
    // SAFETY: places are inside the bindings and this part's own, each panel is filled before its turn, and earlier slabs
    // have left their sums.
    unsafe {
        work.fill::<W>(at, 0..work.width(at) * work.count(at), panels[0]);
        loop {
            let next = work.after(at);
            work.run::<U, X, W>(&mut unit, at, panels[turn], next.map(|next| (next, panels[1 - turn])));
            let Some(next) = next else { break };
            (at, turn) = (next, 1 - turn);
        }
    }
}

/// A part's work: its rows and tiles, and where it happens.
struct Work<'a> {
    job: &'a Job<'a>,
    fill: Fill,
    /// Blocks of 32 columns, in all and in a slab.
    blocks: usize,
    slab: usize,
    tail: *mut u8,
    sums: *mut f32,
    rows: Range<usize>,
    tiles: Range<usize>,
}

/// What one panel serves: up to two tiles of a slab, and the rows whose sums are kept.
#[derive(Clone, Copy)]
struct Place {
    /// The first of the rows.
    row: usize,
    /// The first tile of the group.
    group: usize,
    /// The slab's first block.
    block: usize,
    tile: usize,
}

impl Work<'_> {
    fn start(&self) -> Place {
        Place { row: self.rows.start, group: self.tiles.start, block: 0, tile: self.tiles.start }
    }

    /// Tiles innermost, then slabs, groups and rows.
    fn after(&self, at: Place) -> Option<Place> {
        if at.tile + 2 < self.tiles.end.min(at.group + GROUP) {
            return Some(Place { tile: at.tile + 2, ..at });
        }
        if at.block + self.slab < self.blocks {
            return Some(Place { block: at.block + self.slab, tile: at.group, ..at });
        }
        if at.group + GROUP < self.tiles.end {
            let group = at.group + GROUP;
            return Some(Place { group, tile: group, block: 0, ..at });
        }
        let row = at.row + MOST_ROWS;
        (row < self.rows.end).then_some(Place { row, ..self.start() })
    }

    /// Tiles of a place.
    fn width(&self, at: Place) -> usize {
        2.min(self.tiles.end - at.tile)
    }

    /// Blocks of its slab.
    fn count(&self, at: Place) -> usize {
        self.slab.min(self.blocks - at.block)
    }

    /// Dequantizes some of a place's blocks, the first tile's before the second's.
    ///
    /// # Safety
    /// The place has these blocks, and the panel is nobody else's.
    #[inline(always)]
    unsafe fn fill<const W: usize>(&self, at: Place, blocks: Range<usize>, panel: *mut u8) {
        let count = self.count(at);
        for j in blocks.start / count..blocks.end.div_ceil(count) {
            let (from, to) =
                (blocks.start.max(j * count) - j * count, blocks.end.min((j + 1) * count) - j * count);
            // SAFETY: the caller's promise.
            unsafe {
                let tile = self.job.tile(at.tile + j, at.row, self.sums);
                (self.fill)(&tile, at.block + from, to - from, panel.add(j * PANEL + from * W * TILE));
            }
        }
    }

    /// Multiplies a place's panel by all its rows. Meanwhile the next place's panel is filled, a share after every 32 rows:
    /// a core's vector units have little else to do while its tiles multiply.
    ///
    /// # Safety
    /// The places are this part's, the panel is filled, and sums of all earlier slabs are in `sums`.
    #[inline(always)]
    unsafe fn run<U: MatrixUnit, const X: usize, const W: usize>(
        &self,
        unit: &mut U,
        at: Place,
        panel: *const u8,
        next: Option<(Place, *mut u8)>,
    ) {
        let job = self.job;
        let rows = at.row..self.rows.end.min(at.row + MOST_ROWS);
        let (wide, count, t) = (self.width(at) == 2, self.count(at), at.tile);
        let (first, last) = (at.block == 0, at.block + count == self.blocks);
        let left = rows.len() % ROWS;
        // SAFETY: addresses in the rows, whose slabs of columns are inside the binding, in the panel and in the sums.
        unsafe {
            let x = |r: usize| job.x(r).add(at.block * X * ROW);
            if left > 0 && t == at.group {
                self.tail.write_bytes(0, ROWS * TAIL_ROW);
                for i in 0..left {
                    let to = self.tail.add(i * TAIL_ROW);
                    std::ptr::copy_nonoverlapping(x(rows.end - left + i), to, count * X * ROW);
                }
            }
            // Where 16 rows from r on are, and how far from each other.
            let sixteen = |r: usize| {
                if r + ROWS > rows.end { (self.tail.cast_const(), TAIL_ROW) } else { (x(r), job.x_stride) }
            };
            let whole = |r: usize| r + 2 * ROWS <= rows.end && (t + 2) * LANES <= job.c.n as usize;
            let (steps, mut filled) = (rows.len().div_ceil(2 * ROWS), 0);
            for (i, r) in rows.clone().step_by(2 * ROWS).enumerate() {
                let high = rows.end - r > ROWS;
                let row_tiles = (t - at.group) / 2 * (MOST_ROWS / ROWS) + 2 * i;
                let sums = self.sums.add(row_tiles * 2 * SUMS);
                // Sums that are whole and stay as they are go where they belong.
                let straight = last && wide && job.residual().is_none() && whole(r);
                let out = if straight {
                    let stride = job.c.out_stride as usize;
                    Some((job.out().add(r * stride + job.c.out_col as usize + t * LANES).cast(), stride * 4))
                } else {
                    None
                };
                let x = [sixteen(r), sixteen(if high { r + ROWS } else { r })];
                match (high, wide) {
                    (true, true) => multiply::<U, X, W, 2, 2>(unit, x, panel, count, sums, first, out),
                    (true, false) => multiply::<U, X, W, 2, 1>(unit, x, panel, count, sums, first, out),
                    (false, true) => multiply::<U, X, W, 1, 2>(unit, x, panel, count, sums, first, out),
                    (false, false) => multiply::<U, X, W, 1, 1>(unit, x, panel, count, sums, first, out),
                }
                if last && !straight {
                    for h in 0..1 + usize::from(high) {
                        let count = ROWS.min(rows.end - r - h * ROWS);
                        for j in 0..1 + usize::from(wide) {
                            put(job, r + h * ROWS, count, t + j, sums.add((2 * h + j) * SUMS));
                        }
                    }
                }
                // The next slab's activations, a share for each panel.
                let ahead = if at.block + count < self.blocks { at.block + self.slab } else { 0 };
                for line in ((t - at.group) / 2..self.slab * X).step_by(GROUP / 2) {
                    for row in r..rows.end.min(r + 2 * ROWS) {
                        let line = job.x(row).wrapping_add(ahead * X * ROW + line * ROW);
                        _mm_prefetch::<_MM_HINT_T1>(line.cast());
                    }
                }
                if let Some((next, panel)) = next {
                    let all = self.width(next) * self.count(next);
                    let until = all * (i + 1) / steps;
                    if filled < until {
                        self.fill::<W>(next, filled..until, panel);
                    }
                    filled = until;
                }
            }
        }
    }
}

/// Adds the products of `R` times 16 rows and `C` tiles of weights, over some blocks of columns, to their sums, which
/// are left there or, four of them, at `out` with rows so many bytes apart.
///
/// # Safety
/// Rows of so many blocks begin at both places of `x`, at so many bytes from each other; `w` is a panel, `sums` as in
/// [`Workspace`]; the machine has the unit.
#[inline(always)]
unsafe fn multiply<U: MatrixUnit, const X: usize, const W: usize, const R: usize, const C: usize>(
    unit: &mut U,
    x: [(*const u8, usize); 2],
    w: *const u8,
    blocks: usize,
    sums: *mut f32,
    first: bool,
    out: Option<(*mut u8, usize)>,
) {
    let sums = sums.cast::<u8>();
    // SAFETY: the caller's promise. Sums are in the unit's tiles 0 to 3, rows in 4 and 5, weights in 6 and 7.
    unsafe {
        macro_rules! each_sum {
            ($do:ident $(, $by:expr)?) => {
                unit.$do::<0>($(sums, $by)?);
                if C == 2 {
                    unit.$do::<1>($(sums.add(TILE), $by)?);
                }
                if R == 2 {
                    unit.$do::<2>($(sums.add(2 * TILE), $by)?);
                }
                if R == 2 && C == 2 {
                    unit.$do::<3>($(sums.add(3 * TILE), $by)?);
                }
            };
        }
        if first {
            each_sum!(zero);
        } else {
            each_sum!(load, ROW);
        }
        for b in 0..blocks {
            for part in 0..W {
                let w = w.add((b * W + part) * TILE);
                // The rests of both sides do not meet.
                for x_part in 0..X - part {
                    let at = (b * X + x_part) * ROW;
                    if x_part == 0 {
                        unit.load::<6>(w, ROW);
                    }
                    unit.load::<4>(x[0].0.add(at), x[0].1);
                    unit.product::<0, 4, 6>();
                    if C == 2 {
                        if x_part == 0 {
                            unit.load::<7>(w.add(PANEL), ROW);
                        }
                        unit.product::<1, 4, 7>();
                    }
                    if R == 2 {
                        unit.load::<5>(x[1].0.add(at), x[1].1);
                        unit.product::<2, 5, 6>();
                    }
                    if R == 2 && C == 2 {
                        unit.product::<3, 5, 7>();
                    }
                }
            }
        }
        if let (Some((out, stride)), 2, 2) = (out, R, C) {
            unit.store::<0>(out, stride);
            unit.store::<1>(out.add(ROW), stride);
            unit.store::<2>(out.add(ROWS * stride), stride);
            unit.store::<3>(out.add(ROWS * stride + ROW), stride);
        } else {
            each_sum!(store, ROW);
        }
    }
}

/// Stores some rows of 16 sums at tile `t`'s columns of the output, leaving out those past n.
///
/// # Safety
/// As [`products`]; the rows and columns are this part's, and the sums are there.
#[inline(always)]
unsafe fn put(job: &Job<'_>, row: usize, rows: usize, t: usize, sums: *const f32) {
    let c = &job.c;
    let mask = u16::MAX >> (16 - LANES.min(c.n as usize - t * LANES));
    for r in 0..rows {
        let at = (row + r) * c.out_stride as usize + c.out_col as usize + t * LANES;
        // SAFETY: masked elements are inside the binding by the contract, and this part's. The residual may be the output
        // itself: it is read before it is written.
        unsafe {
            let mut v = _mm512_load_ps(sums.add(r * LANES));
            if let Some(base) = job.residual() {
                v = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, base.add(at)), v);
            }
            _mm512_mask_storeu_ps(job.out().add(at), mask, v);
        }
    }
}

/// A [`Fill`] for a quantized form: weights rounded to bf16.
///
/// # Safety
/// The tile has these blocks, the panel room for them and whole lines, and the machine the level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn fill<F: Form>(t: &Tile, from: usize, count: usize, panel: *mut u8) {
    // A byte in the low bits of 2^23 is 2^23 + byte.
    const MAGIC: f32 = 8_388_608.0;
    let (byte, magic) = (_mm512_set1_epi32(0xFF), _mm512_set1_epi32(MAGIC.to_bits() as i32));
    for b in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let block = unpack::<F>(t, from + b);
            let to = panel.add(b * TILE);
            unroll!(8, c, {
                unroll!(2, p, {
                    let value = |i: i32| {
                        let v = match i {
                            0 => block.q[c],
                            _ => _mm512_srlv_epi32(block.q[c], _mm512_set1_epi32(8 * i)),
                        };
                        // magic | (v & byte)
                        let v = _mm512_castsi512_ps(_mm512_ternarylogic_epi32::<0xF8>(magic, v, byte));
                        let v = _mm512_sub_ps(v, _mm512_set1_ps(MAGIC + 128.0));
                        if F::SCALES.minimums() {
                            _mm512_fmadd_ps(v, block.d[c / 4], block.m[c / 4])
                        } else {
                            _mm512_mul_ps(v, block.d[c / 4])
                        }
                    };
                    let both = nearest(value(2 * p as i32), value(2 * p as i32 + 1));
                    _mm512_store_si512(to.add((2 * c + p) * ROW).cast(), both);
                });
            });
        }
    }
}

/// As [`columns`], but a number in the middle between two of bf16 becomes the one farther from zero: four operations on integers
/// take less time than the conversion and a permutation.
#[inline(always)]
unsafe fn nearest(even: __m512, odd: __m512) -> __m512i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let half = _mm512_set1_epi32(0x8000);
        let even = _mm512_srli_epi32::<16>(_mm512_add_epi32(_mm512_castps_si512(even), half));
        let odd = _mm512_add_epi32(_mm512_castps_si512(odd), half);
        // even | (odd & high)
        let high = _mm512_set1_epi32(0xFFFF_0000u32 as i32);
        _mm512_ternarylogic_epi32::<0xF8>(even, odd, high)
    }
}

/// A [`Fill`] for BF16, which lies as the unit takes it.
///
/// # Safety
/// As [`fill`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn copy(t: &Tile, from: usize, count: usize, panel: *mut u8) {
    for i in 0..count * ROWS {
        // SAFETY: the caller's promise.
        unsafe { _mm512_store_si512(panel.add(i * ROW).cast(), load(t.w.add(from * TILE + i * ROW))) };
    }
}

/// A [`Fill`] for MXFP8, whose elements are exact in bf16.
///
/// # Safety
/// As [`fill`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn round<const D: u32>(t: &Tile, from: usize, count: usize, panel: *mut u8) {
    for i in 0..count * ROWS {
        // SAFETY: the caller's promise.
        unsafe {
            let [even, odd] = pair::<D>(t.w, from * ROWS + i);
            _mm512_store_si512(panel.add(i * ROW).cast(), columns(even, odd));
        }
    }
}

/// A [`Fill`] for F16: bf16 and what that loses, which has at most three bits.
///
/// # Safety
/// As [`fill`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn split(t: &Tile, from: usize, count: usize, panel: *mut u8) {
    for i in 0..count * ROWS {
        // SAFETY: the caller's promise.
        unsafe {
            let to = panel.add(i / ROWS * 2 * TILE + i % ROWS * ROW);
            let [even, odd] = pair::<F16>(t.w, from * ROWS + i);
            let both = columns(even, odd);
            _mm512_store_si512(to.cast(), both);
            let high = _mm512_set1_epi32(0xFFFF_0000u32 as i32);
            let even = _mm512_sub_ps(even, _mm512_castsi512_ps(_mm512_slli_epi32::<16>(both)));
            let odd = _mm512_sub_ps(odd, _mm512_castsi512_ps(_mm512_and_si512(both, high)));
            _mm512_store_si512(to.add(TILE).cast(), columns(even, odd));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row and tile is somebody's, and nobody else's.
    #[test]
    fn parts_cover_all_rows_and_tiles_once() {
        for tiles in [1, 2, 3, 17, 36, 60, 128, 1024] {
            for rows in [1, 9, 31, 32, 33, 129, 512, 700] {
                for stride in [320, 4160, 16_448] {
                    for parts in [1u32, 2, 3, 8, 64, 100] {
                        let mut seen = vec![0u8; tiles * rows];
                        for part in 0..parts {
                            let (t, r) = cut(tiles, rows, stride, part, parts);
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
