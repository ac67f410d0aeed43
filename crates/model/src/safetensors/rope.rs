//! Rotary position embedding from `config.json`: `rope_theta` and `rope_scaling`, or `rope_parameters`, which holds
//! both in newer files.

use super::config::Keys;
use crate::ModelError;
use crate::config::{RopeConfig, RopePairing, RopeScaling};
use crate::json::Fields;

const OTHER: &str = "use the model in its original context length; this kind of extension does not run yet";
const COMPLETE: &str = "fetch config.json again";
const MOST: f64 = f32::MAX as f64;
const MAX_CONTEXT: u64 = 1 << 30;

/// RoPE of a model, of its full-attention layers where layers differ.
pub(super) fn read(k: &Keys<'_>, head_dim: u32, context: u32) -> Result<RopeConfig, ModelError> {
    let nested = parameters(k, "full_attention")?;
    let base = match &nested {
        Some(f) => f.float("rope_theta", 0.0, MOST)?,
        None => None,
    };
    let base = match base {
        Some(b) => b,
        None => k.number("rope_theta", 0.0, MOST)?.ok_or_else(|| k.missing("rope_theta"))?,
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
        Some(f) => f.float("rope_theta", 0.0, MOST)?,
        None => None,
    };
    Ok(match base {
        Some(b) => Some(b),
        None => k.number("rope_local_base_freq", 0.0, MOST)?,
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
            Some("linear") => Ok((RopeScaling::Linear { factor: self.needed("factor")? as f32 }, 1.0)),
            Some("llama3") => self.llama3(),
            Some("yarn") => self.yarn(),
            Some("longrope" | "su") => self.longrope(),
            Some(_) => Err(self.f.bad(name, "default, linear, dynamic, llama3, yarn or longrope", OTHER)),
        }
    }

    fn positive(&self, name: &str) -> Result<Option<f64>, ModelError> {
        self.f.float(name, 0.0, MOST)
    }

    fn needed(&self, name: &str) -> Result<f64, ModelError> {
        self.positive(name)?.ok_or_else(|| self.f.bad(name, "there", COMPLETE))
    }

    /// The context of the original training, where the file says.
    fn original(&self) -> Result<Option<u32>, ModelError> {
        const NAME: &str = "original_max_position_embeddings";
        let n = match self.f.uint(NAME, MAX_CONTEXT)? {
            Some(n) => Some(n as u32),
            None => self.k.whole(NAME, MAX_CONTEXT)?,
        };
        match n {
            Some(0) => Err(self.f.bad(NAME, "above 0", COMPLETE)),
            n => Ok(n),
        }
    }

    fn llama3(&self) -> Result<(RopeScaling, f64), ModelError> {
        let (low, high) = (self.needed("low_freq_factor")?, self.needed("high_freq_factor")?);
        if low >= high {
            return Err(self.f.bad("high_freq_factor", format!("above low_freq_factor, {low}"), COMPLETE));
        }
        let scaling = RopeScaling::Llama3 {
            factor: self.needed("factor")? as f32,
            low_freq_factor: low as f32,
            high_freq_factor: high as f32,
            original_context: self.original()?.unwrap_or(self.context),
        };
        Ok((scaling, 1.0))
    }

    fn yarn(&self) -> Result<(RopeScaling, f64), ModelError> {
        if self.f.bool("truncate")? == Some(false) {
            return Err(self.f.bad("truncate", "true", OTHER));
        }
        let factor = self.needed("factor")?;
        // Peng et al., 2023, eq. 22, with the weights that DeepSeek added.
        let growth = |weight: f64| if factor <= 1.0 { 1.0 } else { 0.1 * weight * factor.ln() + 1.0 };
        let weight = |name| Ok::<_, ModelError>(self.f.float(name, -1e-9, MOST)?.filter(|w| *w > 0.0));
        let magnitude =
            match (self.positive("attention_factor")?, weight("mscale")?, weight("mscale_all_dim")?) {
                (Some(a), ..) => a,
                (None, Some(one), Some(all)) => growth(one) / growth(all),
                (None, ..) => growth(1.0),
            };
        let scaling = RopeScaling::Yarn {
            factor: factor as f32,
            beta_fast: self.positive("beta_fast")?.unwrap_or(32.0) as f32,
            beta_slow: self.positive("beta_slow")?.unwrap_or(1.0) as f32,
            original_context: self.original()?.unwrap_or(self.context),
        };
        Ok((scaling, magnitude))
    }

    fn longrope(&self) -> Result<(RopeScaling, f64), ModelError> {
        let stated = self.original()?;
        let original = stated.unwrap_or(self.context);
        let factor = match stated {
            Some(o) => f64::from(self.context) / f64::from(o),
            None => self.positive("factor")?.unwrap_or(1.0),
        };
        let magnitude = match self.positive("attention_factor")? {
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
        let value =
            |v: &serde_json::Value| v.as_f64().map(|f| f as f32).filter(|f| f.is_finite() && *f > 0.0);
        let all: Option<Vec<f32>> = self.f.list(name)?.unwrap_or(&[]).iter().map(value).collect();
        all.filter(|v| v.len() == pairs)
            .ok_or_else(|| self.f.bad(name, format!("{pairs} numbers above 0"), COMPLETE))
    }
}
