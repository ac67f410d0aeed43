//! Which tiles weights in planes get on Hopper, in tables of 9 to some hundred rows (`flat_sm90.cuh`).

use super::cuda_product::{
    GROUP, Product, Source, UNIT, USUAL_MULTIPROCESSORS, read_planes, stage_row, widths,
};
use super::cuda_tiled::EXCHANGE_COUNTERS;
use crate::cuda::{CudaLaunch, Gpu, Overlap, TensorMap};
use crate::dtype::planes;
use crate::error::KernelError;

/// Bytes of weights that a block asks for before its wait where a norm comes before the product: while more are on their way, the norm waits
/// for its row. Chosen on an H200 with an 8B in Q4_0, of which 8 sequences draw 2% faster than with whole rings.
const EARLY: u32 = 76 << 10;
/// Tiles of so many activation rows take `mma.sync`, which multiplies eight, where no more are active.
const FEW: u32 = 16;

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
    /// Whether sums go through memory, where several blocks share a tile; or from block to block of a cluster.
    memory: bool,
}

impl Tile {
    /// Blocks that share a tile.
    const fn ranks(self) -> u32 {
        self.split / self.parts
    }
    /// Warpgroups that multiply.
    const fn consumers(self) -> u32 {
        self.m / GROUP * self.parts
    }
    /// Tiles of a product.
    fn count(self, p: &Product) -> u32 {
        p.n.div_ceil(self.m / p.paired).saturating_mul(p.max_rows.div_ceil(self.n))
    }
}

/// How its shared memory is used.
struct Rings {
    /// Panels of 64 columns of a stage of activations.
    panels: u32,
    /// Blocks of 32 columns that are multiplied together.
    step: u32,
    /// Column groups whose parts are exchanged together.
    chunk: u32,
    x_stages: u32,
    w_stages: u32,
    /// Bytes.
    shared: u32,
}

/// Parts of k. It must not depend on the rows: a row's bits do not.
pub(super) fn split(p: &Product) -> u32 {
    let wanted = match p.n.saturating_mul(p.paired).div_ceil(GROUP) {
        ..=64 => 4,
        65..=180 => 2,
        _ => 1,
    };
    // Gates and ups are exchanged in one block, which has one part then.
    let most = if p.paired == 2 { 2 } else { 4 };
    let units = p.k.div_ceil(UNIT);
    [4, 2, 1].into_iter().find(|s| *s <= wanted && *s <= units && *s <= most).unwrap_or(1)
}

/// Bytes of shared memory for the exchange of parts, `chunk` column groups at a time; as `FlatShared` has them.
fn exchanged(t: Tile, chunk: u32) -> u32 {
    if t.split == 1 || t.memory {
        return 0;
    }
    let chunk = chunk.min(t.n / 8);
    let each = (chunk / t.split).max(1);
    (chunk / each).div_ceil(t.ranks()) * t.split * each * (t.m / GROUP) * 2048
}

/// Stages for a tile; `None` where they do not fit.
fn rings(p: &Product, t: Tile, gpu: &Gpu) -> Option<Rings> {
    // Four warpgroups with parts of k leave the least room, and two stages of activations are too few where they are many.
    let (panels, chunk) = match t.n {
        _ if t.parts > 1 && t.n > 64 && t.consumers() > 2 => (1, 4),
        _ if t.parts > 1 && t.n > 64 => (1, 8),
        _ if !p.k.is_multiple_of(UNIT) => (1, 8),
        ..=32 => (4, 8),
        _ => (2, 8),
    };
    // Sums of 128 rows leave few registers to four warpgroups.
    let step = match t.n {
        _ if t.n > 64 && t.consumers() > 2 => 1,
        ..=32 if panels == 4 => 4,
        _ => 2,
    };
    let (x_stage, w_stage) = (t.n * 128 * t.parts * panels, stage_row(p) * t.m * t.parts);
    let exchanged = exchanged(t, chunk);
    // Up to 1023 bytes to align the stages; barriers.
    let room = gpu.shared.checked_sub(3072 + exchanged)?;
    let fit = |x_stages: u32| room.checked_sub(x_stages * x_stage).map_or(0, |r| r / w_stage);
    let enough = |x: u32| fit(x) >= 2 && (fit(x) * w_stage >= 48 << 10 || x <= 3);
    // More than three were slower there.
    let most = if t.n > 64 && t.consumers() > 2 { 3 } else { 12 / panels };
    let x_stages = (2..=most).rev().find(|x| enough(*x)).unwrap_or(2);
    let w_stages = fit(x_stages).min(16);
    let barriers = (x_stages + w_stages) * t.parts * 16 + 16;
    let shared = 1024 + exchanged + x_stages * x_stage + w_stages * w_stage + barriers;
    (w_stages > 0).then_some(Rings { panels, step, chunk, x_stages, w_stages, shared })
}

/// About how many nanoseconds a product takes, by what was measured on an H200. 64 columns of 64 weight rows: a warpgroup alone
/// waits for itself, several share instructions and matrix units, and copies have a speed of their own.
fn time(p: &Product, t: Tile) -> u64 {
    let turns = t.count(p).div_ceil(USUAL_MULTIPROCESSORS / t.ranks());
    let steps = p.k.div_ceil(UNIT).div_ceil(t.split) * 4;
    // Two parts of 128 weight rows in a block took longer than the formula says, one part of 256 less, but less so where two tiles of
    // activation rows make it unpack each weight twice. (Prompts, which have four, lost 1.5% with 96.)
    let percent = match (t.consumers(), t.parts) {
        (4, 1) if p.max_rows.div_ceil(t.n) == 2 => 96,
        (4, 1) => 93,
        (4, _) => 105,
        _ => 100,
    };
    let work = t.consumers() * (70 + t.n * 4 / 5 + t.n * t.n / 700) * percent / 100;
    let copied = t.parts * (stage_row(p) * t.m / 4 + t.n * 128);
    let step = work.max(150 + t.n).max(copied / 65);
    // Through memory it takes as long as its sums do, of which a block sends all but its own share; by what was seen with 128 and 192 rows.
    let exchange = match t.memory {
        true => sums(t) * (t.split - 1) / t.split / 6,
        false => [0, 300, 500][(t.split > 1) as usize + (t.ranks() > 1) as usize],
    };
    u64::from(turns) * u64::from(steps * step + exchange)
}

/// The tile with the least time of those that fit, for `split` parts of k, at most so many warpgroups that multiply, and tiles over the
/// activation rows of about these widths.
fn tile(p: &Product, split: u32, consumers: u32, widest: &[u32], gpu: &Gpu) -> Option<(Tile, Rings)> {
    let mut all = Vec::new();
    for most in widest {
        let n = widths(p, *most).1;
        for parts in [1, 2, 4].into_iter().filter(|parts| *parts <= split) {
            for m in [64, 128, 192, 256] {
                let t = Tile { m, n, split, parts, memory: split / parts > 2 };
                // A block then copies activations for twice as many weight rows. Elsewhere it was not tried. A team must fit on the GPU.
                let tried = m == 128 && (65..=192).contains(&p.max_rows) && gpu.multiprocessors >= split;
                if t.memory && !tried {
                    continue;
                }
                // Sums, fragments and addresses of a thread; gates and ups lie in one block, in equal halves.
                let registers = match t.consumers() {
                    1 | 2 => n <= 256,
                    3 | 4 => n <= 128,
                    _ => false,
                } && t.consumers() <= consumers;
                let pairs = p.paired == 1 || (parts == 1 && m % 128 == 0);
                // Where only two stages fit (Q8_0), a cluster was faster.
                let deep = |r: &Rings| !t.memory || r.w_stages > 2;
                if let Some(r) = rings(p, t, gpu).filter(|r| registers && pairs && deep(r)) {
                    all.push((t, r));
                }
            }
        }
    }
    all.into_iter().min_by_key(|(t, _)| time(p, *t))
}

/// Tensor maps of both planes of `rows` weight rows where the tensor copy engine brings them: of 256 values rows of 128 bytes, or two
/// such halves, and of 16. The weights are the binding of this number.
fn boxes(p: &Product, t: Tile, rows: u64, binding: usize) -> Option<[TensorMap; 2]> {
    let of_unit = |pl: &planes::Plane| pl.bytes as u64 * u64::from(UNIT) / u64::from(p.dtype.block());
    let all: Vec<u64> = planes::planes(p.dtype).iter().take(read_planes(p.dtype)).map(of_unit).collect();
    let codes = match all[..] {
        [codes @ (128 | 256), 16] if p.k.is_multiple_of(UNIT) => codes,
        _ => return None,
    };
    let units = u64::from(p.k / UNIT);
    let stride = units * codes;
    let box_rows = t.m / p.paired;
    let codes = TensorMap { binding, offset: 0, rows, cols: stride / 2, stride, box_rows, box_cols: 64 };
    let scales =
        TensorMap { offset: rows * stride, cols: units * 8, stride: units * 16, box_cols: 8, ..codes };
    Some([codes, scales])
}

/// Bytes of a block's sums.
fn sums(t: Tile) -> u32 {
    t.m * t.n * 4
}

/// What tiles and rings are to a source.
fn defines(t: Tile, r: &Rings, boxes: bool) -> Vec<(&'static str, u32)> {
    vec![
        ("TILE_N", t.m),
        ("FLAT_M", t.m),
        ("FLAT_N", t.n),
        ("FLAT_SPLIT", t.split),
        ("FLAT_PARTS", t.parts),
        ("FLAT_X_STAGES", r.x_stages),
        ("FLAT_W_STAGES", r.w_stages),
        ("FLAT_X_PANELS", r.panels),
        ("FLAT_STEP", r.step),
        ("FLAT_CHUNK_MOST", r.chunk),
        ("FLAT_W_BOXES", boxes.into()),
        ("FLAT_FEW", u32::from(t.n == FEW)),
        ("FLAT_MEMORY", t.memory.into()),
    ]
}

/// `grouped_matmul` where weights lie in planes: of each of `tiles` tiles at most, as many outputs as `p` has, for as many slots as it
/// has rows; the matrices of all `experts` in a stack. k is in one part, so a slot's bits do not depend on the tile.
pub(crate) fn grouped(
    p: &Product,
    experts: u32,
    tiles: u32,
    source: Source,
    gpu: &Gpu,
) -> Result<CudaLaunch, KernelError> {
    let all = Product { n: p.n.saturating_mul(tiles), ..*p };
    // With four, the warp that gathers would have too few registers. A tile of slots is not cut again.
    let (t, r) = tile(&all, 1, 3, &[256], gpu).ok_or_else(|| {
        let what = format!("{} bytes of shared memory in a block", gpu.shared);
        KernelError::Unsupported { kernel: p.kernel, what }
    })?;
    let maps = boxes(p, t, u64::from(p.n) * u64::from(experts), 3);
    let mut defines = defines(t, &r, maps.is_some());
    // Which expert comes first is not known early.
    defines.extend([("FLAT_GATHERED", 1), ("FLAT_EARLY", 0)]);
    let units = p.n.div_ceil(t.m).saturating_mul(tiles);
    Ok(CudaLaunch {
        source,
        defines,
        grid: [gpu.multiprocessors.clamp(1, units.max(1)), 1, 1],
        block: 128 + 128 * t.consumers(),
        shared: r.shared,
        exchange: 0,
        maps: maps.into_iter().flatten().collect(),
        overlap: Overlap::Yes,
    })
}

/// The version with the tensor copy engine and `wgmma` (`flat_sm90.cuh`).
pub(super) fn hopper(p: &Product, source: Source, gpu: &Gpu) -> Option<CudaLaunch> {
    let (t, r) = tile(p, split(p), 4, &[256, 128], gpu)?;
    let mut maps = vec![TensorMap {
        binding: 1,
        offset: 0,
        rows: p.max_rows.into(),
        cols: p.k.into(),
        stride: p.act.row_bytes(p.k as usize) as u64,
        box_rows: t.n,
        box_cols: 64,
    }];
    // Smaller products are faster with copies by threads, which need no descriptors first.
    let rows = u64::from(p.n) * u64::from(p.paired);
    let boxes = (t.split == 1).then(|| boxes(p, t, rows, 2)).flatten();
    maps.extend(boxes.into_iter().flatten());
    // What adds to the residual stream (`matmul_add`) comes after attention or gates, not after a norm.
    let early = match p.kernel {
        "matmul_add" => r.w_stages,
        _ => (EARLY / (stage_row(p) * t.m * t.parts)).max(2).min(r.w_stages),
    };
    let mut defines = defines(t, &r, boxes.is_some());
    defines.push(("FLAT_EARLY", early));
    let blocks = (gpu.multiprocessors / t.ranks()).clamp(1, t.count(p).max(1)) * t.ranks();
    Some(CudaLaunch {
        source,
        defines,
        grid: [blocks, 1, 1],
        block: 128 + 128 * t.consumers(),
        shared: r.shared,
        exchange: if t.memory { EXCHANGE_COUNTERS + u64::from(blocks) * u64::from(sums(t)) } else { 0 },
        maps,
        overlap: Overlap::Yes,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::act::ActFormat;
    use crate::dtype::{DType, Layout};

    /// Blocks that wait for each other run at a time, whole teams of them, and each warpgroup has a counter and room for its sums.
    #[test]
    fn teams_run_at_a_time_and_have_memory() {
        let mut teams = 0;
        for (multiprocessors, dtype) in [7u32, 8, 16, 78, 114, 132, 144]
            .into_iter()
            .flat_map(|m| [DType::Q4_0, DType::Q8_0, DType::Q4K, DType::Q6K].map(|d| (m, d)))
        {
            for (n, k) in [(4096u32, 14_336u32), (6144, 4096), (576, 1536), (2048, 8192), (8, 1024)] {
                for max_rows in [65, 96, 128, 192, 256, 512] {
                    let gpu = Gpu { multiprocessors, ..Gpu::of_arch("sm_90a").unwrap() };
                    let (layout, act) = (Layout::Planes, ActFormat::F16);
                    let p = Product { kernel: "matmul", dtype, layout, act, k, n, paired: 1, max_rows };
                    let l = hopper(&p, &[], &gpu).unwrap();
                    let define = |name: &str| l.defines.iter().find(|d| d.0 == name).unwrap().1;
                    let (split, m, n) = (define("FLAT_SPLIT"), define("FLAT_M"), define("FLAT_N"));
                    if define("FLAT_MEMORY") == 0 {
                        assert_eq!(l.exchange, 0, "{p:?}");
                        continue;
                    }
                    teams += 1;
                    let blocks = l.grid[0];
                    assert_eq!((blocks % split, define("FLAT_PARTS")), (0, 1), "whole teams: {p:?}");
                    assert!(blocks <= multiprocessors, "{blocks} blocks: {p:?}");
                    assert!(u64::from(blocks / split * (m / GROUP) * 128) <= EXCHANGE_COUNTERS, "{p:?}");
                    assert_eq!(l.exchange, EXCHANGE_COUNTERS + u64::from(blocks * m * n) * 4, "{p:?}");
                    assert_eq!(n / 8 % split, 0, "equal shares: {p:?}");
                }
            }
        }
        assert!(teams > 0, "no product exchanges through memory");
    }
}
