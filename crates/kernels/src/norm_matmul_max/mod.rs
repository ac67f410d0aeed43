//! `norm_matmul_max`: the output head in one command, for few rows: `rms_norm` of the head rows, their logits, and
//! `logits_max`.

use crate::act::ActFormat;
use crate::contract::{Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::error::require;
use crate::machine::Version;
use crate::matmul::Select;
use crate::matmul::cuda_gemv::{self, Gemv, Mode, gemv};
use crate::matmul::reference::Matrix;
use crate::norm_matmul::{check, cost, normalised};
use crate::pick::{Pick, chunks};
use crate::rms_norm::RmsNormParams;
use crate::step::Token;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct NormMatmulMaxConsts {
        /// Weight [`crate::DType`].
        pub dtype: u32,
        /// Weight [`crate::Layout`].
        pub layout: u32,
        /// Input width.
        pub k: u32,
        /// Vocabulary size.
        pub n: u32,
        /// Vocabulary entries per pick.
        pub chunk: u32,
        /// Head rows the table was built for.
        pub max_rows: u32,
    }
}

/// The contract. Bindings: step block; x `[rows, k] f32`; norm `[k] f32`; w `[n, k]`; logits `[head_rows, n] f32`; best
/// `[head_rows, chunks]` [`Pick`]s. Parameters are `rms_norm`'s.
pub static KERNEL: Kernel = Kernel {
    name: "norm_matmul_max",
    bindings: &[reads("step"), reads("x"), reads("norm"), reads("w"), writes("logits"), writes("best")],
    consts: NormMatmulMaxConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: NormMatmulMaxConsts| {
        check("norm_matmul_max", c.dtype, c.k, c.n, ActFormat::F32 as u32)?;
        require("norm_matmul_max", c.chunk.is_power_of_two(), || format!("chunks of {}", c.chunk))
    }),
    units: typed!(|c: NormMatmulMaxConsts| c.n.div_ceil(c.chunk.max(1))),
    cost: typed!(|c: NormMatmulMaxConsts, load| {
        cost(c.dtype, c.k, c.n, load.head_rows.0, u64::from(c.n) * 4)
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: NormMatmulMaxConsts, gpu| {
            let NormMatmulMaxConsts { dtype, layout, k, n, chunk, max_rows } = c;
            let mode = Mode::Best { chunk };
            let g = Gemv { kernel: "norm_matmul_max", dtype, layout, k, n, max_rows, mode };
            cuda_gemv::pick(g, gemv!("norm_matmul_max.cu"), gpu)
        })),
    ],
};

/// The plain twin: `rms_norm`, `matmul`, `logits_max`.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: NormMatmulMaxConsts = call.consts();
    let p: RmsNormParams = call.params();
    let (k, n, chunk) = (c.k as usize, c.n as usize, c.chunk as usize);
    let units = chunks(n, chunk);
    // SAFETY: shapes by the contract; parts own disjoint chunks of the vocabulary.
    unsafe {
        let x = normalised(call, k, Select::Head as u32, p.eps);
        let w = call.slice::<u8>(3, 0, call.bufs[3].len);
        let Some(mut m) = Matrix::new(c.dtype, c.layout, w, k) else { return };
        for unit in share(units, part, parts) {
            for (r, x) in x.iter().enumerate() {
                let mut best = Pick::NONE;
                for j in unit * chunk..n.min((unit + 1) * chunk) {
                    let score = m.times(j, x);
                    call.slice_mut::<f32>(4, r * n + j, 1)[0] = score;
                    best = best.better(Pick { score, token: Token(j as u32) });
                }
                call.slice_mut::<Pick>(5, r * units + unit, 1)[0] = best;
            }
        }
    }
}
