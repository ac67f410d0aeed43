//! `add_bias`, `qk_norm`, `rms_norm_add`, `softcap`, `take_heads`, and the bound on attention's scores, against their formulas in f64.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::add_bias::{self, AddBiasConsts};
use akunu_kernels::attention::{self, AttentionConsts};
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::qk_norm::{self, QkNormConsts, Span};
use akunu_kernels::rms_norm_add::{self, RmsNormAddConsts};
use akunu_kernels::softcap::{self, SoftcapConsts};
use akunu_kernels::step::{Capacity, Header, Position, RowCount, SeqIndex};
use akunu_kernels::take_heads::{self, TakeHeadsConsts};
use harness::{Batch, Memory, Random, plain_rows, run, step_block};

const U: f64 = 1.0 / 16_777_216.0;
const EPS: f32 = 1e-5;

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

/// x / sqrt(mean(x^2) + eps) * w.
fn normalized(x: &[f32], w: &[f32]) -> Vec<f64> {
    let mean = x.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / x.len() as f64;
    let inverse = 1.0 / (mean + f64::from(EPS)).sqrt();
    x.iter().zip(w).map(|(x, w)| f64::from(*x) * inverse * f64::from(*w)).collect()
}

/// Asserts values within a bound of what is wanted.
fn close(what: &str, got: &[f32], want: &[f64], bound: impl Fn(f64) -> f64) {
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((f64::from(*g) - w).abs() <= bound(*w), "{what}: {g} at {i}, wanted {w}");
    }
}

#[test]
fn a_bias_is_added_to_every_active_row() {
    let mut rng = Random(1);
    for (n, rows) in [(1usize, 1usize), (33, 3), (960, 8)] {
        let (x, bias) = (rng.normals((rows + 1) * n), rng.normals(n));
        let consts: [u32; 2] = bytemuck::cast(AddBiasConsts { n: n as u32, max_rows: rows as u32 + 1 });
        for level in levels() {
            let (mut step, mut b, mut m) =
                (step_block(&plain_rows(rows), 0), Memory::of(&bias), Memory::of(&x));
            run(&add_bias::KERNEL, level, &consts, &[], &[step.buf(), b.buf(), m.buf()], 2);
            let got = m.values::<f32>();
            for (i, (g, x)) in got.iter().zip(&x).enumerate() {
                let want = if i < rows * n { x + bias[i % n] } else { *x };
                assert!(g.to_bits() == want.to_bits(), "{level} {n}: {g} at {i}");
            }
        }
    }
}

#[test]
fn queries_and_keys_are_normalised_by_head_or_by_row() {
    let mut rng = Random(2);
    for (h, hkv, hd, rows) in [(1usize, 1usize, 2usize, 1usize), (9, 3, 64, 3), (4, 2, 80, 2), (3, 1, 33, 5)]
    {
        for span in [Span::Head, Span::Row] {
            let width = (h + 2 * hkv) * hd;
            let x = rng.normals(rows * width);
            let (nq, nk) = if span == Span::Head { (hd, hd) } else { (h * hd, hkv * hd) };
            let (wq, wk) = (rng.normals(nq), rng.normals(nk));
            let consts: [u32; 5] = bytemuck::cast(QkNormConsts {
                heads: h as u32,
                kv_heads: hkv as u32,
                head_dim: hd as u32,
                span: span as u32,
                max_rows: rows as u32,
            });
            let mut want = Vec::new();
            for row in x.chunks_exact(width) {
                let (q, rest) = row.split_at(h * hd);
                let (k, v) = rest.split_at(hkv * hd);
                q.chunks_exact(nq).for_each(|x| want.extend(normalized(x, &wq)));
                k.chunks_exact(nk).for_each(|x| want.extend(normalized(x, &wk)));
                want.extend(v.iter().map(|v| f64::from(*v)));
            }
            for level in levels() {
                let mut step = step_block(&plain_rows(rows), 0);
                let (mut a, mut b, mut m) = (Memory::of(&wq), Memory::of(&wk), Memory::of(&x));
                let bufs = [step.buf(), a.buf(), b.buf(), m.buf()];
                run(&qk_norm::KERNEL, level, &consts, &[EPS.to_bits()], &bufs, 3);
                // A sum of squares in 16 lanes, its root, and two products.
                let bound = |w: f64| (nq.max(nk) as f64 / 16.0 + 24.0) * U * w.abs();
                close(&format!("{level} {span:?} {h}/{hkv}/{hd}"), m.values::<f32>(), &want, bound);
            }
        }
    }
}

#[test]
fn a_normalised_row_is_added_to_the_residual() {
    let mut rng = Random(3);
    for (d, rows) in [(1usize, 1usize), (33, 2), (576, 3), (2304, 8)] {
        let (x, w, base) = (rng.normals(rows * d), rng.normals(d), rng.normals(rows * d));
        let consts: [u32; 2] = bytemuck::cast(RmsNormAddConsts { d: d as u32, max_rows: rows as u32 });
        let terms: Vec<f64> = x.chunks_exact(d).flat_map(|x| normalized(x, &w)).collect();
        let want: Vec<f64> = terms.iter().zip(&base).map(|(t, b)| t + f64::from(*b)).collect();
        for level in levels() {
            for in_place in [false, true] {
                let mut step = step_block(&plain_rows(rows), 0);
                let (mut x, mut w, mut base) = (Memory::of(&x), Memory::of(&w), Memory::of(&base));
                let mut out = Memory::of(&vec![f32::NAN; rows * d]);
                let to = if in_place { base.buf() } else { out.buf() };
                let bufs = [step.buf(), x.buf(), w.buf(), base.buf(), to];
                run(&rms_norm_add::KERNEL, level, &consts, &[EPS.to_bits()], &bufs, 2);
                let got = if in_place { base.values::<f32>() } else { out.values::<f32>() };
                for (i, (g, want)) in got.iter().zip(&want).enumerate() {
                    let bound = (d as f64 / 64.0 + 24.0) * U * terms[i].abs() + U * want.abs();
                    assert!((f64::from(*g) - want).abs() <= bound, "{level} {d}: {g} at {i}, wanted {want}");
                }
            }
        }
    }
}

#[test]
fn capped_logits_stay_below_the_cap() {
    let mut rng = Random(4);
    for (n, rows) in [(1usize, 1usize), (4097, 3)] {
        let x: Vec<f32> = rng.normals(rows * n).into_iter().map(|v| v * 50.0).collect();
        let consts: [u32; 2] = bytemuck::cast(SoftcapConsts { n: n as u32, max_rows: rows as u32 });
        let want: Vec<f64> = x.iter().map(|v| 30.0 * (f64::from(*v) / 30.0).tanh()).collect();
        for level in levels() {
            let (mut step, mut m) = (step_block(&plain_rows(rows), rows as u32), Memory::of(&x));
            run(&softcap::KERNEL, level, &consts, &[30f32.to_bits()], &[step.buf(), m.buf()], 2);
            close(&format!("{level} {n}"), m.values::<f32>(), &want, |w| 8.0 * U * w.abs());
        }
    }
}

/// The last rows of a session, those that a batch lists, and none: their vectors, and a step block in which they are all rows.
#[test]
fn heads_are_taken_to_the_front() {
    let (d, rows, mut rng) = (33usize, 7usize, Random(21));
    let x: Vec<f32> = (0..rows * d).map(|_| rng.normal()).collect();
    let capacity = Capacity { seqs: 3, rows: RowCount(rows as u32), heads: 3 };
    let mut batch = Batch::stale(capacity, &mut rng);
    (batch.header.rows, batch.header.head_rows) = (rows as u32, 2);
    (batch.heads[0].row, batch.heads[1].row) = (5, 1);
    let session = |heads| step_block(&plain_rows(rows), heads);
    let cases = [(session(3), vec![4, 5, 6]), (batch.memory(), vec![5, 1]), (session(0), vec![])];
    for (mut step, want) in cases {
        for (level, parts) in levels().flat_map(|l| [(l, 1), (l, 2), (l, 5)]) {
            let mut m = Memory::of(&x);
            let (mut out, mut heads) = (Memory::of(&vec![f32::NAN; rows * d]), Memory::of(&[7u32; 16]));
            let consts: [u32; 2] = bytemuck::cast(TakeHeadsConsts { d: d as u32, max_rows: 3 });
            let before: Header = bytemuck::pod_read_unaligned(&step.bytes_mut()[..64]);
            let bufs = [step.buf(), m.buf(), out.buf(), heads.buf()];
            run(&take_heads::KERNEL, level, &consts, &[], &bufs, parts);
            for (i, row) in want.iter().enumerate() {
                assert_eq!(out.values::<f32>()[i * d..][..d], x[row * d..][..d], "{level}, {parts} parts");
            }
            assert!(out.values::<f32>()[want.len() * d..].iter().all(|v| v.is_nan()));
            let after: Header = bytemuck::pod_read_unaligned(&heads.bytes_mut()[..64]);
            let rows = want.len() as u32;
            let wanted = Header { rows, head_rows: rows, heads_at: 0, heads_cap: 0, ..before };
            assert_eq!(bytemuck::bytes_of(&after), bytemuck::bytes_of(&wanted));
        }
    }
}

/// Two positions, one head: the weights follow from two capped scores.
#[test]
fn scores_are_capped_before_the_softmax() {
    let (hd, cap) = (16u32, 2.0f32);
    let consts: [u32; 9] = bytemuck::cast(AttentionConsts {
        heads: 1,
        kv_heads: 1,
        head_dim: hd,
        k_type: 1,
        v_type: 1,
        act: 0,
        max_rows: 1,
        window: 0,
        softcap: cap.to_bits(),
    });
    let (mut k, mut v, mut q) = (vec![0f32; 256 * 16], vec![0f32; 256 * 16], vec![0f32; 48]);
    // Scores 5 and -1; the values are 1 and 0.
    (q[0], k[0], k[16], v[0]) = (1.0, 5.0, -1.0, 1.0);
    let capped = |s: f64| 2.0 * (s / 2.0).tanh();
    let want = 1.0 / (1.0 + (capped(-1.0) - capped(5.0)).exp());
    for level in levels() {
        let mut step = step_block(&[akunu_kernels::step::Row { seq: SeqIndex(0), pos: Position(1) }], 0);
        let (mut table, mut q, mut k, mut v) =
            (Memory::of(&[0u32]), Memory::of(&q), Memory::of(&k), Memory::of(&v));
        let mut out = Memory::of(&[f32::NAN; 32]);
        let bufs = [step.buf(), table.buf(), q.buf(), k.buf(), v.buf(), out.buf()];
        run(&attention::KERNEL, level, &consts, &[1f32.to_bits()], &bufs, 1);
        close(&format!("{level}"), &out.values::<f32>()[..1], &[want], |_| 64.0 * U);
    }
}
