//! A model's configuration as its family reads it: fields with the family's defaults.

use super::directory::Directory;
use super::families::{self, FAMILIES};
use super::family::{Default as Left, Family, WRAPPERS};
use crate::ModelError;
use crate::json::Fields;
use akunu_kernels::step::Token;

pub(super) const COMPLETE: &str = "fetch config.json again";
pub(super) const OTHER: &str = "use another model; this part of the architecture does not run yet";
pub(super) const GENERATION: &str = "generation_config.json";

/// The fields and the family of the text model, which may be a part of the whole.
pub(super) fn text_model<'a>(root: &Fields<'a>) -> Result<(Fields<'a>, &'static Family), ModelError> {
    const TYPE: &str = "model_type";
    let outer = root.str(TYPE)?.unwrap_or("");
    let (fields, name) = match (WRAPPERS.iter().find(|w| w.0 == outer), root.object("text_config")?) {
        (Some((_, inner)), Some(text)) => {
            let name = text.str(TYPE)?.unwrap_or(inner);
            (text, name)
        }
        (Some((_, inner)), None) => (root.clone(), *inner),
        (None, _) => (root.clone(), outer),
    };
    match families::find(name) {
        Some(f) => Ok((fields, f)),
        None => {
            let all: Vec<&str> = FAMILIES.iter().flat_map(|f| f.model_types).copied().collect();
            Err(fields.bad(TYPE, format!("one of {}", all.join(", ")), "use a model of one of these types"))
        }
    }
}

/// A configuration seen with its family's defaults.
pub(super) struct Keys<'a> {
    pub(super) fields: Fields<'a>,
    /// The outermost object.
    pub(super) root: Fields<'a>,
    pub(super) family: &'static Family,
}

impl Keys<'_> {
    pub(super) fn missing(&self, name: &str) -> ModelError {
        self.fields.bad(name, "there", COMPLETE)
    }

    fn default_of(&self, name: &str) -> Option<Left> {
        self.family.defaults.iter().find(|d| d.0 == name).map(|d| d.1)
    }

    /// A number above `low`, or the family's default. An explicit null means none.
    pub(super) fn number(&self, name: &str, low: f64, high: f64) -> Result<Option<f64>, ModelError> {
        if let Some(v) = self.fields.float(name, low, high)? {
            return Ok(Some(v));
        }
        match self.default_of(name) {
            Some(Left::Number(v)) if !self.fields.has(name) => Ok(Some(v)),
            _ => Ok(None),
        }
    }

    /// A whole number up to `max`, or the family's default.
    pub(super) fn whole(&self, name: &str, max: u64) -> Result<Option<u32>, ModelError> {
        let n = match self.fields.uint(name, max)? {
            Some(n) => Some(n),
            None => match self.default_of(name) {
                Some(Left::Number(v)) if !self.fields.has(name) => Some(v as u64),
                _ => None,
            },
        };
        Ok(n.and_then(|n| u32::try_from(n).ok()))
    }

    /// A count from 1 to `max` that must be there.
    pub(super) fn count(&self, name: &str, max: u64) -> Result<u32, ModelError> {
        match self.whole(name, max)? {
            Some(0) => Err(self.fields.bad(name, format!("from 1 to {max}"), COMPLETE)),
            Some(n) => Ok(n),
            None => Err(self.missing(name)),
        }
    }

    /// A switch of the text model or, where that is silent, of the whole.
    pub(super) fn switch(&self, name: &str) -> Result<Option<bool>, ModelError> {
        let set = match self.fields.bool(name)? {
            Some(b) => Some(b),
            None => self.root.bool(name)?,
        };
        Ok(set.or(match self.default_of(name) {
            Some(Left::Switch(b)) => Some(b),
            _ => None,
        }))
    }
}

impl Directory {
    /// Ids that end a sequence, as `config.json` and `generation_config.json` list them.
    pub(crate) fn end_ids(&self) -> Result<Vec<Token>, ModelError> {
        const FIELD: &str = "eos_token_id";
        let root = self.config().fields();
        let text = text_model(&root).map_or_else(|_| root.clone(), |t| t.0);
        let generation = self.json(GENERATION)?;
        let mut ids = Vec::new();
        for fields in [generation.fields(), text, root] {
            let Some(v) = fields.get(FIELD) else { continue };
            let one = std::slice::from_ref(v);
            for id in v.as_array().map_or(one, Vec::as_slice) {
                let id = id.as_u64().and_then(|id| u32::try_from(id).ok()).map(Token);
                ids.push(id.ok_or_else(|| fields.bad(FIELD, "a token's id, or a list of them", COMPLETE))?);
            }
        }
        ids.sort_unstable();
        ids.dedup();
        Ok(ids)
    }
}
