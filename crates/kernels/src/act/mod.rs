//! Activation formats: how a matrix product's input rows lie in memory.
//!
//! `q8` keeps a row of `k` values (a multiple of 32) as `[k/32]` blocks ([`Q8Block`]): value = scale * quant, with
//! one scale per 16 values. (One per 32 doubles the mean KL divergence of SmolLM2 Q4_1 from f32 activations.)
//! The block's sums serve weights with an offset: what integer sums begin with undoes the bias of unsigned weights exactly,
//! the float one multiplies a format's minimum.
//!
//! `bf16pair` keeps 32 values as 32 bf16 and 32 more of what those lost: 16 bits of each, for products of two bf16 numbers.
//!
//! `q16` ([`Q16Block`]) is the same with quants of 16 bits, in two bytes, for products whose input must not lose anything.
//!
//! `q8paired` ([`Q8PairedBlock`]) has `q8`'s quants, two columns of each half in turn, and whole numbers as the halves' steps: so a sum of
//! both halves is one of whole numbers. Their unit is a power of two ([`Units`]).
//!
//! `q8quads` ([`Q8QuadsBlock`]) is the same with four columns of each half in turn.
//!
//! `q16aligned` ([`Q16AlignedBlock`]) has one scale for 32 such quants and parts of 16 bytes, which a GPU loads at once.

use crate::error::KernelError;
use bytemuck::{Pod, Zeroable};

pub mod cpu;
#[cfg(target_arch = "x86_64")]
pub(crate) mod cpu_x86;

/// The format of a matrix product's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ActFormat {
    /// `[k] f32`.
    F32 = 0,
    /// `[k/32]` [`Q8Block`].
    Q8 = 1,
    /// `[k] bf16`.
    Bf16 = 2,
    /// `[k] f16` of the value times [`F16_SCALE`], saturated: what tensor cores take beside f16 weights.
    F16 = 3,
    /// `[k/32]` [`Q16Block`].
    Q16 = 4,
    /// `[k/32]` blocks of `[32] bf16`, the values, and `[32] bf16`, what rounding took from them.
    Bf16Pair = 5,
    /// `[k/32]` [`Q16AlignedBlock`].
    Q16Aligned = 6,
    /// `[k/32]` [`Q8PairedBlock`].
    Q8Paired = 7,
    /// `[k/32]` [`Q8QuadsBlock`].
    Q8Quads = 8,
}

/// Every format, at the place of its number.
pub const FORMATS: [ActFormat; 9] = [
    ActFormat::F32,
    ActFormat::Q8,
    ActFormat::Bf16,
    ActFormat::F16,
    ActFormat::Q16,
    ActFormat::Bf16Pair,
    ActFormat::Q16Aligned,
    ActFormat::Q8Paired,
    ActFormat::Q8Quads,
];

/// Factor on values kept as [`ActFormat::F16`]: with it the format reaches 2,096,160 before it saturates, far
/// above the activations of models that overflow plain f16, and steps of 2e-6 near zero.
pub const F16_SCALE: f32 = 1.0 / 32.0;

impl ActFormat {
    /// From a kernel constant.
    pub const fn from_word(w: u32) -> Option<Self> {
        if (w as usize) < FORMATS.len() { Some(FORMATS[w as usize]) } else { None }
    }

    /// Name for dumps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Q8 => "q8",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
            Self::Q16 => "q16",
            Self::Bf16Pair => "bf16pair",
            Self::Q16Aligned => "q16aligned",
            Self::Q8Paired => "q8paired",
            Self::Q8Quads => "q8quads",
        }
    }

    /// Columns that are stored together; a row is a multiple of them.
    pub const fn block(self) -> u32 {
        match self {
            Self::Q8 | Self::Q16 | Self::Bf16Pair | Self::Q16Aligned | Self::Q8Paired | Self::Q8Quads => 32,
            Self::F32 | Self::Bf16 | Self::F16 => 1,
        }
    }

    /// Bytes of one row of `k` values: an odd number of 64-byte lines, so that the same column of successive
    /// rows never falls into the same set of a cache. Kernels of GPUs compute the same from `k` (`act_row_bytes` in their preludes).
    ///
    /// [`Self::Bf16Pair`], which no GPU has, leaves seven lines free after rows of whole 32 KiB, and not one. In a second-level cache of
    /// 2,048 sets every fourth row would otherwise begin four lines after another, and a block of rows would crowd into a part of the sets.
    pub const fn row_bytes(self, k: usize) -> usize {
        let lines = self.bytes(k).div_ceil(64);
        let crowd = matches!(self, Self::Bf16Pair) && lines.is_multiple_of(512);
        (if crowd { lines + 7 } else { lines | 1 }) * 64
    }

    /// Bytes of `n` neighbouring values of a row, whole blocks.
    pub const fn bytes(self, n: usize) -> usize {
        match self {
            Self::F32 | Self::Bf16Pair => n * 4,
            Self::Q8 => n / 32 * size_of::<Q8Block>(),
            Self::Q16 => n / 32 * size_of::<Q16Block>(),
            Self::Q16Aligned => n / 32 * size_of::<Q16AlignedBlock>(),
            Self::Q8Paired => n / 32 * size_of::<Q8PairedBlock>(),
            Self::Q8Quads => n / 32 * size_of::<Q8QuadsBlock>(),
            Self::Bf16 | Self::F16 => n * 2,
        }
    }
}

/// Bytes of a block of [`ActFormat::Bf16Pair`].
pub(crate) const PAIR_BYTES: usize = 128;

/// Refuses rows of a width that a format, given as a kernel's constant, does not have.
pub(crate) fn check(kernel: &'static str, act: u32, width: u32) -> Result<(), KernelError> {
    match ActFormat::from_word(act) {
        Some(format) if width.is_multiple_of(format.block()) => Ok(()),
        Some(format) => {
            let what = format!("{} output of width {width}", format.name());
            Err(KernelError::Unsupported { kernel, what })
        }
        None => Err(KernelError::Unsupported { kernel, what: format!("format {act}") }),
    }
}

/// 32 values of a `q8` row, in two halves of 16.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Q8Block {
    /// The quants, -127..=127.
    pub quants: [i8; 32],
    /// Value of one step of each half: its largest magnitude / 127.
    pub scales: [f32; 2],
    /// [`Q8Block::BEGIN`] - 128 * the sum of each half's quants.
    pub begins: [f32; 2],
    /// The sum of scale * quant: each half's scale * its sum of quants, added.
    pub sum: f32,
}

const _: () = assert!(Q8Block::HALF_MOST < 1 << 22);

impl Q8Block {
    /// 1.5 * 2^23. An integer of 22 bits and a sign, added to this number's bits, is added to the number. So a sum of products that begins
    /// with the bits of [`Q8Block::begins`] is a float less this one, without a conversion.
    pub const BEGIN: f32 = 12_582_912.0;

    /// Most that 16 products of an unsigned byte and a quant make, and what their sum begins with beside [`Q8Block::BEGIN`].
    const HALF_MOST: i32 = 16 * 255 * 127 + 16 * 128 * 127;

    /// -128 * the sum of half `h`'s quants.
    #[must_use]
    #[inline(always)]
    pub fn bias(&self, h: usize) -> f32 {
        self.begins[h] - Self::BEGIN
    }

    /// Magnitudes below this are zero: their steps would be subnormal and the reciprocal could overflow.
    pub const TINY: f32 = 1e-30;

    /// Quantizes 32 values, ties to even. A value that is not finite makes its half's scale not finite.
    ///
    /// Written so that a compiler vectorises it: adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    #[inline(always)]
    pub fn new(x: &[f32; 32]) -> Self {
        const ROUND: f32 = Q8Block::BEGIN;
        let mut block = Self { quants: [0; 32], scales: [0.0; 2], begins: [0.0; 2], sum: 0.0 };
        let mut sums = [0i32; 2];
        for h in 0..2 {
            let (scale, inv) = step(&x[16 * h..], 127.0);
            for i in 0..16 {
                let q = (x[16 * h + i] * inv + ROUND).to_bits() as i8;
                block.quants[16 * h + i] = q;
                sums[h] += i32::from(q);
            }
            (block.scales[h], block.begins[h]) = (scale, Self::BEGIN - (128 * sums[h]) as f32);
        }
        block.sum = block.scales[0] * sums[0] as f32 + block.scales[1] * sums[1] as f32;
        block
    }
}

/// The value of one step of the first 16 of some values, whose largest magnitude is `steps` of them, and its reciprocal. The
/// largest is found on the bits, which a compiler vectorises and which keeps a NaN.
#[inline(always)]
fn step(x: &[f32], steps: f32) -> (f32, f32) {
    let mut m = [0u32; 16];
    for (m, x) in m.iter_mut().zip(x) {
        *m = x.to_bits() & 0x7fff_ffff;
    }
    let most = f32::from_bits(m.iter().fold(0, |a, b| a.max(*b)));
    if most <= Q8Block::TINY { (0.0, 0.0) } else { (most / steps, steps / most) }
}

/// Two halves' steps as whole numbers of a unit that is a power of two, so that integer units can multiply a float by it.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    steps: [i16; 2],
    exponent: i32,
    broken: bool,
}

impl Units {
    /// The most units that a step is worth. Twice the largest sum of 16 products of a quant and a code of six bits around its centre, times
    /// this, fits 32 bits.
    pub const STEPS: f32 = 16383.0;
    /// A unit is at least this part of the larger step.
    pub(crate) const PART: f32 = 1.0 / Self::STEPS;
    /// The least exponent: a step smaller than half of its unit is zero.
    pub const LEAST: i32 = -64;
    /// The greatest one. Values of up to 2^100 are quantized.
    pub const GREATEST: i32 = 80;

    /// Of the values of a step of each half.
    #[inline(always)]
    fn new(scales: [f32; 2]) -> Self {
        // A NaN is larger than all.
        let most = f32::from_bits(scales[0].to_bits().max(scales[1].to_bits()));
        let (exponent, broken) = Self::exponent((most * Self::PART).to_bits());
        let inv = Self::unit(-exponent);
        let steps = scales.map(|s| (s * inv + Q8Block::BEGIN).to_bits() as i16);
        Self { steps, exponent, broken }
    }

    /// The exponent of the power of two next to a float of these bits, and whether that is more than the greatest.
    #[inline(always)]
    pub(crate) fn exponent(bits: u32) -> (i32, bool) {
        let exponent = (bits.wrapping_add(0x7f_ffff) >> 23) as i32 - 127;
        (exponent.clamp(Self::LEAST, Self::GREATEST), exponent > Self::GREATEST)
    }

    /// 2^exponent.
    #[inline(always)]
    pub(crate) const fn unit(exponent: i32) -> f32 {
        f32::from_bits(((exponent + 127) as u32) << 23)
    }

    /// The value of halves whose quants have these sums; infinite where one is broken.
    #[inline(always)]
    fn sum(&self, sums: [i32; 2]) -> f32 {
        let [a, b] = [0, 1].map(|h| i32::from(self.steps[h]) * sums[h]);
        if self.broken { f32::INFINITY } else { Self::unit(self.exponent) * (a + b) as f32 }
    }
}

/// 32 values of a `q8paired` row. A value is its quant times its half's steps times the unit.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Q8PairedBlock {
    /// The quants of [`Q8Block`], two columns of each half in turn: 0, 1, 16, 17, 2, 3, 18, 19 and so on.
    pub quants: [i8; 32],
    /// What one step of a quant is worth in each half, in [`Units`].
    pub steps: [i16; 2],
    /// -16 * the sum of each half's quants.
    pub biases: [i16; 2],
    /// -32 * the sum of the first 8 quants of each half, and the same of the last 8.
    pub biases_of_eight: [[i16; 2]; 2],
    /// The unit's exponent, 2^23 times: what is added to the bits of a normal float, with saturation in 16-bit words, to multiply it by the unit.
    /// [`Q8PairedBlock::BROKEN`] where a value is not finite, or beyond what the greatest unit can say.
    pub exponent: i32,
    /// The sum of unit * steps * quant; infinite there.
    pub sum: f32,
}

impl Q8PairedBlock {
    /// In the exponent's place: the greatest word in the upper half. Added with saturation to that of a positive float, it makes a NaN.
    pub const BROKEN: i32 = 0x7fff_0000;

    /// Quantizes 32 values, ties to even.
    #[inline(always)]
    pub fn new(x: &[f32; 32]) -> Self {
        let halves = [step(&x[..16], 127.0), step(&x[16..], 127.0)];
        let units = Units::new(halves.map(|h| h.0));
        let exponent = if units.broken { Self::BROKEN } else { units.exponent << 23 };
        let mut block = Self { steps: units.steps, exponent, ..Self::zeroed() };
        let mut sums = [[0i16; 2]; 2];
        for h in 0..2 {
            for i in 0..16 {
                let q = (x[16 * h + i] * halves[h].1 + Q8Block::BEGIN).to_bits() as i8;
                block.quants[i / 2 * 4 + 2 * h + i % 2] = q;
                sums[i / 8][h] += i16::from(q);
            }
            block.biases[h] = -16 * (sums[0][h] + sums[1][h]);
        }
        block.biases_of_eight = sums.map(|s| s.map(|s| -32 * s));
        block.sum = units.sum([0, 1].map(|h| i32::from(sums[0][h] + sums[1][h])));
        block
    }
}

/// 32 values of a `q8quads` row. A value is its quant times its half's steps times the unit, 2^exponent.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Q8QuadsBlock {
    /// The quants of [`Q8Block`], four columns of each half in turn: 0 to 3, 16 to 19, 4 to 7, 20 to 23 and so on.
    pub quants: [i8; 32],
    /// -16 * the sum of each half's quants.
    pub begins: [i32; 2],
    /// What one step of a quant is worth in each half, in [`Units`].
    pub steps: [i16; 2],
    /// The unit's exponent, 2^23 times: what is added to the bits of a normal float to multiply it by the unit.
    pub exponent: i32,
    /// Zero; [`Q8QuadsBlock::BROKEN`] where a value is not finite, or beyond what the greatest unit can say.
    pub broken: u32,
    /// The sum of unit * steps * quant; infinite there.
    pub sum: f32,
}

impl Q8QuadsBlock {
    /// Bits that make a NaN of any float that has them too.
    pub const BROKEN: u32 = 0x7fc0_0000;

    /// Quantizes 32 values, ties to even.
    #[inline(always)]
    pub fn new(x: &[f32; 32]) -> Self {
        let halves = [step(&x[..16], 127.0), step(&x[16..], 127.0)];
        let units = Units::new(halves.map(|h| h.0));
        let (steps, exponent) = (units.steps, units.exponent << 23);
        let broken = if units.broken { Self::BROKEN } else { 0 };
        let mut block = Self { steps, exponent, broken, ..Self::zeroed() };
        let mut sums = [0; 2];
        for h in 0..2 {
            for i in 0..16 {
                let q = (x[16 * h + i] * halves[h].1 + Q8Block::BEGIN).to_bits() as i8;
                block.quants[i / 4 * 8 + 4 * h + i % 4] = q;
                sums[h] += i32::from(q);
            }
            block.begins[h] = -16 * sums[h];
        }
        block.sum = units.sum(sums);
        block
    }
}

/// 32 values of a `q16` row, in two halves of 16. A quant is 256 times its high byte plus its low one, both signed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Q16Block {
    /// The quants' high bytes.
    pub high: [i8; 32],
    /// Their low bytes.
    pub low: [i8; 32],
    /// Value of one step of each half: its largest magnitude / [`Q16Block::STEPS`].
    pub scales: [f32; 2],
    /// -128 * the sum of each half's quants.
    pub biases: [i32; 2],
    /// The sum of scale * quant.
    pub sum: f32,
}

impl Q16Block {
    /// The largest quant: its high byte is 127 and its low one 0.
    pub const STEPS: f32 = 32512.0;

    /// -128 * the sum of half `h`'s quants.
    #[must_use]
    #[inline(always)]
    pub fn bias(&self, h: usize) -> f32 {
        self.biases[h] as f32
    }

    /// Quantizes 32 values, ties to even, as [`Q8Block::new`] does.
    #[inline(always)]
    pub fn new(x: &[f32; 32]) -> Self {
        const ROUND: f32 = 12_582_912.0;
        let mut block = Self { high: [0; 32], low: [0; 32], scales: [0.0; 2], biases: [0; 2], sum: 0.0 };
        let mut sums = [0i32; 2];
        for h in 0..2 {
            let (scale, inv) = step(&x[16 * h..], Self::STEPS);
            for i in 0..16 {
                let q = (x[16 * h + i] * inv + ROUND).to_bits() as i16;
                let low = q as i8;
                block.low[16 * h + i] = low;
                block.high[16 * h + i] = (q.wrapping_sub(i16::from(low)) >> 8) as i8;
                sums[h] += i32::from(q);
            }
            (block.scales[h], block.biases[h]) = (scale, -128 * sums[h]);
        }
        block.sum = block.scales[0] * sums[0] as f32 + block.scales[1] * sums[1] as f32;
        block
    }
}

/// 32 values of a `q16aligned` row. A quant is 256 times its high byte plus its low one, both signed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Q16AlignedBlock {
    /// The quants' high bytes.
    pub high: [i8; 32],
    /// Their low bytes.
    pub low: [i8; 32],
    /// Value of one step: the largest magnitude / [`Q16Block::STEPS`].
    pub scale: f32,
    /// The sum of each half's quants.
    pub sums: [i32; 2],
    /// scale * the sum of all quants.
    pub sum: f32,
}

impl Q16AlignedBlock {
    /// Quantizes 32 values, ties to even.
    #[must_use]
    pub fn new(x: &[f32; 32]) -> Self {
        // The block's step is that of the half with the larger values; a NaN is larger than all.
        let halves = [step(&x[..16], Q16Block::STEPS), step(&x[16..], Q16Block::STEPS)];
        let (scale, inv) = if halves[0].0.to_bits() > halves[1].0.to_bits() { halves[0] } else { halves[1] };
        let mut block = Self { high: [0; 32], low: [0; 32], scale, sums: [0; 2], sum: 0.0 };
        for (i, x) in x.iter().enumerate() {
            let q = (x * inv).round_ties_even() as i32;
            let low = q as i8;
            (block.low[i], block.high[i]) = (low, ((q - i32::from(low)) >> 8) as i8);
            block.sums[i / 16] += q;
        }
        block.sum = scale * (block.sums[0] + block.sums[1]) as f32;
        block
    }
}

/// Writes `x` (values `from..from + x.len()` of a row) into the row's bytes in a format.
/// For `q8`, `q8paired`, `q8quads`, `q16`, `q16aligned` and `bf16pair`, `from` and the length are multiples of 32. The plain twin of every fused output.
pub fn store(format: ActFormat, row: &mut [u8], from: usize, x: &[f32]) {
    store_inline(format, row, from, x);
}

/// [`store`], compiled once more for each instruction level by [`cpu`].
#[inline(always)]
fn store_inline(format: ActFormat, row: &mut [u8], from: usize, x: &[f32]) {
    match format {
        ActFormat::F32 => row[from * 4..][..x.len() * 4].copy_from_slice(bytemuck::cast_slice(x)),
        ActFormat::Bf16 => {
            for (o, v) in row[from * 2..].chunks_exact_mut(2).zip(x) {
                o.copy_from_slice(&half::bf16::from_f32(*v).to_le_bytes());
            }
        }
        ActFormat::Bf16Pair => {
            for (o, x) in row[from * 4..].chunks_exact_mut(PAIR_BYTES).zip(x.as_chunks::<32>().0) {
                let (values, rests) = o.split_at_mut(PAIR_BYTES / 2);
                for (i, v) in x.iter().enumerate() {
                    let value = half::bf16::from_f32(*v);
                    values[2 * i..][..2].copy_from_slice(&value.to_le_bytes());
                    let rest = half::bf16::from_f32(*v - value.to_f32());
                    rests[2 * i..][..2].copy_from_slice(&rest.to_le_bytes());
                }
            }
        }
        ActFormat::F16 => {
            for (o, v) in row[from * 2..].chunks_exact_mut(2).zip(x) {
                o.copy_from_slice(
                    &half::f16::from_f32((v * F16_SCALE).clamp(-65504.0, 65504.0)).to_le_bytes(),
                );
            }
        }
        ActFormat::Q16 => {
            let size = size_of::<Q16Block>();
            for (o, b) in row[from / 32 * size..].chunks_exact_mut(size).zip(x.as_chunks::<32>().0) {
                o.copy_from_slice(bytemuck::bytes_of(&Q16Block::new(b)));
            }
        }
        ActFormat::Q16Aligned => {
            let size = size_of::<Q16AlignedBlock>();
            for (o, b) in row[from / 32 * size..].chunks_exact_mut(size).zip(x.as_chunks::<32>().0) {
                o.copy_from_slice(bytemuck::bytes_of(&Q16AlignedBlock::new(b)));
            }
        }
        ActFormat::Q8Paired => {
            let size = size_of::<Q8PairedBlock>();
            for (o, b) in row[from / 32 * size..].chunks_exact_mut(size).zip(x.as_chunks::<32>().0) {
                o.copy_from_slice(bytemuck::bytes_of(&Q8PairedBlock::new(b)));
            }
        }
        ActFormat::Q8Quads => {
            let size = size_of::<Q8QuadsBlock>();
            for (o, b) in row[from / 32 * size..].chunks_exact_mut(size).zip(x.as_chunks::<32>().0) {
                o.copy_from_slice(bytemuck::bytes_of(&Q8QuadsBlock::new(b)));
            }
        }
        ActFormat::Q8 => {
            let size = size_of::<Q8Block>();
            for (o, b) in row[from / 32 * size..].chunks_exact_mut(size).zip(x.as_chunks::<32>().0) {
                o.copy_from_slice(bytemuck::bytes_of(&Q8Block::new(b)));
            }
        }
    }
}

/// Reads a whole row of `k` values back as f32.
pub fn load(format: ActFormat, row: &[u8], k: usize, out: &mut [f32]) {
    match format {
        ActFormat::F32 => {
            for (o, b) in out[..k].iter_mut().zip(row.chunks_exact(4)) {
                *o = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
        }
        ActFormat::Bf16 => {
            for (o, b) in out[..k].iter_mut().zip(row.chunks_exact(2)) {
                *o = half::bf16::from_le_bytes([b[0], b[1]]).to_f32();
            }
        }
        ActFormat::Bf16Pair => {
            let word = |b: &[u8], i: usize| half::bf16::from_le_bytes([b[2 * i], b[2 * i + 1]]).to_f32();
            for (o, b) in out[..k].chunks_exact_mut(32).zip(row.chunks_exact(PAIR_BYTES)) {
                for (i, o) in o.iter_mut().enumerate() {
                    *o = word(b, i) + word(b, 32 + i);
                }
            }
        }
        ActFormat::F16 => {
            for (o, b) in out[..k].iter_mut().zip(row.chunks_exact(2)) {
                *o = half::f16::from_le_bytes([b[0], b[1]]).to_f32() * (1.0 / F16_SCALE);
            }
        }
        ActFormat::Q16 => {
            for (o, b) in out[..k].chunks_exact_mut(32).zip(row.chunks_exact(size_of::<Q16Block>())) {
                let b: Q16Block = bytemuck::pod_read_unaligned(b);
                for (i, o) in o.iter_mut().enumerate() {
                    let quant = i32::from(b.high[i]) * 256 + i32::from(b.low[i]);
                    *o = quant as f32 * b.scales[i / 16];
                }
            }
        }
        ActFormat::Q16Aligned => {
            for (o, b) in out[..k].chunks_exact_mut(32).zip(row.chunks_exact(size_of::<Q16AlignedBlock>())) {
                let b: Q16AlignedBlock = bytemuck::pod_read_unaligned(b);
                for (i, o) in o.iter_mut().enumerate() {
                    let quant = i32::from(b.high[i]) * 256 + i32::from(b.low[i]);
                    *o = quant as f32 * b.scale;
                }
            }
        }
        ActFormat::Q8Paired => {
            for (o, b) in out[..k].chunks_exact_mut(32).zip(row.chunks_exact(size_of::<Q8PairedBlock>())) {
                let b: Q8PairedBlock = bytemuck::pod_read_unaligned(b);
                let unit = match b.exponent {
                    Q8PairedBlock::BROKEN => f32::NAN,
                    exponent => Units::unit(exponent >> 23),
                };
                for (i, o) in o.iter_mut().enumerate() {
                    let (half, i) = (i / 16, i % 16);
                    let quant = i32::from(b.quants[i / 2 * 4 + 2 * half + i % 2]) * i32::from(b.steps[half]);
                    *o = quant as f32 * unit;
                }
            }
        }
        ActFormat::Q8Quads => {
            for (o, b) in out[..k].chunks_exact_mut(32).zip(row.chunks_exact(size_of::<Q8QuadsBlock>())) {
                let b: Q8QuadsBlock = bytemuck::pod_read_unaligned(b);
                let unit = f32::from_bits(Units::unit(b.exponent >> 23).to_bits() | b.broken);
                for (i, o) in o.iter_mut().enumerate() {
                    let (half, i) = (i / 16, i % 16);
                    let quant = i32::from(b.quants[i / 4 * 8 + 4 * half + i % 4]) * i32::from(b.steps[half]);
                    *o = quant as f32 * unit;
                }
            }
        }
        ActFormat::Q8 => {
            for (o, b) in out[..k].chunks_exact_mut(32).zip(row.chunks_exact(size_of::<Q8Block>())) {
                let b: Q8Block = bytemuck::pod_read_unaligned(b);
                for (i, o) in o.iter_mut().enumerate() {
                    *o = f32::from(b.quants[i]) * b.scales[i / 16];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 64 lines of each of 256 rows, which a matrix unit goes over again and again, no set of a second-level cache (2,048 sets of 16 lines)
    /// has more than 12.
    #[test]
    fn a_block_of_pairs_spreads_over_a_cache() {
        for k in [576, 1024, 1536, 2048, 3072, 4096, 5120, 8192, 9728, 11008, 14336, 16384, 28672] {
            let stride = ActFormat::Bf16Pair.row_bytes(k) / 64;
            let mut lines = vec![0; 2048];
            for row in 0..256 {
                (0..64).for_each(|line| lines[(row * stride + line) % 2048] += 1);
            }
            assert!(lines.iter().all(|n| *n <= 12), "{k}: {:?}", lines.iter().max());
        }
    }

    /// Of formats that GPUs have too: `act_row_bytes` of their preludes, in every width.
    #[test]
    fn rows_are_where_gpus_look_for_them() {
        for (format, bits) in
            [(ActFormat::F32, 32), (ActFormat::Bf16, 16), (ActFormat::F16, 16), (ActFormat::Q16Aligned, 20)]
        {
            for k in (32..=65_536).step_by(32) {
                let bytes = k * bits / 8;
                assert_eq!(format.row_bytes(k), (bytes.div_ceil(64) | 1) * 64, "{format:?}, {k}");
            }
        }
    }
}
