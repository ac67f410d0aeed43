//! Saved sessions: they go on with the same tokens, and what is damaged or foreign is refused and changes nothing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::WeightSource;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::{
    CacheTypes, Control, DecodeOptions, Eos, Error, KvFormat, LoadOptions, Model, Sampling, Session, Token,
};
use akunu_conformance::windowed::Windowed;
use akunu_conformance::{On, on_each_device};
use std::path::Path;
use std::sync::Arc;

on_each_device!(a_loaded_session_goes_on_with_the_same_tokens);

fn synthetic(spec: &str) -> Box<dyn WeightSource> {
    Box::new(Synthetic::parse(spec).unwrap())
}

fn cpu() -> Arc<dyn Device> {
    Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap())
}

fn model(source: Box<dyn WeightSource>, device: Arc<dyn Device>, context: u32, cache: CacheTypes) -> Model {
    let options = LoadOptions { context: Some(context), cache, ..LoadOptions::default() };
    Model::load_on(source, device, &options, &mut |_| {}).unwrap()
}

fn plain(context: u32) -> Model {
    model(synthetic("tiny-llama:q8_0"), cpu(), context, CacheTypes::default())
}

fn prompt(n: u32) -> Vec<Token> {
    (0..n).map(|i| Token(i.wrapping_mul(2_654_435_761) % 1021)).collect()
}

fn decode(s: &mut Session, n: u32) -> Vec<Token> {
    let sampling = Sampling { seed: 9, ..Sampling::DEFAULT };
    let options = DecodeOptions { max_tokens: n, sampling, eos: Eos::Ignore, chunk: None };
    let from = s.tokens().len();
    s.decode(&options, &mut |_| Control::Continue).unwrap();
    s.tokens()[from..].to_vec()
}

/// All lengths around blocks; rings that have gone around; a rewind after loading. Every model's numbers go on as they were: the cache
/// is the same to the bit.
fn a_loaded_session_goes_on_with_the_same_tokens(on: On) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("session");
    let device = on.devices().unwrap().pop().unwrap();
    let windowed = || Box::new(Windowed::new("tiny-llama:q8_0", 40, Some(vec![true, false])).unwrap());
    let sources: [(Box<dyn WeightSource>, u32); 3] =
        [(synthetic("tiny-llama:q8_0"), 700), (synthetic("tiny-qwen3moe:q4_0"), 700), (windowed(), 4000)];
    for (source, context) in sources {
        let layers = source.config().layers;
        let model = model(source, Arc::clone(&device), context, CacheTypes::default());
        let lengths = if context > 1000 { vec![5, 300, 2500, 3300] } else { vec![1, 5, 255, 256, 257, 600] };
        for n in lengths {
            let mut s = model.session().unwrap();
            s.append(&prompt(n)).unwrap();
            decode(&mut s, 20);
            s.save(&file, b"mine").unwrap();
            let (tokens, kv) = (s.tokens().to_vec(), s.kv_len());
            let cache: Vec<Vec<f32>> = (0..layers).map(|l| s.read_kv(l).unwrap()).collect();
            let want = decode(&mut s, 30);

            // Into a session that has something else.
            let mut loaded = model.session().unwrap();
            loaded.append(&prompt(77)[20..]).unwrap();
            decode(&mut loaded, 5);
            assert_eq!(loaded.load(&file).unwrap(), b"mine");
            assert_eq!((loaded.tokens(), loaded.kv_len()), (&tokens[..], kv));
            if context < 1000 {
                for (l, want) in cache.iter().enumerate() {
                    assert!(loaded.read_kv(l as u32).unwrap() == *want, "layer {l} after {n} tokens");
                }
            }
            assert_eq!(decode(&mut loaded, 30), want, "after {n} tokens");
            // What was saved can be rewound.
            loaded.rewind(n).unwrap();
            s.rewind(n).unwrap();
            assert_eq!(decode(&mut loaded, 40), decode(&mut s, 40), "rewound to {n} tokens");
        }
    }
}

#[test]
fn an_empty_session_and_one_that_has_not_run_are_saved_too() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("session");
    let model = plain(300);
    let (mut s, mut other) = (model.session().unwrap(), model.session().unwrap());
    s.save(&file, b"").unwrap();
    other.append(&prompt(3)).unwrap();
    assert!(other.load(&file).unwrap().is_empty() && other.tokens().is_empty());
    s.append(&prompt(9)).unwrap();
    s.save(&file, b"").unwrap();
    other.load(&file).unwrap();
    assert_eq!((other.kv_len(), decode(&mut other, 9)), (0, decode(&mut s, 9)));
    // A full context, whose last token lies after it.
    let filled = decode(&mut s, 1000).len();
    assert!(filled < 1000 && s.tokens().len() == 301);
    s.save(&file, b"").unwrap();
    other.load(&file).unwrap();
    assert_eq!(other.tokens(), s.tokens());
    other.rewind(280).unwrap();
    s.rewind(280).unwrap();
    assert_eq!(decode(&mut other, 10), decode(&mut s, 10));
    // In place of an older one, and never half.
    let e = s.save(&dir.path().join("no/such/folder"), b"").unwrap_err();
    assert!(matches!(e, Error::Model(_)), "{e}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
}

/// What a refusal says; the session is as it was.
fn refused(s: &mut Session, file: &Path) -> String {
    let before = s.tokens().to_vec();
    let e = s.load(file).unwrap_err();
    assert_eq!(s.tokens(), before);
    e.to_string()
}

#[test]
fn every_damage_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (file, bad) = (dir.path().join("session"), dir.path().join("bad"));
    let model = plain(300);
    let mut s = model.session().unwrap();
    s.append(&prompt(30)).unwrap();
    decode(&mut s, 5);
    s.save(&file, b"{}").unwrap();
    let whole = std::fs::read(&file).unwrap();
    let want = decode(&mut s, 8);
    s.rewind(35).unwrap();
    let len = whole.len();
    for cut in [0, 1, 7, 8, 50, 111, 112, 200, len / 2, len - 1] {
        std::fs::write(&bad, &whole[..cut]).unwrap();
        let said = refused(&mut s, &bad);
        assert!(
            said.contains("bad") && (said.contains("no saved session") || said.contains("cut off")),
            "{said}"
        );
    }
    std::fs::write(&bad, [&whole[..], b"x"].concat()).unwrap();
    assert!(refused(&mut s, &bad).contains("damaged"));
    // A bit anywhere: all of the beginning, and places in the rest.
    for at in (0..400).chain((400..len).step_by(len / 97)).chain([len - 33, len - 32, len - 1]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        std::fs::write(&bad, &bytes).unwrap();
        refused(&mut s, &bad);
    }
    std::fs::write(&bad, b"GGUF is something else, and long enough for a header of a session, which has some hundred bytes at its beginning......").unwrap();
    assert!(refused(&mut s, &bad).contains("no saved session"));
    assert!(refused(&mut s, dir.path()).contains("no regular file"));
    assert!(refused(&mut s, &dir.path().join("nothing")).contains("cannot read it"));
    assert_eq!(decode(&mut s, 8), want);
}

#[test]
fn foreign_files_are_refused_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("session");
    let save = |m: &Model| {
        let mut s = m.session().unwrap();
        s.append(&prompt(40)).unwrap();
        decode(&mut s, 5);
        s.save(&file, b"").unwrap();
    };
    let mine = plain(300);
    let mut s = mine.session().unwrap();
    let cache = |k, v| CacheTypes { k: Some(k), v: Some(v) };
    let others = [
        (model(synthetic("tiny-llama:q4_0"), cpu(), 300, CacheTypes::default()), "another model"),
        (model(synthetic("tiny-qwen3:q8_0"), cpu(), 300, CacheTypes::default()), "another model"),
        (model(synthetic("tiny-llama:q8_0"), cpu(), 300, cache(KvFormat::Q8_0, KvFormat::F16)), "-ctk"),
    ];
    for (other, says) in &others {
        save(other);
        let said = refused(&mut s, &file);
        assert!(said.contains(says), "{said}");
    }
    // A context that is long enough will do; a shorter one says so.
    save(&plain(700));
    s.load(&file).unwrap();
    let mut short = plain(20).session().unwrap();
    assert!(matches!(short.load(&file), Err(Error::ContextFull { tokens: 45, context: 20 })));
    // Rings lie as the context says.
    let windowed = |context| {
        let source = Windowed::new("tiny-llama:q8_0", 40, Some(vec![true, false])).unwrap();
        model(Box::new(source), cpu(), context, CacheTypes::default())
    };
    save(&windowed(4000));
    let said = refused(&mut windowed(300).session().unwrap(), &file);
    assert!(said.contains("--ctx"), "{said}");
}
