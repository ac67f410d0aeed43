//! `take_heads`: from here on a step has only the rows that draw. Of a prompt's rows the last layer's feed-forward part matters to those
//! alone, since the cache has what later steps read of the others.
//!
//! Their vectors move to the front of another buffer, and a second step block says that all of its rows are heads. Commands that are
//! bound to that one instead of the step's do the rest. On CUDA the next command starts only when this one has ended, since kernels may read
//! their step block before they wait.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::{CudaLaunch, quads};
use crate::error::require;
use crate::machine::Version;
use crate::step::Header;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct TakeHeadsConsts {
        /// Width of a row.
        pub d: u32,
        /// Rows with logits that the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, d] f32`; out `[head_rows, d] f32`; heads, a step block of which only the header is used:
/// the step's, with the heads as its rows and without a list.
pub static KERNEL: Kernel = Kernel {
    name: "take_heads",
    bindings: &[reads("step"), reads("x"), writes("out"), writes("heads")],
    consts: TakeHeadsConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: TakeHeadsConsts| require("take_heads", c.d != 0, || "width 0".into())),
    units: typed!(|c: TakeHeadsConsts| c.max_rows),
    cost: typed!(|c: TakeHeadsConsts, load| {
        Cost { weight_bytes: 0, other_bytes: 8 * u64::from(load.head_rows) * u64::from(c.d), flops: 0 }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: TakeHeadsConsts, gpu| {
            let source = const { &[include_str!("take_heads.cu")] };
            Ok(CudaLaunch::plain(source, quads(c.max_rows, c.d, gpu), 256))
        })),
    ],
};

/// The plain twin.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: TakeHeadsConsts = call.consts();
    let d = c.d as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows of the output, the first one the header.
    unsafe {
        let step = call.step(0);
        let header = step.header();
        for i in share(header.head_rows as usize, part, parts) {
            let from = step.head_row(i as u32) as usize * d;
            call.slice_mut::<f32>(2, i * d, d).copy_from_slice(call.slice(1, from, d));
        }
        if part == 0 {
            let heads = Header { rows: header.head_rows, heads_at: 0, heads_cap: 0, ..header };
            call.slice_mut::<u8>(3, 0, size_of::<Header>()).copy_from_slice(bytemuck::bytes_of(&heads));
        }
    }
}
