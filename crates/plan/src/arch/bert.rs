//! BERT: an encoder with learned positions and a layer norm after each residual addition (Devlin et al., 2019).

use super::{ArchDescriptor, Blocks, NormPlacement, Output, PLAIN, PositionKind, QkvBias};
use akunu_kernels::glu::Activation;

/// BERT and what is built alike: MiniLM, E5, BGE, GTE, MxBai; RoBERTa and XLM-R, whose positions begin elsewhere; MPNet, with biases by
/// distance.
pub(super) static BERT: ArchDescriptor = ArchDescriptor {
    name: "bert",
    covers: "BERT, DistilBERT, RoBERTa, XLM-R and MPNet encoders: all-MiniLM, all-mpnet, E5, BGE, GTE",
    activation: Activation::GeluErf,
    norms: NormPlacement::Sum,
    qkv_bias: QkvBias::Added,
    output: Output::Pooled,
    blocks: Blocks::Biased,
    positions: PositionKind::Learned,
    ..PLAIN
};
