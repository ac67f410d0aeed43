use super::*;
use akunu_kernels::step::Token;
use proptest::prelude::*;

const FULL: usize = KV_BLOCK as usize;

/// A block's worth of tokens that are all alike.
fn full(token: u32) -> Vec<Token> {
    vec![Token(token); FULL]
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
        end = blocks.publish(chain.last().unwrap(), end, &full(token), None);
    }
    let numbers: Vec<Block> = chain.iter().map(Held::block).collect();
    drop(chain);
    assert_eq!(blocks.usage(), Usage { blocks: 4, held: 0, kept: 2 });
    let found = blocks.find(&[full(7), full(8), vec![Token(9)]].concat());
    assert_eq!(found.full.iter().map(Held::block).collect::<Vec<_>>(), numbers);
    assert_eq!((found.tokens(), found.end), (2 * KV_BLOCK, end));
    // One block, and 100 tokens of the next.
    let found = blocks.find(&[full(7), vec![Token(8); 100], vec![Token(5); 300]].concat());
    assert_eq!((found.full.len(), found.tokens()), (1, KV_BLOCK + 100));
    assert_eq!(found.partial.as_ref().unwrap().0.block(), numbers[1]);
    // The same tokens after something else are something else.
    assert_eq!(blocks.find(&full(8)).tokens(), 0);
    assert_eq!(blocks.find(&[7, 7, 1].map(Token)).tokens(), 2);
}

#[test]
fn what_was_unused_for_longest_goes_first_and_from_the_end() {
    let blocks = Blocks::new(3);
    let mut chain = Chain::default();
    let mut end = Node::default();
    for token in 0..3 {
        chain.push(blocks.take().unwrap());
        end = blocks.publish(chain.last().unwrap(), end, &full(token), None);
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
    let node = blocks.publish(&a, Node::default(), &full(1), None);
    assert_eq!(blocks.publish(&b, Node::default(), &full(1), None), node);
    drop(b);
    assert_eq!(blocks.usage(), Usage { blocks: 3, held: 1, kept: 0 });
    blocks.withdraw(&a);
    assert_eq!(blocks.find(&full(1)).tokens(), 0);
    drop(a);
    assert_eq!(blocks.available(), 3);
    // What was published after a block that is gone is not found, even after another block with other tokens.
    let parent = blocks.take().unwrap();
    let first = blocks.publish(&parent, Node::default(), &full(3), None);
    let child = blocks.take().unwrap();
    blocks.publish(&child, first, &full(4), None);
    blocks.withdraw(&parent);
    blocks.publish(&parent, Node::default(), &full(5), None);
    assert_eq!(blocks.find(&[full(5), full(4)].concat()).tokens(), KV_BLOCK);
}

#[test]
fn what_a_newcomer_takes_is_known_before_it_comes() {
    let blocks = Blocks::new(6);
    let prompt = [full(1), full(2), vec![Token(3); 9]].concat();
    assert_eq!((blocks.needed(&prompt), blocks.needed(&prompt[..512]), blocks.needed(&[])), (3, 2, 0));
    let mut chain = Chain::default();
    let (mut end, before) = (Node::default(), blocks.published());
    for token in [1, 2] {
        chain.push(blocks.take().unwrap());
        end = blocks.publish(chain.last().unwrap(), end, &full(token), None);
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
    blocks.publish_part(&a, Node::default(), &[Token(1); 100], None);
    let found = blocks.find(&[vec![Token(1); 100], vec![Token(2); 300]].concat());
    assert_eq!((found.full.len(), found.tokens()), (0, 100));
    assert_eq!(found.partial.as_ref().unwrap().0.block(), a.block());
    drop(found);
    // What another begins with already is not noted again; what goes further is.
    blocks.publish_part(&b, Node::default(), &[Token(1); 60], None);
    drop(b);
    assert_eq!(blocks.usage(), Usage { blocks: 4, held: 1, kept: 0 });
    blocks.publish_part(&a, Node::default(), &[Token(1); 200], None);
    assert_eq!(blocks.find(&[Token(1); 300]).tokens(), 200);
    // A part is never taken for a whole block, and makes room for it.
    let end = blocks.publish(&a, Node::default(), &full(1), None);
    assert_ne!(end, Node::default());
    assert_eq!(blocks.find(&[Token(1); 300]).tokens(), KV_BLOCK);
    let c = blocks.take().unwrap();
    blocks.publish_part(&c, end, &[7, 8, 9].map(Token), None);
    drop((a, c));
    assert_eq!(blocks.find(&[full(1), [7, 8, 1].map(Token).to_vec()].concat()).tokens(), KV_BLOCK + 2);
    blocks.publish_part(&blocks.take().unwrap(), end, &[], None);
    assert_eq!(blocks.usage(), Usage { blocks: 4, held: 0, kept: 2 });
}

/// Rows see 300 positions: what follows two blocks sees something of both, what follows three only of the last two.
#[test]
fn a_prefix_is_found_as_far_as_its_last_window_is_there() {
    let (blocks, sides) = (Blocks::with_window(4, Some(300)), Blocks::new(4));
    let (mut chain, mut tail, mut end) = (Chain::default(), Tail::default(), Node::default());
    for token in 0..3 {
        chain.push(blocks.take().unwrap());
        tail.push(sides.take().unwrap());
        end = blocks.publish(&chain[token], end, &full(token as u32), tail.get(token));
    }
    let numbers: Vec<Block> = (0..3).map(|i| tail.get(i).unwrap().block()).collect();
    let prompt = [full(0), full(1), full(2), vec![Token(9)]].concat();
    assert!(!blocks.shed(), "all are a sequence's");
    tail.begin_at(2);
    assert_eq!((tail.first(), tail.end(), tail.get(1).is_none()), (2, 3, true));
    drop((chain, tail));
    let found = blocks.find(&prompt);
    let seen: Vec<Block> = (1..3).map(|i| found.tail.get(i).unwrap().block()).collect();
    assert_eq!((found.tokens(), found.tail.first(), found.tail.end()), (768, 1, 3));
    assert_eq!(seen, numbers[1..]);
    // The first has lost its own: it is still a part of the whole, but no prefix by itself.
    assert!(blocks.shed() && !blocks.shed(), "the others are held");
    drop(found);
    assert_eq!(sides.usage().held, 2);
    assert_eq!([3, 2, 1].map(|n| blocks.find(&prompt[..n * FULL]).tokens()), [768, 0, 0]);
    assert_eq!((blocks.needed(&prompt), blocks.needed(&prompt[..FULL + 1])), (4, 2));
    // Whoever computes it again gives it back to the block that is there.
    let (again, side, before) = (blocks.take().unwrap(), sides.take().unwrap(), blocks.published());
    assert_eq!(blocks.publish(&again, Node::default(), &full(0), Some(&side)), blocks.find(&full(0)).end);
    assert!(blocks.published() > before);
    assert_eq!([3, 2, 1].map(|n| blocks.find(&prompt[..n * FULL]).tokens()), [768, 512, 256]);
    // The beginning of a block: found with what is at its side, and not without.
    let part = blocks.find(&full(0)).end;
    blocks.publish_part(&again, part, &[Token(7); 40], None);
    assert_eq!(blocks.find(&[full(0), vec![Token(7); 99]].concat()).tokens(), 256);
    let other = sides.take().unwrap();
    blocks.publish_part(&again, part, &[Token(7); 40], Some(&other));
    let found = blocks.find(&[full(0), vec![Token(7); 99]].concat());
    assert_eq!((found.tokens(), found.partial_side.as_ref().unwrap().block()), (256 + 40, other.block()));
    drop(found);
    // It stays at the side of the whole block, which its sequence has left since.
    blocks.publish(&again, part, &full(7), None);
    let found = blocks.find(&[full(0), full(7)].concat());
    assert_eq!((found.tokens(), found.tail.get(1).unwrap().block()), (512, other.block()));
    drop((again, side, other, found));
    // All come back with the blocks that they are beside.
    while blocks.shed() {}
    assert_eq!((sides.usage().held, blocks.usage().held), (0, 0));
    assert_eq!(blocks.find(&prompt).tokens(), 0);
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
    tokens: Vec<Token>,
    end: Node,
}

proptest! {
    #[test]
    fn blocks_hold_what_their_sequences_say(events in proptest::collection::vec(event(), 1..60)) {
        const BLOCKS: u32 = 8;
        let blocks = Blocks::new(BLOCKS);
        // What each block really holds: the device.
        let mut memory: HashMap<Block, Vec<Token>> = HashMap::new();
        let mut running: Vec<Sequence> = Vec::new();
        let grow = |memory: &mut HashMap<Block, Vec<Token>>, s: &mut Sequence, token: u32| {
            let Some(block) = blocks.take() else { return false };
            assert!(!block.is_shared());
            memory.insert(block.block(), [s.tokens.clone(), full(token)].concat());
            s.tokens.extend(full(token));
            s.end = blocks.publish(&block, s.end, &full(token), None);
            s.chain.push(block);
            true
        };
        for event in events {
            match event {
                Event::Arrive(kinds) => {
                    let prompt: Vec<Token> = kinds.iter().flat_map(|t| full(*t)).collect();
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
