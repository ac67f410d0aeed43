//! Numbers and bytes of a file, one after the other.

use super::bad;
use crate::ModelError;
use crate::disk::DiskFile;
use std::path::Path;

/// Far above any model.
pub(super) const MOST: u32 = 1 << 20;

/// Reads from one number to the next, and never beyond the file's end.
pub(super) struct Reader<'a> {
    pub(super) disk: &'a DiskFile,
    pub(super) at: u64,
}

impl Reader<'_> {
    pub(super) fn path(&self) -> &Path {
        &self.disk.path
    }

    pub(super) fn skip(&mut self, bytes: u64, what: &str) -> Result<u64, ModelError> {
        let from = self.at;
        match from.checked_add(bytes).filter(|end| *end <= self.disk.size) {
            Some(end) => {
                self.at = end;
                Ok(from)
            }
            None => Err(ModelError::Truncated {
                path: self.disk.path.clone(),
                field: what.into(),
                offset: from,
                needed: bytes,
                size: self.disk.size,
            }),
        }
    }

    pub(super) fn take(&mut self, bytes: u64, what: &str) -> Result<Vec<u8>, ModelError> {
        let from = self.skip(bytes, what)?;
        let mut out = vec![0; bytes as usize];
        self.disk.read_at(from, &mut out, || what.into())?;
        Ok(out)
    }

    pub(super) fn number(&mut self, what: &str) -> Result<u32, ModelError> {
        let bytes = self.take(4, what)?;
        Ok(bytes.iter().rev().fold(0, |n, b| n << 8 | u32::from(*b)))
    }

    /// A number from 1 to `most`.
    pub(super) fn count(&mut self, what: &str, most: u32) -> Result<u32, ModelError> {
        let n = self.number(what)?;
        if (1..=most).contains(&n) {
            return Ok(n);
        }
        Err(bad(&self.disk.path, what, n.to_string(), format!("from 1 to {most}")))
    }
}
