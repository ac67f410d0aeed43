//! Weight formats: names, block sizes, dequantization and packing, one folder per family.
//!
//! Block layouts are those of the GGUF format (the `ggml` quantization types), little-endian.

use crate::contract::KernelError;

pub mod float;
pub mod planes;
pub mod q4;
pub mod q6_k;
pub mod q8_0;
pub mod rows16;

/// A tensor's element format, with the GGUF type id as value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
#[allow(missing_docs, reason = "the names are the format's own")]
pub enum DType {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q8_0 = 8,
    Q6K = 14,
    Bf16 = 30,
}

/// What is fixed about a format.
#[derive(Debug)]
pub struct DTypeInfo {
    /// The format.
    pub dtype: DType,
    /// Name as in GGUF tooling, lower case.
    pub name: &'static str,
    /// Elements per block.
    pub block: u32,
    /// Bytes per block.
    pub block_bytes: u32,
    /// Dequantizes one block: `block_bytes` in, `block` values out.
    pub dequantize_block: fn(&[u8], &mut [f32]),
}

/// Every format, in order of its GGUF id.
pub static DTYPES: &[DTypeInfo] = &[
    DTypeInfo {
        dtype: DType::F32,
        name: "f32",
        block: 1,
        block_bytes: 4,
        dequantize_block: float::f32_block,
    },
    DTypeInfo {
        dtype: DType::F16,
        name: "f16",
        block: 1,
        block_bytes: 2,
        dequantize_block: float::f16_block,
    },
    DTypeInfo {
        dtype: DType::Q4_0,
        name: "q4_0",
        block: 32,
        block_bytes: 18,
        dequantize_block: q4::q4_0_block,
    },
    DTypeInfo {
        dtype: DType::Q4_1,
        name: "q4_1",
        block: 32,
        block_bytes: 20,
        dequantize_block: q4::q4_1_block,
    },
    DTypeInfo { dtype: DType::Q8_0, name: "q8_0", block: 32, block_bytes: 34, dequantize_block: q8_0::block },
    DTypeInfo {
        dtype: DType::Q6K,
        name: "q6_k",
        block: 256,
        block_bytes: 210,
        dequantize_block: q6_k::block,
    },
    DTypeInfo {
        dtype: DType::Bf16,
        name: "bf16",
        block: 1,
        block_bytes: 2,
        dequantize_block: float::bf16_block,
    },
];

impl DType {
    /// The format with that GGUF type id.
    pub fn from_ggml(id: u32) -> Option<Self> {
        DTYPES.iter().find(|d| d.dtype as u32 == id).map(|d| d.dtype)
    }

    /// The format of that name (`q4_0`, any case).
    pub fn parse(name: &str) -> Option<Self> {
        DTYPES.iter().find(|d| d.name.eq_ignore_ascii_case(name)).map(|d| d.dtype)
    }

    /// The fixed facts.
    pub fn info(self) -> &'static DTypeInfo {
        // The registry lists every variant (a test checks it), so the search cannot miss.
        DTYPES.iter().find(|d| d.dtype == self).unwrap_or(&DTYPES[0])
    }

    /// Name as in GGUF tooling, lower case.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Elements per block.
    pub fn block(self) -> u32 {
        self.info().block
    }

    /// Bytes of one row of `k` elements as the file has it. `k` must be a multiple of the block.
    pub fn row_bytes(self, k: u64) -> u64 {
        let i = self.info();
        k / u64::from(i.block) * u64::from(i.block_bytes)
    }
}

impl std::fmt::Display for DType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How a matrix lies in device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Layout {
    /// As in the file: row after row.
    Native = 0,
    /// Tiles of 16 rows interleaved, so that one 512-bit register holds 16 rows (see [`rows16`]).
    Rows16 = 1,
    /// The parts of all blocks side by side: quants, then scales (see [`planes`]).
    Planes = 2,
}

impl Layout {
    /// From a kernel constant.
    pub const fn from_word(w: u32) -> Self {
        match w {
            1 => Self::Rows16,
            2 => Self::Planes,
            _ => Self::Native,
        }
    }
    /// Name for dumps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Rows16 => "rows16",
            Self::Planes => "planes",
        }
    }
}

/// Bytes of a matrix of `rows` x `k` in a layout.
pub fn matrix_bytes(dtype: DType, layout: Layout, rows: u64, k: u64) -> u64 {
    match layout {
        Layout::Native | Layout::Planes => rows * dtype.row_bytes(k),
        Layout::Rows16 => rows.div_ceil(16) * rows16::tile_bytes(dtype, k as usize) as u64,
    }
}

/// Dequantizes row `row` of a native matrix of width `k` into `out` (`k` values).
pub fn dequantize_native_row(dtype: DType, w: &[u8], k: usize, row: usize, out: &mut [f32]) {
    let i = dtype.info();
    let (n, b) = (i.block as usize, i.block_bytes as usize);
    let rb = dtype.row_bytes(k as u64) as usize;
    let src = &w[row * rb..(row + 1) * rb];
    for (s, o) in src.chunks_exact(b).zip(out[..k].chunks_exact_mut(n)) {
        (i.dequantize_block)(s, o);
    }
}

/// Dequantizes row `row` of a matrix of width `k` in any layout into `out` (`k` values).
pub fn dequantize_row(dtype: DType, layout: Layout, w: &[u8], k: usize, row: usize, out: &mut [f32]) {
    match layout {
        Layout::Native => dequantize_native_row(dtype, w, k, row, out),
        Layout::Rows16 => rows16::dequantize_row(dtype, w, k, row, out),
        Layout::Planes => planes::dequantize_row(dtype, w, k, row, out),
    }
}

/// Reads a dtype from a kernel constant.
pub fn from_const(kernel: &'static str, word: u32) -> Result<DType, KernelError> {
    DType::from_ggml(word)
        .ok_or_else(|| KernelError::Unsupported { kernel, what: format!("weight type id {word}") })
}
