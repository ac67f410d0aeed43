//! Gumbel noise, and the logarithm that it is made with. Each operation is one rounding of f32, none is fused, so every device
//! and every level of the CPU has the same bits.

use crate::step::{Position, Token};

/// Standard Gumbel noise from a counter, always finite: from -3.1 to 22.9.
pub fn gumbel(seed: u64, pos: Position, token: Token) -> f32 {
    from_uniform(noise_bits(seed, pos, token))
}

/// Of what [`gumbel`] is made.
pub(super) fn noise_bits(seed: u64, pos: Position, token: Token) -> u32 {
    (hash(seed, pos, token) >> 32) as u32
}

/// A bound on [`from_uniform`]: -ln(-ln(1 - v)) <= -ln(v), and v >= 2^-(1 + leading zeros). With room for the logarithms'
/// rounding.
pub fn noise_bound(bits: u32) -> f32 {
    (bits.leading_zeros() + 1) as f32 * std::f32::consts::LN_2 + 1e-3
}

/// -ln(-ln(1 - v)) with v = (bits + 0.5) / 2^32. The winners have a small v, which keeps its resolution in f32
/// where 1 - v would lose it; where v is large it is 1 - v that is exact.
pub fn from_uniform(bits: u32) -> f32 {
    const UNIT: f32 = 1.0 / 4_294_967_296.0;
    let minus = if bits < 1 << 30 {
        ln_near_1(-((bits as f32 + 0.5) * UNIT))
    } else {
        ln((!bits as f32 + 0.5) * UNIT)
    };
    -ln(-minus)
}

/// The natural logarithm of a positive normal number, to about an ulp.
pub fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    // x = m 2^e with m from sqrt(1/2) to sqrt(2).
    let e = (bits.wrapping_sub(0x3f35_04f3) as i32 >> 23) as f32;
    let m = f32::from_bits(bits.wrapping_sub((e as i32 as u32) << 23));
    ln_near_1(m - 1.0) + e * -2.121_944_4e-4 + e * (355.0 / 512.0)
}

/// ln(1 + x) for x from -0.293 to 0.415: x - x^2 / 2 + x^3 q(x), with q fitted at Chebyshev's points.
fn ln_near_1(x: f32) -> f32 {
    let mut q = 0.071_477_29;
    for c in [
        -0.115_707_67,
        0.116_619_974,
        -0.124_111_25,
        0.142_498_97,
        -0.166_684_76,
        0.200_007_08,
        -0.249_999_9,
        0.333_333_3,
    ] {
        q = q * x + c;
    }
    x + (x * x) * (q * x - 0.5)
}

/// A 64-bit mix of the three words: two rounds of the SplitMix64 finalizer (Steele et al., 2014).
pub fn hash(seed: u64, pos: Position, token: Token) -> u64 {
    mix(mix(seed ^ 0x9e37_79b9_7f4a_7c15) ^ (u64::from(pos.0) << 32 | u64::from(token.0)))
}

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
