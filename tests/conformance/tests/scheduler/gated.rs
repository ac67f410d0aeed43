//! Steps that a test holds up, to act while one is under way.

use super::*;
use akunu::Source;
use akunu::device::{DeviceError, DeviceInfo, Drawn, Fill, Memory, Progress, Replay, Stream};
use akunu::grammar::{GrammarSource, GrammarStart};
use akunu::plan::{RegionDecl, Target, VerifiedTable};
use std::any::Any;
use std::sync::Condvar;

/// A CPU at whose gate submissions wait, so that a test can act while a step is under way, and which counts copies of memory.
struct Gated {
    inner: CpuDevice,
    gate: Arc<Gate>,
}

#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
    copies: AtomicU32,
}

#[derive(Default)]
struct GateState {
    shut: bool,
    arrived: u32,
    cancelled: bool,
    cancels: u32,
}

impl Gate {
    fn change(&self, change: impl FnOnce(&mut GateState)) {
        change(&mut self.state.lock().unwrap());
        self.changed.notify_all();
    }

    /// Waits until so many submissions have come to the gate.
    fn arrived(&self, n: u32) {
        let state = self.state.lock().unwrap();
        let far = |s: &mut GateState| s.arrived < n;
        let (state, late) = self.changed.wait_timeout_while(state, Duration::from_secs(20), far).unwrap();
        assert!(!late.timed_out(), "{} of {n} came", state.arrived);
    }

    fn cancels(&self) -> u32 {
        self.state.lock().unwrap().cancels
    }
}

impl Device for Gated {
    fn info(&self) -> DeviceInfo {
        self.inner.info()
    }

    fn target(&self) -> &Target {
        self.inner.target()
    }

    fn alloc(&self, decl: &RegionDecl) -> Result<Arc<dyn Memory>, DeviceError> {
        Ok(Arc::new(Counted { inner: self.inner.alloc(decl)?, gate: Arc::clone(&self.gate) }))
    }

    fn stream(&self) -> Result<Arc<dyn Stream>, DeviceError> {
        Ok(Arc::new(GatedStream { inner: self.inner.stream()?, gate: Arc::clone(&self.gate) }))
    }

    fn lower(
        &self,
        table: &VerifiedTable,
        regions: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<Box<dyn Replay>, DeviceError> {
        let inner = self.inner.lower(table, regions, stream)?;
        Ok(Box::new(GatedReplay { inner, gate: Arc::clone(&self.gate) }))
    }

    fn measure_bandwidth(&self) -> Option<f64> {
        None
    }
}

struct Counted {
    inner: Arc<dyn Memory>,
    gate: Arc<Gate>,
}

impl Memory for Counted {
    fn bytes(&self) -> u64 {
        self.inner.bytes()
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.inner.write(offset, bytes)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        self.inner.read(offset, out)
    }

    fn copy(&self, from: u64, to: u64, len: u64) -> Result<(), DeviceError> {
        self.gate.copies.fetch_add(1, Ordering::Relaxed);
        self.inner.copy(from, to, len)
    }

    fn fill(&self, offset: u64, len: u64, fill: &mut Fill<'_>) -> Result<(), DeviceError> {
        self.inner.fill(offset, len, fill)
    }

    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}

struct GatedStream {
    inner: Arc<dyn Stream>,
    gate: Arc<Gate>,
}

impl Stream for GatedStream {
    fn reset(&self) {
        self.inner.reset();
        self.gate.change(|s| s.cancelled = false);
    }

    fn progress(&self) -> Progress {
        self.inner.progress()
    }

    fn wait(&self, drawn: u64, pending: u64) -> Result<Progress, DeviceError> {
        self.inner.wait(drawn, pending)
    }

    fn drawn(&self, from: u64, out: &mut [Drawn]) -> usize {
        self.inner.drawn(from, out)
    }

    fn cancel(&self) {
        self.inner.cancel();
        self.gate.change(|s| {
            s.cancelled = true;
            s.cancels += 1;
        });
    }

    fn pause(&self) {
        self.inner.pause();
    }

    fn as_any(&self) -> &dyn Any {
        self.inner.as_any()
    }
}

struct GatedReplay {
    inner: Box<dyn Replay>,
    gate: Arc<Gate>,
}

impl Replay for GatedReplay {
    fn submit(&mut self, steps: u32) -> Result<(), DeviceError> {
        self.gate.change(|s| s.arrived += 1);
        let state = self.gate.state.lock().unwrap();
        drop(self.gate.changed.wait_while(state, |s| s.shut && !s.cancelled).unwrap());
        self.inner.submit(steps)
    }

    fn profile(&mut self, seconds: &mut [f64]) -> Result<(), DeviceError> {
        self.inner.profile(seconds)
    }
}

/// A device with its gate.
fn device() -> (Arc<Gated>, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    let inner = CpuDevice::with_level(Level::detect(), Some(2)).unwrap();
    (Arc::new(Gated { inner, gate: Arc::clone(&gate) }), gate)
}

/// A model behind a gate.
fn gated(context: u32) -> (Model, Arc<Gate>) {
    let (device, gate) = device();
    let options = LoadOptions { context: Some(context), ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap());
    (Model::load_on(source, device, &options, &mut |_| {}).unwrap(), gate)
}

/// A request whose last event is its cancel.
#[track_caller]
fn cancelled(answer: &mut Answer) {
    let (tokens, end) = read(answer);
    assert_eq!((tokens.len(), end.unwrap().finish), (0, FinishReason::Cancelled));
}

/// A step that nobody wants ends in its middle and counts as not run; one that somebody wants goes on.
#[test]
fn a_cancel_ends_a_long_step_of_its_own() {
    let (m, gate) = gated(800);
    let options =
        EngineOptions { batch: BatchOptions { cache_tokens: Some(9 * 256), ..small().batch }, ..small() };
    // The first step of the long prompt draws nothing; that of the short one does.
    for n in [700, 300] {
        let (r, other) = (request(prompt(n, 1), 9, 1), request(prompt(n, 2), 9, 2));
        let want = alone(&m, &other);
        let engine = Engine::new(&m, &options).unwrap();
        gate.change(|s| (s.shut, s.arrived) = (true, 0));
        let mut first = engine.start(r.clone()).unwrap();
        gate.arrived(1);
        let mut second = engine.start(other.clone()).unwrap();
        first.cancel();
        cancelled(&mut first);
        assert_eq!(engine.status().prefilled, 0, "the step counts as not run");
        // The second step is for one that waited.
        gate.change(|s| s.shut = false);
        let (tokens, end) = read(&mut second);
        assert_eq!((&tokens, end.unwrap().reused), (&want, 0));
        rest(&engine);

        // Two share a step: it goes on for one of them, and ends for none.
        gate.change(|s| (s.shut, s.arrived) = (true, 0));
        // One token, so that no chain follows and the next submission is the next step's.
        let mut alone = engine.start(request(prompt(n, 3), 1, 1)).unwrap();
        gate.arrived(1);
        let half = |seed| request(prompt(200, seed), 9, 2);
        let (mut a, mut b) = (engine.start(half(4)).unwrap(), engine.start(half(5)).unwrap());
        alone.cancel();
        cancelled(&mut alone);
        gate.arrived(2);
        let cancels = gate.cancels();
        a.cancel();
        assert_eq!(gate.cancels(), cancels, "somebody wants the step");
        b.cancel();
        assert!(gate.cancels() > cancels);
        cancelled(&mut a);
        cancelled(&mut b);
        rest(&engine);

        // The engine's end is a cancel of all.
        gate.change(|s| (s.shut, s.arrived) = (true, 0));
        let mut last = engine.start(r).unwrap();
        gate.arrived(1);
        drop(engine);
        cancelled(&mut last);
        gate.change(|s| s.shut = false);
    }
}

/// Who finds too few blocks waits without copying the beginning of a prompt again and again.
#[test]
fn who_finds_no_room_copies_nothing() {
    let (m, gate) = gated(CONTEXT);
    let batch =
        BatchOptions { sequences: Some(2), cache_tokens: Some(3 * 256), deterministic: true, drafts: None };
    let engine = Engine::new(&m, &EngineOptions { batch, ..small() }).unwrap();
    gate.change(|s| s.shut = true);
    // Two blocks of three; the other needs one, and one stays for each guest.
    let mut long = engine.start(request(prompt(300, 1), 90, 1)).unwrap();
    gate.arrived(1);
    let begins_alike = [&prompt(300, 1)[..100], &prompt(30, 2)].concat();
    let mut waits = engine.start(request(begins_alike, 5, 1)).unwrap();
    gate.change(|s| s.shut = false);
    assert_eq!(read(&mut long).0.len(), 90);
    let (tokens, end) = read(&mut waits);
    assert_eq!((tokens.len(), end.unwrap().reused), (5, 100));
    // Keys and values of two layers, once.
    assert_eq!(gate.copies.load(Ordering::Relaxed), 4);
}

/// A step under a grammar is two submissions, logits and draws. Whoever knocks while the first one runs does not end it before the
/// second, else nobody would draw where many come.
#[test]
fn a_knock_leaves_a_step_under_a_grammar_whole() {
    let (device, gate) = device();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    std::fs::write(&path, akunu_conformance::tiny_gguf(Token(1023)).unwrap()).unwrap();
    let options = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
    let m = Model::load_onto(&Source::Path(path), device, &options, &mut |_| {}).unwrap();
    let engine = Engine::new(&m, &small()).unwrap();
    let over = engine.submit(request(prompt(3, 1), 1, 1), |_| Control::Continue).unwrap();
    let grammar = m.grammar(&GrammarSource::Regex("[ab]{50}".into()), &GrammarStart::AtOnce).unwrap();
    let mut bound = request(prompt(20, 2), 1, 1);
    bound.options.sampling.grammar = Some(grammar);
    // What is to be over is over.
    assert_eq!(read(&mut engine.start(request(prompt(3, 1), 1, 1)).unwrap()).0.len(), 1);
    gate.change(|s| (s.shut, s.arrived) = (true, 0));
    let mut answer = engine.start(bound).unwrap();
    gate.arrived(1);
    over.cancel();
    gate.change(|s| s.shut = false);
    let (tokens, end) = read(&mut answer);
    assert_eq!((tokens.len(), end.unwrap().finish), (1, FinishReason::Length));
    assert_eq!(gate.state.lock().unwrap().arrived, 2, "the step ran once");
    // A chain is ended.
    gate.change(|s| (s.shut, s.arrived) = (true, 0));
    let mut chain = engine.start(request(prompt(5, 3), 9, 1)).unwrap();
    gate.arrived(1);
    over.cancel();
    gate.change(|s| s.shut = false);
    assert_eq!(read(&mut chain).0.len(), 9);
    assert!(
        gate.state.lock().unwrap().arrived > 2,
        "one submission for the step and one for its chain, had it not been ended"
    );
}
