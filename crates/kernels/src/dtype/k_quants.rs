//! Q2_K, Q3_K, Q4_K, Q5_K and Q8_K: super-blocks of 256 values whose groups have small integer scales, multiples of
//! one f16 scale of the super-block. (Q6_K has a module of its own.)

use half::f16;

fn half_at(b: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([b[at], b[at + 1]]).to_f32()
}

/// The two bits of element `i` in 64 bytes: each half of 128 elements has 32 bytes, a pair of bits for each of its
/// four groups of 32.
fn pair(b: &[u8], i: usize) -> u8 {
    b[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3
}

/// Q2_K: 16 bytes of scales (low nibble) and minimums (high nibble) of 16 values each, 64 bytes of bit pairs, scale
/// d and scale of the minimums dmin (f16); value = d * scale * q - dmin * minimum.
pub fn q2_k_block(b: &[u8], o: &mut [f32]) {
    let (d, dmin) = (half_at(b, 80), half_at(b, 82));
    for (i, o) in o[..256].iter_mut().enumerate() {
        let s = b[i / 16];
        *o = d * f32::from(s & 15) * f32::from(q2_k_code(b, i)) - dmin * f32::from(s >> 4);
    }
}

/// The unsigned code of element `i` of a Q2_K super-block.
pub fn q2_k_code(b: &[u8], i: usize) -> u8 {
    pair(&b[16..], i)
}

/// Q3_K: 32 bytes of third bits, 64 bytes of bit pairs, 12 bytes of six-bit scales of 16 values each, scale d (f16);
/// value = d * (scale - 32) * (q - 4).
pub fn q3_k_block(b: &[u8], o: &mut [f32]) {
    let d = half_at(b, 108);
    for (i, o) in o[..256].iter_mut().enumerate() {
        *o = d * f32::from(q3_k_scale(b, i / 16)) * f32::from(q3_k_code(b, i) as i8 - 4);
    }
}

/// The unsigned code of element `i` of a Q3_K super-block.
pub fn q3_k_code(b: &[u8], i: usize) -> u8 {
    pair(&b[32..], i) | (b[i % 32] >> (i / 32) & 1) << 2
}

/// The signed scale of group `g` of 16 values of a Q3_K super-block: four low bits in the nibbles of 8 bytes, two
/// high bits in the pairs of 4.
pub fn q3_k_scale(b: &[u8], g: usize) -> i8 {
    let low = b[96 + g % 8] >> (g / 8 * 4) & 15;
    let high = b[104 + g % 4] >> (g / 4 * 2) & 3;
    (low | high << 4) as i8 - 32
}

/// Q4_K: scale d and scale of the minimums dmin (f16), 12 bytes of six-bit scales and minimums of 32 values each, 128
/// bytes of nibbles; value = d * scale * q - dmin * minimum.
pub fn q4_k_block(b: &[u8], o: &mut [f32]) {
    with_minimums(b, o, q4_k_code);
}

/// The unsigned code of element `i` of a Q4_K super-block: two groups of 32 share 32 bytes.
pub fn q4_k_code(b: &[u8], i: usize) -> u8 {
    b[16 + i / 64 * 32 + i % 32] >> (i % 64 / 32 * 4) & 15
}

/// Q5_K: as Q4_K, with 32 bytes of fifth bits before the nibbles, one bit for each of the eight groups.
pub fn q5_k_block(b: &[u8], o: &mut [f32]) {
    with_minimums(b, o, q5_k_code);
}

/// The unsigned code of element `i` of a Q5_K super-block.
pub fn q5_k_code(b: &[u8], i: usize) -> u8 {
    q4_k_code(&b[32..], i) | (b[16 + i % 32] >> (i / 32) & 1) << 4
}

fn with_minimums(b: &[u8], o: &mut [f32], code: fn(&[u8], usize) -> u8) {
    let (d, dmin) = (half_at(b, 0), half_at(b, 2));
    for (g, o) in o[..256].chunks_exact_mut(32).enumerate() {
        let (scale, min) = scale_and_min(&b[4..16], g);
        let (d, m) = (d * f32::from(scale), dmin * f32::from(min));
        for (i, o) in o.iter_mut().enumerate() {
            *o = d * f32::from(code(b, g * 32 + i)) - m;
        }
    }
}

/// Scale and minimum of group `g` of 32 values, from the 12 bytes of a Q4_K or Q5_K super-block. Groups 0 to 3 have
/// six bits in one byte; the high bits of those bytes belong to groups 4 to 7, whose low ones are nibbles.
pub fn scale_and_min(s: &[u8], g: usize) -> (u8, u8) {
    if g < 4 {
        (s[g] & 63, s[g + 4] & 63)
    } else {
        (s[g + 4] & 15 | s[g - 4] >> 6 << 4, s[g + 4] >> 4 | s[g] >> 6 << 4)
    }
}

/// Q8_K: scale d (f32), 256 signed bytes, and sums of 16 that nobody needs here; value = d * q.
pub fn q8_k_block(b: &[u8], o: &mut [f32]) {
    let d = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    for (o, q) in o[..256].iter_mut().zip(&b[4..260]) {
        *o = d * f32::from(*q as i8);
    }
}
