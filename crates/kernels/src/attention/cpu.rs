//! The CPU versions of `attention`: online softmax over fixed blocks of positions, many queries at a time.
//!
//! A *tile* is up to `QUERIES` (row, head) pairs of one KV head. For many queries a block of keys is widened to f32 and
//! transposed once per tile, a block of values widened, and both are used for every query by the same small matrix
//! product. For up to `FEW` queries a block is used too seldom to be worth writing down: keys are transposed in registers,
//! and values used as they come. Every sum has the same order either way. Blocks lie at absolute positions and each query's
//! arithmetic happens in its own lanes and order, so a row's result depends neither on the other rows nor on how work is
//! split (as long as the cache is finite: a position that another row sees meets this one with weight 0, not at all).

use super::reference::Row;
use super::{
    AttentionConsts, AttentionParams, KV_GROUP, KvFormat, capped, cpu_any, first_visible, kv_place, reference,
};
use crate::act::{self, ActFormat};
use crate::cpu::{Call, CpuFn, Level, StepView, share};
use crate::simd::{self, Lanes};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Most queries of a tile.
const QUERIES: usize = 64;
/// Queries of a tile that use keys and values as they come from the cache.
const FEW: usize = 8;
/// Positions of a block; divides the KV cache's block.
const BLOCK: usize = 64;
/// Widest head.
const MAX_DIM: usize = 256;
/// Tables of up to so many rows split their work evenly by (row, head); larger ones deal out tiles.
const FEW_ROWS: u32 = 8;

/// The version for a level. Heads that are no multiple of 16 wide, or wider than 256, take a simple one.
pub fn select(level: Level, c: &AttentionConsts) -> CpuFn {
    if level == Level::Reference {
        return reference::run;
    }
    if !c.head_dim.is_multiple_of(16) || c.head_dim as usize > MAX_DIM {
        return cpu_any::run;
    }
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 | Level::AvxVnni => avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Bf16 => avx512,
        #[cfg(target_arch = "aarch64")]
        Level::Neon | Level::NeonI8mm => neon,
        _ => portable,
    }
}

/// # Safety
/// As [`CpuFn`], for `attention`'s contract.
unsafe fn portable(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<simd::Plain, 4, 2, 1>(call, part, parts, act::cpu::store_fn(Level::Portable)) }
}

/// # Safety
/// As [`CpuFn`], for `attention`'s contract.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
unsafe fn avx2(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<simd::Avx2, 4, 2, 1>(call, part, parts, act::cpu::store_fn(Level::Avx2)) }
}

/// # Safety
/// As [`CpuFn`], for `attention`'s contract.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
unsafe fn avx512(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<simd::Avx512, 8, 4, 2>(call, part, parts, act::cpu::store_fn(Level::Avx512)) }
}

/// # Safety
/// As [`CpuFn`], for `attention`'s contract.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
unsafe fn neon(call: &Call<'_>, part: u32, parts: u32) {
    // SAFETY: the caller's promise, passed on.
    unsafe { run::<simd::Neon, 4, 2, 1>(call, part, parts, act::cpu::store_fn(Level::Neon)) }
}

/// One query of a tile.
#[derive(Clone, Copy, Default)]
struct Query {
    row: u32,
    head: u32,
    /// Positions `from..to` are visible.
    from: usize,
    to: usize,
}

/// Working memory of a tile, on the worker's stack. Never initialised as a whole.
#[repr(C, align(64))]
struct Scratch {
    /// `[queries][head_dim]`, scaled queries.
    q: [f32; QUERIES * MAX_DIM],
    /// `[head_dim][BLOCK]`, transposed keys.
    k: [f32; MAX_DIM * BLOCK],
    /// `[BLOCK][head_dim]`, values.
    v: [f32; BLOCK * MAX_DIM],
    /// `[queries][BLOCK]`, scores, then weights.
    p: [f32; QUERIES * BLOCK],
    /// `[queries][head_dim]`, weighted sums.
    o: [f32; QUERIES * MAX_DIM],
    /// `[BLOCK][head_dim / 32]`, scales of a q8_0 block.
    s: [f32; BLOCK * MAX_DIM / KV_GROUP],
}

/// What is the same for all tiles of a command.
struct Job<'a> {
    call: &'a Call<'a>,
    c: AttentionConsts,
    scale: f32,
    formats: [KvFormat; 2],
    table: &'a [u32],
    step: StepView<'a>,
    format: ActFormat,
    store: unsafe fn(ActFormat, &mut [u8], usize, usize, &[f32]),
    scratch: *mut Scratch,
}

/// Splits the command's work and runs this part's tiles. `R` rows by `V` vectors are the product's registers, or `H`
/// rows, where no more are left.
#[inline(always)]
unsafe fn run<S: Lanes, const R: usize, const H: usize, const V: usize>(
    call: &Call<'_>,
    part: u32,
    parts: u32,
    store: unsafe fn(ActFormat, &mut [u8], usize, usize, &[f32]),
) {
    let c: AttentionConsts = call.consts();
    let p: AttentionParams = call.params();
    let Some(format) = ActFormat::from_word(c.act) else { return };
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    let mut scratch = MaybeUninit::<Scratch>::uninit();
    // SAFETY: bindings 0 and 1 are the step block and the block table by the contract.
    let (step, table) = unsafe { (call.step(0), call.slice::<u32>(1, 0, call.bufs[1].len / 4)) };
    let (formats, scratch) = ([k, v], scratch.as_mut_ptr());
    let job = Job { call, c, scale: p.scale, formats, table, step, format, store, scratch };
    let rows = step.header().rows as usize;
    let (kv_heads, group) = (c.kv_heads as usize, (c.heads / c.kv_heads) as usize);
    if c.max_rows <= FEW_ROWS {
        // Units are numbered [kv head][row][head of the group]; a worker's share of one KV head is a tile.
        let per = rows * group;
        let units = share(kv_heads * per, part, parts);
        let mut u = units.start;
        while u < units.end {
            let end = units.end.min((u / per + 1) * per).min(u + QUERIES);
            // SAFETY: the caller's promise; units are distinct (row, head) pairs.
            unsafe { tile::<S, R, H, V>(&job, u / per, group, u % per..u % per + end - u) };
            u = end;
        }
        return;
    }
    // Later rows see more positions: deal tiles back and forth.
    let rows_per = (QUERIES / group).max(1);
    let tiles = rows.div_ceil(rows_per);
    for u in 0..tiles * kv_heads {
        let (round, place) = (u as u32 / parts, u as u32 % parts);
        if (if round % 2 == 0 { place } else { parts - 1 - place }) != part {
            continue;
        }
        let (t, head) = (u / kv_heads, u % kv_heads);
        let end = rows.min((t + 1) * rows_per) * group;
        let mut q = t * rows_per * group;
        while q < end {
            let next = end.min(q + QUERIES);
            // SAFETY: the caller's promise; tiles are distinct (row, head) pairs.
            unsafe { tile::<S, R, H, V>(&job, head, group, q..next) };
            q = next;
        }
    }
}

/// Runs `$body` with `$read`, which gives 16 elements of one side of the cache, from an element of the block at `$at` on, as
/// numbers. The first `$end` positions of the block exist.
///
/// Needs `unsafe`, as [`CpuFn`]: a block lies inside one tile of the cache, whose place comes from the block table; the
/// scratch has room for its scales, a multiple of 16 of them; lanes have the caller's level.
macro_rules! by_format {
    ($job:expr, $side:expr, $lanes:ty, $at:expr, $end:expr, |$read:ident| $body:expr) => {{
        let hd = $job.c.head_dim as usize;
        let (values, scales) = $job.formats[$side].bytes_of(hd, $at);
        let base = $job.call.bufs[3 + $side].ptr;
        let from = base.add(values.start);
        match $job.formats[$side] {
            KvFormat::F16 => {
                let $read = |e: usize| <$lanes>::load_f16(from.cast::<half::f16>().add(e));
                $body
            }
            KvFormat::Bf16 => {
                let $read = |e: usize| <$lanes>::load_bf16(from.cast::<half::bf16>().add(e));
                $body
            }
            KvFormat::F32 => {
                let $read = |e: usize| <$lanes>::load(from.cast::<f32>().add(e));
                $body
            }
            KvFormat::Q8_0 => {
                let (s, f16s) = (ptr(&raw mut (*$job.scratch).s), base.add(scales.start).cast::<half::f16>());
                for i in (0..$end * hd / KV_GROUP).step_by(16) {
                    <$lanes>::load_f16(f16s.add(i)).store(s.add(i));
                }
                // A head is a multiple of 32 wide, so element e of the block is in group e / 32.
                let $read = |e: usize| {
                    <$lanes>::load_i8(from.cast::<i8>().add(e)).mul(<$lanes>::splat(*s.add(e / KV_GROUP)))
                };
                $body
            }
        }
    }};
}

/// Attention of the queries `units` of KV head `kv_head`, numbered [row][head of the group].
///
/// # Safety
/// As [`CpuFn`]; the pairs belong to this part; at most [`QUERIES`].
#[inline(always)]
unsafe fn tile<S: Lanes, const R: usize, const H: usize, const V: usize>(
    job: &Job<'_>,
    kv_head: usize,
    group: usize,
    units: Range<usize>,
) {
    let c = &job.c;
    let (hd, count) = (c.head_dim as usize, units.len());
    let width = (c.heads + 2 * c.kv_heads) as usize * hd;
    let mut queries = [Query::default(); QUERIES];
    let mut max = [f32::NEG_INFINITY; QUERIES];
    let mut sum = [0f32; QUERIES];
    let (mut lo, mut hi) = (usize::MAX, 0);
    // SAFETY: offsets into the scratch are below its arrays' sizes because count <= QUERIES, hd <= MAX_DIM and
    // blocks have BLOCK positions; bindings have the contract's shapes; lanes have the caller's level.
    unsafe {
        let s = job.scratch;
        let (q, k, v) = (ptr(&raw mut (*s).q), ptr(&raw mut (*s).k), ptr(&raw mut (*s).v));
        let (p, o) = (ptr(&raw mut (*s).p), ptr(&raw mut (*s).o));
        for (i, u) in units.enumerate() {
            let (row, head) = (u / group, kv_head * group + u % group);
            let pos = job.step.row(row as u32).pos as usize;
            let from = first_visible(pos, c.window);
            queries[i] = Query { row: row as u32, head: head as u32, from, to: pos + 1 };
            (lo, hi) = (lo.min(from), hi.max(pos + 1));
            let src = job.call.slice::<f32>(2, row * width + head * hd, hd);
            for d in (0..hd).step_by(16) {
                S::load(src.as_ptr().add(d)).mul(S::splat(job.scale)).store(q.add(i * hd + d));
                S::splat(0.0).store(o.add(i * hd + d));
            }
        }
        // A product takes H rows as fast as two; queries of zeros fill up the last H, or the next power of two.
        let padded = if count > FEW { count.next_multiple_of(H) } else { count.next_power_of_two() };
        for i in count..padded {
            for d in (0..hd).step_by(16) {
                S::splat(0.0).store(q.add(i * hd + d));
                S::splat(0.0).store(o.add(i * hd + d));
            }
        }
        for start in (lo / BLOCK * BLOCK..hi).step_by(BLOCK) {
            let n = BLOCK.min(hi - start);
            let at = kv_place(job.table, c.kv_heads as usize, kv_head, start);
            let seen = lo.saturating_sub(start)..n;
            if count > FEW {
                by_format!(job, KEYS, S, at, n, |read| transposed(hd, seen.clone(), k, &read));
                by_format!(job, VALUES, S, at, n, |read| widened(hd, seen.clone(), v, &read));
                product::<S, R, H, V, 0>(padded, q, hd, k, BLOCK, hd, p, BLOCK, n.div_ceil(16));
            } else {
                by_format!(job, KEYS, S, at, n, |read| match padded {
                    1 => scores::<S, 1>(hd, seen.clone(), q, p, &read),
                    2 => scores::<S, 2>(hd, seen.clone(), q, p, &read),
                    3..=4 => scores::<S, 4>(hd, seen.clone(), q, p, &read),
                    _ => scores::<S, FEW>(hd, seen.clone(), q, p, &read),
                });
            }
            for (i, query) in queries[..count].iter().enumerate() {
                let visible = query.from.saturating_sub(start).min(n)..query.to.saturating_sub(start).min(n);
                let (p, o) = (p.add(i * BLOCK), o.add(i * hd));
                if c.softcap != 0 {
                    for j in visible.clone() {
                        *p.add(j) = capped(*p.add(j), c.softcap);
                    }
                }
                softmax::<S>(p, visible, o, hd, &mut max[i], &mut sum[i]);
            }
            if count > FEW {
                product::<S, R, H, V, 1>(padded, p, BLOCK, v, hd, n, o, hd, hd / 16);
            } else {
                let seen = seen.clone();
                by_format!(job, VALUES, S, at, n, |read| gather::<S, H, V>(hd, seen, count, p, o, &read));
            }
        }
        for (i, query) in queries[..count].iter().enumerate() {
            let o = o.add(i * hd);
            let inv = S::splat(1.0 / sum[i]);
            for d in (0..hd).step_by(16) {
                S::load(o.add(d)).mul(inv).store(o.add(d));
            }
            put(job, query, std::slice::from_raw_parts(o, hd));
        }
    }
}

/// The first element of an array.
fn ptr<const N: usize>(a: *mut [f32; N]) -> *mut f32 {
    a.cast()
}

/// Stores one head's output in the activation format, touching only that head's bytes.
///
/// # Safety
/// The query is this part's.
unsafe fn put(job: &Job<'_>, query: &Query, out: &[f32]) {
    let (k, hd) = ((job.c.heads * job.c.head_dim) as usize, job.c.head_dim as usize);
    let row = Row { call: job.call, binding: 5, format: job.format, row: query.row as usize, k };
    let at = query.head as usize * hd;
    // SAFETY: the caller's promise; the version has the machine's level.
    unsafe { (job.store)(job.format, row.bytes(at..at + hd), hd, 0, out) }
}

/// Which side of the cache; the K cache is binding 3, the V cache the next.
const KEYS: usize = 0;
const VALUES: usize = 1;

/// Puts a block's values to `to`. Positions that no query sees are zero: what the cache holds there may be anything, and a
/// weight of 0 does not undo a NaN.
///
/// # Safety
/// `read` gives the block's elements, `to` holds BLOCK positions; lanes have the caller's level.
#[inline(always)]
unsafe fn widened<S: Lanes>(hd: usize, seen: Range<usize>, to: *mut f32, read: &impl Fn(usize) -> S) {
    for e in (0..seen.end * hd).step_by(16) {
        // SAFETY: the caller's promise.
        unsafe { (if e < seen.start * hd { S::splat(0.0) } else { read(e) }).store(to.add(e)) };
    }
}

/// Puts a block's keys to `to`, transposed; zeros as for values.
///
/// # Safety
/// As [`widened`].
#[inline(always)]
unsafe fn transposed<S: Lanes>(hd: usize, seen: Range<usize>, to: *mut f32, read: &impl Fn(usize) -> S) {
    for j in (0..seen.end).step_by(16) {
        for d in (0..hd).step_by(16) {
            // SAFETY: the caller's promise.
            unsafe {
                let mut m = [S::splat(0.0); 16];
                for i in seen.start.max(j)..seen.end.min(j + 16) {
                    m[i - j] = read(i * hd + d);
                }
                S::transpose(&mut m);
                for (i, m) in m.into_iter().enumerate() {
                    m.store(to.add((d + i) * BLOCK + j));
                }
            }
        }
    }
}

/// Scores `[N][BLOCK]` of the positions that any query sees, from keys transposed in registers: each sum in the order of
/// columns, as [`product`] has it.
///
/// # Safety
/// `read` gives the block's keys; q is `[N][hd]` and p `[N][BLOCK]`; lanes have the caller's level.
#[inline(always)]
unsafe fn scores<S: Lanes, const N: usize>(
    hd: usize,
    seen: Range<usize>,
    q: *const f32,
    p: *mut f32,
    read: &impl Fn(usize) -> S,
) {
    for j in (0..seen.end).step_by(16) {
        // SAFETY: the caller's promise.
        unsafe {
            let mut sum = [S::splat(0.0); N];
            for d in (0..hd).step_by(16) {
                let mut m = [S::splat(0.0); 16];
                for i in seen.start.max(j)..seen.end.min(j + 16) {
                    m[i - j] = read(i * hd + d);
                }
                S::transpose(&mut m);
                for (i, m) in m.into_iter().enumerate() {
                    for n in 0..N {
                        sum[n] = S::splat(*q.add(n * hd + d + i)).fma(m, sum[n]);
                    }
                }
            }
            for n in 0..N {
                sum[n].store(p.add(n * BLOCK + j));
            }
        }
    }
}

/// Adds a block's values, weighted, to `[queries][hd]` sums, `H`, 2 or 1 queries at a time.
///
/// # Safety
/// `read` gives the block's values; p is `[count][BLOCK]` and o `[count][hd]`; lanes have the caller's level.
#[inline(always)]
unsafe fn gather<S: Lanes, const H: usize, const V: usize>(
    hd: usize,
    seen: Range<usize>,
    count: usize,
    p: *const f32,
    o: *mut f32,
    read: &impl Fn(usize) -> S,
) {
    let mut i = 0;
    while i < count {
        // SAFETY: the caller's promise.
        unsafe {
            let (p, o) = (p.add(i * BLOCK), o.add(i * hd));
            i += match count - i {
                n if n >= H => some_gather::<S, H, V>(hd, seen.clone(), p, o, read),
                2.. => some_gather::<S, 2, V>(hd, seen.clone(), p, o, read),
                _ => some_gather::<S, 1, V>(hd, seen.clone(), p, o, read),
            };
        }
    }
}

/// [`gather`] for `N` queries, two times `V` vectors of columns at a time; gives `N`.
///
/// # Safety
/// As [`gather`].
#[inline(always)]
unsafe fn some_gather<S: Lanes, const N: usize, const V: usize>(
    hd: usize,
    seen: Range<usize>,
    p: *const f32,
    o: *mut f32,
    read: &impl Fn(usize) -> S,
) -> usize {
    let mut d = 0;
    while d < hd {
        // SAFETY: the caller's promise; as many vectors of the head are left.
        d += unsafe {
            match (hd - d) / 16 {
                n if n >= 2 * V => columns::<S, N, V, 2>(hd, d, seen.clone(), p, o, read),
                n if n >= V => columns::<S, N, V, 1>(hd, d, seen.clone(), p, o, read),
                _ => columns::<S, N, 1, 1>(hd, d, seen.clone(), p, o, read),
            }
        };
    }
    N
}

/// [`gather`] for `N` queries and `V` times `T` vectors of columns from d on; gives the number of columns.
///
/// # Safety
/// As [`gather`].
#[inline(always)]
unsafe fn columns<S: Lanes, const N: usize, const V: usize, const T: usize>(
    hd: usize,
    d: usize,
    seen: Range<usize>,
    p: *const f32,
    o: *mut f32,
    read: &impl Fn(usize) -> S,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        let mut sum = [[[S::splat(0.0); V]; T]; N];
        for n in 0..N {
            for t in 0..T {
                for v in 0..V {
                    sum[n][t][v] = S::load(o.add(n * hd + d + 16 * (t * V + v)));
                }
            }
        }
        for i in seen {
            for t in 0..T {
                for v in 0..V {
                    let value = read(i * hd + d + 16 * (t * V + v));
                    for n in 0..N {
                        sum[n][t][v] = S::splat(*p.add(n * BLOCK + i)).fma(value, sum[n][t][v]);
                    }
                }
            }
        }
        for n in 0..N {
            for t in 0..T {
                for v in 0..V {
                    sum[n][t][v].store(o.add(n * hd + d + 16 * (t * V + v)));
                }
            }
        }
    }
    16 * T * V
}

/// Turns one query's scores of a block into weights, and rescales what it has gathered so far.
#[inline(always)]
unsafe fn softmax<S: Lanes>(
    p: *mut f32,
    visible: Range<usize>,
    o: *mut f32,
    hd: usize,
    max: &mut f32,
    sum: &mut f32,
) {
    // SAFETY: `p` has BLOCK elements and `o` hd; lanes have the caller's level.
    unsafe {
        if visible.is_empty() {
            for j in (0..BLOCK).step_by(16) {
                S::splat(0.0).store(p.add(j));
            }
            return;
        }
        for j in (0..visible.start).chain(visible.end..BLOCK) {
            *p.add(j) = f32::NEG_INFINITY;
        }
        let mut m = S::load(p);
        for j in (16..BLOCK).step_by(16) {
            m = m.max(S::load(p.add(j)));
        }
        let new = max.max(m.reduce_max());
        let mut correction = [0f32; 16];
        S::splat(*max - new).exp().store(correction.as_mut_ptr());
        let correction = correction[0];
        let mut total = S::splat(0.0);
        for j in (0..BLOCK).step_by(16) {
            let e = S::load(p.add(j)).sub(S::splat(new)).exp();
            e.store(p.add(j));
            total = total.add(e);
        }
        *sum = *sum * correction + total.reduce_add();
        *max = new;
        for d in (0..hd).step_by(16) {
            S::load(o.add(d)).mul(S::splat(correction)).store(o.add(d));
        }
    }
}

/// c `[rows][16 vectors]` = a `[rows][inner]` x b `[inner][16 vectors]`, plus what c holds if `KEEP` is 1.
/// `R` or `H` rows and `V` vectors at a time; the arithmetic of an element does not depend on that split.
#[inline(always)]
unsafe fn product<S: Lanes, const R: usize, const H: usize, const V: usize, const KEEP: u32>(
    rows: usize,
    a: *const f32,
    a_stride: usize,
    b: *const f32,
    b_stride: usize,
    inner: usize,
    c: *mut f32,
    c_stride: usize,
    vectors: usize,
) {
    let mut v = 0;
    while v < vectors {
        let wide = vectors - v >= V;
        let mut r = 0;
        while r < rows {
            let left = rows - r;
            let step = if left >= R { R } else { left.min(H) };
            // SAFETY: the caller's arrays have these shapes; lanes have the caller's level.
            unsafe {
                let (a, b, c) = (a.add(r * a_stride), b.add(v * 16), c.add(r * c_stride + v * 16));
                match (step, wide) {
                    (n, true) if n == R => {
                        micro::<S, R, V, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride)
                    }
                    (n, false) if n == R => {
                        micro::<S, R, 1, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride)
                    }
                    (n, true) if n == H => {
                        micro::<S, H, V, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride)
                    }
                    (n, false) if n == H => {
                        micro::<S, H, 1, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride)
                    }
                    (_, true) => micro::<S, 1, V, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride),
                    (_, false) => micro::<S, 1, 1, KEEP>(a, a_stride, b, b_stride, inner, c, c_stride),
                }
            }
            r += step;
        }
        v += if wide { V } else { 1 };
    }
}

#[inline(always)]
unsafe fn micro<S: Lanes, const R: usize, const V: usize, const KEEP: u32>(
    a: *const f32,
    a_stride: usize,
    b: *const f32,
    b_stride: usize,
    inner: usize,
    c: *mut f32,
    c_stride: usize,
) {
    // SAFETY: the caller's arrays hold R rows and V vectors; lanes have the caller's level.
    unsafe {
        let mut acc = [[S::splat(0.0); V]; R];
        if KEEP == 1 {
            for r in 0..R {
                for v in 0..V {
                    acc[r][v] = S::load(c.add(r * c_stride + v * 16));
                }
            }
        }
        for i in 0..inner {
            let mut w = [S::splat(0.0); V];
            for v in 0..V {
                w[v] = S::load(b.add(i * b_stride + v * 16));
            }
            for r in 0..R {
                let x = S::splat(*a.add(r * a_stride + i));
                for v in 0..V {
                    acc[r][v] = x.fma(w[v], acc[r][v]);
                }
            }
        }
        for r in 0..R {
            for v in 0..V {
                acc[r][v].store(c.add(r * c_stride + v * 16));
            }
        }
    }
}
