//! What the device is told of a sequence's samplers, and the tables that draw by them.

use super::{Batch, Sequence, TableDraw};
use crate::Error;
use crate::sampling::{Sampling, Settings};
use akunu_device::Replay;
use akunu_kernels::sampler::{MAX_BIASES, mask_words};
use akunu_kernels::step::SeqIndex;
use akunu_plan::table::Region;

impl Batch {
    /// A table of the ladder that draws so. One that draws with all samplers is made when it is first asked for.
    pub(super) fn table(&mut self, i: usize, draw: TableDraw) -> Result<&mut Box<dyn Replay>, Error> {
        if draw == TableDraw::Plain {
            return Ok(&mut self.ladder[i].1);
        }
        let made = match self.full[i].take() {
            Some(made) => made,
            None => {
                let table = self.program.sampled_table(self.ladder[i].0)?;
                self.model.device.lower(&table, &self.memory, &self.stream)?
            }
        };
        Ok(self.full[i].insert(made))
    }

    /// Tells the device how the sequence at a place draws. `bound` is mirostat's for the next token, where it has one already.
    pub(super) fn tell(
        &self,
        index: SeqIndex,
        sampling: &Sampling,
        settings: &Settings,
        bound: Option<f32>,
        tokens: usize,
    ) -> Result<(), Error> {
        let (sampler, own) = (&settings.sampler, u64::from(index.0));
        let write = |region: Region, at: u64, bytes: &[u8]| self.memory[region as usize].write(at, bytes);
        write(Region::Samplers, own * size_of_val(sampler) as u64, bytemuck::bytes_of(sampler))?;
        for (i, bias) in sampling.biases().enumerate() {
            let at = (own * u64::from(MAX_BIASES) + i as u64) * size_of_val(&bias) as u64;
            write(Region::Biases, at, bytemuck::bytes_of(&bias))?;
        }
        let bound = bound.unwrap_or(2.0 * sampler.mirostat_tau);
        write(Region::Mirostat, self.bound_at(index, tokens), &bound.to_ne_bytes())?;
        let words = mask_words(self.program.config.vocab) as usize;
        let breakers: Vec<u32> = sampling.breakers(words).collect();
        write(Region::Breakers, own * words as u64 * 4, bytemuck::cast_slice(&breakers))?;
        Ok(())
    }

    /// Keeps mirostat's bound of a sequence that gives up its place.
    pub(super) fn keep_bound(&self, sequence: &mut Sequence) -> Result<(), Error> {
        if let Some(place) = sequence.place.as_ref().filter(|p| p.told) {
            let mut bound = [0; 4];
            let at = self.bound_at(place.index, sequence.tokens.len());
            self.memory[Region::Mirostat as usize].read(at, &mut bound)?;
            sequence.mirostat = Some(f32::from_ne_bytes(bound));
        }
        Ok(())
    }

    /// Where mirostat's bound for a position is; a full belt has none for the next.
    pub(super) fn bound_at(&self, index: SeqIndex, position: usize) -> u64 {
        let slots = u64::from(self.program.max_seq());
        (u64::from(index.0) * slots + (position as u64).min(slots - 1)) * 4
    }
}
