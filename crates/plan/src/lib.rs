//! # plan: what to run
//!
//! From a model's configuration and a device's [`Target`], the one [`builder`] writes flat [`Table`]s of
//! commands over named regions; [`mod@verify`] proves each once; [`mod@dump`] prints it. Pure: no I/O, no handles, no
//! pointers, no unsafe code.
//!
//! Deliberately absent: backends (a `Target` is plain data) and model names (an architecture is a descriptor).
#![forbid(unsafe_code)]

pub mod arch;
pub mod builder;
pub mod dump;
pub mod error;
pub mod memory;
pub mod program;
mod regions;
pub mod table;
pub mod target;
pub mod verify;
pub mod weights;

pub use arch::{ARCHS, ArchDescriptor};
pub use error::PlanError;
pub use program::{CacheTypes, Program, Settings, Shape};
pub use table::{Binding, Command, Region, RegionDecl, RegionId, RegionKind, Table};
pub use target::Target;
pub use verify::{VerifiedTable, verify};
