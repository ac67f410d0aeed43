//! A session: tokens on the belt, a KV cache, and the tables lowered over them.
//!
//! Invariant between calls: the belt holds `tokens`; the KV cache holds the first `kv_len` of them, and
//! `kv_len < tokens.len()` unless the session is empty: the last token is always still to be run, because its
//! logits are what the next draw needs.

use crate::Error;
use crate::cancel::Canceller;
use crate::drafts::{DraftOptions, Follower, Pace};
use crate::model::{Inner, Model};
use crate::sampling::{Sampling, Settings};
use akunu_device::{Memory, Replay, Stream};
use akunu_kernels::kv::kv_place;
use akunu_kernels::sampler::mask_words;
use akunu_kernels::step::{
    self, Block, Head, Header, KV_BLOCK, MAX_EOS, Position, Row, RowCount, Seq, SeqIndex, StopReason, Token,
};
use akunu_plan::table::Region;
use akunu_plan::{Draw, Program, VerifiedTable};
use std::sync::Arc;

/// A conversation's state on the device.
pub struct Session {
    pub(crate) model: Arc<Inner>,
    /// The model's, or with drafts.
    pub(crate) program: Program,
    pub(crate) memory: Vec<Arc<dyn Memory>>,
    pub(crate) stream: Arc<dyn Stream>,
    pub(crate) cancel: Canceller,
    /// Token tables by rows, ascending; the first is decode.
    pub(crate) ladder: Vec<(RowCount, Box<dyn Replay>)>,
    /// The same tables drawing with all samplers, once somebody has asked for that.
    full: Vec<Option<Box<dyn Replay>>>,
    /// The same in two tables, logits and draw, for draws under a grammar.
    split: Vec<Option<[Box<dyn Replay>; 2]>>,
    shift: Option<Box<dyn Replay>>,
    /// Tables that give logits, and hidden states, of every row, once somebody has asked.
    pub(crate) score: [Option<Box<dyn Replay>>; 2],
    pub(crate) tokens: Vec<Token>,
    pub(crate) kv_len: u32,
    /// Positions that may have been written since the cache was empty: rings of windowed layers hold only the last ones.
    pub(crate) kv_high: u32,
    /// How it drafts, if it does.
    pub(crate) drafts: Option<Box<Drafts>>,
    /// Reused for every write of the step block, so that none allocates.
    step: Vec<u8>,
}

/// What a measurement does to drafts, after so many known tokens.
pub type ForceDrafts = Box<dyn FnMut(usize, &mut [Token]) + Send>;

/// A session's drafts.
pub(crate) struct Drafts {
    /// The draft model, where there is one.
    pub(crate) model: Option<Session>,
    /// Changes what it has drawn.
    pub(crate) force: Option<ForceDrafts>,
    /// The tables that verify them, plain and with all samplers, once somebody has asked.
    pub(crate) tables: [Option<Box<dyn Replay>>; 2],
    pub(crate) pace: Pace,
    pub(crate) follower: Follower,
}

impl Drafts {
    pub(crate) fn new(options: DraftOptions, model: Option<Session>) -> Self {
        let pace = if model.is_some() { Pace::assisted(options) } else { Pace::new(options) };
        Self { model, force: None, tables: [None, None], pace, follower: Follower::default() }
    }

    /// Makes the table that verifies drafts with such draws, unless it is there; `lower` makes a table a device's.
    pub(crate) fn prepare(
        &mut self,
        draw: Draw,
        program: &Program,
        lower: impl FnOnce(&VerifiedTable) -> Result<Box<dyn Replay>, Error>,
    ) -> Result<(), Error> {
        let verify = &mut self.tables[draw as usize];
        if verify.is_none() {
            *verify = Some(lower(&program.drafting_table(RowCount(program.drafts + 1), draw)?)?);
        }
        Ok(())
    }
}

/// Rows of the tables of sessions that read hidden states: enough for products of many rows, and few logits' memory.
pub(crate) const READ_ROWS: RowCount = RowCount(64);

/// What one step of a token table is asked to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepWrite<'a> {
    pub(crate) first: u32,
    pub(crate) rows: RowCount,
    pub(crate) head_rows: RowCount,
    pub(crate) limit: u32,
    pub(crate) settings: Settings,
    pub(crate) eos: &'a [Token],
}

impl Model {
    /// A session with memory of its own.
    pub fn session(&self) -> Result<Session, Error> {
        Session::new(self, self.inner.program.clone(), None)
    }

    /// A session that gives hidden states of given tokens, many rows at a time.
    pub(crate) fn reading_session(&self) -> Result<Session, Error> {
        Session::new(self, self.inner.program.reading(READ_ROWS), None)
    }

    /// A session whose steps draft several tokens by look-up in its own text, where that is faster. What it draws is the same. It gives
    /// no logits of given tokens.
    pub fn drafting_session(&self, options: &DraftOptions) -> Result<Session, Error> {
        options.check()?;
        let program = self.inner.program.drafting(options.most);
        let drafts = (program.drafts > 0).then(|| Box::new(Drafts::new(*options, None)));
        Session::new(self, program, drafts)
    }

    /// A session whose steps verify what a smaller model of the same vocabulary has drawn, where that is faster. What it draws is the
    /// same. It gives no logits of given tokens.
    pub fn assisted_session(&self, by: &Model, options: &DraftOptions) -> Result<Session, Error> {
        options.check()?;
        self.check_draft(by)?;
        let program = self.inner.program.drafting(options.most);
        let drafts = match program.drafts {
            0 => None,
            _ => Some(Box::new(Drafts::new(*options, Some(by.session()?)))),
        };
        Session::new(self, program, drafts)
    }

    /// Refuses a draft model with other tokens.
    fn check_draft(&self, by: &Model) -> Result<(), Error> {
        let refuse = |value| {
            let remedy = "choose one of the same family: each token must mean the same in both";
            Err(Error::Option { name: "the draft model", value, remedy })
        };
        let (own, other) = (self.config().vocab, by.config().vocab);
        if own != other {
            return refuse(format!("one with {other} tokens where the model has {own}"));
        }
        let (Ok(a), Ok(b)) = (self.tokenizer(), by.tokenizer()) else { return Ok(()) };
        match (0..own).map(Token).find(|t| a.token_bytes(*t) != b.token_bytes(*t)) {
            Some(token) => refuse(format!("one whose token {token} is another")),
            None => Ok(()),
        }
    }
}

impl Session {
    fn new(model: &Model, program: Program, mut drafts: Option<Box<Drafts>>) -> Result<Self, Error> {
        let inner = Arc::clone(&model.inner);
        let p = &program;
        let mut memory = vec![Arc::clone(&inner.weights)];
        for decl in &p.regions[1..] {
            memory.push(inner.device.alloc(decl)?);
        }
        let stream = inner.device.stream()?;
        let mut ladder = Vec::new();
        for table in p.token_tables() {
            let table = table?;
            ladder.push((table.rows, inner.device.lower(&table, &memory, &stream)?));
        }
        if let Some(drafts) = &mut drafts {
            drafts.prepare(Draw::Plain, p, |t| Ok(inner.device.lower(t, &memory, &stream)?))?;
        }
        let blocks: Vec<Block> = (0..p.cache.blocks()).map(Block).collect();
        memory[Region::BlockTable as usize].write(0, bytemuck::cast_slice(&blocks))?;
        let tokens = Vec::with_capacity(p.max_seq() as usize);
        let step = Vec::with_capacity(p.region(Region::Step).bytes as usize);
        Ok(Self {
            model: inner,
            program,
            drafts,
            memory,
            cancel: Canceller::new(&stream),
            stream,
            full: ladder.iter().map(|_| None).collect(),
            split: ladder.iter().map(|_| None).collect(),
            ladder,
            shift: None,
            score: [None, None],
            tokens,
            kv_len: 0,
            kv_high: 0,
            step,
        })
    }

    /// Puts tokens on the belt; nothing runs.
    pub fn append(&mut self, tokens: &[Token]) -> Result<(), Error> {
        let vocab = self.program.config.vocab;
        if let Some(index) = tokens.iter().position(|t| t.0 >= vocab) {
            return Err(Error::TokenRange { token: tokens[index], index, vocab });
        }
        let all = self.tokens.len() as u64 + tokens.len() as u64;
        if all > u64::from(self.context()) {
            return Err(Error::ContextFull { tokens: all, context: self.context() });
        }
        self.write_belt(self.tokens.len(), tokens)?;
        self.tokens.extend_from_slice(tokens);
        Ok(())
    }

    /// Drops every token from `len` on; what stays in the KV cache stays valid. Where windowed layers no longer hold the
    /// positions that the next token sees, the next step begins with prefill of all tokens.
    pub fn rewind(&mut self, len: u32) -> Result<(), Error> {
        if len > self.position() {
            return Err(self.position_error(format!("cannot rewind to {len}"), "rewind to at most that"));
        }
        self.tokens.truncate(len as usize);
        self.keep_kv(len.saturating_sub(1));
        Ok(())
    }

    /// Keeps the first `len` positions of the KV cache at most, or none, where some that a window reaches are gone.
    pub(crate) fn keep_kv(&mut self, len: u32) {
        // A step may have run one position more than counts.
        self.kv_high = self.kv_high.max(self.kv_len + 1);
        self.kv_len = self.kv_len.min(len);
        let p = &self.program;
        let window = p.config.attention.sliding_window.unwrap_or(0);
        if self.kv_len.saturating_sub(window) < p.cache.oldest_kept(self.kv_high) {
            self.kv_len = 0;
        }
        if self.kv_len == 0 {
            self.kv_high = 0;
        }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.tokens.clear();
        self.kv_len = 0;
        self.kv_high = 0;
    }

    /// Context shift: drops `discard` tokens after the first `keep`, and moves the rest down with their keys
    /// rotated to their new positions.
    pub fn shift(&mut self, keep: u32, discard: u32) -> Result<(), Error> {
        if discard == 0 || keep.checked_add(discard).is_none_or(|n| n > self.kv_len) {
            let what = format!("cannot keep {keep} and drop {discard}");
            return Err(self.position_error(what, "drop at least one, and only what is in the KV cache"));
        }
        if self.program.cache.ring.is_some() {
            // Keys of windowed layers lie in rings, where moving them would run over itself: all is computed anew.
            self.tokens.drain(keep as usize..(keep + discard) as usize);
            self.kv_len = 0;
            self.kv_high = 0;
            return self.rewrite_belt();
        }
        if self.shift.is_none() {
            let table = self.program.shift_table()?;
            self.shift = Some(self.model.device.lower(&table, &self.memory, &self.stream)?);
        }
        let header = self.program.capacity().header();
        let seq = Seq { len: self.kv_len, shift_keep: keep, shift_by: discard, ..Seq::default() };
        self.write_block(header, seq, 0, RowCount(0))?;
        if let Some(shift) = &mut self.shift {
            shift.submit(1)?;
        }
        self.stream.wait(u64::MAX, 0)?;
        self.tokens.drain(keep as usize..(keep + discard) as usize);
        self.kv_len -= discard;
        self.rewrite_belt()
    }

    fn rewrite_belt(&mut self) -> Result<(), Error> {
        let tokens = std::mem::take(&mut self.tokens);
        let written = self.write_belt(0, &tokens);
        self.tokens = tokens;
        written
    }

    /// What stops this session from another thread.
    pub fn canceller(&self) -> Canceller {
        self.cancel.clone()
    }

    /// Tokens on the belt.
    pub fn position(&self) -> u32 {
        self.tokens.len() as u32
    }

    /// Positions in the KV cache.
    pub fn kv_len(&self) -> u32 {
        self.kv_len
    }

    /// Bytes of the KV cache in use.
    pub fn kv_bytes(&self) -> u64 {
        let p = &self.program;
        let c = &p.config;
        let head: usize = [p.cache.k, p.cache.v].iter().map(|f| f.row_bytes(c.head_dim as usize)).sum();
        let held = (0..c.layers).map(|i| u64::from(self.kv_len.min(p.cache.layer_blocks(i) * KV_BLOCK)));
        u64::from(c.kv_heads) * head as u64 * held.sum::<u64>()
    }

    /// The most tokens that the session holds.
    pub fn context(&self) -> u32 {
        self.program.settings.context
    }

    /// The tokens so far.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Keys, then values, of one layer for the positions in the cache, `[kv_len, kv_heads, head_dim]` each, as
    /// f32; for tests and tools. In a windowed layer that keeps a ring, positions that are gone have the values of those
    /// that took their place.
    pub fn read_kv(&self, layer: u32) -> Result<Vec<f32>, Error> {
        let p = &self.program;
        let (heads, hd) = (p.config.kv_heads as usize, p.config.head_dim as usize);
        let blocks: Vec<Block> =
            (0..p.cache.blocks()).map(|b| Block(b % p.cache.layer_blocks(layer))).collect();
        let n = self.kv_len as usize * heads * hd;
        let mut out = vec![0f32; 2 * n];
        for (side, (region, format)) in
            [(Region::KCache, p.cache.k), (Region::VCache, p.cache.v)].into_iter().enumerate()
        {
            let (offset, bytes) = p.cache.place(layer, format);
            let mut raw = vec![0u8; bytes as usize];
            self.memory[region as usize].read(offset, &mut raw)?;
            for (i, out) in out[side * n..][..n].chunks_mut(hd).enumerate() {
                format.read(&raw, kv_place(&blocks, heads, i % heads, i / heads), out);
            }
        }
        Ok(out)
    }

    fn position_error(&self, what: String, remedy: &'static str) -> Error {
        Error::Position { what, tokens: self.position(), kv: self.kv_len, remedy }
    }

    pub(crate) fn write_belt(&self, at: usize, tokens: &[Token]) -> Result<(), Error> {
        Ok(self.memory[Region::Tokens as usize].write(at as u64 * 4, bytemuck::cast_slice(tokens))?)
    }

    /// Writes the step block for the next replay. The device must be idle; it waits otherwise.
    pub(crate) fn write_step(&mut self, w: StepWrite<'_>) -> Result<(), Error> {
        let capacity = self.program.capacity();
        let header = Header { rows: w.rows.0, head_rows: w.head_rows.0, ..capacity.header() };
        let mut eos = [Token(0); MAX_EOS];
        let n = w.eos.len().min(MAX_EOS);
        eos[..n].copy_from_slice(&w.eos[..n]);
        let seq = Seq {
            seed: w.settings.seed,
            len: w.first,
            limit: w.limit,
            temperature: w.settings.temperature,
            floor: w.settings.floor,
            eos_count: n as u32,
            eos,
            ..Seq::default()
        };
        self.write_block(header, seq, w.first, w.rows)
    }

    fn write_block(&mut self, header: Header, seq: Seq, first: u32, rows: RowCount) -> Result<(), Error> {
        let mut b = std::mem::take(&mut self.step);
        b.clear();
        b.extend_from_slice(bytemuck::bytes_of(&header));
        b.extend_from_slice(bytemuck::bytes_of(&seq));
        for pos in first..first + rows.0 {
            b.extend_from_slice(bytemuck::bytes_of(&Row { seq: SeqIndex(0), pos: Position(pos) }));
        }
        if header.heads_at != 0 {
            b.resize(header.heads_at as usize, 0);
            for row in header.rows - header.head_rows..header.rows {
                b.extend_from_slice(bytemuck::bytes_of(&Head { row, ..Head::default() }));
            }
        }
        let written = self.memory[Region::Step as usize].write(0, &b);
        self.step = b;
        Ok(written?)
    }

    /// The step block's header and sequence, once nothing runs.
    pub(crate) fn read_step(&self) -> Result<(Header, Seq), Error> {
        let mut b = [0u8; step::row_offset(1, 0)];
        self.memory[Region::Step as usize].read(0, &mut b)?;
        let at = step::seq_offset(SeqIndex(0));
        Ok((
            bytemuck::pod_read_unaligned(&b[..size_of::<Header>()]),
            bytemuck::pod_read_unaligned(&b[at..at + size_of::<Seq>()]),
        ))
    }

    /// Reads the step block, and why its steps ended. With a list of heads the header says that nobody goes on, and the sequence why.
    pub(crate) fn read_stop(&self) -> Result<(Header, Seq, StopReason), Error> {
        let (header, seq) = self.read_step()?;
        let word = if header.heads_at != 0 && seq.stop != 0 { seq.stop } else { header.stop };
        Ok((header, seq, StopReason::from_word(word)))
    }

    /// A table of the ladder that draws so. One that draws with all samplers is made when it is first asked for.
    pub(crate) fn table(&mut self, i: usize, draw: Draw) -> Result<&mut Box<dyn Replay>, Error> {
        if draw == Draw::Plain {
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

    /// A table of the ladder as one of logits and one of a draw with all samplers, made when they are first asked for.
    pub(crate) fn split(&mut self, i: usize) -> Result<&mut [Box<dyn Replay>; 2], Error> {
        let made = match self.split[i].take() {
            Some(made) => made,
            None => self.model.split(&self.program, self.ladder[i].0, &self.memory, &self.stream)?,
        };
        Ok(self.split[i].insert(made))
    }

    /// Tells the device what its samplers are to do.
    pub(crate) fn write_sampler(&self, sampling: &Sampling, settings: &Settings) -> Result<(), Error> {
        if settings.draw == Draw::Full {
            self.memory[Region::Samplers as usize].write(0, bytemuck::bytes_of(&settings.sampler))?;
            for (i, bias) in sampling.biases().enumerate() {
                let at = (i * size_of_val(&bias)) as u64;
                self.memory[Region::Biases as usize].write(at, bytemuck::bytes_of(&bias))?;
            }
            // The bound begins anew with each call.
            let bound = 2.0 * settings.sampler.mirostat_tau;
            self.memory[Region::Mirostat as usize]
                .write(u64::from(self.position()) * 4, &bound.to_ne_bytes())?;
            let words = mask_words(self.program.config.vocab) as usize;
            let breakers: Vec<u32> = sampling.breakers(words).collect();
            self.memory[Region::Breakers as usize].write(0, bytemuck::cast_slice(&breakers))?;
        }
        Ok(())
    }

    /// The table for `n` tokens: the smallest that holds them, else the largest; and how many it takes.
    pub(crate) fn rung(&self, n: RowCount) -> (usize, RowCount) {
        let i = self.ladder.iter().position(|(rows, _)| *rows >= n).unwrap_or(self.ladder.len() - 1);
        (i, n.min(self.ladder[i].0))
    }
}
