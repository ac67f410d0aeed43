//! IQ4_NL and IQ4_XS: four-bit codes into a table of uneven steps.

use half::f16;

/// What the codes stand for.
pub static VALUES: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

/// IQ4_NL: blocks of 32: scale d (f16), 16 bytes of nibbles as in Q4_0; value = d * table(q).
pub fn iq4_nl_block(b: &[u8], o: &mut [f32]) {
    let d = f16::from_le_bytes([b[0], b[1]]).to_f32();
    nibbles(&b[2..18], d, o);
}

/// IQ4_XS: super-blocks of 256: scale d (f16), two high bits and four low bits of the scales of 32 values each (2 and
/// 4 bytes), 128 bytes of nibbles; value = d * (scale - 32) * table(q).
pub fn iq4_xs_block(b: &[u8], o: &mut [f32]) {
    let d = f16::from_le_bytes([b[0], b[1]]).to_f32();
    for (g, o) in o[..256].chunks_exact_mut(32).enumerate() {
        nibbles(&b[8 + 16 * g..24 + 16 * g], d * f32::from(iq4_xs_scale(b, g)), o);
    }
}

/// The signed scale of group `g` of 32 values of an IQ4_XS super-block.
pub fn iq4_xs_scale(b: &[u8], g: usize) -> i8 {
    let high = u16::from_le_bytes([b[2], b[3]]) >> (2 * g) & 3;
    let low = b[4 + g / 2] >> (g % 2 * 4) & 15;
    (low | (high as u8) << 4) as i8 - 32
}

fn nibbles(q: &[u8], d: f32, o: &mut [f32]) {
    for i in 0..16 {
        o[i] = d * f32::from(VALUES[usize::from(q[i] & 15)]);
        o[i + 16] = d * f32::from(VALUES[usize::from(q[i] >> 4)]);
    }
}
