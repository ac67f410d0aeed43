//! Tool calls as a grammar: the texts around them are a model's own, their arguments follow schemas.

use super::{GrammarError, Vocabulary, schema};
use akunu_kernels::step::Token;
use akunu_model::tokenizer::Tokenizer;

/// A text of calls, at least one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallText {
    /// Before the first call.
    pub before: String,
    /// What one call may be.
    pub kinds: Vec<CallKind>,
    /// Between calls.
    pub separator: String,
    /// The most calls.
    pub most: u32,
    /// After the last one.
    pub after: String,
    /// Texts that call nothing, which are allowed too, as a terminal of Lark.
    pub otherwise: Option<&'static str>,
    /// Parts of these texts that a vocabulary may have as control tokens.
    pub marks: &'static [&'static str],
}

/// A call of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallKind {
    /// Before the arguments, the tool's name in it.
    pub open: String,
    /// What the arguments follow, as JSON.
    pub schema: String,
    /// After them.
    pub close: String,
}

impl CallText {
    /// Bytes of all of it.
    pub(super) fn bytes(&self) -> usize {
        let kinds = self.kinds.iter().map(|k| k.open.len() + k.schema.len() + k.close.len());
        self.before.len() + self.separator.len() + self.after.len() + kinds.sum::<usize>()
    }

    /// The same in llguidance's variant of Lark.
    pub(super) fn to_lark(&self, vocabulary: &Vocabulary) -> Result<String, GrammarError> {
        let words = |text: &str| self.words(text, vocabulary.tokenizer());
        let more = self.most.saturating_sub(1);
        let rest = match more {
            0 => String::new(),
            n => format!("({} call){{0,{n}}} ", words(&self.separator)),
        };
        let mut lark = match self.otherwise {
            Some(_) => "start: calls | OTHERWISE?\n".to_owned(),
            None => "start: calls\n".to_owned(),
        };
        if let Some(terminal) = self.otherwise {
            lark.push_str(&format!("OTHERWISE: {terminal}\n"));
        }
        lark.push_str(&format!("calls: {}call {rest}{}\n", words(&self.before), words(&self.after)));
        let all: Vec<String> = (0..self.kinds.len()).map(|i| format!("c{i}")).collect();
        lark.push_str(&format!("call: {}\n", all.join(" | ")));
        for (i, kind) in self.kinds.iter().enumerate() {
            let schema = schema::lower(&kind.schema)?;
            lark.push_str(&format!("c{i}: {}a{i} {}\n", words(&kind.open), words(&kind.close)));
            lark.push_str(&format!("a{i}: %json {schema}\n"));
        }
        Ok(lark)
    }

    /// A text as terminals: strings, and control tokens by their number.
    fn words(&self, text: &str, tokenizer: &Tokenizer) -> String {
        let mut out = String::new();
        let mut rest = text;
        let string = |s: &str, out: &mut String| {
            if !s.is_empty() {
                out.push_str(&serde_json::Value::from(s).to_string());
                out.push(' ');
            }
        };
        loop {
            let found = self.marks.iter().filter_map(|m| Some((rest.find(m)?, *m, control(tokenizer, m)?)));
            let Some((at, mark, token)) = found.min_by_key(|(at, ..)| *at) else { break };
            string(&rest[..at], &mut out);
            out.push_str(&format!("<[{}]> ", token.0));
            rest = &rest[at + mark.len()..];
        }
        string(rest, &mut out);
        out
    }
}

/// The control token of a name.
fn control(tokenizer: &Tokenizer, name: &str) -> Option<Token> {
    let all = (0..tokenizer.vocab_len() as u32).map(Token);
    all.into_iter().find(|t| tokenizer.is_control(*t) && tokenizer.token_text(*t) == Some(name))
}
