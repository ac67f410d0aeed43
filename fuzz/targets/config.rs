//! `config.json` and, after 0xFF, `generation_config.json` beside sound weights.
#![no_main]

use akunu_fuzz::{Budget, Folder, sections};
use akunu_model::WeightSource;
use akunu_model::safetensors::{Directory, SafetensorsSource};
use akunu_model::tokenizer::Tokenizer;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

macro_rules! fixture {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../tests/fixtures/tiny-llama/", $name)))
    };
}

static FILES: &[(&str, &[u8])] = &[
    fixture!("model-00001-of-00002.safetensors"),
    fixture!("model-00002-of-00002.safetensors"),
    fixture!("model.safetensors.index.json"),
    fixture!("tokenizer.json"),
];
static FOLDER: LazyLock<Folder> = LazyLock::new(|| {
    let f = Folder::new();
    for (name, bytes) in FILES {
        f.write(name, bytes, 0);
    }
    f
});

fuzz_target!(|data: &[u8]| {
    let [config, generation] = sections::<2>(data);
    FOLDER.write("config.json", config, 0);
    if generation.is_empty() {
        FOLDER.remove("generation_config.json");
    } else {
        FOLDER.write("generation_config.json", generation, 0);
    }
    let _budget = Budget::of((64 << 20) + 64 * data.len());
    let Ok(dir) = Directory::open(FOLDER.path()) else { return };
    if let Ok(Some(t)) = Tokenizer::from_directory(&dir, u32::MAX) {
        assert!(t.eos_ids().iter().all(|id| id.index() < t.vocab_len()));
    }
    let Ok(source) = SafetensorsSource::new(dir) else { return };
    let c = source.config();
    assert!(c.layers > 0 && c.heads > 0 && c.kv_heads > 0 && c.head_dim > 0 && c.hidden > 0);
    assert_eq!(c.heads % c.kv_heads, 0);
    let mut out = Vec::new();
    for t in source.tensors() {
        out.resize(t.bytes as usize, 0);
        let _ = source.read(t, 0, &mut out);
    }
});
