//! What a tile kernel is: what it works on, the kernels of a version, and the forms of weights they are compiled for.
//!
//! A tile kernel multiplies a few activation rows with one or more tiles of 16 weight rows over the whole of k.
//! Each output is accumulated in one lane, in the order of k, whatever the number of rows and tiles: so a row's
//! result never depends on its neighbours.

use super::{Epilogue, MatmulConsts};
use crate::act::ActFormat;
#[cfg(target_arch = "x86_64")]
use crate::act::{Q8Block, Q16Block};
use crate::cpu::Call;
use crate::dtype::DType;
use crate::dtype::affine::ScaleType;
use crate::dtype::rows16::{self, Codes, Scales};
#[cfg(target_arch = "x86_64")]
use crate::glu::cpu::GatesFn;
#[cfg(target_arch = "x86_64")]
use std::mem::offset_of;
use std::ops::Range;

/// Output columns of a tile.
pub(crate) const LANES: usize = 16;
/// Most outputs of one call of a tile kernel.
pub(crate) const MAX_OUT: usize = 512;
/// Results of a tile kernel.
#[repr(align(64))]
pub(crate) struct Out(pub(crate) [f32; MAX_OUT]);

/// What a tile kernel works on.
pub(crate) struct Tile {
    /// The first tile's weights.
    pub(crate) w: *const u8,
    /// Bytes from one tile to the next.
    pub(crate) w_stride: usize,
    /// The first activation row.
    pub(crate) x: *const u8,
    /// Bytes from one activation row to the next.
    pub(crate) x_stride: usize,
    /// Columns.
    pub(crate) k: usize,
    /// log2 of the sub-blocks of 32 columns in a block.
    pub(crate) subs_log2: u32,
    /// The type of affine scales.
    pub(crate) word: ScaleType,
    /// `[rows][tiles * 16]` results, aligned to 64 bytes.
    pub(crate) out: *mut f32,
}

impl Tile {
    /// log2 of the sub-blocks in a block of the form, and the block's bytes.
    #[inline(always)]
    pub(crate) fn block<F: Form>(&self) -> (u32, usize) {
        let subs_log2 = F::SCALES.subs_log2().unwrap_or(self.subs_log2);
        (subs_log2, (F::CODES.sub_bytes() << subs_log2) + F::SCALES.bytes())
    }

    /// Of sub-block `b`: its block, which begins with the scales; its number there; its codes.
    ///
    /// # Safety
    /// The tile has at least `b + 1` sub-blocks.
    #[inline(always)]
    pub(crate) unsafe fn sub<F: Form>(&self, b: usize) -> (*const u8, usize, *const u8) {
        let (subs_log2, bytes) = self.block::<F>();
        let s = b & ((1 << subs_log2) - 1);
        // SAFETY: inside the tile, by the layout of `rows16`.
        unsafe {
            let block = self.w.add((b >> subs_log2) * bytes);
            (block, s, block.add(F::SCALES.bytes() + s * F::CODES.sub_bytes()))
        }
    }
}

/// A kernel for a fixed number of rows and tiles.
///
/// # Safety
/// The tile's pointers are valid for that many rows and tiles of the kernel's formats, and the machine has the
/// kernel's instruction level.
pub(crate) type TileFn = unsafe fn(&Tile);

/// Kernels for one number of rows.
pub(crate) struct Step {
    /// Activation rows at a time.
    pub(crate) rows: usize,
    /// One tile.
    pub(crate) one: TileFn,
    /// The ladder's number of tiles.
    pub(crate) wide: TileFn,
}

/// Kernels by falling number of rows; the last is for one row.
pub(crate) struct Ladder {
    /// Tiles of [`Step::wide`].
    pub(crate) tiles: usize,
    /// The steps.
    pub(crate) steps: &'static [Step],
}

/// The kernels of one weight format at one level.
pub(crate) trait Version {
    /// For few rows.
    const FEW: Ladder;
    /// Up to so many rows are few.
    const FEW_ROWS: usize = Self::FEW.steps[0].rows;
    /// For more rows.
    const MANY: Many;
}

/// Kernels for many rows.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 has kernels on panels"))]
pub(crate) enum Many {
    /// Tile kernels, which unpack weights anew for every few rows.
    Tiles(Ladder),
    /// Kernels on panels.
    Panels(Panels),
    /// Products of some rows and tiles: those are inside the job's bindings, and nobody else's.
    #[cfg(target_arch = "x86_64")]
    Own(unsafe fn(&Job<'_>, Range<usize>, Range<usize>)),
    /// The same on matrix units, which want other shares.
    #[cfg(target_arch = "x86_64")]
    Units(unsafe fn(&Job<'_>, Range<usize>, Range<usize>)),
}

/// Sub-blocks of 32 columns in a panel, at most.
pub(super) const SLAB: usize = 16;
/// Most tiles of a panel.
pub(super) const PANEL_TILES: usize = 2;
/// Most bytes of a sub-block of one tile in a panel.
pub(super) const PANEL_SUB: usize = 768;

/// Kernels that work on panels: a slab of columns of a few tiles, unpacked once for many rows.
pub(crate) struct Panels {
    /// Unpacks sub-blocks `from..from + count` of so many tiles: (tile, tiles, from, count, panel).
    pub(crate) fill: unsafe fn(&Tile, usize, usize, usize, *mut u8),
    /// Sub-blocks in a panel, at most: [`SLAB`], or fewer of more bytes than [`PANEL_SUB`].
    pub(crate) slab: usize,
    /// Bytes of an activation row's block of 32 columns.
    pub(crate) x_block: usize,
    /// Whether a kernel has more sums than registers, so that it keeps some on its stack.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 has kernels on panels"))]
    pub(crate) spills: bool,
    /// Takes sums of gates and ups.
    #[cfg(target_arch = "x86_64")]
    pub(crate) gates: GatesFn,
    /// Kernels by falling number of rows; the last is for one row.
    pub(crate) steps: &'static [PanelStep],
}

/// Panel kernels for one number of rows.
pub(crate) struct PanelStep {
    /// Activation rows at a time.
    pub(crate) rows: usize,
    /// One tile.
    pub(crate) one: unsafe fn(&Panel),
    /// [`PANEL_TILES`].
    pub(crate) wide: unsafe fn(&Panel),
}

/// What a panel kernel works on.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only x86-64 has kernels on panels"))]
pub(crate) struct Panel {
    /// The panel: `[sub-blocks][tiles]`.
    pub(crate) w: *const u8,
    /// Its sub-blocks; of floats, columns.
    pub(crate) blocks: usize,
    /// The first activation row, at the slab's first column.
    pub(crate) x: *const u8,
    /// Bytes from one activation row to the next.
    pub(crate) x_stride: usize,
    /// `[rows][tiles * 16]` sums of earlier slabs, which this one's are added to.
    pub(crate) sums: *mut f32,
    /// Whether there are no earlier slabs and the sums mean nothing yet.
    pub(crate) first: bool,
}

/// Panels from generic functions.
#[cfg(target_arch = "x86_64")]
macro_rules! panels {
    ($fill:ident, $f:ident, $mul:ident, $halves:literal, $offsets:literal) => {
        panels!(@ $fill, $f, $mul, $halves, $offsets, 4 3 2 1)
    };
    (@ $fill:ident, $f:ident, $mul:ident, $halves:literal, $offsets:literal, $($rows:literal)*) => {
        Panels {
            fill: $fill::<$f>,
            slab: $crate::matmul::cpu_tile::SLAB,
            x_block: size_of::<$crate::act::Q8Block>(),
            spills: false,
            gates: $crate::glu::cpu::gates_avx512,
            steps: &[$(PanelStep {
                rows: $rows,
                one: $mul::<1, $rows, $halves, $offsets>,
                wide: $mul::<2, $rows, $halves, $offsets>,
            }),*],
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use panels;

/// A ladder from a generic kernel `f::<D, TILES, ROWS>`.
macro_rules! ladder {
    ($f:ident, $d:tt, $tiles:literal, [$($rows:literal),*]) => {
        $crate::matmul::cpu_tile::Ladder {
            tiles: $tiles,
            steps: &[$($crate::matmul::cpu_tile::Step { rows: $rows, one: $f::<$d, 1, $rows>, wide: $f::<$d, $tiles, $rows> }),*],
        }
    };
}
pub(crate) use ladder;

/// Where a block of activations has what a product needs.
#[cfg(target_arch = "x86_64")]
pub(super) trait Block32 {
    /// Bytes of a block; the quants, or their high bytes, come first.
    const BYTES: usize;
    /// Where the low bytes are.
    const LOW: Option<usize>;
    const SCALES: usize;
    /// What integer sums of both halves begin with.
    const BEGINS: usize;
    /// Whether these are the bits of floats ([`Q8Block::begins`]), so that sums are those less [`Q8Block::BEGIN`].
    const FLOATS: bool;
    const SUM: usize;
}

#[cfg(target_arch = "x86_64")]
impl Block32 for Q8Block {
    const BYTES: usize = size_of::<Self>();
    const LOW: Option<usize> = None;
    const SCALES: usize = offset_of!(Self, scales);
    const BEGINS: usize = offset_of!(Self, begins);
    const FLOATS: bool = true;
    const SUM: usize = offset_of!(Self, sum);
}

#[cfg(target_arch = "x86_64")]
impl Block32 for Q16Block {
    const BYTES: usize = size_of::<Self>();
    const LOW: Option<usize> = Some(offset_of!(Self, low));
    const SCALES: usize = offset_of!(Self, scales);
    const BEGINS: usize = offset_of!(Self, biases);
    const FLOATS: bool = false;
    const SUM: usize = offset_of!(Self, sum);
}

/// What a kernel for quantized weights is compiled for: every format of this kind of codes and of scales.
pub(crate) trait Form {
    /// Its codes.
    const CODES: Codes;
    /// Its scales.
    const SCALES: Scales;
    /// What one step of a code at the top of its byte is worth: kernels keep codes of b bits there, so that all
    /// have their centre at 128. (Table values are as they are, plus 128.)
    const UNIT: f32 = match Self::CODES.table() {
        Some(_) => 1.0,
        None => 1.0 / (1 << (8 - Self::CODES.bits())) as f32,
    };
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only kernels on panels read it"))]
    /// Offsets of a sub-block of 32 columns: none, one, or one for each half.
    const OFFSETS: u32 = match Self::SCALES {
        Scales::Nibbles => 2,
        s if s.minimums() => 1,
        _ => 0,
    };
}

/// A type for each form in use, and `by_form!(form, driver, m::kind)`: the function of a driver for `m::kind` of a form.
macro_rules! forms {
    ($($name:ident: $codes:ident, $scales:ident;)*) => {
        $(
            pub(crate) struct $name;
            impl Form for $name {
                const CODES: Codes = Codes::$codes;
                const SCALES: Scales = Scales::$scales;
            }
        )*
        macro_rules! by_form {
            ($form:expr, $driver:ident, $m:ident::$kind:ident) => {
                match ($form.codes, $form.scales) {
                    $((Codes::$codes, Scales::$scales) => {
                        $driver::with::<$m::$kind<$crate::matmul::cpu_tile::$name>>()
                    })*
                    _ => return None,
                }
            };
        }
        pub(super) use by_form;
    };
}

forms! {
    Bits4F16: Bits4, F16;
    Bits5F16: Bits5, F16;
    Bits8F16: Bits8, F16;
    Bits2Nibbles: Bits2, Nibbles;
    Bits3Sixes: Bits3, Sixes;
    Bits4SixMinimums: Bits4, SixMinimums;
    Bits5SixMinimums: Bits5, SixMinimums;
    Bits6Bytes: Bits6, Bytes;
    Bits8F32: Bits8, F32;
    Iq4F16: Iq4, F16;
    Iq4Six: Iq4, Six;
    E2m1E8m0: E2m1, E8m0;
    E2m1Ue4m3: E2m1, Ue4m3;
    Bits4F16Pair: Bits4, F16Pair;
    Bits5F16Pair: Bits5, F16Pair;
    Bits2Affine: Bits2, Affine;
    Bits3Affine: Bits3, Affine;
    Bits4Affine: Bits4, Affine;
    Bits5Affine: Bits5, Affine;
    Bits6Affine: Bits6, Affine;
    Bits8Affine: Bits8, Affine;
}

/// One block's scales, ready for codes at the top of their bytes around 128, from scales and minimums (of `V`):
/// `d q + m = d (q - centre) + (m + d centre)`.
macro_rules! centred {
    ($form:ty, $d:expr, $m:expr, $splat:ident, $mul:ident, $fma:ident) => {{
        let (mut d, mut m) = ($d, $m);
        for h in 0..2 {
            if <$form>::UNIT != 1.0 {
                d[h] = $mul(d[h], $splat(<$form>::UNIT));
            }
            if <$form>::SCALES.minimums() {
                m[h] = $fma(d[h], $splat(128.0), m[h]);
            }
        }
        (d, m)
    }};
}
pub(crate) use centred;

/// [`Tile::subs_log2`] and [`Tile::word`] of a format.
pub(crate) fn shape(dt: DType) -> (u32, ScaleType) {
    rows16::form(dt).map_or((0, ScaleType::F16), |f| (f.subs_log2, f.word))
}

/// What is the same for all tiles of a command.
pub(crate) struct Job<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) c: MatmulConsts,
    /// Packed weights from tile `first` on.
    pub(super) w: *const u8,
    pub(super) first: usize,
    pub(super) epilogue: Epilogue,
    pub(super) w_stride: usize,
    pub(super) x_stride: usize,
    pub(super) subs_log2: u32,
    pub(super) word: ScaleType,
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "matrix units and panels alone have it")
    )]
    pub(super) gated: Option<Gated>,
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "matrix units alone have it"))]
    pub(super) heads: Option<Heads>,
}

/// What a product of queries, keys and values ends in.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "matrix units alone have it"))]
pub(crate) struct Heads {
    /// Tiles of a head.
    pub(crate) tiles: usize,
    /// Takes some rows of a head.
    pub(crate) finish: unsafe fn(&Call<'_>, &HeadRows),
}

/// Some rows' sums of a head that is complete.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "matrix units alone have it"))]
pub(crate) struct HeadRows {
    pub(crate) head: usize,
    pub(crate) rows: Range<usize>,
    /// Elements of the first row's first tile, and how far the other tile of a pair, the next 16 rows and the next pair are.
    pub(super) at: *const f32,
    pub(super) second: usize,
    pub(super) rows16: usize,
    pub(super) pair: usize,
}

impl HeadRows {
    /// The elements of the `r`-th of the rows.
    ///
    /// # Safety
    /// The row and as many tiles are there.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "matrix units alone have it"))]
    pub(crate) unsafe fn take(&self, r: usize, x: &mut [f32]) {
        let row = self.at.wrapping_add(r / LANES * self.rows16 + r % LANES * LANES);
        for (t, x) in x.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *x = unsafe { *row.add(t / 2 * self.pair + t % 2 * self.second).cast::<[f32; LANES]>() };
        }
    }
}

/// What a product of gates and ups ends in.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "matrix units and panels alone have it"))]
pub(super) struct Gated {
    /// Tiles of gates; those of ups follow.
    pub(super) tiles: usize,
    /// [`crate::glu::Activation`].
    pub(super) activation: u32,
    /// Of the output, `[rows, 16 tiles]`.
    pub(super) format: ActFormat,
}

impl Job<'_> {
    /// Rows that the input's binding has from row `r` on, active or not.
    pub(super) fn room(&self, r: usize) -> usize {
        (self.call.bufs[1].len / self.x_stride).saturating_sub(r)
    }

    /// Activation row `r`.
    ///
    /// # Safety
    /// The row is inside its binding.
    pub(super) unsafe fn x(&self, r: usize) -> *const u8 {
        // SAFETY: the caller's promise.
        unsafe { self.call.bufs[1].ptr.add(r * self.x_stride) }
    }

    /// The output.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn out(&self) -> *mut f32 {
        self.call.bufs[self.epilogue.out].ptr.cast()
    }

    /// The output's row `r` in its format.
    ///
    /// # Safety
    /// The row is inside the binding.
    #[cfg(target_arch = "x86_64")]
    pub(super) unsafe fn formatted(&self, gated: &Gated, r: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.out().cast::<u8>().add(r * gated.format.row_bytes(gated.tiles * LANES)) }
    }

    /// What is added to the products, laid out as the output.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn residual(&self) -> Option<*const f32> {
        self.epilogue.residual.map(|b| self.call.bufs[b].ptr.cast_const().cast())
    }

    /// Tile `t` and row `r`.
    ///
    /// # Safety
    /// The tile is among those at `w`, the row inside its binding.
    pub(super) unsafe fn tile(&self, t: usize, r: usize, out: *mut f32) -> Tile {
        // SAFETY: the caller's promise.
        let (w, x) = unsafe { (self.w.add((t - self.first) * self.w_stride), self.x(r)) };
        Tile {
            w,
            w_stride: self.w_stride,
            x,
            x_stride: self.x_stride,
            k: self.c.k as usize,
            subs_log2: self.subs_log2,
            word: self.word,
            out,
        }
    }
}
