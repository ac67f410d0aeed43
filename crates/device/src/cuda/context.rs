//! One GPU as this process holds it: the shared context, and addresses that free themselves.

use super::driver::Driver;
use crate::DeviceError;
use akunu_kernels::cuda::Gpu;
use cu::CUdevice_attribute_enum as attribute;
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
// SAFETY: nothing in it changes after `open`; the driver locks.
unsafe impl Sync for Context {}

/// Oldest compute capability that the kernels are written for.
const OLDEST: u32 = 80;
/// Oldest driver: CUDA 12.0.
const OLDEST_DRIVER: i32 = 12_000;
/// The driver's answer where it has no GPU to show.
const NO_DEVICE: u32 = cu::cudaError_enum::CUDA_ERROR_NO_DEVICE as u32;

/// The variable with which the driver is told which GPUs to show.
const VISIBLE_VAR: &str = "CUDA_VISIBLE_DEVICES";

/// A GPU that the driver shows. Its number is its place in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedGpu {
    /// Name.
    pub name: String,
    /// Compute capability, 10 major + minor.
    pub sm: u32,
    /// Memory in all, in bytes.
    pub total_bytes: u64,
}

impl ListedGpu {
    /// Why the kernels cannot run on it; `None` where they can.
    pub fn obstacle(&self) -> Option<String> {
        let (major, minor) = (self.sm / 10, self.sm % 10);
        (self.sm < OLDEST)
            .then(|| format!("{} has compute capability {major}.{minor}; 8.0 or newer is needed", self.name))
    }

    /// The architecture that is compiled for.
    pub fn arch(&self) -> String {
        arch(self.sm)
    }
}

/// Every GPU that the driver shows, in the order of their numbers.
pub fn gpus() -> Result<Vec<ListedGpu>, DeviceError> {
    let started = Started::new()?;
    (0..started.count).map(|n| Ok(started.gpu(n)?.1)).collect()
}

/// Why there is no GPU of that number.
fn missing(ordinal: u32, count: u32, visible: Option<&str>) -> String {
    let range = match count {
        0 => "it shows none".to_owned(),
        1 => "it shows one, number 0".to_owned(),
        n => format!("it shows {n}, numbers 0 to {}", n - 1),
    };
    let because = visible.map(|v| format!(" ({VISIBLE_VAR}={v})")).unwrap_or_default();
    format!("the NVIDIA driver has no GPU {ordinal}: {range}{because}")
}

/// The driver, started.
struct Started {
    driver: &'static Driver,
    /// Its CUDA version, 1000 major + 10 minor.
    version: i32,
    /// GPUs that it shows.
    count: u32,
}

impl Started {
    fn new() -> Result<Self, DeviceError> {
        let driver = Driver::get()?;
        let (mut version, mut count) = (0, 0);
        // SAFETY: no arguments but a flag that must be 0.
        match unsafe { driver.init(0) } {
            // So it answers where the variable hides every GPU.
            Err(DeviceError::Cuda { code: Some(NO_DEVICE), .. }) => {
                return Ok(Self { driver, version, count: 0 });
            }
            started => started?,
        }
        // SAFETY: a writable integer each.
        unsafe {
            driver.driver_version(&mut version)?;
            driver.device_count(&mut count)?;
        }
        if version < OLDEST_DRIVER {
            let (major, minor) = (version / 1000, version % 1000 / 10);
            let what = format!("the NVIDIA driver knows CUDA {major}.{minor}; 12.0 or newer is needed");
            return Err(DeviceError::NoCuda { what });
        }
        Ok(Self { driver, version, count: u32::try_from(count).unwrap_or(0) })
    }

    /// GPU number `ordinal`.
    fn gpu(&self, ordinal: u32) -> Result<(cu::CUdevice, ListedGpu), DeviceError> {
        let number = i32::try_from(ordinal).ok().filter(|_| ordinal < self.count);
        let Some(number) = number else {
            let visible = std::env::var(VISIBLE_VAR).ok();
            let what = missing(ordinal, self.count, visible.as_deref());
            return Err(DeviceError::NoCuda { what });
        };
        let (mut device, mut bytes, mut name) = (0, 0, [0u8; 128]);
        // SAFETY: every pointer is to a local of the documented type; the name's buffer has the length given; the device
        // comes from the driver.
        unsafe {
            self.driver.device_get(&mut device, number)?;
            self.driver.device_name(name.as_mut_ptr().cast(), name.len() as i32, device)?;
            self.driver.device_memory(&mut bytes, device)?;
        }
        let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        let name = String::from_utf8_lossy(&name[..end]).into_owned();
        let sm = self.attribute(device, attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? * 10
            + self.attribute(device, attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok((device, ListedGpu { name, sm, total_bytes: bytes as u64 }))
    }

    fn attribute(&self, device: cu::CUdevice, what: attribute) -> Result<u32, DeviceError> {
        let mut v = 0;
        // SAFETY: a writable integer, a device from the driver.
        unsafe { self.driver.device_attribute(&mut v, what, device) }.map(|()| v as u32)
    }
}

impl Context {
    /// Opens a GPU by number.
    pub(crate) fn open(ordinal: u32) -> Result<Arc<Self>, DeviceError> {
        let started = Started::new()?;
        let (device, listed) = started.gpu(ordinal)?;
        if let Some(what) = listed.obstacle() {
            return Err(DeviceError::NoCuda { what });
        }
        let gpu = Gpu {
            sm: listed.sm,
            multiprocessors: started
                .attribute(device, attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            shared: started
                .attribute(device, attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        };
        let (driver, name, driver_version) = (started.driver, listed.name, started.version);
        let mut raw: cu::CUcontext = std::ptr::null_mut();
        // SAFETY: a writable pointer, a device from the driver.
        unsafe { driver.context_retain(&mut raw, device)? };
        Ok(Arc::new(Self { driver, device, raw, gpu, name, driver_version }))
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

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_says_how_many_there_are() {
        for (count, visible, words) in [
            (0, Some(""), &["no GPU 7", "it shows none", "(CUDA_VISIBLE_DEVICES=)"][..]),
            (1, None, &["no GPU 7", "one, number 0"]),
            (2, Some("4,5"), &["no GPU 7", "2, numbers 0 to 1", "(CUDA_VISIBLE_DEVICES=4,5)"]),
        ] {
            let text = missing(7, count, visible);
            assert!(words.iter().all(|w| text.contains(w)), "{text}");
            assert!(visible.is_some() || !text.contains("CUDA_VISIBLE"), "{text}");
        }
    }

    #[test]
    fn an_old_gpu_says_what_is_needed() {
        let gpu = |sm| ListedGpu { name: "T4".into(), sm, total_bytes: 0 };
        assert!(gpu(75).obstacle().is_some_and(|why| why.contains("7.5; 8.0 or newer")));
        assert_eq!(gpu(80).obstacle(), None);
    }
}
