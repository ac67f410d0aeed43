//! What goes into a file: the source's tensors under GGUF's names, in GGUF's order of rows, and the metadata; or, of a model of speech,
//! under the names of whisper.cpp's files, and what these begin with.

use super::{FILE_TYPE, QUANTIZATION_VERSION, VERSION, dequantize, tokenizer};
use crate::config::{ModelConfig, Purpose, RopePairing};
use crate::ggml::GgmlSource;
use crate::ggml::write::{self, Described, Head};
use crate::gguf::GgufSource;
use crate::gguf::names::{ROPE_FACTORS, ROPE_FREQS, in_file, rope_pairing};
use crate::gguf::write::{FileLayout, MetadataValue, Writer, dims, refuse_unsaid, rope_tensors};
use crate::quantize::{Choice, Recipe};
use crate::tokenizer::TokenizerData;
use crate::{ModelError, TensorInfo, WeightSource};
use akunu_kernels::DType;
use std::io;
use std::path::Path;

/// The table of position embeddings.
const POSITIONS: &str = "positions.weight";
/// Tables whose rows are added to embeddings: small, and readers want them in full.
const ADDED: [&str; 2] = [POSITIONS, "segments.weight"];

/// A source with its metadata.
pub struct Input<'a> {
    source: &'a dyn WeightSource,
    path: &'a Path,
    container: Container,
    /// What a file cannot say, and readers take to be otherwise.
    lost: Vec<String>,
}

/// The kind of file that is made, and what is no tensor in it.
enum Container {
    Gguf {
        metadata: Vec<(String, MetadataValue)>,
        /// Numbers of the configuration that a file holds as tensors.
        numbers: Vec<(&'static str, Vec<f32>)>,
        /// What the tokenizer does and a GGUF file cannot say.
        unsaid: Option<String>,
    },
    /// As whisper.cpp reads them.
    Ggml(Head),
}

/// A file before its data.
#[derive(Default)]
pub(super) struct Layout {
    /// What is no tensor's data, and where it belongs.
    pub(super) heads: Vec<(u64, Vec<u8>)>,
    /// First byte and bytes of each item.
    pub(super) data: Vec<(u64, u64)>,
    /// Of the whole file.
    pub(super) bytes: u64,
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
    /// Those from this one on.
    From(u64),
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
        Ok(Self {
            source,
            path: file.path(),
            container: Container::Gguf { metadata, numbers, unsaid: None },
            lost: Vec::new(),
        })
    }

    /// Any other source, at `path`: metadata are made from its configuration and tokenizer.
    pub fn new(source: &'a dyn WeightSource, path: &'a Path, tokenizer: Option<&TokenizerData>) -> Self {
        let config = source.config();
        let mut writer = Writer::new().config(config);
        let mut unsaid = None;
        match tokenizer.map(|t| tokenizer::metadata(t, config.vocab)) {
            None => {}
            Some(Ok(entries)) => {
                for (key, value) in entries {
                    writer = writer.metadata(key, value);
                }
            }
            Some(Err(what)) => unsaid = Some(what),
        }
        let container =
            Container::Gguf { metadata: writer.into_metadata(), numbers: rope_tensors(config), unsaid };
        Self { source, path, container, lost: Vec::new() }
    }

    /// A file of whisper.cpp, at `path`, which becomes another one.
    pub fn ggml(source: &'a GgmlSource, path: &'a Path) -> Result<Self, ModelError> {
        Ok(Self { source, path, container: Container::Ggml(Head::of(source)?), lost: Vec::new() })
    }

    /// Any other model of speech, at `path`, which becomes a file of whisper.cpp. `filters` are the mel filters, `[mels, 201]`.
    pub fn speech(
        source: &'a dyn WeightSource,
        path: &'a Path,
        tokenizer: Option<&TokenizerData>,
        filters: &[f32],
    ) -> Result<Self, ModelError> {
        let (head, lost) = Head::new(path, source.config(), tokenizer, filters)?;
        Ok(Self { source, path, container: Container::Ggml(head), lost })
    }

    /// What the file cannot say of the model, each in words; readers take it to be otherwise, and the model still runs.
    pub fn lost(&self) -> &[String] {
        &self.lost
    }

    /// Every tensor to be written.
    pub(super) fn items(&self, recipe: &Recipe) -> Result<Vec<Item<'_>>, ModelError> {
        let config = self.source.config();
        let failed = |what: String| ModelError::Convert {
            path: self.path.into(),
            what,
            remedy: "it would be lost; use a model of a known architecture".into(),
        };
        if let Some(name) = self.source.unmapped().first() {
            return Err(failed(format!("tensor `{name}` has no place in a {} model", config.arch)));
        }
        let (metadata, numbers, unsaid) = match &self.container {
            Container::Ggml(_) => return self.speech_items(recipe),
            Container::Gguf { metadata, numbers, unsaid } => (metadata, numbers, unsaid),
        };
        refuse_unsaid(config, self.path)?;
        self.refuse_unread(metadata, unsaid.as_deref())?;
        let mut items: Vec<Item<'_>> = numbers.iter().map(|(name, v)| Item::of_numbers(name, v)).collect();
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
            let rows: u64 = parts.iter().map(|(_, t)| order(t, config).rows(t)).sum();
            let shape = TensorInfo { rows, ..first.clone() };
            let choice = if rows == 1 || ADDED.contains(&&*first.name) {
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

    /// The tensors of a file of whisper.cpp.
    fn speech_items(&self, recipe: &Recipe) -> Result<Vec<Item<'_>>, ModelError> {
        let item = |t: &'a TensorInfo| {
            let Described { name, dims, dtype } = Described::of(self.path, t, recipe)?;
            let data = Data::Tensors(vec![(t, Order::Same)]);
            Ok(Item { name, dims, rows: t.rows, cols: t.cols, wanted: dtype, dtype, data })
        };
        self.source.tensors().iter().map(item).collect()
    }

    /// Refuses what no reader of ours would take from the file.
    fn refuse_unread(
        &self,
        metadata: &[(String, MetadataValue)],
        unsaid: Option<&str>,
    ) -> Result<(), ModelError> {
        let refused = |what: String| ModelError::Convert {
            path: self.path.into(),
            what,
            remedy: "run the model from its own files".into(),
        };
        // (A GGUF file's own metadata are carried over.)
        let said = |(key, _): &(String, MetadataValue)| key.ends_with(".attention.layer_norm_epsilon");
        if self.source.find("embed_norm.weight").is_some() && !metadata.iter().any(said) {
            let arch = &self.source.config().arch;
            return Err(refused(format!("this is a {arch} encoder, and akunu reads none from a GGUF file")));
        }
        if self.source.config().encoder.as_ref().is_some_and(|e| e.purpose == Purpose::Score) {
            let what = "this is a classifier of pairs of texts, and akunu reads none from a GGUF file";
            return Err(refused(what.into()));
        }
        match unsaid {
            Some(what) => {
                Err(refused(format!("its tokenizer has a step that a GGUF file cannot say: {what}")))
            }
            None => Ok(()),
        }
    }

    /// The number that a file of its kind has for a recipe; `Err` names the recipes that have one.
    pub(super) fn file_type(&self, recipe: &Recipe) -> Result<u32, (&'static str, Vec<&'static str>)> {
        match &self.container {
            Container::Gguf { .. } => {
                recipe.file_type.ok_or_else(|| ("a GGUF file", Recipe::names().collect()))
            }
            Container::Ggml(_) => {
                write::number(recipe).ok_or_else(|| ("a file of whisper.cpp", write::recipes().collect()))
            }
        }
    }

    /// Where everything lies in the file.
    pub(super) fn layout(&self, items: &[Item<'_>], file_type: u32) -> io::Result<Layout> {
        match &self.container {
            Container::Gguf { metadata, .. } => {
                let mut writer = Writer::new();
                // Those that say which formats the tensors have are the writer's.
                for (key, value) in metadata.iter().filter(|(key, _)| key != FILE_TYPE && key != VERSION) {
                    writer = writer.metadata(key, value.clone());
                }
                writer = writer.metadata(FILE_TYPE, file_type).metadata(VERSION, QUANTIZATION_VERSION);
                for i in items {
                    writer = writer.tensor(&i.name, &i.dims, i.dtype);
                }
                let FileLayout { header, data, bytes } = writer.layout()?;
                Ok(Layout { heads: vec![(0, header)], data, bytes })
            }
            Container::Ggml(head) => {
                let mut layout = Layout { heads: vec![(0, head.bytes(file_type))], ..Layout::default() };
                layout.bytes = layout.heads.iter().map(|h| h.1.len() as u64).sum();
                for i in items {
                    let own = write::tensor_head(&i.name, &i.dims, i.dtype);
                    let at = layout.bytes + own.len() as u64;
                    let bytes = i.rows * i.dtype.row_bytes(i.cols);
                    layout.heads.push((layout.bytes, own));
                    layout.data.push((at, bytes));
                    layout.bytes = at + bytes;
                }
                Ok(layout)
            }
        }
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
    let first = c.encoder.as_ref().map_or(0, |e| u64::from(e.first_position));
    if t.name == POSITIONS && first > 0 && first < t.rows {
        return Order::From(first);
    }
    let rotated = t.name.contains(".attention.q.") || t.name.contains(".attention.k.");
    if rotated && c.rope.pairing == RopePairing::SplitHalf && rope_pairing(&c.arch) == RopePairing::Adjacent {
        Order::Paired { head: c.head_dim.into(), dim: c.rope.dim.into() }
    } else {
        Order::Same
    }
}

impl Order {
    /// How many rows of a tensor there are in the file.
    fn rows(self, t: &TensorInfo) -> u64 {
        match self {
            Self::From(first) => t.rows - first,
            _ => t.rows,
        }
    }

    /// The source's row that becomes row `row`.
    fn source(self, row: u64) -> u64 {
        match self {
            Self::Paired { head, dim } if row % head < dim => {
                let (start, within) = (row - row % head, row % head);
                start + within / 2 + within % 2 * (dim / 2)
            }
            Self::From(first) => first + row,
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
            let after = before + order.rows(tensor);
            while row < after.min(end) {
                let rows = match order {
                    Order::Same | Order::From(_) => after.min(end) - row,
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
        self.tensor.rows == 1 && matches!(self.order, Order::Paired { .. })
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
