"""Speed of several builds and thread counts of akunu on the CPU, in turn; where asked for, beside programs that keep cores busy.

    PYTHON tools/builds_in_turn.py --run BASE=./akunu-old:1 --run BASE=./akunu-old:2 --run NEW=target/release/akunu:2 \
        --busy 0,1,2 --rounds 7 --out benches/records/NAME.json

Each --run is NAME=BINARY:THREADS. A busy program is a loop without end at normal priority. Medians count. Runs on a machine
that is quiet but for them; the record keeps the load average before every run.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

LOOP = "while True:\n    pass\n"


def arguments():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("--run", action="append", required=True, metavar="NAME=BINARY:THREADS")
    a.add_argument("--model", action="append", help="MODEL of akunu bench, or a SHAPE:DTYPE; several times (default: smollm2)")
    a.add_argument("--busy", default="0", help="numbers of busy programs")
    a.add_argument("--rounds", type=int, default=5)
    a.add_argument("-p", "--prompt", type=int, default=512)
    a.add_argument("-n", "--generate", type=int, default=64)
    a.add_argument("--machine", default=platform.processor() or platform.machine())
    a.add_argument("--out", type=pathlib.Path)
    return a.parse_args()


def source(model):
    return ["--synthetic", model] if ":" in model and not model.startswith("hf:") else [model]


def bench(binary, threads, model, a):
    command = [binary, "bench", *source(model), "--device", "cpu", "-t", threads, "-p", str(a.prompt), "-n", str(a.generate), "-r", "1",
               "--no-bandwidth", "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stderr[-2000:]}")
    return {row["test"]: round(row["avg_ts"], 1) for row in json.loads(done.stdout)}


def main():
    a = arguments()
    runs = []
    for text in a.run:
        name, _, rest = text.partition("=")
        binary, _, threads = rest.rpartition(":")
        runs.append((name, binary, threads))
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": a.machine,
        "system": f"{platform.system()} {platform.release()}",
        "cores": os.cpu_count(),
        "command": f"akunu bench [--synthetic] MODEL --device cpu -t THREADS -p {a.prompt} -n {a.generate} -r 1 --no-bandwidth -o json",
        "unit": "tokens per second",
        "rows": [],
    }
    models = a.model or ["smollm2"]
    for busy, model in ((int(b), m) for b in a.busy.split(",") for m in models):
        samples = {run: {} for run in runs}
        loads = []
        programs = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(busy)]
        try:
            for _ in range(a.rounds):
                for run in runs:
                    loads.append(round(os.getloadavg()[0], 2))
                    for test, rate in bench(run[1], run[2], model, a).items():
                        samples[run].setdefault(test, []).append(rate)
        finally:
            for p in programs:
                p.kill()
        for (name, _, threads), tests in samples.items():
            for test, rates in tests.items():
                row = {"model": model, "busy": busy, "build": name, "threads": int(threads), "test": test, "median": statistics.median(rates),
                       "samples": rates}
                record["rows"].append(row)
                print(f"{model}  busy {busy}  {name:8} -t {threads}  {test:6}  {row['median']:8.1f}  {sorted(rates)}", flush=True)
        record.setdefault("load_average", {})[f"{model}, {busy} busy"] = loads
    if a.out:
        part = a.out.with_name(a.out.name + ".part")
        part.write_text(json.dumps(record, indent=1) + "\n")
        part.replace(a.out)


if __name__ == "__main__":
    main()
