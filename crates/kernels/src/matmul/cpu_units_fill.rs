//! How weights become a panel of the matrix unit's tiles, between products that need the panel no more (see `cpu_units.rs`).

use super::cpu_avx512::pair;
use super::cpu_avx512_unpack::{codes, load, unroll};
use super::cpu_scales::scales;
use super::cpu_tile::{Form, Tile};
use super::cpu_units_products::{Ahead, Between, Products};
use crate::dtype::DType;
use crate::dtype::rows16::{Codes, Scales};
use crate::matrix_unit::{MatrixUnit, ROW, ROWS, TILE, columns};
use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;

const F16: u32 = DType::F16 as u32;
const BF16: u32 = DType::Bf16 as u32;

/// Dequantizes a block of a tile of weights: (tile, block, the block's place in the panel).
pub(super) type Whole = unsafe fn(&Tile, usize, *mut u8);
/// Multiplies up to 32 rows with two tiles of weights, whose panel becomes the next one's.
pub(super) type Refill<U> = unsafe fn(&mut U, &Products, &mut Ahead, &Next);

/// How weights become a panel.
pub(super) enum Fill<U> {
    /// By these; `refill` for up to 16 rows, and for more.
    Through { whole: Whole, refill: [Refill<U>; 2] },
    /// They lie as one.
    InPlace,
}

/// What a panel will be made of.
pub(super) struct Next {
    pub(super) tiles: [Tile; 2],
    /// How many there are.
    pub(super) width: usize,
    /// The slab's first block, and how many it has.
    pub(super) from: usize,
    pub(super) count: usize,
    /// Where each tile's blocks begin.
    pub(super) panel: [*mut u8; 2],
    /// Bytes of a block there.
    pub(super) bytes: usize,
}

impl Next {
    /// Fills the panel from the slab's block `from` on.
    ///
    /// # Safety
    /// The tiles have the slab, and nothing reads the panel any more.
    pub(super) unsafe fn fill(&self, whole: Whole, from: usize) {
        for (tile, panel) in self.tiles.iter().zip(self.panel).take(self.width) {
            for b in from..self.count {
                // SAFETY: the caller's promise.
                unsafe { whole(tile, self.from + b, panel.add(b * self.bytes)) };
            }
        }
    }
}

impl<U: MatrixUnit> Fill<U> {
    /// Of a quantized form.
    pub(super) fn of_form<F: Form>() -> Self {
        Self::Through { whole: form::<F>, refill: [refill_form::<U, F, 1>, refill_form::<U, F, 2>] }
    }

    /// Of F16, BF16 or MXFP8 (its id), whose panels have `W` parts.
    pub(super) fn of<const D: u32, const W: usize>() -> Self {
        match D {
            BF16 => Self::InPlace,
            _ => Self::Through {
                whole: float::<D>,
                refill: [refill_float::<U, D, W, 1>, refill_float::<U, D, W, 2>],
            },
        }
    }
}

/// A [`Refill`] of a quantized form.
///
/// # Safety
/// As [`Products::run`]; the next panel's tiles have its blocks, and the machine the level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn refill_form<U: MatrixUnit, F: Form, const R: usize>(
    unit: &mut U,
    p: &Products,
    ahead: &mut Ahead,
    next: &Next,
) {
    // SAFETY: the caller's promise.
    unsafe {
        p.run::<U, 1, 1, R, 2>(unit, ahead, &mut RefillForm::<F> { next, block: None, form: PhantomData })
    }
}

/// Fills the next panel's blocks in the places of those that are in the unit, in small pieces: other instructions go on while the
/// unit multiplies or loads, but a processor sees only so many of them ahead.
struct RefillForm<'a, F> {
    next: &'a Next,
    block: Option<Block>,
    form: PhantomData<F>,
}

impl<F: Form> Between for RefillForm<'_, F> {
    #[inline(always)]
    unsafe fn part<const I: usize>(&mut self, b: usize) {
        if b >= self.next.count {
            return;
        }
        // SAFETY: the next panel has this block, and its place is free: the first tile is written from place 0 on, the second from 4 on,
        // when the unit has both, and nothing reads them from memory again.
        unsafe {
            let to = self.next.panel[I / 4].add(b * TILE);
            if I.is_multiple_of(4) {
                self.block = Some(Block::of::<F>(&self.next.tiles[I / 4], self.next.from + b));
            }
            let Some(block) = &self.block else { return };
            match I % 4 {
                0 => block.quarter::<F, 0>(to),
                1 => block.quarter::<F, 1>(to),
                2 => block.quarter::<F, 2>(to),
                _ => block.quarter::<F, 3>(to),
            }
        }
    }
}

/// A [`Refill`] of F16 or MXFP8 (its id).
///
/// # Safety
/// As [`refill_form`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn refill_float<U: MatrixUnit, const D: u32, const W: usize, const R: usize>(
    unit: &mut U,
    p: &Products,
    ahead: &mut Ahead,
    next: &Next,
) {
    // SAFETY: the caller's promise.
    unsafe { p.run::<U, 2, W, R, 2>(unit, ahead, &mut RefillFloat::<D> { next }) }
}

/// As [`RefillForm`], a block at a time.
struct RefillFloat<'a, const D: u32> {
    next: &'a Next,
}

impl<const D: u32> Between for RefillFloat<'_, D> {
    #[inline(always)]
    unsafe fn block(&mut self, b: usize) {
        if b < self.next.count {
            for (tile, panel) in self.next.tiles.iter().zip(self.next.panel) {
                // SAFETY: the next panel has this block, and its place is free after all products of the block.
                unsafe { float::<D>(tile, self.next.from + b, panel.add(b * self.next.bytes)) };
            }
        }
    }
}

/// Whether scales are so short, 12 bits at most, that their product with a code and an offset of up to 2^16 + 2^8 is exact. (Those of
/// E8M0 are shorter still, but so large at their end that it would overflow.)
const fn short<F: Form>() -> bool {
    matches!(F::SCALES, Scales::F16 | Scales::Ue4m3)
}

/// 2^(23 - at), the number whose last bits a code becomes that begins at bit `at` of a lane.
const fn magic(at: u32) -> f32 {
    (1u32 << (23 - at)) as f32
}

/// A block of a quantized form before it is dequantized.
struct Block {
    codes: *const u8,
    /// Scales of the first and the last 16 columns, and what is added to their products.
    d: [__m512; 2],
    m: [__m512; 2],
}

impl Block {
    /// The bits of a lane where the low and the high nibbles of its bytes become numbers: three rotations bring each to its place.
    const NIBBLES: [u32; 2] = [16, 12];
    /// And where bytes do, of short scales.
    const BYTE: u32 = 8;

    /// # Safety
    /// The tile has the block, and the machine the level.
    #[inline(always)]
    unsafe fn of<F: Form>(t: &Tile, block: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let (w, s, codes) = t.sub::<F>(block);
            let (mut d, mut m) = scales::<__m512>(F::SCALES, t.word, w, s, 0);
            for h in 0..2 {
                let at = if nibbles::<F>() { Self::NIBBLES[h] } else { Self::BYTE };
                if F::UNIT != 1.0 && !nibbles::<F>() {
                    d[h] = _mm512_mul_ps(d[h], _mm512_set1_ps(F::UNIT));
                }
                if short::<F>() {
                    m[h] = _mm512_mul_ps(d[h], _mm512_set1_ps(-magic(at) - centre::<F>()));
                }
            }
            Self { codes, d, m }
        }
    }

    /// What codes that begin at bit `at` of each lane stand for, in half `h` of the block.
    ///
    /// # Safety
    /// The machine has the level.
    #[inline(always)]
    unsafe fn values<F: Form>(&self, v: __m512i, at: u32, h: usize) -> __m512 {
        // SAFETY: the caller's promise.
        unsafe {
            let mask = if nibbles::<F>() { 15 } else { 255 } << at;
            // magic | (v & mask)
            let number = _mm512_set1_epi32(magic(at).to_bits() as i32);
            let number = _mm512_ternarylogic_epi32::<0xF8>(number, v, _mm512_set1_epi32(mask));
            let number = _mm512_castsi512_ps(number);
            if short::<F>() {
                _mm512_fmadd_ps(number, self.d[h], self.m[h])
            } else if F::SCALES.minimums() {
                _mm512_fmadd_ps(_mm512_sub_ps(number, _mm512_set1_ps(magic(at))), self.d[h], self.m[h])
            } else {
                _mm512_mul_ps(_mm512_sub_ps(number, _mm512_set1_ps(magic(at) + centre::<F>())), self.d[h])
            }
        }
    }

    /// Four rows of the unit's tile, of weights rounded to bf16.
    ///
    /// # Safety
    /// A tile's room is there, and the machine has the level.
    #[inline(always)]
    unsafe fn quarter<F: Form, const Q: usize>(&self, to: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            let put = |row: usize, even: __m512, odd: __m512| {
                _mm512_store_si512(to.add(row * ROW).cast(), nearest(even, odd));
            };
            if nibbles::<F>() {
                let low = |v| self.values::<F>(v, Self::NIBBLES[0], 0);
                let high = |v| self.values::<F>(v, Self::NIBBLES[1], 1);
                let v = load(self.codes.add(Q * 64));
                let (up, down) = (_mm512_rol_epi32::<8>(v), _mm512_ror_epi32::<8>(v));
                let half = _mm512_rol_epi32::<16>(v);
                put(2 * Q, low(half), low(up));
                put(2 * Q + 1, low(v), low(down));
                put(2 * Q + 8, high(up), high(v));
                put(2 * Q + 9, high(down), high(half));
                return;
            }
            // What other quarters are made of is not computed.
            let codes = codes::<F>(self.codes);
            unroll!(2, j, {
                let (v, row) = (codes[2 * Q + j], 4 * Q + 2 * j);
                let high = _mm512_srli_epi32::<16>(v);
                let value = |v, at| self.values::<F>(v, at, Q / 2);
                if short::<F>() {
                    let (first, third) = (_mm512_slli_epi32::<8>(v), _mm512_srli_epi32::<8>(v));
                    put(row, value(first, Self::BYTE), value(v, Self::BYTE));
                    put(row + 1, value(third, Self::BYTE), value(high, Self::BYTE));
                } else {
                    put(row, value(v, 0), value(v, 8));
                    put(row + 1, value(high, 0), value(high, 8));
                }
            });
        }
    }
}

/// Whether codes are taken as nibbles, as they lie; others become bytes first, at whose top they are.
const fn nibbles<F: Form>() -> bool {
    matches!(F::CODES, Codes::Bits4)
}

/// What a code that stands for zero is, where there is no minimum.
const fn centre<F: Form>() -> f32 {
    if F::SCALES.minimums() {
        0.0
    } else if nibbles::<F>() {
        8.0
    } else {
        128.0
    }
}

/// A [`Whole`] of a quantized form.
///
/// # Safety
/// The tile has this block, the panel room for it, and the machine the level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn form<F: Form>(t: &Tile, block: usize, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        let block = Block::of::<F>(t, block);
        block.quarter::<F, 0>(to);
        block.quarter::<F, 1>(to);
        block.quarter::<F, 2>(to);
        block.quarter::<F, 3>(to);
    }
}

/// The bytes of the low half of each lane. Hidden, since a compiler that knows them makes the shuffle a permutation of two registers,
/// which is three operations.
#[inline(always)]
fn low_halves() -> u64 {
    let mask;
    // SAFETY: it moves a constant into a register and touches nothing else.
    unsafe {
        asm!("mov {}, {}", out(reg) mask, const 0x3333_3333_3333_3333u64, options(pure, nomem, nostack, preserves_flags))
    };
    mask
}

/// As [`columns`], but a number in the middle between two of bf16 becomes the one farther from zero: three operations on integers
/// take less time than the conversion and a permutation.
#[inline(always)]
unsafe fn nearest(even: __m512, odd: __m512) -> __m512i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let half = _mm512_set1_epi32(0x8000);
        let even = _mm512_add_epi32(_mm512_castps_si512(even), half);
        let odd = _mm512_add_epi32(_mm512_castps_si512(odd), half);
        // The high half of each lane of `even` for the low one of `odd`.
        let high = _mm512_set4_epi32(0x0000_0F0E, 0x0000_0B0A, 0x0000_0706, 0x0000_0302);
        _mm512_mask_shuffle_epi8(odd, low_halves(), even, high)
    }
}

/// A [`Whole`] of F16 or MXFP8 (its id).
///
/// # Safety
/// As [`form`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn float<const D: u32>(t: &Tile, block: usize, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        match D {
            F16 => split(t, block, to),
            _ => round::<D>(t, block, to),
        }
    }
}

/// MXFP8, whose elements are exact in bf16.
///
/// # Safety
/// As [`form`].
#[inline(always)]
unsafe fn round<const D: u32>(t: &Tile, block: usize, to: *mut u8) {
    for i in 0..ROWS {
        // SAFETY: the caller's promise.
        unsafe {
            let [even, odd] = pair::<D>(t.w, block * ROWS + i);
            _mm512_store_si512(to.add(i * ROW).cast(), columns(even, odd));
        }
    }
}

/// F16: bf16 and what that loses, which has at most three bits.
///
/// # Safety
/// As [`form`].
#[inline(always)]
unsafe fn split(t: &Tile, block: usize, to: *mut u8) {
    for i in 0..ROWS {
        // SAFETY: the caller's promise.
        unsafe {
            let to = to.add(i * ROW);
            let [even, odd] = pair::<F16>(t.w, block * ROWS + i);
            let both = columns(even, odd);
            _mm512_store_si512(to.cast(), both);
            let high = _mm512_set1_epi32(0xFFFF_0000u32 as i32);
            let even = _mm512_sub_ps(even, _mm512_castsi512_ps(_mm512_slli_epi32::<16>(both)));
            let odd = _mm512_sub_ps(odd, _mm512_castsi512_ps(_mm512_and_si512(both, high)));
            _mm512_store_si512(to.add(TILE).cast(), columns(even, odd));
        }
    }
}
