//! What only some architectures have: biases, norms in further places, bounds.

use super::*;
use crate::harness::{Batch, Random};
use akunu::kernels::add_bias::AddBiasConsts;
use akunu::kernels::qk_norm::{QkNormConsts, Span};
use akunu::kernels::rms_norm_add::RmsNormAddConsts;
use akunu::kernels::softcap::SoftcapConsts;
use akunu::kernels::step::{Capacity, Header, RowCount};
use akunu::kernels::take_heads::TakeHeadsConsts;
use akunu::kernels::{add_bias, qk_norm, rms_norm_add, softcap, take_heads};

/// The kernels with cases in this file.
pub(crate) const KERNELS: &[&str] = &["add_bias", "qk_norm", "rms_norm_add", "softcap", "take_heads"];

/// (active rows, rows of the table)
const ROWS: [(usize, usize); 6] = [(0, 1), (1, 1), (1, 8), (7, 8), (8, 8), (37, 40)];

/// Values of all rows of a table; those behind the active ones are poison.
fn rows_of(rng: &mut Random, rows: usize, max_rows: usize, n: usize) -> Vec<f32> {
    let mut x = rng.normals(rows * n);
    x.resize(max_rows * n, f32::from_bits(u32::MAX));
    x
}

on_each_device_and_vulkan!(add_bias_agrees, qk_norm_agrees, rms_norm_add_agrees, softcap_agrees,);
on_each_device!(take_heads_agrees);

fn add_bias_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(41);
        let mut cases = Vec::new();
        for n in [1usize, 33, 1152, 6144] {
            for (rows, max_rows) in ROWS {
                let consts = words(&AddBiasConsts { n: n as u32, max_rows: max_rows as u32 });
                let x = rows_of(&mut rng, rows, max_rows, n);
                let buffers = vec![plain_step(rows, 0, max_rows), bytes(&rng.normals(n)), bytes(&x)];
                // One addition.
                let check: Check = Box::new(|want, got| same("x", &want[2], &got[2]));
                let what = format!("add_bias {n} rows {rows} of {max_rows}");
                cases.push(case(what, OneCommand::new(&add_bias::KERNEL, &consts, &[], buffers), check));
            }
        }
        cases
    });
}

fn qk_norm_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(42);
        let mut cases = Vec::new();
        for (heads, kv_heads, hd) in
            [(1usize, 1usize, 16usize), (9, 3, 64), (16, 8, 128), (4, 1, 256), (2, 2, 80)]
        {
            for (span, (rows, max_rows)) in ROWS.into_iter().flat_map(|r| [(Span::Head, r), (Span::Row, r)]) {
                let consts = words(&QkNormConsts {
                    heads: heads as u32,
                    kv_heads: kv_heads as u32,
                    head_dim: hd as u32,
                    span: span as u32,
                    max_rows: max_rows as u32,
                });
                let width = (heads + 2 * kv_heads) * hd;
                let (q, k) = if span == Span::Head { (hd, hd) } else { (heads * hd, kv_heads * hd) };
                let x = rows_of(&mut rng, rows, max_rows, width);
                let buffers = vec![
                    plain_step(rows, 0, max_rows),
                    bytes(&rng.normals(q)),
                    bytes(&rng.normals(k)),
                    bytes(&x),
                ];
                // A sum of so many squares in two orders, halved by the root; then three roundings on each side.
                let n = q.max(k) as f32;
                let check: Check = Box::new(move |want, got| {
                    close("qkv", ActFormat::F32, &want[3], &got[3], |_, w| w.abs() * (n + 12.0) * U)
                });
                let what = format!("qk_norm {heads}/{kv_heads}/{hd} {span:?} rows {rows} of {max_rows}");
                cases.push(case(what, OneCommand::new(&qk_norm::KERNEL, &consts, &[1e-6], buffers), check));
            }
        }
        cases
    });
}

fn rms_norm_add_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(43);
        let mut cases = Vec::new();
        for d in [1usize, 33, 576, 2304, 5376, 16_384] {
            for (rows, max_rows) in ROWS {
                let consts = words(&RmsNormAddConsts { d: d as u32, max_rows: max_rows as u32 });
                let x = rows_of(&mut rng, rows, max_rows, d);
                let residual = rows_of(&mut rng, rows, max_rows, d);
                let buffers = vec![
                    plain_step(rows, 0, max_rows),
                    bytes(&x),
                    bytes(&rng.normals(d)),
                    bytes(&residual),
                    poison(max_rows * d * 4),
                ];
                let check: Check = Box::new(move |want, got| {
                    close("out", ActFormat::F32, &want[4], &got[4], |i, w| {
                        let term = (w - residual[i]).abs() + U * w.abs();
                        term * (d as f32 + 12.0) * U + 2.0 * w.abs() * U
                    })
                });
                let what = format!("rms_norm_add {d} rows {rows} of {max_rows}");
                cases.push(case(
                    what,
                    OneCommand::new(&rms_norm_add::KERNEL, &consts, &[1e-6], buffers),
                    check,
                ));
            }
        }
        cases
    });
}

fn take_heads_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(45);
        let mut cases = Vec::new();
        for d in [1usize, 33, 2048, 5120] {
            for (rows, heads) in [(1usize, 0u32), (7, 1), (8, 3), (40, 40)] {
                let session = step_of(&harness::plain_rows(rows), heads, 40, Seq::default());
                let capacity = Capacity { seqs: 9, rows: RowCount(40), heads: 9 };
                let batch = Batch::ask(capacity, 6, 100, &mut rng).memory().bytes().to_vec();
                for (in_batch, step) in [(false, session), (true, batch)] {
                    let consts = words(&TakeHeadsConsts { d: d as u32, max_rows: 40 });
                    let x = rng.normals(40 * d);
                    let buffers = vec![step, bytes(&x), poison(4 * 40 * d), poison(size_of::<Header>())];
                    let check: Check = Box::new(|want, got| {
                        same("out", &want[2], &got[2])?;
                        same("heads", &want[3], &got[3])
                    });
                    let what = format!("take_heads {d} in a batch {in_batch}, {heads} of {rows} rows");
                    let command = OneCommand::new(&take_heads::KERNEL, &consts, &[], buffers);
                    let command = if in_batch { command.of_batch(capacity, 1, 9) } else { command };
                    cases.push(case(what, command, check));
                }
            }
        }
        cases
    });
}

fn softcap_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(44);
        let mut cases = Vec::new();
        for n in [1usize, 100, 4097, 50_000] {
            for (rows, max_rows) in [(0usize, 1usize), (1, 1), (3, 8), (8, 8)] {
                let consts = words(&SoftcapConsts { n: n as u32, max_rows: max_rows as u32 });
                let mut x = rows_of(&mut rng, rows, max_rows, n);
                x[..rows * n].iter_mut().for_each(|v| *v *= 40.0);
                let buffers = vec![plain_step(rows, rows, max_rows), bytes(&x)];
                // The hyperbolic tangent is good to a few units in its last place on either side.
                let check: Check = Box::new(|want, got| {
                    close("x", ActFormat::F32, &want[1], &got[1], |_, w| 16.0 * U * w.abs())
                });
                let what = format!("softcap {n} rows {rows} of {max_rows}");
                cases.push(case(what, OneCommand::new(&softcap::KERNEL, &consts, &[30.0], buffers), check));
            }
        }
        cases
    });
}
