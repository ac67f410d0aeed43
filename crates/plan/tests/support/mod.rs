//! What the plan tests share: targets, most of them written by hand, and a weight source that each test bends to its purpose.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test binary is a crate and uses a part")]

use akunu_kernels::act::ActFormat;
use akunu_kernels::cpu::Level;
use akunu_kernels::cuda::Gpu;
use akunu_kernels::kv::KvFormat;
use akunu_kernels::step::RowCount;
use akunu_kernels::target::{Family, WeightRule};
use akunu_kernels::{DType, Layout, Machine, dtype::DTYPES, split_attention};
use akunu_model::config::{AttentionOptions, RopeConfig, RopePairing, RopeScaling, SamplingDefaults};
use akunu_model::{FilePlace, ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu_plan::{CacheTypes, Program, Settings, Target};
use std::collections::HashMap;
use std::fs::File;
use std::sync::OnceLock;

const PACKED_KV: &[KvFormat] = &[KvFormat::F16, KvFormat::F32, KvFormat::Bf16, KvFormat::Q8_0];

/// Settings with the target's own cache.
pub fn settings(context: u32, head_rows: u32) -> Settings {
    let head_rows = RowCount(head_rows);
    Settings { context, head_rows, cache: CacheTypes::default(), batch: None }
}

fn is_quantized(d: DType) -> bool {
    d.block() > 1
}

fn target(level: Level, kv: &[KvFormat], rule: impl Fn(DType) -> (Layout, ActFormat)) -> Target {
    let rules = DTYPES.iter().map(|i| {
        let (layout, act) = rule(i.dtype);
        WeightRule { dtype: i.dtype, k_multiple: 1, layout, act, staged: None }
    });
    Target {
        name: if level == Level::Reference { "reference" } else { "packed" }.into(),
        machine: Machine::Cpu(level),
        rules: rules.collect(),
        head_act: None,
        kv: kv.to_vec(),
        families: vec![Family::PLAIN],
        ladder: [1, 8, 512].map(RowCount).into(),
        staged_from: None,
        batch_ladder: [1, 8, 512].map(RowCount).into(),
        chunk: 16,
        sequences: 16,
        prompt_rows: RowCount(32),
        encoder_matrices: None,
        speech_matrices: None,
        encoder_rows: None,
        file_pages: None,
    }
}

/// Weights as the file has them, f32 everywhere.
pub fn reference() -> Target {
    target(Level::Reference, &[KvFormat::F32], |_| (Layout::Native, ActFormat::F32))
}

/// Packed weights; quantized ones with q8 activations, but f32 at the head.
pub fn packed() -> Target {
    let rule = |d| (Layout::Rows16, if is_quantized(d) { ActFormat::Q8 } else { ActFormat::F32 });
    const FEW: Family = Family { rows: RowCount(8), fusions: &[&split_attention::KERNEL], ..Family::PLAIN };
    let families = vec![FEW, Family::PLAIN];
    Target { head_act: Some(ActFormat::F32), families, ..target(Level::Portable, PACKED_KV, rule) }
}

/// A GPU with fused commands for few rows and matrix units for many.
pub fn gpu() -> Target {
    Target::of(Machine::Cuda(Gpu { sm: 90, multiprocessors: 132, shared: 227 << 10 }))
}

pub fn targets() -> [Target; 2] {
    [reference(), packed()]
}

/// Weights without bytes.
#[derive(Clone, Debug)]
pub struct Source {
    pub config: ModelConfig,
    pub tensors: Vec<TensorInfo>,
    pub unmapped: Vec<String>,
    /// Where tensors lie in a file, for those that lie in one.
    pub places: HashMap<String, u64>,
}

impl WeightSource for Source {
    fn config(&self) -> &ModelConfig {
        &self.config
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }
    fn read(&self, _: &TensorInfo, _: u64, _: &mut [u8]) -> Result<(), ModelError> {
        unreachable!("a plan reads no tensor")
    }
    fn unmapped(&self) -> &[String] {
        &self.unmapped
    }
    fn place(&self, tensor: &TensorInfo) -> Option<FilePlace<'_>> {
        let offset = *self.places.get(&tensor.name)?;
        let file =
            FILE.get_or_init(|| File::open(file!()).or_else(|_| File::open("/dev/null")).expect("a file"));
        Some(FilePlace { file, offset })
    }
}

/// No plan reads it.
static FILE: OnceLock<File> = OnceLock::new();

/// A source with this shape and one format for every matrix; the embedding is the head.
pub fn source(
    hidden: u32,
    heads: u32,
    kv_heads: u32,
    head_dim: u32,
    ffn: u32,
    vocab: u32,
    dtype: DType,
) -> Source {
    let config = ModelConfig {
        encoder: None,
        audio: None,
        arch: "llama".into(),
        name: None,
        layers: 2,
        hidden,
        heads,
        kv_heads,
        head_dim,
        ffn,
        vocab,
        context: 2048,
        norm_eps: 1e-5,
        rope: RopeConfig {
            base: 10_000.0,
            dim: head_dim,
            pairing: RopePairing::Adjacent,
            scaling: RopeScaling::None,
            magnitude: 1.0,
        },
        attention: AttentionOptions::default(),
        logits_softcap: None,
        experts: None,
        sampling: SamplingDefaults::default(),
    };
    let mut s = Source { config, tensors: Vec::new(), unmapped: Vec::new(), places: HashMap::new() };
    s.add("embed.weight", dtype, vocab, hidden);
    s.add("output_norm.weight", DType::F32, 1, hidden);
    let (q, kv) = (heads * head_dim, kv_heads * head_dim);
    for i in 0..2 {
        let n = |part: &str| format!("layers.{i}.{part}.weight");
        s.add(&n("attention_norm"), DType::F32, 1, hidden);
        s.add(&n("attention.q"), dtype, q, hidden);
        s.add(&n("attention.k"), dtype, kv, hidden);
        s.add(&n("attention.v"), dtype, kv, hidden);
        s.add(&n("attention.output"), dtype, hidden, q);
        s.add(&n("ffn_norm"), DType::F32, 1, hidden);
        s.add(&n("ffn.gate"), dtype, ffn, hidden);
        s.add(&n("ffn.up"), dtype, ffn, hidden);
        s.add(&n("ffn.down"), dtype, hidden, ffn);
    }
    s
}

/// The usual small one.
pub fn small() -> Source {
    source(64, 4, 2, 32, 96, 100, DType::Q4_0)
}

impl Source {
    pub fn add(&mut self, name: &str, dtype: DType, rows: u32, cols: u32) {
        let (rows, cols) = (u64::from(rows), u64::from(cols));
        let bytes = rows * dtype.row_bytes(cols);
        self.tensors.push(TensorInfo {
            name: name.into(),
            file_name: format!("file:{name}"),
            dtype,
            rows,
            cols,
            bytes,
        });
    }

    /// The tensor of that name, to be changed.
    pub fn tensor(&mut self, name: &str) -> &mut TensorInfo {
        self.tensors.iter_mut().find(|t| t.name == name).expect("a tensor of that name")
    }

    /// Gives a tensor another format.
    pub fn retype(mut self, name: &str, dtype: DType) -> Self {
        let t = self.tensor(name);
        t.dtype = dtype;
        t.bytes = t.rows * dtype.row_bytes(t.cols);
        self
    }

    pub fn program(&self, target: Target, context: u32) -> Program {
        self.try_program(target, context).expect("a program")
    }

    pub fn try_program(&self, target: Target, context: u32) -> Result<Program, akunu_plan::PlanError> {
        Program::new(self, target, settings(context, 1))
    }
}
