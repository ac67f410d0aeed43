//! The small operations.

use super::*;
use crate::harness::{Random, packed, plain_rows, random_weights};
use akunu::kernels::advance::AdvanceConsts;
use akunu::kernels::dtype::DTYPES;
use akunu::kernels::embed::EmbedConsts;
use akunu::kernels::glu::GluConsts;
use akunu::kernels::kv_shift::KvShiftConsts;
use akunu::kernels::logits_max::{LogitsConsts, Pick, chunks};
use akunu::kernels::quantize::QuantizeConsts;
use akunu::kernels::rms_norm::RmsNormConsts;
use akunu::kernels::rope_angles::RopeAnglesConsts;
use akunu::kernels::{advance, embed, glu, kv_shift, logits_max, quantize, rms_norm, rope_angles, sample};
use akunu_kernels::step::{MAX_EOS, NO_TOKEN, Position, SeqIndex, Token};

/// The kernels with cases in this file.
pub(crate) const KERNELS: &[&str] =
    &["embed", "rope_angles", "rms_norm", "glu", "quantize", "logits_max", "sample", "advance", "kv_shift"];

/// (active rows, rows of the table)
const ROWS: [(usize, usize); 6] = [(0, 1), (1, 1), (1, 8), (7, 8), (8, 8), (37, 40)];

on_each_device_and_vulkan!(
    embed_gathers_rows,
    rope_angles_are_accurate_at_any_position,
    rms_norm_agrees,
    glu_agrees,
    logits_max_finds_the_first_best,
    sample_draws_alike,
    advance_leaves_the_same_step_block,
    quantize_rounds_alike,
    kv_shift_moves_and_turns_back,
);

fn embed_gathers_rows(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(1);
        let mut cases = Vec::new();
        for info in DTYPES {
            let dt = info.dtype;
            // The affine formats are one family: two widths each.
            let widths: &[usize] =
                if dt.affine().is_some() { &[640, 4096] } else { &[8, 32, 256, 576, 2048, 4096, 5120] };
            for d in widths.iter().copied() {
                let Some(layout) = side.layout(dt, d).filter(|_| d.is_multiple_of(info.block as usize))
                else {
                    continue;
                };
                let (vocab, max_seq) = (33usize, 64usize);
                let native = random_weights(dt, vocab, d, &mut rng);
                let w = packed(dt, layout, &native, vocab, d).bytes().to_vec();
                for (i, (rows, max_rows)) in ROWS.into_iter().enumerate() {
                    let places: Vec<Row> = (0..rows)
                        .map(|r| Row { seq: SeqIndex(0), pos: Position((r * 7 % 50) as u32) })
                        .collect();
                    let mut belt: Vec<u32> = (0..max_seq).map(|_| rng.word() as u32 % vocab as u32).collect();
                    // The last row, and an id that no vocabulary has.
                    (belt[0], belt[7]) = (vocab as u32 - 1, u32::MAX);
                    let consts = words(&EmbedConsts {
                        dtype: dt as u32,
                        layout: layout as u32,
                        d: d as u32,
                        vocab: vocab as u32,
                        max_seq: max_seq as u32,
                        max_rows: max_rows as u32,
                    });
                    let step = step_of(&places, 0, max_rows, Seq::default());
                    let buffers = vec![step, bytes(&belt), w.clone(), poison(max_rows * d * 4)];
                    let scale = [1.0, 22.627_417][i % 2];
                    let command = OneCommand::new(&embed::KERNEL, &consts, &[scale], buffers);
                    // The same operations in the same order, so the same bits.
                    let check: Check =
                        Box::new(|want, got| close("h", ActFormat::F32, &want[3], &got[3], |_, _| 0.0));
                    cases.push(case(format!("embed {dt} {d} rows {rows} of {max_rows}"), command, check));
                }
            }
        }
        cases
    });
}

fn rope_angles_are_accurate_at_any_position(on: On) {
    run_cases(on, |_| {
        let mut cases = Vec::new();
        for pairs in [1usize, 16, 32, 48, 64, 128, 300] {
            for (rows, max_rows) in ROWS {
                let positions = [0, 1, 2, 255, 4095, 131_071, 999_999, 1_000_000];
                let places: Vec<Row> = (0..rows)
                    .map(|r| Row { seq: SeqIndex(0), pos: Position(positions[(r + pairs) % 8]) })
                    .collect();
                let frequencies: Vec<f32> =
                    (0..pairs).map(|i| 10_000f32.powf(-(i as f32) / pairs as f32)).collect();
                let consts = words(&RopeAnglesConsts { pairs: pairs as u32, max_rows: max_rows as u32 });
                let step = step_of(&places, 0, max_rows, Seq::default());
                let buffers = vec![step, bytes(&frequencies), poison(max_rows * pairs * 8)];
                // Both sides are within 2 units in the last place of values up to 1.
                let check: Check =
                    Box::new(|want, got| close("angles", ActFormat::F32, &want[2], &got[2], |_, _| 8.0 * U));
                let command = OneCommand::new(&rope_angles::KERNEL, &consts, &[1.0], buffers);
                cases.push(case(format!("rope_angles {pairs} rows {rows} of {max_rows}"), command, check));
            }
        }
        cases
    });
}

fn rms_norm_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(3);
        let mut cases = Vec::new();
        for d in [1usize, 33, 256, 576, 1000, 2048, 4096, 5120, 8192, 16384] {
            for format in side.formats(d) {
                for (rows, max_rows, head) in [
                    (1, 1, None),
                    (7, 8, None),
                    (0, 8, None),
                    (37, 40, None),
                    (9, 4, Some(4)),
                    (8, 8, Some(0)),
                    (5, 8, Some(5)),
                ] {
                    let mut x = rng.normals(rows * d);
                    // One large row, one where eps decides.
                    x.iter_mut().take(d).for_each(|v| *v *= 1e3);
                    x.iter_mut().skip(2 * d).take(d).for_each(|v| *v *= 1e-5);
                    let select = u32::from(head.is_some());
                    let consts = words(&RmsNormConsts {
                        d: d as u32,
                        act: format as u32,
                        select,
                        max_rows: max_rows as u32,
                    });
                    let buffers = vec![
                        plain_step(rows, head.unwrap_or(0), max_rows),
                        bytes(&x),
                        bytes(&rng.normals(d)),
                        poison(max_rows * format.row_bytes(d)),
                    ];
                    let check: Check = Box::new(move |want, got| {
                        if format == ActFormat::Q8 {
                            return same("out", &want[3], &got[3]);
                        }
                        // The sum of squares in two orders, then eight roundings on each side.
                        let relative = (d as f32 / 16.0 + 64.0) * U;
                        let bound = |_: usize, w: f32| w.abs() * relative + step_size(format, w);
                        close_rows("out", (format, d), &want[3], &got[3], bound)
                    });
                    let what =
                        format!("rms_norm {d} {} rows {rows} of {max_rows} head {head:?}", format.name());
                    cases.push(case(
                        what,
                        OneCommand::new(&rms_norm::KERNEL, &consts, &[1e-5], buffers),
                        check,
                    ));
                }
            }
        }
        cases
    });
}

/// How far two evaluations of the gated product may be apart, from its inputs.
pub(crate) fn gate_bound(activation: u32, g: f32, up: f32, want: f32) -> f32 {
    // 1 + tanh z cancels for negative z: each rounds at the size of 1.
    let (relative, absolute) = match activation {
        0 => (16.0 * U, 0.0),
        _ => {
            let z = (0.8 * (g + 0.045 * g * g * g)).abs().min(100.0);
            ((24.0 * z + 20.0) * U, 4.0 * U * (g * up).abs())
        }
    };
    // Beyond e^88 a level may clamp.
    want.abs() * relative + absolute + (g * up).abs() * 1.2e-38 + 1e-37
}

fn glu_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(5);
        let mut cases = Vec::new();
        for f in [1usize, 33, 96, 1536, 4100, 14336] {
            for format in side.formats(f).into_iter().filter(|f| *f != ActFormat::Q8) {
                for (i, (rows, max_rows)) in ROWS.into_iter().enumerate() {
                    let activation = i as u32 % 2;
                    let mut x = rng.normals(rows * 2 * f);
                    x.iter_mut().enumerate().for_each(|(i, v)| *v *= [1.0, 1.0, 5.0, 30.0][i % 4]);
                    let consts = words(&GluConsts {
                        f: f as u32,
                        activation,
                        act: format as u32,
                        per_row: 1,
                        max_rows: max_rows as u32,
                    });
                    let rb = format.row_bytes(f);
                    let buffers = vec![plain_step(rows, 0, max_rows), bytes(&x), poison(max_rows * rb)];
                    let check: Check = Box::new(move |want, got| {
                        let row = row_len(format, f);
                        close_rows("out", (format, f), &want[2], &got[2], |i, w| {
                            let (r, j) = (i / row, i % row);
                            let (g, up) = (x[r * 2 * f + j], x[r * 2 * f + f + j]);
                            let unit = unit_of(format);
                            gate_bound(activation, g, up, w / unit) * unit + step_size(format, w)
                        })
                    });
                    let what = format!(
                        "glu {f} {} activation {activation} rows {rows} of {max_rows}",
                        format.name()
                    );
                    cases.push(case(what, OneCommand::new(&glu::KERNEL, &consts, &[], buffers), check));
                }
            }
        }
        cases
    });
}

fn quantize_rounds_alike(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(6);
        let mut cases = Vec::new();
        for k in [1usize, 33, 64, 1000, 4096] {
            for format in side.formats(k) {
                for (rows, max_rows) in ROWS {
                    let mut x = rng.normals(rows * k);
                    // Beyond what f16 holds, and below its smallest step.
                    x.iter_mut().step_by(17).for_each(|v| *v *= 3e6);
                    x.iter_mut().step_by(19).for_each(|v| *v *= 1e-7);
                    // As an activation row, or as it comes.
                    let plain = max_rows == 8;
                    let x_stride = if plain { k } else { ActFormat::F32.row_bytes(k) / 4 };
                    let consts = words(&QuantizeConsts {
                        k: k as u32,
                        x_stride: x_stride as u32,
                        act: format as u32,
                        max_rows: max_rows as u32,
                    });
                    let buffers = vec![
                        plain_step(rows, 0, max_rows),
                        if plain { bytes(&x) } else { stored(ActFormat::F32, &x, k) },
                        poison(max_rows * format.row_bytes(k)),
                    ];
                    let check: Check = Box::new(move |want, got| match format {
                        // A device's own quotient may be off by a few units.
                        ActFormat::Q16Aligned => {
                            close_rows("out", (format, k), &want[2], &got[2], |_, w| w.abs() * 4.0 * U)
                        }
                        _ => same("out", &want[2], &got[2]),
                    });
                    let what = format!("quantize {k} {} rows {rows} of {max_rows}", format.name());
                    cases.push(case(what, OneCommand::new(&quantize::KERNEL, &consts, &[], buffers), check));
                }
            }
        }
        cases
    });
}

/// (vocabulary, chunk)
pub(crate) const VOCABS: [(usize, usize); 9] = [
    (1, 32),
    (31, 32),
    (100, 32),
    (1000, 64),
    (3000, 1024),
    (4097, 4096),
    (49_152, 32),
    (128_256, 64),
    (262_144, 32),
];

/// Logits with ties; some NaN and some masked where `odd`.
pub(crate) fn logits(rng: &mut Random, n: usize, odd: bool) -> Vec<f32> {
    let value = |rng: &mut Random| match rng.word() % 40 {
        0 if odd => f32::NAN,
        1 if odd => f32::NEG_INFINITY,
        v => (v as f32 - 20.0) * 0.25 + (rng.word() % 7) as f32,
    };
    (0..n).map(|_| value(rng)).collect()
}

pub(crate) fn picks(b: &[u8]) -> Vec<Pick> {
    b.chunks_exact(8).map(bytemuck::pod_read_unaligned).collect()
}

/// The same picks; both zeros are one score.
pub(crate) fn same_picks(want: &[u8], got: &[u8]) -> Result<(), String> {
    for (i, (w, g)) in picks(want).iter().zip(&picks(got)).enumerate() {
        let untouched = w.token == NO_TOKEN && w.score.is_nan() && g.token == NO_TOKEN && g.score.is_nan();
        if !untouched && (w.score != g.score || w.token != g.token) {
            return Err(format!("pick {i} is {g:?}, not {w:?}"));
        }
    }
    Ok(())
}

fn logits_max_finds_the_first_best(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(7);
        let mut cases = Vec::new();
        for (vocab, chunk) in VOCABS {
            for (heads, max_rows) in [(0usize, 1usize), (1, 1), (3, 8)] {
                if heads > 1 && vocab > 50_000 {
                    continue;
                }
                let mut x = logits(&mut rng, max_rows * vocab, true);
                // One chunk in which everything is masked, one of NaN.
                x.iter_mut().take(chunk.min(vocab)).for_each(|v| *v = f32::NEG_INFINITY);
                x.iter_mut().skip(chunk).take(chunk).for_each(|v| *v = f32::NAN);
                let consts = words(&LogitsConsts {
                    vocab: vocab as u32,
                    chunk: chunk as u32,
                    max_rows: max_rows as u32,
                });
                let n = max_rows * chunks(vocab, chunk);
                let buffers = vec![plain_step(heads + 2, heads, heads + 2), bytes(&x), poison(n * 8)];
                let check: Check = Box::new(|want, got| same_picks(&want[2], &got[2]));
                let command = OneCommand::new(&logits_max::KERNEL, &consts, &[], buffers);
                cases.push(case(format!("logits_max {vocab} by {chunk} heads {heads}"), command, check));
            }
        }
        cases
    });
}

/// The best of each chunk, as `logits_max` leaves it.
pub(crate) fn bests(x: &[f32], vocab: usize, chunk: usize) -> Vec<Pick> {
    let best = |from: usize, x: &[f32]| {
        x.iter().enumerate().fold(Pick::NONE, |b, (i, v)| {
            if *v > b.score { Pick { score: *v, token: Token((from + i) as u32) } } else { b }
        })
    };
    let rows = x.chunks_exact(vocab);
    rows.flat_map(|r| r.chunks(chunk).enumerate().map(move |(c, x)| best(c * chunk, x))).collect()
}

/// Keeps three tokens of each 128, which a GPU's lane has one after the other: what they come to at most says little about which wins.
fn in_one_lane(x: &mut [f32], vocab: usize, rng: &mut Random) {
    for row in x.chunks_mut(vocab) {
        row.fill(-50.0);
        for first in (0..vocab).step_by(128) {
            let lane = first + rng.word() as usize % 32;
            for i in (lane..vocab.min(first + 96)).step_by(32) {
                row[i] = rng.normal() * 0.3;
            }
        }
    }
}

fn sample_draws_alike(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(8);
        let mut cases = Vec::new();
        for (vocab, chunk) in VOCABS {
            for (i, (temperature, floor)) in [
                (0.0, f32::NEG_INFINITY),
                (1e-40, -0.7),
                (0.7, -3.0),
                (1.0, f32::NEG_INFINITY),
                (2.5, -1.2),
                (0.01, 0.0),
                (1.0, -4.0),
            ]
            .into_iter()
            .enumerate()
            {
                for (heads, max_rows) in [(0usize, 1usize), (1, 1), (3, 4)] {
                    if heads != 1 && vocab > 5000 {
                        continue;
                    }
                    let mut x = logits(&mut rng, max_rows * vocab, i % 2 == 0);
                    if i == 6 {
                        in_one_lane(&mut x, vocab, &mut rng);
                    }
                    let best = bests(&x, vocab, chunk);
                    let seq = Seq { seed: rng.word(), temperature, floor, ..Seq::default() };
                    let places: Vec<Row> = (0..heads + 2)
                        .map(|r| Row { seq: SeqIndex(0), pos: Position(100 + r as u32) })
                        .collect();
                    let consts = words(&LogitsConsts {
                        vocab: vocab as u32,
                        chunk: chunk as u32,
                        max_rows: max_rows as u32,
                    });
                    let step = step_of(&places, heads as u32, heads + 2, seq);
                    let n = best.len();
                    let buffers = vec![step, bytes(&x), bytes(&best), poison(n * 8)];
                    // Noise is made of the same roundings everywhere.
                    let check: Check = Box::new(move |want, got| same_picks(&want[3], &got[3]));
                    let what = format!(
                        "sample {vocab} by {chunk} heads {heads} temperature {temperature} floor {floor}"
                    );
                    cases.push(case(what, OneCommand::new(&sample::KERNEL, &consts, &[], buffers), check));
                }
            }
        }
        cases
    });
}

fn advance_leaves_the_same_step_block(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(9);
        let mut cases = Vec::new();
        let mut eos = [Token(0); MAX_EOS];
        eos[..3].copy_from_slice(&[2, 7, 9].map(Token));
        for (vocab, chunk) in VOCABS {
            for (rows, heads, pos) in
                [(0usize, 0usize, 0u32), (1, 1, 0), (1, 1, 40), (3, 0, 5), (5, 1, 9), (8, 8, 30), (1, 1, 63)]
            {
                for (i, (winner, limit, eos_count, score)) in [
                    (5u32, 1000, 3, 1.5f32),
                    (7, 1000, 3, 1.5),
                    (9, 1000, 2, 1.5),
                    (5, 1, 0, -3.0),
                    (2, 1, 40, 0.0),
                    (5, 1000, 0, f32::INFINITY),
                    (5, 1000, 0, f32::NEG_INFINITY),
                    (u32::MAX, 1000, 0, 3.0),
                ]
                .into_iter()
                .enumerate()
                {
                    if vocab > 50_000 && i > 2 {
                        continue;
                    }
                    let n = chunks(vocab, chunk);
                    let mut drawn: Vec<Pick> = vec![Pick::NONE; n * heads.max(1)];
                    if score.is_finite() {
                        for p in &mut drawn {
                            *p = Pick {
                                score: score - 1.0 - rng.unit().abs(),
                                token: Token(rng.word() as u32 % vocab as u32),
                            };
                        }
                    }
                    let last = drawn.len() - n;
                    drawn[last + rng.word() as usize % n] = Pick { score, token: Token(winner) };
                    // An equal score with a higher id loses.
                    if n > 2 && winner < 100 {
                        let at = last + (rng.word() as usize % n);
                        if drawn[at].token.0 != winner {
                            drawn[at] = Pick { score, token: Token(winner + 1) };
                        }
                    }
                    let seq =
                        Seq { seed: 3, len: pos, limit, eos, eos_count, temperature: 0.5, ..Seq::default() };
                    let places: Vec<Row> =
                        (0..rows).map(|r| Row { seq: SeqIndex(0), pos: Position(pos + r as u32) }).collect();
                    let consts = words(&AdvanceConsts {
                        vocab: vocab as u32,
                        chunk: chunk as u32,
                        max_seq: 64,
                        heads: 0,
                    });
                    let step = step_of(&places, heads as u32, rows, seq);
                    let buffers = vec![step, bytes(&drawn), poison(64 * 4)];
                    // A GPU's own command after the table changes nothing of this.
                    let check: Check = Box::new(|want, got| {
                        same("step", &want[0], &got[0])?;
                        same("tokens", &want[2], &got[2])
                    });
                    let what =
                        format!("advance {vocab} by {chunk} rows {rows} heads {heads} at {pos} case {i}");
                    cases.push(case(what, OneCommand::new(&advance::KERNEL, &consts, &[], buffers), check));
                }
            }
        }
        // Every other one on a GPU: each is a table of its own.
        let stride = if side.cuda() { 2 } else { 1 };
        cases.into_iter().step_by(stride).collect()
    });
}

fn kv_shift_moves_and_turns_back(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(10);
        let mut cases = Vec::new();
        for (kv_heads, head_dim, pairs, pairing) in
            [(3u32, 64u32, 32u32, 0u32), (8, 128, 64, 1), (1, 256, 128, 1), (5, 80, 20, 0), (2, 16, 0, 1)]
        {
            for (keep, by, len) in [
                (0u32, 1u32, 300u32),
                (4, 256, 1000),
                (10, 100, 100),
                (0, 255, 513),
                (1, 3, 5),
                (300, 77, 1024),
            ] {
                let kv = *caches::pairs(cases.len(), head_dim).last().unwrap();
                let mut largest = 0f32;
                let [keys, values] = kv.map(|format| {
                    caches::filled(format, 5 * kv_heads as usize, head_dim, |_| {
                        let x = rng.normals(head_dim as usize);
                        largest = x.iter().fold(largest, |m, v| m.max(v.abs()));
                        x
                    })
                });
                let frequencies: Vec<f32> =
                    (0..pairs).map(|i| 10_000f32.powf(-(i as f32) / pairs as f32)).collect();
                let seq = Seq { len, shift_keep: keep, shift_by: by, ..Seq::default() };
                let [k_type, v_type] = kv.map(|f| f as u32);
                let consts = words(&KvShiftConsts { kv_heads, head_dim, pairs, pairing, k_type, v_type });
                let table: [u32; 5] = [2, 0, 3, 1, 4];
                let buffers = vec![
                    step_of(&plain_rows(1), 1, 1, seq),
                    bytes(&table),
                    bytes(&frequencies),
                    keys.clone(),
                    values,
                ];
                let check: Check = Box::new(move |want, got| {
                    same("v_cache", &want[4], &got[4])?;
                    // The angle and four products of values up to the largest, then one step of the format.
                    caches::close("k_cache", kv[0], head_dim, [&keys, &want[3], &got[3]], 16.0 * U * largest)
                });
                let kv = caches::name(kv);
                let what = format!("kv_shift {kv_heads} x {head_dim} {kv} keep {keep} by {by} of {len}");
                cases.push(case(what, OneCommand::new(&kv_shift::KERNEL, &consts, &[], buffers), check));
            }
        }
        cases
    });
}
