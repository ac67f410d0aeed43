//! Whisper: the real model against transformers on recordings of speech (`tools/whisper_oracle.py`), and the tiny random one on a GPU
//! against the CPU.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cuda::{Options, compile_table};
use akunu::files::WeightSource;
use akunu::files::convert::{Input, Options as ConvertOptions, Requantize, convert};
use akunu::files::quantize::Recipe;
use akunu::files::safetensors::SafetensorsSource;
use akunu::files::tokenizer::TokenizerData;
use akunu::kernels::Machine;
use akunu::kernels::cuda::Gpu;
use akunu::plan::{CacheTypes, Program, Settings, Target};
use akunu::transcribe::Cut;
use akunu::transcribe::audio::{Audio, Spectrogram, filter_bank};
use akunu::{
    Control, DeviceChoice, LoadOptions, Matrices, Model, RowCount, Source, Token, TranscribeOptions,
    Transcript,
};
use akunu_conformance::{On, fixture, on_each_device_and_vulkan};
use serde_json::Value;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A folder of the user's cache, where the tools put what they fetch.
fn fetched(name: &str) -> PathBuf {
    let own = std::env::var_os("AKUNU_CACHE").map(PathBuf::from);
    let shared = std::env::var_os("XDG_CACHE_HOME").map(|d| PathBuf::from(d).join("akunu"));
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/akunu");
    own.or(shared).unwrap_or_else(home).join(name)
}

fn oracle() -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture("oracle/whisper.json")).unwrap()).unwrap()
}

fn load(path: &Path, device: DeviceChoice) -> Model {
    load_in(path, device, Matrices::Auto)
}

fn load_in(path: &Path, device: DeviceChoice, matrices: Matrices) -> Model {
    let options = LoadOptions { device, matrices, ..LoadOptions::default() };
    Model::load(&Source::Path(path.into()), &options, &mut |_| {}).unwrap()
}

fn hear(model: &Model, path: &Path) -> Transcript {
    let mut transcriber = model.transcriber(&TranscribeOptions::default()).unwrap();
    transcriber.transcribe(Audio::open(path).unwrap(), &mut |_| Control::Continue).unwrap()
}

fn tokens(t: &Transcript) -> Vec<u32> {
    t.segments.iter().flat_map(|s| Token::ids(&s.tokens).to_vec()).collect()
}

/// Lower-case words without marks.
fn plain_words(text: &str) -> Vec<String> {
    let letters = |c: char| if c.is_alphanumeric() || c == '\'' { c.to_ascii_lowercase() } else { ' ' };
    text.chars().map(letters).collect::<String>().split_whitespace().map(Into::into).collect()
}

/// The real model on five recordings draws what transformers draws, times and all.
#[test]
#[ignore = "needs tools/fetch-whisper.sh and tools/fetch-speech.sh"]
fn real_speech_is_transcribed_as_by_the_oracle() {
    let model = load(&fetched("models/whisper-tiny.en"), DeviceChoice::Cpu);
    let (mut seconds, start) = (0.0, Instant::now());
    for recording in oracle()["recordings"].as_array().unwrap() {
        let name = recording["file"].as_str().unwrap();
        let transcript = hear(&model, &fetched("speech").join(name));
        let want: Vec<u32> = serde_json::from_value(recording["tokens"].clone()).unwrap();
        assert_eq!(tokens(&transcript), want, "{name}: {}", transcript.text);
        let (said, heard) = (recording["text"].as_str().unwrap(), plain_words(&transcript.text));
        let missed = plain_words(said).iter().filter(|w| !heard.contains(w)).count();
        println!("{name}: {} ({missed} of the words that were read are not in it)", transcript.text);
        seconds += transcript.seconds;
    }
    println!("{seconds:.1} s of audio in {:.2?}", start.elapsed());
}

/// The same as a file of whisper.cpp, which `tools/whisper_ggml.py` makes: it lacks lists of tokens that are never drawn, and their rules give the
/// same lists.
#[test]
#[ignore = "needs tools/fetch-whisper.sh, tools/fetch-speech.sh and Python 3"]
fn real_speech_is_the_same_from_a_ggml_file() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, file) = (fetched("models/whisper-tiny.en"), folder.path().join("ggml-tiny.en.bin"));
    let tool = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/whisper_ggml.py");
    assert!(std::process::Command::new("python3").arg(tool).args([&dir, &file]).status().unwrap().success());
    let model = load(&file, DeviceChoice::Cpu);
    let decoding = |m: &Model| m.config().audio.as_ref().unwrap().decoding.clone();
    let (own, other) = (decoding(&model), decoding(&load(&dir, DeviceChoice::Cpu)));
    assert_eq!((own.multilingual, own.first_timestamp), (other.multilingual, other.first_timestamp));
    assert_eq!((&own.suppressed, &own.suppressed_first), (&other.suppressed, &other.suppressed_first));
    for recording in oracle()["recordings"].as_array().unwrap() {
        let transcript = hear(&model, &fetched("speech").join(recording["file"].as_str().unwrap()));
        let want: Vec<u32> = serde_json::from_value(recording["tokens"].clone()).unwrap();
        assert_eq!(tokens(&transcript), want, "{}", transcript.text);
    }
}

/// A directory converted to files of whisper.cpp: in 16 bits every token is the oracle's, in 8 and 5 most words are.
#[test]
#[ignore = "needs tools/fetch-whisper.sh and tools/fetch-speech.sh"]
fn real_speech_is_the_same_after_conversion() {
    let folder = tempfile::tempdir().unwrap();
    let dir = fetched("models/whisper-tiny.en");
    let source = SafetensorsSource::open(&dir).unwrap();
    let data = TokenizerData::from_directory(source.directory(), source.config().vocab).unwrap();
    let input = Input::speech(&source, &dir, data.as_ref(), &filter_bank(80)).unwrap();
    // The heads that follow the audio, and nothing else.
    assert!(matches!(input.lost(), [one] if one.contains("heads")), "{:?}", input.lost());
    let mut said: Vec<Vec<String>> = Vec::new();
    for (recipe, most) in [("f16", 0), ("q8_0", 4), ("q5_0", 4)] {
        let file = folder.path().join(recipe);
        let recipe = Recipe::parse(recipe).unwrap();
        let options = ConvertOptions { recipe, requantize: Requantize::Refuse, threads: 2 };
        convert(&input, &file, &options, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
        let model = load(&file, DeviceChoice::Cpu);
        let (mut errors, mut all) = (0, 0);
        for (i, recording) in oracle()["recordings"].as_array().unwrap().iter().enumerate() {
            let transcript = hear(&model, &fetched("speech").join(recording["file"].as_str().unwrap()));
            let want: Vec<u32> = serde_json::from_value(recording["tokens"].clone()).unwrap();
            if most == 0 {
                assert_eq!(tokens(&transcript), want, "{}", transcript.text);
                said.push(plain_words(&transcript.text));
            }
            let words = &said[i];
            errors += word_errors(words, &plain_words(&transcript.text));
            all += words.len();
        }
        println!("{recipe}: {errors} of {all} words are not the oracle's");
        assert!(errors <= most && all > 50, "{recipe}: {errors} of {all}");
    }
}

/// The likeliest tokens after the start, and their logits.
#[test]
#[ignore = "needs tools/fetch-whisper.sh and tools/fetch-speech.sh"]
fn real_speech_has_the_logits_of_the_oracle() {
    let model = load_in(&fetched("models/whisper-tiny.en"), DeviceChoice::Cpu, Matrices::File);
    let mut transcriber = model.transcriber(&TranscribeOptions::default()).unwrap();
    let mut window = vec![0f32; 3000 * 80];
    for recording in oracle()["recordings"].as_array().unwrap() {
        let name = recording["file"].as_str().unwrap();
        let audio = Audio::open(&fetched("speech").join(name)).unwrap();
        Spectrogram::new(audio, 80).window(&mut window).unwrap();
        let logits = transcriber.logits(&window, &[Token(50257)]).unwrap();
        let best: Vec<usize> = serde_json::from_value(recording["best"].clone()).unwrap();
        let want: Vec<f32> = serde_json::from_value(recording["logits"].clone()).unwrap();
        let off = best.iter().zip(&want).map(|(i, w)| (logits[*i] - w).abs()).fold(0f32, f32::max);
        println!("{name}: logits are off by {off:e}");
        // Keys and values have 11 bits.
        assert!(off < 0.02, "{name}: {off}");
    }
}

/// Frames of the real recordings are transformers' own.
#[test]
#[ignore = "needs tools/fetch-speech.sh"]
fn real_speech_has_the_frames_of_the_oracle() {
    let oracle = oracle();
    let frames: Vec<usize> = serde_json::from_value(oracle["frames"].clone()).unwrap();
    for recording in oracle["recordings"].as_array().unwrap() {
        let name = recording["file"].as_str().unwrap();
        let mut spectrogram = Spectrogram::new(Audio::open(&fetched("speech").join(name)).unwrap(), 80);
        let mut window = vec![0f32; 3000 * 80];
        spectrogram.window(&mut window).unwrap();
        let want: Vec<Vec<f32>> = serde_json::from_value(recording["mel"].clone()).unwrap();
        for (frame, want) in frames.iter().zip(&want) {
            for (m, w) in want.iter().enumerate() {
                let got = window[frame * 80 + m];
                assert!((got - w).abs() < 2e-4, "{name}: bin {m} of frame {frame} is {got}, not {w}");
            }
        }
    }
}

/// Ten minutes of the recordings in a file, with noise and silence between, and what is said in them. The folder lives as long as the file.
fn ten_minutes() -> (tempfile::TempDir, PathBuf, Vec<String>) {
    let oracle = oracle();
    let recordings: Vec<&Value> = oracle["recordings"].as_array().unwrap().iter().collect();
    let mut samples = Vec::new();
    let mut said = Vec::new();
    let mut word = 9u32;
    for round in 0.. {
        if samples.len() > 600 * 16_000 {
            break;
        }
        let recording = recordings[round % recordings.len()];
        let path = fetched("speech").join(recording["file"].as_str().unwrap());
        samples.extend(Audio::open(&path).and_then(Audio::samples).unwrap());
        said.extend(plain_words(recording["text"].as_str().unwrap()));
        // A second or two of silence, or of faint noise.
        for _ in 0..16_000 * (1 + round % 2) {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (word >> 8) as f32 / (1 << 24) as f32 - 0.5;
            samples.push(if round % 3 == 0 { 0.0 } else { noise * 0.004 });
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.wav");
    std::fs::write(&path, wav(&samples)).unwrap();
    (folder, path, said)
}

/// Word errors of a long recording, of which everything is heard to its end, in time.
fn errors_to_the_end(transcript: &Transcript, said: &[String]) -> usize {
    assert!(transcript.segments.windows(2).all(|w| w[0].start <= w[1].start && w[0].end <= w[1].end));
    let last = transcript.segments.last().unwrap();
    assert!(last.end > transcript.seconds - 12.0, "nothing is heard after {} s", last.end);
    word_errors(said, &plain_words(&transcript.text))
}

/// Ten minutes of the recordings: everything that is said is heard, and nothing is said again and again.
#[test]
#[ignore = "needs tools/fetch-whisper.sh and tools/fetch-speech.sh"]
fn real_long_speech_is_heard_to_its_end() {
    let model = load(&fetched("models/whisper-tiny.en"), DeviceChoice::Cpu);
    let (_folder, path, said) = ten_minutes();
    let start = Instant::now();
    let transcript = hear(&model, &path);
    let took = start.elapsed();
    let errors = errors_to_the_end(&transcript, &said);
    println!("{:.0} s in {took:.1?}: {errors} errors in {} words", transcript.seconds, said.len());
    assert!(errors * 5 < said.len(), "{errors} errors in {} words", said.len());
}

/// The same in pieces beside each other: no more words are wrong than in windows that follow each other but for one in a hundred, nothing is
/// lost or said twice, and how many pieces are decoded at once changes nothing.
#[test]
#[ignore = "needs tools/fetch-whisper.sh and tools/fetch-speech.sh"]
fn real_long_speech_is_heard_in_pieces() {
    let model = load(&fetched("models/whisper-tiny.en"), DeviceChoice::Cpu);
    let (_folder, path, said) = ten_minutes();
    let hear = |cut, windows| {
        let options = TranscribeOptions { cut, windows, ..TranscribeOptions::default() };
        let mut transcriber = model.transcriber(&options).unwrap();
        let start = Instant::now();
        let transcript =
            transcriber.transcribe(Audio::open(&path).unwrap(), &mut |_| Control::Continue).unwrap();
        let took = start.elapsed();
        let errors = errors_to_the_end(&transcript, &said);
        let fallbacks = transcript.segments.iter().filter(|s| s.temperature > 0.0).count();
        println!(
            "{cut:?}, {windows} at once: {took:.1?}, {errors} errors in {} words, {} segments, {fallbacks} of them drawn",
            said.len(),
            transcript.segments.len()
        );
        (transcript, errors)
    };
    let (_, usual) = hear(Cut::AfterSpeech, 1);
    let (many, errors) = hear(Cut::AtPauses, 8);
    assert!(errors <= usual + said.len() / 100, "{errors} errors, {usual} in windows that follow each other");
    // Words that are said in the recordings and not heard, or heard and not said, in the sum: neither is lost nor doubled.
    let count = plain_words(&many.text).len();
    assert!(count.abs_diff(said.len()) * 50 < said.len(), "{count} words of {}", said.len());
    let (few, _) = hear(Cut::AtPauses, 3);
    assert!(few == many, "3 at once are not as 8");
}

/// A WAV file of 16-bit samples at 16 kHz.
fn wav(samples: &[f32]) -> Vec<u8> {
    let data: Vec<u8> = samples.iter().flat_map(|v| ((v * 32767.0) as i16).to_le_bytes()).collect();
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    out.extend(16_000u32.to_le_bytes());
    out.extend(32_000u32.to_le_bytes());
    out.extend(b"\x02\0\x10\0data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

/// The least number of words to change, leave out or put in (Levenshtein).
fn word_errors(said: &[String], heard: &[String]) -> usize {
    let mut row: Vec<usize> = (0..=heard.len()).collect();
    for (i, s) in said.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, h) in heard.iter().enumerate() {
            let change = diagonal + usize::from(s != h);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[heard.len()]
}

#[test]
fn errors_are_counted_in_words() {
    let words = |s: &str| plain_words(s);
    assert_eq!(word_errors(&words("a b c"), &words("A b, c.")), 0);
    assert_eq!(word_errors(&words("a b c"), &words("a c d")), 2);
    assert_eq!(word_errors(&words(""), &words("a b")), 2);
}

/// Compiles both walks of the tiny model: of the decoder the tables of one row and of the most.
fn compile(arch: &str) {
    let gpu = Gpu::of_arch(arch).unwrap();
    let source = SafetensorsSource::open(&fixture("tiny-whisper")).unwrap();
    let settings =
        Settings { context: 48, head_rows: RowCount(1), cache: CacheTypes::default(), batch: None };
    let program = Program::new(&source, Target::of(Machine::Cuda(gpu)), settings).unwrap();
    let program = program.hearing(5, 1).unwrap();
    let ladder = program.ladder();
    let options = Options { overlap: gpu.sm >= 90, ..Options::default() };
    let logits = [ladder.first(), ladder.last()].into_iter().flatten();
    let logits = logits.map(|rows| program.logits_table(*rows).unwrap());
    for table in logits.chain([program.encode_audio_table().unwrap()]) {
        compile_table(&table, options).unwrap_or_else(|e| panic!("{} for {arch}: {e}", table.name));
    }
}

#[test]
#[ignore = "needs tools/fetch-nvrtc.sh"]
fn real_speech_compile_for_sm_90a() {
    compile("sm_90a");
}

#[test]
#[ignore = "needs tools/fetch-nvrtc.sh"]
fn real_speech_compile_for_sm_80() {
    compile("sm_80");
}

on_each_device_and_vulkan!(tiny_logits_are_those_of_transformers);

/// The tiny random model: logits after every token of a text.
fn tiny_logits_are_those_of_transformers(on: On) {
    let directory = fixture("tiny-whisper");
    let text = std::fs::read_to_string(directory.join("reference.json")).unwrap();
    let reference: Value = serde_json::from_str(&text).unwrap();
    let tokens: Vec<u32> = serde_json::from_value(reference["tokens"].clone()).unwrap();
    let logits: Vec<Vec<f32>> = serde_json::from_value(reference["logits"].clone()).unwrap();
    // The formula of tools/tiny_whisper.py.
    let value = |i: usize| {
        let (frame, mel) = ((i / 80) as f64, i % 80);
        let slow = 0.6 * (0.11 * frame + 0.37 * mel as f64).sin();
        (slow + 0.2 * (0.05 * frame * (1 + mel % 5) as f64).cos()) as f32
    };
    let window: Vec<f32> = (0..200 * 80).map(value).collect();
    for device in on.devices().unwrap() {
        let name = device.info().name.clone();
        let options = LoadOptions { matrices: Matrices::File, ..LoadOptions::default() };
        let model =
            Model::load_onto(&Source::Path(directory.clone()), device, &options, &mut |_| {}).unwrap();
        let mut transcriber = model.transcriber(&TranscribeOptions::default()).unwrap();
        for n in 1..=tokens.len() {
            let got = transcriber.logits(&window, Token::from_ids(&tokens[..n])).unwrap();
            for (i, (g, w)) in got.iter().zip(&logits[n - 1]).enumerate() {
                let near = (g - w).abs() <= 3e-2 * (1.0 + w.abs());
                assert!(near, "{name}: after {n} tokens: logit {i} is {g}, not {w}");
            }
        }
    }
}

/// A GPU hears what the CPU hears: of the recordings so many as `AKUNU_TEST_PROMPTS` says.
fn is_heard_by(device: DeviceChoice) {
    let model = load(&fetched("models/whisper-tiny.en"), device);
    let most = std::env::var("AKUNU_TEST_PROMPTS").ok().and_then(|v| v.parse().ok()).unwrap_or(usize::MAX);
    for recording in oracle()["recordings"].as_array().unwrap().iter().take(most.max(1)) {
        let name = recording["file"].as_str().unwrap();
        let start = Instant::now();
        let transcript = hear(&model, &fetched("speech").join(name));
        println!("{name}: {:.1} s in {:.2?}: {}", transcript.seconds, start.elapsed(), transcript.text);
        let want: Vec<u32> = serde_json::from_value(recording["tokens"].clone()).unwrap();
        assert_eq!(tokens(&transcript), want, "{name}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU, tools/fetch-whisper.sh and tools/fetch-speech.sh"]
fn gpu_real_speech_is_transcribed_as_by_the_oracle() {
    is_heard_by(DeviceChoice::Cuda(0));
}

#[test]
#[ignore = "needs a driver for Vulkan, tools/fetch-whisper.sh and tools/fetch-speech.sh; tools/vulkan.sh"]
fn vulkan_real_speech_is_transcribed_as_by_the_oracle() {
    is_heard_by(DeviceChoice::Vulkan(0));
}
