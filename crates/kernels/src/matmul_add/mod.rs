//! `matmul_add`: out = residual + x w^T. A fusion of `matmul` and the residual addition.

use crate::contract::{Access, Kernel, binding};
use crate::matmul;

/// The contract: [`matmul::KERNEL`]'s, with `residual [rows, out_stride] f32` before the output.
pub static KERNEL: Kernel = Kernel {
    name: "matmul_add",
    bindings: &[
        binding("step", Access::Read),
        binding("x", Access::Read),
        binding("w", Access::Read),
        binding("residual", Access::Read),
        binding("out", Access::Write),
    ],
    consts: matmul::CONSTS,
    params: 0,
    units: matmul::units,
    cost: matmul::cost,
    cpu: |level, consts| matmul::select_cpu("matmul_add", level, consts, matmul::cpu::add),
    cuda: Some(|consts, gpu| {
        let few = const {
            &[
                include_str!("../dtype/codes.cuh"),
                include_str!("../dtype/dot.cuh"),
                include_str!("../cuda/gemv.cuh"),
                include_str!("matmul_add.cu"),
            ]
        };
        crate::matmul::cuda_pick("matmul_add", consts, gpu, few)
    }),
};
