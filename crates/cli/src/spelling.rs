//! From the words that a person typed to those that the parser knows: options before the command are put after it,
//! spellings of other programs are translated, options that ask for what happens anyway are left out, and an option that
//! is not there gets the name of the one that was meant.
//!
//! Values are never looked at: the word after an option that takes one stays as it is, and so does all text after `--`.

use crate::error::CliError;
use crate::habits::{COMMANDS, FOREIGN, Foreign, ONE_DASH, Value};
use clap::{Arg, Command};
use std::ffi::OsString;
use std::path::Path;

/// Commands that are named before the rest becomes "and others".
const NAMED: usize = 4;

/// All commands with their options.
pub(crate) struct Grammar(Command);

/// An option of ours in a word.
pub(crate) struct Found<'a> {
    pub(crate) arg: &'a Arg,
    /// The word as the parser spells it.
    spelled: String,
    /// Its value is the next word.
    pub(crate) next: bool,
}

impl Grammar {
    pub(crate) fn of(mut all: Command) -> Self {
        all.build();
        Self(all)
    }

    /// The whole program.
    pub(crate) fn root(&self) -> &Command {
        &self.0
    }

    /// A command, by any of its names.
    pub(crate) fn command(&self, word: &str) -> Option<&Command> {
        self.0.find_subcommand(word)
    }

    /// The arguments of a process as the parser spells them.
    pub(crate) fn rewrite(&self, given: Vec<OsString>) -> Result<Vec<OsString>, CliError> {
        let mut given = given.into_iter();
        let mut out: Vec<OsString> = given.next().into_iter().collect();
        let rest: Vec<OsString> = given.collect();
        let Some((at, moved)) = self.command_word(&rest, &mut out)? else { return Ok(out) };
        let Some(command) = rest[at].to_str().and_then(|w| self.command(w)) else {
            return Err(self.no_command(&rest[at].to_string_lossy()));
        };
        out.push(rest[at].clone());
        if command.get_name() == "help" {
            out.extend_from_slice(&rest[at + 1..]);
            return Ok(out);
        }
        let words: Vec<OsString> = moved.into_iter().chain(rest.into_iter().skip(at + 1)).collect();
        self.translate(command, &words, &mut out)?;
        Ok(out)
    }

    /// Finds the command among the words. What stands before it and is everybody's goes to `out`, the rest is returned.
    /// `None` where there is no command, and all went to `out`.
    fn command_word(
        &self,
        words: &[OsString],
        out: &mut Vec<OsString>,
    ) -> Result<Option<(usize, Vec<OsString>)>, CliError> {
        let (mut moved, mut at) = (Vec::new(), 0);
        while let Some(word) = words.get(at) {
            let text = word.to_string_lossy();
            if text == "--" || !is_option(&text) {
                return Ok(Some((at, moved)));
            }
            at += 1;
            if find(&self.0, &text).is_some() {
                out.push(word.clone());
                continue;
            }
            let Some(takes) = self.takes_value(&text, words.get(at)) else {
                return Err(self.unknown(None, &text));
            };
            moved.push(word.clone());
            if takes && let Some(value) = words.get(at) {
                moved.push(value.clone());
                at += 1;
            }
        }
        match moved.first() {
            None => Ok(None),
            Some(first) => Err(CliError::Usage(format!(
                "no command is given, only its options ({} …); `akunu run -m MODEL -p PROMPT` answers a prompt, and \
                 `akunu --help` lists the commands",
                first.to_string_lossy()
            ))),
        }
    }

    /// Whether an option of any command takes the next word as its value; `None` where no command has it.
    fn takes_value(&self, word: &str, next: Option<&OsString>) -> Option<bool> {
        let ours = self.0.get_subcommands().find_map(|c| find(c, word)).map(|f| f.next);
        let attached = word.contains('=');
        let theirs = || {
            let f = foreign(word.split('=').next().unwrap_or(word))?;
            Some(!attached && f.takes(next.map(|n| n.to_string_lossy()).as_deref()))
        };
        // A spelling of another program may look like a short option with its value attached.
        theirs().or(ours)
    }

    fn translate(
        &self,
        command: &Command,
        words: &[OsString],
        out: &mut Vec<OsString>,
    ) -> Result<(), CliError> {
        let all: Vec<String> = words.iter().map(|w| w.to_string_lossy().into_owned()).collect();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let text = all[at].as_str();
            at += 1;
            if text == "--" {
                out.push(word.clone());
                out.extend_from_slice(&words[at..]);
                return Ok(());
            }
            if !is_option(text) || word.to_str().is_none() {
                out.push(word.clone());
                continue;
            }
            if let Some(f) = find(command, text).filter(|f| f.is_sure()) {
                out.push(f.spelled.into());
                if f.next
                    && let Some(value) = words.get(at)
                {
                    out.push(value.clone());
                    at += 1;
                }
                continue;
            }
            let (name, attached) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            if let Some(f) = foreign(name).filter(|f| f.concerns(command)) {
                let next = attached.is_none() && f.takes(all.get(at).map(String::as_str));
                let value = attached.or_else(|| next.then(|| all.get(at).map(String::as_str)).flatten());
                if !f.fine.holds(value.unwrap_or_default(), &all) {
                    return Err(CliError::Usage(format!("{text}: {}", f.why)));
                }
                at += usize::from(next);
                continue;
            }
            match find(command, text) {
                Some(f) if !self.looks_like_a_slip(command, text) => {
                    out.push(f.spelled.into());
                    if f.next
                        && let Some(value) = words.get(at)
                    {
                        out.push(value.clone());
                        at += 1;
                    }
                }
                _ => return Err(self.unknown(Some(command), text)),
            }
        }
        Ok(())
    }

    /// Whether a short option with its value attached (`-nlg`, `-prompt`) is rather a slip of a longer name.
    fn looks_like_a_slip(&self, command: &Command, word: &str) -> bool {
        let typed = word.trim_start_matches('-');
        if ONE_DASH.iter().any(|(name, _)| *name == word) {
            // It is another command's.
            return true;
        }
        // After one letter there is no name yet, and a digit or a sign after it begins a value.
        if typed.len() < 3 || typed.chars().nth(1).is_some_and(|c| !c.is_alphabetic()) {
            return false;
        }
        let near = |n: &String| n.len() > 3 && distance(n.trim_start_matches('-'), typed) <= 1;
        names(command).iter().any(near)
            || self.0.get_subcommands().flat_map(names).any(|n| n.trim_start_matches('-') == typed)
    }

    /// The error of an option that a command does not have.
    fn unknown(&self, command: Option<&Command>, word: &str) -> CliError {
        let name = word.split('=').next().unwrap_or(word);
        let akunu = command.map_or("akunu".to_owned(), |c| format!("akunu {}", c.get_name()));
        let near = match command {
            Some(c) => nearest(name, names(c)),
            None => nearest(name, self.0.get_subcommands().chain([&self.0]).flat_map(names).collect()),
        };
        let others: Vec<&str> = self
            .0
            .get_subcommands()
            .filter(|c| find(c, name).is_some_and(|f| f.is_sure()))
            .map(Command::get_name)
            .collect();
        let exact = near.as_ref().is_some_and(|n| n.trim_start_matches('-') == name.trim_start_matches('-'));
        CliError::Usage(match (near, others.as_slice()) {
            (Some(near), _) if exact => format!("`{akunu}` has no option '{name}'; did you mean '{near}'?"),
            (_, [_, ..]) => {
                let named: Vec<String> = others.iter().take(NAMED).map(|c| format!("`{c}`")).collect();
                let more = if others.len() > NAMED { " and others" } else { "" };
                format!("`{akunu}` has no option '{name}'; it belongs to {}{more}", named.join(", "))
            }
            (Some(near), _) => format!("`{akunu}` has no option '{name}'; did you mean '{near}'?"),
            (None, _) => {
                let text = match command.map(Command::get_name) {
                    Some("run" | "tokenize") => {
                        "; text that begins with a dash is given with -p, or after --"
                    }
                    _ => "",
                };
                format!("`{akunu}` has no option '{word}'; `{akunu} --help` lists them{text}")
            }
        })
    }

    /// The error of a word that is no command.
    fn no_command(&self, word: &str) -> CliError {
        if let Some((_, why)) = COMMANDS.iter().find(|(name, _)| *name == word) {
            return CliError::Usage(format!("akunu has no command '{word}': {why}"));
        }
        let model = Path::new(word).exists()
            || word.starts_with("hf:")
            || word.contains(".gguf")
            || akunu_hub::ALIASES.iter().any(|a| a.name.eq_ignore_ascii_case(word));
        if model {
            let quoted = if word.contains(' ') { format!("'{word}'") } else { word.to_owned() };
            return CliError::Usage(format!(
                "akunu has no command '{word}'; to use this model: akunu run {quoted} \"PROMPT\", or akunu chat {quoted}"
            ));
        }
        let all = self.0.get_subcommands().flat_map(|c| c.get_name_and_visible_aliases()).map(str::to_owned);
        CliError::Usage(match nearest(word, all.collect()) {
            Some(near) => format!("akunu has no command '{word}'; did you mean '{near}'?"),
            None => format!("akunu has no command '{word}'; `akunu --help` lists them"),
        })
    }
}

impl Found<'_> {
    /// Whether the whole word is the option, so that it can mean nothing else.
    fn is_sure(&self) -> bool {
        self.spelled.starts_with("--") || self.spelled.len() == 2
    }
}

impl Foreign {
    fn concerns(&self, command: &Command) -> bool {
        if self.commands.is_empty() {
            names(command).iter().any(|n| n == "--cache-type-k")
        } else {
            self.commands.contains(&command.get_name())
        }
    }

    /// Whether the next word is its value.
    fn takes(&self, next: Option<&str>) -> bool {
        match self.value {
            Value::None => false,
            Value::One => next.is_some(),
            Value::Perhaps(known) => next.is_some_and(|n| known.contains(&n)),
        }
    }
}

/// The foreign option of that name; underscores count as dashes.
fn foreign(name: &str) -> Option<&'static Foreign> {
    let dashed = name.replace('_', "-");
    FOREIGN.iter().find(|f| f.names.contains(&dashed.as_str()))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The option of `command` that `word` is.
pub(crate) fn find<'a>(command: &'a Command, word: &str) -> Option<Found<'a>> {
    let (name, attached) = word.split_once('=').map_or((word, None), |(n, v)| (n, Some(v)));
    let translated = ONE_DASH.iter().find(|(short, _)| *short == name).map(|(_, long)| *long);
    if let Some(long) = translated.or(Some(name)).filter(|n| n.starts_with("--"))
        && let Some(arg) = command.get_arguments().find(|a| longs(a).contains(&&long[2..]))
    {
        let spelled = attached.map_or_else(|| long.to_owned(), |v| format!("{long}={v}"));
        let next = attached.is_none() && arg.get_action().takes_values();
        return Some(Found { arg, spelled, next });
    }
    if name.starts_with("--") {
        return None;
    }
    // Letters of switches, then perhaps one of an option with its value.
    let letters = &word[1..];
    for (i, letter) in letters.char_indices() {
        let arg = command.get_arguments().find(|a| shorts(a).contains(&letter))?;
        let last = i + letter.len_utf8() == letters.len();
        if arg.get_action().takes_values() || last {
            return Some(Found {
                arg,
                spelled: word.to_owned(),
                next: last && arg.get_action().takes_values(),
            });
        }
    }
    None
}

fn longs(arg: &Arg) -> Vec<&str> {
    arg.get_long().into_iter().chain(arg.get_all_aliases().unwrap_or_default()).collect()
}

fn shorts(arg: &Arg) -> Vec<char> {
    arg.get_short().into_iter().chain(arg.get_all_short_aliases().unwrap_or_default()).collect()
}

/// Every spelling of every option of a command.
fn names(command: &Command) -> Vec<String> {
    let mut all = Vec::new();
    for arg in command.get_arguments() {
        all.extend(longs(arg).iter().map(|l| format!("--{l}")));
        all.extend(shorts(arg).iter().map(|s| format!("-{s}")));
    }
    let there = |long: &str| all.iter().any(|n| n == long);
    let more: Vec<String> = ONE_DASH.iter().filter(|(_, l)| there(l)).map(|(s, _)| (*s).to_owned()).collect();
    all.extend(more);
    all
}

/// The known name nearest to `typed`, if it is near enough to be a slip.
pub(crate) fn nearest(typed: &str, known: Vec<String>) -> Option<String> {
    let bare = |s: &str| s.trim_start_matches('-').replace('_', "-");
    let wanted = bare(typed);
    // One or two letters are another name's slip only in their case.
    let limit = match wanted.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let measured = known.into_iter().map(|k| {
        let other = bare(&k);
        let d = distance(&other.to_lowercase(), &wanted.to_lowercase());
        (d, usize::from(other != wanted), k)
    });
    measured.filter(|m| m.0 <= limit).min().map(|m| m.2)
}

/// Insertions, deletions, replacements and swaps of neighbours between two names.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}
