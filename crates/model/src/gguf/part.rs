//! One file with its header: a model, or a part of a split one.

use super::header::Header;
use super::{DEFAULT_ALIGNMENT, layout, sniff};
use crate::ModelError;
use crate::disk::DiskFile;
use std::path::Path;

/// One file with its header.
pub(super) struct Part {
    pub(super) disk: DiskFile,
    pub(super) header: Header,
}

impl Part {
    pub(super) fn open(path: &Path) -> Result<Self, ModelError> {
        let disk = DiskFile::open(path)?;
        sniff::check_magic(&disk)?;
        let header = Header::read(&disk)?;
        Ok(Self { disk, header })
    }

    fn alignment(&self) -> Result<u64, ModelError> {
        const KEY: &str = "general.alignment";
        let Some(v) = self.header.get(KEY) else { return Ok(DEFAULT_ALIGNMENT) };
        match v.as_u64() {
            Some(n) if n.is_power_of_two() && n >= 8 => Ok(n),
            _ => Err(ModelError::BadValue {
                path: self.disk.path.clone(),
                key: KEY.into(),
                found: v.describe(),
                limits: "a power of two, at least 8".into(),
                remedy: "fetch the file again or convert the model anew",
            }),
        }
    }

    pub(super) fn section(&self) -> Result<layout::Section, ModelError> {
        let alignment = self.alignment()?;
        // A header is far smaller than 2^63, so only a huge alignment can overflow; it then lies outside anyway.
        let header_end = self.header.bytes.len() as u64;
        let start = header_end.checked_next_multiple_of(alignment).unwrap_or(u64::MAX);
        Ok(layout::Section { start, alignment })
    }
}
