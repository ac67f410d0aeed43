//! The step block's layout, its view, and how work is shared out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use akunu_kernels::cpu::{LEVELS, Level, StepView, share};
use akunu_kernels::step::{
    self, Capacity, Head, Header, Position, Row, RowCount, Seq, SeqIndex, StopReason, Token,
};
use proptest::prelude::*;

#[test]
fn the_layout_is_the_documented_one() {
    assert_eq!(size_of::<Header>(), 64);
    assert_eq!(size_of::<Row>(), 8);
    assert_eq!(size_of::<Seq>() % 8, 0);
    assert_eq!(step::seq_offset(SeqIndex(0)), 64);
    assert_eq!(step::seq_offset(SeqIndex(3)), 64 + 3 * size_of::<Seq>());
    assert_eq!(step::row_offset(3, 0), step::seq_offset(SeqIndex(3)));
    assert_eq!(step::row_offset(3, 5), step::seq_offset(SeqIndex(3)) + 40);
    assert_eq!(step::bytes(3, 5), step::row_offset(3, 5));
}

#[test]
fn the_view_reads_what_was_written() {
    let (seqs, rows) = (3u32, 4u32);
    let mut bytes = vec![0u8; step::bytes(seqs, rows)];
    let h = Header { rows, head_rows: 2, seqs_cap: seqs, last_token: Token(77), ..Header::default() };
    bytes[..64].copy_from_slice(bytemuck::bytes_of(&h));
    let seq = |i: u32| Seq { seed: u64::from(i) << 40, len: i + 5, floor: i as f32, ..Seq::default() };
    for i in 0..seqs {
        let at = step::seq_offset(SeqIndex(i));
        bytes[at..at + size_of::<Seq>()].copy_from_slice(bytemuck::bytes_of(&seq(i)));
    }
    for i in 0..rows {
        let at = step::row_offset(seqs, i);
        let row = Row { seq: SeqIndex(i % seqs), pos: Position(100 + i) };
        bytes[at..at + 8].copy_from_slice(bytemuck::bytes_of(&row));
    }
    let v = StepView::new(&bytes);
    assert_eq!(v.header(), h);
    for i in 0..seqs {
        assert_eq!(v.seq(SeqIndex(i)), seq(i));
    }
    for i in 0..rows {
        assert_eq!(v.row(i), Row { seq: SeqIndex(i % seqs), pos: Position(100 + i) });
    }
}

/// A session's block is what it was before there were lists of heads: header, sequence, rows, and nothing more.
#[test]
fn a_session_has_no_list_of_heads() {
    for rows in [1, 2, 512, 1000] {
        let c = Capacity::session(RowCount(rows));
        assert_eq!((c.seqs, c.heads_at(), c.bytes()), (1, 0, step::bytes(1, rows)));
        assert_eq!(c.header(), Header { seqs_cap: 1, ..Header::default() });
    }
    // The last rows draw, whatever is behind them.
    let mut bytes = vec![0xFF; step::bytes(1, 5)];
    let h = Header { rows: 5, head_rows: 2, ..Capacity::session(RowCount(5)).header() };
    bytes[..64].copy_from_slice(bytemuck::bytes_of(&h));
    let v = StepView::new(&bytes);
    assert_eq!([0, 1].map(|i| v.head_row(i)), [3, 4]);
}

/// In other languages the header's words are named by their place.
#[test]
fn the_header_begins_as_other_languages_read_it() {
    let words: Vec<u32> = (1..=16).collect();
    let h: Header = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&words));
    let first = [h.rows, h.head_rows, h.seqs_cap, h.stop, h.steps, h.last_token.0, h.drawn];
    assert_eq!(first, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!([h.heads_at, h.heads_cap, h.drew], [8, 9, 10]);
    assert_eq!(size_of::<Head>(), 16);
}

proptest! {
    /// Heads stand after the rows, at a multiple of their size, and the block ends with them.
    #[test]
    fn heads_stand_after_the_rows(seqs in 1u32..1025, rows in 1u32..2000, heads in 1u32..1025) {
        let c = Capacity { seqs, rows: RowCount(rows), heads };
        let end = step::row_offset(seqs, rows);
        prop_assert_eq!(end, 64 + seqs as usize * size_of::<Seq>() + rows as usize * 8);
        prop_assert!(c.heads_at() >= end && c.heads_at() < end + 16);
        prop_assert!(c.heads_at().is_multiple_of(size_of::<Head>()));
        prop_assert_eq!(c.bytes(), c.heads_at() + heads as usize * 16);
        let h = c.header();
        prop_assert_eq!((h.seqs_cap, h.heads_at as usize, h.heads_cap), (seqs, c.heads_at(), heads));
        prop_assert_eq!((h.rows, h.head_rows, h.stop), (0, 0, 0));
    }
}

#[test]
fn the_view_reads_heads() {
    let c = Capacity { seqs: 2, rows: RowCount(3), heads: 2 };
    let mut bytes = vec![0u8; c.bytes()];
    let h = Header { rows: 3, head_rows: 2, ..c.header() };
    bytes[..64].copy_from_slice(bytemuck::bytes_of(&h));
    let heads = [0, 2].map(|row| Head {
        row,
        seq: SeqIndex(1 - row / 2),
        token: Token(40 + row),
        pos: Position(9 * row),
    });
    bytes[c.heads_at()..].copy_from_slice(bytemuck::cast_slice(&heads));
    let v = StepView::new(&bytes);
    assert_eq!([0, 1].map(|i| v.head(i)), heads);
    assert_eq!([0, 1].map(|i| v.head_row(i)), [0, 2]);
}

#[test]
fn stop_reasons_survive_the_step_block() {
    use StopReason::*;
    for s in [None, Eos, Limit, Cancelled, NotFinite] {
        assert_eq!(StopReason::from_word(s as u32), s);
    }
    assert_eq!(None as u32, 0, "a zeroed block runs");
}

#[test]
fn levels_have_names() {
    for l in LEVELS {
        assert_eq!(Level::parse(l.name()), Some(*l));
    }
    assert_eq!(Level::parse("sse2"), None);
    assert!(Level::Reference.available() && Level::Portable.available());
    assert!(Level::detect().available());
    assert!(LEVELS.windows(2).all(|w| w[0] < w[1]));
}

proptest! {
    #[test]
    fn shares_are_contiguous_fair_and_complete(n in 0usize..100_000, parts in 1u32..200) {
        let mut end = 0;
        for p in 0..parts {
            let s = share(n, p, parts);
            prop_assert_eq!(s.start, end);
            let floor = n / parts as usize;
            prop_assert!((floor..=floor + 1).contains(&s.len()));
            end = s.end;
        }
        prop_assert_eq!(end, n);
    }
}
