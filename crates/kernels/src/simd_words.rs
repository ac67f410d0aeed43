//! Sums of products of 16-bit integers in 32 bits, 16 sums at a time: twice as many products an instruction as floats have. Sums are exact, so
//! their order makes no difference.

use crate::simd::Lanes;

/// 16 integers of 32 bits, each of which may be two of 16.
///
/// # Safety
/// All methods need the machine to have the type's level; those that take a pointer need 16 elements after it.
pub(crate) trait Words {
    /// The floats of the level.
    type Lanes: Lanes;
    /// 16 integers.
    type Ints: Copy;

    /// All `v`.
    unsafe fn splat(v: i32) -> Self::Ints;
    /// Unaligned.
    unsafe fn load(p: *const i32) -> Self::Ints;
    /// Adds both products of each pair: `sum + a.0 * b.0 + a.1 * b.1`, modulo 2^32.
    unsafe fn dot(sum: Self::Ints, a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// As floats, rounded to even.
    unsafe fn floats(v: Self::Ints) -> Self::Lanes;
    /// Stores floats between -32768 and 32767 as integers of 16 bits, rounded to even. Of others, NaN among them, any.
    unsafe fn narrow(v: Self::Lanes, to: *mut i16);
    /// The same in the first and second halves of 16 pairs, stored.
    unsafe fn pair(first: Self::Lanes, second: Self::Lanes, to: *mut i32);
}

/// Plain Rust: what the others are compared with.
#[cfg(test)]
pub(crate) struct PlainWords;

#[cfg(test)]
impl Words for PlainWords {
    type Lanes = crate::simd::Plain;
    type Ints = [i32; 16];

    unsafe fn splat(v: i32) -> [i32; 16] {
        [v; 16]
    }
    unsafe fn load(p: *const i32) -> [i32; 16] {
        // SAFETY: the caller has 16 elements at `p`.
        unsafe { p.cast::<[i32; 16]>().read_unaligned() }
    }
    unsafe fn dot(sum: [i32; 16], a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        let halves = |v: i32| [v as i16, (v >> 16) as i16].map(i32::from);
        std::array::from_fn(|i| {
            let (a, b) = (halves(a[i]), halves(b[i]));
            sum[i].wrapping_add((a[0] * b[0]).wrapping_add(a[1] * b[1]))
        })
    }
    unsafe fn floats(v: [i32; 16]) -> Self::Lanes {
        crate::simd::Plain(v.map(|v| v as f32))
    }
    unsafe fn narrow(v: Self::Lanes, to: *mut i16) {
        // SAFETY: the caller has 16 elements at `to`.
        unsafe { to.cast::<[i16; 16]>().write_unaligned(v.0.map(|v| v.round_ties_even() as i16)) }
    }
    unsafe fn pair(first: Self::Lanes, second: Self::Lanes, to: *mut i32) {
        let word = |v: f32| v.round_ties_even() as i16 as u16 as i32;
        // SAFETY: the caller has 16 elements at `to`.
        unsafe {
            let pairs = std::array::from_fn(|i| word(first.0[i]) | word(second.0[i]) << 16);
            to.cast::<[i32; 16]>().write_unaligned(pairs)
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2Words, Vnni256Words, Vnni512Words};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Words;
    use crate::simd::{Avx2, Avx512};
    use std::arch::x86_64::*;

    /// `vpmaddwd` and `vpaddd`.
    pub(crate) struct Avx2Words;
    /// `vpdpwssd` of AVX-VNNI.
    pub(crate) struct Vnni256Words;
    /// `vpdpwssd` of AVX-512 VNNI.
    pub(crate) struct Vnni512Words;

    // SAFETY comments below: each method is called on a machine with its level (the trait's contract), and pointers have 16 elements after them.

    macro_rules! words256 {
        ($name:ty, |$sum:ident, $a:ident, $b:ident| $dot:expr) => {
            impl Words for $name {
                type Lanes = Avx2;
                type Ints = [__m256i; 2];

                #[inline(always)]
                unsafe fn splat(v: i32) -> [__m256i; 2] {
                    // SAFETY: the CPU has the type's level, as the trait's callers promise.
                    [unsafe { _mm256_set1_epi32(v) }; 2]
                }
                #[inline(always)]
                unsafe fn load(p: *const i32) -> [__m256i; 2] {
                    // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
                    unsafe { [_mm256_loadu_si256(p.cast()), _mm256_loadu_si256(p.add(8).cast())] }
                }
                #[inline(always)]
                unsafe fn dot(sum: [__m256i; 2], a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
                    let mut all = sum;
                    for i in 0..2 {
                        let ($sum, $a, $b) = (sum[i], a[i], b[i]);
                        // SAFETY: the CPU has the type's level, as the trait's callers promise.
                        all[i] = unsafe { $dot };
                    }
                    all
                }
                #[inline(always)]
                unsafe fn floats(v: [__m256i; 2]) -> Avx2 {
                    // SAFETY: the CPU has the type's level, as the trait's callers promise.
                    Avx2(unsafe { [_mm256_cvtepi32_ps(v[0]), _mm256_cvtepi32_ps(v[1])] })
                }
                #[inline(always)]
                unsafe fn narrow(v: Avx2, to: *mut i16) {
                    // SAFETY: the CPU has the type's level, and there is room for 16 elements: the trait's callers promise both.
                    unsafe {
                        // In each half of 128 bits come four of the first register, then four of the second.
                        let mixed =
                            _mm256_packs_epi32(_mm256_cvtps_epi32(v.0[0]), _mm256_cvtps_epi32(v.0[1]));
                        _mm256_storeu_si256(to.cast(), _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed));
                    }
                }
                #[inline(always)]
                unsafe fn pair(first: Avx2, second: Avx2, to: *mut i32) {
                    for i in 0..2 {
                        // SAFETY: the CPU has the type's level, and there is room for 16 elements: the trait's callers promise both.
                        unsafe {
                            let high = _mm256_slli_epi32::<16>(_mm256_cvtps_epi32(second.0[i]));
                            let both = _mm256_blend_epi16::<0xAA>(_mm256_cvtps_epi32(first.0[i]), high);
                            _mm256_storeu_si256(to.add(8 * i).cast(), both);
                        }
                    }
                }
            }
        };
    }

    words256!(Avx2Words, |sum, a, b| _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)));
    words256!(Vnni256Words, |sum, a, b| _mm256_dpwssd_avx_epi32(sum, a, b));

    impl Words for Vnni512Words {
        type Lanes = Avx512;
        type Ints = __m512i;

        #[inline(always)]
        unsafe fn splat(v: i32) -> __m512i {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { _mm512_set1_epi32(v) }
        }
        #[inline(always)]
        unsafe fn load(p: *const i32) -> __m512i {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            unsafe { _mm512_loadu_si512(p.cast()) }
        }
        #[inline(always)]
        unsafe fn dot(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { _mm512_dpwssd_epi32(sum, a, b) }
        }
        #[inline(always)]
        unsafe fn floats(v: __m512i) -> Avx512 {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Avx512(unsafe { _mm512_cvtepi32_ps(v) })
        }
        #[inline(always)]
        unsafe fn narrow(v: Avx512, to: *mut i16) {
            // SAFETY: the CPU has the type's level, and there is room for 16 elements: the trait's callers promise both.
            unsafe { _mm256_storeu_si256(to.cast(), _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(v.0))) }
        }
        #[inline(always)]
        unsafe fn pair(first: Avx512, second: Avx512, to: *mut i32) {
            // SAFETY: the CPU has the type's level, and there is room for 16 elements: the trait's callers promise both.
            unsafe {
                let high = _mm512_slli_epi32::<16>(_mm512_cvtps_epi32(second.0));
                let both = _mm512_mask_blend_epi16(0xAAAA_AAAA, _mm512_cvtps_epi32(first.0), high);
                _mm512_storeu_si512(to.cast(), both);
            }
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::cpu::Level;
    use crate::simd::Lanes;

    /// Compares a level with plain code on random words, the extremes among them.
    unsafe fn check<D: Words>() {
        let mut state = 1u64;
        let mut word = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            match state >> 60 {
                0 => 32_767,
                1 => -32_767,
                2 => 0,
                _ => (state >> 33) as i16,
            }
        };
        for _ in 0..1000 {
            let words: [[i16; 32]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| word().max(-32_767)));
            let floats: [[f32; 16]; 2] = std::array::from_fn(|_| {
                std::array::from_fn(|_| f32::from(word()) * 0.999 + f32::from(word()) / 65_536.0)
            });
            let [a, b] = words.each_ref().map(|w| w.as_ptr().cast::<i32>());
            let [x, y] = floats.each_ref().map(|f| f.as_ptr());
            let (mut sums, mut narrow, mut pairs) = ([[0f32; 16]; 2], [[0i16; 16]; 2], [[0i32; 16]; 2]);
            // SAFETY: the caller checked the level; arrays hold 16 elements from each pointer.
            unsafe {
                let sum = D::dot(D::dot(D::splat(7), D::load(a), D::load(b)), D::load(b), D::load(b));
                D::floats(sum).store(sums[0].as_mut_ptr());
                D::narrow(D::Lanes::load(x), narrow[0].as_mut_ptr());
                D::pair(D::Lanes::load(x), D::Lanes::load(y), pairs[0].as_mut_ptr());
                type P = PlainWords;
                let sum = P::dot(P::dot(P::splat(7), P::load(a), P::load(b)), P::load(b), P::load(b));
                P::floats(sum).store(sums[1].as_mut_ptr());
                P::narrow(Lanes::load(x), narrow[1].as_mut_ptr());
                P::pair(Lanes::load(x), Lanes::load(y), pairs[1].as_mut_ptr());
            }
            assert_eq!(sums[0], sums[1]);
            assert_eq!(narrow[0], narrow[1]);
            assert_eq!(pairs[0], pairs[1]);
        }
    }

    #[test]
    fn words_do_what_plain_code_does_at_every_level() {
        // SAFETY: each level is checked first.
        unsafe {
            check::<PlainWords>();
            if Level::Avx2.available() {
                check::<Avx2Words>();
            }
            if Level::AvxVnni.available() {
                check::<Vnni256Words>();
            }
            if Level::Avx512.available() {
                check::<Vnni512Words>();
            }
        }
    }
}
