//! Sessions that are stopped from other threads, and several at once on the CPU: each gives what it gives alone.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::files::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu::kernels::cpu::Level;
use akunu::{
    Canceller, Control, DecodeOptions, Eos, Error, FinishReason, LoadOptions, Model, RowCount, Sampling,
    Session, Token,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

const SAMPLED: Sampling = Sampling { temperature: 0.9, min_p: 0.02, seed: 7, ..Sampling::NEUTRAL };

fn device(threads: u32) -> Arc<CpuDevice> {
    Arc::new(CpuDevice::with_level(Level::detect(), Some(threads)).unwrap())
}

fn model(source: impl WeightSource + 'static, device: &Arc<CpuDevice>, context: u32) -> Model {
    let options = LoadOptions { context: Some(context), ..LoadOptions::default() };
    Model::load_on(Box::new(source), Arc::<CpuDevice>::clone(device), &options, &mut |_| {}).unwrap()
}

fn synthetic(spec: &str) -> Synthetic {
    Synthetic::parse(spec).unwrap()
}

fn prompt(n: u32) -> Vec<Token> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) % 1021).map(Token).collect()
}

fn options(max_tokens: u32) -> DecodeOptions {
    DecodeOptions { max_tokens, sampling: SAMPLED, eos: Eos::Ignore, chunk: None }
}

/// Decodes until the session has `end` tokens, again and again where something stops it; gives how often it was called.
fn decode_to(s: &mut Session, end: u32) -> u32 {
    let mut calls = 0;
    while s.position() < end {
        calls += 1;
        let before = s.position();
        let d = s.decode(&options(end - before), &mut |_| Control::Continue).unwrap();
        assert_eq!(s.position(), before + d.tokens);
        assert!(s.kv_len() < s.position());
        assert!(s.position() == end || d.finish == FinishReason::Cancelled, "{d:?}");
    }
    calls
}

/// What a session of its own gives.
fn alone(model: &Model, prompt: &[Token], end: u32) -> Vec<Token> {
    let mut s = model.session().unwrap();
    s.append(prompt).unwrap();
    assert_eq!(decode_to(&mut s, end), 1);
    s.tokens().to_vec()
}

fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Cancels again and again, at times that have nothing to do with the work, until it is told to stop.
fn disturb(canceller: Canceller, done: &AtomicBool) {
    let (mut random, mut cancels) = (1u64, 0u64);
    while !done.load(Ordering::Relaxed) {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Up to 8 ms, and longer with time: on a busy machine a token may take as long, and no call would ever get to one.
        spin(Duration::from_micros((random >> 51) * (1 + cancels / 256)));
        canceller.cancel();
        cancels += 1;
    }
}

#[test]
fn a_cancel_that_comes_first_stops_the_next_call() {
    for threads in [1, 2] {
        let model = model(synthetic("tiny-llama:q8_0"), &device(threads), 1500);
        let want = alone(&model, &prompt(1200), 1250);
        let mut s = model.session().unwrap();
        s.append(&prompt(1200)).unwrap();
        let canceller = s.canceller();
        canceller.cancel();
        let mut steps = 0;
        let read = s.prefill(&mut |_, _| {
            steps += 1;
            Control::Continue
        });
        // A part of a longer story: what follows must see it too.
        assert_eq!((read.unwrap().tokens, steps, s.kv_len()), (0, 0, 0));
        let d = s.decode(&options(50), &mut |_| panic!("a token after a cancel")).unwrap();
        assert_eq!((d.tokens, d.finish, s.kv_len()), (0, FinishReason::Cancelled, 0));
        // It has been obeyed.
        assert_eq!(decode_to(&mut s, 1250), 1);
        assert_eq!(s.tokens(), want);

        let mut t = model.session().unwrap();
        t.canceller().cancel();
        let mut rows = 0;
        assert!(matches!(t.logits(&prompt(20), &mut |_, _| rows += 1), Err(Error::Cancelled)));
        assert_eq!((rows, t.position(), t.kv_len()), (0, 20, 0));
        t.canceller().cancel();
        assert!(matches!(t.next_logits(), Err(Error::Cancelled)));
        t.canceller().cancel();
        assert!(matches!(t.profile(RowCount(1), 20, 1), Err(Error::Cancelled)));
        t.canceller().cancel();
        t.canceller().withdraw();
        t.logits(&prompt(20), &mut |_, _| rows += 1).unwrap();
        assert_eq!(rows, 20);
    }
}

#[test]
fn a_long_prefill_is_cancelled_from_another_thread() {
    let model = model(synthetic("smollm2-135m:q4_0"), &device(2), 3000);
    let all = prompt(2800);
    let mut s = model.session().unwrap();
    s.append(&all).unwrap();
    let (begun, begins) = mpsc::channel();
    let canceller = s.canceller();
    let other = std::thread::spawn(move || {
        begins.recv().unwrap();
        canceller.cancel();
    });
    let mut steps = 0;
    s.prefill(&mut |_, _| {
        steps += 1;
        let _ = begun.send(());
        Control::Continue
    })
    .unwrap();
    other.join().unwrap();
    // Six steps would have been all.
    assert!(steps < 5 && s.kv_len() == steps * 512, "{steps} steps, {} rows", s.kv_len());
    let d = s.decode(&options(5), &mut |_| Control::Continue).unwrap();
    assert_eq!((d.tokens, d.finish), (0, FinishReason::Cancelled));
    assert_eq!(decode_to(&mut s, 2805), 1);
    assert_eq!(s.tokens(), alone(&model, &all, 2805));
}

#[test]
fn cancels_at_any_moment_leave_no_trace() {
    for threads in [1, 2, 3] {
        let model = model(synthetic("tiny-llama:q4_0"), &device(threads), 1500);
        let want = alone(&model, &prompt(700), 1000);
        let mut s = model.session().unwrap();
        s.append(&prompt(700)).unwrap();
        let done = AtomicBool::new(false);
        let calls = std::thread::scope(|scope| {
            let (canceller, done) = (s.canceller(), &done);
            scope.spawn(move || disturb(canceller, done));
            let calls = decode_to(&mut s, 1000);
            done.store(true, Ordering::Relaxed);
            calls
        });
        assert!(calls > 1, "{threads} workers: nothing was cancelled");
        assert!(s.tokens() == want, "{threads} workers, {calls} calls");
    }
}

/// Runs the sessions at once, each on its own thread, some of them a few times; each must give its tokens.
fn at_once(models: &[(&Model, Vec<Token>)], rounds: usize) {
    std::thread::scope(|scope| {
        for (model, want) in models {
            scope.spawn(move || {
                for _ in 0..rounds {
                    assert!(
                        alone(model, &want[..100], want.len() as u32) == *want,
                        "not what it gives alone"
                    );
                }
            });
        }
    });
}

fn with_tokens(model: &Model) -> (&Model, Vec<Token>) {
    (model, alone(model, &prompt(100), 250))
}

#[test]
fn sessions_of_two_models_share_a_device() {
    for threads in [1, 2, 3] {
        let device = device(threads);
        let (a, b) = (
            model(synthetic("tiny-llama:q8_0"), &device, 1500),
            model(synthetic("tiny-llama:q4_0"), &device, 700),
        );
        // Two sessions of one model among them: they share its weights.
        at_once(&[with_tokens(&a), with_tokens(&b), with_tokens(&a)], 4);
    }
}

#[test]
fn sessions_run_on_two_devices() {
    let (one, two) = (device(2), device(3));
    let (a, b) =
        (model(synthetic("tiny-llama:q8_0"), &one, 1500), model(synthetic("tiny-llama:q4_0"), &two, 700));
    at_once(&[with_tokens(&a), with_tokens(&b)], 4);
}

#[test]
fn a_cancelled_session_disturbs_no_other() {
    let (shared, other) = (device(2), device(2));
    for second in [&shared, &other] {
        let (a, b) = (
            model(synthetic("tiny-llama:q8_0"), &shared, 1500),
            model(synthetic("tiny-llama:q4_0"), second, 1500),
        );
        let want = alone(&b, &prompt(700), 900);
        let quiet = with_tokens(&a);
        let mut s = b.session().unwrap();
        s.append(&prompt(700)).unwrap();
        let (cancelled, finished) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let canceller = s.canceller();
            scope.spawn(|| {
                at_once(std::slice::from_ref(&quiet), 6);
                finished.store(true, Ordering::Relaxed);
            });
            scope.spawn(|| disturb(canceller, &cancelled));
            decode_to(&mut s, 900);
            cancelled.store(true, Ordering::Relaxed);
        });
        assert!(finished.load(Ordering::Relaxed));
        assert!(s.tokens() == want, "the cancelled session");
    }
}

/// A model whose output is no number: its norms multiply what is finite beyond all bounds.
struct Broken(Synthetic);

impl WeightSource for Broken {
    fn config(&self) -> &ModelConfig {
        self.0.config()
    }

    fn tensors(&self) -> &[TensorInfo] {
        self.0.tensors()
    }

    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        self.0.read(tensor, offset, out)?;
        if tensor.name.contains("norm") {
            out.chunks_mut(4).for_each(|v| v.copy_from_slice(&f32::MAX.to_le_bytes()[..v.len()]));
        }
        Ok(())
    }
}

#[test]
fn a_session_that_fails_disturbs_no_other() {
    let (shared, other) = (device(2), device(2));
    for second in [&shared, &other] {
        let (a, b) = (
            model(synthetic("tiny-llama:q8_0"), &shared, 1500),
            model(Broken(synthetic("tiny-llama:f32")), second, 700),
        );
        let quiet = with_tokens(&a);
        std::thread::scope(|scope| {
            let quiet = scope.spawn(|| at_once(std::slice::from_ref(&quiet), 6));
            let mut failures = 0;
            while !quiet.is_finished() || failures < 3 {
                let mut s = b.session().unwrap();
                s.append(&prompt(600)).unwrap();
                let d = s.decode(&options(5), &mut |_| Control::Continue);
                assert!(matches!(d, Err(Error::NotFinite { .. })), "{d:?}");
                assert_eq!(s.position(), 600);
                failures += 1;
            }
        });
    }
}
