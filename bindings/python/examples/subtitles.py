"""Subtitles for a recording: ``python subtitles.py MODEL RECORDING [LANGUAGE] > subtitles.srt``. Shows them as they come, too."""

import sys

import akunu


def main(name: str, recording: str, language: str | None = None) -> None:
    transcriber = akunu.Transcriber(name, language=language)
    transcript = transcriber.transcribe(recording, on_segment=lambda s: print(f"{s.start:8.2f} {s.text}", file=sys.stderr))
    print(transcript.srt(), end="")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
