//! Brings what was filled on small pages, because huge ones were cold, to huge pages.

use super::cold::{system, within};
use super::memory::Mapping;
use super::pages::HUGE;
use crate::Memory;
use std::sync::{Arc, Barrier, PoisonError, Weak};
use std::time::Duration;

/// Pause before each block that is brought to a huge page, and between two looks whether a table runs.
const PAUSE: Duration = Duration::from_millis(50);
/// Looks after which a block is brought to a huge page although tables run. Each block takes 5 ms of a core where the page is cold: a tenth
/// of the core's time with a block every pause, which a prompt on two cores feels, and half a percent with one a second.
const LOOKS: u32 = 20;

/// Begins to bring what is on small pages to huge ones, mostly while nothing runs, as `busy` says. Ends by itself, at the latest when the
/// region is gone.
pub(super) fn mend(region: &Arc<dyn Memory>, busy: impl Fn() -> bool + Send + 'static) {
    let Some(mapping) = region.as_any().downcast_ref::<Mapping>() else { return };
    let blocks = std::mem::take(&mut *mapping.cold().small.lock().unwrap_or_else(PoisonError::into_inner));
    if blocks.is_empty() {
        return;
    }
    for block in &blocks {
        system::allow_huge(within(&mapping.pages(), *block));
    }
    let region = Arc::downgrade(region);
    let thread = std::thread::Builder::new().name("akunu-pages".into());
    let begun = Arc::new(Barrier::new(2));
    let begins = Arc::clone(&begun);
    let run = move || {
        begins.wait();
        blocks.iter().all(|block| mend_block(&region, *block, &busy))
    };
    // Where there is no thread to be had, the system's own does it, later. A thread allocates while it begins: that belongs to loading, and
    // on a busy machine it would come while tokens are drawn.
    if thread.spawn(run).is_ok() {
        begun.wait();
    }
}

/// Brings one block to a huge page. Returns whether the next may follow.
fn mend_block(region: &Weak<dyn Memory>, block: usize, busy: &impl Fn() -> bool) -> bool {
    for _ in 0..LOOKS {
        std::thread::sleep(PAUSE);
        if !busy() || region.strong_count() == 0 {
            break;
        }
    }
    let Some(region) = region.upgrade() else { return false };
    let Some(mapping) = region.as_any().downcast_ref::<Mapping>() else { return false };
    let pages = mapping.pages();
    // Blocks at the ends may be the region's in part only; they stay on small pages.
    within(&pages, block).len() < HUGE || system::collapse(block)
}

#[cfg(test)]
#[cfg(not(loom))]
#[cfg(target_os = "linux")]
mod tests {
    use super::super::cold::MOST;
    use super::super::memory::Gate;
    use super::*;
    use akunu_plan::{RegionDecl, RegionKind};
    use std::sync::atomic::{AtomicU32, Ordering};

    fn region(bytes: usize) -> Arc<dyn Memory> {
        let bytes = bytes as u64;
        let decl = RegionDecl { region: None, name: "test", kind: RegionKind::Weights, bytes };
        Arc::new(Mapping::new(&decl, &Arc::new(Gate::default())).unwrap())
    }

    fn mapping(region: &Arc<dyn Memory>) -> &Mapping {
        region.as_any().downcast_ref().unwrap()
    }

    /// Bytes of a region on huge pages.
    fn huge(region: &Arc<dyn Memory>) -> usize {
        let pages = mapping(region).pages();
        let text = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let (mut within, mut kib) = (false, 0);
        for line in text.lines() {
            let range = line.split(' ').next().and_then(|r| r.split_once('-'));
            let range = range.and_then(|(a, b)| {
                Some((usize::from_str_radix(a, 16).ok()?, usize::from_str_radix(b, 16).ok()?))
            });
            if let Some((start, end)) = range {
                within = pages.start <= start && end <= pages.end;
            } else if let Some(n) = line.strip_prefix("AnonHugePages:").filter(|_| within) {
                kib += n.trim().trim_end_matches(" kB").parse::<usize>().unwrap();
            }
        }
        kib << 10
    }

    fn fill(region: &Arc<dyn Memory>, at: u64, len: u64) {
        let mut pattern = |bytes: &mut [u8]| {
            bytes.iter_mut().zip(at..).for_each(|(b, i)| *b = (i % 251) as u8);
            Ok(())
        };
        region.fill(at, len, &mut pattern).unwrap();
    }

    /// From the first cold page on a region is on small pages, whose content outlives what follows.
    #[test]
    fn what_follows_a_cold_page_is_small_and_is_mended() {
        const BLOCKS: usize = 4;
        let size = (BLOCKS * HUGE) as u64;
        let (cold, warm) = (region(BLOCKS * HUGE), region(BLOCKS * HUGE));
        mapping(&cold).cold().seen.store(true, Ordering::Relaxed);
        for r in [&cold, &warm] {
            // In two parts that meet within a block.
            fill(r, 0, size / 2 + 100);
            fill(r, size / 2 + 100, size / 2 - 100);
        }
        if huge(&warm) == 0 {
            // No huge pages on this machine.
            return;
        }
        assert_eq!(huge(&cold), 0);
        let blocks = mapping(&cold).cold().small.lock().unwrap().clone();
        assert!((BLOCKS..=BLOCKS + 1).contains(&blocks.len()), "{blocks:x?}");
        let whole = blocks
            .iter()
            .filter(|b| mapping(&cold).pages().start <= **b && **b + HUGE <= mapping(&cold).pages().end);
        let whole = whole.count();
        mend(&cold, || false);
        let begun = std::time::Instant::now();
        while huge(&cold) < whole * HUGE && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(PAUSE);
        }
        assert_eq!(huge(&cold), whole * HUGE);
        let mut out = vec![0; size as usize];
        cold.read(0, &mut out).unwrap();
        assert!((0..).zip(&out).all(|(i, b)| *b == (i % 251) as u8));
    }

    /// A byte makes memory of its whole block, and a block is huge as soon as it is collected: long before the system's own thread comes by.
    #[test]
    fn a_block_is_one_piece() {
        let (cold, warm) = (region(3 * HUGE), region(3 * HUGE));
        mapping(&cold).cold().seen.store(true, Ordering::Relaxed);
        let block = mapping(&cold).pages().start.next_multiple_of(HUGE);
        fill(&cold, (block - mapping(&cold).pages().start) as u64 + 5, 1);
        fill(&warm, 0, 3 * HUGE as u64);
        let mut resident = vec![0u8; HUGE / 4096];
        // SAFETY: pages of the region, and a byte for each; pages are of 4 KiB at least.
        let asked = unsafe {
            libc::mincore(std::ptr::with_exposed_provenance_mut(block), HUGE, resident.as_mut_ptr())
        };
        assert_eq!(asked, 0);
        let page = super::super::pages::file_pages().unwrap() as usize;
        assert!(resident[..HUGE / page].iter().all(|r| r & 1 == 1));
        if huge(&warm) == 0 {
            return;
        }
        system::allow_huge(block..block + HUGE);
        // The system may be busy with one of the pages.
        let tries = (0..20).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            system::collapse(block) && huge(&cold) == HUGE
        });
        assert!(tries);
    }

    /// Memory that is written meanwhile loses nothing.
    #[test]
    fn blocks_can_be_used_while_they_are_mended() {
        let cold = region(3 * HUGE);
        mapping(&cold).cold().seen.store(true, Ordering::Relaxed);
        fill(&cold, 0, 3 * HUGE as u64);
        mend(&cold, || false);
        let begun = std::time::Instant::now();
        let mut round = 0u8;
        while begun.elapsed() < 5 * PAUSE {
            round = round.wrapping_add(1);
            for at in (0..3 * HUGE as u64).step_by(4096) {
                cold.write(at, &[round]).unwrap();
            }
            for at in (0..3 * HUGE as u64).step_by(4096) {
                let mut byte = [0];
                cold.read(at, &mut byte).unwrap();
                assert_eq!(byte[0], round);
            }
        }
    }

    #[test]
    fn a_region_that_is_gone_is_left_alone() {
        let cold = region(3 * HUGE);
        fill(&cold, 0, 3 * HUGE as u64);
        let weak = Arc::downgrade(&cold);
        assert!(mend_block(&weak, mapping(&cold).pages().start.next_multiple_of(HUGE), &|| false));
        drop(cold);
        assert!(!mend_block(&weak, HUGE, &|| false));
    }

    /// A block waits while tables run, but not for ever, and not for a region that is gone.
    #[test]
    fn blocks_wait_for_a_quiet_moment() {
        let cold = region(3 * HUGE);
        fill(&cold, 0, 3 * HUGE as u64);
        let weak = Arc::downgrade(&cold);
        let block = mapping(&cold).pages().start.next_multiple_of(HUGE);
        let looks = AtomicU32::new(0);
        assert!(mend_block(&weak, block, &|| looks.fetch_add(1, Ordering::Relaxed) < 3));
        assert_eq!(looks.swap(0, Ordering::Relaxed), 4);
        let always = || looks.fetch_add(1, Ordering::Relaxed) < u32::MAX;
        assert!(mend_block(&weak, block, &always));
        assert_eq!(looks.swap(0, Ordering::Relaxed), LOOKS);
        drop(cold);
        assert!(!mend_block(&weak, block, &always));
        assert_eq!(looks.load(Ordering::Relaxed), 1);
    }

    /// Nothing is touched for no bytes, wherever they begin.
    #[test]
    fn no_bytes_are_no_memory() {
        let r = region(2 * HUGE);
        r.fill(2 * HUGE as u64, 0, &mut |_| Ok(())).unwrap();
        r.fill(5, 0, &mut |_| Ok(())).unwrap();
        assert_eq!(huge(&r), 0);
    }

    /// No more than what the system is likely to have is put on small pages.
    #[test]
    fn small_pages_have_a_limit() {
        let cold = region(3 * HUGE);
        let all = mapping(&cold).cold();
        all.seen.store(true, Ordering::Relaxed);
        *all.small.lock().unwrap() = (0..MOST).collect();
        fill(&cold, 0, 3 * HUGE as u64);
        assert_eq!(all.small.lock().unwrap().len(), MOST);
    }
}
