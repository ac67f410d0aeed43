"""A loaded model."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, TypeVar, Unpack, overload

from . import _akunu, _options, _progress, _schema
from ._generation import Generation
from ._options import Options
from ._session import Session
from ._stream import Stream

T = TypeVar("T")

#: A text, or token ids.
Prompt = str | Sequence[int]
#: A conversation, oldest message first; a text is one message of the user.
Messages = str | Sequence[Mapping[str, Any]]
#: Functions with annotated parameters, or tools as OpenAI writes them.
Tools = Sequence[Callable[..., Any] | Mapping[str, Any]]


class Model:
    """A loaded model. Any number of threads and tasks may use it at once; their requests run together.

    ``name`` is a GGUF file, a directory of safetensors files, an alias (``smollm2``) or ``hf:owner/repo[:file]``. ``context`` is the most
    tokens of a sequence, ``sequences`` the most that run at a time, ``cache_tokens`` what the KV cache holds of all of them.
    ``progress`` is called with a phase (``fetch``, ``load``), bytes that are done, and bytes in all; ``None`` shows downloads on a
    terminal and in a notebook.
    """

    def __init__(
        self,
        name: str | os.PathLike[str],
        *,
        device: str = "auto",
        context: int | None = None,
        threads: int | None = None,
        cache_type_k: str | None = None,
        cache_type_v: str | None = None,
        sequences: int | None = None,
        cache_tokens: int | None = None,
        deterministic: bool = False,
        draft_tokens: int = 0,
        progress: Callable[[str, int, int], object] | None = None,
    ) -> None:
        self.name = os.fspath(name)
        with _progress.shown(self.name, progress) as told:
            self._model = _akunu.Model(
                self.name,
                device=device,
                context=context,
                threads=threads,
                cache_type_k=cache_type_k,
                cache_type_v=cache_type_v,
                sequences=sequences,
                cache_tokens=cache_tokens,
                deterministic=deterministic,
                draft_tokens=draft_tokens,
                progress=told,
            )

    @overload
    def stream(self, prompt: Prompt, *, schema: type[T], **options: Unpack[Options]) -> Stream[T]: ...
    @overload
    def stream(self, prompt: Prompt, *, schema: Any = None, **options: Unpack[Options]) -> Stream[Any]: ...
    def stream(self, prompt: Prompt, *, schema: Any = None, **options: Unpack[Options]) -> Stream[Any]:
        """Goes on from a text, piece by piece. In an event loop ``await model.stream(...)`` gives the whole."""
        given, parse = _options.read(schema, options)
        tokens = prompt if isinstance(prompt, str) else list(prompt)
        return Stream(self._model.submit(tokens, given), parse)

    @overload
    def generate(self, prompt: Prompt, *, schema: type[T], **options: Unpack[Options]) -> Generation[T]: ...
    @overload
    def generate(self, prompt: Prompt, *, schema: Any = None, **options: Unpack[Options]) -> Generation[Any]: ...
    def generate(self, prompt: Prompt, *, schema: Any = None, **options: Unpack[Options]) -> Generation[Any]:
        """Goes on from a text: a plain continuation, without a chat template."""
        return self.stream(prompt, schema=schema, **options).result()

    def batch(
        self, prompts: Iterable[Prompt], *, schema: Any = None, **options: Unpack[Options]
    ) -> list[Generation[Any]]:
        """Goes on from many texts at once, in their order."""
        streams = [self.stream(prompt, schema=schema, **options) for prompt in prompts]
        return [stream.result() for stream in streams]

    @overload
    def chat_stream(
        self,
        messages: Messages,
        *,
        schema: type[T],
        tools: Tools | None = None,
        tool_choice: str | None = None,
        **options: Unpack[Options],
    ) -> Stream[T]: ...
    @overload
    def chat_stream(
        self,
        messages: Messages,
        *,
        schema: Any = None,
        tools: Tools | None = None,
        tool_choice: str | None = None,
        **options: Unpack[Options],
    ) -> Stream[Any]: ...
    def chat_stream(
        self,
        messages: Messages,
        *,
        schema: Any = None,
        tools: Tools | None = None,
        tool_choice: str | None = None,
        **options: Unpack[Options],
    ) -> Stream[Any]:
        """Answers a conversation, piece by piece; see :meth:`chat`."""
        given, parse = _options.read(schema, options)
        answer = self._model.submit_chat(_messages(messages), _tools(tools), tool_choice, given)
        return Stream(answer, parse)

    @overload
    def chat(
        self,
        messages: Messages,
        *,
        schema: type[T],
        tools: Tools | None = None,
        tool_choice: str | None = None,
        **options: Unpack[Options],
    ) -> Generation[T]: ...
    @overload
    def chat(
        self,
        messages: Messages,
        *,
        schema: Any = None,
        tools: Tools | None = None,
        tool_choice: str | None = None,
        **options: Unpack[Options],
    ) -> Generation[Any]: ...
    def chat(
        self,
        messages: Messages,
        *,
        schema: Any = None,
        tools: Tools | None = None,
        tool_choice: str | None = None,
        **options: Unpack[Options],
    ) -> Generation[Any]:
        """Answers a conversation with the model's chat template.

        ``tools`` are functions with annotated parameters, or tools as OpenAI writes them; ``tool_choice`` is ``auto``, ``required``, or the
        name of the tool that must be called. What is to be called is in :attr:`Generation.tool_calls`.
        """
        stream = self.chat_stream(messages, schema=schema, tools=tools, tool_choice=tool_choice, **options)
        return stream.result()

    def render(self, messages: Messages, tools: Tools | None = None) -> str:
        """A conversation as the model's chat template writes it."""
        return self._model.render(_messages(messages), _tools(tools))

    def encode(self, text: str, *, special: bool = True, bos: bool = True) -> list[int]:
        """Token ids of a text. ``special`` takes names of control tokens for those, ``bos`` puts the beginning-of-sequence token first
        where the model wants one."""
        return self._model.encode(text, special, bos)

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of token ids; control tokens have none."""
        return self._model.decode(list(tokens))

    def session(self, *, draft_tokens: int = 0) -> Session:
        """One sequence with a KV cache of its own, to be driven token by token."""
        return Session(self._model, draft_tokens)

    @property
    def architecture(self) -> str:
        """The architecture, ``llama``."""
        return self._model.architecture

    @property
    def device(self) -> str:
        """The device, one line for people."""
        return self._model.device

    @property
    def context(self) -> int:
        """The most tokens of a sequence."""
        return self._model.context

    @property
    def vocabulary(self) -> int:
        """Tokens of the vocabulary."""
        return self._model.vocabulary

    @property
    def eos_tokens(self) -> list[int]:
        """Tokens that end an answer."""
        return self._model.eos_tokens

    @property
    def chat_template(self) -> str | None:
        """The model's chat template, where it has one that can be used."""
        return self._model.chat_template

    @property
    def memory(self) -> dict[str, int]:
        """Bytes of the weights, and of one session's KV cache and everything else."""
        return dict(zip(("weights", "session_cache", "session_other"), self._model.memory, strict=True))

    @property
    def status(self) -> dict[str, int]:
        """What runs and waits now, and how many tokens there have been."""
        return dict(self._model.status())

    def close(self) -> None:
        """Ends what runs; answers under way end as cancelled. The weights go when nothing refers to them any more."""
        self._model.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<akunu.Model {self.name!r}: {self.architecture} on {self.device}, context {self.context}>"

    def _repr_html_(self) -> str:
        memory = self.memory
        rows = {
            "architecture": self.architecture,
            "device": self.device,
            "context": f"{self.context:,} tokens",
            "vocabulary": f"{self.vocabulary:,} tokens",
            "weights": f"{memory['weights'] / 1e6:,.0f} MB",
            "KV cache of a session": f"{memory['session_cache'] / 1e6:,.0f} MB",
        }
        body = "".join(f"<tr><th>{k}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items())
        return f"<table><caption>{html.escape(self.name)}</caption>{body}</table>"


def _messages(messages: Messages) -> str:
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return json.dumps([dict(m) for m in messages])


def _tools(tools: Tools | None) -> str | None:
    if not tools:
        return None
    return json.dumps([dict(t) if isinstance(t, Mapping) else _schema.function(t) for t in tools])
