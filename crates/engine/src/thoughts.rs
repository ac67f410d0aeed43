//! Counts what a model thinks before it answers, and writes the end of its thoughts where a budget is used up.

use crate::Error;
use crate::model::Inner;
use crate::reasoning::{ReasoningFormat, ReasoningSplitter, Voice};
use crate::tools::shown;
use akunu_kernels::step::Token;
use akunu_model::tokenizer::{Bos, Detokenizer, Specials, Tokenizer};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// A bound on what a model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reasoning {
    /// The marks of its thoughts.
    pub format: ReasoningFormat,
    /// Whether the prompt ends within thoughts.
    pub begun: bool,
    /// Tokens of thoughts, at most; then their end is written for the model.
    pub budget: u32,
}

/// Thoughts under a budget.
struct Thoughts {
    splitter: ReasoningSplitter,
    reasoning: Reasoning,
    /// Tokens of thoughts so far.
    used: u32,
    /// The end of the thoughts as tokens, until it is written.
    end: Vec<Token>,
    /// Pieces of text, which nobody reads here.
    pieces: Vec<(Voice, String)>,
}

impl Thoughts {
    fn new(reasoning: Reasoning, tokenizer: &Tokenizer) -> Result<Self, Error> {
        let prompt = if reasoning.begun { reasoning.format.open } else { "" };
        let end = tokenizer.encode_with(reasoning.format.close, Specials::Parse, Bos::Never)?;
        let splitter = ReasoningSplitter::new(reasoning.format, prompt);
        Ok(Self { splitter, reasoning, used: 0, end, pieces: Vec::new() })
    }

    /// Takes a token and its text. Whether the budget is used up within thoughts.
    fn push(&mut self, tokenizer: &Tokenizer, token: Token, text: &str) -> bool {
        self.splitter.push(shown(tokenizer, token, text, self.reasoning.format.marks), &mut self.pieces);
        self.pieces.clear();
        self.used += u32::from(self.splitter.voice() == Voice::Reasoning);
        self.is_over()
    }

    /// Whether the budget is used up within thoughts.
    fn is_over(&self) -> bool {
        let thinks = self.splitter.voice() == Voice::Reasoning;
        thinks && !self.end.is_empty() && self.used >= self.reasoning.budget
    }

    /// The end of the thoughts, once.
    fn take_end(&mut self) -> Vec<Token> {
        std::mem::take(&mut self.end)
    }

    /// Tokens that can be drawn before the budget may be used up; `None` where it cannot any more.
    fn left(&self) -> Option<u32> {
        let may = !self.end.is_empty() && self.splitter.may_think();
        may.then(|| self.reasoning.budget.saturating_sub(self.used).max(1))
    }
}

/// The same of a sequence, which has tokens: their text is made here.
pub(crate) struct Bounded {
    thoughts: Thoughts,
    detokenizer: Detokenizer,
    model: Arc<Inner>,
    /// Tokens that come next without a draw.
    forced: VecDeque<Token>,
}

impl fmt::Debug for Bounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounded").field("left", &self.left()).finish_non_exhaustive()
    }
}

impl Bounded {
    /// Thoughts that begin here; a budget of nothing may be used up already.
    pub(crate) fn new(reasoning: Reasoning, model: &Arc<Inner>) -> Result<Self, Error> {
        let mut thoughts = Thoughts::new(reasoning, model.tokenizer()?)?;
        let forced = if thoughts.is_over() { thoughts.take_end().into() } else { VecDeque::new() };
        Ok(Self { thoughts, detokenizer: Detokenizer::continuing(), model: Arc::clone(model), forced })
    }

    /// Takes the next token, drawn or forced.
    pub(crate) fn take(&mut self, token: Token) {
        // It was there when the budget was set.
        let Ok(tokenizer) = self.model.tokenizer() else { return };
        let text = self.detokenizer.push(tokenizer, token);
        if self.thoughts.push(tokenizer, token, text) {
            self.forced.extend(self.thoughts.take_end());
        }
    }

    /// The next token that comes without a draw.
    pub(crate) fn forced(&mut self) -> Option<Token> {
        self.forced.pop_front()
    }

    /// Draws before a token may come without one; `None` where none will.
    pub(crate) fn left(&self) -> Option<u32> {
        self.thoughts.left()
    }
}
