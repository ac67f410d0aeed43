//! Q5_0 and Q5_1: blocks of 32 five-bit values. Nibbles as in Q4_0; the fifth bit of element i is bit i of a word.

use half::f16;

/// Q5_0: scale d (f16), 4 bytes of fifth bits, 16 bytes of nibbles; value = d * (q - 16).
pub fn q5_0_block(b: &[u8], o: &mut [f32]) {
    let d = f16::from_le_bytes([b[0], b[1]]).to_f32();
    for (i, o) in o[..32].iter_mut().enumerate() {
        *o = d * f32::from(code(&b[2..], i) as i8 - 16);
    }
}

/// Q5_1: scale d and minimum m (f16), 4 bytes of fifth bits, 16 bytes of nibbles; value = d * q + m.
pub fn q5_1_block(b: &[u8], o: &mut [f32]) {
    let d = f16::from_le_bytes([b[0], b[1]]).to_f32();
    let m = f16::from_le_bytes([b[2], b[3]]).to_f32();
    for (i, o) in o[..32].iter_mut().enumerate() {
        *o = d * f32::from(code(&b[4..], i)) + m;
    }
}

/// The unsigned code of element `i`; `b` begins at the fifth bits.
pub fn code(b: &[u8], i: usize) -> u8 {
    let low = b[4 + i % 16] >> (i / 16 * 4) & 15;
    low | (b[i / 8] >> (i % 8) & 1) << 4
}
