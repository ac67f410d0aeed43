"""Answers as they come, for threads and for event loops."""

from __future__ import annotations

import asyncio
import atexit
import itertools
import json
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

from . import _akunu
from ._generation import Generation, Piece, TokenLogprob, ToolCall

T = TypeVar("T")

# Waits of event loops, by the numbers that their answers ring with.
_waits: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = {}
_numbers = itertools.count(1)
_listener: threading.Thread | None = None
_listener_lock = threading.Lock()

atexit.register(_akunu.shutdown)


def _listen() -> None:
    """Wakes event loops, each once for all that has come."""
    while (numbers := _akunu.wait_ready()) is not None:
        by_loop: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
        for number in numbers:
            if (wait := _waits.pop(number, None)) is not None:
                by_loop.setdefault(wait[0], []).append(wait[1])
        for loop, futures in by_loop.items():
            try:
                loop.call_soon_threadsafe(_wake, futures)
            except RuntimeError:
                pass  # The loop is closed: nobody waits any more.


def _wake(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)


def _start_listener() -> None:
    global _listener
    with _listener_lock:
        if _listener is None or not _listener.is_alive():
            _listener = threading.Thread(target=_listen, name="akunu-events", daemon=True)
            _listener.start()


class Stream(Generic[T]):
    """An answer under way: an iterator of pieces, for ``for`` and for ``async for``; ``await stream`` and :meth:`result` give the whole.

    Closing it, leaving its ``with`` block, or dropping it cancels the request.
    """

    def __init__(self, answer: _akunu.Answer, parse: Callable[[Any], T] | None) -> None:
        self._answer: _akunu.Answer | None = answer
        self._pieces: deque[Piece] = deque()
        self._whole: Generation[T] = Generation(_parse=parse)
        self._tokens: list[int] = []
        self._logprobs: list[TokenLogprob] = []

    def __iter__(self) -> Iterator[Piece]:
        return self

    def __next__(self) -> Piece:
        while not self._pieces:
            if self._answer is None:
                raise StopIteration
            self._take(self._answer.next_events())
        return self._pieces.popleft()

    def __aiter__(self) -> AsyncIterator[Piece]:
        return self

    async def __anext__(self) -> Piece:
        while not self._pieces:
            if self._answer is None:
                raise StopAsyncIteration
            self._take(await self._events(self._answer))
        return self._pieces.popleft()

    def __await__(self) -> Generator[Any, None, Generation[T]]:
        return self._rest().__await__()

    async def _rest(self) -> Generation[T]:
        try:
            async for _ in self:
                pass
        except asyncio.CancelledError:
            self.close()
            raise
        return self._whole

    async def _events(self, answer: _akunu.Answer) -> list[tuple[Any, ...]]:
        _start_listener()
        loop = asyncio.get_running_loop()
        while True:
            number = next(_numbers)
            future = loop.create_future()
            _waits[number] = (loop, future)
            try:
                events = answer.poll_events(number)
                if events is not None:
                    return events
                await future
            finally:
                _waits.pop(number, None)

    def result(self) -> Generation[T]:
        """Waits for the rest, and gives the whole."""
        for _ in self:
            pass
        return self._whole

    def close(self) -> None:
        """Cancels the request; nothing more comes."""
        if self._answer is not None:
            self._answer.cancel()
            self._answer = None
        self._pieces.clear()

    async def aclose(self) -> None:
        """The same, as asynchronous iterators have it."""
        self.close()

    def cancel(self) -> None:
        """Ends the request after the step under way. What was drawn until then still comes. From any thread."""
        if (answer := self._answer) is not None:
            answer.cancel()

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Stream[T]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, events: list[tuple[Any, ...]]) -> None:
        """Makes pieces of events. Texts that came together are one piece."""
        whole = self._whole
        if not events:
            self._answer = None
        for event in events:
            match event:
                case ("token", token, tops):
                    self._tokens.append(token)
                    whole.tokens.append(token)
                    if tops is not None:
                        logprob = TokenLogprob(token, tops[0], tuple(tops[1]))
                        self._logprobs.append(logprob)
                        whole.logprobs.append(logprob)
                case ("text", text):
                    whole.text += text
                    self._put("text", text)
                case ("thought", text):
                    whole.thoughts += text
                    self._put("thought", text)
                case ("call", name, arguments):
                    call = ToolCall(name, json.loads(arguments))
                    whole.tool_calls.append(call)
                    self._put("tool_call", "", call)
                case ("end", finish, prompt, reused, _, seconds):
                    whole.finish_reason = finish
                    whole.prompt_tokens, whole.reused_tokens, whole.seconds = prompt, reused, seconds
                    self._answer = None

    def _put(self, kind: Any, text: str, call: ToolCall | None = None) -> None:
        self._pieces.append(Piece(kind, text, tuple(self._tokens), tuple(self._logprobs), call))
        self._tokens.clear()
        self._logprobs.clear()
