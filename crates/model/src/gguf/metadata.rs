//! Metadata values to be written.

use super::value::{Value, ValueType};
use std::io;
use std::sync::Arc;

/// A metadata value to be written.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names are the format's own")]
pub enum MetadataValue {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    String(String),
    /// Element type and elements, all of that type.
    Array(ValueType, Vec<MetadataValue>),
    /// An array as a file holds it.
    Encoded(EncodedArray),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// An array that was read, in the bytes of its elements. Clones share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedArray {
    element: ValueType,
    len: u64,
    elements: Arc<[u8]>,
}

impl EncodedArray {
    /// Bytes that it takes, in a file and in memory.
    pub fn bytes(&self) -> u64 {
        ARRAY_HEAD + self.elements.len() as u64
    }
}

/// Bytes of an array's element type and count.
const ARRAY_HEAD: u64 = 4 + 8;

impl MetadataValue {
    /// An array of strings.
    pub fn strings<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        Self::Array(ValueType::String, values.into_iter().map(|v| Self::String(v.into())).collect())
    }

    /// An array of f32.
    pub fn f32s(values: impl IntoIterator<Item = f32>) -> Self {
        Self::Array(ValueType::F32, values.into_iter().map(Self::F32).collect())
    }

    /// An array of bytes.
    pub fn u8s(values: impl IntoIterator<Item = u8>) -> Self {
        Self::Array(ValueType::U8, values.into_iter().map(Self::U8).collect())
    }

    /// An array of i32.
    pub fn i32s(values: impl IntoIterator<Item = i32>) -> Self {
        Self::Array(ValueType::I32, values.into_iter().map(Self::I32).collect())
    }

    /// A value that was read; `None` where a string is no UTF-8.
    pub fn of(value: &Value<'_>) -> Option<Self> {
        Some(match *value {
            Value::U8(v) => Self::U8(v),
            Value::I8(v) => Self::I8(v),
            Value::U16(v) => Self::U16(v),
            Value::I16(v) => Self::I16(v),
            Value::U32(v) => Self::U32(v),
            Value::I32(v) => Self::I32(v),
            Value::F32(v) => Self::F32(v),
            Value::Bool(v) => Self::Bool(v),
            Value::String(v) => Self::String(std::str::from_utf8(v).ok()?.into()),
            Value::Array(a) if !a.is_text() => return None,
            Value::Array(a) => Self::Encoded(EncodedArray {
                element: a.element_type(),
                len: a.len(),
                elements: a.encoded().into(),
            }),
            Value::U64(v) => Self::U64(v),
            Value::I64(v) => Self::I64(v),
            Value::F64(v) => Self::F64(v),
        })
    }

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
            Self::Array(..) | Self::Encoded(_) => ValueType::Array,
            Self::U64(_) => ValueType::U64,
            Self::I64(_) => ValueType::I64,
            Self::F64(_) => ValueType::F64,
        }
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::U8(v) => out.extend(v.to_le_bytes()),
            Self::I8(v) => out.extend(v.to_le_bytes()),
            Self::U16(v) => out.extend(v.to_le_bytes()),
            Self::I16(v) => out.extend(v.to_le_bytes()),
            Self::U32(v) => out.extend(v.to_le_bytes()),
            Self::I32(v) => out.extend(v.to_le_bytes()),
            Self::F32(v) => out.extend(v.to_le_bytes()),
            Self::Bool(v) => out.push((*v).into()),
            Self::U64(v) => out.extend(v.to_le_bytes()),
            Self::I64(v) => out.extend(v.to_le_bytes()),
            Self::F64(v) => out.extend(v.to_le_bytes()),
            Self::String(v) => put_string(v, out),
            Self::Encoded(v) => {
                out.extend((v.element as u32).to_le_bytes());
                out.extend(v.len.to_le_bytes());
                out.extend_from_slice(&v.elements);
            }
            Self::Array(element, values) => {
                out.extend((*element as u32).to_le_bytes());
                out.extend((values.len() as u64).to_le_bytes());
                for v in values {
                    if v.value_type() != *element {
                        let (found, wanted) = (v.value_type().name(), element.name());
                        return Err(invalid(format!("a {found} in an array of {wanted}")));
                    }
                    v.put(out)?;
                }
            }
        }
        Ok(())
    }
}

macro_rules! from {
    ($($t:ty => $v:ident),*) => { $(
        impl From<$t> for MetadataValue {
            fn from(v: $t) -> Self {
                Self::$v(v.into())
            }
        }
    )* };
}
from!(bool => Bool, u8 => U8, i8 => I8, u16 => U16, i16 => I16, u32 => U32, i32 => I32, f32 => F32, &str => String,
      String => String, u64 => U64, i64 => I64, f64 => F64);

pub(super) fn put_string(s: &str, out: &mut Vec<u8>) {
    out.extend((s.len() as u64).to_le_bytes());
    out.extend(s.as_bytes());
}

pub(super) fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
