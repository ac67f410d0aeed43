//! Kernels with their constants, ready to be part of a table: each once per device.

use super::gpu::Gpu;
use crate::DeviceError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a pipeline is made of: a text, which lies in this program, and constants.
type Key = (usize, Vec<u32>);

/// The pipelines of one device.
pub(crate) struct Pipelines<G: Gpu> {
    made: Mutex<HashMap<Key, Arc<G::Pipeline>>>,
}

impl<G: Gpu> Pipelines<G> {
    pub(crate) fn new() -> Self {
        Self { made: Mutex::default() }
    }

    /// A kernel with constants, of which function constant `i` is the `i`-th, for threadgroups of so many threads.
    pub(crate) fn get(
        &self,
        gpu: &G,
        kernel: &'static str,
        text: &'static str,
        consts: &[u32],
        threads: u32,
    ) -> Result<Arc<G::Pipeline>, DeviceError> {
        let key: Key = (text.as_ptr() as usize, consts.to_vec());
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(p) = made().get(&key) {
            return Ok(Arc::clone(p));
        }
        // Not under the lock: compilers take their time, and threads make different kernels at once.
        let pipeline = Arc::new(gpu.pipeline(kernel, text, consts, threads)?);
        Ok(Arc::clone(made().entry(key).or_insert(pipeline)))
    }
}
