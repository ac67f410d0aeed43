//! Memory that is counted. libFuzzer's own limit on a single allocation needs a sanitizer's hooks, and its limit on the
//! process is looked at once a second; this one stops at the very allocation.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bytes that are allocated now.
static LIVE: AtomicUsize = AtomicUsize::new(0);
/// Bytes that may be.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Set once the limit was exceeded, so that the report may allocate.
static REPORTED: AtomicBool = AtomicBool::new(false);

struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator, which upholds the trait's contract; the counters
// are atomics, and touching them allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller upholds `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller upholds `alloc_zeroed`'s contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds `dealloc`'s contract, and `ptr` came from the same allocator.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() {
            grow(size - layout.size());
        } else {
            LIVE.fetch_sub(layout.size() - size, Ordering::Relaxed);
        }
        // SAFETY: the caller upholds `realloc`'s contract, and `ptr` came from the same allocator.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn grow(by: usize) {
    let live = LIVE.fetch_add(by, Ordering::Relaxed).saturating_add(by);
    let limit = LIMIT.load(Ordering::Relaxed);
    if live > limit && !REPORTED.swap(true, Ordering::Relaxed) {
        LIMIT.store(usize::MAX, Ordering::Relaxed);
        eprintln!("memory: an allocation of {by} bytes makes {live} in all; this input may hold {limit}");
        eprintln!("{}", std::backtrace::Backtrace::force_capture());
        // An allocator may not unwind.
        std::process::abort();
    }
}

/// Limits memory while it lives.
pub struct Budget(());

impl Budget {
    /// Lets what follows hold `bytes` beyond what is held now.
    pub fn of(bytes: usize) -> Self {
        LIMIT.store(LIVE.load(Ordering::Relaxed).saturating_add(bytes), Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        LIMIT.store(usize::MAX, Ordering::Relaxed);
    }
}
