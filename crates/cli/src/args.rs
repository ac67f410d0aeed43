//! The arguments, and the help that a person reads.

use akunu::KvFormat;
use akunu::files::quantize::Recipe;
use akunu::kernels::attention::KV_FORMATS;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// What stands after the list of commands.
const AFTER_HELP: &str = "Examples:\n  \
    akunu run smollm2 \"Why is the sky blue?\"\n  \
    cat notes.txt | akunu run smollm2 \"Summarise this:\"\n  \
    akunu chat ./model.gguf\n  \
    akunu bench ./model.gguf -p 512 -n 128\n\n\
    MODEL is a path to a GGUF file, an alias (see `akunu list`), or hf:owner/repo[:file].\n\
    Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted (Ctrl-C), 143 terminated\n\
    (SIGTERM), 129 hung up (SIGHUP).";

/// A language-model inference engine: give it a GGUF file, or the name of a model, and it answers.
#[derive(Parser, Debug)]
#[command(
    name = "akunu",
    version,
    max_term_width = 100,
    after_help = AFTER_HELP,
    after_long_help = crate::environment::after(AFTER_HELP)
)]
pub(crate) struct Cli {
    /// Print JSON for programs instead of text for people.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) machine: Machine,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where and how large to run.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Machine")]
pub(crate) struct Machine {
    /// Device to run on.
    #[arg(long, global = true, value_enum, default_value = "auto")]
    pub(crate) device: Device,
    /// CPU worker threads [default: one for each performance core that the system grants; `akunu doctor` explains].
    #[arg(long, short = 't', global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Context length in tokens [default: what the model was trained for, or what fits].
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(crate) ctx: Option<u32>,
    /// Format of the K cache, also as -ctk: f16, bf16, q8_0 or (on the CPU) f32 [default: f16].
    #[arg(long, global = true, value_name = "TYPE", value_parser = cache_type)]
    pub(crate) cache_type_k: Option<KvFormat>,
    /// Format of the V cache, also as -ctv [default: f16].
    #[arg(long, global = true, value_name = "TYPE", value_parser = cache_type)]
    pub(crate) cache_type_v: Option<KvFormat>,
    /// Leave the weights in their file and read them when they are used (CPU only): for models that are larger than the
    /// memory. Starts at once, runs several times slower.
    #[arg(long, global = true)]
    pub(crate) no_repack: bool,
}

/// Names of options that users of llama.cpp know and that `clap` cannot spell: one dash, several letters.
const ALIASES: [(&str, &str); 2] = [("-ctk", "--cache-type-k"), ("-ctv", "--cache-type-v")];

/// The arguments with [`ALIASES`] written out; what stands behind `--` is text.
pub(crate) fn arguments(given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut options = true;
    let long = |a: OsString| {
        options &= a != "--";
        match ALIASES.iter().find(|(short, _)| options && a == *short) {
            Some((_, long)) => (*long).into(),
            None => a,
        }
    };
    given.map(long).collect()
}

#[derive(ValueEnum, Debug, Clone, Copy)]
pub(crate) enum Device {
    /// The best device of this machine.
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    /// Nothing is computed; for measuring the host's own work.
    Null,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Answer one prompt.
    Run(Run),
    /// Talk with a model in the terminal.
    Chat(Chat),
    /// Measure prefill and decode speed.
    Bench(Bench),
    /// Show what is in a model file, how much memory it takes and whether it fits.
    Inspect(Inspect),
    /// Print the table of device commands that one step replays.
    Table(Table),
    /// Show where the time of a step goes, next to what the memory allows.
    Profile(Profile),
    /// Turn text into token ids.
    Tokenize(Tokenize),
    /// Write the logits of given tokens to a file, for comparing with another engine.
    Logits(Logits),
    /// Quantize a model into a GGUF file.
    Convert(Convert),
    /// Measure how well a model predicts a text, and how far it is from a reference.
    Perplexity(Perplexity),
    /// Fetch a model into the cache.
    Pull(Pull),
    /// List the models in the cache and the aliases.
    List,
    /// Compile a model's GPU kernels into the cache; needs no GPU.
    #[cfg(feature = "cuda")]
    Compile(Compile),
    /// Say what this machine can run, and why not.
    Doctor(Doctor),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// How tokens are drawn.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Sampling")]
pub(crate) struct Sampling {
    /// Softmax temperature; 0 always takes the likeliest token [default: the model's own, else 0.8].
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub(crate) temp: Option<f32>,
    /// Keep tokens with at least this share of the best one's probability [default: the model's own, else 0.05].
    #[arg(long, value_name = "P", value_parser = probability)]
    pub(crate) min_p: Option<f32>,
    /// Seed of the draw; the same seed gives the same text [default: random].
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
}

#[derive(Args, Debug)]
pub(crate) struct Run {
    /// Path, alias or hf:owner/repo[:file].
    pub(crate) model: String,
    /// The prompt; without one, a conversation where a terminal is (as `akunu chat`). Standard input is appended where it is
    /// piped or a file: give </dev/null where nothing is meant to come from there.
    pub(crate) prompt: Option<String>,
    /// Read the prompt from a file.
    #[arg(short, long, conflicts_with = "prompt")]
    pub(crate) file: Option<PathBuf>,
    /// The most tokens to generate [default: until the model ends its answer or the context is full].
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_tokens: Option<u32>,
    /// Continue the prompt as it is, without the model's chat template.
    #[arg(long)]
    pub(crate) raw: bool,
    /// System prompt.
    #[arg(long, value_name = "TEXT", conflicts_with = "raw")]
    pub(crate) system: Option<String>,
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "raw", help = chat_template_help())]
    pub(crate) chat_template: Option<String>,
    /// When the context is full: stop, or shift (the answer's beginning leaves, and it goes on) [default: stop; in a
    /// conversation as `akunu chat`].
    #[arg(long, value_enum, hide_possible_values = true)]
    pub(crate) overflow: Option<Overflow>,
    /// End the answer at this text; may be given several times.
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) stop: Vec<String>,
    #[command(flatten)]
    pub(crate) sampling: Sampling,
}

#[derive(Args, Debug)]
pub(crate) struct Chat {
    /// Path, alias or hf:owner/repo[:file].
    pub(crate) model: String,
    /// System prompt.
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    #[arg(long, value_name = "NAME|FILE", help = chat_template_help())]
    pub(crate) chat_template: Option<String>,
    /// The most tokens of one answer [default: until the model ends it].
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_tokens: Option<u32>,
    /// What happens when the context is full; the system prompt stays in any case.
    #[arg(long, value_enum, default_value = "shift")]
    pub(crate) overflow: Overflow,
    /// End an answer at this text; may be given several times.
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) stop: Vec<String>,
    #[command(flatten)]
    pub(crate) sampling: Sampling,
}

/// What happens when the context is full.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// The oldest turns leave, between turns and in the middle of an answer, which goes on.
    #[value(alias = "context-shift")]
    Shift,
    /// The oldest turns leave between turns only; an answer that fills the context ends there.
    #[value(alias = "truncate")]
    Trim,
    /// Nothing leaves: the answer ends, and a turn that does not fit is an error.
    #[value(alias = "end")]
    Stop,
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

#[derive(Args, Debug)]
pub(crate) struct Bench {
    /// Path, alias or hf:owner/repo[:file].
    #[arg(required_unless_present = "synthetic")]
    pub(crate) model: Option<String>,
    /// Random weights of a real shape instead of a file, such as llama-3.2-1b:q4_0; may be given several times.
    #[arg(long, value_name = "SHAPE:DTYPE")]
    pub(crate) synthetic: Vec<String>,
    /// Prompt lengths to prefill; 0 for none.
    #[arg(short = 'p', long, value_name = "N,..", value_delimiter = ',', default_value = "512")]
    pub(crate) prompt: Vec<u32>,
    /// Numbers of tokens to decode; 0 for none.
    #[arg(short = 'n', long, value_name = "N,..", value_delimiter = ',', default_value = "128")]
    pub(crate) generate: Vec<u32>,
    /// Tokens in the KV cache before each test.
    #[arg(short = 'd', long, value_name = "N,..", value_delimiter = ',', default_value = "0")]
    pub(crate) depth: Vec<u32>,
    /// Repetitions.
    #[arg(short = 'r', long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repetitions: u32,
    /// Output format.
    #[arg(short = 'o', long, value_enum, default_value = "md")]
    pub(crate) output: Format,
    /// Do not measure the memory's bandwidth first.
    #[arg(long)]
    pub(crate) no_bandwidth: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Inspect {
    /// Path, alias or hf:owner/repo[:file].
    #[arg(required_unless_present = "synthetic")]
    pub(crate) model: Option<String>,
    /// Random weights of a real shape instead of a file.
    #[arg(long, value_name = "SHAPE:DTYPE", conflicts_with = "model")]
    pub(crate) synthetic: Option<String>,
    /// List every tensor.
    #[arg(long)]
    pub(crate) tensors: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Table {
    /// Path, alias or hf:owner/repo[:file].
    #[arg(required_unless_present = "synthetic")]
    pub(crate) model: Option<String>,
    /// Random weights of a real shape instead of a file.
    #[arg(long, value_name = "SHAPE:DTYPE", conflicts_with = "model")]
    pub(crate) synthetic: Option<String>,
    /// Rows of the table: 1 decodes, more prefill.
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) rows: u32,
    /// KV length for which bytes and operations are counted.
    #[arg(long, default_value = "1")]
    pub(crate) depth: u32,
    /// Only sums per group.
    #[arg(long)]
    pub(crate) summary: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Profile {
    /// Path, alias or hf:owner/repo[:file].
    #[arg(required_unless_present = "synthetic")]
    pub(crate) model: Option<String>,
    /// Random weights of a real shape instead of a file.
    #[arg(long, value_name = "SHAPE:DTYPE", conflicts_with = "model")]
    pub(crate) synthetic: Option<String>,
    /// Rows of the step: 1 decodes, more prefill.
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u32).range(1..=512))]
    pub(crate) rows: u32,
    /// KV length at the end of the step [default: 128, or the rows].
    #[arg(long)]
    pub(crate) depth: Option<u32>,
    /// Repetitions; medians are shown.
    #[arg(short = 'r', long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repetitions: u32,
    /// Every command instead of sums per group.
    #[arg(long)]
    pub(crate) commands: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Tokenize {
    /// Path, alias or hf:owner/repo[:file].
    pub(crate) model: String,
    /// The text; standard input where absent.
    pub(crate) text: Option<String>,
    /// Take `<|im_end|>` and the like as plain text.
    #[arg(long)]
    pub(crate) plain: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Logits {
    /// Path, alias or hf:owner/repo[:file].
    pub(crate) model: String,
    /// JSON list of token ids.
    #[arg(long)]
    pub(crate) tokens: PathBuf,
    /// Tokens per context; each window starts at position 0.
    #[arg(long, default_value = "512", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) window: u32,
    /// Rows per step.
    #[arg(long, default_value = "64", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) rows: u32,
    /// Output: `[tokens, vocabulary]` little-endian f32.
    #[arg(short = 'o', long)]
    pub(crate) out: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct Convert {
    /// Path, alias or hf:owner/repo[:file].
    pub(crate) source: String,
    /// The GGUF file to write; one that is there is replaced.
    pub(crate) target: PathBuf,
    #[arg(long, value_name = "DTYPE", value_parser = recipe, help = format!("Format: {}", formats()))]
    pub(crate) dtype: Recipe,
    /// Quantize a model that is quantized already, which loses more than quantizing the original.
    #[arg(long)]
    pub(crate) allow_requantize: bool,
}

/// The text is cut into windows of --ctx tokens [default: 512]; the predictions in each one's second half count.
#[derive(Args, Debug)]
pub(crate) struct Perplexity {
    /// Path, alias or hf:owner/repo[:file].
    pub(crate) model: String,
    /// The text.
    #[arg(short, long, required_unless_present = "tokens", conflicts_with = "tokens")]
    pub(crate) file: Option<PathBuf>,
    /// JSON list of token ids, instead of a text.
    #[arg(long)]
    pub(crate) tokens: Option<PathBuf>,
    /// Compare with the predictions of this model, or with logits that `akunu logits` wrote of the same tokens with
    /// --window like --ctx here: KL divergence, top-1 agreement. For logits give --tokens where texts of the model begin
    /// with a token of their own.
    #[arg(long, value_name = "REFERENCE")]
    pub(crate) kl: Option<String>,
}

/// Fill the kernel cache for a GPU that this machine need not have. A filled cache runs without a compiler.
#[cfg(feature = "cuda")]
#[derive(Args, Debug)]
pub(crate) struct Compile {
    /// Path, alias or hf:owner/repo[:file].
    #[arg(required_unless_present = "synthetic")]
    pub(crate) model: Option<String>,
    /// Random weights of a real shape instead of a file.
    #[arg(long, value_name = "SHAPE:DTYPE", conflicts_with = "model")]
    pub(crate) synthetic: Option<String>,
    /// GPU architecture: sm_80, sm_86, sm_89, sm_90a, ...
    #[arg(long, default_value = "sm_90a")]
    pub(crate) arch: String,
}

#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// Fetch what is missing: NVRTC, where there is an NVIDIA driver or with --device cuda.
    #[arg(long)]
    pub(crate) fix: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Pull {
    /// Alias or hf:owner/repo[:file].
    pub(crate) model: String,
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

fn cache_type(s: &str) -> Result<KvFormat, String> {
    KvFormat::parse(s).ok_or_else(|| {
        format!("choose one of {}", KV_FORMATS.iter().map(|f| f.name()).collect::<Vec<_>>().join(", "))
    })
}

fn recipe(s: &str) -> Result<Recipe, String> {
    match Recipe::parse(s) {
        Some(r) if r.file_type.is_some() => Ok(r),
        _ => Err(format!("choose one of {}", formats())),
    }
}

/// The formats of a conversion.
fn formats() -> String {
    Recipe::names().collect::<Vec<_>>().join(", ")
}
