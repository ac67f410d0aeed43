//! `logits_max`, `sample` and `advance`: the distribution of draws, the choice among logits, and the step to the
//! next token.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::cpu::{LEVELS, Level, StepView};
use akunu_kernels::logits_max::{LogitsConsts, Pick, chunks};
use akunu_kernels::sample::{from_uniform, gumbel, noise_bound, noisy_best};
use akunu_kernels::step::{self, Header, MAX_EOS, Position, Row, Seq, SeqIndex, StopReason, Token};
use akunu_kernels::{advance, logits_max, sample};
use harness::{Memory, Random, run, step_block};

/// Sizes of chunks: a CPU's and a GPU's.
const CHUNKS: [usize; 2] = [4096, 64];
/// The one that tests use where only the number of chunks matters.
const CHUNK: usize = CHUNKS[0];

/// A floor that keeps all tokens.
const ALL: f32 = f32::NEG_INFINITY;

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

/// A step block: these rows, the last `heads` of which are drawn from, and one sequence's settings.
fn block(rows: &[Row], heads: u32, seq: Seq) -> Memory {
    let mut m = step_block(rows, heads);
    let at = step::seq_offset(SeqIndex(0));
    m.bytes_mut()[at..at + size_of::<Seq>()].copy_from_slice(bytemuck::bytes_of(&seq));
    m
}

fn row(pos: u32) -> Row {
    Row { seq: SeqIndex(0), pos: Position(pos) }
}

/// The picks of `logits_max` and of `sample`, each `[heads, chunks]`.
fn picks(
    level: Level,
    logits: &[f32],
    (vocab, chunk): (usize, usize),
    rows: &[Row],
    seq: Seq,
    parts: u32,
) -> (Vec<Pick>, Vec<Pick>) {
    let heads = logits.len() / vocab;
    let consts: [u32; 3] =
        bytemuck::cast(LogitsConsts { vocab: vocab as u32, chunk: chunk as u32, max_rows: heads as u32 });
    let n = heads * chunks(vocab, chunk);
    let mut step = block(rows, heads as u32, seq);
    let mut logits = Memory::of(logits);
    let (mut best, mut drawn) = (Memory::new((n + 1) * 8, 0xFF), Memory::new((n + 1) * 8, 0xFF));
    run(&logits_max::KERNEL, level, &consts, &[], &[step.buf(), logits.buf(), best.buf()], parts);
    let bufs = [step.buf(), logits.buf(), best.buf(), drawn.buf()];
    run(&sample::KERNEL, level, &consts, &[], &bufs, parts);
    for m in [&best, &drawn] {
        assert_eq!(m.bytes()[n * 8..], [0xFF; 8], "wrote past its chunks");
    }
    (best.values::<Pick>()[..n].to_vec(), drawn.values::<Pick>()[..n].to_vec())
}

fn fold(picks: &[Pick]) -> Pick {
    picks.iter().fold(Pick::NONE, |a, b| a.better(*b))
}

fn softmax(x: &[f32], t: f32) -> Vec<f64> {
    let max = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let e: Vec<f64> = x.iter().map(|v| ((f64::from(*v) - f64::from(max)) / f64::from(t)).exp()).collect();
    let sum: f64 = e.iter().sum();
    e.iter().map(|v| v / sum).collect()
}

#[test]
fn logits_max_finds_the_first_best_of_each_chunk() {
    let mut rng = Random(1);
    let shapes =
        CHUNKS.into_iter().flat_map(|c| [1, 5, 16, 17, c - 1, c, c + 1, 3 * c + 100].map(|v| (v, c)));
    for (vocab, chunk) in shapes {
        for heads in [1usize, 2, 3] {
            // Few distinct values, so that ties are common; some NaN, some masked.
            let logits: Vec<f32> = (0..heads * vocab)
                .map(|_| match rng.word() % 9 {
                    0 => f32::NAN,
                    1 => f32::NEG_INFINITY,
                    v => v as f32 - 4.0,
                })
                .collect();
            for level in levels() {
                for parts in 1..=3 {
                    let rows: Vec<Row> = (0..heads as u32 + 1).map(row).collect();
                    let (best, drawn) = picks(level, &logits, (vocab, chunk), &rows, Seq::default(), parts);
                    assert_eq!(best, drawn, "temperature 0 is the argmax");
                    for (i, got) in best.iter().enumerate() {
                        let (h, c) = (i / chunks(vocab, chunk), i % chunks(vocab, chunk));
                        let range = c * chunk..vocab.min((c + 1) * chunk);
                        let mut want = Pick::NONE;
                        for t in range {
                            let v = logits[h * vocab + t];
                            if v > want.score {
                                want = Pick { score: v, token: Token(t as u32) };
                            }
                        }
                        assert_eq!(*got, want, "{level} vocab {vocab} head {h} chunk {c}");
                    }
                }
            }
        }
    }
}

#[test]
fn picks_fold_the_same_in_any_order() {
    let mut rng = Random(2);
    for _ in 0..300 {
        let mut v: Vec<Pick> = (0..9)
            .map(|i| Pick { score: (rng.word() % 4) as f32, token: Token(i * 10 + rng.word() as u32 % 10) })
            .collect();
        v.push(Pick::NONE);
        v.push(Pick { score: f32::NAN, token: Token(0) });
        let want = fold(&v);
        let top = v.iter().map(|p| p.score).fold(f32::NEG_INFINITY, f32::max);
        let lowest = v.iter().filter(|p| p.score == top).map(|p| p.token).min();
        assert_eq!((want.score, Some(want.token)), (top, lowest), "the lowest id wins ties");
        for _ in 0..10 {
            for i in (1..v.len()).rev() {
                v.swap(i, rng.word() as usize % (i + 1));
            }
            assert_eq!(fold(&v), want);
        }
    }
}

/// The noise of every possible word is finite: one infinite value would beat any logit, and over 49,152 tokens it
/// would be met all the time.
#[test]
fn noise_is_finite_and_falls_with_its_word() {
    assert!((22.0..23.0).contains(&from_uniform(0)), "{}", from_uniform(0));
    assert!((-3.2..-3.1).contains(&from_uniform(u32::MAX)), "{}", from_uniform(u32::MAX));
    let mut last = f32::INFINITY;
    let words = (0..5000).chain((5000..u32::MAX - 5000).step_by(99_991)).chain(u32::MAX - 5000..=u32::MAX);
    for w in words {
        let g = from_uniform(w);
        assert!(g.is_finite(), "word {w} gives {g}");
        // The function falls; rounding in f32 may level or lift it by an ulp or two.
        assert!(g <= last + 4e-6 || last < -2.8, "word {w}: {g} after {last}");
        last = g;
    }
    for w in [1u32, 77, 1 << 12, 1 << 20, 1 << 30, 3 << 30] {
        let v = (f64::from(w) + 0.5) / 4_294_967_296.0;
        let want = -(-(1.0 - v).ln()).ln();
        assert!((f64::from(from_uniform(w)) - want).abs() < 1e-5, "{w}: {} not {want}", from_uniform(w));
    }
}

/// Along each of its three arguments the noise has the mean, the variance and the tail of a standard Gumbel variable, and
/// successive values do not correlate.
#[test]
fn noise_is_standard_along_every_argument() {
    let n = 400_000u32;
    let axes: [(&str, &dyn Fn(u32) -> f32); 3] = [
        ("seed", &|i| gumbel(u64::from(i), Position(7), Token(123))),
        ("position", &|i| gumbel(42, Position(i), Token(123))),
        ("token", &|i| gumbel(42, Position(7), Token(i))),
    ];
    for (axis, f) in axes {
        let x: Vec<f64> = (0..n).map(|i| f64::from(f(i))).collect();
        let count = f64::from(n);
        let mean = x.iter().sum::<f64>() / count;
        let var = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
        let (m, s2) = (0.577_215_664_9, std::f64::consts::PI.powi(2) / 6.0);
        // Six standard errors; the variance of the sample variance is (kurtosis - 1) / n x s2^2, kurtosis 5.4.
        assert!((mean - m).abs() < 6.0 * (s2 / count).sqrt(), "{axis}: mean {mean}");
        assert!((var - s2).abs() < 6.0 * s2 * (4.4 / count).sqrt(), "{axis}: variance {var}");
        let lag = x.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / (count * var);
        assert!(lag.abs() < 6.0 / count.sqrt(), "{axis}: correlation {lag}");
        // P(G > 5) = 1 - exp(-e^-5).
        let p = 1.0 - (-(-5f64).exp()).exp();
        let tail = x.iter().filter(|v| **v > 5.0).count() as f64;
        assert!((tail - p * count).abs() < 6.0 * (p * count).sqrt(), "{axis}: {tail} above 5");
    }
}

#[test]
fn draws_follow_the_softmax() {
    let x = [2.0f32, 1.0, 0.0, -1.0, 2.0, 0.5, -3.0, f32::NEG_INFINITY];
    let n = 400_000u32;
    for t in [0.5f32, 1.0, 2.0] {
        let p = softmax(&x, t);
        // Over seeds, and over positions of one seed.
        for axis in ["seed", "position"] {
            let mut counts = [0u32; 8];
            for i in 0..n {
                let (seed, pos) = if axis == "seed" { (u64::from(i), Position(5)) } else { (9, Position(i)) };
                counts[noisy_best(&x, 0, 2.0, t, ALL, seed, pos).token.index()] += 1;
            }
            assert_eq!(counts[7], 0, "a masked token was drawn");
            let chi2: f64 = (0..7)
                .map(|i| (f64::from(counts[i]) - p[i] * f64::from(n)).powi(2) / (p[i] * f64::from(n)))
                .sum();
            // 6 degrees of freedom; the six-sigma quantile by Wilson and Hilferty.
            let q: f64 = 2.0 / (9.0 * 6.0);
            let limit = 6.0 * (1.0 - q + 6.0 * q.sqrt()).powi(3);
            assert!(chi2 < limit, "{axis}, temperature {t}: chi-square {chi2:.1} > {limit:.1}, {counts:?}");
        }
    }
}

/// Through the kernels, over several chunks: the total variation distance to the softmax is what so many draws give.
#[test]
fn draws_over_chunks_follow_the_softmax() {
    let mut rng = Random(3);
    let vocab = CHUNK + 300;
    let mut logits = rng.normals(vocab);
    for i in 0..40 {
        logits[rng.word() as usize % vocab] += i as f32 / 5.0;
    }
    let (n, t) = (3000u32, 0.7);
    let p = softmax(&logits, t);
    let mut counts = vec![0f64; vocab];
    for seed in 0..n {
        let seq = Seq { seed: u64::from(seed), temperature: t, floor: ALL, ..Seq::default() };
        let (_, drawn) = picks(Level::Reference, &logits, (vocab, CHUNK), &[row(3)], seq, 1);
        counts[fold(&drawn).token.index()] += 1.0;
    }
    let count = f64::from(n);
    let tv: f64 = counts.iter().zip(&p).map(|(c, p)| (c / count - p).abs()).sum::<f64>() / 2.0;
    // The mean is at most half the sum of the standard deviations; a draw moves it by at most 1/n (McDiarmid).
    let mean: f64 = p.iter().map(|p| (p * (1.0 - p) / count).sqrt()).sum::<f64>() / 2.0;
    let limit = mean + (1e9f64.ln() / (2.0 * count)).sqrt();
    assert!(tv < limit, "total variation {tv} > {limit}");
    // The bound has teeth: a uniform draw would be far outside.
    let uniform: f64 = p.iter().map(|p| (p - 1.0 / vocab as f64).abs()).sum::<f64>() / 2.0;
    assert!(uniform > 1.5 * limit, "{uniform} {limit}");
}

/// Chunk by chunk what a walk over the whole vocabulary gives, whatever min-p leaves of a chunk: all, some, its best alone, nothing.
#[test]
fn chunks_that_min_p_leaves_out_change_no_draw() {
    let mut rng = Random(5);
    for chunk in CHUNKS {
        let vocab = 6 * chunk + 5;
        for round in 0..40u32 {
            // Each chunk at a level of its own; one of nothing but what cannot be drawn.
            let mut logits = rng.normals(vocab);
            for (c, x) in logits.chunks_mut(chunk).enumerate() {
                let level = -((round as usize * c) as f32) / 8.0;
                x.iter_mut().for_each(|l| *l += level);
            }
            logits[chunk..2 * chunk].fill([f32::NEG_INFINITY, f32::NAN][round as usize % 2]);
            for floor in [0.0, 0.05f32.ln(), -20.0, ALL] {
                let seq = Seq { seed: round.into(), temperature: 0.9, floor, ..Seq::default() };
                let (best, drawn) = picks(Level::Reference, &logits, (vocab, chunk), &[row(3)], seq, 1);
                let want = noisy_best(&logits, 0, fold(&best).score, 0.9, floor, round.into(), Position(4));
                assert_eq!(fold(&drawn), want, "chunks of {chunk}, round {round}, floor {floor}");
                assert!(want.score.is_finite());
            }
        }
    }
}

#[test]
fn a_draw_depends_on_seed_position_and_token_alone() {
    for chunk in CHUNKS {
        let mut rng = Random(4);
        let vocab = 2 * chunk + 77;
        let logits = rng.normals(2 * vocab);
        let seq = Seq { seed: 5, temperature: 1.0, floor: 0.01f32.ln(), ..Seq::default() };
        let rows: Vec<Row> = [40, 41, 42].map(row).to_vec();
        let (_, want) = picks(Level::Reference, &logits, (vocab, chunk), &rows, seq, 1);
        for level in levels() {
            for parts in 1..=7 {
                let (_, got) = picks(level, &logits, (vocab, chunk), &rows, seq, parts);
                assert_eq!(got, want, "{level}, {parts} parts");
            }
        }
        // Each head row alone, at its own place, gives the same draw.
        let n = chunks(vocab, chunk);
        for h in 0..2 {
            let (_, one) = picks(
                Level::Reference,
                &logits[h * vocab..][..vocab],
                (vocab, chunk),
                &rows[h + 1..h + 2],
                seq,
                2,
            );
            assert_eq!(one, want[h * n..(h + 1) * n], "head row {h}");
        }
        // Whole against chunks: the maximum is over all of them.
        let max = logits[..vocab].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        assert_eq!(
            fold(&want[..n]),
            noisy_best(&logits[..vocab], 0, max, 1.0, 0.01f32.ln(), 5, Position(42))
        );
        // Another seed, and another place, draw otherwise.
        let other =
            |seq, pos| picks(Level::Reference, &logits[..vocab], (vocab, chunk), &[row(pos)], seq, 1).1;
        assert_ne!(other(seq, 41), other(Seq { seed: 6, ..seq }, 41));
        assert_ne!(other(seq, 41), other(seq, 43));
    }
}

#[test]
fn min_p_cuts_at_its_probability() {
    let mut rng = Random(5);
    for _ in 0..3000 {
        let (t, min_p) = (0.1 + 2.0 * rng.unit().abs(), (rng.unit().abs()).max(1e-6));
        let max = 20.0 * rng.unit();
        // Before temperature.
        let edge = f64::from(max) + f64::from(min_p).ln();
        // A logarithm and a difference are rounded in f32.
        let off = (f64::from(max).abs() + 3.0 * (edge - f64::from(max)).abs()) / 8_388_608.0;
        let kept = |l: f64| noisy_best(&[l as f32], 3, max, t, min_p.ln(), 1, Position(1)).token == Token(3);
        assert!(kept(edge + 2.0 * off), "max {max} T {t} min-p {min_p}");
        assert!(!kept(edge - 2.0 * off), "max {max} T {t} min-p {min_p}");
    }
    let keeps = |l: f32, t, floor| noisy_best(&[l], 0, 1.5, t, floor, 1, Position(1)).token == Token(0);
    // 1 keeps the best and its equals; 0 keeps all that is not masked away by a NaN.
    assert!(keeps(1.5, 1.0, 0.0) && !keeps(1.499_999_9, 1.0, 0.0));
    assert!(keeps(1.5, 1.0, ALL) && keeps(-1e30, 1.0, ALL) && !keeps(f32::NAN, 1.0, ALL));
    // Settings that no host should send still keep the best.
    for (t, floor) in [(1.0, 2.0), (1.0, f32::INFINITY), (f32::INFINITY, 1.0), (1.0, f32::NAN)] {
        assert!(keeps(1.5, t, floor), "temperature {t}, floor {floor}");
    }
}

/// Min-p renormalises: among the kept tokens the draws keep their proportions.
#[test]
fn min_p_keeps_proportions() {
    let x = [0.0f32, -0.5, -1.0, -3.5];
    let n = 200_000u64;
    let mut counts = [0f64; 4];
    for seed in 0..n {
        counts[noisy_best(&x, 0, 0.0, 1.0, 0.05f32.ln(), seed, Position(1)).token.index()] += 1.0;
    }
    let p = softmax(&x[..3], 1.0);
    assert_eq!(counts[3], 0.0);
    for i in 0..3 {
        let (want, sd) = (p[i] * n as f64, (p[i] * (1.0 - p[i]) * n as f64).sqrt());
        assert!((counts[i] - want).abs() < 6.0 * sd, "{counts:?}");
    }
}

#[test]
fn tiny_temperatures_are_greedy() {
    let mut rng = Random(6);
    let logits = rng.normals(CHUNK + 10);
    let argmax =
        fold(&picks(Level::Reference, &logits, (logits.len(), CHUNK), &[row(0)], Seq::default(), 1).0);
    for t in [0.0, -0.0, -1.0, f32::NAN, 1e-45, 1e-40, f32::MIN_POSITIVE, 1e-30, 1e-6] {
        for floor in [ALL, -3.0, 0.0] {
            for seed in 0..20 {
                let seq = Seq { seed, temperature: t, floor, ..Seq::default() };
                let (_, drawn) = picks(Level::Reference, &logits, (logits.len(), CHUNK), &[row(9)], seq, 2);
                assert_eq!(fold(&drawn).token, argmax.token, "temperature {t:e}, floor {floor}");
            }
        }
    }
}

/// What `advance` leaves behind: the header, the first row, the sequence, the token belt.
struct After {
    header: Header,
    row: Row,
    seq: Seq,
    belt: Vec<Token>,
    step: Vec<u8>,
}

const SLOTS: usize = 20;
/// A slot of the belt that nobody has written.
const UNWRITTEN: Token = Token(0xAAAA_AAAA);
/// Vocabulary entries of a pick, where `advance` stands alone.
const ADVANCE_CHUNK: u32 = CHUNK as u32;

fn run_advance(rows: &[Row], heads: u32, seq: Seq, picks: &[Pick], vocab: usize) -> After {
    let mut step = block(rows, heads, seq);
    let (mut picks, mut belt) = (Memory::of(picks), Memory::new(SLOTS * 4, 0xAA));
    let consts = [vocab as u32, ADVANCE_CHUNK, SLOTS as u32, 0];
    // Two parts: only one of them works.
    run(&advance::KERNEL, Level::Reference, &consts, &[], &[step.buf(), picks.buf(), belt.buf()], 2);
    let view = StepView::new(step.bytes());
    After {
        header: view.header(),
        row: if rows.is_empty() { Row::default() } else { view.row(0) },
        seq: view.seq(SeqIndex(0)),
        belt: belt.values::<Token>().to_vec(),
        step: step.bytes().to_vec(),
    }
}

fn pick(token: u32) -> Pick {
    Pick { score: 1.0, token: Token(token) }
}

#[test]
fn advance_moves_to_the_next_token() {
    let seq = Seq { seed: 3, len: 4, limit: 100, temperature: 0.5, eos_count: 1, ..Seq::default() };
    // Three rows of a prefill, one drawn from, two chunks.
    let rows = [row(4), row(5), row(6)];
    let picks = [Pick { score: 2.0, token: Token(9) }, Pick { score: 3.0, token: Token(4100) }];
    let a = run_advance(&rows, 1, seq, &picks, 5000);
    assert_eq!(a.header.stop, StopReason::None as u32);
    assert_eq!((a.header.rows, a.header.head_rows), (1, 1), "the next step decodes one token");
    assert_eq!((a.header.last_token, a.header.drawn, a.header.steps), (Token(4100), 1, 1));
    assert_eq!(a.row, row(7));
    assert_eq!(a.seq, Seq { len: 7, ..seq }, "only the length changes");
    let mut belt = [UNWRITTEN; SLOTS];
    belt[7] = Token(4100);
    assert_eq!(a.belt, belt);
}

#[test]
fn advance_of_many_head_rows_takes_the_last() {
    let picks: Vec<Pick> = [11, 22, 33].map(pick).to_vec();
    let rows = [row(0), row(1), row(2), row(3)];
    let a = run_advance(&rows, 3, Seq { limit: 50, ..Seq::default() }, &picks, 100);
    assert_eq!((a.header.last_token, a.seq.len, a.belt[4]), (Token(33), 4, Token(33)));
}

#[test]
fn advance_without_head_rows_only_counts() {
    let seq = Seq { limit: 2, ..Seq::default() };
    let rows = [row(0), row(1), row(2)];
    let a = run_advance(&rows, 0, seq, &[pick(5)], 100);
    assert_eq!(a.belt, [UNWRITTEN; SLOTS], "the belt is the host's");
    assert_eq!(a.seq, Seq { len: 3, ..seq });
    let want = Header { rows: 3, head_rows: 0, seqs_cap: 1, steps: 1, ..Header::default() };
    assert_eq!(a.header, want, "nothing was drawn, so nothing stops");
    // No rows at all: nothing happens.
    let a = run_advance(&[], 0, seq, &[pick(5)], 100);
    assert_eq!(a.step, block(&[], 0, seq).bytes());
}

#[test]
fn advance_stops_where_it_should() {
    let mut eos = [Token(0); MAX_EOS];
    eos[..3].copy_from_slice(&[2, 7, 9].map(Token));
    let seq = |limit, eos_count| Seq { limit, eos, eos_count, ..Seq::default() };
    let stop = |seq, token| {
        let a = run_advance(&[row(9)], 1, seq, &[pick(token)], 100);
        assert_eq!((a.header.last_token, a.seq.len, a.belt[10]), (Token(token), 10, Token(token)));
        StopReason::from_word(a.header.stop)
    };
    assert_eq!(stop(seq(50, 2), 7), StopReason::Eos);
    assert_eq!(stop(seq(50, 2), 9), StopReason::None, "an id behind the count is no end");
    assert_eq!(stop(seq(50, 3), 9), StopReason::Eos);
    assert_eq!(stop(seq(50, 0), 0), StopReason::None);
    assert_eq!(stop(seq(50, 16), 0), StopReason::Eos);
    assert_eq!(stop(seq(50, u32::MAX), 0), StopReason::Eos, "a count beyond the list is cut");
    assert_eq!(stop(seq(10, 0), 3), StopReason::Limit);
    assert_eq!(stop(seq(11, 0), 3), StopReason::None);
    assert_eq!(stop(seq(9, 3), 2), StopReason::Eos, "an end is an end, even at the limit");
}

#[test]
fn advance_at_the_belts_end_writes_no_slot() {
    let a = run_advance(&[row(SLOTS as u32 - 1)], 1, Seq { limit: 5, ..Seq::default() }, &[pick(8)], 100);
    assert_eq!(a.belt, [UNWRITTEN; SLOTS]);
    assert_eq!(a.header.last_token, Token(8));
    assert_eq!(StopReason::from_word(a.header.stop), StopReason::Limit);
}

/// From broken logits to the stop, at temperature 0 and above.
#[test]
fn broken_logits_stop_the_sequence() {
    let vocab = CHUNK + 20;
    let fine: Vec<f32> = (0..vocab).map(|i| (i % 13) as f32).collect();
    let mut some_nan = fine.clone();
    some_nan[12] = f32::NAN;
    some_nan[CHUNK + 3] = f32::NAN;
    let mut masked = vec![f32::NEG_INFINITY; vocab];
    masked[CHUNK + 5] = -7.0;
    let mut infinite = fine.clone();
    infinite[70] = f32::INFINITY;
    let cases: [(&str, Vec<f32>, StopReason); 6] = [
        ("fine", fine, StopReason::None),
        ("some NaN", some_nan, StopReason::None),
        ("all but one masked", masked, StopReason::None),
        ("all NaN", vec![f32::NAN; vocab], StopReason::NotFinite),
        ("all masked", vec![f32::NEG_INFINITY; vocab], StopReason::NotFinite),
        ("infinite", infinite, StopReason::NotFinite),
    ];
    for (what, logits, want) in &cases {
        for (temperature, floor) in [(0.0, ALL), (1.0, ALL), (1.0, -3.0), (1.0, 0.0)] {
            for seed in 0..30 {
                let seq = Seq { seed, temperature, floor, limit: 15, ..Seq::default() };
                let (_, drawn) = picks(Level::Reference, logits, (vocab, CHUNK), &[row(3)], seq, 2);
                let a = run_advance(&[row(3)], 1, seq, &drawn, vocab);
                let what = format!("{what}, temperature {temperature}, floor {floor}");
                assert_eq!(StopReason::from_word(a.header.stop), *want, "{what}");
                if *want == StopReason::None {
                    let token = a.header.last_token.index();
                    assert!(logits[token].is_finite(), "{what}: drew token {token}, {}", logits[token]);
                    assert_eq!(a.belt[4].index(), token);
                } else {
                    assert_eq!((a.header.drawn, a.belt[4]), (0, UNWRITTEN), "{what}: nothing is drawn");
                }
            }
        }
    }
}

/// Passing over tokens that cannot win changes no draw.
#[test]
fn the_bound_on_the_noise_holds_and_loses_no_draw() {
    let mut rng = Random(9);
    let powers = (0..32).flat_map(|p| [(1u32 << p) - 1, 1 << p, (1 << p) + 1]);
    let words: Vec<u32> = powers.chain([u32::MAX]).chain((0..100_000).map(|_| rng.word() as u32)).collect();
    for w in words {
        assert!(from_uniform(w) + 5e-4 < noise_bound(w), "{w}: {} over {}", from_uniform(w), noise_bound(w));
    }
    for round in 0..40 {
        let spread = [0.0, 0.1, 3.0, 30.0][round % 4];
        let mut x: Vec<f32> = (0..5000).map(|_| rng.unit() * spread).collect();
        x[17] = f32::NAN;
        x[18] = f32::NEG_INFINITY;
        let max = x.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
        for (t, floor) in [(1.0, ALL), (0.7, -3.0), (2.0, -1.2)] {
            let (seed, pos) = (rng.word(), Position(round as u32));
            let plain =
                x.iter().enumerate().filter(|(_, l)| **l - max >= floor).fold(Pick::NONE, |best, (i, l)| {
                    let token = Token(100 + i as u32);
                    best.better(Pick { score: (l - max) * (1.0 / t) + gumbel(seed, pos, token), token })
                });
            assert_eq!(
                noisy_best(&x, 100, max, t, floor, seed, pos),
                plain,
                "spread {spread}, T {t}, floor {floor}"
            );
        }
    }
}
