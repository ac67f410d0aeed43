//! OLMo 2: norms after the sublayers instead of before them, and of all query heads and all key heads together
//! (OLMo Team, 2024).

use super::{ArchDescriptor, NormPlacement, PLAIN, QkNorm};

/// OLMo 2.
pub(super) static OLMO2: ArchDescriptor = ArchDescriptor {
    name: "olmo2",
    covers: "OLMo 2",
    norms: NormPlacement::Post,
    qk_norm: QkNorm::Row,
    ..PLAIN
};
