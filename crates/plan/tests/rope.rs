//! Rotation frequencies against the oracle's numbers and against formulas written another way.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use akunu_model::config::{RopeConfig, RopePairing, RopeScaling};
use akunu_plan::weights::rope_frequencies;

/// transformers 4.57.3, `ROPE_INIT_FUNCTIONS["linear"]`, head_dim 64, theta 500000, factor 4.
const LINEAR: [f64; 32] = [
    0.25,
    0.16590032,
    0.110091656,
    0.0730569586,
    0.0484806895,
    0.0321718454,
    0.0213492755,
    0.0141674047,
    0.00940150768,
    0.00623885216,
    0.00414011022,
    0.00274738227,
    0.00182316627,
    0.00120985531,
    0.000802861527,
    0.000532779901,
    0.000353553361,
    0.000234618463,
    0.000155693109,
    0.00010331814,
    6.85620471e-05,
    4.54978581e-05,
    3.01924356e-05,
    2.00357372e-05,
    1.32957393e-05,
    8.82306904e-06,
    5.85499947e-06,
    3.88538501e-06,
    2.57834631e-06,
    1.71099384e-06,
    1.13541762e-06,
    7.53464519e-07,
];
/// The same with `"llama3"`, factor 32, low 1, high 4, original context 8192 (Llama 3.2 1B).
const LLAMA3: [f64; 32] = [
    1.0,
    0.663601279,
    0.440366626,
    0.292227834,
    0.193922758,
    0.128687382,
    0.0853971019,
    0.0566696189,
    0.0376060307,
    0.0249554086,
    0.0165604409,
    0.0109895291,
    0.00729266508,
    0.00483942125,
    0.00321144611,
    0.00129054801,
    0.000429556705,
    9.70828623e-05,
    1.94616387e-05,
    1.29147675e-05,
    8.57025589e-06,
    5.68723226e-06,
    3.77405445e-06,
    2.50446715e-06,
    1.66196742e-06,
    1.10288363e-06,
    7.31874934e-07,
    4.85673127e-07,
    3.22293289e-07,
    2.1387423e-07,
    1.41927202e-07,
    9.41830649e-08,
];

fn rope(base: f32, dim: u32, scaling: RopeScaling) -> RopeConfig {
    RopeConfig { base, dim, pairing: RopePairing::Adjacent, scaling, magnitude: 1.0 }
}

fn llama3(factor: f32) -> RopeScaling {
    RopeScaling::Llama3 { factor, low_freq_factor: 1.0, high_freq_factor: 4.0, original_context: 8192 }
}

/// The oracle computes in f32: its powers are good to about 16 units of roundoff.
fn same(got: &[f32], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let off = (f64::from(*g) / w - 1.0).abs();
        assert!(off <= 16.0 / 16_777_216.0, "pair {i}: {g}, not {w} ({off:e})");
    }
}

#[test]
fn linear_scaling_is_the_oracles() {
    same(
        &rope_frequencies(&rope(500_000.0, 64, RopeScaling::Linear { factor: 4.0 }), 4096).unwrap(),
        &LINEAR,
    );
    let plain: Vec<f64> = LINEAR.iter().map(|f| f * 4.0).collect();
    same(&rope_frequencies(&rope(500_000.0, 64, RopeScaling::None), 4096).unwrap(), &plain);
}

#[test]
fn llama3_scaling_is_the_oracles() {
    same(&rope_frequencies(&rope(500_000.0, 64, llama3(32.0)), 4096).unwrap(), &LLAMA3);
}

/// Divisors from a file and the parameters they were made from are two ways to say one thing.
#[test]
fn divisors_say_what_their_parameters_say() {
    let plain = rope_frequencies(&rope(500_000.0, 64, RopeScaling::None), 4096).unwrap();
    let scaled = rope_frequencies(&rope(500_000.0, 64, llama3(32.0)), 4096).unwrap();
    let divisors: Vec<f32> = plain.iter().zip(&scaled).map(|(p, s)| p / s).collect();
    assert_eq!((divisors[0], divisors[31]), (1.0, 32.0), "short waves stay, long ones are divided");
    assert!(divisors.windows(2).all(|w| w[0] <= w[1]), "{divisors:?}");
    let by_file = rope_frequencies(&rope(500_000.0, 64, RopeScaling::Factors(divisors)), 4096).unwrap();
    let want: Vec<f64> = scaled.iter().map(|f| f64::from(*f)).collect();
    same(&by_file, &want);
}

#[test]
fn plain_frequencies_are_a_geometric_series() {
    for (base, dim) in [(10_000f32, 64u32), (1e6, 128), (10_000.0, 2), (10_000.0, 80), (1.0, 8)] {
        let f = rope_frequencies(&rope(base, dim, RopeScaling::None), 4096).unwrap();
        assert_eq!(f.len() as u32, dim / 2);
        assert_eq!(f[0], 1.0);
        let ratio = f64::from(base).ln() * -2.0 / f64::from(dim);
        let want: Vec<f64> = (0..dim / 2).map(|i| (ratio * f64::from(i)).exp()).collect();
        same(&f, &want);
    }
    assert!(rope_frequencies(&rope(10_000.0, 0, RopeScaling::None), 4096).unwrap().is_empty());
}

#[test]
fn broken_numbers_are_typed_errors() {
    let fails = |r: RopeConfig, want: &str| {
        let e = rope_frequencies(&r, 4096).unwrap_err().to_string();
        assert!(e.contains(want), "{e}");
    };
    fails(rope(10_000.0, 8, RopeScaling::Factors(vec![1.0; 3])), "RoPE factors is 3 divisors for 4 pairs");
    fails(rope(10_000.0, 8, RopeScaling::Factors(vec![1.0, 0.0, 1.0, 1.0])), "not finite at pair 1");
    fails(rope(10_000.0, 8, RopeScaling::Factors(vec![1.0, 1.0, f32::NAN, 1.0])), "not finite at pair 2");
    fails(rope(10_000.0, 8, RopeScaling::Linear { factor: 0.0 }), "not finite at pair 0");
    fails(rope(10_000.0, 8, RopeScaling::Linear { factor: f32::NAN }), "not finite");
    fails(rope(0.0, 8, RopeScaling::None), "not finite at pair 1");
    fails(rope(-5.0, 8, RopeScaling::None), "not finite at pair 1");
    fails(rope(f32::NAN, 8, RopeScaling::None), "not finite");
    fails(rope(10_000.0, 8, llama3(0.0)), "not finite");
}
