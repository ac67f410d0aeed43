//! Shapes of real models, and the format of each of their tensors.

use crate::TensorInfo;
use akunu_kernels::DType;
use std::f64::consts::PI;

/// One model's shape.
pub(super) struct Shape {
    pub(super) name: &'static str,
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
    /// Architecture without a descriptor: the shape is known but cannot run.
    pub(super) missing_arch: Option<&'static str>,
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
    missing_arch: None,
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
    Shape {
        name: "qwen3-0.6b",
        layers: 28,
        hidden: 1024,
        heads: 16,
        kv_heads: 8,
        head_dim: 128,
        ffn: 3072,
        vocab: 151_936,
        rope_base: 1e6,
        context: 40_960,
        norm_eps: 1e-6,
        missing_arch: Some("qwen3"),
        ..LLAMA
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
        let (h, q, kv) = (self.hidden, self.heads * self.head_dim, self.kv_heads * self.head_dim);
        let layer = [
            ("attention_norm", "attn_norm", h, None),
            ("attention.q", "attn_q", q, Some(h)),
            ("attention.k", "attn_k", kv, Some(h)),
            ("attention.v", "attn_v", kv, Some(h)),
            ("attention.output", "attn_output", h, Some(q)),
            ("ffn_norm", "ffn_norm", h, None),
            ("ffn.gate", "ffn_gate", self.ffn, Some(h)),
            ("ffn.up", "ffn_up", self.ffn, Some(h)),
            ("ffn.down", "ffn_down", h, Some(self.ffn)),
        ];
        for i in 0..self.layers {
            for (name, file, rows, cols) in layer {
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

    /// The choice of llama.cpp's quantizer for one matrix: the head of a four-bit file is Q6_K, and where a row
    /// is no multiple of 256 Q6_K becomes Q8_0.
    fn dtype_of(&self, name: &str, cols: u32, wanted: DType) -> DType {
        let is_head = name == "output.weight" || (self.tied && name == "embed.weight");
        let dtype = if is_head && matches!(wanted, DType::Q4_0 | DType::Q4_1) { DType::Q6K } else { wanted };
        if dtype == DType::Q6K && !cols.is_multiple_of(dtype.block()) { DType::Q8_0 } else { dtype }
    }
}

impl Planned {
    pub(super) fn info(self, shape: &Shape, wanted: DType) -> TensorInfo {
        let (dtype, rows, cols) = match self.cols {
            None => (DType::F32, 1, self.rows),
            Some(cols) => (shape.dtype_of(&self.name, cols, wanted), self.rows, cols),
        };
        let bytes = u64::from(rows) * dtype.row_bytes(cols.into());
        let (rows, cols) = (rows.into(), cols.into());
        TensorInfo { name: self.name, file_name: self.file_name, dtype, rows, cols, bytes }
    }
}
