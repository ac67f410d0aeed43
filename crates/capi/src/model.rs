//! A loaded model.

use crate::handle::Table;
use crate::input::{
    Versioned, fill_text, flag, initialize, optional, options, place, put, report, short, text,
};
use crate::log::{AKUNU_LOG_INFO, AKUNU_LOG_WARN, note};
use crate::status::{AKUNU_DONE, AKUNU_ERROR_CANCELLED, AKUNU_OK, Failure, akunu_status, call};
use crate::tables::free;
use akunu::files::chat::GenerationPrompt;
use akunu::kernels::kv::KV_FORMATS;
use akunu::plan::table::{Region, RegionKind};
use akunu::{
    CacheTypes, Conversation, DeviceChoice, KvFormat, LoadOptions, Model, RowCount, Source, WeightsAt,
};
use akunu_hub::Progress;
use std::ffi::{CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A loaded model: weights on a device, and a tokenizer.
pub struct akunu_model;

pub(crate) struct ModelCell {
    pub(crate) model: Model,
    architecture: CString,
    device: CString,
}

pub(crate) static MODELS: Table<ModelCell> = Table::new("akunu_model", 1);

/// Told how far loading has come, in bytes; `total` is 0 where it is not known. Anything but 0 ends the loading with
/// `AKUNU_ERROR_CANCELLED` before its next step. On the thread that loads.
pub type akunu_progress_fn =
    Option<unsafe extern "C-unwind" fn(done: u64, total: u64, user_data: *mut c_void) -> i32>;

/// How to load. All zero but for the size is the default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_load_options {
    /// Bytes of this struct.
    pub size: usize,
    /// `auto`, `cpu`, `cuda`, `cuda:1`, `vulkan`, …; NULL is `auto`.
    pub device: *const c_char,
    /// Context length in tokens; 0 is the smaller of what the model was trained for and what fits.
    pub context: u32,
    /// Worker threads on the CPU; 0 is what the system grants.
    pub threads: u32,
    /// Format of the keys in the KV cache: `f16`, `bf16`, `q8_0`, `f32` (CPU); NULL is the device's own.
    pub cache_type_k: *const c_char,
    /// The same of the values.
    pub cache_type_v: *const c_char,
    /// 1 leaves weights in their file, for models that are larger than the memory (CPU).
    pub weights_in_file: u32,
    /// Rows of logits that are computed at once where logits of a text are asked for; 0 is 1.
    pub logits_rows: u32,
    /// Told of progress; may be NULL.
    pub progress: akunu_progress_fn,
    /// Handed to it.
    pub user_data: *mut c_void,
}

// SAFETY: repr(C), the size first, numbers, raw pointers and a function that may be NULL.
unsafe impl Versioned for akunu_load_options {
    const FIRST: usize = 64;
    const NAME: &'static str = "akunu_load_options";
}

impl akunu_load_options {
    const DEFAULT: Self = Self {
        size: size_of::<Self>(),
        device: std::ptr::null(),
        context: 0,
        threads: 0,
        cache_type_k: std::ptr::null(),
        cache_type_v: std::ptr::null(),
        weights_in_file: 0,
        logits_rows: 0,
        progress: None,
        user_data: std::ptr::null_mut(),
    };

    /// The engine's.
    ///
    /// # Safety
    ///
    /// Its pointers are NULL or point to what the header says.
    unsafe fn read(&self) -> Result<LoadOptions, Failure> {
        // SAFETY: the caller's promise.
        let device = unsafe { optional(self.device, "device") }?;
        // SAFETY: the caller's promise.
        let (k, v) = unsafe {
            (optional(self.cache_type_k, "cache_type_k")?, optional(self.cache_type_v, "cache_type_v")?)
        };
        let weights = match flag(self.weights_in_file, "weights_in_file")? {
            false => WeightsAt::Memory,
            true => WeightsAt::File,
        };
        Ok(LoadOptions {
            device: device.map_or(Ok(DeviceChoice::Auto), DeviceChoice::parse)?,
            context: (self.context > 0).then_some(self.context),
            threads: (self.threads > 0).then_some(self.threads),
            head_rows: RowCount(self.logits_rows.max(1)),
            cache: CacheTypes { k: k.map(cache_format).transpose()?, v: v.map(cache_format).transpose()? },
            weights,
            ..LoadOptions::default()
        })
    }
}

fn cache_format(name: &str) -> Result<KvFormat, Failure> {
    KvFormat::parse(name).ok_or_else(|| {
        let known: Vec<&str> = KV_FORMATS.iter().map(|f| f.name()).collect();
        Failure::argument(format!(
            "`{name}` is no format of the KV cache; choose one of {}",
            known.join(", ")
        ))
    })
}

/// Fills in the defaults. `size` is `sizeof(akunu_load_options)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_load_options_init(
    options: *mut akunu_load_options,
    size: usize,
) -> akunu_status {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { initialize(options, size, akunu_load_options::DEFAULT) }
    })
}

/// Raised through the loader where a callback asks for the end.
struct Cancelled;

/// Loads a model: a GGUF file, a directory of safetensors files, an alias (`smollm2`), `hf:owner/repo[:file]`, which is downloaded unless
/// it was before, or `synthetic:SHAPE:DTYPE` (`synthetic:tiny-llama:q8_0`), random weights without a tokenizer. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_model_load(
    name: *const c_char,
    options: *const akunu_load_options,
    model: *mut *mut akunu_model,
) -> akunu_status {
    call(|| {
        place(model, "model")?;
        // SAFETY: the caller's promise.
        let name = unsafe { text(name, crate::AKUNU_NUL, "name") }?;
        // SAFETY: the caller's promise.
        let given = unsafe { self::options(options, akunu_load_options::DEFAULT) }?;
        // SAFETY: the caller's promise.
        let options = unsafe { given.read() }?;
        let mut told = |done, total| {
            if let Some(progress) = given.progress {
                // SAFETY: the caller has promised a function that takes these.
                if unsafe { progress(done, total, given.user_data) } != 0 {
                    resume_unwind(Box::new(Cancelled));
                }
            }
        };
        // The loader's callbacks cannot say stop; unwinding ends it, and it owns all that it has made so far.
        let loaded = catch_unwind(AssertUnwindSafe(|| load(name, &options, &mut told)));
        let cell = match loaded {
            Ok(cell) => cell?,
            Err(panic) if panic.is::<Cancelled>() => {
                let message = "the progress callback has ended the loading; load again";
                return Err(Failure::new(AKUNU_ERROR_CANCELLED, message));
            }
            Err(panic) => resume_unwind(panic),
        };
        // SAFETY: the caller's promise.
        unsafe { put(model, MODELS.insert(cell), "model") }
    })
}

fn load(name: &str, options: &LoadOptions, told: &mut dyn FnMut(u64, u64)) -> Result<ModelCell, Failure> {
    let source = source(name, &mut *told)?;
    let model = Model::load(&source, options, &mut |p| told(p.done_bytes, p.total_bytes))?;
    if let Some(why) = model.device_note() {
        note(AKUNU_LOG_WARN, why);
    }
    let c = |s: &str| CString::new(s.replace('\0', "")).unwrap_or_default();
    let (architecture, device) = (c(&model.config().arch), c(&model.device().name));
    Ok(ModelCell { model, architecture, device })
}

/// Where a name's weights are, downloaded if need be.
pub(crate) fn source(name: &str, told: &mut dyn FnMut(u64, u64)) -> Result<Source, Failure> {
    if let Some(spec) = name.strip_prefix("synthetic:") {
        return Ok(Source::Synthetic(spec.into()));
    }
    let mut all = 0;
    let path = akunu_hub::resolve(name, &mut |progress| match progress {
        Progress::Notice(line) => note(AKUNU_LOG_INFO, line),
        Progress::Start { done, total, what, from, .. } => {
            all = total.unwrap_or(0);
            note(AKUNU_LOG_INFO, &format!("{what} from {from}"));
            told(done, all);
        }
        Progress::Advance { done, total } => told(done, total.unwrap_or(all)),
        Progress::Finish { .. } => {}
    })?;
    Ok(Source::Path(path))
}

/// Frees a model. Sessions, engines and whatever else was made of it go on working and keep its weights until they are freed.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_model_free(model: *mut akunu_model) {
    free(&MODELS, model);
}

/// What a model is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_model_info {
    /// Bytes of this struct.
    pub size: usize,
    /// The architecture (`llama`), valid until the model is freed.
    pub architecture: *const c_char,
    /// The device, one line for people, valid until the model is freed.
    pub device: *const c_char,
    /// The most tokens of a sequence.
    pub context: u32,
    /// Tokens of the vocabulary, which is also the number of logits.
    pub vocabulary: u32,
    /// Layers.
    pub layers: u32,
    /// Width of the residual stream, and of an encoder's vectors.
    pub width: u32,
    /// 1 where the model makes vectors of texts and draws no tokens.
    pub is_encoder: u32,
    /// 1 where it has a chat template that can be used.
    pub has_chat_template: u32,
}

// SAFETY: repr(C), the size first, numbers and raw pointers.
unsafe impl Versioned for akunu_model_info {
    const FIRST: usize = 48;
    const NAME: &'static str = "akunu_model_info";
}

/// What the model is. Set `info->size` to `sizeof(akunu_model_info)` before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_model_get_info(
    model: *const akunu_model,
    info: *mut akunu_model_info,
) -> akunu_status {
    call(|| {
        let cell = MODELS.get(model)?;
        let (m, config) = (&cell.model, cell.model.config());
        let all = akunu_model_info {
            size: 0,
            architecture: cell.architecture.as_ptr(),
            device: cell.device.as_ptr(),
            context: m.program().settings.context,
            vocabulary: config.vocab,
            layers: config.layers,
            width: config.hidden,
            is_encoder: m.is_encoder().into(),
            has_chat_template: m.chat_template().is_some().into(),
        };
        // SAFETY: the caller's promise.
        unsafe { report(info, all) }
    })
}

/// What a model takes in memory, in bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_memory {
    /// Bytes of this struct.
    pub size: usize,
    /// The weights, once for all that runs the model.
    pub weights: u64,
    /// Keys and values of one session.
    pub session_cache: u64,
    /// Everything else of one session.
    pub session_other: u64,
    /// What the device has free now; 0 where that is not known.
    pub device_free: u64,
    /// What the device has in all; 0 where that is not known.
    pub device_total: u64,
}

// SAFETY: repr(C), the size first, numbers.
unsafe impl Versioned for akunu_memory {
    const FIRST: usize = 48;
    const NAME: &'static str = "akunu_memory";
}

/// What the model takes in memory. Set `memory->size` to `sizeof(akunu_memory)` before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_model_get_memory(
    model: *const akunu_model,
    memory: *mut akunu_memory,
) -> akunu_status {
    call(|| {
        let cell = MODELS.get(model)?;
        let program = cell.model.program();
        let cache = [Region::KCache, Region::VCache].map(|r| program.region(r).bytes).iter().sum();
        let weights = program.region(Region::Weights).bytes;
        let all: u64 = program.regions.iter().map(|r| r.bytes).sum();
        let device = cell.model.device();
        let told = akunu_memory {
            size: 0,
            weights,
            session_cache: cache,
            session_other: all - weights - cache,
            device_free: device.free_bytes,
            device_total: device.total_bytes,
        };
        // SAFETY: the caller's promise.
        unsafe { report(memory, told) }
    })
}

/// Written at load, then only read.
pub const AKUNU_REGION_WEIGHTS: u32 = 0;
/// Lives as long as a session.
pub const AKUNU_REGION_PERSISTENT: u32 = 1;
/// Has no meaning between steps.
pub const AKUNU_REGION_SCRATCH: u32 = 2;
/// Written by the host while the device runs.
pub const AKUNU_REGION_MAILBOX: u32 = 3;
/// Lives as long as a session, and is filled little by little: keys and values.
pub const AKUNU_REGION_CACHE: u32 = 4;

/// One buffer of a model, or of a session.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_region {
    /// Bytes of this struct.
    pub size: usize,
    /// Bytes of the buffer.
    pub bytes: u64,
    /// `AKUNU_REGION_*`.
    pub kind: u32,
    /// Its name (`k_cache`), with a NUL at its end.
    pub name: [c_char; 32],
}

// SAFETY: repr(C), the size first, numbers.
unsafe impl Versioned for akunu_region {
    const FIRST: usize = 56;
    const NAME: &'static str = "akunu_region";
}

/// The buffer with that number, from 0 on; `AKUNU_DONE` after the last one. Set `region->size` to `sizeof(akunu_region)` before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_model_get_region(
    model: *const akunu_model,
    index: usize,
    region: *mut akunu_region,
) -> akunu_status {
    call(|| {
        let cell = MODELS.get(model)?;
        let Some(decl) = cell.model.program().regions.get(index) else { return Ok(AKUNU_DONE) };
        let kind = match decl.kind {
            RegionKind::Weights => AKUNU_REGION_WEIGHTS,
            RegionKind::Persistent => AKUNU_REGION_PERSISTENT,
            RegionKind::Scratch => AKUNU_REGION_SCRATCH,
            RegionKind::Mailbox => AKUNU_REGION_MAILBOX,
            RegionKind::Cache => AKUNU_REGION_CACHE,
        };
        let name = short(decl.name);
        // SAFETY: the caller's promise.
        unsafe { report(region, akunu_region { size: 0, bytes: decl.bytes, kind, name }) }?;
        Ok(AKUNU_OK)
    })
}

/// Writes a conversation as the model's chat template does, the beginning of the answer after it. `messages` is JSON, a list of objects with
/// `role` and `content`; `tools` is a list of functions as OpenAI writes them, or NULL. Writes at most `capacity` bytes with a NUL at the end;
/// `*length` is what there are without it (may be NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_model_render_chat(
    model: *const akunu_model,
    messages: *const c_char,
    tools: *const c_char,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> akunu_status {
    call(|| {
        let cell = MODELS.get(model)?;
        // SAFETY: the caller's promise.
        let conversation = unsafe { conversation(messages, tools) }?;
        let text = cell.model.render(&conversation, GenerationPrompt::Add)?;
        // SAFETY: the caller's promise.
        unsafe { fill_text(&text, buffer, capacity, length) }
    })
}

/// A conversation as callers write it.
///
/// # Safety
///
/// Both end with NUL, or `tools` is NULL.
pub(crate) unsafe fn conversation(
    messages: *const c_char,
    tools: *const c_char,
) -> Result<Conversation, Failure> {
    // SAFETY: the caller's promise.
    let (messages, tools) =
        unsafe { (text(messages, crate::AKUNU_NUL, "messages")?, optional(tools, "tools")?) };
    Ok(Conversation::parse(messages, tools)?)
}
