//! Vectors of texts.

use crate::errors::raised;
use crate::wait::{Inside, Process};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Makes vectors of texts, for one thread at a time; others wait.
#[pyclass(frozen, module = "akunu._akunu")]
pub(crate) struct Embedder {
    embedder: Mutex<akunu::Embedder>,
    process: Process,
}

impl Embedder {
    pub(crate) fn new(embedder: akunu::Embedder) -> Self {
        Self { embedder: Mutex::new(embedder), process: Process::this() }
    }
}

#[pymethods]
impl Embedder {
    /// Vectors one after the other, in memory that NumPy takes over, and how many values each has.
    fn embed<'py>(&self, py: Python<'py>, texts: Vec<String>) -> PyResult<(Bound<'py, PyArray1<f32>>, u32)> {
        self.process.check("embedder")?;
        let (values, width) = py.detach(|| {
            let _inside = Inside::new();
            let mut embedder = self.embedder.lock().unwrap_or_else(PoisonError::into_inner);
            (embedder.embed(&texts).map(|e| e.vectors.concat()), embedder.dimensions())
        });
        Ok((values.map_err(raised)?.into_pyarray(py), width))
    }

    #[getter]
    fn dimensions(&self, py: Python<'_>) -> u32 {
        py.detach(|| self.embedder.lock().unwrap_or_else(PoisonError::into_inner).dimensions())
    }

    /// The most tokens of a text.
    #[getter]
    fn max_tokens(&self, py: Python<'_>) -> u32 {
        py.detach(|| self.embedder.lock().unwrap_or_else(PoisonError::into_inner).max_tokens())
    }
}

impl Drop for Embedder {
    fn drop(&mut self) {
        if self.process != Process::this() {
            // The device's threads are the parent's; to wait for them would be for ever.
            std::mem::forget(self.embedder.get_mut().unwrap_or_else(PoisonError::into_inner).model());
        }
    }
}
