//! Regions of a GPU's memory, and of the host's that it reads. Copies go through the default queue, which the driver orders after everything that
//! was submitted on our queues before; so a host access waits by itself.

use super::context::{Address, Context, Pinned};
use crate::{DeviceError, Fill, Memory};
use akunu_plan::{RegionDecl, RegionKind};
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Pinned buffers that fills go through, kept for the next.
#[derive(Default)]
pub(crate) struct Staging {
    free: Mutex<Vec<Pinned>>,
}

/// Buffers are this large at least, so that pieces of different sizes share them.
const STAGING_BYTES: usize = 5 << 20;
/// Buffers that are kept.
const STAGING_KEPT: usize = 16;

impl Staging {
    fn take(&self, context: &Arc<Context>, bytes: usize) -> Result<Pinned, DeviceError> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(i) = free.iter().position(|p| p.bytes >= bytes) {
            return Ok(free.swap_remove(i));
        }
        drop(free);
        Pinned::new(context, bytes.max(STAGING_BYTES))
    }

    fn give(&self, buffer: Pinned) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < STAGING_KEPT {
            free.push(buffer);
        }
    }

    /// Frees what is kept.
    pub(crate) fn clear(&self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Where a region lies.
enum Place {
    /// In the GPU's memory.
    Device(Address),
    /// In the host's, where the GPU reads it: a mailbox. Host accesses wait for nothing.
    Host(Pinned),
}

/// A region.
pub(crate) struct CudaMemory {
    place: Place,
    staging: Arc<Staging>,
    /// Ranges that hosts fill now.
    filling: Mutex<Vec<Range<u64>>>,
}

impl CudaMemory {
    pub(crate) fn new(
        context: &Arc<Context>,
        decl: &RegionDecl,
        staging: &Arc<Staging>,
    ) -> Result<Self, DeviceError> {
        let place = match decl.kind {
            RegionKind::Mailbox if decl.bytes > 0 => {
                Place::Host(Pinned::new(context, usize::try_from(decl.bytes).unwrap_or(usize::MAX))?)
            }
            _ => Place::Device(Address::new(context, decl.name, decl.bytes)?),
        };
        Ok(Self { place, staging: Arc::clone(staging), filling: Mutex::default() })
    }

    pub(crate) fn at(&self) -> u64 {
        match &self.place {
            Place::Device(address) => address.at,
            Place::Host(pinned) => pinned.device,
        }
    }

    fn context(&self) -> &Arc<Context> {
        match &self.place {
            Place::Device(address) => &address.context,
            Place::Host(pinned) => pinned.context(),
        }
    }

    /// Bytes of a mailbox from `offset` on, of which there are as many as a range that was checked has.
    fn mailbox(&self, offset: u64) -> Option<*mut u8> {
        match &self.place {
            Place::Device(_) => None,
            // SAFETY: inside the allocation: the range was checked against the region's size.
            Place::Host(pinned) => Some(unsafe { pinned.host.add(offset as usize) }),
        }
    }

    pub(crate) fn is_of(&self, context: &Arc<Context>) -> bool {
        Arc::ptr_eq(self.context(), context)
    }

    fn check(&self, offset: u64, len: u64) -> Result<(), DeviceError> {
        match offset.checked_add(len) {
            Some(end) if end <= self.bytes() => Ok(()),
            _ => Err(DeviceError::Range { offset, len, bytes: self.bytes() }),
        }
    }

    fn filling(&self) -> std::sync::MutexGuard<'_, Vec<Range<u64>>> {
        self.filling.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory for CudaMemory {
    fn bytes(&self) -> u64 {
        match &self.place {
            Place::Device(address) => address.bytes,
            Place::Host(pinned) => pinned.bytes as u64,
        }
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.check(offset, bytes.len() as u64)?;
        if bytes.is_empty() {
            return Ok(());
        }
        if let Some(to) = self.mailbox(offset) {
            // SAFETY: the range lies inside the region. No kernel that is queued reads it, by the caller's promise (`RegionKind::Mailbox`);
            // a launch after this orders the bytes before its kernels.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
            return Ok(());
        }
        let driver = self.context().enter()?;
        // SAFETY: the range lies inside the region; the copy has read `bytes` when the call returns.
        unsafe { driver.copy_in(self.at() + offset, bytes.as_ptr().cast(), bytes.len()) }
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        self.check(offset, out.len() as u64)?;
        if out.is_empty() {
            return Ok(());
        }
        if let Some(from) = self.mailbox(offset) {
            // SAFETY: the range lies inside the region; only hosts write it.
            unsafe { std::ptr::copy_nonoverlapping(from, out.as_mut_ptr(), out.len()) };
            return Ok(());
        }
        let driver = self.context().enter()?;
        // SAFETY: the range lies inside the region; the call returns when `out` is written.
        unsafe { driver.copy_out(out.as_mut_ptr().cast(), self.at() + offset, out.len()) }
    }

    fn copy(&self, from: u64, to: u64, len: u64) -> Result<(), DeviceError> {
        self.check(from, len)?;
        self.check(to, len)?;
        if len == 0 {
            return Ok(());
        }
        if let (Some(from), Some(to)) = (self.mailbox(from), self.mailbox(to)) {
            // SAFETY: both ranges lie inside the region, as above.
            unsafe { std::ptr::copy(from, to, len as usize) };
            return Ok(());
        }
        let driver = self.context().enter()?;
        // SAFETY: both ranges lie inside the region. The copy is queued; what is submitted after it waits for it, and so do
        // host accesses.
        unsafe { driver.copy_within(self.at() + to, self.at() + from, len as usize) }
    }

    fn fill(&self, offset: u64, len: u64, fill: &mut Fill<'_>) -> Result<(), DeviceError> {
        self.check(offset, len)?;
        let range = offset..offset + len;
        let mut filling = self.filling();
        if filling.iter().any(|r| r.start < range.end && range.start < r.end) {
            return Err(DeviceError::Overlap { offset, len });
        }
        filling.push(range.clone());
        drop(filling);
        let done = self.fill_range(offset, len as usize, fill);
        self.filling().retain(|r| *r != range);
        done
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl CudaMemory {
    fn fill_range(&self, offset: u64, len: usize, fill: &mut Fill<'_>) -> Result<(), DeviceError> {
        let buffer = self.staging.take(self.context(), len)?;
        // SAFETY: the buffer is at least `len` long and nobody else has it.
        let bytes = unsafe { std::slice::from_raw_parts_mut(buffer.host, len) };
        let filled = fill(bytes).map_err(DeviceError::Fill);
        let done = filled.and_then(|()| self.write(offset, bytes));
        self.staging.give(buffer);
        done
    }
}
