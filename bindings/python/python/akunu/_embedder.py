"""Vectors of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from ._model import Model

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Embedder:
    """Makes vectors of texts with an encoder, as BERT and MiniLM are.

    ``dimensions`` cuts vectors, for models that were trained for that. ``truncate`` cuts texts that are longer than the model reads, which
    are an error otherwise. ``prompt`` is the name of the model's prompt that comes before every text. Other keywords are :class:`Model`'s.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | Model,
        *,
        dimensions: int | None = None,
        truncate: bool = False,
        prompt: str | None = None,
        **load: Any,
    ) -> None:
        self.model = model if isinstance(model, Model) else Model(model, **load)
        self._embedder = self.model._model.embedder(dimensions, truncate, prompt)

    @property
    def dimensions(self) -> int:
        """Values of a vector."""
        return self._embedder.dimensions

    @property
    def max_tokens(self) -> int:
        """The most tokens of a text."""
        return self._embedder.max_tokens

    @overload
    def embed(self, texts: str) -> NDArray[np.float32]: ...
    @overload
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...
    def embed(self, texts: str | Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts, ``[texts, dimensions]``; of one text, ``[dimensions]``."""
        values, width = self._embedder.embed([texts] if isinstance(texts, str) else list(texts))
        return values if isinstance(texts, str) else values.reshape(-1, width)
