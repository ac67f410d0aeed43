//! Kernels of a batch: `advance` over a list of heads against a plain model, heads that are not a step's last rows, and rows of
//! several sequences in `rope_kv`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::act;
use akunu_kernels::advance::AdvanceConsts;
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::kv::KvFormat;
use akunu_kernels::logits_max::{LogitsConsts, Pick};
use akunu_kernels::matmul::Select;
use akunu_kernels::rms_norm::RmsNormConsts;
use akunu_kernels::rope_kv::RopeKvConsts;
use akunu_kernels::step::{
    self, Block, Capacity, MAX_EOS, NO_TOKEN, Position, Row, RowCount, Seq, SeqIndex, StopReason, Token,
};
use akunu_kernels::{advance, rms_norm, rope_kv, sample};
use harness::{Batch, Memory, Random, below, run, shuffled, step_block};

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

const VOCAB: u32 = 90;
const CHUNK: u32 = 32;
const CHUNKS: usize = 3;
const SLOTS: u32 = 40;

/// A head's picks, and what comes of them.
fn picks(rng: &mut Random) -> ([Pick; CHUNKS], Option<Token>) {
    let mut picks: [Pick; CHUNKS] = std::array::from_fn(|c| Pick {
        score: rng.unit(),
        token: Token(c as u32 * CHUNK + rng.word() as u32 % 26),
    });
    let at = below(rng, CHUNKS);
    match below(rng, 9) {
        0 => return ([Pick::NONE; CHUNKS], None),
        1 => {
            picks[at].score = f32::INFINITY;
            return (picks, None);
        }
        // A token that no vocabulary has, from numbers that are broken.
        2 => {
            picks[at] = Pick { score: 2.0, token: Token(VOCAB) };
            return (picks, None);
        }
        3 => picks[at] = Pick { score: f32::NAN, token: Token(1) },
        4 => picks[at] = Pick::NONE,
        _ => {}
    }
    let best = picks.iter().filter(|p| p.score.is_finite()).max_by(|a, b| a.score.total_cmp(&b.score));
    let token = best.unwrap().token;
    (picks, Some(token))
}

/// What a step leaves, said plainly.
fn advanced(b: &Batch, belts: &[Token], drawn: &[Option<Token>]) -> (Batch, Vec<Token>) {
    let (mut after, mut belts) = (b.clone(), belts.to_vec());
    let mut running = Vec::new();
    for (i, token) in drawn.iter().enumerate() {
        let Row { seq, pos } = b.head_row(i);
        let pos = pos.0 + 1;
        let state = &mut after.seqs[seq.index()];
        let stop = match token {
            None => StopReason::NotFinite,
            Some(t) if state.eos[..state.eos_count as usize].contains(t) => StopReason::Eos,
            Some(_) if pos >= state.limit => StopReason::Limit,
            Some(_) => StopReason::None,
        };
        (state.len, state.stop) = (pos, stop as u32);
        if let Some(t) = token
            && pos < SLOTS
        {
            belts[(seq.0 * SLOTS + pos) as usize] = *t;
        }
        let head = &mut after.heads[i];
        (head.seq, head.token, head.pos) = (seq, token.unwrap_or(NO_TOKEN), Position(pos));
        if stop == StopReason::None {
            running.push(Row { seq, pos: Position(pos) });
        }
    }
    for (i, row) in running.iter().enumerate() {
        after.rows[i] = *row;
        after.heads[i].row = i as u32;
    }
    let h = &mut after.header;
    (h.rows, h.head_rows) = (running.len() as u32, running.len() as u32);
    (h.steps, h.drawn, h.drew) = (h.steps + 1, h.drawn + drawn.len() as u32, drawn.len() as u32);
    if running.is_empty() {
        h.stop = StopReason::Limit as u32;
    }
    (after, belts)
}

/// Random blocks, each advanced until nobody is left: every byte of the block and of the belts is what the model says.
#[test]
fn advance_of_a_batch_is_its_model_to_the_byte() {
    let mut rng = Random(31);
    let (mut whole, mut stopped, mut without) = (0, 0, 0);
    for case in 0..1500 {
        let seqs = 1 + below(&mut rng, 9) as u32;
        let heads = if case % 3 == 0 { 1 + below(&mut rng, seqs as usize) as u32 } else { seqs };
        let capacity = Capacity { seqs, rows: RowCount(heads + below(&mut rng, 9) as u32), heads };
        let mut b = Batch::ask(capacity, 3, SLOTS, &mut rng);
        (b.header.steps, b.header.drawn) = (rng.word() as u32 >> 1, rng.word() as u32 >> 1);
        b.header.last_token = Token(rng.word() as u32);
        for seq in &mut b.seqs {
            seq.limit = rng.word() as u32 % SLOTS;
            // A count that is too large is not believed.
            seq.eos_count = [0, 0, 3, 16][below(&mut rng, 4)];
            seq.eos = std::array::from_fn(|_| Token(rng.word() as u32 % VOCAB));
        }
        let mut belts: Vec<Token> = (0..seqs * SLOTS).map(|_| Token(rng.word() as u32)).collect();
        let level = levels().nth(case % levels().count()).unwrap();
        let consts: [u32; 4] =
            bytemuck::cast(AdvanceConsts { vocab: VOCAB, chunk: CHUNK, max_seq: SLOTS, heads });
        without += u32::from(b.header.head_rows == 0);
        for step in 0.. {
            let (picked, drawn): (Vec<_>, Vec<_>) = (0..b.header.head_rows).map(|_| picks(&mut rng)).unzip();
            let (after, belts_after) = advanced(&b, &belts, &drawn);
            let (mut block, mut tokens) = (b.memory(), Memory::of(&belts));
            // One pick that nobody asked for, so that there is always a buffer.
            let mut all: Vec<Pick> = picked.into_iter().flatten().collect();
            all.push(Pick { score: 9.0, token: Token(5) });
            let mut all = Memory::of(&all);
            let bufs = [block.buf(), all.buf(), tokens.buf()];
            run(&advance::KERNEL, level, &consts, &[], &bufs, 1 + step % 3);
            assert_eq!(block.bytes(), after.memory().bytes(), "case {case}, step {step}: the block");
            assert_eq!(tokens.values::<Token>(), belts_after, "case {case}, step {step}: the belts");
            whole += u32::from(after.header.rows == b.header.head_rows && after.header.rows > 1);
            stopped += u32::from(after.header.rows == 0 && b.header.head_rows > 1);
            (b, belts) = (after, belts_after);
            if b.header.rows == 0 {
                break;
            }
        }
        assert_eq!(b.header.stop, StopReason::Limit as u32);
    }
    assert!(whole > 100 && stopped > 20 && without > 20, "{whole} {stopped} {without}");
}

/// More ends of sequence than there is room for are those that there is room for.
#[test]
fn a_count_of_ends_beyond_their_room_reads_no_further() {
    let capacity = Capacity { seqs: 2, rows: RowCount(2), heads: 2 };
    let mut b = Batch::stale(capacity, &mut Random(1));
    for i in 0..2 {
        b.rows[i] = Row { seq: SeqIndex(i as u32), pos: Position(4) };
        b.heads[i].row = i as u32;
        b.seqs[i] = Seq { limit: 30, eos_count: u32::MAX, eos: [Token(80); MAX_EOS], ..Seq::default() };
    }
    (b.header.rows, b.header.head_rows) = (2, 2);
    let consts: [u32; 4] =
        bytemuck::cast(AdvanceConsts { vocab: VOCAB, chunk: VOCAB, max_seq: SLOTS, heads: 2 });
    let (mut block, mut tokens) = (b.memory(), Memory::new(2 * SLOTS as usize * 4, 0));
    let mut picks =
        Memory::of(&[Pick { score: 0.0, token: Token(7) }, Pick { score: 0.0, token: Token(80) }]);
    run(&advance::KERNEL, Level::Reference, &consts, &[], &[block.buf(), picks.buf(), tokens.buf()], 1);
    let view = akunu_kernels::cpu::StepView::new(block.bytes());
    assert_eq!([0, 1].map(|i| view.seq(SeqIndex(i)).stop), [0, StopReason::Eos as u32]);
    assert_eq!((view.header().rows, view.row(0)), (1, Row { seq: SeqIndex(0), pos: Position(5) }));
}

const CAPACITY: Capacity = Capacity { seqs: 6, rows: RowCount(14), heads: 6 };

/// Each head is drawn with its own sequence's settings at its own row's position, wherever that row stands.
#[test]
fn sample_draws_each_head_as_if_it_were_alone() {
    let mut rng = Random(32);
    let (vocab, chunk) = (150usize, 64usize);
    let chunks = vocab.div_ceil(chunk);
    let mut apart = 0;
    for case in 0..60 {
        let mut b = Batch::ask(CAPACITY, 4, 3000, &mut rng);
        for seq in &mut b.seqs {
            seq.temperature = [0.0, 0.7, 1.5][below(&mut rng, 3)];
            seq.floor = [f32::NEG_INFINITY, -2.3][below(&mut rng, 2)];
        }
        let n = b.header.head_rows as usize;
        apart += usize::from((0..n).any(|i| b.heads[i].row as usize + n != b.header.rows as usize + i));
        let logits = rng.normals((n + 1) * vocab);
        let best: Vec<Pick> = logits
            .chunks(vocab)
            .flat_map(|row| row.chunks(chunk).enumerate())
            .map(|(c, x)| {
                let (i, score) = x.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
                Pick { score: *score, token: Token((c % chunks * chunk + i) as u32) }
            })
            .collect();
        let consts = |rows: usize| -> [u32; 3] {
            bytemuck::cast(LogitsConsts { vocab: vocab as u32, chunk: chunk as u32, max_rows: rows as u32 })
        };
        for level in levels() {
            let (mut block, mut x, mut best_of) = (b.memory(), Memory::of(&logits), Memory::of(&best));
            let mut out = Memory::new((n + 1) * chunks * 8, 0xFF);
            let bufs = [block.buf(), x.buf(), best_of.buf(), out.buf()];
            run(&sample::KERNEL, level, &consts(6), &[], &bufs, 1 + case % 4);
            assert_eq!(
                out.bytes()[n * chunks * 8..],
                vec![0xFF; chunks * 8],
                "{level}: wrote past its heads"
            );
            for i in 0..n {
                let row = b.head_row(i);
                let mut one = step_block(&[Row { seq: SeqIndex(0), pos: row.pos }], 1);
                let at = step::seq_offset(SeqIndex(0));
                one.bytes_mut()[at..at + size_of::<Seq>()]
                    .copy_from_slice(bytemuck::bytes_of(&b.seqs[row.seq.index()]));
                let mut x = Memory::of(&logits[i * vocab..][..vocab]);
                let mut best = Memory::of(&best[i * chunks..][..chunks]);
                let mut alone = Memory::new(chunks * 8, 0xFF);
                let bufs = [one.buf(), x.buf(), best.buf(), alone.buf()];
                run(&sample::KERNEL, level, &consts(1), &[], &bufs, 1);
                let got = &out.bytes()[i * chunks * 8..][..chunks * 8];
                assert_eq!(got, alone.bytes(), "{level}, case {case}: head {i} of {n}");
            }
        }
    }
    assert!(apart > 20, "{apart} steps whose heads are not the last rows");
}

/// The selection of heads is the same rows that a norm of all rows gives, moved to the front.
#[test]
fn rms_norm_gathers_the_listed_heads() {
    let mut rng = Random(33);
    let d = 96;
    for case in 0..40 {
        let b = Batch::ask(CAPACITY, 4, 3000, &mut rng);
        let (x, w) = (rng.normals(CAPACITY.rows.index() * d), rng.normals(d));
        for format in act::FORMATS {
            let size = format.row_bytes(d);
            for level in levels() {
                let norm = |select: Select, rows: u32| {
                    let consts: [u32; 4] = bytemuck::cast(RmsNormConsts {
                        d: d as u32,
                        act: format as u32,
                        select: select as u32,
                        max_rows: rows,
                    });
                    let (mut block, mut x, mut w) = (b.memory(), Memory::of(&x), Memory::of(&w));
                    let mut out = Memory::new((rows as usize + 1) * size, 0xFF);
                    let bufs = [block.buf(), x.buf(), w.buf(), out.buf()];
                    run(&rms_norm::KERNEL, level, &consts, &[1e-5f32.to_bits()], &bufs, 1 + case % 4);
                    out
                };
                let (all, heads) = (norm(Select::All, CAPACITY.rows.0), norm(Select::Head, CAPACITY.heads));
                let n = b.header.head_rows as usize;
                for i in 0..n {
                    let row = b.heads[i].row as usize;
                    let (got, want) =
                        (&heads.bytes()[i * size..][..size], &all.bytes()[row * size..][..size]);
                    assert_eq!(got, want, "{level} {}, case {case}: head {i}, row {row}", format.name());
                }
                assert!(heads.bytes()[n * size..].iter().all(|b| *b == 0xFF), "{level}: past its heads");
            }
        }
    }
}

/// Rows of many sequences write what each sequence's rows write alone, into blocks that its own table names.
#[test]
fn rope_kv_of_many_sequences_is_each_of_them_alone() {
    let mut rng = Random(34);
    let (h, hkv, hd, pairs, blocks) = (3usize, 2usize, 32usize, 12usize, 2usize);
    let width = (h + 2 * hkv) * hd;
    let kvs = [[KvFormat::F16, KvFormat::F32], [KvFormat::Q8_0, KvFormat::Bf16]];
    for case in 0..8 {
        let b = Batch::ask(CAPACITY, 5, 256 * blocks as u32, &mut rng);
        let n = b.header.rows as usize;
        let table: Vec<Block> =
            shuffled(&mut rng, CAPACITY.seqs as usize * blocks).into_iter().map(Block).collect();
        let angles: Vec<f32> = (0..n * pairs).flat_map(|_| <[f32; 2]>::from(rng.unit().sin_cos())).collect();
        let qkv = rng.normals(n * width);
        for (kv, level) in kvs.into_iter().flat_map(|kv| levels().map(move |level| (kv, level))) {
            let caches = || kv.map(|f| Memory::new(table.len() * hkv * f.tile_bytes(hd), 0xFF));
            let rope = |step: &mut Memory,
                        table: &[Block],
                        blocks: usize,
                        angles: &[f32],
                        qkv: &[f32],
                        caches: &mut [Memory; 2],
                        parts: u32| {
                let consts: [u32; 9] = bytemuck::cast(RopeKvConsts {
                    heads: h as u32,
                    kv_heads: hkv as u32,
                    head_dim: hd as u32,
                    pairs: pairs as u32,
                    pairing: case % 2,
                    k_type: kv[0] as u32,
                    v_type: kv[1] as u32,
                    max_rows: CAPACITY.rows.0,
                    blocks: blocks as u32,
                });
                let (mut table, mut angles, mut x) = (Memory::of(table), Memory::of(angles), Memory::of(qkv));
                let [k, v] = caches;
                let bufs = [step.buf(), table.buf(), angles.buf(), x.buf(), k.buf(), v.buf()];
                run(&rope_kv::KERNEL, level, &consts, &[], &bufs, parts);
                x
            };
            let (mut together, mut alone) = (caches(), caches());
            let got = rope(&mut b.memory(), &table, blocks, &angles, &qkv, &mut together, 1 + case % 4);
            let mut from = 0;
            for rows in b.rows[..n].chunk_by(|a, b| a.seq == b.seq) {
                let own = &table[rows[0].seq.index() * blocks..][..blocks];
                let places: Vec<Row> = rows.iter().map(|r| Row { seq: SeqIndex(0), ..*r }).collect();
                let to = from + rows.len();
                let (angles, qkv) =
                    (&angles[from * pairs * 2..to * pairs * 2], &qkv[from * width..to * width]);
                let want = rope(&mut step_block(&places, 0), own, 0, angles, qkv, &mut alone, 1);
                let got = &got.bytes()[from * width * 4..to * width * 4];
                assert_eq!(got, want.bytes(), "{level} {kv:?}, case {case}: rows from {from}");
                from = to;
            }
            for side in 0..2 {
                let same = together[side].bytes() == alone[side].bytes();
                assert!(same, "{level} {kv:?}, case {case}: cache {side}");
            }
        }
    }
}
