//! Files of every format, and bad ones (`tools/audio_fixtures.py`).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_audio::{Audio, AudioError, RATE, Spectrogram, Stretch};
use std::io::Cursor;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/audio").join(name)
}

/// A WAV file of 16-bit samples, or of floats.
fn wav(format: u16, rate: u32, channels: u16, data: &[u8]) -> Vec<u8> {
    let bytes: u16 = if format == 3 { 4 } else { 2 };
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt ");
    out.extend(16u32.to_le_bytes());
    for v in [format, channels] {
        out.extend(v.to_le_bytes());
    }
    out.extend(rate.to_le_bytes());
    out.extend((rate * u32::from(channels) * u32::from(bytes)).to_le_bytes());
    for v in [channels * bytes, bytes * 8] {
        out.extend(v.to_le_bytes());
    }
    out.extend(b"data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

fn floats(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn tone(rate: u32, n: usize) -> Vec<f32> {
    (0..n).map(|i| (i as f32 / rate as f32 * 440.0 * std::f32::consts::TAU).sin() * 0.5).collect()
}

fn read(bytes: Vec<u8>) -> Result<Vec<f32>, AudioError> {
    Audio::from_bytes(bytes, "the test")?.samples()
}

/// The samples of a file in memory, and of the same bytes out of a pipe.
fn both(bytes: Vec<u8>) -> [Result<Vec<f32>, AudioError>; 2] {
    let piped = Audio::from_reader(Cursor::new(bytes.clone()), "the test").and_then(Audio::samples);
    [read(bytes), piped]
}

/// How much of the samples is a tone of 440 Hz, of any phase: 1 is all.
fn share_of_tone(samples: &[f32]) -> f64 {
    let turn = |i: usize| i as f64 / f64::from(RATE) * 440.0 * std::f64::consts::TAU;
    let sum = |f: fn(f64) -> f64| -> f64 {
        samples.iter().enumerate().map(|(i, v)| f64::from(*v) * f(turn(i))).sum()
    };
    let energy: f64 = samples.iter().map(|v| f64::from(*v).powi(2)).sum();
    let (c, s) = (sum(f64::cos), sum(f64::sin));
    (c * c + s * s) * 2.0 / samples.len() as f64 / energy
}

/// From a file, from its bytes, and from a pipe that cannot seek.
#[test]
fn every_format_is_read() {
    for name in ["tone.mp3", "tone.flac", "tone.ogg", "tone.m4a"] {
        let path = fixture(name);
        let piped = Audio::from_reader(std::fs::File::open(&path).unwrap(), name).and_then(Audio::samples);
        let opened = Audio::open(&path).and_then(Audio::samples).unwrap();
        // (Encoders add silence at both ends.)
        assert!((7_900..10_600).contains(&opened.len()), "{name}: {}", opened.len());
        let held = std::fs::read(&path).unwrap();
        assert_eq!(read(held).unwrap(), opened, "{name} in memory");
        let middle = opened.len() / 4..opened.len() * 3 / 4;
        assert!(share_of_tone(&opened[middle.clone()]) > 0.98, "{name}");
        // The index of this one stands at its end.
        if name == "tone.m4a" {
            let e = piped.unwrap_err().to_string();
            assert!(e.contains("tone.m4a is no audio that can be read") && e.contains("moov"), "{e}");
            continue;
        }
        let piped = piped.unwrap_or_else(|e| panic!("{name} from a pipe: {e}"));
        assert!(share_of_tone(&piped[middle]) > 0.98, "{name} from a pipe");
    }
}

#[test]
fn rates_and_channels_come_out_alike() {
    for (rate, channels) in [(8_000u32, 1u16), (16_000, 1), (44_100, 2), (48_000, 7)] {
        let mono = tone(rate, rate as usize / 2);
        let all: Vec<f32> = mono.iter().flat_map(|v| vec![*v; usize::from(channels)]).collect();
        let samples = read(wav(3, rate, channels, &floats(&all))).unwrap();
        assert_eq!(samples.len(), RATE as usize / 2, "{rate} Hz, {channels} channels");
        assert!(share_of_tone(&samples[500..7_500]) > 0.999, "{rate} Hz, {channels} channels");
    }
}

#[test]
fn bad_audio_is_told_by_what_is_wrong() {
    let is = |bytes: Vec<u8>, words: &[&str]| {
        let e = read(bytes).unwrap_err().to_string();
        assert!(words.iter().all(|w| e.contains(w)), "{e}");
    };
    is(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02".to_vec(),
        &["the test is no audio", "WAV, FLAC"],
    );
    is(Vec::new(), &["the test is no audio"]);
    is(b"RIFF".to_vec(), &["the test is no audio"]);
    is(b"\0\0\0\x18ftypM4A \0\0\0\0".to_vec(), &["the test is no audio"]);
    // An M4A file without its index, which stands at its end.
    let m4a = std::fs::read(fixture("tone.m4a")).unwrap();
    is(m4a[..m4a.len() / 2].to_vec(), &["the test is no audio", "convert it"]);
    is(vec![0; 100_000], &["the test is no audio"]);
    is(wav(1, 16_000, 1, &[]), &["no samples"]);
    let mut samples = tone(16_000, 16_000);
    samples[8_000] = f32::NAN;
    is(wav(3, 16_000, 1, &floats(&samples)), &["0.500 s", "not a finite number"]);
    samples[8_000] = f32::INFINITY;
    is(wav(3, 16_000, 1, &floats(&samples)), &["0.500 s"]);
    is(wav(1, 100, 1, &[0; 400]), &["100 samples a second", "4000"]);
    let missing = Audio::open(Path::new("/nowhere/at all.wav")).unwrap_err().to_string();
    assert!(missing.contains("cannot open /nowhere/at all.wav"), "{missing}");
    assert!(Audio::open(Path::new(env!("CARGO_MANIFEST_DIR"))).is_err());
}

/// What is there of a file that was cut off is heard, and the cut is not kept quiet where the decoder sees it.
#[test]
fn files_that_were_cut_off_are_heard_as_far_as_they_go() {
    for name in ["tone.mp3", "tone.flac", "tone.ogg", "tone.m4a"] {
        let bytes = std::fs::read(fixture(name)).unwrap();
        for share in [30, 55, 80] {
            let cut = bytes[..bytes.len() * share / 100].to_vec();
            for heard in both(cut) {
                match heard {
                    Ok(samples) => {
                        assert!(samples.len() < 10_600 && samples.iter().all(|v| v.is_finite()), "{name}")
                    }
                    Err(AudioError::Empty { .. } | AudioError::Format { .. }) => {}
                    Err(e) => panic!("{name}: {e}"),
                }
            }
        }
    }
}

/// Any bytes give an answer: no panic, and no more memory than the file is worth.
#[test]
fn damaged_files_do_no_harm() {
    let mut word = 7u64;
    let mut random = move || {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (word >> 33) as usize
    };
    for name in ["tone.mp3", "tone.flac", "tone.ogg", "tone.m4a"] {
        let whole = std::fs::read(fixture(name)).unwrap();
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random() % 20 {
                let at = random() % bytes.len();
                bytes[at] = random() as u8;
            }
            for samples in both(bytes).into_iter().flatten() {
                assert!(samples.len() < 1 << 24, "{name}");
            }
        }
    }
}

/// Windows follow each other without a seam, and after the audio's end there are zeros.
#[test]
fn windows_are_parts_of_one_spectrogram() {
    let samples: Vec<f32> = tone(16_000, 40_000);
    let open = || Audio::from_bytes(wav(3, 16_000, 1, &floats(&samples)), "tone").unwrap();
    let mut whole = vec![0.0; 300 * 80];
    assert_eq!(Spectrogram::new(open(), 80).window(&mut whole).unwrap(), 250);
    assert!(whole[250 * 80..].iter().all(|v| *v == 0.0) && whole[..250 * 80].iter().any(|v| *v > 0.5));
    let (mut parts, mut part) = (Spectrogram::new(open(), 80), vec![0.0; 100 * 80]);
    let mut at = 0;
    loop {
        let n = parts.window(&mut part).unwrap();
        assert_eq!(n, 100.min(250 - at));
        if n == 0 {
            break;
        }
        // (The loudest so far is in the first window already.)
        assert!(part[..n * 80].iter().zip(&whole[at * 80..]).all(|(a, b)| (a - b).abs() < 1e-3));
        at += n.min(70);
        parts.skip(n.min(70));
        assert_eq!(parts.first(), at as u64);
    }
}

/// Stretches follow each other without a gap to the end of the audio; sounds end in pauses where they go on for too long, and silences
/// are told apart from them.
#[test]
fn audio_is_cut_where_it_pauses() {
    // Sounds and silences in frames: all pauses but one are too short to be stretches of their own.
    let parts = [(190, 40), (220, 60), (130, 700), (90, 0)];
    let mut samples = Vec::new();
    for (sound, silence) in parts {
        samples.extend(tone(16_000, sound * 160));
        samples.extend(vec![0f32; silence * 160]);
    }
    let audio = Audio::from_bytes(wav(3, 16_000, 1, &floats(&samples)), "tones").unwrap();
    let (mut spectrogram, mut at, mut stretches) = (Spectrogram::new(audio, 80), 0, Vec::new());
    while let Some(stretch) = spectrogram.stretch(300).unwrap() {
        let n = match stretch {
            Stretch::Silence(n) | Stretch::Sound(n) => n,
        };
        assert!((1..=300).contains(&n), "{n}");
        let mut window = vec![0f32; n * 80];
        assert_eq!(spectrogram.window(&mut window).unwrap(), n);
        let loud = window.iter().any(|v| *v > 0.5);
        assert_eq!(loud, matches!(stretch, Stretch::Sound(_)), "{stretch:?} at {at}");
        spectrogram.skip(n);
        at += n;
        stretches.push((loud, at));
    }
    assert_eq!(at, samples.len() / 160);
    // The first ends in the pause from 190 to 230, the second in that from 450 to 510, the third at the end of a window, in the silence from
    // 640 on; and the last sound begins at 1340, after a breath.
    let ends: Vec<usize> = stretches.iter().filter(|s| s.0).map(|s| s.1).collect();
    assert!((217..=227).contains(&ends[0]) && (477..=507).contains(&ends[1]), "{stretches:?}");
    assert_eq!((ends.len(), ends[3]), (4, at), "{stretches:?}");
    let last = stretches[stretches.len() - 2];
    assert!(!last.0 && (1318..=1322).contains(&last.1), "{stretches:?}");
}

/// Audio that ends with a window is one piece, and audio without samples, or with an error in its middle, is told as in windows.
#[test]
fn the_last_stretch_ends_with_the_audio() {
    for n in [1, 299, 300] {
        let audio = Audio::from_bytes(wav(3, 16_000, 1, &floats(&tone(16_000, n * 160))), "tone").unwrap();
        let mut spectrogram = Spectrogram::new(audio, 80);
        // (Whether a file ends with a window is known once more is asked for.)
        assert!(spectrogram.window(&mut vec![0f32; 400 * 80]).is_ok());
        assert_eq!(spectrogram.stretch(300).unwrap(), Some(Stretch::Sound(n)));
        spectrogram.skip(n);
        assert_eq!(spectrogram.stretch(300).unwrap(), None);
    }
    let stretch = |samples: &[f32]| {
        let audio = Audio::from_bytes(wav(3, 16_000, 1, &floats(samples)), "bad").unwrap();
        Spectrogram::new(audio, 80).stretch(300)
    };
    assert!(matches!(stretch(&[]), Err(AudioError::Empty { .. })));
    let mut bad = tone(16_000, 16_000);
    bad[8_000] = f32::NAN;
    assert!(matches!(stretch(&bad), Err(AudioError::NotFinite { .. })));
}
