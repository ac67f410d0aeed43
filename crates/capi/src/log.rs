//! Where notes go that are no errors: a download, a GPU that cannot be used.

use crate::status::{akunu_status, call};
use std::ffi::{CString, c_char, c_void};
use std::sync::{PoisonError, RwLock};

/// A note that most people want to see.
pub const AKUNU_LOG_INFO: u32 = 1;
/// Something that is probably not as it should be.
pub const AKUNU_LOG_WARN: u32 = 2;

/// Takes a line, which is valid until it returns. Called from any thread, several at a time, that makes a call of the library, which it must not call itself.
pub type akunu_log_fn =
    Option<unsafe extern "C-unwind" fn(level: u32, message: *const c_char, user_data: *mut c_void)>;

struct Hook {
    function: akunu_log_fn,
    user_data: *mut c_void,
}

// SAFETY: the pointer is only handed back; `akunu_set_log` says that it is used from any thread.
unsafe impl Send for Hook {}
// SAFETY: the same.
unsafe impl Sync for Hook {}

static HOOK: RwLock<Hook> = RwLock::new(Hook { function: None, user_data: std::ptr::null_mut() });

/// Sends notes to a function from now on; NULL drops them, as at the beginning. When it returns, the function before is not running
/// any more and will not be called again, so it must not be called from within one.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_set_log(function: akunu_log_fn, user_data: *mut c_void) -> akunu_status {
    call(|| {
        *HOOK.write().unwrap_or_else(PoisonError::into_inner) = Hook { function, user_data };
        Ok(())
    })
}

pub(crate) fn note(level: u32, message: &str) {
    let hook = HOOK.read().unwrap_or_else(PoisonError::into_inner);
    if let (Some(function), Ok(line)) = (hook.function, CString::new(message.replace('\0', " "))) {
        // SAFETY: the caller of `akunu_set_log` has promised a function that takes these, until it is replaced, which waits for
        // the lock that is held here.
        unsafe { function(level, line.as_ptr(), hook.user_data) };
    }
}
