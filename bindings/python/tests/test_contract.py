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
AUDIO = Path(os.environ["AKUNU_AUDIO"])


def hear(model: akunu.Model, case: dict[str, Any]) -> dict[str, Any]:
    names = ("language", "translate", "initial_prompt", "temperatures", "beams", "seed", "word_timestamps", "batch")
    options = {k: v for k, v in case.items() if k in names}
    path, audio = AUDIO / case["audio"], None
    if case.get("in_memory") or "first_bytes" in case:
        audio = path.read_bytes()[: case.get("first_bytes")]
    try:
        got = akunu.Transcriber(model, **options).transcribe(path if audio is None else audio)
    except ValueError as e:
        return {"error": "argument", "message": str(e).replace(f"{AUDIO}/", "")}
    return {
        "text": got.text,
        "language": got.language,
        "seconds": f"{got.duration:.3f}",
        "damaged": got.damage is not None,
        "segments": [shown(s) for s in got.segments],
    }


def shown(s: akunu.Segment) -> dict[str, Any]:
    return {
        "start": f"{s.start:.3f}",
        "end": f"{s.end:.3f}",
        "temperature": f"{s.temperature:.4f}",
        "logprob": f"{s.avg_logprob:.4f}",
        "compression": f"{s.compression_ratio:.4f}",
        "no_speech": f"{s.no_speech_prob:.4f}",
        "tokens": s.tokens,
        "text": s.text,
        "words": [
            {"start": f"{w.start:.3f}", "end": f"{w.end:.3f}", "text": w.text, "probability": f"{w.probability:.4f}"} for w in s.words
        ],
    }


def call(model: akunu.Model, case: dict[str, Any]) -> dict[str, Any]:
    if "audio" in case:
        return hear(model, case)
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


@pytest.mark.parametrize("case", CASES, ids=[c["name"] for c in CASES])
def test_results_are_those_of_rust(case: dict[str, Any], request: pytest.FixtureRequest) -> None:
    model = request.getfixturevalue(case["model"])
    n = case.get("threads", 1)
    with ThreadPoolExecutor(n) as pool:
        results = list(pool.map(lambda _: call(model, case), range(n)))
    for result in results:
        assert result == RUST[case["name"]]
