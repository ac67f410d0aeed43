//! The step block's layout, its view, and how work is shared out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use akunu_kernels::cpu::{LEVELS, Level, StepView, share};
use akunu_kernels::step::{self, Header, Position, Row, Seq, SeqIndex, StopReason};
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
    let h = Header { rows, head_rows: 2, seqs_cap: seqs, last_token: 77, ..Header::default() };
    bytes[..64].copy_from_slice(bytemuck::bytes_of(&h));
    let seq = |i: u32| Seq { seed: u64::from(i) << 40, len: i + 5, min_p: i as f32, ..Seq::default() };
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
