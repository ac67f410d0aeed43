//! Pre-tokenizers: how text is cut before byte-level BPE merges, by the name a GGUF gives in
//! `tokenizer.ggml.pre`. The patterns are those of each model family's published tokenizer configuration.

use super::TokenizerError;

/// How a family cuts text.
#[derive(Debug)]
pub struct PreTokenizer {
    /// Names in `tokenizer.ggml.pre`.
    pub names: &'static [&'static str],
    /// Patterns applied one after the other, each match a piece of its own, in the form they are published in.
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

pub(super) const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
pub(super) const ONE_DIGIT: &str = r"\p{N}";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN35: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const GPT4O: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK3: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;
const BAILING: &str =
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+";
const SEED: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+";
const CJK: &str = r"[\x{4e00}-\x{9fa5}\x{0800}-\x{4e00}\x{ac00}-\x{d7ff}]+";
/// DeepSeek's letters are a list of ranges that is no Unicode category: it has no Georgian, no small Armenian and
/// no mathematical letters.
const DEEPSEEK_LETTERS: &str = concat!(
    r"\s?[",
    r"A-Za-z\x{00b5}\x{00c0}-\x{00d6}\x{00d8}-\x{00f6}\x{00f8}-\x{01ba}\x{01bc}-\x{01bf}\x{01c4}-\x{0293}",
    r"\x{0295}-\x{02af}\x{0370}-\x{0373}\x{0376}\x{0377}\x{037b}-\x{037d}\x{037f}\x{0386}\x{0388}-\x{038a}",
    r"\x{038c}\x{038e}-\x{03a1}\x{03a3}-\x{03f5}\x{03f7}-\x{0481}\x{048a}-\x{052f}\x{0531}-\x{0556}",
    r"\x{10a0}-\x{10c5}\x{13a0}-\x{13f5}\x{13f8}-\x{13fd}\x{1c90}-\x{1cba}\x{1cbd}-\x{1cbf}",
    r"\x{1d00}-\x{1d2b}\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a}\x{1e00}-\x{1f15}\x{1f18}-\x{1f1d}",
    r"\x{1f20}-\x{1f45}\x{1f48}-\x{1f4d}\x{1f50}-\x{1f57}\x{1f59}\x{1f5b}\x{1f5d}\x{1f5f}-\x{1f7d}",
    r"\x{1f80}-\x{1fb4}\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4}\x{1fc6}-\x{1fcc}\x{1fd0}-\x{1fd3}",
    r"\x{1fd6}-\x{1fdb}\x{1fe0}-\x{1fec}\x{1ff2}-\x{1ff4}\x{1ff6}-\x{1ffc}\x{2102}\x{2107}",
    r"\x{210a}-\x{2113}\x{2115}\x{2119}-\x{211d}\x{2124}\x{2126}\x{2128}\x{212a}-\x{212d}\x{212f}-\x{2134}",
    r"\x{2139}\x{213c}-\x{213f}\x{2145}-\x{2149}\x{214e}\x{2183}\x{2184}\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4}",
    r"\x{2ceb}-\x{2cee}\x{2cf2}\x{2cf3}\x{a640}-\x{a66d}\x{a680}-\x{a69b}\x{a722}-\x{a76f}",
    r"\x{a771}-\x{a787}\x{a78b}-\x{a78e}\x{ab70}-\x{abbf}\x{fb00}-\x{fb06}\x{fb13}-\x{fb17}",
    r"\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a}\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb}",
    r"\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df}\x{1e900}-\x{1e943}",
    r"]+"
);

/// Every pre-tokenizer.
pub static PRE_TOKENIZERS: &[PreTokenizer] = &[
    PreTokenizer {
        names: &[
            "gpt-2",
            "mpt",
            "olmo",
            "jais",
            "phi-2",
            "roberta-bpe",
            "modern-bert",
            "gigachat",
            "mellum",
            "exaone4",
            "trillion",
            "granite-docling",
        ],
        patterns: &[GPT2],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"],
        patterns: &[ONE_DIGIT, GPT2],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"],
        patterns: &[LLAMA3],
        whole_pieces: WholePieces::Taken,
    },
    PreTokenizer { names: &["glm4", "glm5"], patterns: &[LLAMA3], whole_pieces: WholePieces::Taken },
    PreTokenizer {
        names: &["dbrx", "smaug-bpe", "chatglm-bpe"],
        patterns: &[LLAMA3],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &[
            "qwen2",
            "stablelm2",
            "hunyuan",
            "megrez",
            "deepseek-r1-qwen",
            "kormo",
            "solar-open",
            "grok-2",
        ],
        patterns: &[QWEN2],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer { names: &["qwen35"], patterns: &[QWEN35], whole_pieces: WholePieces::Merged },
    PreTokenizer {
        names: &["gpt-4o", "llama4", "kanana2", "minimax-m2"],
        patterns: &[GPT4O],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer { names: &["tekken"], patterns: &[TEKKEN], whole_pieces: WholePieces::Taken },
    PreTokenizer {
        names: &["falcon"],
        patterns: &[r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["deepseek-llm"],
        patterns: &[
            r"[\r\n]",
            DEEPSEEK_LETTERS,
            r"\s?[!-/:-~\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff5e}\x{2018}-\x{201f}\x{3000}-\x{3002}]+",
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
    PreTokenizer {
        names: &["deepseek-v3", "hunyuan-dense", "joyai-llm"],
        patterns: &[r"\p{N}{1,3}", r"[\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+", DEEPSEEK3],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["chameleon"],
        patterns: &[
            "<sentinel:[0-9]+>",
            "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
            r"([\t\n]|    |  )",
            ONE_DIGIT,
            r"[\p{P}!-/:-@\[-`{-~]",
            GPT2,
        ],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer {
        names: &["bailingmoe", "bailingmoe2", "llada-moe"],
        patterns: &[BAILING],
        whole_pieces: WholePieces::Merged,
    },
    PreTokenizer { names: &["seed-coder"], patterns: &[SEED], whole_pieces: WholePieces::Merged },
];

/// The pre-tokenizer of that name.
pub fn find(name: &str) -> Result<&'static PreTokenizer, TokenizerError> {
    PRE_TOKENIZERS.iter().find(|p| p.names.contains(&name)).ok_or_else(|| TokenizerError::UnknownPre {
        pre: name.into(),
        known: PRE_TOKENIZERS.iter().flat_map(|p| p.names).copied().collect::<Vec<_>>().join(", "),
    })
}
