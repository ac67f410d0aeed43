//! Why audio cannot be heard.

use std::path::PathBuf;
use thiserror::Error;

/// Why audio cannot be heard. `name` is the file's, or what stands for it.
#[derive(Debug, Error)]
pub enum AudioError {
    /// The file cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It cannot be read on.
    #[error("{name}: reading failed after {seconds:.1} s of audio: {source}")]
    Read {
        /// What was read.
        name: String,
        /// What had been heard before.
        seconds: f64,
        /// Why.
        source: std::io::Error,
    },
    /// It is no audio, or of a kind that is not known.
    #[error(
        "{name} is no audio that can be read ({what}); convert it to WAV, FLAC, MP3, Ogg Vorbis or M4A (AAC) first"
    )]
    Format {
        /// What was read.
        name: String,
        /// What the decoder says.
        what: String,
    },
    /// There is nothing in it.
    #[error("{name} has no samples; use a file that has some")]
    Empty {
        /// What was read.
        name: String,
    },
    /// A sample is not a number.
    #[error(
        "{name}: the sample at {seconds:.3} s is not a finite number; export the audio anew, as 16-bit PCM"
    )]
    NotFinite {
        /// What was read.
        name: String,
        /// Where it is.
        seconds: f64,
    },
    /// A rate that speech is not recorded at.
    #[error("{name} has {rate} samples a second; convert it to a rate between {least} and {most}")]
    Rate {
        /// What was read.
        name: String,
        /// Samples of a second.
        rate: u32,
        /// The least that is taken.
        least: u32,
        /// The most.
        most: u32,
    },
}
