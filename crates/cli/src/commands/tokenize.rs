//! `akunu tokenize`: text to token ids.

use super::source;
use crate::args::Tokenize;
use crate::error::CliError;
use crate::output::Output;
use crate::text::piped_stdin;
use akunu::Token;
use akunu::files::tokenizer::Specials;
use serde_json::json;

/// Runs the command.
pub(crate) fn run(a: &Tokenize, out: &Output) -> Result<u8, CliError> {
    let text = match &a.text {
        Some(t) => t.clone(),
        None => piped_stdin(out)?.ok_or_else(|| {
            CliError::Usage("give the text as an argument or through standard input".into())
        })?,
    };
    let source = source(Some(&a.model), None, out)?;
    let tokenizer =
        source.tokenizer()?.ok_or_else(|| akunu::Error::NoTokenizer(source.without_tokenizer()))?;
    let ids = tokenizer.encode(&text, if a.plain { Specials::AsText } else { Specials::Parse })?;
    let piece = |id: &Token| tokenizer.token_text(*id).unwrap_or("").to_owned();
    if out.is_json() {
        let pieces: Vec<String> = ids.iter().map(piece).collect();
        out.json(&json!({ "tokens": Token::ids(&ids), "pieces": pieces, "count": ids.len() }))?;
    } else {
        for id in &ids {
            out.line(&format!("{id:>8}  {}", piece(id).escape_debug()))?;
        }
    }
    Ok(0)
}
