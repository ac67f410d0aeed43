//! Files of whisper.cpp: the fixture of `tools/whisper_ggml.py` against the directory that it was made of, and files that are damaged.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu_kernels::DType;
use akunu_kernels::dtype::dequantize_native_row;
use akunu_model::config::SpeechDecoding;
use akunu_model::convert::{Input, Options, Requantize, Summary, convert};
use akunu_model::ggml::{GgmlFile, GgmlSource, is_ggml};
use akunu_model::quantize::{Recipe, quantize_row};
use akunu_model::safetensors::SafetensorsSource;
use akunu_model::tokenizer::{Bos, Specials, Tokenizer, TokenizerData};
use akunu_model::{ModelError, TensorInfo, WeightSource};
use half::f16;
use std::ops::ControlFlow;
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

fn run(input: &Input<'_>, path: &Path, recipe: &str, requantize: Requantize) -> Result<Summary, ModelError> {
    let options = Options { recipe: Recipe::parse(recipe).unwrap(), requantize, threads: 2 };
    Ok(convert(input, path, &options, &mut |_| ControlFlow::Continue(()))?.unwrap())
}

/// The fixture's mel filters, which `tools/whisper_ggml.py` computed by itself.
fn filters() -> Vec<f32> {
    let whole = std::fs::read(fixture("tiny-whisper.bin")).unwrap();
    let bytes = &whole[4 + 11 * 4 + 2 * 4..][..80 * 201 * 4];
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// A copy of the fixture's directory, which a test changes.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(fixture("tiny-whisper")).unwrap().flatten() {
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    folder
}

/// A directory to a file of 16 bits: what the tool of the fixture makes, up to the tensors' order.
#[test]
fn a_directory_becomes_a_file() {
    let (dir, folder) = (fixture("tiny-whisper"), tempfile::tempdir().unwrap());
    let source = SafetensorsSource::open(&dir).unwrap();
    let data = TokenizerData::from_directory(source.directory(), 367).unwrap();
    let input = Input::speech(&source, &dir, data.as_ref(), &filters()).unwrap();
    // The fixture's lists and its languages are its own.
    let lost = input.lost().join("\n");
    assert!(lost.contains("language") && lost.contains("never drawn"), "{lost}");
    let out = folder.path().join("m.bin");
    let made = run(&input, &out, "f16", Requantize::Refuse).unwrap();
    let [own, other] = [&out, &fixture("tiny-whisper.bin")].map(|p| std::fs::read(p).unwrap());
    assert_eq!((own.len(), made.file_bytes), (other.len(), own.len() as u64));
    let head = 4 + 44 + 8 + 80 * 201 * 4 + 4 + 256 * 5;
    assert!(own[..head] == other[..head]);
    let [own, other] = [&out, &fixture("tiny-whisper.bin")].map(|p| GgmlSource::open(p).unwrap());
    assert_eq!(own.config(), other.config());
    let kind = |f: &GgmlFile, name: &str| {
        let t = f.tensors().iter().find(|t| t.name == name).unwrap_or_else(|| panic!("no {name}"));
        (t.dims.clone(), t.tensor_type, t.bytes)
    };
    for t in other.tensors() {
        let mine = own.find(&t.name).unwrap_or_else(|| panic!("no {}", t.name));
        assert_eq!(kind(own.file(), &t.file_name), kind(other.file(), &t.file_name), "{}", t.file_name);
        assert_eq!(numbers(&own, mine), numbers(&other, t), "{}", t.name);
    }
}

/// A file to files of every format: the same file again, and matrices alone in the others.
#[test]
fn a_file_becomes_others() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (fixture("tiny-whisper.bin"), folder.path().join("m.bin"));
    let source = GgmlSource::open(&path).unwrap();
    let input = Input::ggml(&source, &path).unwrap();
    assert!(input.lost().is_empty());
    run(&input, &out, "f16", Requantize::Refuse).unwrap();
    assert!(std::fs::read(&out).unwrap() == std::fs::read(&path).unwrap());
    for (recipe, dtype, number) in [
        ("f32", DType::F32, 0),
        ("q4_0", DType::Q4_0, 2002),
        ("q4_1", DType::Q4_1, 2003),
        ("q8_0", DType::Q8_0, 2007),
        ("q5_0", DType::Q5_0, 2008),
        ("q5_1", DType::Q5_1, 2009),
    ] {
        let made = run(&input, &out, recipe, Requantize::Refuse).unwrap();
        assert!(made.fallbacks.is_empty());
        let file = GgmlFile::open(&out).unwrap();
        assert_eq!(file.fields().last(), Some(("ftype", number)), "{recipe}");
        let to = GgmlSource::of(file).unwrap();
        assert_eq!(to.config(), source.config(), "{recipe}");
        let mut matrices = 0;
        for t in source.tensors() {
            let own = to.find(&t.name).unwrap_or_else(|| panic!("{recipe}: no {}", t.name));
            let values = numbers(&source, t);
            let matrix = t.rows > 1 && !t.name.contains("conv") && !t.name.ends_with("positions.weight");
            let conv = t.rows > 1 && t.name.contains("conv") && recipe != "f32";
            let want = match (matrix, conv) {
                (true, _) => dtype,
                (_, true) => DType::F16,
                _ => DType::F32,
            };
            assert_eq!(own.dtype, want, "{recipe} {}", t.name);
            matrices += usize::from(matrix);
            if !matrix {
                assert_eq!(numbers(&to, own), values, "{recipe} {}", t.name);
                continue;
            }
            let mut bytes = vec![0; own.bytes as usize];
            to.read(own, 0, &mut bytes).unwrap();
            let (cols, mut row) = (t.cols as usize, vec![0; dtype.row_bytes(t.cols) as usize]);
            for (x, found) in values.chunks_exact(cols).zip(bytes.chunks_exact(row.len())) {
                quantize_row(dtype, x, None, &mut row);
                assert_eq!(row, found, "{recipe} {}", t.name);
            }
        }
        assert!(matrices > 10, "{matrices}");
    }
    // Of a quantized file, again: only to floats, or where it is allowed.
    let quantized = folder.path().join("q5_1.bin");
    std::fs::rename(&out, &quantized).unwrap();
    let five = GgmlSource::open(&quantized).unwrap();
    let input = Input::ggml(&five, &quantized).unwrap();
    let e = run(&input, &out, "q8_0", Requantize::Refuse).unwrap_err();
    assert!(matches!(e, ModelError::Quantized { .. }) && !out.exists(), "{e}");
    run(&input, &out, "q8_0", Requantize::Allow).unwrap();
    run(&input, &out, "f32", Requantize::Refuse).unwrap();
    let floats = GgmlSource::open(&out).unwrap();
    let t = five.find("embed.weight").unwrap();
    let (mut bytes, mut row) = (vec![0; t.bytes as usize], vec![0.0; t.cols as usize]);
    five.read(t, 0, &mut bytes).unwrap();
    dequantize_native_row(t.dtype, &bytes, t.cols as usize, 7, &mut row);
    let own = numbers(&floats, floats.find("embed.weight").unwrap());
    assert_eq!(own[7 * row.len()..][..row.len()], row);
}

#[test]
fn what_a_file_cannot_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("own.bin"), folder.path().join("m.bin"));
    std::fs::copy(fixture("tiny-whisper.bin"), &path).unwrap();
    std::fs::write(&out, "precious").unwrap();
    let source = GgmlSource::open(&path).unwrap();
    let input = Input::ggml(&source, &path).unwrap();
    for (recipe, to, says) in [
        ("q4_k_m", &out, &["a file of whisper.cpp cannot hold q4_k_m", "q8_0"][..]),
        ("bf16", &out, &["cannot hold bf16"]),
        ("mxfp4_moe", &out, &["cannot hold mxfp4_moe"]),
        ("q6_k", &out, &["no multiple of the 256 of q6_k", "choose q8_0"]),
        ("q8_0", &path, &["belongs to the model"]),
        ("q8_0", &folder.path().to_path_buf(), &["directory"]),
        ("q8_0", &folder.path().join("none/m.bin"), &["folder"]),
    ] {
        let e = run(&input, to, recipe, Requantize::Refuse).unwrap_err().to_string();
        assert!(says.iter().all(|s| e.contains(s)), "{recipe}: {e}");
    }
    assert!(std::fs::read(&path).unwrap() == std::fs::read(fixture("tiny-whisper.bin")).unwrap());
    assert_eq!(std::fs::read(&out).unwrap(), b"precious");
    // A value that is none, in the last tensor: found while it is written, and nothing is left of the file.
    let mut bytes = std::fs::read(&path).unwrap();
    let end = bytes.len();
    bytes[end - 4..].fill(0xff);
    std::fs::write(&path, &bytes).unwrap();
    let source = GgmlSource::open(&path).unwrap();
    let e = run(&Input::ggml(&source, &path).unwrap(), &out, "q8_0", Requantize::Refuse).unwrap_err();
    assert!(matches!(e, ModelError::NotFinite { .. }), "{e}");
    assert_eq!(std::fs::read(&out).unwrap(), b"precious");
    assert_eq!(folder.path().read_dir().unwrap().count(), 2);
}

/// Directories that readers of a file would take to be others.
#[test]
fn directories_that_are_no_whisper_are_refused() {
    let input = |dir: &Path, filters: &[f32]| {
        let source = SafetensorsSource::open(dir).unwrap();
        let data = TokenizerData::from_directory(source.directory(), source.config().vocab).unwrap();
        Input::speech(&source, dir, data.as_ref(), filters).err().map(|e| e.to_string())
    };
    let says = |e: Option<String>, what: &str| {
        let e = e.unwrap_or_else(|| panic!("not refused: {what}"));
        assert!(e.contains(what), "{e}");
    };
    says(input(&fixture("tiny-bert"), &filters()), "no model of speech");
    says(input(&fixture("tiny-whisper"), &filters()[1..]), "mel filters");
    let dir = copied();
    std::fs::remove_file(dir.path().join("tokenizer.json")).unwrap();
    says(input(dir.path(), &filters()), "no tokenizer.json");
    let change = |name: &str, from: &str, to: &str| {
        let dir = copied();
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(text.contains(from), "{name}: {from}");
        std::fs::write(dir.path().join(name), text.replace(from, to)).unwrap();
        dir
    };
    // Two tokens that ask for something have changed places: no reader could know.
    let dir = change("tokenizer.json", "<|startofprev|>", "<|startofnext|>");
    says(input(dir.path(), &filters()), "<|startofnext|>");
    // A word that is no text of bytes.
    let dir = change("tokenizer.json", "\"A\"", "\"\u{4e00}\"");
    says(input(dir.path(), &filters()), "no words of bytes");
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
