"""The contract suite through Python: results are those of Rust."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import akunu
import pytest

FOLDER = Path(os.environ["AKUNU_CONTRACT_OUT"])
CASES = json.loads((FOLDER / "cases.json").read_text())
RUST = json.loads((FOLDER / "results.json").read_text())


def call(model: akunu.Model, case: dict[str, Any]) -> dict[str, Any]:
    options = {k: v for k, v in case.items() if k not in ("name", "model", "prompt", "messages", "tokens", "threads", "cancel_after")}
    options.setdefault("seed", 0)
    cancel = case.get("cancel_after")
    try:
        if "messages" in case:
            stream = model.chat_stream(case["messages"], **options)
        else:
            stream = model.stream(case.get("tokens", case.get("prompt")), **options)
        if cancel:
            while len(stream._whole.tokens) < cancel:
                next(stream)
            stream.cancel()
        g = stream.result()
    except ValueError as e:
        return {"error": "argument", "message": str(e)}
    except akunu.GrammarError as e:
        return {"error": "grammar", "message": str(e)}
    result: dict[str, Any] = {"tokens": g.tokens[:cancel], "finish": g.finish_reason, "prompt_tokens": g.prompt_tokens}
    if not cancel:
        result["text"] = g.text
    if g.logprobs:
        top = [",".join([f"{p.logprob:.4f}", *(f"{t}:{v:.4f}" for t, v in p.top)]) for p in g.logprobs]
        result["logprobs"] = top
    return result


def test_speech_is_that_of_rust() -> None:
    rust = json.loads((FOLDER / "speech.json").read_text())
    assert rust
    transcriber = akunu.Transcriber(os.environ["AKUNU_TINY_WHISPER"], temperatures=[0])
    for name, want in rust.items():
        got = transcriber.transcribe(Path(os.environ["AKUNU_AUDIO"]) / name)
        assert {"text": got.text, "language": got.language, "tokens": [s.tokens for s in got.segments]} == want


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_results_are_those_of_rust(case: dict[str, Any], smollm2: akunu.Model, tiny: akunu.Model) -> None:
    model = {"smollm2": smollm2, "tiny": tiny}[case["model"]]
    n = case.get("threads", 1)
    with ThreadPoolExecutor(n) as pool:
        results = list(pool.map(lambda _: call(model, case), range(n)))
    for result in results:
        assert result == RUST[case["name"]]
