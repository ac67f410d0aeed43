//! Kernels for AVX-VNNI of weights with codes of up to five bits and one scale a block, and activations of which four columns of each half
//! lie in turn ([`Q8QuadsBlock`]).
//!
//! `vpdpbusd` shares two units with all products of floats, and `cpu_vnni256` gives each half of a block's columns a sum and a scale of its
//! own. Here a register of sums has both halves' of four weight rows beside each other, so that one load of eight activations serves both.
//! 16 products of a quant and a code of five bits around its centre fit 16 bits. So the sums of eight weight rows are packed into one
//! register, and one `vpmaddwd` by the halves' steps, which are whole numbers, adds the halves up. Their unit is a power of two: the
//! exponent is added to the weights' scales by units that do no products. For 32 columns of eight weight rows these are 10 operations of the two units
//! instead of 11, with a minimum 11 instead of 12, and 48 loads instead of 60 for three rows of 16 weight rows.
//!
//! Where activations are not finite, their block has the bits of a NaN for its scales. (An addition with saturation, as in `cpu_paired256`,
//! shares the two units on Intel's processors.)
//!
//! Functions without an instruction level of their own are `inline(always)`, as in `cpu_bytes256`.

use super::cpu_bytes256::{FIVE, FOUR, align_stack, ask, float, int, pin, unpack, unroll};
use super::cpu_paired256::{centre, normal};
use super::cpu_tile::{Form, Ladder, Many, PANEL_SUB, Panel, PanelStep, Panels, SLAB, Tile, Version, ladder};
use crate::act::Q8QuadsBlock;
use crate::glu::cpu::gates_avx2;
use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};

/// Kernels of a quantized form.
pub(super) struct Quads<F>(PhantomData<F>);

impl<F: Form> Version for Quads<F> {
    const FEW: Ladder = ladder!(few, F, 1, [1]);
    const MANY: Many = Many::Panels(panels::<F>());
}

/// Bits of codes as they are multiplied: four where a minimum meets the activations' sum anyway, so that nothing is centred, otherwise five.
const fn kind<F: Form>() -> u32 {
    match (F::CODES.bits(), F::SCALES.minimums()) {
        (..=4, true) => FOUR,
        _ => FIVE,
    }
}

/// Bytes of half a tile's sub-block in a panel: codes, scales, offsets.
const fn stride(offsets: bool) -> usize {
    256 + 32 * (1 + offsets as usize)
}

const _: () = assert!(2 * stride(true) <= PANEL_SUB);

const fn panels<F: Form>() -> Panels {
    macro_rules! panels {
        ($kind:ident, $offsets:literal, $($rows:literal)*) => {
            Panels {
                fill: fill::<F>,
                slab: SLAB,
                x_block: size_of::<Q8QuadsBlock>(),
                spills: true,
                gates: gates_avx2,
                steps: &[$(PanelStep {
                    rows: $rows,
                    one: multiply::<$kind, 1, $rows, $offsets>,
                    wide: multiply::<$kind, 2, $rows, $offsets>,
                }),*],
            }
        };
    }
    match (kind::<F>(), F::SCALES.minimums()) {
        (FOUR, _) => panels!(FOUR, true, 3 2 1),
        (_, true) => panels!(FIVE, true, 3 2 1),
        (_, false) => panels!(FIVE, false, 3 2 1),
    }
}

/// 32 columns of 8 rows, ready to multiply.
struct Block {
    /// Codes: of each four columns of each half, those of weight rows 0, 1, 4 and 5, a row's halves beside each other, then of the others.
    q: [__m256i; 8],
    /// The block's scales, for such codes.
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
        // Scales are for codes at the top of a byte.
        let d = _mm256_mul_ps(w.d[0], _mm256_set1_ps(if KIND == FOUR { 16.0 } else { 8.0 }));
        let m = match F::SCALES.minimums() {
            true => _mm256_fmadd_ps(d, _mm256_set1_ps(f32::from(centre(KIND))), w.m[0]),
            false => w.m[0],
        };
        let normal = normal(d);
        let (some, none) = (_mm256_castps_si256(normal.some), _mm256_set1_epi8(centre(KIND)));
        let code = |q| _mm256_blendv_epi8(none, q, some);
        let mut q = [_mm256_setzero_si256(); 8];
        for c in 0..4 {
            let (first, last) = (code(w.q[c]), code(w.q[4 + c]));
            q[2 * c] = _mm256_unpacklo_epi32(first, last);
            q[2 * c + 1] = _mm256_unpackhi_epi32(first, last);
        }
        Block { q, d: _mm256_castps_si256(normal.scale), m }
    }
}

/// Eight bytes, four times.
#[inline(always)]
unsafe fn quad(x: *const u8, at: usize) -> __m256i {
    // SAFETY: the caller has eight bytes there, and the level.
    unsafe { _mm256_set1_epi64x(x.add(at).cast::<i64>().read_unaligned()) }
}

/// What a row's sums begin with, in its block at `x`.
#[inline(always)]
unsafe fn begin<const KIND: u32>(x: *const u8) -> __m256i {
    // SAFETY: the caller has a block at `x`, and the level.
    unsafe { if KIND == FOUR { _mm256_setzero_si256() } else { quad(x, offset_of!(Q8QuadsBlock, begins)) } }
}

/// What a row's block says of its sums, in each dword.
struct Row {
    steps: __m256i,
    exponent: __m256i,
    broken: __m256i,
    /// Meets offsets.
    sum: __m256,
}

impl Row {
    #[inline(always)]
    unsafe fn at(x: *const u8) -> Self {
        // SAFETY: the caller has a block at `x`, and the level.
        unsafe {
            Self {
                steps: int(x, offset_of!(Q8QuadsBlock, steps)),
                exponent: int(x, offset_of!(Q8QuadsBlock, exponent)),
                broken: int(x, offset_of!(Q8QuadsBlock, broken)),
                sum: float(x, offset_of!(Q8QuadsBlock, sum)),
            }
        }
    }

    /// A row's 8 sums with a block's products, of four weight rows in each register. They are not finite where the block is not: what is broken
    /// makes a NaN of its scales, or offsets meet its infinite sum.
    #[inline(always)]
    unsafe fn add<const OFFSETS: bool>(
        &self,
        acc: __m256,
        dot: [__m256i; 2],
        d: __m256i,
        m: __m256,
    ) -> __m256 {
        // SAFETY: the caller promises that the CPU has the level.
        unsafe {
            let product = _mm256_madd_epi16(_mm256_packs_epi32(dot[0], dot[1]), self.steps);
            let scale = _mm256_add_epi32(d, self.exponent);
            let scale = if OFFSETS { scale } else { _mm256_or_si256(scale, self.broken) };
            let acc = _mm256_fmadd_ps(_mm256_cvtepi32_ps(product), _mm256_castsi256_ps(scale), acc);
            if OFFSETS { _mm256_fmadd_ps(self.sum, m, acc) } else { acc }
        }
    }
}

/// One row with one tile.
///
/// # Safety
/// As [`super::cpu_tile::TileFn`], for rows of [`Q8QuadsBlock`].
#[target_feature(enable = "avx2,fma,f16c,avxvnni")]
unsafe fn few<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe {
        align_stack!();
        match const { (kind::<F>(), F::SCALES.minimums()) } {
            (FOUR, _) => tile::<F, FOUR, true>(t),
            (_, true) => tile::<F, FIVE, true>(t),
            (_, false) => tile::<F, FIVE, false>(t),
        }
    }
}

/// [`few`] of a kind.
///
/// # Safety
/// As [`few`]; the machine has the level.
#[inline(always)]
unsafe fn tile<F: Form, const KIND: u32, const OFFSETS: bool>(t: &Tile) {
    // SAFETY: block b of k/32 lies inside the tile and inside the row, by the caller's promise; so do the results in `out`.
    unsafe {
        let mut acc = [_mm256_setzero_ps(); 2];
        for b in 0..t.k / 32 {
            ask::<F>(t, b);
            let x = t.x.add(b * size_of::<Q8QuadsBlock>());
            unroll!(2, h, {
                let w = block::<F, KIND>(t, b, h);
                let mut dot = [begin::<KIND>(x); 2];
                unroll!(4, c, {
                    let x = quad(x, 8 * c);
                    dot[0] = _mm256_dpbusd_avx_epi32(dot[0], w.q[2 * c], x);
                    dot[1] = _mm256_dpbusd_avx_epi32(dot[1], w.q[2 * c + 1], x);
                });
                acc[h] = Row::at(x).add::<OFFSETS>(acc[h], dot, w.d, w.m);
            });
        }
        unroll!(2, h, { _mm256_store_ps(t.out.add(h * 8), acc[h]) });
    }
}

/// Unpacks sub-blocks `from..from + count` of `tiles` tiles: `[sub-blocks][tiles][2 halves]`.
///
/// # Safety
/// The tiles have these sub-blocks; `panel` is aligned to 32 bytes and has room; the machine has the level.
#[target_feature(enable = "avx2,fma,f16c,avxvnni")]
unsafe fn fill<F: Form>(t: &Tile, tiles: usize, from: usize, count: usize, panel: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        align_stack!();
        match const { kind::<F>() } {
            FOUR => fill_kind::<F, FOUR>(t, tiles, from, count, panel),
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
    let offsets = F::SCALES.minimums();
    for i in 0..tiles {
        // SAFETY: the caller's promise.
        unsafe {
            let tile = Tile { w: t.w.add(i * t.w_stride), ..*t };
            for b in 0..count {
                ask::<F>(&tile, from + b);
                unroll!(2, h, {
                    let to = panel.add(((b * tiles + i) * 2 + h) * stride(offsets));
                    let block = block::<F, KIND>(&tile, from + b, h);
                    for c in 0..8 {
                        _mm256_store_si256(to.add(32 * c).cast(), block.q[c]);
                    }
                    _mm256_store_si256(to.add(256).cast(), block.d);
                    if offsets {
                        _mm256_store_ps(to.add(288).cast(), block.m);
                    }
                });
            }
        }
    }
}

/// Adds a panel's products with `ROWS` rows to their sums, a tile after the other. Sums are in memory: three rows' sums of whole numbers,
/// their activations and a register of weights are all that there is room for.
///
/// # Safety
/// The panel's pointers are valid for that many rows and tiles, its memory and its sums are aligned to 32 bytes, and the machine has the
/// level.
#[target_feature(enable = "avx2,fma,f16c,avxvnni")]
unsafe fn multiply<const KIND: u32, const TILES: usize, const ROWS: usize, const OFFSETS: bool>(p: &Panel) {
    let stride = stride(OFFSETS);
    // SAFETY: all offsets lie in the panel, in the rows' blocks or in the sums, by the caller's promise; what is loaded and stored aligned is
    // at multiples of 32 bytes of the panel and of the sums.
    unsafe {
        align_stack!();
        for i in 0..TILES {
            let sums = p.sums.add(16 * i);
            if p.first {
                for r in 0..ROWS {
                    for v in 0..2 {
                        _mm256_store_ps(sums.add(r * TILES * 16 + v * 8), _mm256_setzero_ps());
                    }
                }
            }
            for b in 0..p.blocks {
                let w = p.w.add((b * TILES + i) * 2 * stride);
                let x = p.x.add(b * size_of::<Q8QuadsBlock>());
                // The next rows' blocks: a processor does not see that they will follow.
                if i + 1 == TILES {
                    for r in ROWS..2 * ROWS {
                        _mm_prefetch::<_MM_HINT_T0>(x.wrapping_add(r * p.x_stride).cast());
                    }
                }
                // Of rows, halves of the tile, and four weight rows of each.
                let mut dot = [[[_mm256_setzero_si256(); 2]; 2]; ROWS];
                for r in 0..ROWS {
                    dot[r] = [[begin::<KIND>(x.add(r * p.x_stride)); 2]; 2];
                }
                unroll!(4, c, {
                    let mut eight = [_mm256_setzero_si256(); ROWS];
                    for r in 0..ROWS {
                        eight[r] = quad(x, r * p.x_stride + 8 * c);
                        pin(&mut eight[r]);
                    }
                    unroll!(2, v, {
                        unroll!(2, j, {
                            let q = _mm256_load_si256(w.add(v * stride + 32 * (2 * c + j)).cast());
                            for r in 0..ROWS {
                                dot[r][v][j] = _mm256_dpbusd_avx_epi32(dot[r][v][j], q, eight[r]);
                            }
                            for r in 0..ROWS {
                                pin(&mut dot[r][v][j]);
                            }
                        });
                    });
                });
                // From here on registers are free for them.
                let mut d = [0, 1].map(|v| _mm256_load_si256(w.add(v * stride + 256).cast()));
                d.iter_mut().for_each(|d| pin(d));
                for r in 0..ROWS {
                    let row = Row::at(x.add(r * p.x_stride));
                    for v in 0..2 {
                        let sum = sums.add(r * TILES * 16 + v * 8);
                        let m = match OFFSETS {
                            true => _mm256_load_ps(w.add(v * stride + 288).cast()),
                            false => _mm256_setzero_ps(),
                        };
                        let acc = row.add::<OFFSETS>(_mm256_load_ps(sum), dot[r][v], d[v], m);
                        _mm256_store_ps(sum, acc);
                    }
                }
            }
        }
    }
}
