//! One sequence of a batch: tokens, blocks, how it is drawn and where it ends.

use crate::blocks::{Chain, Node, Tail};
use crate::decoded::{Eos, FinishReason};
use crate::drafts::DraftCounts;
use crate::grammar::GrammarError;
use crate::guide::Guide;
use crate::sampling::{Sampling, Settings};
use crate::thoughts::{Bounded, Reasoning};
use akunu_kernels::step::{Block, KV_BLOCK, MAX_EOS, Seq, SeqIndex, Token};
use std::sync::{Arc, Mutex, PoisonError};

/// How a sequence is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SequenceOptions {
    /// The most tokens to draw; at least 1.
    pub max_tokens: u32,
    /// How to draw.
    pub sampling: Sampling,
    /// Whether end-of-sequence tokens end it.
    pub eos: Eos,
    /// How the model thinks before it answers, where that is to be bounded.
    pub reasoning: Option<Reasoning>,
}

/// A guest of a [`Batch`](super::Batch). Between steps it costs the blocks of its tokens in the KV cache, and a place in the step
/// block from its first step on. Both come back when it is dropped.
///
/// Invariant: the cache holds the first `kv_len` of `tokens`, and `kv_len < tokens.len()` until it has ended.
#[derive(Debug)]
pub struct Sequence {
    pub(super) tokens: Vec<Token>,
    pub(super) prompt: u32,
    /// Those of them that no shift has left out.
    pub(super) prompt_left: u32,
    /// Tokens that shifts have left out.
    pub(super) left_out: u32,
    pub(super) kv_len: u32,
    /// Tokens at the beginning that were in the cache already.
    pub(super) reused: u32,
    /// The position whose token is the last.
    pub(super) limit: u32,
    pub(super) max_tokens: u32,
    pub(super) sampling: Sampling,
    pub(crate) settings: Settings,
    /// Mirostat's bound, while the sequence has no place.
    pub(super) mirostat: Option<f32>,
    pub(super) eos: [Token; MAX_EOS],
    pub(super) eos_count: u32,
    pub(super) chain: Chain,
    /// Blocks of windowed layers, where these have their own.
    pub(super) tail: Tail,
    /// What is published of the chain: so many blocks, and their end.
    pub(super) published: usize,
    pub(super) end: Node,
    /// Whether keys were rotated to other positions: they are not what others would compute.
    pub(super) rotated: bool,
    pub(super) place: Option<Place>,
    /// Whether it draws in the run under way.
    pub(super) drawing: bool,
    /// Copies of the blocks, while the sequence has none.
    pub(super) parked: Option<Vec<u8>>,
    pub(super) finish: Option<FinishReason>,
    pub(super) drafts: DraftCounts,
    /// What its text must follow.
    pub(super) guide: Option<Box<Guide>>,
    /// Whether its mask was not ready in the run under way: what it draws does not count.
    pub(super) is_late: bool,
    /// What it thinks, where that is bounded.
    pub(super) thoughts: Option<Box<Bounded>>,
    /// Tokens at the end that came without a draw, in the run under way.
    pub(super) appended: u32,
    /// Why its grammar could not go on.
    pub(super) failure: Option<GrammarError>,
    /// What a draft model has drawn after its tokens, for the next step to verify.
    pub(crate) offered: Vec<Token>,
}

impl Sequence {
    /// One without tokens, with room for so many and for so many blocks of windowed layers.
    pub(super) fn blank(most: u32, longest_tail: usize) -> Self {
        Self {
            tokens: Vec::with_capacity(most as usize + 1),
            prompt: 0,
            prompt_left: 0,
            left_out: 0,
            kv_len: 0,
            reused: 0,
            limit: most,
            max_tokens: 1,
            sampling: Sampling::DEFAULT,
            settings: Sampling::DEFAULT.settings(),
            mirostat: None,
            eos: [Token(0); MAX_EOS],
            eos_count: 0,
            chain: Chain::with_capacity((most / KV_BLOCK + 1) as usize),
            tail: Tail::with_capacity(longest_tail),
            published: 0,
            end: Node::default(),
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
            offered: Vec::new(),
        }
    }

    /// Makes what it has a prompt, after which it draws so, in a context of so many positions.
    pub(crate) fn begin(&mut self, options: SequenceOptions, eos: &[Token], context: u32) {
        let len = self.tokens.len() as u32;
        (self.prompt, self.prompt_left, self.left_out) = (len, len, 0);
        self.limit = len.saturating_add(options.max_tokens.saturating_sub(1)).min(context);
        self.max_tokens = options.max_tokens;
        let eos = if options.eos == Eos::Stop { eos } else { &[] };
        let n = eos.len().min(MAX_EOS);
        self.eos[..n].copy_from_slice(&eos[..n]);
        self.eos_count = n as u32;
        self.settings = options.sampling.settings();
        self.sampling = options.sampling;
        (self.mirostat, self.finish, self.failure) = (None, None, None);
        (self.guide, self.thoughts) = (None, None);
        (self.is_late, self.appended) = (false, 0);
        self.drafts = DraftCounts::default();
        if let Some(place) = &mut self.place {
            place.told = false;
        }
    }

    /// Puts tokens after those that it has. They are run once [`Sequence::begin`] has made them a prompt.
    pub(crate) fn append(&mut self, tokens: &[Token]) {
        self.tokens.extend_from_slice(tokens);
    }

    /// Drops its tokens from `len` on. [`Sequence::begin`] lets it go on from there, also where it had ended.
    pub(crate) fn truncate(&mut self, len: u32) {
        self.tokens.truncate(len as usize);
        self.keep(len);
        if let Some(place) = &mut self.place {
            place.belt = place.belt.min(len);
        }
    }

    /// Keeps the first `len` of its positions in the cache at most. What lies after them is written before it is read.
    pub(crate) fn keep(&mut self, len: u32) {
        self.kv_len = self.kv_len.min(len);
    }

    /// Puts others in the place of its tokens from `at` on, whatever the cache holds of these; for measurements.
    pub(crate) fn overwrite(&mut self, at: u32, tokens: &[Token]) {
        if let Some(own) = self.tokens.get_mut(at as usize..at as usize + tokens.len()) {
            own.copy_from_slice(tokens);
        }
        if let Some(place) = &mut self.place {
            place.belt = place.belt.min(at);
        }
    }

    /// How it is drawn.
    pub(crate) fn sampling(&self) -> &Sampling {
        &self.sampling
    }

    /// Puts its next row at a position, whatever the cache holds before it; for profiles and saved sessions.
    pub(crate) fn stand_at(&mut self, position: u32) {
        self.kv_len = position;
    }

    /// Where its block `i` lies in the cache; the first one's place where it has none.
    pub(crate) fn block(&self, i: u32) -> Block {
        self.chain.get(i as usize).map_or(Block(0), |held| held.block())
    }

    /// The prompt and what was drawn after it, as far as no shift has left it out.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// What was drawn, as far as no shift has left it out.
    pub fn drawn(&self) -> &[Token] {
        &self.tokens[self.prompt_left as usize..]
    }

    /// Tokens drawn in all.
    pub fn drawn_len(&self) -> u32 {
        self.tokens.len() as u32 + self.left_out - self.prompt
    }

    /// Tokens of the prompt.
    pub fn prompt_len(&self) -> u32 {
        self.prompt
    }

    /// Positions in the KV cache.
    pub fn kv_len(&self) -> u32 {
        self.kv_len
    }

    /// Tokens of the prompt that were found in the KV cache and not computed.
    pub fn reused(&self) -> u32 {
        self.reused
    }

    /// Tokens that are still to be run; the last of them draws. 0 once the sequence has ended.
    pub fn pending(&self) -> u32 {
        if self.finish.is_some() { 0 } else { self.tokens.len() as u32 - self.kv_len }
    }

    /// Why it ended, if it has.
    pub fn finish(&self) -> Option<FinishReason> {
        self.finish
    }

    /// What came of drafts.
    pub fn drafts(&self) -> DraftCounts {
        self.drafts
    }

    /// Blocks of the KV cache that it holds.
    pub fn blocks(&self) -> u32 {
        self.chain.len() as u32
    }

    /// Blocks that it holds of windowed layers, where these have a pool of their own.
    pub fn window_blocks(&self) -> u32 {
        (self.tail.end() - self.tail.first()) as u32
    }

    /// The error of a draw that found no token, or of a grammar that could not go on.
    pub(crate) fn error(&self) -> crate::Error {
        match &self.failure {
            Some(e) => e.clone().into(),
            None => self.sampling.no_token(self.tokens.len() as u32),
        }
    }

    /// Whether its draws may be verified several at once: mirostat's bound follows the token before, and records of
    /// log-probabilities are read one by one. Under a grammar each has a mask of its own. Thoughts may have to end between two.
    pub(crate) fn can_draft(&self) -> bool {
        let free = self.settings.sampler.mirostat_tau <= 0.0 && !self.settings.log_probs();
        free && self.guide.is_none() && self.most_chain(true).is_none()
    }

    /// The most steps of a run, in which others may take part, where the host may have to write tokens after so many; `None` is any number.
    pub(crate) fn most_chain(&self, is_alone: bool) -> Option<u32> {
        // Log-probabilities are told, and so tokens, once a run is over; the next mask follows these.
        let waits = self.is_guided() && (!is_alone || self.settings.log_probs());
        let thoughts = self.thoughts.as_ref().and_then(|t| t.left());
        if waits { Some(1) } else { thoughts }
    }

    /// Tokens that can be drafted after all that are known.
    pub(crate) fn draft_room(&self, context: u32) -> u32 {
        self.limit.min(context).saturating_sub(self.tokens.len() as u32)
    }

    /// Tokens that it may still draw.
    pub(crate) fn left(&self) -> u32 {
        (self.limit + 1).saturating_sub(self.tokens.len() as u32)
    }

    /// Positions that what is known of it takes; the last token that a context has room for is not run.
    pub(crate) fn positions(&self) -> u32 {
        (self.tokens.len() as u32).min(self.limit)
    }

    /// Whether it has a place in the step block.
    pub(crate) fn is_seated(&self) -> bool {
        self.place.is_some()
    }

    /// Gives its blocks and its place back; it does not run any more.
    pub(crate) fn release(&mut self) {
        self.finish.get_or_insert(FinishReason::Cancelled);
        self.chain.truncate(0);
        self.tail.clear();
        self.place = None;
    }

    /// Whether its blocks are in host memory.
    pub(crate) fn is_parked(&self) -> bool {
        self.parked.is_some()
    }

    /// Ends it where it stands.
    pub(crate) fn end(&mut self, why: FinishReason) {
        self.finish.get_or_insert(why);
    }

    /// What the device is told of it.
    pub(super) fn state(&self) -> Seq {
        Seq {
            seed: self.settings.seed,
            len: self.kv_len,
            limit: self.limit,
            temperature: self.settings.temperature,
            floor: self.settings.floor,
            eos_count: self.eos_count,
            eos: self.eos,
            ..Seq::default()
        }
    }

    /// Takes a drawn token, as `advance` does on the device: the same rule for the end.
    pub(super) fn take(&mut self, token: Token) -> Option<FinishReason> {
        let at = self.tokens.len() as u32;
        self.tokens.push(token);
        if let Some(place) = &mut self.place {
            place.belt = at + 1;
        }
        if self.eos[..self.eos_count as usize].contains(&token) {
            self.finish = Some(FinishReason::Eos);
        } else if at >= self.limit {
            let all = self.drawn_len() >= self.max_tokens;
            self.finish = Some(if all { FinishReason::Length } else { FinishReason::ContextFull });
        }
        self.finish
    }

    /// Leaves tokens out after the first `keep`, which makes room in a context. Its place holds nothing of it any more.
    pub(super) fn leave_out(&mut self, keep: u32, n: u32, context: u32) {
        self.tokens.drain(keep as usize..(keep + n) as usize);
        self.prompt_left -= self.prompt_left.saturating_sub(keep).min(n);
        self.left_out += n;
        self.finish = None;
        let rest = self.max_tokens.saturating_sub(self.drawn_len()).max(1);
        self.limit = (self.tokens.len() as u32).saturating_add(rest - 1).min(context);
        if let Some(place) = &mut self.place {
            (place.belt, place.entries, place.window_entries) = (0, 0, 0);
            // Mirostat begins anew at the position that comes now.
            (place.told, self.mirostat) = (false, None);
        }
    }

    /// Full blocks.
    pub(super) fn full(&self) -> usize {
        (self.kv_len / KV_BLOCK) as usize
    }
}

impl AsMut<Self> for Sequence {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

/// Places in the step block.
#[derive(Debug)]
pub(super) struct Places {
    free: Arc<Mutex<Vec<SeqIndex>>>,
}

/// A sequence's place in the step block; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) index: SeqIndex,
    /// Tokens on the belt of this place.
    pub(super) belt: u32,
    /// Whether the device has been told how to draw here.
    pub(super) told: bool,
    /// Entries of the block table that are written.
    pub(super) entries: usize,
    /// The same of windowed layers' table, but for those before the window.
    pub(super) window_entries: usize,
    free: Arc<Mutex<Vec<SeqIndex>>>,
}

impl Places {
    pub(super) fn new(n: u32) -> Self {
        Self { free: Arc::new(Mutex::new((0..n).rev().map(SeqIndex).collect())) }
    }

    pub(super) fn take(&self) -> Option<Place> {
        let index = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        Some(Place {
            index,
            belt: 0,
            told: false,
            entries: 0,
            window_entries: 0,
            free: Arc::clone(&self.free),
        })
    }

    pub(super) fn free(&self) -> u32 {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).len() as u32
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.index);
    }
}
