//! Walks: the ways through a program's weights and regions, each of which becomes tables.

/// One way through a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Walk {
    /// Tokens through all layers to logits and a draw: decode, prefill and scoring, which differ in their shape.
    Tokens(Shape),
    /// The context shift: the keys that stay are rotated to their new positions.
    Shift,
}

impl From<Shape> for Walk {
    fn from(shape: Shape) -> Self {
        Self::Tokens(shape)
    }
}

/// The shape of a table of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows it serves at most.
    pub rows: u32,
    /// Of those, the rows that may get logits.
    pub head_rows: u32,
}

impl Shape {
    /// What a table that shifts says it serves.
    pub(crate) const ONE: Self = Self { rows: 1, head_rows: 1 };
}

/// Row counts of the token tables for so many positions: a ladder of the target, cut to them.
pub fn ladder(steps: &[u32], positions: u32) -> Vec<u32> {
    let mut v: Vec<u32> = steps.iter().map(|r| cut(*r, positions)).collect();
    v.dedup();
    v
}

/// The last of the ladder. Asked for in every step of a batch, so no list is made.
pub(crate) fn most_rows(steps: &[u32], positions: u32) -> u32 {
    steps.last().map_or(1, |r| cut(*r, positions))
}

fn cut(rows: u32, context: u32) -> u32 {
    rows.clamp(1, context.max(1))
}
