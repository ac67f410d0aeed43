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
};
