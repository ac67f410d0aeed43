//! The machine's read bandwidth, measured with the workers that decode: the peak that profiles compare with.

use super::barrier::Broken;
use super::first_touch::place;
use super::memory::{Gate, Mapping, Ranges};
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

/// Streams that are read side by side, so that loads and not one chain of sums set the pace.
const STREAMS: usize = 4;

// Written out: whether a compiler makes one load of eight words out of a loop changes from build to build.

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn read_avx512(words: &[u64]) -> u64 {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_setzero_si512, _mm512_xor_si512};
    let mut sums = [_mm512_setzero_si512(); STREAMS];
    let stream = words.len() / STREAMS / 8 * 8;
    for i in (0..stream).step_by(8) {
        for (s, sum) in sums.iter_mut().enumerate() {
            // SAFETY: 8 words from `s * stream + i` end at most at `STREAMS * stream`, which is at most the slice's length.
            let v = unsafe { _mm512_loadu_si512(words.as_ptr().add(s * stream + i).cast()) };
            *sum = _mm512_xor_si512(*sum, v);
        }
    }
    // SAFETY: both are 256 bytes without invalid values.
    let sums: [u64; 8 * STREAMS] = unsafe { std::mem::transmute(sums) };
    sums.iter().fold(0, |x, y| x ^ y)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn read_avx2(words: &[u64]) -> u64 {
    use std::arch::x86_64::{_mm256_loadu_si256, _mm256_setzero_si256, _mm256_xor_si256};
    let mut sums = [_mm256_setzero_si256(); STREAMS];
    let stream = words.len() / STREAMS / 4 * 4;
    for i in (0..stream).step_by(4) {
        for (s, sum) in sums.iter_mut().enumerate() {
            // SAFETY: 4 words from `s * stream + i` end at most at `STREAMS * stream`, which is at most the slice's length.
            let v = unsafe { _mm256_loadu_si256(words.as_ptr().add(s * stream + i).cast()) };
            *sum = _mm256_xor_si256(*sum, v);
        }
    }
    // SAFETY: both are 128 bytes without invalid values.
    let sums: [u64; 4 * STREAMS] = unsafe { std::mem::transmute(sums) };
    sums.iter().fold(0, |x, y| x ^ y)
}

/// The same with whatever the compiler makes of it.
fn fold(words: &[u64]) -> u64 {
    let mut sums = [[0u64; 8]; STREAMS];
    let (blocks, _) = words.as_chunks::<8>();
    let stream = blocks.len() / STREAMS;
    for i in 0..stream {
        for (s, sum) in sums.iter_mut().enumerate() {
            for (x, y) in sum.iter_mut().zip(&blocks[s * stream + i]) {
                *x ^= y;
            }
        }
    }
    sums.iter().flatten().fold(0, |x, y| x ^ y)
}

/// Bytes per second; `None` where the memory for it cannot be had.
pub(crate) fn measure(pool: &Pool, gate: &Arc<Gate>) -> Option<f64> {
    let decl = RegionDecl { region: None, name: "bandwidth", kind: RegionKind::Scratch, bytes: BYTES as u64 };
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

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn every_version_reads_every_word() {
        let mut words = vec![0u64; 4 * 8 * 5];
        assert_eq!(read(&words), 0);
        for i in 0..words.len() {
            words[i] = 1 << 63 | 1 << (i % 63);
            assert_eq!((read(&words), fold(&words)), (words[i], words[i]), "word {i}");
            words[i] = 0;
        }
    }
}
