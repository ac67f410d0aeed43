//! Conversations as the interfaces write them.

use crate::error::{ApiError, shown};
use crate::tools::only;
use akunu::files::chat::Message;
use serde_json::{Map, Value, json};

/// The roles that templates know; `developer` is what newer interfaces call the system.
pub(crate) const ROLES: &[(&str, &str)] = &[
    ("system", "system"),
    ("developer", "system"),
    ("user", "user"),
    ("assistant", "assistant"),
    ("tool", "tool"),
];

/// The messages of a conversation, at least one and at most `most`.
pub(crate) fn messages(body: &Map<String, Value>, most: usize) -> Result<Vec<Message>, ApiError> {
    let v = body.get("messages").filter(|v| !v.is_null()).ok_or_else(|| ApiError::missing("messages"))?;
    messages_in(v, "messages", most)
}

/// The same in a place of another name.
pub(crate) fn messages_in(v: &Value, name: &str, most: usize) -> Result<Vec<Message>, ApiError> {
    let all = v.as_array().ok_or_else(|| ApiError::type_of(name, "a list", v))?;
    if all.is_empty() || all.len() > most {
        let message = format!("there are {} messages; give 1 to {most}", all.len());
        return Err(ApiError::value(name, message));
    }
    all.iter().enumerate().map(|(i, m)| message(m, &format!("{name}[{i}]"))).collect()
}

fn message(v: &Value, path: &str) -> Result<Message, ApiError> {
    let map = v.as_object().ok_or_else(|| ApiError::type_of(path, "an object", v))?;
    let role = map.get("role").ok_or_else(|| ApiError::missing(&format!("{path}.role")))?;
    let known = ROLES.iter().find(|(name, _)| role == name);
    let role = known.map(|(_, role)| *role).ok_or_else(|| {
        let names: Vec<&str> = ROLES.iter().map(|r| r.0).collect();
        ApiError::value(&format!("{path}.role"), format!("`{path}.role` is none of: {}", names.join(", ")))
    })?;
    let mut more = Map::new();
    for (name, value) in map {
        match name.as_str() {
            "role" | "content" => {}
            "tool_calls" if role == "assistant" && value.as_array().is_some_and(|l| !l.is_empty()) => {
                more.insert(name.clone(), tool_calls(value, &format!("{path}.tool_calls"))?);
            }
            "reasoning_content" | "thinking" if role == "assistant" && value.is_string() => {
                more.insert("reasoning_content".into(), value.clone());
            }
            // Whose result it is.
            "tool_call_id" | "name" | "tool_name" if role == "tool" && value.is_string() => {
                let name = if name == "tool_name" { "name" } else { name };
                more.insert(name.into(), value.clone());
            }
            // What an item of a list of inputs says of itself, and a client sends back.
            "type" if value == "message" => {}
            "id" | "status" if map.contains_key("type") => {}
            // What an answer of ours has and a client sends back.
            "refusal" | "annotations" | "audio" | "tool_calls" | "function_call" | "name"
            | "reasoning_content" | "images" | "thinking"
                if value.is_null() || value.as_array().is_some_and(Vec::is_empty) => {}
            _ => {
                let full = format!("{path}.{}", shown(name));
                let message = format!("`{full}` is not supported in a message; leave it out");
                return Err(ApiError::bad("unsupported_parameter", message).about(&full));
            }
        }
    }
    let content = match map.get("content") {
        // Who calls need not say anything.
        None | Some(Value::Null) if more.contains_key("tool_calls") => String::new(),
        None => return Err(ApiError::missing(&format!("{path}.content"))),
        Some(content) => text(content, &format!("{path}.content"))?,
    };
    Ok(Message { more, ..Message::new(role, &content) })
}

/// Calls that an answer had, as templates know them: arguments are objects there.
fn tool_calls(v: &Value, path: &str) -> Result<Value, ApiError> {
    let all = v.as_array().ok_or_else(|| ApiError::type_of(path, "a list", v))?;
    let one = |(i, v): (usize, &Value)| {
        let path = format!("{path}[{i}]");
        let map = v.as_object().ok_or_else(|| ApiError::type_of(&path, "an object", v))?;
        only(map, &["id", "type", "function", "index"], &path)?;
        let at = format!("{path}.function");
        let function = map.get("function").ok_or_else(|| ApiError::missing(&at))?;
        let function = function.as_object().ok_or_else(|| ApiError::type_of(&at, "an object", function))?;
        only(function, &["name", "arguments", "index"], &at)?;
        let name = function.get("name").ok_or_else(|| ApiError::missing(&format!("{at}.name")))?;
        let name = name.as_str().ok_or_else(|| ApiError::type_of(&format!("{at}.name"), "a string", name))?;
        let arguments = function.get("arguments").filter(|v| !v.is_null());
        let arguments = read_arguments(arguments, &format!("{at}.arguments"))?;
        Ok(call(map.get("id").and_then(Value::as_str), name, arguments))
    };
    all.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>().map(Value::from)
}

/// A call as templates know it.
pub(crate) fn call(id: Option<&str>, name: &str, arguments: Value) -> Value {
    let mut v = json!({ "type": "function", "function": { "name": name, "arguments": arguments } });
    if let Some(id) = id {
        v["id"] = id.into();
    }
    v
}

/// Arguments: an object, or its text.
pub(crate) fn read_arguments(v: Option<&Value>, path: &str) -> Result<Value, ApiError> {
    let wrong = || ApiError::value(path, format!("`{path}` is no JSON object"));
    match v {
        None => Ok(json!({})),
        Some(Value::String(s)) if s.trim().is_empty() => Ok(json!({})),
        Some(Value::String(s)) => crate::json::object(s.as_bytes()).map(Value::Object).map_err(|_| wrong()),
        Some(v @ Value::Object(_)) => Ok(v.clone()),
        Some(_) => Err(wrong()),
    }
}

/// Content: a text, or a list of parts that are all text.
pub(crate) fn text(v: &Value, path: &str) -> Result<String, ApiError> {
    let parts = match v {
        Value::String(s) => return Ok(s.clone()),
        Value::Array(parts) => parts,
        _ => return Err(ApiError::type_of(path, "a string or a list of parts", v)),
    };
    let mut out = String::new();
    for (i, part) in parts.iter().enumerate() {
        let path = format!("{path}[{i}]");
        let kind = part
            .get("type")
            .and_then(Value::as_str)
            .ok_or_else(|| ApiError::missing(&format!("{path}.type")))?;
        if !["text", "input_text", "output_text"].contains(&kind) {
            let message = format!("`{path}` is of type `{}`; models read text only so far", shown(kind));
            return Err(ApiError::bad("unsupported_content", message).about(&path));
        }
        // A hint where to cache, which happens everywhere, and what an answer of ours had.
        const KEYS: &[&str] = &["type", "text", "cache_control", "annotations", "logprobs"];
        if let Some(key) = part.as_object().and_then(|o| o.keys().find(|k| !KEYS.contains(&k.as_str()))) {
            let full = format!("{path}.{}", shown(key));
            let message = format!("`{full}` is not supported in a part of a message; leave it out");
            return Err(ApiError::bad("unsupported_parameter", message).about(&full));
        }
        let text = part.get("text").ok_or_else(|| ApiError::missing(&format!("{path}.text")))?;
        out.push_str(
            text.as_str().ok_or_else(|| ApiError::type_of(&format!("{path}.text"), "a string", text))?,
        );
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(v: Value) -> Result<Vec<Message>, ApiError> {
        messages(json!({ "messages": v }).as_object().expect("an object"), 3)
    }

    #[test]
    fn texts_and_parts_are_read() {
        let v = json!([
            {"role": "developer", "content": "a"},
            {"role": "user", "content": [{"type": "text", "text": "b"}, {"type": "input_text", "text": "c"}]},
            {"role": "assistant", "content": "d", "refusal": null, "tool_calls": []},
        ]);
        let want = [Message::new("system", "a"), Message::new("user", "bc"), Message::new("assistant", "d")];
        assert_eq!(read(v).unwrap(), want);
    }

    #[test]
    fn calls_and_their_results_are_read() {
        let v = json!([
            {"role": "assistant", "content": null, "reasoning_content": "hm",
             "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}]},
            {"role": "tool", "content": "7", "tool_call_id": "c1"},
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]},
        ]);
        let all = read(v).unwrap();
        assert_eq!(all[0].more["tool_calls"][0]["function"]["arguments"], json!({"a": 1}));
        assert_eq!((&all[0].more["reasoning_content"], all[0].content.as_str()), (&json!("hm"), ""));
        assert_eq!((&all[1].more["tool_call_id"], all[1].content.as_str()), (&json!("c1"), "7"));
        for (calls, param) in [
            (json!([5]), "messages[0].tool_calls[0]"),
            (json!([{}]), "messages[0].tool_calls[0].function"),
            (json!([{"function": {}}]), "messages[0].tool_calls[0].function.name"),
            (
                json!([{"function": {"name": "f", "arguments": "{"}}]),
                "messages[0].tool_calls[0].function.arguments",
            ),
            (
                json!([{"function": {"name": "f", "arguments": "[]"}}]),
                "messages[0].tool_calls[0].function.arguments",
            ),
            (json!([{"function": {"name": "f"}, "x": 1}]), "messages[0].tool_calls[0].x"),
        ] {
            let e = read(json!([{"role": "assistant", "tool_calls": calls}])).expect_err(param);
            assert_eq!((e.status, e.param.as_deref()), (400, Some(param)));
        }
    }

    #[test]
    fn what_no_template_can_say_is_refused_by_name() {
        for (v, param) in [
            (json!([]), "messages"),
            (json!("hi"), "messages"),
            (json!([{}, {}, {}, {}]), "messages"),
            (json!(["hi"]), "messages[0]"),
            (json!([{"role": "user"}]), "messages[0].content"),
            (json!([{"content": "x"}]), "messages[0].role"),
            (json!([{"role": "robot", "content": "x"}]), "messages[0].role"),
            (json!([{"role": ["user"], "content": "x"}]), "messages[0].role"),
            (json!([{"role": "user", "content": 5}]), "messages[0].content"),
            (json!([{"role": "user", "content": null}]), "messages[0].content"),
            (json!([{"role": "user", "content": "x", "name": "me"}]), "messages[0].name"),
            (json!([{"role": "user", "content": [{"type": "image_url"}]}]), "messages[0].content[0]"),
            (json!([{"role": "user", "content": [{"type": "text"}]}]), "messages[0].content[0].text"),
            (json!([{"role": "user", "content": [5]}]), "messages[0].content[0].type"),
        ] {
            let e = read(v.clone()).expect_err(&v.to_string());
            assert_eq!((e.status, e.param.as_deref()), (400, Some(param)), "{v}");
        }
    }
}
