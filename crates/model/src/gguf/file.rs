//! An opened GGUF model: one file, or all parts of a split one.

use super::part::Part;
use super::tensor::{self, GgufTensor};
use super::value::Value;
use super::{shown, split};
use crate::ModelError;
use crate::source::FilePlace;
use std::fmt;
use std::path::Path;

/// An opened GGUF model. Metadata are in memory, tensor data stay in the file until [`GgufFile::read`].
pub struct GgufFile {
    parts: Vec<Part>,
    tensors: Vec<GgufTensor>,
}

impl GgufFile {
    /// Opens a file and checks all of its header. Any part of a split model opens the whole model.
    /// Tensors of types that nobody computes with are no error here.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let parts = split::open_all(Part::open(path)?)?;
        let mut tensors = Vec::new();
        let mut sections = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let section = part.section()?;
            let first = tensors.len();
            for raw in &part.header.tensors {
                tensors.push(tensor::check(&part.disk, index, raw, section.start, section.alignment)?);
            }
            sections.push((section, first..tensors.len()));
        }
        let file = Self { parts, tensors };
        file.check_tensor_names()?;
        for (part, (section, range)) in file.parts.iter().zip(sections) {
            section.check(&part.disk, file.tensors.get(range).unwrap_or_default())?;
        }
        Ok(file)
    }

    fn check_tensor_names(&self) -> Result<(), ModelError> {
        let mut order: Vec<&GgufTensor> = self.tensors.iter().collect();
        order.sort_by_key(|t| t.name());
        match order.windows(2).find(|w| matches!(w, [a, b] if a.name() == b.name())) {
            None => Ok(()),
            Some(w) => {
                let twice = w.last().map_or("", |t| t.name());
                Err(ModelError::Duplicate {
                    path: self.path().into(),
                    what: "tensor",
                    name: shown(twice.as_bytes()),
                })
            }
        }
    }

    /// The file, or the first part.
    pub fn path(&self) -> &Path {
        self.parts.first().map_or(Path::new(""), |p| &p.disk.path)
    }

    /// The files, one per part.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().map(|p| p.disk.path.as_path())
    }

    /// Sum of the files' sizes, in bytes.
    pub fn size(&self) -> u64 {
        self.parts.iter().map(|p| p.disk.size).sum()
    }

    /// The format's version, 2 or 3.
    pub fn version(&self) -> u32 {
        self.parts.first().map_or(0, |p| p.header.version)
    }

    /// All metadata, in file order. Of a split model those of the first part, which has them all.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, Value<'_>)> {
        self.parts.iter().take(1).flat_map(|p| (0..p.header.metadata.len()).filter_map(|i| p.header.entry(i)))
    }

    /// The metadata value of a key.
    pub fn get(&self, key: &str) -> Option<Value<'_>> {
        self.parts.first()?.header.get(key)
    }

    /// All tensors, in file order.
    pub fn tensors(&self) -> &[GgufTensor] {
        &self.tensors
    }

    /// The tensor of that name.
    pub fn tensor(&self, name: &str) -> Option<&GgufTensor> {
        self.tensors.iter().find(|t| t.name() == name)
    }

    /// Reads bytes `offset..offset + out.len()` of a tensor's data straight into `out`. Callable from many
    /// threads at once. A file that has shrunk since it was opened is [`ModelError::Shrunk`].
    pub fn read(&self, tensor: &GgufTensor, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let bytes = tensor.bytes().unwrap_or(0);
        let end = offset.checked_add(out.len() as u64).filter(|e| *e <= bytes);
        match (self.parts.get(tensor.part), end) {
            (Some(part), Some(_)) => {
                part.disk.read_at(tensor.file_offset.saturating_add(offset), out, || {
                    format!("tensor `{}`", shown(tensor.name().as_bytes()))
                })
            }
            _ => Err(ModelError::ReadRange {
                tensor: shown(tensor.name().as_bytes()),
                bytes,
                offset,
                end: offset.saturating_add(out.len() as u64),
            }),
        }
    }

    /// Where a tensor lies.
    pub fn place(&self, tensor: &GgufTensor) -> Option<FilePlace<'_>> {
        Some(self.parts.get(tensor.part)?.disk.place(tensor.file_offset))
    }

    /// The file that holds a tensor.
    pub fn path_of(&self, tensor: &GgufTensor) -> &Path {
        self.parts.get(tensor.part).map_or(self.path(), |p| &p.disk.path)
    }
}

/// Typed access to metadata. A key that is absent is `Ok(None)`, one of another type an error naming both types.
impl GgufFile {
    /// A whole number of any width, as u32.
    pub fn get_u32(&self, key: &str) -> Result<Option<u32>, ModelError> {
        self.typed(key, "a whole number from 0 to 4294967295", |v| v.as_u64()?.try_into().ok())
    }

    /// A whole number of any width, as u64.
    pub fn get_u64(&self, key: &str) -> Result<Option<u64>, ModelError> {
        self.typed(key, "a whole number, not negative", |v| v.as_u64())
    }

    /// A whole number of any width that may be negative.
    pub fn get_i64(&self, key: &str) -> Result<Option<i64>, ModelError> {
        self.typed(key, "a whole number", |v| v.as_i64())
    }

    /// A floating-point number.
    pub fn get_f32(&self, key: &str) -> Result<Option<f32>, ModelError> {
        self.typed(key, "a floating-point number", |v| v.as_f32())
    }

    /// A truth value.
    pub fn get_bool(&self, key: &str) -> Result<Option<bool>, ModelError> {
        self.typed(key, "a bool", |v| v.as_bool())
    }

    /// A string.
    pub fn get_str(&self, key: &str) -> Result<Option<&str>, ModelError> {
        self.typed(key, "a string of valid UTF-8", |v| v.as_str())
    }

    /// An array of strings.
    pub fn get_strs(&self, key: &str) -> Result<Option<Vec<&str>>, ModelError> {
        self.typed(key, "an array of strings of valid UTF-8", |v| {
            v.as_array()?.iter().map(|v| v.as_str()).collect()
        })
    }

    /// An array of floating-point numbers.
    pub fn get_f32s(&self, key: &str) -> Result<Option<Vec<f32>>, ModelError> {
        self.typed(key, "an array of floating-point numbers", |v| {
            v.as_array()?.iter().map(|v| v.as_f32()).collect()
        })
    }

    /// An array of whole numbers.
    pub fn get_i64s(&self, key: &str) -> Result<Option<Vec<i64>>, ModelError> {
        self.typed(key, "an array of whole numbers", |v| v.as_array()?.iter().map(|v| v.as_i64()).collect())
    }

    /// Number of elements of an array of any type.
    pub fn get_len(&self, key: &str) -> Result<Option<u64>, ModelError> {
        self.typed(key, "an array", |v| Some(v.as_array()?.len()))
    }

    fn typed<'a, T>(
        &'a self,
        key: &str,
        wanted: &'static str,
        as_type: impl FnOnce(Value<'a>) -> Option<T>,
    ) -> Result<Option<T>, ModelError> {
        let Some(v) = self.get(key) else { return Ok(None) };
        let found = || v.describe();
        match as_type(v) {
            Some(t) => Ok(Some(t)),
            None => Err(ModelError::WrongType {
                path: self.path().into(),
                key: key.into(),
                found: found(),
                wanted,
            }),
        }
    }
}

impl fmt::Debug for GgufFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GgufFile")
            .field("path", &self.path())
            .field("version", &self.version())
            .field("parts", &self.parts.len())
            .field("tensors", &self.tensors.len())
            .finish_non_exhaustive()
    }
}
