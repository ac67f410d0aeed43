//! Tile kernels for aarch64 with NEON and its dot product: a tile is four quarters of 4 rows.
//!
//! Codes are unpacked to signed bytes (at their top, as for AVX2) and multiplied by `sdot`, which takes four columns of
//! four rows and one row's four activations, chosen by lane. Both factors are signed, so the integer dot product needs
//! no bias.
//!
//! `sdot` is written as assembly, because its intrinsic is not stable in the oldest supported compiler.

use super::cpu_scales::{self, Rows};
use super::cpu_tile::{Form, Ladder, Many, Tile, Version, centred, ladder};
use crate::act::{Q8Block, Q16Block};
use crate::dtype::DType;
use crate::dtype::rows16::{self, Codes};
use crate::simd::widen_f16;
use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

/// Kernels of a quantized form.
pub(super) struct Quant<F>(PhantomData<F>);
/// Kernels of a quantized form with 16-bit activations.
pub(super) struct Quant16<F>(PhantomData<F>);
/// Kernels of a quantized form with f32 activations.
pub(super) struct Wide<F>(PhantomData<F>);
/// Kernels of F32, F16, BF16 or MXFP8 (its id).
pub(super) struct Float<const D: u32>;

impl<F: Form> Version for Quant<F> {
    const FEW: Ladder = ladder!(quant8, F, 1, [4, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(quant8, F, 1, [4, 2, 1]));
}

impl<F: Form> Version for Quant16<F> {
    const FEW: Ladder = ladder!(quant16, F, 1, [4, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(quant16, F, 1, [4, 2, 1]));
}

impl<F: Form> Version for Wide<F> {
    const FEW: Ladder = ladder!(wide, F, 1, [1]);
    const MANY: Many = Many::Tiles(ladder!(wide, F, 1, [4, 1]));
}

impl<const D: u32> Version for Float<D> {
    const FEW: Ladder = ladder!(float, D, 4, [1]);
    const MANY: Many = Many::Tiles(ladder!(float, D, 1, [4, 2, 1]));
}

const F32: u32 = DType::F32 as u32;
const F16: u32 = DType::F16 as u32;
const BF16: u32 = DType::Bf16 as u32;

/// Rows of a quarter of a tile.
const QUARTER: usize = 4;

/// 32 columns of 4 rows, ready to multiply.
pub(super) struct Block {
    /// Signed codes, 4 columns a register.
    pub(super) q: [int8x16_t; 8],
    /// Scales of the first and the last 16 columns.
    d: [float32x4_t; 2],
    /// Offsets of both halves, for signed codes; of forms with minimums.
    m: [float32x4_t; 2],
}

/// 32 activations.
pub(super) trait Block32 {
    /// The quants, or their high bytes.
    fn quants(&self) -> &[i8; 32];
    /// The low bytes of quants of 16 bits.
    fn low(&self) -> Option<&[i8; 32]>;
    /// The step of half `h`.
    fn scale(&self, h: usize) -> f32;
    /// The sum of half `h`'s values.
    fn half_sum(&self, h: usize) -> f32;
    /// The sum of all values.
    fn sum(&self) -> f32;
}

macro_rules! block32 {
    ($type:ident, $quants:ident, |$b:ident| $low:expr) => {
        impl Block32 for $type {
            #[inline(always)]
            fn quants(&self) -> &[i8; 32] {
                &self.$quants
            }
            #[inline(always)]
            fn low(&self) -> Option<&[i8; 32]> {
                let $b = self;
                $low
            }
            #[inline(always)]
            fn scale(&self, h: usize) -> f32 {
                self.scales[h]
            }
            #[inline(always)]
            fn half_sum(&self, h: usize) -> f32 {
                self.scales[h] * (self.bias(h) * (-1.0 / 128.0))
            }
            #[inline(always)]
            fn sum(&self) -> f32 {
                self.sum
            }
        }
    };
}
block32!(Q8Block, quants, |_b| None);
block32!(Q16Block, high, |b| Some(&b.low));

#[target_feature(enable = "neon,dotprod")]
unsafe fn quant8<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe { quant::<F, Q8Block, ROWS>(t) }
}

#[target_feature(enable = "neon,dotprod")]
unsafe fn quant16<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's promise.
    unsafe { quant::<F, Q16Block, ROWS>(t) }
}

/// # Safety
/// As [`super::cpu_tile::TileFn`], for rows of blocks `X`.
#[inline]
#[target_feature(enable = "neon,dotprod")]
pub(super) unsafe fn quant<F: Form, X: Block32, const ROWS: usize>(t: &Tile) {
    let mut acc = [[vdupq_n_f32(0.0); 4]; ROWS];
    for b in 0..t.k / 32 {
        for g in 0..4 {
            // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
            unsafe {
                let block = unpack::<F>(t, b, g);
                for r in 0..ROWS {
                    let x = &*t.x.add(r * t.x_stride).cast::<X>().add(b);
                    let mut dots = dots(&block.q, x.quants());
                    if let Some(low) = x.low() {
                        dots = with_low(dots, self::dots(&block.q, low));
                    }
                    acc[r][g] = scaled::<F, X>(acc[r][g], dots, &block, x);
                }
            }
        }
    }
    // SAFETY: the caller's `out` holds ROWS rows of 16.
    unsafe { put(t, &acc) };
}

/// Stores a tile's results.
///
/// # Safety
/// The tile's `out` holds ROWS rows of 16.
#[inline(always)]
pub(super) unsafe fn put<const ROWS: usize>(t: &Tile, acc: &[[float32x4_t; 4]; ROWS]) {
    for r in 0..ROWS {
        for g in 0..4 {
            // SAFETY: the caller's promise.
            unsafe { vst1q_f32(t.out.add(r * 16 + g * QUARTER), acc[r][g]) };
        }
    }
}

/// Unpacks rows 4g.. of sub-block `b` of a tile.
///
/// # Safety
/// The tile has at least `b + 1` sub-blocks.
#[inline(always)]
pub(super) unsafe fn unpack<F: Form>(t: &Tile, b: usize, g: usize) -> Block {
    // SAFETY: the caller's promise; all offsets are inside the block, by the layout of `rows16`.
    unsafe {
        let (w, s, q) = t.sub::<F>(b);
        let q = codes::<F>(q.add(g * 4 * QUARTER));
        let (d, m) = cpu_scales::scales::<float32x4_t>(F::SCALES, t.word, w, s, QUARTER * g);
        let (d, m) = centred!(F, d, m, vdupq_n_f32, vmulq_f32, fma);
        Block { q, d, m }
    }
}

/// a * b + c.
#[inline(always)]
unsafe fn fma(a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { vfmaq_f32(c, a, b) }
}

/// The codes of 4 rows of a sub-block at the top of their bytes, less 128; tables' values as they are.
///
/// # Safety
/// `w` points to the first of 4 rows in a sub-block.
#[inline(always)]
unsafe fn codes<F: Form>(w: *const u8) -> [int8x16_t; 8] {
    // SAFETY: the caller's level; all offsets are inside the sub-block.
    unsafe {
        let mut q = [vdupq_n_s8(0); 8];
        match F::CODES {
            Codes::Bits2 => {
                let pairs = [vld1q_u8(w), vld1q_u8(w.add(64))];
                for c in 0..8 {
                    q[c] = signed(keep(0xC0, left(pairs[c % 2], 6 - c as i8 / 2 * 2)));
                }
            }
            Codes::Bits3 => {
                let (pairs, top) = ([vld1q_u8(w), vld1q_u8(w.add(64))], vld1q_u8(w.add(128)));
                for c in 0..8 {
                    let low = keep(0x60, left(pairs[c % 2], 5 - c as i8 / 2 * 2));
                    q[c] = signed(vorrq_u8(low, keep(0x80, left(top, 7 - c as i8))));
                }
            }
            Codes::Bits4 => {
                for c in 0..4 {
                    let v = vld1q_u8(w.add(c * 64));
                    q[c] = signed(left(v, 4));
                    q[c + 4] = signed(keep(0xF0, v));
                }
            }
            Codes::Bits5 => {
                let top = vld1q_u8(w.add(256));
                for c in 0..8 {
                    let v = vld1q_u8(w.add(c % 4 * 64));
                    let low = keep(0x78, left(v, if c < 4 { 3 } else { -1 }));
                    q[c] = signed(vorrq_u8(low, keep(0x80, left(top, 7 - c as i8))));
                }
            }
            Codes::Bits6 => {
                let pairs = [vld1q_u8(w.add(256)), vld1q_u8(w.add(320))];
                for c in 0..8 {
                    let v = vld1q_u8(w.add(c % 4 * 64));
                    let low = keep(0x3C, left(v, if c < 4 { 2 } else { -2 }));
                    let high = keep(0xC0, left(pairs[c % 2], 6 - c as i8 / 2 * 2));
                    q[c] = signed(vorrq_u8(low, high));
                }
            }
            Codes::Bits8 => {
                for c in 0..8 {
                    q[c] = signed(vld1q_u8(w.add(c * 64)));
                }
            }
            Codes::Iq4 | Codes::E2m1 => {
                let table = F::CODES.table().map_or([0; 16], |t| *t);
                let table = vld1q_s8(table.as_ptr());
                for c in 0..4 {
                    let v = vld1q_u8(w.add(c * 64));
                    q[c] = vqtbl1q_s8(table, keep(0x0F, v));
                    q[c + 4] = vqtbl1q_s8(table, left(v, -4));
                }
            }
        }
        q
    }
}

/// Bytes shifted left, or right by the negative.
#[inline(always)]
unsafe fn left(v: uint8x16_t, by: i8) -> uint8x16_t {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { vshlq_u8(v, vdupq_n_s8(by)) }
}

/// The bits of each byte that `mask` has.
#[inline(always)]
unsafe fn keep(mask: u8, v: uint8x16_t) -> uint8x16_t {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { vandq_u8(v, vdupq_n_u8(mask)) }
}

/// Bytes less 128.
#[inline(always)]
unsafe fn signed(v: uint8x16_t) -> int8x16_t {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { vreinterpretq_s8_u8(veorq_u8(v, vdupq_n_u8(0x80))) }
}

/// Adds to each dword of `acc` the product of four bytes of `w` and the four bytes of `x`'s dword `LANE`.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn sdot<const LANE: usize>(mut acc: int32x4_t, w: int8x16_t, x: int8x16_t) -> int32x4_t {
    // SAFETY: works on registers alone.
    unsafe {
        asm!(
            "sdot {acc:v}.4s, {w:v}.16b, {x:v}.4b[{lane}]",
            acc = inout(vreg) acc, w = in(vreg) w, x = in(vreg) x, lane = const LANE,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    acc
}

/// The integer products of 4 rows with 32 quants: those of the first and those of the last 16.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn dots(q: &[int8x16_t; 8], x: &[i8; 32]) -> [int32x4_t; 2] {
    let mut dots = [vdupq_n_s32(0); 2];
    for h in 0..2 {
        // SAFETY: half a block of quants.
        let x = unsafe { vld1q_s8(x[16 * h..].as_ptr()) };
        let sum = sdot::<1>(sdot::<0>(dots[h], q[4 * h], x), q[4 * h + 1], x);
        dots[h] = sdot::<3>(sdot::<2>(sum, q[4 * h + 2], x), q[4 * h + 3], x);
    }
    dots
}

/// The products with quants of 16 bits, from those with their high and low bytes. At most 16 * 128 * 32512: they fit.
#[inline(always)]
pub(super) unsafe fn with_low(high: [int32x4_t; 2], low: [int32x4_t; 2]) -> [int32x4_t; 2] {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { [vaddq_s32(vshlq_n_s32::<8>(high[0]), low[0]), vaddq_s32(vshlq_n_s32::<8>(high[1]), low[1])] }
}

/// Adds to a row's 4 sums its products with a weight block, from their integer parts.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn scaled<F: Form, X: Block32>(
    acc: float32x4_t,
    dots: [int32x4_t; 2],
    w: &Block,
    x: &X,
) -> float32x4_t {
    let lo = vmulq_n_f32(vcvtq_f32_s32(dots[0]), x.scale(0));
    let hi = vcvtq_f32_s32(dots[1]);
    if F::SCALES.halves() {
        let acc = vfmaq_f32(acc, lo, w.d[0]);
        let mut acc = vfmaq_f32(acc, vmulq_n_f32(hi, x.scale(1)), w.d[1]);
        if F::SCALES.minimums() {
            acc = vfmaq_n_f32(acc, w.m[0], x.half_sum(0));
            acc = vfmaq_n_f32(acc, w.m[1], x.half_sum(1));
        }
        return acc;
    }
    let acc = vfmaq_f32(acc, vfmaq_n_f32(lo, hi, x.scale(1)), w.d[0]);
    if F::SCALES.minimums() { vfmaq_n_f32(acc, w.m[0], x.sum()) } else { acc }
}

/// Quantized weights with f32 activations: quants become small whole floats, scaled once per block.
#[target_feature(enable = "neon")]
unsafe fn wide<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let mut acc = [[vdupq_n_f32(0.0); 4]; ROWS];
    for b in 0..t.k / 32 {
        for g in 0..4 {
            // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
            unsafe {
                let block = unpack::<F>(t, b, g);
                for half in 0..2 {
                    let mut sum = [vdupq_n_f32(0.0); ROWS];
                    let scale = block.d[half];
                    for c in 0..16 {
                        let up = vdupq_n_s32(24 - 8 * (c as i32 % 4));
                        let v = vreinterpretq_s32_s8(block.q[4 * half + c / 4]);
                        let mut v = vcvtq_f32_s32(vshrq_n_s32::<24>(vshlq_s32(v, up)));
                        if F::SCALES.minimums() {
                            v = vfmaq_f32(block.m[half], v, scale);
                        }
                        for r in 0..ROWS {
                            let x = t.x.add(r * t.x_stride + (b * 32 + half * 16 + c) * 4).cast::<f32>();
                            sum[r] = vfmaq_n_f32(sum[r], v, *x);
                        }
                    }
                    for r in 0..ROWS {
                        acc[r][g] = if F::SCALES.minimums() {
                            vaddq_f32(acc[r][g], sum[r])
                        } else {
                            vfmaq_f32(acc[r][g], sum[r], scale)
                        };
                    }
                }
            }
        }
    }
    // SAFETY: the caller's `out` holds ROWS rows of 16.
    unsafe { put(t, &acc) };
}

#[target_feature(enable = "neon")]
unsafe fn float<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let mut acc = [[[vdupq_n_f32(0.0); 4]; TILES]; ROWS];
    for c in 0..t.k {
        for i in 0..TILES {
            // SAFETY: column c is inside the tiles and rows, by the caller's promise.
            unsafe {
                let w = column::<D>(t.w.add(i * t.w_stride), c, t.k);
                for r in 0..ROWS {
                    let x = *t.x.add(r * t.x_stride + c * 4).cast::<f32>();
                    for g in 0..4 {
                        acc[r][i][g] = vfmaq_n_f32(acc[r][i][g], w[g], x);
                    }
                }
            }
        }
    }
    for r in 0..ROWS {
        for i in 0..TILES {
            for g in 0..4 {
                // SAFETY: the caller's `out` holds ROWS rows of 16 TILES.
                unsafe { vst1q_f32(t.out.add((r * TILES + i) * 16 + g * QUARTER), acc[r][i][g]) };
            }
        }
    }
}

/// Column `c` of a tile of `k`.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn column<const D: u32>(w: *const u8, c: usize, k: usize) -> [float32x4_t; 4] {
    let mut v = [vdupq_n_f32(0.0); 4];
    for (g, v) in v.iter_mut().enumerate() {
        let row = QUARTER * g;
        // SAFETY: the caller has the column at `w`.
        *v = unsafe {
            match D {
                F32 => Rows::f32(w.add((c * 16 + row) * 4)),
                F16 => Rows::f16(w.add((c * 16 + row) * 2)),
                BF16 if c + 1 == k && k % 2 == 1 => Rows::bf16(w.add((c * 16 + row) * 2)),
                BF16 => {
                    let pair = vreinterpretq_u32_u8(vld1q_u8(w.add((c / 2 * 16 + row) * 4)));
                    let even = c.is_multiple_of(2);
                    let v = if even {
                        vshlq_n_u32::<16>(pair)
                    } else {
                        vandq_u32(pair, vdupq_n_u32(0xFFFF_0000))
                    };
                    vreinterpretq_f32_u32(v)
                }
                _ => {
                    let block = w.add(c / 32 * rows16::MXFP8_BLOCK);
                    let e = float32x4_t::bytes(block.add(512 + row));
                    // As f16 the elements are 2^8 times too small.
                    let e = vshlq_n_s32::<23>(vaddq_s32(e, vdupq_n_s32(8)));
                    vmulq_f32(e4m3(block.add(c % 32 * 16 + row)), vreinterpretq_f32_s32(e))
                }
            }
        };
    }
    v
}

/// 4 E4M3 numbers times 2^-8, since an f16 has one more bit of exponent, biased by 8 more.
#[inline]
#[target_feature(enable = "neon")]
unsafe fn e4m3(p: *const u8) -> float32x4_t {
    // SAFETY: the caller has 4 bytes at `p`.
    let v = unsafe { vreinterpret_u16_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(four_bytes(p))))) };
    let number = vand_u16(vshl_n_u16::<7>(v), vdup_n_u16(0x3f80));
    let sign = vand_u16(v, vdup_n_u16(0x8000));
    widen_f16(vorr_u16(number, sign))
}

/// 4 bytes, and 4 zeros.
#[inline(always)]
unsafe fn four_bytes(p: *const u8) -> uint8x8_t {
    // SAFETY: the caller promises the level, and the elements at the pointers.
    unsafe { vcreate_u8(u64::from(p.cast::<u32>().read_unaligned())) }
}

// SAFETY comments below: each method is called on a machine with NEON (the trait's contract), and pointers have as many
// elements after them as there are lanes.
impl Rows for float32x4_t {
    type Int = int32x4_t;
    #[inline(always)]
    unsafe fn splat(v: f32) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vdupq_n_f32(v) }
    }
    #[inline(always)]
    unsafe fn mul(self, o: Self) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vmulq_f32(self, o) }
    }
    #[inline(always)]
    unsafe fn f32(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { vreinterpretq_f32_u8(vld1q_u8(p)) }
    }
    #[inline(always)]
    unsafe fn f16(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { widen_f16(vreinterpret_u16_u8(vld1_u8(p))) }
    }
    #[inline(always)]
    unsafe fn bf16(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { vreinterpretq_f32_u32(vshll_n_u16::<16>(vreinterpret_u16_u8(vld1_u8(p)))) }
    }
    #[inline(always)]
    unsafe fn ue4m3_half(p: *const u8) -> Self {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both. As an f16 the number is 2^8 times too small.
        unsafe {
            let v = vget_low_u16(vmovl_u8(four_bytes(p)));
            let zero = vceq_u16(v, vdup_n_u16(0x7f));
            let v = vand_u16(vshl_n_u16::<7>(v), vdup_n_u16(0x3f80));
            vmulq_n_f32(widen_f16(vbic_u16(v, zero)), 128.0)
        }
    }
    #[inline(always)]
    unsafe fn bytes(p: *const u8) -> Self::Int {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(four_bytes(p))))) }
    }
    #[inline(always)]
    unsafe fn signed_bytes(p: *const u8) -> Self::Int {
        // SAFETY: the CPU has the type's level, and an element for each lane lies at the pointer: the trait's callers promise both.
        unsafe { vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(four_bytes(p))))) }
    }
    #[inline(always)]
    unsafe fn int(v: i32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vdupq_n_s32(v) }
    }
    #[inline(always)]
    unsafe fn shr(v: Self::Int, by: u32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise. A negative shift goes right.
        unsafe {
            vreinterpretq_s32_u32(vshlq_u32(
                vreinterpretq_u32_s32(v),
                vdupq_n_s32((by as i32).wrapping_neg()),
            ))
        }
    }
    #[inline(always)]
    unsafe fn shl(v: Self::Int, by: u32) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vshlq_s32(v, vdupq_n_s32(by as i32)) }
    }
    #[inline(always)]
    unsafe fn and(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vandq_s32(a, b) }
    }
    #[inline(always)]
    unsafe fn or(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vorrq_s32(a, b) }
    }
    #[inline(always)]
    unsafe fn add(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vaddq_s32(a, b) }
    }
    #[inline(always)]
    unsafe fn sub(a: Self::Int, b: Self::Int) -> Self::Int {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vsubq_s32(a, b) }
    }
    #[inline(always)]
    unsafe fn float(v: Self::Int) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vcvtq_f32_s32(v) }
    }
    #[inline(always)]
    unsafe fn from_bits(v: Self::Int) -> Self {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe { vreinterpretq_f32_s32(v) }
    }
}
