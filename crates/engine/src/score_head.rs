//! The last two products of a cross-encoder, of one vector each, which are the host's.

use crate::Error;
use akunu_kernels::DType;
use akunu_model::{ModelError, WeightSource};

/// What makes a score of a vector: `output · tanh(dense · v + bias) + bias`.
pub(crate) struct ScoreHead {
    /// `[hidden, hidden]`.
    dense: Vec<f32>,
    dense_bias: Vec<f32>,
    output: Vec<f32>,
    output_bias: f32,
}

impl ScoreHead {
    /// That of a source, where it has one.
    pub(crate) fn read(source: &dyn WeightSource) -> Result<Option<Self>, Error> {
        if source.find("score.output.weight").is_none() {
            return Ok(None);
        }
        let of = |name: &str| values(source, name);
        let [dense, dense_bias, output, bias] = akunu_plan::HOST_WEIGHTS.map(of);
        Ok(Some(Self {
            dense: dense?,
            dense_bias: dense_bias?,
            output: output?,
            output_bias: bias?.first().copied().unwrap_or(0.0),
        }))
    }

    pub(crate) fn logit(&self, vector: &[f32]) -> f32 {
        let dot =
            |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let rows = self.dense.chunks_exact(vector.len().max(1)).zip(&self.dense_bias).zip(&self.output);
        let sum: f64 =
            rows.map(|((row, b), o)| (dot(row, vector) + f64::from(*b)).tanh() * f64::from(*o)).sum();
        (sum + f64::from(self.output_bias)) as f32
    }
}

/// A tensor of 16 or 32 bits as numbers.
fn values(source: &dyn WeightSource, name: &str) -> Result<Vec<f32>, Error> {
    let t = source.find(name).ok_or_else(|| akunu_plan::PlanError::MissingTensor { tensor: name.into() })?;
    let mut bytes = vec![0; t.bytes as usize];
    source.read(t, 0, &mut bytes)?;
    source.check_finite(t, 0, &bytes)?;
    let info = t.dtype.info();
    let blocks = bytes.chunks_exact(info.block_bytes as usize);
    let mut out = vec![0f32; (t.rows * t.cols) as usize];
    if !matches!(t.dtype, DType::F32 | DType::F16 | DType::Bf16) {
        return Err(Error::Model(ModelError::Convert {
            path: source.path_of(t).into(),
            what: format!("the classifier's tensor `{}` is quantized ({})", t.file_name, t.dtype),
            remedy: "use the model with 16 or 32 bits".into(),
        }));
    }
    for (b, o) in blocks.zip(out.chunks_exact_mut(info.block as usize)) {
        (info.dequantize_block)(b, o);
    }
    Ok(out)
}
