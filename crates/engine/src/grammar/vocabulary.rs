//! The token trie of a tokenizer, built once and shared by all of its grammars.

use super::{GrammarError, LIMITS};
use akunu_kernels::step::Token;
use akunu_model::tokenizer::{Bos, Specials, Tokenizer};
use llguidance::ParserFactory;
use llguidance::earley::SlicedBiasComputer;
use llguidance::toktrie::{INVALID_TOKEN, InferenceCapabilities, TokEnv, TokRxInfo, TokTrie, TokenizerEnv};
use std::sync::Arc;

/// The trie keeps a token's length in ten bits.
const LONGEST_TOKEN: usize = 1000;
/// The trie keeps the size of a subtree in 22 bits.
const MOST_NODES: usize = (1 << 22) - 2;
/// The trie keeps a token's id in 24 bits.
const MOST_TOKENS: usize = (1 << 24) - 2;

/// The tokens of a tokenizer as a trie of bytes. Building it takes some tens of milliseconds for 128k tokens.
pub struct Vocabulary {
    pub(super) factory: ParserFactory,
    pub(super) tokenizer: Arc<Tokenizer>,
}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocabulary").field("tokens", &self.len()).finish_non_exhaustive()
    }
}

impl Vocabulary {
    /// Builds the trie.
    pub fn new(tokenizer: Arc<Tokenizer>) -> Result<Self, GrammarError> {
        let words = words(&tokenizer);
        check(&words)?;
        let mut info = TokRxInfo::new(words.len() as u32, INVALID_TOKEN);
        let ends = tokenizer.eos_ids();
        info.tok_eos = ends.first().map_or(INVALID_TOKEN, |t| t.0);
        let mut trie = TokTrie::from(&info, &words);
        if !ends.is_empty() {
            trie = trie.with_eos_tokens(Token::ids(ends));
        }
        let canonical = is_canonical(&tokenizer);
        let env: TokEnv = Arc::new(Env { trie, tokenizer: tokenizer.clone(), canonical });
        let mut factory = ParserFactory::new(
            &env,
            InferenceCapabilities { ff_tokens: canonical, ..Default::default() },
            &SlicedBiasComputer::general_slices(),
        )
        .map_err(|e| GrammarError::Vocabulary { what: e.to_string() })?;
        factory.quiet();
        *factory.limits_mut() = LIMITS;
        Ok(Self { factory, tokenizer })
    }

    /// Tokens.
    pub fn len(&self) -> usize {
        self.tokenizer.vocab_len()
    }

    /// Whether there are none; there always are.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tokenizer that it was built from.
    pub fn tokenizer(&self) -> &Arc<Tokenizer> {
        &self.tokenizer
    }
}

/// Every token's bytes as the trie wants them: control tokens after a byte that no text contains, so that only a
/// Lark grammar that names them allows them, and nothing for tokens that no text can be made of.
fn words(tokenizer: &Tokenizer) -> Vec<Vec<u8>> {
    (0..tokenizer.vocab_len() as u32)
        .map(|id| {
            let id = Token(id);
            let control = tokenizer.is_control(id);
            let bytes = match (control, tokenizer.token_text(id)) {
                (true, Some(text)) if !text.is_empty() => {
                    [&[TokTrie::SPECIAL_TOKEN_MARKER], text.as_bytes()].concat()
                }
                (true, _) => Vec::new(),
                (false, _) => tokenizer.token_bytes(id).to_vec(),
            };
            let no_text = !control && bytes.contains(&TokTrie::SPECIAL_TOKEN_MARKER);
            if no_text || bytes.len() > LONGEST_TOKEN { Vec::new() } else { bytes }
        })
        .collect()
}

/// Whether the trie has room; it would panic.
fn check(words: &[Vec<u8>]) -> Result<(), GrammarError> {
    let mut sorted: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    sorted.sort_unstable();
    let mut nodes = 1;
    let mut before: &[u8] = &[];
    for word in sorted {
        let shared = word.iter().zip(before).take_while(|(a, b)| a == b).count();
        nodes += (word.len() - shared).max(1);
        before = word;
    }
    if nodes > MOST_NODES || words.len() > MOST_TOKENS {
        return Err(GrammarError::Vocabulary {
            what: format!("{} tokens with {nodes} nodes are more than the trie holds", words.len()),
        });
    }
    Ok(())
}

/// Whether a stretch of text in the middle of others becomes the tokens that the model has learned. SentencePiece
/// models put a space in front, so their forced tokens are left to the model.
fn is_canonical(tokenizer: &Tokenizer) -> bool {
    ["{\"name\": \"x\"}", "true, false", "\n  ]"].iter().all(|text| encode(tokenizer, text).is_some())
}

/// The tokens of a text, where they are exactly that text.
fn encode(tokenizer: &Tokenizer, text: &str) -> Option<Vec<Token>> {
    let tokens = tokenizer.encode_with(text, Specials::AsText, Bos::Never).ok()?;
    let mut rest = text.as_bytes();
    for token in &tokens {
        rest = rest.strip_prefix(tokenizer.token_bytes(*token))?;
    }
    rest.is_empty().then_some(tokens)
}

struct Env {
    trie: TokTrie,
    tokenizer: Arc<Tokenizer>,
    canonical: bool,
}

impl TokenizerEnv for Env {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<u32> {
        let text = std::str::from_utf8(bytes).ok();
        match text.and_then(|t| encode(&self.tokenizer, t)) {
            Some(tokens) => Token::ids(&tokens).to_vec(),
            None => self.trie.greedy_tokenize(bytes),
        }
    }

    fn tokenize_is_canonical(&self) -> bool {
        self.canonical
    }
}
