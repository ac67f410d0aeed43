//! What a run begins with: pieces checked, sequences seated, the step block written.

use super::{Batch, Mode, Piece, Sequence, TableDraw};
use crate::Error;
use akunu_kernels::sampler::LOGPROB_RECORDS;
use akunu_kernels::step::{Head, Header, Position, Row, RowCount, Seq, SeqIndex};
use akunu_plan::table::Region;

impl Batch {
    /// Checks the pieces, gives their sequences places and blocks, and writes the step block; (rows, heads), and how tables must draw.
    pub(super) fn prepare<G: AsMut<Sequence>>(
        &mut self,
        mode: Mode,
        guests: &mut [G],
        pieces: &[Piece],
        steps: u32,
    ) -> Result<(RowCount, RowCount, TableDraw), Error> {
        let capacity = self.program.capacity();
        let rows: u64 = pieces.iter().map(|p| u64::from(p.rows)).sum();
        let most = u64::from(self.most_rows());
        let refuse = |name, value: u64, remedy| Err(Error::Option { name, value: value.to_string(), remedy });
        if rows == 0 || rows > most || pieces.iter().any(|p| p.rows == 0) {
            return refuse(
                "rows of a step",
                rows,
                "ask for at least one of each piece, and `most_rows` in all",
            );
        }
        if pieces.len() > capacity.seqs as usize {
            return refuse(
                "pieces of a step",
                pieces.len() as u64,
                "ask for no more than the batch has places",
            );
        }
        // What a sequence of each piece gains at most.
        let per_step = if mode == Mode::Drafting { self.program.drafts + 1 } else { 1 };
        let gain = steps.saturating_mul(per_step);
        if steps == 0 || u64::from(gain) > self.most_steps(pieces.len() as u32) {
            return refuse("steps", steps.into(), "ask for at least one and at most `most_steps`");
        }
        let mut spare = self.spare(mode, pieces)?;
        self.step.clear();
        let header = capacity.header();
        self.step.extend_from_slice(bytemuck::bytes_of(&header));
        self.step.resize(size_of_val(&header) + capacity.seqs as usize * size_of::<Seq>(), 0);
        self.guest_at.fill(usize::MAX);
        let mut heads = [(0, SeqIndex(0)); akunu_plan::MAX_SEQUENCES as usize];
        let (mut n, mut row, mut draw) = (0, 0, TableDraw::Plain);
        for piece in pieces {
            let Some(guest) = guests.get_mut(piece.guest) else {
                return refuse("guest", piece.guest as u64, "name one of the list");
            };
            let sequence = guest.as_mut();
            if sequence.is_parked() || piece.rows > sequence.pending() {
                let remedy = "ask for no more than is pending, of a sequence that runs";
                return refuse("rows of a piece", piece.rows.into(), remedy);
            }
            sequence.drawing = piece.rows == sequence.pending();
            (sequence.appended, sequence.is_late) = (0, false);
            let more = if sequence.drawing { gain - 1 } else { 0 };
            let index = self.seat(sequence, piece.rows + more)?;
            if self.guest_at[index.index()] != usize::MAX {
                return refuse("guest", piece.guest as u64, "name each sequence once");
            }
            self.guest_at[index.index()] = piece.guest;
            let at = akunu_kernels::step::seq_offset(index);
            self.step[at..at + size_of::<Seq>()].copy_from_slice(bytemuck::bytes_of(&sequence.state()));
            let drafted = self.draft(mode, sequence, index, &mut spare)?;
            for pos in sequence.kv_len..sequence.kv_len + piece.rows + drafted {
                self.step.extend_from_slice(bytemuck::bytes_of(&Row { seq: index, pos: Position(pos) }));
            }
            row += piece.rows + drafted;
            if sequence.drawing {
                if sequence.settings.log_probs() && steps > LOGPROB_RECORDS {
                    return refuse(
                        "steps",
                        steps.into(),
                        "ask for at most 64 where log-probabilities are wanted",
                    );
                }
                for i in (0..=drafted).rev() {
                    heads[n] = (row - 1 - i, index);
                    n += 1;
                }
                if sequence.settings.draw == TableDraw::Full {
                    draw = TableDraw::Full;
                }
            }
        }
        // A single sequence that does not draft has no list: its last row draws.
        if capacity.heads > 0 {
            self.step.resize(capacity.heads_at(), 0);
            for (row, seq) in &heads[..n] {
                let head = Head { row: *row, seq: *seq, ..Head::default() };
                self.step.extend_from_slice(bytemuck::bytes_of(&head));
            }
        }
        let header = Header { rows: row, head_rows: n as u32, ..header };
        self.step[..size_of_val(&header)].copy_from_slice(bytemuck::bytes_of(&header));
        self.memory[Region::Step as usize].write(0, &self.step)?;
        Ok((RowCount(row), RowCount(n as u32), draw))
    }

    /// A sequence's place, with its tokens on the belt and its blocks, those of `more` positions among them, in the block table.
    pub(super) fn seat(&self, sequence: &mut Sequence, more: u32) -> Result<SeqIndex, Error> {
        let positions = sequence.kv_len.saturating_add(more);
        if !self.reserve_run(sequence, positions)? {
            return Err(Error::CacheFull { tokens: positions, blocks: self.program.cache.pool });
        }
        if sequence.place.is_none() {
            sequence.place = self.places.take();
        }
        let Some(place) = &mut sequence.place else {
            let value = self.program.capacity().seqs.to_string();
            return Err(Error::Option {
                name: "sequences",
                value,
                remedy: "all places are taken; wait, or load more",
            });
        };
        let index = place.index;
        // Samplers that no table of a single sequence asks for are not read.
        let is_read = !self.is_single() || sequence.settings.draw == TableDraw::Full;
        if is_read && !place.told {
            self.tell(
                index,
                &sequence.sampling,
                &sequence.settings,
                sequence.mirostat,
                sequence.tokens.len(),
            )?;
            place.told = true;
        }
        let known = sequence.tokens.len() as u32;
        if place.belt < known {
            let at = u64::from(index.0) * u64::from(self.program.max_seq()) + u64::from(place.belt);
            let new = &sequence.tokens[place.belt as usize..];
            self.memory[Region::Tokens as usize].write(at * 4, bytemuck::cast_slice(new))?;
            place.belt = known;
        }
        let per = u64::from(self.program.cache.blocks());
        while let Some(held) = sequence.chain.get(place.entries) {
            let at = u64::from(index.0) * per + place.entries as u64;
            self.memory[Region::BlockTable as usize].write(at * 4, bytemuck::bytes_of(&held.block()))?;
            place.entries += 1;
        }
        place.window_entries = place.window_entries.max(sequence.tail.first());
        while let Some(held) = sequence.tail.get(place.window_entries) {
            let at = u64::from(index.0) * per + place.window_entries as u64;
            self.memory[Region::WindowTable as usize].write(at * 4, bytemuck::bytes_of(&held.block()))?;
            place.window_entries += 1;
        }
        Ok(index)
    }
}
