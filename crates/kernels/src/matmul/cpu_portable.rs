//! Tile kernels in portable Rust, written so that a compiler can vectorise the 16 lanes.

use super::cpu_tile::{Form, LANES, Ladder, Many, Tile, Version, ladder};
use crate::act::Q8Block;
use crate::dtype::DType;
use crate::dtype::microscaling::{e4m3, e8m0};
use crate::dtype::rows16::{self, Codes};
use half::{bf16, f16};
use std::marker::PhantomData;

/// Kernels of a quantized form.
pub(super) struct Quant<F>(PhantomData<F>);
/// Kernels of a quantized form with f32 activations.
pub(super) struct Wide<F>(PhantomData<F>);
/// Kernels of F32, F16, BF16 or MXFP8 (its id).
pub(super) struct Float<const D: u32>;

impl<F: Form> Version for Quant<F> {
    const FEW: Ladder = ladder!(quant, F, 1, [1]);
    const MANY: Many = Many::Tiles(ladder!(quant, F, 1, [4, 1]));
}

impl<F: Form> Version for Wide<F> {
    const FEW: Ladder = ladder!(wide, F, 1, [1]);
    const MANY: Many = Many::Tiles(ladder!(wide, F, 1, [4, 1]));
}

impl<const D: u32> Version for Float<D> {
    const FEW: Ladder = ladder!(float, D, 1, [1]);
    const MANY: Many = Many::Tiles(ladder!(float, D, 1, [4, 1]));
}

const F32: u32 = DType::F32 as u32;
const F16: u32 = DType::F16 as u32;
const BF16: u32 = DType::Bf16 as u32;

/// 32 columns of 16 rows.
struct Block {
    /// Signed codes `[8 chunks][16 rows][4 columns]`, at the top of their bytes.
    q: [[i8; 64]; 8],
    /// Scales of the first and the last 16 columns.
    d: [[f32; LANES]; 2],
    /// Offsets of both halves, for signed codes; of forms with minimums.
    m: [[f32; LANES]; 2],
}

unsafe fn quant<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    let blocks = t.k / 32;
    // SAFETY: the caller's rows have k/32 blocks; a packed row of blocks is aligned to 4.
    let x: [&[Q8Block]; ROWS] = unsafe {
        std::array::from_fn(|r| std::slice::from_raw_parts(t.x.add(r * t.x_stride).cast(), blocks))
    };
    let mut acc = [[0f32; LANES]; ROWS];
    for b in 0..blocks {
        // SAFETY: the caller's tile has k columns.
        let block = unsafe { unpack::<F>(t, b) };
        for r in 0..ROWS {
            multiply::<F>(&mut acc[r], &block, &x[r][b]);
        }
    }
    for (r, a) in acc.iter().enumerate() {
        // SAFETY: the caller's `out` holds ROWS rows of 16.
        unsafe { std::ptr::copy_nonoverlapping(a.as_ptr(), t.out.add(r * LANES), LANES) };
    }
}

/// Unpacks sub-block `b` of a tile.
///
/// # Safety
/// The tile has at least `b + 1` sub-blocks.
unsafe fn unpack<F: Form>(t: &Tile, b: usize) -> Block {
    let form = rows16::Form { codes: F::CODES, scales: F::SCALES, word: t.word, subs_log2: t.subs_log2 };
    let (sub, bytes) = (F::CODES.sub_bytes(), form.block_bytes());
    let (s, at) = (b % (1 << t.subs_log2), (b >> t.subs_log2) * bytes);
    // SAFETY: the caller's tile has this block.
    let block = unsafe { std::slice::from_raw_parts(t.w.add(at), bytes) };
    let (scales, quants) = block.split_at(F::SCALES.bytes());
    let (mut d, mut m) = ([[0f32; LANES]; 2], [[0f32; LANES]; 2]);
    for h in 0..2 {
        for i in 0..LANES {
            let (scale, min) = rows16::scale(form, scales, 2 * s + h, i);
            d[h][i] = scale * F::UNIT;
            // d q + m = d (q - centre) + (m + d centre).
            m[h][i] = if F::SCALES.minimums() { min + d[h][i] * 128.0 } else { 0.0 };
        }
    }
    Block { q: codes::<F>(&quants[s * sub..][..sub]), d, m }
}

/// The codes of a sub-block at the top of their bytes, less 128; tables' values as they are.
fn codes<F: Form>(w: &[u8]) -> [[i8; 64]; 8] {
    let mut q = [[0i8; 64]; 8];
    for c in 0..8 {
        for i in 0..64 {
            let at = |plane: usize, chunk: usize| w[plane + chunk * 64 + i];
            let nibble = || at(0, c % 4) >> (c / 4 * 4) & 15;
            let pair = |plane| at(plane, c % 2) >> (c / 2 * 2) & 3;
            let bit = |plane| at(plane, 0) >> c & 1;
            let code = match F::CODES {
                Codes::Bits2 => pair(0),
                Codes::Bits3 => pair(0) | bit(128) << 2,
                Codes::Bits4 | Codes::Iq4 | Codes::E2m1 => nibble(),
                Codes::Bits5 => nibble() | bit(256) << 4,
                Codes::Bits6 => nibble() | pair(256) << 4,
                Codes::Bits8 => at(0, c),
            };
            q[c][i] = match F::CODES.table() {
                Some(t) => t[usize::from(code)],
                None => (code << (8 - F::CODES.bits()) ^ 0x80) as i8,
            };
        }
    }
    q
}

fn multiply<F: Form>(acc: &mut [f32; LANES], w: &Block, x: &Q8Block) {
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
    if F::SCALES.minimums() && F::SCALES.halves() {
        for h in 0..2 {
            let sum = x.scales[h] * (x.bias(h) * (-1.0 / 128.0));
            for i in 0..LANES {
                acc[i] += w.m[h][i] * sum;
            }
        }
    } else if F::SCALES.minimums() {
        for i in 0..LANES {
            acc[i] += w.m[0][i] * x.sum;
        }
    }
}

/// Quantized weights with f32 activations.
unsafe fn wide<F: Form, const TILES: usize, const ROWS: usize>(t: &Tile) {
    // SAFETY: the caller's rows have k f32, aligned to 64 bytes.
    let x: [&[f32]; ROWS] =
        unsafe { std::array::from_fn(|r| std::slice::from_raw_parts(t.x.add(r * t.x_stride).cast(), t.k)) };
    let mut acc = [[0f32; LANES]; ROWS];
    for b in 0..t.k / 32 {
        // SAFETY: the caller's tile has k columns.
        let block = unsafe { unpack::<F>(t, b) };
        let mut sum = [[0f32; LANES]; ROWS];
        for c in 0..32 {
            let (d, m) = (&block.d[c / 16], &block.m[c / 16]);
            let v: [f32; LANES] = std::array::from_fn(|i| {
                let v = f32::from(block.q[c / 4][4 * i + c % 4]) * d[i];
                if F::SCALES.minimums() { v + m[i] } else { v }
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
        BF16 if c + 1 == k && k % 2 == 1 => {
            let b = &w[c * 32..][..32];
            std::array::from_fn(|i| bf16::from_le_bytes(word(b, 2 * i)).to_f32())
        }
        BF16 => {
            let b = &w[c / 2 * 64..][..64];
            std::array::from_fn(|i| bf16::from_le_bytes(word(b, 4 * i + c % 2 * 2)).to_f32())
        }
        _ => {
            let b = &w[c / 32 * rows16::MXFP8_BLOCK..][..rows16::MXFP8_BLOCK];
            std::array::from_fn(|i| e8m0(b[512 + i]) * e4m3(b[c % 32 * 16 + i]))
        }
    }
}
