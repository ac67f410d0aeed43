//! A loaded model: weights on a device, the program, the tokenizer.

use crate::Error;
use crate::error::NoTokenizer;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::load::{self, LoadProgress};
use crate::opened::{Opened, Text, TextSource, open};
use crate::sampling::Sampling;
use crate::score_head::ScoreHead;
use crate::source::Source;
use akunu_device::cpu::CpuDevice;
use akunu_device::null::NullDevice;
use akunu_device::{Device, DeviceError, DeviceInfo, Memory, Replay, Stream};
use akunu_kernels::cpu::Level;
use akunu_kernels::sampler::mask_words;
use akunu_kernels::step::{RowCount, Token};
use akunu_kernels::{DType, Machine};
use akunu_model::chat::{ChatError, ChatTemplate};
use akunu_model::narrowed::{Narrow, Narrowed};
use akunu_model::quantize::Recipe;
use akunu_model::tokenizer::{Specials, Tokenizer};
use akunu_model::{ModelConfig, WeightSource};
use akunu_plan::arch::{self, Output, Reads};
use akunu_plan::{BatchSize, CacheTypes, Program, Settings, Target, VerifiedTable, memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Share of the free memory that the default context may fill; the rest is left to the system.
const MEMORY_SHARE: f64 = 0.9;

/// Which device runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The best one of this machine.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU, by its number among those that the driver shows; the first is 0.
    Cuda(u32),
    /// A GPU with Vulkan, by its number among those that the loader shows; the first is 0.
    Vulkan(u32),
    /// A GPU with Metal, by its number; the first is 0.
    Metal(u32),
    /// Nothing runs; for tests and for measuring the host.
    Null,
}

impl DeviceChoice {
    /// From a name: `auto`, `cpu`, `cuda`, `vulkan`, `null`, with a GPU's number after a colon (`cuda:1`).
    pub fn parse(name: &str) -> Result<Self, Error> {
        let (kind, number) = name.split_once(':').map_or((name, None), |(kind, n)| (kind, Some(n)));
        let number = number.map(str::parse::<u32>).transpose();
        match (kind, number) {
            ("auto", Ok(None)) => Ok(Self::Auto),
            ("cpu", Ok(None)) => Ok(Self::Cpu),
            ("null", Ok(None)) => Ok(Self::Null),
            ("cuda", Ok(n)) => Ok(Self::Cuda(n.unwrap_or(0))),
            ("vulkan", Ok(n)) => Ok(Self::Vulkan(n.unwrap_or(0))),
            ("metal", Ok(n)) => Ok(Self::Metal(n.unwrap_or(0))),
            _ => {
                let remedy = "choose auto, cpu, or cuda, vulkan or metal, with :N for the GPU of that number";
                Err(Error::Option { name: "device", value: format!("`{name}`"), remedy })
            }
        }
    }
}

/// Where weights are while a model runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightsAt {
    /// In the device's memory, packed for its kernels.
    #[default]
    Memory,
    /// In their file, on the CPU: nothing is read before it is used, and the system may drop what it has read. For models
    /// that are too large for the memory; slower, with the same results. The file must not change meanwhile.
    File,
}

/// Formats of matrices while a model runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Matrices {
    /// The file's own, but for those of 16 and 32 bits in layers of encoders and of speech, which are brought to what the device
    /// multiplies quickest: on CPUs q8_0, but for what vectors of texts lose most by; where CPUs have matrix units, encoders' to f16, if they are wider.
    #[default]
    Auto,
    /// The file's own.
    File,
    /// Those of 16 and 32 bits are quantized by a recipe while they are read; an error where the file's are quantized already.
    Recipe(Recipe),
}

/// How to load.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Which device.
    pub device: DeviceChoice,
    /// Context length in tokens; `None` is the smaller of what the model was trained for and what fits.
    pub context: Option<u32>,
    /// Worker threads on the CPU; `None` is what the system grants.
    pub threads: Option<u32>,
    /// Rows that get logits at once when scoring; 1 unless the session scores text.
    pub head_rows: RowCount,
    /// Formats of the KV cache; `None` is the device's own, f16 (f32 at the CPU's reference level).
    pub cache: CacheTypes,
    /// Where weights are.
    pub weights: WeightsAt,
    /// Formats of matrices.
    pub matrices: Matrices,
}

impl Default for LoadOptions {
    fn default() -> Self {
        let cache = CacheTypes::default();
        let weights = WeightsAt::Memory;
        Self {
            device: DeviceChoice::Auto,
            context: None,
            threads: None,
            head_rows: RowCount(1),
            cache,
            weights,
            matrices: Matrices::Auto,
        }
    }
}

/// What would be loaded, before anything is allocated.
#[derive(Debug)]
pub struct Plan {
    /// Memory layout and tables.
    pub program: Program,
    /// The device.
    pub device: DeviceInfo,
}

/// A loaded model. Cheap to clone; sessions keep it alive.
#[derive(Clone)]
pub struct Model {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) program: Program,
    pub(crate) device: Arc<dyn Device>,
    note: Option<String>,
    pub(crate) weights: Arc<dyn Memory>,
    /// What saved sessions know the model by.
    pub(crate) fingerprint: Fingerprint,
    tokenizer: Result<Arc<Tokenizer>, NoTokenizer>,
    /// What makes a score of a vector, of a reranker.
    pub(crate) score: Option<ScoreHead>,
    chat: Option<Result<ChatTemplate, ChatError>>,
    /// The tokenizer's trie, built when the first grammar asks for it.
    vocabulary: std::sync::OnceLock<Result<Arc<crate::grammar::Vocabulary>, crate::grammar::GrammarError>>,
}

impl Inner {
    /// A table of so many rows as one of logits and one of draws with all samplers.
    pub(crate) fn split(
        &self,
        program: &Program,
        rows: RowCount,
        memory: &[Arc<dyn Memory>],
        stream: &Arc<dyn Stream>,
    ) -> Result<[Box<dyn Replay>; 2], Error> {
        let [logits, draws] = program.split_tables(rows)?;
        Ok([self.device.lower(&logits, memory, stream)?, self.device.lower(&draws, memory, stream)?])
    }

    /// The tokenizer, or why there is none.
    pub(crate) fn tokenizer(&self) -> Result<&Tokenizer, Error> {
        match &self.tokenizer {
            Ok(tokenizer) => Ok(tokenizer),
            Err(why) => Err(Error::NoTokenizer(why.clone())),
        }
    }

    /// Tokens that end an answer; none where there is no tokenizer.
    pub(crate) fn eos_ids(&self) -> &[Token] {
        self.tokenizer.as_ref().map_or(&[], |t| t.eos_ids())
    }
}

/// The device, and why it is not a better one where that is not a matter of course.
fn open_device(options: &LoadOptions) -> Result<(Arc<dyn Device>, Option<String>), Error> {
    let device: Arc<dyn Device> = match options.device {
        DeviceChoice::Auto if options.weights == WeightsAt::Memory => return auto(options),
        DeviceChoice::Auto => Arc::new(CpuDevice::new(options.threads)?),
        DeviceChoice::Cpu => Arc::new(CpuDevice::new(options.threads)?),
        DeviceChoice::Cuda(number) => open_cuda(number)?,
        DeviceChoice::Vulkan(number) => open_vulkan(number)?,
        DeviceChoice::Metal(number) => open_metal(number)?,
        DeviceChoice::Null => Arc::new(NullDevice::new(Target::of(Machine::Cpu(Level::Portable)))),
    };
    Ok((device, None))
}

#[cfg(feature = "cuda")]
fn open_cuda(number: u32) -> Result<Arc<dyn Device>, Error> {
    Ok(Arc::new(akunu_device::cuda::CudaDevice::open(number)?))
}

#[cfg(not(feature = "cuda"))]
fn open_cuda(number: u32) -> Result<Arc<dyn Device>, Error> {
    let remedy = "this build has no CUDA; build it with the feature `cuda`, or use --device cpu";
    Err(Error::Option { name: "device", value: format!("cuda:{number}"), remedy })
}

#[cfg(feature = "vulkan")]
fn open_vulkan(number: u32) -> Result<Arc<dyn Device>, Error> {
    Ok(Arc::new(akunu_device::vulkan::VulkanDevice::open(number)?))
}

#[cfg(not(feature = "vulkan"))]
fn open_vulkan(number: u32) -> Result<Arc<dyn Device>, Error> {
    let remedy = "this build has no Vulkan; build it with the feature `vulkan`, or use --device cpu";
    Err(Error::Option { name: "device", value: format!("vulkan:{number}"), remedy })
}

#[cfg(feature = "metal")]
fn open_metal(number: u32) -> Result<Arc<dyn Device>, Error> {
    Ok(akunu_device::metal::open(number)?)
}

#[cfg(not(feature = "metal"))]
fn open_metal(number: u32) -> Result<Arc<dyn Device>, Error> {
    let remedy = "this build has no Metal; build it with the feature `metal`, or use --device cpu";
    Err(Error::Option { name: "device", value: format!("metal:{number}"), remedy })
}

/// The first GPU where it can be used, else the CPU. A setting that forces a CPU level asks for the CPU.
fn auto(options: &LoadOptions) -> Result<(Arc<dyn Device>, Option<String>), Error> {
    let forced = std::env::var_os(akunu_device::cpu::LEVEL_VAR).is_some_and(|v| !v.is_empty());
    let note = if forced || !cfg!(feature = "cuda") {
        None
    } else {
        match open_cuda(0).and_then(|d| compiles(&*d).map(|()| d)) {
            Ok(d) => return Ok((d, None)),
            // A machine without NVIDIA's driver is no surprise to its owner.
            Err(Error::Device(DeviceError::NoDriver { .. })) => None,
            Err(e) => Some(format!("{e}; running on the CPU")),
        }
    };
    Ok((Arc::new(CpuDevice::new(options.threads)?), note))
}

/// Whether the device can get its kernels at all; found out before a model is loaded onto it.
fn compiles(device: &dyn Device) -> Result<(), Error> {
    Ok(device.ready()?)
}

/// The source with its matrices in the formats that are asked for.
fn with_matrices(
    source: Box<dyn WeightSource>,
    target: &Target,
    options: &LoadOptions,
) -> Result<Box<dyn WeightSource>, Error> {
    if let Matrices::Recipe(recipe) = options.matrices {
        return Ok(Box::new(Narrowed::new(source, &recipe, Narrow::Every)?));
    }
    if options.matrices == Matrices::File || options.weights == WeightsAt::File {
        return Ok(source);
    }
    let to = |source: Box<dyn WeightSource>, format: Option<DType>, narrow| -> Result<_, Error> {
        let Some(recipe) = format.and_then(|d| Recipe::parse(d.name())) else { return Ok(source) };
        Ok(Box::new(Narrowed::new(source, &recipe, narrow)?) as Box<dyn WeightSource>)
    };
    let arch = arch::find(&source.config().arch);
    match arch.map(|a| (a.output, a.reads)) {
        Some((Output::Pooled, _)) => {
            let eight_bits = target.encoder_matrices.is_some_and(|d| d.block() > 1);
            let narrow = if eight_bits { Narrow::LayersButFirst } else { Narrow::Layers };
            to(source, target.encoder_matrices, narrow)
        }
        Some((_, Reads::Audio)) => {
            let source = to(source, target.encoder_matrices, Narrow::Audio)?;
            to(source, target.speech_matrices, Narrow::Tokens)
        }
        _ => Ok(source),
    }
}

fn plan(source: &dyn WeightSource, device: &dyn Device, options: &LoadOptions) -> Result<Program, Error> {
    if !(1..=4096).contains(&options.head_rows.0) {
        let value = options.head_rows.to_string();
        return Err(Error::Option { name: "head rows", value, remedy: "choose between 1 and 4096" });
    }
    let mut target = device.target().clone();
    if options.weights == WeightsAt::File {
        let refused =
            |value, remedy| Error::Option { name: "weights in their file (--no-repack)", value, remedy };
        target.file_pages = device.file_pages();
        if target.file_pages.is_none() {
            let value = format!("device {}", device.info().kind);
            return Err(refused(value, "only the CPU reads them there, and not on Windows; leave it out"));
        }
        if !source.tensors().iter().any(|t| source.place(t).is_some()) {
            let remedy = "these weights are converted while they are read; convert the model to GGUF first \
                          (`akunu convert`), or leave it out";
            return Err(refused("this model".into(), remedy));
        }
    }
    let context = match options.context {
        Some(c) => c,
        None => {
            let free = device.info().free_bytes;
            let available = if free == 0 { u64::MAX } else { (free as f64 * MEMORY_SHARE) as u64 };
            memory::default_context(source, &target, options.cache, available)?
        }
    };
    let settings = Settings { context, head_rows: options.head_rows, cache: options.cache, batch: None };
    Ok(Program::new(source, target, settings)?)
}

/// What loading makes of weights.
struct Parts {
    program: Program,
    weights: Arc<dyn Memory>,
    fingerprint: Fingerprint,
    score: Option<ScoreHead>,
}

impl Parts {
    /// Plans and loads. Of what comes back where `given_up` is set, nothing may be used.
    fn load(
        weights: Box<dyn WeightSource>,
        device: &dyn Device,
        options: &LoadOptions,
        given_up: &AtomicBool,
        progress: &mut dyn FnMut(LoadProgress),
    ) -> Result<Self, Error> {
        let source = with_matrices(weights, device.target(), options)?;
        let program = plan(&*source, device, options)?;
        let weights = load::weights(&*source, &program, device, given_up, progress)?;
        let (fingerprint, score) = (fingerprint(&*source)?, ScoreHead::read(&*source)?);
        Ok(Self { program, weights, fingerprint, score })
    }
}

impl Model {
    /// Loads weights onto a device. `progress` is called from this thread, now and then and at the end.
    pub fn load(
        source: &Source,
        options: &LoadOptions,
        progress: &mut dyn FnMut(LoadProgress),
    ) -> Result<Self, Error> {
        let opened = open(source)?;
        let (device, note) = open_device(options)?;
        Self::load_parts(opened, device, note, options, progress)
    }

    /// [`Model::load`] onto any device; for tests and tools.
    pub fn load_onto(
        source: &Source,
        device: Arc<dyn Device>,
        options: &LoadOptions,
        progress: &mut dyn FnMut(LoadProgress),
    ) -> Result<Self, Error> {
        Self::load_parts(open(source)?, device, None, options, progress)
    }

    /// Loads any source of weights onto any device; for tests and tools. Without a tokenizer it speaks ids only.
    pub fn load_on(
        weights: Box<dyn WeightSource>,
        device: Arc<dyn Device>,
        options: &LoadOptions,
        progress: &mut dyn FnMut(LoadProgress),
    ) -> Result<Self, Error> {
        let missing = "these weights were given without one".into();
        let missing = NoTokenizer { missing, remedy: "load them from their file or directory" };
        Self::load_parts(
            Opened { weights, text: TextSource::Absent(missing) },
            device,
            None,
            options,
            progress,
        )
    }

    fn load_parts(
        opened: Opened,
        device: Arc<dyn Device>,
        note: Option<String>,
        options: &LoadOptions,
        progress: &mut dyn FnMut(LoadProgress),
    ) -> Result<Self, Error> {
        let Opened { weights, text } = opened;
        let rows = weights.config().vocab;
        // What turns text into tokens is made while weights are read: for a small model it takes as long.
        let given_up = AtomicBool::new(false);
        let (text, parts) = std::thread::scope(|s| {
            let text = s.spawn(|| text.read(rows).inspect_err(|_| given_up.store(true, Ordering::Relaxed)));
            let parts = Parts::load(weights, &*device, options, &given_up, progress);
            (text.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), parts)
        });
        let Text { tokenizer, chat } = text?;
        let Parts { program, weights, fingerprint, score } = parts?;
        let inner = Inner {
            program,
            device,
            note,
            weights,
            fingerprint,
            tokenizer: tokenizer.map(Arc::new),
            score,
            chat,
            vocabulary: std::sync::OnceLock::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What loading would take; nothing is allocated and no weight is read.
    pub fn plan(source: &Source, options: &LoadOptions) -> Result<Plan, Error> {
        let weights = open(source)?.with_text_read()?;
        let (device, _) = open_device(options)?;
        let source = with_matrices(weights, device.target(), options)?;
        let program = plan(&*source, &*device, options)?;
        Ok(Plan { program, device: device.info() })
    }

    /// The program of a source on a target that this machine need not have; without a context, for what the model was
    /// trained for.
    pub fn plan_for(
        source: &Source,
        target: Target,
        context: Option<u32>,
        cache: CacheTypes,
    ) -> Result<Program, Error> {
        let weights = open(source)?.with_text_read()?;
        let context = match context {
            Some(c) => c,
            None => memory::default_context(&*weights, &target, cache, u64::MAX)?,
        };
        Ok(Program::new(&*weights, target, Settings { context, head_rows: RowCount(1), cache, batch: None })?)
    }

    /// All tables that run a model whose session has this program: a session's and those of a batch of so many sequences, `None` for as
    /// many as the target takes where nobody says it. (Scoring and profiles have others.)
    pub fn tables(session: &Program, sequences: Option<u32>) -> Result<Vec<VerifiedTable>, Error> {
        let sequences = sequences.unwrap_or(session.target.sequences);
        // Kernels do not know how many blocks there are; only a cache of less than the largest table's rows would cut it.
        let blocks = session.blocks_within(sequences, u64::MAX, 1.0)?;
        let batch = session.batch(BatchSize { sequences, blocks })?;
        let all = [session, &batch].into_iter().flat_map(|p| {
            let sampled = p.ladder().into_iter().map(|rows| p.sampled_table(rows));
            p.token_tables().chain(sampled).chain([p.shift_table()])
        });
        Ok(all.collect::<Result<_, _>>()?)
    }

    /// The hyperparameters.
    pub fn config(&self) -> &ModelConfig {
        &self.inner.program.config
    }

    /// The tokenizer; the error says why the source has none.
    pub fn tokenizer(&self) -> Result<&Tokenizer, Error> {
        self.inner.tokenizer()
    }

    /// The chat template, where the source has one that compiles.
    pub fn chat_template(&self) -> Option<&ChatTemplate> {
        self.inner.chat.as_ref()?.as_ref().ok()
    }

    /// Why the source's chat template cannot be used, where it has one that does not compile.
    pub fn chat_template_error(&self) -> Option<&ChatError> {
        self.inner.chat.as_ref()?.as_ref().err()
    }

    /// Memory layout and tables.
    pub fn program(&self) -> &Program {
        &self.inner.program
    }

    /// The device.
    pub fn device(&self) -> DeviceInfo {
        self.inner.device.info()
    }

    /// Why `DeviceChoice::Auto` did not take the GPU that seems to be there; one line for people.
    pub fn device_note(&self) -> Option<&str> {
        self.inner.note.as_deref()
    }

    /// Bytes per second of a read-only pass over memory; `None` where that means nothing.
    pub fn measure_bandwidth(&self) -> Option<f64> {
        self.inner.device.measure_bandwidth()
    }

    /// The author's sampling settings, else [`Sampling::DEFAULT`].
    pub fn sampling_defaults(&self) -> Sampling {
        let d = &self.config().sampling;
        Sampling {
            temperature: d.temperature.unwrap_or(Sampling::DEFAULT.temperature),
            min_p: d.min_p.unwrap_or(Sampling::DEFAULT.min_p),
            top_k: d.top_k.unwrap_or(Sampling::DEFAULT.top_k),
            top_p: d.top_p.unwrap_or(Sampling::DEFAULT.top_p),
            repeat_penalty: d.repeat_penalty.unwrap_or(Sampling::DEFAULT.repeat_penalty),
            ..Sampling::DEFAULT
        }
    }

    /// The tokens whose text holds one of these strings, for [`Sampling::dry_breakers`]. An error where the source has no tokenizer.
    pub fn breakers<S: AsRef<str>>(&self, strings: &[S]) -> Result<std::sync::Arc<[u32]>, Error> {
        let t = self.inner.tokenizer()?;
        let mut words = vec![0u32; mask_words(self.config().vocab) as usize];
        let strings = || strings.iter().map(AsRef::as_ref).filter(|s| !s.is_empty());
        for id in 0..t.vocab_len() as u32 {
            let bytes = t.token_bytes(Token(id));
            let holds = |s: &str| bytes.windows(s.len()).any(|w| w == s.as_bytes());
            if let (true, Some(word)) = (strings().any(holds), words.get_mut(id as usize / 32)) {
                *word |= 1 << (id % 32);
            }
        }
        Ok(words.into())
    }

    /// A grammar for this model's vocabulary, whose token trie is built with the first one.
    pub fn grammar(
        &self,
        source: &crate::grammar::GrammarSource,
        start: &crate::grammar::GrammarStart,
    ) -> Result<Arc<crate::grammar::Grammar>, Error> {
        self.inner.tokenizer()?;
        let vocabulary = self.inner.vocabulary.get_or_init(|| match &self.inner.tokenizer {
            Ok(tokenizer) => crate::grammar::Vocabulary::new(Arc::clone(tokenizer)).map(Arc::new),
            Err(why) => Err(crate::grammar::GrammarError::Vocabulary { what: why.missing.clone() }),
        });
        let vocabulary = vocabulary.as_ref().map_err(Clone::clone)?;
        Ok(crate::grammar::Grammar::compile(source, start, vocabulary)?)
    }

    /// Token ids of plain text, with the model's own beginning-of-sequence rule.
    pub fn encode(&self, text: &str) -> Result<Vec<Token>, Error> {
        let t = self.inner.tokenizer()?;
        Ok(t.encode(text, Specials::Parse)?)
    }
}
