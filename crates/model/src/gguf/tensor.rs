//! A tensor's description, checked against the file.

use super::header::RawTensor;
use super::shown;
use super::types::TensorType;
use crate::ModelError;
use crate::disk::DiskFile;

/// One tensor of a file, of any type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgufTensor {
    name: String,
    dims: [u64; 4],
    n_dims: usize,
    type_id: u32,
    bytes: Option<u64>,
    pub(super) part: usize,
    pub(super) file_offset: u64,
}

impl GgufTensor {
    /// The file's name for it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its dimensions, fastest first: `[cols]`, `[cols, rows]`, up to four. Empty for a single number.
    pub fn dims(&self) -> &[u64] {
        self.dims.get(..self.n_dims).unwrap_or(&self.dims)
    }

    /// Width of a row, in elements.
    pub fn cols(&self) -> u64 {
        self.dims[0]
    }

    /// Rows: the product of all dimensions but the first.
    pub fn rows(&self) -> u64 {
        // Opening has checked the whole product.
        self.dims.iter().skip(1).product()
    }

    /// The type's id in the file.
    pub fn type_id(&self) -> u32 {
        self.type_id
    }

    /// The type, `None` for an id that this version does not know.
    pub fn tensor_type(&self) -> Option<&'static TensorType> {
        TensorType::from_id(self.type_id)
    }

    /// Bytes of its data; `None` where the type is unknown.
    pub fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// Where its data begin, in bytes from the start of the file (of its part, in a split model).
    pub fn file_offset(&self) -> u64 {
        self.file_offset
    }
}

/// Checks one description: dimensions, block size, alignment, and that the data lie inside the file.
pub(super) fn check(
    disk: &DiskFile,
    part: usize,
    raw: &RawTensor,
    data_start: u64,
    alignment: u64,
) -> Result<GgufTensor, ModelError> {
    let bad = |found: String, limits: &str| ModelError::BadTensor {
        path: disk.path.clone(),
        tensor: shown(raw.name.as_bytes()),
        found,
        limits: limits.into(),
        remedy: "the file is damaged, fetch it again",
    };
    let dims = raw.dims.get(..raw.n_dims).unwrap_or(&raw.dims);
    if dims.contains(&0) {
        return Err(bad(format!("dimensions {dims:?}"), "at least 1 each"));
    }
    let elements = raw.dims.iter().try_fold(1u64, |a, &d| a.checked_mul(d));
    if elements.is_none() {
        return Err(bad(format!("dimensions {dims:?}"), "a product below 2^64"));
    }
    let rows: u64 = raw.dims.iter().skip(1).product();
    let bytes = match TensorType::from_id(raw.type_id) {
        None => None,
        Some(t) if !raw.dims[0].is_multiple_of(t.block) => {
            let found = format!("a row of {} elements in {}", raw.dims[0], t.name);
            return Err(bad(found, &format!("a multiple of the format's block of {}", t.block)));
        }
        Some(t) => {
            let bytes = t.bytes(rows, raw.dims[0]);
            Some(bytes.ok_or_else(|| bad(format!("dimensions {dims:?}"), "a size below 2^64 bytes"))?)
        }
    };
    if !raw.offset.is_multiple_of(alignment) {
        return Err(bad(
            format!("offset {}", raw.offset),
            &format!("a multiple of the alignment {alignment}"),
        ));
    }
    let start = data_start.checked_add(raw.offset);
    let end = start.and_then(|s| s.checked_add(bytes.unwrap_or(0)));
    match (start, end) {
        (Some(file_offset), Some(end)) if end <= disk.size => Ok(GgufTensor {
            name: raw.name.clone(),
            dims: raw.dims,
            n_dims: raw.n_dims,
            type_id: raw.type_id,
            bytes,
            part,
            file_offset,
        }),
        _ => Err(ModelError::TensorOutside {
            path: disk.path.clone(),
            tensor: shown(raw.name.as_bytes()),
            end: end.unwrap_or(u64::MAX),
            size: disk.size,
        }),
    }
}
