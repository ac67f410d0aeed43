//! Tile kernels in portable Rust, written so that a compiler can vectorise the 16 lanes.

use super::cpu::{LANES, Ladder, Tile, Version, ladder};
use crate::act::Q8Block;
use crate::dtype::{DType, rows16};
use half::{bf16, f16};

/// Kernels of a quantized format (its GGUF id).
pub(super) struct Quant<const D: u32>;
/// Kernels of a quantized format with f32 activations.
pub(super) struct Wide<const D: u32>;
/// Kernels of F32, F16 or BF16 (its GGUF id).
pub(super) struct Float<const D: u32>;

impl<const D: u32> Version for Quant<D> {
    const FEW: Ladder = ladder!(quant, D, 1, [1]);
    const MANY: Ladder = ladder!(quant, D, 1, [4, 1]);
}

impl<const D: u32> Version for Wide<D> {
    const FEW: Ladder = ladder!(wide, D, 1, [1]);
    const MANY: Ladder = ladder!(wide, D, 1, [4, 1]);
}

impl<const D: u32> Version for Float<D> {
    const FEW: Ladder = ladder!(float, D, 1, [1]);
    const MANY: Ladder = ladder!(float, D, 1, [4, 1]);
}

const Q4_0: u32 = DType::Q4_0 as u32;
const Q4_1: u32 = DType::Q4_1 as u32;
const Q8_0: u32 = DType::Q8_0 as u32;
const F32: u32 = DType::F32 as u32;
const F16: u32 = DType::F16 as u32;

/// 32 columns of 16 rows.
struct Block {
    /// Quants `[8 chunks][16 rows][4 columns]`, signed but for `q4_1`.
    q: [[i8; 64]; 8],
    /// Scales of the first and the last 16 columns.
    d: [[f32; LANES]; 2],
    /// Minimums of `q4_1`.
    m: [f32; LANES],
}

unsafe fn quant<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let blocks = t.k / 32;
    let dt = DType::from_ggml(D).unwrap_or(DType::Q8_0);
    // SAFETY: the caller's tile has k columns and its rows k/32 blocks; a packed row of blocks is aligned to 4.
    let (w, x) = unsafe {
        let row = |r: usize| std::slice::from_raw_parts(t.x.add(r * t.x_stride).cast::<Q8Block>(), blocks);
        let x: [&[Q8Block]; ROWS] = std::array::from_fn(row);
        (std::slice::from_raw_parts(t.w, rows16::tile_bytes(dt, t.k)), x)
    };
    let mut acc = [[0f32; LANES]; ROWS];
    for b in 0..blocks {
        let block = unpack::<D>(w, b);
        for r in 0..ROWS {
            multiply::<D>(&mut acc[r], &block, &x[r][b]);
        }
    }
    for (r, a) in acc.iter().enumerate() {
        // SAFETY: the caller's `out` holds ROWS rows of 16.
        unsafe { std::ptr::copy_nonoverlapping(a.as_ptr(), t.out.add(r * LANES), LANES) };
    }
}

fn unpack<const D: u32>(w: &[u8], b: usize) -> Block {
    let mut q = [[0i8; 64]; 8];
    let halves = |b: &[u8]| std::array::from_fn(|i| f16::from_le_bytes([b[2 * i], b[2 * i + 1]]).to_f32());
    match D {
        Q4_0 | Q4_1 => {
            let (size, bias) = if D == Q4_0 { (rows16::Q4_0_BLOCK, 8) } else { (rows16::Q4_1_BLOCK, 0) };
            let w = &w[b * size..][..size];
            for c in 0..4 {
                for i in 0..64 {
                    q[c][i] = (w[c * 64 + i] & 15) as i8 - bias;
                    q[c + 4][i] = (w[c * 64 + i] >> 4) as i8 - bias;
                }
            }
            let d = halves(&w[256..]);
            Block { q, d: [d, d], m: if D == Q4_1 { halves(&w[288..]) } else { d } }
        }
        Q8_0 => {
            let w = &w[b * rows16::Q8_0_BLOCK..][..rows16::Q8_0_BLOCK];
            for c in 0..8 {
                for i in 0..64 {
                    q[c][i] = (w[c * 64 + i] ^ 0x80) as i8;
                }
            }
            let d = halves(&w[512..]);
            Block { q, d: [d, d], m: d }
        }
        _ => {
            let all = &w[b / 8 * rows16::Q6_K_BLOCK..][..rows16::Q6_K_BLOCK];
            let sub = &all[b % 8 * rows16::Q6_K_SUB..][..rows16::Q6_K_SUB];
            for c in 0..8 {
                for i in 0..64 {
                    q[c][i] = rows16::q6_quant(sub, 4 * c + i % 4, i / 4);
                }
            }
            let d: [f32; LANES] = halves(&all[8 * rows16::Q6_K_SUB..]);
            let scaled = |h: usize| std::array::from_fn(|i| d[i] * f32::from(sub[384 + 16 * h + i] as i8));
            Block { q, d: [scaled(0), scaled(1)], m: d }
        }
    }
}

fn multiply<const D: u32>(acc: &mut [f32; LANES], w: &Block, x: &Q8Block) {
    for h in 0..2 {
        let mut dot = [0i32; LANES];
        for c in 4 * h..4 * h + 4 {
            for i in 0..LANES {
                for j in 0..4 {
                    dot[i] += i32::from(w.q[c][4 * i + j]) * i32::from(x.quants[4 * c + j]);
                }
            }
        }
        for i in 0..LANES {
            acc[i] += dot[i] as f32 * (w.d[h][i] * x.scales[h]);
        }
    }
    if D == Q4_1 {
        for i in 0..LANES {
            acc[i] += w.m[i] * x.sum;
        }
    }
}

/// Quantized weights with f32 activations.
unsafe fn wide<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let dt = DType::from_ggml(D).unwrap_or(DType::Q8_0);
    // SAFETY: the caller's tile has k columns and its rows k f32, aligned to 64 bytes.
    let (w, x) = unsafe {
        let row = |r: usize| std::slice::from_raw_parts(t.x.add(r * t.x_stride).cast::<f32>(), t.k);
        let x: [&[f32]; ROWS] = std::array::from_fn(row);
        (std::slice::from_raw_parts(t.w, rows16::tile_bytes(dt, t.k)), x)
    };
    let mut acc = [[0f32; LANES]; ROWS];
    for b in 0..t.k / 32 {
        let block = unpack::<D>(w, b);
        let mut sum = [[0f32; LANES]; ROWS];
        for c in 0..32 {
            let d = &block.d[c / 16];
            let v: [f32; LANES] = std::array::from_fn(|i| {
                let v = f32::from(block.q[c / 4][4 * i + c % 4]) * d[i];
                if D == Q4_1 { v + block.m[i] } else { v }
            });
            for r in 0..ROWS {
                for i in 0..LANES {
                    sum[r][i] += v[i] * x[r][b * 32 + c];
                }
            }
        }
        for r in 0..ROWS {
            for i in 0..LANES {
                acc[r][i] += sum[r][i];
            }
        }
    }
    for (r, a) in acc.iter().enumerate() {
        // SAFETY: the caller's `out` holds ROWS rows of 16.
        unsafe { std::ptr::copy_nonoverlapping(a.as_ptr(), t.out.add(r * LANES), LANES) };
    }
}

unsafe fn float<const D: u32, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let dt = DType::from_ggml(D).unwrap_or(DType::F32);
    // SAFETY: the caller's tile has k columns and its rows k f32, aligned to 64 bytes.
    let (w, x) = unsafe {
        let row = |r: usize| std::slice::from_raw_parts(t.x.add(r * t.x_stride).cast::<f32>(), t.k);
        let x: [&[f32]; ROWS] = std::array::from_fn(row);
        (std::slice::from_raw_parts(t.w, rows16::tile_bytes(dt, t.k)), x)
    };
    let mut acc = [[0f32; LANES]; ROWS];
    for c in 0..t.k {
        let w = column::<D>(w, c, t.k);
        for r in 0..ROWS {
            for i in 0..LANES {
                acc[r][i] += w[i] * x[r][c];
            }
        }
    }
    for (r, a) in acc.iter().enumerate() {
        // SAFETY: the caller's `out` holds ROWS rows of 16.
        unsafe { std::ptr::copy_nonoverlapping(a.as_ptr(), t.out.add(r * LANES), LANES) };
    }
}

/// Column `c` of a tile of `k`.
fn column<const D: u32>(w: &[u8], c: usize, k: usize) -> [f32; LANES] {
    let word = |b: &[u8], at: usize| [b[at], b[at + 1]];
    match D {
        F32 => {
            let b = &w[c * 64..][..64];
            std::array::from_fn(|i| f32::from_le_bytes([b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]]))
        }
        F16 => {
            let b = &w[c * 32..][..32];
            std::array::from_fn(|i| f16::from_le_bytes(word(b, 2 * i)).to_f32())
        }
        _ if c + 1 == k && k % 2 == 1 => {
            let b = &w[c * 32..][..32];
            std::array::from_fn(|i| bf16::from_le_bytes(word(b, 2 * i)).to_f32())
        }
        _ => {
            let b = &w[c / 2 * 64..][..64];
            std::array::from_fn(|i| bf16::from_le_bytes(word(b, 4 * i + c % 2 * 2)).to_f32())
        }
    }
}
