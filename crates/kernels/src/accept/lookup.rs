//! Drafts by look-up: what followed the last tokens where they stood before.

use super::Draft;
use crate::step::Token;

/// The most tokens that a match is counted to.
pub const LONGEST: u32 = 16;

/// Tokens that agree where a text is taken to be copied: a draft is as long as it may be, whatever shorter matches gave of late.
pub const SURE: u32 = 8;

/// Where in `known` a text goes on like its end, and over how many tokens the two agree, up to [`LONGEST`]: of the longest matches
/// the last.
///
/// ```
/// use akunu_kernels::accept::lookup::find;
/// use akunu_kernels::step::Token;
/// let text = Token::from_ids(&[1, 2, 3, 4, 9, 2, 3]);
/// assert_eq!(find(text), Some((3, 2)));
/// ```
pub fn find(known: &[Token]) -> Option<(usize, u32)> {
    let (last, before) = known.split_last()?;
    let mut best: Option<(usize, u32)> = None;
    for j in (0..before.len()).rev().filter(|j| before[*j] == *last) {
        let pairs = before[..j].iter().rev().zip(before.iter().rev());
        let n = 1 + pairs.take(LONGEST as usize - 1).take_while(|(a, b)| a == b).count() as u32;
        if best.is_none_or(|(_, m)| n > m) {
            best = Some((j + 1, n));
        }
        if n == LONGEST {
            break;
        }
    }
    best
}

/// How many tokens are drafted after a match, of `room` at most: nearly twice as many as agreed, so that a text has to earn long
/// drafts, and soon does.
pub fn count(draft: &Draft, matched: u32, room: u32) -> u32 {
    if matched < draft.least.max(1) {
        return 0;
    }
    let most = if matched < SURE { draft.unsure.min(draft.most) } else { draft.most };
    (2 * matched - 1).min(most).min(room)
}

/// Token `i` of a draft that begins at `from`. Where it reaches the end of what is known it goes on with itself.
pub fn token(known: &[Token], from: usize, i: usize) -> Token {
    known[from + i % (known.len() - from)]
}
