//! `rope_kv_attention`: `rope_kv` and `attention` in one command, for few rows, with the KV length split over blocks.

use crate::act::cpu::Row;
use crate::act::{self, ActFormat};
use crate::attention::reference::Past;
use crate::contract::{Cost, Kernel, Rows, reads, typed, updates, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::error::{KernelError, require};
use crate::flash_attention::AttentionParams;
use crate::kv::{self, KvFormat, kv_place};
use crate::machine::Version;
use crate::rope_kv::{check_head, rotate};
use crate::step::Block;
use crate::vulkan::{Pass, VulkanLaunch, WIDE};
use crate::words::{from_words, shared};

shared! {
    /// Compile-time constants.
    pub struct RopeKvAttentionConsts {
        /// Query heads.
        pub heads: u32,
        /// Key/value heads; divides `heads`.
        pub kv_heads: u32,
        /// Width of a head.
        pub head_dim: u32,
        /// Rotated pairs per head.
        pub pairs: u32,
        /// As `rope_kv`'s.
        pub pairing: u32,
        /// [`KvFormat`] of the keys.
        pub k_type: u32,
        /// [`KvFormat`] of the values.
        pub v_type: u32,
        /// Output [`ActFormat`].
        pub act: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
        /// Positions that a row sees, itself included; 0 for all.
        pub window: u32,
        /// Slots of one sequence's token belt.
        pub max_seq: u32,
        /// As `attention`'s.
        pub softcap: u32,
        /// Entries of the block table for each sequence; 0 for a table of one sequence.
        pub blocks: u32,
    }
}

/// The contract. Bindings: step block; block table `[seqs, blocks] u32`; angles `[rows, pairs, 2] f32`; qkv `[rows, (heads +
/// 2 kv_heads) head_dim] f32`, not rotated; K cache and V cache `[block, kv_heads, 256, head_dim]`; partials (scratch
/// of [`partial_bytes`]); sync (u32 counters of
/// [`sync_bytes`]), zero before and after; out `[rows, heads head_dim]` in the
/// format. Parameters are `attention`'s.
pub static KERNEL: Kernel = Kernel {
    name: "rope_kv_attention",
    bindings: &[
        reads("step"),
        reads("block_table"),
        reads("angles"),
        reads("qkv"),
        updates("k_cache"),
        updates("v_cache"),
        writes("partials"),
        updates("sync"),
        writes("out"),
    ],
    consts: RopeKvAttentionConsts::NAMES,
    params: AttentionParams::FIELDS,
    rows: Rows::Consecutive,
    check: typed!(|c: RopeKvAttentionConsts| check(&c)),
    units: typed!(|c: RopeKvAttentionConsts| c.kv_heads),
    cost: typed!(|c: RopeKvAttentionConsts, load| {
        let (rows, kv) = (u64::from(load.rows), u64::from(load.kv_len));
        let (h, hkv, hd) = (u64::from(c.heads), u64::from(c.kv_heads), u64::from(c.head_dim));
        let each = kv::bytes_per_position(c.k_type, c.v_type, c.head_dim);
        Cost {
            weight_bytes: 0,
            other_bytes: kv * hkv * each + rows * (8 * h * hd + hkv * (8 * hd + each)),
            flops: rows * (4 * h * hd * kv + 3 * (h + hkv) * hd),
        }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: RopeKvAttentionConsts, gpu| cuda(&c, gpu))),
        Version::Vulkan(typed!(|c: RopeKvAttentionConsts, _| vulkan(&c))),
        Version::Metal(include_str!("rope_kv_attention.metal")),
    ],
};

/// How the kernel is cut for a GPU. A row's cuts, and so its bits, follow from what does not depend on the table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    /// Blocks of a cluster: pieces of one split, added up through shared memory.
    cluster: u32,
    /// Most splits of a row and KV head.
    splits: u32,
    /// Tiles of 8 queries that a block works on at once.
    query_tiles: u32,
    /// Tiles of positions in shared memory.
    stages: u32,
}

/// Positions that a warp's group of four takes at once.
const TILE: u32 = 64;
/// Positions per piece up to which one split is best.
const DIRECT: u32 = 128;
/// Blocks that the splits of one row are cut for: what the GPUs of today hold at once.
const BLOCKS: u32 = 192;
/// Most blocks of a cluster.
const CLUSTER: u32 = 8;

impl Cut {
    const fn new(c: &RopeKvAttentionConsts, clusters: bool, shared: u32) -> Self {
        let cluster = if clusters { CLUSTER } else { 1 };
        let splits = clamp(BLOCKS / (c.kv_heads * cluster), 1, 16);
        // Rows of a batch are mostly of different sequences, which share no tile.
        let together = if c.blocks == 0 { c.max_rows } else { 1 };
        let tiles = (together * (c.heads / c.kv_heads)).div_ceil(8);
        let query_tiles = match (c.head_dim > 128, tiles) {
            (_, 0 | 1) => 1,
            (true, _) | (_, 2) => 2,
            _ => 4,
        };
        // Two blocks at a time on a multiprocessor of 228 KiB.
        let budget = if shared < 113 << 10 { shared } else { 113 << 10 };
        let mut cut = Self { cluster, splits, query_tiles, stages: 0 };
        cut.stages = clamp(budget.saturating_sub(cut.others(c)) / Self::stage(c), 2, 4);
        cut
    }

    /// Bytes of a stage: a tile of keys and one of values, in padded rows of elements or of codes, with scales.
    const fn stage(c: &RopeKvAttentionConsts) -> u32 {
        const fn row(format: u32, head_dim: u32) -> u32 {
            16 + if is_codes(format) { head_dim + head_dim / 16 } else { 2 * head_dim }
        }
        TILE * (row(c.k_type, c.head_dim) + row(c.v_type, c.head_dim))
    }

    /// Bytes of shared memory. When the tiles are done, the warps' results lie in their place: 4 of `head_dim + 8` f32 a
    /// query.
    const fn shared(self, c: &RopeKvAttentionConsts) -> u32 {
        let (tiles, merge) = (self.stages * Self::stage(c), 128 * self.query_tiles * (c.head_dim + 8));
        self.others(c) + if tiles > merge { tiles } else { merge }
    }

    /// Bytes of shared memory but for the tiles: the queries; the step's keys and values, in f32 until they are codes; what a cluster's other blocks send
    /// (an item is 4 elements with their maximum and sum); maxima and sums; a barrier and a flag.
    const fn others(self, c: &RopeKvAttentionConsts) -> u32 {
        let (slots, queries) = (8 * self.query_tiles, c.max_rows * (c.heads / c.kv_heads));
        let items = (if queries < slots { queries } else { slots }) * c.head_dim / 4;
        let inbox = if self.cluster > 1 { self.cluster * items.div_ceil(self.cluster) * 24 } else { 0 };
        let fresh = (2 << is_codes(c.k_type) as u32) + (2 << is_codes(c.v_type) as u32);
        2 * slots * (2 * c.head_dim + 16) + fresh * c.max_rows * c.head_dim + inbox + 40 * slots + 16
    }

    /// Rounds of `query_tiles` that all queries of a KV head take.
    const fn chunks(self, c: &RopeKvAttentionConsts) -> u32 {
        (c.max_rows * (c.heads / c.kv_heads)).div_ceil(8 * self.query_tiles)
    }
}

const fn is_codes(format: u32) -> bool {
    format == KvFormat::Q8_0 as u32
}

const fn clamp(v: u32, low: u32, high: u32) -> u32 {
    if v < low {
        low
    } else if v > high {
        high
    } else {
        v
    }
}

/// Whether the CUDA kernel has a version for constants.
fn has_cuda(c: &RopeKvAttentionConsts) -> bool {
    let queries = u64::from(c.max_rows) * u64::from(c.heads / c.kv_heads);
    let head = c.head_dim.is_multiple_of(16) && c.head_dim <= 256;
    let cache = kv::check_cuda("rope_kv_attention", c.head_dim, c.k_type, c.v_type).is_ok();
    let cache = cache && c.act != ActFormat::Q16Aligned as u32;
    cache && head && queries <= 1024 && c.heads <= 4096
}

/// The constants that words are, where they hold together and the CUDA kernel has a version for them.
fn cuda_shape(consts: &[u32]) -> Option<RopeKvAttentionConsts> {
    let c = from_words(consts);
    (check(&c).is_ok() && has_cuda(&c)).then_some(c)
}

/// Bytes of the partial results: `[rows, heads, splits]` of `[head_dim] f32`, and maximum and sum for each block of a
/// cluster; enough for GPUs with and without clusters, and for what Vulkan splits. CPUs do not use them.
pub fn partial_bytes(consts: &[u32]) -> u64 {
    let c: RopeKvAttentionConsts = from_words(consts);
    let parts = match check(&c) {
        Ok(()) if has_vulkan(&c) => u64::from(split_parts(&c)) * (u64::from(c.head_dim) + 2) * 4,
        _ => 0,
    };
    cuda_partial_bytes(consts).max(u64::from(c.max_rows) * u64::from(c.heads) * parts)
}

fn cuda_partial_bytes(consts: &[u32]) -> u64 {
    let Some(c) = cuda_shape(consts) else { return 16 };
    let of = |clusters| {
        let cut = Cut::new(&c, clusters, u32::MAX);
        let each = u64::from(c.head_dim) * 4 + u64::from(cut.cluster) * 8;
        u64::from(c.max_rows) * u64::from(c.heads) * u64::from(cut.splits) * each
    };
    of(true).max(of(false))
}

/// Bytes of the counters: one for each row, round of queries, KV head and block of a cluster.
pub fn sync_bytes(consts: &[u32]) -> u64 {
    let Some(c) = cuda_shape(consts) else { return 16 };
    let chunks = Cut::new(&c, true, u32::MAX).chunks(&c);
    u64::from(c.max_rows) * u64::from(chunks) * u64::from(c.kv_heads) * u64::from(CLUSTER) * 4
}

fn check(c: &RopeKvAttentionConsts) -> Result<(), KernelError> {
    let kernel = "rope_kv_attention";
    check_head(kernel, c.kv_heads, c.head_dim, c.pairs, c.pairing)?;
    kv::check(kernel, c.head_dim, c.k_type, c.v_type)?;
    require(kernel, c.heads != 0 && c.heads.is_multiple_of(c.kv_heads) && c.max_seq != 0, || {
        format!("{} heads over {} KV heads, {} token slots", c.heads, c.kv_heads, c.max_seq)
    })?;
    match ActFormat::from_word(c.act) {
        Some(ActFormat::F32 | ActFormat::Bf16 | ActFormat::F16) => Ok(()),
        Some(f @ ActFormat::Q16Aligned) if c.head_dim.is_multiple_of(f.block()) => Ok(()),
        _ => Err(KernelError::Unsupported { kernel, what: format!("output format {}", c.act) }),
    }
}

/// Rows of a table, and the widest head, that the Vulkan version has shared memory for.
const FRESH: [u32; 2] = [8, 256];
/// Positions of its tiles, and query heads of one KV head that a workgroup takes together.
const VULKAN_TILE: u32 = 64;
const TOGETHER: u32 = 4;

fn has_vulkan(c: &RopeKvAttentionConsts) -> bool {
    let [rows, width] = FRESH;
    c.max_rows <= rows && c.head_dim <= width && c.head_dim.is_multiple_of(8)
}

/// Workgroups that share a part of a row.
fn head_groups(c: &RopeKvAttentionConsts) -> u32 {
    c.kv_heads * (c.heads / c.kv_heads).div_ceil(TOGETHER)
}

/// Parts that the tiles of a row are dealt to with Vulkan: as many as make 512 workgroups of a row, where the context has so many tiles.
fn split_parts(c: &RopeKvAttentionConsts) -> u32 {
    let window = if c.window == 0 { u32::MAX } else { c.window.saturating_add(VULKAN_TILE) };
    c.max_seq.min(window).div_ceil(VULKAN_TILE).min((512 / head_groups(c)).clamp(1, 64))
}

fn vulkan(c: &RopeKvAttentionConsts) -> Result<VulkanLaunch, KernelError> {
    let kernel = "rope_kv_attention";
    crate::vulkan::check_act(kernel, c.act)?;
    if !has_vulkan(c) {
        let what = format!("{} rows of heads of {} on Vulkan or Metal", c.max_rows, c.head_dim);
        return Err(KernelError::Unsupported { kernel, what });
    }
    let code = include_bytes!("rope_kv_attention.spv");
    let launch = VulkanLaunch::new(kernel, code, head_groups(c), c.max_rows)?;
    let merge = Pass {
        code: include_bytes!("rope_kv_attention_merge.spv"),
        metal: include_str!("rope_kv_attention_merge.metal"),
        groups: [c.heads, c.max_rows, 1],
        invocations: WIDE,
    };
    let groups = [launch.groups[0], c.max_rows, split_parts(c)];
    Ok(VulkanLaunch { groups, invocations: WIDE, then: Some(merge), ..launch })
}

fn cuda(c: &RopeKvAttentionConsts, gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let cut = has_cuda(c).then(|| Cut::new(c, gpu.sm >= 90, gpu.shared));
    let Some(cut) = cut.filter(|cut| cut.shared(c) <= gpu.shared) else {
        let (heads, rows, hd) = (c.heads, c.max_rows, c.head_dim);
        let what =
            format!("{rows} rows of {heads} heads of {hd} with {} on CUDA", kv::names(c.k_type, c.v_type));
        return Err(KernelError::Unsupported { kernel: "rope_kv_attention", what });
    };
    // No more blocks than there is work for at any length, nor than run at once.
    let work = c.kv_heads * cut.splits * cut.chunks(c);
    let resident = if cut.query_tiles == 1 && 2 * cut.shared(c) + 1024 <= gpu.shared { 2 } else { 1 };
    let clusters = work.min(gpu.multiprocessors * resident / cut.cluster).max(1);
    Ok(CudaLaunch {
        source: const {
            &[
                include_str!("../attention/mma.cuh"),
                include_str!("../attention/capped.cuh"),
                include_str!("../attention/kv.cuh"),
                include_str!("../rope_kv/rotate.cuh"),
                include_str!("shape.cuh"),
                include_str!("../attention/kv_tile.cuh"),
                include_str!("rope_kv_attention.cu"),
            ]
        },
        defines: vec![
            ("CLUSTER", cut.cluster),
            ("DIRECT", DIRECT),
            ("STAGES", cut.stages),
            ("Q_TILES", cut.query_tiles),
            ("MAX_SPLITS", cut.splits),
            ("SHARED", cut.shared(c)),
        ],
        grid: [clusters * cut.cluster, 1, 1],
        block: 128 * cut.query_tiles,
        shared: cut.shared(c),
        exchange: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}

/// The plain twin: `rope_kv`, then `attention`. A part has whole KV heads, so that no part reads what another stores.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise.
    unsafe { twin(call, &call.consts(), 8, part, parts) }
}

/// The twin of every operation with such constants, whose first bindings are this one's and whose output is binding `out`.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for that contract.
pub(crate) unsafe fn twin(call: &Call<'_>, c: &RopeKvAttentionConsts, output: usize, part: u32, parts: u32) {
    let p: AttentionParams = call.params();
    let (h, hkv, hd) = (c.heads as usize, c.kv_heads as usize, c.head_dim as usize);
    let n = c.pairs as usize;
    let width = (h + 2 * hkv) * hd;
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    let (mut x, mut out) = (vec![0f32; hd], vec![0f32; hd]);
    // SAFETY: shapes by the contract; parts own disjoint KV heads with their query heads.
    unsafe {
        let step = call.step(0);
        let tables = call.slice::<Block>(1, 0, call.bufs[1].len / 4);
        let table = |r: usize| &tables[step.row(r as u32).seq.index() * c.blocks as usize..];
        let rows = step.header().rows as usize;
        let (window, softcap, scale) = (c.window, c.softcap, p.scale);
        for kv_head in share(hkv, part, parts) {
            for r in 0..rows {
                let at = kv_place(table(r), hkv, kv_head, step.row(r as u32).pos.index());
                x.copy_from_slice(call.slice::<f32>(3, r * width + (h + kv_head) * hd, hd));
                rotate(&mut x, call.slice::<f32>(2, r * n * 2, n * 2), n, c.pairing);
                kv::store(call, 4, k, at, &x);
                kv::store(call, 5, v, at, call.slice::<f32>(3, r * width + (h + hkv + kv_head) * hd, hd));
            }
            for (r, head) in (0..rows).flat_map(|r| (0..h / hkv).map(move |g| (r, kv_head * (h / hkv) + g))) {
                x.copy_from_slice(call.slice::<f32>(3, r * width + head * hd, hd));
                rotate(&mut x, call.slice::<f32>(2, r * n * 2, n * 2), n, c.pairing);
                let (table, bindings, formats) = (table(r), [4, 5], [k, v]);
                let past = Past { call, table, bindings, formats, kv_heads: hkv, window, softcap, scale };
                past.attend(kv_head, step.row(r as u32).pos.index(), &x, &mut out);
                let row = Row { call, binding: output, format, row: r, k: h * hd };
                act::store(format, row.bytes(head * hd..(head + 1) * hd), 0, &out);
            }
        }
    }
}
