//! `embed`: row r of h is scale times the embedding of row r's token, dequantized to f32.

use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::dtype::{self, DType, Layout};
use crate::error::{KernelError, require};
use crate::machine::Version;
use crate::step::Token;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct EmbedConsts {
        /// Weight [`DType`].
        pub dtype: u32,
        /// Weight [`Layout`].
        pub layout: u32,
        /// Width of the residual stream.
        pub d: u32,
        /// Rows of the embedding.
        pub vocab: u32,
        /// Slots of one sequence's token belt.
        pub max_seq: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct EmbedParams {
        /// Factor on the embedding (Gemma's sqrt(d)); 1 elsewhere.
        pub scale: f32,
    }
}

/// The contract. Bindings: step block; tokens `[seqs, max_seq] u32`; w `[vocab, d]`; h `[rows, d] f32`.
pub static KERNEL: Kernel = Kernel {
    name: "embed",
    bindings: &[reads("step"), reads("tokens"), reads("w"), writes("h")],
    consts: EmbedConsts::NAMES,
    params: EmbedParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: EmbedConsts| {
        let dt = dtype::from_const("embed", c.dtype)?;
        let (d, vocab, max_seq, layout) = (c.d, c.vocab, c.max_seq, c.layout);
        let holds = d != 0 && d.is_multiple_of(dt.block()) && vocab != 0 && max_seq != 0 && layout <= 2;
        require("embed", holds, || {
            format!(
                "{vocab} rows of {d} in {dt}, layout {layout}, {max_seq} token slots: empty or no whole blocks"
            )
        })
    }),
    units: typed!(|c: EmbedConsts| c.max_rows),
    cost: typed!(|c: EmbedConsts, load| {
        let dt = DType::from_ggml(c.dtype).unwrap_or(DType::F32);
        let (rows, d) = (u64::from(load.rows), u64::from(c.d));
        Cost { weight_bytes: rows * dt.row_bytes(d), other_bytes: rows * d * 4, flops: rows * d }
    }),
    versions: &[
        Version::Cpu(|_, _| Ok(run)),
        Version::Cuda(typed!(|c: EmbedConsts, gpu| {
            let dt = dtype::from_const("embed", c.dtype)?;
            let float = matches!(dt, DType::F32 | DType::F16 | DType::Bf16);
            let wanted = if float { Layout::Native } else { Layout::Planes };
            if Layout::from_word(c.layout) != wanted || !c.d.is_multiple_of(8) {
                let what =
                    format!("{dt} rows of {} in layout {} on CUDA", c.d, Layout::from_word(c.layout).name());
                return Err(KernelError::Unsupported { kernel: "embed", what });
            }
            let source = const {
                &[
                    include_str!("../dtype/codes.cuh"),
                    include_str!("../dtype/dequant.cuh"),
                    include_str!("embed.cu"),
                ]
            };
            // Eight values a thread.
            let threads = c.d.div_ceil(8).next_multiple_of(32).clamp(32, 512);
            let launch = CudaLaunch::plain(source, c.max_rows.min(gpu.multiprocessors * 4), threads);
            Ok(CudaLaunch { defines: vec![("THREADS", threads)], ..launch })
        })),
        Version::Vulkan(typed!(|c: EmbedConsts, _| {
            crate::matmul::vulkan::check("embed", c.dtype, c.layout, c.d)?;
            VulkanLaunch::new("embed", include_bytes!("embed.spv"), c.max_rows, 1)
        })),
        Version::Metal(include_str!("embed.metal")),
    ],
};

/// The plain twin; a gather is bound by memory, so it serves every CPU level.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: EmbedConsts = call.consts();
    let p: EmbedParams = call.params();
    let Some(dt) = DType::from_ggml(c.dtype) else { return };
    let d = c.d as usize;
    // SAFETY: shapes by the contract; parts own disjoint rows.
    unsafe {
        let step = call.step(0);
        let w = call.slice::<u8>(2, 0, call.bufs[2].len);
        for r in share(step.header().rows as usize, part, parts) {
            let row = step.row(r as u32);
            let at = row.seq.index() * c.max_seq as usize + row.pos.index();
            // The host checks ids it writes and the sampler only writes ids below vocab; the clamp keeps a
            // corrupted belt from reading outside the matrix.
            let token = call.slice::<Token>(1, at, 1)[0].0.min(c.vocab - 1);
            let h = call.slice_mut::<f32>(3, r * d, d);
            dtype::dequantize_row(dt, Layout::from_word(c.layout), w, d, token as usize, h);
            if p.scale != 1.0 {
                for v in h {
                    *v *= p.scale;
                }
            }
        }
    }
}
