//! Finds weights that are NaN or infinite, fast enough to run over a model while it is loaded.

use akunu_kernels::DType;

/// Blocks looked at before asking whether one was bad: the loop in between has no branches, so it vectorizes.
const STRIDE: usize = 1024;

/// Index of the first block of `bytes` that holds a NaN or an infinity: for F32, F16 and BF16 the element, for
/// quantized formats the block whose scale (or minimum) is one. `bytes` is whole blocks in the file's format; a
/// partial block at the end is not looked at.
pub fn check_finite(dtype: DType, bytes: &[u8]) -> Option<usize> {
    match dtype {
        DType::F32 => first(bytes.as_chunks().0, |b: &[u8; 4]| {
            let exponent = u32::from_le_bytes(*b) & 0x7f80_0000;
            exponent == 0x7f80_0000
        }),
        DType::F16 => first(bytes.as_chunks().0, |b: &[u8; 2]| f16_is_bad(b[0], b[1])),
        DType::Bf16 => first(bytes.as_chunks().0, |b: &[u8; 2]| u16::from_le_bytes(*b) & 0x7f80 == 0x7f80),
        DType::Q4_0 => first(bytes.as_chunks().0, |b: &[u8; 18]| f16_is_bad(b[0], b[1])),
        DType::Q4_1 => {
            first(bytes.as_chunks().0, |b: &[u8; 20]| f16_is_bad(b[0], b[1]) | f16_is_bad(b[2], b[3]))
        }
        DType::Q8_0 => first(bytes.as_chunks().0, |b: &[u8; 34]| f16_is_bad(b[0], b[1])),
        DType::Q5_0 => first(bytes.as_chunks().0, |b: &[u8; 22]| f16_is_bad(b[0], b[1])),
        DType::Q5_1 => {
            first(bytes.as_chunks().0, |b: &[u8; 24]| f16_is_bad(b[0], b[1]) | f16_is_bad(b[2], b[3]))
        }
        DType::Q2K => {
            first(bytes.as_chunks().0, |b: &[u8; 84]| f16_is_bad(b[80], b[81]) | f16_is_bad(b[82], b[83]))
        }
        DType::Q3K => first(bytes.as_chunks().0, |b: &[u8; 110]| f16_is_bad(b[108], b[109])),
        DType::Q4K => {
            first(bytes.as_chunks().0, |b: &[u8; 144]| f16_is_bad(b[0], b[1]) | f16_is_bad(b[2], b[3]))
        }
        DType::Q5K => {
            first(bytes.as_chunks().0, |b: &[u8; 176]| f16_is_bad(b[0], b[1]) | f16_is_bad(b[2], b[3]))
        }
        DType::Q6K => first(bytes.as_chunks().0, |b: &[u8; 210]| f16_is_bad(b[208], b[209])),
        DType::Q8K => first(bytes.as_chunks().0, |b: &[u8; 292]| {
            u32::from_le_bytes([b[0], b[1], b[2], b[3]]) & 0x7f80_0000 == 0x7f80_0000
        }),
        DType::Iq4Nl => first(bytes.as_chunks().0, |b: &[u8; 18]| f16_is_bad(b[0], b[1])),
        DType::Iq4Xs => first(bytes.as_chunks().0, |b: &[u8; 136]| f16_is_bad(b[0], b[1])),
        // The scale 0xff is NaN; the largest others make the largest values infinite.
        DType::Mxfp4 => first(bytes.as_chunks().0, |b: &[u8; 17]| b[0] > 252),
        DType::Mxfp8 => first(bytes.as_chunks().0, |b: &[u8; 33]| {
            b[1..].iter().fold(b[0] > 246, |any, v| any | (v & 0x7f == 0x7f))
        }),
        // Its scales have no such code.
        DType::Nvfp4 => None,
        affine => affine_is_bad(affine, bytes),
    }
}

/// The first block of an affine format whose scale or bias is not finite.
fn affine_is_bad(dtype: DType, bytes: &[u8]) -> Option<usize> {
    let a = dtype.affine()?;
    bytes
        .chunks_exact(a.block_bytes() as usize)
        .position(|b| !a.scale.value([b[0], b[1]]).is_finite() || !a.scale.value([b[2], b[3]]).is_finite())
}

/// Whether all exponent bits of an f16 are set; the sign and the mantissa do not matter.
#[inline]
fn f16_is_bad(low: u8, high: u8) -> bool {
    u16::from_le_bytes([low, high]) & 0x7c00 == 0x7c00
}

#[inline]
fn first<const N: usize>(blocks: &[[u8; N]], bad: impl Fn(&[u8; N]) -> bool + Copy) -> Option<usize> {
    for (group, part) in blocks.chunks(STRIDE).enumerate() {
        if part.iter().fold(false, |any, b| any | bad(b)) {
            return part.iter().position(bad).map(|i| group * STRIDE + i);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use akunu_kernels::dtype::DTYPES;
    use akunu_kernels::dtype::affine::ScaleType;

    /// Where the scales lie in a block, and how an infinity is written there.
    fn poisons(dtype: DType) -> &'static [(usize, &'static [u8])] {
        match dtype {
            DType::F32 => &[(0, &[0, 0, 0x80, 0x7f]), (0, &[1, 0, 0xc0, 0xff])],
            DType::Bf16 => &[(0, &[0x80, 0x7f]), (0, &[0xc0, 0xff])],
            DType::Q4_1 => &[(0, &[0, 0x7c]), (2, &[1, 0xfe])],
            DType::Q6K => &[(208, &[0, 0x7c]), (208, &[1, 0xfe])],
            DType::Q5_1 | DType::Q4K | DType::Q5K => &[(0, &[0, 0x7c]), (2, &[1, 0xfe])],
            DType::Q2K => &[(80, &[0, 0x7c]), (82, &[1, 0xfe])],
            DType::Q3K => &[(108, &[0, 0x7c]), (108, &[1, 0xfe])],
            DType::Q8K => &[(0, &[0, 0, 0x80, 0x7f]), (0, &[1, 0, 0xc0, 0xff])],
            DType::Mxfp4 => &[(0, &[0xff])],
            DType::Mxfp8 => &[(0, &[0xff]), (1, &[0x7f]), (32, &[0xff])],
            DType::Nvfp4 => &[],
            d if d.affine().is_some_and(|a| a.scale == ScaleType::Bf16) => {
                &[(0, &[0x80, 0x7f]), (2, &[0xc0, 0xff])]
            }
            d if d.affine().is_some() => &[(0, &[0, 0x7c]), (2, &[1, 0xfe])],
            _ => &[(0, &[0, 0x7c]), (0, &[1, 0xfe])],
        }
    }

    #[test]
    fn every_block_of_every_format_is_looked_at() {
        for d in DTYPES {
            let size = d.block_bytes as usize;
            for n in [1, 2, 1023, 1024, 1025, 2500] {
                // Largest finite values everywhere, so that quants and signs are shown not to matter.
                // (A quant of MXFP8 is a float itself.)
                let most = if d.dtype == DType::Mxfp8 { 0xfe } else { 0xff };
                let mut clean = vec![most; n * size];
                for block in clean.chunks_exact_mut(size) {
                    for &(at, poison) in poisons(d.dtype) {
                        block[at..at + poison.len()].fill(0);
                        block[at + poison.len() - 1] = 0x3b;
                    }
                }
                assert_eq!(check_finite(d.dtype, &clean), None, "{} {n}", d.name);
                for at in [0, n / 2, n - 1] {
                    for &(offset, poison) in poisons(d.dtype) {
                        let mut bad = clean.clone();
                        bad[at * size + offset..][..poison.len()].copy_from_slice(poison);
                        assert_eq!(check_finite(d.dtype, &bad), Some(at), "{} {n} {at}", d.name);
                    }
                }
            }
        }
    }
}
