//! Tile kernels of quantized weights in 256-bit registers: for AVX2, and of few rows for AVX-VNNI (of many in `cpu_vnni256`). A tile is
//! two halves of 8 rows.
//!
//! With AVX-VNNI unsigned codes at the top of their bytes are multiplied as with AVX-512. AVX2 has no such product, only
//! `vpmaddubsw`, which adds pairs of products in 16 bits. So codes of up to five bits are kept in five (31 * 128 * 8
//! fits 16 bits: four such sums need one widening), those of six in six (two), and those of eight are multiplied as
//! |w| * (x with w's sign), each sum widened. Activations of 16 bits may have a low byte of -128, whose sign cannot be
//! changed, so there codes of eight bits are two of four. All are exact.
//!
//! `vpsignb` shares its units with the products. So on panels a sign is an exclusive or with a mask, which gives -x - 1
//! where a weight is negative; the sum begins with the magnitudes of the negative weights, which undoes the -1.
//!
//! Widening also multiplies, so that every kind of sum counts as of codes at the top of their bytes: one bias and one
//! scale serve all kinds. In formats with minimums nothing is centred, since the minimum meets the activations' sum
//! anyway: they need no bias.
//!
//! On panels four rows meet both halves of a tile, so that an activation's load serves two products and a weight's four.
//!
//! Functions without an instruction level of their own are `inline(always)`: they must be inlined into one that enables
//! the level, and a compiler left to itself would call them.

use super::cpu_avx512_unpack::fetch;
use super::cpu_scales;
use super::cpu_tile::{
    Block32, Form, Ladder, Many, PANEL_SUB, Panel, PanelStep, Panels, SLAB, Tile, Version, ladder,
};
use crate::act::{Q8Block, Q16Block};
use crate::dtype::rows16::Codes;
use crate::glu::cpu::gates_avx2;
use std::arch::asm;
use std::arch::x86_64::*;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Kernels of a quantized form for AVX2.
pub(super) struct Avx2<F>(PhantomData<F>);
/// Kernels of a quantized form with 16-bit activations for AVX2.
pub(super) struct Avx2Q16<F>(PhantomData<F>);

impl<F: Form> Version for Avx2<F> {
    const FEW: Ladder = ladder!(q8_avx2, F, 1, [1]);
    const MANY: Many = Many::Panels(panels::<F>());
}

impl<F: Form> Version for Avx2Q16<F> {
    const FEW: Ladder = ladder!(q16_avx2, F, 1, [4, 2, 1]);
    const MANY: Many = Many::Tiles(ladder!(q16_avx2, F, 1, [4, 2, 1]));
}

/// Products of codes in five bits.
pub(super) const FIVE: u32 = 0;
/// Products of codes in six bits.
pub(super) const SIX: u32 = 1;
/// Products of signed bytes: codes at the top of their bytes, less 128; tables' values as they are.
pub(super) const SIGNED: u32 = 2;
/// Products of unsigned bytes by VNNI.
pub(super) const VNNI: u32 = 3;
/// Products of unsigned bytes as two of four bits.
const SPLIT: u32 = 4;
/// Products of signed bytes on panels, which have magnitudes and masks of the negative ones.
const MASKED: u32 = 5;
/// Codes in four bits, which `cpu_paired256` multiplies.
pub(super) const FOUR: u32 = 6;

/// How a form's codes are multiplied with bytes, or with the two bytes of 16 bits.
const fn kind<F: Form>(vnni: bool, wide: bool) -> u32 {
    match (vnni, F::CODES.table(), F::CODES.bits()) {
        (true, ..) => VNNI,
        (_, Some(_), _) | (_, _, 7..) if wide => SPLIT,
        (_, Some(_), _) | (_, _, 7..) => SIGNED,
        (.., 6) => SIX,
        _ => FIVE,
    }
}

/// Bits of a byte, from the lowest, whose top a code is moved to.
pub(super) const fn top(kind: u32) -> i32 {
    match kind {
        FOUR => 4,
        FIVE => 5,
        SIX => 6,
        _ => 8,
    }
}

/// Bytes before the scales of half a tile's sub-block in a panel: codes; where they are masked, magnitudes, masks and, for
/// both halves of the columns, the sums of the negative ones' magnitudes.
pub(super) const fn code_bytes(kind: u32) -> usize {
    match kind {
        SIGNED | MASKED => 256 + 256 + 64,
        _ => 256,
    }
}

/// What a form's scales are.
#[derive(Clone, Copy)]
pub(super) struct Scaling {
    /// Whether both halves of a block have their own.
    pub(super) halves: bool,
    /// [`Form::OFFSETS`].
    pub(super) offsets: u32,
}

impl Scaling {
    const fn of<F: Form>() -> Self {
        Self { halves: F::SCALES.halves(), offsets: F::OFFSETS }
    }

    /// Whether a kind's sums need the activations' biases: unsigned codes stand for those less their centre.
    pub(super) const fn biased(self, kind: u32) -> bool {
        self.offsets == 0 && kind != SIGNED && kind != MASKED
    }

    /// Bytes of half a tile's sub-block in a panel: codes, scales, offsets.
    pub(super) const fn stride(self, kind: u32) -> usize {
        code_bytes(kind) + 32 * (1 + self.halves as usize + self.offsets as usize)
    }
}

/// Repeats a block for each of 2, 4 or 8 numbers. (A compiler does not unroll a loop of this size, and its sums would live in
/// memory.)
macro_rules! unroll {
    (2, $i:ident, $do:block) => {
        unroll!(@ $i, $do, 0 1)
    };
    (4, $i:ident, $do:block) => {
        unroll!(@ $i, $do, 0 1 2 3)
    };
    (8, $i:ident, $do:block) => {
        unroll!(@ $i, $do, 0 1 2 3 4 5 6 7)
    };
    (@ $i:ident, $do:block, $($n:literal)*) => {
        $({
            let $i: usize = $n;
            $do
        })*
    };
}
pub(super) use unroll;

macro_rules! panels {
    ($f:ident, $mul:ident, $slab:expr, $halves:literal, $offsets:literal, $($rows:literal)*) => {
        Panels {
            fill: fill_avx2::<$f>,
            slab: $slab,
            x_block: size_of::<Q8Block>(),
            spills: true,
            gates: gates_avx2,
            steps: &[$(PanelStep {
                rows: $rows,
                one: $mul::<1, $rows, $halves, $offsets>,
                wide: $mul::<2, $rows, $halves, $offsets>,
            }),*],
        }
    };
}

const fn panels<F: Form>() -> Panels {
    macro_rules! by_scales {
        ($multiply:ident, $slab:expr) => {
            match (F::SCALES.halves(), F::OFFSETS) {
                (false, 0) => panels!(F, $multiply, $slab, false, 0, 4 2 1),
                (false, _) => panels!(F, $multiply, $slab, false, 1, 4 2 1),
                (true, 0) => panels!(F, $multiply, $slab, true, 0, 4 2 1),
                (true, _) => panels!(F, $multiply, $slab, true, 2, 4 2 1),
            }
        };
    }
    match kind::<F>(false, false) {
        FIVE => by_scales!(multiply_five, SLAB),
        SIX => by_scales!(multiply_six, SLAB),
        // Twice as wide.
        _ => by_scales!(multiply_masked, SLAB / 2),
    }
}

/// Aligns a kernel's stack, so that registers that do not fit lie in whole lines of the cache. (A compiler aligns it only where
/// a variable asks for it. A place across two lines, or two pages, is slow to write and to read.)
macro_rules! align_stack {
    () => {{
        let mut place = MaybeUninit::<__m256i>::uninit();
        // Nothing but a use of the place.
        asm!("/* {0} */", in(reg) place.as_mut_ptr(), options(nostack, preserves_flags));
    }};
}
pub(super) use align_stack;

macro_rules! with_level {
    ($level:literal, $vnni:literal, $q8:ident, $q16:ident, $fill:ident, $($multiply:ident: $kind:ident),*) => {
        #[target_feature(enable = $level)]
        pub(super) unsafe fn $q8<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
            // SAFETY: the caller's promise.
            unsafe {
                align_stack!();
                match const { kind::<F>($vnni, false) } {
                    FIVE => tile::<F, Q8Block, FIVE, ROWS>(t),
                    SIX => tile::<F, Q8Block, SIX, ROWS>(t),
                    SIGNED => tile::<F, Q8Block, SIGNED, ROWS>(t),
                    _ => tile::<F, Q8Block, VNNI, ROWS>(t),
                }
            }
        }

        #[target_feature(enable = $level)]
        pub(super) unsafe fn $q16<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
            // SAFETY: the caller's promise.
            unsafe {
                align_stack!();
                match const { kind::<F>($vnni, true) } {
                    FIVE => tile::<F, Q16Block, FIVE, ROWS>(t),
                    SIX => tile::<F, Q16Block, SIX, ROWS>(t),
                    SPLIT => tile::<F, Q16Block, SPLIT, ROWS>(t),
                    _ => tile::<F, Q16Block, VNNI, ROWS>(t),
                }
            }
        }

        #[target_feature(enable = $level)]
        pub(super) unsafe fn $fill<F: Form>(t: &Tile, tiles: usize, from: usize, count: usize, panel: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe {
                align_stack!();
                match const { kind::<F>($vnni, false) } {
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
                unsafe {
                    align_stack!();
                    multiply::<$kind, TILES, ROWS, HALVES, OFFSETS>(p)
                }
            }
        )*
    };
}

with_level!("avx2,fma,f16c", false, q8_avx2, q16_avx2, fill_avx2,
    multiply_five: FIVE, multiply_six: SIX, multiply_masked: MASKED);
with_level!("avx2,fma,f16c,avxvnni", true, q8_vnni, q16_vnni, fill_vnni,);

/// 32 columns of 8 rows, ready to multiply.
pub(super) struct Block {
    /// Codes, 4 columns a register.
    pub(super) q: [__m256i; 8],
    /// Scales of the first and the last 16 columns, for codes at the top of their bytes.
    pub(super) d: [__m256; 2],
    /// Offsets of both halves, of forms with minimums; for signed codes in that kind.
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

/// Asks for the lines that will be used soon after sub-block `b`, in the order of memory.
#[inline(always)]
pub(super) fn ask<F: Form>(t: &Tile, b: usize) {
    let (subs_log2, bytes) = t.block::<F>();
    let share = F::CODES.sub_bytes() + (F::SCALES.bytes() >> F::SCALES.subs_log2().unwrap_or(0));
    fetch(t.w.wrapping_add((b * bytes) >> subs_log2), share.div_ceil(64));
}

/// Unpacks rows 8h.. of sub-block `b` of a tile.
///
/// # Safety
/// The tile has at least `b + 1` sub-blocks.
#[inline(always)]
pub(super) unsafe fn unpack<F: Form, const KIND: u32>(t: &Tile, b: usize, h: usize) -> Block {
    // SAFETY: the caller's promise; all offsets are inside the block, by the layout of `rows16`.
    unsafe {
        let (w, s, q) = t.sub::<F>(b);
        let q = codes::<F, KIND>(q.add(h * 32));
        let (mut d, mut m) = cpu_scales::scales::<__m256>(F::SCALES, t.word, w, s, 8 * h);
        for i in 0..2 {
            if F::UNIT != 1.0 {
                d[i] = _mm256_mul_ps(d[i], _mm256_set1_ps(F::UNIT));
            }
            if F::SCALES.minimums() && KIND == SIGNED {
                // d q + m = d (q - centre) + (m + d centre)
                m[i] = _mm256_fmadd_ps(d[i], _mm256_set1_ps(128.0), m[i]);
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
    // SAFETY: the caller has 32 bytes at `p`.
    unsafe { _mm256_loadu_si256(p.cast()) }
}

/// Sums of products of half a block: of codes at the top of their bytes, or of signed ones.
#[derive(Clone, Copy)]
struct Sum {
    /// In 32 bits.
    total: __m256i,
    /// What is not widened yet, in 16 bits; of codes in two parts, the low ones'.
    pairs: __m256i,
    /// The high ones'.
    high: __m256i,
}

impl Sum {
    /// Nothing yet but `total`.
    #[inline(always)]
    const fn new(total: __m256i) -> Self {
        Self { total, pairs: total, high: total }
    }

    /// Adds chunk `c` of four. `beside` is |q| in the kind of signed bytes, and their mask in that of masked ones.
    #[inline(always)]
    unsafe fn add<const KIND: u32>(&mut self, c: usize, q: __m256i, beside: __m256i, x: __m256i) {
        // SAFETY: the caller promises that the CPU has the level.
        unsafe {
            match KIND {
                FIVE | SIX => {
                    let chain = if KIND == FIVE { 4 } else { 2 };
                    self.pairs = link(self.pairs, c % chain, _mm256_maddubs_epi16(q, x));
                    if c % chain == chain - 1 {
                        self.total = widened(self.total, self.pairs, 1 << (8 - top(KIND)));
                    }
                }
                SIGNED => {
                    let pairs = _mm256_maddubs_epi16(beside, _mm256_sign_epi8(x, q));
                    self.total = widened(self.total, pairs, 1);
                }
                MASKED => {
                    let pairs = _mm256_maddubs_epi16(q, _mm256_xor_si256(x, beside));
                    self.total = widened(self.total, pairs, 1);
                }
                SPLIT => {
                    self.pairs = link(self.pairs, c, _mm256_maddubs_epi16(keep(15, q), x));
                    self.high = link(self.high, c, _mm256_maddubs_epi16(keep(15, left(q, -4)), x));
                    if c == 3 {
                        self.total = widened(self.total, self.pairs, 1);
                        self.total = widened(self.total, self.high, 16);
                    }
                }
                _ => self.total = _mm256_dpbusd_avx_epi32(self.total, q, x),
            }
        }
    }

    /// Keeps what comes after from being computed before: else a compiler takes one row after the other, and weights do not
    /// stay in registers.
    #[inline(always)]
    unsafe fn pin<const KIND: u32>(&mut self, c: usize) {
        let waits = KIND == FIVE || KIND == SIX && c.is_multiple_of(2);
        // SAFETY: the caller promises that the CPU has the level.
        unsafe { pin(if waits { &mut self.pairs } else { &mut self.total }) }
    }
}

/// [`Sum::pin`] of a register.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn pin(v: &mut __m256i) {
    // SAFETY: it does nothing.
    unsafe { asm!("/* {0} */", inout(ymm_reg) * v, options(nomem, nostack, preserves_flags)) };
}

/// A chain of 16-bit sums with one more, or begun with it.
#[inline(always)]
pub(super) unsafe fn link(sums: __m256i, number: usize, more: __m256i) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { if number == 0 { more } else { _mm256_add_epi16(sums, more) } }
}

/// A total and pairs of 16-bit sums, times a number.
#[inline(always)]
unsafe fn widened(total: __m256i, pairs: __m256i, by: i16) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { _mm256_add_epi32(total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(by))) }
}

/// |q| in the kind of signed bytes.
#[inline(always)]
unsafe fn size<const KIND: u32>(q: __m256i) -> __m256i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe { if KIND == SIGNED { _mm256_abs_epi8(q) } else { q } }
}

#[inline(always)]
pub(super) unsafe fn int(x: *const u8, at: usize) -> __m256i {
    // SAFETY: the caller has four bytes there.
    unsafe { _mm256_set1_epi32(x.add(at).cast::<i32>().read_unaligned()) }
}

#[inline(always)]
pub(super) unsafe fn float(x: *const u8, at: usize) -> __m256 {
    // SAFETY: the caller has four bytes there.
    unsafe { _mm256_set1_ps(x.add(at).cast::<f32>().read_unaligned()) }
}

/// What half `h`'s sums begin with.
#[inline(always)]
pub(super) unsafe fn begin<X: Block32>(biased: bool, x: *const u8, h: usize) -> __m256i {
    // SAFETY: the caller has a block at `x`, and the level.
    unsafe {
        match (biased, X::FLOATS) {
            (true, _) => int(x, X::BEGINS + 4 * h),
            (_, true) => _mm256_set1_epi32(Q8Block::BEGIN.to_bits() as i32),
            _ => _mm256_setzero_si256(),
        }
    }
}

/// The value of a half's sum that began with [`begin`]. On Intel's processors conversions wait for the two units of products; one of
/// those that subtract does no products.
#[inline(always)]
unsafe fn float_of<X: Block32>(v: __m256i) -> __m256 {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        if X::FLOATS {
            _mm256_sub_ps(_mm256_castsi256_ps(v), _mm256_set1_ps(Q8Block::BEGIN))
        } else {
            _mm256_cvtepi32_ps(v)
        }
    }
}

/// Takes half `h`'s product, scaled, into a row's 8 sums. Where both halves have one scale, the first waits in `first`.
#[inline(always)]
unsafe fn take<X: Block32>(
    acc: &mut __m256,
    first: &mut __m256,
    product: __m256,
    s: Scaling,
    h: usize,
    d: __m256,
    m: __m256,
    x: *const u8,
) {
    // SAFETY: the caller has a block at `x`, and the level.
    unsafe {
        let scale = float(x, X::SCALES + 4 * h);
        if s.offsets == 2 {
            let offset = _mm256_mul_ps(float_of::<X>(int(x, X::BEGINS + 4 * h)), m);
            *acc = _mm256_fmadd_ps(_mm256_fmadd_ps(product, d, offset), scale, *acc);
        } else if s.halves {
            *acc = _mm256_fmadd_ps(_mm256_mul_ps(product, scale), d, *acc);
        } else if h == 0 {
            *first = _mm256_mul_ps(product, scale);
        } else {
            *acc = _mm256_fmadd_ps(_mm256_fmadd_ps(product, scale, *first), d, *acc);
            if s.offsets == 1 {
                *acc = _mm256_fmadd_ps(m, float(x, X::SUM), *acc);
            }
        }
    }
}

/// A few rows with one tile: each block is unpacked once for all.
///
/// # Safety
/// As [`super::cpu_tile::TileFn`], for rows of blocks `X`, with the kind's level.
#[inline(always)]
unsafe fn tile<F: Form, X: Block32, const KIND: u32, const ROWS: usize>(t: &Tile) {
    // SAFETY: block b of k/32 lies inside the tile and inside the rows, by the caller's promise; so do the results in `out`.
    unsafe {
        let mut acc = [[_mm256_setzero_ps(); 2]; ROWS];
        for b in 0..t.k / 32 {
            ask::<F>(t, b);
            unroll!(2, h, {
                let mut w = unpack::<F, KIND>(t, b, h);
                w.m = for_biases::<F>(w.m);
                for r in 0..ROWS {
                    row::<F, X, KIND>(&mut acc[r][h], &w, t.x.add(r * t.x_stride + b * X::BYTES));
                }
            });
        }
        for r in 0..ROWS {
            unroll!(2, h, { _mm256_store_ps(t.out.add(r * 16 + h * 8), acc[r][h]) });
        }
    }
}

/// Adds the product of a weight block and one row's block at `x` to the row's 8 sums.
///
/// # Safety
/// `x` points to a block `X`; the machine has the kind's level.
#[inline(always)]
unsafe fn row<F: Form, X: Block32, const KIND: u32>(acc: &mut __m256, w: &Block, x: *const u8) {
    let s = Scaling::of::<F>();
    // SAFETY: all reads are inside the block, by the caller's promise.
    unsafe {
        let mut first = _mm256_setzero_ps();
        unroll!(2, h, {
            let mut sum = begin::<X>(s.biased(KIND), x, h);
            if let Some(low) = X::LOW {
                // The high bytes' sums count 256-fold. At most 16 * 255 * 32512: they fit.
                let high = bytes::<KIND>(_mm256_setzero_si256(), &w.q, h, x);
                sum = _mm256_add_epi32(sum, _mm256_slli_epi32::<8>(high));
                sum = bytes::<KIND>(sum, &w.q, h, x.add(low));
            } else {
                sum = bytes::<KIND>(sum, &w.q, h, x);
            }
            take::<X>(acc, &mut first, float_of::<X>(sum), s, h, w.d[h], w.m[h], x);
        });
    }
}

/// Adds to `begin` the products of half `h` of a block's codes with bytes; those of the first half are at `x`.
///
/// # Safety
/// 32 bytes lie at `x`; the machine has the kind's level.
#[inline(always)]
unsafe fn bytes<const KIND: u32>(begin: __m256i, q: &[__m256i; 8], h: usize, x: *const u8) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sum = Sum::new(begin);
        unroll!(4, c, {
            let q = q[4 * h + c];
            sum.add::<KIND>(c, q, size::<KIND>(q), int(x, 16 * h + 4 * c));
        });
        sum.total
    }
}

/// Unpacks sub-blocks `from..from + count` of `tiles` tiles: `[sub-blocks][tiles][2 halves]`.
///
/// # Safety
/// The tiles have these sub-blocks; `panel` is aligned to 32 bytes and has room; the machine has the level.
#[inline(always)]
unsafe fn fill<F: Form, const KIND: u32>(t: &Tile, tiles: usize, from: usize, count: usize, panel: *mut u8) {
    let s = Scaling::of::<F>();
    for i in 0..tiles {
        // SAFETY: the caller's promise.
        unsafe {
            let tile = Tile { w: t.w.add(i * t.w_stride), ..*t };
            for b in 0..count {
                ask::<F>(&tile, from + b);
                unroll!(2, h, {
                    let to = panel.add(((b * tiles + i) * 2 + h) * s.stride(KIND));
                    let block = unpack::<F, KIND>(&tile, from + b, h);
                    let m = for_biases::<F>(block.m);
                    put_codes::<KIND>(&block.q, to);
                    let mut to = to.add(code_bytes(KIND));
                    for d in &block.d[..1 + usize::from(s.halves)] {
                        _mm256_store_ps(to.cast(), *d);
                        to = to.add(32);
                    }
                    for m in &m[..s.offsets as usize] {
                        _mm256_store_ps(to.cast(), *m);
                        to = to.add(32);
                    }
                });
            }
        }
    }
}

/// Puts a block's codes into a panel; signed ones as [`MASKED`] ones.
///
/// # Safety
/// `to` is aligned to 32 bytes and has room; the machine has the level.
#[inline(always)]
unsafe fn put_codes<const KIND: u32>(q: &[__m256i; 8], to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut negative = [_mm256_setzero_si256(); 2];
        for c in 0..8 {
            let to = to.add(32 * c);
            if KIND != SIGNED {
                _mm256_store_si256(to.cast(), q[c]);
                continue;
            }
            let (size, mask) = (_mm256_abs_epi8(q[c]), _mm256_cmpgt_epi8(_mm256_setzero_si256(), q[c]));
            _mm256_store_si256(to.cast(), size);
            _mm256_store_si256(to.add(256).cast(), mask);
            let pairs = _mm256_maddubs_epi16(_mm256_and_si256(size, mask), _mm256_set1_epi8(1));
            negative[c / 4] = widened(negative[c / 4], pairs, 1);
        }
        if KIND == SIGNED {
            _mm256_store_si256(to.add(512).cast(), negative[0]);
            _mm256_store_si256(to.add(544).cast(), negative[1]);
        }
    }
}

/// Adds a panel's products with `ROWS` rows to their sums, a tile after the other.
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
    let s = Scaling { halves: HALVES, offsets: OFFSETS };
    let stride = s.stride(KIND);
    const { assert!(2 * Scaling { halves: HALVES, offsets: OFFSETS }.stride(KIND) <= most_bytes(KIND)) };
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
                let x = p.x.add(b * size_of::<Q8Block>());
                let mut first = [[_mm256_setzero_ps(); 2]; ROWS];
                unroll!(2, h, {
                    let mut sum = [[Sum::new(_mm256_setzero_si256()); 2]; ROWS];
                    for r in 0..ROWS {
                        for v in 0..2 {
                            sum[r][v] = Sum::new(match KIND {
                                MASKED => _mm256_load_si256(w.add(v * stride + 512 + 32 * h).cast()),
                                _ => _mm256_setzero_si256(),
                            });
                        }
                    }
                    unroll!(4, c, {
                        let mut q = [[_mm256_setzero_si256(); 2]; 2];
                        for v in 0..2 {
                            let at = w.add(v * stride + (4 * h + c) * 32);
                            let code = _mm256_load_si256(at.cast());
                            q[v] = [code, code];
                            if KIND == MASKED {
                                q[v][1] = _mm256_load_si256(at.add(256).cast());
                            }
                        }
                        for r in 0..ROWS {
                            let x = int(x, r * p.x_stride + 16 * h + 4 * c);
                            for v in 0..2 {
                                sum[r][v].add::<KIND>(c, q[v][0], q[v][1], x);
                            }
                        }
                        for r in 0..ROWS {
                            for v in 0..2 {
                                sum[r][v].pin::<KIND>(c);
                            }
                        }
                    });
                    for r in 0..ROWS {
                        let x = x.add(r * p.x_stride);
                        for v in 0..2 {
                            let product = sum[r][v].total;
                            // Later than in a sum's beginning, where it would take a register meanwhile.
                            let product = if s.biased(KIND) {
                                float_of::<Q8Block>(_mm256_add_epi32(product, begin::<Q8Block>(true, x, h)))
                            } else {
                                _mm256_cvtepi32_ps(product)
                            };
                            let at = |n: usize| w.add(v * stride + code_bytes(KIND) + 32 * n).cast::<f32>();
                            let d = _mm256_load_ps(at(if HALVES { h } else { 0 }));
                            let m = match OFFSETS {
                                0 => d,
                                1 => _mm256_load_ps(at(1)),
                                _ => _mm256_load_ps(at(2 + h)),
                            };
                            take::<Q8Block>(&mut acc[r][v], &mut first[r][v], product, s, h, d, m, x);
                        }
                    }
                });
            }
            for r in 0..ROWS {
                for v in 0..2 {
                    _mm256_store_ps(sums.add(r * TILES * 16 + v * 8), acc[r][v]);
                }
            }
        }
    }
}

/// Bytes that a tile's sub-block may have in a panel, by the length of its kind's slabs.
const fn most_bytes(kind: u32) -> usize {
    match kind {
        MASKED => 2 * PANEL_SUB,
        _ => PANEL_SUB,
    }
}
