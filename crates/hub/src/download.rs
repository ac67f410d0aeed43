//! A resumable download of one file.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::HubError;
use crate::http::{Client, Reply, bad_response};
use crate::landing;
use crate::landing::{Earlier, Expected, Landed, Landing, beside};
use crate::progress::{Phase, Progress, Report};

/// Failures in a row, without progress between them, before giving up.
const MAX_FAILURES: u32 = 4;
/// Less than this does not count as progress, so that a server cannot keep us for ever byte by byte.
const PROGRESS_BYTES: u64 = 1 << 20;

/// One file to fetch.
pub(crate) struct Job<'a> {
    pub(crate) url: String,
    pub(crate) dest: &'a Path,
    pub(crate) expected: Expected,
    pub(crate) retry_delay: Duration,
}

/// What is remembered beside a partial file, to continue it only with the same content.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
struct Origin {
    url: String,
    etag: Option<String>,
    sha256: Option<String>,
}

/// Why one request did not finish the file.
enum Failure {
    /// Worth another request.
    Again(HubError),
    /// Final.
    Stop(HubError),
}

/// A download under way.
struct Download<'a> {
    client: &'a Client,
    job: &'a Job<'a>,
    landing: Landing,
    origin: Origin,
    expected: Expected,
    /// Some server has answered.
    reached: bool,
    /// `Progress::Start` was reported.
    announced: bool,
}

/// Fetches the file and gives it its name. The caller holds the file's lock.
pub(crate) fn download(
    client: &Client,
    job: &Job<'_>,
    progress: &mut Report<'_>,
) -> Result<Landed, HubError> {
    let mut download = Download::open(client, job)?;
    let mut failures = 0;
    let mut best = download.landing.len();
    loop {
        match download.request(progress) {
            Ok(()) => break,
            Err(Failure::Stop(error)) => return Err(download.give_up(error)),
            Err(Failure::Again(error)) => {
                if download.landing.len() >= best + PROGRESS_BYTES {
                    failures = 0;
                    best = download.landing.len();
                }
                failures += 1;
                // A hub that cannot be reached at all is given up at once: there may be another source.
                if failures >= MAX_FAILURES || !download.reached {
                    return Err(download.give_up(error));
                }
                progress(Progress::Notice(&format!("{}; trying again", error.problem())));
                thread::sleep(job.retry_delay * 2u32.pow(failures - 1));
            }
        }
    }
    let landed = download.landing.commit(job.dest, &download.expected);
    let _ = fs::remove_file(origin_path(job.dest));
    let landed = landed?;
    progress(Progress::Finish { path: job.dest });
    Ok(landed)
}

/// Where a partial download of `dest` lies.
pub(crate) fn part_path(dest: &Path) -> PathBuf {
    beside(dest, ".part")
}

fn origin_path(dest: &Path) -> PathBuf {
    beside(dest, ".part.json")
}

/// Removes what an unfinished download of `dest` left.
pub(crate) fn discard_partial(dest: &Path) {
    let _ = fs::remove_file(part_path(dest));
    let _ = fs::remove_file(origin_path(dest));
}

impl<'a> Download<'a> {
    fn open(client: &'a Client, job: &'a Job<'a>) -> Result<Self, HubError> {
        let noted = fs::read(origin_path(job.dest)).ok();
        let origin: Option<Origin> = noted.and_then(|text| serde_json::from_slice(&text).ok());
        let origin = origin.filter(|origin| origin.url == job.url);
        // Without a validator and without a hash nothing would show that the halves belong together.
        let resumable =
            origin.as_ref().is_some_and(|origin| origin.etag.is_some() || origin.sha256.is_some());
        let earlier = if resumable { Earlier::Continue } else { Earlier::Discard };
        let mut landing = Landing::open(part_path(job.dest), earlier)?;
        if job.expected.bytes.is_some_and(|bytes| landing.len() > bytes) {
            landing.restart()?;
        }
        let origin = origin.unwrap_or_else(|| Origin { url: job.url.clone(), ..Origin::default() });
        Ok(Self {
            client,
            job,
            landing,
            origin,
            expected: job.expected.clone(),
            reached: false,
            announced: false,
        })
    }

    /// One request for what is missing.
    fn request(&mut self, progress: &mut Report<'_>) -> Result<(), Failure> {
        let from = self.landing.len();
        let mut headers = Vec::new();
        if from > 0 {
            headers.push(("range", format!("bytes={from}-")));
            if let Some(etag) = &self.origin.etag {
                headers.push(("if-range", etag.clone()));
            }
        }
        let reply = self.client.get(&self.job.url, &headers).map_err(Failure::Again)?;
        self.reached = true;
        self.check_content(&reply)?;
        let total = match reply.response.status().as_u16() {
            200 => {
                self.landing.restart().map_err(Failure::Stop)?;
                content_length(&reply)
            }
            206 if from > 0 => self.continued_total(&reply)?,
            416 if from > 0 => return self.already_whole(&reply),
            408 | 429 | 500..=599 => return Err(Failure::Again(reply.status_error())),
            _ => return Err(Failure::Stop(reply.status_error())),
        };
        if let (Some(total), Some(bytes)) = (total, self.expected.bytes)
            && total != bytes
        {
            let reason = format!("it offers {total} bytes where {bytes} are expected");
            return Err(Failure::Stop(bad_response(&reply.url, reason)));
        }
        self.note_origin(&reply)?;
        if let Some(bytes) = total.or(self.expected.bytes) {
            let missing = bytes.saturating_sub(self.landing.len());
            landing::require_space(self.job.dest, missing).map_err(Failure::Stop)?;
        }
        self.announce(total.or(self.expected.bytes), progress);
        self.receive(reply, total, progress)
    }

    /// Takes over what the hub says the file is, and refuses other bytes than the expected ones.
    fn check_content(&mut self, reply: &Reply) -> Result<(), Failure> {
        let status = reply.response.status().as_u16();
        let Some(found) = reply.linked.sha256.clone().filter(|_| status < 400 || status == 416) else {
            return Ok(());
        };
        if let Some(expected) = self.job.expected.sha256.clone()
            && expected != found
        {
            return Err(Failure::Stop(HubError::OtherBytes { url: self.job.url.clone(), expected, found }));
        }
        let changed = self.origin.sha256.as_ref().is_some_and(|earlier| *earlier != found);
        self.expected.sha256 = Some(found.clone());
        if self.expected.bytes.is_none() || changed {
            self.expected.bytes = reply.linked.bytes;
        }
        self.origin.sha256 = Some(found);
        if changed && self.landing.len() > 0 && status != 200 {
            self.start_over().map_err(Failure::Stop)?;
            let reason = "the file changed on the server".to_string();
            return Err(Failure::Again(bad_response(&reply.url, reason)));
        }
        Ok(())
    }

    /// The whole file's size, after checking that the rest fits what is here.
    fn continued_total(&mut self, reply: &Reply) -> Result<Option<u64>, Failure> {
        let range = reply.header("content-range").and_then(parse_content_range);
        let same = match (&self.origin.etag, strong_etag(reply)) {
            (Some(earlier), Some(now)) => *earlier == now,
            _ => true,
        };
        match range {
            Some((start, total)) if start == self.landing.len() && same => Ok(total),
            _ => {
                self.start_over().map_err(Failure::Stop)?;
                let reason = "it continues with other bytes than asked for".to_string();
                Err(Failure::Again(bad_response(&reply.url, reason)))
            }
        }
    }

    /// There is nothing after what is here: either it is the whole file, or it is not this file.
    fn already_whole(&mut self, reply: &Reply) -> Result<(), Failure> {
        let total = reply.header("content-range").and_then(|text| text.strip_prefix("bytes */"));
        let total = total.and_then(|text| text.parse().ok()).or(self.expected.bytes);
        if total == Some(self.landing.len()) {
            return Ok(());
        }
        self.start_over().map_err(Failure::Stop)?;
        Err(Failure::Again(bad_response(&reply.url, "the partial file does not fit it".to_string())))
    }

    /// Leaves a partial file for the next run, but no empty one.
    fn give_up(&self, error: HubError) -> HubError {
        if self.landing.len() == 0 {
            discard_partial(self.job.dest);
        }
        error
    }

    fn start_over(&mut self) -> Result<(), HubError> {
        self.origin.etag = None;
        self.landing.restart()
    }

    fn note_origin(&mut self, reply: &Reply) -> Result<(), Failure> {
        let path = origin_path(self.job.dest);
        let etag = strong_etag(reply);
        if etag.is_some() || reply.response.status().as_u16() == 200 {
            self.origin.etag = etag;
        }
        self.origin.sha256 = self.expected.sha256.clone();
        let text = serde_json::to_vec(&self.origin).unwrap_or_default();
        fs::write(&path, text).map_err(|error| Failure::Stop(HubError::io(&path, "writing", error)))
    }

    fn announce(&mut self, total: Option<u64>, progress: &mut Report<'_>) {
        let done = self.landing.len();
        if self.announced {
            progress(Progress::Advance { done, total });
            return;
        }
        self.announced = true;
        let what = self.job.dest.file_name().unwrap_or_default().to_string_lossy();
        let from = self.client.host();
        progress(Progress::Start { phase: Phase::Download, what: &what, from, done, total });
    }

    fn receive(
        &mut self,
        reply: Reply,
        total: Option<u64>,
        progress: &mut Report<'_>,
    ) -> Result<(), Failure> {
        let Reply { response, url, .. } = reply;
        let mut body = response.into_body().into_reader();
        let mut buffer = vec![0; 256 << 10];
        let limit = total.or(self.expected.bytes);
        let reason = loop {
            match body.read(&mut buffer) {
                Ok(0) if limit.is_none_or(|limit| self.landing.len() >= limit) => return Ok(()),
                Ok(0) => break "the connection was closed early".to_string(),
                Ok(count) => {
                    let missing = limit.map(|limit| limit.saturating_sub(self.landing.len()));
                    let written = self.landing.write(&buffer[..count]);
                    written.map_err(|error| Failure::Stop(error.needing(missing)))?;
                    if limit.is_some_and(|limit| self.landing.len() > limit) {
                        self.start_over().map_err(Failure::Stop)?;
                        let reason = "it sends more bytes than it announced".to_string();
                        return Err(Failure::Stop(bad_response(&url, reason)));
                    }
                    progress(Progress::Advance { done: self.landing.len(), total: limit });
                }
                Err(error) => break error.to_string(),
            }
        };
        Err(Failure::Again(HubError::Interrupted { url, got: self.landing.len(), total: limit, reason }))
    }
}

fn content_length(reply: &Reply) -> Option<u64> {
    reply.header("content-length")?.parse().ok()
}

/// The entity tag, unless it is a weak one: `If-Range` takes strong ones only (RFC 9110, 13.1.5).
fn strong_etag(reply: &Reply) -> Option<String> {
    let etag = reply.header("etag")?;
    (etag.starts_with('"') && etag.len() > 2).then(|| etag.to_string())
}

/// First byte and total size of `bytes first-last/total`.
fn parse_content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    Some((range.split_once('-')?.0.parse().ok()?, total.parse().ok()))
}
