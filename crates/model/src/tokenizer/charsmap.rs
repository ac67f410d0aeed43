//! SentencePiece's table of normalization, checked before the library reads it: a broken one would make it panic, or ask for gigabytes.
//!
//! A table is the length of a double array in bytes, the array of 32-bit units (Aoe, "An Efficient Digital Search Algorithm by Using a
//! Double-Array Structure", 1989, as darts-clone packs it), and targets with a zero after each.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A table as its bytes.
pub(super) fn decode(base64: &str) -> Result<Vec<u8>, &'static str> {
    STANDARD.decode(base64).map_err(|_| "it is not base64")
}

/// A table of these bytes in base64.
pub(super) fn encode(data: &[u8]) -> String {
    STANDARD.encode(data)
}

/// Whether every text can be looked up in a table that is given in base64.
pub(super) fn check(base64: &str) -> Result<(), &'static str> {
    let data = decode(base64)?;
    let (size, rest) = data.split_first_chunk::<4>().ok_or("it is cut off")?;
    let size = u32::from_le_bytes(*size) as usize;
    if size == 0 || !size.is_multiple_of(4) || size > rest.len() {
        return Err("its array is cut off");
    }
    let (array, targets) = rest.split_at(size);
    let targets = std::str::from_utf8(targets).map_err(|_| "its targets are no UTF-8")?;
    let units: Vec<u32> = array.as_chunks::<4>().0.iter().map(|u| u32::from_le_bytes(*u)).collect();
    walk(&units, targets)
}

/// Visits every node that some text reaches.
fn walk(units: &[u32], targets: &str) -> Result<(), &'static str> {
    const OUTSIDE: &str = "its array points outside itself";
    // A node that was reached, and where its children are counted from.
    let base = |at: usize| at ^ ((units[at] >> 10) as usize) << ((units[at] & 1 << 9) >> 6);
    let mut seen = vec![false; units.len()];
    let mut pending = vec![0usize];
    seen[0] = true;
    while let Some(at) = pending.pop() {
        let from = base(at);
        // Any byte may come next.
        if from | 0xFF >= units.len() {
            return Err(OUTSIDE);
        }
        if at != 0 && units[at] >> 8 & 1 == 1 {
            let target = (units[from] & 0x7FFF_FFFF) as usize;
            if !targets.is_char_boundary(target) {
                return Err("a target is none");
            }
        }
        for byte in 1..=0xFFusize {
            let next = from ^ byte;
            if (units[next] & 0x8000_00FF) as usize == byte && !std::mem::replace(&mut seen[next], true) {
                pending.push(next);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// `ab` becomes `c`: the root's children are counted from 256, those of `a` from 512, the leaf lies at 768.
    fn table() -> Vec<u32> {
        let mut units = vec![0u32; 1024];
        units[0] = 256 << 10;
        units[256 ^ 97] = 97 | ((256 ^ 97 ^ 512) as u32) << 10;
        units[512 ^ 98] = 98 | 1 << 8 | ((512 ^ 98 ^ 768) as u32) << 10;
        units[768] = 1 << 31;
        units
    }

    fn packed(units: &[u32], targets: &[u8]) -> String {
        let mut data = (units.len() as u32 * 4).to_le_bytes().to_vec();
        data.extend(units.iter().flat_map(|u| u.to_le_bytes()));
        data.extend(targets);
        STANDARD.encode(data)
    }

    #[test]
    fn broken_tables_are_found() {
        assert_eq!(check(&packed(&table(), b"c\0")), Ok(()));
        let broken = |change: &dyn Fn(&mut Vec<u32>)| {
            let mut units = table();
            change(&mut units);
            check(&packed(&units, b"c\0"))
        };
        assert!(broken(&|u| u[0] = 2048 << 10).is_err());
        assert!(broken(&|u| u[256 ^ 97] |= 0x7FFF_F000).is_err());
        assert!(broken(&|u| u[768] = 1 << 31 | 3).is_err());
        assert!(broken(&|u| u.truncate(800)).is_err());
        assert!(check(&packed(&table(), "é\0".as_bytes())).is_ok());
        assert!(check(&packed(&table(), b"\xFF\0")).is_err());
        for short in ["", "AA==", "////////", "?"] {
            assert!(check(short).is_err(), "{short}");
        }
        let mut long = (u32::MAX - 3).to_le_bytes().to_vec();
        long.extend([0; 64]);
        assert!(check(&STANDARD.encode(long)).is_err());
    }
}
