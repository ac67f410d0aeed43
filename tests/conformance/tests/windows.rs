//! Windowed layers keep a ring of blocks: what runs past it, is rewound or shifted gives what a fresh session gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::kernels::cpu::Level;
use akunu::{CacheTypes, EmbedOptions, KvFormat, LoadOptions, Model, Pooling, Session, Token};
use akunu_conformance::formula::Formula;
use akunu_conformance::{On, fixture, on_each_device};
use std::sync::Arc;

const CONTEXT: u32 = 16_384;
/// More than any device's ring holds.
const TOKENS: usize = 9000;

/// Three layers, all with a window of 8 positions: a token's logits depend on the 22 last tokens alone.
fn model(device: &Arc<dyn Device>) -> Model {
    model_with(device, CacheTypes::default(), 16)
}

fn model_with(device: &Arc<dyn Device>, cache: CacheTypes, head_dim: u32) -> Model {
    let text = std::fs::read_to_string(fixture("architectures/cases.json")).unwrap();
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut case = all.into_iter().find(|c| c["name"] == "mistral").unwrap();
    case["head_dim"] = head_dim.into();
    case["max_tokens"] = CONTEXT.into();
    let options = LoadOptions { context: Some(CONTEXT), cache, ..LoadOptions::default() };
    Model::load_on(Box::new(Formula::new(&case).unwrap()), device.clone(), &options, &mut |_| {}).unwrap()
}

fn tokens(n: usize) -> Vec<Token> {
    (0..n as u64).map(|i| Token(((i * i + i / 64 * 5 + i / 7) % 64) as u32)).collect()
}

/// The devices, on the CPU the reference level among them.
fn all_devices(on: On) -> Vec<Arc<dyn Device>> {
    let mut all = on.devices().unwrap();
    if on == On::Cpu {
        all.push(Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap()));
    }
    all
}

/// The logits after these tokens in a session of their own.
fn fresh(model: &Model, tokens: &[Token]) -> Vec<f32> {
    let mut session = model.session().unwrap();
    session.append(tokens).unwrap();
    session.next_logits().unwrap()
}

/// Logits of the same text: elsewhere in the context rotations round otherwise, by up to 2^-24 of the position, and the
/// caches of some devices are f16.
fn close(device: &Arc<dyn Device>, what: &str, got: &[f32], want: &[f32]) {
    let largest = want.iter().fold(0f32, |m, v| m.max(v.abs()));
    let off = got.iter().zip(want).fold(0f32, |m, (g, w)| m.max((g - w).abs())) / largest;
    assert!(off < 0.012, "{} {what}: off by {off:e}", device.info().name);
}

fn filled(model: &Model, tokens: &[Token]) -> Session {
    let mut session = model.session().unwrap();
    session.append(tokens).unwrap();
    session.prefill(&mut |_, _| akunu::Control::Continue).unwrap();
    session
}

on_each_device!(
    past_the_ring_the_window_is_all_there,
    a_shift_computes_the_rest_anew,
    rings_hold_values_in_another_format,
    texts_share_steps_and_a_pool_of_windows
);

/// Vectors by a decoder: its texts are sequences of a batch, whose windowed layers have blocks of their own. A long text runs past them.
fn texts_share_steps_and_a_pool_of_windows(on: On) {
    for device in all_devices(on) {
        let model = model(&device);
        let options = EmbedOptions { pooling: Some(Pooling::Last), ..EmbedOptions::default() };
        let mut embedder = model.embedder(&options).unwrap();
        let all = tokens(TOKENS);
        let lengths = [5, 300, TOKENS, 1, 700, 40].into_iter().chain((0..30).map(|i| 2 + i * 7));
        let texts: Vec<Vec<Token>> =
            lengths.enumerate().map(|(i, n)| all[i.min(TOKENS - n)..][..n].to_vec()).collect();
        let together = embedder.embed_tokens(&texts).unwrap().vectors;
        let mut session = model.session().unwrap();
        for (text, vector) in texts.iter().zip(&together).take(8) {
            let alone = embedder.embed_tokens(std::slice::from_ref(text)).unwrap().vectors;
            assert!(alone[0] == *vector, "{}: {} tokens", device.info().name, text.len());
            let mut state = Vec::new();
            session.hidden_states(text, &mut |_, s| state = s.to_vec()).unwrap();
            let length = state.iter().map(|v| v * v).sum::<f32>().sqrt();
            state.iter_mut().for_each(|v| *v /= length);
            close(&device, &format!("a vector of {} tokens", text.len()), vector, &state);
        }
    }
}

fn past_the_ring_the_window_is_all_there(on: On) {
    for device in all_devices(on) {
        let model = model(&device);
        let program = model.program();
        let ring = program.cache.ring.expect("a ring");
        assert!(u64::from(ring) * 256 < TOKENS as u64, "{ring} blocks are not exceeded");
        let (_, bytes) = program.cache.place(0, program.cache.k);
        assert_eq!(bytes, program.cache.block_bytes(program.cache.k) * u64::from(ring));
        let all = tokens(TOKENS);
        let want = fresh(&model, &all[TOKENS - 40..]);
        let mut session = filled(&model, &all);
        close(&device, "after all", &session.next_logits().unwrap(), &want);

        // A little back: nothing is computed anew.
        session.rewind(TOKENS as u32 - 100).unwrap();
        assert_eq!(session.kv_len(), TOKENS as u32 - 101);
        let want = fresh(&model, &all[TOKENS - 140..TOKENS - 100]);
        close(&device, "a little back", &session.next_logits().unwrap(), &want);

        // Further than the ring reaches: all is.
        session.rewind(1000).unwrap();
        assert_eq!(session.kv_len(), 0);
        let want = fresh(&model, &all[..1000]);
        close(&device, "far back", &session.next_logits().unwrap(), &want);
    }
}

fn a_shift_computes_the_rest_anew(on: On) {
    for device in all_devices(on) {
        let model = model(&device);
        let all = tokens(3000);
        let mut session = filled(&model, &all);
        session.shift(4, 1500).unwrap();
        assert_eq!((session.position(), session.kv_len()), (1500, 0));
        let left: Vec<Token> = all[..4].iter().chain(&all[1504..]).copied().collect();
        assert_eq!(session.tokens(), left);
        close(&device, "shifted", &session.next_logits().unwrap(), &fresh(&model, &left));
    }
}

/// Rings of keys and of values are of one length, but not of one size. Keys stay f16, because elsewhere in the context
/// they are turned otherwise and would become other codes.
fn rings_hold_values_in_another_format(on: On) {
    for device in all_devices(on) {
        let cache = CacheTypes { k: Some(device.target().kv[0]), v: Some(KvFormat::Q8_0) };
        let model = model_with(&device, cache, 32);
        let all = tokens(TOKENS);
        let want = fresh(&model, &all[TOKENS - 40..]);
        let mut session = filled(&model, &all);
        close(&device, "after all", &session.next_logits().unwrap(), &want);
        let program = model.program();
        let [k, v] = [program.cache.k, program.cache.v].map(|f| program.cache.place(2, f));
        assert_eq!(v.1 * k.0, v.0 * k.1, "both begin after as many blocks");
        assert!(v.1 < k.1);
    }
}

/// A step that a cancel ends in the middle has written a ring at all of its rows, or at none.
#[test]
fn a_cancel_in_the_middle_of_a_step_leaves_what_the_window_sees() {
    let device: Arc<dyn Device> = Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap());
    let model = model(&device);
    let all = tokens(TOKENS);
    let want = fresh(&model, &all[TOKENS - 40..]);
    let mut session = model.session().unwrap();
    session.append(&all).unwrap();
    let (canceller, done) = (session.canceller(), std::sync::atomic::AtomicBool::new(false));
    let last = std::thread::scope(|scope| {
        scope.spawn(|| {
            // Longer and longer waits, so that the end is reached.
            let mut wait = std::time::Duration::from_micros(100);
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                std::thread::sleep(wait);
                wait = wait * 11 / 10;
                canceller.cancel();
            }
        });
        let logits = loop {
            match session.next_logits() {
                Ok(logits) => break logits,
                Err(e) => assert!(matches!(e, akunu::Error::Cancelled), "{e}"),
            }
        };
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        logits
    });
    close(&device, "cancelled on the way", &last, &want);
}
