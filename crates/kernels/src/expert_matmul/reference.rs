//! The plain twin: dequantize a weight row of an expert, multiply it with the input of every slot that has the expert.

use super::{ExpertMatmulConsts, Input};
use crate::act::{self, ActFormat};
use crate::cpu::{Call, share};
use crate::dtype::{self, DType, Layout};
use crate::matmul::reference::dot;
use crate::route::Choice;

/// # Safety
/// As [`crate::cpu::CpuFn`], for `expert_matmul`'s contract.
pub(crate) unsafe fn run(call: &Call<'_>, part: u32, parts: u32) {
    let c: ExpertMatmulConsts = call.consts();
    let (k, n, used) = (c.k as usize, c.n as usize, c.used as usize);
    let (Some(dt), Some(fmt)) = (DType::from_ggml(c.dtype), ActFormat::from_word(c.act)) else { return };
    let (layout, rb) = (Layout::from_word(c.layout), fmt.row_bytes(k));
    // SAFETY: shapes by the contract; parts own disjoint output columns.
    unsafe {
        let slots = call.step(0).header().rows as usize * used;
        let routes = call.slice::<Choice>(1, 0, slots);
        let w = call.slice::<u8>(3, 0, call.bufs[3].len);
        let (mut x, mut row) = (vec![0f32; k], vec![0f32; k]);
        for expert in 0..c.experts {
            if !routes.iter().any(|r| r.expert == expert) {
                continue;
            }
            for j in share(n, part, parts) {
                dtype::dequantize_row(dt, layout, w, k, expert as usize * n + j, &mut row);
                for slot in (0..slots).filter(|s| routes[*s].expert == expert) {
                    let input = if c.input == Input::Slot as u32 { slot } else { slot / used };
                    act::load(fmt, call.slice::<u8>(2, input * rb, rb), k, &mut x);
                    let at = slot * c.out_stride as usize + c.out_col as usize + j;
                    call.slice_mut::<f32>(4, at, 1)[0] = dot(&x, &row);
                }
            }
        }
    }
}
