//! `akunu serve --config FILE`: options in a TOML file, and models with options of their own.
//!
//! Its names are those of the options. The file's values become words of a command line, which the one parser of options reads: what
//! stands on the command line is stronger, then the environment, then what a model says of itself, then the file's other values.

use super::{Serve, command};
use crate::error::CliError;
use crate::spelling::nearest;
use crate::text::{Bound, read_text};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, FromArgMatches};
use std::ffi::OsString;
use std::path::Path;
use toml::{Table, Value};

/// Options that are about the command line itself.
const NOT_HERE: &[&str] = &["config", "help", "model", "hf-repo", "json", "quiet"];
/// What a model may say of itself, beside `path` and `alias`.
const OF_A_MODEL: &[&str] = &[
    "sequences",
    "cache-tokens",
    "deterministic",
    "chat-template",
    "draft",
    "draft-max",
    "device",
    "gpu-layers",
    "threads",
    "ctx",
    "cache-type-k",
    "cache-type-v",
    "no-repack",
    "dtype",
];
/// Options that the environment says, too.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("host", "AKUNU_HOST"),
    ("port", "AKUNU_PORT"),
    ("api-key", "AKUNU_API_KEY"),
    ("api-key-file", "AKUNU_API_KEY"),
];

/// A model with the options that it is served with.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) model: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) options: Serve,
}

/// The options of the words `akunu serve ...` with those of a file, and the file's models, which are none where the words name some.
pub(super) fn read(path: &Path, words: &[OsString]) -> Result<(Serve, Vec<Served>), CliError> {
    let wrong = |what: String| CliError::Usage(format!("{}: {what}", path.display()));
    let text = read_text(path, Bound::Prompt)?;
    let mut table: Table = text.parse().map_err(|e: toml::de::Error| {
        let line = e.span().map_or(1, |s| 1 + text.bytes().take(s.start).filter(|b| *b == b'\n').count());
        wrong(format!("line {line}: {}", e.message().replace('\n', " ")))
    })?;
    let (_, given) = parsed(words)?;
    let models = match table.remove("model") {
        None => Vec::new(),
        Some(Value::Array(all)) => all,
        Some(_) => return Err(wrong("`model` is a list: write [[model]] above the keys of each".into())),
    };
    let common = written(&table, &given, None).map_err(wrong)?;
    let with = |more: &[OsString]| -> Result<Serve, CliError> {
        let all: Vec<OsString> = words.iter().chain(more).cloned().collect();
        Ok(parsed(&all).map_err(|e| wrong(e.to_string()))?.0)
    };
    let serve = with(&common)?;
    if !serve.words.is_empty() || !serve.named.is_empty() || !serve.hf_repo.is_empty() {
        return Ok((serve, Vec::new()));
    }
    let mut served = Vec::new();
    for (i, model) in models.into_iter().enumerate() {
        let wrong = |what: String| wrong(format!("[[model]] number {}: {what}", i + 1));
        let Value::Table(mut own) = model else { return Err(wrong("is no table".into())) };
        let model = match own.remove("path") {
            Some(Value::String(s)) if !s.is_empty() => s,
            Some(_) => {
                return Err(wrong("`path` is a text: a file, a directory, an alias or hf:owner/repo".into()));
            }
            None => {
                return Err(wrong(
                    "`path` is missing: a file, a directory, an alias or hf:owner/repo".into(),
                ));
            }
        };
        let aliases = match own.remove("alias") {
            None => Vec::new(),
            Some(Value::String(s)) => vec![s],
            Some(Value::Array(all)) => {
                let text = |v: Value| v.as_str().map(str::to_owned);
                let all: Option<Vec<String>> = all.into_iter().map(text).collect();
                all.ok_or_else(|| wrong("`alias` is a text or a list of texts".into()))?
            }
            Some(_) => return Err(wrong("`alias` is a text or a list of texts".into())),
        };
        let said = written(&own, &given, Some(OF_A_MODEL)).map_err(wrong)?;
        // What it says takes the place of what the file says of all.
        let rest: Table = table
            .iter()
            .filter(|(k, _)| !own.contains_key(*k))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        let common = written(&rest, &given, None).map_err(wrong)?;
        let options = with(&[said, common].concat())?;
        served.push(Served { model, aliases, options });
    }
    Ok((serve, served))
}

/// The options of some words.
fn parsed(words: &[OsString]) -> Result<(Serve, ArgMatches), CliError> {
    let refuse = |e: clap::Error| {
        let text = e.to_string();
        let first = text.lines().next().unwrap_or_default();
        CliError::Usage(first.strip_prefix("error: ").unwrap_or(first).to_owned())
    };
    let matches = command().try_get_matches_from(words).map_err(refuse)?;
    let (_, given) = matches.subcommand().ok_or_else(|| CliError::Usage("no command".into()))?;
    let given = given.clone();
    Ok((Serve::from_arg_matches(&given).map_err(refuse)?, given))
}

/// The values of a table as words, but for those that something stronger says.
fn written(table: &Table, given: &ArgMatches, only: Option<&[&str]>) -> Result<Vec<OsString>, String> {
    let mut all = command();
    all.build();
    let serve = all.find_subcommand("serve").ok_or("there is no such command")?;
    let named = |a: &&Arg| {
        let name = a.get_long().unwrap_or_default();
        !name.is_empty() && !NOT_HERE.contains(&name) && only.is_none_or(|o| o.contains(&name))
    };
    let known: Vec<&Arg> = serve.get_arguments().filter(named).collect();
    let mut words = Vec::new();
    for (key, value) in table {
        let name = key.replace('_', "-");
        let Some(arg) = known.iter().find(|a| a.get_long() == Some(name.as_str())) else {
            let mut names: Vec<String> =
                known.iter().filter_map(|a| a.get_long()).map(str::to_owned).collect();
            let more = if only.is_some() { ["path", "alias"] } else { ["model", "alias"] };
            names.extend(more.map(str::to_owned));
            let near = nearest(&name, names).map_or_else(
                || "; the keys are the names of the options of `akunu serve`".to_owned(),
                |near| format!("; did you mean `{near}`?"),
            );
            return Err(format!("there is no key `{}` here{near}", key.escape_debug()));
        };
        let stronger = given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
            || ENVIRONMENT
                .iter()
                .any(|(n, v)| *n == name && std::env::var_os(v).is_some_and(|v| !v.is_empty()));
        let takes = arg.get_action().takes_values();
        let many = matches!(arg.get_action(), clap::ArgAction::Append);
        let values = match (value, many) {
            (Value::Array(all), true) => all.as_slice(),
            (v, _) => std::slice::from_ref(v),
        };
        for value in values {
            let word = match value {
                Value::Boolean(b) if !takes => {
                    if *b && !stronger {
                        words.push(format!("--{name}").into());
                    }
                    continue;
                }
                Value::String(s) if takes => s.clone(),
                Value::Integer(n) if takes => n.to_string(),
                Value::Float(n) if takes => n.to_string(),
                _ if !takes => return Err(format!("`{key}` is true or false")),
                _ if many => return Err(format!("`{key}` is a text, a number, or a list of such")),
                _ => return Err(format!("`{key}` is a text or a number")),
            };
            if !stronger {
                words.push(format!("--{name}={word}").into());
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::super::{Command, Refusal, parse};
    use super::*;

    fn serve(file: &str, words: &[&str]) -> Result<Serve, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("akunu.toml");
        std::fs::write(&path, file).unwrap();
        let path = path.to_str().unwrap();
        let all = ["akunu", "serve", "--config", path].into_iter().chain(words.iter().copied());
        match parse(all.map(OsString::from).collect()) {
            Ok(cli) => match cli.command {
                Command::Serve(a) => Ok(a),
                other => Err(format!("{other:?}")),
            },
            Err(Refusal::Parser(e)) => Err(e.to_string()),
            Err(Refusal::Usage(e)) => Err(e.to_string()),
        }
    }

    const FILE: &str = r#"
        port = 1234
        queue = 7
        deterministic = true
        allow-host = ["a.example", "b.example"]
        memory_budget = "6G"
        ctx = 2048

        [[model]]
        path = "smollm2"
        alias = ["small", "gpt-x"]
        ctx = 512

        [[model]]
        path = "other.gguf"
        alias = "big"
        sequences = 3
    "#;

    #[test]
    fn a_file_says_what_options_say() {
        let a = serve(FILE, &[]).unwrap();
        assert_eq!((a.port, a.queue, a.deterministic, a.memory_budget), (Some(1234), 7, true, Some(6 << 30)));
        assert_eq!(a.allow_host, ["a.example", "b.example"]);
        assert_eq!(a.served.len(), 2);
        let of = |i: usize| (a.served[i].model.as_str(), &a.served[i].options);
        assert_eq!((of(0).0, of(1).0), ("smollm2", "other.gguf"));
        assert_eq!(
            (a.served[0].aliases.join(","), a.served[1].aliases.join(",")),
            ("small,gpt-x".into(), "big".into())
        );
        assert_eq!((of(0).1.machine().unwrap().ctx, of(1).1.machine().unwrap().ctx), (Some(512), Some(2048)));
        assert_eq!((of(0).1.sequences, of(1).1.sequences), (None, Some(3)));
        assert!(of(0).1.deterministic && of(0).1.queue == 7);
    }

    #[test]
    fn the_command_line_is_stronger() {
        let a = serve(FILE, &["--port", "5", "-c", "99", "--allow-host", "c.example"]).unwrap();
        assert_eq!((a.port, a.queue), (Some(5), 7));
        assert_eq!(a.allow_host, ["c.example"]);
        for s in &a.served {
            assert_eq!(s.options.machine().unwrap().ctx, Some(99));
        }
        // Models that it names take the place of the file's.
        let a = serve(FILE, &["mine"]).unwrap();
        assert_eq!((a.models, a.served.len(), a.port), (vec!["mine".to_owned()], 0, Some(1234)));
        assert!(!serve("deterministic = false", &["mine"]).unwrap().deterministic);
    }

    #[test]
    fn what_cannot_be_read_is_told_by_name() {
        let deep = format!("port = {}1{}", "[".repeat(5000), "]".repeat(5000));
        for (file, parts) in [
            ("prot = 1", &["`prot`", "did you mean `port`"][..]),
            ("memory_budgets = 1", &["did you mean `memory-budget`"]),
            ("zzzzzzzzzz = 1", &["`zzzzzzzzzz`", "options"]),
            ("config = \"x\"", &["`config`"]),
            ("port = \"x\"", &["x", "--port"]),
            ("port = 70000", &["70000"]),
            ("port = true", &["`port` is a text or a number"]),
            ("port = [1, 2]", &["`port` is a text or a number"]),
            ("deterministic = 1", &["`deterministic` is true or false"]),
            ("deterministic = \"yes\"", &["`deterministic` is true or false"]),
            ("allow-host = [true]", &["`allow-host`", "list"]),
            ("memory-budget = -5", &["6G"]),
            ("queue = 0", &["0"]),
            ("a = 1\nb = ", &["line 2"]),
            ("port = 1\nport = 2", &["line 2"]),
            ("model = 5", &["[[model]]"]),
            ("model = [5]", &["number 1", "no table"]),
            ("[[model]]\nalias = \"x\"", &["number 1", "`path` is missing"]),
            ("[[model]]\npath = 5", &["`path` is a text"]),
            ("[[model]]\npath = \"\"", &["`path` is a text"]),
            ("[[model]]\npath = \"a\"\nalias = 5", &["`alias`"]),
            ("[[model]]\npath = \"a\"\nalias = [5]", &["`alias`"]),
            ("[[model]]\npath = \"a\"\nport = 5", &["number 1", "`port`"]),
            ("[[model]]\npath = \"a\"\nsequnces = 5", &["did you mean `sequences`"]),
            ("[[model]]\npath = \"a\"\nctx = \"long\"", &["long"]),
            ("[[model]]\npaht = \"a\"", &["path"]),
            ("", &["which model"]),
            (&deep, &["akunu.toml"]),
        ] {
            let e = serve(file, &[]).expect_err(file);
            for part in parts {
                assert!(e.contains(part), "{file:.60}: no `{part}` in {e}");
            }
            assert!(e.len() < 2000, "{e}");
        }
        assert!(serve("port = 1", &["--config", "/nowhere/x.toml"]).is_err());
    }
}
