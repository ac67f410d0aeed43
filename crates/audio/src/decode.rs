//! Files to samples: one channel, 16 kHz, piece by piece.

use crate::resample::Resampler;
use crate::{AudioError, RATE};
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, TrackType};
use symphonia::core::io::{MediaSource, MediaSourceStream, ReadOnlySource};
use symphonia::core::meta::MetadataOptions;

/// Rates that are taken: from the telephone's half to twice what studios use.
const RATES: std::ops::RangeInclusive<u32> = 4_000..=384_000;

/// Audio that is read piece by piece.
pub struct Audio {
    name: String,
    format: Box<dyn FormatReader>,
    decoder: Box<dyn AudioDecoder>,
    track: u32,
    /// Of the file's own samples, where it says.
    announced: Option<f64>,
    /// Interleaved samples of one packet.
    packet: Vec<f32>,
    /// One channel of it.
    mono: Vec<f32>,
    /// Made when the first packet says its rate.
    resampler: Option<Resampler>,
    /// Seconds that were decoded.
    heard: f64,
    damaged: Option<String>,
    ended: bool,
}

impl std::fmt::Debug for Audio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Audio").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Samples beyond this, a million times full scale, are no sound.
const LOUDEST: f32 = 1e6;

impl Audio {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, AudioError> {
        let file = File::open(path).map_err(|source| AudioError::Open { path: path.into(), source })?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            let source = io::Error::new(io::ErrorKind::IsADirectory, "it is a directory");
            return Err(AudioError::Open { path: path.into(), source });
        }
        let mut hint = Hint::new();
        if let Some(extension) = path.extension().and_then(|e| e.to_str()) {
            hint.with_extension(extension);
        }
        Self::new(Box::new(file), &hint, path.display().to_string())
    }

    /// Audio that is in memory: what a file contains. `name` stands for it in messages.
    pub fn from_bytes(
        bytes: impl AsRef<[u8]> + Send + Sync + 'static,
        name: impl Into<String>,
    ) -> Result<Self, AudioError> {
        Self::new(Box::new(Cursor::new(bytes)), &Hint::new(), name.into())
    }

    /// Audio from a reader that cannot seek, as a pipe; an M4A file must have its index in front. `name` stands for it in messages.
    pub fn from_reader(
        reader: impl Read + Send + Sync + 'static,
        name: impl Into<String>,
    ) -> Result<Self, AudioError> {
        Self::new(Box::new(ReadOnlySource::new(reader)), &Hint::new(), name.into())
    }

    fn new(source: Box<dyn MediaSource>, hint: &Hint, name: String) -> Result<Self, AudioError> {
        let stream = MediaSourceStream::new(source, Default::default());
        let probe = symphonia::default::get_probe();
        let refused = |what: String| AudioError::Format { name: name.clone(), what };
        let format = match probe.probe(hint, stream, FormatOptions::default(), MetadataOptions::default()) {
            Ok(format) => format,
            Err(Error::IoError(e)) if e.kind() != io::ErrorKind::UnexpectedEof => {
                return Err(AudioError::Read { name, seconds: 0.0, source: e });
            }
            Err(Error::IoError(_)) => return Err(refused("it ends before its header does".into())),
            Err(e) => return Err(refused(e.to_string())),
        };
        let track = format.default_track(TrackType::Audio);
        let Some(track) = track else { return Err(refused("it has no track of audio".into())) };
        let parameters = track.codec_params.as_ref().and_then(|p| p.audio());
        let Some(parameters) = parameters else { return Err(refused("its codec is not known".into())) };
        let rate = parameters.sample_rate;
        let announced = track.num_frames.zip(rate).map(|(n, rate)| n as f64 / f64::from(rate.max(1)));
        let decoder = symphonia::default::get_codecs()
            .make_audio_decoder(parameters, &AudioDecoderOptions::default())
            .map_err(|e| refused(e.to_string()))?;
        let track = track.id;
        Ok(Self {
            name,
            format,
            decoder,
            track,
            announced,
            packet: Vec::new(),
            mono: Vec::new(),
            resampler: None,
            heard: 0.0,
            damaged: None,
            ended: false,
        })
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seconds in all, where the file says so. It may be wrong.
    pub fn announced_seconds(&self) -> Option<f64> {
        self.announced
    }

    /// Seconds that were decoded so far.
    pub fn heard_seconds(&self) -> f64 {
        self.heard
    }

    /// What could not be decoded, if anything: packets that were left out, or an end before the announced one.
    pub fn damage(&self) -> Option<&str> {
        self.damaged.as_deref()
    }

    /// Appends the next samples, between -1 and 1 as a rule; `false` at the end.
    pub fn read(&mut self, out: &mut Vec<f32>) -> Result<bool, AudioError> {
        if self.ended {
            return Ok(false);
        }
        match self.packet()? {
            Some(rate) => {
                let resampler = match self.resampler.take() {
                    // (The next stream of a chain may have another rate.)
                    Some(old) if old.rate() != rate => {
                        old.finish(out);
                        self.resampler.insert(Resampler::new(rate))
                    }
                    Some(same) => self.resampler.insert(same),
                    None => self.resampler.insert(Resampler::new(rate)),
                };
                resampler.push(&self.mono, out);
                Ok(true)
            }
            None => {
                self.ended = true;
                match self.resampler.take() {
                    Some(resampler) => resampler.finish(out),
                    None => return Err(AudioError::Empty { name: self.name.clone() }),
                }
                Ok(false)
            }
        }
    }

    /// The next packet as one channel, and its rate; `None` at the end.
    fn packet(&mut self) -> Result<Option<u32>, AudioError> {
        loop {
            let packet = match self.format.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => return Ok(None),
                Err(Error::IoError(e)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                    self.note("the file ends within a packet");
                    return Ok(None);
                }
                Err(Error::IoError(source)) => {
                    return Err(AudioError::Read { name: self.name.clone(), seconds: self.heard, source });
                }
                Err(e) => {
                    self.note(&e.to_string());
                    return Ok(None);
                }
            };
            if packet.track_id != self.track {
                continue;
            }
            let decoded = match self.decoder.decode(&packet) {
                Ok(decoded) => decoded,
                Err(Error::DecodeError(what)) => {
                    self.note(what);
                    continue;
                }
                Err(Error::IoError(_)) => {
                    self.note("a packet is cut off");
                    continue;
                }
                Err(e) => {
                    let (name, what) = (self.name.clone(), e.to_string());
                    return Err(AudioError::Format { name, what });
                }
            };
            let (rate, channels) = (decoded.spec().rate(), decoded.num_planes());
            if decoded.is_empty() || channels == 0 {
                continue;
            }
            decoded.copy_to_vec_interleaved(&mut self.packet);
            if !RATES.contains(&rate) {
                let (name, [least, most]) = (self.name.clone(), [*RATES.start(), *RATES.end()]);
                return Err(AudioError::Rate { name, rate, least, most });
            }
            self.mix(channels, rate)?;
            return Ok(Some(rate));
        }
    }

    /// The mean of the channels.
    fn mix(&mut self, channels: usize, rate: u32) -> Result<(), AudioError> {
        let share = 1.0 / channels as f32;
        self.mono.clear();
        self.mono.extend(self.packet.chunks_exact(channels).map(|frame| frame.iter().sum::<f32>() * share));
        if let Some(at) = self.mono.iter().position(|v| !v.is_finite()) {
            let seconds = self.heard + at as f64 / f64::from(rate);
            return Err(AudioError::NotFinite { name: self.name.clone(), seconds });
        }
        // (Sums of numbers near the largest would be none, and the resampler takes no such for an answer.)
        self.mono.iter_mut().for_each(|v| *v = v.clamp(-LOUDEST, LOUDEST));
        self.heard += self.mono.len() as f64 / f64::from(rate);
        Ok(())
    }

    fn note(&mut self, what: &str) {
        let seconds = self.heard;
        self.damaged.get_or_insert_with(|| format!("{what}, after {seconds:.1} s"));
    }

    /// All samples at once. For short audio: memory grows with it.
    pub fn samples(mut self) -> Result<Vec<f32>, AudioError> {
        let mut out = Vec::with_capacity(RATE as usize);
        while self.read(&mut out)? {}
        Ok(out)
    }
}
