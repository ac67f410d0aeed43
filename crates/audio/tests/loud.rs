//! Samples that no sound has, as the fuzzer found them: sums of them are no numbers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_audio::{Audio, Spectrogram};

/// A WAV file of floats.
fn wav(rate: u32, samples: &[f32]) -> Vec<u8> {
    let data: Vec<u8> = samples.iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x03\0\x01\0");
    out.extend(rate.to_le_bytes());
    out.extend((4 * rate).to_le_bytes());
    out.extend(b"\x04\0\x20\0data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

#[test]
fn samples_near_the_largest_number_are_heard() {
    for rate in [8_000, 16_000, 44_100] {
        let samples: Vec<f32> = (0..rate).map(|i| if i % 3 == 0 { f32::MAX } else { -f32::MAX }).collect();
        let audio = Audio::from_bytes(wav(rate, &samples), "loud").unwrap();
        let mut window = vec![f32::NAN; 100 * 80];
        let frames = Spectrogram::new(audio, 80).window(&mut window).unwrap();
        assert!(frames >= 99 && window.iter().all(|v| v.is_finite()), "{rate}: {frames} frames");
    }
}
