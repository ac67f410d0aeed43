//! Shapes of real models, and the format of each of their tensors.

use crate::TensorInfo;
use crate::config::{ExpertsConfig, ModelConfig, RopePairing};
use crate::quantize::Recipe;
use akunu_kernels::DType;
use std::f64::consts::PI;

/// One model's shape.
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) arch: &'static str,
    pub(super) pairing: RopePairing,
    pub(super) alias: Option<&'static str>,
    pub(super) layers: u32,
    pub(super) hidden: u32,
    pub(super) heads: u32,
    pub(super) kv_heads: u32,
    pub(super) head_dim: u32,
    pub(super) ffn: u32,
    pub(super) vocab: u32,
    /// The embedding is the output head too.
    tied: bool,
    pub(super) rope_base: f32,
    pub(super) context: u32,
    pub(super) norm_eps: f32,
    llama3_rope: Option<Llama3Rope>,
    /// Queries and keys are normalised, head by head.
    qk_norm: bool,
    pub(super) experts: Option<ExpertsConfig>,
}

/// Llama 3.1's frequency scaling, see [`crate::config::RopeScaling::Llama3`].
struct Llama3Rope {
    factor: f64,
    low: f64,
    high: f64,
    original_context: f64,
}

const LLAMA: Shape = Shape {
    name: "",
    arch: "llama",
    pairing: RopePairing::Adjacent,
    alias: None,
    layers: 0,
    hidden: 0,
    heads: 0,
    kv_heads: 0,
    head_dim: 0,
    ffn: 0,
    vocab: 0,
    tied: true,
    rope_base: 10_000.0,
    context: 2048,
    norm_eps: 1e-5,
    llama3_rope: None,
    qk_norm: false,
    experts: None,
};

const QWEN3: Shape = Shape {
    arch: "qwen3",
    pairing: RopePairing::SplitHalf,
    head_dim: 128,
    vocab: 151_936,
    rope_base: 1e6,
    context: 40_960,
    norm_eps: 1e-6,
    qk_norm: true,
    ..LLAMA
};

/// Every shape.
pub(super) static SHAPES: &[Shape] = &[
    Shape {
        name: "tiny-llama",
        layers: 2,
        hidden: 256,
        heads: 4,
        kv_heads: 2,
        head_dim: 64,
        ffn: 512,
        vocab: 1024,
        ..LLAMA
    },
    Shape {
        name: "smollm2-135m",
        alias: Some("smollm-135m"),
        layers: 30,
        hidden: 576,
        heads: 9,
        kv_heads: 3,
        head_dim: 64,
        ffn: 1536,
        vocab: 49_152,
        ..LLAMA
    },
    // To draft for models with Llama 3's vocabulary.
    Shape {
        name: "smollm2-135m-v128k",
        layers: 30,
        hidden: 576,
        heads: 9,
        kv_heads: 3,
        head_dim: 64,
        ffn: 1536,
        vocab: 128_256,
        ..LLAMA
    },
    Shape {
        name: "llama-3.2-1b",
        layers: 16,
        hidden: 2048,
        heads: 32,
        kv_heads: 8,
        head_dim: 64,
        ffn: 8192,
        vocab: 128_256,
        rope_base: 500_000.0,
        context: 131_072,
        llama3_rope: Some(Llama3Rope { factor: 32.0, low: 1.0, high: 4.0, original_context: 8192.0 }),
        ..LLAMA
    },
    Shape { name: "qwen3-0.6b", layers: 28, hidden: 1024, heads: 16, kv_heads: 8, ffn: 3072, ..QWEN3 },
    Shape {
        name: "qwen3-30b-a3b",
        arch: "qwen3moe",
        layers: 48,
        hidden: 2048,
        heads: 32,
        kv_heads: 4,
        ffn: 6144,
        tied: false,
        experts: Some(ExpertsConfig { count: 128, used: 8, ffn: 768, normalized: true }),
        ..QWEN3
    },
    Shape {
        name: "tiny-qwen3",
        layers: 2,
        hidden: 256,
        heads: 4,
        kv_heads: 2,
        head_dim: 64,
        ffn: 512,
        vocab: 1024,
        context: 2048,
        ..QWEN3
    },
    Shape {
        name: "tiny-qwen3moe",
        arch: "qwen3moe",
        layers: 2,
        hidden: 256,
        heads: 4,
        kv_heads: 2,
        head_dim: 64,
        ffn: 512,
        vocab: 1024,
        context: 2048,
        tied: false,
        experts: Some(ExpertsConfig { count: 8, used: 2, ffn: 256, normalized: true }),
        ..QWEN3
    },
    Shape {
        name: "llama-3-8b",
        layers: 32,
        hidden: 4096,
        heads: 32,
        kv_heads: 8,
        head_dim: 128,
        ffn: 14_336,
        vocab: 128_256,
        tied: false,
        rope_base: 500_000.0,
        context: 8192,
        ..LLAMA
    },
];

/// A tensor of a shape: both names, rows, and columns (`None` for a norm).
pub(super) struct Planned {
    name: String,
    file_name: String,
    rows: u32,
    cols: Option<u32>,
}

impl Shape {
    /// Every tensor but the frequency divisors, in file order.
    pub(super) fn tensors(&self) -> Vec<Planned> {
        let one = |name: &str, file: &str, rows, cols| Planned {
            name: name.into(),
            file_name: file.into(),
            rows,
            cols,
        };
        let mut all = vec![one("embed.weight", "token_embd.weight", self.vocab, Some(self.hidden))];
        if !self.tied {
            all.push(one("output.weight", "output.weight", self.vocab, Some(self.hidden)));
        }
        all.push(one("output_norm.weight", "output_norm.weight", self.hidden, None));
        for i in 0..self.layers {
            for (name, file, rows, cols) in self.layer() {
                all.push(one(
                    &format!("layers.{i}.{name}.weight"),
                    &format!("blk.{i}.{file}.weight"),
                    rows,
                    cols,
                ));
            }
        }
        all
    }

    /// The tensors of a layer: canonical name, name in a GGUF, rows, columns.
    fn layer(&self) -> Vec<(&'static str, &'static str, u32, Option<u32>)> {
        let (h, q, kv) = (self.hidden, self.heads * self.head_dim, self.kv_heads * self.head_dim);
        let mut all = vec![
            ("attention_norm", "attn_norm", h, None),
            ("attention.q", "attn_q", q, Some(h)),
            ("attention.k", "attn_k", kv, Some(h)),
            ("attention.v", "attn_v", kv, Some(h)),
        ];
        if self.qk_norm {
            all.push(("attention.q_norm", "attn_q_norm", self.head_dim, None));
            all.push(("attention.k_norm", "attn_k_norm", self.head_dim, None));
        }
        all.push(("attention.output", "attn_output", h, Some(q)));
        all.push(("ffn_norm", "ffn_norm", h, None));
        match self.experts {
            None => all.extend([
                ("ffn.gate", "ffn_gate", self.ffn, Some(h)),
                ("ffn.up", "ffn_up", self.ffn, Some(h)),
                ("ffn.down", "ffn_down", h, Some(self.ffn)),
            ]),
            Some(e) => all.extend([
                ("ffn.router", "ffn_gate_inp", e.count, Some(h)),
                ("ffn.experts.gate", "ffn_gate_exps", e.count * e.ffn, Some(h)),
                ("ffn.experts.up", "ffn_up_exps", e.count * e.ffn, Some(h)),
                ("ffn.experts.down", "ffn_down_exps", e.count * h, Some(e.ffn)),
            ]),
        }
        all
    }

    /// Llama 3's frequency divisors, `[head_dim / 2]`.
    pub(super) fn rope_factors(&self) -> Option<Vec<f32>> {
        let r = self.llama3_rope.as_ref()?;
        let n = self.head_dim / 2;
        let factor = |i: u32| {
            let wavelength = 2.0 * PI * f64::from(self.rope_base).powf(f64::from(i) / f64::from(n));
            if wavelength < r.original_context / r.high {
                1.0
            } else if wavelength > r.original_context / r.low {
                r.factor
            } else {
                let smooth = (r.original_context / wavelength - r.low) / (r.high - r.low);
                1.0 / ((1.0 - smooth) / r.factor + smooth)
            }
        };
        Some((0..n).map(|i| factor(i) as f32).collect())
    }
}

impl Planned {
    pub(super) fn info(self, shape: &Shape, config: &ModelConfig, recipe: &Recipe) -> TensorInfo {
        let (dtype, rows, cols) = match self.cols {
            None => (DType::F32, 1, self.rows),
            Some(cols) => (recipe.dtype(config, shape.tied, &self.name, cols.into()), self.rows, cols),
        };
        let bytes = u64::from(rows) * dtype.row_bytes(cols.into());
        let (rows, cols) = (rows.into(), cols.into());
        TensorInfo { name: self.name, file_name: self.file_name, dtype, rows, cols, bytes }
    }
}
