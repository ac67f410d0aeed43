//! Writes GGUF files.
//!
//! [`Writer`] collects metadata and tensor descriptions; [`Writer::start`] writes the header and hands back a
//! [`DataWriter`] that takes the tensors' data in the same order, so a model is never in memory as a whole.
//! Mistakes of the caller (a row that is no multiple of its block, data of the wrong size) are
//! [`io::ErrorKind::InvalidInput`].

use super::DEFAULT_ALIGNMENT;
pub use super::metadata::{EncodedArray, MetadataValue};
use super::metadata::{invalid, put_string};
use super::names::{ENCODERS, ROPE_FACTORS, ROPE_FREQS, rotates};
use super::types::TensorType;
use super::value::ValueType;
use super::vectors;
use crate::config::{ModelConfig, RopeScaling};
use crate::{ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;
use std::io::{self, Write};
use std::path::Path;

/// Metadata and tensor descriptions of a file to be written.
#[derive(Clone, Debug)]
pub struct Writer {
    version: u32,
    alignment: u64,
    metadata: Vec<(String, MetadataValue)>,
    tensors: Vec<Planned>,
}

#[derive(Clone, Debug)]
struct Planned {
    name: String,
    dims: Vec<u64>,
    tensor_type: TensorType,
}

impl Planned {
    fn bytes(&self) -> io::Result<u64> {
        let cols = self.dims.first().copied().unwrap_or(1);
        let rows = self.dims.iter().skip(1).try_fold(1u64, |a, &d| a.checked_mul(d));
        rows.and_then(|r| self.tensor_type.bytes(r, cols)).ok_or_else(|| {
            let (n, d, t) = (&self.name, &self.dims, self.tensor_type.name);
            invalid(format!("tensor `{n}`: dimensions {d:?} do not fit {t}"))
        })
    }
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

impl Writer {
    /// An empty file of version 3.
    pub const fn new() -> Self {
        Self { version: 3, alignment: DEFAULT_ALIGNMENT, metadata: Vec::new(), tensors: Vec::new() }
    }

    /// Writes version 2 or 3 (they differ only in that number).
    #[must_use]
    pub const fn version(mut self, version: u32) -> Self {
        self.version = version;
        self
    }

    /// Aligns tensor data to `bytes`, a power of two and at least 8, and says so in `general.alignment`.
    #[must_use]
    pub fn alignment(mut self, bytes: u32) -> Self {
        self.alignment = bytes.into();
        self.metadata("general.alignment", bytes)
    }

    /// Adds a metadata entry.
    #[must_use]
    pub fn metadata(mut self, key: &str, value: impl Into<MetadataValue>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }

    /// The metadata, in order.
    pub fn into_metadata(self) -> Vec<(String, MetadataValue)> {
        self.metadata
    }

    /// Adds the metadata of a configuration. Frequency divisors are no metadata but a tensor, see [`write_source`].
    #[must_use]
    pub fn config(self, c: &ModelConfig) -> Self {
        let key = |name: &str| format!("{}.{name}", c.arch);
        let rms = if ENCODERS.contains(&&*c.arch) { "" } else { "_rms" };
        let mut w = self
            .metadata("general.architecture", c.arch.as_str())
            .metadata(&key("block_count"), c.layers)
            .metadata(&key("context_length"), c.context)
            .metadata(&key("embedding_length"), c.hidden)
            .metadata(&key("feed_forward_length"), c.ffn)
            .metadata(&key("attention.head_count"), c.heads)
            .metadata(&key("attention.head_count_kv"), c.kv_heads)
            .metadata(&key("attention.key_length"), c.head_dim)
            .metadata(&key("attention.value_length"), c.head_dim)
            .metadata(&key(&format!("attention.layer_norm{rms}_epsilon")), c.norm_eps)
            .metadata(&key("rope.freq_base"), rope_base(c))
            .metadata(&key("rope.dimension_count"), c.rope.dim)
            .metadata(&key("vocab_size"), c.vocab);
        for (name, value) in rope_scaling(c).into_iter().chain(experts(c)) {
            w = w.metadata(&key(name), value);
        }
        for (key, value) in vectors::metadata(c) {
            w = w.metadata(&key, value);
        }
        let a = &c.attention;
        let bools = |v: &Vec<bool>| {
            MetadataValue::Array(ValueType::Bool, v.iter().copied().map(MetadataValue::Bool).collect())
        };
        let optional = [
            ("general.name".into(), c.name.clone().map(MetadataValue::from)),
            (key("attention.sliding_window"), a.sliding_window.map(MetadataValue::from)),
            (key("attention.sliding_window_pattern"), a.windowed.as_ref().map(bools)),
            (key("rope.freq_base_swa"), a.local_rope_base.map(MetadataValue::from)),
            (key("attention.scale"), a.scale.map(MetadataValue::from)),
            (key("attn_logit_softcapping"), a.softcap.map(MetadataValue::from)),
            (key("final_logit_softcapping"), c.logits_softcap.map(MetadataValue::from)),
            ("general.sampling.temp".into(), c.sampling.temperature.map(MetadataValue::from)),
            ("general.sampling.min_p".into(), c.sampling.min_p.map(MetadataValue::from)),
            ("general.sampling.top_k".into(), c.sampling.top_k.map(MetadataValue::from)),
            ("general.sampling.top_p".into(), c.sampling.top_p.map(MetadataValue::from)),
            ("general.sampling.penalty_repeat".into(), c.sampling.repeat_penalty.map(MetadataValue::from)),
        ];
        for (key, value) in optional {
            if let Some(value) = value {
                w = w.metadata(&key, value);
            }
        }
        w
    }

    /// Adds a tensor: its dimensions are fastest first, `[cols, rows]`.
    #[must_use]
    pub fn tensor(self, name: &str, dims: &[u64], dtype: DType) -> Self {
        self.tensor_of_type(name, dims, TensorType::of_dtype(dtype))
    }

    /// Adds a tensor of any type of the format.
    #[must_use]
    pub fn tensor_of_type(mut self, name: &str, dims: &[u64], tensor_type: TensorType) -> Self {
        self.tensors.push(Planned { name: name.into(), dims: dims.into(), tensor_type });
        self
    }

    /// The header's bytes, and where each tensor's data belong.
    pub fn layout(&self) -> io::Result<FileLayout> {
        if !self.alignment.is_power_of_two() || self.alignment < 8 {
            return Err(invalid(format!("alignment {} is no power of two from 8 up", self.alignment)));
        }
        let mut head = Vec::new();
        head.extend(b"GGUF");
        head.extend(self.version.to_le_bytes());
        head.extend((self.tensors.len() as u64).to_le_bytes());
        head.extend((self.metadata.len() as u64).to_le_bytes());
        for (key, value) in &self.metadata {
            put_string(key, &mut head);
            head.extend((value.value_type() as u32).to_le_bytes());
            value.put(&mut head)?;
        }
        let mut offset = 0u64;
        let mut data = Vec::new();
        for t in &self.tensors {
            put_string(&t.name, &mut head);
            let n = u32::try_from(t.dims.len()).map_err(|_| invalid("too many dimensions".into()))?;
            head.extend(n.to_le_bytes());
            t.dims.iter().for_each(|d| head.extend(d.to_le_bytes()));
            head.extend(t.tensor_type.id.to_le_bytes());
            head.extend(offset.to_le_bytes());
            let bytes = t.bytes()?;
            data.push((offset, bytes));
            let next = offset.checked_add(bytes).and_then(|e| e.checked_next_multiple_of(self.alignment));
            offset = next.ok_or_else(|| invalid("the tensors are larger than any file".into()))?;
        }
        let start = (head.len() as u64).next_multiple_of(self.alignment);
        head.resize(start as usize, 0);
        let bytes = start.checked_add(offset).ok_or_else(|| invalid("the file is larger than any".into()))?;
        let data = data.into_iter().map(|(offset, bytes)| (start + offset, bytes)).collect();
        Ok(FileLayout { header: head, data, bytes })
    }

    /// Writes the header. Then every tensor's data must follow.
    pub fn start<W: Write>(self, mut out: W) -> io::Result<DataWriter<W>> {
        let layout = self.layout()?;
        out.write_all(&layout.header)?;
        let sizes: Vec<u64> = layout.data.iter().map(|d| d.1).collect();
        Ok(DataWriter { out, alignment: self.alignment, sizes: sizes.into_iter() })
    }

    /// The whole file in memory, with the tensors' data in order: for small files.
    pub fn to_bytes<D: AsRef<[u8]>>(self, data: impl IntoIterator<Item = D>) -> io::Result<Vec<u8>> {
        let mut w = self.start(Vec::new())?;
        for d in data {
            w.tensor(d.as_ref())?;
        }
        w.finish()
    }
}

/// A file before its data.
#[derive(Debug)]
pub struct FileLayout {
    /// Everything before the data, padding included.
    pub header: Vec<u8>,
    /// First byte in the file and bytes of each tensor, in the order of their descriptions. What lies between two
    /// tensors is zeros.
    pub data: Vec<(u64, u64)>,
    /// Bytes of the whole file.
    pub bytes: u64,
}

/// Takes the tensors' data, in the order of their descriptions.
#[derive(Debug)]
pub struct DataWriter<W> {
    out: W,
    alignment: u64,
    sizes: std::vec::IntoIter<u64>,
}

impl<W: Write> DataWriter<W> {
    /// Writes the next tensor's data: all of it, in the file's format.
    pub fn tensor(&mut self, data: &[u8]) -> io::Result<()> {
        let bytes = data.len() as u64;
        match self.sizes.next() {
            Some(wanted) if wanted == bytes => {}
            Some(wanted) => return Err(invalid(format!("{bytes} bytes of data for a tensor of {wanted}"))),
            None => return Err(invalid("data for more tensors than were described".into())),
        }
        self.out.write_all(data)?;
        pad(&mut self.out, bytes, self.alignment)
    }

    /// Ends the file and hands the output back.
    pub fn finish(mut self) -> io::Result<W> {
        if self.sizes.len() != 0 {
            return Err(invalid(format!("{} tensors have no data", self.sizes.len())));
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Writes a whole model: `writer`'s metadata (the tokenizer's, say), then the source's configuration and tensors.
/// The source's file names must be GGUF's, as those of [`crate::gguf::GgufSource`] and
/// [`crate::synthetic::Synthetic`] are. One tensor is in memory at a time.
pub fn write_source<W: Write>(source: &dyn WeightSource, writer: Writer, out: W) -> Result<W, ModelError> {
    let failed =
        |source: io::Error| ModelError::Io { path: "output".into(), what: "cannot write".into(), source };
    refuse_unsaid(source.config(), Path::new("output"))?;
    let divisors = rope_tensors(source.config());
    let mut writer = writer.config(source.config());
    for (name, values) in &divisors {
        writer = writer.tensor(name, &[values.len() as u64], DType::F32);
    }
    for t in source.tensors() {
        writer = writer.tensor(&t.file_name, &dims(t, source.config()), t.dtype);
    }
    let mut data = writer.start(out).map_err(failed)?;
    for (_, values) in &divisors {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        data.tensor(&bytes).map_err(failed)?;
    }
    let mut bytes = Vec::new();
    for t in source.tensors() {
        bytes.clear();
        bytes.resize(usize::try_from(t.bytes).unwrap_or(usize::MAX), 0);
        source.read(t, 0, &mut bytes)?;
        data.tensor(&bytes).map_err(failed)?;
    }
    data.finish().map_err(failed)
}

/// Refuses a configuration of which a file would say something else: what has no key, every reader takes to be as the
/// architecture's name says. `path` is the source's.
pub(crate) fn refuse_unsaid(c: &ModelConfig, path: &Path) -> Result<(), ModelError> {
    let roped = c.attention.roped.iter().flatten();
    let Some((layer, roped)) = (0..).zip(roped).find(|(i, r)| rotates(&c.arch, *i) != **r) else {
        return Ok(());
    };
    let (does, taken) = if *roped { ("rotates", "not to") } else { ("does not rotate", "to") };
    Err(ModelError::Convert {
        path: path.into(),
        what: format!(
            "layer {layer} {does} queries and keys, and readers of a {} GGUF file, which cannot say so, take it {taken}",
            c.arch
        ),
        remedy: "run the model from its own files".into(),
    })
}

/// A tensor's dimensions in a file: a vector has one, a stack of experts three.
pub fn dims(t: &TensorInfo, c: &ModelConfig) -> Vec<u64> {
    match c.experts {
        _ if t.rows == 1 => vec![t.cols],
        Some(e) if t.name.contains(".ffn.experts.") => {
            vec![t.cols, t.rows / u64::from(e.count.max(1)), e.count.into()]
        }
        _ => vec![t.cols, t.rows],
    }
}

/// The base, raised where the context's extension is that.
fn rope_base(c: &ModelConfig) -> f32 {
    match c.rope.scaling {
        RopeScaling::Ntk { factor } => {
            let dim = c.rope.dim as f32;
            c.rope.base * factor.powf(dim / (dim - 2.0))
        }
        _ => c.rope.base,
    }
}

/// The metadata of a context's extension, without the architecture's prefix.
fn rope_scaling(c: &ModelConfig) -> Vec<(&'static str, MetadataValue)> {
    let kind = |name: &str| ("rope.scaling.type", name.into());
    let original = |n: u32| ("rope.scaling.original_context_length", n.into());
    match &c.rope.scaling {
        // Those of a Llama become a tensor of divisors.
        RopeScaling::None
        | RopeScaling::Factors(_)
        | RopeScaling::Llama3 { .. }
        | RopeScaling::Ntk { .. } => {
            vec![]
        }
        RopeScaling::Linear { factor } => vec![kind("linear"), ("rope.scaling.factor", (*factor).into())],
        RopeScaling::Yarn { factor, beta_fast, beta_slow, original_context } => {
            // What readers compute from the factor by themselves.
            let own = (0.1 * factor.ln() + 1.0).max(1.0);
            vec![
                kind("yarn"),
                ("rope.scaling.factor", (*factor).into()),
                original(*original_context),
                ("rope.scaling.attn_factor", (c.rope.magnitude / own).into()),
                ("rope.scaling.yarn_beta_fast", (*beta_fast).into()),
                ("rope.scaling.yarn_beta_slow", (*beta_slow).into()),
            ]
        }
        RopeScaling::LongFactors { original_context, .. } => {
            vec![original(*original_context), ("rope.scaling.attn_factor", c.rope.magnitude.into())]
        }
    }
}

/// Divisors of the frequencies, which a file holds as tensors.
pub(crate) fn rope_tensors(c: &ModelConfig) -> Vec<(&'static str, Vec<f32>)> {
    match &c.rope.scaling {
        RopeScaling::Factors(f) => vec![(ROPE_FREQS, f.clone())],
        RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_context } => {
            let n = c.rope.dim / 2;
            let original = f64::from(*original_context);
            let (low, high) = (f64::from(*low_freq_factor), f64::from(*high_freq_factor));
            let divisor = |i: u32| {
                let exponent = f64::from(i) / f64::from(n);
                let wavelength = 2.0 * std::f64::consts::PI * f64::from(c.rope.base).powf(exponent);
                // 1 where the wavelength is short, 0 where it is long.
                let kept = ((original / wavelength - low) / (high - low)).clamp(0.0, 1.0);
                (1.0 / ((1.0 - kept) / f64::from(*factor) + kept)) as f32
            };
            vec![(ROPE_FREQS, (0..n).map(divisor).collect())]
        }
        RopeScaling::LongFactors { short, long, .. } => {
            vec![(ROPE_FACTORS[0], long.clone()), (ROPE_FACTORS[1], short.clone())]
        }
        RopeScaling::None
        | RopeScaling::Linear { .. }
        | RopeScaling::Ntk { .. }
        | RopeScaling::Yarn { .. } => vec![],
    }
}

/// The metadata of a mixture of experts, without the architecture's prefix.
fn experts(c: &ModelConfig) -> Vec<(&'static str, MetadataValue)> {
    c.experts.map_or_else(Vec::new, |e| {
        vec![
            ("expert_count", e.count.into()),
            ("expert_used_count", e.used.into()),
            ("expert_feed_forward_length", e.ffn.into()),
            ("expert_weights_norm", e.normalized.into()),
        ]
    })
}

fn pad(out: &mut impl Write, written: u64, alignment: u64) -> io::Result<()> {
    let missing = written.next_multiple_of(alignment) - written;
    io::copy(&mut io::Read::take(io::repeat(0), missing), out).map(|_| ())
}
