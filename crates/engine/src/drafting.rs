//! A session's steps that verify drafts, where these pay.

use crate::Error;
use crate::batch::{Next, Steps};
use crate::decode::Told;
use crate::decoded::{Control, DecodeOptions, Eos};
use crate::drafts::{Gave, Mode};
use crate::session::{Drafts, ForceDrafts, Session};
use std::time::Instant;

impl Session {
    /// Has what a draft model draws changed before it is verified, for measurements of what a given share of right drafts costs. The
    /// text stays what it is.
    #[doc(hidden)]
    pub fn force_drafts(&mut self, force: ForceDrafts) {
        if let Some(drafts) = &mut self.drafts {
            drafts.force = Some(force);
        }
    }

    /// As `draw`, with steps that verify drafts where these pay.
    pub(crate) fn draw_drafting(
        &mut self,
        drafts: &mut Drafts,
        chunk: u32,
        told: &mut Told<'_>,
    ) -> Result<(), Error> {
        // Whatever is made for the first time is made before the first step.
        self.batch.verifier(self.sequence.settings.draw)?;
        let Some(rows) = self.run_prompt()? else { return Ok(()) };
        self.run(Mode::Plain, rows, Steps::at_once(1), &mut |_, draw| told.tell(draw))?;
        drafts.pace = drafts.pace.anew();
        let mut mode = drafts.pace.mode(Mode::Plain);
        while self.goes_on(told) {
            match (&drafts.model, mode) {
                (Some(_), Mode::Drafting) => self.draw_assisted(drafts, told)?,
                _ => self.draw_phase(drafts, mode, chunk, told)?,
            }
            mode = drafts.pace.mode(mode);
        }
        Ok(())
    }

    /// Steps of one kind, until the other kind is better, or longer or shorter drafts are.
    fn draw_phase(
        &mut self,
        Drafts { pace, follower, .. }: &mut Drafts,
        mode: Mode,
        chunk: u32,
        told: &mut Told<'_>,
    ) -> Result<(), Error> {
        let (context, words) = (self.context(), pace.words());
        self.batch.draft_by(words);
        follower.begin(&words, self.tokens(), self.sequence.draft_room(context));
        let most = self.batch.most_steps(1) / u64::from(self.batch.most_gain());
        let all = self.steps_left().min(most.try_into().unwrap_or(u32::MAX));
        let steps = Steps { all, chunk: chunk.min(pace.chunk(mode)) };
        let (start, before, mut drawn) = (Instant::now(), pace.steps(), 0);
        self.run(mode, 1, steps, &mut |sequence, draw| {
            let next = told.tell(draw);
            drawn += 1;
            if pace.is_assisted() {
                pace.count_plain_step();
            } else if let Some(gave) =
                follower.follow(&words, sequence.tokens(), sequence.draft_room(context))
            {
                pace.take(gave);
            }
            match (mode, start.elapsed().as_secs_f64()) {
                (Mode::Plain, seconds) => pace.measure(drawn, seconds),
                (Mode::Drafting, seconds) => pace.measure_drafting(before, seconds),
            }
            // Drafts twice as long, or half as long, are worth a pause.
            let (now, then) = (pace.worth(), words.unsure);
            let same = mode == Mode::Plain || now < 2 * then && then < 2 * now;
            let changes = !same || pace.mode(mode) != mode;
            if next == Next::Go && changes { Next::Pause } else { next }
        })
    }

    /// Steps that verify what a draft model has drawn, until plain ones are better.
    fn draw_assisted(&mut self, drafts: &mut Drafts, told: &mut Told<'_>) -> Result<(), Error> {
        let Drafts { model: Some(model), force, pace, .. } = drafts else { return Ok(()) };
        let (start, before) = (Instant::now(), pace.steps());
        pace.start_rest();
        self.batch.draft_by(pace.words());
        while self.goes_on(told) {
            let known = self.position();
            let room = self.sequence.draft_room(self.context());
            let drafted = self.ask(model, room.min(self.program().drafts).min(pace.worth()))?;
            let mut draft = std::mem::take(&mut self.sequence.offered);
            draft.clear();
            draft.extend_from_slice(&model.tokens()[model.tokens().len() - drafted as usize..]);
            if let Some(force) = force {
                force(known as usize, &mut draft);
                model.sequence.overwrite(known, &draft);
            }
            self.sequence.offered = draft;
            let ran = self.run(Mode::Drafting, 1, Steps::at_once(1), &mut |_, draw| told.tell(draw));
            self.sequence.offered.clear();
            ran?;
            let gave = self.position() - known;
            pace.take(Gave { drafts: drafted.max(1), tokens: gave });
            pace.measure_drafting(before, start.elapsed().as_secs_f64());
            if gave == 0 || pace.mode(Mode::Drafting) == Mode::Plain {
                break;
            }
        }
        Ok(())
    }

    /// Has a draft model draw up to `most` tokens after all that are known; how many it drew. Where its context is shorter, none.
    fn ask(&self, model: &mut Session, most: u32) -> Result<u32, Error> {
        let tokens = self.tokens();
        let common = model.tokens().iter().zip(tokens).take_while(|(a, b)| a == b).count();
        if most == 0 || tokens.len() as u64 + u64::from(most) > u64::from(model.context()) {
            return Ok(0);
        }
        model.rewind(common as u32)?;
        model.append(&tokens[common..])?;
        let options = DecodeOptions {
            max_tokens: most,
            sampling: self.sequence.sampling().clone(),
            eos: Eos::Ignore,
            chunk: Some(most),
        };
        match model.decode(&options, &mut |_| Control::Continue) {
            Ok(drawn) => Ok(drawn.tokens),
            // Its numbers are its own; the model goes on without it.
            Err(Error::NotFinite { .. } | Error::NoToken { .. }) => Ok(0),
            Err(e) => Err(e),
        }
    }
}
