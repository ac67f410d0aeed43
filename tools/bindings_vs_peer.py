#!/usr/bin/env python3
"""akunu's Python package beside llama-cpp-python on the same file, in turn: loading, the first token, decoding, eight requests at once.

    PYTHON tools/bindings_vs_peer.py PEER [--model FILE] [--rounds N] [--threads N] [--out RECORD]

PYTHON has akunu's package, PEER is a Python with llama-cpp-python, built for this CPU as `pip install llama-cpp-python==0.3.36` does
(its CMake options GGML_NATIVE and GGML_OPENMP are on by default). Each round starts a process of each; a process measures everything several
times and gives medians. All prompts are the same token ids, none begins as another does, draws are greedy, end tokens are banned, and both
make text of what they draw. Eight requests are, here, eight streams of one model. llama-cpp-python's `Llama` serves one request at a time, and so
does its server, which holds a lock: there they run one after the other ("eight_in_a_row"). Its low-level functions can decode eight sequences in one
batch, which its notebook Batching.ipynb shows: "eight_by_hand" is that, with all prompts in one batch first.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import records

PROMPT, DRAWN, EIGHT, REPEATS, CONTEXT = 512, 128, 64, 5, 2048
clock = time.perf_counter


def prompt(number: int, length: int) -> list[int]:
    return [(i * 31 + number * 977 + 5 + (number * 7919 if i == 0 else 0)) % 49000 + 50 for i in range(length)]


def middle(measure: Any, repeats: int = REPEATS) -> Any:
    """Medians of what a measure gives, without the first time, which warms."""
    found = [measure(i) for i in range(repeats + 1)][1:]
    return [statistics.median(column) for column in zip(*found, strict=True)]


def akunu_child(model: str, threads: int) -> dict[str, float]:
    import akunu

    start = clock()
    m = akunu.Model(model, threads=threads, context=CONTEXT)
    loaded = clock() - start
    eos = {token: float("-inf") for token in m.eos_tokens}
    options = {"temperature": 0, "ignore_eos": True, "logit_bias": eos}
    m.generate([5], max_tokens=1, **options)
    usable = clock() - start

    def one(i: int) -> tuple[float, float]:
        start = clock()
        stream = m.stream(prompt(i, PROMPT), max_tokens=DRAWN + 1, **options)
        piece = next(stream)
        first = clock()
        whole = stream.result()
        return first - start, (len(whole.tokens) - len(piece.tokens)) / (clock() - first)

    def eight(i: int) -> tuple[float]:
        start = clock()
        all_ = m.batch([prompt(100 + 8 * i + n, EIGHT) for n in range(8)], max_tokens=EIGHT, **options)
        return (sum(len(g.tokens) for g in all_) / (clock() - start),)

    first, rate = middle(one)
    return {"load_s": loaded, "load_and_token_s": usable, "first_token_s": first, "decode_tps": rate, "eight_tps": middle(eight, 3)[0]}


def peer_child(model: str, threads: int) -> dict[str, float]:
    import llama_cpp

    start = clock()
    m = llama_cpp.Llama(model, n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, verbose=False)
    loaded = clock() - start
    options: dict[str, Any] = {"temperature": 0, "logit_bias": {m.token_eos(): -1e9, 0: -1e9}}
    m.create_completion([5], max_tokens=1, **options)
    usable = clock() - start

    def one(i: int) -> tuple[float, float]:
        start = clock()
        stream = m.create_completion(prompt(i, PROMPT), max_tokens=DRAWN + 1, stream=True, **options)
        next(stream)
        first = clock()
        for _ in stream:
            pass
        # What it has evaluated: all but the last token drawn.
        drawn = m.n_tokens - PROMPT
        assert drawn in (DRAWN, DRAWN + 1), f"{drawn} tokens"
        return first - start, DRAWN / (clock() - first)

    def eight(i: int) -> tuple[float]:
        start = clock()
        drawn = 0
        for n in range(8):
            done = m.create_completion(prompt(100 + 8 * i + n, EIGHT), max_tokens=EIGHT, **options)
            drawn += done["usage"]["completion_tokens"]
        return (drawn / (clock() - start),)

    first, rate = middle(one)
    row = middle(eight, 3)[0]
    m.close()
    return {
        "load_s": loaded,
        "load_and_token_s": usable,
        "first_token_s": first,
        "decode_tps": rate,
        "eight_in_a_row_tps": row,
        "eight_by_hand_tps": by_hand(model, threads),
    }


def by_hand(model: str, threads: int) -> float:
    """Eight sequences in one batch through the low-level functions."""
    import llama_cpp as c

    c.llama_backend_init()
    loaded = c.llama_model_load_from_file(model.encode(), c.llama_model_default_params())
    vocab = c.llama_model_get_vocab(loaded)
    params = c.llama_context_default_params()
    params.n_ctx, params.n_seq_max, params.n_threads, params.n_threads_batch = CONTEXT, 8, threads, threads
    context = c.llama_init_from_model(loaded, params)
    batch = c.llama_batch_init(8 * EIGHT, 0, 1)
    sampler = c.llama_sampler_init_greedy()
    piece = (ctypes.c_char * 64)()

    def put(token: int, position: int, sequence: int, draws: bool) -> None:
        at = batch.n_tokens
        batch.token[at], batch.pos[at], batch.n_seq_id[at], batch.logits[at] = token, position, 1, draws
        batch.seq_id[at][0] = sequence
        batch.n_tokens += 1

    def eight(i: int) -> tuple[float]:
        c.llama_memory_clear(c.llama_get_memory(context), True)
        start = clock()
        batch.n_tokens = 0
        for n in range(8):
            for at, token in enumerate(prompt(100 + 8 * i + n, EIGHT)):
                put(token, at, n, at == EIGHT - 1)
        rows = [(n + 1) * EIGHT - 1 for n in range(8)]
        for drawn in range(EIGHT):
            if c.llama_decode(context, batch) != 0:
                sys.exit("llama_decode has failed")
            tokens = [c.llama_sampler_sample(sampler, context, row) for row in rows]
            for token in tokens:
                c.llama_token_to_piece(vocab, token, piece, len(piece), 0, False)
            batch.n_tokens = 0
            for n, token in enumerate(tokens):
                put(token, EIGHT + drawn, n, True)
            rows = list(range(8))
        return (8 * EIGHT / (clock() - start),)

    return float(middle(eight, 3)[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", help="a Python with llama-cpp-python")
    parser.add_argument("--model")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--out")
    parser.add_argument("--child", choices=["akunu", "peer"], help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.child:
        print(json.dumps((akunu_child if a.child == "akunu" else peer_child)(a.model, a.threads)))
        return
    fetch = Path(__file__).parent / "fetch-model.sh"
    model = a.model or subprocess.run([fetch], capture_output=True, text=True, check=True).stdout.strip()
    load = os.getloadavg()[0]
    found: dict[str, list[dict[str, float]]] = {"akunu": [], "peer": []}
    turn = [("akunu", sys.executable), ("peer", a.peer)]
    for _ in range(a.rounds):
        for name, python in turn:
            command = [python, __file__, a.peer, "--model", model, "--threads", str(a.threads), "--child", name]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{name}: {done.stderr}")
            found[name].append(json.loads(done.stdout.splitlines()[-1]))
        turn.reverse()
    result = {"akunu": {}, "llama-cpp-python": {}}
    for name, all_ in zip(result, found.values(), strict=True):
        result[name] = {key: round(statistics.median(one[key] for one in all_), 4) for key in all_[0]}
        print(json.dumps({"engine": name, **result[name]}))
    about = {"prompt": PROMPT, "drawn": DRAWN, "eight": [EIGHT, EIGHT], "threads": a.threads, "rounds": a.rounds}
    about["load_average"] = [load, os.getloadavg()[0]]
    print(json.dumps(about))
    if a.out:
        records.write(a.out, {"date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), **about, **result, "rounds_of_each": found})


if __name__ == "__main__":
    main()
