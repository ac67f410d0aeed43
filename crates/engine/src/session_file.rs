//! Sessions on disk: tokens, what the KV cache holds of them, and bytes of the caller's own.
//!
//! A file is a [`Header`], the tokens, the caller's bytes, the blocks of keys and values layer by layer, and a SHA-256 of all before it. It
//! belongs to the model that made it, by a fingerprint of its weights, and to the formats and the layout of its KV cache. Every byte of a
//! file is untrusted: nothing of a session changes before the whole file has been checked.

use crate::Error;
use crate::fingerprint::Fingerprint;
use crate::session::Session;
use akunu_kernels::kv::KvFormat;
use akunu_kernels::step::{KV_BLOCK, Token};
use akunu_model::ModelError;
use akunu_model::destination::Destination;
use akunu_plan::table::Region;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

const MAGIC: [u8; 8] = *b"AKUNUSES";
const VERSION: u32 = 1;
/// Bytes of the hash at the end.
const HASH: u64 = 32;
/// The most bytes of the caller's own.
const ATTACHED: usize = 64 << 20;
/// Bytes that are hashed at a time.
const PIECE: usize = 1 << 20;

/// The first bytes of a file, little-endian.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct Header {
    magic: [u8; 8],
    version: u32,
    layers: u32,
    fingerprint: Fingerprint,
    kv_heads: u32,
    head_dim: u32,
    /// Formats of keys and values.
    formats: [u32; 2],
    /// Blocks of windowed layers' rings; 0 where there is none.
    ring: u32,
    tokens: u32,
    kv_len: u32,
    kv_high: u32,
    attached: u64,
    reserved: [u64; 2],
}

impl Session {
    /// Writes the session to a file, with bytes of the caller's own; [`Session::load`] reads it again. What stood there stands until the
    /// new file is whole.
    pub fn save(&self, path: &Path, attached: &[u8]) -> Result<(), Error> {
        if attached.len() > ATTACHED {
            return Err(refused(
                path,
                format!("{} bytes are to be attached", attached.len()),
                "attach at most 64 MiB",
            ));
        }
        let header = self.header(attached.len() as u64);
        let mut out = Destination::of(path)?.streamed(self.file_bytes(&header))?;
        let mut hash = Sha256::new();
        let mut write = |bytes: &[u8]| {
            hash.update(bytes);
            out.write(bytes)
        };
        write(bytemuck::bytes_of(&header))?;
        write(bytemuck::cast_slice(self.tokens()))?;
        write(attached)?;
        let mut block = Vec::new();
        for part in self.parts(&header) {
            block.resize(part.bytes as usize, 0);
            self.batch.memory(part.region).read(self.at(&part), &mut block)?;
            write(&block)?;
        }
        let hash = hash.finalize();
        out.write(&hash)?;
        Ok(out.finish()?)
    }

    /// Takes the place of this session's tokens and cache by a file's; gives the bytes that were saved with it. A file that is
    /// damaged, or of another model, is refused, and the session is as it was.
    pub fn load(&mut self, path: &Path) -> Result<Vec<u8>, Error> {
        let failed = |source| {
            let what = "cannot read it".to_owned();
            Error::Model(ModelError::Io { path: path.into(), what, source })
        };
        // Asked before it is opened: a pipe would be waited for.
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            return Err(refused(
                path,
                "it is no regular file".into(),
                "name a file that a session was saved to",
            ));
        }
        let mut file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        let mut header = [0u8; size_of::<Header>()];
        let found = fill(&mut file, &mut header).map_err(failed)?;
        let header: Header = bytemuck::pod_read_unaligned(&header);
        self.accepts(path, &header, found, about.len())?;
        check_hash(&mut file, about.len()).map_err(failed)?.then_some(()).ok_or_else(|| damaged(path))?;

        file.seek(SeekFrom::Start(size_of::<Header>() as u64)).map_err(failed)?;
        let mut tokens = vec![Token(0); header.tokens as usize];
        file.read_exact(bytemuck::cast_slice_mut(&mut tokens)).map_err(failed)?;
        let vocab = self.program().config.vocab;
        if let Some(index) = tokens.iter().position(|t| t.0 >= vocab) {
            return Err(Error::TokenRange { token: tokens[index], index, vocab });
        }
        let mut attached = vec![0; header.attached as usize];
        file.read_exact(&mut attached).map_err(failed)?;
        // From here on the cache is not what it was.
        self.reset();
        self.stand();
        self.batch.reserve(&mut self.sequence, header.kv_len)?;
        let mut block = Vec::new();
        for part in self.parts(&header) {
            block.resize(part.bytes as usize, 0);
            file.read_exact(&mut block).map_err(failed)?;
            self.batch.memory(part.region).write(self.at(&part), &block)?;
        }
        self.sequence.append(&tokens);
        self.sequence.stand_at(header.kv_len);
        self.kv_high = header.kv_high;
        Ok(attached)
    }

    fn header(&self, attached: u64) -> Header {
        let (c, cache) = (&self.program().config, &self.program().cache);
        Header {
            magic: MAGIC,
            version: VERSION,
            layers: c.layers,
            fingerprint: self.batch.model().fingerprint,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            formats: [cache.k as u32, cache.v as u32],
            ring: cache.ring.unwrap_or(0),
            tokens: self.position(),
            kv_len: self.kv_len(),
            // As `keep_kv` has it: a step may have run one position more than counts.
            kv_high: if self.kv_len() == 0 { 0 } else { self.kv_high.max(self.kv_len() + 1) },
            attached,
            reserved: [0; 2],
        }
    }

    /// Refuses a file that this session cannot have written, by its header and its length.
    fn accepts(&self, path: &Path, h: &Header, found: usize, len: u64) -> Result<(), Error> {
        if found < 8 || h.magic != MAGIC {
            let remedy = "name a file that a session was saved to (--save-session, /save)";
            return Err(refused(path, "it is no saved session".into(), remedy));
        }
        if found < size_of::<Header>() {
            return Err(damaged(path));
        }
        if h.version != VERSION {
            let what = format!("it has version {}, and this is version {VERSION}", h.version);
            return Err(refused(path, what, "save the session anew with this version of akunu"));
        }
        let own = self.header(0);
        if (h.fingerprint, h.layers, h.kv_heads, h.head_dim)
            != (own.fingerprint, own.layers, own.kv_heads, own.head_dim)
        {
            let remedy = "load the model that the session was saved with, the same file";
            return Err(refused(path, "it is a session of another model".into(), remedy));
        }
        if h.formats != own.formats {
            let [k, v] = h.formats.map(format_name);
            let what = format!("its KV cache has keys in {k} and values in {v}");
            return Err(refused(path, what, "load the model with the same formats (-ctk, -ctv)"));
        }
        if h.ring != own.ring {
            let what = "its windowed layers were laid out for another context".into();
            return Err(refused(
                path,
                what,
                "load the model with the context that it was saved with (--ctx)",
            ));
        }
        if h.tokens > self.program().max_seq() {
            return Err(Error::ContextFull { tokens: h.tokens.into(), context: self.context() });
        }
        let whole = h.kv_len < h.tokens || h.tokens == 0 && h.kv_len == 0;
        let window = self.program().config.attention.sliding_window.unwrap_or(0);
        // What the next row's windows see is there.
        let seen = h.kv_len.saturating_sub(window) >= self.program().cache.oldest_kept(h.kv_high);
        let high = if h.kv_len == 0 { h.kv_high == 0 } else { h.kv_high > h.kv_len && seen };
        let sizes = h.attached <= ATTACHED as u64 && self.file_bytes(h) == len;
        if !whole || !high || !sizes || h.reserved != [0; 2] {
            return Err(damaged(path));
        }
        Ok(())
    }

    /// The length of a file whose header was checked.
    fn file_bytes(&self, h: &Header) -> u64 {
        let blocks: u64 = self.parts(h).map(|p| p.bytes).sum();
        size_of::<Header>() as u64 + u64::from(h.tokens) * 4 + h.attached + blocks + HASH
    }

    /// The blocks that hold a session's positions: of each layer the keys, then the values.
    fn parts(&self, h: &Header) -> impl Iterator<Item = Part> + use<> {
        let cache = self.program().cache.clone();
        let (end, layers) = (h.kv_len.div_ceil(KV_BLOCK), h.layers);
        let oldest = cache.oldest_kept(h.kv_high) / KV_BLOCK;
        (0..layers).flat_map(move |layer| {
            // A ring has the last ones only.
            let first = if cache.layer_blocks(layer) < cache.blocks() { oldest.min(end) } else { 0 };
            let sides = [(Region::KCache, cache.k), (Region::VCache, cache.v)];
            let sides = sides
                .map(|(region, format)| (region, cache.place(layer, format).0, cache.block_bytes(format)));
            sides.into_iter().flat_map(move |(region, first_byte, bytes)| {
                (first..end).map(move |i| Part { layer, i, region, first_byte, bytes })
            })
        })
    }

    /// Where a part lies in its region.
    fn at(&self, part: &Part) -> u64 {
        part.first_byte + u64::from(self.block(part.layer, part.i).0) * part.bytes
    }
}

/// A block of a layer's keys or values.
struct Part {
    layer: u32,
    /// Which of the sequence's.
    i: u32,
    region: Region,
    /// Where the layer begins.
    first_byte: u64,
    bytes: u64,
}

fn format_name(id: u32) -> &'static str {
    akunu_kernels::kv::KV_FORMATS
        .iter()
        .copied()
        .find(|f: &KvFormat| *f as u32 == id)
        .map_or("?", |f| f.name())
}

fn refused(path: &Path, what: String, remedy: &'static str) -> Error {
    Error::SessionFile { path: path.into(), what, remedy }
}

fn damaged(path: &Path) -> Error {
    refused(path, "it is damaged or cut off".into(), "save the session anew; this copy cannot be used")
}

/// Reads as much as there is, at most a buffer.
fn fill(file: &mut File, out: &mut [u8]) -> std::io::Result<usize> {
    let mut n = 0;
    while n < out.len() {
        match file.read(&mut out[n..])? {
            0 => break,
            more => n += more,
        }
    }
    Ok(n)
}

/// Whether the last bytes are the hash of all before them.
fn check_hash(file: &mut File, len: u64) -> std::io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let (mut hash, mut piece) = (Sha256::new(), vec![0u8; PIECE]);
    let mut left = len.saturating_sub(HASH);
    while left > 0 {
        let n = fill(file, &mut piece[..left.min(PIECE as u64) as usize])?;
        if n == 0 {
            return Ok(false);
        }
        hash.update(&piece[..n]);
        left -= n as u64;
    }
    let mut last = [0u8; HASH as usize];
    Ok(fill(file, &mut last)? == last.len() && hash.finalize().as_slice() == last)
}
