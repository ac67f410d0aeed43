//! # conformance: one suite for every device
//!
//! Tests over real files and over the fixtures of the f32 oracle (see `tools/oracle.py`). Tests that need a real
//! model are `#[ignore]`d with the script that fetches it; CI fetches and runs them.
#![forbid(unsafe_code)]

pub mod formula;
pub mod logits;
pub mod one_command;
pub mod windowed;

use akunu::Token;
use akunu::device::cpu::CpuDevice;
use akunu::device::cuda::CudaDevice;
use akunu::device::metal::emulator::{EmulatedDevice, Options as EmulatorOptions};
use akunu::device::vulkan::VulkanDevice;
use akunu::device::{Device, DeviceError};
use akunu::kernels::cpu::{LEVELS, Level};
use std::path::PathBuf;
use std::sync::Arc;

/// Where a test runs: the same function is a test on the CPU and one on a GPU ([`on_each_device!`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// On every level that this machine has, but the reference level, which the others are compared with.
    Cpu,
    /// On the first NVIDIA GPU.
    Gpu,
    /// On the first GPU with Vulkan, which may be a processor that plays one.
    Vulkan,
    /// On Metal's emulator.
    Metal,
}

/// A device, a CPU's with its level.
pub type DeviceAndLevel = (Arc<dyn Device>, Option<Level>);

impl On {
    /// The devices there.
    pub fn devices(self) -> Result<Vec<Arc<dyn Device>>, DeviceError> {
        Ok(self.devices_and_levels()?.into_iter().map(|(d, _)| d).collect())
    }

    /// The devices there, with their levels.
    pub fn devices_and_levels(self) -> Result<Vec<DeviceAndLevel>, DeviceError> {
        let mut all: Vec<DeviceAndLevel> = Vec::new();
        match self {
            Self::Gpu => all.push((Arc::new(CudaDevice::open(0)?), None)),
            Self::Vulkan => all.push((Arc::new(VulkanDevice::open(0)?), None)),
            Self::Metal => all.push((Arc::new(EmulatedDevice::emulated(EmulatorOptions::default())?), None)),
            Self::Cpu => {
                for level in LEVELS.iter().filter(|l| **l != Level::Reference && l.available()) {
                    all.push((Arc::new(CpuDevice::with_level(*level, Some(2))?), Some(*level)));
                }
            }
        }
        Ok(all)
    }
}

/// Makes two tests of each function `name(on: On)`: `name::cpu`, and `name::gpu`, which a machine without a GPU shows as
/// ignored. All tests that need a GPU are called `gpu` or `gpu_...`, so that scripts can pick them.
#[macro_export]
macro_rules! on_each_device {
    ($($name:ident),* $(,)?) => {$(
        mod $name {
            #[test]
            fn cpu() {
                super::$name($crate::On::Cpu);
            }

            #[test]
            #[ignore = "needs an NVIDIA GPU; tools/h200.sh"]
            fn gpu() {
                super::$name($crate::On::Gpu);
            }
        }
    )*};
}

/// [`on_each_device!`] with two more tests, `name::vulkan` and `name::metal`, likewise ignored: for what Vulkan has code for, and so
/// Metal, whose kernels have the same source.
#[macro_export]
macro_rules! on_each_device_and_vulkan {
    ($($name:ident),* $(,)?) => {$(
        mod $name {
            #[test]
            fn cpu() {
                super::$name($crate::On::Cpu);
            }

            #[test]
            #[ignore = "needs an NVIDIA GPU; tools/h200.sh"]
            fn gpu() {
                super::$name($crate::On::Gpu);
            }

            #[test]
            #[ignore = "needs a driver for Vulkan; tools/vulkan.sh"]
            fn vulkan() {
                super::$name($crate::On::Vulkan);
            }

            #[test]
            #[ignore = "needs clang and time; tools/metal.sh"]
            fn metal() {
                super::$name($crate::On::Metal);
            }
        }
    )*};
}

/// The user cache directory that `tools/fetch-model.sh` writes to.
pub fn cache_dir() -> PathBuf {
    let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
    var("AKUNU_CACHE")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("akunu")))
        .or_else(|| Some(var("HOME")?.join(".cache/akunu")))
        .unwrap_or_else(|| "akunu-cache".into())
}

/// The real SmolLM2-135M-Instruct in Q4_1; `AKUNU_MODEL` says where it lies when the tests run on another machine.
pub fn smollm2() -> PathBuf {
    if let Some(path) = std::env::var_os("AKUNU_MODEL").filter(|v| !v.is_empty()) {
        return path.into();
    }
    cache_dir().join("models/SmolLM2-135M-Instruct.Q4_1.gguf")
}

/// A committed fixture; `AKUNU_FIXTURES` says where they lie when the tests run on another machine.
pub fn fixture(name: &str) -> PathBuf {
    let moved = std::env::var_os("AKUNU_FIXTURES").map(PathBuf::from);
    moved.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures")).join(name)
}

/// A tiny random model with a tokenizer and a chat template, as a GGUF file's bytes. Its vocabulary: the 256 bytes,
/// every pair of lower-case letters, and holes up to 1,024. `eos` is its end-of-sequence token.
pub fn tiny_gguf(eos: Token) -> Result<Vec<u8>, akunu::files::ModelError> {
    tiny_gguf_of("tiny-llama:q8_0", eos)
}

/// [`tiny_gguf`] of another synthetic model with a vocabulary of 1,024.
pub fn tiny_gguf_of(spec: &str, eos: Token) -> Result<Vec<u8>, akunu::files::ModelError> {
    tiny_gguf_with(spec, eos, &[])
}

/// Control tokens of [`tiny_gguf_with`] that make a model of one that fills in the middle, by Qwen's names.
pub const FIM: [(Token, &str); 6] = [
    (Token(1000), "<|fim_prefix|>"),
    (Token(1001), "<|fim_suffix|>"),
    (Token(1002), "<|fim_middle|>"),
    (Token(1003), "<|fim_pad|>"),
    (Token(1004), "<|repo_name|>"),
    (Token(1005), "<|file_sep|>"),
];

/// The same with these control tokens in the place of holes of the vocabulary (932 to 1,023).
pub fn tiny_gguf_with(
    spec: &str,
    eos: Token,
    control: &[(Token, &str)],
) -> Result<Vec<u8>, akunu::files::ModelError> {
    let template = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{% if add_generation_prompt \
                    %}assistant: {% endif %}";
    tiny_gguf_chatting(spec, eos, control, template)
}

/// A chat template that knows tools, with calls as Hermes models write them.
pub const TOOLS_TEMPLATE: &str = "{% if tools %}Call as <tool_call>: {% for t in tools %}{{ t | tojson }}\n{% endfor %}{% endif \
                                  %}{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}{% if \
                                  add_generation_prompt %}assistant: {% endif %}";

/// The same with this chat template.
pub fn tiny_gguf_chatting(
    spec: &str,
    eos: Token,
    control: &[(Token, &str)],
    template: &str,
) -> Result<Vec<u8>, akunu::files::ModelError> {
    use akunu::files::gguf::write::{MetadataValue, Writer, write_source};
    let mut next = 0x100;
    let mut tokens: Vec<String> = (0..=255u32)
        .map(|b| {
            let printable = matches!(b, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
            let code = if printable { b } else { next };
            next += u32::from(!printable);
            char::from_u32(code).unwrap_or('?').to_string()
        })
        .collect();
    let mut merges = Vec::new();
    for (a, b) in ('a'..='z').flat_map(|a| ('a'..='z').map(move |b| (a, b))) {
        merges.push(format!("{a} {b}"));
        tokens.push(format!("{a}{b}"));
    }
    let mut types = vec![1i32; tokens.len()];
    while tokens.len() < 1024 {
        tokens.push(format!("[hole{}]", tokens.len()));
        types.push(5);
    }
    for (token, name) in control {
        if let (Some(text), Some(kind)) = (tokens.get_mut(token.index()), types.get_mut(token.index())) {
            (*text, *kind) = ((*name).to_owned(), 3);
        }
    }
    let writer = Writer::new()
        .metadata("tokenizer.ggml.model", "gpt2")
        .metadata("tokenizer.ggml.pre", "gpt-2")
        .metadata("tokenizer.ggml.tokens", MetadataValue::strings(tokens))
        .metadata("tokenizer.ggml.token_type", MetadataValue::i32s(types))
        .metadata("tokenizer.ggml.merges", MetadataValue::strings(merges))
        .metadata("tokenizer.ggml.eos_token_id", eos.0)
        .metadata("tokenizer.chat_template", template);
    let source = akunu::files::synthetic::Synthetic::parse(spec)?;
    write_source(&source, writer, Vec::new())
}
