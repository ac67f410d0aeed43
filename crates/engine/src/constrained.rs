//! Decoding under a grammar: a step for each token that is drawn, and none for those that are forced.
//!
//! The mask of a draw depends on the token before it. So a step is two tables: while the device computes logits of that token, the host
//! makes the mask and writes it; then it submits the draw. That is the draw of any table with all samplers: a mask that allows everything
//! changes no token. Forced tokens are put on the belt and run with the next drawn one, as rows of a prompt. No draw is queued while
//! the host thinks: whatever happens to it, the device stands still after the logits.

use crate::Error;
use crate::decoded::{Control, DecodeOptions, Decoded, Eos, FinishReason, OnToken, Timing};
use crate::drafts::DraftCounts;
use crate::guide::Guide;
use crate::logprobs::Records;
use crate::sampling::Settings;
use crate::session::{Session, StepWrite};
use akunu_kernels::step::{NO_TOKEN, RowCount, SeqIndex, StopReason, Token};
use akunu_plan::table::Region;
use std::sync::Arc;
use std::time::Instant;

/// A decoding under way.
struct Run<'a> {
    options: &'a DecodeOptions,
    settings: Settings,
    eos: &'a [Token],
    start: Instant,
    /// Seconds until the first token.
    first: Option<f64>,
    /// Tokens drawn or forced.
    taken: u32,
    /// Tokens drawn.
    drawn: u64,
    /// Log-probabilities, where they are asked for.
    records: Option<Records>,
    /// The last position that the device may draw a token for.
    limit: u32,
    /// Where the last draw has left the step block ready for one row.
    ready: Option<u32>,
}

impl Session {
    /// [`Session::decode`] as a part of a call that goes on after it, under a grammar.
    pub(crate) fn decode_guided(
        &mut self,
        guide: &mut Guide,
        options: &DecodeOptions,
        on_token: &mut OnToken<'_>,
    ) -> Result<Decoded, Error> {
        self.check_decode(options)?;
        let (start_len, pending) = (self.tokens.len(), self.position() - self.kv_len);
        let model = Arc::clone(&self.model);
        let eos = if options.eos == Eos::Stop { model.eos_ids() } else { &[] };
        let settings = options.sampling.settings();
        let records = settings.log_probs().then(Records::default);
        let start = Instant::now();
        let limit = self.position().saturating_add(options.max_tokens - 1).min(self.context());
        let mut run = Run {
            options,
            settings,
            eos,
            start,
            first: None,
            taken: 0,
            drawn: 0,
            records,
            limit,
            ready: None,
        };
        self.cancel.begin();
        let ended = self
            .write_sampler(&options.sampling, &settings)
            .and_then(|()| self.follow_guide(guide, &mut run, on_token));
        if ended.is_err() {
            self.stream.cancel();
            let _ = self.stream.wait(u64::MAX, 0);
            self.kv_high = self.kv_high.max(self.position());
            self.tokens.truncate(start_len);
            self.keep_kv(self.position() - 1);
        }
        // A cancel has been obeyed; what runs next must not see it.
        self.stream.reset();
        let finish = ended?;
        let all = run.start.elapsed().as_secs_f64();
        let first = run.first.unwrap_or(all);
        Ok(Decoded {
            tokens: run.taken,
            finish,
            prefill: Timing { tokens: pending, seconds: first },
            decode: Timing { tokens: run.taken.saturating_sub(1), seconds: all - first },
            drafts: DraftCounts::default(),
        })
    }

    /// Forced tokens and draws in turn, until something ends them.
    fn follow_guide(
        &mut self,
        guide: &mut Guide,
        run: &mut Run<'_>,
        on_token: &mut OnToken<'_>,
    ) -> Result<FinishReason, Error> {
        loop {
            let before = self.position();
            while let Some(token) = guide.forced()? {
                self.write_belt(self.tokens.len(), &[token])?;
                if let Some(finish) = self.take_guided(guide, token, run, on_token)? {
                    return Ok(finish);
                }
            }
            if guide.must_end() {
                // It allows no text at all.
                return Ok(FinishReason::Eos);
            }
            self.carry_bound(&run.settings, before)?;
            let Some(token) = self.draw_guided(guide, run)? else { return Ok(FinishReason::Cancelled) };
            if let Some(finish) = self.take_guided(guide, token, run, on_token)? {
                return Ok(finish);
            }
        }
    }

    /// A token of the text that is on the belt; why it was the last, where it was.
    fn take_guided(
        &mut self,
        guide: &mut Guide,
        token: Token,
        run: &mut Run<'_>,
        on_token: &mut OnToken<'_>,
    ) -> Result<Option<FinishReason>, Error> {
        guide.take(token)?;
        let log_probs = run.records.as_ref().and_then(|r| r.at(self.tokens.len()));
        self.tokens.push(token);
        run.taken += 1;
        run.first.get_or_insert_with(|| run.start.elapsed().as_secs_f64());
        let wish = on_token(token, log_probs.as_ref());
        Ok(if wish == Control::Stop {
            Some(FinishReason::Cancelled)
        } else if run.eos.contains(&token) || guide.must_end() {
            Some(FinishReason::Eos)
        } else if run.taken >= run.options.max_tokens {
            Some(FinishReason::Length)
        } else if self.position() > self.context() {
            // The slot after the context can be read, not run.
            Some(FinishReason::ContextFull)
        } else {
            None
        })
    }

    /// Runs what is pending and draws one token, which is on the belt then; `None` where a cancel kept it from that.
    fn draw_guided(&mut self, guide: &mut Guide, run: &mut Run<'_>) -> Result<Option<Token>, Error> {
        let position = self.position();
        let largest = self.ladder[self.ladder.len() - 1].0.0;
        let tail = RowCount((position - self.kv_len - 1) % largest + 1);
        let ran = self.run_until(position - tail.0, self.kv_len, &mut |_, _| Control::Continue)?;
        if !ran || self.cancel.asked() {
            return Ok(None);
        }
        let (table, rows) = self.rung(tail);
        let (first, settings, limit) = (self.kv_len, run.settings, run.limit);
        // Whatever is made for the first time is made before the step.
        self.split(table)?;
        if run.ready.take() != Some(position) {
            let head_rows = RowCount(1);
            self.write_step(StepWrite { first, rows, head_rows, limit, settings, eos: run.eos })?;
        }
        self.split(table)?[0].submit(1)?;
        guide.make_mask()?;
        guide.show_mask(|mask| self.memory[Region::Masks as usize].write(0, bytemuck::cast_slice(mask)))?;
        self.split(table)?[1].submit(1)?;
        self.stream.wait(run.drawn + 1, 0)?;
        if let Some(records) = &mut run.records {
            records.read(&*self.memory[Region::LogProbs as usize], SeqIndex(0))?;
        }
        let mut token = [Token(0)];
        if self.stream.tokens(run.drawn, &mut token) == 1 && token[0] != NO_TOKEN {
            run.drawn += 1;
            self.kv_len = position;
            self.kv_high = self.kv_high.max(position + 1);
            run.ready = Some(position + 1);
            return Ok(Some(token[0]));
        }
        let (_, seq, stop) = self.read_stop()?;
        if stop == StopReason::NotFinite {
            return Err(run.options.sampling.no_token(seq.len));
        }
        // A step that a cancel ended in the middle may have written the cache at all of its rows.
        self.kv_high = self.kv_high.max(first + rows.0);
        self.keep_kv(first);
        Ok(None)
    }

    /// Mirostat's bound of the next draw, where `before` tokens were known and more have come without a draw.
    fn carry_bound(&self, settings: &Settings, before: u32) -> Result<(), Error> {
        if settings.sampler.mirostat_tau > 0.0 && before != self.position() {
            let (from, to) = (u64::from(before) * 4, u64::from(self.position()) * 4);
            self.memory[Region::Mirostat as usize].copy(from, to, 4)?;
        }
        Ok(())
    }
}
