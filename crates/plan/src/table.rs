//! The table: a dense vector of plain commands over named regions, and a cold vector of labels beside it.

pub use crate::region::{Region, RegionDecl, RegionId, RegionKind};
use crate::walk::{Ending, Steps};
use akunu_kernels::contract::{Access, Cost, Kernel, Load};
use akunu_kernels::step::{Capacity, RowCount};
use akunu_kernels::{Launch, Machine};
use bytemuck::{Pod, Zeroable};

/// A range of one of the table's arrays.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Span {
    /// First element.
    pub start: u32,
    /// Elements.
    pub len: u32,
}

impl Span {
    /// As a range of indices.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// One command: ids and ranges, never handles.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Command {
    /// Index into [`Table::kernels`].
    pub kernel: u32,
    /// Range of [`Table::bindings`].
    pub bindings: Span,
    /// Range of [`Table::params`].
    pub params: Span,
}

/// A kernel with its compile-time constants, and what it gave for them on the table's machine.
#[derive(Clone, Debug)]
pub struct KernelUse {
    /// The contract.
    pub kernel: &'static Kernel,
    /// Constants, in the contract's order.
    pub consts: Vec<u32>,
    /// Function or source, and geometry. A device lowers this.
    pub launch: Launch,
}

/// One bound range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The region.
    pub region: RegionId,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub len: u64,
    /// How the command touches it.
    pub access: Access,
}

/// What a command is for; never read while running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Layer, where it belongs to one.
    pub layer: Option<u32>,
    /// Group that profiles sum over (`attention.qkv`).
    pub group: &'static str,
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.layer {
            Some(l) => write!(f, "layers.{l}.{}", self.group),
            None => f.write_str(self.group),
        }
    }
}

/// A flat, immutable list of commands. Everything that changes from token to token is in the step block.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name (`decode`, `rows8`).
    pub name: String,
    /// The machine that its launches are for.
    pub machine: Machine,
    /// Rows it was built for; it serves any count up to this.
    pub rows: RowCount,
    /// Head rows it was built for.
    pub head_rows: RowCount,
    /// What it does with what it draws; with [`Ending::Accept`] several rows of a sequence may draw.
    pub ending: Ending,
    /// How many steps are submitted at once.
    pub steps: Steps,
    /// Sizes of the step block.
    pub capacity: Capacity,
    /// Blocks of the KV cache, where they are not as many as entries of the block table.
    pub kv_blocks: Option<u32>,
    /// Of those of windowed layers, where they have a pool of their own; else 0.
    pub window_blocks: u32,
    /// The program's regions.
    pub regions: Vec<RegionDecl>,
    /// Distinct kernels.
    pub kernels: Vec<KernelUse>,
    /// The commands, in order.
    pub commands: Vec<Command>,
    /// All bindings.
    pub bindings: Vec<Binding>,
    /// All parameter words.
    pub params: Vec<u32>,
    /// One label per command.
    pub labels: Vec<Label>,
}

impl Table {
    /// The bindings of command `i`.
    pub fn bindings_of(&self, i: usize) -> &[Binding] {
        &self.bindings[self.commands[i].bindings.range()]
    }

    /// The kernel of command `i`.
    pub fn kernel_of(&self, i: usize) -> &KernelUse {
        &self.kernels[self.commands[i].kernel as usize]
    }

    /// The parameter words of command `i`.
    pub fn params_of(&self, i: usize) -> &[u32] {
        &self.params[self.commands[i].params.range()]
    }

    /// The least work of command `i` under a load.
    pub fn cost_of(&self, i: usize, load: Load) -> Cost {
        let k = self.kernel_of(i);
        // A command of the rows that draw alone has their step block.
        let heads = self.bindings_of(i).first().is_some_and(|b| b.region == Region::HeadStep.id());
        let rows = if heads { load.head_rows } else { load.rows };
        (k.kernel.cost)(&k.consts, Load { rows, ..load })
    }

    /// The least work of one replay.
    pub fn cost(&self, load: Load) -> Cost {
        let mut sum = Cost::default();
        for i in 0..self.commands.len() {
            sum += self.cost_of(i, load);
        }
        sum
    }
}
