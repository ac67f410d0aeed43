//! The engine's errors as Python's exceptions.

use akunu::ErrorKind;
use akunu_hub::HubError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    _akunu,
    AkunuError,
    PyException,
    "What can go wrong in akunu; the message says what to do."
);
create_exception!(_akunu, ModelError, AkunuError, "A model's file is not there, broken, or not supported.");
create_exception!(_akunu, DeviceError, AkunuError, "The device, or its driver.");
create_exception!(_akunu, ContextFullError, AkunuError, "More tokens than the context holds.");
create_exception!(_akunu, QueueFullError, AkunuError, "Too many requests wait.");
create_exception!(_akunu, GrammarError, AkunuError, "The output cannot follow what it was asked to.");
create_exception!(_akunu, CancelledError, AkunuError, "A cancel ended it.");

/// Makes the classes known to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = m.py();
    m.add("AkunuError", py.get_type::<AkunuError>())?;
    m.add("ModelError", py.get_type::<ModelError>())?;
    m.add("DeviceError", py.get_type::<DeviceError>())?;
    m.add("ContextFullError", py.get_type::<ContextFullError>())?;
    m.add("QueueFullError", py.get_type::<QueueFullError>())?;
    m.add("GrammarError", py.get_type::<GrammarError>())?;
    m.add("CancelledError", py.get_type::<CancelledError>())
}

/// An error of the engine.
pub(crate) fn raised(e: akunu::Error) -> PyErr {
    let message = e.to_string();
    match e.kind() {
        ErrorKind::Argument => PyValueError::new_err(message),
        ErrorKind::Model => ModelError::new_err(message),
        ErrorKind::Device => DeviceError::new_err(message),
        ErrorKind::Memory => PyMemoryError::new_err(message),
        ErrorKind::ContextFull => ContextFullError::new_err(message),
        ErrorKind::QueueFull => QueueFullError::new_err(message),
        ErrorKind::Grammar => GrammarError::new_err(message),
        ErrorKind::Cancelled => CancelledError::new_err(message),
        ErrorKind::Stopped | ErrorKind::NotFinite | ErrorKind::SessionFile => AkunuError::new_err(message),
    }
}

/// An error of what finds models.
pub(crate) fn not_found(e: HubError) -> PyErr {
    ModelError::new_err(e.to_string())
}

/// Something of the parent process is used in a child.
pub(crate) fn forked(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!(
        "this {what} was made before the process forked, and its threads are not here; load the model in the child, or use \
         multiprocessing with the start method 'spawn'"
    ))
}
