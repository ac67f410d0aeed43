//! Buffers with addresses, and the regions made of them. Where the GPU's memory is the system's, the host writes in place once
//! nothing runs; elsewhere bytes are copied by the GPU, in the queue's order, through a buffer of the host.

use super::context::{Commands, Context, full_barrier};
use super::instance::failed;
use crate::{DeviceError, Fill, Memory};
use akunu_plan::RegionDecl;
use ash::vk;
use std::any::Any;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a buffer lies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the GPU's memory.
    Device,
    /// Where host and GPU both see it.
    Shared,
}

/// Memory of a GPU that frees itself.
pub(crate) struct Buffer {
    context: Arc<Context>,
    raw: vk::Buffer,
    memory: vk::DeviceMemory,
    /// For kernels.
    pub(crate) at: u64,
    /// For the host, where it can see it; else null.
    pub(crate) host: *mut u8,
    pub(crate) bytes: u64,
}

// SAFETY: plain memory and handles; who touches the bytes when is up to the users, and the handles are only destroyed.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Allocates, not zeroed.
    pub(crate) fn new(
        context: &Arc<Context>,
        name: &'static str,
        bytes: u64,
        place: Place,
    ) -> Result<Self, DeviceError> {
        let no_memory = |why: String| DeviceError::OutOfMemory {
            region: name,
            bytes,
            source: io::Error::new(io::ErrorKind::OutOfMemory, why),
        };
        let refused = |call: &str, e: vk::Result| no_memory(format!("{call}: {e}"));
        let (device, usage) = (
            &context.device,
            vk::BufferUsageFlags::STORAGE_BUFFER
                | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
                | vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST,
        );
        // Kernels may be handed an empty range; a line keeps its address valid. Fills go by words.
        let size = bytes.checked_next_multiple_of(256).ok_or_else(|| no_memory("too large".into()))?.max(256);
        let create = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: a whole structure; what is made is freed by `drop` from the first line on that builds `Self`.
        let raw = unsafe { device.create_buffer(&create, None) }.map_err(|e| refused("vkCreateBuffer", e))?;
        let mut buffer = Self {
            context: Arc::clone(context),
            raw,
            memory: vk::DeviceMemory::null(),
            at: 0,
            host: std::ptr::null_mut(),
            bytes,
        };
        // SAFETY: the buffer that was just made.
        let needs = unsafe { device.get_buffer_memory_requirements(raw) };
        use vk::MemoryPropertyFlags as P;
        let seen = P::HOST_VISIBLE | P::HOST_COHERENT;
        let wanted = match place {
            Place::Device if context.unified => [P::DEVICE_LOCAL | seen, seen],
            Place::Device => [P::DEVICE_LOCAL, P::empty()],
            Place::Shared => [seen | P::HOST_CACHED, seen],
        };
        let (kind, flags) = context
            .memory_type(needs.memory_type_bits, &wanted)
            .ok_or_else(|| no_memory("the GPU has no memory of that kind".into()))?;
        let mut addressed =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(kind)
            .push_next(&mut addressed);
        // SAFETY: a whole structure; the memory is bound once, to a buffer that asks for no more; an address is asked for, which
        // the buffer's usage and the allocation's flag allow.
        unsafe {
            buffer.memory =
                device.allocate_memory(&allocate, None).map_err(|e| refused("vkAllocateMemory", e))?;
            device.bind_buffer_memory(raw, buffer.memory, 0).map_err(|e| refused("vkBindBufferMemory", e))?;
            buffer.at = device.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(raw));
        }
        if flags.contains(P::HOST_VISIBLE) && (place == Place::Shared || context.unified) {
            // SAFETY: memory that the host can see, mapped once, until it is freed.
            let host =
                unsafe { device.map_memory(buffer.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
            buffer.host = host.map_err(|e| refused("vkMapMemory", e))?.cast();
        }
        Ok(buffer)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: made by `new`, freed once; the owner has waited for what uses it. Freeing null does nothing, and mapped memory is
        // unmapped by it.
        unsafe {
            self.context.device.destroy_buffer(self.raw, None);
            self.context.device.free_memory(self.memory, None);
        }
    }
}

/// Bytes that go through the host's buffer at a time.
const PIECE: u64 = 8 << 20;

/// What copies: one buffer of the host, one command buffer, one copy at a time.
pub(crate) struct Transfer {
    context: Arc<Context>,
    /// Made when first used.
    inner: Mutex<Option<(Commands, Buffer)>>,
}

/// One copy of at most [`PIECE`] bytes, or within a region.
#[derive(Clone, Copy)]
enum Job {
    In { to: (vk::Buffer, u64) },
    Out { from: (vk::Buffer, u64) },
    Within { buffer: vk::Buffer, from: u64, to: u64 },
    Zero { buffer: vk::Buffer },
}

impl Transfer {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), inner: Mutex::default() }
    }

    /// Fills a buffer with zeros.
    fn zero(&self, buffer: &Buffer) -> Result<(), DeviceError> {
        self.run(Job::Zero { buffer: buffer.raw }, 0, |_| (), |_| ())
    }

    /// Runs one copy to its end, after all that is queued. `before` fills the host's buffer, `after` reads it.
    fn run(
        &self,
        job: Job,
        len: u64,
        before: impl FnOnce(*mut u8),
        after: impl FnOnce(*const u8),
    ) -> Result<(), DeviceError> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.is_none() {
            *inner = Some((
                Commands::new(&self.context, 1)?,
                Buffer::new(&self.context, "copies", PIECE, Place::Shared)?,
            ));
        }
        let Some((commands, staging)) = inner.as_ref() else { return Ok(()) };
        before(staging.host);
        let device = &self.context.device;
        commands.record(0, |c| {
            full_barrier(&self.context, c);
            let region = |from, to| [vk::BufferCopy { src_offset: from, dst_offset: to, size: len }];
            // SAFETY: a buffer that is being recorded; `VulkanMemory` has checked the ranges, and no piece is larger than the host's
            // buffer; ranges within one region do not overlap (`Memory::copy`).
            unsafe {
                match job {
                    Job::In { to: (to, at) } => device.cmd_copy_buffer(c, staging.raw, to, &region(0, at)),
                    Job::Out { from: (from, at) } => {
                        device.cmd_copy_buffer(c, from, staging.raw, &region(at, 0))
                    }
                    Job::Within { buffer, from, to } => {
                        device.cmd_copy_buffer(c, buffer, buffer, &region(from, to))
                    }
                    Job::Zero { buffer } => device.cmd_fill_buffer(c, buffer, 0, vk::WHOLE_SIZE, 0),
                }
            }
            full_barrier(&self.context, c);
            Ok(())
        })?;
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(commands.buffers[0])];
        let work = [vk::SubmitInfo2::default().command_buffer_infos(&buffers)];
        // SAFETY: recorded just now; the lock is held until it has ended, and the caller keeps the region.
        unsafe { self.context.submit(&work)? };
        self.context.idle()?;
        after(staging.host);
        Ok(())
    }
}

/// A region.
pub(crate) struct VulkanMemory {
    buffer: Buffer,
    transfer: Arc<Transfer>,
    /// Ranges that hosts fill now.
    filling: Mutex<Vec<Range<u64>>>,
}

impl VulkanMemory {
    pub(crate) fn new(
        context: &Arc<Context>,
        decl: &RegionDecl,
        transfer: &Arc<Transfer>,
    ) -> Result<Self, DeviceError> {
        let buffer = Buffer::new(context, decl.name, decl.bytes, Place::Device)?;
        transfer.zero(&buffer)?;
        Ok(Self { buffer, transfer: Arc::clone(transfer), filling: Mutex::default() })
    }

    pub(crate) fn at(&self) -> u64 {
        self.buffer.at
    }

    pub(crate) fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(&self.buffer.context, context)
    }

    fn check(&self, offset: u64, len: u64) -> Result<(), DeviceError> {
        match offset.checked_add(len) {
            Some(end) if end <= self.buffer.bytes => Ok(()),
            _ => Err(DeviceError::Range { offset, len, bytes: self.buffer.bytes }),
        }
    }

    /// Where the host sees an offset, once nothing runs; `None` where it sees no region.
    fn in_place(&self, offset: u64) -> Result<Option<*mut u8>, DeviceError> {
        if self.buffer.host.is_null() {
            return Ok(None);
        }
        self.buffer.context.idle()?;
        // SAFETY: the caller has checked the offset against the region's size.
        Ok(Some(unsafe { self.buffer.host.add(offset as usize) }))
    }

    fn fill_range(&self, offset: u64, len: usize, fill: &mut Fill<'_>) -> Result<(), DeviceError> {
        if let Some(at) = self.in_place(offset)? {
            // SAFETY: a checked range that no other host fills; `fill`'s contract forbids submitting what touches it meanwhile.
            let bytes = unsafe { std::slice::from_raw_parts_mut(at, len) };
            return fill(bytes).map_err(DeviceError::Fill);
        }
        let mut bytes = vec![0u8; len];
        fill(&mut bytes).map_err(DeviceError::Fill)?;
        self.write(offset, &bytes)
    }
}

impl Memory for VulkanMemory {
    fn bytes(&self) -> u64 {
        self.buffer.bytes
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.check(offset, bytes.len() as u64)?;
        if let Some(at) = self.in_place(offset)? {
            // SAFETY: a checked range; nothing that is queued touches it.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len()) };
            return Ok(());
        }
        for (i, piece) in bytes.chunks(PIECE as usize).enumerate() {
            let to = Job::In { to: (self.buffer.raw, offset + i as u64 * PIECE) };
            // SAFETY: the host's buffer holds a piece.
            let before = |at| unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), at, piece.len()) };
            self.transfer.run(to, piece.len() as u64, before, |_| ())?;
        }
        Ok(())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        self.check(offset, out.len() as u64)?;
        if let Some(at) = self.in_place(offset)? {
            // SAFETY: a checked range; nothing that is queued touches it.
            unsafe { std::ptr::copy_nonoverlapping(at, out.as_mut_ptr(), out.len()) };
            return Ok(());
        }
        for (i, piece) in out.chunks_mut(PIECE as usize).enumerate() {
            let (from, len) = (Job::Out { from: (self.buffer.raw, offset + i as u64 * PIECE) }, piece.len());
            // SAFETY: the host's buffer holds a piece.
            let after = |at| unsafe { std::ptr::copy_nonoverlapping(at, piece.as_mut_ptr(), len) };
            self.transfer.run(from, len as u64, |_| (), after)?;
        }
        Ok(())
    }

    fn copy(&self, from: u64, to: u64, len: u64) -> Result<(), DeviceError> {
        self.check(from, len)?;
        self.check(to, len)?;
        if len == 0 {
            return Ok(());
        }
        self.transfer.run(Job::Within { buffer: self.buffer.raw, from, to }, len, |_| (), |_| ())
    }

    fn fill(&self, offset: u64, len: u64, fill: &mut Fill<'_>) -> Result<(), DeviceError> {
        self.check(offset, len)?;
        let range = offset..offset + len;
        let lock = || self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        let mut filling = lock();
        if filling.iter().any(|r| r.start < range.end && range.start < r.end) {
            return Err(DeviceError::Overlap { offset, len });
        }
        filling.push(range.clone());
        drop(filling);
        let done = self.fill_range(offset, len as usize, fill);
        lock().retain(|r| *r != range);
        done
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Waits until nothing uses the region any more.
impl Drop for VulkanMemory {
    fn drop(&mut self) {
        // A lost device uses nothing.
        let _ = self.buffer.context.idle();
    }
}

/// A small buffer of zeros for the GPU's own use.
pub(crate) fn counters(context: &Arc<Context>, transfer: &Transfer) -> Result<Buffer, DeviceError> {
    let buffer = Buffer::new(context, "control", 64, Place::Device)?;
    transfer.zero(&buffer)?;
    Ok(buffer)
}

/// A shared buffer of zeros, seen by the host.
pub(crate) fn page(context: &Arc<Context>, bytes: u64) -> Result<Buffer, DeviceError> {
    let buffer = Buffer::new(context, "page", bytes, Place::Shared)?;
    if buffer.host.is_null() {
        return Err(failed("vkMapMemory", vk::Result::ERROR_MEMORY_MAP_FAILED));
    }
    // SAFETY: a new buffer of so many bytes that nobody else has.
    unsafe { std::ptr::write_bytes(buffer.host, 0, bytes as usize) };
    Ok(buffer)
}
