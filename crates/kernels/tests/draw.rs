//! `draw` and `adjust` against definitions written as they are told: sort, cut, renormalise, in f64.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::adjust::AdjustConsts;
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::draw::{self, mass};
use akunu_kernels::logits_max::{LogitsConsts, Pick, chunks};
use akunu_kernels::sample::noisy_best;
use akunu_kernels::sampler::{Bias, FILTERS, Filter, MAX_BIASES, MAX_WINDOW, Sampler, mask_words};
use akunu_kernels::step::{self, Position, Row, Seq, SeqIndex, Token};
use akunu_kernels::{adjust, logits_max};
use harness::{Memory, Random, run, step_block};
use std::collections::{BTreeMap, BTreeSet};

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

/// A share as devices have it.
fn share(p: f64) -> u32 {
    (p * 4_294_967_296.0).min(4_294_967_295.0) as u32
}

/// The best of all logits.
fn best(x: &[f32]) -> Pick {
    let picks = x.iter().enumerate().map(|(i, l)| Pick { score: *l, token: Token(i as u32) });
    picks.filter(|p| p.score > f32::NEG_INFINITY).fold(Pick::NONE, Pick::better)
}

/// Settings with names and numbers as users give them.
#[derive(Clone, Debug)]
struct Wish {
    filters: Vec<Filter>,
    temperature: f64,
    top_k: u32,
    top_p: f64,
    typical: f64,
    min_p: f64,
    sigma: f64,
    xtc: (f64, f64),
}

impl Wish {
    fn sampler(&self) -> Sampler {
        Sampler {
            filters: Filter::list(self.filters.iter().copied()),
            top_k: self.top_k,
            top_p: share(self.top_p),
            typical: share(self.typical),
            min_p: self.min_p.ln() as f32,
            top_n_sigma: self.sigma as f32,
            xtc_probability: share(self.xtc.0),
            xtc_threshold: self.xtc.1.ln() as f32,
            ..Sampler::default()
        }
    }
}

/// What a sequence of filters keeps, by its definition: (token, probability), most likely first. The flag says that a
/// number was so near to a cut that roundings decide.
fn definition(x: &[f32], w: &Wish) -> (Vec<(u32, f64)>, bool) {
    let mut kept: Vec<(u32, f64)> = x.iter().enumerate().map(|(i, l)| (i as u32, f64::from(*l))).collect();
    kept.retain(|(_, l)| *l > f64::NEG_INFINITY);
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut close = false;
    let mut near = |a: f64, b: f64, size: f64| close |= (a - b).abs() <= size;
    for filter in &w.filters {
        let p = softmax(&kept);
        match filter {
            Filter::TopK => kept.truncate(w.top_k as usize),
            Filter::TopP => {
                let mut sum = 0.0;
                let n = p.iter().position(|p| {
                    sum += p;
                    near(sum, w.top_p, 1e-5);
                    sum >= w.top_p
                });
                kept.truncate(n.map_or(kept.len(), |n| n + 1));
            }
            Filter::MinP => {
                let top = kept[0].1;
                kept.retain(|(_, l)| {
                    near(l - top, w.min_p.ln(), 1e-5);
                    l - top >= w.min_p.ln()
                });
            }
            Filter::TopNSigma => {
                let n = kept.len() as f64;
                let mean = kept.iter().map(|k| k.1).sum::<f64>() / n;
                let sd = (kept.iter().map(|k| (k.1 - mean).powi(2)).sum::<f64>() / n).sqrt();
                let floor = kept[0].1 - w.sigma * sd;
                kept.retain(|(_, l)| {
                    near(*l, floor, 1e-3);
                    *l >= floor
                });
            }
            Filter::Typical => {
                let entropy: f64 = -p.iter().map(|p| if *p > 0.0 { p * p.ln() } else { 0.0 }).sum::<f64>();
                let mut order: Vec<usize> = (0..kept.len()).collect();
                let off = |i: usize| (-p[i].ln() - entropy).abs();
                order.sort_by(|a, b| off(*a).total_cmp(&off(*b)));
                let (mut sum, mut chosen) = (0.0, BTreeSet::new());
                for (n, i) in order.iter().enumerate() {
                    sum += p[*i];
                    chosen.insert(*i);
                    near(sum, w.typical, 1e-5);
                    if sum >= w.typical {
                        if let Some(next) = order.get(n + 1) {
                            near(off(*i), off(*next), 1e-4);
                        }
                        break;
                    }
                }
                let mut i = 0;
                kept.retain(|_| {
                    i += 1;
                    chosen.contains(&(i - 1))
                });
            }
            Filter::Xtc => {
                p.iter().for_each(|p| near(p.ln(), w.xtc.1.ln(), 1e-5));
                let n = p.iter().filter(|p| **p >= w.xtc.1).count();
                kept.drain(..n.saturating_sub(1));
            }
            Filter::Temperature => kept.iter_mut().for_each(|k| k.1 /= w.temperature),
            // It has a state, and a test of its own.
            Filter::Mirostat => {}
        }
    }
    let p = softmax(&kept);
    (kept.iter().zip(p).map(|(k, p)| (k.0, p)).collect(), close)
}

fn softmax(kept: &[(u32, f64)]) -> Vec<f64> {
    let top = kept.first().map_or(0.0, |k| k.1);
    let e: Vec<f64> = kept.iter().map(|k| (k.1 - top).exp()).collect();
    let sum: f64 = e.iter().sum();
    e.into_iter().map(|v| v / sum).collect()
}

/// Tokens that so many draws give, and how often.
fn draws(x: &[f32], w: &Wish, n: u32) -> BTreeMap<u32, u32> {
    let (sampler, best) = (w.sampler(), best(x));
    let mut counts = BTreeMap::new();
    for seed in 0..n {
        let pick = draw::draw(x, best, &sampler, w.temperature as f32, u64::from(seed), Position(7));
        *counts.entry(pick.token.0).or_insert(0) += 1;
    }
    counts
}

#[test]
fn masses_are_probabilities() {
    for i in 0..2_000_000u32 {
        let y = -(f64::from(i) / 2_000_000.0 * 29.0) as f32;
        let (got, want) = (mass(y) as f64, f64::from(y).exp() * (1u64 << 40) as f64);
        let want = if y < -28.0 { 0.0 } else { want };
        assert!((got - want).abs() <= want * 1.5e-7 + 1.0, "{y}: {got} {want}");
    }
    assert_eq!((mass(0.0), mass(-0.0), mass(f32::NEG_INFINITY), mass(f32::NAN)), (1 << 40, 1 << 40, 0, 0));
}

/// Of few tokens the kept set is seen by drawing until each has come, and how often it comes is its probability.
#[test]
fn few_tokens_are_drawn_by_the_definition() {
    let mut rng = Random(11);
    let n = 4000u32;
    let mut tested = 0;
    for case in 0..120 {
        let x: Vec<f32> = (0..3 + rng.word() as usize % 12).map(|_| rng.unit() * 2.5).collect();
        let mut filters: Vec<Filter> =
            FILTERS.into_iter().filter(|_| !rng.word().is_multiple_of(3)).collect();
        if !filters.contains(&Filter::Temperature) {
            filters.push(Filter::Temperature);
        }
        // Any order.
        for i in (1..filters.len()).rev() {
            filters.swap(i, rng.word() as usize % (i + 1));
        }
        let unit = |rng: &mut Random| f64::from(rng.unit().abs());
        let w = Wish {
            filters,
            temperature: 0.3 + 1.5 * unit(&mut rng),
            top_k: 1 + rng.word() as u32 % 14,
            top_p: 0.3 + 0.69 * unit(&mut rng),
            typical: 0.3 + 0.69 * unit(&mut rng),
            min_p: 0.01 + 0.3 * unit(&mut rng),
            sigma: 0.5 + 2.0 * unit(&mut rng),
            xtc: (1.0, 0.02 + 0.4 * unit(&mut rng)),
        };
        let (want, close) = definition(&x, &w);
        if close {
            continue;
        }
        tested += 1;
        let counts = draws(&x, &w, n);
        let mut chi2 = 0.0;
        for (token, p) in &want {
            let (expected, got) = (p * f64::from(n), f64::from(counts.get(token).copied().unwrap_or(0)));
            assert!(expected < 30.0 || got > 0.0, "case {case}: {token} never came: {w:?} {x:?} {counts:?}");
            if expected > 5.0 {
                chi2 += (got - expected).powi(2) / expected;
            }
        }
        for token in counts.keys() {
            assert!(
                want.iter().any(|k| k.0 == *token),
                "case {case}: {token} is not kept: {w:?} {x:?} {want:?}"
            );
        }
        let freedom = want.len().max(2) as f64 - 1.0;
        let q = 2.0 / (9.0 * freedom);
        let limit = freedom * (1.0 - q + 6.0 * q.sqrt()).powi(3);
        assert!(
            chi2 < limit,
            "case {case}: chi-square {chi2:.1} > {limit:.1}: {w:?} {x:?} {want:?} {counts:?}"
        );
    }
    assert!(tested > 80, "only {tested}");
}

/// The tokens that a chain keeps, seen from outside: a greedy draw is the first of them, and with what has been seen masked away, the
/// others never come. Where there are many the draw's own bounds must be those of the definition: its mass is what it draws.
#[test]
fn many_tokens_are_drawn_by_the_definition() {
    let mut rng = Random(12);
    for (case, (vocab, spread)) in
        [(1000, 2.0f32), (5000, 1.0), (32_000, 2.5), (128_256, 3.0), (128_256, 0.3), (262_144, 1.5)]
            .into_iter()
            .enumerate()
    {
        let x: Vec<f32> = (0..vocab).map(|_| rng.normal() * spread).collect();
        for filters in [
            vec![Filter::TopK, Filter::TopP, Filter::MinP, Filter::Temperature],
            vec![Filter::TopP, Filter::Temperature],
            vec![Filter::Temperature, Filter::TopP],
            vec![Filter::Typical, Filter::Temperature],
            vec![Filter::TopNSigma, Filter::TopK],
            vec![Filter::MinP, Filter::Xtc, Filter::TopP],
            FILTERS.to_vec(),
        ] {
            for top_k in [1, 40, 900, 3000] {
                if top_k != 40 && !filters.contains(&Filter::TopK) {
                    continue;
                }
                let w = Wish {
                    filters: filters.clone(),
                    temperature: 0.8,
                    top_k,
                    top_p: 0.95,
                    typical: 0.9,
                    min_p: 0.01,
                    sigma: 2.0,
                    xtc: (1.0, 0.001),
                };
                let (want, close) = definition(&x, &w);
                let probability: BTreeMap<u32, f64> = want.iter().copied().collect();
                let n = 60;
                let counts = draws(&x, &w, n);
                for token in counts.keys() {
                    assert!(
                        close || probability.contains_key(token),
                        "case {case}: {token} is not kept: {w:?}"
                    );
                }
                // The mean probability of what is drawn is the sum of squares; each draw moves the mean by 1/n of the greatest.
                let squares: f64 = want.iter().map(|k| k.1 * k.1).sum();
                let mean = counts
                    .iter()
                    .map(|(t, c)| probability.get(t).unwrap_or(&0.0) * f64::from(*c))
                    .sum::<f64>();
                let top = want.iter().map(|k| k.1).fold(0.0, f64::max);
                let off = (mean / f64::from(n) - squares).abs();
                assert!(
                    off < 4.5 * top / f64::from(n).sqrt() + 1e-9,
                    "case {case}: {off} of {squares}: {w:?}"
                );
            }
        }
    }
}

/// A list and bins give the same: with more logits far below nothing that is kept changes, but the path does.
#[test]
fn ties_are_cut_at_the_lowest_ids() {
    let all = |filters: &[Filter]| Wish {
        filters: filters.to_vec(),
        temperature: 1.0,
        top_k: 5,
        top_p: 0.5,
        typical: 0.5,
        min_p: 0.5,
        sigma: 1.0,
        xtc: (1.0, 1e-9),
    };
    for vocab in [8usize, 100, 1024, 1025, 5000, 70_000] {
        let x = vec![1.25f32; vocab];
        let seen = |w: &Wish| draws(&x, w, 300).into_keys().collect::<Vec<_>>();
        assert_eq!(seen(&all(&[Filter::TopK])), [0, 1, 2, 3, 4], "{vocab}");
        let half = vocab.div_ceil(2) as u32;
        for filter in [Filter::TopP, Filter::Typical] {
            let drawn = seen(&all(&[filter]));
            let last = *drawn.last().unwrap();
            // Typical's tokens above its centre are taken from the last one on.
            let fits = last < half || filter == Filter::Typical && drawn[0] >= vocab as u32 - half;
            assert!(fits, "{filter:?} of {vocab}: {drawn:?}");
        }
        assert_eq!(seen(&all(&[Filter::Xtc])), [vocab as u32 - 1], "{vocab}");
        assert!(*seen(&all(&[Filter::MinP, Filter::TopNSigma])).last().unwrap() as usize >= vocab * 9 / 10);
    }
}

#[test]
fn odd_logits_have_an_answer() {
    let w = |filters: &[Filter]| Wish {
        filters: filters.to_vec(),
        temperature: 0.8,
        top_k: 40,
        top_p: 0.95,
        typical: 0.9,
        min_p: 0.05,
        sigma: 1.0,
        xtc: (0.5, 0.1),
    };
    let (none, big) = (f32::NEG_INFINITY, 3.0e38);
    for (x, may) in [
        (vec![1.0f32], vec![0u32]),
        (vec![none, none, -5.0, none], vec![2]),
        (vec![f32::NAN, 2.0, f32::NAN], vec![1]),
        (vec![-f32::NAN, f32::NAN, -7.5], vec![2]),
        (vec![none; 7], vec![u32::MAX]),
        (vec![f32::NAN; 3000], vec![u32::MAX]),
        (vec![0.0, f32::INFINITY, 1.0], vec![1]),
        (vec![-big, big, -big], vec![1]),
        (vec![0.0, -0.0], vec![0, 1]),
    ] {
        for filter in FILTERS {
            for seed in 0..20 {
                let pick = draw::draw(&x, best(&x), &w(&[filter]).sampler(), 0.8, seed, Position(1));
                assert!(may.contains(&pick.token.0), "{filter:?} {x:?}: {pick:?}");
            }
        }
        let pick = draw::draw(&x, best(&x), &w(&FILTERS).sampler(), 0.8, 3, Position(1));
        assert!(may.contains(&pick.token.0), "{x:?}: {pick:?}");
    }
    // Words that no host should send.
    let x: Vec<f32> = (0..500).map(|i| (i % 37) as f32).collect();
    for filters in [u32::MAX, 0x1111_1111, 0x7777_7777, 0x8888_8888, 0x6543_2175] {
        for word in [0u32, 1, 0x7fc0_0000, 0xff80_0000, u32::MAX] {
            let mut words = [word; 32];
            words[0] = filters;
            let sampler: Sampler = bytemuck::cast(words);
            for t in [0.0, 1.0, f32::NAN, f32::INFINITY] {
                let pick = draw::draw(&x, best(&x), &sampler, t, 3, Position(1));
                assert!(pick.token.0 < 500 || !pick.score.is_finite(), "{filters:x} {word:x} {t}: {pick:?}");
            }
        }
    }
}

/// With min-p and temperature alone, the draw is `sample`'s.
#[test]
fn plain_settings_draw_as_sample_does() {
    let mut rng = Random(13);
    for vocab in [5usize, 700, 20_000] {
        let x: Vec<f32> = (0..vocab).map(|_| rng.normal() * 3.0).collect();
        let top = best(&x);
        for seed in 0..200 {
            for (t, min_p) in [(0.7f32, 0.05f32), (1.3, 0.0), (0.2, 1.0)] {
                let mut filters = vec![Filter::Temperature];
                if min_p > 0.0 {
                    filters.insert(0, Filter::MinP);
                }
                let s = Sampler { filters: Filter::list(filters), min_p: min_p.ln(), ..Sampler::default() };
                let want = noisy_best(&x, 0, top.score, t, min_p.ln(), seed, Position(9));
                assert_eq!(draw::draw(&x, top, &s, t, seed, Position(9)), want);
            }
        }
        assert_eq!(draw::draw(&x, top, &Sampler::default(), 0.0, 1, Position(9)), top);
    }
}

/// A step of two sequences, heads of both, through the kernels on every level.
#[test]
fn kernels_read_each_sequences_settings() {
    let mut rng = Random(14);
    let (vocab, chunk, max_seq) = (5000usize, 64usize, 40usize);
    let rows = [Row { seq: SeqIndex(0), pos: Position(20) }, Row { seq: SeqIndex(0), pos: Position(21) }];
    let logits: Vec<f32> = (0..2 * vocab).map(|_| rng.normal() * 2.0).collect();
    let belt: Vec<u32> = (0..max_seq).map(|i| (i as u32 * 7) % 50).collect();
    let mut biases = vec![Bias::default(); MAX_BIASES as usize];
    biases[0] = Bias { token: Token(77), bias: 30.0 };
    biases[1] = Bias { token: Token(78), bias: f32::NEG_INFINITY };
    let mask: Vec<u32> = (0..mask_words(vocab as u32)).map(|_| rng.word() as u32).collect();
    let sampler = Sampler {
        filters: Filter::list([Filter::TopK, Filter::TopP, Filter::MinP, Filter::Temperature]),
        top_k: 40,
        top_p: share(0.95),
        min_p: 0.05f32.ln(),
        repeat_penalty: 1.3,
        frequency_penalty: 0.2,
        presence_penalty: 0.1,
        window: 12,
        biases: 2,
        masked: 1,
        ..Sampler::default()
    };
    let seq = Seq { seed: 5, temperature: 0.8, ..Seq::default() };
    let consts: [u32; 4] = bytemuck::cast(AdjustConsts {
        vocab: vocab as u32,
        chunk: chunk as u32,
        max_rows: 2,
        max_seq: max_seq as u32,
    });
    let of: [u32; 3] = bytemuck::cast(LogitsConsts { vocab: vocab as u32, chunk: chunk as u32, max_rows: 2 });
    let mut first: Option<(Vec<u8>, Vec<u8>, Vec<u8>)> = None;
    for (level, parts) in levels().flat_map(|l| [1, 2, 5].map(|p| (l, p))) {
        let mut step = step_block(&rows, 2);
        let at = step::seq_offset(SeqIndex(0));
        step.bytes_mut()[at..at + size_of::<Seq>()].copy_from_slice(bytemuck::bytes_of(&seq));
        let n = 2 * chunks(vocab, chunk);
        let (mut x, mut best, mut picks) =
            (Memory::of(&logits), Memory::new(n * 8, 0xFF), Memory::new(24, 0xFF));
        let (mut samplers, mut lists) = (Memory::of(&[sampler]), Memory::of(&biases));
        let (mut masks, mut tokens) = (Memory::of(&mask), Memory::of(&belt));
        let (mut breakers, mut raw) = (Memory::new(mask.len() * 4, 0), Memory::new(x.1, 0xFF));
        run(&logits_max::KERNEL, level, &of, &[], &[step.buf(), x.buf(), best.buf()], parts);
        let bufs = [
            step.buf(),
            samplers.buf(),
            lists.buf(),
            masks.buf(),
            breakers.buf(),
            tokens.buf(),
            x.buf(),
            best.buf(),
            raw.buf(),
        ];
        run(&adjust::KERNEL, level, &consts, &[], &bufs, parts);
        assert!(raw.bytes().iter().all(|b| *b == 0xFF), "nobody asked for a copy");
        let mut bounds = Memory::new(max_seq * 4, 0);
        let bufs = [step.buf(), samplers.buf(), x.buf(), best.buf(), bounds.buf(), picks.buf()];
        run(&draw::KERNEL, level, &consts, &[], &bufs, parts);
        assert_eq!(picks.bytes()[16..], [0xFF; 8]);
        // By the definition, one logit after the other.
        for (r, row) in rows.iter().enumerate() {
            let window = &belt[row.pos.index() + 1 - 12..=row.pos.index()];
            for t in 0..vocab {
                let mut l = logits[r * vocab + t];
                l += if t == 77 {
                    30.0
                } else if t == 78 {
                    f32::NEG_INFINITY
                } else {
                    0.0
                };
                let count = window.iter().filter(|w| **w as usize == t).count();
                if count > 0 {
                    l = if l <= 0.0 { l * 1.3 } else { l / 1.3 };
                    l -= count as f32 * 0.2 + 0.1;
                }
                if mask[t / 32] >> (t % 32) & 1 == 0 {
                    l = f32::NEG_INFINITY;
                }
                assert_eq!(x.values::<f32>()[r * vocab + t], l, "{level} row {r} token {t}");
            }
            let own = &x.values::<f32>()[r * vocab..][..vocab];
            for c in 0..chunks(vocab, chunk) {
                let mut want = self::best(&own[c * chunk..vocab.min((c + 1) * chunk)]);
                want.token = Token(want.token.0.saturating_add((c * chunk) as u32));
                let got = best.values::<Pick>()[r * chunks(vocab, chunk) + c];
                assert_eq!((got.score, got.token), (want.score, want.token), "chunk {c}");
            }
            let want = draw::draw(own, self::best(own), &sampler, 0.8, 5, row.pos.next());
            assert_eq!(picks.values::<Pick>()[r], want);
        }
        let all = (x.bytes().to_vec(), best.bytes().to_vec(), picks.bytes().to_vec());
        assert!(first.get_or_insert_with(|| all.clone()) == &all, "{level} {parts}");
    }
}

/// Logits of 2 for up to 64 tokens, adjusted after the token at `pos` of a belt.
fn adjusted(c: &AdjustConsts, sampler: Sampler, pos: Position, belt: &[u32], breakers: [u32; 2]) -> Vec<f32> {
    let consts: [u32; 4] = bytemuck::cast(*c);
    let mut step = step_block(&[Row { seq: SeqIndex(0), pos }], 1);
    let mut x = Memory::of(&vec![2.0f32; c.vocab as usize]);
    let mut best = Memory::new(chunks(c.vocab as usize, c.chunk as usize) * 8, 0xFF);
    let (mut samplers, mut lists) = (Memory::of(&[sampler]), Memory::new(MAX_BIASES as usize * 8, 0));
    let (mut masks, mut tokens) = (Memory::new(8, 0), Memory::of(belt));
    let (mut breakers, mut raw) = (Memory::of(&breakers), Memory::new(x.1, 0xFF));
    let bufs = [
        step.buf(),
        samplers.buf(),
        lists.buf(),
        masks.buf(),
        breakers.buf(),
        tokens.buf(),
        x.buf(),
        best.buf(),
        raw.buf(),
    ];
    run(&adjust::KERNEL, Level::Reference, &consts, &[], &bufs, 1);
    x.values::<f32>().to_vec()
}

/// Windows of every length, at the beginning of a sequence and beyond what is looked back on.
#[test]
fn windows_end_where_the_sequence_begins() {
    let (vocab, max_seq) = (64usize, 6000usize);
    let belt: Vec<u32> = (0..max_seq).map(|i| (i as u32 * 31) % 61).collect();
    let consts = AdjustConsts { vocab: 64, chunk: 64, max_rows: 1, max_seq: max_seq as u32 };
    for (pos, window) in
        [(0u32, 5u32), (3, 4), (3, 3), (10, 1), (10, 0), (5999, 5000), (5000, 4096), (9, u32::MAX)]
    {
        let sampler = Sampler { frequency_penalty: 0.5, window, ..Sampler::default() };
        let x = adjusted(&consts, sampler, Position(pos), &belt, [0; 2]);
        let known = pos as usize + 1;
        let seen = &belt[known - known.min(window.min(MAX_WINDOW) as usize)..known];
        for t in 0..vocab {
            let count = seen.iter().filter(|s| **s as usize == t).count();
            assert_eq!(x[t], 2.0 - 0.5 * count as f32, "at {pos} of {window}: {t}");
        }
    }
}

/// DRY as llama.cpp tells it: the longest repetition of the last tokens before each token, its length less the allowed one an exponent.
#[test]
fn dry_makes_repetitions_less_likely() {
    let mut rng = Random(15);
    let (vocab, max_seq) = (64usize, 300usize);
    let consts = AdjustConsts { vocab: 64, chunk: 16, max_rows: 1, max_seq: max_seq as u32 };
    let mut penalised = 0;
    for case in 0..200 {
        let kinds = 2 + rng.word() as u32 % 6;
        let belt: Vec<u32> = (0..max_seq).map(|_| rng.word() as u32 % kinds).collect();
        let pos = rng.word() as usize % max_seq;
        let window = [5, 40, 300, 4096][case % 4];
        let allowed = 1 + case as u32 % 4;
        let breaker = (case % 3 == 0).then_some(0u32);
        let sampler = Sampler {
            dry_multiplier: 0.8,
            dry_base: 1.75,
            dry_allowed: allowed,
            dry_window: window,
            ..Sampler::default()
        };
        let breakers = [breaker.map_or(0u32, |b| 1 << b), 0];
        let x = adjusted(&consts, sampler, Position(pos as u32), &belt, breakers);
        let known = &belt[(pos + 1).saturating_sub(window as usize)..=pos];
        for t in 0..vocab as u32 {
            let mut longest = 0;
            for i in (1..known.len()).filter(|i| known[*i] == t) {
                let mut n = 0;
                while n < i
                    && known[i - 1 - n] == known[known.len() - 1 - n]
                    && Some(known[i - 1 - n]) != breaker
                {
                    n += 1;
                }
                longest = longest.max(n);
            }
            let over = longest as i32 - allowed as i32;
            let penalty = if over >= 0 && Some(t) != breaker { 0.8 * 1.75f64.powi(over) } else { 0.0 };
            penalised += u32::from(penalty > 0.0);
            let (got, want) = (f64::from(x[t as usize]), 2.0 - penalty);
            assert!((got - want).abs() <= 1e-4 * penalty + 1e-6, "case {case}, token {t}: {got}, not {want}");
        }
    }
    assert!(penalised > 100, "only {penalised}");
}

/// Mirostat's second version by its definition: surprises above the bound go, and the bound follows.
#[test]
fn mirostat_follows_its_target() {
    let mut rng = Random(16);
    let x: Vec<f32> = (0..3000).map(|_| rng.unit() * 6.0).collect();
    let sampler = Sampler {
        filters: Filter::list([Filter::Temperature, Filter::Mirostat]),
        mirostat_tau: 3.0,
        mirostat_eta: 0.1,
        ..Sampler::default()
    };
    let (t, top) = (0.9f32, best(&x));
    let scaled: Vec<(u32, f64)> =
        x.iter().enumerate().map(|(i, l)| (i as u32, f64::from(*l) / f64::from(t))).collect();
    let mut sorted = scaled.clone();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let p = softmax(&sorted);
    let (mut bound, mut sum) = (6.0f32, 0.0);
    let n = 3000u32;
    for pos in 0..n {
        let before = f64::from(bound);
        let pick = draw::draw_from(&x, top, &sampler, t, 1, Position(pos), &mut bound);
        let kept = p.iter().filter(|p| -p.log2() <= before).count().max(1);
        let all: f64 = p[..kept].iter().sum();
        let at = sorted.iter().position(|k| k.0 == pick.token.0).unwrap();
        assert!(at <= kept, "at {pos}: place {at} of {kept}");
        let surprise = -(p[at] / all).log2();
        let want = before - 0.1 * (surprise - 3.0);
        assert!((f64::from(bound) - want).abs() < 2e-3 || at == kept, "at {pos}: {bound}, not {want}");
        sum += surprise;
    }
    let mean = sum / f64::from(n);
    assert!((mean - 3.0).abs() < 0.05, "{mean} bits");
    // Who does not ask for it has no bound.
    let mut same = 1.5;
    draw::draw_from(&x, top, &Sampler::default(), t, 1, Position(1), &mut same);
    assert_eq!(same, 1.5);
}
