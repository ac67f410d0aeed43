//! From a kernel and its constants to machine code: the source text, the cache, the compiler.

use super::nvrtc::Nvrtc;
use super::{Options, cache, context};
use crate::DeviceError;
use crate::limits::check_machine;
use akunu_kernels::cuda::{CudaLaunch, Gpu, prelude};
use akunu_kernels::{Launch, Machine};
use akunu_plan::VerifiedTable;
use akunu_plan::table::KernelUse;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A kernel's complete text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

/// What kernels were made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Distinct kernels.
    pub kernels: u32,
    /// Those that had to be compiled.
    pub compiled: u32,
}

/// The text of a kernel for constants.
fn source(k: &KernelUse, launch: &CudaLaunch, gpu: &Gpu, options: Options) -> Source {
    let mut text = head(gpu, options);
    // Writing to a String cannot fail.
    for (name, value) in k.kernel.consts.iter().zip(&k.consts) {
        let _ = writeln!(text, "#define C_{} {value}u", name.to_uppercase());
    }
    for (name, value) in &launch.defines {
        let _ = writeln!(text, "#define {name} {value}u");
    }
    text.push_str(&prelude(k.kernel.params));
    for piece in launch.source {
        text.push_str(piece);
    }
    Source { name: k.kernel.name, text }
}

/// The device's own commands.
pub(crate) fn control(gpu: &Gpu, options: Options) -> Source {
    let mut text = head(gpu, options);
    let _ = writeln!(text, "#define RING {}u", super::stream::RING);
    let _ = writeln!(text, "#define MOST_SEQUENCES {}u", crate::limits::SEQS);
    text.push_str(&prelude(&[]));
    text.push_str(include_str!("control.cuh"));
    text.push_str(include_str!("control.cu"));
    Source { name: "control", text }
}

/// The settings before every kernel.
fn head(gpu: &Gpu, options: Options) -> String {
    let mut text = format!("#define SM {}\n", gpu.sm);
    if options.overlap {
        text.push_str("#define AKUNU_OVERLAP 1\n");
    }
    if options.delay {
        text.push_str("#define AKUNU_DELAY 1\n");
    }
    text
}

/// The sources of a table's kernels, in the order of its kernel list, with one launch each.
pub(crate) fn table_sources(
    table: &VerifiedTable,
    gpu: &Gpu,
    options: Options,
) -> Result<Vec<(Source, CudaLaunch)>, DeviceError> {
    check_machine(table, Machine::Cuda(*gpu))?;
    let launches = table.kernels.iter().map(|k| match &k.launch {
        Launch::Cuda(launch) => Ok((source(k, launch, gpu, options), launch.clone())),
        Launch::Cpu(_) | Launch::Vulkan(_) | Launch::Metal(_) => {
            Err(DeviceError::Foreign { what: k.kernel.name })
        }
    });
    launches.collect()
}

/// Machine code for every source, from the cache or the compiler, several at a time.
pub(crate) fn machine_code(
    sources: &[Source],
    sm: u32,
) -> Result<(HashMap<Source, Vec<u8>>, Made), DeviceError> {
    let arch = context::arch(sm);
    let mut distinct: Vec<&Source> = sources.iter().collect();
    distinct.sort_by(|a, b| a.text.cmp(&b.text));
    distinct.dedup();
    let (next, compiled) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let done = Mutex::new(HashMap::new());
    let failed: Mutex<Option<DeviceError>> = Mutex::new(None);
    let work = || {
        while let Some(s) = distinct.get(next.fetch_add(1, Ordering::Relaxed)) {
            match one(s, &arch) {
                Ok((code, fresh)) => {
                    compiled.fetch_add(usize::from(fresh), Ordering::Relaxed);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert((*s).clone(), code);
                }
                Err(e) => {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                    next.store(distinct.len(), Ordering::Relaxed);
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(distinct.len());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(work);
        }
    });
    if let Some(e) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(e);
    }
    let made = Made { kernels: distinct.len() as u32, compiled: compiled.into_inner() as u32 };
    Ok((done.into_inner().unwrap_or_else(PoisonError::into_inner), made))
}

/// One kernel's machine code, and whether it was compiled now.
fn one(s: &Source, arch: &str) -> Result<(Vec<u8>, bool), DeviceError> {
    let folder = cache::folder();
    let nvrtc = Nvrtc::get();
    let key = |version: &str| cache::key(&[&s.text, arch, version]);
    if let Some(f) = &folder {
        // Without a compiler, what any compiler made will do.
        let versions = match &nvrtc {
            Ok(n) => vec![version(n)],
            Err(_) => known_compilers(f),
        };
        if let Some(code) = versions.iter().find_map(|v| cache::read(f, &key(v))) {
            return Ok((code, false));
        }
    }
    let nvrtc = nvrtc?;
    let code = nvrtc.compile(s.name, &s.text, arch)?;
    if let Some(f) = &folder {
        cache::write(f, &key(&version(nvrtc)), &code);
        let _ = std::fs::write(f.join(format!("{COMPILER}{}", version(nvrtc))), b"");
    }
    Ok((code, true))
}

/// Files of this name in the cache's folder tell which compilers filled it.
const COMPILER: &str = "compiler-";

fn version(n: &Nvrtc) -> String {
    let (major, minor) = n.version();
    format!("{major}.{minor}")
}

fn known_compilers(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut v: Vec<String> =
        names.filter_map(|e| e.file_name().to_str()?.strip_prefix(COMPILER).map(str::to_owned)).collect();
    v.sort();
    v.reverse();
    v
}

/// Fills the cache with a table's kernels; needs no GPU.
pub fn compile_table(table: &VerifiedTable, options: Options) -> Result<Made, DeviceError> {
    let Machine::Cuda(gpu) = &table.machine else { return Err(DeviceError::Foreign { what: "table" }) };
    let mut sources: Vec<Source> = table_sources(table, gpu, options)?.into_iter().map(|(s, _)| s).collect();
    sources.push(control(gpu, options));
    Ok(machine_code(&sources, gpu.sm)?.1)
}
