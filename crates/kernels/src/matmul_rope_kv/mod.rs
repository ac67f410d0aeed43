//! `matmul_rope_kv`: the products of queries, keys and values, the norms of their heads, RoPE and the cache write in one command, for
//! many rows on matrix units. Of the products only the rotated queries go to memory.

use crate::act::{self, ActFormat};
use crate::contract::{Cost, Kernel, Rows, reads, typed, updates, writes};
use crate::cpu::{Call, CpuFn, Level, share};
use crate::dtype::{self, DType};
use crate::error::{KernelError, require};
use crate::kv::{self, KvFormat, kv_place};
use crate::machine::Version;
use crate::matmul::reference::Matrix;
use crate::qk_norm::normalize;
use crate::rms_norm::RmsNormParams;
use crate::rope_kv::{check_head, rotate};
use crate::step::Block;
use crate::words::shared;

#[cfg(target_arch = "x86_64")]
mod cpu_units;

shared! {
    /// Compile-time constants.
    pub struct MatmulRopeKvConsts {
        /// Weight [`crate::DType`].
        pub dtype: u32,
        /// Weight [`crate::Layout`].
        pub layout: u32,
        /// Input [`ActFormat`].
        pub act: u32,
        /// Input width.
        pub k: u32,
        /// Query heads.
        pub heads: u32,
        /// Key/value heads.
        pub kv_heads: u32,
        /// Width of a head.
        pub head_dim: u32,
        /// 1: query and key heads are normed, each by itself.
        pub norm: u32,
        /// Rotated pairs per head; at most `head_dim / 2`.
        pub pairs: u32,
        /// 0: pairs are (2i, 2i+1); 1: (i, i + pairs).
        pub pairing: u32,
        /// [`KvFormat`] of the keys.
        pub k_type: u32,
        /// [`KvFormat`] of the values.
        pub v_type: u32,
        /// Rows the table was built for.
        pub max_rows: u32,
        /// Entries of the block table for each sequence; 0 for a table of one sequence.
        pub blocks: u32,
    }
}

/// Where the queries go.
const QKV: usize = 7;

/// The contract. Bindings: step block; x `[rows, k]` in the input format; w `[(heads + 2 kv_heads) * head_dim, k]` (queries, keys,
/// values); norms' query weights and key weights, `[head_dim] f32` each (anything where nothing is normed); block table `[seqs, blocks]
/// u32`; angles `[rows, pairs, 2] f32`; qkv `[rows, (heads + 2 kv_heads) * head_dim] f32`, of which the queries are written; K cache
/// and V cache `[block, kv_heads, 256, head_dim]`.
pub static KERNEL: Kernel = Kernel {
    name: "matmul_rope_kv",
    bindings: &[
        reads("step"),
        reads("x"),
        reads("w"),
        reads("q_weight"),
        reads("k_weight"),
        reads("block_table"),
        reads("angles"),
        writes("qkv"),
        updates("k_cache"),
        updates("v_cache"),
    ],
    consts: MatmulRopeKvConsts::NAMES,
    params: RmsNormParams::FIELDS,
    rows: Rows::Anywhere,
    check: typed!(|c: MatmulRopeKvConsts| check(&c)),
    units: typed!(|c: MatmulRopeKvConsts| heads(&c)),
    cost: typed!(|c: MatmulRopeKvConsts, load| {
        let (k, rows) = (u64::from(c.k), u64::from(load.rows));
        let (q, kv) = (u64::from(c.heads * c.head_dim), u64::from(c.kv_heads * c.head_dim));
        let n = q + 2 * kv;
        let dt = DType::from_ggml(c.dtype).unwrap_or(DType::F32);
        let x = ActFormat::from_word(c.act).unwrap_or(ActFormat::F32).row_bytes(c.k as usize) as u64;
        let stored = u64::from(c.kv_heads) * kv::bytes_per_position(c.k_type, c.v_type, c.head_dim);
        Cost {
            weight_bytes: if rows == 0 { 0 } else { n * dt.row_bytes(k) },
            other_bytes: rows * (x + 4 * q + stored),
            flops: rows * (2 * n * k + (3 + 4 * u64::from(c.norm)) * (q + kv)),
        }
    }),
    versions: &[Version::Cpu(typed!(|level, c: MatmulRopeKvConsts| cpu(level, &c)))],
};

fn heads(c: &MatmulRopeKvConsts) -> u32 {
    c.heads.saturating_add(c.kv_heads.saturating_mul(2))
}

fn check(c: &MatmulRopeKvConsts) -> Result<(), KernelError> {
    let kernel = "matmul_rope_kv";
    let dt = dtype::from_const(kernel, c.dtype)?;
    require(kernel, c.heads != 0 && c.k != 0 && c.k.is_multiple_of(dt.block()) && c.norm <= 1, || {
        format!("{} heads from {} of {dt}, norm {}", c.heads, c.k, c.norm)
    })?;
    if ActFormat::from_word(c.act).is_none() {
        return Err(KernelError::Unsupported { kernel, what: format!("format {}", c.act) });
    }
    check_head(kernel, c.kv_heads, c.head_dim, c.pairs, c.pairing)?;
    kv::check(kernel, c.head_dim, c.k_type, c.v_type)
}

/// A version of its own for the inputs of matrix units, where it has the shape; the twin for all others.
fn cpu(level: Level, c: &MatmulRopeKvConsts) -> Result<CpuFn, KernelError> {
    #[cfg(target_arch = "x86_64")]
    if matches!(level, Level::Amx | Level::AmxEmulated)
        && matches!(ActFormat::from_word(c.act), Some(ActFormat::Bf16 | ActFormat::Bf16Pair))
    {
        return cpu_units::version(level, c).ok_or_else(|| {
            let what = format!("heads of {} from {} with format {}", c.head_dim, c.k, c.act);
            KernelError::Unsupported { kernel: "matmul_rope_kv", what }
        });
    }
    let _ = (level, c);
    Ok(run)
}

/// The plain twin: `matmul`, `qk_norm` where there are norms, then `rope_kv`.
///
/// # Safety
/// As [`CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: MatmulRopeKvConsts = call.consts();
    let (k, hd, heads) = (c.k as usize, c.head_dim as usize, heads(&c) as usize);
    let Some(fmt) = ActFormat::from_word(c.act) else { return };
    let rb = fmt.row_bytes(k);
    // SAFETY: shapes by the contract; parts own disjoint heads.
    unsafe {
        let rows = call.step(0).header().rows as usize;
        let w = call.slice::<u8>(2, 0, call.bufs[2].len);
        let Some(mut m) = Matrix::new(c.dtype, c.layout, w, k) else { return };
        let (mut x, mut y) = (vec![0f32; k], vec![0f32; hd]);
        for head in share(heads, part, parts) {
            let Some(ending) = Ending::new(call, head) else { return };
            for r in 0..rows {
                act::load(fmt, call.slice::<u8>(1, r * rb, rb), k, &mut x);
                for (i, y) in y.iter_mut().enumerate() {
                    *y = m.times(head * hd + i, &x);
                }
                ending.put(r, &mut y);
            }
        }
    }
}

/// Where a head goes after its product.
struct Ending<'a> {
    call: &'a Call<'a>,
    c: MatmulRopeKvConsts,
    head: usize,
    /// Of a query's or a key's norm, where there is one.
    norm: Option<&'a [f32]>,
    eps: f32,
    /// Of keys or of values; none for queries.
    cache: Option<(usize, KvFormat)>,
    tables: &'a [Block],
}

impl<'a> Ending<'a> {
    /// # Safety
    /// As [`CpuFn`], for this contract.
    #[inline(always)]
    unsafe fn new(call: &'a Call<'a>, head: usize) -> Option<Self> {
        let c: MatmulRopeKvConsts = call.consts();
        let (h, hkv) = (c.heads as usize, c.kv_heads as usize);
        let (k, v) = (KvFormat::from_word(c.k_type)?, KvFormat::from_word(c.v_type)?);
        // SAFETY: shapes by the contract.
        unsafe {
            let weights = |i| call.slice::<f32>(i, 0, c.head_dim as usize);
            let (norm, cache) = match head {
                _ if head < h => (Some(weights(3)), None),
                _ if head < h + hkv => (Some(weights(4)), Some((8, k))),
                _ => (None, Some((9, v))),
            };
            let norm = norm.filter(|_| c.norm != 0);
            let eps = call.params::<RmsNormParams>().eps;
            let tables = call.slice::<Block>(5, 0, call.bufs[5].len / 4);
            Some(Self { call, c, head, norm, eps, cache, tables })
        }
    }

    /// Norms and rotates a row's head, and puts it where it belongs.
    ///
    /// # Safety
    /// As [`Self::new`]; the head is nobody else's.
    #[inline(always)]
    unsafe fn put(&self, r: usize, x: &mut [f32]) {
        let (call, c) = (self.call, &self.c);
        let (h, hkv, n) = (c.heads as usize, c.kv_heads as usize, c.pairs as usize);
        // SAFETY: shapes by the contract; no two rows of a step have the same (sequence, position), so cache slots are disjoint.
        unsafe {
            if let Some(w) = self.norm {
                normalize(x, w, self.eps);
            }
            if self.head < h + hkv {
                rotate(x, call.slice::<f32>(6, r * n * 2, n * 2), n, c.pairing);
            }
            let Some((buf, format)) = self.cache else {
                let at = (r * (h + 2 * hkv) + self.head) * x.len();
                call.slice_mut::<f32>(QKV, at, x.len()).copy_from_slice(x);
                return;
            };
            let row = call.step(0).row(r as u32);
            let table = &self.tables[row.seq.index() * c.blocks as usize..];
            let kv_head = (self.head - h) % hkv;
            kv::store(call, buf, format, kv_place(table, hkv, kv_head, row.pos.index()), x);
        }
    }
}
