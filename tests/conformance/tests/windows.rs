//! Windowed layers keep a ring of blocks: what runs past it, is rewound or shifted gives what a fresh session gives.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::kernels::cpu::Level;
use akunu::plan::program::kv_block_bytes;
use akunu::{CacheTypes, KvFormat, LoadOptions, Model, Session};
use akunu_conformance::formula::Formula;
use akunu_conformance::{devices, fixture};
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
    let options = LoadOptions { context: Some(CONTEXT), cache, ..LoadOptions::default() };
    Model::load_on(Box::new(Formula::new(&case).unwrap()), device.clone(), &options, &mut |_| {}).unwrap()
}

fn tokens(n: usize) -> Vec<u32> {
    (0..n as u64).map(|i| ((i * i + i / 64 * 5 + i / 7) % 64) as u32).collect()
}

fn all_devices() -> Vec<Arc<dyn Device>> {
    let mut all = devices();
    all.push(Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap()));
    all
}

/// The logits after these tokens in a session of their own.
fn fresh(model: &Model, tokens: &[u32]) -> Vec<f32> {
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

fn filled(model: &Model, tokens: &[u32]) -> Session {
    let mut session = model.session().unwrap();
    session.append(tokens).unwrap();
    session.prefill(&mut |_, _| akunu::Control::Continue).unwrap();
    session
}

#[test]
fn past_the_ring_the_window_is_all_there() {
    for device in all_devices() {
        let model = model(&device);
        let program = model.program();
        let ring = program.ring_blocks.expect("a ring");
        assert!(u64::from(ring) * 256 < TOKENS as u64, "{ring} blocks are not exceeded");
        let (_, bytes) = program.kv_place(0, program.k_type);
        assert_eq!(bytes, kv_block_bytes(&program.config, program.k_type) * u64::from(ring));
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

#[test]
fn a_shift_computes_the_rest_anew() {
    for device in all_devices() {
        let model = model(&device);
        let all = tokens(3000);
        let mut session = filled(&model, &all);
        session.shift(4, 1500).unwrap();
        assert_eq!((session.position(), session.kv_len()), (1500, 0));
        let left: Vec<u32> = all[..4].iter().chain(&all[1504..]).copied().collect();
        assert_eq!(session.tokens(), left);
        close(&device, "shifted", &session.next_logits().unwrap(), &fresh(&model, &left));
    }
}

/// Rings of keys and of values are of one length, but not of one size. Keys stay f16, because elsewhere in the context
/// they are turned otherwise and would become other codes.
#[test]
fn rings_hold_values_in_another_format() {
    for device in all_devices() {
        let cache = CacheTypes { k: Some(device.target().kv[0]), v: Some(KvFormat::Q8_0) };
        let model = model_with(&device, cache, 32);
        let all = tokens(TOKENS);
        let want = fresh(&model, &all[TOKENS - 40..]);
        let mut session = filled(&model, &all);
        close(&device, "after all", &session.next_logits().unwrap(), &want);
        let program = model.program();
        let [k, v] = [program.k_type, program.v_type].map(|f| program.kv_place(2, f));
        assert_eq!(v.1 * k.0, v.0 * k.1, "both begin after as many blocks");
        assert!(v.1 < k.1);
    }
}
