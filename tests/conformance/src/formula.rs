//! Models whose weights are a function of their canonical names, so that an oracle in another language has the same
//! without a file. `tools/arch_oracle.py` has the same function.

use akunu::files::config::{
    AttentionOptions, EncoderConfig, ExpertsConfig, Letters, Normalize, Pooling, Purpose, RopeConfig,
    RopePairing, RopeScaling, SamplingDefaults,
};
use akunu::files::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;

/// `n` numbers in [-1, 1): 24 bits of SplitMix64, seeded with the FNV-1a hash of the name.
pub fn values(name: &str, n: usize) -> Vec<f32> {
    let seed =
        name.bytes().fold(0xCBF2_9CE4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
    (1..=n as u64)
        .map(|i| {
            let mut z = seed.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^= z >> 31;
            (z >> 40) as f32 / (1u32 << 23) as f32 - 1.0
        })
        .collect()
}

/// One case of the oracle's.
#[derive(Debug)]
pub struct Formula {
    config: ModelConfig,
    tensors: Vec<TensorInfo>,
}

impl Formula {
    /// From one object of `cases.json`; `None` where a field has another type.
    pub fn new(case: &serde_json::Value) -> Option<Self> {
        let number = |key: &str| case.get(key).and_then(|v| v.as_u64()).map(|v| v as u32);
        let real = |key: &str| case.get(key).and_then(|v| v.as_f64()).map(|v| v as f32);
        let head_dim = number("head_dim")?;
        let config = ModelConfig {
            audio: None,
            encoder: match case.get("encoder") {
                None => None,
                Some(e) => Some(EncoderConfig {
                    positions: e.get("positions").map_or(Some(128), |n| n.as_u64())? as u32,
                    first_position: e["first_position"].as_u64()? as u32,
                    segments: e["segments"].as_u64()? as u32,
                    distance_buckets: e.get("buckets").map_or(Some(0), |n| n.as_u64())? as u32,
                    max_tokens: number("max_tokens")?,
                    pooling: Pooling::Mean,
                    normalize: Normalize::No,
                    letters: Letters::Kept,
                    prompts: Vec::new(),
                    default_prompt: None,
                    purpose: Purpose::Vectors,
                }),
            },
            arch: case.get("arch")?.as_str()?.into(),
            name: None,
            layers: number("layers")?,
            hidden: 64,
            heads: 4,
            kv_heads: number("kv_heads").unwrap_or(2),
            head_dim,
            ffn: 96,
            vocab: 64,
            context: number("max_tokens").unwrap_or(128),
            norm_eps: real("eps").unwrap_or(1e-5),
            rope: RopeConfig {
                base: real("base")?,
                dim: number("rope_dim").unwrap_or(head_dim),
                pairing: RopePairing::SplitHalf,
                scaling: case.get("scaling").map_or(Some(RopeScaling::None), scaling)?,
                magnitude: real("magnitude").unwrap_or(1.0),
            },
            attention: AttentionOptions {
                sliding_window: number("window"),
                windowed: match case.get("windowed") {
                    None => None,
                    Some(list) => Some(list.as_array()?.iter().map(|v| v.as_bool()).collect::<Option<_>>()?),
                },
                local_rope_base: real("local_base"),
                scale: real("scale"),
                softcap: real("softcap"),
                ..AttentionOptions::default()
            },
            logits_softcap: real("logits_softcap"),
            experts: match case.get("experts") {
                None => None,
                Some(e) => Some(ExpertsConfig {
                    count: e[0].as_u64()? as u32,
                    used: e[1].as_u64()? as u32,
                    ffn: e[2].as_u64()? as u32,
                    normalized: e[3].as_bool()?,
                }),
            },
            sampling: SamplingDefaults::default(),
        };
        let mut model = Self { config, tensors: Vec::new() };
        match model.config.encoder.clone() {
            None => model.list(case.get("tied")?.as_bool()?),
            Some(e) => model.list_encoder(&e),
        }
        Some(model)
    }

    /// Every tensor that the architecture has.
    fn list(&mut self, tied: bool) {
        let c = self.config.clone();
        let (d, q, kv) = (c.hidden, c.heads * c.head_dim, c.kv_heads * c.head_dim);
        let has = |archs: &[&str]| archs.contains(&&*c.arch);
        let behind = has(&["gemma2", "gemma3", "olmo2"]);
        self.add("embed.weight", c.vocab, d);
        self.add("output_norm.weight", 1, d);
        if !tied {
            self.add("output.weight", c.vocab, d);
        }
        for i in 0..c.layers {
            let n = |s: &str| format!("layers.{i}.{s}");
            for (part, rows) in [("q", q), ("k", kv), ("v", kv)] {
                self.add(&n(&format!("attention.{part}.weight")), rows, d);
                if has(&["qwen2"]) {
                    self.add(&n(&format!("attention.{part}.bias")), 1, rows);
                }
            }
            self.add(&n("attention.output.weight"), d, q);
            if has(&["qwen3", "qwen3moe", "gemma3"]) {
                self.add(&n("attention.q_norm.weight"), 1, c.head_dim);
                self.add(&n("attention.k_norm.weight"), 1, c.head_dim);
            }
            if has(&["olmo2"]) {
                self.add(&n("attention.q_norm.weight"), 1, q);
                self.add(&n("attention.k_norm.weight"), 1, kv);
            } else {
                self.add(&n("attention_norm.weight"), 1, d);
                self.add(&n("ffn_norm.weight"), 1, d);
            }
            if behind {
                self.add(&n("attention_post_norm.weight"), 1, d);
                self.add(&n("ffn_post_norm.weight"), 1, d);
            }
            match c.experts {
                None => {
                    self.add(&n("ffn.gate.weight"), c.ffn, d);
                    self.add(&n("ffn.up.weight"), c.ffn, d);
                    self.add(&n("ffn.down.weight"), d, c.ffn);
                }
                Some(e) => {
                    self.add(&n("ffn.router.weight"), e.count, d);
                    self.add(&n("ffn.experts.gate.weight"), e.count * e.ffn, d);
                    self.add(&n("ffn.experts.up.weight"), e.count * e.ffn, d);
                    self.add(&n("ffn.experts.down.weight"), e.count * d, e.ffn);
                }
            }
        }
    }

    /// Every tensor of an encoder.
    fn list_encoder(&mut self, e: &EncoderConfig) {
        let c = self.config.clone();
        let (d, f) = (c.hidden, c.ffn);
        let (biased, before) = (c.arch == "bert", c.arch == "modern-bert");
        self.add("embed.weight", c.vocab, d);
        for (name, rows, cols) in [
            ("positions", e.positions, d),
            ("segments", e.segments, d),
            ("distance_bias", e.distance_buckets, c.heads),
        ] {
            if rows > 0 {
                self.add(&format!("{name}.weight"), rows, cols);
            }
        }
        let outer = if before { &["embed_norm", "output_norm"][..] } else { &["embed_norm"] };
        for norm in outer {
            self.add(&format!("{norm}.weight"), 1, d);
        }
        if !before {
            self.add("embed_norm.bias", 1, d);
        }
        for i in 0..c.layers {
            let products = [
                ("attention.q", d, d),
                ("attention.k", d, d),
                ("attention.v", d, d),
                ("attention.output", d, d),
                ("ffn.up", f, d),
                ("ffn.down", d, f),
            ];
            let gate = (!biased).then_some(("ffn.gate", f, d));
            let norms = if before {
                ["attention_norm", "ffn_norm"]
            } else {
                ["attention_post_norm", "ffn_post_norm"]
            };
            // The embeddings' norm is that of the first layer.
            let norms = norms.map(|n| (n, 1, d)).into_iter().skip(usize::from(before && i == 0));
            for (name, rows, cols) in products.into_iter().chain(gate).chain(norms) {
                self.add(&format!("layers.{i}.{name}.weight"), rows, cols);
                let outputs = if rows == 1 { cols } else { rows };
                if biased || (!before && rows == 1) {
                    self.add(&format!("layers.{i}.{name}.bias"), 1, outputs);
                }
            }
        }
    }

    fn add(&mut self, name: &str, rows: u32, cols: u32) {
        let (rows, cols) = (u64::from(rows), u64::from(cols));
        self.tensors.push(TensorInfo {
            name: name.into(),
            file_name: name.into(),
            dtype: DType::F32,
            rows,
            cols,
            bytes: rows * cols * 4,
        });
    }
}

fn scaling(v: &serde_json::Value) -> Option<RopeScaling> {
    let (kind, v) = v.as_object()?.iter().next()?;
    let real = |i: usize| v[i].as_f64().map(|v| v as f32);
    let reals = |i: usize| -> Option<Vec<f32>> {
        v[i].as_array()?.iter().map(|v| v.as_f64().map(|v| v as f32)).collect()
    };
    let original = |i: usize| v[i].as_u64().map(|v| v as u32);
    match &**kind {
        "linear" => Some(RopeScaling::Linear { factor: v.as_f64()? as f32 }),
        "llama3" => Some(RopeScaling::Llama3 {
            factor: real(0)?,
            low_freq_factor: real(1)?,
            high_freq_factor: real(2)?,
            original_context: original(3)?,
        }),
        "yarn" => Some(RopeScaling::Yarn {
            factor: real(0)?,
            beta_fast: real(1)?,
            beta_slow: real(2)?,
            original_context: original(3)?,
        }),
        "longrope" => Some(RopeScaling::LongFactors {
            short: reals(0)?,
            long: reals(1)?,
            original_context: original(2)?,
        }),
        _ => None,
    }
}

impl WeightSource for Formula {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    fn read(&self, t: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        // (A bias may come as a column.)
        let n = (t.rows * t.cols) as usize;
        let of = |v: f32| match &*t.name {
            name if name.ends_with("norm.weight") => v * 0.25 + 1.0,
            name if name.ends_with(".bias") => v * 0.5,
            "embed.weight" => v,
            _ => v * (1.5 / (t.cols as f64).sqrt()) as f32,
        };
        let bytes: Vec<u8> = values(&t.name, n).into_iter().flat_map(|v| of(v).to_le_bytes()).collect();
        let from = offset as usize;
        out.copy_from_slice(&bytes[from..from + out.len()]);
        Ok(())
    }
}
