//! `matmul_glu` and `dequantize` against what they are made of, and the CUDA versions for many rows as plain data:
//! every copy inside its binding, shared memory inside the device's.

mod harness;

use akunu_kernels::act::{self, ActFormat};
use akunu_kernels::cpu::Level;
use akunu_kernels::cuda::{CudaLaunch, Gpu};
use akunu_kernels::dequantize::{self, DequantizeConsts};
use akunu_kernels::dtype::{self, DTYPES, DType, Layout, planes, rows16};
use akunu_kernels::glu::{self, GluConsts};
use akunu_kernels::matmul::{self, MatmulConsts};
use akunu_kernels::matmul_add;
use akunu_kernels::matmul_glu::{self, MatmulGluConsts};
use half::{bf16, f16};
use harness::{Memory, Random, plain_rows, random_weights, run, step_block};

const HOPPER: Gpu = Gpu { sm: 90, multiprocessors: 132, shared: 232_448 };
const OLDER: [Gpu; 3] = [
    Gpu { sm: 80, multiprocessors: 108, shared: 166_912 },
    Gpu { sm: 86, multiprocessors: 82, shared: 101_376 },
    Gpu { sm: 120, multiprocessors: 170, shared: 101_376 },
];

/// A matrix in a layout, from native bytes.
fn packed(dt: DType, layout: Layout, native: &[u8], n: usize, k: usize) -> Memory {
    let mut m = Memory::new(dtype::matrix_bytes(dt, layout, n as u64, k as u64) as usize, 0xFF);
    match layout {
        Layout::Native | Layout::Staged => m.bytes_mut().copy_from_slice(native),
        Layout::Rows16 => rows16::pack(dt, native, n, k, m.bytes_mut()),
        Layout::Planes => {
            for i in 0..planes::planes(dt).len() {
                let at = planes::offset(dt, i, n as u64, k as u64) as usize;
                let len = n * planes::row_bytes(dt, i, k as u64) as usize;
                planes::pack(dt, native, i, &mut m.bytes_mut()[at..at + len]);
            }
        }
    }
    m
}

#[test]
fn dequantize_gives_every_row_and_saturates() {
    let mut rng = Random(11);
    for info in DTYPES {
        let (dt, n, k) = (info.dtype, 7usize, 2 * (info.block as usize).max(8));
        let mut native = random_weights(dt, n, k, &mut rng);
        if dt == DType::F32 {
            native[..8].copy_from_slice(&[1e6f32.to_le_bytes(), (-1e6f32).to_le_bytes()].concat());
        }
        for layout in [Layout::Native, Layout::Rows16, Layout::Planes] {
            for to in [DType::F16, DType::Bf16] {
                let mut w = packed(dt, layout, &native, n, k);
                let consts: [u32; 5] = bytemuck::cast(DequantizeConsts {
                    dtype: dt as u32,
                    layout: layout as u32,
                    k: k as u32,
                    n: n as u32,
                    to: to as u32,
                });
                let (mut out, mut step) = (Memory::new(n * k * 2, 0x7F), step_block(&plain_rows(1), 1));
                let bufs = [step.buf(), w.buf(), out.buf()];
                run(&dequantize::KERNEL, Level::Reference, &consts, &[], &bufs, 3);
                let mut row = vec![0f32; k];
                for (j, got) in out.values::<u16>().chunks_exact(k).enumerate() {
                    dtype::dequantize_native_row(dt, &native, k, j, &mut row);
                    for (g, v) in got.iter().zip(&row) {
                        let want = match to {
                            DType::F16 => f16::from_f32(v.clamp(-65504.0, 65504.0)).to_bits(),
                            _ => bf16::from_f32(*v).to_bits(),
                        };
                        assert_eq!(*g, want, "{dt} {} to {to}, row {j}", layout.name());
                    }
                }
            }
        }
    }
}

#[test]
fn dequantize_without_rows_writes_nothing() {
    let consts: [u32; 5] =
        bytemuck::cast(DequantizeConsts { dtype: 0, layout: 0, k: 32, n: 4, to: DType::Bf16 as u32 });
    let mut w = Memory::of(&[1f32; 128]);
    let (mut out, mut step) = (Memory::new(256, 0xA5), step_block(&[], 0));
    run(&dequantize::KERNEL, Level::Reference, &consts, &[], &[step.buf(), w.buf(), out.buf()], 2);
    assert!(out.bytes().iter().all(|b| *b == 0xA5));
}

#[test]
fn matmul_glu_is_matmul_then_glu() {
    let (k, f, rows) = (96usize, 37usize, 5usize);
    let mut rng = Random(5);
    let wide = |v: f32| v / 4.0;
    for (dt, fmt) in [(DType::F16, ActFormat::F16), (DType::Bf16, ActFormat::Bf16)] {
        let mut w = Memory::of(&random_weights(dt, 2 * f, k, &mut rng));
        let rb = fmt.row_bytes(k);
        let mut x = Memory::new(rows * rb, 0);
        for r in 0..rows {
            let values: Vec<f32> = rng.normals(k).into_iter().map(wide).collect();
            act::store(fmt, &mut x.bytes_mut()[r * rb..(r + 1) * rb], 0, &values);
        }
        let mut step = step_block(&plain_rows(rows), 1);
        for (activation, out_format) in [(0, ActFormat::Bf16), (1, ActFormat::F16), (0, ActFormat::F32)] {
            let mut gate_up = Memory::new(rows * 2 * f * 4, 0xFF);
            let product: [u32; 9] = bytemuck::cast(MatmulConsts {
                dtype: dt as u32,
                layout: 0,
                act: fmt as u32,
                k: k as u32,
                n: 2 * f as u32,
                out_stride: 2 * f as u32,
                out_col: 0,
                select: 0,
                max_rows: rows as u32,
            });
            let bufs = [step.buf(), x.buf(), w.buf(), gate_up.buf()];
            run(&matmul::KERNEL, Level::Reference, &product, &[], &bufs, 1);
            let ob = out_format.row_bytes(f);
            let (mut want, mut got) = (Memory::new(rows * ob, 0x11), Memory::new(rows * ob, 0x11));
            let consts: [u32; 5] = bytemuck::cast(GluConsts {
                f: f as u32,
                activation,
                act: out_format as u32,
                per_row: 1,
                max_rows: rows as u32,
            });
            run(&glu::KERNEL, Level::Reference, &consts, &[], &[step.buf(), gate_up.buf(), want.buf()], 1);
            let consts: [u32; 8] = bytemuck::cast(MatmulGluConsts {
                dtype: dt as u32,
                layout: 0,
                act: fmt as u32,
                k: k as u32,
                f: f as u32,
                activation,
                act_out: out_format as u32,
                max_rows: rows as u32,
            });
            run(
                &matmul_glu::KERNEL,
                Level::Reference,
                &consts,
                &[],
                &[step.buf(), x.buf(), w.buf(), got.buf()],
                3,
            );
            let mut values = (vec![0f32; f], vec![0f32; f]);
            for r in 0..rows {
                act::load(out_format, &want.bytes()[r * ob..(r + 1) * ob], f, &mut values.0);
                act::load(out_format, &got.bytes()[r * ob..(r + 1) * ob], f, &mut values.1);
                for (a, b) in values.0.iter().zip(&values.1) {
                    // The same products in the same order; only the last bit of a 16-bit result may differ.
                    assert!((a - b).abs() <= a.abs() / 128.0 + 1e-5, "{dt} {activation}: {a} {b}");
                }
            }
        }
    }
}

/// What must hold for any launch: copies inside the bindings, boxes that the copy engine takes.
fn check(l: &CudaLaunch, gpu: &Gpu, x: (u64, u64), w: (u64, u64)) {
    assert!(l.shared <= gpu.shared, "{l:?}");
    assert!(l.grid[0] >= 1 && l.grid[0] <= gpu.multiprocessors, "{l:?}");
    let define = |name| l.defines.iter().find(|d| d.0 == name).map_or(1, |d| d.1);
    assert_eq!(l.grid[0] % define("TILE_CLUSTER"), 0);
    let is = |name| l.defines.iter().any(|d| d.0 == name);
    if is("FLAT_M") {
        // On Hopper parts lie in clusters, or in teams whose sums go through memory; elsewhere a block does one after the other.
        let ranks = define("FLAT_SPLIT") / define("FLAT_PARTS");
        let fits = l.grid[0].is_multiple_of(ranks) && (ranks <= 2 || l.exchange > 0);
        assert!(
            !gpu.hopper() || fits && define("FLAT_X_STAGES") >= 2 && define("FLAT_W_STAGES") >= 1,
            "{l:?}"
        );
    } else {
        assert!(define("TILE_STAGES") >= 2 && define("TILE_BAND") >= 1);
    }
    assert_eq!(l.maps.is_empty(), !gpu.hopper());
    for m in &l.maps {
        let (_, bytes) = [x, w].into_iter().find(|b| b.0 == m.binding as u64).expect("x or w");
        assert!(m.offset + (m.rows - 1) * m.stride + 2 * m.cols <= bytes, "{m:?} in {bytes}");
        assert!(m.box_rows <= 256 && m.box_rows.is_multiple_of(8) && (m.box_cols == 64 || m.box_cols == 8));
        assert!(m.stride.is_multiple_of(16) && m.offset.is_multiple_of(16));
    }
}

#[test]
fn cuda_tiles_fit() {
    for gpu in OLDER.iter().chain([&HOPPER]) {
        for rows in [1, 9, 33, 64, 65, 129, 512, 2048, 5000] {
            for (n, k) in [(1, 32), (575, 576), (4096, 4096), (28672, 4096), (3072, 2048), (151_936, 896)] {
                for (dt, fmt) in [(DType::F16, ActFormat::F16), (DType::Bf16, ActFormat::Bf16)] {
                    let x = (1, u64::from(rows) * fmt.row_bytes(k as usize) as u64);
                    let w = (2, 2 * u64::from(n) * u64::from(k));
                    let c = MatmulConsts {
                        dtype: dt as u32,
                        layout: 0,
                        act: fmt as u32,
                        k,
                        n,
                        out_stride: n,
                        out_col: 0,
                        select: 0,
                        max_rows: rows,
                    };
                    for kernel in [&matmul::KERNEL, &matmul_add::KERNEL] {
                        let l = kernel.cuda(gpu, &bytemuck::cast::<_, [u32; 9]>(c)).expect("a version");
                        check(&l, gpu, x, w);
                    }
                    let c = MatmulGluConsts {
                        dtype: dt as u32,
                        layout: 0,
                        act: fmt as u32,
                        k,
                        f: n,
                        activation: 0,
                        act_out: fmt as u32,
                        max_rows: rows,
                    };
                    let words: [u32; 8] = bytemuck::cast(c);
                    let l = matmul_glu::KERNEL.cuda(gpu, &words).expect("a version");
                    check(&l, gpu, x, (2, 2 * w.1));
                }
            }
        }
    }
}

/// Of 16-bit weights in tables of 9 to 512 rows: how k is cut depends on no row count, and what a command before has written is not
/// read early.
#[test]
fn cuda_cuts_of_16_bits_do_not_depend_on_rows() {
    for (n, k) in
        [(1, 256), (576, 768), (3000, 512), (4096, 14_336), (6144, 4096), (28672, 4096), (128_256, 2048)]
    {
        let mut cuts = Vec::new();
        for (rows, layout) in [9, 16, 33, 64, 65, 128, 200, 257, 512]
            .into_iter()
            .flat_map(|r| [Layout::Native, Layout::Staged].map(|l| (r, l)))
        {
            let c = MatmulConsts {
                dtype: DType::Bf16 as u32,
                layout: layout as u32,
                act: ActFormat::Bf16 as u32,
                k,
                n,
                out_stride: n,
                out_col: 0,
                select: 0,
                max_rows: rows,
            };
            let l = matmul::KERNEL.cuda(&HOPPER, &bytemuck::cast::<_, [u32; 9]>(c)).expect("a version");
            let define = |name| l.defines.iter().find(|d| d.0 == name).map(|d| d.1);
            let early = l.defines.contains(&("FLAT_EARLY", 1));
            assert_eq!(early, layout == Layout::Native && rows <= 128, "{l:?}");
            cuts.push(define("FLAT_SPLIT").or(define("TILE_SPLIT")).expect("a cut"));
        }
        assert!(cuts.iter().all(|c| *c == cuts[0]), "{n} x {k}: {cuts:?}");
    }
}

/// Weights in planes, dequantized on their way: every format fits every GPU, and how k is cut depends on no row count.
#[test]
fn cuda_planes_fit() {
    for gpu in OLDER.iter().chain([&HOPPER]) {
        for dt in DTYPES.iter().filter(|d| d.block > 1) {
            for (n, k) in [(1, 256), (576, 768), (4096, 4096), (28672, 4096), (128_256, 2048)] {
                let mut cuts = Vec::new();
                for rows in [9, 16, 33, 64, 128, 200, 512] {
                    let fmt = ActFormat::F16;
                    let c = MatmulConsts {
                        dtype: dt.dtype as u32,
                        layout: Layout::Planes as u32,
                        act: fmt as u32,
                        k,
                        n,
                        out_stride: n,
                        out_col: 0,
                        select: 0,
                        max_rows: rows,
                    };
                    let l = matmul::KERNEL.cuda(gpu, &bytemuck::cast::<_, [u32; 9]>(c)).expect("a version");
                    let x = (1, u64::from(rows) * fmt.row_bytes(k as usize) as u64);
                    check(&l, gpu, x, (2, u64::from(n) * dt.dtype.row_bytes(u64::from(k))));
                    cuts.push(l.defines.iter().find(|d| d.0 == "FLAT_SPLIT").expect("cuts").1);
                }
                assert!(cuts.iter().all(|c| *c == cuts[0]), "{} {n} x {k}: {cuts:?}", dt.name);
            }
        }
    }
}

#[test]
fn cuda_refuses_what_matrix_units_do_not_take() {
    let ok = MatmulConsts {
        dtype: DType::Bf16 as u32,
        layout: 0,
        act: ActFormat::Bf16 as u32,
        k: 64,
        n: 64,
        out_stride: 64,
        out_col: 0,
        select: 0,
        max_rows: 64,
    };
    let pick = |c: MatmulConsts| matmul_add::KERNEL.cuda(&HOPPER, &bytemuck::cast::<_, [u32; 9]>(c));
    assert!(pick(ok).is_ok());
    for bad in [
        MatmulConsts { dtype: DType::F16 as u32, ..ok },
        MatmulConsts { act: ActFormat::F32 as u32, ..ok },
        MatmulConsts { dtype: DType::Q4_0 as u32, ..ok },
        MatmulConsts { layout: Layout::Planes as u32, ..ok },
        MatmulConsts { k: 60, ..ok },
        MatmulConsts { n: 0, ..ok },
    ] {
        assert!(pick(bad).is_err(), "{bad:?}");
    }
}
