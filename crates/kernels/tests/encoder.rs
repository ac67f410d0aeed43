//! The encoder's kernels at every level against their formulas in f64: steps of several sequences of different lengths, odd widths,
//! poisoned outputs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::act::{self, ActFormat};
use akunu_kernels::activate::ActivateConsts;
use akunu_kernels::add_positions::AddPositionsConsts;
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::full_attention::FullAttentionConsts;
use akunu_kernels::layer_norm::LayerNormConsts;
use akunu_kernels::pooling::PoolingConsts;
use akunu_kernels::step::{Capacity, Position, Row, RowCount, SeqIndex};
use akunu_kernels::{activate, add_positions, full_attention, layer_norm, layer_norm_add, pooling, rope};
use harness::{Batch, Memory, Random, run};

/// Unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;
const FORMATS: [ActFormat; 3] = [ActFormat::F32, ActFormat::Bf16, ActFormat::Q8];

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

/// A step of whole sequences of these lengths, each one's last row a head, in a block with room for more.
fn whole(lengths: &[usize], rng: &mut Random) -> Batch {
    let rows: usize = lengths.iter().sum();
    let n = lengths.len() as u32;
    let capacity = Capacity { seqs: n + 2, rows: RowCount(rows as u32 + 3), heads: n + 2 };
    let mut b = Batch::stale(capacity, rng);
    let mut row = 0;
    for (i, len) in lengths.iter().enumerate() {
        for pos in 0..*len as u32 {
            b.rows[row] = Row { seq: SeqIndex(n + 1 - i as u32), pos: Position(pos) };
            row += 1;
        }
        b.heads[i].row = row as u32 - 1;
    }
    (b.header.rows, b.header.head_rows) = (row as u32, n);
    b
}

/// The values of `rows` stored rows of `k`; what comes after them must still be poison.
fn stored(format: ActFormat, out: &Memory, rows: usize, k: usize) -> Vec<f32> {
    let rb = format.row_bytes(k);
    let mut all = vec![0f32; rows * k];
    for (r, row) in all.chunks_mut(k).enumerate() {
        act::load(format, &out.bytes()[r * rb..][..rb], k, row);
    }
    assert!(out.bytes()[rows * rb..].iter().all(|b| *b == 0xFF), "a write after the active rows");
    all
}

/// Half a step of a format at a value, in a block whose largest is `most`.
fn half_step(format: ActFormat, value: f64, most: f64) -> f64 {
    match format {
        ActFormat::Bf16 => value.abs() / 256.0,
        ActFormat::Q8 => most / 127.0 * 0.51,
        _ => 0.0,
    }
}

fn close(got: &[f32], want: &[f64], tol: impl Fn(usize) -> f64, what: &str) {
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let off = (f64::from(*g) - w).abs();
        assert!(off <= tol(i), "{what}: value {i} is {g}, not {w} (off {off:e}, allowed {:e})", tol(i));
    }
    assert_eq!(got.len(), want.len());
}

const LENGTHS: [&[usize]; 5] = [&[1], &[3, 1, 17], &[16, 2, 33], &[70, 1, 1, 129], &[200]];

#[test]
fn every_row_sees_its_whole_sequence_and_no_other() {
    let mut rng = Random(41);
    for (heads, hd) in [(1usize, 32usize), (3, 64), (2, 7), (1, 288)] {
        for (case, lengths) in LENGTHS.iter().enumerate() {
            let rows: usize = lengths.iter().sum();
            let width = heads * hd;
            let (window, reach) = NEAR[(case + heads) % NEAR.len()];
            let near = Near::new(window, reach, heads, &mut rng);
            let qkv = rng.normals(rows * 3 * width);
            let scale = 1.0 / (hd as f32).sqrt();
            let mut want = vec![0f64; rows * width];
            let mut tol = vec![0f64; rows * width];
            let mut first = 0;
            for len in lengths.iter() {
                for r in first..first + len {
                    for head in 0..heads {
                        let at =
                            |row: usize, which: usize| &qkv[(row * 3 + which) * width + head * hd..][..hd];
                        let terms = |j: usize| {
                            at(r, 0).iter().zip(at(j, 1)).map(|(a, b)| f64::from(*a) * f64::from(*b))
                        };
                        let score =
                            |j: usize| terms(j).sum::<f64>() * f64::from(scale) + near.added(j, r, head);
                        let scores: Vec<f64> = (first..first + len).map(score).collect();
                        let size = (first..first + len)
                            .map(|j| terms(j).map(f64::abs).sum::<f64>())
                            .fold(0.0, f64::max);
                        let most = scores.iter().copied().fold(f64::MIN, f64::max);
                        let sum: f64 = scores.iter().map(|s| (s - most).exp()).sum();
                        // A score is off by its roundings, a weight by as much and its own.
                        let score_off =
                            (hd as f64 + 4.0) * U * size * f64::from(scale) + 4.0 * U * most.abs() + 16.0 * U;
                        for d in 0..hd {
                            let parts = (first..first + len)
                                .map(|j| (scores[j - first] - most).exp() / sum * f64::from(at(j, 2)[d]));
                            let size: f64 = parts.clone().map(f64::abs).sum();
                            want[r * width + head * hd + d] = parts.sum();
                            tol[r * width + head * hd + d] =
                                size * (2.0 * score_off + (2.0 * *len as f64 + 16.0) * U) + 1e-30;
                        }
                    }
                }
                first += len;
            }
            for format in FORMATS.into_iter().filter(|f| hd.is_multiple_of(f.block() as usize)) {
                for level in levels() {
                    for parts in [1, 2, 5] {
                        let mut step = whole(lengths, &mut rng).memory();
                        let mut input = Memory::of(&qkv);
                        let mut out = Memory::new((rows + 2) * format.row_bytes(width), 0xFF);
                        let consts = FullAttentionConsts {
                            heads: heads as u32,
                            head_dim: hd as u32,
                            window,
                            reach,
                            buckets: BUCKETS as u32,
                            act: format as u32,
                            max_rows: rows as u32 + 2,
                        };
                        let (mut places, mut biases) = (Memory::of(&near.places), Memory::of(&near.biases));
                        let bufs = [step.buf(), input.buf(), places.buf(), biases.buf(), out.buf()];
                        let words = bytemuck::cast_slice(std::slice::from_ref(&consts));
                        run(&full_attention::KERNEL, level, words, &[scale.to_bits()], &bufs, parts);
                        let got = stored(format, &out, rows, width);
                        let most = want.iter().map(|v| v.abs()).fold(0.0, f64::max);
                        let allowed = |i: usize| tol[i] + half_step(format, want[i], most) + tol[i] / 100.0;
                        close(
                            &got,
                            &want,
                            allowed,
                            &format!(
                                "{level} {} case {case} {heads}x{hd} window {window} reach {reach}",
                                format.name()
                            ),
                        );
                    }
                }
            }
        }
    }
}

/// Other sequences in the step change no bit.
#[test]
fn attention_does_not_depend_on_neighbours() {
    let mut rng = Random(42);
    let (width, hd) = (64usize, 32u32);
    let own = rng.normals(21 * 3 * width);
    for (level, (window, reach)) in levels().flat_map(|l| NEAR.map(|n| (l, n))) {
        let near = Near::new(window, reach, 2, &mut Random(47));
        let mut results: Vec<Vec<u8>> = Vec::new();
        for (before, after) in [(0usize, 0usize), (5, 0), (1, 40), (64, 3)] {
            let lengths: Vec<usize> = [before, 21, after].into_iter().filter(|n| *n > 0).collect();
            let rows = before + 21 + after;
            let mut qkv = rng.normals(before * 3 * width);
            qkv.extend(&own);
            qkv.extend(rng.normals(after * 3 * width));
            let mut step = whole(&lengths, &mut rng).memory();
            let (mut input, rb) = (Memory::of(&qkv), ActFormat::F32.row_bytes(width));
            let mut out = Memory::new(rows * rb, 0);
            let (mut places, mut biases) = (Memory::of(&near.places), Memory::of(&near.biases));
            let bufs = [step.buf(), input.buf(), places.buf(), biases.buf(), out.buf()];
            let consts = [2, hd, window, reach, BUCKETS as u32, 0, rows as u32];
            run(&full_attention::KERNEL, level, &consts, &[0.25f32.to_bits()], &bufs, 3);
            results.push(out.bytes()[before * rb..][..21 * rb].to_vec());
        }
        assert!(results.iter().all(|r| *r == results[0]), "{level} window {window} reach {reach}");
    }
}

/// (window, reach) of attentions: none, of windows within a block and over several, of biases, of both.
const NEAR: [(u32, u32); 7] = [(0, 0), (1, 0), (5, 0), (70, 0), (0, 3), (0, 128), (20, 128)];
/// Rows of the tables of biases.
const BUCKETS: usize = 5;

/// What is added to scores by the distance of a key.
struct Near {
    window: usize,
    reach: i64,
    heads: usize,
    places: Vec<u32>,
    biases: Vec<f32>,
}

impl Near {
    fn new(window: u32, reach: u32, heads: usize, rng: &mut Random) -> Self {
        let places = (0..=2 * reach).map(|i| (i * 7 + i / 3) % BUCKETS as u32).collect();
        let biases = rng.normals(BUCKETS * heads);
        Self { window: window as usize, reach: reach.into(), heads, places, biases }
    }

    /// Minus infinity for a key that is not seen.
    fn added(&self, key: usize, query: usize, head: usize) -> f64 {
        if self.window != 0 && key.abs_diff(query) > self.window {
            return f64::NEG_INFINITY;
        }
        if self.reach == 0 {
            return 0.0;
        }
        let distance = (key as i64 - query as i64).clamp(-self.reach, self.reach);
        let place = self.places[(distance + self.reach) as usize] as usize;
        self.biases[place * self.heads + head].into()
    }
}

/// Queries and keys turn, values stay, and so does what is after the rows.
#[test]
fn rope_turns_queries_and_keys() {
    let mut rng = Random(48);
    for (heads, kv_heads, hd, pairs, pairing) in
        [(1usize, 1usize, 2usize, 1usize, 0u32), (3, 1, 16, 5, 1), (4, 4, 64, 32, 1), (2, 2, 80, 40, 0)]
    {
        for lengths in LENGTHS {
            let rows: usize = lengths.iter().sum();
            let width = (heads + 2 * kv_heads) * hd;
            let (qkv, angles) = (rng.normals(rows * width), rng.normals(rows * pairs));
            let angles: Vec<f32> = angles.iter().flat_map(|a| [a.cos(), a.sin()]).collect();
            for (level, parts) in levels().flat_map(|l| [(l, 1), (l, 5)]) {
                let mut step = whole(lengths, &mut rng).memory();
                let (mut x, mut turn) =
                    (Memory::of(&[&qkv[..], &[f32::NAN; 8]].concat()), Memory::of(&angles));
                let consts = [heads, kv_heads, hd, pairs, pairing as usize, rows].map(|n| n as u32);
                run(&rope::KERNEL, level, &consts, &[], &[step.buf(), turn.buf(), x.buf()], parts);
                let got: &[f32] = x.values();
                for (i, v) in got[..rows * width].iter().enumerate() {
                    let (row, e) = (i / width, i % width % hd);
                    let turned = i % width < (heads + kv_heads) * hd && e < 2 * pairs;
                    let (pair, second) =
                        if pairing == 0 { (e / 2, e % 2 == 1) } else { (e % pairs.max(1), e >= pairs) };
                    let apart = if pairing == 0 { 1 } else { pairs };
                    let (want, tol) = if turned {
                        let [c, s] = [0, 1].map(|n| f64::from(angles[(row * pairs + pair) * 2 + n]));
                        let (a, b) = if second { (qkv[i - apart], qkv[i]) } else { (qkv[i], qkv[i + apart]) };
                        let (a, b) = (f64::from(a), f64::from(b));
                        (if second { a * s + b * c } else { a * c - b * s }, 4.0 * U * (a.abs() + b.abs()))
                    } else {
                        (f64::from(qkv[i]), 0.0)
                    };
                    assert!(
                        (f64::from(*v) - want).abs() <= tol,
                        "{level} {heads}x{hd}, value {i}: {v} and not {want}"
                    );
                }
                assert!(got[rows * width..].iter().all(|v| v.is_nan()), "a write after the active rows");
            }
        }
    }
}

#[test]
fn layer_norms_are_their_formula() {
    let mut rng = Random(43);
    for d in [1usize, 32, 96, 384, 1000] {
        for (rows, parts) in [(1usize, 1u32), (3, 2), (9, 4)] {
            let [x, residual] = [0; 2].map(|_| rng.normals(rows * d));
            let [w, b, plus] = [0; 3].map(|_| rng.normals(d));
            for added in [false, true] {
                let sums: Vec<f64> = (0..rows * d)
                    .map(|i| {
                        f64::from(x[i])
                            + if added { f64::from(residual[i]) + f64::from(plus[i % d]) } else { 0.0 }
                    })
                    .collect();
                let (mut want, mut tol) = (Vec::new(), Vec::new());
                for row in sums.chunks(d) {
                    let mean = row.iter().sum::<f64>() / d as f64;
                    let size = row.iter().map(|v| v.abs()).fold(0.0, f64::max) + mean.abs();
                    let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / d as f64;
                    let inverse = 1.0 / (variance + 1e-5).sqrt();
                    for i in 0..d {
                        let y = (row[i] - mean) * inverse * f64::from(w[i]);
                        want.push(y + f64::from(b[i]));
                        // Mean and differences are off by roundings of the largest value; the variance by as much, relatively.
                        let off = (d as f64 / 16.0 + 12.0) * U * size;
                        let relative = (2.0 * off * inverse) + (d as f64 / 16.0 + 12.0) * U;
                        tol.push(
                            off * inverse * f64::from(w[i].abs())
                                + y.abs() * relative
                                + 4.0 * U * f64::from(b[i].abs()),
                        );
                    }
                }
                let most = want.iter().map(|v: &f64| v.abs()).fold(0.0, f64::max);
                for format in FORMATS.into_iter().filter(|f| d.is_multiple_of(f.block() as usize)) {
                    for level in levels() {
                        let mut step = whole(&[rows], &mut rng).memory();
                        let [mut mx, mut mw, mut mb, mut mp, mut mr] =
                            [&x, &w, &b, &plus, &residual].map(|v| Memory::of(v));
                        let mut out = Memory::new((rows + 1) * d * 4, 0xFF);
                        let mut second = Memory::new((rows + 1) * format.row_bytes(d), 0xFF);
                        let consts = LayerNormConsts {
                            d: d as u32,
                            act: format as u32,
                            stream: 0,
                            select: 0,
                            max_rows: rows as u32 + 1,
                        };
                        let words = bytemuck::cast_slice(std::slice::from_ref(&consts));
                        let eps = [1e-5f32.to_bits()];
                        if added {
                            let bufs = [
                                &mut step,
                                &mut mx,
                                &mut mp,
                                &mut mw,
                                &mut mb,
                                &mut mr,
                                &mut out,
                                &mut second,
                            ]
                            .map(|m| m.buf());
                            run(&layer_norm_add::KERNEL, level, words, &eps, &bufs, parts);
                        } else {
                            let bufs = [&mut step, &mut mx, &mut mw, &mut mb, &mut out, &mut second]
                                .map(|m| m.buf());
                            run(&layer_norm::KERNEL, level, words, &eps, &bufs, parts);
                        }
                        let what = format!("{level} {} {rows}x{d} added {added}", format.name());
                        let plain: &[f32] = &out.values()[..rows * d];
                        close(plain, &want, |i| tol[i], &what);
                        assert!(out.bytes()[rows * d * 4..].iter().all(|v| *v == 0xFF), "{what}");
                        let got = stored(format, &second, rows, d);
                        close(&got, &want, |i| tol[i] * 1.01 + half_step(format, want[i], most), &what);
                    }
                }
            }
        }
    }
}

/// What goes on as the residual stream is the sum where that is asked for, and of the heads alone where they are: the norm beside it is the
/// same to the bit.
#[test]
fn layer_norms_hand_on_sums_and_heads() {
    let mut rng = Random(46);
    let d = 96usize;
    let lengths = [3usize, 1, 17];
    let rows: usize = lengths.iter().sum();
    let block = whole(&lengths, &mut rng);
    let [x, residual] = [0; 2].map(|_| rng.normals(rows * d));
    let [w, b, plus] = [0; 3].map(|_| rng.normals(d));
    for (level, added) in levels().flat_map(|l| [(l, false), (l, true)]) {
        let run_with = |stream: u32, select: u32| {
            let mut step = block.memory();
            let [mut mx, mut mw, mut mb, mut mp, mut mr] =
                [&x, &w, &b, &plus, &residual].map(|v| Memory::of(v));
            let mut out = Memory::new(rows * d * 4, 0xFF);
            let mut second = Memory::new(rows * ActFormat::F32.row_bytes(d), 0xFF);
            let consts = LayerNormConsts { d: d as u32, act: 0, stream, select, max_rows: rows as u32 };
            let words = bytemuck::cast_slice(std::slice::from_ref(&consts));
            let eps = [1e-5f32.to_bits()];
            if added {
                let bufs = [&mut step, &mut mx, &mut mp, &mut mw, &mut mb, &mut mr, &mut out, &mut second];
                run(&layer_norm_add::KERNEL, level, words, &eps, &bufs.map(|m| m.buf()), 2);
            } else {
                let bufs = [&mut step, &mut mx, &mut mw, &mut mb, &mut out, &mut second];
                run(&layer_norm::KERNEL, level, words, &eps, &bufs.map(|m| m.buf()), 2);
            }
            (out.values::<f32>().to_vec(), second.bytes().to_vec())
        };
        let (norms, acts) = run_with(0, 0);
        let sum = |i: usize| if added { residual[i] + (x[i] + plus[i % d]) } else { x[i] };
        let (sums, same) = run_with(1, 0);
        assert!((0..rows * d).all(|i| sums[i] == sum(i)), "{level} added {added}");
        assert!(same == acts, "{level} added {added}");
        for stream in [0, 1] {
            let (some, rest) = run_with(stream, 1);
            for (i, head) in block.heads[..lengths.len()].iter().enumerate() {
                let row = head.row as usize;
                let want = |c: usize| if stream == 0 { norms[row * d + c] } else { sum(row * d + c) };
                assert!((0..d).all(|c| some[i * d + c] == want(c)), "{level} head {i}");
                let rb = ActFormat::F32.row_bytes(d);
                assert_eq!(rest[i * rb..][..4 * d], acts[row * rb..][..4 * d], "{level} head {i}");
            }
            let after = &some[lengths.len() * d..];
            assert!(after.iter().all(|v| v.is_nan()), "{level}: a write after the heads");
        }
    }
}

#[test]
fn activations_are_their_formula() {
    let mut rng = Random(44);
    for f in [1usize, 32, 300, 1536] {
        for activation in 0..4u32 {
            let rows = 3;
            let x: Vec<f32> = rng.normals(rows * f).iter().map(|v| v * 3.0).collect();
            let bias = rng.normals(f);
            let erf = |x: f64| {
                // Simpson's rule on the definition.
                let (n, h) = (4000, x / 4000.0);
                let g = |i: i32| (-(f64::from(i) * h).powi(2)).exp();
                let weight = |i: i32| {
                    if i == 0 || i == n {
                        1.0
                    } else if i % 2 == 1 {
                        4.0
                    } else {
                        2.0
                    }
                };
                (0..=n).map(|i| weight(i) * g(i)).sum::<f64>() * h / 3.0 * std::f64::consts::FRAC_2_SQRT_PI
            };
            let want: Vec<f64> = (0..rows * f)
                .map(|i| {
                    let v = f64::from(x[i] + bias[i % f]);
                    match activation {
                        0 => v / (1.0 + (-v).exp()),
                        1 => {
                            0.5 * v
                                * (1.0
                                    + ((2.0 / std::f64::consts::PI).sqrt() * (v + 0.044_715 * v.powi(3)))
                                        .tanh())
                        }
                        2 => 0.5 * v * (1.0 + erf(v * std::f64::consts::FRAC_1_SQRT_2)),
                        _ => v.max(0.0),
                    }
                })
                .collect();
            let most = want.iter().map(|v| v.abs()).fold(0.0, f64::max);
            for format in FORMATS.into_iter().filter(|a| f.is_multiple_of(a.block() as usize)) {
                for level in levels() {
                    let mut step = whole(&[rows], &mut rng).memory();
                    let (mut mx, mut mb) = (Memory::of(&x), Memory::of(&bias));
                    let mut out = Memory::new((rows + 1) * format.row_bytes(f), 0xFF);
                    let consts = ActivateConsts { f: f as u32, activation, act: format as u32, max_rows: 4 };
                    let words = bytemuck::cast_slice(std::slice::from_ref(&consts));
                    run(
                        &activate::KERNEL,
                        level,
                        words,
                        &[],
                        &[step.buf(), mx.buf(), mb.buf(), out.buf()],
                        3,
                    );
                    // The error function of the fast levels is off by 4e-7, of half the value.
                    let tol = |i: usize| {
                        let v = f64::from((x[i] + bias[i % f]).abs());
                        2.5e-7 * v + 64.0 * U * want[i].abs() * (1.0 + v) + 1e-12
                    };
                    let got = stored(format, &out, rows, f);
                    let what = format!("{level} {} activation {activation} width {f}", format.name());
                    close(&got, &want, |i| tol(i) * 1.01 + half_step(format, want[i], most), &what);
                }
            }
        }
    }
}

#[test]
fn positions_and_pooling_are_their_formula() {
    let mut rng = Random(45);
    let d = 37usize;
    for lengths in LENGTHS {
        let rows: usize = lengths.iter().sum();
        let mut block = whole(lengths, &mut rng);
        // Second segments from the start, the middle and after the end on, and none.
        block.seqs.iter_mut().zip([1, 0, 2, 1000, 17].into_iter().cycle()).for_each(|(s, at)| s.limit = at);
        let (x, table, segment) = (rng.normals(rows * d), rng.normals(203 * d), rng.normals(2 * d));
        for level in levels() {
            let mut step = block.memory();
            for segments in [1, 2] {
                let [mut mx, mut mt, mut ms] =
                    [&x, &table, &segment[..segments * d].to_vec()].map(|v| Memory::of(v));
                let consts = AddPositionsConsts {
                    d: d as u32,
                    positions: 203,
                    first: 2,
                    segments: segments as u32,
                    max_rows: rows as u32,
                };
                let words = bytemuck::cast_slice(std::slice::from_ref(&consts));
                let bufs = [step.buf(), mt.buf(), ms.buf(), mx.buf()];
                run(&add_positions::KERNEL, level, words, &[], &bufs, 2);
                let got: &[f32] = mx.values();
                for (i, v) in got.iter().enumerate() {
                    let own = block.rows[i / d];
                    let at = (own.pos.index() + 2) * d + i % d;
                    let limit = block.seqs[own.seq.index()].limit;
                    let second = segments == 2 && limit != 0 && own.pos.0 >= limit;
                    let segment = segment[if second { d } else { 0 } + i % d];
                    assert_eq!(*v, x[i] + segment + table[at]);
                }
            }
            for (pooling, normalize) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
                let mut mx = Memory::of(&x);
                let n = lengths.len();
                let mut out = Memory::new((n + 1) * d * 4, 0xFF);
                let consts = PoolingConsts { d: d as u32, pooling, normalize, max_heads: n as u32 + 1 };
                let words = bytemuck::cast_slice(std::slice::from_ref(&consts));
                run(&pooling::KERNEL, level, words, &[], &[step.buf(), mx.buf(), out.buf()], 2);
                let mut first = 0;
                for (i, len) in lengths.iter().enumerate() {
                    let used = [first..first + len, first..first + 1, first + len - 1..first + len]
                        [pooling as usize]
                        .clone();
                    let value = |c: usize| {
                        used.clone().map(|r| f64::from(x[r * d + c])).sum::<f64>() / used.len() as f64
                    };
                    let length = (0..d).map(|c| value(c).powi(2)).sum::<f64>().sqrt();
                    let by = if normalize == 1 { length } else { 1.0 };
                    let want: Vec<f64> = (0..d).map(|c| value(c) / by).collect();
                    let tol = |_| (used.len() as f64 + 8.0) * U * 30.0 / by;
                    close(
                        &out.values::<f32>()[i * d..][..d],
                        &want,
                        tol,
                        &format!("pooling {pooling} {normalize}"),
                    );
                    first += len;
                }
                assert!(out.bytes()[n * d * 4..].iter().all(|b| *b == 0xFF));
            }
        }
    }
}
