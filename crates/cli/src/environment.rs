//! The environment variables that akunu reads: one list, from which the help is made.

/// A variable.
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    /// What it does, in one short line.
    pub(crate) about: &'static str,
}

const fn variable(name: &'static str, about: &'static str) -> Variable {
    Variable { name, about }
}

/// Every variable: akunu's own, those shared with other programs, and what the system sets.
pub(crate) static VARIABLES: &[Variable] = &[
    variable("AKUNU_API_KEY", "key that requests to `akunu serve` must show"),
    variable("AKUNU_CACHE", "folder for models, compiled kernels and chat history"),
    variable("AKUNU_CPU", "force a CPU level (`akunu doctor` lists them)"),
    variable("AKUNU_CUDA", "GPU steps in tests: full-edges, delay, no-while"),
    variable("AKUNU_VULKAN", "Vulkan in tests: staged, plain, unkept"),
    variable("AKUNU_HOST", "address that `akunu serve` listens on"),
    variable("AKUNU_NVRTC", "file or folder of NVRTC, the GPU kernels' compiler"),
    variable("AKUNU_OFFLINE", "1: download nothing"),
    variable("AKUNU_PORT", "its port"),
    variable("HF_TOKEN", "access token for private and gated repositories"),
    variable("HF_TOKEN_PATH", "file with the token [default: HF_HOME/token]"),
    variable("HF_HOME", "Hugging Face's folder [default: ~/.cache/huggingface]"),
    variable("HF_HUB_CACHE", "its models, used in place [default: HF_HOME/hub]"),
    variable("HF_ENDPOINT", "address of a mirror of the hub"),
    variable("HF_HUB_OFFLINE", "1: do not ask the hub"),
    variable("HTTPS_PROXY", "proxy for downloads; also ALL_PROXY and NO_PROXY"),
    variable("NO_COLOR", "any text: no colours"),
    variable("XDG_CACHE_HOME", "parent of akunu's folder where AKUNU_CACHE is not set"),
    variable("HOME", "parent of .cache otherwise (macOS: Library/Caches)"),
    variable("USERPROFILE", "the same on Windows, for Hugging Face's folder"),
    variable("LOCALAPPDATA", "parent of akunu's folder on Windows"),
    variable("CUDA_VISIBLE_DEVICES", "GPUs to use; --device cuda:N counts them from 0"),
    variable("CUDA_HOME", "CUDA toolkit, searched for NVRTC"),
    variable("CUDA_PATH", "the same, as Windows has it"),
    variable("VIRTUAL_ENV", "Python environment, searched for NVRTC's package"),
    variable("PATH", "pip, and Pythons searched for NVRTC's package"),
];

/// A help text with the list after it.
pub(crate) fn after(help: &str) -> String {
    let width = VARIABLES.iter().map(|v| v.name.len()).max().unwrap_or(0);
    let lines = VARIABLES.iter().map(|v| format!("\n  {:<width$}  {}", v.name, v.about));
    format!("{help}\n\nEnvironment (an empty variable counts as not set):{}", lines.collect::<String>())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// Looked up by the HTTP client, not by our sources.
    const IN_LIBRARIES: &[&str] = &["HTTPS_PROXY"];

    /// Every source file of the rooms.
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() {
                sources(&entry, found);
            } else if entry.extension().is_some_and(|e| e == "rs") {
                found.push(entry);
            }
        }
    }

    /// Text in quotes that could be a variable's name, in code that runs outside tests.
    fn names(code: &str) -> impl Iterator<Item = &str> {
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        code.lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .flat_map(|line| line.split('"').skip(1).step_by(2))
            .filter(|s| s.len() > 2 && s.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'))
    }

    #[test]
    fn the_list_is_what_the_sources_read() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for room in std::fs::read_dir(crates).unwrap().map(|e| e.unwrap().path()) {
            sources(&room.join("src"), &mut files);
        }
        let mut read = BTreeSet::new();
        for file in files.iter().filter(|f| !f.ends_with("environment.rs")) {
            let code = std::fs::read_to_string(file).unwrap();
            // A name is looked up where it stands, or is a constant for it.
            let looks_up = code.contains("env::var") || code.contains("env::vars");
            let constants = code.lines().filter(|l| l.contains("_VAR: &str"));
            let here = if looks_up { names(&code).collect::<Vec<_>>() } else { Vec::new() };
            read.extend(here.into_iter().chain(constants.flat_map(names)).map(str::to_owned));
        }
        // What cargo sets while it builds is not the user's.
        read.retain(|name| !name.starts_with("CARGO_"));
        let ours = VARIABLES.iter().filter(|v| !IN_LIBRARIES.contains(&v.name));
        let listed: BTreeSet<String> = ours.map(|v| v.name.to_owned()).collect();
        assert_eq!(read, listed, "left: read by the sources; right: listed here");
        assert!(names("let x = var(\"A_B\"); // \"C_D\"\n// \"E_F\"").eq(["A_B", "C_D"]));
    }

    #[test]
    fn the_help_fits_a_small_terminal_and_names_each_once() {
        let help = after("Before.");
        assert!(help.starts_with("Before.\n\nEnvironment"));
        for v in VARIABLES {
            assert_eq!(help.lines().filter(|l| l.split_whitespace().next() == Some(v.name)).count(), 1);
        }
        assert!(help.lines().all(|l| l.len() < 80), "{help}");
    }
}
