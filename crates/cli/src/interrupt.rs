//! Ctrl-C, and the signals that ask a process to end: the first asks what runs to stop cleanly, the second ends the
//! process.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
static IDLE: AtomicBool = AtomicBool::new(false);

/// The exit code of an interrupted command.
pub(crate) const CODE: u8 = 130;

/// Installs the handler.
pub(crate) fn install() {
    // It is not installed where whoever started the process has one of the signals ignored, as `nohup` does: it would be
    // ignored no longer. The default actions still end the process.
    let _ = ctrlc::try_set_handler(|| {
        if IDLE.load(Ordering::SeqCst) || ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(CODE));
        }
    });
}

/// Whether a stop was asked for.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// Forgets a stop that has been obeyed.
pub(crate) fn clear() {
    ASKED.store(false, Ordering::SeqCst);
}

/// Waits for a person in `wait`: nothing runs that could stop cleanly, so a signal ends the process.
pub(crate) fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    IDLE.store(true, Ordering::SeqCst);
    let done = wait();
    IDLE.store(false, Ordering::SeqCst);
    done
}
