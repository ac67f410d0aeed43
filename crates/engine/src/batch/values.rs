//! Logits and hidden states of every row of a single sequence's steps.

use super::{Batch, Sequence};
use crate::Error;
use crate::cancel::Canceller;
use akunu_kernels::act::ActFormat;
use akunu_kernels::step::{Header, Position, Row, RowCount};
use akunu_plan::table::Region;
use akunu_plan::{Shape, Walk};

/// What is read of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    Logits,
    Hidden,
}

impl Values {
    /// Numbers of a row, and how far rows are apart: activations have gaps between them.
    pub(crate) fn width(self, batch: &Batch) -> (usize, usize) {
        let config = &batch.program.config;
        match self {
            Self::Logits => (config.vocab as usize, config.vocab as usize),
            Self::Hidden => {
                let hidden = config.hidden as usize;
                (hidden, ActFormat::F32.row_bytes(hidden) / 4)
            }
        }
    }
}

impl Batch {
    /// Rows of a step of [`Batch::read_values`].
    pub(crate) fn value_rows(&self) -> RowCount {
        self.program.settings.head_rows.min(RowCount(self.context()))
    }

    /// Runs a sequence's next `rows` tokens and reads the values of the last `head_rows` of them. False where a cancel kept it from that;
    /// the sequence stands where it stood then.
    pub(crate) fn read_values(
        &mut self,
        sequence: &mut Sequence,
        values: Values,
        [rows, head_rows]: [RowCount; 2],
        cancel: &Canceller,
        out: &mut [f32],
    ) -> Result<bool, Error> {
        let all = self.value_rows();
        if self.values[values as usize].is_none() {
            let shape = Shape::new(all, all);
            let table = match values {
                Values::Logits => self.program.table("score", Walk::Tokens(shape))?,
                Values::Hidden => self.program.table("hidden", Walk::Hidden(shape))?,
            };
            self.values[values as usize] =
                Some(self.model.device.lower(&table, &self.memory, &self.stream)?);
        }
        // The step before may have drawn a token onto the belt, in the place of this step's first.
        if let Some(place) = &mut sequence.place {
            place.belt = place.belt.min(sequence.kv_len);
        }
        self.write_rows(sequence, rows, head_rows)?;
        if let Some(table) = &mut self.values[values as usize] {
            table.submit(1)?;
        }
        self.stream.wait(u64::MAX, 0)?;
        // Nothing else stops such a step, so usually the step block need not be read.
        if cancel.asked() && self.header()?.steps == 0 {
            return Ok(false);
        }
        let stride = values.width(self).1;
        if let Some(out) = out.get_mut(..head_rows.index() * stride) {
            self.memory[Region::Logits as usize].read(0, bytemuck::cast_slice_mut(out))?;
        }
        sequence.kv_len += rows.0;
        Ok(true)
    }

    /// Writes the step block for a single sequence's next `rows` rows, whose last `head_rows` have values.
    pub(crate) fn write_rows(
        &mut self,
        sequence: &mut Sequence,
        rows: RowCount,
        head_rows: RowCount,
    ) -> Result<(), Error> {
        let index = self.seat(sequence, rows.0)?;
        let capacity = self.program.capacity();
        let header = Header { rows: rows.0, head_rows: head_rows.0, ..capacity.header() };
        let state = sequence.state();
        self.step.clear();
        self.step.extend_from_slice(bytemuck::bytes_of(&header));
        self.step.extend_from_slice(bytemuck::bytes_of(&state));
        for pos in state.len..state.len + rows.0 {
            let row = Row { seq: index, pos: Position(pos) };
            self.step.extend_from_slice(bytemuck::bytes_of(&row));
        }
        Ok(self.memory[Region::Step as usize].write(0, &self.step)?)
    }

    /// The step block's header, once nothing runs.
    pub(super) fn header(&self) -> Result<Header, Error> {
        let mut header = [0u8; size_of::<Header>()];
        self.memory[Region::Step as usize].read(0, &mut header)?;
        Ok(bytemuck::pod_read_unaligned(&header))
    }

    /// The logits of the row that drew last.
    pub(crate) fn last_logits(&self) -> Result<Vec<f32>, Error> {
        let mut out = vec![0f32; self.program.config.vocab as usize];
        self.memory[Region::Logits as usize].read(0, bytemuck::cast_slice_mut(&mut out))?;
        Ok(out)
    }
}
