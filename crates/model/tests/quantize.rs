//! Quantizers: their error next to llama.cpp's own, and what they must never do.

use akunu_kernels::DType;
use akunu_kernels::dtype::{DTYPES, dequantize_native_row};
use akunu_model::quantize::quantize_row;
use akunu_model::source::check_finite;
use serde_json::Value;

const ROWS: usize = 256;
const COLS: usize = 1024;
/// Errors of llama.cpp's quantizers, from tools/quantize_reference.py.
const REFERENCE: &str = include_str!("../../../tests/fixtures/quantize/llamacpp_errors.json");

/// The values of tools/quantize_reference.py.
fn normals() -> Vec<f32> {
    let mix = |i: u64| {
        let mut z = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    let value = |i: u64| {
        let total: u64 = (0..4)
            .map(|j| mix(4 * i + j))
            .map(|z| (z & 0xf_ffff) + (z >> 20 & 0xf_ffff) + (z >> 40 & 0xf_ffff))
            .sum();
        (total as i64 - (6 << 20)) as f32 * (0.02 / f64::from(1 << 20)) as f32
    };
    (0..(ROWS * COLS) as u64).map(value).collect()
}

fn outliers(mut x: Vec<f32>) -> Vec<f32> {
    x.iter_mut().step_by(37).for_each(|v| *v *= 4.0);
    x
}

fn round_trip(dtype: DType, x: &[f32], importance: Option<&[f32]>) -> Vec<f32> {
    let mut bytes = vec![0xaa; dtype.row_bytes(x.len() as u64) as usize];
    quantize_row(dtype, x, importance, &mut bytes);
    assert_eq!(check_finite(dtype, &bytes), None, "{dtype}");
    let mut y = vec![f32::NAN; x.len()];
    dequantize_native_row(dtype, &bytes, x.len(), 0, &mut y);
    y
}

/// Root of the weighted mean square error over that of the values.
fn error(x: &[f32], y: &[f32], w: impl Fn(usize) -> f64) -> f64 {
    let sum = |f: &dyn Fn(usize) -> f64| (0..x.len()).map(|i| w(i) * f(i).powi(2)).sum::<f64>();
    (sum(&|i| f64::from(x[i]) - f64::from(y[i])) / sum(&|i| f64::from(x[i]))).sqrt()
}

#[test]
fn no_worse_than_llama_cpp() {
    let reference: Value = serde_json::from_str(REFERENCE).expect("fixture");
    let normal = normals();
    let mut bad = Vec::new();
    for (data, x) in [("normal", normal.clone()), ("outliers", outliers(normal))] {
        for (name, errors) in reference.as_object().expect("an object") {
            let dtype = DType::parse(name).expect("known");
            let theirs = errors[data].as_f64().expect("a number");
            let ours = error(&x, &round_trip(dtype, &x, None), |_| 1.0);
            println!("{name:8} {data:9} ours {ours:.6} theirs {theirs:.6} ratio {:.4}", ours / theirs);
            if ours > 1.02 * theirs {
                bad.push(format!("{name} {data}: {ours} against {theirs}"));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn the_error_is_that_of_the_levels() {
    let x = normals();
    for d in DTYPES {
        let e = error(&x, &round_trip(d.dtype, &x, None), |_| 1.0);
        // Even steps over a range of ten deviations, the widest of any group here, or half a unit in the last place.
        let bound = match d.dtype {
            DType::F32 => 2f64.powi(-24),
            DType::F16 => 2f64.powi(-11),
            DType::Bf16 => 2f64.powi(-9),
            DType::Mxfp8 => 2f64.powi(-4),
            // Its sums of codes are no levels.
            DType::Q8K => 10.0 / 256.0 / 12f64.sqrt(),
            _ => 10.0 / f64::from(1u32 << (d.block_bytes * 8 / d.block)) / 12f64.sqrt(),
        };
        assert!(e <= bound, "{}: {e} above {bound}", d.name);
    }
}

#[test]
fn importance_moves_the_error_to_where_it_matters_less() {
    let x = outliers(normals());
    let importance: Vec<f32> = (0..x.len()).map(|i| if i % 4 == 0 { 100.0 } else { 1.0 }).collect();
    for name in ["q4_0", "q4_1", "q5_0", "q5_1", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k", "iq4_nl", "iq4_xs"] {
        let dtype = DType::parse(name).expect("known");
        let weight = |i: usize| f64::from(importance[i]);
        let (with, without) = (round_trip(dtype, &x, Some(&importance)), round_trip(dtype, &x, None));
        assert!(error(&x, &with, weight) < 0.99 * error(&x, &without, weight), "{name}");
    }
}

#[test]
fn special_values() {
    let n = 512;
    let rows: Vec<(&str, Vec<f32>)> = vec![
        ("zeros", vec![0.0; n]),
        ("negative zeros", vec![-0.0; n]),
        ("equal", vec![0.25; n]),
        ("equal, negative", vec![-3.0; n]),
        ("one", (0..n).map(|i| if i == 300 { -0.5 } else { 0.0 }).collect()),
        ("tiny", (0..n).map(|i| i as f32 * 1e-38).collect()),
        ("subnormal", (0..n).map(|i| i as f32 * 1e-44).collect()),
        // Below 6 * 448, the largest value of NVFP4.
        ("large", (0..n).map(|i| if i % 2 == 0 { 2e3 } else { -2e3 }).collect()),
        ("all positive", (0..n).map(|i| 1.0 + i as f32 / n as f32).collect()),
        ("all negative", (0..n).map(|i| -1.0 - i as f32 / n as f32).collect()),
    ];
    for d in DTYPES {
        for (what, x) in &rows {
            let y = round_trip(d.dtype, x, None);
            let largest = x.iter().fold(0f32, |m, v| m.max(v.abs()));
            for (x, y) in x.iter().zip(&y) {
                // No value leaves the range of its row by more than a step of the coarsest format.
                assert!(y.is_finite() && (x - y).abs() <= 0.6 * largest + 1e-3, "{} {what}: {x} {y}", d.name);
            }
            if largest == 0.0 {
                assert!(y.iter().all(|y| *y == 0.0), "{} {what}", d.name);
            }
        }
    }
}

#[test]
fn a_row_is_its_blocks() {
    let x = &normals()[..1024];
    for d in DTYPES {
        let (n, b) = (d.block as usize, d.block_bytes as usize);
        let mut whole = vec![0; d.dtype.row_bytes(1024) as usize];
        quantize_row(d.dtype, x, None, &mut whole);
        for (x, wanted) in x.chunks_exact(n).zip(whole.chunks_exact(b)) {
            let mut block = vec![0xff; b];
            quantize_row(d.dtype, x, None, &mut block);
            assert_eq!(block, wanted, "{}", d.name);
        }
    }
}

/// A value that a format holds exactly comes back exactly, where the search can find it: quantizing what was
/// dequantized changes little.
#[test]
fn affine_keeps_both_ends_and_zero() {
    for d in DTYPES {
        let Some(a) = d.dtype.affine() else { continue };
        let n = a.group as usize;
        // Ends of 1 and -0.5 are whole numbers of steps where the number of steps is a multiple of 3.
        let mut x: Vec<f32> = (0..n).map(|i| (i as f32 / n as f32) * 1.4 - 0.45).collect();
        (x[3], x[5], x[7]) = (1.0, -0.5, 0.0);
        let y = round_trip(d.dtype, &x, None);
        assert_eq!(y[3], 1.0, "{}", d.name);
        // Zero is a whole number of steps from the kept end; scale and bias are rounded to 8 bits at least.
        assert!(y[7].abs() <= 1.0 / 256.0, "{} {}", d.name, y[7]);
    }
}
