//! Apple's Metal, on macOS. **Type-checked and linked only: it has not run on Apple hardware yet.**

use super::{About, Encoded, Gpu, ListedGpu, MetalDevice, Run, State};
use crate::{Device, DeviceError};
use akunu_kernels::metal::{CHIPS, Chip, ENTRY};
use objc2::rc::{Retained, autoreleasepool};
use objc2::runtime::ProtocolObject;
use objc2_foundation::{NSRange, NSString, NSUInteger};
use objc2_metal::{
    MTLBarrierScope, MTLBuffer, MTLCommandBuffer, MTLCommandBufferStatus, MTLCommandEncoder, MTLCommandQueue,
    MTLCompileOptions, MTLComputeCommandEncoder, MTLComputePipelineDescriptor, MTLComputePipelineState,
    MTLCopyAllDevices, MTLDataType, MTLDevice, MTLDispatchType, MTLEvent, MTLFunctionConstantValues,
    MTLGPUFamily, MTLIndirectCommandBuffer, MTLIndirectCommandBufferDescriptor, MTLIndirectCommandType,
    MTLIndirectComputeCommand, MTLLibrary, MTLPipelineOption, MTLResource, MTLResourceOptions,
    MTLResourceUsage, MTLSharedEvent, MTLSize,
};
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Commands that an indirect command buffer holds at most.
const MOST_COMMANDS: usize = 16_384;

/// An object of Metal that any thread may use.
pub(super) struct Kept<T: ?Sized>(Retained<ProtocolObject<T>>);

// SAFETY: Metal's buffers, pipelines, encoded indirect command buffers, events and committed command buffers may be used by any thread, and
// their references are counted atomically; encoders, which may not, are never kept.
unsafe impl<T: ?Sized> Send for Kept<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized> Sync for Kept<T> {}

impl<T: ?Sized> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Retained::clone(&self.0))
    }
}

/// A GPU and its queue.
pub(super) struct Apple {
    device: Retained<ProtocolObject<dyn MTLDevice>>,
    queue: Retained<ProtocolObject<dyn MTLCommandQueue>>,
    about: About,
    /// Compiled texts, each by its place in this program: shapes and formats are constants of one library.
    libraries: Mutex<HashMap<usize, Library>>,
}

type Library = Retained<ProtocolObject<dyn MTLLibrary>>;

/// An indirect command buffer, with all that its commands may touch.
pub(super) struct Table {
    commands: Kept<dyn MTLIndirectCommandBuffer>,
    used: Vec<Kept<dyn MTLBuffer>>,
    _pipelines: Vec<Kept<dyn MTLComputePipelineState>>,
}

fn devices() -> Vec<Retained<ProtocolObject<dyn MTLDevice>>> {
    MTLCopyAllDevices().to_vec()
}

/// The number of a GPU's family among Apple's; 0 where it is of none that is listed.
fn family(device: &ProtocolObject<dyn MTLDevice>) -> u32 {
    let has = |family: u32| device.supportsFamily(MTLGPUFamily(1000 + family as isize));
    CHIPS.iter().rev().map(|c| c.family).find(|f| *f != 0 && has(*f)).unwrap_or(0)
}

fn look_at(device: &ProtocolObject<dyn MTLDevice>) -> ListedGpu {
    let has = [
        (device.supportsFamily(MTLGPUFamily::Metal3), "Metal 3 (addresses of buffers)"),
        (device.hasUnifiedMemory(), "memory that the host shares"),
    ];
    ListedGpu {
        name: device.name().to_string(),
        family: family(device),
        total_bytes: device.recommendedMaxWorkingSetSize(),
        missing: has.into_iter().filter(|(there, _)| !there).map(|(_, what)| what).collect(),
    }
}

/// Every GPU that the system shows, in the order of their numbers.
pub(super) fn gpus() -> Vec<ListedGpu> {
    devices().iter().map(|d| look_at(d)).collect()
}

/// Opens GPU number `ordinal`.
pub(super) fn open(ordinal: u32) -> Result<Arc<dyn Device>, DeviceError> {
    let none = |what: String| DeviceError::NoMetal { what };
    let all = devices();
    let Some(device) = all.get(ordinal as usize) else {
        return Err(none(format!("there is no GPU {ordinal}; the system shows {}", all.len())));
    };
    let listed = look_at(device);
    if let Some(what) = listed.obstacle() {
        return Err(none(what));
    }
    let queue = device.newCommandQueue().ok_or_else(|| none("the GPU gives no command queue".into()))?;
    let about = About { name: listed.name, chip: Chip::of(listed.family) };
    Ok(Arc::new(MetalDevice::new(Apple {
        device: device.clone(),
        queue,
        about,
        libraries: Mutex::default(),
    })))
}

fn failed(call: &'static str, what: &str) -> DeviceError {
    let remedy = "load the model again, use a smaller one, or use --device cpu";
    DeviceError::Metal { call, what: what.to_owned(), remedy }
}

fn size(x: u32, y: u32, z: u32) -> MTLSize {
    MTLSize { width: x as NSUInteger, height: y as NSUInteger, depth: z as NSUInteger }
}

impl Apple {
    /// The library of a text.
    fn library(&self, kernel: &'static str, text: &'static str) -> Result<Library, DeviceError> {
        let made = || self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
        let key = text.as_ptr() as usize;
        if let Some(library) = made().get(&key) {
            return Ok(library.clone());
        }
        let options = MTLCompileOptions::new();
        // What is rounded once in the twin is rounded once here. (The newer name for it, mathMode, is not on all systems.)
        #[allow(deprecated, reason = "works on every system that has Metal 3")]
        options.setFastMathEnabled(false);
        let library = self
            .device
            .newLibraryWithSource_options_error(&NSString::from_str(text), Some(&options))
            .map_err(|e| DeviceError::MetalKernel { kernel, what: e.localizedDescription().to_string() })?;
        Ok(made().entry(key).or_insert(library).clone())
    }

    /// Executes commands in an encoder of their own, which begins after all that was encoded before it.
    fn execute(
        &self,
        buffer: &ProtocolObject<dyn MTLCommandBuffer>,
        table: &Table,
        range: &Range<u32>,
    ) -> Result<(), DeviceError> {
        let encoder = buffer
            .computeCommandEncoderWithDispatchType(MTLDispatchType::Concurrent)
            .ok_or_else(|| failed("computeCommandEncoder", "no encoder"))?;
        // The commands know addresses alone, so Metal is told what they may touch: it keeps that in memory, and encoders apart.
        for used in &table.used {
            encoder.useResource_usage(
                ProtocolObject::from_ref(&*used.0),
                MTLResourceUsage::Read | MTLResourceUsage::Write,
            );
        }
        encoder.memoryBarrierWithScope(MTLBarrierScope::Buffers);
        let range = NSRange::new(range.start as usize, range.len());
        // SAFETY: `lower` asks for commands that the table has; all of them were encoded, and what they touch is named above.
        unsafe { encoder.executeCommandsInBuffer_withRange(&table.commands.0, range) };
        encoder.endEncoding();
        Ok(())
    }
}

impl Gpu for Apple {
    type Buffer = Kept<dyn MTLBuffer>;
    type Pipeline = Kept<dyn MTLComputePipelineState>;
    type Table = Table;
    type Event = Kept<dyn MTLSharedEvent>;
    type Work = Kept<dyn MTLCommandBuffer>;

    fn about(&self) -> &About {
        &self.about
    }

    fn memory(&self) -> (u64, u64) {
        let total = self.device.recommendedMaxWorkingSetSize();
        (total.saturating_sub(self.device.currentAllocatedSize() as u64), total)
    }

    fn buffer(&self, name: &'static str, bytes: u64) -> Result<Self::Buffer, DeviceError> {
        let refused = |what: String| {
            let source = io::Error::new(io::ErrorKind::OutOfMemory, what);
            DeviceError::OutOfMemory { region: name, bytes, source }
        };
        let most = self.device.maxBufferLength() as u64;
        if bytes > most {
            return Err(refused(format!("a buffer holds at most {most} bytes on this GPU")));
        }
        // New buffers are zeroed.
        let made = self
            .device
            .newBufferWithLength_options(bytes.max(16) as NSUInteger, MTLResourceOptions::StorageModeShared)
            .ok_or_else(|| refused("Metal has no more memory".into()))?;
        made.setLabel(Some(&NSString::from_str(name)));
        Ok(Kept(made))
    }

    fn address(buffer: &Self::Buffer) -> u64 {
        buffer.0.gpuAddress()
    }

    fn contents(buffer: &Self::Buffer) -> *mut u8 {
        buffer.0.contents().as_ptr().cast()
    }

    fn pipeline(
        &self,
        kernel: &'static str,
        text: &'static str,
        consts: &[u32],
        threads: u32,
    ) -> Result<Self::Pipeline, DeviceError> {
        autoreleasepool(|_| {
            let refused = |what: String| DeviceError::MetalKernel { kernel, what };
            let library = self.library(kernel, text)?;
            let values = MTLFunctionConstantValues::new();
            for (i, value) in consts.iter().enumerate() {
                let at = NonNull::from(value).cast();
                // SAFETY: points to a word, which is copied by the call.
                unsafe { values.setConstantValue_type_atIndex(at, MTLDataType::UInt, i) };
            }
            let function = library
                .newFunctionWithName_constantValues_error(&NSString::from_str(ENTRY), &values)
                .map_err(|e| refused(e.localizedDescription().to_string()))?;
            let descriptor = MTLComputePipelineDescriptor::new();
            descriptor.setComputeFunction(Some(&function));
            descriptor.setSupportIndirectCommandBuffers(true);
            // Otherwise a kernel that needs many registers may be compiled for fewer.
            descriptor.setMaxTotalThreadsPerThreadgroup(threads as NSUInteger);
            descriptor.setLabel(Some(&NSString::from_str(kernel)));
            let made = self
                .device
                .newComputePipelineStateWithDescriptor_options_reflection_error(
                    &descriptor,
                    MTLPipelineOption::None,
                    None,
                )
                .map_err(|e| refused(e.localizedDescription().to_string()))?;
            Ok(Kept(made))
        })
    }

    fn encode(
        &self,
        commands: &[Encoded<'_, Self>],
        args: &Self::Buffer,
        used: &[&Self::Buffer],
    ) -> Result<Self::Table, DeviceError> {
        if commands.len() > MOST_COMMANDS {
            let what = format!(
                "{} commands in a table; an indirect command buffer holds {MOST_COMMANDS}",
                commands.len()
            );
            return Err(failed("newIndirectCommandBuffer", &what));
        }
        let descriptor = MTLIndirectCommandBufferDescriptor::new();
        descriptor.setCommandTypes(MTLIndirectCommandType::ConcurrentDispatch);
        descriptor.setInheritBuffers(false);
        descriptor.setInheritPipelineState(false);
        descriptor.setMaxKernelBufferBindCount(1);
        // SAFETY: a whole descriptor, and a count within the limit.
        let table = unsafe {
            self.device.newIndirectCommandBufferWithDescriptor_maxCommandCount_options(
                &descriptor,
                commands.len(),
                MTLResourceOptions::StorageModeShared,
            )
        }
        .ok_or_else(|| failed("newIndirectCommandBuffer", "Metal gives none"))?;
        for (i, c) in commands.iter().enumerate() {
            let most = c.pipeline.0.maxTotalThreadsPerThreadgroup();
            if c.threads as usize > most {
                let what = format!("a kernel of {} threads, of which this GPU runs {most}", c.threads);
                return Err(failed("setComputePipelineState", &what));
            }
            // SAFETY: a command within the count; the arguments lie in their buffer (`lower`), at an aligned place.
            unsafe {
                let command = table.indirectComputeCommandAtIndex(i);
                command.setComputePipelineState(&c.pipeline.0);
                command.setKernelBuffer_offset_atIndex(&args.0, c.args as usize, 0);
                if c.barrier {
                    command.setBarrier();
                }
                let [x, y, z] = c.groups;
                command.concurrentDispatchThreadgroups_threadsPerThreadgroup(
                    size(x, y, z),
                    size(c.threads, 1, 1),
                );
            }
        }
        let used = used.iter().copied().chain([args]).map(Kept::clone).collect();
        let pipelines = commands.iter().map(|c| c.pipeline.clone()).collect();
        Ok(Table { commands: Kept(table), used, _pipelines: pipelines })
    }

    fn event(&self) -> Result<Self::Event, DeviceError> {
        self.device.newSharedEvent().map(Kept).ok_or_else(|| failed("newSharedEvent", "Metal gives none"))
    }

    fn commit(&self, run: &Run<'_, Self>, event: &Self::Event) -> Result<Self::Work, DeviceError> {
        autoreleasepool(|_| {
            let buffer =
                self.queue.commandBuffer().ok_or_else(|| failed("commandBuffer", "Metal gives none"))?;
            let event: &ProtocolObject<dyn MTLEvent> = ProtocolObject::from_ref(&*event.0);
            if !run.begin.is_empty() {
                self.execute(&buffer, run.table, &run.begin)?;
            }
            for i in 1..=u64::from(run.steps) {
                self.execute(&buffer, run.table, &run.step)?;
                buffer.encodeSignalEvent_value(event, run.signalled + i);
            }
            buffer.commit();
            Ok(Kept(buffer))
        })
    }

    fn state(&self, work: &Self::Work) -> State {
        match work.0.status() {
            MTLCommandBufferStatus::Completed => State::Ended(work.0.GPUEndTime() - work.0.GPUStartTime()),
            MTLCommandBufferStatus::Error => {
                let what = work.0.error().map(|e| e.localizedDescription().to_string());
                State::Failed(what.unwrap_or_else(|| "no reason given".into()))
            }
            _ => State::Running,
        }
    }

    fn finish(&self, work: &Self::Work) -> State {
        work.0.waitUntilCompleted();
        self.state(work)
    }

    fn wait(&self, event: &Self::Event, value: u64, long: Duration) -> u64 {
        if event.0.signaledValue() < value {
            // Whether it came is seen by the value.
            let _ = event.0.waitUntilSignaledValue_timeoutMS(value, long.as_millis() as u64);
        }
        event.0.signaledValue()
    }
}
