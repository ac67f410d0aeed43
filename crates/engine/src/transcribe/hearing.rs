//! Windows beside each other: which are encoded next, how they are decoded together, and what each gives.

use super::courses::{Course, Next, Recording, Said};
use super::window::{Decoded, Decoder};
use super::{Condition, Event, Heard, Transcriber, Words, segments};
use crate::Error;
use crate::decoded::Control;
use akunu_audio::{Audio, Spectrogram};
use akunu_kernels::step::Token;

/// Files to be heard, by their numbers.
type Files<'a> = dyn Iterator<Item = (usize, Result<Audio, Error>)> + 'a;
/// Who is told.
type Events<'a> = dyn FnMut(usize, Event<'_>) -> Control + 'a;

/// A file that was begun and those of its parts that are decoded now, in their order.
struct Open {
    recording: Recording,
    courses: Vec<Course>,
}

impl Open {
    /// Takes what a part says and tells what is next in time.
    fn tell(
        &mut self,
        part: usize,
        said: impl IntoIterator<Item = Said>,
        events: &mut Events<'_>,
    ) -> Control {
        let number = self.recording.number;
        self.recording.tell(part, said, &mut |heard: Heard<'_>| events(number, Event::Heard(heard)))
    }
}

/// All that is decoded now. It holds as many windows as there are sources.
struct Hall {
    free: Vec<u32>,
    open: Vec<Open>,
}

impl Hall {
    fn is_empty(&self) -> bool {
        self.open.iter().all(|o| o.courses.is_empty())
    }

    /// Lets go of files that were told to their ends.
    fn close(&mut self, events: &mut Events<'_>) -> Control {
        while let Some(at) = self.open.iter().position(|o| o.recording.is_over()) {
            let recording = self.open.remove(at).recording;
            let number = recording.number;
            if events(number, Event::Ended(recording.ended())) == Control::Stop {
                return Control::Stop;
            }
        }
        Control::Continue
    }
}

impl Transcriber {
    /// Transcribes files. What is left of those that were begun, where somebody asked to stop.
    pub(super) fn run(
        &mut self,
        files: &mut Files<'_>,
        events: &mut Events<'_>,
    ) -> Result<Vec<Recording>, Error> {
        let sources = self.listener.sources().min(self.options.windows);
        let mut hall = Hall { free: (0..sources).rev().collect(), open: Vec::new() };
        while self.round(&mut hall, files, events)? == Control::Continue {
            if hall.is_empty() {
                return Ok(Vec::new());
            }
        }
        Ok(hall.open.into_iter().map(|o| o.recording).collect())
    }

    /// Decodes a window of each part: of those that go on, and of new ones as far as there is room.
    fn round(
        &mut self,
        hall: &mut Hall,
        files: &mut Files<'_>,
        events: &mut Events<'_>,
    ) -> Result<Control, Error> {
        for open in &mut hall.open {
            for course in std::mem::take(&mut open.courses) {
                let source = course.source;
                let control = self.go_on(open, course, events)?;
                if open.courses.last().is_none_or(|c| c.source != source) {
                    hall.free.push(source);
                }
                if control == Control::Stop {
                    return Ok(Control::Stop);
                }
            }
        }
        if self.admit(hall, files, events)? == Control::Stop {
            return Ok(Control::Stop);
        }
        let decoded = self.decode_all(&hall.open)?;
        let mut decoded = decoded.iter();
        for Open { recording, courses } in &mut hall.open {
            for (course, best) in courses.iter_mut().zip(&mut decoded) {
                let said = self.take(recording, course, best)?;
                let number = recording.number;
                let mut heard = |heard: Heard<'_>| events(number, Event::Heard(heard));
                if recording.tell(course.part, said, &mut heard) == Control::Stop {
                    return Ok(Control::Stop);
                }
            }
        }
        Ok(Control::Continue)
    }

    /// Begins parts while there is room for them: of the files that were begun, then of others.
    fn admit(
        &mut self,
        hall: &mut Hall,
        files: &mut Files<'_>,
        events: &mut Events<'_>,
    ) -> Result<Control, Error> {
        let (mels, most) = (self.mels(), self.frames.len() / self.mels());
        loop {
            if hall.close(events) == Control::Stop {
                return Ok(Control::Stop);
            }
            let Some(source) = hall.free.last().copied() else { return Ok(Control::Continue) };
            let nobody = hall.is_empty();
            let Some(open) = hall.open.iter_mut().find(|o| o.recording.goes_on()) else {
                let Some((number, audio)) = files.next() else { return Ok(Control::Continue) };
                match audio.and_then(|audio| self.recording(number, audio)) {
                    Ok(recording) => hall.open.push(Open { recording, courses: Vec::new() }),
                    Err(e) => {
                        if events(number, Event::Ended(Err(e))) == Control::Stop {
                            return Ok(Control::Stop);
                        }
                    }
                }
                continue;
            };
            match open.recording.next(self.options.cut, most, mels) {
                Next::End => {}
                Next::Silence(part, frames) => {
                    let said = [Said::Until(open.recording.seconds()), Said::End];
                    if open.tell(part, said, events) == Control::Stop {
                        return Ok(Control::Stop);
                    }
                    // Who is in the hall does not wait until a long silence is over.
                    if frames == most && !nobody {
                        return Ok(Control::Continue);
                    }
                }
                Next::Part(part, piece) => {
                    let course = Course::new(&open.recording, part, piece, source);
                    let before = open.courses.len();
                    let control = self.go_on(open, course, events)?;
                    if open.courses.len() > before {
                        hall.free.pop();
                    }
                    if control == Control::Stop {
                        return Ok(Control::Stop);
                    }
                }
            }
        }
    }

    fn mels(&self) -> usize {
        self.model.config().audio.as_ref().map_or(1, |a| a.mels.max(1)) as usize
    }

    fn recording(&self, number: usize, audio: Audio) -> Result<Recording, Error> {
        let language = match &self.options.language {
            Some(name) => Some(self.control.language(name)?),
            None => self.control.only_language(),
        };
        let spectrogram = Spectrogram::new(audio, self.mels());
        let mut recording = Recording::new(number, spectrogram, language, self.initial_tokens()?);
        if let Some(known) = language {
            recording.out.language = self.control.name_of(known);
        }
        Ok(recording)
    }

    /// Puts a part among those that are decoded, with its next window; or ends it where there is none.
    fn go_on(
        &mut self,
        open: &mut Open,
        mut course: Course,
        events: &mut Events<'_>,
    ) -> Result<Control, Error> {
        if self.listen(&mut open.recording, &mut course)? {
            open.courses.push(course);
            return Ok(Control::Continue);
        }
        Ok(open.tell(course.part, [Said::End], events))
    }

    /// Encodes a part's next window, and finds out the file's language where nobody knows it; false where the part has ended.
    fn listen(&mut self, r: &mut Recording, c: &mut Course) -> Result<bool, Error> {
        match c.window(r, &mut self.frames) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(e) => {
                r.fail(e);
                return Ok(false);
            }
        }
        self.listener.encode(c.source, &self.frames)?;
        if r.language.is_none() {
            let found = self.detect(c.source)?;
            r.language = Some(found);
            r.out.language = self.control.name_of(found);
        }
        Ok(true)
    }

    /// Decodes the windows of all parts: greedily all of them together, and each that went wrong alone, at one temperature after the other
    /// until it went well.
    fn decode_all(&mut self, open: &[Open]) -> Result<Vec<Decoded>, Error> {
        let mut texts: Vec<(u32, Vec<Token>)> = Vec::new();
        for Open { recording, courses } in open {
            let language = recording.language.flatten();
            texts.extend(courses.iter().map(|c| (c.source, self.prompt(&c.text[c.since..], language))));
        }
        let mut decoder = Decoder {
            listener: &mut self.listener,
            rules: &self.rules,
            control: &self.control,
            tokenizer: self.model.inner.tokenizer()?,
        };
        let o = &self.options;
        let greedy = o.beams == 1 && o.temperatures.first() == Some(&0.0) && !texts.is_empty();
        let first: Vec<Option<Decoded>> = match greedy {
            true => {
                let all: Vec<_> = texts.iter().map(|(source, prompt)| (*source, prompt.as_slice())).collect();
                decoder.greedy(&all)?.into_iter().map(Some).collect()
            }
            false => vec![None; texts.len()],
        };
        let mut found = Vec::with_capacity(texts.len());
        for ((source, prompt), first) in texts.iter().zip(first) {
            found.push(decoder.until_well(*source, prompt, first, o)?);
        }
        Ok(found)
    }

    /// Takes what a window gave: segments, and where the part's next window begins.
    pub(super) fn take(
        &mut self,
        r: &mut Recording,
        c: &mut Course,
        best: &Decoded,
    ) -> Result<Vec<Said>, Error> {
        let offset = Spectrogram::seconds(c.first(r));
        let silent = best.is_silent(&self.options);
        let (mut pieces, ahead) = segments::split(&best.tokens, self.control.first_time, c.frames);
        if c.is_piece() {
            segments::keep_within(&mut pieces, c.frames);
        }
        let (mut segments, mut logprobs) = (Vec::new(), Vec::new());
        for piece in pieces.into_iter().filter(|_| !silent) {
            let own = &best.logprobs[piece.from..][..piece.tokens.len()];
            let segment = self.segment(piece, offset, best)?;
            if !segment.text.trim().is_empty() && segment.start < segment.end {
                segments.push(segment);
                logprobs.push(own);
            }
        }
        if self.options.words == Words::Timed {
            self.time_words(r.language.flatten(), c, &mut segments, &logprobs, offset)?;
        }
        c.text.extend(segments.iter().flat_map(|s| &s.tokens));
        if self.options.condition == Condition::Nothing || best.temperature > 0.5 {
            c.since = c.text.len();
        }
        c.skip(r, if silent { c.frames } else { ahead });
        let until = Said::Until(Spectrogram::seconds(c.first(r)));
        Ok(segments.into_iter().map(Said::Segment).chain([until]).collect())
    }
}
