//! How weights become a panel of the matrix unit's tiles, a quarter of a block at a time (see `cpu_units.rs`).

use super::cpu_avx512::pair;
use super::cpu_avx512_unpack::{fetch_block, unpack_codes, unroll};
use super::cpu_tile::{Form, Tile};
use crate::dtype::DType;
use crate::matrix_unit::{ROW, ROWS, TILE, columns};
use std::arch::x86_64::*;

const F16: u32 = DType::F16 as u32;
const BF16: u32 = DType::Bf16 as u32;

/// Dequantizes a quarter of a block of a tile of weights, four rows of each of the unit's tiles: (tile, block, the block's place in
/// the panel).
pub(super) type Quarter = unsafe fn(&Tile, usize, *mut u8);
/// All four.
pub(super) type Quarters = [Quarter; 4];

/// How weights become a panel.
#[derive(Clone, Copy)]
pub(super) enum Fill {
    /// By these.
    Through(Quarters),
    /// They lie as one; these ask for them.
    InPlace(Quarters),
}

/// A function for each quarter of a block.
macro_rules! quarters {
    ($fill:ident $(, $of:tt)?) => {
        [$fill::<$($of,)? 0>, $fill::<$($of,)? 1>, $fill::<$($of,)? 2>, $fill::<$($of,)? 3>]
    };
}

impl Fill {
    /// Of a quantized form.
    pub(super) fn of_form<F: Form>() -> Self {
        Self::Through(quarters!(fill, F))
    }

    /// Of F16, BF16 or MXFP8 (its id).
    pub(super) fn of<const D: u32>() -> Self {
        match D {
            BF16 => Self::InPlace(quarters!(ask)),
            F16 => Self::Through(quarters!(split)),
            _ => Self::Through(quarters!(round, D)),
        }
    }

    pub(super) fn quarters(self) -> Quarters {
        match self {
            Self::Through(quarters) | Self::InPlace(quarters) => quarters,
        }
    }
}

/// A [`Quarter`] of a quantized form: weights rounded to bf16.
///
/// # Safety
/// The tile has this block, the panel room for it, and the machine the level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn fill<F: Form, const Q: usize>(t: &Tile, block: usize, to: *mut u8) {
    // A byte in the low bits of 2^23 is 2^23 + byte.
    const MAGIC: f32 = 8_388_608.0;
    let (byte, magic) = (_mm512_set1_epi32(0xFF), _mm512_set1_epi32(MAGIC.to_bits() as i32));
    if Q == 0 {
        fetch_block::<F>(t, block);
    }
    // SAFETY: the caller's promise. What other quarters are made of is not computed.
    unsafe {
        let block = unpack_codes::<F>(t, block);
        unroll!(2, i, {
            let c = 2 * Q + i;
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
                        _mm512_fmadd_ps(v, block.d[Q / 2], block.m[Q / 2])
                    } else {
                        _mm512_mul_ps(v, block.d[Q / 2])
                    }
                };
                let both = nearest(value(2 * p as i32), value(2 * p as i32 + 1));
                _mm512_store_si512(to.add((2 * c + p) * ROW).cast(), both);
            });
        });
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

/// A [`Quarter`] of BF16, which lies as the unit takes it: asks for it. A copy would take more time than all that it saves, for it waits for
/// memory with instructions that others wait after.
///
/// # Safety
/// None: a request for any address is harmless.
unsafe fn ask<const Q: usize>(t: &Tile, block: usize, _: *mut u8) {
    for i in 4 * Q..4 * Q + 4 {
        // SAFETY: as above.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(t.w.wrapping_add(block * TILE + i * ROW).cast()) };
    }
}

/// A [`Quarter`] of MXFP8, whose elements are exact in bf16.
///
/// # Safety
/// As [`fill`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn round<const D: u32, const Q: usize>(t: &Tile, block: usize, to: *mut u8) {
    for i in 4 * Q..4 * Q + 4 {
        // SAFETY: the caller's promise.
        unsafe {
            let [even, odd] = pair::<D>(t.w, block * ROWS + i);
            _mm512_store_si512(to.add(i * ROW).cast(), columns(even, odd));
        }
    }
}

/// A [`Quarter`] of F16: bf16 and what that loses, which has at most three bits.
///
/// # Safety
/// As [`fill`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx512bf16,avx2,fma,f16c")]
unsafe fn split<const Q: usize>(t: &Tile, block: usize, to: *mut u8) {
    for i in 4 * Q..4 * Q + 4 {
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
