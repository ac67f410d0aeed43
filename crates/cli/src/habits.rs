//! What people type from the habit of other programs, and what it means here: one table of spellings, one of options
//! that are not ours, one of commands that are not ours.

/// Options of one dash and several letters, which the parser cannot spell.
pub(crate) static ONE_DASH: &[(&str, &str)] = &[
    ("-ctk", "--cache-type-k"),
    ("-ctv", "--cache-type-v"),
    ("-dev", "--device"),
    ("-md", "--draft"),
    ("-hf", "--hf-repo"),
    ("-hfr", "--hf-repo"),
    ("-jf", "--schema"),
    ("-ngl", "--gpu-layers"),
    ("-np", "--sequences"),
    ("-npl", "--streams"),
    ("-npp", "--prompt"),
    ("-nr", "--no-repack"),
    ("-ntg", "--generate"),
    ("-pg", "--prompt-generate"),
    ("-sys", "--system"),
];

/// An option of another program.
#[derive(Debug)]
pub(crate) struct Foreign {
    /// Its spellings.
    pub(crate) names: &'static [&'static str],
    /// Whether a value follows.
    pub(crate) value: Value,
    /// When it asks for what happens anyway.
    pub(crate) fine: Fine,
    /// The commands that it is about; empty for all that run a model.
    pub(crate) commands: &'static [&'static str],
    /// Why it is refused, or why it needs nothing done.
    pub(crate) why: &'static str,
}

/// The value of a foreign option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    None,
    One,
    /// The next word, if it is one of these.
    Perhaps(&'static [&'static str]),
}

/// When a foreign option is left out in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fine {
    Never,
    Always,
    /// Unless this option is there, too.
    Without(&'static str),
    /// With these values, compared as numbers where they are some; an absent one counts as empty.
    With(&'static [&'static str]),
}

const EVERY: &[&str] = &[];
const TEXT: &[&str] = &["run", "chat"];
const RUN: &[&str] = &["run"];
const SWITCH: Value = Value::Perhaps(&["on", "off", "auto", "0", "1"]);

const SAMPLERS: &str = "this sampler is not there yet; --samplers shows those that are";
const ADAPTER: &str = "adapters cannot be applied yet; merge it into the model and give that";
const MEDIA: &str = "models read text only so far; leave it out";
const PARTIAL: &str =
    "a model runs on one device as a whole; choose with -ngl 99 (the GPU) or -ngl 0 (the CPU)";
const DRAFT: &str =
    "a draft model is given as --draft MODEL, runs where the model runs, and drafts as long as it pays";
const ROPE: &str = "these numbers are read from the model; leave it out";
const STEP: &str = "the rows of a prefill step are chosen for the device and change no result; leave it out";
const PLACE: &str = "threads and memory are placed by the cores that the system grants (`akunu doctor` shows them); choose cores with taskset or numactl";
const FORMAT: &str = "--schema FILE|JSON says which JSON; --schema '{\"type\": \"object\"}' is any object";

/// Options of llama.cpp, ollama and mistral.rs that are not ours.
#[rustfmt::skip]
pub(crate) static FOREIGN: &[Foreign] = &[
    // What happens anyway.
    foreign(&["--no-mmap"], Value::None, Fine::Without("--no-repack"), EVERY,
        "--no-repack leaves the weights in their file, which is mapped; leave one of the two out"),
    foreign(&["-fa", "--flash-attn"], SWITCH, Fine::With(&["", "on", "auto", "1"]), EVERY,
        "attention never keeps its scores in memory here, and there is no other kind; leave it out"),
    foreign(&["-mmp", "--mmap"], SWITCH, Fine::With(&["0", "off"]), EVERY,
        "weights are read into memory once; --no-repack leaves them in their file"),
    foreign(&["--no-escape", "--log-disable", "--no-log", "--offload-kqv", "--repack"], Value::None, Fine::Always, EVERY, "so it is"),
    foreign(&["--no-warmup"], Value::None, Fine::Always, &["run", "chat", "perplexity", "logits"], "nothing is warmed up"),
    foreign(&["--jinja"], Value::None, Fine::Always, TEXT, "the model's own template is the one that is used"),
    foreign(&["-co", "--color"], SWITCH, Fine::With(&["", "on", "auto", "1"]), TEXT, "NO_COLOR=1 in the environment turns colours off"),
    foreign(&["--nowordwrap", "--simple-io"], Value::None, Fine::Always, TEXT, "text is printed as it is"),
    foreign(&["--no-display-prompt", "-st", "--single-turn", "--verbose"], Value::None, Fine::Always, RUN, "so it is"),
    foreign(&["-sm", "--split-mode"], Value::One, Fine::With(&["none"]), EVERY, "a model runs on one GPU; --device cuda:N chooses it"),
    foreign(&["-mg", "--main-gpu"], Value::One, Fine::With(&["0"]), EVERY, "the first GPU is taken; --device cuda:N chooses another"),
    foreign(&["--prompt-cache-all"], Value::None, Fine::Always, RUN, "answers are saved, too"),
    foreign(&["--prompt-cache-ro"], Value::None, Fine::Never, RUN, "--load-session goes on from a session and writes nothing"),
    foreign(&["--context-shift", "--no-context-shift"], Value::None, Fine::Never, TEXT, "--overflow says what happens when the context is full"),
    // Samplers.
    foreign(&["--dynatemp-range"], Value::One, Fine::With(&["0"]), TEXT, SAMPLERS),
    foreign(&["--dynatemp-exp"],
        Value::One, Fine::Never, TEXT, SAMPLERS),
    foreign(&["--sampling-seq", "--sampler-seq"], Value::One, Fine::Never, TEXT, "name the samplers: --samplers 'top_k;top_p;temperature'"),
    foreign(&["--ignore-eos"], Value::None, Fine::Never, TEXT, "an answer ends where the model ends it; `akunu bench` decodes a fixed number of tokens"),
    foreign(&["--format"], Value::One, Fine::Never, TEXT, FORMAT),
    // Not there yet.
    foreign(&["--lora", "--lora-scaled", "--lora-base", "--control-vector", "--control-vector-scaled"], Value::One, Fine::Never, EVERY, ADAPTER),
    foreign(&["-mm", "--mmproj", "-mmu", "--mmproj-url", "--image", "--audio", "--video"], Value::One, Fine::Never, EVERY, MEDIA),
    foreign(&["-hfd", "--hf-repo-draft", "--draft-min", "--draft-p-min", "-cd", "--ctx-size-draft", "-ngld", "--gpu-layers-draft"],
        Value::One, Fine::Never, TEXT, DRAFT),
    foreign(&["-lcs", "-lcd"], Value::One, Fine::Never, TEXT, "look-up is in the text so far: --draft ngram"),
    foreign(&["-ts", "--tensor-split", "-ot", "--override-tensor", "-ncmoe", "--n-cpu-moe"], Value::One, Fine::Never, EVERY, PARTIAL),
    foreign(&["-cmoe", "--cpu-moe", "-nkvo", "--no-kv-offload"], Value::None, Fine::Never, EVERY, PARTIAL),
    foreign(&["--rope-scaling", "--rope-scale", "--rope-freq-base", "--rope-freq-scale", "--yarn-orig-ctx", "--yarn-ext-factor",
            "--yarn-attn-factor", "--yarn-beta-slow", "--yarn-beta-fast", "--override-kv"],
        Value::One, Fine::Never, EVERY, ROPE),
    foreign(&["--mlock"], Value::None, Fine::Never, EVERY,
        "weights are read into memory, but their pages are not locked; leave it out, or forbid swapping for the process (MemorySwapMax=0 in systemd)"),
    foreign(&["-b", "--batch-size", "-ub", "--ubatch-size"], Value::One, Fine::Never, EVERY, STEP),
    foreign(&["-tb", "--threads-batch"], Value::One, Fine::Never, EVERY, "prompts and answers use the same threads; give -t"),
    foreign(&["--numa", "-C", "--cpu-mask", "-Cr", "--cpu-range", "--cpu-strict", "--prio", "--poll"], Value::One, Fine::Never, EVERY, PLACE),
    foreign(&["--isq"], Value::One, Fine::Never, EVERY, "weights are not quantized while loading; `akunu convert` writes a quantized file once"),
    foreign(&["-mu", "--model-url"], Value::One, Fine::Never, EVERY, "models are not fetched from web addresses; give -hf owner/repo:file, or fetch the file first"),
    foreign(&["-hff", "--hf-file"], Value::One, Fine::Never, EVERY, "name the file with its repository: -hf owner/repo:file"),
    // Other ways here.
    foreign(&["-cnv", "--conversation", "-i", "--interactive", "-if", "--interactive-first"], Value::None, Fine::Never, RUN,
        "`akunu chat MODEL` is a conversation"),
    foreign(&["-no-cnv", "--no-conversation"], Value::None, Fine::Never, TEXT,
        "`akunu run` answers once; with --raw it goes on from the prompt, without a template"),
    foreign(&["--no-jinja"], Value::None, Fine::Never, TEXT, "a template is used as the model has it, or with --raw none"),
    foreign(&["-e", "--escape"], Value::None, Fine::Never, TEXT, "\\n and the like are not replaced; write $'…' in the shell, or read the prompt from a file"),
    foreign(&["-sysf", "--system-prompt-file"], Value::One, Fine::Never, TEXT, "write --system \"$(cat FILE)\""),
    foreign(&["--keepalive"], Value::One, Fine::Never, EVERY, "nothing stays in memory after the command; leave it out"),
    foreign(&["--think"], Value::None, Fine::Never, TEXT, "a model thinks as its template says; --reasoning-budget N bounds it, --hide-reasoning hides it"),
    foreign(&["--list-devices"], Value::None, Fine::Never, EVERY, "`akunu doctor` shows the devices"),
];

/// Commands of other programs, and what to do here.
pub(crate) static COMMANDS: &[(&str, &str)] = &[
    ("server", "`akunu serve MODEL` is one"),
    ("ps", "nothing of akunu runs in the background, so there is nothing to list or stop"),
    ("stop", "nothing of akunu runs in the background, so there is nothing to list or stop"),
    (
        "create",
        "models are not made from recipes here; `akunu convert` quantizes, and --system sets a system prompt",
    ),
    ("cp", "models are files; `akunu list` shows where they lie"),
    ("push", "nothing is uploaded; `akunu list` shows where the files lie"),
    ("version", "`akunu --version` prints it"),
];

const fn foreign(
    names: &'static [&'static str],
    value: Value,
    fine: Fine,
    commands: &'static [&'static str],
    why: &'static str,
) -> Foreign {
    Foreign { names, value, fine, commands, why }
}

impl Fine {
    /// Whether the option may be left out, with this value, among these words.
    pub(crate) fn holds(self, value: &str, words: &[String]) -> bool {
        let same = |a: &str| match (a.parse::<f64>(), value.parse::<f64>()) {
            (Ok(a), Ok(b)) => a == b,
            _ => a.eq_ignore_ascii_case(value),
        };
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Without(other) => !words.iter().any(|w| w == other),
            Self::With(values) => values.iter().any(|v| same(v)),
        }
    }
}
