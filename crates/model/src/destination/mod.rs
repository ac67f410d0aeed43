//! A file that a command writes. One rule for all of them.
//!
//! [`Destination::of`] finds out where a path leads and touches nothing, so that everything else can be checked first. A
//! regular file, or a name that is free, is written as `.NAME.part` beside the place that symbolic links lead to. It gets
//! its name when it is whole; until then, whatever stood there stands, and an error leaves nothing behind. A device, a pipe
//! or an open descriptor (`/dev/stdout`) must not be replaced by a file: [`Destination::streamed`] writes straight into it,
//! [`Destination::positioned`] refuses it.
//!
//! Deliberately absent: what is written.

mod part;

use crate::ModelError;
use crate::disk::special_kind;
use part::Part;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How many symbolic links may follow each other, as in Linux.
const LINKS: usize = 40;
/// Bytes that a stream collects before it writes them.
const BUFFER: usize = 256 << 10;

/// Where a path leads.
#[derive(Debug)]
pub struct Destination {
    /// As the user gave it, for messages.
    given: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// A regular file, or a name that is free. No part of the path is a link.
    File(PathBuf),
    /// The standard output of this process.
    Stdout,
    /// Another open descriptor of this process.
    Descriptor,
    /// Something else that has a name.
    Special(&'static str),
}

impl Destination {
    /// Follows `path` to its end. Refused are a directory, a name in a folder that does not exist, and a file that may not
    /// be written to.
    pub fn of(path: &Path) -> Result<Self, ModelError> {
        let last = path.as_os_str().as_encoded_bytes().last();
        let names_folder = last.is_none_or(|b| std::path::is_separator(char::from(*b)));
        if names_folder || path.is_dir() {
            return Err(no_name(path));
        }
        let place = follow(path)?;
        if let Place::File(file) = &place
            && file.exists()
        {
            // Opened and closed again: the system knows best whether it may be written.
            let opened = part::options().open(file);
            opened.map_err(|e| io_error(path, "cannot write to this file (check its permissions)", e))?;
        }
        Ok(Self { given: path.into(), place })
    }

    /// The regular file that is written, if it is one; its canonical path where it exists.
    pub fn file(&self) -> Option<&Path> {
        match &self.place {
            Place::File(file) => Some(file),
            _ => None,
        }
    }

    /// Whether it is the standard output of this process.
    pub fn is_stdout(&self) -> bool {
        matches!(self.place, Place::Stdout)
    }

    /// Begins a file of `bytes` that is written in any order. Its room on the disk is taken at once where the file system
    /// can do that.
    pub fn positioned(self, bytes: u64) -> Result<PositionedFile, ModelError> {
        let found = match &self.place {
            Place::File(file) => return Ok(PositionedFile(Part::create(&self.given, file, bytes)?)),
            Place::Stdout | Place::Descriptor => "an open descriptor",
            Place::Special(kind) => kind,
        };
        let remedy = "this output is not written from start to end, which takes a file: name one to write";
        Err(ModelError::NotAFile { path: self.given, found, remedy })
    }

    /// Begins a file of `bytes` that is written from start to end. A pipe is waited for until it has a reader.
    pub fn streamed(self, bytes: u64) -> Result<StreamedFile, ModelError> {
        let opened = match &self.place {
            Place::File(file) => {
                let sink = Sink::Part(Part::create(&self.given, file, bytes)?);
                return Ok(StreamedFile { given: self.given, sink, buffer: Vec::new(), bytes });
            }
            Place::Stdout => stdout(),
            // What others have written into it is not ours to overwrite.
            Place::Descriptor => OpenOptions::new().append(true).open(&self.given),
            Place::Special(_) => OpenOptions::new().write(true).open(&self.given),
        };
        let sink = Sink::Through(opened.map_err(|e| io_error(&self.given, "cannot open it for writing", e))?);
        Ok(StreamedFile { given: self.given, sink, buffer: Vec::new(), bytes })
    }
}

/// A file that is written in any order. Dropped before [`PositionedFile::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct PositionedFile(Part);

impl PositionedFile {
    /// Writes bytes at a place. Callable from many threads at once.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<(), ModelError> {
        self.0.write(at, bytes)
    }

    /// Makes sure that all is on the disk, and gives the file its name.
    pub fn finish(self) -> Result<(), ModelError> {
        self.0.finish()
    }
}

/// A file that is written from start to end. Dropped before [`StreamedFile::finish`], it leaves nothing behind; what went
/// into a pipe or a device is gone, though.
#[derive(Debug)]
pub struct StreamedFile {
    given: PathBuf,
    sink: Sink,
    buffer: Vec<u8>,
    /// How many are wanted in all.
    bytes: u64,
}

#[derive(Debug)]
enum Sink {
    Part(Part),
    Through(File),
}

impl StreamedFile {
    /// Writes the next bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    /// Writes what is left. Where it is a file, makes sure that all is on the disk, and gives it its name.
    pub fn finish(mut self) -> Result<(), ModelError> {
        self.flush()?;
        match self.sink {
            Sink::Part(part) => part.cut().and_then(|()| part.finish()),
            Sink::Through(_) => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), ModelError> {
        match &mut self.sink {
            Sink::Part(part) => part.append(&self.buffer)?,
            Sink::Through(file) => file.write_all(&self.buffer).map_err(|e| {
                if part::is_full(&e) {
                    no_room(&self.given, self.bytes, None, e)
                } else {
                    io_error(&self.given, "cannot write to it", e)
                }
            })?,
        }
        self.buffer.clear();
        Ok(())
    }
}

/// Goes from link to link.
fn follow(given: &Path) -> Result<Place, ModelError> {
    let mut path = given.to_path_buf();
    for _ in 0..LINKS {
        let Some(name) = path.file_name() else { return Err(no_name(given)) };
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = parent.canonicalize().map_err(|e| {
            io_error(given, &format!("cannot find the folder `{}`, make it first", parent.display()), e)
        })?;
        let full = folder.join(name);
        if is_of_descriptors(&folder) {
            return Ok(if name == "1" { Place::Stdout } else { Place::Descriptor });
        }
        let failed = |e| io_error(given, "cannot find out what is there", e);
        match full.symlink_metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Place::File(full)),
            Err(e) => return Err(failed(e)),
            Ok(about) if about.is_symlink() => path = folder.join(full.read_link().map_err(failed)?),
            // Some file systems know a name in several spellings.
            Ok(about) if about.is_file() => return Ok(Place::File(full.canonicalize().map_err(failed)?)),
            Ok(about) => return Ok(Place::Special(special_kind(&about))),
        }
    }
    Err(ModelError::Destination {
        path: given.into(),
        what: "too many symbolic links follow each other".into(),
        remedy: "name the file itself",
    })
}

/// Whether what a folder holds are the open descriptors of this process. They look like links to files, but a file in the
/// place of one would never reach whoever holds it.
fn is_of_descriptors(folder: &Path) -> bool {
    folder == "/dev/fd" || Path::new("/proc/self/fd").canonicalize().is_ok_and(|own| folder == own)
}

#[cfg(unix)]
fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    // Another of the same descriptor keeps its place in a file; opening `/dev/stdout` would start from zero.
    io::stdout().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(not(unix))]
fn stdout() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

fn no_name(path: &Path) -> ModelError {
    ModelError::Destination {
        path: path.into(),
        what: "this is a directory".into(),
        remedy: "name the file to write",
    }
}

fn io_error(path: &Path, what: &str, source: io::Error) -> ModelError {
    ModelError::Io { path: path.into(), what: what.into(), source }
}

fn no_room(path: &Path, needed: u64, free: Option<u64>, source: io::Error) -> ModelError {
    ModelError::NoRoom { path: path.into(), needed, free, source }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// The names in a folder, in order.
    fn names(folder: &Path) -> Vec<String> {
        let mut all: Vec<_> = folder
            .read_dir()
            .expect("a folder")
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        all.sort();
        all
    }

    fn write(path: &Path, content: &[u8]) -> Result<(), ModelError> {
        let mut file = Destination::of(path)?.streamed(content.len() as u64)?;
        content.chunks(3).try_for_each(|c| file.write(c))?;
        file.finish()
    }

    #[test]
    fn what_stands_there_stands_until_the_new_file_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        std::fs::write(&path, "precious").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let to = || Destination::of(&path).unwrap();
        assert_eq!(to().file(), Some(path.canonicalize().unwrap().as_path()));

        let mut file = to().streamed(1 << 20).unwrap();
        file.write(&vec![7; 1 << 20]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
        drop(file);
        let file = to().positioned(9).unwrap();
        file.write(4, b"later").unwrap();
        drop(file);
        assert_eq!(
            (names(dir.path()), std::fs::read(&path).unwrap()),
            (vec!["out".into()], b"precious".to_vec())
        );

        let file = to().positioned(9).unwrap();
        file.write(4, b"later").unwrap();
        file.write(0, b"soon").unwrap();
        file.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"soonlater");
        write(&path, b"from start to end").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"from start to end");
        // Who could not read the old file cannot read the new one.
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(dir.path()), ["out"]);
    }

    #[test]
    fn a_stream_that_ends_early_is_as_long_as_what_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let mut file = Destination::of(&path).unwrap().streamed(1000).unwrap();
        file.write(b"short").unwrap();
        file.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"short");
    }

    #[test]
    fn links_are_followed_and_stay_links() {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path();
        std::fs::create_dir(d.join("far")).unwrap();
        std::fs::write(d.join("far/file"), "old").unwrap();
        symlink("far/file", d.join("one")).unwrap();
        symlink(d.join("one"), d.join("two")).unwrap();
        symlink("far/new", d.join("dangling")).unwrap();
        symlink("far", d.join("folder")).unwrap();
        for (path, file) in [("two", "far/file"), ("dangling", "far/new"), ("folder/third", "far/third")] {
            write(&d.join(path), path.as_bytes()).unwrap();
            assert_eq!(std::fs::read(d.join(file)).unwrap(), path.as_bytes(), "{path}");
        }
        for link in ["one", "two", "dangling", "folder"] {
            assert!(d.join(link).symlink_metadata().unwrap().is_symlink(), "{link}");
        }
        assert_eq!(names(&d.join("far")), ["file", "new", "third"]);
    }

    #[test]
    fn paths_that_lead_nowhere_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path();
        symlink("round", d.join("round")).unwrap();
        symlink("no/folder", d.join("away")).unwrap();
        symlink(".", d.join("here")).unwrap();
        for (path, words) in [
            ("", "directory"),
            (".", "directory"),
            ("..", "directory"),
            ("here", "directory"),
            ("new/", "directory"),
            ("no/such/out", "no/such"),
            ("away", "make it first"),
            ("round", "symbolic links"),
        ] {
            let path = if path.is_empty() { PathBuf::new() } else { d.join(path) };
            let e = Destination::of(&path).expect_err(words).to_string();
            assert!(e.contains(words), "{}: {e}", path.display());
        }
        assert_eq!(names(d), ["away", "here", "round"]);
    }

    #[test]
    fn what_is_no_file_is_written_through_or_refused() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let reader = std::thread::spawn({
            let fifo = fifo.clone();
            move || {
                let mut all = Vec::new();
                File::open(fifo).and_then(|mut f| f.read_to_end(&mut all)).map(|_| all)
            }
        });
        write(&fifo, b"through the pipe").unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), b"through the pipe");
        write(Path::new("/dev/null"), b"gone").unwrap();

        for (path, found) in [(fifo.as_path(), "a pipe"), (Path::new("/dev/null"), "a device")] {
            let e = Destination::of(path).unwrap().positioned(1).expect_err(found).to_string();
            assert!(e.contains(found) && e.contains("name one"), "{e}");
            assert!(!path.metadata().unwrap().is_file());
        }
        assert!(Destination::of(Path::new("/dev/stdout")).unwrap().is_stdout());
        assert_eq!(names(dir.path()), ["fifo"]);
    }

    /// What others have written into a file that is open here must not be lost.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_open_descriptor_is_appended_to() {
        use std::os::fd::AsRawFd;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, "before, ").unwrap();
        let open = OpenOptions::new().append(true).open(&path).unwrap();
        for folder in ["/dev/fd", "/proc/self/fd"] {
            let fd = Path::new(folder).join(open.as_raw_fd().to_string());
            write(&fd, b"after, ").unwrap();
            Destination::of(&fd).unwrap().positioned(1).expect_err("a descriptor");
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"before, after, after, ");
        assert_eq!(names(dir.path()), ["log"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_room_says_what_was_needed() {
        let e = write(Path::new("/dev/full"), &[0; 2048]).expect_err("full");
        assert!(matches!(e, ModelError::NoRoom { needed: 2048, free: None, .. }), "{e:?}");
        assert!(e.to_string().contains("2.00 KiB needed; free some space"), "{e}");
    }

    /// More than any disk has, so that no disk has to be filled.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_disk_without_room_is_known_before_anything_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        std::fs::write(&path, "precious").unwrap();
        let e = Destination::of(&path).unwrap().positioned(1 << 50).expect_err("too large");
        assert!(matches!(e, ModelError::NoRoom { needed, .. } if needed == 1 << 50), "{e:?}");
        assert!(e.to_string().contains("1024.00 TiB needed"), "{e}");
        assert_eq!(
            (names(dir.path()), std::fs::read(&path).unwrap()),
            (vec!["out".into()], b"precious".to_vec())
        );
    }
}
