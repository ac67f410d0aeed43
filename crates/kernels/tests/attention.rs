//! `attention`, `split_attention` and `ragged_attention` at every level against the plain twin and each other.

mod harness;

use akunu_kernels::act::{self, ActFormat};
use akunu_kernels::attention::{AttentionConsts, AttentionParams, KERNEL, first_visible};
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::kv::{KvFormat, kv_place};
use akunu_kernels::ragged_attention::{self, RaggedAttentionConsts};
use akunu_kernels::split_attention::{self, SplitAttentionConsts, most_spans, partial_bytes, sync_bytes};
use akunu_kernels::step::{self, Block, Header, KV_BLOCK, Position, Row, SeqIndex};
use akunu_kernels::{DType, Kernel, cpu::Buf, cpu::Call, target};
use harness::{Memory, Random, run, step_block};
use std::mem::replace;

struct Case {
    c: AttentionConsts,
    positions: Vec<u32>,
    table: Vec<Block>,
    q: Vec<f32>,
    caches: [Memory; 2],
    scale: f32,
}

/// Whether products of many rows are on matrix units.
fn has_units(level: Level) -> bool {
    target::cpu_units_rule(level, DType::Q8_0).is_some()
}

/// Whether many rows are gathered in 16-bit integers.
fn in_words(level: Level, act: u32) -> bool {
    ActFormat::from_word(act).is_some_and(|act| target::cpu_attention_in_words(level, act))
}

/// Whether tables of few rows and of many have different kernels.
fn has_families(level: Level, act: ActFormat) -> bool {
    has_units(level) || in_words(level, act as u32)
}

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| *l != Level::Reference && l.available())
}

/// A bound on the scores in the cases with a window: both kinds of model have both.
const fn softcap(window: u32) -> u32 {
    if window == 0 { 0 } else { 1.5f32.to_bits() }
}

/// Formats of keys and values.
type Kv = [KvFormat; 2];
const F16: Kv = [KvFormat::F16; 2];
/// Others, taken in turn.
const OTHERS: [Kv; 3] =
    [[KvFormat::F32; 2], [KvFormat::Q8_0, KvFormat::Bf16], [KvFormat::Bf16, KvFormat::Q8_0]];

/// These formats, with f32 where a head has no whole groups.
fn fitting(kv: Kv, hd: u32) -> Kv {
    kv.map(|f| if f.holds(hd as usize) { f } else { KvFormat::F32 })
}

/// Random queries and caches. Positions that no row sees hold NaN.
fn case(
    heads: u32,
    kv_heads: u32,
    hd: u32,
    kv: Kv,
    act: ActFormat,
    window: u32,
    positions: Vec<u32>,
) -> Case {
    let mut rng = Random(u64::from(heads * 31 + hd + window) + positions.len() as u64);
    let c = AttentionConsts {
        heads,
        kv_heads,
        head_dim: hd,
        k_type: kv[0] as u32,
        v_type: kv[1] as u32,
        act: act as u32,
        max_rows: positions.len() as u32,
        window,
        softcap: softcap(window),
    };
    let end = *positions.iter().max().expect("a row") as usize + 1;
    let blocks = end.div_ceil(KV_BLOCK as usize) + 1;
    // A permutation with no fixed order.
    let mut table: Vec<Block> = (0..blocks as u32).map(Block).collect();
    for i in (1..blocks).rev() {
        table.swap(i, (rng.word() % (i as u64 + 1)) as usize);
    }
    let seen: Vec<bool> = (0..end)
        .map(|j| positions.iter().any(|p| (first_visible(*p as usize, window)..=*p as usize).contains(&j)))
        .collect();
    let (first, last) = (seen.iter().position(|s| *s).expect("a position"), end);
    let caches = kv.map(|format| {
        let mut m = Memory::new(blocks * kv_heads as usize * format.tile_bytes(hd as usize), 0xFF);
        let mut x = vec![f32::NAN; hd as usize];
        for h in 0..kv_heads as usize {
            for j in 0..blocks * KV_BLOCK as usize {
                if (first..last).contains(&j) {
                    x.fill_with(|| rng.normal());
                } else {
                    x.fill(f32::NAN);
                }
                format.write(m.bytes_mut(), kv_place(&table, kv_heads as usize, h, j), &x);
            }
        }
        m
    });
    let q = rng.normals(positions.len() * ((heads + 2 * kv_heads) * hd) as usize);
    Case { c, positions, table, q, caches, scale: 1.0 / (hd as f32).sqrt() }
}

impl Case {
    /// The first `rows` rows' output: bytes in the activation format, poisoned before.
    fn run(&mut self, level: Level, rows: usize, max_rows: u32, parts: u32) -> Memory {
        let consts: [u32; 9] = bytemuck::cast(AttentionConsts { max_rows, ..self.c });
        self.output(rows, &mut [], |bufs, params| run(&KERNEL, level, &consts, params, bufs, parts))
    }

    /// The same of `split_attention`, with parts one after the other or side by side. Partial results begin poisoned;
    /// counters begin and end at zero.
    fn run_split(&mut self, level: Level, rows: usize, max_rows: u32, parts: u32, threads: bool) -> Memory {
        let attention = AttentionConsts { max_rows, ..self.c };
        let end = self.positions[..rows].iter().max().expect("a row") + 1;
        let consts = SplitAttentionConsts { attention, spans: most_spans(end, self.c.window, max_rows) };
        let consts: [u32; 10] = bytemuck::cast(consts);
        let mut partials = Memory::new(partial_bytes(&consts) as usize, 0xFF);
        let mut sync = Memory::new(sync_bytes(&consts) as usize, 0);
        let kernel: &Kernel = &split_attention::KERNEL;
        let out = self.output(rows, &mut [partials.buf(), sync.buf()], |bufs, params| {
            if !threads {
                return run(kernel, level, &consts, params, bufs, parts);
            }
            let f = kernel.cpu(level, &consts).expect("a version");
            let call = Call { bufs, consts: &consts, params };
            std::thread::scope(|s| {
                for part in 0..parts {
                    // SAFETY: bindings laid out by the contract; each part once.
                    s.spawn(move || unsafe { f(&call, part, parts) });
                }
            });
        });
        assert!(sync.bytes().iter().all(|b| *b == 0), "{level} {parts} parts: a counter is left");
        out
    }

    /// What a kernel writes, given bindings and parameters; `more` bindings follow `attention`'s.
    fn output(&mut self, rows: usize, more: &mut [Buf], kernel: impl FnOnce(&[Buf], &[u32])) -> Memory {
        let format = ActFormat::from_word(self.c.act).expect("a format");
        let places: Vec<Row> =
            self.positions[..rows].iter().map(|p| Row { seq: SeqIndex(0), pos: Position(*p) }).collect();
        let mut step = step_block(&places, 0);
        let mut out = Memory::new(rows * format.row_bytes(self.width()), 0xFF);
        let (mut table, mut q) = (Memory::of(&self.table), Memory::of(&self.q));
        let [k, v] = &mut self.caches;
        let mut bufs = vec![step.buf(), table.buf(), q.buf(), k.buf(), v.buf(), out.buf()];
        bufs.extend_from_slice(more);
        let params: [u32; 1] = bytemuck::cast(AttentionParams { scale: self.scale });
        kernel(&bufs, &params);
        out
    }

    fn width(&self) -> usize {
        (self.c.heads * self.c.head_dim) as usize
    }

    fn values(&self, out: &Memory, row: usize) -> Vec<f32> {
        let format = ActFormat::from_word(self.c.act).expect("a format");
        let rb = format.row_bytes(self.width());
        let mut v = vec![f32::NAN; self.width()];
        act::load(format, &out.bytes()[row * rb..(row + 1) * rb], self.width(), &mut v);
        v
    }

    /// The error that twin and kernel together may make in each value of a row's head: scores carry rounding in
    /// proportion to their terms, which moves each weight by that factor; the weighted sum rounds once per
    /// position. A quantized output adds a step, because the two may round to different sides.
    fn bound(&self, level: Level, row: usize, head: usize) -> f32 {
        let (hd, hkv) = (self.c.head_dim as usize, self.c.kv_heads as usize);
        let kv_head = head / (self.c.heads as usize / hkv);
        let pos = self.positions[row] as usize;
        let width = (self.c.heads as usize + 2 * hkv) * hd;
        let q = &self.q[row * width + head * hd..][..hd];
        let (mut k, mut v) = (vec![0f32; hd], vec![0f32; hd]);
        let [k_type, v_type] =
            [self.c.k_type, self.c.v_type].map(|w| KvFormat::from_word(w).expect("a format"));
        let (mut terms, mut value, mut norms) = (0f32, 0f32, 0f32);
        let norm = |v: &[f32]| v.iter().map(|v| v * v).sum::<f32>().sqrt();
        let first = first_visible(pos, self.c.window);
        for j in first..=pos {
            let at = kv_place(&self.table, hkv, kv_head, j);
            k_type.read(self.caches[0].bytes(), at, &mut k);
            v_type.read(self.caches[1].bytes(), at, &mut v);
            terms = terms.max(q.iter().zip(&k).map(|(q, k)| (q * k).abs()).sum::<f32>() * self.scale);
            norms = norms.max(norm(q) * norm(&k));
            value = v.iter().fold(value, |m, v| m.max(v.abs()));
        }
        let u = f32::EPSILON / 2.0;
        // (A bound on the scores takes away error, but rounds by itself.)
        let cap = f32::from_bits(self.c.softcap);
        let relative = 2.0 * u * (2.0 * (hd as f32 + 8.0) * terms + 8.0 * cap + (pos - first) as f32 + 16.0);
        // Pairs of bf16 keep 17 bits of each number, and products leave out what is 2^-18 of theirs.
        let pairs =
            if has_units(level) && self.c.max_rows > 8 { 2f32.powi(-15) * (terms + 1.0) } else { 0.0 };
        // Scores: half a step of each column of both vectors, whose norms are 32,700. Weights: half of one in 131,000 for each of a
        // block; values: half of one in 16,000 of their norm, which is at most the greatest times the root of the width.
        let words = if in_words(level, self.c.act) && self.c.max_rows > 8 {
            let root = (hd as f32).sqrt();
            2.0 * norms * self.scale * root / 32_700.0 + 32.0 / 131_000.0 + root * 0.5 / 16_000.0
        } else {
            0.0
        };
        let relative = relative + pairs + words;
        let step = match ActFormat::from_word(self.c.act) {
            Some(ActFormat::Q8 | ActFormat::Q8Paired | ActFormat::Q8Quads) => value / 127.0,
            Some(ActFormat::Bf16) => value / 128.0,
            // 11 significant bits, or a step of the smallest numbers.
            Some(ActFormat::F16) => value / 1024.0 + 2e-6,
            _ => 0.0,
        };
        relative * value + step
    }

    /// Compares every level with one run of the twin, which under emulation is most of the time.
    fn check(&mut self, parts: u32) {
        let rows = self.positions.len();
        let max_rows = self.c.max_rows;
        let twin = self.run(Level::Reference, rows, max_rows, 1);
        let got: Vec<_> = levels().map(|level| (level, self.run(level, rows, max_rows, parts))).collect();
        let hd = self.c.head_dim as usize;
        for r in 0..rows {
            let want = self.values(&twin, r);
            for (level, got) in &got {
                let bounds: Vec<f32> = (0..self.c.heads as usize).map(|h| self.bound(*level, r, h)).collect();
                let got = self.values(got, r);
                for (i, (a, b)) in want.iter().zip(&got).enumerate() {
                    let (h, d) = (i / hd, i % hd);
                    let bound = bounds[h];
                    assert!(
                        (a - b).abs() <= bound,
                        "{level} {:?} row {r} head {h} dim {d}: {b} for {a}, bound {bound}",
                        self.c
                    );
                }
            }
        }
    }
}

/// (query heads, KV heads, head width)
const SHAPES: &[(u32, u32, u32)] = &[
    (9, 3, 64),
    (1, 1, 16),
    (4, 1, 80),
    (2, 2, 96),
    (8, 2, 128),
    (3, 1, 256),
    (71, 1, 32),
    // No multiple of 16, and wider than the kernel takes.
    (2, 1, 40),
    (2, 1, 320),
];

fn run_of(from: u32, rows: u32) -> Vec<u32> {
    (from..from + rows).collect()
}

#[test]
fn every_level_agrees_with_the_twin() {
    for (i, &(h, hkv, hd)) in SHAPES.iter().enumerate() {
        for (j, (from, rows, window)) in [
            (0, 1, 0),
            (63, 2, 0),
            (300, 1, 0),
            (700, 3, 0),
            (0, 37, 0),
            (250, 20, 0),
            (530, 9, 100),
            (60, 70, 7),
        ]
        .into_iter()
        .enumerate()
        {
            for kv in [F16, fitting(OTHERS[(i + j) % 3], hd)] {
                case(h, hkv, hd, kv, ActFormat::F32, window, run_of(from, rows)).check(1 + rows % 3);
            }
            // With this output many rows have kernels of their own.
            if hd % 32 == 0 && rows > 8 {
                let kv = if i % 2 == 0 { F16 } else { OTHERS[(i + j) % 3] };
                case(h, hkv, hd, kv, ActFormat::Q8Paired, window, run_of(from, rows)).check(1 + rows % 3);
            }
        }
    }
}

#[test]
fn every_output_format_is_stored() {
    for format in [
        ActFormat::Q8,
        ActFormat::Q8Paired,
        ActFormat::Q8Quads,
        ActFormat::Bf16,
        ActFormat::F16,
        ActFormat::Bf16Pair,
    ] {
        for (hd, from, rows) in [(64, 90, 3), (32, 0, 40), (320, 5, 2)] {
            case(6, 2, hd, F16, format, 0, run_of(from, rows)).check(2);
        }
    }
}

#[test]
fn a_row_does_not_depend_on_its_neighbours() {
    for level in levels() {
        for (i, &(h, hkv, hd)) in SHAPES.iter().enumerate() {
            let kv = fitting(if i % 2 == 0 { F16 } else { OTHERS[i / 2 % 3] }, hd);
            for act in [ActFormat::F32, ActFormat::Q8, ActFormat::Q8Paired, ActFormat::Q8Quads] {
                if !hd.is_multiple_of(act.block()) {
                    continue;
                }
                let mut c = case(h, hkv, hd, kv, act, 0, run_of(300, 20));
                // Where tables of few rows and of many have different kernels, a row is itself among those of its family.
                let (few, all) = (c.run(level, 8, 8, 1), c.run(level, 20, 20, 2));
                let same = few.bytes() == &all.bytes()[..few.bytes().len()];
                let two = has_families(level, act) && hd.is_multiple_of(16) && hd <= 256;
                assert_eq!(same, !two, "{level} {h} {hkv} {hd} {act:?}: families");
                for (rows, max_rows, parts) in
                    [(1, 1, 1), (1, 8, 3), (1, 9, 1), (3, 3, 2), (7, 8, 2), (8, 8, 3), (9, 9, 1), (13, 64, 5)]
                {
                    let some = c.run(level, rows, max_rows, parts);
                    let all = if has_families(level, act) && max_rows <= 8 { &few } else { &all };
                    for r in 0..rows {
                        let (a, b) = (c.values(all, r), c.values(&some, r));
                        let bits = |v: Vec<f32>| v.into_iter().map(f32::to_bits).collect::<Vec<_>>();
                        assert_eq!(
                            bits(a),
                            bits(b),
                            "{level} {h} {hkv} {hd} {act:?}: row {r} of {rows} in {parts} parts"
                        );
                    }
                }
            }
        }
    }
}

/// Large scores of either sign neither overflow nor lose the answer.
#[test]
fn extreme_scores_stay_finite() {
    for (level, act) in levels().flat_map(|l| [(l, ActFormat::F32), (l, ActFormat::Q8Paired)]) {
        let mut c = case(4, 2, 64, F16, act, 0, run_of(100, 12));
        c.scale = 300.0;
        let out = c.run(level, 12, 12, 2);
        for r in 0..12 {
            assert!(c.values(&out, r).iter().all(|v| v.is_finite()), "{level} {act:?} row {r}");
        }
    }
}

/// Splitting the length changes no bit, in however many parts, in whichever order they end.
#[test]
fn a_split_length_gives_the_same_bits() {
    for (i, &(h, hkv, hd)) in SHAPES.iter().enumerate() {
        for (from, rows, window) in
            [(5, 1, 0), (255, 2, 0), (1300, 1, 0), (1020, 8, 0), (700, 3, 300), (900, 8, 7)]
        {
            let kv = fitting(if i % 2 == 0 { F16 } else { OTHERS[i / 2 % 3] }, hd);
            let act = if hd % 32 == 0 { ActFormat::Q8 } else { ActFormat::F32 };
            let mut c = case(h, hkv, hd, kv, act, window, run_of(from, rows));
            for level in levels() {
                let want = c.run(level, rows as usize, rows, 1);
                for parts in [1, 2, 3, 7, 16, 61] {
                    let got = c.run_split(level, rows as usize, rows, parts, false);
                    assert_eq!(
                        got.bytes(),
                        want.bytes(),
                        "{level} {:?} {rows} rows at {from}, {parts} parts",
                        c.c
                    );
                }
            }
        }
    }
}

/// Rows that do not follow each other see more spans than a window's rows were planned to.
#[test]
fn scattered_rows_keep_their_heads_whole() {
    let mut c = case(6, 3, 64, F16, ActFormat::F32, 512, vec![0, 1100, 300]);
    for level in levels() {
        let want = c.run(level, 3, 8, 1);
        for parts in [1, 2, 5, 16] {
            let got = c.run_split(level, 3, 8, parts, false);
            assert_eq!(got.bytes(), want.bytes(), "{level} {parts} parts");
        }
    }
}

/// Scores of minus infinity weigh nothing, even where a span has no others.
#[test]
fn a_span_of_minus_infinities_weighs_nothing() {
    let mut c = case(2, 1, 64, [KvFormat::F32; 2], ActFormat::F32, 0, vec![256]);
    c.q.fill(1.0);
    let key = vec![f32::NEG_INFINITY; 64];
    for at in [0, 256] {
        let place = kv_place(&c.table, 1, 0, at);
        KvFormat::F32.write(c.caches[0].bytes_mut(), place, &key);
    }
    let twin = c.run(Level::Reference, 1, 1, 1);
    for level in levels() {
        let got = c.run_split(level, 1, 1, 2, false);
        for (a, b) in c.values(&twin, 0).iter().zip(c.values(&got, 0)) {
            assert!((a - b).abs() <= 1e-4, "{level}: {b} for {a}");
        }
    }
}

/// The same with parts on threads of their own; and fewer rows than the table was built for.
#[test]
fn parts_may_run_side_by_side() {
    let mut c = case(9, 3, 64, F16, ActFormat::F32, 0, run_of(1500, 5));
    for level in levels() {
        let want = c.run(level, 5, 8, 1);
        for round in 0..50 {
            let got = c.run_split(level, 5, 8, 2 + round % 7, true);
            assert_eq!(got.bytes(), want.bytes(), "{level} round {round}");
        }
    }
}

/// Rows of three sequences in turns, each with blocks of its own: every row is what `attention` gives with that table.
#[test]
fn ragged_rows_find_their_own_blocks() {
    let positions = vec![0, 5, 255, 256, 300, 511, 17];
    for window in [0, 9] {
        let mut case = case(4, 2, 32, F16, ActFormat::F32, window, positions.clone());
        // Every block is a number everywhere.
        for m in &mut case.caches {
            for half in m.bytes_mut().chunks_exact_mut(2).filter(|b| b[1] & 0x7C == 0x7C) {
                half.copy_from_slice(&[0, 0x3C]);
            }
        }
        let (rows, blocks, first) = (positions.len(), case.table.len(), case.table.clone());
        let mut tables = Vec::new();
        let want: Vec<Memory> = (0..3)
            .map(|turn| {
                case.table = first.clone();
                case.table.rotate_left(turn);
                tables.extend_from_slice(&case.table);
                case.run(Level::Reference, rows, rows as u32, 1)
            })
            .collect();
        let mut block = Memory::new(step::bytes(3, rows as u32), 0);
        let header = Header { rows: rows as u32, seqs_cap: 3, ..Header::default() };
        block.bytes_mut()[..64].copy_from_slice(bytemuck::bytes_of(&header));
        for (r, pos) in positions.iter().enumerate() {
            let row = Row { seq: SeqIndex(r as u32 * 2 % 3), pos: Position(*pos) };
            block.bytes_mut()[step::row_offset(3, r as u32)..][..8].copy_from_slice(bytemuck::bytes_of(&row));
        }
        let consts: [u32; 10] =
            bytemuck::cast(RaggedAttentionConsts { attention: case.c, blocks: blocks as u32 });
        let mut tables = Memory::of(&tables);
        let got = case.output(rows, &mut [], |bufs, params| {
            let mut bufs = bufs.to_vec();
            bufs[..2].copy_from_slice(&[block.buf(), tables.buf()]);
            run(&ragged_attention::KERNEL, Level::Reference, &consts, params, &bufs, 3);
        });
        let others = (0..rows).filter(|r| {
            let row = ActFormat::F32.row_bytes(128);
            want[0].bytes()[r * row..][..512] != want[1].bytes()[r * row..][..512]
        });
        assert!(others.count() > rows / 2, "the sequences differ");
        for r in 0..rows {
            let row = ActFormat::F32.row_bytes(128);
            let of = |m: &Memory| m.bytes()[r * row..][..512].to_vec();
            assert_eq!(of(&got), of(&want[r * 2 % 3]), "row {r}");
        }
    }
}

/// Rows of several sequences, in the caches and with the queries of a case.
struct Ragged {
    case: Case,
    /// Each row's sequence.
    seqs: Vec<usize>,
    /// Each sequence's row of the block table.
    tables: Vec<Vec<Block>>,
}

/// Rows at (sequence, position). Blocks are shuffled; positions that no row sees hold NaN, as does all of block 0, which stands
/// where a sequence needs no block.
fn ragged(shape: (u32, u32, u32), kv: Kv, act: ActFormat, window: u32, rows: &[(usize, u32)]) -> Ragged {
    let (heads, kv_heads, hd) = shape;
    let mut rng = Random(u64::from(heads * 31 + hd + window) + rows.len() as u64);
    let (seqs, positions): (Vec<usize>, Vec<u32>) = rows.iter().copied().unzip();
    let block = KV_BLOCK as usize;
    let blocks = *positions.iter().max().expect("a row") as usize / block + 2;
    let mut seen = vec![vec![false; blocks * block]; seqs.iter().max().expect("a row") + 1];
    for (seq, pos) in rows {
        seen[*seq][first_visible(*pos as usize, window)..=*pos as usize].fill(true);
    }
    let needed = |(seq, i): (usize, usize)| seen[seq][i * block..][..block].contains(&true);
    let mut places: Vec<(usize, usize)> =
        (0..seen.len()).flat_map(|seq| (0..blocks).map(move |i| (seq, i))).filter(|p| needed(*p)).collect();
    for i in (1..places.len()).rev() {
        places.swap(i, (rng.word() % (i as u64 + 1)) as usize);
    }
    let mut tables = vec![vec![Block(0); blocks]; seen.len()];
    for (at, (seq, i)) in places.iter().enumerate() {
        tables[*seq][*i] = Block(at as u32 + 1);
    }
    let caches = kv.map(|format| {
        let tiles = (places.len() + 1) * kv_heads as usize;
        let mut m = Memory::new(tiles * format.tile_bytes(hd as usize), 0xFF);
        let mut x = vec![f32::NAN; hd as usize];
        for (seq, i) in &places {
            for (head, j) in
                (0..kv_heads as usize).flat_map(|h| (i * block..(i + 1) * block).map(move |j| (h, j)))
            {
                x.fill_with(|| if seen[*seq][j] { rng.normal() } else { f32::NAN });
                format.write(m.bytes_mut(), kv_place(&tables[*seq], kv_heads as usize, head, j), &x);
            }
        }
        m
    });
    let c = AttentionConsts {
        heads,
        kv_heads,
        head_dim: hd,
        k_type: kv[0] as u32,
        v_type: kv[1] as u32,
        act: act as u32,
        max_rows: rows.len() as u32,
        window,
        softcap: softcap(window),
    };
    let q = rng.normals(rows.len() * ((heads + 2 * kv_heads) * hd) as usize);
    let case = Case { c, positions, table: Vec::new(), q, caches, scale: 1.0 / (hd as f32).sqrt() };
    Ragged { case, seqs, tables }
}

impl Ragged {
    /// All rows' output, poisoned before.
    fn run(&mut self, level: Level, parts: u32) -> Memory {
        let (rows, blocks) = (self.seqs.len(), self.tables[0].len() as u32);
        let places: Vec<Row> = (self.seqs.iter().zip(&self.case.positions))
            .map(|(seq, pos)| Row { seq: SeqIndex(*seq as u32), pos: Position(*pos) })
            .collect();
        let seqs = self.tables.len() as u32;
        let mut block = Memory::new(step::bytes(seqs, rows as u32), 0);
        let header = Header { rows: rows as u32, seqs_cap: seqs, ..Header::default() };
        block.bytes_mut()[..64].copy_from_slice(bytemuck::bytes_of(&header));
        block.bytes_mut()[step::row_offset(seqs, 0)..][..rows * 8]
            .copy_from_slice(bytemuck::cast_slice(&places));
        let mut tables = Memory::of(&self.tables.concat());
        let consts: [u32; 10] = bytemuck::cast(RaggedAttentionConsts { attention: self.case.c, blocks });
        self.case.output(rows, &mut [], |bufs, params| {
            let mut bufs = bufs.to_vec();
            bufs[..2].copy_from_slice(&[block.buf(), tables.buf()]);
            run(&ragged_attention::KERNEL, level, &consts, params, &bufs, parts);
        })
    }

    /// What `attention` gives a row alone.
    fn alone(&mut self, level: Level, row: usize) -> Memory {
        let width = self.case.q.len() / self.seqs.len();
        let q = self.case.q[row * width..][..width].to_vec();
        let pos = self.case.positions[row];
        self.case.table = self.tables[self.seqs[row]].clone();
        let (all_q, all) = (replace(&mut self.case.q, q), replace(&mut self.case.positions, vec![pos]));
        let out = self.case.run(level, 1, self.case.c.max_rows, 1);
        (self.case.q, self.case.positions) = (all_q, all);
        out
    }

    /// Compares every level with the twin in tolerance and with `attention` bit for bit, in several parts.
    fn check(&mut self) {
        let twin = self.run(Level::Reference, 2);
        let (heads, hd) = (self.case.c.heads as usize, self.case.c.head_dim as usize);
        for level in levels() {
            let got = self.run(level, 1);
            for parts in [2, 3, 5] {
                assert_eq!(
                    self.run(level, parts).bytes(),
                    got.bytes(),
                    "{level} {:?} {parts} parts",
                    self.case.c
                );
            }
            for r in 0..self.seqs.len() {
                let what = format!("{level} {:?} row {r} at {}", self.case.c, self.case.positions[r]);
                let alone = self.alone(level, r);
                let bytes = alone.bytes().len();
                assert_eq!(&got.bytes()[r * bytes..][..bytes], alone.bytes(), "{what}");
                let (want, got) = (self.case.values(&twin, r), self.case.values(&got, r));
                for h in 0..heads {
                    let bound = self.case.bound(level, r, h);
                    for (a, b) in want[h * hd..][..hd].iter().zip(&got[h * hd..]) {
                        assert!((a - b).abs() <= bound, "{what} head {h}: {b} for {a}, bound {bound}");
                    }
                }
            }
        }
    }
}

/// One row here, many there, in any order and over any distance; a sequence comes back, too.
fn mixed_rows() -> Vec<Vec<(usize, u32)>> {
    let run = |seq: usize, from: u32, rows: u32| (from..from + rows).map(move |pos| (seq, pos));
    vec![
        vec![(0, 0)],
        vec![(2, 17), (0, 300), (1, 0), (3, 255), (4, 256)],
        run(1, 40, 30).chain([(0, 511)]).chain(run(2, 0, 5)).chain(run(1, 70, 3)).collect(),
        // Down, with gaps, and twice the same.
        [(0, 300), (0, 299), (0, 5), (0, 290), (0, 290), (1, 64), (1, 0), (1, 520), (1, 200), (1, 63)]
            .to_vec(),
    ]
}

#[test]
fn ragged_rows_are_what_attention_gives_each_alone() {
    for (i, &shape) in SHAPES.iter().enumerate() {
        for (j, rows) in mixed_rows().into_iter().enumerate() {
            for (kv, window) in [(F16, 0), (fitting(OTHERS[(i + j) % 3], shape.2), [9, 100][i % 2])] {
                for act in [ActFormat::F32, ActFormat::Q8Paired] {
                    if shape.2 % act.block() == 0 && (act == ActFormat::F32 || rows.len() > 8) {
                        ragged(shape, kv, act, window, &rows).check();
                    }
                }
            }
        }
    }
}

#[test]
fn ragged_rows_are_stored_in_every_format() {
    for act in [ActFormat::Q8, ActFormat::Bf16, ActFormat::F16, ActFormat::Bf16Pair] {
        for (i, hd) in [64, 32, 320].into_iter().enumerate() {
            for (kv, window) in [(OTHERS[i], 0), (F16, 30)] {
                ragged((6, 2, hd), kv, act, window, &mixed_rows()[3]).check();
            }
        }
    }
}

/// As many rows as a step has, and parts without work.
#[test]
fn ragged_rows_may_be_many() {
    let rows: Vec<_> = (0..512).map(|r| (r * r / 40 % 7, (r * 37 % 130) as u32)).collect();
    for act in [ActFormat::F32, ActFormat::Q8Paired] {
        let mut case = ragged((4, 2, 32), F16, act, 0, &rows);
        for level in levels() {
            let want = case.run(level, 1);
            for parts in [2, 5, 8, 1000] {
                assert_eq!(case.run(level, parts).bytes(), want.bytes(), "{level} {act:?} {parts} parts");
            }
        }
        case.check();
    }
}
