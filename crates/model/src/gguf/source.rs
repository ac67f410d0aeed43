//! A GGUF file as a source of weights.

use super::file::GgufFile;
use super::tensor::GgufTensor;
use super::{config, names, types};
use crate::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;
use std::collections::HashMap;
use std::path::Path;

/// A GGUF file whose metadata form a configuration and whose weights all have a computable type.
#[derive(Debug)]
pub struct GgufSource {
    file: GgufFile,
    config: ModelConfig,
    tensors: Vec<TensorInfo>,
    /// Canonical name to index in `tensors`.
    by_name: HashMap<String, usize>,
    /// Index in the file's tensors of each of `tensors`.
    in_file: Vec<usize>,
    unmapped: Vec<String>,
}

impl GgufSource {
    /// Opens a file: [`GgufFile::open`] and [`GgufSource::new`].
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        Self::new(GgufFile::open(path)?)
    }

    /// Reads the configuration and gives every tensor its canonical name.
    pub fn new(file: GgufFile) -> Result<Self, ModelError> {
        let config = config::read(&file)?;
        let (mut tensors, mut in_file, mut unmapped) = (Vec::new(), Vec::new(), Vec::new());
        let mut by_name = HashMap::new();
        for (index, t) in file.tensors().iter().enumerate() {
            match names::canonical(t.name()) {
                Some(name) => {
                    by_name.insert(name.clone(), tensors.len());
                    tensors.push(describe(&file, t, name)?);
                    in_file.push(index);
                }
                None if t.name() == names::ROPE_FREQS => {}
                None => unmapped.push(t.name().into()),
            }
        }
        Ok(Self { file, config, tensors, by_name, in_file, unmapped })
    }

    /// The file.
    pub fn file(&self) -> &GgufFile {
        &self.file
    }
}

fn describe(file: &GgufFile, t: &GgufTensor, name: String) -> Result<TensorInfo, ModelError> {
    let (Some(dtype), Some(bytes)) = (DType::from_ggml(t.type_id()), t.bytes()) else {
        return Err(ModelError::UnsupportedDType {
            path: file.path_of(t).into(),
            tensor: t.name().into(),
            type_id: t.type_id(),
            type_name: t.tensor_type().map_or("unknown", |t| t.name),
            remedy: types::remedy(),
        });
    };
    Ok(TensorInfo { name, file_name: t.name().into(), dtype, rows: t.rows(), cols: t.cols(), bytes })
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
        match at.and_then(|i| self.file.tensors().get(*i)) {
            Some(t) => self.file.read(t, offset, out),
            None => Err(ModelError::ReadRange {
                tensor: tensor.name.clone(),
                bytes: 0,
                offset,
                end: offset.saturating_add(out.len() as u64),
            }),
        }
    }

    fn path_of(&self, tensor: &TensorInfo) -> &Path {
        self.file.tensor(&tensor.file_name).map_or(self.file.path(), |t| self.file.path_of(t))
    }

    fn find(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.get(*self.by_name.get(name)?)
    }
}
