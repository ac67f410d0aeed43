//! Parameters of samplers that are more than a number.

use crate::ask::{Ask, whole};
use crate::error::{ApiError, shown};
use akunu::{LogitBias, Model, SamplerKind, SamplerOrder, Token};
use serde_json::Value;
use std::collections::HashSet;

/// The most tokens with a bias, which is the engine's.
const BIASES: usize = 1024;
/// What OpenAI lets be added to a logit; others do not bound it.
const OPENAI_BIAS: f64 = 100.0;
const ANY_BIAS: f64 = 1e6;
/// The most strings that no repetition goes over, and bytes of one.
const BREAKERS: usize = 32;
const BREAKER_BYTES: usize = 64;
/// Those of llama.cpp.
const USUAL_BREAKERS: [&str; 4] = ["\n", ":", "\"", "*"];

/// OpenAI's `logit_bias`: an object of token ids and what is added to their logits.
pub(crate) fn openai_biases(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    let map = v.as_object().ok_or_else(|| ApiError::type_of(path, "an object", v))?;
    let each = map.iter().map(|(id, bias)| (id.as_str().into(), bias.clone()));
    biases(ask, path, each.collect(), OPENAI_BIAS)
}

/// llama.cpp's: the same, or a list of pairs; `false` bans a token.
pub(crate) fn llama_biases(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    let pair = |(i, v): (usize, &Value)| match v.as_array().map(Vec::as_slice) {
        Some([id, bias]) => Ok((id.clone(), bias.clone())),
        _ => Err(ApiError::type_of(&format!("{path}[{i}]"), "a pair of a token id and a number", v)),
    };
    let all: Vec<(Value, Value)> = match v {
        Value::Object(map) => map.iter().map(|(id, bias)| (id.as_str().into(), bias.clone())).collect(),
        Value::Array(all) => all.iter().enumerate().map(pair).collect::<Result<_, _>>()?,
        _ => return Err(ApiError::type_of(path, "an object or a list of pairs", v)),
    };
    biases(ask, path, all, ANY_BIAS)
}

fn biases(ask: &mut Ask, path: &str, all: Vec<(Value, Value)>, most: f64) -> Result<(), ApiError> {
    if all.len() > BIASES {
        let message = format!("`{path}` has {} tokens; give at most {BIASES}", all.len());
        return Err(ApiError::value(path, message));
    }
    let mut seen = HashSet::new();
    let mut out = Vec::with_capacity(all.len());
    for (id, v) in &all {
        let name = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        let at = format!("{path}.{}", shown(&name));
        let digits = |s: &&str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let number = match id {
            Value::String(s) => Some(s.as_str()).filter(digits).and_then(|s| s.parse().ok()),
            id => id.as_u64().and_then(|n| u32::try_from(n).ok()),
        };
        let token = Token(number.ok_or_else(|| {
            let message =
                format!("`{at}` is not about a token; name tokens by their ids, which /tokenize gives");
            ApiError::value(&at, message)
        })?);
        if !seen.insert(token) {
            return Err(ApiError::value(&at, format!("the token {token} is there twice; name it once")));
        }
        let bias = match v {
            Value::Bool(false) if most > OPENAI_BIAS => f32::NEG_INFINITY,
            v => {
                let n = v.as_f64().ok_or_else(|| ApiError::type_of(&at, "a number", v))?;
                if n.abs() > most {
                    let message = format!("`{at}` is {v}; choose between -{most} and {most}");
                    return Err(ApiError::value(&at, message));
                }
                n as f32
            }
        };
        out.push(LogitBias { token, bias });
    }
    ask.sampling.logit_bias = Some(out).filter(|b| !b.is_empty()).map(Into::into);
    Ok(())
}

/// Mirostat's version: 0 is off.
pub(crate) fn mirostat(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    ask.sampling.mirostat = match whole(path, v, 0, 2)? {
        1 => {
            let message = format!("`{path}` 1 is not there; choose 2, which took its place, or 0 (off)");
            return Err(ApiError::value(path, message));
        }
        n => n as u32,
    };
    Ok(())
}

/// The samplers that take part, in their order.
pub(crate) fn order(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    let all = v.as_array().ok_or_else(|| ApiError::type_of(path, "a list of names", v))?;
    // One more than there are cannot be right, and what is said of it is short.
    let names = all.iter().take(SamplerKind::ALL.len() + 1).map(|v| {
        let name = v.as_str().filter(|n| !n.contains([';', ',']) && !n.trim().is_empty());
        name.map(shown).ok_or_else(|| ApiError::type_of(path, "a list of names", v))
    });
    let names = names.collect::<Result<Vec<_>, _>>()?.join(";");
    ask.sampling.order = SamplerOrder::parse(&names).map_err(|e| ApiError::from(e).about(path))?;
    Ok(())
}

/// Strings that no repetition goes over, for DRY.
pub(crate) fn breakers(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    let all = v.as_array().ok_or_else(|| ApiError::type_of(path, "a list of strings", v))?;
    let one = |v: &Value| v.as_str().filter(|s| !s.is_empty() && s.len() <= BREAKER_BYTES).map(str::to_owned);
    let read: Option<Vec<String>> = all.iter().map(one).collect();
    ask.breakers = Some(read.filter(|_| all.len() <= BREAKERS).ok_or_else(|| {
        let message = format!("`{path}` must be at most {BREAKERS} strings of 1 to {BREAKER_BYTES} bytes");
        ApiError::value(path, message)
    })?);
    Ok(())
}

/// What only the model's vocabulary can say: whether tokens are there, and which ones break repetitions.
pub(crate) fn settle(ask: &mut Ask, model: &Model) -> Result<(), ApiError> {
    let vocab = model.config().vocab;
    let biases = ask.sampling.logit_bias.iter().flat_map(|b| b.iter());
    if let Some(b) = biases.into_iter().find(|b| b.token.0 >= vocab) {
        let message = format!(
            "`logit_bias` has the token {}, and the model's vocabulary has {vocab} (0 to {}); leave it out",
            b.token,
            vocab - 1
        );
        return Err(ApiError::bad("invalid_token", message).about("logit_bias"));
    }
    if ask.sampling.dry_multiplier > 0.0 {
        let breakers = match &ask.breakers {
            Some(given) => model.breakers(given),
            None => model.breakers(&USUAL_BREAKERS),
        };
        ask.sampling.dry_breakers = Some(breakers?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{On, apply};
    use akunu::Sampling;
    use serde_json::json;

    fn ask(on: On, v: Value) -> Result<Ask, ApiError> {
        let mut ask = Ask::new(Sampling::DEFAULT, on);
        apply(v.as_object().expect("an object"), on, &mut ask).map(|()| ask)
    }

    fn list(on: On, v: Value) -> Vec<(u32, f32)> {
        let ask = ask(on, json!({ "logit_bias": v })).unwrap();
        ask.sampling.logit_bias.iter().flat_map(|b| b.iter()).map(|b| (b.token.0, b.bias)).collect()
    }

    #[test]
    fn biases_are_read_as_each_interface_writes_them() {
        let object = json!({"5": -100, "17": 1.5, "007": 100});
        for on in [On::CHAT, On::COMPLETIONS, On::LLAMA] {
            let mut all = list(on, object.clone());
            all.sort_by_key(|b| b.0);
            assert_eq!(all, [(5, -100.0), (7, 100.0), (17, 1.5)]);
            assert_eq!(ask(on, json!({"logit_bias": {}})).unwrap().sampling.logit_bias, None);
        }
        let pairs = json!([[5, 1000.0], [17, false], ["9", -0.5]]);
        assert_eq!(list(On::LLAMA, pairs), [(5, 1000.0), (17, f32::NEG_INFINITY), (9, -0.5)]);
    }

    #[test]
    fn what_is_no_bias_is_refused_by_its_token() {
        for (v, param, code) in [
            (json!([]), "logit_bias", "invalid_type"),
            (json!({"x": 1}), "logit_bias.x", "invalid_value"),
            (json!({"-1": 1}), "logit_bias.-1", "invalid_value"),
            (json!({"+1": 1}), "logit_bias.+1", "invalid_value"),
            (json!({"": 1}), "logit_bias.", "invalid_value"),
            (json!({"1.0": 1}), "logit_bias.1.0", "invalid_value"),
            (json!({"4294967296": 1}), "logit_bias.4294967296", "invalid_value"),
            (json!({"1": 1, "01": 1}), "logit_bias.01", "invalid_value"),
            (json!({"1": 100.5}), "logit_bias.1", "invalid_value"),
            (json!({"1": -1e300}), "logit_bias.1", "invalid_value"),
            (json!({"1": "1"}), "logit_bias.1", "invalid_type"),
            (json!({"1": false}), "logit_bias.1", "invalid_type"),
            (json!({"1": null}), "logit_bias.1", "invalid_type"),
        ] {
            let e = ask(On::CHAT, json!({ "logit_bias": v })).expect_err(&v.to_string());
            assert_eq!((e.param.as_deref(), e.code, e.status), (Some(param), code, 400), "{v}");
        }
        for (v, param) in [
            (json!([[1]]), "logit_bias[0]"),
            (json!([[1, 1, 1]]), "logit_bias[0]"),
            (json!([[1, 1], [1, 2]]), "logit_bias.1"),
            (json!([["word", 1]]), "logit_bias.word"),
            (json!([[-1, 1]]), "logit_bias.-1"),
            (json!([[1, true]]), "logit_bias.1"),
            (json!([[1, 1e7]]), "logit_bias.1"),
            (json!(5), "logit_bias"),
            ((0..1025).map(|i| json!([i, 0])).collect(), "logit_bias"),
        ] {
            let e = ask(On::LLAMA, json!({ "logit_bias": v })).expect_err(&v.to_string());
            assert_eq!((e.param.as_deref(), e.status), (Some(param), 400), "{v}");
        }
    }

    #[test]
    fn samplers_of_llama_cpp_are_set() {
        let a = ask(
            On::LLAMA,
            json!({"mirostat": 2, "mirostat_tau": 3, "mirostat_eta": 0.5, "xtc_probability": 0.5, "xtc_threshold": 0.25,
                "top_n_sigma": 2, "dry_multiplier": 0.5, "dry_base": 2, "dry_allowed_length": 3, "dry_penalty_last_n": 64,
                "dry_sequence_breakers": ["\n"], "samplers": ["top_k", "temperature"]}),
        )
        .unwrap();
        let s = &a.sampling;
        assert_eq!((s.mirostat, s.mirostat_tau, s.mirostat_eta), (2, 3.0, 0.5));
        assert_eq!((s.xtc_probability, s.xtc_threshold, s.top_n_sigma), (0.5, 0.25, 2.0));
        assert_eq!((s.dry_multiplier, s.dry_base), (0.5, 2.0));
        assert_eq!((s.dry_allowed_length, s.dry_penalty_last_n), (3, 64));
        assert_eq!(
            (s.order.to_string().as_str(), a.breakers),
            ("top_k;temperature", Some(vec!["\n".into()]))
        );
        assert!(s.check().is_ok());
        let v = json!({"options": {"mirostat": 2, "mirostat_tau": 5.5, "mirostat_eta": 0.25}});
        let s = ask(On::OLLAMA_CHAT, v).unwrap().sampling;
        assert_eq!((s.mirostat, s.mirostat_tau, s.mirostat_eta), (2, 5.5, 0.25));
        for (v, param) in [
            (json!({"mirostat": 1}), "mirostat"),
            (json!({"mirostat": 3}), "mirostat"),
            (json!({"mirostat": true}), "mirostat"),
            (json!({"mirostat_tau": 0}), "mirostat_tau"),
            (json!({"mirostat_eta": -1}), "mirostat_eta"),
            (json!({"mirostat_eta": 1e9}), "mirostat_eta"),
            (json!({"xtc_probability": 2}), "xtc_probability"),
            (json!({"dry_base": 0.5}), "dry_base"),
            (json!({"dry_multiplier": -1}), "dry_multiplier"),
            (json!({"dry_penalty_last_n": 5000}), "dry_penalty_last_n"),
            (json!({"dry_sequence_breakers": [""]}), "dry_sequence_breakers"),
            (json!({"dry_sequence_breakers": vec!["a"; 33]}), "dry_sequence_breakers"),
            (json!({"dry_sequence_breakers": "a"}), "dry_sequence_breakers"),
            (json!({"samplers": ["top_k", "top_k"]}), "samplers"),
            (json!({"samplers": ["infill"]}), "samplers"),
            (json!({"samplers": ["top_k;min_p"]}), "samplers"),
            (json!({"samplers": vec!["top_k"; 5000]}), "samplers"),
            (json!({"samplers": "kfypmt"}), "samplers"),
        ] {
            let e = ask(On::LLAMA, v.clone()).expect_err(&v.to_string());
            assert_eq!((e.param.as_deref(), e.status), (Some(param), 400), "{v}");
        }
    }
}
