//! How the bytes of file tensors become those of a weight.
//!
//! A weight is some blocks in a row, and every conversion works block by block: block i of the weight comes from the
//! i-th codes and the i-th scale. So a range of bytes is read without the rest of the tensor.

use super::directory::Directory;
use super::header::ElementType;
use crate::ModelError;
use crate::TensorInfo;
use akunu_kernels::dtype::affine;
use akunu_kernels::dtype::microscaling::e4m3;
use half::{bf16, f16};

/// Blocks that are converted at once, so that the buffers stay small.
const BATCH: u64 = 1 << 14;

/// How the file stores a weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// As we do.
    Same,
    /// Numbers that become F32, and what is added to each.
    Numbers { from: ElementType, plus: f32 },
    /// MLX's codes, scales and biases.
    Affine,
    /// MLX's codes and E8M0 scales, 32 values of 4 bits.
    Mxfp4,
    /// MLX's codes and E8M0 scales, 32 values of 8 bits.
    Mxfp8,
    /// MLX's codes and E4M3 scales, 16 values of 4 bits.
    Nvfp4,
    /// E4M3 with a scale for so many rows and columns; becomes BF16.
    Fp8 { scale: ElementType, rows: u64, cols: u64 },
}

/// Rows of a weight that come from one file tensor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// Index of the tensor in the directory.
    pub(super) weight: usize,
    /// Its scales.
    pub(super) scales: Option<usize>,
    /// Its biases (of the quantization, not of the layer).
    pub(super) biases: Option<usize>,
    /// First row in the file's tensor.
    pub(super) first_row: u64,
    /// Rows.
    pub(super) rows: u64,
}

/// Where a weight comes from.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) form: Form,
    pub(super) parts: Vec<Part>,
}

/// A weight that is being read.
pub(super) struct Reader<'a> {
    pub(super) dir: &'a Directory,
    pub(super) recipe: &'a Recipe,
    pub(super) info: &'a TensorInfo,
}

impl Reader<'_> {
    /// Fills `out` from byte `offset` of the weight; the caller has checked the range.
    pub(super) fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let size = u64::from(self.info.dtype.info().block_bytes);
        let (mut offset, mut out) = (offset, out);
        // Blocks that only a part of is asked for are made whole beside it.
        let mut whole = vec![0; size as usize];
        while !out.is_empty() {
            let (block, within) = (offset / size, (offset % size) as usize);
            let n = if within == 0 && out.len() as u64 >= size {
                let n = out.len() - out.len() % size as usize;
                self.blocks(block, &mut out[..n])?;
                n
            } else {
                self.blocks(block, &mut whole)?;
                let n = out.len().min(whole.len() - within);
                out[..n].copy_from_slice(&whole[within..within + n]);
                n
            };
            offset += n as u64;
            out = &mut out[n..];
        }
        Ok(())
    }

    /// Whole blocks from block `first` on.
    fn blocks(&self, first: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let info = self.info.dtype.info();
        let size = info.block_bytes as usize;
        let per_row = self.info.cols / u64::from(info.block);
        let (mut block, mut out) = (first, out);
        let mut start = 0;
        for part in &self.recipe.parts {
            let end = start + part.rows * per_row;
            while block < end && !out.is_empty() {
                let n = (end - block).min((out.len() / size) as u64);
                // Plain bytes go straight to their place, whatever their number.
                let n = if self.recipe.form == Form::Same { n } else { n.min(BATCH) };
                let (now, rest) = out.split_at_mut(n as usize * size);
                self.convert(part, part.first_row * per_row + block - start, now)?;
                out = rest;
                block += n;
            }
            start = end;
        }
        Ok(())
    }

    /// Whole blocks of one part, from block `at` of its file tensor on.
    fn convert(&self, part: &Part, at: u64, out: &mut [u8]) -> Result<(), ModelError> {
        match self.recipe.form {
            Form::Same => {
                let size = u64::from(self.info.dtype.info().block_bytes);
                self.bytes_into(Some(part.weight), at * size, out)
            }
            Form::Numbers { from, plus } => {
                let n = out.len() as u64 / 4;
                let bytes = self.bytes(Some(part.weight), at * from.bits() / 8, n * from.bits() / 8)?;
                for (i, o) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                    *o = (number(from, &bytes, i) + plus).to_le_bytes();
                }
                Ok(())
            }
            Form::Affine => self.affine(part, at, out),
            Form::Mxfp4 => self.mxfp4(part, at, out),
            Form::Mxfp8 => self.mxfp8(part, at, out),
            Form::Nvfp4 => self.nvfp4(part, at, out),
            Form::Fp8 { scale, rows, cols } => self.fp8(part, at, out, (scale, rows, cols)),
        }
    }

    fn affine(&self, part: &Part, at: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let size = self.info.dtype.info().block_bytes as usize;
        let codes = size - affine::HEADER;
        let n = (out.len() / size) as u64;
        let scales = self.bytes(part.scales, at * 2, n * 2)?;
        let biases = self.bytes(part.biases, at * 2, n * 2)?;
        let codes_of = self.bytes(Some(part.weight), at * codes as u64, n * codes as u64)?;
        let heads = scales.chunks_exact(2).zip(biases.chunks_exact(2));
        for ((o, c), (s, b)) in out.chunks_exact_mut(size).zip(codes_of.chunks_exact(codes)).zip(heads) {
            o[..2].copy_from_slice(s);
            o[2..4].copy_from_slice(b);
            o[affine::HEADER..].copy_from_slice(c);
        }
        Ok(())
    }

    fn mxfp4(&self, part: &Part, at: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let blocks = out.as_chunks_mut::<17>().0;
        let n = blocks.len() as u64;
        let scales = self.bytes(part.scales, at, n)?;
        let codes = self.bytes(Some(part.weight), at * 16, n * 16)?;
        for ((o, c), s) in blocks.iter_mut().zip(codes.as_chunks::<16>().0).zip(scales) {
            o[0] = s;
            apart(c, &mut o[1..]);
        }
        Ok(())
    }

    fn mxfp8(&self, part: &Part, at: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let blocks = out.as_chunks_mut::<33>().0;
        let n = blocks.len() as u64;
        let scales = self.bytes(part.scales, at, n)?;
        let codes = self.bytes(Some(part.weight), at * 32, n * 32)?;
        for ((o, c), s) in blocks.iter_mut().zip(codes.as_chunks::<32>().0).zip(scales) {
            o[0] = s;
            o[1..].copy_from_slice(c);
        }
        Ok(())
    }

    fn nvfp4(&self, part: &Part, at: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let blocks = out.as_chunks_mut::<36>().0;
        let n = blocks.len() as u64;
        let scales = self.bytes(part.scales, at * 4, n * 4)?;
        let codes = self.bytes(Some(part.weight), at * 32, n * 32)?;
        let from = codes.as_chunks::<32>().0.iter().zip(scales.as_chunks::<4>().0);
        for (o, (c, s)) in blocks.iter_mut().zip(from) {
            o[..4].copy_from_slice(s);
            for (c, o) in c.chunks_exact(8).zip(o[4..].chunks_exact_mut(8)) {
                apart(c, o);
            }
        }
        Ok(())
    }

    /// `out` is BF16, a block one value.
    fn fp8(
        &self,
        part: &Part,
        at: u64,
        out: &mut [u8],
        (scale, rows, cols): (ElementType, u64, u64),
    ) -> Result<(), ModelError> {
        let k = self.info.cols;
        let n = out.len() as u64 / 2;
        let codes = self.bytes(Some(part.weight), at, n)?;
        let per_row = k.div_ceil(cols);
        let first = at / k / rows;
        let last = (at + n.max(1) - 1) / k / rows;
        let width = scale.bits() / 8;
        let scales =
            self.bytes(part.scales, first * per_row * width, (last - first + 1) * per_row * width)?;
        for ((e, o), c) in (at..).zip(out.as_chunks_mut::<2>().0).zip(codes) {
            let s = (e / k / rows - first) * per_row + e % k / cols;
            *o = bf16::from_f32(e4m3(c) * number(scale, &scales, s as usize)).to_le_bytes();
        }
        Ok(())
    }

    fn bytes(&self, tensor: Option<usize>, offset: u64, len: u64) -> Result<Vec<u8>, ModelError> {
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        self.bytes_into(tensor, offset, &mut bytes)?;
        Ok(bytes)
    }

    fn bytes_into(&self, tensor: Option<usize>, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        match tensor.and_then(|i| self.dir.tensors().get(i)) {
            Some(t) => self.dir.read(t, offset, out),
            // The recipe has every tensor that its form needs.
            None => Err(ModelError::ReadRange {
                tensor: self.info.name.clone(),
                bytes: 0,
                offset,
                end: offset.saturating_add(out.len() as u64),
            }),
        }
    }
}

/// Nibbles in order become nibbles with the first half of the values in the low ones.
fn apart(codes: &[u8], out: &mut [u8]) {
    let half = codes.len();
    let code = |i: usize| codes[i / 2] >> (4 * (i % 2)) & 15;
    for (i, o) in out[..half].iter_mut().enumerate() {
        *o = code(i) | code(i + half) << 4;
    }
}

/// Number `i` of little-endian bytes; NaN for types that are no numbers.
pub(super) fn number(element: ElementType, bytes: &[u8], i: usize) -> f32 {
    match element {
        ElementType::F32 => bytes.as_chunks::<4>().0.get(i).map_or(f32::NAN, |b| f32::from_le_bytes(*b)),
        ElementType::F16 => {
            bytes.as_chunks::<2>().0.get(i).map_or(f32::NAN, |b| f16::from_le_bytes(*b).to_f32())
        }
        ElementType::Bf16 => {
            bytes.as_chunks::<2>().0.get(i).map_or(f32::NAN, |b| bf16::from_le_bytes(*b).to_f32())
        }
        ElementType::F8E4M3 => bytes.get(i).map_or(f32::NAN, |b| e4m3(*b)),
        ElementType::U32 | ElementType::U8 | ElementType::Other(_) => f32::NAN,
    }
}
