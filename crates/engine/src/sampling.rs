//! How tokens are drawn: settings with llama.cpp's names, defaults and order, and what a device is told of them.

use crate::Error;
use crate::grammar::Grammar;
use akunu_kernels::sampler::{Bias, Filter, MAX_BIASES, MAX_LOGPROBS, MAX_WINDOW, Sampler};
use akunu_kernels::step::Token;
use akunu_plan::Draw;
use std::fmt;
use std::sync::Arc;

/// A sampler, by llama.cpp's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SamplerKind {
    /// Repetition, presence and frequency penalties of tokens that came before.
    Penalties,
    /// "Don't repeat yourself": a penalty of what would go on repeating.
    Dry,
    /// Keeps logits within so many standard deviations of the best.
    TopNSigma,
    /// Keeps so many of the likeliest tokens.
    TopK,
    /// Keeps tokens of the most typical surprise, up to a share of probability.
    TypP,
    /// Keeps the likeliest tokens, up to a share of probability.
    TopP,
    /// Keeps tokens with at least so much of the best one's probability.
    MinP,
    /// Sometimes drops all likely tokens but the least likely of them.
    Xtc,
    /// Divides logits by the temperature.
    Temperature,
}

impl SamplerKind {
    /// All of them, in the default order.
    pub const ALL: [Self; 9] = [
        Self::Penalties,
        Self::Dry,
        Self::TopNSigma,
        Self::TopK,
        Self::TypP,
        Self::TopP,
        Self::MinP,
        Self::Xtc,
        Self::Temperature,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Penalties => "penalties",
            Self::Dry => "dry",
            Self::TopNSigma => "top_n_sigma",
            Self::TopK => "top_k",
            Self::TypP => "typ_p",
            Self::TopP => "top_p",
            Self::MinP => "min_p",
            Self::Xtc => "xtc",
            Self::Temperature => "temperature",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        let name = name.to_lowercase().replace('-', "_");
        let name = match name.as_str() {
            "typical" | "typical_p" => "typ_p",
            "temp" => "temperature",
            other => other,
        };
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

    /// What a device does for it, where that is a filter.
    fn filter(self) -> Option<Filter> {
        Some(match self {
            Self::Penalties | Self::Dry => return None,
            Self::TopNSigma => Filter::TopNSigma,
            Self::TopK => Filter::TopK,
            Self::TypP => Filter::Typical,
            Self::TopP => Filter::TopP,
            Self::MinP => Filter::MinP,
            Self::Xtc => Filter::Xtc,
            Self::Temperature => Filter::Temperature,
        })
    }
}

/// The samplers that take part, in their order. One that is left out does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerOrder([Option<SamplerKind>; SamplerKind::ALL.len()]);

impl SamplerOrder {
    /// llama.cpp's.
    pub const DEFAULT: Self = {
        let mut all = [None; SamplerKind::ALL.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Some(SamplerKind::ALL[i]);
            i += 1;
        }
        Self(all)
    };

    /// From names with `;` or `,` between them. An error where one is unknown or named twice, or where penalties do not come first:
    /// they change logits before anything is dropped.
    pub fn parse(names: &str) -> Result<Self, Error> {
        let refuse =
            |value: &str, remedy| Err(Error::Option { name: "samplers", value: value.into(), remedy });
        let mut order = [None; SamplerKind::ALL.len()];
        let names = names.split([';', ',']).map(str::trim).filter(|n| !n.is_empty());
        for (i, name) in names.enumerate() {
            let Some(kind) = SamplerKind::parse(name) else {
                return refuse(
                    name,
                    "name some of penalties, dry, top_n_sigma, top_k, typ_p, top_p, min_p, xtc, temperature",
                );
            };
            if order.contains(&Some(kind)) {
                return refuse(name, "name each sampler once");
            }
            let place = usize::from(kind == SamplerKind::Dry && order[0] == Some(SamplerKind::Penalties));
            if kind.filter().is_none() && i > place {
                let remedy = "penalties, then dry, change logits before anything is dropped: name them first";
                return refuse(name, remedy);
            }
            order[i] = Some(kind);
        }
        Ok(Self(order))
    }

    /// The samplers.
    pub fn iter(&self) -> impl Iterator<Item = SamplerKind> + use<> {
        self.0.into_iter().flatten()
    }

    fn has(&self, kind: SamplerKind) -> bool {
        self.0.contains(&Some(kind))
    }
}

impl fmt::Display for SamplerOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, kind) in self.iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { ";" }, kind.name())?;
        }
        Ok(())
    }
}

/// What is added to a token's logit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogitBias {
    /// The token.
    pub token: Token,
    /// What is added; minus infinity bans the token.
    pub bias: f32,
}

/// How a token is drawn. Samplers work in the order of `order`, each on what the ones before it kept; biases come before all.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Softmax temperature; 0 takes the likeliest token.
    pub temperature: f32,
    /// Keep so many of the likeliest tokens; 0 keeps all.
    pub top_k: u32,
    /// Keep the likeliest tokens up to this share of probability; 1 keeps all.
    pub top_p: f32,
    /// Keep tokens with at least this share of the best one's probability; 0 keeps all.
    pub min_p: f32,
    /// Keep the tokens whose surprise is nearest to the expected one, up to this share of probability; 1 keeps all.
    pub typical: f32,
    /// Keep logits of at least the best one's less so many standard deviations; 0 or less keeps all.
    pub top_n_sigma: f32,
    /// In this share of draws, drop all tokens above `xtc_threshold` but the least likely of them.
    pub xtc_probability: f32,
    /// That probability; above 0.5 nothing is dropped.
    pub xtc_threshold: f32,
    /// Divides positive logits of tokens among the last ones, and multiplies others; 1 is off.
    pub repeat_penalty: f32,
    /// Tokens that penalties look back on, at most 4096; -1 is as many as there may be.
    pub repeat_last_n: i32,
    /// Taken from the logit of a token among the last ones; 0 is off.
    pub presence_penalty: f32,
    /// Taken from it for each time that it is there; 0 is off.
    pub frequency_penalty: f32,
    /// DRY: what a repetition of `dry_allowed_length` tokens costs; 0 is off.
    pub dry_multiplier: f32,
    /// DRY: by how much more each further token costs.
    pub dry_base: f32,
    /// DRY: the shortest repetition that costs something.
    pub dry_allowed_length: u32,
    /// DRY: tokens that it looks back on, at most 4096; -1 is as many as there may be.
    pub dry_penalty_last_n: i32,
    /// DRY: tokens that no repetition goes over, bit `i % 32` of word `i / 32` for token i: [`Model::breakers`](crate::Model::breakers).
    pub dry_breakers: Option<Arc<[u32]>>,
    /// Mirostat of this version, 2, in the place of all samplers but the temperature; 0 is off.
    pub mirostat: u32,
    /// The surprise that it aims at, in bits.
    pub mirostat_tau: f32,
    /// How fast its bound follows.
    pub mirostat_eta: f32,
    /// What is added to tokens' logits, each named once; at most 1024.
    pub logit_bias: Option<Arc<[LogitBias]>>,
    /// Log-probabilities of drawn tokens, with so many of the likeliest tokens beside each, at most 20: of the model's own logits, before
    /// biases, penalties, filters and temperature. `None` is none. Does not change the tokens.
    pub logprobs: Option<u32>,
    /// What the text must follow, from its first token on; it ends where that ends.
    pub grammar: Option<Arc<Grammar>>,
    /// Which samplers take part, and their order.
    pub order: SamplerOrder,
    /// The draw is a function of seed, position and token id.
    pub seed: u64,
}

/// What a device is told of a sampling.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) temperature: f32,
    /// The logarithm of min-p.
    pub(crate) floor: f32,
    pub(crate) seed: u64,
    pub(crate) sampler: Sampler,
    /// The tables that can draw so.
    pub(crate) draw: Draw,
}

impl Settings {
    /// Whether log-probabilities are asked for.
    pub(crate) fn log_probs(&self) -> bool {
        self.sampler.logprobs != 0
    }
}

impl Default for Sampling {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Sampling {
    /// A draw from all that the model says, at temperature 1.
    pub const NEUTRAL: Self = Self {
        temperature: 1.0,
        top_k: 0,
        top_p: 1.0,
        min_p: 0.0,
        typical: 1.0,
        top_n_sigma: 0.0,
        xtc_probability: 0.0,
        xtc_threshold: 0.1,
        repeat_penalty: 1.0,
        repeat_last_n: 64,
        presence_penalty: 0.0,
        frequency_penalty: 0.0,
        dry_multiplier: 0.0,
        dry_base: 1.75,
        dry_allowed_length: 2,
        dry_penalty_last_n: -1,
        dry_breakers: None,
        mirostat: 0,
        mirostat_tau: 5.0,
        mirostat_eta: 0.1,
        logit_bias: None,
        logprobs: None,
        grammar: None,
        order: SamplerOrder::DEFAULT,
        seed: 0,
    };

    /// What is used where a model's author says nothing: llama.cpp's defaults.
    pub const DEFAULT: Self = Self { temperature: 0.8, top_k: 40, top_p: 0.95, min_p: 0.05, ..Self::NEUTRAL };

    /// The most likely token, always.
    pub const fn greedy() -> Self {
        Self { temperature: 0.0, ..Self::NEUTRAL }
    }

    /// An error for the first setting that makes no sense.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |name, value: f32, remedy| Err(Error::Option { name, value: value.to_string(), remedy });
        let share = |v: f32| (0.0..=1.0).contains(&v);
        if !(self.temperature.is_finite() && self.temperature >= 0.0) {
            return refuse("temperature", self.temperature, "choose 0 (greedy) or more; 0.8 is usual");
        }
        if !share(self.min_p) {
            return refuse("min-p", self.min_p, "choose between 0 (off) and 1");
        }
        for (name, value) in
            [("top-p", self.top_p), ("typical", self.typical), ("xtc-threshold", self.xtc_threshold)]
        {
            if !share(value) {
                return refuse(name, value, "choose between 0 and 1 (off)");
            }
        }
        if !share(self.xtc_probability) {
            return refuse("xtc-probability", self.xtc_probability, "choose between 0 (off) and 1");
        }
        if !self.top_n_sigma.is_finite() {
            return refuse("top-n-sigma", self.top_n_sigma, "choose a number; 0 or less is off");
        }
        if !(self.repeat_penalty.is_finite() && self.repeat_penalty > 0.0) {
            return refuse(
                "repeat-penalty",
                self.repeat_penalty,
                "choose more than 0; 1 is off, 1.1 is usual",
            );
        }
        for (name, value) in
            [("presence-penalty", self.presence_penalty), ("frequency-penalty", self.frequency_penalty)]
        {
            if !(value.is_finite() && value.abs() <= 1e6) {
                return refuse(name, value, "choose a number; 0 is off, from -2 to 2 is usual");
            }
        }
        if !(self.dry_multiplier.is_finite() && (0.0..=1e6).contains(&self.dry_multiplier)) {
            return refuse("dry-multiplier", self.dry_multiplier, "choose 0 (off) or more; 0.8 is usual");
        }
        if !(self.dry_base.is_finite() && self.dry_base >= 1.0) {
            return refuse("dry-base", self.dry_base, "choose 1 or more; 1.75 is usual");
        }
        if self.mirostat == 1 || self.mirostat > 2 {
            let remedy = "choose 0 (off) or 2, the version that took the place of the first";
            return Err(Error::Option { name: "mirostat", value: self.mirostat.to_string(), remedy });
        }
        for (name, v) in [("mirostat-ent", self.mirostat_tau), ("mirostat-lr", self.mirostat_eta)] {
            if !(v.is_finite() && v > 0.0 && v <= 1000.0) {
                return refuse(name, v, "choose more than 0; 5 bits and a rate of 0.1 are usual");
            }
        }
        for (name, n) in
            [("repeat-last-n", self.repeat_last_n), ("dry-penalty-last-n", self.dry_penalty_last_n)]
        {
            if n < -1 || n > MAX_WINDOW as i32 {
                let remedy = "choose 0 (off) to 4096 tokens, or -1 for as many as there may be";
                return Err(Error::Option { name, value: n.to_string(), remedy });
            }
        }
        if let Some(n) = self.logprobs.filter(|n| *n > MAX_LOGPROBS) {
            let remedy = "ask for 0 to 20 of the likeliest tokens";
            return Err(Error::Option { name: "logprobs", value: n.to_string(), remedy });
        }
        self.check_biases()
    }

    fn check_biases(&self) -> Result<(), Error> {
        let Some(biases) = &self.logit_bias else { return Ok(()) };
        let refuse = |value: String, remedy| Err(Error::Option { name: "logit-bias", value, remedy });
        if biases.len() > MAX_BIASES as usize {
            return refuse(format!("{} tokens", biases.len()), "name at most 1024 tokens");
        }
        for (i, b) in biases.iter().enumerate() {
            // The list is short, and looked at once.
            if biases[..i].iter().any(|o| o.token == b.token) {
                return refuse(format!("token {}, twice", b.token), "name each token once");
            }
            if !(b.bias.is_finite() && b.bias.abs() <= 1e6 || b.bias == f32::NEG_INFINITY) {
                return refuse(
                    format!("{} for token {}", b.bias, b.token),
                    "add a number, or minus infinity to ban the token",
                );
            }
        }
        Ok(())
    }

    /// [`Sampling::check`] for a vocabulary.
    pub(crate) fn check_for(&self, vocab: u32) -> Result<(), Error> {
        self.check()?;
        let biases = self.logit_bias.iter().flat_map(|b| b.iter());
        match biases.map(|b| b.token).enumerate().find(|(_, t)| t.0 >= vocab) {
            Some((index, token)) => Err(Error::TokenRange { token, index, vocab }),
            None => Ok(()),
        }
    }

    /// The list as a device reads it.
    pub(crate) fn biases(&self) -> impl Iterator<Item = Bias> + '_ {
        self.logit_bias.iter().flat_map(|b| b.iter()).map(|b| Bias { token: b.token, bias: b.bias })
    }

    /// DRY's breakers as a device reads them, where it works; some where nothing breaks, too.
    pub(crate) fn breakers(&self, words: usize) -> impl Iterator<Item = u32> + '_ {
        let all = if self.works(SamplerKind::Dry) { words } else { 0 };
        (0..all).map(|i| self.dry_breakers.as_ref().and_then(|b| b.get(i)).copied().unwrap_or(0))
    }

    /// The error of a draw that found no token.
    pub(crate) fn no_token(&self, position: u32) -> Error {
        let bans = self.logit_bias.iter().flat_map(|b| b.iter()).any(|b| b.bias == f32::NEG_INFINITY);
        if bans || self.grammar.is_some() {
            Error::NoToken { position }
        } else {
            Error::NotFinite { position }
        }
    }

    /// Whether a sampler is there and does something.
    fn works(&self, kind: SamplerKind) -> bool {
        if self.mirostat != 0 {
            return kind == SamplerKind::Temperature;
        }
        self.order.has(kind)
            && match kind {
                SamplerKind::Penalties => {
                    self.repeat_last_n != 0
                        && (self.repeat_penalty != 1.0
                            || self.presence_penalty != 0.0
                            || self.frequency_penalty != 0.0)
                }
                SamplerKind::Dry => self.dry_multiplier > 0.0 && self.dry_penalty_last_n != 0,
                SamplerKind::TopNSigma => self.top_n_sigma > 0.0,
                SamplerKind::TopK => self.top_k > 0,
                SamplerKind::TypP => self.typical < 1.0,
                SamplerKind::TopP => self.top_p < 1.0,
                SamplerKind::MinP => self.min_p > 0.0,
                SamplerKind::Xtc => self.xtc_probability > 0.0 && self.xtc_threshold <= 0.5,
                SamplerKind::Temperature => self.temperature != 1.0,
            }
    }

    /// What a device is told.
    pub(crate) fn settings(&self) -> Settings {
        let has = self.mirostat != 0 || self.order.has(SamplerKind::Temperature);
        let temperature = if has { self.temperature } else { 1.0 };
        let greedy = temperature < f32::MIN_POSITIVE;
        // The likeliest token is kept by all others.
        let matters = |k: SamplerKind| {
            !greedy || matches!(k, SamplerKind::TypP | SamplerKind::Xtc | SamplerKind::Temperature)
        };
        let working = || self.order.iter().filter(|k| self.works(*k) && matters(*k));
        let mirostat = self.mirostat != 0 && !greedy;
        let filters = if mirostat {
            Filter::list([Filter::Temperature, Filter::Mirostat])
        } else {
            Filter::list(working().filter_map(SamplerKind::filter))
        };
        let plain = [Filter::MinP, Filter::Temperature];
        let plain = [&plain[..], &plain[..1], &plain[1..], &[]].map(|f| Filter::list(f.iter().copied()));
        let penalises = self.works(SamplerKind::Penalties);
        let count = self.logit_bias.as_ref().map_or(0, |b| b.len()) as u32;
        let dry = self.works(SamplerKind::Dry);
        let bound = self.logprobs.is_some() || self.grammar.is_some();
        let changed = penalises || dry || count > 0 || bound;
        let draw = if plain.contains(&filters) && !changed { Draw::Plain } else { Draw::Full };
        let floor = if self.works(SamplerKind::MinP) { self.min_p.ln() } else { f32::NEG_INFINITY };
        let sampler = Sampler {
            filters,
            top_k: self.top_k,
            top_p: share(self.top_p),
            typical: share(self.typical),
            min_p: floor,
            top_n_sigma: self.top_n_sigma,
            xtc_probability: share(self.xtc_probability),
            xtc_threshold: self.xtc_threshold.ln(),
            repeat_penalty: self.repeat_penalty,
            frequency_penalty: self.frequency_penalty,
            presence_penalty: self.presence_penalty,
            window: if penalises { window(self.repeat_last_n) } else { 0 },
            dry_multiplier: if dry { self.dry_multiplier } else { 0.0 },
            dry_base: self.dry_base,
            dry_allowed: self.dry_allowed_length.max(1),
            dry_window: window(self.dry_penalty_last_n),
            biases: count,
            masked: u32::from(self.grammar.is_some()),
            mirostat_tau: if mirostat { self.mirostat_tau } else { 0.0 },
            mirostat_eta: self.mirostat_eta,
            logprobs: self.logprobs.map_or(0, |n| n.min(MAX_LOGPROBS) + 1),
            ..Sampler::default()
        };
        Settings { temperature, floor, seed: self.seed, sampler, draw }
    }
}

/// The samplers that do something, in their order.
impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let biased = self.logit_bias.as_ref().map_or(0, |b| b.len());
        if biased > 0 {
            write!(f, "biases of {biased} tokens, ")?;
        }
        if let Some(grammar) = &self.grammar {
            write!(f, "a {}, ", grammar.kind())?;
        }
        if self.mirostat != 0 {
            write!(
                f,
                "mirostat {} of {} bits, rate {}, ",
                self.mirostat, self.mirostat_tau, self.mirostat_eta
            )?;
        }
        let temperature = self.settings().temperature;
        // The temperature is always told, and nothing that keeps the likeliest token where that is taken.
        let keeps = [SamplerKind::TopNSigma, SamplerKind::TopK, SamplerKind::TopP, SamplerKind::MinP];
        let told = |k: &SamplerKind| {
            let idle = temperature == 0.0 && keeps.contains(k) || *k == SamplerKind::Temperature;
            self.works(*k) && !idle
        };
        for kind in self.order.iter().filter(told) {
            match kind {
                SamplerKind::Penalties => {
                    let (r, p, q) = (self.repeat_penalty, self.presence_penalty, self.frequency_penalty);
                    let penalties = [("repeat", r, 1.0), ("presence", p, 0.0), ("frequency", q, 0.0)];
                    for (name, value, _) in penalties.into_iter().filter(|(_, value, off)| value != off) {
                        write!(f, "{name} penalty {value}, ")?;
                    }
                }
                SamplerKind::Dry => write!(f, "dry {}, ", self.dry_multiplier)?,
                SamplerKind::TopNSigma => write!(f, "top-n-sigma {}, ", self.top_n_sigma)?,
                SamplerKind::TopK => write!(f, "top-k {}, ", self.top_k)?,
                SamplerKind::TypP => write!(f, "typical {}, ", self.typical)?,
                SamplerKind::TopP => write!(f, "top-p {}, ", self.top_p)?,
                SamplerKind::MinP => write!(f, "min-p {}, ", self.min_p)?,
                SamplerKind::Xtc => write!(f, "xtc {} of {}, ", self.xtc_probability, self.xtc_threshold)?,
                SamplerKind::Temperature => {}
            }
        }
        write!(f, "temperature {temperature}")
    }
}

/// Tokens that a device looks back on.
fn window(last_n: i32) -> u32 {
    u32::try_from(last_n).unwrap_or(MAX_WINDOW)
}

/// A share of probability as devices have it.
fn share(p: f32) -> u32 {
    // A number above all saturates: no share of less than 1 is all.
    (f64::from(p) * 4_294_967_296.0) as u32
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn orders_are_parsed_and_refused() {
        assert_eq!(SamplerOrder::parse(&SamplerOrder::DEFAULT.to_string()).unwrap(), SamplerOrder::DEFAULT);
        let some = SamplerOrder::parse("top_k; temp,Typical").unwrap();
        assert_eq!(some.to_string(), "top_k;temperature;typ_p");
        assert_eq!(SamplerOrder::parse("").unwrap().to_string(), "");
        for (bad, says) in [
            ("top_k;topk", "top_n_sigma"),
            ("top_k;min_p;top-k", "once"),
            ("top_k;penalties", "first"),
            ("dry;penalties", "first"),
            ("penalties;top_k;dry", "first"),
            ("mirostat", "penalties, dry, top_n_sigma"),
        ] {
            let e = SamplerOrder::parse(bad).unwrap_err().to_string();
            assert!(e.contains("samplers") && e.contains(says), "{bad}: {e}");
        }
    }

    #[test]
    fn plain_settings_take_plain_tables() {
        let n = Sampling::NEUTRAL;
        let draw = |s: Sampling| s.settings().draw;
        for plain in [
            n.clone(),
            Sampling::greedy(),
            Sampling { temperature: 0.5, min_p: 0.1, ..n.clone() },
            // Nothing of it can matter.
            Sampling { mirostat: 2, ..Sampling::greedy() },
            Sampling { temperature: 0.0, ..Sampling::DEFAULT },
            Sampling { repeat_penalty: 1.3, repeat_last_n: 0, ..n.clone() },
            Sampling { top_k: 5, order: SamplerOrder::parse("min_p;temperature").unwrap(), ..n.clone() },
            Sampling { xtc_probability: 0.5, xtc_threshold: 0.6, ..n.clone() },
        ] {
            assert_eq!(draw(plain.clone()), Draw::Plain, "{plain:?}");
        }
        let after = SamplerOrder::parse("temperature;min_p").unwrap();
        let ban = Some(Arc::from([LogitBias { token: Token(1), bias: f32::NEG_INFINITY }]));
        for full in [
            Sampling::DEFAULT,
            Sampling { temperature: 0.5, min_p: 0.1, order: after, ..n.clone() },
            Sampling { repeat_penalty: 1.1, ..Sampling::greedy() },
            Sampling { typical: 0.5, ..Sampling::greedy() },
            Sampling { dry_multiplier: 0.5, ..Sampling::greedy() },
            Sampling { mirostat: 2, ..n.clone() },
            Sampling { logit_bias: ban, ..Sampling::greedy() },
            Sampling { logprobs: Some(0), ..Sampling::greedy() },
        ] {
            assert_eq!(draw(full.clone()), Draw::Full, "{full:?}");
        }
        let s = Sampling { temperature: 0.5, order: SamplerOrder::parse("top_k").unwrap(), ..n };
        assert_eq!(s.settings().temperature, 1.0, "who leaves the temperature out has none");
    }

    #[test]
    fn values_that_make_no_sense_are_typed_errors() {
        let n = Sampling::NEUTRAL;
        let bias = |list: &[(u32, f32)]| {
            let list = list.iter().map(|(token, bias)| LogitBias { token: Token(*token), bias: *bias });
            Sampling { logit_bias: Some(list.collect()), ..n.clone() }
        };
        for (bad, name) in [
            (Sampling { temperature: f32::NAN, ..n.clone() }, "temperature"),
            (Sampling { temperature: -0.1, ..n.clone() }, "temperature"),
            (Sampling { min_p: 1.1, ..n.clone() }, "min-p"),
            (Sampling { top_p: f32::NAN, ..n.clone() }, "top-p"),
            (Sampling { typical: -0.1, ..n.clone() }, "typical"),
            (Sampling { xtc_probability: 2.0, ..n.clone() }, "xtc-probability"),
            (Sampling { xtc_threshold: -1.0, ..n.clone() }, "xtc-threshold"),
            (Sampling { top_n_sigma: f32::INFINITY, ..n.clone() }, "top-n-sigma"),
            (Sampling { repeat_penalty: 0.0, ..n.clone() }, "repeat-penalty"),
            (Sampling { presence_penalty: f32::NAN, ..n.clone() }, "presence-penalty"),
            (Sampling { frequency_penalty: f32::INFINITY, ..n.clone() }, "frequency-penalty"),
            (Sampling { repeat_last_n: -2, ..n.clone() }, "repeat-last-n"),
            (Sampling { repeat_last_n: 5000, ..n.clone() }, "repeat-last-n"),
            (Sampling { dry_multiplier: -1.0, ..n.clone() }, "dry-multiplier"),
            (Sampling { dry_base: 0.5, ..n.clone() }, "dry-base"),
            (Sampling { dry_penalty_last_n: 4097, ..n.clone() }, "dry-penalty-last-n"),
            (Sampling { mirostat: 1, ..n.clone() }, "mirostat"),
            (Sampling { mirostat: 2, mirostat_tau: 0.0, ..n.clone() }, "mirostat-ent"),
            (Sampling { mirostat_eta: f32::NAN, ..n.clone() }, "mirostat-lr"),
            (Sampling { logprobs: Some(21), ..n.clone() }, "logprobs"),
            (Sampling { logprobs: Some(u32::MAX), ..n.clone() }, "logprobs"),
            (bias(&[(1, 0.5), (1, 0.5)]), "logit-bias"),
            (bias(&[(1, f32::INFINITY)]), "logit-bias"),
            (bias(&[(1, f32::NAN)]), "logit-bias"),
            (bias(&[(0, 0.0); 1025]), "logit-bias"),
        ] {
            let e = bad.check().unwrap_err().to_string();
            assert!(e.contains(name), "{bad:?}: {e}");
        }
        let e = bias(&[(7, 1.0), (9, 1.0)]).check_for(9).unwrap_err();
        assert!(matches!(e, Error::TokenRange { token: Token(9), index: 1, vocab: 9 }), "{e}");
        assert!(n.check().is_ok() && Sampling::DEFAULT.check().is_ok() && Sampling::greedy().check().is_ok());
    }
}
