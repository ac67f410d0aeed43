//! `tokenizer.json` and, after 0xFF, `tokenizer_config.json`.
#![no_main]

use akunu_fuzz::{Budget, Folder, exercise, sections};
use akunu_model::tokenizer::Tokenizer;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static FOLDER: LazyLock<Folder> = LazyLock::new(Folder::new);

fuzz_target!(|data: &[u8]| {
    let [json, config] = sections::<2>(data);
    let path = FOLDER.write("tokenizer.json", json, 0);
    if config.is_empty() {
        FOLDER.remove("tokenizer_config.json");
    } else {
        FOLDER.write("tokenizer_config.json", config, 0);
    }
    // Values of JSON take some 72 bytes for each byte at worst, and patterns some MiB.
    let _budget = Budget::of((64 << 20) + 128 * data.len());
    if let Ok(t) = Tokenizer::from_json_file(&path) {
        exercise(&t);
    }
});
