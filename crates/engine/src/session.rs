//! A session: one sequence, and a batch for it alone. Its caller's thread drives the batch; there is no other.
//!
//! Invariant between calls: the sequence's cache holds the first `kv_len` of its tokens, and `kv_len < tokens.len()` unless the session is
//! empty: the last token is always still to be run, because its logits are what the next draw needs.

use crate::Error;
use crate::batch::{Batch, Sequence, SequenceOptions};
use crate::cancel::Canceller;
use crate::decoded::Eos;
use crate::drafts::{DraftOptions, Follower, Pace};
use crate::model::Model;
use crate::sampling::Sampling;
use akunu_kernels::kv::kv_place;
use akunu_kernels::step::{Block, KV_BLOCK, RowCount, Token};
use akunu_plan::table::Region;
use akunu_plan::{Draw, Program};

/// A conversation's state on the device.
pub struct Session {
    pub(crate) batch: Batch,
    pub(crate) sequence: Sequence,
    pub(crate) cancel: Canceller,
    /// Positions that may have been written since the cache was empty: rings of windowed layers hold only the last ones.
    pub(crate) kv_high: u32,
    /// How it drafts, if it does.
    pub(crate) drafts: Option<Box<Drafts>>,
}

/// What a measurement does to drafts, after so many known tokens.
pub type ForceDrafts = Box<dyn FnMut(usize, &mut [Token]) + Send>;

/// A session's drafts.
pub(crate) struct Drafts {
    /// The draft model, where there is one.
    pub(crate) model: Option<Session>,
    /// Changes what it has drawn.
    pub(crate) force: Option<ForceDrafts>,
    pub(crate) pace: Pace,
    pub(crate) follower: Follower,
}

impl Drafts {
    fn new(options: DraftOptions, model: Option<Session>) -> Self {
        let pace = if model.is_some() { Pace::assisted(options) } else { Pace::new(options) };
        Self { model, force: None, pace, follower: Follower::default() }
    }
}

/// Rows of the tables of sessions that read hidden states: enough for products of many rows, and few logits' memory.
pub(crate) const READ_ROWS: RowCount = RowCount(64);

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
    fn new(model: &Model, program: Program, drafts: Option<Box<Drafts>>) -> Result<Self, Error> {
        let mut batch = Batch::of_one(model, program)?;
        if drafts.is_some() {
            // Made before the first step, as the ladder is.
            batch.verifier(Draw::Plain)?;
        }
        let context = batch.context();
        let mut session = Self {
            cancel: Canceller::new(&batch.stopper()),
            sequence: batch.blank(context),
            batch,
            kv_high: 0,
            drafts,
        };
        session.stand();
        Ok(session)
    }

    /// Makes all that is known a prompt, of which any part may be run.
    pub(crate) fn stand(&mut self) {
        self.begin(u32::MAX, &Sampling::DEFAULT, Eos::Ignore);
    }

    /// The same, after which it draws so.
    pub(crate) fn begin(&mut self, max_tokens: u32, sampling: &Sampling, eos: Eos) {
        let options = SequenceOptions { max_tokens, sampling: sampling.clone(), eos, reasoning: None };
        let context = self.context();
        self.sequence.begin(options, self.batch.model().eos_ids(), context);
    }

    /// Puts tokens after those that are there; nothing runs.
    pub fn append(&mut self, tokens: &[Token]) -> Result<(), Error> {
        let vocab = self.program().config.vocab;
        if let Some(index) = tokens.iter().position(|t| t.0 >= vocab) {
            return Err(Error::TokenRange { token: tokens[index], index, vocab });
        }
        let all = u64::from(self.position()) + tokens.len() as u64;
        if all > u64::from(self.context()) {
            return Err(Error::ContextFull { tokens: all, context: self.context() });
        }
        self.sequence.append(tokens);
        Ok(())
    }

    /// Drops every token from `len` on; what stays in the KV cache stays valid. Where windowed layers no longer hold the
    /// positions that the next token sees, the next step begins with prefill of all tokens.
    pub fn rewind(&mut self, len: u32) -> Result<(), Error> {
        if len > self.position() {
            return Err(self.position_error(format!("cannot rewind to {len}"), "rewind to at most that"));
        }
        self.keep_kv(len.saturating_sub(1));
        self.sequence.truncate(len);
        Ok(())
    }

    /// Keeps the first `len` positions of the KV cache at most, or none, where some that a window reaches are gone.
    pub(crate) fn keep_kv(&mut self, len: u32) {
        // A step may have run one position more than counts.
        self.kv_high = self.kv_high.max(self.kv_len() + 1);
        let mut kept = self.kv_len().min(len);
        let p = self.program();
        let window = p.config.attention.sliding_window.unwrap_or(0);
        if kept.saturating_sub(window) < p.cache.oldest_kept(self.kv_high) {
            kept = 0;
        }
        if kept == 0 {
            self.kv_high = 0;
        }
        self.sequence.keep(kept);
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        self.sequence.truncate(0);
        self.kv_high = 0;
    }

    /// Context shift: drops `discard` tokens after the first `keep`, and moves the rest down with their keys
    /// rotated to their new positions.
    pub fn shift(&mut self, keep: u32, discard: u32) -> Result<(), Error> {
        self.stand();
        // It shares no blocks, so it needs none for copies.
        self.batch.shift(&mut self.sequence, keep, discard)?;
        if self.kv_len() == 0 {
            self.kv_high = 0;
        }
        Ok(())
    }

    /// What stops this session from another thread.
    pub fn canceller(&self) -> Canceller {
        self.cancel.clone()
    }

    /// Memory layout and tables.
    pub(crate) fn program(&self) -> &Program {
        self.batch.program()
    }

    /// Tokens so far.
    pub fn position(&self) -> u32 {
        self.tokens().len() as u32
    }

    /// Positions in the KV cache.
    pub fn kv_len(&self) -> u32 {
        self.sequence.kv_len()
    }

    /// Bytes of the KV cache in use.
    pub fn kv_bytes(&self) -> u64 {
        let p = self.program();
        let c = &p.config;
        let head: usize = [p.cache.k, p.cache.v].iter().map(|f| f.row_bytes(c.head_dim as usize)).sum();
        let held = (0..c.layers).map(|i| u64::from(self.kv_len().min(p.cache.layer_blocks(i) * KV_BLOCK)));
        u64::from(c.kv_heads) * head as u64 * held.sum::<u64>()
    }

    /// The most tokens that the session holds.
    pub fn context(&self) -> u32 {
        self.batch.context()
    }

    /// The tokens so far.
    pub fn tokens(&self) -> &[Token] {
        self.sequence.tokens()
    }

    /// Keys, then values, of one layer for the positions in the cache, `[kv_len, kv_heads, head_dim]` each, as
    /// f32; for tests and tools. In a windowed layer that keeps a ring, positions that are gone have the values of those
    /// that took their place.
    pub fn read_kv(&self, layer: u32) -> Result<Vec<f32>, Error> {
        let p = self.program();
        let (heads, hd) = (p.config.kv_heads as usize, p.config.head_dim as usize);
        let end = self.kv_len().div_ceil(KV_BLOCK);
        let blocks: Vec<Block> = (0..end).map(|i| self.block(layer, i)).collect();
        let n = self.kv_len() as usize * heads * hd;
        let mut out = vec![0f32; 2 * n];
        for (side, (region, format)) in
            [(Region::KCache, p.cache.k), (Region::VCache, p.cache.v)].into_iter().enumerate()
        {
            let (offset, bytes) = p.cache.place(layer, format);
            let mut raw = vec![0u8; bytes as usize];
            self.batch.memory(region).read(offset, &mut raw)?;
            for (i, out) in out[side * n..][..n].chunks_mut(hd).enumerate() {
                format.read(&raw, kv_place(&blocks, heads, i % heads, i / heads), out);
            }
        }
        Ok(out)
    }

    /// Where block `i` of the sequence lies in a layer's part of the cache.
    pub(crate) fn block(&self, layer: u32, i: u32) -> Block {
        let cache = &self.program().cache;
        match cache.ring.filter(|_| cache.is_windowed(layer)) {
            Some(ring) => Block(i % ring),
            None => self.sequence.block(i),
        }
    }

    fn position_error(&self, what: String, remedy: &'static str) -> Error {
        Error::Position { what, tokens: self.position(), kv: self.kv_len(), remedy }
    }
}
