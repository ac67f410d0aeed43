//! The `planes` layout: the parts of a matrix's blocks side by side, in the same bytes as the file's. First the
//! quants of all blocks in the file's order, then their scales. So a thread of a GPU reads 16 aligned bytes of
//! quants at a time, and its neighbours the bytes beside them.
//!
//! Codes of 5 and 6 bits lie as nibbles and the bits above them, codes of 3 bits as pairs and the bits above them,
//! whatever their order in the file (`Order`): one mask then gives a GPU four neighbouring values in four bytes.

use super::DType;

/// One part of a format's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// Bytes.
    pub bytes: usize,
    part: Part,
}

/// What a plane has of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Bytes of the file's block from here on.
    Copy(usize),
    /// `bits` bits of every code, from bit `shift` on.
    Codes { order: Order, shift: u8, bits: u8 },
    /// The sixteen six-bit scales (or scales and minimums in turn) as one little-endian stream of bits.
    Scales,
    /// The first four bytes of the file's block, then the scales.
    Head,
}

/// Where the bits of code `i` lie in a plane. Every 32 codes have bytes of their own, a *chunk*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Byte `i % 16`, codes from 16 on in the upper half.
    Nibbles,
    /// The same, for blocks of 256: even chunks first, then the odd ones, since one lane takes two chunks and its
    /// neighbour the next two.
    NibblesStriped,
    /// Nibble `i`, for formats whose codes are places in a table.
    Sequence,
    /// The same, even chunks first.
    SequenceStriped,
    /// Sixteen codes in four bytes: code `i` in byte `i % 4`, bits `2 * (i / 4)` on.
    Pairs,
    /// Thirty-two codes in four bytes: code `i` in byte `i % 4`, bit `i / 4`.
    Bits,
}

/// Some bits of a number: they lie in `byte` of a block from bit `shift` on.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    byte: u16,
    shift: u8,
    bits: u8,
}

/// A number in a block: its low bits, then those above them, if any.
type Place = [Field; 2];

/// More bytes than any block has.
const MOST_BYTES: usize = 320;

const fn copy(from: usize, bytes: usize) -> Plane {
    Plane { bytes, part: Part::Copy(from) }
}

/// The low bits of `n` codes, in an order of nibbles or pairs.
const fn low(order: Order, n: usize) -> Plane {
    let bits = if matches!(order, Order::Pairs) { 2 } else { 4 };
    Plane { bytes: n * bits as usize / 8, part: Part::Codes { order, shift: 0, bits } }
}

/// The bits above them, from bit `shift` on: one or two.
const fn high(order: Order, shift: u8, n: usize) -> Plane {
    let bits = if matches!(order, Order::Pairs) { 2 } else { 1 };
    Plane { bytes: n * bits as usize / 8, part: Part::Codes { order, shift, bits } }
}

/// The planes of a format, in the order in which they lie. Formats without blocks have one.
pub const fn planes(dtype: DType) -> &'static [Plane] {
    use Order::{Bits, NibblesStriped, Pairs, Sequence, SequenceStriped};
    const HEAD: Plane = Plane { bytes: 16, part: Part::Head };
    const SCALES: Plane = Plane { bytes: 12, part: Part::Scales };
    match dtype {
        DType::F32 => const { &[copy(0, 4)] },
        DType::F16 | DType::Bf16 => const { &[copy(0, 2)] },
        // Quants; scale, or scale and minimum.
        DType::Q4_0 => const { &[copy(2, 16), copy(0, 2)] },
        DType::Q4_1 => const { &[copy(4, 16), copy(0, 4)] },
        DType::Q5_0 => const { &[copy(6, 16), high(Bits, 4, 32), copy(0, 2)] },
        DType::Q5_1 => const { &[copy(8, 16), high(Bits, 4, 32), copy(0, 4)] },
        DType::Q8_0 => const { &[copy(2, 32), copy(0, 2)] },
        // Quants; scales and minimums of 16; scale and scale of the minimums.
        DType::Q2K => const { &[low(Pairs, 256), copy(0, 16), copy(80, 4)] },
        // Quants; scales of 16; scale.
        DType::Q3K => const { &[low(Pairs, 256), high(Bits, 2, 256), SCALES, copy(108, 2)] },
        // Quants; scale and scale of the minimums, scales and minimums of 32.
        DType::Q4K => const { &[low(NibblesStriped, 256), HEAD] },
        DType::Q5K => const { &[low(NibblesStriped, 256), high(Bits, 4, 256), HEAD] },
        // Quants; scales of 16; scale.
        DType::Q6K => const { &[low(NibblesStriped, 256), high(Pairs, 4, 256), copy(192, 16), copy(208, 2)] },
        // Quants; scale; sums.
        DType::Q8K => const { &[copy(4, 256), copy(0, 4), copy(260, 32)] },
        // Places in a table; scale.
        DType::Iq4Nl => const { &[low(Sequence, 32), copy(0, 2)] },
        DType::Mxfp4 => const { &[low(Sequence, 32), copy(0, 1)] },
        // Places in a table; the scales of 16.
        DType::Nvfp4 => const { &[low(Sequence, 64), copy(0, 4)] },
        // Places in a table; scale and scales of 32.
        DType::Iq4Xs => const { &[low(SequenceStriped, 256), copy(0, 8)] },
        // Quants; scale.
        DType::Mxfp8 => const { &[copy(1, 32), copy(0, 1)] },
        DType::Affine2G32 | DType::Affine2G32H => const { &affine2(32) },
        DType::Affine2G64 | DType::Affine2G64H => const { &affine2(64) },
        DType::Affine2G128 | DType::Affine2G128H => const { &affine2(128) },
        DType::Affine3G32 | DType::Affine3G32H => const { &affine3(32) },
        DType::Affine3G64 | DType::Affine3G64H => const { &affine3(64) },
        DType::Affine3G128 | DType::Affine3G128H => const { &affine3(128) },
        DType::Affine4G32 | DType::Affine4G32H => const { &affine4(32) },
        DType::Affine4G64 | DType::Affine4G64H => const { &affine4(64) },
        DType::Affine4G128 | DType::Affine4G128H => const { &affine4(128) },
        DType::Affine5G32 | DType::Affine5G32H => const { &affine5(32) },
        DType::Affine5G64 | DType::Affine5G64H => const { &affine5(64) },
        DType::Affine5G128 | DType::Affine5G128H => const { &affine5(128) },
        DType::Affine6G32 | DType::Affine6G32H => const { &affine6(32) },
        DType::Affine6G64 | DType::Affine6G64H => const { &affine6(64) },
        DType::Affine6G128 | DType::Affine6G128H => const { &affine6(128) },
        DType::Affine8G32 | DType::Affine8G32H => const { &affine8(32) },
        DType::Affine8G64 | DType::Affine8G64H => const { &affine8(64) },
        DType::Affine8G128 | DType::Affine8G128H => const { &affine8(128) },
    }
}

// Quants; scale and bias.

const fn affine2(group: usize) -> [Plane; 2] {
    [low(Order::Pairs, group), copy(0, 4)]
}

const fn affine3(group: usize) -> [Plane; 3] {
    [low(Order::Pairs, group), high(Order::Bits, 2, group), copy(0, 4)]
}

const fn affine4(group: usize) -> [Plane; 2] {
    [low(Order::Nibbles, group), copy(0, 4)]
}

const fn affine5(group: usize) -> [Plane; 3] {
    [low(Order::Nibbles, group), high(Order::Bits, 4, group), copy(0, 4)]
}

const fn affine6(group: usize) -> [Plane; 3] {
    [low(Order::Nibbles, group), high(Order::Pairs, 4, group), copy(0, 4)]
}

const fn affine8(group: usize) -> [Plane; 2] {
    [copy(4, group), copy(0, 4)]
}

/// Byte offset of plane `i` in a matrix of `rows` x `k`.
pub fn offset(dtype: DType, i: usize, rows: u64, k: u64) -> u64 {
    let blocks = rows * (k / u64::from(dtype.block()));
    planes(dtype)[..i].iter().map(|p| blocks * p.bytes as u64).sum()
}

/// Bytes of one row in plane `i`.
pub fn row_bytes(dtype: DType, i: usize, k: u64) -> u64 {
    k / u64::from(dtype.block()) * planes(dtype)[i].bytes as u64
}

/// Puts plane `i` of native rows into `out`, which is as long as those rows are in the plane.
pub fn pack(dtype: DType, native: &[u8], i: usize, out: &mut [u8]) {
    let p = planes(dtype)[i];
    let size = dtype.info().block_bytes as usize;
    let places = Places::new(dtype, p.part);
    for (o, b) in out.chunks_exact_mut(p.bytes).zip(native.chunks_exact(size)) {
        match p.part {
            Part::Copy(from) => o.copy_from_slice(&b[from..from + p.bytes]),
            Part::Codes { shift, .. } => places.pack(b, o, shift),
            Part::Scales => places.pack(b, o, 0),
            Part::Head => {
                o[..4].copy_from_slice(&b[..4]);
                places.pack(b, &mut o[4..], 0);
            }
        }
    }
}

/// Dequantizes row `row` of the whole matrix `w` of width `k` into `out` (`k` values).
pub fn dequantize_row(dtype: DType, w: &[u8], k: usize, row: usize, out: &mut [f32]) {
    let info = dtype.info();
    let (n, size) = (info.block as usize, info.block_bytes as usize);
    let rows = (w.len() / dtype.row_bytes(k as u64) as usize) as u64;
    let parts: Vec<(Plane, usize, Places)> = planes(dtype)
        .iter()
        .enumerate()
        .map(|(i, p)| (*p, offset(dtype, i, rows, k as u64) as usize, Places::new(dtype, p.part)))
        .collect();
    for (j, o) in out[..k].chunks_exact_mut(n).enumerate() {
        let mut block = [0u8; MOST_BYTES];
        for (p, offset, places) in &parts {
            let at = offset + (row * (k / n) + j) * p.bytes;
            let from = &w[at..at + p.bytes];
            match p.part {
                Part::Copy(to) => block[to..to + p.bytes].copy_from_slice(from),
                Part::Codes { shift, .. } => places.unpack(from, &mut block, shift),
                Part::Scales => places.unpack(from, &mut block, 0),
                Part::Head => {
                    block[..4].copy_from_slice(&from[..4]);
                    places.unpack(&from[4..], &mut block, 0);
                }
            }
        }
        (info.dequantize_block)(&block[..size], o);
    }
}

/// Where the numbers of a part lie in the file's block and in the plane.
struct Places {
    places: Vec<(Place, Place)>,
}

impl Places {
    fn new(dtype: DType, part: Part) -> Self {
        let places = match part {
            Part::Copy(_) => Vec::new(),
            Part::Codes { order, bits, .. } => (0..dtype.block() as usize)
                .map(|i| (code(dtype, i), [packed(order, bits, i), NOTHING]))
                .collect(),
            Part::Scales | Part::Head => (0..16).map(|g| (scale(dtype, g), stream(0, 6, g))).collect(),
        };
        Self { places }
    }

    /// Bits of the numbers from bit `shift` on, from a block of the file into one of the plane.
    fn pack(&self, native: &[u8], out: &mut [u8], shift: u8) {
        out.fill(0);
        for (from, to) in &self.places {
            write(out, to, read(native, from) >> shift);
        }
    }

    fn unpack(&self, packed: &[u8], native: &mut [u8], shift: u8) {
        for (to, from) in &self.places {
            write(native, to, read(packed, from) << shift);
        }
    }
}

fn mask(bits: u8) -> u8 {
    ((1u16 << bits) - 1) as u8
}

fn read(b: &[u8], p: &Place) -> u8 {
    let part = |f: Field| b[usize::from(f.byte)] >> f.shift & mask(f.bits);
    part(p[0]) | part(p[1]) << (p[0].bits & 7)
}

/// Adds the bits of a number to those that are there.
fn write(b: &mut [u8], p: &Place, v: u8) {
    b[usize::from(p[0].byte)] |= (v & mask(p[0].bits)) << p[0].shift;
    b[usize::from(p[1].byte)] |= (v >> (p[0].bits & 7) & mask(p[1].bits)) << p[1].shift;
}

const NOTHING: Field = Field { byte: 0, shift: 0, bits: 0 };

const fn field(byte: usize, shift: usize, bits: u8) -> Field {
    Field { byte: byte as u16, shift: shift as u8, bits }
}

/// Number `i` of a little-endian stream of `bits`-bit numbers that begins at byte `from`.
fn stream(from: usize, bits: usize, i: usize) -> Place {
    let (byte, shift) = (from + i * bits / 8, i * bits % 8);
    let here = bits.min(8 - shift);
    let next = if here < bits { field(byte + 1, 0, (bits - here) as u8) } else { NOTHING };
    [field(byte, shift, here as u8), next]
}

/// Where the bits of code `i` lie in a plane.
fn packed(order: Order, bits: u8, i: usize) -> Field {
    let (chunk, i) = (i / 32, i % 32);
    let striped = chunk % 2 * 4 + chunk / 2;
    match order {
        Order::Nibbles => field(chunk * 16 + i % 16, i / 16 * 4, bits),
        Order::NibblesStriped => field(striped * 16 + i % 16, i / 16 * 4, bits),
        Order::Sequence => field(chunk * 16 + i / 2, i % 2 * 4, bits),
        Order::SequenceStriped => field(striped * 16 + i / 2, i % 2 * 4, bits),
        Order::Pairs => field(chunk * 8 + i / 16 * 4 + i % 4, i % 16 / 4 * 2, bits),
        Order::Bits => field(chunk * 4 + i % 4, i / 4, bits),
    }
}

/// Where code `i` of a block lies in the file. The formats' own files say it in words.
fn code(dtype: DType, i: usize) -> Place {
    // Nibbles of 32 codes, the upper 16 in the upper halves.
    let nibbles = |from: usize| field(from + i / 32 * 16 + i % 16, i % 32 / 16 * 4, 4);
    let pairs = |from: usize, g: usize| field(from + i / 128 * 32 + i % 32, g * 2, 2);
    let fours = |from: usize| field(from + i / 64 * 32 + i % 32, i % 64 / 32 * 4, 4);
    let group = i % 128 / 32;
    match dtype {
        DType::Q5_0 => [nibbles(6), field(2 + i / 8, i % 8, 1)],
        DType::Q5_1 => [nibbles(8), field(4 + i / 8, i % 8, 1)],
        DType::Q2K => [pairs(16, group), NOTHING],
        DType::Q3K => [pairs(32, group), field(i % 32, i / 32, 1)],
        DType::Q4K => [fours(16), NOTHING],
        DType::Q5K => [fours(48), field(16 + i % 32, i / 32, 1)],
        DType::Q6K => {
            [field(i / 128 * 64 + i % 64, group / 2 * 4, 4), field(128 + i / 128 * 32 + i % 32, group * 2, 2)]
        }
        DType::Iq4Nl => [nibbles(2), NOTHING],
        DType::Iq4Xs => [nibbles(8), NOTHING],
        DType::Mxfp4 => [nibbles(1), NOTHING],
        DType::Nvfp4 => [field(4 + i / 16 * 8 + i % 8, i % 16 / 8 * 4, 4), NOTHING],
        _ => match dtype.affine() {
            Some(a) => stream(super::affine::HEADER, a.bits as usize, i),
            None => [NOTHING; 2],
        },
    }
}

/// Where six-bit scale `g` of sixteen lies in the file. Q4_K and Q5_K: scale and minimum of 32 values, in turn.
fn scale(dtype: DType, g: usize) -> Place {
    if dtype == DType::Q3K {
        return [field(96 + g % 8, g / 8 * 4, 4), field(104 + g % 4, g / 4 * 2, 2)];
    }
    let (group, minimum) = (g / 2, g % 2);
    if group < 4 {
        [field(4 + group + 4 * minimum, 0, 6), NOTHING]
    } else {
        [field(8 + group, 4 * minimum, 4), field(group + 4 * minimum, 6, 2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{self, DTYPES, affine, k_quants, q5, q6_k};

    #[test]
    fn a_packed_row_is_the_native_row() {
        for info in DTYPES {
            let dt = info.dtype;
            let (rows, k) = (5usize, 2 * info.block as usize);
            let len = rows * dt.row_bytes(k as u64) as usize;
            let native: Vec<u8> = (0..len).map(|i| (i * 37 % 251) as u8).collect();
            let covered: usize = planes(dt).iter().map(|p| p.bytes).sum();
            assert_eq!(covered, info.block_bytes as usize, "{dt}");
            let mut packed = vec![0u8; len];
            for i in 0..planes(dt).len() {
                let at = offset(dt, i, rows as u64, k as u64) as usize;
                let n = rows * row_bytes(dt, i, k as u64) as usize;
                pack(dt, &native, i, &mut packed[at..at + n]);
            }
            for row in 0..rows {
                let (mut a, mut b) = (vec![0f32; k], vec![1f32; k]);
                dtype::dequantize_native_row(dt, &native, k, row, &mut a);
                dequantize_row(dt, &packed, k, row, &mut b);
                let bits = |v: Vec<f32>| v.into_iter().map(f32::to_bits).collect::<Vec<_>>();
                assert_eq!(bits(a), bits(b), "{dt} row {row}");
            }
        }
    }
    /// Places against the functions that the formats' own files have for the same numbers.
    #[test]
    fn places_are_where_the_formats_have_their_numbers() {
        let b: Vec<u8> = (0..MOST_BYTES).map(|i| (i * 89 % 241) as u8).collect();
        type Code = fn(&[u8], usize) -> u8;
        let codes: [(DType, Code); 8] = [
            (DType::Q2K, k_quants::q2_k_code),
            (DType::Q3K, k_quants::q3_k_code),
            (DType::Q4K, k_quants::q4_k_code),
            (DType::Q5K, k_quants::q5_k_code),
            (DType::Q6K, |b, i| (q6_k::quant(b, i) + 32) as u8),
            (DType::Q5_0, |b, i| q5::code(&b[2..], i)),
            (DType::Q5_1, |b, i| q5::code(&b[4..], i)),
            (DType::Affine3G64, |b, i| affine::code(&b[affine::HEADER..], 3, i)),
        ];
        for (dt, want) in codes {
            for i in 0..dt.block() as usize {
                assert_eq!(read(&b, &code(dt, i)), want(&b, i), "{dt} code {i}");
            }
        }
        for g in 0..8 {
            let want = k_quants::scale_and_min(&b[4..16], g);
            let got = |i| read(&b, &scale(DType::Q4K, i));
            assert_eq!((got(2 * g), got(2 * g + 1)), want, "scale {g}");
        }
        for g in 0..16 {
            assert_eq!(read(&b, &scale(DType::Q3K, g)) as i8 - 32, k_quants::q3_k_scale(&b, g), "scale {g}");
        }
    }

    /// Four neighbouring values of a plane have the same bits of four neighbouring bytes.
    #[test]
    fn neighbours_share_a_mask() {
        for order in [Order::Nibbles, Order::NibblesStriped, Order::Pairs, Order::Bits] {
            for i in (0..256).step_by(4) {
                let (first, next) = (packed(order, 1, i), |j: usize| packed(order, 1, i + j));
                assert_eq!(first.byte % 4, 0);
                assert!(
                    (1..4).all(|j| next(j).byte == first.byte + j as u16 && next(j).shift == first.shift)
                );
            }
        }
    }
}
