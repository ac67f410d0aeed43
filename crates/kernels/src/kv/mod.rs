//! Formats of the KV cache, and where a position's elements lie.
//!
//! A layer's cache is `[block, kv_heads]` tiles, blocks found through the block table; a tile holds 256 positions of
//! one KV head. In f16, bf16 and f32 it is `[256, head_dim]` elements. In q8_0 it is `[256, head_dim]` signed bytes,
//! then `[256, head_dim / 32]` f16 scales: the codes of a position stay aligned for wide loads, and the scales of
//! neighbouring positions lie side by side. Every tile is a multiple of 64 bytes long.

use crate::cpu::Call;
use crate::error::{KernelError, require};
use crate::step::{Block, KV_BLOCK};
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use std::ops::Range;

/// Format of the K cache or of the V cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum KvFormat {
    /// Half precision.
    F16 = 0,
    /// Single precision (the reference level's own).
    F32 = 1,
    /// The upper half of single precision.
    Bf16 = 2,
    /// A signed byte per element and an f16 scale for every 32 of a head, as GGUF's q8_0.
    Q8_0 = 3,
}

/// Every format, in the order of their words.
pub const KV_FORMATS: &[KvFormat] = &[KvFormat::F16, KvFormat::F32, KvFormat::Bf16, KvFormat::Q8_0];

/// Elements that share a scale of q8_0.
pub const KV_GROUP: usize = 32;
/// Largest code of q8_0.
const MAX_CODE: f32 = 127.0;

/// A position of a KV head in a layer's cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvPlace {
    /// The tile.
    pub tile: usize,
    /// The position in it, below 256.
    pub row: usize,
}

/// Where the block table puts a position.
pub fn kv_place(block_table: &[Block], kv_heads: usize, head: usize, pos: usize) -> KvPlace {
    let b = KV_BLOCK as usize;
    KvPlace { tile: block_table[pos / b].index() * kv_heads + head, row: pos % b }
}

impl KvFormat {
    /// From a kernel constant.
    pub fn from_word(w: u32) -> Option<Self> {
        KV_FORMATS.get(w as usize).copied()
    }

    /// Name in options, dumps and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::Q8_0 => "q8_0",
        }
    }

    /// The format of that name.
    pub fn parse(name: &str) -> Option<Self> {
        KV_FORMATS.iter().copied().find(|f| f.name() == name)
    }

    /// Whether heads of this width can be kept: groups of q8_0 must not straddle heads.
    pub const fn holds(self, head_dim: usize) -> bool {
        !matches!(self, Self::Q8_0) || head_dim.is_multiple_of(KV_GROUP)
    }

    /// Bytes of one element (q8_0: of its code).
    const fn element(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::Q8_0 => 1,
        }
    }

    /// Bytes of one position of one head.
    pub const fn row_bytes(self, head_dim: usize) -> usize {
        let scales = if matches!(self, Self::Q8_0) { head_dim / KV_GROUP * 2 } else { 0 };
        head_dim * self.element() + scales
    }

    /// Bytes of a tile.
    pub const fn tile_bytes(self, head_dim: usize) -> usize {
        KV_BLOCK as usize * self.row_bytes(head_dim)
    }

    /// The bytes of a place: its elements or codes, and its scales, which only q8_0 has.
    pub const fn bytes_of(self, head_dim: usize, at: KvPlace) -> (Range<usize>, Range<usize>) {
        let (tile, width) = (at.tile * self.tile_bytes(head_dim), head_dim * self.element());
        let per = self.row_bytes(head_dim) - width;
        let (values, scales) = (tile + at.row * width, tile + KV_BLOCK as usize * width + at.row * per);
        (values..values + width, scales..scales + per)
    }

    /// One position of one head from the bytes of a cache.
    pub fn read(self, cache: &[u8], at: KvPlace, out: &mut [f32]) {
        let (values, scales) = self.bytes_of(out.len(), at);
        self.decode(&cache[values], &cache[scales], out);
    }

    /// Puts one position of one head into the bytes of a cache.
    pub fn write(self, cache: &mut [u8], at: KvPlace, x: &[f32]) {
        let (values, scales) = self.bytes_of(x.len(), at);
        let (front, back) = cache.split_at_mut(values.end);
        // Other formats have no scales, and theirs is an empty range.
        let scales =
            if scales.is_empty() { 0..0 } else { scales.start - values.end..scales.end - values.end };
        self.encode(x, &mut front[values], &mut back[scales]);
    }

    #[inline(always)]
    fn decode(self, values: &[u8], scales: &[u8], out: &mut [f32]) {
        match self {
            Self::F16 => halves(values, out, |b| f16::from_le_bytes(b).to_f32()),
            Self::Bf16 => halves(values, out, |b| bf16::from_le_bytes(b).to_f32()),
            Self::F32 => {
                for (o, b) in out.iter_mut().zip(values.as_chunks::<4>().0) {
                    *o = f32::from_le_bytes(*b);
                }
            }
            Self::Q8_0 => {
                let codes = values.as_chunks::<KV_GROUP>().0;
                for ((o, codes), s) in
                    out.as_chunks_mut::<KV_GROUP>().0.iter_mut().zip(codes).zip(scales.as_chunks::<2>().0)
                {
                    let scale = f16::from_le_bytes(*s).to_f32();
                    for (o, c) in o.iter_mut().zip(codes) {
                        *o = f32::from(*c as i8) * scale;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn encode(self, x: &[f32], values: &mut [u8], scales: &mut [u8]) {
        match self {
            Self::F16 => {
                let mut h = [f16::ZERO; 64];
                for (x, b) in x.chunks(64).zip(values.chunks_mut(128)) {
                    h[..x.len()].convert_from_f32_slice(x);
                    b.copy_from_slice(bytemuck::cast_slice(&h[..x.len()]));
                }
            }
            Self::Bf16 => {
                for (x, b) in x.iter().zip(values.as_chunks_mut::<2>().0) {
                    *b = bf16::from_f32(*x).to_le_bytes();
                }
            }
            Self::F32 => {
                for (x, b) in x.iter().zip(values.as_chunks_mut::<4>().0) {
                    *b = x.to_le_bytes();
                }
            }
            Self::Q8_0 => {
                let codes = values.as_chunks_mut::<KV_GROUP>().0;
                for ((x, codes), s) in
                    x.as_chunks::<KV_GROUP>().0.iter().zip(codes).zip(scales.as_chunks_mut::<2>().0)
                {
                    *s = group(x, codes).to_le_bytes();
                }
            }
        }
    }
}

#[inline(always)]
fn halves(values: &[u8], out: &mut [f32], widen: impl Fn([u8; 2]) -> f32) {
    for (o, b) in out.iter_mut().zip(values.as_chunks::<2>().0) {
        *o = widen(*b);
    }
}

/// The codes of a group of q8_0 and its scale. The scale is rounded first and the codes belong to what it became. One
/// value that is no finite number makes the whole group NaN, so that it is seen further on and not lost.
#[inline(always)]
fn group(x: &[f32; KV_GROUP], codes: &mut [u8; KV_GROUP]) -> f16 {
    let most = x.iter().fold(0, |m: u32, v| m.max(v.to_bits() & 0x7fff_ffff));
    if most >= f32::INFINITY.to_bits() {
        codes.fill(1);
        return f16::NAN;
    }
    let scale = f16::from_f32((f32::from_bits(most) * (1.0 / MAX_CODE)).min(f16::MAX.to_f32()));
    let wide = scale.to_f32();
    let inverse = if wide > 0.0 { 1.0 / wide } else { 0.0 };
    for (c, v) in codes.iter_mut().zip(x) {
        // Within -127..=127, so the cast does not saturate.
        *c = (v * inverse).clamp(-MAX_CODE, MAX_CODE).round_ties_even() as i8 as u8;
    }
    scale
}

/// Writes one head's values at one position to the cache that binding `i` is.
///
/// # Safety
/// The place lies inside the binding, and no other part touches it.
#[inline(always)]
pub(crate) unsafe fn store(call: &Call<'_>, i: usize, format: KvFormat, at: KvPlace, x: &[f32]) {
    let (values, scales) = format.bytes_of(x.len(), at);
    // SAFETY: the caller's promise; the two ranges do not overlap.
    unsafe {
        let (v, s) = (
            call.slice_mut::<u8>(i, values.start, values.len()),
            call.slice_mut::<u8>(i, scales.start, scales.len()),
        );
        format.encode(x, v, s);
    }
}

/// Reads one head's values at one position from the cache that binding `i` is.
///
/// # Safety
/// The place lies inside the binding, and nothing writes it meanwhile.
#[inline(always)]
pub(crate) unsafe fn load(call: &Call<'_>, i: usize, format: KvFormat, at: KvPlace, out: &mut [f32]) {
    // SAFETY: the caller's promise.
    unsafe { load_part(call, i, format, at, out.len(), 0, out) }
}

/// Reads elements from `from` on of one head's `head_dim` values; `from` is a multiple of [`KV_GROUP`].
///
/// # Safety
/// As [`load`], and the elements are among the head's.
#[inline(always)]
pub(crate) unsafe fn load_part(
    call: &Call<'_>,
    i: usize,
    format: KvFormat,
    at: KvPlace,
    head_dim: usize,
    from: usize,
    out: &mut [f32],
) {
    let (values, scales) = format.bytes_of(head_dim, at);
    let (width, groups) = (format.element(), out.len().div_ceil(KV_GROUP));
    let scale = if scales.is_empty() { 0 } else { 2 };
    // SAFETY: the caller's promise.
    unsafe {
        let v = call.slice::<u8>(i, values.start + from * width, out.len() * width);
        let s = call.slice::<u8>(i, scales.start + from / KV_GROUP * scale, groups * scale);
        format.decode(v, s, out);
    }
}

/// The formats of a cache for messages.
pub(crate) fn names(k_type: u32, v_type: u32) -> String {
    let [k, v] = [k_type, v_type].map(|w| KvFormat::from_word(w).map_or("?", KvFormat::name));
    format!("keys in {k} and values in {v}")
}

/// Bytes of a key and a value of one head at one position.
pub(crate) fn bytes_per_position(k_type: u32, v_type: u32, head_dim: u32) -> u64 {
    [k_type, v_type]
        .into_iter()
        .filter_map(KvFormat::from_word)
        .map(|f| f.row_bytes(head_dim as usize) as u64)
        .sum()
}

/// What every kernel on a cache asks of its formats.
pub(crate) fn check(
    kernel: &'static str,
    head_dim: u32,
    k_type: u32,
    v_type: u32,
) -> Result<(), KernelError> {
    for (name, word) in [("keys", k_type), ("values", v_type)] {
        let Some(format) = KvFormat::from_word(word) else {
            return Err(KernelError::Constants { kernel, what: format!("{name} in cache format {word}") });
        };
        require(kernel, format.holds(head_dim as usize), || {
            let f = format.name();
            format!(
                "{name} in {f} need heads of a multiple of {KV_GROUP}, these have {head_dim}; use f16 or bf16"
            )
        })?;
    }
    Ok(())
}

/// What the CUDA kernels ask of a cache: 16 bits or less an element.
pub(crate) fn check_cuda(
    kernel: &'static str,
    head_dim: u32,
    k_type: u32,
    v_type: u32,
) -> Result<(), KernelError> {
    check(kernel, head_dim, k_type, v_type)?;
    let formats = [k_type, v_type].map(KvFormat::from_word);
    if head_dim.is_multiple_of(2) && !formats.contains(&Some(KvFormat::F32)) {
        return Ok(());
    }
    let what = format!("heads of {head_dim} with {} on CUDA", names(k_type, v_type));
    Err(KernelError::Unsupported { kernel, what })
}
