//! Segments, or words, as subtitles: SubRip and WebVTT.

use super::{Segment, Word};

/// What a file of WebVTT begins with.
pub const VTT: &str = "WEBVTT\n\n";

/// A text and when it is shown, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cue<'a> {
    /// From.
    pub start: f64,
    /// To.
    pub end: f64,
    /// The text; spaces around it are left out.
    pub text: &'a str,
}

impl<'a> From<&'a Segment> for Cue<'a> {
    fn from(s: &'a Segment) -> Self {
        Self { start: s.start, end: s.end, text: &s.text }
    }
}

impl<'a> From<&'a Word> for Cue<'a> {
    fn from(w: &'a Word) -> Self {
        Self { start: w.start, end: w.end, text: &w.text }
    }
}

/// A cue of SubRip; the first one's number is 1.
pub fn srt<'a>(number: usize, cue: impl Into<Cue<'a>>) -> String {
    let c = cue.into();
    format!("{number}\n{} --> {}\n{}\n\n", clock(c.start, ','), clock(c.end, ','), c.text.trim())
}

/// A cue of WebVTT.
pub fn vtt<'a>(cue: impl Into<Cue<'a>>) -> String {
    let c = cue.into();
    format!("{} --> {}\n{}\n\n", clock(c.start, '.'), clock(c.end, '.'), c.text.trim())
}

/// Hours, minutes, seconds and thousandths.
fn clock(seconds: f64, point: char) -> String {
    let ms = (seconds.max(0.0) * 1000.0).round() as u64;
    let (s, ms) = (ms / 1000, ms % 1000);
    format!("{:02}:{:02}:{:02}{point}{ms:03}", s / 3600, s / 60 % 60, s % 60)
}

#[cfg(test)]
mod tests {
    use super::clock;

    #[test]
    fn times_are_those_of_subtitles() {
        assert_eq!(clock(0.0, ','), "00:00:00,000");
        assert_eq!(clock(3661.2345, '.'), "01:01:01.235");
        assert_eq!(clock(59.9996, ','), "00:01:00,000");
        assert_eq!(clock(360_000.0, ','), "100:00:00,000");
    }
}
