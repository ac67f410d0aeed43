//! Ctrl-C: the first asks what runs to stop cleanly, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// The exit code of an interrupted command.
pub(crate) const CODE: u8 = 130;

/// Installs the handler.
pub(crate) fn install() {
    // A failure means that another handler is there already; the default one still ends the process.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
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
