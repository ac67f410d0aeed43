//! The vocabulary: words as bytes in the file, and the tokens that the authors put after them.

use super::reader::{MOST, Reader};
use super::{Suppressed, bad};
use crate::ModelError;
use crate::tokenizer::{
    AddBos, BYTE_CHARS, Bos, FimIds, Normalization, SpacePrefix, Specials, TokenType, Tokenizer,
    TokenizerData, TokenizerError,
};
use akunu_kernels::step::Token;
use std::collections::HashMap;
use std::path::Path;

/// Words of models that know English alone.
const ENGLISH: usize = 50_256;
/// The longest word, in bytes; the longest of the authors' has 128.
const LONGEST: u64 = 256;
/// Squares of words' lengths that merges are looked for in: the authors' have about two million.
const MOST_WORK: u64 = 1 << 26;

/// The languages in the order of their tokens.
const LANGUAGES: &str = "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk \
te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my \
bo tl mg as tt haw ln ha ba jw su yue";

/// Marks that are not said; each is left out where it is one token, with a space before it or without.
const MARKS: &str = "\" # ( ) * + / : ; < = > @ [ \\ ] ^ _ ` { | } ~ 「 」 『 』 << >> <<< >>> -- --- -( -[ (' (\" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪";
/// Notes: their first token is left out.
const NOTES: &str = "♩ ♪ ♫ ♬ ♭ ♮ ♯";

/// Reads words: each its length and bytes.
pub(super) fn read_words(r: &mut Reader<'_>) -> Result<Vec<Vec<u8>>, ModelError> {
    let count = r.count("words", MOST)?;
    let (mut words, mut lengths) = (Vec::new(), Lengths::default());
    for _ in 0..count {
        let length = r.number("a word's length")?.into();
        lengths.add(r.path(), length)?;
        words.push(r.take(length, "a word")?);
    }
    Ok(words)
}

/// Words so far: each is short, and all together are no endless work.
#[derive(Default)]
struct Lengths {
    work: u64,
}

impl Lengths {
    fn add(&mut self, path: &Path, length: u64) -> Result<(), ModelError> {
        if length <= LONGEST {
            self.work += length * length;
        }
        if length > LONGEST || self.work > MOST_WORK {
            let found = format!("one of {length} bytes");
            let limits = format!("{LONGEST} bytes at most, and mostly far fewer");
            return Err(bad(path, "the words", found, limits));
        }
        Ok(())
    }
}

/// The words of a byte-level tokenizer: its tokens up to the first control token, in bytes. `None` where one is no text of bytes.
pub(super) fn words_of(t: &TokenizerData) -> Option<Vec<Vec<u8>>> {
    let bytes: HashMap<char, u8> = BYTE_CHARS.iter().copied().zip(0..=u8::MAX).collect();
    let word = |text: &String| text.chars().map(|c| bytes.get(&c).copied()).collect::<Option<Vec<u8>>>();
    let plain = t.tokens.iter().zip(&t.types).take_while(|(_, kind)| **kind == TokenType::Normal);
    plain.map(|(text, _)| text).take_while(|text| *text != "<|endoftext|>").map(word).collect()
}

/// Words, and the tokens after them.
pub(super) struct Vocabulary {
    words: Vec<Vec<u8>>,
    /// The names of the tokens after the words: the end, the start, languages and what else is asked for. Times follow.
    control: Vec<String>,
}

impl Vocabulary {
    /// The words of a vocabulary of so many entries, the last of which are times, one more than there are positions.
    pub(super) fn new(
        path: &Path,
        mut words: Vec<Vec<u8>>,
        vocab: u32,
        positions: u32,
    ) -> Result<Self, ModelError> {
        let mut lengths = Lengths::default();
        words.iter().try_for_each(|w| lengths.add(path, w.len() as u64))?;
        // Converters of Hugging Face's files count tokens among the words that come after them.
        let end = words.iter().position(|w| w == b"<|endoftext|>").unwrap_or(words.len());
        words.truncate(end);
        let times = positions + 1;
        let known = ["<|endoftext|>", "<|startoftranscript|>"];
        let asked = ["translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"];
        let taken = words.len() as u32 + (known.len() + asked.len()) as u32 + times;
        let all: Vec<&str> = LANGUAGES.split_whitespace().collect();
        let languages = vocab.checked_sub(taken).map(|n| n as usize).filter(|n| *n <= all.len());
        let Some(languages) = languages else {
            let found = format!("{vocab} entries for {} words", words.len());
            let limits = format!("{taken} and as many as there are languages, {} at most", all.len());
            return Err(bad(path, "the vocabulary", found, limits));
        };
        let named = all[..languages].iter().chain(&asked).map(|n| format!("<|{n}|>"));
        Ok(Self { words, control: known.into_iter().map(Into::into).chain(named).collect() })
    }

    /// The names of the tokens after the words: the end, the start, languages and what else is asked for.
    pub(super) fn control(&self) -> &[String] {
        &self.control
    }

    /// Whether the model knows more languages than English: those of English alone have GPT-2's words, others have one more.
    pub(super) fn is_multilingual(&self) -> bool {
        self.words.len() != ENGLISH
    }

    /// A byte-level tokenizer of them. Merges come in the order of the words that they make.
    pub(super) fn data(&self) -> TokenizerData {
        let text = |bytes: &[u8]| bytes.iter().map(|b| BYTE_CHARS[usize::from(*b)]).collect::<String>();
        let mut tokens: Vec<String> = self.words.iter().map(|w| text(w)).collect();
        let mut types = vec![TokenType::Normal; tokens.len()];
        let end = Token(tokens.len() as u32);
        tokens.extend(self.control.iter().cloned());
        types.resize(tokens.len(), TokenType::Control);
        let merges = self.merges().into_iter().map(|(a, b)| format!("{} {}", text(a), text(b)));
        TokenizerData {
            model: "gpt2".into(),
            pre: Some("gpt-2".into()),
            merges: merges.collect(),
            tokens,
            types,
            scores: Vec::new(),
            words: None,
            unigram: None,
            suffix: None,
            between: None,
            bos: None,
            unk: None,
            ends: vec![end],
            fim: FimIds([None; 6]),
            add_bos: AddBos::No,
            space_prefix: SpacePrefix::None,
            chat_template: None,
            normalization: Normalization::None,
            strips: HashMap::new(),
        }
    }

    /// The two words that each word of several bytes is made of: what is left when all earlier merges have been made in it.
    fn merges(&self) -> Vec<(&[u8], &[u8])> {
        let ranks: HashMap<&[u8], usize> = self.words.iter().enumerate().map(|(i, w)| (&w[..], i)).collect();
        let mut merges = Vec::new();
        for (id, word) in self.words.iter().enumerate().filter(|(_, w)| w.len() > 1) {
            // Where the parts begin, and the end.
            let mut cuts: Vec<usize> = (0..=word.len()).collect();
            while cuts.len() > 3 {
                let joined =
                    |i: usize| ranks.get(&word[cuts[i]..cuts[i + 2]]).copied().filter(|rank| *rank < id);
                let best = (0..cuts.len() - 2).filter_map(|i| Some((joined(i)?, i))).min();
                let Some((_, i)) = best else { break };
                cuts.remove(i + 1);
            }
            if let [_, middle, _] = cuts[..] {
                merges.push(word.split_at(middle));
            }
        }
        merges
    }

    /// The tokens that the authors' program leaves out: marks that nobody says, and what asks for something.
    pub(super) fn suppressed(&self, data: &TokenizerData) -> Result<Suppressed, TokenizerError> {
        let tokenizer = Tokenizer::new(data.clone())?;
        let encode = |text: &str| tokenizer.encode_with(text, Specials::AsText, Bos::Never);
        let end = self.words.len() as u32;
        let mut always = Vec::new();
        for (mark, first) in MARKS.split(' ').map(|m| (m, false)).chain(NOTES.split(' ').map(|n| (n, true))) {
            for text in [mark.to_owned(), format!(" {mark}")] {
                match encode(&text)?[..] {
                    [one] => always.push(one),
                    [note, ..] if first => always.push(note),
                    _ => {}
                }
            }
        }
        for text in [" -", " '"] {
            always.extend(encode(text)?.first());
        }
        let named = [
            "<|startoftranscript|>",
            "<|translate|>",
            "<|transcribe|>",
            "<|startoflm|>",
            "<|startofprev|>",
            "<|nospeech|>",
        ];
        let of = |name: &&str| self.control.iter().position(|c| c == name).map(|i| Token(end + i as u32));
        always.extend(named.iter().filter_map(of));
        always.sort_unstable();
        always.dedup();
        let mut first: Vec<Token> = encode(" ")?.first().copied().into_iter().collect();
        first.push(Token(end));
        Ok(Suppressed { always, first })
    }
}
