//! `rope_angles`, `rope_kv` and `kv_shift` against rotations in f64.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod harness;

use akunu_kernels::cpu::LEVELS;
use akunu_kernels::kv::{KvFormat, KvPlace, kv_place};
use akunu_kernels::kv_shift::KvShiftConsts;
use akunu_kernels::rope_angles::RopeAnglesConsts;
use akunu_kernels::rope_kv::RopeKvConsts;
use akunu_kernels::step::{self, Block, Position, Row, Seq, SeqIndex};
use akunu_kernels::{kv_shift, rope_angles, rope_kv};
use harness::{Memory, Random, run, step_block};

const U: f64 = 1.0 / 16_777_216.0;
const F16_U: f64 = 1.0 / 2048.0;

/// A head shape: (heads, kv_heads, head_dim, pairs).
const HEADS: [(usize, usize, usize, usize); 5] =
    [(1, 1, 2, 1), (9, 3, 64, 32), (4, 4, 80, 40), (6, 2, 96, 24), (2, 1, 33, 16)];

fn levels() -> impl Iterator<Item = akunu_kernels::cpu::Level> {
    LEVELS.iter().copied().filter(|l| l.available())
}

/// The element that `e` is rotated with, and the pair they are; `None` where `e` is not rotated.
fn partner(e: usize, n: usize, pairing: u32) -> Option<(usize, usize)> {
    match (e < 2 * n, pairing) {
        (false, _) => None,
        (true, 0) => Some((e ^ 1, e / 2)),
        (true, _) => Some(((e + n) % (2 * n), e % n)),
    }
}

/// Element `e` of `x` rotated by angles (per pair), and the sum of magnitudes that its error scales with.
fn rotated(x: &[f32], angle: impl Fn(usize) -> f64, n: usize, pairing: u32, e: usize) -> (f64, f64) {
    let v = f64::from(x[e]);
    let Some((o, pair)) = partner(e, n, pairing) else { return (v, 0.0) };
    let (sin, cos) = angle(pair).sin_cos();
    let w = f64::from(x[o]);
    // The first of a pair gets a minus: it is the real part.
    let sign = if o > e { -1.0 } else { 1.0 };
    (v * cos + sign * w * sin, v.abs() + w.abs())
}

/// Formats of keys and values; those with q8_0 only for heads of whole groups.
type Kv = [KvFormat; 2];
const KVS: [Kv; 4] = [
    [KvFormat::F32; 2],
    [KvFormat::F16; 2],
    [KvFormat::Bf16, KvFormat::Q8_0],
    [KvFormat::Q8_0, KvFormat::Bf16],
];

/// How far a format may put a value of this size, in a head whose largest is `most`: half a step, of q8_0 with its scale
/// rounded to f16, and what f16 keeps of the smallest numbers.
fn stored(format: KvFormat, size: f64, most: f64) -> f64 {
    match format {
        KvFormat::F32 => 0.0,
        KvFormat::F16 => F16_U * (size + 1e-4),
        KvFormat::Bf16 => 8.0 * F16_U * size,
        KvFormat::Q8_0 => most / 127.0 * (0.5 + 0.5 * F16_U * 127.0) + 1e-6,
    }
}

/// One position of one head.
fn read(format: KvFormat, m: &Memory, hd: usize, at: KvPlace) -> Vec<f32> {
    let mut x = vec![0f32; hd];
    format.read(m.bytes(), at, &mut x);
    x
}

#[test]
fn angles_are_cosines_and_sines() {
    let mut rng = Random(1);
    for pairs in [1usize, 3, 32, 64] {
        for (i, rows) in [1usize, 2, 3, 7, 8, 9].into_iter().enumerate() {
            let freq: Vec<f32> = (0..pairs).map(|p| 10_000f32.powf(-(p as f32) / pairs as f32)).collect();
            let places: Vec<Row> = (0..rows)
                .map(|r| Row {
                    seq: SeqIndex(0),
                    pos: Position([0, 1, 255, 4096, 131_071, (1 << 24) - 1, rng.word() as u32 >> 10][r % 7]),
                })
                .collect();
            let consts: [u32; 2] =
                bytemuck::cast(RopeAnglesConsts { pairs: pairs as u32, max_rows: rows as u32 + 1 });
            for level in levels() {
                let mut out = Memory::of(&vec![f32::NAN; (rows + 1) * pairs * 2]);
                let (mut step, mut f) = (step_block(&places, 0), Memory::of(&freq));
                let parts = i as u32 % 3 + 1;
                run(
                    &rope_angles::KERNEL,
                    level,
                    &consts,
                    &[1f32.to_bits()],
                    &[step.buf(), f.buf(), out.buf()],
                    parts,
                );
                let got = out.values::<f32>();
                for (r, p) in places.iter().enumerate() {
                    for i in 0..pairs {
                        let (sin, cos) = f64::from(p.pos.0 as f32 * freq[i]).sin_cos();
                        let (c, s) = (got[(r * pairs + i) * 2], got[(r * pairs + i) * 2 + 1]);
                        // Values up to 1: one ulp is 2u.
                        let off = (f64::from(c) - cos).abs().max((f64::from(s) - sin).abs());
                        assert!(off <= 2.0 * U, "{level} pos {} pair {i}: {c} {s}, off {off:e}", p.pos.0);
                    }
                }
                assert!(got[rows * pairs * 2..].iter().all(|v| v.is_nan()), "wrote past its rows");
            }
        }
    }
}

/// Inputs of a `rope_kv` command.
struct Rope {
    heads: (usize, usize, usize, usize),
    pairing: u32,
    kv: Kv,
    places: Vec<Row>,
    table: Vec<Block>,
    angles: Vec<f64>,
    qkv: Vec<f32>,
}

impl Rope {
    fn width(&self) -> usize {
        (self.heads.0 + 2 * self.heads.1) * self.heads.2
    }

    fn cache(&self, side: usize) -> Memory {
        let (_, hkv, hd, _) = self.heads;
        Memory::new(self.table.len() * hkv * self.kv[side].tile_bytes(hd), 0xFF)
    }

    /// The buffers after the command: qkv, K, V.
    fn run(&self, level: akunu_kernels::cpu::Level, parts: u32) -> [Memory; 3] {
        let (h, hkv, hd, n) = self.heads;
        let consts: [u32; 9] = bytemuck::cast(RopeKvConsts {
            heads: h as u32,
            kv_heads: hkv as u32,
            head_dim: hd as u32,
            pairs: n as u32,
            pairing: self.pairing,
            k_type: self.kv[0] as u32,
            v_type: self.kv[1] as u32,
            max_rows: self.places.len() as u32,
            blocks: 0,
        });
        let mut out = [Memory::of(&self.qkv), self.cache(0), self.cache(1)];
        let (mut step, mut table) = (step_block(&self.places, 0), Memory::of(&self.table));
        let mut angles = Memory::of(
            &self.angles.iter().flat_map(|a| [a.cos() as f32, a.sin() as f32]).collect::<Vec<_>>(),
        );
        let [qkv, k, v] = &mut out;
        let bufs = [step.buf(), table.buf(), angles.buf(), qkv.buf(), k.buf(), v.buf()];
        run(&rope_kv::KERNEL, level, &consts, &[], &bufs, parts);
        out
    }

    /// Checks every element of the three buffers.
    fn check(&self, [qkv, k, v]: &[Memory; 3], what: &str) {
        let (h, hkv, hd, n) = self.heads;
        let mut touched = [k, v].map(|m| vec![false; m.bytes().len()]);
        for (r, place) in self.places.iter().enumerate() {
            for head in 0..h + 2 * hkv {
                let from = r * self.width() + head * hd;
                let x = &self.qkv[from..from + hd];
                let want: Vec<(f64, f64)> = (0..hd)
                    .map(|e| match head < h + hkv {
                        true => rotated(x, |p| self.angles[r * n + p], n, self.pairing, e),
                        false => (f64::from(x[e]), 0.0),
                    })
                    .collect();
                let most = want.iter().fold(0f64, |m, (w, _)| m.max(w.abs()));
                let side = usize::from(head >= h + hkv);
                let got = if head < h {
                    qkv.values::<f32>()[from..from + hd].to_vec()
                } else {
                    let at = kv_place(&self.table, hkv, (head - h) % hkv, place.pos.index());
                    let (values, scales) = self.kv[side].bytes_of(hd, at);
                    touched[side][values].fill(true);
                    touched[side][scales].fill(true);
                    read(self.kv[side], [k, v][side], hd, at)
                };
                for (e, (got, (want, size))) in got.iter().zip(&want).enumerate() {
                    // cos and sin are rounded, two products and a sum: 4u of the magnitudes.
                    let turned = 4.0 * U * size;
                    let kept = if head < h { 0.0 } else { stored(self.kv[side], want.abs() + turned, most) };
                    let off = (f64::from(*got) - want).abs();
                    assert!(
                        off <= turned + kept,
                        "{what} row {r} head {head} element {e}: {got}, not {want}"
                    );
                }
            }
        }
        for (m, touched) in [k, v].into_iter().zip(&touched) {
            let wrong = m.bytes().iter().zip(touched).position(|(b, t)| !t && *b != 0xFF);
            assert_eq!(wrong, None, "{what}: a byte of the cache was touched");
        }
    }
}

#[test]
fn keys_and_values_go_to_their_blocks_and_queries_turn_in_place() {
    let mut rng = Random(2);
    // Three blocks in another order than the positions'.
    let table = [2, 0, 1].map(Block).to_vec();
    for (i, heads) in HEADS.into_iter().enumerate() {
        for rows in [1usize, 2, 3, 7, 8, 9] {
            // Places on both sides of each block's edge, no two alike.
            let places: Vec<Row> = [255u32, 256, 0, 767, 511, 512, 300, 1, 254][..rows]
                .iter()
                .map(|pos| Row { seq: SeqIndex(0), pos: Position(*pos) })
                .collect();
            let width = (heads.0 + 2 * heads.1) * heads.2;
            let kvs = KVS.into_iter().filter(|kv| kv.iter().all(|f| f.holds(heads.2)));
            for (pairing, kv) in kvs.flat_map(|kv| [(0, kv), (1, kv)]) {
                let angles = (0..rows * heads.3).map(|_| f64::from(rng.unit()) * 3.2).collect();
                let (qkv, table) = (rng.normals(rows * width), table.clone());
                let c = Rope { heads, pairing, kv, places: places.clone(), table, angles, qkv };
                for level in levels() {
                    let what = format!("{level} {heads:?} pairing {pairing} {kv:?}");
                    c.check(&c.run(level, (i + rows) as u32 % 3 + 1), &what);
                }
            }
        }
    }
}

#[test]
fn a_rotation_keeps_length_and_the_pairings_differ() {
    let mut rng = Random(3);
    let angles: Vec<f32> = (0..8).flat_map(|i| [(i as f32).cos(), (i as f32).sin()]).collect();
    let x = rng.normals(20);
    let (mut a, mut b) = (x.clone(), x.clone());
    rope_kv::rotate(&mut a, &angles, 8, 0);
    rope_kv::rotate(&mut b, &angles, 8, 1);
    let norm = |v: &[f32]| v.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
    assert!((norm(&a) - norm(&x)).abs() <= 20.0 * U * norm(&x));
    assert!((norm(&b) - norm(&x)).abs() <= 20.0 * U * norm(&x));
    assert_ne!(a, b);
    assert_eq!((&a[16..], &b[16..]), (&x[16..], &x[16..]), "elements behind the rotated ones");
    assert_eq!((a[0], a[1]), (x[0], x[1]), "pair 0 has angle 0");
    assert_eq!((b[0], b[8]), (x[0], x[8]), "pair 0 has angle 0");
}

/// A cache of `len` positions, shifted: (keep, by) positions.
struct Shift {
    heads: (usize, usize, usize),
    pairing: u32,
    kv: Kv,
    keep: usize,
    by: usize,
    len: usize,
}

impl Shift {
    /// Fills a cache as `rope_kv` would, shifts it, and compares with keys rotated at the new positions.
    fn check(&self, level: akunu_kernels::cpu::Level, parts: u32, rng: &mut Random) {
        let (hkv, hd, n) = self.heads;
        let table = [1, 3, 0, 2].map(Block);
        let freq: Vec<f32> = (0..n).map(|i| 10_000f32.powf(-(i as f32) / n as f32)).collect();
        let total = table.len() * 256;
        // Raw keys and values by (position, head).
        let (k, v) = (rng.normals(total * hkv * hd), rng.normals(total * hkv * hd));
        let raw = |m: &[f32], pos: usize, head: usize| m[(pos * hkv + head) * hd..][..hd].to_vec();
        let angle = |pos: usize, p: usize| pos as f64 * f64::from(freq[p]);
        let [mut km, mut vm] = self.kv.map(|f| Memory::new(table.len() * hkv * f.tile_bytes(hd), 0));
        let turned = |pos: usize, from: usize, head: usize| -> Vec<(f64, f64)> {
            let x = raw(&k, from, head);
            (0..hd).map(|e| rotated(&x, |p| angle(pos, p), n, self.pairing, e)).collect()
        };
        for (pos, head) in (0..total).flat_map(|pos| (0..hkv).map(move |head| (pos, head))) {
            let at = kv_place(&table, hkv, head, pos);
            let x: Vec<f32> = turned(pos, pos, head).iter().map(|(x, _)| *x as f32).collect();
            self.kv[0].write(km.bytes_mut(), at, &x);
            self.kv[1].write(vm.bytes_mut(), at, &raw(&v, pos, head));
        }
        let (before_k, before_v) = (km.bytes().to_vec(), vm.bytes().to_vec());
        self.run(level, parts, &table, &freq, &mut km, &mut vm);
        let unit = if self.kv[0] == KvFormat::F32 { U } else { 0.0 };
        for (pos, head) in (0..total).flat_map(|pos| (0..hkv).map(move |head| (pos, head))) {
            let moved = (self.keep..self.len.saturating_sub(self.by)).contains(&pos);
            let from = if moved { pos + self.by } else { pos };
            let what =
                format!("{level} {:?} keep {} by {} pos {pos} head {head}", self.kv, self.keep, self.by);
            let (to, old) = (kv_place(&table, hkv, head, pos), kv_place(&table, hkv, head, from));
            let bytes = |format: KvFormat, m: &[u8], at| {
                let (values, scales) = format.bytes_of(hd, at);
                [&m[values], &m[scales]].concat()
            };
            assert_eq!(bytes(self.kv[1], vm.bytes(), to), bytes(self.kv[1], &before_v, old), "value, {what}");
            if !moved {
                assert_eq!(bytes(self.kv[0], km.bytes(), to), bytes(self.kv[0], &before_k, old), "{what}");
                continue;
            }
            let got = read(self.kv[0], &km, hd, to);
            let want = turned(pos, from, head);
            // Before the shift the head was turned otherwise, which changes its largest element by sqrt 2 at most.
            let most = 1.5 * want.iter().fold(0f64, |m, (w, _)| m.max(w.abs()));
            for (e, (got, (want, sum))) in got.iter().zip(want).enumerate() {
                // Stored before (both of the pair) and after; the angle -by x freq is rounded once, and cos, sin, two
                // products and a sum add 5u.
                let kept = stored(self.kv[0], want.abs(), most) + 2.0 * stored(self.kv[0], sum, most);
                let tol = kept + 3.0 * unit * sum + (self.by as f64 + 5.0) * U * sum;
                let off = (f64::from(*got) - want).abs();
                assert!(off <= tol, "{what} element {e}: {got}, not {want} (off {off:e}, allowed {tol:e})");
            }
        }
    }

    fn run(
        &self,
        level: akunu_kernels::cpu::Level,
        parts: u32,
        table: &[Block],
        freq: &[f32],
        k: &mut Memory,
        v: &mut Memory,
    ) {
        let (hkv, hd, n) = self.heads;
        let consts: [u32; 6] = bytemuck::cast(KvShiftConsts {
            kv_heads: hkv as u32,
            head_dim: hd as u32,
            pairs: n as u32,
            pairing: self.pairing,
            k_type: self.kv[0] as u32,
            v_type: self.kv[1] as u32,
        });
        let seq = Seq {
            len: self.len as u32,
            shift_keep: self.keep as u32,
            shift_by: self.by as u32,
            ..Seq::default()
        };
        let mut step = step_block(&[Row::default()], 0);
        let from = step::seq_offset(SeqIndex(0));
        step.bytes_mut()[from..from + size_of::<Seq>()].copy_from_slice(bytemuck::bytes_of(&seq));
        let (mut table, mut freq) = (Memory::of(table), Memory::of(freq));
        let bufs = [step.buf(), table.buf(), freq.buf(), k.buf(), v.buf()];
        run(&kv_shift::KERNEL, level, &consts, &[], &bufs, parts);
    }
}

#[test]
fn a_shifted_cache_is_one_filled_at_the_new_positions() {
    let mut rng = Random(4);
    let cases = [(4, 100, 700), (0, 256, 1024), (250, 13, 600), (10, 1, 12), (700, 300, 1000)];
    for (i, (keep, by, len)) in cases.into_iter().enumerate() {
        for (pairing, kv) in KVS.into_iter().flat_map(|kv| [(0, kv), (1, kv)]) {
            let grouped = kv.contains(&KvFormat::Q8_0);
            let heads = if grouped { (2, 32, 14) } else { [(3, 8, 4), (1, 12, 4), (2, 9, 3)][i % 3] };
            let s = Shift { heads, pairing, kv, keep, by, len };
            for level in levels() {
                s.check(level, i as u32 % 3 + 1, &mut rng);
            }
        }
    }
}

#[test]
fn a_shift_of_nothing_changes_nothing() {
    let mut rng = Random(5);
    // By zero, beyond the end, and more than there is.
    for (keep, by, len) in [(0, 0, 300), (300, 10, 300), (20, 500, 300), (0, 0, 0)] {
        for kv in KVS {
            let s = Shift { heads: (2, 32, 4), pairing: 0, kv, keep, by, len };
            let [mut k, mut v] = kv.map(|f| {
                let mut m = Memory::new(4 * 2 * f.tile_bytes(32), 0);
                for (tile, row) in (0..8).flat_map(|t| (0..256).map(move |r| (t, r))) {
                    f.write(m.bytes_mut(), KvPlace { tile, row }, &rng.normals(32));
                }
                m
            });
            let before = (k.bytes().to_vec(), v.bytes().to_vec());
            s.run(
                akunu_kernels::cpu::Level::Reference,
                2,
                &[1, 3, 0, 2].map(Block),
                &[1.0, 0.1, 0.01, 0.001],
                &mut k,
                &mut v,
            );
            assert!(before == (k.bytes().to_vec(), v.bytes().to_vec()), "keep {keep} by {by} len {len}");
        }
    }
}
