//! Models of real shapes with random weights, made in memory: what speed is measured on when no file is at hand.
//!
//! Matrices are normal with mean 0 and deviation 0.02, norms are 1. Every tensor has the format, and so the bytes,
//! that its [`Recipe`] gives it in a real model; the totals equal those of `synth_gguf.py`, this project's tool that
//! writes such models to disk. The text such a model makes means nothing.
//!
//! Numbers are drawn once per format into a pool and quantized once; a tensor is windows of that pool, at places
//! that its index decides. So a read costs a copy and gives the same bytes whatever its offset, length or thread,
//! and each tensor has memory of its own: the caller's.

mod pool;
mod shapes;

use crate::config::{AttentionOptions, RopeConfig, RopeScaling, SamplingDefaults};
use crate::quantize::Recipe;
use crate::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;
use akunu_kernels::dtype::DTYPES;
use shapes::{SHAPES, Shape};
use std::sync::OnceLock;

/// Values in a pool: enough that windows differ, few enough that the slowest quantizer takes a fraction of a second.
const POOL: usize = 1 << 20;
/// Deviation of the weights.
const DEVIATION: f32 = 0.02;

/// A model of random weights.
pub struct Synthetic {
    shape: &'static Shape,
    recipe: Recipe,
    config: ModelConfig,
    tensors: Vec<TensorInfo>,
    /// Quantized normals by index in [`DTYPES`], made when first read.
    pools: Vec<OnceLock<Vec<u8>>>,
}

/// Tensors of one format and their bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DTypeTotal {
    /// The format.
    pub dtype: DType,
    /// How many tensors have it.
    pub tensors: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Synthetic {
    /// A model from `SHAPE:DTYPE`, such as `llama-3.2-1b:q4_k_m`; DTYPE is a recipe or a format.
    pub fn parse(spec: &str) -> Result<Self, ModelError> {
        let fail = |what: String, remedy: String| ModelError::Synthetic { spec: spec.into(), what, remedy };
        let Some((shape, dtype)) = spec.split_once(':') else {
            return Err(fail("no `:`".into(), "write SHAPE:DTYPE, such as llama-3.2-1b:q4_0".into()));
        };
        let Some(found) = SHAPES.iter().find(|s| s.name == shape || s.alias == Some(shape)) else {
            return Err(fail(format!("no shape `{shape}`"), format!("shapes are {}", join(shape_names()))));
        };
        match Recipe::parse(dtype) {
            Some(recipe) => Ok(Self::new(found, recipe)),
            None => {
                let names = join(Recipe::names());
                Err(fail(
                    format!("no format `{dtype}`"),
                    format!("formats are {names}, and MLX's, such as affine4_g64"),
                ))
            }
        }
    }

    fn new(shape: &'static Shape, recipe: Recipe) -> Self {
        let config = config(shape);
        let tensors = shape.tensors().into_iter().map(|t| t.info(shape, &config, &recipe)).collect();
        let pools = DTYPES.iter().map(|_| OnceLock::new()).collect();
        Self { shape, recipe, config, tensors, pools }
    }

    /// What it is, in one line.
    pub fn describe(&self) -> String {
        let totals: Vec<String> =
            self.totals().iter().map(|t| format!("{} {} {} B", t.tensors, t.dtype, t.bytes)).collect();
        format!(
            "synthetic {}:{}, random weights, {} B ({})",
            self.shape.name,
            self.recipe,
            self.total_bytes(),
            totals.join(", ")
        )
    }

    /// Bytes of all tensors, as a file of this model would hold them (the frequency divisors, which live in
    /// the configuration, included).
    pub fn total_bytes(&self) -> u64 {
        self.totals().iter().map(|t| t.bytes).sum()
    }

    /// Tensors and bytes by format, in order of the format's id; what [`Synthetic::total_bytes`] adds up.
    pub fn totals(&self) -> Vec<DTypeTotal> {
        let factors = match &self.config.rope.scaling {
            RopeScaling::Factors(f) => Some((DType::F32, f.len() as u64 * 4)),
            _ => None,
        };
        let all = || self.tensors.iter().map(|t| (t.dtype, t.bytes)).chain(factors);
        let of = |dtype: DType| {
            let mine = || all().filter(|(d, _)| *d == dtype);
            DTypeTotal { dtype, tensors: mine().count() as u64, bytes: mine().map(|(_, b)| b).sum() }
        };
        DTYPES.iter().map(|d| of(d.dtype)).filter(|t| t.tensors > 0).collect()
    }

    fn pool(&self, dtype: DType) -> &[u8] {
        let at = DTYPES.iter().position(|d| d.dtype == dtype).and_then(|i| self.pools.get(i));
        at.map_or(&[], |p| p.get_or_init(|| pool::make(dtype, POOL, DEVIATION)))
    }

    /// Copies bytes of the endless stream of windows that belongs to tensor `index`.
    fn copy_windows(&self, index: usize, dtype: DType, mut offset: u64, mut out: &mut [u8]) {
        let pool = self.pool(dtype);
        let block = dtype.info().block_bytes as usize;
        // A window is half the pool, and begins at any block of the first half.
        let starts = pool.len() / block / 2;
        let window = starts * block;
        while !out.is_empty() && window > 0 {
            let (number, within) = (offset / window as u64, (offset % window as u64) as usize);
            let start = (mix(index as u64, number) % starts as u64) as usize * block + within;
            let n = out.len().min(window - within);
            let (head, rest) = out.split_at_mut(n);
            head.copy_from_slice(&pool[start..start + n]);
            out = rest;
            offset += n as u64;
        }
    }
}

impl std::fmt::Debug for Synthetic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Synthetic({}:{})", self.shape.name, self.recipe)
    }
}

impl WeightSource for Synthetic {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let end = offset.saturating_add(out.len() as u64);
        let index = self.tensors.iter().position(|t| t == tensor && end <= t.bytes);
        let Some(index) = index else {
            let (tensor, bytes) = (tensor.name.clone(), tensor.bytes);
            return Err(ModelError::ReadRange { tensor, bytes, offset, end });
        };
        if tensor.rows == 1 {
            let one = 1f32.to_le_bytes();
            let first = (offset % 4) as usize;
            out.iter_mut().enumerate().for_each(|(i, b)| *b = one[(first + i) % 4]);
        } else {
            self.copy_windows(index, tensor.dtype, offset, out);
        }
        Ok(())
    }
}

/// Names of the shapes that can be made.
pub fn shape_names() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|s| s.name)
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn config(s: &Shape) -> ModelConfig {
    ModelConfig {
        encoder: None,
        audio: None,
        arch: s.arch.into(),
        name: Some(format!("synthetic {}", s.name)),
        layers: s.layers,
        hidden: s.hidden,
        heads: s.heads,
        kv_heads: s.kv_heads,
        head_dim: s.head_dim,
        ffn: s.ffn,
        vocab: s.vocab,
        context: s.context,
        norm_eps: s.norm_eps,
        rope: RopeConfig {
            base: s.rope_base,
            dim: s.head_dim,
            pairing: s.pairing,
            scaling: s.rope_factors().map_or(RopeScaling::None, RopeScaling::Factors),
            magnitude: 1.0,
        },
        attention: AttentionOptions::default(),
        logits_softcap: None,
        experts: s.experts,
        sampling: SamplingDefaults::default(),
    }
}

/// One step of SplitMix64 over two numbers: windows of neighbouring tensors must not resemble each other.
fn mix(a: u64, b: u64) -> u64 {
    let mut z = a.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(b).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests;
