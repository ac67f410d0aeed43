//! The arguments of `akunu transcribe`.

use super::{MODEL, Named, Whole};
use clap::{Args, ValueEnum, ValueHint};

/// How a transcript is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TranscriptFormat {
    /// One segment a line.
    #[default]
    Txt,
    /// SubRip subtitles.
    Srt,
    /// WebVTT subtitles.
    Vtt,
    /// One object with text, language and segments.
    Json,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "akunu transcribe [OPTIONS] MODEL AUDIO...\n       akunu transcribe [OPTIONS] -m MODEL AUDIO..."
)]
pub(crate) struct Transcribe {
    #[arg(skip)]
    pub(crate) model: String,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    pub(super) first: Option<String>,
    /// Audio files (WAV, FLAC, MP3, Ogg Vorbis, M4A), or - for standard input.
    #[arg(value_name = "AUDIO", value_hint = ValueHint::FilePath)]
    pub(crate) audio: Vec<String>,
    #[command(flatten)]
    pub(super) named: Named,
    /// How the transcript is written.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) format: TranscriptFormat,
    /// The language that is spoken, as en [default: the model listens for it].
    #[arg(short = 'l', long, value_name = "LANGUAGE")]
    pub(crate) language: Option<String>,
    /// Write in English what is said in another language.
    #[arg(long)]
    pub(crate) translate: bool,
    /// Text that stands before the audio: names, spelling, style.
    #[arg(long, value_name = "TEXT")]
    pub(crate) initial_prompt: Option<String>,
    /// Decode each window of 30 s without the text before it.
    #[arg(long)]
    pub(crate) no_context: bool,
    /// Say when each word is spoken: in json with each segment, in srt and vtt with a cue for each word.
    #[arg(long)]
    pub(crate) word_timestamps: bool,
    /// Temperature of the draws [default: 0, and up to 1 where that goes wrong].
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub(crate) temp: Option<f32>,
    /// Files that are heard at once; their transcripts come in the order of the files, each when it is complete.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=128))]
    pub(crate) parallel: u32,
    /// Hear N pieces of a file at once: it is cut in pauses first, into pieces of 30 s at most. Quicker, but each piece stands for itself.
    ///
    /// Without it each window of 30 s begins where the speech of the last one ended, and is heard in the light of its text. Pieces know nothing
    /// of each other: names may be spelled in two ways, a sentence may end at a cut, and words beside a cut may be others. --initial-prompt
    /// stands before each of them. Silence is passed over. Of several files the pieces are heard beside each other too. Each piece takes
    /// memory for its audio. From a pipe N pieces are read before the first text comes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=128), conflicts_with = "parallel")]
    pub(crate) batch: Option<u32>,
    /// Texts that are followed beside each other at temperature 0; 1 is greedy.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=16))]
    pub(crate) beams: u32,
    #[command(flatten)]
    pub(super) machine: Whole,
}

fn temperature(s: &str) -> Result<f32, String> {
    match s.parse::<f32>() {
        Ok(t) if (0.0..=100.0).contains(&t) => Ok(t),
        _ => Err("give a number from 0 to 100".into()),
    }
}
