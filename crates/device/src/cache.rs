//! Where compiled kernels are kept on disk.

use std::path::PathBuf;

/// Setting that puts the cache elsewhere; the same as for models.
const CACHE_VAR: &str = "AKUNU_CACHE";

/// The folder of everything that akunu keeps for this user; `None` where there is no home.
pub(crate) fn root() -> Option<PathBuf> {
    let var = |n| std::env::var_os(n).filter(|v| !v.is_empty()).map(PathBuf::from);
    // The XDG specification says to ignore a relative path.
    let xdg = || var("XDG_CACHE_HOME").filter(|p| p.is_absolute());
    var(CACHE_VAR).or_else(|| xdg().map(|p| p.join("akunu"))).or_else(|| {
        let home = var("HOME").or_else(|| var("USERPROFILE"))?;
        Some(home.join(".cache").join("akunu"))
    })
}
