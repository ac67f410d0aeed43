//! Canonical tensor names, and what else depends on how a GGUF stores an architecture.

use crate::config::RopePairing;

/// A file's name and its canonical name; `{}` is a layer's index in both.
static NAMES: &[(&str, &str)] = &[
    ("token_embd.weight", "embed.weight"),
    ("position_embd.weight", "positions.weight"),
    ("token_types.weight", "segments.weight"),
    ("token_embd_norm.weight", "embed_norm.weight"),
    ("token_embd_norm.bias", "embed_norm.bias"),
    ("blk.{}.attn_output_norm.weight", "layers.{}.attention_post_norm.weight"),
    ("blk.{}.attn_output_norm.bias", "layers.{}.attention_post_norm.bias"),
    ("blk.{}.layer_output_norm.weight", "layers.{}.ffn_post_norm.weight"),
    ("blk.{}.layer_output_norm.bias", "layers.{}.ffn_post_norm.bias"),
    ("output_norm.weight", "output_norm.weight"),
    ("output.weight", "output.weight"),
    ("output.bias", "output.bias"),
    ("blk.{}.attn_norm.weight", "layers.{}.attention_norm.weight"),
    ("blk.{}.attn_q.weight", "layers.{}.attention.q.weight"),
    ("blk.{}.attn_k.weight", "layers.{}.attention.k.weight"),
    ("blk.{}.attn_v.weight", "layers.{}.attention.v.weight"),
    ("blk.{}.attn_output.weight", "layers.{}.attention.output.weight"),
    ("blk.{}.attn_q.bias", "layers.{}.attention.q.bias"),
    ("blk.{}.attn_k.bias", "layers.{}.attention.k.bias"),
    ("blk.{}.attn_v.bias", "layers.{}.attention.v.bias"),
    ("blk.{}.attn_output.bias", "layers.{}.attention.output.bias"),
    ("blk.{}.attn_q_norm.weight", "layers.{}.attention.q_norm.weight"),
    ("blk.{}.attn_k_norm.weight", "layers.{}.attention.k_norm.weight"),
    ("blk.{}.post_attention_norm.weight", "layers.{}.attention_post_norm.weight"),
    ("blk.{}.ffn_norm.weight", "layers.{}.ffn_norm.weight"),
    ("blk.{}.ffn_gate.weight", "layers.{}.ffn.gate.weight"),
    ("blk.{}.ffn_up.weight", "layers.{}.ffn.up.weight"),
    ("blk.{}.ffn_down.weight", "layers.{}.ffn.down.weight"),
    ("blk.{}.ffn_gate.bias", "layers.{}.ffn.gate.bias"),
    ("blk.{}.ffn_up.bias", "layers.{}.ffn.up.bias"),
    ("blk.{}.ffn_down.bias", "layers.{}.ffn.down.bias"),
    ("blk.{}.post_ffw_norm.weight", "layers.{}.ffn_post_norm.weight"),
    ("blk.{}.ffn_gate_inp.weight", "layers.{}.ffn.router.weight"),
    ("blk.{}.ffn_gate_exps.weight", "layers.{}.ffn.experts.gate.weight"),
    ("blk.{}.ffn_up_exps.weight", "layers.{}.ffn.experts.up.weight"),
    ("blk.{}.ffn_down_exps.weight", "layers.{}.ffn.experts.down.weight"),
];

/// Rows of one part of a fused tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All query heads.
    Queries,
    /// All key heads, or all value heads.
    KeyValues,
    /// The feed-forward width.
    Ffn,
}

/// Tensors of an architecture that hold several matrices above each other: the file's name, and each part's canonical
/// name and rows.
type Fused = (&'static str, &'static str, &'static [(&'static str, Part)]);

static FUSED: &[Fused] = &[
    (
        "nomic-bert",
        "blk.{}.attn_qkv.weight",
        &[
            ("layers.{}.attention.q.weight", Part::Queries),
            ("layers.{}.attention.k.weight", Part::KeyValues),
            ("layers.{}.attention.v.weight", Part::KeyValues),
        ],
    ),
    (
        "phi3",
        "blk.{}.attn_qkv.weight",
        &[
            ("layers.{}.attention.q.weight", Part::Queries),
            ("layers.{}.attention.k.weight", Part::KeyValues),
            ("layers.{}.attention.v.weight", Part::KeyValues),
        ],
    ),
    (
        "phi3",
        "blk.{}.ffn_up.weight",
        &[("layers.{}.ffn.gate.weight", Part::Ffn), ("layers.{}.ffn.up.weight", Part::Ffn)],
    ),
];

/// The parts of an architecture's fused tensor, `None` for one that is not.
pub(super) fn fused(arch: &str, file_name: &str) -> Option<Vec<(String, Part)>> {
    FUSED.iter().filter(|f| f.0 == arch).find_map(|(_, pattern, parts)| {
        let index = layer_of(pattern, file_name)?;
        Some(parts.iter().map(|(name, part)| (name.replacen("{}", index, 1), *part)).collect())
    })
}

/// Architectures whose files have layer norms, one after each residual addition, and text that is read as a whole.
pub(crate) static ENCODERS: &[&str] = &["bert", "nomic-bert"];

/// Architectures with so many layers whose scores are scaled by sqrt(heads / hidden).
pub(super) static WIDE_SCORES: &[(&str, u32)] = &[("gemma2", 46), ("gemma3", 62)];

/// Tensors that the configuration absorbs: no kernel reads them as weights.
pub(crate) static ROPE_FREQS: &str = "rope_freqs.weight";
/// Divisors for long contexts and for short ones.
pub(crate) static ROPE_FACTORS: [&str; 2] = ["rope_factors_long.weight", "rope_factors_short.weight"];

/// Architectures whose GGUF files have the query and key rows permuted so that RoPE rotates adjacent pairs
/// (llama.cpp's `LLAMA_ROPE_TYPE_NORM`). All others rotate element i with i + dim/2.
static ADJACENT_PAIRS: &[&str] = &[
    "llama",
    "llama4",
    "deci",
    "baichuan",
    "starcoder",
    "internlm2",
    "minicpm",
    "xverse",
    "command-r",
    "cohere2",
    "olmo",
    "arctic",
    "deepseek",
    "deepseek2",
    "plm",
    "chatglm",
    "glm4",
    "granite",
    "granitemoe",
    "chameleon",
    "bailingmoe",
    "smollm3",
    "ernie4_5",
    "arcee",
    "mistral3",
];

/// The pairing of an architecture's GGUF files.
pub(crate) fn rope_pairing(arch: &str) -> RopePairing {
    if ADJACENT_PAIRS.contains(&arch) { RopePairing::Adjacent } else { RopePairing::SplitHalf }
}

/// Architectures whose files leave RoPE out of every n-th layer.
static UNROPED_EVERY: &[(&str, u32)] = &[("smollm3", 4)];

/// Whether layer `layer` of an architecture's GGUF files rotates queries and keys. No key of the format says so: every
/// reader knows it from the architecture's name.
pub fn rotates(arch: &str, layer: u32) -> bool {
    UNROPED_EVERY.iter().all(|(a, n)| *a != arch || layer % n != n - 1)
}

/// The canonical name of a file's tensor, `None` for one that has none.
pub(super) fn canonical(file_name: &str) -> Option<String> {
    NAMES.iter().find_map(|(pattern, name)| {
        if pattern.contains("{}") {
            layer_of(pattern, file_name).map(|index| name.replacen("{}", index, 1))
        } else {
            (*pattern == file_name).then(|| (*name).into())
        }
    })
}

/// Where a file of an architecture has the tensor of a canonical name: the file's name, and which part of it, from 0.
pub(crate) fn in_file(arch: &str, canonical: &str) -> Option<(String, usize)> {
    let name = |pattern: &str, canonical_pattern: &str| {
        if canonical_pattern.contains("{}") {
            layer_of(canonical_pattern, canonical).map(|index| pattern.replacen("{}", index, 1))
        } else {
            (canonical_pattern == canonical).then(|| pattern.to_owned())
        }
    };
    let fused = FUSED.iter().filter(|f| f.0 == arch).find_map(|(_, pattern, parts)| {
        parts.iter().enumerate().find_map(|(i, (part, _))| Some((name(pattern, part)?, i)))
    });
    let own = |(file, _): &&(&str, &str)| !encoders_own(file) || ENCODERS.contains(&arch);
    fused.or_else(|| NAMES.iter().filter(own).find_map(|(pattern, c)| Some((name(pattern, c)?, 0))))
}

/// Whether a name of [`NAMES`] is an encoder's: decoders call the same norms otherwise.
fn encoders_own(file_name: &str) -> bool {
    ["attn_output_norm.", "layer_output_norm."].iter().any(|n| file_name.contains(n))
}

/// The index that stands for `{}` in a name of that pattern.
fn layer_of<'a>(pattern: &str, file_name: &'a str) -> Option<&'a str> {
    let (before, after) = pattern.split_once("{}")?;
    file_name.strip_prefix(before)?.strip_suffix(after).filter(|s| is_index(s))
}

/// Decimal without leading zeros, so that every canonical name has one file name.
fn is_index(s: &str) -> bool {
    (1..=5).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit()) && (s == "0" || !s.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_map_one_to_one() {
        assert_eq!(canonical("token_embd.weight").as_deref(), Some("embed.weight"));
        assert_eq!(canonical("blk.17.ffn_down.weight").as_deref(), Some("layers.17.ffn.down.weight"));
        for odd in [
            "blk.01.attn_q.weight",
            "blk..attn_q.weight",
            "blk.-1.attn_q.weight",
            "blk.1.attn_q",
            "rope_freqs.weight",
        ] {
            assert_eq!(canonical(odd), None, "{odd}");
        }
        for (file, canonical_name) in NAMES {
            let (file, name) = (file.replace("{}", "3"), canonical_name.replace("{}", "3"));
            assert_eq!(canonical(&file).as_deref(), Some(&*name));
            let arch = if encoders_own(&file) { "bert" } else { "llama" };
            assert_eq!(in_file(arch, &name), Some((file, 0)));
        }
        assert_eq!(in_file("phi3", "layers.2.attention.v.weight"), Some(("blk.2.attn_qkv.weight".into(), 2)));
        for encoder in [true, false] {
            let own = |file: &str| encoders_own(file) == encoder;
            let mut canon: Vec<_> = NAMES.iter().filter(|(f, _)| own(f)).map(|(_, c)| c).collect();
            let all = canon.len();
            canon.sort();
            canon.dedup();
            assert_eq!(canon.len(), all);
        }
    }
}
