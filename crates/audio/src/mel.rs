//! Log-mel frames: the power of 25 ms every 10 ms, gathered in triangles that are evenly spaced on the mel scale of Slaney's Auditory
//! Toolbox (1998), each of the same area, as `librosa.filters.mel` and Whisper have them.

use crate::RATE;
use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};
use std::sync::Arc;

/// Samples from one frame to the next.
pub const HOP: usize = 160;
/// Samples of a frame.
const WIDTH: usize = 400;
/// Power below this counts as this.
const FLOOR: f64 = 1e-10;
/// Its logarithm, which all values of a frame have where nothing sounds.
pub(crate) const SILENCE: f32 = -10.0;

/// Samples to frames, as they come. Frame i is centred on sample 160 i; before the first sample the audio is mirrored, after the last one
/// it is silent.
pub struct LogMel {
    filters: Vec<Filter>,
    window: Vec<f64>,
    fft: Arc<dyn RealToComplex<f64>>,
    scratch: Vec<Complex<f64>>,
    /// Samples from 200 before the next frame's centre on; before the audio's begin the mirrored ones.
    samples: Vec<f32>,
    /// Whether the mirrored samples are there.
    begun: Begun,
    /// Samples that came.
    taken: u64,
    /// Frames that went.
    given: u64,
}

/// Whether the first frame's left half is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    No,
    Yes,
}

/// A triangle: the first bin that it touches and the weights from there on.
struct Filter {
    first: usize,
    weights: Vec<f64>,
}

impl std::fmt::Debug for LogMel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogMel").field("mels", &self.filters.len()).finish_non_exhaustive()
    }
}

impl LogMel {
    /// Of so many mel bins.
    pub fn new(mels: usize) -> Self {
        let fft = RealFftPlanner::new().plan_fft_forward(WIDTH);
        let turn = |i: usize| std::f64::consts::TAU * i as f64 / WIDTH as f64;
        Self {
            filters: filters(mels),
            window: (0..WIDTH).map(|i| 0.5 - 0.5 * turn(i).cos()).collect(),
            scratch: fft.make_scratch_vec(),
            fft,
            samples: Vec::new(),
            begun: Begun::No,
            taken: 0,
            given: 0,
        }
    }

    /// Appends the frames that these samples complete, `[frames, mels]`: the decimal logarithm of power.
    pub fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        self.taken += samples.len() as u64;
        self.samples.extend_from_slice(samples);
        if self.begun == Begun::No {
            if self.samples.len() <= WIDTH / 2 {
                return;
            }
            self.mirror();
        }
        self.frames(out);
    }

    /// Appends the last frames: one for each 160 samples that came.
    pub fn finish(mut self, out: &mut Vec<f32>) {
        if self.begun == Begun::No {
            self.samples.resize(self.samples.len().max(WIDTH / 2 + 1), 0.0);
            self.mirror();
        }
        self.samples.resize(self.samples.len() + WIDTH, 0.0);
        let all = self.taken / HOP as u64;
        let more = all.saturating_sub(self.given) as usize;
        let most = out.len() + more * self.filters.len();
        self.frames(out);
        out.truncate(most);
    }

    fn mirror(&mut self) {
        let mut whole: Vec<f32> = self.samples[1..=WIDTH / 2].iter().rev().copied().collect();
        whole.append(&mut self.samples);
        (self.samples, self.begun) = (whole, Begun::Yes);
    }

    fn frames(&mut self, out: &mut Vec<f32>) {
        let (mut input, mut spectrum) = (self.fft.make_input_vec(), self.fft.make_output_vec());
        let mut power = vec![0f64; spectrum.len()];
        let mut at = 0;
        while let Some(samples) = self.samples.get(at..at + WIDTH) {
            for ((to, v), w) in input.iter_mut().zip(samples).zip(&self.window) {
                *to = f64::from(*v) * w;
            }
            // (All buffers are the plan's own.)
            if self.fft.process_with_scratch(&mut input, &mut spectrum, &mut self.scratch).is_err() {
                return;
            }
            power.iter_mut().zip(&spectrum).for_each(|(p, c)| *p = c.norm_sqr());
            out.extend(self.filters.iter().map(|f| {
                let sum: f64 = f.weights.iter().zip(&power[f.first..]).map(|(w, p)| w * p).sum();
                sum.max(FLOOR).log10() as f32
            }));
            (at, self.given) = (at + HOP, self.given + 1);
        }
        self.samples.drain(..at);
    }
}

/// A frequency on Slaney's scale: linear up to 1 kHz, logarithmic above.
fn mel_of(hz: f64) -> f64 {
    if hz < 1000.0 { hz * 3.0 / 200.0 } else { 15.0 + (hz / 1000.0).ln() * 27.0 / 6.4f64.ln() }
}

fn hz_of(mel: f64) -> f64 {
    if mel < 15.0 { mel * 200.0 / 3.0 } else { 1000.0 * ((mel - 15.0) * 6.4f64.ln() / 27.0).exp() }
}

fn filters(mels: usize) -> Vec<Filter> {
    let (bins, top) = (WIDTH / 2 + 1, f64::from(RATE) / 2.0);
    let corner = |i: usize| hz_of(mel_of(top) * i as f64 / (mels + 1) as f64);
    let hz = |bin: usize| top * bin as f64 / (bins - 1) as f64;
    let filter = |i: usize| {
        let [low, middle, high] = [corner(i), corner(i + 1), corner(i + 2)];
        let weight = |bin: usize| {
            let (rise, fall) = ((hz(bin) - low) / (middle - low), (high - hz(bin)) / (high - middle));
            rise.min(fall).max(0.0) * 2.0 / (high - low)
        };
        let first = (0..bins).find(|b| weight(*b) > 0.0).unwrap_or(0);
        let weights = (first..bins).map(weight).take_while(|w| *w > 0.0).collect();
        Filter { first, weights }
    };
    (0..mels).map(filter).collect()
}

/// The filters of so many bins as models of speech have them in their files, `[mels, 201]` for the frequencies of a Fourier transform of
/// 400 samples: Slaney's triangles, each of the same area.
pub fn filter_bank(mels: usize) -> Vec<f32> {
    let bins = WIDTH / 2 + 1;
    let row = |f: Filter| {
        let mut row = vec![0.0; bins];
        row[f.first..].iter_mut().zip(&f.weights).for_each(|(to, w)| *to = *w as f32);
        row
    };
    filters(mels).into_iter().flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However the samples come, the frames are the same, and one for each 160 of them.
    #[test]
    fn frames_do_not_depend_on_the_pieces() {
        let tone = |i: usize| (i as f32 * 0.37).sin() * 0.3 + (i as f32 * 0.011).cos() * 0.1;
        for n in [0usize, 1, 159, 160, 200, 201, 399, 400, 4000, 16_123] {
            let samples: Vec<f32> = (0..n).map(tone).collect();
            let all: Vec<Vec<f32>> = [1usize, 7, 160, 5000]
                .into_iter()
                .map(|piece| {
                    let (mut mel, mut out) = (LogMel::new(80), Vec::new());
                    samples.chunks(piece).for_each(|c| mel.push(c, &mut out));
                    mel.finish(&mut out);
                    out
                })
                .collect();
            assert_eq!(all[0].len(), n / 160 * 80, "{n}");
            assert!(all.iter().all(|a| *a == all[0]), "{n}");
        }
    }

    /// A tone is loudest in the bin whose triangle it stands in.
    #[test]
    fn a_tone_is_in_its_bin() {
        for mels in [80usize, 128] {
            for hz in [300.0f64, 1000.0, 4000.0] {
                let tone = |i: usize| (std::f64::consts::TAU * hz * i as f64 / 16_000.0).sin() as f32;
                let samples: Vec<f32> = (0..1600).map(tone).collect();
                let (mut mel, mut out) = (LogMel::new(mels), Vec::new());
                mel.push(&samples, &mut out);
                let frame = &out[4 * mels..5 * mels];
                let best = (0..mels).max_by(|a, b| frame[*a].total_cmp(&frame[*b])).unwrap();
                let place = mel_of(hz) / mel_of(8000.0) * (mels + 1) as f64 - 1.0;
                assert!((best as f64 - place).abs() < 1.5, "{hz} of {mels}: {best}, not {place}");
            }
        }
    }
}
