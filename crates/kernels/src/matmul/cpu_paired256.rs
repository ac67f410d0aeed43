//! Kernels for AVX2 of weights with codes of up to six bits and activations whose halves lie in turn ([`Q8PairedBlock`]).
//!
//! AVX2 multiplies bytes, pairs and floats in the same two units, and `cpu_bytes256` widens and scales each half of a block by
//! itself. Here a 16-bit lane adds up one half's products: two columns of a half beside two of the other in every dword. Then one
//! `vpmaddwd` by the halves' steps, which are whole numbers, both widens the sums and adds the halves up, so that floats meet a block
//! once.
//!
//! 16 products of a byte and a code of five bits around its centre fit a 16-bit lane. Codes are multiplied unsigned, and what that adds is
//! subtracted in 16 bits: a carry on the way does no harm, since the result fits. Unsigned codes of four bits fit as they are, which
//! serves formats with minimums. Codes of six bits need a sum for each half of the chunks.
//!
//! The steps' unit is a power of two, whose exponent is added to the weights' scales. So these are normal numbers: codes of a block whose scale is
//! zero or smaller than 2^-60 are at their centre. Where activations are not finite, an addition with saturation makes a NaN of a positive scale.
//!
//! Where weights have a scale for each half, the larger one is the block's, and steps are multiplied by what the halves' are of it.
//!
//! Functions without an instruction level of their own are `inline(always)`, as in `cpu_bytes256`.

use super::cpu_bytes256::{FIVE, FOUR, SIX, align_stack, ask, link, pin, unpack, unroll};
use super::cpu_tile::{Form, Ladder, Many, PANEL_SUB, Panel, PanelStep, Panels, SLAB, Tile, Version, ladder};
use crate::act::{Q8PairedBlock, Units};
use crate::glu::cpu::gates_avx2;
use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};

/// Kernels of a quantized form.
pub(super) struct Paired<F>(PhantomData<F>);

impl<F: Form> Version for Paired<F> {
    const FEW: Ladder = ladder!(few, F, 1, [1]);
    const MANY: Many = Many::Panels(panels::<F>());
}

/// How a form's codes are multiplied. (Forms that this file does not serve have a kind too, since kernels are named for all.)
const fn kind<F: Form>() -> u32 {
    match (F::CODES.bits(), F::SCALES.minimums()) {
        (6.., _) => SIX,
        (..=4, true) => FOUR,
        _ => FIVE,
    }
}

/// Bytes of half a tile's sub-block in a panel: codes; what the halves' scales are of the block's, if they differ; scales; offsets.
const fn stride(halves: bool, offsets: bool) -> usize {
    256 + 32 * (1 + halves as usize + offsets as usize)
}

const _: () = assert!(2 * stride(true, true) <= PANEL_SUB);

const fn panels<F: Form>() -> Panels {
    macro_rules! panels {
        ($kind:ident, $halves:literal, $offsets:literal, $($rows:literal)*) => {
            Panels {
                fill: fill::<F>,
                slab: SLAB,
                x_block: size_of::<Q8PairedBlock>(),
                spills: true,
                gates: gates_avx2,
                steps: &[$(PanelStep {
                    rows: $rows,
                    one: multiply::<$kind, 1, $rows, $halves, $offsets>,
                    wide: multiply::<$kind, 2, $rows, $halves, $offsets>,
                }),*],
            }
        };
    }
    match (kind::<F>(), F::SCALES.halves(), F::SCALES.minimums()) {
        (FOUR, ..) => panels!(FOUR, false, true, 3 2 1),
        (SIX, false, true) => panels!(SIX, false, true, 3 2 1),
        (SIX, ..) => panels!(SIX, true, false, 3 2 1),
        (_, true, _) => panels!(FIVE, true, false, 3 2 1),
        (_, _, true) => panels!(FIVE, false, true, 3 2 1),
        (_, _, false) => panels!(FIVE, false, false, 3 2 1),
    }
}

/// 32 columns of 8 rows, ready to multiply.
struct Block {
    /// Codes at the top of so many bits as the kind has: two columns of each half a dword.
    q: [__m256i; 8],
    /// What the halves' scales are of the block's, in 2^-15, in each dword.
    ratios: __m256i,
    /// The block's scales, for such codes; positive where there is no minimum.
    d: __m256i,
    /// Its offsets, for codes as they are multiplied.
    m: __m256,
}

/// Unpacks rows 8h.. of sub-block `b` of a tile.
///
/// # Safety
/// The tile has at least `b + 1` sub-blocks; the machine has the level.
#[inline(always)]
unsafe fn block<F: Form, const KIND: u32>(t: &Tile, b: usize, h: usize) -> Block {
    // SAFETY: the caller's promise.
    unsafe {
        let w = unpack::<F, KIND>(t, b, h);
        let (ratios, d) = match F::SCALES.halves() {
            true => ratios(w.d),
            false => (_mm256_setzero_si256(), w.d[0]),
        };
        // Scales are for codes at the top of a byte.
        let by = match KIND {
            FOUR => 16.0,
            FIVE => 8.0,
            _ => 4.0,
        };
        let d = _mm256_mul_ps(d, _mm256_set1_ps(by));
        let m = match F::SCALES.minimums() {
            true => _mm256_fmadd_ps(d, _mm256_set1_ps(f32::from(centre(KIND))), w.m[0]),
            false => w.m[0],
        };
        let normal = normal(d);
        let (some, none) = (_mm256_castps_si256(normal.some), _mm256_set1_epi8(centre(KIND)));
        // Without a minimum scales are positive: codes turn around their centre.
        let turned = !F::SCALES.halves() && !F::SCALES.minimums();
        let code = |q: __m256i| {
            let q = if turned {
                let around = _mm256_sub_epi8(_mm256_set1_epi8(2 * centre(KIND)), q);
                let (q, around) = (_mm256_castsi256_ps(q), _mm256_castsi256_ps(around));
                _mm256_castps_si256(_mm256_blendv_ps(q, around, d))
            } else {
                q
            };
            _mm256_blendv_epi8(none, q, some)
        };
        let mut q = [_mm256_setzero_si256(); 8];
        for c in 0..4 {
            let (first, last) = (code(w.q[c]), code(w.q[4 + c]));
            q[2 * c] = _mm256_blend_epi16::<0xAA>(first, _mm256_slli_epi32::<16>(last));
            q[2 * c + 1] = _mm256_blend_epi16::<0xAA>(_mm256_srli_epi32::<16>(first), last);
        }
        let scale = if turned { _mm256_andnot_ps(_mm256_set1_ps(-0.0), normal.scale) } else { normal.scale };
        let d = _mm256_castps_si256(scale);
        Block { q, ratios, d, m }
    }
}

/// What stands for a weight of zero in a kind, before its minimum.
pub(super) const fn centre(kind: u32) -> i8 {
    match kind {
        FOUR => 0,
        FIVE => 16,
        _ => 32,
    }
}

/// Scales that an exponent of [`crate::act::Units`] can be added to.
pub(super) struct Normal {
    /// From 2^-60 to 2^40, of either sign; one where there is none.
    pub(super) scale: __m256,
    /// Where there is one: codes of other blocks are at their centre.
    pub(super) some: __m256,
}

/// Scales that are zero or smaller than 2^-60 are none.
#[inline(always)]
pub(super) unsafe fn normal(d: __m256) -> Normal {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let sign = _mm256_set1_ps(-0.0);
        let size = _mm256_min_ps(_mm256_andnot_ps(sign, d), _mm256_set1_ps(Units::unit(40)));
        let some = _mm256_cmp_ps::<_CMP_GE_OQ>(size, _mm256_set1_ps(Units::unit(-60)));
        let signed = _mm256_or_ps(size, _mm256_and_ps(sign, d));
        Normal { scale: _mm256_blendv_ps(_mm256_set1_ps(1.0), signed, some), some }
    }
}

/// Two halves' scales as the larger one and what they are of it.
#[inline(always)]
unsafe fn ratios(d: [__m256; 2]) -> (__m256i, __m256) {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let size = |d| _mm256_andnot_ps(_mm256_set1_ps(-0.0), d);
        let most = _mm256_max_ps(size(d[0]), size(d[1]));
        // Where both are zero, their parts are too.
        let some = _mm256_cmp_ps::<_CMP_NEQ_UQ>(most, _mm256_setzero_ps());
        let inv = _mm256_and_ps(some, _mm256_div_ps(_mm256_set1_ps(RATIO), most));
        let of = |d| _mm256_cvtps_epi32(_mm256_mul_ps(d, inv));
        let ratios = _mm256_blend_epi16::<0xAA>(of(d[0]), _mm256_slli_epi32::<16>(of(d[1])));
        (ratios, _mm256_mul_ps(most, _mm256_set1_ps(32768.0 / RATIO)))
    }
}

/// The larger of two halves' scales, as a part of itself in 16 bits.
const RATIO: f32 = 32767.0;

/// A sum of products of a block, of codes as they are multiplied.
#[derive(Clone, Copy)]
struct Sum {
    /// What is not widened yet.
    pairs: __m256i,
    /// The first half of the chunks, of codes of six bits.
    first: __m256i,
}

#[inline(always)]
unsafe fn int(x: *const u8, at: usize) -> __m256i {
    // SAFETY: the caller has four bytes there.
    unsafe { _mm256_set1_epi32(x.add(at).cast::<i32>().read_unaligned()) }
}

#[inline(always)]
unsafe fn float(x: *const u8, at: usize) -> __m256 {
    // SAFETY: the caller has four bytes there.
    unsafe { _mm256_set1_ps(x.add(at).cast::<f32>().read_unaligned()) }
}

/// What widens a row's sums: the halves' steps.
#[inline(always)]
unsafe fn steps<const HALVES: bool>(x: *const u8, ratios: __m256i) -> __m256i {
    // SAFETY: the caller has a block at `x`, and the level.
    unsafe {
        let steps = int(x, offset_of!(Q8PairedBlock, steps));
        if HALVES { _mm256_mulhrs_epi16(steps, ratios) } else { steps }
    }
}

impl Sum {
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller promises that the CPU has the level.
        unsafe { Self { pairs: _mm256_setzero_si256(), first: _mm256_setzero_si256() } }
    }

    /// Adds chunk `c` of eight, of the block at `x`.
    #[inline(always)]
    unsafe fn add<const KIND: u32>(&mut self, c: usize, q: __m256i, x: __m256i) {
        // SAFETY: the caller promises that the CPU has the level.
        unsafe {
            let number = if KIND == SIX { c % 4 } else { c };
            self.pairs = link(self.pairs, number, _mm256_maddubs_epi16(q, x));
        }
    }

    /// After the first half of the chunks of the block at `x`.
    #[inline(always)]
    unsafe fn half<const KIND: u32>(&mut self, steps: __m256i, x: *const u8) {
        // SAFETY: the caller has a block at `x`, and the level.
        unsafe {
            if KIND == SIX {
                let bias = int(x, offset_of!(Q8PairedBlock, biases_of_eight));
                self.first = _mm256_madd_epi16(_mm256_add_epi16(self.pairs, bias), steps);
            }
        }
    }

    /// The whole sum, in the block's units.
    #[inline(always)]
    unsafe fn whole<const KIND: u32>(self, steps: __m256i, x: *const u8) -> __m256i {
        // SAFETY: the caller has a block at `x`, and the level.
        unsafe {
            match KIND {
                FOUR => _mm256_madd_epi16(self.pairs, steps),
                FIVE => {
                    let bias = int(x, offset_of!(Q8PairedBlock, biases));
                    _mm256_madd_epi16(_mm256_add_epi16(self.pairs, bias), steps)
                }
                _ => {
                    let bias = int(x, offset_of!(Q8PairedBlock, biases_of_eight) + 4);
                    let last = _mm256_madd_epi16(_mm256_add_epi16(self.pairs, bias), steps);
                    _mm256_add_epi32(self.first, last)
                }
            }
        }
    }
}

/// Takes a block's product, scaled, into a row's 8 sums. These are not finite where the block at `x` is not: there its exponent makes a NaN of
/// positive scales, and offsets meet an infinite sum.
#[inline(always)]
unsafe fn take<const OFFSETS: bool>(acc: &mut __m256, product: __m256i, d: __m256i, m: __m256, x: *const u8) {
    // SAFETY: the caller has a block at `x`, and the level.
    unsafe {
        let scale = _mm256_adds_epi16(d, int(x, offset_of!(Q8PairedBlock, exponent)));
        *acc = _mm256_fmadd_ps(_mm256_cvtepi32_ps(product), _mm256_castsi256_ps(scale), *acc);
        if OFFSETS {
            *acc = _mm256_fmadd_ps(m, float(x, offset_of!(Q8PairedBlock, sum)), *acc);
        }
    }
}

/// One row with one tile.
///
/// # Safety
/// As [`super::cpu_tile::TileFn`], for rows of [`Q8PairedBlock`].
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn few<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe {
        align_stack!();
        match const { (kind::<F>(), F::SCALES.halves(), F::SCALES.minimums()) } {
            (FOUR, ..) => tile::<F, FOUR, false, true>(t),
            (SIX, false, true) => tile::<F, SIX, false, true>(t),
            (SIX, ..) => tile::<F, SIX, true, false>(t),
            (_, true, _) => tile::<F, FIVE, true, false>(t),
            (_, _, true) => tile::<F, FIVE, false, true>(t),
            (_, _, false) => tile::<F, FIVE, false, false>(t),
        }
    }
}

/// [`few`] of a kind.
///
/// # Safety
/// As [`few`]; the machine has the level.
#[inline(always)]
unsafe fn tile<F: Form, const KIND: u32, const HALVES: bool, const OFFSETS: bool>(t: &Tile) {
    // SAFETY: block b of k/32 lies inside the tile and inside the row, by the caller's promise; so do the results in `out`.
    unsafe {
        let mut acc = [_mm256_setzero_ps(); 2];
        for b in 0..t.k / 32 {
            ask::<F>(t, b);
            let x = t.x.add(b * size_of::<Q8PairedBlock>());
            unroll!(2, h, {
                let w = block::<F, KIND>(t, b, h);
                let steps = steps::<HALVES>(x, w.ratios);
                let mut sum = Sum::new();
                unroll!(8, c, {
                    sum.add::<KIND>(c, w.q[c], int(x, 4 * c));
                    if c == 3 {
                        sum.half::<KIND>(steps, x);
                    }
                });
                take::<OFFSETS>(&mut acc[h], sum.whole::<KIND>(steps, x), w.d, w.m, x);
            });
        }
        unroll!(2, h, { _mm256_store_ps(t.out.add(h * 8), acc[h]) });
    }
}

/// Unpacks sub-blocks `from..from + count` of `tiles` tiles: `[sub-blocks][tiles][2 halves]`.
///
/// # Safety
/// The tiles have these sub-blocks; `panel` is aligned to 32 bytes and has room; the machine has the level.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn fill<F: Form>(t: &Tile, tiles: usize, from: usize, count: usize, panel: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        align_stack!();
        match const { kind::<F>() } {
            FOUR => fill_kind::<F, FOUR>(t, tiles, from, count, panel),
            SIX => fill_kind::<F, SIX>(t, tiles, from, count, panel),
            _ => fill_kind::<F, FIVE>(t, tiles, from, count, panel),
        }
    }
}

/// [`fill`] of a kind.
///
/// # Safety
/// As [`fill`].
#[inline(always)]
unsafe fn fill_kind<F: Form, const KIND: u32>(
    t: &Tile,
    tiles: usize,
    from: usize,
    count: usize,
    panel: *mut u8,
) {
    let (halves, offsets) = (F::SCALES.halves(), F::SCALES.minimums());
    for i in 0..tiles {
        // SAFETY: the caller's promise.
        unsafe {
            let tile = Tile { w: t.w.add(i * t.w_stride), ..*t };
            for b in 0..count {
                ask::<F>(&tile, from + b);
                unroll!(2, h, {
                    let to = panel.add(((b * tiles + i) * 2 + h) * stride(halves, offsets));
                    let block = block::<F, KIND>(&tile, from + b, h);
                    for c in 0..8 {
                        _mm256_store_si256(to.add(32 * c).cast(), block.q[c]);
                    }
                    _mm256_store_si256(to.add(256).cast(), block.d);
                    if halves {
                        _mm256_store_si256(to.add(288).cast(), block.ratios);
                    }
                    if offsets {
                        _mm256_store_ps(to.add(288).cast(), block.m);
                    }
                });
            }
        }
    }
}

/// Adds a panel's products with `ROWS` rows to their sums, a tile after the other.
///
/// # Safety
/// The panel's pointers are valid for that many rows and tiles, its memory is aligned to 32 bytes, and the machine has
/// the level.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn multiply<
    const KIND: u32,
    const TILES: usize,
    const ROWS: usize,
    const HALVES: bool,
    const OFFSETS: bool,
>(
    p: &Panel,
) {
    let stride = stride(HALVES, OFFSETS);
    // SAFETY: it does nothing.
    unsafe { align_stack!() };
    for i in 0..TILES {
        // SAFETY: all offsets lie in the panel, in the rows' blocks or in the sums, by the caller's promise.
        unsafe {
            let sums = p.sums.add(16 * i);
            let mut acc = [[_mm256_setzero_ps(); 2]; ROWS];
            if !p.first {
                for r in 0..ROWS {
                    for v in 0..2 {
                        acc[r][v] = _mm256_load_ps(sums.add(r * TILES * 16 + v * 8));
                    }
                }
            }
            for b in 0..p.blocks {
                let w = p.w.add((b * TILES + i) * 2 * stride);
                let x = p.x.add(b * size_of::<Q8PairedBlock>());
                // The next rows' blocks: a processor does not see that they will follow.
                if i + 1 == TILES {
                    for r in ROWS..2 * ROWS {
                        _mm_prefetch::<_MM_HINT_T0>(x.wrapping_add(r * p.x_stride).cast());
                    }
                }
                let steps = |r: usize, v: usize| {
                    let ratios = _mm256_load_si256(w.add(v * stride + 288).cast());
                    steps::<HALVES>(x.add(r * p.x_stride), ratios)
                };
                let mut sum = [[Sum::new(); 2]; ROWS];
                unroll!(8, c, {
                    let mut q = [_mm256_setzero_si256(); 2];
                    for v in 0..2 {
                        q[v] = _mm256_load_si256(w.add(v * stride + 32 * c).cast());
                    }
                    for r in 0..ROWS {
                        let x = int(x, r * p.x_stride + 4 * c);
                        for v in 0..2 {
                            sum[r][v].add::<KIND>(c, q[v], x);
                        }
                    }
                    for r in 0..ROWS {
                        for v in 0..2 {
                            pin(&mut sum[r][v].pairs);
                        }
                    }
                    if c == 3 && KIND == SIX {
                        for r in 0..ROWS {
                            for v in 0..2 {
                                sum[r][v].half::<KIND>(steps(r, v), x.add(r * p.x_stride));
                            }
                        }
                    }
                });
                for r in 0..ROWS {
                    let x = x.add(r * p.x_stride);
                    for v in 0..2 {
                        let at = w.add(v * stride + 256);
                        let d = _mm256_load_si256(at.cast());
                        let m = if OFFSETS { _mm256_load_ps(at.add(32).cast()) } else { _mm256_setzero_ps() };
                        take::<OFFSETS>(&mut acc[r][v], sum[r][v].whole::<KIND>(steps(r, v), x), d, m, x);
                    }
                }
            }
            for r in 0..ROWS {
                for v in 0..2 {
                    _mm256_store_ps(sums.add(r * TILES * 16 + v * 8), acc[r][v]);
                }
            }
        }
    }
}
