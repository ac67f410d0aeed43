//! What goes into a file: the source's tensors under GGUF's names, in GGUF's order of rows, and the metadata.

use super::{FILE_TYPE, VERSION, dequantize};
use crate::config::{ModelConfig, RopePairing};
use crate::gguf::GgufSource;
use crate::gguf::names::{ROPE_FACTORS, ROPE_FREQS, in_file, rope_pairing};
use crate::gguf::write::{MetadataValue, Writer, dims, refuse_unsaid, rope_tensors};
use crate::quantize::{Choice, Recipe};
use crate::tokenizer::{AddBos, FimRole, MARKED_BPE, SpacePrefix, TokenType, TokenizerData, UNIGRAM};
use crate::{ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;
use std::collections::HashMap;
use std::path::Path;

/// A source with its metadata.
pub struct Input<'a> {
    source: &'a dyn WeightSource,
    path: &'a Path,
    metadata: Vec<(String, MetadataValue)>,
    /// Numbers of the configuration that a file holds as tensors.
    numbers: Vec<(&'static str, Vec<f32>)>,
    /// Whether the tokenizer is one that no reader of ours takes from a GGUF file.
    unigram: bool,
}

/// A tensor to be written.
pub(super) struct Item<'a> {
    pub(super) name: String,
    pub(super) dims: Vec<u64>,
    pub(super) rows: u64,
    pub(super) cols: u64,
    /// What the recipe asks for.
    pub(super) wanted: DType,
    pub(super) dtype: DType,
    data: Data<'a>,
}

enum Data<'a> {
    /// Above each other.
    Tensors(Vec<(&'a TensorInfo, Order)>),
    Numbers(&'a [f32]),
}

/// The rows of a tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Same,
    /// Heads of so many rows, whose pairs (i, i + dim/2) become neighbours; rows from `dim` up stay.
    Paired {
        head: u64,
        dim: u64,
    },
}

impl<'a> Input<'a> {
    /// A GGUF file: its metadata are carried over as they are.
    pub fn gguf(source: &'a GgufSource) -> Result<Self, ModelError> {
        let file = source.file();
        let mut metadata = Vec::new();
        for (key, value) in file.metadata() {
            // The alignment is the writer's, and the file is one.
            if key == "general.alignment" || key.starts_with("split.") {
                continue;
            }
            let value = MetadataValue::of(&value).ok_or_else(|| ModelError::InvalidUtf8 {
                path: file.path().into(),
                field: format!("the value of metadata key `{key}`"),
            })?;
            metadata.push((key.to_owned(), value));
        }
        let mut numbers = Vec::new();
        for name in [ROPE_FREQS, ROPE_FACTORS[0], ROPE_FACTORS[1]] {
            // Reading the configuration has checked that these are F32.
            if let Some(t) = file.tensor(name).filter(|t| t.type_id() == DType::F32 as u32) {
                let mut bytes = vec![0; t.bytes().unwrap_or(0) as usize];
                file.read(t, 0, &mut bytes)?;
                numbers.push((name, bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()));
            }
        }
        Ok(Self { source, path: file.path(), metadata, numbers, unigram: false })
    }

    /// Any other source, at `path`: metadata are made from its configuration and tokenizer.
    pub fn new(source: &'a dyn WeightSource, path: &'a Path, tokenizer: Option<&TokenizerData>) -> Self {
        let config = source.config();
        let mut writer = Writer::new().config(config);
        if let Some(t) = tokenizer {
            for (key, value) in tokenizer_metadata(t, config.vocab) {
                writer = writer.metadata(key, value);
            }
        }
        let unigram = tokenizer.is_some_and(|t| t.model == UNIGRAM);
        Self { source, path, metadata: writer.into_metadata(), numbers: rope_tensors(config), unigram }
    }

    /// Every tensor to be written.
    pub(super) fn items(&self, recipe: &Recipe) -> Result<Vec<Item<'_>>, ModelError> {
        let config = self.source.config();
        refuse_unsaid(config, self.path)?;
        // A GGUF file's own metadata are carried over; for others nobody writes yet how an encoder's vectors are made.
        let said = |(key, _): &(String, MetadataValue)| key.ends_with(".attention.layer_norm_epsilon");
        if self.source.find("embed_norm.weight").is_some() && !self.metadata.iter().any(said) {
            return Err(ModelError::Convert {
                path: self.path.into(),
                what: "this is an encoder, and encoders are not written as GGUF files yet".into(),
                remedy: "run the model from its own files (`akunu embed`)".into(),
            });
        }
        if self.unigram {
            return Err(ModelError::Convert {
                path: self.path.into(),
                what: "its tokenizer is a unigram model, and akunu reads none of these from a GGUF file"
                    .into(),
                remedy: "run the model from its own files".into(),
            });
        }
        let failed = |what: String| ModelError::Convert {
            path: self.path.into(),
            what,
            remedy: "it would be lost; use a model of a known architecture".into(),
        };
        if let Some(name) = self.source.unmapped().first() {
            return Err(failed(format!("tensor `{name}` has no place in a {} model", config.arch)));
        }
        let mut items: Vec<Item<'_>> =
            self.numbers.iter().map(|(name, v)| Item::of_numbers(name, v)).collect();
        let mut fused: Vec<(String, Vec<(usize, &TensorInfo)>)> = Vec::new();
        for t in self.source.tensors() {
            let (name, part) = in_file(&config.arch, &t.name)
                .ok_or_else(|| failed(format!("tensor `{}` has no name in a GGUF file", t.file_name)))?;
            match fused.iter_mut().rev().find(|f| f.0 == name) {
                Some(f) => f.1.push((part, t)),
                None => fused.push((name, vec![(part, t)])),
            }
        }
        let tied = self.source.find("output.weight").is_none();
        for (name, mut parts) in fused {
            parts.sort_by_key(|p| p.0);
            let Some(first) = parts.first().map(|p| p.1) else { continue };
            let rows: u64 = parts.iter().map(|p| p.1.rows).sum();
            let shape = TensorInfo { rows, ..first.clone() };
            let choice = if rows == 1 {
                Choice { wanted: DType::F32, dtype: DType::F32 }
            } else {
                recipe.choice(config, tied, &deciding_name(&parts), first.cols)
            };
            items.push(Item {
                name,
                dims: dims(&shape, config),
                rows,
                cols: first.cols,
                wanted: choice.wanted,
                dtype: choice.dtype,
                data: Data::Tensors(parts.iter().map(|(_, t)| (*t, order(t, config))).collect()),
            });
        }
        Ok(items)
    }

    /// The metadata, without those that say which formats the tensors have.
    pub(super) fn metadata(&self) -> impl Iterator<Item = &(String, MetadataValue)> {
        self.metadata.iter().filter(|(key, _)| key != FILE_TYPE && key != VERSION)
    }

    /// The source's path.
    pub(super) fn path(&self) -> &Path {
        self.path
    }

    /// Whether a file, by its canonical path, is one of the source's.
    pub(super) fn holds(&self, canonical: &Path) -> bool {
        self.source.holds(canonical)
    }

    /// The file of a tensor.
    pub(super) fn path_of(&self, t: &TensorInfo) -> &Path {
        self.source.path_of(t)
    }
}

/// The canonical name that decides the format: the first part's, except that queries, keys and values together have one
/// of their own.
fn deciding_name(parts: &[(usize, &TensorInfo)]) -> String {
    let name = parts.first().map_or("", |p| &p.1.name);
    if parts.len() == 3 { name.replace(".attention.q.", ".attention.qkv.") } else { name.to_owned() }
}

/// How a GGUF file orders the rows of a tensor.
fn order(t: &TensorInfo, c: &ModelConfig) -> Order {
    let rotated = t.name.contains(".attention.q.") || t.name.contains(".attention.k.");
    if rotated && c.rope.pairing == RopePairing::SplitHalf && rope_pairing(&c.arch) == RopePairing::Adjacent {
        Order::Paired { head: c.head_dim.into(), dim: c.rope.dim.into() }
    } else {
        Order::Same
    }
}

impl Order {
    /// The source's row that becomes row `row`.
    fn source(self, row: u64) -> u64 {
        match self {
            Self::Paired { head, dim } if row % head < dim => {
                let (start, within) = (row - row % head, row % head);
                start + within / 2 + within % 2 * (dim / 2)
            }
            _ => row,
        }
    }
}

impl<'a> Item<'a> {
    fn of_numbers(name: &str, values: &'a [f32]) -> Self {
        let cols = values.len() as u64;
        Self {
            name: name.into(),
            dims: vec![cols],
            rows: 1,
            cols,
            wanted: DType::F32,
            dtype: DType::F32,
            data: Data::Numbers(values),
        }
    }

    /// How many values it has.
    pub(super) fn values(&self) -> u64 {
        self.rows * self.cols
    }

    /// The tensors that it is made of.
    pub(super) fn tensors(&self) -> impl Iterator<Item = &'a TensorInfo> {
        let parts: &[(&'a TensorInfo, Order)] = match &self.data {
            Data::Tensors(parts) => parts,
            Data::Numbers(_) => &[],
        };
        parts.iter().map(|p| p.0)
    }

    /// Bytes in the source.
    pub(super) fn source_bytes(&self) -> u64 {
        match &self.data {
            Data::Tensors(parts) => parts.iter().map(|p| p.0.bytes).sum(),
            Data::Numbers(v) => v.len() as u64 * 4,
        }
    }

    /// The numbers that are its values, where it is made of no tensor.
    pub(super) fn numbers(&self) -> Option<&'a [f32]> {
        match &self.data {
            Data::Tensors(_) => None,
            Data::Numbers(v) => Some(v),
        }
    }

    /// Where rows `row..row + rows` come from, in order.
    pub(super) fn runs(&self, row: u64, rows: u64) -> Vec<Run<'a>> {
        let Data::Tensors(parts) = &self.data else { return Vec::new() };
        let (mut row, end) = (row, row + rows);
        let mut runs = Vec::new();
        let mut before = 0;
        for (tensor, order) in parts {
            let after = before + tensor.rows;
            while row < after.min(end) {
                let rows = match order {
                    Order::Same => after.min(end) - row,
                    Order::Paired { .. } => 1,
                };
                runs.push(Run { tensor, order: *order, row: order.source(row - before), rows });
                row += rows;
            }
            before = after;
        }
        runs
    }
}

/// Rows that lie one behind the other in the source and in the file.
pub(super) struct Run<'a> {
    tensor: &'a TensorInfo,
    order: Order,
    /// First row in the source's tensor.
    row: u64,
    pub(super) rows: u64,
}

impl Run<'_> {
    /// Whether the source's bytes are those of rows of `dtype` in the file.
    pub(super) fn is_copy(&self, dtype: DType) -> bool {
        self.tensor.dtype == dtype && !self.is_ordered_within()
    }

    /// A vector's elements are its rows.
    fn is_ordered_within(&self) -> bool {
        self.tensor.rows == 1 && self.order != Order::Same
    }

    /// Reads the rows in the source's format.
    pub(super) fn read_native(&self, input: &Input<'_>, out: &mut [u8]) -> Result<(), ModelError> {
        let t = self.tensor;
        let offset = self.row * t.dtype.row_bytes(t.cols);
        input.source.read(t, offset, out)?;
        input.source.check_finite(t, offset, out)
    }

    /// Reads the rows as values.
    pub(super) fn read(
        &self,
        input: &Input<'_>,
        out: &mut [f32],
        native: &mut Vec<u8>,
    ) -> Result<(), ModelError> {
        native.resize((self.rows * self.tensor.dtype.row_bytes(self.tensor.cols)) as usize, 0);
        self.read_native(input, native)?;
        dequantize(self.tensor, native, out);
        if self.is_ordered_within() {
            let values = out.to_vec();
            for (i, o) in out.iter_mut().enumerate() {
                *o = values[self.order.source(i as u64) as usize];
            }
        }
        Ok(())
    }
}

/// A tokenizer as `tokenizer.ggml.*`, with a token for each of the embedding's `rows`.
fn tokenizer_metadata(t: &TokenizerData, rows: u32) -> Vec<(&'static str, MetadataValue)> {
    let holes = t.tokens.len()..rows as usize;
    let tokens = t.tokens.iter().cloned().chain(holes.clone().map(|i| format!("[PAD{i}]")));
    let types = t.types.iter().copied().chain(holes.clone().map(|_| TokenType::Unused));
    // A file has no merges for text with marked spaces: the order of merges becomes a score.
    let marked = t.model == MARKED_BPE;
    let model = if marked { "llama" } else { &t.model };
    let mut out: Vec<(&'static str, MetadataValue)> = vec![
        ("tokenizer.ggml.model", model.into()),
        ("tokenizer.ggml.tokens", MetadataValue::strings(tokens)),
        ("tokenizer.ggml.token_type", MetadataValue::i32s(types.map(type_id))),
        ("tokenizer.ggml.add_bos_token", (t.add_bos == AddBos::Yes).into()),
        ("tokenizer.ggml.add_space_prefix", (t.space_prefix != SpacePrefix::None).into()),
    ];
    if let Some(pre) = t.pre.as_deref().or(marked.then_some("default")) {
        out.push(("tokenizer.ggml.pre", pre.into()));
    }
    let mut scores = if marked { scores_of_merges(t) } else { t.scores.clone() };
    if !scores.is_empty() {
        scores.resize(holes.end.max(scores.len()), UNMERGED);
        out.push(("tokenizer.ggml.scores", MetadataValue::f32s(scores)));
    }
    if !t.merges.is_empty() && !marked {
        out.push(("tokenizer.ggml.merges", MetadataValue::strings(t.merges.iter().map(String::as_str))));
    }
    let ends = ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"];
    let ids = [("tokenizer.ggml.bos_token_id", t.bos), ("tokenizer.ggml.unknown_token_id", t.unk)]
        .into_iter()
        .chain(ends.into_iter().zip(t.ends.iter().map(|e| Some(*e))))
        .chain(FimRole::ALL.map(|role| (role.key(), t.fim.get(role))));
    out.extend(ids.filter_map(|(key, id)| Some((key, id?.0.into()))));
    if let Some(template) = &t.chat_template {
        out.push(("tokenizer.chat_template", template.as_str().into()));
    }
    out
}

/// Score of a token that no merge makes: below those of all merges.
const UNMERGED: f32 = -1e9;

/// Scores that order merges as their list does: minus the place of the first merge that makes a token.
fn scores_of_merges(t: &TokenizerData) -> Vec<f32> {
    let mut places = HashMap::new();
    for (i, merge) in t.merges.iter().enumerate() {
        places.entry(merge.replacen(' ', "", 1)).or_insert(i);
    }
    t.tokens.iter().map(|text| places.get(text).map_or(UNMERGED, |i| -(*i as f32))).collect()
}

/// The id of a token's type in a file.
const fn type_id(t: TokenType) -> i32 {
    match t {
        TokenType::Normal => 1,
        TokenType::Unknown => 2,
        TokenType::Control => 3,
        TokenType::UserDefined => 4,
        TokenType::Unused => 5,
        TokenType::Byte => 6,
    }
}
