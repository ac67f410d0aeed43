//! Logits and hidden states of given tokens: what perplexity, KL divergence, probes and tests need.

use crate::Error;
use crate::sampling::Sampling;
use crate::session::{Session, StepWrite};
use akunu_kernels::act::ActFormat;
use akunu_kernels::step::{RowCount, Token};
use akunu_plan::table::Region;
use akunu_plan::{Shape, Walk};

/// What is read of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    Logits,
    Hidden,
}

impl Session {
    /// Resets, runs `tokens` from position 0 and gives the logits of every position, in order. Rows go through
    /// one table of as many rows as the model was loaded with (`LoadOptions::head_rows`).
    pub fn logits(&mut self, tokens: &[Token], on_row: &mut dyn FnMut(u32, &[f32])) -> Result<(), Error> {
        self.logits_from(tokens, 0, on_row)
    }

    /// [`Session::logits`] of the positions from `from` on. Steps before them compute none.
    pub fn logits_from(
        &mut self,
        tokens: &[Token],
        from: u32,
        on_row: &mut dyn FnMut(u32, &[f32]),
    ) -> Result<(), Error> {
        self.read_rows(tokens, from, Read::Logits, on_row)
    }

    /// Resets, runs `tokens` from position 0 and gives the hidden state of every position, in order: `[hidden] f32`, what the output
    /// head reads, after the final norm. No logits are computed. A text's last one is what decoders trained for embeddings make their
    /// vector of.
    pub fn hidden_states(
        &mut self,
        tokens: &[Token],
        on_row: &mut dyn FnMut(u32, &[f32]),
    ) -> Result<(), Error> {
        self.read_rows(tokens, 0, Read::Hidden, on_row)
    }

    fn read_rows(
        &mut self,
        tokens: &[Token],
        from: u32,
        read: Read,
        on_row: &mut dyn FnMut(u32, &[f32]),
    ) -> Result<(), Error> {
        let done = self.run_rows(tokens, from, read, on_row);
        self.cancel.withdraw();
        done
    }

    fn run_rows(
        &mut self,
        tokens: &[Token],
        from: u32,
        read: Read,
        on_row: &mut dyn FnMut(u32, &[f32]),
    ) -> Result<(), Error> {
        if self.program.drafts > 0 {
            let (name, value) = ("values of given tokens", "asked of a session that drafts".into());
            return Err(Error::Option { name, value, remedy: "use a session without drafts" });
        }
        self.cancel.begin();
        self.reset();
        self.append(tokens)?;
        let rows = self.program.settings.head_rows.min(RowCount(self.context()));
        let config = &self.program.config;
        let (vocab, hidden) = (config.vocab as usize, config.hidden as usize);
        // Rows of activations may be apart from each other.
        let (name, walk, width, stride) = match read {
            Read::Logits => ("score", Walk::Tokens(Shape::new(rows, rows)), vocab, vocab),
            Read::Hidden => {
                ("hidden", Walk::Hidden(Shape::new(rows, rows)), hidden, ActFormat::F32.row_bytes(hidden) / 4)
            }
        };
        if self.score[read as usize].is_none() {
            let table = self.program.table(name, walk)?;
            self.score[read as usize] = Some(self.model.device.lower(&table, &self.memory, &self.stream)?);
        }
        let mut out = vec![0f32; rows.index() * stride];
        while self.kv_len < self.position() {
            let n = rows.0.min(self.position() - self.kv_len);
            let first = self.kv_len;
            let head_rows = (first + n).saturating_sub(from).min(n);
            // The step before may have drawn a token onto the belt, in the place of this step's first.
            self.write_belt(first as usize, &tokens[first as usize..(first + n) as usize])?;
            self.write_step(StepWrite {
                first,
                rows: RowCount(n),
                head_rows: RowCount(head_rows),
                limit: u32::MAX,
                settings: Sampling::greedy().settings(),
                eos: &[],
            })?;
            if let Some(score) = &mut self.score[read as usize] {
                score.submit(1)?;
            }
            self.stream.wait(u64::MAX, 0)?;
            if !self.has_run(first, RowCount(n))? {
                return Err(Error::Cancelled);
            }
            if head_rows > 0 {
                let out = &mut out[..head_rows as usize * stride];
                self.memory[Region::Logits as usize].read(0, bytemuck::cast_slice_mut(out))?;
                for (row, position) in out.chunks_exact(stride).zip(first + n - head_rows..) {
                    on_row(position, &row[..width]);
                }
            }
            self.kv_len += n;
        }
        // The last step may have drawn one after the given tokens; it is not ours.
        self.kv_len = self.position() - 1;
        Ok(())
    }

    /// The logits after the session's last token. The session does not change, except that what was pending is
    /// in the KV cache.
    pub fn next_logits(&mut self) -> Result<Vec<f32>, Error> {
        if self.tokens.is_empty() {
            return Err(Error::Empty);
        }
        let tokens = self.position();
        let options = crate::DecodeOptions {
            max_tokens: 1,
            sampling: Sampling::greedy(),
            eos: crate::Eos::Ignore,
            chunk: None,
        };
        if self.decode(&options, &mut |_| crate::Control::Continue)?.tokens == 0 {
            return Err(Error::Cancelled);
        }
        let mut out = vec![0f32; self.program.config.vocab as usize];
        self.memory[Region::Logits as usize].read(0, bytemuck::cast_slice_mut(&mut out))?;
        self.rewind(tokens)?;
        Ok(out)
    }
}
