//! A layer's mixture of experts.

use super::{Builder, Range};
use crate::PlanError;
use crate::program::Program;
use crate::table::Region;
use crate::weights::{Ffn, LayerWeights, Product, SlotId};
use akunu_kernels as kernels;
use akunu_kernels::act::ActFormat;
use akunu_kernels::expert_combine::ExpertCombineConsts;
use akunu_kernels::expert_group::{self, ExpertGroupConsts};
use akunu_kernels::expert_matmul::{ExpertMatmulConsts, Input};
use akunu_kernels::glu::GluConsts;
use akunu_kernels::grouped_matmul::{self, GroupedMatmulConsts};
use akunu_kernels::matmul::Select;
use akunu_kernels::norm_expert_matmul_glu::NormExpertMatmulGluConsts;
use akunu_kernels::rms_norm::RmsNormParams;
use akunu_kernels::route::{Choice, RouteConsts};
use akunu_kernels::step::RowCount;
use akunu_model::config::ExpertsConfig;

/// The routes of a step, and their groups where products follow those.
#[derive(Clone, Copy)]
struct Routed {
    routes: Range,
    groups: Option<Range>,
}

impl Builder<'_> {
    /// A mixture of experts: the router's scores, the choice, the chosen experts' products, and their sum.
    pub(super) fn experts(
        &mut self,
        layer: Option<u32>,
        w: &LayerWeights,
        e: &ExpertsConfig,
        router: &Product,
        [gate, up, down]: [SlotId; 3],
    ) -> Result<(), PlanError> {
        let c = &self.p.config;
        let rows = self.shape.rows;
        let step = self.step();
        if let Some(norm) = w.ffn_post_norm {
            let tensor = format!("slot {}", norm.0);
            return Err(PlanError::UnknownTensor { tensor, arch: c.arch.clone(), more: String::new() });
        }
        let routed = self.route(layer, w, e, router)?;
        let act = self.act(down, rows);
        let x = self.used(Region::FfnAct, rows, e.used as usize * act.row_bytes(e.ffn as usize));
        let (a, b) = (self.p.weights.slot(gate), self.p.weights.slot(up));
        let alike = (a.dtype, a.layout) == (b.dtype, b.layout) && act == ActFormat::F32;
        let fused = alike && self.takes(&kernels::norm_expert_matmul_glu::KERNEL);
        match w.ffn_norm.filter(|_| fused) {
            Some(norm) => self.norm_expert_gates(layer, e, norm, [gate, up], [routed.routes, x])?,
            None => {
                // The router's norm has left its output, unless it was fused with the product.
                let mut ids = router.parts.iter().map(|(id, _)| *id);
                let fused = self.fuses_norm(&kernels::norm_matmul::KERNEL, &mut ids);
                let parts = router.parts.last().filter(|_| !fused);
                let first = parts.map(|(id, _)| self.act(*id, rows));
                self.expert_gates(layer, w.ffn_norm, e, first, [gate, up], routed)?;
                let gates = self.gates(e);
                let activation = self.p.arch.activation as u32;
                let consts =
                    GluConsts { f: e.ffn, activation, act: act as u32, per_row: e.used, max_rows: rows.0 };
                self.emit(layer, "ffn.glu", &kernels::glu::KERNEL, &consts, &(), &[step, gates, x])?;
            }
        }
        let y = self.used(Region::ExpertOut, rows, (e.used * c.hidden * 4) as usize);
        let consts = ExpertMatmulConsts { input: Input::Slot as u32, ..self.expert_consts(e, down) };
        self.expert_product(layer, "ffn.down", consts, routed, [x, self.slot(down), y])?;
        let consts = ExpertCombineConsts { d: c.hidden, used: e.used, max_rows: rows.0 };
        let kernel = &kernels::expert_combine::KERNEL;
        self.emit_sum(layer, "ffn.combine", kernel, &consts, &(), [step, routed.routes, y])
    }

    /// The router's scores, each row's experts, and slots in the order of their experts where rows are many.
    fn route(
        &mut self,
        layer: Option<u32>,
        w: &LayerWeights,
        e: &ExpertsConfig,
        router: &Product,
    ) -> Result<Routed, PlanError> {
        let rows = self.shape.rows;
        let step = self.step();
        let scores = self.used(Region::Scores, rows, e.count as usize * 4);
        let groups = ("ffn.norm", "ffn.router");
        self.norm_product(layer, groups, w.ffn_norm, router, e.count, scores)?;
        let routes = self.used(Region::Routes, rows, e.used as usize * size_of::<Choice>());
        let normalized = u32::from(e.normalized);
        let consts = RouteConsts { experts: e.count, used: e.used, normalized, max_rows: rows.0 };
        self.emit(layer, "ffn.route", &kernels::route::KERNEL, &consts, &(), &[step, scores, routes])?;
        if !self.p.groups(rows) {
            return Ok(Routed { routes, groups: None });
        }
        let consts = self.p.group(e, rows);
        let groups = (Region::Groups, 0, kernels::expert_group::bytes(&consts));
        let binds = [step, routes, groups];
        self.emit(layer, "ffn.group", &kernels::expert_group::KERNEL, &consts, &(), &binds)?;
        Ok(Routed { routes, groups: Some(groups) })
    }

    /// Norm, gates and ups of the chosen experts and their product, in one command for few rows.
    fn norm_expert_gates(
        &mut self,
        layer: Option<u32>,
        e: &ExpertsConfig,
        norm: SlotId,
        [gate, up]: [SlotId; 2],
        [routes, out]: [Range; 2],
    ) -> Result<(), PlanError> {
        let s = self.p.weights.slot(gate);
        let consts = NormExpertMatmulGluConsts {
            dtype: s.dtype as u32,
            layout: s.layout as u32,
            k: s.k as u32,
            f: e.ffn,
            experts: e.count,
            used: e.used,
            activation: self.p.arch.activation as u32,
            max_rows: self.shape.rows.0,
        };
        let (step, input) = (self.step(), self.residual());
        let binds = [step, input, self.slot(norm), routes, self.slot(gate), self.slot(up), out];
        let params = RmsNormParams { eps: self.p.config.norm_eps };
        let kernel = &kernels::norm_expert_matmul_glu::KERNEL;
        self.emit(layer, "ffn.gate_up", kernel, &consts, &params, &binds)
    }

    /// Gates and ups of the chosen experts. `current` is the format in which their normalised input already lies.
    fn expert_gates(
        &mut self,
        layer: Option<u32>,
        norm: Option<SlotId>,
        e: &ExpertsConfig,
        mut current: Option<ActFormat>,
        [gate, up]: [SlotId; 2],
        routed: Routed,
    ) -> Result<(), PlanError> {
        let rows = self.shape.rows;
        for (id, out_col) in [(gate, 0), (up, e.ffn)] {
            let act = self.act(id, rows);
            if current != Some(act) {
                self.norm(layer, "ffn.norm", norm, act, Select::All)?;
                current = Some(act);
            }
            let consts = ExpertMatmulConsts { out_stride: 2 * e.ffn, out_col, ..self.expert_consts(e, id) };
            let binds = [self.x(act, rows), self.slot(id), self.gates(e)];
            self.expert_product(layer, "ffn.gate_up", consts, routed, binds)?;
        }
        Ok(())
    }

    /// Gates and ups of all slots.
    fn gates(&self, e: &ExpertsConfig) -> Range {
        self.used(Region::GateUp, self.shape.rows, (e.used * e.ffn * 8) as usize)
    }

    /// A product with a stack of experts: slot by slot, or by groups where there are any.
    fn expert_product(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        c: ExpertMatmulConsts,
        routed: Routed,
        [x, weights, out]: [Range; 3],
    ) -> Result<(), PlanError> {
        let step = self.step();
        let Some(groups) = routed.groups else {
            let binds = [step, routed.routes, x, weights, out];
            return self.emit(layer, group, &kernels::expert_matmul::KERNEL, &c, &(), &binds);
        };
        let tile = kernels::grouped_matmul::tile(c.max_rows, c.used, c.experts);
        let consts = GroupedMatmulConsts { product: c, tile };
        let binds = [step, groups, x, weights, out];
        self.emit(layer, group, &kernels::grouped_matmul::KERNEL, &consts, &(), &binds)
    }

    /// Constants of a product with a stack of experts, whose outputs fill its rows.
    fn expert_consts(&self, e: &ExpertsConfig, id: SlotId) -> ExpertMatmulConsts {
        let s = self.p.weights.slot(id);
        let n = s.rows as u32 / e.count;
        ExpertMatmulConsts {
            dtype: s.dtype as u32,
            layout: s.layout as u32,
            act: self.act(id, self.shape.rows) as u32,
            k: s.k as u32,
            n,
            experts: e.count,
            used: e.used,
            input: Input::Row as u32,
            out_stride: n,
            out_col: 0,
            max_rows: self.shape.rows.0,
        }
    }
}

impl Program {
    /// Constants of the grouping of slots by expert in a table of `rows` rows.
    pub(crate) fn group(&self, e: &ExpertsConfig, rows: RowCount) -> ExpertGroupConsts {
        let tile = grouped_matmul::tile(rows.0, e.used, e.count);
        ExpertGroupConsts { experts: e.count, used: e.used, tile, max_rows: rows.0 }
    }

    /// Whether the experts' products of a table of `rows` rows are grouped.
    pub(crate) fn groups(&self, rows: RowCount) -> bool {
        if !self.target.family(rows).takes(&grouped_matmul::KERNEL) {
            return false;
        }
        let Some(Ffn::Experts { gate, up, down, .. }) = self.weights.layers.first().map(|l| &l.ffn) else {
            return false;
        };
        [gate, up, down].iter().all(|id| self.weights.slot(**id).staged.is_some())
    }

    /// Bytes that the grouping of any table needs: the smallest tiles make the most of them.
    pub(crate) fn group_bytes(&self) -> u64 {
        let rows = self.ladder().into_iter().chain([self.settings.head_rows]).max().unwrap_or(RowCount(1));
        let Some(e) = self.config.experts.as_ref().filter(|_| self.groups(rows)) else { return 0 };
        expert_group::bytes(&ExpertGroupConsts { tile: grouped_matmul::TILES[0], ..self.group(e, rows) })
    }
}
