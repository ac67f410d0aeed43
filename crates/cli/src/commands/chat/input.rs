//! What the user says: lines that a person edits, or lines of a pipe or a file.

use crate::error::CliError;
use crate::interrupt;
use crate::output::Output;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::io::{BufRead, BufReader, IsTerminal, Read, Stdin};
use std::path::PathBuf;

/// The longest line of a pipe: more than any context holds, and an input without end stops here.
const MAX_LINE: u64 = 16 << 20;

/// Where lines come from.
pub(super) enum Input {
    /// A person.
    Terminal(Box<Terminal>),
    /// A program or a file.
    Pipe(Pipe),
}

/// One line.
pub(super) enum Line {
    Text(String),
    /// There are no more.
    End,
    /// The user wants to leave.
    Interrupted,
}

pub(super) struct Terminal {
    editor: DefaultEditor,
    /// Where lines are remembered; `None` where there is no folder for it.
    history: Option<PathBuf>,
}

pub(super) struct Pipe {
    reader: BufReader<Stdin>,
    /// Bytes read so far.
    offset: usize,
}

impl Input {
    pub(super) fn open() -> Result<Self, CliError> {
        if !std::io::stdin().is_terminal() {
            return Ok(Self::Pipe(Pipe { reader: BufReader::new(std::io::stdin()), offset: 0 }));
        }
        let mut editor = DefaultEditor::new()
            .map_err(|e| CliError::Other(format!("cannot use the terminal: {e}; use `akunu run` instead")))?;
        // A missing or unwritable history is no reason not to talk.
        let history = akunu_hub::cache_dir().ok().filter(|folder| std::fs::create_dir_all(folder).is_ok());
        let history = history.map(|folder| folder.join("chat_history"));
        if let Some(path) = &history {
            let _ = editor.load_history(path);
        }
        Ok(Self::Terminal(Box::new(Terminal { editor, history })))
    }

    /// Whether a person types.
    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Self::Terminal(_))
    }

    /// The next line, with its continuations.
    pub(super) fn read(&mut self, out: &Output) -> Result<Line, CliError> {
        let mut text = String::new();
        loop {
            let line = match self {
                Self::Terminal(t) => t.line(if text.is_empty() { "> " } else { ". " }, out)?,
                Self::Pipe(p) => p.line()?,
            };
            match (line, text.is_empty()) {
                (Line::Text(line), _) => match line.strip_suffix('\\') {
                    Some(more) => {
                        text.push_str(more);
                        text.push('\n');
                    }
                    None => {
                        text.push_str(&line);
                        break;
                    }
                },
                // A last line that wants to go on is one all the same.
                (Line::End, false) => break,
                (other, _) => return Ok(other),
            }
        }
        if let Self::Terminal(t) = self {
            t.remember(text.trim());
        }
        Ok(Line::Text(text))
    }
}

impl Terminal {
    fn line(&mut self, prompt: &str, out: &Output) -> Result<Line, CliError> {
        let mut again = false;
        loop {
            match interrupt::waiting(|| self.editor.readline(prompt)) {
                Ok(line) => return Ok(Line::Text(line)),
                Err(ReadlineError::Interrupted) if again => return Ok(Line::Interrupted),
                // It drops the line.
                Err(ReadlineError::Interrupted) => {
                    again = true;
                    out.note("Ctrl-C again leaves, as do Ctrl-D and /quit");
                }
                Err(ReadlineError::Eof) => return Ok(Line::End),
                Err(e) => return Err(CliError::Other(format!("cannot read the terminal: {e}"))),
            }
        }
    }

    /// Puts a line into the history, and that into its file: whatever ends the process, the line is kept.
    fn remember(&mut self, line: &str) {
        if !line.is_empty()
            && self.editor.add_history_entry(line).is_ok_and(|new| new)
            && let Some(path) = &self.history
        {
            let _ = self.editor.append_history(path);
        }
    }
}

impl Pipe {
    fn line(&mut self) -> Result<Line, CliError> {
        let mut bytes = Vec::new();
        let mut bounded = (&mut self.reader).take(MAX_LINE);
        let read = interrupt::waiting(|| bounded.read_until(b'\n', &mut bytes));
        let count = read.map_err(|source| CliError::File { path: "standard input".into(), source })?;
        if count as u64 == MAX_LINE && !bytes.ends_with(b"\n") {
            return Err(CliError::Other(format!(
                "standard input: a line is longer than {} MiB; give shorter ones",
                MAX_LINE >> 20
            )));
        }
        let start = self.offset;
        self.offset += count;
        let text = String::from_utf8(bytes).map_err(|e| CliError::Utf8 {
            what: "standard input".into(),
            offset: start + e.utf8_error().valid_up_to(),
        })?;
        // A byte-order mark is no text.
        let text = if start == 0 { text.trim_start_matches('\u{feff}') } else { &text };
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        Ok(if count == 0 { Line::End } else { Line::Text(text.to_owned()) })
    }
}
