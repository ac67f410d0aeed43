//! The control tokens of models of speech, found by their names.

use crate::Error;
use akunu_kernels::step::Token;
use akunu_model::tokenizer::{Bos, Specials, Tokenizer};

/// The tokens that a transcript is made of beside its words.
#[derive(Clone, Debug)]
pub(super) struct ControlTokens {
    /// Begins a transcript.
    pub(super) start: Token,
    /// Ends it. All tokens below are text.
    pub(super) end: Token,
    /// Comes before the text before.
    pub(super) previous: Option<Token>,
    /// Asks for a transcript.
    pub(super) transcribe: Option<Token>,
    /// Asks for a translation into English.
    pub(super) translate: Option<Token>,
    /// Stands for silence.
    pub(super) no_speech: Option<Token>,
    /// Asks for no times.
    pub(super) no_times: Token,
    /// The time 0; the next ones follow, 20 ms apart.
    pub(super) first_time: Token,
    /// Their names and tokens; none in a model of English alone.
    languages: Vec<(String, Token)>,
}

/// Names of the same token, newer files' first.
const NO_SPEECH: [&str; 2] = ["<|nospeech|>", "<|nocaptions|>"];

impl ControlTokens {
    /// Those of a vocabulary.
    pub(super) fn of(t: &Tokenizer, vocab: u32, multilingual: bool) -> Result<Self, Error> {
        let find = |name: &str| {
            let id = (0..t.vocab_len() as u32).rev().map(Token).find(|id| t.token_text(*id) == Some(name));
            id.filter(|id| t.is_control(*id))
        };
        let needed = |name: &'static str| {
            let remedy = "it is none of Whisper's; fetch tokenizer.json of the same model again";
            find(name).ok_or(Error::Option {
                name: "the model's tokenizer",
                value: format!("without `{name}`"),
                remedy,
            })
        };
        let (start, no_times) = (needed("<|startoftranscript|>")?, needed("<|notimestamps|>")?);
        let first_time = Token(no_times.0 + 1);
        if first_time.0 >= vocab {
            let value = format!("{first_time} of {vocab} tokens");
            let remedy =
                "the model's vocabulary ends before it; fetch the files of one and the same model again";
            return Err(Error::Option { name: "the first token of time", value, remedy });
        }
        let language = |id: u32| {
            let name = t.token_text(Token(id))?.strip_prefix("<|")?.strip_suffix("|>")?;
            let letters = (2..=3).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase());
            letters.then(|| (name.to_owned(), Token(id)))
        };
        let languages = if multilingual { (start.0 + 1..).map_while(language).collect() } else { Vec::new() };
        Ok(Self {
            start,
            end: needed("<|endoftext|>")?,
            previous: find("<|startofprev|>"),
            transcribe: find("<|transcribe|>"),
            translate: find("<|translate|>").filter(|_| multilingual),
            no_speech: NO_SPEECH.into_iter().find_map(find),
            no_times,
            first_time,
            languages,
        })
    }

    /// The token of a language, `None` in a model that knows English alone, for `en`.
    pub(super) fn language(&self, name: &str) -> Result<Option<Token>, Error> {
        if self.languages.is_empty() && name == "en" {
            return Ok(None);
        }
        match self.languages.iter().find(|l| l.0 == name) {
            Some((_, token)) => Ok(Some(*token)),
            None => {
                let known: Vec<&str> = self.languages.iter().map(|l| l.0.as_str()).collect();
                let known = if known.is_empty() { "en".into() } else { known.join(", ") };
                let value = format!("`{name}`, and the model knows {known}");
                Err(Error::Option { name: "the language", value, remedy: "name one of these, or none" })
            }
        }
    }

    /// That of a model that knows one alone.
    pub(super) fn only_language(&self) -> Option<Option<Token>> {
        self.languages.is_empty().then_some(None)
    }

    /// Its name.
    pub(super) fn name_of(&self, language: Option<Token>) -> String {
        let found = self.languages.iter().find(|l| Some(l.1) == language);
        found.map_or_else(|| "en".into(), |l| l.0.clone())
    }

    /// The language whose token has the largest logit.
    pub(super) fn likeliest_language(&self, logits: &[f32]) -> Option<Token> {
        let of = |t: &Token| logits.get(t.index()).copied().unwrap_or(f32::NEG_INFINITY);
        self.languages.iter().map(|l| l.1).max_by(|a, b| of(a).total_cmp(&of(b)))
    }

    /// Tokens of a text without any around it.
    pub(super) fn text_tokens(&self, t: &Tokenizer, text: &str) -> Result<Vec<Token>, Error> {
        Ok(t.encode_with(text, Specials::AsText, Bos::Never)?)
    }

    /// The text of tokens; those of time and control have none.
    pub(super) fn text(&self, t: &Tokenizer, tokens: &[Token]) -> String {
        let words: Vec<Token> = tokens.iter().copied().filter(|t| *t < self.end).collect();
        t.decode(&words)
    }
}
