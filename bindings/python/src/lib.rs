//! The native half of the Python package: handles over [`akunu`], with the interpreter's lock released wherever something runs. What users
//! see, types and conveniences, is in `python/akunu`.
//!
//! * Nothing that runs holds the interpreter's lock, and the engine's thread never takes it: it wakes threads that wait here, or rings a
//!   bell (`bell.rs`) that a thread of Python's own listens to for event loops.
//! * Who waits looks for signals and for the interpreter's end ten times a second.
//! * A process that forks after a model was loaded has none of its threads: objects of the parent raise an error in the child.
//!
//! Deliberately absent: inference; unsafe code.
#![forbid(unsafe_code)]

mod answer;
mod bell;
mod embedder;
mod errors;
mod grammars;
mod model;
mod options;
mod session;
mod transcriber;
mod wait;

use pyo3::prelude::*;
use std::ffi::OsString;

/// The command line: the program's name first. Gives the exit code.
#[pyfunction]
fn cli(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| akunu_cli::run(arguments))
}

/// Called when the interpreter is about to end: whatever waits or runs here comes back, for a while is waited for that, since a thread
/// that wants the lock of an interpreter that is gone never gets it.
#[pyfunction]
fn shutdown(py: Python<'_>) {
    wait::close();
    bell::close();
    py.detach(wait::until_empty);
}

#[pymodule]
fn _akunu(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(m)?;
    m.add_class::<model::Model>()?;
    m.add_class::<answer::Answer>()?;
    m.add_class::<session::Session>()?;
    m.add_class::<embedder::Embedder>()?;
    m.add_class::<transcriber::Transcriber>()?;
    m.add_function(wrap_pyfunction!(cli, m)?)?;
    m.add_function(wrap_pyfunction!(bell::wait_ready, m)?)?;
    m.add_function(wrap_pyfunction!(shutdown, m)?)?;
    Ok(())
}
