//! A loaded model, its engine, and its tokenizer.

use crate::answer::Answer;
use crate::embedder::Embedder;
use crate::errors::{not_found, raised};
use crate::grammars::Grammars;
use crate::options::Asked;
use crate::session::Session;
use crate::transcriber::Transcriber;
use crate::wait::{Inside, Process, check};
use akunu::files::chat::GenerationPrompt;
use akunu::files::tokenizer::{Bos, Specials};
use akunu::plan::table::Region;
use akunu::reading::Reading;
use akunu::{
    BatchOptions, CacheTypes, Conversation, DeviceChoice, DraftOptions, EmbedOptions, Engine, EngineOptions,
    KvFormat, LoadOptions, Overlong, Request, RowCount, SequenceOptions, Source, TextOptions, Token,
    ToolChoice,
};
use akunu_hub::Progress;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::{Arc, Mutex, PoisonError};

/// A loaded model. Its engine begins with the first request.
#[pyclass(frozen, module = "akunu._akunu")]
pub(crate) struct Model {
    model: akunu::Model,
    options: EngineOptions,
    /// `None` before the first request.
    engine: Mutex<Option<Arc<Engine>>>,
    grammars: Grammars,
    process: Process,
}

/// Progress of loading, told to Python now and then; what Python raises ends the telling, and is raised after the loading.
struct Teller {
    callback: Option<Py<PyAny>>,
    last: Option<std::time::Instant>,
    raised: Option<PyErr>,
    total: u64,
}

impl Teller {
    fn tell(&mut self, phase: &str, done: u64, total: u64) {
        let recent = self.last.is_some_and(|t| t.elapsed() < crate::wait::SLICE);
        if self.raised.is_some() || recent && done != total {
            return;
        }
        self.last = Some(std::time::Instant::now());
        Python::attach(|py| {
            let told =
                self.callback.as_ref().map_or(Ok(()), |f| f.call1(py, (phase, done, total)).map(|_| ()));
            self.raised = told.and_then(|()| py.check_signals()).err();
        });
    }

    fn hub(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Start { done, total, .. } => {
                self.total = total.unwrap_or(0);
                self.tell("fetch", done, self.total);
            }
            Progress::Advance { done, total } => self.tell("fetch", done, total.unwrap_or(self.total)),
            Progress::Notice(_) | Progress::Finish { .. } => {}
        }
    }
}

fn load(name: &str, options: &LoadOptions, teller: &mut Teller) -> PyResult<akunu::Model> {
    let source = match name.strip_prefix("synthetic:") {
        Some(spec) => Source::Synthetic(spec.into()),
        None => Source::Path(akunu_hub::resolve(name, &mut |p| teller.hub(p)).map_err(not_found)?),
    };
    if let Some(e) = teller.raised.take() {
        return Err(e);
    }
    let told = &mut |p: akunu::LoadProgress| teller.tell("load", p.done_bytes, p.total_bytes);
    let model = akunu::Model::load(&source, options, told).map_err(raised)?;
    teller.raised.take().map_or(Ok(model), Err)
}

fn cache_format(name: Option<String>) -> PyResult<Option<KvFormat>> {
    let Some(name) = name else { return Ok(None) };
    let format = KvFormat::parse(&name);
    format.map(Some).ok_or_else(|| {
        PyValueError::new_err(format!("{name:?} is no format of the KV cache; choose f16, bf16, q8_0 or f32"))
    })
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (name, *, device, context, threads, cache_type_k, cache_type_v, sequences, cache_tokens, deterministic, draft_tokens, progress))]
    fn new(
        py: Python<'_>,
        name: &str,
        device: &str,
        context: Option<u32>,
        threads: Option<u32>,
        cache_type_k: Option<String>,
        cache_type_v: Option<String>,
        sequences: Option<u32>,
        cache_tokens: Option<u64>,
        deterministic: bool,
        draft_tokens: u32,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let cache = CacheTypes { k: cache_format(cache_type_k)?, v: cache_format(cache_type_v)? };
        let options = LoadOptions {
            device: DeviceChoice::parse(device).map_err(raised)?,
            context,
            threads,
            head_rows: RowCount(32),
            cache,
            ..LoadOptions::default()
        };
        let drafts =
            (draft_tokens > 0).then(|| DraftOptions { most: draft_tokens, ..DraftOptions::default() });
        let batch = BatchOptions { sequences, cache_tokens, deterministic, drafts };
        let mut teller = Teller { callback: progress, last: None, raised: None, total: 0 };
        let model = py.detach(|| {
            let _inside = Inside::new();
            load(name, &options, &mut teller)
        })?;
        Ok(Self {
            model,
            options: EngineOptions { batch, ..EngineOptions::default() },
            engine: Mutex::new(None),
            grammars: Grammars::default(),
            process: Process::this(),
        })
    }

    /// A request that goes on from a text or from tokens.
    fn submit(
        &self,
        py: Python<'_>,
        prompt: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Answer> {
        self.process.check("model")?;
        let asked = Asked::read(&self.model, &self.grammars, options)?;
        let (text, tokens) = match prompt.cast::<PyString>() {
            Ok(text) => {
                let text = text.to_str()?;
                (text, py.detach(|| self.model.encode(text)).map_err(raised)?)
            }
            Err(_) => ("", prompt.extract::<Vec<u32>>()?.into_iter().map(Token).collect()),
        };
        self.start(py, asked, text, tokens, Reading::default())
    }

    /// The next turn of a conversation; messages and tools as JSON.
    #[pyo3(signature = (messages, tools, tool_choice, options))]
    fn submit_chat(
        &self,
        py: Python<'_>,
        messages: &str,
        tools: Option<&str>,
        tool_choice: Option<&str>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Answer> {
        self.process.check("model")?;
        let mut asked = Asked::read(&self.model, &self.grammars, options)?;
        let mut conversation = Conversation::parse(messages, tools).map_err(raised)?;
        conversation.choice = match tool_choice {
            None | Some("auto") => ToolChoice::Auto,
            Some("required") => ToolChoice::Required,
            Some(name) => ToolChoice::Named(name.into()),
        };
        let turn = py.detach(|| self.model.converse(&conversation)).map_err(raised)?;
        if turn.grammar.is_some() && asked.sampling.grammar.is_some() {
            let message =
                "a tool must be called, and the answer must follow a grammar; leave one of the two out";
            return Err(PyValueError::new_err(message));
        }
        asked.sampling.grammar = turn.grammar.or(asked.sampling.grammar);
        self.start(py, asked, &turn.text, turn.tokens, turn.reading)
    }

    /// A conversation as the model's template writes it.
    fn render(&self, py: Python<'_>, messages: &str, tools: Option<&str>) -> PyResult<String> {
        let conversation = Conversation::parse(messages, tools).map_err(raised)?;
        py.detach(|| self.model.render(&conversation, GenerationPrompt::Add)).map_err(raised)
    }

    fn encode(&self, py: Python<'_>, text: &str, special: bool, bos: bool) -> PyResult<Vec<u32>> {
        let specials = if special { Specials::Parse } else { Specials::AsText };
        let bos = if bos { Bos::Auto } else { Bos::Never };
        let tokenizer = self.model.tokenizer().map_err(raised)?;
        let ids = py.detach(|| tokenizer.encode_with(text, specials, bos)).map_err(|e| raised(e.into()))?;
        Ok(Token::ids(&ids).to_vec())
    }

    fn decode(&self, tokens: Vec<u32>) -> PyResult<String> {
        let tokenizer = self.model.tokenizer().map_err(raised)?;
        let vocab = tokenizer.vocab_len() as u32;
        let ids: Vec<Token> = tokens.into_iter().map(Token).collect();
        if let Some(index) = ids.iter().position(|t| t.0 >= vocab) {
            return Err(raised(akunu::Error::TokenRange { token: ids[index], index, vocab }));
        }
        Ok(tokenizer.decode(&ids))
    }

    /// A session: one sequence that its caller drives.
    fn session(&self, py: Python<'_>, draft_tokens: u32) -> PyResult<Session> {
        self.process.check("model")?;
        let made = py.detach(|| match draft_tokens {
            0 => self.model.session(),
            most => self.model.drafting_session(&DraftOptions { most, ..DraftOptions::default() }),
        });
        Ok(Session::new(made.map_err(raised)?, self.model.clone()))
    }

    /// What makes vectors of texts.
    fn embedder(
        &self,
        py: Python<'_>,
        dimensions: Option<u32>,
        truncate: bool,
        prompt: Option<String>,
    ) -> PyResult<Embedder> {
        self.process.check("model")?;
        let overlong = if truncate { Overlong::Truncate } else { Overlong::Refuse };
        let options = EmbedOptions { dimensions, overlong, prompt, ..EmbedOptions::default() };
        let made = py.detach(|| self.model.embedder(&options)).map_err(raised)?;
        Ok(Embedder::new(made))
    }

    /// What makes text of audio.
    #[pyo3(signature = (*, language, translate, initial_prompt, previous_text, temperatures, beams, seed, word_timestamps, batch))]
    fn transcriber(
        &self,
        py: Python<'_>,
        language: Option<String>,
        translate: bool,
        initial_prompt: Option<String>,
        previous_text: bool,
        temperatures: Option<Vec<f32>>,
        beams: u32,
        seed: u64,
        word_timestamps: bool,
        batch: Option<u32>,
    ) -> PyResult<Transcriber> {
        self.process.check("model")?;
        let model = &self.model;
        let made = py.detach(|| {
            Transcriber::new(
                model,
                language,
                translate,
                initial_prompt,
                previous_text,
                temperatures,
                beams,
                seed,
                word_timestamps,
                batch,
            )
        });
        made.map_err(raised)
    }

    /// Ends the engine; answers under way end as cancelled. A next request begins another.
    fn close(&self, py: Python<'_>) {
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner).take();
        if self.process == Process::this() {
            py.detach(|| drop(engine));
        } else {
            std::mem::forget(engine);
        }
    }

    /// Name and value of what the engine does now, and has done.
    fn status(&self) -> Vec<(&'static str, u64)> {
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        let s = engine.as_ref().map(|e| e.status()).unwrap_or_default();
        vec![
            ("running", s.running.into()),
            ("waiting", s.waiting.into()),
            ("prompt_tokens", s.prefilled),
            ("reused_tokens", s.reused),
            ("drawn_tokens", s.drawn),
            ("drafted_tokens", s.drafted),
            ("accepted_tokens", s.accepted),
        ]
    }

    #[getter]
    fn architecture(&self) -> &str {
        &self.model.config().arch
    }

    #[getter]
    fn model_name(&self) -> Option<&str> {
        self.model.config().name.as_deref()
    }

    #[getter]
    fn device(&self) -> String {
        self.model.device().name
    }

    /// Why a GPU that seems to be there is not used.
    #[getter]
    fn device_note(&self) -> Option<&str> {
        self.model.device_note()
    }

    #[getter]
    fn context(&self) -> u32 {
        self.model.program().settings.context
    }

    #[getter]
    fn vocabulary(&self) -> u32 {
        self.model.config().vocab
    }

    #[getter]
    fn width(&self) -> u32 {
        self.model.config().hidden
    }

    #[getter]
    fn layers(&self) -> u32 {
        self.model.config().layers
    }

    #[getter]
    fn is_encoder(&self) -> bool {
        self.model.is_encoder()
    }

    #[getter]
    fn chat_template(&self) -> Option<&str> {
        self.model.chat_template().map(|t| t.source())
    }

    #[getter]
    fn eos_tokens(&self) -> Vec<u32> {
        self.model.tokenizer().map_or(Vec::new(), |t| Token::ids(t.eos_ids()).to_vec())
    }

    /// Bytes of the weights, of one session's KV cache, and of everything else of one session.
    #[getter]
    fn memory(&self) -> (u64, u64, u64) {
        let program = self.model.program();
        let of = |r| program.region(r).bytes;
        let (weights, cache) = (of(Region::Weights), of(Region::KCache) + of(Region::VCache));
        (weights, cache, program.regions.iter().map(|r| r.bytes).sum::<u64>() - weights - cache)
    }
}

impl Model {
    fn start(
        &self,
        py: Python<'_>,
        asked: Asked,
        prompt: &str,
        tokens: Vec<Token>,
        reading: Reading,
    ) -> PyResult<Answer> {
        check(py)?;
        let reasoning = asked.reasoning(&self.model, prompt)?;
        let options = SequenceOptions {
            max_tokens: asked.max_tokens,
            sampling: asked.sampling,
            eos: asked.eos,
            reasoning,
        };
        let request = Request { tokens, options, priority: asked.priority, overflow: asked.overflow };
        let text = TextOptions { stop: asked.stop, reading };
        let answer = py.detach(|| {
            let engine = self.engine()?;
            engine.generate(request, &text)
        });
        Ok(Answer::new(answer.map_err(raised)?))
    }

    fn engine(&self) -> Result<Arc<Engine>, akunu::Error> {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = &*engine {
            return Ok(Arc::clone(engine));
        }
        let made = Arc::new(Engine::new(&self.model, &self.options)?);
        *engine = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // The engine's thread, and the device's, are the parent's in a child; to wait for them would be for ever.
        if self.process != Process::this() {
            std::mem::forget(self.engine.get_mut().unwrap_or_else(PoisonError::into_inner).take());
            std::mem::forget(self.model.clone());
        }
    }
}
