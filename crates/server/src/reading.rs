//! What is read out of an answer's text: thoughts, calls of tools, and what is left.

use crate::generate::Piece;
use akunu::reasoning::{ReasoningFormat, ReasoningSplitter, Voice};
use akunu::tools::{ToolCall, ToolEvent, ToolFormat, ToolParser};

/// What is to be read out of the answers to a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The marks of the model's thoughts, and whether the prompt ends within some.
    pub(crate) thoughts: Option<(ReasoningFormat, bool)>,
    pub(crate) tools: Option<(ToolFormat, Calls)>,
}

/// How many calls an answer may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// It ends with the first one.
    One,
    /// As many as the model makes.
    Several,
}

impl Reading {
    /// Names of control tokens that are read as text.
    pub(crate) fn marks(&self) -> Vec<&'static str> {
        let thoughts = self.thoughts.iter().flat_map(|(f, _)| f.marks);
        thoughts.chain(self.tools.iter().flat_map(|(f, _)| f.marks())).copied().collect()
    }
}

/// One answer's reader. A call is given out when it is whole: one that breaks off is text.
pub(crate) struct Reader {
    thoughts: Option<ReasoningSplitter>,
    tools: Option<ToolParser>,
    /// Whether the first call ends the answer.
    ends: bool,
    /// The call under way.
    call: Option<ToolCall>,
    events: Vec<ToolEvent>,
    voices: Vec<(Voice, String)>,
    /// Calls given out.
    pub(crate) calls: u32,
}

impl Reader {
    pub(crate) fn new(reading: &Reading) -> Self {
        let splitter =
            |(f, begun): (ReasoningFormat, bool)| ReasoningSplitter::new(f, if begun { f.open } else { "" });
        Self {
            thoughts: reading.thoughts.map(splitter),
            tools: reading.tools.map(|(f, _)| ToolParser::new(f)),
            ends: reading.tools.is_some_and(|(_, calls)| calls == Calls::One),
            call: None,
            events: Vec::new(),
            voices: Vec::new(),
            calls: 0,
        }
    }

    /// Whether thoughts are under way.
    pub(crate) fn thinks(&self) -> bool {
        self.thoughts.as_ref().is_some_and(|t| t.voice() == Voice::Reasoning)
    }

    /// Whether nothing more is read.
    pub(crate) fn is_over(&self) -> bool {
        self.ends && self.calls > 0
    }

    /// Takes text; appends what it means.
    pub(crate) fn push(&mut self, text: &str, out: &mut impl Extend<Piece>) {
        match &mut self.thoughts {
            Some(splitter) => {
                splitter.push(text, &mut self.voices);
                self.speak(out);
            }
            None => self.answer(text, out),
        }
    }

    /// The end of the text.
    pub(crate) fn finish(&mut self, out: &mut impl Extend<Piece>) {
        if let Some(splitter) = &mut self.thoughts {
            splitter.finish(&mut self.voices);
            self.speak(out);
        }
        if let Some(parser) = &mut self.tools {
            parser.finish(&mut self.events);
            self.take(out);
        }
    }

    fn speak(&mut self, out: &mut impl Extend<Piece>) {
        for (voice, text) in std::mem::take(&mut self.voices) {
            match voice {
                Voice::Reasoning => out.extend([Piece::Thought(text)]),
                Voice::Answer => self.answer(&text, out),
            }
        }
    }

    fn answer(&mut self, text: &str, out: &mut impl Extend<Piece>) {
        match &mut self.tools {
            Some(parser) => {
                parser.push(text, &mut self.events);
                self.take(out);
            }
            None if text.is_empty() => {}
            None => out.extend([Piece::Text(text.to_owned())]),
        }
    }

    fn take(&mut self, out: &mut impl Extend<Piece>) {
        for event in std::mem::take(&mut self.events) {
            if self.is_over() {
                return;
            }
            match event {
                ToolEvent::Text(text) => {
                    // White space between calls, and around them, is nobody's.
                    if !(self.calls > 0 && text.trim().is_empty()) {
                        out.extend([Piece::Text(text)]);
                    }
                }
                ToolEvent::Begin { name, .. } => {
                    self.call = Some(ToolCall { name, arguments: String::new() })
                }
                ToolEvent::Arguments(more) => {
                    if let Some(call) = &mut self.call {
                        call.arguments.push_str(&more);
                    }
                }
                ToolEvent::End => {
                    if let Some(call) = self.call.take() {
                        self.calls += 1;
                        out.extend([Piece::Call(call)]);
                    }
                }
                ToolEvent::Broken(text) => {
                    self.call = None;
                    out.extend([Piece::Text(text)]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reading: Reading, text: &str, cut: usize) -> (String, String, Vec<ToolCall>) {
        let (mut reader, mut out) = (Reader::new(&reading), Vec::new());
        let chars: Vec<char> = text.chars().collect();
        for part in chars.chunks(cut) {
            reader.push(&part.iter().collect::<String>(), &mut out);
        }
        reader.finish(&mut out);
        let (mut said, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
        for piece in out {
            match piece {
                Piece::Text(t) => said.push_str(&t),
                Piece::Thought(t) => thought.push_str(&t),
                Piece::Call(c) => calls.push(c),
                Piece::End(_) | Piece::LogProbs(_) => unreachable!("nothing else is read"),
            }
        }
        (said, thought, calls)
    }

    #[test]
    fn thoughts_calls_and_text_are_told_apart_wherever_they_are_cut() {
        let format = ReasoningFormat::of_template("</think>").expect("a known mark");
        let reading =
            Reading { thoughts: Some((format, true)), tools: Some((ToolFormat::Hermes, Calls::Several)) };
        let text = "hm <tool_call>\n</think>\n\nI look.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1, \"}\"]}}\n</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": {}}\n</tool_call>";
        for cut in [1, 2, 3, 7, 1000] {
            let (said, thought, calls) = read(reading, text, cut);
            assert_eq!((said.as_str(), thought.as_str()), ("I look.\n", "hm <tool_call>"), "{cut}");
            let calls: Vec<_> = calls.iter().map(|c| (c.name.as_str(), c.arguments.as_str())).collect();
            assert_eq!(calls, [("f", "{\"a\": [1, \"}\"]}"), ("g", "{}")], "{cut}");
            let one = Reading { tools: Some((ToolFormat::Hermes, Calls::One)), ..reading };
            assert_eq!(read(one, text, cut).2.len(), 1);
        }
    }

    #[test]
    fn a_call_that_breaks_off_is_text() {
        let reading = Reading { thoughts: None, tools: Some((ToolFormat::Hermes, Calls::Several)) };
        let text = "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": ";
        for cut in [1, 5, 1000] {
            assert_eq!(read(reading, text, cut), (text.into(), String::new(), Vec::new()));
        }
    }
}
