//! How fast weights are packed, by format: GB of the file's bytes a second, on one core.
#![allow(clippy::print_stdout, missing_docs, reason = "an example for people")]

use akunu_kernels::dtype::{DTYPES, rows16};
use std::time::Instant;

fn main() {
    let k = 2048;
    for d in DTYPES.iter().filter(|d| d.dtype.affine().is_none()) {
        let rows = 512;
        let src = vec![0x35u8; rows * d.dtype.row_bytes(k as u64) as usize];
        let mut dst = vec![0u8; rows / 16 * rows16::tile_bytes(d.dtype, k)];
        let once = |dst: &mut [u8]| {
            let start = Instant::now();
            rows16::pack(d.dtype, std::hint::black_box(&src), rows, k, dst);
            start.elapsed().as_secs_f64()
        };
        let best = (0..9).map(|_| once(&mut dst)).fold(f64::INFINITY, f64::min);
        println!("{:8} {:6.2} GB/s", d.name, src.len() as f64 / best / 1e9);
    }
}
