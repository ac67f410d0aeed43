//! Patterns of JSON Schema (ECMA-262) in the syntax of the `regex` crate, whose classes mean other characters in
//! places. What has no equivalent (look-around, back references, word boundaries) is refused.

use super::{SchemaError, invalid};

/// ECMA-262's white space and line ends (`\s`), for the inside of a class.
const SPACE: &str =
    r"\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";
/// What `.` does not match.
const LINE_ENDS: &str = r"\n\r\u{2028}\u{2029}";
const WORD: &str = "0-9A-Za-z_";

/// A pattern in the `regex` crate's syntax.
pub(super) fn translate(pattern: &str, keyword: &str, at: &str) -> Result<String, SchemaError> {
    let mut t =
        Translation { chars: pattern.chars().peekable(), out: String::with_capacity(pattern.len() + 16) };
    t.run().map_err(|what| match what {
        Wrong::Unsupported(what) => SchemaError::Unsupported {
            keyword: keyword.into(),
            at: at.into(),
            why: format!(" with {what} in {pattern:?}"),
        },
        Wrong::Invalid(what) => invalid(keyword, at, format!("{what} in {pattern:?}")),
    })?;
    Ok(t.out)
}

enum Wrong {
    Unsupported(&'static str),
    Invalid(&'static str),
}

struct Translation<'p> {
    chars: std::iter::Peekable<std::str::Chars<'p>>,
    out: String,
}

impl Translation<'_> {
    fn run(&mut self) -> Result<(), Wrong> {
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => self.escape(Place::Outside)?,
                '[' => self.class()?,
                '.' => self.out.push_str(&format!("[^{LINE_ENDS}]")),
                '(' => self.group()?,
                // A brace that begins no repetition is a character, as browsers have it.
                '{' if !self.is_repetition() => self.out.push_str(r"\{"),
                '{' => {
                    self.out.push('{');
                    while let Some(c) = self.chars.next_if(|c| *c != '}') {
                        self.out.push(c);
                    }
                    self.out.extend(self.chars.next());
                }
                '}' | ']' => self.out.extend(['\\', c]),
                c => self.out.push(c),
            }
        }
        Ok(())
    }

    fn is_repetition(&self) -> bool {
        let rest: String = self.chars.clone().take_while(|c| *c != '}').take(24).collect();
        let closed = self.chars.clone().take(24).any(|c| c == '}');
        let (least, most) = rest.split_once(',').unwrap_or((&rest, "0"));
        let digits = |t: &str| t.chars().all(|c| c.is_ascii_digit());
        closed && !least.is_empty() && digits(least) && digits(most)
    }

    fn group(&mut self) -> Result<(), Wrong> {
        self.out.push('(');
        if self.chars.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        self.out.push('?');
        let mut ahead = self.chars.clone();
        match (ahead.next(), ahead.next()) {
            (Some(':'), _) => Ok(()),
            (Some('<'), Some('=' | '!')) => Err(Wrong::Unsupported("look-behind")),
            (Some('<'), Some(_)) => Ok(()),
            (Some('=' | '!'), _) => Err(Wrong::Unsupported("look-ahead")),
            _ => Err(Wrong::Invalid("a group of an unknown kind")),
        }
    }

    fn class(&mut self) -> Result<(), Wrong> {
        let negated = self.chars.next_if_eq(&'^').is_some();
        if self.chars.next_if_eq(&']').is_some() {
            // Nothing, or anything.
            if !negated {
                return Err(Wrong::Unsupported("an empty class"));
            }
            self.out.push_str("(?s:.)");
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            match self.chars.next() {
                None => return Err(Wrong::Invalid("a class without an end")),
                Some(']') => break,
                Some('\\') => self.escape(Place::Class)?,
                // These mean something in a class of the `regex` crate, and nothing here.
                Some(c @ ('[' | '&' | '~' | '^')) => self.out.extend(['\\', c]),
                // A hyphen is a range between two characters, and itself at either end.
                Some('-')
                    if self.out.ends_with('[')
                        || self.out.ends_with("[^")
                        || self.chars.peek() == Some(&']') =>
                {
                    self.out.push_str(r"\-");
                }
                Some(c) => self.out.push(c),
            }
        }
        self.out.push(']');
        Ok(())
    }

    fn escape(&mut self, place: Place) -> Result<(), Wrong> {
        let Some(c) = self.chars.next() else { return Err(Wrong::Invalid("a backslash at the end")) };
        let (class, negated) = match c {
            'd' | 'D' => ("0-9", c == 'D'),
            'w' | 'W' => (WORD, c == 'W'),
            's' | 'S' => (SPACE, c == 'S'),
            't' | 'n' | 'r' => {
                self.out.extend(['\\', c]);
                return Ok(());
            }
            'f' => return self.push(r"\x0C"),
            'v' => return self.push(r"\x0B"),
            '0' if !self.chars.peek().is_some_and(char::is_ascii_digit) => return self.push(r"\x00"),
            'b' if place == Place::Class => return self.push(r"\x08"),
            'b' | 'B' => return Err(Wrong::Unsupported("a word boundary")),
            'k' | '0'..='9' => return Err(Wrong::Unsupported("a back reference")),
            'c' => return self.control(),
            'x' => return self.code(2),
            'u' => return self.code(4),
            'p' | 'P' => return self.property(c),
            // Any other letter stands for itself where patterns are lenient.
            c if c.is_ascii_alphanumeric() => return Err(Wrong::Invalid("an unknown escape")),
            c if c.is_ascii() => {
                self.out.extend(['\\', c]);
                return Ok(());
            }
            c => {
                self.out.push(c);
                return Ok(());
            }
        };
        match (place, negated) {
            (Place::Class, false) => self.out.push_str(class),
            (_, false) => self.out.push_str(&format!("[{class}]")),
            (_, true) => self.out.push_str(&format!("[^{class}]")),
        }
        Ok(())
    }

    fn push(&mut self, text: &str) -> Result<(), Wrong> {
        self.out.push_str(text);
        Ok(())
    }

    fn control(&mut self) -> Result<(), Wrong> {
        match self.chars.next() {
            Some(c) if c.is_ascii_alphabetic() => self.push(&format!(r"\x{:02X}", u32::from(c) % 32)),
            _ => Err(Wrong::Invalid("an unknown control character")),
        }
    }

    /// `\x41`, `\u0041`, `\u{1F600}`, and two surrogates for one character.
    fn code(&mut self, digits: usize) -> Result<(), Wrong> {
        let bad = || Wrong::Invalid("an unknown character code");
        let mut code = if digits == 4 && self.chars.next_if_eq(&'{').is_some() {
            let mut hex = String::new();
            while let Some(c) = self.chars.next_if(|c| *c != '}') {
                hex.push(c);
            }
            self.chars.next();
            u32::from_str_radix(&hex, 16).map_err(|_| bad())?
        } else {
            self.hex(digits).ok_or_else(bad)?
        };
        if (0xd800..0xdc00).contains(&code) {
            let low =
                (self.chars.next() == Some('\\') && self.chars.next() == Some('u')).then(|| self.hex(4));
            let low = low.flatten().filter(|l| (0xdc00..0xe000).contains(l)).ok_or_else(bad)?;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        char::from_u32(code).ok_or_else(bad)?;
        self.push(&format!(r"\u{{{code:X}}}"))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text: String = (0..digits).map_while(|_| self.chars.next_if(char::is_ascii_hexdigit)).collect();
        (text.len() == digits).then(|| u32::from_str_radix(&text, 16).ok()).flatten()
    }

    /// `\p{L}` and the like mean the same.
    fn property(&mut self, c: char) -> Result<(), Wrong> {
        if self.chars.peek() != Some(&'{') {
            return Err(Wrong::Invalid("a property without a name"));
        }
        self.out.extend(['\\', c]);
        while let Some(c) = self.chars.next_if(|c| *c != '}') {
            self.out.push(c);
        }
        self.out.extend(self.chars.next());
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Class,
}
