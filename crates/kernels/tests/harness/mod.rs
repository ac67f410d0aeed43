//! What the kernel tests share: random data, aligned memory, and calls.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test binary is a crate and uses a part")]

use akunu_kernels::accept::Draft;
use akunu_kernels::cpu::{Buf, Call, CpuFn};
use akunu_kernels::dtype::affine::ScaleType;
use akunu_kernels::dtype::{self, planes, rows16};
use akunu_kernels::step::{self, Capacity, Head, Header, MAX_EOS, Position, Row, Seq, SeqIndex, Token};
use akunu_kernels::{DType, Kernel, Layout, cpu::Level};
use half::{bf16, f16};

/// A small deterministic generator (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }
    /// Uniform in -1..1.
    pub fn unit(&mut self) -> f32 {
        (self.word() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
    /// Roughly normal, with an occasional outlier.
    pub fn normal(&mut self) -> f32 {
        let v = (0..4).map(|_| self.unit()).sum::<f32>() * 0.87;
        if self.word().is_multiple_of(61) { v * 8.0 } else { v }
    }
    pub fn normals(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.normal()).collect()
    }
}

/// Bytes aligned to 64.
pub struct Memory(Vec<[u64; 8]>, pub usize);

impl Memory {
    /// `len` bytes, each `fill`.
    pub fn new(len: usize, fill: u8) -> Self {
        Self(vec![[u64::from_ne_bytes([fill; 8]); 8]; len.div_ceil(64) + 1], len)
    }
    pub fn of<T: bytemuck::NoUninit>(values: &[T]) -> Self {
        let b: &[u8] = bytemuck::cast_slice(values);
        let mut m = Self::new(b.len(), 0);
        m.bytes_mut().copy_from_slice(b);
        m
    }
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..self.1]
    }
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.0)[..self.1]
    }
    pub fn values<T: bytemuck::AnyBitPattern>(&self) -> &[T] {
        bytemuck::cast_slice(self.bytes())
    }
    pub fn buf(&mut self) -> Buf {
        Buf { ptr: self.bytes_mut().as_mut_ptr(), len: self.1 }
    }
}

/// Below `n`.
pub fn below(rng: &mut Random, n: usize) -> usize {
    (rng.word() % n as u64) as usize
}

/// The numbers below `n` in any order.
pub fn shuffled(rng: &mut Random, n: usize) -> Vec<u32> {
    let mut v: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        v.swap(i, below(rng, i + 1));
    }
    v
}

/// A step block in parts. The lists are as long as the block has room, whatever of them is in use.
#[derive(Clone)]
pub struct Batch {
    pub capacity: Capacity,
    pub header: Header,
    pub seqs: Vec<Seq>,
    pub rows: Vec<Row>,
    pub heads: Vec<Head>,
    /// Byte of all that is between the parts.
    gap: u8,
}

impl Batch {
    /// A block whose unused parts have something in them: what earlier steps left.
    pub fn stale(capacity: Capacity, rng: &mut Random) -> Self {
        let mut word = || rng.word() as u32;
        let seqs = (0..capacity.seqs)
            .map(|_| Seq {
                seed: u64::from(word()) << 32 | u64::from(word()),
                len: word() % 30,
                limit: word(),
                temperature: 0.5,
                floor: -1.5,
                shift_keep: word(),
                shift_by: word(),
                eos_count: 0,
                stop: word() % 5,
                eos: std::array::from_fn(|_| Token(word())),
            })
            .collect();
        let rows =
            (0..capacity.rows.0).map(|_| Row { seq: SeqIndex(word()), pos: Position(word()) }).collect();
        let heads = (0..capacity.heads)
            .map(|_| Head { row: word(), seq: SeqIndex(word()), token: Token(word()), pos: Position(word()) })
            .collect();
        Self { capacity, header: capacity.header(), seqs, rows, heads, gap: word() as u8 }
    }

    /// A step of some sequences, in any order: each has up to `most` rows, and draws or not.
    pub fn ask(capacity: Capacity, most: usize, positions: u32, rng: &mut Random) -> Self {
        let mut b = Self::stale(capacity, rng);
        let (mut row, mut head) = (0, 0);
        for seq in shuffled(rng, capacity.seqs as usize) {
            let n = 1 + below(rng, most);
            if row + n > capacity.rows.index() || below(rng, 4) == 0 {
                continue;
            }
            let from = below(rng, positions as usize - n + 1) as u32;
            for i in 0..n as u32 {
                b.rows[row] = Row { seq: SeqIndex(seq), pos: Position(from + i) };
                row += 1;
            }
            if head < capacity.heads as usize && below(rng, 4) != 0 {
                b.heads[head].row = row as u32 - 1;
                head += 1;
            }
        }
        (b.header.rows, b.header.head_rows) = (row as u32, head as u32);
        b
    }

    /// A step of drafts over texts of few tokens, random or periodic, so that many are met: with the belts and how each sequence drafts.
    pub fn ask_drafts(capacity: Capacity, slots: u32, rng: &mut Random) -> (Self, Vec<Token>, Vec<Draft>) {
        let mut b = Self::stale(capacity, rng);
        let belts = (0..capacity.seqs)
            .flat_map(|_| {
                let period = below(rng, 6) as u32;
                let token = |i| if period < 2 { rng.word() as u32 % 3 } else { i % period };
                (0..slots).map(token).map(Token).collect::<Vec<_>>()
            })
            .collect();
        let drafts = (0..capacity.seqs)
            .map(|_| Draft {
                most: below(rng, 8) as u32,
                unsure: below(rng, 6) as u32,
                least: below(rng, 4) as u32,
                drafted: 5,
                accepted: 3,
            })
            .collect();
        let (mut row, mut head) = (0usize, 0usize);
        for seq in shuffled(rng, capacity.seqs as usize) {
            let n = 1 + below(rng, 5);
            if row + n > capacity.rows.index() || below(rng, 5) == 0 {
                continue;
            }
            let from = below(rng, slots as usize - n) as u32;
            let state = &mut b.seqs[seq as usize];
            state.limit = [from + 1, from + 2 + below(rng, 6) as u32, slots - 1, u32::MAX][below(rng, 4)];
            state.eos_count = [0, 0, 0, 1, u32::MAX][below(rng, 5)];
            state.eos = [Token(3 + rng.word() as u32 % 2); MAX_EOS];
            for i in 0..n as u32 {
                b.rows[row] = Row { seq: SeqIndex(seq), pos: Position(from + i) };
                b.heads[head].row = row as u32;
                (row, head) = (row + 1, head + 1);
            }
        }
        (b.header.rows, b.header.head_rows) = (row as u32, head as u32);
        (b, belts, drafts)
    }

    pub fn memory(&self) -> Memory {
        let mut m = Memory::new(self.capacity.bytes(), self.gap);
        let bytes = m.bytes_mut();
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        put(0, bytemuck::bytes_of(&self.header));
        put(step::seq_offset(SeqIndex(0)), bytemuck::cast_slice(&self.seqs));
        put(step::row_offset(self.capacity.seqs, 0), bytemuck::cast_slice(&self.rows));
        put(self.capacity.heads_at(), bytemuck::cast_slice(&self.heads));
        m
    }

    /// Head `i`'s row.
    pub fn head_row(&self, i: usize) -> Row {
        self.rows[self.heads[i].row as usize]
    }
}

/// A step block with these rows, the last `head_rows` of which get logits.
pub fn step_block(rows: &[Row], head_rows: u32) -> Memory {
    let mut m = Memory::new(step::bytes(1, rows.len() as u32), 0);
    let h = Header { rows: rows.len() as u32, head_rows, seqs_cap: 1, ..Header::default() };
    m.bytes_mut()[..64].copy_from_slice(bytemuck::bytes_of(&h));
    for (i, r) in rows.iter().enumerate() {
        let at = step::row_offset(1, i as u32);
        m.bytes_mut()[at..at + 8].copy_from_slice(bytemuck::bytes_of(r));
    }
    m
}

/// `n` rows at positions `0..n` of sequence 0.
pub fn plain_rows(n: usize) -> Vec<Row> {
    (0..n).map(|i| Row { seq: SeqIndex(0), pos: Position(i as u32) }).collect()
}

/// Runs every part of a kernel.
pub fn run(kernel: &Kernel, level: Level, consts: &[u32], params: &[u32], bufs: &[Buf], parts: u32) {
    let f: CpuFn = kernel.cpu(level, consts).expect("a version");
    let call = Call { bufs, consts, params };
    for part in 0..parts {
        // SAFETY: the test laid out the bindings by the kernel's contract; parts run one after the other.
        unsafe { f(&call, part, parts) };
    }
}

/// Random native blocks of a format: `rows` x `k`, scales around 1/64.
pub fn random_weights(dt: DType, rows: usize, k: usize, rng: &mut Random) -> Vec<u8> {
    let mut out = vec![0u8; rows * dt.row_bytes(k as u64) as usize];
    let size = dt.info().block_bytes as usize;
    for b in out.chunks_exact_mut(size) {
        for v in b.iter_mut() {
            *v = rng.word() as u8;
        }
        let h = f16::from_f32(rng.unit() / 64.0).to_le_bytes();
        let m = f16::from_f32(rng.unit() / 8.0).to_le_bytes();
        match dt {
            DType::F32 => b.copy_from_slice(&rng.normal().to_le_bytes()),
            DType::F16 => b.copy_from_slice(&f16::from_f32(rng.normal()).to_le_bytes()),
            DType::Bf16 => b.copy_from_slice(&bf16::from_f32(rng.normal()).to_le_bytes()),
            DType::Q4_0 | DType::Q8_0 => b[..2].copy_from_slice(&h),
            DType::Q4_1 => {
                b[..2].copy_from_slice(&h);
                b[2..4].copy_from_slice(&m);
            }
            DType::Q6K => b[208..210].copy_from_slice(&h),
            DType::Q5_0 | DType::Iq4Nl | DType::Iq4Xs => b[..2].copy_from_slice(&h),
            DType::Q5_1 | DType::Q4K | DType::Q5K => {
                b[..2].copy_from_slice(&h);
                b[2..4].copy_from_slice(&m);
            }
            DType::Q2K => {
                b[80..82].copy_from_slice(&h);
                b[82..84].copy_from_slice(&m);
            }
            DType::Q3K => b[108..110].copy_from_slice(&h),
            DType::Q8K => b[..4].copy_from_slice(&(rng.unit() / 64.0).to_le_bytes()),
            // Powers of two from 2^-8 to 2^-1.
            DType::Mxfp4 => b[0] = 119 + b[0] % 8,
            DType::Mxfp8 => {
                b[0] = 119 + b[0] % 8;
                // (No NaN among the quants.)
                b[1..].iter_mut().filter(|v| **v & 0x7f == 0x7f).for_each(|v| *v ^= 1);
            }
            DType::Nvfp4 => {}
            _ => {
                let (scale, bias) = (rng.unit() / 64.0, rng.unit() / 8.0);
                let half = dt.affine().is_some_and(|a| a.scale == ScaleType::F16);
                let bytes = |v: f32| {
                    if half { f16::from_f32(v).to_le_bytes() } else { bf16::from_f32(v).to_le_bytes() }
                };
                b[..2].copy_from_slice(&bytes(scale));
                b[2..4].copy_from_slice(&bytes(bias));
            }
        }
    }
    out
}

/// A matrix of `n` x `k` in a layout, from native bytes.
pub fn packed(dt: DType, layout: Layout, native: &[u8], n: usize, k: usize) -> Memory {
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
