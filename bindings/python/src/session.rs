//! One sequence that its caller drives.

use crate::answer::{Tops, finish, tops};
use crate::bell::PAUSE;
use crate::errors::raised;
use crate::grammars::Grammars;
use crate::options::Asked;
use crate::wait::{Inside, Process, Signals};
use akunu::files::tokenizer::{Bos, Specials};
use akunu::{Canceller, Control, DecodeOptions, GenerateOptions, Model, RowCount, Token};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Instant;

/// One sequence: tokens and a KV cache.
#[pyclass(frozen, module = "akunu._akunu")]
pub(crate) struct Session {
    session: Mutex<akunu::Session>,
    canceller: Canceller,
    model: Model,
    grammars: Grammars,
    process: Process,
}

/// Tokens, text, why it ended, log-probabilities, tokens of the prompt, seconds to the first token and from there on.
type Generated = (Vec<u32>, String, &'static str, Option<Vec<Tops>>, u32, (f64, f64));

/// A command of a step: label, group, kernel, seconds, least bytes, least operations.
type Command = (String, &'static str, &'static str, f64, u64, u64);

impl Session {
    pub(crate) fn new(session: akunu::Session, model: Model) -> Self {
        let canceller = session.canceller();
        let session = Mutex::new(session);
        Self { session, canceller, model, grammars: Grammars::default(), process: Process::this() }
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, akunu::Session>> {
        self.process.check("session")?;
        match self.session.try_lock() {
            Ok(session) => Ok(session),
            Err(TryLockError::Poisoned(p)) => Ok(p.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("the session runs in another thread; wait for it, or cancel it"))
            }
        }
    }
}

/// A function of Python's that is called with text, once in a pause at most.
struct TextCallback {
    function: Py<PyAny>,
    /// Text that it has not been called with yet.
    pending: String,
    /// When it was called last.
    called: Option<Instant>,
}

impl TextCallback {
    /// Takes text, and calls with all that is pending if the last call was a pause ago.
    fn push(&mut self, text: &str, signals: &mut Signals) {
        self.pending.push_str(text);
        if self.called.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.flush(signals);
        }
    }

    /// Calls with all that is pending, unless something was raised.
    fn flush(&mut self, signals: &mut Signals) {
        if !self.pending.is_empty() && signals.raised.is_none() {
            signals.raised = Python::attach(|py| self.function.call1(py, (&self.pending,)).map(|_| ())).err();
            self.pending.clear();
            self.called = Some(Instant::now());
        }
    }
}

#[pymethods]
impl Session {
    fn append(&self, tokens: Vec<u32>) -> PyResult<()> {
        let ids: Vec<Token> = tokens.into_iter().map(Token).collect();
        self.lock()?.append(&ids).map_err(raised)
    }

    fn append_text(&self, text: &str) -> PyResult<()> {
        let mut session = self.lock()?;
        let bos = if session.position() == 0 { Bos::Auto } else { Bos::Never };
        let tokenizer = self.model.tokenizer().map_err(raised)?;
        let ids = tokenizer.encode_with(text, Specials::Parse, bos).map_err(|e| raised(e.into()))?;
        session.append(&ids).map_err(raised)
    }

    /// Draws tokens without making text of them.
    fn decode(&self, py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<(Vec<u32>, &'static str)> {
        let asked = Asked::read(&self.model, &self.grammars, options)?;
        if !asked.stop.is_empty() || asked.overflow != akunu::Overflow::End {
            return Err(PyValueError::new_err(
                "tokens are decoded without stop strings and shifts; use generate",
            ));
        }
        let mut session = self.lock()?;
        let options = DecodeOptions {
            max_tokens: asked.max_tokens,
            sampling: asked.sampling,
            eos: asked.eos,
            chunk: None,
        };
        let (mut out, mut signals) = (Vec::new(), Signals::new());
        let (session, taken, look) = (&mut *session, &mut out, &mut signals);
        let decoded = py.detach(|| {
            let _inside = Inside::new();
            session.decode(&options, &mut |token| {
                taken.push(token.0);
                look.look()
            })
        });
        let decoded = signals.raised.take().map_or(Ok(decoded), Err)?.map_err(raised)?;
        Ok((out, finish(decoded.finish)))
    }

    /// Draws text. `on_text` is called with text that is final: the first at once, then once in a pause with what has come, and at the end.
    fn generate(
        &self,
        py: Python<'_>,
        options: &Bound<'_, PyDict>,
        on_text: Option<Py<PyAny>>,
    ) -> PyResult<Generated> {
        let asked = Asked::read(&self.model, &self.grammars, options)?;
        let probs = asked.sampling.logprobs.is_some();
        let options = GenerateOptions {
            max_tokens: asked.max_tokens,
            reasoning: asked.reasoning(&self.model, "")?,
            sampling: asked.sampling,
            stop: asked.stop,
            eos: asked.eos,
            chunk: None,
            overflow: asked.overflow,
        };
        let mut session = self.lock()?;
        let mut signals = Signals::new();
        let (session, look) = (&mut *session, &mut signals);
        let mut callback =
            on_text.map(|function| TextCallback { function, pending: String::new(), called: None });
        let callback = &mut callback;
        let generated = py.detach(|| {
            let _inside = Inside::new();
            let generated = session.generate(&options, &mut |event| {
                if let Some(callback) = callback.as_mut() {
                    callback.push(event.text, look);
                }
                if look.raised.is_some() { Control::Stop } else { look.look() }
            });
            if let Some(callback) = callback {
                callback.flush(look);
            }
            generated
        });
        let g = signals.raised.take().map_or(Ok(generated), Err)?.map_err(raised)?;
        let tokens = Token::ids(&g.tokens).to_vec();
        let probs = probs.then(|| g.logprobs.iter().map(tops).collect());
        let seconds = (g.prefill.seconds, g.decode.seconds);
        Ok((tokens, g.text, finish(g.finish_reason), probs, g.prefill.tokens, seconds))
    }

    /// Logits of what comes next, `[vocabulary] f32`, in memory that NumPy takes over.
    fn logits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut session = self.lock()?;
        let session = &mut *session;
        let logits = py.detach(|| {
            let _inside = Inside::new();
            session.next_logits()
        });
        Ok(logits.map_err(raised)?.into_pyarray(py))
    }

    /// Logits, or hidden states, of every position of a text, one after the other. The session is emptied before.
    fn rows<'py>(
        &self,
        py: Python<'py>,
        tokens: Vec<u32>,
        hidden: bool,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let mut session = self.lock()?;
        let session = &mut *session;
        let ids: Vec<Token> = tokens.into_iter().map(Token).collect();
        let mut out: Vec<f32> = Vec::new();
        let rows = &mut out;
        let done = py.detach(|| {
            let _inside = Inside::new();
            let take = &mut |_: u32, row: &[f32]| rows.extend_from_slice(row);
            if hidden { session.hidden_states(&ids, take) } else { session.logits(&ids, take) }
        });
        done.map_err(raised)?;
        Ok(out.into_pyarray(py))
    }

    fn rewind(&self, position: u32) -> PyResult<()> {
        self.lock()?.rewind(position).map_err(raised)
    }

    fn shift(&self, py: Python<'_>, keep: u32, count: u32) -> PyResult<()> {
        let mut session = self.lock()?;
        let session = &mut *session;
        py.detach(|| session.shift(keep, count)).map_err(raised)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut session = self.lock()?;
        let session = &mut *session;
        py.detach(move || session.save(&path, &[])).map_err(raised)
    }

    fn load(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let mut session = self.lock()?;
        let session = &mut *session;
        py.detach(|| session.load(&path)).map(|_| ()).map_err(raised)
    }

    fn cancel(&self) -> PyResult<()> {
        self.process.check("session")?;
        self.canceller.cancel();
        Ok(())
    }

    /// The commands of a step, and the seconds of the step as it runs.
    fn profile(
        &self,
        py: Python<'_>,
        rows: u32,
        position: u32,
        repeats: u32,
    ) -> PyResult<(Vec<Command>, f64)> {
        let mut session = self.lock()?;
        let session = &mut *session;
        let profile = py.detach(|| {
            let _inside = Inside::new();
            session.profile(RowCount(rows), position, repeats)
        });
        let profile = profile.map_err(raised)?;
        let row =
            |c: akunu::CommandTime| (c.label, c.group, c.kernel, c.seconds, c.cost.bytes(), c.cost.flops);
        Ok((profile.commands.into_iter().map(row).collect(), profile.step_seconds))
    }

    #[getter]
    fn tokens(&self) -> PyResult<Vec<u32>> {
        Ok(Token::ids(self.lock()?.tokens()).to_vec())
    }

    #[getter]
    fn position(&self) -> PyResult<u32> {
        Ok(self.lock()?.position())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.process != Process::this() {
            // The device's threads are the parent's; to wait for them would be for ever.
            std::mem::forget(self.model.clone());
        }
    }
}
