//! The kernels of an encoder of audio and of the decoder that reads it, at every level against their formulas in f64: odd widths, several
//! sequences, poisoned outputs.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::act::{self, ActFormat};
use akunu_kernels::activate_positions::{self, ActivatePositionsConsts};
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::cross_attention::{self, CrossAttentionConsts};
use akunu_kernels::cross_kv::{self, COLUMNS, CrossKvConsts};
use akunu_kernels::cross_scores::{self, CrossScoresConsts};
use akunu_kernels::kv::KvFormat;
use akunu_kernels::step::{Capacity, Position, Row, RowCount, SeqIndex};
use akunu_kernels::unfold::{self, UnfoldConsts};
use half::f16;
use harness::{Batch, Memory, Random, run};

/// Unit roundoff of f32.
const U: f64 = 1.0 / 16_777_216.0;

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

/// A step of whole sequences of these lengths; the sequences are not in order.
fn whole(lengths: &[usize], rng: &mut Random) -> Batch {
    let rows: usize = lengths.iter().sum();
    let n = lengths.len() as u32;
    let mut b = Batch::stale(Capacity { seqs: n + 2, rows: RowCount(rows as u32 + 3), heads: n + 2 }, rng);
    let mut row = 0;
    for (i, len) in lengths.iter().enumerate() {
        for pos in 0..*len as u32 {
            b.rows[row] = Row { seq: SeqIndex(n + 1 - i as u32), pos: Position(pos) };
            row += 1;
        }
    }
    (b.header.rows, b.header.head_rows) = (row as u32, 0);
    b
}

fn words<T: bytemuck::NoUninit>(v: &T) -> Vec<u32> {
    bytemuck::cast_slice(std::slice::from_ref(v)).to_vec()
}

#[test]
fn frames_are_unfolded_within_their_sequences() {
    let mut rng = Random(51);
    for (channels, taps, stride, lead, gap) in [
        (80usize, 3usize, 2usize, 1usize, 0usize),
        (80, 3, 2, 0, 0),
        (33, 3, 1, 1, 7),
        (64, 5, 2, 2, 4),
        (1, 1, 1, 0, 0),
    ] {
        for lengths in [&[1usize][..], &[4, 1, 9], &[31]] {
            let rows: usize = lengths.iter().sum();
            let x_stride = channels * stride + gap;
            let x = rng.normals(rows * x_stride);
            let block = whole(lengths, &mut rng);
            let width = channels * taps;
            for format in [ActFormat::F32, ActFormat::Bf16, ActFormat::Q8] {
                if !width.is_multiple_of(format.block() as usize) {
                    continue;
                }
                for (level, parts) in levels().flat_map(|l| [(l, 1), (l, 3)]) {
                    let rb = format.row_bytes(width);
                    let (mut step, mut from) = (block.memory(), Memory::of(&x));
                    let mut out = Memory::new((rows + 1) * rb, 0xFF);
                    let consts = UnfoldConsts {
                        channels: channels as u32,
                        taps: taps as u32,
                        stride: stride as u32,
                        lead: lead as u32,
                        x_stride: x_stride as u32,
                        act: format as u32,
                        max_rows: rows as u32 + 1,
                    };
                    let bufs = [step.buf(), from.buf(), out.buf()];
                    run(&unfold::KERNEL, level, &words(&consts), &[], &bufs, parts);
                    let mut first = 0;
                    for len in lengths {
                        for r in first..first + len {
                            // The frame under a tap, counted within the sequence; zero outside.
                            let value = |i: usize| {
                                let at = ((r - first) * stride + i % taps) as i64 - lead as i64;
                                if !(0..(len * stride) as i64).contains(&at) {
                                    return 0.0;
                                }
                                let row = first + at as usize / stride;
                                x[row * x_stride + at as usize % stride * channels + i / taps]
                            };
                            let plain: Vec<f32> = (0..width).map(value).collect();
                            let mut want = vec![0u8; rb];
                            act::store(format, &mut want, 0, &plain);
                            let used = format.bytes(width);
                            assert_eq!(
                                out.bytes()[r * rb..][..used],
                                want[..used],
                                "{level} row {r} of {lengths:?}"
                            );
                        }
                        first += len;
                    }
                    assert!(out.bytes()[rows * rb..].iter().all(|b| *b == 0xFF), "a write after the rows");
                }
            }
        }
    }
}

#[test]
fn stems_end_in_their_formula() {
    let mut rng = Random(52);
    for d in [1usize, 33, 384] {
        let lengths = [5usize, 1, 12];
        let rows: usize = lengths.iter().sum();
        let block = whole(&lengths, &mut rng);
        let (x, bias, table) = (rng.normals(rows * d), rng.normals(d), rng.normals(10 * d));
        for activation in 0..4u32 {
            for level in levels() {
                let mut step = block.memory();
                let [mut mx, mut mb, mut mt] = [&x, &bias, &table].map(|v| Memory::of(v));
                let mut out = Memory::new((rows + 1) * d * 4, 0xFF);
                let consts = ActivatePositionsConsts {
                    d: d as u32,
                    activation,
                    positions: 10,
                    max_rows: rows as u32 + 1,
                };
                let bufs = [step.buf(), mx.buf(), mb.buf(), mt.buf(), out.buf()];
                run(&activate_positions::KERNEL, level, &words(&consts), &[], &bufs, 3);
                for i in 0..rows * d {
                    let v = f64::from(x[i] + bias[i % d]);
                    let y = match activation {
                        0 => v / (1.0 + (-v).exp()),
                        1 => {
                            let z = (2.0 / std::f64::consts::PI).sqrt() * (v + 0.044_715 * v.powi(3));
                            0.5 * v * (1.0 + z.tanh())
                        }
                        2 => 0.5 * v * (1.0 + erf(v * std::f64::consts::FRAC_1_SQRT_2)),
                        _ => v.max(0.0),
                    };
                    // (Positions beyond the table take its last row.)
                    let at = block.rows[i / d].pos.index().min(9) * d + i % d;
                    let want = y + f64::from(table[at]);
                    let tol = 5e-7 * v.abs() + 128.0 * U * v.abs() * (1.0 + v.abs()) + 4.0 * U * want.abs();
                    let got = f64::from(out.values::<f32>()[i]);
                    assert!((got - want).abs() <= tol + 1e-9, "{level} {activation}: {got}, not {want}");
                }
                assert!(out.bytes()[rows * d * 4..].iter().all(|b| *b == 0xFF));
            }
        }
    }
}

/// By Simpson's rule on the definition.
fn erf(x: f64) -> f64 {
    let (n, h) = (2000, x / 2000.0);
    let g = |i: i32| (-(f64::from(i) * h).powi(2)).exp();
    let weight = |i: i32| [4.0, 2.0][usize::from(i % 2 == 0)];
    let inner: f64 = (1..n).map(|i| weight(i) * g(i)).sum();
    (g(0) + inner + g(n)) * h / 3.0 * std::f64::consts::FRAC_2_SQRT_PI
}

/// Heads, the width of one, positions and sources.
type Shape = (usize, usize, usize, usize);

const SHAPES: [Shape; 5] = [(6, 64, 1500, 1), (2, 32, 33, 3), (1, 16, 1, 2), (3, 7, 20, 2), (2, 80, 100, 1)];

/// Keys and values of every source as `cross_kv` leaves them, from rows of the sequences of these numbers.
fn written(
    level: Level,
    (heads, hd, positions, sources): Shape,
    format: KvFormat,
    kv: &[Vec<f32>],
    bias: &[f32],
    rng: &mut Random,
) -> [Memory; 2] {
    let bytes = cross_kv::bytes(heads as u32, hd as u32, positions as u32, sources as u32, format);
    let mut both = [0; 2].map(|_| Memory::new(bytes as usize, 0xFF));
    let width = heads * hd;
    for (source, kv) in kv.iter().enumerate() {
        let rows = kv.len() / (2 * width);
        let mut block = whole(&[rows], rng);
        block.rows[..rows].iter_mut().for_each(|r| r.seq = SeqIndex(source as u32));
        let (mut step, mut from, mut b) = (block.memory(), Memory::of(kv), Memory::of(bias));
        let consts = CrossKvConsts {
            heads: heads as u32,
            head_dim: hd as u32,
            positions: positions as u32,
            sources: sources as u32,
            format: format as u32,
            max_rows: rows as u32,
        };
        let [keys, values] = &mut both;
        let bufs = [step.buf(), from.buf(), b.buf(), keys.buf(), values.buf()];
        run(&cross_kv::KERNEL, level, &words(&consts), &[], &bufs, 1 + source as u32);
    }
    both
}

fn element(format: KvFormat, m: &Memory, i: usize) -> f32 {
    if format == KvFormat::F32 { m.values::<f32>()[i] } else { m.values::<f16>()[i].to_f32() }
}

/// Each key and value is where the contract says, and nothing else is touched: neither other sources nor columns after the positions, nor
/// anything by rows whose place is outside.
#[test]
fn keys_and_values_are_where_they_are_read() {
    let mut rng = Random(53);
    for shape in SHAPES {
        let (heads, hd, positions, sources) = shape;
        let (width, columns) = (heads * hd, positions.next_multiple_of(COLUMNS as usize));
        let bias = rng.normals(2 * width);
        // (One row more than there are positions.)
        let kv: Vec<Vec<f32>> = (0..sources).map(|_| rng.normals((positions + 1) * 2 * width)).collect();
        for (level, format) in levels().flat_map(|l| [(l, KvFormat::F16), (l, KvFormat::F32)]) {
            let [keys, values] = written(level, shape, format, &kv, &bias, &mut rng);
            let stored = |v: f32| if format == KvFormat::F32 { v } else { f16::from_f32(v).to_f32() };
            for (s, kv) in kv.iter().enumerate() {
                for head in 0..heads {
                    let at = (s * heads + head) * hd * columns;
                    for (pos, d) in (0..columns).flat_map(|p| (0..hd).map(move |d| (p, d))) {
                        let (k, v) = (
                            element(format, &keys, at + d * columns + pos),
                            element(format, &values, at + pos * hd + d),
                        );
                        if pos >= positions {
                            assert!(k.is_nan() && v.is_nan(), "{level}: a write after the positions");
                            continue;
                        }
                        let c = head * hd + d;
                        let want = |c: usize| stored(kv[pos * 2 * width + c] + bias[c]);
                        assert_eq!((k, v), (want(c), want(width + c)), "{level} {shape:?}");
                    }
                }
            }
        }
    }
}

/// What rows of two sequences ask of sources of a shape.
struct Asked {
    kv: Vec<Vec<f32>>,
    bias: Vec<f32>,
    block: Batch,
    rows: usize,
    /// The source of each sequence; one beyond the last is the last.
    reads: Vec<u32>,
    q: Vec<f32>,
    scale: f32,
}

impl Asked {
    fn new((heads, hd, positions, sources): Shape, rng: &mut Random) -> Self {
        let width = heads * hd;
        let kv = (0..sources).map(|_| rng.normals(positions * 2 * width)).collect();
        let bias = rng.normals(2 * width);
        let lengths = [3usize, 1];
        let rows = lengths.iter().sum();
        let block = whole(&lengths, rng);
        let reads = (0..lengths.len() as u32 + 2).map(|i| i * 7 % (sources as u32 + 2)).collect();
        let (q, scale) = (rng.normals(rows * width), 1.0 / (hd as f32).sqrt());
        Self { kv, bias, block, rows, reads, q, scale }
    }
}

#[test]
fn every_row_sees_all_of_the_source_that_its_sequence_reads() {
    let mut rng = Random(54);
    for shape in SHAPES {
        let (heads, hd, positions, sources) = shape;
        let (width, columns) = (heads * hd, positions.next_multiple_of(COLUMNS as usize));
        let Asked { kv, bias, block, rows, reads, q, scale } = Asked::new(shape, &mut rng);
        for format in [KvFormat::F16, KvFormat::F32] {
            let [keys, values] = written(Level::Reference, shape, format, &kv, &bias, &mut rng);
            let (mut want, mut tol) = (Vec::new(), Vec::new());
            for r in 0..rows {
                let source = (reads[block.rows[r].seq.index()] as usize).min(sources - 1);
                for head in 0..heads {
                    let at = (source * heads + head) * hd * columns;
                    let q = &q[r * width + head * hd..][..hd];
                    let key = |j: usize, d: usize| f64::from(element(format, &keys, at + d * columns + j));
                    let terms =
                        |j: usize| (0..hd).map(move |d| f64::from(q[d]) * key(j, d) * f64::from(scale));
                    let scores: Vec<f64> = (0..positions).map(|j| terms(j).sum()).collect();
                    let size =
                        (0..positions).map(|j| terms(j).map(f64::abs).sum::<f64>()).fold(0.0, f64::max);
                    let most = scores.iter().copied().fold(f64::MIN, f64::max);
                    let sum: f64 = scores.iter().map(|s| (s - most).exp()).sum();
                    let off = (hd as f64 + 4.0) * U * size + 4.0 * U * most.abs();
                    for d in 0..hd {
                        let value = |j: usize| f64::from(element(format, &values, at + j * hd + d));
                        let parts = || (0..positions).map(|j| (scores[j] - most).exp() / sum * value(j));
                        want.push(parts().sum::<f64>());
                        let size: f64 = parts().map(f64::abs).sum();
                        tol.push(size * (2.0 * off + (2.0 * positions as f64 + 16.0) * U) + 1e-30);
                    }
                }
            }
            for (level, parts) in levels().flat_map(|l| [(l, 1), (l, 5)]) {
                let mut step = block.memory();
                let (mut mq, mut mr) = (Memory::of(&q), Memory::of(&reads));
                let (mut mk, mut mv) = (Memory::of(keys.bytes()), Memory::of(values.bytes()));
                let rb = ActFormat::F32.row_bytes(width);
                let mut out = Memory::new((rows + 1) * rb, 0xFF);
                let consts = CrossAttentionConsts {
                    heads: heads as u32,
                    head_dim: hd as u32,
                    positions: positions as u32,
                    sources: sources as u32,
                    format: format as u32,
                    act: ActFormat::F32 as u32,
                    max_rows: rows as u32 + 1,
                };
                let bufs = [step.buf(), mq.buf(), mr.buf(), mk.buf(), mv.buf(), out.buf()];
                run(&cross_attention::KERNEL, level, &words(&consts), &[scale.to_bits()], &bufs, parts);
                for i in 0..rows * width {
                    let got = f64::from(out.values::<f32>()[i / width * rb / 4 + i % width]);
                    let off = (got - want[i]).abs();
                    assert!(
                        off <= tol[i] * 1.01,
                        "{level} {shape:?} {}: {got}, not {}",
                        format.name(),
                        want[i]
                    );
                }
                assert!(out.bytes()[rows * rb..].iter().all(|b| *b == 0xFF), "a write after the rows");
            }
        }
    }
}

/// The scores of one head of every row, within what sums of so many terms may be off; a head beyond the last is the last.
#[test]
fn scores_are_those_of_the_rows_head_and_source() {
    let mut rng = Random(55);
    for shape in SHAPES {
        let (heads, hd, positions, sources) = shape;
        let (width, columns) = (heads * hd, positions.next_multiple_of(COLUMNS as usize));
        let Asked { kv, bias, block, rows, reads, q, scale } = Asked::new(shape, &mut rng);
        for (format, head) in [(KvFormat::F16, 0), (KvFormat::F32, heads - 1), (KvFormat::F16, heads + 3)] {
            let [keys, _] = written(Level::Reference, shape, format, &kv, &bias, &mut rng);
            let mut want = Vec::new();
            for r in 0..rows {
                let source = (reads[block.rows[r].seq.index()] as usize).min(sources - 1);
                let h = head.min(heads - 1);
                let at = (source * heads + h) * hd * columns;
                let q = &q[r * width + h * hd..][..hd];
                for j in 0..positions {
                    let key = |d: usize| f64::from(element(format, &keys, at + d * columns + j));
                    let terms = || (0..hd).map(|d| f64::from(q[d]) * key(d) * f64::from(scale));
                    want.push((terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>()));
                }
            }
            // Another head has other scores, so a wrong one would be seen.
            assert!(heads * positions < 2 || want.iter().any(|w| w.0.abs() > 0.05));
            for (level, parts) in levels().flat_map(|l| [(l, 1), (l, 5)]) {
                let mut step = block.memory();
                let (mut mq, mut mr, mut mk) = (Memory::of(&q), Memory::of(&reads), Memory::of(keys.bytes()));
                let mut out = Memory::new((rows + 1) * positions * 4, 0xFF);
                let consts = CrossScoresConsts {
                    heads: heads as u32,
                    head_dim: hd as u32,
                    positions: positions as u32,
                    sources: sources as u32,
                    format: format as u32,
                    max_rows: rows as u32 + 1,
                };
                let bufs = [step.buf(), mq.buf(), mr.buf(), mk.buf(), out.buf()];
                let params = [scale.to_bits(), head as u32];
                run(&cross_scores::KERNEL, level, &words(&consts), &params, &bufs, parts);
                for (i, (want, size)) in want.iter().enumerate() {
                    let got = f64::from(out.values::<f32>()[i]);
                    let tol = (hd as f64 + 4.0) * U * size + 1e-30;
                    assert!((got - want).abs() <= tol, "{level} {shape:?} {head}: {got}, not {want}");
                }
                assert!(out.bytes()[rows * positions * 4..].iter().all(|b| *b == 0xFF));
            }
        }
    }
}
