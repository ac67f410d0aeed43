//! Decoding token ids: prefill of what is pending, then chunks of steps, the next always queued before the last
//! is read. Nothing here allocates, hashes, formats or locks per token.

use crate::Error;
use crate::decoded::{Control, DecodeOptions, Decoded, Eos, FinishReason, OnToken, Timing};
use crate::drafts::DraftCounts;
use crate::guide::Guide;
use crate::logprobs::{LOGPROB_STEPS, LogProbs, Records};
use crate::model::Inner;
use crate::sampling::Sampling;
use crate::session::{Session, StepWrite};
use akunu_kernels::step::{NO_TOKEN, RowCount, SeqIndex, StopReason, Token};
use akunu_plan::table::Region;
use std::time::Instant;

/// Tokens copied from the stream at a time.
const BATCH: usize = 64;

impl Session {
    /// Whether the step of `rows` rows from `first` on, which has ended, has run; where a cancel kept it from that, its rows count
    /// as not run.
    pub(crate) fn has_run(&mut self, first: u32, rows: RowCount) -> Result<bool, Error> {
        // Nothing else stops such a step, so usually the step block need not be read.
        if !self.cancel.asked() || self.read_step()?.1.len >= first + rows.0 {
            return Ok(true);
        }
        // Rings of windowed layers may have lost what these rows took the place of.
        self.kv_high = self.kv_high.max(first + rows.0);
        self.keep_kv(first);
        Ok(false)
    }

    /// Runs all pending tokens but the last, whose logits the next draw needs. The callback gets (done, total).
    pub fn prefill(&mut self, on_progress: &mut dyn FnMut(u32, u32) -> Control) -> Result<Timing, Error> {
        let start = Instant::now();
        let before = self.kv_len;
        let end = self.position().saturating_sub(1);
        self.cancel.begin();
        self.run_until(end, before, on_progress)?;
        // A cancel may have cost what windowed layers held.
        Ok(Timing { tokens: self.kv_len.saturating_sub(before), seconds: start.elapsed().as_secs_f64() })
    }

    /// Runs tables without a head until the KV cache holds `end` tokens. False if the callback or a cancel stopped it.
    pub(crate) fn run_until(
        &mut self,
        end: u32,
        from: u32,
        on_progress: &mut dyn FnMut(u32, u32) -> Control,
    ) -> Result<bool, Error> {
        while self.kv_len < end {
            let (table, rows) = self.rung(RowCount(end - self.kv_len));
            self.write_step(StepWrite {
                first: self.kv_len,
                rows,
                head_rows: RowCount(0),
                limit: u32::MAX,
                settings: Sampling::greedy().settings(),
                eos: &[],
            })?;
            self.ladder[table].1.submit(1)?;
            self.stream.wait(u64::MAX, 0)?;
            if !self.has_run(self.kv_len, rows)? {
                return Ok(false);
            }
            self.kv_len += rows.0;
            if self.cancel.asked() || on_progress(self.kv_len - from, end - from) == Control::Stop {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Draws tokens, one callback each. What is pending is run first. However it ends, the session stands at the
    /// last accepted token.
    pub fn decode(
        &mut self,
        options: &DecodeOptions,
        on_token: &mut dyn FnMut(Token) -> Control,
    ) -> Result<Decoded, Error> {
        self.decode_log_probs(options, &mut |token, _| on_token(token))
    }

    /// The same with each token's log-probabilities, where [`Sampling::logprobs`] asks for them.
    pub fn decode_log_probs(
        &mut self,
        options: &DecodeOptions,
        on_token: &mut dyn FnMut(Token, Option<&LogProbs>) -> Control,
    ) -> Result<Decoded, Error> {
        let decoded = self.decode_part(options, on_token);
        self.cancel.withdraw();
        decoded
    }

    /// [`Session::decode`] as a part of a call that goes on after it: a cancel that came too late is kept for the next part.
    pub(crate) fn decode_part(
        &mut self,
        options: &DecodeOptions,
        on_token: &mut OnToken<'_>,
    ) -> Result<Decoded, Error> {
        if let Some(mut guide) = Guide::of(&options.sampling, self.program.config.vocab) {
            return self.decode_guided(&mut guide, options, on_token);
        }
        self.check_decode(options)?;
        let start = Instant::now();
        let first_kv = self.kv_len;
        // All but the last table's worth of rows run without a head; the last draws the first token.
        let largest = self.ladder[self.ladder.len() - 1].0.0;
        let pending = self.position() - self.kv_len;
        let tail = RowCount((pending - 1) % largest + 1);
        self.cancel.begin();
        let ran = self.run_until(self.position() - tail.0, first_kv, &mut |_, _| Control::Continue)?;
        if !ran || self.cancel.asked() {
            let tokens = self.kv_len.saturating_sub(first_kv);
            let prefill = Timing { tokens, seconds: start.elapsed().as_secs_f64() };
            let finish = FinishReason::Cancelled;
            return Ok(Decoded {
                tokens: 0,
                finish,
                prefill,
                decode: Timing::default(),
                drafts: DraftCounts::default(),
            });
        }
        let limit = self.position().saturating_add(options.max_tokens - 1).min(self.context());
        let planned = limit - self.position() + 1;
        let mut run = Run {
            options,
            planned,
            start,
            start_len: self.tokens.len(),
            first: None,
            seen: 0,
            drafts: DraftCounts::default(),
            records: None,
        };
        // Mirostat's bound follows the token before, so it takes one draw after the other; records are read one by one.
        let settings = options.sampling.settings();
        let one_by_one = settings.sampler.mirostat_tau > 0.0 || settings.log_probs();
        let drafts = self.drafts.take_if(|_| !one_by_one);
        let ended = match drafts {
            Some(mut drafts) => {
                let ended = self.chain_drafting(&mut drafts, &mut run, tail, limit, on_token);
                self.drafts = Some(drafts);
                ended
            }
            None => self.chain(&mut run, tail, limit, on_token),
        };
        // Whatever happened, nothing may run on when the session is used again.
        if ended.is_err() {
            self.stream.cancel();
            let _ = self.stream.wait(u64::MAX, 0);
            self.tokens.truncate(run.start_len);
            // How far it came is not known.
            self.kv_high = self.kv_high.max(limit);
            self.keep_kv(self.position() - 1);
        }
        // A cancel has been obeyed; what runs next must not see it.
        self.stream.reset();
        let finish = ended?;
        let accepted = self.position() - run.start_len as u32;
        let all = start.elapsed().as_secs_f64();
        let first = run.first.unwrap_or(all);
        Ok(Decoded {
            tokens: accepted,
            finish,
            prefill: Timing { tokens: pending, seconds: first },
            decode: Timing { tokens: accepted.saturating_sub(1), seconds: all - first },
            drafts: run.drafts,
        })
    }

    /// Refuses what cannot be decoded.
    pub(crate) fn check_decode(&self, options: &DecodeOptions) -> Result<(), Error> {
        options.sampling.check_for(self.program.config.vocab)?;
        if options.max_tokens == 0 {
            let remedy = "ask for at least 1";
            return Err(Error::Option { name: "max tokens", value: "0".into(), remedy });
        }
        if self.tokens.is_empty() {
            return Err(Error::Empty);
        }
        // The last drawn token may land in the slot after the context; it can be read but not run.
        if self.position() > self.context() {
            return Err(Error::ContextFull {
                tokens: u64::from(self.position()) + 1,
                context: self.context(),
            });
        }
        Ok(())
    }

    /// The submissions and the reading of their tokens.
    fn chain(
        &mut self,
        run: &mut Run<'_>,
        tail: RowCount,
        limit: u32,
        on_token: &mut OnToken<'_>,
    ) -> Result<FinishReason, Error> {
        let chunk = run.options.chunk.unwrap_or(self.program.target.chunk).max(1);
        let model = std::sync::Arc::clone(&self.model);
        let eos = run.eos(&model);
        let (table, rows) = self.rung(tail);
        let settings = run.options.sampling.settings();
        let draw = settings.draw;
        // Records of log-probabilities are read between submissions, so none is queued ahead.
        run.records = settings.log_probs().then(Records::default);
        let (chunk, ahead) =
            if settings.log_probs() { (chunk.min(LOGPROB_STEPS), 0) } else { (chunk, chunk) };
        // Whatever is made for the first time is made before the first step.
        self.table(table, draw)?;
        self.table(0, draw)?;
        self.write_sampler(&run.options.sampling, &settings)?;
        let first = self.kv_len;
        self.write_step(StepWrite { first, rows, head_rows: RowCount(1), limit, settings, eos })?;
        self.table(table, draw)?.submit(1)?;
        let mut queued = 1;
        let mut stopped = false;
        loop {
            // Always one chunk ahead of what is being read.
            while !stopped && queued < run.planned && queued <= run.seen.saturating_add(ahead) {
                let steps = chunk.min(run.planned - queued);
                self.table(0, draw)?.submit(steps)?;
                queued += steps;
            }
            let seen = if run.records.is_some() { u64::MAX } else { u64::from(run.seen) + 1 };
            let p = self.stream.wait(seen, 0)?;
            if let Some(records) = &mut run.records {
                records.read(&*self.memory[Region::LogProbs as usize], SeqIndex(0))?;
            }
            if !stopped && self.read_tokens(run, on_token) == Control::Stop {
                stopped = true;
                self.stream.cancel();
            }
            if stopped {
                self.stream.wait(u64::MAX, 0)?;
                break;
            }
            // All that was queued has ended and been read: over, unless the host was too slow to queue more.
            if p.pending == 0 && (queued >= run.planned || run.seen < queued) {
                break;
            }
        }
        self.settle(run, stopped)
    }

    /// Takes what the stream has; the callback decides after each token.
    pub(crate) fn read_tokens(&mut self, run: &mut Run<'_>, on_token: &mut OnToken<'_>) -> Control {
        let mut batch = [Token(0); BATCH];
        loop {
            let n = self.stream.tokens(u64::from(run.seen), &mut batch);
            if n == 0 {
                return Control::Continue;
            }
            for token in &batch[..n] {
                // `settle` says so.
                if *token == NO_TOKEN {
                    return Control::Continue;
                }
                run.first.get_or_insert_with(|| run.start.elapsed().as_secs_f64());
                run.seen += 1;
                let log_probs = run.records.as_ref().and_then(|r| r.at(self.tokens.len()));
                self.tokens.push(*token);
                if on_token(*token, log_probs.as_ref()) == Control::Stop {
                    return Control::Stop;
                }
            }
        }
    }

    /// Reads how the device ended and sets the session to the last accepted token.
    pub(crate) fn settle(&mut self, run: &Run<'_>, stopped: bool) -> Result<FinishReason, Error> {
        let (header, seq, stop) = self.read_stop()?;
        let finish = match stop {
            StopReason::NotFinite => return Err(run.options.sampling.no_token(seq.len)),
            _ if stopped => FinishReason::Cancelled,
            StopReason::Eos => FinishReason::Eos,
            StopReason::Cancelled => FinishReason::Cancelled,
            // A device that runs no step after a cancel sets no stop word.
            StopReason::None if self.cancel.asked() && run.seen < run.planned => FinishReason::Cancelled,
            StopReason::Limit | StopReason::None if run.seen < run.options.max_tokens => {
                FinishReason::ContextFull
            }
            StopReason::Limit | StopReason::None => FinishReason::Length,
        };
        // A step that overshot has run accepted tokens only up to the last one; the rest is forgotten. One that a cancel ended in
        // the middle may have written the cache at all of its rows.
        self.kv_high = self.kv_high.max(seq.len + header.rows.max(1) + self.program.drafts);
        self.kv_len = seq.len;
        self.keep_kv(self.position() - 1);
        Ok(finish)
    }
}

/// A call's progress.
pub(crate) struct Run<'a> {
    pub(crate) options: &'a DecodeOptions,
    /// Tokens that the limit allows.
    planned: u32,
    start: Instant,
    start_len: usize,
    /// Seconds until the first token.
    first: Option<f64>,
    /// Tokens read.
    pub(crate) seen: u32,
    pub(crate) drafts: DraftCounts,
    /// Log-probabilities, where they are asked for.
    records: Option<Records>,
}

impl<'a> Run<'a> {
    /// Tokens that end it.
    pub(crate) fn eos<'m>(&self, model: &'m Inner) -> &'m [Token] {
        match self.options.eos {
            Eos::Stop => model.eos_ids(),
            Eos::Ignore => &[],
        }
    }
}
