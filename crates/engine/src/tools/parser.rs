//! The machine behind [`ToolParser`]: one character at a time, so that cuts do not matter.

use super::json::{Json, Part};
use super::{ToolEvent, ToolFormat, gemma};

/// Reads an answer as it comes.
#[derive(Clone, Debug)]
pub struct ToolParser {
    format: ToolFormat,
    state: State,
    /// Text of the call under way from its mark on, to give it back.
    raw: String,
    /// Calls begun and not broken.
    calls: usize,
    /// Whether nothing but white space has come; there a format without marks may begin a call.
    at_start: bool,
}

#[derive(Clone, Debug)]
enum State {
    /// Outside of calls; the end of the text that may be the beginning of a mark.
    Text(String),
    /// Within a call.
    Call(Box<Call>),
    /// After a complete object of Hermes: its closing mark must come.
    Closing(String),
    /// Mistral: after the mark, before it is known which form it is.
    Opened,
    /// Mistral: the name, up to `[ARGS]`.
    Name(String),
    /// Mistral: between the objects of a list; `true` after one.
    List(bool),
    /// A block that is read when it is whole.
    Block(Block),
    /// Code after `<|python_tag|>`: text to the end.
    Code,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Python,
    Json,
}

/// One JSON object with a name and arguments.
#[derive(Clone, Debug)]
struct Call {
    json: Json,
    /// The key under way or read last, as it was written.
    key: String,
    key_open: bool,
    /// The value under way, where it is kept.
    value: String,
    name: Option<String>,
    /// Arguments that came before the name.
    early: Option<String>,
    begun: bool,
    /// The object is the arguments themselves, and the name is known.
    bare: bool,
    /// Within a list.
    listed: bool,
}

impl Call {
    fn new(listed: bool) -> Self {
        Self {
            json: Json::new(),
            key: String::new(),
            key_open: false,
            value: String::new(),
            name: None,
            early: None,
            begun: false,
            bare: false,
            listed,
        }
    }

    fn of(name: String) -> Self {
        Self { name: Some(name), bare: true, ..Self::new(false) }
    }

    fn is_arguments(&self) -> bool {
        matches!(self.key.as_str(), "\"arguments\"" | "\"parameters\"")
    }
}

const PYTHON: &str = "<|python_tag|>";
const CLOSE: &str = "</tool_call>";
const ARGS: &str = "[ARGS]";
const CALL_ID: &str = "[CALL_ID]";

/// Marks that begin something, by format.
fn openings(format: ToolFormat) -> &'static [&'static str] {
    match format {
        ToolFormat::Llama3 => &[PYTHON],
        ToolFormat::Hermes => &["<tool_call>"],
        ToolFormat::Mistral => &["[TOOL_CALLS]"],
        ToolFormat::Gemma => &["```tool_code\n", "```json\n"],
    }
}

impl ToolParser {
    /// A parser for one answer.
    pub fn new(format: ToolFormat) -> Self {
        Self { format, state: State::Text(String::new()), raw: String::new(), calls: 0, at_start: true }
    }

    /// Takes a piece of the answer; appends what it means.
    pub fn push(&mut self, text: &str, events: &mut Vec<ToolEvent>) {
        for c in text.chars() {
            self.take(c, events);
        }
    }

    /// The end of the answer. A call whose JSON is complete counts, with or without its closing mark.
    pub fn finish(&mut self, events: &mut Vec<ToolEvent>) {
        match std::mem::replace(&mut self.state, State::Text(String::new())) {
            State::Text(held) => text(&held, events),
            State::Closing(_) => self.end(events),
            State::Block(block) => self.block(block, events),
            State::Code => {}
            State::List(true) => self.raw.clear(),
            State::Call(call) => self.broken(call.begun, events),
            State::Opened | State::Name(_) | State::List(false) => self.broken(false, events),
        }
        self.at_start = true;
        self.calls = 0;
    }

    fn take(&mut self, c: char, events: &mut Vec<ToolEvent>) {
        match std::mem::replace(&mut self.state, State::Code) {
            State::Text(held) => self.outside(held, c, events),
            State::Call(call) => self.within(call, c, events),
            State::Closing(mut seen) => {
                self.raw.push(c);
                if !(seen.is_empty() && c.is_whitespace()) {
                    seen.push(c);
                }
                if seen == CLOSE {
                    self.end(events);
                } else if CLOSE.starts_with(&seen) {
                    self.state = State::Closing(seen);
                } else {
                    self.broken(true, events);
                }
            }
            State::Opened => {
                self.raw.push(c);
                self.state = match c {
                    c if c.is_whitespace() => State::Opened,
                    '[' => State::List(false),
                    c if is_name(c) => State::Name(c.into()),
                    _ => return self.broken(false, events),
                };
            }
            State::Name(name) => self.name(name, c, events),
            State::List(after) => {
                self.raw.push(c);
                match c {
                    c if c.is_whitespace() => self.state = State::List(after),
                    ',' if after => self.state = State::List(false),
                    '{' if !after => {
                        self.raw.pop();
                        self.within(Box::new(Call::new(true)), c, events);
                    }
                    ']' if after => {
                        self.raw.clear();
                        self.state = State::Text(String::new());
                    }
                    _ => self.broken(false, events),
                }
            }
            State::Block(block) => {
                self.raw.push(c);
                let inside = &self.raw[openings(self.format)[block as usize].len()..];
                if inside.ends_with("\n```") || inside == "```" {
                    self.block(block, events);
                } else {
                    self.state = State::Block(block);
                }
            }
            State::Code => {
                text(c.encode_utf8(&mut [0; 4]), events);
                self.state = State::Code;
            }
        }
    }

    /// Outside of calls: text goes out, but for what may be the beginning of a mark.
    fn outside(&mut self, mut held: String, c: char, events: &mut Vec<ToolEvent>) {
        let bare = matches!(self.format, ToolFormat::Llama3 | ToolFormat::Gemma);
        if held.is_empty() && c == '{' && self.at_start && bare {
            return self.within(Box::new(Call::new(false)), c, events);
        }
        held.push(c);
        let marks = openings(self.format);
        let mut out = String::new();
        loop {
            if let Some(mark) = marks.iter().position(|m| *m == held) {
                text(&out, events);
                self.raw = held;
                self.at_start = false;
                self.state = match (self.format, mark) {
                    (ToolFormat::Mistral, _) => State::Opened,
                    (ToolFormat::Gemma, 0) => State::Block(Block::Python),
                    (ToolFormat::Gemma, _) => State::Block(Block::Json),
                    _ => State::Call(Box::new(Call::new(false))),
                };
                return;
            }
            if marks.iter().any(|m| m.starts_with(&held)) {
                break;
            }
            match held.chars().next() {
                Some(first) => {
                    out.push(first);
                    held.drain(..first.len_utf8());
                }
                None => break,
            }
        }
        self.at_start &= out.chars().all(char::is_whitespace);
        text(&out, events);
        self.state = State::Text(held);
    }

    fn within(&mut self, mut call: Box<Call>, c: char, events: &mut Vec<ToolEvent>) {
        self.raw.push(c);
        if call.json.is_fresh() && c != '{' && !c.is_whitespace() {
            if self.raw.starts_with(PYTHON) {
                text(&std::mem::take(&mut self.raw), events);
                self.state = State::Code;
                return;
            }
            return self.broken(false, events);
        }
        let Some(part) = call.json.push(c) else { return self.broken(call.begun, events) };
        let fine =
            if call.bare { self.bare(&mut call, c, events) } else { self.part(&mut call, part, c, events) };
        if !fine {
            return self.broken(call.begun, events);
        }
        if part != Part::Last {
            self.state = State::Call(call);
        } else if self.format == ToolFormat::Hermes {
            self.state = State::Closing(String::new());
        } else {
            self.end(events);
            if call.listed {
                self.state = State::List(true);
            }
        }
    }

    /// One character of an object with a name and arguments; `false` where it is no call.
    fn part(&mut self, call: &mut Call, part: Part, c: char, events: &mut Vec<ToolEvent>) -> bool {
        match part {
            Part::Between => {}
            Part::Key(last) => {
                if !call.key_open {
                    call.key.clear();
                }
                call.key.push(c);
                call.key_open = !last;
            }
            Part::Inner(ended) => {
                let starts = call.value.is_empty();
                if call.is_arguments() && call.name.is_some() && (call.streams() || (starts && c == '{')) {
                    if starts {
                        if call.begun {
                            return false;
                        }
                        self.begin(call, events);
                        call.value.push('{');
                    }
                    arguments(c, events);
                } else {
                    call.value.push(c);
                }
                if ended {
                    return self.value(call, events);
                }
            }
            Part::AfterInner => return self.value(call, events),
            Part::Last => {
                if !call.value.is_empty() && !self.value(call, events) {
                    return false;
                }
                return self.complete(call, events);
            }
        }
        true
    }

    /// The end of a value in the call's object.
    fn value(&mut self, call: &mut Call, events: &mut Vec<ToolEvent>) -> bool {
        let value = std::mem::take(&mut call.value);
        if call.is_arguments() {
            if call.begun && value == "{" {
                return true;
            }
            let Some(object) = as_object(&value) else { return false };
            if call.begun || call.early.is_some() {
                return false;
            }
            call.early = Some(object);
            if call.name.is_some() {
                self.complete(call, events);
            }
        } else if call.key == "\"name\"" {
            let name = serde_json::from_str::<String>(&value).ok().filter(|n| !n.is_empty());
            if name.is_none() || call.name.is_some() {
                return false;
            }
            call.name = name;
        } else if call.key == "\"function\"" {
            // OpenAI's shape: the call is within.
            let inner = serde_json::from_str::<serde_json::Value>(&value).ok();
            let name = inner.as_ref().and_then(|v| v.get("name")?.as_str().map(String::from));
            let arguments = inner.as_ref().and_then(|v| v.get("arguments").or(v.get("parameters")).cloned());
            if let (Some(name), None) = (name, &call.name) {
                call.name = Some(name);
                call.early = arguments.and_then(|a| as_object(&a.to_string()));
            }
        }
        true
    }

    /// What is left to say of a call whose object is read.
    fn complete(&mut self, call: &mut Call, events: &mut Vec<ToolEvent>) -> bool {
        if call.begun {
            return true;
        }
        if call.name.is_none() {
            return false;
        }
        self.begin(call, events);
        let all = call.early.take().unwrap_or_else(|| "{}".into());
        all.chars().for_each(|c| arguments(c, events));
        true
    }

    /// One character of arguments that stand by themselves.
    fn bare(&mut self, call: &mut Call, c: char, events: &mut Vec<ToolEvent>) -> bool {
        if !call.begun {
            if c.is_whitespace() {
                return true;
            }
            self.begin(call, events);
        }
        arguments(c, events);
        true
    }

    fn begin(&mut self, call: &mut Call, events: &mut Vec<ToolEvent>) {
        call.begun = true;
        let name = call.name.clone().unwrap_or_default();
        events.push(ToolEvent::Begin { index: self.calls, name });
        self.calls += 1;
    }

    fn end(&mut self, events: &mut Vec<ToolEvent>) {
        events.push(ToolEvent::End);
        self.raw.clear();
        self.at_start = false;
        self.state = State::Text(String::new());
    }

    /// What was taken for a call is text.
    fn broken(&mut self, begun: bool, events: &mut Vec<ToolEvent>) {
        self.calls -= usize::from(begun);
        let raw = std::mem::take(&mut self.raw);
        events.push(ToolEvent::Broken(raw));
        self.at_start = false;
        self.state = State::Text(String::new());
    }

    fn name(&mut self, mut name: String, c: char, events: &mut Vec<ToolEvent>) {
        self.raw.push(c);
        if c == '{' {
            let bare =
                name.split(CALL_ID).next().unwrap_or_default().trim_end_matches(ARGS).trim().to_owned();
            if bare.is_empty() || !bare.chars().all(is_name) {
                return self.broken(false, events);
            }
            self.raw.pop();
            return self.within(Box::new(Call::of(bare)), c, events);
        }
        name.push(c);
        let after = name.trim_start_matches(is_name);
        let rest = after.strip_prefix(CALL_ID).map_or(after, |r| r.trim_start_matches(is_name));
        let fine = [ARGS, CALL_ID].iter().any(|m| m.starts_with(rest)) || rest.trim_end() == ARGS;
        if fine && name.len() < 512 {
            self.state = State::Name(name);
        } else {
            self.broken(false, events);
        }
    }

    /// A block that is whole, or the answer's end.
    fn block(&mut self, block: Block, events: &mut Vec<ToolEvent>) {
        let raw = std::mem::take(&mut self.raw);
        let inside = &raw[openings(self.format)[block as usize].len()..];
        let inside = inside.strip_suffix("```").unwrap_or(inside);
        let calls = match block {
            Block::Python => gemma::python(inside),
            Block::Json => gemma::json(inside),
        };
        self.state = State::Text(String::new());
        match calls {
            Some(calls) => {
                for call in calls {
                    events.push(ToolEvent::Begin { index: self.calls, name: call.name });
                    call.arguments.chars().for_each(|c| arguments(c, events));
                    events.push(ToolEvent::End);
                    self.calls += 1;
                }
            }
            // A block of something else is no broken call.
            None => text(&raw, events),
        }
    }
}

impl Call {
    /// Whether the value under way is given out as it comes.
    fn streams(&self) -> bool {
        self.begun && self.value == "{"
    }
}

/// Arguments as the text of an object: an object, a string of one, or nothing.
fn as_object(value: &str) -> Option<String> {
    let parsed: serde_json::Value = serde_json::from_str(value).ok()?;
    match parsed {
        serde_json::Value::Object(_) => Some(value.to_owned()),
        serde_json::Value::Null => Some("{}".into()),
        serde_json::Value::String(inner) => {
            let object = serde_json::from_str::<serde_json::Value>(&inner).ok()?.is_object();
            object.then(|| inner.trim().to_owned())
        }
        _ => None,
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':')
}

/// Adds to the text of the last event, or begins one.
fn text(piece: &str, events: &mut Vec<ToolEvent>) {
    if piece.is_empty() {
        return;
    }
    match events.last_mut() {
        Some(ToolEvent::Text(last)) => last.push_str(piece),
        _ => events.push(ToolEvent::Text(piece.into())),
    }
}

fn arguments(c: char, events: &mut Vec<ToolEvent>) {
    match events.last_mut() {
        Some(ToolEvent::Arguments(last)) => last.push(c),
        _ => events.push(ToolEvent::Arguments(c.into())),
    }
}
