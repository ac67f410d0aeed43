//! Encoders against transformers: tiny random models whose vectors `tools/arch_oracle.py` computed in f64.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::kernels::Machine;
use akunu::kernels::cpu::Level;
use akunu::kernels::cuda::Gpu;
use akunu::plan::arch::{ARCHS, Output};
use akunu::plan::{Encode, Program, Settings, Target};
use akunu::{
    CacheTypes, EmbedOptions, Embedder, Error, LoadOptions, Matrices, Model, Normalize, Pooling, RowCount,
    Token,
};
use akunu_conformance::formula::Formula;
use akunu_conformance::{On, fixture, on_each_device_and_vulkan};
use std::sync::Arc;

const POOLINGS: [Pooling; 3] = [Pooling::Mean, Pooling::Cls, Pooling::Last];

/// One case: its description, its texts, and of each the vector by every pooling.
struct Case {
    description: serde_json::Value,
    name: String,
    texts: Vec<Vec<Token>>,
    vectors: Vec<[Vec<f32>; 3]>,
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(fixture("architectures/encoders.json")).unwrap();
    let all: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let of = |description: serde_json::Value| Case {
        name: description["name"].as_str().unwrap().into(),
        texts: serde_json::from_value::<Vec<Vec<u32>>>(description["texts"].clone())
            .unwrap()
            .into_iter()
            .map(|t| t.into_iter().map(Token).collect())
            .collect(),
        vectors: serde_json::from_value(description["vectors"].clone()).unwrap(),
        description,
    };
    all.into_iter().map(of).collect()
}

impl Case {
    fn model(&self, device: &Arc<dyn Device>) -> Model {
        let source = Box::new(Formula::new(&self.description).unwrap());
        let options = LoadOptions { matrices: Matrices::File, ..LoadOptions::default() };
        Model::load_on(source, Arc::clone(device), &options, &mut |_| {}).unwrap()
    }

    fn embedder(&self, model: &Model, pooling: Pooling) -> Embedder {
        model.embedder(&EmbedOptions { pooling: Some(pooling), ..EmbedOptions::default() }).unwrap()
    }

    /// The largest error of a value, relative to the largest value of all.
    fn worst(&self, device: &Arc<dyn Device>) -> f32 {
        let model = self.model(device);
        let (mut worst, mut largest) = (0f32, 0f32);
        for (which, pooling) in POOLINGS.into_iter().enumerate() {
            let got = self.embedder(&model, pooling).embed_tokens(&self.texts).unwrap();
            for (got, want) in got.vectors.iter().zip(&self.vectors) {
                assert_eq!(got.len(), want[which].len());
                for (g, w) in got.iter().zip(&want[which]) {
                    let off = (g - w).abs();
                    // (A NaN is an error too.)
                    worst = if off <= worst { worst } else { off };
                    largest = largest.max(w.abs());
                }
            }
        }
        worst / largest
    }
}

fn reference() -> Arc<dyn Device> {
    Arc::new(CpuDevice::with_level(Level::Reference, Some(2)).unwrap())
}

/// The bound of the house: 1e-4 with the plain kernels.
#[test]
fn reference_kernels_agree_with_transformers() {
    for case in cases() {
        let off = case.worst(&reference());
        println!("{}: {off:.1e}", case.name);
        assert!(off < 1e-4, "{}: off by {off:e}", case.name);
    }
}

on_each_device_and_vulkan!(every_device_agrees_with_transformers, a_text_does_not_depend_on_its_neighbours,);

/// The same bound as for decoders, whose inputs of products are rounded as much.
fn every_device_agrees_with_transformers(on: On) {
    for device in on.devices().unwrap() {
        for case in cases() {
            let layers = case.description["layers"].as_u64().unwrap() as f32;
            let off = case.worst(&device);
            println!("{} {}: {off:.1e}", device.info().name, case.name);
            let bound = 8.0 * layers * 2f32.powi(-11);
            assert!(off < bound, "{} {}: off by {off:e}, bound {bound:e}", device.info().name, case.name);
        }
    }
}

/// Texts alone, together, in another order, and so many that they take several steps: the same bits.
fn a_text_does_not_depend_on_its_neighbours(on: On) {
    for device in on.devices().unwrap() {
        for case in cases() {
            let model = case.model(&device);
            let mut embedder = case.embedder(&model, Pooling::Mean);
            let alone: Vec<Vec<f32>> = case
                .texts
                .iter()
                .map(|t| embedder.embed_tokens(std::slice::from_ref(t)).unwrap().vectors.remove(0))
                .collect();
            let many: Vec<usize> = (0..300).map(|i| i * 7 % case.texts.len()).collect();
            let texts: Vec<Vec<Token>> = many.iter().map(|i| case.texts[*i].clone()).collect();
            let got = embedder.embed_tokens(&texts).unwrap();
            for (at, i) in many.iter().enumerate() {
                assert!(got.vectors[at] == alone[*i], "{} {}: text {at}", device.info().name, case.name);
                assert_eq!(got.tokens[at] as usize, case.texts[*i].len());
            }
        }
    }
}

/// What the oracle's cases must notice: positions off by one, a segment left out.
#[test]
fn a_wrong_configuration_fails() {
    for (name, part, field, value) in [
        ("bert", "encoder", "first_position", serde_json::json!(1)),
        ("bert", "encoder", "segments", serde_json::json!(0)),
        ("xlm-roberta", "encoder", "first_position", serde_json::json!(3)),
        ("mpnet", "encoder", "buckets", serde_json::json!(0)),
        ("nomic-bert", "encoder", "segments", serde_json::json!(0)),
        ("nomic-bert", "", "base", serde_json::json!(900.0)),
        ("modern-bert", "", "window", serde_json::json!(6)),
        ("modern-bert", "", "window", serde_json::json!(10)),
        ("modern-bert", "", "local_base", serde_json::json!(400.0)),
        ("modern-bert", "", "windowed", serde_json::json!([false, true, true, true])),
    ] {
        let mut case = cases().into_iter().find(|c| c.name == name).unwrap();
        let place = if part.is_empty() { &mut case.description } else { &mut case.description[part] };
        place[field] = value;
        let off = case.worst(&reference());
        assert!(off > 1e-3, "{name} with another {field} is off by {off:e} only");
    }
}

#[test]
fn vectors_are_normalized_and_cut_as_asked() {
    let case = cases().remove(0);
    let model = case.model(&reference());
    let make = |normalize, dimensions| {
        let options = EmbedOptions { normalize, dimensions, ..EmbedOptions::default() };
        let mut embedder = model.embedder(&options).unwrap();
        assert_eq!(embedder.dimensions(), dimensions.unwrap_or(64));
        embedder.embed_tokens(&case.texts).unwrap().vectors
    };
    let length = |v: &[f32]| v.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let plain = make(Some(Normalize::No), None);
    let whole = make(Some(Normalize::L2), None);
    let cut = make(Some(Normalize::L2), Some(10));
    for ((plain, whole), cut) in plain.iter().zip(&whole).zip(&cut) {
        assert!((length(plain) - 1.0).abs() > 1e-3);
        assert!((length(whole) - 1.0).abs() < 1e-6 && (length(cut) - 1.0).abs() < 1e-6);
        let (of_all, of_ten) = (length(plain), length(&plain[..10]));
        assert!(plain.iter().zip(whole).all(|(p, w)| (f64::from(*p) / of_all - f64::from(*w)).abs() < 1e-6));
        assert_eq!(cut.len(), 10);
        assert!(plain.iter().zip(cut).all(|(p, c)| (f64::from(*p) / of_ten - f64::from(*c)).abs() < 1e-6));
    }
}

#[test]
fn what_cannot_be_a_vector_is_said() {
    let case = cases().remove(0);
    let model = case.model(&reference());
    assert!(model.is_encoder());
    let mut embedder = model.embedder(&EmbedOptions::default()).unwrap();
    let (good, long) = (vec![Token(1); 100], vec![Token(1); 101]);
    assert_eq!(embedder.max_tokens(), 100);
    let e = embedder.embed_tokens(&[good.clone(), long]).unwrap_err();
    assert!(matches!(e, Error::TextTooLong { index: 1, tokens: 101, most: 100 }), "{e}");
    let e = embedder.embed_tokens(&[good.clone(), vec![]]).unwrap_err();
    assert!(matches!(e, Error::EmptyText { index: 1 }), "{e}");
    let e = embedder.embed_tokens(&[vec![Token(1), Token(64)]]).unwrap_err();
    assert!(matches!(e, Error::TokenRange { token: Token(64), index: 1, vocab: 64 }), "{e}");
    // What was refused leaves no trace.
    assert_eq!(embedder.embed_tokens(&[good]).unwrap().vectors.len(), 1);
    assert!(embedder.embed_tokens(&[]).unwrap().vectors.is_empty());
    for dimensions in [0, 65] {
        let options = EmbedOptions { dimensions: Some(dimensions), ..EmbedOptions::default() };
        assert!(matches!(model.embedder(&options), Err(Error::Option { .. })), "{dimensions}");
    }
    let options = EmbedOptions { prompt: Some("query".into()), ..EmbedOptions::default() };
    assert!(matches!(model.embedder(&options), Err(Error::Option { .. })));
    // Each kind of model says what it is not.
    assert!(model.session().is_err());
    let source = Box::new(akunu::files::synthetic::Synthetic::parse("tiny-llama:f32").unwrap());
    let decoder = Model::load_on(source, reference(), &LoadOptions::default(), &mut |_| {}).unwrap();
    assert!(!decoder.is_encoder());
    let e = decoder.embedder(&EmbedOptions::default()).err().unwrap();
    assert!(e.to_string().contains("use an encoder"), "{e}");
    // A context beyond the positions that there are.
    let source = Box::new(Formula::new(&case.description).unwrap());
    let options = LoadOptions { context: Some(129), ..LoadOptions::default() };
    assert!(Model::load_on(source, reference(), &options, &mut |_| {}).is_err());
}

#[test]
fn every_encoder_has_a_case() {
    let cases = cases();
    for arch in ARCHS.iter().filter(|a| a.output == Output::Pooled) {
        assert!(cases.iter().any(|c| c.description["arch"] == arch.name), "no case of `{}`", arch.name);
    }
}

/// Every kernel of every encoder's tables; needs no GPU, only NVRTC.
fn compile_all(arch: &str) {
    use akunu::device::cuda::{Options, compile_table};
    let gpu = Gpu::of_arch(arch).unwrap();
    let options = Options { overlap: gpu.sm >= 90, ..Options::default() };
    for case in cases() {
        let source = Formula::new(&case.description).unwrap();
        let settings =
            Settings { context: 100, head_rows: RowCount(1), cache: CacheTypes::default(), batch: None };
        let program = Program::new(&source, Target::of(Machine::Cuda(gpu)), settings).unwrap();
        for rows in program.encode_ladder() {
            let shape = Encode { rows, pooling: Pooling::Mean, normalize: Normalize::L2 };
            let table = program.encode_table(shape).unwrap();
            compile_table(&table, options).unwrap_or_else(|e| panic!("{} for {arch}: {e}", case.name));
        }
    }
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn every_encoder_compiles_for_sm_90a() {
    compile_all("sm_90a");
}

#[test]
#[ignore = "needs NVRTC; tools/fetch-nvrtc.sh"]
fn every_encoder_compiles_for_sm_80() {
    compile_all("sm_80");
}
