//! Prompts of which a model fills in the middle: what comes before and after, and other files beside, around the tokens that it was
//! trained with ([Bavarian et al. 2022](https://arxiv.org/abs/2207.14255); with other files as Qwen's coders have it,
//! [arXiv:2409.12186](https://arxiv.org/abs/2409.12186)).
//!
//! Deliberately absent: cutting what does not fit. That is an error, as of any prompt.

use crate::Error;
use crate::model::Model;
use akunu_kernels::step::Token;
use akunu_model::tokenizer::{AddBos, Bos, FimTokens, Specials};

/// A text with a hole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Infill<'a> {
    /// What comes before the hole.
    pub prefix: &'a str,
    /// What comes after it.
    pub suffix: &'a str,
    /// The beginning of what is to be filled in.
    pub begun: &'a str,
    /// Other texts that the model is to know of.
    pub files: &'a [InfillFile<'a>],
}

/// A file beside the one with the hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfillFile<'a> {
    /// Its name.
    pub name: &'a str,
    /// What is in it.
    pub text: &'a str,
}

/// What the repository and the file with the hole are called, where models want names (llama.cpp's words).
const REPOSITORY: &str = "myproject\n";
const THIS_FILE: &str = "filename\n";
/// Before each other text, where models have no token for that (llama.cpp's words).
const SNIPPET: &str = "\n\n--- snippet ---\n\n";

impl Model {
    /// The tokens with which the model fills in the middle. An error where its vocabulary lacks them.
    pub fn fim(&self) -> Result<FimTokens, Error> {
        self.tokenizer()?.fim().ok_or(Error::NoInfill)
    }

    /// The prompt of a text with a hole. Names of control tokens in it are text.
    pub fn encode_infill(&self, infill: &Infill<'_>) -> Result<Vec<Token>, Error> {
        let (tokenizer, fim) = (self.tokenizer()?, self.fim()?);
        let mut out = Vec::new();
        let put = |text: &str, out: &mut Vec<Token>| {
            out.extend(tokenizer.encode_with(text, Specials::AsText, Bos::Never)?);
            Ok::<(), Error>(())
        };
        if tokenizer.data().add_bos == AddBos::Yes {
            out.extend(tokenizer.bos());
        }
        if !infill.files.is_empty() {
            if let Some(token) = fim.repository {
                out.push(token);
                put(REPOSITORY, &mut out)?;
            }
            for file in infill.files {
                match fim.separator {
                    Some(token) => {
                        out.push(token);
                        put(&format!("{}\n{}", file.name, file.text), &mut out)?;
                    }
                    None => put(&format!("{SNIPPET}{}", file.text), &mut out)?,
                }
            }
            if let Some(token) = fim.separator {
                out.push(token);
                put(THIS_FILE, &mut out)?;
            }
        }
        out.push(fim.prefix);
        put(infill.prefix, &mut out)?;
        out.push(fim.suffix);
        put(infill.suffix, &mut out)?;
        out.push(fim.middle);
        put(infill.begun, &mut out)?;
        Ok(out)
    }
}
