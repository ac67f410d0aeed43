//! Ctrl-C, and the signals that ask a process to end. One rule for every command: the first signal asks what runs to
//! stop cleanly, the second ends the process, and so does the first where nothing runs. The exit code is 128 and the
//! signal's number, as a shell has it for a program that a signal ended: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.

use akunu::{Canceller, Session};
use std::process::exit;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The exit code of the signal that asked for a stop; 0 while none did.
static ASKED: AtomicU8 = AtomicU8::new(0);
static IDLE: AtomicBool = AtomicBool::new(false);
/// What stops the session that runs. Held while `ASKED` changes, so that both say the same.
static RUNNING: Mutex<Option<Canceller>> = Mutex::new(None);

/// The exit code after Ctrl-C.
pub(crate) const CTRL_C: u8 = 130;

/// Installs the handler.
pub(crate) fn install() {
    // It is not installed where whoever started the process has one of the signals ignored, as `nohup` does: it would be
    // ignored no longer. The default actions still end the process.
    if ctrlc::try_set_handler(on_signal).is_ok() {
        signals::record();
        terminal::remember();
    }
}

fn on_signal() {
    let earlier = ASKED.load(Ordering::SeqCst);
    let code = signals::last().unwrap_or(if earlier == 0 { CTRL_C } else { earlier });
    let running = running();
    ASKED.store(code, Ordering::SeqCst);
    if let Some(session) = &*running {
        session.cancel();
    }
    drop(running);
    // `waiting` sets one and then reads the other, in the other order: one of the two sees that the process shall end.
    if earlier != 0 || IDLE.load(Ordering::SeqCst) {
        leave(code);
    }
}

fn running() -> MutexGuard<'static, Option<Canceller>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on a signal stops this session, in the middle of a step where the device can: one of a long prompt takes seconds.
pub(crate) fn stops(session: &Session) {
    let mut running = running();
    let canceller = session.canceller();
    if asked() {
        canceller.cancel();
    }
    *running = Some(canceller);
}

/// Ends the process at once.
fn leave(code: u8) -> ! {
    terminal::restore();
    exit(i32::from(code))
}

/// Whether a stop was asked for.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst) != 0
}

/// Whether the process was asked to end, and not only what runs.
pub(crate) fn ending() -> bool {
    !matches!(ASKED.load(Ordering::SeqCst), 0 | CTRL_C)
}

/// The exit code of a command that was stopped.
pub(crate) fn code() -> u8 {
    match ASKED.load(Ordering::SeqCst) {
        0 => CTRL_C,
        code => code,
    }
}

/// Ends the process where a stop was asked for; for work that leaves nothing half done.
pub(crate) fn leave_if_asked() {
    if asked() {
        leave(code());
    }
}

/// Forgets a Ctrl-C that has been obeyed.
pub(crate) fn clear() {
    let running = running();
    // A signal that asks the process to end stays.
    let cleared = ASKED.compare_exchange(CTRL_C, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    if let (true, Some(session)) = (cleared, &*running) {
        session.withdraw();
    }
}

/// Waits for a person in `wait`: nothing runs that could stop cleanly, so a signal ends the process.
pub(crate) fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    IDLE.store(true, Ordering::SeqCst);
    if ending() {
        leave(code());
    }
    let done = wait();
    IDLE.store(false, Ordering::SeqCst);
    done
}

/// Which signal came. The handler is told only that one did.
#[cfg(unix)]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, OnceLock};
    use std::thread::sleep;
    use std::time::Duration;

    /// The signal's number; 0 once it has been taken.
    static LAST: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

    pub(super) fn record() {
        let last = LAST.get_or_init(Arc::default);
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            // Without it the exit code is that of Ctrl-C; all else stays as it is.
            let _ = signal_hook::flag::register_usize(signal, Arc::clone(last), signal as usize);
        }
    }

    /// The exit code of the last signal. The number is noted in the signal's own handler, after the one that woke us: it may
    /// come a moment later than we do.
    pub(super) fn last() -> Option<u8> {
        let last = LAST.get()?;
        (0..1000).find_map(|_| match last.swap(0, Ordering::SeqCst) {
            0 => {
                sleep(Duration::from_micros(100));
                None
            }
            signal => u8::try_from(128 + signal).ok(),
        })
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) fn record() {}

    pub(super) fn last() -> Option<u8> {
        None
    }
}

/// The terminal's settings as they were at the start. A line editor changes them, and a process that ends in the middle
/// of a line must not leave them so.
#[cfg(unix)]
mod terminal {
    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::io::Write;
    use std::sync::OnceLock;

    static SETTINGS: OnceLock<Option<Termios>> = OnceLock::new();

    pub(super) fn remember() {
        SETTINGS.get_or_init(|| tcgetattr(std::io::stdin()).ok());
    }

    /// A terminal that is gone needs no settings, so errors are no matter.
    pub(super) fn restore() {
        let Some(Some(settings)) = SETTINGS.get() else { return };
        let edits = tcgetattr(std::io::stdin()).is_ok_and(|now| now.local_modes != settings.local_modes);
        if edits {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, settings);
            // Bracketed paste, which the editor switched on, goes off, and the shell's prompt begins a line.
            let _ = std::io::stdout().write_all(b"\x1b[?2004l\n");
            let _ = std::io::stdout().flush();
        }
    }
}

#[cfg(not(unix))]
mod terminal {
    pub(super) fn remember() {}

    pub(super) fn restore() {}
}
