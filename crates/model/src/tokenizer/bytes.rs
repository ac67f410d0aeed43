//! The byte alphabet of byte-level BPE (GPT-2): every byte has one printable character.

/// The character of a byte: printable Latin-1 bytes stand for themselves, the others follow from U+0100 on.
pub(super) fn char_of(byte: u8) -> char {
    let printable = |b: u8| matches!(b, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    if printable(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|b| !printable(*b)).count() as u32;
    char::from_u32(0x100 + before).unwrap_or('\u{fffd}')
}

/// The byte of every character of the alphabet.
#[derive(Debug)]
pub(super) struct ByteAlphabet {
    /// By code point; `None` outside the alphabet.
    bytes: Vec<Option<u8>>,
}

impl Default for ByteAlphabet {
    fn default() -> Self {
        let mut bytes = vec![None; 0x200];
        for b in 0..=255 {
            bytes[char_of(b) as usize] = Some(b);
        }
        Self { bytes }
    }
}

impl ByteAlphabet {
    /// Appends the bytes that a token's text stands for; characters outside the alphabet stand for themselves.
    pub(super) fn decode(&self, text: &str, out: &mut Vec<u8>) {
        for c in text.chars() {
            match self.bytes.get(c as usize) {
                Some(Some(b)) => out.push(*b),
                _ => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }
}
