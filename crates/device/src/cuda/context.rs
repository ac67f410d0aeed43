//! One GPU as this process holds it: the shared context, and addresses that free themselves.

use super::driver::Driver;
use crate::DeviceError;
use akunu_kernels::cuda::Gpu;
use cudarc::driver::sys as cu;
use std::sync::Arc;

/// A GPU's context. Every call of this module may come from any thread.
pub(crate) struct Context {
    pub(crate) driver: &'static Driver,
    device: cu::CUdevice,
    raw: cu::CUcontext,
    pub(crate) gpu: Gpu,
    pub(crate) name: String,
    /// CUDA version of the driver, 1000 major + 10 minor.
    pub(crate) driver_version: i32,
}

// SAFETY: a context may be used from any thread that makes it current, which `enter` does; the driver locks.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

/// Oldest compute capability that the kernels are written for.
const OLDEST: u32 = 80;
/// Oldest driver: CUDA 12.0.
const OLDEST_DRIVER: i32 = 12_000;

impl Context {
    /// Opens a GPU by number.
    pub(crate) fn open(ordinal: u32) -> Result<Arc<Self>, DeviceError> {
        let driver = Driver::get()?;
        let mut version = 0;
        let mut count = 0;
        let mut device = 0;
        let mut raw: cu::CUcontext = std::ptr::null_mut();
        let mut name = [0u8; 128];
        // SAFETY: every pointer is to a local of the documented type; the name's buffer has the length given.
        unsafe {
            driver.init(0)?;
            driver.driver_version(&mut version)?;
            if version < OLDEST_DRIVER {
                let what = format!(
                    "the NVIDIA driver knows CUDA {}.{}; 12.0 or newer is needed",
                    version / 1000,
                    version % 1000 / 10
                );
                return Err(DeviceError::NoCuda { what });
            }
            driver.device_count(&mut count)?;
            if ordinal >= count as u32 {
                let what = format!("there is no GPU {ordinal}; the driver shows {count}");
                return Err(DeviceError::NoCuda { what });
            }
            driver.device_get(&mut device, ordinal as i32)?;
            driver.device_name(name.as_mut_ptr().cast(), name.len() as i32, device)?;
        }
        let attribute = |what| {
            let mut v = 0;
            // SAFETY: a writable integer, a device from the driver.
            unsafe { driver.device_attribute(&mut v, what, device) }.map(|()| v as u32)
        };
        use cu::CUdevice_attribute_enum as a;
        let sm = attribute(a::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? * 10
            + attribute(a::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let gpu = Gpu {
            sm,
            multiprocessors: attribute(a::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            shared: attribute(a::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        };
        let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        if sm < OLDEST {
            let what =
                format!("{name} has compute capability {}.{}; 8.0 or newer is needed", sm / 10, sm % 10);
            return Err(DeviceError::NoCuda { what });
        }
        // SAFETY: a writable pointer, a device from the driver.
        unsafe { driver.context_retain(&mut raw, device)? };
        Ok(Arc::new(Self { driver, device, raw, gpu, name, driver_version: version }))
    }

    /// Makes this the calling thread's context, and gives the driver.
    pub(crate) fn enter(&self) -> Result<&'static Driver, DeviceError> {
        // SAFETY: retained by `open` until `drop`.
        unsafe { self.driver.context_set(self.raw)? };
        Ok(self.driver)
    }

    pub(crate) fn raw(&self) -> cu::CUcontext {
        self.raw
    }

    /// (free, total) bytes.
    pub(crate) fn memory(&self) -> Result<(u64, u64), DeviceError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: two writable words.
        unsafe { self.enter()?.memory_info(&mut free, &mut total)? };
        Ok((free as u64, total as u64))
    }

    /// The architecture that NVRTC compiles for: the GPU's own instructions where it has special ones.
    pub(crate) fn arch(&self) -> String {
        arch(self.gpu.sm)
    }
}

/// NVRTC's name of an architecture: `sm_90a`, `sm_80`.
pub(crate) fn arch(sm: u32) -> String {
    if sm == 90 { "sm_90a".into() } else { format!("sm_{sm}") }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once by `open`; whoever uses the context holds an Arc of this.
        let _ = unsafe { self.driver.context_release(self.device) };
    }
}

/// Device memory that frees itself.
pub(crate) struct Address {
    pub(crate) context: Arc<Context>,
    pub(crate) at: cu::CUdeviceptr,
    pub(crate) bytes: u64,
}

impl Address {
    /// Allocates, zeroed.
    pub(crate) fn new(context: &Arc<Context>, name: &'static str, bytes: u64) -> Result<Self, DeviceError> {
        let driver = context.enter()?;
        let mut at = 0;
        // Kernels may be handed an empty range; a page keeps its address valid.
        let size = usize::try_from(bytes.max(256)).map_err(|_| DeviceError::OutOfMemory {
            region: name,
            bytes,
            source: std::io::ErrorKind::OutOfMemory.into(),
        })?;
        // SAFETY: a writable address; the fill stays inside what was just allocated.
        unsafe {
            driver.memory_alloc(&mut at, size).map_err(|e| DeviceError::OutOfMemory {
                region: name,
                bytes,
                source: std::io::Error::new(std::io::ErrorKind::OutOfMemory, e.to_string()),
            })?;
            let address = Self { context: Arc::clone(context), at, bytes };
            driver.fill8(at, 0, size)?;
            Ok(address)
        }
    }
}

impl Drop for Address {
    fn drop(&mut self) {
        if let Ok(driver) = self.context.enter() {
            // SAFETY: allocated by `new`, freed once. The driver waits for kernels that may still use it.
            let _ = unsafe { driver.memory_free(self.at) };
        }
    }
}

/// Pinned host memory.
pub(crate) struct Pinned {
    context: Arc<Context>,
    pub(crate) host: *mut u8,
    pub(crate) device: cu::CUdeviceptr,
    pub(crate) bytes: usize,
}

// SAFETY: plain memory; who touches what when is up to its users.
unsafe impl Send for Pinned {}
// SAFETY: as above.
unsafe impl Sync for Pinned {}

impl Pinned {
    /// Allocates, zeroed, seen by host and device.
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, DeviceError> {
        let driver = context.enter()?;
        let mut host = std::ptr::null_mut();
        let mut device = 0;
        // SAFETY: writable pointers; the fill stays inside the allocation.
        unsafe {
            driver.host_alloc(
                &mut host,
                bytes,
                cu::CU_MEMHOSTALLOC_DEVICEMAP | cu::CU_MEMHOSTALLOC_PORTABLE,
            )?;
            std::ptr::write_bytes(host.cast::<u8>(), 0, bytes);
            driver.host_device_address(&mut device, host, 0)?;
        }
        Ok(Self { context: Arc::clone(context), host: host.cast(), device, bytes })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Ok(driver) = self.context.enter() {
            // SAFETY: allocated by `new`, freed once.
            let _ = unsafe { driver.host_free(self.host.cast()) };
        }
    }
}
