//! Single steps, below the engine: what a device refuses, and what is left after a cancel in the middle of a step.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::RowCount;
use akunu::device::cpu::CpuDevice;
use akunu::device::null::NullDevice;
use akunu::device::{Device, DeviceError, Drawn, Memory, Replay, Stream};
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::{LEVELS, Level};
use akunu::kernels::step::{self, Capacity, Head, Header, Position, Row, Seq, SeqIndex, StopReason};
use akunu::plan::{BatchSize, CacheTypes, Program, Region, Settings, Shape, Walk};
use akunu_conformance::{On, on_each_device_and_vulkan};
use std::sync::Arc;
use std::time::{Duration, Instant};

on_each_device_and_vulkan!(
    steps_of_a_batch_that_do_not_fit_are_refused,
    block_tables_of_a_batch_stay_inside_its_pool,
    a_pause_ends_a_chain_after_a_whole_step,
);

/// (sequence, position) of each row.
type Rows<'a> = &'a [(u32, u32)];
/// The rows that draw.
type Heads<'a> = &'a [u32];

/// One table of a model, lowered over regions of its own.
struct Rig {
    program: Program,
    regions: Vec<Arc<dyn Memory>>,
    stream: Arc<dyn Stream>,
    replay: Box<dyn Replay>,
}

impl Rig {
    fn new(device: &dyn Device, spec: &str, rows: u32) -> Self {
        Self::with(device, spec, Shape::new(RowCount(rows), RowCount(1)), None)
    }

    fn with(device: &dyn Device, spec: &str, shape: Shape, batch: Option<BatchSize>) -> Self {
        let source = Synthetic::parse(spec).unwrap();
        let settings =
            Settings { context: 1024, head_rows: RowCount(1), cache: CacheTypes::default(), batch };
        let program = Program::new(&source, device.target().clone(), settings).unwrap();
        let regions: Vec<Arc<dyn Memory>> =
            program.regions.iter().map(|d| device.alloc(d).unwrap()).collect();
        let stream = device.stream().unwrap();
        let table = program.table("steps", shape).unwrap();
        let replay = device.lower(&table, &regions, &stream).unwrap();
        let rig = Self { program, regions, stream, replay };
        rig.fill_weights();
        let vocab = rig.program.config.vocab;
        let (seqs, pool) = (rig.program.capacity().seqs, rig.program.cache.pool);
        for seq in 0..seqs {
            let tokens: Vec<u32> = (0..shape.rows.0)
                .map(|i| i.wrapping_add(seq * 91).wrapping_mul(2_654_435_761) % vocab)
                .collect();
            let at = u64::from(seq * rig.program.max_seq()) * 4;
            rig.region(Region::Tokens).write(at, bytemuck::cast_slice(&tokens)).unwrap();
        }
        // In a batch each sequence has a first block of its own, and all entries name blocks that there are.
        let entries = rig.program.cache.blocks();
        let blocks: Vec<u32> =
            (0..seqs).flat_map(|s| (0..entries).map(move |b| (s + b * seqs) % pool)).collect();
        rig.region(Region::BlockTable).write(0, bytemuck::cast_slice(&blocks)).unwrap();
        rig
    }

    fn region(&self, r: Region) -> &Arc<dyn Memory> {
        &self.regions[r as usize]
    }

    /// Bytes that are a harmless number in every format and wherever it lies.
    fn fill_weights(&self) {
        let weights = self.region(Region::Weights);
        let mut random = 1u64;
        weights
            .fill(0, weights.bytes(), &mut |bytes| {
                for b in bytes {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    *b = 0x38 | (random >> 56) as u8 & 0x87;
                }
                Ok(())
            })
            .unwrap();
    }

    /// Asks for a step with rows at these positions, of which the last gets logits.
    fn ask(&self, positions: &[u32]) {
        self.stream.reset();
        let header = Header { rows: positions.len() as u32, head_rows: 1, seqs_cap: 1, ..Header::default() };
        let seq = Seq { len: positions[0], limit: u32::MAX, ..Seq::default() };
        let mut block = bytemuck::bytes_of(&header).to_vec();
        block.extend_from_slice(bytemuck::bytes_of(&seq));
        for pos in positions {
            block.extend_from_slice(bytemuck::bytes_of(&Row { seq: SeqIndex(0), pos: Position(*pos) }));
        }
        self.region(Region::Step).write(0, &block).unwrap();
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.replay.submit(1)?;
        self.stream.wait(u64::MAX, 0).map(|_| ())
    }

    fn header(&self) -> Header {
        let mut b = [0u8; size_of::<Header>()];
        self.region(Region::Step).read(0, &mut b).unwrap();
        bytemuck::pod_read_unaligned(&b)
    }

    fn step(&self) -> (Header, Seq) {
        let mut b = [0u8; step::row_offset(1, 0)];
        self.region(Region::Step).read(0, &mut b).unwrap();
        let at = step::seq_offset(SeqIndex(0));
        (
            bytemuck::pod_read_unaligned(&b[..size_of::<Header>()]),
            bytemuck::pod_read_unaligned(&b[at..at + size_of::<Seq>()]),
        )
    }

    fn bytes(&self, r: Region) -> Vec<u8> {
        let mut bytes = vec![0; self.region(r).bytes() as usize];
        self.region(r).read(0, &mut bytes).unwrap();
        bytes
    }

    fn logits(&self) -> Vec<f32> {
        bytemuck::cast_slice::<u8, [u8; 4]>(&self.bytes(Region::Logits))
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect()
    }

    /// Where a layer keeps the key of position 0, which shows whether the layer has run.
    fn marks(&self) -> impl Iterator<Item = u64> {
        (0..self.program.config.layers).map(|i| self.program.cache.place(i, self.program.cache.k).0)
    }

    fn clear_marks(&self) {
        self.marks().for_each(|at| self.region(Region::KCache).write(at, &[0; 64]).unwrap());
    }

    fn layers_run(&self) -> usize {
        let ran = |at: &u64| {
            let mut key = [0u8; 64];
            self.region(Region::KCache).read(*at, &mut key).unwrap();
            key != [0; 64]
        };
        self.marks().filter(ran).count()
    }
}

/// A GPU's attention over many rows takes a tile's positions from its first row; no device takes a step where that is wrong.
#[test]
fn rows_that_do_not_follow_each_other_are_refused() {
    let cpu = CpuDevice::with_level(Level::detect(), Some(2)).unwrap();
    let null = NullDevice::new(cpu.target().clone());
    for device in [&cpu as &dyn Device, &null] {
        for rows in [8, 16] {
            let mut rig = Rig::new(device, "tiny-llama:q8_0", rows);
            for bad in
                [&[0, 1, 2, 4][..], &[0, 0], &[3, 2, 1], &[5, 7], &[1, 2, 3, 4, 5, 6, 7, 0], &[0, u32::MAX]]
            {
                rig.ask(bad);
                let refused = rig.run();
                assert!(matches!(refused, Err(DeviceError::Step { .. })), "{bad:?}: {refused:?}");
                assert_eq!((rig.step().0.steps, rig.layers_run()), (0, 0), "{bad:?}: something ran");
            }
            for good in [&[0][..], &[7], &[4, 5, 6], &[1, 2, 3, 4, 5, 6, 7, 8]] {
                rig.ask(good);
                rig.run().unwrap();
                assert_eq!((rig.step().0.steps, rig.step().1.len), (1, good[good.len() - 1] + 1));
            }
        }
    }
}

const SEQS: u32 = 4;
const POOL: u32 = 16;
const ROWS: u32 = 8;

/// A batch of four sequences, one block of the cache for each 256 positions, and a table of eight rows.
fn batch(device: &dyn Device) -> Rig {
    let size = BatchSize { sequences: SEQS, blocks: POOL };
    Rig::with(device, "tiny-llama:q8_0", Shape::new(RowCount(ROWS), RowCount(SEQS)), Some(size))
}

/// A step block of a batch: (sequence, position) of each row, and the rows of the heads.
#[derive(Clone)]
struct Asked {
    capacity: Capacity,
    header: Header,
    rows: Vec<(u32, u32)>,
    heads: Vec<u32>,
}

impl Asked {
    fn of(rig: &Rig, rows: &[(u32, u32)], heads: &[u32]) -> Self {
        let capacity = rig.program.capacity();
        let (n, m) = (rows.len() as u32, heads.len() as u32);
        let header = Header { rows: n, head_rows: m, ..capacity.header() };
        Self { capacity, header, rows: rows.to_vec(), heads: heads.to_vec() }
    }

    /// Writes it; sequences go on for long.
    fn write(&self, rig: &Rig) {
        rig.stream.reset();
        let mut block = bytemuck::bytes_of(&self.header).to_vec();
        for seed in 0..u64::from(self.capacity.seqs) {
            let seq = Seq { seed, limit: 1000, temperature: 0.8, ..Seq::default() };
            block.extend_from_slice(bytemuck::bytes_of(&seq));
        }
        for (seq, pos) in &self.rows {
            block.extend_from_slice(bytemuck::bytes_of(&Row { seq: SeqIndex(*seq), pos: Position(*pos) }));
        }
        block.resize(self.capacity.heads_at(), 0);
        for row in &self.heads {
            block.extend_from_slice(bytemuck::bytes_of(&Head { row: *row, ..Head::default() }));
        }
        block.resize(self.capacity.bytes(), 0);
        rig.region(Region::Step).write(0, &block).unwrap();
    }
}

/// All that a host can see of whether something ran. (A GPU sets the stop word where it refuses a step.)
fn seen(rig: &Rig) -> [Vec<u8>; 4] {
    let mut all = [Region::Step, Region::Tokens, Region::KCache, Region::VCache].map(|r| rig.bytes(r));
    all[0].drain(std::mem::offset_of!(Header, stop)..std::mem::offset_of!(Header, steps));
    all
}

#[track_caller]
fn refused(rig: &mut Rig, asked: &Asked, what: &str) {
    asked.write(rig);
    let before = seen(rig);
    let got = rig.run();
    assert!(matches!(got, Err(DeviceError::Step { .. })), "{what}: {got:?}");
    assert!(seen(rig) == before, "{what}: something ran");
    assert_eq!(rig.stream.progress().drawn, 0, "{what}");
}

/// The best device there, and on the CPU `null`.
fn devices(on: On) -> Vec<Arc<dyn Device>> {
    let device = on.devices().unwrap().pop().unwrap();
    match on {
        On::Gpu | On::Vulkan | On::Metal => vec![device],
        On::Cpu => vec![Arc::new(NullDevice::new(device.target().clone())), device],
    }
}

/// What a kernel of a batch relies on: every lie about it is found before anything runs.
fn steps_of_a_batch_that_do_not_fit_are_refused(on: On) {
    for device in devices(on) {
        let mut rig = batch(&*device);
        let positions = rig.program.max_seq() - 1;
        let good = Asked::of(&rig, &[(2, 5), (2, 6), (0, 0), (3, 300), (3, 301), (1, 9)], &[1, 3 - 1, 5]);
        type Change = fn(&mut Header);
        let lies: [(&str, Change); 10] = [
            ("no list of heads", |h| h.heads_at = 0),
            ("a list elsewhere", |h| h.heads_at += 16),
            ("a list far away", |h| h.heads_at = u32::MAX),
            ("a longer list", |h| h.heads_cap += 1),
            ("a shorter list", |h| h.heads_cap = 0),
            ("more sequences", |h| h.seqs_cap += 1),
            ("no sequences", |h| h.seqs_cap = 0),
            ("more rows than the table's", |h| h.rows = ROWS + 1),
            ("very many rows", |h| h.rows = u32::MAX),
            ("very many heads", |h| h.head_rows = u32::MAX),
        ];
        for (what, lie) in lies {
            let mut bad = good.clone();
            lie(&mut bad.header);
            refused(&mut rig, &bad, what);
        }
        let bad: [(&str, Rows, Heads); 18] = [
            ("a head before its sequence's last row", &[(2, 5), (2, 6), (0, 0)], &[0, 2]),
            ("heads out of order", &[(0, 1), (1, 1), (2, 1)], &[1, 0]),
            ("a head twice", &[(0, 1), (1, 1), (2, 1)], &[1, 1]),
            ("a head beyond the rows", &[(0, 1), (1, 1)], &[0, 2]),
            ("a head nowhere", &[(0, 1), (1, 1)], &[u32::MAX]),
            ("more heads than rows", &[(0, 1), (1, 1)], &[0, 1, 1]),
            ("heads without rows", &[], &[0]),
            ("rows of a sequence apart", &[(0, 1), (1, 1), (0, 2)], &[2]),
            ("a sequence twice", &[(0, 1), (1, 1), (0, 1)], &[]),
            ("positions that skip one", &[(0, 1), (0, 3)], &[1]),
            ("positions that stay", &[(0, 1), (0, 1)], &[1]),
            ("positions that fall", &[(0, 2), (0, 1)], &[1]),
            ("a sequence that is not there", &[(0, 1), (SEQS, 1)], &[0]),
            ("a sequence far away", &[(u32::MAX, 1)], &[0]),
            ("a position after the context", &[(1, positions)], &[0]),
            ("a position far away", &[(1, u32::MAX)], &[0]),
            ("a piece that ends after the context", &[(1, positions - 1), (1, positions)], &[1]),
            ("more heads than the list has", &[(0, 1), (1, 1), (2, 1), (3, 1), (3, 2)], &[0, 1, 2, 3, 4]),
        ];
        for (what, rows, heads) in bad {
            let bad = Asked::of(&rig, rows, heads);
            refused(&mut rig, &bad, what);
        }
        // One more row than the table has, of one sequence.
        let rows: Vec<(u32, u32)> = (0..=ROWS).map(|i| (1, i)).collect();
        let bad = Asked::of(&rig, &rows, &[ROWS]);
        refused(&mut rig, &bad, "more rows than the table's");

        let good: [(Rows, Heads); 7] = [
            (&good.rows, &good.heads),
            (&[(3, 0), (2, 0), (1, 0), (0, 0)], &[0, 1, 2, 3]),
            (&[(3, 7)], &[0]),
            (&[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (0, 7)], &[7]),
            (&[(1, 255), (1, 256), (0, 8)], &[]),
            (&[(1, positions - 1), (2, 0)], &[1]),
            (&[(1, positions - 2), (1, positions - 1), (2, 0)], &[1, 2]),
        ];
        for (rows, heads) in good {
            Asked::of(&rig, rows, heads).write(&rig);
            rig.run().unwrap();
            let h = rig.header();
            assert_eq!((h.steps, h.drawn, h.drew), (1, heads.len() as u32, heads.len() as u32));
            // Who drew, in the order of the heads.
            let mut drawn = [Drawn::default(); 8];
            let n = rig.stream.drawn(0, &mut drawn);
            let who: Vec<u32> = drawn[..n].iter().map(|d| d.seq.0).collect();
            let want: Vec<u32> = heads.iter().map(|r| rows[*r as usize].0).collect();
            assert_eq!(who, want);
        }
    }
}

/// What rows leave in tables of the family for many rows: logits and the cache, to the bit, whatever the table's size, and for
/// each row whoever else is in the step.
#[test]
fn rows_have_the_same_bits_in_every_table_of_the_last_family() {
    const VOCAB: usize = 1024;
    // A piece of a prompt, one that goes on in its second block, and one that draws.
    let pieces: [(u32, std::ops::Range<u32>); 3] = [(0, 0..5), (2, 254..257), (3, 7..8)];
    for level in LEVELS.iter().copied().filter(|l| l.available()) {
        let device = CpuDevice::with_level(level, Some(2)).unwrap();
        let last = device.target().family(RowCount(512)).rows;
        for spec in ["tiny-llama:q8_0", "tiny-llama:q4_0", "tiny-llama:bf16", "tiny-qwen3moe:q8_0"] {
            let run = |table: u32, pieces: &[(u32, std::ops::Range<u32>)]| {
                assert_eq!(device.target().family(RowCount(table)).rows, last, "{table} rows");
                let size = BatchSize { sequences: SEQS, blocks: POOL };
                let mut rig =
                    Rig::with(&device, spec, Shape::new(RowCount(table), RowCount(SEQS)), Some(size));
                for seq in 0..SEQS {
                    let tokens: Vec<u32> = (0..300).map(|i| (i * 7 + seq * 131) % VOCAB as u32).collect();
                    let at = u64::from(seq * rig.program.max_seq()) * 4;
                    rig.region(Region::Tokens).write(at, bytemuck::cast_slice(&tokens)).unwrap();
                }
                let rows: Vec<(u32, u32)> =
                    pieces.iter().flat_map(|(seq, p)| p.clone().map(move |p| (*seq, p))).collect();
                let ends = pieces.iter().scan(0, |end, (_, p)| {
                    *end += p.len() as u32;
                    Some(*end - 1)
                });
                Asked::of(&rig, &rows, &ends.collect::<Vec<_>>()).write(&rig);
                rig.run().unwrap();
                let logits = rig.bytes(Region::Logits)[..pieces.len() * VOCAB * 4].to_vec();
                assert!(logits.chunks(4).any(|b| b != [0; 4]), "{spec}: no logits");
                (logits, rig.bytes(Region::KCache), rig.bytes(Region::VCache))
            };
            let want = run(512, &pieces);
            // Matrix units have a family before theirs.
            let of_last = |t: &u32| device.target().family(RowCount(*t)).rows == last;
            let tables: Vec<u32> = [9, 16, 17, 33, 128].into_iter().filter(of_last).collect();
            assert!(tables.len() >= 3, "{tables:?}");
            for table in tables.iter().copied() {
                assert!(run(table, &pieces) == want, "{level}, {spec}, {table} rows");
            }
            for (i, piece) in pieces.iter().enumerate() {
                let alone = run(tables[0], std::slice::from_ref(piece)).0;
                assert!(alone == want.0[i * VOCAB * 4..][..VOCAB * 4], "{level}, {spec}, piece {i} alone");
            }
        }
    }
}

fn block_tables_of_a_batch_stay_inside_its_pool(on: On) {
    let device = on.devices().unwrap().pop().unwrap();
    let mut rig = batch(&*device);
    let asked = Asked::of(&rig, &[(0, 0), (3, 0)], &[0, 1]);
    let entries = u64::from(SEQS * rig.program.cache.blocks());
    // In a sequence that takes no part, too.
    for at in [0, 7, entries - 1] {
        for (block, fits) in [(POOL, false), (u32::MAX, false), (POOL - 1, true)] {
            rig.region(Region::BlockTable).write(at * 4, bytemuck::bytes_of(&block)).unwrap();
            if fits {
                asked.write(&rig);
                rig.run().unwrap();
                assert_eq!(rig.header().drawn, 2);
            } else {
                refused(&mut rig, &asked, "a block beyond the pool");
            }
        }
    }
}

/// A chain of three sequences, in an order of their own, paused from another thread.
fn a_pause_ends_a_chain_after_a_whole_step(on: On) {
    const ORDER: [u32; 3] = [2, 0, 3];
    let mut devices = devices(on);
    if on == On::Cpu {
        let level = Level::detect();
        for workers in [1, 3] {
            devices.push(Arc::new(CpuDevice::with_level(level, Some(workers)).unwrap()));
        }
        devices.push(Arc::new(CpuDevice::with_restless_team(level, 3).unwrap()));
    }
    let mut met = 0;
    for device in devices {
        let mut rig = batch(&*device);
        let rows = ORDER.map(|seq| (seq, 4));
        let asked = Asked::of(&rig, &rows, &[0, 1, 2]);
        // What each step draws, however far a chain comes.
        asked.write(&rig);
        rig.replay.submit(60).unwrap();
        rig.stream.wait(u64::MAX, 0).unwrap();
        let mut want = vec![Drawn::default(); 3 * 60];
        assert_eq!(rig.stream.drawn(0, &mut want), 3 * 60);
        assert!(want.chunks(3).all(|step| step.iter().map(|d| d.seq.0).eq(ORDER)));
        for round in 0..12u32 {
            asked.write(&rig);
            // A pause that comes before it leaves one step, and one alone.
            let first = round == 0;
            if first {
                rig.stream.pause();
            }
            rig.replay.submit(1).unwrap();
            rig.replay.submit(59).unwrap();
            if !first {
                rig.stream.wait(u64::from(round * 9), 0).unwrap();
                rig.stream.pause();
            }
            let p = rig.stream.wait(u64::MAX, 0).unwrap();
            let h = rig.header();
            assert_eq!((p.drawn, p.pending), (u64::from(h.steps) * 3, 0), "a part of a step");
            assert_eq!((h.drawn, h.drew, h.rows), (h.steps * 3, 3, 3));
            assert!(!first || h.steps == 1, "{} steps", h.steps);
            met += u32::from((2..60).contains(&h.steps));
            assert!(h.steps == 60 || h.stop == StopReason::Cancelled as u32);
            let mut got = vec![Drawn::default(); 3 * 60];
            let n = rig.stream.drawn(0, &mut got);
            assert!(n as u64 == p.drawn && got[..n] == want[..n]);
            // Nothing goes on until the host asks anew, from where the step block stands.
            rig.replay.submit(1).unwrap();
            rig.stream.wait(u64::MAX, 0).unwrap();
            if h.steps < 60 {
                assert_eq!(rig.header(), h);
                rig.stream.reset();
                let go_on = Header { stop: 0, ..h };
                rig.region(Region::Step).write(0, bytemuck::bytes_of(&go_on)).unwrap();
                rig.replay.submit(60 - h.steps).unwrap();
                let p = rig.stream.wait(u64::MAX, 0).unwrap();
                let mut rest = vec![Drawn::default(); 3 * 60];
                let m = rig.stream.drawn(0, &mut rest);
                assert_eq!((p.drawn, n + m), (m as u64, want.len()));
                assert!(rest[..m] == want[n..], "the rest of the chain");
            }
        }
    }
    assert!(met > 0, "no pause met a chain in the middle");
}

/// Runs a step and cancels it after a while, from another thread.
fn cancelled_after(rig: &mut Rig, delay: Duration) {
    let (stream, start) = (Arc::clone(&rig.stream), Instant::now());
    let canceller = std::thread::spawn(move || {
        while start.elapsed() < delay {
            std::hint::spin_loop();
        }
        stream.cancel();
    });
    rig.run().unwrap();
    canceller.join().unwrap();
}

#[test]
fn a_cancel_ends_a_step_between_two_commands() {
    const ROWS: u32 = 64;
    let level = Level::detect();
    let devices = [
        CpuDevice::with_level(level, Some(1)).unwrap(),
        CpuDevice::with_level(level, Some(2)).unwrap(),
        CpuDevice::with_level(level, Some(3)).unwrap(),
        // At every look the team changes, also where the cancel is seen.
        CpuDevice::with_restless_team(level, 3).unwrap(),
    ];
    for device in &devices {
        let mut rig = Rig::new(device, "smollm2-135m:q8_0", ROWS);
        let layers = rig.program.config.layers as usize;
        let positions: Vec<u32> = (0..ROWS).collect();
        rig.ask(&positions);
        let start = Instant::now();
        rig.run().unwrap();
        let whole = start.elapsed();
        let want = rig.logits();
        assert!(want.iter().all(|v| v.is_finite()) && rig.layers_run() == layers);

        // A cancel that comes before the step ends it before it has run a layer.
        rig.clear_marks();
        rig.ask(&positions);
        rig.stream.cancel();
        rig.run().unwrap();
        assert!(rig.layers_run() <= 1, "{} layers", rig.layers_run());

        // Later ones meet it somewhere. How long a step takes depends on what else the machine does, so delays are searched for.
        let (mut early, mut late, mut met) = (Duration::ZERO, whole * 2, 0);
        for attempt in 0..200 {
            rig.clear_marks();
            rig.ask(&positions);
            let delay = early + (late - early) / 4 * (1 + attempt % 3);
            cancelled_after(&mut rig, delay);
            let ((header, seq), ran) = (rig.step(), rig.layers_run());
            assert!(rig.bytes(Region::Sync).iter().all(|b| *b == 0), "a counter is not zero");
            if seq.len == 0 {
                assert_eq!((header.rows, header.steps, header.drawn), (ROWS, 0, 0));
                assert_eq!(header.stop, StopReason::Cancelled as u32);
                // What is queued after it does not run either.
                rig.run().unwrap();
                assert_eq!((rig.step().1.len, rig.layers_run()), (0, ran));
            } else {
                assert_eq!((seq.len, header.steps, ran), (ROWS, 1, layers));
            }
            match (seq.len, ran) {
                (0, 0) => early = delay,
                (0, ran) if ran < layers => met += 1,
                _ => late = delay,
            }
            if late - early < whole / 20 {
                (early, late) = (Duration::ZERO, whole * 2);
            }
            // Nothing of it is left: the same step gives the same bits.
            if ran > 0 {
                rig.ask(&positions);
                rig.run().unwrap();
                assert!(rig.logits() == want, "after {ran} of {layers} layers");
            }
            if met == 4 {
                break;
            }
        }
        assert_eq!(met, 4, "no cancel met a step in the middle");
    }
}

/// A shift moves the cache in place: half of it would be neither the old cache nor the new one.
#[test]
fn a_cancel_leaves_a_shift_whole() {
    let device = CpuDevice::with_level(Level::detect(), Some(2)).unwrap();
    let mut rig = Rig::new(&device, "tiny-llama:q8_0", 64);
    let positions: Vec<u32> = (0..64).collect();
    rig.ask(&positions);
    rig.run().unwrap();
    let filled = rig.bytes(Region::KCache);
    let table = rig.program.table("shift", Walk::Shift).unwrap();
    rig.replay = device.lower(&table, &rig.regions, &rig.stream).unwrap();
    let mut shifted = |first: fn(&dyn Stream)| {
        rig.region(Region::KCache).write(0, &filled).unwrap();
        rig.stream.reset();
        let header = Header { rows: 0, seqs_cap: 1, ..Header::default() };
        let seq = Seq { len: 64, shift_keep: 4, shift_by: 20, ..Seq::default() };
        let mut block = bytemuck::bytes_of(&header).to_vec();
        block.extend_from_slice(bytemuck::bytes_of(&seq));
        rig.region(Region::Step).write(0, &block).unwrap();
        first(&*rig.stream);
        rig.run().unwrap();
        rig.bytes(Region::KCache)
    };
    let want = shifted(|_| ());
    assert!(want != filled && shifted(|stream| stream.cancel()) == want);
}
