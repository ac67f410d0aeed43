//! What the user typed, taken apart and checked before it becomes part of a path or an address.

use std::path::PathBuf;

use crate::alias::{self, Alias};
use crate::error::HubError;

/// A model reference, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelRef {
    /// A file or folder on this machine.
    Path(PathBuf),
    /// A short name.
    Alias(Alias),
    /// A hub repository.
    Hub(HubRef),
}

/// `hf:owner/repo[@revision][:file]`. Every part is safe to use in a path and an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubRef {
    /// The account.
    pub owner: String,
    /// The repository.
    pub repo: String,
    /// Branch, tag or commit; `main` unless given.
    pub revision: String,
    /// A file of the repository, or (without a dot) a quantization such as `Q8_0`.
    pub file: Option<String>,
}

impl HubRef {
    /// `owner/repo`.
    pub fn repo_id(&self) -> String {
        format!("{}/{}", self.owner, self.repo)
    }
}

impl ModelRef {
    /// Takes `model` apart, with `aliases` as the known names. An existing file wins over an alias.
    pub(crate) fn parse(model: &str, aliases: &[Alias]) -> Result<Self, HubError> {
        if let Some(rest) = model.strip_prefix("hf://").or_else(|| model.strip_prefix("hf:")) {
            return parse_hub(model, rest).map(Self::Hub);
        }
        if model.starts_with("https://") || model.starts_with("http://") {
            return Err(invalid(model, "a web address is not accepted"));
        }
        let path = PathBuf::from(model);
        if path.is_file() {
            return Ok(Self::Path(path));
        }
        if let Some(alias) = alias::find(aliases, model) {
            return Ok(Self::Alias(alias));
        }
        if path.exists() {
            return Ok(Self::Path(path));
        }
        if looks_like_path(model) {
            return Err(HubError::NoSuchFile { path, hint: missing_hint(model) });
        }
        Err(HubError::UnknownModel {
            model: model.to_string(),
            suggestion: alias::nearest(aliases, model),
            known: aliases.iter().map(|alias| alias.name.to_string()).collect(),
        })
    }
}

fn looks_like_path(model: &str) -> bool {
    let lower = model.to_lowercase();
    model.contains(['/', '\\'])
        || model.starts_with(['.', '~'])
        || [".gguf", ".safetensors"].iter().any(|end| lower.ends_with(end))
}

fn missing_hint(model: &str) -> String {
    match parse_hub(model, model) {
        Ok(hub) if !model.ends_with(".gguf") => {
            format!("; for the hub repository write hf:{}", hub.repo_id())
        }
        _ => "; check the path and the current folder".to_string(),
    }
}

fn parse_hub(reference: &str, rest: &str) -> Result<HubRef, HubError> {
    let (repository, file) = match rest.split_once(':') {
        Some((repository, file)) => (repository, Some(file)),
        None => (rest, None),
    };
    let (repository, revision) = repository.split_once('@').unwrap_or((repository, "main"));
    let Some((owner, repo)) = repository.split_once('/') else {
        return Err(invalid(reference, "it needs an owner and a repository"));
    };
    for (what, name) in [("owner", owner), ("repository", repo)] {
        if !is_name(name) {
            return Err(invalid(reference, &format!("'{name}' cannot be the name of a {what}")));
        }
    }
    if !revision.split('/').all(is_name) {
        return Err(invalid(reference, &format!("'{revision}' cannot be a revision")));
    }
    if let Some(file) = file
        && !is_safe_file(file)
    {
        return Err(invalid(reference, &format!("'{file}' cannot be a file in a repository")));
    }
    Ok(HubRef {
        owner: owner.to_string(),
        repo: repo.to_string(),
        revision: revision.to_string(),
        file: file.map(str::to_string),
    })
}

fn is_name(name: &str) -> bool {
    !name.starts_with('.')
        && !name.ends_with('.')
        && (1..=128).contains(&name.len())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_.".contains(&c))
}

/// Whether `file` stays inside the folder it is joined to, on every platform.
pub(crate) fn is_safe_file(file: &str) -> bool {
    let safe = |part: &str| {
        !part.is_empty()
            && part.len() <= 200
            && !part.starts_with('.')
            && !part.ends_with(['.', ' '])
            && !part.chars().any(|c| c.is_control() || "\\:*?\"<>|".contains(c))
    };
    file.len() <= 512 && file.split('/').all(safe)
}

fn invalid(reference: &str, reason: &str) -> HubError {
    HubError::InvalidReference { reference: reference.to_string(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALIASES;

    fn hub(text: &str) -> HubRef {
        match ModelRef::parse(text, ALIASES).unwrap() {
            ModelRef::Hub(hub) => hub,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hub_references() {
        assert_eq!(hub("hf:o/r").file, None);
        assert_eq!(hub("hf:o/r").revision, "main");
        assert_eq!(hub("hf://o/r:a.gguf").file.as_deref(), Some("a.gguf"));
        assert_eq!(hub("hf:o/r@refs/pr/1:sub/a.gguf").revision, "refs/pr/1");
        assert_eq!(hub("hf:o/r:Q8_0").file.as_deref(), Some("Q8_0"));
    }

    #[test]
    fn hostile_references_are_refused() {
        let long = format!("hf:o/r:{}", "a".repeat(600));
        for bad in [
            "hf:",
            "hf:o",
            "hf:o/",
            "hf:/r",
            "hf:o/r/x",
            "hf:../r",
            "hf:o/..",
            "hf:o/r:",
            "hf:o/r:../../x",
            "hf:o/r:a/../b",
            "hf:o/r:/etc/passwd",
            "hf:o/r:a//b",
            "hf:o/r:..\\x",
            "hf:o/r:C:x",
            "hf:o/r:a\0b",
            "hf:o/r:a\nb",
            "hf:o/r@../x",
            "hf:o/r@",
            "hf:o r/x",
            "hf:o/r?x=1",
            "hf:o/r:.hidden",
            "hf:o/r:.",
            "https://host/o/r",
            &long,
        ] {
            let result = ModelRef::parse(bad, ALIASES);
            assert!(matches!(result, Err(HubError::InvalidReference { .. })), "{bad:?} gave {result:?}");
        }
    }

    #[test]
    fn paths_aliases_and_unknown_names() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("m.gguf");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(ModelRef::parse(file.to_str().unwrap(), ALIASES).unwrap(), ModelRef::Path(file));
        assert!(matches!(ModelRef::parse("SmolLM2", ALIASES), Ok(ModelRef::Alias(a)) if a.name == "smollm2"));
        for missing in ["./nowhere", "nowhere.gguf", "no/such/file.gguf"] {
            assert!(
                matches!(ModelRef::parse(missing, ALIASES), Err(HubError::NoSuchFile { .. })),
                "{missing}"
            );
        }
        let message = ModelRef::parse("owner/repo", ALIASES).unwrap_err().to_string();
        assert!(message.contains("hf:owner/repo"), "{message}");
        let message = ModelRef::parse("smolm2", ALIASES).unwrap_err().to_string();
        assert!(message.contains("did you mean 'smollm2'") && message.contains("known names"), "{message}");
        assert!(matches!(ModelRef::parse("", ALIASES), Err(HubError::UnknownModel { .. })));
    }
}
