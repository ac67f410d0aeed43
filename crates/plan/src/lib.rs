//! # plan: what to run
//!
//! From a model's configuration and a device's [`Target`], the one `builder` writes flat [`Table`]s of
//! commands over named regions; [`mod@verify`] proves each once; [`mod@dump`] prints it. Pure: no I/O, no handles, no
//! pointers, no unsafe code.
//!
//! Deliberately absent: backends (a `Target` is plain data) and model names (an architecture is a descriptor).
#![forbid(unsafe_code)]

pub mod arch;
mod builder;
pub mod cache;
pub mod dump;
pub mod error;
pub mod memory;
pub mod program;
mod region;
mod regions;
pub mod settings;
pub mod table;
pub mod verify;
pub mod walk;
pub mod weights;

pub use akunu_kernels::target::{self, Target};
pub use arch::{ARCHS, ArchDescriptor};
pub use error::PlanError;
pub use program::{HOST_WEIGHTS, MAX_BLOCKS, MAX_SEQUENCES, Program};
pub use settings::{BatchSize, CacheTypes, Settings};
pub use table::{Binding, Command, Region, RegionDecl, RegionId, RegionKind, Table};
pub use verify::{VerifiedTable, verify};
pub use walk::{Draw, Encode, Ending, Shape, Steps, Walk};
