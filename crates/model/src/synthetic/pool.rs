//! Normal random numbers in each format.

use crate::quantize::quantize_row;
use akunu_kernels::DType;

/// Values that are drawn and quantized at once; a multiple of every block.
const CHUNK: usize = 4096;

/// `n` normals of deviation `deviation`, a multiple of 4,096, in blocks of `dtype`. The same bytes on every call.
pub(super) fn make(dtype: DType, n: usize, deviation: f32) -> Vec<u8> {
    let size = dtype.row_bytes(CHUNK as u64) as usize;
    let mut random = Random(u64::from(dtype as u32));
    let mut values = [0.0; CHUNK];
    let mut out = vec![0; n / CHUNK * size];
    for bytes in out.chunks_exact_mut(size) {
        for pair in values.as_chunks_mut::<2>().0 {
            *pair = random.normals().map(|v| v * deviation);
        }
        quantize_row(dtype, &values, None, bytes);
    }
    out
}

/// SplitMix64, and normals from it by the Box-Muller transform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let z = super::mix(self.0, 0x5eed);
        self.0 = self.0.wrapping_add(1);
        z
    }

    fn normals(&mut self) -> [f32; 2] {
        let bits = self.next();
        // 24 bits each, what an f32 holds; the first is never 0, whose logarithm would be infinite.
        let u = ((bits >> 40) + 1) as f32 / (1 << 24) as f32;
        let v = (bits & 0xff_ffff) as f32 / (1 << 24) as f32;
        let radius = (-2.0 * u.ln()).sqrt();
        let (sin, cos) = (std::f32::consts::TAU * v).sin_cos();
        [radius * cos, radius * sin]
    }
}
