//! Attention of many queries on the matrix unit of x86-64.
//!
//! Everything is turned: scores are `keys x queries` and outputs `values x weights`, so that 16 queries are the 16 lanes of a register
//! from their scores to their sums. A greatest score, a sum and a factor are then operations between registers, keys are used as they lie in
//! the cache, and weights become the second side of a product without a transposition. (Values are transposed, once for all queries of a
//! tile.)
//!
//! Operands are bf16 in `N` parts. In two, a number and what rounding took from it, a product takes all but `rest * rest`: nothing is
//! lost that f32 sums would keep. One is enough where the output is rounded to it, for the next matrix.
//!
//! Positions that a query does not see have a weight of 0. What a row gets depends on its own lane alone.

use super::cpu_tile::{
    BLOCK, Job, KEYS, MAX_DIM, Piece, QUERIES, Query, Schedule, Sums, Tiles, VALUES, by_format, ptr, put,
};
use super::{SPAN, capped};
use crate::kv::{KV_GROUP, KvFormat, kv_place};
use crate::matrix_unit::{MatrixUnit, ROW, ROWS, TILE, columns};
use crate::simd::{Avx512, Lanes};
use std::arch::x86_64::*;
use std::f32::consts::{LN_2, LOG2_E};
use std::ops::Range;

/// Most parts of an operand.
const MOST_PARTS: usize = 2;
/// Columns, or positions, that a product of tiles sums over.
const DEPTH: usize = 32;
/// Lanes of a register: queries that go together.
const LANES: usize = 16;
/// Most queries of a tile: keys and values are prepared for twice as many as registers take, where the scratch has room for these.
const MOST: usize = 2 * QUERIES;
/// Groups of them.
const GROUPS: usize = MOST / LANES;
/// Elements of one of the unit's tiles of sums.
const SUMS: usize = TILE / size_of::<f32>();
/// A score may be so much greater than what its query's weights are relative to, before all that was gathered is multiplied: weights are
/// as precise at e^8 as at 1.
const SLACK: f32 = 8.0;

/// Tiles of attention on a unit, with operands in `N` parts.
pub(super) struct OnUnit<U, const N: usize>(U);

impl<U: MatrixUnit, const N: usize> Tiles for OnUnit<U, N> {
    type Lanes = Avx512;

    fn most(hd: usize) -> usize {
        if hd.next_multiple_of(DEPTH) <= MAX_DIM / 2 { MOST } else { QUERIES }
    }

    #[inline(always)]
    unsafe fn begin() -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { U::begin() })
    }

    #[inline(always)]
    unsafe fn tile<W: Schedule>(&mut self, job: &Job<'_>, piece: &Piece, schedule: &W) {
        // SAFETY: the caller's promise.
        unsafe { Tile::<N>::new(job, piece).run(&mut self.0, piece, schedule) }
    }
}

/// 16 queries.
#[derive(Clone, Copy)]
struct Group {
    /// The positions that each sees; of lanes without a query none.
    from: __m512i,
    to: __m512i,
    /// What one of them sees, and what all do.
    seen: (usize, usize),
    common: (usize, usize),
    /// What they have gathered from the span, and from all before.
    now: Gathered,
    total: Gathered,
}

/// As [`Sums`], of 16 queries.
#[derive(Clone, Copy)]
struct Gathered {
    /// What weights are relative to: a score of each, within [`SLACK`] of its greatest.
    base: __m512,
    sum: __m512,
    /// `[head_dim][16 queries]`, once there is something.
    o: *mut f32,
    begun: bool,
}

impl Gathered {
    #[inline(always)]
    unsafe fn none(o: *mut f32) -> Self {
        // SAFETY: the caller promises that the CPU has the level.
        unsafe { Self { base: _mm512_set1_ps(f32::NEG_INFINITY), sum: _mm512_setzero_ps(), o, begun: false } }
    }
}

/// Weights of all groups and the scores of two are in `p`.
const _: () = assert!(
    2 * BLOCK * LANES * 4 + GROUPS * (BLOCK / DEPTH) * MOST_PARTS * TILE <= (2 * QUERIES + 32) * BLOCK * 4
);
/// A head of any width has room in `q`, `k` and `v`: 4 bytes an element, which two parts take.
const _: () = assert!(MOST_PARTS * 2 == size_of::<f32>() && MAX_DIM.is_multiple_of(DEPTH));

/// A piece under way.
///
/// # Safety
/// All unsafe methods need what [`Tiles::tile`] needs, and a piece of at most [`OnUnit::most`] queries; then every place in the scratch is
/// inside its array.
struct Tile<'a, const N: usize> {
    job: &'a Job<'a>,
    hd: usize,
    queries: [Query; MOST],
    groups: [Group; GROUPS],
    count: usize,
    /// `[groups][steps of 32 columns][N]`, each one of the unit's tiles: pairs of columns by queries.
    q: *mut u8,
    /// `[steps of 32 columns][4 times 16 positions][N]`: positions by columns.
    k: *mut u8,
    /// `[steps of 32 positions][16 columns each][N]`: columns by positions.
    v: *mut u8,
    /// Two times `[64 positions][16 queries]`, of two groups.
    scores: *mut f32,
    /// `[groups][steps of 32 positions][N]`: pairs of positions by queries.
    weights: *mut u8,
    /// `[16 queries][head_dim]`.
    rows: *mut f32,
}

impl<'a, const N: usize> Tile<'a, N> {
    /// # Safety
    /// As [`Tiles::tile`].
    #[inline(always)]
    unsafe fn new(job: &'a Job<'a>, piece: &Piece) -> Self {
        let (hd, count) = (job.c.head_dim as usize, piece.units.len());
        let s = job.scratch;
        // SAFETY: places in the scratch, whose arrays have room for these shapes: queries, keys, values and weights have 4 bytes for each
        // element, and `p` room for the scores of two groups beside all weights. Rows are needed where keys are not.
        unsafe {
            let (o, t, p) = (ptr(&raw mut (*s).o), ptr(&raw mut (*s).t), ptr(&raw mut (*s).p));
            let nothing = Group {
                from: _mm512_setzero_si512(),
                to: _mm512_setzero_si512(),
                seen: (usize::MAX, 0),
                common: (0, usize::MAX),
                now: Gathered::none(o),
                total: Gathered::none(t),
            };
            let mut tile = Self {
                job,
                hd,
                queries: [Query::default(); MOST],
                groups: [nothing; GROUPS],
                count,
                q: ptr(&raw mut (*s).q).cast(),
                k: ptr(&raw mut (*s).k).cast(),
                v: ptr(&raw mut (*s).v).cast(),
                scores: p,
                weights: p.add(2 * BLOCK * LANES).cast(),
                rows: ptr(&raw mut (*s).k),
            };
            for (g, group) in tile.groups[..count.div_ceil(LANES)].iter_mut().enumerate() {
                let (mut from, mut to) = ([0i32; LANES], [0i32; LANES]);
                for i in 0..LANES.min(count - g * LANES) {
                    let query = Query::new(job, piece.kv_head, piece.units.start + g * LANES + i);
                    (from[i], to[i]) = (query.from as i32, query.to as i32);
                    let (seen, common) = (group.seen, group.common);
                    group.seen = (seen.0.min(query.from), seen.1.max(query.to));
                    group.common = (common.0.max(query.from), common.1.min(query.to));
                    tile.queries[g * LANES + i] = query;
                }
                group.from = _mm512_loadu_si512(from.as_ptr().cast());
                group.to = _mm512_loadu_si512(to.as_ptr().cast());
                (group.now.o, group.total.o) = (o.add(g * LANES * hd), t.add(g * LANES * hd));
            }
            tile
        }
    }

    /// Steps of a head's columns.
    fn steps(&self) -> usize {
        self.hd.div_ceil(DEPTH)
    }

    /// # Safety
    /// As [`Tiles::tile`].
    #[inline(always)]
    unsafe fn run<W: Schedule, U: MatrixUnit>(&mut self, unit: &mut U, piece: &Piece, schedule: &W) {
        let (job, hd, count) = (self.job, self.hd, self.count);
        let &Piece { kv_head, ref units, ref spans, shared, .. } = piece;
        let table = schedule.table(job, piece);
        let place = |at: usize| kv_place(table, job.c.kv_heads as usize, kv_head, at);
        let groups = count.div_ceil(LANES);
        let seen = self.groups[..groups].iter().map(|g| g.seen).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let (lo, hi) = seen.unwrap_or((0, 0));
        let seen = lo.max(spans.start * SPAN)..hi.min(spans.end.saturating_mul(SPAN));
        let then = schedule.then(job, piece, seen.start / BLOCK * BLOCK);
        // SAFETY: the caller's promise; places in the scratch are those of `new`, and whatever is read was written before.
        unsafe {
            self.take_queries();
            for span in seen.start / SPAN..seen.end.div_ceil(SPAN) {
                let (lo, hi) = (lo.max(span * SPAN), hi.min((span + 1) * SPAN));
                for group in &mut self.groups[..groups] {
                    group.now = Gathered::none(group.now.o);
                }
                for start in (lo / BLOCK * BLOCK..hi).step_by(BLOCK) {
                    let n = BLOCK.min(hi - start);
                    let at = place(start);
                    // Where the next block is, so that it comes from memory while this one is used. After the last, where the
                    // schedule goes on: a guess, which costs a block's bytes where it is wrong.
                    let next =
                        if start + BLOCK < seen.end { place(start + BLOCK) } else { then.unwrap_or(at) };
                    let here = lo.saturating_sub(start)..n;
                    by_format!(job, KEYS, Avx512, at, next, n, |read| self.keys(here.clone(), &read));
                    by_format!(job, VALUES, Avx512, at, next, n, |read| self.values(here.clone(), &read));
                    self.block(unit, start, groups);
                }
                for g in 0..groups {
                    if shared {
                        let now = self.groups[g].now;
                        self.turn(&now, _mm512_set1_ps(1.0));
                        self.each_query(g, &now, |i, query, sums| {
                            if query.spans().contains(&span) {
                                schedule.leave(job, kv_head, units.start + i, span, sums);
                            }
                        });
                    } else {
                        self.add(g, span);
                    }
                }
            }
            if !shared {
                for g in 0..groups {
                    let total = self.groups[g].total;
                    // As [`Sums::finish`] does.
                    self.turn(&total, _mm512_div_ps(_mm512_set1_ps(1.0), total.sum));
                    self.each_query(g, &total, |_, query, sums| {
                        put(job, query, std::slice::from_raw_parts(sums.o, hd));
                    });
                }
            }
        }
    }

    /// Scaled queries, as a product's second side.
    #[inline(always)]
    unsafe fn take_queries(&mut self) {
        let (job, hd, steps) = (self.job, self.hd, self.steps());
        // SAFETY: the caller's promise; bindings have the contract's shapes. A head is a multiple of 16 wide.
        unsafe {
            let scale = Avx512::splat(job.scale);
            for g in 0..self.count.div_ceil(LANES) {
                let mut from = [std::ptr::null::<f32>(); LANES];
                let of_group = self.queries[..self.count].iter().skip(g * LANES);
                for (from, query) in from.iter_mut().zip(of_group) {
                    *from = query.elements(job).as_ptr();
                }
                // The next ones: they come from far, and processors do not guess where.
                for query in self.queries[..self.count].iter().skip((g + 1) * LANES).take(LANES) {
                    for line in query.elements(job).chunks(ROW / size_of::<f32>()) {
                        Avx512::fetch(line.as_ptr().cast());
                    }
                }
                for step in 0..steps {
                    let mut parts = [[Avx512::splat(0.0); LANES]; N];
                    for i in 0..LANES.min(self.count - g * LANES) {
                        let at = |d: usize| match d < hd {
                            true => Avx512::load(from[i].add(d)).mul(scale),
                            false => Avx512::splat(0.0),
                        };
                        let both = pair::<N>(at(step * DEPTH), at(step * DEPTH + LANES));
                        for (part, v) in parts.iter_mut().zip(both) {
                            part[i] = v;
                        }
                    }
                    let to = self.q.add((g * steps + step) * N * TILE);
                    for (part, m) in parts.iter_mut().enumerate() {
                        Avx512::transpose(m);
                        for (i, m) in m.iter().enumerate() {
                            m.store(to.add(part * TILE + i * ROW).cast());
                        }
                    }
                }
            }
        }
    }

    /// A block's keys, as a product's first side. Positions that no query sees are zero: what the cache holds there may be anything, and
    /// a weight of 0 does not undo a NaN.
    #[inline(always)]
    unsafe fn keys(&mut self, seen: Range<usize>, read: &impl Fn(usize) -> Avx512) {
        // SAFETY: the caller's promise.
        unsafe {
            if seen == (0..BLOCK) {
                self.keys_of(&|_| true, read)
            } else {
                self.keys_of(&|j| seen.contains(&j), read)
            }
        }
    }

    /// The same, where `sees` says what some query sees.
    #[inline(always)]
    unsafe fn keys_of(&mut self, sees: &impl Fn(usize) -> bool, read: &impl Fn(usize) -> Avx512) {
        let hd = self.hd;
        for j in 0..BLOCK {
            for step in 0..self.steps() {
                // SAFETY: the caller's promise.
                unsafe {
                    let at = |d: usize| match d < hd && sees(j) {
                        true => read(j * hd + d),
                        false => Avx512::splat(0.0),
                    };
                    let both = pair::<N>(at(step * DEPTH), at(step * DEPTH + LANES));
                    let to = self.k.add((step * (BLOCK / ROWS) + j / ROWS) * N * TILE + j % ROWS * ROW);
                    for (part, v) in both.into_iter().enumerate() {
                        v.store(to.add(part * TILE).cast());
                    }
                }
            }
        }
    }

    /// A block's values, as a product's first side; zeros as for keys.
    #[inline(always)]
    unsafe fn values(&mut self, seen: Range<usize>, read: &impl Fn(usize) -> Avx512) {
        // SAFETY: the caller's promise.
        unsafe {
            if seen == (0..BLOCK) {
                self.values_of(&|_| true, read)
            } else {
                self.values_of(&|j| seen.contains(&j), read)
            }
        }
    }

    /// The same, where `sees` says what some query sees.
    #[inline(always)]
    unsafe fn values_of(&mut self, sees: &impl Fn(usize) -> bool, read: &impl Fn(usize) -> Avx512) {
        let hd = self.hd;
        for step in 0..BLOCK / DEPTH {
            for d in (0..hd).step_by(LANES) {
                // SAFETY: the caller's promise.
                unsafe {
                    let at = |j: usize| match sees(j) {
                        true => read(j * hd + d).0,
                        false => _mm512_setzero_ps(),
                    };
                    let mut parts = [[Avx512::splat(0.0); LANES]; N];
                    for i in 0..LANES {
                        let j = step * DEPTH + 2 * i;
                        for (part, v) in parts.iter_mut().zip(pairs::<N>(at(j), at(j + 1))) {
                            part[i] = v;
                        }
                    }
                    let to = self.v.add((step * (hd / LANES) + d / LANES) * N * TILE);
                    for (part, m) in parts.iter_mut().enumerate() {
                        Avx512::transpose(m);
                        for (i, m) in m.iter().enumerate() {
                            m.store(to.add(part * TILE + i * ROW).cast());
                        }
                    }
                }
            }
        }
    }

    /// All groups' part of the block that begins at `start`: first all scores, so that keys stay in the first-level cache, then all outputs, so
    /// that values do. A group's scores are under way while the one before becomes weights.
    #[inline(always)]
    unsafe fn block<U: MatrixUnit>(&mut self, unit: &mut U, start: usize, groups: usize) {
        let sees = |g: &Group| g.seen.0 < start + BLOCK && start < g.seen.1;
        let next = |from: usize, all: &[Group; GROUPS]| (from..groups).find(|g| sees(&all[*g]));
        let first = next(0, &self.groups);
        // SAFETY: the caller's promise.
        unsafe {
            let (mut at, mut turn) = (first, 0);
            if let Some(g) = at {
                self.score(unit, g, turn);
            }
            while let Some(g) = at {
                let then = next(g + 1, &self.groups);
                if let Some(then) = then {
                    self.score(unit, then, 1 - turn);
                }
                self.weigh(g, turn, start);
                (at, turn) = (then, 1 - turn);
            }
            at = first;
            while let Some(g) = at {
                self.gather(unit, g);
                at = next(g + 1, &self.groups);
            }
        }
    }

    /// A group's scores: keys x queries.
    #[inline(always)]
    unsafe fn score<U: MatrixUnit>(&mut self, unit: &mut U, g: usize, turn: usize) {
        // SAFETY: the caller's promise. Sums are in the unit's tiles 0 to 3, keys in 4 and 5, queries in 6 and 7.
        unsafe {
            let q = self.q.add(g * self.steps() * N * TILE);
            unit.zero::<0>();
            unit.zero::<1>();
            unit.zero::<2>();
            unit.zero::<3>();
            for step in 0..self.steps() {
                let (q, k) = (q.add(step * N * TILE), self.k.add(step * (BLOCK / ROWS) * N * TILE));
                products::<U, N>(unit, k, q, 4);
            }
            let to = self.scores.add(turn * BLOCK * LANES).cast::<u8>();
            unit.store::<0>(to, ROW);
            unit.store::<1>(to.add(TILE), ROW);
            unit.store::<2>(to.add(2 * TILE), ROW);
            unit.store::<3>(to.add(3 * TILE), ROW);
        }
    }

    /// Adds values x weights to what a group has gathered.
    #[inline(always)]
    unsafe fn gather<U: MatrixUnit>(&mut self, unit: &mut U, g: usize) {
        let (tiles, now) = (self.hd / LANES, &mut self.groups[g].now);
        // SAFETY: a group's place, as in `weigh`.
        let weights = unsafe { self.weights.add(g * (BLOCK / DEPTH) * N * TILE) };
        for first in (0..tiles).step_by(4) {
            let most = 4.min(tiles - first);
            // SAFETY: the caller's promise. Tiles as for scores, values in the place of keys.
            unsafe {
                let o = now.o.add(first * SUMS).cast::<u8>();
                macro_rules! each_sum {
                    ($do:ident $(, $by:expr)?) => {
                        unit.$do::<0>($(o, $by)?);
                        if most > 1 {
                            unit.$do::<1>($(o.add(TILE), $by)?);
                        }
                        if most > 2 {
                            unit.$do::<2>($(o.add(2 * TILE), $by)?);
                        }
                        if most > 3 {
                            unit.$do::<3>($(o.add(3 * TILE), $by)?);
                        }
                    };
                }
                if now.begun {
                    each_sum!(load, ROW);
                } else {
                    each_sum!(zero);
                }
                for step in 0..BLOCK / DEPTH {
                    let v = self.v.add((step * tiles + first) * N * TILE);
                    products::<U, N>(unit, v, weights.add(step * N * TILE), most);
                }
                each_sum!(store, ROW);
            }
        }
        now.begun = true;
    }

    /// Turns a group's scores of a block into weights, and brings what it has gathered to the same base.
    #[inline(always)]
    unsafe fn weigh(&mut self, g: usize, turn: usize, start: usize) {
        let (group, softcap) = (&mut self.groups[g], self.job.c.softcap);
        // SAFETY: the caller's promise; a lane that sees a position has its score.
        unsafe {
            let scores = self.scores.add(turn * BLOCK * LANES);
            let weights = self.weights.add(g * (BLOCK / DEPTH) * N * TILE);
            if softcap != 0 {
                for i in 0..BLOCK * LANES {
                    *scores.add(i) = capped(*scores.add(i), softcap);
                }
            }
            let all = group.common.0 <= start && start + BLOCK <= group.common.1;
            let visible = |j: usize| {
                let at = _mm512_set1_epi32((start + j) as i32);
                _mm512_mask_cmpgt_epi32_mask(_mm512_cmple_epi32_mask(group.from, at), group.to, at)
            };
            let mut greatest = [_mm512_set1_ps(f32::NEG_INFINITY); 4];
            for j in (0..BLOCK).step_by(4) {
                for (i, m) in greatest.iter_mut().enumerate() {
                    let score = _mm512_load_ps(scores.add((j + i) * LANES));
                    let seen = if all { u16::MAX } else { visible(j + i) };
                    *m = _mm512_mask_max_ps(*m, seen, *m, score);
                }
            }
            let [a, b, c, d] = greatest;
            let greatest = _mm512_max_ps(_mm512_max_ps(a, b), _mm512_max_ps(c, d));
            let base = group.now.base;
            let grown =
                _mm512_cmp_ps_mask::<_CMP_GT_OQ>(greatest, _mm512_add_ps(base, _mm512_set1_ps(SLACK)));
            if grown != 0 {
                group.now.base = _mm512_mask_mov_ps(base, grown, greatest);
                let had =
                    _mm512_mask_cmp_ps_mask::<_CMP_GT_OQ>(grown, base, _mm512_set1_ps(f32::NEG_INFINITY));
                if had != 0 {
                    let factor = Avx512(_mm512_sub_ps(base, group.now.base)).exp().0;
                    let factor = _mm512_mask_mov_ps(_mm512_set1_ps(1.0), had, factor);
                    group.now.sum = _mm512_mul_ps(group.now.sum, factor);
                    for d in 0..self.hd {
                        let o = group.now.o.add(d * LANES);
                        _mm512_store_ps(o, _mm512_mul_ps(_mm512_load_ps(o), factor));
                    }
                }
            }
            // Of lanes that see nothing yet any base will do.
            let none = _mm512_set1_ps(f32::NEG_INFINITY);
            let seeing = _mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(group.now.base, none);
            let base = _mm512_maskz_mul_ps(seeing, group.now.base, _mm512_set1_ps(LOG2_E));
            let mut sums = [_mm512_setzero_ps(); 4];
            for j in (0..BLOCK).step_by(4) {
                let mut weight = [_mm512_setzero_ps(); 4];
                for (i, w) in weight.iter_mut().enumerate() {
                    let score = _mm512_load_ps(scores.add((j + i) * LANES));
                    *w = power::<N>(score, base);
                    if !all {
                        *w = _mm512_maskz_mov_ps(visible(j + i), *w);
                    }
                    sums[i] = _mm512_add_ps(sums[i], *w);
                }
                for i in [0, 2] {
                    let at = j + i;
                    let to = weights.add(at / DEPTH * N * TILE + at % DEPTH / 2 * ROW);
                    for (part, v) in pairs::<N>(weight[i], weight[i + 1]).into_iter().enumerate() {
                        v.store(to.add(part * TILE).cast());
                    }
                }
            }
            let [a, b, c, d] = sums;
            let sum = _mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d));
            group.now.sum = _mm512_add_ps(group.now.sum, sum);
        }
    }

    /// Adds what a group has gathered from a span to what it had: of each lane that sees a position of the span, as [`Sums::add`] does, bit
    /// for bit.
    #[inline(always)]
    unsafe fn add(&mut self, g: usize, span: usize) {
        let group = &mut self.groups[g];
        if !group.now.begun {
            return;
        }
        if !group.total.begun {
            // Added to nothing, it stays what it is.
            std::mem::swap(&mut group.now, &mut group.total);
            return;
        }
        let (total, now) = (&mut group.total, &group.now);
        // SAFETY: the caller's promise; both have been gathered.
        unsafe {
            let (begin, end) = ((span * SPAN) as i32, ((span + 1) * SPAN) as i32);
            let sees = _mm512_mask_cmpgt_epi32_mask(
                _mm512_cmplt_epi32_mask(group.from, _mm512_set1_epi32(end)),
                group.to,
                _mm512_set1_epi32(begin),
            );
            let max = _mm512_max_ps(total.base, now.base);
            let none = _mm512_set1_ps(f32::NEG_INFINITY);
            let base = _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_NEQ_UQ>(max, none), max);
            let keep = Avx512(_mm512_sub_ps(total.base, base)).exp().0;
            let take = Avx512(_mm512_sub_ps(now.base, base)).exp().0;
            let sum = _mm512_add_ps(_mm512_mul_ps(total.sum, keep), _mm512_mul_ps(now.sum, take));
            total.sum = _mm512_mask_mov_ps(total.sum, sees, sum);
            total.base = _mm512_mask_mov_ps(total.base, sees, max);
            for d in 0..self.hd {
                let (o, next) = (total.o.add(d * LANES), now.o.add(d * LANES));
                let had = _mm512_load_ps(o);
                let both = _mm512_fmadd_ps(_mm512_load_ps(next), take, _mm512_mul_ps(had, keep));
                _mm512_store_ps(o, _mm512_mask_mov_ps(had, sees, both));
            }
        }
    }

    /// Puts what a group has gathered where each query has a row, times a factor of each.
    #[inline(always)]
    unsafe fn turn(&mut self, of: &Gathered, factor: __m512) {
        for d in (0..self.hd).step_by(LANES) {
            // SAFETY: the caller's promise; what was not begun is not read.
            unsafe {
                let mut m = [Avx512::splat(0.0); LANES];
                if of.begun {
                    for (i, m) in m.iter_mut().enumerate() {
                        *m = Avx512::load(of.o.add((d + i) * LANES)).mul(Avx512(factor));
                    }
                }
                Avx512::transpose(&mut m);
                for (i, m) in m.iter().enumerate() {
                    m.store(self.rows.add(i * self.hd + d));
                }
            }
        }
    }

    /// Calls `each` with a group's queries, their numbers in the piece and what they have gathered, whose rows were turned.
    #[inline(always)]
    unsafe fn each_query(&self, g: usize, of: &Gathered, mut each: impl FnMut(usize, &Query, &Sums)) {
        let (mut base, mut sum) = ([0f32; LANES], [0f32; LANES]);
        // SAFETY: the caller promises that the CPU has the level; the arrays have room.
        unsafe {
            _mm512_storeu_ps(base.as_mut_ptr(), of.base);
            _mm512_storeu_ps(sum.as_mut_ptr(), of.sum);
            for i in 0..LANES.min(self.count - g * LANES) {
                let sums = Sums { max: base[i], sum: sum[i], o: self.rows.add(i * self.hd) };
                each(g * LANES + i, &self.queries[g * LANES + i], &sums);
            }
        }
    }
}

/// Adds the products of `most` tiles at `a`, each in `N` parts, and the tile at `b` to the sums in the unit's tiles 0 to 3.
///
/// # Safety
/// The tiles are there, and the machine has the unit.
#[inline(always)]
unsafe fn products<U: MatrixUnit, const N: usize>(unit: &mut U, a: *const u8, b: *const u8, most: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        unit.load::<6>(b, ROW);
        if N == 2 {
            unit.load::<7>(b.add(TILE), ROW);
        }
        macro_rules! sum {
            ($n:literal) => {
                if most > $n {
                    let a = a.add($n * N * TILE);
                    unit.load::<4>(a, ROW);
                    unit.product::<$n, 4, 6>();
                    if N == 2 {
                        unit.product::<$n, 4, 7>();
                        unit.load::<5>(a.add(TILE), ROW);
                        unit.product::<$n, 5, 6>();
                    }
                }
            };
        }
        sum!(0);
        sum!(1);
        sum!(2);
        sum!(3);
    }
}

/// 2^(score * log2(e) - base): within 5e-5 of itself for one part, 1e-8 for two and what rounding the exponent takes. NaN stays NaN.
#[inline(always)]
unsafe fn power<const N: usize>(score: __m512, base: __m512) -> __m512 {
    /// Coefficients of 2^r, ln(2)^i / i!, from r^7's down.
    const SERIES: [f32; 7] =
        [1.525_273_4e-5, 1.540_353e-4, 1.333_355_8e-3, 9.618_129e-3, 5.550_411e-2, 0.240_226_5, LN_2];
    let degree = if N == 1 { 4 } else { 7 };
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let x = _mm512_fmsub_ps(score, _mm512_set1_ps(LOG2_E), base);
        let n = _mm512_roundscale_ps::<0>(x);
        let r = _mm512_sub_ps(x, n);
        let mut p = _mm512_set1_ps(SERIES[7 - degree]);
        for c in &SERIES[8 - degree..] {
            p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(*c));
        }
        p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0));
        _mm512_scalef_ps(p, n)
    }
}

/// 32 numbers as bf16, in one part or with what that takes from them, in the bits of f32.
#[inline(always)]
unsafe fn pair<const N: usize>(low: Avx512, high: Avx512) -> [Avx512; N] {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let wide = |v: __m256i| _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(v)));
        let numbers: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(high.0, low.0));
        let mut parts = [Avx512(_mm512_castsi512_ps(numbers)); N];
        if N == 2 {
            let low = _mm512_sub_ps(low.0, wide(_mm512_castsi512_si256(numbers)));
            let high = _mm512_sub_ps(high.0, wide(_mm512_extracti64x4_epi64::<1>(numbers)));
            let rests: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(high, low));
            parts[N - 1] = Avx512(_mm512_castsi512_ps(rests));
        }
        parts
    }
}

/// The same of 16 pairs, each of an even and an odd one.
#[inline(always)]
unsafe fn pairs<const N: usize>(even: __m512, odd: __m512) -> [Avx512; N] {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let both = columns(even, odd);
        let mut parts = [Avx512(_mm512_castsi512_ps(both)); N];
        if N == 2 {
            let even = _mm512_sub_ps(even, _mm512_castsi512_ps(_mm512_slli_epi32::<16>(both)));
            let high = _mm512_and_si512(both, _mm512_set1_epi32(0xFFFF_0000u32 as i32));
            let odd = _mm512_sub_ps(odd, _mm512_castsi512_ps(high));
            parts[N - 1] = Avx512(_mm512_castsi512_ps(columns(even, odd)));
        }
        parts
    }
}
