//! What a model thinks before it answers: split from the answer as the text comes, and bounded.
//!
//! Deliberately absent: terminals; what becomes of thoughts is the caller's matter.

/// The marks around a model's thoughts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReasoningFormat {
    /// Begins the thoughts.
    pub open: &'static str,
    /// Ends them; what follows is the answer.
    pub close: &'static str,
    /// Control tokens within `open` and `close`, whose names the splitter needs as text.
    pub marks: &'static [&'static str],
}

/// The formats that are known, by marks that their chat templates have.
pub const REASONING_FORMATS: &[(&str, ReasoningFormat)] = &[
    (
        "<|channel|>analysis",
        ReasoningFormat {
            open: "<|channel|>analysis<|message|>",
            close: "<|end|><|start|>assistant<|channel|>final<|message|>",
            marks: &["<|channel|>", "<|message|>", "<|end|>", "<|start|>"],
        },
    ),
    (
        "<|channel>thought",
        ReasoningFormat {
            open: "<|channel>thought\n",
            close: "<channel|>",
            marks: &["<|channel>", "<channel|>"],
        },
    ),
    ("[THINK]", ReasoningFormat { open: "[THINK]", close: "[/THINK]", marks: &["[THINK]", "[/THINK]"] }),
    ("</think>", ReasoningFormat { open: "<think>", close: "</think>", marks: &["<think>", "</think>"] }),
    (
        "</seed:think>",
        ReasoningFormat {
            open: "<seed:think>",
            close: "</seed:think>",
            marks: &["<seed:think>", "</seed:think>"],
        },
    ),
];

impl ReasoningFormat {
    /// The format whose marks a chat template has.
    pub fn of_template(source: &str) -> Option<Self> {
        REASONING_FORMATS.iter().find(|(mark, _)| source.contains(mark)).map(|(_, format)| *format)
    }

    /// Whether a prompt ends within thoughts: its template has begun them.
    pub fn begun_by(&self, prompt: &str) -> bool {
        prompt.trim_end().ends_with(self.open.trim_end())
    }
}

/// Whose text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Thoughts.
    Reasoning,
    /// The answer.
    Answer,
}

/// Splits a stream of text. The pieces, joined, do not depend on how the stream was cut.
#[derive(Clone, Debug)]
pub struct ReasoningSplitter {
    format: ReasoningFormat,
    place: Place,
    /// Text that may be the beginning of a mark, or white space that may be dropped.
    held: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// White space only, so far: thoughts may begin.
    Start,
    /// After the opening mark: line ends are dropped.
    Opened,
    Within,
    /// After the closing mark: white space is dropped.
    Closed,
    Answer,
}

impl ReasoningSplitter {
    /// A splitter for what follows this prompt.
    pub fn new(format: ReasoningFormat, prompt: &str) -> Self {
        let place = if format.begun_by(prompt) { Place::Opened } else { Place::Start };
        Self { format, place, held: String::new() }
    }

    /// Whose text comes next.
    pub fn voice(&self) -> Voice {
        match self.place {
            Place::Opened | Place::Within => Voice::Reasoning,
            _ => Voice::Answer,
        }
    }

    /// Whether thoughts are under way, or may still begin.
    pub fn may_think(&self) -> bool {
        matches!(self.place, Place::Start | Place::Opened | Place::Within)
    }

    /// Takes a piece of text; appends what is final, by voice, to `out`.
    pub fn push(&mut self, text: &str, out: &mut Vec<(Voice, String)>) {
        text.chars().for_each(|c| self.take(c, out));
    }

    /// The end of the text: what was held is final.
    pub fn finish(&mut self, out: &mut Vec<(Voice, String)>) {
        let held = std::mem::take(&mut self.held);
        put(self.voice(), &held, out);
    }

    fn take(&mut self, c: char, out: &mut Vec<(Voice, String)>) {
        match self.place {
            Place::Start => {
                self.held.push(c);
                let begun = self.held.trim_start();
                if begun == self.format.open {
                    self.held.clear();
                    self.place = Place::Opened;
                } else if !self.format.open.starts_with(begun) {
                    self.place = Place::Answer;
                    put(Voice::Answer, &std::mem::take(&mut self.held), out);
                }
            }
            Place::Opened if matches!(c, '\n' | '\r') => {}
            Place::Opened => {
                self.place = Place::Within;
                self.within(c, out);
            }
            Place::Within => self.within(c, out),
            Place::Closed if c.is_whitespace() => {}
            Place::Closed | Place::Answer => {
                self.place = Place::Answer;
                put(Voice::Answer, c.encode_utf8(&mut [0; 4]), out);
            }
        }
    }

    fn within(&mut self, c: char, out: &mut Vec<(Voice, String)>) {
        self.held.push(c);
        // What ends with the closing mark's beginning is held, and so is white space before it.
        if let Some(before) = self.held.strip_suffix(self.format.close) {
            put(Voice::Reasoning, before.trim_end(), out);
            self.held.clear();
            self.place = Place::Closed;
            return;
        }
        let close = self.format.close;
        let starts = self.held.char_indices().map(|(at, _)| at);
        let mark =
            starts.into_iter().find(|at| close.starts_with(&self.held[*at..])).unwrap_or(self.held.len());
        let keep = self.held[..mark].trim_end().len();
        put(Voice::Reasoning, &self.held[..keep], out);
        self.held.drain(..keep);
    }
}

fn put(voice: Voice, text: &str, out: &mut Vec<(Voice, String)>) {
    if text.is_empty() {
        return;
    }
    match out.last_mut() {
        Some((last, piece)) if *last == voice => piece.push_str(text),
        _ => out.push((voice, text.into())),
    }
}
