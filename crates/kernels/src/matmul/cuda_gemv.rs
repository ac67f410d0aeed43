//! The CUDA version for few rows (`gemv.cuh`): which tuning a matrix gets.

use crate::contract::KernelError;
use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::dtype::{DType, Layout};

/// What becomes of the sums.
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

/// The most rows of a table that these kernels serve.
pub const MAX_ROWS: u32 = 8;
/// The widest row: far above any model's, and small enough that sizes in bytes fit 32 bits.
const MAX_WIDTH: u32 = 1 << 20;
/// Multiprocessors that the tuning assumes; the code runs on any number.
const USUAL_MULTIPROCESSORS: u32 = 132;
/// A matrix of at most so many bytes is read in the time that a command takes anyway: small blocks, so that several
/// commands' first copies are under way together.
const SMALL: u64 = 13 << 20;

/// Values that a lane takes at a time, and the bytes of its slot in the ring; as in `dot.cuh`.
const fn unit(dtype: DType) -> (u32, u32) {
    match dtype {
        DType::F32 => (4, 16),
        DType::F16 | DType::Bf16 => (8, 16),
        DType::Q8_0 => (16, 20),
        DType::Q4_0 | DType::Q4_1 => (32, 20),
        DType::Q6K => (64, 60),
    }
}

/// Bytes of a staged activation row of `values`, as `dot.cuh` lays it out.
const fn staged_bytes(dtype: DType, values: u32) -> u32 {
    const fn plane(lines: u32) -> u32 {
        ((lines + 3) / 8 * 8 + 4) * 16
    }
    let (blocks, planes) = (values / 32, unit(dtype).0 / 4);
    match dtype {
        DType::F32 | DType::F16 | DType::Bf16 => planes * plane((values / 4).div_ceil(planes)),
        DType::Q6K => 4 * plane(blocks + (blocks - 1) / 4) + (blocks * 4).next_multiple_of(16),
        DType::Q4_1 => 4 * plane(blocks) + (blocks * 8).next_multiple_of(16),
        DType::Q4_0 | DType::Q8_0 => 4 * plane(blocks) + (blocks * 4).next_multiple_of(16),
    }
}

/// Lanes of a weight row: all of a warp, or fewer where rows are short and so many lanes would idle in a row's last
/// step, as long as every warp has enough rows. It decides the order of sums, so it must not depend on the number of
/// activation rows.
fn lanes(g: &Gemv, units: u32) -> u32 {
    let idle = |l: u32| f64::from(units.next_multiple_of(l)) / f64::from(units);
    let enough = |l: u32| u64::from(g.n) * u64::from(l) / 32 >= u64::from(USUAL_MULTIPROCESSORS * 16);
    // A gated product of 8 rows ends with 16 sums, one for each lane.
    let least = if g.mode == Mode::Glu { 16 } else { 8 };
    [16, 8]
        .into_iter()
        .filter(|l| *l >= least && enough(*l))
        .fold(32, |best, l| if idle(best) > idle(l) * 1.08 { l } else { best })
}

/// Tuning and geometry.
pub fn pick(g: Gemv, source: &'static [&'static str], gpu: &Gpu) -> Result<CudaLaunch, KernelError> {
    let dt = crate::dtype::from_const(g.kernel, g.dtype)?;
    let unsupported = |why: &str| {
        let layout = Layout::from_word(g.layout).name();
        let what =
            format!("{} x {} {dt} weights in layout {layout}, {} rows, on CUDA{why}", g.n, g.k, g.max_rows);
        KernelError::Unsupported { kernel: g.kernel, what }
    };
    let wanted = if dt.block() == 1 { Layout::Native } else { Layout::Planes };
    let (width, slot) = unit(dt);
    let fits = g.k.is_multiple_of(width.max(dt.block()));
    if Layout::from_word(g.layout) != wanted || !fits || g.n == 0 || g.max_rows > MAX_ROWS {
        return Err(unsupported(""));
    }
    if g.k == 0 || g.k > MAX_WIDTH {
        return Err(unsupported(""));
    }
    let units = g.k / width;
    if u64::from(g.n) * u64::from(units) > u64::from(u32::MAX) {
        return Err(unsupported(" (the matrix has too many units)"));
    }
    let (outputs, share) = match g.mode {
        Mode::Store => (g.n, 1),
        Mode::Glu => (g.n / 2, 1),
        Mode::Best { chunk } => (g.n, chunk.max(1)),
    };
    let grid = gpu.multiprocessors.min(outputs.div_ceil(share)).max(1);
    let max_rows = g.max_rows.max(1);
    let small = u64::from(g.n) * dt.row_bytes(g.k.into()) <= SMALL;
    // The number of threads decides the order of a norm's sum, so it does not depend on the rows either.
    let narrow = g.mode != Mode::Glu && (g.k <= 1024 || small && dt.block() == 1);
    let threads: u32 = if narrow { 256 } else { 512 };
    let lanes = lanes(&g, units);
    let steps = units.div_ceil(lanes);

    // Weight rows that a lane works on together: they share the reads of activations, but every lane must have some.
    let each = u64::from(g.n) * u64::from(lanes) / u64::from(USUAL_MULTIPROCESSORS * threads);
    let outs = match each {
        4.. if dt != DType::Q6K => 4,
        2.. => 2,
        _ => 1,
    };
    let outs = outs.min(lanes / max_rows.next_power_of_two()).max(if g.mode == Mode::Glu { 2 } else { 1 });

    let budget = gpu.shared.saturating_sub(1 << 10);
    let ring = if narrow && small { 48 << 10 } else { 72 << 10 };
    let stage = threads * outs * slot;
    let stages = ((ring.min(budget / 2) + stage / 2) / stage).max(2);
    let picks = match g.mode {
        Mode::Best { .. } => (outputs.div_ceil(share).div_ceil(grid) * 8).saturating_mul(max_rows),
        _ => 0,
    };
    // Activations in as few pieces as fit.
    let shared = |pieces: u32| {
        let piece = steps.div_ceil(pieces);
        let values = if piece >= steps { g.k } else { piece * lanes * width };
        (stages * stage + max_rows * (staged_bytes(dt, values) + threads / 32 * 4)).saturating_add(picks)
    };
    let pieces = (1..=steps)
        .find(|p| shared(*p) <= budget)
        .ok_or_else(|| unsupported(" (too little shared memory)"))?;
    Ok(CudaLaunch {
        source,
        defines: vec![
            ("GEMV_THREADS", threads),
            ("GEMV_BLOCKS", if max_rows == 1 { 1024 / threads } else { 1 }),
            ("GEMV_LANES", lanes),
            ("GEMV_OUTS", outs),
            ("GEMV_STAGES", stages),
            ("GEMV_PIECE", steps.div_ceil(pieces)),
        ],
        grid: [grid, 1, 1],
        block: threads,
        shared: shared(pieces),
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}
