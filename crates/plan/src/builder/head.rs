//! The end of a table: the head's logits, and the draw.

use super::{Builder, Range};
use crate::PlanError;
use crate::table::Region;
use crate::walk::{Draw, Ending};
use akunu_kernels as kernels;
use akunu_kernels::accept::AcceptConsts;
use akunu_kernels::act::ActFormat;
use akunu_kernels::adjust::AdjustConsts;
use akunu_kernels::advance::AdvanceConsts;
use akunu_kernels::draw::DrawConsts;
use akunu_kernels::log_probs::LogProbsConsts;
use akunu_kernels::logits_max::LogitsConsts;
use akunu_kernels::matmul::{MatmulConsts, Select};
use akunu_kernels::norm_matmul_max::NormMatmulMaxConsts;
use akunu_kernels::rms_norm::{RmsNormConsts, RmsNormParams};
use akunu_kernels::softcap::{SoftcapConsts, SoftcapParams};
use akunu_kernels::step::RowCount;

impl Builder<'_> {
    /// Bytes of a head's picks, one for each chunk of logits.
    fn picks(&self, consts: &LogitsConsts) -> usize {
        kernels::logits_max::chunks(consts.vocab as usize, consts.chunk as usize)
            * size_of::<kernels::logits_max::Pick>()
    }

    /// How the heads' logits are cut.
    fn logits_consts(&self) -> LogitsConsts {
        let (p, rows) = (self.p, self.shape.head_rows);
        LogitsConsts { vocab: p.config.vocab, chunk: p.target.family(rows).pick_chunk, max_rows: rows.0 }
    }

    /// Logits of the heads, and the best of each chunk.
    pub(super) fn head(&mut self) -> Result<(), PlanError> {
        let (p, rows) = (self.p, self.shape.head_rows);
        let consts = self.logits_consts();
        let vocab = consts.vocab;
        let logits = self.used(Region::Logits, rows, vocab as usize * 4);
        let best = self.used(Region::Best, rows, self.picks(&consts));
        let step = self.all(Region::Step);
        let cap = p.config.logits_softcap;
        if p.target.family(rows).takes(&kernels::norm_matmul_max::KERNEL) && cap.is_none() {
            self.fused_head(logits, best)?;
        } else {
            self.logits(logits)?;
            if let Some(cap) = cap {
                let consts = SoftcapConsts { n: vocab, max_rows: rows.0 };
                let (kernel, params) = (&kernels::softcap::KERNEL, SoftcapParams { cap });
                self.emit(None, "head.softcap", kernel, &consts, &params, &[step, logits])?;
            }
            self.emit(None, "sample", &kernels::logits_max::KERNEL, &consts, &(), &[step, logits, best])?;
        }
        Ok(())
    }

    /// A draw from the heads' logits, and what becomes of it.
    pub(super) fn draw(&mut self) -> Result<(), PlanError> {
        let (p, rows) = (self.p, self.shape.head_rows);
        let consts = self.logits_consts();
        let LogitsConsts { vocab, chunk, .. } = consts;
        let picks = self.picks(&consts);
        let logits = self.used(Region::Logits, rows, vocab as usize * 4);
        let best = self.used(Region::Best, rows, picks);
        let per_head =
            if self.shape.draw == Draw::Full { size_of::<kernels::logits_max::Pick>() } else { picks };
        let drawn = self.used(Region::Picks, rows, per_head);
        let step = self.all(Region::Step);
        let pick_of = match self.shape.draw {
            Draw::Plain => {
                let binds = [step, logits, best, drawn];
                self.emit(None, "sample", &kernels::sample::KERNEL, &consts, &(), &binds)?;
                chunk
            }
            Draw::Full => {
                self.sample(&consts, logits, best, drawn)?;
                vocab
            }
        };
        let (max_seq, heads, tokens) = (p.max_seq(), p.capacity().heads, self.all(Region::Tokens));
        match self.shape.ending {
            Ending::Advance => {
                let consts = AdvanceConsts { vocab, chunk: pick_of, max_seq, heads };
                self.emit(None, "sample", &kernels::advance::KERNEL, &consts, &(), &[step, drawn, tokens])
            }
            Ending::Accept => {
                let consts = AcceptConsts { vocab, chunk: pick_of, max_seq, heads, rows: rows.0 };
                let binds = [step, drawn, tokens, self.all(Region::Drafts)];
                self.emit(None, "sample", &kernels::accept::KERNEL, &consts, &(), &binds)
            }
        }
    }

    /// What changes logits, then the filters and the draw, one pick for each head, then log-probabilities.
    fn sample(
        &mut self,
        consts: &LogitsConsts,
        logits: Range,
        best: Range,
        drawn: Range,
    ) -> Result<(), PlanError> {
        let p = self.p;
        let (step, samplers) = (self.all(Region::Step), self.all(Region::Samplers));
        let LogitsConsts { vocab, chunk, max_rows } = *consts;
        let adjust = AdjustConsts { vocab, chunk, max_rows, max_seq: p.max_seq() };
        let lists = [Region::Biases, Region::Masks, Region::Breakers, Region::Tokens].map(|r| self.all(r));
        let raw = self.used(Region::RawLogits, RowCount(max_rows), vocab as usize * 4);
        let binds = [step, samplers, lists[0], lists[1], lists[2], lists[3], logits, best, raw];
        self.emit(None, "sample", &kernels::adjust::KERNEL, &adjust, &(), &binds)?;
        let binds = [step, samplers, logits, best, self.all(Region::Mirostat), drawn];
        let consts = DrawConsts { vocab, chunk, max_rows, max_seq: p.max_seq() };
        self.emit(None, "sample", &kernels::draw::KERNEL, &consts, &(), &binds)?;
        let binds = [step, samplers, raw, drawn, self.all(Region::LogProbs)];
        let consts = LogProbsConsts { vocab, max_rows };
        self.emit(None, "sample", &kernels::log_probs::KERNEL, &consts, &(), &binds)
    }

    /// Final norm and output head.
    fn logits(&mut self, logits: Range) -> Result<(), PlanError> {
        let act = self.head_input();
        self.norm(None, "head.norm", Some(self.p.weights.output_norm), act, Select::Head)?;
        self.head_product(act, logits)
    }

    /// The format of the output head's input.
    pub(super) fn head_input(&self) -> ActFormat {
        self.p.head_act_of(self.shape.head_rows)
    }

    /// The output head, whose input `x` holds.
    pub(super) fn head_product(&mut self, act: ActFormat, logits: Range) -> Result<(), PlanError> {
        let p = self.p;
        let (rows, head) = (self.shape.head_rows, p.weights.head);
        let (dtype, layout, weights) = self.weights(None, "head.logits", head, rows)?;
        let consts = MatmulConsts {
            dtype: dtype as u32,
            layout: layout as u32,
            act: act as u32,
            ..self.matmul_consts(head, p.config.vocab, 0, Select::Head, rows)
        };
        let binds = [self.step(), self.x(act, rows), weights, logits];
        self.emit(None, "head.logits", &kernels::matmul::KERNEL, &consts, &(), &binds)
    }

    /// The final norm of the heads, in the place of logits.
    pub(super) fn hidden_states(&mut self) -> Result<(), PlanError> {
        let (p, rows) = (self.p, self.shape.head_rows);
        let d = p.config.hidden;
        let consts =
            RmsNormConsts { d, act: ActFormat::F32 as u32, select: Select::Head as u32, max_rows: rows.0 };
        let out = self.used(Region::Logits, rows, ActFormat::F32.row_bytes(d as usize));
        let binds = [self.step(), self.residual(), self.slot(p.weights.output_norm), out];
        let params = RmsNormParams { eps: p.config.norm_eps };
        self.emit(None, "head.norm", &kernels::rms_norm::KERNEL, &consts, &params, &binds)
    }

    /// Final norm, output head and the best logit of each chunk in one command.
    fn fused_head(&mut self, logits: Range, best: Range) -> Result<(), PlanError> {
        let p = self.p;
        let s = p.weights.slot(p.weights.head);
        let consts = NormMatmulMaxConsts {
            dtype: s.dtype as u32,
            layout: s.layout as u32,
            k: s.k as u32,
            n: s.rows as u32,
            chunk: p.target.family(self.shape.head_rows).pick_chunk,
            max_rows: self.shape.head_rows.0,
        };
        let binds = [
            self.step(),
            self.residual(),
            self.slot(p.weights.output_norm),
            self.slot(p.weights.head),
            logits,
            best,
        ];
        let params = RmsNormParams { eps: p.config.norm_eps };
        self.emit(None, "head.logits", &kernels::norm_matmul_max::KERNEL, &consts, &params, &binds)
    }
}
