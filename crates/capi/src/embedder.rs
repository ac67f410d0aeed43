//! Vectors of texts.

use crate::handle::Table;
use crate::input::{Versioned, array, array_mut, flag, initialize, options, place, put, text};
use crate::model::{MODELS, akunu_model};
use crate::status::{AKUNU_ERROR_BUFFER, Failure, akunu_status, call};
use crate::tables::free;
use akunu::{EmbedOptions, Embedder, Overlong};
use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

/// Makes vectors of texts, for one thread at a time; others wait.
pub struct akunu_embedder;

static EMBEDDERS: Table<Mutex<Embedder>> = Table::new("akunu_embedder", 8);

/// How texts become vectors. All zero but for the size is the default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct akunu_embedder_options {
    /// Bytes of this struct.
    pub size: usize,
    /// The first so many values of each vector, for models that were trained for that; 0 is all.
    pub dimensions: u32,
    /// 1 cuts a text that is longer than the model reads, 0 refuses it.
    pub truncate: u32,
    /// The name of the model's prompt that comes before every text; NULL is the model's own.
    pub prompt: *const c_char,
}

// SAFETY: repr(C), the size first, numbers and raw pointers.
unsafe impl Versioned for akunu_embedder_options {
    const FIRST: usize = 24;
    const NAME: &'static str = "akunu_embedder_options";
}

const DEFAULT: akunu_embedder_options = akunu_embedder_options {
    size: size_of::<akunu_embedder_options>(),
    dimensions: 0,
    truncate: 0,
    prompt: std::ptr::null(),
};

/// Fills in the defaults. `size` is `sizeof(akunu_embedder_options)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_embedder_options_init(
    options: *mut akunu_embedder_options,
    size: usize,
) -> akunu_status {
    call(|| {
        // SAFETY: the caller's promise.
        unsafe { initialize(options, size, DEFAULT) }
    })
}

/// What makes vectors, of a model that is an encoder. `options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_embedder_new(
    model: *const akunu_model,
    options: *const akunu_embedder_options,
    embedder: *mut *mut akunu_embedder,
) -> akunu_status {
    call(|| {
        place(embedder, "embedder")?;
        let cell = MODELS.get(model)?;
        // SAFETY: the caller's promise.
        let o = unsafe { self::options(options, DEFAULT) }?;
        let overlong = if flag(o.truncate, "truncate")? { Overlong::Truncate } else { Overlong::Refuse };
        // SAFETY: the caller's promise.
        let prompt = unsafe { crate::input::optional(o.prompt, "prompt") }?.map(String::from);
        let dimensions = (o.dimensions > 0).then_some(o.dimensions);
        let made =
            cell.model.embedder(&EmbedOptions { overlong, dimensions, prompt, ..EmbedOptions::default() })?;
        // SAFETY: the caller's promise.
        unsafe { put(embedder, EMBEDDERS.insert(Mutex::new(made)), "embedder") }
    })
}

/// Frees an embedder.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_embedder_free(embedder: *mut akunu_embedder) {
    free(&EMBEDDERS, embedder);
}

/// How many values a vector has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_embedder_dimensions(
    embedder: *const akunu_embedder,
    dimensions: *mut u32,
) -> akunu_status {
    call(|| {
        let cell = EMBEDDERS.get(embedder)?;
        let n = cell.lock().unwrap_or_else(PoisonError::into_inner).dimensions();
        // SAFETY: the caller's promise.
        unsafe { put(dimensions, n, "dimensions") }
    })
}

/// Vectors of texts that end with NUL, one after the other: `count` times as many values as `akunu_embedder_dimensions` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_embedder_embed(
    embedder: *const akunu_embedder,
    texts: *const *const c_char,
    count: usize,
    vectors: *mut f32,
    capacity: usize,
) -> akunu_status {
    call(|| {
        let cell = EMBEDDERS.get(embedder)?;
        // SAFETY: the caller's promise.
        let texts = unsafe { array(texts, count, "texts") }?;
        let mut embedder = cell.lock().unwrap_or_else(PoisonError::into_inner);
        let width = embedder.dimensions() as usize;
        let needed = count.saturating_mul(width);
        if capacity < needed {
            let message =
                format!("`vectors` holds {capacity} values, and there are {needed}; give a larger one");
            return Err(Failure::new(AKUNU_ERROR_BUFFER, message));
        }
        // SAFETY: the caller's promise.
        let texts = texts.iter().map(|t| unsafe { text(*t, crate::AKUNU_NUL, "texts") });
        let made = embedder.embed(&texts.collect::<Result<Vec<_>, _>>()?)?;
        // SAFETY: the caller's promise, of no more than what is needed.
        let out = unsafe { array_mut(vectors, needed, "vectors") }?;
        // Chunks of at least one value: an encoder's width is never 0.
        out.chunks_exact_mut(width.max(1)).zip(&made.vectors).for_each(|(to, v)| to.copy_from_slice(v));
        Ok(())
    })
}
