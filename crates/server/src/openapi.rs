//! `/openapi.json`, made from the tables of routes and parameters, so that it says what the server does.

use crate::params::{On, PARAMETERS, Rule};
use crate::routes::{ROUTES, Route};
use serde_json::{Map, Value, json};

/// The description of all routes (OpenAPI 3.1).
pub(crate) fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_lowercase()] = operation(route);
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

fn operation(route: &Route) -> Value {
    let mut v = json!({
        "summary": route.about,
        "operationId": format!("{:?}", route.action),
        "responses": {
            "200": { "description": "The answer." },
            "default": { "description": "An error, which says what is wrong and what to do." },
        },
    });
    if route.path.ends_with("{id}") {
        v["parameters"] =
            json!([{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }]);
    }
    if let Some(on) = route.body {
        v["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": schema(on) } } });
    }
    v
}

/// An object's parameters.
fn schema(on: On) -> Value {
    let mut properties = Map::new();
    for p in PARAMETERS.iter().filter(|p| p.on.has(on)) {
        properties.insert(p.name.into(), rule(p.rule));
    }
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn rule(rule: Rule) -> Value {
    match rule {
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
        Rule::Route | Rule::Form(_) | Rule::Read(_) | Rule::Label => json!({}),
        Rule::Only(_, why) => json!({ "description": format!("Only values that ask for nothing: {why}.") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_and_parameter_is_described() {
        let v = document();
        let count: usize =
            v["paths"].as_object().unwrap().values().map(|p| p.as_object().unwrap().len()).sum();
        assert_eq!(count, ROUTES.len());
        let mut named = std::collections::BTreeSet::new();
        for route in ROUTES {
            let o = &v["paths"][route.path][route.method.to_lowercase()];
            assert!(o["summary"].as_str().is_some_and(|s| s.ends_with('.')), "{}", route.path);
            assert!(named.insert(o["operationId"].as_str().unwrap().to_owned()));
            let Some(on) = route.body else { continue };
            let schema = &o["requestBody"]["content"]["application/json"]["schema"];
            for p in PARAMETERS.iter().filter(|p| p.on.has(on)) {
                assert!(schema["properties"].get(p.name).is_some(), "{} {}", route.path, p.name);
            }
        }
        let chat = &v["paths"]["/v1/chat/completions"]["post"]["requestBody"]["content"]["application/json"]
            ["schema"];
        assert!(chat["properties"]["stream_options"]["properties"].get("include_usage").is_some());
    }
}
