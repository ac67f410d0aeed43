//! What texts must follow.

use crate::handle::Table;
use crate::input::{place, put, text};
use crate::model::{MODELS, akunu_model};
use crate::status::{Failure, akunu_status, call};
use crate::tables::free;
use akunu::grammar::{Grammar, GrammarSource, GrammarStart};
use std::ffi::c_char;
use std::sync::Arc;

/// A compiled grammar, for any number of texts of one model.
pub struct akunu_grammar;

pub(crate) struct GrammarCell {
    pub(crate) grammar: Arc<Grammar>,
}

pub(crate) static GRAMMARS: Table<GrammarCell> = Table::new("akunu_grammar", 3);

/// A JSON schema; `{}` is any JSON.
pub const AKUNU_GRAMMAR_JSON_SCHEMA: u32 = 1;
/// A regular expression that the whole text matches.
pub const AKUNU_GRAMMAR_REGEX: u32 = 2;
/// llama.cpp's GBNF.
pub const AKUNU_GRAMMAR_GBNF: u32 = 3;
/// llguidance's variant of Lark.
pub const AKUNU_GRAMMAR_LARK: u32 = 4;

/// Compiles a grammar of a kind (`AKUNU_GRAMMAR_*`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn akunu_grammar_new(
    model: *const akunu_model,
    kind: u32,
    source: *const c_char,
    length: usize,
    grammar: *mut *mut akunu_grammar,
) -> akunu_status {
    call(|| {
        place(grammar, "grammar")?;
        let cell = MODELS.get(model)?;
        // SAFETY: the caller's promise.
        let source = unsafe { text(source, length, "source") }?.to_owned();
        let source = match kind {
            AKUNU_GRAMMAR_JSON_SCHEMA => GrammarSource::JsonSchema(source),
            AKUNU_GRAMMAR_REGEX => GrammarSource::Regex(source),
            AKUNU_GRAMMAR_GBNF => GrammarSource::Gbnf(source),
            AKUNU_GRAMMAR_LARK => GrammarSource::Lark(source),
            n => return Err(Failure::argument(format!("`kind` is {n}; choose one of AKUNU_GRAMMAR_*"))),
        };
        let compiled = cell.model.grammar(&source, &GrammarStart::AtOnce)?;
        // SAFETY: the caller's promise.
        unsafe { put(grammar, GRAMMARS.insert(GrammarCell { grammar: compiled }), "grammar") }
    })
}

/// Frees a grammar. Texts under way go on following it.
#[unsafe(no_mangle)]
pub extern "C" fn akunu_grammar_free(grammar: *mut akunu_grammar) {
    free(&GRAMMARS, grammar);
}
