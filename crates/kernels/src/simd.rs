//! 16 lanes of f32 at every instruction level, for kernels whose arithmetic is not worth writing once per level.
//!
//! Methods are `inline(always)` and carry no instruction level themselves: a kernel generic over [`Lanes`] must be
//! inlined into a function that enables the level, or the intrinsics stay calls.

/// 16 f32.
///
/// # Safety
/// All unsafe methods need the machine to have the type's level, which callers know from `CpuFn`'s contract; those
/// that take a pointer need 16 elements after it.
pub(crate) trait Lanes: Copy {
    /// All lanes `v`.
    unsafe fn splat(v: f32) -> Self;
    /// 16 f32, unaligned.
    unsafe fn load(p: *const f32) -> Self;
    /// 16 f16, unaligned.
    unsafe fn load_f16(p: *const half::f16) -> Self;
    /// 16 bf16, unaligned.
    unsafe fn load_bf16(p: *const half::bf16) -> Self;
    /// 16 signed bytes as numbers.
    unsafe fn load_i8(p: *const i8) -> Self;
    /// Stores 16 f32, unaligned.
    unsafe fn store(self, p: *mut f32);
    unsafe fn add(self, o: Self) -> Self;
    unsafe fn sub(self, o: Self) -> Self;
    unsafe fn mul(self, o: Self) -> Self;
    /// self * a + b, fused where the level has it.
    unsafe fn fma(self, a: Self, b: Self) -> Self;
    unsafe fn max(self, o: Self) -> Self;
    /// e^x for x <= 0 within 2 ulp; exactly 0 below -87. NaN stays NaN.
    unsafe fn exp(self) -> Self;
    unsafe fn reduce_max(self) -> f32;
    /// The sum, in a fixed order.
    unsafe fn reduce_add(self) -> f32;
    /// Lane j of vector i becomes lane i of vector j.
    unsafe fn transpose(m: &mut [Self; 16]);
    /// Asks for a cache line that will be used soon, where the level can; any address will do.
    #[inline(always)]
    fn fetch(_: *const u8) {}
}

/// Inputs below have results too small to matter (and subnormal).
const EXP_MIN: f32 = -87.0;
/// 1.5 * 2^23: adding it rounds to an integer.
const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts, the first with few bits, so that n * LN2_HI is exact.
const LN2_HI: f32 = 355.0 / 512.0;
const LN2_LO: f32 = -2.121_944_4e-4;
/// The polynomial for e^r on |r| <= ln 2 / 2, from r^7's coefficient down to r^2's (Cephes `expf`).
const EXP_POLY: [f32; 6] = [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5];

/// e^x as (2^n as bits of `n + ROUND`, polynomial value), written in the trait's operations.
#[inline(always)]
unsafe fn exp_parts<S: Lanes>(x: S) -> (S, S) {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let t = x.fma(S::splat(std::f32::consts::LOG2_E), S::splat(ROUND));
        let n = t.sub(S::splat(ROUND));
        let r = n.fma(S::splat(-LN2_HI), x);
        let r = n.fma(S::splat(-LN2_LO), r);
        let mut p = S::splat(EXP_POLY[0]);
        for c in &EXP_POLY[1..] {
            p = p.fma(r, S::splat(*c));
        }
        (t, p.fma(r.mul(r), r.add(S::splat(1.0))))
    }
}

/// Plain Rust.
#[derive(Clone, Copy)]
pub(crate) struct Plain(pub(crate) [f32; 16]);

impl Plain {
    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], o.0[i])))
    }
    #[inline(always)]
    fn fold(self, f: impl Fn(f32, f32) -> f32) -> f32 {
        let mut v = self.0;
        for w in [8, 4, 2, 1] {
            for i in 0..w {
                v[i] = f(v[i], v[i + w]);
            }
        }
        v[0]
    }
}

impl Lanes for Plain {
    #[inline(always)]
    unsafe fn splat(v: f32) -> Self {
        Self([v; 16])
    }
    #[inline(always)]
    unsafe fn load(p: *const f32) -> Self {
        // SAFETY: the caller has 16 elements at `p`.
        Self(unsafe { p.cast::<[f32; 16]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn load_f16(p: *const half::f16) -> Self {
        // SAFETY: the caller has 16 elements at `p`.
        Self(unsafe { p.cast::<[half::f16; 16]>().read_unaligned() }.map(half::f16::to_f32))
    }
    #[inline(always)]
    unsafe fn load_bf16(p: *const half::bf16) -> Self {
        // SAFETY: the caller has 16 elements at `p`.
        let bits = unsafe { p.cast::<[u16; 16]>().read_unaligned() };
        Self(bits.map(|b| f32::from_bits(u32::from(b) << 16)))
    }
    #[inline(always)]
    unsafe fn load_i8(p: *const i8) -> Self {
        // SAFETY: the caller has 16 elements at `p`.
        Self(unsafe { p.cast::<[i8; 16]>().read_unaligned() }.map(f32::from))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32) {
        // SAFETY: the caller has 16 elements at `p`.
        unsafe { p.cast::<[f32; 16]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, o: Self) -> Self {
        self.zip(o, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(self, o: Self) -> Self {
        self.zip(o, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(self, o: Self) -> Self {
        self.zip(o, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn fma(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] * a.0[i] + b.0[i]))
    }
    #[inline(always)]
    unsafe fn max(self, o: Self) -> Self {
        self.zip(o, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    unsafe fn exp(self) -> Self {
        // SAFETY: no level is needed.
        let (t, p) = unsafe { exp_parts(Self(self.0.map(|x| if x < EXP_MIN { EXP_MIN } else { x }))) };
        Self(std::array::from_fn(|i| {
            let y = f32::from_bits(p.0[i].to_bits().wrapping_add(t.0[i].to_bits() << 23));
            if self.0[i] < EXP_MIN { 0.0 } else { y }
        }))
    }
    #[inline(always)]
    unsafe fn reduce_max(self) -> f32 {
        self.fold(|a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    unsafe fn reduce_add(self) -> f32 {
        self.fold(|a, b| a + b)
    }
    #[inline(always)]
    unsafe fn transpose(m: &mut [Self; 16]) {
        for i in 0..16 {
            for j in 0..i {
                (m[i].0[j], m[j].0[i]) = (m[j].0[i], m[i].0[j]);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{EXP_MIN, Lanes, exp_parts};
    use std::arch::x86_64::*;

    /// One 512-bit register.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512(pub(crate) __m512);

    // SAFETY comments below: each method is called on a machine with its level (the trait's contract), and
    // pointers have 16 elements after them.
    impl Lanes for Avx512 {
        #[inline(always)]
        fn fetch(p: *const u8) {
            // SAFETY: harmless at any address; part of x86-64's baseline.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
        }
        #[inline(always)]
        unsafe fn splat(v: f32) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { _mm512_set1_ps(v) })
        }
        #[inline(always)]
        unsafe fn load(p: *const f32) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            Self(unsafe { _mm512_loadu_ps(p) })
        }
        #[inline(always)]
        unsafe fn load_f16(p: *const half::f16) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            Self(unsafe { _mm512_cvtph_ps(_mm256_loadu_si256(p.cast())) })
        }
        #[inline(always)]
        unsafe fn load_bf16(p: *const half::bf16) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            unsafe {
                let wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast()));
                Self(_mm512_castsi512_ps(_mm512_slli_epi32::<16>(wide)))
            }
        }
        #[inline(always)]
        unsafe fn load_i8(p: *const i8) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            Self(unsafe { _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(p.cast()))) })
        }
        #[inline(always)]
        unsafe fn store(self, p: *mut f32) {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            unsafe { _mm512_storeu_ps(p, self.0) }
        }
        #[inline(always)]
        unsafe fn add(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { _mm512_add_ps(self.0, o.0) })
        }
        #[inline(always)]
        unsafe fn sub(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { _mm512_sub_ps(self.0, o.0) })
        }
        #[inline(always)]
        unsafe fn mul(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { _mm512_mul_ps(self.0, o.0) })
        }
        #[inline(always)]
        unsafe fn fma(self, a: Self, b: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { _mm512_fmadd_ps(self.0, a.0, b.0) })
        }
        #[inline(always)]
        unsafe fn max(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { _mm512_max_ps(self.0, o.0) })
        }
        #[inline(always)]
        unsafe fn exp(self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise. `max` returns its second operand for a NaN, and a NaN is not below the minimum.
            unsafe {
                let (t, p) = exp_parts(Self::splat(EXP_MIN).max(self));
                let n = _mm512_slli_epi32::<23>(_mm512_castps_si512(t.0));
                let y = _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p.0), n));
                let keep = _mm512_cmp_ps_mask::<_CMP_NLT_UQ>(self.0, _mm512_set1_ps(EXP_MIN));
                Self(_mm512_maskz_mov_ps(keep, y))
            }
        }
        #[inline(always)]
        unsafe fn reduce_max(self) -> f32 {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { _mm512_reduce_max_ps(self.0) }
        }
        #[inline(always)]
        unsafe fn reduce_add(self) -> f32 {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { _mm512_reduce_add_ps(self.0) }
        }
        #[inline(always)]
        unsafe fn transpose(m: &mut [Self; 16]) {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe {
                // Within 128-bit lanes: 4x4 transposes of rows 4g..4g+4.
                let mut t = *m;
                for g in 0..4 {
                    let r: [__m512; 4] = std::array::from_fn(|i| m[4 * g + i].0);
                    let (a, b) = (_mm512_unpacklo_ps(r[0], r[1]), _mm512_unpackhi_ps(r[0], r[1]));
                    let (c, d) = (_mm512_unpacklo_ps(r[2], r[3]), _mm512_unpackhi_ps(r[2], r[3]));
                    t[4 * g] = Self(_mm512_shuffle_ps::<0x44>(a, c));
                    t[4 * g + 1] = Self(_mm512_shuffle_ps::<0xEE>(a, c));
                    t[4 * g + 2] = Self(_mm512_shuffle_ps::<0x44>(b, d));
                    t[4 * g + 3] = Self(_mm512_shuffle_ps::<0xEE>(b, d));
                }
                // Across lanes: t[4g + i] holds columns 4l + i of rows 4g.. in lane l.
                for i in 0..4 {
                    let (a, b, c, d) = (t[i].0, t[4 + i].0, t[8 + i].0, t[12 + i].0);
                    let (ab_lo, ab_hi) =
                        (_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xDD>(a, b));
                    let (cd_lo, cd_hi) =
                        (_mm512_shuffle_f32x4::<0x88>(c, d), _mm512_shuffle_f32x4::<0xDD>(c, d));
                    m[i] = Self(_mm512_shuffle_f32x4::<0x88>(ab_lo, cd_lo));
                    m[4 + i] = Self(_mm512_shuffle_f32x4::<0x88>(ab_hi, cd_hi));
                    m[8 + i] = Self(_mm512_shuffle_f32x4::<0xDD>(ab_lo, cd_lo));
                    m[12 + i] = Self(_mm512_shuffle_f32x4::<0xDD>(ab_hi, cd_hi));
                }
            }
        }
    }

    /// Two 256-bit registers.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(pub(crate) [__m256; 2]);

    impl Lanes for Avx2 {
        #[inline(always)]
        fn fetch(p: *const u8) {
            // SAFETY: harmless at any address; part of x86-64's baseline.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
        }
        #[inline(always)]
        unsafe fn splat(v: f32) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self([unsafe { _mm256_set1_ps(v) }; 2])
        }
        #[inline(always)]
        unsafe fn load(p: *const f32) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            Self(unsafe { [_mm256_loadu_ps(p), _mm256_loadu_ps(p.add(8))] })
        }
        #[inline(always)]
        unsafe fn load_f16(p: *const half::f16) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            Self(unsafe {
                [
                    _mm256_cvtph_ps(_mm_loadu_si128(p.cast())),
                    _mm256_cvtph_ps(_mm_loadu_si128(p.add(8).cast())),
                ]
            })
        }
        #[inline(always)]
        unsafe fn load_bf16(p: *const half::bf16) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            Self(unsafe {
                [p, p.add(8)].map(|p| {
                    let wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
                    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(wide))
                })
            })
        }
        #[inline(always)]
        unsafe fn load_i8(p: *const i8) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            Self(unsafe {
                [p, p.add(8)].map(|p| _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(p.cast()))))
            })
        }
        #[inline(always)]
        unsafe fn store(self, p: *mut f32) {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            unsafe {
                _mm256_storeu_ps(p, self.0[0]);
                _mm256_storeu_ps(p.add(8), self.0[1]);
            }
        }
        #[inline(always)]
        unsafe fn add(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { [_mm256_add_ps(self.0[0], o.0[0]), _mm256_add_ps(self.0[1], o.0[1])] })
        }
        #[inline(always)]
        unsafe fn sub(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { [_mm256_sub_ps(self.0[0], o.0[0]), _mm256_sub_ps(self.0[1], o.0[1])] })
        }
        #[inline(always)]
        unsafe fn mul(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { [_mm256_mul_ps(self.0[0], o.0[0]), _mm256_mul_ps(self.0[1], o.0[1])] })
        }
        #[inline(always)]
        unsafe fn fma(self, a: Self, b: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe {
                [_mm256_fmadd_ps(self.0[0], a.0[0], b.0[0]), _mm256_fmadd_ps(self.0[1], a.0[1], b.0[1])]
            })
        }
        #[inline(always)]
        unsafe fn max(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self(unsafe { [_mm256_max_ps(self.0[0], o.0[0]), _mm256_max_ps(self.0[1], o.0[1])] })
        }
        #[inline(always)]
        unsafe fn exp(self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise. NaN as for AVX-512.
            unsafe {
                let (t, p) = exp_parts(Self::splat(EXP_MIN).max(self));
                let mut out = [_mm256_setzero_ps(); 2];
                for i in 0..2 {
                    let n = _mm256_slli_epi32::<23>(_mm256_castps_si256(t.0[i]));
                    let y = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p.0[i]), n));
                    let keep = _mm256_cmp_ps::<_CMP_NLT_UQ>(self.0[i], _mm256_set1_ps(EXP_MIN));
                    out[i] = _mm256_and_ps(keep, y);
                }
                Self(out)
            }
        }
        #[inline(always)]
        unsafe fn reduce_max(self) -> f32 {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe {
                let v = _mm256_max_ps(self.0[0], self.0[1]);
                let v = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
                let v = _mm_max_ps(v, _mm_movehl_ps(v, v));
                _mm_cvtss_f32(_mm_max_ss(v, _mm_movehdup_ps(v)))
            }
        }
        #[inline(always)]
        unsafe fn reduce_add(self) -> f32 {
            // SAFETY: the CPU has the type's level, as the trait's callers promise. Lane i and i + 8, then i + 4, and so on: the order of
            // the other levels.
            unsafe {
                let v = _mm256_add_ps(self.0[0], self.0[1]);
                let v = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps::<1>(v));
                let v = _mm_add_ps(v, _mm_movehl_ps(v, v));
                _mm_cvtss_f32(_mm_add_ss(v, _mm_movehdup_ps(v)))
            }
        }
        #[inline(always)]
        unsafe fn transpose(m: &mut [Self; 16]) {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe {
                let (a, b, c, d) = (quarter(m, 0, 0), quarter(m, 0, 1), quarter(m, 8, 0), quarter(m, 8, 1));
                for i in 0..8 {
                    m[i] = Self([a[i], c[i]]);
                    m[8 + i] = Self([b[i], d[i]]);
                }
            }
        }
    }

    /// Transposes the 8x8 quarter of a half of rows `rows..rows + 8`. No closures: they would not be inlined
    /// into the function that has the level.
    ///
    /// # Safety
    /// Level.
    #[inline(always)]
    unsafe fn quarter(m: &[Avx2; 16], rows: usize, half: usize) -> [__m256; 8] {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe {
            let mut t = [_mm256_setzero_ps(); 8];
            for g in [0, 4] {
                let (r0, r1) = (m[rows + g].0[half], m[rows + g + 1].0[half]);
                let (r2, r3) = (m[rows + g + 2].0[half], m[rows + g + 3].0[half]);
                let (a, b) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
                let (c, d) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
                t[g] = _mm256_shuffle_ps::<0x44>(a, c);
                t[g + 1] = _mm256_shuffle_ps::<0xEE>(a, c);
                t[g + 2] = _mm256_shuffle_ps::<0x44>(b, d);
                t[g + 3] = _mm256_shuffle_ps::<0xEE>(b, d);
            }
            let mut out = t;
            for i in 0..4 {
                out[i] = _mm256_permute2f128_ps::<0x20>(t[i], t[4 + i]);
                out[4 + i] = _mm256_permute2f128_ps::<0x31>(t[i], t[4 + i]);
            }
            out
        }
    }
}

#[cfg(target_arch = "aarch64")]
pub(crate) use neon::{Neon, widen_f16};

#[cfg(target_arch = "aarch64")]
mod neon {
    use super::{EXP_MIN, Lanes, exp_parts};
    use std::arch::aarch64::*;
    use std::arch::asm;

    /// Four 128-bit registers.
    #[derive(Clone, Copy)]
    pub(crate) struct Neon([float32x4_t; 4]);

    /// 4 f16 as f32. (The intrinsic is not stable in the oldest supported compiler.)
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn widen_f16(v: uint16x4_t) -> float32x4_t {
        let out: float32x4_t;
        // SAFETY: works on registers alone.
        unsafe {
            asm!(
                "fcvtl {out:v}.4s, {v:v}.4h",
                out = out(vreg) out, v = in(vreg) v,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        out
    }

    /// The four registers of `f` applied to those of `a` and `b`.
    macro_rules! each {
        ($f:ident, $a:expr, $b:expr) => {{
            let (a, b) = (&$a.0, &$b.0);
            Self([$f(a[0], b[0]), $f(a[1], b[1]), $f(a[2], b[2]), $f(a[3], b[3])])
        }};
    }

    // SAFETY comments below: each method is called on a machine with NEON (the trait's contract), and pointers have 16
    // elements after them.
    impl Lanes for Neon {
        #[inline(always)]
        fn fetch(p: *const u8) {
            // SAFETY: harmless at any address.
            unsafe { asm!("prfm pldl1keep, [{}]", in(reg) p, options(nostack, preserves_flags, readonly)) }
        }
        #[inline(always)]
        unsafe fn splat(v: f32) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            Self([unsafe { vdupq_n_f32(v) }; 4])
        }
        #[inline(always)]
        unsafe fn load(p: *const f32) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            Self(unsafe { [vld1q_f32(p), vld1q_f32(p.add(4)), vld1q_f32(p.add(8)), vld1q_f32(p.add(12))] })
        }
        #[inline(always)]
        unsafe fn load_f16(p: *const half::f16) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            unsafe {
                let p = p.cast::<u16>();
                let (a, b) = (vld1q_u16(p), vld1q_u16(p.add(8)));
                Self([
                    widen_f16(vget_low_u16(a)),
                    widen_f16(vget_high_u16(a)),
                    widen_f16(vget_low_u16(b)),
                    widen_f16(vget_high_u16(b)),
                ])
            }
        }
        #[inline(always)]
        unsafe fn load_bf16(p: *const half::bf16) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            unsafe {
                let p = p.cast::<u16>();
                let (a, b) = (vld1q_u16(p), vld1q_u16(p.add(8)));
                Self([
                    vreinterpretq_f32_u32(vshll_n_u16::<16>(vget_low_u16(a))),
                    vreinterpretq_f32_u32(vshll_n_u16::<16>(vget_high_u16(a))),
                    vreinterpretq_f32_u32(vshll_n_u16::<16>(vget_low_u16(b))),
                    vreinterpretq_f32_u32(vshll_n_u16::<16>(vget_high_u16(b))),
                ])
            }
        }
        #[inline(always)]
        unsafe fn load_i8(p: *const i8) -> Self {
            // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
            unsafe {
                let v = vld1q_s8(p);
                let (a, b) = (vmovl_s8(vget_low_s8(v)), vmovl_s8(vget_high_s8(v)));
                Self([
                    vcvtq_f32_s32(vmovl_s16(vget_low_s16(a))),
                    vcvtq_f32_s32(vmovl_s16(vget_high_s16(a))),
                    vcvtq_f32_s32(vmovl_s16(vget_low_s16(b))),
                    vcvtq_f32_s32(vmovl_s16(vget_high_s16(b))),
                ])
            }
        }
        #[inline(always)]
        unsafe fn store(self, p: *mut f32) {
            for i in 0..4 {
                // SAFETY: the CPU has the type's level, and 16 elements lie at the pointer: the trait's callers promise both.
                unsafe { vst1q_f32(p.add(4 * i), self.0[i]) };
            }
        }
        #[inline(always)]
        unsafe fn add(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { each!(vaddq_f32, self, o) }
        }
        #[inline(always)]
        unsafe fn sub(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { each!(vsubq_f32, self, o) }
        }
        #[inline(always)]
        unsafe fn mul(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { each!(vmulq_f32, self, o) }
        }
        #[inline(always)]
        unsafe fn fma(self, a: Self, b: Self) -> Self {
            let mut out = b;
            for i in 0..4 {
                // SAFETY: the CPU has the type's level, as the trait's callers promise.
                out.0[i] = unsafe { vfmaq_f32(b.0[i], self.0[i], a.0[i]) };
            }
            out
        }
        #[inline(always)]
        unsafe fn max(self, o: Self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { each!(vmaxnmq_f32, self, o) }
        }
        #[inline(always)]
        unsafe fn exp(self) -> Self {
            // SAFETY: the CPU has the type's level, as the trait's callers promise. `vmaxq` keeps a NaN, and a NaN is not below the minimum.
            unsafe {
                let min = vdupq_n_f32(EXP_MIN);
                let (t, p) = exp_parts(each!(vmaxq_f32, self, Self::splat(EXP_MIN)));
                let mut out = p;
                for i in 0..4 {
                    let n = vshlq_n_u32::<23>(vreinterpretq_u32_f32(t.0[i]));
                    let y = vaddq_u32(vreinterpretq_u32_f32(p.0[i]), n);
                    out.0[i] = vreinterpretq_f32_u32(vbicq_u32(y, vcltq_f32(self.0[i], min)));
                }
                out
            }
        }
        #[inline(always)]
        unsafe fn reduce_max(self) -> f32 {
            let v = self.0;
            // SAFETY: the CPU has the type's level, as the trait's callers promise.
            unsafe { vmaxnmvq_f32(vmaxnmq_f32(vmaxnmq_f32(v[0], v[1]), vmaxnmq_f32(v[2], v[3]))) }
        }
        #[inline(always)]
        unsafe fn reduce_add(self) -> f32 {
            let v = self.0;
            // SAFETY: the CPU has the type's level, as the trait's callers promise. Lane i and i + 8, then i + 4, and so on: the order of the other levels.
            unsafe {
                let v = vaddq_f32(vaddq_f32(v[0], v[2]), vaddq_f32(v[1], v[3]));
                vpadds_f32(vadd_f32(vget_low_f32(v), vget_high_f32(v)))
            }
        }
        #[inline(always)]
        unsafe fn transpose(m: &mut [Self; 16]) {
            let from = *m;
            for i in 0..4 {
                for j in 0..4 {
                    let rows = [0, 1, 2, 3].map(|r| from[4 * i + r].0[j]);
                    // SAFETY: the CPU has the type's level, as the trait's callers promise.
                    let columns = unsafe { transpose4(rows) };
                    for r in 0..4 {
                        m[4 * j + r].0[i] = columns[r];
                    }
                }
            }
        }
    }

    /// # Safety
    /// Level.
    #[inline(always)]
    unsafe fn transpose4(r: [float32x4_t; 4]) -> [float32x4_t; 4] {
        // SAFETY: the CPU has the type's level, as the trait's callers promise.
        unsafe {
            // Even columns of two rows, and odd ones.
            let (a, b) = (vtrn1q_f32(r[0], r[1]), vtrn2q_f32(r[0], r[1]));
            let (c, d) = (vtrn1q_f32(r[2], r[3]), vtrn2q_f32(r[2], r[3]));
            [
                vcombine_f32(vget_low_f32(a), vget_low_f32(c)),
                vcombine_f32(vget_low_f32(b), vget_low_f32(d)),
                vcombine_f32(vget_high_f32(a), vget_high_f32(c)),
                vcombine_f32(vget_high_f32(b), vget_high_f32(d)),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the checks at one level; they are slow calls here, but the same code.
    unsafe fn check<S: Lanes>() {
        let mut m: Vec<f32> = (0..256).map(|i| i as f32).collect();
        // SAFETY: the caller checked the level; the arrays hold 16 and 256 elements.
        unsafe {
            let mut v: [S; 16] = std::array::from_fn(|i| S::load(m.as_ptr().add(16 * i)));
            S::transpose(&mut v);
            for (i, v) in v.iter().enumerate() {
                v.store(m.as_mut_ptr().add(16 * i));
            }
            for i in 0..256 {
                assert_eq!(m[i], (i % 16 * 16 + i / 16) as f32);
            }
            assert_eq!(S::load(m.as_ptr()).reduce_add(), (0..16).map(|i| i as f32 * 16.0).sum());
            assert_eq!(S::load(m.as_ptr()).reduce_max(), 240.0);
            for step in 0..2000 {
                let x: [f32; 16] = std::array::from_fn(|i| (step * 16 + i) as f32 * -0.00272);
                let mut y = [f32::NAN; 16];
                S::load(x.as_ptr()).exp().store(y.as_mut_ptr());
                for i in 0..16 {
                    let want = if x[i] < EXP_MIN { 0.0 } else { f64::from(x[i]).exp() };
                    assert!(
                        (f64::from(y[i]) - want).abs() <= want * 2.5e-7,
                        "e^{} = {want}, not {}",
                        x[i],
                        y[i]
                    );
                }
            }
            let special = [f32::NEG_INFINITY, f32::NAN, 0.0, -0.0, -1e30, f32::NAN];
            let mut y = [0f32; 16];
            let x: [f32; 16] = std::array::from_fn(|i| special[i % special.len()]);
            S::load(x.as_ptr()).exp().store(y.as_mut_ptr());
            assert_eq!((y[0], y[2], y[3], y[4]), (0.0, 1.0, 1.0, 0.0));
            assert!(y[1].is_nan() && y[5].is_nan());
        }
    }

    #[test]
    fn lanes_do_what_they_say_at_every_level() {
        // SAFETY: each level is checked first.
        unsafe {
            check::<Plain>();
            #[cfg(target_arch = "x86_64")]
            {
                use crate::cpu::Level;
                if Level::Avx2.available() {
                    check::<Avx2>();
                }
                if Level::Avx512.available() {
                    check::<Avx512>();
                }
            }
            #[cfg(target_arch = "aarch64")]
            check::<Neon>();
        }
    }
}
