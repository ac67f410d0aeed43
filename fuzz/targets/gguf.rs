//! A GGUF file: header, tensor list, configuration, tokenizer and chat template from metadata, and what a conversion
//! would take over.
#![no_main]

use akunu_fuzz::{Budget, Folder, exercise, padded};
use akunu_model::WeightSource;
use akunu_model::chat::{ChatTemplate, GenerationPrompt, Message};
use akunu_model::convert::Input;
use akunu_model::gguf::{GgufFile, GgufSource};
use akunu_model::tokenizer::Tokenizer;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static FOLDER: LazyLock<Folder> = LazyLock::new(Folder::new);

fuzz_target!(|data: &[u8]| {
    let (head, zeros) = padded(data);
    let path = FOLDER.write("model.gguf", head, zeros);
    // The file, decoded, and patterns of pre-tokenizers, which take some MiB.
    let _budget = Budget::of((64 << 20) + 64 * (head.len() + zeros as usize));
    let Ok(file) = GgufFile::open(&path) else { return };
    for (key, value) in file.metadata() {
        std::hint::black_box((value.to_string(), value.as_u64(), value.as_i64(), value.as_f32()));
        let _ = std::hint::black_box((file.get_strs(key), file.get_i64s(key), file.get_f32s(key)));
    }
    let mut out = Vec::new();
    for t in file.tensors() {
        if let Some(n) = t.bytes() {
            assert!(n <= file.size(), "a tensor larger than its file");
            out.resize(n as usize, 0);
            file.read(t, 0, &mut out).expect("opening has checked that it is inside");
        }
    }
    if let Ok(Some(t)) = Tokenizer::from_gguf(&file) {
        exercise(&t);
        if let Some(Ok(template)) = ChatTemplate::of(&t) {
            let _ = template.render(&[Message::new("user", "Hi")], GenerationPrompt::Add);
        }
    }
    let Ok(source) = GgufSource::new(file) else { return };
    for t in source.tensors() {
        out.resize(t.bytes as usize, 0);
        source.read(t, 0, &mut out).expect("opening has checked that it is inside");
        let _ = source.check_finite(t, 0, &out);
        assert_eq!(source.find(&t.name).map(|f| f.bytes), Some(t.bytes), "{}", t.name);
    }
    let _ = std::hint::black_box(Input::gguf(&source).is_ok());
});
