//! How a Vulkan device gets a kernel: SPIR-V with specialization constants, and launch geometry, as plain data. No Vulkan
//! interface is used here; the device makes pipelines and launches.
//!
//! A kernel's text is a prelude (`sources.rs`) followed by its own file in Slang (`tools/vulkan-kernels.sh` compiles all of them). The
//! contract's constants are specialization constants 0, 1, ... in their order, so one SPIR-V serves every shape and format.
//! All that a launch is given is in its push constants: the address of each binding in order, 8 bytes each, then the
//! parameter struct. Binding 0 is the step block; where its stop word is set a kernel returns at once.
//!
//! Kernels use no subgroup operations: sums go through shared memory in one order, so their bits do not depend on the
//! width of subgroups. Those on matrix units, a second SPIR-V of a contract for tables of many rows, are made for subgroups of 32.

mod sources;

pub use sources::{Metal, SOURCES, Source};

use crate::draft::Draft;
use crate::error::KernelError;
use crate::pick::Pick;
use crate::sampler::{Bias, LogProbs, Sampler};
use crate::step::{Head, Header, Row, Seq};
use crate::words::{Field, Kind};

/// Invocations of a kernel's workgroup, but for some.
pub const INVOCATIONS: u32 = 64;
/// Invocations where one workgroup does all of a row's work.
pub const WIDE: u32 = 256;
/// Invocations of attention on matrix units: four subgroups of 32.
pub const UNITS: u32 = 128;
/// Bytes of shared memory that they use.
pub const UNITS_SHARED: u32 = 40 << 10;
/// Workgroups in each direction that every device can launch.
pub const MOST_GROUPS: u32 = 65_535;
/// Bytes of push constants that every device has.
pub const PUSH_BYTES: u32 = 128;

/// A device, as far as kernels depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chip {
    /// Invocations of a subgroup.
    pub subgroup: u32,
    /// What multiplies matrices.
    pub matrices: Matrices,
}

/// Units for products of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrices {
    /// None, or none that the kernels use.
    None,
    /// A subgroup of 32 multiplies two matrices of 16 by 16 in f16 and adds up in f32.
    F16,
}

/// A kernel for given constants: its code and how many workgroups run it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct VulkanLaunch {
    /// SPIR-V, whose entry point is `main`.
    pub code: &'static [u8],
    /// Workgroups.
    pub groups: [u32; 3],
    /// Invocations of each.
    pub invocations: u32,
    /// What runs after all of that, with the same arguments.
    pub then: Option<Pass>,
}

/// A command's second pass.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// SPIR-V, whose entry point is `main`.
    pub code: &'static [u8],
    /// The same for Metal.
    pub metal: &'static str,
    /// Workgroups.
    pub groups: [u32; 3],
    /// Invocations of each.
    pub invocations: u32,
}

/// Without the code.
impl std::fmt::Debug for VulkanLaunch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VulkanLaunch").field("groups", &self.groups).finish_non_exhaustive()
    }
}

/// Chooses the version for constants, and its geometry on a device.
pub type VulkanPick = fn(consts: &[u32], chip: &Chip) -> Result<VulkanLaunch, KernelError>;

impl VulkanLaunch {
    /// So many workgroups, but at most [`MOST_GROUPS`] a direction; for kernels that go round for the rest.
    pub(crate) fn around(code: &'static [u8], x: u32, y: u32) -> Self {
        let groups = [x.clamp(1, MOST_GROUPS), y.clamp(1, MOST_GROUPS), 1];
        Self { code, groups, invocations: INVOCATIONS, then: None }
    }

    /// So many workgroups; refuses more than a device launches.
    pub(crate) fn new(
        kernel: &'static str,
        code: &'static [u8],
        x: u32,
        y: u32,
    ) -> Result<Self, KernelError> {
        if x.max(y) > MOST_GROUPS {
            let what = format!("{x} x {y} workgroups on Vulkan or Metal; at most {MOST_GROUPS} each");
            return Err(KernelError::Unsupported { kernel, what });
        }
        Ok(Self::around(code, x, y))
    }
}

/// Refuses an output format that no Vulkan kernel writes.
pub(crate) fn check_act(kernel: &'static str, act: u32) -> Result<(), KernelError> {
    use crate::act::ActFormat;
    match ActFormat::from_word(act) {
        Some(ActFormat::F32 | ActFormat::F16 | ActFormat::Bf16 | ActFormat::Q16Aligned) => Ok(()),
        _ => Err(KernelError::Unsupported {
            kernel,
            what: format!("activation format {act} on Vulkan or Metal"),
        }),
    }
}

/// Refuses heads that do not fit the shared memory and registers of the kernels.
pub(crate) fn check_head(kernel: &'static str, head_dim: u32) -> Result<(), KernelError> {
    if head_dim <= 512 {
        return Ok(());
    }
    Err(KernelError::Unsupported {
        kernel,
        what: format!("heads of {head_dim} on Vulkan or Metal; at most 512"),
    })
}

fn threads(invocations: u32) -> String {
    format!("static const uint THREADS = {invocations};\n")
}

/// The shared structs.
pub fn shared() -> String {
    let structs = [
        ("Header", Header::FIELDS),
        ("Seq", Seq::FIELDS),
        ("Row", Row::FIELDS),
        ("Head", Head::FIELDS),
        ("Pick", Pick::FIELDS),
        ("Sampler", Sampler::FIELDS),
        ("Bias", Bias::FIELDS),
        ("LogProbs", LogProbs::FIELDS),
        ("Draft", Draft::FIELDS),
    ];
    let mut text = String::new();
    for (name, fields) in structs {
        text = text + "struct " + name + " {\n";
        declare(&mut text, fields);
        text += "};\n";
    }
    text
}

/// Fields as Slang has them.
fn declare(text: &mut String, fields: &[Field]) {
    for Field { name, kind, .. } in fields {
        *text += &match kind {
            Kind::U32 => format!("    uint {name};\n"),
            Kind::U64 => format!("    uint64_t {name};\n"),
            Kind::F32 => format!("    float {name};\n"),
            Kind::Words(n) => format!("    uint {name}[{n}];\n"),
            Kind::Numbers(n) => format!("    float {name}[{n}];\n"),
            Kind::Struct(inner) => {
                declare(text, inner);
                continue;
            }
        };
    }
}

/// Tokens, and steps, that the page of a queue holds.
pub const RING: u32 = 1 << 16;
/// SPIR-V of what a device runs before the first step of a submission.
pub const BEGIN: &[u8] = include_bytes!("begin.spv");
/// SPIR-V of what it runs after each step.
pub const STEP_END: &[u8] = include_bytes!("step_end.spv");

/// The texts of a device's own commands, with their names. They know the step block's header and nothing else of a table.
pub fn control() -> [(&'static str, String); 2] {
    let words = |names: &[&str]| names.iter().map(|n| format!("    uint {n};\n")).collect::<String>();
    let limits = [
        "rows",
        "head_rows",
        "positions",
        "consecutive",
        "entries",
        "blocks",
        "window_entries",
        "window_blocks",
        "seqs_cap",
        "heads_at",
        "heads_cap",
        "several",
    ];
    let text = |args: String, own: &str| {
        let args =
            format!("struct Args {{\n    Header* step;\n    uint* control;\n    uint* page;\n{args}}};\n");
        let push = "[[vk::push_constant]] ConstantBuffer<Args> args;\n";
        threads(INVOCATIONS)
            + &shared()
            + &args
            + push
            + &format!("static const uint RING = {RING};\n")
            + include_str!("prelude.slang")
            + own
    };
    let tables = "    uint* table;\n    uint* windows;\n".to_owned();
    [
        ("begin", text(tables + &words(&limits), include_str!("begin.slang"))),
        ("step_end", text(String::new(), include_str!("step_end.slang"))),
    ]
}
