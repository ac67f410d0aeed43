//! The answers to one request: their sequences in the engine, and what these draw as text.

use crate::error::ApiError;
use crate::metrics::{Account, Outcome};
use crate::models::Loaded;
use crate::params::Ask;
use akunu::reading::{Reader, Reading, Said};
use akunu::scheduler::{Answer, Event};
use akunu::tools::ToolCall;
use akunu::{
    FinishReason, LogProbs, Overflow, Reasoning, Request, Sampling, SequenceOptions, TextStream, Token,
};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

/// What happens to an answer.
#[derive(Debug)]
pub(crate) enum Piece {
    /// Of the tokens whose text comes next, or whose text is never finished.
    LogProbs(Vec<LogProbs>),
    /// A token whose text comes next, or later, where tokens are asked for.
    Token(Token),
    /// Text that is final.
    Text(String),
    /// Thoughts before the answer.
    Thought(String),
    /// A call of a tool, whole.
    Call(ToolCall),
    /// It has ended.
    End(End),
}

impl From<Said> for Piece {
    fn from(said: Said) -> Self {
        match said {
            Said::Text(text) => Self::Text(text),
            Said::Thought(text) => Self::Thought(text),
            Said::Call(call) => Self::Call(call),
        }
    }
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct End {
    pub(crate) finish: FinishReason,
    pub(crate) usage: Usage,
    pub(crate) timing: Timing,
    /// Calls of tools in it.
    pub(crate) calls: u32,
}

impl End {
    /// Whether the answer asks for tools to be called.
    pub(crate) fn calls_tools(&self) -> bool {
        self.calls > 0 && matches!(self.finish, FinishReason::Eos | FinishReason::StopString)
    }
}

/// Tokens of one answer, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) prompt: u64,
    /// Those of the prompt that were found in the KV cache.
    pub(crate) cached: u64,
    pub(crate) completion: u64,
    /// Those of the answer that the model thought.
    pub(crate) thoughts: u64,
}

/// When things happened to an answer: from its request to its beginning, from there to the first token, from there to the end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Timing {
    pub(crate) queue: Duration,
    pub(crate) prompt: Duration,
    pub(crate) drawing: Duration,
}

/// One of the answers to a request. Dropping its `answer` cancels it.
struct Choice {
    answer: Option<Answer>,
    text: TextStream,
    /// Of tokens whose text is not final yet.
    logprobs: Vec<LogProbs>,
    reader: Reader,
    /// What was read and not given out.
    pieces: VecDeque<Piece>,
    usage: Usage,
    started: Option<Instant>,
    first: Option<Instant>,
    last: Instant,
    /// It has ended, which is still to be told.
    ending: Option<FinishReason>,
}

/// All answers to one request. Dropping it cancels those under way.
pub(crate) struct Generation {
    loaded: Arc<Loaded>,
    choices: Vec<Choice>,
    /// Whose turn it is to be looked at first, so that none waits for the others.
    next: usize,
    since: Instant,
    /// Whether tokens are asked for.
    returns_tokens: bool,
    account: Account,
}

impl Generation {
    /// Submits the answers to some prompts, `ask.n` each. A prompt that does not fit its context is refused with the numbers.
    pub(crate) fn start(
        loaded: Arc<Loaded>,
        prompts: Vec<Vec<Token>>,
        ask: &Ask,
        (reading, thoughts): (&Reading, Option<Reasoning>),
        mut account: Account,
    ) -> Result<Self, ApiError> {
        for prompt in &prompts {
            fits(prompt.len() as u64, ask.max_tokens, loaded.context())?;
        }
        let seed = ask.seed.unwrap_or_else(crate::random);
        let stop: Vec<String> = ask.stop.iter().chain(&loaded.stops).cloned().collect();
        let since = Instant::now();
        let mut choices = Vec::new();
        for prompt in prompts {
            // Each has a seed of its own, and the first the one that was asked for.
            let first = seed.wrapping_add(choices.len() as u64);
            let request = |i: u32| {
                let sampling = Sampling { seed: first.wrapping_add(i.into()), ..ask.sampling.clone() };
                let max_tokens = ask.max_tokens.unwrap_or(u32::MAX);
                let options = SequenceOptions { max_tokens, sampling, eos: ask.eos, reasoning: thoughts };
                Request { tokens: prompt.clone(), options, priority: 0, overflow: Overflow::End }
            };
            // The prompt is computed once.
            let answers = loaded.engine()?.start_all((0..ask.n).map(request).collect());
            for answer in answers.inspect_err(|e| loaded.note(e))? {
                let usage = Usage { prompt: prompt.len() as u64, ..Usage::default() };
                choices.push(Choice {
                    answer: Some(answer),
                    text: TextStream::new(&stop).with_marks(reading.marks()),
                    logprobs: Vec::new(),
                    reader: Reader::new(reading),
                    pieces: VecDeque::new(),
                    usage,
                    started: None,
                    first: None,
                    last: since,
                    ending: None,
                });
            }
        }
        account.accepted();
        Ok(Self { loaded, choices, next: 0, since, returns_tokens: ask.returns_tokens, account })
    }

    /// How many answers there are.
    pub(crate) fn len(&self) -> usize {
        self.choices.len()
    }

    /// The next piece of any answer; `None` after the last one has ended. One that fails ends all.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(usize, Piece), ApiError>>> {
        let n = self.choices.len();
        let mut open = false;
        for i in (self.next..n).chain(0..self.next) {
            match self.poll_choice(i, cx) {
                Poll::Ready(Some(Ok(piece))) => {
                    self.next = (i + 1) % n;
                    return Poll::Ready(Some(Ok((i, piece))));
                }
                Poll::Ready(Some(Err(e))) => {
                    self.choices.clear();
                    self.next = 0;
                    self.account.end(Outcome::Failed);
                    return Poll::Ready(Some(Err(e)));
                }
                Poll::Ready(None) => {}
                Poll::Pending => open = true,
            }
        }
        if open {
            return Poll::Pending;
        }
        self.account.end(Outcome::Completed);
        Poll::Ready(None)
    }

    fn poll_choice(&mut self, i: usize, cx: &mut Context<'_>) -> Poll<Option<Result<Piece, ApiError>>> {
        let choice = &mut self.choices[i];
        loop {
            if let Some(piece) = choice.pieces.pop_front() {
                return Poll::Ready(Some(Ok(piece)));
            }
            if let Some(finish) = choice.ending.take() {
                return Poll::Ready(Some(Ok(choice.end(finish, self.since))));
            }
            let Some(answer) = &mut choice.answer else { return Poll::Ready(None) };
            match ready!(answer.poll(cx)) {
                Some(Event::Started { reused }) => {
                    let now = Instant::now();
                    choice.started = Some(now);
                    choice.usage.cached = u64::from(reused);
                    self.account.started();
                    continue;
                }
                Some(Event::Token { token, logprobs }) => {
                    let now = Instant::now();
                    match choice.first {
                        Some(_) => self.account.token(now - choice.last),
                        None => self.account.first_token(),
                    }
                    choice.first.get_or_insert(now);
                    choice.last = now;
                    choice.usage.completion += 1;
                    choice.logprobs.extend(logprobs.map(|l| *l));
                    let text = choice.text.push(self.loaded.model.tokenizer()?, token);
                    let (before, at) = (choice.reader.thinks(), choice.pieces.len());
                    choice.reader.push(text, &mut |s| choice.pieces.push_back(s.into()));
                    if before || choice.reader.thinks() {
                        choice.usage.thoughts += 1;
                        // A list has the tokens of the answer.
                        choice.logprobs.clear();
                    } else if let Some(piece) = told(&mut choice.logprobs, text) {
                        choice.pieces.insert(at, piece);
                    }
                    if self.returns_tokens && !self.loaded.model.tokenizer()?.eos_ids().contains(&token) {
                        choice.pieces.insert(at, Piece::Token(token));
                    }
                    if choice.reader.is_over() {
                        choice.answer = None;
                        choice.ending = Some(FinishReason::Eos);
                    } else if choice.text.stopped() {
                        // Tokens of the stop string are no part of the text.
                        choice.logprobs.clear();
                        choice.reader.finish(&mut |s| choice.pieces.push_back(s.into()));
                        // What is drawn after a stop string is nobody's.
                        choice.answer = None;
                        choice.ending = Some(FinishReason::StopString);
                    }
                }
                Some(Event::Finished(f)) if f.finish != FinishReason::Cancelled => {
                    choice.answer = None;
                    choice.ending = Some(f.finish);
                    // A text that its grammar ends has no token for that.
                    let ends = self.loaded.model.tokenizer()?.eos_ids();
                    choice.logprobs.pop_if(|last| ends.contains(&last.token()));
                    let rest = choice.text.finish();
                    let all = std::mem::take(&mut choice.logprobs);
                    choice.pieces.extend((!all.is_empty()).then_some(Piece::LogProbs(all)));
                    choice.reader.push(rest, &mut |s| choice.pieces.push_back(s.into()));
                    choice.reader.finish(&mut |s| choice.pieces.push_back(s.into()));
                }
                Some(Event::Failed(e)) => {
                    self.loaded.note(&e);
                    return Poll::Ready(Some(Err(e.into())));
                }
                // Nobody here cancels what is still read.
                Some(Event::Finished(_)) | None => {
                    let message = "the engine ended before the answer did; ask again";
                    return Poll::Ready(Some(Err(ApiError::busy("engine_stopped", message, 5))));
                }
            }
        }
    }
}

/// Log-probabilities of tokens whose text this ends, where it is some.
fn told(held: &mut Vec<LogProbs>, text: &str) -> Option<Piece> {
    let any = !text.is_empty() && !held.is_empty();
    any.then(|| Piece::LogProbs(std::mem::take(held)))
}

impl Choice {
    fn end(&self, finish: FinishReason, since: Instant) -> Piece {
        let started = self.started.unwrap_or(since);
        let first = self.first.unwrap_or(started);
        let timing = Timing {
            queue: started - since,
            prompt: first.saturating_duration_since(started),
            drawing: self.last.saturating_duration_since(first),
        };
        Piece::End(End { finish, usage: self.usage, timing, calls: self.reader.calls })
    }
}

/// Refuses what does not fit, with the numbers.
fn fits(prompt: u64, max_tokens: Option<u32>, context: u32) -> Result<(), ApiError> {
    let answer = u64::from(max_tokens.unwrap_or(1));
    if prompt + answer <= u64::from(context) {
        return Ok(());
    }
    let asked = match max_tokens {
        Some(n) => {
            format!("the prompt has {prompt} tokens and the answer may have {n}, {} in all", prompt + answer)
        }
        None => format!("the prompt has {prompt} tokens"),
    };
    let message = format!(
        "{asked}, and the context holds {context}; shorten the prompt, ask for fewer tokens, or serve the model with a longer context"
    );
    Err(ApiError::bad("context_length_exceeded", message).about(if prompt >= u64::from(context) {
        "prompt"
    } else {
        "max_tokens"
    }))
}

/// An answer in one piece.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) text: String,
    /// Of its tokens, where they were asked for.
    pub(crate) logprobs: Vec<LogProbs>,
    /// Likewise.
    pub(crate) tokens: Vec<Token>,
    pub(crate) thoughts: String,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) end: End,
}

/// Waits for all answers.
pub(crate) async fn collect(mut generation: Generation) -> Result<Vec<Whole>, ApiError> {
    let mut texts = vec![(String::new(), String::new(), Vec::new()); generation.len()];
    let mut ends: Vec<Option<End>> = vec![None; texts.len()];
    let mut probs: Vec<(Vec<LogProbs>, Vec<Token>)> = vec![Default::default(); texts.len()];
    while let Some(next) = poll_fn(|cx| generation.poll(cx)).await {
        match next? {
            (i, Piece::LogProbs(all)) => probs[i].0.extend(all),
            (i, Piece::Token(token)) => probs[i].1.push(token),
            (i, Piece::Text(text)) => texts[i].0.push_str(&text),
            (i, Piece::Thought(text)) => texts[i].1.push_str(&text),
            (i, Piece::Call(call)) => texts[i].2.push(call),
            (i, Piece::End(end)) => ends[i] = Some(end),
        }
    }
    let whole = |(((text, thoughts, calls), (logprobs, tokens)), end): (_, Option<End>)| {
        end.map(|end| Whole { text, logprobs, tokens, thoughts, calls, end })
    };
    let all = texts.into_iter().zip(probs).zip(ends).map(whole);
    all.collect::<Option<_>>().ok_or_else(|| ApiError::internal("an answer has no end"))
}

impl Usage {
    /// Of several answers, whose prompts count once for each prompt.
    pub(crate) fn add(&mut self, other: &Self, prompt: Prompt) {
        self.completion += other.completion;
        self.thoughts += other.thoughts;
        if prompt == Prompt::Another {
            self.prompt += other.prompt;
            self.cached += other.cached;
        }
    }
}

/// Whether an answer is the first to its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// It is.
    Another,
    /// The prompt was counted.
    Same,
}
