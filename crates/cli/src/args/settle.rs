//! What can be said in two ways (a model by its place or by its name, a device by `--device` or `-ngl`) ends in one.

use super::{
    Chat, Command, Embed, Given, Inspect, Logits, MODEL, Machine, Named, Overflow, Perplexity, Profile,
    Rerank, Run, Serve, Table, Transcribe,
};
use crate::error::CliError;

impl Command {
    /// Puts what can be said in two ways into one place.
    pub(super) fn settle(&mut self) -> Result<(), CliError> {
        match self {
            Self::Run(a) => {
                let mut words = std::mem::take(&mut a.words);
                (a.model, a.prompt) =
                    model_and_text("run", &mut a.named, a.first.take(), &mut words, a.prompt_option.take())?;
                a.check_batch()?;
                a.check_keep()?;
                if a.prompt.is_some() && a.file.is_some() {
                    return Err(CliError::Usage(
                        "the prompt is given twice: as words and as a file (-f); leave one out".into(),
                    ));
                }
            }
            Self::Tokenize(a) => {
                let mut words: Vec<String> = a.second.take().into_iter().collect();
                (a.model, a.text) = model_and_text(
                    "tokenize",
                    &mut a.named,
                    a.first.take(),
                    &mut words,
                    a.prompt_option.take(),
                )?;
            }
            Self::Chat(a) => a.model = one_model("chat", &mut a.named, a.first.take())?,
            Self::Embed(a) => a.model = model_before("embed", &mut a.named, a.first.take(), &mut a.texts)?,
            Self::Rerank(a) => a.model = model_before("rerank", &mut a.named, a.first.take(), &mut a.words)?,
            Self::Transcribe(a) => {
                a.model = model_before("transcribe", &mut a.named, a.first.take(), &mut a.audio)?;
            }
            Self::Logits(a) => a.model = one_model("logits", &mut a.named, a.first.take())?,
            Self::Perplexity(a) => a.model = one_model("perplexity", &mut a.named, a.first.take())?,
            Self::Inspect(a) => (a.model, a.synthetic) = a.given.take("inspect")?,
            Self::Table(a) => (a.model, a.synthetic) = a.given.take("table")?,
            Self::Profile(a) => (a.model, a.synthetic) = a.given.take("profile")?,
            #[cfg(feature = "cuda")]
            Self::Compile(a) => (a.model, a.synthetic) = a.given.take("compile")?,
            Self::Serve(a) => {
                a.models = std::mem::take(&mut a.words);
                a.models.append(&mut a.named);
                a.models.extend(a.hf_repo.drain(..).map(|r| of_the_hub(&r)));
                if a.models.is_empty() && a.served.is_empty() {
                    return Err(no_model("serve"));
                }
            }
            Self::Bench(a) => {
                a.models = std::mem::take(&mut a.words);
                a.models.append(&mut a.named);
                a.models.extend(a.hf_repo.drain(..).map(|r| of_the_hub(&r)));
                if a.models.is_empty() && a.synthetic.is_empty() {
                    return Err(no_model("bench"));
                }
            }
            Self::Convert(_)
            | Self::Pull(_)
            | Self::List
            | Self::Rm(_)
            | Self::Doctor(_)
            | Self::SelfTest(_)
            | Self::Completions { .. } => {}
        }
        Ok(())
    }

    /// Where and how large to run.
    pub(crate) fn machine(&self) -> Result<Machine, CliError> {
        let none = Machine::default();
        match self {
            Self::Run(Run { machine, .. })
            | Self::Chat(Chat { machine, .. })
            | Self::Serve(Serve { machine, .. })
            | Self::Inspect(Inspect { machine, .. })
            | Self::Table(Table { machine, .. })
            | Self::Profile(Profile { machine, .. })
            | Self::Embed(Embed { machine, .. })
            | Self::Rerank(Rerank { machine, .. })
            | Self::Transcribe(Transcribe { machine, .. })
            | Self::Logits(Logits { machine, .. })
            | Self::Perplexity(Perplexity { machine, .. }) => Machine::whole(machine),
            Self::Bench(a) => Ok(none.on(&a.placement)?.memory(&a.memory).weights(&a.weights)),
            Self::Convert(a) => Ok(none.threads(&a.threads)),
            Self::Doctor(a) => Ok(none.on(&a.placement)?.threads(&a.threads)),
            Self::SelfTest(a) => Ok(none.on(&a.placement)?.threads(&a.threads)),
            #[cfg(feature = "cuda")]
            Self::Compile(a) => Ok(none.memory(&a.memory)),
            Self::Tokenize(_) | Self::Pull(_) | Self::List | Self::Rm(_) | Self::Completions { .. } => {
                Ok(none)
            }
        }
    }
}

impl Run {
    /// Refuses what contradicts --batch.
    fn check_batch(&self) -> Result<(), CliError> {
        let Some(file) = &self.many.batch else { return Ok(()) };
        let refuse = |what: String| Err(CliError::Usage(what));
        if let Some(prompt) = &self.prompt {
            return refuse(format!(
                "--batch takes the prompts from its lines, and there is one more: '{prompt}'; leave it out, or put it into the file"
            ));
        }
        if self.file.is_some() {
            return refuse(
                "--batch takes the prompts from its lines, and -f gives one more; leave one of the two out"
                    .into(),
            );
        }
        if self.fill.is_asked() {
            return refuse(
                "--suffix is for one prompt at a time; leave it out, or run the lines one by one".into(),
            );
        }
        if self.form.hide_reasoning {
            return refuse(
                "--hide-reasoning is for one answer at a time so far; leave it out (--reasoning-budget 0 keeps models from thinking)"
                    .into(),
            );
        }
        if file.as_os_str().is_empty() {
            return refuse("--batch names no file; give one, or - for standard input".into());
        }
        Ok(())
    }

    /// Refuses --keep where nothing makes room. (A line of --batch may ask for that itself.)
    fn check_keep(&self) -> Result<(), CliError> {
        let shifts = self.overflow == Some(Overflow::Shift) || self.many.batch.is_some();
        if self.keep != u32::MAX && !shifts {
            let what = "--keep says what stays when room is made in a full context; add --overflow shift";
            return Err(CliError::Usage(what.into()));
        }
        Ok(())
    }

    /// The same options for a conversation.
    pub(crate) fn as_chat(&self) -> Chat {
        Chat {
            model: self.model.clone(),
            first: None,
            named: Named::default(),
            system: self.system.clone(),
            chat_template: self.chat_template.clone(),
            max_tokens: self.max_tokens,
            overflow: self.overflow.unwrap_or(Overflow::Shift),
            stop: self.stop.clone(),
            sampling: self.sampling.clone(),
            drafting: self.drafting.clone(),
            form: self.form.clone(),
            machine: self.machine.clone(),
        }
    }
}

impl Given {
    /// (model, shape).
    fn take(&mut self, command: &str) -> Result<(Option<String>, Option<String>), CliError> {
        match self.synthetic.take() {
            Some(s) => Ok((None, Some(s))),
            None => Ok((Some(one_model(command, &mut self.named, self.first.take())?), None)),
        }
    }
}

/// The model, by place or by name.
fn one_model(command: &str, named: &mut Named, first: Option<String>) -> Result<String, CliError> {
    match (named.take(), first) {
        (Some(m), None) | (None, Some(m)) => Ok(m),
        (Some(m), Some(word)) => Err(CliError::Usage(format!(
            "`akunu {command}` takes one model, and there are two: '{m}' (-m) and '{word}'; leave one out"
        ))),
        (None, None) => Err(no_model(command)),
    }
}

fn no_model(command: &str) -> CliError {
    CliError::Usage(format!(
        "which model? `akunu {command} MODEL`, where MODEL is a {MODEL}; `akunu list` shows the aliases"
    ))
}

/// The model before words of text. Where it has a name, the first word is text too.
fn model_before(
    command: &str,
    named: &mut Named,
    first: Option<String>,
    words: &mut Vec<String>,
) -> Result<String, CliError> {
    match (named.take(), first) {
        (Some(m), first) => {
            words.splice(0..0, first);
            Ok(m)
        }
        (None, Some(m)) => Ok(m),
        (None, None) => Err(no_model(command)),
    }
}

/// The model and the text, whose words are one.
fn model_and_text(
    command: &str,
    named: &mut Named,
    first: Option<String>,
    words: &mut Vec<String>,
    text: Option<String>,
) -> Result<(String, Option<String>), CliError> {
    let model = model_before(command, named, first, words)?;
    let joined = (!words.is_empty()).then(|| words.join(" "));
    match (joined, text) {
        (Some(words), Some(text)) => Err(CliError::Usage(format!(
            "the text is given twice: '{words}' and '{text}' (-p); leave one out, and the model's name too where -m gives it"
        ))),
        (words, text) => Ok((model, words.or(text))),
    }
}

impl Named {
    fn take(&mut self) -> Option<String> {
        self.model.take().or_else(|| self.hf_repo.take().as_deref().map(of_the_hub))
    }
}

/// What the commands call a repository.
fn of_the_hub(repo: &str) -> String {
    if repo.starts_with("hf:") { repo.to_owned() } else { format!("hf:{repo}") }
}
