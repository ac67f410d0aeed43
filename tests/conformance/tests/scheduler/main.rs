//! The engine: whatever arrives, leaves, is cancelled, fails or has to wait, each request gets what it gets alone, and everything
//! comes back.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod gated;

use akunu::batch::{Batch, BatchOptions, Next, Piece, Sequence, SequenceOptions};
use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::files::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu::kernels::cpu::Level;
use akunu::scheduler::{Answer, Event, Finished};
use akunu::{
    Control, Engine, EngineOptions, Eos, Error, FinishReason, LoadOptions, Model, Overflow, Request,
    RowCount, Sampling, Token,
};
use akunu_conformance::windowed::Windowed;
use akunu_conformance::{On, on_each_device};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

on_each_device!(whatever_happens_each_gets_what_it_gets_alone, a_crowd);

/// Two blocks of the cache for each sequence that comes so far.
const CONTEXT: u32 = 400;

fn model(spec: &str) -> Model {
    model_on(spec, Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap()))
}

fn model_on(spec: &str, device: Arc<dyn Device>) -> Model {
    let options = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
    Model::load_on(Box::new(Synthetic::parse(spec).unwrap()), device, &options, &mut |_| {}).unwrap()
}

/// A few places and a few blocks, so that requests wait and are parked.
fn small() -> EngineOptions {
    let batch =
        BatchOptions { sequences: Some(4), cache_tokens: Some(5 * 256), deterministic: true, drafts: None };
    EngineOptions { batch, prompt_rows: Some(RowCount(40)), chain: 9, ..EngineOptions::default() }
}

fn request(tokens: Vec<Token>, max_tokens: u32, seed: u64) -> Request {
    let sampling = Sampling { temperature: 0.9, min_p: 0.02, seed, ..Sampling::NEUTRAL };
    let options = SequenceOptions { max_tokens, sampling, eos: Eos::Ignore, reasoning: None };
    Request { tokens, options, priority: 0, overflow: Overflow::End }
}

fn prompt(n: usize, seed: u32) -> Vec<Token> {
    (0..n as u32)
        .map(|i| (i + 1).wrapping_mul(2_654_435_761).wrapping_add(seed * 7919) % 1021)
        .map(Token)
        .collect()
}

/// All tokens of an answer, and how it ended.
fn read(answer: &mut Answer) -> (Vec<Token>, Result<Finished, Error>) {
    let mut tokens = Vec::new();
    loop {
        match answer.recv().unwrap() {
            Event::Started { .. } => {}
            Event::Token { token: t, .. } => tokens.push(t),
            Event::Finished(f) => return (tokens, Ok(f)),
            Event::Failed(e) => return (tokens, Err(e)),
        }
    }
}

fn alone(model: &Model, r: &Request) -> Vec<Token> {
    alone_in(model, &small(), r)
}

fn alone_in(model: &Model, options: &EngineOptions, r: &Request) -> Vec<Token> {
    let engine = Engine::new(model, options).unwrap();
    let (tokens, end) = read(&mut engine.start(r.clone()).unwrap());
    assert_eq!(end.unwrap().tokens as usize, tokens.len());
    tokens
}

/// Waits until an engine has nothing to do.
fn rest(engine: &Engine) {
    for _ in 0..20_000 {
        let s = engine.status();
        if (s.running, s.waiting, s.cache.held) == (0, 0, 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("{:?} after 20 s", engine.status());
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

/// Blocks begin as NaN: who reads what nobody wrote, or another's block after it changed hands, draws something else.
fn poisoned(m: &Model, options: &EngineOptions) -> Engine {
    let mut batch: Batch = m.batch(&options.batch).unwrap();
    batch.poison(0xff);
    Engine::over(batch, m, options).unwrap()
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Finish,
    /// Cancelled after so many tokens; 0 at once.
    Cancel(u32),
    /// The callback says stop.
    Stop(u32),
    /// The callback panics.
    Panic(u32),
    /// The receiver goes away.
    Drop(u32),
}

fn whatever_happens_each_gets_what_it_gets_alone(on: On) {
    let device = on.devices().unwrap().pop().unwrap();
    let m = model_on("tiny-llama:q8_0", device);
    each_gets_what_it_gets_alone(&m, &small(), 6, 18, pause(on));
}

/// More sequences than a table of few rows has, with a block for each where some need two.
fn a_crowd(on: On) {
    let (sequences, requests) = if on == On::Cpu { (24, 60) } else { (200, 500) };
    let device = on.devices().unwrap().pop().unwrap();
    let m = model_on("tiny-llama:q8_0", device);
    // One block for each, and some need two.
    let cache_tokens = Some(u64::from(sequences) * 256);
    let batch = BatchOptions { sequences: Some(sequences), cache_tokens, deterministic: true, drafts: None };
    let options = EngineOptions { batch, ..EngineOptions::default() };
    each_gets_what_it_gets_alone(&m, &options, 1, requests, pause(on) / 3);
}

/// The longest time between two requests; so long that some overlap and some do not.
fn pause(on: On) -> Duration {
    Duration::from_micros(if on == On::Cpu { 20_000 } else { 1500 })
}

/// Requests with all that can become of them, in some cases and more until somebody was parked.
fn each_gets_what_it_gets_alone(
    m: &Model,
    options: &EngineOptions,
    cases: u64,
    requests: u32,
    pause: Duration,
) {
    let mut known: HashMap<(usize, u32, u32, u32), Vec<Token>> = HashMap::new();
    let (mut parked, mut shifts) = (0, 0);
    // Who is parked depends on the time that steps take, so there are more cases until somebody is.
    for case in 0..10 * cases {
        if case >= cases && parked > 0 {
            break;
        }
        let mut r = Random(case);
        let engine = poisoned(m, options);
        let mut running = Vec::new();
        let asked: Vec<(Request, Fate, Vec<Token>)> = (0..requests)
            .map(|i| {
                // Prompts begin alike, so that prefixes are shared to the token.
                let (len, kind) = (1 + r.below(330) as usize, r.below(3));
                // Some make room when their context is full, and go on for longer.
                let overflow = r.below(6);
                let max = if overflow < 2 { 100 + r.below(CONTEXT / 2) } else { 1 + r.below(CONTEXT / 5) };
                let mut q = request(prompt(len, kind), max, u64::from(kind));
                q.overflow = match overflow {
                    0 => Overflow::Shift { drop: Vec::new(), keep: 30 },
                    1 => Overflow::Shift { drop: vec![0..1, 270..300, 10..250], keep: 400 },
                    _ => Overflow::End,
                };
                let after = r.below(max);
                let fate = match r.below(8) {
                    0 => Fate::Cancel(after),
                    1 => Fate::Stop(after.max(1)),
                    2 => Fate::Panic(after.max(1)),
                    3 => Fate::Drop(after),
                    _ => Fate::Finish,
                };
                let want = known
                    .entry((len, kind, max, overflow.min(2)))
                    .or_insert_with(|| alone_in(m, options, &q));
                // Later ones are more urgent, so that somebody has to make room.
                q.priority = r.below(2 + i * 8 / requests) as i32;
                (q, fate, want.clone())
            })
            .collect();
        for (i, (q, fate, want)) in asked.into_iter().enumerate() {
            let (send, events) = mpsc::channel();
            let mut count = 0;
            let ticket = engine.submit(q, move |event| {
                if let Event::Token { token: t, .. } = event {
                    count += 1;
                    send.send(Ok(t)).unwrap();
                    assert!(fate != Fate::Panic(count), "as the test wants");
                    if fate == Fate::Stop(count) {
                        return Control::Stop;
                    }
                } else if let Event::Finished(f) = event {
                    send.send(Err(f)).unwrap();
                }
                Control::Continue
            });
            let ticket = ticket.unwrap();
            if matches!(fate, Fate::Cancel(0) | Fate::Drop(0)) {
                ticket.cancel();
            }
            running.push((i, fate, want, events, ticket));
            if r.below(3) == 0 {
                std::thread::sleep(Duration::from_micros(u64::from(r.below(pause.as_micros() as u32))));
            }
        }
        for (i, fate, want, events, ticket) in running {
            let mut got = Vec::new();
            let mut end = None;
            for event in events {
                match event {
                    Ok(token) => got.push(token),
                    Err(f) => end = Some(f),
                }
                if matches!(fate, Fate::Cancel(n) | Fate::Drop(n) if got.len() as u32 >= n) {
                    ticket.cancel();
                }
            }
            let end = end.unwrap();
            let context = format!("case {case}, request {i}, {fate:?}, {end:?}");
            assert!(want.starts_with(&got), "{context}: {got:?} is no beginning of {want:?}");
            match fate {
                Fate::Finish => assert_eq!((&got, end.finish), (&want, whole(&want, end)), "{context}"),
                Fate::Stop(n) | Fate::Panic(n) => assert_eq!(got.len() as u32, n, "{context}"),
                // A cancel may come too late.
                Fate::Cancel(_) | Fate::Drop(_) => {}
            }
        }
        rest(&engine);
        parked += engine.status().parked;
        shifts += engine.status().shifts;
    }
    assert!(parked > 0, "nobody was ever parked");
    assert!(shifts > u64::from(requests) / 30, "{shifts} shifts");
}

/// Why a request that ran to its end has ended.
fn whole(tokens: &[Token], f: Finished) -> FinishReason {
    let full = f.prompt + tokens.len() as u32 == CONTEXT + 1;
    if full && f.finish == FinishReason::ContextFull {
        FinishReason::ContextFull
    } else {
        FinishReason::Length
    }
}

#[test]
fn requests_that_cannot_run_are_refused_and_the_rest_goes_on() {
    let m = model("tiny-llama:q8_0");
    let engine = Engine::new(&m, &EngineOptions { queue: 2, ..small() }).unwrap();
    let refused = |r: Request| engine.start(r).map(|_| ()).unwrap_err();
    assert!(matches!(refused(request(vec![], 5, 0)), Error::Empty));
    assert!(matches!(refused(request(vec![Token(9999)], 5, 0)), Error::TokenRange { .. }));
    assert!(matches!(refused(request(prompt(401, 0), 5, 0)), Error::ContextFull { .. }));
    assert!(matches!(refused(request(prompt(4, 0), 0, 0)), Error::Option { .. }));
    let hot = Sampling { temperature: f32::NAN, min_p: 0.0, seed: 0, ..Sampling::NEUTRAL };
    let mut r = request(prompt(4, 0), 5, 0);
    r.options.sampling = hot;
    assert!(matches!(refused(r), Error::Option { name: "temperature", .. }));
    // Four run and two wait; the queue may not have been emptied into the places yet, so it is filled until it says so.
    let mut answers = Vec::new();
    let full = loop {
        match engine.start(request(prompt(300, 1), 90, 1)) {
            Ok(a) => answers.push(a),
            Err(e) => break e,
        }
        assert!(answers.len() < 50);
    };
    assert!(matches!(full, Error::QueueFull { waiting: 2 }), "{full}");
    // Cancelled before their first step, while they wait, and while they run.
    for a in &answers {
        a.cancel();
    }
    for mut a in answers {
        assert!(read(&mut a).1.is_ok());
        assert!(a.recv().is_none());
    }
    let (tokens, end) = read(&mut engine.start(request(prompt(9, 2), 7, 1)).unwrap());
    assert_eq!((tokens.len(), end.unwrap().finish), (7, FinishReason::Length));
    rest(&engine);
    // Dropped with requests under way: each hears of it.
    let mut last: Vec<Answer> =
        (0..6).map(|i| engine.start(request(prompt(200, i), 100, 1))).filter_map(Result::ok).collect();
    drop(engine);
    for a in &mut last {
        assert_eq!(read(a).1.unwrap().finish, FinishReason::Cancelled);
    }
    assert!(!last.is_empty());
    let bad = |o| Engine::new(&m, &o).map(|_| ()).unwrap_err().to_string();
    assert!(bad(EngineOptions { chain: 0, ..small() }).contains("chain"));
    assert!(bad(EngineOptions { prompt_rows: Some(RowCount(0)), ..small() }).contains("prompt rows"));
}

/// A step has no more rows than the context, however many places a batch has.
#[test]
fn more_requests_than_rows_of_a_step_take_turns() {
    let device = Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap());
    let options = LoadOptions { context: Some(8), ..LoadOptions::default() };
    let source = Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap());
    let m = Model::load_on(source, device, &options, &mut |_| {}).unwrap();
    let batch = BatchOptions {
        sequences: Some(16),
        cache_tokens: Some(64 * 256),
        deterministic: false,
        drafts: None,
    };
    let engine = Engine::new(&m, &EngineOptions { batch, ..EngineOptions::default() }).unwrap();
    // The first holds the engine up until all are there.
    let (go, gone) = mpsc::channel::<()>();
    let waits = move |event| {
        if matches!(event, Event::Started { .. }) {
            gone.recv().unwrap();
        }
        Control::Continue
    };
    engine.submit(request(vec![Token(99)], 7, 0), waits).unwrap();
    let mut answers: Vec<Answer> =
        (0..14).map(|i| engine.start(request(vec![Token(1 + i)], 7, 0)).unwrap()).collect();
    go.send(()).unwrap();
    for a in &mut answers {
        let (tokens, end) = read(a);
        assert_eq!((tokens.len(), end.unwrap().finish), (7, FinishReason::Length));
    }
}

/// Layers with a window have blocks of their own, which sequences give back as they go on: whoever waits, is parked or finds a prefix.
#[test]
fn windows_move_through_a_pool_of_their_own() {
    let device = Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap());
    let options = LoadOptions { context: Some(1500), ..LoadOptions::default() };
    let source = Box::new(Windowed::new("tiny-llama:q8_0", 200, Some(vec![true, false])).unwrap());
    let m = Model::load_on(source, device, &options, &mut |_| {}).unwrap();
    // Two longest sequences are more than there is: one is parked.
    let batch =
        BatchOptions { sequences: Some(2), cache_tokens: Some(11 * 256), deterministic: true, drafts: None };
    let options = EngineOptions { batch, ..small() };
    let requests: Vec<Request> = [(900, 590, 1), (890, 600, 2), (30, 300, 3), (1499, 5, 4), (950, 20, 1)]
        .iter()
        .map(|(n, max, seed)| request(prompt(*n, *seed), *max, 3))
        .collect();
    let wanted: Vec<Vec<Token>> =
        requests.iter().map(|r| read(&mut poisoned(&m, &options).start(r.clone()).unwrap()).0).collect();
    let batch = m.batch(&options.batch).unwrap();
    assert_eq!(batch.window_usage().unwrap().blocks, 2 * 4 + 2);
    drop(batch);
    let engine = poisoned(&m, &options);
    let mut answers: Vec<Answer> = requests.iter().map(|r| engine.start(r.clone()).unwrap()).collect();
    for (a, want) in answers.iter_mut().zip(&wanted) {
        assert_eq!(read(a).0, *want);
    }
    rest(&engine);
    assert!(engine.status().parked > 0, "{:?}", engine.status());
    let last = requests.len() - 1;
    let (tokens, end) = read(&mut engine.start(requests[last].clone()).unwrap());
    assert_eq!((&tokens, end.unwrap().reused), (&wanted[last], 949));
}

/// Requests whose context is full go on, if they say so, with what they would draw alone; the others never notice.
#[test]
fn full_contexts_make_room_beside_others() {
    let m = model("tiny-llama:q8_0");
    let options =
        EngineOptions { batch: BatchOptions { cache_tokens: Some(6 * 256), ..small().batch }, ..small() };
    let shifting = |tokens, max_tokens, drop: &[std::ops::Range<u32>]| {
        let overflow = Overflow::Shift { drop: drop.to_vec(), keep: 20 };
        Request { overflow, ..request(tokens, max_tokens, 4) }
    };
    let shared = prompt(300, 1);
    let requests = [
        shifting(shared.clone(), 700, &[]),
        shifting([&shared[..280], &[7, 8].map(Token)].concat(), 500, &[30..90, 5..200]),
        request(shared.clone(), 60, 2),
        shifting(prompt(40, 3), 900, &[]),
        request([&shared[..290], &[Token(9)]].concat(), 400, 3),
    ];
    let wanted: Vec<Vec<Token>> = requests.iter().map(|r| alone_in(&m, &options, r)).collect();
    assert_eq!(wanted.iter().map(Vec::len).collect::<Vec<_>>(), [700, 500, 60, 900, 110]);
    let engine = poisoned(&m, &options);
    for round in 0..2 {
        let mut answers: Vec<Answer> = requests.iter().map(|r| engine.start(r.clone()).unwrap()).collect();
        // One that would drop what is not there.
        let elsewhere = 350..401;
        let wrong = shifting(prompt(390, 8), 50, std::slice::from_ref(&elsewhere));
        let mut wrong = engine.start(wrong).unwrap();
        let (tokens, end) = read(&mut wrong);
        assert_eq!(tokens.len(), 11);
        assert!(matches!(end, Err(Error::Position { .. })), "{end:?}");
        for (i, (a, want)) in answers.iter_mut().zip(&wanted).enumerate() {
            let (tokens, end) = read(a);
            assert_eq!(&tokens, want, "request {i}, round {round}");
            let end = end.unwrap();
            let full = i == 4;
            assert_eq!(end.tokens as usize, want.len());
            assert_eq!(end.finish, if full { FinishReason::ContextFull } else { FinishReason::Length });
        }
    }
    rest(&engine);
    assert!(engine.status().shifts >= 2 * 8, "{:?}", engine.status());
}

/// A host that sleeps loses no token, of any of four sequences.
#[test]
fn a_slow_owner_loses_nothing() {
    let m = model("tiny-llama:q8_0");
    let r = request(prompt(20, 1), 60, 4);
    let want = alone(&m, &r);
    let engine = Engine::new(&m, &small()).unwrap();
    let slept = Arc::new(AtomicU32::new(0));
    let mut all: Vec<mpsc::Receiver<Token>> = Vec::new();
    for i in 0..4 {
        let (send, tokens) = mpsc::channel();
        let slept = Arc::clone(&slept);
        let sent = engine.submit(r.clone(), move |event| {
            if let Event::Token { token: t, .. } = event {
                if i == 0 && slept.fetch_add(1, Ordering::Relaxed) < 3 {
                    std::thread::sleep(Duration::from_millis(200));
                }
                send.send(t).unwrap();
            }
            Control::Continue
        });
        sent.unwrap();
        all.push(tokens);
    }
    for tokens in all {
        assert_eq!(tokens.iter().collect::<Vec<Token>>(), want);
    }
}

#[test]
fn a_task_waits_for_events_too() {
    struct Flag(std::thread::Thread);
    impl Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let m = model("tiny-llama:q8_0");
    let engine = Engine::new(&m, &small()).unwrap();
    let mut answer = engine.start(request(prompt(5, 1), 12, 4)).unwrap();
    let waker = Waker::from(Arc::new(Flag(std::thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut tokens = 0;
    let mut ended = false;
    while !ended {
        let mut next = std::pin::pin!(answer.next_event());
        let event = loop {
            match next.as_mut().poll(&mut cx) {
                Poll::Ready(event) => break event,
                Poll::Pending => std::thread::park(),
            }
        };
        match event {
            Some(Event::Token { .. }) => tokens += 1,
            Some(_) => {}
            None => ended = true,
        }
    }
    assert_eq!(tokens, 12);
}

/// Who asked to be woken at the end is woken once, when the last event is there and not before, however it ends and whoever reads meanwhile.
#[test]
fn who_waits_for_the_end_is_woken_with_the_last_event() {
    struct Count(std::thread::Thread, AtomicU32);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.unpark();
        }
    }
    let m = model("tiny-llama:q8_0");
    let engine = Engine::new(&m, &small()).unwrap();
    for cancelled in [false, true] {
        let mut answer = engine.start(request(prompt(30, 3), if cancelled { 300 } else { 60 }, 7)).unwrap();
        let count = Arc::new(Count(std::thread::current(), AtomicU32::new(0)));
        answer.wake_at_end(Waker::from(Arc::clone(&count)));
        // Reading events before the end takes nothing from who waits for it.
        assert!(matches!(answer.recv(), Some(Event::Started { .. })));
        if cancelled {
            answer.cancel();
        }
        while count.1.load(Ordering::SeqCst) == 0 {
            std::thread::park_timeout(Duration::from_secs(10));
        }
        let (mut tokens, mut cx) = (0, Context::from_waker(Waker::noop()));
        let finished = loop {
            match answer.poll(&mut cx) {
                Poll::Ready(Some(Event::Token { .. })) => tokens += 1,
                Poll::Ready(Some(Event::Finished(f))) => break f,
                other => panic!("woken before the end: {other:?}"),
            }
        };
        assert_eq!(finished.tokens, tokens);
        assert!(cancelled || finished.finish == FinishReason::Length);
        // It is over: whoever asks now is told at once.
        let late = Arc::new(Count(std::thread::current(), AtomicU32::new(0)));
        rest(&engine);
        while !matches!(answer.poll(&mut cx), Poll::Ready(None)) {
            std::thread::yield_now();
        }
        answer.wake_at_end(Waker::from(Arc::clone(&late)));
        assert_eq!((count.1.load(Ordering::SeqCst), late.1.load(Ordering::SeqCst)), (1, 1));
    }
}

/// A model in which token 1,000 alone overflows: in the first norm its embedding meets a weight that others have zero for.
struct Tainted(Synthetic);

const BAD: u64 = 1000;

impl WeightSource for Tainted {
    fn config(&self) -> &ModelConfig {
        self.0.config()
    }

    fn tensors(&self) -> &[TensorInfo] {
        self.0.tensors()
    }

    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        self.0.read(tensor, offset, out)?;
        for (i, v) in out.chunks_exact_mut(4).enumerate() {
            let at = offset / 4 + i as u64;
            let new = match &*tensor.name {
                "embed.weight" if at.is_multiple_of(tensor.cols) => (at / tensor.cols == BAD) as u8 as f32,
                "layers.0.attention_norm.weight" if at == 0 => f32::MAX,
                _ => continue,
            };
            v.copy_from_slice(&new.to_le_bytes());
        }
        Ok(())
    }
}

/// Its own error, and nothing for the others; the blocks that it leaves are of no use to anybody.
#[test]
fn a_request_whose_numbers_break_fails_alone() {
    let device = Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap());
    let options = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
    let source = Box::new(Tainted(Synthetic::parse("tiny-llama:f32").unwrap()));
    let m = Model::load_on(source, device, &options, &mut |_| {}).unwrap();
    let well = |seed: u32| {
        let tokens = prompt(300, seed).into_iter().map(|t| Token(t.0 % BAD as u32)).collect();
        // So few that none of them happens to be the bad one.
        let mut r = request(tokens, 12, 0);
        r.options.sampling = Sampling::greedy();
        r
    };
    let wanted: Vec<Vec<Token>> = (0..3).map(|i| alone(&m, &well(i))).collect();
    let engine = poisoned(&m, &small());
    for _ in 0..3 {
        let mut answers: Vec<Answer> = (0..3).map(|i| engine.start(well(i)).unwrap()).collect();
        let mut broken = prompt(300, 7);
        broken[280] = Token(BAD as u32);
        let mut broken = engine.start(request(broken, 40, 1)).unwrap();
        let (tokens, end) = read(&mut broken);
        assert!(tokens.is_empty() && matches!(end, Err(Error::NotFinite { position: 300 })), "{end:?}");
        for (a, want) in answers.iter_mut().zip(&wanted) {
            assert_eq!(read(a).0, *want);
        }
    }
    rest(&engine);
    // What is in the cache is sound.
    assert_eq!(read(&mut engine.start(well(0)).unwrap()).0, wanted[0]);
}

/// Blocks of broken numbers, those of the prefix that others would find among them, are found by nobody; and nothing goes on from
/// them.
#[test]
fn blocks_with_broken_numbers_are_withdrawn() {
    struct Guest(Sequence);
    impl AsMut<Sequence> for Guest {
        fn as_mut(&mut self) -> &mut Sequence {
            &mut self.0
        }
    }
    let device = Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap());
    let options = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
    let source = Box::new(Tainted(Synthetic::parse("tiny-llama:f32").unwrap()));
    let m = Model::load_on(source, device, &options, &mut |_| {}).unwrap();
    let mut batch = m.batch(&small().batch).unwrap();
    // The bad token is in the first block, which is full and published before the last rows draw.
    let mut tokens: Vec<Token> = prompt(300, 7).into_iter().map(|t| Token(t.0 % BAD as u32)).collect();
    tokens[200] = Token(BAD as u32);
    let r = request(tokens, 40, 1);
    let mut guests = [Guest(batch.sequence(&r.tokens, &r.options).unwrap())];
    for rows in [256, 44] {
        let mut drew = Vec::new();
        let piece = Piece { guest: 0, rows };
        let mut on_draw = |_: &mut Guest, _: usize, draw: akunu::batch::Draw| {
            drew.push((draw.token, draw.finish));
            Next::Go
        };
        batch.run(&mut guests, &[piece], 5, &mut on_draw).unwrap();
        let want = [(None, Some(FinishReason::NotFinite))];
        assert_eq!(drew, if rows == 44 { &want[..] } else { &[] });
        let found = batch.sequence(&r.tokens, &r.options).unwrap().reused();
        assert_eq!(found, if rows == 44 { 0 } else { 256 });
    }
    assert_eq!((guests[0].0.pending(), guests[0].0.drawn()), (0, &[][..]));
    assert!(matches!(batch.fork(&guests[0].0, &r.options), Err(Error::NotFinite { position: 300 })));
    drop(guests);
    let usage = batch.usage();
    assert_eq!((usage.held, usage.kept), (0, 0));
}
