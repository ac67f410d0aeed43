//! Tools as the interfaces write them, made one for templates, and the grammar of an answer that must call one.

use crate::error::{ApiError, shown};
use akunu::grammar::GrammarSource;
use akunu::tools::{Tool, ToolFormat};
use serde_json::{Map, Value, json};

/// The most tools of a request.
const TOOLS: usize = 128;
/// The longest name of one.
const NAME: usize = 64;

/// How an interface writes tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Within an object `function`.
    Nested,
    /// Beside `type`.
    Flat,
    /// With `input_schema`, and a choice that is an object.
    Anthropic,
}

/// Which calls an answer may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// As the model likes.
    Auto,
    /// At least one.
    Required,
    /// One of this tool.
    Named(String),
}

/// What a request may have called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tools {
    pub(crate) all: Vec<Tool>,
    /// Names of those whose calls follow their schemas in any case.
    strict: Vec<String>,
    pub(crate) choice: Choice,
    /// Whether an answer may have several calls.
    pub(crate) parallel: bool,
}

/// The tools of a body; `None` where there are none, or none may be called.
pub(crate) fn read(body: &Map<String, Value>, style: Style) -> Result<Option<Tools>, ApiError> {
    let given = |name: &str| body.get(name).filter(|v| !v.is_null());
    let (choice, disabled) = match given("tool_choice") {
        None => (Some(Choice::Auto), false),
        Some(v) => read_choice(v, style)?,
    };
    let all: Vec<(Tool, bool)> = match given("tools") {
        None => Vec::new(),
        Some(v) => {
            let list = v.as_array().ok_or_else(|| ApiError::type_of("tools", "a list", v))?;
            if list.len() > TOOLS {
                let message = format!("there are {} tools; give at most {TOOLS}", list.len());
                return Err(ApiError::value("tools", message));
            }
            let one = |(i, v): (usize, &Value)| tool(v, &format!("tools[{i}]"), style);
            list.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?
        }
    };
    let strict = all.iter().filter(|t| t.1).map(|t| t.0.name.clone()).collect();
    let all: Vec<Tool> = all.into_iter().map(|t| t.0).collect();
    if let Some(i) = (1..all.len()).find(|i| all[..*i].iter().any(|t| t.name == all[*i].name)) {
        return Err(ApiError::value("tools", format!("two tools have the name `{}`", shown(&all[i].name))));
    }
    let parallel = match given("parallel_tool_calls") {
        None => !disabled,
        Some(v) => v.as_bool().ok_or_else(|| ApiError::type_of("parallel_tool_calls", "true or false", v))?,
    };
    let Some(choice) = choice else { return Ok(None) };
    match &choice {
        Choice::Auto if all.is_empty() => return Ok(None),
        Choice::Required if all.is_empty() => {
            return Err(ApiError::value("tool_choice", "a tool must be called, and there is none"));
        }
        Choice::Named(name) if !all.iter().any(|t| t.name == *name) => {
            let message = format!("the tool `{}` must be called, and `tools` does not have it", shown(name));
            return Err(ApiError::value("tool_choice", message));
        }
        _ => {}
    }
    Ok(Some(Tools { all, strict, choice, parallel }))
}

/// The choice, `None` where no tool may be called; and whether several calls are forbidden with it.
fn read_choice(v: &Value, style: Style) -> Result<(Option<Choice>, bool), ApiError> {
    let path = "tool_choice";
    let word = match (style, v) {
        (Style::Anthropic, Value::Object(_)) => v.get("type").and_then(Value::as_str),
        (Style::Anthropic, _) => return Err(ApiError::type_of(path, "an object", v)),
        (_, Value::String(s)) => Some(s.as_str()),
        (_, Value::Object(_)) => Some("function").filter(|_| v.get("type").is_some_and(|t| t == "function")),
        _ => return Err(ApiError::type_of(path, "a string or an object", v)),
    };
    let keys: &[&str] = match style {
        Style::Nested => &["type", "function"],
        Style::Flat => &["type", "name"],
        Style::Anthropic => &["type", "name", "disable_parallel_tool_use"],
    };
    if let Value::Object(map) = v {
        only(map, keys, path)?;
    }
    let name = match style {
        Style::Nested => v.get("function").and_then(|f| f.get("name")),
        _ => v.get("name"),
    };
    let name = name.and_then(Value::as_str).map(String::from);
    let disabled = match v.get("disable_parallel_tool_use").filter(|v| !v.is_null()) {
        None => false,
        Some(v) => v
            .as_bool()
            .ok_or_else(|| ApiError::type_of("tool_choice.disable_parallel_tool_use", "true or false", v))?,
    };
    let choice = match (word, name) {
        (Some("none"), _) => None,
        (Some("auto"), _) => Some(Choice::Auto),
        (Some("required"), _) if style != Style::Anthropic => Some(Choice::Required),
        (Some("any"), _) if style == Style::Anthropic => Some(Choice::Required),
        (Some("function"), Some(name)) if style != Style::Anthropic => Some(Choice::Named(name)),
        (Some("tool"), Some(name)) if style == Style::Anthropic => Some(Choice::Named(name)),
        _ => {
            let known = match style {
                Style::Nested => {
                    "none, auto, required, {\"type\": \"function\", \"function\": {\"name\": …}}"
                }
                Style::Flat => "none, auto, required, {\"type\": \"function\", \"name\": …}",
                Style::Anthropic => "{\"type\": …} of none, auto, any, {\"type\": \"tool\", \"name\": …}",
            };
            return Err(ApiError::value(path, format!("`{path}` is none of: {known}")));
        }
    };
    Ok((choice, disabled))
}

/// A tool, and whether its calls must follow its schema where the model may choose.
fn tool(v: &Value, path: &str, style: Style) -> Result<(Tool, bool), ApiError> {
    let map = v.as_object().ok_or_else(|| ApiError::type_of(path, "an object", v))?;
    let kind = map.get("type").filter(|v| !v.is_null());
    let known = match style {
        Style::Anthropic => kind.is_none_or(|k| k == "custom"),
        _ => kind.is_some_and(|k| k == "function"),
    };
    if !known {
        let message = format!("`{path}.type` is not supported: tools are functions that the client runs");
        return Err(ApiError::bad("unsupported_parameter", message).about(&format!("{path}.type")));
    }
    let (inner, at, schema) = match style {
        Style::Nested => {
            only(map, &["type", "function"], path)?;
            let at = format!("{path}.function");
            let inner = map.get("function").ok_or_else(|| ApiError::missing(&at))?;
            let inner = inner.as_object().ok_or_else(|| ApiError::type_of(&at, "an object", inner))?;
            (inner, at, "parameters")
        }
        Style::Flat => (map, path.to_owned(), "parameters"),
        Style::Anthropic => (map, path.to_owned(), "input_schema"),
    };
    let keys: &[&str] = match style {
        Style::Nested => &["name", "description", "parameters", "strict"],
        Style::Flat => &["type", "name", "description", "parameters", "strict"],
        Style::Anthropic => &["type", "name", "description", "input_schema", "cache_control", "strict"],
    };
    only(inner, keys, &at)?;
    let text = |name: &str| match inner.get(name).filter(|v| !v.is_null()) {
        None => Ok(None),
        Some(Value::String(s)) => Ok(Some(s.clone())),
        Some(v) => Err(ApiError::type_of(&format!("{at}.{name}"), "a string", v)),
    };
    let name = text("name")?.ok_or_else(|| ApiError::missing(&format!("{at}.name")))?;
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.len() > NAME || !name.chars().all(fine) {
        let message =
            format!("`{at}.name` must be 1 to {NAME} letters, digits, hyphens, underscores and dots");
        return Err(ApiError::value(&format!("{at}.name"), message));
    }
    let strict = match inner.get("strict").filter(|v| !v.is_null()) {
        None => false,
        Some(v) => {
            v.as_bool().ok_or_else(|| ApiError::type_of(&format!("{at}.strict"), "true or false", v))?
        }
    };
    let parameters = match inner.get(schema).filter(|v| !v.is_null()) {
        None => Map::new(),
        Some(Value::Object(map)) => map.clone(),
        Some(v) => return Err(ApiError::type_of(&format!("{at}.{schema}"), "an object", v)),
    };
    Ok((Tool { name, description: text("description")?, parameters: parameters.into() }, strict))
}

/// Refuses keys that are none of these.
pub(crate) fn only(map: &Map<String, Value>, keys: &[&str], path: &str) -> Result<(), ApiError> {
    match map.iter().find(|(k, v)| !keys.contains(&k.as_str()) && !v.is_null()) {
        None => Ok(()),
        Some((key, _)) => {
            let full = format!("{path}.{}", shown(key));
            let message = format!("`{full}` is not supported; leave it out");
            Err(ApiError::bad("unknown_parameter", message).about(&full))
        }
    }
}

impl Tools {
    /// As templates know them.
    pub(crate) fn for_template(&self) -> Vec<Value> {
        let one = |t: &Tool| {
            let mut function = json!({ "name": t.name });
            if let Some(description) = &t.description {
                function["description"] = description.as_str().into();
            }
            function["parameters"] = t.schema();
            json!({ "type": "function", "function": function })
        };
        self.all.iter().map(one).collect()
    }

    /// What an answer follows, and the mark with which that begins, where calls may come or not; `None` where it is free.
    pub(crate) fn grammar(
        &self,
        format: ToolFormat,
        template: &str,
    ) -> Result<Option<(GrammarSource, Option<&'static str>)>, ApiError> {
        let callable: Vec<&Tool> = match &self.choice {
            Choice::Auto if self.strict.is_empty() => return Ok(None),
            Choice::Auto => return self.grammar_if_any(format, template).map(Some),
            Choice::Required => self.all.iter().collect(),
            Choice::Named(name) => self.all.iter().filter(|t| t.name == *name).collect(),
        };
        // A name asks for one call.
        let several = self.parallel && self.choice == Choice::Required;
        let most = if several { format.most_calls() } else { 1 };
        Ok(Some((GrammarSource::Calls(format.calls(template, &callable, most)), None)))
    }

    /// The same where the model may choose, and some tools are strict.
    fn grammar_if_any(
        &self,
        format: ToolFormat,
        template: &str,
    ) -> Result<(GrammarSource, Option<&'static str>), ApiError> {
        // Others take any object.
        let bound = |t: &Tool| match self.strict.contains(&t.name) {
            true => t.clone(),
            false => Tool { parameters: json!({}), ..t.clone() },
        };
        let all: Vec<Tool> = self.all.iter().map(bound).collect();
        let most = if self.parallel { format.most_calls() } else { 1 };
        let text = format.calls_if_any(template, &all.iter().collect::<Vec<_>>(), most);
        let (text, mark) = text.ok_or_else(|| {
            let message = "this model's calls cannot be told from its text before they are over, so `strict` needs a `tool_choice` that \
                           asks for a call; leave one of the two out";
            ApiError::bad("unsupported_by_model", message).about("tools")
        })?;
        Ok((GrammarSource::Calls(text), mark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(v: Value) -> Result<Option<Tools>, ApiError> {
        read(v.as_object().expect("an object"), Style::Nested)
    }

    #[test]
    fn tools_of_all_styles_are_one() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        let of = |v: Value, style| {
            let body = json!({ "tools": [v] });
            read(body.as_object().expect("an object"), style).unwrap().unwrap().for_template()
        };
        let want = json!([{"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}}]);
        let flat = json!({"type": "function", "name": "f", "description": "d", "parameters": schema});
        assert_eq!(of(want[0].clone(), Style::Nested), *want.as_array().unwrap());
        assert_eq!(of(flat, Style::Flat), *want.as_array().unwrap());
        let anthropic = json!({"name": "f", "description": "d", "input_schema": schema});
        assert_eq!(of(anthropic, Style::Anthropic), *want.as_array().unwrap());
    }

    #[test]
    fn choices_are_read() {
        let f = json!([{"type": "function", "function": {"name": "f"}}]);
        let choice = |c: Value| nested(json!({"tools": f, "tool_choice": c})).map(|t| t.map(|t| t.choice));
        assert_eq!(choice(json!("none")).unwrap(), None);
        assert_eq!(choice(json!("auto")).unwrap(), Some(Choice::Auto));
        assert_eq!(choice(json!("required")).unwrap(), Some(Choice::Required));
        let named = json!({"type": "function", "function": {"name": "f"}});
        assert_eq!(choice(named).unwrap(), Some(Choice::Named("f".into())));
        assert!(choice(json!({"type": "function", "function": {"name": "g"}})).is_err());
        assert!(choice(json!({"type": "any"})).is_err() && choice(json!(5)).is_err());
        assert_eq!(nested(json!({"tools": [], "tool_choice": "auto"})).unwrap(), None);
        assert!(nested(json!({"tools": [], "tool_choice": "required"})).is_err());
    }

    #[test]
    fn what_is_no_tool_is_refused_by_name() {
        for (v, param) in [
            (json!(5), "tools"),
            (json!([5]), "tools[0]"),
            (json!([{"type": "web_search"}]), "tools[0].type"),
            (json!([{"type": "function"}]), "tools[0].function"),
            (json!([{"type": "function", "function": {}}]), "tools[0].function.name"),
            (json!([{"type": "function", "function": {"name": "a b"}}]), "tools[0].function.name"),
            (
                json!([{"type": "function", "function": {"name": "x", "parameters": []}}]),
                "tools[0].function.parameters",
            ),
            (
                json!([{"type": "function", "function": {"name": "x", "strict": "yes"}}]),
                "tools[0].function.strict",
            ),
            (json!([{"type": "function", "function": {"name": "x", "code": 1}}]), "tools[0].function.code"),
            (
                json!([{"type": "function", "function": {"name": "x"}}, {"type": "function", "function": {"name": "x"}}]),
                "tools",
            ),
        ] {
            let e = nested(json!({ "tools": v })).expect_err(&v.to_string());
            assert_eq!((e.status, e.param.as_deref()), (400, Some(param)), "{v}");
        }
    }
}
