//! `adjust`: what changes a sequence's logits before its filters, in place: biases and bans, a mask of the tokens that may be drawn,
//! penalties of what is in a window of the last tokens. The best logits of chunks are brought up to date. Where log-probabilities are
//! asked for, the logits are copied first.
//!
//! Penalties as in llama.cpp: a logit of a token in the window is divided by the repetition penalty if it is positive, else multiplied
//! by it (Keskar et al., "CTRL", 2019); then the frequency penalty is taken from it for each time that the token is there, and the
//! presence penalty once. The window is read from the token belt by position, so it is right after every rewind.
//!
//! DRY (p-e-w, "DRY: a modern repetition penalty", 2024): where the last tokens have stood before in its window, the token that came
//! after them there gets a penalty that grows with their number. No repetition goes over a breaker, and breakers get none.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::pick::{Pick, chunks};
use crate::sampler::{Bias, MAX_BIASES, MAX_WINDOW, Sampler, mask_words};
use crate::step::Token;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct AdjustConsts {
        /// Vocabulary size.
        pub vocab: u32,
        /// Vocabulary entries per chunk.
        pub chunk: u32,
        /// Head rows the table was built for.
        pub max_rows: u32,
        /// Slots of one sequence's token belt.
        pub max_seq: u32,
    }
}

/// Slots of the table in which tokens of the window are counted.
const SLOTS: usize = 2 * MAX_WINDOW as usize;

/// Tokens of a repetition beyond the allowed ones that still add to DRY's penalty, and the most that it comes to.
const MAX_EXPONENT: usize = 256;
const MAX_PENALTY: f32 = 1e30;

/// The contract. Bindings: step block; samplers `[seqs]`; biases `[seqs, 1024]`; masks and
/// breakers of DRY `[seqs, vocab / 32] u32`, rounded up; tokens
/// `[seqs, max_seq] u32`; logits `[head_rows, vocab] f32`; best `[head_rows, chunks]` picks of `logits_max`; raw logits, the same
/// shape as logits: a copy from before, of the rows whose sequence asks for log-probabilities.
pub static KERNEL: Kernel = Kernel {
    name: "adjust",
    bindings: &[
        reads("step"),
        reads("samplers"),
        reads("biases"),
        reads("masks"),
        reads("breakers"),
        reads("tokens"),
        updates("logits"),
        updates("best"),
        writes("raw_logits"),
    ],
    consts: AdjustConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: AdjustConsts| {
        require("adjust", c.vocab != 0 && c.chunk != 0 && c.max_seq != 0, || {
            format!("vocabulary of {} in chunks of {}, {} token slots", c.vocab, c.chunk, c.max_seq)
        })
    }),
    units: typed!(|c: AdjustConsts| c.max_rows.max(1)),
    cost: |_, load| {
        let n = u64::from(load.head_rows) * 64;
        Cost { weight_bytes: 0, other_bytes: n * 12, flops: n * 4 }
    },
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: AdjustConsts, _| {
            let source = const { &[include_str!("adjust.cu")] };
            let defines = vec![
                ("SLOTS", SLOTS as u32),
                ("MAX_BIASES", MAX_BIASES),
                ("MAX_WINDOW", MAX_WINDOW),
                ("MAX_EXPONENT", MAX_EXPONENT as u32),
            ];
            let launch = CudaLaunch::plain(source, c.max_rows, 1024);
            Ok(CudaLaunch { defines, shared: SLOTS as u32 * 8 + MAX_WINDOW * 4, ..launch })
        })),
        Version::Vulkan(typed!(|c: AdjustConsts, _| {
            // A slot of its table has 19 bits for a token.
            if c.vocab >= (1 << 19) - 1 {
                let what = format!("a vocabulary of {} on Vulkan or Metal", c.vocab);
                return Err(KernelError::Unsupported { kernel: "adjust", what });
            }
            let launch = VulkanLaunch::new("adjust", include_bytes!("adjust.spv"), c.max_rows, 1)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("adjust.metal")),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: AdjustConsts = call.consts();
    let (v, slots) = (c.vocab as usize, c.max_seq as usize);
    let n = chunks(v, c.chunk as usize);
    let words = mask_words(c.vocab) as usize;
    // SAFETY: shapes by the contract; parts own disjoint heads.
    unsafe {
        let step = call.step(0);
        for r in share(step.header().head_rows as usize, part, parts) {
            let place = step.row(step.head_row(r as u32));
            let seq = place.seq.index();
            let sampler = call.slice::<Sampler>(1, seq, 1)[0];
            let count = sampler.biases.min(MAX_BIASES) as usize;
            let biases = call.slice::<Bias>(2, seq * MAX_BIASES as usize, count);
            let known = slots.min(place.pos.index() + 1);
            let tokens = call.slice::<Token>(5, seq * slots, known);
            let x = call.slice_mut::<f32>(6, r * v, v);
            if sampler.logprobs != 0 {
                call.slice_mut::<f32>(8, r * v, v).copy_from_slice(x);
            }
            let mut head = Head { x, best: call.slice_mut::<Pick>(7, r * n, n), chunk: c.chunk as usize };
            head.add(biases);
            head.penalise(&sampler, tokens);
            head.dry(&sampler, tokens, call.slice::<u32>(4, seq * words, words));
            if sampler.masked != 0 {
                head.mask(call.slice::<u32>(3, seq * words, words));
            }
        }
    }
}

/// One head's logits.
struct Head<'a> {
    x: &'a mut [f32],
    best: &'a mut [Pick],
    chunk: usize,
}

impl Head<'_> {
    fn add(&mut self, biases: &[Bias]) {
        for b in biases {
            if let Some(x) = self.x.get_mut(b.token.index()) {
                *x += b.bias;
                self.refresh(b.token.index() / self.chunk);
            }
        }
    }

    fn mask(&mut self, words: &[u32]) {
        for (i, x) in self.x.iter_mut().enumerate() {
            if words[i / 32] >> (i % 32) & 1 == 0 {
                *x = f32::NEG_INFINITY;
            }
        }
        (0..self.best.len()).for_each(|c| self.refresh(c));
    }

    fn penalise(&mut self, s: &Sampler, tokens: &[Token]) {
        if !penalises(s) {
            return;
        }
        let window = &tokens[tokens.len() - tokens.len().min(s.window.min(MAX_WINDOW) as usize)..];
        let mut counts = Counts::new();
        for token in window.iter().filter(|t| t.index() < self.x.len()) {
            *counts.of(*token) += 1;
        }
        for (token, count) in counts.iter() {
            let mut l = self.x[token];
            if s.repeat_penalty != 0.0 {
                l = if l <= 0.0 { l * s.repeat_penalty } else { l / s.repeat_penalty };
            }
            self.x[token] = l - (count as f32 * s.frequency_penalty + s.presence_penalty);
            self.refresh(token / self.chunk);
        }
    }

    fn dry(&mut self, s: &Sampler, tokens: &[Token], breakers: &[u32]) {
        if s.dry_multiplier == 0.0 || s.dry_window == 0 {
            return;
        }
        let window = &tokens[tokens.len() - tokens.len().min(s.dry_window.min(MAX_WINDOW) as usize)..];
        let breaks = |t: Token| breakers.get(t.index() / 32).is_some_and(|w| w >> (t.0 % 32) & 1 != 0);
        let known = window.iter().rev().take_while(|t| !breaks(**t)).count();
        let allowed = s.dry_allowed.max(1) as usize;
        let mut repeats = Counts::new();
        for next in 1..window.len() {
            let (before, token) = (&window[..next], window[next]);
            let pairs = before.iter().rev().zip(window.iter().rev());
            let length = pairs.take(known).take_while(|(a, b)| a == b).count();
            if length >= allowed && token.index() < self.x.len() && !breaks(token) {
                let longest = repeats.of(token);
                *longest = (*longest).max(length as u32);
            }
        }
        for (token, length) in repeats.iter() {
            let mut penalty = s.dry_multiplier;
            for _ in allowed..(length as usize).min(allowed + MAX_EXPONENT) {
                penalty *= s.dry_base;
            }
            self.x[token] -= penalty.min(MAX_PENALTY);
            self.refresh(token / self.chunk);
        }
    }

    /// Finds a chunk's best logit anew.
    fn refresh(&mut self, chunk: usize) {
        let from = chunk * self.chunk;
        let to = self.x.len().min(from + self.chunk);
        let mut best = Pick::NONE;
        for (i, score) in self.x[from..to].iter().enumerate() {
            // As `logits_max`: the first of equals stays, and what is banned is nobody's best.
            if *score > best.score {
                best = Pick { score: *score, token: Token((from + i) as u32) };
            }
        }
        self.best[chunk] = best;
    }
}

/// Whether anything is taken from what is in the window.
fn penalises(s: &Sampler) -> bool {
    let repeats = s.repeat_penalty != 0.0 && s.repeat_penalty != 1.0;
    s.window != 0 && (repeats || s.frequency_penalty != 0.0 || s.presence_penalty != 0.0)
}

/// Numbers by token; of no more tokens than a window has.
struct Counts([(u32, u32); SLOTS]);

impl Counts {
    fn new() -> Self {
        Self([(0, 0); SLOTS])
    }

    /// A token's number.
    fn of(&mut self, token: Token) -> &mut u32 {
        let mut at = slot(token);
        while self.0[at].0 != 0 && self.0[at].0 != token.0 + 1 {
            at = (at + 1) % SLOTS;
        }
        self.0[at].0 = token.0 + 1;
        &mut self.0[at].1
    }

    fn iter(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.0.iter().filter(|c| c.0 != 0).map(|c| (c.0 as usize - 1, c.1))
    }
}

/// Where the search for a token begins.
fn slot(token: Token) -> usize {
    (token.0.wrapping_mul(0x9e37_79b1) >> 16) as usize % SLOTS
}
