//! Sequences that give way: their blocks in host memory.

use super::{Batch, Layers, Sequence};
use crate::Error;
use crate::blocks::Held;
use akunu_kernels::step::KV_BLOCK;

impl Batch {
    /// Moves a sequence's blocks to host memory and gives up its place. [`Batch::resume`] brings them back, to the bit.
    pub fn park(&self, sequence: &mut Sequence) -> Result<(), Error> {
        if sequence.is_parked() {
            return Ok(());
        }
        let used = sequence.kv_len.div_ceil(KV_BLOCK) as usize;
        let mut copy = Vec::new();
        for block in sequence.chain.iter().take(used) {
            self.save(Layers::Others, block, &mut copy)?;
        }
        for i in self.first_windowed(sequence)..used {
            sequence.tail.get(i).map_or(Ok(()), |block| self.save(Layers::Windowed, block, &mut copy))?;
        }
        self.keep_bound(sequence)?;
        sequence.parked = Some(copy);
        sequence.chain.truncate(0);
        sequence.tail.clear();
        (sequence.published, sequence.end) = (0, crate::blocks::Node::default());
        sequence.place = None;
        Ok(())
    }

    /// Brings a parked sequence back; false where there are too few blocks.
    pub fn resume(&self, sequence: &mut Sequence) -> Result<bool, Error> {
        if !sequence.is_parked() {
            return Ok(true);
        }
        if !self.reserve_run(sequence, sequence.kv_len)? {
            sequence.chain.truncate(0);
            sequence.tail.clear();
            return Ok(false);
        }
        let Some(copy) = sequence.parked.take() else { return Ok(true) };
        let mut from = &copy[..];
        for block in sequence.chain.iter() {
            self.restore(Layers::Others, block, &mut from)?;
        }
        for i in self.first_windowed(sequence)..sequence.chain.len() {
            sequence.tail.get(i).map_or(Ok(()), |block| self.restore(Layers::Windowed, block, &mut from))?;
        }
        Ok(true)
    }

    /// The first block that windowed layers still see of a sequence.
    fn first_windowed(&self, sequence: &Sequence) -> usize {
        self.program.cache.windows.map_or(0, |w| w.first_block(sequence.kv_len) as usize)
    }

    /// Appends a block's bytes.
    fn save(&self, layers: Layers, block: &Held, out: &mut Vec<u8>) -> Result<(), Error> {
        for part in self.parts(layers) {
            let at = out.len();
            out.resize(at + part.bytes as usize, 0);
            self.memory[part.region as usize].read(part.at(block.block()), &mut out[at..])?;
        }
        Ok(())
    }

    /// Writes a block with the next bytes.
    fn restore(&self, layers: Layers, block: &Held, from: &mut &[u8]) -> Result<(), Error> {
        for part in self.parts(layers) {
            let Some((now, rest)) = from.split_at_checked(part.bytes as usize) else { break };
            self.memory[part.region as usize].write(part.at(block.block()), now)?;
            *from = rest;
        }
        Ok(())
    }
}
