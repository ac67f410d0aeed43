//! The activation store: an obvious quantizer against it, and every level against each other.

mod harness;

use akunu_kernels::act::{self, ActFormat, Q8Block, cpu::store_fn};
use akunu_kernels::cpu::LEVELS;
use harness::Random;

fn obvious(x: &[f32]) -> Q8Block {
    let amax = x.iter().fold(0f32, |m, v| m.max(v.abs()));
    let scale = amax / 127.0;
    let inv = if amax > 0.0 { 127.0 / amax } else { 0.0 };
    let quants: [i8; 32] = std::array::from_fn(|i| (x[i] * inv).round_ties_even() as i8);
    let sum = |q: &[i8]| q.iter().map(|v| i32::from(*v)).sum::<i32>();
    Q8Block {
        quants,
        scale,
        sum: scale * sum(&quants) as f32,
        bias: -128 * sum(&quants),
        bias_lo: -128 * sum(&quants[..16]),
    }
}

#[test]
fn q8_blocks_are_the_obvious_ones() {
    let mut rng = Random(1);
    for i in 0..2000 {
        let size = 10f32.powi(i % 40 - 20);
        let mut x: [f32; 32] = std::array::from_fn(|_| rng.normal() * size);
        if i % 7 == 0 {
            // Ties: whole and half steps of a block whose step is 1.
            x = std::array::from_fn(|_| (rng.unit() * 254.0).round() / 2.0);
            x[3] = 127.0;
        }
        assert_eq!(Q8Block::new(&x), obvious(&x));
    }
    assert_eq!(Q8Block::new(&[0.0; 32]), obvious(&[0.0; 32]));
    assert_eq!(Q8Block::new(&[1e-38; 32]), obvious(&[0.0; 32]));
}

#[test]
fn broken_values_are_not_hidden() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut x = [1.0; 32];
        x[17] = bad;
        assert!(!Q8Block::new(&x).scale.is_finite());
    }
}

#[test]
fn every_level_stores_the_same_bytes() {
    let mut rng = Random(2);
    let k = 320;
    for format in [ActFormat::F32, ActFormat::Q8, ActFormat::Bf16] {
        for (from, len) in [(0, k), (64, 96), (288, 32)] {
            let x = rng.normals(len);
            let mut want = vec![0xA5; format.row_bytes(k)];
            act::store(format, &mut want, k, from, &x);
            for level in LEVELS.iter().filter(|l| l.available()) {
                let mut got = vec![0xA5; format.row_bytes(k)];
                // SAFETY: the level is available.
                unsafe { store_fn(*level)(format, &mut got, k, from, &x) };
                assert_eq!(got, want, "{level} {} {from} {len}", format.name());
            }
        }
    }
}
