//! Speed of `matmul` by weight format, level and rows: `cargo run --profile fast --example matmul_bench --
//! [K] [N] [THREADS] [LEVEL] [FORMATS] [ROWS]`, formats separated by commas; with ROWS, GOP/s of so many alone. Few rows print GB/s of weights read, and how many
//! thousand million of weights these are; many rows print GOP/s (a multiply-add is 2). Packing is by one thread. The
//! first lines are the peaks of byte products and of f32 products: as many independent ones as the cores can begin.

use akunu_kernels::act::{self, ActFormat};
use akunu_kernels::cpu::{Buf, Call, CpuFn, LEVELS, Level};
use akunu_kernels::dtype::{self, DTYPES, DType, DTypeInfo, Layout, rows16};
use akunu_kernels::matmul::{self, MatmulConsts, Select};
use akunu_kernels::step::{self, Header};
use akunu_kernels::target;
use std::time::Instant;

/// Weight bytes of the matrices that one-row products cycle through: more than the caches hold.
const STREAM: usize = 768 << 20;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: usize| args.get(i).and_then(|a| a.parse().ok()).unwrap_or(default);
    let (k, n, threads) = (number(0, 2048), number(1, 2048), number(2, 2));
    let only = args.get(3).and_then(|a| Level::parse(a));
    let wanted = |name: &str| args.get(4).is_none_or(|a| a.split(',').any(|f| f == name));
    let rows = args.get(5).and_then(|a| a.parse::<usize>().ok());
    println!("k {k}, n {n}, {threads} threads");
    #[cfg(target_arch = "x86_64")]
    if rows.is_none() {
        peak::print(threads);
    }
    println!(
        "{:8} {:14} {:4} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}",
        "level",
        "dtype",
        "act",
        "1 row GB/s",
        "G weights/s",
        "4 rows GB/s",
        "64 GOP/s",
        "512 GOP/s",
        "pack G/s"
    );
    for level in LEVELS.iter().copied().filter(|l| *l != Level::Reference && l.available()) {
        // The one has the kernels of another level, the other is no measure.
        let same = level == Level::Avx512Bf16 || level == Level::AmxEmulated && only.is_none();
        if only.is_some_and(|o| o != level) || same {
            continue;
        }
        for info in DTYPES.iter().filter(|i| k % i.block as usize == 0 && wanted(i.name)) {
            let mut acts =
                vec![target::cpu_rule(level, info.dtype).1, target::cpu_head_rule(level, info.dtype).1];
            acts.dedup();
            acts.extend(target::cpu_many_rule(level, info.dtype));
            for act in acts {
                let matrix = dtype::matrix_bytes(info.dtype, Layout::Rows16, n as u64, k as u64) as f64;
                let gb = |rows| {
                    let (s, bytes) = seconds(level, info, act, k, n, rows, threads, STREAM);
                    bytes as f64 / s / 1e9
                };
                let gop = |rows: usize| {
                    let (s, bytes) = seconds(level, info, act, k, n, rows, threads, 0);
                    bytes as f64 / matrix * 2.0 * (k * n * rows) as f64 / s / 1e9
                };
                if let Some(rows) = rows {
                    println!(
                        "{:8} {:14} {:4} {rows} rows {:.0} GOP/s",
                        level.name(),
                        info.name,
                        act.name(),
                        gop(rows)
                    );
                    continue;
                }
                let one = gb(1);
                println!(
                    "{:8} {:14} {:4} {one:12.1} {:12.1} {:12.1} {:12.0} {:12.0} {:12.2}",
                    level.name(),
                    info.name,
                    act.name(),
                    one * (k * n) as f64 / matrix,
                    gb(4),
                    gop(64),
                    gop(512),
                    packing(info, n, k)
                );
            }
        }
    }
}

/// Thousand million weights packed in a second.
fn packing(info: &DTypeInfo, n: usize, k: usize) -> f64 {
    let native = native_weights(info, n, k);
    let bytes = dtype::matrix_bytes(info.dtype, Layout::Rows16, n as u64, k as u64) as usize;
    let (mut packed, mut best) = (Memory::new(bytes), f64::INFINITY);
    for _ in 0..3 {
        let t = Instant::now();
        rows16::pack(info.dtype, &native, n, k, &mut packed.bytes_mut()[..bytes]);
        best = best.min(t.elapsed().as_secs_f64());
    }
    (n * k) as f64 / best / 1e9
}

/// Seconds and weight bytes read of the best of some passes over at least `stream` bytes of matrices.
fn seconds(
    level: Level,
    info: &DTypeInfo,
    fmt: ActFormat,
    k: usize,
    n: usize,
    rows: usize,
    threads: usize,
    stream: usize,
) -> (f64, usize) {
    let dt = info.dtype;
    let layout = Layout::Rows16;
    let matrix = dtype::matrix_bytes(dt, layout, n as u64, k as u64) as usize;
    let count = stream.div_ceil(matrix).max(1);
    let native = native_weights(info, n, k);
    let mut packed = Memory::new(matrix * count);
    rows16::pack(dt, &native, n, k, &mut packed.bytes_mut()[..matrix]);
    for i in 1..count {
        packed.bytes_mut().copy_within(..matrix, i * matrix);
    }
    let mut x = Memory::new(fmt.row_bytes(k) * rows);
    let values: Vec<f32> = (0..k).map(|i| (i as f32 * 0.7).sin()).collect();
    for row in x.bytes_mut().chunks_exact_mut(fmt.row_bytes(k)) {
        act::store(fmt, row, 0, &values);
    }
    let mut out = Memory::new(rows * n * 4);
    let mut block = Memory::new(step::bytes(1, rows as u32));
    let header = Header { rows: rows as u32, seqs_cap: 1, ..Header::default() };
    block.bytes_mut()[..64].copy_from_slice(bytemuck::bytes_of(&header));
    let consts = MatmulConsts {
        dtype: dt as u32,
        layout: layout as u32,
        act: fmt as u32,
        k: k as u32,
        n: n as u32,
        out_stride: n as u32,
        out_col: 0,
        select: Select::All as u32,
        max_rows: rows as u32,
    };
    let words: [u32; 9] = bytemuck::cast(consts);
    let f: CpuFn = matmul::KERNEL.cpu(level, &words).expect("a version");
    let bufs: Vec<[Buf; 4]> =
        (0..count).map(|i| [block.buf(0), x.buf(0), packed.buf(i * matrix), out.buf(0)]).collect();
    let mut best = f64::INFINITY;
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 0.6 {
        let t = Instant::now();
        std::thread::scope(|s| {
            for part in 0..threads as u32 {
                let (bufs, words) = (&bufs, &words);
                s.spawn(move || {
                    for b in bufs {
                        let call = Call { bufs: b, consts: words, params: &[] };
                        // SAFETY: bindings laid out by the contract; each thread does its own part.
                        unsafe { f(&call, part, threads as u32) };
                    }
                });
            }
        });
        best = best.min(t.elapsed().as_secs_f64());
    }
    (best, matrix * count)
}

/// Bytes aligned to a cache line.
struct Memory(Vec<Line>);

#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
struct Line([u64; 8]);

impl Memory {
    fn new(bytes: usize) -> Self {
        Self(vec![Line([0; 8]); bytes.div_ceil(64)])
    }
    fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }
    fn buf(&mut self, from: usize) -> Buf {
        let b = &mut self.bytes_mut()[from..];
        Buf { ptr: b.as_mut_ptr(), len: b.len() }
    }
}

/// Arbitrary quants with small finite scales.
fn native_weights(info: &DTypeInfo, n: usize, k: usize) -> Vec<u8> {
    let (size, scale) = (info.block_bytes as usize, [0x12, 0x20]);
    let mut w = vec![0u8; n * info.dtype.row_bytes(k as u64) as usize];
    for (i, b) in w.chunks_exact_mut(size).enumerate() {
        for (j, v) in b.iter_mut().enumerate() {
            *v = (i * 31 + j * 17) as u8 & 0x3F;
        }
        match info.dtype {
            DType::Q2K => b[80..84].copy_from_slice(&[scale, scale].concat()),
            DType::Q3K => b[108..110].copy_from_slice(&scale),
            DType::Q6K => b[208..210].copy_from_slice(&scale),
            DType::Q4_0 | DType::Q5_0 | DType::Q8_0 | DType::Iq4Nl | DType::Iq4Xs => {
                b[..2].copy_from_slice(&scale);
            }
            // Normal numbers: subnormal ones take a slow path in the processor.
            DType::Bf16 | DType::F16 => b[1] = 0x3C,
            DType::F32 | DType::Q8K => b[3] = 0x3C,
            DType::Mxfp4 | DType::Mxfp8 => b[0] = 0x70,
            DType::Nvfp4 => b[..4].fill(0x38),
            _ => b[..4].copy_from_slice(&[scale, scale].concat()),
        }
    }
    w
}

#[cfg(target_arch = "x86_64")]
mod peak {
    use akunu_kernels::cpu::Level;
    use std::arch::asm;
    use std::arch::x86_64::*;
    use std::hint::black_box;
    use std::time::Instant;

    const STEPS: u64 = 20_000_000;
    /// Independent sums: more than the latency of a product times two a cycle.
    const CHAINS: usize = 16;

    pub(super) fn print(threads: usize) {
        if is_x86_feature_detected!("avx512vnni") {
            // SAFETY: the features were just found.
            show("avx512 bytes", threads, 64, || unsafe { bytes_avx512() });
            // SAFETY: the features were just found.
            show("avx512 f32", threads, 16, || unsafe { floats_avx512() });
        }
        if Level::Amx.available() {
            // SAFETY: the level was just found. A product is 16 x 16 x 32, and there are a sixteenth of the steps.
            show("amx bf16", threads, 8192 / 16, || unsafe { tiles_amx() });
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the features were just found.
            show("avx2 f32", threads, 8, || unsafe { floats_avx2() });
        }
    }

    /// GOP/s of `f` on all threads; one of its products is `width` multiply-adds.
    fn show(name: &str, threads: usize, width: u64, f: impl Fn() + Sync) {
        let seconds = (0..3).map(|_| {
            let t = Instant::now();
            std::thread::scope(|s| (0..threads).for_each(|_| drop(s.spawn(&f))));
            t.elapsed().as_secs_f64()
        });
        let best = seconds.fold(f64::INFINITY, f64::min);
        let operations = 2 * width * CHAINS as u64 * STEPS * threads as u64;
        println!("peak of {name}: {:.0} GOP/s", operations as f64 / best / 1e9);
    }

    macro_rules! chains {
        ($zero:expr, $x:expr, $step:ident) => {{
            let (x, mut sums) = (black_box($x), [$zero; CHAINS]);
            for _ in 0..STEPS {
                for s in &mut sums {
                    *s = $step(*s, x);
                }
            }
            black_box(sums);
        }};
    }

    /// A sixteenth of the other loops' steps, on four tiles of sums.
    unsafe fn tiles_amx() {
        #[repr(C, align(64))]
        struct Configuration([u8; 64]);
        let mut c = Configuration([0; 64]);
        c.0[0] = 1;
        for t in 0..8 {
            (c.0[16 + 2 * t], c.0[48 + t]) = (64, 16);
        }
        // SAFETY: the caller's promise; eight whole tiles of palette 1.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const c, options(nostack, readonly));
            for _ in 0..STEPS / 16 * CHAINS as u64 / 4 {
                asm!(
                    "tdpbf16ps tmm0, tmm4, tmm6",
                    "tdpbf16ps tmm1, tmm4, tmm7",
                    "tdpbf16ps tmm2, tmm5, tmm6",
                    "tdpbf16ps tmm3, tmm5, tmm7",
                    options(nostack, nomem)
                );
            }
            asm!("tilerelease", options(nostack, nomem));
        }
    }

    #[target_feature(enable = "avx512f,avx512vnni")]
    fn bytes_avx512() {
        let step = |s, x| _mm512_dpbusd_epi32(s, x, x);
        chains!(_mm512_setzero_si512(), _mm512_set1_epi8(1), step);
    }

    #[target_feature(enable = "avx512f")]
    fn floats_avx512() {
        let step = |s, x| _mm512_fmadd_ps(x, x, s);
        chains!(_mm512_setzero_ps(), _mm512_set1_ps(1.0), step);
    }

    #[target_feature(enable = "avx2,fma")]
    fn floats_avx2() {
        let step = |s, x| _mm256_fmadd_ps(x, x, s);
        chains!(_mm256_setzero_ps(), _mm256_set1_ps(1.0), step);
    }
}
