//! The header of one safetensors file: a length in eight bytes, then a JSON object of names, types, shapes and offsets.

use crate::ModelError;
use crate::disk::DiskFile;
use crate::error::shown;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// The longest header that is read, in bytes; the format's own limit.
const MAX_HEADER: u64 = 100_000_000;
/// Dimensions of a tensor; none has more than five.
const MAX_DIMS: usize = 8;
/// Not a tensor but notes.
const NOTES: &str = "__metadata__";

/// How a file stores an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the format's own")]
pub enum ElementType {
    F32,
    F16,
    Bf16,
    F8E4M3,
    U32,
    U8,
    /// One that no weight has; its name.
    Other(&'static str),
}

/// Every type of the format: name, type, bits.
static TYPES: &[(&str, ElementType, u64)] = &[
    ("F32", ElementType::F32, 32),
    ("F16", ElementType::F16, 16),
    ("BF16", ElementType::Bf16, 16),
    ("F8_E4M3", ElementType::F8E4M3, 8),
    ("U32", ElementType::U32, 32),
    ("U8", ElementType::U8, 8),
    ("F64", ElementType::Other("F64"), 64),
    ("C64", ElementType::Other("C64"), 64),
    ("I64", ElementType::Other("I64"), 64),
    ("U64", ElementType::Other("U64"), 64),
    ("I32", ElementType::Other("I32"), 32),
    ("I16", ElementType::Other("I16"), 16),
    ("U16", ElementType::Other("U16"), 16),
    ("I8", ElementType::Other("I8"), 8),
    ("BOOL", ElementType::Other("BOOL"), 8),
    ("F8_E5M2", ElementType::Other("F8_E5M2"), 8),
    ("F8_E8M0", ElementType::Other("F8_E8M0"), 8),
    ("F6_E2M3", ElementType::Other("F6_E2M3"), 6),
    ("F6_E3M2", ElementType::Other("F6_E3M2"), 6),
    ("F4", ElementType::Other("F4"), 4),
];

impl ElementType {
    /// The format's name for it.
    pub fn name(self) -> &'static str {
        TYPES.iter().find(|t| t.1 == self).map_or("unknown", |t| t.0)
    }

    /// Bits of an element.
    pub fn bits(self) -> u64 {
        TYPES.iter().find(|t| t.1 == self).map_or(0, |t| t.2)
    }
}

/// A tensor as its file describes it.
#[derive(Clone, Debug)]
pub struct FileTensor {
    /// Its name.
    pub name: String,
    /// Index of its file in the directory's list.
    pub file: usize,
    /// Element type.
    pub element: ElementType,
    /// Dimensions, the slowest first.
    pub shape: Vec<u64>,
    /// Where its bytes start in the file.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
}

impl FileTensor {
    /// Its type and shape, as messages show them.
    pub fn described(&self) -> String {
        format!("{:?} of {}", self.shape, self.element.name())
    }
}

/// Reads and checks the header of file number `file`.
pub(super) fn read(disk: &DiskFile, file: usize) -> Result<Vec<FileTensor>, ModelError> {
    let bytes = json(disk)?;
    let data = 8 + bytes.len() as u64;
    let Header(entries) = serde_json::from_slice(&bytes).map_err(|e| bad(disk, format!("is broken: {e}")))?;
    let mut names = HashSet::new();
    let mut tensors = Vec::with_capacity(entries.len());
    for (name, entry) in entries {
        if !names.insert(name.clone()) {
            let name = shown(name.as_bytes());
            return Err(ModelError::Duplicate { path: disk.path.clone(), what: "tensor", name });
        }
        tensors.push(tensor(disk, file, data, name, entry)?);
    }
    check_layout(disk, data, &tensors)?;
    Ok(tensors)
}

/// Whether a file begins like a safetensors file.
pub(super) fn begins_like_one(disk: &DiskFile) -> bool {
    let mut head = [0; 9];
    let read = disk.size > 9 && disk.read_at(0, &mut head, || "the header's length".into()).is_ok();
    match head.split_first_chunk::<8>() {
        Some((len, rest)) => read && u64::from_le_bytes(*len) <= disk.size - 8 && rest == b"{",
        None => false,
    }
}

fn bad(disk: &DiskFile, what: String) -> ModelError {
    ModelError::BadHeader { path: disk.path.clone(), what }
}

/// The JSON text of a header.
fn json(disk: &DiskFile) -> Result<Vec<u8>, ModelError> {
    let truncated = |field: &str, offset, needed| ModelError::Truncated {
        path: disk.path.clone(),
        field: field.into(),
        offset,
        needed,
        size: disk.size,
    };
    if disk.size < 8 {
        return Err(truncated("the header's length", 0, 8));
    }
    let mut len = [0; 8];
    disk.read_at(0, &mut len, || "the header's length".into())?;
    let len = u64::from_le_bytes(len);
    if len > MAX_HEADER {
        let (path, field) = (disk.path.clone(), "the length of the safetensors header".into());
        return Err(ModelError::Limit { path, field, found: len, limit: MAX_HEADER });
    }
    if len > disk.size - 8 {
        return Err(truncated("the safetensors header", 8, len));
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    disk.read_at(8, &mut bytes, || "the safetensors header".into())?;
    Ok(bytes)
}

fn tensor(
    disk: &DiskFile,
    file: usize,
    data: u64,
    name: String,
    e: RawEntry,
) -> Result<FileTensor, ModelError> {
    let wrong = |what: String| bad(disk, format!("says of tensor `{}` {what}", shown(name.as_bytes())));
    let Some((_, element, bits)) = TYPES.iter().find(|t| t.0 == e.dtype) else {
        return Err(wrong(format!(
            "that it has type `{}`, which the format does not have",
            shown(e.dtype.as_bytes())
        )));
    };
    if e.shape.len() > MAX_DIMS {
        return Err(wrong(format!(
            "that it has {} dimensions, at most {MAX_DIMS} are possible",
            e.shape.len()
        )));
    }
    let (from, to) = e.data_offsets;
    let total = e.shape.iter().try_fold(*bits, |n, d| n.checked_mul(*d)).filter(|n| n.is_multiple_of(8));
    let Some(bytes) = to.checked_sub(from).filter(|b| Some(*b) == total.map(|t| t / 8)) else {
        return Err(wrong(format!(
            "that {:?} of {} lies at bytes {from}..{to} of the data, which is another size",
            e.shape, e.dtype
        )));
    };
    match data.checked_add(to) {
        Some(end) if end <= disk.size => {
            Ok(FileTensor { name, file, element: *element, shape: e.shape, offset: data + from, bytes })
        }
        end => Err(ModelError::TensorOutside {
            path: disk.path.clone(),
            tensor: shown(name.as_bytes()),
            end: end.unwrap_or(u64::MAX),
            size: disk.size,
        }),
    }
}

/// The format has no holes: tensors lie one after the other, in any order, from the end of the header (`data`) to the end
/// of the file. Bytes in two tensors, or in none, mean that some description is not the true one.
fn check_layout(disk: &DiskFile, data: u64, tensors: &[FileTensor]) -> Result<(), ModelError> {
    let mut sorted: Vec<&FileTensor> = tensors.iter().filter(|t| t.bytes > 0).collect();
    sorted.sort_by_key(|t| t.offset);
    let mut end = data;
    let mut last = "the header".to_owned();
    for t in sorted {
        let name = format!("tensor `{}`", shown(t.name.as_bytes()));
        if t.offset != end {
            let what = if t.offset < end { "the same bytes" } else { "a hole between them" };
            return Err(bad(
                disk,
                format!("gives {last}, which ends at byte {end}, and {name}, from byte {}, {what}", t.offset),
            ));
        }
        // Each tensor lies in the file, so its end is no larger than the file's.
        (end, last) = (t.offset + t.bytes, name);
    }
    if end == disk.size {
        return Ok(());
    }
    Err(bad(disk, format!("ends its data with {last} at byte {end}, but the file has {} bytes", disk.size)))
}

/// All entries in the file's order, names that appear twice included.
struct Header(Vec<(String, RawEntry)>);

#[derive(Deserialize)]
struct RawEntry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Header;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let mut all = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if name == NOTES {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        all.push((name, map.next_value()?));
                    }
                }
                Ok(Header(all))
            }
        }
        d.deserialize_map(Entries)
    }
}
