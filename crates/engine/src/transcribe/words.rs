//! When words are said. In some heads the decoder's cross attention follows the audio: a path through their weights, from the first token and
//! position to the last, says where each token was heard. Steps and constants are those of the authors' program (Radford et al., 2022), which
//! also tells words apart as here.

use super::Segment;
use akunu_kernels::step::Token;
use akunu_model::tokenizer::Tokenizer;

/// A word and when it is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The word with the marks around it, as a rule with a space before it; those of a segment joined are its text.
    pub text: String,
    /// Where it begins, in seconds.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    /// How sure the model was: the mean of the probabilities of its tokens as they were drawn, by what the rules of a transcript left, whatever
    /// the temperature. Marks around the word do not count.
    pub probability: f32,
}

/// A word on its way to its times.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spoken {
    text: String,
    /// How many tokens it is made of.
    tokens: usize,
    /// Seconds from the window's beginning.
    start: f64,
    end: f64,
    /// Mean of its tokens'.
    probability: f32,
}

/// How long words take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    /// Of most, in seconds.
    median: f64,
    /// Longer words were not said for all of their time.
    most: f64,
}

/// Seconds from one position of the encoder to the next.
const STEP: f64 = 0.02;
/// Positions whose median takes the place of the middle one.
const SMOOTHED: usize = 7;
/// Characters that are words by themselves.
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
/// Marks that belong to the word after them.
const BEFORE: &str = "\"'“¿([{-";
/// Marks that belong to the word before them.
const AFTER: &str = "\"'.。,，!！?？:：”)]}、";
/// Marks that end a sentence: the audio may pause there.
const ENDS: &str = ".。!！?？";
/// Languages that have no spaces between words.
const WITHOUT_SPACES: [&str; 6] = ["zh", "ja", "th", "lo", "my", "yue"];
/// A word takes no longer than this as a rule, however slowly somebody speaks.
const SLOWEST: f64 = 0.7;

/// The words of tokens. Without spaces between words every character is one.
pub(super) fn split(t: &Tokenizer, tokens: &[Token], language: &str) -> Vec<Spoken> {
    let spaced = !WITHOUT_SPACES.contains(&language);
    let mut words: Vec<Spoken> = Vec::new();
    let (mut bytes, mut from) = (Vec::new(), 0);
    for (i, token) in tokens.iter().enumerate() {
        bytes.extend_from_slice(t.token_bytes(*token));
        // A character may have several tokens.
        let complete = std::str::from_utf8(&bytes).map_or_else(|e| e.error_len().is_some(), |_| true);
        if !complete && i + 1 < tokens.len() {
            continue;
        }
        let (text, count) = (t.decode(&tokens[from..=i]), i + 1 - from);
        // (What is no whole character has no text.)
        let begins =
            !text.is_empty() && (!spaced || text.starts_with(' ') || PUNCTUATION.contains(text.trim()));
        match words.last_mut().filter(|_| !begins) {
            Some(word) => {
                word.text.push_str(&text);
                word.tokens += count;
            }
            None => words.push(Spoken { text, tokens: count, start: 0.0, end: 0.0, probability: 0.0 }),
        }
        bytes.clear();
        from = i + 1;
    }
    words
}

/// Gives words their probabilities by the log-probabilities of all their tokens.
pub(super) fn weigh(words: &mut [Spoken], logprobs: &[f32]) {
    let mut rest = logprobs;
    for w in words {
        let (own, later) = rest.split_at(w.tokens.min(rest.len()));
        let sum: f64 = own.iter().map(|l| f64::from(*l).exp()).sum();
        w.probability = (sum / own.len().max(1) as f64) as f32;
        rest = later;
    }
}

/// The shape of scores: `[heads, rows, positions]`, of which the first `columns` positions are audio.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) heads: usize,
    pub(super) rows: usize,
    pub(super) positions: usize,
    pub(super) columns: usize,
}

/// How much more each token looks at each position than the other tokens do, `[rows, columns]`: the mean over the heads of their weights,
/// normalised at each position and smoothed in time.
pub(super) fn attended(scores: &[f32], s: Shape) -> Vec<f32> {
    let mut mean = vec![0f32; s.rows * s.columns];
    for head in scores.chunks_exact(s.rows * s.positions).take(s.heads) {
        let mut weights = Vec::with_capacity(s.rows * s.columns);
        for row in head.chunks_exact(s.positions) {
            let row = &row[..s.columns];
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let from = weights.len();
            weights.extend(row.iter().map(|v| (v - most).exp()));
            let sum: f32 = weights[from..].iter().sum();
            weights[from..].iter_mut().for_each(|w| *w /= sum);
        }
        for column in 0..s.columns {
            let all = || (0..s.rows).map(|r| f64::from(weights[r * s.columns + column]));
            let middle = all().sum::<f64>() / s.rows as f64;
            let spread = (all().map(|w| (w - middle).powi(2)).sum::<f64>() / s.rows as f64).sqrt();
            // (Where all tokens look alike at a position, it says nothing.)
            let factor = if spread > 0.0 { 1.0 / spread } else { 0.0 };
            for w in weights.iter_mut().skip(column).step_by(s.columns) {
                *w = ((f64::from(*w) - middle) * factor) as f32;
            }
        }
        for (row, sum) in weights.chunks_exact(s.columns).zip(mean.chunks_exact_mut(s.columns)) {
            for (i, sum) in sum.iter_mut().enumerate() {
                *sum += smoothed(row, i) / s.heads as f32;
            }
        }
    }
    mean
}

/// The median of the values around one; beyond the ends they are mirrored.
fn smoothed(row: &[f32], i: usize) -> f32 {
    let reach = SMOOTHED / 2;
    if row.len() <= reach {
        return row[i];
    }
    let mut window = [0f32; SMOOTHED];
    for (k, to) in window.iter_mut().enumerate() {
        let at = (i + k).abs_diff(reach);
        *to = row[if at < row.len() { at } else { 2 * (row.len() - 1) - at }];
    }
    window.sort_unstable_by(f32::total_cmp);
    window[reach]
}

/// The first column of each row on the path from the first corner to the last whose values have the largest sum. It goes on by a row, a column
/// or both (dynamic time warping; Sakoe and Chiba, "Dynamic programming algorithm optimization for spoken word recognition", 1978).
pub(super) fn path(values: &[f32], columns: usize) -> Vec<usize> {
    const BOTH: u8 = 0;
    const ROW: u8 = 1;
    const COLUMN: u8 = 2;
    let rows = values.len() / columns.max(1);
    let mut from = vec![BOTH; rows * columns];
    // Costs of the row before and of this one, with a column before the first.
    let mut before = vec![f64::INFINITY; columns + 1];
    before[0] = 0.0;
    for (r, row) in values.chunks_exact(columns.max(1)).enumerate() {
        let mut costs = vec![f64::INFINITY; columns + 1];
        for (c, value) in row.iter().enumerate() {
            let (both, row, column) = (before[c], before[c + 1], costs[c]);
            let (least, step) = if both < row && both < column {
                (both, BOTH)
            } else if row < both && row < column {
                (row, ROW)
            } else {
                (column, COLUMN)
            };
            costs[c + 1] = least - f64::from(*value);
            from[r * columns + c] = step;
        }
        before = costs;
    }
    let mut first = vec![0; rows];
    let (mut r, mut c) = (rows.saturating_sub(1), columns.saturating_sub(1));
    while r < rows && columns > 0 {
        first[r] = c;
        // Along the edges there is one way.
        match (r, c, from[r * columns + c]) {
            (0, 0, _) => break,
            (0, _, _) => c -= 1,
            (_, 0, _) | (_, _, ROW) => r -= 1,
            (_, _, COLUMN) => c -= 1,
            _ => (r, c) = (r - 1, c - 1),
        }
    }
    first
}

/// Gives words their times by the first column of each of their tokens and of the end after them.
pub(super) fn time(words: &mut [Spoken], first: &[usize]) -> Pace {
    let at = |token: usize| first.get(token).or(first.last()).map_or(0.0, |c| *c as f64 * STEP);
    let mut token = 0;
    for w in &mut *words {
        (w.start, w.end) = (at(token), at(token + w.tokens));
        token += w.tokens;
    }
    let mut lengths: Vec<f64> = words.iter().map(|w| w.end - w.start).filter(|l| *l > 0.0).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    let n = lengths.len();
    let median = if n == 0 { 0.0 } else { (lengths[(n - 1) / 2] + lengths[n / 2]) / 2.0 };
    let median = median.min(SLOWEST);
    let pace = Pace { median, most: 2.0 * median };
    if n > 0 {
        shorten(words, pace);
    }
    pace
}

/// A pause between sentences belongs to no word.
fn shorten(words: &mut [Spoken], pace: Pace) {
    let ends = |w: &Spoken| !w.text.is_empty() && ENDS.contains(w.text.as_str());
    for i in 1..words.len() {
        if words[i].end - words[i].start <= pace.most {
            continue;
        }
        if ends(&words[i]) {
            words[i].end = words[i].start + pace.most;
        } else if ends(&words[i - 1]) {
            words[i].start = words[i].end - pace.most;
        }
    }
}

fn join_marks(words: &mut Vec<Spoken>) {
    let mut to = words.len().saturating_sub(1);
    for i in (0..to).rev() {
        if words[i].text.starts_with(' ') && BEFORE.contains(words[i].text.trim()) {
            let text = std::mem::take(&mut words[i].text);
            words[to].text.insert_str(0, &text);
            words[to].tokens += std::mem::take(&mut words[i].tokens);
        } else {
            to = i;
        }
    }
    let mut to = 0;
    for i in 1..words.len() {
        if !words[to].text.ends_with(' ') && AFTER.contains(words[i].text.as_str()) {
            let text = std::mem::take(&mut words[i].text);
            words[to].text.push_str(&text);
            words[to].tokens += std::mem::take(&mut words[i].tokens);
        } else {
            to = i;
        }
    }
    words.retain(|w| w.tokens > 0);
}

/// Gives the segments of a window their words, with the marks around them, so many in each segment. A segment then begins and ends with them.
/// `silent_since` is where the last word before ended; `offset` where the window begins.
pub(super) fn give(
    segments: &mut [Segment],
    counts: &[usize],
    words: Vec<Spoken>,
    pace: Pace,
    offset: f64,
    silent_since: &mut f64,
) {
    let mut words = words.into_iter();
    for (segment, count) in segments.iter_mut().zip(counts) {
        let mut own: Vec<Spoken> = words.by_ref().take(*count).collect();
        join_marks(&mut own);
        let given = own.into_iter().filter(|w| !w.text.is_empty());
        let mut given: Vec<Word> = given
            .map(|w| Word {
                text: w.text,
                start: offset + w.start,
                end: offset + w.end,
                probability: w.probability,
            })
            .collect();
        settle(segment, &mut given, pace, *silent_since);
        if let (Some(first), Some(last)) = (given.first(), given.last()) {
            (segment.start, segment.end) = (first.start, last.end);
            *silent_since = segment.end;
        }
        segment.words = given;
    }
}

/// The path stretches the words beside a pause over it. So the first ones after a long pause are no longer than twice the usual, and where
/// the first or the last reaches far beyond the segment's own times, those count.
fn settle(segment: &Segment, words: &mut [Word], pace: Pace, silent_since: f64) {
    let Some(first) = words.first().cloned() else { return };
    let second = words.get(1).cloned();
    let long = first.end - first.start > pace.most
        || second.as_ref().is_some_and(|s| s.end - first.start > 2.0 * pace.most);
    if first.end - silent_since > 4.0 * pace.median && long {
        if let Some(s) = second.filter(|s| s.end - s.start > pace.most) {
            let border = (s.end / 2.0).max(s.end - pace.most);
            (words[0].end, words[1].start) = (border, border);
        }
        words[0].start = (words[0].end - pace.most).max(0.0);
    }
    if segment.start < words[0].end && segment.start - 0.5 > words[0].start {
        words[0].start = (words[0].end - pace.median).min(segment.start).max(0.0);
    }
    if let Some(last) = words.last_mut()
        && segment.end > last.start
        && segment.end + 0.5 < last.end
    {
        last.end = (last.start + pace.median).max(segment.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(words: &[(&str, usize)]) -> Vec<Spoken> {
        let word = |(t, n): &(&str, usize)| Spoken {
            text: (*t).into(),
            tokens: *n,
            start: 0.0,
            end: 0.0,
            probability: 0.0,
        };
        words.iter().map(word).collect()
    }

    fn texts(words: &[Spoken]) -> Vec<(&str, usize)> {
        words.iter().map(|w| (w.text.as_str(), w.tokens)).collect()
    }

    #[test]
    fn the_path_follows_the_largest_values() {
        // A ridge: row 0 in columns 0 and 1, row 1 in column 2, row 2 in 3 to 5.
        let mut values = [-1f32; 18];
        for i in [0, 1, 8, 15, 16, 17] {
            values[i] = 1.0;
        }
        assert_eq!(path(&values, 6), [0, 2, 3]);
        // All rows are passed, also where there are more rows than columns, or one column.
        assert_eq!(path(&[0.0, 1.0, 1.0, 0.0, 0.0, 1.0], 2).len(), 3);
        assert_eq!(path(&[1.0, 2.0, 3.0], 1), [0, 0, 0]);
        assert_eq!(path(&[1.0, 2.0, 3.0], 3), [0]);
        assert!(path(&[], 3).is_empty() && path(&[], 0).is_empty());
    }

    /// Against every path of small matrices.
    #[test]
    fn no_path_has_a_larger_sum() {
        fn most(values: &[f32], columns: usize, r: usize, c: usize) -> f32 {
            let rest = [(1, 0), (0, 1), (1, 1)].into_iter().filter_map(|(dr, dc)| {
                let (r, c) = (r + dr, c + dc);
                (r < values.len() / columns && c < columns).then(|| most(values, columns, r, c))
            });
            let rest = rest.fold(f32::NEG_INFINITY, f32::max);
            values[r * columns + c] + if rest.is_finite() { rest } else { 0.0 }
        }
        let mut word = 7u32;
        for (rows, columns) in [(3, 5), (4, 4), (5, 2), (2, 6)] {
            // Negative, so that a path with more steps is no better by that.
            let values: Vec<f32> = (0..rows * columns)
                .map(|_| {
                    word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    -1.0 - (word >> 8) as f32 / (1 << 24) as f32
                })
                .collect();
            let first = path(&values, columns);
            let end = |r: usize| first.get(r + 1).copied().unwrap_or(columns);
            // A row may begin in the column in which the row before ends.
            let mut best = f32::NEG_INFINITY;
            for shared in 0..1 << (rows - 1) {
                let sum = (0..rows).map(|r| {
                    let until = end(r) + usize::from(r + 1 < rows && shared >> r & 1 == 1);
                    values[r * columns + first[r]..r * columns + until.max(first[r] + 1).min(columns)]
                        .iter()
                        .sum::<f32>()
                });
                best = best.max(sum.sum());
            }
            assert!(best >= most(&values, columns, 0, 0) - 1e-4, "{first:?} of {values:?}");
            assert!(first[0] == 0 && first.is_sorted());
        }
    }

    #[test]
    fn weights_are_normalised_and_smoothed() {
        let row = [0.0, 9.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 5.0];
        // One value alone goes; the ends are mirrored without the last value itself.
        let all: Vec<f32> = (0..row.len()).map(|i| smoothed(&row, i)).collect();
        assert_eq!(all, [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(smoothed(&[3.0, 1.0], 1), 1.0);
        // Two tokens of one head: each position's weights are above and below their mean by as much.
        let s = Shape { heads: 1, rows: 2, positions: 3, columns: 2 };
        let got = attended(&[2.0, 0.0, 9.0, 0.0, 2.0, 9.0], s);
        let want = [1.0, -1.0, -1.0, 1.0];
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-5), "{got:?}");
    }

    #[test]
    fn marks_join_their_words() {
        let mut words = spoken(&[
            (" He", 1),
            (" \"", 1),
            ("said", 2),
            (",", 1),
            (" (", 1),
            ("no", 1),
            (")", 1),
            (".", 1),
        ]);
        join_marks(&mut words);
        assert_eq!(texts(&words), [(" He", 1), (" \"said,", 4), (" (no).", 4)]);
        for few in [vec![], spoken(&[(".", 1)])] {
            let mut words = few.clone();
            join_marks(&mut words);
            assert_eq!(words, few);
        }
    }

    /// The mean of a word's tokens; marks that join it change nothing.
    #[test]
    fn words_are_as_likely_as_their_tokens() {
        let mut words = spoken(&[(" He", 1), (" \"", 1), ("said", 2), (",", 1)]);
        let logprobs = [1.0f32, 0.5, 0.25, 0.75, 0.125].map(f32::ln);
        weigh(&mut words, &logprobs);
        let of = |words: &[Spoken]| words.iter().map(|w| w.probability).collect::<Vec<_>>();
        let near = |got: Vec<f32>, want: &[f32]| {
            assert!(
                got.len() == want.len() && got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6),
                "{got:?}"
            );
        };
        near(of(&words), &[1.0, 0.5, 0.5, 0.125]);
        words[2].probability = 0.7;
        join_marks(&mut words);
        near(of(&words), &[1.0, 0.7]);
        // What is never drawn counts as nothing.
        weigh(&mut words, &[f32::NEG_INFINITY]);
        near(of(&words), &[0.0, 0.0]);
    }

    #[test]
    fn a_pause_between_sentences_belongs_to_no_word() {
        // 0.2 s each, and then a mark of 3 s.
        let mut words = spoken(&[(" a", 1), (" b", 1), (".", 1), (" c", 2)]);
        let pace = time(&mut words, &[0, 10, 20, 170, 175, 180]);
        let ms = |s: f64| (s * 1000.0).round() as u32;
        assert_eq!((ms(pace.median), ms(pace.most)), (200, 400));
        let times: Vec<_> = words.iter().map(|w| (w.text.as_str(), ms(w.start), ms(w.end))).collect();
        assert_eq!(times, [(" a", 0, 200), (" b", 200, 400), (".", 400, 800), (" c", 3400, 3600)]);
    }

    fn segment(start: f64, end: f64) -> Segment {
        Segment {
            start,
            end,
            text: String::new(),
            tokens: Vec::new(),
            temperature: 0.0,
            avg_logprob: 0.0,
            compression_ratio: 1.0,
            no_speech_prob: 0.0,
            words: Vec::new(),
        }
    }

    #[test]
    fn segments_begin_and_end_with_their_words() {
        let mut words = spoken(&[(" a", 1), (" b", 2), (" c", 1)]);
        for (w, (start, end)) in words.iter_mut().zip([(0.0, 0.2), (0.2, 0.4), (5.0, 5.2)]) {
            (w.start, w.end) = (start, end);
        }
        let mut segments = [segment(9.9, 11.0), segment(14.0, 15.5)];
        let (pace, mut since) = (Pace { median: 0.2, most: 0.4 }, 10.0);
        give(&mut segments, &[2, 1], words, pace, 10.0, &mut since);
        let counts: Vec<_> = segments.iter().map(|s| (s.words.len(), s.start, s.end)).collect();
        assert_eq!(counts, [(2, 10.0, 10.4), (1, 15.0, 15.2)]);
        assert_eq!(since, 15.2);
    }

    #[test]
    fn words_beside_a_pause_are_no_longer_than_is_likely() {
        let word = |start, end| Word { text: " a".into(), start, end, probability: 1.0 };
        let pace = Pace { median: 0.2, most: 0.4 };
        // 3 s of silence belong to the first two words.
        let mut words = [word(1.0, 4.0), word(4.0, 5.0), word(5.0, 5.2)];
        settle(&segment(4.5, 5.2), &mut words, pace, 0.0);
        assert!((words[0].end - 4.6).abs() < 1e-9 && (words[0].start - 4.2).abs() < 1e-9);
        assert_eq!(words[0].end, words[1].start);
        // The segment's own times count where a word reaches far beyond them.
        let mut words = [word(1.0, 1.3), word(1.3, 9.0)];
        settle(&segment(1.0, 2.0), &mut words, pace, 0.9);
        assert_eq!((words[0].start, words[1].end), (1.0, 2.0));
        let mut none: [Word; 0] = [];
        settle(&segment(0.0, 1.0), &mut none, pace, 0.0);
    }
}
