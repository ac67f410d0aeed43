//! Limits of the numbers in a configuration, the same for every kind of file. They are far above any model, and low
//! enough that what is computed from them stays finite and in range.

/// The longest context, in tokens.
pub(crate) const MAX_CONTEXT: u32 = 1 << 30;
/// The highest cap of scores and logits.
pub(crate) const MAX_CAP: f32 = 1e6;
/// RoPE's base must be above this: at 1 all frequencies are equal, and below it they grow.
pub(crate) const MIN_ROPE_BASE: f64 = 1.0;
/// The highest base of RoPE. Models for contexts of millions of tokens have some 1e10.
pub(crate) const MAX_ROPE_BASE: f64 = 1e15;
/// The largest factor by which a context is extended; the smallest is 1.
pub(crate) const MAX_ROPE_FACTOR: f32 = 65_536.0;
/// The smallest divisor of a single frequency. There is no largest: a pair whose divisor is huge does not rotate, and
/// files make use of that.
pub(crate) const MIN_ROPE_DIVISOR: f32 = 1e-3;
/// The largest factor on cosine and sine.
pub(crate) const MAX_ROPE_MAGNITUDE: f32 = 1000.0;
/// The most turns over the original context that YaRN's bounds can name.
pub(crate) const MAX_ROPE_TURNS: f32 = 1e6;

/// Whether a factor that extends contexts is one.
pub(crate) fn is_rope_factor(factor: f32) -> bool {
    (1.0..=MAX_ROPE_FACTOR).contains(&factor)
}

/// Whether a number can divide a frequency.
pub(crate) fn is_rope_divisor(divisor: f32) -> bool {
    divisor.is_finite() && divisor >= MIN_ROPE_DIVISOR
}

/// The longest original context that this factor may extend.
pub(crate) fn max_original_context(factor: f32) -> u32 {
    // A float becomes the nearest integer of the type, never another one.
    (MAX_CONTEXT as f32 / factor.max(1.0)) as u32
}
