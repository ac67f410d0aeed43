//! A source whose matrices come in another format than its files have: they are quantized while they are read.
//!
//! Deliberately absent: which format is wanted, and when.

use crate::ModelError;
use crate::config::ModelConfig;
use crate::convert::dequantize;
use crate::quantize::{Recipe, quantize_row};
use crate::source::{TensorInfo, WeightSource};
use akunu_kernels::DType;
use std::path::Path;

/// Values that are converted at a time.
const VALUES: u64 = 1 << 14;

/// Matrices that are added and not multiplied: they stay as they are.
const ADDED: [&str; 4] =
    ["positions.weight", "segments.weight", "distance_bias.weight", "audio.positions.weight"];

/// Embeddings and the output head, which are one matrix in many models; and what the host computes.
const ENDS: [&str; 3] = ["embed.weight", "output.weight", "score.dense.weight"];

/// What a decoder makes keys and values of audio by.
const CROSS: [&str; 2] = [".cross.k.weight", ".cross.v.weight"];

/// Attention's values and the first matrices of the feed-forward part.
const FIRST: [&str; 3] = [".attention.v.weight", ".ffn.gate.weight", ".ffn.up.weight"];

/// Which matrices are narrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// All; one that is quantized already is an error, unless it has the wanted format.
    Every,
    /// Those of layers. Embeddings and the output head, whose errors go straight into results, stay as they are, and so does what is
    /// quantized already, or as narrow.
    Layers,
    /// Of a model of speech those of them that a window of audio goes through: the encoder's, and what makes the decoder's keys and values of it.
    Audio,
    /// The other ones, which a token goes through.
    Tokens,
    /// The same without those by which vectors lose most: what attention's values are made by, and the first matrices of the feed-forward part.
    LayersButFirst,
}

/// A source with its matrices of 16 and 32 bits in the formats of a recipe.
///
/// Vectors stay as they are, and so do matrices whose rows are no whole number of blocks of a format of few bits.
pub struct Narrowed {
    source: Box<dyn WeightSource>,
    tensors: Vec<TensorInfo>,
}

impl Narrowed {
    /// Nothing is read yet.
    pub fn new(source: Box<dyn WeightSource>, recipe: &Recipe, narrow: Narrow) -> Result<Self, ModelError> {
        let tied = source.find("output.weight").is_none();
        let mut tensors = source.tensors().to_vec();
        for t in tensors.iter_mut().filter(|t| t.rows > 1 && !ADDED.contains(&t.name.as_str())) {
            if narrow != Narrow::Every && (ENDS.contains(&t.name.as_str()) || !is_float(t.dtype)) {
                continue;
            }
            let of_audio = t.name.starts_with("audio.") || CROSS.iter().any(|part| t.name.ends_with(part));
            if narrow == Narrow::Audio && !of_audio || narrow == Narrow::Tokens && of_audio {
                continue;
            }
            if narrow == Narrow::LayersButFirst && FIRST.iter().any(|part| t.name.ends_with(part)) {
                continue;
            }
            let choice = recipe.choice(source.config(), tied, &t.name, t.cols);
            // (Where no block fits, the recipe's choice is a float; the file's is as good.)
            if choice.dtype == t.dtype || (is_float(choice.dtype) && !is_float(choice.wanted)) {
                continue;
            }
            if narrow != Narrow::Every && t.dtype.row_bytes(t.cols) <= choice.dtype.row_bytes(t.cols) {
                continue;
            }
            if !is_float(t.dtype) {
                return Err(ModelError::Convert {
                    path: source.path_of(t).into(),
                    what: format!("tensor `{}` is quantized already ({})", t.file_name, t.dtype),
                    remedy: "leave --dtype out, or use the F16 or BF16 model".into(),
                });
            }
            t.dtype = choice.dtype;
            t.bytes = t.rows * t.dtype.row_bytes(t.cols);
        }
        Ok(Self { source, tensors })
    }
}

fn is_float(d: DType) -> bool {
    matches!(d, DType::F32 | DType::F16 | DType::Bf16)
}

impl WeightSource for Narrowed {
    fn config(&self) -> &ModelConfig {
        self.source.config()
    }

    fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let own = match self.source.find(&tensor.name) {
            Some(own) if own.dtype != tensor.dtype => own,
            _ => return self.source.read(tensor, offset, out),
        };
        let (block, block_bytes) =
            (u64::from(tensor.dtype.block()), u64::from(tensor.dtype.info().block_bytes));
        let value_bytes = own.dtype.row_bytes(1);
        let (first, end) = (offset / block_bytes, (offset + out.len() as u64).div_ceil(block_bytes));
        let at_once = (VALUES / block).max(1);
        let (mut native, mut values, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        let mut rest = out;
        // Bytes of the first block that nobody asked for.
        let mut skip = (offset - first * block_bytes) as usize;
        for from in (first..end).step_by(at_once as usize) {
            let n = at_once.min(end - from);
            native.resize((n * block * value_bytes) as usize, 0);
            let at = from * block * value_bytes;
            self.source.read(own, at, &mut native)?;
            // A quantizer takes finite values only, and would hide the others.
            self.source.check_finite(own, at, &native)?;
            values.resize((n * block) as usize, 0.0);
            dequantize(own, &native, &mut values);
            blocks.resize((n * block_bytes) as usize, 0);
            quantize_row(tensor.dtype, &values, None, &mut blocks);
            let wanted = &blocks[skip..];
            let (to, after) = rest.split_at_mut(wanted.len().min(rest.len()));
            to.copy_from_slice(&wanted[..to.len()]);
            (rest, skip) = (after, 0);
        }
        Ok(())
    }

    fn unmapped(&self) -> &[String] {
        self.source.unmapped()
    }

    fn ignored(&self) -> &[(String, &'static str)] {
        self.source.ignored()
    }

    fn path_of(&self, tensor: &TensorInfo) -> &Path {
        self.source.path_of(tensor)
    }

    fn holds(&self, canonical: &Path) -> bool {
        self.source.holds(canonical)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::Synthetic;

    fn narrowed(spec: &str, recipe: &str, narrow: Narrow) -> Result<Narrowed, ModelError> {
        let source = Synthetic::parse(spec).unwrap_or_else(|e| unreachable!("{e}"));
        let recipe = Recipe::parse(recipe).unwrap_or_else(|| unreachable!("{recipe}"));
        Narrowed::new(Box::new(source), &recipe, narrow)
    }

    fn all(source: &dyn WeightSource, t: &TensorInfo) -> Vec<u8> {
        let mut bytes = vec![0; t.bytes as usize];
        source.read(t, 0, &mut bytes).unwrap_or_else(|e| unreachable!("{e}"));
        bytes
    }

    /// What is read is what the quantizer makes of the file's values, from any byte on.
    #[test]
    fn matrices_are_quantized_as_they_are_read() {
        let (n, plain) =
            (narrowed("tiny-llama:f16", "q8_0", Narrow::Every), Synthetic::parse("tiny-llama:f16"));
        let (n, plain) =
            (n.unwrap_or_else(|e| unreachable!("{e}")), plain.unwrap_or_else(|e| unreachable!("{e}")));
        let mut changed = 0;
        for (t, own) in n.tensors().iter().zip(plain.tensors()) {
            let (bytes, native) = (all(&n, t), all(&plain, own));
            if t.rows == 1 {
                assert_eq!((t, &bytes), (own, &native));
                continue;
            }
            changed += 1;
            assert_eq!(t.dtype, DType::Q8_0);
            let mut values = vec![0.0; (own.rows * own.cols) as usize];
            dequantize(own, &native, &mut values);
            let mut want = vec![0; bytes.len()];
            quantize_row(DType::Q8_0, &values, None, &mut want);
            assert!(bytes == want, "{}", t.name);
            for (from, len) in [(0, 1), (33, 2), (34, 34), (35, 1000), (bytes.len() - 5, 5)] {
                let mut part = vec![0; len];
                n.read(t, from as u64, &mut part).unwrap_or_else(|e| unreachable!("{e}"));
                assert!(part == want[from..from + len], "{} from {from}", t.name);
            }
        }
        assert!(changed > 5);
    }

    #[test]
    fn what_is_quantized_is_kept_or_refused() {
        let kept =
            narrowed("tiny-llama:q4_0", "q8_0", Narrow::Layers).unwrap_or_else(|e| unreachable!("{e}"));
        assert!(kept.tensors().iter().any(|t| t.dtype == DType::Q4_0));
        let layers =
            narrowed("tiny-llama:f16", "q8_0", Narrow::Layers).unwrap_or_else(|e| unreachable!("{e}"));
        let is = |n: &Narrowed, name: &str, d| n.find(name).is_some_and(|t| t.dtype == d);
        assert!(
            is(&layers, "embed.weight", DType::F16) && is(&layers, "layers.0.ffn.down.weight", DType::Q8_0)
        );
        assert!(is(&layers, "layers.0.attention.v.weight", DType::Q8_0));
        let without = narrowed("tiny-llama:f16", "q8_0", Narrow::LayersButFirst)
            .unwrap_or_else(|e| unreachable!("{e}"));
        for (name, dtype) in [
            ("attention.v", DType::F16),
            ("ffn.up", DType::F16),
            ("ffn.gate", DType::F16),
            ("attention.q", DType::Q8_0),
            ("attention.output", DType::Q8_0),
            ("ffn.down", DType::Q8_0),
        ] {
            assert!(is(&without, &format!("layers.0.{name}.weight"), dtype), "{name}");
        }
        // As narrow already, and wider.
        for (from, to) in [(DType::Bf16, DType::Bf16), (DType::F16, DType::F16), (DType::F32, DType::F16)] {
            let n = narrowed(&format!("tiny-llama:{from}"), "f16", Narrow::Layers)
                .unwrap_or_else(|e| unreachable!("{e}"));
            assert!(is(&n, "layers.0.ffn.down.weight", to) && is(&n, "embed.weight", from), "{from}");
        }
        let e = narrowed("tiny-llama:q4_0", "q8_0", Narrow::Every).err().map(|e| e.to_string());
        assert!(e.is_some_and(|e| e.contains("quantized already") && e.contains("--dtype")));
        assert!(narrowed("tiny-llama:q4_0", "q4_0", Narrow::Every).is_ok());
    }
}
