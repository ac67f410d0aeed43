#!/usr/bin/env python3
"""What the borders cost: decoding through Rust, C and Python in turn, on SmolLM2.

    PYTHON tools/bindings_speed.py SPEED PREFIX [--rounds N] [--repeats N] [--tokens N] [--out RECORD]

PYTHON has the package installed, SPEED is the built example `speed` of the engine's crate, PREFIX is where tools/capi.sh has installed the C
library, all of one profile. A session (one sequence on the caller's thread) and an engine (answers from a thread of its own) are measured
apart, each through every language: a program decodes so many tokens after the first one, several times, and takes the time itself, where the
tokens arrive. In each round every program runs once, in another order, so that each is beside Rust's run of the same round.
Prints JSON: for each way the median of its rounds' medians in tokens per second, and of its quotients to Rust in the same round.
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
model, how, tokens, repeats, prompt = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
m = akunu.Model(model)
options = dict(temperature=0, ignore_eos=True)
clock = time.perf_counter
rates = []

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
    return [await by_async_stream() for _ in range(repeats)]

if how == "session":
    s = m.session()
    rates = [by_session(s) for _ in range(repeats)]
elif how == "engine":
    rates = [by_stream() for _ in range(repeats)]
else:
    rates = asyncio.run(all_async())
print(json.dumps({"rates": rates}))
"""


def rate(command: list[str], **more: str) -> float:
    """The median of a program's repeats, without the first one, which warms caches."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **more})
    if done.returncode:
        sys.exit(f"{command[0]}: {done.stderr}")
    return statistics.median(json.loads(done.stdout)["rates"][1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("speed")
    parser.add_argument("prefix", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--repeats", type=int, default=5)
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
            rest = [how, str(a.tokens), str(a.repeats + 1), PROMPT]
            all_ = {"rust": [a.speed, model, *rest], "c": [program, model, *rest], "python": [sys.executable, "-c", PYTHON, model, *rest]}
            if how == "engine":
                all_["python async"] = [sys.executable, "-c", PYTHON, model, "async", *rest[1:]]
            return {f"{language} {how}": command for language, command in all_.items()}

        for how in ("session", "engine"):
            turn = list(ways(how).items())
            for _ in range(a.rounds):
                for name, command in turn:
                    rates.setdefault(name, []).append(rate(command, LD_LIBRARY_PATH=f"{a.prefix}/lib"))
                turn = turn[1:] + turn[:1]
    result = []
    for name, all_ in rates.items():
        rust = rates[f"rust {name.split()[-1]}"]
        shares = [one / other for one, other in zip(all_, rust, strict=True)]
        row = {
            "through": name,
            "tokens_per_second": round(statistics.median(all_), 1),
            "of_rust": round(statistics.median(shares), 4),
            "rates": [round(r, 1) for r in all_],
            "shares": [round(s, 4) for s in shares],
        }
        print(json.dumps(row))
        result.append(row)
    about = {"tokens": a.tokens, "repeats": a.repeats, "rounds": a.rounds, "load_average": [load, os.getloadavg()[0]]}
    print(json.dumps(about))
    if a.out:
        records.write(a.out, {**about, "date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "ways": result})


if __name__ == "__main__":
    main()
