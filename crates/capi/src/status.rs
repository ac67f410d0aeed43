//! Status codes, the last error of each thread, and the border that no panic crosses.

use crate::handle::{Refused, Why};
use akunu::ErrorKind;
use akunu_hub::HubError;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a function returns: `AKUNU_OK`, an error, or one of the two codes that are none (`AKUNU_DONE`, `AKUNU_TIMED_OUT`).
pub type akunu_status = i32;

/// It has worked.
pub const AKUNU_OK: i32 = 0;
/// An argument or option that means nothing, or that this model or device does not know.
pub const AKUNU_ERROR_ARGUMENT: i32 = 1;
/// A handle that was freed, or never was one of this kind.
pub const AKUNU_ERROR_HANDLE: i32 = 2;
/// Another thread uses it now, or a callback of its own call does.
pub const AKUNU_ERROR_BUSY: i32 = 3;
/// A model's file that is not there, cannot be fetched, is broken, or is of a kind that is not supported.
pub const AKUNU_ERROR_MODEL: i32 = 4;
/// The device, or its driver.
pub const AKUNU_ERROR_DEVICE: i32 = 5;
/// Not enough memory, or no room in the KV cache.
pub const AKUNU_ERROR_MEMORY: i32 = 6;
/// More tokens than the context holds.
pub const AKUNU_ERROR_CONTEXT_FULL: i32 = 7;
/// Too many requests wait.
pub const AKUNU_ERROR_QUEUE_FULL: i32 = 8;
/// The engine has ended.
pub const AKUNU_ERROR_STOPPED: i32 = 9;
/// The output cannot follow the grammar.
pub const AKUNU_ERROR_GRAMMAR: i32 = 10;
/// The model's output is not a number.
pub const AKUNU_ERROR_NOT_FINITE: i32 = 11;
/// A cancel ended it.
pub const AKUNU_ERROR_CANCELLED: i32 = 12;
/// A session's file.
pub const AKUNU_ERROR_SESSION_FILE: i32 = 13;
/// A buffer that is too small; the size that it needs was written.
pub const AKUNU_ERROR_BUFFER: i32 = 14;
/// The handle is from before a fork; load anew in the child, or load after forking.
pub const AKUNU_ERROR_FORKED: i32 = 15;
/// A bug in the library; please report the message.
pub const AKUNU_ERROR_PANIC: i32 = 16;
/// Nothing comes any more.
pub const AKUNU_DONE: i32 = 100;
/// Nothing has come in that time.
pub const AKUNU_TIMED_OUT: i32 = 101;

/// Why a call has failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: akunu_status,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(code: akunu_status, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(AKUNU_ERROR_ARGUMENT, message)
    }
}

impl From<akunu::Error> for Failure {
    fn from(e: akunu::Error) -> Self {
        let code = match e.kind() {
            ErrorKind::Argument => AKUNU_ERROR_ARGUMENT,
            ErrorKind::Model => AKUNU_ERROR_MODEL,
            ErrorKind::Device => AKUNU_ERROR_DEVICE,
            ErrorKind::Memory => AKUNU_ERROR_MEMORY,
            ErrorKind::ContextFull => AKUNU_ERROR_CONTEXT_FULL,
            ErrorKind::QueueFull => AKUNU_ERROR_QUEUE_FULL,
            ErrorKind::Stopped => AKUNU_ERROR_STOPPED,
            ErrorKind::Grammar => AKUNU_ERROR_GRAMMAR,
            ErrorKind::NotFinite => AKUNU_ERROR_NOT_FINITE,
            ErrorKind::Cancelled => AKUNU_ERROR_CANCELLED,
            ErrorKind::SessionFile => AKUNU_ERROR_SESSION_FILE,
        };
        Self::new(code, e.to_string())
    }
}

impl From<HubError> for Failure {
    fn from(e: HubError) -> Self {
        Self::new(AKUNU_ERROR_MODEL, e.to_string())
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let code = match refused.why {
            Why::Null | Why::Freed => AKUNU_ERROR_HANDLE,
            Why::Forked => AKUNU_ERROR_FORKED,
            Why::Busy => AKUNU_ERROR_BUSY,
        };
        Self::new(code, refused.to_string())
    }
}

struct Last {
    code: akunu_status,
    message: CString,
}

thread_local! {
    static LAST: RefCell<Last> = RefCell::new(Last { code: AKUNU_OK, message: CString::default() });
}

/// What a function of the interface ends with: nothing, or a code that is no error.
pub(crate) trait Outcome {
    fn status(self) -> akunu_status;
}

impl Outcome for () {
    fn status(self) -> akunu_status {
        AKUNU_OK
    }
}

impl Outcome for akunu_status {
    fn status(self) -> akunu_status {
        self
    }
}

/// Runs a function of the interface: its error becomes this thread's last one, and so does a panic.
pub(crate) fn call<O: Outcome>(f: impl FnOnce() -> Result<O, Failure>) -> akunu_status {
    // What a panic leaves half done is behind locks that are taken again without regard to it, or is dropped.
    let failure = match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(outcome)) => return outcome.status(),
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let what = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
            let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Failure::new(AKUNU_ERROR_PANIC, format!("a bug in akunu, please report it: {what}"))
        }
    };
    remember(failure)
}

/// Makes it the thread's last error.
pub(crate) fn remember(failure: Failure) -> akunu_status {
    let Failure { code, message } = failure;
    let message = CString::new(message.replace('\0', "\u{fffd}")).unwrap_or_default();
    // The thread may be ending, when nobody can ask any more.
    let _ = LAST.try_with(|last| last.replace(Last { code, message }));
    code
}

/// The code of the last error on this thread; `AKUNU_OK` before the first one.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_last_error_code() -> akunu_status {
    LAST.try_with(|last| last.borrow().code).unwrap_or(AKUNU_OK)
}

/// The message of the last error on this thread: what, where and what to do next, in one line; empty before the first one. Valid until
/// the next call on this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().message.as_ptr()).unwrap_or(c"".as_ptr())
}

/// The number of this interface. A program that was built with the same number, or a smaller one, works with this library.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_abi_version() -> u32 {
    AKUNU_ABI_VERSION
}

/// The number of the interface that this header describes.
pub const AKUNU_ABI_VERSION: u32 = 1;

/// The library's version, `0.1.0`.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
