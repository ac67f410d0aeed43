//! `matmul` and `matmul_add` at every level against the plain twin on the same activation bytes.

mod harness;
#[path = "matmul/heads.rs"]
mod heads;

use akunu_kernels::act::{self, ActFormat, Units};
use akunu_kernels::cpu::{LEVELS, Level};
use akunu_kernels::dtype::{self, DTYPES, DType, DTypeInfo, Layout, rows16};
use akunu_kernels::machine::Machine;
use akunu_kernels::matmul::{self, MatmulConsts, Select};
use akunu_kernels::matmul_glu::{self, MatmulGluConsts};
use akunu_kernels::{glu, matmul_add, target};
use half::{bf16, f16};
use harness::{Memory, Random, packed, plain_rows, random_weights, run, step_block};

struct Case {
    dt: DType,
    act: ActFormat,
    k: usize,
    n: usize,
    rows: usize,
    native: Vec<u8>,
    packed: Memory,
    /// Activation rows in f32, and stored.
    x: Vec<f32>,
    stored: Memory,
}

fn levels() -> impl Iterator<Item = Level> {
    LEVELS.iter().copied().filter(|l| *l != Level::Reference && l.available())
}

/// The activation formats that a weight format is used with.
fn acts(level: Level, dt: DType) -> Vec<ActFormat> {
    let mut v = vec![target::cpu_rule(level, dt).1, target::cpu_head_rule(level, dt).1];
    v.dedup();
    v.extend(target::cpu_many_rule(level, dt));
    v
}

/// An odd width that activations have.
fn odd(act: ActFormat, k: usize) -> usize {
    k.next_multiple_of(act.block() as usize)
}

fn formats(level: Level) -> impl Iterator<Item = (&'static DTypeInfo, ActFormat)> {
    DTYPES.iter().flat_map(move |i| acts(level, i.dtype).into_iter().map(move |a| (i, a)))
}

fn case(dt: DType, act: ActFormat, k: usize, n: usize, rows: usize, seed: u64) -> Case {
    let (layout, mut rng) = (Layout::Rows16, Random(seed));
    let native = random_weights(dt, n, k, &mut rng);
    let mut packed = Memory::new(dtype::matrix_bytes(dt, layout, n as u64, k as u64) as usize, 0xFF);
    rows16::pack(dt, &native, n, k, packed.bytes_mut());
    let rb = act.row_bytes(k);
    let mut stored = Memory::new(rows * rb, 0xFF);
    let mut x = rng.normals(rows * k);
    for (r, x) in x.chunks_exact_mut(k).enumerate() {
        let row = &mut stored.bytes_mut()[r * rb..(r + 1) * rb];
        act::store(act, row, 0, x);
        act::load(act, row, k, x);
    }
    Case { dt, act, k, n, rows, native, packed, x, stored }
}

impl Case {
    fn consts(&self, layout: Layout, stride: usize, col: usize, select: Select) -> [u32; 9] {
        bytemuck::cast(MatmulConsts {
            dtype: self.dt as u32,
            layout: layout as u32,
            act: self.act as u32,
            k: self.k as u32,
            n: self.n as u32,
            out_stride: stride as u32,
            out_col: col as u32,
            select: select as u32,
            max_rows: self.rows as u32,
        })
    }

    /// Runs on a poisoned output of `stride` columns; `rows` are active.
    fn run(
        &mut self,
        level: Level,
        layout: Layout,
        stride: usize,
        col: usize,
        rows: usize,
        parts: u32,
    ) -> Vec<f32> {
        let consts = self.consts(layout, stride, col, Select::All);
        let mut step = step_block(&plain_rows(rows), 0);
        let mut out = Memory::of(&vec![f32::NAN; self.rows * stride]);
        let mut w = Memory::of(&self.native);
        let w = if layout == Layout::Native { w.buf() } else { self.packed.buf() };
        let bufs = [step.buf(), self.stored.buf(), w, out.buf()];
        run(&matmul::KERNEL, level, &consts, &[], &bufs, parts);
        out.values::<f32>().to_vec()
    }

    /// What the twin makes of it: of weights as they are, or rounded to bf16 as levels with matrix units round quantized ones.
    fn twin(&mut self) -> Vec<f32> {
        let (n, rows) = (self.n, self.rows);
        if self.act != ActFormat::Bf16 {
            return self.run(Level::Reference, Layout::Native, n, 0, rows, 1);
        }
        let native = (0..n).flat_map(|j| {
            let mut w = vec![0.0; self.k];
            dtype::dequantize_native_row(self.dt, &self.native, self.k, j, &mut w);
            w.into_iter().flat_map(|w| nearest(w).to_le_bytes())
        });
        let (dt, native, packed) = (DType::Bf16, native.collect(), Memory::new(0, 0));
        let (x, stored) = (self.x.clone(), Memory::of(self.stored.bytes()));
        Self { dt, native, packed, x, stored, ..*self }.run(Level::Reference, Layout::Native, n, 0, rows, 1)
    }

    /// For each column of weight row `j`, the magnitudes of its terms: the weight's, and in formats with minimums those
    /// of a scaled code and an offset, which may cancel.
    fn magnitudes(&self, j: usize) -> Vec<f32> {
        let mut w = vec![0.0; self.k];
        dtype::dequantize_native_row(self.dt, &self.native, self.k, j, &mut w);
        let terms = minimums(self.dt, &self.native, self.k, j);
        w.iter().zip(&terms).map(|(w, t)| w.abs() + t).collect()
    }

    /// The error that twin and kernel together may make in the output of row r and the weights of these magnitudes: each
    /// rounds once per partial sum and a few times per term, in proportion to the terms' magnitudes.
    fn bound(&self, r: usize, j: usize, magnitudes: &[f32]) -> f32 {
        let x = &self.x[r * self.k..(r + 1) * self.k];
        let sum: f32 = magnitudes.iter().zip(x).map(|(m, x)| m * x.abs()).sum();
        self.lost(x, j, magnitudes, sum) + self.rounding() * sum
    }

    /// What products of many rows lose beside the rounding of sums, where `sum` is that of all terms' magnitudes.
    fn lost(&self, x: &[f32], j: usize, magnitudes: &[f32], sum: f32) -> f32 {
        match self.act {
            // A product of two rests, each 2^-9 of its number at most.
            ActFormat::Bf16Pair if self.dt == DType::F16 => sum * 2f32.powi(-18),
            // A weight whose terms add up on the other side of where bf16 rounds up is off by one step.
            ActFormat::Bf16 if rows16::form(self.dt).is_some_and(|f| f.scales.minimums()) => {
                let mut w = vec![0.0; self.k];
                dtype::dequantize_native_row(self.dt, &self.native, self.k, j, &mut w);
                let at = |v: f32| nearest(v).to_f32();
                let step = |w: f32, m: f32| at(w + m * 2f32.powi(-22)) - at(w - m * 2f32.powi(-22));
                w.iter().zip(magnitudes).zip(x).map(|((w, m), x)| step(*w, *m) * x.abs()).sum()
            }
            // The steps of a block's halves are multiplied by what these halves' scales are of the larger one, and rounded to whole units:
            // half a unit, and a quarter since these parts are rounded to 2^-15.
            ActFormat::Q8Paired if rows16::form(self.dt).is_some_and(|f| f.scales.halves()) => {
                let (ends, mut lost) = (self.ends(j), 0.0);
                let most = |v: &[f32]| v.iter().fold(0f32, |a, b| a.max(b.abs()));
                for ((x, m), ends) in x.chunks(32).zip(magnitudes.chunks(32)).zip(ends.chunks(32)) {
                    for half in [0..16, 16..32] {
                        let (x_half, ends_half) = (&x[half.clone()], &ends[half.clone()]);
                        let terms: f32 = m[half].iter().zip(x_half).map(|(m, x)| m * x.abs()).sum();
                        if terms > 0.0 {
                            lost += terms * (most(ends) / most(ends_half)) * (most(x) / most(x_half));
                        }
                    }
                }
                // A unit is at most twice the larger half's step in so many.
                lost * 2.0 * 0.76 / Units::STEPS
            }
            _ => 0.0,
        }
    }

    /// What the smallest codes stand for in row `j`: as much for each column as its scale is of another's.
    fn ends(&self, j: usize) -> Vec<f32> {
        let rb = self.dt.row_bytes(self.k as u64) as usize;
        let mut row = self.native[j * rb..(j + 1) * rb].to_vec();
        let blocks = row.chunks_exact_mut(self.dt.info().block_bytes as usize);
        blocks.for_each(|b| b[code_bytes(self.dt)].fill(0));
        let mut values = vec![0.0; self.k];
        dtype::dequantize_native_row(self.dt, &row, self.k, 0, &mut values);
        values
    }

    /// The rounding of sums, as a share of the sum of all terms' magnitudes.
    fn rounding(&self) -> f32 {
        // Quantized weights are summed in blocks of 32, with at most four additions each.
        let kernel_sums = match rows16::form(self.dt) {
            None => self.k,
            Some(_) => self.k / 8 + 32,
        };
        (kernel_sums + self.k / 16 + 24) as f32 * (f32::EPSILON / 2.0)
    }
}

/// The nearest bf16, of two the one farther from zero.
fn nearest(v: f32) -> bf16 {
    bf16::from_bits(((v.to_bits() + 0x8000) >> 16) as u16)
}

/// Where the codes lie in a block.
fn code_bytes(dt: DType) -> std::ops::Range<usize> {
    let size = dt.info().block_bytes as usize;
    match dt {
        DType::F32 | DType::F16 | DType::Bf16 => 0..size,
        DType::Mxfp4 | DType::Mxfp8 => 1..size,
        DType::Q4_0 | DType::Q5_0 | DType::Q8_0 | DType::Iq4Nl => 2..size,
        DType::Q2K => 16..80,
        DType::Q3K => 0..96,
        DType::Q4K | DType::Q5K => 16..size,
        DType::Q6K => 0..192,
        DType::Q8K => 4..260,
        DType::Iq4Xs => 8..size,
        // Q4_1, Q5_1, NVFP4 and the affine formats.
        _ => 4..size,
    }
}

/// For each column of row `j`, what a format with minimums adds up to its value at most, beside the value: twice half
/// the codes' range (codes around their centre, and the centre), and the minimum. Zeros for other formats.
fn minimums(dt: DType, native: &[u8], k: usize, j: usize) -> Vec<f32> {
    if !rows16::form(dt).is_some_and(|f| f.scales.minimums()) {
        return vec![0.0; k];
    }
    let rb = dt.row_bytes(k as u64) as usize;
    let [low, high] = [0x00, 0xFF].map(|fill| {
        let mut row = native[j * rb..(j + 1) * rb].to_vec();
        row.chunks_exact_mut(dt.info().block_bytes as usize).for_each(|b| b[code_bytes(dt)].fill(fill));
        let mut values = vec![0.0; k];
        dtype::dequantize_native_row(dt, &row, k, 0, &mut values);
        values
    });
    low.iter().zip(&high).map(|(low, high)| (high - low).abs() + low.abs()).collect()
}

fn ks(dt: DType) -> &'static [usize] {
    match dt.block() {
        1 => &[1, 2, 3, 31, 64, 129, 576],
        32 if dt == DType::Q4_0 => &[32, 64, 96, 576, 2048],
        32 => &[32, 96, 576],
        64 => &[64, 192],
        128 => &[128, 384],
        _ => &[256, 768],
    }
}

#[test]
fn packed_rows_dequantize_like_native_ones() {
    let mut rng = Random(7);
    for info in DTYPES {
        for &k in ks(info.dtype) {
            for n in [1, 15, 16, 17, 33] {
                let native = random_weights(info.dtype, n, k, &mut rng);
                let bytes = dtype::matrix_bytes(info.dtype, Layout::Rows16, n as u64, k as u64) as usize;
                let mut packed = vec![0xFF; bytes];
                rows16::pack(info.dtype, &native, n, k, &mut packed);
                let (mut a, mut b) = (vec![f32::NAN; k], vec![f32::NAN; k]);
                for row in 0..n.next_multiple_of(16) {
                    rows16::dequantize_row(info.dtype, &packed, k, row, &mut b);
                    if row < n {
                        dtype::dequantize_native_row(info.dtype, &native, k, row, &mut a);
                        assert_eq!(bits(&a), bits(&b), "{} k {k} n {n} row {row}", info.name);
                    } else {
                        assert!(b.iter().all(|v| *v == 0.0), "{} k {k} n {n}: padding row {row}", info.name);
                    }
                }
            }
        }
    }
}

fn bits(v: &[f32]) -> Vec<u32> {
    v.iter().map(|x| x.to_bits()).collect()
}

/// The plain twin dequantizes row by row, so the layout changes no bit.
#[test]
fn the_twin_reads_every_layout() {
    for info in DTYPES {
        for &k in ks(info.dtype) {
            let (n, rows) = (19, 3);
            let mut c = case(info.dtype, ActFormat::F32, k, n, rows, k as u64);
            let want = c.run(Level::Reference, Layout::Native, n, 0, rows, 1);
            for layout in [Layout::Rows16, Layout::Planes] {
                c.packed = packed(info.dtype, layout, &c.native, n, k);
                let got = c.run(Level::Reference, layout, n, 0, rows, 2);
                assert_eq!(bits(&got), bits(&want), "{} {} k {k}", info.name, layout.name());
            }
        }
    }
}

const FORMATS: [ActFormat; 7] = [
    ActFormat::F32,
    ActFormat::Q8,
    ActFormat::Q16,
    ActFormat::Bf16,
    ActFormat::Bf16Pair,
    ActFormat::Q8Paired,
    ActFormat::Q8Quads,
];

/// One twin for all levels: under emulation it is most of the time.
#[test]
fn every_level_agrees_with_the_twin() {
    let mut seed = 1;
    for info in DTYPES {
        for act in FORMATS {
            let levels: Vec<Level> = levels().filter(|l| acts(*l, info.dtype).contains(&act)).collect();
            if levels.is_empty() {
                continue;
            }
            for &k in ks(info.dtype).iter().filter(|k| **k == odd(act, **k)) {
                for (n, rows, parts) in [
                    (1, 1, 1),
                    (15, 2, 2),
                    (16, 3, 1),
                    (17, 7, 2),
                    (33, 8, 3),
                    (100, 9, 3),
                    (64, 13, 2),
                    (49, 64, 1),
                ] {
                    seed += 1;
                    agree(&mut case(info.dtype, act, k, n, rows, seed), &levels, parts);
                }
            }
        }
    }
}

/// More rows than are multiplied at a time, more tiles than a group, more columns than a slab or a chunk, and none of them whole, on
/// the levels that have such things.
#[test]
fn many_rows_agree_with_the_twin_on_matrix_units() {
    for (dt, act) in [
        (DType::Q4_0, ActFormat::Bf16),
        (DType::Bf16, ActFormat::Bf16Pair),
        (DType::F16, ActFormat::Bf16Pair),
    ] {
        let levels: Vec<Level> = levels().filter(|l| acts(*l, dt).contains(&act)).collect();
        if levels.is_empty() {
            eprintln!(
                "skipped, {act:?}: no level of this machine has a matrix unit, nor AVX-512 BF16 to emulate one"
            );
        }
        for (n, rows, k, parts) in
            [(277, 531, 544, 1), (304, 544, 544, 2), (535, 37, 2144, 1), (40, 300, 2144, 2)]
        {
            if !levels.is_empty() {
                agree(&mut case(dt, act, k, n, rows, 7), &levels, parts);
            }
        }
    }
}

/// On matrix units and panels gates and ups end in one command, which gives the bytes of `matmul` and `glu`: weights that are packed on the
/// way take these two.
#[test]
fn gates_and_ups_in_one_command_are_their_product_and_its_gates() {
    let mut cases = 0;
    for level in levels() {
        for (dt, act) in [
            (DType::Q4_0, ActFormat::Bf16),
            (DType::Q6K, ActFormat::Bf16),
            (DType::Bf16, ActFormat::Bf16Pair),
            (DType::F16, ActFormat::Bf16Pair),
            (DType::Mxfp8, ActFormat::Bf16Pair),
        ] {
            if !acts(level, dt).contains(&act) {
                continue;
            }
            for (i, (f, rows, parts)) in
                [(16, 1, 1), (48, 33, 3), (32, 17, 2), (288, 40, 1), (544, 300, 5)].into_iter().enumerate()
            {
                for out in [ActFormat::F32, ActFormat::Bf16, ActFormat::Bf16Pair] {
                    if f % out.block() as usize == 0 {
                        gated(
                            &mut case(dt, act, 512, 2 * f, rows, i as u64),
                            level,
                            out,
                            i as u32 % 2,
                            parts,
                        );
                        cases += 1;
                    }
                }
            }
        }
    }
    if cases == 0 {
        eprintln!("skipped: no level of this machine has a matrix unit, nor AVX-512 BF16 to emulate one");
    }
}

#[test]
fn gates_and_ups_on_panels_are_their_product_and_its_gates() {
    let on_panels = [Level::Avx2, Level::AvxVnni, Level::Avx512, Level::Avx512Bf16];
    let levels: Vec<Level> = levels().filter(|l| on_panels.contains(l)).collect();
    if levels.is_empty() {
        eprintln!("skipped: no level of this machine has panels");
    }
    for level in levels {
        for (dt, act) in DTYPES.iter().flat_map(|i| acts(level, i.dtype).into_iter().map(|a| (i.dtype, a))) {
            if !matches!(act, ActFormat::Q8 | ActFormat::Q8Paired | ActFormat::Q8Quads) {
                continue;
            }
            for (i, (f, rows, parts)) in
                [(32, 1, 1), (32, 17, 2), (96, 33, 3), (288, 40, 1), (128, 530, 5), (160, 32, 3), (64, 13, 1)]
                    .into_iter()
                    .enumerate()
            {
                let outs = [ActFormat::F32, ActFormat::Q8, ActFormat::Q8Paired, ActFormat::Q8Quads];
                let out = outs[(i + dt as usize) % outs.len()];
                let k = [512, 768][i % 2];
                gated(&mut case(dt, act, k, 2 * f, rows, i as u64), level, out, i as u32 % 2, parts);
            }
            // Half a block of 32 columns.
            let c = MatmulGluConsts {
                dtype: dt as u32,
                layout: Layout::Rows16 as u32,
                act: act as u32,
                k: 512,
                f: 48,
                activation: 0,
                act_out: ActFormat::F32 as u32,
                max_rows: 9,
            };
            let words: [u32; 8] = bytemuck::cast(c);
            assert!(matmul_glu::KERNEL.launch(&Machine::Cpu(level), &words).is_err(), "{dt} {level}");
        }
    }
}

fn gated(c: &mut Case, level: Level, act_out: ActFormat, activation: u32, parts: u32) {
    let (f, rows) = (c.n / 2, c.rows);
    let products = c.run(level, Layout::Rows16, c.n, 0, rows, 1);
    let consts: [u32; 8] = bytemuck::cast(MatmulGluConsts {
        dtype: c.dt as u32,
        layout: Layout::Rows16 as u32,
        act: c.act as u32,
        k: c.k as u32,
        f: f as u32,
        activation,
        act_out: act_out as u32,
        max_rows: rows as u32,
    });
    let rb = act_out.row_bytes(f);
    let mut want = Memory::new(rows * rb, 0xFF);
    let mut products = Memory::of(&products);
    let of_glu = [f as u32, activation, act_out as u32, 1, rows as u32];
    let mut step = step_block(&plain_rows(rows), 0);
    run(&glu::KERNEL, level, &of_glu, &[], &[step.buf(), products.buf(), want.buf()], 1);
    // All rows, and some, beside which the others stay what they were.
    for active in [rows, rows - rows.div_ceil(8)] {
        let mut out = Memory::new(rows * rb, 0xFF);
        let mut step = step_block(&plain_rows(active), 0);
        let bufs = [step.buf(), c.stored.buf(), c.packed.buf(), out.buf()];
        run(&matmul_glu::KERNEL, level, &consts, &[], &bufs, parts);
        let what = format!("{} {level} f {f} {act_out:?} activation {activation}, {active} of {rows}", c.dt);
        for (r, (got, want)) in out.bytes().chunks_exact(rb).zip(want.bytes().chunks_exact(rb)).enumerate() {
            let right = if r < active { got == want } else { got.iter().all(|b| *b == 0xFF) };
            assert!(right, "{what}: row {r}");
        }
    }
}

/// Levels' products are the twin's within the bound.
fn agree(c: &mut Case, levels: &[Level], parts: u32) {
    let (n, k, rows) = (c.n, c.k, c.rows);
    let twin = c.twin();
    let got: Vec<_> =
        levels.iter().map(|level| (level, c.run(*level, Layout::Rows16, n, 0, rows, parts))).collect();
    for j in 0..n {
        let magnitudes = c.magnitudes(j);
        for r in 0..rows {
            let (a, bound) = (twin[r * n + j], c.bound(r, j, &magnitudes));
            for (level, got) in &got {
                let b = got[r * n + j];
                assert!(
                    (a - b).abs() <= bound,
                    "{} {:?} {level} k {k} n {n} rows {rows} ({r}, {j}): {b} for {a}, bound {bound}",
                    c.dt,
                    c.act
                );
            }
        }
    }
}

/// Every level's products are compared with the twin's above: each of its activation formats is named there.
#[test]
fn products_take_no_other_activations() {
    for level in levels() {
        for (info, act) in formats(level) {
            assert!(FORMATS.contains(&act), "{} {act:?} {level}", info.name);
        }
    }
}

/// The bound above is worth something only if the smallest wrong weight breaks it.
#[test]
fn a_weight_off_by_one_step_fails() {
    for level in levels() {
        for info in DTYPES.iter().filter(|i| i.block > 1) {
            let dt = info.dtype;
            for act in acts(level, dt) {
                // Few columns: an eight-bit step is small beside the rounding of many terms.
                let (k, n) = (info.block.max(64) as usize, 16);
                let mut c = case(dt, act, k, n, 1, 99);
                if dt == DType::Mxfp8 {
                    // Its elements are floats, whose steps are as small as they are.
                    c.native[1..11].fill(0x70);
                    c.packed = packed(dt, Layout::Rows16, &c.native, n, k);
                }
                // The input that meets the weight must not be small by chance.
                let x = vec![1.5f32; k];
                let rb = act.row_bytes(k);
                act::store(act, &mut c.stored.bytes_mut()[..rb], 0, &x);
                act::load(act, &c.stored.bytes()[..rb], k, &mut c.x);
                let good = c.run(level, Layout::Rows16, n, 0, 1, 1);
                // Where a weight is a sum and rounded to bf16, a step may be less than that rounding: a code's highest bit is
                // half of its range, whatever the code is.
                let sums = rows16::form(dt).is_some_and(|f| f.scales.minimums());
                let change = if act == ActFormat::Bf16 && sums { 0x80 } else { 1 };
                for byte in [0, 5, 9] {
                    let codes = code_bytes(dt);
                    let byte = codes.start + byte % codes.len();
                    c.native[byte] ^= change;
                    let bad = c.twin();
                    let bound = c.bound(0, 0, &c.magnitudes(0));
                    c.native[byte] ^= change;
                    let (good, bad) = (good[0], bad[0]);
                    assert!((good - bad).abs() > bound, "{dt} {act:?} {level} {byte}: {good} {bad} {bound}");
                }
            }
        }
    }
}

/// Codes and inputs at the ends of their ranges, where sums in 16 bits are fullest.
#[test]
fn the_largest_codes_and_inputs_do_not_overflow() {
    for level in levels() {
        for (info, act) in formats(level).filter(|(i, _)| rows16::form(i.dtype).is_some()) {
            let (k, n, rows) = (info.block.max(64) as usize, 16, 5);
            for (fill, sign) in [(0x00, 1.0), (0x00, -1.0), (0xFF, 1.0), (0xFF, -1.0)] {
                let mut c = case(info.dtype, act, k, n, rows, 21);
                let size = info.block_bytes as usize;
                c.native.chunks_exact_mut(size).for_each(|b| b[code_bytes(info.dtype)].fill(fill));
                c.packed = packed(info.dtype, Layout::Rows16, &c.native, n, k);
                // All but the largest of each half are quants of +-32384 in 16 bits, with a low byte of -128.
                let x: Vec<f32> =
                    (0..k).map(|i| sign * if i % 16 == 0 { 32512.0 } else { 32384.0 }).collect();
                let rb = act.row_bytes(k);
                for (row, x_row) in c.stored.bytes_mut().chunks_exact_mut(rb).zip(c.x.chunks_exact_mut(k)) {
                    act::store(act, row, 0, &x);
                    act::load(act, row, k, x_row);
                }
                let (twin, got) = (c.twin(), c.run(level, Layout::Rows16, n, 0, rows, 1));
                for j in 0..n {
                    let magnitudes = c.magnitudes(j);
                    for r in 0..rows {
                        let (a, b, bound) = (twin[r * n + j], got[r * n + j], c.bound(r, j, &magnitudes));
                        let what = format!("{} {act:?} {level} codes {fill:#x} ({r}, {j})", info.name);
                        assert!((a - b).abs() <= bound, "{what}: {b} for {a}, bound {bound}");
                    }
                }
            }
        }
    }
}

/// Scales of either sign, of zero, and of both ends of what 16 bits hold.
#[test]
fn scales_of_any_size_and_sign_agree_with_the_twin() {
    let scales = [0.0, -0.01, 6e-8, -6e-8, 65504.0, -65504.0, 0.02].map(f16::from_f32);
    for level in levels() {
        for (info, act) in formats(level) {
            // Formats that begin with a scale in 16 bits.
            if !matches!(
                info.dtype,
                DType::Q4_0
                    | DType::Q4_1
                    | DType::Q5_0
                    | DType::Q5_1
                    | DType::Q8_0
                    | DType::Q4K
                    | DType::Q5K
                    | DType::Iq4Nl
            ) {
                continue;
            }
            let (k, n, rows) = (512, 40, 11);
            let mut c = case(info.dtype, act, k, n, rows, 31);
            let size = info.block_bytes as usize;
            for (i, b) in c.native.chunks_exact_mut(size).enumerate() {
                b[..2].copy_from_slice(&scales[i % scales.len()].to_le_bytes());
            }
            c.packed = packed(info.dtype, Layout::Rows16, &c.native, n, k);
            agree(&mut c, &[level], 2);
        }
    }
}

/// A row with a value that is not finite has no result that is, and the others have what they had.
#[test]
fn broken_activations_break_their_own_row() {
    for level in levels() {
        for (info, act) in formats(level) {
            let (k, n, rows, broken) = (odd(act, if info.block == 1 { 131 } else { 512 }), 40, 11, 7);
            for (number, bad) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY].into_iter().enumerate() {
                let mut c = case(info.dtype, act, k, n, rows, 37);
                for (i, b) in c.native.chunks_exact_mut(info.block_bytes as usize).enumerate() {
                    // Some weights have no scale.
                    if info.dtype == DType::Q4_0 && i % 3 == 0 {
                        b[..2].fill(0);
                    }
                }
                c.packed = packed(info.dtype, Layout::Rows16, &c.native, n, k);
                let before = c.run(level, Layout::Rows16, n, 0, rows, 2);
                let mut x = c.x[broken * k..(broken + 1) * k].to_vec();
                x[(17 + 40 * number) % k] = bad;
                let rb = act.row_bytes(k);
                act::store(act, &mut c.stored.bytes_mut()[broken * rb..(broken + 1) * rb], 0, &x);
                let after = c.run(level, Layout::Rows16, n, 0, rows, 2);
                for r in 0..rows {
                    let (before, after) = (&before[r * n..(r + 1) * n], &after[r * n..(r + 1) * n]);
                    let what = format!("{} {act:?} {level} {bad} row {r}", info.name);
                    if r == broken {
                        assert!(after.iter().all(|v| !v.is_finite()), "{what}: {after:?}");
                    } else {
                        assert_eq!(bits(after), bits(before), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_row_does_not_depend_on_its_neighbours() {
    for level in levels() {
        for (info, act) in formats(level) {
            let (k, n, rows) = (odd(act, if info.block == 1 { 131 } else { 512 }), 100, 37);
            let mut c = case(info.dtype, act, k, n, rows, 5);
            let all = c.run(level, Layout::Rows16, n, 0, rows, 2);
            for count in [1, 2, 3, 4, 5, 6, 7, 8, 13] {
                let some = c.run(level, Layout::Rows16, n, 0, count, 3);
                assert_eq!(
                    bits(&all[..count * n]),
                    bits(&some[..count * n]),
                    "{} {level} {count} rows",
                    info.name
                );
            }
        }
    }
}

/// Weights that are packed when a product comes to them are the same weights.
#[test]
fn native_weights_give_the_same_bits_as_packed_ones() {
    for level in levels() {
        for (info, act) in formats(level) {
            let wide = odd(act, if info.block == 1 { 131 } else { 2048 });
            for (k, n, rows, parts) in
                [(wide, 300, 1, 2), (wide, 17, 5, 1), (256, 130, 40, 3), (256, 16, 2, 4)]
            {
                assert!(matmul::packs_on_the_way(info.dtype, k));
                let mut c = case(info.dtype, act, k, n, rows, 8);
                let packed = c.run(level, Layout::Rows16, n, 0, rows, parts);
                let native = c.run(level, Layout::Native, n, 0, rows, parts);
                assert_eq!(
                    bits(&packed),
                    bits(&native),
                    "{} {act:?} {level} k {k} n {n} rows {rows}",
                    info.name
                );
            }
        }
    }
}

/// What is too wide for a worker's stack is left to the twin, whatever the level.
#[test]
fn rows_too_wide_to_pack_are_still_multiplied() {
    let k = (1 << 20) / 64 + 1;
    assert!(!matmul::packs_on_the_way(DType::F32, k) && matmul::packs_on_the_way(DType::F32, k - 1));
    let mut c = case(DType::F32, ActFormat::F32, k, 3, 2, 9);
    let want = c.run(Level::Reference, Layout::Native, 3, 0, 2, 1);
    for level in levels() {
        assert_eq!(bits(&c.run(level, Layout::Native, 3, 0, 2, 1)), bits(&want), "{level}");
    }
}

/// Parts have tiles, rows, or some of both, and rows come in several passes where inputs are wide.
#[test]
fn parts_do_not_change_the_product() {
    for level in levels() {
        for (info, act) in formats(level) {
            let narrow = odd(act, if info.block == 1 { 131 } else { 256 });
            for (k, n, rows, parts) in [
                (narrow, 17, 70, 2),
                (narrow, 1, 100, 7),
                (narrow, 96, 200, 5),
                (2048, 33, 330, 3),
                (2048, 8, 650, 64),
            ] {
                // (All 36 affine formats share a few kernels.)
                if k == 2048 && info.dtype.affine().is_some() {
                    continue;
                }
                let mut c = case(info.dtype, act, k, n, rows, 6);
                let whole = c.run(level, Layout::Rows16, n, 0, rows, 1);
                let some = c.run(level, Layout::Rows16, n, 0, rows, parts);
                let what = format!("{} {act:?} {level} k {k} n {n} rows {rows} parts {parts}", info.name);
                assert_eq!(bits(&whole), bits(&some), "{what}");
                let few = c.run(level, Layout::Rows16, n, 0, 8, 1);
                assert_eq!(bits(&few[..8 * n]), bits(&whole[..8 * n]), "{what}");
            }
        }
    }
}

#[test]
fn only_the_columns_and_rows_in_use_are_written() {
    for level in levels() {
        for (info, act) in formats(level) {
            let (k, n, stride, col) = (odd(act, if info.block == 1 { 33 } else { 256 }), 17, 40, 5);
            for active in [0, 1, 3, 11] {
                let mut c = case(info.dtype, act, k, n, 13, 3);
                let out = c.run(level, Layout::Rows16, stride, col, active, 2);
                for (i, v) in out.iter().enumerate() {
                    let inside = i / stride < active && (col..col + n).contains(&(i % stride));
                    assert_eq!(
                        v.is_finite(),
                        inside,
                        "{} {level} row {} col {}",
                        info.name,
                        i / stride,
                        i % stride
                    );
                }
            }
        }
    }
}

#[test]
fn residual_is_added_and_head_rows_selected() {
    for level in levels() {
        for (info, act) in formats(level) {
            let (k, n, rows, head) = (odd(act, if info.block == 1 { 70 } else { 256 }), 45, 9, 4);
            adds_a_residual(&mut case(info.dtype, act, k, n, rows, 11), level, head, 2);
        }
    }
}

/// On matrix units outputs are stored a group of columns at a time: more columns than two groups, more rows than are multiplied at a time.
#[test]
fn residual_is_added_in_every_group_of_a_matrix_unit() {
    for (dt, act) in [(DType::Q4_0, ActFormat::Bf16), (DType::Bf16, ActFormat::Bf16Pair)] {
        for level in levels().filter(|l| acts(*l, dt).contains(&act)) {
            for (n, rows, parts) in [(535, 37, 1), (1040, 290, 1), (1040, 300, 3)] {
                adds_a_residual(&mut case(dt, act, 544, n, rows, 13), level, rows, parts);
            }
        }
    }
}

/// `matmul_add` gives the bits of `matmul` plus the residual, in place and out of place, and leaves rows alone that are no head's.
fn adds_a_residual(c: &mut Case, level: Level, head: usize, parts: u32) {
    let (n, rows, what) = (c.n, c.rows, format!("{} {level}, {} outputs of {} rows", c.dt, c.n, c.rows));
    let plain = c.run(level, Layout::Rows16, n, 0, rows, 1);
    let residual = Random(4).normals(rows * n);
    let consts = c.consts(Layout::Rows16, n, 0, Select::Head);
    let mut step = step_block(&plain_rows(rows), head as u32);
    let (mut base, mut out) = (Memory::of(&residual), Memory::of(&vec![f32::NAN; rows * n]));
    for to in [out.buf(), base.buf()] {
        let bufs = [step.buf(), c.stored.buf(), c.packed.buf(), base.buf(), to];
        run(&matmul_add::KERNEL, level, &consts, &[], &bufs, parts);
    }
    let want: Vec<f32> = plain.iter().zip(&residual).take(head * n).map(|(a, b)| a + b).collect();
    assert_eq!(bits(&out.values::<f32>()[..head * n]), bits(&want), "{what}");
    assert_eq!(bits(&base.values::<f32>()[..head * n]), bits(&want), "{what} in place");
    assert!(out.values::<f32>()[head * n..].iter().all(|v| v.is_nan()), "{what}");
}
