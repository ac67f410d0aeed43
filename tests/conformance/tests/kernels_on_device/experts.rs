//! Mixtures of experts.

use super::*;
use crate::harness::{Random, packed, random_weights};
use akunu::kernels::dtype::{self, DTYPES};
use akunu::kernels::expert_combine::{self, ExpertCombineConsts};
use akunu::kernels::expert_matmul::{self, ExpertMatmulConsts, Input};
use akunu::kernels::route::{self, Choice, RouteConsts};

/// The kernels with cases in this file.
pub(crate) const KERNELS: &[&str] = &["route", "expert_matmul", "expert_combine"];

/// (active rows, rows of the table)
const ROWS: [(usize, usize); 5] = [(0, 1), (1, 1), (3, 8), (8, 8), (37, 40)];

fn random_routes(rng: &mut Random, rows: usize, max_rows: usize, experts: usize, used: usize) -> Vec<Choice> {
    let mut all = Vec::new();
    for _ in 0..rows {
        let first = rng.word() as usize % experts;
        all.extend((0..used).map(|j| Choice { expert: ((first + j) % experts) as u32, weight: rng.unit() }));
    }
    all.resize(max_rows * used, Choice { expert: u32::MAX, weight: f32::NAN });
    all
}

#[test]
fn route_chooses_alike() {
    on_every_device(|_| {
        let mut rng = Random(51);
        let mut cases = Vec::new();
        for (experts, used) in [(1usize, 1usize), (8, 2), (33, 33), (128, 8), (1000, 64)] {
            for (i, (rows, max_rows)) in ROWS.into_iter().enumerate() {
                let consts = words(&RouteConsts {
                    experts: experts as u32,
                    used: used as u32,
                    normalized: i as u32 % 2,
                    max_rows: max_rows as u32,
                });
                let mut scores = rng.normals(max_rows * experts);
                // Equals, which the lower number wins.
                scores.iter_mut().step_by(5).for_each(|s| *s = 0.75);
                let buffers =
                    vec![plain_step(rows, 0, max_rows), bytes(&scores), poison(max_rows * used * 8)];
                // Sums of so many exponentials in two orders, each good to two units.
                let bound = (2.0 * experts as f32 + 32.0) * U;
                let check: Check = Box::new(move |want, got| {
                    let of = |b: &[u8], at: usize| -> Vec<u8> {
                        b.chunks_exact(8).flat_map(|c| c[at..at + 4].to_vec()).collect()
                    };
                    same("experts", &of(&want[2], 0), &of(&got[2], 0))?;
                    close("weights", ActFormat::F32, &of(&want[2], 4), &of(&got[2], 4), |_, w| w * bound)
                });
                let what = format!("route {used} of {experts} rows {rows} of {max_rows}");
                cases.push(case(what, OneCommand::new(&route::KERNEL, &consts, &[], buffers), check));
            }
        }
        cases
    });
}

#[test]
fn expert_matmul_agrees() {
    on_every_device(|side| {
        let mut rng = Random(52);
        let mut cases = Vec::new();
        for (i, dt) in DTYPES.iter().map(|d| d.dtype).enumerate() {
            for (j, (k, n, experts, used)) in
                [(256usize, 16usize, 4usize, 2usize), (512, 48, 8, 3), (768, 33, 3, 1)]
                    .into_iter()
                    .enumerate()
            {
                let Some(rule) = side.target.rule(dt, k as u64) else { continue };
                let tiled = rule.layout == Layout::Rows16 && n % 16 != 0;
                let (layout, act) =
                    if tiled { (Layout::Native, ActFormat::F32) } else { (rule.layout, rule.act) };
                let (rows, max_rows) = ROWS[(i + j) % 5];
                let native = random_weights(dt, experts * n, k, &mut rng);
                let w = packed(dt, layout, &native, experts * n, k).bytes().to_vec();
                let input = [Input::Row, Input::Slot][(i + j) % 2];
                let per_row = if input == Input::Slot { used } else { 1 };
                let x = rng.normals(max_rows * per_row * k);
                let routes = random_routes(&mut rng, rows, max_rows, experts, used);
                let (out_stride, out_col) = if j == 0 { (n, 0) } else { (2 * n, n) };
                let consts = words(&ExpertMatmulConsts {
                    dtype: dt as u32,
                    layout: layout as u32,
                    act: act as u32,
                    k: k as u32,
                    n: n as u32,
                    experts: experts as u32,
                    used: used as u32,
                    input: input as u32,
                    out_stride: out_stride as u32,
                    out_col: out_col as u32,
                    max_rows: max_rows as u32,
                });
                let buffers = vec![
                    plain_step(rows, 0, max_rows),
                    bytes(&routes),
                    stored(act, &x, k),
                    w,
                    poison(max_rows * used * out_stride * 4),
                ];
                // A sum of k products on each side.
                let mut row = vec![0f32; k];
                let mut sizes = vec![0f32; rows * used * out_stride];
                for slot in 0..rows * used {
                    let x = &x[if per_row == 1 { slot / used } else { slot } * k..][..k];
                    for o in 0..n {
                        let at = routes[slot].expert as usize * n + o;
                        dtype::dequantize_native_row(dt, &native, k, at, &mut row);
                        // (Stored activations are off by a step of their block at most.)
                        let size: f32 = x.iter().zip(&row).map(|(x, w)| (x * w).abs()).sum();
                        sizes[slot * out_stride + out_col + o] = size;
                    }
                }
                let check: Check = Box::new(move |want, got| {
                    close("out", ActFormat::F32, &want[4], &got[4], |i, _| {
                        sizes.get(i).copied().unwrap_or(0.0) * (k as f32 + 32.0) * 1.1 * U
                    })
                });
                let what = format!("expert_matmul {dt} {k} x {n} of {experts} rows {rows} of {max_rows}");
                cases.push(case(what, OneCommand::new(&expert_matmul::KERNEL, &consts, &[], buffers), check));
            }
        }
        cases
    });
}

#[test]
fn expert_combine_agrees() {
    on_every_device(|_| {
        let mut rng = Random(53);
        let mut cases = Vec::new();
        for (d, used) in [(1usize, 1usize), (100, 2), (2048, 8)] {
            for (rows, max_rows) in ROWS {
                let consts =
                    words(&ExpertCombineConsts { d: d as u32, used: used as u32, max_rows: max_rows as u32 });
                let routes = random_routes(&mut rng, rows, max_rows, 16, used);
                let (y, base) = (rng.normals(max_rows * used * d), rng.normals(max_rows * d));
                let buffers = vec![
                    plain_step(rows, 0, max_rows),
                    bytes(&routes),
                    bytes(&y),
                    bytes(&base),
                    poison(max_rows * d * 4),
                ];
                // Products fused with their sums, or not.
                let check: Check = Box::new(move |want, got| {
                    close("out", ActFormat::F32, &want[4], &got[4], |i, _| {
                        let r = i / d;
                        let terms = (0..used).map(|j| {
                            let slot = r * used + j;
                            (routes[slot].weight * y[slot * d + i % d]).abs()
                        });
                        (terms.sum::<f32>() + base[i].abs()) * (used as f32 + 2.0) * 2.0 * U
                    })
                });
                let what = format!("expert_combine {d} of {used} rows {rows} of {max_rows}");
                cases.push(case(
                    what,
                    OneCommand::new(&expert_combine::KERNEL, &consts, &[], buffers),
                    check,
                ));
            }
        }
        cases
    });
}
