"""What a generation gives: pieces as they come, and the whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

T = TypeVar("T")

FinishReason = Literal["eos", "length", "stop", "cancelled", "context_full", "not_finite", "stuck"]


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A drawn token's log-probability: of the model's own logits, before all samplers."""

    token: int
    logprob: float
    #: The likeliest tokens in its place with theirs, best first.
    top: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that the model asks for."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer. ``str(piece)`` is its text."""

    #: Text of the answer, thoughts before it, or a call of a tool.
    kind: Literal["text", "thought", "tool_call"]
    #: Whole characters; empty for a call.
    text: str
    #: The tokens that were drawn since the piece before. Their text may come in a later piece.
    tokens: tuple[int, ...] = ()
    #: Of each of them, where ``logprobs=`` asks for it.
    logprobs: tuple[TokenLogprob, ...] = ()
    #: The call, where it is one.
    call: ToolCall | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Generation(Generic[T]):
    """What was generated. ``str(generation)`` is its text."""

    #: The answer, without stop strings and thoughts.
    text: str = ""
    #: All tokens, with those of a stop string and the end-of-sequence token.
    tokens: list[int] = field(default_factory=list)
    #: Why it ended.
    finish_reason: FinishReason = "cancelled"
    #: What the model thought before it answered, in a conversation.
    thoughts: str = ""
    #: Tools that are to be called.
    tool_calls: list[ToolCall] = field(default_factory=list)
    #: Of each token, where ``logprobs=`` asks for it.
    logprobs: list[TokenLogprob] = field(default_factory=list)
    #: Tokens of the prompt, and those of them that were found in the KV cache.
    prompt_tokens: int = 0
    reused_tokens: int = 0
    #: Seconds until it first ran, from then to its first token, and from there to its end.
    seconds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    _parse: Callable[[Any], T] | None = field(default=None, repr=False, compare=False)

    @property
    def parsed(self) -> T:
        """The answer as what ``schema=`` asked for: an object of that class, or what JSON says."""
        if self._parse is None:
            raise ValueError("the generation had no schema; give one with schema=")
        try:
            value = json.loads(self.text)
        except ValueError as e:
            raise ValueError(
                f"the answer is no whole JSON, it ended with {self.finish_reason!r}; allow more tokens"
            ) from e
        return self._parse(value)

    @property
    def message(self) -> dict[str, Any]:
        """The answer as a message, to be appended to the conversation."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.tool_calls:
            message["tool_calls"] = [
                {"type": "function", "function": {"name": c.name, "arguments": c.arguments}} for c in self.tool_calls
            ]
        return message

    @property
    def tokens_per_second(self) -> float:
        """Tokens after the first, by the time that they took."""
        drawn, seconds = len(self.tokens) - 1, self.seconds[2]
        return drawn / seconds if drawn > 0 and seconds > 0 else 0.0

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        rate = f", {self.tokens_per_second:.1f} tokens/s" if self.tokens_per_second else ""
        note = f"{len(self.tokens)} tokens{rate}, {self.finish_reason}"
        return f"{self.text}\n\n<sub>{note}</sub>"
