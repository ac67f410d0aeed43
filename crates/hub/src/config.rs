//! What the environment says, read once into plain data.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::HubError;

/// The public hub, unless `HF_ENDPOINT` names another.
pub const DEFAULT_ENDPOINT: &str = "https://huggingface.co";

/// What may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// The hub and the package index.
    Online,
    /// The package index alone (`HF_HUB_OFFLINE=1`).
    HubOffline,
    /// Nothing (`AKUNU_OFFLINE=1`).
    Offline,
}

/// A hub access token. Its `Debug` form never shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token from text; `None` when it is empty or could not stand in a header.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty() && text.bytes().all(|c| c.is_ascii_graphic())).then(|| Self(text.to_string()))
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Everything that decides where models are looked for and kept.
#[derive(Debug, Clone)]
pub struct Config {
    /// The user cache folder; models lie in its `models` folder. `None` where the environment names none: a model
    /// given by its path needs no cache.
    pub cache_dir: Option<PathBuf>,
    /// Base address of the hub, without a final slash (`HF_ENDPOINT`).
    pub endpoint: String,
    /// Sent to the hub's own origin only (`HF_TOKEN`, else the file at `HF_TOKEN_PATH` or `HF_HOME/token`).
    pub token: Option<Token>,
    /// Another program's hub cache, looked up and used in place, never written
    /// (`HF_HUB_CACHE`, else `HF_HOME/hub`).
    pub hf_cache: Option<PathBuf>,
    /// What may be reached.
    pub network: Network,
    /// Commands that may be this machine's `pip`, tried in order; each is a program and its first arguments.
    pub pip: Vec<Vec<OsString>>,
    /// Longest wait for a name look-up, and again for a connection.
    pub connect_timeout: Duration,
    /// Longest silence of a server that answers.
    pub read_timeout: Duration,
    /// Pause before the first retry; it doubles with each further one.
    pub retry_delay: Duration,
}

impl Config {
    /// The configuration of this process's environment.
    pub fn from_env() -> Result<Self, HubError> {
        Self::from_lookup(&|name| std::env::var_os(name))
    }

    /// The configuration that the variables given by `lookup` describe. Empty variables count as unset.
    pub fn from_lookup(lookup: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, HubError> {
        let var = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let text = |name: &str| var(name).and_then(|value| value.into_string().ok());
        let home = var("HOME").or_else(|| var("USERPROFILE")).map(PathBuf::from);
        let hf_home = var("HF_HOME").map(PathBuf::from).or_else(|| {
            let xdg = var("XDG_CACHE_HOME").map(PathBuf::from);
            Some(xdg.or_else(|| Some(home.as_ref()?.join(".cache")))?.join("huggingface"))
        });
        let token_path =
            var("HF_TOKEN_PATH").map(PathBuf::from).or_else(|| Some(hf_home.as_ref()?.join("token")));
        let token = text("HF_TOKEN").and_then(|value| Token::new(&value)).or_else(|| read_token(token_path?));
        let hf_cache = var("HF_HUB_CACHE").map(PathBuf::from).or_else(|| Some(hf_home.as_ref()?.join("hub")));
        let network = match (is_set(text("AKUNU_OFFLINE")), is_set(text("HF_HUB_OFFLINE"))) {
            (true, _) => Network::Offline,
            (false, true) => Network::HubOffline,
            (false, false) => Network::Online,
        };
        Ok(Self {
            cache_dir: cache_dir(&var, home),
            endpoint: endpoint(text("HF_ENDPOINT"))?,
            token,
            hf_cache,
            network,
            pip: default_pip(),
            connect_timeout: Duration::from_secs(5),
            read_timeout: Duration::from_secs(30),
            retry_delay: Duration::from_millis(500),
        })
    }

    /// The user cache folder, or an error that says how to name one.
    pub fn cache_dir(&self) -> Result<&Path, HubError> {
        self.cache_dir.as_deref().ok_or(HubError::NoCacheDir)
    }

    /// The folder that holds the models.
    pub fn models_dir(&self) -> Result<PathBuf, HubError> {
        Ok(self.cache_dir()?.join("models"))
    }
}

fn cache_dir(var: &dyn Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    if let Some(dir) = var("AKUNU_CACHE") {
        return Some(PathBuf::from(dir));
    }
    // The XDG specification says to ignore a relative path.
    let xdg = var("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let platform = if cfg!(windows) {
        var("LOCALAPPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        xdg.or_else(|| Some(home?.join("Library").join("Caches")))
    } else {
        xdg.or_else(|| Some(home?.join(".cache")))
    };
    Some(platform?.join("akunu"))
}

fn endpoint(value: Option<String>) -> Result<String, HubError> {
    let endpoint = value.unwrap_or_else(|| DEFAULT_ENDPOINT.to_string());
    let endpoint = endpoint.trim().trim_end_matches('/');
    let host = endpoint.strip_prefix("https://").or_else(|| endpoint.strip_prefix("http://"));
    if host.is_none_or(|host| host.is_empty() || host.contains(['@', '?', '#', ' '])) {
        return Err(HubError::BadEndpoint { value: endpoint.to_string() });
    }
    Ok(endpoint.to_string())
}

/// A token file is one short line; anything larger is not a token file.
fn read_token(path: PathBuf) -> Option<Token> {
    let metadata = std::fs::metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > 4096 {
        return None;
    }
    Token::new(&std::fs::read_to_string(path).ok()?)
}

fn is_set(value: Option<String>) -> bool {
    value.is_some_and(|value| matches!(value.trim().to_lowercase().as_str(), "1" | "true" | "yes" | "on"))
}

fn default_pip() -> Vec<Vec<OsString>> {
    let mut commands: Vec<&[&str]> =
        vec![&["python3", "-m", "pip"], &["pip3"], &["python", "-m", "pip"], &["pip"]];
    if cfg!(windows) {
        commands.insert(0, &["py", "-m", "pip"]);
    }
    commands.into_iter().map(|words| words.iter().map(OsString::from).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(vars: &[(&str, &str)]) -> Result<Config, HubError> {
        Config::from_lookup(&|name| vars.iter().find(|(key, _)| *key == name).map(|(_, v)| v.into()))
    }

    #[test]
    fn cache_dir_precedence() {
        let all = [("AKUNU_CACHE", "/a"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h"), ("LOCALAPPDATA", "/l")];
        let dir = |vars: &[(&str, &str)]| config(vars).unwrap().cache_dir;
        assert_eq!(dir(&all), Some("/a".into()));
        if cfg!(target_os = "linux") {
            assert_eq!(dir(&all[1..]), Some("/x/akunu".into()));
            assert_eq!(dir(&all[2..]), Some("/h/.cache/akunu".into()));
            let relative = [("XDG_CACHE_HOME", "x"), ("HOME", "/h")];
            assert_eq!(dir(&relative), Some("/h/.cache/akunu".into()));
        }
        for none in [&[][..], &[("AKUNU_CACHE", "")]] {
            let config = config(none).unwrap();
            assert_eq!((&config.cache_dir, &config.hf_cache, &config.token), (&None, &None, &None));
            assert!(matches!(config.models_dir(), Err(HubError::NoCacheDir)));
        }
    }

    #[test]
    fn hub_variables() {
        let base = ("AKUNU_CACHE", "/a");
        assert_eq!(config(&[base]).unwrap().endpoint, DEFAULT_ENDPOINT);
        assert_eq!(config(&[base, ("HF_ENDPOINT", "http://m:1/")]).unwrap().endpoint, "http://m:1");
        for bad in ["ftp://m", "https://", "m", "https://user:pw@m"] {
            assert!(
                matches!(config(&[base, ("HF_ENDPOINT", bad)]), Err(HubError::BadEndpoint { .. })),
                "{bad}"
            );
        }
        assert_eq!(config(&[base, ("HF_HOME", "/f")]).unwrap().hf_cache, Some("/f/hub".into()));
        let explicit = config(&[base, ("HF_HOME", "/f"), ("HF_HUB_CACHE", "/c")]).unwrap();
        assert_eq!(explicit.hf_cache, Some("/c".into()));
        assert_eq!(config(&[base, ("AKUNU_OFFLINE", "1")]).unwrap().network, Network::Offline);
        assert_eq!(config(&[base, ("AKUNU_OFFLINE", "0")]).unwrap().network, Network::Online);
        assert_eq!(config(&[base, ("HF_HUB_OFFLINE", "true")]).unwrap().network, Network::HubOffline);
    }

    #[test]
    fn token_from_variable_or_file_and_never_shown() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("token"), "from_file\n").unwrap();
        let hf_home = ("HF_HOME", home.path().to_str().unwrap());
        let from_file = config(&[("AKUNU_CACHE", "/a"), hf_home]).unwrap();
        assert_eq!(from_file.token, Token::new("from_file"));
        let both = config(&[("AKUNU_CACHE", "/a"), hf_home, ("HF_TOKEN", " from_var ")]).unwrap();
        assert_eq!(both.token, Token::new("from_var"));
        assert!(!format!("{both:?}").contains("from_var"));
        assert_eq!(Token::new("a\r\nX-Injected: 1"), None);
    }
}
