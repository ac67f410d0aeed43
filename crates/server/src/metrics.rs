//! What the server does and has done, in numbers, and their text for Prometheus.
//!
//! Invariant, at every moment: accepted = completed + cancelled + failed + in flight. All five change under one lock.

use crate::models::{Loaded, Models};
use akunu::scheduler::Status;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Completed,
    /// The client went away.
    Cancelled,
    Failed,
}

/// Requests so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    accepted: u64,
    completed: u64,
    cancelled: u64,
    failed: u64,
    in_flight: u64,
}

/// Seconds up to which a bucket counts.
const SECONDS: [f64; 15] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0];

/// Durations in buckets.
#[derive(Debug, Default)]
struct Histogram(Mutex<Buckets>);

#[derive(Clone, Copy, Debug, Default)]
struct Buckets {
    /// Each alone; the text has their sums.
    counts: [u64; SECONDS.len()],
    sum: f64,
    count: u64,
}

impl Histogram {
    fn add(&self, d: Duration) {
        let seconds = d.as_secs_f64();
        let mut b = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(i) = SECONDS.iter().position(|most| seconds <= *most) {
            b.counts[i] += 1;
        }
        b.sum += seconds;
        b.count += 1;
    }

    fn write(&self, name: &str, about: &str, out: &mut String) {
        let b = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        head(name, "histogram", about, out);
        let mut sum = 0;
        for (most, n) in SECONDS.iter().zip(b.counts) {
            sum += n;
            line(&format!("{name}_bucket{{le=\"{most}\"}}"), sum as f64, out);
        }
        line(&format!("{name}_bucket{{le=\"+Inf\"}}"), b.count as f64, out);
        line(&format!("{name}_sum"), b.sum, out);
        line(&format!("{name}_count"), b.count as f64, out);
    }
}

/// All numbers.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    counts: Mutex<Counts>,
    first_token: Histogram,
    between: Histogram,
    queue: Histogram,
    whole: Histogram,
}

impl Metrics {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All of them, in Prometheus' text format (version 0.0.4).
    pub(crate) fn text(&self, models: &Models) -> String {
        let mut out = String::new();
        let loaded = models.0.iter().filter_map(|s| s.loaded());
        let status = |l: &Loaded| match l.engine() {
            Ok(engine) => engine.status(),
            // An encoder.
            Err(_) => Status {
                running: l.turns.is_taken().into(),
                waiting: l.turns.waiting() as u32,
                ..Status::default()
            },
        };
        let all: Vec<(String, Status)> = loaded.map(|l| (label(&l.name), status(&l))).collect();
        let mut each = |name: &str, kind: &str, about: &str, value: &dyn Fn(&Status) -> f64| {
            head(name, kind, about, &mut out);
            for (label, status) in &all {
                line(&format!("{name}{{model_name=\"{label}\"}}"), value(status), &mut out);
            }
        };
        each("vllm:num_requests_running", "gauge", "Sequences that run.", &|s| s.running.into());
        each("vllm:num_requests_waiting", "gauge", "Sequences that wait.", &|s| s.waiting.into());
        let usage = |s: &Status| f64::from(s.cache.held) / f64::from(s.cache.blocks.max(1));
        each("vllm:kv_cache_usage_perc", "gauge", "Share of the KV cache's blocks in use; 1 is all.", &usage);
        each("vllm:prompt_tokens_total", "counter", "Tokens of prompts that were computed or found.", &|s| {
            (s.prefilled + s.reused) as f64
        });
        each("vllm:generation_tokens_total", "counter", "Tokens drawn.", &|s| s.drawn as f64);
        each("vllm:prefix_cache_hits_total", "counter", "Tokens of prompts found in the KV cache.", &|s| {
            s.reused as f64
        });
        each("vllm:num_preemptions_total", "counter", "Sequences moved to host memory.", &|s| {
            s.parked as f64
        });
        let c = *self.counts();
        for (name, kind, about, n) in [
            ("akunu_requests_accepted_total", "counter", "Requests that an engine took.", c.accepted),
            ("akunu_requests_completed_total", "counter", "Of these, answered to the end.", c.completed),
            ("akunu_requests_cancelled_total", "counter", "Of these, left by their clients.", c.cancelled),
            ("akunu_requests_failed_total", "counter", "Of these, ended by an error.", c.failed),
            ("akunu_requests_in_flight", "gauge", "Of these, under way.", c.in_flight),
        ] {
            head(name, kind, about, &mut out);
            line(name, n as f64, &mut out);
        }
        let seconds = "akunu_time_to_first_token_seconds";
        self.first_token.write(seconds, "From a request to its answer's first token.", &mut out);
        self.between.write("akunu_time_between_tokens_seconds", "From a token to the next one.", &mut out);
        self.queue.write("akunu_queue_seconds", "From a request to its answer's beginning.", &mut out);
        self.whole.write("akunu_request_seconds", "From a request to its end.", &mut out);
        out
    }
}

fn head(name: &str, kind: &str, about: &str, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# HELP {name} {about}\n# TYPE {name} {kind}");
}

fn line(name: &str, value: f64, out: &mut String) {
    let _ = writeln!(out, "{name} {value}");
}

/// A label's value.
fn label(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// One request's numbers. Dropped without an end, it was cancelled.
#[derive(Debug)]
pub(crate) struct Account {
    metrics: Arc<Metrics>,
    since: Instant,
    open: bool,
}

impl Account {
    /// Of a request that came now. Nothing is counted before it is accepted.
    pub(crate) fn new(metrics: &Arc<Metrics>) -> Self {
        Self { metrics: Arc::clone(metrics), since: Instant::now(), open: false }
    }

    /// An engine has it.
    pub(crate) fn accepted(&mut self) {
        let mut c = self.metrics.counts();
        c.accepted += 1;
        c.in_flight += 1;
        self.open = true;
    }

    /// It has ended; only the first end counts.
    pub(crate) fn end(&mut self, outcome: Outcome) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        self.metrics.whole.add(self.since.elapsed());
        let mut c = self.metrics.counts();
        c.in_flight -= 1;
        match outcome {
            Outcome::Completed => c.completed += 1,
            Outcome::Cancelled => c.cancelled += 1,
            Outcome::Failed => c.failed += 1,
        }
    }

    /// One of its answers has begun.
    pub(crate) fn started(&self) {
        self.metrics.queue.add(self.since.elapsed());
    }

    /// The first token of one of its answers.
    pub(crate) fn first_token(&self) {
        self.metrics.first_token.add(self.since.elapsed());
    }

    /// Another token, so long after the one before.
    pub(crate) fn token(&self, after: Duration) {
        self.metrics.between.add(after);
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.end(Outcome::Cancelled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_always_add_up() {
        let metrics = Arc::new(Metrics::default());
        let account = |n: usize| {
            let mut a = Account::new(&metrics);
            a.accepted();
            match n % 4 {
                0 => a.end(Outcome::Completed),
                1 => a.end(Outcome::Failed),
                2 => drop(a),
                _ => std::mem::forget(a),
            }
        };
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| (0..1000).for_each(account));
            }
            for _ in 0..1000 {
                let c = *metrics.counts();
                assert_eq!(c.accepted, c.completed + c.cancelled + c.failed + c.in_flight);
            }
        });
        let want = Counts { accepted: 4000, completed: 1000, cancelled: 1000, failed: 1000, in_flight: 1000 };
        assert_eq!(*metrics.counts(), want);
        // Who never was accepted is not counted, and an end counts once.
        drop(Account::new(&metrics));
        let mut a = Account::new(&metrics);
        a.accepted();
        a.end(Outcome::Completed);
        a.end(Outcome::Failed);
        assert_eq!(metrics.counts().completed, 1001);
    }

    #[test]
    fn buckets_hold_all_below_them() {
        let h = Histogram::default();
        for ms in [0, 1, 3, 50, 500_000] {
            h.add(Duration::from_millis(ms));
        }
        let mut out = String::new();
        h.write("x", "About.", &mut out);
        for want in [
            "x_bucket{le=\"0.001\"} 2",
            "x_bucket{le=\"0.005\"} 3",
            "x_bucket{le=\"120\"} 4",
            "x_bucket{le=\"+Inf\"} 5",
            "x_count 5",
        ] {
            assert!(out.lines().any(|l| l == want), "{want}: {out}");
        }
        assert_eq!(label("a\"b\\c\n"), "a\\\"b\\\\c\\n");
    }
}
