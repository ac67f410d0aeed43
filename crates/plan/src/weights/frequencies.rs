//! Rotation frequencies.

use crate::PlanError;
use akunu_model::config::{RopeConfig, RopeScaling};

/// Radians per position of each rotated pair, context extension included: base^(-2i/dim) / divisor. `context` is the
/// longest that will be run: some extensions differ for short ones.
pub fn rope_frequencies(rope: &RopeConfig, context: u32) -> Result<Vec<f32>, PlanError> {
    let (dim, base) = (f64::from(rope.dim), f64::from(rope.base));
    let series = |base: f64| (0..rope.dim / 2).map(move |i| base.powf(-2.0 * f64::from(i) / dim));
    let plain = series(base);
    let by_factors = |v: &[f32]| {
        if v.len() != rope.dim as usize / 2 {
            return Err(PlanError::Config {
                field: "RoPE factors",
                value: format!("{} divisors for {} pairs", v.len(), rope.dim / 2),
                remedy: "the file contradicts itself; convert it anew",
            });
        }
        Ok(series(base).zip(v).map(|(f, d)| (f / f64::from(*d)) as f32).collect())
    };
    let out: Vec<f32> = match &rope.scaling {
        RopeScaling::None => plain.map(|f| f as f32).collect(),
        RopeScaling::Linear { factor } => plain.map(|f| (f / f64::from(*factor)) as f32).collect(),
        RopeScaling::Factors(v) => by_factors(v)?,
        RopeScaling::LongFactors { short, long, original_context } => {
            by_factors(if context > *original_context { long } else { short })?
        }
        RopeScaling::Ntk { factor } => {
            series(base * f64::from(*factor).powf(dim / (dim - 2.0))).map(|f| f as f32).collect()
        }
        RopeScaling::Yarn { factor, beta_fast, beta_slow, original_context } => {
            let (factor, original) = (f64::from(*factor), f64::from(*original_context));
            // The pair that turns so often over the original context.
            let pair = |turns: f32| {
                dim * (original / (f64::from(turns) * std::f64::consts::TAU)).ln() / (2.0 * base.ln())
            };
            let low = pair(*beta_fast).floor().max(0.0);
            let high = pair(*beta_slow).ceil().min(dim - 1.0);
            // (Never a division by zero.)
            let width = if high == low { 1e-3 } else { high - low };
            let divided = |i: usize| ((i as f64 - low) / width).clamp(0.0, 1.0);
            let blend = |(i, f): (usize, f64)| (f * (1.0 - divided(i)) + f / factor * divided(i)) as f32;
            plain.enumerate().map(blend).collect()
        }
        RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_context } => {
            let (lo, hi) = (f64::from(*low_freq_factor), f64::from(*high_freq_factor));
            let (ctx, factor) = (f64::from(*original_context), f64::from(*factor));
            plain.map(|f| llama3_frequency(f, factor, lo, hi, ctx) as f32).collect()
        }
    };
    match out.iter().position(|f| !f.is_finite()) {
        Some(i) => Err(PlanError::Config {
            field: "rope frequency",
            value: format!("not finite at pair {i}"),
            remedy: "the file's rope base or divisors are broken; convert it anew",
        }),
        None => Ok(out),
    }
}

/// Llama 3.1's rule: short wavelengths stay, long ones are divided, those between are blended.
fn llama3_frequency(f: f64, factor: f64, low: f64, high: f64, context: f64) -> f64 {
    let wavelength = std::f64::consts::TAU / f;
    if wavelength < context / high {
        f
    } else if wavelength > context / low {
        f / factor
    } else {
        let smooth = (context / wavelength - low) / (high - low);
        (1.0 - smooth) * f / factor + smooth * f
    }
}
