"""Language models in your own process.

>>> import akunu
>>> model = akunu.Model("smollm2")
>>> print(model.generate("The capital of France is", max_tokens=8, temperature=0))

A model's name is a GGUF file, a directory of safetensors files, an alias such as ``smollm2``, or ``hf:owner/repo[:file]``, which is
downloaded unless it was before.

* ``generate`` goes on from a text, ``chat`` answers a conversation; ``batch`` does many at once.
* ``stream`` and ``chat_stream`` give pieces as they come, for ``for`` and for ``async for``; ``await`` gives the whole.
* ``schema=`` takes a dataclass, a pydantic model or a JSON schema, and the answer follows it.
* ``Embedder`` makes vectors, ``Transcriber`` text of speech; ``Model.session`` gives tokens, logits and a KV cache to work with.
"""

from ._akunu import (
    AkunuError,
    CancelledError,
    ContextFullError,
    DeviceError,
    GrammarError,
    ModelError,
    QueueFullError,
    __version__,
)
from ._embedder import Embedder
from ._generation import Generation, Piece, TokenLogprob, ToolCall
from ._model import Model
from ._options import Options
from ._session import CommandTime, Session
from ._stream import Stream
from ._transcriber import Segment, Transcriber, Transcript, Word

__all__ = [
    "AkunuError",
    "CancelledError",
    "CommandTime",
    "ContextFullError",
    "DeviceError",
    "Embedder",
    "Generation",
    "GrammarError",
    "Model",
    "ModelError",
    "Options",
    "Piece",
    "QueueFullError",
    "Segment",
    "Session",
    "Stream",
    "TokenLogprob",
    "ToolCall",
    "Transcriber",
    "Transcript",
    "Word",
    "__version__",
]
