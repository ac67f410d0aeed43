//! Every parameter of every interface, in one table: what is taken, what is refused, and which values of what is not there yet
//! mean nothing and are taken too. A parameter that is in no line is refused by its name; nothing is ever ignored.
//!
//! A newly supported parameter is one line: its rule becomes one that sets something in [`Ask`].

pub(crate) use crate::ask::{Ask, Encoding, On, SpeechFormat, flag, whole};

use crate::ask::number;
use crate::error::{ApiError, shown};
use crate::format::{self, Format};
use crate::keep_alive::KeepAlive;
use crate::{samplers, thinking, types};
use akunu::grammar::GrammarSource;
use akunu::transcribe::Cut;
use akunu::{Eos, MAX_LOGPROBS, Overlong};
use serde_json::{Map, Value};

/// The most answers to one request.
pub(crate) const CHOICES: i64 = 16;
/// The most stop strings, and bytes of one.
const STOPS: usize = 16;
const STOP_BYTES: usize = 1024;

/// OpenAI's two older interfaces.
const OPENAI: On = On::CHAT.or(On::COMPLETIONS);
const ANTHROPIC: On = On::MESSAGES.or(On::COUNT);
/// llama.cpp's own.
const LLAMA: On = On::LLAMA.or(On::INFILL);
const OLLAMA: On = On::OLLAMA_CHAT.or(On::OLLAMA_GENERATE);
/// Where tokens are drawn, and parameters have llama.cpp's names.
const FREE: On = OPENAI.or(LLAMA).or(On::OLLAMA_OPTIONS);
/// Where tokens are drawn.
const DRAWN: On = FREE.or(On::RESPONSES).or(On::MESSAGES);

/// Reads a value of a parameter of this name.
type Read = fn(&mut Ask, &str, &Value) -> Result<(), ApiError>;

/// What is done with a parameter.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// A number in a range.
    Number(f64, f64, fn(&mut Ask, f64)),
    /// A whole number in a range.
    Whole(i64, i64, fn(&mut Ask, i64)),
    Flag(fn(&mut Ask, bool)),
    /// A text, or a list of them.
    Texts(fn(&mut Ask, Vec<String>)),
    /// What the answer must follow; at most one of these.
    Form(fn(&str, &Value) -> Result<Option<GrammarSource>, ApiError>),
    /// A value of a form of its own.
    Read(Read),
    /// An object with parameters of its own.
    Inner(On),
    /// Its route reads it.
    Route,
    /// A remark that no answer depends on.
    Label,
    /// Not there yet. Values that ask for nothing are taken.
    Only(fn(&Value) -> bool, &'static str),
}

/// A parameter.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) on: On,
    pub(crate) rule: Rule,
}

const fn p(name: &'static str, on: On, rule: Rule) -> Parameter {
    Parameter { name, on, rule }
}

/// What OpenAI's responses call log-probabilities.
const LOGPROBS: &str = "message.output_text.logprobs";
const FUNCTIONS: &str = "it has become `tools` and `tool_choice`";
const FORMAT: &str = "it belongs beside `options`, as `format`";
const MEDIA: &str = "models read and write text only so far";
const PAUSES: &str = "pauses are found by how loud the audio is around them";
const STATELESS: &str = "nothing is kept between requests here; send the whole conversation";

/// Every parameter. `null` counts as not given everywhere.
#[rustfmt::skip]
pub(crate) static PARAMETERS: &[Parameter] = &[
    // What is read where the prompt is made.
    p("model", On::ALL, Rule::Route),
    p("messages", On::CHAT.or(On::TEMPLATE).or(ANTHROPIC).or(On::OLLAMA_CHAT), Rule::Route),
    p("system", ANTHROPIC.or(On::OLLAMA_GENERATE), Rule::Route),
    p("input", On::RESPONSES.or(On::EMBEDDINGS).or(On::OLLAMA_EMBED), Rule::Route),
    p("encoding_format", On::EMBEDDINGS, Rule::Read(|a, name, v| encoding(name, v).map(|e| a.encoding = e))),
    p("dimensions", On::EMBEDDINGS.or(On::OLLAMA_EMBED), Rule::Whole(1, 1 << 24, |a, v| a.dimensions = Some(v as u32))),
    p("truncate", On::EMBEDDINGS.or(On::OLLAMA_EMBED).or(On::RERANK), Rule::Flag(|a, v| a.overlong = Some(if v { Overlong::Truncate } else { Overlong::Refuse }))),
    p("query", On::RERANK, Rule::Route),
    p("documents", On::RERANK, Rule::Route),
    p("top_n", On::RERANK, Rule::Whole(1, u32::MAX as i64, |a, v| a.top_n = Some(v as u32))),
    p("return_documents", On::RERANK, Rule::Flag(|a, v| a.documents = v)),
    p("file", On::AUDIO, Rule::Route),
    p("language", On::TRANSCRIPTIONS, Rule::Route),
    p("prompt", On::AUDIO, Rule::Route),
    p("temperature", On::AUDIO, Rule::Number(0.0, 1.0, |a, v| a.speech.temperature = Some(v as f32))),
    p("response_format", On::AUDIO, Rule::Read(|a, name, v| speech_format(name, v).map(|f| a.speech.format = f))),
    p("timestamp_granularities", On::TRANSCRIPTIONS, Rule::Read(granularities)),
    p("stream", On::TRANSCRIPTIONS, Rule::Only(is_false, "a transcript is sent whole")),
    p("chunking_strategy", On::AUDIO, Rule::Read(chunking)),
    p("type", On::CHUNKING, Rule::Read(detector)),
    p("threshold", On::CHUNKING, Rule::Only(|_| false, PAUSES)),
    p("silence_duration_ms", On::CHUNKING, Rule::Only(|_| false, PAUSES)),
    p("prefix_padding_ms", On::CHUNKING, Rule::Only(|_| false, PAUSES)),
    p("include", On::TRANSCRIPTIONS, Rule::Only(is_empty, "`verbose_json` has each segment's log-probability")),
    p("instructions", On::RESPONSES, Rule::Route),
    p("prompt", On::COMPLETIONS.or(On::TOKENIZE).or(LLAMA).or(On::OLLAMA_GENERATE).or(On::OLLAMA_EMBEDDINGS), Rule::Route),
    p("suffix", On::COMPLETIONS.or(On::OLLAMA_GENERATE), Rule::Route),
    p("input_prefix", On::INFILL, Rule::Route),
    p("input_suffix", On::INFILL, Rule::Route),
    p("input_extra", On::INFILL, Rule::Route),
    p("raw", On::OLLAMA_GENERATE, Rule::Route),
    p("options", OLLAMA, Rule::Inner(On::OLLAMA_OPTIONS)),
    p("options", On::OLLAMA_EMBED.or(On::OLLAMA_EMBEDDINGS), Rule::Inner(On::OLLAMA_EMBED_OPTIONS)),
    p("num_ctx", On::OLLAMA_OPTIONS.or(On::OLLAMA_EMBED_OPTIONS), Rule::Route),
    p("verbose", On::OLLAMA_SHOW, Rule::Only(is_false, "there is no more to show")),
    p("content", On::TOKENIZE, Rule::Route),
    p("add_special", On::TOKENIZE, Rule::Route),
    p("add_special_tokens", On::TOKENIZE, Rule::Route),
    p("parse_special", On::TOKENIZE, Rule::Route),
    p("with_pieces", On::TOKENIZE, Rule::Route),
    p("tokens", On::DETOKENIZE, Rule::Route),
    p("add_generation_prompt", On::TEMPLATE, Rule::Route),
    // How tokens are drawn.
    p("temperature", DRAWN, Rule::Number(0.0, 100.0, |a, v| a.sampling.temperature = v as f32)),
    p("min_p", FREE, Rule::Number(0.0, 1.0, |a, v| a.sampling.min_p = v as f32)),
    p("seed", FREE, Rule::Whole(-1, i64::MAX, |a, v| a.seed = u64::try_from(v).ok())),
    p("top_p", DRAWN, Rule::Number(0.0, 1.0, |a, v| a.sampling.top_p = v as f32)),
    p("top_k", FREE.or(On::MESSAGES), Rule::Whole(-1, u32::MAX as i64, |a, v| a.sampling.top_k = u32::try_from(v).unwrap_or(0))),
    p("typical_p", FREE, Rule::Number(0.0, 1.0, |a, v| a.sampling.typical = v as f32)),
    p("presence_penalty", FREE, Rule::Number(-2.0, 2.0, |a, v| a.sampling.presence_penalty = v as f32)),
    p("frequency_penalty", FREE, Rule::Number(-2.0, 2.0, |a, v| a.sampling.frequency_penalty = v as f32)),
    p("repetition_penalty", OPENAI, Rule::Number(0.01, 100.0, |a, v| a.sampling.repeat_penalty = v as f32)),
    p("repeat_penalty", LLAMA.or(On::OLLAMA_OPTIONS), Rule::Number(0.01, 100.0, |a, v| a.sampling.repeat_penalty = v as f32)),
    p("repeat_last_n", LLAMA.or(On::OLLAMA_OPTIONS), Rule::Whole(-1, 4096, |a, v| a.sampling.repeat_last_n = v as i32)),
    p("top_n_sigma", FREE, Rule::Number(-1.0, 1000.0, |a, v| a.sampling.top_n_sigma = v as f32)),
    p("xtc_probability", FREE, Rule::Number(0.0, 1.0, |a, v| a.sampling.xtc_probability = v as f32)),
    p("xtc_threshold", FREE, Rule::Number(0.0, 1.0, |a, v| a.sampling.xtc_threshold = v as f32)),
    p("dry_multiplier", FREE, Rule::Number(0.0, 1000.0, |a, v| a.sampling.dry_multiplier = v as f32)),
    p("dry_base", FREE, Rule::Number(1.0, 1000.0, |a, v| a.sampling.dry_base = v as f32)),
    p("dry_allowed_length", FREE, Rule::Whole(0, 4096, |a, v| a.sampling.dry_allowed_length = v as u32)),
    p("dry_penalty_last_n", FREE, Rule::Whole(-1, 4096, |a, v| a.sampling.dry_penalty_last_n = v as i32)),
    p("dry_sequence_breakers", FREE, Rule::Read(samplers::breakers)),
    p("mirostat", FREE, Rule::Read(samplers::mirostat)),
    p("mirostat_tau", FREE, Rule::Number(0.001, 1000.0, |a, v| a.sampling.mirostat_tau = v as f32)),
    p("mirostat_eta", FREE, Rule::Number(0.001, 1000.0, |a, v| a.sampling.mirostat_eta = v as f32)),
    p("samplers", FREE, Rule::Read(samplers::order)),
    p("logit_bias", OPENAI, Rule::Read(samplers::openai_biases)),
    p("logit_bias", LLAMA, Rule::Read(samplers::llama_biases)),
    // Where an answer ends.
    p("max_tokens", OPENAI.or(On::MESSAGES), Rule::Whole(1, u32::MAX as i64, |a, v| a.max_tokens = Some(v as u32))),
    p("max_completion_tokens", On::CHAT, Rule::Whole(1, u32::MAX as i64, |a, v| a.max_tokens = Some(v as u32))),
    p("max_output_tokens", On::RESPONSES, Rule::Whole(1, u32::MAX as i64, |a, v| a.max_tokens = Some(v as u32))),
    p("n_predict", LLAMA, Rule::Whole(-1, u32::MAX as i64, |a, v| a.max_tokens = u32::try_from(v).ok())),
    p("num_predict", On::OLLAMA_OPTIONS, Rule::Whole(-2, u32::MAX as i64, |a, v| a.max_tokens = u32::try_from(v).ok())),
    p("stop", FREE, Rule::Texts(|a, v| a.stop = v)),
    p("stop_sequences", On::MESSAGES, Rule::Texts(|a, v| a.stop = v)),
    p("ignore_eos", OPENAI.or(LLAMA), Rule::Flag(|a, v| a.eos = if v { Eos::Ignore } else { Eos::Stop })),
    // What comes back.
    p("n", OPENAI, Rule::Whole(1, CHOICES, |a, v| a.n = v as u32)),
    p("stream", OPENAI.or(OLLAMA).or(On::RESPONSES).or(On::MESSAGES).or(LLAMA), Rule::Flag(|a, v| a.stream = v)),
    p("stream_options", OPENAI, Rule::Inner(On::STREAM_OPTIONS)),
    p("include_usage", On::STREAM_OPTIONS, Rule::Flag(|a, v| a.include_usage = v)),
    p("include_obfuscation", On::STREAM_OPTIONS, Rule::Only(is_false, "lengths of chunks are not hidden here")),
    p("echo", On::COMPLETIONS, Rule::Flag(|a, v| a.echo = v)),
    p("best_of", On::COMPLETIONS, Rule::Only(is_one, "answers are not compared; ask for `n` of them")),
    p("logprobs", On::CHAT.or(OLLAMA), Rule::Flag(|a, v| a.logprobs = v)),
    p("top_logprobs", On::CHAT.or(OLLAMA).or(On::RESPONSES), Rule::Whole(0, MAX_LOGPROBS as i64, |a, v| a.top_logprobs = v as u32)),
    p("include", On::RESPONSES, Rule::Read(include)),
    p("logprobs", On::COMPLETIONS, Rule::Whole(0, MAX_LOGPROBS as i64, |a, v| a.sampling.logprobs = Some(v as u32))),
    p("n_probs", LLAMA, Rule::Whole(0, MAX_LOGPROBS as i64, |a, v| a.sampling.logprobs = u32::try_from(v).ok().filter(|n| *n > 0))),
    p("post_sampling_probs", LLAMA, Rule::Only(is_false, "probabilities are the model's own, before any sampler")),
    p("return_tokens", LLAMA, Rule::Flag(|a, v| a.returns_tokens = v)),
    // What the answer is bound to.
    p("response_format", On::CHAT, Rule::Form(format::response_format)),
    p("text", On::RESPONSES, Rule::Form(format::text)),
    p("format", OLLAMA, Rule::Form(format::ollama)),
    p("grammar", OPENAI.or(LLAMA), Rule::Form(format::gbnf)),
    p("grammar", On::OLLAMA_OPTIONS, Rule::Only(|v| is_one_of(v, &[""]), FORMAT)),
    p("json_schema", LLAMA, Rule::Form(format::schema)),
    p("tools", On::CHAT.or(On::TEMPLATE).or(On::RESPONSES).or(ANTHROPIC).or(On::OLLAMA_CHAT), Rule::Route),
    p("tool_choice", On::CHAT.or(On::RESPONSES).or(ANTHROPIC), Rule::Route),
    p("parallel_tool_calls", On::CHAT.or(On::RESPONSES), Rule::Route),
    p("functions", On::CHAT, Rule::Only(is_empty, FUNCTIONS)),
    p("function_call", On::CHAT, Rule::Only(|v| is_one_of(v, &["none", "auto"]), FUNCTIONS)),
    p("thinking", ANTHROPIC, Rule::Read(thinking::anthropic)),
    p("think", OLLAMA, Rule::Read(thinking::ollama)),
    p("reasoning", On::RESPONSES, Rule::Read(thinking::reasoning)),
    p("reasoning_effort", On::CHAT, Rule::Read(thinking::effort)),
    p("thinking_token_budget", On::CHAT, Rule::Read(thinking::budget)),
    p("chat_template_kwargs", On::CHAT.or(On::TEMPLATE), Rule::Only(is_empty, "templates take no arguments yet")),
    p("template", On::OLLAMA_GENERATE, Rule::Only(|v| is_one_of(v, &[""]), "the model's own template is used; send a raw prompt")),
    p("modalities", On::CHAT, Rule::Only(is_text_list, MEDIA)),
    p("audio", On::CHAT, Rule::Only(|_| false, MEDIA)),
    p("images", On::OLLAMA_GENERATE, Rule::Only(is_empty, MEDIA)),
    p("store", On::CHAT.or(On::RESPONSES), Rule::Only(is_false, STATELESS)),
    p("previous_response_id", On::RESPONSES, Rule::Only(|_| false, STATELESS)),
    p("conversation", On::RESPONSES, Rule::Only(|_| false, STATELESS)),
    p("context", On::OLLAMA_GENERATE, Rule::Only(is_empty, STATELESS)),
    p("background", On::RESPONSES, Rule::Only(is_false, STATELESS)),
    p("truncation", On::RESPONSES, Rule::Only(|v| is_one_of(v, &["disabled"]), "nothing is cut silently")),
    p("service_tier", On::CHAT.or(On::RESPONSES).or(On::MESSAGES), Rule::Only(|v| is_one_of(v, &["auto", "default", "standard_only"]), "there is one tier here")),
    p("verbosity", On::CHAT, Rule::Only(|v| is_one_of(v, &["medium"]), "ask for it in the prompt")),
    p("keep_alive", OLLAMA.or(On::OLLAMA_EMBED).or(On::OLLAMA_EMBEDDINGS), Rule::Read(|a, name, v| KeepAlive::read(name, v).map(|k| a.keep_alive = Some(k)))),
    p("cache_prompt", LLAMA, Rule::Only(|v| v == true, "prompts are always cached")),
    p("id_slot", LLAMA, Rule::Only(|v| v == -1, "places are not chosen by clients")),
    // Who asks, and what for.
    p("user", OPENAI.or(On::RESPONSES).or(On::EMBEDDINGS).or(On::RERANK), Rule::Label),
    p("metadata", On::CHAT.or(On::RESPONSES).or(On::MESSAGES), Rule::Label),
    p("safety_identifier", On::CHAT.or(On::RESPONSES), Rule::Label),
    p("prompt_cache_key", On::CHAT.or(On::RESPONSES), Rule::Label),
];

fn is_one(v: &Value) -> bool {
    v.as_f64() == Some(1.0)
}

fn is_false(v: &Value) -> bool {
    v == &Value::Bool(false)
}

fn is_empty(v: &Value) -> bool {
    v.as_object().is_some_and(Map::is_empty) || v.as_array().is_some_and(Vec::is_empty)
}

fn is_one_of(v: &Value, words: &[&str]) -> bool {
    v.as_str().is_some_and(|v| words.contains(&v))
}

fn is_text_list(v: &Value) -> bool {
    v.as_array().is_some_and(|l| l.iter().all(|v| v == "text"))
}

/// Applies an object's parameters in the order in which they stand there.
pub(crate) fn apply(map: &Map<String, Value>, on: On, ask: &mut Ask) -> Result<(), ApiError> {
    apply_in(map, on, "", ask)?;
    ask.settle(on)
}

fn apply_in(map: &Map<String, Value>, on: On, path: &str, ask: &mut Ask) -> Result<(), ApiError> {
    for (name, value) in map {
        let full = format!("{path}{}", shown(name));
        let found = PARAMETERS.iter().find(|p| p.name == name && p.on.has(on));
        let Some(found) = found else {
            let message = format!("`{full}` is no parameter of this route; leave it out");
            return Err(ApiError::bad("unknown_parameter", message).about(&full));
        };
        if !value.is_null() {
            if matches!(found.rule, Rule::Route) {
                types::check(name, on, &full, value)?;
            }
            found.rule.apply(&full, value, ask)?;
        }
    }
    Ok(())
}

impl Rule {
    fn apply(self, name: &str, v: &Value, ask: &mut Ask) -> Result<(), ApiError> {
        match self {
            Self::Number(low, high, set) => set(ask, number(name, v, low, high)?),
            Self::Whole(low, high, set) => set(ask, whole(name, v, low, high)?),
            Self::Flag(set) => set(ask, flag(name, v)?),
            Self::Texts(set) => set(ask, stops(name, v)?),
            Self::Form(read) => {
                if let Some(source) = read(name, v)? {
                    if let Some(other) = &ask.format {
                        let message =
                            format!("an answer follows one of `{}` and `{name}`; leave one out", other.param);
                        return Err(ApiError::value(name, message));
                    }
                    ask.format = Some(Format { param: name.into(), source });
                }
            }
            Self::Inner(on) => {
                let map = v.as_object().ok_or_else(|| ApiError::type_of(name, "an object", v))?;
                apply_in(map, on, &format!("{name}."), ask)?;
            }
            Self::Read(read) => read(ask, name, v)?,
            Self::Route | Self::Label => {}
            Self::Only(neutral, _) if neutral(v) => {}
            Self::Only(_, why) => {
                let message = format!("`{name}` is not supported: {why}; leave it out");
                return Err(ApiError::bad("unsupported_parameter", message).about(name));
            }
        }
        Ok(())
    }
}

/// How vectors are written.
fn encoding(name: &str, v: &Value) -> Result<Encoding, ApiError> {
    match v.as_str() {
        Some("float") => Ok(Encoding::Float),
        Some("base64") => Ok(Encoding::Base64),
        _ => Err(ApiError::value(name, format!("`{name}` is `float` or `base64`"))),
    }
}

/// How a transcript is written.
fn speech_format(name: &str, v: &Value) -> Result<SpeechFormat, ApiError> {
    match v.as_str() {
        Some("json") => Ok(SpeechFormat::Json),
        Some("text") => Ok(SpeechFormat::Text),
        Some("srt") => Ok(SpeechFormat::Srt),
        Some("verbose_json") => Ok(SpeechFormat::Verbose),
        Some("vtt") => Ok(SpeechFormat::Vtt),
        _ => {
            Err(ApiError::value(name, format!("`{name}` is `json`, `text`, `srt`, `verbose_json` or `vtt`")))
        }
    }
}

/// Of what a transcript has times.
fn granularities(ask: &mut Ask, name: &str, v: &Value) -> Result<(), ApiError> {
    let all = v.as_array().ok_or_else(|| ApiError::type_of(name, "a list of strings", v))?;
    for v in all {
        match v.as_str() {
            Some("segment") => ask.speech.times = true,
            Some("word") => ask.speech.words = true,
            _ => return Err(ApiError::value(name, format!("`{name}` has `segment` or `word`"))),
        }
    }
    Ok(())
}

/// How a recording is cut. OpenAI's `auto` finds pauses by itself, and `server_vad` says how; both are the same here.
fn chunking(ask: &mut Ask, name: &str, v: &Value) -> Result<(), ApiError> {
    match v {
        Value::String(how) if how == "auto" => {}
        Value::String(how) => {
            let message = format!(
                "`{name}` is `{}`; choose `auto` or {{\"type\": \"server_vad\"}}, or leave it out",
                shown(how)
            );
            return Err(ApiError::value(name, message));
        }
        Value::Object(map) => {
            if map.get("type").is_none_or(Value::is_null) {
                return Err(ApiError::missing(&format!("{name}.type")));
            }
            apply_in(map, On::CHUNKING, &format!("{name}."), ask)?;
        }
        _ => return Err(ApiError::type_of(name, "a string or an object", v)),
    }
    ask.speech.cut = Cut::AtPauses;
    Ok(())
}

/// What finds pauses.
fn detector(_: &mut Ask, name: &str, v: &Value) -> Result<(), ApiError> {
    match v.as_str().ok_or_else(|| ApiError::type_of(name, "a string", v))? {
        "server_vad" => Ok(()),
        other => {
            let message = format!("`{name}` is `{}`; here it can only be `server_vad`", shown(other));
            Err(ApiError::value(name, message))
        }
    }
}

/// What OpenAI's responses are to have beside their text.
fn include(ask: &mut Ask, name: &str, v: &Value) -> Result<(), ApiError> {
    let all = v.as_array().ok_or_else(|| ApiError::type_of(name, "a list of strings", v))?;
    for (i, v) in all.iter().enumerate() {
        let at = format!("{name}[{i}]");
        match v.as_str().ok_or_else(|| ApiError::type_of(&at, "a string", v))? {
            LOGPROBS => ask.logprobs = true,
            other => {
                let message =
                    format!("`{at}` is `{}`; here it can only be `{LOGPROBS}`; leave it out", shown(other));
                return Err(ApiError::bad("unsupported_parameter", message).about(&at));
            }
        }
    }
    Ok(())
}

/// A string or a list of strings that end an answer.
fn stops(name: &str, v: &Value) -> Result<Vec<String>, ApiError> {
    let all = match v {
        Value::String(_) => std::slice::from_ref(v),
        Value::Array(all) => all,
        _ => return Err(ApiError::type_of(name, "a string or a list of strings", v)),
    };
    if all.len() > STOPS {
        return Err(ApiError::value(
            name,
            format!("`{name}` has {} strings; give at most {STOPS}", all.len()),
        ));
    }
    let one = |v: &Value| {
        let s = v.as_str().ok_or_else(|| ApiError::type_of(name, "a string or a list of strings", v))?;
        if s.is_empty() || s.len() > STOP_BYTES {
            let message = format!("a string of `{name}` has {} bytes; give 1 to {STOP_BYTES}", s.len());
            return Err(ApiError::value(name, message));
        }
        Ok(s.to_owned())
    };
    all.iter().map(one).collect()
}

#[cfg(test)]
mod tests;
