//! Vectors of texts. An encoder reads a text whole, in one step, and keeps nothing of it: texts are packed into steps by their tokens,
//! several to a step, and a text's vector does not depend on those beside it.
//! A decoder reads texts causally, and its last hidden state is the vector of models that are trained for that: texts are sequences of a batch
//! whose steps end in hidden states (`beside`). Where states of other tokens count, a session reads one text after the other.
//!
//! Deliberately absent: texts longer than the model reads. They are an error, or cut where that is asked for.

mod beside;

use crate::Error;
use crate::model::{Inner, Model, Plan};
use crate::session::{READ_ROWS, Session};
use akunu_device::{Memory, Replay, Stream};
use akunu_kernels::step::{self, Head, Header, Position, Row, RowCount, Seq, SeqIndex, Token};
use akunu_model::config::{EncoderConfig, Letters, Purpose};
use akunu_model::tokenizer::{Specials, Tokenizer};
use akunu_plan::table::Region;
use akunu_plan::{Encode, Program};
use beside::Beside;
use std::borrow::Cow;
use std::sync::Arc;

pub use akunu_kernels::pooling::{Normalize, Pooling};

/// What happens to a text that is longer than the model reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlong {
    /// It is an error.
    #[default]
    Refuse,
    /// Its first tokens count, and the token that ends every text.
    Truncate,
}

/// How texts become vectors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmbedOptions {
    /// Which tokens' vectors count; `None` is the model's own.
    pub pooling: Option<Pooling>,
    /// Whether vectors are divided by their length; `None` is the model's own, which is so where the vector is cut.
    pub normalize: Option<Normalize>,
    /// Texts that are too long.
    pub overlong: Overlong,
    /// The first so many values of each vector, normalized anew, for models that were trained for that ("Matryoshka"); `None` is all.
    pub dimensions: Option<u32>,
    /// The name of the model's prompt that is put before every text; `None` is the model's default, if it has one.
    pub prompt: Option<String>,
}

/// Vectors of texts, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embeddings {
    /// One vector for each text.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens of each text as they were run, those around it among them.
    pub tokens: Vec<u32>,
}

/// What makes vectors: memory and tables of its own over the model's weights. One thread drives it.
pub struct Embedder {
    model: Arc<Inner>,
    encoder: EncoderConfig,
    options: EmbedOptions,
    prompt: String,
    reader: Reader,
}

/// What reads texts.
enum Reader {
    /// An encoder.
    Whole(Whole),
    /// A decoder of whose states the last one counts.
    Beside(Box<Beside>),
    /// A decoder of whose states others count.
    Session(Box<Session>),
}

/// Memory and tables of an encoder.
struct Whole {
    memory: Vec<Arc<dyn Memory>>,
    stream: Arc<dyn Stream>,
    /// By rows, ascending.
    tables: Vec<(RowCount, Box<dyn Replay>)>,
    /// The step block, written anew for each step.
    step: Vec<u8>,
    /// The belts of its texts, where they are written together.
    belts: Vec<Token>,
}

/// Belts of so many bytes are written together: a device's copy costs more than the bytes between the texts.
const TOGETHER: usize = 1 << 20;

impl Whole {
    fn new(model: &Inner, pooling: Pooling, normalize: Normalize) -> Result<Self, Error> {
        let p = &model.program;
        let mut memory = vec![Arc::clone(&model.weights)];
        for decl in &p.regions[1..] {
            memory.push(model.device.alloc(decl)?);
        }
        let stream = model.device.stream()?;
        let mut tables = Vec::new();
        for rows in p.encode_ladder() {
            let table = p.encode_table(Encode { rows, pooling, normalize })?;
            tables.push((rows, model.device.lower(&table, &memory, &stream)?));
        }
        let step = Vec::with_capacity(p.capacity().bytes());
        Ok(Self { memory, stream, tables, step, belts: Vec::new() })
    }
}

impl Model {
    /// Whether the model makes vectors of texts ([`Model::embedder`]) and draws no tokens.
    pub fn is_encoder(&self) -> bool {
        self.inner.program.is_encoder()
    }

    /// Whether its files say how texts become vectors: an encoder, or a decoder that was trained for that.
    pub fn makes_vectors(&self) -> bool {
        self.inner.program.config.encoder.is_some()
    }

    /// What makes vectors of texts. An error for a model that draws tokens, unless its files or [`EmbedOptions::pooling`] say which of its
    /// hidden states count.
    pub fn embedder(&self, options: &EmbedOptions) -> Result<Embedder, Error> {
        Embedder::new(Arc::clone(&self.inner), options)
    }
}

impl Plan {
    /// Bytes of all regions of a decoder that makes vectors as its files say.
    pub fn reading_bytes(&self) -> Result<u64, Error> {
        let pooling = self.program.config.encoder.as_ref().map_or(Pooling::Last, |e| e.pooling);
        Ok(match pooling {
            Pooling::Last => self.batch(&beside::options(&self.program))?.bytes(),
            Pooling::Mean | Pooling::Cls => self.program.reading(READ_ROWS).bytes(),
        })
    }
}

impl Embedder {
    fn new(model: Arc<Inner>, options: &EmbedOptions) -> Result<Self, Error> {
        if model.score.is_some() {
            let remedy = "it scores pairs of texts (`akunu rerank`, `Model::reranker`); use an encoder without a classifier for vectors";
            return Err(Error::Option {
                name: "the model for embeddings",
                value: model.program.config.arch.clone(),
                remedy,
            });
        }
        Self::of(model, options)
    }

    /// The same, whatever the model is for.
    pub(crate) fn of(model: Arc<Inner>, options: &EmbedOptions) -> Result<Self, Error> {
        let p = &model.program;
        let decodes = !p.is_encoder() && !p.hears();
        let own = p.config.encoder.clone().filter(|_| p.is_encoder() || decodes);
        // A decoder's pooling, where its files say nothing.
        let bare = options.pooling.filter(|_| decodes).map(|pooling| EncoderConfig {
            positions: 0,
            first_position: 0,
            segments: 0,
            distance_buckets: 0,
            max_tokens: p.config.context,
            pooling,
            normalize: Normalize::L2,
            letters: Letters::Kept,
            prompts: Vec::new(),
            default_prompt: None,
            purpose: Purpose::Vectors,
        });
        let Some(encoder) = own.or(bare) else {
            let remedy = "use an encoder, as BERT and MiniLM are; of a decoder that was trained for vectors, say which token's counts \
                          (--pooling last)";
            return Err(Error::Option {
                name: "the model for embeddings",
                value: p.config.arch.clone(),
                remedy,
            });
        };
        let prompt = prompt(&encoder, options.prompt.as_deref())?;
        check_dimensions(options.dimensions, p.config.hidden)?;
        let pooling = options.pooling.unwrap_or(encoder.pooling);
        let normalize = options.normalize.unwrap_or(encoder.normalize);
        let same = || Model { inner: Arc::clone(&model) };
        let reader = match (decodes, pooling) {
            (false, _) => Reader::Whole(Whole::new(&model, pooling, normalize)?),
            (true, Pooling::Last) => Reader::Beside(Box::new(Beside::new(&same())?)),
            (true, _) => Reader::Session(Box::new(same().reading_session()?)),
        };
        let encoder = EncoderConfig { pooling, normalize, ..encoder };
        Ok(Self { encoder, options: options.clone(), prompt, reader, model })
    }

    /// The model.
    pub fn model(&self) -> Model {
        Model { inner: Arc::clone(&self.model) }
    }

    /// Cuts vectors from now on as [`EmbedOptions::dimensions`] says.
    pub fn choose_dimensions(&mut self, dimensions: Option<u32>) -> Result<(), Error> {
        check_dimensions(dimensions, self.model.program.config.hidden)?;
        self.options.dimensions = dimensions;
        Ok(())
    }

    /// What happens from now on to texts that are too long.
    pub fn choose_overlong(&mut self, overlong: Overlong) {
        self.options.overlong = overlong;
    }

    /// Values of a vector.
    pub fn dimensions(&self) -> u32 {
        self.options.dimensions.unwrap_or(self.model.program.config.hidden)
    }

    /// The most tokens of a text, with those that the tokenizer puts around it.
    pub fn max_tokens(&self) -> u32 {
        self.encoder.max_tokens.min(self.model.program.settings.context)
    }

    /// The tokens of a text as they are run: with its prompt before it and the model's tokens around it, cut where that is asked for.
    /// `index` is the text's number in messages. Names of control tokens in a text are text.
    pub fn tokens(&self, index: usize, text: &str) -> Result<Vec<Token>, Error> {
        self.splitter()?.tokens(index, text)
    }

    /// The tokens of many texts, which are numbered from 0 on, made by several threads: as many as the device has, or as the system grants.
    pub fn all_tokens<S: AsRef<str> + Sync>(&self, texts: &[S]) -> Result<Vec<Vec<Token>>, Error> {
        let threads = match self.model.device.info().threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            n => n as usize,
        };
        self.splitter()?.all(texts, threads)
    }

    fn splitter(&self) -> Result<Splitter<'_>, Error> {
        Ok(Splitter {
            tokenizer: self.model.tokenizer()?,
            prompt: &self.prompt,
            letters: self.encoder.letters,
            most: self.max_tokens(),
            overlong: self.options.overlong,
        })
    }

    /// Vectors of texts.
    pub fn embed<S: AsRef<str> + Sync>(&mut self, texts: &[S]) -> Result<Embeddings, Error> {
        let tokens = self.all_tokens(texts)?;
        self.embed_tokens(&tokens)
    }

    /// Vectors of texts that are tokens already, as [`Embedder::tokens`] gives them.
    pub fn embed_tokens(&mut self, texts: &[Vec<Token>]) -> Result<Embeddings, Error> {
        self.embed_segments(texts, &[])
    }

    /// The same of texts with a second segment, each from the position in `seconds` on; where there is no such number, there is none.
    pub(crate) fn embed_segments(
        &mut self,
        texts: &[Vec<Token>],
        seconds: &[u32],
    ) -> Result<Embeddings, Error> {
        self.check(texts)?;
        let mut out = Embeddings {
            vectors: vec![Vec::new(); texts.len()],
            tokens: texts.iter().map(|t| t.len() as u32).collect(),
        };
        let how = (self.encoder.pooling, self.encoder.normalize);
        match &mut self.reader {
            Reader::Whole(_) => self.in_steps(texts, seconds, &mut out.vectors)?,
            Reader::Beside(beside) => beside.states(texts, &mut |i, state| {
                let whole = cut(state, state.len(), how.1);
                out.vectors[i] = finished(whole, &texts[i], &self.options)?;
                Ok(())
            })?,
            Reader::Session(session) => {
                for (text, vector) in texts.iter().zip(&mut out.vectors) {
                    let whole = state_of(session, text, how)?;
                    *vector = finished(whole, text, &self.options)?;
                }
            }
        }
        Ok(out)
    }

    /// An encoder's vectors, several texts to a step.
    fn in_steps(
        &mut self,
        texts: &[Vec<Token>],
        seconds: &[u32],
        vectors: &mut [Vec<f32>],
    ) -> Result<(), Error> {
        // Longest first, so that what is left of a step is filled by short ones.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(texts[*i].len()));
        let capacity = self.model.program.capacity();
        let mut pending = order.as_slice();
        while !pending.is_empty() {
            let (mut rows, mut n) = (0, 0);
            while let Some(i) = pending.get(n).filter(|_| n < capacity.seqs as usize) {
                if rows + texts[*i].len() > capacity.rows.index() {
                    break;
                }
                (rows, n) = (rows + texts[*i].len(), n + 1);
            }
            let (now, later) = pending.split_at(n.max(1));
            self.run(texts, seconds, now, vectors)?;
            pending = later;
        }
        Ok(())
    }

    fn check(&self, texts: &[Vec<Token>]) -> Result<(), Error> {
        let (vocab, most) = (self.model.program.config.vocab, self.max_tokens());
        for (index, text) in texts.iter().enumerate() {
            if text.is_empty() {
                return Err(Error::EmptyText { index });
            }
            if text.len() > most as usize {
                return Err(Error::TextTooLong { index, tokens: text.len() as u64, most });
            }
            if let Some(at) = text.iter().position(|t| t.0 >= vocab) {
                return Err(Error::TokenRange { token: text[at], index: at, vocab });
            }
        }
        Ok(())
    }

    /// One step of some of the texts.
    fn run(
        &mut self,
        texts: &[Vec<Token>],
        seconds: &[u32],
        now: &[usize],
        vectors: &mut [Vec<f32>],
    ) -> Result<(), Error> {
        let Reader::Whole(whole) = &mut self.reader else { return Ok(()) };
        let rows = whole.write_step(&self.model.program, texts, seconds, now)?;
        let table = whole.tables.iter_mut().find(|(most, _)| *most >= rows);
        let Some((_, table)) = table else {
            let remedy = "ask for shorter texts";
            return Err(Error::Option { name: "a step's rows", value: rows.to_string(), remedy });
        };
        table.submit(1)?;
        whole.stream.wait(u64::MAX, 0)?;
        let width = self.model.program.config.hidden as usize;
        let mut all = vec![0f32; now.len() * width];
        whole.memory[Region::Pooled as usize].read(0, bytemuck::cast_slice_mut(&mut all))?;
        for (vector, i) in all.chunks_exact(width).zip(now) {
            vectors[*i] = finished(vector.to_vec(), &texts[*i], &self.options)?;
        }
        Ok(())
    }
}

impl Whole {
    /// The step block and the belts of one step: text i is sequence i, and its last row is head i.
    fn write_step(
        &mut self,
        p: &Program,
        texts: &[Vec<Token>],
        seconds: &[u32],
        now: &[usize],
    ) -> Result<RowCount, Error> {
        let capacity = p.capacity();
        let rows: usize = now.iter().map(|i| texts[*i].len()).sum();
        let header = Header { rows: rows as u32, head_rows: now.len() as u32, ..capacity.header() };
        let b = &mut self.step;
        b.clear();
        b.extend_from_slice(bytemuck::bytes_of(&header));
        b.resize(step::row_offset(capacity.seqs, 0), 0);
        for (at, i) in now.iter().enumerate() {
            let limit = seconds.get(*i).copied().unwrap_or(0);
            let seq = Seq { len: texts[*i].len() as u32, limit, ..Seq::default() };
            let from = step::seq_offset(SeqIndex(at as u32));
            b[from..from + size_of::<Seq>()].copy_from_slice(bytemuck::bytes_of(&seq));
            for pos in 0..texts[*i].len() as u32 {
                b.extend_from_slice(bytemuck::bytes_of(&Row {
                    seq: SeqIndex(at as u32),
                    pos: Position(pos),
                }));
            }
        }
        b.resize(capacity.heads_at(), 0);
        let mut end = 0;
        for i in now {
            end += texts[*i].len() as u32;
            b.extend_from_slice(bytemuck::bytes_of(&Head { row: end - 1, ..Head::default() }));
        }
        self.memory[Region::Step as usize].write(0, b)?;
        self.write_belts(p.max_seq() as usize, now.iter().map(|i| texts[*i].as_slice()))?;
        Ok(RowCount(rows as u32))
    }

    /// A belt of `length` tokens for each text, one after the other.
    fn write_belts<'t>(
        &mut self,
        length: usize,
        texts: impl ExactSizeIterator<Item = &'t [Token]>,
    ) -> Result<(), Error> {
        let memory = &self.memory[Region::Tokens as usize];
        if texts.len() * length * size_of::<Token>() > TOGETHER {
            for (i, text) in texts.enumerate() {
                memory.write((i * length * size_of::<Token>()) as u64, bytemuck::cast_slice(text))?;
            }
            return Ok(());
        }
        // (Nobody reads what lies after a text.)
        self.belts.resize(texts.len() * length, Token(0));
        for (belt, text) in self.belts.chunks_exact_mut(length).zip(texts) {
            belt[..text.len()].copy_from_slice(text);
        }
        Ok(memory.write(0, bytemuck::cast_slice(&self.belts))?)
    }
}

/// What makes tokens of texts. Threads share it.
struct Splitter<'a> {
    tokenizer: &'a Tokenizer,
    prompt: &'a str,
    letters: Letters,
    /// Tokens of a text, at most.
    most: u32,
    overlong: Overlong,
}

impl Splitter<'_> {
    /// Texts that are worth a thread.
    const SHARE: usize = 64;

    fn tokens(&self, index: usize, text: &str) -> Result<Vec<Token>, Error> {
        let text = as_read(self.prompt, text, self.letters);
        let mut tokens = self.tokenizer.encode(&text, Specials::AsText)?;
        if tokens.len() > self.most as usize {
            if self.overlong == Overlong::Refuse {
                return Err(Error::TextTooLong { index, tokens: tokens.len() as u64, most: self.most });
            }
            tokens.truncate(self.most as usize);
            if let (Some(suffix), Some(last)) = (self.tokenizer.data().suffix, tokens.last_mut()) {
                *last = suffix;
            }
        }
        Ok(tokens)
    }

    /// Of so many threads each makes the tokens of a stretch of texts. The error is that of the first text that has one.
    fn all<S: AsRef<str> + Sync>(&self, texts: &[S], threads: usize) -> Result<Vec<Vec<Token>>, Error> {
        let share = texts.len().div_ceil(threads.max(1)).max(Self::SHARE);
        let of = |part: usize, texts: &[S]| -> Result<Vec<Vec<Token>>, Error> {
            let numbered = texts.iter().enumerate();
            numbered.map(|(i, t)| self.tokens(part * share + i, t.as_ref())).collect()
        };
        let of = &of;
        let parts: Vec<_> = std::thread::scope(|scope| {
            let mut parts = texts.chunks(share).enumerate();
            let own = parts.next();
            let others: Vec<_> = parts.map(|(part, texts)| scope.spawn(move || of(part, texts))).collect();
            let own = own.map(|(part, texts)| of(part, texts));
            let others =
                others.into_iter().map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)));
            own.into_iter().chain(others).collect()
        });
        let mut all = Vec::with_capacity(texts.len());
        for part in parts {
            all.extend(part?);
        }
        Ok(all)
    }
}

/// A text as the tokenizer gets it, which is as sentence-transformers gives it: after its prompt, without white space around both, and in
/// small letters where the model's files say so.
fn as_read<'t>(prompt: &str, text: &'t str, letters: Letters) -> Cow<'t, str> {
    // (Python counts four separators among white space that Unicode does not.)
    let is_space = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    let whole = if prompt.is_empty() {
        Cow::Borrowed(text.trim_matches(is_space))
    } else {
        Cow::Owned(format!("{prompt}{text}").trim_matches(is_space).to_owned())
    };
    match letters {
        Letters::Kept => whole,
        Letters::Lowered => Cow::Owned(whole.to_lowercase()),
    }
}

/// A text's vector by a decoder.
fn state_of(
    session: &mut Session,
    text: &[Token],
    (pooling, normalize): (Pooling, Normalize),
) -> Result<Vec<f32>, Error> {
    let last = text.len() - 1;
    let (mut sum, mut n) = (Vec::<f64>::new(), 0u32);
    session.hidden_states(text, &mut |row, state| {
        let counts = match pooling {
            Pooling::Mean => true,
            Pooling::Cls => row == 0,
            Pooling::Last => row as usize == last,
        };
        if counts {
            sum.resize(state.len(), 0.0);
            sum.iter_mut().zip(state).for_each(|(s, v)| *s += f64::from(*v));
            n += 1;
        }
    })?;
    let vector: Vec<f32> = sum.iter().map(|s| (s / f64::from(n.max(1))) as f32).collect();
    Ok(cut(&vector, vector.len(), normalize))
}

/// A vector as it is asked for; an error where it is none.
fn finished(vector: Vec<f32>, text: &[Token], options: &EmbedOptions) -> Result<Vec<f32>, Error> {
    if vector.iter().any(|v| !v.is_finite()) {
        return Err(Error::NotFinite { position: text.len() as u32 - 1 });
    }
    Ok(match options.dimensions {
        None => vector,
        Some(n) => cut(&vector, n as usize, options.normalize.unwrap_or(Normalize::L2)),
    })
}

fn check_dimensions(dimensions: Option<u32>, width: u32) -> Result<(), Error> {
    match dimensions.filter(|n| *n == 0 || *n > width) {
        Some(n) => {
            let remedy = "choose between 1 and the width of the model's vectors (`akunu inspect`)";
            Err(Error::Option { name: "dimensions", value: format!("{n} of {width}"), remedy })
        }
        None => Ok(()),
    }
}

/// The text of the prompt of that name, or of the model's default one.
fn prompt(encoder: &EncoderConfig, name: Option<&str>) -> Result<String, Error> {
    let Some(name) = name.or(encoder.default_prompt.as_deref()) else { return Ok(String::new()) };
    match encoder.prompts.iter().find(|p| p.0 == name) {
        Some((_, text)) => Ok(text.clone()),
        None => {
            let known: Vec<&str> = encoder.prompts.iter().map(|p| p.0.as_str()).collect();
            let value = format!("`{name}`, and the model has [{}]", known.join(", "));
            Err(Error::Option { name: "the prompt", value, remedy: "name one of the model's, or none" })
        }
    }
}

/// The first `n` values, divided by their length.
fn cut(vector: &[f32], n: usize, normalize: Normalize) -> Vec<f32> {
    let head = &vector[..n];
    let length = head.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt().max(1e-12) as f32;
    let by = if normalize == Normalize::L2 { length } else { 1.0 };
    head.iter().map(|v| v / by).collect()
}
