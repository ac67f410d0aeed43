//! What a driver has made of the kernels, kept on disk from one process to the next.
//!
//! A file belongs to one GPU, its driver and this version of akunu, which its name says. What cannot be used or written costs
//! time, so it is no error, but [`PipelineCache`] says so. A driver must get nothing but what it gave: the file's hash sees to
//! that, and the header that drivers put in front is compared too.

use super::context::Context;
use super::identity::Identity;
use super::instance::failed;
use crate::DeviceError;
use crate::kept::{self, Magic};
use ash::vk;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const MAGIC: &Magic = b"akunuvk1";
/// How the files' names end.
const END: &str = ".pipelines";
/// A file that has grown beyond this is begun anew.
const MOST_BYTES: u64 = 64 << 20;
/// Files that are kept: of several GPUs, and of an older driver or version.
const MOST_FILES: usize = 8;

impl Identity {
    fn file_name(&self) -> String {
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        let Self { vendor, device, subgroup, .. } = self;
        let (driver, cache, version) = (hex(&self.driver), hex(&self.cache), env!("CARGO_PKG_VERSION"));
        format!("{vendor:x}-{device:x}-{driver}-{cache}-{subgroup}-{version}{END}")
    }

    /// Whether the header of a driver's data is its own (`VkPipelineCacheHeaderVersionOne`).
    fn owns(&self, data: &[u8]) -> bool {
        let word =
            |i: usize| data.get(4 * i..4 * i + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        word(0).is_some_and(|size| size >= 32 && size as usize <= data.len())
            && word(1) == Some(vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32)
            && word(2) == Some(self.vendor)
            && word(3) == Some(self.device)
            && data.get(16..32) == Some(&self.cache[..])
    }
}

/// What became of the file of a GPU's pipelines. Without a file none are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineCache {
    /// Where it lies.
    pub file: Option<PathBuf>,
    /// What was there when the device was opened.
    pub found: Found,
    /// What was done with it since.
    pub written: Written,
}

/// What an earlier process left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    #[default]
    Nothing,
    /// So many bytes, which the driver got.
    Bytes(u64),
    /// Something that cannot be used, and why.
    NoUse(String),
}

/// Whether the file was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// There was nothing new.
    #[default]
    NotYet,
    /// With so many bytes.
    Bytes(u64),
    /// It cannot be.
    Failed(String),
}

impl fmt::Display for PipelineCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(file) = &self.file else { return f.write_str("not kept") };
        write!(f, "{}", file.display())?;
        match (&self.found, &self.written) {
            (_, Written::Bytes(n)) | (Found::Bytes(n), _) => write!(f, ", {n} bytes")?,
            (Found::Nothing, _) => write!(f, ", not there yet")?,
            (Found::NoUse(_), _) => {}
        }
        if let Found::NoUse(why) = &self.found {
            write!(f, ", begun anew: what was there is {why}")?;
        }
        if let Written::Failed(why) = &self.written {
            write!(f, ", cannot be written ({why}); set AKUNU_CACHE to a folder you can write")?;
        }
        Ok(())
    }
}

/// The driver's cache of a device, and its file.
pub(crate) struct Cache {
    context: Arc<Context>,
    pub(crate) raw: vk::PipelineCache,
    /// Pipelines that the driver did not have, since the file was last written.
    fresh: AtomicU32,
    kept: Mutex<Kept>,
}

struct Kept {
    /// Fresh pipelines that were written.
    pipelines: u32,
    /// Bytes of a driver's data that are in the file.
    bytes: u64,
    state: PipelineCache,
}

impl Cache {
    /// With what an earlier process left in `folder`. `None` keeps nothing.
    pub(crate) fn new(context: &Arc<Context>, folder: Option<&Path>) -> Result<Self, DeviceError> {
        let file = folder.map(|f| f.join(context.identity.file_name()));
        let (mut data, mut found) = match &file {
            Some(file) => load(file, &context.identity),
            None => (Vec::new(), Found::Nothing),
        };
        let make = |data: &[u8]| {
            let create = vk::PipelineCacheCreateInfo::default().initial_data(data);
            // SAFETY: a whole structure; the data is what a driver with this header once gave, by the file's hash.
            unsafe { context.device.create_pipeline_cache(&create, None) }
        };
        let made = make(&data).or_else(|e| {
            if data.is_empty() {
                return Err(e);
            }
            data.clear();
            found = Found::NoUse(format!("refused by the driver ({e})"));
            make(&[])
        });
        let raw = made.map_err(|e| failed("vkCreatePipelineCache", e))?;
        let state = PipelineCache { file, found, written: Written::NotYet };
        let kept = Mutex::new(Kept { pipelines: 0, bytes: data.len() as u64, state });
        Ok(Self { context: Arc::clone(context), raw, fresh: AtomicU32::new(0), kept })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What became of the file.
    pub(crate) fn state(&self) -> PipelineCache {
        self.kept().state.clone()
    }

    /// Counts a pipeline that was made with it.
    pub(crate) fn count(&self, feedback: vk::PipelineCreationFeedbackFlags) {
        use vk::PipelineCreationFeedbackFlags as Flags;
        if !feedback.contains(Flags::VALID | Flags::APPLICATION_PIPELINE_CACHE_HIT) {
            self.fresh.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes the file where more is new than was written before: however many small steps there are, all that they write is no more
    /// than twice the last.
    pub(crate) fn keep(&self) {
        let mut kept = self.kept();
        if self.fresh.load(Ordering::Relaxed) > kept.pipelines {
            self.write(&mut kept);
        }
    }

    fn write(&self, kept: &mut Kept) {
        let Some(file) = kept.state.file.clone() else { return };
        // Counted before it is asked for: what comes meanwhile is written once more.
        kept.pipelines += self.fresh.swap(0, Ordering::Relaxed);
        // SAFETY: a cache of this device.
        let data = match unsafe { self.context.device.get_pipeline_cache_data(self.raw) } {
            Ok(data) => data,
            Err(e) => {
                kept.state.written = Written::Failed(e.to_string());
                return;
            }
        };
        // A driver that keeps nothing gives its header, every time.
        let bytes = data.len() as u64;
        if data.is_empty() || data.len() <= HEADER && bytes == kept.bytes {
            return;
        }
        match kept::write(&file, MAGIC, &data) {
            Ok(()) => {
                kept.bytes = bytes;
                kept.state.written = Written::Bytes(bytes);
            }
            Err(e) => kept.state.written = Written::Failed(e.to_string()),
        }
        if let Some(folder) = file.parent() {
            prune(folder, &file);
        }
    }
}

/// Bytes of a driver's header.
const HEADER: usize = 32;

impl Drop for Cache {
    fn drop(&mut self) {
        if *self.fresh.get_mut() > 0 {
            let mut kept = self.kept();
            self.write(&mut kept);
        }
        // SAFETY: made by `new`, destroyed once; no call that uses it is under way, as it is borrowed for those.
        unsafe { self.context.device.destroy_pipeline_cache(self.raw, None) };
    }
}

/// What is in the file, if it is whole and the GPU's own.
fn load(file: &Path, identity: &Identity) -> (Vec<u8>, Found) {
    let no_use = |why: String| (Vec::new(), Found::NoUse(why));
    match kept::read(file, MAGIC, MOST_BYTES) {
        Ok(data) if identity.owns(&data) => {
            let bytes = data.len() as u64;
            (data, Found::Bytes(bytes))
        }
        Ok(_) => no_use("of another GPU or driver".into()),
        Err(e) if e.kind() == ErrorKind::NotFound => (Vec::new(), Found::Nothing),
        Err(e) => no_use(e.to_string()),
    }
}

/// Removes the oldest files beyond [`MOST_FILES`], but not `own`; also what a process that was ended left of one.
fn prune(folder: &Path, own: &Path) {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<_> = files
        .filter(|e| e.file_name().to_string_lossy().contains(END) && e.path() != own)
        .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path())))
        .collect();
    all.sort();
    let extra = (all.len() + 1).saturating_sub(MOST_FILES);
    for (_, path) in all.into_iter().take(extra) {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const GPU: Identity =
        Identity { vendor: 0x10de, device: 0x2330, cache: [7; 16], driver: [9; 16], subgroup: 32 };

    fn header(gpu: &Identity) -> Vec<u8> {
        let words = [32, 1, gpu.vendor, gpu.device];
        let mut data: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        data.extend(gpu.cache);
        data
    }

    fn others() -> [Identity; 5] {
        [
            Identity { vendor: 0x1002, ..GPU },
            Identity { device: 0x2331, ..GPU },
            Identity { cache: [8; 16], ..GPU },
            Identity { driver: [8; 16], ..GPU },
            Identity { subgroup: 8, ..GPU },
        ]
    }

    #[test]
    fn a_file_is_of_one_gpu_driver_and_version() {
        assert!(GPU.file_name().ends_with(&format!("-32-{}.pipelines", env!("CARGO_PKG_VERSION"))));
        for other in others() {
            assert_ne!(GPU.file_name(), other.file_name());
        }
    }

    #[test]
    fn only_a_whole_header_of_its_own_is_a_gpus() {
        let own = [header(&GPU), vec![1; 100]].concat();
        assert!(GPU.owns(&own) && GPU.owns(&own[..32]));
        for n in 0..32 {
            assert!(!GPU.owns(&own[..n]), "{n} bytes");
            let mut changed = own.clone();
            changed[n] ^= 0x80;
            assert!(!GPU.owns(&changed), "byte {n}");
        }
        for other in &others()[..3] {
            assert!(!other.owns(&own));
        }
    }

    #[test]
    fn what_is_no_use_is_ignored_and_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.pipelines");
        let state = || load(&file, &GPU);
        assert_eq!(state(), (Vec::new(), Found::Nothing));
        let data = [header(&GPU), vec![1; 100]].concat();
        kept::write(&file, MAGIC, &data).unwrap();
        assert_eq!(state(), (data.clone(), Found::Bytes(132)));
        let whole = std::fs::read(&file).unwrap();
        let why = || match state() {
            (data, Found::NoUse(why)) if data.is_empty() => why,
            other => format!("used: {other:?}"),
        };
        for n in [0, 7, 8, 39, 40, 100, whole.len() - 1] {
            std::fs::write(&file, &whole[..n]).unwrap();
            assert!(!why().starts_with("used"), "cut to {n}: {}", why());
        }
        for n in 0..whole.len() {
            let mut changed = whole.clone();
            changed[n] ^= 1;
            std::fs::write(&file, &changed).unwrap();
            assert!(!why().starts_with("used"), "byte {n}: {}", why());
        }
        kept::write(&file, MAGIC, &header(&Identity { device: 1, ..GPU })).unwrap();
        assert_eq!(why(), "of another GPU or driver");
        kept::write(&file, b"akunucu1", &data).unwrap();
        assert_eq!(why(), "another kind of file");
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert_eq!(why(), "no file");
    }

    #[test]
    fn a_file_that_has_grown_too_long_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.pipelines");
        kept::write(&file, MAGIC, &[3; 50]).unwrap();
        assert_eq!(kept::read(&file, MAGIC, 50).unwrap(), [3; 50]);
        assert_eq!(kept::read(&file, MAGIC, 49).unwrap_err().to_string(), "too long");
        std::fs::File::options().write(true).open(&file).unwrap().set_len(MOST_BYTES + 41).unwrap();
        assert_eq!(load(&file, &GPU).1, Found::NoUse("too long".into()));
    }

    #[test]
    fn what_became_of_it_is_told() {
        assert_eq!(PipelineCache::default().to_string(), "not kept");
        let told = |found, written| PipelineCache { file: Some("/c/x".into()), found, written }.to_string();
        assert_eq!(told(Found::Nothing, Written::NotYet), "/c/x, not there yet");
        assert_eq!(told(Found::Bytes(5), Written::NotYet), "/c/x, 5 bytes");
        let damaged = told(Found::NoUse("damaged".into()), Written::Bytes(9));
        assert_eq!(damaged, "/c/x, 9 bytes, begun anew: what was there is damaged");
        let full = told(Found::Bytes(5), Written::Failed("disk full".into()));
        assert!(full.contains("cannot be written (disk full)") && full.contains("AKUNU_CACHE"), "{full}");
    }

    #[test]
    fn few_files_are_kept_and_ones_own_among_them() {
        let folder = tempfile::tempdir().unwrap();
        let name = |i: u32| folder.path().join(format!("{i}.pipelines"));
        for i in 0..12 {
            kept::write(&name(i), MAGIC, &[1]).unwrap();
            let age = std::time::Duration::from_secs(1000 - u64::from(i));
            let file = std::fs::File::options().write(true).open(name(i)).unwrap();
            file.set_modified(std::time::SystemTime::now() - age).unwrap();
        }
        std::fs::write(folder.path().join("else"), b"").unwrap();
        // The oldest of all is the one that was just written.
        prune(folder.path(), &name(0));
        let left: Vec<u32> = (0..12).filter(|i| name(*i).exists()).collect();
        assert_eq!(left, [0, 5, 6, 7, 8, 9, 10, 11]);
        assert!(folder.path().join("else").exists());
    }
}
