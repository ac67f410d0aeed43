//! Tokens to text as they appear: never half a character, and never text that a stop string may still swallow.

use super::Tokenizer;
use akunu_kernels::step::Token;

/// Turns tokens into text one at a time. A copy is a place to return to.
#[derive(Clone, Debug, Default)]
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
    pub fn push(&mut self, tokenizer: &Tokenizer, token: Token) -> &str {
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

/// Looks for stop strings in a stream of text, and holds back what may be the start of one. The text given out does
/// not depend on how the stream was cut into pieces: the stop string that is complete first ends it, the longest
/// where several are.
#[derive(Clone, Debug)]
pub struct StopMatcher {
    stops: Vec<Stop>,
    /// Text not given out yet: the longest start of a stop string that the text ends with.
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
        let stops = stops.iter().filter(|s| !s.is_empty()).map(|s| Stop::new(s)).collect();
        Self { stops, held: String::new() }
    }

    /// Adds text; appends to `out` what is final now.
    pub fn push(&mut self, text: &str, out: &mut String) -> Stopped {
        if self.stops.is_empty() {
            out.push_str(text);
            return Stopped::No;
        }
        let before = self.held.len();
        self.held.push_str(text);
        for (i, byte) in text.bytes().enumerate() {
            let complete = self.stops.iter_mut().filter_map(|s| s.advance(byte)).max();
            if let Some(len) = complete {
                out.push_str(&self.held[..before + i + 1 - len]);
                self.held.clear();
                self.stops.iter_mut().for_each(|s| s.matched = 0);
                return Stopped::Yes;
            }
        }
        let keep = self.stops.iter().map(|s| s.matched).max().unwrap_or(0);
        let give = self.held.len() - keep;
        out.push_str(&self.held[..give]);
        self.held.drain(..give);
        Stopped::No
    }

    /// The end of the text: what was held back is final.
    pub fn finish(&mut self, out: &mut String) {
        out.push_str(&self.held);
        self.held.clear();
        self.stops.iter_mut().for_each(|s| s.matched = 0);
    }
}

/// For each length of a partial match of `text` at the end of a stream, the longest shorter one that ends at the same place (Knuth,
/// Morris and Pratt's failure function; `text.len() + 1` numbers).
pub fn shorter_matches(text: &[u8]) -> Vec<usize> {
    let mut shorter = vec![0; text.len() + 1];
    let mut n = 0;
    for at in 1..text.len() {
        while n > 0 && text[at] != text[n] {
            n = shorter[n];
        }
        n += usize::from(text[at] == text[n]);
        shorter[at + 1] = n;
    }
    shorter
}

/// One stop string and how much of it the text ends with (Knuth, Morris and Pratt's automaton, so that a long stop
/// string that almost matches costs no more than any other).
#[derive(Clone, Debug)]
struct Stop {
    text: Vec<u8>,
    /// For each length of a partial match, the longest shorter one that ends at the same place.
    shorter: Vec<usize>,
    /// Bytes of `text` that the stream ends with. A partial match starts at a character boundary, as `text` does.
    matched: usize,
}

impl Stop {
    fn new(text: &str) -> Self {
        let text = text.as_bytes().to_vec();
        Self { shorter: shorter_matches(&text), text, matched: 0 }
    }

    /// Takes the next byte of the stream; the length of the stop string where it completes it.
    fn advance(&mut self, byte: u8) -> Option<usize> {
        while self.matched > 0 && self.text[self.matched] != byte {
            self.matched = self.shorter[self.matched];
        }
        self.matched += usize::from(self.text[self.matched] == byte);
        if self.matched < self.text.len() {
            return None;
        }
        // Never left at the full length: the next byte would have nothing to be compared with.
        self.matched = self.shorter[self.matched];
        Some(self.text.len())
    }
}
