//! The files of sentence-transformers beside an encoder: which steps follow it, how long a text may be, what is put before it.

use super::directory::Directory;
use crate::ModelError;
use crate::config::{EncoderConfig, Letters, Normalize, Pooling};
use crate::json::{Fields, JsonFile};

const OTHER: &str = "use another model; this step does not run yet";
const MODES: [(&str, Pooling); 3] = [
    ("pooling_mode_mean_tokens", Pooling::Mean),
    ("pooling_mode_cls_token", Pooling::Cls),
    ("pooling_mode_lasttoken", Pooling::Last),
];
const OTHER_MODES: [&str; 3] =
    ["pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens"];
/// Whose names the configuration of the first step bears, in the order in which they are looked for; all but the first are old.
const TRANSFORMER_KINDS: [&str; 7] =
    ["bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"];
const MODULES: &str = "modules.json";
/// The longest list of steps that is read.
const MAX_MODULES: usize = 16;

/// Whether a directory says how texts become vectors.
pub(super) fn is_there(dir: &Directory) -> bool {
    dir.path().join(MODULES).is_file()
}

/// The configuration with what the directory says; unchanged where it has none of the files. What it names and we cannot run
/// is an error.
pub(super) fn read(dir: &Directory, mut c: EncoderConfig) -> Result<EncoderConfig, ModelError> {
    let transformer = transformer(dir)?;
    if let Some(n) = transformer.fields().uint("max_seq_length", u32::MAX.into())? {
        c.max_tokens = c.max_tokens.min(n.max(1) as u32);
    }
    if transformer.fields().bool("do_lower_case")? == Some(true) {
        c.letters = Letters::Lowered;
    }
    let prompts = dir.json("config_sentence_transformers.json")?;
    let fields = prompts.fields();
    if let Some(all) = fields.object("prompts")? {
        for name in all.names() {
            c.prompts.push((name.into(), all.str(name)?.unwrap_or("").into()));
        }
    }
    c.default_prompt = fields.str("default_prompt_name")?.map(Into::into);
    let path = dir.path().join(MODULES);
    let Some(modules) = crate::json::read_as::<Vec<serde_json::Value>>(&path, 1 << 20)? else { return Ok(c) };
    let bad = |found: String, wanted: &str| ModelError::BadField {
        path: path.clone(),
        field: "type".into(),
        found: crate::error::shown(found.as_bytes()),
        wanted: wanted.into(),
        remedy: OTHER,
    };
    if modules.len() > MAX_MODULES {
        return Err(bad(format!("a list of {}", modules.len()), "a list of at most 16 steps"));
    }
    for module in &modules {
        let text = |name: &str| module.get(name).and_then(|v| v.as_str()).unwrap_or("");
        match text("type").rsplit('.').next().unwrap_or("") {
            "Transformer" if text("path").is_empty() => {}
            "Pooling" => {
                let inside = !text("path").contains(['/', '\\']) && !text("path").starts_with('.');
                if !inside {
                    return Err(bad(text("path").into(), "a folder of the model"));
                }
                let file = dir.json(&format!("{}/config.json", text("path")))?;
                let fields = file.fields();
                c.pooling = pooling(&fields)?;
                let mean = c.pooling == Pooling::Mean && !c.prompts.is_empty();
                if mean && fields.bool("include_prompt")? == Some(false) {
                    return Err(fields.bad("include_prompt", "true: prompts are part of the mean", OTHER));
                }
            }
            "Normalize" => c.normalize = Normalize::L2,
            other => return Err(bad(other.into(), "Transformer, Pooling or Normalize")),
        }
    }
    Ok(c)
}

/// What is said of the first step, in the first of the files that is there.
fn transformer(dir: &Directory) -> Result<JsonFile, ModelError> {
    let named = TRANSFORMER_KINDS.iter().map(|kind| format!("sentence_{kind}_config.json"));
    let first = named.clone().find(|name| dir.path().join(name).is_file());
    dir.json(&first.unwrap_or_else(|| format!("sentence_{}_config.json", TRANSFORMER_KINDS[0])))
}

/// The one mode that is switched on.
fn pooling(f: &Fields<'_>) -> Result<Pooling, ModelError> {
    // Newer files name it; that comes before the switches.
    const NAMED: &str = "pooling_mode";
    if let Some(name) = f.str(NAMED)? {
        return match &*name.to_lowercase() {
            "mean" => Ok(Pooling::Mean),
            "cls" => Ok(Pooling::Cls),
            "lasttoken" => Ok(Pooling::Last),
            _ => Err(f.bad(NAMED, "mean, cls or lasttoken", OTHER)),
        };
    }
    for name in OTHER_MODES {
        if f.bool(name)? == Some(true) {
            return Err(f.bad(name, "false: mean, first and last token are there", OTHER));
        }
    }
    let mut on = Vec::new();
    for (name, pooling) in MODES {
        if f.bool(name)? == Some(true) {
            on.push(pooling);
        }
    }
    match on[..] {
        [one] => Ok(one),
        _ => Err(f.bad(MODES[0].0, "the only mode that is true, or another one alone", OTHER)),
    }
}
