"""Progress of downloads, where somebody looks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def shown(
    name: str, progress: Callable[[str, int, int], object] | None
) -> Iterator[Callable[[str, int, int], object] | None]:
    """What is to be told; where nobody wants to be, a line on a terminal or in a notebook."""
    if progress is not None or not (sys.stderr.isatty() or _in_notebook()):
        yield progress
        return
    line = _Line(name)
    try:
        yield line
    finally:
        line.end()


class _Line:
    """A line that appears once something has taken half a second."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.since = time.monotonic()
        self.width = 0

    def __call__(self, phase: str, done: int, total: int) -> None:
        if time.monotonic() - self.since < 0.5:
            return
        share = f"{100 * done / total:3.0f}%" if total else ""
        bar = "█" * int(30 * done / total) if total else ""
        text = f"{phase} {self.name} {share} {bar:<30} {done / 1e6:,.0f} MB"
        self.width = max(self.width, len(text))
        print(f"\r{text:<{self.width}}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules
