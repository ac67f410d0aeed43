//! Cold memory: a virtual machine's host may have taken back what the machine does not use. It gives it again page by small page when
//! it is touched, and a huge page that is touched for the first time then takes milliseconds instead of a tenth of one. Hosts take back whole
//! blocks only, so small pages, which the system cuts from blocks that are in use, are warm.
//!
//! A region on huge pages is therefore filled on small ones from the first cold huge page on, and brought to huge pages in the background
//! once it is filled: tables read it a few hundredths faster there.

use super::pages::HUGE;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A thread's own time for a huge page that says that it was cold. Clearing a warm one takes 0.1 to 0.5 ms on machines of these years.
const SLOW: Duration = Duration::from_millis(2);

/// Blocks of a region that may lie on small pages. What the system has in small pages is limited, and beyond it they are cold too.
pub(super) const MOST: usize = 128;

/// What was cold in a region.
#[derive(Debug, Default)]
pub(super) struct Cold {
    /// Whether a huge page has been.
    pub(super) seen: AtomicBool,
    /// First addresses of the blocks that lie on small pages.
    pub(super) small: Mutex<Vec<usize>>,
}

impl Cold {
    /// Makes memory of the bytes at `range`, which the caller alone may access, and of the rest of their blocks. `pages` are all of the
    /// region's, with huge ones allowed. What is there stays.
    pub(super) fn touch(&self, pages: Range<usize>, range: Range<usize>) {
        let mut block = range.start / HUGE * HUGE;
        while block < range.end && !range.is_empty() {
            if !(self.seen.load(Ordering::Relaxed) && self.on_small_pages(&pages, block)) {
                let before = system::thread_time();
                // SAFETY: a byte of the range, which nobody else accesses; `pages` are mapped.
                unsafe { touch(block.max(range.start)) };
                let took =
                    system::thread_time().zip(before).map(|(after, before)| after.saturating_sub(before));
                if took.is_some_and(|t| t >= SLOW) {
                    self.seen.store(true, Ordering::Relaxed);
                }
            }
            block += HUGE;
        }
    }

    /// Makes memory of a block on small pages. Returns whether it is.
    fn on_small_pages(&self, pages: &Range<usize>, block: usize) -> bool {
        let mut small = self.small.lock().unwrap_or_else(PoisonError::into_inner);
        if small.contains(&block) {
            return true;
        }
        if small.len() == MOST {
            return false;
        }
        small.push(block);
        drop(small);
        system::populate(within(pages, block))
    }
}

/// The pages of a block that are a region's.
pub(super) fn within(pages: &Range<usize>, block: usize) -> Range<usize> {
    block.max(pages.start)..(block + HUGE).min(pages.end)
}

/// Writes a byte as it is, so that its page becomes memory.
///
/// # Safety
/// The address is mapped for writing, and nobody else accesses the byte.
unsafe fn touch(address: usize) {
    let byte = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: the caller's promise.
    unsafe { byte.write_volatile(byte.read_volatile()) };
}

#[cfg(target_os = "linux")]
pub(super) mod system {
    use super::super::pages::{HUGE, Pages, map, unmap};
    use std::ops::Range;
    use std::time::Duration;

    /// Linux's number for it, which not every C library's header has yet.
    const MADV_COLLAPSE: libc::c_int = 25;

    /// The time that this thread has run.
    pub(super) fn thread_time() -> Option<Duration> {
        let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `t` is a place for the answer.
        let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) } != 0;
        if failed { None } else { Some(Duration::new(t.tv_sec.try_into().ok()?, t.tv_nsec.try_into().ok()?)) }
    }

    /// Gives advice on whole pages of a mapping. Returns whether the system took it.
    fn advise(pages: Range<usize>, advice: libc::c_int) -> bool {
        let at = std::ptr::with_exposed_provenance_mut(pages.start);
        // SAFETY: the callers give no advice that changes what is in the pages, and an address that is not mapped is an error.
        unsafe { libc::madvise(at, pages.len(), advice) == 0 }
    }

    /// Makes memory of these pages, small ones, whatever else they hold. Returns whether it is; if not, they will be small.
    pub(super) fn populate(pages: Range<usize>) -> bool {
        advise(pages.clone(), libc::MADV_NOHUGEPAGE) && advise(pages, libc::MADV_POPULATE_WRITE)
    }

    /// Takes back that pages must be small. Those that are stay so until somebody collects them, of the system or of this process.
    pub(in super::super) fn allow_huge(pages: Range<usize>) {
        // A refusal only means small pages.
        let _ = advise(pages, libc::MADV_HUGEPAGE);
    }

    /// Brings a block from small pages to a huge one. Returns whether the system can do that at all.
    pub(in super::super) fn collapse(block: usize) -> bool {
        // Whoever reads the block waits while it is copied. So the page that it is copied to is made warm first: it is the first
        // that the system finds then.
        if let Ok((ptr, mapped)) = map(2 * HUGE, Pages::Huge) {
            let inner = (ptr as usize).next_multiple_of(HUGE);
            // SAFETY: within a mapping of twice this size, which is this function's own.
            unsafe { super::touch(inner) };
            unmap(ptr, mapped);
        }
        let done = advise(block..block + HUGE, MADV_COLLAPSE);
        // A lack of pages, or a page in other use, is for this block and this moment.
        done || std::io::Error::last_os_error().raw_os_error() != Some(libc::EINVAL)
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) mod system {
    use std::ops::Range;
    use std::time::Duration;

    /// Other systems have no huge pages to ask for.
    pub(super) fn thread_time() -> Option<Duration> {
        None
    }

    pub(super) fn populate(_: Range<usize>) -> bool {
        false
    }

    pub(in super::super) fn allow_huge(_: Range<usize>) {}

    pub(in super::super) fn collapse(_: usize) -> bool {
        false
    }
}
