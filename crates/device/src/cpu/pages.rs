//! Pages of the system: anonymous mappings, huge where they are large, and parts of files in their place.

use std::fs::File;

/// Regions of at least this size get huge pages, but caches.
pub(super) const HUGE: usize = 2 << 20;

/// What a mapping is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    /// Huge pages where it is large.
    Huge,
    /// Small pages, for what is filled little by little.
    Small,
    /// Mostly parts of files, so that most of it is no memory.
    OfFiles,
}

#[cfg(unix)]
pub(crate) fn file_pages() -> Option<u64> {
    // SAFETY: asks for a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|p| p.is_power_of_two())
}

#[cfg(not(unix))]
pub(crate) fn file_pages() -> Option<u64> {
    None
}

/// Shows a file's pages in place of a mapping's. Private: a write would change this process's copy and not the file.
///
/// # Safety
/// The pages belong to a mapping of ours, and nothing else refers to them.
#[cfg(unix)]
pub(super) unsafe fn map_file(at: *mut u8, len: usize, file: &File, offset: u64) -> std::io::Result<()> {
    use std::os::fd::AsRawFd;
    let offset = libc::off_t::try_from(offset).map_err(|_| std::io::ErrorKind::InvalidInput)?;
    // SAFETY: the caller's promise; what was mapped there is replaced.
    let got = unsafe {
        libc::mmap(
            at.cast(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_NORESERVE,
            file.as_raw_fd(),
            offset,
        )
    };
    if got == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(not(unix))]
pub(super) unsafe fn map_file(_: *mut u8, _: usize, _: &File, _: u64) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
pub(super) fn map(len: usize, pages: Pages) -> std::io::Result<(*mut u8, usize)> {
    let huge = len >= HUGE && pages == Pages::Huge;
    let small = file_pages().and_then(|p| usize::try_from(p).ok()).unwrap_or(4096);
    let page = if huge { HUGE } else { small };
    let reserve = if pages == Pages::OfFiles { libc::MAP_NORESERVE } else { 0 };
    let mapped = len.max(1).checked_next_multiple_of(page).ok_or(std::io::ErrorKind::OutOfMemory)?;
    // SAFETY: an anonymous private mapping at an address of the system's choice touches nothing else.
    let ptr = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            mapped,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | reserve,
            -1,
            0,
        )
    };
    if ptr == libc::MAP_FAILED {
        return Err(std::io::Error::last_os_error());
    }
    #[cfg(target_os = "linux")]
    if huge {
        // SAFETY: the range was mapped above. A refusal only means small pages.
        unsafe { libc::madvise(ptr, mapped, libc::MADV_HUGEPAGE) };
    }
    Ok((ptr.cast(), mapped))
}

#[cfg(unix)]
pub(super) fn unmap(ptr: *mut u8, mapped: usize) {
    // SAFETY: exactly the range that `map` returned, unmapped once.
    unsafe { libc::munmap(ptr.cast(), mapped) };
}

#[cfg(not(unix))]
pub(super) fn map(len: usize, _: Pages) -> std::io::Result<(*mut u8, usize)> {
    let mapped = len.max(1).checked_next_multiple_of(4096).ok_or(std::io::ErrorKind::OutOfMemory)?;
    let layout = std::alloc::Layout::from_size_align(mapped, 4096)
        .map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    // SAFETY: the size is not zero.
    let ptr = unsafe { std::alloc::alloc_zeroed(layout) };
    if ptr.is_null() { Err(std::io::ErrorKind::OutOfMemory.into()) } else { Ok((ptr, mapped)) }
}

#[cfg(not(unix))]
pub(super) fn unmap(ptr: *mut u8, mapped: usize) {
    if let Ok(layout) = std::alloc::Layout::from_size_align(mapped, 4096) {
        // SAFETY: allocated by `map` with this layout.
        unsafe { std::alloc::dealloc(ptr, layout) };
    }
}
