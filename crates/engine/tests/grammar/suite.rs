//! The official test suite of JSON Schema: every instance of every schema that is taken.
//!
//! A text that is not valid must be refused. A valid one must be allowed, but for what the documentation of
//! `akunu::grammar::schema` says is never written (`narrower`).

use crate::vocab::{allows, compile, suite};
use akunu::grammar::{Grammar, GrammarError, GrammarSource, SchemaError};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Default, Debug)]
struct Count {
    schemas: usize,
    taken: usize,
    allowed: usize,
    refused: usize,
    narrower: usize,
    unsupported: BTreeMap<String, usize>,
}

/// Draft folders, and the `$schema` that their tests mean.
const DRAFTS: &[(&str, &str)] = &[
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft4", "http://json-schema.org/draft-04/schema#"),
];

#[test]
#[ignore = "needs tools/fetch-json-schema-suite.sh"]
fn real_suite_of_json_schema() {
    let mut wrong = Vec::new();
    for (draft, uri) in DRAFTS {
        let mut count = Count::default();
        let mut files: Vec<_> =
            std::fs::read_dir(suite().join(draft)).unwrap().map(|e| e.unwrap().path()).collect();
        let optional = suite().join(draft).join("optional/format");
        files.extend(std::fs::read_dir(optional).unwrap().map(|e| e.unwrap().path()));
        files.retain(|p| p.extension().is_some_and(|e| e == "json"));
        files.sort();
        for file in files {
            let groups: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            let is_format = file.parent().is_some_and(|p| p.ends_with("format"));
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            // There a format is a note; here it is enforced.
            if name == "format" {
                continue;
            }
            for group in groups {
                one(draft, uri, &name, is_format, &group, &mut count, &mut wrong);
            }
        }
        println!("{draft}: {count:?}");
        assert!(count.taken > 100 && count.refused > 200 && count.allowed > 200, "{draft}: {count:?}");
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn one(
    draft: &str,
    uri: &str,
    file: &str,
    is_format: bool,
    group: &Value,
    count: &mut Count,
    wrong: &mut Vec<String>,
) {
    let mut schema = group["schema"].clone();
    if let Value::Object(map) = &mut schema {
        map.entry("$schema").or_insert_with(|| uri.into());
    }
    count.schemas += 1;
    let text = schema.to_string();
    let grammar = match compile(&GrammarSource::JsonSchema(text.clone())) {
        Ok(grammar) => Some(grammar),
        Err(e) => {
            let key = match &e {
                GrammarError::Schema(SchemaError::Unsupported { keyword, .. }) => keyword.clone(),
                GrammarError::Schema(SchemaError::Reference { .. }) => "$ref elsewhere".into(),
                e if e.to_string().to_lowercase().contains("unsatisfiable") || text == "false" => {
                    "nothing is valid".into()
                }
                e => format!("{file}: {e}"),
            };
            *count.unsupported.entry(key).or_default() += 1;
            None
        }
    };
    let Some(grammar) = grammar else { return };
    count.taken += 1;
    for test in group["tests"].as_array().unwrap() {
        let valid = test["valid"].as_bool().unwrap();
        let says = || {
            format!(
                "{draft}/{file}: {} / {}: {} of {text}",
                group["description"], test["description"], test["data"]
            )
        };
        let allowed = allows(&grammar, &test["data"].to_string());
        match (valid, allowed) {
            (true, true) => count.allowed += 1,
            (false, false) => count.refused += 1,
            (false, true) => wrong.push(format!("ALLOWED {}", says())),
            (true, false) if is_format || narrower(&test["data"], &grammar) => count.narrower += 1,
            (true, false) => wrong.push(format!("refused {}", says())),
        }
    }
}

/// Whether the instance would be allowed if its properties came in the schema's order and its whole numbers were
/// written as such, or has something else that is never written.
fn narrower(data: &Value, grammar: &Arc<Grammar>) -> bool {
    fn whole(value: &Value) -> Value {
        match value {
            Value::Number(n) => match n.as_f64() {
                Some(f) if n.is_f64() && f.fract() == 0.0 && f.abs() < 1e16 => (f as i64).into(),
                _ => value.clone(),
            },
            Value::Array(list) => list.iter().map(whole).collect(),
            Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), whole(v))).collect(),
            other => other.clone(),
        }
    }
    let data = whole(data);
    if allows(grammar, &data.to_string()) {
        return true;
    }
    // All orders of up to six properties.
    let Value::Object(map) = &data else { return false };
    let entries: Vec<(String, Value)> = map.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    entries.len() <= 6
        && permutations(entries.len()).iter().any(|order| {
            let text: Value = order.iter().map(|i| entries[*i].clone()).collect();
            allows(grammar, &text.to_string())
        })
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let shorter = permutations(n - 1);
    let insert = |p: &Vec<usize>, at: usize| {
        let mut p = p.clone();
        p.insert(at, n - 1);
        p
    };
    shorter.iter().flat_map(|p| (0..n).map(move |at| insert(p, at))).collect()
}
