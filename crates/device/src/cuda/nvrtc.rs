//! NVRTC, the CUDA compiler as a library: found in the system, in Python packages or in our own cache.

use crate::DeviceError;
use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

type Program = *mut c_void;

macro_rules! nvrtc {
    ($($method:ident = $symbol:literal ($($arg:ident: $ty:ty),*);)*) => {
        /// A loaded compiler.
        pub(crate) struct Nvrtc {
            path: PathBuf,
            _library: Library,
            $($method: unsafe extern "C" fn($($ty),*) -> c_int,)*
        }

        impl Nvrtc {
            /// # Safety
            /// `library` is NVRTC.
            unsafe fn of(path: &Path, library: Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    path: path.to_owned(),
                    // SAFETY: NVRTC's documented functions with these C signatures.
                    $($method: *unsafe { library.get($symbol) }?,)*
                    _library: library,
                })
            }
        }
    };
}

nvrtc! {
    version = b"nvrtcVersion\0" (major: *mut c_int, minor: *mut c_int);
    create = b"nvrtcCreateProgram\0" (
        program: *mut Program, source: *const c_char, name: *const c_char, headers: c_int,
        contents: *const *const c_char, names: *const *const c_char
    );
    compile = b"nvrtcCompileProgram\0" (program: Program, count: c_int, options: *const *const c_char);
    log_size = b"nvrtcGetProgramLogSize\0" (program: Program, size: *mut usize);
    log = b"nvrtcGetProgramLog\0" (program: Program, log: *mut c_char);
    cubin_size = b"nvrtcGetCUBINSize\0" (program: Program, size: *mut usize);
    cubin = b"nvrtcGetCUBIN\0" (program: Program, bytes: *mut c_char);
    destroy = b"nvrtcDestroyProgram\0" (program: *mut Program);
}

/// Setting that names a file or folder to look in first.
pub const NVRTC_VAR: &str = "AKUNU_NVRTC";

/// File names that NVRTC has, newest first.
fn names() -> Vec<String> {
    if cfg!(windows) {
        ["130_0", "120_0"].iter().map(|v| format!("nvrtc64_{v}.dll")).collect()
    } else {
        ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"].iter().map(|s| (*s).to_owned()).collect()
    }
}

/// Where NVRTC is looked for, in order. `None` leaves the search to the system's loader.
pub fn places() -> Vec<Option<PathBuf>> {
    let mut v: Vec<Option<PathBuf>> = Vec::new();
    if let Some(p) = std::env::var_os(NVRTC_VAR).filter(|p| !p.is_empty()) {
        v.push(Some(p.into()));
    }
    if let Some(c) = crate::cache::root() {
        v.push(Some(c.join("nvrtc")));
    }
    v.push(None);
    for var in ["CUDA_HOME", "CUDA_PATH"] {
        if let Some(p) = std::env::var_os(var) {
            v.push(Some(Path::new(&p).join(if cfg!(windows) { "bin" } else { "lib64" })));
        }
    }
    if cfg!(unix) {
        v.push(Some("/usr/local/cuda/lib64".into()));
        v.extend(python_packages().into_iter().map(Some));
    }
    v
}

/// `nvidia/*/lib` below the site-packages of the Pythons that the environment names or the system has.
fn python_packages() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = Vec::new();
    if let Some(v) = std::env::var_os("VIRTUAL_ENV") {
        roots.push(Path::new(&v).join("lib"));
    }
    if let Some(path) = std::env::var_os("PATH") {
        // A Python's packages lie beside its `bin`.
        roots.extend(std::env::split_paths(&path).filter_map(|p| Some(p.parent()?.join("lib"))));
    }
    if let Some(home) = std::env::var_os("HOME") {
        roots.push(Path::new(&home).join(".local/lib"));
    }
    roots.dedup();
    let list = |p: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(p).map(|d| d.flatten().map(|e| e.path()).collect()).unwrap_or_default()
    };
    let mut found = Vec::new();
    for root in roots {
        let pythons = list(&root)
            .into_iter()
            .filter(|p| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python3")));
        for python in pythons {
            for packages in ["site-packages", "dist-packages"] {
                let nvidia = python.join(packages).join("nvidia");
                found.extend(list(&nvidia).into_iter().map(|p| p.join("lib")));
            }
        }
    }
    found
}

impl Nvrtc {
    /// The process's compiler; an error that says what to do where there is none.
    pub(crate) fn get() -> Result<&'static Self, DeviceError> {
        static NVRTC: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
        NVRTC.get_or_init(Self::find).as_ref().map_err(|what| DeviceError::NoCompiler { what: what.clone() })
    }

    pub(crate) fn find() -> Result<Self, String> {
        let mut tried = 0;
        for place in places() {
            let files: Vec<PathBuf> = match &place {
                None => names().into_iter().map(PathBuf::from).collect(),
                Some(p) if p.is_file() => vec![p.clone()],
                Some(p) => names().into_iter().map(|n| p.join(n)).filter(|p| p.is_file()).collect(),
            };
            for file in files {
                tried += 1;
                if let Ok(n) = Self::open(&file) {
                    return Ok(n);
                }
            }
        }
        Err(format!(
            "no usable libnvrtc in the system, in Python packages or in the cache ({tried} names tried)"
        ))
    }

    fn open(file: &Path) -> Result<Self, libloading::Error> {
        // The compiler loads its built-in functions by name later; from a folder of its own it finds them only
        // if they are loaded already.
        if let Some(folder) = file.parent().filter(|p| p.is_absolute()) {
            for e in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = e.file_name();
                let name = name.to_string_lossy();
                if name.contains("nvrtc-builtins") && !name.contains(".alt.") {
                    // SAFETY: a data library of the same package.
                    if let Ok(l) = unsafe { Library::new(e.path()) } {
                        // Never unloaded: the compiler refers to it.
                        std::mem::forget(l);
                    }
                }
            }
        }
        // SAFETY: a library by NVRTC's name; its functions are checked by `of`.
        unsafe { Self::of(file, Library::new(file)?) }
    }

    /// Where it was found.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its version, as (major, minor).
    pub(crate) fn version(&self) -> (i32, i32) {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: two writable integers.
        unsafe { (self.version)(&mut major, &mut minor) };
        (major, minor)
    }

    /// Machine code of one source for one architecture (`sm_90a`).
    pub(crate) fn compile(&self, name: &str, source: &str, arch: &str) -> Result<Vec<u8>, DeviceError> {
        let fail =
            |what: String| DeviceError::Compile { kernel: name.to_owned(), arch: arch.to_owned(), what };
        let text = |s: String| CString::new(s).map_err(|e| fail(e.to_string()));
        let (source, file) = (text(source.to_owned())?, text(format!("{name}.cu"))?);
        let options = [
            text(format!("--gpu-architecture={arch}"))?,
            text("--std=c++17".into())?,
            text("--extra-device-vectorization".into())?,
        ];
        let options: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let mut program: Program = std::ptr::null_mut();
        // SAFETY: the strings live until the program is destroyed; sizes are asked for before buffers are given.
        unsafe {
            let none = std::ptr::null();
            if (self.create)(&mut program, source.as_ptr(), file.as_ptr(), 0, none, none) != 0 {
                return Err(fail("the compiler refused the source".into()));
            }
            let rc = (self.compile)(program, options.len() as c_int, options.as_ptr());
            let out = if rc == 0 {
                let mut size = 0;
                (self.cubin_size)(program, &mut size);
                let mut bytes = vec![0u8; size];
                (self.cubin)(program, bytes.as_mut_ptr().cast());
                if size == 0 { Err(fail("the compiler gave no machine code".into())) } else { Ok(bytes) }
            } else {
                let mut size = 0;
                (self.log_size)(program, &mut size);
                let mut log = vec![0u8; size];
                (self.log)(program, log.as_mut_ptr().cast());
                let log = String::from_utf8_lossy(&log);
                let first: Vec<&str> = log.trim_end_matches('\0').lines().take(12).collect();
                Err(fail(format!("error {rc}: {}", first.join("\n"))))
            };
            (self.destroy)(&mut program);
            out
        }
    }
}
