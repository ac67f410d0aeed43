//! Follows one sequence.

use super::compile::{Grammar, Need, shorten};
use super::start::{Before, open};
use super::{GrammarError, Vocabulary};
use akunu_kernels::step::Token;
use akunu_model::tokenizer::Tokenizer;
use llguidance::Matcher as Parser;
use std::sync::Arc;

/// Which tokens one sequence may go on with. It is as large as the text that it has followed; a fork is cheap.
pub struct Matcher {
    parser: Parser,
    grammar: Arc<Grammar>,
    before: Before,
    /// Where the sequence stood before each token that was taken.
    taken: Vec<Before>,
    /// Whether a token that ends the sequence was taken last. The parser has not seen it.
    ended: bool,
}

impl std::fmt::Debug for Matcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Matcher").field("grammar", &self.grammar).field("taken", &self.taken.len()).finish()
    }
}

impl Matcher {
    pub(super) fn new(parser: Parser, grammar: Arc<Grammar>) -> Self {
        let before = match (&grammar.opening, grammar.markers.is_empty()) {
            (Some(_), _) => Before::Opening(0),
            (None, true) => Before::Nothing,
            (None, false) => Before::Marker(0, 0),
        };
        Self { parser, grammar, before, taken: Vec::new(), ended: false }
    }

    /// Writes the mask of the next token: bit `id % 32` of word `id / 32` is set where token `id` is allowed. Words
    /// beyond the vocabulary become zero. A token that ends the sequence is allowed where the text may end; where
    /// nothing else is, the text must end. An error means that nothing may be drawn.
    pub fn mask(&mut self, mask: &mut [u32]) -> Result<(), GrammarError> {
        let tokens = self.vocabulary().len();
        let words = tokens.div_ceil(32);
        if mask.len() < words {
            return Err(GrammarError::MaskWords { found: mask.len(), tokens });
        }
        mask.fill(0);
        match self.before {
            Before::Opening(_) | Before::Marker(..) => self.mask_before(&mut mask[..words], tokens),
            Before::Gap(left) => {
                self.mask_within(&mut mask[..words])?;
                if left > 0 {
                    for space in &self.grammar.spaces {
                        allow(mask, *space);
                    }
                }
            }
            Before::Nothing => self.mask_within(&mut mask[..words])?,
        }
        Ok(())
    }

    /// Takes the next token. Where the grammar does not allow it, the matcher stays where it was.
    pub fn accept(&mut self, token: Token) -> Result<(), GrammarError> {
        let refused = GrammarError::Refused { token };
        if token.0 as usize >= self.vocabulary().len() || self.ended {
            return Err(refused);
        }
        let tokenizer = self.vocabulary().tokenizer().clone();
        let is_end = tokenizer.eos_ids().contains(&token);
        let next = match self.before {
            Before::Opening(_) | Before::Marker(..) if is_end => {
                if !self.may_end_before() {
                    return Err(refused);
                }
                self.ended = true;
                self.before
            }
            Before::Opening(_) | Before::Marker(..) => self.step(&tokenizer, token).ok_or(refused)?,
            Before::Gap(left) if left > 0 && self.grammar.spaces.binary_search(&token).is_ok() => {
                Before::Gap(left - 1)
            }
            Before::Gap(_) | Before::Nothing => {
                self.accept_within(token, is_end)?;
                Before::Nothing
            }
        };
        self.taken.push(self.before);
        self.before = next;
        Ok(())
    }

    /// Whether the text may end here.
    pub fn may_end(&mut self) -> Result<bool, GrammarError> {
        match self.before {
            _ if self.ended => Ok(true),
            Before::Opening(_) | Before::Marker(..) => Ok(self.may_end_before()),
            _ => self.parser.is_accepting().map_err(stuck),
        }
    }

    /// Whether the text must end here: nothing but a token that ends the sequence is allowed.
    pub fn must_end(&self) -> bool {
        self.ended || (self.before == Before::Nothing && self.parser.is_stopped() && !self.parser.is_error())
    }

    /// Appends the tokens that must come next, as the model would write them; none where there is a choice, or where
    /// the tokenizer does not say which tokens a piece of text becomes. They are not taken yet.
    pub fn forced(&mut self, tokens: &mut Vec<Token>) -> Result<(), GrammarError> {
        if self.before == Before::Nothing && !self.must_end() {
            tokens.extend(self.parser.compute_ff_tokens().into_iter().map(Token));
            if let Some(message) = self.parser.get_error() {
                return Err(stuck(message));
            }
        }
        Ok(())
    }

    /// Takes back the last `tokens` tokens.
    pub fn rollback(&mut self, tokens: usize) -> Result<(), GrammarError> {
        let taken = self.taken.len();
        let Some(keep) = taken.checked_sub(tokens) else {
            return Err(GrammarError::Rollback { tokens, taken });
        };
        if tokens == 0 {
            return Ok(());
        }
        // A token was the parser's where the sequence stood within the grammar after it.
        let after = |i: usize| self.taken.get(i + 1).copied().unwrap_or(self.before);
        let end = usize::from(self.ended && self.before == Before::Nothing);
        let within = (keep..taken).filter(|i| after(*i) == Before::Nothing).count() - end;
        self.parser.rollback(within).map_err(stuck)?;
        self.before = self.taken[keep];
        self.taken.truncate(keep);
        self.ended = false;
        Ok(())
    }

    /// A matcher that goes on by itself from here.
    pub fn fork(&self) -> Self {
        Self {
            parser: self.parser.deep_clone(),
            grammar: self.grammar.clone(),
            before: self.before,
            taken: self.taken.clone(),
            ended: self.ended,
        }
    }

    /// Tokens taken.
    pub fn taken(&self) -> usize {
        self.taken.len()
    }

    /// The grammar that it follows.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    fn vocabulary(&self) -> &Vocabulary {
        &self.grammar.vocabulary
    }

    /// Whether a text that ends here, before its grammar has begun, is whole.
    fn may_end_before(&self) -> bool {
        let last = match self.before {
            Before::Marker(number, _) => number + 1 == self.grammar.markers.len(),
            _ => true,
        };
        self.grammar.need == Need::May && last
    }

    /// Where the sequence stands after a token that comes before its grammar; `None` where that is not allowed.
    fn step(&self, tokenizer: &Tokenizer, token: Token) -> Option<Before> {
        let Grammar { opening, markers, .. } = &*self.grammar;
        match self.before {
            Before::Opening(seen) => open(opening.as_ref()?, markers, seen, tokenizer, token),
            Before::Marker(number, matched) => {
                let seen = markers.get(number)?.step(matched, tokenizer, token)?;
                Some(seen.before(number, markers.len()))
            }
            Before::Gap(_) | Before::Nothing => None,
        }
    }

    /// All tokens but those in which a marker would end too early, and those that end the sequence, where a marker must come.
    fn mask_before(&self, mask: &mut [u32], tokens: usize) {
        mask.fill(u32::MAX);
        if !tokens.is_multiple_of(32) {
            mask[tokens / 32] = (1 << (tokens % 32)) - 1;
        }
        let tokenizer = self.vocabulary().tokenizer();
        if !self.may_end_before() {
            for end in tokenizer.eos_ids() {
                mask[end.0 as usize / 32] &= !(1 << (end.0 % 32));
            }
        }
        for marker in &self.grammar.markers {
            marker.refuse(|token| self.step(tokenizer, token).is_some(), mask);
        }
    }

    fn mask_within(&mut self, mask: &mut [u32]) -> Result<(), GrammarError> {
        if self.must_end() {
            for end in self.vocabulary().tokenizer().eos_ids().to_vec() {
                allow(mask, end);
            }
            return Ok(());
        }
        let allowed = self.parser.compute_mask().map_err(stuck)?;
        let n = mask.len().min(allowed.as_slice().len());
        mask[..n].copy_from_slice(&allowed.as_slice()[..n]);
        Ok(())
    }

    fn accept_within(&mut self, token: Token, is_end: bool) -> Result<(), GrammarError> {
        let allowed = match (is_end, self.must_end()) {
            (true, true) => {
                self.ended = true;
                return Ok(());
            }
            (true, false) => self.may_end()?,
            (false, true) => false,
            (false, false) => self.parser.validate_tokens(&[token.0]).map_err(stuck)? == 1,
        };
        if !allowed {
            return Err(GrammarError::Refused { token });
        }
        if is_end {
            self.ended = true;
            return Ok(());
        }
        self.parser.consume_token(token.0).map_err(stuck)
    }
}

fn allow(mask: &mut [u32], token: Token) {
    mask[token.0 as usize / 32] |= 1 << (token.0 % 32);
}

fn stuck(e: impl std::fmt::Display) -> GrammarError {
    GrammarError::Stuck { message: shorten(&e.to_string()) }
}
