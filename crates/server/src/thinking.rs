//! How long a model may think before it answers, as the interfaces say it. Under a budget the end of its thoughts is written for it once
//! it has used so many tokens; a budget of nothing has it answer at once.

use crate::ask::{Ask, Thinking, whole};
use crate::error::ApiError;
use crate::tools::only;
use akunu::Reasoning;
use akunu::reasoning::ReasoningFormat;
use serde_json::Value;

/// Tokens of each effort, of which none of the interfaces says how many it is.
pub(crate) const EFFORTS: &[(&str, Option<u32>)] = &[
    ("none", Some(0)),
    ("minimal", Some(256)),
    ("low", Some(1024)),
    ("medium", Some(8192)),
    ("high", Some(24_576)),
    ("xhigh", None),
];

fn of_effort(path: &str, v: &Value) -> Result<Option<u32>, ApiError> {
    let word = v.as_str().ok_or_else(|| ApiError::type_of(path, "a string", v))?;
    let found = EFFORTS.iter().find(|(name, _)| *name == word);
    found.map(|(_, most)| *most).ok_or_else(|| {
        let all: Vec<&str> = EFFORTS.iter().map(|e| e.0).collect();
        ApiError::value(path, format!("`{path}` is none of: {}", all.join(", ")))
    })
}

/// OpenAI's `reasoning_effort`.
pub(crate) fn effort(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    ask.think(path, of_effort(path, v)?)
}

/// `reasoning` of OpenAI's responses: an object with `effort`. Thoughts are told as they are, so a `summary` may only be `auto`: none.
pub(crate) fn reasoning(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    let map = v.as_object().ok_or_else(|| ApiError::type_of(path, "an object", v))?;
    only(map, &["effort", "summary"], path)?;
    let summary = map.get("summary").filter(|v| !v.is_null());
    if summary.is_some_and(|s| s != "auto") {
        let at = format!("{path}.summary");
        let message = format!("`{at}` is not supported: thoughts are told as they are; leave it out");
        return Err(ApiError::bad("unsupported_parameter", message).about(&at));
    }
    let at = format!("{path}.effort");
    match map.get("effort").filter(|v| !v.is_null()) {
        Some(v) => ask.think(&at, of_effort(&at, v)?),
        None => Ok(()),
    }
}

/// vLLM's `thinking_token_budget`.
pub(crate) fn budget(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    ask.think(path, Some(whole(path, v, 0, i64::from(u32::MAX))? as u32))
}

/// Anthropic's `thinking`: `enabled` with a budget, `adaptive`, or `disabled`.
pub(crate) fn anthropic(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    let map = v.as_object().ok_or_else(|| ApiError::type_of(path, "an object", v))?;
    let only_type = || only(map, &["type"], path);
    match map.get("type").and_then(Value::as_str) {
        Some("disabled") => only_type().and_then(|()| ask.think(path, Some(0))),
        Some("adaptive") => only_type().and_then(|()| ask.think(path, None)),
        Some("enabled") => {
            only(map, &["type", "budget_tokens"], path)?;
            let at = format!("{path}.budget_tokens");
            let v = map.get("budget_tokens").ok_or_else(|| ApiError::missing(&at))?;
            let most = whole(&at, v, 1, i64::from(u32::MAX))?;
            ask.think(&at, Some(most as u32))
        }
        _ => {
            let at = format!("{path}.type");
            Err(ApiError::value(&at, format!("`{at}` is none of: enabled, adaptive, disabled")))
        }
    }
}

/// ollama's `think`: true, false, or how much.
pub(crate) fn ollama(ask: &mut Ask, path: &str, v: &Value) -> Result<(), ApiError> {
    match v {
        Value::Bool(thinks) => ask.think(path, if *thinks { None } else { Some(0) }),
        Value::String(word) if matches!(word.as_str(), "low" | "medium" | "high") => {
            ask.think(path, of_effort(path, v)?)
        }
        Value::String(_) => {
            Err(ApiError::value(path, format!("`{path}` is none of: true, false, low, medium, high")))
        }
        v => Err(ApiError::type_of(path, "true, false or a string", v)),
    }
}

/// The bound on answers of a model that marks its thoughts so, and whose prompt ends within some or not. One that marks none can be told not
/// to think, and nothing else.
pub(crate) fn bound(
    asked: Option<&Thinking>,
    thoughts: Option<(ReasoningFormat, bool)>,
) -> Result<Option<Reasoning>, ApiError> {
    let Some(asked) = asked else { return Ok(None) };
    match (thoughts, asked.most) {
        (Some((format, begun)), Some(budget)) => Ok(Some(Reasoning { format, begun, budget })),
        (Some(_), None) | (None, Some(0)) => Ok(None),
        (None, _) => {
            let message = format!(
                "`{}` is about thoughts before the answer, and nothing marks such here: neither the model's chat template nor a plain \
                 prompt; leave it out",
                asked.param
            );
            Err(ApiError::bad("unsupported_by_model", message).about(&asked.param))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{On, apply};
    use akunu::Sampling;
    use serde_json::json;

    fn ask(on: On, v: Value) -> Result<Option<Thinking>, ApiError> {
        let mut ask = Ask::new(Sampling::DEFAULT, on);
        apply(v.as_object().expect("an object"), on, &mut ask).map(|()| ask.thinking)
    }

    #[test]
    fn each_interface_says_it_in_its_own_words() {
        for (on, v, param, most) in [
            (On::CHAT, json!({"reasoning_effort": "none"}), "reasoning_effort", Some(0)),
            (On::CHAT, json!({"reasoning_effort": "low"}), "reasoning_effort", Some(1024)),
            (On::CHAT, json!({"reasoning_effort": "xhigh"}), "reasoning_effort", None),
            (On::CHAT, json!({"thinking_token_budget": 7}), "thinking_token_budget", Some(7)),
            (
                On::RESPONSES,
                json!({"reasoning": {"effort": "high", "summary": "auto"}}),
                "reasoning.effort",
                Some(24_576),
            ),
            (
                On::MESSAGES,
                json!({"thinking": {"type": "enabled", "budget_tokens": 9}}),
                "thinking.budget_tokens",
                Some(9),
            ),
            (On::MESSAGES, json!({"thinking": {"type": "disabled"}}), "thinking", Some(0)),
            (On::COUNT, json!({"thinking": {"type": "adaptive"}}), "thinking", None),
            (On::OLLAMA_CHAT, json!({"think": true}), "think", None),
            (On::OLLAMA_GENERATE, json!({"think": false}), "think", Some(0)),
            (On::OLLAMA_CHAT, json!({"think": "medium"}), "think", Some(8192)),
        ] {
            assert_eq!(ask(on, v.clone()).unwrap(), Some(Thinking { param: param.into(), most }), "{v}");
        }
        assert_eq!(ask(On::RESPONSES, json!({"reasoning": {}})).unwrap(), None);
        assert_eq!(ask(On::CHAT, json!({"reasoning_effort": null})).unwrap(), None);
    }

    #[test]
    fn what_says_nothing_of_it_is_refused() {
        for (on, v, param) in [
            (On::CHAT, json!({"reasoning_effort": "much"}), "reasoning_effort"),
            (On::CHAT, json!({"reasoning_effort": 5}), "reasoning_effort"),
            (On::CHAT, json!({"thinking_token_budget": -1}), "thinking_token_budget"),
            (
                On::CHAT,
                json!({"reasoning_effort": "low", "thinking_token_budget": 5}),
                "thinking_token_budget",
            ),
            (On::RESPONSES, json!({"reasoning": "low"}), "reasoning"),
            (On::RESPONSES, json!({"reasoning": {"effort": "much"}}), "reasoning.effort"),
            (On::RESPONSES, json!({"reasoning": {"summary": "detailed"}}), "reasoning.summary"),
            (On::RESPONSES, json!({"reasoning": {"max": 5}}), "reasoning.max"),
            (On::MESSAGES, json!({"thinking": true}), "thinking"),
            (On::MESSAGES, json!({"thinking": {}}), "thinking.type"),
            (On::MESSAGES, json!({"thinking": {"type": "enabled"}}), "thinking.budget_tokens"),
            (
                On::MESSAGES,
                json!({"thinking": {"type": "enabled", "budget_tokens": 0}}),
                "thinking.budget_tokens",
            ),
            (
                On::MESSAGES,
                json!({"thinking": {"type": "disabled", "budget_tokens": 5}}),
                "thinking.budget_tokens",
            ),
            (On::OLLAMA_CHAT, json!({"think": "hard"}), "think"),
            (On::OLLAMA_CHAT, json!({"think": 5}), "think"),
        ] {
            let e = ask(on, v.clone()).expect_err(&v.to_string());
            assert_eq!((e.param.as_deref(), e.status), (Some(param), 400), "{v}");
        }
    }

    #[test]
    fn who_marks_no_thoughts_can_only_be_told_not_to_think() {
        let asked = |most| Thinking { param: "think".into(), most };
        let format = ReasoningFormat::of_template("</think>").expect("a known mark");
        let thinks = Some((format, true));
        let want = Reasoning { format, begun: true, budget: 5 };
        assert_eq!(bound(Some(&asked(Some(5))), thinks), Ok(Some(want)));
        assert_eq!(bound(Some(&asked(None)), thinks), Ok(None));
        assert_eq!(bound(None, None), Ok(None));
        assert_eq!(bound(Some(&asked(Some(0))), None), Ok(None));
        for most in [Some(5), None] {
            let e = bound(Some(&asked(most)), None).expect_err("no thoughts");
            assert_eq!((e.code, e.param.as_deref()), ("unsupported_by_model", Some("think")));
        }
    }
}
