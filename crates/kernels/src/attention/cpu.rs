//! The CPU versions of `attention`.

use super::{AttentionConsts, reference};
use crate::cpu::{CpuFn, Level};

/// The version for a level.
pub fn select(_level: Level, _c: &AttentionConsts) -> CpuFn {
    reference::run
}
