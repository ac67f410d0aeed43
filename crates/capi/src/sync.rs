//! The locks of handles: the standard library's. `tests/handles` has those of `loom` in their place.

pub(crate) use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic};
