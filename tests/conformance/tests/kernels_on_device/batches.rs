//! Kernels of a batch: several sequences in a step, each with its own blocks, and a list of the rows that draw.

use super::*;
use crate::caches::{self, Kv};
use crate::harness::{Batch, Random, below, shuffled};
use crate::small::{bests, picks, same_picks};
use akunu::kernels::advance::AdvanceConsts;
use akunu::kernels::attention::{AttentionConsts, first_visible};
use akunu::kernels::kv::KvFormat;
use akunu::kernels::kv::{KvPlace, kv_place};
use akunu::kernels::logits_max::{LogitsConsts, Pick, chunks};
use akunu::kernels::matmul::Select;
use akunu::kernels::ragged_attention::RaggedAttentionConsts;
use akunu::kernels::rms_norm::RmsNormConsts;
use akunu::kernels::rope_kv::RopeKvConsts;
use akunu::kernels::rope_kv_attention::{RopeKvAttentionConsts, partial_bytes, sync_bytes};
use akunu::kernels::rope_kv_ragged_attention;
use akunu::kernels::rope_kv_ragged_attention::RopeKvRaggedAttentionConsts;
use akunu::kernels::sample::noisy_best;
use akunu::kernels::{advance, ragged_attention, rms_norm, rope_kv, rope_kv_attention, sample};
use akunu_kernels::step::{Block, Capacity, RowCount, Token};

on_each_device_and_vulkan!(
    a_batchs_advance_agrees,
    rms_norm_gathers_listed_heads,
    sample_draws_for_listed_heads,
    rope_kv_of_sequences_agrees,
    ragged_attention_of_sequences_agrees,
    fused_attention_of_sequences_agrees,
);

/// (sequences, rows): few, more than a warp has lanes, and as many as a GPU's batch has.
const SIZES: [(u32, u32); 4] = [(1, 1), (6, 14), (40, 64), (256, 512)];

fn capacity((seqs, rows): (u32, u32)) -> Capacity {
    Capacity { seqs, rows: RowCount(rows), heads: seqs }
}

/// A step block's bytes. A device gets what a host writes: places of sequences that are not in the step are stale.
fn block(b: &Batch) -> Vec<u8> {
    b.memory().bytes().to_vec()
}

fn shape(b: &Batch) -> String {
    format!("{} rows, {} heads of {} sequences", b.header.rows, b.header.head_rows, b.capacity.seqs)
}

const SLOTS: u32 = 40;

/// A head's picks, of which the best may be no number or no token.
fn picked(rng: &mut Random, vocab: u32, chunk: u32) -> Vec<Pick> {
    let n = chunks(vocab as usize, chunk as usize);
    let mut all: Vec<Pick> = (0..n as u32)
        .map(|c| {
            let token = c * chunk + rng.word() as u32 % chunk.min(vocab - c * chunk);
            // Equal scores are common; the lowest token wins them.
            Pick { score: (rng.word() % 7) as f32, token: Token(token) }
        })
        .collect();
    let at = below(rng, n);
    match below(rng, 12) {
        0 => all.fill(Pick::NONE),
        1 => all[at].score = f32::INFINITY,
        2 => all[at] = Pick { score: 9.0, token: Token(vocab) },
        3 => all[at] = Pick { score: f32::NAN, token: Token(1) },
        _ => {}
    }
    all
}

fn a_batchs_advance_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(51);
        let mut cases = Vec::new();
        for (i, size) in SIZES.into_iter().cycle().take(24).enumerate() {
            let (vocab, chunk) = [(90, 32), (1024, 64), (5000, 1024)][i % 3];
            let capacity = capacity(size);
            let mut b = Batch::ask(capacity, 3, SLOTS, &mut rng);
            for seq in &mut b.seqs {
                (seq.limit, seq.eos_count) = (rng.word() as u32 % SLOTS, below(&mut rng, 20) as u32);
                seq.eos = std::array::from_fn(|_| Token(rng.word() as u32 % vocab));
            }
            let drawn: Vec<Pick> = (0..size.0).flat_map(|_| picked(&mut rng, vocab, chunk)).collect();
            let consts = words(&AdvanceConsts { vocab, chunk, max_seq: SLOTS, heads: capacity.heads });
            let buffers = vec![block(&b), bytes(&drawn), poison((size.0 * SLOTS) as usize * 4)];
            let check: Check = Box::new(|want, got| {
                same("step", &want[0], &got[0])?;
                same("tokens", &want[2], &got[2])
            });
            let command =
                OneCommand::new(&advance::KERNEL, &consts, &[], buffers).of_batch(capacity, 1, size.0);
            cases.push(case(format!("advance {vocab} by {chunk}: {}", shape(&b)), command, check));
        }
        cases
    });
}

fn rms_norm_gathers_listed_heads(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(52);
        let mut cases = Vec::new();
        for (i, d) in [64usize, 576, 1000, 4096].into_iter().enumerate() {
            for (j, format) in side.formats(d).into_iter().enumerate() {
                let size = SIZES[1 + (i + j) % 3];
                let capacity = capacity(size);
                let b = Batch::ask(capacity, 4, 200, &mut rng);
                let consts = words(&RmsNormConsts {
                    d: d as u32,
                    act: format as u32,
                    select: Select::Head as u32,
                    max_rows: capacity.heads,
                });
                let buffers = vec![
                    block(&b),
                    bytes(&rng.normals(size.1 as usize * d)),
                    bytes(&rng.normals(d)),
                    poison(size.0 as usize * format.row_bytes(d)),
                ];
                let check: Check = Box::new(move |want, got| {
                    if format == ActFormat::Q8 {
                        return same("out", &want[3], &got[3]);
                    }
                    let relative = (d as f32 / 16.0 + 64.0) * U;
                    let bound = |_: usize, w: f32| w.abs() * relative + step_size(format, w);
                    close_rows("out", (format, d), &want[3], &got[3], bound)
                });
                let what = format!("rms_norm {d} {}: {}", format.name(), shape(&b));
                let command = OneCommand::new(&rms_norm::KERNEL, &consts, &[1e-5], buffers);
                cases.push(case(what, command.of_batch(capacity, 1, size.0), check));
            }
        }
        cases
    });
}

fn sample_draws_for_listed_heads(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(53);
        let mut cases = Vec::new();
        for (i, size) in SIZES.into_iter().cycle().take(8).enumerate() {
            let (vocab, chunk) = [(150usize, 64usize), (1024, 32), (3000, 1024)][i % 3];
            let capacity = capacity(size);
            let mut b = Batch::ask(capacity, 3, 200, &mut rng);
            for seq in &mut b.seqs {
                seq.temperature = [0.0, 1e-40, 0.7, 1.5][below(&mut rng, 4)];
                seq.floor = [f32::NEG_INFINITY, 0.1f32.ln()][below(&mut rng, 2)];
            }
            let x = rng.normals(size.0 as usize * vocab);
            let best = bests(&x, vocab, chunk);
            let consts =
                words(&LogitsConsts { vocab: vocab as u32, chunk: chunk as u32, max_rows: capacity.heads });
            let buffers = vec![block(&b), bytes(&x), bytes(&best), poison(best.len() * 8)];
            let what = format!("sample {vocab} by {chunk}: {}", shape(&b));
            let check: Check = Box::new(move |want, got| {
                let per_row = chunks(vocab, chunk) * 8;
                for (r, (w, g)) in want[3].chunks(per_row).zip(got[3].chunks(per_row)).enumerate() {
                    if r >= b.header.head_rows as usize {
                        same("what no head has", w, g)?;
                        continue;
                    }
                    let row = b.head_row(r);
                    let seq = &b.seqs[row.seq.index()];
                    if seq.temperature < f32::MIN_POSITIVE {
                        same_picks(w, g)?;
                        continue;
                    }
                    let x = &x[r * vocab..][..vocab];
                    let max = x.iter().fold(f32::MIN, |m, v| m.max(*v));
                    for (w, g) in picks(w).iter().zip(&picks(g)) {
                        if w == g {
                            continue;
                        }
                        let Some(l) = x.get(g.token.index()) else { return Err(format!("head {r}: {g:?}")) };
                        // What the twin says of the device's token must be as good as its own.
                        let (t, floor, seed) = (seq.temperature, seq.floor, seq.seed);
                        let own = noisy_best(&[*l], g.token.0, max, t, floor, seed, row.pos.next()).score;
                        let tol = 12.0 * U * (((l - max) / t).abs() + w.score.abs() + 2.0);
                        if !((own - w.score).abs() <= tol && (g.score - own).abs() <= tol) {
                            return Err(format!("head {r}: {g:?}, not {w:?}; the twin gives it {own}"));
                        }
                    }
                }
                Ok(())
            });
            let command = OneCommand::new(&sample::KERNEL, &consts, &[], buffers);
            cases.push(case(what, command.of_batch(capacity, 1, size.0), check));
        }
        cases
    });
}

/// Sequences whose blocks stand anywhere in one cache.
struct Crowd {
    step: Batch,
    heads: (u32, u32, u32),
    kv: Kv,
    /// Entries for each sequence.
    entries: usize,
    table: Vec<Block>,
    pairs: u32,
    pairing: u32,
    angles: Vec<f32>,
    qkv: Vec<f32>,
    keys: Vec<u8>,
    values: Vec<u8>,
}

/// What lies in the cache of a step's own rows.
#[derive(Clone, Copy, PartialEq)]
enum Own {
    /// Poison: the step writes them.
    Written,
    /// What an earlier command wrote.
    There,
}

fn crowd(
    heads: (u32, u32, u32),
    (seqs, rows, most): (u32, u32, usize),
    entries: usize,
    kv: Kv,
    own: Own,
    rng: &mut Random,
) -> Crowd {
    let (h, hkv, hd) = (heads.0 as usize, heads.1 as usize, heads.2 as usize);
    let step = Batch::ask(capacity((seqs, rows)), most, entries as u32 * 256, rng);
    let table: Vec<Block> = shuffled(rng, seqs as usize * entries).into_iter().map(Block).collect();
    // What a sequence has not come to is not a number.
    let mut known = vec![0; seqs as usize];
    for row in &step.rows[..step.header.rows as usize] {
        let known: &mut usize = &mut known[row.seq.index()];
        *known = (row.pos.index() + usize::from(own == Own::There)).max(*known);
    }
    if own == Own::Written {
        // Up to the first of a sequence's rows.
        for row in step.rows[..step.header.rows as usize].iter().rev() {
            known[row.seq.index()] = row.pos.index();
        }
    }
    let mut owner = vec![(0, 0); table.len()];
    for (i, block) in table.iter().enumerate() {
        owner[block.index()] = (i / entries, i % entries);
    }
    let [keys, values] = kv.map(|format| {
        caches::filled(format, table.len() * hkv, heads.2, |at| {
            let (seq, entry) = owner[at.tile / hkv];
            let x = rng.normals(hd);
            if entry * 256 + at.row < known[seq] { x } else { vec![f32::NAN; hd] }
        })
    });
    let pairs = if heads.2 == 80 { 20 } else { heads.2 / 2 };
    let angles = step.rows.iter().enumerate().flat_map(|(r, row)| {
        let pos = if r < step.header.rows as usize { row.pos.0 } else { 0 };
        (0..pairs).flat_map(move |i| {
            let a = pos as f32 * 10_000f32.powf(-(i as f32) / pairs as f32);
            [a.cos(), a.sin()]
        })
    });
    let angles = angles.collect();
    let qkv = rng.normals(rows as usize * (h + 2 * hkv) * hd);
    let pairing = (rng.word() % 2) as u32;
    Crowd { step, heads, kv, entries, table, pairs, pairing, angles, qkv, keys, values }
}

impl Crowd {
    fn width(&self) -> usize {
        let (h, hkv, hd) = self.heads;
        ((h + 2 * hkv) * hd) as usize
    }

    fn scale(&self) -> f32 {
        1.0 / (self.heads.2 as f32).sqrt()
    }

    fn name(&self) -> String {
        let ((h, hkv, hd), kv) = (self.heads, caches::name(self.kv));
        format!("{h}/{hkv}/{hd} {kv} pairing {} {}", self.pairing, shape(&self.step))
    }

    fn command(
        &self,
        kernel: &'static akunu::kernels::Kernel,
        consts: &[u32],
        more: Vec<Vec<u8>>,
    ) -> OneCommand {
        let mut buffers = vec![block(&self.step), bytes(&self.table)];
        buffers.extend(more);
        let params: &[f32] = if std::ptr::eq(kernel, &rope_kv::KERNEL) { &[] } else { &[self.scale()] };
        let command = OneCommand::new(kernel, consts, params, buffers);
        command.of_batch(self.step.capacity, self.entries as u32, self.table.len() as u32)
    }

    fn rows(&self) -> &[Row] {
        &self.step.rows[..self.step.header.rows as usize]
    }

    /// Where a position of a sequence lies.
    fn place(&self, seq: SeqIndex, kv_head: usize, pos: usize) -> KvPlace {
        let own = &self.table[seq.index() * self.entries..][..self.entries];
        kv_place(own, self.heads.1 as usize, kv_head, pos)
    }

    /// How far outputs of row `r` and head `h` may be apart, as `Data::bound` of one sequence.
    fn bound(&self, r: usize, h: usize, caches: [&[u8]; 2], window: u32, [score, weight]: [f32; 2]) -> f32 {
        let (heads, hkv, hd) = (self.heads.0 as usize, self.heads.1 as usize, self.heads.2 as usize);
        let (row, kv_head) = (self.rows()[r], h / (heads / hkv));
        let norm = |x: &[f32]| x.iter().map(|v| v * v).sum::<f32>().sqrt();
        let q = norm(&self.qkv[r * self.width() + h * hd..][..hd]);
        let first = first_visible(row.pos.index(), window);
        let (mut terms, mut value) = (0f32, 0f32);
        for pos in first..=row.pos.index() {
            let at = self.place(row.seq, kv_head, pos);
            let [k, v] = [0, 1].map(|i| caches::read(self.kv[i], caches[i], self.heads.2, at));
            terms = terms.max(q * norm(&k) * self.scale());
            value = v.iter().fold(value, |m, v| m.max(v.abs()));
        }
        let seen = (row.pos.index() + 1 - first) as f32;
        let off = 2.0 * terms * ((hd as f32 + 8.0) * 2.0 * U + score) + 16.0 * U * 1.5;
        (off.exp_m1() + 2.0 * (seen * U + 16.0 * U + weight)) * value
    }

    /// Compares `[rows, heads x head_dim]` outputs; the twin's caches say what was seen.
    fn outputs(
        &self,
        act: ActFormat,
        window: u32,
        [want, got]: [&[u8]; 2],
        caches: [&[u8]; 2],
        off: [f32; 2],
    ) -> Result<(), String> {
        let (h, hd) = (self.heads.0 as usize, self.heads.2 as usize);
        let bounds: Vec<f32> =
            (0..self.rows().len() * h).map(|i| self.bound(i / h, i % h, caches, window, off)).collect();
        let row = row_len(act, h * hd);
        close_rows("out", (act, h * hd), want, got, |i, w| {
            bounds[i / row * h + i % row / hd] * unit_of(act) + step_size(act, w)
        })
    }
}

/// (query heads, KV heads, head width)
const HEADS: [(u32, u32, u32); 4] = [(9, 3, 64), (32, 8, 128), (5, 5, 80), (4, 1, 256)];

fn rope_kv_of_sequences_agrees(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(54);
        let mut cases = Vec::new();
        for (i, heads) in HEADS.into_iter().enumerate() {
            for (j, (seqs, rows)) in [(6, 14), (40, 64), (12, 300)].into_iter().enumerate() {
                let kv = *caches::pairs(i + j, heads.2).last().unwrap();
                let mut c = crowd(heads, (seqs, rows, rows as usize / 4), 2, kv, Own::Written, &mut rng);
                let (width, active) = (c.width(), c.rows().len());
                c.qkv[active * width..].fill(f32::from_bits(u32::MAX));
                let [k_type, v_type] = kv.map(|f| f as u32);
                let consts = words(&RopeKvConsts {
                    heads: heads.0,
                    kv_heads: heads.1,
                    head_dim: heads.2,
                    pairs: c.pairs,
                    pairing: c.pairing,
                    k_type,
                    v_type,
                    max_rows: rows,
                    blocks: c.entries as u32,
                });
                let more = vec![bytes(&c.angles), bytes(&c.qkv), c.keys.clone(), c.values.clone()];
                let command = c.command(&rope_kv::KERNEL, &consts, more);
                let what = format!("rope_kv {}", c.name());
                let queries = (heads.0 * heads.2) as usize * 4;
                let check: Check = Box::new(move |want, got| {
                    let largest = c.qkv[..active * width].iter().fold(0f32, |m, v| m.max(v.abs()));
                    let turned = 6.0 * U * largest;
                    let of_queries = |b: &[u8]| -> Vec<u8> {
                        b.chunks_exact(width * 4).flat_map(|r| r[..queries].to_vec()).collect()
                    };
                    let (w, g) = (of_queries(&want[3]), of_queries(&got[3]));
                    close("queries", ActFormat::F32, &w, &g, |_, _| turned)?;
                    caches::close("k_cache", kv[0], heads.2, [&c.keys, &want[4], &got[4]], turned)?;
                    caches::close("v_cache", kv[1], heads.2, [&c.values, &want[5], &got[5]], 0.0)
                });
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

fn ragged_attention_of_sequences_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(55);
        let mut cases = Vec::new();
        for (i, heads) in HEADS.into_iter().enumerate() {
            for (j, size) in [(6, 14, 4), (40, 64, 3), (9, 100, 40)].into_iter().enumerate() {
                for kv in caches::pairs(i + j, heads.2) {
                    let (window, act) = ([0, 100, 0, 7][(i + j) % 4], side.out(i + j, heads.2));
                    // The twin is scalar: long ones on small heads are enough.
                    let entries = if heads.0 * heads.2 > 1000 || size.0 > 20 { 1 } else { 3 };
                    let c = crowd(heads, size, entries, kv, Own::There, &mut rng);
                    let attention = AttentionConsts {
                        heads: heads.0,
                        kv_heads: heads.1,
                        head_dim: heads.2,
                        k_type: kv[0] as u32,
                        v_type: kv[1] as u32,
                        act: act as u32,
                        max_rows: size.1,
                        window,
                        softcap: if window == 0 { 0 } else { 1.5f32.to_bits() },
                    };
                    let consts = words(&RaggedAttentionConsts { attention, blocks: entries as u32 });
                    let out = size.1 as usize * act.row_bytes((heads.0 * heads.2) as usize);
                    let more = vec![bytes(&c.qkv), c.keys.clone(), c.values.clone(), poison(out)];
                    let command = c.command(&ragged_attention::KERNEL, &consts, more);
                    let what = format!("ragged_attention {} window {window} to {}", c.name(), act.name());
                    let off = kv.map(|f| side.rounding(f, act, size.1));
                    let check: Check = Box::new(move |want, got| {
                        c.outputs(act, window, [&want[5], &got[5]], [&c.keys, &c.values], off)
                    });
                    cases.push(case(what, command, check));
                }
            }
        }
        cases
    });
}

/// A GPU's batch of few rows has the fused attention, which finds each row's entries.
fn fused_attention_of_sequences_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(56);
        let mut cases = Vec::new();
        for (i, heads) in HEADS.into_iter().enumerate().filter(|_| side.kind != Kind::Cpu) {
            for (j, (seqs, rows, most, entries)) in
                [(6, 1, 1, 3), (6, 2, 1, 3), (3, 8, 4, 2), (8, 8, 1, 2), (20, 8, 2, 5)]
                    .into_iter()
                    .enumerate()
            {
                for kv in caches::pairs(i + j, heads.2) {
                    let (window, act) = ([0, 100, 0, 300][(i + j) % 4], side.out(i + j, heads.2));
                    let c = crowd(heads, (seqs, rows, most), entries, kv, Own::Written, &mut rng);
                    let consts = words(&RopeKvAttentionConsts {
                        heads: heads.0,
                        kv_heads: heads.1,
                        head_dim: heads.2,
                        pairs: c.pairs,
                        pairing: c.pairing,
                        k_type: kv[0] as u32,
                        v_type: kv[1] as u32,
                        act: act as u32,
                        max_rows: rows,
                        window,
                        max_seq: entries as u32 * 256,
                        softcap: if window == 0 { 0 } else { 1.5f32.to_bits() },
                        blocks: entries as u32,
                    });
                    let more = vec![
                        bytes(&c.angles),
                        bytes(&c.qkv),
                        c.keys.clone(),
                        c.values.clone(),
                        poison(partial_bytes(&consts) as usize),
                        vec![0; sync_bytes(&consts) as usize],
                        poison(rows as usize * act.row_bytes((heads.0 * heads.2) as usize)),
                    ];
                    let command = c.command(&rope_kv_attention::KERNEL, &consts, more);
                    let what = format!("rope_kv_attention {} window {window} to {}", c.name(), act.name());
                    let check: Check = Box::new(move |want, got| {
                        let largest = c.qkv.iter().fold(0f32, |m, v| m.max(v.abs()));
                        let turned = 6.0 * U * largest;
                        caches::close("k_cache", kv[0], heads.2, [&c.keys, &want[4], &got[4]], turned)?;
                        caches::close("v_cache", kv[1], heads.2, [&c.values, &want[5], &got[5]], 0.0)?;
                        same("sync", &want[7], &got[7])?;
                        // Codes that came out otherwise than the twin's move an element by a step.
                        let codes = [0, 1].map(|i| {
                            let n = caches::differing(&want[4 + i], &got[4 + i]) as f32;
                            if kv[i] == akunu::kernels::kv::KvFormat::Q8_0 { n.sqrt() / 127.0 } else { 0.0 }
                        });
                        let off = [0, 1].map(|i| caches::unit(kv[i]) + codes[i]);
                        c.outputs(act, window, [&want[8], &got[8]], [&want[4], &want[5]], off)
                    });
                    cases.push(case(what, command, check));
                }
            }
        }
        cases
    });
}

/// A case of tables of more rows: sequences, rows and most rows of a sequence, entries of a sequence's table. The last ones' rows are mostly
/// those of prompts, and longer than a fragment, a tile and what one warp looks through at once.
const SOME: [(u32, u32, usize, usize); 6] =
    [(6, 17, 1, 3), (16, 24, 1, 2), (40, 64, 3, 1), (90, 256, 4, 1), (9, 100, 40, 2), (3, 256, 200, 2)];

/// Constants of the fused attention of `c`, whose tables have `rows` rows.
fn fused(c: &Crowd, rows: u32, window: u32, act: ActFormat) -> RopeKvRaggedAttentionConsts {
    let attention = AttentionConsts {
        heads: c.heads.0,
        kv_heads: c.heads.1,
        head_dim: c.heads.2,
        k_type: c.kv[0] as u32,
        v_type: c.kv[1] as u32,
        act: act as u32,
        max_rows: rows,
        window,
        softcap: if window == 0 { 0 } else { 1.5f32.to_bits() },
    };
    let ragged = RaggedAttentionConsts { attention, blocks: c.entries as u32 };
    RopeKvRaggedAttentionConsts { ragged, pairs: c.pairs, pairing: c.pairing }
}

/// Every shape of [`SOME`] with each of these heads and cache formats of 16 bits.
fn fused_crowds(mut each: impl FnMut(usize, u32, Crowd)) {
    let mut rng = Random(57);
    // One with more queries of a KV head than a fragment has, and one whose pairs are odd in number.
    for (i, heads) in HEADS.into_iter().chain([(24, 1, 64), (4, 2, 96)]).enumerate() {
        for (j, (seqs, rows, most, entries)) in SOME.into_iter().enumerate() {
            let (codes, entries) =
                (KvFormat::Q8_0, if heads.0 * heads.2 > 1000 { entries.min(2) } else { entries });
            for kv in caches::pairs(i + j, heads.2).into_iter().filter(|kv| !kv.contains(&codes)) {
                let mut c = crowd(heads, (seqs, rows, most), entries, kv, Own::Written, &mut rng);
                // Both pairings with pairs that are odd in number, and heads that are turned in part or not at all.
                let pairs = match heads.2 {
                    64 => Some([32, 16, 0][j % 3]),
                    96 => Some([3, 24, 47][j % 3]),
                    _ => None,
                };
                if let Some(pairs) = pairs {
                    (c.pairs, c.pairing) = (pairs, u32::from(j < 3));
                    c.angles.truncate(c.step.rows.len() * pairs.max(1) as usize * 2);
                }
                each(i + j, rows, c);
            }
        }
    }
}

/// An NVIDIA GPU's batch of some rows has this one.
#[test]
#[ignore = "needs an NVIDIA GPU; tools/h200.sh"]
fn gpu_fused_attention_of_some_sequences_agrees() {
    run_cases(On::Gpu, |side| {
        let mut cases = Vec::new();
        fused_crowds(|i, rows, c| {
            let (window, act) = ([0, 100, 0, 7][i % 4], side.out(i, c.heads.2));
            let (kv, heads) = (c.kv, c.heads);
            let consts = words(&fused(&c, rows, window, act));
            let out = rows as usize * act.row_bytes((heads.0 * heads.2) as usize);
            let more = vec![bytes(&c.angles), bytes(&c.qkv), c.keys.clone(), c.values.clone(), poison(out)];
            let command = c.command(&rope_kv_ragged_attention::KERNEL, &consts, more);
            let what = format!("rope_kv_ragged_attention {} window {window} to {}", c.name(), act.name());
            let off = kv.map(|f| side.rounding(f, act, rows));
            let check: Check = Box::new(move |want, got| {
                let turned = 6.0 * U * c.qkv.iter().fold(0f32, |m, v| m.max(v.abs()));
                caches::close("k_cache", kv[0], heads.2, [&c.keys, &want[4], &got[4]], turned)?;
                caches::close("v_cache", kv[1], heads.2, [&c.values, &want[5], &got[5]], 0.0)?;
                c.outputs(act, window, [&want[6], &got[6]], [&want[4], &want[5]], off)
            });
            cases.push(case(what, command, check));
        });
        cases
    });
}

/// One command leaves the bits that `rope_kv` and `ragged_attention` leave, in the caches and in the output.
#[test]
#[ignore = "needs an NVIDIA GPU; tools/h200.sh"]
fn gpu_bits_of_the_fused_attention_of_some_rows_are_those_of_its_parts() {
    for (device, _) in devices(On::Gpu) {
        let mut compared = 0;
        fused_crowds(|i, rows, c| {
            let (window, act) = ([0, 100, 0, 7][i % 4], ActFormat::F32);
            let consts = fused(&c, rows, window, act);
            let rope = RopeKvConsts {
                heads: c.heads.0,
                kv_heads: c.heads.1,
                head_dim: c.heads.2,
                pairs: c.pairs,
                pairing: c.pairing,
                k_type: c.kv[0] as u32,
                v_type: c.kv[1] as u32,
                max_rows: rows,
                blocks: c.entries as u32,
            };
            let out = poison(rows as usize * act.row_bytes((c.heads.0 * c.heads.2) as usize));
            let run = |kernel, consts: &[u32], more| c.command(kernel, consts, more).run(&**device).unwrap();
            let given = vec![bytes(&c.angles), bytes(&c.qkv), c.keys.clone(), c.values.clone()];
            let first = run(&rope_kv::KERNEL, &words(&rope), given.clone());
            let [qkv, keys, values] = [3, 4, 5].map(|i| first[i].clone());
            let parts = run(
                &ragged_attention::KERNEL,
                &words(&consts.ragged),
                vec![qkv, keys.clone(), values.clone(), out.clone()],
            );
            let whole = run(&rope_kv_ragged_attention::KERNEL, &words(&consts), [given, vec![out]].concat());
            let name = format!("{} window {window}", c.name());
            same("out", &parts[5], &whole[6]).unwrap_or_else(|e| panic!("{name}: {e}"));
            same("k_cache", &keys, &whole[4]).unwrap_or_else(|e| panic!("{name}: {e}"));
            same("v_cache", &values, &whole[5]).unwrap_or_else(|e| panic!("{name}: {e}"));
            compared += 1;
        });
        assert!(compared >= 30, "{compared} cases");
    }
}
