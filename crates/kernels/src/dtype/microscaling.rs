//! MXFP4, MXFP8 and NVFP4: small floats with a shared scale (OCP Microscaling Formats 1.0; NVIDIA's variant).

/// Twice the value of each E2M1 code, so that all are whole.
pub static E2M1_DOUBLED: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// 2^(e - 127), halved: the scale of doubled E2M1 values.
pub fn e8m0_half(e: u8) -> f32 {
    f32::from_bits(if e < 2 { 0x0020_0000 << e } else { u32::from(e - 1) << 23 })
}

/// 2^(e - 127).
pub fn e8m0(e: u8) -> f32 {
    f32::from_bits(if e == 0 { 0x0040_0000 } else { u32::from(e) << 23 })
}

/// E4M3 (bias 7, no infinity, S.1111.111 is NaN).
pub fn e4m3(b: u8) -> f32 {
    let (exponent, mantissa) = (b >> 3 & 15, f32::from(b & 7));
    let v = match exponent {
        0 => mantissa / 512.0,
        15 if b & 7 == 7 => f32::NAN,
        e => (1.0 + mantissa / 8.0) * f32::from_bits((u32::from(e) + 120) << 23),
    };
    if b & 0x80 == 0 { v } else { -v }
}

/// Half of an unsigned E4M3, whose top bit means nothing; 0x7f, which would be NaN, is 0 by the format's definition in
/// GGUF (and 0xff is not).
pub fn ue4m3_half(b: u8) -> f32 {
    match b {
        0x7f => 0.0,
        0xff => 240.0,
        _ => e4m3(b & 0x7f) * 0.5,
    }
}

/// MXFP4: blocks of 32: scale (E8M0), 16 bytes of nibbles as in Q4_0; value = scale * E2M1(q).
pub fn mxfp4_block(b: &[u8], o: &mut [f32]) {
    let d = e8m0_half(b[0]);
    for i in 0..16 {
        o[i] = d * f32::from(E2M1_DOUBLED[usize::from(b[1 + i] & 15)]);
        o[i + 16] = d * f32::from(E2M1_DOUBLED[usize::from(b[1 + i] >> 4)]);
    }
}

/// MXFP8: blocks of 32: scale (E8M0), 32 bytes of E4M3; value = scale * E4M3(q). The block is ours: MLX keeps scales
/// in a tensor of their own.
pub fn mxfp8_block(b: &[u8], o: &mut [f32]) {
    let d = e8m0(b[0]);
    for i in 0..32 {
        o[i] = d * e4m3(b[1 + i]);
    }
}

/// NVFP4: blocks of 64: four scales (unsigned E4M3) of 16 values each, then 8 bytes of nibbles for each group, its
/// first eight values in the low ones; value = scale * E2M1(q).
pub fn nvfp4_block(b: &[u8], o: &mut [f32]) {
    for (g, o) in o[..64].chunks_exact_mut(16).enumerate() {
        let d = ue4m3_half(b[g]);
        for i in 0..8 {
            let q = b[4 + 8 * g + i];
            o[i] = d * f32::from(E2M1_DOUBLED[usize::from(q & 15)]);
            o[i + 8] = d * f32::from(E2M1_DOUBLED[usize::from(q >> 4)]);
        }
    }
}
