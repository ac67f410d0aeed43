//! The CUDA version for few rows (`gemv.cuh`): which tuning a matrix gets.

use crate::contract::KernelError;
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::dtype::{DType, Layout};

/// What becomes of the sums; the constants of `gemv.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Stored, or added to the residual.
    Store,
    /// Pairs of gate and up.
    Glu,
    /// Stored, and the best of each chunk kept.
    Best {
        /// Rows of a chunk.
        chunk: u32,
    },
}

/// A product of few rows.
#[derive(Clone, Copy, Debug)]
pub struct Gemv {
    /// The kernel's name, for errors.
    pub kernel: &'static str,
    /// Weight format id.
    pub dtype: u32,
    /// Weight layout.
    pub layout: u32,
    /// Width.
    pub k: u32,
    /// Rows of the whole matrix.
    pub n: u32,
    /// Rows of activations at most.
    pub max_rows: u32,
    /// The epilogue.
    pub mode: Mode,
}

/// Warps of a block.
const WARPS: u32 = 8;
/// 16-byte loads that a thread has under way before it uses the first.
const LOADS: u32 = 8;
/// Shared memory that staged rows may take, so that the next kernel's block fits beside this one.
const SHARED: u32 = 100 << 10;
/// Bytes of its share that a block asks for ahead of time.
const PREFETCH: u32 = 64 << 10;
/// Multiprocessors that the tuning assumes; the code runs on any number.
const USUAL_MULTIPROCESSORS: u32 = 132;
/// The most rows of a table that these kernels serve.
pub const MAX_ROWS: u32 = 8;

/// Columns that 16 bytes of quants cover.
const fn count(dtype: DType) -> u32 {
    match dtype {
        DType::F32 => 4,
        DType::F16 | DType::Bf16 => 8,
        DType::Q8_0 => 16,
        DType::Q4_0 | DType::Q4_1 | DType::Q6K => 32,
    }
}

/// Bytes of a staged activation row, as `dot.cuh` lays it out.
const fn staged_bytes(dtype: DType, k: u32) -> u32 {
    match dtype {
        DType::F32 | DType::F16 | DType::Bf16 => 2 * ((k / 8 * 16).next_multiple_of(128) + 64),
        _ => 4 * ((k / 32 * 16).next_multiple_of(128) + 64) + k / 32 * 16,
    }
}

/// Tuning and geometry.
pub fn pick(g: Gemv, source: &'static [&'static str], gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let dt = crate::dtype::from_const(g.kernel, g.dtype)?;
    let float = matches!(dt, DType::F32 | DType::F16 | DType::Bf16);
    let wanted = if float { Layout::Native } else { Layout::Planes };
    let fits = if float { g.k.is_multiple_of(8) } else { g.k.is_multiple_of(dt.block()) };
    if Layout::from_word(g.layout) != wanted || !fits || g.k == 0 || g.n == 0 || g.max_rows > MAX_ROWS {
        let layout = Layout::from_word(g.layout).name();
        let what = format!("{} x {} {dt} weights in layout {layout}, {} rows, on CUDA", g.n, g.k, g.max_rows);
        return Err(KernelError::Unsupported { kernel: g.kernel, what });
    }
    let staged = staged_bytes(dt, g.k);
    let room = (gpu.shared.saturating_sub(1 << 10)).min(if g.max_rows == 1 { gpu.shared } else { SHARED.max(staged) });
    if staged > room {
        let what = format!("rows of {} (they do not fit into shared memory)", g.k);
        return Err(KernelError::Unsupported { kernel: g.kernel, what });
    }
    // As few passes as fit, of as equal size as can be.
    let max_rows = g.max_rows.max(1);
    let passes = max_rows.div_ceil(room / staged);
    let pass = max_rows.div_ceil(passes);
    let per_lane = (g.k / count(dt)).div_ceil(32);
    let batch = per_lane.min(4);
    let most = if max_rows == 1 { LOADS / batch } else { 2 };
    let per_warp = g.n.div_ceil(USUAL_MULTIPROCESSORS * WARPS).next_power_of_two();
    let group = match g.mode {
        Mode::Store => most.min(per_warp),
        Mode::Glu => most.min(per_warp).max(2),
        Mode::Best { chunk } => most.min(4).min(chunk),
    };
    // A power of two, so that it divides a chunk.
    let group = if group.is_power_of_two() { group } else { group.next_power_of_two() / 2 };
    let units = match g.mode {
        Mode::Store => g.n,
        Mode::Glu => g.n / 2,
        Mode::Best { chunk } => g.n.div_ceil(chunk),
    };
    Ok(CudaLaunch {
        source,
        defines: vec![
            ("GEMV_ROWS", max_rows),
            ("GEMV_GROUP", group),
            ("GEMV_BATCH", batch),
            ("GEMV_PASS", pass),
            ("GEMV_PREFETCH", PREFETCH),
        ],
        grid: [gpu.multiprocessors.min(units), 1, 1],
        block: WARPS * 32,
        shared: pass * staged,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}
