//! Weight formats: names, block sizes, dequantization and packing, one folder per family.
//!
//! Block layouts are those of the GGUF format (the `ggml` quantization types), little-endian; formats that GGUF lacks
//! have blocks of our own.

use crate::error::KernelError;
use affine::ScaleType;

pub mod affine;
pub mod float;
pub mod iq4;
pub mod k_quants;
pub mod microscaling;
pub mod planes;
pub mod q4;
pub mod q5;
pub mod q6_k;
pub mod q8_0;
pub mod rows16;

/// A tensor's element format, with the GGUF type id as value (or one above all of those).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
#[allow(missing_docs, reason = "the names are the format's own")]
pub enum DType {
    F32 = 0,
    F16 = 1,
    Q4_0 = 2,
    Q4_1 = 3,
    Q5_0 = 6,
    Q5_1 = 7,
    Q8_0 = 8,
    Q2K = 10,
    Q3K = 11,
    Q4K = 12,
    Q5K = 13,
    Q6K = 14,
    Q8K = 15,
    Iq4Nl = 20,
    Iq4Xs = 23,
    Bf16 = 30,
    Mxfp4 = 39,
    Nvfp4 = 40,
    // Formats that no GGUF file has.
    Mxfp8 = 0x0f00,
    Affine2G32 = affine::id(2, 32, ScaleType::Bf16),
    Affine2G32H = affine::id(2, 32, ScaleType::F16),
    Affine2G64 = affine::id(2, 64, ScaleType::Bf16),
    Affine2G64H = affine::id(2, 64, ScaleType::F16),
    Affine2G128 = affine::id(2, 128, ScaleType::Bf16),
    Affine2G128H = affine::id(2, 128, ScaleType::F16),
    Affine3G32 = affine::id(3, 32, ScaleType::Bf16),
    Affine3G32H = affine::id(3, 32, ScaleType::F16),
    Affine3G64 = affine::id(3, 64, ScaleType::Bf16),
    Affine3G64H = affine::id(3, 64, ScaleType::F16),
    Affine3G128 = affine::id(3, 128, ScaleType::Bf16),
    Affine3G128H = affine::id(3, 128, ScaleType::F16),
    Affine4G32 = affine::id(4, 32, ScaleType::Bf16),
    Affine4G32H = affine::id(4, 32, ScaleType::F16),
    Affine4G64 = affine::id(4, 64, ScaleType::Bf16),
    Affine4G64H = affine::id(4, 64, ScaleType::F16),
    Affine4G128 = affine::id(4, 128, ScaleType::Bf16),
    Affine4G128H = affine::id(4, 128, ScaleType::F16),
    Affine5G32 = affine::id(5, 32, ScaleType::Bf16),
    Affine5G32H = affine::id(5, 32, ScaleType::F16),
    Affine5G64 = affine::id(5, 64, ScaleType::Bf16),
    Affine5G64H = affine::id(5, 64, ScaleType::F16),
    Affine5G128 = affine::id(5, 128, ScaleType::Bf16),
    Affine5G128H = affine::id(5, 128, ScaleType::F16),
    Affine6G32 = affine::id(6, 32, ScaleType::Bf16),
    Affine6G32H = affine::id(6, 32, ScaleType::F16),
    Affine6G64 = affine::id(6, 64, ScaleType::Bf16),
    Affine6G64H = affine::id(6, 64, ScaleType::F16),
    Affine6G128 = affine::id(6, 128, ScaleType::Bf16),
    Affine6G128H = affine::id(6, 128, ScaleType::F16),
    Affine8G32 = affine::id(8, 32, ScaleType::Bf16),
    Affine8G32H = affine::id(8, 32, ScaleType::F16),
    Affine8G64 = affine::id(8, 64, ScaleType::Bf16),
    Affine8G64H = affine::id(8, 64, ScaleType::F16),
    Affine8G128 = affine::id(8, 128, ScaleType::Bf16),
    Affine8G128H = affine::id(8, 128, ScaleType::F16),
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

/// Every format, in order of its id.
pub static DTYPES: &[DTypeInfo] = &[
    of(DType::F32, "f32", 1, 4, float::f32_block),
    of(DType::F16, "f16", 1, 2, float::f16_block),
    of(DType::Q4_0, "q4_0", 32, 18, q4::q4_0_block),
    of(DType::Q4_1, "q4_1", 32, 20, q4::q4_1_block),
    of(DType::Q5_0, "q5_0", 32, 22, q5::q5_0_block),
    of(DType::Q5_1, "q5_1", 32, 24, q5::q5_1_block),
    of(DType::Q8_0, "q8_0", 32, 34, q8_0::block),
    of(DType::Q2K, "q2_k", 256, 84, k_quants::q2_k_block),
    of(DType::Q3K, "q3_k", 256, 110, k_quants::q3_k_block),
    of(DType::Q4K, "q4_k", 256, 144, k_quants::q4_k_block),
    of(DType::Q5K, "q5_k", 256, 176, k_quants::q5_k_block),
    of(DType::Q6K, "q6_k", 256, 210, q6_k::block),
    of(DType::Q8K, "q8_k", 256, 292, k_quants::q8_k_block),
    of(DType::Iq4Nl, "iq4_nl", 32, 18, iq4::iq4_nl_block),
    of(DType::Iq4Xs, "iq4_xs", 256, 136, iq4::iq4_xs_block),
    of(DType::Bf16, "bf16", 1, 2, float::bf16_block),
    of(DType::Mxfp4, "mxfp4", 32, 17, microscaling::mxfp4_block),
    of(DType::Nvfp4, "nvfp4", 64, 36, microscaling::nvfp4_block),
    of(DType::Mxfp8, "mxfp8", 32, 33, microscaling::mxfp8_block),
    affine_of(DType::Affine2G32, "affine2_g32", affine::block::<{ DType::Affine2G32 as u32 }>),
    affine_of(DType::Affine2G32H, "affine2_g32_f16", affine::block::<{ DType::Affine2G32H as u32 }>),
    affine_of(DType::Affine2G64, "affine2_g64", affine::block::<{ DType::Affine2G64 as u32 }>),
    affine_of(DType::Affine2G64H, "affine2_g64_f16", affine::block::<{ DType::Affine2G64H as u32 }>),
    affine_of(DType::Affine2G128, "affine2_g128", affine::block::<{ DType::Affine2G128 as u32 }>),
    affine_of(DType::Affine2G128H, "affine2_g128_f16", affine::block::<{ DType::Affine2G128H as u32 }>),
    affine_of(DType::Affine3G32, "affine3_g32", affine::block::<{ DType::Affine3G32 as u32 }>),
    affine_of(DType::Affine3G32H, "affine3_g32_f16", affine::block::<{ DType::Affine3G32H as u32 }>),
    affine_of(DType::Affine3G64, "affine3_g64", affine::block::<{ DType::Affine3G64 as u32 }>),
    affine_of(DType::Affine3G64H, "affine3_g64_f16", affine::block::<{ DType::Affine3G64H as u32 }>),
    affine_of(DType::Affine3G128, "affine3_g128", affine::block::<{ DType::Affine3G128 as u32 }>),
    affine_of(DType::Affine3G128H, "affine3_g128_f16", affine::block::<{ DType::Affine3G128H as u32 }>),
    affine_of(DType::Affine4G32, "affine4_g32", affine::block::<{ DType::Affine4G32 as u32 }>),
    affine_of(DType::Affine4G32H, "affine4_g32_f16", affine::block::<{ DType::Affine4G32H as u32 }>),
    affine_of(DType::Affine4G64, "affine4_g64", affine::block::<{ DType::Affine4G64 as u32 }>),
    affine_of(DType::Affine4G64H, "affine4_g64_f16", affine::block::<{ DType::Affine4G64H as u32 }>),
    affine_of(DType::Affine4G128, "affine4_g128", affine::block::<{ DType::Affine4G128 as u32 }>),
    affine_of(DType::Affine4G128H, "affine4_g128_f16", affine::block::<{ DType::Affine4G128H as u32 }>),
    affine_of(DType::Affine5G32, "affine5_g32", affine::block::<{ DType::Affine5G32 as u32 }>),
    affine_of(DType::Affine5G32H, "affine5_g32_f16", affine::block::<{ DType::Affine5G32H as u32 }>),
    affine_of(DType::Affine5G64, "affine5_g64", affine::block::<{ DType::Affine5G64 as u32 }>),
    affine_of(DType::Affine5G64H, "affine5_g64_f16", affine::block::<{ DType::Affine5G64H as u32 }>),
    affine_of(DType::Affine5G128, "affine5_g128", affine::block::<{ DType::Affine5G128 as u32 }>),
    affine_of(DType::Affine5G128H, "affine5_g128_f16", affine::block::<{ DType::Affine5G128H as u32 }>),
    affine_of(DType::Affine6G32, "affine6_g32", affine::block::<{ DType::Affine6G32 as u32 }>),
    affine_of(DType::Affine6G32H, "affine6_g32_f16", affine::block::<{ DType::Affine6G32H as u32 }>),
    affine_of(DType::Affine6G64, "affine6_g64", affine::block::<{ DType::Affine6G64 as u32 }>),
    affine_of(DType::Affine6G64H, "affine6_g64_f16", affine::block::<{ DType::Affine6G64H as u32 }>),
    affine_of(DType::Affine6G128, "affine6_g128", affine::block::<{ DType::Affine6G128 as u32 }>),
    affine_of(DType::Affine6G128H, "affine6_g128_f16", affine::block::<{ DType::Affine6G128H as u32 }>),
    affine_of(DType::Affine8G32, "affine8_g32", affine::block::<{ DType::Affine8G32 as u32 }>),
    affine_of(DType::Affine8G32H, "affine8_g32_f16", affine::block::<{ DType::Affine8G32H as u32 }>),
    affine_of(DType::Affine8G64, "affine8_g64", affine::block::<{ DType::Affine8G64 as u32 }>),
    affine_of(DType::Affine8G64H, "affine8_g64_f16", affine::block::<{ DType::Affine8G64H as u32 }>),
    affine_of(DType::Affine8G128, "affine8_g128", affine::block::<{ DType::Affine8G128 as u32 }>),
    affine_of(DType::Affine8G128H, "affine8_g128_f16", affine::block::<{ DType::Affine8G128H as u32 }>),
];

const fn of(
    dtype: DType,
    name: &'static str,
    block: u32,
    block_bytes: u32,
    dequantize_block: fn(&[u8], &mut [f32]),
) -> DTypeInfo {
    DTypeInfo { dtype, name, block, block_bytes, dequantize_block }
}

const fn affine_of(dtype: DType, name: &'static str, dequantize_block: fn(&[u8], &mut [f32])) -> DTypeInfo {
    match dtype.affine() {
        Some(a) => of(dtype, name, a.group, a.block_bytes(), dequantize_block),
        None => of(dtype, name, 1, 1, dequantize_block),
    }
}

impl DType {
    /// The format with that GGUF type id.
    pub fn from_ggml(id: u32) -> Option<Self> {
        DTYPES.iter().find(|d| d.dtype as u32 == id).map(|d| d.dtype)
    }

    /// The format of that name (`q4_0`, any case).
    pub fn parse(name: &str) -> Option<Self> {
        DTYPES.iter().find(|d| d.name.eq_ignore_ascii_case(name)).map(|d| d.dtype)
    }

    /// Whether a GGUF file can hold it.
    pub const fn in_gguf(self) -> bool {
        (self as u32) < DType::Mxfp8 as u32
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
    /// As [`Layout::Native`], in a buffer that an earlier command of the table fills: a kernel must not read it before that
    /// command has ended. Weights in the other layouts are nobody's output.
    Staged = 3,
}

impl Layout {
    /// From a kernel constant.
    pub const fn from_word(w: u32) -> Self {
        match w {
            1 => Self::Rows16,
            2 => Self::Planes,
            3 => Self::Staged,
            _ => Self::Native,
        }
    }
    /// Name for dumps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Rows16 => "rows16",
            Self::Planes => "planes",
            Self::Staged => "staged",
        }
    }
}

/// Bytes of a matrix of `rows` x `k` in a layout.
pub fn matrix_bytes(dtype: DType, layout: Layout, rows: u64, k: u64) -> u64 {
    match layout {
        Layout::Native | Layout::Planes | Layout::Staged => rows * dtype.row_bytes(k),
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
        Layout::Native | Layout::Staged => dequantize_native_row(dtype, w, k, row, out),
        Layout::Rows16 => rows16::dequantize_row(dtype, w, k, row, out),
        Layout::Planes => planes::dequantize_row(dtype, w, k, row, out),
    }
}

/// Reads a dtype from a kernel constant.
pub fn from_const(kernel: &'static str, word: u32) -> Result<DType, KernelError> {
    DType::from_ggml(word)
        .ok_or_else(|| KernelError::Unsupported { kernel, what: format!("weight type id {word}") })
}
