//! The CUDA versions for 9 to some hundred rows: how k is cut, and which tiles a matrix gets.
//!
//! Weights become f16 (or bf16) in registers. Unlike `dequantize`, a weight beyond f16's 65,504 becomes infinite and is not
//! saturated; a sequence that meets one ends with `NotFinite`. Formats with several factors (the K formats, IQ4_XS, Q8_K) round their
//! product to f16 before it multiplies the codes: at most 2^-10 of a weight.

use super::cuda_product::{
    GROUP, MAX_ROWS, Product, Source, USUAL_MULTIPROCESSORS, product, split, stage_row, widths,
};
use super::{MatmulConsts, Select, cuda_flat_planes, cuda_flat16, cuda_tiled};
use crate::act::ActFormat;
use crate::cuda::{CudaLaunch, Gpu, Overlap, TensorMap};
use crate::dtype::Layout;
use crate::error::{KernelError, require};

/// How blocks share a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tile {
    /// Weight rows.
    m: u32,
    /// Activation rows.
    n: u32,
    /// Parts of k in all, and in one block.
    split: u32,
    parts: u32,
}

impl Tile {
    /// Blocks of a cluster.
    const fn ranks(self) -> u32 {
        self.split / self.parts
    }
    /// Warpgroups that multiply.
    const fn consumers(self) -> u32 {
        self.m / GROUP * self.parts
    }
}

/// The sources of a kernel: with `wgmma`, from planes and from 16 bits, for few rows and for more, in parts of k and in one; with
/// `mma.sync`, from planes.
pub(crate) type Flat = [&'static [&'static str]; 5];

/// A kernel's [`Flat`], by the file of its epilogue.
macro_rules! flat {
    ($file:literal) => {
        [
            &[
                include_str!("../cuda/tile.cuh"),
                include_str!("../cuda/gemm.cuh"),
                include_str!("../dtype/codes.cuh"),
                include_str!("../dtype/raw.cuh"),
                include_str!("../cuda/wgmma.cuh"),
                include_str!("../cuda/hopper.cuh"),
                include_str!("../cuda/mma.cuh"),
                include_str!("../cuda/exchange.cuh"),
                include_str!("../cuda/flat.cuh"),
                include_str!("../cuda/flat_sm90.cuh"),
                include_str!($file),
            ],
            &[
                include_str!("../cuda/tile.cuh"),
                include_str!("../cuda/gemm.cuh"),
                include_str!("../cuda/wgmma.cuh"),
                include_str!("../cuda/hopper.cuh"),
                include_str!("../cuda/flat.cuh"),
                include_str!("../cuda/flat16_sm90.cuh"),
                include_str!($file),
            ],
            &[
                include_str!("../cuda/tile.cuh"),
                include_str!("../cuda/gemm.cuh"),
                include_str!("../cuda/wgmma.cuh"),
                include_str!("../cuda/hopper.cuh"),
                include_str!("../cuda/flat.cuh"),
                include_str!("../cuda/flat_sm90.cuh"),
                include_str!($file),
            ],
            &[
                include_str!("../cuda/tile.cuh"),
                include_str!("../cuda/gemm.cuh"),
                include_str!("../cuda/wgmma.cuh"),
                include_str!("../cuda/hopper.cuh"),
                include_str!("../cuda/exchange.cuh"),
                include_str!("../cuda/gemm_sm90.cuh"),
                include_str!($file),
            ],
            &[
                include_str!("../cuda/tile.cuh"),
                include_str!("../cuda/gemm.cuh"),
                include_str!("../dtype/codes.cuh"),
                include_str!("../dtype/raw.cuh"),
                include_str!("../cuda/mma.cuh"),
                include_str!("../cuda/flat.cuh"),
                include_str!("../cuda/flat_sm80.cuh"),
                include_str!($file),
            ],
        ]
    };
}
pub(crate) use flat;

/// For `matmul` and `matmul_add`.
pub(crate) fn pick(
    kernel: &'static str,
    c: &MatmulConsts,
    sources: Flat,
    gpu: &Gpu,
) -> Result<CudaLaunch, KernelError> {
    require(kernel, c.max_rows != 0 && c.select <= Select::Head as u32, || {
        format!("{} rows, selection {}", c.max_rows, c.select)
    })?;
    launch(&product(kernel, [c.dtype, c.layout, c.act, c.k], [c.n, 1, c.max_rows])?, sources, gpu)
}

/// For outputs that gates and ups make: `[dtype, layout, act, k]`, and outputs and rows.
pub(crate) fn pick_paired(
    kernel: &'static str,
    w: [u32; 4],
    [outputs, max_rows]: [u32; 2],
    sources: Flat,
    gpu: &Gpu,
) -> Result<CudaLaunch, KernelError> {
    launch(&product(kernel, w, [outputs, 2, max_rows.max(1)])?, sources, gpu)
}

/// Whether these versions take a product: weights in planes on any GPU; on Hopper 16-bit weights too, where the table has
/// few enough rows that other tiles are faster than those of `cuda_tiled`.
pub(crate) fn takes(layout: u32, act: u32, max_rows: u32, gpu: &Gpu) -> bool {
    match Layout::from_word(layout) {
        Layout::Planes => act != ActFormat::F32 as u32,
        Layout::Native | Layout::Staged => {
            gpu.hopper() && max_rows <= MAX_ROWS && max_rows > super::cuda_gemv::MAX_ROWS
        }
        Layout::Rows16 => false,
    }
}

fn launch(
    p: &Product,
    [planes, few, more, whole, older]: Flat,
    gpu: &Gpu,
) -> Result<CudaLaunch, KernelError> {
    let fits = match p.layout {
        Layout::Planes if gpu.hopper() => cuda_flat_planes::hopper(p, planes, gpu),
        _ if gpu.hopper() && p.max_rows <= cuda_flat16::MAX_ROWS => cuda_flat16::hopper(p, few, gpu),
        _ if gpu.hopper() && in_two_tiles(p, gpu) => {
            let Product { kernel, act, k, n, paired, max_rows, .. } = *p;
            return cuda_tiled::hopper(
                &cuda_tiled::Product { kernel, act, k, n, paired, max_rows, split: split(p) },
                whole,
                gpu,
            );
        }
        _ if gpu.hopper() => hopper(p, more, gpu),
        _ => self::older(p, older, gpu),
    };
    fits.ok_or_else(|| {
        let what = format!("{} bytes of shared memory in a block", gpu.shared);
        KernelError::Unsupported { kernel: p.kernel, what }
    })
}

/// Whether a product takes tiles of 128 activation rows, two of which share their weights (`gemm_sm90.cuh`): where that is faster than one
/// tile of all rows. With k in several parts, sums go through memory (`exchange.cuh`); of more than 256 rows they are faster between blocks of
/// a cluster. Gates and ups with k in several parts have no such version. A team of eight blocks at most must run at the same time.
fn in_two_tiles(p: &Product, gpu: &Gpu) -> bool {
    match split(p) {
        1 => p.max_rows > 192,
        _ => (193..=256).contains(&p.max_rows) && p.paired == 1 && gpu.multiprocessors >= 8,
    }
}

/// The tile with the least time by a plain model: a multiprocessor's time for 256 columns grows with its weight rows and,
/// about as much, with its activation rows; one warpgroup alone does not hide its own latency.
fn hopper_tile(p: &Product) -> (Tile, u32) {
    let (down, n) = widths(p, 256);
    let split = split(p);
    let time = |t: &Tile| {
        let tiles = p.n.div_ceil(t.m / p.paired).saturating_mul(down);
        let turns = tiles.div_ceil(USUAL_MULTIPROCESSORS / t.ranks());
        let weights = t.m * [15, 11, 11, 10][t.consumers() as usize - 1] / 10;
        u64::from(turns) * u64::from(weights + n * 6 / 5) / u64::from(t.ranks())
    };
    let mut all = Vec::new();
    for parts in [1, 2, 4].into_iter().filter(|parts| *parts <= split && split / parts <= 2) {
        for m in [128, 64, 192, 256] {
            let t = Tile { m, n, split, parts };
            // Sums, fragments and addresses of a thread; gates and ups lie in one block, in equal halves.
            let registers = n <= [256, 256, 128, 64, 0][(t.consumers() as usize - 1).min(4)];
            let pairs = p.paired == 1 || (parts == 1 && m % 128 == 0);
            if registers && pairs {
                all.push(t);
            }
        }
    }
    let usual = Tile { m: 128, n, split, parts: 1 };
    (all.into_iter().min_by_key(time).unwrap_or(usual), down)
}

/// The version with the tensor copy engine and `wgmma` (`flat_sm90.cuh`).
fn hopper(p: &Product, source: Source, gpu: &Gpu) -> Option<CudaLaunch> {
    let (tile, down) = hopper_tile(p);
    let Tile { m, n, split, parts } = tile;
    // As FlatShared has them.
    let chunk = (n / 8).min(8);
    let sums = if split > 1 { parts * split * (chunk / split).max(1) * m / GROUP * 2048 } else { 0 };
    let gates = if p.paired == 2 { chunk * m / GROUP * 1024 } else { 0 };
    let (x_stage, w_stage) = (n * 128 * parts, stage_row(p) * m * parts);
    // Up to 1023 bytes to align the stages; barriers.
    let room = gpu.shared.checked_sub(2048 + sums + gates)?;
    let enough = (56u32 * 1024).div_ceil(w_stage).max(2);
    let x_stages = (room.saturating_sub(enough * w_stage) / x_stage).clamp(2, 8);
    let w_stages = (room.checked_sub(x_stages * x_stage)? / w_stage).min(16);
    if w_stages == 0 {
        return None;
    }
    let mut maps = vec![TensorMap {
        binding: 1,
        offset: 0,
        rows: p.max_rows.into(),
        cols: p.k.into(),
        stride: p.act.row_bytes(p.k as usize) as u64,
        box_rows: n,
        box_cols: 64,
    }];
    if p.layout != Layout::Planes {
        maps.push(TensorMap {
            binding: 2,
            offset: 0,
            rows: u64::from(p.n) * u64::from(p.paired),
            cols: p.k.into(),
            stride: 2 * u64::from(p.k),
            box_rows: m / p.paired,
            box_cols: 64,
        });
    }
    let tiles = p.n.div_ceil(m / p.paired).saturating_mul(down);
    Some(CudaLaunch {
        source,
        defines: vec![
            ("TILE_N", m),
            ("FLAT_M", m),
            ("FLAT_N", n),
            ("FLAT_SPLIT", split),
            ("FLAT_PARTS", parts),
            ("FLAT_X_STAGES", x_stages),
            ("FLAT_W_STAGES", w_stages),
            ("FLAT_CHUNK_MOST", 8),
            ("FLAT_EARLY", 0),
        ],
        grid: [(gpu.multiprocessors / tile.ranks()).clamp(1, tiles.max(1)) * tile.ranks(), 1, 1],
        block: 128 + 128 * tile.consumers(),
        shared: 1024
            + sums
            + gates
            + x_stages * x_stage
            + w_stages * w_stage
            + (x_stages + w_stages) * parts * 16
            + 16,
        exchange: 0,
        maps,
        overlap: Overlap::Yes,
    })
}

/// The version with asynchronous copies and `mma.sync` (`flat_sm80.cuh`).
fn older(p: &Product, source: Source, gpu: &Gpu) -> Option<CudaLaunch> {
    if p.layout != Layout::Planes {
        return None;
    }
    let m = 128;
    let shared = |n: u32| 2 * (stage_row(p) * m + n * 512);
    let (down, n) =
        [64, 32, 16].into_iter().map(|most| widths(p, most)).find(|(_, n)| shared(*n) <= gpu.shared)?;
    let tiles = p.n.div_ceil(m / p.paired).saturating_mul(down);
    Some(CudaLaunch {
        source,
        defines: vec![
            ("TILE_N", m),
            ("FLAT_M", m),
            ("FLAT_N", n),
            ("FLAT_SPLIT", cuda_flat_planes::split(p)),
        ],
        grid: [gpu.multiprocessors.clamp(1, tiles.max(1)), 1, 1],
        block: 256,
        shared: shared(n),
        exchange: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}
