//! Speech to text.

use crate::handle::{OneCall, Table};
use crate::input::{
    Versioned, array, flag, initialize, optional, options, place, put, report, reserved, short, tell, text,
};
use crate::log::{AKUNU_LOG_WARN, note};
use crate::model::{MODELS, akunu_model};
use crate::status::{Failure, akunu_status, call};
use crate::tables::free_after;
use akunu::transcribe::audio::Audio;
use akunu::transcribe::{Condition, Cut, Heard, Segment, Task, Word, Words};
use akunu::{Control, Token, TranscribeOptions, Transcriber};
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes text of audio, for one call at a time.
pub struct akunu_transcriber;

/// A transcriber, and whether it was cancelled.
type TranscriberCell = OneCall<Transcriber, AtomicBool>;

static TRANSCRIBERS: Table<TranscriberCell> = Table::new("akunu_transcriber", 9);

/// How audio becomes text. All zero but for the size is the default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_transcribe_options {
    /// Bytes of this struct.
    pub size: usize,
    /// Two or three letters, as `en`; NULL asks the model, which hears the beginning for it.
    pub language: *const c_char,
    /// Text that stands before the first window: names, spelling, style; may be NULL.
    pub initial_prompt: *const c_char,
    /// Temperatures that are tried in turn until a window of 30 seconds went well; NULL is 0, 0.2 and so on to 1.
    pub temperatures: *const f32,
    /// How many, at most 16.
    pub temperature_count: usize,
    /// 1 makes an English text, whatever is spoken.
    pub translate: u32,
    /// 1 decodes each window without the text before it.
    pub no_context: u32,
    /// Texts that are followed beside each other at temperature 0; 0 and 1 are greedy.
    pub beams: u32,
    /// 1 says of each word when it is spoken (`akunu_segment.words`); the text stays as it is.
    pub word_timestamps: u32,
    /// Seed of the draws above temperature 0.
    pub seed: u64,
    /// Pieces of a file that are heard at once, at most 128: it is cut in pauses first, into pieces of 30 seconds at most, of which each stands
    /// for itself. 0 hears window after window, each from where the speech of the last one ended.
    pub batch: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: repr(C), the size first, numbers and raw pointers.
unsafe impl Versioned for akunu_transcribe_options {
    const FIRST: usize = 64;
    const NAME: &'static str = "akunu_transcribe_options";
}

const DEFAULT: akunu_transcribe_options = akunu_transcribe_options {
    size: size_of::<akunu_transcribe_options>(),
    language: std::ptr::null(),
    initial_prompt: std::ptr::null(),
    temperatures: std::ptr::null(),
    temperature_count: 0,
    translate: 0,
    no_context: 0,
    beams: 0,
    word_timestamps: 0,
    seed: 0,
    batch: 0,
    reserved: 0,
};

impl akunu_transcribe_options {
    /// The engine's.
    ///
    /// # Safety
    ///
    /// Its pointers are NULL or point to what the header says.
    unsafe fn read(&self) -> Result<TranscribeOptions, Failure> {
        if self.temperature_count > 16 {
            let n = self.temperature_count;
            return Err(Failure::argument(format!("there are {n} temperatures; give at most 16")));
        }
        reserved::<Self>(self.reserved)?;
        // SAFETY: the caller's promise.
        let temperatures = unsafe { array(self.temperatures, self.temperature_count, "temperatures") }?;
        // SAFETY: the caller's promise.
        let language = unsafe { optional(self.language, "language") }?;
        // SAFETY: the caller's promise.
        let prompt = unsafe { optional(self.initial_prompt, "initial_prompt") }?;
        let default = TranscribeOptions::default();
        Ok(TranscribeOptions {
            language: language.map(String::from),
            task: if flag(self.translate, "translate")? { Task::Translate } else { Task::Transcribe },
            initial_prompt: prompt.map(String::from),
            condition: match flag(self.no_context, "no_context")? {
                true => Condition::Nothing,
                false => Condition::PreviousText,
            },
            temperatures: if temperatures.is_empty() { default.temperatures } else { temperatures.into() },
            beams: self.beams.max(1),
            seed: self.seed,
            words: if flag(self.word_timestamps, "word_timestamps")? { Words::Timed } else { Words::Untimed },
            cut: if self.batch == 0 { Cut::AfterSpeech } else { Cut::AtPauses },
            windows: self.batch.max(1),
            ..default
        })
    }
}

/// Fills in the defaults. `size` is `sizeof(akunu_transcribe_options)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_transcribe_options_init(
    options: *mut akunu_transcribe_options,
    size: usize,
) -> akunu_status {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { initialize(options, size, DEFAULT) }
    })
}

/// What makes text of audio, of a model of speech. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_transcriber_new(
    model: *const akunu_model,
    options: *const akunu_transcribe_options,
    transcriber: *mut *mut akunu_transcriber,
) -> akunu_status {
    call(|| {
        place(transcriber, "transcriber")?;
        let cell = MODELS.get(model)?;
        // SAFETY: the caller's promise.
        let given = unsafe { self::options(options, DEFAULT)?.read() }?;
        let made = cell.model.transcriber(&given)?;
        let cell = OneCall::new(made, AtomicBool::new(false));
        // SAFETY: the caller's promise.
        unsafe { put(transcriber, TRANSCRIBERS.insert(cell), "transcriber") }
    })
}

/// Frees a transcriber. What another thread runs in it is cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_transcriber_free(transcriber: *mut akunu_transcriber) {
    free_after(&TRANSCRIBERS, transcriber, OneCall::close);
}

/// Ends what runs in the transcriber, or what runs next where nothing does, after the window under way. From any thread.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_transcriber_cancel(transcriber: *const akunu_transcriber) -> akunu_status {
    call(|| Ok(TRANSCRIBERS.cancel(transcriber)?))
}

/// A word and when it is spoken.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_word {
    /// Bytes of this struct.
    pub size: usize,
    /// Where it begins, in seconds.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// The word with the marks around it, as a rule with a space before it, without a NUL at the end.
    pub text: *const c_char,
    /// Bytes of it.
    pub text_length: usize,
    /// How sure the model was: the mean of the probabilities of its tokens as they were drawn. Marks around the word do not count.
    pub probability: f32,
}

impl akunu_word {
    fn of(w: &Word) -> Self {
        Self {
            size: size_of::<Self>(),
            start: w.start,
            end: w.end,
            text: w.text.as_ptr().cast(),
            text_length: w.text.len(),
            probability: w.probability,
        }
    }
}

/// A stretch of speech and its text. All pointers are valid until the callback returns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_segment {
    /// Bytes of this struct.
    pub size: usize,
    /// Where it begins, in seconds.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Its text, as a rule with a space before it, without a NUL at the end.
    pub text: *const c_char,
    /// Bytes of it.
    pub text_length: usize,
    /// Its tokens, those of time among them.
    pub tokens: *const u32,
    /// How many.
    pub token_count: usize,
    /// The temperature that its window was decoded at.
    pub temperature: f32,
    /// Mean log-probability of the window's tokens.
    pub avg_logprob: f32,
    /// How much gzip shrinks the window's text.
    pub compression_ratio: f32,
    /// Probability that nobody speaks in the window.
    pub no_speech_prob: f32,
    /// Where each of its words is, in time; NULL where there are none, or `akunu_transcribe_options.word_timestamps` was 0. Their texts joined are
    /// the segment's, which begins and ends with them.
    pub words: *const *const akunu_word,
    /// How many.
    pub word_count: usize,
}

impl akunu_segment {
    /// Words are told by where they are, so that a program that knows fewer of their fields finds the next one.
    fn of(s: &Segment, words: &[*const akunu_word]) -> Self {
        Self {
            size: size_of::<Self>(),
            start: s.start,
            end: s.end,
            text: s.text.as_ptr().cast(),
            text_length: s.text.len(),
            tokens: Token::ids(&s.tokens).as_ptr(),
            token_count: s.tokens.len(),
            temperature: s.temperature,
            avg_logprob: s.avg_logprob,
            compression_ratio: s.compression_ratio,
            no_speech_prob: s.no_speech_prob,
            words: if words.is_empty() { std::ptr::null() } else { words.as_ptr() },
            word_count: words.len(),
        }
    }
}

/// Takes a segment that is complete; anything but 0 ends the transcription after it. On the thread that transcribes. It may use other
/// handles, and of this transcriber's functions `akunu_transcriber_cancel`.
pub type akunu_segment_fn =
    Option<unsafe extern "C-unwind" fn(segment: *const akunu_segment, user_data: *mut c_void) -> i32>;

/// How a transcription has gone.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_transcript {
    /// Bytes of this struct.
    pub size: usize,
    /// Seconds of audio that were heard.
    pub seconds: f64,
    /// Segments.
    pub segments: u64,
    /// The language, as two or three letters and a NUL; empty where nothing was heard.
    pub language: [c_char; 8],
    /// 1 where it ended before the audio: a callback asked for it, or a cancel.
    pub cancelled: u32,
    /// 1 where not all of the audio could be decoded; a warning (`akunu_set_log`) says what.
    pub damaged: u32,
}

// SAFETY: repr(C), the size first, numbers.
unsafe impl Versioned for akunu_transcript {
    const FIRST: usize = 40;
    const NAME: &'static str = "akunu_transcript";
}

/// Transcribes a file: WAV, FLAC, MP3, Ogg Vorbis, M4A. `on_segment` (may be NULL) is called with each segment as it is complete. `result`
/// may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_transcriber_file(
    transcriber: *const akunu_transcriber,
    path: *const c_char,
    on_segment: akunu_segment_fn,
    user_data: *mut c_void,
    result: *mut akunu_transcript,
) -> akunu_status {
    call(|| {
        let cell = TRANSCRIBERS.get(transcriber)?;
        // SAFETY: the caller's promise.
        let path = unsafe { text(path, crate::AKUNU_NUL, "path") }?;
        let audio = Audio::open(Path::new(path)).map_err(akunu::Error::from)?;
        // SAFETY: the caller's promise.
        unsafe { transcribe(&cell, audio, on_segment, user_data, result) }
    })
}

/// The same with what such a file contains, `length` bytes, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_transcriber_bytes(
    transcriber: *const akunu_transcriber,
    bytes: *const c_void,
    length: usize,
    on_segment: akunu_segment_fn,
    user_data: *mut c_void,
    result: *mut akunu_transcript,
) -> akunu_status {
    call(|| {
        let cell = TRANSCRIBERS.get(transcriber)?;
        // SAFETY: the caller's promise.
        let bytes = unsafe { array(bytes.cast::<u8>(), length, "bytes") }?;
        let audio = Audio::from_bytes(bytes.to_vec(), "the audio in memory");
        // SAFETY: the caller's promise.
        unsafe { transcribe(&cell, audio.map_err(akunu::Error::from)?, on_segment, user_data, result) }
    })
}

/// # Safety
///
/// `on_segment` is NULL or takes what the header says; `result` is NULL or such a struct.
unsafe fn transcribe(
    cell: &TranscriberCell,
    audio: Audio,
    on_segment: akunu_segment_fn,
    user_data: *mut c_void,
    result: *mut akunu_transcript,
) -> Result<(), Failure> {
    let mut transcriber = TRANSCRIBERS.enter(cell)?;
    let mut stopped = false;
    let mut heard = |heard: Heard<'_>| {
        if let Heard::Segment(segment) = heard {
            let words: Vec<akunu_word> = segment.words.iter().map(akunu_word::of).collect();
            let places: Vec<*const akunu_word> = words.iter().map(std::ptr::from_ref).collect();
            // SAFETY: the caller has promised a function that takes these; words and places live until it has returned.
            let told = unsafe { tell(on_segment, &akunu_segment::of(segment, &places), user_data) };
            stopped |= told == Control::Stop;
        }
        stopped |= cell.beside.load(Ordering::SeqCst);
        if stopped { Control::Stop } else { Control::Continue }
    };
    let transcript = transcriber.transcribe(audio, &mut heard);
    // A swap, as in the engine's sessions: who comes after this sees what was done before a cancel.
    cell.beside.swap(false, Ordering::SeqCst);
    let transcript = transcript?;
    if let Some(damage) = &transcript.damage {
        note(AKUNU_LOG_WARN, &format!("not all of the audio could be decoded: {damage}"));
    }
    if !result.is_null() {
        let told = akunu_transcript {
            size: 0,
            seconds: transcript.seconds,
            segments: transcript.segments.len() as u64,
            language: short(&transcript.language),
            cancelled: stopped.into(),
            damaged: transcript.damage.is_some().into(),
        };
        // SAFETY: the caller's promise.
        unsafe { report(result, told) }?;
    }
    Ok(())
}
