//! Whether a configuration's counts make sense together.

use crate::PlanError;
use crate::arch::{ArchDescriptor, PositionKind};
use akunu_kernels::route;
use akunu_model::ModelConfig;
use akunu_model::config::{AudioConfig, EncoderConfig};

/// Whether a configuration's counts make sense together; sources check too, but a plan must not trust them.
pub fn check(c: &ModelConfig) -> Result<(), PlanError> {
    let bad = |field, value: u32, remedy| Err(PlanError::Config { field, value: value.to_string(), remedy });
    for (field, v) in [
        ("layers", c.layers),
        ("hidden width", c.hidden),
        ("heads", c.heads),
        ("KV heads", c.kv_heads),
        ("head width", c.head_dim),
        ("feed-forward width", c.ffn),
        ("vocabulary", c.vocab),
    ] {
        if v == 0 || v > 1 << 24 {
            return bad(field, v, "it must be between 1 and 2^24; the file's metadata is broken");
        }
    }
    if !c.heads.is_multiple_of(c.kv_heads) {
        return bad("heads", c.heads, "it must be a multiple of the KV heads");
    }
    if c.rope.dim > c.head_dim || !c.rope.dim.is_multiple_of(2) {
        return bad("rope dimension", c.rope.dim, "it must be even and at most the head width");
    }
    let qkv = u64::from(c.heads + 2 * c.kv_heads) * u64::from(c.head_dim);
    if qkv > 1 << 24 {
        let value = qkv.to_string();
        let remedy = "heads times head width must stay below 2^24";
        return Err(PlanError::Config { field: "qkv width", value, remedy });
    }
    if !(c.norm_eps.is_finite() && c.norm_eps >= 0.0) {
        let remedy = "it must be a finite number of at least 0; the file's metadata is broken";
        return Err(PlanError::Config { field: "norm epsilon", value: c.norm_eps.to_string(), remedy });
    }
    if let Some(a) = &c.audio {
        check_audio(c, a)?;
    }
    let a = &c.attention;
    for (field, list) in [("windowed layers", &a.windowed), ("roped layers", &a.roped)] {
        if let Some(l) = list.as_ref().filter(|l| l.len() != c.layers as usize) {
            let remedy = "it must name each layer; the file's metadata is broken";
            return bad(field, l.len() as u32, remedy);
        }
    }
    for (field, v) in [
        ("attention scale", a.scale),
        ("attention soft cap", a.softcap),
        ("logit soft cap", c.logits_softcap),
        ("local RoPE base", a.local_rope_base),
        ("RoPE magnitude", Some(c.rope.magnitude)),
    ] {
        if let Some(v) = v.filter(|v| !(v.is_finite() && *v > 0.0)) {
            let remedy = "it must be a number above 0; the file's metadata is broken";
            return Err(PlanError::Config { field, value: v.to_string(), remedy });
        }
    }
    if let Some(e) = &c.experts {
        for (field, v, most) in [
            ("experts", e.count, route::MAX_EXPERTS),
            ("experts of a token", e.used, route::MAX_USED.min(e.count)),
            ("expert feed-forward width", e.ffn, 1 << 24),
        ] {
            if v == 0 || v > most {
                let remedy =
                    "it must be between 1 and what this build's kernels take (1024 experts, 64 of a token)";
                return bad(field, v, remedy);
            }
        }
        // What one row of the experts' scratch holds is counted in u32, as the widths of the other products are.
        if u64::from(e.used) * u64::from(e.ffn.max(c.hidden)) > 1 << 24 {
            let remedy = "their number times the width must stay below 2^24";
            return bad("experts of a token", e.used, remedy);
        }
        if u64::from(e.count) * u64::from(e.ffn.max(c.hidden)) > u64::from(u32::MAX) {
            return bad("experts", e.count, "their matrices have too many rows together");
        }
    }
    Ok(())
}

/// As [`check`], of an encoder of text.
pub fn check_encoder(arch: &ArchDescriptor, c: &ModelConfig, e: &EncoderConfig) -> Result<(), PlanError> {
    let bad = |field, value: u32, remedy| Err(PlanError::Config { field, value: value.to_string(), remedy });
    let rows = u64::from(e.first_position) + u64::from(c.context);
    if arch.positions == PositionKind::Learned && rows > u64::from(e.positions) {
        return bad("position embeddings", e.positions, "there must be one for each position of the context");
    }
    if arch.positions == PositionKind::Rotated && (e.positions, e.first_position) != (0, 0) {
        return bad("position embeddings", e.positions, "there are none where queries and keys are rotated");
    }
    if c.heads != c.kv_heads {
        return bad("KV heads", c.kv_heads, "an encoder has as many as heads");
    }
    match c.attention.sliding_window {
        Some(w) if !(2..=1 << 24).contains(&w) => {
            bad("window", w, "it must be between 2 and 2^24, half of it to each side")
        }
        _ => Ok(()),
    }
}

/// As [`check`], of an encoder of audio.
fn check_audio(c: &ModelConfig, a: &AudioConfig) -> Result<(), PlanError> {
    let bad = |field, value: u32, remedy| Err(PlanError::Config { field, value: value.to_string(), remedy });
    for (field, v, most) in [
        ("mel bins", a.mels, 1 << 12),
        ("positions of the audio", a.positions, 1 << 15),
        ("layers of the audio's encoder", a.layers, 1 << 14),
    ] {
        if v == 0 || v > most {
            return bad(field, v, "it must be above 0 and as large as a real model's; the file is broken");
        }
    }
    if c.heads != c.kv_heads {
        return bad("KV heads", c.kv_heads, "a decoder that reads audio has as many as heads");
    }
    if u64::from(c.heads) * u64::from(c.head_dim) != u64::from(c.hidden) {
        return bad("heads", c.heads, "heads times head width must be the hidden width");
    }
    Ok(())
}
