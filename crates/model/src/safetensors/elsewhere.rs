//! What a directory holds that holds no model of safetensors files.

use super::CONFIG_LIMIT;
use crate::ModelError;
use crate::error::shown;
use crate::gguf::kind::{ADAPTER, MERGE};
use crate::gguf::split::is_later_part;
use crate::json::JsonFile;
use std::path::Path;

/// Files of a LoRA adapter, as peft and mlx-lm call them.
static ADAPTERS: &[&str] =
    &["adapter_model.safetensors", "adapter_model.bin", "adapters.safetensors", "adapter_config.json"];
/// Files of a directory that a message lists.
const LISTED: usize = 12;

/// Whether a file of that name belongs to an adapter.
pub(super) fn is_adapter(name: &str) -> bool {
    ADAPTERS.contains(&name)
}

/// Whether a directory has an adapter in it.
pub(super) fn has_adapter(dir: &Path) -> bool {
    ADAPTERS.iter().any(|name| dir.join(name).exists())
}

/// That a directory holds an adapter, with the base model's name where its configuration says one.
pub(super) fn adapter(dir: &Path) -> ModelError {
    // What cannot be read has no name; the message is about something else.
    let config = JsonFile::read(&dir.join("adapter_config.json"), CONFIG_LIMIT).ok().flatten();
    let base = config.as_ref().and_then(|c| c.fields().str("base_model_name_or_path").ok().flatten());
    let base = base.map_or(String::new(), |b| format!(" (its base model is {})", shown(b.as_bytes())));
    ModelError::NoModel { path: dir.into(), what: format!("this is {ADAPTER}{base}"), remedy: MERGE.into() }
}

/// That a directory holds GGUF files, with their names; `None` where it has none.
pub(super) fn gguf_files(dir: &Path) -> Option<ModelError> {
    let entries = std::fs::read_dir(dir).ok()?.flatten().map(|e| e.path());
    let is_gguf = |p: &Path| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf"));
    // Any part opens a split model, so one stands for all.
    let mut files: Vec<_> = entries.filter(|p| is_gguf(p) && !is_later_part(p)).collect();
    files.sort();
    let is_beside = |p: &Path| p.file_name().is_some_and(|n| n.to_string_lossy().contains("mmproj"));
    let named = files.iter().find(|p| !is_beside(p)).or(files.first())?;
    let name = |p: &Path| shown(p.file_name().unwrap_or_default().as_encoded_bytes());
    let mut what: Vec<String> = files.iter().take(LISTED).map(|p| name(p)).collect();
    if files.len() > LISTED {
        what.push(format!("and {} more", files.len() - LISTED));
    }
    let what = match what.as_slice() {
        [one] => format!("this directory holds a GGUF file, {one}"),
        many => format!("this directory holds GGUF files: {}", many.join(", ")),
    };
    let remedy = format!("name the file: `akunu run {}`", named.display());
    Some(ModelError::NoModel { path: dir.into(), what, remedy })
}
