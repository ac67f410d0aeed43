//! First touch: on machines with several memory nodes a page lies on the node of the thread that touches it first, so workers
//! touch what they will read.

use super::barrier::Broken;
use super::memory::{Mapping, Ranges};
use super::pages::HUGE;
use super::pool::{End, Job, Member, Needs, Pool};
use crate::{DeviceError, Memory};
use akunu_kernels::cpu::share;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// What each worker touches first so that memory lies where it is read: its share of every range, in whole pages.
/// `ranges` are disjoint and shared evenly by those who read them; `base` is the address of byte 0. A page belongs to
/// the worker that reads its middle, so no page has two.
fn first_touch(base: usize, ranges: &[Range<u64>], workers: u32, page: usize) -> Vec<Vec<Range<usize>>> {
    let mut plan = vec![Vec::new(); workers as usize];
    // The first page whose middle lies at or after an address.
    let first = |address: usize| address.saturating_sub(page / 2).div_ceil(page) * page;
    for r in ranges {
        let start = base + r.start as usize;
        for (w, pages) in plan.iter_mut().enumerate() {
            let share = share((r.end - r.start) as usize, w as u32, workers);
            let touched = first(start + share.start)..first(start + share.end);
            if !touched.is_empty() {
                pages.push(touched);
            }
        }
    }
    plan
}

/// What a touch brings into memory at least.
const PAGE: usize = 4096;

/// Every worker touches its share of the ranges; what they hold stays. For a region that is filled afterwards. Does
/// nothing where all workers are on one node.
pub(crate) fn place(pool: &Pool, region: &Arc<dyn Memory>, ranges: &[Range<u64>]) -> Result<(), DeviceError> {
    let mapping = region.as_any().downcast_ref::<Mapping>().filter(|m| m.is_behind(pool.gate()));
    let mapping = mapping.ok_or(DeviceError::Foreign { what: "region" })?;
    for r in ranges {
        if r.start > r.end || r.end > mapping.bytes() {
            let len = r.end.saturating_sub(r.start);
            return Err(DeviceError::Range { offset: r.start, len, bytes: mapping.bytes() });
        }
    }
    if pool.nodes() < 2 {
        return Ok(());
    }
    let addresses = mapping.addresses();
    let page = if mapping.has_huge_pages() { HUGE } else { PAGE };
    let touch = Arc::new(Touch {
        plan: first_touch(addresses.start, ranges, pool.workers(), page),
        ranges: Arc::new([addresses]),
        region: Arc::clone(region),
        done: Mutex::new(false),
        ended: Condvar::new(),
    });
    pool.submit(Arc::<Touch>::clone(&touch));
    let mut done = touch.done.lock().unwrap_or_else(PoisonError::into_inner);
    while !*done {
        done = touch.ended.wait(done).unwrap_or_else(PoisonError::into_inner);
    }
    // A worker that failed has touched less, and will say so to whoever asks it for results.
    Ok(())
}

struct Touch {
    plan: Vec<Vec<Range<usize>>>,
    ranges: Ranges,
    /// Keeps the addresses valid.
    region: Arc<dyn Memory>,
    done: Mutex<bool>,
    ended: Condvar,
}

impl Job for Touch {
    fn run(&self, member: &mut Member<'_>) -> Result<End, Broken> {
        let Some(mapping) = self.region.as_any().downcast_ref::<Mapping>() else { return Ok(End::Finished) };
        let all = mapping.addresses();
        for pages in &self.plan[member.worker as usize] {
            for page in (pages.start..pages.end).step_by(PAGE).filter(|p| all.contains(p)) {
                // SAFETY: the address is inside the mapping, which `region` keeps. The gate keeps hosts out while
                // this job runs, no other job runs, and workers that were given the same page meet in an atomic.
                let byte = unsafe { AtomicU8::from_ptr(mapping.ptr().add(page - all.start)) };
                let held = byte.load(Ordering::Relaxed);
                // A page that was only read lies nowhere yet; this writes, whatever it finds.
                let _ = byte.compare_exchange(held, held, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
        Ok(End::Finished)
    }

    fn needs(&self) -> Needs {
        Needs::AllWorkers
    }

    fn ranges(&self) -> &Ranges {
        &self.ranges
    }

    fn finish(&self) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ended.notify_all();
    }

    fn fail(&self) {}
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::super::memory::Gate;
    use super::super::placement::Placement;
    use super::super::pool::AWAKE;
    use super::*;
    use akunu_plan::{RegionDecl, RegionKind};

    #[test]
    fn a_worker_touches_the_pages_it_reads() {
        const PAGE: usize = 4096;
        let base = 16 * PAGE;
        // Two matrices of eight pages: each worker has the same half of both.
        let size = 8 * PAGE as u64;
        let plan = first_touch(base, &[0..size, size..2 * size], 2, PAGE);
        let pages = |p: Range<usize>| base + p.start * PAGE..base + p.end * PAGE;
        assert_eq!(plan, [[pages(0..4), pages(8..12)], [pages(4..8), pages(12..16)]]);
    }

    #[test]
    fn every_page_has_the_worker_that_reads_its_middle() {
        const PAGE: usize = 4096;
        let base = 7 * PAGE + 256;
        let ranges = [100u64..5000, 5000..5001, 6000..200_000, 250_000..300_000];
        for workers in [1, 2, 3, 7, 64] {
            let plan = first_touch(base, &ranges, workers, PAGE);
            for page in (base / PAGE)..(base + 300_000).div_ceil(PAGE) {
                let owners: Vec<_> = (0..workers as usize)
                    .filter(|w| plan[*w].iter().any(|r| r.contains(&(page * PAGE))))
                    .collect();
                let reader = ranges.iter().find_map(|r| {
                    let middle = (page * PAGE + PAGE / 2).checked_sub(base)? as u64;
                    let at = r.contains(&middle).then(|| (middle - r.start) as usize)?;
                    let n = (r.end - r.start) as usize;
                    let holds = |w: &u32| akunu_kernels::cpu::share(n, *w, workers).contains(&at);
                    (0..workers).find(holds).map(|w| w as usize)
                });
                assert_eq!(owners, Vec::from_iter(reader), "page {page} of {workers} workers");
            }
        }
    }

    /// A pool on one machine that takes its workers to be on two nodes.
    fn pool(gate: &Arc<Gate>) -> Pool {
        Pool::new(Placement { workers: vec![Vec::new(); 3], nodes: 2 }, AWAKE, Arc::clone(gate)).unwrap()
    }

    fn region(bytes: u64, gate: &Arc<Gate>) -> Arc<dyn Memory> {
        let decl = RegionDecl { region: None, name: "test", kind: RegionKind::Weights, bytes };
        Arc::new(Mapping::new(&decl, gate).unwrap())
    }

    #[test]
    fn placing_keeps_what_is_there() {
        let gate = Arc::new(Gate::default());
        let pool = pool(&gate);
        for bytes in [1u64, 100_000, 5 << 20] {
            let r = region(bytes, &gate);
            let pattern: Vec<u8> = (0..bytes).map(|i| (i % 251) as u8).collect();
            r.write(0, &pattern).unwrap();
            // Overlapping ranges make no sense, but must do no harm.
            place(&pool, &r, &[0..bytes, bytes / 3..bytes, 0..0]).unwrap();
            let mut out = vec![0; bytes as usize];
            r.read(0, &mut out).unwrap();
            assert!(out == pattern);
        }
    }

    #[test]
    fn impossible_places_are_refused() {
        let gate = Arc::new(Gate::default());
        let pool = pool(&gate);
        let r = region(100, &gate);
        for range in [0..101, 101..101, u64::MAX - 1..u64::MAX] {
            assert!(matches!(place(&pool, &r, &[range]), Err(DeviceError::Range { .. })));
        }
        let reversed = Range { start: 50, end: 40 };
        assert!(matches!(place(&pool, &r, &[reversed]), Err(DeviceError::Range { .. })));
        let other = region(100, &Arc::new(Gate::default()));
        assert!(matches!(place(&pool, &other, &[]), Err(DeviceError::Foreign { .. })));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn every_page_of_a_placed_range_is_in_memory() {
        let gate = Arc::new(Gate::default());
        let pool = pool(&gate);
        // Small enough for small pages, so that the system counts each.
        let r = region(100 * PAGE as u64, &gate);
        let resident = || {
            let m: &Mapping = r.as_any().downcast_ref().unwrap();
            let mut pages = [0u8; 100];
            // SAFETY: the mapping has 100 pages, and the vector a byte for each.
            let rc = unsafe { libc::mincore(m.ptr().cast(), 100 * PAGE, pages.as_mut_ptr()) };
            assert_eq!(rc, 0);
            pages.map(|p| p & 1)
        };
        assert_eq!(resident().iter().sum::<u8>(), 0);
        let inner = 10 * PAGE as u64..90 * PAGE as u64;
        place(&pool, &r, &[inner]).unwrap();
        let resident = resident();
        assert!(resident[10..90].iter().all(|p| *p == 1));
        assert!(resident[..10].iter().chain(&resident[90..]).all(|p| *p == 0));
    }
}
