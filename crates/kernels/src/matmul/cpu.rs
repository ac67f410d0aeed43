//! The CPU versions of `matmul` and `matmul_add`.

use super::{MatmulConsts, reference};
use crate::cpu::{CpuFn, Level};

/// The version that stores.
pub fn store(_level: Level, _c: &MatmulConsts) -> Option<CpuFn> {
    Some(reference::store)
}

/// The version that adds a residual.
pub fn add(_level: Level, _c: &MatmulConsts) -> Option<CpuFn> {
    Some(reference::add)
}
