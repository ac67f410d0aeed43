//! Rotation, the KV cache and attention.

use super::*;
use crate::caches::{self, Kv};
use crate::harness::Random;
use akunu::device::cuda::{Options, compile_table};
use akunu::kernels::Machine;
use akunu::kernels::attention::{AttentionConsts, first_visible};
use akunu::kernels::cuda::Gpu;
use akunu::kernels::kv::{KvFormat, kv_place};
use akunu::kernels::ragged_attention::RaggedAttentionConsts;
use akunu::kernels::rope_kv::RopeKvConsts;
use akunu::kernels::rope_kv_attention::{RopeKvAttentionConsts, partial_bytes, sync_bytes};
use akunu::kernels::step::{Block, Position, SeqIndex};
use akunu::kernels::{attention, ragged_attention, rope_kv, rope_kv_attention};

/// The kernels with cases in this file.
pub(crate) const KERNELS: &[&str] =
    &["rope_kv", "rope_kv_attention", "attention", "ragged_attention", "rope_kv_ragged_attention"];

/// (query heads, KV heads, head width)
const HEADS: [(u32, u32, u32); 6] =
    [(9, 3, 64), (32, 8, 128), (4, 1, 256), (5, 5, 80), (14, 2, 64), (1, 1, 16)];
/// Heads whose codes are no power of two of bytes, or that have one scale: how CUDA lays out their tiles differs.
const ODD: [(u32, u32, u32); 3] = [(4, 2, 96), (6, 2, 192), (4, 2, 32)];
/// Blocks of the cache, in an order that is not the identity.
const TABLE: [Block; 6] = [Block(3), Block(0), Block(5), Block(1), Block(4), Block(2)];

/// What all three work on: places, rotation angles, queries with keys and values, and a filled cache.
#[derive(Clone)]
struct Data {
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    pairs: u32,
    pairing: u32,
    first: u32,
    rows: usize,
    max_rows: usize,
    angles: Vec<f32>,
    qkv: Vec<f32>,
    kv: Kv,
    keys: Vec<u8>,
    values: Vec<u8>,
}

fn data(
    (heads, kv_heads, head_dim): (u32, u32, u32),
    pairing: u32,
    first: u32,
    rows: usize,
    max_rows: usize,
    kv: Kv,
    rng: &mut Random,
) -> Data {
    // Some models turn only a part of each head.
    let pairs = if head_dim == 80 { 20 } else { head_dim / 2 };
    let angles = (0..max_rows)
        .flat_map(|r| (0..pairs).map(move |i| (r, i)))
        .flat_map(|(r, i)| {
            let a = (first + r as u32) as f32 * 10_000f32.powf(-(i as f32) / pairs as f32);
            [a.cos(), a.sin()]
        })
        .collect();
    let qkv = rng.normals(max_rows * ((heads + 2 * kv_heads) * head_dim) as usize);
    // What lies behind the last row need not be a number.
    let behind = first as usize + rows;
    let position = |tile: usize, row: usize| {
        let block = (tile / kv_heads as usize) as u32;
        TABLE.iter().position(|b| b.0 == block).unwrap() * 256 + row
    };
    let [keys, values] = kv.map(|format| {
        caches::filled(format, TABLE.len() * kv_heads as usize, head_dim, |at| {
            let x = rng.normals(head_dim as usize);
            if position(at.tile, at.row) < behind { x } else { vec![f32::NAN; head_dim as usize] }
        })
    });
    Data { heads, kv_heads, head_dim, pairs, pairing, first, rows, max_rows, angles, qkv, kv, keys, values }
}

impl Data {
    fn step(&self) -> Vec<u8> {
        let places: Vec<Row> =
            (0..self.rows as u32).map(|r| Row { seq: SeqIndex(0), pos: Position(self.first + r) }).collect();
        step_of(&places, 0, self.max_rows, Seq { len: self.first, ..Seq::default() })
    }

    /// The first bindings of the commands that rotate.
    fn unrotated(&self) -> [Vec<u8>; 6] {
        let (keys, values) = (self.keys.clone(), self.values.clone());
        [self.step(), bytes(&TABLE), bytes(&self.angles), bytes(&self.qkv), keys, values]
    }

    fn width(&self) -> usize {
        ((self.heads + 2 * self.kv_heads) * self.head_dim) as usize
    }

    fn scale(&self) -> f32 {
        1.0 / (self.head_dim as f32).sqrt()
    }

    fn name(&self) -> String {
        let Self { heads, kv_heads, head_dim, pairing, first, rows, max_rows, .. } = self;
        let kv = caches::name(self.kv);
        format!("{heads}/{kv_heads}/{head_dim} {kv} pairing {pairing} at {first} rows {rows} of {max_rows}")
    }

    /// What rotating a value of this size may add: the products and the sum on each side, fused or not.
    fn turned(&self) -> f32 {
        let largest = self.qkv.iter().fold(0f32, |m, v| m.max(v.abs()));
        6.0 * U * largest
    }

    /// Caches after the step: new entries within a step of their format, everything else untouched.
    fn caches(&self, want: &[Vec<u8>], got: &[Vec<u8>], at: usize) -> Result<(), String> {
        let turned = self.turned();
        for (i, name, before, off) in [(0, "k_cache", &self.keys, turned), (1, "v_cache", &self.values, 0.0)]
        {
            let all = [&**before, &*want[at + i], &*got[at + i]];
            caches::close(name, self.kv[i], self.head_dim, all, off)?;
        }
        Ok(())
    }

    /// What codes that came out otherwise than the twin's add to the relative error of a score's terms and of a weight:
    /// each moves an element by a step, the 127th part of no more than the head's norm.
    fn other_codes(&self, want: &[Vec<u8>], got: &[Vec<u8>], at: usize) -> (f32, f32) {
        let of = |i: usize| {
            let n = caches::differing(&want[at + i], &got[at + i]) as f32;
            if self.kv[i] == KvFormat::Q8_0 { n.sqrt() / 127.0 } else { 0.0 }
        };
        (of(0), of(1))
    }

    /// How far outputs of row `r` and head `h` may be apart, given the relative error of a score's terms and of a
    /// weight. `rotated` says whether the queries are turned already; a turn changes no magnitude by more than a
    /// factor of sqrt 2.
    fn bound(&self, r: usize, h: usize, window: u32, score: f32, weight: f32) -> f32 {
        let (hd, hkv) = (self.head_dim as usize, self.kv_heads as usize);
        let kv_head = h / (self.heads / self.kv_heads) as usize;
        let pos = self.first as usize + r;
        let q = &self.qkv[r * self.width() + h * hd..][..hd];
        let q_norm = q.iter().map(|v| v * v).sum::<f32>().sqrt();
        let (mut terms, mut value) = (0f32, 0f32);
        for j in first_visible(pos, window)..=pos {
            // New keys and values lie in qkv, or in the cache already.
            let (k, v): (Vec<f32>, Vec<f32>) = if j >= self.first as usize && self.keys_are_new() {
                let row = &self.qkv[(j - self.first as usize) * self.width()..][..self.width()];
                let of =
                    |part: usize| row[(self.heads as usize + part * hkv + kv_head) * hd..][..hd].to_vec();
                (of(0), of(1))
            } else {
                let at = kv_place(&TABLE, hkv, kv_head, j);
                let of = |i: usize, c: &[u8]| caches::read(self.kv[i], c, self.head_dim, at);
                (of(0, &self.keys), of(1, &self.values))
            };
            let k_norm = k.iter().map(|v| v * v).sum::<f32>().sqrt();
            terms = terms.max(q_norm * k_norm * self.scale());
            value = v.iter().fold(value, |m, v| m.max(v.abs()));
        }
        let seen = (pos + 1 - first_visible(pos, window)) as f32;
        // Scores: sums of products on two sides, exponentials, then the weighted sum and its quotient. An error e in a
        // score changes its weight by a factor within exp(e).
        let off =
            2.0 * terms * ((hd as f32 + 8.0) * 2.0 * U + score) + 16.0 * U * f32::from_bits(softcap(window));
        let relative = off.exp_m1() + 2.0 * (seen * U + 16.0 * U + weight);
        relative * value
    }

    /// Whether keys of the step's rows come with it; a plain `attention` finds them in the cache.
    fn keys_are_new(&self) -> bool {
        let at = kv_place(&TABLE, self.kv_heads as usize, 0, self.first as usize);
        caches::read(self.kv[0], &self.keys, self.head_dim, at)[0].is_nan()
    }

    /// Puts the step's keys and values into the cache, as `rope_kv` would have.
    fn with_cached_rows(mut self) -> Self {
        let (h, hkv, hd) = (self.heads as usize, self.kv_heads as usize, self.head_dim as usize);
        for r in 0..self.rows {
            for kv_head in 0..hkv {
                let at = kv_place(&TABLE, hkv, kv_head, self.first as usize + r);
                let of = |part: usize| &self.qkv[(r * (h + 2 * hkv) + h + part * hkv + kv_head) * hd..][..hd];
                self.kv[0].write(&mut self.keys, at, of(0));
                self.kv[1].write(&mut self.values, at, of(1));
            }
        }
        self
    }
}

on_each_device_and_vulkan!(
    rope_kv_turns_and_stores,
    rope_kv_attention_agrees,
    attention_agrees,
    ragged_attention_agrees,
);

fn rope_kv_turns_and_stores(on: On) {
    run_cases(on, |_| {
        let mut rng = Random(21);
        let mut cases = Vec::new();
        for (i, heads) in HEADS.into_iter().enumerate() {
            for (j, (first, rows, max_rows)) in
                [(0, 1, 1), (63, 2, 8), (255, 8, 8), (1000, 1, 8), (250, 37, 64), (5, 0, 8), (0, 600, 600)]
                    .into_iter()
                    .enumerate()
            {
                let kv = *caches::pairs(i + j, heads.2).last().unwrap();
                let mut d = data(heads, ((i + j) % 2) as u32, first, rows, max_rows, kv, &mut rng);
                // Rows behind the active ones hold poison, which must stay.
                let width = d.width();
                d.qkv[rows * width..].fill(f32::from_bits(u32::MAX));
                let Data { heads, kv_heads, head_dim, pairs, pairing, .. } = d;
                let max_rows = max_rows as u32;
                let [k_type, v_type] = kv.map(|f| f as u32);
                let consts = words(&RopeKvConsts {
                    heads,
                    kv_heads,
                    head_dim,
                    pairs,
                    pairing,
                    k_type,
                    v_type,
                    max_rows,
                    blocks: 0,
                });
                let buffers = d.unrotated().into();
                let what = format!("rope_kv {}", d.name());
                let queries = (heads * head_dim) as usize;
                let check: Check = Box::new(move |want, got| {
                    let largest = d.qkv[..d.rows * width].iter().fold(0f32, |m, v| m.max(v.abs()));
                    // Only queries are part of the result: a device need not put turned keys back.
                    let of_queries = |b: &[u8]| -> Vec<u8> {
                        b.chunks_exact(width * 4).flat_map(|r| r[..queries * 4].to_vec()).collect()
                    };
                    let (w, g) = (of_queries(&want[3]), of_queries(&got[3]));
                    close("queries", ActFormat::F32, &w, &g, |_, _| 6.0 * U * largest)?;
                    let d = Data { qkv: d.qkv[..d.rows * width].to_vec(), ..d.clone() };
                    d.caches(want, got, 4)
                });
                cases.push(case(what, OneCommand::new(&rope_kv::KERNEL, &consts, &[], buffers), check));
            }
        }
        cases
    });
}

/// Compares `[rows, heads x head_dim]` outputs in a format.
fn outputs(d: &Data, act: ActFormat, want: &[u8], got: &[u8], bounds: &[f32]) -> Result<(), String> {
    let width = (d.heads * d.head_dim) as usize;
    let row = row_len(act, width);
    close_rows("out", (act, width), want, got, |i, w| {
        let (r, h) = (i / row, i % row / d.head_dim as usize);
        bounds[r * d.heads as usize + h] * unit_of(act) + step_size(act, w)
    })
}

fn bounds(d: &Data, window: u32, score: f32, weight: f32) -> Vec<f32> {
    (0..d.rows * d.heads as usize)
        .map(|i| d.bound(i / d.heads as usize, i % d.heads as usize, window, score, weight))
        .collect()
}

/// A bound on the scores in the cases with a window.
const fn softcap(window: u32) -> u32 {
    if window == 0 { 0 } else { 1.5f32.to_bits() }
}

/// A command of `rope_kv_attention`.
fn few(d: &Data, act: ActFormat, window: u32, softcap: u32) -> OneCommand {
    let Data { heads, kv_heads, head_dim, pairs, pairing, kv, max_rows, .. } = *d;
    let consts = words(&RopeKvAttentionConsts {
        heads,
        kv_heads,
        head_dim,
        pairs,
        pairing,
        k_type: kv[0] as u32,
        v_type: kv[1] as u32,
        act: act as u32,
        max_rows: max_rows as u32,
        window,
        max_seq: TABLE.len() as u32 * 256,
        softcap,
        blocks: 0,
    });
    let more = [
        poison(partial_bytes(&consts) as usize),
        vec![0; sync_bytes(&consts) as usize],
        poison(max_rows * act.row_bytes((heads * head_dim) as usize)),
    ];
    let buffers = d.unrotated().into_iter().chain(more).collect();
    OneCommand::new(&rope_kv_attention::KERNEL, &consts, &[d.scale()], buffers)
}

/// What kernels assert of their shared memory is what their launches say, at widths that no synthetic model has.
#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn attention_of_codes_compiles_at_every_width() {
    let mut rng = Random(26);
    for gpu in ["sm_80", "sm_90a"].map(|arch| Gpu::of_arch(arch).unwrap()) {
        let (machine, options) =
            (Machine::Cuda(gpu), Options { overlap: gpu.sm >= 90, ..Options::default() });
        let target = Target::of(machine);
        let side = Side { kind: Kind::Cuda, target: &target };
        for heads in ODD.into_iter().chain([(4, 1, 256)]) {
            let of = |rows, rng: &mut Random| data(heads, 0, 0, 1, rows, [KvFormat::Q8_0; 2], rng);
            let commands = [
                few(&of(8, &mut rng), ActFormat::F16, 0, 0),
                ragged(&side, of(16, &mut rng), ActFormat::F16, 0, vec![0]).command,
                ragged(&side, of(256, &mut rng), ActFormat::F16, 0, vec![0]).command,
            ];
            for c in commands {
                let made = compile_table(&c.table(machine).unwrap(), options);
                made.unwrap_or_else(|e| panic!("heads {heads:?} for sm_{}: {e}", gpu.sm));
            }
        }
    }
}

fn rope_kv_attention_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(22);
        let mut cases = Vec::new();
        let more = ODD.into_iter().filter(|_| side.cuda());
        for (i, heads) in HEADS.into_iter().chain(more).enumerate().filter(|_| side.kind != Kind::Cpu) {
            for (j, (first, rows, max_rows), kv) in [
                (0, 1, 1),
                (1, 1, 1),
                (63, 1, 1),
                (64, 1, 1),
                (255, 1, 1),
                (256, 1, 1),
                (1000, 1, 1),
                (1400, 1, 1),
                (0, 8, 8),
                (63, 2, 8),
                (253, 7, 8),
                (1000, 8, 8),
                (1000, 1, 8),
                (77, 0, 8),
                // Rows of one sequence whose windows begin on both sides of a cut.
                (1027, 8, 8),
                (1024, 8, 8),
                (228, 5, 8),
                (130, 7, 8),
            ]
            .into_iter()
            .enumerate()
            .flat_map(|(j, at)| caches::pairs(i + j, heads.2).into_iter().map(move |kv| (j, at, kv)))
            {
                let window =
                    if j < 14 { [0, 0, 100, 0, 1, 300, 0][j % 7] } else { [200, 200, 37, 100][j - 14] };
                let softcap = if j < 14 { softcap(window) } else { 0 };
                let act = side.out(i + j, heads.2);
                let d = data(heads, ((i + j) % 2) as u32, first, rows, max_rows, kv, &mut rng);
                let command = few(&d, act, window, softcap);
                let what = format!("rope_kv_attention {} window {window} to {}", d.name(), act.name());
                let check: Check = Box::new(move |want, got| {
                    d.caches(want, got, 4)?;
                    same("sync", &want[7], &got[7])?;
                    // New keys and values count as stored; a step of their format may fall on either side. Queries and
                    // weights have 22 bits, or 16 on bf16.
                    let (score, weight) = d.other_codes(want, got, 4);
                    let bounds =
                        bounds(&d, window, caches::unit(kv[0]) + score, caches::unit(kv[1]) + weight);
                    outputs(&d, act, &want[8], &got[8], &bounds)
                });
                cases.push(case(what, command, check));
            }
        }
        cases
    });
}

fn attention_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(23);
        let mut cases = Vec::new();
        for (i, heads) in HEADS.into_iter().enumerate() {
            for (j, (first, rows, max_rows), kv) in [
                (0, 9, 9),
                (63, 16, 16),
                (0, 129, 300),
                (255, 64, 64),
                (1000, 40, 64),
                (256, 1, 16),
                (0, 600, 600),
                (30, 0, 64),
            ]
            .into_iter()
            .enumerate()
            .flat_map(|(j, at)| caches::pairs(i + j, heads.2).into_iter().map(move |kv| (j, at, kv)))
            {
                // The twin is scalar: long ones on small heads are enough, and a CPU's levels have tests of their own.
                let long = rows == 600 && (heads.0 * heads.2 > 1000 || kv != caches::F16);
                if long || side.kind == Kind::Cpu && (i + j) % 3 != 0 {
                    continue;
                }
                let window = [0, 7, 0, 100, 0, 300][(i + j) % 6];
                let act = side.out(i + j, heads.2);
                let d = data(heads, 0, first, rows, max_rows, kv, &mut rng).with_cached_rows();
                let Data { heads, kv_heads, head_dim, .. } = d;
                let consts = words(&AttentionConsts {
                    heads,
                    kv_heads,
                    head_dim,
                    k_type: kv[0] as u32,
                    v_type: kv[1] as u32,
                    act: act as u32,
                    max_rows: max_rows as u32,
                    window,
                    softcap: softcap(window),
                });
                let width = (heads * head_dim) as usize;
                let buffers = vec![
                    d.step(),
                    bytes(&TABLE),
                    bytes(&d.qkv),
                    d.keys.clone(),
                    d.values.clone(),
                    poison(max_rows * act.row_bytes(width)),
                ];
                let what = format!("attention {} window {window} to {}", d.name(), act.name());
                let params = [d.scale()];
                // On matrix units queries and weights are rounded to the cache's 16 bits, codes when they are widened.
                let rounded = side.units()
                    && max_rows > 8
                    && head_dim.is_multiple_of(16)
                    && head_dim <= 128
                    && act != ActFormat::Q16Aligned;
                let [score, weight] = kv.map(|f| match f {
                    // Through Vulkan always to f16, and so is what the cache has in another format.
                    KvFormat::F16 if rounded => 2f32.powi(-11),
                    _ if rounded => 2f32.powi(-10),
                    _ => side.rounding(f, act, max_rows as u32),
                });
                let check: Check = Box::new(move |want, got| {
                    let bounds = bounds(&d, window, score, weight);
                    outputs(&d, act, &want[5], &got[5], &bounds)
                });
                cases.push(case(what, OneCommand::new(&attention::KERNEL, &consts, &params, buffers), check));
            }
        }
        cases
    });
}

/// An order of the rows: the row that stands at each place.
type Order = fn(rows: usize) -> Vec<usize>;

/// One run; no two rows in a run; runs of three in turns with single rows of the other end.
const ORDERS: [Order; 3] = [
    |rows| (0..rows).collect(),
    |rows| (0..rows).rev().collect(),
    |rows| {
        let (mut order, mut front, mut back) = (Vec::new(), 0, rows);
        while front < back {
            let run = 3.min(back - front);
            order.extend(front..front + run);
            front += run;
            if front < back {
                back -= 1;
                order.push(back);
            }
        }
        order
    },
];

/// `[rows, width]` bytes with row `order[i]` at place `i`, and back. What follows the rows stays.
fn ordered(b: &[u8], width: usize, order: &[usize]) -> Vec<u8> {
    let mut out = b.to_vec();
    for (to, from) in order.iter().enumerate() {
        out[to * width..][..width].copy_from_slice(&b[from * width..][..width]);
    }
    out
}

fn in_place(b: &[u8], width: usize, order: &[usize]) -> Vec<u8> {
    let mut out = b.to_vec();
    for (from, to) in order.iter().enumerate() {
        out[to * width..][..width].copy_from_slice(&b[from * width..][..width]);
    }
    out
}

/// A case of `ragged_attention`: rows of one sequence in an order. (Several sequences: `batches.rs`.)
fn ragged(side: &Side<'_>, d: Data, act: ActFormat, window: u32, order: Vec<usize>) -> Case {
    let (kv, max_rows, width) = (d.kv, d.max_rows, (d.heads * d.head_dim) as usize);
    let consts = words(&RaggedAttentionConsts {
        attention: AttentionConsts {
            heads: d.heads,
            kv_heads: d.kv_heads,
            head_dim: d.head_dim,
            k_type: kv[0] as u32,
            v_type: kv[1] as u32,
            act: act as u32,
            max_rows: max_rows as u32,
            window,
            softcap: softcap(window),
        },
        blocks: TABLE.len() as u32,
    });
    let places: Vec<Row> =
        order.iter().map(|r| Row { seq: SeqIndex(0), pos: Position(d.first + *r as u32) }).collect();
    let buffers = vec![
        step_of(&places, 0, max_rows, Seq { len: d.first, ..Seq::default() }),
        bytes(&TABLE),
        ordered(&bytes(&d.qkv), 4 * d.width(), &order),
        d.keys.clone(),
        d.values.clone(),
        poison(max_rows * act.row_bytes(width)),
    ];
    let mixed = order.windows(2).any(|w| w[0] + 1 != w[1]);
    let what = format!("ragged_attention {} mixed {mixed} window {window} to {}", d.name(), act.name());
    let params = [d.scale()];
    let [score, weight] = kv.map(|f| side.rounding(f, act, max_rows as u32));
    let command = OneCommand::new(&ragged_attention::KERNEL, &consts, &params, buffers);
    let check: Check = Box::new(move |want, got| {
        let bounds = bounds(&d, window, score, weight);
        let [want, got] = [want, got].map(|b| in_place(&b[5], act.row_bytes(width), &order));
        outputs(&d, act, &want, &got, &bounds)
    });
    case(what, command, check)
}

/// Places of the ragged cases: first position, rows, rows of the table.
const RAGGED: [(u32, usize, usize); 6] =
    [(0, 9, 9), (250, 13, 16), (1000, 40, 64), (256, 1, 16), (0, 129, 300), (30, 0, 64)];

fn ragged_attention_agrees(on: On) {
    run_cases(on, |side| {
        let mut rng = Random(24);
        let mut cases = Vec::new();
        // One with more queries of a KV head than a fragment has.
        let more = ODD.into_iter().filter(|_| side.cuda() || side.kind == Kind::Cpu);
        for (i, heads) in HEADS.into_iter().chain([(24, 1, 64)]).chain(more).enumerate() {
            for (j, (first, rows, max_rows)) in RAGGED.into_iter().enumerate() {
                if side.kind == Kind::Cpu && (i + j) % 3 != 0 {
                    continue;
                }
                for (n, kv) in caches::pairs(i + j, heads.2).into_iter().enumerate() {
                    let (window, act) =
                        ([0, 7, 0, 100, 0, 300][(i + j + n) % 6], side.out(i + j + n, heads.2));
                    let d = data(heads, 0, first, rows, max_rows, kv, &mut rng).with_cached_rows();
                    let order = ORDERS[(i + j + n) % ORDERS.len()](rows);
                    cases.push(ragged(side, d, act, window, order));
                }
            }
        }
        cases
    });
}

/// A row's bits are the same in a run of its sequence, alone, and in runs cut elsewhere, and in tables of any size.
#[test]
#[ignore = "needs an NVIDIA GPU; tools/h200.sh"]
fn gpu_bits_of_ragged_rows_do_not_depend_on_their_company() {
    for (device, _) in devices(On::Gpu) {
        let side = Side { kind: Kind::Cuda, target: device.target() };
        let mut rng = Random(25);
        for (i, heads) in HEADS.into_iter().enumerate() {
            let mut caches = caches::pairs(i, heads.2);
            let codes =
                Some([KvFormat::Q8_0; 2]).filter(|kv| kv[0].holds(heads.2 as usize) && !caches.contains(kv));
            caches.extend(codes);
            for ((first, rows, max_rows), kv) in
                RAGGED.into_iter().flat_map(|r| caches.iter().map(move |kv| (r, *kv)))
            {
                let window = [0, 300, 7][i % 3];
                let d = data(heads, 0, first, rows, max_rows, kv, &mut rng).with_cached_rows();
                let row = ActFormat::F32.row_bytes((d.heads * d.head_dim) as usize);
                // In tables of more rows a warp may take fewer tiles in a turn.
                let mut wide = Data { max_rows: 512, ..d.clone() };
                wide.qkv.resize(512 * d.qkv.len() / max_rows, f32::NAN);
                let mut cases = ORDERS.map(|order| (d.clone(), order(rows))).to_vec();
                cases.push((wide, ORDERS[0](rows)));
                let out = cases.into_iter().map(|(d, order)| {
                    let c = ragged(&side, d, ActFormat::F32, window, order.clone());
                    let out = c.command.run(&**device).unwrap().pop().unwrap();
                    let mut out = in_place(&out, row, &order);
                    out.truncate(rows * row);
                    out
                });
                let out: Vec<Vec<u8>> = out.collect();
                assert!(out.windows(2).all(|o| o[0] == o[1]), "{} window {window}", d.name());
            }
        }
    }
}
