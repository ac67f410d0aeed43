//! Conversions: what arrives in the file, what is refused, and what an interrupted one leaves behind.

use akunu_kernels::DType;
use akunu_kernels::dtype::dequantize_native_row;
use akunu_model::config::{RopePairing, RopeScaling};
use akunu_model::convert::{Input, Options, Requantize, Summary, convert};
use akunu_model::gguf::write::{MetadataValue, Writer, write_source};
use akunu_model::gguf::{GgufFile, GgufSource, ValueType};
use akunu_model::quantize::{Recipe, quantize_row};
use akunu_model::safetensors::SafetensorsSource;
use akunu_model::synthetic::Synthetic;
use akunu_model::tokenizer::{AddBos, Normalization, SpacePrefix, TokenType, TokenizerData, UNIGRAM};
use akunu_model::{ModelConfig, ModelError, TensorInfo, WeightSource};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn options(recipe: &str) -> Options {
    let recipe = Recipe::parse(recipe).expect("known");
    Options { recipe, requantize: Requantize::Refuse, threads: 2 }
}

fn run(input: &Input<'_>, path: &Path, options: &Options) -> Result<Summary, ModelError> {
    Ok(convert(input, path, options, &mut |_| ControlFlow::Continue(()))?.expect("nobody stopped it"))
}

/// A synthetic model in a file, with some metadata of its own.
fn model(dir: &TempDir, spec: &str) -> PathBuf {
    let path = dir.path().join(format!("{}.gguf", spec.replace(':', "-")));
    let tokens = (0..1024).map(|i| format!("token {i}"));
    let writer = Writer::new()
        .metadata("general.file_type", 1u32)
        .metadata("tokenizer.ggml.model", "gpt2")
        .metadata("tokenizer.ggml.tokens", MetadataValue::strings(tokens))
        .metadata("tokenizer.chat_template", "{{ messages }}")
        .metadata("test.nested", MetadataValue::Array(ValueType::I32, vec![7i32.into()]));
    let source = Synthetic::parse(spec).expect("known");
    let file = std::fs::File::create(&path).expect("created");
    write_source(&source, writer, file).expect("written");
    path
}

fn read(s: &dyn WeightSource, t: &TensorInfo) -> Vec<u8> {
    let mut bytes = vec![0; t.bytes as usize];
    s.read(t, 0, &mut bytes).expect("read");
    bytes
}

fn values(s: &dyn WeightSource, name: &str) -> Vec<Vec<f32>> {
    let t = s.find(name).expect(name).clone();
    let (bytes, cols) = (read(s, &t), t.cols as usize);
    (0..t.rows as usize)
        .map(|r| {
            let mut row = vec![0.0; cols];
            dequantize_native_row(t.dtype, &bytes, cols, r, &mut row);
            row
        })
        .collect()
}

#[test]
fn every_recipe_makes_the_tensors_that_it_says() {
    let dir = tempfile::tempdir().expect("a folder");
    let from = GgufSource::open(&model(&dir, "tiny-llama:bf16")).expect("valid");
    let input = Input::gguf(&from).expect("valid");
    let out = dir.path().join("out.gguf");
    for name in Recipe::names() {
        let summary = run(&input, &out, &options(name)).expect(name);
        let to = GgufSource::open(&out).expect(name);
        let wanted = Synthetic::parse(&format!("tiny-llama:{name}")).expect("known");
        let totals: Vec<_> = wanted.totals().iter().map(|t| (t.dtype, t.tensors, t.bytes)).collect();
        assert_eq!(summary.formats, totals, "{name}");
        assert_eq!(summary.file_bytes, std::fs::metadata(&out).expect("there").len(), "{name}");
        assert_eq!(to.config(), from.config());
        for (a, b) in from.tensors().iter().zip(to.tensors()) {
            assert_eq!((&a.name, a.rows, a.cols), (&b.name, b.rows, b.cols), "{name}");
            let (rows, bytes) = (values(&from, &a.name), read(&to, b));
            let mut row = vec![0; b.dtype.row_bytes(b.cols) as usize];
            for (x, found) in rows.iter().zip(bytes.chunks_exact(row.len())) {
                quantize_row(b.dtype, x, None, &mut row);
                assert_eq!(row, found, "{name} {}", a.name);
            }
        }
        assert_eq!(to.file().get_u32("general.file_type").expect("a number"), options(name).recipe.file_type);
        assert_eq!(to.file().get_u32("general.quantization_version").expect("a number"), Some(2));
    }
}

#[test]
fn metadata_are_carried_over() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = model(&dir, "tiny-llama:f16");
    let from = GgufSource::open(&path).expect("valid");
    let out = dir.path().join("out.gguf");
    run(&Input::gguf(&from).expect("valid"), &out, &options("q8_0")).expect("made");
    let (from, to) = (GgufFile::open(&path).expect("valid"), GgufFile::open(&out).expect("valid"));
    let kept = |f: &GgufFile| {
        let own = ["general.file_type", "general.quantization_version"];
        let all = f.metadata().filter(|(k, _)| !own.contains(k));
        all.map(|(k, v)| (k.to_owned(), MetadataValue::of(&v).expect("text"))).collect::<Vec<_>>()
    };
    assert_eq!(kept(&from), kept(&to));
    assert!(kept(&from).iter().any(|(k, _)| k == "tokenizer.chat_template"));
}

/// An array of bytes takes no more memory than in its file.
#[test]
fn arrays_are_carried_over_in_their_own_bytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("in.gguf");
    let words = |w: &[&str]| MetadataValue::strings(w.iter().copied());
    let arrays = [
        MetadataValue::Array(ValueType::U8, (0..=255u8).cycle().take(10_000).map(Into::into).collect()),
        MetadataValue::Array(ValueType::Array, vec![words(&["x", ""]), words(&["ĝ"])]),
        MetadataValue::Array(ValueType::F64, vec![]),
    ];
    let mut writer = Writer::new();
    for (i, a) in arrays.into_iter().enumerate() {
        writer = writer.metadata(&format!("test.{i}"), a);
    }
    let source = Synthetic::parse("tiny-llama:f16").expect("known");
    std::fs::write(&path, write_source(&source, writer, Vec::new()).expect("written")).expect("written");
    let file = GgufFile::open(&path).expect("valid");
    let of = |key: &str| MetadataValue::of(&file.get(key).expect(key)).expect("text");
    // Element type, count, and for each string its length.
    for (key, bytes) in [("test.0", 12 + 10_000), ("test.1", 12 + 2 * 12 + 3 * 8 + 3), ("test.2", 12)] {
        assert!(matches!(of(key), MetadataValue::Encoded(a) if a.bytes() == bytes), "{key}");
    }
    let out = dir.path().join("out.gguf");
    let from = GgufSource::open(&path).expect("valid");
    run(&Input::gguf(&from).expect("valid"), &out, &options("f16")).expect("made");
    let to = GgufFile::open(&out).expect("valid");
    for key in ["test.0", "test.1", "test.2"] {
        assert_eq!(to.get(key), file.get(key), "{key}");
    }
}

#[test]
fn an_array_of_strings_that_are_no_text_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("in.gguf");
    let words = MetadataValue::Array(ValueType::Array, vec![MetadataValue::strings(["precious"])]);
    let source = Synthetic::parse("tiny-llama:f16").expect("known");
    let mut bytes =
        write_source(&source, Writer::new().metadata("test.words", words), Vec::new()).expect("made");
    let at = bytes.windows(8).position(|w| w == b"precious").expect("there");
    bytes[at] = 0xff;
    std::fs::write(&path, bytes).expect("written");
    let from = GgufSource::open(&path).expect("valid");
    let e = Input::gguf(&from).err().expect("no text").to_string();
    assert!(e.contains("test.words") && e.contains("UTF-8"), "{e}");
}

#[test]
fn what_is_quantized_stays_so_unless_allowed() {
    let dir = tempfile::tempdir().expect("a folder");
    let from = GgufSource::open(&model(&dir, "tiny-llama:q8_0")).expect("valid");
    let input = Input::gguf(&from).expect("valid");
    let out = dir.path().join("out.gguf");
    let e = run(&input, &out, &options("q4_0")).expect_err("refused");
    assert!(
        matches!(&e, ModelError::Quantized { tensor, dtype: DType::Q8_0, .. } if tensor.contains("embd")),
        "{e}"
    );
    assert!(e.to_string().contains("--allow-requantize"), "{e}");
    assert!(!out.exists());
    // The same format is a copy, and floats lose nothing that matters.
    run(&input, &out, &options("q8_0")).expect("a copy");
    let copy = GgufSource::open(&out).expect("valid");
    for t in from.tensors() {
        assert_eq!(read(&from, t), read(&copy, copy.find(&t.name).expect("there")), "{}", t.name);
    }
    run(&input, &out, &options("f32")).expect("floats");
    let allowed = Options { requantize: Requantize::Allow, ..options("q4_0") };
    run(&input, &out, &allowed).expect("allowed");
}

#[test]
fn formats_that_no_file_can_hold_are_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let from = GgufSource::open(&model(&dir, "tiny-llama:f16")).expect("valid");
    let e = run(&Input::gguf(&from).expect("valid"), &dir.path().join("out.gguf"), &options("affine4_g64"));
    let e = e.expect_err("refused").to_string();
    assert!(e.contains("affine4_g64") && e.contains("q4_k_m"), "{e}");
}

#[test]
fn an_interrupted_conversion_leaves_nothing_and_harms_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let from = GgufSource::open(&model(&dir, "tiny-llama:f16")).expect("valid");
    let input = Input::gguf(&from).expect("valid");
    let out = dir.path().join("out.gguf");
    std::fs::write(&out, b"precious").expect("written");
    let made = convert(&input, &out, &options("q4_k_m"), &mut |_| ControlFlow::Break(())).expect("no error");
    assert!(made.is_none());
    assert_eq!(std::fs::read(&out).expect("still there"), b"precious");
    assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 2);
    let nowhere = dir.path().join("no/such/folder/out.gguf");
    let e = run(&input, &nowhere, &options("q4_k_m")).expect_err("no folder").to_string();
    assert!(e.contains("no/such/folder"), "{e}");
    let e = run(&input, dir.path(), &options("q4_k_m")).expect_err("a folder").to_string();
    assert!(e.contains("directory") && e.contains("name the file"), "{e}");
}

#[test]
fn threads_do_not_change_a_byte() {
    let dir = tempfile::tempdir().expect("a folder");
    let from = GgufSource::open(&model(&dir, "tiny-qwen3moe:f16")).expect("valid");
    let input = Input::gguf(&from).expect("valid");
    let made = |threads| {
        let out = dir.path().join(format!("{threads}.gguf"));
        run(&input, &out, &Options { threads, ..options("q3_k_m") }).expect("made");
        std::fs::read(out).expect("read")
    };
    assert!(made(1) == made(3));
}

/// Tensors in memory.
struct Memory {
    config: ModelConfig,
    data: Vec<Vec<u8>>,
    infos: Vec<TensorInfo>,
}

impl Memory {
    fn new(config: ModelConfig, tensors: &[(&str, u64, u64)]) -> Self {
        let mut all = Self { config, data: Vec::new(), infos: Vec::new() };
        for &(name, rows, cols) in tensors {
            // Element c of row r of a matrix, or element r of a vector, is 1000 r + c.
            let of = |i: u64| if rows == 1 { 1000 * i } else { 1000 * (i / cols) + i % cols };
            let bytes = (0..rows * cols).flat_map(|i| (of(i) as f32).to_le_bytes()).collect();
            all.push(name, (rows, cols), DType::F32, bytes);
        }
        all
    }

    fn push(&mut self, name: &str, (rows, cols): (u64, u64), dtype: DType, data: Vec<u8>) {
        let (name, file_name, bytes) = (name.to_owned(), name.to_owned(), data.len() as u64);
        assert_eq!(bytes, rows * dtype.row_bytes(cols));
        self.infos.push(TensorInfo { name, file_name, dtype, rows, cols, bytes });
        self.data.push(data);
    }

    /// Replaces a value of the first tensor.
    fn set(&mut self, element: usize, value: f32) {
        self.data[0][4 * element..][..4].copy_from_slice(&value.to_le_bytes());
    }
}

impl WeightSource for Memory {
    fn config(&self) -> &ModelConfig {
        &self.config
    }
    fn tensors(&self) -> &[TensorInfo] {
        &self.infos
    }
    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let at = self.infos.iter().position(|t| t.name == tensor.name).expect("own");
        out.copy_from_slice(&self.data[at][offset as usize..][..out.len()]);
        Ok(())
    }
}

/// Numbers without a pattern, the same in every run (Knuth's MMIX generator).
fn random(seed: u64) -> impl Iterator<Item = u8> {
    let next =
        |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(seed), next).skip(1).map(|x| (x >> 56) as u8)
}

/// Two heads of 8 over one KV head, 32 wide.
fn config(arch: &str) -> ModelConfig {
    let mut c = Synthetic::parse("tiny-llama:f32").expect("known").config().clone();
    (c.arch, c.layers, c.hidden, c.heads, c.kv_heads) = (arch.into(), 1, 32, 2, 1);
    (c.head_dim, c.ffn, c.vocab) = (8, 64, 16);
    c.rope.dim = 8;
    c.rope.pairing = RopePairing::SplitHalf;
    c
}

#[test]
fn halves_become_pairs_where_a_llama_file_wants_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.gguf");
    let tensors = [
        ("embed.weight", 16, 32),
        ("layers.0.attention.q.weight", 16, 32),
        ("layers.0.attention.q.bias", 1, 16),
        ("layers.0.attention.v.weight", 8, 32),
    ];
    let source = Memory::new(config("llama"), &tensors);
    run(&Input::new(&source, Path::new("model"), None), &out, &options("f32")).expect("made");
    let to = GgufSource::open(&out).expect("valid");
    assert_eq!(to.config().rope.pairing, RopePairing::Adjacent);
    let order = [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15];
    let q: Vec<f32> = values(&to, "layers.0.attention.q.weight").iter().map(|r| r[5]).collect();
    assert_eq!(q, order.map(|r| 1000.0 * r as f32 + 5.0));
    let bias = &values(&to, "layers.0.attention.q.bias")[0];
    assert_eq!(**bias, order.map(|r| 1000.0 * r as f32));
    let v: Vec<f32> = values(&to, "layers.0.attention.v.weight").iter().map(|r| r[1]).collect();
    assert_eq!(v, [1.0, 1001.0, 2001.0, 3001.0, 4001.0, 5001.0, 6001.0, 7001.0]);
    // Qwen's files keep the halves.
    let source = Memory::new(config("qwen2"), &tensors);
    run(&Input::new(&source, Path::new("model"), None), &out, &options("f32")).expect("made");
    let to = GgufSource::open(&out).expect("valid");
    let q: Vec<f32> = values(&to, "layers.0.attention.q.weight").iter().map(|r| r[5]).collect();
    assert_eq!(q[..3], [5.0, 1005.0, 2005.0]);
}

#[test]
fn parts_are_fused_where_the_file_wants_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.gguf");
    let source = Memory::new(
        config("phi3"),
        &[
            ("embed.weight", 16, 32),
            // Not in the file's order.
            ("layers.0.attention.v.weight", 8, 32),
            ("layers.0.attention.k.weight", 8, 32),
            ("layers.0.attention.q.weight", 16, 32),
            ("layers.0.ffn.up.weight", 64, 32),
            ("layers.0.ffn.gate.weight", 64, 32),
        ],
    );
    run(&Input::new(&source, Path::new("model"), None), &out, &options("f32")).expect("made");
    let to = GgufSource::open(&out).expect("valid");
    assert_eq!(to.file().tensor("blk.0.attn_qkv.weight").map(|t| t.dims().to_vec()), Some(vec![32, 32]));
    for (name, _, _) in
        [("attention.q", 0, 0), ("attention.k", 0, 0), ("attention.v", 0, 0), ("ffn.up", 0, 0)]
    {
        let name = format!("layers.0.{name}.weight");
        assert_eq!(values(&to, &name), values(&source, &name), "{name}");
    }
}

/// Stacking and the order of heads move whole rows, so quantized ones stay as they are.
#[test]
fn rows_that_have_the_format_are_moved_and_not_quantized_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let (first, second) = (dir.path().join("1.gguf"), dir.path().join("2.gguf"));
    let mut c = config("phi3");
    (c.hidden, c.ffn) = (256, 256);
    let mut source = Memory::new(c, &[]);
    let matrices = [
        ("embed.weight", 16),
        ("layers.0.attention.q.weight", 16),
        ("layers.0.attention.k.weight", 8),
        ("layers.0.attention.v.weight", 8),
        ("layers.0.ffn.gate.weight", 256),
        ("layers.0.ffn.up.weight", 256),
        ("layers.0.ffn.down.weight", 256),
    ];
    for (seed, (name, rows)) in (1..).zip(matrices) {
        let values = random(seed).take(rows * 256).flat_map(|b| (f32::from(b) - 127.0).to_le_bytes());
        source.push(name, (rows as u64, 256), DType::F32, values.collect());
    }
    run(&Input::new(&source, Path::new("m"), None), &first, &options("q4_k_m")).expect("made");
    let once = GgufSource::open(&first).expect("valid");
    run(&Input::gguf(&once).expect("valid"), &second, &options("q4_k_m")).expect("the formats are the same");
    let twice = GgufSource::open(&second).expect("valid");
    let quantized = |t: &&TensorInfo| t.dtype != DType::F32;
    assert_eq!(once.tensors().iter().filter(quantized).count(), matrices.len());
    for t in once.tensors() {
        assert!(read(&once, t) == read(&twice, twice.find(&t.name).expect("there")), "{}", t.name);
    }

    // Blocks of any scale: the quantizer would choose another for most.
    let mut source = Memory::new(config("llama"), &[("embed.weight", 16, 32)]);
    let row = DType::Mxfp4.row_bytes(32) as usize;
    let blocks: Vec<u8> = random(7).take(16 * row).collect();
    let blocks: Vec<u8> = blocks
        .chunks(row)
        .flat_map(|b| std::iter::once(96 + b[0] % 64).chain(b[1..].iter().copied()))
        .collect();
    source.push("layers.0.attention.q.weight", (16, 32), DType::Mxfp4, blocks.clone());
    source.push("layers.0.attention.v.weight", (8, 32), DType::Mxfp4, blocks[..8 * row].to_vec());
    run(&Input::new(&source, Path::new("m"), None), &first, &options("mxfp4")).expect("the same format");
    let to = GgufSource::open(&first).expect("valid");
    let tensor = |name: &str| read(&to, to.find(name).expect(name));
    let order = [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15];
    let wanted: Vec<u8> = order.iter().flat_map(|r| blocks[r * row..][..row].iter().copied()).collect();
    assert!(tensor("layers.0.attention.q.weight") == wanted);
    assert!(tensor("layers.0.attention.v.weight") == blocks[..8 * row]);
}

/// Parts of one tensor in different formats: those that have the file's stay, the others become it.
#[test]
fn parts_of_other_formats_are_quantized_beside_those_that_stay() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.gguf");
    let mut source = Memory::new(
        config("phi3"),
        &[("layers.0.attention.q.weight", 16, 32), ("layers.0.attention.v.weight", 8, 32)],
    );
    let row = DType::Mxfp4.row_bytes(32) as usize;
    let mut blocks: Vec<u8> = random(9).take(8 * row).collect();
    blocks.chunks_mut(row).for_each(|b| b[0] = 120);
    source.push("layers.0.attention.k.weight", (8, 32), DType::Mxfp4, blocks.clone());
    source.push("embed.weight", (16, 32), DType::F32, vec![0; 16 * 32 * 4]);
    run(&Input::new(&source, Path::new("m"), None), &out, &options("mxfp4")).expect("nothing is lost twice");
    let to = GgufSource::open(&out).expect("valid");
    assert!(read(&to, to.find("layers.0.attention.k.weight").expect("there")) == blocks);
    let q = read(&to, to.find("layers.0.attention.q.weight").expect("there"));
    let values = values(&source, "layers.0.attention.q.weight");
    let mut block = vec![0; row];
    for (x, found) in values.iter().zip(q.chunks_exact(row)) {
        quantize_row(DType::Mxfp4, x, None, &mut block);
        assert_eq!(block, found);
    }
}

#[test]
fn no_file_of_the_source_is_written_to() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = model(&dir, "tiny-llama:f16");
    let refused = |input: &Input<'_>, target: &Path| {
        let before = std::fs::read(target).expect("there");
        let e = run(input, target, &options("q8_0")).expect_err("a file of the source").to_string();
        assert!(e.contains("belongs to the model") && e.contains("another file"), "{e}");
        assert!(std::fs::read(target).expect("still there") == before, "{}", target.display());
    };
    let from = GgufSource::open(&path).expect("valid");
    refused(&Input::gguf(&from).expect("valid"), &path);
    // Another way to the same file.
    let folder = dir.path().file_name().expect("a name");
    refused(
        &Input::gguf(&from).expect("valid"),
        &dir.path().join("..").join(folder).join("tiny-llama-f16.gguf"),
    );

    // The second of two parts.
    let part = |no: u16, name: &str, tensors: &[&str]| {
        let mut w = Writer::new().metadata("split.no", no).metadata("split.count", 2u16);
        if no == 0 {
            w = w.config(from.config());
        }
        let of = |n: &&str| from.tensors().iter().find(|t| t.file_name == **n).expect("there");
        for t in tensors.iter().map(of) {
            w = w.tensor(&t.file_name, &[t.cols, t.rows][..if t.rows == 1 { 1 } else { 2 }], t.dtype);
        }
        let data: Vec<_> = tensors.iter().map(|n| read(&from, of(n))).collect();
        let path = dir.path().join(name);
        std::fs::write(&path, w.to_bytes(data).expect("valid")).expect("written");
        path
    };
    let one = part(0, "m-00001-of-00002.gguf", &["token_embd.weight"]);
    let two = part(1, "m-00002-of-00002.gguf", &["output_norm.weight"]);
    let split = GgufSource::open(&one).expect("valid");
    refused(&Input::gguf(&split).expect("valid"), &one);
    refused(&Input::gguf(&split).expect("valid"), &two);

    // What a directory holds besides GGUF files.
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny-llama");
    let folder = dir.path().join("folder");
    std::fs::create_dir(&folder).expect("made");
    for entry in std::fs::read_dir(&fixture).expect("there") {
        let entry = entry.expect("there");
        std::fs::copy(entry.path(), folder.join(entry.file_name())).expect("copied");
    }
    let source = SafetensorsSource::open(&folder).expect("valid");
    let input = Input::new(&source, &folder, None);
    for name in ["model-00002-of-00002.safetensors", "config.json", "tokenizer.json"] {
        refused(&input, &folder.join(name));
    }
    let target = folder.join("made.gguf");
    for _ in 0..2 {
        run(&input, &target, &options("q8_0")).expect("a file beside the source's");
    }
}

#[test]
fn what_a_killed_conversion_left_is_used_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let from = GgufSource::open(&model(&dir, "tiny-llama:f16")).expect("valid");
    let input = Input::gguf(&from).expect("valid");
    let (clean, out) = (dir.path().join("clean.gguf"), dir.path().join("out.gguf"));
    let part = dir.path().join(".out.gguf.part");
    let bytes = run(&input, &clean, &options("q4_0")).expect("made").file_bytes;
    let left = vec![0xee; bytes as usize + 1000];
    std::fs::write(&part, &left).expect("written");
    // Somebody is still writing it.
    let writer = std::fs::File::options().write(true).open(&part).expect("there");
    writer.try_lock().expect("alone");
    let e = run(&input, &out, &options("q4_0")).expect_err("busy").to_string();
    assert!(e.contains(".out.gguf.part") && e.contains("another akunu") && e.contains("wait"), "{e}");
    assert!(!out.exists() && std::fs::read(&part).expect("still there") == left);
    drop(writer);
    run(&input, &out, &options("q4_0")).expect("made");
    assert!(std::fs::read(&out).expect("there") == std::fs::read(&clean).expect("there"));
    assert!(!part.exists());
}

#[test]
fn layers_without_rope_are_those_of_the_architecture_or_the_model_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.gguf");
    let source = |arch: &str, roped: Option<Vec<bool>>| {
        let mut c = config(arch);
        c.layers = 5;
        c.attention.roped = roped;
        Memory::new(c, &[("embed.weight", 16, 32)])
    };
    let made =
        |source: &Memory| run(&Input::new(source, Path::new("some/model"), None), &out, &options("f32"));
    let usual = vec![true, true, true, false, true];
    for (arch, roped) in
        [("smollm3", None), ("smollm3", Some(usual.clone())), ("llama", None), ("llama", Some(vec![true; 5]))]
    {
        let source = source(arch, roped);
        made(&source).expect(arch);
        write_source(&source, Writer::new(), Vec::new()).expect(arch);
        assert_eq!(GgufSource::open(&out).expect("valid").config().attention.roped, None);
    }
    std::fs::remove_file(&out).expect("there");
    let every_second = vec![true, false, true, false, true];
    for (arch, roped, layer) in [
        ("smollm3", every_second, "layer 1 does not rotate"),
        ("smollm3", vec![true; 5], "layer 3 rotates"),
        ("llama", usual, "layer 3 does not rotate"),
    ] {
        let source = source(arch, Some(roped));
        let e = made(&source).expect_err(layer).to_string();
        assert!(e.contains(layer) && e.contains(arch) && e.contains("some/model"), "{e}");
        assert!(!out.exists());
        write_source(&source, Writer::new(), Vec::new()).expect_err(layer);
    }
}

#[test]
fn configurations_survive_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.gguf");
    for spec in ["tiny-llama:f16", "tiny-qwen3:f16", "tiny-qwen3moe:f16"] {
        let source = Synthetic::parse(spec).expect("known");
        run(&Input::new(&source, Path::new("model"), None), &out, &options("q8_0")).expect(spec);
        assert_eq!(GgufSource::open(&out).expect(spec).config(), source.config(), "{spec}");
    }
    let mut c = config("gemma2");
    c.attention.sliding_window = Some(64);
    c.attention.windowed = Some(vec![true]);
    c.attention.local_rope_base = Some(5000.0);
    c.attention.softcap = Some(50.0);
    c.attention.scale = Some(0.25);
    c.logits_softcap = Some(30.0);
    c.sampling.temperature = Some(0.5);
    let yarn = RopeScaling::Yarn { factor: 4.0, beta_fast: 32.0, beta_slow: 2.0, original_context: 256 };
    let long = RopeScaling::LongFactors {
        short: vec![1.0; 4],
        long: vec![2.0, 3.0, 4.0, 5.0],
        original_context: 256,
    };
    let all = [
        RopeScaling::None,
        RopeScaling::Linear { factor: 2.0 },
        RopeScaling::Factors(vec![1.0, 1.0, 2.0, 4.0]),
        yarn,
        long,
    ];
    for scaling in all {
        let mut c = c.clone();
        // What a reader makes of the factor by itself.
        c.rope.magnitude =
            if matches!(scaling, RopeScaling::Yarn { .. }) { 0.1 * 4f32.ln() + 1.0 } else { 1.0 };
        c.rope.scaling = scaling;
        let mut source = Memory::new(c, &[("embed.weight", 16, 32)]);
        run(&Input::new(&source, Path::new("model"), None), &out, &options("f32")).expect("made");
        assert_eq!(GgufSource::open(&out).expect("valid").config(), source.config());
        // As a whole, without any conversion.
        source.infos[0].file_name = "token_embd.weight".into();
        std::fs::write(&out, write_source(&source, Writer::new(), Vec::new()).expect("made"))
            .expect("written");
        assert_eq!(GgufSource::open(&out).expect("valid").config(), source.config());
    }
}

#[test]
fn llama_3_divisors_become_a_tensor() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.gguf");
    let mut c = config("llama");
    (c.head_dim, c.rope.dim, c.rope.base) = (64, 64, 500_000.0);
    c.rope.scaling = RopeScaling::Llama3 {
        factor: 32.0,
        low_freq_factor: 1.0,
        high_freq_factor: 4.0,
        original_context: 8192,
    };
    let mut source = Memory::new(c, &[("embed.weight", 16, 32)]);
    let wanted = Synthetic::parse("llama-3.2-1b:f16").expect("known");
    let scaling = |path: &Path| GgufSource::open(path).expect("valid").config().rope.scaling.clone();
    run(&Input::new(&source, Path::new("model"), None), &out, &options("f32")).expect("made");
    assert_eq!(scaling(&out), wanted.config().rope.scaling);
    source.infos[0].file_name = "token_embd.weight".into();
    std::fs::write(&out, write_source(&source, Writer::new(), Vec::new()).expect("made")).expect("written");
    assert_eq!(scaling(&out), wanted.config().rope.scaling);
}

#[test]
fn values_that_do_not_fit_are_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.gguf");
    let mut source = Memory::new(config("qwen2"), &[("embed.weight", 16, 32)]);
    source.set(40, 1e9);
    let input = Input::new(&source, Path::new("some/model"), None);
    for recipe in ["f16", "q4_0", "q8_0"] {
        let e = run(&input, &out, &options(recipe)).expect_err(recipe).to_string();
        assert!(e.contains("token_embd.weight") && e.contains("some/model") && e.contains("bf16"), "{e}");
        assert!(!out.exists());
    }
    run(&input, &out, &options("bf16")).expect("bf16 reaches as far as f32");
    let mut source = Memory::new(config("qwen2"), &[("embed.weight", 16, 32)]);
    source.set(40, f32::NAN);
    let e = run(&Input::new(&source, Path::new("m"), None), &out, &options("q4_0")).expect_err("NaN");
    assert!(matches!(e, ModelError::NotFinite { block: 40, .. }), "{e}");
}

/// A decoder's unigram tokenizer would make a file that nobody here reads: it is refused before anything is written.
#[test]
fn a_unigram_tokenizer_is_refused_before_a_file_is_written() {
    let dir = TempDir::new().unwrap();
    let source = Synthetic::parse("tiny-llama:f16").unwrap();
    let tokenizer = TokenizerData {
        model: UNIGRAM.into(),
        pre: None,
        tokens: vec!["<unk>".into(), "a".into()],
        scores: vec![0.0, -1.0],
        types: vec![TokenType::Unknown, TokenType::Normal],
        merges: vec![],
        words: None,
        unigram: None,
        suffix: None,
        between: None,
        bos: None,
        unk: None,
        ends: vec![],
        fim: Default::default(),
        add_bos: AddBos::No,
        space_prefix: SpacePrefix::None,
        chat_template: None,
        normalization: Normalization::None,
        strips: Default::default(),
    };
    let (path, out) = (dir.path().join("model"), dir.path().join("out.gguf"));
    let e = run(&Input::new(&source, &path, Some(&tokenizer)), &out, &options("q4_0")).unwrap_err();
    assert!(matches!(&e, ModelError::Convert { .. }) && e.to_string().contains("unigram"), "{e}");
    assert!(!out.exists());
    assert!(run(&Input::new(&source, &path, None), &out, &options("q4_0")).is_ok() && out.exists());
}
