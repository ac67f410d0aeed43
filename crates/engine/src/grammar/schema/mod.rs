//! JSON schemas, made ready for llguidance.
//!
//! llguidance enforces a large part of JSON Schema and ignores the rest of what it does not know. So a schema is
//! read here first and written anew, with nothing in it but what is enforced:
//!
//! * keywords that cannot be enforced are refused, by name and place (`not`, `if`, `contains`, `uniqueItems`,
//!   `propertyNames`, `dependentRequired`, `unevaluatedProperties` beside applicators, …);
//! * `$ref` is resolved by JSON pointer (RFC 6901), by `$anchor`, and by the root's own `$id`; other documents are
//!   never fetched;
//! * drafts 4 to 2020-12 become one: Booleans in `exclusiveMinimum`, arrays in `items`, keywords beside `$ref`;
//! * patterns in the syntax of ECMA-262 become those of the `regex` crate (`pattern`);
//! * formats whose expression in llguidance is too wide have one of ours (`format`); unknown formats are refused;
//! * numbers that a double cannot hold are refused where they bound something, and so are control characters in
//!   constants that JSON writes by their code only.
//!
//! Unknown keywords are annotations, as the specification says, and are ignored.
//!
//! The output is narrower than the schema in these ways, so every output is valid, and some valid texts are never
//! produced: properties come in the order of the schema, then others; an integer is written without a fraction or
//! exponent; strings are written with no escapes but `\n \r \t \b \f \\ \"`; white space between tokens is at most 40
//! characters. A number without bounds may have more digits, or a larger exponent, than a double holds.
//!
//! Sources: JSON Schema core and validation, 2020-12 (json-schema.org/draft/2020-12); draft 7.

mod format;
mod keyword;
mod pattern;
mod refs;

use keyword::{Kind, kind_of};
use refs::Document;
use serde_json::{Map, Number, Value, json};
use std::collections::HashMap;
use thiserror::Error;

/// Depths of all definitions together, at most: what the compiler's recursion may need.
pub const MAX_DEPTH: usize = 8_192;
/// Alternatives of one `oneOf`.
pub const MAX_ONE_OF: usize = 512;
/// Patterns of one `patternProperties`.
pub const MAX_PATTERN_PROPERTIES: usize = 32;
/// Product of the sizes of parts of one schema that are intersected with each other.
pub const MAX_PRODUCT: u64 = 1 << 22;

/// What is wrong with a schema, and where: `at` is a JSON pointer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named in the messages")]
pub enum SchemaError {
    /// Not JSON.
    #[error("the schema is not JSON: {message}")]
    Json { message: String },
    /// A keyword that cannot be enforced while text is generated.
    #[error("the schema asks for `{keyword}` at {}, which is not supported{why}; leave it out, or say it otherwise", place(.at))]
    Unsupported { keyword: String, at: String, why: String },
    /// A keyword with a value that means nothing.
    #[error("the schema's `{keyword}` at {} is wrong: {what}", place(.at))]
    Invalid { keyword: String, at: String, what: String },
    /// A reference to nothing.
    #[error("the schema's reference {reference:?} at {} leads nowhere: {why}", place(.at))]
    Reference { reference: String, at: String, why: String },
    /// A schema that would take too much to compile.
    #[error("the schema is too large: {what} at {} (at most {most})", place(.at))]
    Limit { what: &'static str, at: String, most: u64 },
}

fn place(at: &str) -> String {
    const MOST: usize = 200;
    match at.char_indices().nth(MOST) {
        _ if at.is_empty() => "the top".into(),
        Some((end, _)) => format!("{}…", &at[..end]),
        None => at.into(),
    }
}

/// White space that the output may have between tokens of JSON: enough to indent, not enough to go on for ever.
const WHITE_SPACE: &str = r"[\x20\x0A\x0D\x09]{1,40}";

/// Escapes that strings are written with. `\u` is none of them: a property's name in other letters would be
/// another name to llguidance and the same to everyone else.
const ESCAPES: &str = "nrtbf\\\"";

/// Reads a schema and writes it for llguidance.
pub(super) fn lower(text: &str) -> Result<Value, SchemaError> {
    let root: Value = serde_json::from_str(text).map_err(|e| SchemaError::Json { message: e.to_string() })?;
    let document = Document::new(&root)?;
    let mut lowering = Lowering { document, definitions: HashMap::new(), waiting: Vec::new(), deepest: 0 };
    let mut whole = match lowering.schema(&root, "", 0)? {
        Value::Object(map) => map,
        // Booleans: anything, or nothing, which llguidance refuses.
        other => {
            return if other == Value::Bool(false) { Err(nothing()) } else { Ok(with_options(Map::new())) };
        }
    };
    let mut definitions = Map::new();
    let mut depth = 0;
    while let Some((at, name)) = lowering.waiting.pop() {
        depth += lowering.deepest + 1;
        if depth > MAX_DEPTH {
            return Err(limit("depths of all definitions together", &at, MAX_DEPTH as u64));
        }
        lowering.deepest = 0;
        let Some(target) = lowering.document.at(&at) else { continue };
        definitions.insert(name, lowering.schema(target, &at, 0)?);
    }
    if !definitions.is_empty() {
        whole.insert("$defs".into(), definitions.into());
    }
    Ok(with_options(whole))
}

fn nothing() -> SchemaError {
    SchemaError::Invalid { keyword: "false".into(), at: String::new(), what: "no text is valid".into() }
}

fn with_options(mut schema: Map<String, Value>) -> Value {
    let options = json!({ "whitespace_pattern": WHITE_SPACE, "json_allowed_escapes": ESCAPES });
    schema.insert("x-guidance".into(), options);
    schema.into()
}

struct Lowering<'s> {
    document: Document<'s>,
    /// Names of referenced schemas, by pointer.
    definitions: HashMap<String, String>,
    /// Referenced schemas that are not written yet.
    waiting: Vec<(String, String)>,
    /// How deep the definition that is being written is.
    deepest: usize,
}

type Object = Map<String, Value>;

impl Lowering<'_> {
    /// One schema, at a pointer, `depth` below the definition it belongs to.
    fn schema(&mut self, schema: &Value, at: &str, depth: usize) -> Result<Value, SchemaError> {
        let object = match schema {
            Value::Bool(_) => return Ok(schema.clone()),
            Value::Object(object) => object,
            other => return Err(invalid("schema", at, format!("{} is no schema", shown(other)))),
        };
        self.deepest = self.deepest.max(depth);
        if let Some(reference) = object.get("$ref")
            && self.document.ref_stands_alone
        {
            return Ok(json!({ "$ref": self.reference(reference, at)? }));
        }
        let mut plain = Map::new();
        // Applicators come last, so that keywords that belong together stay together.
        let mut applied = Map::new();
        let mut more = Vec::new();
        for (keyword, value) in object {
            let here = format!("{at}/{}", refs::escape(keyword));
            match kind_of(keyword) {
                Kind::Annotation => {}
                Kind::Unsupported => self.unsupported(object, keyword, value, at, &mut plain)?,
                Kind::Type => drop(plain.insert(keyword.clone(), types(value, at)?)),
                Kind::Bound => self.bound(object, keyword, value, at, &mut plain)?,
                Kind::Count => {
                    let n = count(keyword, value, at)?;
                    check_distinct(object, keyword, n, at)?;
                    plain.insert(keyword.clone(), n.into());
                }
                Kind::Required => drop(plain.insert(keyword.clone(), names(keyword, value, at)?)),
                Kind::Pattern => {
                    let text = string(keyword, value, at)?;
                    plain.insert(keyword.clone(), self::pattern::translate(text, keyword, at)?.into());
                }
                Kind::Format => match format::of(string(keyword, value, at)?, at)? {
                    format::Enforced::Library(name) => drop(plain.insert("format".into(), name.into())),
                    format::Enforced::Pattern(pattern) => more.push(json!({ "pattern": pattern })),
                    format::Enforced::Type => {}
                },
                Kind::Schema => drop(plain.insert(keyword.clone(), self.schema(value, &here, depth + 1)?)),
                Kind::Items => self.items(object, keyword, value, at, depth, &mut plain)?,
                Kind::SchemaMap => {
                    plain.insert(keyword.clone(), self.schema_map(keyword, value, at, depth)?);
                }
                Kind::SchemaList => {
                    applied.insert(keyword.clone(), self.schema_list(keyword, value, at, depth)?);
                }
                Kind::Constant => drop(applied.insert(keyword.clone(), constant(keyword, value, at)?)),
                Kind::Ref => drop(applied.insert("$ref".into(), self.reference(value, at)?.into())),
            }
        }
        self.document.check_product(object, at)?;
        if !more.is_empty() {
            match applied.entry("allOf").or_insert_with(|| Value::Array(Vec::new())) {
                Value::Array(list) => list.extend(more),
                _ => return Err(invalid("allOf", at, "not a list of schemas".into())),
            }
        }
        plain.append(&mut applied);
        Ok(plain.into())
    }

    /// A keyword that is not enforced, in the few forms that ask for nothing or can be said otherwise.
    fn unsupported(
        &mut self,
        object: &Object,
        keyword: &str,
        value: &Value,
        at: &str,
        plain: &mut Object,
    ) -> Result<(), SchemaError> {
        let absent = |k: &str| !object.contains_key(k);
        let applicators = ["allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas"];
        match (keyword, value) {
            ("uniqueItems", Value::Bool(false)) => Ok(()),
            ("then" | "else", _) if absent("if") => Ok(()),
            ("if", _) if absent("then") && absent("else") => Ok(()),
            ("minContains" | "maxContains", _) if absent("contains") => Ok(()),
            (
                "dependentRequired"
                | "dependentSchemas"
                | "dependencies"
                | "unevaluatedProperties"
                | "unevaluatedItems",
                Value::Object(map),
            ) if map.is_empty() => Ok(()),
            ("unevaluatedProperties" | "unevaluatedItems" | "propertyNames", Value::Bool(true)) => Ok(()),
            // Without applicators beside it, it is `additionalProperties`.
            ("unevaluatedProperties", Value::Bool(false)) if applicators.iter().all(|k| absent(k)) => {
                if absent("additionalProperties") {
                    plain.insert("additionalProperties".into(), false.into());
                }
                Ok(())
            }
            ("unevaluatedItems", Value::Bool(false))
                if applicators.iter().all(|k| absent(k)) && absent("items") && absent("contains") =>
            {
                plain.insert("items".into(), false.into());
                Ok(())
            }
            ("$id" | "id", Value::String(_)) if at.is_empty() => Ok(()),
            // `id` was a keyword in draft 4 only, and is a common name of a property elsewhere.
            ("id", _) if !self.document.id_is_keyword => Ok(()),
            _ => {
                let why = match keyword {
                    "$id" | "id" => " within a document: write references from its root",
                    "$dynamicRef" | "$recursiveRef" => ": use `$ref`",
                    _ => "",
                };
                Err(SchemaError::Unsupported { keyword: keyword.into(), at: at.into(), why: why.into() })
            }
        }
    }

    /// `minimum`, `maximum`, their exclusive forms (a Boolean in draft 4) and `multipleOf`.
    fn bound(
        &self,
        object: &Object,
        keyword: &str,
        value: &Value,
        at: &str,
        plain: &mut Object,
    ) -> Result<(), SchemaError> {
        let other = match keyword {
            "exclusiveMinimum" => "minimum",
            "exclusiveMaximum" => "maximum",
            _ => "",
        };
        let value = match value {
            Value::Bool(false) if !other.is_empty() => return Ok(()),
            Value::Bool(true) if !other.is_empty() => match object.get(other) {
                Some(bound) => bound,
                None => return Ok(()),
            },
            value => value,
        };
        let Value::Number(number) = value else {
            return Err(invalid(keyword, at, format!("{} is no number", shown(value))));
        };
        check_number(number, keyword, at)?;
        if keyword == "multipleOf" && number.as_f64().is_none_or(|n| n <= 0.0) {
            return Err(invalid(keyword, at, format!("{number} is not above 0")));
        }
        plain.insert(keyword.into(), value.clone());
        Ok(())
    }

    /// `items`, `prefixItems` and `additionalItems`, in the words of 2020-12.
    fn items(
        &mut self,
        object: &Object,
        keyword: &str,
        value: &Value,
        at: &str,
        depth: usize,
        plain: &mut Object,
    ) -> Result<(), SchemaError> {
        let here = format!("{at}/{keyword}");
        match (keyword, value) {
            ("items", Value::Array(_)) if object.contains_key("prefixItems") => {
                Err(invalid(keyword, at, "an array beside `prefixItems`".into()))
            }
            ("items", Value::Array(_)) | ("prefixItems", _) => {
                let list = self.schema_list(keyword, value, at, depth)?;
                plain.insert("prefixItems".into(), list);
                Ok(())
            }
            ("items", _) => {
                let items = self.schema(value, &here, depth + 1)?;
                plain.insert("items".into(), items);
                Ok(())
            }
            // It means something beside an array of items only.
            _ if matches!(object.get("items"), Some(Value::Array(_))) => {
                let items = self.schema(value, &here, depth + 1)?;
                plain.insert("items".into(), items);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn schema_map(
        &mut self,
        keyword: &str,
        value: &Value,
        at: &str,
        depth: usize,
    ) -> Result<Value, SchemaError> {
        let Value::Object(map) = value else {
            return Err(invalid(keyword, at, format!("{} is no object of schemas", shown(value))));
        };
        let patterns = keyword == "patternProperties";
        if patterns && map.len() > MAX_PATTERN_PROPERTIES {
            return Err(limit("patterns of `patternProperties`", at, MAX_PATTERN_PROPERTIES as u64));
        }
        let mut lowered = Map::new();
        for (name, schema) in map {
            let here = format!("{at}/{keyword}/{}", refs::escape(name));
            let key = if patterns { pattern::translate(name, keyword, at)? } else { name.clone() };
            lowered.insert(key, self.schema(schema, &here, depth + 2)?);
        }
        if lowered.len() < map.len() {
            return Err(invalid(keyword, at, "two patterns mean the same".into()));
        }
        Ok(lowered.into())
    }

    fn schema_list(
        &mut self,
        keyword: &str,
        value: &Value,
        at: &str,
        depth: usize,
    ) -> Result<Value, SchemaError> {
        let list = match value {
            Value::Array(list) if !list.is_empty() || matches!(keyword, "items" | "prefixItems") => list,
            _ => return Err(invalid(keyword, at, format!("{} is no list of schemas", shown(value)))),
        };
        if keyword == "oneOf" && list.len() > MAX_ONE_OF {
            return Err(limit("alternatives of `oneOf`", at, MAX_ONE_OF as u64));
        }
        let mut lowered = Vec::with_capacity(list.len());
        for (i, schema) in list.iter().enumerate() {
            lowered.push(self.schema(schema, &format!("{at}/{keyword}/{i}"), depth + 2)?);
        }
        Ok(lowered.into())
    }

    /// The name under which a referenced schema will stand.
    fn reference(&mut self, value: &Value, at: &str) -> Result<String, SchemaError> {
        let target = self.document.resolve(string("$ref", value, at)?, at)?;
        let next = self.definitions.len();
        let name = self.definitions.entry(target.clone()).or_insert_with(|| {
            let name = format!("d{next}");
            self.waiting.push((target, name.clone()));
            name
        });
        Ok(format!("#/$defs/{name}"))
    }
}

fn types(value: &Value, at: &str) -> Result<Value, SchemaError> {
    const TYPES: &[&str] = &["null", "boolean", "number", "integer", "string", "array", "object"];
    let known = |v: &Value| v.as_str().is_some_and(|t| TYPES.contains(&t));
    match value {
        Value::String(_) if known(value) => Ok(value.clone()),
        Value::Array(list) if !list.is_empty() && list.iter().all(known) => {
            // A number is an integer too; alternatives that overlap are only slower.
            let number = list.iter().any(|v| v == "number");
            let mut kept: Vec<Value> = Vec::new();
            for v in list.iter().filter(|v| !(number && *v == "integer")) {
                if !kept.contains(v) {
                    kept.push(v.clone());
                }
            }
            Ok(kept.into())
        }
        _ => Err(invalid("type", at, format!("{} is no type; types are {}", shown(value), TYPES.join(", ")))),
    }
}

fn count(keyword: &str, value: &Value, at: &str) -> Result<u64, SchemaError> {
    let whole =
        value.as_u64().or_else(|| value.as_f64().filter(|f| f.fract() == 0.0 && *f >= 0.0).map(|f| f as u64));
    match whole {
        // Beyond this it bounds nothing that a model writes, and llguidance would count to it.
        Some(n) if n > 100_000 => Err(limit("a count", at, 100_000)),
        Some(n) => Ok(n),
        None => Err(invalid(keyword, at, format!("{} is no count", shown(value)))),
    }
}

/// Names of properties that the schema does not list may come twice, and would be counted twice.
fn check_distinct(object: &Object, keyword: &str, n: u64, at: &str) -> Result<(), SchemaError> {
    let required = object.get("required").and_then(Value::as_array).map_or(0, Vec::len) as u64;
    if keyword != "minProperties" || n <= required + 1 {
        return Ok(());
    }
    Err(SchemaError::Unsupported {
        keyword: keyword.into(),
        at: at.into(),
        why: " beyond one more than the required properties".into(),
    })
}

fn names(keyword: &str, value: &Value, at: &str) -> Result<Value, SchemaError> {
    match value {
        Value::Array(list) if list.iter().all(Value::is_string) => Ok(value.clone()),
        // Draft 3 had a Boolean here; what it meant is another thing.
        _ => Err(invalid(keyword, at, format!("{} is no list of names", shown(value)))),
    }
}

fn constant(keyword: &str, value: &Value, at: &str) -> Result<Value, SchemaError> {
    fn check(value: &Value, keyword: &str, at: &str) -> Result<(), SchemaError> {
        match value {
            Value::Number(n) => check_number(n, keyword, at),
            Value::String(s) if s.chars().any(needs_code) => Err(SchemaError::Unsupported {
                keyword: keyword.into(),
                at: at.into(),
                why: format!(" with the control character in {}", shown(value)),
            }),
            Value::Array(list) => list.iter().try_for_each(|v| check(v, keyword, at)),
            Value::Object(map) => map.values().try_for_each(|v| check(v, keyword, at)),
            _ => Ok(()),
        }
    }
    if keyword == "enum" && value.as_array().is_none_or(Vec::is_empty) {
        return Err(invalid(keyword, at, format!("{} is no list of values", shown(value))));
    }
    check(value, keyword, at)?;
    Ok(value.clone())
}

/// Characters that JSON has no escape for but their code.
fn needs_code(c: char) -> bool {
    (c < ' ' || c == '\u{7f}') && !matches!(c, '\n' | '\r' | '\t' | '\u{8}' | '\u{c}')
}

/// llguidance keeps numbers as doubles.
fn check_number(number: &Number, keyword: &str, at: &str) -> Result<(), SchemaError> {
    const EXACT: u64 = 1 << 53;
    let whole = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
    if whole.map_or(number.is_f64(), |n| n <= EXACT) {
        return Ok(());
    }
    Err(SchemaError::Unsupported {
        keyword: keyword.into(),
        at: at.into(),
        why: format!(" with {number}, which a double does not hold"),
    })
}

fn string<'v>(keyword: &str, value: &'v Value, at: &str) -> Result<&'v str, SchemaError> {
    value.as_str().ok_or_else(|| invalid(keyword, at, format!("{} is no string", shown(value))))
}

fn invalid(keyword: &str, at: &str, what: String) -> SchemaError {
    SchemaError::Invalid { keyword: keyword.into(), at: at.into(), what }
}

fn limit(what: &'static str, at: &str, most: u64) -> SchemaError {
    SchemaError::Limit { what, at: at.into(), most }
}

/// A value in a message.
fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = match value {
        Value::Array(list) => return format!("a list of {}", list.len()),
        Value::Object(_) => return "an object".into(),
        other => other.to_string(),
    };
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
