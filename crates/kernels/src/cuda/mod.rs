//! How a CUDA device gets a kernel: source text with its constants, and launch geometry, as plain data. No CUDA
//! interface is used here; the device compiles and launches.
//!
//! A kernel's source is [`prelude`] followed by the pieces of [`CudaLaunch::source`]. Before it the device defines
//! `C_NAME` for every constant of the contract (in capitals) and for every entry of [`CudaLaunch::defines`], and
//! `SM` (80, 90, ...). The entry point has the kernel's name; its arguments are a pointer for each binding, in
//! order, then the parameter struct by value if there is one, then the address of [`CudaLaunch::exchange`] bytes if it asks for any,
//! then one 128-byte tensor map by value for each of [`CudaLaunch::maps`]. A kernel reads shapes from its constants and `gridDim`, never the number of
//! multiprocessors, so that its code fits any GPU of an architecture.

use crate::draft::Draft;
use crate::error::KernelError;
use crate::pick::Pick;
use crate::sampler::{Bias, LogProbs, Sampler};
use crate::step::{Head, Header, Row, Seq};
use crate::words::{Field, Kind};

/// What stands before a kernel's own text: the structs that it shares with the host, `Params` among them if it has any; then
/// types, conversions, the step block and the dependency wait.
pub fn prelude(params: &[Field]) -> String {
    let shared = [
        ("Header", Header::FIELDS),
        ("Seq", Seq::FIELDS),
        ("Row", Row::FIELDS),
        ("Head", Head::FIELDS),
        ("Pick", Pick::FIELDS),
        ("Sampler", Sampler::FIELDS),
        ("Bias", Bias::FIELDS),
        ("Draft", Draft::FIELDS),
        ("LogProbs", LogProbs::FIELDS),
    ];
    let params = Some(("Params", params)).filter(|p| !p.1.is_empty());
    let mut text = String::new();
    for (name, fields) in shared.into_iter().chain(params) {
        text = text + "struct " + name + " {\n";
        declare(&mut text, fields);
        text += "};\n";
    }
    text + include_str!("prelude.cuh")
}

/// Fields as CUDA has them.
fn declare(text: &mut String, fields: &[Field]) {
    for Field { name, kind, .. } in fields {
        *text += &match kind {
            Kind::U32 => format!("    unsigned int {name};\n"),
            Kind::U64 => format!("    unsigned long long {name};\n"),
            Kind::F32 => format!("    float {name};\n"),
            Kind::Words(n) => format!("    unsigned int {name}[{n}];\n"),
            Kind::Numbers(n) => format!("    float {name}[{n}];\n"),
            Kind::Struct(inner) => {
                declare(text, inner);
                continue;
            }
        };
    }
}

/// A GPU, as far as geometry depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gpu {
    /// Compute capability as one number: 80, 86, 89, 90, 100.
    pub sm: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of shared memory that one block may ask for.
    pub shared: u32,
}

impl Gpu {
    /// A GPU of an architecture (`sm_90a`, `sm_80`), for compiling and for tables without one. Its number of
    /// multiprocessors is that of the family's usual part; kernels do not depend on it.
    pub fn of_arch(arch: &str) -> Option<Self> {
        let digits = arch.strip_prefix("sm_")?.trim_end_matches(['a', 'f']);
        let sm: u32 = digits.parse().ok()?;
        let (multiprocessors, shared_kib) = match sm {
            80 => (108, 163),
            86 => (84, 99),
            87 => (16, 163),
            89 => (128, 99),
            90 => (132, 227),
            100 | 103 => (148, 227),
            120 | 121 => (170, 99),
            _ => return None,
        };
        Some(Self { sm, multiprocessors, shared: shared_kib << 10 })
    }

    /// Whether it has `wgmma` and the tensor copy engine as compute capability 9.0 has them (`sm_90a`).
    pub const fn hopper(&self) -> bool {
        self.sm == 90
    }
}

/// A tile view of one binding as a matrix of 16-bit elements, for the tensor copy engine. Rows of a tile of 128 bytes are
/// swizzled, shorter ones are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Index of the binding.
    pub binding: usize,
    /// Byte offset in it; a multiple of 16.
    pub offset: u64,
    /// Rows, or [`TensorMap::ALL`].
    pub rows: u64,
    /// Columns.
    pub cols: u64,
    /// Bytes from row to row; a multiple of 16.
    pub stride: u64,
    /// Rows of a tile, at most 256.
    pub box_rows: u32,
    /// Columns of a tile; a multiple of 8, at most 64.
    pub box_cols: u32,
}

impl TensorMap {
    /// As many rows as the binding has from the offset on.
    pub const ALL: u64 = 0;

    /// Whether the chunks of 16 bytes of a tile's rows are swapped by the row number.
    pub const fn swizzled(&self) -> bool {
        self.box_cols == 64
    }
}

/// A kernel for given constants: its text and how to launch it.
#[derive(Clone, PartialEq, Eq)]
pub struct CudaLaunch {
    /// Pieces of source after the prelude.
    pub source: &'static [&'static str],
    /// Names and values beside the contract's constants; they must not depend on the number of multiprocessors.
    pub defines: Vec<(&'static str, u32)>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Bytes of memory in which blocks leave sums for each other, 0 for none. It belongs to the stream, is zero at first, and later holds
    /// what the stream's commands before this one have left there (`exchange.cuh` says what that must be).
    pub exchange: u64,
    /// Tensor maps after the other arguments.
    pub maps: Vec<TensorMap>,
    /// Whether the kernel gains from starting before its predecessor has ended.
    pub overlap: Overlap,
}

/// Whether a kernel may be launched programmatically, before its predecessor has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// After the predecessor's end only.
    No,
    /// It has a prologue that touches nothing but weights.
    Yes,
}

/// Chooses the version for constants, and its geometry on a GPU.
pub type CudaPick = fn(consts: &[u32], gpu: &Gpu) -> Result<CudaLaunch, KernelError>;

/// Without the text.
impl std::fmt::Debug for CudaLaunch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut f = f.debug_struct("CudaLaunch");
        f.field("defines", &self.defines).field("grid", &self.grid).field("block", &self.block);
        f.field("shared", &self.shared)
            .field("exchange", &self.exchange)
            .field("maps", &self.maps)
            .field("overlap", &self.overlap);
        f.finish_non_exhaustive()
    }
}

impl CudaLaunch {
    /// A launch without shared memory, tensor maps or own constants.
    pub(crate) fn plain(source: &'static [&'static str], blocks: u32, block: u32) -> Self {
        Self {
            source,
            defines: Vec::new(),
            grid: [blocks.max(1), 1, 1],
            block,
            shared: 0,
            exchange: 0,
            maps: Vec::new(),
            overlap: Overlap::Yes,
        }
    }
}

/// Blocks of 256 threads, four values each, for rows of `width`; the kernels loop where there are more.
pub(crate) fn quads(rows: u32, width: u32, gpu: &Gpu) -> u32 {
    rows.saturating_mul(width.div_ceil(1024)).min(gpu.multiprocessors * 8)
}

/// Refuses activation formats that the CUDA kernels do not write.
pub(crate) fn check_act(kernel: &'static str, act: u32) -> Result<(), KernelError> {
    use crate::act::ActFormat;
    match ActFormat::from_word(act) {
        Some(ActFormat::F32 | ActFormat::Bf16 | ActFormat::F16) => Ok(()),
        _ => Err(KernelError::Unsupported { kernel, what: format!("activation format {act} on CUDA") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_have_names() {
        assert_eq!(Gpu::of_arch("sm_90a").map(|g| g.sm), Some(90));
        assert_eq!(Gpu::of_arch("sm_80").map(|g| g.shared), Some(163 << 10));
        for bad in ["", "90", "sm_", "sm_75", "sm_x", "sm_9999999999"] {
            assert!(Gpu::of_arch(bad).is_none(), "{bad}");
        }
    }
}
