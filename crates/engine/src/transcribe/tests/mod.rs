//! A tiny random model against transformers (`tools/tiny_whisper.py`), and what a transcriber promises on any model.

mod pieces;

use super::window::Decoder;
use super::*;
use crate::{LoadOptions, Matrices};
use akunu_audio::Spectrogram;
use akunu_device::Device;
use akunu_device::cpu::CpuDevice;
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::kv::KvFormat;
use akunu_model::safetensors::SafetensorsSource;
use akunu_plan::CacheTypes;
use serde_json::Value;
use std::io::Cursor;
use std::path::PathBuf;

const MELS: usize = 80;
const FRAMES: usize = 200;

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-whisper")
}

fn reference() -> Value {
    serde_json::from_str(&std::fs::read_to_string(directory().join("reference.json")).unwrap()).unwrap()
}

fn rows(v: &Value) -> Vec<Vec<f32>> {
    serde_json::from_value(v.clone()).unwrap()
}

fn model(level: Level, format: KvFormat) -> Model {
    model_in(level, format, Matrices::File)
}

fn model_in(level: Level, format: KvFormat, matrices: Matrices) -> Model {
    let device: Arc<dyn Device> = Arc::new(CpuDevice::with_level(level, Some(2)).unwrap());
    let cache = CacheTypes { k: Some(format), v: Some(format) };
    let options = LoadOptions { cache, matrices, ..LoadOptions::default() };
    let source = SafetensorsSource::open(&directory()).unwrap();
    Model::load_on(Box::new(source), device, &options, &mut |_| {}).unwrap()
}

/// The encoder's input, `[frames, mels]`, by the script's formula.
fn features() -> Vec<f32> {
    let value = |i: usize| {
        let (frame, mel) = ((i / MELS) as f64, i % MELS);
        let slow = 0.6 * (0.11 * frame + 0.37 * mel as f64).sin();
        (slow + 0.2 * (0.05 * frame * (1 + mel % 5) as f64).cos()) as f32
    };
    (0..FRAMES * MELS).map(value).collect()
}

fn wave(n: usize) -> Vec<f32> {
    let value = |i: f64| 0.3 * (0.05 * i + 2.0 * (0.0007 * i).sin()).sin() + 0.1 * (0.31 * i).sin();
    (0..n).map(|i| value(i as f64) as f32).collect()
}

/// A WAV file of floats at 16 kHz.
fn audio(samples: &[f32]) -> Audio {
    let data: Vec<u8> = samples.iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x03\0\x01\0");
    out.extend(16_000u32.to_le_bytes());
    out.extend(64_000u32.to_le_bytes());
    out.extend(b"\x04\0\x20\0data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    Audio::from_reader(Cursor::new(out), "the wave").unwrap()
}

fn levels() -> impl Iterator<Item = (Level, KvFormat, f32)> {
    // Sums of a few hundred terms in f32; and keys and values of 11 bits.
    let exact = LEVELS.iter().map(|l| (*l, KvFormat::F32, 2e-4));
    exact.chain(LEVELS.iter().map(|l| (*l, KvFormat::F16, 2e-2))).filter(|l| l.0.available())
}

fn room(texts: u32) -> Room {
    Room { texts, windows: 1 }
}

fn close(got: &[f32], want: &[f32], tolerance: f32, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * (1.0 + w.abs()), "{what}: value {i} is {g}, not {w}");
    }
}

#[test]
fn frames_are_those_of_transformers() {
    let mut spectrogram = Spectrogram::new(audio(&wave(24_000)), MELS);
    let mut frames = vec![0.0; FRAMES * MELS];
    assert_eq!(spectrogram.window(&mut frames).unwrap(), 150);
    for (i, want) in rows(&reference()["mel"]).iter().enumerate() {
        close(&frames[i * 7 * MELS..][..MELS], want, 1e-4, &format!("frame {}", 7 * i));
    }
}

/// Encoder and decoder at every level: keys and values of a layer, then the logits after each token of a text, by prompts of every length
/// and token by token.
#[test]
fn logits_are_those_of_transformers() {
    let reference = reference();
    let tokens: Vec<Token> = serde_json::from_value::<Vec<u32>>(reference["tokens"].clone())
        .unwrap()
        .into_iter()
        .map(Token)
        .collect();
    let logits = rows(&reference["logits"]);
    for (level, format, tolerance) in levels() {
        let model = model(level, format);
        let what = format!("{level} {}", format.name());
        let mut listener = Listener::new(Arc::clone(&model.inner), room(3), Words::Untimed).unwrap();
        listener.encode(0, &features()).unwrap();
        if format == KvFormat::F32 {
            let positions: Vec<usize> = serde_json::from_value(reference["positions"].clone()).unwrap();
            let [keys, values] = listener.cross(1);
            let (columns, hd) = (112, 16);
            for (i, pos) in positions.into_iter().enumerate() {
                let key: Vec<f32> = (0..32).map(|c| keys[c * columns + pos]).collect();
                let value: Vec<f32> =
                    (0..32).map(|c| values[c / hd * hd * columns + pos * hd + c % hd]).collect();
                close(&key, &rows(&reference["keys"])[i], tolerance, &format!("{what}: key {pos}"));
                close(&value, &rows(&reference["values"])[i], tolerance, &format!("{what}: value {pos}"));
            }
        }
        for n in 1..=tokens.len() {
            let got = listener.prompt(2, &tokens[..n]).unwrap();
            close(got, &logits[n - 1], tolerance, &format!("{what}: a prompt of {n}"));
        }
        listener.prompt(0, &tokens[..2]).unwrap();
        listener.prompt(1, &tokens[..2]).unwrap();
        for n in 2..tokens.len() {
            let alone = listener.go_on(0, n as u32, &tokens[n..=n]).unwrap().to_vec();
            close(&alone, &logits[n], tolerance, &format!("{what}: token {n}"));
            // Two texts beside each other: neither changes a bit of the other.
            let both = listener.step(n as u32, &[(0, tokens[n]), (1, tokens[n])]).unwrap();
            assert!(both[..alone.len()] == alone[..] && both[alone.len()..] == alone[..], "{what}");
        }
    }
}

/// The weights of the heads that align words, at every level: transformers' cross attention of each token of a text.
#[test]
fn scores_of_the_audio_are_those_of_transformers() {
    let reference = reference();
    let tokens: Vec<u32> = serde_json::from_value(reference["tokens"].clone()).unwrap();
    for (level, format, tolerance) in levels() {
        let model = model(level, format);
        let mut listener = Listener::new(Arc::clone(&model.inner), room(3), Words::Timed).unwrap();
        listener.encode(0, &features()).unwrap();
        let (scores, shape) = listener.align(1, Token::from_ids(&tokens), 1000).unwrap();
        assert_eq!((shape.heads, shape.rows, shape.positions, shape.columns), (2, tokens.len(), 100, 100));
        for (i, row) in scores.chunks_exact(100).enumerate() {
            let (head, token) = (i / tokens.len(), i % tokens.len());
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let weights: Vec<f32> = row.iter().map(|v| (v - most).exp()).collect();
            let sum: f32 = weights.iter().sum();
            let weights: Vec<f32> = weights.iter().step_by(7).map(|w| w / sum).collect();
            let want = &rows(&reference["weights"][head])[token];
            close(&weights, want, tolerance, &format!("{level} {}: {head} of {token}", format.name()));
        }
        // Who did not ask gets an error, and a text that is too long too.
        assert!(listener.align(1, &[Token(1); 49], 100).is_err());
        let mut other = Listener::new(Arc::clone(&model.inner), room(1), Words::Untimed).unwrap();
        let e = other.align(0, Token::from_ids(&tokens), 100).unwrap_err().to_string();
        assert!(e.contains("ask for words"), "{e}");
    }
}

/// Words have the text of their segments and no times outside them, and whoever asks for them hears the same.
#[test]
fn words_are_those_of_their_segments() {
    let model = speaking();
    let options = |words| TranscribeOptions {
        language: Some("de".into()),
        temperatures: vec![0.8],
        best_of: 2,
        seed: 5,
        words,
        ..TranscribeOptions::default()
    };
    let mut transcriber = model.transcriber(&options(Words::Untimed)).unwrap();
    let run = |t: &mut Transcriber| t.transcribe(audio(&wave(90_000)), &mut |_| Control::Continue).unwrap();
    let plain = run(&mut transcriber);
    transcriber.choose(&options(Words::Timed)).unwrap();
    let timed = run(&mut transcriber);
    assert_eq!((&plain.text, plain.segments.len()), (&timed.text, timed.segments.len()));
    assert!(plain.segments.iter().all(|s| s.words.is_empty()));
    assert!(timed.segments.iter().any(|s| !s.words.is_empty()), "{timed:?}");
    for (s, p) in timed.segments.iter().zip(&plain.segments) {
        assert_eq!((&s.text, &s.tokens), (&p.text, &p.tokens));
        assert_eq!(s.words.iter().map(|w| w.text.as_str()).collect::<String>(), s.text);
        assert!(s.words.iter().all(|w| 0.0 <= w.start && w.start <= w.end && w.end <= 5.625 + 2.0), "{s:?}");
        assert!(s.words.windows(2).all(|w| w[0].start <= w[1].start), "{s:?}");
        assert!(s.words.iter().all(|w| 0.0 < w.probability && w.probability <= 1.0), "{s:?}");
        if let (Some(first), Some(last)) = (s.words.first(), s.words.last()) {
            assert_eq!((s.start, s.end), (first.start, last.end));
        }
    }
    // And back: without words again, the same as at first.
    transcriber.choose(&options(Words::Untimed)).unwrap();
    assert_eq!(run(&mut transcriber), plain);
}

/// A word has the mean probability of its tokens: in a window whose text is drawn greedily, against the text run alone.
#[test]
fn words_are_as_sure_as_their_tokens() {
    let model = speaking();
    let options = TranscribeOptions {
        language: Some("de".into()),
        temperatures: vec![0.0],
        words: Words::Timed,
        ..TranscribeOptions::default()
    };
    let mut t = model.transcriber(&options).unwrap();
    let mut several = 0;
    for n in [9_000, 15_000, 21_000, 27_000, 31_000] {
        // Less than a window.
        let transcript = t.transcribe(audio(&wave(n)), &mut |_| Control::Continue).unwrap();
        let language = t.control.language("de").unwrap();
        let prompt = t.prompt(&[], language);
        let mut spectrogram = Spectrogram::new(audio(&wave(n)), MELS);
        let mut frames = vec![0.0; FRAMES * MELS];
        spectrogram.window(&mut frames).unwrap();
        t.listener.encode(0, &frames).unwrap();
        let mut decoder = Decoder {
            listener: &mut t.listener,
            rules: &t.rules,
            control: &t.control,
            tokenizer: model.tokenizer().unwrap(),
        };
        let whole = decoder.greedy(&[(0, &prompt)]).unwrap().remove(0);
        t.listener.turn_to(0).unwrap();
        let alone = each(&mut t, &prompt, &whole.tokens);
        // The first window's segments are runs of its tokens.
        for s in &transcript.segments {
            let Some(from) = whole.tokens.windows(s.tokens.len()).position(|w| w == s.tokens) else {
                continue;
            };
            let text = s.tokens.iter().zip(&alone[from..]).filter(|(token, _)| **token < t.control.end);
            let sure: Vec<f32> = text.map(|(_, l)| l.exp()).collect();
            let (least, most) = sure.iter().fold((1f32, 0f32), |(a, b), p| (a.min(*p), b.max(*p)));
            for w in &s.words {
                assert!((least - 5e-3..=most + 5e-3).contains(&w.probability), "{w:?}: {least} to {most}");
            }
            // One word of them all, to which no mark is joined.
            if let ([w], true) = (&s.words[..], s.text.chars().all(|c| !c.is_ascii_punctuation())) {
                let mean = sure.iter().sum::<f32>() / sure.len() as f32;
                assert!((w.probability - mean).abs() < 5e-3, "{w:?}: {mean}");
            }
            several += usize::from(!s.words.is_empty() && least < most);
        }
    }
    assert!(several > 0, "nothing was looked at");
}

/// Where products are what speech waits for, matrices are of 8 bits unless somebody says otherwise; what that changes is small.
#[test]
fn matrices_are_narrowed_where_that_is_quick() {
    for level in LEVELS.iter().copied().filter(|l| l.available()) {
        let logits = |matrices| {
            let model = model_in(level, KvFormat::F32, matrices);
            let slots = &model.program().weights.slots;
            let narrow = slots.iter().filter(|s| s.dtype == akunu_kernels::DType::Q8_0).count();
            let mut listener = Listener::new(Arc::clone(&model.inner), room(1), Words::Untimed).unwrap();
            listener.encode(0, &features()).unwrap();
            (narrow > 0, listener.prompt(0, Token::from_ids(&[257, 258, 261])).unwrap().to_vec())
        };
        let ((own, exact), (auto, near)) = (logits(Matrices::File), logits(Matrices::Auto));
        assert_eq!((own, auto), (false, level != Level::Reference), "{level}");
        let most = exact.iter().map(|v| v.abs()).fold(0.0, f32::max);
        let off = exact.iter().zip(&near).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        // Weights and inputs in 8 bits, in two layers on each side.
        assert!(off < 0.05 * most && (off > 0.0) == auto, "{level}: off by {off} of {most}");
    }
}

/// A text that was forked goes on as the one it was made of, to the bit, and neither disturbs the other.
#[test]
fn a_fork_is_the_same_text() {
    let tokens: Vec<Token> = Token::from_ids(&[257, 258, 261, 266, 71, 68, 75]).to_vec();
    for (level, format, _) in levels() {
        let mut listener =
            Listener::new(Arc::clone(&model(level, format).inner), room(3), Words::Untimed).unwrap();
        listener.encode(0, &features()).unwrap();
        listener.prompt(1, &[tokens[0]; 5]).unwrap();
        listener.prompt(2, &tokens).unwrap();
        listener.fork(2, 0, 7).unwrap();
        let both = listener.step(7, &[(0, Token(80)), (2, Token(80))]).unwrap().to_vec();
        let (fork, own) = both.split_at(both.len() / 2);
        assert!(fork == own && fork.iter().all(|v| v.is_finite()), "{level} {}", format.name());
        let apart = listener.step(8, &[(0, Token(5)), (2, Token(6))]).unwrap().to_vec();
        let again = listener.go_on(2, 8, &[Token(6)]).unwrap();
        assert!(apart[again.len()..] == again[..] && apart[..again.len()] != again[..], "{level}");
    }
}

/// What a search says of its text, whose cache was copied from beam to beam, is what the model says of it when it is run alone.
#[test]
fn beams_are_as_likely_as_they_say() {
    let model = speaking();
    let options = TranscribeOptions { beams: 6, ..TranscribeOptions::default() };
    let mut t = model.transcriber(&options).unwrap();
    let mut others = 0;
    for (scale, language, task) in
        [(1.0, 258, 261), (0.5, 259, 261), (2.0, 258, 260), (-1.0, 259, 260), (0.0, 258, 261)]
    {
        let window: Vec<f32> = features().iter().map(|v| v * scale).collect();
        t.listener.encode(0, &window).unwrap();
        let prompt = Token::from_ids(&[257, language, task]).to_vec();
        let [one, many] = [1, 6].map(|width| {
            let mut decoder = Decoder {
                listener: &mut t.listener,
                rules: &t.rules,
                control: &t.control,
                tokenizer: model.tokenizer().unwrap(),
            };
            let decoded = decoder.search(&prompt, width).unwrap();
            assert!(decoded.tokens.len() > 2, "{:?}", decoded.tokens);
            let (cut, whole) = sums(&mut t, &prompt, &decoded.tokens);
            let near =
                |sum: f32| (sum / (decoded.tokens.len() + 1) as f32 - decoded.avg_logprob).abs() < 5e-3;
            assert!(near(whole) || near(cut), "{width}: {} {cut} {whole}", decoded.avg_logprob);
            as_likely(&decoded, &each(&mut t, &prompt, &decoded.tokens));
            decoded.tokens
        });
        others += usize::from(one != many);
    }
    assert!(others > 0, "no beam but the first was followed");
}

/// Drawn at a temperature, of several texts, or greedily of several windows: each token has the log-probability that the model gives it when the
/// text is run alone.
#[test]
fn tokens_are_as_likely_as_they_say() {
    let model = speaking();
    let options = TranscribeOptions { windows: 3, best_of: 4, ..TranscribeOptions::default() };
    let mut t = model.transcriber(&options).unwrap();
    let prompts = [[257, 258, 261], [257, 259, 261], [257, 258, 260]].map(|p| Token::from_ids(&p).to_vec());
    let windows = [1.0, 0.5, -1.0].map(|scale| features().iter().map(|v| v * scale).collect::<Vec<f32>>());
    for (source, window) in (0..).zip(&windows) {
        t.listener.encode(source, window).unwrap();
    }
    let mut decoder = Decoder {
        listener: &mut t.listener,
        rules: &t.rules,
        control: &t.control,
        tokenizer: model.tokenizer().unwrap(),
    };
    let all: Vec<(u32, &[Token])> = (0..).zip(prompts.iter().map(Vec::as_slice)).collect();
    let mut decoded = decoder.greedy(&all).unwrap();
    for (source, prompt) in &all {
        decoder.listener.turn_to(*source).unwrap();
        decoded.push(decoder.decode(prompt, 0.7, 4, 3).unwrap());
    }
    for (decoded, (source, prompt)) in decoded.iter().zip(all.iter().chain(&all)) {
        assert!(decoded.tokens.len() > 2, "{:?}", decoded.tokens);
        t.listener.turn_to(*source).unwrap();
        as_likely(decoded, &each(&mut t, prompt, &decoded.tokens));
    }
}

/// Tables of one row and of several agree within a tolerance.
fn as_likely(decoded: &Decoded, want: &[f32]) {
    assert_eq!(decoded.logprobs.len(), decoded.tokens.len());
    for (got, want) in decoded.logprobs.iter().zip(want) {
        assert!((got - want).abs() < 5e-3 * (1.0 + want.abs()), "{got}, not {want}");
    }
}

/// Log-probabilities of a text that is run alone, token by token: without and with the end. (A text may have been cut off.)
fn sums(t: &mut Transcriber, prompt: &[Token], tokens: &[Token]) -> (f32, f32) {
    let all = each(t, prompt, tokens);
    let sum = |all: &[f32]| all.iter().sum::<f32>();
    (sum(&all[..tokens.len()]), sum(&all))
}

/// Log-probability of each token of a text that is run alone, and of the end after it.
fn each(t: &mut Transcriber, prompt: &[Token], tokens: &[Token]) -> Vec<f32> {
    let mut all = prompt.to_vec();
    let mut out = Vec::new();
    for n in 0..=tokens.len() {
        // A text that was cut off may have no room for its end.
        let Ok(logits) = t.listener.prompt(3, &all) else { break };
        let mut logits = logits.to_vec();
        t.rules.apply(&tokens[..n], &mut logits);
        let next = tokens.get(n).copied().unwrap_or(t.control.end);
        out.push(logits[next.index()]);
        all.push(next);
    }
    out
}

fn speaking() -> Model {
    speaking_from(&crate::Source::Path(directory()))
}

fn speaking_from(source: &crate::Source) -> Model {
    let device = Arc::new(CpuDevice::with_level(crate::level_of_one_family(), None).unwrap());
    Model::load_onto(source, device, &LoadOptions::default(), &mut |_| {}).unwrap()
}

/// Random weights say nothing of sense, but in order: times grow, the audio ends, and the same seed says the same.
#[test]
fn a_transcript_is_in_order_and_the_same_again() {
    let model = speaking();
    assert!(model.hears() && !model.is_encoder());
    for (language, condition) in
        [(Some("de"), Condition::PreviousText), (None, Condition::Nothing), (Some("en"), Condition::Nothing)]
    {
        let options = TranscribeOptions {
            language: language.map(Into::into),
            condition,
            temperatures: vec![0.0, 0.8],
            best_of: 3,
            initial_prompt: Some("Names".into()),
            seed: 5,
            ..TranscribeOptions::default()
        };
        let mut transcriber = model.transcriber(&options).unwrap();
        let mut run = || {
            let mut until = 0.0;
            let transcript = transcriber
                .transcribe(audio(&wave(90_000)), &mut |heard| {
                    if let Heard::Until(seconds) = heard {
                        assert!(seconds > until);
                        until = seconds;
                    }
                    Control::Continue
                })
                .unwrap();
            assert!(until > 5.6 - 0.02, "{until}");
            transcript
        };
        let first = run();
        assert_eq!(first, run());
        assert!((first.seconds - 5.625).abs() < 1e-9 && first.damage.is_none());
        assert!(
            ["en", "de"].contains(&first.language.as_str()) && language.is_none_or(|l| l == first.language)
        );
        for s in &first.segments {
            assert!(s.start < s.end && s.end <= 5.625 + 2.0 && !s.text.trim().is_empty(), "{s:?}");
            assert!(
                s.avg_logprob <= 0.0 && s.compression_ratio > 0.0 && (0.0..=1.0).contains(&s.no_speech_prob)
            );
        }
        assert!(first.segments.windows(2).all(|w| w[0].start <= w[1].start));
        assert_eq!(first.text, first.segments.iter().map(|s| s.text.as_str()).collect::<String>());
    }
}

#[test]
fn who_listens_may_stop() {
    let model = speaking();
    let mut transcriber = model.transcriber(&TranscribeOptions::default()).unwrap();
    let mut calls = 0;
    let stopped = transcriber
        .transcribe(audio(&wave(160_000)), &mut |_| {
            calls += 1;
            Control::Stop
        })
        .unwrap();
    assert!(calls == 1 && stopped.segments.len() <= 1);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let model = speaking();
    let says = |options: TranscribeOptions, words: &str| {
        let e = model.transcriber(&options).err().unwrap().to_string();
        assert!(e.contains(words), "{e}");
    };
    let o = TranscribeOptions::default;
    says(TranscribeOptions { language: Some("xx".into()), ..o() }, "the model knows en, de");
    says(TranscribeOptions { temperatures: vec![], ..o() }, "one at least");
    says(TranscribeOptions { temperatures: vec![f32::NAN], ..o() }, "from 0 to 100");
    says(TranscribeOptions { best_of: 0, ..o() }, "between 1 and 16");
    says(TranscribeOptions { beams: 17, ..o() }, "between 1 and 16");
    says(TranscribeOptions { no_speech: Some(f32::NAN), ..o() }, "a threshold");
    let translated = TranscribeOptions { task: Task::Translate, ..o() };
    let mut transcriber = model.transcriber(&translated).unwrap();
    let window = features();
    let mut logits = |n: usize, tokens: &[u32]| transcriber.logits(&window[..n], Token::from_ids(tokens));
    assert_eq!(logits(FRAMES * MELS, &[257]).unwrap().len(), 367);
    let bad = [logits(MELS, &[257]), logits(FRAMES * MELS, &[]), logits(FRAMES * MELS, &[367])];
    assert!(bad.iter().all(Result::is_err) && logits(FRAMES * MELS, &[1; 49]).is_err());
    // Other models do not hear, and this one does nothing else.
    let e = model.session().err().unwrap().to_string();
    assert!(e.contains("akunu transcribe"), "{e}");
    let e = model.embedder(&crate::EmbedOptions::default()).err().unwrap().to_string();
    assert!(e.contains("use an encoder"), "{e}");
    let options = LoadOptions { device: crate::DeviceChoice::Null, ..LoadOptions::default() };
    let other =
        Model::load(&crate::Source::Synthetic("tiny-llama:q4_0".into()), &options, &mut |_| {}).unwrap();
    let e = other.transcriber(&o()).err().unwrap().to_string();
    assert!(e.contains("a model of speech"), "{e}");
}

/// Silence of any length says nothing, or little, and takes no more memory than a window.
#[test]
fn silence_ends() {
    let model = speaking();
    let options = TranscribeOptions { temperatures: vec![0.0], ..TranscribeOptions::default() };
    let mut transcriber = model.transcriber(&options).unwrap();
    let t = transcriber.transcribe(audio(&vec![0.0; 16_000 * 20]), &mut |_| Control::Continue).unwrap();
    assert!((t.seconds - 20.0).abs() < 1e-9);
}

/// Files beside each other say what each says alone, and whose audio is none is told so while the others go on.
#[test]
fn files_beside_each_other_are_as_alone() {
    let model = speaking();
    let lengths = [90_000, 20_000, 300, 60_000];
    let file = |n: &usize| audio(&wave(*n));
    for (windows, temperatures) in [(1, vec![0.0]), (2, vec![0.0, 0.8]), (3, vec![0.0]), (8, vec![0.6])] {
        let options = TranscribeOptions {
            temperatures,
            best_of: 2,
            windows,
            words: Words::Timed,
            ..TranscribeOptions::default()
        };
        let mut transcriber = model.transcriber(&options).unwrap();
        let alone: Vec<Transcript> = (lengths.iter())
            .map(|n| transcriber.transcribe(file(n), &mut |_| Control::Continue).unwrap())
            .collect();
        let bad = || Audio::from_reader(Cursor::new(b"no audio".to_vec()), "bad").map_err(Error::from);
        let mut files = lengths.iter().map(|n| Ok(file(n))).chain([bad()]).chain([Ok(file(&lengths[1]))]);
        let (mut ended, mut heard): (Vec<Option<Result<Transcript, Error>>>, _) = (Vec::new(), vec![0; 6]);
        ended.resize_with(6, || None);
        let all = transcriber.transcribe_all(&mut files, &mut |number, event| {
            match event {
                Event::Heard(Heard::Segment(_)) => heard[number] += 1,
                Event::Heard(Heard::Until(_)) => {}
                Event::Ended(transcript) => assert!(ended[number].replace(transcript).is_none()),
            }
            Control::Continue
        });
        all.unwrap();
        for (number, ended) in ended.iter().enumerate() {
            match (number, ended) {
                (4, Some(Err(Error::Audio(_)))) => assert_eq!(heard[4], 0),
                (n, Some(Ok(t))) if n != 4 => {
                    assert_eq!(heard[n], t.segments.len());
                    assert_eq!(t, &alone[n % 4], "{windows}: {n}");
                }
                other => panic!("{windows}: {other:?}"),
            }
        }
        // Who stops ends all.
        let mut files = lengths.iter().map(|n| Ok(file(n)));
        let mut calls = 0;
        let stop = &mut |_: usize, _: Event<'_>| {
            calls += 1;
            Control::Stop
        };
        transcriber.transcribe_all(&mut files, stop).unwrap();
        assert_eq!(calls, 1);
    }
}

/// A file of whisper.cpp is the directory that it was made of, to the bit.
#[test]
fn a_ggml_file_is_its_directory() {
    let file = crate::Source::Path(directory().with_extension("bin"));
    assert!(file.tokenizer().unwrap().is_some());
    let model = speaking_from(&file);
    let tokens = Token::from_ids(&[257, 258, 261, 266, 71, 68]);
    let [own, other] = [model.clone(), speaking()].map(|m| {
        let mut t = m.transcriber(&TranscribeOptions::default()).unwrap();
        t.logits(&features(), tokens).unwrap()
    });
    assert!(own == other);
    // Its files name no heads that align words, so those of the latter half of the layers do.
    let options = TranscribeOptions { words: Words::Timed, ..TranscribeOptions::default() };
    let transcript =
        model.transcriber(&options).unwrap().transcribe(audio(&wave(60_000)), &mut |_| Control::Continue);
    assert!(transcript.is_ok());
    assert_eq!(model.program().aligning().alignment, [(1, 0), (1, 1), (2, 0), (2, 1)]);
}
