//! NVRTC, the compiler that a CUDA device needs for its kernels: two files of one wheel of the package index, pinned
//! like a model. They lie in the cache's folder `nvrtc`, where the device looks.

use std::path::PathBuf;

use crate::alias::{Alias, Form, PackageSource};
use crate::config::{Config, Network};
use crate::error::HubError;
use crate::lock::Lock;
use crate::pip;
use crate::progress::Report;

const WHEEL: &str = "nvidia-cuda-nvrtc==13.0.88";
const WHEEL_BYTES: u64 = 90_200_000;

const fn file(name: &'static str, member: &'static str, bytes: u64, sha256: &'static str) -> Alias {
    Alias {
        name: "nvrtc",
        about: "the CUDA run-time compiler",
        file: name,
        bytes,
        sha256,
        license: "LicenseRef-NVIDIA-Proprietary",
        hub: None,
        package: Some(PackageSource {
            requirement: WHEEL,
            member,
            wheel_bytes: WHEEL_BYTES,
            form: Form::Same,
        }),
        beside: &[],
    }
}

/// The files, for x86-64 Linux; the compiler itself last, so that it is there only when all are.
const FILES: &[Alias] = &[
    file(
        "libnvrtc-builtins.so.13.0",
        "nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
        4_380_616,
        "91dcd944d01da9c0f08fff5d779db136a47f6d62bdb63bae900d2f481e92c3a2",
    ),
    file(
        "libnvrtc.so.13",
        "nvidia/cu13/lib/libnvrtc.so.13",
        109_338_064,
        "a49e67e8e74590f1e98de55c39c6287efd3f59e3c3797464d7bbe0fe01349b11",
    ),
];

/// Whether this platform's files are known.
const KNOWN: bool = cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"));

/// Fetches what is missing; gives the compiler's file. Every file is checked against its hash before it has its name.
pub(crate) fn fetch(config: &Config, progress: &mut Report<'_>) -> Result<PathBuf, HubError> {
    let folder = config.cache_dir()?.join("nvrtc");
    let whole = |f: &Alias| std::fs::metadata(folder.join(f.file)).is_ok_and(|m| m.len() == f.bytes);
    let compiler = folder.join(FILES[FILES.len() - 1].file);
    if FILES.iter().all(whole) {
        return Ok(compiler);
    }
    if !KNOWN {
        return Err(HubError::NoCompilerBuild {
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        });
    }
    if config.network == Network::Offline {
        return Err(HubError::Offline { what: WHEEL.to_string(), setting: "AKUNU_OFFLINE" });
    }
    let _lock = Lock::acquire(&config.cache_dir()?.join("locks"), config.cache_dir()?, &compiler, progress)?;
    if !FILES.iter().all(whole) {
        pip::fetch_all(&config.pip, FILES, &folder, progress)?;
    }
    Ok(compiler)
}
