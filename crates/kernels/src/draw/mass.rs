//! Probability as whole numbers. Each operation is one rounding of f32, none is fused, so every device has the same.

use crate::sample::ln;

/// e^y in 2^-40ths, for y <= 0; 0 below -28 and for NaN. Off by about 1e-7 of itself, and by what 2^-40ths cannot say.
pub fn mass(y: f32) -> u64 {
    if y.is_nan() || y < -28.0 {
        return 0;
    }
    // y = n ln 2 + f; the shift rounds to the nearest whole number.
    const SHIFT: f32 = 12_582_912.0;
    let n = (y * std::f32::consts::LOG2_E + SHIFT) - SHIFT;
    let f = (y - n * (355.0 / 512.0)) - n * -2.121_944_4e-4;
    let mut q = 0.001_393_718_4;
    for c in [0.008_365_537, 0.041_666_433, 0.166_665_63, 0.5] {
        q = q * f + c;
    }
    let p = (q * (f * f) + f) + 1.0;
    // From 0.7 to 1.42, so the product is a whole number.
    (((p * (1u32 << 30) as f32) as u64) << 10) >> -(n as i32)
}

/// The logarithm of a sum of masses, where the best one has 1.
pub fn log_total(total: u64) -> f32 {
    ln((total as f64 / (1u64 << 40) as f64) as f32)
}

/// The mass at which a share of a sum is reached: at least 1.
pub(super) fn part(total: u64, share: u32) -> u64 {
    ((u128::from(total) * u128::from(share)) >> 32).max(1) as u64
}
