//! Lowering: a verified table becomes one indirect command buffer, encoded once. Command 0 looks at the step block before the first
//! step of a submission; the others are a step. All arguments lie in one buffer, barriers stand where the table's dependencies ask for
//! one.

use super::context::Context;
use super::gpu::{Encoded, Gpu};
use super::memory::MetalMemory;
use super::pipelines::Pipelines;
use super::stream::MetalStream;
use crate::barriers::barriers;
use crate::limits::{Limits, check_machine};
use crate::regions::addresses;
use crate::{DeviceError, Memory, Replay, Stream};
use akunu_kernels::metal::{BEGIN, STEP_END};
use akunu_kernels::vulkan::INVOCATIONS;
use akunu_kernels::{Launch as Kind, Machine};
use akunu_plan::VerifiedTable;
use akunu_plan::table::Region;
use std::sync::Arc;

/// Where arguments may begin in their buffer, on every GPU that has Metal.
const ALIGNED: usize = 256;

/// One kernel with its arguments.
struct Launch<G: Gpu> {
    pipeline: Arc<G::Pipeline>,
    groups: [u32; 3],
    threads: u32,
    /// Addresses, then parameters.
    args: Vec<u8>,
    /// Whether it waits for what is before it.
    barrier: bool,
}

/// A table on a GPU.
struct MetalReplay<G: Gpu> {
    table: G::Table,
    /// Launches, `begin` and `step_end` among them.
    launches: u32,
    /// Where each command of the table begins among them, and at last where `step_end` is.
    begins: Vec<u32>,
    stream: Arc<dyn Stream>,
    /// The buffers whose addresses the arguments hold.
    _args: G::Buffer,
    _regions: Vec<Arc<dyn Memory>>,
}

fn metal_stream<G: Gpu>(stream: &Arc<dyn Stream>) -> Result<&MetalStream<G>, DeviceError> {
    stream.as_any().downcast_ref().ok_or(DeviceError::Foreign { what: "stream" })
}

pub(crate) fn lower<G: Gpu>(
    context: &Arc<Context<G>>,
    pipelines: &Pipelines<G>,
    table: &VerifiedTable,
    regions: &[Arc<dyn Memory>],
    stream: &Arc<dyn Stream>,
) -> Result<Box<dyn Replay>, DeviceError> {
    check_machine(table, Machine::Metal(context.gpu.about().chip))?;
    let limits = Limits::of(table)?;
    let s = metal_stream::<G>(stream)?;
    if !Arc::ptr_eq(&s.context, context) {
        return Err(DeviceError::Foreign { what: "stream" });
    }
    let own = |m: &dyn Memory| -> Option<u64> {
        let m = m.as_any().downcast_ref::<MetalMemory<G>>().filter(|m| m.is_of(context))?;
        Some(G::address(&m.buffer))
    };
    let addresses = addresses(table, regions, own)?;
    let mut launches = Vec::with_capacity(table.commands.len() + 2);
    let tables = [
        addresses[Region::Step as usize],
        G::address(&s.control),
        G::address(&s.page),
        addresses[Region::BlockTable as usize],
        addresses[Region::WindowTable as usize],
    ];
    let control = |kernel, text, addresses: &[u64], words: &[u32]| -> Result<Launch<G>, DeviceError> {
        let pipeline = pipelines.get(&context.gpu, kernel, text, &[], INVOCATIONS)?;
        let args = arguments(addresses, words);
        Ok(Launch { pipeline, groups: [1; 3], threads: INVOCATIONS, args, barrier: true })
    };
    launches.push(control("begin", BEGIN, &tables, &limits.words())?);
    let mut begins = Vec::with_capacity(table.commands.len() + 1);
    for (i, barrier) in barriers(table).into_iter().enumerate() {
        begins.push(launches.len() as u32);
        let k = table.kernel_of(i);
        let Kind::Metal(l) = &k.launch else { return Err(DeviceError::Foreign { what: k.kernel.name }) };
        let bindings = table.bindings_of(i).iter();
        let bound: Vec<u64> = bindings.map(|b| addresses[b.region.0 as usize] + b.offset).collect();
        let mut pass = |text, groups, threads, barrier| -> Result<(), DeviceError> {
            let pipeline = pipelines.get(&context.gpu, k.kernel.name, text, &k.consts, threads)?;
            let args = arguments(&bound, table.params_of(i));
            launches.push(Launch { pipeline, groups, threads, args, barrier });
            Ok(())
        };
        pass(l.text, l.groups, l.threads, barrier)?;
        if let Some(then) = l.then {
            pass(then.metal, then.groups, then.invocations, true)?;
        }
    }
    begins.push(launches.len() as u32);
    launches.push(control("step_end", STEP_END, &tables[..3], &[])?);
    let regions_used = regions.iter().filter_map(|m| m.as_any().downcast_ref::<MetalMemory<G>>());
    let mut used: Vec<&G::Buffer> = regions_used.map(|m| &m.buffer).collect();
    used.extend([&s.control, &s.page]);
    let (args, table) = encode(&context.gpu, &launches, &mut used)?;
    Ok(Box::new(MetalReplay::<G> {
        table,
        launches: launches.len() as u32,
        begins,
        stream: Arc::clone(stream),
        _args: args,
        _regions: regions.to_vec(),
    }))
}

/// Addresses, then words.
fn arguments(addresses: &[u64], words: &[u32]) -> Vec<u8> {
    [bytemuck::cast_slice(addresses), bytemuck::cast_slice::<u32, u8>(words)].concat()
}

/// Writes all arguments to a buffer and encodes the table.
fn encode<G: Gpu>(
    gpu: &G,
    launches: &[Launch<G>],
    used: &mut Vec<&G::Buffer>,
) -> Result<(G::Buffer, G::Table), DeviceError> {
    let mut bytes: Vec<u8> = Vec::new();
    let mut commands = Vec::with_capacity(launches.len());
    for l in launches {
        let at = bytes.len().next_multiple_of(ALIGNED);
        bytes.resize(at, 0);
        bytes.extend(&l.args);
        commands.push(Encoded {
            pipeline: &*l.pipeline,
            args: at as u64,
            groups: l.groups,
            threads: l.threads,
            barrier: l.barrier,
        });
    }
    let args = gpu.buffer("arguments", bytes.len() as u64)?;
    // SAFETY: a new buffer of so many bytes that nobody else has.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), G::contents(&args), bytes.len()) };
    let table = gpu.encode(&commands, &args, used)?;
    Ok((args, table))
}

impl<G: Gpu> Replay for MetalReplay<G> {
    fn submit(&mut self, steps: u32) -> Result<(), DeviceError> {
        if steps == 0 {
            return Ok(());
        }
        metal_stream::<G>(&self.stream)?.submit(&self.table, 1..self.launches, steps).map(|_| ())
    }

    fn profile(&mut self, seconds: &mut [f64]) -> Result<(), DeviceError> {
        let stream = metal_stream::<G>(&self.stream)?;
        stream.time(&self.table, 0..1)?;
        // Each in a command buffer of its own, whose time the GPU says.
        for (s, at) in seconds.iter_mut().zip(self.begins.windows(2)) {
            *s = stream.time(&self.table, at[0]..at[1])?;
        }
        let last = self.launches - 1;
        stream.end_step(&self.table, last..last + 1)?;
        stream.wait(u64::MAX, 0)?;
        Ok(())
    }
}

impl<G: Gpu> Drop for MetalReplay<G> {
    fn drop(&mut self) {
        // What was committed uses the table and its arguments. A lost device uses nothing.
        if let Ok(stream) = metal_stream::<G>(&self.stream) {
            let _ = stream.context.idle();
        }
    }
}
