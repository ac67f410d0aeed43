//! The kernels of an encoder of audio and of the decoder that reads it.

use super::encoders::{LENGTHS, Whole, close_as, formats, plain, rows_of};
use super::*;
use crate::harness::Random;
use akunu::kernels::activate_positions::{self, ActivatePositionsConsts};
use akunu::kernels::cross_attention::{self, CrossAttentionConsts};
use akunu::kernels::cross_kv::{self, CrossKvConsts};
use akunu::kernels::cross_scores::{self, CrossScoresConsts};
use akunu::kernels::kv::KvFormat;
use akunu::kernels::unfold::{self, UnfoldConsts};

/// The kernels with cases in this file.
pub(crate) const KERNELS: &[&str] =
    &["unfold", "activate_positions", "cross_kv", "cross_attention", "cross_scores"];

/// (heads, head width, positions, sources)
const SHAPES: [(usize, usize, usize, usize); 6] =
    [(6, 64, 1500, 1), (2, 32, 33, 3), (1, 16, 1, 2), (3, 7, 20, 2), (2, 80, 100, 1), (1, 256, 64, 1)];

on_each_device_and_vulkan!(
    unfold_agrees,
    activate_positions_agrees,
    cross_kv_agrees,
    cross_attention_agrees,
    cross_scores_agrees
);

fn unfold_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(81);
        let mut cases = Vec::new();
        for (channels, taps, stride, lead, gap) in [
            (80usize, 3usize, 2usize, 1usize, 0usize),
            (128, 3, 2, 0, 0),
            (33, 3, 1, 1, 7),
            (384, 3, 2, 1, 16),
            (1, 1, 1, 0, 0),
        ] {
            for (i, lengths) in LENGTHS.into_iter().enumerate() {
                let formats: Vec<_> = formats(side, channels * taps).collect();
                let format = formats[i % formats.len()];
                let whole = Whole::new(lengths, &mut rng);
                let x_stride = channels * stride + gap;
                let x = rows_of(&mut rng, whole.rows, whole.max_rows, x_stride);
                let consts = words(&UnfoldConsts {
                    channels: channels as u32,
                    taps: taps as u32,
                    stride: stride as u32,
                    lead: lead as u32,
                    x_stride: x_stride as u32,
                    act: format as u32,
                    max_rows: whole.max_rows as u32,
                });
                let out = poison(whole.max_rows * format.row_bytes(channels * taps));
                // Nothing is computed, so all formats round alike, but for what a device makes of a quotient.
                let k = channels * taps;
                let check: Check =
                    Box::new(move |want, got| close_rows("out", (format, k), &want[2], &got[2], |_, _| 0.0));
                let buffers = vec![whole.bytes(), bytes(&x), out];
                let what = format!(
                    "unfold {channels}x{taps} by {stride} from -{lead} {}: {lengths:?}",
                    format.name()
                );
                cases.push(case(what, whole.command(&unfold::KERNEL, &consts, &[], buffers), check));
            }
        }
        cases
    });
}

fn activate_positions_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(82);
        let mut cases = Vec::new();
        for (d, activation) in
            [1usize, 37, 384, 1280].into_iter().flat_map(|d| (0..4u32).map(move |a| (d, a)))
        {
            for lengths in LENGTHS {
                let whole = Whole::new(lengths, &mut rng);
                let mut x = rows_of(&mut rng, whole.rows, whole.max_rows, d);
                x[..whole.rows * d].iter_mut().for_each(|v| *v *= 3.0);
                let (bias, positions) = (rng.normals(d), 190usize);
                let table = rng.normals(positions * d);
                let consts = words(&ActivatePositionsConsts {
                    d: d as u32,
                    activation,
                    positions: positions as u32,
                    max_rows: whole.max_rows as u32,
                });
                let bound: Vec<f32> = (0..whole.rows * d)
                    .map(|i| {
                        let v = (x[i] + bias[i % d]).abs();
                        let at = whole.block.rows[i / d].pos.index().min(positions - 1);
                        let sum = v + table[at * d + i % d].abs();
                        5e-7 * v + 128.0 * U * v * (1.0 + v) + 4.0 * U * sum
                    })
                    .collect();
                let out = poison(whole.max_rows * d * 4);
                let check: Check = Box::new(move |want, got| plain("out", &want[4], &got[4], &bound));
                let buffers = vec![whole.bytes(), bytes(&x), bytes(&bias), bytes(&table), out];
                let command = whole.command(&activate_positions::KERNEL, &consts, &[], buffers);
                cases.push(case(format!("activate_positions {activation} {d}: {lengths:?}"), command, check));
            }
        }
        cases
    });
}

fn cross_kv_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(83);
        let mut cases = Vec::new();
        for (shape, format) in SHAPES.into_iter().flat_map(|s| [(s, KvFormat::F16), (s, KvFormat::F32)]) {
            let (heads, hd, positions, sources) = shape;
            // (Some positions and sources are outside.)
            for lengths in [&[positions.min(200)][..], &[3, 1, 40]] {
                let whole = Whole::new(lengths, &mut rng);
                let width = heads * hd;
                let kv = rows_of(&mut rng, whole.rows, whole.max_rows, 2 * width);
                let bias = rng.normals(2 * width);
                let consts = words(&CrossKvConsts {
                    heads: heads as u32,
                    head_dim: hd as u32,
                    positions: positions as u32,
                    sources: sources as u32,
                    format: format as u32,
                    max_rows: whole.max_rows as u32,
                });
                let size = cross_kv::bytes(heads as u32, hd as u32, positions as u32, sources as u32, format);
                let outs = [(); 2].map(|()| poison(size as usize));
                let mut buffers = vec![whole.bytes(), bytes(&kv), bytes(&bias)];
                buffers.extend(outs);
                // One addition, and one rounding to nearest.
                let check: Check = Box::new(|want, got| {
                    same("keys", &want[3], &got[3])?;
                    same("values", &want[4], &got[4])
                });
                let command = whole.command(&cross_kv::KERNEL, &consts, &[], buffers);
                cases.push(case(
                    format!("cross_kv {shape:?} {}: {lengths:?}", format.name()),
                    command,
                    check,
                ));
            }
        }
        cases
    });
}

/// Keys or values in a format, with poison where nothing is written; and what they read as.
fn kept(rng: &mut Random, n: usize, format: KvFormat, used: impl Fn(usize) -> bool) -> (Vec<u8>, Vec<f32>) {
    let values: Vec<f32> = rng.normals(n).into_iter().map(|v| f16::from_f32(v).to_f32()).collect();
    let stored = (0..n).flat_map(|i| match (used(i), format) {
        (false, KvFormat::F32) => vec![POISON; 4],
        (false, _) => vec![POISON; 2],
        (true, KvFormat::F32) => values[i].to_le_bytes().to_vec(),
        (true, _) => f16::from_f32(values[i]).to_le_bytes().to_vec(),
    });
    (stored.collect(), values)
}

fn cross_attention_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(84);
        let mut cases = Vec::new();
        for (i, shape) in SHAPES.into_iter().enumerate() {
            let (heads, hd, positions, sources) = shape;
            let (width, columns) = (heads * hd, positions.next_multiple_of(cross_kv::COLUMNS as usize));
            for (kv, lengths) in
                [(KvFormat::F16, &[1usize][..]), (KvFormat::F16, &[3, 1, 4]), (KvFormat::F32, &[2, 1])]
            {
                let formats: Vec<_> = formats(side, hd).collect();
                let format = formats[(i + lengths.len()) % formats.len()];
                let whole = Whole::new(lengths, &mut rng);
                let seqs = whole.block.capacity.seqs;
                let reads: Vec<u32> = (0..seqs).map(|s| s * 7 % (sources as u32 + 1)).collect();
                let q = rows_of(&mut rng, whole.rows, whole.max_rows, width);
                let n = sources * heads * hd * columns;
                let (keys, k) = kept(&mut rng, n, kv, |i| i % columns < positions);
                let (values, v) = kept(&mut rng, n, kv, |i| i / hd % columns < positions);
                let scale = 1.0 / (hd as f32).sqrt();
                let mut bound = Vec::new();
                for (r, head) in (0..whole.rows).flat_map(|r| (0..heads).map(move |h| (r, h))) {
                    let source = (reads[whole.block.rows[r].seq.index()] as usize).min(sources - 1);
                    let at = (source * heads + head) * hd * columns;
                    let q = &q[r * width + head * hd..][..hd];
                    let k = &k;
                    let terms =
                        |j: usize| (0..hd).map(move |d| f64::from(q[d] * k[at + d * columns + j] * scale));
                    let scores: Vec<f64> = (0..positions).map(|j| terms(j).sum()).collect();
                    let size =
                        (0..positions).map(|j| terms(j).map(f64::abs).sum::<f64>()).fold(0.0, f64::max);
                    let most = scores.iter().copied().fold(f64::MIN, f64::max);
                    let sum: f64 = scores.iter().map(|s| (s - most).exp()).sum();
                    let u = f64::from(U);
                    let off = (hd as f64 + 8.0) * u * size + 8.0 * u * most.abs();
                    for d in 0..hd {
                        let part =
                            |j: usize| (scores[j] - most).exp() / sum * f64::from(v[at + j * hd + d].abs());
                        let value: f64 = (0..positions).map(part).sum();
                        bound.push((2.0 * value * (2.0 * off + (2.0 * positions as f64 + 32.0) * u)) as f32);
                    }
                }
                let consts = words(&CrossAttentionConsts {
                    heads: heads as u32,
                    head_dim: hd as u32,
                    positions: positions as u32,
                    sources: sources as u32,
                    format: kv as u32,
                    act: format as u32,
                    max_rows: whole.max_rows as u32,
                });
                let out = poison(whole.max_rows * format.row_bytes(width));
                let check: Check =
                    Box::new(move |want, got| close_as(format, width, "out", &want[5], &got[5], &bound));
                let buffers = vec![whole.bytes(), bytes(&q), bytes(&reads), keys, values, out];
                let command = whole.command(&cross_attention::KERNEL, &consts, &[scale], buffers);
                let what = format!("cross_attention {shape:?} {} {}: {lengths:?}", kv.name(), format.name());
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

fn cross_scores_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(85);
        let mut cases = Vec::new();
        for shape in SHAPES {
            let (heads, hd, positions, sources) = shape;
            let (width, columns) = (heads * hd, positions.next_multiple_of(cross_kv::COLUMNS as usize));
            for (kv, lengths, head) in [
                (KvFormat::F16, &[1usize][..], heads - 1),
                (KvFormat::F16, &[3, 1, 4], heads),
                (KvFormat::F32, &[2, 1], 0),
            ] {
                let whole = Whole::new(lengths, &mut rng);
                let seqs = whole.block.capacity.seqs;
                let reads: Vec<u32> = (0..seqs).map(|s| s * 7 % (sources as u32 + 1)).collect();
                let q = rows_of(&mut rng, whole.rows, whole.max_rows, width);
                let (keys, k) =
                    kept(&mut rng, sources * heads * hd * columns, kv, |i| i % columns < positions);
                let scale = 1.0 / (hd as f32).sqrt();
                let mut bound = Vec::new();
                for r in 0..whole.rows {
                    let source = (reads[whole.block.rows[r].seq.index()] as usize).min(sources - 1);
                    let head = head.min(heads - 1);
                    let at = (source * heads + head) * hd * columns;
                    let q = &q[r * width + head * hd..][..hd];
                    bound.extend((0..positions).map(|j| {
                        let size: f32 = (0..hd).map(|d| (q[d] * k[at + d * columns + j] * scale).abs()).sum();
                        2.0 * (hd as f32 + 8.0) * U * size
                    }));
                }
                let consts = words(&CrossScoresConsts {
                    heads: heads as u32,
                    head_dim: hd as u32,
                    positions: positions as u32,
                    sources: sources as u32,
                    format: kv as u32,
                    max_rows: whole.max_rows as u32,
                });
                let out = poison(whole.max_rows * positions * 4);
                let check: Check = Box::new(move |want, got| plain("out", &want[4], &got[4], &bound));
                let buffers = vec![whole.bytes(), bytes(&q), bytes(&reads), keys, out];
                // (Parameters are words; this one is a number of a head.)
                let params = [scale, f32::from_bits(head as u32)];
                let command = whole.command(&cross_scores::KERNEL, &consts, &params, buffers);
                let what = format!("cross_scores {shape:?} {} of {head}: {lengths:?}", kv.name());
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}
