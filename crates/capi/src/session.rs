//! One sequence that its caller drives: tokens are appended, decoded, taken back and saved.

use crate::handle::{Cancel, OneCall, Table};
use crate::input::{
    Versioned, array, array_mut, fill, initialize, options, place, put, report, reserved, tell, text,
};
use crate::model::{MODELS, akunu_model};
use crate::options::{Asked, akunu_generate_options, finish_word};
use crate::profile::{PROFILES, akunu_profile};
use crate::status::{Failure, akunu_status, call};
use crate::tables::free_after;
use akunu::{
    Canceller, Control, DecodeOptions, Decoded, DraftCounts, DraftOptions, DraftWhen, GenerateOptions,
    LogProbs, Model, RowCount, Session, Token, TokenEvent,
};
use std::ffi::{c_char, c_void};
use std::path::Path;

/// One sequence: tokens and a KV cache. Draws what comes after its tokens, again and again.
pub struct akunu_session;

/// What any thread may use while the session runs.
struct Beside {
    canceller: Canceller,
    model: Model,
}

impl Cancel for Beside {
    fn cancel(&self) {
        self.canceller.cancel();
    }
}

static SESSIONS: Table<OneCall<Session, Beside>> = Table::new("akunu_session", 4);

/// How a session works. All zero but for the size is the default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_session_options {
    /// Bytes of this struct.
    pub size: usize,
    /// The most tokens that a step drafts by look-up in the session's own text, where that is faster; the text is the same. 0 is none,
    /// and 7 is usual. Such a session gives no logits of a text.
    pub draft_tokens: u32,
    /// Must be 0.
    pub reserved: u32,
}

// SAFETY: repr(C), the size first, numbers.
unsafe impl Versioned for akunu_session_options {
    const FIRST: usize = 16;
    const NAME: &'static str = "akunu_session_options";
}

const DEFAULT: akunu_session_options =
    akunu_session_options { size: size_of::<akunu_session_options>(), draft_tokens: 0, reserved: 0 };

/// Fills in the defaults. `size` is `sizeof(akunu_session_options)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_options_init(
    options: *mut akunu_session_options,
    size: usize,
) -> akunu_status {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { initialize(options, size, DEFAULT) }
    })
}

/// A session with memory of its own (`akunu_model_get_memory`). `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_new(
    model: *const akunu_model,
    options: *const akunu_session_options,
    session: *mut *mut akunu_session,
) -> akunu_status {
    call(|| {
        place(session, "session")?;
        let model = MODELS.get(model)?.model.clone();
        // SAFETY: the caller's promise.
        let given = unsafe { self::options(options, DEFAULT) }?;
        reserved::<akunu_session_options>(given.reserved)?;
        let made = match given.draft_tokens {
            0 => model.session()?,
            most => model.drafting_session(&DraftOptions {
                most,
                when: DraftWhen::ItPays,
                ..DraftOptions::default()
            })?,
        };
        let beside = Beside { canceller: made.canceller(), model };
        let cell = OneCall::new(made, beside);
        // SAFETY: the caller's promise.
        unsafe { put(session, SESSIONS.insert(cell), "session") }
    })
}

/// Frees a session. What another thread runs in it is cancelled.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_session_free(session: *mut akunu_session) {
    free_after(&SESSIONS, session, OneCall::close);
}

/// Ends what runs in the session, or what runs next where nothing does, as if its callback had asked for that. From any thread.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_session_cancel(session: *const akunu_session) -> akunu_status {
    call(|| Ok(SESSIONS.cancel(session)?))
}

/// Appends tokens. Nothing runs before the next `akunu_session_decode` or `akunu_session_generate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_append(
    session: *const akunu_session,
    tokens: *const u32,
    count: usize,
) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        // SAFETY: the caller's promise.
        let ids = unsafe { array(tokens, count, "tokens") }?;
        let mut session = SESSIONS.enter(&cell)?;
        check_room(&session, count)?;
        let ids: Vec<Token> = ids.iter().map(|id| Token(*id)).collect();
        session.append(&ids)?;
        Ok(())
    })
}

/// Refuses what is too much before it is copied.
fn check_room(session: &Session, count: usize) -> Result<(), Failure> {
    let (tokens, context) = (u64::from(session.position()) + count as u64, session.context());
    match tokens <= u64::from(context) {
        true => Ok(()),
        false => Err(akunu::Error::ContextFull { tokens, context }.into()),
    }
}

/// Appends a text, with the model's own rule for a beginning-of-sequence token where the session is empty. Names of control tokens in it
/// are those tokens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_append_text(
    session: *const akunu_session,
    text: *const c_char,
    length: usize,
) -> akunu_status {
    use akunu::files::tokenizer::{Bos, Specials};
    call(|| {
        let cell = SESSIONS.get(session)?;
        // SAFETY: the caller's promise.
        let text = unsafe { self::text(text, length, "text") }?;
        let mut session = SESSIONS.enter(&cell)?;
        let bos = if session.position() == 0 { Bos::Auto } else { Bos::Never };
        let ids = cell
            .beside
            .model
            .tokenizer()?
            .encode_with(text, Specials::Parse, bos)
            .map_err(akunu::Error::from)?;
        session.append(&ids)?;
        Ok(())
    })
}

/// How a generation has gone.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_generation {
    /// Bytes of this struct.
    pub size: usize,
    /// Why it ended: `AKUNU_FINISH_*`.
    pub finish: u32,
    /// Tokens drawn.
    pub tokens: u32,
    /// Tokens that were run before the first draw.
    pub prompt_tokens: u32,
    /// How often the context was full and room was made.
    pub shifts: u32,
    /// Seconds until the first token.
    pub prompt_seconds: f64,
    /// Seconds from there on.
    pub decode_seconds: f64,
    /// Tokens that were drafted and verified.
    pub drafted: u64,
    /// Those of them that were drawn.
    pub accepted: u64,
}

// SAFETY: repr(C), the size first, numbers.
unsafe impl Versioned for akunu_generation {
    const FIRST: usize = 56;
    const NAME: &'static str = "akunu_generation";
}

impl akunu_generation {
    fn of(d: &Decoded, shifts: u32) -> Self {
        let DraftCounts { drafted, accepted } = d.drafts;
        Self {
            size: 0,
            finish: finish_word(d.finish),
            tokens: d.tokens,
            prompt_tokens: d.prefill.tokens,
            shifts,
            prompt_seconds: d.prefill.seconds,
            decode_seconds: d.decode.seconds,
            drafted: drafted.into(),
            accepted: accepted.into(),
        }
    }
}

/// A drawn token. All pointers are valid until the callback returns.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_token {
    /// Bytes of this struct.
    pub size: usize,
    /// Its id.
    pub token: u32,
    /// How many of the likeliest tokens come with it.
    pub top_count: u32,
    /// Text that is final now, without a NUL at the end: whole characters that no stop string can swallow any more; often empty. Text that
    /// was held back when a generation ends comes in one more call with the last token's id.
    pub text: *const c_char,
    /// Bytes of it.
    pub text_length: usize,
    /// Its log-probability, where the sampling asks for it, else 0.
    pub logprob: f32,
    /// 1 where that was asked for.
    pub has_logprob: u32,
    /// The likeliest tokens, best first.
    pub top_tokens: *const u32,
    /// Their log-probabilities.
    pub top_logprobs: *const f32,
}

/// Takes a token as it is drawn; anything but 0 ends the generation after it. On the thread that generates. It may use other handles, and
/// of this session's functions `akunu_session_cancel`.
pub type akunu_token_fn =
    Option<unsafe extern "C-unwind" fn(token: *const akunu_token, user_data: *mut c_void) -> i32>;

/// Log-probabilities as C has them.
pub(crate) struct Tops {
    pub(crate) logprob: Option<f32>,
    pub(crate) tokens: Vec<u32>,
    pub(crate) logprobs: Vec<f32>,
}

impl Tops {
    pub(crate) fn of(p: Option<&LogProbs>) -> Self {
        let (tokens, logprobs) = p.into_iter().flat_map(LogProbs::top).map(|(t, v)| (t.0, v)).unzip();
        Self { logprob: p.map(LogProbs::log_prob), tokens, logprobs }
    }
}

/// Draws what comes after the session's tokens, as text, and calls `on_token` (may be NULL) with each. What is pending is run first.
/// However it ends, the session stands at the last drawn token, and a next call goes on from there. `options` and `result` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_generate(
    session: *const akunu_session,
    options: *const akunu_generate_options,
    on_token: akunu_token_fn,
    user_data: *mut c_void,
    result: *mut akunu_generation,
) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        // SAFETY: the caller's promise.
        let asked = unsafe { Asked::read(options, &cell.beside.model) }?;
        let mut session = SESSIONS.enter(&cell)?;
        let options = GenerateOptions {
            max_tokens: asked.max_tokens,
            // What a session has been told is not known as text.
            reasoning: asked.reasoning(&cell.beside.model, "")?,
            sampling: asked.sampling,
            stop: asked.stop,
            eos: asked.eos,
            chunk: None,
            overflow: asked.overflow,
        };
        let mut told = |event: TokenEvent<'_>| {
            if on_token.is_none() {
                return Control::Continue;
            }
            let tops = Tops::of(event.logprobs);
            let token = akunu_token {
                size: size_of::<akunu_token>(),
                token: event.token.0,
                top_count: tops.tokens.len() as u32,
                text: event.text.as_ptr().cast(),
                text_length: event.text.len(),
                logprob: tops.logprob.unwrap_or(0.0),
                has_logprob: tops.logprob.is_some().into(),
                top_tokens: tops.tokens.as_ptr(),
                top_logprobs: tops.logprobs.as_ptr(),
            };
            // SAFETY: the caller has promised a function that takes these.
            unsafe { tell(on_token, &token, user_data) }
        };
        let g = session.generate(&options, &mut told)?;
        let tokens = g.tokens.len() as u32;
        let decoded = Decoded {
            tokens,
            finish: g.finish_reason,
            prefill: g.prefill,
            decode: g.decode,
            drafts: g.drafts,
        };
        if !result.is_null() {
            // SAFETY: the caller's promise.
            unsafe { report(result, akunu_generation::of(&decoded, g.shifts)) }?;
        }
        Ok(())
    })
}

/// Draws at most `capacity` tokens and writes them. As `akunu_session_generate`, but without text, so without stop strings, bounded thoughts
/// and `AKUNU_OVERFLOW_SHIFT`; a model without a tokenizer can do it. `result` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_decode(
    session: *const akunu_session,
    options: *const akunu_generate_options,
    tokens: *mut u32,
    capacity: usize,
    result: *mut akunu_generation,
) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        // SAFETY: the caller's promise.
        let asked = unsafe { Asked::read(options, &cell.beside.model) }?;
        if !asked.stop.is_empty() || asked.overflow != akunu::Overflow::End {
            let message = "tokens are decoded without stop strings and shifts; use akunu_session_generate";
            return Err(Failure::argument(message));
        }
        let mut session = SESSIONS.enter(&cell)?;
        // No more can be drawn than the context holds.
        let room = (session.context() - session.position()) as usize + 1;
        // SAFETY: the caller's promise.
        let out = unsafe { array_mut(tokens, capacity.min(room), "tokens") }?;
        let max_tokens = asked.max_tokens.min(u32::try_from(capacity).unwrap_or(u32::MAX));
        if max_tokens == 0 {
            return Err(Failure::argument("`capacity` is 0; give room for at least one token"));
        }
        let options = DecodeOptions { max_tokens, sampling: asked.sampling, eos: asked.eos, chunk: None };
        let mut n = 0;
        let decoded = session.decode(&options, &mut |token| {
            if let Some(to) = out.get_mut(n) {
                *to = token.0;
            }
            n += 1;
            Control::Continue
        })?;
        if !result.is_null() {
            // SAFETY: the caller's promise.
            unsafe { report(result, akunu_generation::of(&decoded, 0)) }?;
        }
        Ok(())
    })
}

/// Runs all pending tokens but the last. Useful where the prompt is known before the question.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_session_prefill(session: *const akunu_session) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        SESSIONS.enter(&cell)?.prefill(&mut |_, _| Control::Continue)?;
        Ok(())
    })
}

/// The session's tokens. Writes them if they are at most `capacity`; `*count` is how many there are (may be NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_tokens(
    session: *const akunu_session,
    tokens: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        // SAFETY: the caller's promise.
        unsafe { fill(Token::ids(SESSIONS.enter(&cell)?.tokens()), tokens, capacity, count) }
    })
}

/// Drops all tokens from that position on.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_session_rewind(session: *const akunu_session, position: u32) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        SESSIONS.enter(&cell)?.rewind(position)?;
        Ok(())
    })
}

/// Drops `count` tokens after the first `keep`, and moves the rest down with their keys rotated to their new positions.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_session_shift(session: *const akunu_session, keep: u32, count: u32) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        SESSIONS.enter(&cell)?.shift(keep, count)?;
        Ok(())
    })
}

/// The logits of what comes after the session's tokens, one for each token of the vocabulary. What is pending is run. Writes them if they are
/// at most `capacity`; `*count` is how many there are (may be NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_logits(
    session: *const akunu_session,
    logits: *mut f32,
    capacity: usize,
    count: *mut usize,
) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        if capacity < cell.beside.model.config().vocab as usize {
            let needed = vec![0f32; cell.beside.model.config().vocab as usize];
            // SAFETY: the caller's promise.
            unsafe { fill(&needed, logits, capacity, count) }?;
        }
        let values = SESSIONS.enter(&cell)?.next_logits()?;
        // SAFETY: the caller's promise.
        unsafe { fill(&values, logits, capacity, count) }
    })
}

/// Saves the session's tokens and what was computed of them into a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_save(
    session: *const akunu_session,
    path: *const c_char,
) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        // SAFETY: the caller's promise.
        let path = unsafe { text(path, crate::AKUNU_NUL, "path") }?;
        SESSIONS.enter(&cell)?.save(Path::new(path), &[])?;
        Ok(())
    })
}

/// Takes the place of what the session has with what a file has, which was saved by a session of the same model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_load(
    session: *const akunu_session,
    path: *const c_char,
) -> akunu_status {
    call(|| {
        let cell = SESSIONS.get(session)?;
        // SAFETY: the caller's promise.
        let path = unsafe { text(path, crate::AKUNU_NUL, "path") }?;
        SESSIONS.enter(&cell)?.load(Path::new(path))?;
        Ok(())
    })
}

/// Measures a step of `rows` tokens that ends at position `position`, command by command, `repeats` times. The session is emptied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_session_profile(
    session: *const akunu_session,
    rows: u32,
    position: u32,
    repeats: u32,
    profile: *mut *mut akunu_profile,
) -> akunu_status {
    call(|| {
        place(profile, "profile")?;
        let cell = SESSIONS.get(session)?;
        let measured = SESSIONS.enter(&cell)?.profile(RowCount(rows), position, repeats)?;
        // SAFETY: the caller's promise.
        unsafe { put(profile, PROFILES.insert(measured.into()), "profile") }
    })
}
