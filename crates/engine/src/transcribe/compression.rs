//! How much a text repeats itself.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// Bytes of a text to bytes of what zlib makes of it.
pub(super) fn ratio(text: &str) -> f32 {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    // (Writing to a vector does not fail.)
    let packed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    packed.map_or(1.0, |p| text.len() as f32 / p.len().max(1) as f32)
}

#[cfg(test)]
mod tests {
    use super::ratio;

    #[test]
    fn what_repeats_itself_is_told_from_what_does_not() {
        let sentence = "He was not an ill-disposed young man, unless to be rather cold-hearted is to be so.";
        assert!(ratio(sentence) < 1.5 && ratio("") < 1.0);
        assert!(ratio(&"and so on ".repeat(20)) > 2.4);
    }
}
