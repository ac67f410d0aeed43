//! What may be drawn next, and how likely it is.

use super::control::ControlTokens;
use akunu_kernels::step::Token;
use akunu_model::config::SpeechDecoding;
use std::ops::Range;

/// Never drawn.
const OUT: f32 = f32::NEG_INFINITY;

/// The rules of a model of speech: some tokens never come, times only grow and come in pairs, the first token is a time, and where all
/// times together are likelier than any word, a time comes.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    suppressed: Vec<Token>,
    suppressed_first: Vec<Token>,
    /// The latest time that may come first.
    latest_first: Option<u32>,
    end: usize,
    first_time: usize,
}

impl Rules {
    /// Those of a model.
    pub(super) fn new(decoding: &SpeechDecoding, control: &ControlTokens, vocab: u32) -> Self {
        let inside = |list: &[Token]| list.iter().copied().filter(|t| t.0 < vocab).collect::<Vec<_>>();
        let mut suppressed = inside(&decoding.suppressed);
        // (Files of other origin may not list them.)
        let asked = [control.previous, control.transcribe, control.translate, control.no_speech];
        suppressed.extend(asked.into_iter().flatten().chain([control.start, control.no_times]));
        suppressed.sort_unstable();
        suppressed.dedup();
        Self {
            suppressed,
            suppressed_first: inside(&decoding.suppressed_first),
            latest_first: decoding.first_timestamp,
            end: control.end.index(),
            first_time: control.first_time.index(),
        }
    }

    /// Makes log-probabilities of logits, with what may not come after `drawn` taken out. `drawn` begins after the prompt.
    pub(super) fn apply(&self, drawn: &[Token], logits: &mut [f32]) {
        for t in &self.suppressed {
            logits[t.index()] = OUT;
        }
        if drawn.is_empty() {
            for t in &self.suppressed_first {
                logits[t.index()] = OUT;
            }
        }
        self.order_times(drawn, logits);
        log_softmax(logits);
        let (words, times) = logits.split_at(self.first_time);
        if log_sum(times) > largest(words) {
            logits[..self.first_time].fill(OUT);
            log_softmax(logits);
        }
    }

    /// Times grow, and come in pairs but for the first and the last.
    fn order_times(&self, drawn: &[Token], logits: &mut [f32]) {
        let is_time = |t: &Token| t.index() >= self.first_time;
        let mut ban = |range: Range<usize>| {
            let end = range.end.min(logits.len());
            logits[range.start.min(end)..end].fill(OUT);
        };
        let everything = self.first_time..usize::MAX;
        let (last, before) = match drawn {
            [] => {
                // The first token is a time, and not a late one.
                ban(0..self.first_time);
                if let Some(latest) = self.latest_first {
                    ban(self.first_time.saturating_add(latest as usize).saturating_add(1)..usize::MAX);
                }
                return;
            }
            [last] => (is_time(last), true),
            [.., before, last] => (is_time(last), is_time(before)),
        };
        match (last, before) {
            // A pair is complete: text follows.
            (true, true) => ban(everything),
            // A time ended a text: a second one follows, or the end.
            (true, false) => ban(0..self.end),
            (false, _) => {}
        }
        if let Some(latest) = drawn.iter().rev().find(|t| is_time(t)) {
            // The second of a pair may be the first again; a segment is never empty.
            let least = if last && !before { latest.index() } else { latest.index() + 1 };
            ban(self.first_time..least);
        }
    }
}

/// Values that are worked on side by side: a compiler makes vectors of them.
const LANES: usize = 16;

/// The largest value that is a number.
fn largest(values: &[f32]) -> f32 {
    let mut lanes = [OUT; LANES];
    let (whole, rest) = values.as_chunks::<LANES>();
    for chunk in whole {
        lanes.iter_mut().zip(chunk).for_each(|(m, v)| *m = if *v > *m { *v } else { *m });
    }
    lanes.iter().chain(rest).copied().fold(OUT, f32::max)
}

/// e to `x`, which is 0 at most, within two units of the last place; at least the smallest number that is not denormal. Every token of every
/// text asks for that of the whole vocabulary, and a call of the library for each value would take longer than a GPU's step.
fn exp_below(x: f32) -> f32 {
    /// Added to a number, it leaves its nearest whole number in the last bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.max(-87.0);
    let k = x * std::f32::consts::LOG2_E + ROUND;
    let n = k - ROUND;
    // ln 2 in two parts, the first of which has zeros at its end, so that its product is exact.
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    // Taylor's series: |r| is at most ln 2 / 2.
    let p = 1.0 / 720.0 + r * (1.0 / 5040.0);
    let p = 1.0 / 24.0 + r * (1.0 / 120.0 + r * p);
    let p = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * p)));
    p * f32::from_bits(k.to_bits().wrapping_add(127) << 23)
}

/// ln of the sum of e to each.
fn log_sum(values: &[f32]) -> f32 {
    let most = largest(values);
    if most == OUT {
        return OUT;
    }
    let mut sum = 0.0;
    // Few are added up in f32, so that roundings do not grow with the vocabulary.
    for part in values.chunks(64 * LANES) {
        let mut lanes = [0f32; LANES];
        let (whole, rest) = part.as_chunks::<LANES>();
        for chunk in whole {
            lanes.iter_mut().zip(chunk).for_each(|(s, v)| *s += exp_below(v - most));
        }
        lanes.iter_mut().zip(rest).for_each(|(s, v)| *s += exp_below(v - most));
        sum += lanes.iter().map(|s| f64::from(*s)).sum::<f64>();
    }
    most + sum.ln() as f32
}

fn log_softmax(values: &mut [f32]) {
    let sum = log_sum(values);
    if sum.is_finite() {
        values.iter_mut().for_each(|v| *v -= sum);
    }
}

/// The likelihood of a token by logits.
pub(super) fn probability(logits: &[f32], token: Token) -> f32 {
    logits.get(token.index()).map_or(0.0, |l| (l - log_sum(logits)).exp())
}

/// The likeliest token; `None` where there is none, or a number is no number.
pub(super) fn likeliest(logprobs: &[f32]) -> Option<Token> {
    if logprobs.iter().any(|v| v.is_nan()) {
        return None;
    }
    let mut best = (OUT, None);
    for (i, v) in logprobs.iter().enumerate() {
        if *v > best.0 {
            best = (*v, Some(Token(i as u32)));
        }
    }
    best.1
}

/// A token drawn at a temperature above 0. `u` is uniform in 0..1.
pub(super) fn draw(logprobs: &[f32], temperature: f32, u: f64) -> Option<Token> {
    likeliest(logprobs)?;
    let most = logprobs.iter().copied().fold(OUT, f32::max);
    let weight = |v: f32| f64::from((v - most) / temperature).exp();
    let sum: f64 = logprobs.iter().map(|v| weight(*v)).sum();
    let mut left = u * sum;
    let mut last = None;
    for (i, v) in logprobs.iter().enumerate() {
        let w = weight(*v);
        if w > 0.0 {
            last = Some(Token(i as u32));
            left -= w;
            if left < 0.0 {
                break;
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words 0 to 9, end 10, control tokens 11 to 14, times from 15 on.
    fn rules() -> Rules {
        Rules {
            suppressed: vec![Token(3), Token(11)],
            suppressed_first: vec![Token(2), Token(10)],
            latest_first: Some(2),
            end: 10,
            first_time: 15,
        }
    }

    fn allowed(drawn: &[u32]) -> Vec<u32> {
        // A word and the end are likelier than all times together, so that they do not decide.
        let mut logits = vec![0.0; 25];
        (logits[5], logits[10]) = (9.0, 9.0);
        rules().apply(Token::from_ids(drawn), &mut logits);
        (0..25).filter(|i| logits[*i as usize] > OUT).collect()
    }

    #[test]
    fn times_come_in_pairs_and_grow() {
        assert_eq!(allowed(&[]), [15, 16, 17]);
        // After the first time text, after a text anything, after its end a time no earlier, or the end.
        assert_eq!(allowed(&[15]), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]);
        let after_text = allowed(&[15, 1]);
        assert!(after_text.contains(&5) && !after_text.contains(&15) && after_text.contains(&16));
        assert_eq!(allowed(&[15, 1, 18]), (10..15).filter(|t| *t != 11).chain(18..25).collect::<Vec<_>>());
        assert!(allowed(&[15, 1, 18, 18]).iter().all(|t| *t < 15));
        assert_eq!(allowed(&[15, 1, 18, 18, 4]).iter().copied().find(|t| *t >= 15), Some(19));
    }

    #[test]
    fn times_that_are_likelier_together_than_any_word_come() {
        let mut logits = vec![-20.0; 25];
        logits[5] = 1.0;
        logits[16..25].fill(0.0);
        rules().apply(Token::from_ids(&[15, 1]), &mut logits);
        assert!(logits[..15].iter().all(|v| *v == OUT));
        let sum: f64 = logits.iter().map(|v| f64::from(*v).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-5);
    }

    #[test]
    fn sums_are_those_of_more_exact_numbers() {
        for i in 0..=870_000u32 {
            let x = -(i as f32) * 1e-4;
            let want = f64::from(x).exp();
            assert!((f64::from(exp_below(x)) - want).abs() <= want * 2.0 * f64::from(f32::EPSILON), "{x}");
        }
        for n in [1usize, 15, 16, 17, 1024, 1500, 51_864] {
            let values: Vec<f32> =
                (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as f32 / 99.0 - 30.0).collect();
            let sum: f64 = values.iter().map(|v| f64::from(*v).exp()).sum();
            assert!((f64::from(log_sum(&values)) - sum.ln()).abs() < 4e-6, "{n}");
            assert_eq!(largest(&values), values.iter().copied().fold(OUT, f32::max));
        }
        assert_eq!((log_sum(&[]), log_sum(&[OUT; 40]), largest(&[f32::NAN, 2.0, OUT])), (OUT, OUT, 2.0));
        // One that is out adds nothing that counts.
        assert_eq!(log_sum(&[0.0, OUT]), 0.0);
    }

    #[test]
    fn draws_follow_their_likelihood() {
        let logprobs = [0.5f32.ln(), 0.25f32.ln(), 0.25f32.ln(), OUT];
        let at = |u| draw(&logprobs, 1.0, u).unwrap().0;
        assert_eq!([at(0.0), at(0.49), at(0.51), at(0.74), at(0.76), at(0.999_999)], [0, 0, 1, 1, 2, 2]);
        assert_eq!(likeliest(&logprobs), Some(Token(0)));
        assert_eq!(
            (likeliest(&[f32::NAN, 0.0]), likeliest(&[OUT]), draw(&[OUT], 1.0, 0.5)),
            (None, None, None)
        );
    }
}
