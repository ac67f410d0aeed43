//! Conversations as the interfaces write them.

use crate::error::{ApiError, shown};
use akunu::files::chat::Message;
use serde_json::{Map, Value};

/// The roles that templates know; `developer` is what newer interfaces call the system.
const ROLES: &[(&str, &str)] = &[
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
    for (name, value) in map {
        match name.as_str() {
            "role" | "content" => {}
            // What an item of a list of inputs says of itself, and a client sends back.
            "type" if value == "message" => {}
            "id" | "status" if map.contains_key("type") => {}
            // It says which call a tool answers; the order says it, too.
            "tool_call_id" if role == "tool" => {}
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
    let content = map.get("content").ok_or_else(|| ApiError::missing(&format!("{path}.content")))?;
    Ok(Message::new(role, &text(content, &format!("{path}.content"))?))
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
    use serde_json::json;

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
