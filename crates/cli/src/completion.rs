//! What a shell offers after TAB. All of it is decided here; the shells' scripts ask `akunu __complete WORDS...`, whose last
//! word is the one under the cursor, and print the answer: one candidate per line, a tab, and what it is. A line
//! without a candidate says that files fit, too.

use crate::args;
use crate::spelling::{Grammar, find};
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;

/// The hidden command.
pub(crate) const COMMAND: &str = "__complete";

/// A word that fits, and what it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    word: String,
    about: String,
}

/// What fits.
#[derive(Debug, Default)]
pub(crate) struct Fitting {
    words: Vec<Candidate>,
    files: bool,
}

/// Models for completion; a function of its own, so that tests need no cache.
pub(crate) trait Models {
    /// (name, what it is) of all that can be used.
    fn all(&self) -> Vec<(String, String)>;
    /// The same of those in the cache.
    fn cached(&self) -> Vec<(String, String)>;
}

/// Those of the user's cache.
struct Cache;

impl Models for Cache {
    fn all(&self) -> Vec<(String, String)> {
        let aliases = akunu_hub::ALIASES.iter().map(|a| (a.name.to_owned(), a.about.to_owned()));
        let mut all: Vec<_> = aliases.collect();
        all.extend(self.cached().into_iter().filter(|m| !all.iter().any(|a| a.0 == m.0)).collect::<Vec<_>>());
        all
    }

    fn cached(&self) -> Vec<(String, String)> {
        // Without a cache there is nothing to offer.
        let listed = akunu_hub::list().unwrap_or_default();
        listed.into_iter().map(|m| (m.name, crate::units::bytes(m.bytes))).collect()
    }
}

/// Answers a shell.
pub(crate) fn answer(words: &[std::ffi::OsString]) -> u8 {
    let words: Vec<String> = words.iter().map(|w| w.to_string_lossy().into_owned()).collect();
    let fitting = fitting(&Grammar::of(args::command()), &words, &Cache);
    let mut text = String::new();
    for c in &fitting.words {
        text.push_str(&format!("{}\t{}\n", c.word, c.about));
    }
    if fitting.files {
        text.push_str("\tfiles\n");
    }
    // A shell that went away needs no answer.
    let _ = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
    0
}

/// The script for a shell.
pub(crate) fn script(shell: Shell) -> Vec<u8> {
    match shell {
        Shell::Bash => include_str!("completion/akunu.bash").into(),
        Shell::Zsh => include_str!("completion/akunu.zsh").into(),
        Shell::Fish => include_str!("completion/akunu.fish").into(),
        other => {
            // Commands, options and fixed values, as the parser's own generator has them.
            let mut script = Vec::new();
            clap_complete::generate(other, &mut args::command(), "akunu", &mut script);
            script
        }
    }
}

/// What fits in the place of the last word.
pub(crate) fn fitting(grammar: &Grammar, words: &[String], models: &dyn Models) -> Fitting {
    let (current, before) = match words.split_last() {
        Some((last, before)) => (last.as_str(), before),
        None => ("", words),
    };
    let mut command: Option<&Command> = None;
    let (mut places, mut text, mut value) = (0, false, None);
    for word in before {
        if value.take().is_some() {
            continue;
        }
        if word == "--" {
            text = true;
        } else if !text && word.len() > 1 && word.starts_with('-') {
            let found = match command {
                Some(c) => find(c, word),
                // Before the command stand options of any.
                None => grammar.root().get_subcommands().find_map(|c| find(c, word)),
            };
            value = found.filter(|f| f.next).map(|f| f.arg);
        } else if command.is_none() {
            command = grammar.command(word);
            if command.is_none() {
                return Fitting::default();
            }
        } else {
            places += 1;
        }
    }
    let mut fitting = Fitting::default();
    if let Some(arg) = value {
        fitting.values(arg, "", command, models);
    } else if let (Some(c), false, Some((option, _))) = (command, text, current.split_once('=')) {
        if let Some(found) = find(c, option).filter(|f| f.next) {
            fitting.values(found.arg, &format!("{option}="), command, models);
        }
    } else if !text && current.starts_with('-') {
        fitting.options(command.unwrap_or(grammar.root()));
    } else if let Some(c) = command {
        let positionals: Vec<&Arg> = c.get_positionals().collect();
        let many = |a: &&&Arg| a.get_num_args().is_some_and(|n| n.max_values() > 1);
        if let Some(arg) = positionals.get(places).or(positionals.last().filter(many)) {
            fitting.values(arg, "", command, models);
        }
    } else {
        for c in grammar.root().get_subcommands() {
            fitting.add(c.get_name(), c.get_about().map(ToString::to_string).unwrap_or_default());
        }
    }
    fitting.words.retain(|c| c.word.starts_with(current));
    // A name on the hub is no path.
    fitting.files &= !current.starts_with("hf:");
    fitting
}

impl Fitting {
    fn add(&mut self, word: &str, about: String) {
        let about = about.lines().next().unwrap_or_default().to_owned();
        self.words.push(Candidate { word: word.to_owned(), about });
    }

    /// The values of an option or a place, each after `prefix`.
    fn values(&mut self, arg: &Arg, prefix: &str, command: Option<&Command>, models: &dyn Models) {
        for v in arg.get_possible_values().iter().filter(|v| !v.is_hide_set()) {
            let about = v.get_help().map(ToString::to_string).unwrap_or_default();
            self.add(&format!("{prefix}{}", v.get_name()), about);
        }
        let name = arg.get_value_names().and_then(|n| n.first()).map_or("", |n| n.as_str());
        if matches!(name, "MODEL" | "REFERENCE") {
            let removes = command.is_some_and(|c| c.get_name() == "rm");
            for (word, about) in if removes { models.cached() } else { models.all() } {
                self.add(&format!("{prefix}{word}"), about);
            }
        }
        self.files = arg.get_value_hint() == ValueHint::FilePath;
    }

    fn options(&mut self, command: &Command) {
        for arg in command.get_arguments().filter(|a| !a.is_positional() && !a.is_hide_set()) {
            let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
            if let Some(long) = arg.get_long() {
                self.add(&format!("--{long}"), about.clone());
            }
            if let Some(short) = arg.get_short() {
                self.add(&format!("-{short}"), about);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Two;

    impl Models for Two {
        fn all(&self) -> Vec<(String, String)> {
            vec![("smollm2".into(), "small".into()), ("hf:o/r:a.gguf".into(), "1 B".into())]
        }
        fn cached(&self) -> Vec<(String, String)> {
            vec![("hf:o/r:a.gguf".into(), "1 B".into())]
        }
    }

    fn complete(line: &str) -> (Vec<String>, bool) {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let f = fitting(&Grammar::of(args::command()), &words, &Two);
        (f.words.into_iter().map(|c| c.word).collect(), f.files)
    }

    #[test]
    fn each_place_gets_what_fits() {
        let both = vec!["smollm2".to_owned(), "hf:o/r:a.gguf".to_owned()];
        for line in [
            "run ",
            "chat ",
            "bench ",
            "bench a.gguf ",
            "run -n 5 ",
            "--device cpu run ",
            "run -m ",
            "inspect -q ",
        ] {
            assert_eq!(complete(line), (both.clone(), true), "{line}");
        }
        assert_eq!(complete("run s").0, ["smollm2"]);
        assert_eq!(complete("run hf:o"), (vec!["hf:o/r:a.gguf".into()], false));
        assert_eq!(complete("rm "), (vec!["hf:o/r:a.gguf".into()], false));
        assert_eq!(complete("rm x "), (vec!["hf:o/r:a.gguf".into()], false));
        assert_eq!(complete("perplexity m --kl ").0, both);
        assert_eq!(complete("run m "), (vec![], false));
        assert_eq!(complete("run m -f "), (vec![], true));
        assert_eq!(complete("run m --batch "), (vec![], true));
        assert_eq!(complete("run m --ctx "), (vec![], false));
        assert_eq!(complete("chat m "), (vec![], false));
        assert_eq!(complete("run -- "), (both.clone(), true));
        assert_eq!(complete("nonsense "), (vec![], false));
    }

    #[test]
    fn values_and_options_and_commands() {
        assert_eq!(complete("run m -ctk ").0, ["f16", "f32", "bf16", "q8_0"]);
        assert_eq!(complete("run m --cache-type-v=q").0, ["--cache-type-v=q8_0"]);
        assert_eq!(complete("run m --device ").0, ["auto", "cpu", "cuda", "vulkan", "metal", "null"]);
        assert!(complete("convert a b --dtype q4_").0.contains(&"q4_k_m".to_owned()));
        assert!(complete("completions ").0.contains(&"fish".to_owned()));
        assert_eq!(complete("run m --cache").0, ["--cache-type-k", "--cache-type-v"]);
        assert!(complete("list -").0.iter().all(|o| !o.contains("ctx")));
        assert_eq!(complete("per").0, ["perplexity"]);
        assert!(complete("").0.contains(&"run".to_owned()));
    }
}
