//! A directory as a source of weights: its modules under canonical names.

use super::config::{self, Config};
use super::directory::Directory;
use super::family::{Family, Goes, Indices, LEFT_OUT, POOLERS, RowsOf, TIED, UNREAD_POOLER};
use super::header::{ElementType, FileTensor};
use super::quantization::{self, Quantization, Scheme, Stated};
use super::read::{Form, Part, Reader, Recipe, number};
use crate::config::Purpose;
use crate::error::shown;
use crate::source::FilePlace;
use crate::{ModelConfig, ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;
use akunu_kernels::dtype::DTYPES;
use akunu_kernels::dtype::affine::{Affine, ScaleType};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

const DAMAGED: &str = "fetch config.json and the files of one and the same model again";
const CONVERT: &str = "convert the model anew with mlx-lm";
/// Groups whose scales and biases are compared when a source is opened.
const PROBED: u64 = 64;

/// A directory whose configuration is known and whose tensors have canonical names.
#[derive(Debug)]
pub struct SafetensorsSource {
    dir: Arc<Directory>,
    config: ModelConfig,
    tensors: Vec<TensorInfo>,
    recipes: Vec<Recipe>,
    by_name: HashMap<String, usize>,
    unmapped: Vec<String>,
    ignored: Vec<(String, &'static str)>,
    /// Tensors of an output head that is left out, each with the embedding's that takes its place.
    replaced: Vec<(usize, Option<usize>)>,
}

/// How an output head of the files compares with the embedding, where the configuration ties the two and the embedding is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnusedHead {
    /// The same as the embedding, byte for byte.
    Same,
    /// Another matrix.
    Differs,
}

impl SafetensorsSource {
    /// Opens a directory, given as itself or as a file in it.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        Self::new(Directory::open(path)?)
    }

    /// Reads the configuration and gives every tensor its canonical name.
    pub fn new(dir: Directory) -> Result<Self, ModelError> {
        let config = config::read(&dir)?;
        let quantization = quantization::read(&dir)?;
        let mut b = Builder {
            dir: &dir,
            c: &config,
            q: &quantization,
            out: Vec::new(),
            stacks: BTreeMap::new(),
            unmapped: Vec::new(),
            ignored: Vec::new(),
            replaced: Vec::new(),
        };
        for module in b.modules() {
            b.place(&module)?;
        }
        b.finish_stacks()?;
        let (out, unmapped, ignored, replaced) = (b.out, b.unmapped, b.ignored, b.replaced);
        let (tensors, recipes): (Vec<_>, Vec<_>) = out.into_iter().unzip();
        let mut by_name = HashMap::with_capacity(tensors.len());
        for (i, t) in tensors.iter().enumerate() {
            if by_name.insert(t.name.clone(), i).is_some() {
                let name = format!("{} (as {})", t.file_name, t.name);
                return Err(ModelError::Duplicate { path: dir.path().into(), what: "tensor", name });
            }
        }
        let model = config.model.clone();
        let dir = Arc::new(dir);
        let all = Self { dir, config: model, tensors, recipes, by_name, unmapped, ignored, replaced };
        all.check_against(&config)?;
        Ok(all)
    }

    /// What the output head is that the directory has although its configuration ties the head to the embedding; `None`
    /// where there is no such head. Reads both matrices as far as they are the same.
    pub fn unused_head(&self) -> Result<Option<UnusedHead>, ModelError> {
        if self.replaced.is_empty() {
            return Ok(None);
        }
        for (head, embedding) in &self.replaced {
            let embedding = embedding.and_then(|i| self.dir.tensors().get(i));
            let (Some(a), Some(b)) = (self.dir.tensors().get(*head), embedding) else {
                return Ok(Some(UnusedHead::Differs));
            };
            if (a.element, &a.shape) != (b.element, &b.shape) || !self.dir.are_equal(a, b)? {
                return Ok(Some(UnusedHead::Differs));
            }
        }
        Ok(Some(UnusedHead::Same))
    }

    /// The directory.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.dir
    }

    /// Every tensor that the configuration promises is there, in the shape that it promises, and no layer more.
    fn check_against(&self, config: &Config) -> Result<(), ModelError> {
        let c = &config.model;
        for t in &self.tensors {
            let layer = t.name.strip_prefix("layers.").and_then(|r| r.split('.').next()?.parse::<u32>().ok());
            if layer.is_some_and(|l| l >= c.layers) {
                return Err(self.contradicts(t, "a layer more", format!("one of {} layers", c.layers)));
            }
            if let Some((rows, cols)) = shape(&t.name, c)
                && (t.rows, t.cols) != (rows, cols)
            {
                let found = format!("{} x {}", t.rows, t.cols);
                return Err(self.contradicts(t, &found, format!("{rows} x {cols} by config.json")));
            }
        }
        for (name, remedy) in required(config) {
            if !self.by_name.contains_key(&name) && self.unmapped.is_empty() {
                let tensor = file_name(config.family, &name);
                return Err(ModelError::MissingTensor { path: self.dir.path().into(), tensor, remedy });
            }
        }
        Ok(())
    }

    fn contradicts(&self, t: &TensorInfo, found: &str, limits: String) -> ModelError {
        ModelError::BadTensor {
            path: self.path_of(t).into(),
            tensor: t.file_name.clone(),
            found: found.into(),
            limits,
            remedy: DAMAGED,
        }
    }
}

impl WeightSource for SafetensorsSource {
    fn config(&self) -> &ModelConfig {
        &self.config
    }

    fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    fn unmapped(&self) -> &[String] {
        &self.unmapped
    }

    fn ignored(&self) -> &[(String, &'static str)] {
        &self.ignored
    }

    fn read(&self, tensor: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        let at =
            self.by_name.get(&tensor.name).and_then(|i| Some((self.tensors.get(*i)?, self.recipes.get(*i)?)));
        let end = offset.checked_add(out.len() as u64);
        match at {
            Some((info, recipe)) if end.is_some_and(|e| e <= info.bytes) => {
                Reader { dir: &self.dir, recipe, info }.read(offset, out)
            }
            at => Err(ModelError::ReadRange {
                tensor: tensor.name.clone(),
                bytes: at.map_or(0, |a| a.0.bytes),
                offset,
                end: end.unwrap_or(u64::MAX),
            }),
        }
    }

    fn place(&self, tensor: &TensorInfo) -> Option<FilePlace<'_>> {
        let i = *self.by_name.get(&tensor.name)?;
        let (info, recipe) = (self.tensors.get(i)?, self.recipes.get(i)?);
        let [part] = recipe.parts.as_slice() else { return None };
        let from = part.first_row * (info.bytes / info.rows.max(1));
        (recipe.form == Form::Same).then(|| self.dir.place(self.dir.tensors().get(part.weight)?, from))?
    }

    fn path_of(&self, tensor: &TensorInfo) -> &Path {
        let first = self.by_name.get(&tensor.name).and_then(|i| self.recipes.get(*i)?.parts.first());
        let first = first.and_then(|p| self.dir.tensors().get(p.weight));
        first.map_or(self.dir.path(), |t| self.dir.path_of(t))
    }

    fn holds(&self, canonical: &Path) -> bool {
        self.dir.holds(canonical)
    }

    fn find(&self, name: &str) -> Option<&TensorInfo> {
        self.tensors.get(*self.by_name.get(name)?)
    }
}

/// The shape of a weight by the configuration; `None` where the architecture decides.
fn shape(name: &str, c: &ModelConfig) -> Option<(u64, u64)> {
    let (d, hd, f) = (u64::from(c.hidden), u64::from(c.head_dim), u64::from(c.ffn));
    let (q, kv) = (u64::from(c.heads) * hd, u64::from(c.kv_heads) * hd);
    let within = name.strip_prefix("layers.").and_then(|r| r.split_once('.')).map_or(name, |r| r.1);
    let (experts, ef) = c.experts.map_or((1, f), |e| (u64::from(e.count), u64::from(e.ffn)));
    Some(match within {
        "embed.weight" | "output.weight" => (u64::from(c.vocab), d),
        "attention.q.weight" => (q, d),
        "attention.k.weight" | "attention.v.weight" => (kv, d),
        "attention.output.weight" => (d, q),
        "attention.q.bias" => (1, q),
        "attention.k.bias" | "attention.v.bias" => (1, kv),
        "attention.output.bias" | "ffn.down.bias" => (1, d),
        "ffn.gate.weight" | "ffn.up.weight" => (f, d),
        "ffn.gate.bias" | "ffn.up.bias" => (1, f),
        "ffn.down.weight" => (d, f),
        "ffn.router.weight" => (experts, d),
        "ffn.experts.gate.weight" | "ffn.experts.up.weight" => (experts * ef, d),
        "ffn.experts.down.weight" => (experts * d, ef),
        "output_norm.weight"
        | "attention_norm.weight"
        | "attention_post_norm.weight"
        | "ffn_norm.weight"
        | "ffn_post_norm.weight"
        | "embed_norm.weight" => (1, d),
        "positions.weight" => (u64::from(c.encoder.as_ref()?.positions), d),
        "score.dense.weight" => (d, d),
        "score.dense.bias" | "score.output.weight" => (1, d),
        "score.output.bias" => (1, 1),
        "distance_bias.weight" => (u64::from(c.encoder.as_ref()?.distance_buckets), u64::from(c.heads)),
        "segments.weight" => (u64::from(c.encoder.as_ref()?.segments), d),
        _ => return None,
    })
}

/// Canonical names that a model must have, each with what to do where it is missing.
fn required(config: &Config) -> impl Iterator<Item = (String, &'static str)> {
    let attention = ["attention.q", "attention.k", "attention.v", "attention.output"];
    let encoder = config.family.encoder.is_some();
    let ffn = if config.model.experts.is_some() {
        &["ffn.router", "ffn.experts.gate", "ffn.experts.up", "ffn.experts.down"][..]
    } else if !config.family.places("layers.{l}.ffn.gate") {
        &["ffn.up", "ffn.down"][..]
    } else {
        &["ffn.gate", "ffn.up", "ffn.down"]
    };
    let weights = attention.iter().chain(ffn).chain(config.family.norms);
    let mut layer: Vec<(String, &str)> = weights.map(|m| (format!("{m}.weight"), DAMAGED)).collect();
    layer.extend(config.biased.iter().map(|(m, remedy)| (format!("{m}.bias"), *remedy)));
    let head = (!config.tied).then_some("output.weight");
    let first =
        if encoder { ["embed.weight", "embed_norm.weight"] } else { ["embed.weight", "output_norm.weight"] };
    let outer = first.into_iter().chain(head).map(|n| (n.to_owned(), DAMAGED));
    // Lazily: the count of layers is the file's word.
    let scores = config.model.encoder.as_ref().is_some_and(|e| e.purpose == Purpose::Score);
    let score = ["score.dense.weight", "score.dense.bias", "score.output.weight", "score.output.bias"];
    let score = score.into_iter().filter(move |_| scores).map(|n| (n.to_owned(), DAMAGED));
    let layers = 0..config.model.layers;
    let of_layer =
        move |i| layer.clone().into_iter().map(move |(s, remedy)| (format!("layers.{i}.{s}"), remedy));
    outer.chain(score).chain(layers.flat_map(of_layer))
}

/// What a file would call a canonical name, for messages.
fn file_name(family: &Family, canonical: &str) -> String {
    let (module, suffix) = canonical.rsplit_once('.').unwrap_or((canonical, ""));
    let layer = module.strip_prefix("layers.").and_then(|r| r.split_once('.')).map(|r| r.0);
    let pattern = layer.map_or(module.to_owned(), |l| module.replacen(l, "{l}", 1));
    let rule = family.rules.iter().flat_map(|r| r.iter()).find(|r| match r.goes {
        Goes::To(c) | Goes::Expert(c) | Goes::Experts(c) | Goes::Filters(c) => c == pattern,
        Goes::Split(parts) => parts.iter().any(|p| p.0 == pattern),
    });
    match rule {
        None => canonical.into(),
        Some(r) => {
            let path = r.module.replace("{l}", layer.unwrap_or("0")).replace("{e}", "0");
            let prefix = if path == "lm_head" { "" } else { "model." };
            format!("{prefix}{path}.{suffix}")
        }
    }
}

/// The tensors of one module of the file, as indices into the directory's.
#[derive(Clone, Debug, Default)]
struct Module {
    path: String,
    weight: Option<usize>,
    bias: Option<usize>,
    scales: Option<usize>,
    biases: Option<usize>,
    fp8_scale: Option<usize>,
}

/// A matrix as the file stores it.
struct Stored {
    form: Form,
    dtype: DType,
    part: Part,
    /// Dimensions in values, the slowest first.
    dims: Vec<u64>,
}

/// One expert's matrix on its way into a stack.
struct Member {
    expert: u32,
    file_name: String,
    stored: Stored,
}

struct Builder<'a> {
    dir: &'a Directory,
    c: &'a Config,
    q: &'a Quantization,
    out: Vec<(TensorInfo, Recipe)>,
    /// Experts by the canonical name of their stack.
    stacks: BTreeMap<String, Vec<Member>>,
    unmapped: Vec<String>,
    ignored: Vec<(String, &'static str)>,
    replaced: Vec<(usize, Option<usize>)>,
}

impl Builder<'_> {
    /// The file's tensors by module, in the file's order; those that are left out or have no rule are noted.
    fn modules(&mut self) -> Vec<Module> {
        let mut all: Vec<Module> = Vec::new();
        let mut at: HashMap<&str, usize> = HashMap::new();
        let dir = self.dir;
        for (i, t) in dir.tensors().iter().enumerate() {
            if let Some(reason) = self.left_out(&t.name) {
                self.ignored.push((shown_name(t), reason));
                if reason == TIED {
                    self.replaced.push((i, self.embedding(&t.name)));
                }
                continue;
            }
            let Some((path, suffix)) = t.name.rsplit_once('.').filter(|n| self.c.family.rule(n.0).is_some())
            else {
                self.unmapped.push(shown_name(t));
                continue;
            };
            let index = *at.entry(path).or_insert_with(|| {
                all.push(Module { path: path.into(), ..Module::default() });
                all.len() - 1
            });
            let m = &mut all[index];
            let slot = match suffix {
                "weight" => &mut m.weight,
                "bias" => &mut m.bias,
                "scales" => &mut m.scales,
                "biases" => &mut m.biases,
                "weight_scale_inv" | "weight_scale" => &mut m.fp8_scale,
                _ => {
                    self.unmapped.push(shown_name(t));
                    continue;
                }
            };
            if slot.replace(i).is_some() {
                self.unmapped.push(shown_name(t));
            }
        }
        all
    }

    fn left_out(&self, name: &str) -> Option<&'static str> {
        let head = self.c.tied
            && self
                .c
                .family
                .rule(name.rsplit_once('.')?.0)
                .is_some_and(|r| matches!(r.0.goes, Goes::To("output")));
        let listed = LEFT_OUT.iter().find(|l| name.starts_with(l.0) && name.ends_with(l.1)).map(|l| l.2);
        let own = self.c.family.left_out.iter().find(|l| name.starts_with(l.0)).map(|l| l.1);
        let scores = self.c.model.encoder.as_ref().is_some_and(|e| e.purpose == Purpose::Score);
        let pooler = !scores && POOLERS.iter().any(|p| name.starts_with(p));
        listed.or(own).or(head.then_some(TIED)).or(pooler.then_some(UNREAD_POOLER))
    }

    /// The embedding's tensor with the same last part of its name as the head's `name`.
    fn embedding(&self, name: &str) -> Option<usize> {
        let suffix = name.rsplit_once('.')?.1;
        self.dir.tensors().iter().position(|t| {
            t.name.rsplit_once('.').is_some_and(|(path, last)| {
                last == suffix
                    && self.c.family.rule(path).is_some_and(|r| matches!(r.0.goes, Goes::To("embed")))
            })
        })
    }

    fn tensor(&self, index: usize) -> &FileTensor {
        &self.dir.tensors()[index]
    }

    fn bad(&self, index: usize, found: String, limits: String, remedy: &'static str) -> ModelError {
        let t = self.tensor(index);
        ModelError::BadTensor {
            path: self.dir.path_of(t).into(),
            tensor: shown_name(t),
            found,
            limits,
            remedy,
        }
    }

    fn place(&mut self, m: &Module) -> Result<(), ModelError> {
        let Some((rule, at)) = self.c.family.rule(&m.path) else { return Ok(()) };
        if let Some(weight) = m.weight {
            if let ([_], Goes::To(canonical)) = (&self.tensor(weight).shape[..], &rule.goes) {
                let last = canonical.rsplit('.').next().unwrap_or("");
                let plus = if last.ends_with("norm") { self.c.family.norm_offset } else { 0.0 };
                self.vector(weight, &place(canonical, at, "weight"), plus)?;
            } else if let (
                [rows, n],
                Goes::To(canonical @ ("positions" | "segments" | "distance_bias" | "audio.positions")),
            ) = (&self.tensor(weight).shape[..], &rule.goes)
            {
                // Added to the residual stream as they are, so they become numbers too.
                let part = Part { weight, scales: None, biases: None, first_row: 0, rows: *rows };
                self.numbers(weight, &place(canonical, at, "weight"), 0.0, *n, part)?;
            } else {
                let stored = self.stored(m, weight)?;
                self.matrix(weight, &rule.goes, at, stored)?;
            }
        } else if let Some(other) = m.scales.or(m.biases).or(m.fp8_scale) {
            return Err(ModelError::MissingTensor {
                path: self.dir.path_of(self.tensor(other)).into(),
                tensor: shown(format!("{}.weight", m.path).as_bytes()),
                remedy: DAMAGED,
            });
        }
        match (m.bias, &rule.goes) {
            (None, _) => Ok(()),
            (Some(bias), Goes::To(canonical) | Goes::Filters(canonical)) => {
                self.vector(bias, &place(canonical, at, "bias"), 0.0)
            }
            (Some(bias), Goes::Split(parts)) => self.split_bias(bias, parts, at),
            (Some(bias), _) => {
                self.unmapped.push(shown_name(self.tensor(bias)));
                Ok(())
            }
        }
    }

    /// A vector of numbers, which becomes F32.
    fn vector(&mut self, index: usize, name: &str, plus: f32) -> Result<(), ModelError> {
        let t = self.tensor(index);
        let [n] = t.shape[..] else {
            return Err(self.bad(index, t.described(), "a vector".into(), DAMAGED));
        };
        let part = Part { weight: index, scales: None, biases: None, first_row: 0, rows: 1 };
        self.numbers(index, name, plus, n, part)
    }

    fn numbers(&mut self, index: usize, name: &str, plus: f32, n: u64, part: Part) -> Result<(), ModelError> {
        let from = self.tensor(index).element;
        if !matches!(from, ElementType::F32 | ElementType::F16 | ElementType::Bf16) {
            return Err(self.bad(index, from.name().into(), "F32, F16 or BF16".into(), DAMAGED));
        }
        let stored = Stored { form: Form::Numbers { from, plus }, dtype: DType::F32, part, dims: vec![1, n] };
        self.push(index, name.into(), vec![stored])
    }

    /// A fused matrix's bias: as many numbers of it as each part has rows.
    fn split_bias(&mut self, index: usize, parts: &[(&str, RowsOf)], at: Indices) -> Result<(), ModelError> {
        let all: u64 = parts.iter().map(|p| self.rows(p.1)).sum();
        if self.tensor(index).shape != [all] {
            let found = self.tensor(index).described();
            return Err(self.bad(index, found, format!("[{all}] by config.json"), DAMAGED));
        }
        let mut first_row = 0u64;
        for (canonical, rows) in parts {
            let n = self.rows(*rows);
            // A part's rows are counted in rows of its own width.
            if !first_row.is_multiple_of(n) {
                self.unmapped.push(shown_name(self.tensor(index)));
                return Ok(());
            }
            let part = Part { weight: index, scales: None, biases: None, first_row: first_row / n, rows: 1 };
            self.numbers(index, &place(canonical, at, "bias"), 0.0, n, part)?;
            first_row += n;
        }
        Ok(())
    }

    fn rows(&self, of: RowsOf) -> u64 {
        let c = &self.c.model;
        match of {
            RowsOf::Queries => u64::from(c.heads) * u64::from(c.head_dim),
            RowsOf::Keys => u64::from(c.kv_heads) * u64::from(c.head_dim),
            RowsOf::Ffn => u64::from(c.ffn),
        }
    }

    fn matrix(&mut self, index: usize, goes: &Goes, at: Indices, stored: Stored) -> Result<(), ModelError> {
        let described = || format!("{:?}", stored.dims);
        match goes {
            Goes::To(canonical) if stored.dims.len() == 2 => {
                self.push(index, place(canonical, at, "weight"), vec![stored])
            }
            Goes::Experts(canonical) if stored.dims.len() == 3 => {
                self.push(index, place(canonical, at, "weight"), vec![stored])
            }
            Goes::Filters(canonical) if stored.dims.len() == 3 && stored.form == Form::Same => {
                // (A product of what lies in the file, so it is no larger.)
                let dims = vec![stored.dims[0], stored.dims[1] * stored.dims[2]];
                let part = Part { rows: stored.dims[0], ..stored.part };
                self.push(index, place(canonical, at, "weight"), vec![Stored { dims, part, ..stored }])
            }
            Goes::Expert(canonical) if stored.dims.len() == 2 => {
                let file_name = shown_name(self.tensor(index));
                let name = place(canonical, at, "weight");
                self.stacks.entry(name).or_default().push(Member { expert: at.expert, file_name, stored });
                Ok(())
            }
            Goes::Split(parts) if stored.dims.len() == 2 => self.split(index, parts, at, &stored),
            Goes::Experts(_) => Err(self.bad(index, described(), "[experts, rows, columns]".into(), DAMAGED)),
            Goes::Filters(_) => Err(self.bad(index, described(), "[rows, channels, taps]".into(), DAMAGED)),
            _ => Err(self.bad(index, described(), "[rows, columns]".into(), DAMAGED)),
        }
    }

    /// A fused matrix: ranges of its rows under names of their own.
    fn split(
        &mut self,
        index: usize,
        parts: &[(&str, RowsOf)],
        at: Indices,
        stored: &Stored,
    ) -> Result<(), ModelError> {
        let all: u64 = parts.iter().map(|p| self.rows(p.1)).sum();
        let [rows, cols] = stored.dims[..] else { return Ok(()) };
        if rows != all {
            return Err(self.bad(
                index,
                format!("{rows} rows"),
                format!("{all} rows by config.json"),
                DAMAGED,
            ));
        }
        let mut first_row = 0;
        for (canonical, of) in parts {
            let rows = self.rows(*of);
            let part = Part { first_row, rows, ..stored.part };
            let one = Stored { part, dims: vec![rows, cols], ..*stored };
            self.push(index, place(canonical, at, "weight"), vec![one])?;
            first_row += rows;
        }
        Ok(())
    }

    /// Stacks the experts, which the file keeps one by one, in the order of their numbers.
    fn finish_stacks(&mut self) -> Result<(), ModelError> {
        let count = self.c.model.experts.map_or(0, |e| e.count);
        for (name, mut members) in std::mem::take(&mut self.stacks) {
            members.sort_by_key(|m| m.expert);
            let gap = (0..count).zip(&members).find(|(i, m)| *i != m.expert).map(|(i, _)| i);
            let missing = gap.or(((members.len() as u32) < count).then_some(members.len() as u32));
            let Some(first) = members.first() else { continue };
            let weight = first.stored.part.weight;
            if let Some(expert) = missing {
                let near = first.file_name.clone();
                let tensor = format!("{near}, of expert {expert}");
                let path = self.dir.path().into();
                return Err(ModelError::MissingTensor { path, tensor, remedy: DAMAGED });
            }
            if let Some(more) = members.get(count as usize) {
                let (found, limits) =
                    (format!("of expert {}", more.expert), format!("of one of {count} experts"));
                return Err(self.bad(more.stored.part.weight, found, limits, DAMAGED));
            }
            let like = (first.stored.form, first.stored.dtype, first.stored.dims.clone());
            if let Some(odd) =
                members.iter().find(|m| (m.stored.form, m.stored.dtype, m.stored.dims.clone()) != like)
            {
                let found = format!("{} of {:?}", odd.stored.dtype, odd.stored.dims);
                let limits = format!("{} of {:?} like the first expert's", like.1, like.2);
                return Err(self.bad(odd.stored.part.weight, found, limits, DAMAGED));
            }
            self.push(weight, name, members.into_iter().map(|m| m.stored).collect())?;
        }
        Ok(())
    }

    /// One weight of these matrices, one below the other.
    fn push(&mut self, index: usize, name: String, stored: Vec<Stored>) -> Result<(), ModelError> {
        let Some(first) = stored.first() else { return Ok(()) };
        let (dtype, form, cols) = (first.dtype, first.form, first.dims.last().copied().unwrap_or(0));
        let info = dtype.info();
        if cols == 0 || !cols.is_multiple_of(u64::from(info.block)) {
            let limits = format!("a multiple of {}, the block of {dtype}", info.block);
            return Err(self.bad(index, format!("{cols} columns"), limits, DAMAGED));
        }
        // Every part lies in the file, so neither sum nor product is larger than the files are.
        let rows: u64 = stored.iter().map(|s| s.part.rows).sum();
        let file_name = shown_name(self.tensor(index));
        let tensor = TensorInfo { name, file_name, dtype, rows, cols, bytes: rows * dtype.row_bytes(cols) };
        self.out.push((tensor, Recipe { form, parts: stored.into_iter().map(|s| s.part).collect() }));
        Ok(())
    }

    /// How the file stores a module's matrix.
    fn stored(&self, m: &Module, weight: usize) -> Result<Stored, ModelError> {
        let t = self.tensor(weight);
        if t.shape.len() < 2 || t.bytes == 0 {
            return Err(self.bad(weight, t.described(), "a matrix".into(), DAMAGED));
        }
        let rows = t.shape[..t.shape.len() - 1].iter().product();
        let part = Part { weight, scales: None, biases: None, first_row: 0, rows };
        let plain = |dtype| Ok(Stored { form: Form::Same, dtype, part, dims: t.shape.clone() });
        match (m.scales, self.q.of(&m.path)) {
            (Some(_), Stated::Scheme(scheme)) => return self.quantized(m, weight, part, scheme),
            (Some(scales), _) => {
                let limits = "described by `quantization` in config.json, which says nothing of it".into();
                return Err(self.bad(scales, "there".into(), limits, CONVERT));
            }
            (None, _) => {}
        }
        match t.element {
            ElementType::F32 => plain(DType::F32),
            ElementType::F16 => plain(DType::F16),
            ElementType::Bf16 => plain(DType::Bf16),
            ElementType::F8E4M3 => self.fp8(m, weight, part),
            ElementType::U32 if matches!(self.q.of(&m.path), Stated::Scheme(_)) => {
                Err(ModelError::MissingTensor {
                    path: self.dir.path_of(t).into(),
                    tensor: shown(format!("{}.scales", m.path).as_bytes()),
                    remedy: CONVERT,
                })
            }
            _ => {
                let limits = "F32, F16, BF16, FP8 E4M3 or a quantization of MLX".into();
                Err(self.bad(weight, t.element.name().into(), limits, "use another conversion of this model"))
            }
        }
    }

    /// A matrix that MLX quantized.
    fn quantized(&self, m: &Module, weight: usize, part: Part, scheme: Scheme) -> Result<Stored, ModelError> {
        let t = self.tensor(weight);
        let words = t.shape.last().copied().unwrap_or(0);
        let cols =
            words.checked_mul(32).map(|b| b / scheme.bits()).filter(|c| c.is_multiple_of(scheme.group()));
        let Some(cols) = cols.filter(|c| t.element == ElementType::U32 && c * scheme.bits() == words * 32)
        else {
            let limits =
                format!("U32 that holds groups of {} values of {} bits", scheme.group(), scheme.bits());
            return Err(self.bad(weight, t.described(), limits, CONVERT));
        };
        let mut dims = t.shape.clone();
        if let Some(last) = dims.last_mut() {
            *last = cols;
        }
        let mut groups = dims.clone();
        if let Some(last) = groups.last_mut() {
            *last = cols / scheme.group();
        }
        let side = |index: Option<usize>, name: &str| match index {
            None => Err(ModelError::MissingTensor {
                path: self.dir.path_of(t).into(),
                tensor: shown(format!("{}.{name}", m.path).as_bytes()),
                remedy: CONVERT,
            }),
            Some(i) if self.tensor(i).shape == groups => Ok(i),
            Some(i) => {
                Err(self.bad(i, self.tensor(i).described(), format!("{groups:?} beside its weight"), CONVERT))
            }
        };
        let scales = side(m.scales, "scales")?;
        let (form, dtype, biases) = match scheme {
            Scheme::Affine { bits, group } => {
                let biases = side(m.biases, "biases")?;
                let dtype = self.affine(bits, group, scales, biases)?;
                self.refuse_swapped(scales, biases)?;
                (Form::Affine, dtype, Some(biases))
            }
            Scheme::Mxfp4 => (Form::Mxfp4, DType::Mxfp4, None),
            Scheme::Mxfp8 => (Form::Mxfp8, DType::Mxfp8, None),
            Scheme::Nvfp4 => (Form::Nvfp4, DType::Nvfp4, None),
        };
        if biases.is_none() {
            if self.tensor(scales).element != ElementType::U8 {
                let found = self.tensor(scales).element.name().into();
                return Err(self.bad(scales, found, "U8".into(), CONVERT));
            }
            if let Some(extra) = m.biases {
                return Err(self.bad(extra, "there".into(), "absent in this mode".into(), CONVERT));
            }
        }
        Ok(Stored { form, dtype, part: Part { scales: Some(scales), biases, ..part }, dims })
    }

    fn affine(&self, bits: u32, group: u32, scales: usize, biases: usize) -> Result<DType, ModelError> {
        let scale = match self.tensor(scales).element {
            ElementType::Bf16 => ScaleType::Bf16,
            ElementType::F16 => ScaleType::F16,
            other => {
                const REMEDY: &str = "convert the model anew with mlx-lm and --dtype bfloat16";
                return Err(self.bad(scales, other.name().into(), "BF16 or F16".into(), REMEDY));
            }
        };
        if self.tensor(biases).element != self.tensor(scales).element {
            let (found, like) = (self.tensor(biases).element.name(), self.tensor(scales).element.name());
            return Err(self.bad(biases, found.into(), format!("{like} like its scales"), CONVERT));
        }
        let wanted = Some(Affine { bits, group, scale });
        DTYPES.iter().find(|d| d.dtype.affine() == wanted).map(|d| d.dtype).ok_or_else(|| {
            let found = format!("{bits} bits in groups of {group}");
            self.bad(scales, found, "a format that akunu has".into(), CONVERT)
        })
    }

    /// MLX's bias is the extreme of its group, a whole multiple of the scale. Where no group's bias reaches its scale,
    /// the two tensors have been swapped.
    fn refuse_swapped(&self, scales: usize, biases: usize) -> Result<(), ModelError> {
        let t = self.tensor(scales);
        let n = (t.bytes / 2).min(PROBED);
        let mut both = [vec![0; n as usize * 2], vec![0; n as usize * 2]];
        self.dir.read(t, 0, &mut both[0])?;
        self.dir.read(self.tensor(biases), 0, &mut both[1])?;
        let value = |which: usize, i| number(t.element, &both[which], i).abs();
        let groups = (0..n as usize).filter(|i| value(0, *i) > 0.0 && value(1, *i) > 0.0);
        let (used, odd) = groups.fold((0, 0), |(u, o), i| (u + 1, o + u32::from(value(0, i) > value(1, i))));
        if used >= 8 && used == odd {
            let found = format!("all of the first {used} groups have a scale larger than their bias");
            return Err(self.bad(
                scales,
                found,
                "scales, not biases".into(),
                "the two are swapped: convert the model anew",
            ));
        }
        Ok(())
    }

    /// FP8 with its scales: one for all, one per row, or one per block.
    fn fp8(&self, m: &Module, weight: usize, part: Part) -> Result<Stored, ModelError> {
        let t = self.tensor(weight);
        let Some(scales) = m.fp8_scale else {
            return Err(ModelError::MissingTensor {
                path: self.dir.path_of(t).into(),
                tensor: shown(format!("{}.weight_scale_inv", m.path).as_bytes()),
                remedy: "FP8 weights need their scales; use another conversion of this model",
            });
        };
        let s = self.tensor(scales);
        let ([rows, cols], (br, bc)) =
            (<[u64; 2]>::try_from(&t.shape[..]).unwrap_or([0, 0]), self.q.fp8_block);
        let block = match s.shape[..] {
            [] | [1] | [1, 1] => Some((rows, cols)),
            [r] | [r, 1] if r == rows => Some((1, cols)),
            [r, c] if r == rows.div_ceil(br.max(1)) && c == cols.div_ceil(bc.max(1)) => Some((br, bc)),
            _ => None,
        };
        let numbers = matches!(s.element, ElementType::F32 | ElementType::Bf16 | ElementType::F16);
        match block.filter(|b| numbers && b.0 > 0 && b.1 > 0) {
            Some((rows, cols)) => Ok(Stored {
                form: Form::Fp8 { scale: s.element, rows, cols },
                dtype: DType::Bf16,
                part: Part { scales: Some(scales), ..part },
                dims: t.shape.clone(),
            }),
            None => {
                let limits = format!("one F32 or BF16, one per row, or one per block of {br} x {bc}");
                Err(self.bad(scales, s.described(), limits, DAMAGED))
            }
        }
    }
}

/// A tensor's name, as messages show it.
fn shown_name(t: &FileTensor) -> String {
    shown(t.name.as_bytes())
}

/// A canonical name from its pattern.
fn place(canonical: &str, at: Indices, suffix: &str) -> String {
    format!("{}.{suffix}", canonical.replace("{l}", &at.layer.to_string()))
}
