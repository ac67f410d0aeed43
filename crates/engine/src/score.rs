//! Logits and hidden states of given tokens: what perplexity, KL divergence, probes and tests need.

use crate::Error;
use crate::batch::Values;
use crate::sampling::Sampling;
use crate::session::Session;
use akunu_kernels::step::{RowCount, Token};

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
        self.read_rows(tokens, from, Values::Logits, on_row)
    }

    /// Resets, runs `tokens` from position 0 and gives the hidden state of every position, in order: `[hidden] f32`, what the output
    /// head reads, after the final norm. No logits are computed. A text's last one is what decoders trained for embeddings make their
    /// vector of.
    pub fn hidden_states(
        &mut self,
        tokens: &[Token],
        on_row: &mut dyn FnMut(u32, &[f32]),
    ) -> Result<(), Error> {
        self.read_rows(tokens, 0, Values::Hidden, on_row)
    }

    fn read_rows(
        &mut self,
        tokens: &[Token],
        from: u32,
        values: Values,
        on_row: &mut dyn FnMut(u32, &[f32]),
    ) -> Result<(), Error> {
        let done = self.run_rows(tokens, from, values, on_row);
        self.cancel.withdraw();
        done
    }

    fn run_rows(
        &mut self,
        tokens: &[Token],
        from: u32,
        values: Values,
        on_row: &mut dyn FnMut(u32, &[f32]),
    ) -> Result<(), Error> {
        if self.program().drafts > 0 {
            let (name, value) = ("values of given tokens", "asked of a session that drafts".into());
            return Err(Error::Option { name, value, remedy: "use a session without drafts" });
        }
        self.cancel.begin();
        self.reset();
        self.append(tokens)?;
        self.begin(u32::MAX, &Sampling::greedy(), crate::Eos::Ignore);
        let most = self.batch.value_rows();
        let (width, stride) = values.width(&self.batch);
        let mut out = vec![0f32; most.index() * stride];
        while self.kv_len() < self.position() {
            let first = self.kv_len();
            let n = most.0.min(self.position() - first);
            let head_rows = (first + n).saturating_sub(from).min(n);
            let rows = [RowCount(n), RowCount(head_rows)];
            let ran = self.batch.read_values(&mut self.sequence, values, rows, &self.cancel, &mut out)?;
            self.kv_high = self.kv_high.max(first + n);
            if !ran {
                // Rings of windowed layers may have lost what these rows took the place of.
                self.keep_kv(first);
                return Err(Error::Cancelled);
            }
            for (row, position) in out.chunks_exact(stride).zip(first + n - head_rows..first + n) {
                on_row(position, &row[..width]);
            }
        }
        // The last step may have drawn one after the given tokens; it is not ours.
        self.keep_kv(self.position().saturating_sub(1));
        Ok(())
    }

    /// The logits after the session's last token. The session does not change, except that what was pending is
    /// in the KV cache.
    pub fn next_logits(&mut self) -> Result<Vec<f32>, Error> {
        if self.tokens().is_empty() {
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
        let logits = self.batch.last_logits()?;
        self.rewind(tokens)?;
        Ok(logits)
    }
}
