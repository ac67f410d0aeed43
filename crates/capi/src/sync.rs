//! The locks of handles: the standard library's. `tests/handles` has those of `loom` in their place.

use crate::handle::{Places, Table};
pub(crate) use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic};

impl<T> Table<T> {
    /// An empty one, for a static; `kind` as [`Table::over`] has it.
    pub(crate) const fn new(name: &'static str, kind: u8) -> Self {
        Self::over(name, kind, RwLock::new(Places::new()))
    }
}
