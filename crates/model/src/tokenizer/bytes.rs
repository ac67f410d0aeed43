//! The byte alphabet of byte-level BPE (GPT-2): every byte has one printable character.

/// The character of every byte: printable Latin-1 bytes stand for themselves, the others follow from U+0100 on.
pub(crate) static CHARS: [char; 256] = chars();

const fn chars() -> [char; 256] {
    let mut all = ['\0'; 256];
    let mut next = 0x100;
    let mut byte = 0u8;
    loop {
        let printable = matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
        let code = if printable { byte as u32 } else { next };
        if !printable {
            next += 1;
        }
        all[byte as usize] = match char::from_u32(code) {
            Some(c) => c,
            None => char::REPLACEMENT_CHARACTER,
        };
        if byte == u8::MAX {
            return all;
        }
        byte += 1;
    }
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
        for (b, c) in (0..=u8::MAX).zip(CHARS) {
            bytes[c as usize] = Some(b);
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
