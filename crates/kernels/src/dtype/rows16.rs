//! The packed layout: tiles of 16 rows, interleaved.

use super::DType;

/// Bytes of one tile of 16 rows x `k`.
pub fn tile_bytes(dtype: DType, k: usize) -> usize {
    16 * dtype.row_bytes(k as u64) as usize
}

/// Packs `rows` x `k` native rows into tiles; missing rows of the last tile are zero.
pub fn pack(dtype: DType, src: &[u8], rows: usize, k: usize, dst: &mut [u8]) {
    let rb = dtype.row_bytes(k as u64) as usize;
    dst[..rows * rb].copy_from_slice(&src[..rows * rb]);
    dst[rows * rb..].fill(0);
}

/// Dequantizes row `row` into `out` (`k` values).
pub fn dequantize_row(dtype: DType, w: &[u8], k: usize, row: usize, out: &mut [f32]) {
    super::dequantize_native_row(dtype, w, k, row, out);
}
