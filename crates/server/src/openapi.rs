//! `/openapi.json`, made from the tables of routes and parameters, so that it says what the server does.

use crate::conversation;
use crate::error::Shape;
use crate::multipart::FILE;
use crate::params::{On, PARAMETERS, Parameter, Rule};
use crate::routes::{Action, ROUTES, Route};
use crate::types::types;
use serde_json::{Map, Value, json};

/// The description of all routes (OpenAPI 3.1) of a server of models with these names.
pub(crate) fn document(models: &[&str]) -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_lowercase()] = operation(route, models);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "akunu", "version": env!("CARGO_PKG_VERSION") },
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "key": { "type": "apiKey", "in": "header", "name": "x-api-key" },
            },
        },
        "security": [{}, { "bearer": [] }, { "key": [] }],
        "paths": paths,
    })
}

fn operation(route: &Route, models: &[&str]) -> Value {
    let error = json!({
        "description": "An error, which says what is wrong and what to do.",
        "content": { "application/json": { "schema": error(route.shape) } },
    });
    let mut v = json!({
        "summary": route.about,
        "operationId": format!("{:?}", route.action),
        "responses": {
            "200": { "description": "The answer.", "content": answers(route) },
            "default": error,
        },
    });
    if route.path.ends_with("{id}") {
        v["parameters"] = json!([{
            "name": "id", "in": "path", "required": true, "schema": { "type": "string", "enum": models },
        }]);
    }
    if let Some(on) = route.body {
        let mut schema = body(on, models);
        if On::AUDIO.has(on) {
            schema["properties"][FILE] = json!({ "type": "string", "format": "binary" });
        }
        v["requestBody"] = json!({ "required": true, "content": { media(on): { "schema": schema } } });
    }
    v
}

/// The type of a request's body.
fn media(on: On) -> &'static str {
    if On::AUDIO.has(on) { "multipart/form-data" } else { "application/json" }
}

/// What comes back, by its type.
fn answers(route: &Route) -> Value {
    let text = json!({ "schema": { "type": "string" } });
    match route.action {
        Action::Page => return json!({ "text/html; charset=utf-8": text }),
        Action::Metrics => return json!({ "text/plain; version=0.0.4": text }),
        _ => {}
    }
    let mut all = json!({ "application/json": { "schema": answer(route.action) } });
    let streams = PARAMETERS.iter().any(|p| p.name == "stream" && route.body.is_some_and(|on| p.on.has(on)));
    if route.body.is_some_and(|on| On::AUDIO.has(on)) {
        all["text/plain; charset=utf-8"] = text.clone();
        all["text/vtt; charset=utf-8"] = text;
        return all;
    }
    if streams {
        let kind = if route.shape == Shape::Ollama { "application/x-ndjson" } else { "text/event-stream" };
        all[kind] = json!({});
    }
    all
}

/// The fields that every answer of a route has, with the types of JSON.
fn answer(action: Action) -> Value {
    let fields: &[(&str, &str)] = match action {
        Action::Slots => return json!({ "type": "array", "items": { "type": "object" } }),
        Action::Page | Action::Metrics => &[],
        Action::Health => &[("status", "string")],
        Action::OpenApi => &[("openapi", "string"), ("paths", "object")],
        Action::Models => &[("object", "string"), ("data", "array")],
        Action::Model => &[("id", "string"), ("object", "string"), ("created", "integer")],
        Action::Chat | Action::Completions => &[
            ("id", "string"),
            ("object", "string"),
            ("created", "integer"),
            ("model", "string"),
            ("choices", "array"),
            ("usage", "object"),
        ],
        Action::Responses => &[
            ("id", "string"),
            ("object", "string"),
            ("status", "string"),
            ("output", "array"),
            ("usage", "object"),
        ],
        Action::Embeddings => {
            &[("object", "string"), ("data", "array"), ("model", "string"), ("usage", "object")]
        }
        Action::Rerank => {
            &[("object", "string"), ("model", "string"), ("results", "array"), ("usage", "object")]
        }
        Action::Transcriptions | Action::Translations => &[("text", "string")],
        Action::Messages => &[
            ("id", "string"),
            ("type", "string"),
            ("role", "string"),
            ("content", "array"),
            ("usage", "object"),
        ],
        Action::Count => &[("input_tokens", "integer")],
        Action::Tokenize => &[("tokens", "array"), ("count", "integer")],
        Action::Detokenize => &[("content", "string")],
        Action::Template => &[("prompt", "string")],
        Action::OllamaChat => &[("model", "string"), ("message", "object"), ("done", "boolean")],
        Action::OllamaGenerate => &[("model", "string"), ("response", "string"), ("done", "boolean")],
        Action::OllamaEmbed => &[("model", "string"), ("embeddings", "array")],
        Action::OllamaEmbeddings => &[("embedding", "array")],
        Action::OllamaTags | Action::OllamaPs => &[("models", "array")],
        Action::OllamaShow => &[("details", "object"), ("model_info", "object"), ("capabilities", "array")],
        Action::OllamaVersion => &[("version", "string")],
        Action::Completion | Action::Infill => &[
            ("content", "string"),
            ("stop", "boolean"),
            ("tokens_predicted", "integer"),
            ("timings", "object"),
        ],
        Action::Props => &[("default_generation_settings", "object"), ("total_slots", "integer")],
    };
    object(fields)
}

/// An object that has these fields, among others.
fn object(fields: &[(&str, &str)]) -> Value {
    let properties: Map<String, Value> =
        fields.iter().map(|(name, kind)| ((*name).to_owned(), json!({ "type": kind }))).collect();
    let required: Vec<&str> = fields.iter().map(|f| f.0).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// An error in an interface's shape.
fn error(shape: Shape) -> Value {
    let inner = match shape {
        Shape::OpenAi => {
            let mut v = object(&[("message", "string"), ("type", "string"), ("code", "string")]);
            v["properties"]["param"] = json!({ "type": ["string", "null"] });
            v
        }
        Shape::Anthropic => object(&[("type", "string"), ("message", "string")]),
        Shape::Ollama => json!({ "type": "string" }),
    };
    json!({ "type": "object", "properties": { "error": inner }, "required": ["error"] })
}

/// Parameters without which a body means nothing.
static REQUIRED: &[(&str, On)] = &[
    ("messages", On::CHAT.or(On::TEMPLATE).or(On::MESSAGES).or(On::COUNT)),
    ("max_tokens", On::MESSAGES),
    ("prompt", On::COMPLETIONS.or(On::LLAMA)),
    ("input", On::RESPONSES.or(On::EMBEDDINGS)),
    ("input_prefix", On::INFILL),
    ("input_suffix", On::INFILL),
    ("tokens", On::DETOKENIZE),
    (FILE, On::AUDIO),
    ("query", On::RERANK),
    ("documents", On::RERANK),
];

/// A request's body.
fn body(on: On, models: &[&str]) -> Value {
    let mut v = schema(on);
    let names: Vec<Value> = models.iter().map(|m| json!(m)).chain([Value::Null]).collect();
    v["properties"]["model"]["enum"] = names.into();
    let required: Vec<&str> = REQUIRED.iter().filter(|r| r.1.has(on)).map(|r| r.0).collect();
    for name in &required {
        // Here null is not enough.
        if let Some(types) = v["properties"][*name]["type"].as_array_mut() {
            types.retain(|t| t != "null");
        }
    }
    if !required.is_empty() {
        v["required"] = json!(required);
    }
    v
}

/// An object's parameters.
fn schema(on: On) -> Value {
    let mut properties = Map::new();
    for p in PARAMETERS.iter().filter(|p| p.on.has(on)) {
        properties.insert(p.name.into(), rule(p, on));
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn rule(p: &Parameter, on: On) -> Value {
    match p.rule {
        Rule::Number(low, high, _) => json!({ "type": ["number", "null"], "minimum": low, "maximum": high }),
        Rule::Whole(low, high, _) => json!({ "type": ["integer", "null"], "minimum": low, "maximum": high }),
        Rule::Flag(_) => json!({ "type": ["boolean", "null"] }),
        Rule::Texts(_) => {
            json!({ "anyOf": [{ "type": ["string", "null"] }, { "type": "array", "items": { "type": "string" } }] })
        }
        Rule::Inner(on) => {
            let mut v = schema(on);
            v["type"] = json!(["object", "null"]);
            v
        }
        Rule::Route if p.name == "messages" => {
            let roles = conversation::ROLES.iter().map(|r| r.0).collect::<Vec<_>>();
            let message = json!({
                "type": "object",
                "properties": { "role": { "enum": roles }, "content": { "type": ["string", "array", "null"] } },
                "required": ["role"],
            });
            json!({ "type": ["array", "null"], "items": message })
        }
        Rule::Route | Rule::Form(_) | Rule::Read(_) => match types(p.name, on) {
            Some(types) => {
                let all: Vec<&str> = types.iter().copied().chain(["null"]).collect();
                json!({ "type": all })
            }
            None => json!({}),
        },
        Rule::Label => json!({}),
        Rule::Only(neutral, why) => {
            let mut all = nothings();
            all.retain(|v| v.is_null() || neutral(v));
            json!({ "enum": all, "description": format!("Only values that ask for nothing: {why}.") })
        }
    }
}

/// Values that ask for nothing of some parameter.
fn nothings() -> Vec<Value> {
    let words = ["", "none", "auto", "default", "standard_only", "disabled", "medium"];
    let others = json!([null, false, true, 0, 1, -1, [], {}, ["text"]]);
    others.as_array().into_iter().flatten().cloned().chain(words.map(Value::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_and_parameter_is_described() {
        let v = document(&["a", "b"]);
        let count: usize =
            v["paths"].as_object().unwrap().values().map(|p| p.as_object().unwrap().len()).sum();
        assert_eq!(count, ROUTES.len());
        let mut named = std::collections::BTreeSet::new();
        for route in ROUTES {
            let o = &v["paths"][route.path][route.method.to_lowercase()];
            assert!(o["summary"].as_str().is_some_and(|s| s.ends_with('.')), "{}", route.path);
            assert!(named.insert(o["operationId"].as_str().unwrap().to_owned()));
            assert!(o["responses"]["200"]["content"].as_object().is_some_and(|c| !c.is_empty()));
            let Some(on) = route.body else { continue };
            let schema = &o["requestBody"]["content"][media(on)]["schema"];
            for p in PARAMETERS.iter().filter(|p| p.on.has(on)) {
                let described = &schema["properties"][p.name];
                assert!(described.is_object(), "{} {}", route.path, p.name);
                let told = described.as_object().is_some_and(|d| !d.is_empty());
                assert!(told || matches!(p.rule, Rule::Label), "{} {} has no type", route.path, p.name);
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                let types = &schema["properties"][name.as_str().unwrap()]["type"];
                let null = types.as_array().is_some_and(|t| t.contains(&json!("null")));
                assert!(!null && !types.is_null(), "{} {name}", route.path);
            }
        }
        let chat = &v["paths"]["/v1/chat/completions"]["post"]["requestBody"]["content"]["application/json"]
            ["schema"];
        assert!(chat["properties"]["stream_options"]["properties"].get("include_usage").is_some());
        assert_eq!(chat["required"], json!(["messages"]));
        assert_eq!(chat["properties"]["model"]["enum"], json!(["a", "b", null]));
        assert_eq!(chat["properties"]["audio"]["enum"], json!([null]));
        assert_eq!(chat["properties"]["store"]["enum"], json!([null, false]));
    }
}
