//! `grouped_matmul`: the products of many rows with the matrices of their experts, on matrix units.
//!
//! It follows `expert_group`, whose tiles it takes one after the other: an expert's matrix is read once for all slots of
//! a tile. Weights are dequantized on their way, into the 16 bits of the activations.

use crate::act::{self, ActFormat};
use crate::contract::{Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::dtype::{self, DType, Layout};
use crate::error::{KernelError, require};
use crate::expert_group::{self, ExpertGroupConsts, Tile};
use crate::expert_matmul::{ExpertMatmulConsts, Input};
use crate::machine::Version;
use crate::matmul::reference::dot;
use crate::matmul::{cuda_flat_planes, cuda_product};
use crate::words::shared;
use half::{bf16, f16};

shared! {
    /// Compile-time constants.
    pub struct GroupedMatmulConsts {
        /// The product, as `expert_matmul` has it. Its input is of 16 bits, to which the weights are rounded too, f16
        /// saturated.
        pub product: ExpertMatmulConsts,
        /// Most slots of a tile; one of [`TILES`].
        pub tile: u32,
    }
}

/// Sizes of tiles there are versions for.
pub const TILES: [u32; 5] = [16, 32, 64, 128, 192];

/// The tile for a table: the smallest into which an expert's slots fit where rows are spread evenly, with room for some
/// that are not.
pub fn tile(max_rows: u32, used: u32, experts: u32) -> u32 {
    let slots = u64::from(max_rows) * u64::from(used);
    let fits = |t: &u32| slots * 4 <= u64::from(experts) * u64::from(*t) * 3;
    TILES.into_iter().find(fits).unwrap_or(TILES[TILES.len() - 1])
}

/// The contract. Bindings: step block; groups as `expert_group` writes them; x `[rows, k]` or `[rows * used, k]` in the
/// activation format; w `[experts * n, k]`; out `[rows * used, out_stride] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "grouped_matmul",
    bindings: &[reads("step"), reads("groups"), reads("x"), reads("w"), writes("out")],
    consts: GroupedMatmulConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: GroupedMatmulConsts| {
        let (kernel, p) = ("grouped_matmul", &c.product);
        p.check(kernel)?;
        require(kernel, TILES.contains(&c.tile) && p.max_rows <= 1 << 24, || {
            format!("tiles of {}, {} rows", c.tile, p.max_rows)
        })?;
        match ActFormat::from_word(p.act) {
            Some(ActFormat::F16 | ActFormat::Bf16) => Ok(()),
            _ => Err(KernelError::Unsupported { kernel, what: format!("activations in format {}", p.act) }),
        }
    }),
    units: typed!(|c: GroupedMatmulConsts| c.product.n.div_ceil(16).max(1)),
    cost: typed!(|c: GroupedMatmulConsts, load| c.product.cost(load)),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: GroupedMatmulConsts, gpu| cuda(&c, gpu))),
    ],
};

impl GroupedMatmulConsts {
    /// The constants of the `expert_group` before it.
    pub const fn group(&self) -> ExpertGroupConsts {
        let p = &self.product;
        ExpertGroupConsts { experts: p.experts, used: p.used, tile: self.tile, max_rows: p.max_rows }
    }
}

/// Weight rows that a block takes at a time.
const STRIP: u32 = 128;
/// Bytes of a row of a panel.
const PANEL_WIDTH: u32 = 128;

/// The sources of the version for tables of some hundred rows.
const FLAT: &[&str] = &[
    TILE,
    include_str!("../cuda/gemm.cuh"),
    CODES,
    include_str!("../dtype/raw.cuh"),
    include_str!("../cuda/wgmma.cuh"),
    include_str!("../cuda/hopper.cuh"),
    include_str!("../cuda/mma.cuh"),
    include_str!("../cuda/flat.cuh"),
    include_str!("../cuda/flat_sm90.cuh"),
    include_str!("grouped_matmul_flat.cu"),
];

/// In tables of up to [`cuda_product::MAX_ROWS`] rows an expert has few slots, and its weights' way is what a product takes: they are
/// dequantized in registers. With more they are dequantized once for all warps.
fn cuda(grouped: &GroupedMatmulConsts, gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let (c, tile) = (grouped.product, grouped.tile);
    let tiles = expert_group::most_tiles(&grouped.group());
    if gpu.hopper() && c.max_rows <= cuda_product::MAX_ROWS && Layout::from_word(c.layout) == Layout::Planes {
        let p = cuda_product::product("grouped_matmul", [c.dtype, c.layout, c.act, c.k], [c.n, 1, tile])?;
        return cuda_flat_planes::grouped(&p, c.experts, tiles, FLAT, gpu);
    }
    let dt = dtype::from_const("grouped_matmul", c.dtype)?;
    let wanted = if dt.block() == 1 { Layout::Native } else { Layout::Planes };
    // Two stages of weights and of activations, of one or two panels of 64 columns; up to 1023 bytes to align them; the
    // slots of the tile.
    let shared = |panels: u32| 1024 + 2 * panels * (STRIP + tile.max(64)) * PANEL_WIDTH + 4 * tile;
    let panels = if shared(2) <= gpu.shared { 2 } else { 1 };
    let fits = c.k.is_multiple_of(8) && shared(panels) <= gpu.shared;
    if Layout::from_word(c.layout) != wanted || !fits {
        let layout = Layout::from_word(c.layout).name();
        let what = format!("{} x {} {dt} weights in layout {layout} on CUDA", c.n, c.k);
        return Err(KernelError::Unsupported { kernel: "grouped_matmul", what });
    }
    let units = tiles.saturating_mul(c.n.div_ceil(STRIP));
    let source: &[&str] = if gpu.hopper() {
        const { &[TILE, CODES, VALUES, include_str!("../cuda/wgmma.cuh"), include_str!("grouped_matmul.cu")] }
    } else {
        const { &[TILE, CODES, VALUES, include_str!("../cuda/mma.cuh"), include_str!("grouped_matmul.cu")] }
    };
    Ok(CudaLaunch {
        source,
        defines: vec![("PANELS", panels)],
        grid: [gpu.multiprocessors.min(units).max(1), 1, 1],
        block: 512,
        shared: shared(panels),
        exchange: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}

const TILE: &str = include_str!("../cuda/tile.cuh");
const CODES: &str = include_str!("../dtype/codes.cuh");
const VALUES: &str = include_str!("../dtype/dequant.cuh");

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let grouped: GroupedMatmulConsts = call.consts();
    let c = grouped.product;
    let (k, n, used) = (c.k as usize, c.n as usize, c.used as usize);
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let (layout, rb) = (Layout::from_word(c.layout), fmt.row_bytes(k));
    let rounded = |w: f32| match fmt {
        ActFormat::Bf16 => bf16::from_f32(w).to_f32(),
        _ => f16::from_f32(w.clamp(-65504.0, 65504.0)).to_f32(),
    };
    // SAFETY: shapes by the contract; parts own disjoint output columns.
    unsafe {
        let tiles = call.slice::<Tile>(1, 1, call.slice::<u32>(1, 0, 1)[0] as usize);
        let order_at = 4 * (1 + expert_group::most_tiles(&grouped.group())) as usize;
        let w = call.slice::<u8>(3, 0, call.bufs[3].len);
        let (mut x, mut row) = (vec![0f32; k], vec![0f32; k]);
        for tile in tiles {
            let order = call.slice::<u32>(1, order_at + tile.first as usize, tile.slots as usize);
            for j in share(n, part, parts) {
                dtype::dequantize_row(dt, layout, w, k, tile.expert as usize * n + j, &mut row);
                row.iter_mut().for_each(|w| *w = rounded(*w));
                for slot in order.iter().map(|s| *s as usize) {
                    let input = if c.input == Input::Slot as u32 { slot } else { slot / used };
                    act::load(fmt, call.slice::<u8>(2, input * rb, rb), k, &mut x);
                    let at = slot * c.out_stride as usize + c.out_col as usize + j;
                    call.slice_mut::<f32>(4, at, 1)[0] = dot(&x, &row);
                }
            }
        }
    }
}
