//! A program: regions shared by named tables, for one model on one target with one context length.

use crate::arch::{ArchDescriptor, LayerAttention, Output, Reads};
use crate::cache::Cache;
use crate::region::{Region, RegionDecl};
use crate::settings::Settings;
use crate::walk::{Draw, Encode, Shape, Walk, ladder, most_rows};
use crate::weights::{Slot, SlotId, Weights};
use crate::{PlanError, Target, VerifiedTable};
use akunu_kernels::accept::MAX_HEADS;
use akunu_kernels::act::ActFormat;
use akunu_kernels::step::{Capacity, RowCount};
use akunu_kernels::target::{Products, Staged};
use akunu_kernels::{DType, Layout};
use akunu_model::ModelConfig;

mod gated;
mod make;

pub(crate) use gated::Gated;

/// Everything needed to build tables: weights, regions, and the walks that become tables ([`Program::table`]).
#[derive(Clone, Debug)]
pub struct Program {
    /// The descriptor.
    pub arch: &'static ArchDescriptor,
    /// The hyperparameters.
    pub config: ModelConfig,
    /// The device's side.
    pub target: Target,
    /// Context and head rows.
    pub settings: Settings,
    /// The KV cache.
    pub cache: Cache,
    /// The weights region.
    pub weights: Weights,
    /// The most tokens that are drafted for a sequence's next step.
    pub drafts: u32,
    /// Windows of audio whose keys and values there is room for, where the model hears.
    pub sources: u32,
    /// (layer, head) of the cross attention whose scores the table of [`Walk::Align`] leaves; none where nobody asks when words are said.
    pub alignment: Vec<(u32, u32)>,
    /// All regions, in the order of [`Region`].
    pub regions: Vec<RegionDecl>,
}

impl Program {
    /// The most rows that a table may have which verifies drafts.
    pub(crate) fn most_drafting_rows(&self) -> RowCount {
        let family = self.target.family(RowCount(1)).rows;
        RowCount(family.0.min(MAX_HEADS).min(self.settings.positions()).max(1))
    }

    /// Rows of the table that verifies drafts; 0 without any.
    pub fn verified_rows(&self) -> RowCount {
        RowCount(self.drafting_heads())
    }

    /// Rows that draw in a table that verifies drafts; 0 without any.
    fn drafting_heads(&self) -> u32 {
        match (self.drafts, self.settings.batch) {
            (0, _) => 0,
            (n, None) => n + 1,
            (_, Some(_)) => self.most_drafting_rows().0,
        }
    }

    /// Whether its tables make vectors of whole texts, and draw nothing.
    pub fn is_encoder(&self) -> bool {
        self.arch.output == Output::Pooled
    }

    /// Whether its decoder reads audio: it has the walks `EncodeAudio`, `HostLogits` and `Align`, and no other.
    pub fn hears(&self) -> bool {
        self.arch.reads == Reads::Audio
    }

    /// Rows of the table that encodes a window of audio: its positions.
    pub fn encoded_rows(&self) -> RowCount {
        RowCount(self.config.audio.as_ref().map_or(0, |a| a.positions))
    }

    /// Rows of the table that aligns: the most of the ladder, and no more than a text has tokens.
    pub fn alignment_rows(&self) -> RowCount {
        most_rows(self.steps(), self.settings.context)
    }

    /// Bytes from one head's scores to the next one's.
    pub fn alignment_stride(&self) -> u64 {
        let row = u64::from(self.encoded_rows().0) * 4;
        (u64::from(self.alignment_rows()) * row).next_multiple_of(64)
    }

    /// The table that leaves the scores of [`Self::alignment`] of a text's tokens.
    pub fn alignment_table(&self) -> Result<VerifiedTable, PlanError> {
        self.table("align", Walk::Align(self.shape(self.alignment_rows())))
    }

    /// The table that encodes a window of audio.
    pub fn encode_audio_table(&self) -> Result<VerifiedTable, PlanError> {
        self.table("encode_audio", Walk::EncodeAudio)
    }

    /// The table of so many rows, a rung of the ladder, that ends in logits: `logits8`.
    pub fn logits_table(&self, rows: RowCount) -> Result<VerifiedTable, PlanError> {
        self.table(&format!("logits{rows}"), Walk::HostLogits(self.shape(rows)))
    }

    /// Row counts of an encoder's tables, ascending: the target's for encoders, or its rungs of a batch that are of many rows, and one that
    /// holds the longest text. All are of one family.
    pub fn encode_ladder(&self) -> Vec<RowCount> {
        let few = self.target.family(RowCount(1)).rows;
        let mut rungs: Vec<RowCount> = match self.target.encoder_rows {
            Some(rows) => vec![rows],
            None => self.target.batch_ladder.iter().copied().filter(|r| *r > few).collect(),
        };
        let longest = RowCount(self.settings.context);
        if rungs.last().is_none_or(|r| *r < longest) {
            rungs.push(longest);
        }
        rungs
    }

    /// The table of an encoder of so many rows, `encode512`.
    pub fn encode_table(&self, shape: Encode) -> Result<VerifiedTable, PlanError> {
        self.table(&format!("encode{}", shape.rows), shape)
    }

    /// Row counts of the token tables: the target's ladder, cut to the context, or to what a batch's cache holds.
    pub fn ladder(&self) -> Vec<RowCount> {
        ladder(self.steps(), self.settings.positions())
    }

    /// Rows of a session's next step, of a prompt of which `left` are left. Asked for in every draw, so nothing is allocated.
    pub fn next_rows(&self, left: u32) -> u32 {
        let most = most_rows(self.steps(), self.settings.positions()).0;
        // Experts are dequantized on their way in every table, and mostly wait for their bytes: one step reads them once.
        let experts = self.config.experts.is_some();
        if left >= most || experts || self.target.staged_from.is_none_or(|from| left >= from.0) {
            return left.min(most);
        }
        let on_the_way = |rows: &&RowCount| self.target.family(**rows).products == Products::OnTheWay;
        let Some(rows) = self.steps().iter().rfind(on_the_way).filter(|rows| rows.0 < left) else {
            return left;
        };
        let stages = |s: &Slot| s.layout == Layout::Planes && s.staged.is_some();
        if self.weights.slots.iter().any(stages) { rows.0 } else { left }
    }

    /// Rows of its last step, which draws.
    pub fn last_rows(&self, left: u32) -> u32 {
        let mut last = left;
        loop {
            match self.next_rows(last) {
                rows if rows < last => last -= rows,
                _ => return last,
            }
        }
    }

    /// The target's ladder of a session or a batch.
    fn steps(&self) -> &[RowCount] {
        if self.settings.batch.is_some() { &self.target.batch_ladder } else { &self.target.ladder }
    }

    /// Sizes of the step block.
    pub fn capacity(&self) -> Capacity {
        let rows = most_rows(self.steps(), self.settings.positions()).max(self.settings.head_rows);
        let rows = rows.max(RowCount(self.drafting_heads()));
        if self.is_encoder() {
            let rows = self.encode_ladder().last().copied().unwrap_or(rows);
            return Capacity { seqs: ENCODED, rows, heads: ENCODED };
        }
        let rows = if self.hears() { rows.max(self.encoded_rows()) } else { rows };
        match self.settings.batch {
            Some(b) => Capacity { seqs: b.sequences, rows, heads: b.sequences.max(self.drafting_heads()) },
            None => Capacity { heads: self.drafting_heads(), ..Capacity::session(rows) },
        }
    }

    /// The table of `rows` rows of the ladder. A batch's heads are computed as its rows are: where these are on matrix units, so
    /// are they, however few sequences there may be.
    pub fn shape(&self, rows: RowCount) -> Shape {
        let Some(batch) = self.settings.batch else { return Shape::new(rows, RowCount(1)) };
        let (own, mut heads) = (self.target.family(rows), RowCount(batch.sequences).min(rows));
        while heads < rows && self.target.family(heads).products != own.products {
            heads = RowCount(self.target.family(heads).rows.0.saturating_add(1)).min(rows);
        }
        Shape::new(rows, heads)
    }

    /// The tables of tokens, one for each row count of the ladder, ascending: `decode`, `rows8` and so on of a session, `batch1`,
    /// `batch8` and so on of a batch.
    pub fn token_tables(&self) -> impl Iterator<Item = Result<VerifiedTable, PlanError>> {
        self.ladder().into_iter().map(|rows| {
            let name = match (self.settings.batch, rows) {
                (Some(_), _) => format!("batch{rows}"),
                (None, RowCount(1)) => "decode".to_owned(),
                (None, _) => format!("rows{rows}"),
            };
            self.table(&name, self.shape(rows))
        })
    }

    /// The tables of a batch that end in the hidden states of its heads and draw nothing: those of the ladder that are of the largest one's
    /// family, ascending, so that a sequence's numbers do not depend on what else is in a step.
    pub fn hidden_tables(&self) -> impl Iterator<Item = Result<VerifiedTable, PlanError>> {
        let family = |rows: RowCount| self.target.family(rows).rows;
        let ladder = self.ladder();
        let last = ladder.last().copied().map(family);
        let of_last = ladder.into_iter().filter(move |rows| Some(family(*rows)) == last);
        of_last.map(|rows| self.table(&format!("hidden{rows}"), Walk::Hidden(self.shape(rows))))
    }

    /// The table of a row count of the ladder that draws with all samplers.
    pub fn sampled_table(&self, rows: RowCount) -> Result<VerifiedTable, PlanError> {
        let name = if self.settings.batch.is_some() { "sampled_batch" } else { "sampled" };
        self.table(&format!("{name}{rows}"), self.shape(rows).drawing(Draw::Full))
    }

    /// The same in two tables, logits and draw: the host says which tokens may be drawn while the first one runs.
    pub fn split_tables(&self, rows: RowCount) -> Result<[VerifiedTable; 2], PlanError> {
        let of = if self.settings.batch.is_some() { "_batch" } else { "" };
        let shape = self.shape(rows).drawing(Draw::Full);
        let logits = self.table(&format!("logits{of}{rows}"), Walk::Logits(shape))?;
        Ok([logits, self.table(&format!("draw{of}{rows}"), Walk::Draw(shape))?])
    }

    /// The table of `rows` rows that verifies drafts.
    pub fn drafting_table(&self, rows: RowCount, draw: Draw) -> Result<VerifiedTable, PlanError> {
        let name = match (self.settings.batch, draw) {
            (Some(_), Draw::Plain) => "drafting_batch",
            (Some(_), Draw::Full) => "sampled_drafting_batch",
            (None, Draw::Plain) => "drafting",
            (None, Draw::Full) => "sampled_drafting",
        };
        self.table(&format!("{name}{rows}"), Shape::drafting(rows).drawing(draw))
    }

    /// The table that makes room in a full context.
    pub fn shift_table(&self) -> Result<VerifiedTable, PlanError> {
        self.table(if self.settings.batch.is_some() { "batch_shift" } else { "shift" }, Walk::Shift)
    }

    /// Rows that any table may have logits of.
    pub(crate) fn head_rows(&self) -> RowCount {
        self.settings.head_rows.max(self.drawn_rows())
    }

    /// Rows that any table may draw for.
    pub(crate) fn drawn_rows(&self) -> RowCount {
        let tables = self.ladder().into_iter().map(|rows| self.shape(rows).head_rows);
        tables.fold(RowCount(self.drafting_heads().max(1)), RowCount::max)
    }

    /// Slots of a sequence's token belt: the context and one more, where the last drawn token lands.
    pub fn max_seq(&self) -> u32 {
        self.settings.context + 1
    }

    /// Layer `i`'s attention.
    pub(crate) fn layer_attention(&self, i: u32) -> LayerAttention {
        self.arch.attention(&self.config, i)
    }

    /// How a slot's product in a table of `rows` rows runs where that is not as in one of few rows.
    pub(crate) fn staged(&self, id: SlotId, rows: RowCount) -> Option<Staged> {
        let s = self.weights.slot(id);
        match self.target.family(rows).products {
            Products::Direct => None,
            Products::OnTheWay if s.layout == Layout::Planes => {
                s.staged.map(|staged| Staged { dtype: s.dtype, ..staged })
            }
            Products::OnTheWay | Products::Staged => s.staged,
        }
    }

    /// The input format of a slot's product in a table of this many rows.
    pub(crate) fn act(&self, id: SlotId, rows: RowCount) -> ActFormat {
        self.staged(id, rows).map_or(self.weights.slot(id).act, |staged| staged.act)
    }

    /// The format and layout in which a product of this many rows takes a slot's weights: as they lie, or staged.
    pub(crate) fn taken(&self, id: SlotId, rows: RowCount) -> (DType, Layout) {
        let s = self.weights.slot(id);
        match self.staged(id, rows).filter(|staged| staged.dtype != s.dtype) {
            Some(staged) => (staged.dtype, Layout::Staged),
            None => (s.dtype, s.layout),
        }
    }

    /// Activation format of the output head.
    pub fn head_act(&self) -> ActFormat {
        let act = self.weights.slot(self.weights.head).act;
        self.target.head_act.filter(|_| act == ActFormat::Q8).unwrap_or(act)
    }

    /// Activation format of the output head in a table with `rows` rows that draw. One of 8 bits, which a product of many rows may
    /// want, is no more for a head than it is in small tables.
    pub(crate) fn head_act_of(&self, rows: RowCount) -> ActFormat {
        let staged = self.staged(self.weights.head, rows).map(|staged| staged.act);
        staged
            .filter(|act| !matches!(act, ActFormat::Q8Paired | ActFormat::Q8Quads))
            .unwrap_or_else(|| self.head_act())
    }

    /// The declaration of a region.
    pub fn region(&self, r: Region) -> &RegionDecl {
        &self.regions[r as usize]
    }
}

/// Weights of an encoder's score, which the host computes of a text's vector.
pub const HOST_WEIGHTS: [&str; 4] =
    ["score.dense.weight", "score.dense.bias", "score.output.weight", "score.output.bias"];

/// The most texts that an encoder takes in a step.
pub const ENCODED: u32 = 128;

/// The most sequences of a batch; a step block lists them, and devices check each step's rows against the list.
pub const MAX_SEQUENCES: u32 = 1024;

/// The most blocks of a batch's KV cache.
pub const MAX_BLOCKS: u32 = 1 << 24;
