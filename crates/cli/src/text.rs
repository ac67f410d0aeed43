//! Text that the user gives in a file or through standard input: bounded before it is read, and checked to be text.

use crate::error::CliError;
use crate::output::Output;
use std::fs::File;
use std::io::{BufRead, IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

/// How long standard input may stay open before a person is told what is being waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The byte-order mark.
const MARK: char = '\u{feff}';

/// How much is read. What goes on after that is an error, so that an endless input takes no endless memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// 64 MiB: four bytes for each of the 16,777,216 tokens of the longest context that --ctx takes.
    Prompt,
    /// 1 GiB: the usual texts to measure models on end below that. They are cut into windows, so no context bounds them.
    Corpus,
}

impl Bound {
    fn bytes(self) -> u64 {
        match self {
            Self::Prompt => 64 << 20,
            Self::Corpus => 1 << 30,
        }
    }
}

/// A text file.
pub(crate) fn read_text(path: &Path, bound: Bound) -> Result<String, CliError> {
    let name = path.display().to_string();
    let fail = |source| CliError::File { path: name.clone(), source };
    let file = File::open(path).map_err(fail)?;
    let about = file.metadata().map_err(fail)?;
    if about.is_file() && about.len() > bound.bytes() {
        return Err(too_long(&name, bound));
    }
    text(bounded(file, bound).map_err(fail)?, &name, bound)
}

/// Standard input to its end, where it is no terminal. Text that is on its way cannot be told from a pipe that
/// somebody forgot to close, and text must not be lost: so this waits, and says for what.
pub(crate) fn piped_stdin(out: &Output) -> Result<Option<String>, CliError> {
    if std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        // The receiver waits for ever, so it is there.
        let _ = send.send(bounded(std::io::stdin().lock(), Bound::Prompt));
    });
    let read = receive.recv_timeout(PATIENCE).or_else(|_| {
        out.notice("waiting for the end of standard input, which is a pipe; give </dev/null to read nothing");
        receive.recv()
    });
    let bytes = read
        .unwrap_or_else(|e| Err(std::io::Error::other(e)))
        .map_err(|source| CliError::File { path: "standard input".into(), source })?;
    Ok(Some(text(bytes, "standard input", Bound::Prompt)?))
}

/// The next line without its end; `None` after the last one. Of a line that is longer than the bound only that is known: the rest
/// is passed over. The inner result is the line's own; the outer one says that there is no reading on.
pub(crate) fn next_line(
    from: &mut dyn BufRead,
    what: &str,
    bound: Bound,
) -> std::io::Result<Option<Result<String, CliError>>> {
    let most = bound.bytes() as usize;
    let (mut line, mut length, mut ended) = (Vec::new(), 0u64, false);
    while !ended {
        let there = match from.fill_buf() {
            Ok(there) => there,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        if there.is_empty() {
            if length == 0 {
                return Ok(None);
            }
            break;
        }
        let end = there.iter().position(|b| *b == b'\n');
        let part = &there[..end.unwrap_or(there.len())];
        // One byte more than may be shows that it is too long.
        let kept = part.len().min((most + 1).saturating_sub(line.len()));
        line.extend_from_slice(&part[..kept]);
        let used = part.len() + usize::from(end.is_some());
        length += used as u64;
        ended = end.is_some();
        from.consume(used);
        if length > Bound::Corpus.bytes() {
            // It may never end.
            return Err(std::io::Error::other("a line has more than 1 GiB, so this is no file of lines"));
        }
    }
    Ok(Some(text(line, what, bound)))
}

/// All bytes, or one more than may be.
fn bounded(from: impl Read, bound: Bound) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(bound.bytes() + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Bytes as text, without the byte-order mark that some editors put first.
fn text(bytes: Vec<u8>, what: &str, bound: Bound) -> Result<String, CliError> {
    if bytes.len() as u64 > bound.bytes() {
        return Err(too_long(what, bound));
    }
    if let Some(encoding) = wide_encoding(&bytes) {
        return Err(CliError::Wide { what: what.into(), encoding });
    }
    let mut text = String::from_utf8(bytes)
        .map_err(|e| CliError::Utf8 { what: what.into(), offset: e.utf8_error().valid_up_to() })?;
    if let Some(offset) = text.find('\0') {
        return Err(CliError::Nul { what: what.into(), offset });
    }
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    Ok(text)
}

/// The encoding that a byte-order mark announces, where it is not UTF-8.
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        _ => None,
    }
}

fn too_long(what: &str, bound: Bound) -> CliError {
    let limit = bound.bytes();
    CliError::TooLong {
        what: what.into(),
        limit,
        why: match bound {
            Bound::Prompt => "which is more than the longest context can hold; give a shorter prompt",
            Bound::Corpus => "which is more than is read at once; give a part of it",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Result<String, CliError> {
        text(bytes.to_vec(), "it", Bound::Prompt)
    }

    #[test]
    fn marks_are_dropped_and_other_encodings_are_named() {
        assert_eq!(of(b"\xef\xbb\xbfabc").unwrap(), "abc");
        assert_eq!(of(b"\xef\xbb\xbf").unwrap(), "");
        // Elsewhere it is a character.
        assert_eq!(of("a\u{feff}b".as_bytes()).unwrap(), "a\u{feff}b");
        for (bytes, word) in [
            (&b"\xff\xfeh\0i\0"[..], "UTF-16"),
            (b"\xfe\xff\0h\0i", "UTF-16"),
            (b"\xff\xfe\0\0h\0\0\0", "UTF-32"),
            (b"\0\0\xfe\xff\0\0\0h", "UTF-32"),
            (b"h\0i\0", "NUL byte at 1"),
            (b"abc\xff\xfe", "byte 3"),
            (b"\xef\xbb\xbfabc\xff", "byte 6"),
        ] {
            let e = of(bytes).expect_err(word).to_string();
            assert!(e.contains(word) && e.starts_with("it"), "{e}");
        }
    }

    #[test]
    fn a_line_that_never_ends_is_no_line() {
        let mut from = std::io::BufReader::with_capacity(1 << 20, std::io::repeat(0));
        let e = next_line(&mut from, "it", Bound::Prompt).expect_err("endless");
        assert!(e.to_string().contains("1 GiB"), "{e}");
    }

    /// With a buffer that splits lines and characters.
    #[test]
    fn lines_come_one_by_one_whatever_the_buffer() {
        let bytes = "one\n\ntw\u{f6}\r\n\u{feff}three\n".as_bytes();
        let all: Vec<u8> = [bytes, b"b\xffd\nlast"].concat();
        for size in 1..20 {
            let mut from = std::io::BufReader::with_capacity(size, &all[..]);
            let mut next = || next_line(&mut from, "it", Bound::Prompt).unwrap();
            for want in ["one", "", "tw\u{f6}\r", "three"] {
                assert_eq!(next().unwrap().unwrap(), want, "{size}");
            }
            assert!(next().unwrap().unwrap_err().to_string().contains("byte 1"));
            assert_eq!(next().unwrap().unwrap(), "last");
            assert!(next().is_none());
        }
    }

    #[test]
    fn a_line_beyond_the_bound_is_passed_over() {
        let long = std::io::repeat(b'x').take((64 << 20) + 5);
        let mut from = std::io::BufReader::new(long.chain(&b"\nnext\n"[..]));
        let first = next_line(&mut from, "it", Bound::Prompt).unwrap().unwrap();
        assert!(first.unwrap_err().to_string().contains("64 MiB"));
        assert_eq!(next_line(&mut from, "it", Bound::Prompt).unwrap().unwrap().unwrap(), "next");
        assert!(next_line(&mut from, "it", Bound::Prompt).unwrap().is_none());
    }

    #[test]
    fn endless_input_ends_at_the_bound() {
        let bytes = bounded(std::io::repeat(b'x'), Bound::Prompt).unwrap();
        assert_eq!(bytes.len(), (64 << 20) + 1);
        let e = text(bytes, "it", Bound::Prompt).expect_err("too long").to_string();
        assert!(e.contains("64 MiB") && e.contains("shorter"), "{e}");
    }
}
