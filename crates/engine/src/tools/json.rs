//! JSON one character at a time: whether the text so far can still become a value, and where values begin and end.

/// A reader of one JSON value.
#[derive(Clone, Debug)]
pub(super) struct Json {
    /// Open objects (`true`) and lists.
    stack: Vec<bool>,
    state: State,
}

/// Values within values, at most: fewer than readers of the arguments allow.
const DEEPEST: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value must come; a list may end instead.
    Value {
        or_end: bool,
    },
    /// A key must come; an object may end instead.
    Key {
        or_end: bool,
    },
    /// Within a string.
    String {
        key: bool,
        escape: Escape,
    },
    /// A colon must come.
    Colon,
    /// After a value.
    After,
    Number(Number),
    /// The rest of `true`, `false` or `null`.
    Word(&'static [u8]),
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    Begun,
    /// Hexadecimal digits to come.
    Hex(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Sign,
    Zero,
    Whole,
    Dot,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

/// What a character was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// White space or punctuation between values.
    Between,
    /// Of a key of the outermost object; `true` with its last character.
    Key(bool),
    /// Of a value in the outermost object; `true` with its last character, where that is known by then.
    Inner(bool),
    /// The character after a number in the outermost object: the value ended before it.
    AfterInner,
    /// The last character of the whole value.
    Last,
}

impl Json {
    pub(super) fn new() -> Self {
        Self { stack: Vec::new(), state: State::Value { or_end: false } }
    }

    /// Whether nothing but white space has come.
    pub(super) fn is_fresh(&self) -> bool {
        self.stack.is_empty() && self.state == State::Value { or_end: false }
    }

    /// Whether the value is complete.
    pub(super) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Takes a character; `None` where no value goes on like this.
    pub(super) fn push(&mut self, c: char) -> Option<Part> {
        let (before, number) = (self.stack.len(), matches!(self.state, State::Number(_)));
        let key = matches!(self.state, State::Key { .. } | State::String { key: true, .. });
        let between =
            matches!(self.state, State::Value { .. } | State::Key { .. } | State::Colon | State::After);
        self.step(c)?;
        let after = self.stack.len();
        if self.is_done() {
            return Some(Part::Last);
        }
        if before == 1 && number && !matches!(self.state, State::Number(_)) {
            return Some(Part::AfterInner);
        }
        if after == 1 && key && (matches!(self.state, State::String { .. } | State::Colon)) {
            return Some(Part::Key(self.state == State::Colon));
        }
        let opened = matches!(self.state, State::String { .. } | State::Number(_) | State::Word(_));
        let inside = after > 1 || before > 1 || (after == 1 && (opened || !between));
        let ended = after == 1 && self.state == State::After;
        Some(if inside { Part::Inner(ended) } else { Part::Between })
    }

    fn step(&mut self, c: char) -> Option<()> {
        let space = matches!(c, ' ' | '\t' | '\n' | '\r');
        self.state = match self.state {
            State::Value { .. } | State::Key { .. } | State::Colon | State::After if space => return Some(()),
            State::Value { or_end: true } if c == ']' => return self.close(false),
            State::Value { .. } => self.begin(c)?,
            State::Key { or_end: true } if c == '}' => return self.close(true),
            State::Key { .. } if c == '"' => State::String { key: true, escape: Escape::None },
            State::Colon if c == ':' => State::Value { or_end: false },
            State::String { key, escape } => match (escape, c) {
                (Escape::None, '"') if key => State::Colon,
                (Escape::None, '"') => return self.ended(),
                (Escape::None, '\\') => State::String { key, escape: Escape::Begun },
                (Escape::None, c) if c >= ' ' => self.state,
                (Escape::Begun, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {
                    State::String { key, escape: Escape::None }
                }
                (Escape::Begun, 'u') => State::String { key, escape: Escape::Hex(4) },
                (Escape::Hex(1), c) if c.is_ascii_hexdigit() => State::String { key, escape: Escape::None },
                (Escape::Hex(n), c) if c.is_ascii_hexdigit() => {
                    State::String { key, escape: Escape::Hex(n - 1) }
                }
                _ => return None,
            },
            State::After => match (self.stack.last()?, c) {
                (true, ',') => State::Key { or_end: false },
                (false, ',') => State::Value { or_end: false },
                (true, '}') => return self.close(true),
                (false, ']') => return self.close(false),
                _ => return None,
            },
            State::Number(number) => match number_step(number, c) {
                Some(next) => State::Number(next),
                None if number_ends(number) => {
                    self.ended()?;
                    return if self.is_done() { None } else { self.step(c) };
                }
                None => return None,
            },
            State::Word(rest) => match rest {
                [last] if char::from(*last) == c => return self.ended(),
                [first, rest @ ..] if char::from(*first) == c => State::Word(rest),
                _ => return None,
            },
            State::Key { .. } | State::Colon | State::Done => return None,
        };
        Some(())
    }

    fn begin(&mut self, c: char) -> Option<State> {
        Some(match c {
            '{' | '[' if self.stack.len() >= DEEPEST => return None,
            '{' => {
                self.stack.push(true);
                State::Key { or_end: true }
            }
            '[' => {
                self.stack.push(false);
                State::Value { or_end: true }
            }
            '"' => State::String { key: false, escape: Escape::None },
            '-' => State::Number(Number::Sign),
            '0' => State::Number(Number::Zero),
            '1'..='9' => State::Number(Number::Whole),
            't' => State::Word(b"rue"),
            'f' => State::Word(b"alse"),
            'n' => State::Word(b"ull"),
            _ => return None,
        })
    }

    fn close(&mut self, object: bool) -> Option<()> {
        if self.stack.pop() != Some(object) {
            return None;
        }
        self.ended()
    }

    fn ended(&mut self) -> Option<()> {
        self.state = if self.stack.is_empty() { State::Done } else { State::After };
        Some(())
    }
}

fn number_ends(n: Number) -> bool {
    matches!(n, Number::Zero | Number::Whole | Number::Fraction | Number::ExponentDigits)
}

fn number_step(n: Number, c: char) -> Option<Number> {
    use Number::*;
    Some(match (n, c) {
        (Sign, '0') => Zero,
        (Sign, '1'..='9') | (Whole, '0'..='9') => Whole,
        (Zero | Whole, '.') => Dot,
        (Dot | Fraction, '0'..='9') => Fraction,
        (Zero | Whole | Fraction, 'e' | 'E') => Exponent,
        (Exponent, '+' | '-') => ExponentSign,
        (Exponent | ExponentSign | ExponentDigits, '0'..='9') => ExponentDigits,
        _ => return None,
    })
}
