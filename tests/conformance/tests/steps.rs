//! Single steps, below the engine: what a device refuses, and what a cancel in the middle of a step leaves behind.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::cpu::CpuDevice;
use akunu::device::null::NullDevice;
use akunu::device::{Device, DeviceError, Memory, Replay, Stream};
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::kernels::step::{self, Header, Position, Row, Seq, SeqIndex, StopReason};
use akunu::plan::{CacheTypes, Program, Region, Settings, Shape, Walk};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One table of a model, lowered over regions of its own.
struct Rig {
    program: Program,
    regions: Vec<Arc<dyn Memory>>,
    stream: Arc<dyn Stream>,
    replay: Box<dyn Replay>,
}

impl Rig {
    fn new(device: &dyn Device, spec: &str, rows: u32) -> Self {
        let source = Synthetic::parse(spec).unwrap();
        let settings = Settings { context: 1024, head_rows: 1, cache: CacheTypes::default(), batch: None };
        let program = Program::new(&source, device.target().clone(), settings).unwrap();
        let regions: Vec<Arc<dyn Memory>> =
            program.regions.iter().map(|d| device.alloc(d).unwrap()).collect();
        let stream = device.stream().unwrap();
        let table = program.table("steps", Shape { rows, head_rows: 1 }).unwrap();
        let replay = device.lower(&table, &regions, &stream).unwrap();
        let rig = Self { program, regions, stream, replay };
        rig.fill_weights();
        let vocab = rig.program.config.vocab;
        let tokens: Vec<u32> = (0..rows).map(|i| i.wrapping_mul(2_654_435_761) % vocab).collect();
        rig.region(Region::Tokens).write(0, bytemuck::cast_slice(&tokens)).unwrap();
        let blocks: Vec<u32> = (0..rig.program.cache.blocks()).collect();
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
