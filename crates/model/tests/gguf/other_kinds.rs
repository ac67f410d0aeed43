//! GGUF files that hold something else than a model are called what they are.

use crate::tiny;
use akunu_kernels::DType;
use akunu_model::ModelError;
use akunu_model::gguf::write::{MetadataValue, Writer};
use akunu_model::gguf::{GgufFile, GgufSource};

fn refused(w: Writer, words: &[&str]) {
    let disk = tiny::file(&w.to_bytes([[0; 32]]).expect("written"));
    GgufFile::open(disk.path()).expect("it can be inspected");
    let e = GgufSource::open(disk.path()).expect_err("no model");
    assert!(matches!(e, ModelError::NoModel { .. }), "{e}");
    let text = e.to_string();
    assert!(text.contains(&*disk.path().to_string_lossy()), "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

fn with(entries: &[(&str, &str)], tensor: &str) -> Writer {
    let w =
        entries.iter().fold(tiny::writer(&[("general.architecture", None)]), |w, (k, v)| w.metadata(k, *v));
    w.tensor(tensor, &[8], DType::F32)
}

#[test]
fn adapters() {
    let lora = "blk.0.attn_q.weight.lora_a";
    let words = ["LoRA adapter", "merge it into its base model"];
    refused(with(&[("general.architecture", "llama"), ("general.type", "adapter")], lora), &words);
    refused(with(&[("general.architecture", "llama"), ("adapter.type", "lora")], lora), &words);
    refused(with(&[("general.architecture", "llama")], lora), &words);
    let named = with(&[("general.type", "adapter"), ("general.base_model.0.name", "SmolLM2\x1b[1m")], lora);
    refused(named, &["LoRA adapter", r"its base model is SmolLM2\u{1b}[1m"]);
}

#[test]
fn projectors_and_importance_matrices() {
    let tensor = "v.patch_embd.weight";
    let words = ["mmproj", "images or sound", "text model"];
    refused(with(&[("general.architecture", "clip")], tensor), &words);
    refused(with(&[("general.type", "mmproj"), ("general.architecture", "clip")], tensor), &words);
    refused(with(&[("general.type", "imatrix")], "blk.0.attn_q.weight.in_sum2"), &["importance matrix"]);
}

#[test]
fn a_model_that_says_so_is_one() {
    let says = |v: MetadataValue| {
        let w = tiny::writer(&[("general.type", Some(v))]);
        GgufSource::open(tiny::file(&tiny::with_tensors(w, tiny::TENSORS)).path()).map(|_| ())
    };
    says("model".into()).expect("a model");
    // What is no text says nothing.
    says(7u32.into()).expect("a model");
}
