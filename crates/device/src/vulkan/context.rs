//! One GPU as this process holds it: the logical device, its one queue, and objects that free themselves.

use super::Options;
use super::identity::Identity;
use super::instance::{Instance, Looked, failed};
use crate::DeviceError;
use akunu_kernels::vulkan::{Chip, Matrices, PUSH_BYTES};
use ash::vk;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A wait asks anew after so long; a lost device answers with an error.
const LOOK: Duration = Duration::from_secs(1);

/// A GPU. Every method may be called from any thread.
pub(crate) struct Context {
    instance: Arc<Instance>,
    physical: vk::PhysicalDevice,
    pub(crate) device: ash::Device,
    queue: Mutex<Queue>,
    /// A timeline: each submission to the queue signals the next number.
    done: vk::Semaphore,
    /// Push constants and nothing else, for every kernel.
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) family: u32,
    pub(crate) name: String,
    pub(crate) identity: Identity,
    pub(crate) chip: Chip,
    /// Nanoseconds of a tick of its clock, where it has one.
    pub(crate) tick: Option<f64>,
    pub(crate) software: bool,
    /// Whether the host writes regions in place.
    pub(crate) unified: bool,
    budget: bool,
    types: vk::PhysicalDeviceMemoryProperties,
}

struct Queue {
    raw: vk::Queue,
    /// The last number that `done` will be signalled with.
    submitted: u64,
}

impl Context {
    /// Opens a GPU by number.
    pub(crate) fn open(ordinal: u32, options: Options) -> Result<Arc<Self>, DeviceError> {
        let instance = Instance::new()?;
        let (physical, mut looked) = instance.choose(ordinal)?;
        if options.plain {
            looked.chip.matrices = Matrices::None;
        }
        let device = logical(&instance, physical, &looked)?;
        let (done, layout, raw) = {
            // From here on what is made is destroyed by `drop`, or leaks where a later step fails: the process ends then.
            // SAFETY: a queue of the family that the device was made with.
            let raw = unsafe { device.get_device_queue(looked.family, 0) };
            let done = timeline(&device)?;
            let push = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
                .size(PUSH_BYTES)];
            let create = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&push);
            // SAFETY: a whole structure.
            let layout = unsafe { device.create_pipeline_layout(&create, None) };
            (done, layout.map_err(|e| failed("vkCreatePipelineLayout", e))?, raw)
        };
        // SAFETY: a GPU of this instance.
        let types = unsafe { instance.raw.get_physical_device_memory_properties(physical) };
        Ok(Arc::new(Self {
            instance,
            physical,
            device,
            queue: Mutex::new(Queue { raw, submitted: 0 }),
            done,
            layout,
            family: looked.family,
            name: looked.listed.name,
            identity: looked.identity,
            chip: looked.chip,
            tick: looked.tick,
            software: looked.software,
            unified: looked.unified && !options.staged,
            budget: looked.budget,
            types,
        }))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues work after all that is queued.
    ///
    /// # Safety
    /// What the structures point to lives until the call returns; the command buffers are recorded, and they and all they use live
    /// until they have ended.
    pub(crate) unsafe fn submit(&self, work: &[vk::SubmitInfo2<'_>]) -> Result<(), DeviceError> {
        let mut queue = self.queue();
        let next = queue.submitted + 1;
        let signal = [vk::SemaphoreSubmitInfo::default()
            .semaphore(self.done)
            .value(next)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        // A signal waits for all that was submitted before it.
        let last = [vk::SubmitInfo2::default().signal_semaphore_infos(&signal)];
        let all = [work, &last[..]].concat();
        // SAFETY: the caller's promise; the lock is held, and a timeline's numbers grow.
        unsafe { self.device.queue_submit2(queue.raw, &all, vk::Fence::null()) }
            .map_err(|e| failed("vkQueueSubmit2", e))?;
        queue.submitted = next;
        Ok(())
    }

    /// Waits for all that is queued now.
    pub(crate) fn idle(&self) -> Result<(), DeviceError> {
        let last = self.queue().submitted;
        while !self.wait_for(self.done, last)? {}
        Ok(())
    }

    /// Waits until a timeline has come to a number, or for a while; whether it has.
    pub(crate) fn wait_for(&self, timeline: vk::Semaphore, value: u64) -> Result<bool, DeviceError> {
        let (semaphores, values) = ([timeline], [value]);
        let wait = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        // SAFETY: a timeline of this device, which its owner keeps.
        match unsafe { self.device.wait_semaphores(&wait, LOOK.as_nanos() as u64) } {
            Ok(()) => Ok(true),
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(e) => Err(failed("vkWaitSemaphores", e)),
        }
    }

    /// The type of memory for a resource that may lie in `allowed`: the first with all of `wanted`.
    pub(crate) fn memory_type(
        &self,
        allowed: u32,
        wanted: &[vk::MemoryPropertyFlags],
    ) -> Option<(u32, vk::MemoryPropertyFlags)> {
        let types = &self.types.memory_types[..self.types.memory_type_count as usize];
        wanted.iter().find_map(|w| {
            let fits =
                |(i, t): &(usize, &vk::MemoryType)| allowed >> i & 1 != 0 && t.property_flags.contains(*w);
            types.iter().enumerate().find(fits).map(|(i, t)| (i as u32, t.property_flags))
        })
    }

    /// (free, total) bytes.
    pub(crate) fn memory(&self) -> (u64, u64) {
        if self.software {
            return crate::cpu::system_memory();
        }
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceMemoryProperties2::default();
        if self.budget {
            all = all.push_next(&mut budget);
        }
        // SAFETY: a GPU of this instance; the extension's structure is there only where the GPU has the extension.
        unsafe { self.instance.raw.get_physical_device_memory_properties2(self.physical, &mut all) };
        let heaps = all.memory_properties;
        let heaps = &heaps.memory_heaps[..heaps.memory_heap_count as usize];
        let local =
            heaps.iter().enumerate().filter(|(_, h)| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
        let Some((i, heap)) = local.max_by_key(|(_, h)| h.size) else { return (0, 0) };
        let free =
            if self.budget { budget.heap_budget[i].saturating_sub(budget.heap_usage[i]) } else { heap.size };
        (free, heap.size)
    }

    /// A timeline semaphore; its owner destroys it.
    pub(crate) fn timeline(&self) -> Result<vk::Semaphore, DeviceError> {
        timeline(&self.device)
    }
}

fn timeline(device: &ash::Device) -> Result<vk::Semaphore, DeviceError> {
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
    let create = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    // SAFETY: a whole structure.
    unsafe { device.create_semaphore(&create, None) }.map_err(|e| failed("vkCreateSemaphore", e))
}

fn logical(
    instance: &Instance,
    gpu: vk::PhysicalDevice,
    looked: &Looked,
) -> Result<ash::Device, DeviceError> {
    let mut f11 = vk::PhysicalDeviceVulkan11Features::default().storage_buffer16_bit_access(true);
    let mut f12 = vk::PhysicalDeviceVulkan12Features::default()
        .storage_buffer8_bit_access(true)
        .shader_int8(true)
        .shader_float16(true)
        .storage_push_constant8(looked.push8)
        .buffer_device_address(true)
        .timeline_semaphore(true);
    let mut f13 = vk::PhysicalDeviceVulkan13Features::default()
        .synchronization2(true)
        .shader_integer_dot_product(true)
        .maintenance4(true);
    let core = vk::PhysicalDeviceFeatures::default().shader_int64(true).shader_int16(true);
    let units = looked.chip.matrices != Matrices::None;
    f12 = f12.vulkan_memory_model(units);
    let mut matrices = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default().cooperative_matrix(true);
    let extensions: Vec<_> =
        [(looked.budget, vk::EXT_MEMORY_BUDGET_NAME), (units, vk::KHR_COOPERATIVE_MATRIX_NAME)]
            .into_iter()
            .filter_map(|(wanted, name)| wanted.then_some(name.as_ptr()))
            .collect();
    let priority = [1.0f32];
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(looked.family).queue_priorities(&priority)];
    let mut create = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_features(&core)
        .enabled_extension_names(&extensions)
        .push_next(&mut f11)
        .push_next(&mut f12)
        .push_next(&mut f13);
    if units {
        create = create.push_next(&mut matrices);
    }
    // SAFETY: a GPU of this instance, which has all features that are asked for (`look_at`; maintenance4 is part of 1.3).
    unsafe { instance.raw.create_device(gpu, &create, None) }.map_err(|e| failed("vkCreateDevice", e))
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: whoever made something of the device holds an Arc of this and has destroyed it; nothing runs then.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_semaphore(self.done, None);
            self.device.destroy_device(None);
        }
    }
}

/// Command buffers, and the pool that they come from. One thread at a time records.
pub(crate) struct Commands {
    context: Arc<Context>,
    pool: vk::CommandPool,
    pub(crate) buffers: Vec<vk::CommandBuffer>,
}

impl Commands {
    /// So many buffers, not yet recorded.
    pub(crate) fn new(context: &Arc<Context>, count: u32) -> Result<Self, DeviceError> {
        let create = vk::CommandPoolCreateInfo::default()
            .queue_family_index(context.family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: a whole structure.
        let pool = unsafe { context.device.create_command_pool(&create, None) }
            .map_err(|e| failed("vkCreateCommandPool", e))?;
        let mut commands = Self { context: Arc::clone(context), pool, buffers: Vec::new() };
        let allocate =
            vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(count);
        // SAFETY: the pool that was just made.
        commands.buffers = unsafe { context.device.allocate_command_buffers(&allocate) }
            .map_err(|e| failed("vkAllocateCommandBuffers", e))?;
        Ok(commands)
    }

    /// Records buffer `i` anew. It may be submitted while it runs already.
    pub(crate) fn record(
        &self,
        i: usize,
        record: impl FnOnce(vk::CommandBuffer) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let (device, buffer) = (&self.context.device, self.buffers[i]);
        let begin =
            vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        // SAFETY: a buffer of this pool, which does not run (the callers record once, or wait).
        unsafe { device.begin_command_buffer(buffer, &begin) }
            .map_err(|e| failed("vkBeginCommandBuffer", e))?;
        record(buffer)?;
        // SAFETY: as above.
        unsafe { device.end_command_buffer(buffer) }.map_err(|e| failed("vkEndCommandBuffer", e))
    }
}

impl Drop for Commands {
    fn drop(&mut self) {
        // SAFETY: the owner has waited for what it submitted; buffers go with their pool.
        unsafe { self.context.device.destroy_command_pool(self.pool, None) };
    }
}

/// Lets nothing after it begin before everything before it has ended, the host's reads included.
pub(crate) fn full_barrier(context: &Context, buffer: vk::CommandBuffer) {
    let all = vk::PipelineStageFlags2::ALL_COMMANDS;
    let barrier = [vk::MemoryBarrier2::default()
        .src_stage_mask(all)
        .src_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
        .dst_stage_mask(all | vk::PipelineStageFlags2::HOST)
        .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
    let dependency = vk::DependencyInfo::default().memory_barriers(&barrier);
    // SAFETY: a buffer that is being recorded.
    unsafe { context.device.cmd_pipeline_barrier2(buffer, &dependency) };
}

/// Between kernels.
pub(crate) fn kernel_barrier(context: &Context, buffer: vk::CommandBuffer) {
    let compute = vk::PipelineStageFlags2::COMPUTE_SHADER;
    let access = vk::AccessFlags2::SHADER_READ | vk::AccessFlags2::SHADER_WRITE;
    let barrier = [vk::MemoryBarrier2::default()
        .src_stage_mask(compute)
        .src_access_mask(access)
        .dst_stage_mask(compute)
        .dst_access_mask(access)];
    let dependency = vk::DependencyInfo::default().memory_barriers(&barrier);
    // SAFETY: a buffer that is being recorded.
    unsafe { context.device.cmd_pipeline_barrier2(buffer, &dependency) };
}
