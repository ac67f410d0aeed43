//! Products whose input is normalised on its way.

use super::super::small::same_picks;
use super::*;
use akunu::Token;
use akunu::kernels::logits_max::{Pick, chunks};
use akunu::kernels::norm_matmul_glu::NormMatmulGluConsts;
use akunu::kernels::norm_matmul_max::NormMatmulMaxConsts;
use akunu::kernels::norm_matmul_pair::NormMatmulPairConsts;
use akunu::kernels::{norm_matmul, norm_matmul_glu, norm_matmul_max, norm_matmul_pair};

const EPS: f32 = 1e-5;

on_each_device_and_vulkan!(norm_matmul_agrees, norm_matmul_glu_agrees,);

on_each_device!(norm_matmul_pair_agrees, norm_matmul_max_agrees,);

/// The rows normalised, in f64.
fn normalise(x: &[f32], norm: &[f32]) -> Vec<f32> {
    let k = norm.len();
    x.chunks_exact(k)
        .flat_map(|x| {
            let square = x.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / k as f64;
            let inverse = 1.0 / (square + f64::from(EPS)).sqrt();
            x.iter().zip(norm).map(move |(x, n)| (f64::from(*x) * inverse * f64::from(*n)) as f32)
        })
        .collect()
}

/// Rows of different sizes, and the norm's weights.
fn rows_and_norm(rows: usize, k: usize, rng: &mut Random) -> (Vec<f32>, Vec<f32>) {
    let mut x = rng.normals(rows * k);
    x.iter_mut().skip(k).take(k).for_each(|v| *v *= 1e3);
    (x, rng.normals(k))
}

fn normalised(side: &Side<'_>, dt: DType, n: usize, k: usize, rng: &mut Random) -> Option<Matrix> {
    Matrix::new(side, dt, n, k, rng)
        .filter(|_| side.kind != Kind::Cpu)
        .map(|m| Matrix { normalised: true, ..m })
}

fn norm_matmul_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(14);
        let mut cases = Vec::new();
        for (i, (dt, n, k, rows, max_rows)) in few(formats()).into_iter().enumerate() {
            let Some(m) = normalised(side, dt, n, k, &mut rng) else { continue };
            let (stride, col) = (n + 7, 3);
            let (x, norm) = rows_and_norm(max_rows, k, &mut rng);
            // Some work on the last rows only.
            let head = (i % 5 == 0 && rows > 1).then_some(rows / 2);
            let select = if head.is_some() { Select::Head } else { Select::All };
            let consts = consts(&m, ActFormat::F32, stride, col, select, max_rows);
            let step = plain_step(rows, head.unwrap_or(0), max_rows);
            let buffers = vec![step, bytes(&x), bytes(&norm), m.bytes(), poison(max_rows * stride * 4)];
            let y = normalise(&x[head.map_or(0, |h| rows - h) * k..], &norm);
            let check: Check = Box::new(move |want, got| products(&m, &y, stride, col, &want[4], &got[4]));
            let what = format!("norm_matmul {dt} {n} x {k} rows {rows} of {max_rows} head {head:?}");
            cases.push(case(what, OneCommand::new(&norm_matmul::KERNEL, &consts, &[EPS], buffers), check));
        }
        cases
    });
}

fn norm_matmul_pair_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(19);
        let mut cases = Vec::new();
        let formats = [
            (DType::Q4K, DType::Q6K),
            (DType::Q6K, DType::Q4K),
            (DType::Q5K, DType::Q8_0),
            (DType::Bf16, DType::Q4_0),
            (DType::Mxfp8, DType::Q6K),
            (DType::F32, DType::F16),
        ];
        for (i, (first, second)) in formats.into_iter().enumerate() {
            for (j, (n, n2, k)) in
                [(5120, 1024, 4096), (33, 1, 256), (300, 700, 1536)].into_iter().enumerate()
            {
                let Some(a) = normalised(side, first, n, k, &mut rng) else { continue };
                let Some(b) = normalised(side, second, n2, k, &mut rng) else { continue };
                let (rows, max_rows) = [(1, 1), (3, 8), (0, 2), (8, 8), (2, 3)][(i + j) % 5];
                let (x, norm) = rows_and_norm(max_rows, k, &mut rng);
                let (stride, col) = (n + n2 + 7, 3);
                let consts = words(&NormMatmulPairConsts {
                    dtype: first as u32,
                    layout: a.layout as u32,
                    n: n as u32,
                    dtype2: second as u32,
                    layout2: b.layout as u32,
                    n2: n2 as u32,
                    k: k as u32,
                    out_stride: stride as u32,
                    out_col: col as u32,
                    max_rows: max_rows as u32,
                });
                let out = poison(max_rows * stride * 4);
                let step = plain_step(rows, 0, max_rows);
                let buffers = vec![step, bytes(&x), bytes(&norm), a.bytes(), b.bytes(), out];
                let y = normalise(&x, &norm);
                let check: Check = Box::new(move |want, got| {
                    close("out", ActFormat::F32, &want[5], &got[5], |i, w| {
                        let (r, j) = (i / stride, i % stride - col);
                        let x = &y[r * k..][..k];
                        let bound = if j < n { a.product(j, x).1 } else { b.product(j - n, x).1 };
                        bound + 2.0 * U * w.abs()
                    })
                });
                let what =
                    format!("norm_matmul_pair {first} {n} and {second} {n2} x {k} rows {rows} of {max_rows}");
                let command = OneCommand::new(&norm_matmul_pair::KERNEL, &consts, &[EPS], buffers);
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

fn norm_matmul_glu_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(15);
        let mut cases = Vec::new();
        for (i, (dt, f, k, rows, max_rows)) in few(formats()).into_iter().enumerate() {
            let Some(m) = normalised(side, dt, 2 * f, k, &mut rng) else { continue };
            let (x, norm) = rows_and_norm(max_rows, k, &mut rng);
            let activation = (i % 2) as u32;
            let consts = words(&NormMatmulGluConsts {
                dtype: dt as u32,
                layout: m.layout as u32,
                k: k as u32,
                f: f as u32,
                activation,
                act: ActFormat::F32 as u32,
                max_rows: max_rows as u32,
            });
            let poisoned = poison(max_rows * ActFormat::F32.row_bytes(f));
            let buffers = vec![plain_step(rows, 0, max_rows), bytes(&x), bytes(&norm), m.bytes(), poisoned];
            let y = normalise(&x, &norm);
            let check: Check =
                Box::new(move |want, got| gates(&m, &y, f, activation, ActFormat::F32, &want[4], &got[4]));
            let what =
                format!("norm_matmul_glu {dt} {f} x {k} activation {activation} rows {rows} of {max_rows}");
            cases.push(case(
                what,
                OneCommand::new(&norm_matmul_glu::KERNEL, &consts, &[EPS], buffers),
                check,
            ));
        }
        cases
    });
}

fn norm_matmul_max_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(16);
        let mut cases = Vec::new();
        // A step without head rows writes nothing, and reads no row behind the last: only a sanitizer sees the latter.
        let all = few(formats());
        let none = all.iter().take(3).map(|(dt, n, k, _, max_rows)| (*dt, *n, *k, 0, *max_rows));
        for (i, (dt, n, k, heads, max_rows)) in all.iter().copied().chain(none).enumerate() {
            let Some(m) = normalised(side, dt, n, k, &mut rng) else { continue };
            let (rows, chunk) = (heads + i % 3, [32usize, 64, 4096][i % 3]);
            let (x, norm) = rows_and_norm(rows.max(1), k, &mut rng);
            let per_row = chunks(n, chunk);
            let consts = words(&NormMatmulMaxConsts {
                dtype: dt as u32,
                layout: m.layout as u32,
                k: k as u32,
                n: n as u32,
                chunk: chunk as u32,
                max_rows: max_rows as u32,
            });
            let buffers = vec![
                plain_step(rows, heads, rows.max(max_rows)),
                bytes(&x),
                bytes(&norm),
                m.bytes(),
                poison(max_rows * n * 4),
                poison(max_rows * per_row * 8),
            ];
            let y = normalise(&x[(rows - heads) * k..], &norm);
            let check: Check = Box::new(move |want, got| {
                products(&m, &y, n, 0, &want[4], &got[4])?;
                // The best of the device's own logits.
                let logits: Vec<f32> =
                    elements(ActFormat::F32, &got[4]).into_iter().map(|(_, v)| v).collect();
                let best = |from: usize, x: &[f32]| {
                    let picks = x
                        .iter()
                        .enumerate()
                        .map(|(i, v)| Pick { score: *v, token: Token((from + i) as u32) });
                    picks.fold(Pick::NONE, Pick::better)
                };
                let mut picks = Vec::new();
                for row in logits.chunks_exact(n).take(heads) {
                    picks.extend(row.chunks(chunk).enumerate().map(|(c, x)| best(c * chunk, x)));
                }
                let mut own = bytes(&picks);
                own.resize(got[5].len(), POISON);
                same_picks(&own, &got[5])
            });
            let what = format!(
                "norm_matmul_max {dt} {n} x {k} by {chunk} heads {heads} of {rows}, table {max_rows}"
            );
            cases.push(case(
                what,
                OneCommand::new(&norm_matmul_max::KERNEL, &consts, &[EPS], buffers),
                check,
            ));
        }
        cases
    });
}
