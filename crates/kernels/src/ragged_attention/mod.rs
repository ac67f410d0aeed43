//! `ragged_attention`: attention of rows of many sequences, each row at its own position of its own sequence.
//!
//! As `attention`, but the block table has a row for each sequence. Rows that go on in a sequence, as pieces of prompts do, may
//! stand anywhere among rows of others. A row's bits depend on its own queries and on what it sees, never on its neighbours.

use crate::act::cpu::Row;
use crate::act::{self, ActFormat};
use crate::attention::reference::Past;
use crate::contract::{Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, Gpu, Overlap, TensorMap};
use crate::error::{KernelError, require};
use crate::flash_attention::{self, AttentionConsts, AttentionParams};
use crate::kv::{self, KvFormat};
use crate::machine::Version;
use crate::matmul::cuda_product::USUAL_MULTIPROCESSORS;
use crate::step::RowCount;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;
use crate::{Cost, Load};

pub(crate) mod cpu;

shared! {
    /// Compile-time constants.
    pub struct RaggedAttentionConsts {
        /// Those of `attention`.
        pub attention: AttentionConsts,
        /// Entries of the block table for each sequence.
        pub blocks: u32,
    }
}

/// The contract. Bindings: step block; block table `[seqs, blocks] u32`; qkv `[rows, (heads + 2 kv_heads) * head_dim] f32`
/// with the rotated queries first; K cache; V cache; out `[rows, heads * head_dim]` in the activation format.
pub static KERNEL: Kernel = Kernel {
    name: "ragged_attention",
    bindings: &[
        reads("step"),
        reads("block_table"),
        reads("qkv"),
        reads("k_cache"),
        reads("v_cache"),
        writes("out"),
    ],
    consts: RaggedAttentionConsts::NAMES,
    params: AttentionParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: RaggedAttentionConsts| {
        flash_attention::check("ragged_attention", &c.attention)?;
        require("ragged_attention", c.blocks != 0, || "a block table without entries".into())
    }),
    units: typed!(|c: RaggedAttentionConsts| c.attention.heads.saturating_mul(c.attention.max_rows)),
    cost: typed!(|c: RaggedAttentionConsts, load| cost(&c.attention, load)),
    versions: &[
        Version::Cpu(typed!(|level, c: RaggedAttentionConsts| Ok(cpu::select(level, &c.attention)))),
        Version::Cuda(typed!(|c: RaggedAttentionConsts, gpu| {
            let source = const {
                &[
                    include_str!("../cuda/hopper.cuh"),
                    include_str!("../attention/mma.cuh"),
                    include_str!("../attention/capped.cuh"),
                    include_str!("../attention/kv.cuh"),
                    include_str!("ragged.cuh"),
                    include_str!("ragged_attention.cu"),
                ]
            };
            cuda("ragged_attention", &c.attention, [3, 4], false, source, gpu)
        })),
        Version::Vulkan(typed!(|c: RaggedAttentionConsts, _| {
            let a = c.attention;
            crate::vulkan::check_act("ragged_attention", a.act)?;
            crate::vulkan::check_head("ragged_attention", a.head_dim)?;
            let code = include_bytes!("ragged_attention.spv");
            let launch = VulkanLaunch::new("ragged_attention", code, a.heads, a.max_rows)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("ragged_attention.metal")),
    ],
};

/// Every row reads its own keys and values.
pub(crate) fn cost(c: &AttentionConsts, load: Load) -> Cost {
    let one = flash_attention::cost(c, Load { rows: RowCount(1), ..load });
    let rows = u64::from(load.rows);
    Cost { weight_bytes: 0, other_bytes: rows * one.other_bytes, flops: rows * one.flops }
}

/// Positions of a tile, warps of a block, stages of a warp's ring: as in `ragged.cuh`.
const TILE: u32 = 16;
const WARPS: u32 = 4;
const RING: [u32; 2] = [3, 2];

/// The launch of `ragged.cuh`. `caches` are the bindings of keys and values; `fused`: with rotation and cache write.
pub(crate) fn cuda(
    kernel: &'static str,
    c: &AttentionConsts,
    caches: [usize; 2],
    fused: bool,
    source: &'static [&'static str],
    gpu: &Gpu,
) -> Result<CudaLaunch, KernelError> {
    crate::cuda::check_act(kernel, c.act)?;
    let unsupported = || {
        let what = format!("heads of {} with {} on CUDA", c.head_dim, kv::names(c.k_type, c.v_type));
        KernelError::Unsupported { kernel, what }
    };
    kv::check_cuda(kernel, c.head_dim, c.k_type, c.v_type)?;
    if !c.head_dim.is_multiple_of(16) || c.head_dim > 256 {
        return Err(unsupported());
    }
    // Tiles by the tensor copy engine, in panels of 64 columns or lines of 128 codes.
    let codes = [c.k_type, c.v_type].contains(&(KvFormat::Q8_0 as u32));
    let boxes = gpu.hopper() && c.head_dim.is_multiple_of(64) && (!codes || c.head_dim.is_power_of_two());
    // A stage of one side, with its scales.
    let stage = |format: u32| match (format == KvFormat::Q8_0 as u32, boxes) {
        (true, true) => (TILE + 1) * c.head_dim,
        (true, false) => TILE * (c.head_dim + 16) + c.head_dim,
        (false, true) => TILE * 2 * c.head_dim,
        (false, false) => TILE * (2 * c.head_dim + 16),
    };
    let stages = stage(c.k_type) + stage(c.v_type);
    let sums = 128 + 16 * (4 * c.head_dim + 16);
    let shared = |ring: u32| match boxes {
        true => WARPS * ((ring * stages).max(sums).next_multiple_of(1024) + ring * 8) + 1024,
        false => WARPS * (ring * stages).max(sums),
    };
    let parts = (c.heads / c.kv_heads).div_ceil(16);
    let units = c.max_rows.saturating_mul(c.kv_heads).saturating_mul(parts);
    // Each unit has a multiprocessor for itself, or several blocks share one where heads are not wide. Codes take more instructions for fewer
    // bytes, and want more warps: attention of a step of 128 and 256 sequences of an 8B takes 1,540 and 2,860 us on an H200 with four blocks,
    // 1,680 and 3,220 with two.
    let few = units <= USUAL_MULTIPROCESSORS && c.head_dim <= 128;
    let fit_together = |blocks: u32, turns: u32| blocks * (shared(turns) + 1024) <= gpu.shared + 1024;
    let (turn, blocks) = if few && shared(2 * RING[0]) <= gpu.shared {
        (2, 1)
    } else if c.head_dim > 128 {
        (1, 1)
    } else if codes && fit_together(4, RING[1]) {
        (1, 4)
    } else {
        (1, 2)
    };
    // Four blocks have as much on their way with two stages each; with three they were slower.
    let fits = |r: &u32| fit_together(blocks, turn * r) && (blocks < 4 || *r == RING[1]);
    let ring = RING.into_iter().find(fits).or(Some(2).filter(|r| shared(*r) <= gpu.shared));
    let ring = ring.ok_or_else(unsupported)?;
    Ok(CudaLaunch {
        source,
        defines: vec![
            ("TURN", turn),
            ("RING", ring),
            ("RESIDENT", blocks),
            ("SHARED", shared(turn * ring)),
            ("FUSED", fused.into()),
            ("BOXES", boxes.into()),
        ],
        grid: [gpu.multiprocessors.saturating_mul(blocks).min(units).max(1), 1, 1],
        block: 32 * WARPS,
        shared: shared(turn * ring),
        exchange: 0,
        maps: match boxes {
            true => vec![tiles(c, c.k_type, caches[0]), tiles(c, c.v_type, caches[1])],
            false => Vec::new(),
        },
        overlap: Overlap::Yes,
    })
}

/// Positions of a cache, of all KV heads and blocks, as rows; codes and scales as lines of 128 bytes, which a tile is a whole number of.
fn tiles(c: &AttentionConsts, format: u32, binding: usize) -> TensorMap {
    let rows = TensorMap {
        binding,
        offset: 0,
        rows: TensorMap::ALL,
        cols: c.head_dim.into(),
        stride: 2 * u64::from(c.head_dim),
        box_rows: TILE,
        box_cols: 64,
    };
    match format == KvFormat::Q8_0 as u32 {
        true => TensorMap { cols: 64, stride: 128, box_rows: TILE * c.head_dim / 128, ..rows },
        false => rows,
    }
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let RaggedAttentionConsts { attention: c, blocks } = call.consts();
    let (h, hkv, hd) = (c.heads as usize, c.kv_heads as usize, c.head_dim as usize);
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    // SAFETY: shapes by the contract; parts own disjoint (row, head) pairs.
    unsafe {
        let step = call.step(0);
        let mut out = vec![0f32; hd];
        for unit in share(step.header().rows as usize * h, part, parts) {
            let (r, head) = (unit / h, unit % h);
            let place = step.row(r as u32);
            let past = Past {
                call,
                table: call.slice(1, place.seq.index() * blocks as usize, blocks as usize),
                bindings: [3, 4],
                formats: [k, v],
                kv_heads: hkv,
                window: c.window,
                softcap: c.softcap,
                scale: call.params::<AttentionParams>().scale,
            };
            let q = call.slice::<f32>(2, r * (h + 2 * hkv) * hd + head * hd, hd);
            past.attend(head / (h / hkv), place.pos.index(), q, &mut out);
            let row = Row { call, binding: 5, format, row: r, k: h * hd };
            act::store(format, row.bytes(head * hd..(head + 1) * hd), 0, &out);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Every head width and pair of formats has a launch, whose blocks fit on a multiprocessor together, and whose boxes are whole tiles.
    #[test]
    fn launches_fit_and_boxes_are_tiles() {
        let formats = [KvFormat::F16, KvFormat::Bf16, KvFormat::Q8_0];
        let mut four = 0;
        for (arch, head_dim) in
            ["sm_80", "sm_90a"].into_iter().flat_map(|a| (1..=16).map(move |i| (a, 16 * i)))
        {
            let gpu = Gpu::of_arch(arch).unwrap();
            for [k, v] in formats.into_iter().flat_map(|k| formats.map(|v| [k, v])) {
                if !(k.holds(head_dim as usize) && v.holds(head_dim as usize)) {
                    continue;
                }
                for max_rows in [9, 64, 512] {
                    let c = AttentionConsts {
                        heads: 32,
                        kv_heads: 8,
                        head_dim,
                        k_type: k as u32,
                        v_type: v as u32,
                        act: ActFormat::F16 as u32,
                        max_rows,
                        window: 0,
                        softcap: 0,
                    };
                    let l = cuda("ragged_attention", &c, [3, 4], false, &[], &gpu).unwrap();
                    let define = |name: &str| l.defines.iter().find(|d| d.0 == name).unwrap().1;
                    let (blocks, what) = (define("RESIDENT"), format!("{arch} {c:?}"));
                    assert!(l.shared <= gpu.shared, "{what}");
                    assert!(blocks * (l.shared + 1024) <= gpu.shared + 1024, "{what}");
                    four += u32::from(blocks == 4);
                    for (map, format) in l.maps.iter().zip([k, v]) {
                        let boxes = map.box_rows * 2 * map.cols as u32;
                        let row = if format == KvFormat::Q8_0 { head_dim } else { 2 * head_dim };
                        assert_eq!(boxes, TILE * row, "a box or its panels are a tile: {what}");
                        assert_eq!(
                            format.tile_bytes(head_dim as usize) as u64 % map.stride,
                            0,
                            "whole rows: {what}"
                        );
                    }
                }
            }
        }
        assert!(four > 0, "no launch with four blocks");
    }
}
