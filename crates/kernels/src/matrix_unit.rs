//! The matrix unit of x86-64, AMX: eight tiles of 16 rows of 64 bytes, and a product of tiles of bf16 into a tile of f32.
//!
//! [`MatrixUnit`] is all that kernels use of it. [`Amx`] is the hardware. [`Emulated`] computes the same sums in the same
//! order in plain Rust, so that what stands on the unit is tested on machines without one.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// Rows of a tile.
pub(crate) const ROWS: usize = 16;
/// Bytes of a row of a tile.
pub(crate) const ROW: usize = 64;
/// Bytes of a tile.
pub(crate) const TILE: usize = ROWS * ROW;

/// Eight tiles, named by numbers from 0 to 7, and what can be done with them.
///
/// # Safety
/// All methods need what [`MatrixUnit::begin`] needs.
pub(crate) trait MatrixUnit {
    /// Gives the calling thread its tiles. Nothing of theirs is left when the value is dropped.
    ///
    /// # Safety
    /// The machine has the unit, and the thread has no other value of this kind.
    unsafe fn begin() -> Self;

    /// Makes tile `T` zero.
    unsafe fn zero<const T: usize>(&mut self);

    /// Loads tile `T` from rows that begin `stride` bytes from each other.
    ///
    /// # Safety
    /// All rows are there.
    unsafe fn load<const T: usize>(&mut self, from: *const u8, stride: usize);

    /// As [`Self::load`], of what does not come again soon: it leaves the first-level cache to others.
    ///
    /// # Safety
    /// As [`Self::load`].
    unsafe fn load_once<const T: usize>(&mut self, from: *const u8, stride: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.load::<T>(from, stride) }
    }

    /// Stores tile `T`.
    ///
    /// # Safety
    /// As [`Self::load`], for writes.
    unsafe fn store<const T: usize>(&mut self, to: *mut u8, stride: usize);

    /// Adds to tile `C`, `[16][16] f32`, the product of `A`, `[16][32] bf16`, and `B`, `[16 pairs of rows][16][2] bf16`. Of
    /// each element, sums of even and of odd terms are made apart and in order, then added to each other, then to `C`.
    /// Subnormal numbers may count as zero.
    unsafe fn product<const C: usize, const A: usize, const B: usize>(&mut self);

    /// Stores tile 6 where nobody reads it. To be called every 200 to 400 ns where products go on for long without a store: after
    /// 600 ns the next store takes 250 ns longer (see [`Amx`]).
    ///
    /// # Safety
    /// As the trait's.
    unsafe fn keep_stores_awake(&mut self) {}
}

/// The hardware.
///
/// Its stores fall asleep: one takes 250 ns longer if the last was 600 ns ago. We know of no document that says so; it was seen on one
/// processor, a Xeon (family 6 model 167, as a guest sees it; `2026-11-28-cpu-amx-sleep.json`). The room is for stores that keep them awake.
pub(crate) struct Amx(MaybeUninit<Room>);

/// Room for a tile in memory.
#[repr(C, align(64))]
struct Room([u8; TILE]);

/// What `ldtilecfg` reads.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    /// Bytes of a row.
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// Eight whole tiles.
static WHOLE: Configuration = {
    let (mut row_bytes, mut rows) = ([0; 16], [0; 16]);
    let mut t = 0;
    while t < 8 {
        (row_bytes[t], rows[t]) = (ROW as u16, ROWS as u8);
        t += 1;
    }
    Configuration { palette: 1, start_row: 0, reserved: [0; 14], row_bytes, rows }
};

// Assembly, since the intrinsics are not in stable Rust. No compiler touches tiles, so each instruction is a block of its own.
impl MatrixUnit for Amx {
    #[inline(always)]
    unsafe fn begin() -> Self {
        // SAFETY: the caller's promise; the configuration is a valid one of palette 1.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const WHOLE, options(nostack, preserves_flags, readonly))
        };
        Self(MaybeUninit::uninit())
    }

    #[inline(always)]
    unsafe fn zero<const T: usize>(&mut self) {
        // SAFETY: the thread has its tiles.
        unsafe { asm!("tilezero tmm{t}", t = const T, options(nostack, preserves_flags, nomem)) };
    }

    #[inline(always)]
    unsafe fn load<const T: usize>(&mut self, from: *const u8, stride: usize) {
        // SAFETY: the thread has its tiles, and the rows are there: the caller's promise.
        unsafe {
            asm!(
                "tileloadd tmm{t}, [{from} + {stride}*1]",
                t = const T, from = in(reg) from, stride = in(reg) stride,
                options(nostack, preserves_flags, readonly)
            );
        }
    }

    #[inline(always)]
    unsafe fn load_once<const T: usize>(&mut self, from: *const u8, stride: usize) {
        // SAFETY: as for loads.
        unsafe {
            asm!(
                "tileloaddt1 tmm{t}, [{from} + {stride}*1]",
                t = const T, from = in(reg) from, stride = in(reg) stride,
                options(nostack, preserves_flags, readonly)
            );
        }
    }

    #[inline(always)]
    unsafe fn store<const T: usize>(&mut self, to: *mut u8, stride: usize) {
        // SAFETY: as for loads.
        unsafe {
            asm!(
                "tilestored [{to} + {stride}*1], tmm{t}",
                t = const T, to = in(reg) to, stride = in(reg) stride,
                options(nostack, preserves_flags)
            );
        }
    }

    #[inline(always)]
    unsafe fn product<const C: usize, const A: usize, const B: usize>(&mut self) {
        // SAFETY: the thread has its tiles.
        unsafe {
            asm!(
                "tdpbf16ps tmm{c}, tmm{a}, tmm{b}",
                c = const C, a = const A, b = const B,
                options(nostack, preserves_flags, nomem)
            );
        }
    }

    #[inline(always)]
    unsafe fn keep_stores_awake(&mut self) {
        // SAFETY: the thread has its tiles, and there is room for one, which nothing reads.
        unsafe {
            let room = self.0.as_mut_ptr().cast();
            self.store::<6>(room, ROW);
        }
    }
}

impl Drop for Amx {
    /// Tiles that are in use cost the system 8 KiB at each switch of threads and each signal, and keep a core from sleeping.
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the thread had its tiles, so the machine has the unit.
        unsafe { asm!("tilerelease", options(nostack, preserves_flags, nomem)) };
    }
}

/// The tiles in memory.
pub(crate) struct Emulated([[f32; TILE / 4]; 8]);

impl MatrixUnit for Emulated {
    #[inline(always)]
    unsafe fn begin() -> Self {
        Self([[0.0; TILE / 4]; 8])
    }

    #[inline(always)]
    unsafe fn zero<const T: usize>(&mut self) {
        self.0[T].fill(0.0);
    }

    #[inline(always)]
    unsafe fn load<const T: usize>(&mut self, from: *const u8, stride: usize) {
        for r in 0..ROWS {
            let to = self.0[T][r * ROW / 4..].as_mut_ptr().cast::<u8>();
            // SAFETY: the row is there, by the caller's promise, and has room in the tile.
            unsafe { std::ptr::copy_nonoverlapping(from.add(r * stride), to, ROW) };
        }
    }

    #[inline(always)]
    unsafe fn store<const T: usize>(&mut self, to: *mut u8, stride: usize) {
        for r in 0..ROWS {
            let from = self.0[T][r * ROW / 4..].as_ptr().cast::<u8>();
            // SAFETY: as for loads.
            unsafe { std::ptr::copy_nonoverlapping(from, to.add(r * stride), ROW) };
        }
    }

    #[inline(always)]
    unsafe fn product<const C: usize, const A: usize, const B: usize>(&mut self) {
        /// The lower and the upper one of two bf16 in four bytes.
        #[inline(always)]
        fn pair(v: f32) -> [f32; 2] {
            let bits = v.to_bits();
            [f32::from_bits(bits << 16), f32::from_bits(bits & 0xffff_0000)]
        }
        let (a, b) = (self.0[A], self.0[B]);
        for (c, a) in self.0[C].as_chunks_mut::<16>().0.iter_mut().zip(a.as_chunks::<16>().0) {
            let mut sums = [[0f32; 16]; 2];
            for (a, b) in a.iter().zip(b.as_chunks::<16>().0) {
                let a = pair(*a);
                for n in 0..16 {
                    let b = pair(b[n]);
                    sums[0][n] = a[0].mul_add(b[0], sums[0][n]);
                    sums[1][n] = a[1].mul_add(b[1], sums[1][n]);
                }
            }
            for n in 0..16 {
                c[n] += sums[0][n] + sums[1][n];
            }
        }
    }
}

/// 16 elements of two rows of a product's second side, rounded to bf16, as [`MatrixUnit::product`] takes them.
#[inline(always)]
pub(crate) unsafe fn columns(even: __m512, odd: __m512) -> __m512i {
    // SAFETY: the caller promises that the CPU has the level.
    unsafe {
        let order = _mm512_set_epi16(
            31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3,
            18, 2, 17, 1, 16, 0,
        );
        // The second operand's come first.
        let both: __m512i = std::mem::transmute(_mm512_cvtne2ps_pbh(odd, even));
        _mm512_permutexvar_epi16(order, both)
    }
}

/// Whether this process can use the hardware, or why it cannot. Asks the system for permission, once, and believes only a
/// product that ran.
pub(crate) fn hardware() -> Result<(), &'static str> {
    static FOUND: OnceLock<Result<(), &'static str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        const TILES: u32 = 1 << 24;
        const BF16: u32 = 1 << 22;
        // Leaf 7 is read only where leaf 0 has it.
        let leaf_7 = if __cpuid_count(0, 0).eax >= 7 { __cpuid_count(7, 0).edx } else { 0 };
        if leaf_7 & TILES == 0 || leaf_7 & BF16 == 0 {
            return Err("this processor does not have its instructions");
        }
        if !permitted() {
            return Err("the system does not let programs use AMX tiles");
        }
        // SAFETY: the processor has tiles of bf16, and the system lets this process use them.
        if unsafe { check::<Amx>() } { Ok(()) } else { Err("AMX tiles compute wrong products here") }
    })
}

/// Whether the system keeps the tiles' state and this process may use it.
#[cfg(target_os = "linux")]
fn permitted() -> bool {
    const OSXSAVE: u32 = 1 << 27;
    /// State components 17 and 18: the configuration and the tiles.
    const STATE: u32 = 3 << 17;
    const ARCH_PRCTL: i64 = 158;
    const ARCH_REQ_XCOMP_PERM: i64 = 0x1023;
    if __cpuid_count(1, 0).ecx & OSXSAVE == 0 {
        return false;
    }
    let kept: u32;
    // SAFETY: `xgetbv` is there where OSXSAVE is, and register 0 always.
    unsafe { asm!("xgetbv", in("ecx") 0, out("eax") kept, out("edx") _, options(nostack, nomem)) };
    if kept & STATE != STATE {
        return false;
    }
    let result: i64;
    // SAFETY: a system call that reads no memory of ours and grants the process (all its threads) state component 18.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") ARCH_PRCTL => result,
            in("rdi") ARCH_REQ_XCOMP_PERM, in("rsi") 18_i64,
            out("rcx") _, out("r11") _,
            options(nostack)
        );
    }
    result == 0
}

/// Other systems have no such call that we know.
#[cfg(not(target_os = "linux"))]
fn permitted() -> bool {
    false
}

/// Whether a unit's product of small whole numbers, whose sums are exact in any order, is the right one.
///
/// # Safety
/// As [`MatrixUnit::begin`].
unsafe fn check<U: MatrixUnit>() -> bool {
    let bf16 = |v: i32| half::bf16::from_f32(v as f32).to_bits();
    let number = |i: usize, j: usize| (i * 7 + j * 3) as i32 % 17 - 8;
    let (mut a, mut b, mut c) = ([[0u16; 32]; ROWS], [[0u16; 32]; ROWS], [[1f32; 16]; ROWS]);
    for r in 0..ROWS {
        for k in 0..32 {
            a[r][k] = bf16(number(r, k));
            b[k / 2][2 * r + k % 2] = bf16(number(k, r + 5));
        }
    }
    // SAFETY: the caller's promise; the arrays are whole tiles.
    unsafe {
        let mut unit = U::begin();
        unit.load::<0>(c.as_ptr().cast(), ROW);
        unit.load::<4>(a.as_ptr().cast(), ROW);
        unit.load::<7>(b.as_ptr().cast(), ROW);
        unit.product::<0, 4, 7>();
        unit.zero::<1>();
        unit.product::<0, 1, 7>();
        unit.store::<0>(c.as_mut_ptr().cast(), ROW);
    }
    (0..ROWS).all(|r| {
        (0..16).all(|n| {
            let sum: i32 = (0..32).map(|k| number(r, k) * number(k, n + 5)).sum();
            c[r][n] == (sum + 1) as f32
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emulation_computes_the_right_products() {
        // SAFETY: no unit is needed.
        assert!(unsafe { check::<Emulated>() });
    }

    /// Random numbers through a unit: two products into one tile.
    unsafe fn sums<U: MatrixUnit>(a: &[u16; 1024], b: &[u16; 1024]) -> [f32; 256] {
        let mut c = [0f32; 256];
        // SAFETY: the caller's promise; the arrays are two whole tiles, and one.
        unsafe {
            let mut unit = U::begin();
            unit.zero::<3>();
            for i in 0..2 {
                unit.load::<5>(a[512 * i..].as_ptr().cast(), ROW);
                unit.load::<6>(b[512 * i..].as_ptr().cast(), ROW);
                unit.product::<3, 5, 6>();
            }
            unit.store::<3>(c.as_mut_ptr().cast(), ROW);
        }
        c
    }

    /// On a machine with AMX, bit for bit.
    #[test]
    fn the_hardware_sums_as_the_emulation_does() {
        if let Err(why) = hardware() {
            eprintln!("skipped, amx: {why}");
            return;
        }
        let mut state = 1u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            half::bf16::from_f32((state >> 8) as f32 / 8_388_608.0 - 1.0).to_bits()
        };
        for _ in 0..100 {
            let (a, b) = (std::array::from_fn(|_| number()), std::array::from_fn(|_| number()));
            // SAFETY: the hardware was just found.
            let (got, want) = unsafe { (sums::<Amx>(&a, &b), sums::<Emulated>(&a, &b)) };
            assert_eq!(got.map(f32::to_bits), want.map(f32::to_bits));
        }
    }
}
