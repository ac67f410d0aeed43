//! Rotary position embedding from `config.json`: `rope_theta` and `rope_scaling`, or `rope_parameters`, which holds
//! both in newer files.

use super::keys::Keys;
use crate::ModelError;
use crate::config::{RopeConfig, RopePairing, RopeScaling};
use crate::json::Fields;
use crate::limits::{
    MAX_CONTEXT, MAX_ROPE_BASE, MAX_ROPE_FACTOR, MAX_ROPE_MAGNITUDE, MAX_ROPE_TURNS, MIN_ROPE_BASE,
    MIN_ROPE_DIVISOR, is_rope_divisor, is_rope_factor, max_original_context,
};

const OTHER: &str = "use the model in its original context length; this kind of extension does not run yet";
const COMPLETE: &str = "fetch config.json again";

/// RoPE of a model, of its full-attention layers where layers differ.
pub(super) fn read(k: &Keys<'_>, head_dim: u32, context: u32) -> Result<RopeConfig, ModelError> {
    let nested = parameters(k, "full_attention")?;
    let base = match &nested {
        Some(f) => f.float("rope_theta", MIN_ROPE_BASE, MAX_ROPE_BASE)?,
        None => None,
    };
    let base = match base {
        Some(b) => b,
        None => {
            let [name, _] = k.family.rope_bases;
            k.number(name, MIN_ROPE_BASE, MAX_ROPE_BASE)?.ok_or_else(|| k.missing(name))?
        }
    };
    let dim = rotated(k, nested.as_ref(), head_dim)?;
    let scaling = match nested {
        Some(f) => Some(f),
        None => k.fields.object("rope_scaling")?,
    };
    let (scaling, magnitude) = match scaling {
        Some(f) => Scaling { f: &f, k, dim, context }.read()?,
        None => (RopeScaling::None, 1.0),
    };
    let pairing = RopePairing::SplitHalf;
    Ok(RopeConfig { base: base as f32, dim, pairing, scaling, magnitude: magnitude as f32 })
}

/// The base of windowed layers, where they have one of their own.
pub(super) fn local_base(k: &Keys<'_>) -> Result<Option<f32>, ModelError> {
    let nested = match k.fields.object("rope_parameters")? {
        Some(all) => all.object("sliding_attention")?,
        None => None,
    };
    let base = match nested {
        Some(f) => f.float("rope_theta", MIN_ROPE_BASE, MAX_ROPE_BASE)?,
        None => None,
    };
    Ok(match base {
        Some(b) => Some(b),
        None => k.number(k.family.rope_bases[1], MIN_ROPE_BASE, MAX_ROPE_BASE)?,
    }
    .map(|b| b as f32))
}

/// `rope_parameters`, or its part for one kind of layer.
fn parameters<'a>(k: &Keys<'a>, kind: &str) -> Result<Option<Fields<'a>>, ModelError> {
    let Some(all) = k.fields.object("rope_parameters")? else { return Ok(None) };
    Ok(Some(all.object(kind)?.unwrap_or(all)))
}

/// How many elements of a head are rotated.
fn rotated(k: &Keys<'_>, nested: Option<&Fields<'_>>, head_dim: u32) -> Result<u32, ModelError> {
    const NAME: &str = "partial_rotary_factor";
    let share = match nested {
        Some(f) => f.float(NAME, 0.0, 1.0)?,
        None => None,
    };
    let share = match share {
        Some(s) => s,
        None => k.number(NAME, 0.0, 1.0)?.unwrap_or(1.0),
    };
    match (f64::from(head_dim) * share) as u32 {
        dim if dim > 0 && dim % 2 == 0 => Ok(dim),
        dim => {
            let wanted = format!("a share of the head's width of {head_dim} that is even (now {dim})");
            Err(k.fields.bad(NAME, wanted, COMPLETE))
        }
    }
}

/// The reader of one scaling.
struct Scaling<'a, 'b> {
    f: &'a Fields<'b>,
    k: &'a Keys<'b>,
    dim: u32,
    context: u32,
}

impl Scaling<'_, '_> {
    /// The scaling and the factor on cosine and sine.
    fn read(&self) -> Result<(RopeScaling, f64), ModelError> {
        let name = if self.f.get("rope_type").is_some() { "rope_type" } else { "type" };
        match self.f.str(name)? {
            // The dynamic rule leaves every position within the trained context as it is.
            None | Some("default" | "dynamic") => Ok((RopeScaling::None, 1.0)),
            Some("linear") => Ok((RopeScaling::Linear { factor: self.factor()? }, 1.0)),
            Some("llama3") => self.llama3(),
            Some("yarn") => self.yarn(),
            Some("longrope" | "su") => self.longrope(),
            Some(_) => Err(self.f.bad(name, "default, linear, dynamic, llama3, yarn or longrope", OTHER)),
        }
    }

    fn missing(&self, name: &str) -> ModelError {
        self.f.bad(name, "there", COMPLETE)
    }

    /// How often a frequency turns over the original context.
    fn turns(&self, name: &str) -> Result<Option<f32>, ModelError> {
        Ok(self.f.float(name, 0.0, MAX_ROPE_TURNS.into())?.map(|t| t as f32))
    }

    /// The factor on cosine and sine, where the file says.
    fn magnitude(&self) -> Result<Option<f64>, ModelError> {
        self.f.float("attention_factor", 0.0, MAX_ROPE_MAGNITUDE.into())
    }

    /// The factor by which the context is extended.
    fn factor(&self) -> Result<f32, ModelError> {
        const NAME: &str = "factor";
        let factor = self.f.float(NAME, 0.0, f64::MAX)?.ok_or_else(|| self.missing(NAME))? as f32;
        if is_rope_factor(factor) {
            return Ok(factor);
        }
        Err(self.f.bad(NAME, format!("from 1 to {MAX_ROPE_FACTOR}"), COMPLETE))
    }

    /// The context of the original training, where the file says.
    fn original(&self) -> Result<Option<u32>, ModelError> {
        const NAME: &str = "original_max_position_embeddings";
        let n = match self.f.uint(NAME, MAX_CONTEXT.into())? {
            Some(n) => u32::try_from(n).ok(),
            None => self.k.whole(NAME, MAX_CONTEXT.into())?,
        };
        match n {
            Some(0) => Err(self.f.bad(NAME, "above 0", COMPLETE)),
            n => Ok(n),
        }
    }

    /// The same, or the model's context where the file is silent; extended by `factor` it is no longer than any.
    fn original_for(&self, factor: f32) -> Result<u32, ModelError> {
        let original = self.original()?.unwrap_or(self.context);
        if original <= max_original_context(factor) {
            return Ok(original);
        }
        let wanted = format!("such that {original} tokens become at most {MAX_CONTEXT}");
        Err(self.f.bad("factor", wanted, COMPLETE))
    }

    fn llama3(&self) -> Result<(RopeScaling, f64), ModelError> {
        const LOW: &str = "low_freq_factor";
        const HIGH: &str = "high_freq_factor";
        let low_freq_factor = self.turns(LOW)?.ok_or_else(|| self.missing(LOW))?;
        let high_freq_factor = self.turns(HIGH)?.ok_or_else(|| self.missing(HIGH))?;
        if low_freq_factor >= high_freq_factor {
            return Err(self.f.bad(HIGH, format!("above {LOW}, {low_freq_factor}"), COMPLETE));
        }
        let factor = self.factor()?;
        let original_context = self.original_for(factor)?;
        Ok((RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_context }, 1.0))
    }

    fn yarn(&self) -> Result<(RopeScaling, f64), ModelError> {
        if self.f.bool("truncate")? == Some(false) {
            return Err(self.f.bad("truncate", "true", OTHER));
        }
        let factor = self.factor()?;
        let (ln, extends) = (f64::from(factor).ln(), factor > 1.0);
        // Peng et al., 2023, eq. 22, with the weights that DeepSeek added.
        let growth = |weight: f64| if extends { 0.1 * weight * ln + 1.0 } else { 1.0 };
        let most = f64::from(MAX_ROPE_MAGNITUDE);
        let weight = |name| Ok::<_, ModelError>(self.f.float(name, -1e-9, most)?.filter(|w| *w > 0.0));
        let magnitude = match (self.magnitude()?, weight("mscale")?, weight("mscale_all_dim")?) {
            (Some(a), ..) => a,
            (None, Some(one), Some(all)) => growth(one) / growth(all),
            (None, ..) => growth(1.0),
        };
        let beta_fast = self.turns("beta_fast")?.unwrap_or(32.0);
        let beta_slow = self.turns("beta_slow")?.unwrap_or(1.0);
        if beta_fast < beta_slow {
            return Err(self.f.bad("beta_fast", format!("at least beta_slow, {beta_slow}"), COMPLETE));
        }
        let original_context = self.original_for(factor)?;
        Ok((RopeScaling::Yarn { factor, beta_fast, beta_slow, original_context }, magnitude))
    }

    fn longrope(&self) -> Result<(RopeScaling, f64), ModelError> {
        let stated = self.original()?;
        let original = stated.unwrap_or(self.context);
        let factor = match stated {
            Some(o) => f64::from(self.context) / f64::from(o),
            None if self.f.get("factor").is_some() => f64::from(self.factor()?),
            None => 1.0,
        };
        let magnitude = match self.magnitude()? {
            Some(a) => a,
            None if factor <= 1.0 || original < 2 => 1.0,
            None => (1.0 + factor.ln() / f64::from(original).ln()).sqrt(),
        };
        let scaling = RopeScaling::LongFactors {
            short: self.factors("short_factor")?,
            long: self.factors("long_factor")?,
            original_context: original,
        };
        Ok((scaling, magnitude))
    }

    /// One divisor per rotated pair.
    fn factors(&self, name: &str) -> Result<Vec<f32>, ModelError> {
        let pairs = self.dim as usize / 2;
        let value = |v: &serde_json::Value| v.as_f64().map(|f| f as f32).filter(|f| is_rope_divisor(*f));
        let all: Option<Vec<f32>> = self.f.list(name)?.unwrap_or(&[]).iter().map(value).collect();
        all.filter(|v| v.len() == pairs)
            .ok_or_else(|| self.f.bad(name, format!("{pairs} numbers from {MIN_ROPE_DIVISOR} up"), COMPLETE))
    }
}
