//! `akunu doctor`: what this machine can run, and why not.

use crate::args::Machine;
use crate::error::CliError;
use crate::output::{Output, bytes};
use akunu::device::Device;
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
pub(crate) fn run(machine: &Machine, out: &Output) -> Result<u8, CliError> {
    let mut all = Vec::new();
    let mut add = |what, fine, text| all.push(Finding { what, fine, text });
    add("processor", true, processor());
    for level in LEVELS {
        let text = if level.available() {
            if *level == Level::detect() { "available, the default" } else { "available" }
        } else {
            "this processor does not have its instructions"
        };
        add("cpu level", level.available(), format!("{}: {text}", level.name()));
    }
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
    if let Some(q) = quota() {
        add("container quota", true, q);
    }
    add("gpu", false, "this build has no GPU device yet".into());
    let (fine, text) = cache();
    add("model cache", fine, text);
    let (fine, text) = pip();
    add("package index", fine, text);
    report(&all, out)?;
    Ok(0)
}

fn report(all: &[Finding], out: &Output) -> Result<(), CliError> {
    if out.is_json() {
        let list: Vec<_> =
            all.iter().map(|f| json!({ "what": f.what, "fine": f.fine, "text": f.text })).collect();
        return out.json(&json!({ "findings": list }));
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
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!(
        "{} ({}), {cores} threads granted",
        name.unwrap_or_else(|| "unknown".into()),
        std::env::consts::ARCH
    )
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

/// The processor time that a container may use.
fn quota() -> Option<String> {
    let max = std::fs::read_to_string("/sys/fs/cgroup/cpu.max").ok()?;
    let (quota, period) = max.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    Some(format!("{:.2} processors", quota / period))
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
