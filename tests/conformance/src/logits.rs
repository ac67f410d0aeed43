//! Logits of whole models on a GPU beside those of the CPU's reference level.

use akunu::device::Device;
use akunu::device::cpu::CpuDevice;
use akunu::files::synthetic::Synthetic;
use akunu::kernels::cpu::Level;
use akunu::{Control, LoadOptions, Model, Token};
use std::error::Error;
use std::sync::Arc;

/// Formats whose codes are places in a table, small floats, and MLX's with their scales of both types.
pub const TABLES_AND_GROUPS: &[&str] = &[
    "tiny-llama:iq4_nl",
    "tiny-llama:iq4_xs",
    "tiny-llama:mxfp4",
    "tiny-llama:nvfp4",
    "tiny-llama:mxfp8",
    "tiny-llama:affine3_g32_f16",
    "tiny-llama:affine4_g64",
    "tiny-llama:affine8_g128",
    "tiny-qwen3moe:mxfp4",
];

/// The KV cache is f16 (2^-11 of each element) beside f32.
const MOST: f64 = 2e-3;

/// So many tokens of a vocabulary.
pub fn prompt(n: u32, vocab: u32) -> Vec<Token> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) % vocab).map(Token).collect()
}

/// The length of the difference, as a share of the first one's.
pub fn relative(a: &[f32], b: &[f32]) -> f64 {
    let norm = a.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt() / norm
}

/// Compares the logits after prompts that come in pieces, on a device whose tables of at most 8 rows are a family and larger ones another:
/// rows do not depend on those beside them, so prompts of up to 8 tokens leave what single steps leave, and longer ones, of these
/// pairs of pieces, what they leave in one. The families are close to each other; a code of the cache may fall to either side.
pub fn pieces_agree(m: &Model, pairs: &[[usize; 2]]) -> Result<(), Box<dyn Error>> {
    let most = pairs.iter().map(|p| p.iter().sum()).max().unwrap_or(0usize).max(8);
    let tokens = prompt(most as u32, m.config().vocab);
    // Each piece but the last without its last token, which is the first of the next step.
    let after = |pieces: &[usize]| -> Result<Vec<f32>, Box<dyn Error>> {
        let mut s = m.session()?;
        let (mut from, n) = (0, pieces.iter().sum());
        for piece in pieces {
            s.append(&tokens[from..from + piece])?;
            from += piece;
            if from < n {
                s.prefill(&mut |_, _| Control::Continue)?;
            }
        }
        Ok(s.next_logits()?)
    };
    let equal = |a: &[usize], b: &[usize]| -> Result<Vec<f32>, Box<dyn Error>> {
        let (want, got) = (after(a)?, after(b)?);
        if want != got {
            return Err(format!("pieces of {a:?} and {b:?} are {} off", relative(&want, &got)).into());
        }
        Ok(got)
    };
    for n in [2, 7, 8] {
        equal(&vec![1; n], &[n])?;
    }
    for pieces in pairs {
        let n = pieces.iter().sum();
        let many = equal(&[n], pieces)?;
        let off = relative(&after(&vec![1; n])?, &many);
        if off.is_nan() || off >= 1e-3 {
            return Err(format!("{n} single rows are {off} off").into());
        }
    }
    Ok(())
}

/// Compares the logits after prompts of so many tokens, of synthetic models.
pub fn agree(gpu: &Arc<dyn Device>, specs: &[&str], prompts: &[u32]) -> Result<(), Box<dyn Error>> {
    let cpu: Arc<dyn Device> = Arc::new(CpuDevice::with_level(Level::Reference, None)?);
    let options = LoadOptions { context: Some(300), ..LoadOptions::default() };
    for spec in specs {
        let load = |device: &Arc<dyn Device>| -> Result<Model, Box<dyn Error>> {
            let source = Box::new(Synthetic::parse(spec)?);
            Ok(Model::load_on(source, Arc::clone(device), &options, &mut |_| {})?)
        };
        let (want, got) = (load(&cpu)?, load(gpu)?);
        for n in prompts {
            let tokens = prompt(*n, want.config().vocab);
            let logits = |m: &Model| -> Result<Vec<f32>, Box<dyn Error>> {
                let mut session = m.session()?;
                session.append(&tokens)?;
                Ok(session.next_logits()?)
            };
            let off = relative(&logits(&want)?, &logits(&got)?);
            println!("{spec} {n}: relative difference {off:.2e}");
            if off.is_nan() || off >= MOST {
                return Err(format!("{spec}, {n} tokens: {off}").into());
            }
        }
    }
    Ok(())
}
