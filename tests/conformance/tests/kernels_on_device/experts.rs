//! Mixtures of experts.

use super::*;
use crate::harness::{Random, packed, random_weights};
use akunu::kernels::dtype::{self, DTYPES};
use akunu::kernels::expert_combine::{self, ExpertCombineConsts};
use akunu::kernels::expert_group::{self, ExpertGroupConsts, Tile};
use akunu::kernels::expert_matmul::{self, ExpertMatmulConsts, Input};
use akunu::kernels::grouped_matmul::{self, GroupedMatmulConsts};
use akunu::kernels::norm_expert_matmul_glu::{self, NormExpertMatmulGluConsts};
use akunu::kernels::route::{self, Choice, RouteConsts};

/// The kernels with cases in this file.
pub(crate) const KERNELS: &[&str] =
    &["route", "expert_matmul", "norm_expert_matmul_glu", "expert_group", "grouped_matmul", "expert_combine"];

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

/// For each output of the slots, the sum of the absolute values of its products' terms, and that of its inputs. `x` has the inputs that are
/// multiplied, by row or by slot.
fn term_sizes(c: &ExpertMatmulConsts, native: &[u8], x: &[f32], routes: &[Choice]) -> Vec<(f32, f32)> {
    let (k, n, stride) = (c.k as usize, c.n as usize, c.out_stride as usize);
    let dt = DType::from_ggml(c.dtype).unwrap();
    let (block, bytes) = (dt.block() as usize, dt.info().block_bytes as usize);
    let mut values = vec![0f32; c.experts as usize * n * k];
    for (o, row) in values.chunks_exact_mut(k).enumerate() {
        dtype::dequantize_native_row(dt, native, k, o, row);
        for (i, w) in row.iter_mut().enumerate() {
            // A minimum and a scaled quant may cancel.
            let minimum = products::minimum(dt, &native[(o * k + i) / block * bytes..][..bytes], i % block);
            *w = w.abs() + 2.0 * minimum.abs();
        }
    }
    let mut sizes = vec![(0f32, 0f32); routes.len() * stride];
    for (slot, choice) in routes.iter().enumerate() {
        let input = if c.input == Input::Row as u32 { slot / c.used as usize } else { slot };
        let x = &x[input * k..][..k];
        let inputs = x.iter().map(|x| x.abs()).sum();
        for o in 0..n {
            let w = &values[(choice.expert as usize * n + o) * k..][..k];
            let size = x.iter().zip(w).map(|(x, w)| x.abs() * w).sum();
            sizes[slot * stride + c.out_col as usize + o] = (size, inputs);
        }
    }
    sizes
}

on_each_device_and_vulkan!(route_chooses_alike, expert_matmul_agrees, expert_combine_agrees);
on_each_device!(norm_expert_matmul_glu_agrees, expert_group_agrees, grouped_matmul_agrees);

fn route_chooses_alike(on: On) {
    run_cases(on, |_| {
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

fn expert_matmul_agrees(on: On) {
    run_cases(on, |side| {
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
                let consts = ExpertMatmulConsts {
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
                };
                let buffers = vec![
                    plain_step(rows, 0, max_rows),
                    bytes(&routes),
                    stored(act, &x, k),
                    w,
                    poison(max_rows * used * out_stride * 4),
                ];
                // A sum of k products on each side.
                let sizes = term_sizes(&consts, &native, &x, &routes[..rows * used]);
                let check: Check = Box::new(move |want, got| {
                    close("out", ActFormat::F32, &want[4], &got[4], |i, _| {
                        sizes.get(i).map_or(0.0, |s| s.0) * (k as f32 + 32.0) * 1.1 * U
                    })
                });
                let what = format!("expert_matmul {dt} {k} x {n} of {experts} rows {rows} of {max_rows}");
                cases.push(case(
                    what,
                    OneCommand::new(&expert_matmul::KERNEL, &words(&consts), &[], buffers),
                    check,
                ));
            }
        }
        cases
    });
}

fn norm_expert_matmul_glu_agrees(on: On) {
    const EPS: f32 = 1e-5;
    run_cases(on, |side| {
        let mut rng = Random(56);
        let mut cases = Vec::new();
        for (i, dt) in DTYPES.iter().map(|d| d.dtype).enumerate().filter(|_| side.cuda()) {
            for (j, (k, f, experts, used)) in
                [(256usize, 16usize, 4usize, 2usize), (1536, 7, 3, 3), (2048, 96, 2, 1)]
                    .into_iter()
                    .enumerate()
            {
                let Some(rule) = side.target.rule(dt, k as u64) else { continue };
                let (rows, max_rows) = ROWS[(i + j) % 4];
                let [gates, ups] = [0; 2].map(|_| random_weights(dt, experts * f, k, &mut rng));
                let planes = |w| packed(dt, rule.layout, w, experts * f, k).bytes().to_vec();
                let (x, norm) = (rng.normals(max_rows * k), rng.normals(k));
                let routes = random_routes(&mut rng, rows, max_rows, experts, used);
                let activation = ((i + j) % 2) as u32;
                let consts = words(&NormExpertMatmulGluConsts {
                    dtype: dt as u32,
                    layout: rule.layout as u32,
                    k: k as u32,
                    f: f as u32,
                    experts: experts as u32,
                    used: used as u32,
                    activation,
                    max_rows: max_rows as u32,
                });
                let row_values = ActFormat::F32.row_bytes(f) / 4;
                let buffers = vec![
                    plain_step(rows, 0, max_rows),
                    bytes(&x),
                    bytes(&norm),
                    bytes(&routes),
                    planes(&gates),
                    planes(&ups),
                    poison(max_rows * used * row_values * 4),
                ];
                // Each product, and how far the two sides may be apart: sums in two orders, the norm in two orders.
                let mut products = vec![(0f32, 0f32, 0f32, 0f32); rows * used * row_values];
                let (mut g, mut u) = (vec![0f32; k], vec![0f32; k]);
                for slot in 0..rows * used {
                    let x = &x[slot / used * k..][..k];
                    let rms = (x.iter().map(|v| v * v).sum::<f32>() / k as f32 + EPS).sqrt();
                    let y: Vec<f32> = x.iter().zip(&norm).map(|(x, n)| x * n / rms).collect();
                    for o in 0..f {
                        let row = routes[slot].expert as usize * f + o;
                        dtype::dequantize_native_row(dt, &gates, k, row, &mut g);
                        dtype::dequantize_native_row(dt, &ups, k, row, &mut u);
                        let of = |w: &[f32]| {
                            let terms = || y.iter().zip(w).map(|(y, w)| y * w);
                            let size: f32 = terms().map(f32::abs).sum();
                            (
                                terms().sum::<f32>(),
                                size * (2.0 * k as f32 / 8.0 + k as f32 / 16.0 + 128.0) * U,
                            )
                        };
                        let ((gate, off), (up, up_off)) = (of(&g), of(&u));
                        products[slot * row_values + o] = (gate, off, up, up_off);
                    }
                }
                let check: Check = Box::new(move |want, got| {
                    close("out", ActFormat::F32, &want[6], &got[6], |i, _| {
                        let (gate, off, up, up_off) = products[i];
                        // The gates' slopes are below 1.2, their values below their arguments.
                        let (g, u) = (gate.abs() + off, up.abs() + up_off);
                        1.2 * off * u + g * up_off + 16.0 * f32::EPSILON * g * u
                    })
                });
                let what = format!("norm_expert_matmul_glu {dt} {k} x {f} rows {rows} of {max_rows}");
                let command = OneCommand::new(&norm_expert_matmul_glu::KERNEL, &consts, &[EPS], buffers);
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

fn expert_group_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(54);
        let mut cases = Vec::new();
        for (experts, used, tile) in [(1usize, 1usize, 64usize), (8, 2, 64), (33, 3, 100), (128, 8, 192)] {
            for (rows, max_rows) in [(0, 16), (1, 16), (37, 40), (500, 512), (2048, 2048)] {
                let consts = ExpertGroupConsts {
                    experts: experts as u32,
                    used: used as u32,
                    tile: tile as u32,
                    max_rows: max_rows as u32,
                };
                let routes = random_routes(&mut rng, rows, max_rows, experts, used);
                let groups = poison(expert_group::bytes(&consts) as usize);
                let buffers = vec![plain_step(rows, 0, max_rows), bytes(&routes), groups];
                let check: Check = Box::new(|want, got| same("groups", &want[2], &got[2]));
                let what = format!("expert_group {used} of {experts} rows {rows} of {max_rows} by {tile}");
                let command = OneCommand::new(&expert_group::KERNEL, &words(&consts), &[], buffers);
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

/// Groups of routes as `expert_group` writes them, here by sorting.
fn groups_of(routes: &[Choice], c: &ExpertGroupConsts) -> Vec<u8> {
    let mut order: Vec<u32> = (0..routes.len() as u32).collect();
    order.sort_by_key(|s| routes[*s as usize].expert);
    let (mut tiles, mut first) = (Vec::new(), 0);
    for of_one in order.chunk_by(|a, b| routes[*a as usize].expert == routes[*b as usize].expert) {
        for piece in of_one.chunks(c.tile as usize) {
            let expert = routes[piece[0] as usize].expert;
            tiles.push(Tile { expert, first, slots: piece.len() as u32, reserved: 0 });
            first += piece.len() as u32;
        }
    }
    let mut all = bytes(&[tiles.len() as u32, 0, 0, 0]);
    all.extend(bytes(&tiles));
    all.resize(16 * (1 + expert_group::most_tiles(c) as usize), POISON);
    all.extend(bytes(&order));
    all.resize(expert_group::bytes(c) as usize, POISON);
    all
}

/// Widths, outputs, experts of a row, all experts, rows, rows of the table, tile: whole and broken turns of 128 columns
/// and strips of 128 rows; tiles full, of one slot, and of each width that a tile's version has; tables of each family.
const GROUPED: [[usize; 7]; 11] = [
    [1024, 70, 3, 4, 15, 16, 16],
    [768, 260, 2, 4, 61, 64, 32],
    [512, 130, 2, 4, 3, 16, 16],
    [544, 64, 2, 2, 33, 128, 32],
    [256, 70, 1, 3, 2000, 2048, 32],
    [256, 128, 2, 4, 50, 64, 64],
    [512, 48, 3, 8, 0, 64, 128],
    [768, 300, 1, 3, 450, 500, 192],
    [1536, 16, 2, 2, 100, 100, 128],
    [64, 130, 1, 5, 400, 512, 64],
    [200, 8, 1, 2, 130, 130, 192],
];

fn grouped_matmul_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(55);
        let mut cases = Vec::new();
        for (i, dt) in DTYPES.iter().map(|d| d.dtype).enumerate().filter(|_| side.cuda()) {
            for (j, [k, n, used, experts, rows, max_rows, tile]) in GROUPED.into_iter().enumerate() {
                let Some(rule) = side.target.rule(dt, k as u64) else { continue };
                let Some(act) = rule.staged.map(|m| m.act) else { continue };
                let native = random_weights(dt, experts * n, k, &mut rng);
                let w = packed(dt, rule.layout, &native, experts * n, k).bytes().to_vec();
                let input = [Input::Row, Input::Slot][(i + j) % 2];
                let per_row = if input == Input::Slot { used } else { 1 };
                let x = stored(act, &rng.normals(max_rows * per_row * k), k);
                let (out_stride, out_col) = if j % 2 == 0 { (n, 0) } else { (2 * n, n) };
                let product = ExpertMatmulConsts {
                    dtype: dt as u32,
                    layout: rule.layout as u32,
                    act: act as u32,
                    k: k as u32,
                    n: n as u32,
                    experts: experts as u32,
                    used: used as u32,
                    input: input as u32,
                    out_stride: out_stride as u32,
                    out_col: out_col as u32,
                    max_rows: max_rows as u32,
                };
                let consts = GroupedMatmulConsts { product, tile: tile as u32 };
                let routes = random_routes(&mut rng, rows, max_rows, experts, used);
                let groups = groups_of(&routes[..rows * used], &consts.group());
                let x_values = loaded(act, &x, k);
                let buffers = vec![
                    plain_step(rows, 0, max_rows),
                    groups,
                    x,
                    w,
                    poison(max_rows * used * out_stride * 4),
                ];
                // Sums of eight columns at least are cut at twice the unit roundoff of their largest term; the twin adds in
                // sixteen chains. In planes each side rounds a weight in its own way.
                let terms = (k as f32 / 8.0 + 16.0) * 4.0 + k as f32 / 16.0 + 24.0;
                let (relative, least) = if dt.block() > 1 { products::rounding(act) } else { (0.0, 0.0) };
                let sizes = term_sizes(&product, &native, &x_values, &routes[..rows * used]);
                let check: Check = Box::new(move |want, got| {
                    close("out", ActFormat::F32, &want[4], &got[4], |i, _| {
                        let (size, inputs) = sizes.get(i).copied().unwrap_or_default();
                        size * (terms * 1.01 * U + 2.0 * relative) + 2.0 * least * inputs
                    })
                });
                let what = format!("grouped_matmul {dt} {k} x {n} of {experts} rows {rows} of {max_rows}");
                let command = OneCommand::new(&grouped_matmul::KERNEL, &words(&consts), &[], buffers);
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

fn expert_combine_agrees(on: On) {
    run_cases(on, |_| {
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
