//! The tables of a model that hears, and the memory that they run over.

use crate::Error;
use crate::model::Inner;
use akunu_device::{Memory, Replay, Stream};
use akunu_kernels::step::{self, Head, Header, Position, Row, RowCount, Seq, SeqIndex, Token};
use akunu_plan::Program;
use akunu_plan::table::Region;
use std::sync::Arc;

/// Encodes a window of audio and decodes a few texts beside each other that read it.
pub(super) struct Listener {
    program: Program,
    memory: Vec<Arc<dyn Memory>>,
    stream: Arc<dyn Stream>,
    encode: Box<dyn Replay>,
    /// By rows, ascending.
    tables: Vec<(RowCount, Box<dyn Replay>)>,
    /// The step block's beginning, written anew for each step.
    step: Vec<u8>,
    /// Of the last step, `[heads, vocab]`.
    logits: Vec<f32>,
    /// Holds the weights.
    _model: Arc<Inner>,
}

/// Rows of one sequence in a step: its number, the first one's position, their tokens. The last one has logits.
type Rows<'a> = (u32, u32, &'a [Token]);

impl Listener {
    /// For so many texts beside each other.
    pub(super) fn new(model: Arc<Inner>, sequences: u32) -> Result<Self, Error> {
        let program = model.program.hearing(sequences, 1)?;
        let mut memory = vec![Arc::clone(&model.weights)];
        for decl in &program.regions[1..] {
            memory.push(model.device.alloc(decl)?);
        }
        let stream = model.device.stream()?;
        let encode = model.device.lower(&program.encode_audio_table()?, &memory, &stream)?;
        let mut tables = Vec::new();
        for rows in program.ladder() {
            tables.push((rows, model.device.lower(&program.logits_table(rows)?, &memory, &stream)?));
        }
        // Each sequence has blocks of its own, in order, and all read the one window.
        let blocks: Vec<u32> = (0..sequences * program.cache.blocks()).collect();
        memory[Region::BlockTable as usize].write(0, bytemuck::cast_slice(&blocks))?;
        memory[Region::Sources as usize].write(0, bytemuck::cast_slice(&vec![0u32; sequences as usize]))?;
        let step = Vec::with_capacity(program.capacity().bytes());
        Ok(Self { program, memory, stream, encode, tables, step, logits: Vec::new(), _model: model })
    }

    /// Texts that there is room for beside each other.
    pub(super) fn texts(&self) -> u32 {
        self.program.capacity().seqs
    }

    /// Tokens of a text, its prompt among them.
    pub(super) fn context(&self) -> u32 {
        self.program.settings.context
    }

    /// Keys and values of a window of frames, `[frames, mels]`.
    pub(super) fn encode(&mut self, frames: &[f32]) -> Result<(), Error> {
        self.memory[Region::Mel as usize].write(0, bytemuck::cast_slice(frames))?;
        let rows = self.program.encoded_rows();
        let capacity = self.program.capacity();
        let header = Header { rows: rows.0, head_rows: 0, ..capacity.header() };
        let place = |pos| Row { seq: SeqIndex(0), pos: Position(pos) };
        self.write_step(header, &[rows.0], (0..rows.0).map(place), &[])?;
        self.encode.submit(1)?;
        self.stream.wait(u64::MAX, 0)?;
        Ok(())
    }

    /// Begins text `i` anew with some tokens; the logits of what comes after the last, `[vocab]`.
    pub(super) fn prompt(&mut self, i: u32, tokens: &[Token]) -> Result<&[f32], Error> {
        self.run(&[(i, 0, tokens)])
    }

    /// Goes on with text `i` from a position on.
    pub(super) fn go_on(&mut self, i: u32, position: u32, tokens: &[Token]) -> Result<&[f32], Error> {
        self.run(&[(i, position, tokens)])
    }

    /// One token for each of some texts, all at one position: logits, `[texts, vocab]`.
    pub(super) fn step(&mut self, position: u32, next: &[(u32, Token)]) -> Result<&[f32], Error> {
        let rows: Vec<Rows<'_>> = next.iter().map(|(i, t)| (*i, position, std::slice::from_ref(t))).collect();
        self.run(&rows)
    }

    /// Makes text `to` the same as text `from`, as far as this many positions.
    pub(super) fn fork(&mut self, from: u32, to: u32, positions: u32) -> Result<(), Error> {
        let cache = &self.program.cache;
        let blocks = u64::from(positions.div_ceil(step::KV_BLOCK));
        for (region, format) in [(Region::KCache, cache.k), (Region::VCache, cache.v)] {
            let memory = &self.memory[region as usize];
            for layer in 0..self.program.config.layers {
                let (at, _) = cache.place(layer, format);
                let block = cache.block_bytes(format);
                let of = |sequence: u32| at + u64::from(sequence) * u64::from(cache.blocks()) * block;
                memory.copy(of(from), of(to), blocks * block)?;
            }
        }
        let belt = |sequence: u32| u64::from(sequence) * u64::from(self.program.max_seq()) * 4;
        let tokens = u64::from(positions.min(self.program.max_seq())) * 4;
        Ok(self.memory[Region::Tokens as usize].copy(belt(from), belt(to), tokens)?)
    }

    fn run(&mut self, parts: &[Rows<'_>]) -> Result<&[f32], Error> {
        let p = &self.program;
        let (vocab, capacity) = (p.config.vocab as usize, p.capacity());
        let count: usize = parts.iter().map(|r| r.2.len()).sum();
        for (seq, from, tokens) in parts {
            let at = (u64::from(*seq) * u64::from(p.max_seq()) + u64::from(*from)) * 4;
            self.memory[Region::Tokens as usize].write(at, bytemuck::cast_slice(tokens))?;
        }
        let mut lengths = vec![0u32; capacity.seqs as usize];
        for (seq, from, tokens) in parts {
            lengths[*seq as usize] = from + tokens.len() as u32;
        }
        let rows: Vec<Row> = (parts.iter())
            .flat_map(|(seq, from, tokens)| {
                let (seq, from) = (*seq, *from);
                (0..tokens.len() as u32).map(move |i| Row { seq: SeqIndex(seq), pos: Position(from + i) })
            })
            .collect();
        let mut heads = Vec::with_capacity(parts.len());
        let mut end = 0;
        for (_, _, tokens) in parts {
            end += tokens.len() as u32;
            heads.push(Head { row: end - 1, ..Head::default() });
        }
        let header = Header { rows: count as u32, head_rows: parts.len() as u32, ..capacity.header() };
        self.write_step(header, &lengths, rows.into_iter(), &heads)?;
        let table = self.tables.iter_mut().find(|(most, _)| most.index() >= count);
        let Some((_, table)) = table else {
            let remedy = "give a shorter prompt";
            return Err(Error::Option { name: "rows of a step", value: count.to_string(), remedy });
        };
        table.submit(1)?;
        self.stream.wait(u64::MAX, 0)?;
        self.logits.resize(parts.len() * vocab, 0.0);
        self.memory[Region::Logits as usize].read(0, bytemuck::cast_slice_mut(&mut self.logits))?;
        Ok(&self.logits)
    }

    /// The step block: header, lengths of the first sequences, rows, and heads.
    fn write_step(
        &mut self,
        header: Header,
        lengths: &[u32],
        rows: impl Iterator<Item = Row>,
        heads: &[Head],
    ) -> Result<(), Error> {
        let capacity = self.program.capacity();
        let b = &mut self.step;
        b.clear();
        b.extend_from_slice(bytemuck::bytes_of(&header));
        b.resize(step::row_offset(capacity.seqs, 0), 0);
        for (i, len) in lengths.iter().enumerate() {
            let from = step::seq_offset(SeqIndex(i as u32));
            let seq = Seq { len: *len, ..Seq::default() };
            b[from..from + size_of::<Seq>()].copy_from_slice(bytemuck::bytes_of(&seq));
        }
        rows.for_each(|row| b.extend_from_slice(bytemuck::bytes_of(&row)));
        let memory = &self.memory[Region::Step as usize];
        memory.write(0, b)?;
        if !heads.is_empty() {
            memory.write(capacity.heads_at() as u64, bytemuck::cast_slice(heads))?;
        }
        Ok(())
    }
}

#[cfg(test)]
impl Listener {
    /// Keys and values of the audio for a layer, in f32.
    pub(super) fn cross(&self, layer: usize) -> [Vec<f32>; 2] {
        [Region::CrossK, Region::CrossV].map(|r| {
            let bytes = self.memory[r as usize].bytes() as usize / self.program.config.layers as usize;
            let mut values = vec![0f32; bytes / 4];
            let read =
                self.memory[r as usize].read((layer * bytes) as u64, bytemuck::cast_slice_mut(&mut values));
            assert!(read.is_ok());
            values
        })
    }
}
