//! `accept` against a plain model: which draws count, what is drafted, and that drafts change nothing.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::accept::lookup::{self, LONGEST};
use akunu_kernels::accept::{self, AcceptConsts, Draft};
use akunu_kernels::advance::{self, AdvanceConsts};
use akunu_kernels::cpu::Level;
use akunu_kernels::logits_max::Pick;
use akunu_kernels::step::{
    Capacity, MAX_EOS, NO_TOKEN, Position, Row, RowCount, Seq, SeqIndex, StopReason, Token,
};
use harness::{Batch, Memory, Random, below, run};

const VOCAB: u32 = 12;
const SLOTS: u32 = 60;

/// Where a text goes on like its end: every place, the slow way.
fn found(known: &[Token]) -> Option<(usize, u32)> {
    let len = known.len();
    let agree = |from: usize| {
        (1..=from.min(LONGEST as usize)).take_while(|n| known[from - n..from] == known[len - n..]).count()
    };
    let best = (1..len).map(|from| (agree(from), from)).filter(|(n, _)| *n > 0).max()?;
    Some((best.1, best.0 as u32))
}

#[test]
fn look_up_finds_the_last_of_the_longest_matches() {
    let mut rng = Random(71);
    let mut long = 0;
    for case in 0..3000 {
        let kinds = 1 + below(&mut rng, 4) as u32;
        let n = below(&mut rng, 80);
        let mut text: Vec<Token> = (0..n).map(|_| Token(rng.word() as u32 % kinds)).collect();
        if case % 3 == 0 && n > 4 {
            let from = below(&mut rng, n / 2);
            let copy = text[from..n / 2].to_vec();
            text.extend(copy);
        }
        assert_eq!(lookup::find(&text), found(&text), "case {case}");
        long += u32::from(found(&text).is_some_and(|f| f.1 == LONGEST));
    }
    assert!(long > 50, "{long}");
    assert_eq!(lookup::find(&[]), None);
    assert_eq!(lookup::find(&[Token(3)]), None);
}

#[test]
fn a_draft_beyond_what_is_known_goes_on_with_itself() {
    let text = Token::from_ids(&[5, 1, 2, 1, 2]);
    let (from, matched) = lookup::find(text).unwrap();
    assert_eq!((from, matched), (3, 2));
    let draft: Vec<u32> = (0..5).map(|i| lookup::token(text, from, i).0).collect();
    assert_eq!(draft, [1, 2, 1, 2, 1]);
    let settings = Draft { most: 7, unsure: 4, least: 2, ..Draft::default() };
    assert_eq!([0, 1, 2, 3, 7, 8, 16].map(|m| lookup::count(&settings, m, 9)), [0, 0, 3, 4, 4, 7, 7]);
    assert_eq!([7, 8].map(|m| lookup::count(&settings, m, 1)), [1, 1]);
    assert_eq!(lookup::count(&Draft { most: 3, ..settings }, 9, 9), 3);
}

/// What a step leaves, said plainly.
fn accepted(
    b: &Batch,
    belts: &[Token],
    drafts: &[Draft],
    drawn: &[Option<Token>],
    most_rows: u32,
) -> (Batch, Vec<Token>, Vec<Draft>) {
    let (mut after, mut belts, mut drafts) = (b.clone(), belts.to_vec(), drafts.to_vec());
    let old = belts.clone();
    let mut draws = Vec::new();
    let mut going = Vec::new();
    let rows: Vec<Row> = (0..drawn.len()).map(|i| b.head_row(i)).collect();
    let mut ended: Option<SeqIndex> = None;
    for (i, token) in drawn.iter().enumerate() {
        let Row { seq, pos } = rows[i];
        if i > 0 && rows[i - 1].seq == seq {
            drafts[seq.index()].drafted += 1;
            if ended == Some(seq) {
                continue;
            }
            drafts[seq.index()].accepted += 1;
        }
        let at = pos.0 + 1;
        let state = &mut after.seqs[seq.index()];
        let ends = state.eos_count.min(MAX_EOS as u32) as usize;
        let stop = match token {
            None => StopReason::NotFinite,
            Some(t) if state.eos[..ends].contains(t) => StopReason::Eos,
            Some(_) if at >= state.limit => StopReason::Limit,
            Some(_) => StopReason::None,
        };
        (state.len, state.stop) = (at, stop as u32);
        draws.push((seq, token.unwrap_or(NO_TOKEN), Position(at)));
        let slot = (seq.0 * SLOTS + at) as usize;
        if let Some(t) = token {
            belts[slot] = *t;
        }
        let more = i + 1 < rows.len() && rows[i + 1].seq == seq;
        if stop != StopReason::None || !more || *token != Some(old[slot]) {
            ended = Some(seq);
            if stop == StopReason::None {
                going.push((seq, at));
            }
        }
    }
    for (head, (seq, token, pos)) in after.heads.iter_mut().zip(&draws) {
        (head.seq, head.token, head.pos) = (*seq, *token, *pos);
    }
    let (mut row, mut spare) = (0, most_rows - going.len() as u32);
    for (seq, len) in &going {
        let from = (seq.0 * SLOTS) as usize;
        let known = &belts[from..=from + *len as usize];
        let limit = after.seqs[seq.index()].limit.min(SLOTS - 1);
        let settings = drafts[seq.index()];
        let (at, matched) = found(known).unwrap_or((0, 0));
        let wanted = if matched > 0 && matched >= settings.least { 2 * matched - 1 } else { 0 };
        let n = wanted.min(settings.most).min(if matched < 8 { settings.unsure } else { u32::MAX });
        let n = n.min(limit.saturating_sub(len + 1)).min(spare);
        let draft: Vec<Token> = (0..n as usize).map(|i| known[at + i % (known.len() - at)]).collect();
        let end = from + *len as usize + 1;
        belts[end..end + n as usize].copy_from_slice(&draft);
        for pos in *len..=len + n {
            after.rows[row] = Row { seq: *seq, pos: Position(pos) };
            after.heads[row].row = row as u32;
            row += 1;
        }
        spare -= n;
    }
    let h = &mut after.header;
    (h.rows, h.head_rows) = (row as u32, row as u32);
    (h.steps, h.drawn, h.drew) = (h.steps + 1, h.drawn + draws.len() as u32, draws.len() as u32);
    if row == 0 {
        h.stop = StopReason::Limit as u32;
    }
    (after, belts, drafts)
}

#[test]
fn accept_is_its_model_to_the_byte() {
    let mut rng = Random(72);
    let (mut met, mut drafted, mut stopped) = (0, 0, 0);
    for case in 0..2000 {
        let seqs = 1 + below(&mut rng, 5) as u32;
        let rows = 8 + below(&mut rng, 9) as u32;
        let capacity = Capacity { seqs, rows: RowCount(rows), heads: rows + below(&mut rng, 3) as u32 };
        let (b, belts, drafts) = Batch::ask_drafts(capacity, SLOTS, &mut rng);
        // Most draws are what the next row has.
        let drawn: Vec<Option<Token>> = (0..b.header.head_rows as usize)
            .map(|i| {
                let Row { seq, pos } = b.head_row(i);
                match below(&mut rng, 8) {
                    0 => None,
                    1 => Some(Token(rng.word() as u32 % VOCAB)),
                    2 => Some(Token(3)),
                    _ => Some(belts[(seq.0 * SLOTS + pos.0 + 1) as usize]),
                }
            })
            .collect();
        let mut picks: Vec<Pick> =
            drawn.iter().map(|t| t.map_or(Pick::NONE, |token| Pick { score: rng.unit(), token })).collect();
        picks.push(Pick { score: 9.0, token: Token(5) });
        let consts: [u32; 5] = bytemuck::cast(AcceptConsts {
            vocab: VOCAB,
            chunk: VOCAB,
            max_seq: SLOTS,
            heads: capacity.heads,
            rows,
        });
        let (after, belts_after, drafts_after) = accepted(&b, &belts, &drafts, &drawn, rows);
        let (mut block, mut tokens) = (b.memory(), Memory::of(&belts));
        let (mut all, mut settings) = (Memory::of(&picks), Memory::of(&drafts));
        let bufs = [block.buf(), all.buf(), tokens.buf(), settings.buf()];
        run(&accept::KERNEL, Level::Reference, &consts, &[], &bufs, 1 + case % 3);
        assert_eq!(block.bytes(), after.memory().bytes(), "case {case}: the block");
        assert_eq!(tokens.values::<Token>(), belts_after, "case {case}: the belts");
        assert_eq!(settings.values::<Draft>(), drafts_after, "case {case}: the counts");
        met += u32::from(after.header.drew > u32::from(b.header.rows > 0) * seqs);
        drafted += u32::from(after.header.rows > seqs);
        stopped += u32::from(after.header.rows == 0 && b.header.head_rows > 0);
    }
    assert!(met > 200 && drafted > 200 && stopped > 20, "{met} {drafted} {stopped}");
}

/// Without drafts it is `advance`.
#[test]
fn without_drafts_it_is_advance() {
    let mut rng = Random(73);
    for _ in 0..300 {
        let capacity = Capacity { seqs: 6, rows: RowCount(6), heads: 6 };
        let b = Batch::ask(capacity, 1, SLOTS - 1, &mut rng);
        let belts: Vec<Token> = (0..6 * SLOTS).map(|_| Token(rng.word() as u32 % VOCAB)).collect();
        let picks: Vec<Pick> =
            (0..6).map(|_| Pick { score: rng.unit(), token: Token(rng.word() as u32 % VOCAB) }).collect();
        let after = |accepts: bool| {
            let (mut block, mut tokens, mut picks) = (b.memory(), Memory::of(&belts), Memory::of(&picks));
            let mut drafts = Memory::of(&[Draft::default(); 6]);
            let [step, picks, belt] = [block.buf(), picks.buf(), tokens.buf()];
            if accepts {
                let consts: [u32; 5] = [VOCAB, VOCAB, SLOTS, 6, 6];
                run(&accept::KERNEL, Level::Reference, &consts, &[], &[step, picks, belt, drafts.buf()], 1);
            } else {
                let consts: [u32; 4] =
                    bytemuck::cast(AdvanceConsts { vocab: VOCAB, chunk: VOCAB, max_seq: SLOTS, heads: 6 });
                run(&advance::KERNEL, Level::Reference, &consts, &[], &[step, picks, belt], 1);
            }
            (block.bytes().to_vec(), tokens.values::<Token>().to_vec())
        };
        assert!(after(true) == after(false));
    }
}

/// A sequence at the end of its belt drafts nothing and stays inside.
#[test]
fn drafts_end_with_the_belt() {
    let capacity = Capacity { seqs: 1, rows: RowCount(8), heads: 8 };
    for pos in SLOTS - 4..SLOTS {
        let mut b = Batch::stale(capacity, &mut Random(5));
        b.rows[0] = Row { seq: SeqIndex(0), pos: Position(pos) };
        b.heads[0].row = 0;
        b.seqs[0] = Seq { limit: u32::MAX, ..Seq::default() };
        (b.header.rows, b.header.head_rows) = (1, 1);
        let (mut block, mut tokens) = (b.memory(), Memory::of(&vec![Token(1); SLOTS as usize]));
        let mut picks = Memory::of(&[Pick { score: 0.0, token: Token(1) }]);
        let mut drafts = Memory::of(&[Draft { most: 7, unsure: 7, least: 2, ..Draft::default() }]);
        let bufs = [block.buf(), picks.buf(), tokens.buf(), drafts.buf()];
        run(&accept::KERNEL, Level::Reference, &[VOCAB, VOCAB, SLOTS, 8, 8], &[], &bufs, 1);
        let view = akunu_kernels::cpu::StepView::new(block.bytes());
        let last = view.row(view.header().rows - 1);
        let has_room = last.pos.0 < SLOTS || view.header().rows == 1;
        assert!(has_room, "a step at {pos} goes to {}", last.pos);
    }
}
