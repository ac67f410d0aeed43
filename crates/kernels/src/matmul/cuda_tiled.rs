//! The CUDA versions for many rows, on matrix units: which tiles a matrix gets.

use super::cuda_product::{self, USUAL_MULTIPROCESSORS};
use super::{MatmulConsts, Select};
use crate::act::ActFormat;
use crate::cuda::{CudaLaunch, Gpu, Overlap, TensorMap};
use crate::dtype::{self, DType, Layout};
use crate::error::KernelError;

/// Columns of a stage, in bytes.
const STAGE_WIDTH: u32 = 128;
/// Tiles over the rows that run beside each other before the next columns come: their inputs stay in the L2 cache.
const BAND: u32 = 16;
/// Bytes before the sums that blocks exchange; as `exchange.cuh` has them.
pub(super) const EXCHANGE_COUNTERS: u64 = 32 << 10;

/// A product of many rows: `n` outputs of width `k`, each from `paired` weight rows.
#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) kernel: &'static str,
    pub(crate) act: ActFormat,
    pub(crate) k: u32,
    pub(crate) n: u32,
    pub(crate) paired: u32,
    pub(crate) max_rows: u32,
    /// Parts of k, each of other blocks.
    pub(crate) split: u32,
}

/// Rows of activations and of weights that a block multiplies at a time, and blocks that share the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tile {
    m: u32,
    n: u32,
    cluster: u32,
}

/// The sources of a kernel of many rows: with `wgmma`, and with `mma.sync`.
pub(crate) type Gemm = [&'static [&'static str]; 2];

/// A kernel's [`Gemm`], by the file of its epilogue.
macro_rules! gemm {
    ($file:literal) => {
        [
            &[
                include_str!("../cuda/tile.cuh"),
                include_str!("../cuda/gemm.cuh"),
                include_str!("../cuda/wgmma.cuh"),
                include_str!("../cuda/hopper.cuh"),
                include_str!("../cuda/gemm_sm90.cuh"),
                include_str!($file),
            ],
            &[
                include_str!("../cuda/tile.cuh"),
                include_str!("../cuda/gemm.cuh"),
                include_str!("../cuda/mma.cuh"),
                include_str!("../cuda/gemm_sm80.cuh"),
                include_str!($file),
            ],
        ]
    };
}
pub(crate) use gemm;

/// A product of many rows by matrix units.
pub(crate) fn pick(
    kernel: &'static str,
    c: &MatmulConsts,
    source: Gemm,
    gpu: &Gpu,
) -> Result<CudaLaunch, KernelError> {
    let act = check(kernel, c.dtype, c.layout, c.act, c.k)?;
    if c.max_rows == 0 || c.select > Select::Head as u32 {
        let what = format!("{} rows, selection {}", c.max_rows, c.select);
        return Err(KernelError::Constants { kernel, what });
    }
    launch(&Product { kernel, act, k: c.k, n: c.n, paired: 1, max_rows: c.max_rows, split: 1 }, source, gpu)
}

/// Matrix units multiply operands of one kind: f16 with f16, bf16 with bf16, in rows of whole 16-byte pieces.
pub(crate) fn check(
    kernel: &'static str,
    dtype: u32,
    layout: u32,
    act: u32,
    k: u32,
) -> Result<ActFormat, KernelError> {
    let dt = dtype::from_const(kernel, dtype)?;
    let format = ActFormat::from_word(act);
    let plain = matches!(Layout::from_word(layout), Layout::Native | Layout::Staged);
    let fits =
        matches!((dt, format), (DType::F16, Some(ActFormat::F16)) | (DType::Bf16, Some(ActFormat::Bf16)));
    match format {
        Some(f) if fits && plain && k != 0 && k.is_multiple_of(8) => Ok(f),
        _ => Err(KernelError::Unsupported {
            kernel,
            what: format!(
                "many rows: width {k}, {dt} weights in layout {} with activations {act} on CUDA",
                Layout::from_word(layout).name()
            ),
        }),
    }
}

/// Tuning and geometry.
pub(crate) fn launch(p: &Product, [sm90, sm80]: Gemm, gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    if gpu.hopper() { hopper(p, sm90, gpu) } else { older(p, sm80, gpu) }
}

/// The version with the tensor copy engine and `wgmma` (`gemm_sm90.cuh`).
///
/// k is summed up in order, whatever the tile: in one part, or in `split` parts that are added in order.
pub(super) fn hopper(
    p: &Product,
    source: &'static [&'static str],
    gpu: &Gpu,
) -> Result<CudaLaunch, KernelError> {
    let tile = hopper_tile(p);
    let stage = (tile.m + tile.n) * STAGE_WIDTH;
    // Beside the stages: up to 1023 bytes to align them, and two barriers of 8 bytes for each.
    let stages = (gpu.shared.saturating_sub(1024) / (stage + 16)).min(12);
    if stages < 2 {
        let what = format!("{} bytes of shared memory in a block", gpu.shared);
        return Err(KernelError::Unsupported { kernel: p.kernel, what });
    }
    // In a tile of 64 rows the consumers lie side by side; each wants its gates and its ups in one piece.
    let beside = if tile.m == 64 { 2 } else { 1 };
    let weight_box = if p.paired == 2 { tile.n / (2 * beside) } else { tile.n / tile.cluster };
    let x_stride = p.act.row_bytes(p.k as usize) as u64;
    let (k, weight_stride) = (u64::from(p.k), 2 * u64::from(p.k));
    let team = tile.cluster * p.split;
    let blocks = (gpu.multiprocessors / team).max(1) * team;
    let sums = u64::from(blocks) * u64::from(tile.m * tile.n) * 4;
    Ok(CudaLaunch {
        source,
        defines: vec![
            ("TILE_M", tile.m),
            ("TILE_N", tile.n),
            ("TILE_STAGES", stages),
            ("TILE_CLUSTER", tile.cluster),
            ("TILE_BOX", weight_box),
            ("TILE_BAND", BAND / tile.cluster),
            ("TILE_SPLIT", p.split),
        ],
        grid: [blocks, 1, 1],
        block: 384,
        shared: stages * (stage + 16) + 1024,
        exchange: if p.split == 1 { 0 } else { EXCHANGE_COUNTERS + sums },
        maps: vec![
            TensorMap {
                binding: 1,
                offset: 0,
                rows: p.max_rows.into(),
                cols: k,
                stride: x_stride,
                box_rows: tile.m,
                box_cols: 64,
            },
            TensorMap {
                binding: 2,
                offset: 0,
                rows: u64::from(p.n) * u64::from(p.paired),
                cols: k,
                stride: weight_stride,
                box_rows: weight_box,
                box_cols: 64,
            },
        ],
        overlap: Overlap::Yes,
    })
}

/// The tile with the least time by a plain model: a tile costs its multiplications, or its bytes where they take
/// longer, and as many tiles run at a time as there are multiprocessors.
fn hopper_tile(p: &Product) -> Tile {
    let (m, cluster) = match p.max_rows {
        _ if p.split > 1 => (128, 2),
        // Three tiles of 64 rows are less than two of 128.
        ..=64 | 129..=192 => (64, 1),
        // Below 256, a step seldom has rows for both blocks of every cluster.
        65..256 => (128, 1),
        _ => (128, 2),
    };
    let down = p.max_rows.div_ceil(m * cluster) * cluster;
    let widths: &[u32] = match m {
        64 => &[256, 128, 64, 32],
        // Few tiles, whose last turn may leave many multiprocessors idle.
        _ if p.split > 1 => &[256, 192, 128, 64],
        _ if cluster == 2 && p.max_rows <= cuda_product::MAX_ROWS => &[256, 224, 192, 128, 96, 64],
        _ => &[256, 192, 128, 96, 64],
    };
    let time = |n: u32| {
        let tiles = u64::from(down * p.split) * u64::from((p.n * p.paired).div_ceil(n));
        let team = cluster * p.split;
        let turns = tiles.div_ceil(u64::from(USUAL_MULTIPROCESSORS / team * team));
        // In units of 64 x 64 products of one step: with less to do for each byte, the copies take longer than
        // the products.
        let (products, bytes) = (u64::from(m * n / 64), u64::from(m + n) * 2 / 3);
        turns * (products.max(bytes) + 16)
    };
    let n = widths.iter().copied().min_by_key(|n| time(*n)).unwrap_or(256);
    Tile { m, n, cluster }
}

/// The version with asynchronous copies and `mma.sync` (`gemm_sm80.cuh`).
fn older(p: &Product, source: &'static [&'static str], gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let n = 128;
    let tiles = |m: u32| p.max_rows.div_ceil(m) * (p.n * p.paired).div_ceil(n);
    // Half tiles where whole ones would leave most of the machine idle.
    let m = if p.max_rows <= 64 || tiles(128) < USUAL_MULTIPROCESSORS / 2 { 64 } else { 128 };
    let stage = (m + n) * STAGE_WIDTH;
    let stages = (gpu.shared / stage).min(4);
    if stages < 2 {
        let what = format!("{} bytes of shared memory in a block", gpu.shared);
        return Err(KernelError::Unsupported { kernel: p.kernel, what });
    }
    Ok(CudaLaunch {
        source,
        defines: vec![("TILE_M", m), ("TILE_N", n), ("TILE_STAGES", stages), ("TILE_BAND", BAND)],
        grid: [gpu.multiprocessors.min(tiles(m)), 1, 1],
        block: 256,
        shared: stages * stage,
        exchange: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Blocks that wait for each other run at a time, whole teams of them, and each warpgroup has a counter and room for its sums.
    #[test]
    fn teams_run_at_a_time_and_have_memory() {
        for (multiprocessors, split) in
            [8u32, 16, 78, 114, 132, 144].into_iter().flat_map(|m| [(m, 2), (m, 4)])
        {
            for (n, k) in [(4096u32, 14_336u32), (6144, 4096), (576, 1536), (2048, 8192), (8, 1024)] {
                for max_rows in [200, 256] {
                    let gpu = Gpu { multiprocessors, ..Gpu::of_arch("sm_90a").unwrap() };
                    let act = ActFormat::Bf16;
                    let p = Product { kernel: "matmul", act, k, n, paired: 1, max_rows, split };
                    let l = hopper(&p, &[], &gpu).unwrap();
                    let define = |name: &str| l.defines.iter().find(|d| d.0 == name).unwrap().1;
                    let (blocks, cluster) = (l.grid[0], define("TILE_CLUSTER"));
                    assert_eq!(blocks % (cluster * split), 0, "whole teams: {p:?}");
                    assert!(blocks <= multiprocessors, "{blocks} blocks: {p:?}");
                    // Two warpgroups of a block, and as many counters for a team's blocks of equal rank.
                    assert!(u64::from(blocks / split * 2 * 128) <= EXCHANGE_COUNTERS, "counters: {p:?}");
                    let sums = u64::from(blocks * define("TILE_M") * define("TILE_N")) * 4;
                    assert_eq!(l.exchange, EXCHANGE_COUNTERS + sums, "{p:?}");
                    assert_eq!(define("TILE_N") / 8 % split, 0, "equal shares: {p:?}");
                }
            }
        }
    }
}
