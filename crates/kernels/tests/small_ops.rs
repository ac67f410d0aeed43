//! `embed`, `rms_norm`, `glu` and `quantize` at every level against their formulas in f64.
//!
//! Outputs are poisoned with 0xFF bytes: NaN in f32, in bf16 and in the scales of q8, so a value that is not
//! written cannot pass, and bytes behind the active rows must keep the poison.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::act::{
    self, ActFormat, F16_SCALE, Q8Block, Q8PairedBlock, Q8QuadsBlock, Q16AlignedBlock, Q16Block, Units,
};
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::dtype::{self, DTYPES, Layout};
use akunu_kernels::embed::EmbedConsts;
use akunu_kernels::glu::{Activation, GluConsts};
use akunu_kernels::matmul::Select;
use akunu_kernels::quantize::QuantizeConsts;
use akunu_kernels::rms_norm::RmsNormConsts;
use akunu_kernels::step::{self, Position, Row, SeqIndex};
use akunu_kernels::{embed, glu, quantize, rms_norm};
use harness::{Memory, Random, packed, plain_rows, random_weights, run, step_block};

/// Unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;
const ROWS: [usize; 6] = [1, 2, 3, 7, 8, 9];
const WIDTHS: [usize; 5] = [1, 32, 96, 576, 1000];
fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

fn fits(fmt: ActFormat, k: usize) -> bool {
    k.is_multiple_of(fmt.block() as usize)
}

/// Formats and widths that go together, with a row count and a number of parts for each.
fn shapes() -> impl Iterator<Item = (ActFormat, usize, usize, u32)> {
    act::FORMATS.into_iter().flat_map(|fmt| {
        WIDTHS.into_iter().filter(move |k| fits(fmt, *k)).flat_map(move |k| {
            ROWS.into_iter().enumerate().map(move |(i, rows)| (fmt, k, rows, i as u32 % 3 + 1))
        })
    })
}

/// Compares a stored row with exact values, each known within `tol` before it was stored.
fn check_stored(fmt: ActFormat, row: &[u8], want: &[f64], tol: &[f64], what: &str) {
    let k = want.len();
    let close = |i: usize, got: f32, tol: f64| {
        let e = (f64::from(got) - want[i]).abs();
        assert!(e <= tol, "{what}: value {i} of {k} is {got}, not {} (off {e:e}, allowed {tol:e})", want[i]);
    };
    match fmt {
        ActFormat::F32 => {
            for (i, v) in bytemuck::cast_slice::<u8, f32>(&row[..4 * k]).iter().enumerate() {
                close(i, *v, tol[i]);
            }
        }
        ActFormat::Bf16 => {
            // 8 significant bits: half a step is at most 2^-8 of the value.
            for (i, v) in bytemuck::cast_slice::<u8, half::bf16>(&row[..2 * k]).iter().enumerate() {
                close(i, v.to_f32(), tol[i] + (want[i].abs() + tol[i]) / 256.0);
            }
        }
        ActFormat::Bf16Pair => {
            // Both parts together: half a step of the second is at most 2^-17 of the value.
            let mut back = vec![0f32; k];
            act::load(fmt, row, k, &mut back);
            for (i, v) in back.into_iter().enumerate() {
                close(i, v, tol[i] + (want[i].abs() + tol[i]) / 131_072.0);
            }
        }
        ActFormat::F16 => {
            // 11 significant bits of the scaled value, or half a step of the smallest numbers.
            for (i, v) in bytemuck::cast_slice::<u8, half::f16>(&row[..2 * k]).iter().enumerate() {
                let half_step =
                    ((want[i].abs() + tol[i]) / 2048.0).max(2f64.powi(-25) / f64::from(F16_SCALE));
                close(i, v.to_f32() / F16_SCALE, tol[i] + half_step);
            }
        }
        ActFormat::Q8 => {
            let blocks: &[Q8Block] = bytemuck::cast_slice(&row[..k / 32 * size_of::<Q8Block>()]);
            for (b, x) in blocks.iter().enumerate() {
                let quants = x.quants.map(i32::from);
                block(b, quants, x.scales, [x.bias(0), x.bias(1)], x.sum, 127.0, want, tol, what, &close);
            }
        }
        ActFormat::Q8Quads => {
            let blocks: &[Q8QuadsBlock] = bytemuck::cast_slice(&row[..k / 32 * size_of::<Q8QuadsBlock>()]);
            for (b, x) in blocks.iter().enumerate() {
                let quants = std::array::from_fn(|i| x.quants[i % 16 / 4 * 8 + i / 16 * 4 + i % 4].into());
                in_units(b, quants, x.steps, x.exponent, x.sum, want, tol, what, &close);
                for h in 0..2 {
                    let sum: i32 = quants[16 * h..16 * h + 16].iter().sum();
                    assert_eq!(x.begins[h], -16 * sum, "{what}: block {b}");
                }
            }
        }
        ActFormat::Q8Paired => {
            let blocks: &[Q8PairedBlock] = bytemuck::cast_slice(&row[..k / 32 * size_of::<Q8PairedBlock>()]);
            for (b, x) in blocks.iter().enumerate() {
                let quants = std::array::from_fn(|i| x.quants[i % 16 / 2 * 4 + i / 16 * 2 + i % 2].into());
                in_units(b, quants, x.steps, x.exponent, x.sum, want, tol, what, &close);
                for h in 0..2 {
                    let eights = [0, 8].map(|i| quants[16 * h + i..][..8].iter().sum::<i32>());
                    assert_eq!(i32::from(x.biases[h]), -16 * (eights[0] + eights[1]), "{what}: block {b}");
                    let biases = x.biases_of_eight.map(|b| i32::from(b[h]));
                    assert_eq!(biases, eights.map(|sum| -32 * sum), "{what}: block {b}");
                }
            }
        }
        ActFormat::Q16Aligned => {
            let blocks: &[Q16AlignedBlock] =
                bytemuck::cast_slice(&row[..k / 32 * size_of::<Q16AlignedBlock>()]);
            for (b, x) in blocks.iter().enumerate() {
                let quant = |i: usize| 256 * i32::from(x.high[i]) + i32::from(x.low[i]);
                let amax = (32 * b..32 * b + 32).map(|i| want[i].abs() + tol[i]).fold(0.0, f64::max);
                // Half a step, and the roundings of the step, its reciprocal and the product.
                let step = amax / (2.0 * f64::from(Q16Block::STEPS)) + 4.0 * U * amax;
                for i in 0..32 {
                    close(32 * b + i, quant(i) as f32 * x.scale, tol[32 * b + i] + step);
                }
                let sums = [0, 16].map(|from| (from..from + 16).map(quant).sum::<i32>());
                assert_eq!(x.sums, sums, "{what}: block {b}");
                assert_eq!(x.sum, x.scale * (sums[0] + sums[1]) as f32, "{what}: block {b}");
            }
        }
        ActFormat::Q16 => {
            let blocks: &[Q16Block] = bytemuck::cast_slice(&row[..k / 32 * size_of::<Q16Block>()]);
            for (b, x) in blocks.iter().enumerate() {
                let quants = std::array::from_fn(|i| 256 * i32::from(x.high[i]) + i32::from(x.low[i]));
                block(
                    b,
                    quants,
                    x.scales,
                    [x.bias(0), x.bias(1)],
                    x.sum,
                    f64::from(Q16Block::STEPS),
                    want,
                    tol,
                    what,
                    &close,
                );
            }
        }
    }
}

/// Block `b` of a row in a blocked format: its values, whose largest is `steps` steps, and its sums.
fn block(
    b: usize,
    quants: [i32; 32],
    scales: [f32; 2],
    biases: [f32; 2],
    block_sum: f32,
    steps: f64,
    want: &[f64],
    tol: &[f64],
    what: &str,
    close: &dyn Fn(usize, f32, f64),
) {
    let mut total = 0.0;
    for h in 0..2 {
        let (quants, scale) = (&quants[16 * h..16 * h + 16], scales[h]);
        let sum: i32 = quants.iter().sum();
        assert_eq!(biases[h], (-128 * sum) as f32, "{what}: block {b}");
        total += scale * sum as f32;
        let from = 32 * b + 16 * h;
        let amax = (from..from + 16).map(|i| want[i].abs() + tol[i]).fold(0.0, f64::max);
        // Half a step, and the roundings of the step, its reciprocal and the product.
        let step = amax / (2.0 * steps) + 4.0 * U * amax;
        (0..16).for_each(|i| close(from + i, quants[i] as f32 * scale, tol[from + i] + step));
    }
    assert_eq!(block_sum, total, "{what}: block {b}");
}

/// Block `b` of a row whose halves' steps are whole numbers of units: its values, its unit and its sum.
fn in_units(
    b: usize,
    quants: [i32; 32],
    steps: [i16; 2],
    exponent: i32,
    block_sum: f32,
    want: &[f64],
    tol: &[f64],
    what: &str,
    close: &dyn Fn(usize, f32, f64),
) {
    let largest =
        |from: usize, n: usize| (from..from + n).map(|i| want[i].abs() + tol[i]).fold(0.0, f64::max);
    let unit = 2f32.powi(exponent >> 23);
    // The larger step is at least half of the most units, or the unit is the smallest.
    let most = 1.01 * largest(32 * b, 32) / (127.0 * 0.5 * f64::from(Units::STEPS));
    let least = 2f64.powi(Units::LEAST);
    assert!(f64::from(unit) <= most.max(least), "{what}: block {b} has the unit {unit}");
    let mut total = 0;
    for h in 0..2 {
        let (from, steps) = (32 * b + 16 * h, i32::from(steps[h]));
        let amax = largest(from, 16);
        // Half a quant, and half a unit for each of up to 127.
        let step = amax / 254.0 + 63.5 * f64::from(unit) + 6.0 * U * amax;
        let quants = &quants[16 * h..16 * h + 16];
        (0..16).for_each(|i| close(from + i, (quants[i] * steps) as f32 * unit, tol[from + i] + step));
        total += steps * quants.iter().sum::<i32>();
    }
    assert_eq!(block_sum, unit * total as f32, "{what}: block {b}");
}

fn poisoned(bytes: &[u8], what: &str) {
    assert!(bytes.iter().all(|b| *b == 0xFF), "{what}: wrote outside its rows");
}

#[test]
fn embed_gathers_the_rows_of_the_belt() {
    let mut rng = Random(1);
    let (vocab, max_seq) = (37usize, 50usize);
    for (n, info) in DTYPES.iter().enumerate() {
        let dt = info.dtype;
        for d in WIDTHS.into_iter().chain([512]).filter(|d| d.is_multiple_of(dt.block() as usize)) {
            let native = random_weights(dt, vocab, d, &mut rng);
            let mut layouts = [Layout::Native, Layout::Rows16, Layout::Planes]
                .map(|layout| (layout, packed(dt, layout, &native, vocab, d)));
            for (i, rows) in ROWS.into_iter().enumerate() {
                // Two sequences; the last id is one that no vocabulary has.
                let places: Vec<Row> = (0..rows)
                    .map(|r| Row { seq: SeqIndex(r as u32 % 2), pos: Position((r * 5 + i) as u32) })
                    .collect();
                let mut belt: Vec<u32> = (0..2 * max_seq).map(|_| rng.word() as u32 % vocab as u32).collect();
                belt[places[0].seq.index() * max_seq + places[0].pos.index()] = vocab as u32 - 1;
                let last = places[rows - 1];
                belt[last.seq.index() * max_seq + last.pos.index()] = u32::MAX;
                let scale = [1.0, 22.627_417][(i + n) % 2];
                for level in levels() {
                    for (layout, w) in layouts.iter_mut().map(|(l, m)| (*l, m.buf())) {
                        let consts: [u32; 6] = bytemuck::cast(EmbedConsts {
                            dtype: dt as u32,
                            layout: layout as u32,
                            d: d as u32,
                            vocab: vocab as u32,
                            max_seq: max_seq as u32,
                            max_rows: rows as u32 + 1,
                        });
                        let mut h = Memory::new((rows + 1) * d * 4, 0xFF);
                        let (mut step, mut tokens) = (two_seqs(&places), Memory::of(&belt));
                        let bufs = [step.buf(), tokens.buf(), w, h.buf()];
                        let params = [f32::to_bits(scale)];
                        run(&embed::KERNEL, level, &consts, &params, &bufs, i as u32 % 3 + 1);
                        for (r, p) in places.iter().enumerate() {
                            let id = belt[p.seq.index() * max_seq + p.pos.index()].min(vocab as u32 - 1);
                            let mut want = vec![0f32; d];
                            dtype::dequantize_native_row(dt, &native, d, id as usize, &mut want);
                            want.iter_mut().for_each(|v| *v *= scale);
                            let got = &h.values::<f32>()[r * d..(r + 1) * d];
                            assert_eq!(got, want, "{dt} {layout:?} d {d} row {r} token {id}");
                        }
                        poisoned(&h.bytes()[rows * d * 4..], "embed");
                    }
                }
            }
        }
    }
}

/// A step block with room for two sequences.
fn two_seqs(rows: &[Row]) -> Memory {
    let mut m = Memory::new(step::bytes(2, rows.len() as u32), 0);
    let h = step::Header { rows: rows.len() as u32, seqs_cap: 2, ..step::Header::default() };
    m.bytes_mut()[..64].copy_from_slice(bytemuck::bytes_of(&h));
    let at = step::row_offset(2, 0);
    m.bytes_mut()[at..].copy_from_slice(bytemuck::cast_slice(rows));
    m
}

/// The norm of a row in f64, and how far f32 may be from it.
fn exact_norm(x: &[f32], w: &[f32], eps: f32) -> (Vec<f64>, Vec<f64>) {
    let d = x.len() as f64;
    let ms = x.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / d;
    let inv = 1.0 / (ms + f64::from(eps)).sqrt();
    let want: Vec<f64> = x.iter().zip(w).map(|(x, w)| f64::from(*x) * inv * f64::from(*w)).collect();
    // The sum's terms are positive, so its relative error is at most (additions on the longest path + 1) u: d/16
    // in each of 16 partial sums, then 16 and up to 15 of the tail. The root halves it; squaring, division, eps,
    // root, reciprocal and two products add 8 more.
    let relative = ((d / 16.0 + 33.0) / 2.0 + 8.0) * U;
    let tol = want.iter().map(|v| v.abs() * relative + 1e-38).collect();
    (want, tol)
}

fn norm(level: Level, c: RmsNormConsts, eps: f32, x: &[f32], w: &[f32], heads: u32, parts: u32) -> Memory {
    let d = c.d as usize;
    let rb = ActFormat::from_word(c.act).unwrap().row_bytes(d);
    let consts: [u32; 4] = bytemuck::cast(c);
    let mut step = step_block(&plain_rows(x.len() / d), heads);
    let (mut x, mut w) = (Memory::of(x), Memory::of(w));
    let mut out = Memory::new((c.max_rows as usize + 1) * rb, 0xFF);
    let bufs = [step.buf(), x.buf(), w.buf(), out.buf()];
    run(&rms_norm::KERNEL, level, &consts, &[eps.to_bits()], &bufs, parts);
    out
}

#[test]
fn rms_norm_is_its_formula() {
    let mut rng = Random(2);
    for (fmt, d, rows, parts) in shapes() {
        let eps = [1e-5, 1e-6, 0.1][rows % 3];
        let mut x = rng.normals(rows * d);
        // One row is large, one is nearly zero: eps decides.
        x[..d].iter_mut().for_each(|v| *v *= 1e4);
        if rows > 2 {
            x[2 * d..3 * d].iter_mut().for_each(|v| *v *= 1e-6);
        }
        let w = rng.normals(d);
        let c = RmsNormConsts { d: d as u32, act: fmt as u32, select: 0, max_rows: rows as u32 };
        let rb = fmt.row_bytes(d);
        let mut first: Option<Vec<u8>> = None;
        for level in levels() {
            let out = norm(level, c, eps, &x, &w, 0, parts);
            for r in 0..rows {
                let (want, tol) = exact_norm(&x[r * d..(r + 1) * d], &w, eps);
                let what = format!("rms_norm {level} {} {d} row {r} of {rows}", fmt.name());
                check_stored(fmt, &out.bytes()[r * rb..(r + 1) * rb], &want, &tol, &what);
            }
            poisoned(&out.bytes()[rows * rb..], "rms_norm");
            let same = first.get_or_insert_with(|| out.bytes().to_vec()) == out.bytes();
            assert!(same, "rms_norm {level} {} {d}: levels and parts differ", fmt.name());
        }
    }
}

#[test]
fn rms_norm_moves_the_head_rows_to_the_front() {
    let mut rng = Random(3);
    let (d, rows) = (96, 9);
    let (x, w) = (rng.normals(rows * d), rng.normals(d));
    for heads in [0u32, 1, 4, 9] {
        for fmt in act::FORMATS {
            let c = RmsNormConsts { d: 96, act: fmt as u32, select: Select::Head as u32, max_rows: heads };
            let rb = fmt.row_bytes(d);
            for level in levels() {
                for parts in 1..=3 {
                    let out = norm(level, c, 1e-5, &x, &w, heads, parts);
                    for h in 0..heads as usize {
                        let from = (rows - heads as usize + h) * d;
                        let (want, tol) = exact_norm(&x[from..from + d], &w, 1e-5);
                        check_stored(fmt, &out.bytes()[h * rb..(h + 1) * rb], &want, &tol, "head row");
                    }
                    poisoned(&out.bytes()[heads as usize * rb..], "rms_norm head");
                }
            }
        }
    }
}

/// A row's result does not depend on its neighbours, nor on how work is shared.
#[test]
fn rms_norm_rows_are_bit_identical_alone() {
    let mut rng = Random(4);
    let (d, rows) = (576, 8);
    let (x, w) = (rng.normals(rows * d), rng.normals(d));
    let c = RmsNormConsts { d: 576, act: 0, select: 0, max_rows: 8 };
    let rb = ActFormat::F32.row_bytes(d);
    for level in levels() {
        let all = norm(level, c, 1e-5, &x, &w, 0, 3);
        for r in 0..rows {
            let one = norm(level, c, 1e-5, &x[r * d..(r + 1) * d], &w, 0, 1);
            assert_eq!(one.bytes()[..d * 4], all.bytes()[r * rb..r * rb + d * 4]);
        }
    }
}

/// The error function by Simpson's rule on its definition, within 1e-9.
fn erf(x: f64) -> f64 {
    let (n, h) = (800, x.clamp(-6.0, 6.0) / 800.0);
    let weight = |i: i32| if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
    let sum: f64 = (0..=n).map(|i| weight(i) * (-(f64::from(i) * h).powi(2)).exp()).sum();
    sum * h / 3.0 * std::f64::consts::FRAC_2_SQRT_PI
}

/// The gated value in f64, and how far a level may be from it.
fn exact_glu(level: Level, a: Activation, g: f32, up: f32) -> (f64, f64) {
    let (g, up) = (f64::from(g), f64::from(up));
    let z = (2.0 / std::f64::consts::PI).sqrt() * (g + 0.044_715 * g * g * g);
    let (want, mut relative) = match a {
        // An exponential within 2 ulp (4u), a sum, a quotient, a product.
        Activation::Silu => (g / (1.0 + (-g).exp()) * up, 8.0 * U),
        // z is good to 6u, and e^(-2z) makes 12 |z| u of it.
        Activation::GeluTanh => (g / (1.0 + (-2.0 * z).exp()) * up, (12.0 * z.abs() + 10.0) * U),
        // The plain twin is exact but for its last roundings, and the others' error function is off by 7e-7.
        Activation::GeluErf => {
            let half = 0.5 * (g * up).abs();
            let want = 0.5 * g * (1.0 + erf(g * std::f64::consts::FRAC_1_SQRT_2)) * up;
            let off = if level == Level::Reference { 1e-8 } else { 7.5e-7 };
            return (want, want.abs() * 8.0 * U + half * off + 1e-38);
        }
        Activation::Relu => panic!("no gate has {a:?}"),
    };
    relative = relative.min(1.0);
    let mut tol = want.abs() * relative + 1e-38;
    if level == Level::Reference && a == Activation::GeluTanh {
        // 1 + tanh z cancels for negative z: each rounds at the size of 1.
        tol += 2.0 * U * (g * up).abs();
    }
    // The exponential overflows, or is clamped, from e^88 on.
    tol += (g * up).abs() * 88f64.exp().recip() * (1.0 + 8.0 * U);
    (want, tol)
}

fn gated(level: Level, a: Activation, fmt: ActFormat, f: usize, gu: &[f32], parts: u32) -> Memory {
    let rows = gu.len() / (2 * f);
    // An even number of rows as half as many with two vectors each.
    let per_row = 2 - rows % 2;
    let consts: [u32; 5] = bytemuck::cast(GluConsts {
        f: f as u32,
        activation: a as u32,
        act: fmt as u32,
        per_row: per_row as u32,
        max_rows: rows as u32 + 1,
    });
    let mut out = Memory::new((rows + 1) * fmt.row_bytes(f), 0xFF);
    let (mut step, mut x) = (step_block(&plain_rows(rows / per_row), 0), Memory::of(gu));
    run(&glu::KERNEL, level, &consts, &[], &[step.buf(), x.buf(), out.buf()], parts);
    out
}

#[test]
fn glu_is_its_formula() {
    let mut rng = Random(5);
    for (fmt, f, rows, parts) in shapes() {
        let mut x = rng.normals(rows * 2 * f);
        for (i, v) in x.iter_mut().enumerate() {
            *v *= [1.0, 1.0, 5.0, 30.0][i % 4];
        }
        for a in [Activation::Silu, Activation::GeluTanh, Activation::GeluErf] {
            let mut fast: Option<Vec<u8>> = None;
            for level in levels() {
                let out = gated(level, a, fmt, f, &x, parts);
                let rb = fmt.row_bytes(f);
                for r in 0..rows {
                    let row = &x[r * 2 * f..(r + 1) * 2 * f];
                    let (want, tol): (Vec<f64>, Vec<f64>) =
                        (0..f).map(|i| exact_glu(level, a, row[i], row[f + i])).unzip();
                    let what = format!("glu {a:?} {level} {} {f} row {r}", fmt.name());
                    check_stored(fmt, &out.bytes()[r * rb..(r + 1) * rb], &want, &tol, &what);
                }
                poisoned(&out.bytes()[rows * rb..], "glu");
                if level != Level::Reference {
                    let same = fast.get_or_insert_with(|| out.bytes().to_vec()) == out.bytes();
                    assert!(same, "glu {a:?} {level} {} {f}: levels differ", fmt.name());
                }
            }
        }
    }
}

#[test]
fn glu_of_every_size_of_gate() {
    // 32 gates per power of two from 2^-40 to 2^40, both signs.
    let gates: Vec<f32> = (-40 * 32..40 * 32).map(|i| 2f32.powf(i as f32 / 32.0)).collect();
    let gates: Vec<f32> = gates.iter().flat_map(|g| [*g, -*g]).collect();
    let f = gates.len();
    let row: Vec<f32> = gates.iter().copied().chain(std::iter::repeat_n(1.0, f)).collect();
    for a in [Activation::Silu, Activation::GeluTanh, Activation::GeluErf] {
        for level in levels() {
            let out = gated(level, a, ActFormat::F32, f, &row, 2);
            let (want, tol): (Vec<f64>, Vec<f64>) =
                gates.iter().map(|g| exact_glu(level, a, *g, 1.0)).unzip();
            check_stored(ActFormat::F32, out.bytes(), &want, &tol, &format!("glu {a:?} {level}"));
        }
    }
}

/// Broken inputs stay visible, large ones keep their limits, and a zero gate closes.
#[test]
fn glu_at_the_extremes() {
    let g = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 100.0, -100.0, 0.0, -0.0, 1e20, -1e20, 3.0];
    let u = [1.0, 1.0, 1.0, 2.0, 2.0, 5.0, 5.0, 1.0, 1.0, f32::NAN];
    let row: Vec<f32> = g.into_iter().chain(u).collect();
    for a in [Activation::Silu, Activation::GeluTanh, Activation::GeluErf] {
        for level in levels() {
            let out = gated(level, a, ActFormat::F32, g.len(), &row, 1);
            let y = &out.values::<f32>()[..g.len()];
            let what = format!("{a:?} {level}: {y:?}");
            assert!(y[0].is_nan() && y[9].is_nan(), "{what}");
            assert_eq!(y[1], f32::INFINITY, "{what}");
            // The limit is 0, but an infinite gate is a broken model: it must not be hidden.
            assert!(!y[2].is_finite(), "{what}");
            assert_eq!(y[3], 200.0, "{what}");
            assert!(y[4].abs() <= 1e-35, "{what}");
            assert_eq!((y[5], y[6]), (0.0, 0.0), "{what}");
            assert_eq!(y[7], 1e20, "{what}");
            assert!(y[8].abs() <= 1e-17, "{what}");
        }
    }
}

#[test]
fn quantize_stores_each_row() {
    let mut rng = Random(6);
    for (fmt, k, rows, parts) in shapes() {
        // As an activation row, or as it comes.
        let stride = if rows % 2 == 0 { ActFormat::F32.row_bytes(k) / 4 } else { k };
        let mut x = vec![f32::NAN; rows * stride];
        for r in 0..rows {
            x[r * stride..r * stride + k].copy_from_slice(&rng.normals(k));
        }
        let consts: [u32; 4] = bytemuck::cast(QuantizeConsts {
            k: k as u32,
            x_stride: stride as u32,
            act: fmt as u32,
            max_rows: rows as u32,
        });
        for level in levels() {
            let rb = fmt.row_bytes(k);
            let mut out = Memory::new((rows + 1) * rb, 0xFF);
            let (mut step, mut m) = (step_block(&plain_rows(rows), 0), Memory::of(&x));
            run(&quantize::KERNEL, level, &consts, &[], &[step.buf(), m.buf(), out.buf()], parts);
            for r in 0..rows {
                let want: Vec<f64> = x[r * stride..r * stride + k].iter().map(|v| f64::from(*v)).collect();
                let what = format!("quantize {level} {} {k} row {r}", fmt.name());
                check_stored(fmt, &out.bytes()[r * rb..(r + 1) * rb], &want, &vec![0.0; k], &what);
            }
            poisoned(&out.bytes()[rows * rb..], "quantize");
        }
    }
}
