//! The header of a safetensors file, with or without an index, beside a sound configuration.
//!
//! Input: a byte that picks the configuration, the header (whose length stands before it in the file), 0xFF, the index,
//! and the count of data bytes.
#![no_main]

use akunu_fuzz::{Budget, Folder, padded, sections};
use akunu_model::WeightSource;
use akunu_model::safetensors::SafetensorsSource;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static CONFIGS: &[&str] = &[
    include_str!("../../tests/fixtures/tiny-llama/config.json"),
    include_str!("../../tests/fixtures/mlx/llama-mixed/config.json"),
    include_str!("../../tests/fixtures/mlx/qwen3-moe-4bit/config.json"),
    include_str!("../../tests/fixtures/mlx/qwen3-mxfp4/config.json"),
    include_str!("../../tests/fixtures/mlx/gemma3-8bit/config.json"),
];
static FOLDER: LazyLock<Folder> = LazyLock::new(Folder::new);

fuzz_target!(|data: &[u8]| {
    let (data, zeros) = padded(data);
    let Some((pick, data)) = data.split_first() else { return };
    let [header, index] = sections::<2>(data);
    FOLDER.write("config.json", CONFIGS[usize::from(*pick) % CONFIGS.len()].as_bytes(), 0);
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend_from_slice(header);
    let (one, other) = ("model.safetensors", "model-00001-of-00001.safetensors");
    if index.is_empty() {
        FOLDER.remove("model.safetensors.index.json");
        FOLDER.remove(other);
        FOLDER.write(one, &file, zeros);
    } else {
        FOLDER.remove(one);
        FOLDER.write("model.safetensors.index.json", index, 0);
        FOLDER.write(other, &file, zeros);
    }
    let _budget = Budget::of((32 << 20) + 64 * (data.len() + zeros as usize));
    let Ok(source) = SafetensorsSource::open(FOLDER.path()) else { return };
    let mut out = Vec::new();
    for t in source.tensors() {
        // An element of a byte may become one of four; a norm may come out of nothing more.
        assert!(t.bytes <= 16 * (file.len() as u64 + zeros), "a tensor larger than its file");
        out.resize(t.bytes as usize, 0);
        if source.read(t, 0, &mut out).is_ok() {
            let _ = source.check_finite(t, 0, &out);
        }
    }
});
