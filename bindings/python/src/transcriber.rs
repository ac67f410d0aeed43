//! Speech to text.

use crate::errors::raised;
use crate::wait::{Inside, Process, Signals};
use akunu::transcribe::audio::Audio;
use akunu::transcribe::{Condition, Cut, Heard, Segment, Task, Word, Words};
use akunu::{Control, Model, Token, TranscribeOptions};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, TryLockError};

/// Makes text of audio, for one thread at a time.
#[pyclass(frozen, module = "akunu._akunu")]
pub(crate) struct Transcriber {
    transcriber: Mutex<akunu::Transcriber>,
    model: Model,
    cancelled: AtomicBool,
    process: Process,
}

/// A word's begin and end in seconds, its text, and its probability.
type Spoken = (f64, f64, String, f32);

/// Begin and end in seconds, text, tokens, temperature, mean log-probability, compression, probability of silence, words.
type Shown = (f64, f64, String, Vec<u32>, f32, f32, f32, f32, Vec<Spoken>);

/// Language, seconds that were heard, segments, what could not be decoded, whether it ended before the audio.
type Told = (String, f64, Vec<Shown>, Option<String>, bool);

fn shown(s: &Segment) -> Shown {
    let tokens = Token::ids(&s.tokens).to_vec();
    let (text, words) = (s.text.clone(), s.words.iter().map(spoken).collect());
    (s.start, s.end, text, tokens, s.temperature, s.avg_logprob, s.compression_ratio, s.no_speech_prob, words)
}

fn spoken(w: &Word) -> Spoken {
    (w.start, w.end, w.text.clone(), w.probability)
}

impl Transcriber {
    pub(crate) fn new(
        model: &Model,
        language: Option<String>,
        translate: bool,
        initial_prompt: Option<String>,
        previous_text: bool,
        temperatures: Option<Vec<f32>>,
        beams: u32,
        seed: u64,
        word_timestamps: bool,
        batch: Option<u32>,
    ) -> Result<Self, akunu::Error> {
        let default = TranscribeOptions::default();
        let options = TranscribeOptions {
            language,
            task: if translate { Task::Translate } else { Task::Transcribe },
            initial_prompt,
            condition: if previous_text { Condition::PreviousText } else { Condition::Nothing },
            temperatures: temperatures.unwrap_or(default.temperatures),
            beams,
            seed,
            words: if word_timestamps { Words::Timed } else { Words::Untimed },
            cut: if batch.is_some() { Cut::AtPauses } else { Cut::AfterSpeech },
            windows: batch.unwrap_or(default.windows),
            ..default
        };
        Ok(Self {
            transcriber: Mutex::new(model.transcriber(&options)?),
            model: model.clone(),
            cancelled: AtomicBool::new(false),
            process: Process::this(),
        })
    }
}

#[pymethods]
impl Transcriber {
    /// Transcribes a file, or what a file contains; `on_segment` is called with each segment.
    #[pyo3(signature = (path, contents, on_segment))]
    fn transcribe(
        &self,
        py: Python<'_>,
        path: Option<PathBuf>,
        contents: Option<PyBackedBytes>,
        on_segment: Option<Py<PyAny>>,
    ) -> PyResult<Told> {
        self.process.check("transcriber")?;
        let mut transcriber = match self.transcriber.try_lock() {
            Ok(transcriber) => transcriber,
            Err(TryLockError::Poisoned(p)) => p.into_inner(),
            Err(TryLockError::WouldBlock) => {
                let message = "the transcriber runs in another thread; wait for it, or cancel it";
                return Err(PyRuntimeError::new_err(message));
            }
        };
        let (mut signals, mut stopped) = (Signals::new(), false);
        let (transcriber, look, ends) = (&mut *transcriber, &mut signals, &mut stopped);
        let transcript = py.detach(|| {
            let _inside = Inside::new();
            let audio = match (path, contents) {
                (Some(path), _) => Audio::open(&path),
                (None, Some(contents)) => Audio::from_bytes(contents, "the audio in memory"),
                (None, None) => Audio::from_bytes(b"", "the audio in memory"),
            };
            transcriber.transcribe(audio?, &mut |heard| {
                if let (Heard::Segment(segment), Some(f)) = (heard, &on_segment) {
                    look.raised = Python::attach(|py| f.call1(py, (shown(segment),)).map(|_| ())).err();
                }
                *ends = look.raised.is_some() || self.cancelled.load(Ordering::SeqCst);
                if *ends { Control::Stop } else { look.look() }
            })
        });
        self.cancelled.swap(false, Ordering::SeqCst);
        let t = signals.raised.take().map_or(Ok(transcript), Err)?.map_err(raised)?;
        Ok((t.language, t.seconds, t.segments.iter().map(shown).collect(), t.damage, stopped))
    }

    /// Ends what runs, or what runs next where nothing does, after the window under way.
    fn cancel(&self) -> PyResult<()> {
        self.process.check("transcriber")?;
        self.cancelled.store(true, Ordering::SeqCst);
        Ok(())
    }
}

impl Drop for Transcriber {
    fn drop(&mut self) {
        if self.process != Process::this() {
            // The device's threads are the parent's; to wait for them would be for ever.
            std::mem::forget(self.model.clone());
        }
    }
}
