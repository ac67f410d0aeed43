//! Reads and checks a file's header.

use super::shown;
use super::value::{Value, ValueType};
use crate::ModelError;
use crate::disk::DiskFile;
use std::ops::Range;

/// Metadata keys and tensor names are at most this long, in bytes (the format's own limit on keys).
const MAX_NAME: u64 = 65_535;
/// Arrays within arrays. No known file has any.
const MAX_DEPTH: u64 = 4;
/// Dimensions of a tensor, the format's own limit.
const MAX_DIMS: u64 = 4;
/// A header is vocabulary and descriptions; one beyond 1 GiB is a damaged length in a large file.
const MAX_HEADER: u64 = 1 << 30;
/// First read, and least growth after it, in bytes: the metadata of most files but for the vocabulary.
const FIRST_READ: u64 = 64 << 10;
/// Most growth at a time, in bytes.
const MAX_STEP: u64 = 16 << 20;
/// Metadata entries, and tensors, at most: a hundred times what the largest models have.
const MAX_COUNT: u64 = 1 << 20;
/// Fewest bytes of a metadata entry: key length, one byte of key, type, one byte of value.
const MIN_ENTRY: u64 = 8 + 1 + 4 + 1;
/// Fewest bytes of a tensor description: name length, one byte of name, dimension count, type, offset.
const MIN_TENSOR: u64 = 8 + 1 + 4 + 4 + 8;

/// A checked header. Ranges index `bytes`.
pub(super) struct Header {
    pub(super) version: u32,
    /// In file order.
    pub(super) metadata: Vec<RawEntry>,
    /// Indices of `metadata`, sorted by key.
    by_key: Vec<usize>,
    pub(super) tensors: Vec<RawTensor>,
    pub(super) bytes: Vec<u8>,
}

pub(super) struct RawEntry {
    key: Range<usize>,
    value_type: ValueType,
    value: Range<usize>,
}

pub(super) struct RawTensor {
    pub(super) name: String,
    /// Fastest dimension first; unused ones are 1.
    pub(super) dims: [u64; 4],
    pub(super) n_dims: usize,
    pub(super) type_id: u32,
    /// From the start of the tensor data.
    pub(super) offset: u64,
}

impl Header {
    pub(super) fn read(disk: &DiskFile) -> Result<Self, ModelError> {
        let mut r = Reader { disk, buf: Vec::new(), pos: 0, field: Field::Head("the magic") };
        r.take(4)?;
        r.field = Field::Head("the version");
        let version = r.u32()?;
        check_version(disk, version)?;
        r.field = Field::Head("the tensor count");
        let n_tensors = r.u64()?;
        r.check_limit(n_tensors, MAX_COUNT)?;
        r.check_count(n_tensors, MIN_TENSOR)?;
        r.field = Field::Head("the metadata count");
        let n_entries = r.u64()?;
        r.check_limit(n_entries, MAX_COUNT)?;
        r.check_count(n_entries, MIN_ENTRY)?;

        // Both lists grow as their entries are found, so a false count allocates nothing.
        let mut metadata = Vec::new();
        for index in 0..n_entries {
            metadata.push(r.entry(index)?);
        }
        let mut tensors = Vec::new();
        for index in 0..n_tensors {
            tensors.push(r.tensor(index)?);
        }
        let Reader { mut buf, pos, .. } = r;
        buf.truncate(pos);
        buf.shrink_to_fit();
        let by_key = sorted_keys(disk, &buf, &metadata)?;
        Ok(Self { version, metadata, by_key, tensors, bytes: buf })
    }

    /// The metadata entry at `index`, in file order.
    pub(super) fn entry(&self, index: usize) -> Option<(&str, Value<'_>)> {
        let e = self.metadata.get(index)?;
        let key = std::str::from_utf8(self.bytes.get(e.key.clone())?).ok()?;
        Some((key, Value::decode_all(e.value_type, self.bytes.get(e.value.clone())?)?))
    }

    pub(super) fn get(&self, key: &str) -> Option<Value<'_>> {
        let name = |i: &usize| self.metadata.get(*i).map_or(&[][..], |e| key_bytes(&self.bytes, e));
        let at = self.by_key.binary_search_by(|i| name(i).cmp(key.as_bytes())).ok()?;
        self.entry(*self.by_key.get(at)?).map(|(_, v)| v)
    }
}

fn key_bytes<'a>(buf: &'a [u8], e: &RawEntry) -> &'a [u8] {
    buf.get(e.key.clone()).unwrap_or_default()
}

/// Sorting rather than hashing: no input makes it slow, and look-ups need no second table.
fn sorted_keys(disk: &DiskFile, buf: &[u8], metadata: &[RawEntry]) -> Result<Vec<usize>, ModelError> {
    let name = |i: usize| metadata.get(i).map_or(&[][..], |e| key_bytes(buf, e));
    let mut order: Vec<usize> = (0..metadata.len()).collect();
    order.sort_by(|&a, &b| name(a).cmp(name(b)));
    for pair in order.windows(2) {
        if let [a, b] = *pair
            && name(a) == name(b)
        {
            let (path, name) = (disk.path.clone(), shown(name(a)));
            return Err(ModelError::Duplicate { path, what: "metadata key", name });
        }
    }
    Ok(order)
}

fn check_version(disk: &DiskFile, version: u32) -> Result<(), ModelError> {
    let path = || disk.path.clone();
    match version {
        2 | 3 => Ok(()),
        v if (1..=0xffff).contains(&v.swap_bytes()) && v > 0xffff => {
            Err(ModelError::BigEndian { path: path(), version })
        }
        0 | 1 => Err(ModelError::Version {
            path: path(),
            version,
            remedy: "convert the model anew with llama.cpp's convert_hf_to_gguf.py",
        }),
        _ => Err(ModelError::Version {
            path: path(),
            version,
            remedy: "update akunu, or fetch the file again if it should be version 3",
        }),
    }
}

/// What is being read, for messages.
enum Field {
    Head(&'static str),
    Key(u64),
    Value(Range<usize>),
    TensorName(u64),
    Tensor(&'static str, Range<usize>),
}

/// A cursor over the file's start. `buf` holds what has been read so far.
struct Reader<'f> {
    disk: &'f DiskFile,
    buf: Vec<u8>,
    pos: usize,
    field: Field,
}

impl Reader<'_> {
    fn entry(&mut self, index: u64) -> Result<RawEntry, ModelError> {
        self.field = Field::Key(index);
        let key = self.name()?;
        self.field = Field::Value(key.clone());
        let value_type = self.value_type()?;
        let start = self.pos;
        self.skip(value_type, 1, 0)?;
        Ok(RawEntry { key, value_type, value: start..self.pos })
    }

    fn tensor(&mut self, index: u64) -> Result<RawTensor, ModelError> {
        self.field = Field::TensorName(index);
        let range = self.name()?;
        let name = String::from_utf8_lossy(self.at(&range)).into_owned();
        self.field = Field::Tensor("dimension count", range.clone());
        let n = u64::from(self.u32()?);
        self.check_limit(n, MAX_DIMS)?;
        self.field = Field::Tensor("dimensions", range.clone());
        let mut dims = [1; 4];
        let mut n_dims = 0;
        for d in dims.iter_mut().take(usize::try_from(n).unwrap_or(0)) {
            *d = self.u64()?;
            n_dims += 1;
        }
        self.field = Field::Tensor("type", range.clone());
        let type_id = self.u32()?;
        self.field = Field::Tensor("offset", range);
        Ok(RawTensor { name, dims, n_dims, type_id, offset: self.u64()? })
    }

    /// A key or a tensor name: never empty, valid UTF-8, not too long.
    fn name(&mut self) -> Result<Range<usize>, ModelError> {
        let len = self.u64()?;
        self.check_limit(len, MAX_NAME)?;
        let range = self.take(len)?;
        if len == 0 || std::str::from_utf8(self.at(&range)).is_err() {
            return Err(ModelError::InvalidUtf8 { path: self.disk.path.clone(), field: self.field_name() });
        }
        Ok(range)
    }

    fn value_type(&mut self) -> Result<ValueType, ModelError> {
        let type_id = self.u32()?;
        ValueType::from_id(type_id).ok_or_else(|| ModelError::ValueType {
            path: self.disk.path.clone(),
            field: self.field_name(),
            type_id,
        })
    }

    /// Walks over `count` values, checking every length within.
    fn skip(&mut self, ty: ValueType, count: u64, depth: u64) -> Result<(), ModelError> {
        self.check_count(count, ty.min_size())?;
        if let Some(size) = ty.size() {
            // The count's check has shown that the product is below the file's size.
            let range = self.take(count.saturating_mul(size))?;
            return if ty == ValueType::Bool { self.check_bools(&range) } else { Ok(()) };
        }
        for _ in 0..count {
            if ty == ValueType::String {
                let len = self.u64()?;
                self.take(len)?;
            } else {
                self.check_limit(depth + 1, MAX_DEPTH)?;
                let element = self.value_type()?;
                let len = self.u64()?;
                self.skip(element, len, depth + 1)?;
            }
        }
        Ok(())
    }

    fn check_bools(&self, range: &Range<usize>) -> Result<(), ModelError> {
        match self.at(range).iter().find(|&&b| b > 1) {
            None => Ok(()),
            Some(b) => Err(ModelError::BadValue {
                path: self.disk.path.clone(),
                key: self.field_name(),
                found: format!("a bool of {b}"),
                limits: "0 or 1".into(),
                remedy: "fetch the file again",
            }),
        }
    }

    /// Whether `count` things of at least `min` bytes can still follow.
    fn check_count(&self, count: u64, min: u64) -> Result<(), ModelError> {
        let left = self.disk.size.saturating_sub(self.pos as u64);
        if count <= left / min {
            return Ok(());
        }
        // A count that would be believable in a larger file means a download that stopped early, and saying
        // so helps more; one beyond any file is damage.
        if let Some(needed) = count.checked_mul(min).filter(|n| *n <= MAX_HEADER) {
            return Err(self.truncated(needed));
        }
        self.check_limit(count, left / min)
    }

    fn check_limit(&self, found: u64, limit: u64) -> Result<(), ModelError> {
        if found <= limit {
            return Ok(());
        }
        let field = match self.field {
            Field::Head(_) => self.field_name(),
            _ => format!("a count, length or depth in {}", self.field_name()),
        };
        Err(ModelError::Limit { path: self.disk.path.clone(), field, found, limit })
    }

    fn u32(&mut self) -> Result<u32, ModelError> {
        let r = self.take(4)?;
        Ok(self.at(&r).first_chunk().map_or(0, |b| u32::from_le_bytes(*b)))
    }

    fn u64(&mut self) -> Result<u64, ModelError> {
        let r = self.take(8)?;
        Ok(self.at(&r).first_chunk().map_or(0, |b| u64::from_le_bytes(*b)))
    }

    fn at(&self, range: &Range<usize>) -> &[u8] {
        self.buf.get(range.clone()).unwrap_or_default()
    }

    /// The next `n` bytes, read if they are not at hand.
    fn take(&mut self, n: u64) -> Result<Range<usize>, ModelError> {
        let start = self.pos;
        let end = (start as u64).checked_add(n).filter(|e| *e <= self.disk.size);
        let Some(end) = end else {
            // No header has such a length, so it is damage and not a download that stopped early.
            self.check_limit(n, MAX_HEADER)?;
            return Err(self.truncated(n));
        };
        if end > MAX_HEADER {
            let (path, field) =
                (self.disk.path.clone(), format!("the header's size at {}", self.field_name()));
            return Err(ModelError::Limit { path, field, found: end, limit: MAX_HEADER });
        }
        if end > self.buf.len() as u64 {
            self.grow(end)?;
        }
        // At most MAX_HEADER, so it fits.
        self.pos = usize::try_from(end).unwrap_or(usize::MAX);
        Ok(start..self.pos)
    }

    /// Reads on, to `end` at least: the steps double, so that a header is read in few calls, yet a damaged
    /// length is noticed before much has been read.
    fn grow(&mut self, end: u64) -> Result<(), ModelError> {
        let have = self.buf.len();
        let step = (have as u64).clamp(FIRST_READ, MAX_STEP);
        let target = end.max(have as u64 + step).min(self.disk.size);
        let target = usize::try_from(target).unwrap_or(usize::MAX);
        self.buf.reserve_exact(target.saturating_sub(have));
        self.buf.resize(target, 0);
        let out = self.buf.get_mut(have..).unwrap_or_default();
        self.disk.read_at(have as u64, out, || "the header".into())
    }

    fn truncated(&self, needed: u64) -> ModelError {
        ModelError::Truncated {
            path: self.disk.path.clone(),
            field: self.field_name(),
            offset: self.pos as u64,
            needed,
            size: self.disk.size,
        }
    }

    fn field_name(&self) -> String {
        match &self.field {
            Field::Head(name) => (*name).into(),
            Field::Key(i) => format!("the name of metadata key {i}"),
            Field::Value(key) => format!("the value of metadata key `{}`", shown(self.at(key))),
            Field::TensorName(i) => format!("the name of tensor {i}"),
            Field::Tensor(what, name) => format!("the {what} of tensor `{}`", shown(self.at(name))),
        }
    }
}
