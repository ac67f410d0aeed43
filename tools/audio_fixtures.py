#!/usr/bin/env python3
"""Half a second of a tone in every format that is read, for the tests of `audio`.

    python tools/audio_fixtures.py    rewrites tests/fixtures/audio

Needs `pip install av numpy` (FFmpeg's libraries)."""
import fractions
import pathlib
import av
import numpy as np

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "audio"
RATE, HZ = 22050, 440.0
FILES = {"tone.mp3": ("mp3", "mp3", "fltp"), "tone.flac": ("flac", "flac", "s16"), "tone.ogg": ("ogg", "vorbis", "fltp"),
         "tone.m4a": ("ipod", "aac", "fltp")}


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    tone = 0.5 * np.sin(2 * np.pi * HZ * np.arange(RATE // 2) / RATE)
    for name, (container, codec, form) in FILES.items():
        # Without the writer's name and version, which change from one to the next.
        with av.open(str(OUT / name), "w", format=container, container_options={"fflags": "+bitexact"}) as out:
            stream = out.add_stream(codec, rate=RATE, options={"flags": "+bitexact", "strict": "experimental"})
            stream.layout = "stereo"
            stereo = np.stack([tone, tone])
            data = (stereo.T.reshape(1, -1) * 32767).astype(np.int16) if form == "s16" else stereo.astype(np.float32)
            frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(data), format=form, layout="stereo")
            frame.sample_rate, frame.pts, frame.time_base = RATE, 0, fractions.Fraction(1, RATE)
            fifo = av.AudioFifo()
            fifo.write(frame)
            size = stream.codec_context.frame_size or 1024
            while (part := fifo.read(size)) or (part := fifo.read(size, partial=True)):
                for packet in stream.encode(part):
                    out.mux(packet)
            for packet in stream.encode(None):
                out.mux(packet)
        (OUT / name).chmod(0o644)


main()
