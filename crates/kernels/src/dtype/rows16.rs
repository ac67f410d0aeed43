//! The packed layout: tiles of 16 weight rows, interleaved so that one 512-bit register holds the same few
//! columns of all 16 rows, one 32-bit lane per row. A dot product then needs no horizontal sums, and the order
//! of accumulation over k is the same for one activation row and for many.
//!
//! Bytes of a tile are 16 times those of a native row (fewer for `q8_k`, whose sums nobody needs):
//!
//! * `f32`, `f16`: `[k][16]` elements.
//! * `bf16`: `[k/2][16][2]` elements (a dword is two columns of one row); an odd last column is `[16]`.
//! * `mxfp8`: `[k/32]` blocks of `[32][16]` elements and 16 scales.
//! * all others: blocks as wide as the format's own, each its scales (which are needed first) and then its sub-blocks of
//!   32 columns. What a sub-block holds is [`Codes`]; what the scales are is [`Scales`]; a format is one of each
//!   ([`form`]).
//!
//! A code is the unsigned number that a format keeps for a weight. Codes lie in bit planes made of chunks of 64 bytes,
//! `[16 rows][4 columns]`; chunk c of a plain byte plane holds columns 4c to 4c + 3. In planes of fewer bits one byte
//! serves several of the eight chunks, so that a shift and a mask give four columns of all rows:
//!
//! * eight bits: 8 chunks.
//! * four bits: 4 chunks; chunk c has columns 4c.. in the low nibbles and 16 + 4c.. in the high ones.
//! * two bits: 2 chunks; chunk h has columns 4 (2f + h).. in bit pair f.
//! * one bit: 1 chunk; bit c has columns 4c...
//!
//! A last tile with fewer than 16 rows is filled up with zero weights.

use super::affine::{self, ScaleType};
use super::microscaling::{e4m3, e8m0, e8m0_half, ue4m3_half};
use super::{DType, iq4, k_quants, microscaling};
use half::{bf16, f16};

/// What the codes of a format are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codes {
    /// Two bits: one plane.
    Bits2,
    /// Three bits: a plane of two, then one of the third.
    Bits3,
    /// Four bits.
    Bits4,
    /// Five bits: a plane of four, then one of the fifth.
    Bits5,
    /// Six bits: a plane of four, then one of the high two.
    Bits6,
    /// Eight bits; signed ones with their sign bit inverted.
    Bits8,
    /// Four bits into the table of the IQ4 formats.
    Iq4,
    /// E2M1 floats.
    E2m1,
}

impl Codes {
    /// Bits of a code.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bits2 => 2,
            Self::Bits3 => 3,
            Self::Bits4 | Self::Iq4 | Self::E2m1 => 4,
            Self::Bits5 => 5,
            Self::Bits6 => 6,
            Self::Bits8 => 8,
        }
    }

    /// What codes stand for where that is no straight line.
    pub const fn table(self) -> Option<&'static [i8; 16]> {
        match self {
            Self::Iq4 => Some(&iq4::VALUES),
            Self::E2m1 => Some(&microscaling::E2M1_DOUBLED),
            _ => None,
        }
    }

    /// The code in the middle, which is zero in formats without a minimum.
    pub const fn centre(self) -> u8 {
        match self.table() {
            Some(_) => 0,
            None => 1 << (self.bits() - 1),
        }
    }

    /// Bytes of a sub-block: 32 columns of 16 rows.
    pub const fn sub_bytes(self) -> usize {
        64 * self.bits() as usize
    }
}

/// What the scales of a block are. Each element is `[16]`, one per row, of bytes or little-endian words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scales {
    /// d `f16`.
    F16,
    /// d `f32`.
    F32,
    /// d `E8M0`.
    E8m0,
    /// `[4]` unsigned E4M3, one per 16 columns.
    Ue4m3,
    /// Scale and minimum `f16`.
    F16Pair,
    /// Scale and minimum, both BF16 or both F16, of 32, 64 or 128 columns.
    Affine,
    /// `[16]` bytes, one per 16 columns: scale in the low nibble, minimum in the high one; then d and dmin `f16`.
    Nibbles,
    /// `[16]` signed bytes, one per 16 columns; then d `f16`.
    Bytes,
    /// Signed six-bit scales of 32 columns: `[4]` bytes with the low nibbles of two successive ones each, `[2]` bytes
    /// with the high bit pairs of four each; then d `f16`.
    Six,
    /// Signed six-bit scales of 16 columns: `[8]` bytes with the low nibbles of a sub-block's two, `[4]` bytes with
    /// the high bit pairs of two sub-blocks each; then d `f16`.
    Sixes,
    /// As [`Self::Sixes`], but unsigned: scale and minimum of 32 columns; then d and dmin `f16`.
    SixMinimums,
}

impl Scales {
    /// Bytes of a block's scales.
    pub const fn bytes(self) -> usize {
        16 * match self {
            Self::E8m0 => 1,
            Self::F16 => 2,
            Self::F32 | Self::Ue4m3 | Self::F16Pair | Self::Affine => 4,
            Self::Six => 8,
            Self::Sixes => 14,
            Self::SixMinimums => 16,
            Self::Bytes => 18,
            Self::Nibbles => 20,
        }
    }

    /// log2 of the sub-blocks of 32 columns in a block; `None` where formats differ.
    pub const fn subs_log2(self) -> Option<u32> {
        match self {
            Self::F16 | Self::E8m0 | Self::F16Pair => Some(0),
            Self::Ue4m3 => Some(1),
            Self::Affine => None,
            Self::F32 | Self::Nibbles | Self::Bytes | Self::Six | Self::Sixes | Self::SixMinimums => Some(3),
        }
    }

    /// Whether the two halves of 32 columns have scales of their own.
    pub const fn halves(self) -> bool {
        matches!(self, Self::Ue4m3 | Self::Nibbles | Self::Bytes | Self::Sixes)
    }

    /// Whether weights have a minimum: value = scale * code + minimum.
    pub const fn minimums(self) -> bool {
        matches!(self, Self::F16Pair | Self::Affine | Self::Nibbles | Self::SixMinimums)
    }
}

/// How a quantized format's blocks lie in a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its codes.
    pub codes: Codes,
    /// Its scales.
    pub scales: Scales,
    /// The type of an affine format's scale.
    pub word: ScaleType,
    /// log2 of the sub-blocks of 32 columns in a block.
    pub subs_log2: u32,
}

impl Form {
    /// Bytes of a block.
    pub const fn block_bytes(self) -> usize {
        (self.codes.sub_bytes() << self.subs_log2) + self.scales.bytes()
    }
}

/// The form of a quantized format; `None` for those kept element by element.
pub const fn form(dtype: DType) -> Option<Form> {
    let (codes, scales) = match dtype {
        DType::F32 | DType::F16 | DType::Bf16 | DType::Mxfp8 => return None,
        DType::Q4_0 => (Codes::Bits4, Scales::F16),
        DType::Q4_1 => (Codes::Bits4, Scales::F16Pair),
        DType::Q5_0 => (Codes::Bits5, Scales::F16),
        DType::Q5_1 => (Codes::Bits5, Scales::F16Pair),
        DType::Q8_0 => (Codes::Bits8, Scales::F16),
        DType::Q2K => (Codes::Bits2, Scales::Nibbles),
        DType::Q3K => (Codes::Bits3, Scales::Sixes),
        DType::Q4K => (Codes::Bits4, Scales::SixMinimums),
        DType::Q5K => (Codes::Bits5, Scales::SixMinimums),
        DType::Q6K => (Codes::Bits6, Scales::Bytes),
        DType::Q8K => (Codes::Bits8, Scales::F32),
        DType::Iq4Nl => (Codes::Iq4, Scales::F16),
        DType::Iq4Xs => (Codes::Iq4, Scales::Six),
        DType::Mxfp4 => (Codes::E2m1, Scales::E8m0),
        DType::Nvfp4 => (Codes::E2m1, Scales::Ue4m3),
        _ => {
            let Some(a) = dtype.affine() else { return None };
            let codes = match a.bits {
                2 => Codes::Bits2,
                3 => Codes::Bits3,
                4 => Codes::Bits4,
                5 => Codes::Bits5,
                6 => Codes::Bits6,
                _ => Codes::Bits8,
            };
            let subs_log2 = (a.group / 32).trailing_zeros();
            return Some(Form { codes, scales: Scales::Affine, word: a.scale, subs_log2 });
        }
    };
    let subs_log2 = match scales.subs_log2() {
        Some(n) => n,
        None => 0,
    };
    Some(Form { codes, scales, word: ScaleType::F16, subs_log2 })
}

/// Bytes of a block of 32 columns of an `mxfp8` tile.
pub const MXFP8_BLOCK: usize = 32 * 16 + 16;

/// Bytes of one tile of 16 rows x `k`.
pub fn tile_bytes(dtype: DType, k: usize) -> usize {
    match form(dtype) {
        Some(f) => (k >> (5 + f.subs_log2)) * f.block_bytes(),
        None => 16 * dtype.row_bytes(k as u64) as usize,
    }
}

/// Packs `rows` x `k` native rows into tiles; missing rows of the last tile are zero weights.
pub fn pack(dtype: DType, src: &[u8], rows: usize, k: usize, dst: &mut [u8]) {
    let rb = dtype.row_bytes(k as u64) as usize;
    for (t, tile) in dst.chunks_exact_mut(tile_bytes(dtype, k)).enumerate().take(rows.div_ceil(16)) {
        let src = &src[t * 16 * rb..(t * 16 * rb + 16 * rb).min(rows * rb)];
        // In every form, zero bytes are zero weights.
        if src.len() < 16 * rb {
            tile.fill(0);
        }
        match form(dtype) {
            Some(f) => pack_form(dtype, f, src, rb, tile),
            None => {
                src.chunks_exact(rb).enumerate().for_each(|(i, row)| pack_elements(dtype, row, k, tile, i))
            }
        }
    }
}

/// Packs row `i` of a format kept element by element.
fn pack_elements(dtype: DType, row: &[u8], k: usize, tile: &mut [u8], i: usize) {
    match dtype {
        DType::F32 => scatter::<4>(tile, row, i),
        DType::F16 => scatter::<2>(tile, row, i),
        DType::Bf16 => {
            let pairs = k / 2 * 4;
            scatter::<4>(&mut tile[..16 * pairs], &row[..pairs], i);
            scatter::<2>(&mut tile[16 * pairs..], &row[pairs..], i);
        }
        _ => {
            for (tile, block) in tile.chunks_exact_mut(MXFP8_BLOCK).zip(row.chunks_exact(33)) {
                scatter::<1>(&mut tile[..512], &block[1..], i);
                scatter::<1>(&mut tile[512..], &block[..1], i);
            }
        }
    }
}

/// [`pack_blocks`], compiled for each of GGUF's formats: half of the time of a version for all of them is choosing.
fn pack_form(dtype: DType, f: Form, src: &[u8], rb: usize, tile: &mut [u8]) {
    macro_rules! compiled {
        ($($d:ident)*) => {
            match dtype {
                $(DType::$d => {
                    if let Some(f) = const { form(DType::$d) } {
                        pack_blocks(DType::$d, f, src, rb, tile);
                    }
                })*
                _ => pack_blocks(dtype, f, src, rb, tile),
            }
        };
    }
    compiled!(Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2K Q3K Q4K Q5K Q6K Iq4Nl Iq4Xs Mxfp4)
}

/// Packs up to 16 rows of a quantized format, block after block.
#[inline(always)]
fn pack_blocks(dtype: DType, f: Form, src: &[u8], rb: usize, tile: &mut [u8]) {
    let size = dtype.info().block_bytes as usize;
    let mut codes = [0u8; 256];
    for (b, tile) in tile.chunks_exact_mut(f.block_bytes()).enumerate() {
        let (scales, quants) = tile.split_at_mut(f.scales.bytes());
        for (i, row) in src.chunks_exact(rb).enumerate() {
            let native = &row[b * size..(b + 1) * size];
            put_scales(dtype, native, scales, i);
            if let Some(at) = plane_at(dtype) {
                scatter::<4>(quants, &native[at..], i);
                continue;
            }
            read_codes(dtype, native, &mut codes);
            for (sub, codes) in quants.chunks_exact_mut(f.codes.sub_bytes()).zip(codes.as_chunks::<32>().0) {
                put_codes(f.codes, codes, sub, i);
            }
        }
    }
}

/// Deals row `i`'s pieces of `N` bytes out to groups of 16 pieces.
fn scatter<const N: usize>(dst: &mut [u8], row: &[u8], i: usize) {
    for (group, v) in dst.chunks_exact_mut(16 * N).zip(row.as_chunks::<N>().0) {
        group[i * N..(i + 1) * N].copy_from_slice(v);
    }
}

/// Where a native block's nibbles begin, if they lie as in a plane: columns i and i + 16 of 32 in one byte.
#[inline(always)]
const fn plane_at(dtype: DType) -> Option<usize> {
    match dtype {
        DType::Mxfp4 => Some(1),
        DType::Q4_0 | DType::Iq4Nl => Some(2),
        DType::Q4_1 => Some(4),
        DType::Iq4Xs => Some(8),
        _ => None,
    }
}

/// The codes of a native block, in the order of its columns. Loops run over columns whose codes lie alike, so that a
/// compiler vectorises them: this is most of the time that packing takes.
#[inline(always)]
fn read_codes(dtype: DType, b: &[u8], o: &mut [u8; 256]) {
    /// As in `q4_0`: 16 bytes with columns i and i + 16.
    fn nibbles(b: &[u8], o: &mut [u8]) {
        for (i, q) in b[..16].iter().enumerate() {
            (o[i], o[i + 16]) = (q & 15, q >> 4);
        }
    }
    match dtype {
        DType::Q5_0 | DType::Q5_1 => {
            let b = if dtype == DType::Q5_0 { &b[2..22] } else { &b[4..24] };
            nibbles(&b[4..], o);
            let top = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            (0..32).for_each(|i| o[i] |= ((top >> i & 1) as u8) << 4);
        }
        DType::Q8_0 => o.iter_mut().zip(&b[2..34]).for_each(|(o, q)| *o = q ^ 0x80),
        DType::Q8K => o.iter_mut().zip(&b[4..260]).for_each(|(o, q)| *o = q ^ 0x80),
        DType::Nvfp4 => {
            for (o, b) in o.chunks_exact_mut(16).zip(b[4..36].as_chunks::<8>().0) {
                for (i, q) in b.iter().enumerate() {
                    (o[i], o[i + 8]) = (q & 15, q >> 4);
                }
            }
        }
        DType::Q2K | DType::Q3K | DType::Q4K | DType::Q5K | DType::Q6K => read_k_codes(dtype, b, o),
        _ => match (dtype.affine().map_or(8, |a| a.bits), &b[affine::HEADER..]) {
            (2, b) => stream::<2>(b, o),
            (3, b) => stream::<3>(b, o),
            (4, b) => stream::<4>(b, o),
            (5, b) => stream::<5>(b, o),
            (6, b) => stream::<6>(b, o),
            (_, b) => stream::<8>(b, o),
        },
    }
}

/// [`read_codes`] for super-blocks of 256 columns, in groups of 32.
#[inline(always)]
fn read_k_codes(dtype: DType, b: &[u8], o: &mut [u8; 256]) {
    for (g, o) in o.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let bytes = |at: usize| &b[at..at + 32];
        // Group g's nibbles where two groups share 32 bytes, and its pairs where four do.
        let nibbles = |at: usize| (bytes(at + g / 2 * 32), g % 2 * 4);
        let pairs = |at: usize| (bytes(at + g / 4 * 32), g % 4 * 2);
        let ((low, low_by), (high, high_by), mask, to) = match dtype {
            DType::Q2K => (pairs(16), (bytes(16), 0), (3, 0), 0),
            DType::Q3K => (pairs(32), (bytes(0), g), (3, 1), 2),
            DType::Q4K => (nibbles(16), (bytes(16), 0), (15, 0), 0),
            DType::Q5K => (nibbles(48), (bytes(16), g), (15, 1), 4),
            // In each half of 128, groups 0 and 2, and 1 and 3, share bytes.
            _ => ((bytes(g / 4 * 64 + g % 2 * 32), g % 4 / 2 * 4), pairs(128), (15, 3), 4),
        };
        for i in 0..32 {
            o[i] = low[i] >> low_by & mask.0 | (high[i] >> high_by & mask.1) << to;
        }
    }
}

/// A little-endian stream of codes: eight fill as many bytes as a code has bits.
fn stream<const BITS: usize>(b: &[u8], o: &mut [u8; 256]) {
    for (o, b) in o.as_chunks_mut::<8>().0.iter_mut().zip(b.as_chunks::<BITS>().0) {
        let mut word = [0u8; 8];
        word[..BITS].copy_from_slice(b);
        let word = u64::from_le_bytes(word);
        *o = std::array::from_fn(|i| (word >> (i * BITS)) as u8 & (0xff >> (8 - BITS)));
    }
}

/// Puts row `i`'s 32 codes into the planes of a sub-block: four columns at a time, a byte of a dword each.
#[inline(always)]
fn put_codes(codes: Codes, of: &[u8; 32], sub: &mut [u8], i: usize) {
    let d: [u32; 8] =
        std::array::from_fn(|c| u32::from_le_bytes([of[4 * c], of[4 * c + 1], of[4 * c + 2], of[4 * c + 3]]));
    let mut put = |plane: usize, c: usize, v: u32| {
        sub[plane + c * 64 + i * 4..][..4].copy_from_slice(&v.to_le_bytes());
    };
    let low = if codes.bits() < 4 { 0x0303_0303 } else { 0x0f0f_0f0f };
    match codes {
        Codes::Bits8 => (0..8).for_each(|c| put(0, c, d[c])),
        Codes::Bits2 | Codes::Bits3 => (0..2).for_each(|h| put(0, h, pairs(&d.map(|d| d & low), h))),
        _ => (0..4).for_each(|c| put(0, c, d[c] & low | (d[c + 4] & low) << 4)),
    }
    match codes {
        Codes::Bits3 => put(128, 0, bits(&d.map(|d| d >> 2))),
        Codes::Bits5 => put(256, 0, bits(&d.map(|d| d >> 4))),
        Codes::Bits6 => (0..2).for_each(|h| put(256, h, pairs(&d.map(|d| d >> 4 & 0x0303_0303), h))),
        _ => {}
    }
}

/// Dword `h` of a plane of two bits.
fn pairs(d: &[u32; 8], h: usize) -> u32 {
    d[h] | d[h + 2] << 2 | d[h + 4] << 4 | d[h + 6] << 6
}

/// The dword of a plane of one bit.
fn bits(d: &[u32; 8]) -> u32 {
    d.iter().enumerate().fold(0, |v, (c, d)| v | (d & 0x0101_0101) << c)
}

/// Puts row `i`'s scales, from its native block, into a block's.
#[inline(always)]
fn put_scales(dtype: DType, b: &[u8], o: &mut [u8], i: usize) {
    match dtype {
        DType::Q4_0 | DType::Q5_0 | DType::Q8_0 | DType::Iq4Nl => scatter::<2>(o, &b[..2], i),
        DType::Q8K => scatter::<4>(o, &b[..4], i),
        DType::Mxfp4 => scatter::<1>(o, &b[..1], i),
        DType::Nvfp4 => scatter::<1>(o, &b[..4], i),
        DType::Q2K => {
            scatter::<1>(&mut o[..256], &b[..16], i);
            scatter::<2>(&mut o[256..], &b[80..84], i);
        }
        DType::Q6K => {
            scatter::<1>(&mut o[..256], &b[192..208], i);
            scatter::<2>(&mut o[256..], &b[208..], i);
        }
        DType::Q3K => {
            put_sixes(o, std::array::from_fn(|g| (k_quants::q3_k_scale(b, g) + 32) as u8), i);
            scatter::<2>(&mut o[192..], &b[108..], i);
        }
        DType::Q4K | DType::Q5K => {
            let pairs: [(u8, u8); 8] = std::array::from_fn(|g| k_quants::scale_and_min(&b[4..16], g));
            let six = |g: usize| if g.is_multiple_of(2) { pairs[g / 2].0 } else { pairs[g / 2].1 };
            put_sixes(o, std::array::from_fn(six), i);
            scatter::<2>(&mut o[192..], &b[..4], i);
        }
        DType::Iq4Xs => {
            scatter::<1>(&mut o[..64], &b[4..8], i);
            scatter::<1>(&mut o[64..96], &b[2..4], i);
            scatter::<2>(&mut o[96..], &b[..2], i);
        }
        // Scale and minimum.
        _ => scatter::<2>(o, &b[..4], i),
    }
}

/// Puts row `i`'s six-bit scales: bytes of low nibbles, then bytes of high pairs.
fn put_sixes(o: &mut [u8], six: [u8; 16], i: usize) {
    for s in 0..8 {
        o[s * 16 + i] = six[2 * s] & 15 | six[2 * s + 1] << 4;
    }
    for (j, s) in six.as_chunks::<4>().0.iter().enumerate() {
        o[128 + j * 16 + i] = s[0] >> 4 | s[1] >> 4 << 2 | s[2] >> 4 << 4 | s[3] >> 4 << 6;
    }
}

/// Byte offset of column `c` of row `i` in a `bf16` tile.
fn bf16_at(c: usize, i: usize, k: usize) -> usize {
    if c + 1 == k && k % 2 == 1 { (c * 16 + i) * 2 } else { (c / 2 * 32 + i * 2 + c % 2) * 2 }
}

/// Dequantizes row `row` into `out` (`k` values), equal bit for bit to the native row's values.
pub fn dequantize_row(dtype: DType, w: &[u8], k: usize, row: usize, out: &mut [f32]) {
    let tb = tile_bytes(dtype, k);
    let (tile, i) = (&w[row / 16 * tb..(row / 16 + 1) * tb], row % 16);
    let Some(f) = form(dtype) else {
        return elements(dtype, tile, k, i, out);
    };
    let sub = f.codes.sub_bytes();
    for (b, o) in tile.chunks_exact(f.block_bytes()).zip(out[..k].chunks_exact_mut(32 << f.subs_log2)) {
        let (scales, quants) = b.split_at(f.scales.bytes());
        for (g, o) in o.chunks_exact_mut(16).enumerate() {
            let (d, m) = scale(f, scales, g, i);
            for (j, o) in o.iter_mut().enumerate() {
                let q = code(f.codes, &quants[g / 2 * sub..], g % 2 * 16 + j, i);
                *o = match f.codes.table() {
                    Some(t) => d * f32::from(t[usize::from(q)]),
                    None if f.scales.minimums() => d * f32::from(q) + m,
                    None => d * f32::from(i16::from(q) - i16::from(f.codes.centre())),
                };
            }
        }
    }
}

/// Row `i` of a tile kept element by element.
fn elements(dtype: DType, tile: &[u8], k: usize, i: usize, out: &mut [f32]) {
    for (c, o) in out[..k].iter_mut().enumerate() {
        *o = match dtype {
            DType::F32 => {
                let b = &tile[(c * 16 + i) * 4..][..4];
                f32::from_le_bytes([b[0], b[1], b[2], b[3]])
            }
            DType::F16 => half_at(tile, c * 16 + i),
            DType::Bf16 => {
                let at = bf16_at(c, i, k);
                bf16::from_le_bytes([tile[at], tile[at + 1]]).to_f32()
            }
            _ => {
                let b = &tile[c / 32 * MXFP8_BLOCK..];
                e8m0(b[512 + i]) * e4m3(b[c % 32 * 16 + i])
            }
        };
    }
}

/// Element `i` of f16 ones.
fn half_at(b: &[u8], i: usize) -> f32 {
    f16::from_le_bytes([b[2 * i], b[2 * i + 1]]).to_f32()
}

/// The code of column `c` of row `i` in a sub-block.
pub fn code(codes: Codes, sub: &[u8], c: usize, i: usize) -> u8 {
    let at = |plane: usize, chunk: usize| sub[plane + chunk * 64 + i * 4 + c % 4];
    let nibble = || at(0, c / 4 % 4) >> (c / 16 * 4) & 15;
    let pair = |plane| at(plane, c / 4 % 2) >> (c / 8 * 2) & 3;
    let bit = |plane| at(plane, 0) >> (c / 4) & 1;
    match codes {
        Codes::Bits2 => pair(0),
        Codes::Bits3 => pair(0) | bit(128) << 2,
        Codes::Bits4 | Codes::Iq4 | Codes::E2m1 => nibble(),
        Codes::Bits5 => nibble() | bit(256) << 4,
        Codes::Bits6 => nibble() | pair(256) << 4,
        Codes::Bits8 => at(0, c / 4),
    }
}

/// Scale and minimum of row `i` for group `g` of 16 columns of a block, from the block's scales.
pub fn scale(f: Form, b: &[u8], g: usize, i: usize) -> (f32, f32) {
    let byte = |at: usize| b[at * 16 + i];
    let (s, h) = (g / 2, g % 2);
    let six = |h: usize| byte(s) >> (4 * h) & 15 | (byte(8 + s / 2) >> (s % 2 * 4 + 2 * h) & 3) << 4;
    let signed = |six: u8| f32::from(six as i8 - 32);
    match f.scales {
        Scales::F16 => (half_at(b, i), 0.0),
        Scales::F32 => (f32::from_le_bytes([b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]]), 0.0),
        Scales::E8m0 => (e8m0_half(b[i]), 0.0),
        Scales::Ue4m3 => (ue4m3_half(byte(g)), 0.0),
        Scales::F16Pair | Scales::Affine => {
            let word = |at: usize| f.word.value([b[at + 2 * i], b[at + 2 * i + 1]]);
            (word(0), word(32))
        }
        Scales::Nibbles => {
            let (d, dmin) = (half_at(&b[256..], i), half_at(&b[288..], i));
            (d * f32::from(byte(g) & 15), -(dmin * f32::from(byte(g) >> 4)))
        }
        Scales::Bytes => (half_at(&b[256..], i) * f32::from(byte(g) as i8), 0.0),
        Scales::Six => {
            let six = byte(s / 2) >> (s % 2 * 4) & 15 | (byte(4 + s / 4) >> (s % 4 * 2) & 3) << 4;
            (half_at(&b[96..], i) * signed(six), 0.0)
        }
        Scales::Sixes => (half_at(&b[192..], i) * signed(six(h)), 0.0),
        Scales::SixMinimums => {
            let (d, dmin) = (half_at(&b[192..], i), half_at(&b[224..], i));
            (d * f32::from(six(0)), -(dmin * f32::from(six(1))))
        }
    }
}
