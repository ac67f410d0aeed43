//! Regions: memory that the host and the GPU share. The host reads and writes in place, once nothing that is queued runs.

use super::context::Context;
use super::gpu::Gpu;
use crate::{DeviceError, Fill, Memory};
use akunu_plan::RegionDecl;
use std::any::Any;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// A region.
pub(crate) struct MetalMemory<G: Gpu> {
    context: Arc<Context<G>>,
    pub(crate) buffer: G::Buffer,
    bytes: u64,
    /// Ranges that hosts fill now.
    filling: Mutex<Vec<Range<u64>>>,
}

impl<G: Gpu> MetalMemory<G> {
    pub(crate) fn new(context: &Arc<Context<G>>, decl: &RegionDecl) -> Result<Self, DeviceError> {
        // Kernels may be handed an empty range; a line keeps its address valid.
        let buffer = context.gpu.buffer(decl.name, decl.bytes.max(64))?;
        Ok(Self { context: Arc::clone(context), buffer, bytes: decl.bytes, filling: Mutex::default() })
    }

    pub(crate) fn is_of(&self, context: &Arc<Context<G>>) -> bool {
        Arc::ptr_eq(&self.context, context)
    }

    fn check(&self, offset: u64, len: u64) -> Result<(), DeviceError> {
        match offset.checked_add(len) {
            Some(end) if end <= self.bytes => Ok(()),
            _ => Err(DeviceError::Range { offset, len, bytes: self.bytes }),
        }
    }

    /// A range for the host, checked, once nothing runs.
    fn at(&self, offset: u64, len: u64) -> Result<*mut u8, DeviceError> {
        self.check(offset, len)?;
        self.context.idle()?;
        // SAFETY: the range was checked against the buffer's size.
        Ok(unsafe { G::contents(&self.buffer).add(offset as usize) })
    }
}

impl<G: Gpu> Memory for MetalMemory<G> {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let at = self.at(offset, bytes.len() as u64)?;
        // SAFETY: a checked range that nothing queued touches; `bytes` is no part of it, since nobody has a reference into a region but
        // `fill`, whose contract forbids this call.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len()) };
        Ok(())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), DeviceError> {
        let at = self.at(offset, out.len() as u64)?;
        // SAFETY: a checked range that nothing queued touches; `out` is no part of it, as above.
        unsafe { std::ptr::copy_nonoverlapping(at, out.as_mut_ptr(), out.len()) };
        Ok(())
    }

    fn copy(&self, from: u64, to: u64, len: u64) -> Result<(), DeviceError> {
        let (from, to) = (self.at(from, len)?, self.at(to, len)?);
        // SAFETY: checked ranges that nothing queued touches; `copy` allows that they overlap, although no caller may ask for it.
        unsafe { std::ptr::copy(from, to, len as usize) };
        Ok(())
    }

    fn fill(&self, offset: u64, len: u64, fill: &mut Fill<'_>) -> Result<(), DeviceError> {
        let at = self.at(offset, len)?;
        let range = offset..offset + len;
        let lock = || self.filling.lock().unwrap_or_else(PoisonError::into_inner);
        let mut filling = lock();
        if filling.iter().any(|r| r.start < range.end && range.start < r.end) {
            return Err(DeviceError::Overlap { offset, len });
        }
        filling.push(range.clone());
        drop(filling);
        // SAFETY: a checked range that no other host fills; `fill`'s contract forbids submitting what touches it meanwhile.
        let bytes = unsafe { std::slice::from_raw_parts_mut(at, len as usize) };
        let done = fill(bytes).map_err(DeviceError::Fill);
        lock().retain(|r| *r != range);
        done
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Waits until nothing uses the region any more.
impl<G: Gpu> Drop for MetalMemory<G> {
    fn drop(&mut self) {
        // A lost device uses nothing.
        let _ = self.context.idle();
    }
}
