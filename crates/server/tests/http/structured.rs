//! Answers in a form that was asked for, calls of tools, thoughts, and schemas that nobody should send.

use crate::client::{Running, SMALL, Size, engine};
use akunu::files::chat::ChatTemplate;
use akunu_server::{ModelEntry, Options, Serving};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Of a family that writes calls as JSON between marks.
pub(crate) const TOOLS: &str = "{% if tools %}Call as <tool_call>: {% for t in tools %}{{ t | tojson }}\n{% endfor %}{% endif %}{% for m in messages %}\
                     {{ m.role }}: {{ m.content }}{% for c in m.tool_calls %}<tool_call>{{ c.function.name }} {{ c.function.arguments | tojson }}\
                     </tool_call>{% endfor %}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}";
/// Of one whose call is the whole answer, and of one that writes calls in blocks.
const LLAMA: &str = "{% if tools %}Environment: ipython {{ tools | tojson }}{% endif %}{% for m in messages %}{{ m.role }}: {{ m.content }}\n\
                     {% endfor %}{% if add_generation_prompt %}assistant: {% endif %}";
const GEMMA: &str = "{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}<start_of_turn>{{ m.content }}{% endfor %}";
/// Of one that thinks before it answers.
pub(crate) const THINKS: &str = "{% for m in messages %}{{ m.role }}: {{ m.content.split('</think>')[-1] }}\n{% endfor %}assistant: <think>\n";

pub(crate) fn serve(template: &'static str) -> Running {
    let load = move || {
        // A random model fills its answers with blanks.
        let engine = engine(Size { context: 2000, ..SMALL }).map_err(|e| e.to_string())?;
        let template = Some(ChatTemplate::new(template, "", "").map_err(|e| e.to_string())?);
        Ok(Serving { template, ..engine.into() })
    };
    Running::ready(vec![ModelEntry::new("tiny", load)], Options::default())
}

pub(crate) fn with(v: &Value, more: Value) -> Value {
    let mut v = v.clone();
    v.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    v
}

pub(crate) fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 99}, "tag": {"enum": ["a", "bc"]}},
        "required": ["n", "tag"], "additionalProperties": false})
}

pub(crate) fn follows(text: &str) {
    let v: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert!(v["n"].as_u64().unwrap() < 100 && ["a", "bc"].contains(&v["tag"].as_str().unwrap()), "{text}");
    assert_eq!(v.as_object().unwrap().len(), 2, "{text}");
}

#[test]
fn answers_follow_what_any_interface_asks_for() {
    // A random model fills its answers with blanks.
    let s = Running::new(Size { context: 2000, ..SMALL }, Options::default());
    let messages = json!([{"role": "user", "content": "hello"}]);
    let format =
        json!({"type": "json_schema", "json_schema": {"name": "x", "strict": true, "schema": schema()}});
    let flat = json!({"type": "json_schema", "name": "x", "schema": schema()});
    let cases = [
        (
            "/v1/chat/completions",
            json!({"messages": messages, "response_format": format}),
            "/choices/0/message/content",
        ),
        ("/v1/responses", json!({"input": "hello", "text": {"format": flat}}), "/output/0/content/0/text"),
        ("/api/chat", json!({"messages": messages, "format": schema(), "stream": false}), "/message/content"),
        ("/api/generate", json!({"prompt": "hello", "format": schema(), "stream": false}), "/response"),
        ("/completion", json!({"prompt": "hello", "json_schema": schema()}), "/content"),
    ];
    for (path, v, at) in &cases {
        for seed in 0..3 {
            let more = match path.starts_with("/api") {
                true => json!({"options": {"seed": seed, "temperature": 1.5}}),
                false => json!({"temperature": 1.5}),
            };
            let answer = s.post(path, &with(v, more)).json();
            follows(answer.pointer(at).unwrap_or_else(|| panic!("{answer}")).as_str().unwrap());
        }
    }
    // The same, streamed; and several choices at once.
    let v = with(&cases[0].1, json!({"stream": true, "n": 3, "seed": 5}));
    let mut texts = vec![String::new(); 3];
    for e in s.post("/v1/chat/completions", &v).events() {
        if let Some(c) = e["choices"].get(0) {
            texts[c["index"].as_u64().unwrap() as usize]
                .push_str(c["delta"]["content"].as_str().unwrap_or(""));
        }
    }
    texts.iter().for_each(|t| follows(t));
    // GBNF, and any object.
    let gbnf = json!({"prompt": "x", "grammar": "root ::= (\"yes\" | \"no\") \"!\""});
    for (path, at) in [("/completion", "/content"), ("/v1/completions", "/choices/0/text")] {
        let answer = s.post(path, &gbnf).json();
        assert!(["yes!", "no!"].contains(&answer.pointer(at).unwrap().as_str().unwrap()), "{answer}");
    }
    let any = json!({"messages": messages, "response_format": {"type": "json_object"}, "max_tokens": 3});
    let answer = s.post("/v1/chat/completions", &any).json();
    let choice = &answer["choices"][0];
    let text = choice["message"]["content"].as_str().unwrap();
    assert!(text.starts_with('{'), "{answer}");
    // Three tokens can be a whole object.
    let whole = serde_json::from_str::<Value>(text).is_ok();
    assert_eq!(choice["finish_reason"], if whole { "stop" } else { "length" }, "{answer}");
    s.rest();
}

pub(crate) fn tools() -> Value {
    json!([
        {"type": "function", "function": {"name": "put", "description": "Puts it", "parameters": schema()}},
        {"type": "function", "function": {"name": "now"}},
    ])
}

#[test]
fn tools_that_must_be_called_are_called() {
    let s = serve(TOOLS);
    let ask = json!({"messages": [{"role": "user", "content": "do it"}], "tools": tools(), "seed": 1, "temperature": 1.0});
    let path = "/v1/chat/completions";
    let named = with(&ask, json!({"tool_choice": {"type": "function", "function": {"name": "put"}}}));
    let whole = s.post(path, &named).json();
    let message = &whole["choices"][0]["message"];
    assert_eq!(
        (&whole["choices"][0]["finish_reason"], &message["content"]),
        (&json!("tool_calls"), &Value::Null),
        "{whole}"
    );
    let calls = message["tool_calls"].as_array().unwrap();
    assert_eq!((calls.len(), &calls[0]["function"]["name"]), (1, &json!("put")));
    follows(calls[0]["function"]["arguments"].as_str().unwrap());
    // The stream has the same call, once.
    let events = s.post(path, &with(&named, json!({"stream": true}))).events();
    let streamed: Vec<&Value> = events
        .iter()
        .filter_map(|e| e["choices"][0]["delta"].get("tool_calls"))
        .flat_map(|c| c.as_array().unwrap())
        .collect();
    let arguments: String = streamed.iter().map(|c| c["function"]["arguments"].as_str().unwrap()).collect();
    assert_eq!(calls[0]["function"]["arguments"], arguments);
    assert!(events.iter().any(|e| e["choices"][0]["finish_reason"] == "tool_calls"), "{events:?}");
    // What is sent back is read.
    let id = calls[0]["id"].as_str().unwrap();
    let back = json!([{"role": "user", "content": "do it"}, message, {"role": "tool", "tool_call_id": id, "content": "done"}]);
    let rendered = s.post("/apply-template", &json!({"messages": back, "tools": tools()})).json();
    let prompt = rendered["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("Call as <tool_call>: {\"type\": \"function\"")
            && prompt.contains("<tool_call>put {\"n\": "),
        "{prompt}"
    );
    assert!(prompt.ends_with("tool: doneassistant: "), "{prompt}");
    assert_eq!(s.post(path, &with(&ask, json!({"messages": back, "max_tokens": 3}))).status, 200);
    // Any of them, one or several.
    for seed in 0..4 {
        let v = with(
            &ask,
            json!({"tool_choice": "required", "seed": seed, "parallel_tool_calls": seed % 2 == 0, "max_tokens": 400}),
        );
        let whole = s.post(path, &v).json();
        let message = &whole["choices"][0]["message"];
        let Some(calls) = message["tool_calls"].as_array() else {
            assert_eq!(whole["choices"][0]["finish_reason"], "length", "{whole}");
            continue;
        };
        assert!(calls.len() == 1 || seed % 2 == 0, "{calls:?}");
        for c in calls {
            assert!(["put", "now"].contains(&c["function"]["name"].as_str().unwrap()));
            serde_json::from_str::<Value>(c["function"]["arguments"].as_str().unwrap()).unwrap();
        }
    }
    // Where the model may choose, it writes what it writes.
    let free = s.post(path, &with(&ask, json!({"max_tokens": 20}))).json();
    assert!(free["choices"][0]["message"]["content"].is_string(), "{free}");
    s.rest();
}

/// Where the model may choose, a strict tool is called as its schema says, or not at all. A random model begins a call where its one letter
/// is made likely; the formats with longer marks are tested over masks.
#[test]
fn strict_tools_are_called_right_or_not_at_all() {
    let s = serve(LLAMA);
    let mut strict = tools();
    strict[0]["function"]["strict"] = true.into();
    let v = json!({"messages": [{"role": "user", "content": "do it"}], "tools": strict, "temperature": 1.5, "max_tokens": 900});
    for seed in 0..4 {
        let likely = json!({"seed": seed, "logit_bias": {"123": 100}});
        let whole = s.post("/v1/chat/completions", &with(&v, likely)).json();
        let choice = &whole["choices"][0];
        if choice["finish_reason"] == "length" {
            continue;
        }
        assert_eq!(choice["finish_reason"], "tool_calls", "{whole}");
        let f = &choice["message"]["tool_calls"][0]["function"];
        let arguments = f["arguments"].as_str().unwrap();
        if f["name"] == "put" {
            follows(arguments);
        }
        assert!(serde_json::from_str::<Value>(arguments).unwrap().is_object(), "{whole}");
        let more = json!({"seed": seed, "max_tokens": 20, "ignore_eos": true});
        let free = s.post("/v1/chat/completions", &with(&v, more)).json();
        let text = free["choices"][0]["message"]["content"].as_str().unwrap();
        assert!(!text.trim_start().starts_with('{'), "{free}");
    }
    // Only where the choice is the model's does its format matter.
    let s = serve(GEMMA);
    let e = s.post("/v1/chat/completions", &v);
    assert_eq!(
        (e.code(), &e.json()["error"]["param"]),
        ((400, "unsupported_by_model".into()), &json!("tools"))
    );
    assert_eq!(
        s.post("/v1/chat/completions", &with(&v, json!({"tool_choice": "none", "max_tokens": 3}))).status,
        200
    );
    let bad =
        json!([{"type": "function", "function": {"name": "x", "strict": true, "parameters": {"not": {}}}}]);
    let s = serve(LLAMA);
    let e = s.post("/v1/chat/completions", &with(&v, json!({"tools": bad})));
    assert_eq!(e.code(), (400, "unsupported_schema".into()));
}

#[test]
fn calls_in_the_words_of_each_interface() {
    let s = serve(TOOLS);
    let f = &tools()[0]["function"];
    let flat = json!({"type": "function", "name": "put", "parameters": f["parameters"]});
    let v = json!({"input": "do it", "tools": [flat], "tool_choice": {"type": "function", "name": "put"}, "temperature": 0});
    let whole = s.post("/v1/responses", &v).json();
    let call = &whole["output"][0];
    assert_eq!(
        (&call["type"], &call["name"], &whole["status"]),
        (&json!("function_call"), &json!("put"), &json!("completed")),
        "{whole}"
    );
    follows(call["arguments"].as_str().unwrap());
    let text = s.post("/v1/responses", &with(&v, json!({"stream": true}))).text();
    for name in [
        "response.output_item.added",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ] {
        assert_eq!(text.matches(&format!("event: {name}\n")).count(), 1, "{name}: {text}");
    }
    let back = json!([{"role": "user", "content": "do it"}, call, {"type": "function_call_output", "call_id": call["call_id"], "output": "done"}]);
    assert_eq!(
        s.post(
            "/v1/responses",
            &with(&v, json!({"input": back, "tool_choice": "auto", "max_output_tokens": 3}))
        )
        .status,
        200
    );

    let tool = json!({"name": "put", "input_schema": f["parameters"]});
    let messages = json!([{"role": "user", "content": "do it"}]);
    let v = json!({"messages": messages, "tools": [tool], "tool_choice": {"type": "any", "disable_parallel_tool_use": true}, "max_tokens": 900, "temperature": 0});
    let whole = s.post("/v1/messages", &v).json();
    let block = &whole["content"][0];
    assert_eq!(
        (&whole["stop_reason"], &block["type"], &block["name"]),
        (&json!("tool_use"), &json!("tool_use"), &json!("put")),
        "{whole}"
    );
    follows(&block["input"].to_string());
    let text = s.post("/v1/messages", &with(&v, json!({"stream": true}))).text();
    let partial: Vec<Value> =
        text.lines().filter_map(|l| serde_json::from_str(l.strip_prefix("data: ")?).ok()).collect();
    let json: String = partial.iter().filter_map(|e: &Value| e["delta"]["partial_json"].as_str()).collect();
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), block["input"]);
    let result = json!({"type": "tool_result", "tool_use_id": block["id"], "content": [{"type": "text", "text": "done"}]});
    let back = json!([messages[0], {"role": "assistant", "content": whole["content"]}, {"role": "user", "content": [result, {"type": "text", "text": "so?"}]}]);
    let more = json!({"messages": back, "tool_choice": {"type": "auto"}, "max_tokens": 3});
    assert_eq!(s.post("/v1/messages", &with(&v, more)).status, 200);

    let v = json!({"messages": messages, "tools": tools(), "stream": false, "options": {"num_predict": 10}});
    assert_eq!(s.post("/api/chat", &v).status, 200);
    s.rest();
}

#[test]
fn thoughts_stand_apart() {
    let s = serve(THINKS);
    let v = json!({"messages": [{"role": "user", "content": "hello"}], "max_tokens": 20, "temperature": 0, "ignore_eos": true});
    let whole = s.post("/v1/chat/completions", &v).json();
    let message = &whole["choices"][0]["message"];
    let thoughts = message["reasoning_content"].as_str().unwrap();
    assert!(!thoughts.is_empty() && message["content"] == "", "{whole}");
    let events = s.post("/v1/chat/completions", &with(&v, json!({"stream": true}))).events();
    let streamed: String =
        events.iter().filter_map(|e| e["choices"][0]["delta"]["reasoning_content"].as_str()).collect();
    assert_eq!(streamed, thoughts);
    let options = json!({"num_predict": 20, "temperature": 0});
    let v = json!({"messages": v["messages"], "stream": false, "options": options});
    assert!(s.post("/api/chat", &v).json()["message"]["thinking"].is_string());
    let v = json!({"messages": v["messages"], "max_tokens": 20, "temperature": 0});
    assert_eq!(s.post("/v1/messages", &v).json()["content"][0]["type"], "thinking");
}

#[test]
fn what_cannot_be_enforced_is_refused_by_name() {
    let s = serve(TOOLS);
    let ask = json!({"messages": [{"role": "user", "content": "hello"}], "max_tokens": 2});
    let of = |schema: Value| json!({"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}});
    let long = "x".repeat(300 << 10);
    for (more, param, code) in [
        (of(json!({"not": {}})), "response_format", "unsupported_schema"),
        (
            of(json!({"type": "object", "properties": {"a": {"uniqueItems": true}}})),
            "response_format",
            "unsupported_schema",
        ),
        (of(json!({"$ref": "https://elsewhere"})), "response_format", "unsupported_schema"),
        (of(json!(5)), "response_format.json_schema.schema", "invalid_type"),
        (
            json!({"response_format": {"type": "json_schema"}}),
            "response_format.json_schema",
            "missing_parameter",
        ),
        (json!({"response_format": {"type": "xml"}}), "response_format.type", "invalid_value"),
        (
            json!({"response_format": {"type": "json_object", "depth": 1}}),
            "response_format.depth",
            "unknown_parameter",
        ),
        (json!({"response_format": "json"}), "response_format", "invalid_type"),
        (json!({"grammar": "root ::= x"}), "grammar", "invalid_grammar"),
        (json!({"grammar": 7}), "grammar", "invalid_type"),
        (json!({"grammar": long}), "grammar", "invalid_value"),
        (with(&of(json!({})), json!({"grammar": "root ::= \"x\""})), "grammar", "invalid_value"),
        (with(&of(json!({})), json!({"tools": tools()})), "response_format", "invalid_value"),
        (
            json!({"tools": [{"type": "function", "function": {"name": "f", "parameters": {"not": {}}}}], "tool_choice": "required"}),
            "tools",
            "unsupported_schema",
        ),
        (json!({"tools": tools(), "tool_choice": "sometimes"}), "tool_choice", "invalid_value"),
        (json!({"tool_choice": "required"}), "tool_choice", "invalid_value"),
        (json!({"functions": [{"name": "f"}]}), "functions", "unsupported_parameter"),
        (json!({"guided_regex": "a"}), "guided_regex", "unknown_parameter"),
    ] {
        let a = s.post("/v1/chat/completions", &with(&ask, more.clone()));
        let e = a.json();
        let shown = more.to_string().chars().take(200).collect::<String>();
        assert_eq!((a.code(), &e["error"]["param"]), ((400, code.to_owned()), &json!(param)), "{shown}: {e}");
    }
    // A model whose template knows no tools says so.
    let plain = Running::new(SMALL, Options::default());
    let a = plain.post("/v1/chat/completions", &with(&ask, json!({"tools": tools()})));
    assert_eq!(a.code(), (400, "unsupported_by_model".to_owned()));
}

/// Bytes of this process in memory.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) * 4096
}

#[test]
fn hostile_schemas_and_expressions_are_answered_in_time() {
    let s = Running::new(SMALL, Options::default());
    let mut deep = json!({"type": "integer"});
    for _ in 0..60 {
        deep = json!({"type": "array", "items": {"anyOf": [deep, {"type": "null"}]}});
    }
    let wide: Value =
        (0..600).map(|i| json!({"type": "object", "properties": {format!("p{i}"): {}}})).collect();
    let product: Value = (0..12)
        .map(|i| json!({"anyOf": (0..40).map(|j| json!({"required": [format!("a{i}_{j}")]})).collect::<Value>()}))
        .collect();
    let hostile = [
        json!({"type": "string", "pattern": "^(((a{1,200}){1,200}){1,200})$"}),
        json!({"type": "string", "pattern": "^(a|aa|aaa)*(b?){1000}[^a]{999}$"}),
        json!({"type": "string", "minLength": 1_000_000_000}),
        json!({"type": "array", "minItems": 1_000_000, "items": {"type": "string"}}),
        json!({"$ref": "#"}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
        json!({"oneOf": wide}),
        json!({"allOf": product}),
        json!({"enum": (0..20_000).map(|i| format!("value {i}")).collect::<Vec<_>>()}),
        deep,
    ];
    for schema in hostile {
        let since = Instant::now();
        let shown = schema.to_string().chars().take(120).collect::<String>();
        let a = s.post("/completion", &json!({"prompt": "x", "n_predict": 3, "json_schema": schema}));
        assert!(a.status == 200 || a.status == 400, "{}: {shown}", a.text());
        assert!(since.elapsed() < Duration::from_secs(20), "{:?}: {shown}", since.elapsed());
    }
    for grammar in [
        "root ::= root root | \"a\" | \"b\" root".to_owned(),
        format!("root ::= {}\"a\"{}", "(".repeat(150), ")*".repeat(150)),
        "root ::= (((\"a\"{0,2000}){0,2000}){0,2000})".to_owned(),
        (0..3000).map(|i| format!("r{i} ::= r{} r{}\n", i + 1, i + 2)).collect::<String>()
            + "root ::= r0\nr3000 ::= \"a\"\nr3001 ::= \"b\"\n",
    ] {
        let since = Instant::now();
        let a = s.post("/completion", &json!({"prompt": "x", "n_predict": 40, "grammar": grammar}));
        assert!(a.status == 200 || a.status == 400, "{}", a.text());
        assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
    }
    s.rest();
    assert_eq!(s.post("/completion", &json!({"prompt": "x", "n_predict": 3})).status, 200);
}

#[test]
fn a_thousand_schemas_leave_nothing() {
    let s = Running::new(SMALL, Options::default());
    let mut before = 0;
    let since = Instant::now();
    for i in 0..1000 {
        let schema = json!({"type": "object", "properties": {format!("key{i}"): {"type": "string", "pattern": format!("^[a-z]{{{}}}x$", i % 50 + 1)}},
            "required": [format!("key{i}")]});
        let a = s.post("/completion", &json!({"prompt": "x", "n_predict": 2, "json_schema": schema}));
        assert_eq!(a.status, 200, "{}", a.text());
        if i == 200 {
            before = resident();
        }
    }
    let more = resident().saturating_sub(before);
    println!("1000 schemas in {:?}; the last 800 took {} KiB more", since.elapsed(), more / 1024);
    assert!(more < 64 << 20, "{more} bytes more");
    s.rest();
}
