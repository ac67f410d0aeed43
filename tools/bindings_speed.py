#!/usr/bin/env python3
"""What the borders cost: decoding through Rust, C and Python in turn, on SmolLM2.

    PYTHON tools/bindings_speed.py AKUNU PREFIX [--rounds N] [--tokens N]

PYTHON has the package installed, AKUNU is a built command, PREFIX is where tools/capi.sh has installed the C library, all of one profile. Rust is
the command's own measurement of its session; C and Python are measured by the program that receives the tokens: C by a session's callback, Python
by a session's whole and by a stream of the engine. Prints JSON: tokens per second after the first, median and all.
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

PROMPT = "Once upon a time, in a land far away, there was"

PYTHON = """
import json, sys, time, akunu
model, tokens, how, prompt = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
m = akunu.Model(model)
options = dict(max_tokens=tokens, temperature=0, ignore_eos=True)
if how == "session":
    s = m.session()
    s.append(prompt)
    times = []
    s.generate(on_text=lambda _: times.append(time.perf_counter()), **options)
else:
    times = [time.perf_counter() for _ in m.stream(prompt, **options)]
print(json.dumps({"decode": times[-1] - times[0], "pieces": len(times), "tokens": tokens}))
"""


def output(command: list[str], **more: str) -> dict:
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, **more})
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("akunu")
    parser.add_argument("prefix", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--model", default="smollm2")
    a = parser.parse_args()
    root = Path(__file__).parent.parent
    rates: dict[str, list[float]] = {"rust": [], "c": [], "python session": [], "python stream": []}
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/speed"
        source = str(root / "crates/capi/tests/c/speed.c")
        command = ["cc", "-O2", "-D_POSIX_C_SOURCE=200809L", source, f"-I{a.prefix}/include", f"-L{a.prefix}/lib", "-lakunu", "-o", program]
        subprocess.run(command, check=True)
        n = str(a.tokens)
        for _ in range(a.rounds):
            run = [a.akunu, "run", a.model, PROMPT, "--raw", "--temp", "0", "-n", n, "--json"]
            rust = output(run)
            rates["rust"].append(rust["decode_tps"])
            c = output([program, a.model, n, PROMPT], LD_LIBRARY_PATH=f"{a.prefix}/lib")
            rates["c"].append((c["tokens"] - 1) / c["decode"])
            for how in ("session", "stream"):
                p = output([sys.executable, "-c", PYTHON, a.model, n, how, PROMPT])
                rates[f"python {how}"].append((p["tokens"] - 1) / p["decode"])
    for name, all_ in rates.items():
        median = statistics.median(all_)
        print(json.dumps({"through": name, "tokens_per_second": round(median, 1), "all": [round(r, 1) for r in all_]}))
    print(json.dumps({"load_average": os.getloadavg()[0], "time": time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime())}))


if __name__ == "__main__":
    main()
