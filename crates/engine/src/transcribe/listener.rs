//! The tables of a model that hears, and the memory that they run over.

use super::words::Shape;
use super::{TranscribeOptions, Words};
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
    /// Leaves scores of the audio, where words are asked for.
    align: Option<Box<dyn Replay>>,
    /// The step block's beginning, written anew for each step.
    step: Vec<u8>,
    /// Of the last step, `[heads, vocab]`.
    logits: Vec<f32>,
    /// Holds the weights.
    _model: Arc<Inner>,
}

/// Rows of one sequence in a step: its number, the first one's position, their tokens. The last one has logits.
pub(super) type Rows<'a> = (u32, u32, &'a [Token]);

/// What a listener has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Texts beside each other.
    pub(super) texts: u32,
    /// Windows whose keys and values are kept.
    pub(super) windows: u32,
}

impl Room {
    pub(super) fn of(o: &TranscribeOptions) -> Self {
        Self { texts: o.best_of.max(o.beams).max(o.windows), windows: o.windows }
    }
}

impl Listener {
    /// With room for so much.
    pub(super) fn new(model: Arc<Inner>, room: Room, words: Words) -> Result<Self, Error> {
        let sequences = room.texts;
        let mut program = model.program.hearing(sequences, room.windows)?;
        if words == Words::Timed {
            program = program.aligning();
        }
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
        let align = match words {
            Words::Untimed => None,
            Words::Timed => Some(model.device.lower(&program.alignment_table()?, &memory, &stream)?),
        };
        // Each sequence has blocks of its own, in order.
        let blocks: Vec<u32> = (0..sequences * program.cache.blocks()).collect();
        memory[Region::BlockTable as usize].write(0, bytemuck::cast_slice(&blocks))?;
        let step = Vec::with_capacity(program.capacity().bytes());
        let logits = Vec::new();
        let mut listener =
            Self { program, memory, stream, encode, tables, align, step, logits, _model: model };
        listener.turn_to(0)?;
        Ok(listener)
    }

    /// What there is room for.
    pub(super) fn room(&self) -> Room {
        Room { texts: self.program.capacity().seqs, windows: self.program.sources }
    }

    /// Windows that there is room for.
    pub(super) fn sources(&self) -> u32 {
        self.program.sources
    }

    /// Makes all texts read one window.
    pub(super) fn turn_to(&mut self, source: u32) -> Result<(), Error> {
        self.turn(&vec![source; self.program.capacity().seqs as usize])
    }

    /// Makes the first texts read these windows.
    pub(super) fn turn(&mut self, sources: &[u32]) -> Result<(), Error> {
        Ok(self.memory[Region::Sources as usize].write(0, bytemuck::cast_slice(sources))?)
    }

    /// Whether it was made for words ([`Self::align`]).
    pub(super) fn aligns(&self) -> bool {
        self.align.is_some()
    }

    /// Tokens of a text, its prompt among them.
    pub(super) fn context(&self) -> u32 {
        self.program.settings.context
    }

    /// Keys and values of a window of frames, `[frames, mels]`.
    pub(super) fn encode(&mut self, source: u32, frames: &[f32]) -> Result<(), Error> {
        self.memory[Region::Mel as usize].write(0, bytemuck::cast_slice(frames))?;
        let rows = self.program.encoded_rows();
        let capacity = self.program.capacity();
        let header = Header { rows: rows.0, head_rows: 0, ..capacity.header() };
        // A window goes to the source of its sequence's number.
        let place = |pos| Row { seq: SeqIndex(source), pos: Position(pos) };
        let mut lengths = vec![0; source as usize];
        lengths.push(rows.0);
        self.write_step(header, &lengths, (0..rows.0).map(place), &[])?;
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

    /// Tokens of several texts, from a position of each on: logits of what comes after their last ones, `[texts, vocab]`. As many at a time
    /// as a table has rows.
    pub(super) fn all(&mut self, texts: &[Rows<'_>], logits: &mut Vec<f32>) -> Result<(), Error> {
        let most = self.tables.last().map_or(0, |(rows, _)| rows.index());
        let mut from = 0;
        while from < texts.len() {
            let (mut until, mut rows) = (from + 1, texts[from].2.len());
            while until < texts.len() && rows + texts[until].2.len() <= most {
                rows += texts[until].2.len();
                until += 1;
            }
            logits.extend_from_slice(self.run(&texts[from..until])?);
            from = until;
        }
        Ok(())
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

    /// Begins text `i` anew, whole, and leaves no logits: how its tokens look at the audio, of which the window has so many positions. Scores
    /// of each head that says so.
    pub(super) fn align(
        &mut self,
        i: u32,
        tokens: &[Token],
        positions: usize,
    ) -> Result<(Vec<f32>, Shape), Error> {
        let p = &self.program;
        let (rows, stride) = (tokens.len(), p.alignment_stride());
        let all = p.encoded_rows().index();
        let shape =
            Shape { heads: p.alignment.len(), rows, positions: all, columns: positions.clamp(1, all) };
        if rows > p.alignment_rows().index() {
            return Err(too_many(rows));
        }
        self.place(&[(i, 0, tokens)])?;
        let Some(table) = &mut self.align else {
            let remedy = "ask for words where the transcriber is made";
            return Err(Error::Option { name: "times of words", value: "not asked for".into(), remedy });
        };
        table.submit(1)?;
        self.stream.wait(u64::MAX, 0)?;
        let mut scores = vec![0f32; shape.heads * rows * all];
        let memory = &self.memory[Region::Alignment as usize];
        for (head, to) in scores.chunks_exact_mut(rows * all).enumerate() {
            memory.read(head as u64 * stride, bytemuck::cast_slice_mut(to))?;
        }
        Ok((scores, shape))
    }

    fn run(&mut self, parts: &[Rows<'_>]) -> Result<&[f32], Error> {
        let count = self.place(parts)?;
        let table = self.tables.iter_mut().find(|(most, _)| most.index() >= count);
        let Some((_, table)) = table else { return Err(too_many(count)) };
        table.submit(1)?;
        self.stream.wait(u64::MAX, 0)?;
        self.logits.resize(parts.len() * self.program.config.vocab as usize, 0.0);
        self.memory[Region::Logits as usize].read(0, bytemuck::cast_slice_mut(&mut self.logits))?;
        Ok(&self.logits)
    }

    /// Puts the rows of a step where its table reads them; each part has one head. How many rows there are.
    fn place(&mut self, parts: &[Rows<'_>]) -> Result<usize, Error> {
        let p = &self.program;
        let capacity = p.capacity();
        let count: usize = parts.iter().map(|r| r.2.len()).sum();
        if count > capacity.rows.index() {
            return Err(too_many(count));
        }
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
        Ok(count)
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

fn too_many(rows: usize) -> Error {
    let remedy = "give a shorter prompt";
    Error::Option { name: "rows of a step", value: rows.to_string(), remedy }
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
