//! Why a model cannot be planned.

use akunu_kernels::KernelError;
use thiserror::Error;

/// Every message says what, where and what to do next.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the fields are named in the messages")]
pub enum PlanError {
    /// No descriptor for the architecture.
    #[error("architecture `{arch}` is not supported; supported: {known}. Use a model of one of these")]
    UnknownArch { arch: String, known: String },
    /// A tensor that the architecture needs is not in the file.
    #[error("tensor `{tensor}` is missing; the file is incomplete or of another architecture")]
    MissingTensor { tensor: String },
    /// The file has a tensor that the architecture does not know; leaving it out would change the numbers.
    #[error(
        "tensor `{tensor}` is not part of architecture `{arch}`{more}; the file needs a feature that this build \
         does not have"
    )]
    UnknownTensor { tensor: String, arch: String, more: String },
    /// A tensor's shape contradicts the configuration.
    #[error(
        "tensor `{tensor}` has shape {rows} x {cols}, the configuration says {want_rows} x {want_cols}; \
         the file contradicts itself, get it again or convert it anew"
    )]
    Shape { tensor: String, rows: u64, cols: u64, want_rows: u64, want_cols: u64 },
    /// A tensor's dtype cannot serve where it stands.
    #[error("tensor `{tensor}` is {dtype}; here it must be {want}")]
    Dtype { tensor: String, dtype: String, want: &'static str },
    /// The configuration is out of range.
    #[error("{field} is {value}; {remedy}")]
    Config { field: &'static str, value: String, remedy: &'static str },
    /// A kernel refuses its constants.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A table breaks a rule; a bug in the builder, found before anything ran.
    #[error("table `{table}`, command {command} ({label}): {what}")]
    Invalid { table: String, command: usize, label: String, what: String },
}
