//! Forms with a file (`multipart/form-data`, RFC 7578), as clients send audio. A form's texts become the JSON that other routes read, so
//! that one table of parameters holds for all.
//!
//! Deliberately absent: parts in parts, encodings of parts (`Content-Transfer-Encoding`), and more than one file.

use crate::error::{ApiError, shown};
use crate::json;
use crate::params::{On, PARAMETERS, Rule};
use crate::types::types;
use bytes::Bytes;
use serde_json::{Map, Value};

/// The most parts.
const PARTS: usize = 64;
/// The most bytes of a part's head, and of a text.
const HEAD: usize = 4096;
const TEXT: usize = 64 << 10;
/// The most characters of a boundary (RFC 2046).
const BOUNDARY: usize = 70;
/// The field that holds the file.
pub(crate) const FILE: &str = "file";

/// A file of a form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) data: Bytes,
}

/// A form's texts as a route's parameters, and its file.
#[derive(Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) body: Map<String, Value>,
    pub(crate) file: File,
}

/// Reads a form.
pub(crate) fn form(content_type: Option<&str>, body: &Bytes, on: On) -> Result<Form, ApiError> {
    let mut file = None;
    let mut map = Map::new();
    for part in parts(content_type, body)? {
        // Lists are written with brackets, or by saying a name again; objects with a key in brackets, or as JSON.
        let (name, key) = place(&part.name, on);
        let listed = types(name, on).is_some_and(|t| t.contains(&"array"));
        let value = match part.file {
            Some(shown_name) if name == FILE => {
                let found = File { name: shown(&shown_name).into_owned(), data: part.data };
                file.get_or_insert(found);
                Value::from(shown_name)
            }
            Some(_) => {
                let message = format!("`{}` is a file; the one file is called `{FILE}`", shown(name));
                return Err(ApiError::value(name, message));
            }
            None if name == FILE => {
                let message = format!("`{FILE}` is no file: its part has no file name; send the file itself");
                return Err(ApiError::value(FILE, message));
            }
            None if key.is_some() => Value::String(text(name, &part.data)?),
            None => value(name, on, text(name, &part.data)?)?,
        };
        let value = match key {
            Some(key) => Value::Object(Map::from_iter([(key.to_owned(), value)])),
            None => value,
        };
        match (map.get_mut(name), value) {
            (Some(Value::Array(all)), value) if listed => all.push(value),
            (Some(Value::Object(all)), Value::Object(more)) if more.keys().all(|k| !all.contains_key(k)) => {
                all.extend(more);
            }
            (Some(_), _) => {
                return Err(ApiError::value(name, format!("`{}` is there twice", shown(name))));
            }
            (None, value) => {
                map.insert(name.into(), if listed { Value::Array(vec![value]) } else { value });
            }
        }
    }
    let file = file.ok_or_else(|| ApiError::missing(FILE))?;
    Ok(Form { body: map, file })
}

/// The parameter that a part gives, and the key where the parameter may be an object and the part gives one of its values: `name[key]`.
fn place(part: &str, on: On) -> (&str, Option<&str>) {
    if let Some(name) = part.strip_suffix("[]") {
        return (name, None);
    }
    let of_object = part.strip_suffix(']').and_then(|p| p.split_once('['));
    let is_object = |name: &str| types(name, on).is_some_and(|t| t.contains(&"object"));
    match of_object.filter(|(name, _)| is_object(name)) {
        Some((name, key)) => (name, Some(key)),
        None => (part, None),
    }
}

/// A text of a form as the JSON that its parameter takes.
fn value(name: &str, on: On, text: String) -> Result<Value, ApiError> {
    let rule = PARAMETERS.iter().find(|p| p.name == name && p.on.has(on)).map(|p| &p.rule);
    if types(name, on).is_some_and(|t| t.contains(&"object")) && text.trim_start().starts_with('{') {
        let broken = |e: ApiError| {
            ApiError { message: format!("`{name}` begins as JSON, and {}", e.message), ..e }.about(name)
        };
        return json::object(text.as_bytes()).map(Value::Object).map_err(broken);
    }
    let number = || text.trim().parse::<f64>().ok().map(Value::from).filter(|v| !v.is_null());
    Ok(match rule {
        Some(Rule::Number(..)) => number().unwrap_or(Value::String(text)),
        Some(Rule::Whole(..)) => match text.trim().parse::<i64>() {
            Ok(n) => n.into(),
            Err(_) => Value::String(text),
        },
        Some(Rule::Flag(_) | Rule::Only(..)) => match text.trim() {
            "true" | "True" => true.into(),
            "false" | "False" => false.into(),
            _ => Value::String(text),
        },
        _ => Value::String(text),
    })
}

fn text(name: &str, data: &Bytes) -> Result<String, ApiError> {
    if data.len() > TEXT {
        let message = format!("`{}` has {} bytes; give {TEXT} at most", shown(name), data.len());
        return Err(ApiError::value(name, message));
    }
    match std::str::from_utf8(data) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(ApiError::value(name, format!("`{}` is no UTF-8", shown(name)))),
    }
}

/// One part.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    name: String,
    /// The file's name, where it is one.
    file: Option<String>,
    data: Bytes,
}

fn broken(what: &str) -> ApiError {
    ApiError::bad("broken_form", format!("the body is no form that is read here: {what}"))
}

fn parts(content_type: Option<&str>, body: &Bytes) -> Result<Vec<Part>, ApiError> {
    let boundary = boundary(content_type)?;
    let delimiter = format!("--{boundary}");
    let delimiter = delimiter.as_bytes();
    let mut at = match body.starts_with(delimiter) {
        true => delimiter.len(),
        false => find_line(body, 0, delimiter).ok_or_else(|| broken("its boundary is nowhere in it"))?.1,
    };
    let mut parts = Vec::new();
    loop {
        // What comes after a boundary: two hyphens at the end, else blanks and a new line.
        if body[at..].starts_with(b"--") {
            return Ok(parts);
        }
        at += body[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        if !body[at..].starts_with(b"\r\n") {
            return Err(broken("a boundary is not followed by a new line"));
        }
        at += 2;
        if parts.len() == PARTS {
            return Err(broken(&format!("it has more than {PARTS} parts")));
        }
        let rest = &body[at..];
        let head_end = rest.windows(4).take(HEAD).position(|w| w == b"\r\n\r\n");
        // (A part without a head begins with an empty line, and has no name.)
        let head_end =
            head_end.ok_or_else(|| broken(&format!("a part's head has no end in {HEAD} bytes")))?;
        let (name, file) = disposition(&rest[..head_end])?;
        let from = at + head_end + 4;
        let (to, next) =
            find_line(body, from, delimiter).ok_or_else(|| broken("it ends in the middle of a part"))?;
        parts.push(Part { name, file, data: body.slice(from..to) });
        at = next;
    }
}

/// The next line from `from` on that begins with the delimiter: where the line before ends, and where the delimiter does.
fn find_line(body: &[u8], from: usize, delimiter: &[u8]) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        at += body.get(at..)?.iter().position(|b| *b == b'\r')?;
        if body[at + 1..].first() == Some(&b'\n') && body[at + 2..].starts_with(delimiter) {
            return Some((at, at + 2 + delimiter.len()));
        }
        at += 1;
    }
}

fn boundary(content_type: Option<&str>) -> Result<String, ApiError> {
    let wrong = || {
        let message = "this route takes a form with a file: Content-Type: multipart/form-data; boundary=...";
        ApiError::new(415, "unsupported_media_type", message)
    };
    let (kind, parameters) = content_type.and_then(|c| c.split_once(';')).ok_or_else(wrong)?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return Err(wrong());
    }
    let boundary = parameter(parameters, "boundary").ok_or_else(wrong)?;
    let fits =
        (1..=BOUNDARY).contains(&boundary.len()) && boundary.bytes().all(|b| (0x20..0x7f).contains(&b));
    if fits { Ok(boundary) } else { Err(broken("its boundary is not 1 to 70 visible characters")) }
}

/// The name of a part, and that of its file.
fn disposition(head: &[u8]) -> Result<(String, Option<String>), ApiError> {
    let head = std::str::from_utf8(head).map_err(|_| broken("a part's head is no UTF-8"))?;
    for line in head.split("\r\n") {
        let Some((field, value)) = line.split_once(':') else { continue };
        if !field.eq_ignore_ascii_case("content-disposition") {
            continue;
        }
        let (kind, parameters) = value.split_once(';').unwrap_or((value, ""));
        if kind.trim().eq_ignore_ascii_case("form-data")
            && let Some(name) = parameter(parameters, "name").filter(|n| !n.is_empty())
        {
            return Ok((name, parameter(parameters, "filename")));
        }
    }
    Err(broken("a part has no name"))
}

/// A parameter of a header field, `; name=value; name="value"`.
fn parameter(text: &str, name: &str) -> Option<String> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';']);
        let (key, after) = rest.split_once('=')?;
        let mut value = String::new();
        if let Some(quoted) = after.strip_prefix('"') {
            let mut chars = quoted.char_indices();
            rest = loop {
                match chars.next()? {
                    (i, '"') => break &quoted[i + 1..],
                    (_, '\\') => value.push(chars.next()?.1),
                    (_, c) => value.push(c),
                }
            };
        } else {
            let (plain, tail) = after.split_once(';').unwrap_or((after, ""));
            value.push_str(plain.trim());
            rest = tail;
        }
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KIND: Option<&str> = Some("multipart/form-data; boundary=\"x y\"");

    fn read(body: &str) -> Result<Form, ApiError> {
        form(KIND, &Bytes::copy_from_slice(body.as_bytes()), On::TRANSCRIPTIONS)
    }

    fn part(head: &str, data: &str) -> String {
        format!("--x y\r\nContent-Disposition: form-data; {head}\r\n\r\n{data}\r\n")
    }

    #[test]
    fn a_form_is_parameters_and_a_file() {
        let file = part("name=\"file\"; filename=\"a \\\"b\\\".wav\"", "RIFF\r\n--x\r\n\r\n--x z");
        let body = [
            "before\r\n",
            &file,
            &part("name=temperature", "0.2"),
            &part("name=\"language\"", "en"),
            &part("name=\"timestamp_granularities[]\"", "segment"),
            &part("name=\"timestamp_granularities[]\"", "word"),
            &part("name=\"stream\"", "false"),
            "--x y--\r\nafter",
        ]
        .concat();
        let form = read(&body).unwrap_or_else(|e| unreachable!("{e:?}"));
        assert_eq!(
            (&*form.file.name, &form.file.data[..]),
            ("a \"b\".wav", &b"RIFF\r\n--x\r\n\r\n--x z"[..])
        );
        let want = json!({
            "file": "a \"b\".wav", "temperature": 0.2, "language": "en", "timestamp_granularities": ["segment", "word"],
            "stream": false,
        });
        assert_eq!(Value::Object(form.body), want);
        // The end may follow at once, and what is no number stays what it is: its parameter says so.
        let body =
            [part("name=file; filename=b", ""), part("name=temperature", "nan"), "--x y--".into()].concat();
        let form = read(&body).unwrap_or_else(|e| unreachable!("{e:?}"));
        assert_eq!((form.file.data.len(), &form.body["temperature"]), (0, &json!("nan")));
    }

    /// As OpenAI's clients write them, and as JSON.
    #[test]
    fn objects_have_their_keys_in_brackets() {
        let file = part("name=\"file\"; filename=\"a\"", "x");
        let of = |more: &[String]| read(&[file.clone(), more.concat(), "--x y--".into()].concat());
        let keys = |name: &str, text: &str| part(&format!("name=\"{name}\""), text);
        let both =
            [keys("chunking_strategy[type]", "server_vad"), keys("chunking_strategy[threshold]", "0.5")];
        let want = json!({ "type": "server_vad", "threshold": "0.5" });
        let got = of(&both).unwrap_or_else(|e| unreachable!("{e:?}"));
        assert_eq!(got.body["chunking_strategy"], want);
        for (text, want) in [
            ("auto", json!("auto")),
            (" {\"type\": \"server_vad\"}", json!({ "type": "server_vad" })),
            ("[1]", json!("[1]")),
        ] {
            let got = of(&[keys("chunking_strategy", text)]).unwrap_or_else(|e| unreachable!("{e:?}"));
            assert_eq!(got.body["chunking_strategy"], want);
        }
        // A key twice, a text and a key, half of an object, and what is no object.
        let kind = keys("chunking_strategy[type]", "server_vad");
        for wrong in [[kind.clone(), kind.clone()], [keys("chunking_strategy", "auto"), kind]] {
            assert_eq!(of(&wrong).err().map(|e| e.code), Some("invalid_value"));
        }
        let e = of(&[keys("chunking_strategy", "{\"type\"")]).err();
        let e = e.unwrap_or_else(|| unreachable!("it is half of an object"));
        assert_eq!((e.code, e.param.as_deref()), ("invalid_json", Some("chunking_strategy")));
        let got = of(&[keys("language[x]", "en")]).unwrap_or_else(|e| unreachable!("{e:?}"));
        assert_eq!(got.body["language[x]"], "en");
    }

    #[test]
    fn broken_forms_are_refused() {
        let file = part("name=\"file\"; filename=\"a\"", "x");
        let with = |more: &str| [file.as_str(), more, "--x y--"].concat();
        for (body, code) in [
            (String::new(), "broken_form"),
            ("--x y".into(), "broken_form"),
            ("--x y--".into(), "missing_parameter"),
            (file.clone(), "broken_form"),
            ("--x y\r\n\r\nx\r\n--x y--".into(), "broken_form"),
            (format!("--x y\r\n{}\r\n\r\nx\r\n--x y--", "a".repeat(HEAD)), "broken_form"),
            (with("--x y\r\nContent-Disposition: form-data\r\n\r\nx\r\n"), "broken_form"),
            (with(&part("name=\"\"", "x")), "broken_form"),
            (with(&part("name=\"a", "x")), "broken_form"),
            (with(&file), "invalid_value"),
            (with(&part("name=language", "x").repeat(2)), "invalid_value"),
            (with(&part("name=image; filename=b", "x")), "invalid_value"),
            (part("name=file", "x") + "--x y--", "invalid_value"),
            (with(&part("name=prompt", &"x".repeat(TEXT + 1))), "invalid_value"),
            (with(&part("name=a", "x").repeat(PARTS)), "broken_form"),
        ] {
            let e = read(&body).err().map(|e| e.code);
            assert_eq!(e, Some(code), "{}", body.chars().take(200).collect::<String>());
        }
        let body = Bytes::copy_from_slice(file.as_bytes());
        for kind in
            [None, Some("application/json"), Some("multipart/form-data"), Some("multipart/mixed; boundary=x")]
        {
            assert_eq!(form(kind, &body, On::TRANSCRIPTIONS).err().map(|e| e.status), Some(415), "{kind:?}");
        }
        let long = format!("multipart/form-data; boundary={}", "x".repeat(71));
        assert_eq!(form(Some(&long), &body, On::TRANSCRIPTIONS).err().map(|e| e.status), Some(400));
        let bad = Bytes::copy_from_slice(
            b"--x y\r\nContent-Disposition: form-data; name=prompt\r\n\r\n\xff\r\n--x y--",
        );
        assert_eq!(form(KIND, &bad, On::TRANSCRIPTIONS).err().map(|e| e.code), Some("invalid_value"));
    }
}
