//! `log_probs` against the logarithm of a softmax in f64, on random and odd logits, and with `adjust` and `draw` around it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::adjust::{self, AdjustConsts};
use akunu_kernels::cpu::LEVELS;
use akunu_kernels::draw;
use akunu_kernels::log_probs::{self, LogProbsConsts, log_probs};
use akunu_kernels::logits_max::{self, LogitsConsts, chunks};
use akunu_kernels::sampler::{Bias, LOGPROB_RECORDS, LogProbs, MAX_BIASES, Sampler, mask_words};
use akunu_kernels::step::{self, Position, Row, SeqIndex, Token};
use harness::{Memory, Random, run};

/// Log-probabilities in f64, of tokens that have one, most likely first.
fn definition(x: &[f32]) -> Vec<(u32, f64)> {
    let mut all: Vec<(u32, f64)> = (0..).zip(x.iter().map(|l| f64::from(*l))).collect();
    all.retain(|(_, l)| !l.is_nan() && *l > f64::NEG_INFINITY);
    all.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap().then(a.0.cmp(&b.0)));
    let top = all.first().map_or(0.0, |k| k.1);
    let sum: f64 = all.iter().map(|k| (k.1 - top).exp()).sum();
    all.iter_mut().for_each(|k| k.1 = k.1 - top - sum.ln());
    all
}

/// What roundings may come to: of the masses (1.5e-7 of each, and what 2^-40ths and the cut at e^-28 leave out of each token), of the
/// sum and its logarithm, and of the two subtractions.
fn tolerance(vocab: usize, log_prob: f64, all: f64) -> f64 {
    let u = f64::from(f32::EPSILON) / 2.0;
    1.5e-7
        + vocab as f64 * 1.7e-12
        + u
        + 4.0 * u * all.abs().max(1e-3)
        + 2.0 * u * (log_prob.abs() + all.abs())
}

fn check(x: &[f32], record: &LogProbs, drawn: u32, top: usize, pos: u32) {
    let want = definition(x);
    let all = want.first().map_or(0.0, |k| -k.1);
    assert_eq!((record.token, record.pos), (Token(drawn), Position(pos)));
    assert_eq!(record.count as usize, want.len().min(top));
    let near = |got: f32, want: f64, what: &str| {
        let off = (f64::from(got) - want).abs();
        assert!(off <= tolerance(x.len(), want, all), "{what} of {}: {got}, not {want}: {off:e}", x.len());
    };
    match want.iter().find(|k| k.0 == drawn) {
        Some(k) => near(record.log_prob, k.1, "drawn"),
        None => assert_eq!(record.log_prob, f32::NEG_INFINITY),
    }
    for (i, k) in want.iter().take(top).enumerate() {
        assert_eq!(record.top[i], Token(k.0), "place {i} of {}", x.len());
        near(record.top_log_probs[i], k.1, "top");
    }
    let n = record.count as usize;
    assert!(record.top[n..].iter().all(|t| t.0 == 0) && record.top_log_probs[n..].iter().all(|l| *l == 0.0));
}

#[test]
fn log_probabilities_are_those_of_the_softmax() {
    let mut rng = Random(71);
    for vocab in [1usize, 2, 5, 19, 20, 21, 100, 1023, 1025, 49_152, 128_256, 151_936, 262_145] {
        for (case, spread) in [0.0f32, 0.1, 1.0, 3.0, 30.0].into_iter().enumerate() {
            let x: Vec<f32> = (0..vocab).map(|_| rng.normal() * spread - 4.0).collect();
            for top in [0usize, 1, 5, 20] {
                let drawn = (rng.word() % vocab as u64) as u32;
                check(&x, &log_probs(&x, Token(drawn), top as u32, Position(9)), drawn, top, 9);
            }
            assert_eq!(log_probs(&x, Token(0), 9999, Position(case as u32)).count as usize, vocab.min(20));
        }
    }
}

/// A wrong normaliser, by one token of the least probability that can be told from none, exceeds the tolerance.
#[test]
fn the_tolerance_sees_a_token_that_is_left_out() {
    let mut rng = Random(72);
    let x: Vec<f32> = (0..5000).map(|_| rng.unit()).collect();
    let (all, less) = (definition(&x), definition(&x[1..]));
    let top = all.iter().find(|k| k.0 > 0).unwrap();
    let same = less.iter().find(|k| k.0 == top.0 - 1).unwrap();
    assert!((top.1 - same.1).abs() > 10.0 * tolerance(5000, top.1, -all[0].1));
}

#[test]
fn odd_logits_have_an_answer() {
    let (none, nan, big) = (f32::NEG_INFINITY, f32::NAN, 3.0e38);
    for (x, drawn) in [
        (vec![1.0f32], 0),
        (vec![none, none, -5.0, none], 2),
        (vec![nan, 2.0, -nan, 2.0], 1),
        (vec![2.0, nan], 1),
        (vec![0.0, -0.0, 0.0], 2),
        (vec![-big, big, -big], 1),
        (vec![-big, big, -big], 0),
        (vec![1.25; 3000], 17),
        (vec![0.5, none], 1),
        (vec![0.5], 7),
    ] {
        for top in [0usize, 2, 20] {
            let record = log_probs(&x, Token(drawn), top as u32, Position(0));
            // The distance of the two is no number of f32: minus infinity is the nearest.
            if x[0] == -big {
                assert_eq!((record.count as usize, record.top[0].0), (top.min(3), u32::from(top > 0)));
                assert!(record.log_prob == if drawn == 1 { 0.0 } else { none });
                continue;
            }
            check(&x, &record, drawn, top, 0);
        }
    }
    for broken in [vec![nan; 50], vec![none; 50], vec![0.0, f32::INFINITY, 1.0]] {
        let record = log_probs(&broken, Token(1), 20, Position(3));
        assert_eq!((record.count, record.log_prob, record.token), (0, none, Token(1)));
    }
}

/// Two sequences of which one asks: the record is of the logits before `adjust`, in its place of the ring, on every level.
#[test]
fn records_are_of_the_models_own_logits() {
    let mut rng = Random(73);
    let (vocab, chunk, max_seq, seqs) = (5000usize, 64usize, 300usize, 3u32);
    let capacity = step::Capacity { seqs, rows: step::RowCount(2), heads: 2 };
    let mut block = harness::Batch::stale(capacity, &mut rng);
    (block.header.rows, block.header.head_rows) = (2, 2);
    block.rows =
        vec![Row { seq: SeqIndex(2), pos: Position(200) }, Row { seq: SeqIndex(0), pos: Position(66) }];
    (block.heads[0].row, block.heads[1].row) = (1, 0);
    let logits: Vec<f32> = (0..2 * vocab).map(|_| rng.normal() * 2.0).collect();
    let asks =
        Sampler { logprobs: 6, biases: 2, repeat_penalty: 1.5, window: 64, masked: 1, ..Sampler::default() };
    let samplers = [Sampler { biases: 1, ..Sampler::default() }, Sampler::default(), asks];
    let mut biases = vec![Bias::default(); (seqs * MAX_BIASES) as usize];
    biases[2 * MAX_BIASES as usize] = Bias { token: Token(77), bias: 60.0 };
    biases[2 * MAX_BIASES as usize + 1] = Bias { token: Token(78), bias: f32::NEG_INFINITY };
    let words = mask_words(vocab as u32) as usize;
    let mask = vec![0x0000_ff0f_u32 | 1 << 13; seqs as usize * words];
    let belt: Vec<u32> = (0..seqs as usize * max_seq).map(|i| (i as u32 * 7) % 90).collect();
    let max_rows = 2;
    let adjusts: [u32; 4] = bytemuck::cast(AdjustConsts { vocab: 5000, chunk: 64, max_rows, max_seq: 300 });
    let of: [u32; 3] = bytemuck::cast(LogitsConsts { vocab: 5000, chunk: 64, max_rows });
    let consts: [u32; 2] = bytemuck::cast(LogProbsConsts { vocab: 5000, max_rows });
    let mut first: Option<Vec<u8>> = None;
    for (level, parts) in LEVELS.iter().filter(|l| l.available()).flat_map(|l| [1, 2, 5].map(|p| (*l, p))) {
        let mut step = block.memory();
        let (mut x, mut raw) = (Memory::of(&logits), Memory::new(logits.len() * 4, 0xFF));
        let mut best = Memory::new(2 * chunks(vocab, chunk) * 8, 0xFF);
        let (mut samplers, mut lists) = (Memory::of(&samplers), Memory::of(&biases));
        let (mut masks, mut tokens) = (Memory::of(&mask), Memory::of(&belt));
        let mut breakers = Memory::new(mask.len() * 4, 0);
        let mut bounds = Memory::new(seqs as usize * max_seq * 4, 0);
        let mut picks = Memory::new(16, 0xFF);
        let ring = (seqs * LOGPROB_RECORDS) as usize;
        let mut records = Memory::new(ring * size_of::<LogProbs>(), 0xFF);
        run(&logits_max::KERNEL, level, &of, &[], &[step.buf(), x.buf(), best.buf()], parts);
        let [step, samplers, x, best, raw, picks] =
            [step.buf(), samplers.buf(), x.buf(), best.buf(), raw.buf(), picks.buf()];
        let bufs = [step, samplers, lists.buf(), masks.buf(), breakers.buf(), tokens.buf(), x, best, raw];
        run(&adjust::KERNEL, level, &adjusts, &[], &bufs, parts);
        run(&draw::KERNEL, level, &adjusts, &[], &[step, samplers, x, best, bounds.buf(), picks], parts);
        run(&log_probs::KERNEL, level, &consts, &[], &[step, samplers, raw, picks, records.buf()], parts);
        // Head 1 is row 0, of sequence 2, whose token at 201 is drawn.
        let at = (2 * LOGPROB_RECORDS + 201 % LOGPROB_RECORDS) as usize;
        let found = records.values::<LogProbs>()[at];
        check(&logits[vocab..], &found, 77, 5, 201);
        assert!(found.log_prob < -1.0, "the bias is no part of it");
        let bytes = records.bytes();
        let size = size_of::<LogProbs>();
        let others = bytes[..at * size].iter().chain(&bytes[(at + 1) * size..]);
        assert!(others.into_iter().all(|b| *b == 0xFF), "who does not ask gets nothing");
        assert!(first.get_or_insert_with(|| bytes.to_vec()) == bytes, "{level} {parts}");
    }
}
