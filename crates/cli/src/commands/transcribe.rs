//! `akunu transcribe`: speech to text.

use super::{load, load_options, source};
use crate::args::{Machine, Transcribe, TranscriptFormat};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::transcribe::audio::Audio;
use akunu::transcribe::{Condition, Heard, Segment, Task, subtitles};
use akunu::{Control, TranscribeOptions, Transcript};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::Path;

/// Runs the command.
pub(crate) fn run(a: &Transcribe, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    if a.audio.is_empty() {
        return Err(CliError::Usage("give an audio file, or - for standard input".into()));
    }
    let source = source(Some(&a.model), None, out)?;
    let model = load(&source, &load_options(machine, &source)?, out)?;
    let mut options = TranscribeOptions {
        language: a.language.clone(),
        task: if a.translate { Task::Translate } else { Task::Transcribe },
        initial_prompt: a.initial_prompt.clone(),
        beams: a.beams,
        condition: if a.no_context { Condition::Nothing } else { Condition::PreviousText },
        ..TranscribeOptions::default()
    };
    if let Some(t) = a.temp {
        options.temperatures = vec![t];
    }
    let mut transcriber = model.transcriber(&options)?;
    let format = if out.is_json() { TranscriptFormat::Json } else { a.format };
    interrupt::install();
    for name in &a.audio {
        let audio = open(name)?;
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
        let transcript = transcript?;
        if let Some(damage) = &transcript.damage {
            out.notice(&format!("{name}: not all of it could be decoded: {damage}"));
        }
        writer.end(name, &transcript)?;
        if interrupt::asked() {
            return Ok(interrupt::code());
        }
    }
    Ok(0)
}

fn open(name: &str) -> Result<Audio, CliError> {
    let opened = match name {
        "-" => Audio::from_reader(std::io::stdin(), "standard input"),
        path => Audio::open(Path::new(path)),
    };
    opened.map_err(|e| CliError::Engine(e.into()))
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
        self.written += 1;
        match self.format {
            TranscriptFormat::Txt => self.out.line(s.text.trim()),
            TranscriptFormat::Srt => self.out.text(&subtitles::srt(self.written, s)),
            TranscriptFormat::Vtt => self.out.text(&subtitles::vtt(s)),
            TranscriptFormat::Json => Ok(()),
        }
    }

    fn end(&self, name: &str, t: &Transcript) -> Result<(), CliError> {
        if self.format == TranscriptFormat::Json { self.out.json(&whole(name, t)) } else { Ok(()) }
    }
}

fn whole(name: &str, t: &Transcript) -> Value {
    let segment = |(i, s): (usize, &Segment)| {
        json!({
            "id": i,
            "start": rounded(s.start),
            "end": rounded(s.end),
            "text": s.text,
            "tokens": s.tokens.iter().map(|t| t.0).collect::<Vec<_>>(),
            "temperature": s.temperature,
            "avg_logprob": s.avg_logprob,
            "compression_ratio": s.compression_ratio,
            "no_speech_prob": s.no_speech_prob,
        })
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
