//! After load the token path does not allocate, on any thread.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::batch::{Batch, BatchOptions, Next, Piece, Sequence, SequenceOptions};
use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::device::null::NullDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::Machine;
use akunu::kernels::cpu::{LEVELS, Level};
use akunu::plan::Target;
use akunu::scheduler::Event;
use akunu::{
    Control, DecodeOptions, Engine, EngineOptions, Eos, LoadOptions, Model, Overflow, Request, Sampling,
    Token,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test, because the counter counts every thread of the process.
#[test]
fn decoding_128_tokens_does_not_allocate() {
    for (name, device) in devices() {
        a_session(&name, &device);
        a_batch(&name, &device);
        an_engine(&name, &device);
    }
}

fn devices() -> Vec<(String, Arc<dyn Device>)> {
    let mut devices: Vec<(String, Arc<dyn Device>)> =
        vec![("null".into(), Arc::new(NullDevice::new(Target::of(Machine::Cpu(Level::Portable)))))];
    // The reference twins are plain on purpose and allocate; they are not a token path anyone waits for.
    for level in LEVELS.iter().copied().filter(|l| *l != Level::Reference && l.available()) {
        devices.push((level.to_string(), Arc::new(CpuDevice::with_level(level, Some(2)).unwrap())));
    }
    devices
}

fn load(spec: &str, device: &Arc<dyn Device>) -> Model {
    let options = LoadOptions { context: Some(300), ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse(spec).unwrap());
    Model::load_on(source, Arc::clone(device), &options, &mut |_| {}).unwrap()
}

fn a_session(name: &str, device: &Arc<dyn Device>) {
    {
        for spec in
            ["tiny-llama:q4_0", "tiny-llama:q4_1", "tiny-llama:q8_0", "tiny-llama:bf16", "tiny-llama:f16"]
        {
            let model = load(spec, device);
            let mut session = model.session().unwrap();
            session.append(&[1, 2, 3].map(Token)).unwrap();
            // Tables that draw with all samplers are made when somebody first asks for them.
            let warm =
                DecodeOptions { max_tokens: 2, sampling: Sampling::DEFAULT, eos: Eos::Ignore, chunk: None };
            session.decode(&warm, &mut |_| Control::Continue).unwrap();
            let before = ALLOCATIONS.load(Ordering::SeqCst);
            let mut sum = 0u64;
            for sampling in [Sampling::greedy(), Sampling::DEFAULT] {
                let options = DecodeOptions { max_tokens: 64, sampling, eos: Eos::Ignore, chunk: None };
                let decoded = session
                    .decode(&options, &mut |t| {
                        sum += u64::from(t.0);
                        Control::Continue
                    })
                    .unwrap();
                assert_eq!(decoded.tokens, 64);
            }
            let made = ALLOCATIONS.load(Ordering::SeqCst) - before;
            assert_eq!(made, 0, "{name} {spec}: allocations in 128 tokens (token sum {sum})");
        }
    }
}

struct Guest(Sequence);

impl AsMut<Sequence> for Guest {
    fn as_mut(&mut self) -> &mut Sequence {
        &mut self.0
    }
}

const GUESTS: usize = 8;

fn drawn_from(i: usize, max_tokens: u32) -> SequenceOptions {
    let sampling = if i.is_multiple_of(2) {
        Sampling::greedy()
    } else {
        Sampling { seed: i as u64, ..Sampling::DEFAULT }
    };
    SequenceOptions { max_tokens, sampling, eos: Eos::Ignore, reasoning: None }
}

/// Eight sequences, in chains and step by step, across the end of a block.
fn a_batch(name: &str, device: &Arc<dyn Device>) {
    let model = load("tiny-llama:q8_0", device);
    let options = BatchOptions {
        sequences: Some(GUESTS as u32),
        cache_tokens: Some(20 * 256),
        deterministic: false,
        drafts: None,
    };
    let mut batch: Batch = model.batch(&options).unwrap();
    let mut guests: Vec<Guest> = (0..GUESTS)
        .map(|i| {
            let prompt: Vec<Token> = (0..140 + i as u32).map(|t| Token(t * 7 % 1000 + i as u32)).collect();
            Guest(batch.sequence(&prompt, &drawn_from(i, 150)).unwrap())
        })
        .collect();
    for guest in 0..GUESTS {
        let rows = guests[guest].0.pending();
        batch.run(&mut guests, &[Piece { guest, rows }], 1, &mut |_, _, _| Next::Go).unwrap();
    }
    let pieces: Vec<Piece> = (0..GUESTS).map(|guest| Piece { guest, rows: 1 }).collect();
    let mut sum = 0u64;
    let mut drawn = 0;
    let mut steps = |batch: &mut Batch, n: u32| {
        let mut on_draw = |_: &mut Guest, _: usize, draw: akunu::batch::Draw| {
            drawn += 1;
            sum += u64::from(draw.token.map_or(0, |t| t.0));
            Next::Go
        };
        batch.run(&mut guests, &pieces, n, &mut on_draw).unwrap();
    };
    steps(&mut batch, 4);
    let before = ALLOCATIONS.load(Ordering::SeqCst);
    for n in [1, 1, 1, 1, 60, 32, 32] {
        steps(&mut batch, n);
    }
    let made = ALLOCATIONS.load(Ordering::SeqCst) - before;
    assert_eq!(drawn, GUESTS * 132);
    assert_eq!(made, 0, "{name}: allocations in 128 steps of a batch (token sum {sum})");
}

/// The same through the engine, with a callback that does not allocate itself. Counted from where all draw to where the
/// first ends.
fn an_engine(name: &str, device: &Arc<dyn Device>) {
    const TOKENS: u64 = 140;
    // More than the chain that begins with the last piece of a prompt, at whose end that prompt is noted in the index.
    const SETTLED: u64 = 40;
    let model = load("tiny-llama:q8_0", device);
    let batch = BatchOptions {
        sequences: Some(GUESTS as u32),
        cache_tokens: Some(20 * 256),
        deterministic: false,
        drafts: None,
    };
    let engine =
        Engine::new(&model, &EngineOptions { batch, chain: 16, ..EngineOptions::default() }).unwrap();
    // Tokens drawn of each; allocations when the slowest had so many, and when the fastest was near its end.
    let drawn: Arc<[AtomicU64; GUESTS]> = Arc::default();
    let [first, last]: [Arc<AtomicU64>; 2] = [Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0))];
    let ended = Arc::new(AtomicU64::new(0));
    // The engine's thread waits in the first request's callback until all are there: else the first may end before the last begins.
    let submitted = Arc::new(AtomicU64::new(0));
    for i in 0..GUESTS {
        let (drawn, first, last) = (Arc::clone(&drawn), Arc::clone(&first), Arc::clone(&last));
        let (ended, there) = (Arc::clone(&ended), Arc::clone(&submitted));
        let prompt: Vec<Token> = (0..20 + i as u32).map(|t| Token(t * 7 % 1000 + i as u32)).collect();
        let request = Request {
            tokens: prompt,
            options: drawn_from(i, TOKENS as u32),
            priority: 0,
            overflow: Overflow::End,
        };
        let sink = move |event: Event| {
            match event {
                Event::Token { .. } => {
                    let mine = drawn[i].fetch_add(1, Ordering::SeqCst) + 1;
                    let now = ALLOCATIONS.load(Ordering::SeqCst);
                    if drawn.iter().all(|d| d.load(Ordering::SeqCst) >= SETTLED) {
                        let _ = first.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst);
                    }
                    if mine == TOKENS - 1 {
                        let _ = last.compare_exchange(0, now, Ordering::SeqCst, Ordering::SeqCst);
                    }
                }
                Event::Finished(_) => drop(ended.fetch_add(1, Ordering::SeqCst)),
                Event::Started { .. } => {
                    while there.load(Ordering::SeqCst) < GUESTS as u64 {
                        std::thread::sleep(std::time::Duration::from_millis(1));
                    }
                }
                Event::Failed(e) => panic!("{e}"),
            }
            Control::Continue
        };
        engine.submit(request, sink).unwrap();
        submitted.fetch_add(1, Ordering::SeqCst);
    }
    // A sleep allocates nothing; waiting at a channel does.
    while ended.load(Ordering::SeqCst) < GUESTS as u64 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let (first, last) = (first.load(Ordering::SeqCst), last.load(Ordering::SeqCst));
    assert!(first > 0 && last >= first, "{first} {last}");
    assert_eq!(last - first, 0, "{name}: allocations of an engine that draws");
}
