//! Where the time of a batch's step goes.

use super::{Batch, Layers, Mode, Piece, Sequence, SequenceOptions};
use crate::Error;
use crate::blocks::Held;
use crate::decoded::Eos;
use crate::profile::{Profile, Samples};
use crate::sampling::Sampling;
use akunu_device::Replay;
use akunu_kernels::contract::Load;
use akunu_kernels::kv::{KvFormat, KvPlace};
use akunu_kernels::step::{Block, KV_BLOCK, RowCount, Token};
use akunu_plan::table::Region;
use akunu_plan::{Shape, VerifiedTable};
use std::sync::Arc;

impl Batch {
    /// Profiles a step in which so many sequences draw so, each at KV length `kv_len`. Their blocks are filled with numbers that no prompt
    /// gave: over an empty cache a GPU at its power cap took less time for a step than while it draws.
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
        // Gives the sequences their blocks.
        self.prepare(Mode::Plain, &mut guests, &pieces, 1)?;
        self.furnish(&guests)?;
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

    /// Fills the blocks of sequences, but for those that others may share: they hold a prompt's numbers.
    fn furnish(&self, sequences: &[Sequence]) -> Result<(), Error> {
        let cache = &self.program.cache;
        let c = &self.program.config;
        let (heads, width) = (c.kv_heads as usize, c.head_dim as usize);
        for layers in [Layers::Others, Layers::Windowed] {
            let own = |s: &Sequence| -> Vec<Block> {
                let held: Vec<&Held> = match layers {
                    Layers::Others => s.chain.iter().skip(s.published).collect(),
                    Layers::Windowed => (s.tail.first().max(s.published)..s.tail.end())
                        .filter_map(|i| s.tail.get(i))
                        .collect(),
                };
                held.into_iter().map(Held::block).collect()
            };
            let blocks = sequences.iter().flat_map(own);
            let mut first = None;
            for block in blocks {
                let Some(from) = first else {
                    let [keys, values] = [cache.k, cache.v].map(|format| noise(format, heads, width));
                    for part in self.parts(layers) {
                        let bytes = if part.region == Region::KCache { &keys } else { &values };
                        self.memory[part.region as usize].write(part.at(block), bytes)?;
                    }
                    first = Some(block);
                    continue;
                };
                self.copy(layers, from, block)?;
            }
        }
        Ok(())
    }

    /// A table of this shape, to be timed.
    pub(crate) fn profiled(&self, shape: Shape) -> Result<(VerifiedTable, Box<dyn Replay>), Error> {
        let table = self.program.table("profile", shape)?;
        let replay = self.model.device.lower(&table, &self.memory, &self.stream)?;
        Ok((table, replay))
    }
}

/// A block of one layer's keys or values: numbers between -1 and 1, the same in every call.
fn noise(format: KvFormat, heads: usize, head_dim: usize) -> Vec<u8> {
    let mut bytes = vec![0; heads * format.tile_bytes(head_dim)];
    let (mut x, mut state) = (vec![0f32; head_dim], 1u64);
    for (tile, row) in (0..heads).flat_map(|tile| (0..KV_BLOCK as usize).map(move |row| (tile, row))) {
        for v in &mut x {
            // Knuth's MMIX generator, of which the upper bits are good.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *v = (state >> 40) as f32 / (1 << 23) as f32 - 1.0;
        }
        format.write(&mut bytes, KvPlace { tile, row }, &x);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use akunu_kernels::kv::KV_FORMATS;

    #[test]
    fn noise_fills_a_block_of_every_format() {
        let (heads, width) = (3, 64);
        for format in KV_FORMATS {
            let bytes = noise(*format, heads, width);
            let mut all = Vec::new();
            for (tile, row) in (0..heads).flat_map(|tile| (0..KV_BLOCK as usize).map(move |row| (tile, row)))
            {
                let mut x = vec![f32::NAN; width];
                format.read(&bytes, KvPlace { tile, row }, &mut x);
                all.extend(x);
            }
            assert!(all.iter().all(|v| v.abs() <= 1.01), "{}", format.name());
            let (n, sum) = (all.len() as f32, all.iter().sum::<f32>());
            let square = all.iter().map(|v| v * v).sum::<f32>() / n;
            assert!((sum / n).abs() < 0.01 && (square - 1.0 / 3.0).abs() < 0.01, "{}", format.name());
        }
    }
}
