//! Loading: every slot of the weights region is read from its source in parallel, checked, and packed straight
//! into device memory.

use crate::Error;
use akunu_device::{Device, DeviceError, FilePart, Memory};
use akunu_kernels::Layout;
use akunu_kernels::dtype::{self, planes, rows16};
use akunu_model::{ModelError, TensorInfo, WeightSource};
use akunu_plan::Program;
use akunu_plan::table::Region;
use akunu_plan::weights::{Ffn, Slot, SlotData, SlotId};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How far loading has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadProgress {
    /// Bytes of weights in place.
    pub done_bytes: u64,
    /// Bytes of weights in all.
    pub total_bytes: u64,
}

/// Bytes that one piece of work reads: large enough to stream, small enough that threads end together.
const PIECE: u64 = 4 << 20;

/// Bytes of a piece that are read, checked and packed at a time: few enough to stay in a core's cache meanwhile.
const PORTION: u64 = 256 << 10;

/// Rows of one tensor, bound for one place.
struct Piece<'a> {
    slot: &'a Slot,
    tensor: &'a TensorInfo,
    /// First row in the tensor.
    row: u64,
    rows: u64,
    /// First row in the slot.
    slot_row: u64,
}

/// Allocates and fills the weights region. Who sets `given_up` has no use for it any more: what comes back then is not whole.
pub(crate) fn weights(
    source: &dyn WeightSource,
    program: &Program,
    device: &dyn Device,
    given_up: &AtomicBool,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<Arc<dyn Memory>, Error> {
    let files = files(source, program);
    let region = device.alloc_over(program.region(Region::Weights), &files)?;
    device.place(&region, &matrices(program))?;
    let mut pieces = Vec::new();
    for slot in &program.weights.slots {
        match &slot.data {
            SlotData::Values(v) => region.write(slot.offset, bytemuck::cast_slice(v))?,
            SlotData::Tensors(tensors) => {
                let mut row = 0;
                for tensor in tensors {
                    cut(slot, tensor, row, &mut pieces);
                    row += tensor.rows;
                }
            }
            SlotData::Sparse { tensors, at } => {
                region.write(slot.offset, &vec![0; slot.bytes as usize])?;
                tensors.iter().zip(at).for_each(|(tensor, row)| cut(slot, tensor, *row, &mut pieces));
            }
            SlotData::File { .. } => {}
        }
    }
    let total: u64 = pieces.iter().map(|p| p.rows * p.tensor.dtype.row_bytes(slot_k(p))).sum();
    let work = Work {
        source,
        region: &*region,
        pieces,
        next: AtomicUsize::new(0),
        done: AtomicU64::new(0),
        given_up,
        error: Mutex::new(None),
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(16));
    let teller = std::thread::current();
    std::thread::scope(|s| {
        let run = || {
            work.run();
            teller.unpark();
        };
        let handles: Vec<_> = (0..threads).map(|_| s.spawn(run)).collect();
        while handles.iter().any(|h| !h.is_finished()) {
            progress(LoadProgress { done_bytes: work.done.load(Ordering::Relaxed), total_bytes: total });
            std::thread::park_timeout(Duration::from_millis(10));
        }
    });
    if let Some(e) = work.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(e);
    }
    device.filled(&region);
    progress(LoadProgress { done_bytes: total, total_bytes: total });
    Ok(region)
}

/// The weights that stay in their files.
fn files<'a>(source: &'a dyn WeightSource, program: &Program) -> Vec<FilePart<'a>> {
    let parts = program.weights.slots.iter().filter_map(|slot| {
        let SlotData::File { tensor, at } = &slot.data else { return None };
        let file = source.place(tensor)?.file;
        Some(FilePart { at: slot.offset, len: slot.bytes, file, offset: *at })
    });
    parts.collect()
}

/// The byte ranges that are read in even shares: every matrix, and every expert's in a stack of them.
fn matrices(program: &Program) -> Vec<Range<u64>> {
    let weights = &program.weights;
    let experts = program.config.experts.map_or(1, |e| u64::from(e.count).max(1));
    let stacked = |slot: &SlotId| {
        weights.layers.iter().any(|l| match &l.ffn {
            Ffn::Dense { .. } | Ffn::Plain { .. } => false,
            Ffn::Experts { gate, up, down, .. } => [gate, up, down].contains(&slot),
        })
    };
    let mut ranges = Vec::new();
    let in_memory = |s: &Slot| !matches!(s.data, SlotData::File { .. });
    for (i, slot) in weights.slots.iter().enumerate().filter(|(_, s)| in_memory(s)) {
        let n = if stacked(&SlotId(i)) { experts } else { 1 };
        let at = |i: u64| slot.offset + slot.bytes / n * i;
        ranges.extend((0..n).map(|i| at(i)..if i + 1 == n { slot.offset + slot.bytes } else { at(i + 1) }));
    }
    ranges
}

fn slot_k(p: &Piece<'_>) -> u64 {
    p.slot.k
}

/// Cuts a tensor, whose first row is row `at` of its slot, into pieces of whole tiles.
fn cut<'a>(slot: &'a Slot, tensor: &'a TensorInfo, at: u64, pieces: &mut Vec<Piece<'a>>) {
    let row_bytes = slot.dtype.row_bytes(slot.k).max(1);
    let step = (PIECE / row_bytes).max(1).next_multiple_of(16);
    let mut row = 0;
    while row < tensor.rows {
        let rows = step.min(tensor.rows - row);
        pieces.push(Piece { slot, tensor, row, rows, slot_row: at + row });
        row += rows;
    }
}

struct Work<'a> {
    source: &'a dyn WeightSource,
    region: &'a dyn Memory,
    pieces: Vec<Piece<'a>>,
    next: AtomicUsize,
    done: AtomicU64,
    /// Whether nobody goes on: there was an error here or elsewhere.
    given_up: &'a AtomicBool,
    error: Mutex<Option<Error>>,
}

impl Work<'_> {
    fn run(&self) {
        let mut native = Vec::new();
        while !self.given_up.load(Ordering::Relaxed) {
            let Some(p) = self.pieces.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            if let Err(e) = self.piece(p, &mut native) {
                self.given_up.store(true, Ordering::Relaxed);
                let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(e);
                return;
            }
            self.done.fetch_add(p.rows * p.tensor.dtype.row_bytes(p.slot.k), Ordering::Relaxed);
        }
    }

    fn piece(&self, p: &Piece<'_>, native: &mut Vec<u8>) -> Result<(), Error> {
        let (dt, k) = (p.slot.dtype, p.slot.k as usize);
        let len = (p.rows * dt.row_bytes(p.slot.k)) as usize;
        // From a row of the piece on.
        let read = |row: u64, bytes: &mut [u8]| -> Result<(), ModelError> {
            let from = (p.row + row) * dt.row_bytes(p.slot.k);
            self.source.read(p.tensor, from, bytes)?;
            self.source.check_finite(p.tensor, from, bytes)
        };
        // Rows before this piece fill whole tiles: tensors of a stack have multiples of 16 rows.
        let at = |rows| dtype::matrix_bytes(dt, p.slot.layout, rows, p.slot.k);
        let to = p.slot.offset + at(p.slot_row);
        match p.slot.layout {
            Layout::Native | Layout::Staged => {
                self.region.fill(to, at(p.rows), &mut |bytes| Ok(read(0, bytes)?))
            }
            Layout::Rows16 => {
                let rows = (PORTION / dt.row_bytes(p.slot.k).max(1)).max(1).next_multiple_of(16);
                self.region.fill(to, at(p.rows), &mut |packed| {
                    let portions = packed.chunks_mut(at(rows).max(1) as usize);
                    for (tiles, row) in portions.zip((0..p.rows).step_by(rows as usize)) {
                        let rows = rows.min(p.rows - row);
                        native.resize((rows * dt.row_bytes(p.slot.k)) as usize, 0);
                        read(row, native)?;
                        rows16::pack(dt, native, rows as usize, k, tiles);
                    }
                    Ok(())
                })
            }
            Layout::Planes => {
                native.resize(len, 0);
                read(0, native)?;
                (0..planes::planes(dt).len()).try_for_each(|i| {
                    let row = planes::row_bytes(dt, i, p.slot.k);
                    let plane = p.slot.offset + planes::offset(dt, i, p.slot.rows, p.slot.k);
                    self.region.fill(plane + p.slot_row * row, p.rows * row, &mut |bytes| {
                        planes::pack(dt, native, i, bytes);
                        Ok(())
                    })
                })
            }
        }
        .map_err(unwrap_fill)
    }
}

/// A source's error that went through the device comes back as itself.
fn unwrap_fill(e: DeviceError) -> Error {
    match e {
        DeviceError::Fill(inner) => match inner.downcast::<ModelError>() {
            Ok(m) => Error::Model(*m),
            Err(other) => Error::Device(DeviceError::Fill(other)),
        },
        e => Error::Device(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use akunu_device::cpu::CpuDevice;
    use akunu_kernels::Machine;
    use akunu_kernels::cpu::Level;
    use akunu_kernels::step::RowCount;
    use akunu_model::synthetic::Synthetic;
    use akunu_plan::{CacheTypes, Settings, Target};

    fn program(source: &Synthetic, device: &dyn Device) -> Program {
        let settings =
            Settings { context: 256, head_rows: RowCount(1), cache: CacheTypes::default(), batch: None };
        Program::new(source, device.target().clone(), settings).unwrap()
    }

    fn load(source: &Synthetic, program: &Program, device: &dyn Device, given_up: bool) -> Arc<dyn Memory> {
        weights(source, program, device, &AtomicBool::new(given_up), &mut |_| {}).unwrap()
    }

    /// A matrix that is packed in portions is the same as one that is packed at once.
    #[test]
    fn portions_are_parts_of_one_matrix() {
        let device = CpuDevice::with_level(Level::Portable, Some(1)).unwrap();
        let source = Synthetic::parse("smollm2-135m:q4_0").unwrap();
        let program = program(&source, &device);
        let region = load(&source, &program, &device, false);
        let large =
            |s: &&Slot| s.layout == Layout::Rows16 && s.rows * s.dtype.row_bytes(s.k) > 3 * PORTION / 2;
        let mut seen = 0;
        for slot in program.weights.slots.iter().filter(large).take(4) {
            let SlotData::Tensors(tensors) = &slot.data else { continue };
            let [tensor] = &tensors[..] else { continue };
            let mut native = vec![0; tensor.bytes as usize];
            source.read(tensor, 0, &mut native).unwrap();
            let mut want = vec![0; slot.bytes as usize];
            rows16::pack(slot.dtype, &native, tensor.rows as usize, slot.k as usize, &mut want);
            let mut got = vec![0; slot.bytes as usize];
            region.read(slot.offset, &mut got).unwrap();
            assert!(got == want, "{}", tensor.name);
            seen += 1;
        }
        assert!(seen > 0);
    }

    #[test]
    fn what_is_given_up_is_not_read() {
        let device = CpuDevice::with_level(Level::Portable, Some(1)).unwrap();
        let source = Synthetic::parse("tiny-llama:q4_0").unwrap();
        let program = program(&source, &device);
        for given_up in [true, false] {
            let region = load(&source, &program, &device, given_up);
            let untouched = program.weights.slots.iter().filter(|s| s.layout == Layout::Rows16).all(|slot| {
                let mut bytes = vec![0; slot.bytes as usize];
                region.read(slot.offset, &mut bytes).unwrap();
                bytes.iter().all(|b| *b == 0)
            });
            assert_eq!(untouched, given_up);
        }
    }

    #[test]
    fn every_matrix_is_placed_by_itself() {
        for (spec, experts) in [("smollm2-135m:q4_0", 0), ("qwen3-30b-a3b:q4_0", 128)] {
            let source = Synthetic::parse(spec).unwrap();
            let settings =
                Settings { context: 256, head_rows: RowCount(1), cache: CacheTypes::default(), batch: None };
            let program = Program::new(&source, Target::of(Machine::Cpu(Level::Portable)), settings).unwrap();
            let ranges = matrices(&program);
            let slots = &program.weights.slots;
            let stacked = if experts == 0 { 0 } else { 3 * program.weights.layers.len() };
            assert_eq!(ranges.len(), slots.len() - stacked + stacked * experts, "{spec}");
            assert!(ranges.windows(2).all(|r| r[0].end <= r[1].start), "{spec}");
            for slot in slots {
                let mine =
                    || ranges.iter().filter(|r| slot.offset <= r.start && r.end <= slot.offset + slot.bytes);
                assert_eq!(mine().map(|r| r.end - r.start).sum::<u64>(), slot.bytes);
                // Experts' rows are whole tiles, so all their matrices have the same size.
                let first = mine().next().unwrap();
                assert!(mine().all(|r| r.end - r.start == first.end - first.start));
            }
        }
    }
}
