//! The persistent form of a one-row table: one kernel that runs steps by itself (persistent.cu), made of what each
//! operation says about how it takes part. Here a table becomes that kernel's text, a list of records for its commands,
//! each block's share of their outputs, and the buffers that commands hand values on in. No operation is named.

use super::compile::Source;
use super::context::{Address, Context};
use super::{Options, compile, stream};
use crate::DeviceError;
use akunu_kernels::cuda::persistent::{
    ARGS, Arrivals, ENGINE, FIXED, FORMATS, Hand, MAX_STAGES, Persistent, STAGE, Stream,
};
use akunu_kernels::cuda::{Gpu, PRELUDE};
use akunu_plan::VerifiedTable;
use akunu_plan::table::{Binding, RegionKind};
use std::fmt::Write;
use std::sync::Arc;

/// Steps after which a launch ends, so that kernels of other streams get their turn.
const LAUNCH_STEPS: u32 = 64;
/// Words of a command's record.
const RECORD: usize = 7 + ARGS;
/// Addresses are kept in units of this many bytes.
const UNIT: u64 = 64;
/// Bytes from counter to counter.
const COUNTER: u64 = 128;
/// No counter to wait for.
const NONE: u32 = u32::MAX;

/// Where a binding lies.
#[derive(Clone, Copy)]
enum Arg {
    /// In its region, at this offset.
    Region(u32, u64),
    /// In the carried values, at this unit of either copy.
    Carried(u32),
    /// In the part of them that each block has for itself.
    Own(u32),
}

/// One command.
struct Record {
    kind: u32,
    hint: u32,
    arrivals: u32,
    param: u32,
    args: Vec<Arg>,
}

/// A table in the persistent form, before it has addresses.
pub(super) struct Layout {
    pub(super) source: Source,
    pub(super) shared: u32,
    pub(super) blocks: u32,
    records: Vec<Record>,
    /// `[commands, blocks + 1]`.
    shares: Vec<u32>,
    /// Units of a copy's common part, and of each block's part behind it.
    common: u32,
    own: u32,
}

/// What the kernel needs in memory, with its addresses written into it.
pub(super) struct Tables {
    pub(super) state: Address,
    pub(super) records: Address,
    pub(super) shares: Address,
    pub(super) counters: Address,
    /// Kept for its address.
    _carried: Address,
    pub(super) base: u64,
}

/// A range that carries values at this point of the table.
struct Live {
    binding: Binding,
    arg: Arg,
    writer: u32,
}

fn overlap(a: &Binding, b: &Binding) -> bool {
    a.region == b.region && a.offset < b.offset + b.len && b.offset < a.offset + a.len
}

impl Layout {
    /// The form of a table; `None` where it has none: a command does not take part, or hands on what cannot be carried.
    pub(super) fn new(table: &VerifiedTable, gpu: &Gpu, options: Options) -> Option<Self> {
        if !options.persistent || !gpu.hopper() || table.rows != 1 || table.head_rows > 1 {
            return None;
        }
        let picks: Option<Vec<Persistent>> =
            table.kernels.iter().map(|k| k.kernel.persistent.and_then(|p| p(&k.consts, gpu))).collect();
        let picks = picks?;
        // The end of a step is what keeps two steps apart.
        if !table.commands.last().is_some_and(|c| picks[c.kernel as usize].gathers) {
            return None;
        }
        let mut layout = Self {
            source: Source { name: "persistent", text: String::new() },
            shared: 0,
            blocks: gpu.multiprocessors,
            records: Vec::with_capacity(table.commands.len()),
            shares: Vec::new(),
            common: 0,
            own: 0,
        };
        let mut live = Vec::new();
        for i in 0..table.commands.len() {
            let record = layout.record(table, &picks, i, &mut live)?;
            layout.records.push(record);
        }
        let streams = table.commands.iter().map(|c| picks[c.kernel as usize].stream);
        layout.shares = shares(streams, gpu.multiprocessors);
        layout.write(&picks, gpu, options).then_some(layout)
    }

    /// Command `i`, and what it does to the carried ranges.
    fn record(
        &mut self,
        table: &VerifiedTable,
        picks: &[Persistent],
        i: usize,
        live: &mut Vec<Live>,
    ) -> Option<Record> {
        let kind = table.commands[i].kernel;
        let (bindings, params) = (table.bindings_of(i), table.params_of(i));
        let hands = &picks[kind as usize].hands;
        if bindings.len() != hands.len() || hands.len() > ARGS || params.len() > 1 {
            return None;
        }
        let (mut args, mut made) = (Vec::with_capacity(hands.len()), Vec::new());
        let (mut hint, mut arrivals) = (NONE, 0);
        for (b, hand) in bindings.iter().zip(hands) {
            args.push(match *hand {
                Hand::Place => {
                    let scratch = table.regions[b.region.0 as usize].kind == RegionKind::Scratch;
                    if scratch && live.iter().any(|l| overlap(&l.binding, b)) {
                        return None;
                    }
                    Arg::Region(b.region.0, b.offset)
                }
                Hand::In => {
                    let of = live.iter().find(|l| overlap(&l.binding, b))?;
                    if of.binding.offset != b.offset || of.binding.len != b.len {
                        return None;
                    }
                    let count = match picks[table.commands[of.writer as usize].kernel as usize].arrivals {
                        Arrivals::None => 0,
                        Arrivals::Blocks => self.blocks,
                        Arrivals::Count(n) => n,
                    };
                    if hint == NONE && count != 0 && matches!(of.arg, Arg::Carried(_)) {
                        (hint, arrivals) = (of.writer, count);
                    }
                    of.arg
                }
                Hand::Out { words } => {
                    let at = self.common;
                    self.common = at.checked_add(words.div_ceil(UNIT as u32 / 4))?;
                    made.push((*b, Arg::Carried(at)));
                    Arg::Carried(at)
                }
                Hand::Own { words } => {
                    let at = self.own;
                    self.own = at.checked_add(words.div_ceil(UNIT as u32 / 4))?;
                    made.push((*b, Arg::Own(at)));
                    Arg::Own(at)
                }
            });
        }
        for (binding, arg) in made {
            live.retain(|l| !overlap(&l.binding, &binding));
            live.push(Live { binding, arg, writer: i as u32 });
        }
        Some(Record { kind, hint, arrivals, param: params.first().copied().unwrap_or(0), args })
    }

    /// Units of one copy of the carried values.
    fn parity(&self) -> u64 {
        u64::from(self.common) + u64::from(self.own) * u64::from(self.blocks)
    }

    /// The kernel's text, and how much shared memory it takes; false if its ring would be too short.
    fn write(&mut self, picks: &[Persistent], gpu: &Gpu, options: Options) -> bool {
        let row = picks.iter().filter_map(|p| p.stream).map(|s| s.row_bytes).max().unwrap_or(0);
        let stage = row.next_multiple_of(128).max(STAGE);
        let scratch = picks.iter().map(|p| p.scratch).max().unwrap_or(0).next_multiple_of(64).max(64);
        let commands = self.records.len() as u32;
        let beside = FIXED + scratch + commands * (RECORD as u32 * 4);
        let stages = (gpu.shared.saturating_sub(beside) / stage).min(MAX_STAGES);
        let Ok(parity) = u32::try_from(self.parity()) else { return false };
        if stages < 3 {
            return false;
        }
        self.shared = stages * stage + beside;
        let mut text = compile::head(gpu, options);
        for (name, value) in [
            ("RING", stream::RING as u32),
            ("STAGE", stage),
            ("STAGES", stages),
            ("COMMANDS", commands),
            ("PARITY", parity),
            ("PRIVATE", self.own),
            ("SCRATCH", scratch),
            ("SHARED", self.shared),
            ("LAUNCH_STEPS", LAUNCH_STEPS),
        ] {
            let _ = writeln!(text, "#define {name} {value}u");
        }
        text.push_str(PRELUDE);
        FORMATS.iter().for_each(|f| text.push_str(f));
        text.push_str(ENGINE);
        let mut told: Vec<&str> = Vec::new();
        for p in picks {
            if !told.contains(&p.source) {
                told.push(p.source);
                text.push_str(p.source);
            }
        }
        text.push_str("\nDEVICE void run_command(Worker& w, const Command& c) {\n    switch (c.kind) {\n");
        for (i, p) in picks.iter().enumerate() {
            let _ = writeln!(text, "    case {i}: {}::run(w, c); break;", p.call);
        }
        text.push_str("    }\n}\n\nDEVICE void send_command(Producer& p, const Command& c, u64 base) {\n    switch (c.kind) {\n");
        for (i, p) in picks.iter().enumerate().filter(|(_, p)| p.stream.is_some()) {
            let call = &p.call;
            let weights = format!("reinterpret_cast<const u8*>(base + (u64)c.args[{call}::WEIGHTS] * 64)");
            let _ = writeln!(text, "    case {i}: {call}::send(p, c, {weights}); break;");
        }
        text.push_str("    }\n}\n\n");
        text.push_str(include_str!("control.cuh"));
        text.push_str(include_str!("persistent.cu"));
        self.source.text = text;
        true
    }

    /// Allocates and fills what the kernel needs; `None` where addresses lie too far apart for a record.
    pub(super) fn place(
        &self,
        context: &Arc<Context>,
        regions: &[(u64, u64)],
    ) -> Result<Option<Tables>, DeviceError> {
        let d = context.enter()?;
        let carried = Address::new(context, "carried values", 2 * self.parity() * UNIT)?;
        // SAFETY: the range just allocated.
        unsafe { d.fill8(carried.at, 0xff, carried.bytes as usize)? };
        let starts = regions.iter().map(|r| r.0).chain([carried.at]);
        let base = starts.min().unwrap_or(0) / UNIT * UNIT;
        let ends = regions.iter().map(|r| r.0 + r.1).chain([carried.at + carried.bytes]);
        if ends.max().unwrap_or(0) - base >= u64::from(u32::MAX) * UNIT {
            return Ok(None);
        }
        let unit = |at: u64| ((at - base) / UNIT) as u32;
        let mut words = Vec::with_capacity(self.records.len() * RECORD);
        for (i, r) in self.records.iter().enumerate() {
            // The second word says which arguments are a block's own, until the block puts its share there.
            let own = r.args.iter().enumerate().filter(|(_, a)| matches!(a, Arg::Own(_)));
            let own = own.fold(0u32, |m, (j, _)| m | 1 << j);
            words.extend([r.kind, own, 0, r.hint, r.arrivals, i as u32, r.param]);
            words.extend(r.args.iter().map(|a| match *a {
                Arg::Region(region, offset) => unit(regions[region as usize].0 + offset),
                Arg::Carried(at) => unit(carried.at) + at,
                Arg::Own(at) => unit(carried.at) + self.common + at,
            }));
            words.resize((i + 1) * RECORD, 0);
        }
        let filled = |name, words: &[u32]| -> Result<Address, DeviceError> {
            let a = Address::new(context, name, words.len() as u64 * 4)?;
            // SAFETY: as many bytes as were allocated.
            unsafe { d.copy_in(a.at, words.as_ptr().cast(), words.len() * 4)? };
            Ok(a)
        };
        Ok(Some(Tables {
            state: Address::new(context, "persistent state", 64)?,
            records: filled("records", &words)?,
            shares: filled("shares", &self.shares)?,
            counters: Address::new(context, "counters", self.records.len() as u64 * COUNTER)?,
            _carried: carried,
            base,
        }))
    }
}

/// Where each block's outputs begin. Rows are whole, so a block gets a little more of one command and less of the next:
/// what it was given so far is as near to its even part as rows allow, and all blocks' rings stay abreast.
fn shares(streams: impl Iterator<Item = Option<Stream>>, blocks: u32) -> Vec<u32> {
    let n = blocks as usize;
    let mut out = Vec::new();
    let mut given = vec![0f64; n];
    for stream in streams {
        let Some(Stream { outputs, halves, row_bytes }) = stream else {
            out.resize(out.len() + n + 1, 0);
            continue;
        };
        let bytes = f64::from(halves) * f64::from(row_bytes);
        let even = (given.iter().sum::<f64>() + f64::from(outputs) * bytes) / f64::from(blocks);
        let wants: Vec<f64> = given.iter().map(|g| (even - g).max(0.0)).collect();
        let all: f64 = wants.iter().sum();
        let (mut at, mut sum) = (0u32, 0f64);
        out.push(0);
        for (want, given) in wants.iter().zip(&mut given) {
            sum += want;
            let share = if all > 0.0 { sum / all } else { 0.0 };
            let end = ((share * f64::from(outputs)).round() as u32).clamp(at, outputs);
            *given += f64::from(end - at) * bytes;
            at = end;
            out.push(end);
        }
        // Rounding must not lose the last rows.
        if let Some(last) = out.last_mut() {
            *last = outputs;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_all_outputs_and_are_even() {
        let stream = |outputs, halves, row_bytes| Some(Stream { outputs, halves, row_bytes });
        let layer = [
            None,
            stream(3072, 1, 4096),
            stream(2048, 1, 4096),
            stream(8192, 2, 4096),
            stream(2048, 1, 16384),
        ];
        let all = layer.iter().cycle().take(80).copied();
        let out = shares(all.clone().chain([stream(7, 1, 4096)]), 132);
        assert_eq!(out.len(), 81 * 133);
        let mut given = vec![0i64; 132];
        for (stream, ends) in all.zip(out.chunks(133)) {
            assert_eq!(ends[0], 0);
            assert_eq!(ends[132], stream.map_or(0, |s| s.outputs));
            for (b, w) in ends.windows(2).enumerate() {
                assert!(w[0] <= w[1], "{ends:?}");
                given[b] += stream.map_or(0, |s| i64::from((w[1] - w[0]) * s.halves * s.row_bytes));
            }
            // Never further from even than a few of the longest rows.
            let mean = given.iter().sum::<i64>() / 132;
            assert!(given.iter().all(|g| (g - mean).abs() <= 3 * 16384), "{given:?}");
        }
    }
}
