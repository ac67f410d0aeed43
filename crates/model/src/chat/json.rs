//! `tojson` as Hugging Face has it: no HTML escapes, optional indentation, spaces after separators.

use minijinja::ErrorKind;
use minijinja::Value;
use minijinja::value::Kwargs;
use serde::Serialize;

/// The filter.
pub(super) fn to_json(value: Value, kwargs: Kwargs) -> Result<Value, minijinja::Error> {
    let indent: Option<usize> = kwargs.get("indent")?;
    // Accepted, since templates pass them; characters are never escaped and keys keep their order.
    let _: Option<bool> = kwargs.get("ensure_ascii")?;
    let _: Option<bool> = kwargs.get("sort_keys")?;
    let fail = |e: serde_json::Error| minijinja::Error::new(ErrorKind::BadSerialization, e.to_string());
    let json = serde_json::to_value(&value).map_err(fail)?;
    let mut out = Vec::new();
    match indent {
        Some(n) => {
            let spaces = vec![b' '; n.min(16)];
            let formatter = serde_json::ser::PrettyFormatter::with_indent(&spaces);
            let mut s = serde_json::Serializer::with_formatter(&mut out, formatter);
            json.serialize(&mut s).map_err(fail)?;
        }
        None => {
            let mut s = serde_json::Serializer::with_formatter(&mut out, Spaced);
            json.serialize(&mut s).map_err(fail)?;
        }
    }
    Ok(Value::from_safe_string(String::from_utf8_lossy(&out).into_owned()))
}

/// Python's default separators: `, ` and `: `.
struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(
        &mut self,
        w: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { w.write_all(b", ") }
    }
    fn begin_object_key<W: ?Sized + std::io::Write>(
        &mut self,
        w: &mut W,
        first: bool,
    ) -> std::io::Result<()> {
        if first { Ok(()) } else { w.write_all(b", ") }
    }
    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, w: &mut W) -> std::io::Result<()> {
        w.write_all(b": ")
    }
}
