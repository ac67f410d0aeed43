//! What can be wrong with a file.

use akunu_kernels::DType;
use std::path::PathBuf;
use thiserror::Error;

/// Why a model cannot be read. Every message says what, where and what to do next.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The file could not be opened or read.
    #[error("{}: {what}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        what: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// There is no such file.
    #[error("{}: no such file; check the path, or list the models at hand with `akunu list`", path.display())]
    NotFound {
        /// The path that was given.
        path: PathBuf,
    },
    /// A path that is a directory, a pipe, a device or a socket.
    #[error("{}: this is {found}, not a regular file; {remedy}", path.display())]
    NotAFile {
        /// The path that was given.
        path: PathBuf,
        /// What it is.
        found: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A file of zero bytes.
    #[error("{}: the file is empty; download it again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A file in some other format.
    #[error("{}: not a GGUF file but {found}; {remedy}", path.display())]
    NotGguf {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        found: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A GGUF file for big-endian machines.
    #[error(
        "{}: a big-endian GGUF (version field {version:#010x}); only little-endian files are read: download \
         the little-endian file or convert this one with gguf_convert_endian.py", path.display()
    )]
    BigEndian {
        /// The file.
        path: PathBuf,
        /// The version field as read.
        version: u32,
    },
    /// A GGUF version outside 2..=3.
    #[error(
        "{}: GGUF version {version}; versions 2 and 3 are read: {remedy}", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version field.
        version: u32,
        /// What to do.
        remedy: &'static str,
    },
    /// The file ends inside its header.
    #[error(
        "{}: the file ends inside {field}: {needed} bytes are needed at offset {offset}, the file has {size}; \
         the download is incomplete, fetch it again", path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// What was being read.
        field: String,
        /// Where, in bytes from the start.
        offset: u64,
        /// How many bytes.
        needed: u64,
        /// The file's size in bytes.
        size: u64,
    },
    /// The file became shorter, or was replaced, after it was opened.
    #[error(
        "{}: the file shrank while {field} was read (bytes {offset}..{end}); let the program that writes it \
         finish, then load it again", path.display()
    )]
    Shrunk {
        /// The file.
        path: PathBuf,
        /// What was being read.
        field: String,
        /// First byte of the read.
        offset: u64,
        /// End of the read.
        end: u64,
    },
    /// A count, length or depth that cannot be true of this file.
    #[error("{}: {field} is {found}, at most {limit} is possible; the file is damaged, fetch it again", path.display())]
    Limit {
        /// The file.
        path: PathBuf,
        /// Which count.
        field: String,
        /// Its value.
        found: u64,
        /// The largest value that the file's size, or the format, allows.
        limit: u64,
    },
    /// Bytes that should be text but are no UTF-8.
    #[error("{}: {field} is not valid UTF-8; the file is damaged, fetch it again", path.display())]
    InvalidUtf8 {
        /// The file.
        path: PathBuf,
        /// Which text.
        field: String,
    },
    /// A metadata value of a type that the format does not have.
    #[error("{}: {field} has value type {type_id}, GGUF has types 0 to 12; fetch the file again", path.display())]
    ValueType {
        /// The file.
        path: PathBuf,
        /// Which metadata entry.
        field: String,
        /// The type id.
        type_id: u32,
    },
    /// Two metadata entries or two tensors of one name.
    #[error("{}: {what} `{name}` appears twice; fetch the file again or convert the model anew", path.display())]
    Duplicate {
        /// The file.
        path: PathBuf,
        /// `metadata key` or `tensor`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A metadata key that is needed and absent.
    #[error("{}: metadata key `{key}` is missing; {remedy}", path.display())]
    MissingKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A metadata value of the wrong type.
    #[error(
        "{}: metadata key `{key}` is {found}, wanted {wanted}; convert the model with a current converter",
        path.display()
    )]
    WrongType {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The type found.
        found: String,
        /// The type wanted.
        wanted: &'static str,
    },
    /// A metadata value out of range.
    #[error("{}: metadata key `{key}` is {found}, must be {limits}; {remedy}", path.display())]
    BadValue {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// Its value.
        found: String,
        /// What is allowed.
        limits: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A tensor format that cannot be computed with.
    #[error("{}: tensor `{tensor}` has type {type_id} ({type_name}), which akunu does not compute with; {remedy}", path.display())]
    UnsupportedDType {
        /// The file.
        path: PathBuf,
        /// The tensor, by the file's name.
        tensor: String,
        /// GGUF type id.
        type_id: u32,
        /// The format's name where known, such as `Q5_K`.
        type_name: &'static str,
        /// What to use instead.
        remedy: String,
    },
    /// A tensor whose dimensions, place or use make no sense.
    #[error("{}: tensor `{tensor}`: {found}, must be {limits}; {remedy}", path.display())]
    BadTensor {
        /// The file.
        path: PathBuf,
        /// The tensor, by the file's name.
        tensor: String,
        /// What is wrong.
        found: String,
        /// What is allowed.
        limits: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Tensor data beyond the end of the file.
    #[error(
        "{}: the data of tensor `{tensor}` ends at byte {end}, the file has {size}; the download is \
         incomplete, fetch it again", path.display()
    )]
    TensorOutside {
        /// The file.
        path: PathBuf,
        /// The tensor, by the file's name.
        tensor: String,
        /// Where its data would end, saturated at `u64::MAX`.
        end: u64,
        /// The file's size in bytes.
        size: u64,
    },
    /// A part of a split model is not there.
    #[error("{}: part {part} of {count} is missing; put every part into one folder", path.display())]
    MissingPart {
        /// The missing file.
        path: PathBuf,
        /// Its number, from 1.
        part: u32,
        /// How many parts there are.
        count: u32,
    },
    /// Parts of a split model contradict each other or their names.
    #[error("{}: {found}, wanted {wanted}; fetch all parts of one and the same model again", path.display())]
    Split {
        /// The offending part.
        path: PathBuf,
        /// What it says.
        found: String,
        /// What it should say.
        wanted: String,
    },
    /// A JSON file that is none, or one of another shape.
    #[error("{}: {what}; fetch the file again", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// A field of a JSON file that is missing or makes no sense.
    #[error("{}: field `{field}` is {found}, must be {wanted}; {remedy}", path.display())]
    BadField {
        /// The file.
        path: PathBuf,
        /// The field, with a dot between the levels.
        field: String,
        /// Its value, or `missing`.
        found: String,
        /// What is allowed.
        wanted: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A directory or a file that belongs to no model.
    #[error("{}: {what}; {remedy}", path.display())]
    NoModel {
        /// The path.
        path: PathBuf,
        /// What it is instead, or what is missing.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// A safetensors header that contradicts the format.
    #[error("{}: the safetensors header {what}; the file is damaged, fetch it again", path.display())]
    BadHeader {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// A tensor that the configuration promises and no file has.
    #[error("{}: tensor `{tensor}` is missing; {remedy}", path.display())]
    MissingTensor {
        /// The file, or the directory where it could be in any file.
        path: PathBuf,
        /// The tensor, by the file's name.
        tensor: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A weight or a scale that is NaN or infinite.
    #[error(
        "{}: tensor `{tensor}` holds a value that is NaN or infinite in block {block} ({dtype}); the file is \
         damaged: fetch it again or convert the model anew", path.display()
    )]
    NotFinite {
        /// The file.
        path: PathBuf,
        /// The tensor, by the file's name.
        tensor: String,
        /// The tensor's format.
        dtype: DType,
        /// Index of the first such block in the tensor.
        block: u64,
    },
    /// A read outside a tensor, or of a tensor of another source: a mistake of the caller.
    #[error("tensor `{tensor}` has {bytes} bytes, asked for {offset}..{end}; read within the tensor")]
    ReadRange {
        /// The tensor.
        tensor: String,
        /// Its size in bytes, 0 when the source does not have it.
        bytes: u64,
        /// First byte asked for.
        offset: u64,
        /// End of the range, saturated.
        end: u64,
    },
    /// A conversion that would quantize what is quantized already.
    #[error(
        "{}: tensor `{tensor}` is quantized already ({dtype}), and quantizing it again loses more than quantizing the \
         original once; convert the F16 or BF16 model, or pass --allow-requantize", path.display()
    )]
    Quantized {
        /// The file.
        path: PathBuf,
        /// The tensor, by the file's name.
        tensor: String,
        /// The tensor's format.
        dtype: DType,
    },
    /// A conversion that cannot be done.
    #[error("{}: {what}; {remedy}", path.display())]
    Convert {
        /// The file that it is about.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// A path that no output can be written to.
    #[error("{}: {what}; {remedy}", path.display())]
    Destination {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// No room for an output: a full disk, a quota, a limit of file sizes.
    #[error(
        "{}: {source}: {} needed{}; free some space, or write to another disk", path.display(), size(*needed),
        free.map_or_else(String::new, |n| format!(", {} free", size(n)))
    )]
    NoRoom {
        /// The output, as the user named it.
        path: PathBuf,
        /// Its bytes.
        needed: u64,
        /// Bytes that it could have, where that is known.
        free: Option<u64>,
        /// The system's error.
        source: std::io::Error,
    },
    /// A `SHAPE:DTYPE` of synthetic weights that does not exist.
    #[error("synthetic model `{spec}`: {what}; {remedy}")]
    Synthetic {
        /// What was asked for.
        spec: String,
        /// What is wrong with it.
        what: String,
        /// What to do.
        remedy: String,
    },
}

/// Bytes for people, in binary units.
fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if bytes < 1024 { format!("{bytes} bytes") } else { format!("{value:.2} {}", units[unit]) }
}

/// How a file's own text appears in messages: escaped, so that it cannot steer a terminal, and at most 64
/// characters of it, so that a damaged length cannot fill the screen.
pub(crate) fn shown(bytes: &[u8]) -> String {
    const LIMIT: usize = 64;
    // Four bytes are the most that one UTF-8 character takes.
    let head = bytes.get(..bytes.len().min(4 * LIMIT)).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let mut out: String = text.chars().take(LIMIT).flat_map(char::escape_debug).collect();
    if head.len() < bytes.len() || text.chars().nth(LIMIT).is_some() {
        out.push('…');
    }
    out
}
