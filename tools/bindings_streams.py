#!/usr/bin/env python3
"""Many streams at once through Python beside the batch alone (`akunu bench --streams`), in turn.

    PYTHON tools/bindings_streams.py MODEL [--device cuda] [--streams 32] [--prompt 512] [--generate 512] [--rounds 2] [--repeats 3] [--out RECORD]

PYTHON has the package installed, which brings the command too. MODEL has a tokenizer (crates/model/examples/synthetic_directory.rs makes one
of random weights). In each round a process of each kind runs: the bench, tasks of one event loop, threads. Streams have prompts of token ids,
no two with a common beginning. Prints JSON: tokens per second while every stream draws (`s_tg`), their share of the bench's, milliseconds to
the last first token, and for the event loop how many answers each of its wake-ups had news of.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

import records


def prompt(number: int, length: int, vocabulary: int) -> list[int]:
    return [(i * 31 + number * 977 + 5 + (number * 7919 if i == 0 else 0)) % (vocabulary - 100) + 50 for i in range(length)]


def child(how: str, a: argparse.Namespace) -> None:
    """Measures one way, and prints a sample for each repeat."""
    import asyncio
    import threading

    import akunu
    from akunu import _akunu

    wakeups = [0, 0]
    ready = _akunu.wait_ready

    def counted() -> list[int] | None:
        numbers = ready()
        if numbers is not None:
            wakeups[0] += 1
            wakeups[1] += len(numbers)
        return numbers

    _akunu.wait_ready = counted  # type: ignore[assignment]
    clock = time.perf_counter
    context = a.prompt + a.generate + 16
    # The KV cache is handed out in blocks of 256 tokens.
    cache = a.streams * (context // 256 + 2) * 256
    model = akunu.Model(a.model, device=a.device, context=context, sequences=a.streams, cache_tokens=cache)
    options = {"temperature": 0, "ignore_eos": True, "max_tokens": a.generate}
    #: Of each stream, when tokens came and how many. A model of random weights may draw tokens without text, which make no pieces.
    came: list[list[tuple[float, int]]] = []

    def stream(number: int, mine: list[tuple[float, int]]) -> akunu.Stream[Any]:
        made = model.stream(prompt(number, a.prompt, model.vocabulary), **options)
        take = made._take

        def watched(events: list[tuple[Any, ...]]) -> None:
            tokens = sum(event[0] == "token" for event in events)
            if tokens:
                mine.append((clock(), tokens))
            take(events)

        made._take = watched  # type: ignore[method-assign]
        return made

    async def task(number: int, mine: list[tuple[float, int]]) -> None:
        async for _ in stream(number, mine):
            pass

    def thread(number: int, mine: list[tuple[float, int]]) -> None:
        for _ in stream(number, mine):
            pass

    async def tasks(numbers: range) -> None:
        await asyncio.gather(*(task(n, mine) for n, mine in zip(numbers, came, strict=True)))

    # The first round warms.
    for repeat in range(a.repeats + 1):
        came = [[] for _ in range(a.streams)]
        numbers = range(1 + repeat * a.streams, 1 + (repeat + 1) * a.streams)
        wakeups[:] = [0, 0]
        start, cpu = clock(), time.process_time()
        if how == "tasks":
            asyncio.run(tasks(numbers))
        else:
            threads = [threading.Thread(target=thread, args=(n, mine)) for n, mine in zip(numbers, came, strict=True)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        end, cpu = clock(), time.process_time() - cpu
        if repeat == 0:
            continue
        if any(sum(n for _, n in c) != a.generate for c in came):
            sys.exit("a stream has ended early")
        # While all draw: after the last first token, before the first last one.
        begin, over = max(c[0][0] for c in came), min(c[-1][0] for c in came)
        if over <= begin:
            sys.exit("there is no time when all streams draw; give a larger --generate")
        drawn = sum(n for c in came for t, n in c if begin < t <= over)
        sample = {
            "s_tg": drawn / (over - begin),
            "s": a.streams * (a.prompt + a.generate) / (end - start),
            "last_first_token_ms": (begin - start) * 1e3,
            "cores_busy": cpu / (end - start),
            "tokens_at_a_time": a.streams * a.generate / sum(map(len, came)),
        }
        if how == "tasks":
            sample["answers_per_wakeup"] = wakeups[1] / max(1, wakeups[0])
        print(json.dumps(sample))


def samples(how: str, a: argparse.Namespace) -> list[dict[str, float]]:
    if how == "bench":
        command = [sys.executable, "-m", "akunu", "bench", a.model, "--device", a.device, "--streams", str(a.streams), "-p", str(a.prompt)]
        command += ["-n", str(a.generate), "-r", str(a.repeats), "-o", "json", "--no-bandwidth"]
    else:
        command = [sys.executable, __file__, *sys.argv[1:], "--child", how]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    if how != "bench":
        return [json.loads(line) for line in done.stdout.splitlines()]
    row = json.loads(done.stdout)
    row = row[0] if isinstance(row, list) else row
    return [{"s_tg": a.streams * a.generate / t} for t in row["samples_t_tg"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--streams", type=int, default=32)
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--generate", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--ways", default="tasks,threads")
    parser.add_argument("--out")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.child:
        return child(a.child, a)
    ways = ["bench", *a.ways.split(",")]
    all_: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for _ in range(a.rounds):
        for way in ways:
            all_[way] += samples(way, a)
        ways.reverse()
    rows = []
    for way, found in all_.items():
        middle = {key: round(statistics.median(s[key] for s in found), 3) for key in found[0]}
        share = statistics.median(s["s_tg"] for s in found) / statistics.median(s["s_tg"] for s in all_["bench"])
        rows.append({"through": way, **middle, "of_bench": round(share, 4), "samples_s_tg": [round(s["s_tg"], 1) for s in found]})
        print(json.dumps(rows[-1]))
    about = {key: getattr(a, key) for key in ("streams", "prompt", "generate", "rounds", "repeats", "device")}
    print(json.dumps({**about, "load_average": os.getloadavg()[0]}))
    if a.out:
        records.write(a.out, {"date": time.strftime("%Y-%m-%d"), **about, "rows": rows})


if __name__ == "__main__":
    main()
