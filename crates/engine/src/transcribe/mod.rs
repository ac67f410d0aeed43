//! Speech to text: windows of 30 s of audio, each encoded once and read by the decoder, until the audio ends. A window begins where the last
//! one's speech ended, so no word is cut in two. What the model may draw is ruled here (`rules`), with the fallbacks of its authors'
//! program (Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision", 2022, section 4.5): a window that went wrong is
//! decoded anew at higher temperatures.
//!
//! Tokens are drawn on the host, one step at a time: the rules look at all tokens before and at the whole distribution.
//!
//! Deliberately absent: voice activity detection, speakers, times of words.

mod beams;
mod compression;
mod control;
mod listener;
mod rules;
mod segments;
pub mod subtitles;
#[cfg(test)]
mod tests;
mod window;

use crate::Error;
use crate::model::Model;
use akunu_audio::{Audio, Spectrogram};
use akunu_kernels::step::Token;
use control::ControlTokens;
use listener::Listener;
use rules::Rules;
use segments::split;
use std::sync::Arc;
use window::{Decoded, Decoder};

pub use akunu_audio as audio;

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
    /// The decoder is given the text before each window.
    #[default]
    PreviousText,
    /// Each window stands for itself: less consistent, and no error lasts.
    Nothing,
}

/// How audio becomes text. The defaults are those of the authors' program with greedy decoding.
#[derive(Clone, Debug, PartialEq)]
pub struct TranscribeOptions {
    /// Two or three letters, as `en`; `None` asks the model, which hears the first window for it.
    pub language: Option<String>,
    /// What is made of it.
    pub task: Task,
    /// Text that stands before the first window: names, spelling, style.
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
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The texts of all segments.
    pub text: String,
    /// The language, as two or three letters.
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

/// Whether to go on.
pub use crate::decode::Control;

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
        let listener = Listener::new(Arc::clone(&model.inner), options.best_of.max(options.beams))?;
        Ok(Self { model: model.clone(), options: options.clone(), control, listener, rules, frames })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Other options from now on. An error, which changes nothing, where the model cannot do what they ask for, or where they have more
    /// texts beside each other (`beams`, `best_of`) than those that this was made with.
    pub fn choose(&mut self, options: &TranscribeOptions) -> Result<(), Error> {
        check(options, &self.control)?;
        let (texts, most) = (options.best_of.max(options.beams), self.listener.texts());
        if texts > most {
            let remedy = "make a transcriber with as many, or choose fewer";
            return Err(Error::Option {
                name: "texts beside each other",
                value: format!("{texts} of {most}"),
                remedy,
            });
        }
        self.options = options.clone();
        Ok(())
    }

    /// Logits of what comes after some tokens in a window of frames, `[vocab]`. The frames are `[frames, mels]`, as [`Spectrogram::window`]
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
        self.listener.encode(frames)?;
        Ok(self.listener.prompt(0, tokens)?.to_vec())
    }

    /// Transcribes audio to its end, or until `heard` asks to stop.
    pub fn transcribe(
        &mut self,
        audio: Audio,
        heard: &mut dyn FnMut(Heard<'_>) -> Control,
    ) -> Result<Transcript, Error> {
        let config = self.model.config().audio.clone();
        let mels = config.map_or(0, |a| a.mels) as usize;
        let mut spectrogram = Spectrogram::new(audio, mels);
        let mut out = Transcript::default();
        let mut language = match &self.options.language {
            Some(name) => Some(self.control.language(name)?),
            None => self.control.only_language(),
        };
        let mut text = self.initial_tokens()?;
        // Text before this token does not help any more.
        let mut since = 0;
        loop {
            let frames = spectrogram.window(&mut self.frames)?;
            if frames == 0 {
                break;
            }
            let offset = Spectrogram::seconds(spectrogram.first());
            self.listener.encode(&self.frames)?;
            let language = match language {
                Some(known) => known,
                None => *language.insert(self.detect()?),
            };
            out.language = self.control.name_of(language);
            let prompt = self.prompt(&text[since..], language);
            let best = self.window(&prompt)?;
            let silent = best.is_silent(&self.options);
            let (pieces, ahead) = split(&best.tokens, self.control.first_time, frames);
            for piece in pieces.into_iter().filter(|_| !silent) {
                let segment = self.segment(piece, offset, &best)?;
                if segment.text.trim().is_empty() || segment.start >= segment.end {
                    continue;
                }
                text.extend(&segment.tokens);
                out.text.push_str(&segment.text);
                let control = heard(Heard::Segment(&segment));
                out.segments.push(segment);
                if control == Control::Stop {
                    return Ok(self.ended(out, &spectrogram));
                }
            }
            if self.options.condition == Condition::Nothing || best.temperature > 0.5 {
                since = text.len();
            }
            spectrogram.skip(if silent { frames } else { ahead });
            if heard(Heard::Until(Spectrogram::seconds(spectrogram.first()))) == Control::Stop {
                break;
            }
        }
        Ok(self.ended(out, &spectrogram))
    }

    fn ended(&self, mut out: Transcript, spectrogram: &Spectrogram) -> Transcript {
        out.seconds = spectrogram.audio().heard_seconds();
        out.damage = spectrogram.audio().damage().map(Into::into);
        out
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

    /// The language of the window that was encoded last.
    fn detect(&mut self) -> Result<Option<Token>, Error> {
        let logits = self.listener.prompt(0, &[self.control.start])?;
        Ok(self.control.likeliest_language(logits))
    }

    /// Decodes the encoded window at one temperature after the other until it went well.
    fn window(&mut self, prompt: &[Token]) -> Result<Decoded, Error> {
        let mut decoder = Decoder {
            listener: &mut self.listener,
            rules: &self.rules,
            control: &self.control,
            tokenizer: self.model.inner.tokenizer()?,
        };
        let mut tried: Vec<Decoded> = Vec::new();
        for temperature in &self.options.temperatures {
            let decoded = match (*temperature == 0.0, self.options.beams) {
                (false, _) => decoder.decode(prompt, *temperature, self.options.best_of, self.options.seed),
                (true, 1) => decoder.decode(prompt, 0.0, 1, 0),
                (true, beams) => decoder.search(prompt, beams),
            }?;
            if !decoded.went_wrong(&self.options) {
                return Ok(decoded);
            }
            tried.push(decoded);
        }
        Ok(window::least_wrong(tried, &self.options))
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
        })
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
    let thresholds = [o.compression_ratio, o.log_probability, o.no_speech];
    if let Some(v) = thresholds.into_iter().flatten().find(|v| v.is_nan()) {
        return refuse("a threshold", v.to_string(), "give a number, or none");
    }
    Ok(())
}
