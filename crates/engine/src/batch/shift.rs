//! Room in a full context: tokens in the middle leave, those after them move down in the cache.

use super::{Batch, Layers, Sequence};
use crate::Error;
use crate::blocks::Node;
use crate::decoded::FinishReason;
use akunu_kernels::step::{Block, KV_BLOCK, Seq};
use akunu_plan::table::Region;

impl Batch {
    /// Drops `discard` tokens of a sequence after the first `keep`. Those after them move down, with their keys rotated to their new
    /// positions; one that ended with a full context goes on. Its blocks from there on are its own then: where others hold them it gets
    /// copies, and nobody finds them, since rotated keys are not those that a prompt gives. False where there are no blocks for
    /// copies; nothing has changed then.
    ///
    /// Where windowed layers keep their last positions alone, the next step computes all anew that the cache does not hold.
    pub fn shift(&mut self, sequence: &mut Sequence, keep: u32, discard: u32) -> Result<bool, Error> {
        let (tokens, kv) = (sequence.tokens.len() as u32, sequence.kv_len);
        let refuse = |what, remedy| Err(Error::Position { what, tokens, kv, remedy });
        if sequence.is_parked() || sequence.finish.is_some_and(|f| f != FinishReason::ContextFull) {
            return refuse(
                "cannot shift a sequence that is parked or has ended".into(),
                "shift one that runs",
            );
        }
        if discard == 0 || keep.checked_add(discard).is_none_or(|n| n > kv) {
            let what = format!("cannot keep {keep} and drop {discard}");
            return refuse(what, "drop at least one, and only what is in the KV cache");
        }
        if self.program.cache.windows.is_some() || self.program.cache.ring.is_some() {
            self.start_anew(sequence, keep, discard)?;
            return Ok(true);
        }
        let left = kv - discard;
        if !self.own(sequence, (keep / KV_BLOCK) as usize, left.div_ceil(KV_BLOCK) as usize)? {
            return Ok(false);
        }
        self.move_down(sequence, keep, discard)?;
        sequence.leave_out(keep, discard, self.context());
        sequence.kv_len = left;
        sequence.rotated = true;
        sequence.chain.truncate(left.div_ceil(KV_BLOCK) as usize);
        Ok(true)
    }

    /// Gives all blocks back and takes what the cache holds of the tokens that are left.
    fn start_anew(&mut self, sequence: &mut Sequence, keep: u32, discard: u32) -> Result<(), Error> {
        sequence.leave_out(keep, discard, self.context());
        sequence.chain.truncate(0);
        sequence.tail.clear();
        (sequence.kv_len, sequence.published, sequence.end) = (0, 0, Node::default());
        let reused = sequence.reused;
        let found = self.reuse(sequence, sequence.tokens.len() - 1);
        sequence.reused = reused;
        found
    }

    /// Makes blocks `from` to `to` a sequence's own; false where there are too few for copies.
    fn own(&self, sequence: &mut Sequence, from: usize, to: usize) -> Result<bool, Error> {
        let shared = |sequence: &Sequence| (from..to).filter(|i| sequence.chain[*i].is_shared()).count();
        if shared(sequence) > self.available() as usize {
            return Ok(false);
        }
        for i in from..to {
            if !sequence.chain[i].is_shared() {
                self.blocks.withdraw(&sequence.chain[i]);
                continue;
            }
            let Some(own) = self.take()? else { return Ok(false) };
            self.copy(Layers::Others, sequence.chain[i].block(), own.block())?;
            sequence.chain.replace(i, own);
        }
        Ok(true)
    }

    /// Runs the table that moves what is in the cache, over this sequence's blocks. It finds the sequence in the first place, whose row
    /// of the block table is lent for it.
    fn move_down(&mut self, sequence: &Sequence, keep: u32, discard: u32) -> Result<(), Error> {
        if self.shift.is_none() {
            let table = self.program.shift_table()?;
            self.shift = Some(self.model.device.lower(&table, &self.memory, &self.stream)?);
        }
        let capacity = self.program.capacity();
        let header = capacity.header();
        let first = Seq { len: sequence.kv_len, shift_keep: keep, shift_by: discard, ..Seq::default() };
        self.step.clear();
        self.step.extend_from_slice(bytemuck::bytes_of(&header));
        self.step.extend_from_slice(bytemuck::bytes_of(&first));
        self.step.resize(size_of_val(&header) + capacity.seqs as usize * size_of::<Seq>(), 0);
        self.memory[Region::Step as usize].write(0, &self.step)?;
        let table = &self.memory[Region::BlockTable as usize];
        let mut lent = vec![0u8; self.program.cache.blocks() as usize * size_of::<Block>()];
        table.read(0, &mut lent)?;
        let blocks: Vec<Block> = sequence.chain.iter().map(|held| held.block()).collect();
        table.write(0, bytemuck::cast_slice(&blocks))?;
        // Nothing that came before ends this: it has no step to end at.
        self.stream.reset();
        let ran = match &mut self.shift {
            Some(shift) => shift.submit(1),
            None => Ok(()),
        };
        let ran = ran.and_then(|()| self.stream.wait(u64::MAX, 0).map(|_| ()));
        self.memory[Region::BlockTable as usize].write(0, &lent)?;
        Ok(ran?)
    }
}
