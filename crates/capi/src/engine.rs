//! Many requests at once.

use crate::answer::{ANSWERS, AnswerCell, akunu_answer};
use crate::handle::Table;
use crate::input::{Versioned, array, flag, initialize, options, place, put, report, text};
use crate::model::{MODELS, akunu_model, conversation};
use crate::options::{Asked, akunu_generate_options};
use crate::status::{Failure, akunu_status, call};
use crate::tables::free;
use akunu::reading::Reading;
use akunu::{
    BatchOptions, DraftOptions, Engine, EngineOptions, Request, SequenceOptions, TextOptions, Token,
    ToolChoice,
};
use std::ffi::c_char;

/// Runs any number of requests at once, on a thread of its own.
pub struct akunu_engine;

static ENGINES: Table<Engine> = Table::new("akunu_engine", 6);

/// How an engine works. All zero but for the size is the default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_engine_options {
    /// Bytes of this struct.
    pub size: usize,
    /// Tokens that the KV cache holds, of all sequences together; 0 is one context and a little on the CPU, most of the memory on a GPU.
    pub cache_tokens: u64,
    /// The most requests that run at a time; 0 is 16 on the CPU, 256 on GPUs, or fewer where these do not fit.
    pub sequences: u32,
    /// The most requests that wait; 0 is 4096.
    pub queue: u32,
    /// 1 makes a request's tokens independent of what else runs; a single request is slower then.
    pub deterministic: u32,
    /// The most tokens that a step drafts by look-up while few requests run; 0 is none, 7 is usual.
    pub draft_tokens: u32,
}

// SAFETY: repr(C), the size first, numbers.
unsafe impl Versioned for akunu_engine_options {
    const FIRST: usize = 32;
    const NAME: &'static str = "akunu_engine_options";
}

const DEFAULT: akunu_engine_options = akunu_engine_options {
    size: size_of::<akunu_engine_options>(),
    cache_tokens: 0,
    sequences: 0,
    queue: 0,
    deterministic: 0,
    draft_tokens: 0,
};

impl akunu_engine_options {
    fn read(&self) -> Result<EngineOptions, Failure> {
        let default = EngineOptions::default();
        Ok(EngineOptions {
            batch: BatchOptions {
                sequences: (self.sequences > 0).then_some(self.sequences),
                cache_tokens: (self.cache_tokens > 0).then_some(self.cache_tokens),
                deterministic: flag(self.deterministic, "deterministic")?,
                drafts: (self.draft_tokens > 0)
                    .then(|| DraftOptions { most: self.draft_tokens, ..DraftOptions::default() }),
            },
            queue: if self.queue > 0 { self.queue as usize } else { default.queue },
            ..default
        })
    }
}

/// Fills in the defaults. `size` is `sizeof(akunu_engine_options)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_engine_options_init(
    options: *mut akunu_engine_options,
    size: usize,
) -> akunu_status {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { initialize(options, size, DEFAULT) }
    })
}

/// An engine with memory of its own. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_engine_new(
    model: *const akunu_model,
    options: *const akunu_engine_options,
    engine: *mut *mut akunu_engine,
) -> akunu_status {
    call(|| {
        place(engine, "engine")?;
        let cell = MODELS.get(model)?;
        // SAFETY: the caller's promise.
        let options = unsafe { self::options(options, DEFAULT) }?.read()?;
        let made = Engine::new(&cell.model, &options)?;
        // SAFETY: the caller's promise.
        unsafe { put(engine, ENGINES.insert(made), "engine") }
    })
}

/// Frees an engine. Answers under way end with `AKUNU_ERROR_STOPPED`, or as cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_engine_free(engine: *mut akunu_engine) {
    free(&ENGINES, engine);
}

/// Submits a request that goes on from these tokens. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_engine_submit(
    engine: *const akunu_engine,
    tokens: *const u32,
    count: usize,
    options: *const akunu_generate_options,
    answer: *mut *mut akunu_answer,
) -> akunu_status {
    call(|| {
        place(answer, "answer")?;
        let engine = ENGINES.get(engine)?;
        let context = engine.model().program().settings.context;
        if count as u64 > u64::from(context) {
            return Err(akunu::Error::ContextFull { tokens: count as u64, context }.into());
        }
        // SAFETY: the caller's promise.
        let ids = unsafe { array(tokens, count, "tokens") }?.iter().map(|id| Token(*id)).collect();
        // SAFETY: the caller's promise.
        let asked = unsafe { Asked::read(options, engine.model()) }?;
        let cell = submit(&engine, ids, "", asked, Reading::default())?;
        // SAFETY: the caller's promise.
        unsafe { put(answer, ANSWERS.insert(cell), "answer") }
    })
}

/// Submits a request that goes on from this text: a plain continuation. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_engine_submit_text(
    engine: *const akunu_engine,
    text: *const c_char,
    length: usize,
    options: *const akunu_generate_options,
    answer: *mut *mut akunu_answer,
) -> akunu_status {
    call(|| {
        place(answer, "answer")?;
        let engine = ENGINES.get(engine)?;
        // SAFETY: the caller's promise.
        let text = unsafe { self::text(text, length, "text") }?;
        // SAFETY: the caller's promise.
        let asked = unsafe { Asked::read(options, engine.model()) }?;
        let cell = submit(&engine, engine.model().encode(text)?, text, asked, Reading::default())?;
        // SAFETY: the caller's promise.
        unsafe { put(answer, ANSWERS.insert(cell), "answer") }
    })
}

/// Submits the next turn of a conversation. `messages` is JSON, a list of objects with `role` and `content`. `tools` is JSON, a list of
/// functions as OpenAI writes them, or NULL. `tool_choice` is NULL or `auto` (as the model likes), `required`, or the name of the tool
/// that must be called. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_engine_submit_chat(
    engine: *const akunu_engine,
    messages: *const c_char,
    tools: *const c_char,
    tool_choice: *const c_char,
    options: *const akunu_generate_options,
    answer: *mut *mut akunu_answer,
) -> akunu_status {
    call(|| {
        place(answer, "answer")?;
        let engine = ENGINES.get(engine)?;
        // SAFETY: the caller's promise.
        let mut conversation = unsafe { conversation(messages, tools) }?;
        // SAFETY: the caller's promise.
        conversation.choice = match unsafe { crate::input::optional(tool_choice, "tool_choice") }? {
            None | Some("auto") => ToolChoice::Auto,
            Some("required") => ToolChoice::Required,
            Some(name) => ToolChoice::Named(name.into()),
        };
        // SAFETY: the caller's promise.
        let mut asked = unsafe { Asked::read(options, engine.model()) }?;
        let turn = engine.model().converse(&conversation)?;
        if turn.grammar.is_some() && asked.sampling.grammar.is_some() {
            let message =
                "a grammar is set, and a tool must be called, which is a grammar; leave one of the two out";
            return Err(Failure::argument(message));
        }
        asked.sampling.grammar = turn.grammar.or(asked.sampling.grammar);
        let cell = submit(&engine, turn.tokens, &turn.text, asked, turn.reading)?;
        // SAFETY: the caller's promise.
        unsafe { put(answer, ANSWERS.insert(cell), "answer") }
    })
}

fn submit(
    engine: &Engine,
    tokens: Vec<Token>,
    prompt: &str,
    asked: Asked,
    reading: Reading,
) -> Result<AnswerCell, Failure> {
    let reasoning = asked.reasoning(engine.model(), prompt)?;
    let options =
        SequenceOptions { max_tokens: asked.max_tokens, sampling: asked.sampling, eos: asked.eos, reasoning };
    let request = Request { tokens, options, priority: asked.priority, overflow: asked.overflow };
    Ok(engine.generate(request, &TextOptions { stop: asked.stop, reading })?.into())
}

/// What an engine does now, and has done.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_engine_status {
    /// Bytes of this struct.
    pub size: usize,
    /// Requests that run.
    pub running: u32,
    /// Requests that wait.
    pub waiting: u32,
    /// Tokens of prompts that were computed.
    pub prompt_tokens: u64,
    /// Tokens of prompts that were found in the KV cache.
    pub reused_tokens: u64,
    /// Tokens drawn.
    pub drawn_tokens: u64,
    /// Tokens drafted and verified.
    pub drafted_tokens: u64,
    /// Those of them that were drawn.
    pub accepted_tokens: u64,
}

// SAFETY: repr(C), the size first, numbers.
unsafe impl Versioned for akunu_engine_status {
    const FIRST: usize = 56;
    const NAME: &'static str = "akunu_engine_status";
}

/// What the engine does now, as of its last step. Set `status->size` to `sizeof(akunu_engine_status)` before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_engine_get_status(
    engine: *const akunu_engine,
    status: *mut akunu_engine_status,
) -> akunu_status {
    call(|| {
        let s = ENGINES.get(engine)?.status();
        let told = akunu_engine_status {
            size: 0,
            running: s.running,
            waiting: s.waiting,
            prompt_tokens: s.prefilled,
            reused_tokens: s.reused,
            drawn_tokens: s.drawn,
            drafted_tokens: s.drafted,
            accepted_tokens: s.accepted,
        };
        // SAFETY: the caller's promise.
        unsafe { report(status, told) }
    })
}
