//! The Vulkan loader, looked for at run time, and the GPUs that it shows.

use super::identity::Identity;
use crate::DeviceError;
use akunu_kernels::vulkan::{Chip, Matrices, PUSH_BYTES, UNITS_SHARED, WIDE};
use ash::vk;
use std::sync::{Arc, OnceLock};

/// A GPU that the loader shows. Its number is its place in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedGpu {
    /// Name.
    pub name: String,
    /// The Vulkan version of its driver: major, minor.
    pub version: (u32, u32),
    /// Memory of its own, in bytes (of the system, where it has none).
    pub total_bytes: u64,
    /// What the kernels need and it lacks; empty where it has all.
    pub missing: Vec<&'static str>,
}

impl ListedGpu {
    /// Why the kernels cannot run on it; `None` where they can.
    pub fn obstacle(&self) -> Option<String> {
        let what = || format!("{} lacks {}", self.name, self.missing.join(", "));
        (!self.missing.is_empty()).then(what)
    }
}

/// Every GPU that the loader shows, in the order of their numbers.
pub fn gpus() -> Result<Vec<ListedGpu>, DeviceError> {
    let instance = Instance::new()?;
    Ok(instance.physical()?.into_iter().map(|p| instance.look_at(p).listed).collect())
}

/// A call that failed.
pub(crate) fn failed(call: &'static str, code: vk::Result) -> DeviceError {
    let remedy = match code {
        vk::Result::ERROR_DEVICE_LOST => {
            "the GPU was lost: its driver stopped it, or it went away; load the model again, or use --device cpu"
        }
        vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
            "use a smaller model or a shorter --ctx"
        }
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => "no driver for Vulkan is installed; use --device cpu",
        _ => "update the GPU's driver, or use --device cpu",
    };
    DeviceError::Vulkan { call, what: code.to_string(), remedy }
}

fn none(what: impl Into<String>) -> DeviceError {
    DeviceError::NoVulkan { what: what.into() }
}

/// Names of the loader's library.
const LIBRARIES: &[&str] = if cfg!(target_os = "windows") {
    &["vulkan-1.dll"]
} else if cfg!(target_vendor = "apple") {
    &["libvulkan.dylib", "libvulkan.1.dylib", "libMoltenVK.dylib"]
} else {
    &["libvulkan.so.1", "libvulkan.so"]
};

/// The loader's entry points. The library stays loaded until the process ends: drivers do not expect to be unloaded.
fn entry() -> Result<&'static ash::Entry, DeviceError> {
    static ENTRY: OnceLock<Result<ash::Entry, String>> = OnceLock::new();
    let load = || {
        let mut why = String::new();
        for name in LIBRARIES {
            // SAFETY: the loader's initialisation has no conditions of its own.
            match unsafe { libloading::Library::new(*name) } {
                Ok(library) => {
                    // SAFETY: the documented function of the loader with its C signature; the library is leaked, so it outlives
                    // every use.
                    let get =
                        unsafe { library.get::<vk::PFN_vkGetInstanceProcAddr>(b"vkGetInstanceProcAddr\0") };
                    let get = get.map(|f| *f).map_err(|e| e.to_string())?;
                    std::mem::forget(library);
                    let table = ash::StaticFn { get_instance_proc_addr: get };
                    // SAFETY: the loader's own function.
                    return Ok(unsafe { ash::Entry::from_static_fn(table) });
                }
                Err(e) => why = e.to_string(),
            }
        }
        Err(why)
    };
    ENTRY.get_or_init(load).as_ref().map_err(|why| none(format!("there is no Vulkan loader ({why})")))
}

/// A connection to the loader.
pub(crate) struct Instance {
    pub(crate) raw: ash::Instance,
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: created by `new`, destroyed once; whoever made something of it holds an Arc of this.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// What a GPU is and has.
pub(crate) struct Looked {
    pub(crate) listed: ListedGpu,
    /// Whose pipelines are its.
    pub(crate) identity: Identity,
    pub(crate) chip: Chip,
    /// The family of queues that compute.
    pub(crate) family: u32,
    /// Nanoseconds of a tick of its clock, where it has one.
    pub(crate) tick: Option<f64>,
    /// Whether its memory is the system's.
    pub(crate) unified: bool,
    /// Whether it is a processor that plays a GPU.
    pub(crate) software: bool,
    /// Push constants of 8 bits. None are used, but addresses of bytes are, which some validation layers take for such.
    pub(crate) push8: bool,
    /// Says how much memory is free (`VK_EXT_memory_budget`).
    pub(crate) budget: bool,
}

impl Instance {
    pub(crate) fn new() -> Result<Arc<Self>, DeviceError> {
        let entry = entry()?;
        let app = vk::ApplicationInfo::default().application_name(c"akunu").api_version(vk::API_VERSION_1_3);
        let create = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: a whole structure; nothing in it outlives the call.
        let raw = unsafe { entry.create_instance(&create, None) }.map_err(|e| match e {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => none("no driver for it is installed"),
            e => failed("vkCreateInstance", e),
        })?;
        Ok(Arc::new(Self { raw }))
    }

    /// The GPUs.
    pub(crate) fn physical(&self) -> Result<Vec<vk::PhysicalDevice>, DeviceError> {
        // SAFETY: a live instance.
        match unsafe { self.raw.enumerate_physical_devices() } {
            Ok(all) => Ok(all),
            Err(vk::Result::ERROR_INITIALIZATION_FAILED | vk::Result::ERROR_INCOMPATIBLE_DRIVER) => {
                Ok(Vec::new())
            }
            Err(e) => Err(failed("vkEnumeratePhysicalDevices", e)),
        }
    }

    /// What a GPU is and has.
    pub(crate) fn look_at(&self, gpu: vk::PhysicalDevice) -> Looked {
        let mut p11 = vk::PhysicalDeviceVulkan11Properties::default();
        let (mut f11, mut f12, mut f13) = (
            vk::PhysicalDeviceVulkan11Features::default(),
            vk::PhysicalDeviceVulkan12Features::default(),
            vk::PhysicalDeviceVulkan13Features::default(),
        );
        // SAFETY: a GPU of this instance.
        let version = unsafe { self.raw.get_physical_device_properties(gpu) }.api_version;
        let new_enough = version >= vk::API_VERSION_1_3;
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut p11);
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut f11);
        if new_enough {
            features = features.push_next(&mut f12).push_next(&mut f13);
        }
        // SAFETY: a GPU of this instance; older drivers are asked for no structure that they do not know, but Vulkan 1.1's, which
        // one of 1.0 leaves as it is.
        let (extensions, families, memory) = unsafe {
            self.raw.get_physical_device_properties2(gpu, &mut properties);
            self.raw.get_physical_device_features2(gpu, &mut features);
            (
                self.raw.enumerate_device_extension_properties(gpu).unwrap_or_default(),
                self.raw.get_physical_device_queue_family_properties(gpu),
                self.raw.get_physical_device_memory_properties(gpu),
            )
        };
        let (p, core) = (properties.properties, features.features);
        let (limits, kind) = (p.limits, p.device_type);
        let name =
            p.device_name_as_c_str().map_or_else(|_| "a GPU".into(), |n| n.to_string_lossy().into_owned());
        let computes = |flags: vk::QueueFlags| flags.contains(vk::QueueFlags::COMPUTE);
        // A family that does nothing else runs beside the desktop.
        let alone = families
            .iter()
            .position(|f| computes(f.queue_flags) && !f.queue_flags.contains(vk::QueueFlags::GRAPHICS));
        let family = alone.or_else(|| families.iter().position(|f| computes(f.queue_flags)));
        let has = [
            (new_enough, "Vulkan 1.3"),
            (family.is_some(), "queues that compute"),
            (core.shader_int64 != 0, "shaderInt64"),
            (core.shader_int16 != 0, "shaderInt16"),
            (f11.storage_buffer16_bit_access != 0, "storageBuffer16BitAccess"),
            (f12.storage_buffer8_bit_access != 0, "storageBuffer8BitAccess"),
            (f12.shader_int8 != 0, "shaderInt8"),
            (f12.shader_float16 != 0, "shaderFloat16"),
            (f12.buffer_device_address != 0, "bufferDeviceAddress"),
            (f12.timeline_semaphore != 0, "timelineSemaphore"),
            (f13.synchronization2 != 0, "synchronization2"),
            (f13.shader_integer_dot_product != 0, "shaderIntegerDotProduct"),
            (limits.max_push_constants_size >= PUSH_BYTES, "push constants of 128 bytes"),
            (limits.max_compute_work_group_invocations >= WIDE, "workgroups of 256"),
            (limits.max_compute_shared_memory_size >= 32 << 10, "32 KiB of shared memory"),
        ];
        let heaps = &memory.memory_heaps[..memory.memory_heap_count as usize];
        let local = heaps.iter().filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
        let stamps = family.map_or(0, |f| families[f].timestamp_valid_bits);
        let listed = ListedGpu {
            name,
            version: (vk::api_version_major(version), vk::api_version_minor(version)),
            total_bytes: local.map(|h| h.size).max().unwrap_or(0),
            missing: has.into_iter().filter(|(there, _)| !there).map(|(_, what)| what).collect(),
        };
        let shown = |name| extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        // Lanes exchange values beside the units.
        let exchange = vk::SubgroupFeatureFlags::BASIC | vk::SubgroupFeatureFlags::SHUFFLE;
        let units = shown(vk::KHR_COOPERATIVE_MATRIX_NAME)
            && f12.vulkan_memory_model != 0
            && p11.subgroup_size == 32
            && p11.subgroup_supported_operations.contains(exchange)
            && p11.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE)
            && limits.max_compute_shared_memory_size >= UNITS_SHARED
            && self.multiplies_matrices(gpu);
        let software = kind == vk::PhysicalDeviceType::CPU;
        Looked {
            listed,
            identity: Identity {
                vendor: p.vendor_id,
                device: p.device_id,
                cache: p.pipeline_cache_uuid,
                driver: p11.driver_uuid,
                subgroup: p11.subgroup_size,
            },
            chip: Chip {
                subgroup: p11.subgroup_size,
                matrices: if units { Matrices::F16 } else { Matrices::None },
            },
            family: family.unwrap_or(0) as u32,
            tick: (stamps != 0).then_some(f64::from(limits.timestamp_period)),
            push8: f12.storage_push_constant8 != 0,
            unified: software || kind == vk::PhysicalDeviceType::INTEGRATED_GPU,
            software,
            budget: shown(vk::EXT_MEMORY_BUDGET_NAME),
        }
    }

    /// Whether subgroups of a GPU that has `VK_KHR_cooperative_matrix` multiply matrices of the shape and types that the kernels use.
    fn multiplies_matrices(&self, gpu: vk::PhysicalDevice) -> bool {
        let Ok(entry) = entry() else { return false };
        let mut feature = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut feature);
        let functions = ash::khr::cooperative_matrix::Instance::new(entry, &self.raw);
        // SAFETY: a GPU of this instance, which has the extension.
        let shapes = unsafe {
            self.raw.get_physical_device_features2(gpu, &mut features);
            functions.get_physical_device_cooperative_matrix_properties(gpu).unwrap_or_default()
        };
        feature.cooperative_matrix != 0 && shapes.iter().any(is_used)
    }

    /// The GPU of a number, which has all that is needed.
    pub(crate) fn choose(&self, ordinal: u32) -> Result<(vk::PhysicalDevice, Looked), DeviceError> {
        let all = self.physical()?;
        let Some(gpu) = all.get(ordinal as usize) else {
            return Err(none(missing(ordinal, all.len())));
        };
        let looked = self.look_at(*gpu);
        match looked.listed.obstacle() {
            Some(what) => Err(none(what)),
            None => Ok((*gpu, looked)),
        }
    }
}

/// Whether the kernels use matrices of this shape and these types: 16 by 16 in f16, added up in f32, by a subgroup.
fn is_used(shape: &vk::CooperativeMatrixPropertiesKHR<'_>) -> bool {
    let (half, single) = (vk::ComponentTypeKHR::FLOAT16, vk::ComponentTypeKHR::FLOAT32);
    (shape.m_size, shape.n_size, shape.k_size) == (16, 16, 16)
        && [shape.a_type, shape.b_type] == [half; 2]
        && [shape.c_type, shape.result_type] == [single; 2]
        && shape.scope == vk::ScopeKHR::SUBGROUP
}

/// Why there is no GPU of that number.
fn missing(ordinal: u32, count: usize) -> String {
    let range = match count {
        0 => "no driver shows one".to_owned(),
        1 => "there is one, number 0".to_owned(),
        n => format!("there are {n}, numbers 0 to {}", n - 1),
    };
    format!("there is no GPU {ordinal}: {range}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_says_how_many_there_are() {
        assert!(missing(0, 0).contains("no driver"));
        assert!(missing(2, 1).contains("one, number 0"));
        assert!(missing(9, 3).contains("3, numbers 0 to 2"));
    }

    #[test]
    fn what_a_gpu_lacks_is_named() {
        let gpu = |missing| ListedGpu { name: "old".into(), version: (1, 1), total_bytes: 0, missing };
        assert_eq!(gpu(Vec::new()).obstacle(), None);
        assert_eq!(
            gpu(vec!["Vulkan 1.3", "shaderInt8"]).obstacle().as_deref(),
            Some("old lacks Vulkan 1.3, shaderInt8")
        );
    }

    #[test]
    fn only_matrices_of_16_by_16_in_f16_are_used() {
        let (half, single) = (vk::ComponentTypeKHR::FLOAT16, vk::ComponentTypeKHR::FLOAT32);
        let good = vk::CooperativeMatrixPropertiesKHR {
            m_size: 16,
            n_size: 16,
            k_size: 16,
            a_type: half,
            b_type: half,
            c_type: single,
            result_type: single,
            scope: vk::ScopeKHR::SUBGROUP,
            ..Default::default()
        };
        assert!(is_used(&good));
        assert!(!is_used(&vk::CooperativeMatrixPropertiesKHR { n_size: 8, ..good }));
        assert!(!is_used(&vk::CooperativeMatrixPropertiesKHR { c_type: half, result_type: half, ..good }));
        assert!(!is_used(&vk::CooperativeMatrixPropertiesKHR { scope: vk::ScopeKHR::WORKGROUP, ..good }));
    }
}
