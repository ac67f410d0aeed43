//! Many sequences in one step: what each draws is what it draws alone, blocks come back, and nothing reads what is not its own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod sizes;
mod windows;

use akunu::batch::{Batch, BatchOptions, Draw, Next, Piece, Sequence, SequenceOptions};
use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::{
    CacheTypes, Control, DecodeOptions, Eos, Error, FinishReason, KvFormat, LoadOptions, Model, Sampling,
    Token,
};
use akunu_conformance::windowed::Windowed;
use akunu_conformance::{On, on_each_device, on_each_device_and_vulkan};
use std::collections::HashMap;
use std::sync::Arc;

on_each_device_and_vulkan!(a_few_sequences_draw_what_each_draws_alone);

on_each_device!(
    one_sequence_is_a_session,
    what_else_runs_changes_nothing_where_all_rows_are_of_one_family,
    a_prefix_is_not_computed_again_and_gives_the_same_tokens,
    parked_and_forked_sequences_go_on_as_if_nothing_had_happened,
    whatever_happens_between_steps_each_sequence_is_itself,
    whatever_happens_between_steps_windows_stay_whole,
    a_sequence_shifts_as_a_session_does,
    a_shift_takes_nothing_from_others,
    a_profile_takes_nothing_from_others,
);

const CONTEXT: u32 = 700;

fn model(spec: &str, device: Arc<dyn Device>) -> Model {
    let options = LoadOptions { context: Some(CONTEXT), ..LoadOptions::default() };
    Model::load_on(Box::new(Synthetic::parse(spec).unwrap()), device, &options, &mut |_| {}).unwrap()
}

/// A model on this machine's best level of the CPU.
fn on_cpu(spec: &str) -> Model {
    model(spec, Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap()))
}

/// The best of the devices there.
fn best(on: On) -> Arc<dyn Device> {
    match on {
        On::Cpu => Arc::new(CpuDevice::with_level(Level::detect(), Some(2)).unwrap()),
        On::Gpu | On::Vulkan | On::Metal => on.devices().unwrap().swap_remove(0),
    }
}

/// All of them, the CPU's reference level too.
fn all(on: On) -> Vec<Arc<dyn Device>> {
    let mut all = on.devices().unwrap();
    if on == On::Cpu {
        all.push(Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap()));
    }
    all
}

/// `n` tokens that differ from those of another seed.
fn prompt(n: usize, seed: u32) -> Vec<Token> {
    (0..n as u32)
        .map(|i| (i + 1).wrapping_mul(2_654_435_761).wrapping_add(seed * 7919) % 1021)
        .map(Token)
        .collect()
}

fn options(max_tokens: u32, seed: u64) -> SequenceOptions {
    let sampling = Sampling { temperature: 0.9, min_p: 0.02, seed, ..Sampling::NEUTRAL };
    SequenceOptions { max_tokens, sampling, eos: Eos::Ignore, reasoning: None }
}

/// What a session draws.
fn in_a_session(model: &Model, prompt: &[Token], o: &SequenceOptions) -> Vec<Token> {
    let mut session = model.session().unwrap();
    session.append(prompt).unwrap();
    let o = DecodeOptions { max_tokens: o.max_tokens, sampling: o.sampling.clone(), eos: o.eos, chunk: None };
    let mut out = Vec::new();
    session
        .decode(&o, &mut |t| {
            out.push(t);
            Control::Continue
        })
        .unwrap();
    out
}

struct Guest(Sequence);

impl AsMut<Sequence> for Guest {
    fn as_mut(&mut self) -> &mut Sequence {
        &mut self.0
    }
}

fn go(_: &mut Guest, _: usize, _: Draw) -> Next {
    Next::Go
}

/// Runs guests to their end, with at most `budget` rows and `chain` steps at a time.
fn finish(batch: &mut Batch, guests: &mut [Guest], budget: u32, chain: u32) {
    loop {
        let mut left = budget;
        let mut pieces = Vec::new();
        for (guest, g) in guests.iter().enumerate() {
            let rows = g.0.pending().min(left);
            if rows > 0 {
                pieces.push(Piece { guest, rows });
                left -= rows;
            }
        }
        if pieces.is_empty() {
            return;
        }
        let prefill = guests.iter().any(|g| g.0.pending() > 1);
        batch.run(guests, &pieces, if prefill { 1 } else { chain }, &mut go).unwrap();
    }
}

/// In tables of few rows all sums have one order, a session's too. (A GPU's batch has few rows up to two.)
fn a_few_sequences_draw_what_each_draws_alone(on: On) {
    // Tables of kernels in Slang have one order of sums, however many rows.
    let few = match on {
        On::Cpu => 8,
        On::Gpu => 2,
        On::Vulkan | On::Metal => 4,
    };
    for device in all(on) {
        let level = device.info().name;
        let m = model("tiny-llama:q8_0", device);
        let mut batch = m.batch(&BatchOptions::default()).unwrap();
        let asked: Vec<(Vec<Token>, SequenceOptions)> =
            (0..few).map(|i| (prompt(1 + 37 * i as usize, i), options(20 + 9 * i, u64::from(i)))).collect();
        let mut guests: Vec<Guest> =
            asked.iter().map(|(p, o)| Guest(batch.sequence(p, o).unwrap())).collect();
        // Prompts in pieces of what is left of so many rows.
        finish(&mut batch, &mut guests, few, 7);
        for ((p, o), g) in asked.iter().zip(&guests) {
            let mut want = m.session().unwrap();
            // A session's prompt in steps of one row: the same family.
            for t in &p[..p.len() - 1] {
                want.append(&[*t]).unwrap();
                want.next_logits().unwrap();
            }
            want.append(&p[p.len() - 1..]).unwrap();
            let o = DecodeOptions {
                max_tokens: o.max_tokens,
                sampling: o.sampling.clone(),
                eos: o.eos,
                chunk: None,
            };
            want.decode(&o, &mut |_| Control::Continue).unwrap();
            assert_eq!(g.0.tokens(), want.tokens(), "{level}");
            assert_eq!(g.0.finish(), Some(FinishReason::Length));
        }
        drop(guests);
        assert_eq!(batch.usage().held, 0);
        assert_eq!(batch.free_places(), if on == On::Gpu { 256 } else { 16 });
    }
}

/// What a batch of one draws is what a session draws, whatever tables its prompt ran in.
fn one_sequence_is_a_session(on: On) {
    // A GPU's session has other tables for more rows.
    let prompts: &[usize] = if on == On::Cpu { &[1, 2, 8, 9, 300] } else { &[1, 2, 8] };
    for device in all(on) {
        let level = device.info().name;
        let m = model("tiny-llama:q4_0", device);
        for &n in prompts {
            let (p, o) = (prompt(n, 3), options(30, 5));
            let mut batch = m.batch(&BatchOptions { sequences: Some(1), ..BatchOptions::default() }).unwrap();
            let mut guests = [Guest(batch.sequence(&p, &o).unwrap())];
            finish(&mut batch, &mut guests, 512, 7);
            assert_eq!(guests[0].0.drawn(), in_a_session(&m, &p, &o), "{level}, {n} tokens");
        }
    }
}

/// With `deterministic` the other guests, their number and the cut of prompts into pieces change nothing.
fn what_else_runs_changes_nothing_where_all_rows_are_of_one_family(on: On) {
    for device in all(on) {
        let level = device.info().name;
        let m = model("tiny-llama:q8_0", device);
        let deterministic = BatchOptions { deterministic: true, ..BatchOptions::default() };
        let asked: Vec<(Vec<Token>, SequenceOptions)> =
            (0..12).map(|i| (prompt(1 + 41 * i as usize, i), options(8 + 3 * i, u64::from(i)))).collect();
        let alone: Vec<Vec<Token>> = asked
            .iter()
            .map(|(p, o)| {
                let mut batch = m.batch(&deterministic).unwrap();
                let mut guests = [Guest(batch.sequence(p, o).unwrap())];
                finish(&mut batch, &mut guests, 512, 16);
                guests[0].0.tokens().to_vec()
            })
            .collect();
        for (budget, chain) in [(512, 5), (100, 1), (13, 40)] {
            let mut batch = m.batch(&deterministic).unwrap();
            let mut guests: Vec<Guest> =
                asked.iter().map(|(p, o)| Guest(batch.sequence(p, o).unwrap())).collect();
            finish(&mut batch, &mut guests, budget, chain);
            for (g, want) in guests.iter().zip(&alone) {
                assert_eq!(g.0.tokens(), want, "{level}, pieces of {budget}");
            }
        }
    }
}

fn a_prefix_is_not_computed_again_and_gives_the_same_tokens(on: On) {
    let m = model("tiny-llama:q8_0", best(on));
    let o = options(12, 1);
    let mut shared = prompt(600, 9);
    let mut batch = m.batch(&BatchOptions { deterministic: true, ..BatchOptions::default() }).unwrap();
    let mut first = [Guest(batch.sequence(&shared, &o).unwrap())];
    finish(&mut batch, &mut first, 512, 16);
    assert_eq!((first[0].0.reused(), first[0].0.blocks()), (0, 3));
    let published = batch.usage();
    // All but the last token, twice: two whole blocks are shared, the rest is copied.
    for _ in 0..2 {
        let mut again = [Guest(batch.sequence(&shared, &o).unwrap())];
        assert_eq!(again[0].0.reused(), 599);
        assert_eq!(batch.usage().held, published.held + 1, "its full blocks are shared");
        finish(&mut batch, &mut again, 512, 16);
        assert_eq!(again[0].0.tokens(), first[0].0.tokens());
    }
    // To the token: 300 tokens are the same, 256 of them in a shared block, the rest in a copy.
    shared[300] = Token((shared[300].0 + 1) % 1021);
    let mut other = [Guest(batch.sequence(&shared, &o).unwrap())];
    assert_eq!(other[0].0.reused(), 300);
    finish(&mut batch, &mut other, 512, 16);
    let mut fresh = m.batch(&BatchOptions { deterministic: true, ..BatchOptions::default() }).unwrap();
    let mut want = [Guest(fresh.sequence(&shared, &o).unwrap())];
    finish(&mut fresh, &mut want, 512, 16);
    assert_eq!(other[0].0.tokens(), want[0].0.tokens());
    drop((first, other));
    assert_eq!(batch.usage().held, 0);
}

fn parked_and_forked_sequences_go_on_as_if_nothing_had_happened(on: On) {
    let m = model("tiny-llama:q8_0", best(on));
    let (p, o) = (prompt(300, 4), options(40, 8));
    let mut batch = m.batch(&BatchOptions::default()).unwrap();
    let mut guests = vec![Guest(batch.sequence(&p, &o).unwrap())];
    finish(&mut batch, &mut guests, 512, 16);
    let want = guests[0].0.tokens().to_vec();

    let mut batch = m.batch(&BatchOptions::default()).unwrap();
    let mut guests = vec![Guest(batch.sequence(&p, &o).unwrap())];
    batch.run(&mut guests, &[Piece { guest: 0, rows: 300 }], 10, &mut go).unwrap();
    let rest = SequenceOptions { max_tokens: 30, ..o };
    let fork = batch.fork(&guests[0].0, &rest).unwrap().unwrap();
    assert_eq!(batch.usage().held, 3, "a shared block, and the last one twice");
    guests.push(Guest(fork));
    batch.park(&mut guests[0].0).unwrap();
    assert_eq!((guests[0].0.blocks(), batch.usage().held), (0, 2));
    // Others use the blocks meanwhile.
    let mut others: Vec<Guest> =
        (0..3).map(|i| Guest(batch.sequence(&prompt(500, 20 + i), &options(5, 1)).unwrap())).collect();
    finish(&mut batch, &mut others, 512, 16);
    drop(others);
    assert!(batch.resume(&mut guests[0].0).unwrap());
    finish(&mut batch, &mut guests, 8, 4);
    assert_eq!(guests[0].0.tokens(), want, "parked");
    assert_eq!(guests[1].0.tokens(), want, "forked");
}

#[test]
fn bad_requests_are_refused() {
    let m = on_cpu("tiny-llama:q8_0");
    let size = |sequences, cache_tokens| BatchOptions { sequences, cache_tokens, ..BatchOptions::default() };
    let refused = |o: &BatchOptions| m.batch(o).map(|_| ()).unwrap_err().to_string();
    assert!(refused(&size(Some(0), None)).contains("sequences of a batch"));
    assert!(refused(&size(Some(5000), None)).contains("1 and 1024"));
    assert!(refused(&size(None, Some(100))).contains("one whole context"));
    assert!(refused(&size(Some(4), Some(768))).contains("fewer sequences"), "a block for each");
    assert!(refused(&size(None, Some(0))).contains("one whole context"));
    for tokens in [u64::MAX, 1 << 33, (1 << 32) + 1] {
        let e = refused(&size(None, Some(tokens)));
        assert!(e.contains(&format!("`cache_tokens` is {tokens}; choose 4294967296 at most")), "{e}");
    }
    // So many blocks there may be; whether they fit is the device's matter.
    assert_eq!(m.batch_program(&size(None, Some(1 << 32))).unwrap().cache.pool, 1 << 24);
    assert!(m.batch_program(&size(Some(u32::MAX), Some(1 << 32))).is_err());
    let mut batch = m.batch(&size(Some(2), Some(768))).unwrap();
    // Before anything is made for each of them.
    let greedy = Sampling::greedy();
    for sequences in [3, u32::MAX] {
        let e = batch.profile(sequences, 10, &greedy, 1).unwrap_err().to_string();
        assert!(e.contains("sequences of a profile") && e.contains("places"), "{e}");
    }
    assert!(
        batch.profile(0, 10, &greedy, 1).is_err()
            && batch.profile(2, 0, &greedy, 1).is_err()
            && batch.profile(2, 10, &greedy, 0).is_err()
    );
    assert!(matches!(batch.profile(2, 701, &greedy, 1), Err(Error::ContextFull { .. })));
    let o = options(5, 0);
    assert!(matches!(batch.sequence(&[], &o), Err(Error::Empty)));
    assert!(matches!(batch.sequence(&[Token(5000)], &o), Err(Error::TokenRange { .. })));
    assert!(matches!(batch.sequence(&prompt(701, 0), &o), Err(Error::ContextFull { .. })));
    assert!(matches!(batch.sequence(&[Token(1)], &options(0, 0)), Err(Error::Option { .. })));
    let mut guests: Vec<Guest> = (0..3).map(|i| Guest(batch.sequence(&prompt(10, i), &o).unwrap())).collect();
    let piece = |guest, rows| Piece { guest, rows };
    let mut run = |pieces: &[Piece], steps| batch.run(&mut guests, pieces, steps, &mut go);
    assert!(run(&[], 1).is_err());
    assert!(run(&[piece(0, 0)], 1).is_err());
    assert!(run(&[piece(0, 11)], 1).is_err());
    assert!(run(&[piece(0, 10)], 0).is_err());
    assert!(run(&[piece(0, 10)], u32::MAX).is_err());
    assert!(run(&[piece(7, 1)], 1).is_err());
    assert!(run(&[piece(0, 3), piece(0, 3)], 1).is_err());
    assert!(run(&[piece(0, 1), piece(1, 1), piece(2, 1)], 1).is_err(), "two places");
    run(&[piece(0, 10), piece(1, 4)], 3).unwrap();
    assert_eq!(guests[0].0.drawn().len(), 3);
    // A cache of three blocks, held by two.
    drop(guests.pop());
    let mut long = Guest(batch.sequence(&prompt(600, 5), &o).unwrap());
    drop(guests.pop());
    let full = batch.run(std::slice::from_mut(&mut long), &[piece(0, 512)], 1, &mut go);
    full.unwrap();
    let full = batch.run(std::slice::from_mut(&mut long), &[piece(0, 88)], 1, &mut go);
    assert!(matches!(full, Err(Error::CacheFull { .. })), "{full:?}");
    drop(guests);
    batch.run(std::slice::from_mut(&mut long), &[piece(0, 88)], 1, &mut go).unwrap();
    assert_eq!(long.0.drawn().len(), 1);
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }

    /// One of those for which something holds.
    fn one(&mut self, guests: &[Known], holds: impl Fn(&Known) -> bool) -> Option<usize> {
        let all: Vec<usize> = (0..guests.len()).filter(|i| holds(&guests[*i])).collect();
        if all.is_empty() { None } else { Some(all[self.below(all.len())]) }
    }
}

/// A sequence, and what it is when nothing else runs.
struct Known {
    sequence: Sequence,
    life: Life,
    want: Arc<Vec<Token>>,
    parked: bool,
    /// How often it was parked, and whether it was forked.
    events: (u32, bool),
}

impl AsMut<Sequence> for Known {
    fn as_mut(&mut self) -> &mut Sequence {
        &mut self.sequence
    }
}

/// How a sequence came to be what it is.
#[derive(Clone)]
struct Life {
    prompt: Vec<Token>,
    options: SequenceOptions,
    turns: Vec<Turn>,
}

/// Something that its tokens alone do not tell, and with how many tokens and positions in the cache it happened.
#[derive(Clone)]
struct Turn {
    tokens: usize,
    kv_len: u32,
    what: What,
}

#[derive(Clone)]
enum What {
    Shift {
        keep: u32,
        discard: u32,
    },
    /// It is a fork from there on.
    Fork(SequenceOptions),
}

impl Life {
    fn new(prompt: &[Token], options: SequenceOptions) -> Self {
        Self { prompt: prompt.to_vec(), options, turns: Vec::new() }
    }

    /// The same, with something that happens to a sequence now.
    fn and(&self, of: &Sequence, what: What) -> Self {
        let turn = Turn { tokens: of.tokens().len(), kv_len: of.kv_len(), what };
        Self { turns: [&self.turns[..], &[turn]].concat(), ..self.clone() }
    }

    /// The tokens at its end in a batch in which nothing else runs.
    fn alone(&self, batch: &mut Batch) -> Vec<Token> {
        let mut guests = [Guest(batch.sequence(&self.prompt, &self.options).unwrap())];
        for turn in &self.turns {
            reach(batch, &mut guests, turn);
            match &turn.what {
                What::Shift { keep, discard } => {
                    assert!(batch.shift(&mut guests[0].0, *keep, *discard).unwrap());
                }
                What::Fork(o) => guests = [Guest(batch.fork(&guests[0].0, o).unwrap().unwrap())],
            }
        }
        finish(batch, &mut guests, 512, 64);
        guests[0].0.tokens().to_vec()
    }
}

/// Runs a sequence until it has the tokens of a turn, and at least its positions in the cache.
fn reach(batch: &mut Batch, guests: &mut [Guest; 1], turn: &Turn) {
    loop {
        let s = &guests[0].0;
        let (pending, more) = (s.pending(), (turn.tokens - s.tokens().len()) as u32);
        let rows = if more > 0 { pending } else { turn.kv_len.saturating_sub(s.kv_len()) }.min(512);
        if rows == 0 {
            return;
        }
        let steps = if rows == pending { more } else { 1 };
        batch.run(guests, &[Piece { guest: 0, rows }], steps, &mut go).unwrap();
    }
}

const WINDOW: u32 = 100;

/// Layers see 100 positions: all of them, or those that are named.
fn windowed(device: Arc<dyn Device>, layers: Option<Vec<bool>>, context: u32) -> Model {
    let source = Windowed::new("tiny-llama:q8_0", WINDOW, layers).unwrap();
    let options = LoadOptions { context: Some(context), ..LoadOptions::default() };
    Model::load_on(Box::new(source), device, &options, &mut |_| {}).unwrap()
}

/// A profile whose prompt is in the cache leaves it as it is.
fn a_profile_takes_nothing_from_others(on: On) {
    for layers in [None, Some(vec![true, false])] {
        let m = windowed(best(on), layers, CONTEXT);
        let (p, o) = ((0..600).map(Token).collect::<Vec<_>>(), options(20, 3));
        let mut alone = crowded(&m, 4, 60);
        let mut want = [Guest(alone.sequence(&p, &o).unwrap())];
        finish(&mut alone, &mut want, 512, 64);
        let mut batch = crowded(&m, 4, 60);
        let mut first = [Guest(batch.sequence(&p, &options(1, 0)).unwrap())];
        finish(&mut batch, &mut first, 512, 1);
        let profile = batch.profile(3, 600, &Sampling::greedy(), 1).unwrap();
        assert!(profile.step_seconds > 0.0);
        let mut again = [Guest(batch.sequence(&p, &o).unwrap())];
        assert_eq!(again[0].0.reused(), 599);
        finish(&mut batch, &mut again, 512, 64);
        assert_eq!(again[0].0.tokens(), want[0].0.tokens());
    }
}

/// What follows a shift is what follows it in a session.
fn a_sequence_shifts_as_a_session_does(on: On) {
    for device in all(on) {
        let level = device.info().name;
        let m = model("tiny-llama:q8_0", device);
        // A GPU's session has other tables for many rows. Both come to a thousand positions.
        let (p, o) = match on {
            On::Cpu => (prompt(600, 3), options(400, 5)),
            On::Gpu | On::Vulkan | On::Metal => (prompt(1, 3), options(999, 5)),
        };
        let (keep, discard) = (100, 250);
        let mut session = m.session().unwrap();
        session.append(&p).unwrap();
        let (mut drawn, mut shifts) = (0, 0);
        loop {
            let left = DecodeOptions {
                max_tokens: o.max_tokens - drawn,
                sampling: o.sampling.clone(),
                eos: o.eos,
                chunk: None,
            };
            let decoded = session.decode(&left, &mut |_| Control::Continue).unwrap();
            drawn += decoded.tokens;
            if decoded.finish != FinishReason::ContextFull {
                break;
            }
            session.shift(keep, discard).unwrap();
            shifts += 1;
        }
        assert_eq!((drawn, shifts), (o.max_tokens, 2));
        let one = BatchOptions { sequences: Some(1), ..BatchOptions::default() };
        let mut batch = m.batch(&one).unwrap();
        batch.poison(0xff);
        let mut guests = [Guest(batch.sequence(&p, &o).unwrap())];
        for _ in 0..shifts {
            finish(&mut batch, &mut guests, 512, 64);
            assert_eq!(guests[0].0.finish(), Some(FinishReason::ContextFull));
            assert!(batch.shift(&mut guests[0].0, keep, discard).unwrap());
            assert_eq!((guests[0].0.pending(), guests[0].0.kv_len()), (1, 450));
        }
        finish(&mut batch, &mut guests, 512, 64);
        let s = &guests[0].0;
        assert_eq!((s.finish(), s.drawn_len()), (Some(FinishReason::Length), o.max_tokens), "{level}");
        assert_eq!(s.tokens(), session.tokens(), "{level}");
        // At most 100 of the prompt stay; the first shift takes 250 more of a long one, the second as many of what it left.
        let stay = p.len().min(keep as usize);
        assert_eq!((s.prompt_len() as usize, s.drawn().len()), (p.len(), s.tokens().len() - stay));
    }
}

/// Blocks that others hold stay as they are, and rotated ones are found by nobody.
fn a_shift_takes_nothing_from_others(on: On) {
    let m = model("tiny-llama:q8_0", best(on));
    let (p, long, short) = (prompt(600, 3), options(300, 5), options(80, 9));
    let alone = |o: &SequenceOptions, shift: Option<(u32, u32)>| {
        let mut batch = crowded(&m, 3, 9);
        let mut guests = [Guest(batch.sequence(&p, o).unwrap())];
        finish(&mut batch, &mut guests, 512, 64);
        if let Some((keep, discard)) = shift {
            assert!(batch.shift(&mut guests[0].0, keep, discard).unwrap());
            // What is left of it in the index.
            let found = batch.sequence(&p, o).unwrap().reused();
            // Blocks before the first that was written, or all.
            let written = keep / 256 < (700 - discard).div_ceil(256);
            assert_eq!(found, if written { keep / 256 * 256 } else { 599 }, "keep {keep}, drop {discard}");
            finish(&mut batch, &mut guests, 512, 64);
        }
        guests[0].0.tokens().to_vec()
    };
    for (keep, discard) in [(10, 300), (300, 1), (256, 444), (0, 700), (699, 1)] {
        let wanted = (alone(&long, Some((keep, discard))), alone(&short, None));
        let mut batch = crowded(&m, 3, 9);
        let mut guests = vec![Guest(batch.sequence(&p, &long).unwrap())];
        finish(&mut batch, &mut guests, 512, 64);
        guests.push(Guest(batch.sequence(&p, &short).unwrap()));
        assert_eq!(guests[1].0.reused(), 599);
        // The other one sits where the shift has its table for a moment, or not.
        let (a, b) = guests.split_at_mut(1);
        finish(&mut batch, b, 512, 1);
        assert!(batch.shift(&mut a[0].0, keep, discard).unwrap());
        guests.push(Guest(batch.sequence(&p, &short).unwrap()));
        finish(&mut batch, &mut guests, 512, 7);
        assert_eq!(guests[0].0.tokens(), wanted.0, "keep {keep}, drop {discard}");
        assert!(guests[1..].iter().all(|g| g.0.tokens() == wanted.1), "keep {keep}, drop {discard}");
        drop(guests);
        assert_eq!((batch.usage().held, batch.free_places()), (0, 3));
    }
    // Without a block for copies nothing changes, until there is one.
    let mut batch = crowded(&m, 2, 4);
    let mut guests = vec![Guest(batch.sequence(&p, &long).unwrap())];
    finish(&mut batch, &mut guests, 512, 64);
    let other = batch.sequence(&p, &short).unwrap();
    assert_eq!((other.reused(), batch.available()), (599, 0));
    let before = guests[0].0.tokens().to_vec();
    assert!(!batch.shift(&mut guests[0].0, 10, 300).unwrap());
    assert_eq!((guests[0].0.tokens(), guests[0].0.kv_len()), (&before[..], 700));
    drop(other);
    assert!(batch.shift(&mut guests[0].0, 10, 300).unwrap());
    finish(&mut batch, &mut guests, 512, 64);
    assert_eq!(guests[0].0.tokens(), alone(&long, Some((10, 300))));
    // What cannot be shifted.
    let mut refused = |keep, discard| {
        let mut s = batch.sequence(&p[..50], &short).unwrap();
        matches!(batch.shift(&mut s, keep, discard), Err(Error::Position { .. }))
    };
    assert!(refused(0, 0) && refused(40, 20) && refused(u32::MAX, u32::MAX));
    assert!(matches!(batch.shift(&mut guests[0].0, 0, 1), Err(Error::Position { .. })), "it has ended");
}

/// A few places and blocks, all of which begin as NaN.
fn crowded(m: &Model, places: u32, blocks: u64) -> Batch {
    let o = BatchOptions {
        sequences: Some(places),
        cache_tokens: Some(256 * blocks),
        deterministic: true,
        drafts: None,
    };
    let mut batch = m.batch(&o).unwrap();
    batch.poison(0xff);
    batch
}

/// Prompts that begin alike, in pieces of any size, chains of any length, forks and shifts of sequences at any moment, blocks that go
/// to host memory and come back elsewhere, callers that end or pause: each sequence is what it is alone.
fn whatever_happens_between_steps_each_sequence_is_itself(on: On) {
    for cache in [None, Some(KvFormat::Q8_0)] {
        let options = LoadOptions {
            context: Some(CONTEXT),
            cache: CacheTypes { k: cache, v: cache },
            ..LoadOptions::default()
        };
        let source = Box::new(Synthetic::parse("tiny-llama:q8_0").unwrap());
        let m = Model::load_on(source, best(on), &options, &mut |_| {}).unwrap();
        let full = whatever_happens(&m, 6, 6);
        assert!(full > 3, "blocks were there nearly always: {full}");
    }
}

/// Of models whose windowed layers have blocks of their own, too. The last window of a sequence is in other blocks all the time.
fn whatever_happens_between_steps_windows_stay_whole(on: On) {
    for layers in [None, Some(vec![true, false])] {
        let m = windowed(best(on), layers, CONTEXT);
        assert_eq!(crowded(&m, 4, 19).program().cache.windows.unwrap().blocks, 18);
        whatever_happens(&m, 4, 19);
    }
}

/// How often there was no block.
fn whatever_happens(m: &Model, places: u32, blocks: u64) -> u32 {
    let mut known: HashMap<(Vec<Token>, u32, u64), Arc<Vec<Token>>> = HashMap::new();
    let mut alone = |life: &Life| {
        let run = || Arc::new(life.alone(&mut crowded(m, places, blocks)));
        if !life.turns.is_empty() {
            return run();
        }
        let key = (life.prompt.clone(), life.options.max_tokens, life.options.sampling.seed);
        Arc::clone(known.entry(key).or_insert_with(run))
    };
    let (mut forks, mut parks, mut full, mut reused, mut done) = (0, 0, 0, 0, 0);
    // Shifts, forks of what was shifted, and of those that were shifted so many as ran to their end.
    let mut shifts = [0; 3];
    for case in 0..8 {
        let mut r = Random(case);
        let mut batch = crowded(m, places, blocks);
        let mut guests: Vec<Known> = Vec::new();
        for event in 0..220 {
            let place = guests.len() < places as usize;
            let live = |k: &Known| !k.parked && k.sequence.finish().is_none();
            match r.below(12) {
                0 | 1 if place => {
                    let p = prompt(1 + r.below(400), r.below(2) as u32);
                    let o = options(1 + r.below(60) as u32, r.below(2) as u64);
                    // Before it is made: a run of the same prompt in the same batch would be found there.
                    let life = Life::new(&p, o.clone());
                    let want = alone(&life);
                    let sequence = batch.sequence(&p, &o).unwrap();
                    reused += sequence.reused();
                    guests.push(Known { sequence, life, want, parked: false, events: (0, false) });
                }
                2 if place => {
                    let Some(of) = r.one(&guests, live) else { continue };
                    let o = options(1 + r.below(60) as u32, r.below(4) as u64);
                    let Some(sequence) = batch.fork(&guests[of].sequence, &o).unwrap() else { continue };
                    let Known { sequence: of, life, .. } = &guests[of];
                    // Until a shift a sequence is what its tokens say.
                    let shifted = !life.turns.is_empty();
                    let life = if shifted { life.and(of, What::Fork(o)) } else { Life::new(of.tokens(), o) };
                    let want = alone(&life);
                    guests.push(Known { sequence, life, want, parked: false, events: (0, true) });
                    forks += 1;
                    shifts[1] += u32::from(shifted);
                }
                3 => {
                    let Some(i) = r.one(&guests, live) else { continue };
                    batch.park(&mut guests[i].sequence).unwrap();
                    guests[i].parked = true;
                    guests[i].events.0 += 1;
                    parks += 1;
                }
                4 | 5 => {
                    let Some(i) = r.one(&guests, |k| k.parked) else { continue };
                    guests[i].parked = !batch.resume(&mut guests[i].sequence).unwrap();
                }
                7 if r.below(2) == 0 => {
                    let Some(i) = r.one(&guests, |k| live(k) && k.sequence.kv_len() > 0) else { continue };
                    let k = &mut guests[i];
                    let keep = r.below(k.sequence.kv_len() as usize) as u32;
                    let discard = 1 + r.below((k.sequence.kv_len() - keep) as usize) as u32;
                    let life = k.life.and(&k.sequence, What::Shift { keep, discard });
                    // Where there is no block for a copy of what others hold, nothing has changed.
                    if batch.shift(&mut k.sequence, keep, discard).unwrap() {
                        k.want = alone(&life);
                        k.life = life;
                        shifts[0] += 1;
                    }
                }
                6 if r.below(4) == 0 && !guests.is_empty() => {
                    // Ended or not, parked or not.
                    guests.swap_remove(r.below(guests.len()));
                }
                _ => {
                    let mut pieces = Vec::new();
                    let mut left = 1 + r.below(150) as u32;
                    for guest in 0..guests.len() {
                        let pending = guests[guest].sequence.pending();
                        if guests[guest].parked || pending == 0 || left == 0 || r.below(4) == 0 {
                            continue;
                        }
                        let rows =
                            if r.below(2) == 0 { pending } else { 1 + r.below(pending as usize) as u32 };
                        pieces.push(Piece { guest, rows: rows.min(left) });
                        left -= rows.min(left);
                    }
                    // In any order.
                    for i in (1..pieces.len()).rev() {
                        pieces.swap(i, r.below(i + 1));
                    }
                    if pieces.is_empty() {
                        continue;
                    }
                    let mut say = Random(r.0);
                    let steps = 1 + r.below(20) as u32;
                    let ran = batch.run(&mut guests, &pieces, steps, &mut |_: &mut Known, _, _| match say
                        .below(60)
                    {
                        0 => Next::Pause,
                        1 => Next::End,
                        _ => Next::Go,
                    });
                    match ran {
                        Ok(()) => {}
                        Err(Error::CacheFull { .. }) => {
                            full += 1;
                            let Some(i) = r.one(&guests, |k| !k.parked) else { continue };
                            batch.park(&mut guests[i].sequence).unwrap();
                            guests[i].parked = true;
                        }
                        Err(e) => panic!("{e}"),
                    }
                }
            }
            for k in &guests {
                let got = k.sequence.tokens();
                assert!(k.want.starts_with(got), "case {case}, event {event}, {:?}", k.events);
            }
            while let Some(i) = guests.iter().position(|k| k.sequence.finish().is_some() && r.below(3) == 0) {
                let k = guests.swap_remove(i);
                if k.sequence.finish() != Some(FinishReason::Cancelled) {
                    assert_eq!(k.sequence.tokens(), &**k.want, "case {case}, event {event}");
                    done += 1;
                    shifts[2] += u32::from(!k.life.turns.is_empty());
                }
            }
        }
        // The rest, one by one.
        while let Some(mut k) = guests.pop() {
            for other in &mut guests {
                batch.park(&mut other.sequence).unwrap();
            }
            assert!(batch.resume(&mut k.sequence).unwrap());
            let cancelled = k.sequence.finish().is_some();
            let mut rest = [Guest(k.sequence)];
            finish(&mut batch, &mut rest, 512, 64);
            assert!(cancelled || *rest[0].0.tokens() == **k.want, "case {case}, {:?}", k.events);
        }
        assert_eq!((batch.usage().held, batch.free_places()), (0, places), "case {case}");
    }
    assert!(forks > 30 && parks > 30 && reused > 1000 && done > 40, "{forks} {parks} {reused} {done}");
    assert!(shifts[0] > 30 && shifts[1] > 3 && shifts[2] > 10, "{shifts:?}");
    full
}
