//! Tokens around which a model fills in the middle of a text: what comes before, what comes after, and where it writes. Files name them by
//! keys, or not at all; then they are found by the texts that the families of models use (llama.cpp's list).

use super::{Token, TokenizerData, TokenizerError, data::special_id};
use crate::gguf::GgufFile;

/// What a token of such a prompt is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FimRole {
    /// Before what comes before.
    Prefix,
    /// Before what comes after.
    Suffix,
    /// Before what is to be written.
    Middle,
    /// Fills short rows in training.
    Pad,
    /// Before a repository's name.
    Repository,
    /// Before a file's name.
    Separator,
}

impl FimRole {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Prefix, Self::Suffix, Self::Middle, Self::Pad, Self::Repository, Self::Separator];

    /// Its key in GGUF files.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Prefix => "tokenizer.ggml.fim_pre_token_id",
            Self::Suffix => "tokenizer.ggml.fim_suf_token_id",
            Self::Middle => "tokenizer.ggml.fim_mid_token_id",
            Self::Pad => "tokenizer.ggml.fim_pad_token_id",
            Self::Repository => "tokenizer.ggml.fim_rep_token_id",
            Self::Separator => "tokenizer.ggml.fim_sep_token_id",
        }
    }

    /// Its key in files of before 2024-10.
    const fn older_key(self) -> Option<&'static str> {
        match self {
            Self::Prefix => Some("tokenizer.ggml.prefix_token_id"),
            Self::Suffix => Some("tokenizer.ggml.suffix_token_id"),
            Self::Middle => Some("tokenizer.ggml.middle_token_id"),
            _ => None,
        }
    }

    /// Its texts: Qwen and Granite, StarCoder 2, StarCoder, DeepSeek, GLM, CodeLlama in two spellings.
    const fn texts(self) -> &'static [&'static str] {
        match self {
            Self::Prefix => &[
                "<|fim_prefix|>",
                "<fim_prefix>",
                "<fim-prefix>",
                "<｜fim▁begin｜>",
                "<|code_prefix|>",
                "<PRE>",
                "▁<PRE>",
            ],
            Self::Suffix => &[
                "<|fim_suffix|>",
                "<fim_suffix>",
                "<fim-suffix>",
                "<｜fim▁hole｜>",
                "<|code_suffix|>",
                "<SUF>",
                "▁<SUF>",
            ],
            Self::Middle => &[
                "<|fim_middle|>",
                "<fim_middle>",
                "<fim-middle>",
                "<｜fim▁end｜>",
                "<|code_middle|>",
                "<MID>",
                "▁<MID>",
            ],
            Self::Pad => &["<|fim_pad|>", "<fim_pad>", "<fim-pad>", "<PAD>"],
            Self::Repository => {
                &["<|fim_repo|>", "<|repo_name|>", "<repo_name>", "<fim-repo>", "<reponame>", "<REPO>"]
            }
            Self::Separator => &["<|file_sep|>", "<file_sep>"],
        }
    }
}

/// The tokens that a file names, by [`FimRole::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FimIds(pub [Option<Token>; 6]);

impl FimIds {
    /// By a file's keys.
    pub(super) fn from_gguf(file: &GgufFile, vocab: usize) -> Result<Self, TokenizerError> {
        let mut ids = [None; 6];
        for (id, role) in ids.iter_mut().zip(FimRole::ALL) {
            *id = special_id(file, role.key(), vocab)?;
            if let (None, Some(key)) = (*id, role.older_key()) {
                *id = special_id(file, key, vocab)?;
            }
        }
        Ok(Self(ids))
    }

    /// The token of a role.
    pub fn get(&self, role: FimRole) -> Option<Token> {
        self.0[role as usize]
    }
}

/// Tokens with which a model fills in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FimTokens {
    /// Before what comes before.
    pub prefix: Token,
    /// Before what comes after.
    pub suffix: Token,
    /// Before what is to be written.
    pub middle: Token,
    /// Before a repository's name, where the model knows of other files.
    pub repository: Option<Token>,
    /// Before a file's name.
    pub separator: Option<Token>,
    /// Fills short rows in training.
    pub pad: Option<Token>,
}

impl FimTokens {
    /// Those of a vocabulary; `None` where it lacks one of the three that are needed.
    pub(super) fn of(data: &TokenizerData) -> Option<Self> {
        // One look at the vocabulary: of several spellings the first of the list counts.
        let mut by_text: [Option<(usize, Token)>; 6] = [None; 6];
        for (id, text) in (0..).map(Token).zip(&data.tokens) {
            if !text.strip_prefix('▁').unwrap_or(text).starts_with('<') {
                continue;
            }
            for (best, role) in by_text.iter_mut().zip(FimRole::ALL) {
                let rank = role.texts().iter().position(|t| t == text);
                if let Some(rank) = rank.filter(|rank| best.is_none_or(|(other, _)| *rank < other)) {
                    *best = Some((rank, id));
                }
            }
        }
        let find = |role: FimRole| data.fim.get(role).or(by_text[role as usize].map(|(_, id)| id));
        Some(Self {
            prefix: find(FimRole::Prefix)?,
            suffix: find(FimRole::Suffix)?,
            middle: find(FimRole::Middle)?,
            repository: find(FimRole::Repository),
            separator: find(FimRole::Separator),
            pad: find(FimRole::Pad),
        })
    }

    /// Tokens after which nothing of a text comes: what would be another file, or padding.
    pub fn ends(&self) -> impl Iterator<Item = Token> + use<> {
        [self.repository, self.separator, self.pad].into_iter().flatten()
    }
}
