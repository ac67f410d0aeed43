//! Steps that draw nothing: what the output head would read of the last token of each sequence.

use super::{Batch, BatchOptions, Piece, Sequence};
use crate::Error;
use crate::drafts::Mode;
use crate::model::Model;
use akunu_kernels::act::ActFormat;
use akunu_plan::table::Region;

impl Model {
    /// A batch that reads: [`Batch::read`] is what it is for, and it cannot run. All its tables are of one family, so a sequence's states do not
    /// depend on what else is in a step.
    pub(crate) fn reading_batch(&self, options: &BatchOptions) -> Result<Batch, Error> {
        Batch::new(self, options, |p| p.hidden_tables().collect())
    }
}

impl Batch {
    /// Makes a step of these pieces. `on_state` is given the state of the last token of each sequence that ends in it, `[hidden] f32`, after the
    /// final norm, by its place in the caller's list. Nobody finds what such a sequence leaves in the cache.
    pub(crate) fn read<G: AsMut<Sequence>>(
        &mut self,
        guests: &mut [G],
        pieces: &[Piece],
        on_state: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), Error> {
        let (rows, heads, _) = self.prepare(Mode::Plain, guests, pieces, 1)?;
        let rung = self.rung(rows);
        self.ladder[rung].1.submit(1)?;
        self.stream.wait(u64::MAX, 0)?;
        let hidden = self.program.config.hidden as usize;
        // Rows of activations may be apart from each other.
        let stride = ActFormat::F32.row_bytes(hidden) / 4;
        let mut states = vec![0f32; heads.index() * stride];
        if !states.is_empty() {
            self.memory[Region::Logits as usize].read(0, bytemuck::cast_slice_mut(&mut states))?;
        }
        let mut states = states.chunks_exact(stride);
        for piece in pieces {
            let sequence = guests[piece.guest].as_mut();
            sequence.kv_len += piece.rows;
            if let Some(windows) = self.program.cache.windows {
                sequence.tail.begin_at(windows.first_block(sequence.kv_len) as usize);
            }
            if sequence.drawing
                && let Some(state) = states.next()
            {
                on_state(piece.guest, &state[..hidden]);
            }
        }
        Ok(())
    }
}
