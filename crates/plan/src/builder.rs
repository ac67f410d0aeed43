//! The one builder: decode, sampled decode, prefill of R rows and scoring are the same walk over the
//! architecture with another [`Shape`].

use crate::PlanError;
use crate::arch::{EmbeddingScale, LayerRope, QkNorm};
use crate::program::{Gated, Program};
use crate::table::{Binding, Command, KernelUse, Label, Region, RegionId, RegionKind, Span, Table};
use crate::verify::{VerifiedTable, verify};
use crate::walk::{Shape, Steps, Walk};
use crate::weights::{Ffn, LayerWeights, Product, SlotId};
use akunu_kernels as kernels;
use akunu_kernels::act::ActFormat;
use akunu_kernels::add_bias::AddBiasConsts;
use akunu_kernels::contract::Kernel;
use akunu_kernels::dequantize::DequantizeConsts;
use akunu_kernels::embed::{EmbedConsts, EmbedParams};
use akunu_kernels::glu::GluConsts;
use akunu_kernels::matmul::{MatmulConsts, Select};
use akunu_kernels::norm_matmul_pair::NormMatmulPairConsts;
use akunu_kernels::qk_norm::{QkNormConsts, Span as NormSpan};
use akunu_kernels::quantize::QuantizeConsts;
use akunu_kernels::rms_norm::{RmsNormConsts, RmsNormParams};
use akunu_kernels::rms_norm_add::RmsNormAddConsts;
use akunu_kernels::rope_angles::{RopeAnglesConsts, RopeAnglesParams};
use akunu_kernels::step::RowCount;
use akunu_kernels::take_heads::TakeHeadsConsts;
use akunu_kernels::{DType, Layout};
use akunu_model::config::RopePairing;

mod attention;
mod audio;
mod biased;
mod encode;
mod experts;
mod head;

/// A bound range before it has an access: (region, offset, length).
type Range = (Region, u64, u64);

struct Builder<'a> {
    p: &'a Program,
    shape: Shape,
    table: Table,
    /// The step block: the step's, or that of the rows that draw, from where they have been taken on.
    step: Region,
    /// Where the residual stream is, and where the next sum goes.
    residual: [Region; 2],
    /// Whether scores of the audio are left for the host.
    aligns: bool,
}

impl Program {
    /// Builds and verifies the table of a walk.
    pub fn table(&self, name: &str, walk: impl Into<Walk>) -> Result<VerifiedTable, PlanError> {
        let walk = walk.into();
        let shape = match walk {
            Walk::Tokens(shape)
            | Walk::Logits(shape)
            | Walk::Draw(shape)
            | Walk::Hidden(shape)
            | Walk::HostLogits(shape)
            | Walk::Align(shape) => shape,
            Walk::Encode(_) | Walk::EncodeAudio | Walk::Shift => Shape::ONE,
        };
        if shape.rows.0 == 0 || shape.head_rows > shape.rows {
            return Err(PlanError::Config {
                field: "table shape",
                value: format!("{} rows, {} of them with logits", shape.rows, shape.head_rows),
                remedy: "ask for at least one row, and for logits of no more than there are",
            });
        }
        if self.is_encoder() != matches!(walk, Walk::Encode(_)) {
            let kind = if self.is_encoder() { "an encoder" } else { "a decoder" };
            return Err(PlanError::Config {
                field: "table",
                value: format!("{name} of {kind}"),
                remedy: "an encoder makes vectors of texts (`akunu embed`), a decoder draws tokens: use the other kind of model",
            });
        }
        if self.hears() != matches!(walk, Walk::EncodeAudio | Walk::HostLogits(_) | Walk::Align(_)) {
            let kind = if self.hears() { "a model of speech" } else { "a model of text" };
            return Err(PlanError::Config {
                field: "table",
                value: format!("{name} of {kind}"),
                remedy: "a model of speech transcribes audio (`akunu transcribe`), and no other does: use the other kind of model",
            });
        }
        if matches!(walk, Walk::Align(_)) && self.alignment.is_empty() {
            return Err(PlanError::Config {
                field: "table",
                value: format!("{name} of a program that aligns nothing"),
                remedy: "make it of the program that `aligning` returns",
            });
        }
        // `kv_shift` moves the first sequence by lengths in its entry, which devices check for sessions alone: a batch's host does it.
        if walk == Walk::Shift && self.cache.windows.is_some() {
            return Err(PlanError::Config {
                field: "table",
                value: "a context shift of windowed layers with blocks of their own".into(),
                remedy: "compute what is left anew",
            });
        }
        verify(build(self, name, walk)?)
    }
}

fn build(p: &Program, name: &str, walk: Walk) -> Result<Table, PlanError> {
    let shape = match walk {
        Walk::Tokens(shape)
        | Walk::Logits(shape)
        | Walk::Draw(shape)
        | Walk::Hidden(shape)
        | Walk::HostLogits(shape)
        | Walk::Align(shape) => shape,
        Walk::EncodeAudio => Shape::new(p.encoded_rows(), RowCount(0)),
        Walk::Encode(e) => Shape::new(e.rows, e.rows.min(RowCount(p.capacity().heads))),
        Walk::Shift => Shape::ONE,
    };
    let mut b = Builder::new(p, name, shape);
    match walk {
        Walk::Tokens(_) => {
            b.layers()?;
            b.head()?;
            b.draw()?;
        }
        Walk::Logits(_) => {
            b.table.steps = Steps::Single;
            b.layers()?;
            b.head()?;
        }
        Walk::Draw(_) => {
            b.table.steps = Steps::Single;
            // What another table has left outlives a replay.
            for r in [Region::Logits, Region::Best] {
                b.table.regions[r as usize].kind = RegionKind::Persistent;
            }
            b.draw()?;
        }
        Walk::Hidden(_) => {
            b.layers()?;
            b.hidden_states()?;
        }
        Walk::HostLogits(_) => {
            b.layers()?;
            b.head_logits()?;
        }
        Walk::Align(_) => {
            b.aligns = true;
            b.layers()?;
        }
        Walk::Encode(e) => b.encode(e)?,
        Walk::EncodeAudio => b.encode_audio()?,
        Walk::Shift => b.shift()?,
    }
    Ok(b.table)
}

/// A constant or parameter struct as words; both are made of 32-bit fields.
fn words<T: bytemuck::NoUninit>(v: &T) -> Vec<u32> {
    bytemuck::bytes_of(v).chunks_exact(4).map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect()
}

pub(crate) fn pairing(p: RopePairing) -> u32 {
    match p {
        RopePairing::Adjacent => 0,
        RopePairing::SplitHalf => 1,
    }
}

impl<'a> Builder<'a> {
    fn new(p: &'a Program, name: &str, shape: Shape) -> Self {
        let table = Table {
            name: name.into(),
            machine: p.target.machine,
            rows: shape.rows,
            head_rows: shape.head_rows,
            ending: shape.ending,
            steps: Steps::Many,
            capacity: p.capacity(),
            kv_blocks: p.settings.batch.map(|b| b.blocks),
            window_blocks: p.cache.windows.map_or(0, |w| w.blocks),
            regions: p.regions.clone(),
            kernels: Vec::new(),
            commands: Vec::new(),
            bindings: Vec::new(),
            params: Vec::new(),
            labels: Vec::new(),
        };
        Self { p, shape, table, step: Region::Step, residual: [Region::H0, Region::H1], aligns: false }
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
        let t = &mut self.table;
        let label = Label { layer, group };
        if ranges.len() != kernel.bindings.len()
            || consts.len() != kernel.consts.len()
            || params.len() != kernel.params.len()
        {
            return Err(PlanError::Invalid {
                table: t.name.clone(),
                command: t.commands.len(),
                label: label.to_string(),
                what: format!("does not fit the contract of `{}`", kernel.name),
            });
        }
        let same = |k: &KernelUse| std::ptr::eq(k.kernel, kernel) && k.consts == consts;
        let id = match t.kernels.iter().position(same) {
            Some(i) => i,
            None => {
                let launch = kernel.launch(&t.machine, &consts)?;
                t.kernels.push(KernelUse { kernel, consts, launch });
                t.kernels.len() - 1
            }
        };
        let span = |start: usize, len: usize| Span { start: start as u32, len: len as u32 };
        t.commands.push(Command {
            kernel: id as u32,
            bindings: span(t.bindings.len(), ranges.len()),
            params: span(t.params.len(), params.len()),
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

    fn step(&self) -> Range {
        self.all(self.step)
    }

    fn all(&self, r: Region) -> Range {
        (r, 0, self.p.region(r).bytes)
    }

    /// The first `bytes` of a scratch buffer: what this shape uses of it.
    fn used(&self, r: Region, rows: RowCount, row_bytes: usize) -> Range {
        (r, 0, u64::from(rows) * row_bytes as u64)
    }

    fn slot(&self, id: SlotId) -> Range {
        let s = self.p.weights.slot(id);
        (Region::Weights, s.offset, s.bytes)
    }

    /// The block table of a layer's cache.
    fn block_table(&self, layer: u32) -> Range {
        match self.p.cache.ring.and(self.p.weights.ring_table) {
            Some(ring) if self.p.layer_attention(layer).window != 0 => self.slot(ring),
            _ if self.p.cache.has_window_blocks(layer) => self.all(Region::WindowTable),
            _ => self.all(Region::BlockTable),
        }
    }

    fn caches(&self, layer: u32) -> (Range, Range) {
        let place = |region, format| {
            let (offset, bytes) = self.p.cache.place(layer, format);
            (region, offset, bytes)
        };
        (place(Region::KCache, self.p.cache.k), place(Region::VCache, self.p.cache.v))
    }

    /// One vector of the model's width for each row.
    fn vectors(&self, r: Region) -> Range {
        self.used(r, self.shape.rows, self.p.config.hidden as usize * 4)
    }

    /// The residual stream.
    fn residual(&self) -> Range {
        self.vectors(self.residual[0])
    }

    /// Appends the command that adds to the residual stream. It reads the stream from one buffer and leaves it in the other,
    /// its last two bindings.
    fn emit_sum<C: bytemuck::NoUninit, P: bytemuck::NoUninit>(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        kernel: &'static Kernel,
        consts: &C,
        params: &P,
        inputs: [Range; 3],
    ) -> Result<(), PlanError> {
        let [a, b, c] = inputs;
        let binds = [a, b, c, self.residual(), self.vectors(self.residual[1])];
        self.residual.swap(0, 1);
        self.emit(layer, group, kernel, consts, params, &binds)
    }

    /// Embedding.
    fn embed(&mut self) -> Result<(), PlanError> {
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
            max_rows: self.shape.rows.0,
        };
        let binds = [self.step(), self.all(Region::Tokens), self.slot(p.weights.embed), self.residual()];
        self.emit(None, "embed", &kernels::embed::KERNEL, &consts, &EmbedParams { scale }, &binds)
    }

    /// Embedding and all layers.
    fn layers(&mut self) -> Result<(), PlanError> {
        if self.p.arch.blocks.layer_norms() {
            return self.biased_decoder();
        }
        self.input()?;
        let p = self.p;
        p.weights.layers.iter().zip(0..).try_for_each(|(layer, i)| self.layer(i, layer))
    }

    /// Embedding and rotation angles.
    fn input(&mut self) -> Result<(), PlanError> {
        self.embed()?;
        self.rope_angles()
    }

    /// Rotation angles of all rows.
    fn rope_angles(&mut self) -> Result<(), PlanError> {
        let p = self.p;
        let c = &p.config;
        let pairs = c.rope.dim / 2;
        let consts = RopeAnglesConsts { pairs, max_rows: self.shape.rows.0 };
        let local = p.weights.local_frequencies.map(|f| (f, LayerRope::Local, 1.0));
        for (frequencies, rope, magnitude) in
            [Some((p.weights.frequencies, LayerRope::Global, c.rope.magnitude)), local].into_iter().flatten()
        {
            let binds = [self.step(), self.slot(frequencies), self.angles(rope)];
            let params = RopeAnglesParams { magnitude };
            self.emit(None, "rope_angles", &kernels::rope_angles::KERNEL, &consts, &params, &binds)?;
        }
        Ok(())
    }

    /// The angles that a layer rotates by; any where it does not.
    fn angles(&self, rope: LayerRope) -> Range {
        let region = if rope == LayerRope::Local { Region::LocalAngles } else { Region::Angles };
        self.used(region, self.shape.rows, self.p.config.rope.dim as usize * 4)
    }

    fn qkv(&self) -> Range {
        let c = &self.p.config;
        self.used(Region::Qkv, self.shape.rows, ((c.heads + 2 * c.kv_heads) * c.head_dim * 4) as usize)
    }

    /// Whether this table takes a kernel that only some families of rows take.
    fn takes(&self, kernel: &'static Kernel) -> bool {
        self.p.target.family(self.shape.rows).takes(kernel)
    }

    /// Whether a norm is part of the products that read it. Their input is then f32.
    fn fuses_norm(&self, kernel: &'static Kernel, mut products: impl Iterator<Item = SlotId>) -> bool {
        self.takes(kernel) && products.all(|id| self.act(id, self.shape.rows) == ActFormat::F32)
    }

    /// The input format of a slot's product in a table of this many rows.
    fn act(&self, id: SlotId, rows: RowCount) -> ActFormat {
        self.p.act(id, rows)
    }

    /// One transformer layer: attention, then the feed-forward part.
    fn layer(&mut self, i: u32, w: &LayerWeights) -> Result<(), PlanError> {
        let p = self.p;
        let c = &p.config;
        let l = Some(i);
        let rows = self.shape.rows;
        let qkv_width = (c.heads + 2 * c.kv_heads) * c.head_dim;
        if self.matmul_rope_kv(i, w)? {
            self.attention(i, w.output)?;
        } else {
            let qkv = self.qkv();
            let groups = ("attention.norm", "attention.qkv");
            self.norm_product(l, groups, w.attention_norm, &w.qkv, qkv_width, qkv)?;
            self.adjust_qkv(l, w, qkv_width)?;
            if self.fuses_attention(i, w.output) {
                self.rope_kv_attention(i, w.output)?;
            } else if !self.rope_kv_ragged_attention(i, w.output)? {
                self.rope_kv(i)?;
                self.attention(i, w.output)?;
            }
        }
        let act = self.act(w.output, rows);
        let x = self.used(Region::AttnOut, rows, act.row_bytes((c.heads * c.head_dim) as usize));
        let norm = w.attention_post_norm;
        self.residual_product(l, ("attention.output", "attention.post_norm"), w.output, x, norm)?;
        if i + 1 == c.layers {
            self.take_heads(l)?;
        }
        let rows = self.shape.rows;
        match (&w.ffn, &c.experts) {
            (Ffn::Dense { gate_up, down }, _) => {
                let act = self.act(*down, rows);
                let x = self.used(Region::FfnAct, rows, act.row_bytes(c.ffn as usize));
                self.gated(l, w.ffn_norm, gate_up, act, x)?;
                self.residual_product(l, ("ffn.down", "ffn.post_norm"), *down, x, w.ffn_post_norm)
            }
            (Ffn::Experts { router, gate, up, down }, Some(e)) => {
                self.experts(l, w, e, router, [*gate, *up, *down])
            }
            (Ffn::Experts { .. } | Ffn::Plain { .. }, _) => Err(PlanError::Config {
                field: "experts",
                value: "none, or no gate".into(),
                remedy: "the plan has slots that the configuration lacks, or an encoder's",
            }),
        }
    }

    /// Goes on with the rows that draw, where these are fewer and the machine has the operation.
    fn take_heads(&mut self, layer: Option<u32>) -> Result<(), PlanError> {
        let (kernel, heads) = (&kernels::take_heads::KERNEL, self.shape.head_rows);
        let consts = TakeHeadsConsts { d: self.p.config.hidden, max_rows: heads.0 };
        if heads == self.shape.rows || kernel.launch(&self.table.machine, &words(&consts)).is_err() {
            return Ok(());
        }
        let (step, from) = (self.step(), self.residual());
        (self.shape.rows, self.step) = (heads, Region::HeadStep);
        self.residual.swap(0, 1);
        let binds = [step, from, self.residual(), self.step()];
        self.emit(layer, "ffn.heads", kernel, &consts, &(), &binds)
    }

    /// Bias and norms of queries and keys, where there are any.
    fn adjust_qkv(&mut self, layer: Option<u32>, w: &LayerWeights, width: u32) -> Result<(), PlanError> {
        let c = &self.p.config;
        let max_rows = self.shape.rows.0;
        let (step, qkv) = (self.step(), self.qkv());
        if let Some(bias) = w.qkv_bias {
            let consts = AddBiasConsts { n: width, max_rows };
            let binds = [step, self.slot(bias), qkv];
            self.emit(layer, "attention.bias", &kernels::add_bias::KERNEL, &consts, &(), &binds)?;
        }
        if let Some((q, k)) = w.qk_norm {
            let consts = QkNormConsts {
                heads: c.heads,
                kv_heads: c.kv_heads,
                head_dim: c.head_dim,
                span: if self.p.arch.qk_norm == QkNorm::Row { NormSpan::Row } else { NormSpan::Head } as u32,
                max_rows,
            };
            let binds = [step, self.slot(q), self.slot(k), qkv];
            let params = RmsNormParams { eps: c.norm_eps };
            self.emit(layer, "attention.qk_norm", &kernels::qk_norm::KERNEL, &consts, &params, &binds)?;
        }
        Ok(())
    }

    /// A sublayer's last product, normalised where the architecture has a norm there, added to the residual stream.
    fn residual_product(
        &mut self,
        layer: Option<u32>,
        (group, norm_group): (&'static str, &'static str),
        id: SlotId,
        x: Range,
        norm: Option<SlotId>,
    ) -> Result<(), PlanError> {
        let Some(norm) = norm else { return self.matmul_add(layer, group, id, x) };
        let c = &self.p.config;
        let rows = self.shape.rows;
        let (dtype, layout, weights) = self.weights(layer, group, id, rows)?;
        let consts = MatmulConsts {
            dtype: dtype as u32,
            layout: layout as u32,
            ..self.matmul_consts(id, c.hidden, 0, Select::All, rows)
        };
        let (step, y) = (self.step(), self.vectors(Region::Sublayer));
        self.emit(layer, group, &kernels::matmul::KERNEL, &consts, &(), &[step, x, weights, y])?;
        let consts = RmsNormAddConsts { d: c.hidden, max_rows: rows.0 };
        let params = RmsNormParams { eps: c.norm_eps };
        let inputs = [step, y, self.slot(norm)];
        self.emit_sum(layer, norm_group, &kernels::rms_norm_add::KERNEL, &consts, &params, inputs)
    }

    /// Norm, gate, up and their product: fused where gate and up are one matrix and the target has the fusion.
    fn gated(
        &mut self,
        layer: Option<u32>,
        norm: Option<SlotId>,
        gate_up: &Product,
        act: ActFormat,
        out: Range,
    ) -> Result<(), PlanError> {
        let c = &self.p.config;
        let (rows, activation) = (self.shape.rows, self.p.arch.activation as u32);
        let step = self.step();
        let group = "ffn.gate_up";
        match (self.p.gated(gate_up, norm.is_some(), act, rows), &gate_up.parts[..], norm) {
            (Some(Gated::Normed(consts)), [(id, _), ..], Some(norm)) => {
                let binds = [step, self.residual(), self.slot(norm), self.slot(*id), out];
                let params = RmsNormParams { eps: c.norm_eps };
                return self.emit(layer, group, &kernels::norm_matmul_glu::KERNEL, &consts, &params, &binds);
            }
            (Some(Gated::Alone(consts, x_act)), [(id, _), ..], _) => {
                self.norm(layer, "ffn.norm", norm, x_act, Select::All)?;
                let weights = self.weights(layer, group, *id, rows)?.2;
                let binds = [step, self.x(x_act, rows), weights, out];
                return self.emit(layer, group, &kernels::matmul_glu::KERNEL, &consts, &(), &binds);
            }
            _ => {}
        }
        let gates = self.used(Region::GateUp, rows, c.ffn as usize * 8);
        self.norm_product(layer, ("ffn.norm", group), norm, gate_up, 2 * c.ffn, gates)?;
        let consts = GluConsts { f: c.ffn, activation, act: act as u32, per_row: 1, max_rows: rows.0 };
        self.emit(layer, "ffn.glu", &kernels::glu::KERNEL, &consts, &(), &[step, gates, out])
    }

    /// [`Program::taken`], and where they are then: dequantized into the staging buffer where they are staged.
    fn weights(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        id: SlotId,
        rows: RowCount,
    ) -> Result<(DType, Layout, Range), PlanError> {
        let s = self.p.weights.slot(id);
        let (to, layout) = self.p.taken(id, rows);
        if to == s.dtype {
            return Ok((to, layout, self.slot(id)));
        }
        let consts = DequantizeConsts {
            dtype: s.dtype as u32,
            layout: s.layout as u32,
            k: s.k as u32,
            n: s.rows as u32,
            to: to as u32,
        };
        let staging = (Region::Staging, 0, s.rows * to.row_bytes(s.k));
        let binds = [self.step(), self.slot(id), staging];
        self.emit(layer, group, &kernels::dequantize::KERNEL, &consts, &(), &binds)?;
        Ok((to, layout, staging))
    }

    /// A norm, where there is one, and the products that read it. The norm writes the products' activation format; where
    /// they differ (mixed files) it runs once per format.
    fn norm_product(
        &mut self,
        layer: Option<u32>,
        groups: (&'static str, &'static str),
        norm: Option<SlotId>,
        product: &Product,
        width: u32,
        out: Range,
    ) -> Result<(), PlanError> {
        let mut current = None;
        let rows = self.shape.rows;
        let ids = product.parts.iter().map(|(id, _)| *id);
        if let Some(norm) = norm.filter(|_| self.fuses_norm(&kernels::norm_matmul::KERNEL, ids)) {
            let from = [self.step(), self.residual(), self.slot(norm)];
            // Two formats beside each other are one command, where the target has it.
            let most = if self.takes(&kernels::norm_matmul_pair::KERNEL) { 2 } else { 1 };
            return product
                .parts
                .chunks(most)
                .try_for_each(|parts| self.norm_products(layer, groups.1, from, parts, width, out));
        }
        for (id, col) in &product.parts {
            let act = self.act(*id, rows);
            if current != Some(act) {
                self.norm(layer, groups.0, norm, act, Select::All)?;
                current = Some(act);
            }
            let x = self.x(act, rows);
            let (dtype, layout, weights) = self.weights(layer, groups.1, *id, rows)?;
            let consts = MatmulConsts {
                dtype: dtype as u32,
                layout: layout as u32,
                ..self.matmul_consts(*id, width, *col, Select::All, rows)
            };
            let binds = [self.step(), x, weights, out];
            self.emit(layer, groups.1, &kernels::matmul::KERNEL, &consts, &(), &binds)?;
        }
        Ok(())
    }

    /// One or two products of few rows with their norm.
    fn norm_products(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        [step, input, norm]: [Range; 3],
        parts: &[(SlotId, u32)],
        width: u32,
        out: Range,
    ) -> Result<(), PlanError> {
        let rows = self.shape.rows;
        let params = RmsNormParams { eps: self.p.config.norm_eps };
        if let [(first, col), (second, _)] = parts {
            let (a, b) = (self.p.weights.slot(*first), self.p.weights.slot(*second));
            let consts = NormMatmulPairConsts {
                dtype: a.dtype as u32,
                layout: a.layout as u32,
                n: a.rows as u32,
                dtype2: b.dtype as u32,
                layout2: b.layout as u32,
                n2: b.rows as u32,
                k: a.k as u32,
                out_stride: width,
                out_col: *col,
                max_rows: rows.0,
            };
            let binds = [step, input, norm, self.slot(*first), self.slot(*second), out];
            return self.emit(layer, group, &kernels::norm_matmul_pair::KERNEL, &consts, &params, &binds);
        }
        for (id, col) in parts {
            let consts = self.matmul_consts(*id, width, *col, Select::All, rows);
            let binds = [step, input, norm, self.slot(*id), out];
            self.emit(layer, group, &kernels::norm_matmul::KERNEL, &consts, &params, &binds)?;
        }
        Ok(())
    }

    fn x(&self, act: ActFormat, rows: RowCount) -> Range {
        self.used(Region::X, rows, act.row_bytes(self.p.config.hidden as usize))
    }

    fn norm(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        weight: Option<SlotId>,
        act: ActFormat,
        select: Select,
    ) -> Result<(), PlanError> {
        let c = &self.p.config;
        let Some(weight) = weight else {
            let (k, rows) = (c.hidden, self.shape.rows);
            let consts = QuantizeConsts { k, x_stride: k, act: act as u32, max_rows: rows.0 };
            let binds = [self.step(), self.residual(), self.x(act, rows)];
            return self.emit(layer, group, &kernels::quantize::KERNEL, &consts, &(), &binds);
        };
        let rows = if select == Select::Head { self.shape.head_rows } else { self.shape.rows };
        let consts = RmsNormConsts { d: c.hidden, act: act as u32, select: select as u32, max_rows: rows.0 };
        let binds = [self.step(), self.residual(), self.slot(weight), self.x(act, rows)];
        let params = RmsNormParams { eps: c.norm_eps };
        self.emit(layer, group, &kernels::rms_norm::KERNEL, &consts, &params, &binds)
    }

    fn matmul_consts(
        &self,
        id: SlotId,
        out_stride: u32,
        out_col: u32,
        select: Select,
        rows: RowCount,
    ) -> MatmulConsts {
        let s = self.p.weights.slot(id);
        MatmulConsts {
            dtype: s.dtype as u32,
            layout: s.layout as u32,
            act: self.act(id, rows) as u32,
            k: s.k as u32,
            n: s.rows as u32,
            out_stride,
            out_col,
            select: select as u32,
            max_rows: rows.0,
        }
    }

    fn matmul_add(
        &mut self,
        layer: Option<u32>,
        group: &'static str,
        id: SlotId,
        x: Range,
    ) -> Result<(), PlanError> {
        let (dtype, layout, weights) = self.weights(layer, group, id, self.shape.rows)?;
        let consts = MatmulConsts {
            dtype: dtype as u32,
            layout: layout as u32,
            ..self.matmul_consts(id, self.p.config.hidden, 0, Select::All, self.shape.rows)
        };
        let inputs = [self.step(), x, weights];
        self.emit_sum(layer, group, &kernels::matmul_add::KERNEL, &consts, &(), inputs)
    }
}
