//! How a CPU calls a kernel: one signature, a level chosen once.

#[cfg(target_arch = "x86_64")]
use crate::matrix_unit;
use crate::step::{self, Head, Header, Row, Seq, SeqIndex};
use crate::words::from_words;
use std::fmt;

/// The instruction level of the CPU kernels. `Reference` runs the plain twins on unpacked weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The plain scalar twins, f32 activations, weights as the file has them.
    Reference,
    /// Portable Rust over packed weights; what runs where no better level exists.
    Portable,
    /// `Amx` with the tiles computed by plain code: slow, never chosen by itself. For tests, and for measuring how exact `Amx` is,
    /// where there is none.
    AmxEmulated,
    /// x86-64 with AVX2, FMA and F16C.
    Avx2,
    /// `Avx2` and AVX-VNNI.
    AvxVnni,
    /// x86-64 with AVX-512 F, BW, VL, DQ and VNNI.
    Avx512,
    /// `Avx512` and AVX-512 BF16.
    Avx512Bf16,
    /// `Avx512Bf16` and AMX tiles of bf16.
    Amx,
    /// aarch64 with NEON and its dot product (`sdot`).
    Neon,
    /// `Neon` and products of matrices of bytes (`smmla`).
    NeonI8mm,
}

/// Every level, lowest first.
pub const LEVELS: &[Level] = &[
    Level::Reference,
    Level::Portable,
    Level::AmxEmulated,
    Level::Avx2,
    Level::AvxVnni,
    Level::Avx512,
    Level::Avx512Bf16,
    Level::Amx,
    Level::Neon,
    Level::NeonI8mm,
];

impl Level {
    /// The name used by `AKUNU_CPU` and `akunu doctor`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Portable => "portable",
            Self::AmxEmulated => "amxemulated",
            Self::Avx2 => "avx2",
            Self::AvxVnni => "avxvnni",
            Self::Avx512 => "avx512",
            Self::Avx512Bf16 => "avx512bf16",
            Self::Amx => "amx",
            Self::Neon => "neon",
            Self::NeonI8mm => "neoni8mm",
        }
    }

    /// The level of that name.
    pub fn parse(name: &str) -> Option<Self> {
        LEVELS.iter().copied().find(|l| l.name() == name)
    }

    /// Whether this machine can run the level.
    pub fn available(self) -> bool {
        match self {
            Self::Reference | Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
            }
            #[cfg(target_arch = "x86_64")]
            Self::AvxVnni => Self::Avx2.available() && is_x86_feature_detected!("avxvnni"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Bf16 | Self::AmxEmulated => {
                Self::Avx512.available() && is_x86_feature_detected!("avx512bf16")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Amx => Self::Avx512Bf16.available() && matrix_unit::hardware().is_ok(),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => {
                std::arch::is_aarch64_feature_detected!("neon")
                    && std::arch::is_aarch64_feature_detected!("dotprod")
            }
            #[cfg(target_arch = "aarch64")]
            Self::NeonI8mm => Self::Neon.available() && std::arch::is_aarch64_feature_detected!("i8mm"),
            // Levels of other processors.
            _ => false,
        }
    }

    /// Why this machine cannot run the level; `None` where it can.
    pub fn missing(self) -> Option<&'static str> {
        const INSTRUCTIONS: &str = "this processor does not have its instructions";
        if self.available() {
            return None;
        }
        #[cfg(target_arch = "x86_64")]
        if self == Self::Amx {
            return Some(matrix_unit::hardware().err().unwrap_or(INSTRUCTIONS));
        }
        Some(INSTRUCTIONS)
    }

    /// The level whose kernels it runs where it has none of its own.
    pub(crate) const fn base(self) -> Self {
        match self {
            Self::AvxVnni => Self::Avx2,
            Self::Avx512Bf16 | Self::Amx | Self::AmxEmulated => Self::Avx512,
            Self::NeonI8mm => Self::Neon,
            own => own,
        }
    }

    /// The best level of this machine.
    pub fn detect() -> Self {
        LEVELS.iter().copied().rev().find(|l| l.available()).unwrap_or(Self::Portable)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A bound range of device memory. Raw, because workers write disjoint parts of one buffer side by side.
#[derive(Clone, Copy, Debug)]
pub struct Buf {
    /// First byte.
    pub ptr: *mut u8,
    /// Length in bytes.
    pub len: usize,
}

// SAFETY: a Buf is an address; every dereference is in an unsafe kernel whose caller upholds `CpuFn`'s contract.
unsafe impl Send for Buf {}
// SAFETY: as for Send.
unsafe impl Sync for Buf {}

/// One command as a CPU kernel sees it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The bindings, in the contract's order.
    pub bufs: &'a [Buf],
    /// The compile-time constants.
    pub consts: &'a [u32],
    /// The parameter bytes, as words.
    pub params: &'a [u32],
}

/// A CPU kernel: does part `part` of `parts` of one command.
///
/// # Safety
/// The bindings are those of the kernel's contract for these constants, each large enough for them; the step
/// block holds at most the rows the table was built for; the machine has the level the function was chosen for;
/// no other command that conflicts with this one runs, and each of `0..parts` is run exactly once.
pub type CpuFn = unsafe fn(call: &Call<'_>, part: u32, parts: u32);

impl Call<'_> {
    /// The constants as their struct.
    pub fn consts<T: bytemuck::AnyBitPattern>(&self) -> T {
        from_words(self.consts)
    }

    /// The parameters as their struct.
    pub fn params<T: bytemuck::AnyBitPattern>(&self) -> T {
        from_words(self.params)
    }

    /// Binding `i` as a shared slice of `len` elements from element `from`.
    ///
    /// # Safety
    /// The range lies inside the binding, is aligned for `T`, and nothing writes it during the command.
    pub unsafe fn slice<T: bytemuck::AnyBitPattern>(&self, i: usize, from: usize, len: usize) -> &[T] {
        let b = self.bufs[i];
        debug_assert!((from + len) * size_of::<T>() <= b.len, "binding {i}: {from}+{len} of {}", b.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(b.ptr.cast::<T>().add(from), len) }
    }

    /// Binding `i` as an exclusive slice of `len` elements from element `from`.
    ///
    /// # Safety
    /// As for [`Call::slice`], and no other part of the command touches the range.
    #[allow(
        clippy::mut_from_ref,
        reason = "workers own disjoint ranges of one buffer; the caller promises it"
    )]
    pub unsafe fn slice_mut<T: bytemuck::Pod>(&self, i: usize, from: usize, len: usize) -> &mut [T] {
        let b = self.bufs[i];
        debug_assert!((from + len) * size_of::<T>() <= b.len, "binding {i}: {from}+{len} of {}", b.len);
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(b.ptr.cast::<T>().add(from), len) }
    }

    /// The step block bound at `i`.
    ///
    /// # Safety
    /// Binding `i` is a step block and nothing writes it during the command.
    pub unsafe fn step(&self, i: usize) -> StepView<'_> {
        // SAFETY: the caller's promise.
        StepView { bytes: unsafe { self.slice(i, 0, self.bufs[i].len) } }
    }
}

/// A read-only view of a step block.
#[derive(Clone, Copy, Debug)]
pub struct StepView<'a> {
    bytes: &'a [u8],
}

impl<'a> StepView<'a> {
    /// A view of the block in `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }
    /// The header.
    pub fn header(&self) -> Header {
        bytemuck::pod_read_unaligned(&self.bytes[..size_of::<Header>()])
    }
    /// Sequence `i`.
    pub fn seq(&self, i: SeqIndex) -> Seq {
        let o = step::seq_offset(i);
        bytemuck::pod_read_unaligned(&self.bytes[o..o + size_of::<Seq>()])
    }
    /// Row `r`'s place.
    pub fn row(&self, r: u32) -> Row {
        let o = step::row_offset(self.header().seqs_cap, r);
        bytemuck::pod_read_unaligned(&self.bytes[o..o + size_of::<Row>()])
    }
    /// Head `i` of a batch.
    pub fn head(&self, i: u32) -> Head {
        let o = self.header().heads_at as usize + i as usize * size_of::<Head>();
        bytemuck::pod_read_unaligned(&self.bytes[o..o + size_of::<Head>()])
    }
    /// The row that head `i` of the step draws for.
    pub fn head_row(&self, i: u32) -> u32 {
        let h = self.header();
        if h.heads_at == 0 { h.rows - h.head_rows + i } else { self.head(i).row }
    }
}

/// The share of `n` units that part `part` of `parts` does: contiguous, sizes differing by at most one.
pub fn share(n: usize, part: u32, parts: u32) -> std::ops::Range<usize> {
    let (p, q) = (part as usize, parts as usize);
    n * p / q..n * (p + 1) / q
}
