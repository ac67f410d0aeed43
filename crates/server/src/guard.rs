//! Who may ask: keys, hosts, origins, and how often.
//!
//! A page of another site can make a browser ask a server on the same machine, and with a name that resolves to 127.0.0.1 it can even
//! read the answer (DNS rebinding). So a request must name a host that is known here, and come from the page of that host if it
//! comes from one.

use crate::error::ApiError;
use crate::options::Options;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use std::hint::black_box;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// What a server asks of each request.
pub(crate) struct Guard {
    keys: Vec<Vec<u8>>,
    hosts: Vec<String>,
    rate: Option<u32>,
    /// When each key's minute began, and how often it asked since. All that have no key share one.
    minutes: Mutex<Vec<(Instant, u32)>>,
}

impl Guard {
    pub(crate) fn new(options: &Options) -> Self {
        let keys: Vec<Vec<u8>> = options.keys.iter().map(|k| k.clone().into_bytes()).collect();
        let minutes = vec![(Instant::now(), 0); keys.len().max(1)];
        let hosts = options.hosts.iter().map(|h| h.to_ascii_lowercase()).collect();
        Self { keys, hosts, rate: options.rate, minutes: Mutex::new(minutes) }
    }

    /// Lets a request in, or says why not. `target` is the authority of a request that names one in its first line.
    pub(crate) fn admit(&self, target: Option<&str>, headers: &HeaderMap) -> Result<(), ApiError> {
        self.host(target, headers)?;
        let key = self.key(headers)?;
        self.count(key)
    }

    fn host(&self, target: Option<&str>, headers: &HeaderMap) -> Result<(), ApiError> {
        let host = one(headers, &HOST)?.ok_or_else(|| ApiError::bad("no_host", "the request has no Host"))?;
        for host in target.into_iter().chain([host]) {
            if !self.knows(host) {
                let message = "this host name is not known here; ask by address or as localhost, or start the server with \
                               --allow-host NAME";
                return Err(ApiError::new(403, "foreign_host", message));
            }
        }
        let Some(origin) = one(headers, &ORIGIN)? else { return Ok(()) };
        let from = origin.split_once("://").map(|(_, authority)| authority);
        let listed = |a: &str| self.hosts.iter().any(|h| h == &name_of(a).to_ascii_lowercase());
        if from.is_some_and(|a| a.eq_ignore_ascii_case(host) || listed(a)) {
            return Ok(());
        }
        Err(ApiError::new(403, "foreign_origin", "pages of other sites may not ask this server"))
    }

    /// Whether a host, with or without a port, is this machine as its clients call it.
    fn knows(&self, host: &str) -> bool {
        let name = name_of(host);
        let address = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
        name.eq_ignore_ascii_case("localhost")
            || name.parse::<Ipv4Addr>().is_ok()
            || address.is_some_and(|a| a.parse::<Ipv6Addr>().is_ok())
            || self.hosts.iter().any(|h| h == "*" || h.eq_ignore_ascii_case(name))
    }

    /// The number of the key that the request shows.
    fn key(&self, headers: &HeaderMap) -> Result<usize, ApiError> {
        if self.keys.is_empty() {
            return Ok(0);
        }
        let found = shown(headers)?;
        // All are compared, so that the time says nothing of which one.
        let same = self.keys.iter().map(|k| found.as_ref().is_some_and(|f| equal(k, f)));
        let same: Vec<bool> = same.collect();
        same.iter().position(|s| *s).ok_or_else(|| {
            let what = if found.is_some() {
                "this API key is not one of this server's"
            } else {
                "an API key is needed"
            };
            let message = format!("{what}; send `Authorization: Bearer KEY` or `x-api-key: KEY`");
            ApiError::new(401, "invalid_api_key", message)
        })
    }

    fn count(&self, key: usize) -> Result<(), ApiError> {
        let Some(rate) = self.rate else { return Ok(()) };
        let mut minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, n) = &mut minutes[key];
        let now = Instant::now();
        if now.duration_since(*since) >= MINUTE {
            (*since, *n) = (now, 0);
        }
        if *n < rate {
            *n += 1;
            return Ok(());
        }
        let left = MINUTE.saturating_sub(now.duration_since(*since)).as_secs() + 1;
        let message = format!("{rate} requests a minute are allowed; ask again in {left} seconds");
        Err(ApiError { retry_after: Some(left), ..ApiError::new(429, "rate_limit_exceeded", message) })
    }
}

/// The name of `name:port`.
fn name_of(host: &str) -> &str {
    match host.rfind(':') {
        Some(at) if host[at + 1..].bytes().all(|b| b.is_ascii_digit()) => &host[..at],
        _ => host,
    }
}

/// A header that may be there once.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ApiError> {
    let mut all = headers.get_all(name).iter();
    let (first, second) = (all.next(), all.next());
    match (first.map(|v| v.to_str()), second) {
        (None, _) => Ok(None),
        (Some(Ok(v)), None) => Ok(Some(v)),
        _ => {
            Err(ApiError::bad("invalid_header", format!("the header `{name}` is there twice, or is no text")))
        }
    }
}

/// The key that a request shows: a bearer's, Anthropic's header, or the password of a browser.
fn shown(headers: &HeaderMap) -> Result<Option<Vec<u8>>, ApiError> {
    if let Some(key) = one(headers, &HeaderName::from_static("x-api-key"))? {
        return Ok(Some(key.as_bytes().to_vec()));
    }
    let Some((scheme, rest)) = one(headers, &AUTHORIZATION)?.and_then(|v| v.split_once(' ')) else {
        return Ok(None);
    };
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Ok(Some(rest.as_bytes().to_vec()));
    }
    if scheme.eq_ignore_ascii_case("basic") {
        let pair = base64(rest).unwrap_or_default();
        let colon = pair.iter().position(|b| *b == b':');
        return Ok(colon.map(|at| pair[at + 1..].to_vec()));
    }
    Ok(None)
}

/// Whether two texts are equal, in a time that depends on the second one's length alone.
fn equal(key: &[u8], found: &[u8]) -> bool {
    let mut differ = key.len() ^ found.len();
    for (i, byte) in found.iter().enumerate() {
        let other = if key.is_empty() { !*byte } else { key[i % key.len()] };
        differ |= usize::from(black_box(byte ^ other));
    }
    black_box(differ) == 0
}

/// Bytes of base64 (RFC 4648, the standard alphabet).
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut n) = (0u32, 0);
    for b in text.trim_end_matches('=').bytes() {
        let digit = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        n += 6;
        if n >= 8 {
            n -= 8;
            out.push((bits >> n) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in all {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        map
    }

    fn status(guard: &Guard, all: &[(&'static str, &str)]) -> u16 {
        guard.admit(None, &headers(all)).map_or_else(|e| e.status, |()| 200)
    }

    #[test]
    fn hosts_and_origins() {
        let options = Options { hosts: vec!["Box.example".into()], ..Options::default() };
        let guard = Guard::new(&options);
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:8080",
            "10.1.2.3",
            "[::1]:8080",
            "[::1]",
            "box.example:1",
        ] {
            assert_eq!(status(&guard, &[("host", host)]), 200, "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io:80",
            "::1",
            "",
            "[::1",
            "1.2.3.4.5",
            "box.example.evil",
        ] {
            assert_eq!(status(&guard, &[("host", host)]), 403, "{host}");
        }
        assert_eq!(status(&guard, &[]), 400);
        assert_eq!(status(&guard, &[("host", "localhost"), ("host", "localhost")]), 400);
        let from = |origin| status(&guard, &[("host", "localhost:8080"), ("origin", origin)]);
        for origin in [
            "http://localhost:8080",
            "https://localhost:8080",
            "https://box.example",
            "http://box.example:99",
        ] {
            assert_eq!(from(origin), 200, "{origin}");
        }
        for origin in [
            "http://localhost",
            "http://localhost:81",
            "null",
            "http://evil.example",
            "",
            "https://127.0.0.1:8080",
        ] {
            assert_eq!(from(origin), 403, "{origin}");
        }
        let map = headers(&[("host", "localhost")]);
        assert!(
            guard.admit(Some("evil.example"), &map).is_err() && guard.admit(Some("localhost"), &map).is_ok()
        );
    }

    #[test]
    fn keys_in_each_of_their_places() {
        let guard =
            Guard::new(&Options { keys: vec!["first".into(), "s3cret".into()], ..Options::default() });
        let with = |name, value: &str| status(&guard, &[("host", "localhost"), (name, value)]);
        assert_eq!(with("authorization", "Bearer s3cret"), 200);
        assert_eq!(with("authorization", "bearer  first "), 200);
        assert_eq!(with("x-api-key", "s3cret"), 200);
        assert_eq!(with("authorization", "Basic dXNlcjpzM2NyZXQ="), 200);
        for wrong in [
            "Bearer",
            "Bearer ",
            "Bearer s3cre",
            "Bearer s3crets",
            "s3cret",
            "Basic s3cret",
            "Basic dXNlcg==",
            "Bearer firsts3cret",
        ] {
            assert_eq!(with("authorization", wrong), 401, "{wrong}");
        }
        assert_eq!(with("x-api-key", ""), 401);
        assert_eq!(with("accept", "*/*"), 401);
        assert!(
            equal(b"ab", b"ab")
                && !equal(b"ab", b"abab")
                && !equal(b"ab", b"a")
                && !equal(b"", b"a")
                && equal(b"", b"")
        );
        assert_eq!(base64("dXNlcjpzM2NyZXQ=").unwrap(), b"user:s3cret");
    }

    #[test]
    fn each_key_has_its_own_minute() {
        let keys = vec!["a".to_owned(), "b".to_owned()];
        let guard = Guard::new(&Options { keys, rate: Some(2), ..Options::default() });
        let ask = |key| guard.admit(None, &headers(&[("host", "localhost"), ("x-api-key", key)]));
        assert!(ask("a").is_ok() && ask("a").is_ok());
        let e = ask("a").unwrap_err();
        assert!(e.status == 429 && (1..=61).contains(&e.retry_after.unwrap()));
        assert!(ask("b").is_ok());
    }
}
