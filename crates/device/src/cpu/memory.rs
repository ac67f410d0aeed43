//! CPU memory: anonymous mappings on huge pages where the system has them, behind a gate that keeps host accesses
//! and replays apart.

use super::cold::Cold;
use super::pages::{HUGE, Pages, file_pages, map, map_file, unmap};
use super::sync::{Condvar, Mutex, MutexGuard};
use crate::{DeviceError, FilePart, Fill, Memory};
use akunu_plan::{RegionDecl, RegionKind};
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

/// The addresses that one job touches.
pub(crate) type Ranges = Arc<[Range<usize>]>;

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Keeps host accesses out of memory that queued jobs touch, and overlapping host writes apart. By address, so
/// that one session's host does not wait for another session's jobs. A job takes all of its ranges at once, so
/// that no two waiters can hold what the other needs.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    state: Mutex<State>,
    idle: Condvar,
}

#[derive(Debug)]
struct State {
    /// What queued and running jobs touch, one entry per job.
    running: Vec<Ranges>,
    /// Ranges of addresses that hosts access now; `true` for writes.
    host: Vec<(Range<usize>, bool)>,
}

impl Default for State {
    /// With room for all that is usually in it: a submission must not allocate.
    fn default() -> Self {
        Self { running: Vec::with_capacity(128), host: Vec::with_capacity(128) }
    }
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is two lists, whole after any panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A submission begins: waits for host accesses to its memory to end.
    pub(crate) fn enter(&self, job: &Ranges) {
        let mut s = self.lock();
        while s.host.iter().any(|(h, _)| job.iter().any(|r| overlap(r, h))) {
            s = self.idle.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
        s.running.push(Arc::clone(job));
    }

    /// A submission ended.
    pub(crate) fn leave(&self, job: &Ranges) {
        let mut s = self.lock();
        if let Some(i) = s.running.iter().position(|r| Arc::ptr_eq(r, job)) {
            s.running.swap_remove(i);
        }
        drop(s);
        self.idle.notify_all();
    }

    pub(super) fn host_enter(&self, range: Range<usize>, writes: Writes) -> Result<HostAccess<'_>, ()> {
        let mut s = self.lock();
        while s.running.iter().any(|job| job.iter().any(|r| overlap(r, &range))) {
            s = self.idle.wait(s).unwrap_or_else(PoisonError::into_inner);
        }
        let writes = writes == Writes::Yes;
        let clash = s.host.iter().any(|(r, w)| (*w || writes) && overlap(r, &range));
        if clash {
            return Err(());
        }
        s.host.push((range.clone(), writes));
        Ok(HostAccess { gate: self, range, writes })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writes {
    Yes,
    No,
}

pub(super) struct HostAccess<'a> {
    gate: &'a Gate,
    range: Range<usize>,
    writes: bool,
}

impl Drop for HostAccess<'_> {
    fn drop(&mut self) {
        let mut s = self.gate.lock();
        if let Some(i) = s.host.iter().position(|(r, w)| *r == self.range && *w == self.writes) {
            s.host.swap_remove(i);
        }
        drop(s);
        self.gate.idle.notify_all();
    }
}

/// One region: a mapping of its own.
#[derive(Debug)]
pub(crate) struct Mapping {
    ptr: *mut u8,
    len: usize,
    mapped: usize,
    pages: Pages,
    cold: Cold,
    gate: Arc<Gate>,
}

// SAFETY: the mapping is plain memory; the gate orders every access (hosts against replays, host writes against
// each other), and replays order theirs by the table's verified dependencies.
unsafe impl Send for Mapping {}
// SAFETY: as for Send.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(crate) fn new(decl: &RegionDecl, gate: &Arc<Gate>) -> Result<Self, DeviceError> {
        let fail = |source| DeviceError::OutOfMemory { region: decl.name, bytes: decl.bytes, source };
        let len = usize::try_from(decl.bytes).map_err(|_| fail(std::io::ErrorKind::OutOfMemory.into()))?;
        // A short conversation writes the beginning of every layer's part of a cache. On huge pages that would be most of
        // the region: 120 of 139 MB of SmolLM2's are made and cleared for one token.
        let pages = if decl.kind == RegionKind::Cache { Pages::Small } else { Pages::Huge };
        let (ptr, mapped) = map(len, pages).map_err(fail)?;
        Ok(Self { ptr, len, mapped, pages, cold: Cold::default(), gate: Arc::clone(gate) })
    }

    /// A region in which parts of files, in ascending order, take the place of memory.
    pub(crate) fn over(
        decl: &RegionDecl,
        files: &[FilePart<'_>],
        gate: &Arc<Gate>,
    ) -> Result<Self, DeviceError> {
        let fail = |source| DeviceError::OutOfMemory { region: decl.name, bytes: decl.bytes, source };
        let len = usize::try_from(decl.bytes).map_err(|_| fail(std::io::ErrorKind::OutOfMemory.into()))?;
        let (ptr, mapped) = map(len, Pages::OfFiles).map_err(fail)?;
        let (pages, cold) = (Pages::OfFiles, Cold::default());
        let region = Self { ptr, len, mapped, pages, cold, gate: Arc::clone(gate) };
        let mut free = 0;
        for f in files {
            let failed = |source| DeviceError::Map { offset: f.offset, len: f.len, source };
            free = region.show(f, free).map_err(failed)?;
        }
        Ok(region)
    }

    /// Puts a part of a file over the region's pages from byte `free` on; returns the first byte after them.
    fn show(&self, f: &FilePart<'_>, free: u64) -> std::io::Result<u64> {
        use std::io::{Error, ErrorKind};
        let page = file_pages().ok_or(ErrorKind::Unsupported)?;
        let within = f.at % page;
        let (first, end) = (f.at - within, f.at.checked_add(f.len).filter(|e| *e <= self.len as u64));
        let in_file = f.offset.checked_add(f.len).filter(|_| f.offset % page == within);
        let (Some(end), Some(in_file)) = (end.filter(|_| first >= free), in_file) else {
            return Err(ErrorKind::InvalidInput.into());
        };
        if in_file > f.file.metadata()?.len() {
            return Err(Error::new(ErrorKind::UnexpectedEof, "the file is shorter than it was"));
        }
        let end = end.next_multiple_of(page);
        if end > self.mapped as u64 {
            return Err(ErrorKind::InvalidInput.into());
        }
        // SAFETY: whole pages of this region's own mapping, which nobody has a pointer to yet.
        unsafe { map_file(self.ptr.add(first as usize), (end - first) as usize, f.file, f.offset - within)? };
        Ok(end)
    }

    /// The first byte; valid as long as the mapping lives.
    pub(crate) fn ptr(&self) -> *mut u8 {
        self.ptr
    }

    /// The addresses of its bytes.
    pub(crate) fn addresses(&self) -> Range<usize> {
        self.ptr as usize..self.ptr as usize + self.len
    }

    /// Whether its pages are of [`HUGE`] bytes, as far as the system has such.
    pub(super) fn has_huge_pages(&self) -> bool {
        self.pages == Pages::Huge && self.len >= HUGE
    }

    /// What was cold when it became memory.
    pub(super) fn cold(&self) -> &Cold {
        &self.cold
    }

    /// The addresses of its pages.
    pub(super) fn pages(&self) -> Range<usize> {
        self.ptr as usize..self.ptr as usize + self.mapped
    }

    /// Whether this gate guards it, that is, whether it was allocated by the gate's device.
    pub(crate) fn is_behind(&self, gate: &Arc<Gate>) -> bool {
        Arc::ptr_eq(&self.gate, gate)
    }

    fn access(
        &self,
        offset: u64,
        len: u64,
        writes: Writes,
    ) -> Result<(HostAccess<'_>, *mut u8), DeviceError> {
        let range = DeviceError::Range { offset, len, bytes: self.len as u64 };
        let Some(end) = offset.checked_add(len) else { return Err(range) };
        if end > self.len as u64 {
            return Err(range);
        }
        // SAFETY: offset <= len of the mapping, checked above.
        let ptr = unsafe { self.ptr.add(offset as usize) };
        let addresses = ptr as usize..ptr as usize + len as usize;
        let guard =
            self.gate.host_enter(addresses, writes).map_err(|()| DeviceError::Overlap { offset, len })?;
        Ok((guard, ptr))
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        unmap(self.ptr, self.mapped);
    }
}

impl Memory for Mapping {
    fn bytes(&self) -> u64 {
        self.len as u64
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let (_guard, ptr) = self.access(offset, bytes.len() as u64, Writes::Yes)?;
        // SAFETY: the range is inside the mapping and the guard keeps all others out of it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), ptr, bytes.len()) };
        Ok(())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        let (_guard, ptr) = self.access(offset, out.len() as u64, Writes::No)?;
        // SAFETY: the range is inside the mapping and the guard keeps writers out of it.
        unsafe { std::ptr::copy_nonoverlapping(ptr, out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    fn fill(&self, offset: u64, len: u64, fill: &mut Fill<'_>) -> Result<(), DeviceError> {
        let (_guard, ptr) = self.access(offset, len, Writes::Yes)?;
        if self.has_huge_pages() {
            self.cold.touch(self.pages(), ptr as usize..ptr as usize + len as usize);
        }
        // SAFETY: the range is inside the mapping and the guard keeps all others out of it.
        let bytes = unsafe { std::slice::from_raw_parts_mut(ptr, len as usize) };
        fill(bytes).map_err(DeviceError::Fill)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use std::fs::File;

    fn region(bytes: u64) -> Mapping {
        let decl = RegionDecl { region: None, name: "test", kind: RegionKind::Persistent, bytes };
        Mapping::new(&decl, &Arc::new(Gate::default())).unwrap()
    }

    #[test]
    #[cfg(unix)]
    fn parts_of_files_stand_in_place_of_memory() {
        let page = file_pages().unwrap();
        let path = std::env::temp_dir().join(format!("akunu-map-{}", std::process::id()));
        let content: Vec<u8> = (0..3 * page + 100).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &content).unwrap();
        let file = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let over = |bytes, files: &[FilePart<'_>]| {
            let decl = RegionDecl { region: None, name: "test", kind: RegionKind::Weights, bytes };
            Mapping::over(&decl, files, &Arc::new(Gate::default()))
        };
        let part = |at, len, offset| FilePart { at, len, file: &file, offset };
        let (a, b) = (part(page + 32, page + 7, 32), part(4 * page + 64, 100, 3 * page - page + 64));
        let m = over(5 * page, &[a, b]).unwrap();
        m.write(100, &[9; 50]).unwrap();
        for f in [a, b] {
            let mut out = vec![0; f.len as usize];
            m.read(f.at, &mut out).unwrap();
            assert_eq!(out, content[f.offset as usize..][..out.len()]);
        }
        let mut out = [0; 52];
        m.read(99, &mut out).unwrap();
        assert_eq!((out[0], out[1], out[50], out[51]), (0, 9, 9, 0));
        // Elsewhere in a page than in the file's; after the file; after the region; over another's pages.
        for parts in [
            vec![part(page + 32, 10, 64)],
            vec![part(0, page, 3 * page)],
            vec![part(page, 1, u64::MAX / page * page)],
            vec![part(4 * page, page + 1, 0)],
            vec![a, part(2 * page + 64, 8, 64)],
        ] {
            assert!(matches!(over(5 * page, &parts), Err(DeviceError::Map { .. })), "{parts:?}");
        }
    }

    /// A token's keys lie at the beginning of every layer's part: no more of the cache may become memory.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_cache_takes_memory_as_it_is_filled() {
        let decl = RegionDecl { region: None, name: "test", kind: RegionKind::Cache, bytes: 16 << 20 };
        let m = Mapping::new(&decl, &Arc::new(Gate::default())).unwrap();
        for part in 0..8 {
            m.write(part << 21, &[1; 64]).unwrap();
        }
        let page = file_pages().unwrap();
        let mut resident = vec![0u8; (m.bytes() / page) as usize];
        // SAFETY: the mapping's own pages, and a byte for each.
        let asked = unsafe { libc::mincore(m.ptr().cast(), m.len, resident.as_mut_ptr()) };
        assert_eq!(asked, 0);
        assert_eq!(resident.iter().filter(|r| **r & 1 == 1).count(), 8);
    }

    #[test]
    fn accesses_outside_are_refused() {
        let m = region(100);
        assert!(matches!(m.write(99, &[1, 2]), Err(DeviceError::Range { .. })));
        assert!(matches!(m.read(u64::MAX, &mut [0]), Err(DeviceError::Range { .. })));
        m.write(98, &[1, 2]).unwrap();
        let mut out = [0; 2];
        m.read(98, &mut out).unwrap();
        assert_eq!(out, [1, 2]);
    }

    #[test]
    fn overlapping_host_writes_are_refused() {
        let m = region(100);
        m.fill(0, 50, &mut |_| {
            assert!(matches!(m.write(49, &[0]), Err(DeviceError::Overlap { .. })));
            m.write(50, &[7]).unwrap();
            Ok(())
        })
        .unwrap();
        m.write(49, &[3]).unwrap();
    }

    #[test]
    fn hosts_wait_for_jobs_on_their_own_memory_only() {
        let gate = Arc::new(Gate::default());
        let decl = RegionDecl { region: None, name: "test", kind: RegionKind::Persistent, bytes: 100 };
        let (ours, other) = (Mapping::new(&decl, &gate).unwrap(), Mapping::new(&decl, &gate).unwrap());
        let job: Ranges = Arc::new([ours.addresses()]);
        gate.enter(&job);
        other.write(0, &[1]).unwrap();
        std::thread::scope(|s| {
            let write = s.spawn(|| ours.write(0, &[1]));
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(!write.is_finished());
            gate.leave(&job);
            write.join().unwrap().unwrap();
        });
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        for bytes in [u64::MAX / 2, u64::MAX] {
            let decl = RegionDecl { region: None, name: "huge", kind: RegionKind::Persistent, bytes };
            let e = Mapping::new(&decl, &Arc::new(Gate::default())).unwrap_err();
            assert!(e.to_string().contains("huge"), "{e}");
        }
    }
}
