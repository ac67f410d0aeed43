//! A GGUF file as a source of weights.

use super::file::GgufFile;
use super::names::Part;
use super::tensor::GgufTensor;
use super::{config, kind, names, types};
use crate::disk::is_at;
use crate::source::FilePlace;
use crate::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A GGUF file whose metadata form a configuration and whose weights all have a computable type.
#[derive(Debug)]
pub struct GgufSource {
    file: Arc<GgufFile>,
    config: ModelConfig,
    tensors: Vec<TensorInfo>,
    /// Canonical name to index in `tensors`.
    by_name: HashMap<String, usize>,
    /// Index in the file's tensors of each of `tensors`, and the byte where it begins there.
    in_file: Vec<(usize, u64)>,
    unmapped: Vec<String>,
}

impl GgufSource {
    /// Opens a file: [`GgufFile::open`] and [`GgufSource::new`].
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        Self::new(GgufFile::open(path)?)
    }

    /// Reads the configuration and gives every tensor its canonical name.
    pub fn new(file: GgufFile) -> Result<Self, ModelError> {
        kind::refuse_others(&file)?;
        let config = config::read(&file)?;
        let (mut tensors, mut in_file, mut unmapped) = (Vec::new(), Vec::new(), Vec::new());
        let mut by_name = HashMap::new();
        for (index, t) in file.tensors().iter().enumerate() {
            let mut from = 0;
            for info in describe(&file, &config, t)? {
                // A fused tensor beside one of its parts.
                if by_name.insert(info.name.clone(), tensors.len()).is_some() {
                    let name = format!("{} (as {})", t.name(), info.name);
                    return Err(ModelError::Duplicate { path: file.path_of(t).into(), what: "tensor", name });
                }
                in_file.push((index, from));
                from += info.bytes;
                tensors.push(info);
            }
            let absorbed = t.name() == names::ROPE_FREQS || names::ROPE_FACTORS.contains(&t.name());
            if from == 0 && !absorbed {
                unmapped.push(t.name().into());
            }
        }
        Ok(Self { file: Arc::new(file), config, tensors, by_name, in_file, unmapped })
    }

    /// The file.
    pub fn file(&self) -> &Arc<GgufFile> {
        &self.file
    }
}

/// A file's tensor under its canonical name, or its parts under theirs; nothing where it has none.
fn describe(file: &GgufFile, c: &ModelConfig, t: &GgufTensor) -> Result<Vec<TensorInfo>, ModelError> {
    let parts = match (names::fused(&c.arch, t.name()), names::canonical(t.name())) {
        (Some(parts), _) => parts
            .into_iter()
            .map(|(name, part)| {
                let rows = match part {
                    Part::Queries => u64::from(c.heads) * u64::from(c.head_dim),
                    Part::KeyValues => u64::from(c.kv_heads) * u64::from(c.head_dim),
                    Part::Ffn => c.ffn.into(),
                };
                (name, rows)
            })
            .collect(),
        (None, Some(name)) => vec![(name, t.rows())],
        (None, None) => return Ok(Vec::new()),
    };
    let (Some(dtype), Some(bytes)) = (DType::from_ggml(t.type_id()), t.bytes()) else {
        return Err(ModelError::UnsupportedDType {
            path: file.path_of(t).into(),
            tensor: t.name().into(),
            type_id: t.type_id(),
            type_name: t.tensor_type().map_or("unknown", |t| t.name),
            remedy: types::remedy(),
        });
    };
    let rows: u64 = parts.iter().map(|p| p.1).sum();
    if rows != t.rows() {
        return Err(ModelError::BadTensor {
            path: file.path_of(t).into(),
            tensor: t.name().into(),
            found: format!("{} rows", t.rows()),
            limits: format!("{rows}, which the configuration's {} parts have together", parts.len()),
            remedy: "the file contradicts itself; convert the model anew",
        });
    }
    let row_bytes = bytes / t.rows().max(1);
    let info = |(name, rows)| {
        let bytes = rows * row_bytes;
        TensorInfo { name, file_name: t.name().into(), dtype, rows, cols: t.cols(), bytes }
    };
    Ok(parts.into_iter().map(info).collect())
}

impl WeightSource for GgufSource {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    fn unmapped(&self) -> &[String] {
        &self.unmapped
    }

    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let at = self.by_name.get(&tensor.name).and_then(|i| self.in_file.get(*i));
        match at.and_then(|(i, from)| Some((self.file.tensors().get(*i)?, *from))) {
            Some((t, from)) if out.len() as u64 <= tensor.bytes.saturating_sub(offset) => {
                self.file.read(t, from.saturating_add(offset), out)
            }
            _ => Err(ModelError::ReadRange {
                tensor: tensor.name.clone(),
                bytes: 0,
                offset,
                end: offset.saturating_add(out.len() as u64),
            }),
        }
    }

    fn place(&self, tensor: &TensorInfo) -> Option<FilePlace<'_>> {
        let (index, from) = *self.in_file.get(*self.by_name.get(&tensor.name)?)?;
        let at = self.file.place(self.file.tensors().get(index)?)?;
        Some(FilePlace { offset: at.offset.checked_add(from)?, ..at })
    }

    fn path_of(&self, tensor: &TensorInfo) -> &Path {
        self.file.tensor(&tensor.file_name).map_or(self.file.path(), |t| self.file.path_of(t))
    }

    fn holds(&self, canonical: &Path) -> bool {
        self.file.paths().any(|p| is_at(p, canonical))
    }

    fn find(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.get(*self.by_name.get(name)?)
    }
}
