//! Tile kernels for x86-64 with AVX2, FMA and F16C, for f32 activations: a tile is two halves of 8 rows.
//!
//! Products of many rows with weights of 8 to 32 bits convert a slab of a tile's columns to f32 once, into a panel that stays in
//! the first-level cache, for all rows of a pass: six rows by 16 columns make 12 multiply-adds for eight loads and nothing else.

use super::cpu_bytes256::{SIGNED, ask, unpack};
use super::cpu_rows::{few, put};
use super::cpu_tile::{Form, Job, LANES, Ladder, Many, Panel, Tile, Version, ladder};
use crate::dtype::DType;
use crate::dtype::rows16;
use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Kernels of a quantized form with f32 activations.
pub(super) struct Wide<F>(PhantomData<F>);
/// Kernels of F32, F16, BF16 or MXFP8 (its id).
pub(super) struct Float<const D: u32>;

impl<F: Form> Version for Wide<F> {
    const FEW: Ladder = ladder!(wide, F, 1, [1]);
    const MANY: Many = Many::Tiles(ladder!(wide, F, 1, [4, 1]));
}

impl<const D: u32> Version for Float<D> {
    const FEW: Ladder = ladder!(float, D, 4, [1]);
    const MANY: Many = Many::Own(many::<D>);
}

const F32: u32 = DType::F32 as u32;
const F16: u32 = DType::F16 as u32;
const BF16: u32 = DType::Bf16 as u32;

/// Quantized weights with f32 activations: quants become small whole floats, scaled once per block.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn wide<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    for h in 0..2 {
        let mut acc = [_mm256_setzero_ps(); ROWS];
        for b in 0..t.k / 32 {
            ask::<F>(t, b);
            // SAFETY: block b of k/32 lies inside the tile and inside each row, by the caller's promise.
            unsafe {
                let block = unpack::<F, SIGNED>(t, b, h);
                for half in 0..2 {
                    let mut sum = [_mm256_setzero_ps(); ROWS];
                    let scale = block.d[half];
                    for c in 0..16 {
                        let up = _mm256_set1_epi32(24 - 8 * (c as i32 % 4));
                        let v = _mm256_srai_epi32::<24>(_mm256_sllv_epi32(block.q[4 * half + c / 4], up));
                        let mut v = _mm256_cvtepi32_ps(v);
                        if F::SCALES.minimums() {
                            v = _mm256_fmadd_ps(v, scale, block.m[half]);
                        }
                        for r in 0..ROWS {
                            let x = t.x.add(r * t.x_stride + (b * 32 + half * 16 + c) * 4).cast::<f32>();
                            sum[r] = _mm256_fmadd_ps(v, _mm256_set1_ps(*x), sum[r]);
                        }
                    }
                    for r in 0..ROWS {
                        acc[r] = if F::SCALES.minimums() {
                            _mm256_add_ps(acc[r], sum[r])
                        } else {
                            _mm256_fmadd_ps(sum[r], scale, acc[r])
                        };
                    }
                }
            }
        }
        for (r, a) in acc.into_iter().enumerate() {
            // SAFETY: the caller's `out` holds ROWS rows of 16.
            unsafe { _mm256_store_ps(t.out.add(r * 16 + h * 8), a) };
        }
    }
}

/// 8 f16 as f32.
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn halves(p: *const u8) -> __m256 {
    // SAFETY: the caller has 16 bytes at `p`.
    unsafe { _mm256_cvtph_ps(_mm_loadu_si128(p.cast())) }
}

/// How far ahead of its use, in bytes, a tile is asked for where a kernel has several rows. The kernel for one row reads four tiles at a time, which
/// processors fetch ahead by themselves. (Weights of BF16 that no cache of a core holds, 6 rows: 138 GOP/s without, 214, 190, 220 and 247 with 1, 2, 3 and
/// 6 KiB.)
const AHEAD: usize = 6 << 10;

#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn float<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let mut acc = [[[_mm256_setzero_ps(); 2]; TILES]; ROWS];
    for c in 0..t.k {
        for i in 0..TILES {
            // SAFETY: column c is inside the tiles and rows, by the caller's promise.
            unsafe {
                if ROWS > 1 {
                    let next = t.w.wrapping_add(i * t.w_stride + column_at::<D>(c) + AHEAD);
                    _mm_prefetch::<_MM_HINT_T0>(next.cast());
                }
                let w = column::<D>(t.w.add(i * t.w_stride), c, t.k);
                for r in 0..ROWS {
                    let x = _mm256_set1_ps(*t.x.add(r * t.x_stride + c * 4).cast::<f32>());
                    for h in 0..2 {
                        acc[r][i][h] = _mm256_fmadd_ps(w[h], x, acc[r][i][h]);
                    }
                }
            }
        }
    }
    for r in 0..ROWS {
        for i in 0..TILES {
            for h in 0..2 {
                // SAFETY: the caller's `out` holds ROWS rows of 16 TILES.
                unsafe { _mm256_store_ps(t.out.add((r * TILES + i) * 16 + h * 8), acc[r][i][h]) };
            }
        }
    }
}

/// Columns of a panel.
const SLAB: usize = 256;
/// Rows that meet a panel at once.
const AT_ONCE: usize = 6;
/// Fewer rows do not pay for a panel: 64 of F16 weights took 5% longer.
const LEAST_ROWS: usize = 96;
/// Rows of a pass, and tiles whose sums are kept meanwhile: both sides of a slab stay in the second-level cache.
const PASS: usize = 192;
const GROUP: usize = 8;

/// A worker's memory, on its stack. Never initialised as a whole.
#[repr(C, align(64))]
struct Workspace {
    /// `[columns][16]`.
    panel: [f32; SLAB * LANES],
    /// `[tiles][rows][16]` of a pass.
    sums: [f32; GROUP * PASS * LANES],
}

/// Products of many rows, a panel at a time. Each sum has the order of k, as in [`float`].
///
/// # Safety
/// As [`Many::Own`].
unsafe fn many<const D: u32>(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe {
        // Two rows of one tile are four sums, half of what multiply-adds that wait for each other want.
        if rows.len() == 2 {
            few(job, const { &ladder!(float, D, 2, [2, 1]) }, rows, tiles);
        } else if rows.len() < LEAST_ROWS {
            few(job, const { &ladder!(float, D, 1, [6, 4, 3, 2, 1]) }, rows, tiles);
        } else {
            in_panels::<D>(job, rows, tiles);
        }
    }
}

/// [`many`] on panels. Not inlined: its stack is large.
///
/// # Safety
/// As [`Many::Own`].
#[inline(never)]
unsafe fn in_panels<const D: u32>(job: &Job<'_>, rows: Range<usize>, tiles: Range<usize>) {
    /// Rows, and the kernel for so many.
    type Step = (usize, unsafe fn(&Panel));
    const STEPS: [Step; 4] =
        [(AT_ONCE, multiply::<AT_ONCE>), (4, multiply::<4>), (2, multiply::<2>), (1, multiply::<1>)];
    let mut work = MaybeUninit::<Workspace>::uninit();
    let work = work.as_mut_ptr();
    // SAFETY: addresses only; nothing is read before it is written.
    let (panel, sums) =
        unsafe { ((&raw mut (*work).panel).cast::<f32>(), (&raw mut (*work).sums).cast::<f32>()) };
    let k = job.c.k as usize;
    for first in rows.clone().step_by(PASS) {
        let end = rows.end.min(first + PASS);
        for group in tiles.clone().step_by(GROUP) {
            for from in (0..k).step_by(SLAB) {
                let count = SLAB.min(k - from);
                for t in group..tiles.end.min(group + GROUP) {
                    // SAFETY: the columns are inside the tile, and the panel holds the most; `sums` has room for the group.
                    let sums = unsafe {
                        fill::<D>(&job.tile(t, first, sums), from, count, panel);
                        sums.add((t - group) * PASS * LANES)
                    };
                    let mut r = first;
                    while r < end {
                        let Some(&(n, step)) = STEPS.iter().find(|s| s.0 <= end - r) else { break };
                        // SAFETY: the panel was filled above; rows and tiles are inside the bindings and this part's own;
                        // `sums` holds a pass of rows, each written by the first slab before another reads it.
                        unsafe {
                            let sums = sums.add((r - first) * LANES);
                            let x = job.x(r).add(from * 4);
                            let w = panel.cast::<u8>().cast_const();
                            let (x_stride, first) = (job.x_stride, from == 0);
                            step(&Panel { w, blocks: count, x, x_stride, sums, first });
                            if from + count == k {
                                let out = std::slice::from_raw_parts(sums, n * LANES);
                                put(job, r, n, t * LANES, LANES, out);
                            }
                        }
                        r += n;
                    }
                }
            }
        }
    }
}

/// Converts columns `from..from + count` of a tile.
///
/// # Safety
/// The tile has these columns; `panel` is aligned to 32 bytes and has room; the machine has the level.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn fill<const D: u32>(t: &Tile, from: usize, count: usize, panel: *mut f32) {
    for c in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let [low, high] = column::<D>(t.w, from + c, t.k);
            _mm256_store_ps(panel.add(c * LANES), low);
            _mm256_store_ps(panel.add(c * LANES + 8), high);
        }
    }
}

/// Adds a panel's products with `ROWS` rows to their sums; its blocks are columns.
///
/// # Safety
/// The panel's pointers are valid for that many rows and one tile, its memory is aligned to 32 bytes, and the machine has the
/// level.
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn multiply<const ROWS: usize>(p: &Panel) {
    let (w, x) = (p.w.cast::<f32>(), p.x.cast::<f32>());
    // SAFETY: the caller's promise.
    unsafe {
        let mut acc = [[_mm256_setzero_ps(); 2]; ROWS];
        if !p.first {
            for r in 0..ROWS {
                for h in 0..2 {
                    acc[r][h] = _mm256_load_ps(p.sums.add(r * LANES + 8 * h));
                }
            }
        }
        for c in 0..p.blocks {
            let w = [_mm256_load_ps(w.add(c * LANES)), _mm256_load_ps(w.add(c * LANES + 8))];
            for r in 0..ROWS {
                let x = _mm256_set1_ps(*x.byte_add(r * p.x_stride).add(c));
                for h in 0..2 {
                    acc[r][h] = _mm256_fmadd_ps(w[h], x, acc[r][h]);
                }
            }
        }
        for r in 0..ROWS {
            for h in 0..2 {
                _mm256_store_ps(p.sums.add(r * LANES + 8 * h), acc[r][h]);
            }
        }
    }
}

/// About where column `c` begins in a tile.
const fn column_at<const D: u32>(c: usize) -> usize {
    match D {
        F32 => c * 64,
        F16 | BF16 => c * 32,
        _ => c / 32 * rows16::MXFP8_BLOCK + c % 32 * 16,
    }
}

/// Column `c` of a tile of `k`.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn column<const D: u32>(w: *const u8, c: usize, k: usize) -> [__m256; 2] {
    // SAFETY: the caller has the column at `w`.
    unsafe {
        match D {
            F32 => {
                let w = w.add(c * 64);
                [_mm256_loadu_ps(w.cast()), _mm256_loadu_ps(w.add(32).cast())]
            }
            F16 => [halves(w.add(c * 32)), halves(w.add(c * 32 + 16))],
            BF16 if c + 1 == k && k % 2 == 1 => {
                let words = |p: *const u8| _mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast()));
                let v = [words(w.add(c * 32)), words(w.add(c * 32 + 16))];
                v.map(|v| _mm256_castsi256_ps(_mm256_slli_epi32::<16>(v)))
            }
            BF16 => {
                let p = w.add(c / 2 * 64);
                let v = [_mm256_loadu_si256(p.cast()), _mm256_loadu_si256(p.add(32).cast())];
                let high = _mm256_set1_epi32(0xFFFF_0000u32 as i32);
                v.map(|v| {
                    let v = if c.is_multiple_of(2) {
                        _mm256_slli_epi32::<16>(v)
                    } else {
                        _mm256_and_si256(v, high)
                    };
                    _mm256_castsi256_ps(v)
                })
            }
            _ => {
                let block = w.add(c / 32 * rows16::MXFP8_BLOCK);
                [0, 8].map(|row| {
                    let e = _mm256_cvtepu8_epi32(_mm_loadl_epi64(block.add(512 + row).cast()));
                    // As f16 the elements are 2^8 times too small.
                    let e = _mm256_slli_epi32::<23>(_mm256_add_epi32(e, _mm256_set1_epi32(8)));
                    _mm256_mul_ps(e4m3(block.add(c % 32 * 16 + row)), _mm256_castsi256_ps(e))
                })
            }
        }
    }
}

/// 8 E4M3 numbers times 2^-8, since an f16 has one more bit of exponent, biased by 8 more.
#[inline]
#[target_feature(enable = "avx2,f16c")]
unsafe fn e4m3(p: *const u8) -> __m256 {
    // SAFETY: the caller has 8 bytes at `p`.
    let v = unsafe { _mm_cvtepi8_epi16(_mm_loadl_epi64(p.cast())) };
    let number = _mm_and_si128(_mm_slli_epi16::<7>(v), _mm_set1_epi16(0x3f80));
    let sign = _mm_and_si128(v, _mm_set1_epi16(i16::MIN));
    _mm256_cvtph_ps(_mm_or_si128(number, sign))
}
