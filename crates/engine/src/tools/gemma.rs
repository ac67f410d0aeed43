//! Gemma's blocks: calls in Python's words, and JSON.

use super::ToolCall;
use serde_json::{Map, Number, Value};

/// Calls of a block of Python: one a line, arguments by name, literals only; `None` where it is anything else.
pub(super) fn python(text: &str) -> Option<Vec<ToolCall>> {
    let mut reader = Reader { rest: text.trim(), depth: 0 };
    let mut calls = Vec::new();
    while !reader.rest.is_empty() {
        let printed = reader.rest.strip_prefix("print(");
        if let Some(rest) = printed {
            reader.rest = rest.trim_start();
        }
        calls.push(reader.call()?);
        if printed.is_some() {
            reader.expect(")")?;
        }
        reader.space();
        let _ = reader.take(";");
        reader.space();
    }
    (!calls.is_empty()).then_some(calls)
}

/// The call of a block of JSON: an object with a name and arguments, or a list of those.
pub(super) fn json(text: &str) -> Option<Vec<ToolCall>> {
    let one = |value: Value| -> Option<ToolCall> {
        let object = value.as_object()?;
        let name = object.get("name")?.as_str().filter(|n| !n.is_empty())?.to_owned();
        let arguments = object.get("arguments").or(object.get("parameters"))?.as_object()?;
        Some(ToolCall { name, arguments: serde_json::to_string(arguments).ok()? })
    };
    match serde_json::from_str(text).ok()? {
        Value::Array(list) if !list.is_empty() => list.into_iter().map(one).collect(),
        value => Some(vec![one(value)?]),
    }
}

struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

/// Literals within literals, at most.
const DEEPEST: usize = 64;

impl Reader<'_> {
    fn call(&mut self) -> Option<ToolCall> {
        let name = self.word('.')?;
        self.expect("(")?;
        let mut arguments = Map::new();
        while !self.take(")") {
            let key = self.word('_')?;
            self.expect("=")?;
            let value = self.value()?;
            if arguments.insert(key, value).is_some() {
                return None;
            }
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        Some(ToolCall { name, arguments: Value::Object(arguments).to_string() })
    }

    fn value(&mut self) -> Option<Value> {
        self.space();
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let value = match self.rest.chars().next()? {
            '[' => Value::Array(self.list("[", "]")?),
            '(' => Value::Array(self.list("(", ")")?),
            '{' => self.dictionary()?,
            '"' | '\'' => Value::String(self.string()?),
            c if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => Value::Number(self.number()?),
            _ => match self.word('_')?.as_str() {
                "True" | "true" => true.into(),
                "False" | "false" => false.into(),
                "None" | "null" => Value::Null,
                _ => return None,
            },
        };
        self.depth -= 1;
        Some(value)
    }

    fn list(&mut self, open: &str, close: &str) -> Option<Vec<Value>> {
        self.expect(open)?;
        let mut list = Vec::new();
        while !self.take(close) {
            list.push(self.value()?);
            if !self.take(",") {
                self.expect(close)?;
                break;
            }
        }
        Some(list)
    }

    fn dictionary(&mut self) -> Option<Value> {
        self.expect("{")?;
        let mut map = Map::new();
        while !self.take("}") {
            self.space();
            let key = self.string()?;
            self.expect(":")?;
            map.insert(key, self.value()?);
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        Some(map.into())
    }

    fn string(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let mut out = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Some(out);
                }
                '\n' => return None,
                '\\' => match chars.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    c @ ('\\' | '\'' | '"') => out.push(c),
                    'u' => {
                        let hex: String = (0..4).map_while(|_| chars.next().map(|(_, c)| c)).collect();
                        out.push(char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?);
                    }
                    _ => return None,
                },
                c => out.push(c),
            }
        }
        None
    }

    fn number(&mut self) -> Option<Number> {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.')));
        let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let whole = text.parse::<i64>().ok().map(Number::from);
        whole.or_else(|| Number::from_f64(text.parse::<f64>().ok()?))
    }

    /// A name of letters, digits, underscores and one more character.
    fn word(&mut self, more: char) -> Option<String> {
        self.space();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == more));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let fine = word.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        self.rest = rest;
        fine.then(|| word.to_owned())
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, text: &str) -> bool {
        self.space();
        let found = self.rest.strip_prefix(text);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.take(text).then_some(())
    }
}
