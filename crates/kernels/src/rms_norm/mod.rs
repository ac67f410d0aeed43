//! `rms_norm`: y = x / sqrt(mean(x^2) + eps) * weight, written in the activation format of the product that
//! reads it (Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019).

use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, writes};
use crate::cpu::{Call, StepView};
use crate::cuda::CudaLaunch;
use crate::error::require;
use crate::machine::Version;
use crate::matmul::Select;
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

pub(crate) mod cpu;

shared! {
    /// Compile-time constants.
    pub struct RmsNormConsts {
        /// Width of a row.
        pub d: u32,
        /// Output [`ActFormat`].
        pub act: u32,
        /// [`Select`]: all rows, or the heads, moved to the front of the output.
        pub select: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
    }

    /// Parameters.
    pub struct RmsNormParams {
        /// Added to the mean square.
        pub eps: f32,
    }
}

/// The contract. Bindings: step block; x `[rows, d] f32`; weight `[d] f32`; out `[rows, d]` in the format.
pub static KERNEL: Kernel = Kernel {
    name: "rms_norm",
    bindings: &[reads("step"), reads("x"), reads("weight"), writes("out")],
    consts: RmsNormConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: RmsNormConsts| {
        require("rms_norm", c.d != 0 && c.select <= 1, || format!("width {}, selection {}", c.d, c.select))?;
        act::check("rms_norm", c.act, c.d)
    }),
    units: typed!(|c: RmsNormConsts| c.max_rows),
    cost: typed!(|c: RmsNormConsts, load| {
        let rows = u64::from(if c.select == Select::Head as u32 { load.head_rows } else { load.rows });
        let act = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32);
        let d = u64::from(c.d);
        Cost {
            weight_bytes: 4 * d,
            other_bytes: rows * (4 * d + act.row_bytes(c.d as usize) as u64),
            flops: 4 * rows * d,
        }
    }),
    versions: &[
        Version::Cpu(|level, _| Ok(cpu::select(level))),
        Version::Cuda(typed!(|c: RmsNormConsts, gpu| {
            crate::cuda::check_act("rms_norm", c.act)?;
            let source = const { &[include_str!("rms_norm.cu")] };
            // Four loads of four values a thread, so that a row is read at once and stays in registers.
            let threads = c.d.div_ceil(16).clamp(128, 1024).next_multiple_of(32);
            let launch = CudaLaunch::plain(source, c.max_rows.min(gpu.multiprocessors * 8), threads);
            Ok(CudaLaunch { defines: vec![("THREADS", threads)], ..launch })
        })),
        Version::Vulkan(typed!(|c: RmsNormConsts, _| {
            crate::vulkan::check_act("rms_norm", c.act)?;
            let launch = VulkanLaunch::new("rms_norm", include_bytes!("rms_norm.spv"), c.max_rows, 1)?;
            Ok(VulkanLaunch { invocations: crate::vulkan::WIDE, ..launch })
        })),
        Version::Metal(include_str!("rms_norm.metal")),
    ],
};

/// The input rows of a selection, in the order of the output's.
pub(crate) struct Selected<'a> {
    step: StepView<'a>,
    heads: bool,
    /// How many.
    pub(crate) len: usize,
}

impl<'a> Selected<'a> {
    /// Those of the step.
    ///
    /// # Safety
    /// Binding 0 is the step block and nothing writes it during the command.
    pub(crate) unsafe fn of(call: &'a Call<'_>, select: u32) -> Self {
        // SAFETY: the caller's promise.
        let step = unsafe { call.step(0) };
        let (h, heads) = (step.header(), select == Select::Head as u32);
        Self { step, heads, len: if heads { h.head_rows } else { h.rows } as usize }
    }

    /// The input row of output row `i`.
    pub(crate) fn row(&self, i: usize) -> usize {
        if self.heads { self.step.head_row(i as u32) as usize } else { i }
    }
}
