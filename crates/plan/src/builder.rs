//! The one builder: decode, sampled decode, prefill of R rows and scoring are the same walk over the
//! architecture with another [`Shape`].

use crate::PlanError;
use crate::arch::EmbeddingScale;
use crate::program::{Program, Shape, attention_writes};
use crate::table::{Binding, Command, Geometry, KernelUse, Label, Region, RegionId, Span, Table};
use crate::weights::{LayerWeights, Product, SlotId};
use akunu_kernels as kernels;
use akunu_kernels::act::ActFormat;
use akunu_kernels::advance::AdvanceConsts;
use akunu_kernels::attention::{AttentionConsts, AttentionParams};
use akunu_kernels::contract::Kernel;
use akunu_kernels::embed::{EmbedConsts, EmbedParams};
use akunu_kernels::glu::GluConsts;
use akunu_kernels::kv_shift::KvShiftConsts;
use akunu_kernels::logits_max::LogitsConsts;
use akunu_kernels::matmul::{MatmulConsts, Select};
use akunu_kernels::quantize::QuantizeConsts;
use akunu_kernels::rms_norm::{RmsNormConsts, RmsNormParams};
use akunu_kernels::rope_angles::RopeAnglesConsts;
use akunu_kernels::rope_kv::RopeKvConsts;
use akunu_model::config::RopePairing;

/// A bound range before it has an access: (region, offset, length).
type Range = (Region, u64, u64);

struct Builder<'a> {
    p: &'a Program,
    shape: Shape,
    table: Table,
}

/// Builds a token table.
pub fn build(p: &Program, name: &str, shape: Shape) -> Result<Table, PlanError> {
    let mut b = Builder::new(p, name, shape);
    b.input()?;
    for (i, layer) in p.weights.layers.iter().enumerate() {
        b.layer(i as u32, layer)?;
    }
    b.head()?;
    Ok(b.table)
}

/// Builds the table that shifts the context: one command per layer.
pub fn build_shift(p: &Program) -> Result<Table, PlanError> {
    let mut b = Builder::new(p, "shift", Shape { rows: 1, head_rows: 1 });
    let c = &p.config;
    let consts = KvShiftConsts {
        kv_heads: c.kv_heads,
        head_dim: c.head_dim,
        pairs: c.rope.dim / 2,
        pairing: pairing(c.rope.pairing),
        kv: p.target.kv as u32,
    };
    for layer in 0..c.layers {
        let (k, v) = b.caches(layer);
        let binds = [b.all(Region::Step), b.all(Region::BlockTable), b.slot(p.weights.frequencies), k, v];
        b.emit(Some(layer), "shift", &kernels::kv_shift::KERNEL, &consts, &(), &binds)?;
    }
    Ok(b.table)
}

/// A constant or parameter struct as words; both are made of 32-bit fields.
fn words<T: bytemuck::NoUninit>(v: &T) -> Vec<u32> {
    bytemuck::bytes_of(v).chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn pairing(p: RopePairing) -> u32 {
    match p {
        RopePairing::Adjacent => 0,
        RopePairing::SplitHalf => 1,
    }
}

impl<'a> Builder<'a> {
    fn new(p: &'a Program, name: &str, shape: Shape) -> Self {
        let table = Table {
            name: name.into(),
            rows: shape.rows,
            head_rows: shape.head_rows,
            regions: p.regions.clone(),
            kernels: Vec::new(),
            commands: Vec::new(),
            bindings: Vec::new(),
            params: Vec::new(),
            labels: Vec::new(),
        };
        Self { p, shape, table }
    }

    /// Appends a command; checks the constants against the kernel's contract.
    fn emit<C: bytemuck::NoUninit, P: bytemuck::NoUninit>(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        kernel: &'static Kernel,
        consts: &C,
        params: &P,
        ranges: &[Range],
    ) -> Result<(), PlanError> {
        let (consts, params) = (words(consts), words(params));
        let same = |k: &KernelUse| std::ptr::eq(k.kernel, kernel) && k.consts == consts;
        let id = match self.table.kernels.iter().position(same) {
            Some(i) => i,
            None => {
                self.table.kernels.push(KernelUse { kernel, consts: consts.clone() });
                self.table.kernels.len() - 1
            }
        };
        let t = &mut self.table;
        let label = Label { layer, group };
        if ranges.len() != kernel.bindings.len()
            || consts.len() != kernel.consts.len()
            || params.len() * 4 != kernel.params
        {
            return Err(PlanError::Invalid {
                table: t.name.clone(),
                command: t.commands.len(),
                label: label.to_string(),
                what: format!("does not fit the contract of `{}`", kernel.name),
            });
        }
        let span = |start: usize, len: usize| Span { start: start as u32, len: len as u32 };
        t.commands.push(Command {
            kernel: id as u32,
            bindings: span(t.bindings.len(), ranges.len()),
            params: span(t.params.len(), params.len()),
            geometry: Geometry { grid: [(kernel.units)(&consts), 1, 1], block: [1; 3], shared: 0 },
        });
        t.bindings.extend(ranges.iter().zip(kernel.bindings).map(|((region, offset, len), spec)| Binding {
            region: RegionId(*region as u32),
            offset: *offset,
            len: *len,
            access: spec.access,
        }));
        t.params.extend(params);
        t.labels.push(label);
        Ok(())
    }

    fn all(&self, r: Region) -> Range {
        (r, 0, self.p.region(r).bytes)
    }

    /// The first `bytes` of a scratch buffer: what this shape uses of it.
    fn used(&self, r: Region, rows: u32, row_bytes: usize) -> Range {
        (r, 0, u64::from(rows) * row_bytes as u64)
    }

    fn slot(&self, id: SlotId) -> Range {
        let s = self.p.weights.slot(id);
        (Region::Weights, s.offset, s.bytes)
    }

    fn caches(&self, layer: u32) -> (Range, Range) {
        let n = self.p.kv_layer_bytes;
        ((Region::KCache, u64::from(layer) * n, n), (Region::VCache, u64::from(layer) * n, n))
    }

    fn residual(&self, r: Region) -> Range {
        self.used(r, self.shape.rows, self.p.config.hidden as usize * 4)
    }

    /// Embedding and rotation angles.
    fn input(&mut self) -> Result<(), PlanError> {
        let p = self.p;
        let c = &p.config;
        let s = p.weights.slot(p.weights.embed);
        let scale = match p.arch.embedding_scale {
            EmbeddingScale::One => 1.0,
            EmbeddingScale::SqrtHidden => (c.hidden as f32).sqrt(),
        };
        let consts = EmbedConsts {
            dtype: s.dtype as u32,
            layout: s.layout as u32,
            d: c.hidden,
            vocab: c.vocab,
            max_seq: p.max_seq(),
            max_rows: self.shape.rows,
        };
        let binds = [
            self.all(Region::Step),
            self.all(Region::Tokens),
            self.slot(p.weights.embed),
            self.residual(Region::H0),
        ];
        self.emit(None, "embed", &kernels::embed::KERNEL, &consts, &EmbedParams { scale }, &binds)?;
        let pairs = c.rope.dim / 2;
        let consts = RopeAnglesConsts { pairs, max_rows: self.shape.rows };
        let binds = [self.all(Region::Step), self.slot(p.weights.frequencies), self.angles()];
        self.emit(None, "rope_angles", &kernels::rope_angles::KERNEL, &consts, &(), &binds)
    }

    fn angles(&self) -> Range {
        self.used(Region::Angles, self.shape.rows, self.p.config.rope.dim as usize * 4)
    }

    fn qkv(&self) -> Range {
        let c = &self.p.config;
        self.used(Region::Qkv, self.shape.rows, ((c.heads + 2 * c.kv_heads) * c.head_dim * 4) as usize)
    }

    /// One transformer layer: h0 -> attention -> h1 -> feed-forward -> h0.
    fn layer(&mut self, i: u32, w: &LayerWeights) -> Result<(), PlanError> {
        let c = &self.p.config;
        let l = Some(i);
        let qkv_width = (c.heads + 2 * c.kv_heads) * c.head_dim;
        self.norm_product(
            l,
            ("attention.norm", "attention.qkv"),
            w.attention_norm,
            Region::H0,
            &w.qkv,
            qkv_width,
            self.qkv(),
        )?;
        self.rope_kv(i)?;
        self.attention(i, w.output)?;
        let act = self.p.weights.slot(w.output).act;
        let x = self.used(Region::AttnOut, self.shape.rows, act.row_bytes((c.heads * c.head_dim) as usize));
        self.matmul_add(l, "attention.output", w.output, x, Region::H0, Region::H1)?;

        let gate_up = self.used(Region::GateUp, self.shape.rows, c.ffn as usize * 8);
        self.norm_product(
            l,
            ("ffn.norm", "ffn.gate_up"),
            w.ffn_norm,
            Region::H1,
            &w.gate_up,
            2 * c.ffn,
            gate_up,
        )?;
        let act = self.p.weights.slot(w.down).act;
        let x = self.used(Region::FfnAct, self.shape.rows, act.row_bytes(c.ffn as usize));
        let consts = GluConsts {
            f: c.ffn,
            activation: self.p.arch.activation as u32,
            act: act as u32,
            max_rows: self.shape.rows,
        };
        let binds = [self.all(Region::Step), gate_up, x];
        self.emit(l, "ffn.glu", &kernels::glu::KERNEL, &consts, &(), &binds)?;
        self.matmul_add(l, "ffn.down", w.down, x, Region::H1, Region::H0)
    }

    /// A norm and the products that read it. The norm writes the products' activation format; where they
    /// differ (mixed files) it runs once per format.
    fn norm_product(
        &mut self,
        layer: Option<u32>,
        groups: (&'static str, &'static str),
        norm: SlotId,
        input: Region,
        product: &Product,
        width: u32,
        out: Range,
    ) -> Result<(), PlanError> {
        let mut current = None;
        for (id, col) in &product.parts {
            let act = self.p.weights.slot(*id).act;
            if current != Some(act) {
                self.norm(layer, groups.0, norm, input, act, Select::All)?;
                current = Some(act);
            }
            let x = self.x(act, self.shape.rows);
            let consts = self.matmul_consts(*id, width, *col, Select::All, self.shape.rows);
            let binds = [self.all(Region::Step), x, self.slot(*id), out];
            self.emit(layer, groups.1, &kernels::matmul::KERNEL, &consts, &(), &binds)?;
        }
        Ok(())
    }

    fn x(&self, act: ActFormat, rows: u32) -> Range {
        self.used(Region::X, rows, act.row_bytes(self.p.config.hidden as usize))
    }

    fn norm(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        weight: SlotId,
        input: Region,
        act: ActFormat,
        select: Select,
    ) -> Result<(), PlanError> {
        let c = &self.p.config;
        let rows = if select == Select::Head { self.shape.head_rows } else { self.shape.rows };
        let consts = RmsNormConsts { d: c.hidden, act: act as u32, select: select as u32, max_rows: rows };
        let binds = [self.all(Region::Step), self.residual(input), self.slot(weight), self.x(act, rows)];
        let params = RmsNormParams { eps: c.norm_eps };
        self.emit(layer, group, &kernels::rms_norm::KERNEL, &consts, &params, &binds)
    }

    fn matmul_consts(
        &self,
        id: SlotId,
        out_stride: u32,
        out_col: u32,
        select: Select,
        rows: u32,
    ) -> MatmulConsts {
        let s = self.p.weights.slot(id);
        MatmulConsts {
            dtype: s.dtype as u32,
            layout: s.layout as u32,
            act: s.act as u32,
            k: s.k as u32,
            n: s.rows as u32,
            out_stride,
            out_col,
            select: select as u32,
            max_rows: rows,
        }
    }

    fn matmul_add(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        id: SlotId,
        x: Range,
        residual: Region,
        out: Region,
    ) -> Result<(), PlanError> {
        let consts = self.matmul_consts(id, self.p.config.hidden, 0, Select::All, self.shape.rows);
        let binds = [self.all(Region::Step), x, self.slot(id), self.residual(residual), self.residual(out)];
        self.emit(layer, group, &kernels::matmul_add::KERNEL, &consts, &(), &binds)
    }

    fn rope_kv(&mut self, layer: u32) -> Result<(), PlanError> {
        let c = &self.p.config;
        let consts = RopeKvConsts {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            pairs: c.rope.dim / 2,
            pairing: pairing(c.rope.pairing),
            kv: self.p.target.kv as u32,
            max_rows: self.shape.rows,
        };
        let (k, v) = self.caches(layer);
        let binds = [self.all(Region::Step), self.all(Region::BlockTable), self.angles(), self.qkv(), k, v];
        self.emit(Some(layer), "attention.rope_kv", &kernels::rope_kv::KERNEL, &consts, &(), &binds)
    }

    fn attention(&mut self, layer: u32, output: SlotId) -> Result<(), PlanError> {
        let c = &self.p.config;
        let act = self.p.weights.slot(output).act;
        let width = (c.heads * c.head_dim) as usize;
        let direct = attention_writes(act, c.head_dim);
        let (fmt, region) = if direct { (act, Region::AttnOut) } else { (ActFormat::F32, Region::AttnF32) };
        let out = self.used(region, self.shape.rows, fmt.row_bytes(width));
        let consts = AttentionConsts {
            heads: c.heads,
            kv_heads: c.kv_heads,
            head_dim: c.head_dim,
            kv: self.p.target.kv as u32,
            act: fmt as u32,
            max_rows: self.shape.rows,
            window: 0,
        };
        let params = AttentionParams { scale: 1.0 / (c.head_dim as f32).sqrt() };
        let (k, v) = self.caches(layer);
        let binds = [self.all(Region::Step), self.all(Region::BlockTable), self.qkv(), k, v, out];
        self.emit(Some(layer), "attention.attention", &kernels::attention::KERNEL, &consts, &params, &binds)?;
        if !direct {
            let to = self.used(Region::AttnOut, self.shape.rows, act.row_bytes(width));
            let consts = QuantizeConsts { k: width as u32, act: act as u32, max_rows: self.shape.rows };
            let binds = [self.all(Region::Step), out, to];
            self.emit(Some(layer), "attention.quantize", &kernels::quantize::KERNEL, &consts, &(), &binds)?;
        }
        Ok(())
    }

    /// Final norm, output head, sampling, and the step to the next token.
    fn head(&mut self) -> Result<(), PlanError> {
        let p = self.p;
        let vocab = p.config.vocab;
        let rows = self.shape.head_rows;
        let act = p.head_act();
        self.norm(None, "head.norm", p.weights.output_norm, Region::H0, act, Select::Head)?;
        let logits = self.used(Region::Logits, rows, vocab as usize * 4);
        let consts = MatmulConsts {
            act: act as u32,
            ..self.matmul_consts(p.weights.head, vocab, 0, Select::Head, rows)
        };
        let binds = [self.all(Region::Step), self.x(act, rows), self.slot(p.weights.head), logits];
        self.emit(None, "head.logits", &kernels::matmul::KERNEL, &consts, &(), &binds)?;

        let picks = kernels::logits_max::chunks(vocab as usize) * size_of::<kernels::logits_max::Pick>();
        let best = self.used(Region::Best, rows, picks);
        let drawn = self.used(Region::Picks, rows, picks);
        let consts = LogitsConsts { vocab, max_rows: rows };
        let step = self.all(Region::Step);
        self.emit(None, "sample", &kernels::logits_max::KERNEL, &consts, &(), &[step, logits, best])?;
        self.emit(None, "sample", &kernels::sample::KERNEL, &consts, &(), &[step, logits, best, drawn])?;
        let consts = AdvanceConsts { vocab, max_seq: p.max_seq() };
        let binds = [step, drawn, self.all(Region::Tokens)];
        self.emit(None, "sample", &kernels::advance::KERNEL, &consts, &(), &binds)
    }
}
