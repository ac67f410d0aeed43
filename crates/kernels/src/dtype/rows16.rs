//! The packed layout: tiles of 16 weight rows, interleaved so that one 512-bit register holds the same few
//! columns of all 16 rows, one 32-bit lane per row. A dot product then needs no horizontal sums, and the order
//! of accumulation over k is the same for one activation row and for many.
//!
//! Bytes of a tile are 16 times those of a native row, whatever the format:
//!
//! * `f32`, `f16`: `[k][16]` elements.
//! * `bf16`: `[k/2][16][2]` elements (a dword is two columns of one row); an odd last column is `[16]`.
//! * `q4_0`, `q4_1`, `q8_0`: `[k/32]` blocks, each the quants and then 16 f16 scales (and 16 f16 minimums).
//!   Quants come in chunks of 64 bytes `[16 rows][4 columns]`. Four-bit formats have 4 chunks: chunk c holds
//!   columns 4c.. in the low nibbles and 16 + 4c.. in the high ones. `q8_0` has 8 chunks of `quant + 128`.
//! * `q6_k`: `[k/256]` super-blocks: 8 sub-blocks of 32 columns, then 16 f16 scales. A sub-block has 4 chunks of
//!   low nibbles as above, 2 chunks of high bits (chunk h, bit pair f: columns 4 (2f + h)..) of `quant + 32`,
//!   and `[2][16]` i8 scales, one per 16 columns and row.
//!
//! A last tile with fewer than 16 rows is filled up with zero weights.

use super::{DType, q6_k};
use half::{bf16, f16};

/// Bytes of one block of 32 columns of a `q4_0` tile.
pub const Q4_0_BLOCK: usize = 4 * 64 + 32;
/// Bytes of one block of 32 columns of a `q4_1` tile.
pub const Q4_1_BLOCK: usize = 4 * 64 + 64;
/// Bytes of one block of 32 columns of a `q8_0` tile.
pub const Q8_0_BLOCK: usize = 8 * 64 + 32;
/// Bytes of one sub-block of 32 columns of a `q6_k` tile.
pub const Q6_K_SUB: usize = 4 * 64 + 2 * 64 + 32;
/// Bytes of one super-block of 256 columns of a `q6_k` tile.
pub const Q6_K_BLOCK: usize = 8 * Q6_K_SUB + 32;

/// Bytes of one tile of 16 rows x `k`.
pub fn tile_bytes(dtype: DType, k: usize) -> usize {
    16 * dtype.row_bytes(k as u64) as usize
}

/// Packs `rows` x `k` native rows into tiles; missing rows of the last tile are zero weights.
pub fn pack(dtype: DType, src: &[u8], rows: usize, k: usize, dst: &mut [u8]) {
    let rb = dtype.row_bytes(k as u64) as usize;
    let block = dtype.info().block_bytes as usize;
    for (t, tile) in dst.chunks_exact_mut(16 * rb).enumerate().take(rows.div_ceil(16)) {
        for i in 0..16 {
            let row = src.get((t * 16 + i) * rb..(t * 16 + i + 1) * rb).filter(|_| t * 16 + i < rows);
            match dtype {
                DType::F32 => scatter::<4>(tile, row, i),
                DType::F16 => scatter::<2>(tile, row, i),
                DType::Bf16 => {
                    let pairs = k / 2 * 4;
                    scatter::<4>(&mut tile[..16 * pairs], row.map(|r| &r[..pairs]), i);
                    scatter::<2>(&mut tile[16 * pairs..], row.map(|r| &r[pairs..]), i);
                }
                DType::Q4_0 | DType::Q4_1 | DType::Q8_0 | DType::Q6K => {
                    for (b, tile) in tile.chunks_exact_mut(16 * block).enumerate() {
                        pack_block(dtype, row.map(|r| &r[b * block..(b + 1) * block]), tile, i);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Deals row `i`'s pieces of `N` bytes out to groups of 16 pieces; zeros where there is no row.
fn scatter<const N: usize>(dst: &mut [u8], row: Option<&[u8]>, i: usize) {
    let groups = dst.chunks_exact_mut(16 * N);
    match row {
        Some(r) => {
            groups.zip(r.as_chunks::<N>().0).for_each(|(g, v)| g[i * N..(i + 1) * N].copy_from_slice(v))
        }
        None => groups.for_each(|g| g[i * N..(i + 1) * N].fill(0)),
    }
}

/// Byte offset of column `c` of row `i` in a `bf16` tile.
fn bf16_at(c: usize, i: usize, k: usize) -> usize {
    if c + 1 == k && k % 2 == 1 { (c * 16 + i) * 2 } else { (c / 2 * 32 + i * 2 + c % 2) * 2 }
}

/// Byte offset of column `c` (of 8 chunks' 32) of row `i` in the quants of a block.
const fn chunk_at(c: usize, i: usize) -> usize {
    c / 4 * 64 + i * 4 + c % 4
}

/// Puts row `i`'s native block into a tile's block. No block stands for zero weights.
fn pack_block(dtype: DType, native: Option<&[u8]>, tile: &mut [u8], i: usize) {
    match dtype {
        DType::Q4_0 => {
            scatter::<4>(&mut tile[..256], Some(native.map_or(&[0x88; 16], |b| &b[2..18])), i);
            scatter::<2>(&mut tile[256..], native.map(|b| &b[..2]), i);
        }
        DType::Q4_1 => {
            scatter::<4>(&mut tile[..256], native.map(|b| &b[4..20]), i);
            scatter::<2>(&mut tile[256..288], native.map(|b| &b[..2]), i);
            scatter::<2>(&mut tile[288..], native.map(|b| &b[2..4]), i);
        }
        DType::Q8_0 => {
            let quants: [u8; 32] = std::array::from_fn(|c| native.map_or(0, |b| b[2 + c]) ^ 0x80);
            scatter::<4>(&mut tile[..512], Some(&quants), i);
            scatter::<2>(&mut tile[512..], native.map(|b| &b[..2]), i);
        }
        DType::Q6K => pack_q6_k(native, tile, i),
        _ => {}
    }
}

fn pack_q6_k(native: Option<&[u8]>, tile: &mut [u8], i: usize) {
    let quant = |e: usize| native.map_or(32, |b| (q6_k::quant(b, e) + 32) as u8);
    for (s, sub) in tile[..8 * Q6_K_SUB].chunks_exact_mut(Q6_K_SUB).enumerate() {
        for c in 0..16 {
            let (lo, hi) = (quant(s * 32 + c), quant(s * 32 + 16 + c));
            sub[chunk_at(c, i)] = lo & 15 | (hi & 15) << 4;
        }
        for h in 0..2 {
            for j in 0..4 {
                let pair = |f: usize| quant(s * 32 + 4 * (2 * f + h) + j) >> 4 << (2 * f);
                sub[256 + h * 64 + i * 4 + j] = pair(0) | pair(1) | pair(2) | pair(3);
            }
            sub[384 + h * 16 + i] = native.map_or(0, |b| b[192 + s * 2 + h]);
        }
    }
    scatter::<2>(&mut tile[8 * Q6_K_SUB..], native.map(|b| &b[208..210]), i);
}

/// Dequantizes row `row` into `out` (`k` values), equal bit for bit to the native row's values.
pub fn dequantize_row(dtype: DType, w: &[u8], k: usize, row: usize, out: &mut [f32]) {
    let tb = tile_bytes(dtype, k);
    let (tile, i) = (&w[row / 16 * tb..(row / 16 + 1) * tb], row % 16);
    let half = |b: &[u8], at: usize| f16::from_le_bytes([b[at], b[at + 1]]).to_f32();
    match dtype {
        DType::F32 => {
            for (c, o) in out[..k].iter_mut().enumerate() {
                let b = &tile[(c * 16 + i) * 4..][..4];
                *o = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
        }
        DType::F16 => {
            for (c, o) in out[..k].iter_mut().enumerate() {
                *o = half(tile, (c * 16 + i) * 2);
            }
        }
        DType::Bf16 => {
            for (c, o) in out[..k].iter_mut().enumerate() {
                let at = bf16_at(c, i, k);
                *o = bf16::from_le_bytes([tile[at], tile[at + 1]]).to_f32();
            }
        }
        DType::Q4_0 | DType::Q4_1 => {
            let size = if dtype == DType::Q4_0 { Q4_0_BLOCK } else { Q4_1_BLOCK };
            for (b, o) in tile.chunks_exact(size).zip(out[..k].chunks_exact_mut(32)) {
                let d = half(b, 256 + 2 * i);
                for c in 0..32 {
                    let q = b[chunk_at(c % 16, i)] >> (c / 16 * 4) & 15;
                    o[c] = if dtype == DType::Q4_0 {
                        (i32::from(q) - 8) as f32 * d
                    } else {
                        f32::from(q) * d + half(b, 288 + 2 * i)
                    };
                }
            }
        }
        DType::Q8_0 => {
            for (b, o) in tile.chunks_exact(Q8_0_BLOCK).zip(out[..k].chunks_exact_mut(32)) {
                let d = half(b, 512 + 2 * i);
                for c in 0..32 {
                    o[c] = f32::from((b[chunk_at(c, i)] ^ 0x80) as i8) * d;
                }
            }
        }
        DType::Q6K => {
            for (b, o) in tile.chunks_exact(Q6_K_BLOCK).zip(out[..k].chunks_exact_mut(256)) {
                let d = half(b, 8 * Q6_K_SUB + 2 * i);
                for c in 0..256 {
                    let sub = &b[c / 32 * Q6_K_SUB..];
                    o[c] = d
                        * f32::from(sub[384 + c % 32 / 16 * 16 + i] as i8)
                        * f32::from(q6_quant(sub, c % 32, i));
                }
            }
        }
        _ => {}
    }
}

/// The signed quant of column `c` of row `i` in a `q6_k` sub-block.
pub fn q6_quant(sub: &[u8], c: usize, i: usize) -> i8 {
    let lo = sub[chunk_at(c % 16, i)] >> (c / 16 * 4) & 15;
    let g = c / 4;
    let hi = sub[256 + g % 2 * 64 + i * 4 + c % 4] >> (g / 2 * 2) & 3;
    (lo | hi << 4) as i8 - 32
}
