//! Grammars that calls have compiled, kept for the next ones.

use akunu::grammar::{Grammar, GrammarSource, GrammarStart};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Grammars that calls have compiled, the one that was asked for last at the end.
#[derive(Default)]
pub(crate) struct Grammars(Mutex<VecDeque<(GrammarSource, Arc<Grammar>)>>);

/// How many are kept.
const KEPT: usize = 32;

impl Grammars {
    pub(crate) fn get(
        &self,
        model: &akunu::Model,
        source: GrammarSource,
    ) -> Result<Arc<Grammar>, akunu::Error> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lock().iter().find(|(s, _)| *s == source).map(|(_, g)| Arc::clone(g));
        if let Some(grammar) = found {
            return Ok(grammar);
        }
        let grammar = model.grammar(&source, &GrammarStart::AtOnce)?;
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((source, Arc::clone(&grammar)));
        Ok(grammar)
    }
}
