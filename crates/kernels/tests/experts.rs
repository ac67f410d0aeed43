//! `route`, `expert_matmul` and `expert_combine` against their formulas in f64.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::act::{self, ActFormat};
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::dtype::{self, DType, Layout};
use akunu_kernels::expert_combine::{self, ExpertCombineConsts};
use akunu_kernels::expert_matmul::{self, ExpertMatmulConsts, Input};
use akunu_kernels::route::{self, Choice, RouteConsts};
use akunu_kernels::target::cpu_rule;
use harness::{Memory, Random, packed, plain_rows, random_weights, run, step_block};

const U: f64 = 1.0 / 16_777_216.0;

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

fn routes_of(scores: &[f32], experts: usize, used: usize, normalized: bool, level: Level) -> Vec<Choice> {
    let rows = scores.len() / experts;
    let consts: [u32; 4] = bytemuck::cast(RouteConsts {
        experts: experts as u32,
        used: used as u32,
        normalized: u32::from(normalized),
        max_rows: rows as u32,
    });
    let (mut step, mut s) = (step_block(&plain_rows(rows), 0), Memory::of(scores));
    let mut out = Memory::new((rows + 1) * used * 8, 0xFF);
    run(&route::KERNEL, level, &consts, &[], &[step.buf(), s.buf(), out.buf()], 2);
    let all = out.values::<Choice>();
    assert!(all[rows * used..].iter().all(|c| c.expert == u32::MAX), "wrote past its rows");
    all[..rows * used].to_vec()
}

#[test]
fn the_best_experts_get_their_softmax_weights() {
    let mut rng = Random(1);
    for (experts, used, rows) in [(1usize, 1usize, 1usize), (8, 2, 5), (128, 8, 3), (1000, 64, 2), (5, 5, 4)]
    {
        for normalized in [false, true] {
            let scores: Vec<f32> = rng.normals(rows * experts).iter().map(|v| v * 3.0).collect();
            for level in levels() {
                let got = routes_of(&scores, experts, used, normalized, level);
                for (scores, got) in scores.chunks_exact(experts).zip(got.chunks_exact(used)) {
                    let mut order: Vec<usize> = (0..experts).collect();
                    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
                    let exp = |i: usize| f64::from(scores[i]).exp();
                    let all = if normalized { &order[..used] } else { &order[..] };
                    let total: f64 = all.iter().map(|i| exp(*i)).sum();
                    for (c, want) in got.iter().zip(&order) {
                        assert_eq!(c.expert as usize, *want, "{level} {experts}");
                        let weight = exp(*want) / total;
                        let off = (f64::from(c.weight) - weight).abs();
                        assert!(
                            off <= weight * (experts as f64 + 32.0) * U,
                            "{level} {experts}: off {off:e}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn equal_scores_go_to_the_lower_number_and_broken_ones_come_last() {
    for level in levels() {
        let got = routes_of(&[1.0, 3.0, 3.0, 1.0, 1.0], 5, 4, true, level);
        assert_eq!(got.iter().map(|c| c.expert).collect::<Vec<_>>(), [1, 2, 0, 3], "{level}");
        let got = routes_of(&[f32::NAN, 2.0, f32::NAN, 5.0], 4, 4, false, level);
        assert_eq!(got.iter().map(|c| c.expert).collect::<Vec<_>>(), [3, 1, 0, 2], "{level}");
    }
}

/// A random choice of different experts for each row.
fn random_routes(rng: &mut Random, rows: usize, experts: usize, used: usize) -> Vec<Choice> {
    let mut all = Vec::new();
    for _ in 0..rows {
        let mut order: Vec<u32> = (0..experts as u32).collect();
        for j in 0..used {
            order.swap(j, j + (rng.word() % (experts - j) as u64) as usize);
            all.push(Choice { expert: order[j], weight: rng.unit() });
        }
    }
    all
}

#[test]
fn each_slot_is_multiplied_with_its_experts_matrix() {
    let mut rng = Random(2);
    for dt in [DType::F32, DType::Bf16, DType::Q4_0, DType::Q8_0, DType::Q4K, DType::Q6K] {
        for (experts, used, n, rows) in [(3usize, 2usize, 16usize, 1usize), (8, 2, 48, 9), (4, 4, 20, 3)] {
            let k = 256;
            let native = random_weights(dt, experts * n, k, &mut rng);
            let routes = random_routes(&mut rng, rows, experts, used);
            for level in levels() {
                let (layout, fmt) = match cpu_rule(level, dt) {
                    (Layout::Rows16, _) if n % 16 != 0 => (Layout::Native, ActFormat::F32),
                    plan => plan,
                };
                for input in [Input::Row, Input::Slot] {
                    let inputs = if input == Input::Row { rows } else { rows * used };
                    let x = rng.normals(inputs * k);
                    let rb = fmt.row_bytes(k);
                    let mut stored = Memory::new(inputs * rb, 0);
                    for (row, x) in stored.bytes_mut().chunks_exact_mut(rb).zip(x.chunks_exact(k)) {
                        act::store(fmt, row, 0, x);
                    }
                    // Gates and ups share rows.
                    let (stride, col) = (2 * n, n);
                    let consts: [u32; 11] = bytemuck::cast(ExpertMatmulConsts {
                        dtype: dt as u32,
                        layout: layout as u32,
                        act: fmt as u32,
                        k: k as u32,
                        n: n as u32,
                        experts: experts as u32,
                        used: used as u32,
                        input: input as u32,
                        out_stride: stride as u32,
                        out_col: col as u32,
                        max_rows: rows as u32,
                    });
                    let mut step = step_block(&plain_rows(rows), 0);
                    let (mut r, mut w) = (Memory::of(&routes), packed(dt, layout, &native, experts * n, k));
                    let mut out = Memory::of(&vec![f32::NAN; rows * used * stride]);
                    let bufs = [step.buf(), r.buf(), stored.buf(), w.buf(), out.buf()];
                    run(&expert_matmul::KERNEL, level, &consts, &[], &bufs, 3);
                    let got = out.values::<f32>();
                    if layout == Layout::Rows16 {
                        // Packed on the way, the same bits.
                        let mut as_is = consts;
                        as_is[1] = Layout::Native as u32;
                        let (mut w, mut out) =
                            (Memory::of(&native), Memory::of(&vec![f32::NAN; rows * used * stride]));
                        let bufs = [step.buf(), r.buf(), stored.buf(), w.buf(), out.buf()];
                        run(&expert_matmul::KERNEL, level, &as_is, &[], &bufs, 3);
                        let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                        assert_eq!(bits(out.values::<f32>()), bits(got), "{dt} {level} as it is");
                    }
                    let (mut xr, mut wr) = (vec![0f32; k], vec![0f32; k]);
                    for (slot, choice) in routes.iter().enumerate() {
                        let i = if input == Input::Row { slot / used } else { slot };
                        act::load(fmt, &stored.bytes()[i * rb..(i + 1) * rb], k, &mut xr);
                        for j in 0..stride {
                            let y = got[slot * stride + j];
                            if j < col {
                                assert!(y.is_nan(), "{dt} {level}: wrote column {j}");
                                continue;
                            }
                            let row = choice.expert as usize * n + j - col;
                            dtype::dequantize_native_row(dt, &native, k, row, &mut wr);
                            let terms = || xr.iter().zip(&wr).map(|(x, w)| f64::from(*x) * f64::from(*w));
                            let (want, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
                            let off = (f64::from(y) - want).abs();
                            assert!(off <= size * 280.0 * U, "{dt} {level} slot {slot} {j}: {y} for {want}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn results_are_weighted_and_added_to_the_residual() {
    let mut rng = Random(3);
    for (d, used, rows) in [(1usize, 1usize, 1usize), (64, 2, 3), (100, 8, 2)] {
        let routes = random_routes(&mut rng, rows, 8, used);
        let (y, base) = (rng.normals(rows * used * d), rng.normals(rows * d));
        let consts: [u32; 3] =
            bytemuck::cast(ExpertCombineConsts { d: d as u32, used: used as u32, max_rows: rows as u32 });
        for level in levels() {
            for in_place in [false, true] {
                let mut step = step_block(&plain_rows(rows), 0);
                let (mut r, mut m, mut b) = (Memory::of(&routes), Memory::of(&y), Memory::of(&base));
                let mut out = Memory::of(&vec![f32::NAN; rows * d]);
                let to = if in_place { b.buf() } else { out.buf() };
                let bufs = [step.buf(), r.buf(), m.buf(), b.buf(), to];
                run(&expert_combine::KERNEL, level, &consts, &[], &bufs, 2);
                let got = if in_place { b.values::<f32>() } else { out.values::<f32>() };
                for (i, g) in got.iter().enumerate() {
                    let terms = || {
                        (0..used).map(|j| {
                            let slot = i / d * used + j;
                            f64::from(routes[slot].weight) * f64::from(y[slot * d + i % d])
                        })
                    };
                    let want = f64::from(base[i]) + terms().sum::<f64>();
                    let size = f64::from(base[i].abs()) + terms().map(f64::abs).sum::<f64>();
                    assert!(
                        (f64::from(*g) - want).abs() <= size * (used as f64 + 2.0) * U,
                        "{level} {d} at {i}"
                    );
                }
            }
        }
    }
}
