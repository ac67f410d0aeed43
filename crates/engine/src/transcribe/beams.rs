//! Beam search: the likeliest few texts are followed beside each other, and one whose beginning was unlikely may still win.

use super::window::{Decoded, Decoder, Drawn};
use crate::Error;
use akunu_kernels::step::Token;

/// A text that is followed.
#[derive(Clone)]
struct Beam {
    /// The sequence whose cache has its tokens.
    sequence: u32,
    drawn: Drawn,
}

/// A beam with one token more.
#[derive(Clone, Copy)]
struct Step {
    /// Its number among the beams.
    beam: usize,
    token: Token,
    logprob: f32,
    /// Of the log-probabilities of the beam with it.
    sum: f64,
}

impl Decoder<'_> {
    /// The likeliest text for its length among those that so many beams end in.
    pub(super) fn search(&mut self, prompt: &[Token], width: u32) -> Result<Decoded, Error> {
        let width = width as usize;
        let mut logits = Vec::new();
        let no_speech_prob = self.begin(0, prompt, &mut logits)?;
        let mut beams = vec![Beam { sequence: 0, drawn: Drawn::default() }];
        let mut ended: Vec<Drawn> = Vec::new();
        let most = self.most(prompt);
        for n in 0..most {
            let position = (prompt.len() + n) as u32;
            let steps = self.steps(&beams, &mut logits, width, position)?;
            let mut next: Vec<Step> = Vec::new();
            for step in steps {
                if step.token == self.control.end {
                    if ended.len() < width {
                        ended.push(Drawn { sum: step.sum, ..beams[step.beam].drawn.clone() });
                    }
                } else {
                    next.push(step);
                }
                // What is less likely than all beams that go on does not count, an end neither.
                if next.len() == width {
                    break;
                }
            }
            if ended.len() >= width || next.is_empty() {
                break;
            }
            beams = self.follow(&beams, &next, position, width)?;
            if n + 1 == most {
                break;
            }
            let rows: Vec<(u32, Token)> =
                beams.iter().filter_map(|b| Some((b.sequence, *b.drawn.tokens.last()?))).collect();
            let rows = self.listener.step(position, &rows)?;
            logits.clear();
            logits.extend_from_slice(rows);
        }
        // Where too few have ended, those on their way count too.
        if ended.len() < width {
            ended.extend(beams.into_iter().map(|b| b.drawn).filter(|d| !d.tokens.is_empty()));
        }
        Ok(self.likeliest(ended.into_iter(), 0.0, no_speech_prob))
    }

    /// The likeliest tokens after each beam, all together, the likeliest first. A beam gives one more than there are beams: one may be the
    /// end.
    fn steps(
        &self,
        beams: &[Beam],
        logits: &mut [f32],
        width: usize,
        position: u32,
    ) -> Result<Vec<Step>, Error> {
        let vocab = logits.len() / beams.len().max(1);
        let mut steps = Vec::with_capacity(beams.len() * (width + 1));
        for ((i, beam), logits) in beams.iter().enumerate().zip(logits.chunks_exact_mut(vocab)) {
            self.rules.apply(&beam.drawn.tokens, logits);
            if logits.iter().any(|v| v.is_nan()) {
                return Err(Error::NotFinite { position });
            }
            let mut ids: Vec<u32> = (0..vocab as u32).collect();
            let better =
                |a: &u32, b: &u32| logits[*b as usize].total_cmp(&logits[*a as usize]).then(a.cmp(b));
            let kept = (width + 1).min(vocab);
            if kept < vocab {
                ids.select_nth_unstable_by(kept, better);
                ids.truncate(kept);
            }
            let of = ids.into_iter().filter(|id| logits[*id as usize] > f32::NEG_INFINITY);
            steps.extend(of.map(|id| {
                let logprob = logits[id as usize];
                Step { beam: i, token: Token(id), logprob, sum: beam.drawn.sum + f64::from(logprob) }
            }));
        }
        steps.sort_by(|a, b| b.sum.total_cmp(&a.sum).then((a.beam, a.token).cmp(&(b.beam, b.token))));
        if steps.is_empty() { Err(Error::NotFinite { position }) } else { Ok(steps) }
    }

    /// The beams after these steps. The first step of a beam keeps its sequence; each further one gets a sequence that nobody has any more,
    /// with a copy of the cache.
    fn follow(
        &mut self,
        beams: &[Beam],
        next: &[Step],
        positions: u32,
        width: usize,
    ) -> Result<Vec<Beam>, Error> {
        let goes_on = |sequence: u32| next.iter().any(|s| beams[s.beam].sequence == sequence);
        let mut free: Vec<u32> = (0..width as u32).filter(|s| !goes_on(*s)).collect();
        let mut out: Vec<Beam> = Vec::with_capacity(next.len());
        for (i, step) in next.iter().enumerate() {
            let parent = &beams[step.beam];
            let first = !next[..i].iter().any(|s| s.beam == step.beam);
            let sequence = if first {
                parent.sequence
            } else {
                // (There are no more steps than sequences.)
                let Some(unused) = free.pop() else { continue };
                self.listener.fork(parent.sequence, unused, positions)?;
                unused
            };
            let mut drawn = parent.drawn.clone();
            drawn.push(step.token, step.logprob);
            out.push(Beam { sequence, drawn });
        }
        Ok(out)
    }
}
