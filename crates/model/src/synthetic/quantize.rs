//! Normal random numbers in each format.

use akunu_kernels::DType;
use half::{bf16, f16};

/// `n` normals of deviation `deviation`, in blocks of `dtype`. The same bytes on every call.
pub(super) fn pool(dtype: DType, n: usize, deviation: f32) -> Vec<u8> {
    let info = dtype.info();
    let (block, size) = (info.block as usize, info.block_bytes as usize);
    let mut random = Random(dtype as u64);
    let mut values = vec![0.0; block.next_multiple_of(2)];
    let mut out = vec![0; n / block * size];
    for bytes in out.chunks_exact_mut(size) {
        for pair in values.chunks_exact_mut(2) {
            let (a, b) = random.normals();
            pair.copy_from_slice(&[a * deviation, b * deviation]);
        }
        quantize_block(dtype, &values[..block], bytes);
    }
    out
}

/// Rounds one block of values as the format's reference quantizer does.
fn quantize_block(dtype: DType, x: &[f32], out: &mut [u8]) {
    match dtype {
        DType::F32 => out.copy_from_slice(&x[0].to_le_bytes()),
        DType::F16 => out.copy_from_slice(&f16::from_f32(x[0]).to_le_bytes()),
        DType::Bf16 => out.copy_from_slice(&bf16::from_f32(x[0]).to_le_bytes()),
        DType::Q4_0 => q4_0(x, out),
        DType::Q4_1 => q4_1(x, out),
        DType::Q8_0 => q8_0(x, out),
        DType::Q6K => q6_k(x, out),
        _ => out.fill(0),
    }
}

/// Scale from the value of largest magnitude, which becomes -8.
fn q4_0(x: &[f32], out: &mut [u8]) {
    let extreme = x.iter().fold(0f32, |m, v| if v.abs() > m.abs() { *v } else { m });
    let d = extreme / -8.0;
    out[..2].copy_from_slice(&f16::from_f32(d).to_le_bytes());
    pack_nibbles(x, reciprocal(d), 8.5, &mut out[2..]);
}

/// Scale and minimum from the range of values.
fn q4_1(x: &[f32], out: &mut [u8]) {
    let low = x.iter().copied().fold(f32::INFINITY, f32::min);
    let high = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let d = (high - low) / 15.0;
    out[..2].copy_from_slice(&f16::from_f32(d).to_le_bytes());
    out[2..4].copy_from_slice(&f16::from_f32(low).to_le_bytes());
    let id = reciprocal(d);
    pack_nibbles(x, id, 0.5 - low * id, &mut out[4..]);
}

/// Nibble i holds value i, nibble i + 16 (the high ones) value i + 16.
fn pack_nibbles(x: &[f32], scale: f32, bias: f32, out: &mut [u8]) {
    let q = |v: f32| (v * scale + bias).clamp(0.0, 15.0) as u8;
    for (i, b) in out.iter_mut().enumerate() {
        *b = q(x[i]) | q(x[i + 16]) << 4;
    }
}

fn q8_0(x: &[f32], out: &mut [u8]) {
    let d = x.iter().fold(0f32, |m, v| m.max(v.abs())) / 127.0;
    out[..2].copy_from_slice(&f16::from_f32(d).to_le_bytes());
    for (b, v) in out[2..].iter_mut().zip(x) {
        *b = (v * reciprocal(d)).round() as i8 as u8;
    }
}

/// Sixteen groups of 16, each with an eight-bit multiple of one scale. (llama.cpp searches for slightly better
/// scales; the bytes are as many.)
fn q6_k(x: &[f32], out: &mut [u8]) {
    let mut scales = [0f32; 16];
    for (s, group) in scales.iter_mut().zip(x.chunks_exact(16)) {
        *s = group.iter().fold(0f32, |m, v| m.max(v.abs())) / 31.0;
    }
    let d = f16::from_f32(scales.iter().copied().fold(0f32, f32::max) / 127.0);
    let id = reciprocal(d.to_f32());
    out.fill(0);
    for i in 0..256 {
        let multiple = (scales[i / 16] * id).round().min(127.0);
        out[192 + i / 16] = multiple as i8 as u8;
        let q = ((x[i] * reciprocal(d.to_f32() * multiple)).round() as i32).clamp(-32, 31) + 32;
        // Two halves of 128; in each, four groups of 32 share 32 bytes of high bits.
        let (half, g, l) = (i / 128, i % 128 / 32, i % 32);
        out[64 * half + 32 * (g & 1) + l] |= ((q & 15) << (4 * (g >> 1))) as u8;
        out[128 + 32 * half + l] |= ((q >> 4) << (2 * g)) as u8;
    }
    out[208..210].copy_from_slice(&d.to_le_bytes());
}

fn reciprocal(d: f32) -> f32 {
    if d == 0.0 { 0.0 } else { 1.0 / d }
}

/// SplitMix64, and normals from it by the Box-Muller transform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let z = super::mix(self.0, 0x5eed);
        self.0 = self.0.wrapping_add(1);
        z
    }

    fn normals(&mut self) -> (f32, f32) {
        let bits = self.next();
        // 24 bits each, what an f32 holds; the first is never 0, whose logarithm would be infinite.
        let u = ((bits >> 40) + 1) as f32 / (1 << 24) as f32;
        let v = (bits & 0xff_ffff) as f32 / (1 << 24) as f32;
        let radius = (-2.0 * u.ln()).sqrt();
        let (sin, cos) = (std::f32::consts::TAU * v).sin_cos();
        (radius * cos, radius * sin)
    }
}
