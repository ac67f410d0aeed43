//! The `planes` layout: the parts of a matrix's blocks side by side, in the same bytes as the file's. First the
//! quants of all blocks in the file's order, then their scales. So a thread of a GPU reads 16 aligned bytes of
//! quants at a time, and its neighbours the bytes beside them.

use super::DType;

/// One part of a format's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// First byte in the file's block.
    pub from: usize,
    /// Bytes.
    pub bytes: usize,
}

const fn plane(from: usize, bytes: usize) -> Plane {
    Plane { from, bytes }
}

/// The planes of a format, in the order in which they lie. Formats without blocks have one.
pub const fn planes(dtype: DType) -> &'static [Plane] {
    match dtype {
        DType::F32 => const { &[plane(0, 4)] },
        DType::F16 | DType::Bf16 => const { &[plane(0, 2)] },
        // Quants; scale.
        DType::Q4_0 => const { &[plane(2, 16), plane(0, 2)] },
        // Quants; scale and minimum.
        DType::Q4_1 => const { &[plane(4, 16), plane(0, 4)] },
        // Quants; scale.
        DType::Q8_0 => const { &[plane(2, 32), plane(0, 2)] },
        // Low nibbles; high bits; scales of 16; scale.
        DType::Q6K => const { &[plane(0, 128), plane(128, 64), plane(192, 16), plane(208, 2)] },
        // Not laid out in planes yet.
        _ => &[],
    }
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

/// Copies plane `i` of native rows into `out`, which is as long as those rows are in the plane.
pub fn pack(dtype: DType, native: &[u8], i: usize, out: &mut [u8]) {
    let p = planes(dtype)[i];
    let size = dtype.info().block_bytes as usize;
    for (o, b) in out.chunks_exact_mut(p.bytes).zip(native.chunks_exact(size)) {
        o.copy_from_slice(&b[p.from..p.from + p.bytes]);
    }
}

/// Dequantizes row `row` of the whole matrix `w` of width `k` into `out` (`k` values).
pub fn dequantize_row(dtype: DType, w: &[u8], k: usize, row: usize, out: &mut [f32]) {
    let info = dtype.info();
    let (n, size) = (info.block as usize, info.block_bytes as usize);
    let rows = (w.len() / dtype.row_bytes(k as u64) as usize) as u64;
    // Wider than any block.
    let mut block = [0u8; 320];
    for (j, o) in out[..k].chunks_exact_mut(n).enumerate() {
        for (i, p) in planes(dtype).iter().enumerate() {
            let at = offset(dtype, i, rows, k as u64) as usize + (row * (k / n) + j) * p.bytes;
            block[p.from..p.from + p.bytes].copy_from_slice(&w[at..at + p.bytes]);
        }
        (info.dequantize_block)(&block[..size], o);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{self, DTYPES};

    #[test]
    fn a_packed_row_is_the_native_row() {
        for info in DTYPES {
            let dt = info.dtype;
            let (rows, k) = (5usize, 2 * info.block as usize);
            let len = rows * dt.row_bytes(k as u64) as usize;
            let mut native: Vec<u8> = (0..len).map(|i| (i * 37 % 251) as u8).collect();
            // Exponents of floats far from the top, so that nothing is infinite.
            native.iter_mut().for_each(|b| *b &= 0x3f);
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
                assert_eq!(a, b, "{dt} row {row}");
            }
        }
    }
}
