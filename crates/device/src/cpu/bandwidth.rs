//! The machine's read bandwidth, measured with the workers that decode: the peak that profiles compare with.

use super::barrier::Broken;
use super::memory::{Gate, Mapping, Ranges};
use super::placement::place;
use super::pool::{End, Job, Member, Needs, Pool};
use crate::Memory;
use akunu_kernels::cpu::share;
use akunu_plan::{RegionDecl, RegionKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// Bytes per pass: larger than any cache that a few cores share for long.
const BYTES: usize = 1 << 30;
/// Passes; the best counts, since other load only ever takes bandwidth away.
const PASSES: usize = 5;

struct Pass {
    region: Arc<Mapping>,
    ranges: Ranges,
    /// Keeps the reads from being removed.
    sum: AtomicU64,
    seconds: Mutex<Option<f64>>,
    ended: Condvar,
}

impl Job for Pass {
    fn run(&self, member: &mut Member<'_>) -> Result<End, Broken> {
        let lines = share(BYTES / 64, member.worker, member.team);
        // SAFETY: the region is BYTES long, aligned to a page, and only read while this job runs.
        let words = unsafe {
            std::slice::from_raw_parts(self.region.ptr().cast::<u64>().add(lines.start * 8), lines.len() * 8)
        };
        member.cross()?;
        let start = Instant::now();
        self.sum.fetch_add(read(words), Ordering::Relaxed);
        member.cross()?;
        if member.worker == 0 {
            *self.seconds.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(start.elapsed().as_secs_f64());
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
        self.ended.notify_all();
    }

    fn fail(&self) {
        *self.seconds.lock().unwrap_or_else(PoisonError::into_inner) = Some(f64::NAN);
    }
}

/// Reads every word, with the widest loads of the machine.
fn read(words: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the feature was just found.
            return unsafe { read_avx512(words) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the feature was just found.
            return unsafe { read_avx2(words) };
        }
    }
    fold(words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn read_avx512(words: &[u64]) -> u64 {
    fold(words)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn read_avx2(words: &[u64]) -> u64 {
    fold(words)
}

/// Exclusive or of all words, four independent streams of it, so that loads and not one chain set the pace.
#[inline(always)]
fn fold(words: &[u64]) -> u64 {
    let mut s = [[0u64; 8]; 4];
    let quarter = words.len() / 4 / 8 * 8;
    let (a, rest) = words.split_at(quarter);
    let (b, rest) = rest.split_at(quarter);
    let (c, d) = rest.split_at(quarter);
    for i in (0..quarter).step_by(8) {
        for (sum, part) in s.iter_mut().zip([a, b, c, d]) {
            for (x, y) in sum.iter_mut().zip(&part[i..i + 8]) {
                *x ^= y;
            }
        }
    }
    s.iter().flatten().fold(0, |x, y| x ^ y)
}

/// Bytes per second; `None` where the memory for it cannot be had.
pub(crate) fn measure(pool: &Pool, gate: &Arc<Gate>) -> Option<f64> {
    let decl = RegionDecl { name: "bandwidth", kind: RegionKind::Scratch, bytes: BYTES as u64 };
    let region = Arc::new(Mapping::new(&decl, gate).ok()?);
    let memory: Arc<dyn Memory> = Arc::<Mapping>::clone(&region);
    let all = 0..BYTES as u64;
    place(pool, &memory, &[all]).ok()?;
    // SAFETY: nobody else knows the region yet. Written, or every page would be the same zero page.
    unsafe { std::ptr::write_bytes(region.ptr(), 1, BYTES) };
    let mut best = 0f64;
    for _ in 0..PASSES {
        let pass = Arc::new(Pass {
            region: Arc::clone(&region),
            ranges: Arc::new([region.addresses()]),
            sum: AtomicU64::new(0),
            seconds: Mutex::new(None),
            ended: Condvar::new(),
        });
        pool.submit(Arc::<Pass>::clone(&pass));
        let mut s = pass.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = loop {
            match *s {
                Some(v) => break v,
                None => s = pass.ended.wait(s).unwrap_or_else(PoisonError::into_inner),
            }
        };
        if seconds > 0.0 {
            best = best.max(BYTES as f64 / seconds);
        }
    }
    (best > 0.0).then_some(best)
}
