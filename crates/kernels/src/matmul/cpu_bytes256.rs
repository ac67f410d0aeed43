//! Tile kernels of quantized weights in 256-bit registers: for AVX2, and for AVX-VNNI. A tile is two halves of 8 rows.
//!
//! With AVX-VNNI unsigned codes at the top of their bytes are multiplied as with AVX-512. AVX2 has no such product, only
//! `vpmaddubsw`, which adds pairs of products in 16 bits. So codes of up to five bits are kept in five (31 * 127 * 8
//! fits 16 bits: four such sums need one widening), those of six in six (two), and those of eight are multiplied as
//! |w| * (x with w's sign), each sum widened. All are exact.
//!
//! Functions without an instruction level of their own are `inline(always)`: they must be inlined into one that enables
//! the level, and a compiler left to itself would call them.

use super::cpu_scales;
use super::cpu_tile::{Form, Ladder, Many, Panel, PanelStep, Panels, Tile, Version, ladder, panels};
use crate::act::Q8Block;
use crate::dtype::rows16::Codes;
use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::offset_of;

/// Kernels of a quantized form for AVX2.
pub(super) struct Avx2<F>(PhantomData<F>);
/// Kernels of a quantized form for AVX-VNNI.
pub(super) struct Vnni<F>(PhantomData<F>);

impl<F: Form> Version for Avx2<F> {
    const FEW: Ladder = ladder!(few_avx2, F, 1, [1]);
    const MANY: Many = Many::Panels(kernels::<F>(kind::<F>(false)));
}

impl<F: Form> Version for Vnni<F> {
    const FEW: Ladder = ladder!(few_vnni, F, 1, [1]);
    const MANY: Many = Many::Panels(kernels::<F>(VNNI));
}

/// Products of codes in five bits.
const FIVE: u32 = 0;
/// Products of codes in six bits.
const SIX: u32 = 1;
/// Products of signed bytes: codes at the top of their bytes, less 128; tables' values as they are.
pub(super) const SIGNED: u32 = 2;
/// Products of unsigned bytes around 128 by VNNI.
const VNNI: u32 = 3;

/// How a form's codes are multiplied.
const fn kind<F: Form>(vnni: bool) -> u32 {
    match (vnni, F::CODES.table(), F::CODES.bits()) {
        (true, ..) => VNNI,
        (_, Some(_), _) | (_, _, 7..) => SIGNED,
        (.., 6) => SIX,
        _ => FIVE,
    }
}

/// Bits of a byte, from the lowest, whose top a code is moved to.
const fn top(kind: u32) -> i32 {
    match kind {
        FIVE => 5,
        SIX => 6,
        _ => 8,
    }
}

/// Bytes of half a tile's sub-block in a panel: codes, scales, offsets.
const fn stride(halves: bool, offsets: u32) -> usize {
    256 + 32 * (1 + halves as usize + offsets as usize)
}

const fn kernels<F: Form>(kind: u32) -> Panels {
    macro_rules! by_scales {
        ($fill:ident, $multiply:ident) => {
            match (F::SCALES.halves(), F::OFFSETS) {
                (false, 0) => panels!($fill, F, $multiply, false, 0),
                (false, _) => panels!($fill, F, $multiply, false, 1),
                (true, 0) => panels!($fill, F, $multiply, true, 0),
                (true, _) => panels!($fill, F, $multiply, true, 2),
            }
        };
    }
    match kind {
        FIVE => by_scales!(fill_avx2, multiply_five),
        SIX => by_scales!(fill_avx2, multiply_six),
        SIGNED => by_scales!(fill_avx2, multiply_signed),
        _ => by_scales!(fill_vnni, multiply_vnni),
    }
}

macro_rules! with_level {
    ($level:literal, $few:ident, $fill:ident, $vnni:literal, $($multiply:ident: $kind:ident),*) => {
        #[target_feature(enable = $level)]
        unsafe fn $few<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
            // SAFETY: the caller's promise.
            unsafe {
                match const { kind::<F>($vnni) } {
                    FIVE => few::<F, FIVE>(t),
                    SIX => few::<F, SIX>(t),
                    SIGNED => few::<F, SIGNED>(t),
                    _ => few::<F, VNNI>(t),
                }
            }
        }

        #[target_feature(enable = $level)]
        unsafe fn $fill<F: Form>(t: &Tile, tiles: usize, from: usize, count: usize, panel: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe {
                match const { kind::<F>($vnni) } {
                    FIVE => fill::<F, FIVE>(t, tiles, from, count, panel),
                    SIX => fill::<F, SIX>(t, tiles, from, count, panel),
                    SIGNED => fill::<F, SIGNED>(t, tiles, from, count, panel),
                    _ => fill::<F, VNNI>(t, tiles, from, count, panel),
                }
            }
        }

        $(
            #[target_feature(enable = $level)]
            unsafe fn $multiply<const TILES: usize, const ROWS: usize, const HALVES: bool, const OFFSETS: u32>(
                p: &Panel,
            ) {
                // SAFETY: the caller's promise.
                unsafe { multiply::<$kind, TILES, ROWS, HALVES, OFFSETS>(p) }
            }
        )*
    };
}

with_level!("avx2,fma,f16c", few_avx2, fill_avx2, false,
    multiply_five: FIVE, multiply_six: SIX, multiply_signed: SIGNED);
with_level!("avx2,fma,f16c,avxvnni", few_vnni, fill_vnni, true, multiply_vnni: VNNI);

/// 32 columns of 8 rows, ready to multiply.
pub(super) struct Block {
    /// Codes, 4 columns a register.
    pub(super) q: [__m256i; 8],
    /// Scales of the first and the last 16 columns.
    pub(super) d: [__m256; 2],
    /// Offsets of both halves, for codes less their centre; of forms with minimums.
    pub(super) m: [__m256; 2],
}

/// A block's offsets as products want them: where each half has its own, they meet the halves' biases, which are sums
/// times -128.
#[inline(always)]
unsafe fn for_biases<F: Form>(m: [__m256; 2]) -> [__m256; 2] {
    if F::OFFSETS < 2 {
        return m;
    }
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let part = _mm256_set1_ps(-1.0 / 128.0);
        [_mm256_mul_ps(m[0], part), _mm256_mul_ps(m[1], part)]
    }
}

/// How far ahead of use weights are fetched, in bytes.
const AHEAD: usize = 2048;

/// Unpacks rows 8h.. of sub-block `b` of a tile.
///
/// # Safety
/// The tile has at least `b + 1` sub-blocks. (Prefetching past the end is harmless.)
#[inline(always)]
pub(super) unsafe fn unpack<F: Form, const KIND: u32>(t: &Tile, b: usize, h: usize) -> Block {
    // SAFETY: the caller's promise; all offsets are inside the block, by the layout of `rows16`.
    unsafe {
        let (w, s, q) = t.sub::<F>(b);
        let q = codes::<F, KIND>(q.add(h * 32));
        let (mut d, mut m) = cpu_scales::scales::<__m256>(F::SCALES, t.word, w, s, 8 * h);
        let table = F::CODES.table().is_some();
        // d q + m = d (q - centre) + (m + d centre)
        let (unit, centre) =
            (1 << (top(KIND) - if table { 8 } else { F::CODES.bits() as i32 }), 1 << (top(KIND) - 1));
        for i in 0..2 {
            if unit != 1 {
                d[i] = _mm256_mul_ps(d[i], _mm256_set1_ps(1.0 / unit as f32));
            }
            if F::SCALES.minimums() {
                m[i] = _mm256_fmadd_ps(d[i], _mm256_set1_ps(centre as f32), m[i]);
            }
        }
        Block { q, d, m }
    }
}

/// The codes of 8 rows of a sub-block, as the kind wants them.
///
/// # Safety
/// `w` points to the first of 8 rows in a sub-block.
#[inline(always)]
unsafe fn codes<F: Form, const KIND: u32>(w: *const u8) -> [__m256i; 8] {
    let t = top(KIND);
    // SAFETY: the caller's level; all offsets are inside the sub-block.
    unsafe {
        let mut q = [_mm256_setzero_si256(); 8];
        for c in 0..8 {
            // What field of its byte a plane has for this chunk: pair f of four, nibble n of two, bit c.
            let (f, n, i) = (c as i32 / 2, c as i32 / 4, c as i32);
            q[c] = match F::CODES {
                Codes::Bits2 => keep(3 << (t - 2), left(load(w.add(c % 2 * 64)), t - 2 - 2 * f)),
                Codes::Bits3 => _mm256_or_si256(
                    keep(3 << (t - 3), left(load(w.add(c % 2 * 64)), t - 3 - 2 * f)),
                    keep(1 << (t - 1), left(load(w.add(128)), t - 1 - i)),
                ),
                Codes::Bits4 => keep(15 << (t - 4), left(load(w.add(c % 4 * 64)), t - 4 - 4 * n)),
                Codes::Bits5 => _mm256_or_si256(
                    keep(15 << (t - 5), left(load(w.add(c % 4 * 64)), t - 5 - 4 * n)),
                    keep(1 << (t - 1), left(load(w.add(256)), t - 1 - i)),
                ),
                Codes::Bits6 => _mm256_or_si256(
                    keep(15 << (t - 6), left(load(w.add(c % 4 * 64)), t - 6 - 4 * n)),
                    keep(3 << (t - 2), left(load(w.add(256 + c % 2 * 64)), t - 2 - 2 * f)),
                ),
                Codes::Bits8 => load(w.add(c * 64)),
                Codes::Iq4 | Codes::E2m1 => {
                    let table = F::CODES.table().map_or([0; 16], |t| *t);
                    let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
                    let index = keep(0x0F, left(load(w.add(c % 4 * 64)), -4 * n));
                    _mm256_shuffle_epi8(flip(table, true), index)
                }
            };
            q[c] = flip(q[c], KIND == SIGNED);
        }
        q
    }
}

/// Dwords shifted left by a constant, or right by its negative.
#[inline(always)]
unsafe fn left(v: __m256i, by: i32) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        if by >= 0 {
            _mm256_sllv_epi32(v, _mm256_set1_epi32(by))
        } else {
            _mm256_srlv_epi32(v, _mm256_set1_epi32(-by))
        }
    }
}

/// The bits of each byte that `mask` has.
#[inline(always)]
unsafe fn keep(mask: u8, v: __m256i) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { _mm256_and_si256(v, _mm256_set1_epi8(mask as i8)) }
}

/// Bytes with their top bit inverted, if so: between signed ones and those around 128.
#[inline(always)]
unsafe fn flip(v: __m256i, so: bool) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { if so { _mm256_xor_si256(v, _mm256_set1_epi8(-128)) } else { v } }
}

#[inline(always)]
unsafe fn load(p: *const u8) -> __m256i {
    // SAFETY: the caller has 32 bytes at `p`; a prefetch of any address is harmless.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(p.wrapping_add(AHEAD).cast());
        _mm256_loadu_si256(p.cast())
    }
}

/// Four columns' products, added to a half's sums: 16-bit ones in the kinds of five and six bits, else 32-bit ones.
/// `size` is |q| in the kind of signed bytes.
#[inline(always)]
unsafe fn dot<const KIND: u32>(sum: __m256i, q: __m256i, size: __m256i, x: __m256i) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        match KIND {
            FIVE | SIX => _mm256_add_epi16(sum, _mm256_maddubs_epi16(q, x)),
            SIGNED => {
                let pairs = _mm256_maddubs_epi16(size, _mm256_sign_epi8(x, q));
                _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
            }
            _ => _mm256_dpbusd_avx_epi32(sum, q, x),
        }
    }
}

/// What the sums of a half begin with.
#[inline(always)]
unsafe fn begin<const KIND: u32>(bias: __m256i) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { if KIND == VNNI { bias } else { _mm256_setzero_si256() } }
}

/// A half's integer product from its sums. (For six bits `sum` has the first two chunks' and `second` the others'.)
#[inline(always)]
unsafe fn end<const KIND: u32>(sum: __m256i, second: __m256i, bias: __m256i) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let ones = _mm256_set1_epi16(1);
        match KIND {
            FIVE => _mm256_add_epi32(_mm256_madd_epi16(sum, ones), _mm256_srai_epi32::<3>(bias)),
            SIX => {
                let both = _mm256_add_epi32(_mm256_madd_epi16(sum, ones), _mm256_madd_epi16(second, ones));
                _mm256_add_epi32(both, _mm256_srai_epi32::<2>(bias))
            }
            _ => sum,
        }
    }
}

/// The integer products of both halves of a block at `x`.
#[inline(always)]
unsafe fn products<const KIND: u32>(q: &[__m256i; 8], x: *const u8) -> [__m256i; 2] {
    // SAFETY: the caller has a block at `x`.
    unsafe {
        let mut out = [_mm256_setzero_si256(); 2];
        for h in 0..2 {
            let bias = int(x, offset_of!(Q8Block, biases) + 4 * h);
            let mut sums = [begin::<KIND>(bias), _mm256_setzero_si256()];
            for c in 0..4 {
                let (q, s) = (q[4 * h + c], if KIND == SIX { c / 2 } else { 0 });
                let size = if KIND == SIGNED { _mm256_abs_epi8(q) } else { q };
                sums[s] = dot::<KIND>(sums[s], q, size, int(x, 16 * h + 4 * c));
            }
            out[h] = end::<KIND>(sums[0], sums[1], bias);
        }
        out
    }
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

/// Adds a block's products, scaled, to a row's 8 sums.
#[inline(always)]
unsafe fn scaled<const HALVES: bool, const OFFSETS: u32>(
    acc: __m256,
    products: [__m256i; 2],
    d: [__m256; 2],
    m: [__m256; 2],
    x: *const u8,
) -> __m256 {
    let (biases, scales) = (offset_of!(Q8Block, biases), offset_of!(Q8Block, scales));
    // SAFETY: the caller has a block at `x`, and the level.
    unsafe {
        let [lo, hi] = [_mm256_cvtepi32_ps(products[0]), _mm256_cvtepi32_ps(products[1])];
        let (lo_scale, hi_scale) = (float(x, scales), float(x, scales + 4));
        if OFFSETS == 2 {
            let lo_offset = _mm256_mul_ps(_mm256_cvtepi32_ps(int(x, biases)), m[0]);
            let hi_offset = _mm256_mul_ps(_mm256_cvtepi32_ps(int(x, biases + 4)), m[1]);
            let acc = _mm256_fmadd_ps(_mm256_fmadd_ps(lo, d[0], lo_offset), lo_scale, acc);
            return _mm256_fmadd_ps(_mm256_fmadd_ps(hi, d[1], hi_offset), hi_scale, acc);
        }
        if HALVES {
            let acc = _mm256_fmadd_ps(_mm256_mul_ps(lo, lo_scale), d[0], acc);
            return _mm256_fmadd_ps(_mm256_mul_ps(hi, hi_scale), d[1], acc);
        }
        let both = _mm256_fmadd_ps(hi, hi_scale, _mm256_mul_ps(lo, lo_scale));
        let acc = _mm256_fmadd_ps(both, d[0], acc);
        if OFFSETS == 1 { _mm256_fmadd_ps(m[0], float(x, offset_of!(Q8Block, sum)), acc) } else { acc }
    }
}

/// One row with one tile.
///
/// # Safety
/// As [`super::cpu_tile::TileFn`], with the kind's level.
#[inline(always)]
unsafe fn few<F: Form, const KIND: u32>(t: &Tile) {
    for h in 0..2 {
        // SAFETY: block b of k/32 lies inside the tile and inside the row, by the caller's promise; so does `out`.
        unsafe {
            let mut acc = _mm256_setzero_ps();
            for b in 0..t.k / 32 {
                let mut block = unpack::<F, KIND>(t, b, h);
                block.m = for_biases::<F>(block.m);
                let x = t.x.add(b * size_of::<Q8Block>());
                let p = products::<KIND>(&block.q, x);
                acc = match (F::SCALES.halves(), F::OFFSETS) {
                    (false, 0) => scaled::<false, 0>(acc, p, block.d, block.m, x),
                    (false, _) => scaled::<false, 1>(acc, p, block.d, block.m, x),
                    (true, 0) => scaled::<true, 0>(acc, p, block.d, block.m, x),
                    (true, _) => scaled::<true, 2>(acc, p, block.d, block.m, x),
                };
            }
            _mm256_store_ps(t.out.add(h * 8), acc);
        }
    }
}

/// Unpacks sub-blocks `from..from + count` of `tiles` tiles: `[sub-blocks][tiles][2 halves]`.
///
/// # Safety
/// The tiles have these sub-blocks; `panel` is aligned to 32 bytes and has room; the machine has the level.
#[inline(always)]
unsafe fn fill<F: Form, const KIND: u32>(t: &Tile, tiles: usize, from: usize, count: usize, panel: *mut u8) {
    let (halves, offsets) = (F::SCALES.halves(), F::OFFSETS);
    for i in 0..2 * tiles {
        // SAFETY: the caller's promise.
        unsafe {
            let tile = Tile { w: t.w.add(i / 2 * t.w_stride), ..*t };
            for b in 0..count {
                let mut to = panel.add((b * 2 * tiles + i) * stride(halves, offsets));
                let mut block = unpack::<F, KIND>(&tile, from + b, i % 2);
                block.m = for_biases::<F>(block.m);
                for q in block.q {
                    _mm256_store_si256(to.cast(), q);
                    to = to.add(32);
                }
                for d in &block.d[..1 + usize::from(halves)] {
                    _mm256_store_ps(to.cast(), *d);
                    to = to.add(32);
                }
                for m in &block.m[..offsets as usize] {
                    _mm256_store_ps(to.cast(), *m);
                    to = to.add(32);
                }
            }
        }
    }
}

/// Adds a panel's products with `ROWS` rows to their sums, half a tile after the other.
///
/// # Safety
/// The panel's pointers are valid for that many rows and tiles, its memory is aligned to 32 bytes, and the machine has
/// the level.
#[inline(always)]
unsafe fn multiply<
    const KIND: u32,
    const TILES: usize,
    const ROWS: usize,
    const HALVES: bool,
    const OFFSETS: u32,
>(
    p: &Panel,
) {
    for i in 0..2 * TILES {
        // SAFETY: all offsets lie in the panel, in the rows' blocks or in the sums, by the caller's promise.
        unsafe {
            let sums = p.sums.add(i / 2 * 16 + i % 2 * 8);
            let mut acc = [_mm256_setzero_ps(); ROWS];
            if !p.first {
                for r in 0..ROWS {
                    acc[r] = _mm256_load_ps(sums.add(r * TILES * 16));
                }
            }
            for b in 0..p.blocks {
                let w = p.w.add((b * 2 * TILES + i) * stride(HALVES, OFFSETS));
                let x = p.x.add(b * size_of::<Q8Block>());
                let mut out = [[_mm256_setzero_si256(); 2]; ROWS];
                for h in 0..2 {
                    let mut sum = [[_mm256_setzero_si256(); 2]; ROWS];
                    for r in 0..ROWS {
                        let bias = int(x, r * p.x_stride + offset_of!(Q8Block, biases) + 4 * h);
                        sum[r][0] = begin::<KIND>(bias);
                    }
                    for c in 0..4 {
                        let q = _mm256_load_si256(w.add((4 * h + c) * 32).cast());
                        let size = if KIND == SIGNED { _mm256_abs_epi8(q) } else { q };
                        let s = if KIND == SIX { c / 2 } else { 0 };
                        for r in 0..ROWS {
                            let x = int(x, r * p.x_stride + 16 * h + 4 * c);
                            sum[r][s] = dot::<KIND>(sum[r][s], q, size, x);
                        }
                    }
                    for r in 0..ROWS {
                        let bias = int(x, r * p.x_stride + offset_of!(Q8Block, biases) + 4 * h);
                        out[r][h] = end::<KIND>(sum[r][0], sum[r][1], bias);
                    }
                }
                let (mut d, mut m) = ([_mm256_setzero_ps(); 2], [_mm256_setzero_ps(); 2]);
                for n in 0..1 + HALVES as usize {
                    d[n] = _mm256_load_ps(w.add(256 + 32 * n).cast());
                }
                for n in 0..OFFSETS as usize {
                    m[n] = _mm256_load_ps(w.add(256 + 32 * (1 + HALVES as usize + n)).cast());
                }
                for r in 0..ROWS {
                    acc[r] = scaled::<HALVES, OFFSETS>(acc[r], out[r], d, m, x.add(r * p.x_stride));
                }
            }
            for r in 0..ROWS {
                _mm256_store_ps(sums.add(r * TILES * 16), acc[r]);
            }
        }
    }
}
