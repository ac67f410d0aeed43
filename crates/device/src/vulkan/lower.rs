//! Lowering: a verified table becomes one command buffer, recorded once and submitted for every step. Barriers stand where the
//! table's dependencies ask for one. A small buffer before the first step of a submission looks at the step block.

use super::context::{Commands, Context, full_barrier, kernel_barrier};
use super::instance::failed;
use super::memory::VulkanMemory;
use super::pipelines::{Pipeline, Pipelines};
use super::stream::VulkanStream;
use crate::barriers::barriers;
use crate::limits::{Limits, check_machine};
use crate::regions::addresses;
use crate::{DeviceError, Memory, Replay, Stream};
use akunu_kernels::vulkan::{BEGIN, PUSH_BYTES, STEP_END};
use akunu_kernels::{Launch as Kind, Machine};
use akunu_plan::VerifiedTable;
use akunu_plan::table::Region;
use ash::vk;
use std::sync::Arc;

/// A kernel's code, and how many workgroups run it.
struct Pass {
    pipeline: Arc<Pipeline>,
    groups: [u32; 3],
}

/// One kernel with its arguments.
struct Launch {
    first: Pass,
    /// What runs after all of the first, with the same arguments.
    then: Option<Pass>,
    /// Addresses, then parameters.
    push: Vec<u8>,
    /// Whether it waits for what is before it.
    barrier: bool,
}

/// A table on a GPU.
struct VulkanReplay {
    context: Arc<Context>,
    stream: Arc<dyn Stream>,
    /// Keeps the addresses valid.
    _regions: Vec<Arc<dyn Memory>>,
    begin: Launch,
    commands: Vec<Launch>,
    step_end: Launch,
    /// `begin`, then a step.
    recorded: Commands,
    /// Made when a profile is first asked for.
    profile: Option<(Commands, Stamps)>,
}

fn vulkan_stream(stream: &Arc<dyn Stream>) -> Result<&VulkanStream, DeviceError> {
    stream.as_any().downcast_ref::<VulkanStream>().ok_or(DeviceError::Foreign { what: "stream" })
}

pub(crate) fn lower(
    context: &Arc<Context>,
    pipelines: &Pipelines,
    table: &VerifiedTable,
    regions: &[Arc<dyn Memory>],
    stream: &Arc<dyn Stream>,
) -> Result<Box<dyn Replay>, DeviceError> {
    check_machine(table, Machine::Vulkan(context.chip))?;
    let limits = Limits::of(table)?;
    let s = vulkan_stream(stream)?;
    if !Arc::ptr_eq(&s.context, context) {
        return Err(DeviceError::Foreign { what: "stream" });
    }
    let addresses = addresses(table, regions, |m| {
        m.as_any().downcast_ref::<VulkanMemory>().filter(|m| m.is_of(context)).map(|m| m.at())
    })?;
    let mut commands = Vec::with_capacity(table.commands.len());
    for (i, barrier) in barriers(table).into_iter().enumerate() {
        commands.push(command(pipelines, table, i, &addresses, barrier)?);
    }
    let [control, page] = s.addresses();
    let at = |r: Region| addresses[r as usize];
    let own = |name, code, addresses: &[u64], words: &[u32]| -> Result<Launch, DeviceError> {
        let pipeline = pipelines.get(name, code, &[])?;
        let first = Pass { pipeline, groups: [1; 3] };
        Ok(Launch { first, then: None, push: push(name, addresses, words)?, barrier: true })
    };
    let tables = [at(Region::Step), control, page, at(Region::BlockTable), at(Region::WindowTable)];
    let begin = own("begin", BEGIN, &tables, &limits.words())?;
    let step_end = own("step_end", STEP_END, &tables[..3], &[])?;
    pipelines.cache.keep();
    let replay = VulkanReplay {
        recorded: Commands::new(context, 2)?,
        context: Arc::clone(context),
        stream: Arc::clone(stream),
        _regions: regions.to_vec(),
        begin,
        commands,
        step_end,
        profile: None,
    };
    replay.recorded.record(0, |c| {
        full_barrier(context, c);
        replay.launch(c, &replay.begin);
        Ok(())
    })?;
    replay.recorded.record(1, |c| {
        full_barrier(context, c);
        for l in replay.commands.iter().chain([&replay.step_end]) {
            if l.barrier {
                kernel_barrier(context, c);
            }
            replay.launch(c, l);
        }
        full_barrier(context, c);
        Ok(())
    })?;
    Ok(Box::new(replay))
}

/// Push constants: addresses, then words.
fn push(kernel: &'static str, addresses: &[u64], words: &[u32]) -> Result<Vec<u8>, DeviceError> {
    let all = [bytemuck::cast_slice(addresses), bytemuck::cast_slice::<u32, u8>(words)].concat();
    if all.len() > PUSH_BYTES as usize {
        let what = format!("{} bytes of arguments, of {PUSH_BYTES}", all.len());
        return Err(DeviceError::Pipeline { kernel, what });
    }
    Ok(all)
}

fn command(
    pipelines: &Pipelines,
    table: &VerifiedTable,
    i: usize,
    addresses: &[u64],
    barrier: bool,
) -> Result<Launch, DeviceError> {
    let k = table.kernel_of(i);
    let Kind::Vulkan(l) = &k.launch else { return Err(DeviceError::Foreign { what: k.kernel.name }) };
    let bound: Vec<u64> =
        table.bindings_of(i).iter().map(|b| addresses[b.region.0 as usize] + b.offset).collect();
    let pass = |code, groups| -> Result<Pass, DeviceError> {
        Ok(Pass { pipeline: pipelines.get(k.kernel.name, code, &k.consts)?, groups })
    };
    Ok(Launch {
        first: pass(l.code, l.groups)?,
        then: l.then.map(|p| pass(p.code, p.groups)).transpose()?,
        push: push(k.kernel.name, &bound, table.params_of(i))?,
        barrier,
    })
}

/// Time stamps that free themselves.
struct Stamps {
    context: Arc<Context>,
    raw: vk::QueryPool,
}

impl Drop for Stamps {
    fn drop(&mut self) {
        // SAFETY: made by `profile_of`, destroyed once; the replay has waited.
        unsafe { self.context.device.destroy_query_pool(self.raw, None) };
    }
}

impl VulkanReplay {
    fn launch(&self, c: vk::CommandBuffer, l: &Launch) {
        let (device, layout) = (&self.context.device, self.context.layout);
        let pass = |p: &Pass| {
            let [x, y, z] = p.groups;
            // SAFETY: a buffer that is being recorded; the pipeline was made for this layout, whose push constants hold what is pushed;
            // the addresses lie in regions that this replay keeps, and the table is verified.
            unsafe {
                device.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, p.pipeline.raw);
                device.cmd_push_constants(c, layout, vk::ShaderStageFlags::COMPUTE, 0, &l.push);
                device.cmd_dispatch(c, x, y, z);
            }
        };
        pass(&l.first);
        if let Some(then) = &l.then {
            kernel_barrier(&self.context, c);
            pass(then);
        }
    }

    /// A step with a barrier and a stamp after each command.
    fn profile_of(&self) -> Result<(Commands, Stamps), DeviceError> {
        let count = self.commands.len() as u32 + 1;
        let create =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        let device = &self.context.device;
        // SAFETY: a whole structure.
        let raw =
            unsafe { device.create_query_pool(&create, None) }.map_err(|e| failed("vkCreateQueryPool", e))?;
        let stamps = Stamps { context: Arc::clone(&self.context), raw };
        let commands = Commands::new(&self.context, 1)?;
        commands.record(0, |c| {
            // SAFETY: a buffer that is being recorded, and queries of the pool just made, each written once after the reset.
            let stamp = |i: u32| unsafe {
                device.cmd_write_timestamp2(c, vk::PipelineStageFlags2::ALL_COMMANDS, raw, i);
            };
            // SAFETY: as above.
            unsafe { device.cmd_reset_query_pool(c, raw, 0, count) };
            full_barrier(&self.context, c);
            stamp(0);
            for (i, l) in self.commands.iter().enumerate() {
                self.launch(c, l);
                full_barrier(&self.context, c);
                stamp(i as u32 + 1);
            }
            self.launch(c, &self.step_end);
            full_barrier(&self.context, c);
            Ok(())
        })?;
        Ok((commands, stamps))
    }
}

impl Replay for VulkanReplay {
    fn submit(&mut self, steps: u32) -> Result<(), DeviceError> {
        if steps == 0 {
            return Ok(());
        }
        let [begin, step] = [self.recorded.buffers[0], self.recorded.buffers[1]];
        // SAFETY: recorded by `lower`; `drop` waits for the stream.
        unsafe { vulkan_stream(&self.stream)?.submit(begin, step, steps) }
    }

    fn profile(&mut self, seconds: &mut [f64]) -> Result<(), DeviceError> {
        let Some(tick) = self.context.tick else {
            return Err(DeviceError::NoVulkan {
                what: format!("{} has no clock to profile with", self.context.name),
            });
        };
        if self.profile.is_none() {
            self.profile = Some(self.profile_of()?);
        }
        let Some((commands, stamps)) = &self.profile else { return Ok(()) };
        let stream = vulkan_stream(&self.stream)?;
        // SAFETY: recorded, and waited for just after.
        unsafe { stream.submit(self.recorded.buffers[0], commands.buffers[0], 1)? };
        stream.wait(u64::MAX, 0)?;
        let mut at = vec![0u64; self.commands.len() + 1];
        // SAFETY: all of the pool's queries, each of 8 bytes; the step that writes them has ended.
        unsafe {
            self.context.device.get_query_pool_results(
                stamps.raw,
                0,
                &mut at,
                vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT,
            )
        }
        .map_err(|e| failed("vkGetQueryPoolResults", e))?;
        for (s, pair) in seconds.iter_mut().zip(at.windows(2)) {
            *s = pair[1].saturating_sub(pair[0]) as f64 * tick * 1e-9;
        }
        Ok(())
    }
}

impl Drop for VulkanReplay {
    fn drop(&mut self) {
        // What was submitted uses the command buffers and pipelines. A lost device uses nothing.
        if let Ok(stream) = vulkan_stream(&self.stream) {
            let _ = stream.idle();
        }
    }
}
