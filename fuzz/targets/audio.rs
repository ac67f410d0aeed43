//! Any bytes as a file of audio, to windows of frames.
//!
//! Input: a file. A short one may say that it lasts for hours, so only its first windows are made, and short ones.
#![no_main]

use akunu::transcribe::audio::{Audio, Spectrogram, Stretch};
use akunu_fuzz::Budget;
use libfuzzer_sys::fuzz_target;

const MELS: usize = 80;
const FRAMES: usize = 64;

fuzz_target!(|data: &[u8]| {
    let _budget = Budget::of((48 << 20) + 4096 * data.len());
    let Ok(audio) = Audio::from_bytes(data.to_vec(), "fuzzed") else { return };
    assert!(audio.announced_seconds().is_none_or(|s| s >= 0.0), "{:?}", audio.announced_seconds());
    let mut spectrogram = Spectrogram::new(audio, MELS);
    let mut window = vec![f32::NAN; FRAMES * MELS];
    for round in 0..6 {
        // Where a piece would end: within a window, and never at its beginning.
        match spectrogram.stretch(FRAMES) {
            Ok(Some(Stretch::Sound(n) | Stretch::Silence(n))) => assert!((1..=FRAMES).contains(&n), "{n}"),
            Ok(None) => {}
            Err(_) => return,
        }
        assert!(spectrogram.silence().is_finite());
        let Ok(frames) = spectrogram.window(&mut window) else { return };
        assert!(frames <= FRAMES && window.iter().all(|v| v.is_finite()), "{frames} frames");
        let seconds = spectrogram.audio().heard_seconds();
        assert!(seconds.is_finite() && seconds >= 0.0, "{seconds}");
        if frames == 0 {
            break;
        }
        // Steps of every kind: whole windows, and less.
        let first = spectrogram.first();
        spectrogram.skip(frames.min(1 + round * 20));
        assert!(spectrogram.first() > first);
    }
});
