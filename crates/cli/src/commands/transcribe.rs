//! `akunu transcribe`: speech to text.

use super::{load, load_options, source};
use crate::args::{Machine, Transcribe, TranscriptFormat};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::transcribe::audio::Audio;
use akunu::transcribe::subtitles::{self, Cue};
use akunu::transcribe::{Condition, Cut, Event, Heard, Segment, Task, Word, Words};
use akunu::{Control, TranscribeOptions, Transcriber, Transcript};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(a: &Transcribe, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    if a.audio.is_empty() {
        return Err(CliError::Usage("give an audio file, or - for standard input".into()));
    }
    let format = if out.is_json() { TranscriptFormat::Json } else { a.format };
    if a.word_timestamps && format == TranscriptFormat::Txt {
        let message = "--word-timestamps has no place in plain text: add --format json, srt or vtt";
        return Err(CliError::Usage(message.into()));
    }
    let source = source(Some(&a.model), None, out)?;
    let model = load(&source, &load_options(machine, &source)?, out)?;
    let mut options = TranscribeOptions {
        language: a.language.clone(),
        task: if a.translate { Task::Translate } else { Task::Transcribe },
        initial_prompt: a.initial_prompt.clone(),
        beams: a.beams,
        condition: if a.no_context { Condition::Nothing } else { Condition::PreviousText },
        words: if a.word_timestamps { Words::Timed } else { Words::Untimed },
        cut: if a.batch.is_some() { Cut::AtPauses } else { Cut::AfterSpeech },
        windows: a.batch.unwrap_or(a.parallel.min(a.audio.len().try_into().unwrap_or(u32::MAX))),
        ..TranscribeOptions::default()
    };
    if let Some(t) = a.temp {
        options.temperatures = vec![t];
    }
    let mut transcriber = model.transcriber(&options)?;
    interrupt::install();
    if options.windows > 1 && a.audio.len() > 1 {
        return several(&mut transcriber, a, format, out);
    }
    for name in &a.audio {
        let audio = opened(name)?;
        let mut writer = Writer { format, written: 0, out };
        writer.begin()?;
        let bar = bar(&audio, out);
        let mut failed = None;
        let transcript = transcriber.transcribe(audio, &mut |heard| {
            match heard {
                Heard::Segment(segment) => failed = writer.segment(segment).err(),
                Heard::Until(seconds) => bar.set_position(seconds as u64),
            }
            if failed.is_some() || interrupt::asked() { Control::Stop } else { Control::Continue }
        });
        bar.finish_and_clear();
        if let Some(e) = failed {
            return Err(e);
        }
        writer.end(name, &transcript?)?;
        if interrupt::asked() {
            return Ok(interrupt::code());
        }
    }
    Ok(0)
}

/// Hears several files at once, and writes each transcript when those of the files before it are written.
fn several(
    transcriber: &mut Transcriber,
    a: &Transcribe,
    format: TranscriptFormat,
    out: &Output,
) -> Result<u8, CliError> {
    let mut ended: BTreeMap<usize, Result<Transcript, akunu::Error>> = BTreeMap::new();
    let (mut next, mut failed) = (0, None);
    let mut files = a.audio.iter().map(|name| opened(name));
    transcriber.transcribe_all(&mut files, &mut |number, event| {
        if let Event::Ended(transcript) = event {
            ended.insert(number, transcript);
        }
        while let (None, Some(transcript)) = (&failed, ended.remove(&next)) {
            failed = write(&a.audio[next], transcript, format, out).err();
            next += 1;
        }
        if failed.is_some() || interrupt::asked() { Control::Stop } else { Control::Continue }
    })?;
    match failed {
        Some(e) => Err(e),
        None if interrupt::asked() => Ok(interrupt::code()),
        None => Ok(0),
    }
}

fn write(
    name: &str,
    transcript: Result<Transcript, akunu::Error>,
    format: TranscriptFormat,
    out: &Output,
) -> Result<(), CliError> {
    let transcript = transcript?;
    let mut writer = Writer { format, written: 0, out };
    writer.begin()?;
    transcript.segments.iter().try_for_each(|s| writer.segment(s))?;
    writer.end(name, &transcript)
}

fn opened(name: &str) -> Result<Audio, akunu::Error> {
    Ok(match name {
        "-" => Audio::from_reader(std::io::stdin(), "standard input"),
        path => Audio::open(Path::new(path)),
    }?)
}

/// Seconds of the audio, where its length is known and the text itself does not show how far it is.
fn bar(audio: &Audio, out: &Output) -> ProgressBar {
    match audio.announced_seconds() {
        Some(seconds) if !std::io::stdout().is_terminal() => {
            out.steps("seconds of audio", seconds.ceil() as u64)
        }
        _ => ProgressBar::hidden(),
    }
}

/// Writes a transcript as it grows.
struct Writer<'a> {
    format: TranscriptFormat,
    written: usize,
    out: &'a Output,
}

impl Writer<'_> {
    fn begin(&self) -> Result<(), CliError> {
        if self.format == TranscriptFormat::Vtt { self.out.text(subtitles::VTT) } else { Ok(()) }
    }

    fn segment(&mut self, s: &Segment) -> Result<(), CliError> {
        match self.format {
            TranscriptFormat::Txt => self.out.line(s.text.trim()),
            TranscriptFormat::Srt | TranscriptFormat::Vtt if s.words.is_empty() => self.cue(s),
            TranscriptFormat::Srt | TranscriptFormat::Vtt => s.words.iter().try_for_each(|w| self.cue(w)),
            TranscriptFormat::Json => Ok(()),
        }
    }

    fn cue<'a>(&mut self, cue: impl Into<Cue<'a>>) -> Result<(), CliError> {
        self.written += 1;
        match self.format {
            TranscriptFormat::Vtt => self.out.text(&subtitles::vtt(cue)),
            _ => self.out.text(&subtitles::srt(self.written, cue)),
        }
    }

    fn end(&self, name: &str, t: &Transcript) -> Result<(), CliError> {
        if let Some(damage) = &t.damage {
            self.out.notice(&format!("{name}: not all of it could be decoded: {damage}"));
        }
        if self.format == TranscriptFormat::Json { self.out.json(&whole(name, t)) } else { Ok(()) }
    }
}

fn whole(name: &str, t: &Transcript) -> Value {
    let word = |w: &Word| json!({ "word": w.text, "start": rounded(w.start), "end": rounded(w.end), "probability": w.probability });
    let segment = |(i, s): (usize, &Segment)| {
        let mut object = json!({
            "id": i,
            "start": rounded(s.start),
            "end": rounded(s.end),
            "text": s.text,
            "tokens": s.tokens.iter().map(|t| t.0).collect::<Vec<_>>(),
            "temperature": s.temperature,
            "avg_logprob": s.avg_logprob,
            "compression_ratio": s.compression_ratio,
            "no_speech_prob": s.no_speech_prob,
        });
        if !s.words.is_empty() {
            object["words"] = s.words.iter().map(word).collect();
        }
        object
    };
    json!({
        "audio": name,
        "text": t.text,
        "language": t.language,
        "duration": rounded(t.seconds),
        "segments": t.segments.iter().enumerate().map(segment).collect::<Vec<_>>(),
    })
}

/// To a thousandth.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
