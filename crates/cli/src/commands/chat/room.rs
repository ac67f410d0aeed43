//! Room in a full context. Between turns the oldest ones leave as a whole and what stays is run again, as if they had
//! never been. In the middle of an answer the same turns leave the KV cache, and what stays is moved.

use super::Talk;
use crate::args::Overflow;
use crate::error::CliError;
use crate::output::Output;
use akunu::Token;
use akunu::files::chat::Message;
use std::ops::Range;

/// Share of the context that an answer should find free: 1 in so many.
const ANSWER_SHARE: usize = 4;
/// Tokens where two neighbours meet that may differ from those of the shorter conversation (a space, a line break).
const SEAM: usize = 4;

/// What leaves in the middle of an answer.
pub(super) struct Leaving {
    pub(super) overflow: akunu::Overflow,
    /// Turns that are gone after each shift.
    turns: Vec<usize>,
}

impl Leaving {
    /// Turns that are gone after so many shifts.
    pub(super) fn after(&self, shifts: u32) -> usize {
        let shifts = (shifts as usize).min(self.turns.len());
        if shifts == 0 { 0 } else { self.turns[shifts - 1] }
    }
}

impl Talk<'_> {
    /// The conversation's tokens; the oldest turns leave where it does not fit and the user did not forbid it.
    pub(super) fn fit(&mut self, out: &Output) -> Result<Vec<Token>, CliError> {
        let tokens = self.tokens(&self.messages)?;
        let context = self.session.context() as usize;
        let answer = (context / ANSWER_SHARE).min(self.options.max_tokens as usize);
        let turns = older(&self.messages);
        if self.overflow == Overflow::Stop || tokens.len() + answer <= context || turns == 0 {
            return Ok(tokens);
        }
        let (gone, shorter) = self.fewest(context / 2)?;
        if shorter.len() > context {
            // Nothing is forgotten for a question that is too long by itself.
            return Ok(tokens);
        }
        self.forget(gone, 0, out);
        Ok(shorter)
    }

    /// What may leave while `tokens` are answered.
    pub(super) fn leaving(&self, tokens: &[Token]) -> Result<Leaving, CliError> {
        let context = self.session.context();
        let longest = u64::from(self.options.max_tokens) + tokens.len() as u64;
        if self.overflow != Overflow::Shift || longest <= u64::from(context) {
            return Ok(Leaving { overflow: akunu::Overflow::End, turns: Vec::new() });
        }
        let all = older(&self.messages);
        let mut state = tokens.to_vec();
        let (mut drop, mut turns) = (Vec::new(), Vec::new());
        if all > 0 {
            let (some, shorter) = self.fewest(context as usize / 2)?;
            let mut steps = vec![(some, shorter)];
            if some < all {
                steps.push((all, self.tokens(&without(&self.messages, all))?));
            }
            for (gone, shorter) in steps {
                let Some(range) = difference(&state, &shorter) else { break };
                state.drain(range.clone());
                drop.push(range.start as u32..range.end as u32);
                turns.push(gone);
            }
        }
        // The question stays and the answer's own beginning leaves.
        let keep = state.len() as u32;
        Ok(Leaving { overflow: akunu::Overflow::Shift { drop, keep }, turns })
    }

    /// Drops the oldest turns, and says so once.
    pub(super) fn forget(&mut self, turns: usize, shifts: u32, out: &Output) {
        self.messages = without(&self.messages, turns);
        if (turns > 0 || shifts > 0) && !self.told {
            self.told = true;
            out.note(&format!(
                "the context of {} tokens is full: from here on the oldest turns are forgotten, the system prompt \
                 stays; --ctx N makes it longer, --overflow stop ends instead",
                self.session.context()
            ));
        }
    }

    /// The fewest turns without which the conversation has at most `target` tokens, and what is left then; all older
    /// turns where that is not enough.
    fn fewest(&self, target: usize) -> Result<(usize, Vec<Token>), CliError> {
        let (mut low, mut high) = (1, older(&self.messages));
        let mut left = self.tokens(&without(&self.messages, high))?;
        while low < high {
            let middle = low + (high - low) / 2;
            let tokens = self.tokens(&without(&self.messages, middle))?;
            if tokens.len() <= target {
                (high, left) = (middle, tokens);
            } else {
                low = middle + 1;
            }
        }
        Ok((high, left))
    }

    fn tokens(&self, messages: &[Message]) -> Result<Vec<Token>, CliError> {
        Ok(self.model.encode(&self.template.render(messages)?)?)
    }
}

/// Turns before the question: each a question with its answer.
fn older(messages: &[Message]) -> usize {
    messages.iter().filter(|m| m.role == "assistant").count()
}

/// The conversation without its oldest turns; the system prompt stays.
fn without(messages: &[Message], turns: usize) -> Vec<Message> {
    let system = messages.iter().take_while(|m| m.role == "system").count();
    let (first, rest) = messages.split_at(system);
    first.iter().chain(rest.iter().skip(2 * turns)).cloned().collect()
}

/// The one range without which `long` is `short`, but for a few tokens at the seam.
fn difference(long: &[Token], short: &[Token]) -> Option<Range<usize>> {
    let start = long.iter().zip(short).take_while(|(a, b)| a == b).count();
    let most = short.len() - start;
    let end =
        long[start..].iter().rev().zip(short.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let range = start..long.len() - end;
    (most - end <= SEAM && !range.is_empty()).then_some(range)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn turns_leave_in_order_and_the_system_prompt_stays() {
        let said = |roles: &[&str]| -> Vec<Message> {
            roles.iter().enumerate().map(|(i, r)| Message::new(r, &i.to_string())).collect()
        };
        let all = said(&["system", "user", "assistant", "user", "assistant", "user"]);
        assert_eq!(older(&all), 2);
        let contents = |turns| without(&all, turns).iter().map(|m| m.content.clone()).collect::<String>();
        assert_eq!([contents(0), contents(1), contents(2)], ["012345", "0345", "05"]);
        let bare = said(&["user", "assistant", "user"]);
        assert_eq!(without(&bare, 1), bare[2..]);
    }

    #[test]
    fn one_range_makes_the_shorter_conversation() {
        assert_eq!(difference(&[1, 2, 3, 4, 5].map(Token), &[1, 4, 5].map(Token)), Some(1..3));
        // Repetitions leave more than one range to choose from; any of them gives the same.
        assert_eq!(difference(&[1, 7, 7, 7, 5].map(Token), &[1, 7, 5].map(Token)), Some(2..4));
        // A seam of one other token.
        assert_eq!(difference(&[1, 2, 3, 4, 5].map(Token), &[1, 9, 5].map(Token)), Some(1..4));
        assert_eq!(difference(&[1, 2, 3].map(Token), &[1, 2, 3].map(Token)), None);
        assert_eq!(difference(&[1, 2, 3].map(Token), &[4, 5, 6, 7, 8, 9].map(Token)), None);
        assert_eq!(difference(&[1, 2].map(Token), &[1, 2, 3].map(Token)), None);
    }
}
