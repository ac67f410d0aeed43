//! A table's regions as a GPU's addresses.

use crate::{DeviceError, Memory};
use akunu_plan::VerifiedTable;
use std::sync::Arc;

/// The address of every region of a table, checked. `at` gives the address of a memory of the device, and of no other.
pub(crate) fn addresses(
    table: &VerifiedTable,
    regions: &[Arc<dyn Memory>],
    at: impl Fn(&dyn Memory) -> Option<u64>,
) -> Result<Vec<u64>, DeviceError> {
    if regions.len() != table.regions.len() {
        return Err(DeviceError::Foreign { what: "region list" });
    }
    let mut out = Vec::with_capacity(regions.len());
    for (m, decl) in regions.iter().zip(&table.regions) {
        let Some(at) = at(&**m) else { return Err(DeviceError::Foreign { what: decl.name }) };
        if m.bytes() < decl.bytes {
            return Err(DeviceError::Range { offset: 0, len: decl.bytes, bytes: m.bytes() });
        }
        // Two names for the same bytes would hide hazards from the verifier.
        if out.contains(&at) {
            return Err(DeviceError::Foreign { what: decl.name });
        }
        out.push(at);
    }
    Ok(out)
}
