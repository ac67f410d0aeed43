//! Files of whisper.cpp: the fixture of `tools/whisper_ggml.py` against the directory that it was made of, and files that are damaged.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_kernels::DType;
use akunu_model::config::SpeechDecoding;
use akunu_model::ggml::{GgmlSource, is_ggml};
use akunu_model::safetensors::SafetensorsSource;
use akunu_model::tokenizer::{Bos, Specials, Tokenizer};
use akunu_model::{ModelError, TensorInfo, WeightSource};
use half::f16;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn numbers(source: &dyn WeightSource, t: &TensorInfo) -> Vec<f32> {
    let mut bytes = vec![0; t.bytes as usize];
    source.read(t, 0, &mut bytes).unwrap();
    match t.dtype {
        DType::F32 => bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect(),
        DType::F16 => {
            bytes.chunks_exact(2).map(|b| f16::from_le_bytes(b.try_into().unwrap()).to_f32()).collect()
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_file_is_its_directory() {
    let path = fixture("tiny-whisper.bin");
    assert!(is_ggml(&path) && !is_ggml(&fixture("tiny-whisper")) && !is_ggml(&fixture("nothing")));
    let (file, dir) =
        (GgmlSource::open(&path).unwrap(), SafetensorsSource::open(&fixture("tiny-whisper")).unwrap());
    assert!(file.unmapped().is_empty() && file.tensors().len() == dir.tensors().len());
    for t in dir.tensors() {
        let own = file.find(&t.name).unwrap_or_else(|| panic!("no {}", t.name));
        assert_eq!((own.rows, own.cols), (t.rows, t.cols), "{}", t.name);
        assert_eq!(numbers(&file, own), numbers(&dir, t), "{}", t.name);
    }
    let plain = |source: &dyn WeightSource| {
        let mut config = source.config().clone();
        config.name = None;
        config.sampling = Default::default();
        config.audio.as_mut().unwrap().decoding = SpeechDecoding::default();
        config
    };
    assert_eq!(plain(&file), plain(&dir));
    let decoding = &file.config().audio.as_ref().unwrap().decoding;
    assert!(decoding.multilingual && decoding.first_timestamp == Some(50));
    let (own, other) =
        (file.tokenizer().unwrap(), Tokenizer::from_directory(dir.directory(), 367).unwrap().unwrap());
    for text in [" Hello, world.", "ü 「a」 ♪", ""] {
        let ids = |t: &Tokenizer| t.encode_with(text, Specials::AsText, Bos::Never).unwrap();
        assert_eq!(ids(&own), ids(&other), "{text}");
        assert_eq!(own.decode(&ids(&own)), text);
    }
    // Languages are named by their order.
    for id in 256..266 {
        let [a, b] = [&own, &other].map(|t| t.token_text(akunu_model::tokenizer::Token(id)).unwrap());
        assert!(a == b || id == 259, "{a} {b}");
    }
    // Marks that are one token, and what asks for something; the space and the end first.
    let byte = |b: u8| own.encode_with(&char::from(b).to_string(), Specials::AsText, Bos::Never).unwrap()[0];
    assert!(decoding.suppressed.contains(&byte(b'#')) && !decoding.suppressed.contains(&byte(b'a')));
    assert_eq!(decoding.suppressed_first, [byte(b' '), akunu_model::tokenizer::Token(256)]);
}

/// Whatever is cut off or changed in the header is told, and nothing panics or allocates what is not there.
#[test]
fn damaged_files_are_refused() {
    let whole = std::fs::read(fixture("tiny-whisper.bin")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.bin");
    let open = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        GgmlSource::open(&path).err()
    };
    assert!(matches!(open(b""), Some(ModelError::Empty { .. })));
    assert!(matches!(open(b"GGUF"), Some(ModelError::NotGguf { .. })));
    for cut in (4..200).chain([64_300, 64_400, 66_000, 66_100, whole.len() / 2, whole.len() - 1]) {
        let e = open(&whole[..cut]).unwrap_or_else(|| panic!("cut at {cut}")).to_string();
        assert!(e.contains("m.bin"), "{e}");
    }
    let with = |at: usize, word: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        open(&bytes)
    };
    // Every number of the header.
    for i in 1..=10 {
        for word in [0, u32::MAX] {
            let e = with(4 * i, word).unwrap_or_else(|| panic!("number {i}: {word}"));
            assert!(matches!(e, ModelError::BadValue { .. }), "{i}: {e}");
        }
    }
    // Another width of the decoder, another number of mel bins, other filters, a vocabulary that does not add up.
    let vocabulary = 4 + 44 + 8 + 80 * 201 * 4;
    for (at, word, says) in [
        (28, 64, "as the encoder"),
        (40, 128, "mel filters"),
        (52, 200, "mel filters"),
        (4, 300, "vocabulary"),
        (4, 1 << 19, "vocabulary"),
        (vocabulary + 4, 100_000, "word"),
    ] {
        let e = with(at, word).unwrap_or_else(|| panic!("{at}")).to_string();
        assert!(e.contains(says), "{at}: {e}");
    }
    // Tensors without end, of one number each.
    let one = [1, 1, 0, 1].map(u32::to_le_bytes).concat().into_iter().chain(*b"?\0\0\0\0");
    let endless = whole.iter().copied().chain(one.cycle().take(21 << 14)).collect::<Vec<_>>();
    let e = open(&endless).unwrap().to_string();
    assert!(e.contains("number of tensors"), "{e}");
    // The first tensor: its dimensions, the length of its name, its type and sizes.
    let first = vocabulary + 4 + 256 * 5;
    for (at, word, says) in [
        (0, 5, "dimensions"),
        (4, 1000, "name"),
        (8, 99, "type 99"),
        (12, u32::MAX, "tensor"),
        (12, 0, "dimension"),
    ] {
        let e = with(first + at, word).unwrap_or_else(|| panic!("{at}")).to_string();
        assert!(e.contains(says), "{at}: {e}");
    }
}
