//! A grammar at work on one sequence: which tokens the next draw may take, and which come without one.
//!
//! Sessions and batches ask the same things of it, in this order: is the text over, what is forced, what may be drawn; then they tell
//! it what was taken.

use crate::grammar::{GrammarError, Matcher};
use crate::sampling::Sampling;
use akunu_kernels::sampler::mask_words;
use akunu_kernels::step::Token;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a text's grammar may take of the host's time in all, and for each token beside that. A mask takes some tens of microseconds;
/// one of a grammar that means everything several times may take a tenth of a second, and holds up who else is in the batch.
const TIME: Duration = Duration::from_secs(3);
const TIME_PER_TOKEN: Duration = Duration::from_millis(5);

/// What follows a sequence.
#[derive(Debug)]
pub(crate) struct Guide {
    matcher: Matcher,
    /// The model's tokens; its tokenizer may know fewer, or more.
    vocab: u32,
    /// Bit `i % 32` of word `i / 32`: token i may be drawn.
    mask: Vec<u32>,
    /// Whether the mask is that of the next draw.
    made: bool,
    /// Tokens that must come next.
    forced: VecDeque<Token>,
    /// Whether they were looked for since the last token that was drawn.
    looked: bool,
    /// Whether forced tokens are drawn too: who asks for log-probabilities gets those of every token.
    draws_all: bool,
    /// Time that it took so far, and tokens that were taken.
    spent: Duration,
    taken: u32,
}

impl Guide {
    /// At the beginning of a text; `None` where it follows nothing.
    pub(crate) fn of(sampling: &Sampling, vocab: u32) -> Option<Self> {
        let grammar = sampling.grammar.as_ref()?;
        let tokens = grammar.vocabulary().len().max(vocab as usize);
        Some(Self {
            matcher: grammar.matcher(),
            vocab,
            mask: vec![0; tokens.div_ceil(32)],
            made: false,
            forced: VecDeque::new(),
            looked: false,
            draws_all: sampling.logprobs.is_some(),
            spent: Duration::ZERO,
            taken: 0,
        })
    }

    /// One that goes on by itself from here, if this sampling has the same grammar.
    pub(crate) fn fork(&self, sampling: &Sampling) -> Option<Self> {
        let same = sampling.grammar.as_ref().is_some_and(|g| Arc::ptr_eq(self.matcher.grammar(), g));
        same.then(|| Self {
            matcher: self.matcher.fork(),
            vocab: self.vocab,
            mask: self.mask.clone(),
            made: self.made,
            forced: self.forced.clone(),
            looked: self.looked,
            draws_all: sampling.logprobs.is_some(),
            spent: self.spent,
            taken: self.taken,
        })
    }

    /// Whether the text ends here.
    pub(crate) fn must_end(&self) -> bool {
        self.matcher.must_end()
    }

    /// The next token that must come, once for each stretch of them. It is not taken yet.
    pub(crate) fn forced(&mut self) -> Result<Option<Token>, GrammarError> {
        if !self.looked && !self.draws_all {
            let mut found = Vec::new();
            self.timed(|m| m.forced(&mut found))?;
            // What the model has no logit for is not its token.
            self.forced.extend(found.into_iter().take_while(|t| t.0 < self.vocab));
            self.looked = true;
        }
        Ok(self.forced.pop_front())
    }

    /// Takes the next token, drawn, forced, or written by whoever runs the sequence.
    pub(crate) fn take(&mut self, token: Token) -> Result<(), GrammarError> {
        self.made = false;
        self.looked &= !self.forced.is_empty();
        self.taken += 1;
        self.timed(|m| m.accept(token))
    }

    /// Does something that takes time; an error where all of it together took too long.
    fn timed(
        &mut self,
        work: impl FnOnce(&mut Matcher) -> Result<(), GrammarError>,
    ) -> Result<(), GrammarError> {
        let start = Instant::now();
        let done = work(&mut self.matcher);
        self.spent += start.elapsed();
        if self.spent > TIME + TIME_PER_TOKEN * self.taken {
            let message = format!("it took {:.1} s for {} tokens", self.spent.as_secs_f64(), self.taken);
            return Err(GrammarError::Stuck { message });
        }
        done
    }

    /// Whether the next draw has its mask.
    pub(crate) fn has_mask(&self) -> bool {
        self.made
    }

    /// Makes the mask of the next draw, unless it is made.
    pub(crate) fn make_mask(&mut self) -> Result<(), GrammarError> {
        if self.made {
            return Ok(());
        }
        let mut mask = std::mem::take(&mut self.mask);
        let made = self.timed(|m| m.mask(&mut mask));
        self.mask = mask;
        made?;
        let words = mask_words(self.vocab) as usize;
        if !self.vocab.is_multiple_of(32) {
            self.mask[words - 1] &= (1 << (self.vocab % 32)) - 1;
        }
        if self.mask[..words].iter().all(|w| *w == 0) {
            let message = "no token of the model's vocabulary goes on from here".into();
            return Err(GrammarError::Stuck { message });
        }
        self.made = true;
        Ok(())
    }

    /// The mask that was made, as devices read it.
    pub(crate) fn mask(&self) -> &[u32] {
        &self.mask[..mask_words(self.vocab) as usize]
    }
}
