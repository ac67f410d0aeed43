//! One GET, with redirects followed by hand: the token goes to the hub's own origin and nowhere else, and
//! what the hub says about a file (its hash, before it redirects to storage) is kept.

use std::io::Read;

use serde::Deserialize;
use ureq::http::{HeaderMap, Response, Uri, header, uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

use crate::config::{Config, Token};
use crate::error::{HubError, TokenUse};
use crate::reference::HubRef;
use crate::select::RepoFile;

/// Redirects followed for one request.
const MAX_REDIRECTS: usize = 8;
/// A repository listing above this is refused.
const MAX_LISTING_BYTES: u64 = 32 << 20;

/// Speaks to one hub.
pub(crate) struct Client {
    agent: Agent,
    endpoint: String,
    origin: Origin,
    token: Option<Token>,
}

/// An answer, after all redirects.
pub(crate) struct Reply {
    pub(crate) response: Response<Body>,
    /// Final address without its query (which may carry a signature), for messages.
    pub(crate) url: String,
    pub(crate) linked: Linked,
    token: TokenUse,
}

/// What the hub says about a file that lies in its large-file storage.
#[derive(Debug, Default, Clone)]
pub(crate) struct Linked {
    pub(crate) sha256: Option<String>,
    pub(crate) bytes: Option<u64>,
}

/// Scheme, host and port: what decides whether two addresses are one server.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    https: bool,
    host: String,
    port: u16,
}

impl Client {
    pub(crate) fn new(config: &Config) -> Result<Self, HubError> {
        let bad = || HubError::BadEndpoint { value: config.endpoint.clone() };
        let uri: Uri = config.endpoint.parse().map_err(|_| bad())?;
        let agent = Agent::config_builder()
            .timeout_resolve(Some(config.connect_timeout))
            .timeout_connect(Some(config.connect_timeout))
            .timeout_recv_response(Some(config.read_timeout))
            .timeout_per_read(Some(config.read_timeout))
            .max_redirects(0)
            .http_status_as_error(false)
            .accept_encoding("identity")
            .user_agent(concat!("akunu/", env!("CARGO_PKG_VERSION")))
            // The system's certificates, so that a company's own authority is trusted here as elsewhere.
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .build()
            .new_agent();
        Ok(Self {
            agent,
            endpoint: config.endpoint.clone(),
            origin: Origin::of(&uri).ok_or_else(bad)?,
            token: config.token.clone(),
        })
    }

    /// The hub's host, for people.
    pub(crate) fn host(&self) -> &str {
        &self.origin.host
    }

    /// The address of a file of a repository.
    pub(crate) fn file_url(&self, hub: &HubRef, file: &str) -> String {
        let revision = encode(&hub.revision, Slash::Encode);
        format!("{}/{}/resolve/{revision}/{}", self.endpoint, hub.repo_id(), encode(file, Slash::Keep))
    }

    /// Gets `url`. Any status but a redirect is returned as it is.
    pub(crate) fn get(&self, url: &str, headers: &[(&str, String)]) -> Result<Reply, HubError> {
        let mut uri: Uri =
            url.parse().map_err(|_| bad_response(url, "the address cannot be parsed".to_string()))?;
        let mut linked = Linked::default();
        for _ in 0..=MAX_REDIRECTS {
            let at_hub = Origin::of(&uri).as_ref() == Some(&self.origin);
            let mut request = self.agent.get(&uri);
            for (name, value) in headers {
                request = request.header(*name, value);
            }
            let token = self.token.as_ref().filter(|_| at_hub);
            if let Some(token) = token {
                request = request.header(header::AUTHORIZATION, token.bearer());
            }
            let shown = shown(&uri);
            let response = request.call().map_err(|error| transport_error(&shown, error))?;
            if at_hub {
                linked.absorb(response.headers());
            }
            let Some(target) = redirect_target(&response) else {
                let token = if token.is_some() { TokenUse::Sent } else { TokenUse::Absent };
                return Ok(Reply { response, url: shown, linked, token });
            };
            uri = join(&uri, &target)
                .ok_or_else(|| bad_response(&shown, "it redirects to an unusable address".to_string()))?;
        }
        Err(bad_response(url, format!("it redirects more than {MAX_REDIRECTS} times")))
    }

    /// The files of a repository.
    pub(crate) fn list_files(&self, hub: &HubRef) -> Result<Vec<RepoFile>, HubError> {
        let revision = encode(&hub.revision, Slash::Encode);
        let url = format!("{}/api/models/{}/revision/{revision}?blobs=true", self.endpoint, hub.repo_id());
        let mut reply = self.get(&url, &[])?;
        if reply.response.status().as_u16() != 200 {
            return Err(reply.status_error());
        }
        let mut text = Vec::new();
        let body = reply.response.body_mut().as_reader();
        body.take(MAX_LISTING_BYTES)
            .read_to_end(&mut text)
            .map_err(|error| HubError::Unreachable { url: reply.url.clone(), reason: error.to_string() })?;
        let listing: Listing = serde_json::from_slice(&text)
            .map_err(|error| bad_response(&reply.url, format!("its listing cannot be read ({error})")))?;
        Ok(listing.siblings.into_iter().map(Sibling::into_file).collect())
    }
}

impl Reply {
    /// The error for a status that is not a success.
    pub(crate) fn status_error(&self) -> HubError {
        let url = self.url.clone();
        match self.response.status().as_u16() {
            status @ (401 | 403) => HubError::Unauthorized { url, status, token: self.token },
            404 => HubError::NotFound { url },
            status => HubError::Http { url, status },
        }
    }

    /// A header's value as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }
}

impl Linked {
    fn absorb(&mut self, headers: &HeaderMap) {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(hash) = text("x-linked-etag").and_then(sha256_of) {
            self.sha256 = Some(hash);
        }
        if let Some(bytes) = text("x-linked-size").and_then(|size| size.parse().ok()) {
            self.bytes = Some(bytes);
        }
    }
}

/// A SHA-256 in lower case, if `text` (perhaps quoted) is one.
fn sha256_of(text: &str) -> Option<String> {
    let hash = text.trim_matches('"').to_lowercase();
    (hash.len() == 64 && hash.bytes().all(|c| c.is_ascii_hexdigit())).then_some(hash)
}

#[derive(Deserialize)]
struct Listing {
    #[serde(default)]
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    size: Option<u64>,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    // Written `sha256` by the listing of a model, `oid` by the listing of a tree.
    #[serde(alias = "oid")]
    sha256: Option<String>,
    size: Option<u64>,
}

impl Sibling {
    fn into_file(self) -> RepoFile {
        let (sha256, lfs_bytes) = self.lfs.map_or((None, None), |lfs| (lfs.sha256, lfs.size));
        RepoFile {
            path: self.rfilename,
            bytes: lfs_bytes.or(self.size),
            sha256: sha256.as_deref().and_then(sha256_of),
        }
    }
}

impl Origin {
    fn of(uri: &Uri) -> Option<Self> {
        let https = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
        Some(Self { https, host: uri.host()?.to_lowercase(), port })
    }
}

fn redirect_target(response: &Response<Body>) -> Option<String> {
    let redirects = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    redirects.then(|| {
        let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
        location.unwrap_or_default().to_string()
    })
}

/// Where `location` leads from `base`; `None` if nowhere, or from an encrypted connection to a plain one.
fn join(base: &Uri, location: &str) -> Option<Uri> {
    let location = location.split('#').next().filter(|text| !text.is_empty())?;
    let target: Uri = if let Some(rest) = location.strip_prefix("//") {
        format!("{}://{rest}", base.scheme_str()?).parse().ok()?
    } else if location.starts_with('/') {
        let mut parts = uri::Parts::default();
        parts.scheme = base.scheme().cloned();
        parts.authority = base.authority().cloned();
        parts.path_and_query = Some(location.parse().ok()?);
        Uri::from_parts(parts).ok()?
    } else {
        location.parse().ok()?
    };
    let (from, to) = (Origin::of(base)?, Origin::of(&target)?);
    (to.https || !from.https).then_some(target)
}

/// An address for messages: without query (signatures) and user name.
fn shown(uri: &Uri) -> String {
    let port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", uri.scheme_str().unwrap_or("?"), uri.host().unwrap_or("?"), uri.path())
}

fn transport_error(url: &str, error: ureq::Error) -> HubError {
    let reason = match error {
        ureq::Error::HostNotFound => "its name cannot be resolved".to_string(),
        ureq::Error::Timeout(_) => "it does not answer in time".to_string(),
        ureq::Error::Protocol(error) => return bad_response(url, error.to_string()),
        ureq::Error::Rustls(error) => {
            format!("TLS failed ({error}); is the package ca-certificates installed?")
        }
        ureq::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    };
    HubError::Unreachable { url: url.to_string(), reason }
}

pub(crate) fn bad_response(url: &str, reason: String) -> HubError {
    HubError::BadResponse { url: url.to_string(), reason }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Slash {
    Keep,
    Encode,
}

/// Percent-encodes everything but the unreserved characters of RFC 3986.
fn encode(text: &str, slash: Slash) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        if plain || (byte == b'/' && slash == Slash::Keep) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_join_and_never_fall_back_to_plain() {
        let base: Uri = "https://hub.test/o/r/file?x=1".parse().unwrap();
        let to = |location| join(&base, location).map(|uri| uri.to_string());
        assert_eq!(to("/p/q?y=2").as_deref(), Some("https://hub.test/p/q?y=2"));
        assert_eq!(to("https://cdn.test/f#x").as_deref(), Some("https://cdn.test/f"));
        assert_eq!(to("//cdn.test/f").as_deref(), Some("https://cdn.test/f"));
        for bad in ["http://cdn.test/f", "ftp://cdn.test/f", "", "file:///etc/passwd", "relative"] {
            assert_eq!(to(bad), None, "{bad}");
        }
    }

    #[test]
    fn one_origin_is_scheme_host_and_port() {
        let origin = |text: &str| Origin::of(&text.parse().unwrap()).unwrap();
        assert_eq!(origin("https://Hub.test/a"), origin("https://hub.test:443/b"));
        assert_ne!(origin("https://hub.test"), origin("http://hub.test"));
        assert_ne!(origin("https://hub.test"), origin("https://hub.test:444"));
        assert_ne!(origin("https://hub.test"), origin("https://hub.test.evil"));
    }

    #[test]
    fn encodes_paths() {
        assert_eq!(encode("a b/ü#?.gguf", Slash::Keep), "a%20b/%C3%BC%23%3F.gguf");
        assert_eq!(encode("refs/pr/1", Slash::Encode), "refs%2Fpr%2F1");
    }
}
