"""Text, streams, batches, and what comes with them."""

import asyncio
import gc
import json

import akunu
import numpy as np
import pytest
from conftest import idle


def test_a_text_goes_on(smollm2: akunu.Model) -> None:
    g = smollm2.generate("The capital of France is", max_tokens=8, temperature=0)
    assert g.text.startswith(" Paris") and str(g) == g.text
    assert (g.finish_reason, len(g.tokens), g.prompt_tokens) == ("length", 8, 5)
    assert smollm2.decode(smollm2.encode("The capital of France is") + g.tokens) == "The capital of France is" + g.text
    assert "Paris" in g._repr_markdown_() and g.tokens_per_second > 0


def test_pieces_are_the_text(smollm2: akunu.Model) -> None:
    stream = smollm2.stream("Once upon a time", max_tokens=30, temperature=0)
    pieces = list(stream)
    whole = stream.result()
    assert "".join(map(str, pieces)) == whole.text
    assert [t for p in pieces for t in p.tokens] == whole.tokens[: sum(len(p.tokens) for p in pieces)]
    assert len(pieces) > 3


def test_seeds(smollm2: akunu.Model) -> None:
    once = [smollm2.generate("A word:", max_tokens=12, temperature=1.0, seed=s).text for s in (1, 1, 2)]
    assert once[0] == once[1] != once[2]
    free = {smollm2.generate("A word:", max_tokens=12, temperature=1.0).text for _ in range(4)}
    assert len(free) > 1, "without a seed each text is another"


def test_batches_are_what_they_are_alone(smollm2: akunu.Model) -> None:
    prompts = ["The capital of France is", "The capital of Italy is", [504, 3575]]
    together = smollm2.batch(prompts, max_tokens=8, temperature=0)
    assert [g.tokens for g in together] == [smollm2.generate(p, max_tokens=8, temperature=0).tokens for p in prompts]


def test_conversations(smollm2: akunu.Model) -> None:
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "Answer in one word."},
        {"role": "user", "content": "Hi!"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Which colour has the sky?"},
    ]
    g = smollm2.chat(messages, max_tokens=30, temperature=0)
    assert "blue" in g.text and g.finish_reason == "eos"
    messages.append(g.message)
    assert g.text in smollm2.render(messages)
    with pytest.raises(ValueError, match="tools"):
        smollm2.chat("x", tools=[{"name": "f"}])


def test_log_probabilities(smollm2: akunu.Model) -> None:
    g = smollm2.generate("The capital of France is", max_tokens=3, temperature=0, logprobs=2)
    assert [p.token for p in g.logprobs] == g.tokens
    assert all(p.top[0] == (p.token, p.logprob) and len(p.top) == 2 for p in g.logprobs)
    # The same from all logits. On matrix units tables of many rows round differently from those of few.
    near = 2e-2 if "amx" in smollm2.device else 2e-3
    session = smollm2.session()
    session.append("The capital of France is")
    logits = session.logits().astype(np.float64)
    log_softmax = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
    assert log_softmax[g.tokens[0]] == pytest.approx(g.logprobs[0].logprob, abs=near)


def test_asyncio(smollm2: akunu.Model) -> None:
    async def main() -> None:
        pieces = [str(p) async for p in smollm2.stream("The capital of France is", max_tokens=8, temperature=0)]
        assert "".join(pieces).startswith(" Paris")
        many = [smollm2.stream(f"{i}, {i + 1},", max_tokens=6, temperature=0) for i in range(8)]
        texts = [g.text for g in await asyncio.gather(*many)]
        assert texts == [smollm2.generate(f"{i}, {i + 1},", max_tokens=6, temperature=0).text for i in range(8)]
        whole = await smollm2.stream("The capital of France is", max_tokens=8, temperature=0)
        assert whole.text == "".join(pieces)
        with pytest.raises(ValueError, match="temperature"):
            await smollm2.stream("x", temperature=-1)

    asyncio.run(main())
    asyncio.run(main())  # Another loop.


def test_closing_cancels(tiny: akunu.Model) -> None:
    options = {"max_tokens": 10**9, "temperature": 1.0, "overflow": "shift", "ignore_eos": True}
    stream = tiny.stream("once", **options)
    next(stream)
    stream.close()
    assert next(stream, None) is None and stream.result().finish_reason == "cancelled"
    assert idle(tiny)
    with tiny.stream("once", **options) as stream:
        next(stream)
    assert idle(tiny)
    stream = tiny.stream("once", **options)
    next(stream)
    del stream
    gc.collect()
    assert idle(tiny)
    stream = tiny.stream("once", **options)
    next(stream)
    stream.cancel()
    assert stream.result().finish_reason == "cancelled"

    async def task() -> None:
        await tiny.stream("once", **options)

    async def main() -> None:
        t = asyncio.create_task(task())
        await asyncio.sleep(0.05)
        t.cancel()
        with pytest.raises(asyncio.CancelledError):
            await t

    asyncio.run(main())
    assert idle(tiny)


def test_tools_are_functions(tiny: akunu.Model) -> None:
    def switch(on: bool, room: str = "kitchen") -> None:
        """Switches the light."""

    rendered = tiny.render("do it", tools=[switch])
    assert "Switches the light." in rendered and '"boolean"' in rendered
    g = tiny.chat("do it", tools=[switch], tool_choice="switch", temperature=0, max_tokens=400)
    assert [c.name for c in g.tool_calls] == ["switch"]
    assert isinstance(g.tool_calls[0].arguments["on"], bool)
    assert g.message["tool_calls"][0]["function"]["name"] == "switch"
    back = [{"role": "user", "content": "do it"}, g.message, {"role": "tool", "name": "switch", "content": "done"}]
    assert "tool: done" in tiny.render(json.loads(json.dumps(back)), tools=[switch])


def test_sessions(smollm2: akunu.Model, tmp_path: object) -> None:
    session = smollm2.session()
    session.append("The capital of France is")
    first = session.decode(max_tokens=4, temperature=0)
    more = session.decode(max_tokens=4, temperature=0)
    assert first + more == smollm2.generate("The capital of France is", max_tokens=8, temperature=0).tokens
    path = f"{tmp_path}/saved"
    session.save(path)
    session.rewind(5)
    assert len(session) == 5 and session.decode(max_tokens=4, temperature=0) == first
    other = smollm2.session()
    other.load(path)
    assert other.tokens[5:] == first + more
    pieces: list[str] = []
    g = other.generate(max_tokens=6, temperature=0, on_text=pieces.append)
    assert "".join(pieces) == g.text and len(g.tokens) == 6
    logits = session.logits()
    assert logits.shape == (smollm2.vocabulary,) and logits.dtype == np.float32
    ids = smollm2.encode("The capital of France is")
    rows = session.logits_of(ids)
    assert rows.shape == (5, smollm2.vocabulary) and int(rows[-1].argmax()) == first[0]
    assert session.hidden_states(ids).shape[0] == 5
    assert any(r.label.endswith("attention.qkv") and r.seconds > 0 for r in session.profile(repeats=1))


def test_memory_is_the_arrays_own(smollm2: akunu.Model) -> None:
    session = smollm2.session()
    session.append("a")
    logits = session.logits()
    assert not logits.flags.owndata and logits.base is not None, "NumPy looks at memory that the engine made"


def test_vectors() -> None:
    import os

    embedder = akunu.Embedder(os.environ["AKUNU_TINY_BERT"])
    vectors = embedder.embed(["one text", "another", "one text"])
    assert vectors.shape == (3, embedder.dimensions) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors[0] == vectors[2]).all() and not (vectors[0] == vectors[1]).all()
    # A batch's table may be of another family than a single text's, and sums in another order.
    alone = embedder.embed("one text")
    assert np.allclose(alone, vectors[0], atol=0.02) and not np.allclose(alone, vectors[1], atol=0.02)


def test_what_a_notebook_shows(smollm2: akunu.Model) -> None:
    assert "smollm2" in repr(smollm2) and "<table>" in smollm2._repr_html_()
    assert smollm2.memory["weights"] > 50e6
