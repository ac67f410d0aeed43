//! Speech through C: what the engine gives, and an error for what no caller should do.
#![allow(
    clippy::unwrap_used,
    clippy::undocumented_unsafe_blocks,
    reason = "a test fails by panicking; its calls keep the header's contract"
)]

use akunu::transcribe::audio::Audio;
use akunu::transcribe::{Cut, Segment, Word, Words};
use akunu::{Control, LoadOptions, Model, Source, TranscribeOptions};
use akunu_capi::*;
use std::ffi::{CStr, CString, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn c(path: &Path) -> CString {
    CString::new(path.to_str().unwrap()).unwrap()
}

#[track_caller]
fn works(status: akunu_status) {
    let message = unsafe { CStr::from_ptr(akunu_last_error()) };
    assert_eq!(status, AKUNU_OK, "{message:?}");
}

#[track_caller]
fn fails(status: akunu_status, code: akunu_status, what: &str) {
    let message = unsafe { CStr::from_ptr(akunu_last_error()) }.to_str().unwrap();
    assert_eq!(status, code, "{message}");
    assert!(message.contains(what), "`{what}` is not in: {message}");
}

fn load(name: &CStr) -> *mut akunu_model {
    let mut options: akunu_load_options = unsafe { std::mem::zeroed() };
    works(unsafe { akunu_load_options_init(&mut options, size_of_val(&options)) });
    (options.threads, options.device) = (1, c"cpu".as_ptr());
    let mut model = null_mut();
    works(unsafe { akunu_model_load(name.as_ptr(), &options, &mut model) });
    model
}

/// Greedy, and nothing else is tried.
fn options() -> akunu_transcribe_options {
    let mut o: akunu_transcribe_options = unsafe { std::mem::zeroed() };
    works(unsafe { akunu_transcribe_options_init(&mut o, size_of_val(&o)) });
    (o.temperatures, o.temperature_count) = (&0.0, 1);
    o
}

fn transcriber(model: *mut akunu_model) -> *mut akunu_transcriber {
    let mut t = null_mut();
    works(unsafe { akunu_transcriber_new(model, &options(), &mut t) });
    t
}

#[derive(Default)]
struct Seen {
    texts: Vec<String>,
    tokens: Vec<Vec<u32>>,
    times: Vec<(f64, f64)>,
    words: Vec<Vec<(f64, f64, String, f32)>>,
    quality: Vec<[f32; 4]>,
    stop: bool,
}

unsafe extern "C-unwind" fn see(segment: *const akunu_segment, data: *mut c_void) -> i32 {
    let (s, seen) = unsafe { (&*segment, &mut *data.cast::<Seen>()) };
    assert_eq!(s.size, size_of::<akunu_segment>());
    let text = unsafe { std::slice::from_raw_parts(s.text.cast::<u8>(), s.text_length) };
    seen.texts.push(std::str::from_utf8(text).unwrap().into());
    seen.tokens.push(unsafe { std::slice::from_raw_parts(s.tokens, s.token_count) }.to_vec());
    seen.times.push((s.start, s.end));
    assert_eq!(s.words.is_null(), s.word_count == 0);
    let word = |i| unsafe {
        let w = &**s.words.add(i);
        assert_eq!(w.size, size_of::<akunu_word>());
        let text = std::slice::from_raw_parts(w.text.cast::<u8>(), w.text_length);
        (w.start, w.end, std::str::from_utf8(text).unwrap().into(), w.probability)
    };
    seen.words.push((0..s.word_count).map(word).collect());
    seen.quality.push([s.temperature, s.avg_logprob, s.compression_ratio, s.no_speech_prob]);
    seen.stop.into()
}

/// Three windows and a little of noise, as a file.
fn noise() -> Vec<u8> {
    let mut state = 1u32;
    let samples = (0..16_000 * 95).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 16) as i16) / 8
    });
    let data: Vec<u8> = samples.flat_map(i16::to_le_bytes).collect();
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

#[test]
fn transcripts_are_those_of_the_engine() {
    let whisper = fixture("tiny-whisper");
    let load_options = LoadOptions { threads: Some(1), ..LoadOptions::default() };
    let engine = Model::load(&Source::Path(whisper.clone()), &load_options, &mut |_| {}).unwrap();
    let greedy = TranscribeOptions { temperatures: vec![0.0], ..TranscribeOptions::default() };
    let dir = tempfile::tempdir().unwrap();
    let wav = dir.path().join("noise.wav");
    std::fs::write(&wav, noise()).unwrap();
    let model = load(&c(&whisper));
    let t = transcriber(model);
    akunu_model_free(model);
    let mut segments = 0;
    let tones = ["flac", "m4a", "mp3", "ogg"].map(|kind| fixture(&format!("audio/tone.{kind}")));
    for path in tones.into_iter().chain([wav]) {
        let want = engine.transcriber(&greedy).unwrap();
        let want = { want }.transcribe(Audio::open(&path).unwrap(), &mut |_| Control::Continue).unwrap();
        let contents = std::fs::read(&path).unwrap();
        for from_file in [true, false] {
            let mut seen = Seen::default();
            let data: *mut c_void = (&raw mut seen).cast();
            let mut got: akunu_transcript = unsafe { std::mem::zeroed() };
            got.size = size_of_val(&got);
            works(unsafe {
                match from_file {
                    true => akunu_transcriber_file(t, c(&path).as_ptr(), Some(see), data, &mut got),
                    false => akunu_transcriber_bytes(
                        t,
                        contents.as_ptr().cast(),
                        contents.len(),
                        Some(see),
                        data,
                        &mut got,
                    ),
                }
            });
            assert_eq!(seen.texts.concat(), want.text);
            assert_eq!(seen.times, want.segments.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>());
            let ids = |s: &akunu::transcribe::Segment| s.tokens.iter().map(|t| t.0).collect::<Vec<_>>();
            assert_eq!(seen.tokens, want.segments.iter().map(ids).collect::<Vec<_>>());
            assert_eq!(got.segments, want.segments.len() as u64);
            assert_eq!((got.seconds, got.cancelled, got.damaged), (want.seconds, 0, 0));
            assert_eq!(unsafe { CStr::from_ptr(got.language.as_ptr()) }.to_str().unwrap(), want.language);
            segments += want.segments.len();
        }
    }
    assert!(segments > 0, "random weights say something");
    akunu_transcriber_free(t);
}

/// What C sees of segments that Rust has.
#[track_caller]
fn agree(seen: &Seen, want: &[Segment]) {
    let word = |w: &Word| (w.start, w.end, w.text.clone(), w.probability);
    let words = |s: &Segment| s.words.iter().map(word).collect::<Vec<_>>();
    let quality = |s: &Segment| [s.temperature, s.avg_logprob, s.compression_ratio, s.no_speech_prob];
    assert_eq!(seen.words, want.iter().map(words).collect::<Vec<_>>());
    assert_eq!(seen.quality, want.iter().map(quality).collect::<Vec<_>>());
    assert_eq!(seen.times, want.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>());
}

#[test]
fn words_are_those_of_the_engine() {
    let (whisper, audio) = (fixture("tiny-whisper"), noise());
    let load_options = LoadOptions { threads: Some(1), ..LoadOptions::default() };
    let engine = Model::load(&Source::Path(whisper.clone()), &load_options, &mut |_| {}).unwrap();
    let model = load(&c(&whisper));
    let hear = |o: &akunu_transcribe_options| {
        let (mut t, mut seen) = (null_mut(), Seen::default());
        works(unsafe { akunu_transcriber_new(model, o, &mut t) });
        let (bytes, data) = (audio.as_ptr().cast(), (&raw mut seen).cast());
        works(unsafe { akunu_transcriber_bytes(t, bytes, audio.len(), Some(see), data, null_mut()) });
        akunu_transcriber_free(t);
        seen
    };
    let mut texts = Vec::new();
    for (flag, words) in [(0, Words::Untimed), (1, Words::Timed)] {
        let greedy = TranscribeOptions { temperatures: vec![0.0], words, ..TranscribeOptions::default() };
        let sound = Audio::from_bytes(audio.clone(), "noise").unwrap();
        let want =
            engine.transcriber(&greedy).unwrap().transcribe(sound, &mut |_| Control::Continue).unwrap();
        let seen = hear(&akunu_transcribe_options { word_timestamps: flag, ..options() });
        agree(&seen, &want.segments);
        assert_eq!(seen.words.iter().any(|w| !w.is_empty()), flag == 1);
        texts.push(seen.texts);
    }
    assert_eq!(texts[0], texts[1], "times of words change no text");
    akunu_model_free(model);
}

/// What programs of the first version read stays where it was, and what they wrote means the same.
#[test]
fn older_programs_find_what_they_know() {
    use std::mem::offset_of;
    assert_eq!(offset_of!(akunu_segment, no_speech_prob), 68);
    assert_eq!((offset_of!(akunu_segment, words), offset_of!(akunu_segment, word_count)), (72, 80));
    assert_eq!((offset_of!(akunu_word, text_length), offset_of!(akunu_word, probability)), (32, 40));
    // Its place was a reserved field, which had to be 0.
    assert_eq!(offset_of!(akunu_transcribe_options, word_timestamps), 52);
    assert_eq!(offset_of!(akunu_transcribe_options, batch), 64);
    assert_eq!(size_of::<akunu_transcribe_options>(), 72);
    assert_eq!((options().word_timestamps, options().batch), (0, 0));
    // A program that knows 64 bytes: what lies after them is not its options.
    let (model, mut t) = (load(&c(&fixture("tiny-whisper"))), null_mut());
    let older = akunu_transcribe_options { size: 64, batch: 1000, reserved: 7, ..options() };
    works(unsafe { akunu_transcriber_new(model, &older, &mut t) });
    akunu_transcriber_free(t);
    akunu_model_free(model);
}

/// Pieces are the engine's, however many are heard at once.
#[test]
fn pieces_are_those_of_the_engine() {
    let (whisper, audio) = (fixture("tiny-whisper"), noise());
    let load_options = LoadOptions { threads: Some(1), ..LoadOptions::default() };
    let engine = Model::load(&Source::Path(whisper.clone()), &load_options, &mut |_| {}).unwrap();
    let heard = |cut| {
        let o = TranscribeOptions { temperatures: vec![0.0], cut, ..TranscribeOptions::default() };
        let sound = Audio::from_bytes(audio.clone(), "noise").unwrap();
        engine.transcriber(&o).unwrap().transcribe(sound, &mut |_| Control::Continue).unwrap().segments
    };
    let model = load(&c(&whisper));
    for (batch, want) in [
        (0, heard(Cut::AfterSpeech)),
        (1, heard(Cut::AtPauses)),
        (3, heard(Cut::AtPauses)),
        (128, heard(Cut::AtPauses)),
    ] {
        let (mut t, mut seen) = (null_mut(), Seen::default());
        let o = akunu_transcribe_options { batch, ..options() };
        works(unsafe { akunu_transcriber_new(model, &o, &mut t) });
        let (bytes, data) = (audio.as_ptr().cast(), (&raw mut seen).cast());
        works(unsafe { akunu_transcriber_bytes(t, bytes, audio.len(), Some(see), data, null_mut()) });
        akunu_transcriber_free(t);
        agree(&seen, &want);
        assert!(!want.is_empty());
    }
    assert_ne!(heard(Cut::AfterSpeech), heard(Cut::AtPauses), "the noise does not tell them apart");
    akunu_model_free(model);
}

#[test]
fn cancels_callbacks_and_frees_end_it() {
    let (model, audio) = (load(&c(&fixture("tiny-whisper"))), noise());
    let t = transcriber(model);
    let run = |t: *mut akunu_transcriber, seen: &mut Seen| {
        let mut got: akunu_transcript = unsafe { std::mem::zeroed() };
        got.size = size_of_val(&got);
        let data: *mut c_void = (&raw mut *seen).cast();
        let bytes = audio.as_ptr().cast();
        works(unsafe { akunu_transcriber_bytes(t, bytes, audio.len(), Some(see), data, &mut got) });
        got
    };
    let whole = run(t, &mut Seen::default());
    assert!(whole.cancelled == 0 && (whole.seconds - 95.0).abs() < 1e-3, "{}", whole.seconds);
    works(akunu_transcriber_cancel(t));
    let cut = run(t, &mut Seen::default());
    assert!(cut.cancelled == 1 && cut.seconds < 90.0, "{}", cut.seconds);
    assert_eq!(run(t, &mut Seen::default()).segments, whole.segments, "a cancel counts once");
    if whole.segments > 1 {
        let stopped = run(t, &mut Seen { stop: true, ..Seen::default() });
        assert_eq!((stopped.cancelled, stopped.segments), (1, 1));
    }
    // Freed from another thread: the call ends by itself, or finds nothing.
    let (number, bytes) = (t.addr(), audio.as_slice());
    std::thread::scope(|scope| {
        let running = scope.spawn(move || unsafe {
            let t: *const akunu_transcriber = std::ptr::without_provenance(number);
            akunu_transcriber_bytes(t, bytes.as_ptr().cast(), bytes.len(), None, null_mut(), null_mut())
        });
        akunu_transcriber_free(t);
        assert!([AKUNU_OK, AKUNU_ERROR_HANDLE].contains(&running.join().unwrap()));
    });
    fails(akunu_transcriber_cancel(t), AKUNU_ERROR_HANDLE, "was freed");
    akunu_model_free(model);
}

#[test]
fn bad_input_is_an_error() {
    let (h, a) = (AKUNU_ERROR_HANDLE, AKUNU_ERROR_ARGUMENT);
    let model = load(&c(&fixture("tiny-whisper")));
    let t = transcriber(model);
    unsafe {
        fails(akunu_transcribe_options_init(null_mut(), 64), a, "NULL");
        fails(akunu_transcriber_new(null(), null(), &mut null_mut()), h, "NULL");
        fails(akunu_transcriber_new(model, null(), null_mut()), a, "`transcriber` is NULL");
        fails(akunu_transcriber_file(null(), null(), None, null_mut(), null_mut()), h, "NULL");
        fails(akunu_transcriber_bytes(null(), null(), 0, None, null_mut(), null_mut()), h, "NULL");
        fails(akunu_transcriber_cancel(null()), h, "NULL");
        akunu_transcriber_free(null_mut());
        let new = |o: &akunu_transcribe_options| akunu_transcriber_new(model, o, &mut null_mut());
        for (wrong, what) in [
            (akunu_transcribe_options { translate: 2, ..options() }, "choose 0 or 1"),
            (akunu_transcribe_options { no_context: 7, ..options() }, "choose 0 or 1"),
            (
                akunu_transcribe_options { word_timestamps: 2, ..options() },
                "`word_timestamps` is 2; choose 0 or 1",
            ),
            (akunu_transcribe_options { word_timestamps: u32::MAX, ..options() }, "choose 0 or 1"),
            (akunu_transcribe_options { temperature_count: usize::MAX, ..options() }, "at most 16"),
            (akunu_transcribe_options { temperatures: null(), ..options() }, "`temperatures` is NULL"),
            (akunu_transcribe_options { temperatures: &f32::NAN, ..options() }, "temperature"),
            (akunu_transcribe_options { beams: u32::MAX, ..options() }, "beams"),
            (akunu_transcribe_options { batch: 129, ..options() }, "between 1 and 128"),
            (akunu_transcribe_options { batch: u32::MAX, ..options() }, "between 1 and 128"),
            (akunu_transcribe_options { reserved: 1, ..options() }, "`reserved` must be 0"),
            (akunu_transcribe_options { language: c"klingon".as_ptr(), ..options() }, "klingon"),
            (akunu_transcribe_options { size: 3, ..options() }, "sizeof"),
        ] {
            fails(new(&wrong), a, what);
        }
        let file = |path: *const _| akunu_transcriber_file(t, path, None, null_mut(), null_mut());
        fails(file(null()), a, "`path` is NULL");
        fails(file(c"/no/such.wav".as_ptr()), a, "/no/such.wav");
        let bytes =
            |b: &[u8], n| akunu_transcriber_bytes(t, b.as_ptr().cast(), n, None, null_mut(), null_mut());
        fails(bytes(b"no audio", 8), a, "in memory");
        fails(bytes(b"", 0), a, "in memory");
        // An M4A file whose index, which stands at its end, is cut off; and one of which nothing but the beginning is there.
        let m4a = std::fs::read(fixture("audio/tone.m4a")).unwrap();
        fails(bytes(&m4a, m4a.len() / 2), a, "in memory");
        fails(bytes(&m4a, 8), a, "in memory");
        fails(akunu_transcriber_bytes(t, null(), 8, None, null_mut(), null_mut()), a, "`bytes` is NULL");
        fails(bytes(b"x", usize::MAX), a, "check the count");
        let llama = load(c"synthetic:tiny-llama:q8_0");
        fails(akunu_transcriber_new(llama, null(), &mut null_mut()), a, "speech");
        akunu_model_free(llama);
        let mut small: akunu_transcript = std::mem::zeroed();
        small.size = 8;
        let status =
            akunu_transcriber_file(t, c(&fixture("audio/tone.mp3")).as_ptr(), None, null_mut(), &mut small);
        fails(status, a, "sizeof(akunu_transcript)");
    }
    akunu_transcriber_free(t);
    akunu_model_free(model);
}

/// Models of speech and what hears with them leave nothing, over 1,000 of them.
#[test]
#[cfg(target_os = "linux")]
fn a_thousand_transcribers_leave_nothing() {
    let resident = || {
        let pages: u64 =
            std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        pages * 4096
    };
    let (whisper, tone) = (c(&fixture("tiny-whisper")), std::fs::read(fixture("audio/tone.m4a")).unwrap());
    let once = || {
        let model = load(&whisper);
        let t = transcriber(model);
        akunu_model_free(model);
        // Half a second of it, and what is no audio.
        let hear =
            |n| unsafe { akunu_transcriber_bytes(t, tone.as_ptr().cast(), n, None, null_mut(), null_mut()) };
        works(hear(tone.len()));
        fails(hear(8), AKUNU_ERROR_ARGUMENT, "in memory");
        akunu_transcriber_free(t);
    };
    (0..100).for_each(|_| once());
    let before = resident();
    (0..900).for_each(|_| once());
    let grown = resident().saturating_sub(before);
    // A leak of one model (170 KB) would be 150 MB, of one recording 30 MB.
    assert!(grown < 24 << 20, "{grown} bytes more after 900 loads");
}
