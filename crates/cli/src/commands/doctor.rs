//! `akunu doctor`: what this machine can run, and why not.

use crate::args::{Doctor, Machine};
use crate::error::CliError;
use crate::output::Output;
use crate::units::bytes;
use akunu::device::Device;
use akunu::device::cpu::topology::Topology;
use akunu::device::cpu::{CpuDevice, LEVEL_VAR};
use akunu::kernels::cpu::{LEVELS, Level};
use serde_json::json;
use std::process::{Command, Stdio};

/// One finding.
struct Finding {
    what: &'static str,
    fine: bool,
    text: String,
}

/// Runs the command.
pub(crate) fn run(a: &Doctor, machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let mut all = Vec::new();
    let mut add = |what, fine, text| all.push(Finding { what, fine, text });
    add("processor", true, processor());
    for level in LEVELS {
        let missing = level.missing();
        let available = if *level == Level::detect() { "available, the default" } else { "available" };
        add("cpu level", missing.is_none(), format!("{}: {}", level.name(), missing.unwrap_or(available)));
    }
    let topology = Topology::detect();
    let chosen = machine.threads.map_or(String::new(), |t| format!("; -t asks for {t}"));
    add("threads", true, topology.reason() + &chosen);
    match CpuDevice::new(machine.threads) {
        Ok(d) => {
            let info = d.info();
            add("cpu device", true, info.name.clone());
            add("memory", true, format!("{} of {} free", bytes(info.free_bytes), bytes(info.total_bytes)));
            match d.measure_bandwidth() {
                Some(b) => {
                    add("read bandwidth", true, format!("{:.1} GB/s with {} threads", b / 1e9, info.threads))
                }
                None => add("read bandwidth", false, "not enough memory to measure".into()),
            }
        }
        Err(e) => add("cpu device", false, e.to_string()),
    }
    let forced = std::env::var(LEVEL_VAR).ok().filter(|v| !v.is_empty());
    add("AKUNU_CPU", true, forced.unwrap_or_else(|| "not set".into()));
    let (fine, text) = huge_pages();
    add("huge pages", fine, text);
    gpu(a, machine, out, &mut add)?;
    vulkan(machine, &mut add);
    metal(machine, &mut add);
    let (fine, text) = cache();
    add("model cache", fine, text);
    let (fine, text) = pip();
    add("package index", fine, text);
    report(&all, &topology, out)?;
    Ok(0)
}

#[cfg(not(feature = "cuda"))]
fn gpu(
    _: &Doctor,
    _: &Machine,
    _: &Output,
    add: &mut dyn FnMut(&'static str, bool, String),
) -> Result<(), CliError> {
    add("gpu", false, "this build has no CUDA; build it with the feature `cuda`".into());
    Ok(())
}

/// The GPUs, the compiler for their kernels, and the cache of compiled ones. The GPU that would be taken is measured.
#[cfg(feature = "cuda")]
fn gpu(
    a: &Doctor,
    machine: &Machine,
    out: &Output,
    add: &mut dyn FnMut(&'static str, bool, String),
) -> Result<(), CliError> {
    use crate::args::Device::Cuda;
    use akunu::device::DeviceError;
    use akunu::device::cuda::{self, CudaDevice};
    let (number, wanted) = if let Cuda(n) = machine.device { (n, true) } else { (0, false) };
    let device = CudaDevice::open(number);
    let driver = !matches!(device, Err(DeviceError::NoDriver { .. }));
    if a.fix && (driver || wanted) && cuda::compiler_in_use().is_err() {
        akunu_hub::fetch_compiler(&mut out.fetching())?;
    }
    // Where there is no list, opening has failed for the same reason.
    for (n, gpu) in cuda::gpus().unwrap_or_default().iter().enumerate() {
        match gpu.obstacle() {
            None => {
                let total = bytes(gpu.total_bytes);
                add("gpu", true, format!("cuda:{n}: {}, {}, {total}", gpu.name, gpu.arch()));
            }
            Some(why) => add("gpu", false, format!("cuda:{n}: {why}")),
        }
    }
    match &device {
        Ok(d) => {
            let info = d.info();
            let (free, total) = (bytes(info.free_bytes), bytes(info.total_bytes));
            add("gpu driver", true, format!("for CUDA {}", d.versions().0));
            add("gpu memory", true, format!("cuda:{number}: {free} of {total} free"));
        }
        Err(e) => add("gpu", false, e.to_string()),
    }
    match cuda::compiler() {
        Ok((path, version)) => add("nvrtc", true, format!("{version}, {}", path.display())),
        Err(_) if !driver && !wanted => add("nvrtc", true, "not needed without an NVIDIA driver".into()),
        Err(e) => add("nvrtc", false, e.to_string()),
    }
    if let Some(folder) = cuda::cache_folder() {
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let n = files.filter(|e| e.file_name().len() == 64).count();
        add("kernel cache", true, format!("{}, {n} kernels", folder.display()));
    }
    if let Ok(d) = &device {
        match d.ready() {
            Ok(()) => match d.measure_bandwidth() {
                Some(b) => add("gpu bandwidth", true, format!("{:.0} GB/s read", b / 1e9)),
                None => add("gpu bandwidth", false, "could not be measured".into()),
            },
            Err(e) => add("gpu kernels", false, e.to_string()),
        }
    }
    Ok(())
}

#[cfg(not(feature = "vulkan"))]
fn vulkan(_: &Machine, add: &mut dyn FnMut(&'static str, bool, String)) {
    add("vulkan", false, "this build has no Vulkan; build it with the feature `vulkan`".into());
}

/// The GPUs that Vulkan shows, and what the kernels miss on each. The one that was asked for is opened.
#[cfg(feature = "vulkan")]
fn vulkan(machine: &Machine, add: &mut dyn FnMut(&'static str, bool, String)) {
    use crate::args::Device::Vulkan;
    use akunu::device::vulkan::{VulkanDevice, Written, gpus};
    match gpus() {
        Ok(all) if all.is_empty() => add("vulkan", false, "no driver shows a GPU".into()),
        Ok(all) => {
            for (n, gpu) in all.iter().enumerate() {
                let (major, minor) = gpu.version;
                let text = gpu.obstacle().unwrap_or_else(|| {
                    format!("{}, Vulkan {major}.{minor}, {}", gpu.name, bytes(gpu.total_bytes))
                });
                add("vulkan", gpu.obstacle().is_none(), format!("vulkan:{n}: {text}"));
            }
        }
        Err(e) => add("vulkan", false, e.to_string()),
    }
    let Vulkan(number) = machine.device else { return };
    match VulkanDevice::open(number).and_then(|d| d.ready().map(|()| (d.info(), d.pipeline_cache()))) {
        Ok((info, pipelines)) => {
            let (free, total) = (bytes(info.free_bytes), bytes(info.total_bytes));
            add("vulkan memory", true, format!("vulkan:{number}: {free} of {total} free"));
            let written = !matches!(pipelines.written, Written::Failed(_));
            add("vulkan pipelines", written, pipelines.to_string());
        }
        Err(e) => add("vulkan kernels", false, e.to_string()),
    }
}

#[cfg(not(feature = "metal"))]
fn metal(_: &Machine, add: &mut dyn FnMut(&'static str, bool, String)) {
    add("metal", false, "this build has no Metal; build it with the feature `metal`".into());
}

/// The GPUs that Metal shows, and what the kernels miss on each. The one that was asked for is opened.
#[cfg(feature = "metal")]
fn metal(machine: &Machine, add: &mut dyn FnMut(&'static str, bool, String)) {
    use crate::args::Device::Metal;
    use akunu::device::metal::{gpus, open};
    match gpus() {
        Ok(all) if all.is_empty() => add("metal", false, "the system shows no GPU".into()),
        Ok(all) => {
            for (n, gpu) in all.iter().enumerate() {
                let text = gpu.obstacle().unwrap_or_else(|| {
                    format!("{}, Apple family {}, {}", gpu.name, gpu.family, bytes(gpu.total_bytes))
                });
                add("metal", gpu.obstacle().is_none(), format!("metal:{n}: {text}"));
            }
        }
        Err(e) => add("metal", false, e.to_string()),
    }
    let Metal(number) = machine.device else { return };
    match open(number).and_then(|d| d.ready().map(|()| d.info())) {
        Ok(info) => {
            let (free, total) = (bytes(info.free_bytes), bytes(info.total_bytes));
            add("metal memory", true, format!("metal:{number}: {free} of {total} free"));
        }
        Err(e) => add("metal kernels", false, e.to_string()),
    }
}

fn report(all: &[Finding], topology: &Topology, out: &Output) -> Result<(), CliError> {
    if out.is_json() {
        let list: Vec<_> =
            all.iter().map(|f| json!({ "what": f.what, "fine": f.fine, "text": f.text })).collect();
        let nodes: Vec<_> = topology
            .nodes
            .iter()
            .map(|n| json!({ "id": n.id, "cores": n.cores, "processors": n.processors }))
            .collect();
        let threads = json!({
            "workers": topology.workers(),
            "processors": topology.processors,
            "parallelism": topology.parallelism,
            "cores": topology.cores,
            "slower_cores": topology.slower_cores,
            "nodes": nodes,
        });
        return out.json(&json!({ "findings": list, "threads": threads }));
    }
    for f in all {
        out.line(&format!("{} {:<16} {}", if f.fine { "+" } else { "-" }, f.what, f.text))?;
    }
    Ok(())
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        info.lines().find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|(_, n)| n.to_owned()));
    format!("{} ({})", name.unwrap_or_else(|| "unknown".into()), std::env::consts::ARCH)
}

fn huge_pages() -> (bool, String) {
    match std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled") {
        Ok(s) if s.contains("[never]") => {
            (false, "transparent huge pages are off; weights use small pages and decode is slower".into())
        }
        Ok(s) => (true, s.trim().to_owned()),
        Err(_) => (false, "not known on this system".into()),
    }
}

fn cache() -> (bool, String) {
    match akunu_hub::cache_dir() {
        Ok(dir) => {
            let probe = dir.join(format!(".doctor-{}", std::process::id()));
            let writable = std::fs::create_dir_all(&dir).and_then(|()| std::fs::write(&probe, b""));
            match writable {
                Ok(()) => {
                    // The probe has done its work; a leftover empty file harms nobody.
                    let _ = std::fs::remove_file(&probe);
                    (true, dir.display().to_string())
                }
                Err(e) => {
                    (false, format!("{}: {e}; set AKUNU_CACHE to a folder you can write", dir.display()))
                }
            }
        }
        Err(e) => (false, e.to_string()),
    }
}

fn pip() -> (bool, String) {
    for (program, args) in
        [("python3", &["-m", "pip", "--version"][..]), ("pip3", &["--version"]), ("pip", &["--version"])]
    {
        let found = Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).output();
        if let Ok(o) = found
            && o.status.success()
        {
            let text = String::from_utf8_lossy(&o.stdout);
            return (true, text.split(" from ").next().unwrap_or_default().trim().to_owned());
        }
    }
    (false, "no pip; `akunu run smollm2` then needs the model hub".into())
}
