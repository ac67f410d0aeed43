//! The options that say where and how large to run. A command takes only the groups that concern it; all of them
//! end in one [`Machine`].

use super::choice;
use crate::error::CliError;
use akunu::files::quantize::Recipe;
use akunu::kernels::kv::KV_FORMATS;
use akunu::{KvFormat, Matrices};
use clap::Args;

/// Where and how large to run, as the commands use it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Machine {
    pub(crate) device: Device,
    /// `-ngl N` with an N that says "the GPU" only of models with at most so many layers.
    pub(crate) gpu_layers: Option<u32>,
    pub(crate) threads: Option<u32>,
    pub(crate) ctx: Option<u32>,
    pub(crate) cache_type_k: Option<KvFormat>,
    pub(crate) cache_type_v: Option<KvFormat>,
    pub(crate) no_repack: bool,
    pub(crate) matrices: Matrices,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Device {
    /// The best device of this machine.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU, by its number.
    Cuda(u32),
    /// A GPU with Vulkan, by its number.
    Vulkan(u32),
    /// A GPU with Metal, by its number.
    Metal(u32),
    /// Nothing is computed; for measuring the host's own work.
    Null,
}

/// What `-ngl` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GpuLayers {
    /// Whatever is best.
    Auto,
    /// No layer: the CPU.
    None,
    /// Every layer.
    All,
    /// So many, which is every layer of a model that has no more.
    AtMost(u32),
}

/// Which device runs it.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Machine")]
pub(crate) struct Placement {
    /// auto (the best one here), cpu, cuda (the first NVIDIA GPU), cuda:N (another, as `akunu doctor` numbers them), vulkan or
    /// vulkan:N (any maker's GPU, through Vulkan), metal or metal:N (Apple's; not yet run on one), or null (computes nothing: the host's
    /// own work) [default: auto].
    #[arg(long, default_value = "auto", hide_possible_values = true, hide_default_value = true)]
    #[arg(value_parser = choice(device, devices))]
    device: Device,
    /// Layers on the GPU, also as -ngl: 0 is the CPU, 99 or all the GPU.
    #[arg(long, value_name = "N", aliases = ["n-gpu-layers", "num-gpu"], value_parser = gpu_layers)]
    gpu_layers: Option<GpuLayers>,
}

/// How many threads compute.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Machine")]
pub(crate) struct Threads {
    /// CPU worker threads [default: one for each performance core that the system grants; `akunu doctor` explains].
    #[arg(long, short = 't', value_name = "N", aliases = ["num-thread"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
}

/// How much is kept in memory, and how.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Machine")]
pub(crate) struct Memory {
    /// Context length in tokens [default, also as 0: what the model was trained for, or what fits].
    #[arg(long, short = 'c', value_name = "N", aliases = ["ctx-size", "num-ctx"])]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=1 << 24))]
    ctx: Option<u32>,
    /// Format of the K cache, also as -ctk: f16, bf16, q8_0 or (on the CPU) f32 [default: f16].
    #[arg(long, value_name = "TYPE", value_parser = choice(cache_type, cache_types), hide_possible_values = true)]
    cache_type_k: Option<KvFormat>,
    /// Format of the V cache, also as -ctv [default: f16].
    #[arg(long, value_name = "TYPE", value_parser = choice(cache_type, cache_types), hide_possible_values = true)]
    cache_type_v: Option<KvFormat>,
}

/// Where the weights lie.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Machine")]
pub(crate) struct Weights {
    /// Leave the weights in their file (CPU only): for models larger than the memory; several times slower.
    #[arg(long)]
    no_repack: bool,
    /// Bring matrices of 16 and 32 bits to a format of `akunu convert` while they are read, such as q8_0 or q4_k_m; file leaves them as
    /// they are [default: file; for the layers of models of embeddings and of speech on CPUs q8_0, with matrix units f16].
    #[arg(long, value_name = "DTYPE", value_parser = choice(matrices, formats), hide_possible_values = true)]
    dtype: Option<Matrices>,
}

/// All of them, for the commands that run a model.
#[derive(Args, Debug, Clone)]
pub(crate) struct Whole {
    #[command(flatten)]
    pub(crate) placement: Placement,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) memory: Memory,
    #[command(flatten)]
    pub(crate) weights: Weights,
}

impl Machine {
    /// With a device. `-ngl` must not contradict it.
    pub(crate) fn on(mut self, p: &Placement) -> Result<Self, CliError> {
        let contradiction = |layers: &str, device: &str| {
            Err(CliError::Usage(format!(
                "-ngl {layers} asks for another device than --device {device}; leave one of them out"
            )))
        };
        self.device = match (p.gpu_layers, p.device) {
            (None | Some(GpuLayers::Auto), device) | (_, device @ Device::Null) => device,
            (Some(GpuLayers::None), Device::Cuda(_)) => return contradiction("0", "cuda"),
            (Some(GpuLayers::None), Device::Vulkan(_)) => return contradiction("0", "vulkan"),
            (Some(GpuLayers::None), Device::Metal(_)) => return contradiction("0", "metal"),
            (Some(GpuLayers::None), _) => Device::Cpu,
            (Some(GpuLayers::All | GpuLayers::AtMost(_)), Device::Cpu) => return contradiction("N", "cpu"),
            (Some(layers @ (GpuLayers::All | GpuLayers::AtMost(_))), device) => {
                if let GpuLayers::AtMost(n) = layers {
                    self.gpu_layers = Some(n);
                }
                if matches!(device, Device::Auto) { Device::Cuda(0) } else { device }
            }
        };
        Ok(self)
    }

    /// With a number of threads.
    pub(crate) fn threads(mut self, t: &Threads) -> Self {
        self.threads = t.threads;
        self
    }

    /// With a context and its cache.
    pub(crate) fn memory(mut self, m: &Memory) -> Self {
        self.ctx = m.ctx.filter(|n| *n > 0);
        self.cache_type_k = m.cache_type_k;
        self.cache_type_v = m.cache_type_v;
        self
    }

    /// With a place for the weights.
    pub(crate) fn weights(mut self, w: &Weights) -> Self {
        self.no_repack = w.no_repack;
        self.matrices = w.dtype.unwrap_or_default();
        self
    }

    /// With all of it.
    pub(crate) fn whole(w: &Whole) -> Result<Self, CliError> {
        Ok(Self::default().on(&w.placement)?.threads(&w.threads).memory(&w.memory).weights(&w.weights))
    }
}

/// A device as people write it, `CUDA1` as llama.cpp does among them.
fn device(s: &str) -> Result<Device, String> {
    let lower = s.to_ascii_lowercase();
    let (name, number) = match lower.split_once(':') {
        Some((name, number)) => (name, Some(number)),
        None => {
            let numbered = |name: &'static str| {
                let n = lower.strip_prefix(name)?;
                n.starts_with(|c: char| c.is_ascii_digit()).then_some((name, Some(n)))
            };
            ["cuda", "vulkan", "metal"].into_iter().find_map(numbered).unwrap_or((&lower, None))
        }
    };
    let number_of = |name, n: &str| match n.parse() {
        Ok(number) if n.bytes().all(|b| b.is_ascii_digit()) => Ok(number),
        _ => Err(format!("after `{name}:` comes a GPU's number, 0 for the first; `akunu doctor` lists them")),
    };
    match (name, number) {
        ("auto", None) => Ok(Device::Auto),
        ("cpu" | "none", None) => Ok(Device::Cpu),
        ("null", None) => Ok(Device::Null),
        ("cuda" | "gpu", None) => Ok(Device::Cuda(0)),
        ("cuda" | "gpu", Some(n)) => Ok(Device::Cuda(number_of("cuda", n)?)),
        ("vulkan", None) => Ok(Device::Vulkan(0)),
        ("vulkan", Some(n)) => Ok(Device::Vulkan(number_of("vulkan", n)?)),
        ("metal", None) => Ok(Device::Metal(0)),
        ("metal", Some(n)) => Ok(Device::Metal(number_of("metal", n)?)),
        ("cpu", Some(_)) => Err("the CPU has no number; --threads says how much of it works".into()),
        _ => {
            let all = devices().join(", ");
            Err(format!("choose one of {all}, or cuda:N, vulkan:N or metal:N for the GPU of that number"))
        }
    }
}

fn devices() -> Vec<&'static str> {
    vec!["auto", "cpu", "cuda", "vulkan", "metal", "null"]
}

fn gpu_layers(s: &str) -> Result<GpuLayers, String> {
    match (s.to_ascii_lowercase().as_str(), s.parse()) {
        ("auto", _) => Ok(GpuLayers::Auto),
        // Nobody counts: these say "all of them" in other programs' scripts.
        ("all" | "-1" | "99" | "999", _) => Ok(GpuLayers::All),
        (_, Ok(0)) => Ok(GpuLayers::None),
        (_, Ok(n)) => Ok(GpuLayers::AtMost(n)),
        _ => Err("choose 0 (the CPU), 99 or all (the GPU), or auto".into()),
    }
}

fn cache_type(s: &str) -> Result<KvFormat, String> {
    KvFormat::parse(s).ok_or_else(|| format!("choose one of {}", cache_types().join(", ")))
}

fn matrices(s: &str) -> Result<Matrices, String> {
    match s.to_ascii_lowercase().as_str() {
        "auto" => Ok(Matrices::Auto),
        "file" => Ok(Matrices::File),
        name => Recipe::parse(name)
            .map(Matrices::Recipe)
            .ok_or_else(|| format!("choose auto, file or one of {}", formats()[2..].join(", "))),
    }
}

fn formats() -> Vec<&'static str> {
    ["auto", "file"].into_iter().chain(Recipe::names()).collect()
}

fn cache_types() -> Vec<&'static str> {
    KV_FORMATS.iter().map(|f| f.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_on_the_gpu_choose_the_device() {
        let on = |device, layers: Option<&str>| {
            let gpu_layers = layers.map(|l| gpu_layers(l).unwrap_or_else(|e| unreachable!("{e}")));
            let machine = Machine::default().on(&Placement { device, gpu_layers });
            machine.ok().map(|m| (m.device, m.gpu_layers))
        };
        for all in ["99", "-1", "all", "ALL", "999"] {
            assert_eq!(on(Device::Auto, Some(all)), Some((Device::Cuda(0), None)), "{all}");
        }
        assert_eq!(on(Device::Auto, None), Some((Device::Auto, None)));
        assert_eq!(on(Device::Auto, Some("auto")), Some((Device::Auto, None)));
        assert_eq!(on(Device::Auto, Some("0")), Some((Device::Cpu, None)));
        assert_eq!(on(Device::Auto, Some("20")), Some((Device::Cuda(0), Some(20))));
        assert_eq!(on(Device::Cuda(0), Some("20")), Some((Device::Cuda(0), Some(20))));
        assert_eq!(on(Device::Cpu, Some("0")), Some((Device::Cpu, None)));
        assert_eq!(on(Device::Cuda(3), Some("99")), Some((Device::Cuda(3), None)));
        assert_eq!(on(Device::Cuda(3), Some("20")), Some((Device::Cuda(3), Some(20))));
        assert_eq!(on(Device::Cuda(3), Some("0")), None);
        assert_eq!(on(Device::Vulkan(1), Some("99")), Some((Device::Vulkan(1), None)));
        assert_eq!(on(Device::Vulkan(1), Some("0")), None);
        assert_eq!(on(Device::Cpu, Some("99")), None);
        assert_eq!(on(Device::Cuda(0), Some("0")), None);
        for bad in ["-2", "half", "", "1.5"] {
            assert!(gpu_layers(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_gpu_has_a_number() {
        for (text, want) in [
            ("auto", Device::Auto),
            ("CPU", Device::Cpu),
            ("none", Device::Cpu),
            ("null", Device::Null),
            ("cuda", Device::Cuda(0)),
            ("GPU", Device::Cuda(0)),
            ("cuda:0", Device::Cuda(0)),
            ("cuda:1", Device::Cuda(1)),
            ("Cuda:12", Device::Cuda(12)),
            ("gpu:2", Device::Cuda(2)),
            ("CUDA3", Device::Cuda(3)),
            ("cuda:4294967295", Device::Cuda(u32::MAX)),
            ("vulkan", Device::Vulkan(0)),
            ("Vulkan:1", Device::Vulkan(1)),
            ("Vulkan0", Device::Vulkan(0)),
            ("metal", Device::Metal(0)),
            ("Metal:1", Device::Metal(1)),
            ("Metal0", Device::Metal(0)),
        ] {
            assert_eq!(device(text), Ok(want), "{text}");
        }
        let numbers = [
            "cuda:",
            "cuda:x",
            "cuda:-1",
            "cuda:+1",
            "cuda: 1",
            "cuda:1:2",
            "cuda:99999999999",
            "cuda1x",
            "vulkan:",
            "vulkan:-1",
            "metal:",
            "vulkan2x",
        ];
        for bad in numbers {
            assert!(device(bad).is_err_and(|e| e.contains("akunu doctor")), "{bad}");
        }
        assert!(device("cpu:1").is_err_and(|e| e.contains("--threads")));
        for bad in ["", ":", ":1", "cud", "cudax", "auto:1", "null:0", "metall"] {
            assert!(device(bad).is_err_and(|e| e.contains("cuda:N")), "{bad}");
        }
    }
}
