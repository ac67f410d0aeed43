//! Scores of texts for a query, by a cross-encoder: query and text are read together, as two segments of one text, and the first token's
//! vector becomes one number (Nogueira and Cho, "Passage Re-ranking with BERT", 2019). The last two products, of one vector each, are the
//! host's.

use crate::Error;
use crate::embed::{EmbedOptions, Embedder, Normalize, Overlong, Pooling};
use crate::model::Model;
use akunu_kernels::step::Token;
use akunu_model::tokenizer::Specials;
use std::sync::Arc;

/// How well texts fit a query, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reranked {
    /// Between 0 and 1, the logistic function of the logits: larger is better.
    pub scores: Vec<f32>,
    /// What the model says, of any size.
    pub logits: Vec<f32>,
    /// Tokens of each pair as they were run.
    pub tokens: Vec<u32>,
}

/// What scores texts for a query: memory and tables of its own over the model's weights. One thread drives it.
pub struct Reranker {
    model: Model,
    embedder: Embedder,
    overlong: Overlong,
}

impl Model {
    /// Whether the model scores pairs of texts ([`Model::reranker`]).
    pub fn is_reranker(&self) -> bool {
        self.inner.score.is_some()
    }

    /// What scores texts for a query. An error for a model that does something else.
    pub fn reranker(&self) -> Result<Reranker, Error> {
        if self.inner.score.is_none() {
            let remedy = "use a cross-encoder: BERT, RoBERTa or XLM-R with a classifier of one label";
            let value = self.config().arch.clone();
            return Err(Error::Option { name: "the model for reranking", value, remedy });
        }
        let options = EmbedOptions {
            pooling: Some(Pooling::Cls),
            normalize: Some(Normalize::No),
            ..EmbedOptions::default()
        };
        let embedder = Embedder::of(Arc::clone(&self.inner), &options)?;
        Ok(Reranker { model: self.clone(), embedder, overlong: Overlong::Refuse })
    }
}

impl Reranker {
    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What happens from now on to pairs that are too long. Cut is the longer of the two, or both to the same length, as transformers
    /// cuts "the longest first".
    pub fn choose_overlong(&mut self, overlong: Overlong) {
        self.overlong = overlong;
    }

    /// The tokens of a pair as they are run, and where the text begins. `index` is the text's number in messages.
    pub fn tokens(&self, index: usize, query: &str, text: &str) -> Result<(Vec<Token>, u32), Error> {
        let tokenizer = self.model.inner.tokenizer()?;
        let (mut first, mut second) =
            (tokenizer.encode(query, Specials::AsText)?, tokenizer.encode(text, Specials::AsText)?);
        // Each with a token before and after it; the second one loses the one before, or has another there.
        if second.is_empty() || first.len() < 2 {
            return Err(Error::EmptyText { index });
        }
        let between = tokenizer.data().between;
        match between {
            Some(token) => second[0] = token,
            None => drop(second.remove(0)),
        }
        // Tokens that the tokenizer has put around the texts.
        let around = 3 + usize::from(between.is_some());
        let most = self.embedder.max_tokens() as usize;
        if first.len() + second.len() > most {
            let tokens = (first.len() + second.len()) as u64;
            if self.overlong == Overlong::Refuse || most < around + 2 {
                return Err(Error::TextTooLong { index, tokens, most: most as u32 });
            }
            let (a, b) = halves(first.len() - 2, second.len() + 2 - around, most - around);
            first.drain(1 + a..first.len() - 1);
            second.drain(around - 3 + b..second.len() - 1);
        }
        let begins = first.len() as u32;
        first.append(&mut second);
        Ok((first, begins))
    }

    /// How well texts fit a query.
    pub fn rerank<S: AsRef<str>>(&mut self, query: &str, texts: &[S]) -> Result<Reranked, Error> {
        let pairs = texts.iter().enumerate().map(|(i, t)| self.tokens(i, query, t.as_ref()));
        let (tokens, seconds): (Vec<_>, Vec<_>) = pairs.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        let made = self.embedder.embed_segments(&tokens, &seconds)?;
        let Some(head) = &self.model.inner.score else { return Ok(Reranked::default()) };
        let logits: Vec<f32> = made.vectors.iter().map(|v| head.logit(v)).collect();
        let scores = logits.iter().map(|l| 1.0 / (1.0 + (-l).exp())).collect();
        Ok(Reranked { scores, logits, tokens: made.tokens })
    }
}

/// Lengths of two texts that have room together: the shorter one keeps its own where it leaves the longer one more.
fn halves(a: usize, b: usize, room: usize) -> (usize, usize) {
    let (short, long) = (a.min(b), a.max(b));
    let (short, long) = match room.checked_sub(short) {
        Some(left) if left >= short => (short, left.min(long)),
        _ => (room / 2, room - room / 2),
    };
    if a <= b { (short, long) } else { (long, short) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, Matrices, Source};
    use akunu_device::cpu::CpuDevice;
    use akunu_kernels::cpu::LEVELS;
    use serde_json::Value;
    use std::path::PathBuf;

    fn directory() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-reranker")
    }

    /// (query, text, tokens, logit) of transformers.
    fn reference() -> Vec<(String, String, Vec<u32>, f32)> {
        let text = std::fs::read_to_string(directory().join("reference.json")).unwrap();
        let all: Vec<Value> = serde_json::from_str(&text).unwrap();
        let of = |v: &Value| {
            let text = |name: &str| v[name].as_str().unwrap().to_owned();
            let tokens = serde_json::from_value(v["tokens"].clone()).unwrap();
            (text("query"), text("text"), tokens, v["logit"].as_f64().unwrap() as f32)
        };
        all.iter().map(of).collect()
    }

    /// At every level: tokens with their segments, and what the head makes of the first one's vector.
    #[test]
    fn scores_are_those_of_transformers() {
        let want = reference();
        for level in LEVELS.iter().copied().filter(|l| l.available()) {
            for (matrices, bound) in [(Matrices::File, 2e-4), (Matrices::Auto, 0.1)] {
                let device = Arc::new(CpuDevice::with_level(level, Some(2)).unwrap());
                let options = LoadOptions { matrices, ..LoadOptions::default() };
                let source = Source::Path(directory());
                let model = Model::load_onto(&source, device, &options, &mut |_| {}).unwrap();
                let mut r = model.reranker().unwrap();
                r.choose_overlong(Overlong::Truncate);
                for (query, text, ids, logit) in &want {
                    let (tokens, begins) = r.tokens(0, query, text).unwrap();
                    assert_eq!(Token::ids(&tokens), ids, "{query} {text}");
                    assert_eq!(ids[begins as usize - 1], ids[ids.len() - 1]);
                    let got = r.rerank(query, &[text]).unwrap();
                    let off = (got.logits[0] - logit).abs();
                    assert!(off < bound, "{level} {matrices:?} {text}: {} and not {logit}", got.logits[0]);
                    assert!((got.scores[0] - 1.0 / (1.0 + (-got.logits[0]).exp())).abs() < 1e-6);
                }
            }
        }
    }

    /// Many at a time are as each alone; a second segment is not a first one.
    #[test]
    fn pairs_do_not_depend_on_each_other() {
        let device = Arc::new(CpuDevice::with_level(crate::level_of_one_family(), None).unwrap());
        let source = Source::Path(directory());
        let model = Model::load_onto(&source, device, &LoadOptions::default(), &mut |_| {}).unwrap();
        assert!(model.is_reranker() && model.is_encoder());
        let mut r = model.reranker().unwrap();
        let texts: Vec<String> =
            (0..200).map(|i| format!("the {} sat on {i}", ["cat", "mat"][i % 2])).collect();
        let all = r.rerank("the cat", &texts).unwrap();
        for i in [0, 1, 77, 199] {
            let alone = r.rerank("the cat", &texts[i..=i]).unwrap();
            assert_eq!((alone.logits[0], alone.tokens[0]), (all.logits[i], all.tokens[i]));
        }
        let (tokens, _) = r.tokens(0, "the cat", &texts[0]).unwrap();
        let one = r.embedder.embed_segments(std::slice::from_ref(&tokens), &[]).unwrap();
        let two = r.embedder.embed_segments(&[tokens], &[4]).unwrap();
        assert!(one.vectors != two.vectors);
        // What is too long, empty or another model's work is refused.
        let long = "cat ".repeat(80);
        assert!(matches!(r.rerank("x", &["mat", &long]), Err(Error::TextTooLong { index: 1, most: 64, .. })));
        assert!(r.rerank("", &[""]).is_ok() && r.rerank("x", &[] as &[&str]).unwrap().scores.is_empty());
        let e = model.embedder(&EmbedOptions::default()).err().unwrap().to_string();
        assert!(e.contains("akunu rerank"), "{e}");
        let bert = directory().join("../tiny-bert");
        let bert = Model::load(&Source::Path(bert), &LoadOptions::default(), &mut |_| {}).unwrap();
        let e = bert.reranker().err().unwrap().to_string();
        assert!(e.contains("cross-encoder"), "{e}");
    }

    #[test]
    fn the_longer_text_is_cut_first() {
        assert_eq!(
            [halves(2, 80, 61), halves(80, 2, 61), halves(40, 41, 61), halves(31, 30, 61)],
            [(2, 59), (59, 2), (30, 31), (31, 30)]
        );
        assert_eq!(halves(3, 4, 61), (3, 4));
    }
}
