//! `expert_group`: slots in the order of their experts, cut into tiles, so that a product of many rows reads each
//! expert's matrix once for all its rows.
//!
//! A *slot* is a row and one of its experts, numbered `row * used + j`. A *tile* is up to `tile` slots of one expert.
//! How many tiles there are depends on the routes; the commands that follow count them on the device.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::route::{Choice, experts_fit};
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct ExpertGroupConsts {
        /// Experts to choose from.
        pub experts: u32,
        /// Experts of a row.
        pub used: u32,
        /// Most slots of a tile.
        pub tile: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Slots of one expert that are multiplied together.
    pub struct Tile {
        /// The expert.
        pub expert: u32,
        /// Place of the first slot in the order.
        pub first: u32,
        /// Number of slots.
        pub slots: u32,
        /// Zero.
        pub reserved: u32,
    }
}

/// The contract. Bindings: step block; routes `[rows, used]` of [`Choice`]; groups: the number of tiles and three
/// zeros, `u32`; then tiles `[most_tiles]` of [`Tile`], by expert; then the order `[max_rows * used] u32`, the slots by
/// expert, ascending within one.
pub static KERNEL: Kernel = Kernel {
    name: "expert_group",
    bindings: &[reads("step"), reads("routes"), writes("groups")],
    consts: ExpertGroupConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: ExpertGroupConsts| {
        let fits = experts_fit(c.experts, c.used) && c.tile != 0 && c.max_rows <= 1 << 24;
        require("expert_group", fits, || {
            format!("{} of {} experts, tiles of {} slots, {} rows", c.used, c.experts, c.tile, c.max_rows)
        })
    }),
    units: typed!(|c: ExpertGroupConsts| c.experts.max(1)),
    cost: typed!(|c: ExpertGroupConsts, load| {
        let slots = u64::from(load.rows) * u64::from(c.used);
        let tiles = slots.div_ceil(c.tile.max(1).into()) + slots.min(c.experts.into());
        Cost {
            weight_bytes: 0,
            other_bytes: slots * (size_of::<Choice>() as u64 + 4) + tiles * size_of::<Tile>() as u64,
            flops: 0,
        }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: ExpertGroupConsts, _| {
            let source = const { &[include_str!("expert_group.cu")] };
            // A block for each expert.
            Ok(CudaLaunch::plain(source, c.experts, 512))
        })),
    ],
};

/// The most tiles that routes can give: an expert has at most one that is not full.
pub const fn most_tiles(c: &ExpertGroupConsts) -> u32 {
    let slots = c.max_rows * c.used;
    slots / c.tile + if slots < c.experts { slots } else { c.experts }
}

/// Bytes of the groups.
pub const fn bytes(c: &ExpertGroupConsts) -> u64 {
    16 * (1 + most_tiles(c) as u64) + 4 * (c.max_rows * c.used) as u64
}

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: ExpertGroupConsts = call.consts();
    let (experts, used) = (c.experts as usize, c.used as usize);
    // SAFETY: shapes by the contract; parts own the tiles and the order of their experts, the first part the header.
    unsafe {
        let slots = call.step(0).header().rows as usize * used;
        let routes = call.slice::<Choice>(1, 0, slots);
        let mut counts = vec![0u32; experts];
        let expert_of = |r: &Choice| (r.expert as usize).min(experts - 1);
        routes.iter().for_each(|r| counts[expert_of(r)] += 1);
        let own = share(experts, part, parts);
        let order_at = 4 * (1 + most_tiles(&c)) as usize;
        let (mut first, mut tile) = (0u32, 0usize);
        for (e, n) in counts.iter().enumerate() {
            if own.contains(&e) {
                let chosen = (0..slots).filter(|s| expert_of(&routes[*s]) == e);
                let order = call.slice_mut::<u32>(2, order_at + first as usize, *n as usize);
                order.iter_mut().zip(chosen).for_each(|(o, s)| *o = s as u32);
                let tiles = call.slice_mut::<Tile>(2, 1 + tile, n.div_ceil(c.tile) as usize);
                for (i, t) in tiles.iter_mut().enumerate() {
                    let from = i as u32 * c.tile;
                    *t = Tile {
                        expert: e as u32,
                        first: first + from,
                        slots: c.tile.min(n - from),
                        reserved: 0,
                    };
                }
            }
            first += n;
            tile += n.div_ceil(c.tile) as usize;
        }
        if part == 0 {
            call.slice_mut::<u32>(2, 0, 4).copy_from_slice(&[tile as u32, 0, 0, 0]);
        }
    }
}
