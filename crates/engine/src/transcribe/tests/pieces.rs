//! One file as several pieces beside each other.

use super::*;
use crate::transcribe::courses::{Next, Said};

fn pieces(windows: u32) -> TranscribeOptions {
    TranscribeOptions {
        temperatures: vec![0.0],
        language: Some("de".into()),
        cut: Cut::AtPauses,
        windows,
        ..TranscribeOptions::default()
    }
}

/// What is told while audio is transcribed, in its order: the segments, and up to when. Times only grow.
fn told(t: &mut Transcriber, audio: Audio) -> (Transcript, Vec<f64>) {
    let (mut until, mut segments) = (vec![0.0], Vec::new());
    let transcript = t
        .transcribe(audio, &mut |heard| {
            match heard {
                Heard::Segment(s) => {
                    assert!(s.start >= until[until.len() - 1] - 1e-9, "{s:?} after {until:?}");
                    segments.push(s.clone());
                }
                Heard::Until(seconds) => {
                    assert!(seconds > until[until.len() - 1], "{seconds} after {until:?}");
                    until.push(seconds);
                }
            }
            Control::Continue
        })
        .unwrap();
    assert_eq!(transcript.segments, segments);
    (transcript, until)
}

/// Speech of any length, with pauses of any: however many pieces of one file are decoded beside each other, what is said is the same, all of the
/// audio is heard, in time, and no segment reaches into the next piece.
#[test]
fn pieces_beside_each_other_are_as_one_after_the_other() {
    let model = speaking();
    let sounds = [30_000usize, 12_000, 50_000, 20_000, 64_000, 9_000];
    let mut samples = Vec::new();
    for (i, n) in sounds.into_iter().enumerate() {
        samples.extend(wave(n));
        samples.extend(wave(3_000 + 2_000 * i).iter().map(|v| v * 1e-3));
    }
    for (words, temperatures) in
        [(Words::Untimed, vec![0.0]), (Words::Timed, vec![0.0, 0.8]), (Words::Untimed, vec![0.6])]
    {
        let options = |windows| TranscribeOptions {
            words,
            temperatures: temperatures.clone(),
            best_of: 2,
            ..pieces(windows)
        };
        let mut transcriber = model.transcriber(&options(8)).unwrap();
        let mut heard = |windows| {
            transcriber.choose(&options(windows)).unwrap();
            told(&mut transcriber, audio(&samples))
        };
        let (alone, until) = heard(1);
        assert!((until[until.len() - 1] - samples.len() as f64 / 16_000.0).abs() < 0.02, "{until:?}");
        assert!(alone.segments.len() > 5, "{alone:?}");
        for windows in [2, 3, 8] {
            assert!(heard(windows) == (alone.clone(), until.clone()), "{windows} of {words:?}");
        }
        // Of several files at once the same.
        transcriber.choose(&options(3)).unwrap();
        let mut files = [&samples[..], &samples[..90_000], &samples].into_iter().map(|s| Ok(audio(s)));
        let mut ended = vec![None; 3];
        transcriber
            .transcribe_all(&mut files, &mut |number, event| {
                if let Event::Ended(transcript) = event {
                    ended[number] = Some(transcript.unwrap());
                }
                Control::Continue
            })
            .unwrap();
        assert!(ended[0].as_ref() == Some(&alone) && ended[2].as_ref() == Some(&alone));
        assert_eq!(ended[1].as_ref(), Some(&told(&mut transcriber, audio(&samples[..90_000])).0));
    }
}

/// What the model leaves of a piece is the piece's next window: from its last time on, without the audio after the piece.
#[test]
fn the_rest_of_a_piece_is_heard() {
    let model = speaking();
    let mut t = model.transcriber(&pieces(2)).unwrap();
    let mut samples = wave(16_000 * 3 / 2);
    samples.extend(vec![0.0; 16_000 / 2]);
    samples.extend(wave(16_000 * 2));
    let mut r = Recording::new(0, Spectrogram::new(audio(&samples), MELS), None, Vec::new());
    let Next::Part(0, Some(piece)) = r.next(Cut::AtPauses, FRAMES, MELS) else { panic!("no piece") };
    let mut c = Course::new(&r, 0, Some(piece), 0);
    let mut window = vec![0f32; FRAMES * MELS];
    let all = c.window(&mut r, &mut window).unwrap();
    // After it there is silence, which is not what is after the end of a file.
    let silent = |after: &[f32]| after[0] < 0.0 && after.iter().all(|v| *v == after[0]);
    assert!((190..199).contains(&all) && silent(&window[all * MELS..]), "{all}");
    // "a" until 0.60 s, and something that has no end; then "b", that is said to go on beyond the piece; then no time at all.
    let zero = t.control.first_time.0;
    let decoded = |ids: &[u32]| Decoded {
        tokens: Token::from_ids(ids).to_vec(),
        logprobs: vec![-0.5; ids.len()],
        temperature: 0.0,
        avg_logprob: -0.5,
        compression_ratio: 1.0,
        no_speech_prob: 0.0,
    };
    let said = t.take(&mut r, &mut c, &decoded(&[zero, 65, zero + 30, zero + 30, 66])).unwrap();
    assert!(matches!(&said[..], [Said::Segment(s), Said::Until(u)] if s.end == 0.6 && *u == 0.6), "{said:?}");
    let rest = window[60 * MELS..all * MELS].to_vec();
    assert_eq!(c.window(&mut r, &mut window).unwrap(), all - 60);
    assert!(window[..rest.len()] == rest && silent(&window[rest.len()..]));
    let said = t.take(&mut r, &mut c, &decoded(&[zero, 66, zero + 90])).unwrap();
    let end = all as f64 / 100.0;
    let within = |s: &Segment| s.start == 0.6 && (s.end - end).abs() < 1e-9;
    assert!(matches!(&said[..], [Said::Segment(s), Said::Until(_)] if within(s)), "{said:?}");
    assert_eq!(c.window(&mut r, &mut window).unwrap(), 0);
    // The next piece begins there.
    let Next::Part(1, Some(piece)) = r.next(Cut::AtPauses, FRAMES, MELS) else { panic!("no piece") };
    assert_eq!(Course::new(&r, 1, Some(piece), 0).first(&r), all as u64);
}

/// Parts are told in time, whichever is over first.
#[test]
fn parts_are_told_in_their_order() {
    let mut r = Recording::new(0, Spectrogram::new(audio(&wave(160)), MELS), None, Vec::new());
    let mut heard = Vec::new();
    let mut tell = |part, said: &[f64], over: bool| {
        let end = over.then_some(Said::End);
        let said = said.iter().map(|s| Said::Until(*s)).chain(end);
        r.tell(part, said, &mut |h| match h {
            Heard::Until(s) => {
                heard.push(s);
                if s == 9.0 { Control::Stop } else { Control::Continue }
            }
            Heard::Segment(_) => Control::Stop,
        })
    };
    tell(1, &[3.0], false);
    tell(2, &[5.0], true);
    tell(0, &[1.0], false);
    tell(1, &[4.0], true);
    tell(0, &[2.0], true);
    assert_eq!(tell(3, &[6.0, 9.0, 10.0], true), Control::Stop);
    assert_eq!(heard, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0]);
}

/// Zeros as a WAV file of 16 bits, made as they are read.
struct Zeros {
    header: Cursor<Vec<u8>>,
    left: u64,
}

impl std::io::Read for Zeros {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let n = self.header.read(buf)?;
        if n > 0 {
            return Ok(n);
        }
        let n = buf.len().min(self.left as usize);
        buf[..n].fill(0);
        self.left -= n as u64;
        Ok(n)
    }
}

fn silence(seconds: u32) -> Audio {
    let bytes = seconds * 32_000;
    let mut header = b"RIFF".to_vec();
    header.extend((36 + bytes).to_le_bytes());
    header.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data");
    header.extend(bytes.to_le_bytes());
    Audio::from_reader(Zeros { header: Cursor::new(header), left: bytes.into() }, "silence").unwrap()
}

/// Silence of any length out of a pipe says nothing where audio is cut in pauses, it is told how far it is, and who is asked to stop stops.
#[test]
fn silence_is_passed_over() {
    let model = speaking();
    let mut t = model.transcriber(&pieces(4)).unwrap();
    let (transcript, until) = told(&mut t, silence(300));
    assert_eq!((transcript.text.as_str(), until.len()), ("", 151));
    assert!((transcript.seconds - 300.0).abs() < 1e-6);
    let mut calls = 0;
    let stop = &mut |_: Heard<'_>| {
        calls += 1;
        if calls == 3 { Control::Stop } else { Control::Continue }
    };
    let stopped = t.transcribe(silence(300), stop).unwrap();
    assert!(calls == 3 && stopped.seconds < 20.0, "{calls}: {}", stopped.seconds);
    // Shorter than a window, and than a frame.
    for n in [1, 100, 1_600, 16_000] {
        let (transcript, _) = told(&mut t, audio(&wave(n)));
        assert!((transcript.seconds - n as f64 / 16_000.0).abs() < 1e-6, "{n}: {}", transcript.seconds);
    }
}

/// What is wrong with audio is told after what was heard before it; beams and a prompt go with pieces.
#[test]
fn pieces_of_bad_audio_are_heard_until_it_is_bad() {
    let model = speaking();
    let mut samples = wave(160_000);
    samples[120_000] = f32::NAN;
    for options in [
        pieces(3),
        TranscribeOptions { beams: 3, initial_prompt: Some("Names".into()), ..pieces(2) },
        TranscribeOptions { condition: Condition::Nothing, language: None, ..pieces(128) },
    ] {
        let mut t = model.transcriber(&options).unwrap();
        let mut until = 0.0;
        let e = t.transcribe(audio(&samples), &mut |heard| {
            if let Heard::Until(seconds) = heard {
                until = seconds;
            }
            Control::Continue
        });
        assert!(matches!(e, Err(Error::Audio(_))), "{e:?}");
        assert!((3.5..7.5).contains(&until), "{until}");
        let whole = told(&mut t, audio(&samples[..100_000])).0;
        assert!(["en", "de"].contains(&whole.language.as_str()) && !whole.segments.is_empty());
        assert_eq!(whole, told(&mut t, audio(&samples[..100_000])).0);
    }
    for windows in [0, 129] {
        let e = model.transcriber(&pieces(windows)).err().unwrap().to_string();
        assert!(e.contains("between 1 and 128"), "{e}");
    }
    let mut few = model.transcriber(&pieces(2)).unwrap();
    let e = few.choose(&pieces(3)).unwrap_err().to_string();
    assert!(e.contains("3 of 2"), "{e}");
    // What it has room for stays so, whatever is chosen.
    few.choose(&pieces(1)).unwrap();
    assert_eq!(few.windows(), 2);
}
