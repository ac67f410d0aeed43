//! The files of a model's directory.

use super::elsewhere;
use super::header::{self, FileTensor};
use super::{CONFIG_LIMIT, INDEX_LIMIT};
use crate::ModelError;
use crate::disk::{DiskFile, is_at};
use crate::error::shown;
use crate::json::JsonFile;
use crate::source::FilePlace;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "model.safetensors.index.json";
const WHOLE: &str = "fetch the whole directory of the model again";

/// Whether a path belongs to a directory of safetensors files: the directory itself, or a file in it that is one of
/// them, their index or the configuration.
pub fn is_directory_model(path: &Path) -> bool {
    if path.is_dir() {
        return true;
    }
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
    match DiskFile::open(path) {
        Ok(disk) => header::begins_like_one(&disk) || (is_json_of_one(name) && begins_with_brace(&disk)),
        Err(_) => false,
    }
}

fn is_json_of_one(name: &str) -> bool {
    name == CONFIG || name.ends_with(".safetensors.index.json")
}

fn begins_with_brace(disk: &DiskFile) -> bool {
    let mut first = [0];
    disk.read_at(0, &mut first, || "the first byte".into()).is_ok() && first == *b"{"
}

/// A model's directory with its weight files open and their headers checked.
pub struct Directory {
    path: PathBuf,
    config: JsonFile,
    files: Vec<DiskFile>,
    tensors: Vec<FileTensor>,
    by_name: HashMap<String, usize>,
}

impl std::fmt::Debug for Directory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Directory").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Directory {
    /// Opens a directory, given as itself or as a file in it.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let (dir, named) = if path.is_dir() {
            (path.to_path_buf(), None)
        } else {
            let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
            (parent.unwrap_or(Path::new(".")).to_path_buf(), path.file_name().and_then(|n| n.to_str()))
        };
        let config = JsonFile::read(&dir.join(CONFIG), CONFIG_LIMIT)?;
        if named.is_some_and(elsewhere::is_adapter) || (config.is_none() && elsewhere::has_adapter(&dir)) {
            return Err(elsewhere::adapter(&dir));
        }
        let Some(config) = config else {
            let listed = if named.is_none() { elsewhere::gguf_files(&dir) } else { None };
            return Err(listed.unwrap_or_else(|| ModelError::NoModel {
                path: dir,
                what: format!("the directory has no {CONFIG}"),
                remedy: "name a directory with config.json and safetensors files, or a .gguf file".into(),
            }));
        };
        let weights = weight_files(&dir, named)?;
        let mut files = Vec::with_capacity(weights.files.len());
        let mut tensors = Vec::new();
        for name in &weights.files {
            let disk = DiskFile::open(&dir.join(name))?;
            tensors.extend(header::read(&disk, files.len())?);
            files.push(disk);
        }
        let mut by_name = HashMap::with_capacity(tensors.len());
        for (i, t) in tensors.iter().enumerate() {
            if by_name.insert(t.name.clone(), i).is_some() {
                let (path, name) = (files[t.file].path.clone(), shown(t.name.as_bytes()));
                return Err(ModelError::Duplicate { path, what: "tensor", name });
            }
        }
        let all = Self { path: dir, config, files, tensors, by_name };
        all.check_index(&weights)?;
        Ok(all)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every tensor of every file, in file order.
    pub fn tensors(&self) -> &[FileTensor] {
        &self.tensors
    }

    /// The weight files and their sizes in bytes.
    pub fn files(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.files.iter().map(|f| (f.path.as_path(), f.size))
    }

    /// Whether a file, by its canonical path, belongs to the model: a weight file, or any other here that is no GGUF
    /// file. What some reader takes from a directory (configuration, tokenizer, template) is not known by its name.
    pub(super) fn holds(&self, canonical: &Path) -> bool {
        let here = std::fs::read_dir(&self.path).into_iter().flatten().flatten().map(|entry| entry.path());
        let belongs = here.filter(|p| p.extension().is_none_or(|e| !e.eq_ignore_ascii_case("gguf")));
        self.files.iter().map(|f| f.path.clone()).chain(belongs).any(|p| is_at(&p, canonical))
    }

    /// The fields of `config.json`.
    pub fn config_fields(&self) -> impl Iterator<Item = (&str, serde_json::Value)> {
        let f = self.config.fields();
        self.config.names().map(move |n| (n, f.get(n).cloned().unwrap_or_default()))
    }

    /// `config.json`.
    pub(crate) fn config(&self) -> &JsonFile {
        &self.config
    }

    /// Another JSON object of the directory, an empty one where it is missing.
    pub(crate) fn json(&self, name: &str) -> Result<JsonFile, ModelError> {
        let path = self.path.join(name);
        Ok(JsonFile::read(&path, CONFIG_LIMIT)?.unwrap_or_else(|| JsonFile::absent(&path)))
    }

    /// The file of a tensor.
    pub(super) fn path_of(&self, t: &FileTensor) -> &Path {
        self.files.get(t.file).map_or(&self.path, |f| &f.path)
    }

    /// Where byte `offset` of a tensor lies.
    pub(super) fn place(&self, t: &FileTensor, offset: u64) -> Option<FilePlace<'_>> {
        Some(self.files.get(t.file)?.place(t.offset.checked_add(offset)?))
    }

    /// Fills `out` from byte `offset` of a tensor; the caller has checked the range.
    pub(super) fn read(&self, t: &FileTensor, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let end = offset.checked_add(out.len() as u64).filter(|e| *e <= t.bytes);
        match (self.files.get(t.file), end) {
            (Some(file), Some(_)) => {
                file.read_at(t.offset + offset, out, || format!("tensor `{}`", shown(t.name.as_bytes())))
            }
            _ => Err(ModelError::ReadRange {
                tensor: t.name.clone(),
                bytes: t.bytes,
                offset,
                end: offset.saturating_add(out.len() as u64),
            }),
        }
    }

    /// Whether two tensors of one size have the same bytes.
    pub(super) fn are_equal(&self, a: &FileTensor, b: &FileTensor) -> Result<bool, ModelError> {
        const STEP: u64 = 1 << 20;
        let mut both = [Vec::new(), Vec::new()];
        let mut at = 0;
        while at < a.bytes {
            let n = STEP.min(a.bytes - at);
            for (t, bytes) in [a, b].into_iter().zip(&mut both) {
                bytes.resize(usize::try_from(n).unwrap_or(0), 0);
                self.read(t, at, bytes)?;
            }
            if both[0] != both[1] {
                return Ok(false);
            }
            at += n;
        }
        Ok(true)
    }

    /// Every tensor of the index must be in the file that the index says.
    fn check_index(&self, weights: &WeightFiles) -> Result<(), ModelError> {
        for (tensor, file) in &weights.index {
            let at = self.by_name.get(tensor).map(|i| self.tensors[*i].file);
            if at.is_none() || at != weights.files.iter().position(|f| f == file) {
                let (path, tensor) = (self.path.join(file), shown(tensor.as_bytes()));
                return Err(ModelError::MissingTensor {
                    path,
                    tensor,
                    remedy: "the index says that it is there; fetch index and files of one and the same model",
                });
            }
        }
        Ok(())
    }
}

/// The names of a directory's weight files, and what its index says of them.
struct WeightFiles {
    files: Vec<String>,
    /// Tensor and file.
    index: Vec<(String, String)>,
}

fn weight_files(dir: &Path, named: Option<&str>) -> Result<WeightFiles, ModelError> {
    let single = |name: &str| Ok(WeightFiles { files: vec![name.into()], index: Vec::new() });
    let index = match named {
        Some(n) if n.ends_with(".index.json") => n,
        _ => INDEX,
    };
    if named != Some(index) && dir.join(WEIGHTS).exists() && named.is_none_or(|n| n == WEIGHTS || n == CONFIG)
    {
        return single(WEIGHTS);
    }
    if let Some(indexed) = read_index(&dir.join(index))? {
        match named {
            Some(n) if n.ends_with(".safetensors") && !indexed.files.iter().any(|f| f == n) => {}
            _ => return Ok(indexed),
        }
    }
    match named {
        Some(n) if n.ends_with(".safetensors") => single(n),
        _ => unindexed(dir),
    }
}

/// `model*.safetensors` without an index, in the order of their names.
fn unindexed(dir: &Path) -> Result<WeightFiles, ModelError> {
    let failed =
        |source| ModelError::Io { path: dir.into(), what: "cannot list the directory".into(), source };
    let (mut files, mut others) = (Vec::new(), false);
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let Ok(name) = entry.map_err(failed)?.file_name().into_string() else { continue };
        if name.starts_with("model") && name.ends_with(".safetensors") {
            files.push(name);
        } else {
            others |= [".bin", ".pth", ".npz"].iter().any(|end| name.ends_with(end));
        }
    }
    files.sort();
    if !files.is_empty() {
        return Ok(WeightFiles { files, index: Vec::new() });
    }
    if let Some(listed) = elsewhere::gguf_files(dir) {
        return Err(listed);
    }
    if elsewhere::has_adapter(dir) {
        return Err(elsewhere::adapter(dir));
    }
    let (what, remedy) = if others {
        (
            "there is no model.safetensors here, only weights in another format",
            "fetch the safetensors files of this model, or save it anew with safe_serialization",
        )
    } else {
        ("there are no weights: neither model.safetensors nor its index", WHOLE)
    };
    Err(ModelError::NoModel { path: dir.into(), what: what.into(), remedy: remedy.into() })
}

/// Reads an index; `None` where there is none. Its file names stay inside the directory.
fn read_index(path: &Path) -> Result<Option<WeightFiles>, ModelError> {
    let Some(json) = JsonFile::read(path, INDEX_LIMIT)? else { return Ok(None) };
    let fields = json.fields();
    let Some(map) = fields.object("weight_map")? else {
        return Err(fields.bad("weight_map", "an object of tensors and files", WHOLE));
    };
    let mut files = BTreeSet::new();
    let mut index = Vec::new();
    for tensor in map.names() {
        match map.str(tensor)? {
            Some(file) if is_plain_name(file) => {
                files.insert(file.to_owned());
                index.push((tensor.to_owned(), file.to_owned()));
            }
            _ => {
                return Err(map.bad(
                    tensor,
                    "the name of a .safetensors file in the same directory, without any path",
                    "do not trust this model: its index points elsewhere",
                ));
            }
        }
    }
    if files.is_empty() {
        return Err(fields.bad("weight_map", "an object of tensors and files", WHOLE));
    }
    Ok(Some(WeightFiles { files: files.into_iter().collect(), index }))
}

/// A file name that names nothing outside its directory, on any system.
fn is_plain_name(name: &str) -> bool {
    name.len() <= 255
        && name.ends_with(".safetensors")
        && !name.starts_with('.')
        && !name.chars().any(|c| matches!(c, '/' | '\\' | ':' | '\0'))
}
