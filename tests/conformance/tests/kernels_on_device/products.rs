//! Matrix products, alone and with their gates, and `dequantize`; those with a norm are in `normed.rs`.

mod checks;
mod normed;

use super::small::gate_bound;
use super::*;
use crate::harness::{Random, packed, random_weights};
use akunu::kernels::contract::Kernel;
use akunu::kernels::dequantize::DequantizeConsts;
use akunu::kernels::dtype::{self, DTYPES, k_quants};
use akunu::kernels::matmul::{MatmulConsts, Select};
use akunu::kernels::matmul_glu::MatmulGluConsts;
use akunu::kernels::{dequantize, matmul, matmul_add, matmul_glu};
use std::cell::OnceCell;

/// The kernels with cases in this file and in `normed.rs`.
pub(crate) const KERNELS: &[&str] = &[
    "matmul",
    "matmul_add",
    "matmul_glu",
    "norm_matmul",
    "norm_matmul_pair",
    "norm_matmul_glu",
    "norm_matmul_max",
    "dequantize",
];

/// How sums are made, as far as a bound depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sums {
    /// A chain of `k` additions.
    Chain,
    /// At least 8 chains.
    Lanes,
    /// Lanes, and activations of 16 bits with one scale for a block of 32.
    Lanes16,
    /// Matrix units, which cut bits off where they add.
    Units,
    /// The same after rounding the weights to f16 or bf16.
    RoundedUnits(ActFormat),
}

/// A random matrix, its bytes as the device wants them, and what may go wrong with a product.
struct Matrix {
    dt: DType,
    layout: Layout,
    k: usize,
    n: usize,
    native: Vec<u8>,
    sums: Sums,
    normalised: bool,
}

impl Matrix {
    fn new(side: &Side<'_>, dt: DType, n: usize, k: usize, rng: &mut Random) -> Option<Self> {
        if !k.is_multiple_of(dt.block() as usize) {
            return None;
        }
        let layout = side.layout(dt, k)?;
        let sums = match (side.kind, dt) {
            (Kind::Cpu, _) if dt.block() == 1 => Sums::Chain,
            (Kind::Cuda, DType::Mxfp8) => Sums::Lanes,
            (Kind::Cuda, _) if dt.block() > 1 => Sums::Lanes16,
            _ => Sums::Lanes,
        };
        let native = random_weights(dt, n, k, rng);
        Some(Self { dt, layout, k, n, native, sums, normalised: false })
    }

    fn bytes(&self) -> Vec<u8> {
        packed(self.dt, self.layout, &self.native, self.n, self.k).bytes().to_vec()
    }

    /// Row `j` and the magnitudes of what its values are made of: a minimum and a scaled quant may cancel.
    fn row(&self, j: usize) -> (Vec<f32>, Vec<f32>) {
        let mut w = vec![0.0; self.k];
        dtype::dequantize_native_row(self.dt, &self.native, self.k, j, &mut w);
        let (block, size) = (self.dt.block() as usize, self.dt.info().block_bytes as usize);
        let offset = |i: usize| {
            let b = &self.native[(j * self.k + i) / block * size..][..size];
            2.0 * minimum(self.dt, b, i % block).abs()
        };
        let sizes = w.iter().enumerate().map(|(i, w)| w.abs() + offset(i)).collect();
        (w, sizes)
    }

    /// The product of row `j` with `x`, and how far twin and device may be apart.
    fn product(&self, j: usize, x: &[f32]) -> (f32, f32) {
        let (w, sizes) = self.row(j);
        self.product_of(&w, &sizes, x)
    }

    /// `[rows of x, n]`: how far twin and device may be apart. Each row of the matrix is decoded once.
    fn bounds(&self, x: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; x.len() / self.k * self.n];
        for j in 0..self.n {
            let (w, sizes) = self.row(j);
            for (r, x) in x.chunks_exact(self.k).enumerate() {
                out[r * self.n + j] = self.product_of(&w, &sizes, x).1;
            }
        }
        out
    }

    /// [`Self::product`] of a row and the sizes of its values.
    fn product_of(&self, w: &[f32], sizes: &[f32], x: &[f32]) -> (f32, f32) {
        let exact: f64 = w.iter().zip(x).map(|(w, x)| f64::from(*w) * f64::from(*x)).sum();
        let sum: f32 = sizes.iter().zip(x).map(|(w, x)| w * x.abs()).sum();
        let k = self.k as f32;
        let device = match self.sums {
            Sums::Chain => k + 32.0,
            Sums::Lanes | Sums::Lanes16 => k / 8.0 + 32.0,
            // Steps of 8 columns at least, each cut at twice the unit roundoff of the largest term.
            Sums::Units | Sums::RoundedUnits(_) => (k / 8.0 + 16.0) * 4.0,
        };
        // The sum of squares in two orders, the root, and two products.
        let norm = if self.normalised { k / 16.0 + 64.0 } else { 0.0 };
        let twin = k / 16.0 + 24.0;
        let mut bound = (device + twin + norm) * U * sum;
        if let Sums::RoundedUnits(act) = self.sums {
            let (relative, least) = rounding(act);
            bound += relative * sum + least * x.iter().map(|x| x.abs()).sum::<f32>();
        }
        if self.sums == Sums::Lanes16 {
            // Half a step of 1/32512 of a block's largest value.
            bound += sizes
                .chunks(32)
                .zip(x.chunks(32))
                .map(|(w, x)| {
                    let largest = x.iter().fold(0f32, |m, v| m.max(v.abs()));
                    w.iter().sum::<f32>() * largest * 1.01 / 65_024.0
                })
                .sum::<f32>();
        }
        (exact as f32, bound)
    }
}

/// What rounding to `act` does to a weight, relative to what it is made of and beside that: half a unit in the last place of a weight
/// and of its factor; below the normal f16, half of the smallest one, of a factor times the largest code.
pub(super) fn rounding(act: ActFormat) -> (f32, f32) {
    if act == ActFormat::F16 { (2f32.powi(-10), 2f32.powi(-18)) } else { (2f32.powi(-8), 0.0) }
}

/// What is added to value `i` of a block, where the format has such a thing.
pub(super) fn minimum(dt: DType, b: &[u8], i: usize) -> f32 {
    let half_at = |at: usize| f16::from_le_bytes([b[at], b[at + 1]]).to_f32();
    match dt {
        DType::Q4_1 | DType::Q5_1 => half_at(2),
        DType::Q4K | DType::Q5K => half_at(2) * f32::from(k_quants::scale_and_min(&b[4..16], i / 32).1),
        DType::Q2K => half_at(82) * f32::from(b[i / 16] >> 4),
        _ => dt.affine().map_or(0.0, |a| a.scale.value([b[2], b[3]])),
    }
}

/// Widths for a format: one block, odd numbers of blocks, and those of real models.
fn widths(dt: DType) -> &'static [usize] {
    match dt.block() {
        1 => &[8, 64, 72, 576, 1000, 4096, 14336],
        32 => &[32, 64, 96, 576, 1568, 4096, 14336],
        64 => &[64, 192, 576, 1600, 4096, 14336],
        128 => &[128, 384, 1664, 4096, 14336],
        _ => &[256, 512, 1536, 4096, 14336],
    }
}

/// Shapes of a product of few rows: (format, n, k, active rows, rows of the table). Every width in a table of 1 row and
/// of 8; outputs and active rows take turns.
fn few(formats: impl Iterator<Item = DType>) -> Vec<(DType, usize, usize, usize, usize)> {
    let (ns, rows) = ([1usize, 17, 33, 130, 301], [8usize, 7, 2, 1, 3, 0]);
    let mut out = Vec::new();
    for (i, dt) in formats.enumerate() {
        let siblings = dt.affine().is_some();
        for (j, k) in widths(dt).iter().enumerate() {
            // The affine formats are one family: each takes a few of the widths.
            if siblings && (i + j) % 3 != 0 {
                continue;
            }
            let n = |shift: usize| ns[(i + j + shift) % ns.len()];
            out.push((dt, n(0), *k, 1, 1));
            out.push((dt, n(2), *k, rows[(i + j) % rows.len()], 8));
        }
        // More outputs than a GPU takes at once, so that blocks have several.
        let k = 320usize.next_multiple_of(2 * dt.block().min(128) as usize);
        if !siblings || i % 2 == 0 {
            out.push((dt, 9001, k, 1, 1));
        }
        if !siblings || i % 2 == 1 {
            out.push((dt, 4099, k, 8, 8));
        }
    }
    out
}

fn formats() -> impl Iterator<Item = DType> {
    DTYPES.iter().map(|i| i.dtype)
}

fn consts(
    m: &Matrix,
    act: ActFormat,
    stride: usize,
    col: usize,
    select: Select,
    max_rows: usize,
) -> Vec<u32> {
    words(&MatmulConsts {
        dtype: m.dt as u32,
        layout: m.layout as u32,
        act: act as u32,
        k: m.k as u32,
        n: m.n as u32,
        out_stride: stride as u32,
        out_col: col as u32,
        select: select as u32,
        max_rows: max_rows as u32,
    })
}

/// Compares `[rows, stride]` outputs whose columns from `col` on are products of rows of `x`, with something added.
fn products(m: &Matrix, x: &[f32], stride: usize, col: usize, want: &[u8], got: &[u8]) -> Result<(), String> {
    let bounds = OnceCell::new();
    close("out", ActFormat::F32, want, got, |i, w| {
        let (r, j) = (i / stride, i % stride - col);
        // The addition of the residual rounds once on each side.
        bounds.get_or_init(|| m.bounds(x))[r * m.n..][..m.n][j] + 2.0 * U * w.abs()
    })
}

/// A case of `matmul` or `matmul_add`; `rows` of the input are in use.
fn matmul_case(
    kernel: &'static Kernel,
    m: Matrix,
    act: ActFormat,
    rows: usize,
    head: Option<usize>,
    max_rows: usize,
    rng: &mut Random,
) -> Case {
    // Such that four outputs may be stored at once, and such that they may not.
    let (stride, col) = if m.n.is_multiple_of(8) { (m.n + 8, 4) } else { (m.n + 7, 3) };
    let x = stored(act, &rng.normals(max_rows * m.k), m.k);
    let select = if head.is_some() { Select::Head } else { Select::All };
    let consts = consts(&m, act, stride, col, select, max_rows);
    let mut buffers = vec![plain_step(rows, head.unwrap_or(0), max_rows), x.clone(), m.bytes()];
    if kernel.name == "matmul_add" {
        buffers.push(bytes(&rng.normals(max_rows * stride)));
    }
    buffers.push(poison(max_rows * stride * 4));
    let (last, x) = (buffers.len() - 1, loaded(act, &x, m.k));
    let layout = m.layout.name();
    let what = format!(
        "{} {} {layout} {} x {} rows {rows} of {max_rows} head {head:?}",
        kernel.name, m.dt, m.n, m.k
    );
    let check: Check = Box::new(move |want, got| products(&m, &x, stride, col, &want[last], &got[last]));
    case(what, OneCommand::new(kernel, &consts, &[], buffers), check)
}

on_each_device_and_vulkan!(matmul_agrees, matmul_add_agrees,);

on_each_device!(matmul_glu_agrees, dequantize_rounds_alike,);

fn matmuls(on: On, kernel: &'static Kernel, seed: u64) {
    run_cases(on, |side| {
        let mut rng = Random(seed);
        let mut cases = Vec::new();
        for (dt, n, k, rows, max_rows) in few(formats()) {
            let Some(m) = Matrix::new(side, dt, n, k, &mut rng) else { continue };
            let Some(act) = side.target.rule(dt, k as u64).map(|r| r.act) else { continue };
            cases.push(matmul_case(kernel, m, act, rows, None, max_rows, &mut rng));
        }
        for dt in formats() {
            let Some(m) = Matrix::new(side, dt, 45, 512, &mut rng) else { continue };
            let Some(act) = side.target.rule(dt, 512).map(|r| r.act) else { continue };
            cases.push(matmul_case(kernel, m, act, 8, Some(3), 4, &mut rng));
        }
        if side.cuda() {
            cases.extend(tiled(kernel, side, &mut rng));
        }
        if side.kind == Kind::Vulkan {
            cases.extend(many(kernel, side, &mut rng));
        }
        if side.units() {
            cases.extend(on_units(kernel, side, &mut rng));
        }
        cases
    });
}

/// Tables of many rows, where they have the same kernel as those of few.
fn many(kernel: &'static Kernel, side: &Side<'_>, rng: &mut Random) -> Vec<Case> {
    let mut cases = Vec::new();
    for (i, dt) in formats().enumerate() {
        for (j, (rows, max_rows)) in MANY.into_iter().enumerate().filter(|(_, m)| m.1 <= 300) {
            let k = [64usize, 320, 576][(i + j) % 3].next_multiple_of(dt.block() as usize);
            let n = [1usize, 45, 130][(i + 2 * j) % 3];
            let Some(m) = Matrix::new(side, dt, n, k, rng) else { continue };
            cases.push(matmul_case(kernel, m, ActFormat::F32, rows, None, max_rows, rng));
        }
    }
    cases
}

/// The same on matrix units, through Vulkan: weights of every format, rounded to f16 on their way.
fn on_units(kernel: &'static Kernel, side: &Side<'_>, rng: &mut Random) -> Vec<Case> {
    let act = ActFormat::F16;
    let mut cases = Vec::new();
    for (i, dt) in formats().enumerate() {
        let shapes = if dt.block() > 1 { flat_shapes(dt, i) } else { TILES.to_vec() };
        for (j, (n, k)) in shapes.into_iter().enumerate() {
            let (rows, max_rows) = MANY[(2 * i + 3 * j) % MANY.len()];
            let Some(m) = rounded(side, dt, n, k, act, rng) else { continue };
            cases.push(matmul_case(kernel, m, act, rows, None, max_rows, rng));
        }
        if let Some(m) = rounded(side, dt, 65, 512, act, rng) {
            cases.push(matmul_case(kernel, m, act, 100, Some(37), 64, rng));
        }
    }
    cases
}

/// Active rows and rows of the table, for products on matrix units.
const MANY: [(usize, usize); 13] = [
    (9, 9),
    (1, 16),
    (64, 64),
    (65, 100),
    (128, 128),
    (129, 300),
    (0, 64),
    (512, 512),
    (600, 600),
    (17, 17),
    (33, 40),
    (63, 63),
    (200, 200),
];
/// Outputs and widths for them.
const TILES: [(usize, usize); 11] = [
    (1, 64),
    (33, 8),
    (130, 200),
    (576, 576),
    (257, 1000),
    (96, 2048),
    (520, 72),
    (192, 96),
    (1100, 64),
    (4170, 520),
    (24_011, 136),
];

fn units(side: &Side<'_>, dt: DType, n: usize, k: usize, rng: &mut Random) -> Option<Matrix> {
    Matrix::new(side, dt, n, k, rng).map(|m| Matrix { sums: Sums::Units, ..m })
}

/// A matrix in planes, as products of many rows take it.
fn rounded(
    side: &Side<'_>,
    dt: DType,
    n: usize,
    k: usize,
    act: ActFormat,
    rng: &mut Random,
) -> Option<Matrix> {
    Matrix::new(side, dt, n, k, rng).map(|m| Matrix { sums: Sums::RoundedUnits(act), ..m })
}

const PAIRS: [(DType, ActFormat); 2] = [(DType::F16, ActFormat::F16), (DType::Bf16, ActFormat::Bf16)];

fn tiled(kernel: &'static Kernel, side: &Side<'_>, rng: &mut Random) -> Vec<Case> {
    let mut cases = Vec::new();
    for (p, (dt, act)) in PAIRS.into_iter().enumerate() {
        for (i, (n, k)) in TILES.into_iter().enumerate() {
            for shift in [0, 4] {
                let (rows, max_rows) = MANY[(i + p + shift) % MANY.len()];
                let Some(m) = units(side, dt, n, k, rng) else { continue };
                cases.push(matmul_case(kernel, m, act, rows, None, max_rows, rng));
            }
        }
        if let Some(m) = units(side, dt, 65, 136, rng) {
            cases.push(matmul_case(kernel, m, act, 100, Some(37), 64, rng));
        }
        // As `dequantize` leaves them.
        for (rows, max_rows) in [(31, 32), (513, 513)] {
            let Some(m) = units(side, dt, 577, 520, rng) else { continue };
            cases.push(matmul_case(
                kernel,
                Matrix { layout: Layout::Staged, ..m },
                act,
                rows,
                None,
                max_rows,
                rng,
            ));
        }
    }
    // Weights dequantized on their way: every format, whole and odd tiles, one unit of 256 columns to many, and such with
    // a rest; parts of k in one block and in two.
    for (i, dt) in quantized().enumerate() {
        for (j, (n, k)) in flat_shapes(dt, i).into_iter().enumerate() {
            let (rows, max_rows) = MANY[(2 * i + 3 * j) % MANY.len()];
            let Some(m) = rounded(side, dt, n, k, ActFormat::F16, rng) else { continue };
            cases.push(matmul_case(kernel, m, ActFormat::F16, rows, None, max_rows, rng));
        }
        if let Some(m) = rounded(side, dt, 65, 512, ActFormat::Bf16, rng).filter(|_| i % 4 == 0) {
            cases.push(matmul_case(kernel, m, ActFormat::Bf16, 100, Some(37), 64, rng));
        }
    }
    cases
}

/// Formats whose weights lie in planes.
fn quantized() -> impl Iterator<Item = DType> {
    formats().filter(|dt| dt.block() > 1)
}

/// Outputs and widths for one of them; the affine formats are one family and take turns.
fn flat_shapes(dt: DType, turn: usize) -> Vec<(usize, usize)> {
    let (ns, block) = ([1usize, 130, 64, 300, 576, 1100], dt.block() as usize);
    let ks = [block, 3 * block.max(96), 768, 2048, 544usize.next_multiple_of(block)];
    let all = ks.into_iter().enumerate().map(|(j, k)| (ns[(turn + j) % ns.len()], k));
    let mut shapes: Vec<_> = all.skip(if dt.affine().is_some() { turn % 3 + 1 } else { 0 }).collect();
    shapes.truncate(if dt.affine().is_some() { 2 } else { 5 });
    // Many outputs: one part of k, and several tiles a block.
    if matches!(dt, DType::Q4_0 | DType::Q4K | DType::Q6K | DType::Q8_0) {
        shapes.extend([(12_011, 256), (5000, 512)]);
    }
    shapes
}

fn matmul_agrees(on: On) {
    matmuls(on, &matmul::KERNEL, 11);
}

fn matmul_add_agrees(on: On) {
    matmuls(on, &matmul_add::KERNEL, 12);
}

fn matmul_glu_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(13);
        let mut cases = Vec::new();
        if side.cuda() {
            for (p, (dt, act)) in PAIRS.into_iter().enumerate() {
                for (i, (f, k)) in TILES.into_iter().enumerate() {
                    cases.extend(glu_case(side, dt, act, (f, k), (i, i + 3 * p), &mut rng));
                }
            }
            for (i, dt) in quantized().enumerate() {
                for (j, shape) in flat_shapes(dt, i + 1).into_iter().enumerate() {
                    cases.extend(glu_case(side, dt, ActFormat::F16, shape, (i + j, 4 * i + j), &mut rng));
                }
            }
            // Tiles of all 256 rows.
            for (i, dt) in [DType::Q4_0, DType::Q8_0, DType::Q4K, DType::Q6K].into_iter().enumerate() {
                cases.extend(glu_case_of(side, dt, ActFormat::F16, (14_336, 256), i, (250, 256), &mut rng));
            }
        }
        cases
    });
}

/// On matrix units through Vulkan; lavapipe has none.
#[test]
#[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
fn vulkan_matmul_glu_agrees_on_matrix_units() {
    let (device, _) = &devices(On::Vulkan)[0];
    if !(Side { kind: Kind::Vulkan, target: device.target() }).units() {
        println!("0 cases of matmul_glu: {} has no matrix units", device.info().name);
        return;
    }
    run_cases(On::Vulkan, |side| {
        let mut rng = Random(13);
        let mut cases = Vec::new();
        for (i, dt) in formats().enumerate() {
            let shapes = if dt.block() > 1 { flat_shapes(dt, i) } else { TILES.to_vec() };
            for (j, shape) in shapes.into_iter().enumerate() {
                cases.extend(glu_case(side, dt, ActFormat::F16, shape, (i + j, 4 * i + j), &mut rng));
            }
        }
        cases
    });
}

/// A case of `matmul_glu`; `turn` picks the activation and the output, then the rows.
fn glu_case(
    side: &Side<'_>,
    dt: DType,
    act: ActFormat,
    shape: (usize, usize),
    turn: (usize, usize),
    rng: &mut Random,
) -> Option<Case> {
    glu_case_of(side, dt, act, shape, turn.0, MANY[turn.1 % MANY.len()], rng)
}

/// The same with so many active rows of a table.
fn glu_case_of(
    side: &Side<'_>,
    dt: DType,
    act: ActFormat,
    (f, k): (usize, usize),
    turn: usize,
    (rows, max_rows): (usize, usize),
    rng: &mut Random,
) -> Option<Case> {
    let quantized = dt.block() > 1;
    let as_f16 = quantized || side.units();
    let m = if as_f16 { rounded(side, dt, 2 * f, k, act, rng)? } else { units(side, dt, 2 * f, k, rng)? };
    let (activation, out) = ((turn % 2) as u32, [act, ActFormat::F32, act][turn % 3]);
    let x = stored(act, &rng.normals(max_rows * k), k);
    let consts = words(&MatmulGluConsts {
        dtype: dt as u32,
        layout: m.layout as u32,
        act: act as u32,
        k: k as u32,
        f: f as u32,
        activation,
        act_out: out as u32,
        max_rows: max_rows as u32,
    });
    let poisoned = poison(max_rows * out.row_bytes(f));
    let buffers = vec![plain_step(rows, 0, max_rows), x.clone(), m.bytes(), poisoned];
    let x = loaded(act, &x, k);
    let check: Check = Box::new(move |want, got| gates(&m, &x, f, activation, out, &want[3], &got[3]));
    let what = format!("matmul_glu {dt} {f} x {k} rows {rows} of {max_rows} to {}", out.name());
    Some(case(what, OneCommand::new(&matmul_glu::KERNEL, &consts, &[], buffers), check))
}

/// In tables of 9 to 512 rows a row's bits depend on its own values alone: not on how many rows are active, nor on how many
/// the table holds.
#[test]
#[ignore = "needs an NVIDIA GPU; tools/h200.sh"]
fn gpu_bits_of_many_rows_do_not_depend_on_the_others() {
    const TABLES: [usize; 11] = [512, 256, 200, 128, 96, 64, 33, 32, 24, 16, 9];
    let failed = Mutex::new(Vec::new());
    for (device, _) in devices(On::Gpu) {
        let floats = [(DType::F16, ActFormat::F16), (DType::Bf16, ActFormat::Bf16)];
        let others = [DType::Q4_0, DType::Q8_0, DType::Q4K, DType::Q6K, DType::Nvfp4, DType::Affine4G64];
        let pairs = floats.into_iter().chain(others.map(|dt| (dt, ActFormat::F16)));
        // One part of k, two and four, in small tiles and in large ones, whose sums go from block to block and through memory, and more tiles
        // than run at a time; each on a thread, since most of the time is the compiler's.
        const SHAPES: [(usize, usize); 6] =
            [(12_000, 512), (4000, 768), (300, 2048), (4000, 2048), (9000, 1024), (2500, 14_336)];
        let all = pairs.flat_map(|p| SHAPES.map(|s| (p, s)));
        std::thread::scope(|threads| {
            for ((dt, act), (n, k)) in all {
                let failed = &failed;
                threads.spawn(move || {
                    let side = Side { kind: Kind::Cuda, target: device.target() };
                    let mut rng = Random(20);
                    let Some(m) = units(&side, dt, n, k, &mut rng) else { return };
                    let (weights, x) = (m.bytes(), rng.normals(512 * k));
                    let mut first: Option<Vec<u8>> = None;
                    // Up to eight active rows have a way of their own in the smallest tables.
                    let few = [(32, 16), (24, 8), (16, 8), (16, 1), (9, 8)];
                    for (max_rows, rows) in TABLES.into_iter().flat_map(|r| [(r, r), (r, r - 2)]).chain(few) {
                        let consts = consts(&m, act, n, 0, Select::All, max_rows);
                        let x = stored(act, &x[..max_rows * k], k);
                        let buffers =
                            vec![plain_step(rows, 0, max_rows), x, weights.clone(), poison(max_rows * n * 4)];
                        let command = OneCommand::new(&matmul::KERNEL, &consts, &[], buffers);
                        let out = command.run(&**device).unwrap().pop().unwrap();
                        let first = first.get_or_insert_with(|| out.clone());
                        let used = rows * n * 4;
                        if out[..used] != first[..used] {
                            failed.lock().unwrap().push(format!("{dt} {n} x {k}, {rows} rows of {max_rows}"));
                        }
                    }
                });
            }
        });
    }
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "other bits: {}", failed.join("; "));
}

/// Tables of up to 32 rows have weights of 16 bits as the rows of their products: chunks of 64, whole and not, and columns by eights; k in one
/// part and in several, of one block and of two.
#[test]
#[ignore = "needs an NVIDIA GPU; tools/h200.sh"]
fn gpu_products_of_few_rows_by_16_bits_agree() {
    const SHAPES: [(usize, usize); 8] =
        [(1, 64), (33, 8), (130, 200), (300, 2048), (4170, 520), (6144, 512), (12_000, 256), (200, 4096)];
    const ROWS: [(usize, usize); 10] =
        [(9, 9), (16, 16), (8, 16), (32, 32), (17, 17), (24, 24), (1, 16), (20, 32), (7, 32), (0, 16)];
    run_cases(On::Gpu, |side| {
        let (mut rng, mut cases) = (Random(21), Vec::new());
        for (p, (dt, act)) in PAIRS.into_iter().enumerate() {
            for (i, shape) in SHAPES.into_iter().enumerate() {
                for j in 0..3 {
                    let rows = ROWS[(3 * i + j + 5 * p) % ROWS.len()];
                    for kernel in [&matmul::KERNEL, &matmul_add::KERNEL] {
                        let Some(m) = units(side, dt, shape.0, shape.1, &mut rng) else { continue };
                        cases.push(matmul_case(kernel, m, act, rows.0, None, rows.1, &mut rng));
                    }
                    cases.extend(glu_case_of(
                        side,
                        dt,
                        act,
                        (shape.0.div_ceil(2), shape.1),
                        i + j,
                        rows,
                        &mut rng,
                    ));
                }
            }
        }
        cases
    });
}

/// Compares gated products of rows of `x` (true inputs of the product).
fn gates(
    m: &Matrix,
    x: &[f32],
    f: usize,
    activation: u32,
    out: ActFormat,
    want: &[u8],
    got: &[u8],
) -> Result<(), String> {
    let row = out.row_bytes(f) / if out == ActFormat::F32 { 4 } else { 2 };
    close("out", out, want, got, |i, w| {
        let (r, j) = (i / row, i % row);
        let x = &x[r * m.k..][..m.k];
        let ((g, gate), (u, up)) = (m.product(j, x), m.product(f + j, x));
        let unit = unit_of(out);
        // The gates' slopes are below 1.2, their values below their arguments.
        let slopes = 1.2 * gate * (u.abs() + up) + g.abs() * up;
        (slopes + gate_bound(activation, g, u, w / unit)) * unit + step_size(out, w)
    })
}

fn dequantize_rounds_alike(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(17);
        let mut cases = Vec::new();
        for dt in formats().filter(|_| side.cuda()) {
            let shapes = [(1usize, 256usize), (7, 512), (33, 2048), (300, 4096), (5, 768)];
            // The affine formats are one family: two shapes each.
            let every = if dt.affine().is_some() { 3 } else { 1 };
            for (i, (n, k)) in shapes.into_iter().enumerate().step_by(every) {
                let Some(mut m) = Matrix::new(side, dt, n, k, &mut rng) else { continue };
                if dt == DType::F32 {
                    // Beyond what f16 holds.
                    m.native[..8].copy_from_slice(&[1e6f32.to_le_bytes(), (-1e6f32).to_le_bytes()].concat());
                }
                for (to, rows) in [(DType::F16, 20), (DType::Bf16, usize::from(i != 0))] {
                    let consts = words(&DequantizeConsts {
                        dtype: dt as u32,
                        layout: m.layout as u32,
                        k: k as u32,
                        n: n as u32,
                        to: to as u32,
                    });
                    let buffers = vec![plain_step(rows, 0, 20), m.bytes(), poison(n * k * 2)];
                    let check: Check = Box::new(|want, got| same("out", &want[2], &got[2]));
                    let command = OneCommand::new(&dequantize::KERNEL, &consts, &[], buffers);
                    cases.push(case(
                        format!("dequantize {dt} {n} x {k} to {to} rows {rows}"),
                        command,
                        check,
                    ));
                }
            }
        }
        cases
    });
}
