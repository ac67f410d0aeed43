//! Which file of a repository is meant.

use crate::error::HubError;

/// The quantizations preferred when a repository offers several and none was asked for, best first.
pub static PREFERENCE: &[&str] =
    &["Q4_K_M", "Q4_0", "Q8_0", "Q4_K_S", "Q4_1", "Q5_K_M", "Q6_K", "BF16", "F16", "F32"];

/// One file of a repository listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepoFile {
    /// Path inside the repository.
    pub(crate) path: String,
    /// Size in bytes, where known.
    pub(crate) bytes: Option<u64>,
    /// SHA-256 of the content, where known.
    pub(crate) sha256: Option<String>,
}

/// The files that make up one model: one, or the parts of a split model in order.
/// `wanted` is a path, a quantization, or nothing.
pub(crate) fn select(
    repo: &str,
    files: &[RepoFile],
    wanted: Option<&str>,
) -> Result<Vec<RepoFile>, HubError> {
    let models: Vec<&RepoFile> = files.iter().filter(|file| is_model(&file.path)).collect();
    let chosen = match wanted {
        Some(path) if path.contains('.') => {
            let exact: Vec<_> = files.iter().filter(|file| file.path == path).collect();
            one(repo, &exact, files, &format!("file '{path}'"))?
        }
        Some(quantization) => {
            let fitting: Vec<_> =
                models.iter().filter(|file| has_quantization(&file.path, quantization)).copied().collect();
            one(repo, &fitting, files, &format!("GGUF file with quantization '{quantization}'"))?
        }
        None => preferred(repo, &models, files)?,
    };
    parts(&chosen.path)
        .into_iter()
        .map(|path| {
            files.iter().find(|file| file.path == path).cloned().ok_or_else(|| HubError::NoMatchingFile {
                repo: repo.to_string(),
                wanted: format!("file '{path}', a part of the split model"),
                files: names(files),
            })
        })
        .collect()
}

fn preferred<'a>(repo: &str, models: &[&'a RepoFile], files: &[RepoFile]) -> Result<&'a RepoFile, HubError> {
    if models.len() > 1 {
        for quantization in PREFERENCE {
            let fitting: Vec<_> =
                models.iter().filter(|file| has_quantization(&file.path, quantization)).copied().collect();
            if !fitting.is_empty() {
                return one(repo, &fitting, files, "GGUF file");
            }
        }
    }
    one(repo, models, files, "GGUF file")
}

fn one<'a>(
    repo: &str,
    fitting: &[&'a RepoFile],
    files: &[RepoFile],
    wanted: &str,
) -> Result<&'a RepoFile, HubError> {
    match fitting {
        [file] => Ok(file),
        [] => Err(HubError::NoMatchingFile {
            repo: repo.to_string(),
            wanted: wanted.to_string(),
            files: names(files),
        }),
        several => Err(HubError::AmbiguousRepo {
            repo: repo.to_string(),
            files: several.iter().map(|file| file.path.clone()).collect(),
        }),
    }
}

/// Up to 100 names: an error message need not be longer.
fn names(files: &[RepoFile]) -> Vec<String> {
    let mut names: Vec<String> = files.iter().take(100).map(|file| file.path.clone()).collect();
    if files.is_empty() {
        names.push("(none)".to_string());
    }
    names
}

/// A whole GGUF model or the first part of one; not a vision projector, nor an importance matrix.
fn is_model(path: &str) -> bool {
    let lower = path.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    lower.ends_with(".gguf")
        && !name.contains("mmproj")
        && !name.contains("imatrix")
        && split(path).is_none_or(|split| split.index == 1)
}

/// Whether a file's name carries this quantization as a word of its own.
fn has_quantization(path: &str, quantization: &str) -> bool {
    let word = quantization.to_lowercase();
    path.to_lowercase()
        .split(['-', '.', '/'])
        .any(|part| part == word || part.strip_suffix(&word).is_some_and(|rest| rest.ends_with('_')))
}

struct Split<'a> {
    stem: &'a str,
    index: u32,
    count: u32,
}

/// `name-00001-of-00003.gguf`, taken apart.
fn split(path: &str) -> Option<Split<'_>> {
    let (rest, count) = path.strip_suffix(".gguf")?.rsplit_once("-of-")?;
    let (stem, index) = rest.rsplit_once('-')?;
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() == 5);
    let (index, count) = (number(index)?, number(count)?);
    (index >= 1 && index <= count && count <= 1000).then_some(Split { stem, index, count })
}

/// Every part of the model that `path` belongs to, in order; `path` alone when it is not split.
pub(crate) fn parts(path: &str) -> Vec<String> {
    match split(path) {
        Some(Split { stem, count, .. }) => {
            (1..=count).map(|index| format!("{stem}-{index:05}-of-{count:05}.gguf")).collect()
        }
        None => vec![path.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Vec<RepoFile> {
        names.iter().map(|name| RepoFile { path: name.to_string(), bytes: None, sha256: None }).collect()
    }

    fn pick(names: &[&str], wanted: Option<&str>) -> Result<Vec<String>, HubError> {
        Ok(select("o/r", &files(names), wanted)?.into_iter().map(|file| file.path).collect())
    }

    #[test]
    fn single_then_preference() {
        assert_eq!(pick(&["README.md", "weird.gguf"], None).unwrap(), ["weird.gguf"]);
        assert_eq!(pick(&["m.Q8_0.gguf", "m.Q4_0.gguf", "m.IQ4_XS.gguf"], None).unwrap(), ["m.Q4_0.gguf"]);
        assert_eq!(pick(&["m-q8_0.gguf", "m_q4_k_m.gguf"], None).unwrap(), ["m_q4_k_m.gguf"]);
        assert_eq!(pick(&["m-Q8_0.gguf", "mmproj-F16.gguf"], None).unwrap(), ["m-Q8_0.gguf"]);
    }

    #[test]
    fn asked_for() {
        let names = ["m.Q8_0.gguf", "m.Q4_0.gguf", "config.json"];
        assert_eq!(pick(&names, Some("q8_0")).unwrap(), ["m.Q8_0.gguf"]);
        assert_eq!(pick(&names, Some("m.Q4_0.gguf")).unwrap(), ["m.Q4_0.gguf"]);
        assert!(matches!(pick(&names, Some("Q2_K")), Err(HubError::NoMatchingFile { .. })));
        assert!(matches!(pick(&names, Some("no.gguf")), Err(HubError::NoMatchingFile { .. })));
    }

    #[test]
    fn ambiguous_or_absent() {
        let error = pick(&["a-Q4_0.gguf", "b-Q4_0.gguf"], None).unwrap_err();
        assert!(error.to_string().contains("a-Q4_0.gguf") && error.to_string().contains("hf:o/r:FILE"));
        assert!(matches!(pick(&["a.gguf", "b.gguf"], None), Err(HubError::AmbiguousRepo { .. })));
        assert!(matches!(pick(&["README.md"], None), Err(HubError::NoMatchingFile { .. })));
        assert!(matches!(pick(&[], None), Err(HubError::NoMatchingFile { .. })));
    }

    #[test]
    fn split_models_come_whole() {
        let whole = ["q/m-00001-of-00002.gguf", "q/m-00002-of-00002.gguf"];
        assert_eq!(pick(&whole, None).unwrap(), whole);
        assert!(matches!(pick(&whole[..1], None), Err(HubError::NoMatchingFile { .. })));
        assert_eq!(parts("m-00001-of-00003.gguf").len(), 3);
        for odd in
            ["m-00002-of-00001.gguf", "m-00000-of-00001.gguf", "m-1-of-2.gguf", "m-00001-of-99999.gguf"]
        {
            assert_eq!(parts(odd), [odd]);
        }
    }
}
