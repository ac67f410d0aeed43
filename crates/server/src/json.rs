//! JSON from outside: bounded in depth and number of values, and without what parsers read differently (a key that is there
//! twice). Lone surrogates and numbers beyond f64 are errors of the parser itself.

use crate::error::{ApiError, shown};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::Cell;
use std::fmt;

/// The most values of a text: keys, elements, numbers, strings. A prompt of token ids has one for each token.
const VALUES: usize = 1 << 20;
/// The most lists and objects in each other.
const DEPTH: usize = 64;

/// A request's body, which must be an object.
pub(crate) fn object(bytes: &[u8]) -> Result<Map<String, Value>, ApiError> {
    let left = Cell::new(VALUES);
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let parsed = Strict { left: &left, depth: DEPTH }.deserialize(&mut reader);
    let parsed = parsed.and_then(|v| reader.end().map(|()| v));
    match parsed {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err(ApiError::bad("invalid_json", "the body is JSON, but no object; give `{...}`")),
        Err(e) => {
            Err(ApiError::bad("invalid_json", format!("the body is not the JSON that is read here: {e}")))
        }
    }
}

/// Reads one value.
#[derive(Clone, Copy)]
struct Strict<'a> {
    left: &'a Cell<usize>,
    depth: usize,
}

impl Strict<'_> {
    fn count<E: Error>(self) -> Result<(), E> {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.ok_or_else(|| E::custom(format!("more than {VALUES} values")))?);
        Ok(())
    }

    fn deeper<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth.checked_sub(1);
        let depth =
            depth.ok_or_else(|| E::custom(format!("more than {DEPTH} levels of lists and objects")))?;
        Ok(Self { depth, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<Value, D::Error> {
        self.count()?;
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, v: bool) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<Value, E> {
        Number::from_f64(v).map(Value::Number).ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_string<E: Error>(self, v: String) -> Result<Value, E> {
        Ok(v.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut out = Vec::new();
        while let Some(v) = all.next_element_seed(inner)? {
            out.push(v);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Value, A::Error> {
        let inner = self.deeper()?;
        let mut out = Map::new();
        while let Some(key) = all.next_key::<String>()? {
            self.count()?;
            if out.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{}` is there twice", shown(&key))));
            }
            out.insert(key, all.next_value_seed(inner)?);
        }
        Ok(Value::Object(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let e = object(text.as_bytes()).expect_err(&text[..text.len().min(40)]);
        assert_eq!((e.status, e.code), (400, "invalid_json"));
        assert!(e.message.len() < 300, "{}", e.message);
        e.message
    }

    #[test]
    fn what_is_json_is_read_as_it_is() {
        let text = r#"{"a": [1, -2, 0.5, true, null, "\ud83d\ude00"], "b": {"a": {}}}"#;
        assert_eq!(
            Value::Object(object(text.as_bytes()).unwrap()),
            serde_json::from_str::<Value>(text).unwrap()
        );
    }

    #[test]
    fn what_parsers_read_differently_is_refused() {
        assert!(refused(r#"{"a": 1, "b": {"c": 1, "c": 2}}"#).contains("`c` is there twice"));
        assert!(
            refused(r#"{"a": "\ud800"}"#).contains("surrogate") || !refused(r#"{"a": "\ud800"}"#).is_empty()
        );
        for text in [
            "",
            "[]",
            "1",
            "{",
            "{} {}",
            "{\"a\": NaN}",
            "{\"a\": 1e999}",
            "{\"a\": Infinity}",
            "{a: 1}",
            "{\"a\": 01}",
            "{'a': 1}",
            "{\"a\": \"\u{1}\"}",
            "{\"a\": \"\\udc00\"}",
            "\u{feff}{}",
            "{\"a\": 1,}",
        ] {
            refused(text);
        }
        refused(&format!("{{\"{}\": 1, \"{}\": 2}}", "k".repeat(5000), "k".repeat(5000)));
        assert!(object(b"{\"a\": \"\xff\"}").is_err());
    }

    #[test]
    fn depth_and_number_of_values_are_bounded() {
        let deep = |n: usize| format!("{{\"a\": {}{}}}", "[".repeat(n), "]".repeat(n));
        assert!(object(deep(DEPTH - 1).as_bytes()).is_ok());
        assert!(refused(&deep(DEPTH)).contains("levels"));
        refused(&format!("{{\"a\": {}", "[".repeat(100_000)));
        refused(&"{\"a\":".repeat(100_000));
        let wide = |n: usize| format!("{{\"a\": [{}0]}}", "0,".repeat(n - 1));
        assert!(object(wide(VALUES - 3).as_bytes()).is_ok());
        assert!(refused(&wide(VALUES - 2)).contains("values"));
    }
}
