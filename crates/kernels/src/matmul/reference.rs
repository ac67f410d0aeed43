//! The plain twin: dequantize a weight row, multiply it with every input row, in f32.

use super::{Epilogue, MatmulConsts, active_rows};
use crate::act::{self, ActFormat};
use crate::cpu::{Call, share};
use crate::dtype::{self, DType, Layout};

/// `out = x w^T`.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for `matmul`'s contract.
pub unsafe fn store(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run(call, part, parts, Epilogue::STORE) }
}

/// `out = residual + x w^T`.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for `matmul_add`'s contract.
pub unsafe fn add(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run(call, part, parts, Epilogue::ADD) }
}

unsafe fn run(call: &Call<'_>, part: u32, parts: u32, epilogue: Epilogue) {
    let c: MatmulConsts = call.consts();
    let (k, stride, col) = (c.k as usize, c.out_stride as usize, c.out_col as usize);
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let layout = Layout::from_word(c.layout);
    // SAFETY: shapes by the contract; parts own disjoint output columns.
    unsafe {
        let rows = active_rows(call, c.select);
        let w = call.slice::<u8>(2, 0, call.bufs[2].len);
        let rb = fmt.row_bytes(k);
        let mut x = vec![0f32; rows * k];
        for r in 0..rows {
            act::load(fmt, call.slice::<u8>(1, r * rb, rb), k, &mut x[r * k..(r + 1) * k]);
        }
        let mut wr = vec![0f32; k];
        for j in share(c.n as usize, part, parts) {
            dtype::dequantize_row(dt, layout, w, k, j, &mut wr);
            for r in 0..rows {
                let y = dot(&x[r * k..(r + 1) * k], &wr);
                let at = r * stride + col + j;
                let base = epilogue.residual.map_or(0.0, |i| call.slice::<f32>(i, at, 1)[0]);
                call.slice_mut::<f32>(epilogue.out, at, 1)[0] = base + y;
            }
        }
    }
}

/// A dot product in 16 interleaved partial sums: still plain, and its rounding error grows with k/16, not k.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut s = [0f32; 16];
    let (ca, cb) = (a.chunks_exact(16), b.chunks_exact(16));
    let tail: f32 = ca.remainder().iter().zip(cb.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in ca.zip(cb) {
        for i in 0..16 {
            s[i] += x[i] * y[i];
        }
    }
    s.iter().sum::<f32>() + tail
}

/// A matrix as the plain twins read it. The last two rows stay dequantized, since a gate goes with its up.
pub(crate) struct Matrix<'a> {
    dtype: DType,
    layout: Layout,
    w: &'a [u8],
    k: usize,
    rows: [(Option<usize>, Vec<f32>); 2],
    last: usize,
}

impl<'a> Matrix<'a> {
    pub(crate) fn new(dtype: u32, layout: u32, w: &'a [u8], k: usize) -> Option<Self> {
        let dtype = DType::from_ggml(dtype)?;
        Some(Self {
            dtype,
            layout: Layout::from_word(layout),
            w,
            k,
            rows: [(None, vec![0.0; k]), (None, vec![0.0; k])],
            last: 0,
        })
    }

    /// The product of row `j` with `x`.
    pub(crate) fn times(&mut self, j: usize, x: &[f32]) -> f32 {
        self.last = self.rows.iter().position(|(held, _)| *held == Some(j)).unwrap_or_else(|| {
            let i = 1 - self.last;
            let (held, row) = &mut self.rows[i];
            dtype::dequantize_row(self.dtype, self.layout, self.w, self.k, j, row);
            *held = Some(j);
            i
        });
        dot(x, &self.rows[self.last].1)
    }
}
