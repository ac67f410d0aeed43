//! The plain twins of the fused products against the kernels that they are made of.

mod harness;

use akunu_kernels::act::ActFormat;
use akunu_kernels::contract::Kernel;
use akunu_kernels::cpu::{Buf, Level};
use akunu_kernels::dtype::{self, DTYPES, DType, Layout, planes};
use akunu_kernels::{
    glu, logits_max, matmul, norm_matmul, norm_matmul_glu, norm_matmul_max, norm_matmul_pair, rms_norm,
};
use harness::{Memory, Random, plain_rows, random_weights, step_block};

const EPS: f32 = 1e-5;
const CHUNK: usize = 64;

/// A matrix in each layout that the twins read, its inputs, and a step of `rows` rows with `head` head rows.
struct Case {
    dt: DType,
    k: usize,
    n: usize,
    rows: usize,
    head: usize,
    native: Vec<u8>,
    packed: [(Layout, Memory); 2],
    x: Memory,
    norm: Memory,
    step: Memory,
}

fn case(dt: DType, n: usize, rows: usize, head: usize, seed: u64) -> Case {
    let k = if dt.block() == 1 { 100 } else { 512 };
    let mut rng = Random(seed);
    let native = random_weights(dt, n, k, &mut rng);
    let mut packed = Memory::new(native.len(), 0);
    for i in 0..planes::planes(dt).len() {
        let at = planes::offset(dt, i, n as u64, k as u64) as usize;
        let len = n * planes::row_bytes(dt, i, k as u64) as usize;
        planes::pack(dt, &native, i, &mut packed.bytes_mut()[at..at + len]);
    }
    let packed = [(Layout::Native, Memory::of(&native)), (Layout::Planes, packed)];
    let (x, norm) = (Memory::of(&rng.normals(rows * k)), Memory::of(&rng.normals(k)));
    let step = step_block(&plain_rows(rows), head as u32);
    Case { dt, k, n, rows, head, native, packed, x, norm, step }
}

fn run(kernel: &Kernel, consts: &[u32], params: &[f32], bufs: &[Buf]) {
    let params: Vec<u32> = params.iter().map(|p| p.to_bits()).collect();
    harness::run(kernel, Level::Reference, consts, &params, bufs, 3);
}

impl Case {
    /// Rows a command works on.
    fn active(&self, select: u32) -> usize {
        if select == 1 { self.head } else { self.rows }
    }

    /// `rms_norm` of the selected rows, as activation rows.
    fn normalised(&mut self, select: u32) -> Memory {
        let mut out = Memory::new(self.rows * ActFormat::F32.row_bytes(self.k), 0xFF);
        let consts = [self.k as u32, ActFormat::F32 as u32, select, self.rows as u32];
        let bufs = [self.step.buf(), self.x.buf(), self.norm.buf(), out.buf()];
        run(&rms_norm::KERNEL, &consts, &[EPS], &bufs);
        out
    }

    /// `matmul` of those rows with the native matrix; `[rows, n]`.
    fn product(&mut self, y: &mut Memory, select: u32) -> Memory {
        let mut out = Memory::of(&vec![f32::NAN; self.rows * self.n]);
        let mut w = Memory::of(&self.native);
        let (k, n) = (self.k as u32, self.n as u32);
        let consts = [self.dt as u32, Layout::Native as u32, 0, k, n, n, 0, select, self.rows as u32];
        run(&matmul::KERNEL, &consts, &[], &[self.step.buf(), y.buf(), w.buf(), out.buf()]);
        out
    }

    /// What the two orders of additions in a norm and a dot product may differ by in output (r, j).
    fn bound(&self, y: &Memory, r: usize, j: usize) -> f32 {
        let mut w = vec![0.0; self.k];
        dtype::dequantize_native_row(self.dt, &self.native, self.k, j, &mut w);
        let y = &y.values::<f32>()[r * ActFormat::F32.row_bytes(self.k) / 4..][..self.k];
        let sum: f32 = w.iter().zip(y).map(|(w, y)| (w * y).abs()).sum();
        (self.k / 8 + 32) as f32 * (f32::EPSILON / 2.0) * sum
    }
}

/// Every format with a few shapes: outputs, rows, head rows.
fn cases() -> impl Iterator<Item = Case> {
    let shapes = [(1, 1, 1), (37, 3, 2), (130, 8, 5), (64, 4, 0)];
    DTYPES.iter().enumerate().flat_map(move |(i, info)| {
        shapes.into_iter().map(move |(n, rows, head)| case(info.dtype, n, rows, head, (100 * i + n) as u64))
    })
}

fn close(what: &str, got: f32, want: f32, bound: f32) {
    assert!((got - want).abs() <= bound, "{what}: {got} for {want}, bound {bound}");
}

#[test]
fn norm_matmul_is_a_norm_and_a_product() {
    for mut c in cases() {
        for select in [0, 1] {
            let mut y = c.normalised(select);
            let want = c.product(&mut y, select);
            let (stride, col) = (c.n + 7, 3);
            for l in 0..2 {
                let mut out = Memory::of(&vec![f32::NAN; c.rows * stride]);
                let (k, n) = (c.k as u32, c.n as u32);
                let layout = c.packed[l].0 as u32;
                let consts = [c.dt as u32, layout, 0, k, n, stride as u32, col as u32, select, c.rows as u32];
                let w = c.packed[l].1.buf();
                let bufs = [c.step.buf(), c.x.buf(), c.norm.buf(), w, out.buf()];
                run(&norm_matmul::KERNEL, &consts, &[EPS], &bufs);
                for (i, v) in out.values::<f32>().iter().enumerate() {
                    let (r, j) = (i / stride, (i % stride).wrapping_sub(col));
                    let what = format!("{} n {} select {select} ({r}, {j})", c.dt, c.n);
                    if r < c.active(select) && j < c.n {
                        close(&what, *v, want.values::<f32>()[r * c.n + j], c.bound(&y, r, j));
                    } else {
                        assert!(v.is_nan(), "{what} is written");
                    }
                }
            }
        }
    }
}

#[test]
fn norm_matmul_pair_is_two_of_norm_matmul() {
    for mut c in cases() {
        let (stride, col, n) = (2 * c.n + 5, 2, c.n as u32);
        let mut y = c.normalised(0);
        let want = c.product(&mut y, 0);
        let mut out = Memory::of(&vec![f32::NAN; c.rows * stride]);
        // The same matrix in two layouts.
        let [a, b] = [0, 1].map(|l| c.packed[l].0 as u32);
        let dt = c.dt as u32;
        let consts = [dt, a, n, dt, b, n, c.k as u32, stride as u32, col as u32, c.rows as u32];
        let [w, w2] = [0, 1].map(|l| c.packed[l].1.buf());
        let bufs = [c.step.buf(), c.x.buf(), c.norm.buf(), w, w2, out.buf()];
        run(&norm_matmul_pair::KERNEL, &consts, &[EPS], &bufs);
        for (i, v) in out.values::<f32>().iter().enumerate() {
            let (r, j) = (i / stride, (i % stride).wrapping_sub(col));
            let what = format!("{} n {} ({r}, {j})", c.dt, c.n);
            if r < c.active(0) && j < 2 * c.n {
                let j = j % c.n;
                close(&what, *v, want.values::<f32>()[r * c.n + j], c.bound(&y, r, j));
            } else {
                assert!(v.is_nan(), "{what} is written");
            }
        }
    }
}

#[test]
fn norm_matmul_glu_is_a_norm_a_product_and_gates() {
    for mut c in cases().filter(|c| c.n % 2 == 0) {
        for activation in [0, 1] {
            let f = c.n / 2;
            let mut y = c.normalised(0);
            let mut gate_up = c.product(&mut y, 0);
            let row = ActFormat::F32.row_bytes(f) / 4;
            let mut want = Memory::of(&vec![f32::NAN; c.rows * row]);
            let consts = [f as u32, activation, ActFormat::F32 as u32, 1, c.rows as u32];
            run(&glu::KERNEL, &consts, &[], &[c.step.buf(), gate_up.buf(), want.buf()]);
            for l in 0..2 {
                let mut out = Memory::of(&vec![f32::NAN; c.rows * row]);
                let layout = c.packed[l].0 as u32;
                let consts = [c.dt as u32, layout, c.k as u32, f as u32, activation, 0, c.rows as u32];
                let w = c.packed[l].1.buf();
                let bufs = [c.step.buf(), c.x.buf(), c.norm.buf(), w, out.buf()];
                run(&norm_matmul_glu::KERNEL, &consts, &[EPS], &bufs);
                for r in 0..c.rows {
                    for j in 0..f {
                        let (gate, up) = (c.bound(&y, r, j), c.bound(&y, r, f + j));
                        let products = &gate_up.values::<f32>()[r * c.n..];
                        let (g, u) = (products[j].abs(), products[f + j].abs());
                        // The gates' slopes are below 1.2, their values below their arguments.
                        let bound = 1.2 * gate * (u + up) + g * up + 8.0 * f32::EPSILON * g * u;
                        let what = format!("{} f {f} activation {activation} ({r}, {j})", c.dt);
                        close(
                            &what,
                            out.values::<f32>()[r * row + j],
                            want.values::<f32>()[r * row + j],
                            bound,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn norm_matmul_max_is_a_norm_a_product_and_the_best_of_chunks() {
    for mut c in cases() {
        let mut y = c.normalised(1);
        let want = c.product(&mut y, 1);
        let chunks = logits_max::chunks(c.n, CHUNK);
        for l in 0..2 {
            let mut logits = Memory::of(&vec![f32::NAN; c.rows * c.n]);
            let mut best = Memory::new(c.rows * chunks * 8, 0xFF);
            let layout = c.packed[l].0 as u32;
            let (k, n, rows) = (c.k as u32, c.n as u32, c.rows as u32);
            let consts = [c.dt as u32, layout, k, n, CHUNK as u32, rows];
            let w = c.packed[l].1.buf();
            let bufs = [c.step.buf(), c.x.buf(), c.norm.buf(), w, logits.buf(), best.buf()];
            run(&norm_matmul_max::KERNEL, &consts, &[EPS], &bufs);
            for r in 0..c.head {
                for j in 0..c.n {
                    let (got, want) =
                        (logits.values::<f32>()[r * c.n + j], want.values::<f32>()[r * c.n + j]);
                    close(&format!("{} n {n} ({r}, {j})", c.dt), got, want, c.bound(&y, r, j));
                }
            }
            assert!(logits.values::<f32>()[c.head * c.n..].iter().all(|v| v.is_nan()), "{}", c.dt);
            // The best of these logits, to the bit.
            let mut again = Memory::new(c.rows * chunks * 8, 0xFF);
            let bufs = [c.step.buf(), logits.buf(), again.buf()];
            run(&logits_max::KERNEL, &[n, CHUNK as u32, rows], &[], &bufs);
            assert_eq!(best.bytes(), again.bytes(), "{} n {n}", c.dt);
        }
    }
}
