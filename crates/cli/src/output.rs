//! What a person sees and what a program reads: text, colours and progress on a terminal, JSON where asked for.

use crate::error::CliError;
use akunu::LoadProgress;
use akunu_hub::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};

/// How to print.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    json: bool,
    colour: bool,
    bars: bool,
    quiet: bool,
}

/// What a person said to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    Yes,
    No,
    /// There is no terminal to ask on.
    Nobody,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let stderr = std::io::stderr().is_terminal();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        Self { json, colour: stderr && !plain, bars: stderr && !json, quiet: false }
    }

    /// Without remarks and progress; errors stay.
    pub(crate) fn quieted(self) -> Self {
        Self { bars: false, quiet: true, ..self }
    }

    /// Whether a program reads.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether standard output is a terminal that may show text dimmed.
    pub(crate) fn dims(&self) -> bool {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        !self.json && !plain && std::io::stdout().is_terminal()
    }

    /// Text to standard output, at once.
    pub(crate) fn text(&self, s: &str) -> Result<(), CliError> {
        let mut o = std::io::stdout().lock();
        o.write_all(s.as_bytes()).and_then(|()| o.flush()).map_err(CliError::Stdout)
    }

    /// A line to standard output.
    pub(crate) fn line(&self, s: &str) -> Result<(), CliError> {
        self.text(&format!("{s}\n"))
    }

    /// One JSON object to standard output.
    pub(crate) fn json(&self, v: &Value) -> Result<(), CliError> {
        self.line(&v.to_string())
    }

    /// A remark to standard error, for people only.
    pub(crate) fn note(&self, s: &str) {
        if self.json || self.quiet {
            return;
        }
        to_stderr(&if self.colour { format!("\x1b[2m{s}\x1b[0m") } else { s.to_owned() });
    }

    /// A remark that a program's author needs, too.
    pub(crate) fn notice(&self, s: &str) {
        if self.json && !self.quiet {
            to_stderr(&json!({ "notice": s }).to_string());
        } else {
            self.note(s);
        }
    }

    /// An error to standard error.
    pub(crate) fn error(&self, e: &CliError) {
        to_stderr(&if self.json {
            json!({ "error": { "kind": e.kind(), "message": e.to_string() } }).to_string()
        } else if self.colour {
            format!("\x1b[1;31merror:\x1b[0m {e}")
        } else {
            format!("error: {e}")
        });
    }

    /// Asks, where a person can answer. A question is no remark: it is asked in quiet, too.
    pub(crate) fn consent(&self, question: &str) -> Consent {
        if self.json || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Consent::Nobody;
        }
        let mut answer = String::new();
        let mut err = std::io::stderr().lock();
        let asked = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
        match asked.and_then(|()| std::io::stdin().read_line(&mut answer)) {
            Ok(_) if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) => Consent::Yes,
            Ok(_) => Consent::No,
            Err(_) => Consent::Nobody,
        }
    }

    /// A bar of steps, hidden where nobody looks.
    pub(crate) fn steps(&self, what: &str, total: u64) -> ProgressBar {
        if !self.bars {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(total);
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        bar
    }

    /// A count of answers, of so many as are known so far, hidden where nobody looks.
    pub(crate) fn answers(&self) -> ProgressBar {
        if !self.bars {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} answered{msg}") {
            bar.set_style(style);
        }
        bar
    }

    /// A bar of bytes, hidden where nobody looks.
    fn bytes_bar(&self, what: &str, total: Option<u64>) -> ProgressBar {
        if !self.bars {
            return ProgressBar::hidden();
        }
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let template = if total.is_some() {
            "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}"
        } else {
            "{msg} {spinner} {bytes} {bytes_per_sec}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        bar
    }

    /// The bar of a model's loading.
    pub(crate) fn loading(&self) -> impl FnMut(LoadProgress) + use<> {
        let bar = self.bytes_bar("loading", Some(1));
        move |p| {
            bar.set_length(p.total_bytes);
            bar.set_position(p.done_bytes);
            if p.done_bytes >= p.total_bytes {
                bar.finish_and_clear();
            }
        }
    }

    /// The bars of a download.
    pub(crate) fn fetching(&self) -> impl FnMut(Progress<'_>) {
        let mut bar: Option<ProgressBar> = None;
        move |p| match p {
            Progress::Notice(line) => self.note(line),
            Progress::Start { what, total, done, .. } => {
                if let Some(b) = bar.take() {
                    b.finish_and_clear();
                }
                let b = self.bytes_bar(what, total);
                b.set_position(done);
                bar = Some(b);
            }
            Progress::Advance { done, total } => {
                if let Some(b) = &bar {
                    if let Some(t) = total {
                        b.set_length(t);
                    }
                    b.set_position(done);
                }
            }
            Progress::Finish { .. } => {
                if let Some(b) = bar.take() {
                    b.finish_and_clear();
                }
            }
        }
    }
}

/// A line to standard error. Where nobody can read it there is nobody to tell, and no reason to fail.
fn to_stderr(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// A table with aligned columns; numbers (by the header's leading `>`) to the right.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let right: Vec<bool> = header.iter().map(|h| h.starts_with('>')).collect();
    let head: Vec<String> = header.iter().map(|h| h.trim_start_matches('>').to_owned()).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&head).chain(rows).collect();
    let widths: Vec<usize> =
        (0..head.len()).map(|i| all.iter().map(|r| r[i].chars().count()).max().unwrap_or(0)).collect();
    let mut out = String::new();
    for row in all {
        let mut line = String::new();
        for (i, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[i] - cell.chars().count());
            line.push_str(&if right[i] { format!("{pad}{cell}  ") } else { format!("{cell}{pad}  ") });
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
