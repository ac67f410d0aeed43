//! What identifies a model.

use akunu_model::{ModelError, WeightSource};
use sha2::{Digest, Sha256};

/// Bytes of a tensor's row that a fingerprint is made of.
const SAMPLE: u64 = 4096;

/// What identifies a model: its tensors with some of their values, and what its keys depend on.
pub(crate) type Fingerprint = [u8; 32];

/// Some of each tensor, from its first row and from one in the middle: other weights of the same shapes differ there.
pub(crate) fn fingerprint(source: &dyn WeightSource) -> Result<Fingerprint, ModelError> {
    let c = source.config();
    let mut hash = Sha256::new();
    hash.update(format!("{} {:?} {:?}", c.arch, c.rope, c.attention));
    let mut bytes = Vec::new();
    for t in source.tensors() {
        hash.update(format!("{} {:?} {} {};", t.name, t.dtype, t.rows, t.cols));
        let (row, block) = (t.bytes / t.rows.max(1), u64::from(t.dtype.info().block_bytes).max(1));
        let n = (SAMPLE / block * block).max(block).min(row);
        for at in [0, t.rows / 2] {
            bytes.resize(n as usize, 0);
            source.read(t, at * row, &mut bytes)?;
            hash.update(&bytes);
        }
    }
    Ok(hash.finalize().into())
}
