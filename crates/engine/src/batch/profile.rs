//! Where the time of a batch's step goes.

use super::{Batch, Mode, Piece, SequenceOptions};
use crate::Error;
use crate::decoded::Eos;
use crate::profile::{Profile, Samples};
use crate::sampling::Sampling;
use akunu_device::Replay;
use akunu_kernels::contract::Load;
use akunu_kernels::step::{RowCount, Token};
use akunu_plan::{Shape, VerifiedTable};
use std::sync::Arc;

impl Batch {
    /// Profiles a step in which so many sequences draw so, each at KV length `kv_len`. What the cache then holds of them is whatever
    /// was there before.
    pub fn profile(
        &mut self,
        sequences: u32,
        kv_len: u32,
        sampling: &Sampling,
        repeats: u32,
    ) -> Result<Profile, Error> {
        if sequences == 0 || kv_len == 0 || repeats == 0 {
            let value = format!("{sequences} sequences, KV length {kv_len}, repeats {repeats}");
            return Err(Error::Option { name: "profile", value, remedy: "each must be at least 1" });
        }
        let places = self.program.capacity().seqs;
        if sequences > places.min(self.most_rows().0) {
            let remedy = "ask for no more sequences than the batch has places, nor than a step has rows";
            return Err(Error::Option {
                name: "sequences of a profile",
                value: sequences.to_string(),
                remedy,
            });
        }
        let options =
            SequenceOptions { max_tokens: 2, sampling: sampling.clone(), eos: Eos::Ignore, reasoning: None };
        let vocab = self.program.config.vocab;
        let mut guests = Vec::new();
        for i in 0..sequences {
            // Different from the first token on, so that none finds another in the cache.
            let tokens: Vec<Token> = (0..kv_len).map(|t| Token((t + i) % vocab)).collect();
            let mut sequence = self.sequence(&tokens, &options)?;
            sequence.kv_len = kv_len - 1;
            guests.push(sequence);
        }
        let pieces: Vec<Piece> = (0..guests.len()).map(|guest| Piece { guest, rows: 1 }).collect();
        let rows = RowCount(sequences);
        let shape = self.program.shape(self.ladder[self.rung(rows)].0).drawing(sampling.settings().draw);
        let (table, mut replay) = self.profiled(shape)?;
        let mut samples = Samples::new(&table);
        let stream = Arc::clone(&self.stream);
        let ended = (0..=repeats).try_for_each(|_| {
            samples.take(&mut *replay, &*stream, || {
                self.prepare(Mode::Plain, &mut guests, &pieces, 1).map(|_| ())
            })
        });
        self.stream.reset();
        ended?;
        Ok(samples.report(&table, Load { rows, head_rows: rows, kv_len }))
    }

    /// A table of this shape, to be timed.
    pub(crate) fn profiled(&self, shape: Shape) -> Result<(VerifiedTable, Box<dyn Replay>), Error> {
        let table = self.program.table("profile", shape)?;
        let replay = self.model.device.lower(&table, &self.memory, &self.stream)?;
        Ok((table, replay))
    }
}
