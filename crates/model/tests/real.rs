//! The real SmolLM2-135M-Instruct, which `tools/fetch-model.sh` puts into the cache folder.

use akunu_kernels::DType;
use akunu_model::WeightSource;
use akunu_model::config::{RopePairing, RopeScaling};
use akunu_model::gguf::GgufSource;
use std::path::PathBuf;

fn path() -> PathBuf {
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = var("AKUNU_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("akunu")))
        .or_else(|| Some(var("HOME")?.join(".cache/akunu")))
        .expect("a cache folder");
    cache.join("models/SmolLM2-135M-Instruct.Q4_1.gguf")
}

#[test]
#[ignore = "needs the SmolLM2 file; tools/fetch-model.sh"]
fn real_smollm2_configuration() {
    let s = GgufSource::open(&path()).expect("the file of tools/fetch-model.sh");
    let c = s.config();
    assert_eq!((c.arch.as_str(), c.layers, c.hidden, c.heads, c.kv_heads), ("llama", 30, 576, 9, 3));
    assert_eq!((c.head_dim, c.ffn, c.vocab, c.context, c.norm_eps), (64, 1536, 49_152, 8192, 1e-5));
    assert_eq!((c.rope.base, c.rope.dim, c.rope.pairing), (100_000.0, 64, RopePairing::Adjacent));
    assert_eq!(c.rope.scaling, RopeScaling::None);
    let count = |d: DType| s.tensors().iter().filter(|t| t.dtype == d).count();
    assert_eq!((count(DType::Q4_1), count(DType::F32), count(DType::Q8_0)), (210, 61, 1));
    assert!(s.unmapped().is_empty() && s.find("output.weight").is_none());
    assert_eq!(s.file().get_str("tokenizer.ggml.pre").expect("a string"), Some("smollm"));
    assert_eq!(s.file().get_strs("tokenizer.ggml.tokens").expect("strings").map(|t| t.len()), Some(49_152));
}

#[test]
#[ignore = "needs the SmolLM2 file; tools/fetch-model.sh"]
fn real_smollm2_weights_are_finite() {
    let s = GgufSource::open(&path()).expect("the file of tools/fetch-model.sh");
    for t in s.tensors() {
        let mut bytes = vec![0; t.bytes as usize];
        s.read(t, 0, &mut bytes).expect("read");
        s.check_finite(t, 0, &bytes).expect("finite");
    }
}
