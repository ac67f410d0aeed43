"""How to generate."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from . import _schema


class Options(TypedDict, total=False):
    """How to generate. What is not given is as the model's author recommends, or llama.cpp's default."""

    #: The most tokens to draw.
    max_tokens: int | None
    #: Softmax temperature; 0 takes the likeliest token.
    temperature: float | None
    top_k: int | None
    top_p: float | None
    min_p: float | None
    typical_p: float | None
    top_n_sigma: float | None
    xtc_probability: float | None
    xtc_threshold: float | None
    repeat_penalty: float | None
    repeat_last_n: int | None
    presence_penalty: float | None
    frequency_penalty: float | None
    dry_multiplier: float | None
    dry_base: float | None
    dry_allowed_length: int | None
    dry_penalty_last_n: int | None
    mirostat: int | None
    mirostat_tau: float | None
    mirostat_eta: float | None
    #: The samplers that take part, in their order, with ``;`` between them.
    samplers: str | None
    #: Added to tokens' logits; minus infinity bans a token.
    logit_bias: Mapping[int, float] | None
    #: Log-probabilities of drawn tokens, with so many of the likeliest beside each, at most 20.
    logprobs: int | None
    #: The same seed gives the same text; ``None`` draws one.
    seed: int | None
    #: Strings that end the text and are not part of it.
    stop: str | Sequence[str] | None
    #: Takes end-of-sequence tokens for tokens like any other.
    ignore_eos: bool | None
    #: A regular expression that the whole text matches.
    regex: str | None
    #: A grammar in GBNF, or in llguidance's variant of Lark.
    grammar: str | None
    #: What happens where the context is full: it ends, or old tokens are dropped but for the first ``keep``.
    overflow: Literal["end", "shift"] | None
    keep: int | None
    #: Tokens of thoughts before the answer, at most.
    reasoning_budget: int | None
    #: Higher goes first.
    priority: int | None


def read(schema: Any, options: Options) -> tuple[dict[str, Any], Callable[[Any], Any] | None]:
    """Options as the native half takes them, and what reads the answer, where it follows a schema."""
    found: dict[str, Any] = dict(options)
    parse = None
    if schema is not None:
        found["schema"], parse = _schema.read(schema)
    if found.get("seed") is None:
        found["seed"] = secrets.randbits(48)
    return found, parse
