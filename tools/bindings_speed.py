#!/usr/bin/env python3
"""What the borders cost: decoding through Rust, C and Python in turn, on SmolLM2.

    PYTHON tools/bindings_speed.py SPEED PREFIX [--starts N] [--rounds N] [--tokens N] [--out RECORD]

PYTHON has the package installed, SPEED is the built example `speed` of the engine's crate, PREFIX is where tools/capi.sh has installed the C
library, all of one profile. A session (one sequence on the caller's thread) and an engine (answers from a thread of its own) are measured
apart, each through every language: a program decodes so many tokens after the first one and takes the time itself, where the tokens
arrive. Programs load the model, warm up and wait for their turns; in each round every one has a turn, in another order, so that each is beside
Rust's of the same round, seconds away on a machine that changes its speed. Where a program's memory lies makes it a little faster or slower for
as long as it lives, so all are started anew several times.
Prints JSON: for each way the median of its rounds in tokens per second, and of its quotients to Rust in the same round: the mean of the medians
between two starts, with its standard error.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import records

PROMPT = "Once upon a time, in a land far away, there was"

PYTHON = """
import asyncio, json, sys, time, akunu
model, how, tokens, prompt = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
m = akunu.Model(model)
options = dict(temperature=0, ignore_eos=True)
clock = time.perf_counter

def by_session(s):
    s.rewind(0)
    s.append(prompt)
    s.generate(max_tokens=1, **options)
    start = clock()
    s.generate(max_tokens=tokens, on_text=len, **options)
    return tokens / (clock() - start)

def by_stream():
    stream = m.stream(prompt, max_tokens=tokens + 1, **options)
    first = next(stream)
    start = clock()
    for _ in stream:
        pass
    return (tokens + 1 - len(first.tokens)) / (clock() - start)

async def by_async_stream():
    stream = m.stream(prompt, max_tokens=tokens + 1, **options)
    first = await anext(stream)
    start = clock()
    async for _ in stream:
        pass
    return (tokens + 1 - len(first.tokens)) / (clock() - start)

async def all_async():
    for _ in sys.stdin:
        print(await by_async_stream(), flush=True)

if how == "async":
    asyncio.run(all_async())
else:
    s = m.session() if how == "session" else None
    for _ in sys.stdin:
        print(by_session(s) if s else by_stream(), flush=True)
"""


class Program:
    """A program that waits for its turns."""

    def __init__(self, command: list[str], **more: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **more})

    def rate(self) -> float:
        """Tokens per second of one turn."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended with {self.process.wait()}")
        return float(line)

    def end(self) -> None:
        """Ends it."""
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("speed")
    parser.add_argument("prefix", type=Path)
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=9, help="turns of each program between two starts")
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--model", help="a GGUF file; SmolLM2's unless told")
    parser.add_argument("--out")
    a = parser.parse_args()
    root = Path(__file__).parent.parent
    model = a.model or subprocess.run([root / "tools/fetch-model.sh"], capture_output=True, text=True, check=True).stdout.strip()
    rates: dict[str, list[float]] = {}
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/speed"
        source = str(root / "crates/capi/tests/c/speed.c")
        command = ["cc", "-O2", "-D_POSIX_C_SOURCE=200809L", source, f"-I{a.prefix}/include", f"-L{a.prefix}/lib", "-lakunu", "-o", program]
        subprocess.run(command, check=True)

        def ways(how: str) -> dict[str, list[str]]:
            rest = [how, str(a.tokens), PROMPT]
            all_ = {"rust": [a.speed, model, *rest], "c": [program, model, *rest], "python": [sys.executable, "-c", PYTHON, model, *rest]}
            if how == "engine":
                all_["python async"] = [sys.executable, "-c", PYTHON, model, "async", *rest[1:]]
            return {f"{language} {how}": command for language, command in all_.items()}

        for how in ("session", "engine"):
            for start in range(a.starts):
                turn = [(name, Program(command, LD_LIBRARY_PATH=f"{a.prefix}/lib")) for name, command in ways(how).items()]
                for _, waiting in turn:
                    waiting.rate()
                turn = turn[start % len(turn) :] + turn[: start % len(turn)]
                for _ in range(a.rounds):
                    for name, waiting in turn:
                        rates.setdefault(name, []).append(waiting.rate())
                    turn = turn[1:] + turn[:1]
                for _, waiting in turn:
                    waiting.end()
    result = []
    for name, all_ in rates.items():
        rust = rates[f"rust {name.split()[-1]}"]
        shares = [one / other for one, other in zip(all_, rust, strict=True)]
        medians = [statistics.median(shares[i : i + a.rounds]) for i in range(0, len(shares), a.rounds)]
        row = {
            "through": name,
            "tokens_per_second": round(statistics.median(all_), 1),
            "of_rust": round(statistics.mean(medians), 4),
            "error": round(statistics.stdev(medians) / len(medians) ** 0.5, 4),
            "of_rust_by_start": [round(m, 4) for m in medians],
            "rates": [round(r, 1) for r in all_],
        }
        print(json.dumps(row))
        result.append(row)
    about = {"tokens": a.tokens, "starts": a.starts, "rounds": a.rounds, "load_average": [load, os.getloadavg()[0]]}
    print(json.dumps(about))
    if a.out:
        records.write(a.out, {**about, "date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "ways": result})


if __name__ == "__main__":
    main()
