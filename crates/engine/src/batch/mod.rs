//! A batch: everything that steps of many sequences need, once for a model and a device.
//!
//! A [`Sequence`] is a guest: it has tokens and blocks of the shared KV cache. [`Batch::run`] makes a step of pieces, each so many
//! next tokens of a sequence; sequences whose last token is among them draw, and go on drawing for as many steps as are asked for,
//! on the device, without the host. Who takes part in which step is the caller's decision ([`Engine`](crate::Engine) is one). A
//! [`Session`](crate::Session) is a batch of one, with tables for a single sequence.
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
mod park;
mod prepare;
mod profile;
mod queue;
mod read;
mod rung;
mod samplers;
mod sequence;
mod shift;
mod size;
mod values;

use crate::Error;
use crate::blocks::{Blocks, Held, Usage};
use crate::decoded::FinishReason;
use crate::drafts::{DraftOptions, Mode};
use crate::guide::MaskMakers;
use crate::logprobs::{LogProbs, Records};
use crate::model::{Inner, Model};
pub(crate) use guided::Bounds;
pub(crate) use queue::Steps;
use queue::{Queue, Queued};
pub use sequence::{Sequence, SequenceOptions};
pub(crate) use values::Values;

use akunu_device::{Drawn, Memory, Replay, STREAM_TOKENS, Stream};
use akunu_kernels::accept::Draft;
use akunu_kernels::step::{Block, KV_BLOCK, RowCount, Seq, SeqIndex, StopReason, Token, seq_offset};
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

/// Draws that are read from a stream at a time, at least: four times as many.
const DRAWN: u32 = 16;

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
    /// Tables that give logits, and hidden states, of every row, once somebody has asked.
    values: [Option<Box<dyn Replay>>; 2],
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
        let tables = tables(&program)?;
        let families = if options.deterministic { Families::Last } else { Families::Any };
        let mut batch = Self::over(model, program, &tables, families)?;
        batch.drafts = options.drafts.map(|d| d.words(d.most));
        Ok(batch)
    }

    /// One for a single sequence, of a session's program.
    pub(crate) fn of_one(model: &Model, program: Program) -> Result<Self, Error> {
        let tables: Vec<VerifiedTable> = program.token_tables().collect::<Result<_, _>>()?;
        let mut batch = Self::over(model, program, &tables, Families::Any)?;
        batch.drafts = (batch.program.drafts > 0).then(Draft::default);
        Ok(batch)
    }

    fn over(
        model: &Model,
        program: Program,
        tables: &[VerifiedTable],
        families: Families,
    ) -> Result<Self, Error> {
        let model = Arc::clone(&model.inner);
        let mut memory = vec![Arc::clone(&model.weights)];
        for decl in &program.regions[1..] {
            memory.push(model.device.alloc(decl)?);
        }
        let stream = model.device.stream()?;
        let capacity = program.capacity();
        let mut ladder = Vec::new();
        for table in tables {
            ladder.push((table.rows, model.device.lower(table, &memory, &stream)?));
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
            values: [None, None],
            blocks: Blocks::with_window(program.cache.pool, program.cache.windows.map(|w| w.window)),
            window_blocks: program.cache.windows.map(|w| Blocks::new(w.blocks)),
            places: Places::new(capacity.seqs),
            families,
            drafts: None,
            verify: [None, None],
            poison: None,
            step: Vec::with_capacity(capacity.bytes()),
            guest_at: vec![usize::MAX; capacity.seqs as usize],
            drawn: vec![Drawn::default(); capacity.heads.max(DRAWN) as usize * 4],
            late: Vec::new(),
            records: Records::default(),
            program,
        })
    }

    /// A sequence that begins with `prompt`. What the cache holds of it is not computed again. Tokens that come before the first draw
    /// without one (a grammar forces them, or a budget of no thoughts) are drawn already ([`Sequence::drawn`]).
    pub fn sequence(&self, prompt: &[Token], options: &SequenceOptions) -> Result<Sequence, Error> {
        let mut sequence = self.plain_sequence(prompt, options)?;
        sequence.exchange(&mut self.bounds(&options.sampling, options.reasoning)?);
        sequence.begin_guide()?;
        Ok(sequence)
    }

    /// The same without a grammar.
    fn plain_sequence(&self, prompt: &[Token], options: &SequenceOptions) -> Result<Sequence, Error> {
        check(&self.program, prompt, options)?;
        let (rest, context) = (prompt.len() - 1, self.context());
        let most = (prompt.len() as u32).saturating_add(options.max_tokens - 1).min(context);
        // A prompt of a long context draws less than all of it.
        let mut sequence = self.blank(most);
        sequence.tokens.extend_from_slice(prompt);
        sequence.begin(options.clone(), self.model.eos_ids(), context);
        // The last token is always run: its logits are what is drawn from.
        self.reuse(&mut sequence, rest)?;
        Ok(sequence)
    }

    /// A sequence without tokens. It has room for so many, so that no step allocates.
    pub(crate) fn blank(&self, most: u32) -> Sequence {
        Sequence::blank(most, self.longest_tail())
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
        fork.exchange(&mut self.bounds(&options.sampling, options.reasoning)?);
        // Under the same grammar it goes on where the first one stands.
        if let Some(same) = of.guide.as_ref().and_then(|g| g.fork(&options.sampling)) {
            fork.guide = Some(Box::new(same));
        }
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
    /// its middle counts as not run, and changes nothing. The host makes the masks of those who draw under a grammar while logits are
    /// computed: such a run ends where the grammar forces tokens. Where others take part there is one step, and one whose mask is late
    /// then draws in the next run. Where thoughts are bounded, there are no more steps than the budget has left.
    ///
    /// After an error of the device sequences have the tokens that were read before it, and the batch is of no further use.
    pub fn run<G: AsMut<Sequence>>(
        &mut self,
        guests: &mut [G],
        pieces: &[Piece],
        steps: u32,
        on_draw: &mut dyn FnMut(&mut G, usize, Draw) -> Next,
    ) -> Result<(), Error> {
        self.run_as(Mode::Plain, guests, pieces, Steps::at_once(steps), on_draw)
    }

    /// As [`Batch::run`], or as [`Batch::run_drafting`], of a single sequence; steps are queued as it draws.
    pub(crate) fn run_one(
        &mut self,
        mode: Mode,
        sequence: &mut Sequence,
        rows: u32,
        steps: Steps,
        on_draw: &mut dyn FnMut(&mut Sequence, Draw) -> Next,
    ) -> Result<(), Error> {
        let piece = Piece { guest: 0, rows };
        let guests = std::slice::from_mut(sequence);
        self.run_as(mode, guests, &[piece], steps, &mut |sequence, _, draw| on_draw(sequence, draw))
    }

    fn run_as<G: AsMut<Sequence>>(
        &mut self,
        mode: Mode,
        guests: &mut [G],
        pieces: &[Piece],
        steps: Steps,
        on_draw: &mut dyn FnMut(&mut G, usize, Draw) -> Next,
    ) -> Result<(), Error> {
        let is_alone = pieces.len() == 1 && mode == Mode::Plain;
        let most = |p: &Piece| guests.get_mut(p.guest).and_then(|g| g.as_mut().most_chain(is_alone));
        let all = pieces.iter().filter_map(most).fold(steps.all, u32::min);
        let steps = Steps { all, ..steps };
        let (rows, heads, draw) = self.prepare(mode, guests, pieces, steps.all)?;
        self.late.clear();
        let queued = match mode {
            Mode::Plain if Self::draws_guided(guests, pieces) => {
                self.submit_guided(guests, pieces, rows, steps.all)
            }
            Mode::Plain => self.submit(rows, heads, steps, draw),
            Mode::Drafting => {
                self.make_masks(guests, pieces).and_then(|()| self.submit_drafting(steps, draw))
            }
        };
        let ended = queued.and_then(|queue| self.follow(queue, guests, on_draw));
        if ended.is_err() {
            self.stream.cancel();
            let _ = self.stream.wait(u64::MAX, 0);
        }
        self.stream.reset();
        let drew = ended?;
        // Without a list of heads the stop word alone says that nothing could be drawn.
        let is_listed = self.program.capacity().heads > 0 || heads.0 == 0;
        if !is_listed && drew < steps.all.into() && self.header()?.stop == StopReason::NotFinite as u32 {
            for piece in pieces {
                guests[piece.guest].as_mut().end(FinishReason::NotFinite);
            }
        }
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
        Ok(self.header()?.steps > 0)
    }

    /// What asks a run to end after the step under way, or in its middle, from any thread. It applies to the next run where none is
    /// under way.
    pub(crate) fn stopper(&self) -> Arc<dyn Stream> {
        Arc::clone(&self.stream)
    }

    /// The end of the positions that steps of a single sequence may have written, where rings of windowed layers have lost others to them;
    /// 0 where there is no ring.
    pub(crate) fn reached(&self) -> Result<u32, Error> {
        if self.program.cache.ring.is_none() {
            return Ok(0);
        }
        let mut seq = [0u8; size_of::<Seq>()];
        self.memory[Region::Step as usize].read(seq_offset(SeqIndex(0)) as u64, &mut seq)?;
        let seq: Seq = bytemuck::pod_read_unaligned(&seq);
        Ok(seq.len + self.header()?.rows.max(1) + self.program.drafts)
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
        // What a session drops is forgotten: nobody else would find it.
        if sequence.rotated || self.is_single() {
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

    /// Rows of a session's next step, of a prompt of which `left` are left.
    pub(crate) fn next_rows(&self, left: u32) -> u32 {
        self.program.next_rows(left)
    }

    /// Rows of its last step, which draws.
    pub(crate) fn last_rows(&self, left: u32) -> u32 {
        self.program.last_rows(left)
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

    /// Whether it has tables for one sequence: a session's.
    fn is_single(&self) -> bool {
        self.program.settings.batch.is_none()
    }

    pub(crate) fn model(&self) -> &Arc<Inner> {
        &self.model
    }

    pub(crate) fn memory(&self, region: Region) -> &dyn Memory {
        &*self.memory[region as usize]
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
