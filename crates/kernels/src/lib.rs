//! # kernels: what a device can compute
//!
//! One folder per operation ([`KERNELS`]), one folder per dtype ([`dtype::DTYPES`]). An operation's folder
//! holds its *contract* (bindings, compile-time constants, parameters, geometry, cost, tolerance), its plain
//! reference twin in scalar f32, and the versions for each kind of device. The twin is the oracle: every other
//! version is compared with it on random data.
//!
//! Deliberately absent: any GPU API, any model name, any notion of a file, a layer or a table.

pub mod accept;
pub mod act;
pub mod contract;
pub mod cpu;
pub mod cuda;
mod draft;
pub mod dtype;
mod error;
pub mod kv;
pub mod machine;
#[cfg(target_arch = "x86_64")]
mod matrix_unit;
pub mod metal;
mod pick;
pub mod sampler;
mod simd;
#[cfg(any(test, target_arch = "x86_64"))]
mod simd_words;
pub mod step;
pub mod target;
pub mod vulkan;
pub mod words;

pub mod activate;
pub mod activate_positions;
pub mod add_bias;
pub mod add_positions;
pub mod adjust;
pub mod advance;
pub mod attention;
pub mod cross_attention;
pub mod cross_kv;
pub mod cross_scores;
pub mod dequantize;
pub mod draw;
pub mod embed;
pub mod expert_combine;
pub mod expert_group;
pub mod expert_matmul;
mod flash_attention;
pub mod full_attention;
pub mod glu;
pub mod grouped_matmul;
pub mod kv_shift;
pub mod layer_norm;
pub mod layer_norm_add;
pub mod log_probs;
pub mod logits_max;
pub mod matmul;
pub mod matmul_add;
pub mod matmul_glu;
pub mod matmul_rope_kv;
pub mod norm_expert_matmul_glu;
pub mod norm_matmul;
pub mod norm_matmul_glu;
pub mod norm_matmul_max;
pub mod norm_matmul_pair;
pub mod pooling;
pub mod qk_norm;
pub mod quantize;
pub mod ragged_attention;
pub mod rms_norm;
pub mod rms_norm_add;
pub mod rope;
pub mod rope_angles;
pub mod rope_kv;
pub mod rope_kv_attention;
pub mod rope_kv_ragged_attention;
pub mod route;
pub mod sample;
pub mod softcap;
pub mod split_attention;
pub mod take_heads;
pub mod unfold;

pub use contract::{Access, BindingSpec, Cost, Kernel, Load};
pub use dtype::{DType, Layout};
pub use error::KernelError;
pub use machine::{Launch, Machine};
pub use target::Target;

/// Every operation, in the order a decode table first uses them. Tests, docs and `--list` iterate this slice.
pub static KERNELS: &[&Kernel] = &[
    &embed::KERNEL,
    &rope_angles::KERNEL,
    &rms_norm::KERNEL,
    &matmul::KERNEL,
    &matmul_add::KERNEL,
    &matmul_glu::KERNEL,
    &matmul_rope_kv::KERNEL,
    &dequantize::KERNEL,
    &norm_matmul::KERNEL,
    &norm_matmul_pair::KERNEL,
    &norm_matmul_glu::KERNEL,
    &norm_matmul_max::KERNEL,
    &add_bias::KERNEL,
    &qk_norm::KERNEL,
    &rope_kv::KERNEL,
    &rope_kv_attention::KERNEL,
    &attention::KERNEL,
    &split_attention::KERNEL,
    &ragged_attention::KERNEL,
    &rope_kv_ragged_attention::KERNEL,
    &rms_norm_add::KERNEL,
    &glu::KERNEL,
    &quantize::KERNEL,
    &route::KERNEL,
    &expert_matmul::KERNEL,
    &norm_expert_matmul_glu::KERNEL,
    &expert_group::KERNEL,
    &grouped_matmul::KERNEL,
    &expert_combine::KERNEL,
    &take_heads::KERNEL,
    &softcap::KERNEL,
    &logits_max::KERNEL,
    &sample::KERNEL,
    &adjust::KERNEL,
    &draw::KERNEL,
    &log_probs::KERNEL,
    &advance::KERNEL,
    &accept::KERNEL,
    &kv_shift::KERNEL,
    &add_positions::KERNEL,
    &layer_norm::KERNEL,
    &rope::KERNEL,
    &full_attention::KERNEL,
    &layer_norm_add::KERNEL,
    &activate::KERNEL,
    &pooling::KERNEL,
    &unfold::KERNEL,
    &activate_positions::KERNEL,
    &cross_kv::KERNEL,
    &cross_attention::KERNEL,
    &cross_scores::KERNEL,
];
