//! `adjust` and `draw`: every device draws the same tokens from the same logits, to the bit.

use super::small::{VOCABS, bests, logits, picks, same_picks};
use super::*;
use crate::harness::Random;
use akunu::kernels::adjust::AdjustConsts;
use akunu::kernels::draw::DrawConsts;
use akunu::kernels::log_probs::LogProbsConsts;
use akunu::kernels::logits_max::{Pick, chunks};
use akunu::kernels::sampler::{
    Bias, FILTERS, Filter, LOGPROB_RECORDS, LogProbs, MAX_BIASES, Sampler, mask_words,
};
use akunu::kernels::{adjust, draw, log_probs};
use akunu_kernels::step::{Position, Token};

/// The kernels with cases in this file.
pub(crate) const KERNELS: &[&str] = &["adjust", "draw", "log_probs"];

on_each_device_and_vulkan!(
    draw_keeps_and_draws_alike,
    draw_agrees_where_logits_are_odd,
    adjust_changes_the_same_logits,
    log_probs_are_the_same_bits,
);

const BELT: usize = 5000;

fn share(p: f32) -> u32 {
    (f64::from(p) * 4_294_967_296.0) as u32
}

/// Any settings: some filters in any order.
fn any(rng: &mut Random) -> Sampler {
    let mut filters: Vec<Filter> = FILTERS.into_iter().filter(|_| !rng.word().is_multiple_of(3)).collect();
    for i in (1..filters.len()).rev() {
        filters.swap(i, rng.word() as usize % (i + 1));
    }
    let unit = |rng: &mut Random| rng.unit().abs();
    Sampler {
        filters: Filter::list(filters),
        top_k: [1, 2, 40, 64, 700, 1024, 1025, 5000][rng.word() as usize % 8],
        top_p: share(0.2 + 0.79 * unit(rng)),
        typical: share(0.2 + 0.79 * unit(rng)),
        min_p: [-0.1, -1.0, -3.0, -12.0, 0.0][rng.word() as usize % 5],
        top_n_sigma: 0.2 + 3.0 * unit(rng),
        xtc_probability: share(unit(rng)),
        xtc_threshold: [-0.7, -2.3, -5.0, -9.0][rng.word() as usize % 4],
        ..Sampler::default()
    }
}

/// The usual ones.
fn usual() -> Sampler {
    Sampler {
        filters: Filter::list([Filter::TopK, Filter::TopP, Filter::MinP, Filter::Temperature]),
        top_k: 40,
        top_p: share(0.95),
        min_p: 0.05f32.ln(),
        ..Sampler::default()
    }
}

fn mirostat() -> Sampler {
    let filters = Filter::list([Filter::Temperature, Filter::Mirostat]);
    Sampler { filters, mirostat_tau: 5.0, mirostat_eta: 0.1, ..Sampler::default() }
}

fn draw_case(
    what: &str,
    x: &[f32],
    (vocab, chunk): (usize, usize),
    heads: usize,
    sampler: Sampler,
    seq: Seq,
) -> Case {
    let rows = x.len() / vocab;
    let consts =
        words(&DrawConsts { vocab: vocab as u32, chunk: chunk as u32, max_rows: rows as u32, max_seq: 200 });
    let places: Vec<Row> =
        (0..heads + 2).map(|r| Row { seq: SeqIndex(0), pos: Position(100 + r as u32) }).collect();
    let step = step_of(&places, heads as u32, heads + 2, seq);
    let best = bests(x, vocab, chunk);
    let buffers =
        vec![step, bytes(&[sampler]), bytes(x), bytes(&best), bytes(&[5.5f32; 200]), poison(rows * 8)];
    let check: Check = Box::new(move |want, got| {
        // A device that keeps nothing draws nothing: the twin's picks say that tokens were drawn at all.
        match picks(&want[5]).iter().take(heads).find(|p| p.token.index() >= vocab && p.score.is_finite()) {
            Some(p) => Err(format!("the twin drew {p:?}")),
            None => same("mirostat", &want[4], &got[4]).and_then(|()| same_picks(&want[5], &got[5])),
        }
    });
    let t = seq.temperature;
    let what = format!("draw {vocab} by {chunk} heads {heads} {what} temperature {t}: {sampler:?}");
    case(what, OneCommand::new(&draw::KERNEL, &consts, &[], buffers), check)
}

fn draw_keeps_and_draws_alike(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(31);
        let mut cases = Vec::new();
        for size in VOCABS {
            let (vocab, _) = size;
            let settings = if vocab > 100_000 { 12 } else { 30 };
            for i in 0..settings {
                // Wide, as models' are, and flat, so that no list holds what is kept.
                let spread = [2.5f32, 0.2, 6.0][i % 3];
                let (heads, max_rows) = if vocab < 5000 { (3, 4) } else { (1, 1) };
                let x: Vec<f32> = (0..max_rows * vocab).map(|_| rng.normal() * spread).collect();
                let temperature = [0.8, 0.0, 1.0, 1.7, 0.05][rng.word() as usize % 5];
                let seq = Seq { seed: rng.word(), temperature, ..Seq::default() };
                let sampler = match i {
                    0..3 => usual(),
                    3..6 => mirostat(),
                    _ => any(&mut rng),
                };
                // A sequence has one bound, so one head.
                let heads = if sampler.mirostat_tau > 0.0 { 1 } else { heads };
                cases.push(draw_case("any", &x, size, heads, sampler, seq));
            }
        }
        cases
    });
}

fn draw_agrees_where_logits_are_odd(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(32);
        let mut cases = Vec::new();
        for size in VOCABS.into_iter().filter(|(v, _)| *v < 200_000) {
            let (vocab, _) = size;
            let seq = |rng: &mut Random| Seq { seed: rng.word(), temperature: 0.8, ..Seq::default() };
            let mut xs = vec![
                // Many ties, NaN, masked ones.
                ("odd", logits(&mut rng, vocab, true)),
                ("equal", vec![3.25; vocab]),
                ("all masked", vec![f32::NEG_INFINITY; vocab]),
                ("all NaN", vec![f32::NAN; vocab]),
                ("zeros", (0..vocab).map(|i| if i % 2 == 0 { 0.0 } else { -0.0 }).collect()),
                ("two values", (0..vocab).map(|i| if i % 3 == 0 { 1.0 } else { 0.5 }).collect()),
            ];
            let mut infinite = logits(&mut rng, vocab, false);
            infinite[vocab / 2] = f32::INFINITY;
            xs.push(("infinite", infinite));
            let mut one = vec![f32::NEG_INFINITY; vocab];
            one[vocab / 3] = -7.0;
            xs.push(("one", one));
            let mut far = logits(&mut rng, vocab, false);
            (far[0], far[vocab - 1]) = (3.0e38, -3.0e38);
            xs.push(("far", far));
            for (what, x) in &xs {
                for filter in FILTERS {
                    let sampler =
                        Sampler { filters: Filter::list([filter, Filter::Temperature]), ..any(&mut rng) };
                    let one_of =
                        vocab < 100_000 || matches!(filter, Filter::TopK | Filter::TopP | Filter::Typical);
                    if one_of {
                        cases.push(draw_case(what, x, size, 1, sampler, seq(&mut rng)));
                    }
                }
                cases.push(draw_case(what, x, size, 1, usual(), seq(&mut rng)));
                cases.push(draw_case(what, x, size, 1, any(&mut rng), seq(&mut rng)));
            }
        }
        cases
    });
}

fn adjust_changes_the_same_logits(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(33);
        let mut cases = Vec::new();
        for (vocab, chunk) in VOCABS.into_iter().filter(|(v, _)| *v < 200_000) {
            for (i, (window, pos)) in
                [(0u32, 9u32), (64, 3000), (1, 0), (4096, 4990), (700, 699), (64, 20)].into_iter().enumerate()
            {
                let (heads, max_rows) = if vocab < 5000 { (2, 3) } else { (1, 1) };
                let x = logits(&mut rng, max_rows * vocab, i % 2 == 0);
                let consts = words(&AdjustConsts {
                    vocab: vocab as u32,
                    chunk: chunk as u32,
                    max_rows: max_rows as u32,
                    max_seq: BELT as u32,
                });
                let biases: Vec<Bias> = (0..MAX_BIASES)
                    .map(|t| Bias {
                        token: Token(t * 97 % 1024),
                        bias: if t % 5 == 0 { f32::NEG_INFINITY } else { 0.37 },
                    })
                    .collect();
                let sampler = Sampler {
                    repeat_penalty: [0.0, 1.1, 0.7][i % 3],
                    frequency_penalty: [0.0, 0.3][i % 2],
                    presence_penalty: [0.5, -0.25, 0.0][i % 3],
                    window,
                    // Some of them name no token of a small vocabulary.
                    biases: [0, 1, 1024, 300, 9999, 0][i],
                    masked: u32::from(i % 3 == 1 || i == 0 || i == 5),
                    dry_multiplier: [0.0, 0.8, 0.4][i % 3],
                    dry_base: 1.75,
                    dry_allowed: [2, 0, 5][i % 3],
                    dry_window: [4096, 64, 700][i % 3],
                    logprobs: [0, 1, 21][i % 3],
                    ..Sampler::default()
                };
                let places: Vec<Row> =
                    (0..heads + 1).map(|r| Row { seq: SeqIndex(0), pos: Position(pos + r as u32) }).collect();
                let step = step_of(&places, heads as u32, heads + 1, Seq::default());
                let belt: Vec<u32> =
                    (0..BELT).map(|_| rng.word() as u32 % (vocab as u32 * 2).min(900)).collect();
                // Any tokens, nearly all, and nearly none.
                let (others, apart) = [(0, 1), (u32::MAX, 7), (0, 9)][(vocab + i) % 3];
                let mask: Vec<u32> = (0..mask_words(vocab as u32))
                    .map(|w| if w % apart == 0 { rng.word() as u32 } else { others })
                    .collect();
                // Few kinds of tokens, so that much repeats.
                let belt =
                    if i % 2 == 0 { belt.iter().map(|t| t % 3 % vocab as u32).collect() } else { belt };
                let breakers: Vec<u32> =
                    (0..mask_words(vocab as u32)).map(|w| if w == 0 { 0x8000_0002 } else { 0 }).collect();
                let best = bests(&x, vocab, chunk);
                let buffers = vec![
                    step,
                    bytes(&[sampler]),
                    bytes(&biases),
                    bytes(&mask),
                    bytes(&breakers),
                    bytes(&belt),
                    bytes(&x),
                    bytes(&best),
                    poison(max_rows * vocab * 4),
                ];
                let n = max_rows * chunks(vocab, chunk);
                let check: Check = Box::new(move |want, got| {
                    close("logits", ActFormat::F32, &want[6], &got[6], |_, _| 0.0)?;
                    same("raw logits", &want[8], &got[8])?;
                    same_picks(&want[7][..n * 8], &got[7][..n * 8])
                });
                let what = format!("adjust {vocab} by {chunk} heads {heads} at {pos}: {sampler:?}");
                cases.push(case(what, OneCommand::new(&adjust::KERNEL, &consts, &[], buffers), check));
            }
        }
        cases
    });
}

fn log_probs_are_the_same_bits(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(34);
        let mut cases = Vec::new();
        for (vocab, _) in VOCABS {
            let mut xs = vec![
                ("plain", logits(&mut rng, 2 * vocab, false)),
                ("odd", logits(&mut rng, 2 * vocab, true)),
                ("equal", vec![-3.25; 2 * vocab]),
                ("wide", (0..2 * vocab).map(|_| rng.normal() * 20.0).collect()),
                ("all masked", vec![f32::NEG_INFINITY; 2 * vocab]),
                ("all NaN", vec![f32::NAN; 2 * vocab]),
            ];
            // The likeliest ones in one column of a block's threads.
            let mut column = vec![0.5f32; 2 * vocab];
            column.iter_mut().step_by(1024).enumerate().for_each(|(i, l)| *l = 1.0 + (i % 7) as f32);
            xs.push(("column", column));
            let mut infinite = logits(&mut rng, 2 * vocab, false);
            infinite[vocab / 2] = f32::INFINITY;
            xs.push(("infinite", infinite));
            for (i, (what, x)) in xs.iter().enumerate() {
                for (asked, pos, heads) in
                    [(21, 63u32, 1), (1, 64, 2), (6, 1000, 2), (0, 5, 1), (u32::MAX, 7, 0)]
                {
                    let consts = words(&LogProbsConsts { vocab: vocab as u32, max_rows: 2 });
                    let places: Vec<Row> =
                        (0..heads + 1).map(|r| Row { seq: SeqIndex(0), pos: Position(pos + r) }).collect();
                    let step = step_of(&places, heads, 3, Seq::default());
                    let drawn = [Token(rng.word() as u32 % vocab as u32), Token([0, u32::MAX][i % 2])];
                    let picks: Vec<Pick> = drawn.map(|token| Pick { score: 0.5, token }).to_vec();
                    let buffers = vec![
                        step,
                        bytes(&[Sampler { logprobs: asked, ..Sampler::default() }]),
                        bytes(x),
                        bytes(&picks),
                        poison(LOGPROB_RECORDS as usize * size_of::<LogProbs>()),
                    ];
                    let check: Check = Box::new(|want, got| same("records", &want[4], &got[4]));
                    let command = OneCommand::new(&log_probs::KERNEL, &consts, &[], buffers);
                    cases.push(case(format!("log_probs {vocab} {what}, {asked} at {pos}"), command, check));
                }
            }
        }
        cases
    });
}
