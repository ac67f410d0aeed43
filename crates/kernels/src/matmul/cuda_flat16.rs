//! Which tiles a matrix of 16-bit weights gets for 9 to 128 rows on Hopper (`flat16_sm90.cuh`).

use super::cuda_product::{Product, Source, USUAL_MULTIPROCESSORS, split};
use crate::cuda::{CudaLaunch, Gpu, Overlap, TensorMap};
use crate::dtype::Layout;

/// Tables of up to this many rows get these tiles; larger ones those of `flat_sm90.cuh` or `gemm_sm90.cuh`.
/// All give the same bits.
pub(super) const MAX_ROWS: u32 = 128;
/// Tables of up to this many rows have weight rows as the rows of their products.
const FEW: u32 = 32;
/// Rows of a product.
const GROUP: u32 = 64;
/// Bytes of weights of a stage, above which small tables have fewer stages.
const LARGE_STAGE: u32 = 24 << 10;
/// Bytes of 64 columns, which a stage has.
const PANEL: u32 = 128;

/// How blocks share a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tile {
    /// Weight rows.
    m: u32,
    /// Activation rows.
    n: u32,
    /// Blocks of a cluster; each has `parts` parts of k.
    ranks: u32,
    parts: u32,
}

impl Tile {
    /// Whether weight rows are the rows of the matrix units' products; as `FLAT_FEW`.
    const fn few(self) -> bool {
        self.n <= FEW
    }

    /// Warpgroups that multiply.
    const fn groups(self) -> u32 {
        self.n.div_ceil(GROUP)
    }

    /// Chunks of the outputs, where weight rows are the products' rows; as `Flat::CHUNKS`.
    const fn chunks(self, paired: u32) -> u32 {
        (self.m / paired).div_ceil(GROUP)
    }

    /// Bytes of the sums that a block gets from its cluster; as `Flat::SUMS`.
    const fn sums(self, paired: u32) -> u32 {
        if self.ranks == 1 {
            return 0;
        }
        let (units, fours) = match self.few() {
            true => (2 * self.chunks(paired), self.n.div_ceil(16)),
            false => (self.m / 8 / paired, 1),
        };
        self.ranks * self.parts * units.div_ceil(self.ranks) * paired * fours * self.groups() * 2048
    }

    /// Bytes of a stage of weights, in which ups begin with a chunk of their own, and what products read after the last; as `Flat::W_STAGE`
    /// and `Flat::W_AFTER`.
    const fn weights(self, paired: u32) -> (u32, u32) {
        let outputs = self.m / paired;
        let rest = if self.few() { self.chunks(paired) * GROUP - outputs } else { 0 };
        ((self.m + (paired - 1) * rest) * PANEL, rest * PANEL)
    }

    /// Stages of both rings that shared memory has room for; up to 1023 bytes align them, some are barriers.
    fn stages(self, paired: u32, shared: u32) -> u32 {
        let (stage, after) = self.weights(paired);
        // Copies that memory cannot answer soon only keep those of activations waiting. (A step of 8 sequences of an 8B in BF16 took 4,170 us
        // with 22 stages of 8 KiB and 7 of 28, and 4,125 with 15 and 5.)
        let most = match (self.few(), stage) {
            (true, ..=LARGE_STAGE) => 16,
            (true, _) => 5,
            (false, _) => 24,
        };
        (shared.saturating_sub(2048 + self.sums(paired) + after) / (stage + self.n * PANEL)).min(most)
    }
}

/// The tile with the least time by a plain model: bytes of weights, and of activations, which come from the second cache and
/// cost less; as many blocks at a time as there are multiprocessors.
fn tile(p: &Product, gpu: &Gpu) -> Option<Tile> {
    let split = split(p);
    let n = p.max_rows.next_multiple_of(8);
    let (ranks, parts) = (split.min(2), split.div_ceil(2));
    let time = |t: &Tile| {
        let tiles = p.n.div_ceil(t.m / p.paired);
        let turns = tiles.saturating_mul(ranks).div_ceil(USUAL_MULTIPROCESSORS);
        // With few stages the copies wait for the products.
        let waits = if t.stages(p.paired, gpu.shared) < 4 { 5 } else { 4 };
        u64::from(turns) * u64::from(t.m + n * 2 / 5) * waits
    };
    let all = (1..=16).rev().map(|i| Tile { m: 16 * i, n, ranks, parts });
    let fits = all.filter(|t| parts * t.m <= 256 && t.stages(p.paired, gpu.shared) >= 2);
    fits.min_by_key(time)
}

/// The launch, where the GPU has the shared memory.
pub(super) fn hopper(p: &Product, source: Source, gpu: &Gpu) -> Option<CudaLaunch> {
    let tile = tile(p, gpu)?;
    let Tile { m, n, ranks, parts } = tile;
    let (sums, groups) = (tile.sums(p.paired), tile.groups());
    let (x_stage, (w_stage, w_after)) = (n * PANEL, tile.weights(p.paired));
    let stages = tile.stages(p.paired, gpu.shared);
    let map = |binding, rows: u64, stride, box_rows| TensorMap {
        binding,
        offset: 0,
        rows,
        cols: p.k.into(),
        stride,
        box_rows,
        box_cols: 64,
    };
    let weight_rows = u64::from(p.n) * u64::from(p.paired);
    let tiles = p.n.div_ceil(m / p.paired);
    Some(CudaLaunch {
        source,
        defines: vec![
            ("TILE_N", m),
            ("FLAT_M", m),
            ("FLAT_N", n),
            ("FLAT_SPLIT", ranks * parts),
            ("FLAT_PARTS", parts),
            ("FLAT_X_STAGES", stages),
            ("FLAT_W_STAGES", stages),
            ("FLAT_EARLY", u32::from(p.layout == Layout::Native)),
        ],
        grid: [(gpu.multiprocessors / ranks).clamp(1, tiles.max(1)) * ranks, 1, 1],
        block: 64 + 128 * groups,
        shared: 1024 + sums + w_after + stages * (x_stage + w_stage + 32) + groups * 64,
        exchange: 0,
        maps: vec![
            map(1, p.max_rows.into(), p.act.row_bytes(p.k as usize) as u64, n),
            map(2, weight_rows, 2 * u64::from(p.k), m / p.paired),
        ],
        overlap: Overlap::Yes,
    })
}
