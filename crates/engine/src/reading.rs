//! What is read out of an answer's text: thoughts, calls of tools, and what is left.

use crate::reasoning::{ReasoningFormat, ReasoningSplitter, Voice};
use crate::tools::{ToolCall, ToolEvent, ToolFormat, ToolParser};

/// A piece of an answer, by what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Text of the answer.
    Text(String),
    /// Thoughts before the answer.
    Thought(String),
    /// A call of a tool, whole.
    Call(ToolCall),
}

/// What is to be read out of the answers to a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The marks of the model's thoughts, and whether the prompt ends within some.
    pub thoughts: Option<(ReasoningFormat, bool)>,
    /// How the model writes calls of tools, and how many of them an answer may have.
    pub tools: Option<(ToolFormat, Calls)>,
}

/// How many calls an answer may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// It ends with the first one.
    One,
    /// As many as the model makes.
    Several,
}

impl Reading {
    /// Names of control tokens that are read as text.
    pub fn marks(&self) -> Vec<&'static str> {
        let thoughts = self.thoughts.iter().flat_map(|(f, _)| f.marks);
        thoughts.chain(self.tools.iter().flat_map(|(f, _)| f.marks())).copied().collect()
    }
}

/// One answer's reader. A call is given out when it is whole: one that breaks off is text.
pub struct Reader {
    thoughts: Option<ReasoningSplitter>,
    tools: Option<ToolParser>,
    /// Whether the first call ends the answer.
    ends: bool,
    /// The call under way.
    call: Option<ToolCall>,
    events: Vec<ToolEvent>,
    voices: Vec<(Voice, String)>,
    /// Calls given out.
    pub calls: u32,
}

impl Reader {
    /// A reader of one answer.
    pub fn new(reading: &Reading) -> Self {
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
    pub fn thinks(&self) -> bool {
        self.thoughts.as_ref().is_some_and(|t| t.voice() == Voice::Reasoning)
    }

    /// Whether nothing more is read.
    pub fn is_over(&self) -> bool {
        self.ends && self.calls > 0
    }

    /// Takes text; appends what it means.
    pub fn push(&mut self, text: &str, out: &mut dyn FnMut(Said)) {
        match &mut self.thoughts {
            Some(splitter) => {
                splitter.push(text, &mut self.voices);
                self.speak(out);
            }
            None => self.answer(text, out),
        }
    }

    /// The end of the text.
    pub fn finish(&mut self, out: &mut dyn FnMut(Said)) {
        if let Some(splitter) = &mut self.thoughts {
            splitter.finish(&mut self.voices);
            self.speak(out);
        }
        if let Some(parser) = &mut self.tools {
            parser.finish(&mut self.events);
            self.take(out);
        }
    }

    fn speak(&mut self, out: &mut dyn FnMut(Said)) {
        for (voice, text) in std::mem::take(&mut self.voices) {
            match voice {
                Voice::Reasoning => out(Said::Thought(text)),
                Voice::Answer => self.answer(&text, out),
            }
        }
    }

    fn answer(&mut self, text: &str, out: &mut dyn FnMut(Said)) {
        match &mut self.tools {
            Some(parser) => {
                parser.push(text, &mut self.events);
                self.take(out);
            }
            None if text.is_empty() => {}
            None => out(Said::Text(text.to_owned())),
        }
    }

    fn take(&mut self, out: &mut dyn FnMut(Said)) {
        for event in std::mem::take(&mut self.events) {
            if self.is_over() {
                return;
            }
            match event {
                ToolEvent::Text(text) => {
                    // White space between calls, and around them, is nobody's.
                    if !(self.calls > 0 && text.trim().is_empty()) {
                        out(Said::Text(text));
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
                        out(Said::Call(call));
                    }
                }
                ToolEvent::Broken(text) => {
                    self.call = None;
                    out(Said::Text(text));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reading: Reading, text: &str, cut: usize) -> (String, String, Vec<ToolCall>) {
        let (mut reader, mut out) = (Reader::new(&reading), Vec::<Said>::new());
        let chars: Vec<char> = text.chars().collect();
        for part in chars.chunks(cut) {
            reader.push(&part.iter().collect::<String>(), &mut |s| out.push(s));
        }
        reader.finish(&mut |s| out.push(s));
        let (mut said, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
        for piece in out {
            match piece {
                Said::Text(t) => said.push_str(&t),
                Said::Thought(t) => thought.push_str(&t),
                Said::Call(c) => calls.push(c),
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
