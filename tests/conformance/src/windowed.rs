//! A tiny random model whose layers, or some of them, see a window only.

use akunu::files::synthetic::Synthetic;
use akunu::files::{ModelConfig, ModelError, TensorInfo, WeightSource};

/// Another model with windows.
pub struct Windowed(Synthetic, ModelConfig);

impl Windowed {
    /// A synthetic model whose layers see `window` positions: those that are named, or all.
    pub fn new(spec: &str, window: u32, layers: Option<Vec<bool>>) -> Result<Self, ModelError> {
        let source = Synthetic::parse(spec)?;
        let mut config = source.config().clone();
        (config.attention.sliding_window, config.attention.windowed) = (Some(window), layers);
        Ok(Self(source, config))
    }
}

impl WeightSource for Windowed {
    fn config(&self) -> &ModelConfig {
        &self.1
    }

    fn tensors(&self) -> &[TensorInfo] {
        self.0.tensors()
    }

    fn read(&self, t: &TensorInfo, offset: u64, out: &mut [u8]) -> Result<(), ModelError> {
        self.0.read(t, offset, out)
    }
}
