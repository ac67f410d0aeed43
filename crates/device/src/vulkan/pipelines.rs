//! Kernels with their constants, ready to be launched: each once per device.

use super::cache::Cache;
use super::context::Context;
use super::instance::failed;
use crate::DeviceError;
use ash::vk;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A pipeline that frees itself.
pub(crate) struct Pipeline {
    context: Arc<Context>,
    pub(crate) raw: vk::Pipeline,
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: made by `Pipelines::get`, destroyed once; replays hold an Arc of it and wait before they go.
        unsafe { self.context.device.destroy_pipeline(self.raw, None) };
    }
}

/// What a pipeline is made of: SPIR-V, which lies in this program, and constants.
type Key = (usize, Vec<u32>);

/// The pipelines of one device.
pub(crate) struct Pipelines {
    context: Arc<Context>,
    pub(crate) cache: Cache,
    made: Mutex<HashMap<Key, Arc<Pipeline>>>,
}

impl Pipelines {
    /// With what earlier processes left in `folder`.
    pub(crate) fn new(context: &Arc<Context>, folder: Option<&Path>) -> Result<Self, DeviceError> {
        let cache = Cache::new(context, folder)?;
        Ok(Self { context: Arc::clone(context), cache, made: Mutex::default() })
    }

    /// A kernel with constants; specialization constant `i` is the `i`-th of them.
    pub(crate) fn get(
        &self,
        name: &'static str,
        code: &'static [u8],
        consts: &[u32],
    ) -> Result<Arc<Pipeline>, DeviceError> {
        let key: Key = (code.as_ptr() as usize, consts.to_vec());
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(p) = made().get(&key) {
            return Ok(Arc::clone(p));
        }
        // Not under the lock: drivers take their time, and threads make different kernels at once.
        let pipeline = Arc::new(self.make(name, code, consts)?);
        Ok(Arc::clone(made().entry(key).or_insert(pipeline)))
    }

    fn make(&self, name: &'static str, code: &[u8], consts: &[u32]) -> Result<Pipeline, DeviceError> {
        let device = &self.context.device;
        let refused = |e: vk::Result| DeviceError::Pipeline { kernel: name, what: e.to_string() };
        let words: Vec<u32> = code.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        let entries: Vec<vk::SpecializationMapEntry> = (0..consts.len() as u32)
            .map(|i| vk::SpecializationMapEntry { constant_id: i, offset: 4 * i, size: 4 })
            .collect();
        let special =
            vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(consts));
        // SAFETY: valid SPIR-V (tools/vulkan-kernels.sh), whose features the device has.
        let module =
            unsafe { device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None) }
                .map_err(refused)?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main")
            .specialization_info(&special);
        let mut feedback = vk::PipelineCreationFeedback::default();
        let mut asked =
            vk::PipelineCreationFeedbackCreateInfo::default().pipeline_creation_feedback(&mut feedback);
        let create = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(self.context.layout)
            .push_next(&mut asked)];
        // SAFETY: whole structures, of which the driver fills in `feedback`; the module goes once the pipeline is made, or refused.
        // Drivers lock the cache themselves.
        let made = unsafe {
            let made = device.create_compute_pipelines(self.cache.raw, &create, None);
            device.destroy_shader_module(module, None);
            made
        };
        self.cache.count(feedback.flags);
        match made {
            Ok(all) => match all.first() {
                Some(raw) => Ok(Pipeline { context: Arc::clone(&self.context), raw: *raw }),
                None => Err(failed("vkCreateComputePipelines", vk::Result::ERROR_UNKNOWN)),
            },
            Err((_, e)) => Err(refused(e)),
        }
    }
}
