//! What a GGUF file that holds no model holds instead.

use super::file::GgufFile;
use super::shown;
use crate::ModelError;

/// What adds to a model's weights, as [`crate::safetensors`] knows it too.
pub(crate) const ADAPTER: &str = "a LoRA adapter, which changes the weights of a model and is none by itself";
/// What to do with one.
pub(crate) const MERGE: &str =
    "adapters do not run yet: merge it into its base model, and name the merged model";

/// Refuses a file that says that it is something else than a model.
pub(super) fn refuse_others(file: &GgufFile) -> Result<(), ModelError> {
    let text = |key: &str| file.get(key).and_then(|v| v.as_str());
    let adapter = || {
        let base = text("general.base_model.0.name");
        base.map_or(ADAPTER.to_owned(), |b| format!("{ADAPTER} (its base model is {})", shown(b.as_bytes())))
    };
    let lora = |name: &str| name.ends_with(".lora_a") || name.ends_with(".lora_b");
    let (found, remedy) = match (text("general.type"), text("general.architecture")) {
        (Some("adapter"), _) => (adapter(), MERGE),
        (Some("mmproj"), _) | (_, Some("clip")) => (
            "the part of a model that reads images or sound (mmproj), which comes beside the text model"
                .into(),
            "images and sound do not run yet; name the .gguf file of the text model",
        ),
        (Some("imatrix"), _) => {
            ("an importance matrix, which only quantizers read".into(), "name the .gguf file of a model")
        }
        _ if file.get("adapter.type").is_some() || file.tensors().iter().any(|t| lora(t.name())) => {
            (adapter(), MERGE)
        }
        _ => return Ok(()),
    };
    Err(ModelError::NoModel {
        path: file.path().into(),
        what: format!("this is {found}"),
        remedy: remedy.into(),
    })
}
