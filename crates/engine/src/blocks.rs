//! Blocks of the KV cache: who holds which, what full ones hold, and which to give up first.
//!
//! A block has the keys and values of 256 positions, in all layers. Sequences hold blocks by counted references
//! ([`Held`]); a block that several hold is never written. A full block can be *published*: then a later sequence that
//! begins with the same tokens finds it ([`Blocks::find`]). A published block that nobody holds stays until its memory is
//! needed; the one unused for longest goes first. The beginning of a block can be published too, while its holder goes on after
//! it: it is found to be copied ([`Prefix::partial`]). Blocks come back in every path, since a [`Held`] gives its one back
//! when it is dropped.
//!
//! Deliberately absent: the device. Copying, and tables of blocks, are the caller's.

use akunu_kernels::step::{Block, KV_BLOCK};
use std::collections::{BTreeMap, HashMap};
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

/// A prefix that is in the cache.
#[derive(Debug, Default)]
pub struct Prefix {
    /// Its full blocks. They are shared: read only.
    pub full: Chain,
    /// A block that begins with the tokens after those, and how many of them it has; to be copied.
    pub partial: Option<(Held, u32)>,
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
    tokens: Box<[u32]>,
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
        let state = State {
            slots: (0..blocks).map(|_| Slot::default()).collect(),
            // The lowest numbers first.
            free: (0..blocks).rev().map(Block).collect(),
            kept: BTreeMap::new(),
            children: HashMap::new(),
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
    pub fn needed(&self, tokens: &[u32]) -> u32 {
        let all = tokens.len().div_ceil(KV_BLOCK as usize) as u32;
        let Some((_, mut rest)) = tokens.split_last() else { return 0 };
        let s = self.lock();
        let (mut end, mut shared) = (Node::default(), 0);
        while let Some((now, later)) = rest.split_at_checked(KV_BLOCK as usize) {
            let Some(slot) = s.child(end, now).map(|b| &s.slots[b.index()]) else { break };
            let Some(content) = &slot.content else { break };
            shared += u32::from(slot.holders > 0);
            (end, rest) = (content.node, later);
        }
        all - shared
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
    pub fn find(&self, tokens: &[u32]) -> Prefix {
        let mut s = self.lock();
        let mut found = Prefix::default();
        let mut rest = tokens;
        while let Some((now, later)) = rest.split_at_checked(KV_BLOCK as usize) {
            let Some(block) = s.child(found.end, now) else { break };
            found.full.push(self.reference(&mut s, block));
            found.end = s.slots[block.index()].content.as_ref().map_or(found.end, |c| c.node);
            rest = later;
        }
        if let Some((block, n)) = s.longest(found.end, rest) {
            found.partial = Some((self.reference(&mut s, block), n));
        }
        found
    }

    /// Says what a full block holds: `tokens`, after the chain that `parent` ends. Gives the end of the longer chain. Where
    /// the same is published already, that one stays, and this block remains as it is.
    ///
    /// # Panics
    /// If there are not as many tokens as a block has positions.
    pub fn publish(&self, block: &Held, parent: Node, tokens: &[u32]) -> Node {
        assert_eq!(tokens.len(), KV_BLOCK as usize, "a published block is full");
        let mut s = self.lock();
        if let Some(same) = s.child(parent, tokens).and_then(|b| s.slots[b.index()].content.as_ref()) {
            return same.node;
        }
        s.unpublish(block.block);
        s.insert(parent, block.block, tokens)
    }

    /// Says what a block that is not full begins with: `tokens`, after the chain that `parent` ends. These positions stay as they
    /// are; later ones may be written. Nothing where somebody's block begins with the same already.
    ///
    /// # Panics
    /// If there are as many tokens as a block has positions, or more.
    pub fn publish_part(&self, block: &Held, parent: Node, tokens: &[u32]) {
        assert!(tokens.len() < KV_BLOCK as usize, "the block is full");
        let mut s = self.lock();
        let known = s.children.get(&parent).is_some_and(|all| {
            all.iter().any(|(_, b)| *b != block.block && s.tokens(*b).starts_with(tokens))
        });
        if known || tokens.is_empty() {
            return;
        }
        s.unpublish(block.block);
        s.insert(parent, block.block, tokens);
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
    fn insert(&mut self, parent: Node, block: Block, tokens: &[u32]) -> Node {
        self.last_node += 1;
        let node = Node(self.last_node);
        let hash = self.hasher.hash_one(tokens);
        self.children.entry(parent).or_default().push((hash, block));
        self.slots[block.index()].content = Some(Content { parent, node, tokens: tokens.into() });
        node
    }

    /// Forgets what a block holds. What was published after it can no longer be found, and goes as it grows old.
    fn unpublish(&mut self, block: Block) {
        let Some(content) = self.slots[block.index()].content.take() else { return };
        if let Some(siblings) = self.children.get_mut(&content.parent) {
            siblings.retain(|(_, b)| *b != block);
            if siblings.is_empty() {
                self.children.remove(&content.parent);
            }
        }
    }

    /// The block with exactly these tokens after a chain.
    fn child(&self, parent: Node, tokens: &[u32]) -> Option<Block> {
        let siblings = self.children.get(&parent)?;
        let hash = self.hasher.hash_one(tokens);
        let same = |block: &Block| self.tokens(*block) == tokens;
        siblings.iter().filter(|(h, _)| *h == hash).map(|(_, b)| *b).find(same)
    }

    /// The block after a chain that shares the most tokens with the beginning of these, and how many; at least one.
    fn longest(&self, parent: Node, tokens: &[u32]) -> Option<(Block, u32)> {
        let common =
            |block: Block| self.tokens(block).iter().zip(tokens).take_while(|(a, b)| a == b).count() as u32;
        let siblings = self.children.get(&parent)?.iter().map(|(_, block)| (*block, common(*block)));
        siblings.max_by_key(|(_, n)| *n).filter(|(_, n)| *n > 0)
    }

    fn tokens(&self, block: Block) -> &[u32] {
        self.slots[block.index()].content.as_ref().map_or(&[], |c| &c.tokens)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FULL: usize = KV_BLOCK as usize;

    /// A block's worth of tokens that are all alike.
    fn full(token: u32) -> Vec<u32> {
        vec![token; FULL]
    }

    #[test]
    fn a_block_comes_back_when_its_last_holder_goes() {
        let blocks = Blocks::new(2);
        let a = blocks.take().unwrap();
        let also = a.clone();
        assert!(a.is_shared() && also.block() == a.block());
        let b = blocks.take().unwrap();
        assert!(blocks.take().is_none(), "two blocks, both held");
        drop(a);
        assert!(blocks.take().is_none() && !also.is_shared());
        drop(also);
        assert_eq!(blocks.available(), 1);
        drop(b);
        assert_eq!(blocks.usage(), Usage { blocks: 2, held: 0, kept: 0 });
    }

    #[test]
    fn a_prefix_is_found_to_the_token() {
        let blocks = Blocks::new(4);
        let mut chain = Chain::default();
        let mut end = Node::default();
        for token in [7, 8] {
            chain.push(blocks.take().unwrap());
            end = blocks.publish(chain.last().unwrap(), end, &full(token));
        }
        let numbers: Vec<Block> = chain.iter().map(Held::block).collect();
        drop(chain);
        assert_eq!(blocks.usage(), Usage { blocks: 4, held: 0, kept: 2 });
        let found = blocks.find(&[full(7), full(8), vec![9]].concat());
        assert_eq!(found.full.iter().map(Held::block).collect::<Vec<_>>(), numbers);
        assert_eq!((found.tokens(), found.end), (2 * KV_BLOCK, end));
        // One block, and 100 tokens of the next.
        let found = blocks.find(&[full(7), vec![8; 100], vec![5; 300]].concat());
        assert_eq!((found.full.len(), found.tokens()), (1, KV_BLOCK + 100));
        assert_eq!(found.partial.as_ref().unwrap().0.block(), numbers[1]);
        // The same tokens after something else are something else.
        assert_eq!(blocks.find(&full(8)).tokens(), 0);
        assert_eq!(blocks.find(&[7, 7, 1]).tokens(), 2);
    }

    #[test]
    fn what_was_unused_for_longest_goes_first_and_from_the_end() {
        let blocks = Blocks::new(3);
        let mut chain = Chain::default();
        let mut end = Node::default();
        for token in 0..3 {
            chain.push(blocks.take().unwrap());
            end = blocks.publish(chain.last().unwrap(), end, &full(token));
        }
        drop(chain);
        let all = [full(0), full(1), full(2)].concat();
        let one = blocks.take().unwrap();
        assert_eq!(blocks.find(&all).tokens(), 2 * KV_BLOCK);
        let two = blocks.take().unwrap();
        assert_eq!(blocks.find(&all).tokens(), KV_BLOCK);
        drop((one, two));
        assert_eq!(blocks.find(&all).tokens(), KV_BLOCK, "free blocks are taken before kept ones");
    }

    #[test]
    fn a_withdrawn_block_is_not_found_and_the_same_is_published_once() {
        let blocks = Blocks::new(3);
        let (a, b) = (blocks.take().unwrap(), blocks.take().unwrap());
        let node = blocks.publish(&a, Node::default(), &full(1));
        assert_eq!(blocks.publish(&b, Node::default(), &full(1)), node);
        drop(b);
        assert_eq!(blocks.usage(), Usage { blocks: 3, held: 1, kept: 0 });
        blocks.withdraw(&a);
        assert_eq!(blocks.find(&full(1)).tokens(), 0);
        drop(a);
        assert_eq!(blocks.available(), 3);
        // What was published after a block that is gone is not found, even after another block with other tokens.
        let parent = blocks.take().unwrap();
        let first = blocks.publish(&parent, Node::default(), &full(3));
        let child = blocks.take().unwrap();
        blocks.publish(&child, first, &full(4));
        blocks.withdraw(&parent);
        blocks.publish(&parent, Node::default(), &full(5));
        assert_eq!(blocks.find(&[full(5), full(4)].concat()).tokens(), KV_BLOCK);
    }

    #[test]
    fn what_a_newcomer_takes_is_known_before_it_comes() {
        let blocks = Blocks::new(6);
        let prompt = [full(1), full(2), vec![3; 9]].concat();
        assert_eq!((blocks.needed(&prompt), blocks.needed(&prompt[..512]), blocks.needed(&[])), (3, 2, 0));
        let mut chain = Chain::default();
        let (mut end, before) = (Node::default(), blocks.published());
        for token in [1, 2] {
            chain.push(blocks.take().unwrap());
            end = blocks.publish(chain.last().unwrap(), end, &full(token));
        }
        assert!(blocks.published() > before);
        // Held blocks are shared, but the one whose last token is run.
        assert_eq!((blocks.needed(&prompt), blocks.needed(&prompt[..512])), (1, 1));
        // Blocks that nobody holds count among the available ones, so they are taken of those.
        for held in [2, 1, 0] {
            chain.truncate(held);
            let (available, needed) = (blocks.available(), blocks.needed(&prompt));
            assert_eq!((available, needed), (6 - held as u32, 3 - held as u32));
            let mut found = blocks.find(&prompt[..prompt.len() - 1]);
            found.full.push(blocks.take().unwrap());
            assert_eq!(blocks.available(), available - needed);
        }
    }

    #[test]
    fn the_beginning_of_a_block_is_found_to_be_copied() {
        let blocks = Blocks::new(4);
        let (a, b) = (blocks.take().unwrap(), blocks.take().unwrap());
        blocks.publish_part(&a, Node::default(), &[1; 100]);
        let found = blocks.find(&[vec![1; 100], vec![2; 300]].concat());
        assert_eq!((found.full.len(), found.tokens()), (0, 100));
        assert_eq!(found.partial.as_ref().unwrap().0.block(), a.block());
        drop(found);
        // What another begins with already is not noted again; what goes further is.
        blocks.publish_part(&b, Node::default(), &[1; 60]);
        drop(b);
        assert_eq!(blocks.usage(), Usage { blocks: 4, held: 1, kept: 0 });
        blocks.publish_part(&a, Node::default(), &[1; 200]);
        assert_eq!(blocks.find(&[1; 300]).tokens(), 200);
        // A part is never taken for a whole block, and makes room for it.
        let end = blocks.publish(&a, Node::default(), &full(1));
        assert_ne!(end, Node::default());
        assert_eq!(blocks.find(&[1; 300]).tokens(), KV_BLOCK);
        let c = blocks.take().unwrap();
        blocks.publish_part(&c, end, &[7, 8, 9]);
        drop((a, c));
        assert_eq!(blocks.find(&[full(1), vec![7, 8, 1]].concat()).tokens(), KV_BLOCK + 2);
        blocks.publish_part(&blocks.take().unwrap(), end, &[]);
        assert_eq!(blocks.usage(), Usage { blocks: 4, held: 0, kept: 2 });
    }

    /// What may happen to a sequence.
    #[derive(Clone, Debug)]
    enum Event {
        /// A new one with a prompt, or nothing where there are too few blocks.
        Arrive(Vec<u32>),
        /// A copy of one.
        Fork(usize),
        /// One more block for one of them.
        Grow(usize, u32),
        /// One ends.
        End(usize),
    }

    fn event() -> impl Strategy<Value = Event> {
        // Blocks of three kinds, so that prefixes are often alike.
        let tokens = proptest::collection::vec(0..3u32, 1..4);
        prop_oneof![
            tokens.prop_map(Event::Arrive),
            any::<usize>().prop_map(Event::Fork),
            (any::<usize>(), 0..3u32).prop_map(|(i, t)| Event::Grow(i, t)),
            any::<usize>().prop_map(Event::End),
        ]
    }

    /// A sequence: what its blocks should hold.
    #[derive(Clone, Default)]
    struct Sequence {
        chain: Chain,
        tokens: Vec<u32>,
        end: Node,
    }

    proptest! {
        #[test]
        fn blocks_hold_what_their_sequences_say(events in proptest::collection::vec(event(), 1..60)) {
            const BLOCKS: u32 = 8;
            let blocks = Blocks::new(BLOCKS);
            // What each block really holds: the device.
            let mut memory: HashMap<Block, Vec<u32>> = HashMap::new();
            let mut running: Vec<Sequence> = Vec::new();
            let grow = |memory: &mut HashMap<Block, Vec<u32>>, s: &mut Sequence, token: u32| {
                let Some(block) = blocks.take() else { return false };
                assert!(!block.is_shared());
                memory.insert(block.block(), [s.tokens.clone(), full(token)].concat());
                s.tokens.extend(full(token));
                s.end = blocks.publish(&block, s.end, &full(token));
                s.chain.push(block);
                true
            };
            for event in events {
                match event {
                    Event::Arrive(kinds) => {
                        let prompt: Vec<u32> = kinds.iter().flat_map(|t| full(*t)).collect();
                        let found = blocks.find(&prompt);
                        let known = found.full.len();
                        let mut s = Sequence {
                            tokens: prompt[..known * FULL].to_vec(),
                            end: found.end,
                            chain: found.full.clone(),
                        };
                        if kinds[known..].iter().all(|t| grow(&mut memory, &mut s, *t)) {
                            running.push(s);
                        }
                    }
                    Event::Fork(i) if !running.is_empty() => running.push(running[i % running.len()].clone()),
                    Event::Grow(i, t) if !running.is_empty() => {
                        let i = i % running.len();
                        grow(&mut memory, &mut running[i], t);
                    }
                    Event::End(i) if !running.is_empty() => {
                        running.swap_remove(i % running.len());
                    }
                    _ => {}
                }
                let mut held: Vec<Block> = running.iter().flat_map(|s| s.chain.iter().map(Held::block)).collect();
                held.sort();
                held.dedup();
                prop_assert_eq!(blocks.usage().held as usize, held.len());
                prop_assert_eq!(blocks.usage().held + blocks.available(), BLOCKS);
                for s in &running {
                    for (i, block) in s.chain.iter().enumerate() {
                        prop_assert_eq!(&memory[&block.block()][..], &s.tokens[..(i + 1) * FULL]);
                    }
                }
            }
            running.clear();
            prop_assert_eq!(blocks.available(), BLOCKS);
        }
    }
}
