//! How a CUDA device gets a kernel: source text with its constants, and launch geometry, as plain data. No CUDA
//! interface is used here; the device compiles and launches.
//!
//! A kernel's source is [`PRELUDE`] followed by the pieces of [`CudaLaunch::source`]. Before it the device defines
//! `C_NAME` for every constant of the contract (in capitals) and for every entry of [`CudaLaunch::defines`], and
//! `SM` (80, 90, ...). The entry point has the kernel's name; its arguments are a pointer for each binding, in
//! order, then the parameter struct by value if there is one, then one 128-byte tensor map by value for each of
//! [`CudaLaunch::maps`]. A kernel reads shapes from its constants and `gridDim`, never the number of
//! multiprocessors, so that its code fits any GPU of an architecture.

use crate::contract::KernelError;

/// Types, conversions, the step block, and the dependency wait; in front of every kernel.
pub const PRELUDE: &str = include_str!("prelude.cuh");

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
    /// Whether it has `wgmma` and the tensor copy engine as compute capability 9.0 has them (`sm_90a`).
    pub const fn hopper(&self) -> bool {
        self.sm == 90
    }
}

/// A tile view of one binding as a matrix of 16-bit elements, for the tensor copy engine; 128-byte swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Index of the binding.
    pub binding: usize,
    /// Byte offset in it; a multiple of 16.
    pub offset: u64,
    /// Rows.
    pub rows: u64,
    /// Columns.
    pub cols: u64,
    /// Bytes from row to row; a multiple of 16.
    pub stride: u64,
    /// Rows of a tile, at most 256.
    pub box_rows: u32,
    /// Columns of a tile; 64 for a swizzle of 128 bytes.
    pub box_cols: u32,
}

/// A kernel for given constants: its text and how to launch it.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Tensor maps behind the other arguments.
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

impl CudaLaunch {
    /// A launch without shared memory, tensor maps or own constants.
    pub(crate) fn plain(source: &'static [&'static str], blocks: u32, block: u32) -> Self {
        Self {
            source,
            defines: Vec::new(),
            grid: [blocks.max(1), 1, 1],
            block,
            shared: 0,
            maps: Vec::new(),
            overlap: Overlap::Yes,
        }
    }
}

/// Refuses activation formats that the CUDA kernels do not write.
pub(crate) fn check_act(kernel: &'static str, act: u32) -> Result<(), KernelError> {
    use crate::act::ActFormat;
    match ActFormat::from_word(act) {
        Some(ActFormat::F32 | ActFormat::Bf16 | ActFormat::F16) => Ok(()),
        _ => Err(KernelError::Unsupported { kernel, what: format!("activation format {act} on CUDA") }),
    }
}
