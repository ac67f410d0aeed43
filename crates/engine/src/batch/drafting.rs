//! Steps of a batch that verify drafts. Tables of few rows do, and share their rows out among the sequences; so the more sequences
//! draw, the less each drafts, and from half as many sequences as rows on none does.

use super::{Batch, Draw, Mode, Next, Piece, Queue, Queued, Sequence, Steps, TableDraw};
use crate::Error;
use crate::drafts::{DraftCounts, Follower, draft_offset};
use akunu_device::Replay;
use akunu_kernels::accept::Draft;
use akunu_kernels::step::{RowCount, SeqIndex};
use akunu_plan::table::Region;

impl Batch {
    /// As [`Batch::run`], of sequences that draw (one row each), in steps that draft and verify. What is drawn is the same; a step
    /// draws up to [`Batch::most_gain`] tokens of a sequence.
    pub fn run_drafting<G: AsMut<Sequence>>(
        &mut self,
        guests: &mut [G],
        pieces: &[Piece],
        steps: u32,
        on_draw: &mut dyn FnMut(&mut G, usize, Draw) -> Next,
    ) -> Result<(), Error> {
        self.run_as(Mode::Drafting, guests, pieces, Steps::at_once(steps), on_draw)
    }

    /// The most tokens that a step of [`Batch::run_drafting`] draws of a sequence.
    pub fn most_gain(&self) -> u32 {
        self.program.drafts + 1
    }

    /// Whether so many sequences may draft: there are rows for it, in tables of the family that they draw in without drafts.
    pub fn drafts_for(&self, sequences: u32) -> bool {
        let (rows, target) = (self.program.verified_rows(), &self.program.target);
        let family = |rows: RowCount| target.family(rows).rows;
        let own = self.table_rows(RowCount(sequences));
        self.program.drafts > 0 && sequences * 2 <= rows.0 && family(own) == family(rows)
    }

    /// How steps draft from now on; at most as many tokens as the batch was made for.
    pub(crate) fn draft_by(&mut self, words: Draft) {
        self.drafts = self.drafts.map(|_| words);
    }

    /// Rows of a drafting step that no sequence has for certain.
    pub(super) fn spare(&self, mode: Mode, pieces: &[Piece]) -> Result<u32, Error> {
        if mode == Mode::Plain {
            return Ok(0);
        }
        let n = pieces.len() as u32;
        if !self.drafts_for(n) || pieces.iter().any(|p| p.rows != 1) {
            let remedy =
                "let at most half as many sequences draft as a table of few rows has, each with one row";
            return Err(Error::Option { name: "pieces of a step that drafts", value: n.to_string(), remedy });
        }
        Ok(self.program.verified_rows().0 - n)
    }

    /// Tells the device how a sequence drafts, and puts the first draft onto its belt; so many tokens.
    pub(super) fn draft(
        &self,
        mode: Mode,
        sequence: &mut Sequence,
        index: SeqIndex,
        spare: &mut u32,
    ) -> Result<u32, Error> {
        let Some(words) = self.drafts.filter(|_| mode == Mode::Drafting) else { return Ok(0) };
        let most = if sequence.can_draft() { words.most.min(self.program.drafts) } else { 0 };
        let words = Draft { most, ..words };
        self.memory[Region::Drafts as usize].write(draft_offset(index), bytemuck::bytes_of(&words))?;
        let room = sequence.draft_room(self.context()).min(*spare);
        let mut follower = Follower::default();
        let draft = match sequence.offered.len() as u32 {
            0 => follower.begin(&words, &sequence.tokens, room.min(most)),
            n => &sequence.offered[..n.min(room) as usize],
        };
        let slot = u64::from(index.0) * u64::from(self.program.max_seq()) + sequence.tokens.len() as u64;
        if !draft.is_empty() {
            self.memory[Region::Tokens as usize].write(slot * 4, bytemuck::cast_slice(draft))?;
        }
        *spare -= draft.len() as u32;
        Ok(draft.len() as u32)
    }

    /// Steps that draft, to be queued from the first on.
    pub(super) fn submit_drafting(&mut self, steps: Steps, draw: TableDraw) -> Result<Queue, Error> {
        // Whatever is made for the first time is made before the first step.
        self.verifier(draw)?;
        Ok(Queue { kind: Queued::Verify(draw), queued: 0, left: steps.all, chunk: steps.chunk })
    }

    /// The table that verifies drafts with such draws, made when it is first asked for.
    pub(crate) fn verifier(&mut self, draw: TableDraw) -> Result<&mut Box<dyn Replay>, Error> {
        let made = match self.verify[draw as usize].take() {
            Some(made) => made,
            None => {
                let table = self.program.drafting_table(self.program.verified_rows(), draw)?;
                self.model.device.lower(&table, &self.memory, &self.stream)?
            }
        };
        Ok(self.verify[draw as usize].insert(made))
    }

    /// Takes what the device has counted.
    pub(super) fn count_drafts(&self, sequence: &mut Sequence) -> Result<(), Error> {
        let Some(place) = &sequence.place else { return Ok(()) };
        sequence.drafts += DraftCounts::read(&*self.memory[Region::Drafts as usize], place.index)?;
        Ok(())
    }
}
