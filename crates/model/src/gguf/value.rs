//! Metadata values, decoded from the header's bytes on demand.

use super::shown;
use std::fmt;

/// Type of a metadata value, with the file's id as value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs, reason = "the names are the format's own")]
pub enum ValueType {
    U8 = 0,
    I8 = 1,
    U16 = 2,
    I16 = 3,
    U32 = 4,
    I32 = 5,
    F32 = 6,
    Bool = 7,
    String = 8,
    Array = 9,
    U64 = 10,
    I64 = 11,
    F64 = 12,
}

impl ValueType {
    /// Every type, in order of its id.
    pub const ALL: [Self; 13] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::F32,
        Self::Bool,
        Self::String,
        Self::Array,
        Self::U64,
        Self::I64,
        Self::F64,
    ];

    /// The type of that id.
    pub fn from_id(id: u32) -> Option<Self> {
        Self::ALL.get(usize::try_from(id).ok()?).copied()
    }

    /// Bytes of one value; `None` for strings and arrays.
    pub const fn size(self) -> Option<u64> {
        match self {
            Self::U8 | Self::I8 | Self::Bool => Some(1),
            Self::U16 | Self::I16 => Some(2),
            Self::U32 | Self::I32 | Self::F32 => Some(4),
            Self::U64 | Self::I64 | Self::F64 => Some(8),
            Self::String | Self::Array => None,
        }
    }

    /// The fewest bytes that a value takes in a file: what bounds a count before anything is read.
    pub(super) const fn min_size(self) -> u64 {
        match self {
            Self::String => 8,
            Self::Array => 12,
            other => match other.size() {
                Some(n) => n,
                None => 1,
            },
        }
    }

    /// Name for messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F32 => "f32",
            Self::Bool => "bool",
            Self::String => "string",
            Self::Array => "array",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
        }
    }
}

/// A metadata value. Strings and arrays borrow the header's bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names are the format's own")]
pub enum Value<'a> {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    /// UTF-8 as the format demands, though files exist that break it; see [`Value::as_str`].
    String(&'a [u8]),
    Array(Array<'a>),
    U64(u64),
    I64(i64),
    F64(f64),
}

impl<'a> Value<'a> {
    /// Its type.
    pub const fn value_type(&self) -> ValueType {
        match self {
            Self::U8(_) => ValueType::U8,
            Self::I8(_) => ValueType::I8,
            Self::U16(_) => ValueType::U16,
            Self::I16(_) => ValueType::I16,
            Self::U32(_) => ValueType::U32,
            Self::I32(_) => ValueType::I32,
            Self::F32(_) => ValueType::F32,
            Self::Bool(_) => ValueType::Bool,
            Self::String(_) => ValueType::String,
            Self::Array(_) => ValueType::Array,
            Self::U64(_) => ValueType::U64,
            Self::I64(_) => ValueType::I64,
            Self::F64(_) => ValueType::F64,
        }
    }

    /// An integer of any width that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::U8(v) => Some(v.into()),
            Self::U16(v) => Some(v.into()),
            Self::U32(v) => Some(v.into()),
            Self::U64(v) => Some(v),
            _ => u64::try_from(self.as_i64()?).ok(),
        }
    }

    /// An integer of any width that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::U8(v) => Some(v.into()),
            Self::I8(v) => Some(v.into()),
            Self::U16(v) => Some(v.into()),
            Self::I16(v) => Some(v.into()),
            Self::U32(v) => Some(v.into()),
            Self::I32(v) => Some(v.into()),
            Self::I64(v) => Some(v),
            Self::U64(v) => i64::try_from(v).ok(),
            _ => None,
        }
    }

    /// A floating-point number, rounded to f32.
    #[allow(clippy::cast_possible_truncation, reason = "rounding is the promise")]
    pub fn as_f32(&self) -> Option<f32> {
        match *self {
            Self::F32(v) => Some(v),
            Self::F64(v) => Some(v as f32),
            _ => None,
        }
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(v) => Some(v),
            _ => None,
        }
    }

    /// A string that is valid UTF-8.
    pub fn as_str(&self) -> Option<&'a str> {
        match *self {
            Self::String(v) => std::str::from_utf8(v).ok(),
            _ => None,
        }
    }

    /// An array.
    pub fn as_array(&self) -> Option<Array<'a>> {
        match *self {
            Self::Array(a) => Some(a),
            _ => None,
        }
    }

    /// Type and value for a message, such as ``u32 7`` or `array of 3 x string`.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Array(a) => format!("array of {} x {}", a.len(), a.element_type().name()),
            other => format!("{} {other}", other.value_type().name()),
        }
    }

    /// Decodes one value from the front of `rest`. Top-level values own all of `rest`, which spares arrays the
    /// walk to their end.
    pub(super) fn decode_all(ty: ValueType, mut rest: &'a [u8]) -> Option<Self> {
        match ty {
            ValueType::Array => {
                let (element, len) = array_head(&mut rest)?;
                Some(Self::Array(Array { element, len, bytes: rest }))
            }
            _ => Self::decode(ty, &mut rest),
        }
    }

    fn decode(ty: ValueType, rest: &mut &'a [u8]) -> Option<Self> {
        Some(match ty {
            ValueType::U8 => Self::U8(u8::from_le_bytes(chunk(rest)?)),
            ValueType::I8 => Self::I8(i8::from_le_bytes(chunk(rest)?)),
            ValueType::U16 => Self::U16(u16::from_le_bytes(chunk(rest)?)),
            ValueType::I16 => Self::I16(i16::from_le_bytes(chunk(rest)?)),
            ValueType::U32 => Self::U32(u32::from_le_bytes(chunk(rest)?)),
            ValueType::I32 => Self::I32(i32::from_le_bytes(chunk(rest)?)),
            ValueType::F32 => Self::F32(f32::from_le_bytes(chunk(rest)?)),
            ValueType::Bool => Self::Bool(u8::from_le_bytes(chunk(rest)?) != 0),
            ValueType::U64 => Self::U64(u64::from_le_bytes(chunk(rest)?)),
            ValueType::I64 => Self::I64(i64::from_le_bytes(chunk(rest)?)),
            ValueType::F64 => Self::F64(f64::from_le_bytes(chunk(rest)?)),
            ValueType::String => Self::String(string(rest)?),
            ValueType::Array => {
                let (element, len) = array_head(rest)?;
                let start = *rest;
                skip(element, len, rest)?;
                let bytes = start.get(..start.len() - rest.len())?;
                Self::Array(Array { element, len, bytes })
            }
        })
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::U8(v) => v.fmt(f),
            Self::I8(v) => v.fmt(f),
            Self::U16(v) => v.fmt(f),
            Self::I16(v) => v.fmt(f),
            Self::U32(v) => v.fmt(f),
            Self::I32(v) => v.fmt(f),
            Self::F32(v) => v.fmt(f),
            Self::Bool(v) => v.fmt(f),
            Self::U64(v) => v.fmt(f),
            Self::I64(v) => v.fmt(f),
            Self::F64(v) => v.fmt(f),
            Self::String(v) => write!(f, "\"{}\"", shown(v)),
            Self::Array(a) => a.fmt(f),
        }
    }
}

/// An array of metadata values of one type, undecoded. The header's check has walked it once.
#[derive(Clone, Copy, PartialEq)]
pub struct Array<'a> {
    element: ValueType,
    len: u64,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// Type of its elements.
    pub const fn element_type(&self) -> ValueType {
        self.element
    }

    /// Number of elements.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements as the file holds them.
    pub(super) const fn encoded(&self) -> &'a [u8] {
        self.bytes
    }

    /// Whether every string in it is valid UTF-8.
    pub(super) fn is_text(&self) -> bool {
        self.element.size().is_some()
            || self.iter().all(|v| match v {
                Value::Array(a) => a.is_text(),
                other => other.as_str().is_some(),
            })
    }

    /// The elements, decoded one by one.
    pub const fn iter(&self) -> Values<'a> {
        Values { element: self.element, left: self.len, rest: self.bytes }
    }
}

impl<'a> IntoIterator for Array<'a> {
    type Item = Value<'a>;
    type IntoIter = Values<'a>;
    fn into_iter(self) -> Values<'a> {
        self.iter()
    }
}

impl fmt::Display for Array<'_> {
    /// The first eight elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, v) in self.iter().take(8).enumerate() {
            write!(f, "{}{v}", if i == 0 { "" } else { ", " })?;
        }
        if self.len > 8 {
            write!(f, ", … {} in all", self.len)?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Iterator over an array's elements.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    element: ValueType,
    left: u64,
    rest: &'a [u8],
}

impl<'a> Iterator for Values<'a> {
    type Item = Value<'a>;
    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        Value::decode(self.element, &mut self.rest)
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = usize::try_from(self.left).unwrap_or(usize::MAX);
        (n, Some(n))
    }
}

fn chunk<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(*head)
}

fn take<'a>(rest: &mut &'a [u8], n: u64) -> Option<&'a [u8]> {
    let (head, tail) = rest.split_at_checked(usize::try_from(n).ok()?)?;
    *rest = tail;
    Some(head)
}

fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = u64::from_le_bytes(chunk(rest)?);
    take(rest, len)
}

fn array_head(rest: &mut &[u8]) -> Option<(ValueType, u64)> {
    let element = ValueType::from_id(u32::from_le_bytes(chunk(rest)?))?;
    Some((element, u64::from_le_bytes(chunk(rest)?)))
}

/// Walks over `len` values. The recursion is as deep as the header's check allowed.
fn skip(ty: ValueType, len: u64, rest: &mut &[u8]) -> Option<()> {
    if let Some(size) = ty.size() {
        return take(rest, len.checked_mul(size)?).map(|_| ());
    }
    for _ in 0..len {
        if ty == ValueType::String {
            string(rest)?;
        } else {
            let (element, len) = array_head(rest)?;
            skip(element, len, rest)?;
        }
    }
    Some(())
}
