//! `akunu serve`: models over HTTP, until a signal comes. The first one lets answers end, the second does not.

use super::template::Template;
use super::{batch_options, check_context, load, load_options, source};
use crate::args::{Machine, Serve};
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use crate::text::{Bound, read_text};
use akunu::transcribe::MAX_WINDOWS;
use akunu::{
    BatchOptions, EmbedOptions, Engine, EngineOptions, LoadOptions, Model, Source, TranscribeOptions,
};
use akunu_server::{ModelEntry, Options, Resident, Server, Serving, WithoutKey};
use serde_json::json;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const KEY_VAR: &str = "AKUNU_API_KEY";
const HOST_VAR: &str = "AKUNU_HOST";
const PORT_VAR: &str = "AKUNU_PORT";

/// How often a signal is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// Pieces of a file that are heard beside each other where nobody says how many. A model of speech has room for five texts anyway, since the
/// likeliest of five counts where a window went wrong, so these take memory for their audio alone.
const PIECES: u32 = 4;

/// Runs the command.
pub(crate) fn run(a: &Serve, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let address = SocketAddr::new(
        setting(a.host, HOST_VAR, "an address such as 127.0.0.1")?.unwrap_or(Ipv4Addr::LOCALHOST.into()),
        setting(a.port, PORT_VAR, "a number from 0 to 65535")?.unwrap_or(8080),
    );
    let options = options(a)?;
    check_open(&address, &options)?;
    let models = entries(a, machine, out)?;
    let server = Server::new(models, options)?;
    interrupt::install();
    let listener =
        TcpListener::bind(address).map_err(|source| CliError::File { path: address.to_string(), source })?;
    // Port 0 has become one.
    let address = listener.local_addr().unwrap_or(address);
    if out.is_json() {
        out.json(&json!({ "listening": format!("http://{address}") }))?;
    }
    out.note(&format!(
        "listening on http://{address}{}",
        if address.ip().is_unspecified() { " and all addresses" } else { "" }
    ));
    let handle = server.handle();
    std::thread::spawn(move || {
        while !interrupt::asked() {
            std::thread::sleep(LOOK);
        }
        handle.drain();
    });
    server.run(listener)?;
    Ok(0)
}

/// An option, or what the environment says in its place. An empty variable counts as not set.
fn setting<T: std::str::FromStr>(given: Option<T>, name: &str, wanted: &str) -> Result<Option<T>, CliError> {
    let Some(text) = std::env::var_os(name).filter(|v| given.is_none() && !v.is_empty()) else {
        return Ok(given);
    };
    let parsed = text.to_str().and_then(|t| t.parse().ok());
    let wrong = || CliError::Usage(format!("{name} is '{}'; give {wanted}", text.to_string_lossy()));
    parsed.ok_or_else(wrong).map(Some)
}

fn options(a: &Serve) -> Result<Options, CliError> {
    let mut keys = a.api_key.clone();
    if let Some(path) = &a.api_key_file {
        let text = read_text(path, Bound::Prompt)?;
        keys.extend(text.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned));
        if keys.is_empty() {
            return Err(CliError::Usage(format!("{} has no key; write one in each line", path.display())));
        }
    }
    if keys.is_empty() {
        keys.extend(setting(None::<String>, KEY_VAR, "a key")?);
    }
    let without_key = if a.allow_anyone { WithoutKey::Anyone } else { WithoutKey::ThisMachine };
    let body = (a.max_body as usize) << 20;
    let default = Options::default();
    Ok(Options {
        keys,
        without_key,
        hosts: a.allow_host.clone(),
        rate: a.rate,
        resident: Resident {
            most: a.max_loaded.map(|n| n as usize),
            memory: a.memory_budget,
            idle: a.idle_unload.map(|s| Duration::from_secs(s.into())),
        },
        body,
        audio: default.audio.max(body),
        bodies: default.bodies.max(4 * body),
        queue: a.queue as usize,
        ..default
    })
}

/// What the server would refuse, before models are fetched.
fn check_open(address: &SocketAddr, options: &Options) -> Result<(), CliError> {
    if options.keys.is_empty()
        && options.without_key == WithoutKey::ThisMachine
        && !address.ip().is_loopback()
    {
        return Err(akunu_server::ServerError::Open { address: *address }.into());
    }
    Ok(())
}

/// The models with their names. What is not there is fetched now; they are loaded once the server listens.
fn entries(a: &Serve, machine: &Machine, out: &Output) -> Result<Vec<ModelEntry>, CliError> {
    let from_file = a.served.iter().map(|s| Ok((s.model.as_str(), &s.options, s.options.machine()?)));
    let named = a.models.iter().map(|m| Ok((m.as_str(), a, machine.clone())));
    let all: Vec<(&str, &Serve, Machine)> = from_file.chain(named).collect::<Result<_, CliError>>()?;
    let names: Vec<String> = all.iter().map(|(model, ..)| served_name(model)).collect();
    let of_file = a.served.iter().map(|s| s.aliases.clone());
    let mut aliases: Vec<Vec<String>> = of_file.chain(a.models.iter().map(|_| Vec::new())).collect();
    for alias in &a.alias {
        let (alias, model) = alias.split_once('=').unwrap_or((alias.as_str(), names[0].as_str()));
        let Some(at) = names.iter().position(|n| n == model) else {
            return Err(CliError::Usage(format!(
                "--alias {alias}={model}: the models are {}",
                names.join(", ")
            )));
        };
        aliases[at].push(alias.to_owned());
    }
    let mut entries = Vec::new();
    for (((model, a, machine), name), aliases) in all.into_iter().zip(names).zip(aliases) {
        let plan = Arc::new(Plan::new(model, &name, a, &machine, out)?);
        let same = Arc::clone(&plan);
        let entry = ModelEntry::new(&name, move || plan.load().map_err(|e| e.to_string()));
        entries.push(entry.sized(move || same.bytes().map_err(|e| e.to_string())).aliases(aliases));
    }
    Ok(entries)
}

/// What a model is called: a file by its name without the ending, anything else as it was given.
fn served_name(model: &str) -> String {
    let path = Path::new(model);
    let stem = path.file_stem().filter(|_| path.exists()).and_then(|s| s.to_str());
    let whole = path.is_dir().then(|| path.file_name().and_then(|s| s.to_str())).flatten();
    whole.or(stem).unwrap_or(model).to_owned()
}

/// How one model is loaded.
struct Plan {
    name: String,
    source: Source,
    options: LoadOptions,
    template: Option<String>,
    engine: EngineOptions,
    batch: BatchOptions,
    out: Output,
}

impl Plan {
    fn new(model: &str, name: &str, a: &Serve, machine: &Machine, out: &Output) -> Result<Self, CliError> {
        let source = source(Some(model), None, out)?;
        let options = load_options(machine, &source)?;
        Ok(Self {
            name: name.to_owned(),
            source,
            options,
            template: a.chat_template.clone(),
            engine: EngineOptions { queue: a.queue as usize, ..EngineOptions::default() },
            batch: BatchOptions {
                sequences: a.sequences,
                cache_tokens: a.cache_tokens,
                deterministic: a.deterministic,
                drafts: a.drafting.look_up()?,
            },
            out: *out,
        })
    }

    /// The memory that it takes once it is loaded.
    fn bytes(&self) -> Result<u64, CliError> {
        let plan = Model::plan(&self.source, &self.options)?;
        if plan.program.is_encoder() {
            return Ok(plan.program.bytes());
        }
        if plan.program.config.encoder.is_some() {
            return Ok(plan.reading_bytes()?);
        }
        if plan.program.hears() {
            let o = self.speech();
            let program = plan.program.hearing(o.best_of.max(o.beams).max(o.windows), o.windows);
            return Ok(program.map_err(akunu::Error::from)?.bytes());
        }
        let mut batch = self.batch;
        let program = plan.batch(&batch)?;
        // As many as `batch_options` leaves.
        let most = program.ladder().last().map_or(1, |rows| rows.0);
        batch.sequences = Some(program.capacity().seqs.min(most));
        Ok(plan.batch(&batch)?.bytes())
    }

    /// How much a model of speech has room for.
    fn speech(&self) -> TranscribeOptions {
        let windows = self.batch.sequences.unwrap_or(PIECES).min(MAX_WINDOWS);
        TranscribeOptions { windows, ..TranscribeOptions::default() }
    }

    fn load(&self) -> Result<Serving, CliError> {
        let start = Instant::now();
        let model = load(&self.source, &self.options, &self.out)?;
        // Without one there is no text.
        model.tokenizer()?;
        let ready = |what: &str| {
            let (name, time) = (&self.name, start.elapsed().as_secs_f64() * 1e3);
            let (device, context) = (model.device().name, model.program().settings.context);
            self.out
                .note(&format!("{name} is ready after {time:.0} ms: {device}, context {context}, {what}"));
        };
        if model.is_reranker() {
            let reranker = model.reranker()?;
            ready("scores of pairs of texts");
            return Ok(reranker.into());
        }
        if model.makes_vectors() {
            let embedder = model.embedder(&EmbedOptions::default())?;
            ready(&format!("vectors of {}", embedder.dimensions()));
            return Ok(embedder.into());
        }
        if model.hears() {
            let transcriber = model.transcriber(&self.speech())?;
            ready(&format!("text of speech, up to {} pieces of a file at a time", transcriber.windows()));
            return Ok(transcriber.into());
        }
        check_context(&model, &self.out);
        let (template, stops) = match &self.template {
            Some(_) => Template::of(&model, self.template.as_deref())?.map(Template::into_parts),
            None => None,
        }
        .unwrap_or_default();
        let batch = batch_options(&model, self.batch, &self.out)?;
        let sequences = model.batch_program(&batch)?.capacity().seqs;
        let engine = Engine::new(&model, &EngineOptions { batch, ..self.engine })?;
        ready(&format!("up to {sequences} answers at a time"));
        Ok(Serving { template, stops, ..engine.into() })
    }
}
