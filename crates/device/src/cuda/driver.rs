//! The CUDA driver, loaded when it is there: one typed, counted function for each of its calls that we make.
//! Nothing in this crate calls the driver past this file, so [`calls`] counts every call.

use crate::DeviceError;
use cudarc::driver::sys as cu;
use libloading::Library;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static CALLS: AtomicU64 = AtomicU64::new(0);

/// Driver calls of this process so far.
pub fn calls() -> u64 {
    CALLS.load(Ordering::Relaxed)
}

macro_rules! driver {
    ($($(#[$doc:meta])* $method:ident = $symbol:literal ($($arg:ident: $ty:ty),*);)*) => {
        /// The driver's functions; `None` where this driver is too old to have one.
        pub(crate) struct Driver {
            _library: Library,
            $($method: Option<unsafe extern "C" fn($($ty),*) -> cu::CUresult>,)*
        }

        impl Driver {
            fn of(library: Library) -> Self {
                Self {
                    // SAFETY: the symbols are the driver's documented functions with these C signatures; the
                    // library stays loaded as long as the pointers (it is never dropped: see `get`).
                    $($method: unsafe { library.get($symbol) }.ok().map(|s| *s),)*
                    _library: library,
                }
            }

            $(
                $(#[$doc])*
                ///
                /// # Safety
                /// As the driver documents for this function.
                pub(crate) unsafe fn $method(&self, $($arg: $ty),*) -> Result<(), DeviceError> {
                    CALLS.fetch_add(1, Ordering::Relaxed);
                    let name = stringify!($method);
                    let Some(f) = self.$method else {
                        return Err(DeviceError::Cuda {
                            call: name,
                            code: None,
                            what: "this driver does not have it".into(),
                            remedy: "update the NVIDIA driver (580 or newer has everything)",
                        });
                    };
                    // SAFETY: the caller's promise.
                    match unsafe { f($($arg),*) } {
                        cu::cudaError_enum::CUDA_SUCCESS => Ok(()),
                        code => Err(self.error(name, code)),
                    }
                }
            )*
        }
    };
}

driver! {
    /// Starts the driver.
    init = b"cuInit\0" (flags: c_uint);
    /// The newest CUDA that the driver knows, as 1000 major + 10 minor.
    driver_version = b"cuDriverGetVersion\0" (version: *mut c_int);
    /// Devices of the machine.
    device_count = b"cuDeviceGetCount\0" (count: *mut c_int);
    /// Device by number.
    device_get = b"cuDeviceGet\0" (device: *mut cu::CUdevice, ordinal: c_int);
    /// Its memory in all, in bytes.
    device_memory = b"cuDeviceTotalMem_v2\0" (bytes: *mut usize, device: cu::CUdevice);
    /// Its name.
    device_name = b"cuDeviceGetName\0" (name: *mut c_char, len: c_int, device: cu::CUdevice);
    /// An attribute.
    device_attribute = b"cuDeviceGetAttribute\0" (value: *mut c_int, what: cu::CUdevice_attribute, device: cu::CUdevice);
    /// The context that all users of a device in a process share.
    context_retain = b"cuDevicePrimaryCtxRetain\0" (context: *mut cu::CUcontext, device: cu::CUdevice);
    /// Gives it back.
    context_release = b"cuDevicePrimaryCtxRelease_v2\0" (device: cu::CUdevice);
    /// Makes a context this thread's.
    context_set = b"cuCtxSetCurrent\0" (context: cu::CUcontext);
    /// Free and total bytes.
    memory_info = b"cuMemGetInfo_v2\0" (free: *mut usize, total: *mut usize);
    /// Device memory.
    memory_alloc = b"cuMemAlloc_v2\0" (address: *mut cu::CUdeviceptr, bytes: usize);
    /// Frees it.
    memory_free = b"cuMemFree_v2\0" (address: cu::CUdeviceptr);
    /// Pinned host memory that the device sees too.
    host_alloc = b"cuMemHostAlloc\0" (address: *mut *mut c_void, bytes: usize, flags: c_uint);
    /// Frees it.
    host_free = b"cuMemFreeHost\0" (address: *mut c_void);
    /// Its address on the device.
    host_device_address = b"cuMemHostGetDevicePointer_v2\0" (address: *mut cu::CUdeviceptr, host: *mut c_void, flags: c_uint);
    /// Host to device, after what is queued.
    copy_in = b"cuMemcpyHtoD_v2\0" (to: cu::CUdeviceptr, from: *const c_void, bytes: usize);
    /// Device to host, after what is queued.
    copy_out = b"cuMemcpyDtoH_v2\0" (to: *mut c_void, from: cu::CUdeviceptr, bytes: usize);
    /// From one place to another, after what is queued; returns before it is done.
    copy_within = b"cuMemcpyDtoD_v2\0" (to: cu::CUdeviceptr, from: cu::CUdeviceptr, bytes: usize);
    /// Fills with a byte.
    fill8 = b"cuMemsetD8_v2\0" (to: cu::CUdeviceptr, value: u8, bytes: usize);
    /// Fills with a word, queued.
    fill32_async = b"cuMemsetD32Async\0" (to: cu::CUdeviceptr, value: c_uint, count: usize, stream: cu::CUstream);
    /// A queue.
    stream_create = b"cuStreamCreate\0" (stream: *mut cu::CUstream, flags: c_uint);
    /// Ends it.
    stream_destroy = b"cuStreamDestroy_v2\0" (stream: cu::CUstream);
    /// Waits for it.
    stream_synchronize = b"cuStreamSynchronize\0" (stream: cu::CUstream);
    /// Whether it is idle.
    stream_query = b"cuStreamQuery\0" (stream: cu::CUstream);
    /// Machine code.
    module_load = b"cuModuleLoadData\0" (module: *mut cu::CUmodule, image: *const c_void);
    /// A kernel of it.
    module_function = b"cuModuleGetFunction\0" (function: *mut cu::CUfunction, module: cu::CUmodule, name: *const c_char);
    /// Drops it.
    module_unload = b"cuModuleUnload\0" (module: cu::CUmodule);
    /// A property of a kernel.
    function_attribute = b"cuFuncSetAttribute\0" (function: cu::CUfunction, what: cu::CUfunction_attribute, value: c_int);
    /// Launches one kernel.
    launch = b"cuLaunchKernel\0" (
        function: cu::CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, stream: cu::CUstream, params: *mut *mut c_void, extra: *mut *mut c_void
    );
    /// A tile view of a matrix.
    tensor_map = b"cuTensorMapEncodeTiled\0" (
        map: *mut cu::CUtensorMap, dtype: cu::CUtensorMapDataType, rank: u32, address: *mut c_void, dim: *const u64,
        strides: *const u64, tile: *const u32, element_strides: *const u32, interleave: cu::CUtensorMapInterleave,
        swizzle: cu::CUtensorMapSwizzle, promotion: cu::CUtensorMapL2promotion, fill: cu::CUtensorMapFloatOOBfill
    );
    /// An empty graph.
    graph_create = b"cuGraphCreate\0" (graph: *mut cu::CUgraph, flags: c_uint);
    /// Drops it.
    graph_destroy = b"cuGraphDestroy\0" (graph: cu::CUgraph);
    /// A kernel node.
    graph_kernel = b"cuGraphAddKernelNode_v2\0" (
        node: *mut cu::CUgraphNode, graph: cu::CUgraph, after: *const cu::CUgraphNode, count: usize,
        params: *const cu::CUDA_KERNEL_NODE_PARAMS
    );
    /// Any node, with edges of any type.
    graph_node = b"cuGraphAddNode_v2\0" (
        node: *mut cu::CUgraphNode, graph: cu::CUgraph, after: *const cu::CUgraphNode,
        edges: *const cu::CUgraphEdgeData, count: usize, params: *mut cu::CUgraphNodeParams
    );
    /// The word that a conditional node looks at.
    graph_condition = b"cuGraphConditionalHandleCreate\0" (
        handle: *mut cu::CUgraphConditionalHandle, graph: cu::CUgraph, context: cu::CUcontext, default: c_uint,
        flags: c_uint
    );
    /// The form of a graph that can be launched.
    graph_instantiate = b"cuGraphInstantiateWithFlags\0" (exec: *mut cu::CUgraphExec, graph: cu::CUgraph, flags: u64);
    /// Drops it.
    graph_exec_destroy = b"cuGraphExecDestroy\0" (exec: cu::CUgraphExec);
    /// Puts it onto the device before its first launch.
    graph_upload = b"cuGraphUpload\0" (exec: cu::CUgraphExec, stream: cu::CUstream);
    /// Queues it.
    graph_launch = b"cuGraphLaunch\0" (exec: cu::CUgraphExec, stream: cu::CUstream);
}

impl Driver {
    /// The process's driver; an error that says why there is none.
    pub(crate) fn get() -> Result<&'static Self, DeviceError> {
        static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
        let found = DRIVER.get_or_init(|| {
            let names: &[&str] =
                if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };
            let mut why = String::new();
            for name in names {
                // SAFETY: the driver's library has no load-time code that we would have to guard against.
                match unsafe { Library::new(*name) } {
                    Ok(l) => return Ok(Self::of(l)),
                    Err(e) => why = format!("{name}: {e}"),
                }
            }
            Err(why)
        });
        found.as_ref().map_err(|what| DeviceError::NoDriver { what: what.clone() })
    }

    /// Whether it has graphs whose body repeats until the device says stop.
    pub(crate) fn has_conditions(&self) -> bool {
        self.graph_condition.is_some() && self.graph_node.is_some()
    }

    fn error(&self, call: &'static str, code: cu::CUresult) -> DeviceError {
        let mut text: *const c_char = std::ptr::null();
        let mut what = format!("error ({})", code as u32);
        type Text = unsafe extern "C" fn(cu::CUresult, *mut *const c_char) -> cu::CUresult;
        // SAFETY: the documented function; the driver writes the address of a constant C string, or nothing for
        // codes that it does not know.
        unsafe {
            if let Ok(f) = self._library.get::<Text>(b"cuGetErrorString\0")
                && f(code, &mut text) == cu::cudaError_enum::CUDA_SUCCESS
                && !text.is_null()
            {
                what = format!("{} ({})", std::ffi::CStr::from_ptr(text).to_string_lossy(), code as u32);
            }
        }
        use cu::cudaError_enum as e;
        let remedy = match code {
            e::CUDA_ERROR_OUT_OF_MEMORY => "free memory on the GPU, or choose --device cpu",
            e::CUDA_ERROR_NO_DEVICE => "no GPU can be used here; use --device cpu",
            e::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
                "the driver and the kernel module differ; restart the machine, or use --device cpu"
            }
            e::CUDA_ERROR_NO_BINARY_FOR_GPU | e::CUDA_ERROR_INVALID_IMAGE => {
                "the compiled kernel does not fit this GPU; clear the kernel cache (akunu doctor shows where)"
            }
            _ => "the device is lost to this process; start again, or use --device cpu",
        };
        DeviceError::Cuda { call, code: Some(code as u32), what, remedy }
    }
}
