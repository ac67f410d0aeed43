//! Which command makes gates, ups and their activation at once, and how many rows of them lie in memory where none does.

use super::Program;
use crate::weights::{Ffn, Product};
use akunu_kernels::act::ActFormat;
use akunu_kernels::matmul_glu::{self, MatmulGluConsts};
use akunu_kernels::norm_matmul_glu::{self, NormMatmulGluConsts};
use akunu_kernels::step::RowCount;

/// Such a command, with its constants.
pub(crate) enum Gated {
    /// With the norm before it.
    Normed(NormMatmulGluConsts),
    /// Of inputs in a format of 16 bits or fewer.
    Alone(MatmulGluConsts, ActFormat),
}

impl Program {
    /// What makes gates, ups and their activation of `rows` rows in one command, where both are one matrix and the target has it for these
    /// formats. `normed` says whether a norm comes before, `act` is the output's format.
    pub(crate) fn gated(
        &self,
        gate_up: &Product,
        normed: bool,
        act: ActFormat,
        rows: RowCount,
    ) -> Option<Gated> {
        let [(id, _)] = gate_up.parts[..] else { return None };
        let (c, s, x_act) = (&self.config, self.weights.slot(id), self.act(id, rows));
        let (k, f, activation, max_rows) = (c.hidden, c.ffn, self.arch.activation as u32, rows.0);
        let family = self.target.family(rows);
        if x_act == ActFormat::F32 {
            let fits = normed && act == ActFormat::F32 && family.takes(&norm_matmul_glu::KERNEL);
            let (dtype, layout, act) = (s.dtype as u32, s.layout as u32, act as u32);
            let consts = NormMatmulGluConsts { dtype, layout, k, f, activation, act, max_rows };
            return fits.then_some(Gated::Normed(consts));
        }
        let (dtype, layout) = self.taken(id, rows);
        let (dtype, layout, act_out) = (dtype as u32, layout as u32, act as u32);
        let consts =
            MatmulGluConsts { dtype, layout, act: x_act as u32, k, f, activation, act_out, max_rows };
        let words = bytemuck::cast_slice(std::slice::from_ref(&consts));
        // A machine may not have it for every width and layout.
        let fits = family.takes(&matmul_glu::KERNEL)
            && matmul_glu::KERNEL.launch(&self.target.machine, words).is_ok();
        fits.then_some(Gated::Alone(consts, x_act))
    }

    /// Of each family the most rows of tables of up to `most`.
    pub(crate) fn family_ends(&self, most: RowCount) -> impl Iterator<Item = RowCount> + use<'_> {
        let ends = self.target.families.iter().map(|f| f.rows).chain([RowCount(u32::MAX)]);
        ends.map(move |end| end.min(most))
    }

    /// Of tables of up to `most` rows the rows of the largest that may have gates and ups in memory. This assumes that within a family
    /// either all tables store them or none does; the verifier refuses a table that finds no room for them.
    pub(crate) fn ungated_rows(&self, most: RowCount) -> RowCount {
        let (mut first, mut rows) = (1, RowCount(0));
        for last in self.family_ends(most) {
            if first <= last.0 && !self.is_gated(first, last.0) {
                rows = last;
            }
            first = first.max(last.0.saturating_add(1));
        }
        rows
    }

    /// Whether tables of so many rows make gates, ups and their activation in one command in every layer.
    fn is_gated(&self, first: u32, last: u32) -> bool {
        let rungs = self.ladder().into_iter().map(|r| r.0).filter(|r| (first..last).contains(r));
        let all: Vec<RowCount> = rungs.chain([first, last]).map(RowCount).collect();
        self.weights.all_layers().all(|l| match &l.ffn {
            Ffn::Dense { gate_up, down } => all.iter().all(|rows| {
                self.gated(gate_up, l.ffn_norm.is_some(), self.act(*down, *rows), *rows).is_some()
            }),
            _ => false,
        })
    }
}
