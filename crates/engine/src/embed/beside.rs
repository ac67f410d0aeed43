//! Texts that a decoder reads beside each other. Each is a sequence of a batch that draws nothing; a step has as many rows of as many texts as it
//! holds, so that short texts share a pass over the weights.

use crate::Error;
use crate::batch::{Batch, BatchOptions, Piece, Sequence, SequenceOptions};
use crate::decoded::Eos;
use crate::model::Model;
use crate::sampling::Sampling;
use akunu_kernels::step::{KV_BLOCK, Token};
use akunu_plan::Program;

/// The most texts in a step. More of them would fill it where all are very short; but a step has room for the logits of each, which nobody
/// computes here and which are large in such models.
const BESIDE: u32 = 32;

/// Takes a text's number and the state of its last token.
type OnState<'a> = dyn FnMut(usize, &[f32]) -> Result<(), Error> + 'a;

/// What reads texts beside each other.
pub(super) struct Beside {
    batch: Batch,
}

/// A text on its way.
struct Text {
    index: usize,
    sequence: Sequence,
}

impl AsMut<Sequence> for Text {
    fn as_mut(&mut self) -> &mut Sequence {
        &mut self.sequence
    }
}

/// The batch of such a program: no larger a cache than one context, unless that is very short.
pub(super) fn options(p: &Program) -> BatchOptions {
    let sequences = p.target.sequences.clamp(1, BESIDE);
    let blocks = p.cache.blocks().max(sequences);
    BatchOptions {
        sequences: Some(sequences),
        cache_tokens: Some(u64::from(blocks) * u64::from(KV_BLOCK)),
        ..BatchOptions::default()
    }
}

impl Beside {
    pub(super) fn new(model: &Model) -> Result<Self, Error> {
        Ok(Self { batch: model.reading_batch(&options(model.program()))? })
    }

    /// The state of each text's last token, `[hidden] f32`, told by the text's number as it comes. An error of `on_state` ends it. A text
    /// is one that the model can read.
    pub(super) fn states(&mut self, texts: &[Vec<Token>], on_state: &mut OnState<'_>) -> Result<(), Error> {
        // Longest first: while a long text has most of the cache, the others would wait for it at the end.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(texts[*i].len()));
        let mut waiting = order.into_iter().peekable();
        let mut open: Vec<Text> = Vec::new();
        loop {
            while open.len() < self.batch.program().capacity().seqs as usize
                && let Some(index) = waiting.peek().copied()
                && let Some(sequence) = self.begin(&texts[index])?
            {
                open.push(Text { index, sequence });
                waiting.next();
            }
            let mut left = self.batch.most_rows().0;
            let mut pieces = Vec::with_capacity(open.len());
            for (guest, text) in open.iter().enumerate() {
                let rows = text.sequence.pending().min(left);
                if rows > 0 {
                    pieces.push(Piece { guest, rows });
                }
                left -= rows;
            }
            if pieces.is_empty() {
                // (The cache holds a context at least, so nobody who has it alone waits.)
                return waiting.next().map_or(Ok(()), |i| {
                    let (tokens, blocks) = (texts[i].len() as u32, self.batch.program().cache.pool);
                    Err(Error::CacheFull { tokens, blocks })
                });
            }
            let mut told = Ok(());
            let indices: Vec<usize> = open.iter().map(|t| t.index).collect();
            self.batch.read(&mut open, &pieces, &mut |guest, state| {
                if told.is_ok() {
                    told = on_state(indices[guest], state);
                }
            })?;
            told?;
            // What was cut goes on first.
            open.retain(|t| t.sequence.pending() > 0);
        }
    }

    /// A text with all the blocks that it needs; `None` where others have them.
    fn begin(&self, text: &[Token]) -> Result<Option<Sequence>, Error> {
        let options = SequenceOptions {
            max_tokens: 1,
            sampling: Sampling::greedy(),
            eos: Eos::Ignore,
            reasoning: None,
        };
        let mut sequence = self.batch.sequence(text, &options)?;
        let fits = self.batch.reserve(&mut sequence, text.len() as u32)?;
        Ok(fits.then_some(sequence))
    }
}
