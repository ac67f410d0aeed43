//! A small valid model, as a writer that tests change before it writes.

use akunu_kernels::DType;
use akunu_model::gguf::write::{MetadataValue, Writer};
use std::io::Write;
use tempfile::NamedTempFile;

/// The tensors: name, dimensions, format. The last one's bytes are a multiple of the alignment, so the file ends
/// with the last byte of data.
pub(crate) static TENSORS: &[(&str, &[u64], DType)] = &[
    ("token_embd.weight", &[32, 8], DType::Q8_0),
    ("output_norm.weight", &[32], DType::F32),
    ("blk.0.attn_norm.weight", &[32], DType::F32),
    ("blk.0.attn_q.weight", &[32, 32], DType::Q4_0),
    ("blk.0.attn_k.weight", &[32, 16], DType::Q4_1),
    ("blk.0.attn_v.weight", &[32, 16], DType::F16),
    ("blk.0.attn_output.weight", &[32, 32], DType::Bf16),
    ("blk.0.ffn_norm.weight", &[32], DType::F32),
    ("blk.0.ffn_gate.weight", &[32, 64], DType::Q4_0),
    ("blk.0.ffn_up.weight", &[32, 64], DType::Q4_0),
    ("blk.0.ffn_down.weight", &[64, 32], DType::Q4_0),
];

/// Metadata of the model: one entry of every type among them.
pub(crate) fn metadata() -> Vec<(&'static str, MetadataValue)> {
    use akunu_model::gguf::ValueType;
    let words = |w: &[&str]| MetadataValue::strings(w.iter().copied());
    vec![
        ("general.architecture", "llama".into()),
        ("general.name", "Tiny".into()),
        ("llama.block_count", 1u32.into()),
        ("llama.context_length", 128u64.into()),
        ("llama.embedding_length", 32u16.into()),
        ("llama.feed_forward_length", 64i32.into()),
        ("llama.attention.head_count", 2u8.into()),
        ("llama.attention.head_count_kv", 1i64.into()),
        ("llama.attention.layer_norm_rms_epsilon", 1e-5f64.into()),
        ("llama.rope.freq_base", 500.0f32.into()),
        ("general.sampling.temp", 0.6f32.into()),
        ("tokenizer.ggml.tokens", words(&["a", "b", "c", "d", "e", "f", "g", "ĝ"])),
        ("tokenizer.ggml.scores", MetadataValue::f32s([0.0, -1.5, 2.0])),
        ("tokenizer.ggml.token_type", MetadataValue::i32s([1, -1, 3])),
        ("tokenizer.ggml.add_bos_token", true.into()),
        ("test.i8", (-3i8).into()),
        ("test.i16", (-300i16).into()),
        ("test.bools", MetadataValue::Array(ValueType::Bool, vec![true.into(), false.into()])),
        ("test.nested", MetadataValue::Array(ValueType::Array, vec![words(&["x", ""]), words(&["yy"])])),
        ("test.empty", MetadataValue::Array(ValueType::Array, vec![])),
    ]
}

/// The model with some metadata replaced, added (`Some`) or left out (`None`).
pub(crate) fn writer(changes: &[(&str, Option<MetadataValue>)]) -> Writer {
    let mut w = Writer::new();
    for (key, value) in metadata() {
        if !changes.iter().any(|(k, _)| *k == key) {
            w = w.metadata(key, value);
        }
    }
    for (key, value) in changes {
        if let Some(value) = value {
            w = w.metadata(key, value.clone());
        }
    }
    w
}

/// The tiny model's bytes.
pub(crate) fn bytes() -> Vec<u8> {
    with_tensors(writer(&[]), TENSORS)
}

/// Bytes before the tiny model's tensor data.
pub(crate) fn header_bytes() -> usize {
    let data: u64 = TENSORS
        .iter()
        .map(|(_, dims, d)| (dims[1..].iter().product::<u64>() * d.row_bytes(dims[0])).next_multiple_of(32))
        .sum();
    bytes().len() - data as usize
}

/// A file of these metadata and tensors, the data being a pattern without non-finite scales.
pub(crate) fn with_tensors(mut w: Writer, tensors: &[(&str, &[u64], DType)]) -> Vec<u8> {
    let mut data = Vec::new();
    for (i, (name, dims, dtype)) in tensors.iter().enumerate() {
        w = w.tensor(name, dims, *dtype);
        let rows: u64 = dims.iter().skip(1).product();
        let n = rows * dtype.row_bytes(dims[0]);
        data.push((0..n).map(|b| (b as usize * 7 + i) as u8 & 0x3b).collect::<Vec<u8>>());
    }
    w.to_bytes(data).expect("a valid file")
}

/// A temporary file of these bytes.
pub(crate) fn file(bytes: &[u8]) -> NamedTempFile {
    let mut f = NamedTempFile::with_suffix(".gguf").expect("a temporary file");
    f.write_all(bytes).expect("written");
    f
}
