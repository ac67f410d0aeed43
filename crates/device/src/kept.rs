//! Files that are used whole or not at all. Their content begins with a word of their own and a hash of the rest, so a cut, changed
//! or foreign file is found out; they are written under another name and renamed, so two processes cannot mix.

use sha2::{Digest, Sha256};
use std::io::{Error, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a kind of file begins with.
pub(crate) type Magic = [u8; 8];

/// Bytes of a hash.
const HASH: usize = 32;

/// A kept result, if it is whole and has at most `most` bytes. `NotFound` where there is none.
pub(crate) fn read(file: &Path, magic: &Magic, most: u64) -> Result<Vec<u8>, Error> {
    let wrong = |what: &str| Error::new(ErrorKind::InvalidData, what.to_owned());
    // To open a pipe would wait for its other end.
    if !std::fs::metadata(file)?.is_file() {
        return Err(wrong("no file"));
    }
    let limit = most + (magic.len() + HASH) as u64;
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(wrong("too long"));
    }
    let rest = bytes.strip_prefix(magic.as_slice()).ok_or_else(|| wrong("another kind of file"))?;
    let (hash, body) = rest.split_at_checked(HASH).ok_or_else(|| wrong("cut off"))?;
    if body.is_empty() || Sha256::digest(body).as_slice() != hash {
        return Err(wrong("damaged"));
    }
    Ok(body.to_vec())
}

/// Keeps a result, in place of what was there. Makes the folder.
pub(crate) fn write(file: &Path, magic: &Magic, body: &[u8]) -> Result<(), Error> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut part = file.as_os_str().to_owned();
    part.push(format!(".{}.{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    let written = (|| {
        let mut f = std::fs::File::create_new(&part)?;
        f.write_all(magic)?;
        f.write_all(&Sha256::digest(body))?;
        f.write_all(body)?;
        f.sync_all()?;
        std::fs::rename(&part, file)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}
