//! The data section of a file, which its tensors tile.

use super::shown;
use super::tensor::GgufTensor;
use crate::ModelError;
use crate::disk::DiskFile;

/// Where the tensors' data lie in a file.
pub(super) struct Section {
    /// The first byte.
    pub(super) start: u64,
    /// What every tensor's first byte is a multiple of, counted from the start.
    pub(super) alignment: u64,
}

impl Section {
    /// Tensors lie one after the other, in any order, from the start of the section to the end of the file, and between
    /// them is no more than alignment asks for. Shared bytes would let a small file ask for any amount of memory; bytes
    /// that belong to no tensor mean that some tensor's type or shape is not the true one.
    pub(super) fn check(&self, disk: &DiskFile, tensors: &[GgufTensor]) -> Result<(), ModelError> {
        let mut order: Vec<&GgufTensor> = tensors.iter().collect();
        order.sort_by_key(|t| (t.file_offset(), t.bytes()));
        if let Some(first) = order.first().filter(|t| t.file_offset() != self.start) {
            let found = format!("data from byte {}", first.file_offset());
            let limits = format!("at byte {}, because its data are the first of the file", self.start);
            return Err(bad(disk, first, found, limits));
        }
        for (i, t) in order.iter().enumerate() {
            self.check_end(disk, t, order.get(i.saturating_add(1)).copied())?;
        }
        Ok(())
    }

    /// What comes after a tensor: another, or the end of the file.
    fn check_end(
        &self,
        disk: &DiskFile,
        t: &GgufTensor,
        next: Option<&GgufTensor>,
    ) -> Result<(), ModelError> {
        let start = t.file_offset();
        // Of an unknown type it is only known that there are some bytes.
        let end = start.saturating_add(t.bytes().unwrap_or(1));
        if let Some(next) = next.filter(|n| n.file_offset() < end) {
            let found = format!("data from byte {}", next.file_offset());
            let limits = format!("after those of `{}`, which end at byte {end}", shown(t.name().as_bytes()));
            return Err(bad(disk, next, found, limits));
        }
        let Some(kind) = t.tensor_type() else { return Ok(()) };
        let padded = end.checked_next_multiple_of(self.alignment).unwrap_or(u64::MAX);
        let (follows, at) = match next {
            Some(n) => (format!("those of `{}`", shown(n.name().as_bytes())), n.file_offset()),
            None => ("the end of the file".into(), disk.size),
        };
        if at <= padded {
            return Ok(());
        }
        let found =
            format!("data of {} from byte {start} to {end}, and then {follows} at byte {at}", kind.name);
        Err(bad(disk, t, found, format!("followed at byte {padded} at the latest")))
    }
}

fn bad(disk: &DiskFile, t: &GgufTensor, found: String, limits: String) -> ModelError {
    ModelError::BadTensor {
        path: disk.path.clone(),
        tensor: shown(t.name().as_bytes()),
        found,
        limits,
        remedy: "a type, a shape or an offset is not the true one: fetch the file again or convert the model anew",
    }
}
