//! Weights under canonical names, whatever holds them.
//!
//! Canonical names: `embed.weight`, `output_norm.weight`, `output.weight` (absent when tied),
//! `layers.{i}.attention_norm.weight`, `layers.{i}.attention.{q,k,v,output}.weight`,
//! `layers.{i}.ffn_norm.weight`, `layers.{i}.ffn.{gate,up,down}.weight`; where an architecture has them,
//! `layers.{i}.{attention_post_norm,ffn_post_norm}.weight`, `layers.{i}.attention.{q_norm,k_norm}.weight`, `….bias` beside
//! each matrix, and for a mixture of experts `layers.{i}.ffn.router.weight` and the stacks
//! `layers.{i}.ffn.experts.{gate,up,down}.weight` of experts x rows.

use crate::{ModelConfig, ModelError};
use akunu_kernels::DType;
use std::fs::File;
use std::path::Path;

pub use crate::finite::check_finite;
pub use crate::gguf::GgufSource;

/// One tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    /// Canonical name.
    pub name: String,
    /// The file's own name for it.
    pub file_name: String,
    /// Element format.
    pub dtype: DType,
    /// Rows (output features); 1 for a vector.
    pub rows: u64,
    /// Width of a row (input features), a multiple of the dtype's block.
    pub cols: u64,
    /// Bytes: rows x row bytes.
    pub bytes: u64,
}

/// Where the bytes of a tensor lie, as [`WeightSource::read`] gives them, one behind the other.
#[derive(Clone, Copy, Debug)]
pub struct FilePlace<'a> {
    /// The file, open for reading.
    pub file: &'a File,
    /// The first byte.
    pub offset: u64,
}

/// Something that has a model's configuration and weights.
pub trait WeightSource: Send + Sync {
    /// The hyperparameters.
    fn config(&self) -> &ModelConfig;
    /// Every tensor under a canonical name, in file order.
    fn tensors(&self) -> &[TensorInfo];
    /// Reads bytes `offset..offset + out.len()` of a tensor, in the file's format, straight into `out`.
    /// Callable from many threads at once.
    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError>;
    /// The tensor of that canonical name.
    fn find(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors().iter().find(|t| t.name == name)
    }
    /// File names of tensors that have no canonical name: an architecture that meets one it does not know must
    /// refuse the file, because leaving out a tensor changes what the model computes.
    fn unmapped(&self) -> &[String] {
        &[]
    }
    /// File names of tensors that are left out on purpose, each with the reason.
    fn ignored(&self) -> &[(String, &'static str)] {
        &[]
    }
    /// Where a tensor lies in a file, if it lies there just as it is read.
    fn place(&self, _: &TensorInfo) -> Option<FilePlace<'_>> {
        None
    }
    /// The file that holds a tensor, for messages; empty where there is none.
    fn path_of(&self, _: &TensorInfo) -> &Path {
        Path::new("")
    }
    /// Whether a file, by its canonical path, is one that the model is read from: nobody may write to it meanwhile.
    fn holds(&self, _canonical: &Path) -> bool {
        false
    }
    /// Checks the whole blocks of `bytes`, read from `tensor` at byte `offset` (a multiple of its block), for
    /// NaN and infinity: [`ModelError::NotFinite`] names the first such block.
    fn check_finite(&self, tensor: &TensorInfo, offset: u64, bytes: &[u8]) -> Result<(), ModelError> {
        match check_finite(tensor.dtype, bytes) {
            None => Ok(()),
            Some(i) => Err(ModelError::NotFinite {
                path: self.path_of(tensor).into(),
                tensor: tensor.file_name.clone(),
                dtype: tensor.dtype,
                block: offset / u64::from(tensor.dtype.info().block_bytes) + i as u64,
            }),
        }
    }
}
