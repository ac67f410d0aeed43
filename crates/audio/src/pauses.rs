//! Where audio can be cut: pauses, found in the frames that a model reads. What the model cannot hear counts for nothing here either.

/// Frames that a pause has at least: 0.3 s, more than the closure of a consonant and less than what is between two sentences.
const PAUSE: usize = 30;
/// Frames of a pause that are left before the sound after it: a model that hears nothing before a word's first sound mistakes it.
const ATTACK: usize = 3;

/// How the next frames of audio are best taken ([`crate::Spectrogram::stretch`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// In so many frames there is nothing that a model could hear.
    Silence(usize),
    /// So many frames make a piece: it ends in a pause, or with the audio.
    Sound(usize),
}

/// How many of the first frames, `[frames, mels]`, have no value above the floor.
pub(crate) fn silent(frames: &[f32], mels: usize, floor: f32) -> usize {
    frames.chunks_exact(mels).take_while(|f| f.iter().all(|v| *v <= floor)).count()
}

/// Where the quietest pause among the frames from `from` on ends, and of equally quiet ones the last. Just before its end: the pause belongs to
/// what was said before it, and the next sound has its beginning. As loud as a frame is what of its values is above the floor: a hiss in a few
/// bins is speech, a click in a few frames is none.
pub(crate) fn quietest(frames: &[f32], mels: usize, floor: f32, from: usize) -> usize {
    let loudness = |f: &[f32]| f.iter().map(|v| f64::from(v - floor).max(0.0)).sum::<f64>();
    let loud: Vec<f64> = frames.chunks_exact(mels).skip(from).map(loudness).collect();
    let width = PAUSE.min(loud.len());
    let mut best = (f64::INFINITY, 0);
    for (at, pause) in loud.windows(width.max(1)).enumerate() {
        // (Summed anew each time: a running sum would not find two silent pauses equal.)
        let sum: f64 = pause.iter().sum();
        if sum <= best.0 {
            best = (sum, at);
        }
    }
    from + best.1 + width.saturating_sub(ATTACK).max(width.min(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MELS: usize = 4;

    /// Frames as loud as these.
    fn frames(levels: impl IntoIterator<Item = f32>) -> Vec<f32> {
        levels.into_iter().flat_map(|v| [v; MELS]).collect()
    }

    #[test]
    fn the_quietest_pause_is_found() {
        let level = |i: usize| match i {
            // Quieter, but too short; then a pause; and one as quiet before the place where the search begins.
            240..245 => -9.0,
            20..60 | 260..300 => -4.0,
            _ => 0.0,
        };
        let sound = frames((0..300).map(level));
        assert_eq!(quietest(&sound, MELS, -8.0, 100), 297);
        assert_eq!(quietest(&sound, MELS, -8.0, 0), 297);
        assert_eq!(quietest(&sound[..270 * MELS], MELS, -8.0, 0), 57);
        // Of two that are silent the last one, since longer pieces are fewer.
        let two = frames((0..200).map(|i| if (50..90).contains(&i) || i > 150 { -20.0 } else { 0.0 }));
        assert_eq!(quietest(&two, MELS, -8.0, 0), 197);
    }

    #[test]
    fn less_than_a_pause_is_cut_somewhere() {
        for n in 0..40 {
            let at = quietest(&frames(vec![1.0; n]), MELS, -8.0, n / 2);
            assert!(at <= n && (n == 0 || at > n / 2), "{at} of {n}");
        }
    }

    #[test]
    fn silence_is_what_no_value_rises_above() {
        let mut sound = frames(vec![-9.0; 10]);
        assert_eq!(silent(&sound, MELS, -8.0), 10);
        sound[7 * MELS + 2] = -7.9;
        assert_eq!(
            (silent(&sound, MELS, -8.0), silent(&sound, MELS, -9.5), silent(&[], MELS, 0.0)),
            (7, 0, 0)
        );
    }
}
