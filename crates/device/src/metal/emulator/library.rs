//! Kernels as machine code of this processor: the text becomes C (`translate`), clang makes a library of it, which is kept in the cache
//! folder of the user and loaded.

use super::translate::translate;
use sha2::{Digest, Sha256};
use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Compilers that are tried, in this order. C23's attributes and `_Float16` need clang 16.
const CLANGS: &[&str] = &["clang-19", "clang-18", "clang-17", "clang-16", "clang"];
/// Literals are f32, as Metal's are, and nothing is fused that is not written so. A pointer of a wrong address space is an error.
const FLAGS: &[&str] = &[
    "-std=gnu2x",
    "-O2",
    "-fPIC",
    "-shared",
    "-ffp-contract=off",
    // Checked jumps take another stack for a mistake.
    "-U_FORTIFY_SOURCE",
    "-Xclang",
    "-cl-single-precision-constant",
    "-Wno-unknown-attributes",
    "-Wno-ignored-attributes",
];

/// A part of a launch; as `struct Launch` in fibres.c.
#[repr(C)]
pub(super) struct Launch {
    pub(super) args: *const c_void,
    pub(super) groups: [u32; 3],
    /// Which of the groups, counted with x fastest.
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) threads: u32,
    /// The order of a group's threads: 0 forward, 1 backward, others shuffled.
    pub(super) order: u32,
    pub(super) memory: *mut u8,
    pub(super) memory_bytes: u64,
    /// The line of a barrier that not all threads have come to.
    pub(super) failed_at: u32,
}

/// Bytes that a launch of so many threads needs to run in.
pub(super) const fn workspace(threads: u32) -> usize {
    // Stacks, threadgroup memory, and what a thread and its place take.
    threads as usize * (64 << 10) + (32 << 10) + 1024 * 1024
}

/// A kernel with its constants, as a function of this process.
pub struct Library {
    kernel: &'static str,
    text: &'static str,
    run: unsafe extern "C" fn(*mut Launch) -> c_int,
    /// Keeps `run` valid.
    _library: libloading::Library,
}

impl Library {
    /// Compiles a kernel, or loads what was compiled before; what went wrong in words.
    pub(super) fn new(kernel: &'static str, text: &'static str, consts: &[u32]) -> Result<Self, String> {
        let (types, body) = translate(text, consts)?;
        let source = [
            include_str!("shim.h"),
            &types,
            "#line 1 \"",
            kernel,
            ".metal\"\n",
            &body,
            "#line 1 \"fibres.c\"\n",
            include_str!("fibres.c"),
        ]
        .concat();
        let path = compiled(kernel, &source)?;
        let failed = |e: libloading::Error| format!("{}: {e}", path.display());
        // SAFETY: a library that this module compiled of its own sources; it has no initialisation.
        let library = unsafe { libloading::Library::new(&path) }.map_err(failed)?;
        // SAFETY: the function of fibres.c, with its signature; the library is kept beside it.
        let run = *unsafe { library.get::<unsafe extern "C" fn(*mut Launch) -> c_int>(b"run_groups\0") }
            .map_err(failed)?;
        Ok(Self { kernel, text, run, _library: library })
    }

    /// Runs groups of a launch.
    ///
    /// # Safety
    /// `args` points to the kernel's arguments, all addresses among them are of live memory that the kernel stays in, and nobody else
    /// writes there, nor reads what the kernel writes, but other groups of the same launch. `memory` is the caller's alone.
    pub(super) unsafe fn run(&self, launch: &mut Launch) -> Result<(), String> {
        // SAFETY: the caller's promise.
        match unsafe { (self.run)(launch) } {
            0 => Ok(()),
            2 => {
                let line = launch.failed_at as usize;
                let text = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim();
                Err(format!("`{}`: not all threads come to line {line}, `{text}`", self.kernel))
            }
            3 => Err(format!("`{}`: more than 32 KiB of threadgroup memory", self.kernel)),
            _ => Err(format!("`{}`: {} threads cannot be run", self.kernel, launch.threads)),
        }
    }
}

/// The compiler, with its version.
fn clang() -> Result<&'static (String, String), String> {
    static CLANG: OnceLock<Option<(String, String)>> = OnceLock::new();
    let look = || {
        CLANGS.iter().find_map(|name| {
            let out = Command::new(name).arg("--version").output().ok().filter(|o| o.status.success())?;
            Some(((*name).to_owned(), String::from_utf8_lossy(&out.stdout).into_owned()))
        })
    };
    let missing = || format!("the emulator needs clang 16 or later, as one of {}", CLANGS.join(", "));
    CLANG.get_or_init(look).as_ref().ok_or_else(missing)
}

/// What the processor has beyond what every one of its kind has.
fn machine() -> &'static [&'static str] {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
        return &["-march=x86-64-v3"];
    }
    &[]
}

/// The library of a source, from the cache or made.
fn compiled(kernel: &str, source: &str) -> Result<PathBuf, String> {
    let (clang, version) = clang()?;
    let mut hash = Sha256::new();
    for part in [&[source, version][..], FLAGS, machine()].concat() {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let name: String = hash.finalize().iter().take(16).map(|b| format!("{b:02x}")).collect();
    let folder = crate::cache::root().unwrap_or_else(std::env::temp_dir).join("metal-emulator");
    let path = folder.join(format!("{kernel}-{name}.so"));
    if path.is_file() {
        return Ok(path);
    }
    let failed = |what: &str, e: std::io::Error| format!("{what}: {e}");
    std::fs::create_dir_all(&folder).map_err(|e| failed(&folder.display().to_string(), e))?;
    // Whoever makes the same meanwhile makes the same bytes; the last one stays.
    let (own, text) = (unique(&path, "so"), unique(&path, "c"));
    std::fs::write(&text, source).map_err(|e| failed(&text.display().to_string(), e))?;
    let out = Command::new(clang)
        .args(FLAGS)
        .args(machine())
        .arg(&text)
        .arg("-o")
        .arg(&own)
        .arg("-lm")
        .output()
        .map_err(|e| failed(clang, e));
    let _ = std::fs::remove_file(&text);
    let out = out?;
    if !out.status.success() {
        let _ = std::fs::remove_file(&own);
        let message = String::from_utf8_lossy(&out.stderr);
        return Err(message.lines().take(20).collect::<Vec<_>>().join("\n"));
    }
    std::fs::rename(&own, &path).map_err(|e| failed(&path.display().to_string(), e))?;
    Ok(path)
}

/// A name beside `path` that no other thread or process has.
fn unique(path: &Path, extension: &str) -> PathBuf {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    path.with_extension(format!("{}-{n}.{extension}", std::process::id()))
}
