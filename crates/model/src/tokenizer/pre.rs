//! Pre-tokenizers: how text is cut before byte-level BPE merges, by the name a GGUF gives in
//! `tokenizer.ggml.pre`. The patterns are those of each model family's published tokenizer configuration.

use super::TokenizerError;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;

/// How a family cuts text.
#[derive(Debug)]
pub struct PreTokenizer {
    /// Names in `tokenizer.ggml.pre`.
    pub names: &'static [&'static str],
    /// Patterns applied one after the other, each match a piece of its own.
    pub patterns: &'static [&'static str],
    /// Whether a piece that is a token as a whole is taken without merging.
    pub whole_pieces: WholePieces,
}

/// Whether a piece that is a token as a whole is taken without merging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholePieces {
    /// Taken.
    Taken,
    /// Merged like any other.
    Merged,
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const ONE_DIGIT: &str = r"\p{N}";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN35: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const CJK: &str = "[\u{4e00}-\u{9fa5}\u{0800}-\u{4e00}\u{ac00}-\u{d7ff}]+";

/// Every pre-tokenizer.
pub static PRE_TOKENIZERS: &[PreTokenizer] = &[
    PreTokenizer {
        names: &["default", "gpt-2", "mpt", "olmo", "jais"],
        patterns: &[GPT2],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"],
        patterns: &[ONE_DIGIT, GPT2],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral"],
        patterns: &[LLAMA3],
        whole_pieces: WholePieces::Taken,
    },
    PreTokenizer {
        names: &["qwen2", "stablelm2", "hunyuan", "megrez", "deepseek-r1-qwen"],
        patterns: &[QWEN2],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer { names: &["qwen35"], patterns: &[QWEN35], whole_pieces: WholePieces::Merged },
    PreTokenizer {
        names: &["falcon"],
        patterns: &[r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["deepseek-llm"],
        patterns: &[
            r"[\r\n]",
            // Letters with case: what the family's pattern lists range by range.
            r"\s?[\p{Lu}\p{Ll}\p{Lt}]+",
            "\\s?[!-/:-~\u{ff01}-\u{ff0f}\u{ff1a}-\u{ff5e}\u{2018}-\u{201f}\u{3000}-\u{3002}]+",
            r"\s+$",
            CJK,
            r"\p{N}+",
        ],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["deepseek-coder"],
        patterns: &[r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK, r"\p{N}"],
        whole_pieces: WholePieces::Merged,
    },
];

/// The pre-tokenizer of that name.
pub fn find(name: &str) -> Result<&'static PreTokenizer, TokenizerError> {
    PRE_TOKENIZERS.iter().find(|p| p.names.contains(&name)).ok_or_else(|| TokenizerError::UnknownPre {
        pre: name.into(),
        known: PRE_TOKENIZERS.iter().flat_map(|p| p.names).copied().collect::<Vec<_>>().join(", "),
    })
}

impl PreTokenizer {
    /// As the library's pipeline: the splits, then bytes mapped to the vocabulary's characters.
    pub fn pipeline(&self) -> Result<PreTokenizerWrapper, TokenizerError> {
        let mut steps: Vec<PreTokenizerWrapper> = Vec::new();
        for p in self.patterns {
            let pattern = SplitPattern::Regex((*p).into());
            let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false)
                .map_err(|e| TokenizerError::Library { what: "compile a pattern", message: e.to_string() })?;
            steps.push(split.into());
        }
        steps.push(ByteLevel::new(false, false, false).into());
        Ok(Sequence::new(steps).into())
    }
}
