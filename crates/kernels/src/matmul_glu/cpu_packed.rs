//! `matmul_glu` on the CPU's matrix units and on panels.

use super::MatmulGluConsts;
use crate::act::ActFormat;
use crate::cpu::{Call, CpuFn, Level};
use crate::matmul::cpu::{self, Driver, gates_with};
use crate::matmul::cpu_tile::Version;
use crate::matmul::{MatmulConsts, Select};

struct Gates;

impl Driver for Gates {
    fn with<V: Version>() -> CpuFn {
        run::<V>
    }
}

/// Whether products with such inputs are on matrix units or panels.
pub(super) fn takes(level: Level, act: Option<ActFormat>) -> bool {
    match level {
        Level::Amx | Level::AmxEmulated => matches!(act, Some(ActFormat::Bf16 | ActFormat::Bf16Pair)),
        Level::Avx2 | Level::AvxVnni | Level::Avx512 | Level::Avx512Bf16 => {
            matches!(act, Some(ActFormat::Q8 | ActFormat::Q8Paired | ActFormat::Q8Quads))
        }
        _ => false,
    }
}

/// The version for packed weights whose gates and ups are whole tiles; `None` for others, and for products of other kinds.
pub(super) fn version(level: Level, c: &MatmulGluConsts) -> Option<CpuFn> {
    cpu::gates::<Gates>(level, &both(c), c.act_out)
}

/// # Safety
/// As [`CpuFn`], for this contract, where [`version`] has a function.
unsafe fn run<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    let c: MatmulGluConsts = call.consts();
    // SAFETY: the bindings are those of `matmul`; the caller promises the rest.
    unsafe { gates_with::<V>(call, both(&c), [c.activation, c.act_out], part, parts) }
}

/// The product of gates and ups together.
fn both(c: &MatmulGluConsts) -> MatmulConsts {
    MatmulConsts {
        dtype: c.dtype,
        layout: c.layout,
        act: c.act,
        k: c.k,
        n: c.f.saturating_mul(2),
        out_stride: 0,
        out_col: 0,
        select: Select::All as u32,
        max_rows: c.max_rows,
    }
}
