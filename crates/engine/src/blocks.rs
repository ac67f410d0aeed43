//! Blocks of the KV cache: who holds which, what full ones hold, and which to give up first.
//!
//! A block has the keys and values of 256 positions, in all layers. Sequences hold blocks by counted references
//! ([`Held`]); a block that several hold is never written. A full block can be *published*: then a later sequence that
//! begins with the same tokens finds it ([`Blocks::find`]). A published block that nobody holds stays until its memory is
//! needed; the one unused for longest goes first. The beginning of a block can be published too, while its holder goes on after
//! it: it is found to be copied ([`Prefix::partial`]). Blocks come back in every path, since a [`Held`] gives its one back
//! when it is dropped.
//!
//! Windowed layers may have blocks of their own, from a second cache ([`Tail`]). A published block then has one of them at its *side*,
//! for the same positions, while there is room; a prefix is found as far as its last window is there. Where the second cache is full,
//! the side goes that was unused for longest ([`Blocks::shed`]).
//!
//! Deliberately absent: the device. Copying, and tables of blocks, are the caller's.

use akunu_kernels::step::{Block, KV_BLOCK, Token};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The blocks of one KV cache. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Blocks {
    state: Arc<Mutex<State>>,
}

/// A reference to a block; the block is free, or kept for its content, once the last one is dropped.
#[derive(Debug)]
pub struct Held {
    block: Block,
    state: Arc<Mutex<State>>,
}

/// A sequence's blocks, in the order of its positions. They are given back from the end: the beginning of a prefix is of use
/// to more sequences than its end, and should be given up later.
#[derive(Clone, Debug, Default)]
pub struct Chain(Vec<Held>);

impl Chain {
    /// None yet, with room for so many.
    pub fn with_capacity(blocks: usize) -> Self {
        Self(Vec::with_capacity(blocks))
    }

    /// Adds the block of the next positions.
    pub fn push(&mut self, block: Held) {
        self.0.push(block);
    }

    /// Puts another block in place of one.
    pub fn replace(&mut self, i: usize, block: Held) {
        self.0[i] = block;
    }

    /// Gives back all but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        while self.0.len() > len {
            self.0.pop();
        }
    }
}

impl std::ops::Deref for Chain {
    type Target = [Held];

    fn deref(&self) -> &[Held] {
        &self.0
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        self.truncate(0);
    }
}

/// A sequence's blocks of windowed layers: those that its window reaches, and those after them.
#[derive(Clone, Debug, Default)]
pub struct Tail {
    first: usize,
    held: VecDeque<Held>,
}

impl Tail {
    /// None yet, with room for so many.
    pub fn with_capacity(blocks: usize) -> Self {
        Self { first: 0, held: VecDeque::with_capacity(blocks) }
    }

    /// The first block that it has, counted from the beginning of the sequence.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The block after the last.
    pub fn end(&self) -> usize {
        self.first + self.held.len()
    }

    /// A block, counted from the beginning of the sequence.
    pub fn get(&self, i: usize) -> Option<&Held> {
        self.held.get(i.checked_sub(self.first)?)
    }

    /// Adds the block of the next positions.
    pub fn push(&mut self, block: Held) {
        self.held.push_back(block);
    }

    /// Gives back all before block `first`; one without blocks begins there.
    pub fn begin_at(&mut self, first: usize) {
        while self.first < first && self.held.pop_front().is_some() {
            self.first += 1;
        }
        if self.held.is_empty() {
            self.first = first;
        }
    }

    /// Gives all back.
    pub fn clear(&mut self) {
        self.held.clear();
    }
}

/// A prefix that is in the cache.
#[derive(Debug, Default)]
pub struct Prefix {
    /// Its full blocks. They are shared: read only.
    pub full: Chain,
    /// Of windowed layers with blocks of their own, those that what follows sees.
    pub tail: Tail,
    /// A block that begins with the tokens after those, and how many of them it has; to be copied.
    pub partial: Option<(Held, u32)>,
    /// The same of windowed layers.
    pub partial_side: Option<Held>,
    /// What follows is published after this.
    pub end: Node,
}

impl Prefix {
    /// Tokens that need not be computed.
    pub fn tokens(&self) -> u32 {
        self.full.len() as u32 * KV_BLOCK + self.partial.as_ref().map_or(0, |(_, n)| *n)
    }
}

/// The end of a chain of published blocks; the default is the empty chain. A number that is never used again, so that a
/// chain whose beginning is gone is not found by mistake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u64);

/// What a published block holds.
#[derive(Debug)]
struct Content {
    parent: Node,
    node: Node,
    tokens: Box<[Token]>,
    side: Option<Side>,
}

/// A block of windowed layers for the positions of a published one.
#[derive(Debug)]
struct Side {
    block: Held,
    /// Where it stands among the others.
    age: u64,
}

#[derive(Debug, Default)]
struct Slot {
    holders: u32,
    content: Option<Content>,
    /// Where it stands among those that nobody holds.
    age: u64,
}

#[derive(Debug)]
struct State {
    slots: Vec<Slot>,
    /// Held by nobody, with nothing in them.
    free: Vec<Block>,
    /// Held by nobody, published; oldest first.
    kept: BTreeMap<u64, Block>,
    /// Published blocks by their parent, each with a hash of its tokens.
    children: HashMap<Node, Vec<(u64, Block)>>,
    /// Published blocks with another at their side; the one unused for longest first.
    sides: BTreeMap<u64, Block>,
    /// Positions that a row of windowed layers sees, where these have blocks of their own.
    window: Option<u32>,
    hasher: RandomState,
    clock: u64,
    last_node: u64,
}

/// How blocks are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// All there are.
    pub blocks: u32,
    /// Those that a sequence holds.
    pub held: u32,
    /// Those that nobody holds and that have content.
    pub kept: u32,
}

impl Blocks {
    /// A cache of so many blocks, all free.
    pub fn new(blocks: u32) -> Self {
        Self::with_window(blocks, None)
    }

    /// The same for a model whose windowed layers have blocks of their own: its rows see so many positions there.
    pub fn with_window(blocks: u32, window: Option<u32>) -> Self {
        let state = State {
            slots: (0..blocks).map(|_| Slot::default()).collect(),
            // The lowest numbers first.
            free: (0..blocks).rev().map(Block).collect(),
            kept: BTreeMap::new(),
            children: HashMap::new(),
            sides: BTreeMap::new(),
            window,
            hasher: RandomState::new(),
            clock: 0,
            last_node: 0,
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// A block of one's own with nothing in it; `None` where all are held. Content that nobody holds goes, the oldest first.
    pub fn take(&self) -> Option<Held> {
        let mut s = self.lock();
        let block = match s.free.pop() {
            Some(block) => block,
            None => {
                let (_, block) = s.kept.pop_first()?;
                s.unpublish(block);
                block
            }
        };
        s.slots[block.index()].holders = 1;
        drop(s);
        Some(Held { block, state: Arc::clone(&self.state) })
    }

    /// Blocks that [`Blocks::take`] could give now.
    pub fn available(&self) -> u32 {
        let s = self.lock();
        (s.free.len() + s.kept.len()) as u32
    }

    /// How many of those a sequence that begins with `tokens`, and runs the last of them, takes: all but what it shares with
    /// somebody who holds it.
    pub fn needed(&self, tokens: &[Token]) -> u32 {
        let all = tokens.len().div_ceil(KV_BLOCK as usize) as u32;
        let Some((_, before)) = tokens.split_last() else { return 0 };
        let s = self.lock();
        let found = s.full(before).0;
        all - found.iter().filter(|b| s.slots[b.index()].holders > 0).count() as u32
    }

    /// A number that grows whenever more can be found than before.
    pub fn published(&self) -> u64 {
        self.lock().last_node
    }

    /// How blocks are used now.
    pub fn usage(&self) -> Usage {
        let s = self.lock();
        let (blocks, kept) = (s.slots.len() as u32, s.kept.len() as u32);
        Usage { blocks, kept, held: blocks - kept - s.free.len() as u32 }
    }

    /// The longest prefix of `tokens` in the cache, and references to it.
    pub fn find(&self, tokens: &[Token]) -> Prefix {
        let mut s = self.lock();
        let mut found = Prefix::default();
        let (full, cut) = s.full(tokens);
        let first = s.first_seen(full.len());
        found.tail.begin_at(first);
        for (i, block) in full.iter().enumerate() {
            found.full.push(self.reference(&mut s, *block));
            found.end = s.node(*block);
            if i >= first
                && let Some(side) = s.use_side(*block)
            {
                found.tail.push(side);
            }
        }
        // What follows a block whose window is gone has lost its window too.
        let rest = if cut { &[] } else { &tokens[full.len() * KV_BLOCK as usize..] };
        if let Some((block, n)) = s.longest(found.end, rest) {
            found.partial = Some((self.reference(&mut s, block), n));
            found.partial_side = s.use_side(block);
        }
        found
    }

    /// Gives up the side that was unused for longest, of those that no sequence holds; false where there is none.
    pub fn shed(&self) -> bool {
        let mut s = self.lock();
        let free = |block: &Block| {
            s.content(*block).and_then(|c| c.side.as_ref()).is_some_and(|x| !x.block.is_shared())
        };
        let Some((age, block)) = s.sides.iter().find(|(_, b)| free(b)).map(|(age, b)| (*age, *b)) else {
            return false;
        };
        s.sides.remove(&age);
        if let Some(content) = &mut s.slots[block.index()].content {
            content.side = None;
        }
        true
    }

    /// Says what a full block holds: `tokens`, after the chain that `parent` ends, and what is at its side. Gives the end of the longer
    /// chain. Where the same is published already, that one stays, with this side if it has none, and this block remains as it is.
    ///
    /// # Panics
    /// If there are not as many tokens as a block has positions.
    pub fn publish(&self, block: &Held, parent: Node, tokens: &[Token], side: Option<&Held>) -> Node {
        assert_eq!(tokens.len(), KV_BLOCK as usize, "a published block is full");
        let mut s = self.lock();
        let same = s.child(parent, tokens);
        if same == Some(block.block) {
            return s.node(block.block);
        }
        // What was at its side while it was a part has been written to the end since.
        let before = s.unpublish(block.block);
        let side = side.or(before.as_ref());
        let Some(same) = same else { return s.insert(parent, block.block, tokens, side) };
        s.put_side(same, side);
        s.node(same)
    }

    /// Says what a block that is not full begins with: `tokens`, after the chain that `parent` ends. These positions stay as they
    /// are, here and at the side; later ones may be written. Nothing where somebody's block begins with the same already.
    ///
    /// # Panics
    /// If there are as many tokens as a block has positions, or more.
    pub fn publish_part(&self, block: &Held, parent: Node, tokens: &[Token], side: Option<&Held>) {
        assert!(tokens.len() < KV_BLOCK as usize, "the block is full");
        let mut s = self.lock();
        let same = |b: Block| b != block.block && s.tokens(b).starts_with(tokens) && s.has_side(b);
        let known = s.children.get(&parent).is_some_and(|all| all.iter().any(|(_, b)| same(*b)));
        if known || tokens.is_empty() {
            return;
        }
        s.unpublish(block.block);
        s.insert(parent, block.block, tokens, side);
    }

    /// Takes a block out of what can be found: its content is about to differ from what was published.
    pub fn withdraw(&self, block: &Held) {
        self.lock().unpublish(block.block);
    }

    fn reference(&self, s: &mut State, block: Block) -> Held {
        s.hold(block);
        Held { block, state: Arc::clone(&self.state) }
    }
}

impl Held {
    /// Its number.
    pub fn block(&self) -> Block {
        self.block
    }

    /// Whether somebody else holds it too. Only the holder of a block that is not shared may write it.
    pub fn is_shared(&self) -> bool {
        lock(&self.state).slots[self.block.index()].holders > 1
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        lock(&self.state).hold(self.block);
        Self { block: self.block, state: Arc::clone(&self.state) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        lock(&self.state).release(self.block);
    }
}

/// A panic elsewhere leaves no half-done change: every method finishes its own before anything can fail.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn hold(&mut self, block: Block) {
        let slot = &mut self.slots[block.index()];
        if slot.holders == 0 {
            self.kept.remove(&slot.age);
        }
        slot.holders += 1;
    }

    fn release(&mut self, block: Block) {
        let slot = &mut self.slots[block.index()];
        slot.holders -= 1;
        if slot.holders > 0 {
            return;
        }
        if slot.content.is_none() {
            self.free.push(block);
            return;
        }
        self.clock += 1;
        slot.age = self.clock;
        self.kept.insert(self.clock, block);
    }

    /// Notes what a block without content holds.
    fn insert(&mut self, parent: Node, block: Block, tokens: &[Token], side: Option<&Held>) -> Node {
        self.last_node += 1;
        let node = Node(self.last_node);
        let hash = self.hasher.hash_one(tokens);
        self.children.entry(parent).or_default().push((hash, block));
        self.slots[block.index()].content = Some(Content { parent, node, tokens: tokens.into(), side: None });
        self.put_side(block, side);
        node
    }

    /// Puts a block at a published one's side, if there is none.
    fn put_side(&mut self, block: Block, side: Option<&Held>) {
        let Some(content) = &mut self.slots[block.index()].content else { return };
        let (Some(side), None) = (side, &content.side) else { return };
        self.clock += 1;
        content.side = Some(Side { block: side.clone(), age: self.clock });
        self.sides.insert(self.clock, block);
        // More can be found than before.
        self.last_node += 1;
    }

    /// A reference to what is at a block's side, which is young again.
    fn use_side(&mut self, block: Block) -> Option<Held> {
        let side = self.slots[block.index()].content.as_mut()?.side.as_mut()?;
        self.clock += 1;
        self.sides.remove(&std::mem::replace(&mut side.age, self.clock));
        self.sides.insert(self.clock, block);
        Some(side.block.clone())
    }

    /// Whether windowed layers hold a block's positions too.
    fn has_side(&self, block: Block) -> bool {
        self.window.is_none() || self.content(block).is_some_and(|c| c.side.is_some())
    }

    /// The first block that a row after so many full ones sees something of; all of them where no window has blocks of its own.
    fn first_seen(&self, blocks: usize) -> usize {
        let seen = |window: u32| (blocks * KV_BLOCK as usize + 1).saturating_sub(window as usize);
        self.window.map_or(blocks, |window| seen(window) / KV_BLOCK as usize)
    }

    /// The full blocks that begin like `tokens`, as far as what follows has its window; whether there were more.
    fn full(&self, tokens: &[Token]) -> (Vec<Block>, bool) {
        let (mut all, mut end) = (Vec::new(), Node::default());
        for now in tokens.chunks_exact(KV_BLOCK as usize) {
            let Some(block) = self.child(end, now) else { break };
            end = self.node(block);
            all.push(block);
        }
        let whole = |n: &usize| all[self.first_seen(*n)..*n].iter().all(|b| self.has_side(*b));
        let n = (0..=all.len()).rev().find(whole).unwrap_or(0);
        let cut = n < all.len();
        all.truncate(n);
        (all, cut)
    }

    fn content(&self, block: Block) -> Option<&Content> {
        self.slots[block.index()].content.as_ref()
    }

    /// The end of the chain that a published block ends.
    fn node(&self, block: Block) -> Node {
        self.content(block).map_or(Node::default(), |c| c.node)
    }

    /// Forgets what a block holds, and gives what was at its side. What was published after it can no longer be found, and goes as
    /// it grows old.
    fn unpublish(&mut self, block: Block) -> Option<Held> {
        let content = self.slots[block.index()].content.take()?;
        if let Some(side) = &content.side {
            self.sides.remove(&side.age);
        }
        if let Some(siblings) = self.children.get_mut(&content.parent) {
            siblings.retain(|(_, b)| *b != block);
            if siblings.is_empty() {
                self.children.remove(&content.parent);
            }
        }
        content.side.map(|side| side.block)
    }

    /// The block with exactly these tokens after a chain.
    fn child(&self, parent: Node, tokens: &[Token]) -> Option<Block> {
        let siblings = self.children.get(&parent)?;
        let hash = self.hasher.hash_one(tokens);
        let same = |block: &Block| self.tokens(*block) == tokens;
        siblings.iter().filter(|(h, _)| *h == hash).map(|(_, b)| *b).find(same)
    }

    /// The block after a chain that shares the most tokens with the beginning of these, and how many; at least one.
    fn longest(&self, parent: Node, tokens: &[Token]) -> Option<(Block, u32)> {
        let common =
            |block: Block| self.tokens(block).iter().zip(tokens).take_while(|(a, b)| a == b).count() as u32;
        let siblings = self.children.get(&parent)?.iter().filter(|(_, block)| self.has_side(*block));
        let siblings = siblings.map(|(_, block)| (*block, common(*block)));
        siblings.max_by_key(|(_, n)| *n).filter(|(_, n)| *n > 0)
    }

    fn tokens(&self, block: Block) -> &[Token] {
        self.content(block).map_or(&[], |c| &c.tokens)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
