//! A batch: everything that steps of many sequences need, once for a model and a device.
//!
//! A [`Sequence`] is a guest: it has tokens and blocks of the shared KV cache. [`Batch::run`] makes a step of pieces, each so many
//! next tokens of a sequence; sequences whose last token is among them draw, and go on drawing for as many steps as are asked for,
//! on the device, without the host. Who takes part in which step is the caller's decision ([`Engine`](crate::Engine) is one).
//!
//! Invariants:
//! * A position that several sequences hold, or that is published, is never written: a sequence writes positions from `kv_len` on, in
//!   blocks of its own.
//! * Before a chain of n steps every sequence in it has blocks for n positions more. No kernel meets a position without a block.
//! * Windowed layers may have blocks from a smaller pool: a sequence holds those that its next row sees, and those that it writes.
//!   Their table's entries before these name blocks of others, which no kernel reads.
//! * A sequence's numbers depend on the table that its rows ran in, by family ([`BatchOptions::deterministic`]), and on nothing else.

mod drafting;
mod follow;
mod guided;
mod prepare;
mod profile;
mod read;
mod rung;
mod samplers;
mod sequence;
mod shift;
mod size;

use crate::Error;
use crate::blocks::{Blocks, Chain, Held, Tail, Usage};
use crate::decoded::{Eos, FinishReason};
use crate::drafts::{DraftCounts, DraftOptions, Mode};
use crate::guide::{Guide, MaskMakers};
use crate::logprobs::{LogProbs, Records};
use crate::model::{Inner, Model};
use crate::thoughts::{Bounded, Reasoning};
pub use sequence::{Sequence, SequenceOptions};

use akunu_device::{Drawn, Memory, Replay, STREAM_TOKENS, Stream};
use akunu_kernels::accept::Draft;
use akunu_kernels::step::{Block, Header, KV_BLOCK, MAX_EOS, RowCount, Token};
use akunu_plan::cache::WindowPool;
use akunu_plan::table::Region;
use akunu_plan::{Draw as TableDraw, PlanError, Program, VerifiedTable};
use guided::Withheld;
use rung::{Families, rung_of};
use sequence::Places;
use std::sync::Arc;

/// The size of a batch, and how it computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchOptions {
    /// The most sequences at a time; `None` is 16 on the CPU and 256 on GPUs, or fewer where these do not fit.
    pub sequences: Option<u32>,
    /// Tokens that the KV cache holds, of all sequences together, in blocks of 256; at least one whole context, and a block for each
    /// sequence. `None` is just that on the CPU (a context, and a block for each), and 90% of what is left of a GPU's memory.
    pub cache_tokens: Option<u64>,
    /// Runs every row in tables of the family of the largest, so that a sequence's tokens do not depend on what else runs. A
    /// single sequence is slower then.
    pub deterministic: bool,
    /// Whether sequences draft tokens by look-up, while few of them draw ([`Batch::run_drafting`]).
    pub drafts: Option<DraftOptions>,
}

/// So many next tokens of a sequence, by its place in the caller's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whose.
    pub guest: usize,
    /// How many.
    pub rows: u32,
}

/// What a sequence drew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draw {
    /// The token; `None` where no logit was finite, which ends the sequence.
    pub token: Option<Token>,
    /// Whether that was the last, and why.
    pub finish: Option<FinishReason>,
    /// Its log-probabilities, where [`Sampling::logprobs`](crate::Sampling::logprobs) asks for them. They are told after the run.
    pub logprobs: Option<LogProbs>,
}

/// What a caller wants after a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Go on as asked.
    Go,
    /// This sequence ends here; others go on.
    End,
    /// End after the step under way, to be asked anew.
    Pause,
}

/// All that runs many sequences of one model.
pub struct Batch {
    model: Arc<Inner>,
    program: Program,
    memory: Vec<Arc<dyn Memory>>,
    stream: Arc<dyn Stream>,
    /// Token tables by rows, ascending; of a batch that reads ([`Model::reading_batch`]) tables of hidden states.
    ladder: Vec<(RowCount, Box<dyn Replay>)>,
    /// The same tables drawing with all samplers, once a sequence has asked for that.
    full: Vec<Option<Box<dyn Replay>>>,
    /// The same in two tables, logits and draws, once somebody has drawn under a grammar.
    split: Vec<Option<[Box<dyn Replay>; 2]>>,
    /// What makes masks, once several have drawn beside somebody's grammar.
    makers: Option<MaskMakers>,
    withheld: Withheld,
    /// What moves a sequence's keys and values down, once somebody has asked for it.
    shift: Option<Box<dyn Replay>>,
    blocks: Blocks,
    /// Those of windowed layers, where they have their own.
    window_blocks: Option<Blocks>,
    places: Places,
    families: Families,
    /// How sequences draft, and the tables that verify that, plain and with all samplers, once somebody has asked.
    drafts: Option<Draft>,
    verify: [Option<Box<dyn Replay>>; 2],
    /// Bytes that are written to each block that is taken; for tests.
    poison: Option<u8>,
    /// Reused for every write of the step block and for reading the stream, so that no step allocates.
    step: Vec<u8>,
    guest_at: Vec<usize>,
    drawn: Vec<Drawn>,
    /// Draws that wait for their log-probabilities, and these.
    late: Vec<Drawn>,
    records: Records,
}

impl Model {
    /// A batch with memory of its own; weights are the model's. Nothing is allocated where not all of it fits.
    pub fn batch(&self, options: &BatchOptions) -> Result<Batch, Error> {
        options.drafts.map_or(Ok(()), |d| d.check())?;
        Batch::new(self, options, |p| p.token_tables().collect())
    }
}

impl Batch {
    /// One whose steps run in these tables, by rows, ascending.
    fn new(
        model: &Model,
        options: &BatchOptions,
        tables: impl Fn(&Program) -> Result<Vec<VerifiedTable>, PlanError>,
    ) -> Result<Self, Error> {
        let program = model.check_batch(options)?;
        let model = Arc::clone(&model.inner);
        let mut memory = vec![Arc::clone(&model.weights)];
        for decl in &program.regions[1..] {
            memory.push(model.device.alloc(decl)?);
        }
        let stream = model.device.stream()?;
        let capacity = program.capacity();
        let mut ladder = Vec::new();
        for table in tables(&program)? {
            ladder.push((table.rows, model.device.lower(&table, &memory, &stream)?));
        }
        Ok(Self {
            model,
            memory,
            stream,
            full: ladder.iter().map(|_| None).collect(),
            split: ladder.iter().map(|_| None).collect(),
            makers: None,
            withheld: Withheld::default(),
            ladder,
            shift: None,
            blocks: Blocks::with_window(program.cache.pool, program.cache.windows.map(|w| w.window)),
            window_blocks: program.cache.windows.map(|w| Blocks::new(w.blocks)),
            places: Places::new(capacity.seqs),
            families: if options.deterministic { Families::Last } else { Families::Any },
            drafts: options.drafts.map(|d| d.words(d.most)),
            verify: [None, None],
            poison: None,
            step: Vec::with_capacity(capacity.bytes()),
            guest_at: vec![usize::MAX; capacity.seqs as usize],
            drawn: vec![Drawn::default(); capacity.heads as usize * 4],
            late: Vec::new(),
            records: Records::default(),
            program,
        })
    }

    /// A sequence that begins with `prompt`. What the cache holds of it is not computed again. Tokens that come before the first draw
    /// without one (a grammar forces them, or a budget of no thoughts) are drawn already ([`Sequence::drawn`]).
    pub fn sequence(&self, prompt: &[Token], options: &SequenceOptions) -> Result<Sequence, Error> {
        let mut sequence = self.plain_sequence(prompt, options)?;
        sequence.guide = Guide::of(&options.sampling, self.program.config.vocab).map(Box::new);
        sequence.thoughts = self.bounded(options.reasoning)?;
        sequence.begin_guide()?;
        Ok(sequence)
    }

    fn bounded(&self, reasoning: Option<Reasoning>) -> Result<Option<Box<Bounded>>, Error> {
        reasoning.map(|r| Bounded::new(r, &self.model).map(Box::new)).transpose()
    }

    /// The same without a grammar.
    fn plain_sequence(&self, prompt: &[Token], options: &SequenceOptions) -> Result<Sequence, Error> {
        check(&self.program, prompt, options)?;
        let (rest, context) = (prompt.len() - 1, self.context());
        let len = prompt.len() as u32;
        let limit = len.saturating_add(options.max_tokens - 1).min(context);
        let ids = if options.eos == Eos::Stop { self.model.eos_ids() } else { &[] };
        let mut eos = [Token(0); MAX_EOS];
        let eos_count = ids.len().min(MAX_EOS);
        eos[..eos_count].copy_from_slice(&ids[..eos_count]);
        // Room for all that it may become, so that no step allocates; a prompt of a long context draws less than all of it.
        let mut tokens = Vec::with_capacity(limit as usize + 1);
        tokens.extend_from_slice(prompt);
        let mut sequence = Sequence {
            tokens,
            prompt: len,
            prompt_left: len,
            left_out: 0,
            kv_len: 0,
            reused: 0,
            limit,
            max_tokens: options.max_tokens,
            sampling: options.sampling.clone(),
            settings: options.sampling.settings(),
            mirostat: None,
            eos,
            eos_count: eos_count as u32,
            chain: Chain::with_capacity((limit / KV_BLOCK + 1) as usize),
            tail: Tail::with_capacity(self.longest_tail()),
            published: 0,
            end: crate::blocks::Node::default(),
            rotated: false,
            place: None,
            drawing: false,
            parked: None,
            finish: None,
            drafts: DraftCounts::default(),
            guide: None,
            is_late: false,
            thoughts: None,
            appended: 0,
            failure: None,
        };
        // The last token is always run: its logits are what is drawn from.
        self.reuse(&mut sequence, rest)?;
        Ok(sequence)
    }

    /// Begins a sequence with what the cache holds of its first `tokens`.
    fn reuse(&self, sequence: &mut Sequence, tokens: usize) -> Result<(), Error> {
        let found = self.blocks.find(&sequence.tokens[..tokens]);
        let full = found.full.len();
        for block in found.full.iter() {
            sequence.chain.push(block.clone());
        }
        sequence.tail.begin_at(found.tail.first());
        for i in found.tail.first()..found.tail.end() {
            found.tail.get(i).into_iter().for_each(|block| sequence.tail.push(block.clone()));
        }
        (sequence.published, sequence.end) = (full, found.end);
        sequence.kv_len = full as u32 * KV_BLOCK;
        if let Some((from, n)) = &found.partial
            && self.copy_last(sequence, from, found.partial_side.as_ref())?
        {
            sequence.kv_len += n;
        }
        sequence.reused = sequence.kv_len;
        Ok(())
    }

    /// Gives a sequence copies of a block, and of what windowed layers have for it, after those that it has; false where there is
    /// none to be taken.
    fn copy_last(&self, sequence: &mut Sequence, from: &Held, side: Option<&Held>) -> Result<bool, Error> {
        let Some(to) = self.take()? else { return Ok(false) };
        if let (Some(blocks), Some(side)) = (&self.window_blocks, side) {
            let Some(to) = self.take_windowed(blocks)? else { return Ok(false) };
            self.copy(Layers::Windowed, side.block(), to.block())?;
            sequence.tail.push(to);
        }
        self.copy(Layers::Others, from.block(), to.block())?;
        sequence.chain.push(to);
        Ok(true)
    }

    /// A second sequence with the same tokens, which shares all full blocks, drawn from here on with another sampling. `None`
    /// where there is no block for the copy of the last one.
    pub fn fork(&self, of: &Sequence, options: &SequenceOptions) -> Result<Option<Sequence>, Error> {
        if of.is_parked() {
            return Ok(None);
        }
        if of.finish == Some(FinishReason::NotFinite) {
            return Err(Error::NotFinite { position: of.tokens.len() as u32 });
        }
        let mut fork = self.sequence_without_cache(of, options)?;
        for block in of.chain.iter().take(of.full()) {
            fork.chain.push(block.clone());
        }
        fork.tail.begin_at(of.tail.first());
        for i in of.tail.first()..of.full() {
            of.tail.get(i).into_iter().for_each(|block| fork.tail.push(block.clone()));
        }
        (fork.published, fork.end, fork.rotated) = (of.published, of.end, of.rotated);
        if !of.kv_len.is_multiple_of(KV_BLOCK) {
            let (last, side) = (&of.chain[of.full()], of.tail.get(of.full()));
            if !self.copy_last(&mut fork, last, side)? {
                return Ok(None);
            }
        }
        fork.kv_len = of.kv_len;
        fork.reused = of.kv_len;
        // Under the same grammar it goes on where the first one stands.
        let same = of.guide.as_ref().and_then(|g| g.fork(&options.sampling));
        let vocab = self.program.config.vocab;
        fork.guide = same.or_else(|| Guide::of(&options.sampling, vocab)).map(Box::new);
        fork.thoughts = self.bounded(options.reasoning)?;
        fork.begin_guide()?;
        Ok(Some(fork))
    }

    fn sequence_without_cache(&self, of: &Sequence, options: &SequenceOptions) -> Result<Sequence, Error> {
        // A prompt of one token finds nothing; the rest is put after it.
        let mut fork = self.plain_sequence(&of.tokens[..1], options)?;
        let context = self.context();
        let len = of.tokens.len() as u32;
        if len > context {
            return Err(Error::ContextFull { tokens: u64::from(len), context });
        }
        fork.limit = len.saturating_add(options.max_tokens - 1).min(context);
        fork.tokens.reserve(fork.limit as usize + 1);
        fork.tokens.extend_from_slice(&of.tokens[1..]);
        (fork.prompt, fork.prompt_left) = (len, len);
        Ok(fork)
    }

    /// Takes blocks for the first `positions` positions of a sequence, as far as it can come; false where there are too few. What
    /// was taken stays. (Windowed layers with blocks of their own get them when they run.)
    pub fn reserve(&self, sequence: &mut Sequence, positions: u32) -> Result<bool, Error> {
        // The last token is not run.
        let wanted = positions.min(sequence.limit).div_ceil(KV_BLOCK) as usize;
        while sequence.chain.len() < wanted {
            let Some(block) = self.take()? else { return Ok(false) };
            sequence.chain.push(block);
        }
        Ok(true)
    }

    /// The same of windowed layers, from the first block that the next row sees.
    fn reserve_windowed(&self, sequence: &mut Sequence, positions: u32) -> Result<bool, Error> {
        let (Some(blocks), Some(windows)) = (&self.window_blocks, self.program.cache.windows) else {
            return Ok(true);
        };
        sequence.tail.begin_at(windows.first_block(sequence.kv_len) as usize);
        let wanted = positions.min(sequence.limit).div_ceil(KV_BLOCK) as usize;
        while sequence.tail.end() < wanted {
            let Some(block) = self.take_windowed(blocks)? else { return Ok(false) };
            sequence.tail.push(block);
        }
        Ok(true)
    }

    /// Takes all blocks that a run needs which ends before `positions`; false where there are too few. What was taken stays.
    pub(crate) fn reserve_run(&self, sequence: &mut Sequence, positions: u32) -> Result<bool, Error> {
        Ok(self.reserve(sequence, positions)? && self.reserve_windowed(sequence, positions)?)
    }

    /// The most blocks of windowed layers that a sequence holds at a time.
    fn longest_tail(&self) -> usize {
        let windows = self.program.cache.windows;
        windows.map_or(0, |w| w.most(self.most_rows()).min(self.program.cache.blocks()) as usize)
    }

    /// A block of nobody.
    fn take(&self) -> Result<Option<Held>, Error> {
        let taken = self.blocks.take();
        self.spoil(Layers::Others, taken.as_ref())?;
        Ok(taken)
    }

    /// A block of windowed layers of nobody. Those that prefixes have at their side go, the oldest first.
    fn take_windowed(&self, blocks: &Blocks) -> Result<Option<Held>, Error> {
        loop {
            let taken = blocks.take();
            if taken.is_some() || !self.blocks.shed() {
                self.spoil(Layers::Windowed, taken.as_ref())?;
                return Ok(taken);
            }
        }
    }

    /// Fills a block that was taken with what a test wants to see.
    fn spoil(&self, layers: Layers, taken: Option<&Held>) -> Result<(), Error> {
        if let (Some(block), Some(byte)) = (taken, self.poison) {
            for part in self.parts(layers) {
                let bytes = vec![byte; part.bytes as usize];
                self.memory[part.region as usize].write(part.at(block.block()), &bytes)?;
            }
        }
        Ok(())
    }

    /// Fills each block that is taken from now on with this byte, so that a test sees who reads what nobody wrote.
    pub fn poison(&mut self, byte: u8) {
        self.poison = Some(byte);
    }

    /// Runs a step of these pieces, then `steps` - 1 more of the sequences that draw, unless all of them end before. `on_draw` is
    /// called for each token while later steps run. Sequences stand at their last token afterwards. A step that was ended in
    /// its middle counts as not run, and changes nothing. Where one of them draws under a grammar, there is one step, whose masks the host
    /// makes while its logits are computed; one whose mask is late then draws in the next run. Where thoughts are bounded, there are no more than the budget has left.
    ///
    /// After an error of the device sequences have the tokens that were read before it, and the batch is of no further use.
    pub fn run<G: AsMut<Sequence>>(
        &mut self,
        guests: &mut [G],
        pieces: &[Piece],
        steps: u32,
        on_draw: &mut dyn FnMut(&mut G, usize, Draw) -> Next,
    ) -> Result<(), Error> {
        self.run_as(Mode::Plain, guests, pieces, steps, on_draw)
    }

    fn run_as<G: AsMut<Sequence>>(
        &mut self,
        mode: Mode,
        guests: &mut [G],
        pieces: &[Piece],
        steps: u32,
        on_draw: &mut dyn FnMut(&mut G, usize, Draw) -> Next,
    ) -> Result<(), Error> {
        let most = |p: &Piece| guests.get_mut(p.guest).and_then(|g| g.as_mut().most_chain());
        let steps = pieces.iter().filter_map(most).fold(steps, u32::min);
        let (rows, heads, draw) = self.prepare(mode, guests, pieces, steps)?;
        self.late.clear();
        let queued = match mode {
            Mode::Plain if Self::draws_guided(guests, pieces) => self.submit_guided(guests, pieces, rows),
            Mode::Plain => self.submit(rows, heads, steps, draw),
            Mode::Drafting => {
                self.make_masks(guests, pieces).and_then(|()| self.submit_drafting(steps, draw))
            }
        };
        let ended = queued.and_then(|()| self.follow(guests, on_draw));
        if ended.is_err() {
            self.stream.cancel();
            let _ = self.stream.wait(u64::MAX, 0);
        }
        self.stream.reset();
        let drew = ended?;
        if !self.has_run(heads.0, drew)? {
            return Ok(());
        }
        for piece in pieces {
            let sequence = guests[piece.guest].as_mut();
            // A draw that does not count is repeated with its row.
            sequence.kv_len += piece.rows - u32::from(sequence.is_late);
            if sequence.drawing {
                // The last drawn token is not run yet, nor is what came after it without a draw, but all before it are. Where nothing
                // could be drawn, all are.
                let drawn = sequence.tokens.len() as u32 - sequence.appended;
                sequence.kv_len = sequence.kv_len.max(drawn - 1);
            }
            if mode == Mode::Drafting {
                self.count_drafts(sequence)?;
            }
            if sequence.finish.is_some() || piece.rows > 1 {
                self.publish(sequence);
            }
            if let Some(windows) = self.program.cache.windows {
                sequence.tail.begin_at(windows.first_block(sequence.kv_len) as usize);
            }
        }
        Ok(())
    }

    /// Whether the first step of a run has run, whose heads drew so much in all. It may have been ended in its middle.
    fn has_run(&self, heads: u32, drew: u64) -> Result<bool, Error> {
        if heads > 0 {
            return Ok(drew > 0);
        }
        let mut header = [0u8; size_of::<Header>()];
        self.memory[Region::Step as usize].read(0, &mut header)?;
        Ok(bytemuck::pod_read_unaligned::<Header>(&header).steps > 0)
    }

    /// Queues the step that was prepared, and the chain after it.
    fn submit(&mut self, rows: RowCount, heads: RowCount, steps: u32, draw: TableDraw) -> Result<(), Error> {
        let (first, next) = (self.rung(rows), self.rung(heads));
        // Whatever is made for the first time is made before the first step.
        self.table(next, draw)?;
        self.table(first, draw)?.submit(1)?;
        if steps > 1 && heads > RowCount(0) {
            self.table(next, draw)?.submit(steps - 1)?;
        }
        Ok(())
    }

    /// What asks a run to end after the step under way, or in its middle, from any thread. It applies to the next run where none is
    /// under way.
    pub(crate) fn stopper(&self) -> Arc<dyn Stream> {
        Arc::clone(&self.stream)
    }

    /// Forgets a wish to end that came before this.
    pub(crate) fn forget_stop(&self) {
        self.stream.reset();
    }

    /// Lets others find what a sequence has in the cache. One whose numbers are broken takes its blocks out instead.
    fn publish(&self, sequence: &mut Sequence) {
        if sequence.finish == Some(FinishReason::NotFinite) {
            sequence.chain.iter().for_each(|block| self.blocks.withdraw(block));
            return;
        }
        if sequence.rotated {
            return;
        }
        for i in sequence.published..sequence.full().min(sequence.chain.len()) {
            let tokens = &sequence.tokens[i * KV_BLOCK as usize..(i + 1) * KV_BLOCK as usize];
            let side = sequence.tail.get(i);
            sequence.end = self.blocks.publish(&sequence.chain[i], sequence.end, tokens, side);
            sequence.published = i + 1;
        }
        let rest = &sequence.tokens[sequence.full() * KV_BLOCK as usize..sequence.kv_len as usize];
        if let (Some(last), false) = (sequence.chain.get(sequence.full()), rest.is_empty()) {
            self.blocks.publish_part(last, sequence.end, rest, sequence.tail.get(sequence.full()));
        }
    }

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

    /// Copies a block.
    fn copy(&self, layers: Layers, from: Block, to: Block) -> Result<(), Error> {
        for part in self.parts(layers) {
            self.memory[part.region as usize].copy(part.at(from), part.at(to), part.bytes)?;
        }
        Ok(())
    }

    /// Where blocks lie: keys and values of each layer that has its blocks there.
    fn parts(&self, layers: Layers) -> impl Iterator<Item = Part> + use<'_> {
        let cache = &self.program.cache;
        let all = 0..self.program.config.layers;
        all.filter(move |i| cache.has_window_blocks(*i) == (layers == Layers::Windowed)).flat_map(
            move |layer| {
                [(Region::KCache, cache.k), (Region::VCache, cache.v)].map(|(region, format)| Part {
                    region,
                    first: cache.place(layer, format).0,
                    bytes: cache.block_bytes(format),
                })
            },
        )
    }

    /// The table for `n` rows.
    fn rung(&self, n: RowCount) -> usize {
        rung_of(&self.program.target, &self.ladder, n, self.families)
    }

    /// Rows of the table that a step of `n` rows runs in.
    pub fn table_rows(&self, n: RowCount) -> RowCount {
        self.ladder.get(self.rung(n)).map_or(RowCount(1), |(rows, _)| *rows)
    }

    /// The tables that there are, by their rows.
    pub(crate) fn tables(&self) -> impl Iterator<Item = RowCount> + use<'_> {
        self.ladder.iter().map(|(rows, _)| *rows)
    }

    /// The most rows of a step.
    pub fn most_rows(&self) -> RowCount {
        self.ladder.last().map_or(RowCount(1), |(rows, _)| *rows)
    }

    /// The most steps of a run of so many sequences: what the stream keeps until somebody reads it, and blocks are held for.
    pub fn most_steps(&self, sequences: u32) -> u64 {
        // As far ahead as the pool of windowed layers reckons with.
        let ahead = self.program.cache.windows.map_or(u64::MAX, |_| WindowPool::STEPS.into());
        (STREAM_TOKENS / u64::from(sequences.max(1))).min(ahead)
    }

    /// The most tokens of a sequence.
    pub fn context(&self) -> u32 {
        self.program.settings.context
    }

    /// Places in the step block that are free.
    pub fn free_places(&self) -> u32 {
        self.places.free()
    }

    /// Blocks of the KV cache that could be taken now.
    pub fn available(&self) -> u32 {
        self.blocks.available()
    }

    /// How many of those a sequence with this prompt takes for all of it.
    pub fn needed(&self, prompt: &[Token]) -> u32 {
        self.blocks.needed(prompt)
    }

    /// A number that grows whenever more of some prompt may be found than before.
    pub(crate) fn published(&self) -> u64 {
        self.blocks.published()
    }

    /// How the blocks of the KV cache are used.
    pub fn usage(&self) -> Usage {
        self.blocks.usage()
    }

    /// The same of windowed layers, where they have blocks of their own. Those beside kept prefixes count as held.
    pub fn window_usage(&self) -> Option<Usage> {
        self.window_blocks.as_ref().map(Blocks::usage)
    }

    /// Memory layout and tables.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

/// Refuses what no batch of a program can run.
pub(crate) fn check(program: &Program, prompt: &[Token], options: &SequenceOptions) -> Result<(), Error> {
    options.sampling.check_for(program.config.vocab)?;
    if options.max_tokens == 0 {
        let remedy = "ask for at least 1";
        return Err(Error::Option { name: "max tokens", value: "0".into(), remedy });
    }
    let (vocab, context) = (program.config.vocab, program.settings.context);
    if let Some(index) = prompt.iter().position(|t| t.0 >= vocab) {
        return Err(Error::TokenRange { token: prompt[index], index, vocab });
    }
    if prompt.is_empty() {
        return Err(Error::Empty);
    }
    if prompt.len() as u64 > u64::from(context) {
        return Err(Error::ContextFull { tokens: prompt.len() as u64, context });
    }
    Ok(())
}

/// Layers that have their blocks from one pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layers {
    /// Windowed ones, where they have a pool of their own.
    Windowed,
    /// All others.
    Others,
}

/// A layer's keys or values.
struct Part {
    region: Region,
    first: u64,
    bytes: u64,
}

impl Part {
    fn at(&self, block: Block) -> u64 {
        self.first + u64::from(block.0) * self.bytes
    }
}
