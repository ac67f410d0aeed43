//! Activation formats: how a matrix product's input rows lie in memory.
//!
//! `q8` keeps a row of `k` values (a multiple of 32) as four consecutive arrays, so that a kernel streams each:
//! `[k] i8` quants, `[k/32] f32` scales, `[k/16] i32` sums of the quants of each 16, `[k/32] f32` exact sums of
//! the unquantized values. value = scale * quant. The sums serve weights with an offset: the integer ones undo a
//! bias exactly, the exact ones multiply a format's minimum without the quantization error.

pub mod cpu;

/// The format of a matrix product's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ActFormat {
    /// `[k] f32`.
    F32 = 0,
    /// Blocks of 32 signed bytes with scales and sums, see the module's text.
    Q8 = 1,
    /// `[k] bf16`.
    Bf16 = 2,
}

impl ActFormat {
    /// From a kernel constant.
    pub const fn from_word(w: u32) -> Option<Self> {
        match w {
            0 => Some(Self::F32),
            1 => Some(Self::Q8),
            2 => Some(Self::Bf16),
            _ => None,
        }
    }

    /// Name for dumps.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Q8 => "q8",
            Self::Bf16 => "bf16",
        }
    }

    /// Bytes of one row of `k` values. Rows start at multiples of 64 bytes.
    pub const fn row_bytes(self, k: usize) -> usize {
        match self {
            Self::F32 => (k * 4).next_multiple_of(64),
            Self::Q8 => (k + k / 32 * 4 + k / 16 * 4 + k / 32 * 4).next_multiple_of(64),
            Self::Bf16 => (k * 2).next_multiple_of(64),
        }
    }
}

/// Byte offsets of the arrays of one `q8` row of `k` values.
#[derive(Clone, Copy, Debug)]
pub struct Q8Row {
    /// `[k/32] f32` scales.
    pub scales: usize,
    /// `[k/16] i32` sums of quants.
    pub isums: usize,
    /// `[k/32] f32` exact sums.
    pub fsums: usize,
}

impl Q8Row {
    /// The offsets for rows of `k` values.
    pub const fn new(k: usize) -> Self {
        let scales = k;
        let isums = scales + k / 32 * 4;
        Self { scales, isums, fsums: isums + k / 16 * 4 }
    }
}

/// Writes `x` (values `from..from + x.len()` of a row of `k`) into the row's bytes in a format.
/// For `q8`, `from` and the length are multiples of 32. The plain twin of every fused output.
pub fn store(format: ActFormat, row: &mut [u8], k: usize, from: usize, x: &[f32]) {
    match format {
        ActFormat::F32 => {
            for (o, v) in row[from * 4..].chunks_exact_mut(4).zip(x) {
                o.copy_from_slice(&v.to_le_bytes());
            }
        }
        ActFormat::Bf16 => {
            for (o, v) in row[from * 2..].chunks_exact_mut(2).zip(x) {
                o.copy_from_slice(&half::bf16::from_f32(*v).to_le_bytes());
            }
        }
        ActFormat::Q8 => {
            let at = Q8Row::new(k);
            for (j, b) in x.chunks_exact(32).enumerate() {
                let blk = from / 32 + j;
                let amax = b.iter().fold(0f32, |m, v| m.max(v.abs()));
                let d = amax / 127.0;
                let inv = if d > 0.0 { 127.0 / amax } else { 0.0 };
                let mut isum = [0i32; 2];
                for (i, v) in b.iter().enumerate() {
                    let q = (v * inv).round_ties_even() as i8;
                    row[blk * 32 + i] = q as u8;
                    isum[i / 16] += i32::from(q);
                }
                row[at.scales + blk * 4..][..4].copy_from_slice(&d.to_le_bytes());
                row[at.isums + blk * 8..][..4].copy_from_slice(&isum[0].to_le_bytes());
                row[at.isums + blk * 8 + 4..][..4].copy_from_slice(&isum[1].to_le_bytes());
                row[at.fsums + blk * 4..][..4].copy_from_slice(&b.iter().sum::<f32>().to_le_bytes());
            }
        }
    }
}

/// Reads a whole row of `k` values back as f32.
pub fn load(format: ActFormat, row: &[u8], k: usize, out: &mut [f32]) {
    match format {
        ActFormat::F32 => {
            for (o, b) in out[..k].iter_mut().zip(row.chunks_exact(4)) {
                *o = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            }
        }
        ActFormat::Bf16 => {
            for (o, b) in out[..k].iter_mut().zip(row.chunks_exact(2)) {
                *o = half::bf16::from_le_bytes([b[0], b[1]]).to_f32();
            }
        }
        ActFormat::Q8 => {
            let at = Q8Row::new(k);
            for i in 0..k {
                let s = at.scales + i / 32 * 4;
                let d = f32::from_le_bytes([row[s], row[s + 1], row[s + 2], row[s + 3]]);
                out[i] = f32::from(row[i] as i8) * d;
            }
        }
    }
}
