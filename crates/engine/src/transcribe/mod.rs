//! Speech to text: windows of 30 s of audio, each encoded once and read by the decoder, until the audio ends. A window begins where the last
//! one's speech ended, so no word is cut in two; or the audio is cut in pauses first, and the pieces are decoded beside each other. What the
//! model may draw is ruled here (`rules`), with the fallbacks of its authors' program (Radford et al., "Robust Speech Recognition via
//! Large-Scale Weak Supervision", 2022, section 4.5): a window that went wrong is decoded anew at higher temperatures.
//!
//! Tokens are drawn on the host, one step at a time: the rules look at all tokens before and at the whole distribution.
//!
//! Deliberately absent: voice activity detection, speakers.

mod beams;
mod compression;
mod control;
mod courses;
mod hearing;
mod listener;
mod rules;
mod segments;
pub mod subtitles;
#[cfg(test)]
mod tests;
mod window;
mod words;

use crate::Error;
use crate::model::Model;
use akunu_audio::Audio;
use akunu_kernels::step::Token;
use akunu_model::config::AudioConfig;
use control::ControlTokens;
use courses::{Course, Recording};
use listener::{Listener, Room};
use rules::Rules;
use std::sync::Arc;
use window::Decoded;

pub use akunu_audio as audio;
pub use words::Word;

/// What is made of the speech.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// A text in the language that is spoken.
    #[default]
    Transcribe,
    /// A text in English.
    Translate,
}

/// Whether what was said before helps with what comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// The decoder is given the text before each window; of pieces ([`Cut::AtPauses`]) the text before it in the piece.
    #[default]
    PreviousText,
    /// Each window stands for itself: less consistent, and no error lasts.
    Nothing,
}

/// Where audio is cut into windows of 30 s at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// Where the speech of the window before ended, as the model hears it: windows of one file follow each other.
    #[default]
    AfterSpeech,
    /// In pauses, before the model hears anything. Each piece stands for itself, without the text before it, so those of one file are decoded
    /// beside each other too ([`TranscribeOptions::windows`]). Where the model leaves the rest of a piece unheard, that is its next window.
    /// Silence that is not heard at all is passed over.
    AtPauses,
}

/// Whether it is said when each word is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Words {
    /// Segments alone have times.
    #[default]
    Untimed,
    /// Words have them too ([`Segment::words`]), and a probability: each window's tokens go through the decoder once more. The text stays as it is.
    Timed,
}

/// How audio becomes text. The defaults are those of the authors' program with greedy decoding.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscribeOptions {
    /// Two or three letters, as `en`; `None` asks the model, which hears the first window for it.
    pub language: Option<String>,
    /// What is made of it.
    pub task: Task,
    /// Text that stands before the first window, of pieces ([`Cut::AtPauses`]) of each: names, spelling, style.
    pub initial_prompt: Option<String>,
    /// Whether each window is decoded in the light of the text before.
    pub condition: Condition,
    /// Temperatures that are tried in turn until a window went well; 0 is greedy, or searches with beams.
    pub temperatures: Vec<f32>,
    /// Texts that are followed beside each other at temperature 0; 1 is greedy.
    pub beams: u32,
    /// Texts that are drawn at a temperature above 0, of which the likeliest counts.
    pub best_of: u32,
    /// A text that gzip shrinks by more than this repeats itself.
    pub compression_ratio: Option<f32>,
    /// A text whose tokens' mean log-probability is below this went wrong.
    pub log_probability: Option<f32>,
    /// A window whose probability of silence is above this, and whose text went wrong, is silent.
    pub no_speech: Option<f32>,
    /// Seed of the draws above temperature 0.
    pub seed: u64,
    /// Whether words have times.
    pub words: Words,
    /// Where the audio is cut.
    pub cut: Cut,
    /// Windows that are decoded beside each other: of several files ([`Transcriber::transcribe_all`]), and of one where it is cut in pauses.
    /// Each takes memory for the keys and values of its audio. Texts that are drawn or searched with beams have a window to themselves.
    pub windows: u32,
}

impl Default for TranscribeOptions {
    fn default() -> Self {
        Self {
            language: None,
            task: Task::Transcribe,
            initial_prompt: None,
            condition: Condition::PreviousText,
            temperatures: vec![0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
            beams: 1,
            best_of: 5,
            compression_ratio: Some(2.4),
            log_probability: Some(-1.0),
            no_speech: Some(0.6),
            seed: 0,
            words: Words::Untimed,
            cut: Cut::AfterSpeech,
            windows: 1,
        }
    }
}

/// A stretch of speech and its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Where it begins, in seconds.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// Its text, as a rule with a space before it.
    pub text: String,
    /// Its tokens, those of time among them.
    pub tokens: Vec<Token>,
    /// The temperature that its window was decoded at.
    pub temperature: f32,
    /// Mean log-probability of the window's tokens.
    pub avg_logprob: f32,
    /// How much gzip shrinks the window's text.
    pub compression_ratio: f32,
    /// Probability that nobody speaks in the window.
    pub no_speech_prob: f32,
    /// Its words, where they were asked for ([`TranscribeOptions::words`]). The segment then begins and ends with them.
    pub words: Vec<Word>,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The texts of all segments.
    pub text: String,
    /// The language, as two or three letters; empty where nobody said it and nothing was heard.
    pub language: String,
    /// The segments, in time.
    pub segments: Vec<Segment>,
    /// Seconds of audio that were heard.
    pub seconds: f64,
    /// What of the audio could not be decoded, if anything.
    pub damage: Option<String>,
}

/// What happens while audio is transcribed.
#[derive(Clone, Copy, Debug)]
pub enum Heard<'a> {
    /// A segment is complete.
    Segment(&'a Segment),
    /// Everything before this second has been transcribed.
    Until(f64),
}

/// What happens while files are transcribed beside each other.
#[derive(Debug)]
pub enum Event<'a> {
    /// As of one file.
    Heard(Heard<'a>),
    /// A file has ended; or it could not be opened or decoded.
    Ended(Result<Transcript, Error>),
}

/// Whether to go on.
pub use crate::decoded::Control;

/// The most windows that are decoded beside each other ([`TranscribeOptions::windows`]).
pub const MAX_WINDOWS: u32 = 128;

/// Tokens that a window of speech needs room for, at least: half of them are text.
const LEAST_CONTEXT: u32 = 32;

/// What transcribes: memory and tables of its own over the model's weights. One thread drives it.
pub struct Transcriber {
    model: Model,
    options: TranscribeOptions,
    control: ControlTokens,
    listener: Listener,
    rules: Rules,
    /// `[frames, mels]` of one window.
    frames: Vec<f32>,
}

impl Model {
    /// Whether the model makes text of audio ([`Model::transcriber`]).
    pub fn hears(&self) -> bool {
        self.inner.program.hears()
    }

    /// What makes text of audio. An error for a model that does not hear.
    pub fn transcriber(&self, options: &TranscribeOptions) -> Result<Transcriber, Error> {
        Transcriber::new(self, options)
    }
}

impl Transcriber {
    fn new(model: &Model, options: &TranscribeOptions) -> Result<Self, Error> {
        let program = &model.inner.program;
        let Some(audio) = program.config.audio.as_ref().filter(|_| program.hears()) else {
            let remedy = "use a model of speech, as Whisper is";
            return Err(Error::Option {
                name: "the model for audio",
                value: program.config.arch.clone(),
                remedy,
            });
        };
        if program.settings.context < LEAST_CONTEXT.min(program.config.context) {
            let value = program.settings.context.to_string();
            let remedy = "a window of speech needs more tokens than that: load with a longer context (--ctx), or with none";
            return Err(Error::Option { name: "the context", value, remedy });
        }
        let multilingual = audio.decoding.multilingual;
        let control = ControlTokens::of(model.inner.tokenizer()?, program.config.vocab, multilingual)?;
        check(options, &control)?;
        let rules = Rules::new(&audio.decoding, &control, program.config.vocab);
        let frames = vec![0.0; (audio.frames() * audio.mels) as usize];
        let listener = Listener::new(Arc::clone(&model.inner), Room::of(options), options.words)?;
        Ok(Self { model: model.clone(), options: options.clone(), control, listener, rules, frames })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Windows that it has room for beside each other: the most that [`TranscribeOptions::windows`] may be from now on.
    pub fn windows(&self) -> u32 {
        self.listener.sources()
    }

    /// Other options from now on. An error, which changes nothing, where the model cannot do what they ask for, or where they have more
    /// texts or windows beside each other (`beams`, `best_of`, `windows`) than those that this was made with. Who asks for words first makes the
    /// memory anew.
    pub fn choose(&mut self, options: &TranscribeOptions) -> Result<(), Error> {
        check(options, &self.control)?;
        let (asked, most) = (Room::of(options), self.listener.room());
        let remedy = "make a transcriber with as many, or choose fewer";
        let refuse = |name, asked: u32, most: u32| {
            Err(Error::Option { name, value: format!("{asked} of {most}"), remedy })
        };
        if asked.windows > most.windows {
            return refuse("windows beside each other", asked.windows, most.windows);
        }
        if asked.texts > most.texts {
            return refuse("texts beside each other", asked.texts, most.texts);
        }
        if options.words == Words::Timed && !self.listener.aligns() {
            self.listener = Listener::new(Arc::clone(&self.model.inner), most, Words::Timed)?;
        }
        self.options = options.clone();
        Ok(())
    }

    /// Logits of what comes after some tokens in a window of frames, `[vocab]`. The frames are `[frames, mels]`, as [`akunu_audio::Spectrogram::window`]
    /// gives them for a whole window.
    pub fn logits(&mut self, frames: &[f32], tokens: &[Token]) -> Result<Vec<f32>, Error> {
        if frames.len() != self.frames.len() {
            let value = format!("of {} values", frames.len());
            return Err(Error::Option { name: "the window", value, remedy: "give all frames of one" });
        }
        let (vocab, context) = (self.model.config().vocab, self.listener.context());
        if tokens.is_empty() {
            return Err(Error::Empty);
        }
        if tokens.len() > context as usize {
            return Err(Error::ContextFull { tokens: tokens.len() as u64, context });
        }
        if let Some(index) = tokens.iter().position(|t| t.0 >= vocab) {
            return Err(Error::TokenRange { token: tokens[index], index, vocab });
        }
        self.listener.encode(0, frames)?;
        self.listener.turn_to(0)?;
        Ok(self.listener.prompt(0, tokens)?.to_vec())
    }

    /// Transcribes audio to its end, or until `heard` asks to stop.
    pub fn transcribe(
        &mut self,
        audio: Audio,
        heard: &mut dyn FnMut(Heard<'_>) -> Control,
    ) -> Result<Transcript, Error> {
        let mut ended = None;
        let stopped = self.run(&mut std::iter::once((0, Ok(audio))), &mut |_, event| match event {
            Event::Heard(what) => heard(what),
            Event::Ended(transcript) => {
                ended = Some(transcript);
                Control::Continue
            }
        })?;
        ended.unwrap_or_else(|| Ok(stopped.into_iter().next().map(Recording::transcript).unwrap_or_default()))
    }

    /// Transcribes files beside each other, [`TranscribeOptions::windows`] windows at a time: each step of the decoder draws a token for all of
    /// them. A file's transcript is the one that it has alone, but for what sums in another order change. `events` is told of each file by its
    /// place in `files`; which file it is told of first is open. It may ask to stop, which ends all. What is wrong with a file is told there,
    /// what is wrong with the device is returned.
    pub fn transcribe_all(
        &mut self,
        files: &mut dyn Iterator<Item = Result<Audio, Error>>,
        events: &mut dyn FnMut(usize, Event<'_>) -> Control,
    ) -> Result<(), Error> {
        self.run(&mut files.enumerate(), events).map(drop)
    }

    fn initial_tokens(&self) -> Result<Vec<Token>, Error> {
        let Some(prompt) = &self.options.initial_prompt else { return Ok(Vec::new()) };
        self.control.text_tokens(self.model.inner.tokenizer()?, &format!(" {}", prompt.trim()))
    }

    /// What the decoder is given before it draws: the text before, as far as half the context holds it, then what is asked for.
    fn prompt(&self, before: &[Token], language: Option<Token>) -> Vec<Token> {
        let c = &self.control;
        let most = (self.listener.context() / 2).saturating_sub(1) as usize;
        let mut prompt = Vec::new();
        if let (false, Some(previous)) = (before.is_empty(), c.previous) {
            prompt.push(previous);
            prompt.extend(&before[before.len().saturating_sub(most)..]);
        }
        prompt.push(c.start);
        if let Some(language) = language {
            prompt.push(language);
            prompt.extend(if self.options.task == Task::Translate { c.translate } else { c.transcribe });
        }
        prompt
    }

    /// The language of a source's window.
    fn detect(&mut self, source: u32) -> Result<Option<Token>, Error> {
        self.listener.turn_to(source)?;
        let logits = self.listener.prompt(0, &[self.control.start])?;
        Ok(self.control.likeliest_language(logits))
    }

    fn segment(&self, piece: segments::Piece, offset: f64, of: &Decoded) -> Result<Segment, Error> {
        let text = self.control.text(self.model.inner.tokenizer()?, &piece.tokens);
        Ok(Segment {
            start: offset + piece.start,
            end: offset + piece.end,
            text,
            tokens: piece.tokens,
            temperature: of.temperature,
            avg_logprob: of.avg_logprob,
            compression_ratio: of.compression_ratio,
            no_speech_prob: of.no_speech_prob,
            words: Vec::new(),
        })
    }

    /// Finds when the words of a window's segments are said, and says how likely they are by the log-probabilities of each segment's tokens.
    /// The window begins at this second.
    fn time_words(
        &mut self,
        language: Option<Token>,
        course: &mut Course,
        segments: &mut [Segment],
        logprobs: &[&[f32]],
        offset: f64,
    ) -> Result<(), Error> {
        let c = &self.control;
        let is_text = |t: &Token| *t < c.end;
        let text: Vec<Token> = segments.iter().flat_map(|s| &s.tokens).copied().filter(is_text).collect();
        if text.is_empty() {
            return Ok(());
        }
        // What comes after each of these is looked for: after the last of the prompt the first word.
        let mut tokens = self.prompt(&[], language);
        let prompt = tokens.len();
        tokens.push(c.no_times);
        tokens.extend(&text);
        tokens.push(c.end);
        self.listener.turn_to(course.source)?;
        let positions = course.frames / AudioConfig::STRIDE as usize;
        let (scores, shape) = self.listener.align(0, &tokens, positions)?;
        let attended = words::attended(&scores, shape);
        let rows = prompt * shape.columns..(tokens.len() - 1) * shape.columns;
        let first = words::path(&attended[rows], shape.columns);
        let (mut found, mut counts) = (Vec::new(), Vec::new());
        for (s, logprobs) in segments.iter().zip(logprobs) {
            let of_text = s.tokens.iter().copied().zip(logprobs.iter().copied()).filter(|(t, _)| is_text(t));
            let (text, logprobs): (Vec<Token>, Vec<f32>) = of_text.unzip();
            let mut own = words::split(self.model.inner.tokenizer()?, &text, &c.name_of(language));
            words::weigh(&mut own, &logprobs);
            counts.push(own.len());
            found.extend(own);
        }
        let pace = words::time(&mut found, &first);
        words::give(segments, &counts, found, pace, offset, &mut course.silent_since);
        Ok(())
    }
}

fn check(o: &TranscribeOptions, control: &ControlTokens) -> Result<(), Error> {
    let refuse = |name, value: String, remedy| Err(Error::Option { name, value, remedy });
    if o.task == Task::Translate && control.translate.is_none() {
        let remedy = "it knows English alone; use a multilingual model";
        return refuse("the task", "translate".into(), remedy);
    }
    if let Some(language) = &o.language {
        control.language(language)?;
    }
    if o.temperatures.is_empty() || o.temperatures.iter().any(|t| !(0.0..=100.0).contains(t)) {
        let value = format!("{:?}", o.temperatures);
        return refuse("the list of temperatures", value, "give one at least, from 0 to 100");
    }
    if !(1..=16).contains(&o.best_of) {
        return refuse("best_of", o.best_of.to_string(), "choose between 1 and 16");
    }
    if !(1..=16).contains(&o.beams) {
        return refuse("the number of beams", o.beams.to_string(), "choose between 1 and 16");
    }
    if !(1..=MAX_WINDOWS).contains(&o.windows) {
        return refuse("the number of windows", o.windows.to_string(), "choose between 1 and 128");
    }
    let thresholds = [o.compression_ratio, o.log_probability, o.no_speech];
    if let Some(v) = thresholds.into_iter().flatten().find(|v| v.is_nan()) {
        return refuse("a threshold", v.to_string(), "give a number, or none");
    }
    Ok(())
}
