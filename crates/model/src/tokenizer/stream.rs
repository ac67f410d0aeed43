//! Tokens to text as they appear: never half a character, and never text that a stop string may still swallow.

use super::Tokenizer;

/// Turns tokens into text one at a time.
#[derive(Debug, Default)]
pub struct Detokenizer {
    /// Bytes of a character that is not whole yet.
    pending: Vec<u8>,
    /// The text of the last push.
    text: String,
    /// Whether any text has come out; a SentencePiece text starts with a space that is not its own.
    started: bool,
}

impl Detokenizer {
    /// A detokenizer for text that continues other text, so that no leading space is dropped.
    pub fn continuing() -> Self {
        Self { started: true, ..Self::default() }
    }

    /// Adds a token; returns the characters that it completes. Control tokens have no text.
    pub fn push(&mut self, tokenizer: &Tokenizer, token: u32) -> &str {
        self.text.clear();
        if !tokenizer.is_control(token) {
            let mut bytes = tokenizer.token_bytes(token);
            if !self.started && !bytes.is_empty() {
                self.started = true;
                if tokenizer.drops_first_space() {
                    bytes = bytes.strip_prefix(b" ").unwrap_or(bytes);
                }
            }
            self.pending.extend_from_slice(bytes);
            self.drain();
        }
        &self.text
    }

    /// The end of the text: bytes that never became a character come out as U+FFFD.
    pub fn finish(&mut self) -> &str {
        self.text.clear();
        if !self.pending.is_empty() {
            self.text.push(char::REPLACEMENT_CHARACTER);
            self.pending.clear();
        }
        &self.text
    }

    /// Moves whole characters from `pending` to `text`; bytes that no character can start with become U+FFFD.
    fn drain(&mut self) {
        let mut from = 0;
        loop {
            match std::str::from_utf8(&self.pending[from..]) {
                Ok(s) => {
                    self.text.push_str(s);
                    from = self.pending.len();
                }
                Err(e) => {
                    let valid = from + e.valid_up_to();
                    self.text.push_str(&String::from_utf8_lossy(&self.pending[from..valid]));
                    from = valid;
                    if let Some(bad) = e.error_len() {
                        self.text.push(char::REPLACEMENT_CHARACTER);
                        from += bad;
                        continue;
                    }
                }
            }
            break;
        }
        self.pending.drain(..from);
    }
}

/// Looks for stop strings in a stream of text, and holds back what may be the start of one.
#[derive(Debug)]
pub struct StopMatcher {
    stops: Vec<String>,
    /// Text not given out yet.
    held: String,
}

/// What the matcher says of the text so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// A stop string is complete; the text before it is final.
    Yes,
    /// None yet.
    No,
}

impl StopMatcher {
    /// A matcher for these strings; empty ones are ignored.
    pub fn new(stops: &[String]) -> Self {
        Self { stops: stops.iter().filter(|s| !s.is_empty()).cloned().collect(), held: String::new() }
    }

    /// Adds text; appends to `out` what is final now.
    pub fn push(&mut self, text: &str, out: &mut String) -> Stopped {
        if self.stops.is_empty() {
            out.push_str(text);
            return Stopped::No;
        }
        self.held.push_str(text);
        if let Some(at) = self.stops.iter().filter_map(|s| self.held.find(s.as_str())).min() {
            out.push_str(&self.held[..at]);
            self.held.clear();
            return Stopped::Yes;
        }
        let keep = self.stops.iter().map(|s| overlap(&self.held, s)).max().unwrap_or(0);
        let give = self.held.len() - keep;
        out.push_str(&self.held[..give]);
        self.held.drain(..give);
        Stopped::No
    }

    /// The end of the text: what was held back is final.
    pub fn finish(&mut self, out: &mut String) {
        out.push_str(&self.held);
        self.held.clear();
    }
}

/// Length in bytes of the longest end of `text` that `stop` starts with.
fn overlap(text: &str, stop: &str) -> usize {
    let longest = stop.len().saturating_sub(1).min(text.len());
    (1..=longest)
        .rev()
        .find(|n| {
            let at = text.len() - n;
            text.is_char_boundary(at) && stop.as_bytes().starts_with(&text.as_bytes()[at..])
        })
        .unwrap_or(0)
}
