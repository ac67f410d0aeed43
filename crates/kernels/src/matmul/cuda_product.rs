//! What CUDA's versions of products of many rows share: a product with its formats checked, parts of k of 16-bit weights, bytes of a stage,
//! widths of tiles.

use crate::act::ActFormat;
use crate::dtype::{self, DType, Layout, planes};
use crate::error::KernelError;

/// Tables of up to this many rows get the versions of `cuda_flat.rs` where there is a choice.
pub(crate) const MAX_ROWS: u32 = 512;
/// Multiprocessors that the choices assume; the code runs on any number.
pub(crate) const USUAL_MULTIPROCESSORS: u32 = 132;
/// Columns that k is cut at multiples of.
pub(super) const UNIT: u32 = 256;
/// Weight rows of a warpgroup.
pub(super) const GROUP: u32 = 64;
/// Widths of a tile that the matrix units have, in whole chunks of the column groups whose parts are exchanged together.
const WIDTHS: [u32; 6] = [16, 32, 64, 128, 192, 256];

/// A product: `n` outputs of width `k`, each from `paired` weight rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(super) kernel: &'static str,
    pub(super) dtype: DType,
    pub(super) layout: Layout,
    pub(super) act: ActFormat,
    pub(super) k: u32,
    pub(super) n: u32,
    pub(super) paired: u32,
    pub(super) max_rows: u32,
}

/// The pieces of a kernel's text.
pub(crate) type Source = &'static [&'static str];

/// Checks formats: `[dtype, layout, act, k]` and `[n, paired, max_rows]`.
pub(crate) fn product(kernel: &'static str, w: [u32; 4], sizes: [u32; 3]) -> Result<Product, KernelError> {
    let ([dtype, layout, act, k], [n, paired, max_rows]) = (w, sizes);
    let (dt, format) = (dtype::from_const(kernel, dtype)?, ActFormat::from_word(act));
    let unsupported = || {
        let layout = Layout::from_word(layout).name();
        let what =
            format!("many rows: width {k}, {dt} weights in layout {layout} with activations {act} on CUDA");
        KernelError::Unsupported { kernel, what }
    };
    let pair = match Layout::from_word(layout) {
        Layout::Planes if dt.block() > 1 => {
            matches!(format, Some(ActFormat::F16 | ActFormat::Bf16)) && k.is_multiple_of(dt.block())
        }
        Layout::Native | Layout::Staged => {
            matches!((dt, format), (DType::F16, Some(ActFormat::F16)) | (DType::Bf16, Some(ActFormat::Bf16)))
        }
        _ => false,
    };
    match format {
        Some(act) if pair && k != 0 && k.is_multiple_of(8) => {
            let layout = Layout::from_word(layout);
            Ok(Product { kernel, dtype: dt, layout, act, k, n, paired, max_rows })
        }
        _ => Err(unsupported()),
    }
}

/// Parts of k, of 16-bit weights. It must not depend on the rows: a row's bits do not.
pub(super) fn split(p: &Product) -> u32 {
    let wanted = match p.n.saturating_mul(p.paired).div_ceil(128) {
        ..30 => 4,
        30..90 => 2,
        _ => 1,
    };
    // Gates and ups are exchanged in one block, which has one part then.
    let most = if p.paired == 2 { 2 } else { 4 };
    let units = p.k.div_ceil(UNIT);
    [4, 2, 1].into_iter().find(|s| *s <= wanted && *s <= units && *s <= most).unwrap_or(1)
}

/// Bytes that a weight row has of a stage.
pub(super) fn stage_row(p: &Product) -> u32 {
    match p.layout {
        // Two bytes of a row take four.
        Layout::Planes => {
            let of_unit = |pl: &planes::Plane| (pl.bytes as u32 * UNIT / p.dtype.block()).next_multiple_of(4);
            planes::planes(p.dtype).iter().take(read_planes(p.dtype)).map(of_unit).sum()
        }
        _ => 128,
    }
}

/// Planes that a product reads; the sums of Q8_K are for integer products.
pub(super) fn read_planes(dtype: DType) -> usize {
    if dtype == DType::Q8K { 2 } else { planes::planes(dtype).len() }
}

/// Tiles over the activation rows, and their width.
pub(super) fn widths(p: &Product, most: u32) -> (u32, u32) {
    let down = p.max_rows.div_ceil(most);
    let each = p.max_rows.div_ceil(down);
    (down, WIDTHS.into_iter().find(|w| *w >= each).unwrap_or(most))
}
