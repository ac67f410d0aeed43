"""Speech to text."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ._model import Model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._akunu import _Segment

#: Samples of a second of an array.
RATE = 16_000


@dataclass(frozen=True, slots=True)
class Word:
    """A word and when it is spoken. ``str(word)`` is its text."""

    #: Where it begins and ends, in seconds.
    start: float
    end: float
    #: The word with the marks around it, as a rule with a space before it; the words of a segment joined are its text.
    text: str
    #: How sure the model was: the mean of the probabilities of its tokens as they were drawn. Marks around the word do not count.
    probability: float

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of speech and its text. ``str(segment)`` is its text."""

    #: Where it begins and ends, in seconds.
    start: float
    end: float
    #: Its text, as a rule with a space before it.
    text: str
    #: Its tokens, those of time among them.
    tokens: list[int]
    #: The temperature that its window of 30 seconds was decoded at.
    temperature: float
    #: Mean log-probability of the window's tokens.
    avg_logprob: float
    #: How much gzip shrinks the window's text.
    compression_ratio: float
    #: Probability that nobody speaks in the window.
    no_speech_prob: float
    #: Its words, where the transcriber was made with ``word_timestamps=True``; it then begins and ends with them.
    words: list[Word] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said. ``str(transcript)`` is its text."""

    #: The language, as two or three letters; empty where nothing was heard.
    language: str
    #: Seconds of audio that were heard.
    duration: float
    segments: list[Segment] = field(default_factory=list)
    #: What of the audio could not be decoded, if anything.
    damage: str | None = None
    #: It ended before the audio, since it was cancelled.
    cancelled: bool = False

    @property
    def text(self) -> str:
        """The texts of all segments."""
        return "".join(s.text for s in self.segments)

    def __str__(self) -> str:
        return self.text

    def srt(self) -> str:
        """Subtitles as SubRip has them."""
        return "".join(f"{i}\n{_span(s, ',')}\n{s.text.strip()}\n\n" for i, s in enumerate(self.segments, 1))

    def vtt(self) -> str:
        """Subtitles as WebVTT has them."""
        return "WEBVTT\n\n" + "".join(f"{_span(s, '.')}\n{s.text.strip()}\n\n" for s in self.segments)


class Transcriber:
    """Makes text of audio with a model of speech, as Whisper is. One thread uses it at a time.

    ``language`` is two or three letters, ``None`` asks the model. ``translate`` makes an English text, whatever is spoken. ``initial_prompt``
    stands before the first window of 30 seconds: names, spelling, style. ``previous_text=False`` decodes each window for itself.
    ``temperatures`` are tried in turn until a window went well, ``beams`` texts are followed at temperature 0. ``word_timestamps=True`` says of
    each word when it is spoken (:attr:`Segment.words`); the text stays as it is. ``batch=8`` hears eight pieces of a file at once: it is cut in
    pauses first, into pieces of 30 seconds at most, of which each stands for itself, so that names may be spelled in two ways and words beside
    a cut may be others. ``None`` hears window after window. Other keywords are :class:`Model`'s.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | Model,
        *,
        language: str | None = None,
        translate: bool = False,
        initial_prompt: str | None = None,
        previous_text: bool = True,
        temperatures: Sequence[float] | None = None,
        beams: int = 1,
        seed: int = 0,
        word_timestamps: bool = False,
        batch: int | None = None,
        **load: Any,
    ) -> None:
        self.model = model if isinstance(model, Model) else Model(model, **load)
        self._transcriber = self.model._model.transcriber(
            language=language,
            translate=translate,
            initial_prompt=initial_prompt,
            previous_text=previous_text,
            temperatures=None if temperatures is None else list(temperatures),
            beams=beams,
            seed=seed,
            word_timestamps=word_timestamps,
            batch=batch,
        )

    def transcribe(
        self,
        audio: str | os.PathLike[str] | bytes | bytearray | memoryview | NDArray[Any],
        *,
        on_segment: Callable[[Segment], object] | None = None,
    ) -> Transcript:
        """Transcribes a file (WAV, FLAC, MP3, Ogg Vorbis, M4A), the bytes of one, or an array of one channel at 16 kHz.

        Arrays of integers are scaled by their type's range; numbers with a point are from -1 to 1. ``on_segment`` is called with each segment
        as it is complete.
        """
        path: str | None = None
        contents: bytes | None = None
        if isinstance(audio, (bytes, bytearray, memoryview)):
            contents = bytes(audio)
        elif isinstance(audio, np.ndarray):
            contents = _wav(audio)
        else:
            path = os.fspath(audio)
        tell = None if on_segment is None else lambda shown: on_segment(_segment(shown))
        language, duration, segments, damage, cancelled = self._transcriber.transcribe(path, contents, tell)
        return Transcript(language, duration, [_segment(s) for s in segments], damage, cancelled)

    def cancel(self) -> None:
        """Ends what runs, or what runs next where nothing does, after the window under way. From any thread."""
        self._transcriber.cancel()


def _segment(shown: _Segment) -> Segment:
    return Segment(*shown[:8], words=[Word(*w) for w in shown[8]])


def _wav(samples: NDArray[Any]) -> bytes:
    if samples.ndim != 1:
        raise ValueError(f"the array of audio has the shape {samples.shape}; give one channel, [samples]")
    if samples.dtype.kind == "i":
        samples = samples / -float(np.iinfo(samples.dtype).min)
    elif samples.dtype.kind != "f":
        raise TypeError(f"the array of audio is of {samples.dtype}; give signed integers, or floats from -1 to 1")
    data = samples.astype("<f4").tobytes()
    if len(data) > 2**32 - 64:
        raise ValueError("the array of audio is longer than 18 hours; give a part of it at a time")
    # 3 is for floats.
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, 1, RATE, 4 * RATE, 4, 32)
    return struct.pack("<4sI4s", b"RIFF", 36 + len(data), b"WAVE") + form + struct.pack("<4sI", b"data", len(data)) + data


def _span(s: Segment, point: str) -> str:
    def clock(seconds: float) -> str:
        ms = round(max(0.0, seconds) * 1000)
        return f"{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02}{point}{ms % 1000:03}"

    return f"{clock(s.start)} --> {clock(s.end)}"
