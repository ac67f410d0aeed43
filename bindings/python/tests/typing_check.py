"""Read by mypy, and never run: what types users see."""

from dataclasses import dataclass
from typing import assert_type

import akunu
import numpy as np
from numpy.typing import NDArray


@dataclass
class City:
    name: str


def check(model: akunu.Model, embedder: akunu.Embedder, transcriber: akunu.Transcriber) -> None:
    assert_type(model.generate("x", schema=City).parsed, City)
    assert_type(model.chat([{"role": "user", "content": "x"}], schema=City, max_tokens=5).parsed, City)
    assert_type(next(model.stream("x", temperature=0)), akunu.Piece)
    assert_type(embedder.embed("x"), NDArray[np.float32])
    assert_type(transcriber.transcribe("x.wav").segments[0].words, list[akunu.Word])
    model.generate("x", temprature=1)  # type: ignore[call-overload]
    model.generate("x", max_tokens="many")  # type: ignore[call-overload]


async def check_async(model: akunu.Model) -> None:
    assert_type((await model.stream("x", schema=City)).parsed, City)
    async for piece in model.chat_stream("x"):
        assert_type(piece.text, str)
