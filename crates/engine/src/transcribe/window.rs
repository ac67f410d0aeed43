//! One window, decoded at one temperature, and how well it went.

use super::TranscribeOptions;
use super::compression;
use super::control::ControlTokens;
use super::listener::{Listener, Rows};
use super::rules::{Rules, draw, likeliest, probability};
use crate::Error;
use akunu_kernels::step::Token;
use akunu_model::tokenizer::Tokenizer;

/// What a window gave.
#[derive(Clone, Debug)]
pub(super) struct Decoded {
    /// Without the end.
    pub(super) tokens: Vec<Token>,
    /// Log-probability of each of them.
    pub(super) logprobs: Vec<f32>,
    pub(super) temperature: f32,
    pub(super) avg_logprob: f32,
    pub(super) compression_ratio: f32,
    pub(super) no_speech_prob: f32,
}

impl Decoded {
    /// Whether a higher temperature should be tried.
    pub(super) fn went_wrong(&self, o: &TranscribeOptions) -> bool {
        let repeats = o.compression_ratio.is_some_and(|most| self.compression_ratio > most);
        let unlikely = o.log_probability.is_some_and(|least| self.avg_logprob < least);
        let silent = o.no_speech.is_some_and(|most| self.no_speech_prob > most);
        // An unlikely text of a silent window is as it should be.
        (repeats || unlikely) && !(silent && unlikely)
    }

    /// Whether nobody speaks: the model says so, and no likely text says otherwise.
    pub(super) fn is_silent(&self, o: &TranscribeOptions) -> bool {
        let silent = o.no_speech.is_some_and(|most| self.no_speech_prob > most);
        silent && o.log_probability.is_none_or(|least| self.avg_logprob <= least)
    }
}

/// Of texts that all went wrong the likeliest, of those that do not repeat themselves where there are any. It counts as drawn at the
/// last temperature, so that it does not lead the next window astray.
pub(super) fn least_wrong(tried: Vec<Decoded>, o: &TranscribeOptions) -> Decoded {
    let last = tried.last().map_or(0.0, |d| d.temperature);
    let repeats = |d: &Decoded| o.compression_ratio.is_some_and(|most| d.compression_ratio > most);
    let any = tried.iter().any(|d| !repeats(d));
    let best = tried
        .into_iter()
        .filter(|d| !any || !repeats(d))
        .max_by(|a, b| a.avg_logprob.total_cmp(&b.avg_logprob))
        .map(|d| Decoded { temperature: last, ..d });
    best.unwrap_or(Decoded {
        tokens: Vec::new(),
        logprobs: Vec::new(),
        temperature: last,
        avg_logprob: f32::NEG_INFINITY,
        compression_ratio: 1.0,
        no_speech_prob: 0.0,
    })
}

/// A text as it is drawn, by what the rules leave.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawn {
    /// Without the end.
    pub(super) tokens: Vec<Token>,
    /// Log-probability of each of them.
    pub(super) logprobs: Vec<f32>,
    /// Of all, the end's among them.
    pub(super) sum: f64,
}

impl Drawn {
    /// The same with one token more.
    pub(super) fn push(&mut self, token: Token, logprob: f32) {
        self.tokens.push(token);
        self.logprobs.push(logprob);
        self.sum += f64::from(logprob);
    }
}

/// One text on its way.
#[derive(Default)]
struct Candidate {
    drawn: Drawn,
    /// Of the draws: the logits of what comes next lie in this row of the last step.
    row: usize,
    ended: bool,
}

impl Candidate {
    /// One that begins with the logits of a row.
    fn new(row: usize) -> Self {
        Self { row, ..Self::default() }
    }
}

/// What decodes windows that were encoded.
pub(super) struct Decoder<'a> {
    pub(super) listener: &'a mut Listener,
    pub(super) rules: &'a Rules,
    pub(super) control: &'a ControlTokens,
    pub(super) tokenizer: &'a Tokenizer,
}

impl Decoder<'_> {
    /// What a window gives when it goes well, or the least wrong of all temperatures. `first` is what the first one gave, where it was tried.
    pub(super) fn until_well(
        &mut self,
        source: u32,
        prompt: &[Token],
        first: Option<Decoded>,
        o: &TranscribeOptions,
    ) -> Result<Decoded, Error> {
        let mut tried: Vec<Decoded> = Vec::new();
        if let Some(decoded) = first {
            if !decoded.went_wrong(o) {
                return Ok(decoded);
            }
            tried.push(decoded);
        }
        self.listener.turn_to(source)?;
        for temperature in o.temperatures.iter().skip(tried.len()) {
            let decoded = match (*temperature == 0.0, o.beams) {
                (false, _) => self.decode(prompt, *temperature, o.best_of, o.seed),
                (true, 1) => self.decode(prompt, 0.0, 1, 0),
                (true, beams) => self.search(prompt, beams),
            }?;
            if !decoded.went_wrong(o) {
                return Ok(decoded);
            }
            tried.push(decoded);
        }
        Ok(least_wrong(tried, o))
    }

    /// The likeliest next token, again and again, for several windows beside each other: each window's source and prompt.
    pub(super) fn greedy(&mut self, windows: &[(u32, &[Token])]) -> Result<Vec<Decoded>, Error> {
        self.listener.turn(&windows.iter().map(|w| w.0).collect::<Vec<_>>())?;
        let start = |p: &[Token]| p.iter().rposition(|t| *t == self.control.start).unwrap_or(0) + 1;
        let texts = || windows.iter().zip(0u32..).map(|((_, p), i)| (i, *p, start(p)));
        let mut logits = Vec::new();
        let begins: Vec<Rows<'_>> = texts().map(|(i, p, start)| (i, 0, &p[..start])).collect();
        self.listener.all(&begins, &mut logits)?;
        let vocab = logits.len() / windows.len().max(1);
        let silence = |row: &[f32]| self.control.no_speech.map_or(0.0, |t| probability(row, t));
        let no_speech: Vec<f32> = logits.chunks_exact(vocab.max(1)).map(silence).collect();
        let rests: Vec<Rows<'_>> = texts()
            .filter(|(_, p, start)| *start < p.len())
            .map(|(i, p, start)| (i, start as u32, &p[start..]))
            .collect();
        let mut rest = Vec::new();
        self.listener.all(&rests, &mut rest)?;
        for ((i, ..), row) in rests.iter().zip(rest.chunks_exact(vocab.max(1))) {
            logits[*i as usize * vocab..][..vocab].copy_from_slice(row);
        }
        let mut random = Random(0);
        let mut all: Vec<Candidate> = (0..windows.len()).map(Candidate::new).collect();
        loop {
            let mut next: Vec<(u32, u32, Token)> = Vec::new();
            for (i, ((_, prompt), c)) in
                windows.iter().zip(&mut all).enumerate().filter(|(_, (_, c))| !c.ended)
            {
                let position = (prompt.len() + c.drawn.tokens.len()) as u32;
                self.next(c, &mut logits[c.row * vocab..][..vocab], 0.0, &mut random, position)?;
                // Who has no room for another token ends without an end.
                c.ended |= c.drawn.tokens.len() == self.most(prompt);
                if let (false, Some(token)) = (c.ended, c.drawn.tokens.last()) {
                    c.row = next.len();
                    next.push((i as u32, position, *token));
                }
            }
            if next.is_empty() {
                break;
            }
            let rows: Vec<Rows<'_>> =
                next.iter().map(|(i, at, t)| (*i, *at, std::slice::from_ref(t))).collect();
            logits.clear();
            self.listener.all(&rows, &mut logits)?;
        }
        Ok(all.into_iter().zip(no_speech).map(|(c, silent)| self.best(vec![c], 0.0, silent)).collect())
    }

    /// `best_of` texts at a temperature, of which the likeliest counts.
    pub(super) fn decode(
        &mut self,
        prompt: &[Token],
        temperature: f32,
        best_of: u32,
        seed: u64,
    ) -> Result<Decoded, Error> {
        let (mut no_speech_prob, mut logits) = (0.0, Vec::new());
        for i in 0..best_of {
            no_speech_prob = self.begin(i, prompt, &mut logits)?;
        }
        let mut random = Random(seed ^ u64::from(temperature.to_bits()) << 32);
        let mut all: Vec<Candidate> = (0..best_of as usize).map(Candidate::new).collect();
        let most = self.most(prompt);
        let vocab = logits.len() / all.len().max(1);
        for n in 0..most {
            for c in all.iter_mut().filter(|c| !c.ended) {
                let position = (prompt.len() + n) as u32;
                self.next(c, &mut logits[c.row * vocab..][..vocab], temperature, &mut random, position)?;
            }
            let rows: Vec<(u32, Token)> = (all.iter().zip(0..))
                .filter(|(c, _)| !c.ended)
                .filter_map(|(c, i)| Some((i, *c.drawn.tokens.last()?)))
                .collect();
            if rows.is_empty() || n + 1 == most {
                break;
            }
            let next = self.listener.step((prompt.len() + n) as u32, &rows)?;
            logits.clear();
            logits.extend_from_slice(next);
            (all.iter_mut().filter(|c| !c.ended)).zip(0..).for_each(|(c, row)| c.row = row);
        }
        Ok(self.best(all, temperature, no_speech_prob))
    }

    /// Runs a prompt as text `i` and appends the logits of what comes after it; the probability of silence, which stands where the
    /// transcript starts.
    pub(super) fn begin(&mut self, i: u32, prompt: &[Token], logits: &mut Vec<f32>) -> Result<f32, Error> {
        let start = prompt.iter().rposition(|t| *t == self.control.start).unwrap_or(0);
        let at_start = self.listener.prompt(i, &prompt[..=start])?;
        let no_speech_prob = self.control.no_speech.map_or(0.0, |t| probability(at_start, t));
        let rest = &prompt[start + 1..];
        let last =
            if rest.is_empty() { at_start } else { self.listener.go_on(i, (start + 1) as u32, rest)? };
        logits.extend_from_slice(last);
        Ok(no_speech_prob)
    }

    /// The most tokens of a text after this prompt.
    pub(super) fn most(&self, prompt: &[Token]) -> usize {
        let context = self.listener.context();
        (context / 2).min(context.saturating_sub(prompt.len() as u32)) as usize
    }

    /// The next token of a candidate.
    fn next(
        &self,
        c: &mut Candidate,
        logits: &mut [f32],
        temperature: f32,
        random: &mut Random,
        position: u32,
    ) -> Result<(), Error> {
        self.rules.apply(&c.drawn.tokens, logits);
        let token =
            if temperature == 0.0 { likeliest(logits) } else { draw(logits, temperature, random.unit()) };
        let Some(token) = token else { return Err(Error::NotFinite { position }) };
        let logprob = logits[token.index()];
        if token == self.control.end {
            c.drawn.sum += f64::from(logprob);
            c.ended = true;
        } else {
            c.drawn.push(token, logprob);
        }
        Ok(())
    }

    fn best(&self, all: Vec<Candidate>, temperature: f32, no_speech_prob: f32) -> Decoded {
        self.likeliest(all.into_iter().map(|c| c.drawn), temperature, no_speech_prob)
    }

    /// Of texts the one that is likeliest for its length.
    pub(super) fn likeliest(
        &self,
        all: impl Iterator<Item = Drawn>,
        temperature: f32,
        no_speech_prob: f32,
    ) -> Decoded {
        // (The end counts as a token.)
        let mean = |c: &Drawn| (c.sum / (c.tokens.len() + 1) as f64) as f32;
        let best = all.max_by(|a, b| mean(a).total_cmp(&mean(b)));
        let avg_logprob = best.as_ref().map_or(f32::NEG_INFINITY, mean);
        let Drawn { tokens, logprobs, .. } = best.unwrap_or_default();
        let text = self.control.text(self.tokenizer, &tokens);
        let compression_ratio = compression::ratio(text.trim());
        Decoded { tokens, logprobs, temperature, avg_logprob, compression_ratio, no_speech_prob }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    /// Uniform in 0..1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(avg_logprob: f32, compression_ratio: f32, no_speech_prob: f32) -> Decoded {
        let (tokens, logprobs) = (Vec::new(), Vec::new());
        Decoded { tokens, logprobs, temperature: 1.0, avg_logprob, compression_ratio, no_speech_prob }
    }

    #[test]
    fn a_window_goes_wrong_by_its_thresholds() {
        let o = TranscribeOptions::default();
        assert!(!decoded(-0.5, 1.2, 0.1).went_wrong(&o));
        assert!(decoded(-1.5, 1.2, 0.1).went_wrong(&o) && decoded(-0.5, 3.0, 0.1).went_wrong(&o));
        assert!(!decoded(-1.5, 1.2, 0.9).went_wrong(&o), "silence");
        assert!(decoded(-1.5, 1.2, 0.9).is_silent(&o) && !decoded(-0.5, 1.2, 0.9).is_silent(&o));
        let none = TranscribeOptions { compression_ratio: None, log_probability: None, no_speech: None, ..o };
        assert!(!decoded(-9.0, 9.0, 0.9).went_wrong(&none) && !decoded(-9.0, 9.0, 1.0).is_silent(&none));
    }

    #[test]
    fn of_what_went_wrong_the_likeliest_counts() {
        let o = TranscribeOptions::default();
        let best =
            least_wrong(vec![decoded(-1.2, 5.0, 0.0), decoded(-2.0, 1.0, 0.0), decoded(-3.0, 1.0, 0.0)], &o);
        assert_eq!(best.avg_logprob, -2.0);
        assert_eq!(least_wrong(vec![decoded(-2.0, 5.0, 0.0), decoded(-1.0, 5.0, 0.0)], &o).avg_logprob, -1.0);
    }
}
