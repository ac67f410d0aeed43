"""Speech: what Python gives is what the command gives, whatever way the audio comes."""

import json
import os
import subprocess
import sys
import threading
import wave
from pathlib import Path

import akunu
import numpy as np
import pytest

WHISPER = os.environ["AKUNU_TINY_WHISPER"]
TONE = Path(os.environ["AKUNU_AUDIO"]) / "tone.flac"


@pytest.fixture(scope="module")
def transcriber() -> akunu.Transcriber:
    return akunu.Transcriber(WHISPER, temperatures=[0])


def noise(seconds: int) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    return (np.random.default_rng(1).standard_normal(16_000 * seconds) * 0.1).astype(np.float32)


def test_transcripts_are_those_of_the_command(transcriber: akunu.Transcriber) -> None:
    command = [sys.executable, "-m", "akunu", "transcribe", WHISPER, str(TONE), "--format", "json", "--temp", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    want = json.loads(done.stdout)
    seen: list[akunu.Segment] = []
    got = transcriber.transcribe(TONE, on_segment=seen.append)
    assert (got.text, got.language, got.cancelled, got.damage) == (want["text"], want["language"], False, None)
    assert [s.tokens for s in got.segments] == [s["tokens"] for s in want["segments"]]
    assert got.duration == pytest.approx(want["duration"], abs=1e-3)
    assert seen == got.segments and str(got) == got.text
    assert transcriber.transcribe(TONE.read_bytes()) == got


def test_words_are_those_of_the_command(transcriber: akunu.Transcriber) -> None:
    command = [sys.executable, "-m", "akunu", "transcribe", WHISPER, str(TONE), "--format", "json", "--temp", "0", "--word-timestamps"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    want = [[(w["start"], w["end"], w["word"], w["probability"]) for w in s["words"]] for s in json.loads(done.stdout)["segments"]]
    timed = akunu.Transcriber(transcriber.model, temperatures=[0], word_timestamps=True)
    seen: list[akunu.Segment] = []
    got = timed.transcribe(TONE, on_segment=seen.append)
    assert seen == got.segments and sum(len(s.words) for s in got.segments) > 1
    assert [[w.text for w in s.words] for s in got.segments] == [[text for _, _, text, _ in words] for words in want]
    for s, words in zip(got.segments, want, strict=True):
        assert "".join(str(w) for w in s.words) == s.text
        for w, (start, end, _, probability) in zip(s.words, words, strict=True):
            assert (w.start, w.end) == (pytest.approx(start, abs=1e-3), pytest.approx(end, abs=1e-3))
            assert 0 < w.probability <= 1 and w.probability == pytest.approx(probability, abs=1e-6)
    plain = transcriber.transcribe(TONE)
    assert plain.text == got.text and all(s.words == [] for s in plain.segments)


@pytest.mark.parametrize("wrong", ["yes", 2, 1.5, None])
def test_whether_words_are_asked_for_is_yes_or_no(transcriber: akunu.Transcriber, wrong: object) -> None:
    with pytest.raises(TypeError, match="word_timestamps"):
        akunu.Transcriber(transcriber.model, word_timestamps=wrong)  # type: ignore[arg-type]


def test_pieces_are_those_of_the_command(transcriber: akunu.Transcriber, tmp_path: Path) -> None:
    # Noise with pauses in it.
    pause = np.zeros(8_000, np.float32)
    sounds = np.concatenate([part for n in (4, 1, 3) for part in (noise(n), pause)])
    with wave.open(str(tmp_path / "sounds.wav"), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(np.round(sounds * 32767).astype("<i2").tobytes())
    options = ["--format", "json", "--temp", "0", "--batch", "2"]
    command = [sys.executable, "-m", "akunu", "transcribe", WHISPER, str(tmp_path / "sounds.wav"), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    want = [s["tokens"] for s in json.loads(done.stdout)["segments"]]
    for batch in (1, 3):
        pieces = akunu.Transcriber(transcriber.model, temperatures=[0], batch=batch)
        assert [s.tokens for s in pieces.transcribe(tmp_path / "sounds.wav").segments] == want
    assert [s.tokens for s in transcriber.transcribe(tmp_path / "sounds.wav").segments] != want


@pytest.mark.parametrize(("wrong", "error"), [(0, ValueError), (129, ValueError), (-1, OverflowError), (1.5, TypeError), ("8", TypeError)])
def test_how_many_pieces_is_a_number_from_1_to_128(transcriber: akunu.Transcriber, wrong: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        akunu.Transcriber(transcriber.model, batch=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["flac", "m4a", "mp3", "ogg"])
def test_bytes_are_what_their_file_is(transcriber: akunu.Transcriber, kind: str) -> None:
    path = TONE.with_suffix("." + kind)
    want, contents = transcriber.transcribe(path), path.read_bytes()
    assert want.duration > 0.4
    for given in (contents, bytearray(contents), memoryview(contents)):
        assert transcriber.transcribe(given) == want


def test_arrays_are_audio(transcriber: akunu.Transcriber) -> None:
    samples = noise(3)
    got = transcriber.transcribe(samples)
    assert got.duration == pytest.approx(3, abs=1e-3)
    as_integers = np.round(samples * 32768).clip(-32768, 32767).astype(np.int16)
    assert transcriber.transcribe(as_integers).duration == got.duration
    assert transcriber.transcribe(as_integers.astype(np.float64) / 32768) == transcriber.transcribe(as_integers)
    for wrong, error in ((samples.reshape(2, -1), ValueError), (samples.astype(np.complex64), TypeError), (samples > 0, TypeError)):
        with pytest.raises(error, match="array of audio"):
            transcriber.transcribe(wrong)


def test_what_is_no_audio_is_an_error(transcriber: akunu.Transcriber, tmp_path: Path, tiny: akunu.Model) -> None:
    # The index of an M4A file stands at its end.
    m4a = TONE.with_suffix(".m4a").read_bytes()
    for contents in (b"", bytearray(), b"RIFF", b"no audio at all" * 50, m4a[:8], m4a[: len(m4a) // 2], np.zeros(0, np.float32)):
        with pytest.raises(ValueError, match="memory"):
            transcriber.transcribe(contents)
    with pytest.raises(TypeError):
        transcriber.transcribe(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there"):
        transcriber.transcribe(tmp_path / "there.wav")
    with pytest.raises(ValueError, match="speech"):
        akunu.Transcriber(tiny)
    for options in ({"beams": 0}, {"temperatures": [-1.0]}, {"language": "klingon"}):
        with pytest.raises(ValueError):
            akunu.Transcriber(transcriber.model, **options)


def test_cancels_and_callbacks_end_it(transcriber: akunu.Transcriber) -> None:
    long = noise(95)
    whole = transcriber.transcribe(long)
    assert whole.duration == pytest.approx(95, abs=1e-3) and not whole.cancelled
    transcriber.cancel()
    cut = transcriber.transcribe(long)
    assert cut.cancelled and cut.duration < whole.duration
    assert transcriber.transcribe(long) == whole, "a cancel counts once"

    class Own(Exception):
        pass

    def on_segment(_: akunu.Segment) -> None:
        raise Own

    if whole.segments:
        with pytest.raises(Own):
            transcriber.transcribe(long, on_segment=on_segment)
    errors: list[Exception] = []

    def work() -> None:
        try:
            transcriber.transcribe(long)
        except RuntimeError as e:
            errors.append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert all("another thread" in str(e) for e in errors) and len(errors) < 4


def test_subtitles() -> None:
    segments = [akunu.Segment(0.0, 1.5, " Hello.", [], 0, 0, 0, 0), akunu.Segment(3661.25, 3662.0, " There.", [], 0, 0, 0, 0)]
    t = akunu.Transcript("en", 3662.0, segments)
    assert t.srt() == "1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\n01:01:01,250 --> 01:01:02,000\nThere.\n\n"
    assert t.vtt().startswith("WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello.\n\n")
