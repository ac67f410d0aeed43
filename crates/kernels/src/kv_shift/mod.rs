//! `kv_shift`: context shift of one layer. Drops `shift_by` positions after the first `shift_keep`, moves the
//! later ones down, and rotates the moved keys back by `shift_by` positions, so that they mean their new place.

use crate::contract::{Cost, Kernel, Rows, reads, typed, updates};
use crate::cpu::{Call, share};
use crate::cuda::CudaLaunch;
use crate::error::KernelError;
use crate::kv::{self, KvFormat, kv_place};
use crate::machine::Version;
use crate::rope_kv::{check_head, rotate};
use crate::step::{Block, SeqIndex};
use crate::vulkan::VulkanLaunch;
use crate::words::shared;

shared! {
    /// Compile-time constants.
    pub struct KvShiftConsts {
        /// Key/value heads.
        pub kv_heads: u32,
        /// Width of a head.
        pub head_dim: u32,
        /// Rotated pairs per head.
        pub pairs: u32,
        /// As `rope_kv`'s.
        pub pairing: u32,
        /// [`KvFormat`] of the keys.
        pub k_type: u32,
        /// [`KvFormat`] of the values.
        pub v_type: u32,
    }
}

/// Widest head that the fixed scratch row holds.
const MAX_HEAD: usize = 512;

/// The contract. Bindings: step block; block table; frequencies `[pairs] f32`; K cache; V cache.
pub static KERNEL: Kernel = Kernel {
    name: "kv_shift",
    bindings: &[
        reads("step"),
        reads("block_table"),
        reads("frequencies"),
        updates("k_cache"),
        updates("v_cache"),
    ],
    consts: KvShiftConsts::NAMES,
    params: &[],
    rows: Rows::Anywhere,
    check: typed!(|c: KvShiftConsts| {
        check_head("kv_shift", c.kv_heads, c.head_dim, c.pairs, c.pairing)?;
        kv::check("kv_shift", c.head_dim, c.k_type, c.v_type)
    }),
    units: typed!(|c: KvShiftConsts| c.kv_heads),
    cost: typed!(|c: KvShiftConsts, load| {
        let n = u64::from(load.kv_len) * u64::from(c.kv_heads);
        let bytes = kv::bytes_per_position(c.k_type, c.v_type, c.head_dim);
        Cost { weight_bytes: 0, other_bytes: 2 * n * bytes, flops: 3 * n * u64::from(c.head_dim) }
    }),
    versions: &[
        Version::Cpu(typed!(|_, c: KvShiftConsts| {
            if c.head_dim as usize > MAX_HEAD {
                let what = format!("heads of {}, above {MAX_HEAD}", c.head_dim);
                return Err(KernelError::Unsupported { kernel: "kv_shift", what });
            }
            Ok(run)
        })),
        Version::Cuda(typed!(|c: KvShiftConsts, _| {
            kv::check_cuda("kv_shift", c.head_dim, c.k_type, c.v_type)?;
            let source = const {
                &[
                    include_str!("../attention/kv.cuh"),
                    include_str!("../rope_kv/rotate.cuh"),
                    include_str!("kv_shift.cu"),
                ]
            };
            Ok(CudaLaunch::plain(source, c.kv_heads.saturating_mul(2), 256))
        })),
        Version::Vulkan(typed!(|c: KvShiftConsts, _| {
            crate::vulkan::check_head("kv_shift", c.head_dim)?;
            VulkanLaunch::new("kv_shift", include_bytes!("kv_shift.spv"), c.kv_heads, 2)
        })),
        Version::Metal(include_str!("kv_shift.metal")),
    ],
};

/// The plain twin. Positions are moved in ascending order, so a slot is read before it is overwritten.
///
/// # Safety
/// As [`crate::cpu::CpuFn`], for this contract.
pub unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: KvShiftConsts = call.consts();
    let (hkv, hd, n) = (c.kv_heads as usize, c.head_dim as usize, c.pairs as usize);
    let (Some(k), Some(v)) = (KvFormat::from_word(c.k_type), KvFormat::from_word(c.v_type)) else { return };
    let mut angles = [0f32; MAX_HEAD];
    let mut row = [0f32; MAX_HEAD];
    // SAFETY: shapes by the contract; parts own disjoint KV heads.
    unsafe {
        let step = call.step(0);
        let table = call.slice::<Block>(1, 0, call.bufs[1].len / 4);
        let s = step.seq(SeqIndex(0));
        let (keep, by, len) = (s.shift_keep as usize, s.shift_by as usize, s.len as usize);
        for (i, f) in call.slice::<f32>(2, 0, n).iter().enumerate() {
            let (sin, cos) = (-(by as f32) * f).sin_cos();
            angles[2 * i] = cos;
            angles[2 * i + 1] = sin;
        }
        for head in share(hkv, part, parts) {
            for pos in keep + by..len {
                let from = kv_place(table, hkv, head, pos);
                let to = kv_place(table, hkv, head, pos - by);
                kv::load(call, 3, k, from, &mut row[..hd]);
                rotate(&mut row[..hd], &angles, n, c.pairing);
                kv::store(call, 3, k, to, &row[..hd]);
                kv::load(call, 4, v, from, &mut row[..hd]);
                kv::store(call, 4, v, to, &row[..hd]);
            }
        }
    }
}
