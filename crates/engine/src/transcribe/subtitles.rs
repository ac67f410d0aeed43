//! Segments as subtitles: SubRip and WebVTT.

use super::Segment;

/// What a file of WebVTT begins with.
pub const VTT: &str = "WEBVTT\n\n";

/// A cue of SubRip; the first one's number is 1.
pub fn srt(number: usize, s: &Segment) -> String {
    format!("{number}\n{} --> {}\n{}\n\n", clock(s.start, ','), clock(s.end, ','), s.text.trim())
}

/// A cue of WebVTT.
pub fn vtt(s: &Segment) -> String {
    format!("{} --> {}\n{}\n\n", clock(s.start, '.'), clock(s.end, '.'), s.text.trim())
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
