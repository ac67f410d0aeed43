//! Tables of handles as statics have them, and the end of a handle.

use crate::handle::{Places, Table};
use crate::status::call;
use crate::sync::RwLock;

impl<T> Table<T> {
    /// An empty one, for a static; `kind` as [`Table::over`] has it.
    pub(crate) const fn new(name: &'static str, kind: u8) -> Self {
        Self::over(name, kind, RwLock::new(Places::new()))
    }
}

/// Takes a handle out of its table and drops its object, which may end threads; a panic there stays inside. A handle that is none becomes
/// the thread's last error.
pub(crate) fn free<T, H>(table: &Table<T>, handle: *mut H) {
    free_after(table, handle, |_| {});
}

/// The same for an object that is told something before, as to end what runs in it. No call finds it any more by then.
pub(crate) fn free_after<T, H>(table: &Table<T>, handle: *mut H, tell: impl FnOnce(&T)) {
    call(|| {
        if let Some(object) = table.take(handle)? {
            tell(&object);
        }
        Ok(())
    });
}
