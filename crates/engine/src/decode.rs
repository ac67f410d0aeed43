//! Decoding token ids: prefill of what is pending, then runs of steps. Nothing here allocates, hashes, formats or locks per token.

use crate::Error;
use crate::batch::{Bounds, Draw, Next, Sequence, Steps};
use crate::decoded::{Control, DecodeOptions, Decoded, FinishReason, OnToken, Timing};
use crate::drafts::Mode;
use crate::logprobs::{LOGPROB_STEPS, LogProbs};
use crate::session::Session;
use akunu_kernels::step::Token;
use std::time::Instant;

impl Session {
    /// Runs all pending tokens but the last, whose logits the next draw needs. The callback gets (done, total).
    pub fn prefill(&mut self, on_progress: &mut dyn FnMut(u32, u32) -> Control) -> Result<Timing, Error> {
        let start = Instant::now();
        let before = self.kv_len();
        let end = self.position().saturating_sub(1);
        self.stand();
        self.run_until(end, before, on_progress)?;
        // A cancel may have cost what windowed layers held.
        Ok(Timing { tokens: self.kv_len().saturating_sub(before), seconds: start.elapsed().as_secs_f64() })
    }

    /// Runs tables without a head until the KV cache holds `end` tokens, which are not all. False if the callback or a cancel stopped it.
    fn run_until(
        &mut self,
        end: u32,
        from: u32,
        on_progress: &mut dyn FnMut(u32, u32) -> Control,
    ) -> Result<bool, Error> {
        while self.kv_len() < end {
            let (first, rows) = (self.kv_len(), self.batch.next_rows(end - self.kv_len()));
            self.run(Mode::Plain, rows, Steps::at_once(1), &mut |_, _| Next::Go)?;
            if self.kv_len() == first {
                self.keep_kv(first);
                return Ok(false);
            }
            if self.cancel.asked() || on_progress(self.kv_len() - from, end - from) == Control::Stop {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A run of the batch, which begins with the next `rows` tokens.
    pub(crate) fn run(
        &mut self,
        mode: Mode,
        rows: u32,
        steps: Steps,
        on_draw: &mut dyn FnMut(&Sequence, Draw) -> Next,
    ) -> Result<(), Error> {
        let first = self.kv_len();
        self.cancel.begin();
        let ran = self.batch.run_one(mode, &mut self.sequence, rows, steps, &mut |s, draw| on_draw(s, draw));
        // Steps may have written more than counts: after a stop, of drafts that were not drawn, or at all rows before a cancel.
        let reached = self.batch.reached();
        // Of a device that failed nothing is known.
        let reached = reached.unwrap_or_else(|_| self.context());
        self.kv_high = self.kv_high.max(reached).max(first + rows);
        ran
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

    /// The same with each token's log-probabilities, where [`Sampling::logprobs`](crate::Sampling::logprobs) asks for them.
    pub fn decode_log_probs(
        &mut self,
        options: &DecodeOptions,
        on_token: &mut dyn FnMut(Token, Option<&LogProbs>) -> Control,
    ) -> Result<Decoded, Error> {
        let mut bounds = self.batch.bounds(&options.sampling, None)?;
        let decoded = self.decode_part(&mut bounds, options, on_token);
        self.cancel.withdraw();
        decoded
    }

    /// [`Session::decode`] as a part of a call that goes on after it, with what its text follows: a cancel that came too late is kept for the
    /// next part.
    pub(crate) fn decode_part(
        &mut self,
        bounds: &mut Bounds,
        options: &DecodeOptions,
        on_token: &mut OnToken<'_>,
    ) -> Result<Decoded, Error> {
        self.check_decode(options)?;
        let start_len = self.position();
        self.begin(options.max_tokens, &options.sampling, options.eos);
        self.sequence.exchange(bounds);
        let first_kv = self.kv_len();
        let mut told = Told { on_token, start: Instant::now(), first: None, tokens: 0, stopped: false };
        let drawn = self.draw(options, &mut told);
        let Told { start, first, tokens, stopped, .. } = told;
        // A cancel has been obeyed; what runs next must not see it.
        self.batch.forget_stop();
        let failed = match (&drawn, self.sequence.finish()) {
            (Err(_), _) | (_, Some(FinishReason::NotFinite | FinishReason::Stuck)) => {
                Some(self.sequence.error())
            }
            _ => None,
        };
        self.sequence.exchange(bounds);
        if let Some(error) = failed {
            // How far a failed device came is not known.
            self.kv_high = self.kv_high.max(self.position().max(start_len) + 1);
            self.sequence.truncate(start_len);
            self.keep_kv(start_len - 1);
            return Err(drawn.err().unwrap_or(error));
        }
        let finish = match self.sequence.finish() {
            Some(finish) if !stopped => finish,
            _ => FinishReason::Cancelled,
        };
        self.keep_kv(self.position() - 1);
        let all = start.elapsed().as_secs_f64();
        let first = first.unwrap_or(all);
        // A cancel may have ended the prompt, and cost what windowed layers held.
        let ran = if finish == FinishReason::Cancelled && tokens == 0 { self.kv_len() } else { start_len };
        let prompt = ran.saturating_sub(first_kv);
        Ok(Decoded {
            tokens,
            finish,
            prefill: Timing { tokens: prompt, seconds: first },
            decode: Timing { tokens: tokens.saturating_sub(1), seconds: all - first },
            drafts: self.sequence.drafts(),
        })
    }

    /// Refuses what cannot be decoded.
    fn check_decode(&self, options: &DecodeOptions) -> Result<(), Error> {
        options.sampling.check_for(self.program().config.vocab)?;
        if options.max_tokens == 0 {
            let remedy = "ask for at least 1";
            return Err(Error::Option { name: "max tokens", value: "0".into(), remedy });
        }
        if self.tokens().is_empty() {
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

    /// Runs and draws until something ends it.
    fn draw(&mut self, options: &DecodeOptions, told: &mut Told<'_>) -> Result<(), Error> {
        self.sequence.check_guide();
        while let Some(draw) = self.sequence.force() {
            if told.tell(draw) == Next::End {
                return Ok(());
            }
        }
        let chunk = options.chunk.unwrap_or(self.program().target.chunk).max(1);
        // Records of log-probabilities are read between runs.
        let most = if self.sequence.settings.log_probs() { chunk.min(LOGPROB_STEPS) } else { u32::MAX };
        while self.goes_on(told) {
            if let Some(mut drafts) = self.drafts.take_if(|_| self.sequence.can_draft()) {
                let ended = self.draw_drafting(&mut drafts, chunk, told);
                self.drafts = Some(drafts);
                ended?;
                continue;
            }
            let Some(rows) = self.run_prompt()? else { return Ok(()) };
            let all = self.steps_left().min(most);
            self.run(Mode::Plain, rows, Steps { all, chunk }, &mut |_, draw| told.tell(draw))?;
        }
        Ok(())
    }

    /// Runs all but the last step of what is pending, without a head; the rows that are left, which draw. `None` where a cancel
    /// kept it from that.
    pub(crate) fn run_prompt(&mut self) -> Result<Option<u32>, Error> {
        let end = self.position();
        let rows = self.batch.last_rows(end - self.kv_len());
        let ran = self.run_until(end - rows, self.kv_len(), &mut |_, _| Control::Continue)?;
        Ok((ran && !self.cancel.asked()).then_some(rows))
    }

    /// Whether there is more to draw.
    pub(crate) fn goes_on(&self, told: &Told<'_>) -> bool {
        !told.stopped && self.sequence.finish().is_none() && !self.cancel.asked()
    }

    /// Steps that a run may have, each with a token.
    pub(crate) fn steps_left(&self) -> u32 {
        let most = self.batch.most_steps(1).try_into().unwrap_or(u32::MAX);
        self.sequence.left().clamp(1, most)
    }
}

/// Who is told of tokens, and what they were told.
pub(crate) struct Told<'a> {
    on_token: &'a mut OnToken<'a>,
    start: Instant,
    /// Seconds until the first token.
    first: Option<f64>,
    tokens: u32,
    pub(crate) stopped: bool,
}

impl Told<'_> {
    /// Tells of a draw.
    pub(crate) fn tell(&mut self, draw: Draw) -> Next {
        // What ended it says why.
        let Some(token) = draw.token else { return Next::Go };
        self.first.get_or_insert_with(|| self.start.elapsed().as_secs_f64());
        self.tokens += 1;
        if (self.on_token)(token, draw.logprobs.as_ref()) == Control::Stop {
            self.stopped = true;
            return Next::End;
        }
        Next::Go
    }
}
