//! # audio: files to what a model hears
//!
//! [`Audio`] decodes a file, its bytes or a pipe (WAV, FLAC, MP3, Ogg Vorbis, M4A and what else `symphonia` reads) piece by piece into one channel
//! at 16 kHz; [`Spectrogram`] makes the log-mel frames of it that models of speech read, window by window, and says where it pauses
//! ([`Spectrogram::stretch`]). Memory does not grow with the length of the audio.
//!
//! Deliberately absent: models, devices, Opus, and where audio comes from beside files, memory and readers.
#![forbid(unsafe_code)]

mod decode;
mod error;
mod mel;
mod pauses;
mod resample;
mod spectrogram;

pub use decode::Audio;
pub use error::AudioError;
pub use mel::{HOP, LogMel, filter_bank};
pub use pauses::Stretch;
pub use spectrogram::Spectrogram;

/// Samples of a second.
pub const RATE: u32 = 16_000;
