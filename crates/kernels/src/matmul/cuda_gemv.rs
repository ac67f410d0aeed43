//! The CUDA version for few rows (`gemv.cuh`): which tuning a matrix gets.

use crate::cuda::{CudaLaunch, Gpu, Overlap};
use crate::dtype::affine::Affine;
use crate::dtype::{DType, Layout};
use crate::error::KernelError;

/// The sources of a kernel of few rows, by the file of its epilogue.
macro_rules! gemv {
    ($file:literal) => {
        &[
            include_str!("../dtype/codes.cuh"),
            include_str!("../dtype/dot.cuh"),
            include_str!("../cuda/gemv.cuh"),
            include_str!($file),
        ]
    };
}
pub(crate) use gemv;

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
/// What a lane takes at a time; as in `dot.cuh`.
#[derive(Clone, Copy)]
struct Unit {
    /// Values.
    values: u32,
    /// Bytes of the lane's slot in the ring.
    slot: u32,
    /// Bytes that a staged block of 32 activations has for its scale and its sums; 0 where activations are floats.
    scale: u32,
}

const fn unit(dtype: DType) -> Unit {
    const fn of(values: u32, slot: u32, scale: u32) -> Unit {
        Unit { values, slot, scale }
    }
    match dtype {
        DType::F32 => of(4, 16, 0),
        DType::F16 | DType::Bf16 => of(8, 16, 0),
        DType::Mxfp8 => of(16, 20, 0),
        DType::Q8_0 | DType::Q8K => of(16, 20, 4),
        DType::Q4_0 | DType::Iq4Nl | DType::Mxfp4 | DType::Nvfp4 => of(32, 20, 4),
        DType::Q4_1 => of(32, 20, 8),
        DType::Q5_0 => of(32, 24, 4),
        DType::Q5_1 => of(32, 24, 8),
        DType::Q2K => of(64, 24, 16),
        DType::Q3K => of(64, 36, 4),
        DType::Q4K => of(64, 44, 8),
        DType::Q5K => of(64, 52, 8),
        DType::Q6K => of(64, 56, 4),
        DType::Iq4Xs => of(64, 40, 4),
        _ => match dtype.affine() {
            Some(Affine { bits: 8, .. }) => of(16, 20, 8),
            // Two blocks where their codes fill the widest copy.
            Some(Affine { bits: bits @ 2..=3, group: 64.., .. }) => of(64, 8 * bits + 4, 8),
            Some(Affine { bits, .. }) => of(32, 4 * bits + 4, 8),
            // No version; every format has one.
            None => of(0, 0, 0),
        },
    }
}

/// Bytes of a staged activation row of `values`, as `dot.cuh` lays it out.
const fn staged_bytes(dtype: DType, values: u32) -> u32 {
    /// Lines of 16 bytes, `rest` more than a multiple of 8, so that planes begin in different banks.
    const fn lines(least: u32, rest: u32) -> u32 {
        (least + 7 - rest) / 8 * 8 + rest
    }
    let u = unit(dtype);
    if u.scale == 0 {
        let planes = u.values / 4;
        return planes * lines((values / 4).div_ceil(planes), 4) * 16;
    }
    let span = if u.values == 64 { 2 } else { 1 };
    let lines = span * lines((values / 32).div_ceil(span), 4 / span);
    4 * lines * 16 + (lines * u.scale).next_multiple_of(16)
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

/// Bytes of a block's share from which on it keeps a multiprocessor to itself.
const MUCH: u64 = 64 << 10;
/// Shared memory of which a multiprocessor has room for one block only.
const ALONE: u32 = 116 << 10;

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
    let Unit { values: width, slot, .. } = unit(dt);
    let fits = width > 0 && g.k.is_multiple_of(width.max(dt.block()));
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
    // Short rows: fewer threads meet at a barrier. The number of threads decides the order of a norm's sum, so it does
    // not depend on the activation rows.
    let narrow = g.mode != Mode::Glu && g.k <= 1024;
    // Where shared memory is scarce, the ring of so many threads would be too shallow.
    let threads: u32 = if narrow || gpu.shared < 128 << 10 { 256 } else { 512 };
    let lanes = lanes(&g, units);
    let steps = units.div_ceil(lanes);

    // Weight rows that a lane works on together: they share the reads of activations, but every lane must have some.
    let halves = 2 * u64::from(g.n) * u64::from(lanes) / u64::from(USUAL_MULTIPROCESSORS * threads);
    // Two units of many values keep a lane as busy as four of few.
    let wide = width >= 32 || dt == DType::Mxfp8;
    let outs = match (wide, halves) {
        (_, ..3) => 1,
        (true, _) | (_, ..8) => 2,
        _ => 4,
    };
    let outs = outs.min(lanes / max_rows.next_power_of_two()).max(if g.mode == Mode::Glu { 2 } else { 1 });

    let budget = gpu.shared.saturating_sub(1 << 10);
    // A block with much to read takes more than half of a multiprocessor's shared memory. So no two such blocks share
    // one: the next command's block starts when this one's ends there, each command's blocks spread evenly, and no
    // multiprocessor is left with twice the work (measured: 10 to 25% of a step). Small shares lie in the ring as a
    // whole; there it pays that two commands' blocks fit beside each other, but no third.
    let bytes = u64::from(g.n) * dt.row_bytes(u64::from(g.k)) / u64::from(grid);
    let alone = bytes > MUCH && gpu.shared > 2 * ALONE - (8 << 10);
    // Formats of few bytes have as many values on their way in a shorter ring. Two rows gained nothing from a long one.
    let long = slot * 8 >= width * 6 && max_rows == 1;
    let ring = match (narrow, alone, long) {
        (true, ..) => 80 << 10,
        (_, true, true) => 112 << 10,
        _ => 72 << 10,
    };
    let stage = threads * outs * slot;
    // At least two stages, unless they would leave too little for the activations.
    let stages = ((ring + stage / 2) / stage).max(2).min((budget / 5 * 3 / stage).max(1));
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
        shared: if alone { shared(pieces).max(ALONE) } else { shared(pieces) },
        exchange: 0,
        maps: Vec::new(),
        overlap: Overlap::Yes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DTYPES;

    const GPUS: [Gpu; 2] = [
        Gpu { sm: 90, multiprocessors: 132, shared: 227 << 10 },
        Gpu { sm: 86, multiprocessors: 82, shared: 99 << 10 },
    ];

    fn product(dtype: DType, k: u32, n: u32, max_rows: u32, mode: Mode) -> Gemv {
        let layout = if dtype.block() == 1 { Layout::Native } else { Layout::Planes };
        Gemv { kernel: "matmul", dtype: dtype as u32, layout: layout as u32, k, n, max_rows, mode }
    }

    fn define(l: &CudaLaunch, name: &str) -> u32 {
        l.defines.iter().find(|d| d.0 == name).map_or(0, |d| d.1)
    }

    #[test]
    fn whatever_orders_a_sum_does_not_depend_on_the_rows() {
        for gpu in &GPUS {
            for info in DTYPES {
                for (k, n) in
                    [(256, 2), (1536, 576), (2048, 16384), (14336, 4096), (28672, 8192), (2048, 128_256)]
                {
                    for mode in [Mode::Store, Mode::Glu, Mode::Best { chunk: 64 }] {
                        let pick = |r| pick(product(info.dtype, k, n, r, mode), &[], gpu).unwrap();
                        let one = pick(1);
                        for rows in 1..=MAX_ROWS {
                            let l = pick(rows);
                            assert!(
                                l.shared <= gpu.shared && l.grid[0] <= gpu.multiprocessors,
                                "{k} {n} {l:?}"
                            );
                            for name in ["GEMV_THREADS", "GEMV_LANES"] {
                                assert_eq!(
                                    define(&l, name),
                                    define(&one, name),
                                    "{k} {n} {rows} rows: {name}"
                                );
                            }
                            // A lane ends with one sum at most; gates and ups come in pairs.
                            let outs = define(&l, "GEMV_OUTS");
                            assert!(outs * rows.next_power_of_two() <= define(&l, "GEMV_LANES"), "{l:?}");
                            assert!(outs > u32::from(mode == Mode::Glu), "{l:?}");
                        }
                    }
                }
            }
        }
    }

    /// Whatever the rows: two commands' blocks on one multiprocessor would leave another one idle.
    #[test]
    fn a_block_with_much_to_read_is_alone() {
        let gpu = &GPUS[0];
        for (dtype, rows) in [DType::Q4_0, DType::Q8_0, DType::Bf16]
            .into_iter()
            .flat_map(|d| (1..=MAX_ROWS).map(move |r| (d, r)))
        {
            let l = pick(product(dtype, 4096, 28_672, rows, Mode::Glu), &[], gpu).unwrap();
            assert!(2 * (l.shared + 1024) > gpu.shared + 1024, "{dtype} {rows} rows: {} bytes", l.shared);
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let gpu = &GPUS[0];
        let bf16 = |k, n, rows| product(DType::Bf16, k, n, rows, Mode::Store);
        for g in [bf16(0, 8, 1), bf16(8, 0, 1), bf16(12, 8, 1), bf16(8, 8, 9), bf16(u32::MAX / 8 * 8, 8, 1)] {
            assert!(pick(g, &[], gpu).is_err(), "{g:?}");
        }
        for g in [
            Gemv { layout: Layout::Rows16 as u32, ..bf16(64, 8, 1) },
            product(DType::Q6K, 128, 8, 1, Mode::Store),
            product(DType::F32, 8, u32::MAX, 1, Mode::Best { chunk: 1 }),
        ] {
            assert!(pick(g, &[], gpu).is_err(), "{g:?}");
        }
    }
}
