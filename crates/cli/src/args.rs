//! The arguments, and the help that a person reads.

mod config;
mod doctor;
mod drafting;
mod embed;
mod fill;
mod form;
mod machine;
mod overflow;
mod rerank;
mod sampling;
mod serve;
mod sessions;
mod settle;
#[cfg(test)]
mod tests;
mod transcribe;

pub(crate) use config::Served;
pub(crate) use doctor::{Doctor, SelfTest};
pub(crate) use drafting::{Drafter, Drafting};
pub(crate) use embed::Embed;
pub(crate) use fill::Fill;
pub(crate) use form::Form;
pub(crate) use machine::{Device, Machine};
pub(crate) use rerank::Rerank;

use crate::error::CliError;
use crate::spelling::Grammar;
use akunu::files::quantize::Recipe;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use machine::{Memory, Placement, Threads, Weights, Whole};
pub(crate) use overflow::Overflow;
use overflow::kept;
pub(crate) use sampling::Sampling;
pub(crate) use serve::Serve;
use sessions::Sessions;
pub(crate) use sessions::{SETTINGS, Setting};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
pub(crate) use transcribe::{Transcribe, TranscriptFormat};

/// What stands after the list of commands.
const AFTER_HELP: &str = "Examples:\n  \
    akunu run smollm2 \"Why is the sky blue?\"\n  \
    akunu run -m ./model.gguf -p \"Why is the sky blue?\" -n 100\n  \
    cat notes.txt | akunu run smollm2 \"Summarise this:\"\n  \
    akunu chat ./Llama-3.2-1B-Instruct/\n  \
    akunu bench ./model.gguf -p 512 -n 128\n\n\
    MODEL is a GGUF file, a directory of safetensors files as Hugging Face and MLX\n\
    have them, an alias (`akunu list` shows them) or hf:owner/repo[:file].\n\
    `akunu COMMAND --help` shows a command's options; many of llama.cpp's and\n\
    ollama's names for them work, too.\n\
    Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted (Ctrl-C), 143 terminated\n\
    (SIGTERM), 129 hung up (SIGHUP).";

/// A language-model inference engine: give it a model file or the name of a model, and it answers.
#[derive(Parser, Debug)]
#[command(
    name = "akunu",
    version,
    max_term_width = 100,
    override_usage = "akunu COMMAND [OPTIONS] [MODEL] ...",
    after_help = AFTER_HELP,
    after_long_help = crate::environment::after(AFTER_HELP)
)]
pub(crate) struct Cli {
    /// Print JSON for programs instead of text for people.
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Print the answer or the result alone, without remarks and progress.
    #[arg(long, short, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands as the help groups them.
static GROUPS: &[(&str, &[&str])] = &[
    ("Use a model", &["run", "chat", "serve", "embed", "rerank", "transcribe"]),
    ("Get and keep models", &["pull", "list", "rm", "convert"]),
    ("Look into a model", &["inspect", "tokenize", "table", "profile"]),
    ("Measure", &["bench", "perplexity", "logits"]),
    ("This machine", &["doctor", "selftest", "compile", "completions", "help"]),
];

/// What a MODEL argument is.
const MODEL: &str =
    "GGUF file, directory of safetensors files (Hugging Face, MLX), alias or hf:owner/repo[:file]";

/// Why the arguments were not taken.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// By the parser; help and version are of this kind, too.
    Parser(clap::Error),
    /// By what is known of options and habits.
    Usage(Box<CliError>),
}

/// The arguments of a process, the first one its name.
pub(crate) fn parse(given: Vec<OsString>) -> Result<Cli, Refusal> {
    let usage = |e| Refusal::Usage(Box::new(e));
    let written = Grammar::of(command()).rewrite(given).map_err(usage)?;
    let mut matches = command().try_get_matches_from(&written).map_err(Refusal::Parser)?;
    let mut cli = Cli::from_arg_matches_mut(&mut matches).map_err(Refusal::Parser)?;
    if let Command::Serve(Serve { config: Some(path), .. }) = &cli.command {
        let (serve, served) = config::read(path, &written).map_err(usage)?;
        cli.command = Command::Serve(Serve { served, ..serve });
    }
    cli.command.settle().map_err(usage)?;
    Ok(cli)
}

/// The command with all that the derived one cannot say.
pub(crate) fn command() -> clap::Command {
    let negative = |a: clap::Arg| {
        // A value may be a negative number: its own parser says what is wrong with it.
        if a.get_action().takes_values() && !a.is_positional() { a.allow_negative_numbers(true) } else { a }
    };
    let all = Cli::command().mut_subcommands(|c| c.mut_args(negative));
    let header = *all.get_styles().get_header();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{header}Options:{header:#}\n{{options}}{{after-help}}",
        grouped(&all)
    );
    all.help_template(template)
}

/// The commands in groups, one line each.
fn grouped(all: &clap::Command) -> String {
    let (header, literal) = (*all.get_styles().get_header(), *all.get_styles().get_literal());
    let mut text = String::new();
    for (title, names) in GROUPS {
        text.push_str(&format!("{header}{title}:{header:#}\n"));
        for name in *names {
            // `help` is the parser's own; `compile` is left out where it was not built.
            let about = match all.find_subcommand(name) {
                Some(c) => c.get_about().map(ToString::to_string).unwrap_or_default(),
                None if *name == "help" => "Print the help of a command".to_owned(),
                None => continue,
            };
            text.push_str(&format!("  {literal}{name}{literal:#}{:1$}{about}\n", "", 13 - name.len()));
        }
        text.push('\n');
    }
    text
}

/// A value with names that a shell can complete; `parse` may know more of them.
pub(crate) fn choice<T: Clone + Send + Sync + 'static>(
    parse: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
) -> Choice<T> {
    Choice { parse, names }
}

#[derive(Clone)]
pub(crate) struct Choice<T> {
    parse: fn(&str) -> Result<T, String>,
    names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Choice<T> {
    type Value = T;

    fn parse_ref(&self, c: &clap::Command, a: Option<&clap::Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let parse = self.parse;
        StringValueParser::new().try_map(move |s| parse(&s)).parse_ref(c, a, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Answer one prompt.
    Run(Run),
    /// Talk with a model in the terminal.
    Chat(Chat),
    /// Answer programs and browsers over HTTP, with OpenAI's interfaces.
    Serve(Serve),
    /// Turn texts into vectors.
    Embed(Embed),
    /// Sort texts by how well they fit a query.
    Rerank(Rerank),
    /// Turn speech into text.
    Transcribe(Transcribe),
    /// Measure prefill and decode speed.
    Bench(Bench),
    /// Show what a model holds, what memory it takes, and if it fits.
    #[command(visible_alias = "show")]
    Inspect(Inspect),
    /// Print the table of device commands that one step replays.
    Table(Table),
    /// Show where the time of a step goes.
    Profile(Profile),
    /// Turn text into token ids.
    Tokenize(Tokenize),
    /// Write the logits or hidden states of given tokens to a file.
    Logits(Logits),
    /// Quantize a model into a GGUF file.
    #[command(alias = "quantize")]
    Convert(Convert),
    /// Measure how well a model predicts a text, or stays near another.
    Perplexity(Perplexity),
    /// Fetch a model into the cache.
    #[command(alias = "download")]
    Pull(Pull),
    /// List the models in the cache and the aliases.
    #[command(visible_alias = "ls")]
    List,
    /// Remove models from the cache.
    #[command(alias = "remove")]
    Rm(Rm),
    /// Compile a model's GPU kernels into the cache; needs no GPU.
    #[cfg(feature = "cuda")]
    Compile(Compile),
    /// Say what this machine can run, and why not.
    Doctor(Doctor),
    /// Check and measure what this machine computes, as one report.
    #[command(name = "selftest")]
    SelfTest(SelfTest),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// A model as an option, for who is used to that.
#[derive(Args, Debug, Default)]
pub(crate) struct Named {
    /// The MODEL, as an option.
    #[arg(id = "model_option", short = 'm', long = "model", value_name = "MODEL", value_hint = ValueHint::FilePath)]
    model: Option<String>,
    /// A MODEL on the hub, also as -hf: owner/repo[:file].
    #[arg(long, value_name = "OWNER/REPO", alias = "hf", conflicts_with = "model_option")]
    hf_repo: Option<String>,
}

/// Where a draw begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seed {
    /// Anew in each run.
    Random,
    /// Here.
    Fixed(u64),
}

#[derive(Args, Debug)]
#[command(
    override_usage = "akunu run [OPTIONS] MODEL [PROMPT]...\n       akunu run [OPTIONS] -m MODEL -p PROMPT\n       akunu run [OPTIONS] MODEL --batch FILE"
)]
pub(crate) struct Run {
    #[arg(skip)]
    pub(crate) model: String,
    #[arg(skip)]
    pub(crate) prompt: Option<String>,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    first: Option<String>,
    /// The prompt; several words are joined. Without one, a conversation where a terminal is (as `akunu chat`). Standard
    /// input is appended where it is piped or a file: give </dev/null where nothing is meant to come from there.
    #[arg(value_name = "PROMPT")]
    words: Vec<String>,
    #[command(flatten)]
    named: Named,
    /// The prompt, as an option.
    #[arg(
        short = 'p',
        long = "prompt",
        value_name = "PROMPT",
        alias = "fim-prefix",
        allow_hyphen_values = true
    )]
    prompt_option: Option<String>,
    /// Read the prompt from a file.
    #[arg(short, long, value_hint = ValueHint::FilePath, conflicts_with = "prompt_option")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) fill: Fill,
    /// The most tokens to generate [default, also as -1: until the model ends its answer or the context is full].
    #[arg(short = 'n', long, value_name = "N", aliases = ["n-predict", "predict", "num-predict"], value_parser = token_limit)]
    pub(crate) max_tokens: Option<u32>,
    /// Continue the prompt as it is, without the model's chat template.
    #[arg(long)]
    pub(crate) raw: bool,
    /// System prompt, also as -sys.
    #[arg(
        long,
        value_name = "TEXT",
        alias = "system-prompt",
        allow_hyphen_values = true,
        conflicts_with = "raw"
    )]
    pub(crate) system: Option<String>,
    #[arg(long, value_name = "NAME|FILE", value_hint = ValueHint::FilePath, conflicts_with = "raw", help = chat_template_help())]
    pub(crate) chat_template: Option<String>,
    /// When the context is full: stop, or shift (the answer's beginning leaves, and it goes on) [default: stop; in a
    /// conversation as `akunu chat`; with --batch the same of each line].
    #[arg(long, value_enum, hide_possible_values = true)]
    pub(crate) overflow: Option<Overflow>,
    /// With --overflow shift: so many tokens of the prompt's beginning stay when room is made, -1 for all of them. A handful keeps attention
    /// sound (its sinks), and leaves the rest of the context to what was said last.
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value = "-1", value_parser = kept)]
    pub(crate) keep: u32,
    /// End the answer at this text; may be given several times.
    #[arg(long, short = 'r', value_name = "TEXT", alias = "reverse-prompt", allow_hyphen_values = true)]
    #[arg(value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) stop: Vec<String>,
    /// Tell each token's log-probability and those of the N likeliest in its place, 0 to 20: of the model's own logits, before biases,
    /// penalties, filters and temperature.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=i64::from(akunu::MAX_LOGPROBS)))]
    pub(crate) logprobs: Option<u32>,
    #[command(flatten)]
    pub(crate) sessions: Box<Sessions>,
    #[command(flatten)]
    pub(crate) many: Box<Many>,
    #[command(flatten)]
    pub(crate) sampling: Sampling,
    #[command(flatten)]
    pub(crate) drafting: Drafting,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    machine: Whole,
}

/// Many prompts in one run.
#[derive(Args, Debug)]
#[command(next_help_heading = "Batch")]
pub(crate) struct Many {
    /// Answer every line of a file, or of standard input (-), many at a time: each a JSON string, or an object with `prompt` or
    /// `messages`, and with `id`, `system`, `max_tokens`, `temperature`, `top_k`, `top_p`, `min_p`, `typical`, `repeat_penalty`,
    /// `presence_penalty`, `frequency_penalty`, `seed`, `stop`, `logprobs`, `overflow` if these differ from the options here. Answers are lines of
    /// JSON in the same order.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) batch: Option<PathBuf>,
    /// The most lines that are answered at a time, also as -np [default: what suits the device].
    #[arg(long, value_name = "N", alias = "parallel", requires = "batch")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(akunu::plan::MAX_SEQUENCES)))]
    pub(crate) sequences: Option<u32>,
    /// Make each answer independent of what else runs, to the last bit; slower where few lines run at a time.
    #[arg(long, requires = "batch")]
    pub(crate) deterministic: bool,
}

#[derive(Args, Debug)]
#[command(override_usage = "akunu chat [OPTIONS] MODEL")]
pub(crate) struct Chat {
    #[arg(skip)]
    pub(crate) model: String,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    first: Option<String>,
    #[command(flatten)]
    named: Named,
    /// System prompt, also as -sys.
    #[arg(long, value_name = "TEXT", alias = "system-prompt", allow_hyphen_values = true)]
    pub(crate) system: Option<String>,
    #[arg(long, value_name = "NAME|FILE", value_hint = ValueHint::FilePath, help = chat_template_help())]
    pub(crate) chat_template: Option<String>,
    /// The most tokens of one answer [default, also as -1: until the model ends it].
    #[arg(short = 'n', long, value_name = "N", aliases = ["n-predict", "predict", "num-predict"], value_parser = token_limit)]
    pub(crate) max_tokens: Option<u32>,
    /// When the context is full: shift (the oldest turns leave, in the middle of an answer too), trim (between turns only) or
    /// stop. The system prompt stays in any case.
    #[arg(long, value_enum, hide_possible_values = true, default_value = "shift")]
    pub(crate) overflow: Overflow,
    /// End an answer at this text; may be given several times.
    #[arg(long, short = 'r', value_name = "TEXT", alias = "reverse-prompt", allow_hyphen_values = true)]
    #[arg(value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) stop: Vec<String>,
    #[command(flatten)]
    pub(crate) sampling: Sampling,
    #[command(flatten)]
    pub(crate) drafting: Drafting,
    #[command(flatten)]
    pub(crate) form: Form,
    #[command(flatten)]
    machine: Whole,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// A Markdown table.
    Md,
    /// JSON rows.
    Json,
    /// Comma-separated values.
    Csv,
}

/// Prompt tokens and then generated ones, in one measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PromptGenerate {
    pub(crate) prompt: u32,
    pub(crate) generate: u32,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "akunu bench [OPTIONS] MODEL...\n       akunu bench [OPTIONS] --synthetic SHAPE:DTYPE"
)]
pub(crate) struct Bench {
    #[arg(skip)]
    pub(crate) models: Vec<String>,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    words: Vec<String>,
    /// A MODEL, as an option; may be given several times.
    #[arg(short = 'm', long = "model", value_name = "MODEL", value_hint = ValueHint::FilePath)]
    named: Vec<String>,
    /// A MODEL on the hub, also as -hf: owner/repo[:file].
    #[arg(long, value_name = "OWNER/REPO", alias = "hf")]
    hf_repo: Vec<String>,
    /// Random weights of a real shape instead of a file, such as llama-3.2-1b:q4_0; may be given several times.
    #[arg(long, value_name = "SHAPE:DTYPE")]
    pub(crate) synthetic: Vec<String>,
    /// Prompt lengths to prefill; 0 for none.
    #[arg(
        short = 'p',
        long,
        value_name = "N,..",
        alias = "n-prompt",
        value_delimiter = ',',
        default_value = "512"
    )]
    pub(crate) prompt: Vec<u32>,
    /// Numbers of tokens to decode; 0 for none.
    #[arg(
        short = 'n',
        long,
        value_name = "N,..",
        alias = "n-gen",
        value_delimiter = ',',
        default_value = "128"
    )]
    pub(crate) generate: Vec<u32>,
    /// Prefill so many tokens and decode so many after them in one measure, also as -pg; may be given several times.
    #[arg(long, value_name = "P,N", value_parser = prompt_generate)]
    pub(crate) prompt_generate: Vec<PromptGenerate>,
    /// Tokens in the KV cache before each test.
    #[arg(
        short = 'd',
        long,
        value_name = "N,..",
        alias = "n-depth",
        value_delimiter = ',',
        default_value = "0"
    )]
    pub(crate) depth: Vec<u32>,
    /// Prefill and decode so many sequences at once, also as -npl: -p tokens of each, then -n more. The draw that ends a prompt
    /// counts with the prompt, as in llama-batched-bench.
    #[arg(long, value_name = "B,..", value_delimiter = ',', conflicts_with = "prompt_generate")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(akunu::plan::MAX_SEQUENCES)))]
    pub(crate) streams: Vec<u32>,
    /// With --streams: run all rows as rows of large steps, so that no sequence's numbers depend on how many others run.
    #[arg(long, requires = "streams")]
    pub(crate) deterministic: bool,
    /// Repetitions.
    #[arg(short = 'r', long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repetitions: u32,
    /// Output format.
    #[arg(
        short = 'o',
        long,
        value_enum,
        default_value = "md",
        value_name = "md|json|csv",
        hide_possible_values = true
    )]
    pub(crate) output: Format,
    /// Do not measure the memory's bandwidth first.
    #[arg(long)]
    pub(crate) no_bandwidth: bool,
    #[command(flatten)]
    placement: Placement,
    /// CPU worker threads, one measure after the other [default: one for each performance core that the system grants].
    #[arg(long, short = 't', value_name = "N,..", value_delimiter = ',', help_heading = "Machine")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Vec<u32>,
    #[command(flatten)]
    memory: Memory,
    #[command(flatten)]
    weights: Weights,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "akunu inspect [OPTIONS] MODEL\n       akunu inspect [OPTIONS] --synthetic SHAPE:DTYPE"
)]
pub(crate) struct Inspect {
    #[command(flatten)]
    given: Given,
    #[arg(skip)]
    pub(crate) model: Option<String>,
    #[arg(skip)]
    pub(crate) synthetic: Option<String>,
    /// List every tensor.
    #[arg(long)]
    pub(crate) tensors: bool,
    /// Show the memory of a batch of so many sequences, also as -np: what `run --batch` takes; auto: as many as it takes where
    /// nobody says it.
    #[arg(long, value_name = "N|auto", aliases = ["parallel", "streams"], value_parser = places)]
    pub(crate) sequences: Option<Places>,
    #[command(flatten)]
    machine: Whole,
}

/// How many sequences a batch has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Places {
    /// What suits the device.
    Auto,
    /// So many.
    Of(u32),
}

fn places(s: &str) -> Result<Places, String> {
    match s.parse() {
        _ if s.eq_ignore_ascii_case("auto") => Ok(Places::Auto),
        Ok(n @ 1..=akunu::plan::MAX_SEQUENCES) => Ok(Places::Of(n)),
        _ => Err(format!("choose between 1 and {}, or auto", akunu::plan::MAX_SEQUENCES)),
    }
}

/// A model, or random weights in place of one.
#[derive(Args, Debug, Default)]
pub(crate) struct Given {
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    first: Option<String>,
    #[command(flatten)]
    named: Named,
    /// Random weights of a real shape instead of a file, such as llama-3.2-1b:q4_0.
    #[arg(long, value_name = "SHAPE:DTYPE", conflicts_with_all = ["first", "model_option", "hf_repo"])]
    synthetic: Option<String>,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "akunu table [OPTIONS] MODEL\n       akunu table [OPTIONS] --synthetic SHAPE:DTYPE"
)]
pub(crate) struct Table {
    #[command(flatten)]
    given: Given,
    #[arg(skip)]
    pub(crate) model: Option<String>,
    #[arg(skip)]
    pub(crate) synthetic: Option<String>,
    /// Rows of the table: 1 decodes, more prefill.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) rows: u32,
    /// KV length for which bytes and operations are counted.
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) depth: u32,
    /// Only sums per group.
    #[arg(long)]
    pub(crate) summary: bool,
    #[command(flatten)]
    machine: Whole,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "akunu profile [OPTIONS] MODEL\n       akunu profile [OPTIONS] --synthetic SHAPE:DTYPE"
)]
pub(crate) struct Profile {
    #[command(flatten)]
    given: Given,
    #[arg(skip)]
    pub(crate) model: Option<String>,
    #[arg(skip)]
    pub(crate) synthetic: Option<String>,
    /// Rows of the step: 1 decodes, more prefill.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=512))]
    pub(crate) rows: u32,
    /// A step in which so many sequences draw, instead of rows of one.
    #[arg(long, value_name = "N", conflicts_with = "rows", value_parser = clap::value_parser!(u32).range(1..=512))]
    pub(crate) streams: Option<u32>,
    /// With --streams: draw by top-k 40, top-p 0.95, min-p 0.05, temperature 0.8 and a repetition penalty of 1.1, instead of min-p and temperature alone.
    #[arg(long, requires = "streams")]
    pub(crate) sampled: bool,
    /// KV length at the end of the step [default: 128, or the rows].
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// Repetitions; medians are shown.
    #[arg(short = 'r', long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repetitions: u32,
    /// Every command instead of sums per group.
    #[arg(long)]
    pub(crate) commands: bool,
    #[command(flatten)]
    machine: Whole,
}

#[derive(Args, Debug)]
#[command(override_usage = "akunu tokenize [OPTIONS] MODEL [TEXT]")]
pub(crate) struct Tokenize {
    #[arg(skip)]
    pub(crate) model: String,
    #[arg(skip)]
    pub(crate) text: Option<String>,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    first: Option<String>,
    /// The text; standard input where absent.
    #[arg(value_name = "TEXT")]
    second: Option<String>,
    #[command(flatten)]
    named: Named,
    /// The text, as an option.
    #[arg(short = 'p', long = "prompt", value_name = "TEXT", allow_hyphen_values = true)]
    prompt_option: Option<String>,
    /// Take `<|im_end|>` and the like as plain text.
    #[arg(long)]
    pub(crate) plain: bool,
}

#[derive(Args, Debug)]
#[command(override_usage = "akunu logits [OPTIONS] MODEL --tokens FILE -o FILE")]
pub(crate) struct Logits {
    #[arg(skip)]
    pub(crate) model: String,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    first: Option<String>,
    #[command(flatten)]
    named: Named,
    /// JSON list of token ids.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) tokens: PathBuf,
    /// Tokens per context; each window starts at position 0.
    #[arg(long, value_name = "N", default_value = "512", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) window: u32,
    /// Rows per step.
    #[arg(long, value_name = "N", default_value = "64", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) rows: u32,
    /// Write what the output head reads instead, after the final norm.
    #[arg(long)]
    pub(crate) hidden_states: bool,
    /// Output: `[tokens, vocabulary]`, or `[tokens, hidden size]`, little-endian f32.
    #[arg(short = 'o', long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    machine: Whole,
}

#[derive(Args, Debug)]
pub(crate) struct Convert {
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    pub(crate) source: String,
    /// The file to write, GGUF, or of a Whisper model one of whisper.cpp's (ggml); one that is there is replaced.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) target: PathBuf,
    #[arg(long, value_name = "DTYPE", value_parser = choice(recipe, recipes), hide_possible_values = true)]
    #[arg(help = format!("Format: {}", recipes().join(", ")))]
    pub(crate) dtype: Recipe,
    /// Quantize a model that is quantized already, which loses more than quantizing the original.
    #[arg(long)]
    pub(crate) allow_requantize: bool,
    #[command(flatten)]
    threads: Threads,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "akunu perplexity [OPTIONS] MODEL -f FILE",
    after_help = "The text is cut into windows of --ctx tokens [default: 512]; the predictions in each one's second \
        half count."
)]
pub(crate) struct Perplexity {
    #[arg(skip)]
    pub(crate) model: String,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    first: Option<String>,
    #[command(flatten)]
    named: Named,
    /// The text.
    #[arg(short, long, value_hint = ValueHint::FilePath, required_unless_present = "tokens", conflicts_with = "tokens")]
    pub(crate) file: Option<PathBuf>,
    /// JSON list of token ids, instead of a text.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) tokens: Option<PathBuf>,
    /// Compare with the predictions of this model, or with logits that `akunu logits` wrote of the same tokens with
    /// --window like --ctx here: KL divergence, top-1 agreement. For logits give --tokens where texts of the model begin
    /// with a token of their own.
    #[arg(long, value_name = "REFERENCE", value_hint = ValueHint::FilePath)]
    pub(crate) kl: Option<String>,
    #[command(flatten)]
    machine: Whole,
}

#[cfg(feature = "cuda")]
#[derive(Args, Debug)]
#[command(
    override_usage = "akunu compile [OPTIONS] MODEL\n       akunu compile [OPTIONS] --synthetic SHAPE:DTYPE",
    after_help = "This fills the kernel cache for a GPU that this machine need not have: for sessions and for batches of \
        as many sequences. A filled cache runs without a compiler."
)]
pub(crate) struct Compile {
    #[command(flatten)]
    given: Given,
    #[arg(skip)]
    pub(crate) model: Option<String>,
    #[arg(skip)]
    pub(crate) synthetic: Option<String>,
    /// GPU architecture: sm_80, sm_86, sm_89, sm_90a, ...
    #[arg(long, default_value = "sm_90a")]
    pub(crate) arch: String,
    /// The most sequences of the batch that is compiled for, too, also as -np [default: those of `run --batch` where the memory
    /// suffices].
    #[arg(long, value_name = "N", aliases = ["parallel", "streams"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(akunu::plan::MAX_SEQUENCES)))]
    pub(crate) sequences: Option<u32>,
    #[command(flatten)]
    memory: Memory,
}

#[derive(Args, Debug)]
pub(crate) struct Pull {
    /// Alias or hf:owner/repo[:file].
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
}

#[derive(Args, Debug)]
pub(crate) struct Rm {
    /// Alias, hf:owner/repo[:file] or path, as `akunu list` shows them.
    #[arg(value_name = "MODEL", required = true)]
    pub(crate) models: Vec<String>,
    /// Do not ask.
    #[arg(long, short, alias = "force")]
    pub(crate) yes: bool,
}

fn chat_template_help() -> String {
    let names = crate::commands::template::names();
    format!("Chat template instead of the model's own: a Jinja file, or one of {names}")
}

fn temperature(s: &str) -> Result<f32, String> {
    match s.parse::<f32>() {
        Ok(v) if v.is_finite() && v >= 0.0 => Ok(v),
        _ => Err("choose 0 (greedy) or more; 0.8 is usual".into()),
    }
}

fn probability(s: &str) -> Result<f32, String> {
    match s.parse::<f32>() {
        Ok(v) if (0.0..=1.0).contains(&v) => Ok(v),
        _ => Err("choose between 0 (off) and 1".into()),
    }
}

fn seed(s: &str) -> Result<Seed, String> {
    match (s, s.parse()) {
        ("-1", _) => Ok(Seed::Random),
        (_, Ok(v)) => Ok(Seed::Fixed(v)),
        _ => Err("choose a whole number from 0 to 18446744073709551615, or -1 for a random one".into()),
    }
}

/// Also what other programs write for "no limit".
fn token_limit(s: &str) -> Result<u32, String> {
    match (s, s.parse()) {
        ("-1" | "-2", _) => Ok(u32::MAX),
        (_, Ok(n)) if n > 0 => Ok(n),
        _ => Err("choose 1 or more, or -1 for no limit".into()),
    }
}

fn prompt_generate(s: &str) -> Result<PromptGenerate, String> {
    let pair = s.split_once(',').and_then(|(p, n)| Some((p.trim().parse().ok()?, n.trim().parse().ok()?)));
    match pair {
        Some((prompt, generate)) if prompt > 0 && generate > 0 => Ok(PromptGenerate { prompt, generate }),
        _ => Err("give the prompt's tokens and the generated ones, both above 0, such as 512,128".into()),
    }
}

fn recipe(s: &str) -> Result<Recipe, String> {
    match Recipe::parse(s) {
        Some(r) if r.file_type.is_some() => Ok(r),
        _ => Err(format!("choose one of {}", recipes().join(", "))),
    }
}

/// The formats of a conversion.
fn recipes() -> Vec<&'static str> {
    Recipe::names().collect()
}
