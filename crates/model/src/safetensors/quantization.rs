//! How the matrices of a directory are quantized: MLX's `quantization`, with overrides by module path, and the FP8 of
//! Hugging Face's `quantization_config`.

use super::directory::Directory;
use crate::ModelError;
use crate::json::Fields;
use std::collections::HashMap;

const COMPLETE: &str = "fetch config.json again, or convert the model anew with mlx-lm";

/// How MLX stores a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Codes of `bits`, with a scale and a bias for each `group`.
    Affine { bits: u32, group: u32 },
    /// E2M1 with an E8M0 scale for 32.
    Mxfp4,
    /// E4M3 with an E8M0 scale for 32.
    Mxfp8,
    /// E2M1 with an E4M3 scale for 16.
    Nvfp4,
}

impl Scheme {
    /// Bits of a code.
    pub(super) fn bits(self) -> u64 {
        match self {
            Self::Affine { bits, .. } => u64::from(bits),
            Self::Mxfp4 | Self::Nvfp4 => 4,
            Self::Mxfp8 => 8,
        }
    }

    /// Values that share a scale.
    pub(super) fn group(self) -> u64 {
        match self {
            Self::Affine { group, .. } => u64::from(group),
            Self::Mxfp4 | Self::Mxfp8 => 32,
            Self::Nvfp4 => 16,
        }
    }
}

/// What the configuration says of one module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    /// It is quantized so.
    Scheme(Scheme),
    /// It is not quantized.
    Plain,
    /// Nothing.
    Nothing,
}

/// The quantization of a directory.
#[derive(Debug, Default)]
pub(super) struct Quantization {
    default: Option<Scheme>,
    /// By module path; `None` for a module that is not quantized.
    overrides: HashMap<String, Option<Scheme>>,
    /// Rows and columns that share a scale of FP8.
    pub(super) fp8_block: (u64, u64),
}

/// Reads `quantization` or `quantization_config`.
pub(super) fn read(dir: &Directory) -> Result<Quantization, ModelError> {
    const METHOD: &str = "quant_method";
    const USE: &str = "use the unquantized model, a GGUF or an MLX conversion of it";
    let root = dir.config().fields();
    if let Some(q) = root.object("quantization")? {
        return mlx(&q);
    }
    let mut out = Quantization { fp8_block: (128, 128), ..Quantization::default() };
    let Some(q) = root.object("quantization_config")? else { return Ok(out) };
    match q.str(METHOD)? {
        None if q.get("bits").is_some() || q.get("mode").is_some() => mlx(&q),
        Some("fp8" | "compressed-tensors") | None => {
            if let Some(block) = q.list("weight_block_size")? {
                let whole: Vec<u64> = block.iter().filter_map(|v| v.as_u64().filter(|n| *n > 0)).collect();
                match whole[..] {
                    [rows, cols] if block.len() == 2 => out.fp8_block = (rows, cols),
                    _ => return Err(q.bad("weight_block_size", "two numbers above 0", COMPLETE)),
                }
            }
            Ok(out)
        }
        Some(_) => Err(q.bad(METHOD, "fp8", USE)),
    }
}

impl Quantization {
    /// What the configuration says of the module with that path in the file.
    pub(super) fn of(&self, module: &str) -> Stated {
        match (self.overrides.get(module).copied(), self.default) {
            (Some(Some(s)), _) | (None, Some(s)) => Stated::Scheme(s),
            (Some(None), _) => Stated::Plain,
            (None, None) => Stated::Nothing,
        }
    }
}

fn mlx(q: &Fields<'_>) -> Result<Quantization, ModelError> {
    let mut out = Quantization { default: Some(scheme(q)?), ..Quantization::default() };
    for name in q.names() {
        let known = matches!(
            name,
            "group_size" | "bits" | "mode" | "quant_method" | "linear_class" | "quantize_input"
        );
        let Some(v) = q.get(name).filter(|_| !known) else { continue };
        let scheme = match v.as_bool() {
            Some(true) => out.default,
            Some(false) => None,
            None => {
                Some(scheme(&q.object(name)?.ok_or_else(|| q.bad(name, "an object or false", COMPLETE))?)?)
            }
        };
        out.overrides.insert(name.into(), scheme);
    }
    Ok(out)
}

/// `bits`, `group_size` and `mode`; what is missing or null has the mode's own value.
fn scheme(q: &Fields<'_>) -> Result<Scheme, ModelError> {
    let bits = q.uint("bits", 64)?;
    let group = q.uint("group_size", 1 << 20)?;
    let fixed = |want_bits: u64, want_group: u64, scheme| {
        if bits.is_some_and(|b| b != want_bits) {
            return Err(q.bad("bits", want_bits.to_string(), COMPLETE));
        }
        if group.is_some_and(|g| g != want_group) {
            return Err(q.bad("group_size", want_group.to_string(), COMPLETE));
        }
        Ok(scheme)
    };
    match q.str("mode")? {
        None | Some("affine") => {
            let (bits, group) = (bits.unwrap_or(4), group.unwrap_or(64));
            if !matches!(bits, 2 | 3 | 4 | 5 | 6 | 8) {
                return Err(q.bad("bits", "2, 3, 4, 5, 6 or 8", COMPLETE));
            }
            if !matches!(group, 32 | 64 | 128) {
                return Err(q.bad("group_size", "32, 64 or 128", COMPLETE));
            }
            Ok(Scheme::Affine { bits: bits as u32, group: group as u32 })
        }
        Some("mxfp4") => fixed(4, 32, Scheme::Mxfp4),
        Some("mxfp8") => fixed(8, 32, Scheme::Mxfp8),
        Some("nvfp4") => fixed(4, 16, Scheme::Nvfp4),
        Some(_) => Err(q.bad("mode", "affine, mxfp4, mxfp8 or nvfp4", COMPLETE)),
    }
}
