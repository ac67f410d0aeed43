//! The options that say how tokens are drawn, with llama.cpp's names.

use super::{Seed, probability, seed, temperature};
use akunu::{LogitBias, SamplerOrder, Token};
use clap::Args;

/// How tokens are drawn.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Sampling")]
pub(crate) struct Sampling {
    /// Softmax temperature; 0 always takes the likeliest token [default: the model's own, else 0.8].
    #[arg(long, value_name = "T", alias = "temperature", value_parser = temperature)]
    pub(crate) temp: Option<f32>,
    /// Keep the K likeliest tokens; 0 keeps all [default: the model's own, else 40].
    #[arg(long, value_name = "K", value_parser = top_k, allow_negative_numbers = true)]
    pub(crate) top_k: Option<u32>,
    /// Keep the likeliest tokens up to this share of probability; 1 keeps all [default: the model's own, else 0.95].
    #[arg(long, value_name = "P", value_parser = share)]
    pub(crate) top_p: Option<f32>,
    /// Keep tokens with at least this share of the best one's probability [default: the model's own, else 0.05].
    #[arg(long, value_name = "P", value_parser = probability)]
    pub(crate) min_p: Option<f32>,
    /// Keep the tokens of the most typical surprise, up to this share of probability [default: 1, off].
    #[arg(long, value_name = "P", alias = "typical-p", value_parser = share)]
    pub(crate) typical: Option<f32>,
    /// Keep logits within so many standard deviations of the best; 0 or less keeps all [default: -1, off].
    #[arg(long, value_name = "N", alias = "top-nsigma", value_parser = finite, allow_negative_numbers = true)]
    pub(crate) top_n_sigma: Option<f32>,
    /// How often to drop all likely tokens but the least likely of them [default: 0, off].
    #[arg(long, value_name = "P", value_parser = probability)]
    pub(crate) xtc_probability: Option<f32>,
    /// Which tokens are likely then; above 0.5 none [default: 0.1].
    #[arg(long, value_name = "P", value_parser = share)]
    pub(crate) xtc_threshold: Option<f32>,
    /// Make tokens among the last ones less likely: divides their logits [default: the model's own, else 1, off].
    #[arg(long, value_name = "X", value_parser = above_zero)]
    pub(crate) repeat_penalty: Option<f32>,
    /// Tokens that penalties look back on: 0 to 4096, or -1 for as many as there may be [default: 64].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(-1..=4096), allow_negative_numbers = true)]
    pub(crate) repeat_last_n: Option<i32>,
    /// Taken from the logits of tokens among the last ones [default: 0, off].
    #[arg(long, value_name = "X", value_parser = finite, allow_negative_numbers = true)]
    pub(crate) presence_penalty: Option<f32>,
    /// Taken from the logits of tokens for each time they are among the last ones [default: 0, off].
    #[arg(long, value_name = "X", value_parser = finite, allow_negative_numbers = true)]
    pub(crate) frequency_penalty: Option<f32>,
    /// DRY: what a repetition costs that has reached the allowed length; 0.8 is usual [default: 0, off].
    #[arg(long, value_name = "X", value_parser = not_below_zero)]
    pub(crate) dry_multiplier: Option<f32>,
    /// DRY: by how much more each further token costs [default: 1.75].
    #[arg(long, value_name = "X", value_parser = above_zero)]
    pub(crate) dry_base: Option<f32>,
    /// DRY: the shortest repetition that costs something [default: 2].
    #[arg(long, value_name = "N")]
    pub(crate) dry_allowed_length: Option<u32>,
    /// DRY: tokens that it looks back on: 0 to 4096, or -1 for as many as there may be [default: -1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(-1..=4096), allow_negative_numbers = true)]
    pub(crate) dry_penalty_last_n: Option<i32>,
    /// DRY: what no repetition goes over; may be given several times, none is nothing [default: a line's end, : " and *].
    #[arg(long, value_name = "TEXT")]
    pub(crate) dry_sequence_breaker: Vec<String>,
    /// Mirostat 2 in the place of all samplers but the temperature [default: 0, off].
    #[arg(long, value_name = "2", value_parser = mirostat)]
    pub(crate) mirostat: Option<u32>,
    /// Mirostat: the surprise that it aims at, in bits [default: 5].
    #[arg(long, value_name = "BITS", value_parser = above_zero)]
    pub(crate) mirostat_ent: Option<f32>,
    /// Mirostat: how fast its bound follows [default: 0.1].
    #[arg(long, value_name = "RATE", value_parser = above_zero)]
    pub(crate) mirostat_lr: Option<f32>,
    /// Add to a token's logit: ID+X or ID-X, ID-inf bans it; may be given several times.
    #[arg(long, short = 'l', value_name = "ID+X", value_parser = logit_bias)]
    pub(crate) logit_bias: Vec<LogitBias>,
    /// The samplers that take part, in order, with ; between them [default:
    /// penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature].
    #[arg(long, value_name = "NAMES", value_parser = order)]
    pub(crate) samplers: Option<SamplerOrder>,
    /// Seed of the draw; the same seed gives the same text [default, also as -1: random].
    #[arg(long, short, value_name = "S", value_parser = seed)]
    pub(crate) seed: Option<Seed>,
}

impl Sampling {
    /// Takes over what another one says; its lists take the place of these where they are not empty.
    pub(crate) fn take_over(&mut self, newer: Self) {
        macro_rules! take {
            ($($name:ident)*) => {$(self.$name = newer.$name.or(self.$name);)*};
        }
        take!(
            temp top_k top_p min_p typical top_n_sigma xtc_probability xtc_threshold repeat_penalty repeat_last_n presence_penalty frequency_penalty dry_multiplier dry_base dry_allowed_length dry_penalty_last_n mirostat mirostat_ent mirostat_lr samplers seed
        );
        if !newer.dry_sequence_breaker.is_empty() {
            self.dry_sequence_breaker = newer.dry_sequence_breaker;
        }
        if !newer.logit_bias.is_empty() {
            self.logit_bias = newer.logit_bias;
        }
    }
}

fn top_k(s: &str) -> Result<u32, String> {
    match s.parse::<i64>() {
        // What llama.cpp takes for "all".
        Ok(k) if k <= 0 => Ok(0),
        Ok(k) => Ok(u32::try_from(k).unwrap_or(u32::MAX)),
        Err(_) => Err("choose a number of tokens, or 0 for all; 40 is usual".into()),
    }
}

fn share(s: &str) -> Result<f32, String> {
    match s.parse::<f32>() {
        Ok(v) if (0.0..=1.0).contains(&v) => Ok(v),
        _ => Err("choose between 0 and 1 (off)".into()),
    }
}

fn finite(s: &str) -> Result<f32, String> {
    match s.parse::<f32>() {
        Ok(v) if v.is_finite() && v.abs() <= 1e6 => Ok(v),
        _ => Err("choose a number; 0 is off".into()),
    }
}

fn mirostat(s: &str) -> Result<u32, String> {
    match s {
        "0" => Ok(0),
        "2" => Ok(2),
        _ => Err("choose 0 (off) or 2, the version that took the place of the first".into()),
    }
}

fn not_below_zero(s: &str) -> Result<f32, String> {
    match s.parse::<f32>() {
        Ok(v) if (0.0..=1e6).contains(&v) => Ok(v),
        _ => Err("choose 0 (off) or more".into()),
    }
}

fn above_zero(s: &str) -> Result<f32, String> {
    match s.parse::<f32>() {
        Ok(v) if v.is_finite() && v > 0.0 => Ok(v),
        _ => Err("choose more than 0; 1 is off, 1.1 is usual".into()),
    }
}

fn logit_bias(s: &str) -> Result<LogitBias, String> {
    let parse = || {
        let at = s.find(['+', '-'])?;
        let (token, bias) = s.split_at(at);
        let bias = bias.parse::<f32>().ok()?;
        (bias.is_finite() && bias.abs() <= 1e6 || bias == f32::NEG_INFINITY)
            .then_some(LogitBias { token: Token(token.parse().ok()?), bias })
    };
    parse().ok_or_else(|| "write a token's id and what is added, as 15043+1.5, or 15043-inf to ban it".into())
}

fn order(s: &str) -> Result<SamplerOrder, String> {
    SamplerOrder::parse(s).map_err(|e| e.to_string())
}
