//! The options of `akunu serve`.

use super::machine::Whole;
use super::{Drafting, MODEL, chat_template_help};
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Answers many at a time, from this machine unless told otherwise. `/` is a page to chat with; `/openapi.json` lists all routes.
#[derive(Args, Debug)]
#[command(override_usage = "akunu serve [OPTIONS] MODEL...")]
pub(crate) struct Serve {
    #[arg(skip)]
    pub(crate) models: Vec<String>,
    /// The models of the file, where the command line names none.
    #[arg(skip)]
    pub(crate) served: Vec<super::Served>,
    #[arg(value_name = "MODEL", help = MODEL, value_hint = ValueHint::FilePath)]
    pub(super) words: Vec<String>,
    /// A MODEL, as an option; may be given several times.
    #[arg(short = 'm', long = "model", value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub(super) named: Vec<String>,
    /// A MODEL on the hub, also as -hf: owner/repo[:file].
    #[arg(long, value_name = "OWNER/REPO", alias = "hf")]
    pub(super) hf_repo: Vec<String>,
    /// A TOML file with options by their names, and models with options of their own (docs/server.md). What stands here and in the
    /// environment is stronger; models that are named here take the place of the file's.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Address to listen on; 0.0.0.0 is all of this machine's [default: AKUNU_HOST, else 127.0.0.1].
    #[arg(long, value_name = "ADDRESS", help_heading = "Network")]
    pub(crate) host: Option<std::net::IpAddr>,
    /// Port to listen on; 0 is any that is free [default: AKUNU_PORT, else 8080].
    #[arg(long, value_name = "PORT", help_heading = "Network")]
    pub(crate) port: Option<u16>,
    /// A key that each request must show; may be given several times. Other users see it in the list of processes: AKUNU_API_KEY and
    /// --api-key-file are better places [default: AKUNU_API_KEY].
    #[arg(long, value_name = "KEY", help_heading = "Network")]
    pub(crate) api_key: Vec<String>,
    /// A file with a key in each line.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Network")]
    pub(crate) api_key_file: Option<PathBuf>,
    /// Serve other machines without a key: whoever reaches this one can use it.
    #[arg(long, help_heading = "Network")]
    pub(crate) allow_anyone: bool,
    /// A name by which clients call this machine, beside localhost and its addresses; * is any. May be given several times.
    #[arg(long, value_name = "NAME", help_heading = "Network")]
    pub(crate) allow_host: Vec<String>,
    /// Requests that a key may make in a minute (all clients together where there is no key) [default: any number].
    #[arg(long, value_name = "N", help_heading = "Network", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: Option<u32>,
    /// The most MiB of a request.
    #[arg(long, value_name = "MIB", default_value = "8", help_heading = "Network", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) max_body: u32,
    /// Another name of the first model, or with =MODEL of another one, by the name in /v1/models; may be given several times.
    #[arg(long, short = 'a', value_name = "NAME[=MODEL]", help_heading = "Serving")]
    pub(crate) alias: Vec<String>,
    /// The most answers at a time, of each model, also as -np; of a model of speech, pieces of a file that are heard at a time
    /// [default: what suits the device; 4 pieces].
    #[arg(long, value_name = "N", alias = "parallel", help_heading = "Serving")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(akunu::plan::MAX_SEQUENCES)))]
    pub(crate) sequences: Option<u32>,
    /// The most answers that wait for their turn, of each model; one more is refused.
    #[arg(long, value_name = "N", default_value = "256", help_heading = "Serving", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) queue: u32,
    /// Tokens that the KV cache of each model holds, of all answers together [default: what suits the device].
    #[arg(long, value_name = "N", help_heading = "Serving")]
    pub(crate) cache_tokens: Option<u64>,
    /// The most models in memory at a time; others are loaded when somebody asks for them, in the place of those that nobody has asked
    /// for the longest time [default: all].
    #[arg(long, value_name = "N", help_heading = "Serving", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_loaded: Option<u32>,
    /// The most memory that all models together take, weights and caches, such as 6G or 512M; models make way as with --max-loaded
    /// [default: no bound].
    #[arg(long, value_name = "SIZE", help_heading = "Serving", value_parser = bytes)]
    pub(crate) memory_budget: Option<u64>,
    /// Unload a model that nobody has asked for so many seconds; the next request loads it again [default: never].
    #[arg(long, value_name = "SECONDS", help_heading = "Serving", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) idle_unload: Option<u32>,
    /// Make each answer independent of what else runs, to the last bit; slower where few run at a time.
    #[arg(long, help_heading = "Serving")]
    pub(crate) deterministic: bool,
    #[arg(long, value_name = "NAME|FILE", value_hint = ValueHint::FilePath, help_heading = "Serving", help = chat_template_help())]
    pub(crate) chat_template: Option<String>,
    #[command(flatten)]
    pub(crate) drafting: Drafting,
    #[command(flatten)]
    pub(super) machine: Whole,
}

impl Serve {
    /// Where and how large to run.
    pub(crate) fn machine(&self) -> Result<super::Machine, crate::error::CliError> {
        super::Machine::whole(&self.machine)
    }
}

/// A size with a unit of 1024s, as tools of memory have it: 6G, 6GiB, 512M. A number alone is bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "give a size such as 6G, 1.5G, 512M or a number of bytes".to_owned();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let power = match unit.trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(wrong()),
    };
    let scaled = number.parse::<f64>().map_err(|_| wrong())? * 1024f64.powi(power);
    // Above this an f64 does not hold every whole number, and no machine has so much.
    if !(1.0..=9e15).contains(&scaled) {
        return Err(wrong());
    }
    Ok(scaled as u64)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_have_units() {
        for (text, want) in [
            ("1", 1),
            ("6G", 6 << 30),
            ("6GiB", 6 << 30),
            ("6gb", 6 << 30),
            ("1.5g", 3 << 29),
            ("512M", 512 << 20),
            ("64k", 64 << 10),
            ("2T", 2 << 40),
            ("100B", 100),
        ] {
            assert_eq!(bytes(text), Ok(want), "{text}");
        }
        let long = "9".repeat(400);
        for bad in
            ["", "0", "0G", "-1G", "G", "6X", "6 6", "1e9", "nan", "inf", "1.2.3", "99999999T", "ö", &long]
        {
            assert!(bytes(bad).is_err_and(|e| e.contains("6G")), "{bad}");
        }
    }
}
