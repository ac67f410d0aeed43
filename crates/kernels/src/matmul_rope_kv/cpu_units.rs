//! `matmul_rope_kv` on the CPU's matrix units.

use super::{Ending, MatmulRopeKvConsts, QKV, heads};
use crate::cpu::{Call, CpuFn, Level};
use crate::matmul::cpu::{Driver, WIDEST, heads_on_units, heads_with};
use crate::matmul::cpu_tile::{HeadRows, Heads, LANES, Version};
use crate::matmul::{MatmulConsts, Select};

struct Qkv;

impl Driver for Qkv {
    fn with<V: Version>() -> CpuFn {
        run::<V>
    }
}

/// The version for packed weights whose heads are whole groups of columns; `None` for others, and where there are no units.
pub(super) fn version(level: Level, c: &MatmulRopeKvConsts) -> Option<CpuFn> {
    heads_on_units::<Qkv>(level, &all(c), c.head_dim)
}

/// # Safety
/// As [`CpuFn`], for this contract, where [`version`] has a function.
unsafe fn run<V: Version>(call: &Call<'_>, part: u32, parts: u32) {
    let c: MatmulRopeKvConsts = call.consts();
    let whole = Heads { tiles: c.head_dim as usize / LANES, finish };
    // SAFETY: the first bindings are those of `matmul`; the caller promises the rest.
    unsafe { heads_with::<V>(call, all(&c), whole, QKV, part, parts) }
}

/// # Safety
/// As [`CpuFn`], for this contract; the rows' heads are there and nobody else's, and the machine has the level.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")]
unsafe fn finish(call: &Call<'_>, rows: &HeadRows) {
    // SAFETY: the caller's promise.
    unsafe {
        let Some(ending) = Ending::new(call, rows.head) else { return };
        let mut x = Aligned([0f32; WIDEST]);
        let x = &mut x.0[..ending.c.head_dim as usize];
        for (i, r) in rows.rows.clone().enumerate() {
            rows.take(i, x);
            ending.put(r, x);
        }
    }
}

/// A head, in lines of its own.
#[repr(C, align(64))]
struct Aligned([f32; WIDEST]);

/// The product of queries, keys and values together.
fn all(c: &MatmulRopeKvConsts) -> MatmulConsts {
    let n = heads(c).saturating_mul(c.head_dim);
    MatmulConsts {
        dtype: c.dtype,
        layout: c.layout,
        act: c.act,
        k: c.k,
        n,
        out_stride: n,
        out_col: 0,
        select: Select::All as u32,
        max_rows: c.max_rows,
    }
}
