//! Files on their way to their transcripts: the parts that they are cut into, the windows of a part, and what is told of them in which order.

use super::{Cut, Heard, Segment, Transcript};
use crate::Error;
use crate::decoded::Control;
use akunu_audio::{AudioError, Spectrogram, Stretch};
use akunu_kernels::step::Token;
use std::collections::BTreeMap;

/// A file. Its parts are decoded in any order and told in time.
pub(super) struct Recording {
    /// Its place among the files.
    pub(super) number: usize,
    /// As far as it is known; `None` within is a model's that knows English alone.
    pub(super) language: Option<Option<Token>>,
    /// What stands before each part.
    pub(super) prompt: Vec<Token>,
    pub(super) out: Transcript,
    spectrogram: Spectrogram,
    /// Parts that were begun.
    begun: usize,
    /// Whether no other part comes.
    spent: bool,
    failed: Option<Error>,
    /// The part that is told. All before it were told to their ends.
    told: usize,
    /// What it and later ones said and nobody was told yet.
    later: BTreeMap<usize, Vec<Said>>,
}

/// What a part says. A part is over when it said so.
#[derive(Debug)]
pub(super) enum Said {
    Segment(Segment),
    Until(f64),
    End,
}

/// What comes next of a recording.
pub(super) enum Next {
    /// A part: its number, and its frames where it is a piece.
    Part(usize, Option<Piece>),
    /// Silence, which needs no model: its number among the parts and its frames.
    Silence(usize, usize),
    /// Nothing, or nothing that can be read.
    End,
}

/// A part on its way: windows that follow each other.
pub(super) struct Course {
    /// Its place among the parts.
    pub(super) part: usize,
    /// The source that its window is encoded to.
    pub(super) source: u32,
    /// Its frames; without them the recording is the part.
    piece: Option<Piece>,
    /// All tokens so far.
    pub(super) text: Vec<Token>,
    /// Text before this token does not help any more.
    pub(super) since: usize,
    /// Where the last word ended.
    pub(super) silent_since: f64,
    /// Frames of audio in the window.
    pub(super) frames: usize,
}

/// Frames that were cut out of a recording.
pub(super) struct Piece {
    /// `[frames, mels]`, scaled as the model reads them.
    frames: Vec<f32>,
    mels: usize,
    /// What silence is among them.
    silence: f32,
    /// The recording's frame that is its first one.
    first: u64,
    /// Frames that were decoded.
    done: usize,
}

impl Recording {
    pub(super) fn new(
        number: usize,
        spectrogram: Spectrogram,
        language: Option<Option<Token>>,
        prompt: Vec<Token>,
    ) -> Self {
        Self {
            number,
            language,
            prompt,
            out: Transcript::default(),
            spectrogram,
            begun: 0,
            spent: false,
            failed: None,
            told: 0,
            later: BTreeMap::new(),
        }
    }

    /// Whether another part may come.
    pub(super) fn goes_on(&self) -> bool {
        !self.spent
    }

    /// Whether all of it was told.
    pub(super) fn is_over(&self) -> bool {
        self.spent && self.told == self.begun
    }

    /// The next part. `most` frames of `mels` values make a window.
    pub(super) fn next(&mut self, cut: Cut, most: usize, mels: usize) -> Next {
        let next = match cut {
            Cut::AfterSpeech => {
                self.spent = true;
                Next::Part(self.begun, None)
            }
            Cut::AtPauses => self.stretch(most, mels).unwrap_or_else(|e| {
                self.fail(e);
                Next::End
            }),
        };
        self.begun += usize::from(!matches!(next, Next::End));
        next
    }

    /// Takes the next stretch out of the audio.
    fn stretch(&mut self, most: usize, mels: usize) -> Result<Next, AudioError> {
        let first = self.spectrogram.first();
        match self.spectrogram.stretch(most)? {
            None => {
                self.spent = true;
                Ok(Next::End)
            }
            Some(Stretch::Silence(frames)) => {
                self.spectrogram.skip(frames);
                Ok(Next::Silence(self.begun, frames))
            }
            Some(Stretch::Sound(n)) => {
                let mut frames = vec![0.0; n * mels];
                self.spectrogram.window(&mut frames)?;
                self.spectrogram.skip(n);
                let silence = self.spectrogram.silence();
                Ok(Next::Part(self.begun, Some(Piece { frames, mels, silence, first, done: 0 })))
            }
        }
    }

    /// No more can be read of it.
    pub(super) fn fail(&mut self, e: AudioError) {
        self.failed = Some(e.into());
        self.spent = true;
    }

    /// The second up to which parts were begun.
    pub(super) fn seconds(&self) -> f64 {
        Spectrogram::seconds(self.spectrogram.first())
    }

    /// Takes what a part says and tells what is next in time.
    pub(super) fn tell(
        &mut self,
        part: usize,
        said: impl IntoIterator<Item = Said>,
        heard: &mut dyn FnMut(Heard<'_>) -> Control,
    ) -> Control {
        self.later.entry(part).or_default().extend(said);
        while let Some(said) = self.later.remove(&self.told) {
            let before = self.told;
            for said in said {
                let control = match said {
                    Said::Segment(segment) => {
                        self.out.text.push_str(&segment.text);
                        let control = heard(Heard::Segment(&segment));
                        self.out.segments.push(segment);
                        control
                    }
                    Said::Until(seconds) => heard(Heard::Until(seconds)),
                    Said::End => {
                        self.told += 1;
                        Control::Continue
                    }
                };
                if control == Control::Stop {
                    return Control::Stop;
                }
            }
            if self.told == before {
                break;
            }
        }
        Control::Continue
    }

    /// What was told of it.
    pub(super) fn transcript(self) -> Transcript {
        let audio = self.spectrogram.audio();
        Transcript { seconds: audio.heard_seconds(), damage: audio.damage().map(Into::into), ..self.out }
    }

    /// Its transcript, or why there is none.
    pub(super) fn ended(mut self) -> Result<Transcript, Error> {
        match self.failed.take() {
            Some(e) => Err(e),
            None => Ok(self.transcript()),
        }
    }
}

impl Course {
    /// The beginning of a part.
    pub(super) fn new(of: &Recording, part: usize, piece: Option<Piece>, source: u32) -> Self {
        let silent_since = piece.as_ref().map_or(0.0, |p| Spectrogram::seconds(p.first));
        Self { part, source, piece, text: of.prompt.clone(), since: 0, silent_since, frames: 0 }
    }

    /// Whether it ends before the recording does, and nothing of it may be said to be later.
    pub(super) fn is_piece(&self) -> bool {
        self.piece.is_some()
    }

    /// The frames of its next window, and silence after them. How many there are: none at its end.
    pub(super) fn window(&mut self, of: &mut Recording, out: &mut [f32]) -> Result<usize, AudioError> {
        self.frames = match &self.piece {
            Some(piece) => piece.window(out),
            None => of.spectrogram.window(out)?,
        };
        Ok(self.frames)
    }

    /// The frame of the recording that its window begins with.
    pub(super) fn first(&self, of: &Recording) -> u64 {
        self.piece.as_ref().map_or(of.spectrogram.first(), |p| p.first + p.done as u64)
    }

    /// Moves ahead by some frames.
    pub(super) fn skip(&mut self, of: &mut Recording, frames: usize) {
        match &mut self.piece {
            Some(piece) => piece.done += frames,
            None => of.spectrogram.skip(frames),
        }
    }
}

impl Piece {
    fn window(&self, out: &mut [f32]) -> usize {
        let rest = self.frames.get(self.done * self.mels..).unwrap_or_default();
        let n = rest.len().min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        out[n..].fill(self.silence);
        n / self.mels
    }
}
