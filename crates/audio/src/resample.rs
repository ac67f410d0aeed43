//! Any rate to 16 kHz.

use crate::RATE;
use rubato::audioadapter::Adapter;
use rubato::audioadapter_buffers::direct::SequentialSlice;
use rubato::{Fft, FixedSync, Indexing, Resampler as _, WindowFunction};

/// Samples of the source that are converted at a time, at least.
const CHUNK: usize = 512;

/// The largest number that divides both (Euclid).
fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// One channel of a rate to 16 kHz; 16 kHz passes through as it is.
pub(crate) struct Resampler {
    rate: u32,
    fft: Option<Fft<f32>>,
    /// Samples that wait for a whole chunk.
    waiting: Vec<f32>,
    /// Samples of the filter's delay, which are not passed on.
    delay: usize,
    /// Samples that came and went.
    taken: u64,
    given: u64,
}

impl Resampler {
    /// Of a rate, which the caller has checked.
    pub(crate) fn new(rate: u32) -> Self {
        // (It fails for a rate of zero alone.)
        // The delay is half a chunk, so a chunk has an even number of samples on both sides.
        let step = 2 * rate as usize / common_divisor(rate, RATE) as usize;
        let made = |chunk| {
            let (from, to) = (rate as usize, RATE as usize);
            Fft::new_custom(from, to, chunk, 1, 1, WindowFunction::BlackmanHarris2, FixedSync::Input)
        };
        let fft = (rate != RATE).then(|| made(CHUNK.next_multiple_of(step)).ok()).flatten();
        let delay = fft.as_ref().map_or(0, |f| f.output_delay());
        Self { rate, fft, waiting: Vec::new(), delay, taken: 0, given: 0 }
    }

    pub(crate) fn rate(&self) -> u32 {
        self.rate
    }

    /// Appends what these samples give.
    pub(crate) fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        self.taken += samples.len() as u64;
        let Some(mut fft) = self.fft.take() else {
            out.extend_from_slice(samples);
            return;
        };
        self.waiting.extend_from_slice(samples);
        let mut at = 0;
        while self.waiting.len() - at >= fft.input_frames_next() {
            at += self.chunk(&mut fft, at, None, out);
        }
        self.waiting.drain(..at);
        self.fft = Some(fft);
    }

    /// Appends what is left, so that the output is as long as the input.
    pub(crate) fn finish(mut self, out: &mut Vec<f32>) {
        let Some(mut fft) = self.fft.take() else { return };
        let want = (self.taken * u64::from(RATE)).div_ceil(u64::from(self.rate));
        let mut rest = self.waiting.len();
        // The delay is at most a chunk's, so that few rounds of silence bring the end out.
        for _ in 0..64 {
            if self.given >= want {
                break;
            }
            self.chunk(&mut fft, 0, Some(rest), out);
            self.waiting.clear();
            rest = 0;
        }
        let more = self.given.saturating_sub(want) as usize;
        out.truncate(out.len().saturating_sub(more));
    }

    /// Converts one chunk of what waits from `at` on, `partial` of it where it is the last; how many samples it took.
    fn chunk(&mut self, fft: &mut Fft<f32>, at: usize, partial: Option<usize>, out: &mut Vec<f32>) -> usize {
        let need = fft.input_frames_next();
        let waiting = &self.waiting[at..];
        let Ok(input) = SequentialSlice::new(waiting, 1, waiting.len()) else { return need };
        let indexing = partial.map(|n| Indexing::new().partial_len(n));
        let Ok(made) = fft.process(&input, indexing.as_ref()) else { return need };
        let skip = self.delay.min(made.frames());
        self.delay -= skip;
        let before = out.len();
        out.extend((skip..made.frames()).filter_map(|i| made.read_sample(0, i)));
        self.given += (out.len() - before) as u64;
        need
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(rate: u32, hz: f32, n: usize) -> Vec<f32> {
        (0..n).map(|i| (i as f32 / rate as f32 * hz * std::f32::consts::TAU).sin()).collect()
    }

    /// A tone stays itself, in place and height, whatever the rate and the pieces that it comes in.
    #[test]
    fn a_tone_stays_in_time_at_every_rate() {
        for rate in [8_000u32, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000] {
            for piece in [1usize, 160, 4096] {
                let input = sine(rate, 440.0, rate as usize / 2);
                let (mut r, mut out) = (Resampler::new(rate), Vec::new());
                input.chunks(piece).for_each(|c| r.push(c, &mut out));
                r.finish(&mut out);
                assert_eq!(out.len(), RATE as usize / 2, "{rate} in pieces of {piece}");
                let want = sine(RATE, 440.0, out.len());
                // (Ends have nothing beside them.)
                for i in 400..out.len() - 400 {
                    assert!((out[i] - want[i]).abs() < 2e-3, "{rate}: sample {i}: {} {}", out[i], want[i]);
                }
            }
        }
    }

    #[test]
    fn short_and_empty_input_keeps_its_length() {
        for n in [0usize, 1, 2, 3, 100] {
            let (mut r, mut out) = (Resampler::new(48_000), Vec::new());
            r.push(&vec![0.5; n], &mut out);
            r.finish(&mut out);
            assert_eq!(out.len(), n.div_ceil(3));
        }
    }
}
