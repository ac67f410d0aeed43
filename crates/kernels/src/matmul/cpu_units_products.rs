//! Products of up to 32 rows with up to two tiles of weights on the matrix unit, and what happens between them (see `cpu_units.rs`).

use crate::matrix_unit::{MatrixUnit, ROW, TILE};
use std::arch::x86_64::*;

/// Blocks of 32 columns, of activations in two parts, after which the unit's stores are kept awake: 150 to 350 ns. (With activations in
/// one part it gained nothing, neither with many rows nor while a panel is refilled.)
const AWAKE: usize = 4;

/// What is asked for while a place is multiplied, of two tiles: so much in each of its steps that it is all on its way at the end.
pub(super) struct Ahead {
    pub(super) at: [*const u8; 2],
    /// Bytes of each tile, in a step and that are left.
    pub(super) each: usize,
    pub(super) left: usize,
}

impl Ahead {
    /// Asks for a step's share.
    #[inline(always)]
    fn step(&mut self) {
        if self.left == 0 {
            return;
        }
        for from in (0..self.each).step_by(ROW) {
            for at in self.at {
                // SAFETY: a prefetch of any address is harmless.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(at.wrapping_add(from).cast()) };
            }
        }
        self.at = self.at.map(|at| at.wrapping_add(self.each));
        self.left = self.left.saturating_sub(self.each);
    }
}

/// Products of up to 32 rows with up to two tiles of weights, over some blocks of columns.
pub(super) struct Products {
    /// Where 16 rows each begin, and how far one is from the next.
    pub(super) x: [(*const u8, usize); 2],
    pub(super) w: [*const u8; 2],
    pub(super) blocks: usize,
    /// `[2 times 16 rows][2 tiles]`, each one of the unit's tiles.
    pub(super) sums: *mut f32,
    /// Whether the sums mean nothing yet.
    pub(super) first: bool,
}

/// What happens between the products of a block, which it is given.
///
/// # Safety
/// [`Products::run`] calls these in order, once a block. What they write of the panel is read by no later product: these are its last.
pub(super) trait Between {
    /// After a load or a product, in the `I`-th of eight places. The panel's first tile of the block is in the unit from the first
    /// place on, the second from the third on: their memory is free. Only of blocks whose tiles have one part.
    ///
    /// # Safety
    /// As the trait's.
    unsafe fn part<const I: usize>(&mut self, _: usize) {}
    /// After all products of a block, when the memory of all its tiles is free.
    ///
    /// # Safety
    /// As the trait's.
    unsafe fn block(&mut self, _: usize) {}
}

impl Between for () {}

impl Products {
    /// With nothing between.
    ///
    /// # Safety
    /// As [`Self::run`].
    #[inline(always)]
    pub(super) unsafe fn multiply<U: MatrixUnit, const X: usize, const W: usize>(
        &self,
        unit: &mut U,
        high: bool,
        wide: bool,
        ahead: &mut Ahead,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            match (high, wide) {
                (true, true) => self.run::<U, X, W, 2, 2>(unit, ahead, &mut ()),
                (true, false) => self.run::<U, X, W, 2, 1>(unit, ahead, &mut ()),
                (false, true) => self.run::<U, X, W, 1, 2>(unit, ahead, &mut ()),
                (false, false) => self.run::<U, X, W, 1, 1>(unit, ahead, &mut ()),
            }
        }
    }

    /// Adds the products of `R` times 16 rows and `C` tiles of weights to their sums, which are left there.
    ///
    /// # Safety
    /// Rows and weights of so many blocks are there, and the sums; the machine has the unit.
    #[inline(always)]
    pub(super) unsafe fn run<
        U: MatrixUnit,
        const X: usize,
        const W: usize,
        const R: usize,
        const C: usize,
    >(
        &self,
        unit: &mut U,
        ahead: &mut Ahead,
        between: &mut impl Between,
    ) {
        let (x, sums) = (self.x, self.sums.cast::<u8>());
        // SAFETY: the caller's promise. Sums are in the unit's tiles 0 to 3, rows in 4 and 5, weights in 6 and 7.
        unsafe {
            macro_rules! each_sum {
                ($do:ident $(, $by:expr)?) => {
                    unit.$do::<0>($(sums, $by)?);
                    if C == 2 {
                        unit.$do::<1>($(sums.add(TILE), $by)?);
                    }
                    if R == 2 {
                        unit.$do::<2>($(sums.add(2 * TILE), $by)?);
                    }
                    if R == 2 && C == 2 {
                        unit.$do::<3>($(sums.add(3 * TILE), $by)?);
                    }
                };
            }
            if self.first {
                each_sum!(zero);
            } else {
                each_sum!(load_once, ROW);
            }
            for b in 0..self.blocks {
                ahead.step();
                for part in 0..W {
                    let [w, second] = self.w.map(|w| w.add((b * W + part) * TILE));
                    // The rests of both sides do not meet.
                    for x_part in 0..X - part {
                        let at = (b * X + x_part) * ROW;
                        unit.load_once::<4>(x[0].0.add(at), x[0].1);
                        if x_part == 0 {
                            unit.load::<6>(w, ROW);
                        }
                        between.part::<0>(b);
                        if R == 2 {
                            unit.load_once::<5>(x[1].0.add(at), x[1].1);
                        }
                        between.part::<1>(b);
                        unit.product::<0, 4, 6>();
                        if C == 2 && x_part == 0 {
                            unit.load::<7>(second, ROW);
                        }
                        between.part::<2>(b);
                        between.part::<3>(b);
                        if R == 2 {
                            unit.product::<2, 5, 6>();
                        }
                        between.part::<4>(b);
                        if C == 2 {
                            unit.product::<1, 4, 7>();
                        }
                        between.part::<5>(b);
                        if R == 2 && C == 2 {
                            unit.product::<3, 5, 7>();
                        }
                        between.part::<6>(b);
                        between.part::<7>(b);
                    }
                }
                between.block(b);
                if X == 2 && (b + 1).is_multiple_of(AWAKE) && b + 1 < self.blocks {
                    unit.keep_stores_awake();
                }
            }
            each_sum!(store, ROW);
        }
    }
}
