//! Loops of tile kernels over rows and tiles: of few rows, of passes of many, and by panels.

#[cfg(target_arch = "x86_64")]
use super::cpu_tile::Gated;
use super::cpu_tile::{
    Job, LANES, Ladder, MAX_OUT, Out, PANEL_SUB, PANEL_TILES, Panel, Panels, SLAB, Step, Tile,
};
#[cfg(target_arch = "x86_64")]
use crate::glu::cpu::{GateRows, GatesFn};
#[cfg(target_arch = "x86_64")]
use std::arch::asm;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Activation bytes that one pass over the weights keeps in the second-level cache.
const CACHED_X: usize = 1 << 20;
/// Rows of a pass at least, so that weights are not read too often where rows are long.
const PASS_ROWS: usize = 96;
/// Rows of a pass at most: those of a prompt's step, 512, in one pass of kernels that take three or four at a time.
pub(super) const MOST_ROWS: usize = 516;

/// Rows of a pass: as many as stay in the second-level cache, a multiple of `step`.
fn pass_rows(x_stride: usize, step: usize) -> usize {
    (CACHED_X / x_stride).clamp(PASS_ROWS, MOST_ROWS) / step * step
}

/// Rows whose products take about as long as what a tile kernel does once, whatever its rows: it unpacks the tile's weights. (2.3 rows of `q8`
/// inputs by `matmul_bench` at AVX-512.)
const ONCE: usize = 2;

/// The first kernel for `left` rows: at least one row, and less than twice what the largest kernel takes. One or two kernels take them all: those of the
/// least estimated time, of equals those of fewest rows, then the more even pair (8 rows as 4 and 4, not as 6 and 2). A kernel may be for more rows
/// than are left where the input has `room` for them, and its results for the others are dropped: 5 rows go to the kernel for 6, not to those for 3 and 2.
fn next(steps: &[Step], left: usize, room: usize) -> Option<&Step> {
    let alone = steps.iter().filter(|s| s.rows >= left).map(|s| (1, s.rows, s));
    let pairs = steps.iter().filter(|s| s.rows < left).flat_map(|s| {
        let others = steps.iter().filter(|o| o.rows <= s.rows && s.rows + o.rows >= left);
        others.map(move |o| (2, s.rows + o.rows, s))
    });
    let fitting = alone.chain(pairs).filter(|(_, rows, _)| *rows <= room);
    let best = fitting.min_by_key(|(kernels, rows, s)| (kernels * ONCE + rows, *rows, s.rows));
    best.map(|(_, _, s)| s).or_else(|| steps.iter().find(|s| s.rows <= left))
}

/// More kernels than take less than twice the largest one's rows, of the ladders in use (four at most).
const REST: usize = 8;

/// Kernels that take some rows: as many of the largest as leave less than two of them, then those that [`next`] chooses.
struct Cuts<'a> {
    most: &'a Step,
    whole: usize,
    rest: [Option<(&'a Step, usize)>; REST],
}

impl<'a> Cuts<'a> {
    /// Of `rows` rows of an input that has `room`.
    fn of(steps: &'a [Step], rows: usize, room: usize) -> Option<Self> {
        let most = steps.first()?;
        let whole = (rows / most.rows).saturating_sub(1);
        let (mut taken, mut rest) = (whole * most.rows, [None; REST]);
        for place in &mut rest {
            if taken == rows {
                break;
            }
            let step = next(steps, rows - taken, room.saturating_sub(taken))?;
            let own = step.rows.min(rows - taken);
            *place = Some((step, own));
            taken += own;
        }
        assert_eq!(taken, rows, "a ladder whose kernels differ too much");
        Some(Self { most, whole, rest })
    }

    /// Each kernel, its first row and its number of rows.
    fn each(&self) -> impl Iterator<Item = (&'a Step, usize, usize)> {
        let whole = std::iter::repeat_n((self.most, self.most.rows), self.whole);
        let mut first = 0;
        whole.chain(self.rest.iter().copied().flatten()).map(move |(step, own)| {
            first += own;
            (step, first - own, own)
        })
    }
}

/// Products of many rows by tile kernels.
///
/// # Safety
/// The job's bindings are as the contract of its command says; rows and tiles are inside them and this part's own.
#[inline]
pub(super) unsafe fn many(job: &Job<'_>, ladder: &Ladder, rows: Range<usize>, tiles: Range<usize>) {
    let pass = pass_rows(job.x_stride, ladder.steps[0].rows);
    for first in rows.clone().step_by(pass) {
        // SAFETY: the caller's promise.
        unsafe { few(job, ladder, first..rows.end.min(first + pass), tiles.clone()) };
    }
}

/// Products of some rows by tile kernels: every tile with all of them.
///
/// # Safety
/// The job's bindings are as the contract of its command says; rows and tiles are inside them and this part's own.
#[inline]
pub(super) unsafe fn few(job: &Job<'_>, ladder: &Ladder, rows: Range<usize>, tiles: Range<usize>) {
    let mut out = Out([0.0; MAX_OUT]);
    let Some(cuts) = Cuts::of(ladder.steps, rows.len(), job.room(rows.start)) else { return };
    let mut t = tiles.start;
    while t < tiles.end {
        let wide = tiles.end - t >= ladder.tiles;
        let count = if wide { ladder.tiles } else { 1 };
        for (step, first, own) in cuts.each() {
            let r = rows.start + first;
            // SAFETY: tile t and the step's rows are inside the bindings; `out` holds the largest step's results; columns of
            // these tiles belong to this part alone.
            unsafe {
                (if wide { step.wide } else { step.one })(&job.tile(t, r, out.0.as_mut_ptr()));
                put(job, r, own, t * LANES, count * LANES, &out.0);
            }
        }
        t += count;
    }
}

/// Asks for the output's lines that [`put`] will write after the next step. Stores become visible in their order, so one that waits for
/// its line keeps those after it waiting, and a kernel that stores sums to its stack runs out of room for them. Where the output was more
/// than the caches hold, such kernels took up to two fifths longer.
#[cfg(target_arch = "x86_64")]
fn ask_for_output(job: &Job<'_>, row: usize, rows: usize, col: usize, cols: usize) {
    let c = &job.c;
    let out = job.out().wrapping_add(c.out_col as usize + col);
    for r in row..row + rows {
        let line = out.wrapping_add(r * c.out_stride as usize);
        for at in (0..cols).step_by(LANES) {
            // SAFETY: a prefetch of any address is harmless, and processors with AVX2 that do not know this one pass over it.
            unsafe {
                asm!("prefetchw [{0}]", in(reg) line.wrapping_add(at), options(nostack, preserves_flags));
            }
        }
    }
}

/// A worker's memory for panels, on its stack. Never initialised as a whole.
#[repr(C, align(64))]
struct Workspace {
    panel: [u8; SLAB * PANEL_TILES * PANEL_SUB],
    /// `[rows][tiles * 16]` of a pass.
    sums: [f32; MOST_ROWS * PANEL_TILES * LANES],
    /// `[rows][16]` of a pass: outputs of gates and ups, which are stored 32 together.
    #[cfg(target_arch = "x86_64")]
    outputs: [f32; MOST_ROWS * LANES],
}

/// Products of many rows by panel kernels: each slab of each pair of tiles is unpacked once for a pass of rows. Of gates and ups a pair is a
/// tile of each, and the tiles are those of gates, in whole pairs.
///
/// # Safety
/// The job's bindings are as the contract of its command says; rows and tiles are inside them and this part's own.
#[inline]
pub(super) unsafe fn in_panels(job: &Job<'_>, panels: &Panels, rows: Range<usize>, tiles: Range<usize>) {
    let mut work = MaybeUninit::<Workspace>::uninit();
    let work = work.as_mut_ptr();
    // SAFETY: addresses only; nothing is read before it is written.
    let (panel, sums) =
        unsafe { ((&raw mut (*work).panel).cast::<u8>(), (&raw mut (*work).sums).cast::<f32>()) };
    let subs = job.c.k as usize / 32;
    // Slabs of about the same width.
    let slab = subs.div_ceil(subs.div_ceil(panels.slab));
    let pass = pass_rows(job.x_stride, panels.steps[0].rows);
    for first in rows.clone().step_by(pass) {
        let end = rows.end.min(first + pass);
        let (step_by, further) = match &job.gated {
            Some(gated) => (1, gated.tiles),
            None => (PANEL_TILES, 1),
        };
        for t in tiles.clone().step_by(step_by) {
            let count = if job.gated.is_some() { PANEL_TILES } else { PANEL_TILES.min(tiles.end - t) };
            let width = count * LANES;
            for from in (0..subs).step_by(slab) {
                let blocks = slab.min(subs - from);
                // SAFETY: the slab is inside its tiles, and the panel holds the largest.
                unsafe {
                    let tile = Tile { w_stride: further * job.w_stride, ..job.tile(t, first, sums) };
                    (panels.fill)(&tile, count, from, blocks, panel);
                }
                let mut r = first;
                while r < end {
                    let Some(step) = panels.steps.iter().find(|s| s.rows <= end - r) else { break };
                    // SAFETY: the panel was filled above; rows and tiles are inside the bindings and this part's own;
                    // `sums` holds a pass of rows, each written by the first slab before another reads it.
                    unsafe {
                        let sums = sums.add((r - first) * width);
                        let x = job.call.bufs[1].ptr.add(r * job.x_stride + from * panels.x_block);
                        let p = Panel { w: panel, blocks, x, x_stride: job.x_stride, sums, first: from == 0 };
                        let ends = from + blocks == subs && job.gated.is_none();
                        #[cfg(target_arch = "x86_64")]
                        if ends && panels.spills {
                            ask_for_output(job, r, step.rows, t * LANES, width);
                        }
                        (if count == PANEL_TILES { step.wide } else { step.one })(&p);
                        if ends {
                            let out = std::slice::from_raw_parts(sums, step.rows * width);
                            put(job, r, step.rows, t * LANES, width, out);
                        }
                    }
                    r += step.rows;
                }
            }
            #[cfg(target_arch = "x86_64")]
            if let Some(gated) = &job.gated {
                // SAFETY: sums of all rows of the pass are complete, and tiles come in whole pairs.
                unsafe { put_gates(job, gated, panels.gates, work, first..end, t) };
            }
        }
    }
}

/// The same of few gates and ups, by tile kernels: each tile of both with all rows.
///
/// # Safety
/// As [`in_panels`], for gates and ups, and at most [`MOST_ROWS`].
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(super) unsafe fn few_gates(
    job: &Job<'_>,
    ladder: &Ladder,
    gates: GatesFn,
    rows: Range<usize>,
    tiles: Range<usize>,
) {
    let Some(gated) = &job.gated else { return };
    let mut work = MaybeUninit::<Workspace>::uninit();
    let work = work.as_mut_ptr();
    let mut out = Out([0.0; MAX_OUT]);
    let Some(cuts) = Cuts::of(ladder.steps, rows.len(), job.room(rows.start)) else { return };
    for t in tiles {
        for (side, tile) in [t, t + gated.tiles].into_iter().enumerate() {
            for (step, first, own) in cuts.each() {
                // SAFETY: the tile and rows are inside the bindings, `out` holds the largest step's results, and the sums a pass of rows.
                unsafe {
                    (step.one)(&job.tile(tile, rows.start + first, out.0.as_mut_ptr()));
                    let sums = (&raw mut (*work).sums).cast::<[f32; LANES]>();
                    for (i, of_row) in out.0.as_chunks::<LANES>().0.iter().take(own).enumerate() {
                        *sums.add((first + i) * PANEL_TILES + side) = *of_row;
                    }
                }
            }
        }
        // SAFETY: sums of all rows are complete, and tiles come in whole pairs.
        unsafe { put_gates(job, gated, gates, work, rows.clone(), t) };
    }
}

/// Takes the sums of a tile of gates, number `t`, and of its ups. Tiles come in whole pairs, the first with an even number.
///
/// # Safety
/// The sums of these rows are there, and where `t` is a pair's second tile the first one's outputs are; nobody else has the pair's 32 columns.
#[cfg(target_arch = "x86_64")]
unsafe fn put_gates(
    job: &Job<'_>,
    gated: &Gated,
    gates: GatesFn,
    work: *mut Workspace,
    rows: Range<usize>,
    t: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let stride = gated.format.row_bytes(gated.tiles * LANES);
        let second = !t.is_multiple_of(2);
        let column = (t - second as usize) * LANES;
        let out = job.formatted(gated, rows.start).add(gated.format.bytes(column));
        gates(&GateRows {
            activation: gated.activation,
            sums: (&raw const (*work).sums).cast(),
            rows: rows.len(),
            first: (&raw mut (*work).outputs).cast(),
            out: second.then_some((out, stride)),
            format: gated.format,
        });
    }
}

/// Stores `rows` x `cols` results at (row, column), leaving out columns past n.
///
/// # Safety
/// The job's bindings are as the contract of its command says; rows and columns are inside them and this part's own.
pub(super) unsafe fn put(job: &Job<'_>, row: usize, rows: usize, col: usize, cols: usize, out: &[f32]) {
    let (call, c) = (job.call, &job.c);
    let keep = cols.min(c.n as usize - col);
    for (i, src) in out.chunks_exact(cols).take(rows).enumerate() {
        let at = (row + i) * c.out_stride as usize + c.out_col as usize + col;
        // SAFETY: the range is inside the binding by the contract and belongs to this part. The residual may be
        // the output itself, so each value is read before it is written and no slices are held.
        unsafe {
            let dst = call.bufs[job.epilogue.out].ptr.cast::<f32>().add(at);
            match job.epilogue.residual {
                None => std::ptr::copy_nonoverlapping(src.as_ptr(), dst, keep),
                Some(b) => {
                    let base = call.bufs[b].ptr.cast::<f32>().add(at);
                    for j in 0..keep {
                        *dst.add(j) = *base.add(j) + src[j];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of the kernels that take so many rows of an input of `room`.
    fn taken(steps: &[usize], rows: usize, room: usize) -> Vec<usize> {
        unsafe fn nothing(_: &Tile) {}
        let steps: Vec<Step> = steps.iter().map(|r| Step { rows: *r, one: nothing, wide: nothing }).collect();
        let Some(cuts) = Cuts::of(&steps, rows, room) else { return Vec::new() };
        let mut next = 0;
        let all = cuts.each().map(|(step, first, own)| {
            assert!(first == next && own <= step.rows && first + step.rows <= room);
            next += own;
            step.rows
        });
        let all = all.collect();
        assert_eq!(next, rows);
        all
    }

    #[test]
    fn few_kernels_take_the_rows_and_none_reads_beyond_its_input() {
        const BYTES: [usize; 6] = [8, 6, 4, 3, 2, 1];
        const FLOATS: [usize; 7] = [12, 8, 6, 4, 3, 2, 1];
        for (steps, left, room, want) in [
            (&BYTES[..], 1, 512, &[1][..]),
            (&BYTES, 5, 8, &[6]),
            (&BYTES, 5, 5, &[3, 2]),
            (&BYTES, 7, 8, &[8]),
            (&BYTES, 7, 7, &[4, 3]),
            (&BYTES, 9, 512, &[6, 3]),
            (&BYTES, 13, 512, &[8, 6]),
            (&BYTES, 13, 13, &[8, 3, 2]),
            (&BYTES, 15, 15, &[8, 4, 3]),
            (&FLOATS, 9, 512, &[6, 3]),
            (&FLOATS, 10, 512, &[6, 4]),
            (&FLOATS, 11, 11, &[8, 3]),
            (&FLOATS, 17, 512, &[12, 6]),
            (&[6, 4, 3, 2, 1], 7, 8, &[4, 3]),
            (&[6, 4, 3, 2, 1], 8, 8, &[4, 4]),
            (&[4, 1], 2, 8, &[1, 1]),
            (&[4, 1], 3, 8, &[4]),
            (&[4, 2, 1], 3, 8, &[4]),
            (&[4, 1], 2, 3, &[1, 1]),
            (&[1], 3, 8, &[1, 1, 1]),
        ] {
            assert_eq!(taken(steps, left, room), want, "{left} rows of {room} by {steps:?}");
        }
        // (All of `ladder!`, and no rows.)
        for steps in [
            &BYTES[..],
            &FLOATS,
            &[6, 4, 3, 2, 1],
            &[4, 3, 2, 1],
            &[6, 4, 2, 1],
            &[4, 2, 1],
            &[4, 1],
            &[2, 1],
            &[1],
        ] {
            for (rows, room) in (0..60).flat_map(|l| (l..l + 20).map(move |r| (l, r))) {
                assert!(taken(steps, rows, room).len() <= taken(steps, rows, rows).len());
            }
            assert!(!taken(steps, 516, 516).is_empty());
        }
    }
}
