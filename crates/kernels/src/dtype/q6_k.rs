//! Q6_K: super-blocks of 256 six-bit values: 128 bytes of low nibbles, 64 bytes of high bit pairs, 16 signed
//! scales (one per 16 values), one f16 scale d; value = d * scale * (q - 32).

use half::f16;

/// One super-block of 256 values.
pub fn block(b: &[u8], o: &mut [f32]) {
    let d = f16::from_le_bytes([b[208], b[209]]).to_f32();
    for i in 0..256 {
        o[i] = d * f32::from(b[192 + i / 16] as i8) * f32::from(quant(b, i));
    }
}

/// The signed six-bit quant of element `i`: the super-block is two halves of 128; in each, the four groups of 32
/// share 32 bytes of high bits, and groups 0/2 and 1/3 share the low and high nibbles of 64 bytes.
pub fn quant(b: &[u8], i: usize) -> i8 {
    let (half, g, l) = (i / 128, i % 128 / 32, i % 32);
    let lo = b[64 * half + 32 * (g & 1) + l] >> (4 * (g >> 1)) & 15;
    let hi = b[128 + 32 * half + l] >> (2 * g) & 3;
    (lo | hi << 4) as i8 - 32
}
