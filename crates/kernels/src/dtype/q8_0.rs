//! Q8_0: blocks of 32 signed bytes with one f16 scale d; value = d * q.

use half::f16;

/// One block of 32 values.
pub fn block(b: &[u8], o: &mut [f32]) {
    let d = f16::from_le_bytes([b[0], b[1]]).to_f32();
    for i in 0..32 {
        o[i] = f32::from(b[2 + i] as i8) * d;
    }
}
