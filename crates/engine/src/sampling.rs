//! How tokens are drawn.

use crate::Error;

/// How a token is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Softmax temperature; 0 is greedy.
    pub temperature: f32,
    /// Keep tokens with at least this share of the best one's probability; 0 keeps all.
    pub min_p: f32,
    /// The draw is a function of seed, position and token id.
    pub seed: u64,
}

impl Sampling {
    /// What is used where a model's author says nothing.
    pub const DEFAULT: Self = Self { temperature: 0.8, min_p: 0.05, seed: 0 };

    /// The most likely token, always.
    pub const fn greedy() -> Self {
        Self { temperature: 0.0, min_p: 0.0, seed: 0 }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if !(self.temperature.is_finite() && self.temperature >= 0.0) {
            let value = self.temperature.to_string();
            let remedy = "choose 0 (greedy) or more; 0.8 is usual";
            return Err(Error::Option { name: "temperature", value, remedy });
        }
        if !(0.0..=1.0).contains(&self.min_p) {
            let value = self.min_p.to_string();
            return Err(Error::Option { name: "min-p", value, remedy: "choose between 0 (off) and 1" });
        }
        Ok(())
    }
}
