//! The tensor types of the format: a name and a block size for every id ever given out.
//!
//! Wider than [`akunu_kernels::DType`], which lists what can be computed with: a file of any type can be listed
//! and its data located.

use akunu_kernels::DType;
use akunu_kernels::dtype::DTYPES;

/// One tensor type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorType {
    /// The id in the file.
    pub id: u32,
    /// Name as in GGUF tooling, upper case.
    pub name: &'static str,
    /// Elements per block.
    pub block: u64,
    /// Bytes per block.
    pub block_bytes: u64,
}

const fn of(id: u32, name: &'static str, block: u64, block_bytes: u64) -> TensorType {
    TensorType { id, name, block, block_bytes }
}

/// Every type in use, in order of its id. (4, 5, 31 to 33 and 36 to 38 were withdrawn.)
pub static TENSOR_TYPES: &[TensorType] = &[
    of(0, "F32", 1, 4),
    of(1, "F16", 1, 2),
    of(2, "Q4_0", 32, 18),
    of(3, "Q4_1", 32, 20),
    of(6, "Q5_0", 32, 22),
    of(7, "Q5_1", 32, 24),
    of(8, "Q8_0", 32, 34),
    of(9, "Q8_1", 32, 36),
    of(10, "Q2_K", 256, 84),
    of(11, "Q3_K", 256, 110),
    of(12, "Q4_K", 256, 144),
    of(13, "Q5_K", 256, 176),
    of(14, "Q6_K", 256, 210),
    of(15, "Q8_K", 256, 292),
    of(16, "IQ2_XXS", 256, 66),
    of(17, "IQ2_XS", 256, 74),
    of(18, "IQ3_XXS", 256, 98),
    of(19, "IQ1_S", 256, 50),
    of(20, "IQ4_NL", 32, 18),
    of(21, "IQ3_S", 256, 110),
    of(22, "IQ2_S", 256, 82),
    of(23, "IQ4_XS", 256, 136),
    of(24, "I8", 1, 1),
    of(25, "I16", 1, 2),
    of(26, "I32", 1, 4),
    of(27, "I64", 1, 8),
    of(28, "F64", 1, 8),
    of(29, "IQ1_M", 256, 56),
    of(30, "BF16", 1, 2),
    of(34, "TQ1_0", 256, 54),
    of(35, "TQ2_0", 256, 66),
    of(39, "MXFP4", 32, 17),
    of(40, "NVFP4", 64, 36),
    of(41, "Q1_0", 128, 18),
];

impl TensorType {
    /// The type of that id, `None` for an id that this version does not know.
    pub fn from_id(id: u32) -> Option<&'static Self> {
        TENSOR_TYPES.binary_search_by_key(&id, |t| t.id).ok().and_then(|i| TENSOR_TYPES.get(i))
    }

    /// The type that a computable format has in a file.
    pub fn of_dtype(dtype: DType) -> Self {
        let i = dtype.info();
        let name = Self::from_id(dtype as u32).map_or(i.name, |t| t.name);
        Self { id: dtype as u32, name, block: i.block.into(), block_bytes: i.block_bytes.into() }
    }

    /// Bytes of `rows` rows of `cols` elements; `None` if a row is no whole number of blocks or the product
    /// does not fit.
    pub fn bytes(&self, rows: u64, cols: u64) -> Option<u64> {
        if !cols.is_multiple_of(self.block) {
            return None;
        }
        (cols / self.block).checked_mul(self.block_bytes)?.checked_mul(rows)
    }
}

/// What to do about a tensor of a type that cannot be computed with: names the formats that can.
pub(crate) fn remedy() -> String {
    let in_files = DTYPES.iter().filter(|d| d.dtype.in_gguf());
    let names: Vec<&str> = in_files.map(|d| TensorType::of_dtype(d.dtype).name).collect();
    format!(
        "use a file in one of {}, or requantize it with `llama-quantize --allow-requantize`",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_agrees_with_the_computable_formats() {
        assert!(TENSOR_TYPES.windows(2).all(|w| w[0].id < w[1].id));
        for d in DTYPES.iter().filter(|d| d.dtype.in_gguf()) {
            let t = TensorType::from_id(d.dtype as u32).expect("listed");
            assert_eq!(*t, TensorType::of_dtype(d.dtype));
            assert!(t.name.eq_ignore_ascii_case(d.name));
        }
    }

    #[test]
    fn sizes() {
        let q = TensorType::from_id(13).expect("Q5_K");
        assert_eq!(q.bytes(3, 512), Some(3 * 2 * 176));
        assert_eq!(q.bytes(3, 500), None);
        assert_eq!(q.bytes(u64::MAX, 512), None);
        assert_eq!(TensorType::from_id(4), None);
    }
}
