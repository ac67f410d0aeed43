"""One sequence, token by token."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from . import _akunu, _options
from ._generation import Generation, TokenLogprob
from ._options import Options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class CommandTime:
    """A command of a measured step."""

    #: Which: ``layers.3.attention.qkv``.
    label: str
    #: What it is a part of in every layer: ``attention.qkv``.
    group: str
    kernel: str
    #: Median seconds.
    seconds: float
    #: The least bytes that it reads and writes, and its least operations.
    bytes: int
    flops: int


class Session:
    """One sequence with a KV cache: tokens are appended, drawn, taken back and saved. For one thread at a time; :meth:`cancel` is for any.

    Unlike a model's ``generate``, which runs together with others, a session computes on the thread that calls it.
    """

    def __init__(self, model: _akunu.Model, draft_tokens: int) -> None:
        self._session = model.session(draft_tokens)
        self._vocabulary, self._width = model.vocabulary, model.width

    def append(self, prompt: str | Iterable[int]) -> None:
        """Appends a text or token ids. Nothing runs before something is asked for."""
        if isinstance(prompt, str):
            self._session.append_text(prompt)
        else:
            self._session.append(list(prompt))

    def decode(self, **options: Unpack[Options]) -> list[int]:
        """Draws tokens after those that are there. Called again it goes on."""
        return self._session.decode(_options.read(None, options)[0])[0]

    def generate(
        self, *, on_text: Callable[[str], object] | None = None, **options: Unpack[Options]
    ) -> Generation[Any]:
        """Draws text after what is there. ``on_text`` is called with the first piece at once, then with what has come within 16 ms, and at the
        end with the rest; what it raises ends the call. Called again it goes on."""
        tokens, text, finish, tops, prompt, seconds = self._session.generate(_options.read(None, options)[0], on_text)
        # Forced tokens of a grammar may have none.
        probs = [TokenLogprob(t, p[0], tuple(p[1])) for t, p in zip(tokens, tops or [], strict=False)]
        return Generation(
            text=text,
            tokens=tokens,
            finish_reason=finish,  # type: ignore[arg-type]
            logprobs=probs,
            prompt_tokens=prompt,
            seconds=(0.0, *seconds),
        )

    def logits(self) -> NDArray[np.float32]:
        """Logits of what comes next, ``[vocabulary]``. The memory is the array's own: nothing is copied."""
        return self._session.logits()

    def logits_of(self, tokens: Iterable[int]) -> NDArray[np.float32]:
        """Logits after each of these tokens, ``[tokens, vocabulary]``. The session is emptied before."""
        return self._session.rows(list(tokens), False).reshape(-1, self._vocabulary)

    def hidden_states(self, tokens: Iterable[int]) -> NDArray[np.float32]:
        """What the output head reads at each of these tokens, ``[tokens, width]``. The session is emptied before."""
        return self._session.rows(list(tokens), True).reshape(-1, self._width)

    @property
    def tokens(self) -> list[int]:
        """The tokens so far."""
        return self._session.tokens

    def __len__(self) -> int:
        return self._session.position

    def rewind(self, position: int) -> None:
        """Drops all tokens from that position on."""
        self._session.rewind(position)

    def shift(self, keep: int, count: int) -> None:
        """Drops ``count`` tokens after the first ``keep``, and moves the rest down."""
        self._session.shift(keep, count)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves the tokens and what was computed of them."""
        self._session.save(path)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Takes the place of what is there with what a file has, which was saved by a session of the same model."""
        self._session.load(path)

    def cancel(self) -> None:
        """Ends what runs in the session, or what runs next, from any thread."""
        self._session.cancel()

    def profile(self, *, rows: int = 1, position: int = 128, repeats: int = 5) -> list[CommandTime]:
        """Measures a step of so many tokens that ends at that position, command by command. The session is emptied."""
        return [CommandTime(*row) for row in self._session.profile(rows, position, repeats)[0]]
