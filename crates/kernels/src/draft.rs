//! What a sequence drafts by.

use crate::words::shared;

shared! {
    /// How a sequence drafts, and what came of it.
    pub struct Draft {
        /// The most tokens drafted for a step; 0 drafts none.
        pub most: u32,
        /// The most where fewer than [`SURE`](crate::accept::lookup::SURE) tokens agree with what came before.
        pub unsure: u32,
        /// The fewest tokens that must agree with what came before.
        pub least: u32,
        /// Drafts verified.
        pub drafted: u32,
        /// Of those, the ones that were drawn.
        pub accepted: u32,
    }
}
