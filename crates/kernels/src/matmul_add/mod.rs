//! `matmul_add`: out = residual + x w^T. A fusion of `matmul` and the residual addition.

use crate::contract::{Kernel, Rows, reads, typed, writes};
use crate::machine::Version;
use crate::matmul::cuda_flat::{Flat, flat};
use crate::matmul::cuda_gemv::gemv;
use crate::matmul::cuda_tiled::{Gemm, gemm};
use crate::matmul::{self, MatmulConsts};

/// The contract: [`matmul::KERNEL`]'s, with `residual [rows, out_stride] f32` before the output.
pub static KERNEL: Kernel = Kernel {
    name: "matmul_add",
    bindings: &[reads("step"), reads("x"), reads("w"), reads("residual"), writes("out")],
    consts: MatmulConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: MatmulConsts| c.check("matmul_add")),
    units: typed!(|c: MatmulConsts| c.units()),
    cost: typed!(|c: MatmulConsts, load| c.cost(load)),
    versions: &[
        Version::Cpu(typed!(|level, c: MatmulConsts| c.cpu("matmul_add", level, matmul::cpu::add))),
        Version::Cuda(typed!(|c: MatmulConsts, gpu| c.cuda("matmul_add", gpu, GEMV, MANY))),
        Version::Vulkan(typed!(|c: MatmulConsts, chip| {
            let [code, units] =
                [include_bytes!("matmul_add.spv").as_slice(), include_bytes!("matmul_add_units.spv")];
            c.vulkan_or_units("matmul_add", chip, code, units)
        })),
        Version::Metal(include_str!("matmul_add.metal")),
    ],
};

const GEMV: &[&str] = gemv!("matmul_add.cu");
const MANY: (Flat, Gemm) = (flat!("matmul_add_tiled.cu"), gemm!("matmul_add_tiled.cu"));
