//! JSON files beside a model (`config.json`, `tokenizer.json`, …), read whole within a bound, and their fields with
//! errors that name file and field.

use crate::ModelError;
use crate::disk::DiskFile;
use crate::error::shown;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

const DAMAGED: &str = "fetch the file again, or use a model that says so";

/// The bytes of a file; `None` where there is no such file.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, ModelError> {
    let disk = match DiskFile::open(path) {
        Err(ModelError::NotFound { .. }) => return Ok(None),
        other => other?,
    };
    if disk.size > limit {
        let field = "the file's length".into();
        return Err(ModelError::Limit { path: path.into(), field, found: disk.size, limit });
    }
    let mut bytes = vec![0; usize::try_from(disk.size).unwrap_or(0)];
    disk.read_at(0, &mut bytes, || "the file".into())?;
    Ok(Some(bytes))
}

/// A file that is a JSON text of type `T`.
pub(crate) fn read_as<T: DeserializeOwned>(path: &Path, limit: u64) -> Result<Option<T>, ModelError> {
    let Some(bytes) = read_bytes(path, limit)? else { return Ok(None) };
    match serde_json::from_slice(&bytes) {
        Ok(v) => Ok(Some(v)),
        Err(e) => {
            Err(ModelError::Json { path: path.into(), what: format!("not the JSON it should be ({e})") })
        }
    }
}

/// A JSON file that is an object.
#[derive(Debug)]
pub(crate) struct JsonFile {
    path: PathBuf,
    map: Map<String, Value>,
}

impl JsonFile {
    /// Reads a file; `None` where there is none.
    pub(crate) fn read(path: &Path, limit: u64) -> Result<Option<Self>, ModelError> {
        Ok(read_as(path, limit)?.map(|map| Self { path: path.into(), map }))
    }

    /// An empty object in the place of a file that may be missing.
    pub(crate) fn absent(path: &Path) -> Self {
        Self { path: path.into(), map: Map::new() }
    }

    /// The names of its fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }

    /// Its fields.
    pub(crate) fn fields(&self) -> Fields<'_> {
        Fields { path: &self.path, map: &self.map, prefix: String::new() }
    }
}

/// The fields of an object. A field that is null counts as missing.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    path: &'a Path,
    map: &'a Map<String, Value>,
    /// The path of the object within the file, with a dot at its end.
    prefix: String,
}

impl<'a> Fields<'a> {
    /// A field's value.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|v| !v.is_null())
    }

    /// Whether a field is there, be it null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// The names of all fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.map.keys().map(String::as_str)
    }

    /// An error of a field, with what was found there.
    pub(crate) fn bad(&self, name: &str, wanted: impl Into<String>, remedy: &'static str) -> ModelError {
        let found = self.get(name).map_or_else(|| "missing".into(), |v| shown(v.to_string().as_bytes()));
        let field = format!("{}{}", self.prefix, shown(name.as_bytes()));
        ModelError::BadField { path: self.path.into(), field, found, wanted: wanted.into(), remedy }
    }

    /// A whole number up to `max`.
    pub(crate) fn uint(&self, name: &str, max: u64) -> Result<Option<u64>, ModelError> {
        let Some(v) = self.get(name) else { return Ok(None) };
        // Some writers give whole numbers as 4096.0.
        let whole = |f: f64| (f >= 0.0 && f.fract() == 0.0 && f < 1e15).then_some(f as u64);
        match v.as_u64().or_else(|| v.as_f64().and_then(whole)).filter(|n| *n <= max) {
            Some(n) => Ok(Some(n)),
            None => Err(self.bad(name, format!("a whole number up to {max}"), DAMAGED)),
        }
    }

    /// A number above `low` and at most `high`, as f32 too: most become that, and there the smallest are 0.
    pub(crate) fn float(&self, name: &str, low: f64, high: f64) -> Result<Option<f64>, ModelError> {
        let Some(v) = self.get(name) else { return Ok(None) };
        match v.as_f64().filter(|f| *f > low && *f as f32 > low as f32 && *f <= high) {
            Some(f) => Ok(Some(f)),
            None => Err(self.bad(name, format!("a number above {low} and at most {high}"), DAMAGED)),
        }
    }

    /// True or false.
    pub(crate) fn bool(&self, name: &str) -> Result<Option<bool>, ModelError> {
        let Some(v) = self.get(name) else { return Ok(None) };
        v.as_bool().map(Some).ok_or_else(|| self.bad(name, "true or false", DAMAGED))
    }

    /// A text.
    pub(crate) fn str(&self, name: &str) -> Result<Option<&'a str>, ModelError> {
        let Some(v) = self.get(name) else { return Ok(None) };
        v.as_str().map(Some).ok_or_else(|| self.bad(name, "a text", DAMAGED))
    }

    /// A list.
    pub(crate) fn list(&self, name: &str) -> Result<Option<&'a [Value]>, ModelError> {
        let Some(v) = self.get(name) else { return Ok(None) };
        v.as_array().map(|v| Some(v.as_slice())).ok_or_else(|| self.bad(name, "a list", DAMAGED))
    }

    /// An object.
    pub(crate) fn object(&self, name: &str) -> Result<Option<Fields<'a>>, ModelError> {
        let Some(v) = self.get(name) else { return Ok(None) };
        match v.as_object() {
            Some(map) => {
                let prefix = format!("{}{}.", self.prefix, shown(name.as_bytes()));
                Ok(Some(Fields { path: self.path, map, prefix }))
            }
            None => Err(self.bad(name, "an object", DAMAGED)),
        }
    }
}
