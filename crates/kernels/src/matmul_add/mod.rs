//! `matmul_add`: out = residual + x w^T. A fusion of `matmul` and the residual addition.

use crate::act::ActFormat;
use crate::contract::consts_of;
use crate::contract::{Access, Kernel, binding};
use crate::cuda::Gpu;
use crate::cuda::persistent::{Hand, Persistent, matrix};
use crate::matmul;
use crate::matmul::MatmulConsts;

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
    persistent: Some(persistent),
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

fn persistent(consts: &[u32], _: &Gpu) -> Option<Persistent> {
    let c: MatmulConsts = consts_of("matmul_add", consts).ok()?;
    let whole = c.max_rows == 1 && c.select == 0 && c.out_col == 0 && c.out_stride == c.n;
    let stream =
        matrix(c.dtype, c.layout, c.k, c.n, 1).filter(|_| whole && c.act == ActFormat::F32 as u32)?;
    let call = format!("MatmulAdd<{}u, {}u, {}u>", c.dtype, c.k, c.n);
    let hands = [Hand::Place, Hand::In, Hand::Place, Hand::In, Hand::Out { words: c.n }];
    Some(Persistent::product(include_str!("matmul_add_persistent.cuh"), call, &hands, stream))
}
