//! Audio as windows of frames.

use crate::mel::SILENCE;
use crate::pauses::{self, Stretch};
use crate::{Audio, AudioError, HOP, LogMel, RATE};

/// Values further than this below the loudest, in bels, are as loud as that.
const RANGE: f32 = 8.0;
/// Shorter silences than this many frames are left where they are.
const LEAST_SILENCE: usize = 100;
/// Frames of a silence that are left before a sound, which may begin below what is heard.
const BREATH: usize = 20;

/// The log-mel frames of audio, from a frame on that only moves ahead. What is before it is forgotten.
#[derive(Debug)]
pub struct Spectrogram {
    audio: Audio,
    mels: usize,
    /// `None` when the audio has ended.
    mel: Option<LogMel>,
    samples: Vec<f32>,
    /// `[frames, mels]` from `first` on.
    frames: Vec<f32>,
    first: u64,
    /// The loudest value so far. A window in which nobody speaks is measured by it too, so its noise stays small.
    loudest: f32,
}

impl Spectrogram {
    /// Of audio, with so many mel bins.
    pub fn new(audio: Audio, mels: usize) -> Self {
        Self {
            audio,
            mels,
            mel: Some(LogMel::new(mels)),
            samples: Vec::new(),
            frames: Vec::new(),
            first: 0,
            loudest: f32::NEG_INFINITY,
        }
    }

    /// The audio.
    pub fn audio(&self) -> &Audio {
        &self.audio
    }

    /// The frame from which on it knows the audio.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The value that silence has among those of [`Self::window`], as it is scaled now.
    pub fn silence(&self) -> f32 {
        ((self.loudest - RANGE).max(SILENCE) + 4.0) / 4.0
    }

    /// Seconds of so many frames.
    pub fn seconds(frames: u64) -> f64 {
        frames as f64 * HOP as f64 / f64::from(RATE)
    }

    /// Moves ahead by some frames.
    pub fn skip(&mut self, frames: usize) {
        let values = (frames * self.mels).min(self.frames.len());
        self.frames.drain(..values);
        self.first += (values / self.mels) as u64;
    }

    /// The next `out.len() / mels` frames, `[frames, mels]`: reads as much audio as they need and scales them as Whisper's training did.
    /// After the end of the audio come zeros. How many frames there are of the audio.
    pub fn window(&mut self, out: &mut [f32]) -> Result<usize, AudioError> {
        self.fill(out.len())?;
        let n = out.len().min(self.frames.len());
        let floor = self.loudest - RANGE;
        for (to, v) in out.iter_mut().zip(&self.frames[..n]) {
            *to = (v.max(floor) + 4.0) / 4.0;
        }
        out[n..].fill(0.0);
        Ok(n / self.mels)
    }

    /// How the next frames, `most` at most, are best taken where pieces are to stand for themselves: [`Self::window`] gives so many of them, and
    /// [`Self::skip`] goes on after them. Silence of a second and more before a sound is a stretch of its own. A sound that goes on
    /// beyond `most` frames ends in the quietest pause of their last third. `None` where the audio has ended.
    pub fn stretch(&mut self, most: usize) -> Result<Option<Stretch>, AudioError> {
        self.fill(most * self.mels)?;
        let all = self.frames.len() / self.mels;
        let n = all.min(most);
        if n == 0 {
            return Ok(None);
        }
        let frames = &self.frames[..n * self.mels];
        let floor = (self.loudest - RANGE).max(SILENCE);
        let silent = pauses::silent(frames, self.mels, floor);
        Ok(Some(if silent == n {
            Stretch::Silence(n)
        } else if silent >= LEAST_SILENCE {
            Stretch::Silence(silent - BREATH)
        } else if n < most || (self.mel.is_none() && all == n) {
            Stretch::Sound(n)
        } else {
            Stretch::Sound(pauses::quietest(frames, self.mels, floor, n - n / 3).max(1))
        }))
    }

    /// Reads until so many values are there, or the audio has ended.
    fn fill(&mut self, values: usize) -> Result<(), AudioError> {
        while self.frames.len() < values {
            let Some(mel) = &mut self.mel else { break };
            self.samples.clear();
            let more = self.audio.read(&mut self.samples)?;
            let at = self.frames.len();
            mel.push(&self.samples, &mut self.frames);
            if !more && let Some(mel) = self.mel.take() {
                mel.finish(&mut self.frames);
            }
            self.loudest = self.frames[at..].iter().copied().fold(self.loudest, f32::max);
        }
        Ok(())
    }
}
