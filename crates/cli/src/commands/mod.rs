//! One module per command, and what they share.

pub(crate) mod batch;
pub(crate) mod bench;
pub(crate) mod chat;
#[cfg(feature = "cuda")]
pub(crate) mod compile;
pub(crate) mod convert;
pub(crate) mod doctor;
pub(crate) mod embed;
mod form;
pub(crate) mod inspect;
pub(crate) mod logits;
mod logprobs;
pub(crate) mod models;
pub(crate) mod perplexity;
pub(crate) mod profile;
pub(crate) mod rerank;
pub(crate) mod run;
mod samples;
mod saved;
pub(crate) mod selftest;
pub(crate) mod serve;
pub(crate) mod table;
pub(crate) mod template;
pub(crate) mod tokenize;
pub(crate) mod transcribe;

use self::template::Template;
use crate::args::{Device, Drafter, Drafting, Machine, Overflow, Run, Sampling, Seed};
use crate::completion;
use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use akunu::{
    BatchOptions, CacheTypes, Control, DeviceChoice, Error, LoadOptions, Lower, Model, Session, Source,
    Timing, Token, WeightsAt,
};
use serde_json::json;

/// The engine's options for a machine's.
pub(crate) fn load_options(m: &Machine, source: &Source) -> Result<LoadOptions, CliError> {
    whole_on_gpu(m, source)?;
    let device = match m.device {
        Device::Auto => DeviceChoice::Auto,
        Device::Cpu => DeviceChoice::Cpu,
        Device::Cuda(number) => DeviceChoice::Cuda(number),
        Device::Vulkan(number) => DeviceChoice::Vulkan(number),
        Device::Metal(number) => DeviceChoice::Metal(number),
        Device::Null => DeviceChoice::Null,
    };
    let weights = if m.no_repack { WeightsAt::File } else { WeightsAt::Memory };
    Ok(LoadOptions {
        device,
        context: m.ctx,
        threads: m.threads,
        cache: cache(m),
        weights,
        matrices: m.matrices,
        ..LoadOptions::default()
    })
}

/// Refuses a number of layers on the GPU that is not all of them.
fn whole_on_gpu(m: &Machine, source: &Source) -> Result<(), CliError> {
    let Some(wanted) = m.gpu_layers else { return Ok(()) };
    // The device that computes nothing needs no hardware.
    let nothing = LoadOptions { device: DeviceChoice::Null, context: Some(1), ..LoadOptions::default() };
    let layers = Model::plan(source, &nothing)?.program.config.layers;
    if wanted >= layers {
        return Ok(());
    }
    Err(CliError::Usage(format!(
        "-ngl {wanted}: the model has {layers} layers, and a part of them on the GPU is not possible yet; choose -ngl {layers} or \
         more (all on the GPU), or -ngl 0 (all on the CPU)"
    )))
}

/// The KV cache's formats.
pub(crate) fn cache(m: &Machine) -> CacheTypes {
    CacheTypes { k: m.cache_type_k, v: m.cache_type_v }
}

/// The source that a MODEL argument means; fetches what is not there.
pub(crate) fn source(model: Option<&str>, synthetic: Option<&str>, out: &Output) -> Result<Source, CliError> {
    if let Some(s) = synthetic {
        return Ok(Source::Synthetic(s.into()));
    }
    let model = model.ok_or_else(|| CliError::Usage("give a MODEL or --synthetic SHAPE:DTYPE".into()))?;
    Ok(Source::Path(akunu_hub::resolve(model, &mut out.fetching())?))
}

/// Loads with a progress bar.
pub(crate) fn load(source: &Source, options: &LoadOptions, out: &Output) -> Result<Model, CliError> {
    let mut bar = out.loading();
    let model = Model::load(source, options, &mut |p| {
        // Nothing is half done that would have to be put in order.
        interrupt::leave_if_asked();
        bar(p);
    })?;
    drop(bar);
    if let Some(note) = model.device_note() {
        out.note(note);
    }
    Ok(model)
}

/// A session that drafts as the options say.
pub(crate) fn session(
    model: &Model,
    drafting: &Drafting,
    machine: &Machine,
    out: &Output,
) -> Result<Session, CliError> {
    let options = drafting.options();
    Ok(match &drafting.draft {
        None => model.session()?,
        Some(Drafter::Ngram) => model.drafting_session(&options)?,
        Some(Drafter::Model(name)) => {
            let source = source(Some(name), None, out)?;
            let context = Some(model.program().settings.context);
            let by = load(&source, &LoadOptions { context, ..load_options(machine, &source)? }, out)?;
            model.assisted_session(&by, &options)?
        }
    })
}

/// What makes the cache of one sequence smaller.
const SMALLER_CACHE: &str = "a shorter --ctx, or a smaller KV cache (-ctk q8_0 -ctv q8_0)";

/// A step has a row for each sequence that draws, and no more rows than its table.
pub(crate) fn batch_options(
    model: &Model,
    mut options: BatchOptions,
    out: &Output,
) -> Result<BatchOptions, CliError> {
    let program = model.batch_program(&options)?;
    let (asked, most) = (program.capacity().seqs, program.ladder().last().map_or(1, |rows| rows.0));
    if asked > most {
        if options.sequences.is_some() {
            out.notice(&format!(
                "--sequences {asked}: a step has at most {most} rows here; {most} are answered at a time"
            ));
        }
        options.sequences = Some(most);
    }
    let what = format!("a batch of {} sequences", asked.min(most));
    model.check_batch(&options).map_err(|e| memory(e, &what, "fewer --sequences"))?;
    Ok(options)
}

/// The template that the prompt is put into. Without one, and without --raw, the user is told what that means.
pub(crate) fn prompt_template<'a>(
    model: &'a Model,
    a: &Run,
    out: &Output,
) -> Result<Option<Template<'a>>, CliError> {
    if a.raw {
        return Ok(None);
    }
    let template = Template::of(model, a.chat_template.as_deref())?;
    if template.is_none() && a.system.is_some() {
        return Err(CliError::Usage(format!("--system has no place: {}", template::none())));
    }
    if template.is_none() {
        out.notice(&format!("{}; now the prompt is continued as it is", template::none()));
    }
    Ok(template)
}

/// What happens when a prompt and its answer fill the context: the prompt stays, or so many tokens of it. (It has no older turns.)
pub(crate) fn overflow(asked: Option<Overflow>, keep: u32, prompt: usize) -> akunu::Overflow {
    match asked {
        Some(Overflow::Shift) => akunu::Overflow::Shift { drop: Vec::new(), keep: keep.min(prompt as u32) },
        _ => akunu::Overflow::End,
    }
}

/// The engine's error of a batch that does not fit, in words of the command: what it was, and the option that makes it smaller.
pub(crate) fn memory(e: Error, what: &str, smaller: &str) -> CliError {
    let Error::Memory { needed, free, lower, .. } = e else { return e.into() };
    let remedy = match lower {
        Lower::Sequences | Lower::CacheTokens => format!("choose {smaller}, {SMALLER_CACHE}"),
        Lower::Context => format!("choose {SMALLER_CACHE}"),
    };
    CliError::Memory { what: what.to_owned(), needed, free, remedy }
}

/// Warns of a context beyond what the model was trained for.
pub(crate) fn check_context(model: &Model, out: &Output) {
    let (context, trained) = (model.program().settings.context, model.config().context);
    if context > trained {
        out.note(&format!(
            "a context of {context} tokens is longer than the {trained} that the model was trained for; what it \
             says beyond them may make no sense"
        ));
    }
}

/// Puts tokens into a session and runs all that its next draw will not run by itself, with a progress bar, so that
/// a long prompt can be interrupted. The rows are split as the engine splits them, so the text does not change.
pub(crate) fn prefill(
    session: &mut Session,
    tokens: &[Token],
    model: &Model,
    out: &Output,
) -> Result<Timing, CliError> {
    session.append(tokens)?;
    let pending = session.position() - session.kv_len();
    // The draw runs the last step's rows: they wait until the others have run.
    let tail = model.program().last_rows(pending);
    if tail == pending {
        return Ok(Timing::default());
    }
    let cut = session.position() + 1 - tail;
    let rest = session.tokens()[cut as usize..].to_vec();
    session.rewind(cut)?;
    let bar = out.steps("reading the prompt", u64::from(pending - tail));
    let ran = session.prefill(&mut |done, _| {
        bar.set_position(u64::from(done));
        if interrupt::asked() { Control::Stop } else { Control::Continue }
    });
    bar.finish_and_clear();
    session.append(&rest)?;
    Ok(ran?)
}

/// Rewinds a session to what it shares with these tokens, but for the last one; how many it has then.
pub(crate) fn keep_common(session: &mut Session, tokens: &[Token]) -> Result<usize, CliError> {
    let same = session.tokens().iter().zip(tokens).take_while(|(a, b)| a == b).count();
    session.rewind(same.min(tokens.len().saturating_sub(1)) as u32)?;
    Ok(session.position() as usize)
}

/// The draw's settings: the arguments, else the model's own.
pub(crate) fn sampling(model: &Model, a: &Sampling) -> Result<akunu::Sampling, CliError> {
    let own = model.sampling_defaults();
    let sampling = akunu::Sampling {
        temperature: a.temp.unwrap_or(own.temperature),
        top_k: a.top_k.unwrap_or(own.top_k),
        top_p: a.top_p.unwrap_or(own.top_p),
        min_p: a.min_p.unwrap_or(own.min_p),
        typical: a.typical.unwrap_or(own.typical),
        top_n_sigma: a.top_n_sigma.unwrap_or(own.top_n_sigma),
        xtc_probability: a.xtc_probability.unwrap_or(own.xtc_probability),
        xtc_threshold: a.xtc_threshold.unwrap_or(own.xtc_threshold),
        repeat_penalty: a.repeat_penalty.unwrap_or(own.repeat_penalty),
        repeat_last_n: a.repeat_last_n.unwrap_or(own.repeat_last_n),
        presence_penalty: a.presence_penalty.unwrap_or(own.presence_penalty),
        frequency_penalty: a.frequency_penalty.unwrap_or(own.frequency_penalty),
        dry_multiplier: a.dry_multiplier.unwrap_or(own.dry_multiplier),
        dry_base: a.dry_base.unwrap_or(own.dry_base),
        dry_allowed_length: a.dry_allowed_length.unwrap_or(own.dry_allowed_length),
        dry_penalty_last_n: a.dry_penalty_last_n.unwrap_or(own.dry_penalty_last_n),
        dry_breakers: breakers(model, a)?,
        mirostat: a.mirostat.unwrap_or(own.mirostat),
        mirostat_tau: a.mirostat_ent.unwrap_or(own.mirostat_tau),
        mirostat_eta: a.mirostat_lr.unwrap_or(own.mirostat_eta),
        logprobs: None,
        logit_bias: (!a.logit_bias.is_empty()).then(|| a.logit_bias.as_slice().into()),
        // The options of the form set it.
        grammar: None,
        order: a.samplers.unwrap_or(own.order),
        seed: match a.seed {
            Some(Seed::Fixed(seed)) => seed,
            Some(Seed::Random) | None => random_seed(),
        },
    };
    sampling.check()?;
    Ok(sampling)
}

/// What no repetition goes over; none where nobody looks for repetitions.
fn breakers(model: &Model, a: &Sampling) -> Result<Option<std::sync::Arc<[u32]>>, CliError> {
    if a.dry_multiplier.unwrap_or(0.0) == 0.0 {
        return Ok(None);
    }
    match a.dry_sequence_breaker.as_slice() {
        [] => Ok(Some(model.breakers(&["\n", ":", "\"", "*"])?)),
        [none] if none == "none" => Ok(None),
        given => Ok(Some(model.breakers(given)?)),
    }
}

/// A seed that differs from run to run; small enough for every JSON reader.
pub(crate) fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 16
}

/// `akunu completions`.
pub(crate) fn completions(shell: clap_complete::Shell, out: &Output) -> Result<u8, CliError> {
    let script = completion::script(shell);
    let script = String::from_utf8_lossy(&script);
    if out.is_json() {
        out.json(&json!({ "shell": shell.to_string(), "script": script }))?;
    } else {
        out.text(&script)?;
    }
    Ok(0)
}
