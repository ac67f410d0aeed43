//! Conversion of any source of weights into a GGUF file, and of a model of speech into a file of whisper.cpp, in the formats that a
//! [`Recipe`] chooses.
//!
//! The place of every tensor's data is known before any is read, so threads take pieces of a few rows, read, quantize
//! and write them where they belong, in any order. Memory holds the header and one piece per thread, whatever the
//! model's size. The file gets its name only when it is complete.
//!
//! Deliberately absent: importance measured on text, and devices.

mod input;
mod tokenizer;

pub use input::Input;

use crate::destination::{Destination, PositionedFile};
use crate::quantize::{Recipe, quantize_row};
use crate::source::check_finite;
use crate::{ModelError, TensorInfo};
use akunu_kernels::DType;
use akunu_kernels::dtype::DTYPES;
use half::{bf16, f16};
use input::Item;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Values in a piece of work: 4 MiB of f32.
const PIECE: u64 = 1 << 20;
/// Version of the quantized formats' layouts (`general.quantization_version`): the one that all readers know.
const QUANTIZATION_VERSION: u32 = 2;

/// Whether a source that is quantized already may be quantized again, which adds one rounding to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requantize {
    /// No: an error names the tensor.
    Refuse,
    /// Yes.
    Allow,
}

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Formats.
    pub recipe: Recipe,
    /// Whether quantized sources are welcome.
    pub requantize: Requantize,
    /// Threads; at least one runs.
    pub threads: usize,
}

/// How far a conversion has come, in values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Written.
    pub done: u64,
    /// In all.
    pub total: u64,
}

/// What was made.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Bytes of the source's tensors.
    pub source_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Values of all tensors.
    pub values: u64,
    /// Tensors and their bytes, by format.
    pub formats: Vec<(DType, u64, u64)>,
    /// Matrices whose format is not the recipe's.
    pub fallbacks: Vec<Fallback>,
}

/// Matrices that got another format, because their rows are no whole number of the wanted one's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// What the recipe asks for.
    pub wanted: DType,
    /// What they got.
    pub dtype: DType,
    /// How many they are.
    pub tensors: u64,
}

/// Converts `input` into the file that `path` leads to ([`Destination`]), which is replaced if there is one; one of the
/// input's own is refused. `progress` is called from this thread, now and then; `Break` ends the conversion with `Ok(None)`
/// and leaves nothing behind.
pub fn convert(
    input: &Input<'_>,
    path: &Path,
    options: &Options,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<Summary>, ModelError> {
    let recipe = &options.recipe;
    let failed =
        |what: String, remedy: &str| ModelError::Convert { path: path.into(), what, remedy: remedy.into() };
    let file_type = input.file_type(recipe).map_err(|(file, names)| {
        failed(format!("{file} cannot hold {recipe}"), &format!("choose one of {}", names.join(", ")))
    })?;
    let destination = Destination::of(path)?;
    if destination.file().is_some_and(|t| input.holds(t)) {
        let what = format!("this file belongs to the model that is converted ({})", input.path().display());
        return Err(failed(what, "name another file to write"));
    }
    let items = input.items(recipe)?;
    if options.requantize == Requantize::Refuse {
        refuse_quantized(input, &items)?;
    }
    let layout = input.layout(&items, file_type);
    let mut layout = layout.map_err(|e| failed(e.to_string(), "choose another format"))?;
    let output = destination.positioned(layout.bytes)?;
    // They can be as large as the vocabulary is.
    for (at, head) in std::mem::take(&mut layout.heads) {
        output.write(at, &head)?;
    }
    let pieces = pieces(&items, &layout.data);
    let values = items.iter().map(Item::values).sum();
    let work = Work {
        input,
        output: &output,
        pieces,
        next: AtomicUsize::new(0),
        done: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        error: Mutex::new(None),
    };
    let stopped = work.run_on(options.threads.max(1), values, progress);
    if let Some(e) = work.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(e);
    }
    if stopped {
        return Ok(None);
    }
    output.finish()?;
    let of = |d: DType| {
        let mine =
            || items.iter().zip(&layout.data).filter(move |(i, _)| i.dtype == d).map(|(_, data)| data.1);
        (d, mine().count() as u64, mine().sum())
    };
    Ok(Some(Summary {
        source_bytes: items.iter().map(Item::source_bytes).sum(),
        file_bytes: layout.bytes,
        values,
        formats: DTYPES.iter().map(|d| of(d.dtype)).filter(|f| f.1 > 0).collect(),
        fallbacks: fallbacks(&items),
    }))
}

/// Who got another format.
fn fallbacks(items: &[Item<'_>]) -> Vec<Fallback> {
    let mut out: Vec<Fallback> = Vec::new();
    for i in items.iter().filter(|i| i.wanted != i.dtype) {
        match out.iter_mut().find(|f| (f.wanted, f.dtype) == (i.wanted, i.dtype)) {
            Some(f) => f.tensors += 1,
            None => out.push(Fallback { wanted: i.wanted, dtype: i.dtype, tensors: 1 }),
        }
    }
    out
}

const FILE_TYPE: &str = "general.file_type";
const VERSION: &str = "general.quantization_version";

/// Refuses a tensor that would be rounded a second time. Giving a quantized tensor's values out as floats is no such
/// thing.
fn refuse_quantized(input: &Input<'_>, items: &[Item<'_>]) -> Result<(), ModelError> {
    let is_float = |d: DType| matches!(d, DType::F32 | DType::F16 | DType::Bf16);
    for i in items.iter().filter(|i| !is_float(i.dtype)) {
        if let Some(t) = i.tensors().find(|t| !is_float(t.dtype) && t.dtype != i.dtype) {
            return Err(ModelError::Quantized {
                path: input.path_of(t).into(),
                tensor: t.file_name.clone(),
                dtype: t.dtype,
            });
        }
    }
    Ok(())
}

/// Some rows of one item.
struct Piece<'a> {
    item: &'a Item<'a>,
    row: u64,
    rows: u64,
    /// Where the item's data begin in the file.
    start: u64,
}

fn pieces<'a>(items: &'a [Item<'a>], data: &[(u64, u64)]) -> Vec<Piece<'a>> {
    let mut out = Vec::new();
    for (item, (start, _)) in items.iter().zip(data) {
        let step = (PIECE / item.cols.max(1)).max(1);
        let mut row = 0;
        while row < item.rows {
            let rows = step.min(item.rows - row);
            out.push(Piece { item, row, rows, start: *start });
            row += rows;
        }
    }
    out
}

struct Work<'a> {
    input: &'a Input<'a>,
    output: &'a PositionedFile,
    pieces: Vec<Piece<'a>>,
    next: AtomicUsize,
    /// Values written.
    done: AtomicU64,
    stop: AtomicBool,
    error: Mutex<Option<ModelError>>,
}

/// What one thread uses again and again.
#[derive(Default)]
struct Buffers {
    native: Vec<u8>,
    values: Vec<f32>,
    out: Vec<u8>,
}

impl Work<'_> {
    /// Runs all pieces; whether `progress` ended the work.
    fn run_on(
        &self,
        threads: usize,
        total: u64,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> bool {
        let mut stopped = false;
        std::thread::scope(|s| {
            let handles: Vec<_> = (0..threads).map(|_| s.spawn(|| self.run())).collect();
            while handles.iter().any(|h| !h.is_finished()) {
                let now = Progress { done: self.done.load(Ordering::Relaxed), total };
                if progress(now).is_break() {
                    stopped = true;
                    self.stop.store(true, Ordering::Relaxed);
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        if !stopped {
            stopped = progress(Progress { done: self.done.load(Ordering::Relaxed), total }).is_break();
        }
        stopped
    }

    fn run(&self) {
        let mut buffers = Buffers::default();
        while !self.stop.load(Ordering::Relaxed) {
            let Some(p) = self.pieces.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            if let Err(e) = self.piece(p, &mut buffers) {
                self.stop.store(true, Ordering::Relaxed);
                self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                return;
            }
            self.done.fetch_add(p.rows * p.item.cols, Ordering::Relaxed);
        }
    }

    fn piece(&self, p: &Piece<'_>, b: &mut Buffers) -> Result<(), ModelError> {
        let Buffers { native, values, out } = b;
        let i = p.item;
        let row_bytes = i.dtype.row_bytes(i.cols);
        out.resize((p.rows * row_bytes) as usize, 0);
        if let Some(numbers) = i.numbers() {
            self.quantize(i, numbers, out)?;
        }
        let mut rest = &mut out[..];
        for run in i.runs(p.row, p.rows) {
            let (rows, after) = rest.split_at_mut((run.rows * row_bytes) as usize);
            if run.is_copy(i.dtype) {
                run.read_native(self.input, rows)?;
            } else {
                values.resize((run.rows * i.cols) as usize, 0.0);
                run.read(self.input, values, native)?;
                self.quantize(i, values, rows)?;
            }
            rest = after;
        }
        self.output.write(p.start + p.row * row_bytes, out)
    }

    /// Whole rows of an item into its format.
    fn quantize(&self, i: &Item<'_>, values: &[f32], out: &mut [u8]) -> Result<(), ModelError> {
        let row_bytes = i.dtype.row_bytes(i.cols).max(1) as usize;
        for (x, out) in values.chunks_exact(i.cols as usize).zip(out.chunks_exact_mut(row_bytes)) {
            quantize_row(i.dtype, x, None, out);
        }
        match check_finite(i.dtype, out) {
            None => Ok(()),
            Some(_) => Err(ModelError::Convert {
                path: self.input.path().into(),
                what: format!("tensor `{}` has values too large for {}", i.name, i.dtype),
                remedy: "choose bf16 or f32, which reach further".into(),
            }),
        }
    }
}

/// The values of whole blocks.
pub(crate) fn dequantize(t: &TensorInfo, native: &[u8], out: &mut [f32]) {
    match t.dtype {
        DType::F32 => {
            out.iter_mut().zip(native.as_chunks().0).for_each(|(o, b)| *o = f32::from_le_bytes(*b));
        }
        DType::F16 => {
            out.iter_mut().zip(native.as_chunks().0).for_each(|(o, b)| *o = f16::from_le_bytes(*b).to_f32());
        }
        DType::Bf16 => {
            out.iter_mut().zip(native.as_chunks().0).for_each(|(o, b)| *o = bf16::from_le_bytes(*b).to_f32());
        }
        other => {
            let info = other.info();
            let blocks = native.chunks_exact(info.block_bytes as usize);
            for (b, o) in blocks.zip(out.chunks_exact_mut(info.block as usize)) {
                (info.dequantize_block)(b, o);
            }
        }
    }
}
