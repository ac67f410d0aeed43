//! Loaded machine code: each distinct kernel once per device.

use super::compile::{self, Made, Source};
use super::context::Context;
use crate::DeviceError;
use cudarc::driver::sys as cu;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A module that unloads itself.
struct Module {
    context: Arc<Context>,
    raw: cu::CUmodule,
}

// SAFETY: a handle of the driver, which locks.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Drop for Module {
    fn drop(&mut self) {
        if let Ok(d) = self.context.enter() {
            // SAFETY: loaded by `Modules::load`, unloaded once; functions of it hold an Arc of this.
            let _ = unsafe { d.module_unload(self.raw) };
        }
    }
}

/// A kernel of a loaded module.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) raw: cu::CUfunction,
    _module: Arc<Module>,
}

/// The modules of one device.
pub(crate) struct Modules {
    context: Arc<Context>,
    loaded: Mutex<HashMap<Source, Arc<Module>>>,
    made: Mutex<Made>,
}

impl Modules {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), loaded: Mutex::default(), made: Mutex::default() }
    }

    fn loaded(&self) -> MutexGuard<'_, HashMap<Source, Arc<Module>>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many kernels were made so far, and how many of them had to be compiled.
    pub(crate) fn made(&self) -> Made {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads what is not loaded yet.
    pub(crate) fn load(&self, sources: &[Source]) -> Result<(), DeviceError> {
        let missing: Vec<Source> = {
            let loaded = self.loaded();
            sources.iter().filter(|s| !loaded.contains_key(s)).cloned().collect()
        };
        if missing.is_empty() {
            return Ok(());
        }
        let (code, made) = compile::machine_code(&missing, self.context.gpu.sm)?;
        {
            let mut m = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            m.kernels += made.kernels;
            m.compiled += made.compiled;
        }
        let d = self.context.enter()?;
        for (source, image) in code {
            let mut raw: cu::CUmodule = std::ptr::null_mut();
            // SAFETY: the image is a whole cubin (the cache's hash or the compiler vouches for it), which says its
            // own length.
            unsafe { d.module_load(&mut raw, image.as_ptr().cast())? };
            let module = Arc::new(Module { context: Arc::clone(&self.context), raw });
            self.loaded().insert(source, module);
        }
        Ok(())
    }

    /// A loaded kernel, ready for this much dynamic shared memory.
    pub(crate) fn function(&self, source: &Source, name: &str, shared: u32) -> Result<Function, DeviceError> {
        let module = self.loaded().get(source).cloned().ok_or(DeviceError::Foreign { what: "kernel" })?;
        let d = self.context.enter()?;
        let mut raw: cu::CUfunction = std::ptr::null_mut();
        let entry = CString::new(name).map_err(|_| DeviceError::Foreign { what: "kernel" })?;
        use cu::CUfunction_attribute_enum as a;
        // SAFETY: a writable pointer, a loaded module, a C string; then attributes of the function just found.
        unsafe {
            d.module_function(&mut raw, module.raw, entry.as_ptr())?;
            if shared > 0 {
                d.function_attribute(raw, a::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)?;
            }
            // One division of the cache for all kernels: to change it a multiprocessor must run empty, which would
            // keep neighbouring kernels from overlapping.
            d.function_attribute(raw, a::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100)?;
        }
        Ok(Function { raw, _module: module })
    }
}
