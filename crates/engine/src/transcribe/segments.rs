//! Tokens of a window to segments: pairs of times enclose them.

use akunu_kernels::step::Token;
use akunu_model::config::AudioConfig;

/// Seconds from one token of time to the next.
const STEP: f64 = 0.02;

/// A segment within its window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// Seconds from the window's begin.
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) tokens: Vec<Token>,
    /// Its first token's place among those of the window.
    pub(super) from: usize,
}

/// The segments of a window of `frames` frames of audio, and the frames that they explain: the next window begins after them. Two times in
/// a row end a segment and begin the next. What is after the last such pair is not complete, so the next window begins at it, unless one
/// time alone ends the tokens: then nobody speaks after it.
pub(super) fn split(tokens: &[Token], first_time: Token, frames: usize) -> (Vec<Piece>, usize) {
    let is_time = |t: &Token| *t >= first_time;
    let steps = |t: &Token| (t.0 - first_time.0) as usize;
    let seconds = |t: &Token| if is_time(t) { steps(t) as f64 * STEP } else { 0.0 };
    let mut ends: Vec<usize> =
        (1..tokens.len()).filter(|i| is_time(&tokens[*i]) && is_time(&tokens[*i - 1])).collect();
    let lone = matches!(tokens, [.., before, last] if !is_time(before) && is_time(last));
    if ends.is_empty() {
        let last = tokens.iter().rev().find(|t| is_time(t)).filter(|t| steps(t) > 0);
        let end = last.map_or(frames as f64 * STEP / f64::from(AudioConfig::STRIDE), seconds);
        return (vec![Piece { start: 0.0, end, tokens: tokens.to_vec(), from: 0 }], frames);
    }
    if lone {
        ends.push(tokens.len());
    }
    let (mut pieces, mut from) = (Vec::new(), 0);
    for end in ends {
        let part = &tokens[from..end];
        if let [first, .., last] = part {
            pieces.push(Piece { start: seconds(first), end: seconds(last), tokens: part.to_vec(), from });
        }
        from = end;
    }
    let ahead = steps(&tokens[from - 1]) * AudioConfig::STRIDE as usize;
    // (Never standing still, whatever the model draws.)
    (pieces, if lone || ahead == 0 { frames } else { ahead.min(frames) })
}

/// Brings times into a window of `frames` frames: after it there is other audio, which others speak of. What is said to begin after it is kept,
/// at its end.
pub(super) fn keep_within(pieces: &mut [Piece], frames: usize) {
    let most = frames as f64 * STEP / f64::from(AudioConfig::STRIDE);
    for piece in pieces.iter_mut().filter(|p| p.end > most) {
        (piece.start, piece.end) = (piece.start.min((most - STEP).max(0.0)), most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZERO: Token = Token(100);

    fn tokens(ids: &[u32]) -> Vec<Token> {
        Token::from_ids(ids).to_vec()
    }

    #[test]
    fn pairs_of_times_end_segments() {
        // 0.00 a b 1.00 | 1.00 c 2.00 | 2.00: and the next window begins at 2 s.
        let t = tokens(&[100, 1, 2, 150, 150, 3, 200, 200]);
        let (pieces, ahead) = split(&t, ZERO, 3000);
        let times: Vec<_> = pieces.iter().map(|p| (p.start, p.end, p.from, p.tokens.len())).collect();
        assert_eq!(times, [(0.0, 1.0, 0, 4), (1.0, 2.0, 4, 3)]);
        assert_eq!(ahead, 200);
    }

    #[test]
    fn a_lone_time_at_the_end_ends_the_window() {
        let t = tokens(&[100, 1, 150, 160, 2, 3, 400]);
        let (pieces, ahead) = split(&t, ZERO, 2500);
        let times: Vec<_> = pieces.iter().map(|p| (p.start, p.end)).collect();
        assert_eq!((times, ahead), (vec![(0.0, 1.0), (1.2, 6.0)], 2500));
    }

    #[test]
    fn without_pairs_the_window_is_one_segment() {
        let (pieces, ahead) = split(&tokens(&[100, 1, 2, 250]), ZERO, 700);
        assert_eq!((pieces[0].start, pieces[0].end, ahead), (0.0, 3.0, 700));
        let (pieces, ahead) = split(&tokens(&[100, 1, 2]), ZERO, 700);
        assert_eq!((pieces[0].end, ahead), (7.0, 700));
        assert_eq!(split(&[], ZERO, 5).1, 5);
    }

    #[test]
    fn times_after_the_window_are_brought_into_it() {
        let piece = |start, end| Piece { start, end, tokens: tokens(&[1]), from: 0 };
        let mut pieces = vec![piece(0.0, 1.0), piece(1.0, 3.5), piece(4.0, 6.0)];
        keep_within(&mut pieces, 300);
        assert_eq!(pieces, [piece(0.0, 1.0), piece(1.0, 3.0), piece(2.98, 3.0)]);
        let mut short = vec![piece(0.5, 0.7)];
        keep_within(&mut short, 1);
        assert_eq!(short, [piece(0.0, 0.01)]);
    }

    /// Whatever is drawn, the audio goes on.
    #[test]
    fn a_window_always_moves_ahead() {
        for ids in [&[100, 100][..], &[100, 1, 100, 100], &[101, 100, 100, 1]] {
            assert!(split(&tokens(ids), ZERO, 10).1 > 0, "{ids:?}");
        }
        assert_eq!(split(&tokens(&[100, 1, 1600, 1600]), ZERO, 10).1, 10);
    }
}
