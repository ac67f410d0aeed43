//! What a tile of attention is: what it works on, which pieces of a command a part does, and what queries gather.
//!
//! A *tile* is up to [`Job::most`] (row, head) pairs of one KV head, in vector registers (`cpu_lanes`) or on a matrix unit (`cpu_units`).
//! Positions are gathered span by span ([`SPAN`]), each from nothing, and spans are added up in their order. Blocks and spans lie at absolute positions and each
//! query's arithmetic happens in its own lanes and order, so a row's result depends neither on the other rows nor on how work
//! is split: who adds up a query's spans, and whether they come from memory, makes no difference. (As long as the cache is
//! finite: a position that another row sees meets this one with weight 0, not at all.)

use super::{AttentionConsts, AttentionParams, SPAN, first_visible};
use crate::act::cpu::Row;
use crate::act::{self, ActFormat};
use crate::cpu::{Call, StepView};
use crate::kv::{KV_GROUP, KvFormat, KvPlace};
use crate::simd::Lanes;
use crate::step::Block;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Widest head.
pub(super) const MAX_DIM: usize = 256;
/// Most queries of a tile in vector registers.
pub(super) const QUERIES: usize = 128;
/// Positions of a block; divides a span.
pub(crate) const BLOCK: usize = 64;
const _: () = assert!(SPAN.is_multiple_of(BLOCK));

/// Which pieces of a command a part does. Pieces are distinct (row, head, span) triples, and all parts' are the whole command.
pub(crate) trait Schedule {
    /// The schedule of part `part` of `parts`.
    fn new(job: &Job<'_>, part: u32, parts: u32) -> Self;

    /// The next piece.
    fn next(&mut self, job: &Job<'_>) -> Option<Piece>;

    /// The block table of a piece's queries.
    fn table<'a>(&self, job: &Job<'a>, _piece: &Piece) -> &'a [Block] {
        job.table
    }

    /// Where what most likely follows a piece begins; the piece itself begins at the block of positions from `from` on.
    fn then(&self, _job: &Job<'_>, _piece: &Piece, _from: usize) -> Option<KvPlace> {
        None
    }

    /// Takes what a query of a [shared](Piece::shared) piece, by its number, has gathered from a span.
    ///
    /// # Safety
    /// The query and span are this part's, which has not ended the KV head; the sums have the head's width.
    unsafe fn leave(&self, _job: &Job<'_>, _kv_head: usize, _query: usize, _span: usize, _sums: &Sums) {}

    /// Follows the [last](Piece::last) piece of a shared KV head.
    ///
    /// # Safety
    /// This part has left all that it has of the head; lanes have the caller's level.
    unsafe fn end<S: Lanes>(&self, _job: &Job<'_>, _kv_head: usize) {}
}

/// One query.
#[derive(Clone, Copy, Default)]
pub(crate) struct Query {
    row: u32,
    head: u32,
    /// Positions `from..to` are visible.
    pub(super) from: usize,
    pub(super) to: usize,
}

impl Query {
    /// Number `unit` of a KV head, counted [row][head of the group].
    pub(crate) fn new(job: &Job<'_>, kv_head: usize, unit: usize) -> Self {
        let group = job.group();
        let (row, head) = (unit / group, kv_head * group + unit % group);
        let pos = job.step.row(row as u32).pos.index();
        let from = first_visible(pos, job.c.window);
        Self { row: row as u32, head: head as u32, from, to: pos + 1 }
    }

    /// The elements of the queries from its first one on.
    ///
    /// # Safety
    /// Binding 2 has the contract's shape.
    pub(super) unsafe fn elements<'a>(&self, job: &Job<'a>) -> &'a [f32] {
        let c = &job.c;
        let (hd, width) = (c.head_dim as usize, ((c.heads + 2 * c.kv_heads) * c.head_dim) as usize);
        // SAFETY: the caller's promise.
        unsafe { job.call.slice(2, self.row as usize * width + self.head as usize * hd, hd) }
    }

    /// The spans that it sees a position of.
    pub(crate) fn spans(&self) -> Range<usize> {
        self.from / SPAN..self.to.div_ceil(SPAN)
    }
}

/// What scores are taken relative to: the greatest, unless all are minus infinity, whose weights are 0 and not NaN.
pub(super) fn base(max: f32) -> f32 {
    if max == f32::NEG_INFINITY { 0.0 } else { max }
}

/// What a query has gathered from some positions: their greatest score, the sum of their weights, the weighted sum of
/// their values. Weights are relative to the greatest score.
#[derive(Clone, Copy)]
pub(crate) struct Sums {
    pub(crate) max: f32,
    pub(crate) sum: f32,
    /// `[head_dim]`.
    pub(crate) o: *mut f32,
}

impl Sums {
    /// Nothing yet.
    ///
    /// # Safety
    /// `o` has room for the head; lanes have the caller's level.
    #[inline(always)]
    pub(crate) unsafe fn none<S: Lanes>(hd: usize, o: *mut f32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { zero::<S>(hd, o) };
        Self { max: f32::NEG_INFINITY, sum: 0.0, o }
    }

    /// Adds what was gathered from the next span, which has a visible position.
    ///
    /// # Safety
    /// As [`Self::none`].
    #[inline(always)]
    pub(crate) unsafe fn add<S: Lanes>(&mut self, hd: usize, next: &Self) {
        // SAFETY: the caller's promise.
        unsafe {
            let max = self.max.max(next.max);
            let base = base(max);
            let mut factors = [[0f32; 16]; 2];
            S::splat(self.max - base).exp().store(factors[0].as_mut_ptr());
            S::splat(next.max - base).exp().store(factors[1].as_mut_ptr());
            let [keep, take] = factors.map(|f| f[0]);
            self.sum = self.sum * keep + next.sum * take;
            self.max = max;
            for d in (0..hd).step_by(16) {
                let kept = S::load(self.o.add(d)).mul(S::splat(keep));
                S::load(next.o.add(d)).fma(S::splat(take), kept).store(self.o.add(d));
            }
        }
    }

    /// Divides by the sum of the weights and stores the query's output.
    ///
    /// # Safety
    /// As [`Self::none`]; the query is this part's.
    #[inline(always)]
    pub(crate) unsafe fn finish<S: Lanes>(&self, job: &Job<'_>, query: &Query) {
        let hd = job.c.head_dim as usize;
        // SAFETY: the caller's promise.
        unsafe {
            let inv = S::splat(1.0 / self.sum);
            for d in (0..hd).step_by(16) {
                S::load(self.o.add(d)).mul(inv).store(self.o.add(d));
            }
            put(job, query, std::slice::from_raw_parts(self.o, hd));
        }
    }
}

/// Working memory of a tile, on the worker's stack. Never initialised as a whole.
#[repr(C, align(64))]
pub(super) struct Scratch {
    /// `[queries][head_dim]`, scaled queries, in whatever form.
    pub(super) q: [f32; QUERIES * MAX_DIM],
    /// `[head_dim][BLOCK]`, transposed keys, or another form of them.
    pub(super) k: [f32; MAX_DIM * BLOCK],
    /// `[BLOCK][head_dim]`, values, or another form of them.
    pub(super) v: [f32; BLOCK * MAX_DIM],
    /// `[queries][BLOCK]`, scores, then weights; on a matrix unit weights, after scores of 32 queries.
    pub(super) p: [f32; (2 * QUERIES + 32) * BLOCK],
    /// `[queries][head_dim]`, weighted sums of a span.
    pub(super) o: [f32; QUERIES * MAX_DIM],
    /// `[queries][head_dim]`, weighted sums of all spans so far.
    pub(super) t: [f32; QUERIES * MAX_DIM],
    /// `[BLOCK][head_dim / 32]`, scales of a q8_0 block.
    pub(super) s: [f32; BLOCK * MAX_DIM / KV_GROUP],
}

/// What is the same for all tiles of a command.
pub(crate) struct Job<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) c: AttentionConsts,
    pub(super) scale: f32,
    pub(super) formats: [KvFormat; 2],
    /// The whole binding.
    pub(crate) table: &'a [Block],
    pub(crate) step: StepView<'a>,
    format: ActFormat,
    store: act::cpu::StoreFn,
    pub(super) scratch: *mut Scratch,
    /// The most queries of a piece.
    pub(crate) most: usize,
}

impl Job<'_> {
    /// Query heads of a KV head.
    pub(crate) fn group(&self) -> usize {
        (self.c.heads / self.c.kv_heads) as usize
    }

    /// Active rows.
    pub(crate) fn rows(&self) -> usize {
        self.step.header().rows as usize
    }

    /// Where a head's sums can be added up: room for one, which tiles use too.
    pub(crate) fn room(&self) -> *mut f32 {
        // SAFETY: inside the scratch, which the job has.
        ptr(unsafe { &raw mut (*self.scratch).t })
    }
}

/// How a tile's queries meet keys and values, whatever multiplies them.
///
/// # Safety
/// All methods need the level of the lanes, and of the kind itself.
pub(super) trait Tiles {
    /// What it has its sums in.
    type Lanes: Lanes;

    /// The most queries of a tile, with heads so wide.
    fn most(_hd: usize) -> usize {
        QUERIES
    }

    /// For all tiles of a part.
    unsafe fn begin() -> Self;

    /// Attention of a piece. What shared queries gather from each span is left with the schedule; of others, spans are added up.
    ///
    /// # Safety
    /// As [`CpuFn`]; the piece is this part's.
    unsafe fn tile<W: Schedule>(&mut self, job: &Job<'_>, piece: &Piece, schedule: &W);
}

/// Runs this part's tiles.
#[inline(always)]
pub(super) unsafe fn run<W: Schedule, T: Tiles>(
    call: &Call<'_>,
    part: u32,
    parts: u32,
    store: act::cpu::StoreFn,
) {
    let c: AttentionConsts = call.consts();
    let p: AttentionParams = call.params();
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    let mut scratch = MaybeUninit::<Scratch>::uninit();
    // SAFETY: bindings 0 and 1 are the step block and the block table by the contract.
    let (step, table) = unsafe { (call.step(0), call.slice::<Block>(1, 0, call.bufs[1].len / 4)) };
    let (formats, scratch) = ([k, v], scratch.as_mut_ptr());
    let most = T::most(c.head_dim as usize);
    let job = Job { call, c, scale: p.scale, formats, table, step, format, store, scratch, most };
    let mut schedule = W::new(&job, part, parts);
    // SAFETY: the function was chosen for the machine's level.
    let mut tiles = unsafe { T::begin() };
    while let Some(piece) = schedule.next(&job) {
        // SAFETY: the caller's promise; pieces are distinct, of all parts.
        unsafe { tiles.tile(&job, &piece, &schedule) };
        if piece.last {
            // SAFETY: this part has left all that it has of the head.
            unsafe { schedule.end::<T::Lanes>(&job, piece.kv_head) };
        }
    }
}

/// Work for one tile.
pub(crate) struct Piece {
    pub(crate) kv_head: usize,
    /// Queries of the KV head, numbered [row][head of the group]; at most [`Job::most`].
    pub(crate) units: Range<usize>,
    /// Spans to gather from; those that no query sees are passed over.
    pub(crate) spans: Range<usize>,
    /// Whether other parts have the other spans of these queries, so that what they gathered is left for later.
    pub(crate) shared: bool,
    /// Whether this part has nothing more of a KV head that it shares.
    pub(crate) last: bool,
}

/// Runs `$body` with `$read`, which gives 16 elements of one side of the cache, from an element of the block at `$at` on, as
/// numbers, and asks for the same ones of the block at `$next`: processors find out by themselves what comes next, but
/// stop at the end of each page, which is after 32 positions of an f16 head of 64. The first `$end` positions of the
/// block exist.
///
/// Needs `unsafe`, as [`CpuFn`]: a block lies inside one tile of the cache, whose place comes from the block table; the
/// scratch has room for its scales, a multiple of 16 of them; lanes have the caller's level.
macro_rules! by_format {
    ($job:expr, $side:expr, $lanes:ty, $at:expr, $next:expr, $end:expr, |$read:ident| $body:expr) => {{
        let hd = $job.c.head_dim as usize;
        let (values, scales) = $job.formats[$side].bytes_of(hd, $at);
        let base = $job.call.bufs[3 + $side].ptr;
        let from = base.add(values.start);
        let (values_then, scales_then) = $job.formats[$side].bytes_of(hd, $next);
        let ahead = base.wrapping_add(values_then.start);
        match $job.formats[$side] {
            KvFormat::F16 => {
                let $read = |e: usize| {
                    <$lanes>::fetch(ahead.wrapping_add(e * size_of::<half::f16>()));
                    <$lanes>::load_f16(from.cast::<half::f16>().add(e))
                };
                $body
            }
            KvFormat::Bf16 => {
                let $read = |e: usize| {
                    <$lanes>::fetch(ahead.wrapping_add(e * size_of::<half::bf16>()));
                    <$lanes>::load_bf16(from.cast::<half::bf16>().add(e))
                };
                $body
            }
            KvFormat::F32 => {
                let $read = |e: usize| {
                    <$lanes>::fetch(ahead.wrapping_add(e * size_of::<f32>()));
                    <$lanes>::load(from.cast::<f32>().add(e))
                };
                $body
            }
            KvFormat::Q8_0 => {
                let (s, f16s) = (ptr(&raw mut (*$job.scratch).s), base.add(scales.start).cast::<half::f16>());
                for i in (0..$end * hd / KV_GROUP).step_by(16) {
                    <$lanes>::fetch(base.wrapping_add(scales_then.start + 2 * i));
                    <$lanes>::load_f16(f16s.add(i)).store(s.add(i));
                }
                // A head is a multiple of 32 wide, so element e of the block is in group e / 32.
                let $read = |e: usize| {
                    <$lanes>::fetch(ahead.wrapping_add(e));
                    <$lanes>::load_i8(from.cast::<i8>().add(e)).mul(<$lanes>::splat(*s.add(e / KV_GROUP)))
                };
                $body
            }
        }
    }};
}
pub(super) use by_format;

/// Zeros for a head.
///
/// # Safety
/// `to` has room for it, a multiple of 16; lanes have the caller's level.
#[inline(always)]
pub(super) unsafe fn zero<S: Lanes>(hd: usize, to: *mut f32) {
    for d in (0..hd).step_by(16) {
        // SAFETY: the caller's promise.
        unsafe { S::splat(0.0).store(to.add(d)) };
    }
}

/// The first element of an array.
pub(super) fn ptr<const N: usize>(a: *mut [f32; N]) -> *mut f32 {
    a.cast()
}

/// Stores one head's output in the activation format, touching only that head's bytes.
///
/// # Safety
/// The query is this part's.
pub(super) unsafe fn put(job: &Job<'_>, query: &Query, out: &[f32]) {
    let (k, hd) = ((job.c.heads * job.c.head_dim) as usize, job.c.head_dim as usize);
    let row = Row { call: job.call, binding: 5, format: job.format, row: query.row as usize, k };
    let at = query.head as usize * hd;
    // SAFETY: the caller's promise; the version has the machine's level.
    unsafe { (job.store)(job.format, row.bytes(at..at + hd), 0, out) }
}

/// Which side of the cache; the K cache is binding 3, the V cache the next.
pub(super) const KEYS: usize = 0;
pub(super) const VALUES: usize = 1;
