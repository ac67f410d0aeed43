//! The kernels of encoders: steps of whole sequences, several of them, of any lengths.

use super::*;
use crate::harness::{Batch, Random};
use akunu::kernels::activate::ActivateConsts;
use akunu::kernels::add_positions::AddPositionsConsts;
use akunu::kernels::full_attention::FullAttentionConsts;
use akunu::kernels::glu::{self, GluConsts};
use akunu::kernels::layer_norm::LayerNormConsts;
use akunu::kernels::pooling::PoolingConsts;
use akunu::kernels::rope::{self, RopeConsts};
use akunu::kernels::{activate, add_positions, full_attention, layer_norm, layer_norm_add, pooling};
use akunu_kernels::step::{Capacity, Position, RowCount};

/// The kernels with cases in this file.
pub(crate) const KERNELS: &[&str] =
    &["layer_norm", "layer_norm_add", "add_positions", "activate", "full_attention", "pooling", "rope"];

/// Lengths of the sequences of a step.
pub(crate) const LENGTHS: [&[usize]; 6] =
    [&[1], &[3, 1, 17], &[16, 2, 33], &[70, 1, 1, 129], &[200], &[1; 40]];

/// (active rows, rows of the table)
const ROWS: [(usize, usize); 5] = [(0, 1), (1, 1), (1, 8), (7, 8), (37, 40)];

on_each_device_and_vulkan!(
    layer_norm_agrees,
    add_positions_agrees,
    activate_agrees,
    full_attention_agrees,
    pooling_agrees,
    rope_agrees,
    gelu_gates_agree,
);

/// Whole sequences with each one's last row as a head, in a step block with room for more.
pub(crate) struct Whole {
    pub(crate) block: Batch,
    pub(crate) rows: usize,
    pub(crate) max_rows: usize,
}

impl Whole {
    pub(crate) fn new(lengths: &[usize], rng: &mut Random) -> Self {
        let rows: usize = lengths.iter().sum();
        let (n, max_rows) = (lengths.len() as u32, rows + 3);
        let capacity = Capacity { seqs: n + 2, rows: RowCount(max_rows as u32), heads: n + 2 };
        let mut block = Batch::stale(capacity, rng);
        let mut row = 0;
        for (i, len) in lengths.iter().enumerate() {
            for pos in 0..*len as u32 {
                // (Sequences need not stand in the order of their places.)
                block.rows[row] = Row { seq: SeqIndex(n + 1 - i as u32), pos: Position(pos) };
                row += 1;
            }
            block.heads[i].row = row as u32 - 1;
        }
        (block.header.rows, block.header.head_rows) = (rows as u32, n);
        Self { block, rows, max_rows }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.block.memory().bytes().to_vec()
    }

    pub(crate) fn command(
        &self,
        kernel: &'static akunu::kernels::Kernel,
        consts: &[u32],
        params: &[f32],
        buffers: Vec<Vec<u8>>,
    ) -> OneCommand {
        let capacity = self.block.capacity;
        OneCommand::new(kernel, consts, params, buffers).of_batch(capacity, 1, capacity.seqs)
    }
}

/// Formats whose values have a bound here. (No GPU writes q8, and `crates/kernels/tests/encoder.rs` has it of the CPU's levels.)
pub(crate) fn formats(side: &Side<'_>, k: usize) -> impl Iterator<Item = ActFormat> {
    side.formats(k).into_iter().filter(|f| *f != ActFormat::Q8)
}

/// Values of all rows of a table; those after the active ones are poison.
pub(crate) fn rows_of(rng: &mut Random, rows: usize, max_rows: usize, n: usize) -> Vec<f32> {
    let mut x = rng.normals(rows * n);
    x.resize(max_rows * n, f32::from_bits(u32::MAX));
    x
}

/// Compares rows of `k` stored values with a bound for each, in the values' own unit.
pub(crate) fn close_as(
    format: ActFormat,
    k: usize,
    name: &str,
    want: &[u8],
    got: &[u8],
    bound: &[f32],
) -> Result<(), String> {
    let unit = unit_of(format);
    let stride = row_len(format, k);
    // Rows after the active ones have no bound: they must keep their poison, which the comparison sees to.
    close_rows(name, (format, k), want, got, |i, w| {
        let b = bound.get(i / stride * k + i % stride).filter(|_| i % stride < k);
        b.map_or(0.0, |b| b * unit + step_size(format, w))
    })
}

/// The same for values that lie without gaps.
pub(crate) fn plain(name: &str, want: &[u8], got: &[u8], bound: &[f32]) -> Result<(), String> {
    close(name, ActFormat::F32, want, got, |i, _| bound.get(i).copied().unwrap_or(0.0))
}

/// How far two layer norms of these sums may be apart: the mean and the differences by roundings of the largest value, the variance by
/// as much, relatively.
fn norm_bounds(sums: &[f32], d: usize, weight: &[f32], bias: &[f32]) -> Vec<f32> {
    let steps = 2.0 * (d as f32 / 16.0 + 16.0) * U;
    let mut bounds = Vec::with_capacity(sums.len());
    for row in sums.chunks_exact(d) {
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / d as f64;
        let variance = row.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / d as f64;
        let inverse = (1.0 / (variance + 1e-5).sqrt()) as f32;
        let size = row.iter().fold(0f32, |m, v| m.max(v.abs())) + mean.abs() as f32;
        for i in 0..d {
            let y = (row[i] - mean as f32) * inverse * weight[i];
            let off = steps * size * inverse;
            bounds.push(off * weight[i].abs() + y.abs() * (2.0 * off + steps) + 8.0 * U * bias[i].abs());
        }
    }
    bounds
}

fn layer_norm_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(71);
        let mut cases = Vec::new();
        for d in [1usize, 33, 96, 384, 1024, 4096, 5000] {
            for format in formats(side, d) {
                for (i, (rows, max_rows)) in ROWS.into_iter().enumerate() {
                    let mut x = rows_of(&mut rng, rows, max_rows, d);
                    let [w, b, plus] = [0; 3].map(|_| rng.normals(d));
                    // One large row with a mean far from zero.
                    x.iter_mut().take(d.min(rows * d)).for_each(|v| *v = *v * 30.0 + 7.0);
                    let residual = rows_of(&mut rng, rows, max_rows, d);
                    // What goes on is the sum, or the norm.
                    let stream = (i / 2 % 2) as u32;
                    let consts = words(&LayerNormConsts {
                        d: d as u32,
                        act: format as u32,
                        stream,
                        select: 0,
                        max_rows: max_rows as u32,
                    });
                    let outs = [poison(max_rows * d * 4), poison(max_rows * format.row_bytes(d))];
                    let step = plain_step(rows, 0, max_rows);
                    let what = format!("{d} {} rows {rows} of {max_rows}", format.name());
                    let added = i % 2 == 1;
                    let (kernel, mut buffers, sums) = if added {
                        let sum = |i: usize| residual[i] + (x[i] + plus[i % d]);
                        let sums: Vec<f32> = (0..rows * d).map(sum).collect();
                        let v = [&x, &plus, &w, &b, &residual].map(|v| bytes(v));
                        (&layer_norm_add::KERNEL, v.to_vec(), sums)
                    } else {
                        (&layer_norm::KERNEL, [&x, &w, &b].map(|v| bytes(v)).to_vec(), x[..rows * d].to_vec())
                    };
                    buffers.insert(0, step);
                    let at = buffers.len();
                    buffers.extend(outs);
                    let bound = norm_bounds(&sums, d, &w, &b);
                    let check: Check = Box::new(move |want, got| {
                        // Three terms are added in one order.
                        let rounded: Vec<f32> = sums.iter().map(|v| 8.0 * U * v.abs().max(1.0)).collect();
                        plain("out", &want[at], &got[at], if stream == 1 { &rounded } else { &bound })?;
                        close_as(format, d, "act_out", &want[at + 1], &got[at + 1], &bound)
                    });
                    let command = OneCommand::new(kernel, &consts, &[1e-5], buffers);
                    cases.push(case(format!("{} {what}", kernel.name), command, check));
                }
            }
        }
        cases
    });
}

fn add_positions_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(72);
        let mut cases = Vec::new();
        for (i, d) in [1usize, 37, 384, 1024].into_iter().enumerate() {
            for lengths in LENGTHS {
                let mut whole = Whole::new(lengths, &mut rng);
                // Second segments from the start, the middle and after the end on, and none.
                let seconds = [1, 0, 2, 1000, 17].into_iter().cycle();
                whole.block.seqs.iter_mut().zip(seconds).for_each(|(s, at)| s.limit = at);
                let segments = 1 + i % 3 % 2;
                // (Of the longest, the last positions have no row in the table: they take its last.)
                let (first, positions) = ([0u32, 2][i % 2], 190usize);
                let consts = words(&AddPositionsConsts {
                    d: d as u32,
                    positions: positions as u32,
                    first,
                    segments: segments as u32,
                    max_rows: whole.max_rows as u32,
                });
                let x = rows_of(&mut rng, whole.rows, whole.max_rows, d);
                let table = rng.normals(positions * d);
                let buffers =
                    vec![whole.bytes(), bytes(&table), bytes(&rng.normals(segments * d)), bytes(&x)];
                // Two additions in one order.
                let check: Check = Box::new(|want, got| same("x", &want[3], &got[3]));
                let command = whole.command(&add_positions::KERNEL, &consts, &[], buffers);
                cases.push(case(format!("add_positions {d} from {first}: {lengths:?}"), command, check));
            }
        }
        cases
    });
}

fn activate_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(73);
        let mut cases = Vec::new();
        for f in [1usize, 32, 300, 1536, 4096] {
            for (activation, format) in (0..4u32).flat_map(|a| formats(side, f).map(move |f| (a, f))) {
                for (rows, max_rows) in ROWS {
                    let mut x = rows_of(&mut rng, rows, max_rows, f);
                    x[..rows * f].iter_mut().for_each(|v| *v *= 3.0);
                    let bias = rng.normals(f);
                    let consts = words(&ActivateConsts {
                        f: f as u32,
                        activation,
                        act: format as u32,
                        max_rows: max_rows as u32,
                    });
                    // Each function within a few units of its last place, where 1 + erf and 1 + tanh may cancel.
                    let bound: Vec<f32> = (0..rows * f)
                        .map(|i| {
                            let v = (x[i] + bias[i % f]).abs();
                            5e-7 * v + 128.0 * U * v * (1.0 + v)
                        })
                        .collect();
                    let out = poison(max_rows * format.row_bytes(f));
                    let buffers = vec![plain_step(rows, 0, max_rows), bytes(&x), bytes(&bias), out];
                    let check: Check =
                        Box::new(move |want, got| close_as(format, f, "out", &want[3], &got[3], &bound));
                    let what =
                        format!("activate {activation} {f} {} rows {rows} of {max_rows}", format.name());
                    cases.push(case(what, OneCommand::new(&activate::KERNEL, &consts, &[], buffers), check));
                }
            }
        }
        cases
    });
}

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

/// How far two results of an attention may be apart, for each value. On matrix units all factors of products are rounded to f16, and a
/// weight may be too small for it.
fn attention_bounds(
    units: bool,
    qkv: &[f32],
    lengths: &[usize],
    heads: usize,
    hd: usize,
    scale: f32,
    near: &Near,
) -> Vec<f32> {
    let width = heads * hd;
    let mut bounds = Vec::new();
    let mut first = 0;
    for len in lengths {
        for r in first..first + len {
            for head in 0..heads {
                let at = |row: usize, which: usize| &qkv[(row * 3 + which) * width + head * hd..][..hd];
                let terms = |j: usize| at(r, 0).iter().zip(at(j, 1)).map(|(a, b)| f64::from(a * b * scale));
                let all = first..first + len;
                let scores: Vec<f64> =
                    all.clone().map(|j| terms(j).sum::<f64>() + near.added(j, r, head)).collect();
                let size = all.clone().map(|j| terms(j).map(f64::abs).sum::<f64>()).fold(0.0, f64::max);
                let most = scores.iter().copied().fold(f64::MIN, f64::max);
                let sum: f64 = scores.iter().map(|s| (s - most).exp()).sum();
                let u = f64::from(U);
                let (rounded, lost) =
                    if units { (2f64.powi(-10), 2f64.powi(-24) * *len as f64) } else { (0.0, 0.0) };
                let score_off = ((hd as f64 + 8.0) * u + rounded) * size + 8.0 * u * most.abs() + 32.0 * u;
                for d in 0..hd {
                    let part =
                        |j: usize| (scores[j - first] - most).exp() / sum * f64::from(at(j, 2)[d].abs());
                    let value: f64 = all.clone().map(part).sum();
                    let largest = all.clone().map(|j| f64::from(at(j, 2)[d].abs())).fold(0.0, f64::max);
                    let off = 2.0 * score_off + rounded + (2.0 * *len as f64 + 32.0) * u;
                    bounds.push((2.0 * value * off + lost * largest) as f32);
                }
            }
        }
        first += len;
    }
    bounds
}

/// (window, reach) of attentions: none, of windows within a block and over several, of biases, of both.
const NEAR: [(u32, u32); 6] = [(0, 0), (5, 0), (70, 0), (0, 3), (0, 128), (20, 128)];

fn full_attention_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(74);
        let mut cases = Vec::new();
        for (heads, hd) in [(1usize, 32usize), (3, 64), (2, 7), (1, 256), (2, 80), (2, 144), (1, 128)] {
            for (i, lengths) in LENGTHS.into_iter().enumerate() {
                let format = {
                    let formats: Vec<_> = formats(side, hd).collect();
                    formats[i % formats.len()]
                };
                let whole = Whole::new(lengths, &mut rng);
                let width = heads * hd;
                let qkv = rows_of(&mut rng, whole.rows, whole.max_rows, 3 * width);
                let scale = 1.0 / (hd as f32).sqrt();
                let (window, reach) = NEAR[(i + heads) % NEAR.len()];
                let near = Near::new(window, reach, heads, &mut rng);
                let units = side.cuda() && hd.is_multiple_of(16);
                let bound = attention_bounds(units, &qkv, lengths, heads, hd, scale, &near);
                let consts = words(&FullAttentionConsts {
                    heads: heads as u32,
                    head_dim: hd as u32,
                    window,
                    reach,
                    buckets: BUCKETS as u32,
                    act: format as u32,
                    max_rows: whole.max_rows as u32,
                });
                let out = poison(whole.max_rows * format.row_bytes(width));
                let check: Check =
                    Box::new(move |want, got| close_as(format, width, "out", &want[4], &got[4], &bound));
                let places = near.places.iter().flat_map(|p| p.to_le_bytes()).collect();
                let buffers = vec![whole.bytes(), bytes(&qkv), places, bytes(&near.biases), out];
                let command = whole.command(&full_attention::KERNEL, &consts, &[scale], buffers);
                let what = format!(
                    "full_attention {heads}x{hd} {} window {window} reach {reach}: {lengths:?}",
                    format.name()
                );
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

/// Two products and a sum of them, fused or not.
fn rope_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(76);
        let mut cases = Vec::new();
        for (heads, kv_heads, hd, pairs, pairing) in
            [(1usize, 1usize, 2usize, 1usize, 0u32), (3, 1, 16, 5, 1), (12, 12, 64, 32, 1), (2, 2, 80, 40, 0)]
        {
            for lengths in LENGTHS {
                let whole = Whole::new(lengths, &mut rng);
                let width = (heads + 2 * kv_heads) * hd;
                let qkv = rows_of(&mut rng, whole.rows, whole.max_rows, width);
                let angles = rows_of(&mut rng, whole.rows, whole.max_rows, pairs);
                let angles: Vec<f32> = angles.iter().flat_map(|a| [a.cos(), a.sin()]).collect();
                let consts = words(&RopeConsts {
                    heads: heads as u32,
                    kv_heads: kv_heads as u32,
                    head_dim: hd as u32,
                    pairs: pairs as u32,
                    pairing,
                    max_rows: whole.max_rows as u32,
                });
                let size = qkv[..whole.rows * width].iter().fold(0f32, |m, v| m.max(v.abs()));
                let bound = vec![8.0 * U * size; whole.rows * width];
                let check: Check = Box::new(move |want, got| plain("qkv", &want[2], &got[2], &bound));
                let buffers = vec![whole.bytes(), bytes(&angles), bytes(&qkv)];
                let command = whole.command(&rope::KERNEL, &consts, &[], buffers);
                let what = format!("rope {heads}+{kv_heads}x{hd}, {pairs} pairs {pairing}: {lengths:?}");
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

/// Gates by the error function.
fn gelu_gates_agree(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(77);
        let mut cases = Vec::new();
        for f in [1usize, 33, 96, 1536] {
            for format in formats(side, f) {
                for (rows, max_rows) in ROWS {
                    let mut x = rows_of(&mut rng, rows, max_rows, 2 * f);
                    x[..rows * 2 * f].iter_mut().for_each(|v| *v *= 3.0);
                    let consts = words(&GluConsts {
                        f: f as u32,
                        activation: 2,
                        act: format as u32,
                        per_row: 1,
                        max_rows: max_rows as u32,
                    });
                    let bound: Vec<f32> = (0..rows * f)
                        .map(|i| {
                            let (g, up) =
                                (x[i / f * 2 * f + i % f].abs(), x[i / f * 2 * f + f + i % f].abs());
                            up * (5e-7 * g + 128.0 * U * g * (1.0 + g))
                        })
                        .collect();
                    let out = poison(max_rows * format.row_bytes(f));
                    let buffers = vec![plain_step(rows, 0, max_rows), bytes(&x), out];
                    let check: Check =
                        Box::new(move |want, got| close_as(format, f, "out", &want[2], &got[2], &bound));
                    let what = format!("glu 2 {f} {} rows {rows} of {max_rows}", format.name());
                    cases.push(case(what, OneCommand::new(&glu::KERNEL, &consts, &[], buffers), check));
                }
            }
        }
        cases
    });
}

fn pooling_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(75);
        let mut cases = Vec::new();
        for d in [1usize, 37, 384, 1024] {
            for (lengths, pooling) in LENGTHS.into_iter().flat_map(|l| [(l, 0u32), (l, 1), (l, 2)]) {
                for normalize in [0u32, 1] {
                    let whole = Whole::new(lengths, &mut rng);
                    let x = rows_of(&mut rng, whole.rows, whole.max_rows, d);
                    let max_heads = whole.block.capacity.heads;
                    let consts = words(&PoolingConsts { d: d as u32, pooling, normalize, max_heads });
                    let mut bound = Vec::new();
                    let mut first = 0;
                    for len in lengths {
                        let used = [first..first + len, first..first + 1, first + len - 1..first + len]
                            [pooling as usize]
                            .clone();
                        let n = used.len() as f32;
                        let mean = |c: usize| used.clone().map(|r| x[r * d + c]).sum::<f32>() / n;
                        let size = |c: usize| used.clone().map(|r| x[r * d + c].abs()).sum::<f32>() / n;
                        let length = (0..d).map(|c| mean(c).powi(2)).sum::<f32>().sqrt().max(1e-12);
                        let by = if normalize == 1 { length } else { 1.0 };
                        // The sums in two orders; the length is off by its own roundings and by those of what it is made of.
                        let of_sums = |c: usize| 2.0 * (n + 8.0) * U * size(c) / by;
                        let worst = (0..d).map(of_sums).fold(0.0, f32::max);
                        let share = |c: usize| mean(c).abs() / by;
                        let of_length = 2.0 * (d as f32 / 16.0 + 16.0) * U + worst * (d as f32).sqrt();
                        bound.extend((0..d).map(|c| of_sums(c) + share(c) * of_length));
                        first += len;
                    }
                    let out = poison(max_heads as usize * d * 4);
                    let check: Check = Box::new(move |want, got| plain("out", &want[2], &got[2], &bound));
                    let buffers = vec![whole.bytes(), bytes(&x), out];
                    let command = whole.command(&pooling::KERNEL, &consts, &[], buffers);
                    let what = format!("pooling {pooling} normalize {normalize} {d}: {lengths:?}");
                    cases.push(case(what, command, check));
                }
            }
        }
        cases
    });
}
