//! Names and agreement of the parts of a split model: `name-00001-of-00003.gguf`.

use super::part::Part;
use super::value::Value;
use crate::ModelError;
use std::path::{Path, PathBuf};

/// Parts at most: every part stays open, and systems limit open files.
const MAX_PARTS: u64 = 512;
const REMEDY: &str = "fetch all parts of the model again";

/// Opens the other parts of the model that `opened` belongs to. In order; just `opened` if it is not split.
pub(super) fn open_all(opened: Part) -> Result<Vec<Part>, ModelError> {
    let count = number(&opened, "split.count")?.unwrap_or(1);
    if count <= 1 {
        return Ok(vec![opened]);
    }
    if count > MAX_PARTS {
        return Err(bad(&opened, "split.count", count.to_string(), format!("at most {MAX_PARTS}")));
    }
    let path = opened.disk.path.clone();
    let Some(name) = PartName::parse(&path).filter(|n| u64::from(n.count) == count) else {
        return Err(ModelError::Split {
            found: "this file's name".into(),
            wanted: format!("a name that ends -00001-of-{count:05}.gguf, because split.count is {count}"),
            path,
        });
    };
    let mut opened = Some(opened);
    let mut parts = Vec::new();
    for index in 0..name.count {
        let part = match opened.take_if(|_| index + 1 == name.number) {
            Some(p) => p,
            None => open_part(&name, index)?,
        };
        check_part(&part, index, count)?;
        parts.push(part);
    }
    check_tensor_count(&parts)?;
    Ok(parts)
}

/// Whether a path is that of a part of a split model, but not of the first.
pub(crate) fn is_later_part(path: &Path) -> bool {
    PartName::parse(path).is_some_and(|n| n.number > 1)
}

fn open_part(name: &PartName<'_>, index: u32) -> Result<Part, ModelError> {
    Part::open(&name.path(index)).map_err(|e| match e {
        ModelError::NotFound { path } => ModelError::MissingPart { path, part: index + 1, count: name.count },
        other => other,
    })
}

fn check_part(part: &Part, index: u32, count: u64) -> Result<(), ModelError> {
    for (key, wanted) in [("split.count", count), ("split.no", index.into())] {
        let found = number(part, key)?;
        if found != Some(wanted) {
            return Err(ModelError::Split {
                path: part.disk.path.clone(),
                found: found.map_or(format!("no {key}"), |f| format!("{key} is {f}")),
                wanted: wanted.to_string(),
            });
        }
    }
    Ok(())
}

fn check_tensor_count(parts: &[Part]) -> Result<(), ModelError> {
    let Some(first) = parts.first() else { return Ok(()) };
    let found: usize = parts.iter().map(|p| p.header.tensors.len()).sum();
    match number(first, "split.tensors.count")? {
        Some(wanted) if wanted != found as u64 => Err(ModelError::Split {
            path: first.disk.path.clone(),
            found: format!("all parts together hold {found} tensors"),
            wanted: format!("{wanted} (split.tensors.count)"),
        }),
        _ => Ok(()),
    }
}

fn number(part: &Part, key: &str) -> Result<Option<u64>, ModelError> {
    let Some(v) = part.header.get(key) else { return Ok(None) };
    match Value::as_u64(&v) {
        Some(n) => Ok(Some(n)),
        None => Err(bad(part, key, v.describe(), "a whole number, not negative".into())),
    }
}

fn bad(part: &Part, key: &str, found: String, limits: String) -> ModelError {
    ModelError::BadValue { path: part.disk.path.clone(), key: key.into(), found, limits, remedy: REMEDY }
}

/// A path of the form `{stem}-{number:05}-of-{count:05}.gguf`.
struct PartName<'a> {
    folder: &'a Path,
    stem: &'a str,
    /// From 1.
    number: u32,
    count: u32,
}

impl<'a> PartName<'a> {
    fn parse(path: &'a Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".gguf")?;
        let (rest, count) = name.rsplit_once("-of-")?;
        let (stem, number) = rest.rsplit_once('-')?;
        let five =
            |s: &str| (s.len() == 5 && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse().ok())?;
        let (number, count) = (five(number)?, five(count)?);
        (1..=count).contains(&number).then_some(Self { folder: path.parent()?, stem, number, count })
    }

    fn path(&self, index: u32) -> PathBuf {
        self.folder.join(format!("{}-{:05}-of-{:05}.gguf", self.stem, index + 1, self.count))
    }
}
