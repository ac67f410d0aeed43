//! ollama's `keep_alive`: seconds, or a duration as Go writes it.

use crate::error::ApiError;
use serde_json::Value;
use std::time::Duration;

/// How long a model stays in memory after its last request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepAlive {
    For(Duration),
    Forever,
}

/// Longer than this is for ever.
const LONGEST: f64 = 1e9;

impl KeepAlive {
    /// 0 is not at all, less than 0 for ever.
    pub(crate) fn read(name: &str, v: &Value) -> Result<Self, ApiError> {
        let wrong = || {
            let form = "seconds (300), or a duration (\"5m\", \"1h30m\"); 0 unloads the model after the answer, and -1 keeps it for ever";
            ApiError::value(name, format!("`{name}` is none; give {form}"))
        };
        let seconds = match v {
            Value::Number(n) => n.as_f64(),
            Value::String(s) => duration(s.trim()),
            v => return Err(ApiError::type_of(name, "a number of seconds or a duration", v)),
        };
        match seconds.ok_or_else(wrong)? {
            s if (0.0..=LONGEST).contains(&s) => Ok(Self::For(Duration::from_secs_f64(s))),
            _ => Ok(Self::Forever),
        }
    }
}

/// Seconds of a number, or of numbers with units: `-1`, `90`, `1.5h`, `1h30m`, `300ms`.
fn duration(text: &str) -> Option<f64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = |s: &str| {
        let plain =
            s.bytes().all(|b| b.is_ascii_digit() || b == b'.') && s.bytes().any(|b| b.is_ascii_digit());
        s.parse::<f64>().ok().filter(|_| plain && s.len() <= 20)
    };
    if let Some(seconds) = number(rest) {
        return Some(sign * seconds);
    }
    if rest.is_empty() {
        return None;
    }
    let mut sum = 0.0;
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (n, tail) = rest.split_at(unit_at);
        let unit_ends = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_ends);
        let scale = match unit {
            "ns" => 1e-9,
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        sum += number(n)? * scale;
        rest = tail;
    }
    Some(sign * sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn seconds_and_durations_are_read() {
        let secs = |s| KeepAlive::For(Duration::from_secs_f64(s));
        for (v, want) in [
            (json!(0), secs(0.0)),
            (json!(300), secs(300.0)),
            (json!(1.5), secs(1.5)),
            (json!("0"), secs(0.0)),
            (json!("90"), secs(90.0)),
            (json!("5m"), secs(300.0)),
            (json!("1h30m"), secs(5400.0)),
            (json!("1.5h"), secs(5400.0)),
            (json!("300ms"), secs(0.3)),
            (json!("0s"), secs(0.0)),
            (json!(-1), KeepAlive::Forever),
            (json!("-1"), KeepAlive::Forever),
            (json!("-5m"), KeepAlive::Forever),
            (json!(1e300), KeepAlive::Forever),
            (json!("99999999999h"), KeepAlive::Forever),
        ] {
            assert_eq!(KeepAlive::read("keep_alive", &v), Ok(want), "{v}");
        }
        let long = "9".repeat(500);
        for bad in [
            json!(""),
            json!("-"),
            json!("5x"),
            json!("m"),
            json!("5m3"),
            json!("1e3"),
            json!("inf"),
            json!("."),
            json!("nan"),
            json!("5 m"),
            json!(long),
            json!(true),
            json!([5]),
            json!({}),
        ] {
            let e = KeepAlive::read("keep_alive", &bad).expect_err(&bad.to_string());
            assert_eq!((e.status, e.param.as_deref()), (400, Some("keep_alive")), "{bad}");
        }
    }
}
