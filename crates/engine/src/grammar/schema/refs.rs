//! Where references of a schema lead.

use super::{MAX_PRODUCT, SchemaError, invalid, limit};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::HashMap;

/// A schema as a document: its draft, its names and its parts.
pub(super) struct Document<'s> {
    root: &'s Value,
    /// Pointers of schemas by their `$anchor`.
    anchors: HashMap<&'s str, String>,
    /// The root's `$id` without a fragment.
    id: Option<&'s str>,
    /// Whether keywords beside `$ref` are ignored, as up to draft 7.
    pub(super) ref_stands_alone: bool,
    /// Whether `id` is a keyword, as in draft 4.
    pub(super) id_is_keyword: bool,
    /// Values in a subtree, by pointer.
    sizes: RefCell<HashMap<String, u64>>,
}

/// The drafts: what `$schema` contains, and whether `$ref` stands alone in it.
const DRAFTS: &[(&str, bool)] = &[
    ("json-schema.org/draft/2020-12/schema", false),
    ("json-schema.org/draft/2019-09/schema", false),
    ("json-schema.org/draft-07/schema", true),
    ("json-schema.org/draft-06/schema", true),
    ("json-schema.org/draft-04/schema", true),
    // Without a version: the latest.
    ("json-schema.org/schema", false),
];

impl<'s> Document<'s> {
    pub(super) fn new(root: &'s Value) -> Result<Self, SchemaError> {
        let text = |k: &str| root.get(k).and_then(Value::as_str);
        let draft = match root.get("$schema") {
            None => DRAFTS[0],
            Some(Value::String(uri)) => {
                let bare =
                    uri.trim_end_matches('#').trim_start_matches("https://").trim_start_matches("http://");
                *DRAFTS.iter().find(|(d, _)| *d == bare).ok_or_else(|| SchemaError::Unsupported {
                    keyword: "$schema".into(),
                    at: String::new(),
                    why: format!(" with {uri:?}; drafts 4, 6, 7, 2019-09 and 2020-12 are"),
                })?
            }
            Some(_) => return Err(invalid("$schema", "", "no string".into())),
        };
        let id_is_keyword = draft.0.contains("draft-04");
        let id = text("$id").or_else(|| text("id").filter(|_| id_is_keyword));
        let mut anchors = HashMap::new();
        find_anchors(root, String::new(), &mut anchors);
        Ok(Self {
            root,
            anchors,
            id: id.map(|id| id.split('#').next().unwrap_or(id)).filter(|id| !id.is_empty()),
            ref_stands_alone: draft.1,
            id_is_keyword,
            sizes: RefCell::default(),
        })
    }

    /// The pointer that a reference leads to.
    pub(super) fn resolve(&self, reference: &str, at: &str) -> Result<String, SchemaError> {
        let fail = |why: &str| {
            Err(SchemaError::Reference { reference: reference.into(), at: at.into(), why: why.into() })
        };
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if !document.is_empty() && Some(document) != self.id {
            return fail("other documents are not read; put what it names into `$defs`");
        }
        let Some(fragment) = percent_decoded(fragment) else { return fail("its escapes are no UTF-8") };
        if fragment.is_empty() || fragment.starts_with('/') {
            // In one spelling, so that one schema has one name.
            if self.at(&fragment).is_none() {
                return fail("there is nothing at that place");
            }
            return Ok(fragment);
        }
        match self.anchors.get(fragment.as_str()) {
            Some(pointer) => Ok(pointer.clone()),
            None => fail("no `$anchor` has that name"),
        }
    }

    /// What stands at a pointer.
    pub(super) fn at(&self, pointer: &str) -> Option<&'s Value> {
        self.root.pointer(pointer)
    }

    /// Refuses schemas whose parts, intersected with each other, would grow too large.
    pub(super) fn check_product(&self, object: &Map<String, Value>, at: &str) -> Result<(), SchemaError> {
        let mut parts = Vec::new();
        let mut own = 0;
        for (keyword, value) in object {
            match (keyword.as_str(), value) {
                ("allOf", Value::Array(list)) => parts.extend(list.iter().map(|v| self.size(v, 0))),
                ("anyOf" | "oneOf" | "enum", _) => parts.push(self.size(value, 0)),
                ("$ref", Value::String(reference)) => parts.push(self.target_size(reference, 1)),
                ("$defs" | "definitions", _) => {}
                _ => own += self.size(value, 0),
            }
        }
        parts.push(own + 1);
        let mut product = 1u64;
        let mut seen = 0u64;
        for part in parts {
            product = product.saturating_add(part.saturating_mul(seen));
            seen = seen.saturating_add(part);
        }
        if product > MAX_PRODUCT {
            return Err(limit("parts that are intersected with each other", at, MAX_PRODUCT));
        }
        Ok(())
    }

    /// Values in a subtree; a reference counts what it leads to, once.
    fn size(&self, value: &Value, depth: usize) -> u64 {
        match value {
            Value::Array(list) => 1 + list.iter().map(|v| self.size(v, depth)).sum::<u64>(),
            Value::Object(map) => {
                let target = match map.get("$ref") {
                    Some(Value::String(r)) if depth < 2 => self.target_size(r, depth + 1),
                    _ => 0,
                };
                let rest = map.iter().filter(|(k, _)| !matches!(k.as_str(), "$defs" | "definitions"));
                1 + target + rest.map(|(_, v)| self.size(v, depth.max(1))).sum::<u64>()
            }
            _ => 1,
        }
    }

    fn target_size(&self, reference: &str, depth: usize) -> u64 {
        let Ok(pointer) = self.resolve(reference, "") else { return 0 };
        if let Some(size) = self.sizes.borrow().get(&pointer) {
            return *size;
        }
        // A schema that refers to itself counts nothing the second time.
        self.sizes.borrow_mut().insert(pointer.clone(), 0);
        let size = self.at(&pointer).map_or(0, |v| self.size(v, depth));
        self.sizes.borrow_mut().insert(pointer, size);
        size
    }
}

/// Anchors of all schemas of a document; within values of `const`, `enum` and annotations they mean nothing, but do
/// no harm.
fn find_anchors<'s>(value: &'s Value, at: String, anchors: &mut HashMap<&'s str, String>) {
    match value {
        Value::Object(map) => {
            for keyword in ["$anchor", "$dynamicAnchor"] {
                if let Some(Value::String(name)) = map.get(keyword) {
                    anchors.entry(name).or_insert_with(|| at.clone());
                }
            }
            // Drafts 6 and 7 wrote an anchor as an identifier of nothing but a fragment.
            if let Some(Value::String(id)) = map.get("$id")
                && let Some(name) = id.strip_prefix('#').filter(|n| !n.is_empty())
            {
                anchors.entry(name).or_insert_with(|| at.clone());
            }
            for (k, v) in map.iter().filter(|(k, _)| !matches!(k.as_str(), "const" | "enum")) {
                if v.is_object() || v.is_array() {
                    find_anchors(v, format!("{at}/{}", escape(k)), anchors);
                }
            }
        }
        Value::Array(list) => {
            for (i, v) in list.iter().enumerate().filter(|(_, v)| v.is_object() || v.is_array()) {
                find_anchors(v, format!("{at}/{i}"), anchors);
            }
        }
        _ => {}
    }
}

/// A name as a part of a JSON pointer.
pub(super) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Text with `%41` and the like replaced; `None` where that is no UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = (*first == b'%').then(|| std::str::from_utf8(tail.get(..2)?).ok()).flatten();
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}
