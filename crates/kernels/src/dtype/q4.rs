//! Q4_0 and Q4_1: blocks of 32 four-bit values. Element i (i < 16) is the low nibble of byte i, element
//! i + 16 its high nibble.

use half::f16;

/// Q4_0: scale d (f16), 16 bytes of nibbles; value = d * (q - 8).
pub fn q4_0_block(b: &[u8], o: &mut [f32]) {
    let d = f16::from_le_bytes([b[0], b[1]]).to_f32();
    for i in 0..16 {
        let q = b[2 + i];
        o[i] = (i32::from(q & 15) - 8) as f32 * d;
        o[i + 16] = (i32::from(q >> 4) - 8) as f32 * d;
    }
}

/// Q4_1: scale d and minimum m (f16), 16 bytes of nibbles; value = d * q + m.
pub fn q4_1_block(b: &[u8], o: &mut [f32]) {
    let d = f16::from_le_bytes([b[0], b[1]]).to_f32();
    let m = f16::from_le_bytes([b[2], b[3]]).to_f32();
    for i in 0..16 {
        let q = b[4 + i];
        o[i] = f32::from(q & 15) * d + m;
        o[i + 16] = f32::from(q >> 4) * d + m;
    }
}
