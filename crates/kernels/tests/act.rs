//! The activation store: an obvious quantizer against it, and every level against each other.

mod harness;

use akunu_kernels::act::{
    self, ActFormat, Q8Block, Q8PairedBlock, Q8QuadsBlock, Q16Block, Units, cpu::store_fn,
};
use akunu_kernels::cpu::LEVELS;
use harness::Random;

fn obvious(x: &[f32]) -> Q8Block {
    let mut block = Q8Block { quants: [0; 32], scales: [0.0; 2], begins: [0.0; 2], sum: 0.0 };
    for (h, x) in x.chunks_exact(16).enumerate() {
        let amax = x.iter().fold(0f32, |m, v| m.max(v.abs()));
        let inv = if amax > 0.0 { 127.0 / amax } else { 0.0 };
        let quants: Vec<i8> = x.iter().map(|v| (v * inv).round_ties_even() as i8).collect();
        let sum: i32 = quants.iter().map(|q| i32::from(*q)).sum();
        block.quants[16 * h..16 * h + 16].copy_from_slice(&quants);
        block.scales[h] = amax / 127.0;
        // As an integer sum is begun: of bits.
        block.begins[h] = f32::from_bits((1.5f32 * 8_388_608.0).to_bits().wrapping_add_signed(-128 * sum));
        block.sum += block.scales[h] * sum as f32;
    }
    block
}

/// Blocks of all sizes: with halves of different sizes, and with ties, which are whole and half steps of a block whose
/// step is 1 because its largest values are `steps`.
fn blocks(seed: u64, steps: f32) -> impl Iterator<Item = [f32; 32]> {
    let mut rng = Random(seed);
    (0..2000).map(move |i| {
        let size = 10f32.powi(i % 40 - 20);
        let mut x: [f32; 32] = std::array::from_fn(|_| rng.normal() * size);
        if i % 3 == 0 {
            x[16..].iter_mut().for_each(|v| *v *= 1e-3);
        }
        if i % 7 == 0 {
            x = std::array::from_fn(|_| (rng.unit() * 2.0 * steps).round() / 2.0);
            (x[3], x[19]) = (steps, -steps);
        }
        x
    })
}

#[test]
fn q8_blocks_are_the_obvious_ones() {
    for x in blocks(1, 127.0) {
        assert_eq!(Q8Block::new(&x), obvious(&x));
    }
    assert_eq!(Q8Block::new(&[0.0; 32]), obvious(&[0.0; 32]));
    assert_eq!(Q8Block::new(&[1e-38; 32]), obvious(&[0.0; 32]));
}

#[test]
fn paired_blocks_are_those_of_q8_with_steps_in_units() {
    for x in blocks(8, 127.0) {
        let (block, q8) = (Q8PairedBlock::new(&x), Q8Block::new(&x));
        let unit = 2f32.powi(block.exponent >> 23);
        let mut total = 0;
        for h in 0..2 {
            let quants: Vec<i32> = q8.quants[16 * h..][..16].iter().map(|q| i32::from(*q)).collect();
            for (i, q) in quants.iter().enumerate() {
                assert_eq!(i32::from(block.quants[i / 2 * 4 + 2 * h + i % 2]), *q);
            }
            assert!((f32::from(block.steps[h]) * unit - q8.scales[h]).abs() <= 0.5 * unit);
            let sums = [&quants[..8], &quants[8..]].map(|q| q.iter().sum::<i32>());
            assert_eq!(i32::from(block.biases[h]), -16 * (sums[0] + sums[1]));
            assert_eq!(block.biases_of_eight.map(|b| i32::from(b[h])), sums.map(|s| -32 * s));
            total += i32::from(block.steps[h]) * (sums[0] + sums[1]);
        }
        assert_eq!(block.sum, unit * total as f32);
        // The same steps as the other format's.
        let quads = Q8QuadsBlock::new(&x);
        assert_eq!((quads.steps, quads.exponent, quads.sum), (block.steps, block.exponent, block.sum));
    }
    assert_eq!(Q8PairedBlock::new(&[1e-38; 32]), Q8PairedBlock::new(&[0.0; 32]));
    assert_eq!(Q8PairedBlock::new(&[0.0; 32]).steps, [0; 2]);
}

#[test]
fn quads_blocks_are_those_of_q8_with_steps_in_powers_of_two() {
    let unit = |block: &Q8QuadsBlock| 2f32.powi(block.exponent >> 23);
    for x in blocks(9, 127.0) {
        let (block, q8) = (Q8QuadsBlock::new(&x), Q8Block::new(&x));
        let unit = unit(&block);
        let mut total = 0;
        for h in 0..2 {
            let quants: Vec<i32> = q8.quants[16 * h..][..16].iter().map(|q| i32::from(*q)).collect();
            for (i, q) in quants.iter().enumerate() {
                assert_eq!(i32::from(block.quants[i / 4 * 8 + 4 * h + i % 4]), *q);
            }
            let off = (f32::from(block.steps[h]) * unit - q8.scales[h]).abs();
            assert!(off <= 0.5 * unit, "{off} of {unit}");
            let sum = quants.iter().sum::<i32>();
            assert_eq!(block.begins[h], -16 * sum);
            total += i32::from(block.steps[h]) * sum;
        }
        let least = if block.exponent >> 23 == Units::LEAST { 0 } else { 8191 };
        assert!((least..=16383).contains(block.steps.iter().max().unwrap()), "{:?}", block.steps);
        assert!(block.steps.iter().all(|s| *s >= 0));
        assert_eq!(block.sum, unit * total as f32);
    }
    // Steps of less than the smallest unit, and of the whole range.
    for x in [0.0, 1e-38, 1e-22] {
        let block = Q8QuadsBlock::new(&[x; 32]);
        assert_eq!((block.steps, block.exponent, block.sum), ([0; 2], Units::LEAST << 23, 0.0), "{x}");
    }
    for (x, close) in [(1e-14, 1e-2), (1e-10, 1e-4), (1e20, 1e-4), (1e30, 1e-4)] {
        let block = Q8QuadsBlock::new(&[x; 32]);
        let value = f32::from(block.steps[0]) * 127.0 * unit(&block);
        assert!((value / x - 1.0).abs() < close, "{value} of {x}");
    }
    // More than the greatest unit says.
    let block = Q8QuadsBlock::new(&[1e32; 32]);
    assert_eq!((block.broken, block.sum), (Q8QuadsBlock::BROKEN, f32::INFINITY));
}

#[test]
fn broken_values_are_not_hidden() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for (i, half) in [(5, 0), (17, 1)] {
            let mut x = [1.0; 32];
            x[i] = bad;
            let block = Q8Block::new(&x);
            assert!(!block.scales[half].is_finite() && block.scales[1 - half].is_finite());
            assert!(!block.sum.is_finite());
            // The halves share their unit.
            let block = Q8PairedBlock::new(&x);
            assert_eq!((block.exponent, block.sum), (Q8PairedBlock::BROKEN, f32::INFINITY));
            let block = Q8QuadsBlock::new(&x);
            assert_eq!((block.broken, block.sum), (Q8QuadsBlock::BROKEN, f32::INFINITY));
            for format in [ActFormat::Q8Paired, ActFormat::Q8Quads] {
                let mut row = vec![0; format.row_bytes(32)];
                act::store(format, &mut row, 0, &x);
                let mut back = [0.0; 32];
                act::load(format, &row, 32, &mut back);
                assert!(back.iter().all(|v| v.is_nan()));
            }
        }
    }
}

#[test]
fn every_level_stores_the_same_bytes() {
    let mut rng = Random(2);
    let k = 320;
    for (number, format) in act::FORMATS.into_iter().enumerate() {
        assert_eq!(format as usize, number);
        for (from, len) in [(0, k), (64, 96), (288, 32)] {
            let x = rng.normals(len);
            let mut want = vec![0xA5; format.row_bytes(k)];
            act::store(format, &mut want, from, &x);
            for level in LEVELS.iter().filter(|l| l.available()) {
                let mut got = vec![0xA5; format.row_bytes(k)];
                // SAFETY: the level is available.
                unsafe { store_fn(*level)(format, &mut got, from, &x) };
                assert_eq!(got, want, "{level} {} {from} {len}", format.name());
            }
        }
    }
}

#[test]
fn every_level_stores_odd_blocks_alike() {
    let mut rng = Random(3);
    let mut rows: Vec<[f32; 32]> = vec![[0.0; 32], [-0.0; 32], [1e-38; 32], [1e-30; 32], [f32::MAX; 32]];
    rows.push(std::array::from_fn(|i| if i < 16 { 0.0 } else { 3.0 }));
    rows.push(std::array::from_fn(|i| if i < 16 { 1e30 } else { -1e-29 }));
    for i in 0..500 {
        let size = 10f32.powi(i % 40 - 20);
        let ties: [f32; 32] = std::array::from_fn(|_| (rng.unit() * 254.0).round() / 2.0);
        rows.push(std::array::from_fn(|i| if i % 16 == 5 { 127.0 } else { ties[i] }));
        rows.push(std::array::from_fn(|_| rng.normal() * size));
    }
    for level in LEVELS.iter().filter(|l| l.available()) {
        let stored = |format: ActFormat, x: &[f32; 32]| {
            let mut out = vec![0xA5; format.row_bytes(32)];
            // SAFETY: the level is available.
            unsafe { store_fn(*level)(format, &mut out, 0, x) };
            let rest = out.split_off(format.bytes(32));
            assert!(rest.iter().all(|b| *b == 0xA5), "{level}: wrote past the block");
            out
        };
        let q8 = |x: &[f32; 32]| bytemuck::pod_read_unaligned::<Q8Block>(&stored(ActFormat::Q8, x));
        let paired =
            |x: &[f32; 32]| bytemuck::pod_read_unaligned::<Q8PairedBlock>(&stored(ActFormat::Q8Paired, x));
        let quads =
            |x: &[f32; 32]| bytemuck::pod_read_unaligned::<Q8QuadsBlock>(&stored(ActFormat::Q8Quads, x));
        for x in &rows {
            assert_eq!(q8(x), Q8Block::new(x), "{level} {x:?}");
            assert_eq!(paired(x), Q8PairedBlock::new(x), "{level} {x:?}");
            assert_eq!(quads(x), Q8QuadsBlock::new(x), "{level} {x:?}");
        }
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for i in 0..32 {
                let mut x = [1.0; 32];
                x[i] = bad;
                let block = q8(&x);
                assert!(!block.scales[i / 16].is_finite() && block.scales[1 - i / 16].is_finite(), "{level}");
                assert!(!block.sum.is_finite(), "{level}");
                let block = paired(&x);
                assert_eq!((block.exponent, block.sum), (Q8PairedBlock::BROKEN, f32::INFINITY), "{level}");
                let block = quads(&x);
                assert_eq!((block.broken, block.sum), (Q8QuadsBlock::BROKEN, f32::INFINITY), "{level}");
            }
        }
    }
}

#[test]
fn every_level_stores_odd_bf16_alike() {
    let mut rng = Random(5);
    let mut x =
        vec![0.0, -0.0, f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, -1e-38];
    // Ties, of either neighbour.
    x.extend((0..64).map(|i| f32::from_bits(0x3f80_8000 + (i << 16))));
    x.extend((0..500).map(|i| rng.normal() * 10f32.powi(i % 60 - 30)));
    x.resize(x.len().next_multiple_of(32), 1.0);
    for format in [ActFormat::Bf16, ActFormat::Bf16Pair] {
        // `bf16` rows have any width.
        let short = if format == ActFormat::Bf16 { 7 } else { 32 };
        for x in [&x[..], &x[x.len() - short..]] {
            let mut want = vec![0xA5; format.row_bytes(x.len())];
            act::store(format, &mut want, 0, x);
            for level in LEVELS.iter().filter(|l| l.available()) {
                let mut got = vec![0xA5; format.row_bytes(x.len())];
                // SAFETY: the level is available.
                unsafe { store_fn(*level)(format, &mut got, 0, x) };
                assert_eq!(got, want, "{level} {} {}", format.name(), x.len());
            }
        }
    }
}

#[test]
fn pairs_of_bf16_keep_sixteen_bits() {
    let mut rng = Random(6);
    let x: Vec<f32> = (0..320).map(|i| rng.normal() * 10f32.powi(i % 30 - 15)).collect();
    let format = ActFormat::Bf16Pair;
    let (mut row, mut back) = (vec![0u8; format.row_bytes(320)], vec![0f32; 320]);
    act::store(format, &mut row, 0, &x);
    act::load(format, &row, 320, &mut back);
    for (x, y) in x.iter().zip(&back) {
        assert!((x - y).abs() <= x.abs() * 2f32.powi(-17), "{y} for {x}");
    }
    assert!(x != back, "the bound is near what is lost");
}

#[test]
fn f16_keeps_scaled_values_and_saturates() {
    let format = ActFormat::F16;
    let mut rng = Random(4);
    let mut x: Vec<f32> = (0..1000).map(|i| rng.normal() * 10f32.powi(i % 12 - 5)).collect();
    x.extend([0.0, 65504.0 * 32.0, 1e7, -1e7, f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
    let mut row = vec![0u8; format.row_bytes(x.len())];
    act::store(format, &mut row, 0, &x);
    let mut back = vec![0f32; x.len()];
    act::load(format, &row, x.len(), &mut back);
    let most = 65504.0 * 32.0;
    for (x, y) in x.iter().zip(&back) {
        // 11 significant bits, or half a step of the smallest numbers.
        let bound = (x.abs() / 2048.0).max(32.0 * 2f32.powi(-25));
        let near = (x.clamp(-most, most) - y).abs() <= bound;
        assert!(
            if x.is_nan() {
                y.is_nan()
            } else if x.abs() > most {
                y.abs() == most && y * x > 0.0
            } else {
                near
            },
            "{y} for {x}"
        );
    }
}

#[test]
fn q16_blocks_are_the_obvious_ones() {
    for x in blocks(4, Q16Block::STEPS) {
        let block = Q16Block::new(&x);
        let mut total = 0.0;
        for (h, x) in x.chunks_exact(16).enumerate() {
            let amax = x.iter().fold(0f32, |m, v| m.max(v.abs()));
            let quants: Vec<i32> =
                x.iter().map(|v| (v * (Q16Block::STEPS / amax)).round_ties_even() as i32).collect();
            for (i, q) in quants.iter().enumerate() {
                let (high, low) = (block.high[16 * h + i], block.low[16 * h + i]);
                assert_eq!(256 * i32::from(high) + i32::from(low), *q);
            }
            let sum: i32 = quants.iter().sum();
            assert_eq!((block.scales[h], block.biases[h]), (amax / Q16Block::STEPS, -128 * sum));
            total += block.scales[h] * sum as f32;
        }
        assert_eq!(block.sum, total);
    }
    assert_eq!(Q16Block::new(&[1e-38; 32]), Q16Block::new(&[0.0; 32]));
}
