//! Options as Python's keyword arguments.

use crate::errors::raised;
use crate::grammars::Grammars;
use akunu::grammar::GrammarSource;
use akunu::{Eos, LogitBias, Model, Overflow, SamplerOrder, Sampling, Token};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::collections::BTreeMap;

/// What a call asks for.
pub(crate) struct Asked {
    pub(crate) max_tokens: u32,
    pub(crate) sampling: Sampling,
    pub(crate) stop: Vec<String>,
    pub(crate) eos: Eos,
    pub(crate) overflow: Overflow,
    pub(crate) reasoning_budget: Option<u32>,
    pub(crate) priority: i32,
    keep: u32,
    shift: bool,
}

impl Asked {
    /// Reads keyword arguments; one that is not known is a `TypeError`.
    pub(crate) fn read(model: &Model, grammars: &Grammars, given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut asked = Self {
            max_tokens: u32::MAX,
            sampling: model.sampling_defaults(),
            stop: Vec::new(),
            eos: Eos::Stop,
            overflow: Overflow::End,
            reasoning_budget: None,
            priority: 0,
            keep: 0,
            shift: false,
        };
        let mut sources: Vec<GrammarSource> = Vec::new();
        for (name, value) in given {
            if value.is_none() {
                continue;
            }
            let name: String = name.extract()?;
            asked.take(&name, &value, &mut sources).map_err(|e| {
                // Which argument it was.
                let py = value.py();
                if e.is_instance_of::<PyTypeError>(py) && !e.value(py).to_string().contains(&name) {
                    PyTypeError::new_err(format!("{name}: {}", e.value(py)))
                } else {
                    e
                }
            })?;
        }
        if sources.len() > 1 {
            return Err(PyValueError::new_err("give one of schema, regex and grammar"));
        }
        if let Some(source) = sources.pop() {
            asked.sampling.grammar = Some(given.py().detach(|| grammars.get(model, source)).map_err(raised)?);
        }
        if asked.shift {
            asked.overflow = Overflow::Shift { drop: Vec::new(), keep: asked.keep };
        }
        if asked.sampling.dry_multiplier != 0.0 {
            asked.sampling.dry_breakers = Some(model.breakers(&["\n", ":", "\"", "*"]).map_err(raised)?);
        }
        asked.sampling.check().map_err(raised)?;
        Ok(asked)
    }

    fn take(
        &mut self,
        name: &str,
        value: &Bound<'_, PyAny>,
        sources: &mut Vec<GrammarSource>,
    ) -> PyResult<()> {
        let s = &mut self.sampling;
        match name {
            "max_tokens" => self.max_tokens = value.extract()?,
            "temperature" => s.temperature = value.extract()?,
            "top_k" => s.top_k = value.extract()?,
            "top_p" => s.top_p = value.extract()?,
            "min_p" => s.min_p = value.extract()?,
            "typical_p" => s.typical = value.extract()?,
            "top_n_sigma" => s.top_n_sigma = value.extract()?,
            "xtc_probability" => s.xtc_probability = value.extract()?,
            "xtc_threshold" => s.xtc_threshold = value.extract()?,
            "repeat_penalty" => s.repeat_penalty = value.extract()?,
            "repeat_last_n" => s.repeat_last_n = value.extract()?,
            "presence_penalty" => s.presence_penalty = value.extract()?,
            "frequency_penalty" => s.frequency_penalty = value.extract()?,
            "dry_multiplier" => s.dry_multiplier = value.extract()?,
            "dry_base" => s.dry_base = value.extract()?,
            "dry_allowed_length" => s.dry_allowed_length = value.extract()?,
            "dry_penalty_last_n" => s.dry_penalty_last_n = value.extract()?,
            "mirostat" => s.mirostat = value.extract()?,
            "mirostat_tau" => s.mirostat_tau = value.extract()?,
            "mirostat_eta" => s.mirostat_eta = value.extract()?,
            "samplers" => s.order = SamplerOrder::parse(&value.extract::<String>()?).map_err(raised)?,
            "logprobs" => s.logprobs = Some(value.extract()?),
            "seed" => s.seed = value.extract()?,
            "logit_bias" => {
                let biases: BTreeMap<u32, f32> = value.extract()?;
                let all = biases.into_iter().map(|(id, bias)| LogitBias { token: Token(id), bias });
                s.logit_bias = Some(all.collect()).filter(|b: &std::sync::Arc<[_]>| !b.is_empty());
            }
            "stop" => {
                self.stop = match value.cast::<PyString>() {
                    Ok(one) => vec![one.to_str()?.to_owned()],
                    Err(_) => value.extract()?,
                }
            }
            "ignore_eos" => self.eos = if value.extract()? { Eos::Ignore } else { Eos::Stop },
            "overflow" => {
                self.shift = match value.extract::<String>()?.as_str() {
                    "end" => false,
                    "shift" => true,
                    other => {
                        return Err(PyValueError::new_err(format!(
                            "overflow is {other:?}; choose 'end' or 'shift'"
                        )));
                    }
                }
            }
            "keep" => self.keep = value.extract()?,
            "reasoning_budget" => self.reasoning_budget = Some(value.extract()?),
            "priority" => self.priority = value.extract()?,
            "schema" => sources.push(GrammarSource::JsonSchema(value.extract()?)),
            "regex" => sources.push(GrammarSource::Regex(value.extract()?)),
            "grammar" => sources.push(grammar(value.extract()?)),
            other => return Err(PyTypeError::new_err(format!("there is no option {other:?}"))),
        }
        Ok(())
    }

    /// The bound of the thoughts of an answer to this prompt, where one is asked for.
    pub(crate) fn reasoning(&self, model: &Model, prompt: &str) -> PyResult<Option<akunu::Reasoning>> {
        let Some(budget) = self.reasoning_budget else { return Ok(None) };
        let source = model.chat_template().map_or("", |t| t.source());
        let format = akunu::reasoning::ReasoningFormat::of_template(source);
        let format = format.ok_or_else(|| {
            PyValueError::new_err(
                "reasoning_budget is given, and the model's chat template has no thoughts; leave it out",
            )
        })?;
        Ok(Some(akunu::Reasoning { format, begun: format.begun_by(prompt), budget }))
    }
}

/// GBNF names rules with `::=`, Lark with a colon.
fn grammar(text: String) -> GrammarSource {
    if text.contains("::=") { GrammarSource::Gbnf(text) } else { GrammarSource::Lark(text) }
}
