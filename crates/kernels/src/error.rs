//! Why a kernel cannot be had.

use thiserror::Error;

/// Why a kernel cannot be had in the asked form.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KernelError {
    /// The constants describe something the kernel has no version for.
    #[error("kernel `{kernel}` has no version for {what}; use another dtype or device")]
    Unsupported {
        /// The kernel's name.
        kernel: &'static str,
        /// The combination that is missing.
        what: String,
    },
    /// The constants contradict each other (a row that is no multiple of its block, zero heads).
    #[error("kernel `{kernel}`: {what}")]
    Constants {
        /// The kernel's name.
        kernel: &'static str,
        /// What is wrong.
        what: String,
    },
}

/// Refuses a command whose constants do not hold together; `what` says so in the message.
pub(crate) fn require(
    kernel: &'static str,
    holds: bool,
    what: impl FnOnce() -> String,
) -> Result<(), KernelError> {
    if holds { Ok(()) } else { Err(KernelError::Constants { kernel, what: what() }) }
}
