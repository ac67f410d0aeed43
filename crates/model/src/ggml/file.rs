//! What a file holds, whatever it means: eleven numbers, mel filters, words and tensors.

use super::reader::{MOST, Reader};
use super::vocabulary::read_words;
use super::{MAGIC, bad, bad_tensor};
use crate::ModelError;
use crate::disk::DiskFile;
use crate::gguf::types::{self, TensorType};
use std::path::Path;

/// Values of a mel filter: half of a Fourier transform of 400 samples.
pub(super) const FILTER: u64 = 201;
const LONGEST_NAME: u64 = 256;
/// Far more than any model has (large ones 1,259), so that a damaged file's names stay few.
const MOST_TENSORS: usize = 1 << 14;
/// The numbers at the beginning, by whisper.cpp's names, in their order.
const FIELDS: [&str; 11] = [
    "n_vocab",
    "n_audio_ctx",
    "n_audio_state",
    "n_audio_head",
    "n_audio_layer",
    "n_text_ctx",
    "n_text_state",
    "n_text_head",
    "n_text_layer",
    "n_mels",
    "ftype",
];

/// A file whose parts are where they should be. It may be no model that can be run.
pub struct GgmlFile {
    pub(super) disk: DiskFile,
    /// The [`FIELDS`]; all but the last are positive.
    pub(super) numbers: [u32; 11],
    /// Where the mel filters begin.
    filters: u64,
    pub(super) words: Vec<Vec<u8>>,
    tensors: Vec<FileTensor>,
}

/// A tensor as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTensor {
    /// The file's name.
    pub name: String,
    /// Its type.
    pub tensor_type: &'static TensorType,
    /// Dimensions, fastest first; one to four.
    pub dims: Vec<u64>,
    /// Bytes.
    pub bytes: u64,
    /// Where it begins.
    pub(super) at: u64,
}

impl GgmlFile {
    /// Reads all but the tensors' data.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let disk = DiskFile::open(path)?;
        let mut r = Reader { disk: &disk, at: 0 };
        let magic = r.take(MAGIC.len() as u64, "the magic")?;
        if magic != MAGIC {
            let remedy = "name a file that whisper.cpp's converter wrote";
            return Err(ModelError::NotGguf {
                path: path.into(),
                found: "no GGML file either".into(),
                remedy,
            });
        }
        let mut numbers = [0; 11];
        for (number, name) in numbers.iter_mut().zip(&FIELDS[..10]) {
            *number = r.count(name, MOST)?;
        }
        // What most matrices are in; each tensor says it for itself.
        numbers[10] = r.number(FIELDS[10])?;
        let mels = numbers[9];
        let (filters, width) = (r.count("mel filters", MOST)?, r.count("values of a mel filter", MOST)?);
        if (filters, u64::from(width)) != (mels, FILTER) {
            let found = format!("{filters} x {width}");
            return Err(bad(path, "the mel filters", found, format!("{mels} x {FILTER}")));
        }
        let filters = r.skip(u64::from(mels) * FILTER * 4, "the mel filters")?;
        let words = read_words(&mut r)?;
        let mut tensors = Vec::new();
        while r.at < disk.size {
            if tensors.len() == MOST_TENSORS {
                let found = format!("more than {MOST_TENSORS}");
                return Err(bad(path, "the number of tensors", found, format!("at most {MOST_TENSORS}")));
            }
            tensors.push(tensor(&mut r)?);
        }
        Ok(Self { disk, numbers, filters, words, tensors })
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.disk.size
    }

    /// The numbers at the beginning, by whisper.cpp's names.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, u32)> {
        FIELDS.into_iter().zip(self.numbers)
    }

    /// How many words the file has.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Its tensors, in order.
    pub fn tensors(&self) -> &[FileTensor] {
        &self.tensors
    }

    /// The mel filters, `[mels, 201] f32` in bytes. Nobody here reads audio by them.
    pub(crate) fn filters(&self) -> Result<Vec<u8>, ModelError> {
        let mut out = vec![0; (u64::from(self.numbers[9]) * FILTER * 4) as usize];
        self.disk.read_at(self.filters, &mut out, || "the mel filters".into())?;
        Ok(out)
    }
}

impl std::fmt::Debug for GgmlFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GgmlFile").field("path", &self.disk.path).finish_non_exhaustive()
    }
}

/// A tensor's description; its data are passed over.
fn tensor(r: &mut Reader<'_>) -> Result<FileTensor, ModelError> {
    let n_dims = r.count("dimensions of a tensor", 4)?;
    let length = u64::from(r.count("bytes of a tensor's name", LONGEST_NAME as u32)?);
    let type_id = r.number("a tensor's type")?;
    let dims: Result<Vec<u64>, _> =
        (0..n_dims).map(|_| r.count("a dimension", u32::MAX).map(u64::from)).collect();
    let dims = dims?;
    let name = r.take(length, "a tensor's name")?;
    let path = &r.disk.path;
    let name = String::from_utf8(name)
        .map_err(|_| ModelError::InvalidUtf8 { path: path.clone(), field: "a tensor's name".into() })?;
    let Some(tensor_type) = TensorType::from_id(type_id) else {
        let (path, remedy) = (path.clone(), types::remedy());
        return Err(ModelError::UnsupportedDType {
            path,
            tensor: name,
            type_id,
            type_name: "unknown",
            remedy,
        });
    };
    let elements = dims.iter().try_fold(1u64, |a, d| a.checked_mul(*d));
    let Some(elements) = elements.filter(|n| n.is_multiple_of(tensor_type.block)) else {
        let limits = format!("whole blocks of {}", tensor_type.block);
        return Err(bad_tensor(path, name, format!("dimensions {dims:?}"), limits));
    };
    let bytes = (elements / tensor_type.block).checked_mul(tensor_type.block_bytes);
    let Some(bytes) = bytes.filter(|b| *b <= r.disk.size - r.at) else {
        let (path, size) = (path.clone(), r.disk.size);
        return Err(ModelError::TensorOutside { path, tensor: name, end: u64::MAX, size });
    };
    let at = r.skip(bytes, "a tensor")?;
    Ok(FileTensor { name, tensor_type, dims, bytes, at })
}
