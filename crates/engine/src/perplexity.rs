//! How well a model predicts a text, and how far its predictions are from another model's.
//!
//! The text is cut into windows, each a context of its own. The first half of a window only gives context; the
//! predictions of the second half count, because a model that has read little predicts badly whatever its weights. (So
//! does llama.cpp's tool of this name; its numbers can be compared.)

use crate::Error;
use crate::session::Session;
use akunu_kernels::step::Token;

/// A mean and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Standard error of the mean; 0 where fewer than two numbers were seen.
    pub error: f64,
}

/// The measure of a text, position by position.
#[derive(Clone, Debug, Default)]
pub struct Quality {
    nll: Vec<f64>,
    reference_nll: Vec<f64>,
    kl: Vec<f64>,
    same_top: u64,
}

/// How far predictions are from the reference's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Divergence {
    /// The reference's own perplexity.
    pub reference_perplexity: Estimate,
    /// KL(reference || model) in nats.
    pub kl: Estimate,
    /// The same: median, 99th percentile, largest.
    pub kl_median: f64,
    /// 99th percentile.
    pub kl_p99: f64,
    /// Largest.
    pub kl_max: f64,
    /// Share of positions where both find the same token likeliest.
    pub top1: Estimate,
}

/// The windows of `context` tokens of a text; what is left over is not used. Where texts of the model begin with a token,
/// so does each window, in place of its first.
pub fn windows(tokens: &[Token], context: u32, begin: Option<Token>) -> Vec<Vec<Token>> {
    let window = |tokens: &[Token]| {
        let mut window = tokens.to_vec();
        if let (Some(first), Some(begin)) = (window.first_mut(), begin) {
            *first = begin;
        }
        window
    };
    tokens.chunks_exact(context.max(1) as usize).map(window).collect()
}

/// The positions of a window of `context` tokens whose predictions count.
pub const fn scored(context: u32) -> std::ops::Range<u32> {
    context / 2..context.saturating_sub(1)
}

/// Logarithms of the probabilities, in place.
pub fn log_softmax(logits: &mut [f32]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|v| f64::from((v - top).exp())).sum();
    let log = sum.ln() as f32;
    // One after the other: their sum would have lost digits where logits are large.
    logits.iter_mut().for_each(|v| *v = (*v - top) - log);
}

impl Session {
    /// Runs one window and gives the logarithms of the probabilities at each position that counts, in order.
    pub fn predictions(
        &mut self,
        window: &[Token],
        on_row: &mut dyn FnMut(u32, &[f32]),
    ) -> Result<(), Error> {
        let positions = scored(window.len() as u32);
        let mut row = Vec::new();
        let mut bad = None;
        self.logits_from(window, positions.start, &mut |position, logits| {
            if positions.contains(&position) {
                row.clear();
                row.extend_from_slice(logits);
                if row.iter().any(|v| !v.is_finite()) {
                    bad.get_or_insert(position);
                }
                log_softmax(&mut row);
                on_row(position, &row);
            }
        })?;
        bad.map_or(Ok(()), |position| Err(Error::NotFinite { position }))
    }
}

impl Quality {
    /// Takes one prediction: logarithms of probabilities, the token that came, and the reference's prediction.
    pub fn add(&mut self, predicted: &[f32], next: Token, reference: Option<&[f32]>) {
        let at = next.index();
        self.nll.push(-f64::from(predicted.get(at).copied().unwrap_or(f32::NEG_INFINITY)));
        let Some(reference) = reference else { return };
        self.reference_nll.push(-f64::from(reference.get(at).copied().unwrap_or(f32::NEG_INFINITY)));
        // Single precision in the terms, double in the sum: a term's error is far below the smallest divergence that
        // matters.
        let kl = predicted.iter().zip(reference).map(|(p, r)| f64::from(r.exp() * (r - p))).sum::<f64>();
        // Rounding may make it less than nothing; what is no number must stay none.
        self.kl.push(if kl < 0.0 { 0.0 } else { kl });
        self.same_top += u64::from(likeliest(predicted) == likeliest(reference));
    }

    /// Predictions taken.
    pub fn positions(&self) -> usize {
        self.nll.len()
    }

    /// exp(mean negative log-likelihood), with its standard error to first order.
    pub fn perplexity(&self) -> Estimate {
        perplexity(&self.nll)
    }

    /// The distance to the reference, where there was one.
    pub fn divergence(&self) -> Option<Divergence> {
        let n = self.kl.len();
        let mut sorted = self.kl.clone();
        sorted.sort_by(f64::total_cmp);
        let quantile = |q: f64| sorted.get(((n as f64 - 1.0) * q).round() as usize).copied();
        let share = self.same_top as f64 / n as f64;
        Some(Divergence {
            reference_perplexity: perplexity(&self.reference_nll),
            kl: estimate(&self.kl),
            kl_median: quantile(0.5)?,
            kl_p99: quantile(0.99)?,
            kl_max: quantile(1.0)?,
            top1: Estimate { mean: share, error: (share * (1.0 - share) / (n as f64 - 1.0).max(1.0)).sqrt() },
        })
    }
}

fn perplexity(nll: &[f64]) -> Estimate {
    let e = estimate(nll);
    Estimate { mean: e.mean.exp(), error: e.mean.exp() * e.error }
}

fn estimate(values: &[f64]) -> Estimate {
    let n = values.len() as f64;
    if values.is_empty() {
        return Estimate::default();
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    let error = if n < 2.0 { 0.0 } else { (squares / (n - 1.0) / n).sqrt() };
    Estimate { mean, error }
}

fn likeliest(row: &[f32]) -> Option<usize> {
    row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_whole_and_begin_as_texts_do() {
        let tokens = Token::from_ids(&[1, 2, 3, 4, 5]);
        assert_eq!(windows(tokens, 2, None), [[1, 2], [3, 4]].map(|w| w.map(Token)));
        assert_eq!(windows(tokens, 2, Some(Token(9))), [[9, 2], [9, 4]].map(|w| w.map(Token)));
        assert_eq!(windows(&tokens[..1], 2, None), Vec::<Vec<Token>>::new());
        assert_eq!(scored(512), 256..511);
        assert_eq!(scored(1).count() + scored(0).count(), 0);
    }

    #[test]
    fn numbers_of_two_distributions() {
        let mut q = Quality::default();
        let (a, b) = ([0.5f32, 0.25, 0.25], [0.25f32, 0.5, 0.25]);
        let (a, b) = (a.map(f32::ln), b.map(f32::ln));
        q.add(&a, Token(0), Some(&b));
        q.add(&a, Token(1), Some(&a));
        assert_eq!(q.positions(), 2);
        // Mean of ln 2 and ln 4.
        let p = q.perplexity();
        assert!((p.mean - 8f64.sqrt()).abs() < 1e-6, "{p:?}");
        // The two differ by ln 2, so the standard error of their mean is half of that.
        assert!((p.error - p.mean * 2f64.ln() / 2.0).abs() < 1e-6, "{p:?}");
        let d = q.divergence().expect("a reference");
        // 1/4 ln(1/2) + 1/2 ln 2 = ln(2) / 4, and 0.
        assert!((d.kl.mean - 2f64.ln() / 8.0).abs() < 1e-7, "{d:?}");
        assert!((d.kl_max - 2f64.ln() / 4.0).abs() < 1e-7 && d.kl_median <= d.kl_max, "{d:?}");
        assert_eq!(d.top1, Estimate { mean: 0.5, error: 0.5 });
        assert!((d.reference_perplexity.mean - 4.0).abs() < 1e-6, "{d:?}");
        assert_eq!(Quality::default().divergence(), None);
    }

    #[test]
    fn what_is_no_number_is_no_agreement() {
        let mut q = Quality::default();
        q.add(&[0.5f32.ln(); 2], Token(0), Some(&[f32::NAN; 2]));
        let d = q.divergence().expect("a reference");
        assert!(d.kl.mean.is_nan() && d.kl_max.is_nan() && d.reference_perplexity.mean.is_nan(), "{d:?}");
    }

    #[test]
    fn log_softmax_sums_to_one() {
        let mut row = [1000.0, 1001.0, 999.0];
        log_softmax(&mut row);
        assert!((row.iter().map(|v| v.exp()).sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
    }
}
