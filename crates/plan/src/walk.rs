//! Walks: the ways through a program's weights and regions, each of which becomes tables.

use akunu_kernels::pooling::{Normalize, Pooling};
use akunu_kernels::step::RowCount;

/// One way through a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// Tokens through all layers to logits and a draw: decode, prefill and scoring, which differ in their shape.
    Tokens(Shape),
    /// The same without the draw, which [`Walk::Draw`] makes once the host has said which tokens it may take.
    Logits(Shape),
    /// The draw from what a table of [`Walk::Logits`] of the same shape has left.
    Draw(Shape),
    /// Tokens through all layers to what the output head would read of the heads. Nothing is drawn.
    Hidden(Shape),
    /// Tokens through all layers to logits for the host, which draws by itself.
    HostLogits(Shape),
    /// The same without logits: the scores of the audio by some heads (`Program::alignment`) are left for the host.
    Align(Shape),
    /// Whole texts through all layers to one vector each.
    Encode(Encode),
    /// One window of audio through its encoder to the keys and values that the decoder reads.
    EncodeAudio,
    /// The context shift: the keys that stay are rotated to their new positions.
    Shift,
}

impl From<Shape> for Walk {
    fn from(shape: Shape) -> Self {
        Self::Tokens(shape)
    }
}

/// The shape of a table that encodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encode {
    /// Rows it serves at most.
    pub rows: RowCount,
    /// Which rows a text's vector is made of.
    pub pooling: Pooling,
    /// Whether it is divided by its length.
    pub normalize: Normalize,
}

impl From<Encode> for Walk {
    fn from(shape: Encode) -> Self {
        Self::Encode(shape)
    }
}

/// The shape of a table of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows it serves at most.
    pub rows: RowCount,
    /// Of those, the rows that may get logits.
    pub head_rows: RowCount,
    /// How it draws.
    pub draw: Draw,
    /// What it does with what it has drawn.
    pub ending: Ending,
}

/// What a table of tokens does at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Takes one draw of each sequence.
    #[default]
    Advance,
    /// Verifies each sequence's drafts, takes as many draws as they met, and drafts anew.
    Accept,
}

/// How many steps of a table are submitted at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Steps {
    /// As many as one likes.
    #[default]
    Many,
    /// One: the host does something between two.
    Single,
}

/// How a table draws. Where a sequence's settings allow both, it draws the same token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Draw {
    /// By min-p and temperature.
    #[default]
    Plain,
    /// With all samplers, biases and masks.
    Full,
}

impl Shape {
    /// What a table that shifts says it serves.
    pub(crate) const ONE: Self = Self::new(RowCount(1), RowCount(1));

    /// A table that draws plainly.
    pub const fn new(rows: RowCount, head_rows: RowCount) -> Self {
        Self { rows, head_rows, draw: Draw::Plain, ending: Ending::Advance }
    }

    /// The same, drawing otherwise.
    pub const fn drawing(self, draw: Draw) -> Self {
        Self { draw, ..self }
    }

    /// A table that verifies drafts, of rows that all draw.
    pub const fn drafting(rows: RowCount) -> Self {
        Self { rows, head_rows: rows, draw: Draw::Plain, ending: Ending::Accept }
    }
}

/// Row counts of the token tables for so many positions: a ladder of the target, cut to them.
pub fn ladder(steps: &[RowCount], positions: u32) -> Vec<RowCount> {
    let mut v: Vec<RowCount> = steps.iter().map(|r| cut(*r, positions)).collect();
    v.dedup();
    v
}

/// The last of the ladder. Asked for in every step of a batch, so no list is made.
pub(crate) fn most_rows(steps: &[RowCount], positions: u32) -> RowCount {
    steps.last().map_or(RowCount(1), |r| cut(*r, positions))
}

fn cut(rows: RowCount, context: u32) -> RowCount {
    RowCount(rows.0.clamp(1, context.max(1)))
}
