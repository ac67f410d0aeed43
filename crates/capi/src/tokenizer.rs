//! Text to token ids and back.

use crate::handle::Table;
use crate::input::{array, fill, fill_text, place, put, text};
use crate::model::{MODELS, akunu_model, source};
use crate::status::{Failure, akunu_status, call};
use crate::tables::free;
use akunu::files::tokenizer::{Bos, Specials, Tokenizer};
use akunu::{Model, Token};
use std::ffi::c_char;

/// A model's tokenizer.
pub struct akunu_tokenizer;

enum TokenizerCell {
    /// A loaded model's, which has one.
    Of(Model),
    Alone(Box<Tokenizer>),
}

static TOKENIZERS: Table<TokenizerCell> = Table::new("akunu_tokenizer", 2);

impl TokenizerCell {
    fn get(&self) -> Result<&Tokenizer, Failure> {
        match self {
            Self::Of(model) => Ok(model.tokenizer()?),
            Self::Alone(tokenizer) => Ok(tokenizer),
        }
    }
}

/// The tokenizer of a model of that name (`akunu_model_load`), without its weights.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_tokenizer_load(
    name: *const c_char,
    tokenizer: *mut *mut akunu_tokenizer,
) -> akunu_status {
    call(|| {
        place(tokenizer, "tokenizer")?;
        // SAFETY: the caller's promise.
        let source = source(unsafe { text(name, crate::AKUNU_NUL, "name") }?, &mut |_, _| {})?;
        let found =
            source.tokenizer()?.ok_or_else(|| akunu::Error::NoTokenizer(source.without_tokenizer()))?;
        // SAFETY: the caller's promise.
        unsafe { put(tokenizer, TOKENIZERS.insert(TokenizerCell::Alone(Box::new(found))), "tokenizer") }
    })
}

/// The tokenizer of a loaded model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_tokenizer_new(
    model: *const akunu_model,
    tokenizer: *mut *mut akunu_tokenizer,
) -> akunu_status {
    call(|| {
        place(tokenizer, "tokenizer")?;
        let model = MODELS.get(model)?.model.clone();
        model.tokenizer()?;
        // SAFETY: the caller's promise.
        unsafe { put(tokenizer, TOKENIZERS.insert(TokenizerCell::Of(model)), "tokenizer") }
    })
}

/// Frees a tokenizer.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_tokenizer_free(tokenizer: *mut akunu_tokenizer) {
    free(&TOKENIZERS, tokenizer);
}

/// Names of control tokens in the text are those tokens (`<|im_end|>`).
pub const AKUNU_ENCODE_SPECIAL: u32 = 1;
/// The beginning-of-sequence token comes first, where the model wants one.
pub const AKUNU_ENCODE_BOS: u32 = 2;

/// The tokens of a text. `flags` is a sum of `AKUNU_ENCODE_*`; prompts of one's own want both. Writes them if they are at most `capacity`;
/// `*count` is how many there are (may be NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_tokenizer_encode(
    tokenizer: *const akunu_tokenizer,
    text: *const c_char,
    length: usize,
    flags: u32,
    tokens: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> akunu_status {
    call(|| {
        let cell = TOKENIZERS.get(tokenizer)?;
        // SAFETY: the caller's promise.
        let text = unsafe { self::text(text, length, "text") }?;
        if flags & !(AKUNU_ENCODE_SPECIAL | AKUNU_ENCODE_BOS) != 0 {
            return Err(Failure::argument(format!("`flags` is {flags}; add up AKUNU_ENCODE_*")));
        }
        let specials = if flags & AKUNU_ENCODE_SPECIAL != 0 { Specials::Parse } else { Specials::AsText };
        let bos = if flags & AKUNU_ENCODE_BOS != 0 { Bos::Auto } else { Bos::Never };
        let ids = cell.get()?.encode_with(text, specials, bos).map_err(akunu::Error::from)?;
        // SAFETY: the caller's promise.
        unsafe { fill(Token::ids(&ids), tokens, capacity, count) }
    })
}

/// The text of tokens; control tokens have none. Writes at most `capacity` bytes with a NUL at the end; `*length` is what there are without
/// it (may be NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_tokenizer_decode(
    tokenizer: *const akunu_tokenizer,
    tokens: *const u32,
    count: usize,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> akunu_status {
    call(|| {
        let cell = TOKENIZERS.get(tokenizer)?;
        let tokenizer = cell.get()?;
        // SAFETY: the caller's promise.
        let ids = unsafe { array(tokens, count, "tokens") }?;
        let vocab = tokenizer.vocab_len() as u32;
        if let Some(index) = ids.iter().position(|id| *id >= vocab) {
            return Err(akunu::Error::TokenRange { token: Token(ids[index]), index, vocab }.into());
        }
        let ids: Vec<Token> = ids.iter().map(|id| Token(*id)).collect();
        // SAFETY: the caller's promise.
        unsafe { fill_text(&tokenizer.decode(&ids), buffer, capacity, length) }
    })
}

/// The tokens that end an answer. Writes them if they are at most `capacity`; `*count` is how many there are (may be NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_tokenizer_eos(
    tokenizer: *const akunu_tokenizer,
    tokens: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> akunu_status {
    call(|| {
        let cell = TOKENIZERS.get(tokenizer)?;
        // SAFETY: the caller's promise.
        unsafe { fill(Token::ids(cell.get()?.eos_ids()), tokens, capacity, count) }
    })
}
